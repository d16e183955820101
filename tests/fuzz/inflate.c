/* inflate.c - compressed streams: what comes out does not depend on how it is asked for. */
#include "fuzz.h"
#include "../../ext/core/intern.h"

#define MOST ((size_t)4 << 20)

static mpg_rc render(const mpg_env *env, mpg_str input, fuzz_text *out) {
  static char buffer[65536];
  mpg_stream *stream;
  mpg_err err;
  uint64_t sum = 0;
  size_t total = 0, got = 0, ask = 1 + mpg_hash(input.p, input.n) % sizeof buffer;
  mpg_rc rc = mpg_stream_memory(&stream, env, "f", input, &err);
  if (rc != MPG_OK) {
    fuzz_put(out, "!%s\n", err.text);
    return rc;
  }
  while (rc == MPG_OK && total < MOST) {
    rc = mpg_stream_read(stream, buffer, ask, &got, &err);
    CHECK(got <= ask);
    for (size_t i = 0; rc == MPG_OK && i < got; i++)
      sum = sum * 31 + (unsigned char)buffer[i];
    total += rc == MPG_OK ? got : 0;
    if (rc == MPG_OK && got < ask)
      rc = MPG_DONE;
  }
  fuzz_put(out, "%zu %llx\n", total, (unsigned long long)sum);
  if (rc != MPG_OK && rc != MPG_DONE)
    fuzz_put(out, "!%s\n", err.text);
  mpg_stream_close(stream);
  return rc == MPG_OK ? MPG_DONE : rc;
}

void fuzz_inflate(mpg_str input) {
  fuzz_reader(render, input);
}
