/* unwrap_find.c - how lines are wrapped, by the first bytes of their file; and JSON made compact:
** see unwrap.h. */
#include "unwrap.h"
#include "../../base/ascii.h"
#include "unwrap_prefix.h"

#include <stddef.h>
#include <string.h>

static bool is_one_of(mpg_str key, const char *const *names, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (mpg_str_eq(key, mpg_str_of(names[i])))
      return true;
  return false;
}
#define IS_ONE_OF(key, names) is_one_of(key, names, sizeof(names) / sizeof *(names))

/* Whether it is no line of text: a name or a time in brackets begins one. */
static bool begins_with_json(const char *p, const char *end) {
  return *p == '{' || (*p == '[' && (end - p == 1 || !(mpg_is_letter(p[1]) || mpg_is_digit(p[1]))));
}

/* ---- Prefixes ---- */

static bool has_prefixes(mpg_str head) {
  const char *p = head.p, *end = head.p + head.n;
  bool first = true;
  while (p < end) {
    const char *newline = memchr(p, '\n', (size_t)(end - p));
    const mpg_str line = {p, (size_t)((newline == NULL ? end : newline) - p)};
    const mpg_str start = {p, line.n < MPG_UNWRAP_LINE ? line.n : MPG_UNWRAP_LINE};
    mpg_unwrap_prefix prefix;
    p = newline == NULL ? end : newline + 1;
    if (start.n == 0 || (start.n == 1 && *start.p == '\r'))
      continue;
    if (first && !mpg_unwrap_has_prefix(start))
      return false;
    first = false;
    prefix = mpg_unwrap_prefix_of(start);
    if (!prefix.whole && prefix.n < start.n && prefix.n > 0 &&
        (start.p[prefix.n] == '{' || start.p[prefix.n] == '['))
      return true;
  }
  return false;
}

/* The next line, without what is blank at its end; false at the end of the text. */
static bool next_line(mpg_str *text, mpg_str *line) {
  const char *newline = text->n == 0 ? NULL : memchr(text->p, '\n', text->n);
  const size_t n = newline == NULL ? text->n : (size_t)(newline - text->p);
  const size_t past = n + (newline != NULL);
  *line = (mpg_str){text->p, n};
  while (line->n > 0 && mpg_is_json_space(line->p[line->n - 1]))
    line->n--;
  *text = (mpg_str){text->p + past, text->n - past};
  return past > 0;
}

/* A value on a line of its own. */
static bool is_json_line(mpg_str line) {
  return mpg_unwrap_is_json(line) && (line.p[line.n - 1] == '}' || line.p[line.n - 1] == ']');
}

/* Words, and not what is left of a damaged line of JSON. */
static bool is_text_line(mpg_str line) {
  const char *p = line.p, *end = line.p + line.n;
  while (p < end && mpg_is_blank(*p))
    p++;
  return p < end && mpg_is_letter(*p) && end[-1] != '}' && end[-1] != ']' && end[-1] != ',';
}

static bool begins_with(mpg_str line, mpg_str word) {
  return line.n >= word.n && memcmp(line.p, word.p, word.n) == 0;
}

/* Whether the first line is text, and a later one JSON, or begins it. Behind what tells of an
** error, as kubectl does, JSON over several lines may not be all of it. */
static bool has_json_behind_text(mpg_str head, bool *document) {
  mpg_str line;
  bool failed = false;
  *document = false;
  if (begins_with_json(head.p, head.p + head.n))
    return false;
  while (next_line(&head, &line)) {
    if (is_json_line(line)) {
      *document = false;
      return true;
    }
    failed |= begins_with(line, MPG_STR("Error")) || begins_with(line, MPG_STR("Unable to"));
    *document |= !failed && mpg_unwrap_is_bracket(line);
  }
  return *document;
}

/* Whether the first line is JSON, and a later one text: a program prints both. */
static bool has_text_behind_json(mpg_str head) {
  mpg_str line;
  if (!next_line(&head, &line) || line.n < 3 || !is_json_line(line) || *line.p != '{')
    return false;
  while (next_line(&head, &line))
    if (is_text_line(line))
      return true;
  return false;
}

/* Whether some lines are JSON and some are text, none with a prefix. */
static bool has_bare_lines(mpg_str head, int ways, bool *document) {
  if (head.n > 3 && memcmp(head.p, "\xef\xbb\xbf", 3) == 0) /* a byte order mark */
    head = (mpg_str){head.p + 3, head.n - 3};
  return has_json_behind_text(head, document) ||
         ((ways & MPG_UNWRAP_MIXED) != 0 && has_text_behind_json(head));
}

/* ---- Records ---- */

/* Names that a record of a format here has, and that no collector gives its records. */
static const char *const own[] = {
    "apiVersion",    "kind",           "metadata",    "items",        "involvedObject",  "job_name",
    "jsonPayload",   "json_payload",   "data",        "metric",       "metrics",         "_step",
    "_timestamp",    "log_type_name",  "log_history", "batches",      "traceEvents",     "jobs",
    "resourceSpans", "resource_spans", "scopeSpans",  "resourceLogs", "resourceMetrics", "record"};
/* Names under which collectors keep a line's text. */
static const char *const texts[] = {"log",      "message", "MESSAGE",     "msg",
                                    "line",     "_raw",    "textPayload", "LogMessage",
                                    "LogEntry", "content", "event",       "value"};
/* Names of what such records lie in: CloudWatch's answers, a hit of Elasticsearch, a result of
** Splunk. */
static const char *const around[] = {"events", "results", "_source", "result", "hits"};

/* Whether a text, without its quote, begins as JSON does. */
static bool is_json_text(const char *p, const char *end) {
  while (p < end && *p == ' ')
    p++;
  if (end - p < 2 || (*p != '{' && *p != '['))
    return false;
  if (*p == '[' && p[1] == '{')
    return true;
  return p[1] == ' ' || (*p == '{' && p[1] == '}') ||
         (end - p > 2 && p[1] == '\\' && (p[2] == 'n' || p[2] == '"'));
}

typedef struct finder {
  mpg_unwrap *u;
  int ways;
  int depth, level; /* of objects; of those whose keys may be ours */
  bool found, other;
} finder;

/* A key, and the value at p. */
static void look_at_key(finder *f, mpg_str key, const char *p, const char *end) {
  const bool entry = mpg_str_eq(key, MPG_STR("jsonPayload")) && (f->ways & MPG_UNWRAP_ENTRY) != 0;
  bool ours;
  while (p < end && mpg_is_json_space(*p))
    p++;
  if (p == end || f->depth != f->level)
    return;
  if (IS_ONE_OF(key, around) && (*p == '{' || *p == '[')) {
    f->level++;
    return;
  }
  ours = entry ? *p == '{'
               : (f->ways & MPG_UNWRAP_TEXT) != 0 && IS_ONE_OF(key, texts) && *p == '"' &&
                     is_json_text(p + 1, end);
  if (ours && !f->found) {
    f->found = true;
    f->u->how = entry ? MPG_UNWRAP_ENTRY : MPG_UNWRAP_TEXT;
    f->u->docker = mpg_str_eq(key, MPG_STR("log"));
    memcpy(f->u->key, key.p, key.n);
    f->u->key[key.n] = '\0';
  } else if (!entry && IS_ONE_OF(key, own)) {
    f->other = true;
  }
}

static const char *after_string(const char *p, const char *end) {
  while (p < end && *p != '"' && *p != '\n')
    p += *p == '\\' && end - p > 1 ? 2 : 1;
  return p;
}

/* Until the first record with such a text or entry ends. */
static bool has_records(mpg_unwrap *u, mpg_str head, int ways) {
  finder f = {u, ways, 0, 1, false, false};
  const char *p = head.p, *end = head.p + head.n;
  for (; p < end && !f.other; p++) {
    if (*p == '{') {
      f.depth++;
    } else if (*p == '}') {
      f.depth -= f.depth > 0;
      if (f.found && f.depth < f.level)
        break;
      if (f.depth == 0)
        f.level = 1;
    } else if (*p == '"') {
      const char *from = p + 1, *after;
      p = after_string(from, end);
      for (after = p + 1; after < end && mpg_is_json_space(*after); after++)
        ;
      if (p < end && after < end && *after == ':' && p - from < MPG_UNWRAP_KEY)
        look_at_key(&f, (mpg_str){from, (size_t)(p - from)}, after + 1, end);
    }
  }
  return f.found && !f.other;
}

static bool is_one_line(const char *p, const char *end) {
  const char *newline = memchr(p, '\n', (size_t)(end - p));
  bool list = false;
  char last = 0;
  for (; p < end && !list; p++) {
    if (*p == '"')
      p = after_string(p + 1, end);
    else if (!mpg_is_json_space(*p))
      list = *p == ',' && (last == '}' || last == ']');
    if (p < end && !mpg_is_json_space(*p))
      last = *p;
  }
  return list && (newline == NULL || newline + 1 == end);
}

/* Whether it is Loki's answer: streams of pairs, a time and a line. */
static bool is_of_loki(mpg_str head) {
  static const char key[] = "\"resultType\"";
  const char *end = head.p + head.n;
  for (const char *p = head.p; end - p > (ptrdiff_t)sizeof key + 12; p++) {
    if (*p != '"' || memcmp(p, key, sizeof key - 1) != 0)
      continue;
    for (p += sizeof key - 1; p < end && (mpg_is_json_space(*p) || *p == ':'); p++)
      ;
    return end - p > 9 && memcmp(p, "\"streams\"", 9) == 0;
  }
  return false;
}

bool mpg_unwrap_find(mpg_unwrap *u, mpg_str head, int ways) {
  const char *p = head.p, *end = head.p + head.n;
  memset(u, 0, sizeof *u);
  while (p < end && mpg_is_json_space(*p))
    p++;
  if (p == end)
    return false;
  u->bare = (ways & MPG_UNWRAP_PREFIX) != 0 &&
            has_bare_lines((mpg_str){p, (size_t)(end - p)}, ways, &u->document);
  if (!begins_with_json(p, end)) {
    if (u->bare ||
        ((ways & MPG_UNWRAP_PREFIX) != 0 && has_prefixes((mpg_str){p, (size_t)(end - p)})))
      u->how = MPG_UNWRAP_PREFIX;
  } else if (u->bare) {
    u->how = MPG_UNWRAP_PREFIX;
  } else if (ways == MPG_UNWRAP_LINE_EACH) {
    u->how = is_one_line(p, end) ? MPG_UNWRAP_LINE_EACH : 0;
  } else if ((ways & MPG_UNWRAP_TEXT) != 0 && is_of_loki(head)) {
    u->how = MPG_UNWRAP_TEXT;
    u->pairs = true;
  } else if ((ways & (MPG_UNWRAP_TEXT | MPG_UNWRAP_ENTRY)) != 0 &&
             !has_records(u, (mpg_str){p, (size_t)(end - p)}, ways)) {
    memset(u, 0, sizeof *u);
  }
  return u->how != 0;
}

/* ---- Compact JSON ---- */

size_t mpg_json_compact(mpg_str text, char *out) {
  const char *p = text.p, *end = text.p + text.n;
  char *to = out;
  int depth = 0;
  bool listed = false;
  for (; p < end; p++) {
    if (*p == '"') {
      const char *after = after_string(p + 1, end);
      after += after < end;
      memcpy(to, p, (size_t)(after - p));
      to += after - p;
      p = after - 1;
      continue;
    }
    if (mpg_is_json_space(*p))
      continue;
    *to++ = *p;
    listed |= *p == '[' && to - out == 1;
    depth += (*p == '{' || *p == '[') - (*p == '}' || *p == ']');
    if (depth == 0 || (*p == ',' && depth == 1 && listed))
      *to++ = '\n';
  }
  return (size_t)(to - out);
}
