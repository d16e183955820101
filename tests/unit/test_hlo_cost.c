/*
** Tests of ext/program/hlo/hlo_cost.c: which computations run, how often, and what a module comes
** to. What single instructions cost is in test_hlo_flops.c, test_hlo_bytes.c and
** test_hlo_collective.c; what the text of a module may look like in test_hlo.c.
*/
#include "hlo_priced.h"

/* ---- Calls ---- */

/* Only what an opcode says it calls runs. */
static void test_runs(void) {
  static const char callees[] =
      "n { x = f32[4] parameter(0) ROOT y = f32[4] negate(x) }\n"
      "x { x = f32[4] parameter(0) ROOT y = f32[4] exponential(x) }\n"
      "c { x = f32[4] parameter(0) ROOT y = pred[] is-finite(x) }\n"
      "d { x = f32[4] parameter(0) y = f32[4] negate(x) ROOT z = f32[4] negate(y) }\n";
  static const struct {
    const char *root;
    long long flops, transcendentals;
  } calls[] = {
      {"f32[4] call(a), to_apply=n", 4, 0},
      {"f32[4] call(a), calls=x", 0, 4},
      {"f32[4] call(a), to_apply=n, body=x", 4, 0},
      {"f32[4] fusion(a), calls=n, to_apply=x", 4, 0},
      {"f32[4] while(a), body=x, condition=c, to_apply=n, calls=n", 1, 4},
      {"f32[4] conditional(a, a, a), true_computation=x, false_computation=n, to_apply=c", 4, 4},
      {"f32[4] conditional(a, a, a), branch_computations={n, x}, calls=c", 4, 4},
      {"f32[4] negate(a), calls=x", 4, 0},
      /* And not the dearest of all. */
      {"f32[4] call(a), to_apply=n, body=d, condition=d, branch_computations={d, d}", 4, 0},
      {"f32[4] fusion(a), calls=n, to_apply=d, body=d, condition=d, true_computation=d", 4, 0},
      {"f32[4] while(a), body=x, condition=c, to_apply=d, calls=d, false_computation=d", 1, 4},
      {"f32[4] conditional(a, a, a), true_computation=x, false_computation=n, to_apply=d, calls=d, "
       "body=d, condition=d",
       4, 4},
      {"((f32[4]), f32[4], s32[]) async-start(a), calls=n", 4, 0},
  };
  for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
    char text[1024];
    mpg_hlo_work work;
    priced p;
    (void)snprintf(text, sizeof text, "%sENTRY e { a = f32[4] parameter(0) ROOT r = %s }\n",
                   callees, calls[k].root);
    price_text(&p, text);
    work = mpg_hlo_with_callees(&p.cost, named(&p, "r"));
    CHECK(work.of[MPG_HLO_FLOPS] == calls[k].flops &&
          work.of[MPG_HLO_TRANSCENDENTALS] == calls[k].transcendentals);
    CHECK(p.cost.sum.of[MPG_HLO_FLOPS] == calls[k].flops);
    done(&p);
  }
}

/* Executions of the computation of this name, as its work is counted. */
static long long times(const priced *p, const char *name, int counter) {
  for (size_t k = 0; k < p->m->n_computations; k++)
    if (mpg_str_eq(p->m->computations[k].name, mpg_str_of(name)))
      return (long long)p->cost.times[k].of[counter];
  return -1;
}

/*
** Seven turns of a loop: eight of its condition, fourteen of what its body calls twice. Of branches
** the dearest runs, by each counter; of two that cost the same the first.
*/
static void test_executions(void) {
  static const char text[] =
      "sq { x = f32[4,4] parameter(0) ROOT d = f32[4,4] dot(x, x), lhs_contracting_dims={1} }\n"
      "f { x = f32[4,4] parameter(0) ROOT y = f32[4,4] negate(x) }\n"
      "body { x = f32[4,4] parameter(0) u = f32[4,4] call(x), to_apply=sq v = f32[4,4] call(u), "
      "to_apply=sq "
      "ROOT w = f32[4,4] fusion(v), kind=kLoop, calls=f }\n"
      "cond { x = f32[4,4] parameter(0) ROOT y = pred[3] constant({0,0,0}) z = pred[3] not(y) }\n"
      "one { x = f32[4,4] parameter(0) ROOT y = f32[4,4] negate(x) }\n"
      "two { x = f32[4,4] parameter(0) ROOT y = f32[4,4] abs(x) }\n"
      "exp { x = f32[4] parameter(0) ROOT y = f32[4] exponential(x) }\n"
      "ENTRY e { a = f32[4,4] parameter(0) s = f32[4] parameter(1) p = s32[] parameter(2) "
      "w = f32[4,4] while(a), condition=cond, body=body, "
      "backend_config={\"known_trip_count\":{\"n\":\"7\"}} "
      "r = f32[4,4] conditional(p, a, a, s), branch_computations={one, two, exp} "
      "ROOT b = f32[4,4] dot(w, r), lhs_contracting_dims={1} }\n";
  priced p;
  price_text(&p, text);
  for (int k = MPG_HLO_FLOPS; k <= MPG_HLO_TRANSCENDENTALS; k++) {
    CHECK(times(&p, "e", k) == 1 && times(&p, "cond", k) == 8 && times(&p, "body", k) == 7);
    CHECK(times(&p, "sq", k) == 14 && times(&p, "f", k) == 7 && times(&p, "two", k) == 0);
  }
  CHECK(times(&p, "f", MPG_HLO_BYTES) == 0); /* what a fusion moves is its own */
  CHECK(times(&p, "one", MPG_HLO_FLOPS) == 1 && times(&p, "one", MPG_HLO_TRANSCENDENTALS) == 0);
  CHECK(times(&p, "exp", MPG_HLO_FLOPS) == 0 && times(&p, "exp", MPG_HLO_TRANSCENDENTALS) == 1);
  /* A dot of two matrices of 4 x 4 is 2 * 4^3; and 3 comparisons, 16 and 16 negations. */
  CHECK(p.cost.matmul[MPG_FP32_MATRIX] == 15LL * 128);
  CHECK(p.cost.sum.of[MPG_HLO_FLOPS] == 15LL * 128 + 8 * 3 + 7 * 16 + 16);
  CHECK(p.cost.sum.of[MPG_HLO_TRANSCENDENTALS] == 4);
  CHECK(p.cost.unknown_trips == 0 && price_of(&p, "w")->known);
  done(&p);
}

/* What XLA calls by another opcode's name and "-start" works on the results in its tuple. */
static void test_sugar(void) {
  costs("a = f32[64] parameter(0) ", "((f32[64]), f32[64], s32[]) negate-start(a)", true, 64, 0,
        256 + 256);
  costs("a = ((f32[64]), f32[64], s32[]) parameter(0) ", "f32[64] negate-done(a)", true, 0, 0,
        24 + 256);
  costs("a = ((f32[64]), f32[64], s32[]) parameter(0) ",
        "((f32[64]), f32[64], s32[]) negate-update(a)", true, 0, 0, 24 + 256 + 256 + 4);
  costs("a = f32[64] parameter(0) ", "f32[64] frobnicate-start(a)", false, 0, 0, 0);
  costs("a = f32[64] parameter(0) ", "f32[64] frobnicate-done(a)", false, 0, 0, 0);
  costs("a = f32[64] parameter(0) ", "f32[64] frobnicate-update(a)", false, 0, 0, 0);
  costs("a = f32[64] parameter(0) ", "f32[64] -start(a)", false, 0, 0, 0);
}

/* Parameters and result of the entry; a hole among the parameters has no bytes. */
static void test_entry(void) {
  priced p;
  price_text(&p, "ENTRY e { b = (f32[4], f64[2]) parameter(2) a = f32[3] parameter(0) ROOT t = "
                 "(f32[3], f32[3]) tuple(a, a) }");
  CHECK(p.cost.parameter_bytes == 16 + 16 + 12 && p.cost.result_bytes == 24);
  done(&p);
  price_text(&p, "ENTRY e { }");
  CHECK(p.cost.parameter_bytes == 0 && p.cost.result_bytes == 0 && p.cost.known == 0);
  done(&p);
}

/* More names than the table begins with, some of them in both computations, one twice; parameters
** whose numbers go beyond what their computation holds (price_text looks at each). */
static void test_names(void) {
  enum { N = 3000 };
  static const char *const odd[] = {
      "ENTRY e { ROOT p = f32[] parameter(7) }", "ENTRY e { ROOT p = f32[] parameter(1) }",
      "ENTRY e { p = f32[] parameter(2) ROOT q = f32[] parameter(0) }",
      "ENTRY e { p = f32[] parameter(1) ROOT q = f32[] parameter(1) }"};
  char *text = malloc((size_t)N * 64), *at = text;
  priced p;
  uint32_t f, e;
  if (text == NULL)
    abort();
  at = put(at, "f { ");
  for (int i = 0; i < N; i++)
    at += sprintf(at, "v%d = f32[] constant(0)\n", i);
  at = put(at, "}\nENTRY e { ");
  for (int i = 0; i < N / 2; i++)
    at += sprintf(at, "v%d = f32[] constant(0)\n", 2 * i);
  *put(at, "f = f32[] constant(0) v0 = f32[] constant(1) }\n") = '\0';
  price_text(&p, text);
  f = mpg_hlo_find(p.m, MPG_HLO_NONE, MPG_STR("f"));
  e = mpg_hlo_find(p.m, MPG_HLO_NONE, MPG_STR("e"));
  CHECK((f & 0x7fffffff) == 0 && (e & 0x7fffffff) == 1);
  for (uint32_t i = 0; i < N; i++) {
    char name[16];
    uint32_t in_e = i % 2 != 0 ? MPG_HLO_NONE : i == 0 ? N + N / 2 + 1 : N + i / 2;
    (void)snprintf(name, sizeof name, "v%u", i);
    CHECK(mpg_hlo_find(p.m, 0, mpg_str_of(name)) == i);
    CHECK(mpg_hlo_find(p.m, 1, mpg_str_of(name)) == in_e);
  }
  CHECK(mpg_hlo_find(p.m, 1, MPG_STR("f")) == N + N / 2 &&
        mpg_hlo_find(p.m, 0, MPG_STR("f")) == MPG_HLO_NONE);
  done(&p);
  free(text);
  for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
    price_text(&p, odd[k]);
    done(&p);
  }
}

/* ---- Faults ---- */

/* Stopped at each look at an interruption, pricing says so; what is priced again then is as
** ever. */
static void test_stop(void) {
  enum { N = 70000 };
  static const char head[] = "ENTRY e { v = f32[8] parameter(0)\n";
  static const char piece[] = "v = f32[8] negate(v)\n";
  char *text = malloc(sizeof head + N * (sizeof piece - 1) + 2), *at = text;
  mpg_hlo_cost cost;
  mpg_err err;
  priced p;
  long looks = 0;
  if (text == NULL)
    abort();
  at = put(at, head);
  for (int i = 0; i < N; i++)
    at = put(at, piece);
  *put(at, "}\n") = '\0';
  price_text(&p, text);
  for (mpg_rc rc = MPG_INTERRUPTED; rc == MPG_INTERRUPTED; looks++) {
    hostile h = {0, 0, false, false, looks + 2};
    mpg_env env = hostile_env(&h);
    mpg_hlo_cost_init(&cost, &env);
    rc = mpg_hlo_cost_module(&cost, p.m, &err);
    CHECK(rc == (h.stop_in == 1 ? MPG_INTERRUPTED : MPG_OK));
    CHECK(rc == MPG_OK || strcmp(err.text, "interrupted") == 0);
    if (rc == MPG_OK)
      CHECK(cost.sum.of[MPG_HLO_FLOPS] == 8LL * N);
    mpg_hlo_cost_free(&cost);
    CHECK(h.live == 0);
  }
  CHECK(looks > 18 && looks < 60); /* in reading, pricing, counting runs, summing up */
  done(&p);
  free(text);
  memset(&cost, 0, sizeof cost);
  mpg_hlo_cost_free(&cost); /* never begun */
}

/* Each allocation of pricing fails, once or with all that follow: an error or the same figures. */
static void test_faults(void) {
  static const char text[] =
      "f { t = (f32[8], (f32[4], f32[2])) parameter(0) x = f32[8] get-tuple-element(t), index=0 u "
      "= "
      "(f32[4], f32[2]) get-tuple-element(t), index=1 y = f32[2] get-tuple-element(u), index=1 "
      "ROOT "
      "r = (f32[8], f32[2]) tuple(x, y) }\n"
      "ENTRY e { t = (f32[8], (f32[4], f32[2])) parameter(0) ROOT r = (f32[8], f32[2]) fusion(t), "
      "kind=kLoop, calls=f }";
  long points = 0;
  mpg_err err;
  priced p;
  price_text(&p, text);
  for (int and_after = 0; and_after < 2; and_after++)
    for (long n = 1;; n++) {
      hostile h = {0, n, and_after, false, 0};
      mpg_env env = hostile_env(&h);
      mpg_hlo_cost cost;
      mpg_rc rc;
      mpg_hlo_cost_init(&cost, &env);
      rc = mpg_hlo_cost_module(&cost, p.m, &err);
      CHECK(rc == (h.failed ? MPG_NOMEM : MPG_OK));
      CHECK(rc != MPG_NOMEM || strcmp(err.text, "out of memory") == 0);
      CHECK(rc != MPG_OK || cost.sum.of[MPG_HLO_BYTES] == p.cost.sum.of[MPG_HLO_BYTES]);
      mpg_hlo_cost_free(&cost);
      CHECK(h.live == 0);
      if (!h.failed)
        break;
      points++;
    }
  CHECK(points >= 10);
  done(&p);
}

int main(void) {
  test_runs();
  test_executions();
  test_sugar();
  test_entry();
  test_names();
  test_faults();
  test_stop();
  return check_done("hlo_cost");
}
