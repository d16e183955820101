/*
** math_functions.c - see math_functions.h.
**
** What is no number gives NULL, and so does the root of a number below 0.
*/
#include "math_functions.h"
#include "host.h"

#include <math.h>

static double sign(double x) {
  return (x > 0) - (x < 0);
}

/* ceil, floor and sign of an integer are integers. */
static void math_function(sqlite3_context *context, int n, sqlite3_value **args) {
  double (*const *f)(double) = sqlite3_user_data(context);
  const int type = sqlite3_value_numeric_type(args[0]);
  double y;
  (void)n;
  if (type != SQLITE_INTEGER && type != SQLITE_FLOAT)
    return;
  y = (*f)(sqlite3_value_double(args[0]));
  if (isnan(y))
    return;
  if (*f == sign || (type == SQLITE_INTEGER && *f != sqrt))
    sqlite3_result_int64(context, *f == sign ? (sqlite3_int64)y : sqlite3_value_int64(args[0]));
  else
    sqlite3_result_double(context, y);
}

int mpg_add_math_functions(sqlite3 *db) {
  static double (*const functions[])(double) = {ceil, floor, sign, sqrt};
  static const char *const names[] = {"ceil", "floor", "sign", "sqrt"};
  int rc = SQLITE_OK;
  for (size_t i = 0; rc == SQLITE_OK && i < sizeof names / sizeof *names; i++)
    rc = sqlite3_create_function_v2(
        db, names[i], 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
        (void *)(uintptr_t)&functions[i], math_function, NULL, NULL, NULL);
  return rc;
}
