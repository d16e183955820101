/*
** native.h - the native trace (docs/formats/native.md) from files into a fleet: CSV named after the
** relations, or JSON with a `record` in each object; told apart by content.
*/
#ifndef MPG_NATIVE_H
#define MPG_NATIVE_H

#include "../trace/fleet.h"
#include "../../read/input/stream.h"

/*
** Reads every file that `path` stands for. MPG_DATA: "FILE:LINE:COLUMN: what"; with `skip` a record
** that breaks a rule, and a line that is no CSV or JSON, is left out instead and listed as
** `skipped_record`; what cannot be skipped, such as a compressed file that was cut off, is still an
** error. A file that ends within its last record is read up to there (unfinished.h). A folder
** without a single trace file is MPG_IO. The issues of a file read before are replaced. With
** threads > 1, memory is asked of `env` by several threads at once; the fleet, the issues and the
** error are the same for any number of them.
*/
mpg_rc mpg_native_read(mpg_fleet *fleet, const mpg_env *env, mpg_str path, bool skip, int threads,
                       mpg_err *err);

#endif
