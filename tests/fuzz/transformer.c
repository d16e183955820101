/* transformer.c - shapes of transformers in JSON, and the FLOPs that they come to. */
#include "fuzz.h"
#include "../../ext/program/transformer_json.h"

#include <math.h>

static mpg_rc render(const mpg_env *env, mpg_str input, fuzz_text *out) {
  double flops = -1.0;
  mpg_err err;
  mpg_rc rc = mpg_transformer_json(env, input, &flops, &err);
  CHECK(rc != MPG_OK || (isfinite(flops) && flops >= 0.0));
  if (rc == MPG_OK)
    fuzz_put(out, "%.17g", flops);
  else
    fuzz_put(out, "!%s", err.text);
  return rc == MPG_OK ? MPG_DONE : rc;
}

void fuzz_transformer(mpg_str input) {
  fuzz_reader(render, input);
}
