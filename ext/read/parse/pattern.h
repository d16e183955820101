/*
** pattern.h - regular expressions with named groups (PCRE2), over lines that somebody else wrote.
**
** Patterns match anywhere in a line unless anchored; text is UTF-8, and a byte that is not is
** matched by nothing. A name may be given to several groups: the first of them that took part
** counts.
**
** A line is matched first with a limit on how often it may turn back, and after some lines as
** compiled machine code. Where that limit is met, for long lines and for those that are no UTF-8,
** the pattern is interpreted step by step, in which it can be interrupted, and ends in an error
** after MPG_PATTERN_STEPS of them.
*/
#ifndef MPG_PATTERN_H
#define MPG_PATTERN_H

#include "../../base/base.h"

typedef struct mpg_pattern mpg_pattern;

/* `text` is borrowed and must outlive the pattern. MPG_MISUSE: it is no pattern, with the offset in
** bytes; or it captures something and names none of it. */
mpg_rc mpg_pattern_open(mpg_pattern **out, const mpg_env *env, mpg_str text, mpg_err *err);
void mpg_pattern_close(mpg_pattern *pattern); /* NULL is fine */
/* From here on as machine code, or without it, which may change nothing but the time: for tests.
*/
void mpg_pattern_compile(mpg_pattern *pattern);
void mpg_pattern_interpret(mpg_pattern *pattern);

/* The names of groups, in the order of the pattern, each once. */
size_t mpg_pattern_names(const mpg_pattern *pattern);
mpg_str mpg_pattern_name(const mpg_pattern *pattern, size_t i);

/* MPG_OK: it matches. MPG_DONE: it does not. MPG_LIMIT: too many steps; the text says so, without
** file and line. */
mpg_rc mpg_pattern_match(mpg_pattern *pattern, mpg_str line, mpg_err *err);
/* The text of group i of the latest match, borrowed from its line; false if the group took no part.
*/
bool mpg_pattern_group(const mpg_pattern *pattern, size_t i, mpg_str *out);

#endif
