/*
** goodput_cells.h - rows of a job log as a table of BigQuery or another program has them: delimited
** text, whose first line names keys of the log. For goodput_log.c.
*/
#ifndef MPG_GOODPUT_CELLS_H
#define MPG_GOODPUT_CELLS_H

#include "../../read/parse/csv.h"
#include "../../read/parse/json_records.h"

typedef struct mpg_goodput_cells mpg_goodput_cells;

/* Whether text that begins so is such a table. */
bool mpg_goodput_are_cells(mpg_str head);

mpg_rc mpg_goodput_cells_open(mpg_goodput_cells **out, const mpg_env *env, mpg_stream *stream,
                              mpg_err *err);
void mpg_goodput_cells_close(mpg_goodput_cells *cells); /* NULL is fine */
void mpg_goodput_cells_feed(mpg_goodput_cells *cells, mpg_stream *stream, mpg_block *block,
                            const mpg_env *poll_env);
/* The next row: a text for each cell that is not empty; value_at is the number of its column. */
mpg_rc mpg_goodput_cells_next(mpg_goodput_cells *cells, const mpg_json_member **members, size_t *n,
                              mpg_err *err);
/* Whether the file ends within the line of the row. */
bool mpg_goodput_cells_cut_off(const mpg_goodput_cells *cells);
int64_t mpg_goodput_cells_line(const mpg_goodput_cells *cells);
void mpg_goodput_cells_where(const mpg_goodput_cells *cells, size_t column, int64_t *line,
                             int64_t *at);

#endif
