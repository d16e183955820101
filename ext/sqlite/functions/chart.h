/*
** chart.h - charts of one line of text: a bar, and the cells of a sparkline, of Unicode's block
** elements or of ASCII.
*/
#ifndef MPG_CHART_H
#define MPG_CHART_H

#include "../../base/base.h"

typedef enum mpg_chart_style { MPG_CHART_UNICODE, MPG_CHART_ASCII } mpg_chart_style;

#define MPG_BAR_MAX 1000 /* cells */
#define MPG_CHART_CELL 4 /* bytes of a cell, at most, with its end */
#define MPG_BAR_TEXT (MPG_BAR_MAX * MPG_CHART_CELL)

/*
** A bar of `value`, with `max` (above 0) drawn as `width` cells (1 to MPG_BAR_MAX): to the eighth
** of a cell, in ASCII to the nearest cell. A longer bar ends in an arrow; a negative value is drawn
** in other cells, by its absolute value. Terminated; returns the length.
*/
size_t mpg_bar(double value, double max, int width, mpg_chart_style style, char out[MPG_BAR_TEXT]);

/*
** The cell of a value between `low` and `high`, in eight steps; beyond them it is the lowest or
** the highest. Where low = high it is one of the middle. Static.
*/
const char *mpg_spark_cell(double value, double low, double high, mpg_chart_style style);

#endif
