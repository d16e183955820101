/* prometheus_text.c - the text that exporters expose: see prometheus.h. */
#include "prometheus_read.h"
#include "../../base/ascii.h"
#include "../../base/number.h"
#include "../../base/time.h"
#include "../../base/text.h"

#include <string.h>

#define BYTES_BETWEEN_POLLS ((size_t)1 << 18)
#define EXAMPLE "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\"} 97"

/* A line, and how far it has been read. */
typedef struct cursor {
  mpg_prometheus *p;
  mpg_str line;
  size_t at;
  char *text;     /* the buffer for unescaped text: room for the whole line */
  size_t poll_at; /* the position of the next poll */
  bool stopped;
} cursor;

static mpg_rc malformed(const cursor *c, const char *expected, mpg_err *err) {
  char excerpt[MPG_EXCERPT];
  mpg_str rest = {c->line.p + c->at, c->line.n - c->at};
  if (!c->p->any && rest.n == c->line.n && rest.n > 0) {
    mpg_text_excerpt(c->line, excerpt);
    return mpg_fail(
        err, MPG_DATA,
        "%s:%lld:1: expected an answer of Prometheus' HTTP API or lines such as " EXAMPLE
        ", found \"%s\"",
        c->p->path, (long long)c->p->line, excerpt);
  }
  mpg_text_excerpt(rest, excerpt);
  return mpg_fail(err, MPG_DATA, "%s:%lld:%zu: expected %s, found %s%s%s", c->p->path,
                  (long long)c->p->line, c->at + 1, expected, rest.n > 0 ? "\"" : "",
                  rest.n > 0 ? excerpt : "end of line", rest.n > 0 ? "\"" : "");
}

/* Moves c->look on; false if the host says to stop. */
static bool move_poll_point(cursor *c) {
  c->stopped = c->stopped || mpg_interrupted(c->p->env);
  c->poll_at =
      c->line.n - c->poll_at > BYTES_BETWEEN_POLLS ? c->poll_at + BYTES_BETWEEN_POLLS : c->line.n;
  return !c->stopped;
}

/* Behind the bytes that are of a kind. */
static inline void skip_kind(cursor *c, bool (*is)(char)) {
  const char *line = c->line.p;
  do {
    const size_t poll_at = c->poll_at;
    size_t at = c->at;
    while (at < poll_at && is(line[at]))
      at++;
    c->at = at;
  } while (c->at >= c->poll_at && c->poll_at < c->line.n && move_poll_point(c));
}

static bool is_in_word(char b) {
  return !mpg_is_blank(b);
}

static bool is_in_name(char b) {
  return (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || b == '_' || b == ':' ||
         (b >= '0' && b <= '9');
}

static bool is_in_quotes(char b) {
  return b != '"' && b != '\\';
}

static void skip_space(cursor *c) {
  skip_kind(c, mpg_is_blank);
}

static bool accept_byte(cursor *c, char byte) {
  if (c->at == c->line.n || c->line.p[c->at] != byte)
    return false;
  c->at++;
  return true;
}

/* A name without quotes; empty if there is none. */
static mpg_str read_name(cursor *c) {
  size_t from = c->at;
  if (from < c->line.n && (c->line.p[from] < '0' || c->line.p[from] > '9'))
    skip_kind(c, is_in_name);
  return (mpg_str){c->line.p + from, c->at - from};
}

/* A text in quotes, from after the first of them. */
static mpg_rc read_quoted(cursor *c, mpg_str *out, mpg_err *err) {
  const char *p = c->line.p;
  size_t start = c->at, taken = start; /* what stands before `taken` is in the text */
  char *text = c->text, *to = text, b;
  for (;;) {
    skip_kind(c, is_in_quotes);
    if (c->stopped)
      return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
    if (c->at == c->line.n)
      return malformed(c, "a closing quote", err);
    if (p[c->at] == '"')
      break;
    memcpy(to, p + taken, c->at - taken);
    to += c->at - taken;
    c->at++;
    b = c->at < c->line.n ? p[c->at] : '\0';
    if (b != '\\' && b != '"' && b != 'n')
      return malformed(c, "one of \\\"n behind a backslash", err);
    *to++ = b == 'n' ? '\n' : b;
    taken = ++c->at;
  }
  *out = (mpg_str){p + start, c->at - start};
  if (taken > start) {
    memcpy(to, p + taken, c->at - taken);
    to += c->at - taken;
    *out = (mpg_str){text, (size_t)(to - text)};
    c->text = to;
  }
  c->at++;
  return MPG_OK;
}

/* {a="b",c="d"}, and in OpenMetrics and Prometheus 3 {"the name", a="b"}; from after the brace. */
static mpg_rc read_labels(cursor *c, mpg_err *err) {
  for (;;) {
    mpg_str key = {"", 0}, value = {"", 0};
    bool in_quotes;
    mpg_rc rc = MPG_OK;
    skip_space(c);
    if (accept_byte(c, '}'))
      return MPG_OK;
    in_quotes = accept_byte(c, '"');
    if (in_quotes)
      rc = read_quoted(c, &key, err);
    else
      key = read_name(c);
    if (rc != MPG_OK)
      return rc;
    if (!in_quotes && key.n == 0)
      return malformed(c, "a label or '}'", err);
    skip_space(c);
    if (in_quotes && c->p->sample.metric.n == 0 && c->at < c->line.n && c->line.p[c->at] != '=') {
      c->p->sample.metric = key;
    } else {
      if (!accept_byte(c, '='))
        return malformed(c, "'='", err);
      skip_space(c);
      if (!accept_byte(c, '"'))
        return malformed(c, "a value in double quotes", err);
      rc = read_quoted(c, &value, err);
      if (rc == MPG_OK)
        rc = mpg_prometheus_add(c->p, key, value, err);
      if (rc != MPG_OK)
        return rc;
    }
    skip_space(c);
    if (c->at < c->line.n && c->line.p[c->at] != '}' && !accept_byte(c, ','))
      return malformed(c, "',' or '}'", err);
  }
}

static mpg_str read_word(cursor *c) {
  size_t from = c->at;
  skip_kind(c, is_in_word);
  return (mpg_str){c->line.p + from, c->at - from};
}

static mpg_rc read_time(cursor *c, mpg_err *err) {
  mpg_value *time = &c->p->sample.time;
  size_t from = c->at;
  mpg_str text = read_word(c);
  int64_t whole;
  bool is_whole = mpg_int_parse(text, &whole), is_number = mpg_real_parse(text, &time->r);
  if (is_whole && whole >= INT64_C(100000000000))
    time->r /= 1000.0;
  if (!is_number || !mpg_seconds_are_time(time->r)) {
    c->at = from;
    return malformed(c, "a timestamp from 1970 to 2261", err);
  }
  time->type = MPG_REAL;
  return MPG_OK;
}

static mpg_rc read_sample(cursor *c, mpg_err *err) {
  mpg_prometheus_sample *s = &c->p->sample;
  size_t from;
  mpg_rc rc = MPG_OK;
  memset(s, 0, sizeof *s);
  s->metric = read_name(c);
  skip_space(c);
  if (accept_byte(c, '{'))
    rc = read_labels(c, err);
  if (rc != MPG_OK)
    return rc;
  if (s->metric.n == 0) {
    c->at = 0;
    return malformed(c, "the name of a metric", err);
  }
  skip_space(c);
  from = c->at;
  s->text = read_word(c);
  if (!mpg_prometheus_value(s->text, &s->value)) {
    /* The second word of a line of prose shows that the first was no metric either. */
    c->at = !c->p->any && s->nlabels == 0 ? 0 : from;
    return malformed(c, "a value such as 0.5, NaN or +Inf", err);
  }
  skip_space(c);
  if (c->at < c->line.n && c->line.p[c->at] != '#')
    rc = read_time(c, err);
  skip_space(c);
  if (rc == MPG_OK && accept_byte(c, '#')) {
    skip_space(c);
    s->exemplar = (mpg_str){c->line.p + c->at, c->line.n - c->at};
  } else if (rc == MPG_OK && c->at < c->line.n) {
    return malformed(c, "end of line", err);
  }
  return rc;
}

/* # TYPE name type; other comments are skipped. */
static mpg_rc read_comment(cursor *c, mpg_err *err) {
  mpg_prometheus *p = c->p;
  mpg_str family = {"", 0}, type;
  mpg_rc rc = MPG_OK;
  c->at++;
  skip_space(c);
  if (!mpg_str_eq(read_word(c), MPG_STR("TYPE")))
    return MPG_OK;
  skip_space(c);
  if (accept_byte(c, '"'))
    rc = read_quoted(c, &family, err);
  else
    family = read_word(c);
  if (rc != MPG_OK)
    return rc;
  skip_space(c);
  type = read_word(c);
  if (type.n >= sizeof p->type)
    type.n = 0;
  memcpy(p->type, type.p, type.n);
  p->type[type.n] = '\0';
  p->family.n = 0;
  return mpg_json_put(&p->family, family) == MPG_OK ? MPG_OK : mpg_fail_nomem(err);
}

/* What the names of a family's samples may add to its own, by its type: another metric may begin
** alike. */
static bool is_end(mpg_str end, mpg_str type) {
  static const struct {
    const char *type, *ends[4];
  } families[] = {
      {"counter", {"_total", "_created"}},
      {"histogram", {"_bucket", "_count", "_sum", "_created"}},
      {"gaugehistogram", {"_bucket", "_gcount", "_gsum"}},
      {"summary", {"_count", "_sum", "_created"}},
      {"info", {"_info"}},
  };
  for (size_t i = 0; i < sizeof families / sizeof *families; i++)
    for (size_t j = 0; j < 4 && families[i].ends[j] != NULL; j++)
      if (mpg_str_eq(type, mpg_str_of(families[i].type)) &&
          mpg_str_eq(end, mpg_str_of(families[i].ends[j])))
        return true;
  return end.n == 0;
}

/* The type is of the family's samples: of a counter name_total, of a histogram name_bucket, ... */
static void give_type(mpg_prometheus *p) {
  mpg_str metric = p->sample.metric, type = mpg_str_of(p->type);
  if (p->family.n == 0 || metric.n < p->family.n || memcmp(metric.p, p->family.p, p->family.n) != 0)
    return;
  if (is_end((mpg_str){metric.p + p->family.n, metric.n - p->family.n}, type))
    p->sample.type = type;
}

mpg_rc mpg_prometheus_next_text(mpg_prometheus *p, mpg_err *err) {
  for (;;) {
    cursor c = {p, {NULL, 0}, 0, NULL, 0, false};
    mpg_rc rc = mpg_lines_next(p->lines, &c.line, err);
    bool comment;
    if (rc == MPG_DONE)
      return rc;
    p->line = mpg_lines_number(p->lines);
    if (rc != MPG_OK)
      return rc;
    c.poll_at = c.line.n < BYTES_BETWEEN_POLLS ? c.line.n : BYTES_BETWEEN_POLLS;
    skip_space(&c);
    if (c.stopped)
      return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
    if (c.at == c.line.n)
      continue;
    comment = c.line.p[c.at] == '#';
    if (!comment && p->any && !mpg_lines_ended(p->lines)) {
      rc = mpg_prometheus_note(
          p, MPG_WARNING, "unfinished_record",
          MPG_STR("the last line has no line end: left out as still being written"), err);
      return rc == MPG_OK ? MPG_DONE : rc;
    }
    if (mpg_grow(p->env, &p->text, &p->text_cap, c.line.n + 1, 1) != MPG_OK)
      return mpg_fail_nomem(err);
    c.text = p->text;
    rc = comment ? read_comment(&c, err) : read_sample(&c, err);
    if (c.stopped)
      return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
    p->any |= rc == MPG_OK;
    if (rc != MPG_OK)
      return rc;
    if (!comment) {
      give_type(p);
      return MPG_OK;
    }
  }
}
