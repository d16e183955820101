/* test_measure.c - the measures of a roll-up: what is parsed and what not, and sums against
** plain 128-bit and quadruple arithmetic. */
#include "../../ext/read/grouping/sum_batch.h"
#include "check.h"
#include "hostile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#if __LDBL_MANT_DIG__ == 113
typedef long double quad;
#else
__extension__ typedef __float128 quad;
#endif

static uint32_t seed = 1;

static int64_t draw(int64_t n) {
  seed = seed * 1664525u + 1013904223u;
  return (int64_t)((seed >> 8) % (uint32_t)n);
}

/* ---- Text ---- */

enum { TEXT = 4096 };

static void append(char *text, const char *more) {
  size_t n = strlen(text);
  (void)snprintf(text + n, TEXT - n, "%s", more);
}

static void refuses(const char *text, const char *expected) {
  mpg_sum_expressions m;
  mpg_err err = {MPG_OK, ""};
  CHECK(mpg_sum_expressions_parse(&m, &mpg_env_libc, mpg_str_of(text), &err) == MPG_MISUSE);
  CHECK(strcmp(err.text, expected) == 0);
  if (strcmp(err.text, expected) != 0)
    (void)fprintf(stderr, "  %s\n  found    %s\n  expected %s\n", text, err.text, expected);
  mpg_sum_expressions_free(&m);
}

static void test_refused(void) {
  char text[TEXT] = "", part[32];
  refuses("a b", "expected an operator, AS and a name, or a comma, found \"b\"");
  refuses("a +", "expected a column, a number or '(', found the end");
  refuses("+ a", "expected a column, a number or '(', found \"+ a\"");
  refuses("a + as b", "expected an operator, or AS and a name for the measure, found \"b\"");
  refuses("a * 2", "expected an operator, or AS and a name for the measure, found the end");
  refuses("(a", "expected ')' or an operator, found the end");
  refuses("a)", "expected an operator, AS and a name, or a comma, found \")\"");
  refuses("(a as b", "expected ')' or an operator, found \"as b\"");
  refuses("2x as b", "expected a number, found \"2x as b\"");
  refuses("1.2.3 as b", "expected a number, found \"1.2.3 as b\"");
  refuses("a as", "expected a name behind AS, found the end");
  refuses("a as \"b", "expected a name behind AS, found the end");
  refuses("\"\" as b", "expected a column, a number or '(', found \"\"\" as b\"");
  refuses("a, b, a", "expected measures by different names before what follows, found the end");
  refuses("a, b as A", "expected measures by different names before what follows, found the end");
  refuses("a as b c", "expected an operator, AS and a name, or a comma, found \"c\"");
  refuses("a,,b", "expected a column, a number or '(', found \",b\"");
  refuses("a,", "expected a column, a number or '(', found the end");
  refuses("a, ;", "expected a column, a number or '(', found \";\"");
  refuses("/a as b", "expected a column, a number or '(', found \"/a as b\"");

  /* As much as there is room for, and one more. */
  for (int many = 32; many <= 33; many++) {
    mpg_sum_expressions m;
    mpg_err err;
    text[0] = '\0';
    for (int i = 0; i < many; i++) {
      (void)snprintf(part, sizeof part, "%sc%d", i ? ", " : "", i);
      append(text, part);
    }
    CHECK(mpg_sum_expressions_parse(&m, &mpg_env_libc, mpg_str_of(text), &err) ==
          (many == 32 ? MPG_OK : MPG_MISUSE));
    CHECK(many == 32 ? m.n == 32 && m.n_operands == 32
                     : strcmp(err.text, "more than 32 measures") == 0);
    mpg_sum_expressions_free(&m);
  }
  for (int many = 64; many <= 65; many++) {
    mpg_sum_expressions m;
    mpg_err err;
    text[0] = '\0';
    for (int i = 0; i < many; i++) {
      const char *between = i == 0 ? "" : i % 16 != 0 ? " + " : ", ";
      (void)snprintf(part, sizeof part, "%sc%d%s", between, i,
                     i % 16 == 15 || i == 64 ? " as m" : "");
      append(text, part);
    }
    for (char *at = text, name = 'a'; (at = strstr(at, " as m")) != NULL; at += 5)
      at[4] = name++;
    CHECK(mpg_sum_expressions_parse(&m, &mpg_env_libc, mpg_str_of(text), &err) ==
          (many == 64 ? MPG_OK : MPG_MISUSE));
    CHECK(many == 64 ? m.n_operands == 64
                     : strcmp(err.text, "measures of more than 64 columns") == 0);
    mpg_sum_expressions_free(&m);
  }
  for (int signs = 63; signs <= 64;
       signs++) { /* operations: an operand, and signs in pairs of terms */
    text[0] = '\0';
    append(text, "a");
    for (int i = 0; i < (signs - 1) / 2; i++)
      append(text, "+a");
    if (signs == 64)
      append(text, "+a");
    append(text, " as x");
    if (signs == 63) {
      mpg_sum_expressions m;
      mpg_err err;
      CHECK(mpg_sum_expressions_parse(&m, &mpg_env_libc, mpg_str_of(text), &err) == MPG_OK);
      CHECK(m.p[0].n_ops == 63);
      mpg_sum_expressions_free(&m);
    } else {
      refuses(text, "a measure of more than 64 operations");
    }
  }
  for (int deep = 8; deep <= 9; deep++) { /* values at a time: each parenthesis keeps one waiting */
    text[0] = '\0';
    for (int i = 1; i < deep; i++)
      append(text, "1*(");
    append(text, "a");
    for (int i = 1; i < deep; i++)
      append(text, ")");
    append(text, " as x");
    if (deep == 8) {
      mpg_sum_expressions m;
      mpg_err err;
      CHECK(mpg_sum_expressions_parse(&m, &mpg_env_libc, mpg_str_of(text), &err) == MPG_OK);
      mpg_sum_expressions_free(&m);
    } else {
      refuses(text, "a measure with parentheses that go too deep");
    }
  }
  for (int signs = 32; signs <= 33; signs++) {
    mpg_sum_expressions m;
    mpg_err err;
    memset(text, '-', (size_t)signs);
    text[signs] = '\0';
    append(text, "a as x");
    CHECK(mpg_sum_expressions_parse(&m, &mpg_env_libc, mpg_str_of(text), &err) ==
          (signs == 32 ? MPG_OK : MPG_MISUSE));
    CHECK(signs == 32 ||
          strcmp(err.text, "expected fewer signs and parentheses, found \"-a as x\"") == 0);
    mpg_sum_expressions_free(&m);
  }
}

/* As many operations as there may be. */
static void test_full(void) {
  char text[TEXT] = "-a";
  mpg_sum_expressions m;
  mpg_err err;
  mpg_value v = {MPG_INT, 3, 0, {NULL, 0}};
  mpg_total total = {0};
  size_t which;
  for (int i = 0; i < 31; i++)
    append(text, "+a");
  append(text, " as x");
  CHECK(mpg_sum_expressions_parse(&m, &mpg_env_libc, mpg_str_of(text), &err) == MPG_OK);
  CHECK(m.p[0].n_ops == MPG_SUM_EXPRESSION_OPS);
  m.whole[0] = true;
  mpg_sum_expressions_type(&m);
  CHECK(mpg_sum_expressions_add(&m, &v, &total, &which) == MPG_OK && total.whole == 30 * 3);
  mpg_sum_expressions_free(&m);
}

static void test_names(void) {
  mpg_sum_expressions m;
  mpg_err err;
  CHECK(mpg_sum_expressions_parse(
            &m, &mpg_env_libc,
            MPG_STR(" gpus ,\t\"say \"\"hi\"\"\" AS\n\"a b\", a9_Z*(\"gpus\"+ GPUS)As\r"
                    "\xc3\x80, asset"),
            &err) == MPG_OK);
  CHECK(m.n == 4 && m.n_operands == 4);
  CHECK(mpg_str_eq(m.p[0].name, MPG_STR("gpus")) && mpg_str_eq(m.p[1].name, MPG_STR("a b")));
  CHECK(mpg_str_eq(m.p[2].name, MPG_STR("\xc3\x80")) && mpg_str_eq(m.p[3].name, MPG_STR("asset")));
  CHECK(mpg_str_eq(m.operands[1], MPG_STR("say \"hi\"")));
  CHECK(mpg_str_eq(m.operands[2], MPG_STR("a9_Z")));
  CHECK(m.p[2].n_ops == 5 && m.p[2].ops[1].operand == 0 && m.p[2].ops[2].operand == 0);
  mpg_sum_expressions_free(&m);
  CHECK(mpg_sum_expressions_parse(&m, &mpg_env_libc, MPG_STR(" \t\r\n"), &err) == MPG_OK &&
        m.n == 0);
  mpg_sum_expressions_free(&m);
  memset(&m, 0, sizeof m);
  mpg_sum_expressions_free(&m);
}

/* ---- Sums ---- */

/* An expression as it is written, and what it is worth with five columns; *over: more than 128
** bits. */
typedef struct expression {
  char text[1024];
  size_t n;
  const int64_t *whole;
  const double *real;
  bool over;
} expression;

static void put(expression *e, const char *text) {
  e->n += (size_t)snprintf(e->text + e->n, sizeof e->text - e->n, "%s", text);
}

static mpg_i128 draw_whole(expression *e, int depth, double *real) {
  mpg_i128 a, b;
  double r;
  int64_t what = depth == 0 ? draw(6) : draw(11);
  char text[32];
  if (what < 5) {
    (void)snprintf(text, sizeof text, "%c", (char)('a' + what));
    put(e, text);
    *real = e->real == NULL ? 0 : e->real[what];
    return e->whole[what];
  }
  if (what == 5) {
    int64_t v = draw(4) * draw(1000);
    (void)snprintf(text, sizeof text, "%lld", (long long)v);
    put(e, text);
    *real = (double)v;
    return v;
  }
  if (what == 6) {
    put(e, "-(");
    a = draw_whole(e, depth - 1, real);
    put(e, ")");
    *real = -*real;
    e->over |= __builtin_sub_overflow((mpg_i128)0, a, &a);
    return a;
  }
  put(e, "(");
  a = draw_whole(e, depth - 1, real);
  put(e, what == 7 ? ")*(" : what == 8 ? " + (" : what == 9 ? " - (" : ")-(");
  b = draw_whole(e, depth - 1, &r);
  put(e, what == 8 || what == 9 ? "))" : ")");
  if (what == 7) {
    e->over |= __builtin_mul_overflow(a, b, &a);
    *real *= r;
  } else if (what == 8) {
    e->over |= __builtin_add_overflow(a, b, &a);
    *real += r;
  } else {
    e->over |= __builtin_sub_overflow(a, b, &a);
    *real -= r;
  }
  return a;
}

static void test_whole(void) {
  int beyond = 0, wide = 0;
  for (int turn = 0; turn < 20000; turn++) {
    int64_t v[5];
    mpg_value values[5];
    double real;
    expression e = {"", 0, v, NULL, false};
    mpg_sum_expressions m;
    mpg_err err;
    mpg_total total = {0};
    mpg_i128 expected;
    size_t which = 9;
    for (int i = 0; i < 5; i++) {
      int64_t far = draw(2) ? INT64_MAX - draw(3) : INT64_MIN + draw(3), near = draw(2000) - 1000;
      v[i] = draw(3) == 0 ? far : near;
    }
    expected = draw_whole(&e, 3, &real);
    put(&e, " as m");
    CHECK(mpg_sum_expressions_parse(&m, &mpg_env_libc, (mpg_str){e.text, e.n}, &err) == MPG_OK);
    for (size_t i = 0; i < m.n_operands; i++) {
      m.whole[i] = true;
      values[i] = (mpg_value){MPG_INT, v[m.operands[i].p[0] - 'a'], 0, {NULL, 0}};
    }
    mpg_sum_expressions_type(&m);
    CHECK(m.p[0].whole);
    CHECK(mpg_sum_expressions_add(&m, values, &total, &which) == (e.over ? MPG_LIMIT : MPG_OK));
    CHECK(which == 0 && (e.over ? total.n == 0 : total.n == 1 && total.whole == expected));
    if (!e.over && total.whole != expected)
      (void)fprintf(stderr, "  %s\n", e.text);
    beyond += e.over;
    wide += !e.over && (expected > INT64_MAX || expected < INT64_MIN);
    mpg_sum_expressions_free(&m);
  }
  CHECK(beyond > 100 && wide > 1000);
}

static void test_reals(void) {
  for (int turn = 0; turn < 3000; turn++) {
    int64_t v[5] = {0};
    double r[5], real;
    mpg_value values[5];
    expression e = {"", 0, v, r, false};
    mpg_sum_expressions m;
    mpg_err err;
    mpg_total total = {0};
    size_t which;
    bool any = false;
    for (int i = 0; i < 5; i++)
      r[i] = i % 2 == 0 ? (double)(v[i] = draw(100) - 50) : (double)(draw(100000) - 50000) / 1024;
    (void)draw_whole(&e, 3, &real);
    put(&e, " as m");
    CHECK(mpg_sum_expressions_parse(&m, &mpg_env_libc, (mpg_str){e.text, e.n}, &err) == MPG_OK);
    for (size_t i = 0; i < m.n_operands; i++) {
      int column = m.operands[i].p[0] - 'a';
      m.whole[i] = column % 2 == 0;
      any |= !m.whole[i];
      values[i] = m.whole[i] ? (mpg_value){MPG_INT, v[column], 0, {NULL, 0}}
                             : (mpg_value){MPG_REAL, 0, r[column], {NULL, 0}};
    }
    mpg_sum_expressions_type(&m);
    CHECK(m.p[0].whole == !any);
    CHECK(mpg_sum_expressions_add(&m, values, &total, &which) == MPG_OK && total.n == 1);
    if (any) {
      CHECK(total.high == real && total.low == 0);
      if (total.high != real)
        (void)fprintf(stderr, "  %s: %g, expected %g\n", e.text, total.high, real);
    }
    mpg_sum_expressions_free(&m);
  }
}

/* Up to 64 rows at a time come to what each comes to by itself, whole numbers that stay within 64
** bits and reals that stay finite to the bit; the others, and they alone, are left to
** mpg_sum_expressions_add. */
static void test_rows(void) {
  int left = 0;
  for (int turn = 0; turn < 2000; turn++) {
    static mpg_sum_expression_column columns[5], out;
    size_t n = turn < 128 ? (size_t)turn / 2 + 1 : (size_t)draw(MPG_SUM_EXPRESSION_ROWS) + 1;
    bool far = draw(4) == 0, whole = turn % 2 == 0;
    int64_t none[5] = {0};
    double real;
    expression e = {"", 0, none, NULL, false};
    mpg_sum_expressions m;
    mpg_err err;
    uint64_t over = 7, nulls = 0;
    (void)draw_whole(&e, 3, &real);
    put(&e, " as m");
    CHECK(mpg_sum_expressions_parse(&m, &mpg_env_libc, (mpg_str){e.text, e.n}, &err) == MPG_OK);
    for (size_t i = 0; i < m.n_operands; i++) {
      m.whole[i] = whole || draw(2) == 0;
      columns[i].nulls = draw(3) == 0 ? UINT64_C(5) << draw(64) : 0;
      nulls |= columns[i].nulls;
      for (size_t k = 0; k < MPG_SUM_EXPRESSION_ROWS; k++) {
        int64_t v = draw(2000) - 1000;
        if (m.whole[i])
          columns[i].v.i[k] = !far || draw(8) > 0 ? v
                              : draw(2)           ? INT64_MAX - draw(3)
                                                  : INT64_MIN + draw(3);
        else
          columns[i].v.r[k] = !far || draw(8) > 0 ? (double)v / 64 : (double)v * 1e305;
      }
    }
    mpg_sum_expressions_type(&m);
    mpg_sum_batch(&m, &m.p[0], columns, n, &out, &over);
    CHECK(out.nulls == nulls && (n == 64 || over >> n == 0));
    for (size_t k = 0; k < n; k++) {
      mpg_value values[5];
      mpg_total total = {0};
      size_t which;
      mpg_rc rc;
      bool right;
      for (size_t i = 0; i < m.n_operands; i++)
        values[i] = m.whole[i] ? (mpg_value){MPG_INT, columns[i].v.i[k], 0, {NULL, 0}}
                               : (mpg_value){MPG_REAL, 0, columns[i].v.r[k], {NULL, 0}};
      if ((nulls >> k & 1) != 0)
        continue;
      rc = mpg_sum_expressions_add(&m, values, &total, &which);
      if ((over >> k & 1) != 0) { /* of near numbers none is, of reals those without an end */
        right = far && (m.p[0].whole || rc == MPG_LIMIT);
        left++;
      } else {
        right =
            rc == MPG_OK && (m.p[0].whole ? total.whole == out.v.i[k] : total.high == out.v.r[k]);
      }
      CHECK(right);
      if (!right)
        (void)fprintf(stderr, "  %s: row %d of %d\n", e.text, (int)k, (int)n);
    }
    mpg_sum_expressions_free(&m);
  }
  CHECK(left > 500);
}

/* Of values that cancel: the error is one rounding, in any order and merged of any parts. */
static void test_long_sums(void) {
  mpg_sum_expressions m;
  mpg_err err;
  CHECK(mpg_sum_expressions_parse(&m, &mpg_env_libc, MPG_STR("a * 0.5 as h, -a as less"), &err) ==
        MPG_OK);
  mpg_sum_expressions_type(&m);
  for (int turn = 0; turn < 200; turn++) {
    mpg_total part[3][2] = {{{0}}};
    quad exact = 0;
    for (int k = 0; k < 500; k++) {
      double v = ldexp((double)(draw(1 << 20) - (1 << 19)), (int)draw(90) - 45);
      mpg_value value = {MPG_REAL, 0, v, {NULL, 0}};
      size_t which;
      CHECK(mpg_sum_expressions_add(&m, &value, part[draw(3)], &which) == MPG_OK && which == 1);
      exact += (quad)v;
    }
    for (int i = 0; i < 2; i++) {
      quad expected = i == 0 ? exact / 2 : -exact, found, error;
      CHECK(mpg_total_merge(&part[0][i], &part[1][i], false));
      CHECK(mpg_total_merge(&part[0][i], &part[2][i], false));
      CHECK(part[0][i].n == 500);
      found = (quad)part[0][i].high + (quad)part[0][i].low;
      error = found > expected ? found - expected : expected - found;
      CHECK(error <= (quad)ldexp(1, -40)); /* of a sum of about 2^64: 104 bits */
    }
  }
  mpg_sum_expressions_free(&m);
}

static void test_limits(void) {
  mpg_sum_expressions m;
  mpg_err err;
  mpg_value v[2] = {{MPG_REAL, 0, 1e308, {NULL, 0}}, {MPG_INT, 7, 0, {NULL, 0}}};
  mpg_total totals[2] = {{0}}, most = {0}, one = {0};
  size_t which = 9;
  CHECK(mpg_sum_expressions_parse(&m, &mpg_env_libc, MPG_STR("b, a * 10 as x"), &err) == MPG_OK);
  m.whole[0] = true;
  mpg_sum_expressions_type(&m);
  CHECK(m.p[0].whole && !m.p[1].whole && m.p[0].operands == 1 && m.p[1].operands == 2);
  {
    mpg_value swapped[2] = {v[1], v[0]};
    CHECK(mpg_sum_expressions_add(&m, swapped, totals, &which) == MPG_LIMIT && which == 1);
    CHECK(totals[0].whole == 7 && totals[0].n == 1 && totals[1].n == 0);
    swapped[1].r = 1;
    CHECK(mpg_sum_expressions_add(&m, swapped, totals, &which) == MPG_OK && totals[1].high == 10);
    swapped[1].type = MPG_NULL; /* its measure is left out, the other one is not */
    CHECK(mpg_sum_expressions_add(&m, swapped, totals, &which) == MPG_OK);
    CHECK(totals[0].whole == 21 && totals[0].n == 3 && totals[1].n == 1);
    swapped[1] = (mpg_value){MPG_REAL, 0, 1.7e307, {NULL, 0}};
    for (int i = 0; i < 30; i++) /* each is finite; their sum is not, and stays what it is */
      CHECK(mpg_sum_expressions_add(&m, swapped, totals, &which) == MPG_OK);
    CHECK(isinf(totals[1].high) && totals[1].low == 0);
  }
  mpg_sum_expressions_free(&m);
  most.whole = (mpg_i128)((~(mpg_u128)0) >> 1);
  most.n = 2;
  one.whole = 1;
  one.n = 1;
  CHECK(!mpg_total_merge(&most, &one, true));
  one.whole = -1;
  most.whole = -(mpg_i128)((~(mpg_u128)0) >> 1);
  CHECK(mpg_total_merge(&most, &one, true) && !mpg_total_merge(&most, &one, true));
}

static void test_faults(void) {
  static const char text[] = "gpus, gpus * (\"end\" - start) as gpu_s, b as \"c d\"";
  for (int and_after = 0; and_after < 2; and_after++)
    for (long n = 1;; n++) {
      hostile h = {0, n, and_after != 0, false, 0};
      mpg_env env = hostile_env(&h);
      mpg_sum_expressions m;
      mpg_err err;
      mpg_rc rc = mpg_sum_expressions_parse(&m, &env, MPG_STR(text), &err);
      CHECK(rc == (h.failed ? MPG_NOMEM : MPG_OK));
      mpg_sum_expressions_free(&m);
      CHECK(h.live == 0);
      if (!h.failed)
        break;
    }
}

int main(void) {
  test_refused();
  test_full();
  test_names();
  test_whole();
  test_reals();
  test_long_sums();
  test_limits();
  test_faults();
  test_rows();
  return check_done("measure");
}
