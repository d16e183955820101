/* test_spans.c - what is packed comes back, whatever is in it. */
#include "../../ext/core/spans.h"
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 42;

static uint64_t random64(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static int same_real(double a, double b) {
  return isnan(a) ? isnan(b) : a == b;
}

static int same(const mpg_span *a, const mpg_span *b) {
  return a->start == b->start && a->end == b->end && a->attempt == b->attempt &&
         a->step == b->step && a->line == b->line && same_real(a->flops, b->flops) &&
         same_real(a->bytes, b->bytes) && same_real(a->executions, b->executions) &&
         a->kind == b->kind && a->program == b->program && a->dtype == b->dtype &&
         a->file == b->file;
}

/* Anything that a record may hold, the far ends included. */
static mpg_span any_span(void) {
  static const int64_t far[] = {0, 1, -1, INT64_MAX, INT64_MIN + 1, INT64_C(1) << 40};
  uint64_t r = random64();
  mpg_span s = {.start = (int64_t)(random64() % UINT64_C(9214646400000000)),
                .end = MPG_OPEN,
                .attempt = MPG_NONE,
                .step = MPG_NONE,
                .flops = (double)NAN,
                .bytes = (double)NAN,
                .executions = (double)NAN,
                .kind = 1 + (uint32_t)(r % 300)};
  if (r & 1 << 10)
    s.end = s.start + (int64_t)(random64() >> (random64() % 40 + 10));
  if (r & 1 << 11)
    s.step = far[random64() % 6];
  if (r & 1 << 12)
    s.attempt = (int64_t)random64() | 1;
  if (r & 1 << 13)
    s.program = (uint32_t)random64() | 1;
  if (r & 1 << 14)
    s.flops = (double)random64() * 1e200;
  if (r & 1 << 15)
    s.bytes = 0;
  if (r & 1 << 16)
    s.executions = 0.5;
  if (r & 1 << 17)
    s.dtype = UINT32_MAX;
  if (r & 1 << 18) {
    s.line = 1 + (int64_t)(random64() >> 2);
    s.file = (uint32_t)(r >> 40);
  }
  return s;
}

int main(void) {
  enum { LISTS = 50, MOST = 3000 };
  mpg_span_arena arena;
  mpg_span_list lists[LISTS] = {0};
  mpg_span *in = malloc(LISTS * MOST * sizeof *in), *out = malloc(MOST * sizeof *out);
  int wrong = 0;
  mpg_span_arena_init(&arena, &mpg_env_libc);
  (void)mpg_span_list_read(&lists[0], out, &mpg_env_libc);
  for (int i = 0; i < MOST; i++) /* the lists grow side by side, as jobs do */
    for (int l = 0; l < LISTS; l++)
      if (i % (l + 1) == 0) {
        in[l * MOST + (int)lists[l].n] = any_span();
        wrong += mpg_span_list_add(&lists[l], &arena, &in[l * MOST + (int)lists[l].n]) != MPG_OK;
      }
  for (int l = 0; l < LISTS; l++) {
    CHECK(lists[l].n == (size_t)(MOST + l) / (size_t)(l + 1));
    (void)mpg_span_list_read(&lists[l], out, &mpg_env_libc);
    for (size_t i = 0; i < lists[l].n; i++)
      wrong += !same(&in[(size_t)l * MOST + i], &out[i]);
  }
  CHECK(wrong == 0);
  mpg_span_arena_free(&arena);

  /* A training log takes about a dozen bytes a span: 1e5 of them fit two blocks of a mebibyte. */
  mpg_span_list log = {0};
  for (int64_t i = 0; i < 100000; i++) {
    mpg_span s = {.start = INT64_C(1795240353000000) + i * 10250000,
                  .end = INT64_C(1795240353000000) + i * 10250000 + 10240000,
                  .attempt = 1,
                  .step = i,
                  .kind = MPG_KIND_STEP,
                  .program = 1,
                  .flops = (double)NAN,
                  .bytes = (double)NAN,
                  .executions = (double)NAN};
    wrong += mpg_span_list_add(&log, &arena, &s) != MPG_OK;
  }
  CHECK(wrong == 0);
  {
    size_t blocks = 0;
    for (void *b = arena.blocks; b != NULL; blocks++)
      memcpy(&b, b, sizeof b); /* a block begins with the next one */
    CHECK(blocks == 2);
  }
  mpg_span_arena_free(&arena);
  free(in);
  free(out);
  return check_done("spans");
}
