/*
** issues.h - what was found wrong, or worth knowing, in the data of a scan: counted, never silent.
**
** One entry for each (source, kind): how often, the first line, and a detail of that line. The
** order in which records arrive does not matter: the first line is the lowest one.
*/
#ifndef MPG_ISSUES_H
#define MPG_ISSUES_H

#include "base.h"

typedef enum mpg_severity { MPG_INFO, MPG_WARNING, MPG_DATA_LOSS } mpg_severity;

typedef struct mpg_issue {
  char *source; /* a file, a relation, or a table function */
  uint64_t source_hash;
  char *kind;   /* snake_case, documented in docs/ */
  char *detail; /* of the first place */
  mpg_severity severity;
  int64_t line; /* of the first place; 0 if there is none */
  int64_t count;
  uint64_t listed; /* rises with each addition to the list */
} mpg_issue;

typedef struct mpg_issues {
  const mpg_env *env;
  mpg_issue *items;
  size_t n, cap;
  uint64_t additions;
} mpg_issues;

const char *mpg_severity_name(mpg_severity s); /* "info", "warning", "data_loss" */

void mpg_issues_init(mpg_issues *issues, const mpg_env *env);
void mpg_issues_free(mpg_issues *issues);
/* Adds `count` to (source, kind), copying the texts. The detail is formatted. */
mpg_rc mpg_issues_add(mpg_issues *issues, mpg_severity severity, const char *source,
                      const char *kind, int64_t line, int64_t count, const char *detail_format, ...)
    MPG_PRINTF(7, 8);
/* Adds what another list says. */
mpg_rc mpg_issues_merge(mpg_issues *issues, const mpg_issue *other);
/* Forgets every entry of `source`. */
void mpg_issues_drop(mpg_issues *issues, const char *source);
/* Forgets every entry whose source `is` accepts. */
void mpg_issues_drop_those(mpg_issues *issues, bool (*is)(const void *ctx, const char *source),
                           const void *ctx);

#endif
