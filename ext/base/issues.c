/* issues.c - see issues.h. A scan has few (source, kind) pairs, so a plain list is enough. A folder
** of very many files may have as many as the limit allows; then a hash finds them. */
#include "issues.h"
#include "intern.h"
#include "limits.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define DETAIL_TEXT 512

const char *mpg_severity_name(mpg_severity s) {
  static const char *const names[] = {"info", "warning", "data_loss"};
  return names[s];
}

void mpg_issues_init(mpg_issues *issues, const mpg_env *env) {
  *issues = (mpg_issues){.env = env};
}

static void issue_free(const mpg_env *env, mpg_issue *issue) {
  mpg_free(env, issue->source);
  mpg_free(env, issue->kind);
  mpg_free(env, issue->detail);
}

void mpg_issues_free(mpg_issues *issues) {
  for (size_t i = 0; i < issues->n; i++)
    issue_free(issues->env, &issues->items[i]);
  mpg_free(issues->env, issues->items);
  mpg_issues_init(issues, issues->env);
}

static char *copy_text(const mpg_env *env, const char *text) {
  size_t n = strlen(text) + 1;
  char *p = mpg_malloc(env, n);
  if (p != NULL)
    memcpy(p, text, n);
  return p;
}

static uint64_t hash_of(const mpg_issues *issues, const char *source) {
  return mpg_hash(issues->env->seed, source, strlen(source));
}

static bool is_from(const mpg_issue *issue, const char *source, uint64_t hash) {
  return issue->source_hash == hash && strcmp(issue->source, source) == 0;
}

static mpg_issue *find_issue(mpg_issues *issues, const char *source, const char *kind) {
  uint64_t hash = hash_of(issues, source);
  for (size_t i = 0; i < issues->n; i++)
    if (is_from(&issues->items[i], source, hash) && strcmp(issues->items[i].kind, kind) == 0)
      return &issues->items[i];
  return NULL;
}

/* Issues that have no row of their own any more are one by themselves. */
static const char many_source[] = "mpg_issues", many_kind[] = "issues_not_listed";

mpg_rc mpg_issues_add(mpg_issues *issues, mpg_severity severity, const char *source,
                      const char *kind, int64_t line, int64_t count, const char *detail_format,
                      ...) {
  mpg_issue *issue = find_issue(issues, source, kind), fresh;
  char detail[DETAIL_TEXT];
  va_list args;
  va_start(args, detail_format);
  mpg_format(detail, sizeof detail, detail_format, args);
  va_end(args);
  if (issue == NULL && strcmp(kind, many_kind) != 0 &&
      (int64_t)issues->n >= mpg_limit_in(issues->env, MPG_LIMIT_ISSUES)) {
    issue = find_issue(issues, many_source, many_kind);
    if (issue == NULL)
      (void)snprintf(
          detail, sizeof detail,
          "more than mpg_limit('issues') allows: the first that is not listed is %.80s of "
          "%.300s",
          kind, source);
    severity = MPG_DATA_LOSS;
    source = many_source;
    kind = many_kind;
    line = 0;
    if (issue != NULL) {
      issue->count += count;
      return MPG_OK;
    }
  }
  issues->additions++;
  if (issue != NULL) {
    char *text;
    issue->count += count;
    issue->listed = issues->additions;
    if (line > issue->line || (line == issue->line && strcmp(detail, issue->detail) >= 0))
      return MPG_OK;
    text = copy_text(issues->env, detail);
    if (text == NULL)
      return MPG_NOMEM;
    mpg_free(issues->env, issue->detail);
    issue->detail = text;
    issue->line = line;
    return MPG_OK;
  }
  if (mpg_grow(issues->env, &issues->items, &issues->cap, issues->n + 1, sizeof fresh) != MPG_OK)
    return MPG_NOMEM;
  fresh = (mpg_issue){copy_text(issues->env, source),
                      hash_of(issues, source),
                      copy_text(issues->env, kind),
                      copy_text(issues->env, detail),
                      severity,
                      line,
                      count,
                      issues->additions};
  if (fresh.source == NULL || fresh.kind == NULL || fresh.detail == NULL) {
    issue_free(issues->env, &fresh);
    return MPG_NOMEM;
  }
  issues->items[issues->n++] = fresh;
  return MPG_OK;
}

mpg_rc mpg_issues_merge(mpg_issues *issues, const mpg_issue *other) {
  return mpg_issues_add(issues, other->severity, other->source, other->kind, other->line,
                        other->count, "%s", other->detail);
}

void mpg_issues_drop_those(mpg_issues *issues, bool (*is)(const void *ctx, const char *source),
                           const void *ctx) {
  size_t kept = 0;
  for (size_t i = 0; i < issues->n; i++) {
    if (is(ctx, issues->items[i].source))
      issue_free(issues->env, &issues->items[i]);
    else
      issues->items[kept++] = issues->items[i];
  }
  issues->n = kept;
}

static bool is_same(const void *ctx, const char *source) {
  return strcmp(ctx, source) == 0;
}

void mpg_issues_drop(mpg_issues *issues, const char *source) {
  uint64_t hash = hash_of(issues, source);
  size_t i = 0;
  while (i < issues->n && !is_from(&issues->items[i], source, hash))
    i++;
  if (i < issues->n)
    mpg_issues_drop_those(issues, is_same, source);
}
