/*
** Tests of ext/program/hlo/hlo_trips.c, how often loops turn, and of what that and the rules of
** hlo_cost.c read: the values of attributes (hlo_attribute.c) and shapes (hlo_shape.c).
*/
#include "hlo_priced.h"
#include "../../ext/program/hlo/hlo_attribute.h"

/* ---- Trip counts ---- */

#define LT                                                                                         \
  "lt { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = pred[] compare(a, b), "             \
  "direction=LT }\n"
#define STATE "s = (s32[], s32[]) parameter(0) i = s32[] get-tuple-element(s), index=0 "

/* How often `loop` turns, with these bodies of its computations; `more` stands before them. */
static void trips(const char *more, const char *body, const char *condition, const char *entry,
                  const char *loop, int64_t expected) {
  static char text[1 << 15];
  int64_t found;
  priced p;
  (void)snprintf(text, sizeof text, "%sbody { %s }\ncond { %s }\nENTRY e { %s ROOT w = %s }\n",
                 more, body, condition, entry, loop);
  price_text(&p, text);
  found = price_of(&p, "w")->trips;
  CHECK(found == expected && price_of(&p, "w")->known == (expected >= 0));
  CHECK(p.cost.unknown_trips == (expected < 0));
  if (found != expected)
    (void)fprintf(stderr, "  %s\n  found %lld trips, expected %lld\n", text, (long long)found,
                  (long long)expected);
  done(&p);
}

static void test_trips(void) {
  static const char body[] = STATE "c = s32[] constant(1) j = s32[] add(i, c) ROOT t = (s32[], "
                                   "s32[]) tuple(j, j)";
  static const char cond[] = STATE "n = s32[] constant(7) ROOT r = pred[] compare(i, n), "
                                   "direction=LT";
  static const char entry[] = "z = s32[] constant(0) t = (s32[], s32[]) tuple(z, z)";
  static const char loop[] = "(s32[], s32[]) while(t), condition=cond, body=body";
  char text[2048];
  trips("", body, cond, entry, loop, 7);
  /* What XLA found is believed before what the text says. */
  trips("", body, cond, entry,
        "(s32[], s32[]) while(t), condition=cond, body=body, "
        "backend_config={\"known_trip_count\":{\"n\":\"5\"}}",
        5);
  trips("", body, cond, entry,
        "(s32[], s32[]) while(t), condition=cond, body=body, "
        "backend_config={\"known_trip_count\":{\"m\":\"5\"}}",
        7);
  trips("", body, cond, entry, "(s32[], s32[]) while(t), body=body", MPG_HLO_UNKNOWN_TRIPS);
  trips("", body, cond, entry, "(s32[], s32[]) while(t), condition=cond", MPG_HLO_UNKNOWN_TRIPS);

  /* The counter goes through what changes no number, in the body, the condition and the start. */
  trips("",
        STATE "c = s32[] constant(1) k = s32[] copy(i) b = s32[] bitcast(k) j = s32[] add(b, c) "
              "ROOT t = (s32[], s32[]) tuple(j, j)",
        STATE "n = s64[] constant(7) v = s64[] convert(i) ROOT r = pred[] compare(v, n), "
              "direction=LT",
        "z = s32[1] constant({3}) y = s32[] reshape(z) u = (s32[], s32[]) tuple(y, y) t = (s32[], "
        "s32[]) opt-barrier(u)",
        loop, 4);
  /* The state may be the counter itself. */
  trips("", "i = s32[] parameter(0) c = s32[] constant(2) ROOT j = s32[] add(i, c)",
        "i = s32[] parameter(0) n = s32[] constant(7) ROOT r = pred[] compare(i, n), direction=LT",
        "z = s32[] constant(0)", "s32[] while(z), condition=cond, body=body", 4);

  /* By direction; from 9 down by 2, to 2. */
  {
    static const struct {
      const char *compare;
      int64_t n;
    } ways[] = {{"(i, n), direction=GT", 4},  {"(i, n), direction=GE", 4},
                {"(n, i), direction=LT", 4},  {"(n, i), direction=LE", 4},
                {"(i, n), direction=LT", -2}, {"(n, i), direction=GT", -2},
                {"(i, n), direction=NE", -2}, {"(i, n), direction=EQ", -2},
                {"(n, i), direction=EQ", -2}, {"(i, n)", -2},
                {"(i, n), direction=LX", -2}, {"(i, n), direction=GTX", -2}};
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
      (void)snprintf(text, sizeof text, STATE "n = s32[] constant(2) ROOT r = pred[] compare%s",
                     ways[k].compare);
      trips("",
            STATE "c = s32[] constant(2) j = s32[] subtract(i, c) ROOT t = (s32[], s32[]) "
                  "tuple(j, j)",
            text, "z = s32[] constant(9) t = (s32[], s32[]) tuple(z, z)", loop, ways[k].n);
    }
  }

  /* Steps that are none. */
  {
    static const char *const steps[] = {
        "ROOT t = (s32[], s32[]) tuple(i, i)",
        "c = s32[] constant(0) j = s32[] add(i, c) ROOT t = (s32[], s32[]) tuple(j, j)",
        "o = s32[] get-tuple-element(s), index=1 c = s32[] constant(1) j = s32[] add(o, c) ROOT t "
        "= "
        "(s32[], s32[]) tuple(j, j)",
        "o = s32[] get-tuple-element(s), index=1 j = s32[] add(i, o) ROOT t = (s32[], s32[]) "
        "tuple(j, j)",
        "c = s32[] constant(1) d = s32[] constant(1) j = s32[] add(c, d) ROOT t = (s32[], s32[]) "
        "tuple(j, j)",
        "c = s32[] constant(x) j = s32[] add(i, c) ROOT t = (s32[], s32[]) tuple(j, j)",
        "c = s64[] constant(-9223372036854775808) j = s64[] subtract(i, c) ROOT t = (s64[], s64[]) "
        "tuple(j, j)",
        "c = s32[] constant(1) j = s32[] custom-call(i, c) ROOT t = (s32[], s32[]) tuple(j, j)",
        "ROOT t = (s32[], s32[]) custom-call(i)",
        "ROOT t = (s32[], s32[]) tuple()",
        "ROOT t = (s32[], s32[]) constant({1, 2})"};
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
      (void)snprintf(text, sizeof text, STATE "%s", steps[k]);
      trips("", text, cond, entry, loop, MPG_HLO_UNKNOWN_TRIPS);
    }
  }
  /* Conditions that are none, and a start that nobody knows. */
  {
    static const char *const tests[] = {
        "p = (s32[], pred[]) parameter(0) ROOT r = pred[] get-tuple-element(p), index=1",
        "ROOT r = pred[] constant(true)",
        "s = (s32[], s32[]) parameter(0) ROOT r = pred[] custom-call(s)",
        "s = ((s32[], s32[])) parameter(0) u = (s32[], s32[]) get-tuple-element(s), index=0 i = "
        "s32[] get-tuple-element(u), index=0 n = s32[] constant(7) ROOT r = pred[] compare(i, n), "
        "direction=LT",
        "n = s32[] constant(7) m = s32[] constant(8) ROOT r = pred[] compare(n, m), direction=LT",
        ""};
    for (size_t k = 0; k < sizeof tests / sizeof *tests; k++)
      trips("", body, tests[k], entry, loop, MPG_HLO_UNKNOWN_TRIPS);
  }
  trips("", body, cond, "z = s32[] parameter(0) t = (s32[], s32[]) tuple(z, z)", loop,
        MPG_HLO_UNKNOWN_TRIPS);
  trips("", body, cond, "t = (s32[], s32[]) parameter(0)", loop, MPG_HLO_UNKNOWN_TRIPS);

  /* Beyond 64 bits there is no count. */
  trips("", body,
        STATE "n = s64[] constant(9223372036854775807) ROOT r = pred[] compare(i, n), "
              "direction=NE",
        "z = s64[] constant(-9223372036854775808) t = (s64[], s64[]) tuple(z, z)", loop,
        MPG_HLO_UNKNOWN_TRIPS);
  trips("", body,
        STATE "n = s64[] constant(9223372036854775807) ROOT r = pred[] compare(i, n), "
              "direction=NE",
        "z = s64[] constant(-1) t = (s64[], s64[]) tuple(z, z)", loop, MPG_HLO_UNKNOWN_TRIPS);
  trips("", body,
        STATE "n = s64[] constant(9223372036854775807) ROOT r = pred[] compare(i, n), "
              "direction=NE",
        entry, loop, INT64_MAX);
}

static bool compares(const char *direction, int64_t a, int64_t b) {
  if (direction[0] == 'N')
    return a != b;
  if (direction[1] == 'E' && a == b)
    return true;
  return direction[0] == 'L' ? a < b : a > b;
}

/* Every loop between -3 and 3, run: where it ends, and its step leads to its limit, that many
** turns. */
static void test_counted(void) {
  static const char *const ways[][2] = {
      {"LT", "GT"}, {"LE", "GE"}, {"GT", "LT"}, {"GE", "LE"}, {"NE", "NE"}};
  static const int64_t far = 40;
  for (int from = -3; from <= 3; from++)
    for (int to = -3; to <= 3; to++)
      for (int step = -4; step <= 4; step++)
        for (size_t k = 0; k < 5; k++)
          for (int turned = 0; turned < 2; turned++) {
            char body[256], cond[256], entry[128];
            bool down = ways[k][0][0] == 'G', leads = step != 0 && (k == 4 || down == (step < 0));
            int64_t n = 0;
            for (int64_t i = from; n < far && compares(ways[k][0], i, to); i += step)
              n++;
            (void)snprintf(body, sizeof body,
                           STATE "c = s32[] constant(%d) j = s32[] %s ROOT t = (s32[], s32[]) "
                                 "tuple(j, j)",
                           turned ? -step : step, turned ? "subtract(i, c)" : "add(c, i)");
            (void)snprintf(cond, sizeof cond,
                           STATE "n = s32[] constant(%d) ROOT r = pred[] compare(%s), direction=%s",
                           to, turned ? "n, i" : "i, n", ways[k][turned]);
            (void)snprintf(entry, sizeof entry,
                           "z = s32[] constant(%d) t = (s32[], s32[]) tuple(z, z)", from);
            trips("", body, cond, entry, "(s32[], s32[]) while(t), condition=cond, body=body",
                  leads && n < far ? n : MPG_HLO_UNKNOWN_TRIPS);
          }
}

/* A value is followed a while, and then is unknown: the text may be as long, or deep, as it
** likes. */
static void test_far(void) {
  static const char cond[] = STATE "n = s32[] constant(7) ROOT r = pred[] compare(i, n), "
                                   "direction=LT";
  static const char entry[] = "z = s32[] constant(0) t = (s32[], s32[]) tuple(z, z)";
  static const char loop[] = "(s32[], s32[]) while(t), condition=cond, body=body";
  static const int copies[] = {1, 200, 300}, levels[] = {1, 16, 17};
  static char text[1 << 14], more[1 << 14];
  for (int k = 0; k < 3; k++) {
    char *at = put(text, STATE "c = s32[] constant(1) ");
    for (int n = 0; n < copies[k]; n++)
      at = put(at, "i = s32[] copy(i) ");
    *put(at, "j = s32[] add(i, c) ROOT t = (s32[], s32[]) tuple(j, j)") = '\0';
    trips("", text, cond, entry, loop, k < 2 ? 7 : MPG_HLO_UNKNOWN_TRIPS);
  }
  for (int k = 0; k < 3; k++) { /* fusions in fusions */
    char *at = put(more, "g0 { p = s32[] parameter(0) c = s32[] constant(1) ROOT j = s32[] add(p, "
                         "c) }\n");
    for (int n = 1; n < levels[k]; n++)
      at +=
          snprintf(at, 128, "g%d { p = s32[] parameter(0) ROOT f = s32[] fusion(p), calls=g%d }\n",
                   n, n - 1);
    *at = '\0';
    (void)snprintf(text, sizeof text,
                   STATE "j = s32[] fusion(i), calls=g%d ROOT t = (s32[], s32[]) tuple(j, j)",
                   levels[k] - 1);
    trips(more, text, cond, entry, loop, k < 2 ? 7 : MPG_HLO_UNKNOWN_TRIPS);
  }
  for (int k = 0; k < 3; k++) { /* tuples taken apart and put together again */
    char *at = put(text, STATE "c = s32[] constant(1) j = s32[] add(i, c) ");
    at = put(at, "v = (s32[]) tuple(j) ");
    for (int n = 2; n <= levels[k]; n++)
      at = put(at, "v = ((s32[])) tuple(v) ");
    for (int n = 1; n < levels[k]; n++)
      at = put(at, "v = (s32[]) get-tuple-element(v), index=0 ");
    *put(at, "x = s32[] get-tuple-element(v), index=0 ROOT t = (s32[], s32[]) tuple(x, x)") = '\0';
    trips("", text, cond, entry, loop, k < 2 ? 7 : MPG_HLO_UNKNOWN_TRIPS);
  }
  /* An argument that the call does not give, and what calls nothing. */
  trips(LT, STATE "c = s32[] constant(1) j = s32[] add(i, c) ROOT t = (s32[], s32[]) tuple(j, j)",
        STATE "n = s32[] constant(7) ROOT r = pred[] call(i), to_apply=lt", entry, loop,
        MPG_HLO_UNKNOWN_TRIPS);
  trips(LT, STATE "c = s32[] constant(1) j = s32[] add(i, c) ROOT t = (s32[], s32[]) tuple(j, j)",
        STATE "n = s32[] constant(7) ROOT r = pred[] call(i, n)", entry, loop,
        MPG_HLO_UNKNOWN_TRIPS);
  trips("g { }\n",
        STATE "c = s32[] constant(1) j = s32[] call(i, c), to_apply=g ROOT t = (s32[], "
              "s32[]) tuple(j, j)",
        cond, entry, loop, MPG_HLO_UNKNOWN_TRIPS);
}

/* ---- Attributes ---- */

static int window(const char *text) {
  mpg_hlo_window_dim w[MPG_HLO_WINDOW_DIMS];
  return mpg_hlo_window(mpg_str_of(text), w);
}

static void test_windows(void) {
  CHECK(window("{size=1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1}") == 16);
  CHECK(window("{size=1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1}") == -1);
  CHECK(window("{pad=-2147483648_2147483648}") == 1);
  CHECK(window("{pad=-2147483649_0}") == -1 && window("{pad=0_2147483649}") == -1);
  CHECK(window("{pad=1}") == -1 && window("{pad=1_}") == -1 && window("{pad=1-1}") == -1);
  CHECK(window("{size=2147483648}") == 1 && window("{size=2147483649}") == -1);
  CHECK(window("{size=-1}") == -1 && window("{size=99999999999999999999}") == -1);
  CHECK(window("{size=3 lhs_dilate=0}") == -1 && window("{size=3 rhs_dilate=0}") == -1);
  CHECK(window("{size=3 rhs_reversal=1}") == 1); /* which multiplies as often */
  CHECK(window("{size}") == -1 && window("{size=3 stride}") == -1 && window("size=3") == 1);
  CHECK(window("{size=3y}") == -1 && window("{size=3x}") == -1);
}

static void groups(const char *text, int64_t ranks, int64_t devices) {
  int64_t r, d;
  mpg_hlo_groups(mpg_str_of(text), &r, &d);
  CHECK(r == ranks && d == devices);
  if (r != ranks || d != devices)
    (void)fprintf(stderr, "  %s: %lld ranks of %lld\n", text, (long long)r, (long long)d);
}

static void test_groups(void) {
  groups("mesh['x'=4]", 1, 4); /* no axis: nobody to talk to */
  groups("mesh['x'=4,'y'=2] {'y'}", 2, 8);
  groups("mesh['x'=4,'y", 1, 4);
  groups("mesh['x'=4,'y'] {'y'}", 1, 4);
  groups("mesh['x'=4,'y'=] {'y'}", 1, 4);
  groups("mesh['x'=0,'y'=2] {'y'}", 2, 2);
  groups("mesh['x'=65536,'y'=65536] {'x','y'}", INT32_MAX, INT32_MAX);
  groups("mesh", 0, 0);
  groups("[4,8", 0, 1); /* cut off: no list */
  groups("[65536,65536]<=[4294967296]", 65536, INT32_MAX);
  groups("[2,9999999999]<=[8]", INT32_MAX, INT32_MAX);
  groups("[0,8]<=[8]", 8, 0);
  groups("[4,-2]<=[8]", 0, 0);
  groups("[9223372036854775807,-9223372036854775807]<=[8]", 0, 0);
  groups("{{0,1},{7", 2, 8);
  CHECK(mpg_hlo_known_trips(MPG_STR("known_trip_count n")) == -1);
  CHECK(mpg_hlo_known_trips(MPG_STR("known_trip_count")) == -1);
}

static void test_texts(void) {
  mpg_str list = MPG_STR("{3,-4, x=5}");
  int64_t n = 0;
  CHECK(mpg_hlo_next_number(&list, &n) && n == 3);
  CHECK(mpg_hlo_next_number(&list, &n) && n == -4);
  CHECK(mpg_hlo_next_number(&list, &n) && n == 5);
  CHECK(!mpg_hlo_next_number(&list, &n) && !mpg_hlo_next_number(&list, &n));
  list = MPG_STR("18446744073709551616");
  CHECK(mpg_hlo_next_number(&list, &n) && n == INT64_MAX);
  CHECK(mpg_str_eq(mpg_hlo_after(MPG_STR("aabab"), MPG_STR("ab")), MPG_STR("ab")));
  CHECK(mpg_hlo_after(MPG_STR("aab"), MPG_STR("aab")).n == 0);
  CHECK(mpg_hlo_after(MPG_STR("aa"), MPG_STR("aab")).p == NULL);
  CHECK(mpg_hlo_after(MPG_STR("aa"), MPG_STR("")).p == NULL);
  CHECK(mpg_hlo_after((mpg_str){NULL, 0}, MPG_STR("a")).p == NULL);
  CHECK(mpg_str_eq(mpg_hlo_unquoted(MPG_STR("\"ab\"")), MPG_STR("ab")));
  CHECK(mpg_str_eq(mpg_hlo_unquoted(MPG_STR("\"ab")), MPG_STR("\"ab")));
  CHECK(mpg_str_eq(mpg_hlo_unquoted(MPG_STR("ab\"")), MPG_STR("ab\"")));
  CHECK(mpg_str_eq(mpg_hlo_unquoted(MPG_STR("\"")), MPG_STR("\"")));
  CHECK(mpg_str_eq(mpg_hlo_quoted_member(MPG_STR("{a=\"x\\\"y\" b=1}"), MPG_STR("a")),
                   MPG_STR("x\\\"y")));
  CHECK(mpg_hlo_quoted_member(MPG_STR("{a=\"x\"}"), MPG_STR("b")).p == NULL);
  CHECK(mpg_hlo_quoted_member(MPG_STR("{a=1}"), MPG_STR("a")).p == NULL);
  CHECK(mpg_hlo_quoted_member(MPG_STR("{ab=\"x\"}"), MPG_STR("a")).p == NULL);
  CHECK(mpg_hlo_quoted_member(MPG_STR("{a=\"x"), MPG_STR("a")).p == NULL);
  CHECK(mpg_hlo_quoted_member(MPG_STR("{a=\"x\\"), MPG_STR("a")).p == NULL);
}

/* ---- Shapes ---- */

static void test_shapes(void) {
  static const int64_t dims[] = {2, 3};
  mpg_hlo_shapes s;
  uint32_t array, token, tuple, empty, nested;
  CHECK(mpg_hlo_shapes_init(&s, &mpg_env_libc) == MPG_OK);
  CHECK(mpg_hlo_shape_array(&s, MPG_HLO_f32, 0, dims, NULL, 2, &array) == MPG_OK);
  CHECK(mpg_hlo_shape_array(&s, MPG_HLO_token, 0, NULL, NULL, 0, &token) == MPG_OK);
  CHECK(mpg_hlo_shape_tuple(&s, NULL, 0, &empty) == MPG_OK);
  {
    uint32_t members[] = {empty, array, token};
    CHECK(mpg_hlo_shape_tuple(&s, members, 3, &tuple) == MPG_OK);
    CHECK(mpg_hlo_shape_tuple(&s, &empty, 1, &nested) == MPG_OK);
  }
  CHECK(mpg_hlo_dim(&s, array, 1) == 3 && mpg_hlo_dim(&s, array, 2) == -1);
  CHECK(mpg_hlo_dim(&s, array, -1) == -1 && mpg_hlo_dim(&s, tuple, 0) == -1);
  CHECK(mpg_hlo_member(&s, tuple, 1) == array && mpg_hlo_member(&s, tuple, 3) == 0);
  CHECK(mpg_hlo_member(&s, tuple, -1) == 0 && mpg_hlo_member(&s, array, 0) == 0);
  CHECK(mpg_hlo_first_array(&s, tuple) == array && mpg_hlo_first_array(&s, nested) == 0);
  CHECK(mpg_hlo_elements(&s, tuple) == 6 && mpg_hlo_elements(&s, nested) == 0);
  CHECK(mpg_hlo_size(&s, tuple) == 24 && mpg_hlo_leaf_size(&s, tuple) == 24);
  CHECK(mpg_hlo_elements(&s, token) == 0 && mpg_hlo_leaf_size(&s, empty) == 0);
  /* Products stop at the bound, and so do the leaves of tuples of tuples. */
  for (int doubled = 0; doubled < 40; doubled++) {
    uint32_t pair[] = {array, array};
    if (doubled > 0)
      pair[0] = pair[1] = tuple;
    CHECK(mpg_hlo_shape_tuple(&s, pair, 2, &tuple) == MPG_OK);
  }
  CHECK(mpg_hlo_shape_at(&s, tuple)->leaves == UINT32_MAX);
  CHECK(mpg_hlo_all_elements(&s, tuple) == (mpg_i128)6 << 40);
  for (int doubled = 0; doubled < 70; doubled++) {
    uint32_t pair[] = {tuple, tuple};
    CHECK(mpg_hlo_shape_tuple(&s, pair, 2, &tuple) == MPG_OK);
  }
  CHECK(mpg_hlo_leaf_size(&s, tuple) == MPG_HLO_MAX);
  mpg_hlo_shapes_free(&s);
  mpg_hlo_shapes_free(&s); /* once more is no harm */
}

int main(void) {
  test_trips();
  test_counted();
  test_far();
  test_windows();
  test_groups();
  test_texts();
  test_shapes();
  return check_done("hlo_values");
}
