/*
** copies.h - files of a fleet that repeat another one are read once.
*/
#ifndef MPG_COPIES_H
#define MPG_COPIES_H

#include "sources.h"

/*
** After all files are in the table `file`: one that has the content of another of its format and
** options is left out, and its reason names the other. So is a log, or the record of a run, with
** which another begins: it was copied while it was written. In another folder it is only if all
** that is recognised there are copies: small files, such as how many chips a cluster has, may be
** alike.
** Else, and of the native trace, where records count as given, it is the issue same_content.
*/
mpg_rc mpg_sources_leave_out_copies(mpg_sources *s, mpg_err *err);
/* Lists these in the host's connection, after what an earlier read listed was forgotten. */
mpg_rc mpg_sources_list_copies(mpg_sources *s, mpg_err *err);

#endif
