/*
** unfinished.h - the end of a file that may still be written, and its issues.
**
** If the file ends within a record, the record is left out, with a warning: its rest may come. A
** last line of delimited text without a line end may be a whole record, for some writers never end
** their last line. It is read, with an issue, for its last field may be cut.
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
