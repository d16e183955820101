/*
** json_tokens.h - JSON in memory: tokens, whole values, and the members of one object or array.
**
** A scan returns the position after what it read, or NULL with the reason in the mpg_json_scan. It
** never reads past `end`; a failure at `end` may mean too few bytes.
*/
#ifndef MPG_JSON_TOKENS_H
#define MPG_JSON_TOKENS_H

#include "json_records.h"

typedef struct mpg_json_scan {
  const char *end;
  mpg_rc rc;            /* MPG_DATA, MPG_LIMIT, MPG_NOMEM or MPG_INTERRUPTED */
  const char *at;       /* the position of the failure */
  const char *expected; /* a constant text: what could have stood there */
  const char *found;    /* a constant text, or NULL: the byte at `at`, or the end */
  const mpg_env *env;   /* which is polled now and then */
  const char *look;     /* the position of the next poll; NULL at first */
  bool takes_nan;       /* NaN, Infinity and -Infinity are values: MPG_JSON_NAN */
  size_t nans;          /* of them so far */
} mpg_json_scan;

static inline const char *mpg_json_space(const char *p, const char *end) {
  while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
    p++;
  return p;
}

/* The first byte that is not plain text of a string: a quote, a backslash, a control character or a
** byte above ASCII; or the end. */
const char *mpg_json_plain_end(const char *p, const char *end);
/* A string, from after its opening quote. *escaped is set if it has a backslash. */
const char *mpg_json_string(mpg_json_scan *s, const char *p, bool *escaped);
/* `raw`, which is JSON except for `nans` values that are NaN or infinite, with null in their
** places: returns after the copy. `to` has room for raw.n + nans bytes. Where `poller` says to stop
** it is not whole. */
char *mpg_json_without_nan(char *to, mpg_str raw, mpg_poller *poller);
/* Any value; containers are checked whole, and count as nested in `depth` others. */
const char *mpg_json_value(mpg_json_scan *s, const char *p, int depth, mpg_json_kind *kind);
/* The text of a checked string without its quotes. `to` has room for raw.n bytes. If `poller`
** (NULL: none) says to stop, the text is of no use. */
size_t mpg_json_unescape(char *to, mpg_str raw, mpg_poller *poller);

/* Members of the current object. Arrays and text grow and are used again; zeroed at first. */
typedef struct mpg_json_members {
  mpg_json_member *p;
  size_t n, cap;
  char *text; /* of the strings that had escapes */
  size_t text_cap;
  const mpg_json_member **sorted;
  size_t sorted_cap;
} mpg_json_members;

/* The object or array that begins at p. A key that repeats fails at its second place, with *after
** the position after the object (NULL in every other failure). */
const char *mpg_json_members_scan(mpg_json_members *m, const mpg_env *env, mpg_json_scan *s,
                                  const char *p, const char **after);
void mpg_json_members_free(mpg_json_members *m, const mpg_env *env);

/* Fills `err` from a failed scan; `line` and `column` are those of s->at. `end` names the end. */
mpg_rc mpg_json_scan_fail(const mpg_json_scan *s, const char *path, int64_t line, int64_t column,
                          const char *end, mpg_err *err);
/* Moves line and column, those of `from`, to `to`. */
void mpg_json_move_place(const char *from, const char *to, int64_t *line, int64_t *column);

#endif
