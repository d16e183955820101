/*
** constraint.h - which comparisons xBestIndex may have for xFilter.
**
** An IN whose values SQLite hands over one by one looks to xBestIndex like "=". With a virtual
** table that is wrong where types differ: SQLite scans once for each value and compares it as "="
** would, so a text column finds '7' for 7 and once more for '7', and never finds '007' for 7.
** sqlite3_vtab_in() tells an IN of one column from "="; of a row value, (a, b) IN (SELECT ...),
** nothing does.
*/
#ifndef MPG_CONSTRAINT_H
#define MPG_CONSTRAINT_H

#include "connection.h"

/* Whether the right side of constraint `c` is a constant. Then it is no IN, and no column, whose
** affinity could be another than that of its value. */
bool mpg_constraint_is_constant(sqlite3_index_info *info, int c);

/*
** Makes a plan dearer by each "=" of no constant that it was offered, `n` of them; it may expect no
** fewer rows either. If one is of a row value's IN, SQLite asks for a plan without that as well,
** all else the same, and takes the cheaper one. If it is of a bound parameter, there is no other
** plan. Those count that there was no room for, too: else both plans might cost the same.
*/
void mpg_constraint_in_doubt(sqlite3_index_info *info, int n);

#endif
