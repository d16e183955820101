/*
** source_run.h - one source of a fleet: its script, over its files.
*/
#ifndef MPG_SOURCE_RUN_H
#define MPG_SOURCE_RUN_H

#include "../recognise/script.h"
#include "sources.h"

/*
** Runs the script of the source s->source, of that format, and collects its relations in all_* and
** spans_of_*. A file that cannot be read is left out and listed, or is the error: mpg_on_error.
*/
mpg_rc mpg_source_run(mpg_sources *s, const char *format, mpg_err *err);

/* The name under which a script reads a file that is a database, and the parameter of such files;
** of length 0 if the script reads all files by their paths. */
mpg_str mpg_source_attached(const mpg_script *script, mpg_str *parameter);

#endif
