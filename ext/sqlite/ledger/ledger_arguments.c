/* ledger_arguments.c - see ledger_arguments.h. */
#include "ledger_arguments.h"

#include <string.h>

bool mpg_arg_given(sqlite3_value *const *args, mpg_arg a) {
  return args[a] != NULL && sqlite3_value_type(args[a]) != SQLITE_NULL;
}

const char *mpg_arg_text(sqlite3_value *const *args, mpg_arg a) {
  const unsigned char *text = mpg_arg_given(args, a) ? sqlite3_value_text(args[a]) : NULL;
  return text == NULL ? "" : (const char *)text;
}

mpg_on_error mpg_arg_on_error(sqlite3_value *const *args) {
  if (!mpg_arg_given(args, MPG_ARG_ON_ERROR))
    return MPG_ON_ERROR_DEFAULT;
  return strcmp(mpg_arg_text(args, MPG_ARG_ON_ERROR), "skip") == 0 ? MPG_ON_ERROR_SKIP
                                                                   : MPG_ON_ERROR_STOP;
}

mpg_rc mpg_ledger_args(sqlite3_value *const *args, const mpg_conn *conn,
                       mpg_ledger_options *options, bool *skip, int *threads, mpg_err *err) {
  mpg_value values[MPG_ARGS] = {{0}};
  mpg_rc rc;
  for (int a = 0; a < MPG_ARGS; a++)
    if (args[a] != NULL)
      values[a] = mpg_value_of(args[a]);
  rc = mpg_ledger_args_read(values, options, skip, threads, err);
  if (rc == MPG_OK && !mpg_conn_threads(conn))
    *threads = 1;
  return rc;
}
