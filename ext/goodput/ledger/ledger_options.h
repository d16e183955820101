/*
** ledger_options.h - the arguments of the ledger's tables in any host: their names, and what they
** choose.
*/
#ifndef MPG_LEDGER_OPTIONS_H
#define MPG_LEDGER_OPTIONS_H

#include "ledger.h"

typedef enum mpg_arg {
  MPG_ARG_PATH,         /* a file, a glob or a folder: tables over files */
  MPG_ARG_SCHEMA,       /* of the relations: tables over relations */
  MPG_ARG_OF_JOB,       /* timelines: the job */
  MPG_ARG_BUCKET_WIDTH, /* see time.h */
  MPG_ARG_SINCE,
  MPG_ARG_UNTIL,
  MPG_ARG_AS_OF,
  MPG_ARG_BASIS,    /* 'installed', 'in_service' or 'shard' */
  MPG_ARG_SIZES,    /* '16,256,2048' */
  MPG_ARG_ROOFLINE, /* 'compute' or 'memory' */
  MPG_ARG_ON_ERROR, /* 'stop' or 'skip' */
  MPG_ARG_THREADS,  /* at most so many */
  MPG_ARG_GRAIN,    /* 'full', or dimensions: roll-ups */
  MPG_ARGS
} mpg_arg;

const char *mpg_arg_name(mpg_arg a);

/*
** Reads all arguments from MPG_ARG_BUCKET_WIDTH on, from an array by mpg_arg; MPG_NULL: not given.
** Unless given, *threads is the number of processors, up to a limit. MPG_MISUSE names the argument.
*/
mpg_rc mpg_ledger_args_read(const mpg_value args[MPG_ARGS], mpg_ledger_options *options, bool *skip,
                            int *threads, mpg_err *err);

#endif
