/*
** matcher.h - whether a text matches a pattern of a head.
**
** PCRE2 matches the patterns, as bytes, in memory of SQLite's.
*/
#ifndef MPG_MATCHER_H
#define MPG_MATCHER_H

#include "../../base/base.h"

typedef struct mpg_matcher mpg_matcher;

/* A pattern. It begins with its text and whose it is, both borrowed, the rest zero. */
typedef struct mpg_head_pattern {
  mpg_str text;
  const char *script; /* the name of whose head has it */
  struct pcre2_real_code_8 *code;
  bool anchored; /* whether it begins at the first byte only */
  bool machine;  /* whether machine code of it was asked for */
  size_t seen;   /* bytes of text that it was tried on */
} mpg_head_pattern;

/* The caller frees it. `env` outlives it. */
mpg_rc mpg_matcher_new(const mpg_env *env, mpg_matcher **out, mpg_err *err);
void mpg_matcher_free(mpg_matcher *m);
void mpg_head_pattern_free(mpg_head_pattern *p);

/*
** Whether the text matches; a text of no bytes at all, {NULL, 0}, never does, nor one on which a
** match turns back too often. A failure, of memory or of the pattern, is no match, and is kept.
*/
bool mpg_matches(mpg_matcher *m, mpg_head_pattern *p, mpg_str text);

/* What group i, 1 or 2, of the last match of `text` holds; empty if it has no such group. */
mpg_str mpg_matched_group(const mpg_matcher *m, mpg_str text, size_t i);

/* The last failure; MPG_OK if there was none since it was forgotten. */
mpg_rc mpg_matcher_failure(const mpg_matcher *m, mpg_err *err);
void mpg_matcher_forget(mpg_matcher *m);

#endif
