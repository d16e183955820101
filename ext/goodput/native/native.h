/*
** native.h - the native trace (docs/formats/native.md) from files into a fleet: CSV named after the
** relations, or JSON with a `record` in each object. The content decides which.
*/
#ifndef MPG_NATIVE_H
#define MPG_NATIVE_H

#include "../trace/fleet.h"
#include "../../read/input/paths.h"

typedef struct mpg_native_options {
  const mpg_paths *listed; /* the files of the path, borrowed; NULL: not listed yet */
  bool skip;
  int threads;
} mpg_native_options;

/*
** Reads every file of `path`. MPG_DATA: "FILE:LINE:COLUMN: what". With `skip`, a record that breaks
** a rule and a line that is no CSV or JSON are left out and listed as `skipped_record`; what cannot
** be skipped, such as a truncated compressed file, is still an error. If a file ends within its
** last record, the records before are read (unfinished.h). A folder without a single trace file is
** MPG_IO. The issues of a file that was read before are replaced. With threads > 1, several threads
** allocate from `env` at once; the fleet, the issues and the error are the same for any number of
** threads.
*/
mpg_rc mpg_native_read(mpg_fleet *fleet, const mpg_env *env, mpg_str path,
                       const mpg_native_options *options, mpg_err *err);

/* Whether a file has a name as those of the native trace have: "x.csv.gz", but not "x.log". */
bool mpg_native_ending(const char *path);
/* Whether its first bytes show that it is one, whatever its name ends in: CSV in a file named after
** its relation, with a column of that relation in the first line; or JSON of records. */
bool mpg_looks_native(mpg_str head, const char *path);

#endif
