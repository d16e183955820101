/* test_spans.c - what is packed comes back, whatever is in it. */
#include "../../ext/goodput/trace/packed_spans.h"
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

/* ---- Marks, and lists and arenas that become one ---- */

enum { MANY = 60000 }; /* more than a block of a mebibyte holds */

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

static bool add_all(mpg_span_list *list, mpg_span_arena *arena, const mpg_span *in, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (mpg_span_list_add(list, arena, &in[i]) != MPG_OK)
      return false;
  return true;
}

static bool holds(const mpg_span_list *list, const mpg_span *in, size_t n) {
  mpg_span *out = malloc((n + 1) * sizeof *out);
  bool good = out != NULL && list->n == n && mpg_span_list_read(list, out, &mpg_env_libc) == MPG_OK;
  for (size_t i = 0; good && i < n; i++)
    good = same(&in[i], &out[i]);
  free(out);
  return good;
}

/* What was cut behind a mark is given back, what was before it stays; a first block is kept. */
static void test_marks(void) {
  hostile h = {0};
  mpg_env env = hostile_env(&h);
  mpg_span *in = some();
  mpg_span_arena arena;
  mpg_span_list before = {0}, after = {0}, again = {0};
  mpg_span_mark empty, mark;
  mpg_span_arena_init(&arena, &env);
  empty = mpg_span_arena_mark(&arena);
  mpg_span_arena_rewind(&arena, empty);
  CHECK(h.live == 0 && add_all(&after, &arena, in, MANY) && h.live > 2);
  mpg_span_arena_rewind(&arena, empty);
  CHECK(h.live == 1 && arena.used == 0);
  CHECK(add_all(&before, &arena, in, 100) && h.live == 1);
  mark = mpg_span_arena_mark(&arena);
  after = (mpg_span_list){0};
  CHECK(add_all(&after, &arena, in, MANY) && h.live > 2);
  mpg_span_arena_rewind(&arena, mark);
  CHECK(h.live == 1 && arena.blocks == mark.block && arena.used == mark.used);
  CHECK(add_all(&again, &arena, in + 7, MANY) && holds(&again, in + 7, MANY));
  CHECK(holds(&before, in, 100));
  mpg_span_arena_free(&arena);
  CHECK(h.live == 0 && arena.blocks == NULL);
  again = (mpg_span_list){0};
  CHECK(add_all(&again, &arena, in, 3) && holds(&again, in, 3) && h.live == 1);
  mpg_span_arena_free(&arena);
  CHECK(h.live == 0);
  free(in);
}

/* The spans of a list that is joined have its names, those before and behind have none. */
static void test_joins(void) {
  hostile h = {0};
  mpg_env env = hostile_env(&h);
  mpg_span *in = some();
  uint32_t kinds[301], texts[100], programs[100];
  const mpg_span_names names = {kinds, programs, texts};
  mpg_span_arena one, two, none;
  for (uint32_t i = 0; i < 301; i++)
    kinds[i] = i == 0 ? 0 : 1000 - i;
  for (uint32_t i = 0; i < 100; i++) {
    texts[i] = i == 0 ? 0 : 5000 + i;
    programs[i] = i == 0 ? 0 : 3 * i;
  }
  mpg_span_arena_init(&one, &env);
  mpg_span_arena_init(&two, &env);
  mpg_span_arena_init(&none, &env);
  mpg_span_arena_join(&one, &none);
  CHECK(one.blocks == NULL);
  for (size_t first = 0; first <= 1000; first += 500) { /* of none, and of some */
    mpg_span_list list = {0}, more = {0}, empty = {0};
    mpg_span *expected = malloc(3000 * sizeof *expected);
    CHECK(add_all(&list, &one, in, first) && add_all(&more, &two, in + 1000, 1000));
    mpg_span_list_join(&list, &empty, &names);
    mpg_span_list_join(&list, &more, &names);
    mpg_span_list_join(&list, &empty, &names);
    CHECK(add_all(&list, &one, in + 2000, 1000));
    memcpy(expected, in, first * sizeof *in);
    memcpy(expected + first, in + 1000, 2000 * sizeof *in);
    for (size_t i = first; i < first + 1000; i++) {
      expected[i].kind = kinds[expected[i].kind];
      expected[i].program = programs[expected[i].program];
      expected[i].dtype = texts[expected[i].dtype];
      expected[i].file = texts[expected[i].file];
    }
    CHECK(holds(&list, expected, first + 2000));
    mpg_span_arena_join(&one, &two);
    CHECK(two.blocks == NULL && holds(&list, expected, first + 2000));
    free(expected);
  }
  /* Arenas of several blocks; what is left of the newest goes on being filled. */
  for (size_t of = 0; of < 2; of++) {
    mpg_span_arena into, from;
    mpg_span_list here = {0}, there = {0}, later = {0};
    long live;
    mpg_span_arena_init(&into, &env);
    mpg_span_arena_init(&from, &env);
    CHECK(add_all(&there, &from, in, MANY));
    CHECK(of == 0 || add_all(&here, &into, in + 5, MANY));
    live = h.live;
    mpg_span_arena_join(&into, &from);
    CHECK(h.live == live && add_all(&later, &into, in + 9, 10) && h.live == live);
    CHECK(holds(&there, in, MANY) && holds(&here, in + 5, of * MANY) && holds(&later, in + 9, 10));
    later = (mpg_span_list){0};
    CHECK(add_all(&later, &from, in, 10) && h.live == live + 1); /* empty, and of use */
    mpg_span_arena_free(&from);
    CHECK(h.live == live && holds(&there, in, MANY));
    mpg_span_arena_free(&into);
  }
  mpg_span_arena_free(&one);
  mpg_span_arena_free(&two);
  CHECK(h.live == 0);
  free(in);
}

/* Chunks of 72 bytes, of which 51 are a list's own, then twice that, and so on up to 4096: a list
** that is short takes little, one that is long has few chunks. A block may be full to its last
** byte, which is read behind. */
static void test_sizes(void) {
  enum { OWN = 51, BLOCK = 1 << 20 };
  const mpg_span five = {.end = MPG_OPEN, /* bytes: four of the head, and one of the kind */
                         .attempt = MPG_NONE,
                         .step = MPG_NONE,
                         .flops = (double)NAN,
                         .bytes = (double)NAN,
                         .executions = (double)NAN,
                         .kind = 1};
  mpg_span six = five, last = five, all[OWN / 5];
  mpg_span_arena arena;
  mpg_span_list long_one = {0}, filled = {0}, exact = {0};
  six.kind = 300;
  /* Of 51 bytes: 4, 1 of the kind, 8 of the attempt, 1 of flags, three times 8, 5 of the dtype, 4
  ** of its file, 4 of its line. */
  last.attempt = INT64_MAX;
  last.flops = last.bytes = last.executions = 1;
  last.dtype = UINT32_MAX;
  last.file = 1 << 21;
  last.line = 1 << 20;
  for (int i = 0; i < OWN / 5; i++)
    all[i] = i == 0 ? six : five;
  mpg_span_arena_init(&arena, &mpg_env_libc);
  CHECK(add_all(&exact, &arena, &last, 1) && arena.used == 72 && holds(&exact, &last, 1));
  CHECK(add_all(&exact, &arena, &five, 1) && arena.used == 72 + 144);
  exact = (mpg_span_list){0};
  last.program = 1; /* 52 bytes */
  CHECK(add_all(&exact, &arena, &last, 1) && arena.used == 72 + 2 * 144);
  mpg_span_arena_free(&arena);
  for (size_t chunk = 72, used = 72; used < 20 * 4096;) {
    CHECK(add_all(&long_one, &arena, &five, 1));
    if (arena.used > used) {
      chunk = chunk == 2304 ? 4096 : chunk < 4096 ? 2 * chunk : chunk;
      used += chunk;
      CHECK(arena.used == used);
    }
  }
  while ((BLOCK - arena.used) % 72 != 0 || BLOCK - arena.used > 9 * 4096)
    if (!add_all(&long_one, &arena, &five, 1))
      abort();
  while (arena.used < BLOCK) {
    filled = (mpg_span_list){0};
    CHECK(add_all(&filled, &arena, &six, 1));
  }
  CHECK(add_all(&filled, &arena, all + 1, OWN / 5 - 1) && arena.used == BLOCK);
  CHECK(holds(&filled, all, OWN / 5));
  CHECK(add_all(&filled, &arena, &five, 1) && arena.used == 144);
  mpg_span_arena_free(&arena);
}

static bool asked(void *ctx) {
  return ++((int *)ctx)[0] == ((int *)ctx)[1];
}

/* Every 256 chunks the host is asked whether to stop. */
static void test_interrupted(void) {
  int counts[2] = {0, 0};
  mpg_env env = {mpg_env_libc.resize, NULL, asked, counts, NULL, 0, NULL, NULL};
  mpg_span *in = some();
  mpg_span *out = malloc(2 * MANY * sizeof *out);
  mpg_span_arena arena;
  mpg_span_list list = {0};
  mpg_span_arena_init(&arena, &mpg_env_libc);
  CHECK(add_all(&list, &arena, in, 2 * MANY));
  CHECK(mpg_span_list_read(&list, out, &env) == MPG_OK && counts[0] >= 2 && counts[0] < 20);
  counts[1] = counts[0];
  counts[0] = 0;
  CHECK(mpg_span_list_read(&list, out, &env) == MPG_INTERRUPTED);
  mpg_span_arena_free(&arena);
  free(in);
  free(out);
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
  test_marks();
  test_joins();
  test_sizes();
  test_interrupted();
  return check_done("spans");
}
