/* transformer_json.c - see transformer_json.h. */
#include "transformer_json.h"
#include "../read/parse/json_records.h"
#include "../base/number.h"

static mpg_rc set_key(mpg_transformer *t, const mpg_json_member *m, mpg_err *err) {
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

mpg_rc mpg_transformer_json(const mpg_env *env, mpg_str shape, double *flops, mpg_err *err) {
  mpg_transformer t = {{false}, {0}};
  mpg_json_doc *doc = NULL;
  const mpg_json_member *members = NULL;
  size_t count = 0;
  mpg_rc rc;
  if (shape.n == 0 || shape.p[0] != '{')
    return mpg_fail(
        err, MPG_MISUSE,
        "expected a JSON object, as in "
        "transformer_flops('{\"mode\":\"training\",\"parameters\":7e9,\"tokens\":1e6}')");
  rc = mpg_json_parse(&doc, env, "shape", shape, &members, &count, err);
  for (size_t i = 0; rc == MPG_OK && i < count; i++)
    rc = set_key(&t, &members[i], err);
  if (rc == MPG_OK)
    rc = mpg_transformer_flops(&t, flops, err);
  mpg_json_doc_free(doc);
  return rc;
}
