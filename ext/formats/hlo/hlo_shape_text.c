/* hlo_shape_text.c - see hlo_shape_text.h. */
#include "hlo_shape_text.h"

#include <string.h>

bool mpg_hlo_shape_skip(mpg_hlo_lex *l) {
  const char *from = l->p;
  if (mpg_hlo_peek(l) == '(')
    return mpg_hlo_brackets(l);
  if (mpg_hlo_word(l).n > 0 && l->p < l->end) {
    if (*l->p == '(')
      return mpg_hlo_brackets(l);
    if (*l->p == '[' && mpg_hlo_brackets(l))
      return l->p == l->end || *l->p != '{' || mpg_hlo_brackets(l);
  }
  l->p = from;
  return false;
}

/* ---- Arrays ---- */

static mpg_rc put_number(mpg_hlo_scratch *s, size_t at, int64_t number, mpg_err *err) {
  if (mpg_grow(s->env, &s->numbers, &s->cap_numbers, at + 1, sizeof *s->numbers) != MPG_OK)
    return mpg_fail_nomem(err);
  s->numbers[at] = number;
  return MPG_OK;
}

/* Dimensions, from after the "[" to after the "]". */
static mpg_rc read_dimensions(mpg_hlo_lex *l, mpg_hlo_scratch *s, size_t *n, mpg_err *err) {
  *n = 0;
  if (mpg_hlo_accept(l, ']'))
    return MPG_OK;
  for (;;) {
    int64_t number = 0;
    mpg_rc rc;
    if (mpg_hlo_accept(l, '<') && !mpg_hlo_accept(l, '='))
      return mpg_hlo_fail(l, l->p, "'=' of a dynamic dimension", NULL, err);
    (void)mpg_hlo_peek(l);
    if (mpg_hlo_accept(l, '?'))
      number = -1;
    else if (!mpg_hlo_number(l, &number) || number < 0)
      return mpg_hlo_fail(l, l->p, "a dimension", NULL, err);
    rc = put_number(s, (*n)++, number, err);
    if (rc != MPG_OK)
      return rc;
    if (mpg_hlo_accept(l, ']'))
      return MPG_OK;
    if (!mpg_hlo_accept(l, ','))
      return mpg_hlo_fail(l, l->p, "',' or ']' of a shape", NULL, err);
  }
}

/* What a layout says, besides the order of dimensions. */
typedef struct mpg_hlo_layout {
  bool ordered;
  bool on_host;  /* XLA numbers that memory 5 */
  unsigned bits; /* of an element; 0: as its type has */
} layout;

#define HOST_MEMORY 5

/*
** A layout, from its "{": the order is appended to the n dimensions in s->numbers. `ordered`: it
** has exactly n numbers, all below n.
*/
static mpg_rc read_layout(mpg_hlo_lex *l, mpg_hlo_scratch *s, size_t n, layout *of, mpg_err *err) {
  mpg_hlo_lex in = *l;
  size_t numbers = 0;
  int64_t number;
  of->ordered = true;
  if (!mpg_hlo_brackets(l))
    return mpg_hlo_fail(l, l->p, "a layout that ends with '}'", NULL, err);
  in.p++;
  in.end = l->p - 1;
  while (mpg_hlo_peek(&in) != '\0' && mpg_hlo_number(&in, &number)) {
    mpg_rc rc = put_number(s, n + numbers++, number, err);
    if (rc != MPG_OK)
      return rc;
    of->ordered &= number >= 0 && (uint64_t)number < n;
    if (!mpg_hlo_accept(&in, ','))
      break;
  }
  of->ordered &= numbers == n;
  while (in.p < in.end) { /* ":T(8,128)(2,1)S(1)E(4)" */
    const char what = in.p + 1 < in.end && in.p[1] == '(' ? *in.p : '\0';
    if (what == 'E' || what == 'S') {
      in.p += 2;
      if (!mpg_hlo_number(&in, &number))
        continue;
      if (what == 'S')
        of->on_host = number == HOST_MEMORY;
      else if (number > 0 && number <= 128)
        of->bits = (unsigned)number;
    } else if (*in.p == '(') {
      if (!mpg_hlo_brackets(&in))
        break;
    } else {
      in.p++;
    }
  }
  return MPG_OK;
}

static mpg_rc read_array(mpg_hlo_lex *l, mpg_hlo_scratch *s, mpg_hlo_shapes *shapes, mpg_str word,
                         uint32_t *out, mpg_err *err) {
  mpg_hlo_type type = mpg_hlo_type_find(word);
  layout of = {false, false, 0};
  size_t n;
  mpg_rc rc;
  if (type == MPG_HLO_NO_TYPE || l->p >= l->end || *l->p != '[')
    return mpg_hlo_fail(l, word.p, "a shape", NULL, err);
  l->p++;
  rc = read_dimensions(l, s, &n, err);
  if (rc == MPG_OK && l->p < l->end && *l->p == '{')
    rc = read_layout(l, s, n, &of, err);
  if (rc != MPG_OK)
    return rc;
  if (mpg_hlo_shape_array(shapes, type, of.bits, s->numbers,
                          of.ordered && n > 0 ? s->numbers + n : NULL, n, out) != MPG_OK)
    return mpg_fail_nomem(err);
  if (of.on_host)
    mpg_hlo_shape_on_host(shapes, *out);
  return MPG_OK;
}

/* ---- Tuples ---- */

/* A tuple, or buffer, that has begun: the index of its first member in s->members. */
typedef struct mpg_hlo_open {
  size_t members;
  bool is_buffer;
} open_tuple;

static mpg_rc put_open(mpg_hlo_scratch *s, size_t at, open_tuple tuple, mpg_err *err) {
  if (mpg_grow(s->env, &s->open, &s->cap_open, at + 1, sizeof *s->open) != MPG_OK)
    return mpg_fail_nomem(err);
  s->open[at] = tuple;
  return MPG_OK;
}

static mpg_rc put_member(mpg_hlo_scratch *s, size_t at, uint32_t shape, mpg_err *err) {
  if (mpg_grow(s->env, &s->members, &s->cap_members, at + 1, sizeof *s->members) != MPG_OK)
    return mpg_fail_nomem(err);
  s->members[at] = shape;
  return MPG_OK;
}

/* The opening brackets of tuples and buffers, then an array or an empty tuple. Returns MPG_DONE for
** the latter: what was opened last is to be closed. */
static mpg_rc read_first(mpg_hlo_lex *l, mpg_hlo_scratch *s, mpg_hlo_shapes *shapes, size_t *opened,
                         size_t members, uint32_t *out, mpg_err *err) {
  for (;;) {
    bool is_buffer = false;
    mpg_rc rc;
    if (mpg_hlo_peek(l) != '(') {
      mpg_str word = mpg_hlo_word(l);
      is_buffer = mpg_str_eq(word, MPG_STR("b")) && mpg_hlo_peek(l) == '(';
      if (!is_buffer)
        return read_array(l, s, shapes, word, out, err);
    }
    l->p++;
    rc = put_open(s, (*opened)++, (open_tuple){members, is_buffer}, err);
    if (rc != MPG_OK)
      return rc;
    if (!is_buffer && mpg_hlo_peek(l) == ')')
      return MPG_DONE;
  }
}

/* Of the members from one to another; of the first tuple of a module there may be none at all. */
static mpg_rc tuple_of(const mpg_hlo_scratch *s, size_t from, size_t to, mpg_hlo_shapes *shapes,
                       uint32_t *out) {
  const uint32_t *members = from == to ? NULL : s->members + from;
  return mpg_hlo_shape_tuple(shapes, members, to - from, out);
}

mpg_rc mpg_hlo_shape_read(mpg_hlo_lex *l, mpg_hlo_scratch *s, mpg_hlo_shapes *shapes, uint32_t *out,
                          mpg_err *err) {
  size_t opened = 0, members = 0;
  for (;;) {
    mpg_rc rc = read_first(l, s, shapes, &opened, members, out, err);
    bool empty = rc == MPG_DONE, more = false;
    while ((rc == MPG_OK || empty) && !more && opened > 0) {
      const open_tuple *tuple = &s->open[opened - 1];
      rc = empty ? MPG_OK : put_member(s, members++, *out, err);
      empty = false;
      if (rc == MPG_OK && mpg_poll(s->env, members))
        rc = mpg_fail(err, MPG_INTERRUPTED, "interrupted");
      if (rc != MPG_OK)
        return rc;
      more = !tuple->is_buffer && mpg_hlo_accept(l, ',');
      if (more)
        break;
      if (!mpg_hlo_accept(l, ')'))
        return mpg_hlo_fail(l, l->p, "',' or ')' of a tuple's shape", NULL, err);
      if (!tuple->is_buffer && tuple_of(s, tuple->members, members, shapes, out) != MPG_OK)
        return mpg_fail_nomem(err);
      members = tuple->members;
      opened--;
    }
    if (rc != MPG_OK || !more)
      return rc;
  }
}
