/*
** op_functions.c - what a framework's operator has to do, from its shapes.
**
**     op_flops(name, input_dims), (name, input_dims, concrete_inputs),
**         (name, input_dims, concrete_inputs, input_type)
**     op_bytes(name, input_dims, input_type), (name, input_dims, input_type, concrete_inputs)
**
** The arguments are columns of chrome_trace. The result is an INTEGER, or a REAL if it exceeds 64
** bits. It is NULL if the operator has no price, if the shapes do not decide it, or if name or
** input_dims is NULL. See ext/program/op_cost.h for the formulas.
*/
#include "../connection.h"
#include "../../program/op_cost.h"

static mpg_str text_of(sqlite3_value *value) {
  mpg_value v = mpg_value_of(value);
  return v.type == MPG_TEXT ? v.s : (mpg_str){NULL, 0};
}

static void result_count(sqlite3_context *context, mpg_i128 v) {
  if (v <= INT64_MAX)
    sqlite3_result_int64(context, (sqlite3_int64)v);
  else
    sqlite3_result_double(context, (double)v);
}

static void flops_function(sqlite3_context *context, int n, sqlite3_value **args) {
  const mpg_str none = {NULL, 0};
  mpg_op_cost cost;
  if (mpg_op_cost_of(text_of(args[0]), text_of(args[1]), n > 3 ? text_of(args[3]) : none,
                     n > 2 ? text_of(args[2]) : none, &cost))
    result_count(context, cost.flops);
}

static void bytes_function(sqlite3_context *context, int n, sqlite3_value **args) {
  const mpg_str none = {NULL, 0};
  mpg_op_cost cost;
  if (mpg_op_cost_of(text_of(args[0]), text_of(args[1]), text_of(args[2]),
                     n > 3 ? text_of(args[3]) : none, &cost) &&
      cost.bytes >= 0)
    result_count(context, cost.bytes);
}

int mpg_register_op_cost(mpg_conn *conn, char **error) {
  enum { PURE = SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS };
  static const mpg_function table[] = {
      {"op_flops", 2, PURE, 0, flops_function, NULL, NULL, NULL, NULL},
      {"op_flops", 3, PURE, 0, flops_function, NULL, NULL, NULL, NULL},
      {"op_flops", 4, PURE, 0, flops_function, NULL, NULL, NULL, NULL},
      {"op_bytes", 3, PURE, 0, bytes_function, NULL, NULL, NULL, NULL},
      {"op_bytes", 4, PURE, 0, bytes_function, NULL, NULL, NULL, NULL},
  };
  return mpg_register_functions(conn, table, sizeof table / sizeof *table, error);
}
