/*
** transformer.c - transformer_flops(shape): FLOPs of a transformer, from a JSON object that names its
** sizes, as in
**
**     transformer_flops('{"mode":"training", "layers":32, "width":4096, "heads":32, "kv_heads":8,
**                         "ffn":14336, "gated":true, "vocabulary":128256,
**                         "batch":8, "sequence":8192, "causal":true}')
**
** The keys are described in docs/program-goodput.md, the formulas in core/transformer.h. REAL; NULL
** for NULL. Errors name the key that is unknown, missing, of another kind, or at odds with another.
*/
#include "sql.h"
#include "../core/number.h"
#include "../core/transformer.h"
#include "../io/json.h"

static mpg_rc take(mpg_transformer *t, const mpg_json_member *m, mpg_err *err) {
  mpg_value v = {MPG_NULL, 0, 0.0, {NULL, 0}};
  switch (m->kind) {
  case MPG_JSON_NULL: /* as if it were not there: json_object() of a NULL column */
    return MPG_OK;
  case MPG_JSON_FALSE:
  case MPG_JSON_TRUE:
    v.type = MPG_INT;
    v.i = m->kind == MPG_JSON_TRUE;
    break;
  case MPG_JSON_STRING:
    v.type = MPG_TEXT;
    v.s = m->text;
    break;
  case MPG_JSON_NUMBER:
    v.type = mpg_real_parse(m->text, &v.r) ? MPG_REAL : MPG_NULL;
    break;
  default: /* MPG_NULL: none of the above */
    break;
  }
  return mpg_transformer_set(t, m->key, &v, err);
}

static void transformer_flops(sqlite3_context *context, int n, sqlite3_value **args) {
  mpg_transformer t = {{false}, {0}};
  mpg_json_doc *doc = NULL;
  const mpg_json_member *members = NULL;
  size_t count = 0;
  mpg_value text = mpg_value_of(args[0]);
  double flops = 0;
  mpg_err err;
  mpg_rc rc;
  (void)n;
  if (text.type == MPG_NULL)
    return;
  if (text.type != MPG_TEXT || text.s.n == 0 || text.s.p[0] != '{')
    rc = mpg_fail(&err, MPG_MISUSE,
                  "expected a JSON object, as in "
                  "transformer_flops('{\"mode\":\"training\",\"parameters\":7e9,\"tokens\":1e6}')");
  else
    rc = mpg_json_parse(&doc, &mpg_conn_of(context)->env, "shape", text.s, &members, &count, &err);
  for (size_t i = 0; rc == MPG_OK && i < count; i++)
    rc = take(&t, &members[i], &err);
  if (rc == MPG_OK)
    rc = mpg_transformer_flops(&t, &flops, &err);
  mpg_json_doc_free(doc);
  if (rc == MPG_OK)
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
