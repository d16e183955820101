/*
** unfinished.h - the end of a file that may still be being written, and what is said of it.
**
** A record that the file ends within is left out, with a warning: its rest may come. Where the last
** line has no end but is a record all the same, as delimited text may, it is read: other writers
** never end their last line. But nobody can tell whether its last field is whole, and that is said.
*/
#ifndef MPG_UNFINISHED_H
#define MPG_UNFINISHED_H

#include "../../base/issues.h"

/* The issue unfinished_record of the record that begins at `line`. MPG_OK or MPG_NOMEM. With
** `issues` NULL nothing is said, here and below. */
mpg_rc mpg_unfinished_record(mpg_issues *issues, const char *path, int64_t line, mpg_err *err);
/* The issue no_line_end. */
mpg_rc mpg_no_line_end(mpg_issues *issues, const char *path, int64_t line, mpg_err *err);

#endif
