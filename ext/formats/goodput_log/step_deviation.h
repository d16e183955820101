/*
** step_deviation.h - how far steps took from their ideal time: rule 13 of goodput_report.h.
*/
#ifndef MPG_STEP_DEVIATION_H
#define MPG_STEP_DEVIATION_H

#include "goodput_report.h"

/*
** out->deviations_s has the times of out->nsteps steps, in seconds; each is replaced by its
** distance from the ideal. out gets the ideal, the mean, the greatest and the baselines, or
** step_error if no step took a second. `scratch` has room for as many. If poller stopped, out
** is of no use.
*/
void mpg_goodput_report_deviations(mpg_goodput_report *out, double *scratch, mpg_poller *poller);

#endif
