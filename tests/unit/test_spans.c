/* test_spans.c - what is packed comes back, whatever is in it: spans and commits. */
#include "../../ext/goodput/packed/packed_commits.h"
#include "check.h"
#include "hostile.h"

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

/* ---- lists ---- */

enum { MANY = 60000 }; /* more than the first blocks of an arena hold */

static mpg_span *some(void) {
  mpg_span *s = malloc(2 * MANY * sizeof *s);
  for (int i = 0; s != NULL && i < 2 * MANY; i++) {
    s[i] = any_span();
    s[i].program %= 100;
    s[i].dtype %= 100;
    s[i].file %= 100;
  }
  return s;
}

static bool add_all(mpg_packed *list, mpg_arena *arena, const mpg_span *in, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (mpg_spans_add(list, arena, &in[i]) != MPG_OK)
      return false;
  return true;
}

static bool holds(const mpg_packed *list, const mpg_span *in, size_t n) {
  mpg_span *out = malloc((n + 1) * sizeof *out);
  bool good = out != NULL && list->n == n &&
              mpg_spans_read_list(list, out, sizeof *out, &mpg_env_libc) == MPG_OK;
  for (size_t i = 0; good && i < n; i++)
    good = same(&in[i], &out[i]);
  free(out);
  return good;
}

/* A copy of the list in an arena, as parts leave theirs to the whole. */
static void settle(mpg_packed *list, mpg_arena *arena) {
  size_t bytes = mpg_packed_settled_bytes(list);
  unsigned char *to = mpg_arena_cut(arena, bytes);
  CHECK(to != NULL && mpg_packed_settle(list, to) == to + bytes);
}

/* The spans of a list that is joined have its names, those before and after have none. */
static void test_joins(void) {
  hostile h = {0};
  mpg_env env = hostile_env(&h);
  mpg_span *in = some();
  uint32_t kinds[301], texts[100], programs[100];
  const mpg_packed_names names = {kinds, programs, texts};
  mpg_arena whole, scratch;
  for (uint32_t i = 0; i < 301; i++)
    kinds[i] = i == 0 ? 0 : 1000 - i;
  for (uint32_t i = 0; i < 100; i++) {
    texts[i] = i == 0 ? 0 : 5000 + i;
    programs[i] = i == 0 ? 0 : 3 * i;
  }
  mpg_arena_init(&whole, &env);
  mpg_arena_init(&scratch, &env);
  scratch.scratch = true;
  for (size_t first = 0; first <= 1000; first += 500) { /* of none, and of some */
    mpg_packed list = {0}, more = {0}, empty = {0};
    mpg_span *expected = malloc(3000 * sizeof *expected);
    CHECK(add_all(&list, &whole, in, first) && add_all(&more, &scratch, in + 1000, 1000));
    settle(&more, &whole);
    mpg_arena_reset(&scratch); /* nothing of it is left in there */
    CHECK(add_all(&empty, &scratch, in, 1000));
    empty = (mpg_packed){0};
    CHECK(mpg_packed_settled_bytes(&empty) == 0 && mpg_packed_settle(&empty, NULL) == NULL);
    CHECK(holds(&more, in + 1000, 1000));
    mpg_packed_join(&list, &empty, &names);
    mpg_packed_join(&list, &more, &names);
    mpg_packed_join(&list, &empty, &names);
    CHECK(add_all(&list, &whole, in + 2000, 1000));
    memcpy(expected, in, first * sizeof *in);
    memcpy(expected + first, in + 1000, 2000 * sizeof *in);
    for (size_t i = first; i < first + 1000; i++) {
      expected[i].kind = kinds[expected[i].kind];
      expected[i].program = programs[expected[i].program];
      expected[i].dtype = texts[expected[i].dtype];
      expected[i].file = texts[expected[i].file];
    }
    CHECK(holds(&list, expected, first + 2000));
    free(expected);
  }
  mpg_arena_free(&scratch);
  mpg_arena_free(&whole);
  CHECK(h.live == 0);
  free(in);
}

/* Shapes that alternate, and many: each is found, by its place or anew. */
static void test_shapes(void) {
  enum { SHAPES = 40, N = 4000 };
  mpg_span *in = malloc(N * sizeof *in);
  for (uint32_t of = 1; of <= SHAPES; of += 3) {
    mpg_arena arena;
    mpg_packed list = {0};
    mpg_arena_init(&arena, &mpg_env_libc);
    for (uint32_t i = 0; i < N; i++) {
      in[i] = any_span();
      in[i].kind = 1 + i % of;
      in[i].program = i % 7 == 0 ? i % of : 5;
      in[i].dtype = in[i].file = 0;
    }
    CHECK(add_all(&list, &arena, in, N) && holds(&list, in, N));
    settle(&list, &arena);
    CHECK(holds(&list, in, N));
    CHECK(of > 8 || list.first->nshapes <= 2 * of);
    mpg_arena_free(&arena);
  }
  free(in);
}

/* Whatever allocation fails, the list holds what was added. */
static void test_faults(void) {
  mpg_span *in = some();
  for (long at = 1; at < 6; at++) {
    hostile h = {.fail_in = at};
    mpg_env env = hostile_env(&h);
    mpg_packed list = {0};
    mpg_arena arena;
    size_t n = 0;
    mpg_arena_init(&arena, &env);
    for (size_t i = 0; i < 20000; i++)
      if (mpg_spans_add(&list, &arena, &in[i]) == MPG_OK)
        in[n++] = in[i];
    CHECK(n >= 19990 && n < 20000 && holds(&list, in, n));
    mpg_arena_free(&arena);
    CHECK(h.live == 0);
  }
  free(in);
}

/* A training log takes less than 3 bytes a span, 5 where it comes in pieces, and a commit 9. */
static void test_bytes(void) {
  enum { STEPS = 100000, PIECE = 50 };
  mpg_packed log = {0}, pieces = {0}, commits = {0};
  mpg_arena arena, scratch;
  int wrong = 0;
  mpg_arena_init(&arena, &mpg_env_libc);
  mpg_arena_init(&scratch, &mpg_env_libc);
  for (int of = 0; of < 2; of++) {
    mpg_packed piece = {0};
    const size_t before = arena.bytes;
    int64_t at = INT64_C(1795240353000000);
    for (int64_t i = 0; i < STEPS; i++) {
      mpg_span s = {.start = at,
                    .end = at + 10240000 + i % 100,
                    .attempt = 1,
                    .step = i,
                    .kind = MPG_KIND_STEP,
                    .program = 1,
                    .flops = i % 10 ? (double)NAN : 1e18,
                    .bytes = (double)NAN,
                    .executions = (double)NAN};
      at = s.end;
      wrong += mpg_spans_add(of ? &piece : &log, of ? &scratch : &arena, &s) != MPG_OK;
      if (of && i % PIECE == PIECE - 1) {
        settle(&piece, &arena);
        mpg_packed_join(&pieces, &piece, NULL);
        piece = (mpg_packed){0};
        mpg_arena_reset(&scratch);
      }
    }
    CHECK(pieces.n == (size_t)(of ? STEPS : 0) &&
          arena.bytes - before < (size_t)(of ? 5 : 3) * STEPS);
  }
  {
    size_t before = arena.bytes;
    for (int64_t i = 0; i < STEPS; i++) {
      mpg_commit c = {.step = 103 * i,
                      .snapshot = INT64_C(1795240353000000) + i * 2733000000 + i % 7 * 100000,
                      .durable = INT64_C(1795240353000000) + i * 2733000000 + i % 11 * 100000};
      wrong += mpg_commits_add(&commits, &arena, &c) != MPG_OK;
    }
    CHECK(arena.bytes - before < 11 * (size_t)STEPS);
  }
  CHECK(wrong == 0);
  mpg_arena_free(&scratch);
  mpg_arena_free(&arena);
}

/* ---- commits ---- */

static int64_t any_time(void) {
  static const int64_t far[] = {MPG_NONE, 0, -1, INT64_MAX, INT64_MIN + 1, 5};
  uint64_t r = random64();
  return r % 4 == 0 ? far[r / 4 % 6] : (int64_t)(random64() >> (r / 4 % 64));
}

static void test_commits(void) {
  enum { GROUPS = 3, EACH = 1000, N = GROUPS * EACH };
  mpg_commit *in = malloc(N * sizeof *in), *out = malloc(N * sizeof *out);
  mpg_commits_reader r = {.out = out, .job = 7};
  mpg_arena arena;
  mpg_packed list = {0};
  int wrong = 0;
  mpg_arena_init(&arena, &mpg_env_libc);
  for (int group = 0; group < GROUPS; group++) {
    mpg_packed more = {0};
    for (int i = group * EACH; i < (group + 1) * EACH; i++) {
      in[i] = (mpg_commit){7, any_time(), any_time(), any_time()};
      if (i % 3 == 0)
        in[i].durable = in[i].snapshot;
      wrong += mpg_commits_add(&more, &arena, &in[i]) != MPG_OK;
    }
    if (group != 1)
      settle(&more, &arena);
    mpg_packed_join(&list, &more, NULL);
  }
  for (const mpg_packed_chunk *c = list.first; c != NULL; c = c->next) {
    mpg_packed_bytes piece = mpg_packed_bytes_of(c);
    mpg_commits_read_bytes(&r, &piece);
  }
  CHECK(r.out == out + N && list.n == N);
  for (int i = 0; i < N; i++)
    wrong += in[i].job != out[i].job || in[i].step != out[i].step ||
             in[i].snapshot != out[i].snapshot || in[i].durable != out[i].durable;
  CHECK(wrong == 0);
  mpg_arena_free(&arena);
  free(in);
  free(out);
}

static bool asked(void *ctx) {
  return ++((int *)ctx)[0] == ((int *)ctx)[1];
}

/* Every 256 chunks the host is asked whether to stop. */
static void test_interrupted(void) {
  int counts[2] = {0, 0};
  mpg_env env = {.resize = mpg_env_libc.resize, .interrupted = asked, .interrupted_ctx = counts};
  mpg_span *in = some();
  mpg_span *out = malloc(2 * MANY * sizeof *out);
  mpg_arena arena;
  mpg_packed list = {0};
  mpg_arena_init(&arena, &mpg_env_libc);
  CHECK(add_all(&list, &arena, in, 2 * MANY));
  CHECK(mpg_spans_read_list(&list, out, sizeof *out, &env) == MPG_OK);
  CHECK(counts[0] >= 2 && counts[0] < 20);
  counts[1] = counts[0];
  counts[0] = 0;
  CHECK(mpg_spans_read_list(&list, out, sizeof *out, &env) == MPG_INTERRUPTED);
  mpg_arena_free(&arena);
  free(in);
  free(out);
}

int main(void) {
  enum { LISTS = 50, MOST = 3000 };
  mpg_arena arena;
  mpg_packed lists[LISTS] = {0};
  mpg_span *in = malloc(LISTS * MOST * sizeof *in), *out = malloc(MOST * sizeof *out);
  int wrong = 0;
  mpg_arena_init(&arena, &mpg_env_libc);
  (void)mpg_spans_read_list(&lists[0], out, sizeof *out, &mpg_env_libc);
  for (int i = 0; i < MOST; i++) /* the lists grow side by side, as jobs do */
    for (int l = 0; l < LISTS; l++)
      if (i % (l + 1) == 0) {
        in[l * MOST + (int)lists[l].n] = any_span();
        wrong += mpg_spans_add(&lists[l], &arena, &in[l * MOST + (int)lists[l].n]) != MPG_OK;
      }
  for (int l = 0; l < LISTS; l++) {
    CHECK(lists[l].n == (size_t)(MOST + l) / (size_t)(l + 1));
    (void)mpg_spans_read_list(&lists[l], out, sizeof *out, &mpg_env_libc);
    for (size_t i = 0; i < lists[l].n; i++)
      wrong += !same(&in[(size_t)l * MOST + i], &out[i]);
  }
  CHECK(wrong == 0);
  mpg_arena_free(&arena);
  free(in);
  free(out);
  test_joins();
  test_shapes();
  test_faults();
  test_bytes();
  test_commits();
  test_interrupted();
  return check_done("spans");
}
