/*
** ledger_arguments.h - the arguments of the ledger's tables as SQLite gives them: hidden columns.
*/
#ifndef MPG_LEDGER_ARGUMENTS_H
#define MPG_LEDGER_ARGUMENTS_H

#include "../connection.h"
#include "../../goodput/ledger/ledger_options.h"
#include "../scripts/sources.h"

/* Of an array by mpg_arg, NULL if an argument was not given. One that is NULL in SQL counts as not
** given here. */
bool mpg_arg_given(sqlite3_value *const *args, mpg_arg a);
/* "" if it is not given; borrowed from the value. */
const char *mpg_arg_text(sqlite3_value *const *args, mpg_arg a);

mpg_on_error mpg_arg_on_error(sqlite3_value *const *args);

/* Reads all arguments from MPG_ARG_BUCKET_WIDTH on; one thread if !mpg_conn_threads. */
mpg_rc mpg_ledger_args(sqlite3_value *const *args, const mpg_conn *conn,
                       mpg_ledger_options *options, bool *skip, int *threads, mpg_err *err);

#endif
