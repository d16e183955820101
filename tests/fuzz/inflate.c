/* inflate.c - compressed streams: what comes out does not depend on how it is asked for. */
#include "fuzz.h"
#include "../../ext/io/inflate.h"
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

/* ---- By one thread that unpacks while another reads ---- */

#define PIECE 4096
#define SLOTS 5

typedef struct unpacked {
  mpg_stream *stream;
  size_t total;
  uint64_t hash;
  mpg_rc rc;
} unpacked;

static void read_on(unpacked *u, char *buffer) {
  mpg_err err;
  size_t got;
  u->rc = mpg_stream_read(u->stream, buffer, PIECE, &got, &err);
  if (u->rc != MPG_OK)
    return;
  u->total += got;
  u->hash = mpg_hash(buffer, got) ^ u->hash * 31;
  u->rc = got < PIECE || u->total >= MOST ? MPG_DONE : MPG_OK;
}

static mpg_rc cut(void *ctx, void *slot, mpg_err *err) {
  unpacked *u = ctx;
  (void)err;
  if (u->rc == MPG_OK)
    read_on(u, slot);
  return u->rc == MPG_OK ? MPG_OK : MPG_DONE;
}

static void work(void *ctx, void *slot, int worker) {
  (void)ctx;
  (void)slot;
  (void)worker;
}

/* The same end as by one, and the same bytes; before damage it depends on how many are unpacked at a time. */
static void read_by_two(mpg_str input) {
  static const mpg_pipeline_steps steps = {.cut = cut, .work = work, .cut_by_any = true};
  static char buffers[SLOTS][PIECE];
  unpacked one = {.rc = MPG_OK}, two = one;
  mpg_pipeline *pipeline;
  void *slots[SLOTS], *slot;
  mpg_err err;
  CHECK(mpg_stream_memory(&one.stream, &mpg_env_libc, "f", input, &err) == MPG_OK);
  CHECK(mpg_stream_memory(&two.stream, &mpg_env_libc, "f", input, &err) == MPG_OK);
  while (one.rc == MPG_OK)
    read_on(&one, buffers[0]);
  for (size_t i = 0; i < SLOTS; i++)
    slots[i] = buffers[i];
  CHECK(mpg_pipeline_slots(2) == SLOTS);
  CHECK(mpg_pipeline_open(&pipeline, &mpg_env_libc, 2, &steps, &two, slots, &err) == MPG_OK);
  mpg_stream_ask(two.stream, mpg_pipeline_env(pipeline));
  mpg_stream_share(two.stream, pipeline);
  while (mpg_pipeline_next(pipeline, &slot, &err) == MPG_OK) {
  }
  mpg_pipeline_close(pipeline);
  mpg_stream_ask(two.stream, &mpg_env_libc); /* the pipeline's is gone */
  CHECK(one.rc == two.rc);
  CHECK(one.rc != MPG_DONE || (one.total == two.total && one.hash == two.hash));
  mpg_stream_close(one.stream);
  mpg_stream_close(two.stream);
}

void fuzz_inflate(mpg_str input) {
  fuzz_reader(render, input);
  if (mpg_packing_of(input.p, input.n) != MPG_PLAIN)
    read_by_two(input);
}
