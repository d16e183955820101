/* hlo.c - HLO text: modules of any kind, and what they cost. */
#include "fuzz.h"
#include "../../ext/program/hlo/hlo_cost.h"
#include "../../ext/base/text.h"
#include "../../ext/formats/hlo/hlo_text.h"

static void put_big(fuzz_text *out, mpg_i128 v) {
  char digits[MPG_INT_TEXT];
  (void)mpg_text_int(v, digits);
  fuzz_put(out, "%s ", digits);
}

static void show(const mpg_hlo_module *m, const mpg_hlo_cost *cost, fuzz_text *out) {
  fuzz_put_str(out, m->name);
  fuzz_put(out, "%zu %zu %lld %lld ", m->n_computations, m->n, (long long)cost->known,
           (long long)cost->unknown_trips);
  for (int k = 0; k < MPG_HLO_COUNTERS; k++)
    put_big(out, cost->sum.of[k]);
  put_big(out, cost->parameter_bytes);
  put_big(out, cost->result_bytes);
  for (size_t i = 0; i < m->n; i++) {
    mpg_hlo_work all = mpg_hlo_with_callees(cost, &m->instructions[i]);
    fuzz_put_str(out, m->instructions[i].name);
    fuzz_put_str(out, m->instructions[i].shape_text);
    put_big(out, cost->price[i].own.of[MPG_HLO_FLOPS]);
    put_big(out, all.of[MPG_HLO_BYTES]);
    CHECK(mpg_hlo_class(cost, &m->instructions[i]) <= MPG_HLO_CLASSES);
    for (uint32_t k = 0; k < m->instructions[i].noperands && k < 8; k++)
      put_big(out, mpg_hlo_operand_bytes(cost, &m->instructions[i], k));
  }
}

static mpg_rc render(const mpg_env *env, mpg_str input, fuzz_text *out) {
  mpg_stream *stream;
  mpg_hlo_text *text = NULL;
  mpg_hlo_cost cost;
  mpg_err err;
  mpg_rc rc = mpg_stream_memory(&stream, env, "f", input, &err);
  if (rc != MPG_OK)
    return rc;
  mpg_hlo_cost_init(&cost, env);
  rc = mpg_hlo_text_open(&text, env, stream, &err);
  for (int modules = 0; (rc == MPG_OK || rc == MPG_DATA) && modules < 1000; modules++) {
    const mpg_hlo_module *module;
    rc = mpg_hlo_text_next(text, &module, &err);
    if (rc == MPG_OK)
      rc = mpg_hlo_cost_module(&cost, module, &err);
    if (rc == MPG_OK)
      show(module, &cost, out);
    else if (rc != MPG_DONE)
      fuzz_put(out, "!%s", err.text);
    fuzz_put(out, "\n");
  }
  CHECK(rc != MPG_OK && rc != MPG_DATA);
  mpg_hlo_text_close(text);
  mpg_hlo_cost_free(&cost);
  mpg_stream_close(stream);
  return rc;
}

void fuzz_hlo(mpg_str input) {
  fuzz_reader(render, input);
}
