/*
** job_names.h - what names of files tell: the jobs that a fleet file's patterns find in them, and
** when logs without a clock began.
*/
#ifndef MPG_JOB_NAMES_H
#define MPG_JOB_NAMES_H

#include "sources.h"

/*
** After all files are in the table `file`: if the option `job` of a source is a pattern
** (fleet_options.h), the option of each of its files becomes what the group holds in the file's
** path. A file that the pattern does not match lacks the option, which `missing` says.
*/
mpg_rc mpg_sources_name_jobs(mpg_sources *s, mpg_err *err);

/*
** After all files are in the table `file`: the column `named` of those that lack the option `start`
** becomes the date and time of day that stand in the file's name or in those of the two folders
** above it ("train_20261101_120000.log", "2026-11-01/12-00/train.log"), as clocks of the option
** `zone` showed them, or else Unix seconds there ("run_1793534400.log"), or else `named_day` the
** begin of a day alone. Of those that lack the option `year` the column `named_year` becomes that
** of such a date. `named_in` is the folder, with its slash, if the date is one's.
*/
mpg_rc mpg_sources_name_times(mpg_sources *s, mpg_err *err);

#endif
