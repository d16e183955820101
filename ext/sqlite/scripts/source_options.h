/*
** source_options.h - what options say of the jobs and pools of a source that its records leave out,
** and options that say nothing.
*/
#ifndef MPG_SOURCE_OPTIONS_H
#define MPG_SOURCE_OPTIONS_H

#include "../recognise/script.h"
#include "sources.h"

/* After `script` has mapped s->source: fills in all_jobs, and the pools and chips that it does not
** ask for by parameters. Each statement goes through the records of all sources: none runs for
** nothing. */
mpg_rc mpg_source_apply_options(mpg_sources *s, const mpg_script *script, mpg_err *err);

/* Lists options that no format of their source's files has, and sources all of whose files are of
** sources before them. After the files were recognised and before what they lack was found. */
mpg_rc mpg_sources_list_unused(mpg_sources *s, mpg_err *err);

#endif
