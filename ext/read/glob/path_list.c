/* path_list.c - see path_list.h. */
#include "path_list.h"
#include "../../base/ascii.h"

#include <string.h>

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static const char *skip_blanks(const char *p, const char *end) {
  while (p < end && is_blank(*p))
    p++;
  return p;
}

bool mpg_path_is_list(mpg_str path) {
  const char *end = path.p + path.n, *p = path.n > 0 ? skip_blanks(path.p, end) : end;
  if (p == end || *p != '[')
    return false;
  p = skip_blanks(p + 1, end);
  return p < end && *p == '"';
}

static mpg_rc list_malformed(mpg_str list, const char *at, mpg_err *err) {
  return mpg_fail(err, MPG_MISUSE,
                  "path: expected a JSON array of paths, found something else at byte %zu",
                  (size_t)(at - list.p) + 1);
}

/* The byte of the escape whose backslash is before *at; *at is moved to its last byte. 0: no byte
** of a path. SQLite writes bytes beyond ASCII without an escape. */
static char escaped_byte(const char **at, const char *end) {
  static const char letters[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
  const char *letter = *at < end ? memchr(letters, **at, sizeof letters - 1) : NULL;
  int value;
  if (letter != NULL)
    return bytes[letter - letters];
  if (end - *at < 5 || **at != 'u')
    return 0;
  value = mpg_hex4(*at + 1);
  *at += 4;
  return value > 0 && value < 0x80 ? (char)value : 0;
}

/* The text of the JSON string that opens at *at, unescaped into `out`; *at is moved past it. */
static bool list_string(const char **at, const char *end, char *out, size_t *n) {
  const char *p = *at + 1;
  *n = 0;
  while (p < end && *p != '"') {
    char byte = *p;
    if (byte == '\\') {
      p++;
      byte = escaped_byte(&p, end);
    }
    if (byte == 0 || p == end || *n > MPG_PATH_BYTES)
      return false;
    out[(*n)++] = byte;
    p++;
  }
  *at = p + 1;
  return p < end;
}

mpg_rc mpg_path_list_next(mpg_str list, size_t *at, char out[MPG_PATH_BYTES + 1], size_t *n,
                          mpg_err *err) {
  const char *end = list.p + list.n;
  const char *p = *at > 0 ? list.p + *at : skip_blanks(list.p, end) + 1;
  p = skip_blanks(p, end);
  if (p == end || *p != '"' || !list_string(&p, end, out, n))
    return list_malformed(list, p, err);
  p = skip_blanks(p, end);
  if (p == end || (*p != ',' && (*p != ']' || skip_blanks(p + 1, end) != end)))
    return list_malformed(list, p, err);
  *at = *p == ']' ? list.n : (size_t)(p - list.p) + 1;
  return MPG_OK;
}
