/* op_call.c - see op_call.h. */
#include "op_call.h"
#include "../base/ascii.h"
#include "../base/number.h"

#include <string.h>

int mpg_op_items(mpg_str text, mpg_str *items) {
  const char *p = text.p, *end = p == NULL ? p : p + text.n, *start;
  int n = 0, depth = 0;
  bool quoted = false;
  while (p < end && mpg_is_json_space(*p))
    p++;
  if (p == end || *p++ != '[')
    return -1;
  for (start = p; p < end; p++) {
    if (quoted) {
      if (*p == '\\' && p + 1 < end)
        p++;
      else
        quoted = *p != '"';
    } else if (*p == '"') {
      quoted = true;
    } else if (*p == '[' || *p == '{' || *p == '(') {
      depth++;
    } else if (depth > 0 && (*p == ']' || *p == '}' || *p == ')')) {
      depth--;
    } else if (depth == 0 && (*p == ',' || *p == ']')) {
      const char *last = p;
      while (start < last && mpg_is_json_space(*start))
        start++;
      while (start < last && mpg_is_json_space(last[-1]))
        last--;
      if (start == last && *p == ']' && n == 0)
        return 0;
      if (n == MPG_OP_ARGUMENTS)
        return -1;
      if (last - start >= 2 && *start == '"' && last[-1] == '"') {
        start++;
        last--;
      }
      items[n++] = (mpg_str){start, (size_t)(last - start)};
      start = p + 1;
      if (*p == ']')
        return n;
    }
  }
  return -1;
}

int mpg_op_integers(mpg_str text, int64_t *out, int cap, int64_t limit) {
  mpg_str items[MPG_OP_ARGUMENTS];
  int n = mpg_op_items(text, items);
  if (n > cap)
    return -1;
  for (int i = 0; i < n; i++)
    if (!mpg_int_parse(items[i], &out[i]) || out[i] < 0 || out[i] > limit)
      return -1;
  return n;
}

static void read_shape(mpg_str text, mpg_op_shape *s) {
  int64_t n = 1;
  s->rank = mpg_op_integers(text, s->dim, MPG_OP_RANK, MPG_OP_TENSOR_LIMIT);
  for (int i = 0; i < s->rank; i++) {
    int64_t dim = s->dim[i] > 0 ? s->dim[i] : 1;
    if (n > MPG_OP_TENSOR_LIMIT / dim) {
      s->rank = -1;
      return;
    }
    n *= dim;
  }
}

bool mpg_op_call_read(mpg_str dims, mpg_str types, mpg_str concrete, mpg_op_call *c) {
  mpg_str items[MPG_OP_ARGUMENTS] = {{NULL, 0}}; /* which are no tensors if they are not given */
  memset(c, 0, sizeof *c);
  if (mpg_op_items(dims, items) < 0)
    return false;
  for (int i = 0; i < MPG_OP_ARGUMENTS; i++)
    read_shape(items[i], &c->in[i]);
  if ((types.n > 0 && mpg_op_items(types, c->type) < 0) ||
      (concrete.n > 0 && mpg_op_items(concrete, c->value) < 0))
    return false;
  for (int i = 0; i < MPG_OP_ARGUMENTS; i++) /* as Windows' compiler names types */
    if (c->type[i].n > 7 && memcmp(c->type[i].p, "struct ", 7) == 0)
      c->type[i] = (mpg_str){c->type[i].p + 7, c->type[i].n - 7};
  return true;
}

bool mpg_op_value_is(const mpg_op_call *c, int i, const char *text) {
  return mpg_str_eq_nocase(c->value[i], mpg_str_of(text));
}

mpg_i128 mpg_op_elements(const mpg_op_shape *s) {
  mpg_i128 n = 1;
  for (int i = 0; i < s->rank; i++)
    n *= s->dim[i];
  return s->rank < 0 ? 0 : n;
}
