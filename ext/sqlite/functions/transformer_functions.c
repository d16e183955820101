/*
** transformer_functions.c - transformer_flops(shape): FLOPs of a transformer, from a JSON object
** that names its sizes, as in
**
**     transformer_flops('{"mode":"training", "layers":32, "width":4096, "heads":32, "kv_heads":8,
**                         "ffn":14336, "gated":true, "vocabulary":128256,
**                         "batch":8, "sequence":8192, "causal":true}')
**
** The keys are described in docs/program-goodput.md, the formulas in program/transformer.h. REAL;
** NULL for NULL. Errors name the key that is unknown, missing, of another kind, or at odds with
** another.
*/
#include "../connection.h"
#include "../../program/transformer_json.h"

static void transformer_flops(sqlite3_context *context, int n, sqlite3_value **args) {
  mpg_value text = mpg_value_of(args[0]);
  double flops = 0;
  mpg_err err;
  (void)n;
  if (text.type == MPG_NULL)
    return;
  if (mpg_transformer_json(&mpg_conn_of(context)->env, text.type == MPG_TEXT ? text.s : MPG_STR(""),
                           &flops, &err) == MPG_OK)
    sqlite3_result_double(context, flops);
  else
    mpg_result_failure(context, &err);
}

int mpg_register_transformer(mpg_conn *conn, char **error) {
  static const mpg_function table[] = {
      {"transformer_flops", 1, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, 0, transformer_flops, NULL,
       NULL, NULL, NULL},
  };
  return mpg_register_functions(conn, table, sizeof table / sizeof *table, error);
}
