/* hlo_lex.c - see hlo_lex.h. */
#include "hlo_lex.h"
#include "../../base/number.h"
#include "../../base/text.h"

#include <string.h>

/* What a byte is. */
enum { SPACE = 1, WORD, OPENS, CLOSES, COMMA, QUOTE, SLASH };

#define S SPACE
#define W WORD
#define O OPENS
#define C CLOSES
#define K COMMA
#define Q QUOTE
#define L SLASH
/* clang-format off */
static const unsigned char kinds[256] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, S, S, 0, 0, S, 0, 0, /* 0x00 */
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* 0x10 */
    S, 0, Q, 0, 0, 0, 0, 0, O, C, 0, 0, K, W, W, L, /* 0x20 */
    W, W, W, W, W, W, W, W, W, W, 0, 0, 0, 0, 0, 0, /* 0x30 */
    0, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, /* 0x40 */
    W, W, W, W, W, W, W, W, W, W, W, O, 0, C, 0, W, /* 0x50 */
    0, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, /* 0x60 */
    W, W, W, W, W, W, W, W, W, W, W, O, 0, C, 0, 0, /* 0x70 */
};
/* clang-format on */
#undef S
#undef W
#undef O
#undef C
#undef K
#undef Q
#undef L

static unsigned kind_of(char c) {
  return kinds[(unsigned char)c];
}

/* Steps over the comment at p, if it is one. */
static bool skip_comment(mpg_hlo_lex *l) {
  const char *end = NULL;
  if (l->end - l->p < 2 || l->p[0] != '/')
    return false;
  if (l->p[1] == '/') {
    end = memchr(l->p, '\n', (size_t)(l->end - l->p));
    l->p = end == NULL ? l->end : end;
    return true;
  }
  if (l->p[1] != '*')
    return false;
  for (end = l->p + 2; end < l->end; end++)
    if (*end == '/' && end[-1] == '*' && end > l->p + 2)
      break;
  l->p = end < l->end ? end + 1 : l->end;
  return true;
}

/* Steps over white space, "//" to the end of the line, and block comments. */
static void skip_space(mpg_hlo_lex *l) {
  while (l->p < l->end) {
    unsigned k = kind_of(*l->p);
    if (k == SPACE)
      l->p++;
    else if (k != SLASH || !skip_comment(l))
      break;
  }
}

char mpg_hlo_peek(mpg_hlo_lex *l) {
  skip_space(l);
  return l->p < l->end ? *l->p : '\0';
}

bool mpg_hlo_accept(mpg_hlo_lex *l, char c) {
  if (mpg_hlo_peek(l) != c)
    return false;
  l->p++;
  return true;
}

mpg_str mpg_hlo_word(mpg_hlo_lex *l) {
  const char *from = l->p;
  while (l->p < l->end && kind_of(*l->p) == WORD &&
         !(*l->p == '-' && l->p + 1 < l->end && l->p[1] == '>'))
    l->p++;
  return (mpg_str){from, (size_t)(l->p - from)};
}

bool mpg_hlo_number(mpg_hlo_lex *l, int64_t *out) {
  const char *from = l->p;
  if (l->p < l->end && *l->p == '-')
    l->p++;
  while (l->p < l->end && *l->p >= '0' && *l->p <= '9')
    l->p++;
  if (mpg_int_parse((mpg_str){from, (size_t)(l->p - from)}, out))
    return true;
  l->p = from;
  return false;
}

bool mpg_hlo_string(mpg_hlo_lex *l) {
  const char *p = l->p + 1;
  for (;;) {
    const char *quote = memchr(p, '"', (size_t)(l->end - p));
    const char *escape = quote == NULL ? NULL : memchr(p, '\\', (size_t)(quote - p));
    if (quote == NULL)
      return false;
    if (escape == NULL) {
      l->p = quote + 1;
      return true;
    }
    if (escape + 2 > l->end)
      return false;
    p = escape + 2;
  }
}

/* Over one string, comment, bracket or other byte within a value. *depth counts open brackets. */
static bool skip_piece(mpg_hlo_lex *l, size_t *depth) {
  switch (kind_of(*l->p)) {
  case QUOTE:
    return mpg_hlo_string(l);
  case OPENS:
    ++*depth;
    break;
  case CLOSES:
    --*depth;
    break;
  case SLASH:
    if (skip_comment(l))
      return true;
    break;
  default:
    break;
  }
  l->p++;
  return true;
}

bool mpg_hlo_brackets(mpg_hlo_lex *l) {
  const char *from = l->p;
  size_t depth = 0;
  do {
    if (l->p >= l->end || !skip_piece(l, &depth)) {
      l->p = from;
      return false;
    }
  } while (depth > 0);
  return true;
}

bool mpg_hlo_value(mpg_hlo_lex *l, mpg_str *value) {
  const char *from = l->p;
  for (;;) {
    unsigned k = l->p < l->end ? kind_of(*l->p) : SPACE;
    const char *after = l->p;
    if (k == OPENS ? !mpg_hlo_brackets(l) : k == QUOTE ? !mpg_hlo_string(l) : false)
      return false;
    if (k == OPENS || k == QUOTE)
      continue;
    if (k != SPACE && k != COMMA && k != CLOSES) {
      l->p++;
      continue;
    }
    /* A mesh's axes come after a space: mesh['x'=4] {'x'}. No instruction begins with a brace. */
    while (k == SPACE && l->p < l->end && *l->p == ' ')
      l->p++;
    if (l->p > after && after > from && l->p < l->end && *l->p == '{')
      continue;
    l->p = after;
    *value = (mpg_str){from, (size_t)(l->p - from)};
    return true;
  }
}

/* ---- Places ---- */

int64_t mpg_hlo_line(mpg_hlo_lex *l, const char *at) {
  while (l->mark < at) {
    const char *lf = memchr(l->mark, '\n', (size_t)(at - l->mark));
    l->mark = lf == NULL ? at : lf + 1;
    l->line += lf != NULL;
  }
  return l->line;
}

mpg_rc mpg_hlo_fail(mpg_hlo_lex *l, const char *at, const char *expected, const char *more,
                    mpg_err *err) {
  const char *from = at, *to = at;
  char found[MPG_EXCERPT];
  int64_t line = l->line;
  if (at < l->mark)
    for (const char *p = at; p < l->mark; p++)
      line -= *p == '\n';
  else
    line = mpg_hlo_line(l, at);
  while (from > l->begin && from[-1] != '\n')
    from--;
  while (to < l->end && *to != '\n' && to - at < 60)
    to++;
  mpg_text_excerpt((mpg_str){at, (size_t)(to - at)}, found);
  return mpg_fail(err, MPG_DATA, "%s:%lld:%lld: expected %s, found %s%s%s%s", l->path,
                  (long long)line, (long long)(at - from) + 1, expected, at == l->end ? "" : "\"",
                  at == l->end ? l->end_name : found, at == l->end ? "" : "\"",
                  more == NULL ? "" : more);
}
