/*
** ledger_args.h - the arguments of the ledger's tables: the hidden columns, and what they choose.
*/
#ifndef MPG_LEDGER_ARGS_H
#define MPG_LEDGER_ARGS_H

#include "sql.h"
#include "../core/ledger.h"

typedef enum mpg_arg {
  ARG_PATH,         /* a file, a glob or a folder: tables over files */
  ARG_SCHEMA,       /* of the relations: tables over relations */
  ARG_OF_JOB,       /* timelines: the job */
  ARG_BUCKET_WIDTH, /* see time.h */
  ARG_SINCE,
  ARG_UNTIL,
  ARG_AS_OF,
  ARG_BASIS,    /* 'installed', 'in_service' or 'shard' */
  ARG_SIZES,    /* '16,256,2048' */
  ARG_ROOFLINE, /* 'compute' or 'memory' */
  ARG_ON_ERROR, /* 'stop' or 'skip' */
  ARG_THREADS,  /* at most so many */
  ARGS
} mpg_arg;

extern const char *const mpg_arg_names[ARGS];

/* Of an array by mpg_arg, NULL where an argument was not given. One that is NULL in SQL counts as
** not given here. */
bool mpg_arg_given(sqlite3_value *const *args, mpg_arg a);
/* "" where it is not given; borrowed from the value. */
const char *mpg_arg_text(sqlite3_value *const *args, mpg_arg a);

/* Everything from ARG_BUCKET_WIDTH on; the error names the argument. */
mpg_rc mpg_ledger_args(sqlite3_value *const *args, sqlite3 *db, mpg_ledger_options *options,
                       bool *skip, int *threads, mpg_err *err);

#endif
