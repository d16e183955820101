/* sum_expression.c - see sum_expression.h. */
#include "sum_expression.h"
#include "../../base/ascii.h"
#include "../../base/number.h"
#include "../../base/text.h"

#include <math.h>
#include <string.h>

#define DEPTH 32 /* of signs, operators and parentheses within each other */

/* ---- Text ---- */

typedef struct parser {
  mpg_sum_expressions *to;
  mpg_sum_expression *measure;
  mpg_str text;
  size_t at;
  int depth; /* values on the stack when this is computed */
  mpg_err *err;
} parser;

static bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         (unsigned char)c >= 0x80;
}

/* The next byte that is no space; NUL at the end. */
static char peek_byte(parser *p) {
  while (p->at < p->text.n && mpg_is_json_space(p->text.p[p->at]))
    p->at++;
  return p->at < p->text.n ? p->text.p[p->at] : '\0';
}

static mpg_rc unexpected(parser *p, const char *expected) {
  char found[MPG_EXCERPT];
  (void)peek_byte(p);
  mpg_text_excerpt((mpg_str){p->text.p + p->at, p->text.n - p->at}, found);
  return mpg_fail(p->err, MPG_MISUSE, "expected %s, found %s%s%s", expected,
                  found[0] != '\0' ? "\"" : "", found[0] != '\0' ? found : "the end",
                  found[0] != '\0' ? "\"" : "");
}

/* A word, or the text in double quotes (with "" for one); copied. n = 0: there is none. */
static mpg_rc read_name(parser *p, mpg_str *out) {
  bool quoted = peek_byte(p) == '"', closed = !quoted;
  size_t n = 0;
  char *to = mpg_malloc(p->to->env, p->text.n - p->at + 1);
  *out = (mpg_str){to, 0};
  if (to == NULL)
    return mpg_fail_nomem(p->err);
  p->at += quoted;
  while (p->at < p->text.n && (quoted ? !closed : is_name(p->text.p[p->at]))) {
    char c = p->text.p[p->at++];
    bool doubled = quoted && c == '"' && p->at < p->text.n && p->text.p[p->at] == '"';
    closed = quoted && c == '"' && !doubled;
    if (!closed)
      to[n++] = c;
    p->at += doubled;
  }
  out->n = quoted && !closed ? 0 : n;
  return MPG_OK;
}

static mpg_rc emit_op(parser *p, mpg_sum_expression_op op) {
  if (p->measure->n_ops == MPG_SUM_EXPRESSION_OPS)
    return mpg_fail(p->err, MPG_MISUSE, "a measure of more than %d operations",
                    MPG_SUM_EXPRESSION_OPS);
  p->depth += op.op <= MPG_OP_REAL ? 1 : op.op == MPG_OP_NEG ? 0 : -1;
  if (p->depth > MPG_SUM_EXPRESSION_DEPTH)
    return mpg_fail(p->err, MPG_MISUSE, "a measure with parentheses that go too deep");
  p->measure->ops[p->measure->n_ops++] = op;
  return MPG_OK;
}

static mpg_rc read_number(parser *p) {
  mpg_sum_expression_op op = {.op = MPG_OP_INT};
  size_t from = p->at;
  mpg_str s;
  while (p->at < p->text.n && (is_name(p->text.p[p->at]) || p->text.p[p->at] == '.' ||
                               ((p->text.p[p->at] == '-' || p->text.p[p->at] == '+') &&
                                (p->text.p[p->at - 1] | 0x20) == 'e')))
    p->at++;
  s = (mpg_str){p->text.p + from, p->at - from};
  if (mpg_int_parse(s, &op.i)) {
    op.r = (double)op.i;
  } else {
    op.op = MPG_OP_REAL;
    if (!mpg_real_parse(s, &op.r)) {
      p->at = from;
      return unexpected(p, "a number");
    }
  }
  return emit_op(p, op);
}

static mpg_rc read_operand(parser *p) {
  mpg_sum_expression_op op = {.op = MPG_OP_OPERAND};
  mpg_sum_expressions *m = p->to;
  size_t from = p->at, i = 0;
  mpg_str name;
  mpg_rc rc = read_name(p, &name);
  if (rc != MPG_OK)
    return rc;
  while (i < m->n_operands && !mpg_str_eq_nocase(m->operands[i], name))
    i++;
  if (name.n == 0 || i == MPG_OPERANDS) {
    mpg_free(m->env, (void *)(uintptr_t)name.p);
    p->at = from;
    return i == MPG_OPERANDS
               ? mpg_fail(p->err, MPG_MISUSE, "measures of more than %d columns", MPG_OPERANDS)
               : unexpected(p, "a column, a number or '('");
  }
  if (i < m->n_operands)
    mpg_free(m->env, (void *)(uintptr_t)name.p);
  else
    m->operands[m->n_operands++] = name;
  op.operand = (int)i;
  return emit_op(p, op);
}

/* Signs, operators and parentheses that wait for what is to their right; the sign is '~'. */
typedef struct waiting {
  char p[DEPTH];
  size_t n;
} waiting;

static int rank_of(char c) {
  return c == '~' ? 3 : c == '*' ? 2 : c == '(' ? 0 : 1;
}

/* Emits those that bind as strongly as `least`, the last first. */
static mpg_rc emit_waiting(parser *p, waiting *w, int least) {
  mpg_rc rc = MPG_OK;
  while (rc == MPG_OK && w->n > 0 && rank_of(w->p[w->n - 1]) >= least) {
    char c = w->p[--w->n];
    mpg_sum_expression_op op = {.op = c == '~'   ? MPG_OP_NEG
                                      : c == '*' ? MPG_OP_MUL
                                      : c == '+' ? MPG_OP_ADD
                                                 : MPG_OP_SUB};
    rc = emit_op(p, op);
  }
  return rc;
}

static mpg_rc push_sign(parser *p, waiting *w, char c) {
  if (w->n == DEPTH)
    return unexpected(p, "fewer signs and parentheses");
  w->p[w->n++] = c;
  p->at++;
  return MPG_OK;
}

/* A column, a number, or a sign or bracket before one. *done: one was read. */
static mpg_rc read_term(parser *p, waiting *w, bool *done) {
  char c = peek_byte(p);
  *done = c != '-' && c != '(';
  if (!*done)
    return push_sign(p, w, c == '-' ? '~' : c);
  return (c >= '0' && c <= '9') || c == '.' ? read_number(p) : read_operand(p);
}

/* An expression, by the shunting-yard method. */
static mpg_rc read_sum(parser *p) {
  waiting w = {{0}, 0};
  bool has_term = false;
  mpg_rc rc = MPG_OK;
  while (rc == MPG_OK) {
    char c = peek_byte(p);
    if (!has_term) {
      rc = read_term(p, &w, &has_term);
    } else if (c == '*' || c == '+' || c == '-') {
      rc = emit_waiting(p, &w, rank_of(c));
      has_term = false;
      if (rc == MPG_OK)
        rc = push_sign(p, &w, c);
    } else if (c == ')' && (rc = emit_waiting(p, &w, 1)) == MPG_OK && w.n > 0) {
      w.n--; /* its opening one */
      p->at++;
    } else {
      break;
    }
  }
  if (rc == MPG_OK)
    rc = emit_waiting(p, &w, 1);
  return rc == MPG_OK && w.n > 0 ? unexpected(p, "')' or an operator") : rc;
}

/* The name after AS; without it, that of the one column that the measure is. */
static mpg_rc read_title(parser *p) {
  mpg_sum_expression *m = p->measure;
  size_t from;
  mpg_str word;
  mpg_rc rc;
  (void)peek_byte(p);
  from = p->at;
  if (p->text.n - from >= 2 && mpg_str_eq_nocase((mpg_str){p->text.p + from, 2}, MPG_STR("as")) &&
      (p->text.n - from == 2 || !is_name(p->text.p[from + 2]))) {
    p->at += 2;
    rc = read_name(p, &m->name);
    return rc == MPG_OK && m->name.n == 0 ? unexpected(p, "a name behind AS") : rc;
  }
  if (m->n_ops != 1 || m->ops[0].op != MPG_OP_OPERAND)
    return unexpected(p, "an operator, or AS and a name for the measure");
  word = p->to->operands[m->ops[0].operand];
  m->name.p = mpg_malloc(p->to->env, word.n);
  if (m->name.p == NULL)
    return mpg_fail_nomem(p->err);
  memcpy((char *)(uintptr_t)m->name.p, word.p, word.n);
  m->name.n = word.n;
  return MPG_OK;
}

mpg_rc mpg_sum_expressions_parse(mpg_sum_expressions *m, const mpg_env *env, mpg_str text,
                                 mpg_err *err) {
  parser p = {m, NULL, text, 0, 0, err};
  mpg_rc rc = MPG_OK;
  memset(m, 0, sizeof *m);
  m->env = env;
  m->p = mpg_calloc(env, MPG_SUM_EXPRESSIONS * sizeof *m->p);
  if (m->p == NULL)
    return mpg_fail_nomem(err);
  if (peek_byte(&p) == '\0')
    return MPG_OK; /* rows alone are counted */
  do {
    if (m->n == MPG_SUM_EXPRESSIONS)
      return mpg_fail(err, MPG_MISUSE, "more than %d measures", MPG_SUM_EXPRESSIONS);
    p.measure = &m->p[m->n++];
    p.depth = 0;
    rc = read_sum(&p);
    if (rc == MPG_OK)
      rc = read_title(&p);
    for (size_t i = 0; rc == MPG_OK && i + 1 < m->n; i++)
      if (mpg_str_eq_nocase(m->p[i].name, p.measure->name))
        rc = unexpected(&p, "measures by different names before what follows");
    if (rc == MPG_OK && peek_byte(&p) != ',' && peek_byte(&p) != '\0')
      rc = unexpected(&p, "an operator, AS and a name, or a comma");
  } while (rc == MPG_OK && peek_byte(&p) == ',' && ++p.at);
  return rc;
}

void mpg_sum_expressions_free(mpg_sum_expressions *m) {
  if (m->env == NULL)
    return;
  for (size_t i = 0; m->p != NULL && i < m->n; i++)
    mpg_free(m->env, (void *)(uintptr_t)m->p[i].name.p);
  for (size_t i = 0; i < m->n_operands; i++)
    mpg_free(m->env, (void *)(uintptr_t)m->operands[i].p);
  mpg_free(m->env, m->p);
  memset(m, 0, sizeof *m);
}

void mpg_sum_expressions_type(mpg_sum_expressions *m) {
  for (size_t i = 0; i < m->n; i++) {
    mpg_sum_expression *one = &m->p[i];
    one->whole = true;
    one->operands = 0;
    for (size_t k = 0; k < one->n_ops; k++) {
      const mpg_sum_expression_op *op = &one->ops[k];
      one->whole &= op->op != MPG_OP_REAL && (op->op != MPG_OP_OPERAND || m->whole[op->operand]);
      if (op->op == MPG_OP_OPERAND)
        one->operands |= UINT64_C(1) << op->operand;
    }
  }
}

/* ---- Sums ---- */

/* False: beyond 128 bits. */
static bool whole_of(const mpg_sum_expression *m, const mpg_value *operands, mpg_i128 *out) {
  mpg_i128 stack[MPG_SUM_EXPRESSION_DEPTH] = {0};
  size_t n = 0;
  for (size_t k = 0; k < m->n_ops; k++) {
    const mpg_sum_expression_op *op = &m->ops[k];
    switch (op->op) {
    case MPG_OP_OPERAND:
      stack[n++] = operands[op->operand].i;
      continue;
    case MPG_OP_INT:
    case MPG_OP_REAL:
      stack[n++] = op->i;
      continue;
    case MPG_OP_NEG:
      if (__builtin_sub_overflow((mpg_i128)0, stack[n - 1], &stack[n - 1]))
        return false;
      continue;
    case MPG_OP_ADD:
      n--;
      if (__builtin_add_overflow(stack[n - 1], stack[n], &stack[n - 1]))
        return false;
      continue;
    case MPG_OP_SUB:
      n--;
      if (__builtin_sub_overflow(stack[n - 1], stack[n], &stack[n - 1]))
        return false;
      continue;
    case MPG_OP_MUL:
      n--;
      if ((mpg_i128)(int64_t)stack[n - 1] == stack[n - 1] &&
          (mpg_i128)(int64_t)stack[n] == stack[n])
        stack[n - 1] *= stack[n]; /* the result of two 64-bit numbers always fits */
      else if (__builtin_mul_overflow(stack[n - 1], stack[n], &stack[n - 1]))
        return false;
      continue;
    }
  }
  *out = stack[0];
  return true;
}

static double real_of(const mpg_sum_expressions *all, const mpg_sum_expression *m,
                      const mpg_value *operands) {
  double stack[MPG_SUM_EXPRESSION_DEPTH] = {0};
  size_t n = 0;
  for (size_t k = 0; k < m->n_ops; k++) {
    const mpg_sum_expression_op *op = &m->ops[k];
    switch (op->op) {
    case MPG_OP_OPERAND:
      stack[n++] =
          all->whole[op->operand] ? (double)operands[op->operand].i : operands[op->operand].r;
      continue;
    case MPG_OP_INT:
    case MPG_OP_REAL:
      stack[n++] = op->r;
      continue;
    case MPG_OP_NEG:
      stack[n - 1] = -stack[n - 1];
      continue;
    case MPG_OP_ADD:
      n--;
      stack[n - 1] += stack[n];
      continue;
    case MPG_OP_SUB:
      n--;
      stack[n - 1] -= stack[n];
      continue;
    case MPG_OP_MUL:
      n--;
      stack[n - 1] *= stack[n];
      continue;
    }
  }
  return stack[0];
}

/* The same within 64 bits, which is nearly always enough. */
static bool small_of(const mpg_sum_expression *m, const mpg_value *operands, int64_t *out) {
  int64_t stack[MPG_SUM_EXPRESSION_DEPTH] = {0};
  size_t n = 0;
  for (size_t k = 0; k < m->n_ops; k++) {
    const mpg_sum_expression_op *op = &m->ops[k];
    bool over = false;
    switch (op->op) {
    case MPG_OP_OPERAND:
      stack[n++] = operands[op->operand].i;
      continue;
    case MPG_OP_INT:
    case MPG_OP_REAL:
      stack[n++] = op->i;
      continue;
    case MPG_OP_NEG:
      over = __builtin_sub_overflow((int64_t)0, stack[n - 1], &stack[n - 1]);
      break;
    case MPG_OP_ADD:
      n--;
      over = __builtin_add_overflow(stack[n - 1], stack[n], &stack[n - 1]);
      break;
    case MPG_OP_SUB:
      n--;
      over = __builtin_sub_overflow(stack[n - 1], stack[n], &stack[n - 1]);
      break;
    case MPG_OP_MUL:
      n--;
      over = __builtin_mul_overflow(stack[n - 1], stack[n], &stack[n - 1]);
      break;
    }
    if (over)
      return false;
  }
  *out = stack[0];
  return true;
}

mpg_rc mpg_sum_expressions_add(const mpg_sum_expressions *measures, const mpg_value *operands,
                               mpg_total *totals, size_t *which) {
  uint64_t nulls = 0;
  for (size_t i = 0; i < measures->n_operands; i++)
    nulls |= (uint64_t)(operands[i].type == MPG_NULL) << i;
  for (size_t i = 0; i < measures->n; i++) {
    const mpg_sum_expression *m = &measures->p[i];
    mpg_total *t = &totals[i];
    int64_t small = 0;
    mpg_i128 v;
    if ((m->operands & nulls) != 0)
      continue;
    *which = i;
    if (m->whole) {
      bool fits = small_of(m, operands, &small);
      v = small;
      if ((!fits && !whole_of(m, operands, &v)) || !mpg_total_add_whole(t, v))
        return MPG_LIMIT;
    } else {
      double real = real_of(measures, m, operands);
      if (!isfinite(real))
        return MPG_LIMIT;
      mpg_total_add_real(t, real);
    }
    t->n++;
  }
  return MPG_OK;
}

bool mpg_total_merge(mpg_total *into, const mpg_total *more, bool whole) {
  into->n += more->n;
  if (whole)
    return !__builtin_add_overflow(into->whole, more->whole, &into->whole);
  mpg_total_add_real(into, more->high);
  mpg_total_add_real(into, more->low);
  return true;
}
