/*
** source_options.h - what options say of the jobs and pools of a source that its records leave out.
*/
#ifndef MPG_SOURCE_OPTIONS_H
#define MPG_SOURCE_OPTIONS_H

#include "../recognise/script.h"
#include "sources.h"

/* After `script` has mapped s->source: fills in all_jobs, and the pools and chips that it does not
** ask for by parameters. Each statement goes through the records of all sources: none runs for
** nothing. */
mpg_rc mpg_source_apply_options(mpg_sources *s, const mpg_script *script, mpg_err *err);

#endif
