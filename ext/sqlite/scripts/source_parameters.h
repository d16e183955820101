/*
** source_parameters.h - what the parameters of a script are: files, options, and what is inferred.
*/
#ifndef MPG_SOURCE_PARAMETERS_H
#define MPG_SOURCE_PARAMETERS_H

#include "sources.h"

/* Prepares what gives scripts their parameters; once, after the files are known. */
mpg_rc mpg_source_prepare(mpg_sources *s, mpg_err *err);

/* An mpg_private_bind of the mpg_sources that `ctx` is. A value is kept until it is forgotten. */
int mpg_source_bind(void *ctx, sqlite3_stmt *stmt, int index, const char *name);

/* Forgets the values: before another source, or the same with other files. */
void mpg_source_forget(mpg_sources *s);

#endif
