/*
** job_names.h - the jobs that a fleet file's patterns find in the names of its files.
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

#endif
