/*
** step_deviation.h - how far steps took from their ideal time: rule 13 of goodput_report.h.
*/
#ifndef MPG_STEP_DEVIATION_H
#define MPG_STEP_DEVIATION_H

#include "goodput_report.h"

/*
** out->deviations_s has the times of out->nsteps steps, in seconds: each becomes how far it is from
** the ideal, and out gets that, the mean, the greatest and the baselines, or step_error where no
** step took a second. `scratch` has room for as many. Once asks->stopped is set, what is in out is
** of no use.
*/
void mpg_goodput_report_deviations(mpg_goodput_report *out, double *scratch, mpg_poller *asks);

#endif
