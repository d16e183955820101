/*
** glob.c - see glob.h. fnmatch(3) is not used: what it matches depends on the locale of the host.
*/
#include "glob.h"

/* Behind the character at p: one byte, or a whole sequence of UTF-8. */
static const char *next_character(const char *p, const char *end) {
  bool lead = (unsigned char)*p++ >= 0xc0;
  while (lead && p < end && ((unsigned char)*p & 0xc0) == 0x80)
    p++;
  return p;
}

/* -1, 0, 1 for the characters between p and p_end, q and q_end: by bytes, which for UTF-8 is by
** code point. */
static int character_compare(const char *p, const char *p_end, const char *q, const char *q_end) {
  return mpg_str_cmp((mpg_str){p, (size_t)(p_end - p)}, (mpg_str){q, (size_t)(q_end - q)});
}

/* The closing bracket of the set that opens at p, or NULL. A ']' first in the set is a member. */
static const char *set_end(const char *p, const char *end) {
  p++;
  if (p < end && (*p == '^' || *p == '!'))
    p++;
  if (p < end && *p == ']')
    p++;
  while (p < end && *p != ']')
    p++;
  return p < end ? p : NULL;
}

static bool set_matches(const char *p, const char *close, const char *c, const char *c_end) {
  bool inverted = *p == '^' || *p == '!', found = false;
  p += inverted;
  while (p < close) {
    const char *low = p, *low_end = next_character(p, close), *high = low, *high_end = low_end;
    p = low_end;
    if (p + 1 < close && *p == '-') {
      high = p + 1;
      high_end = next_character(high, close);
      p = high_end;
    }
    found |= character_compare(low, low_end, c, c_end) <= 0 &&
             character_compare(c, c_end, high, high_end) <= 0;
  }
  return found != inverted;
}

/* Falls back to the last star only, which is enough, and quadratic. */
bool mpg_glob_matches(mpg_str pattern, mpg_str name) {
  const char *p = pattern.p, *p_end = p + pattern.n, *c = name.p, *c_end = c + name.n;
  const char *star = NULL, *star_c = NULL;
  if (name.n > 0 && *c == '.' && !(pattern.n > 0 && *p == '.'))
    return false;
  while (c < c_end) {
    const char *close = p < p_end && *p == '[' ? set_end(p, p_end) : NULL;
    const char *c_next = next_character(c, c_end);
    bool matched = false;
    if (p < p_end && *p == '*') {
      star = ++p;
      star_c = c;
      continue;
    }
    if (close != NULL) {
      matched = set_matches(p + 1, close, c, c_next);
      p = close + 1;
    } else if (p < p_end && *p == '?') {
      matched = true;
      p++;
    } else if (p < p_end) {
      matched = *p++ == *c;
      c_next = c + 1;
    }
    if (matched) {
      c = c_next;
    } else if (star != NULL) {
      p = star;
      c = star_c = next_character(star_c, c_end);
    } else {
      return false;
    }
  }
  while (p < p_end && *p == '*')
    p++;
  return p == p_end;
}

bool mpg_glob_is(mpg_str s) {
  for (size_t i = 0; i < s.n; i++)
    if (s.p[i] == '*' || s.p[i] == '?' || s.p[i] == '[')
      return true;
  return false;
}

void mpg_glob_component(mpg_str path, size_t *at, mpg_str *part, mpg_str *slashes) {
  size_t start = *at, end = start;
  while (end < path.n && path.p[end] != '/')
    end++;
  *part = (mpg_str){path.p + start, end - start};
  *at = end;
  while (*at < path.n && path.p[*at] == '/')
    ++*at;
  *slashes = (mpg_str){path.p + end, *at - end};
}

/* Takes the first component off a path. */
static mpg_str take_component(mpg_str *path) {
  mpg_str part, slashes;
  size_t at = 0;
  mpg_glob_component(*path, &at, &part, &slashes);
  *path = (mpg_str){path->p + at, path->n - at};
  return part;
}

/* Component by component; one that does not fit may be one more of the folders of the last "**". */
bool mpg_glob_fits(mpg_str glob, mpg_str name) {
  mpg_str after = {NULL, 0}, below = {NULL, 0};
  while (name.n > 0 || glob.n > 0) {
    mpg_str rest = glob, now = name;
    const mpg_str part = take_component(&rest), folder = take_component(&now);
    if (mpg_str_eq(part, MPG_STR("**"))) {
      if (rest.n == 0)
        return true;
      after = glob = rest;
      below = name;
    } else if (glob.n > 0 && name.n > 0 &&
               (mpg_glob_is(part) ? mpg_glob_matches(part, folder) : mpg_str_eq(part, folder))) {
      glob = rest;
      name = now;
    } else if (after.p == NULL || below.n == 0) {
      return false;
    } else {
      (void)take_component(&below);
      glob = after;
      name = below;
    }
  }
  return true;
}
