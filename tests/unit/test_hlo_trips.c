/*
** Tests of ext/program/hlo/hlo_trips.c: how often a loop runs, where XLA has not written it down.
** Each is a variation of one loop, counted by hand: its state is the counter i, the limit l, the
** stride s and an array.
*/
#include "hlo_priced.h"

/* What stands in the loop's places; NULL: as in `usual`. */
typedef struct loop {
  const char *step; /* the body's next i */
  const char *limit, *stride;
  const char *test; /* of the condition */
  const char *begin, *end, *by;
  const char *attributes;
} loop;

static const loop usual = {
    "add(i, s)",    "l",           "s", "compare(i, l), direction=LT", "constant(2)",
    "constant(12)", "constant(3)", ""};

#define OR_USUAL(field) (of.field != NULL ? of.field : usual.field)

/* The times that it runs; MPG_HLO_UNKNOWN_TRIPS. */
static long long trips(loop of) {
  char text[4096];
  long long found;
  priced p;
  (void)snprintf(
      text, sizeof text,
      "twice { x = s32[] parameter(0) y = s32[] parameter(1) ROOT z = s32[] add(x, y) }\n"
      "less { x = s32[] parameter(0) y = s32[] parameter(1) "
      "ROOT z = pred[] compare(x, y), direction=LT }\n"
      "b { t = (s32[], s32[], s32[], f32[4]) parameter(0) "
      "i = s32[] get-tuple-element(t), index=0 l = s32[] get-tuple-element(t), index=1 "
      "s = s32[] get-tuple-element(t), index=2 v = f32[4] get-tuple-element(t), index=3 "
      "one = s32[] constant(1) m = s32[] add(l, one) "
      "n = s32[] %s ll = s32[] copy(%s) ss = s32[] copy(%s) "
      "ROOT r = (s32[], s32[], s32[], f32[4]) tuple(n, ll, ss, v) }\n"
      "c { t = (s32[], s32[], s32[], f32[4]) parameter(0) "
      "i = s32[] get-tuple-element(t), index=0 l = s32[] get-tuple-element(t), index=1 "
      "five = s32[] constant(5) ROOT r = pred[] %s }\n"
      "ENTRY e { v = f32[4] parameter(0) q = s32[] parameter(1) begin = s32[] %s end = s32[] %s "
      "by = s32[] %s t = (s32[], s32[], s32[], f32[4]) tuple(begin, end, by, v) "
      "ROOT w = (s32[], s32[], s32[], f32[4]) while(t), condition=c, body=b%s }\n",
      OR_USUAL(step), OR_USUAL(limit), OR_USUAL(stride), OR_USUAL(test), OR_USUAL(begin),
      OR_USUAL(end), OR_USUAL(by), OR_USUAL(attributes));
  price_text(&p, text);
  found = (long long)price_of(&p, "w")->trips;
  CHECK(price_of(&p, "w")->known == (found >= 0));
  done(&p);
  return found;
}

static void test_counted(void) {
  CHECK(trips(usual) == 4); /* 2, 5, 8, 11 */
  CHECK(trips((loop){.test = "compare(l, i), direction=GT"}) == 4);
  CHECK(trips((loop){.step = "add(s, i)"}) == 4);
  CHECK(trips((loop){.end = "constant(11)"}) == 3);
  CHECK(trips((loop){.end = "constant(11)", .test = "compare(i, l), direction=LE"}) == 4);
  CHECK(trips((loop){.end = "constant(11)", .test = "compare(l, i), direction=GE"}) == 4);
  CHECK(trips((loop){.end = "constant(11)", .test = "compare(i, l), direction=NE"}) == 3);
  CHECK(trips((loop){.end = "constant(2)"}) == 0);
  CHECK(trips((loop){.end = "constant(-9)"}) == 0);
  /* Down: 12, 9, 6, 3. */
  CHECK(trips((loop){.step = "subtract(i, s)",
                     .begin = "constant(12)",
                     .end = "constant(2)",
                     .test = "compare(i, l), direction=GT"}) == 4);
  CHECK(trips((loop){.by = "constant(-3)",
                     .begin = "constant(12)",
                     .end = "constant(3)",
                     .test = "compare(i, l), direction=GE"}) == 4);
  CHECK(trips((loop){.by = "constant(-3)",
                     .begin = "constant(12)",
                     .end = "constant(3)",
                     .test = "compare(i, l), direction=NE"}) == 3);
}

/* Constants within the loop, and ones written otherwise. */
static void test_constants(void) {
  CHECK(trips((loop){.step = "add(i, one)"}) == 10);
  CHECK(trips((loop){.step = "add(one, i)"}) == 10);
  CHECK(trips((loop){.step = "add(i, l)"}) == 1);
  CHECK(trips((loop){.test = "compare(i, five), direction=LT"}) == 1);
  CHECK(trips((loop){.test = "compare(five, i), direction=GE"}) == 2); /* 2, 5 */
  CHECK(trips((loop){.end = "constant({ 12 })"}) == 4);
  CHECK(trips((loop){.begin = "constant(false)", .end = "constant(true)"}) == 1);
  CHECK(trips((loop){.by = "constant(9223372036854775807)"}) == 1);
}

/* Behind what only passes values on. */
static void test_hidden(void) {
  CHECK(trips((loop){.step = "fusion(i, s), kind=kLoop, calls=twice"}) == 4);
  CHECK(trips((loop){.step = "call(s, i), to_apply=twice"}) == 4);
  CHECK(trips((loop){.test = "fusion(i, l), kind=kLoop, calls=less"}) == 4);
  CHECK(trips((loop){.test = "call(i, five), to_apply=less"}) == 1);
}

/* Of a loop whose end only whoever runs it knows, nothing is guessed. */
static void test_unknown(void) {
  static const loop of[] = {
      {.limit = "m"},             /* the body moves it */
      {.stride = "n"},            /* and this */
      {.limit = "s"},             /* another element than it was */
      {.begin = "copy(q)"},       /* the module's parameter */
      {.end = "copy(q)"},         /* and here */
      {.by = "copy(q)"},          /* and here */
      {.step = "add(l, s)"},      /* of another element */
      {.step = "copy(i)"},        /* for ever */
      {.step = "multiply(i, s)"}, /* in no even steps */
      {.step = "subtract(s, i)"}, /* there and back */
      {.by = "constant(0)"},      /* for ever */
      {.by = "constant(-3)"},     /* away */
      {.by = "constant(-9223372036854775808)", .step = "subtract(i, s)"},
      {.test = "compare(i, l), direction=GT", .end = "constant(1)"},
      {.test = "compare(i, l), direction=NE"},    /* it runs past */
      {.test = "compare(i, l), direction=EQ"},    /* once at most, or for ever */
      {.test = "compare(five, l), direction=LT"}, /* without the counter */
      {.test = "and(i, l)"},
      {.step = "subtract(s, i)",
       .begin = "constant(12)",
       .end = "constant(2)",
       .test = "compare(i, l), direction=GT"}, /* and down */
      {.test = "tuple(i, l)"},
      {.begin = "constant(two)"},
      {.begin = "constant()"},
  };
  for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
    long long found = trips(of[k]);
    CHECK(found == MPG_HLO_UNKNOWN_TRIPS);
    if (found != MPG_HLO_UNKNOWN_TRIPS)
      (void)fprintf(stderr, "  %zu: %lld\n", k, found);
  }
}

/* Whatever comes first in its state. */
static void test_order(void) {
  priced p;
  price_text(
      &p, "b { t = (s32[], s32[]) parameter(0) l = s32[] get-tuple-element(t), index=0 "
          "i = s32[] get-tuple-element(t), index=1 one = s32[] constant(1) "
          "n = s32[] add(i, one) ROOT r = (s32[], s32[]) tuple(l, n) }\n"
          "c { t = (s32[], s32[]) parameter(0) l = s32[] get-tuple-element(t), index=0 "
          "i = s32[] get-tuple-element(t), index=1 ROOT r = pred[] compare(i, l), direction=LT }\n"
          "ENTRY e { end = s32[] constant(7) begin = s32[] constant(0) "
          "t = (s32[], s32[]) tuple(end, begin) "
          "ROOT w = (s32[], s32[]) while(t), condition=c, body=b }\n");
  CHECK(price_of(&p, "w")->trips == 7);
  done(&p);
}

/* What XLA wrote down counts, whatever the loop looks like. */
static void test_told(void) {
  CHECK(trips((loop){.attributes = ", backend_config={\"known_trip_count\":{\"n\":\"7\"}}"}) == 7);
  CHECK(trips((loop){.step = "copy(i)",
                     .attributes = ", backend_config={\"known_trip_count\":{\"n\":\"0\"}}"}) == 0);
}

int main(void) {
  test_counted();
  test_constants();
  test_hidden();
  test_unknown();
  test_order();
  test_told();
  return check_done("hlo_trips");
}
