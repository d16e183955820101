/* mllog.c - see mllog.h. */
#include "mllog.h"
#include "../../read/input/place.h"

#include "../../base/ascii.h"
#include "../../base/number.h"
#include "../../base/text.h"
#include "../../base/time.h"
#include "../../read/parse/json_tokens.h"
#include "../../read/input/window.h"
#include "../../base/limits.h"

#include <stdio.h>
#include <string.h>

static const char marker[] = ":::MLLOG";
#define MARKER (sizeof marker - 1)
#define LINES_BETWEEN_POLLS 4096
#define TIME_MS_MAX (MPG_TIME_MAX / 1000)

struct mpg_mllog {
  const mpg_env *env;
  mpg_poller poller; /* in searches of a line */
  mpg_issues *issues;
  mpg_window w;
  mpg_json_members record, metadata;
  mpg_value values[MPG_MLLOG_COUNT];
  char *json; /* if the record has NaN or infinities: its objects and arrays without them */
  size_t n_json, json_cap, nans;
  const char *path;
  size_t line_end;   /* of the current line in the window: after its text */
  size_t next;       /* the start of the rest of that line, while in_line */
  int64_t line;      /* the line at hand */
  int64_t lines;     /* lines begun */
  int64_t others;    /* lines without a marker */
  int64_t one_other; /* the first of them */
  bool started, in_line, closed_line, found, at_end;
};

mpg_rc mpg_mllog_open(mpg_mllog **out, const mpg_env *env, mpg_stream *stream, mpg_issues *issues,
                      mpg_err *err) {
  mpg_mllog *m = mpg_calloc(env, sizeof *m);
  *out = m;
  if (m == NULL)
    return mpg_fail_nomem(err);
  m->env = m->poller.env = env;
  m->issues = issues;
  m->path = mpg_stream_path(stream);
  mpg_window_open(&m->w, env, stream);
  return MPG_OK;
}

void mpg_mllog_close(mpg_mllog *m) {
  if (m == NULL)
    return;
  mpg_window_close(&m->w);
  mpg_json_members_free(&m->record, m->env);
  mpg_json_members_free(&m->metadata, m->env);
  mpg_free(m->env, m->json);
  mpg_free(m->env, m);
}

/* ---- Lines ---- */

/* Brings the next line into the window, w.at at its start; MPG_DONE after the last. */
static mpg_rc next_line(mpg_mllog *m, mpg_err *err) {
  mpg_window *w = &m->w;
  const size_t limit = (size_t)mpg_limit_in(m->env, MPG_LIMIT_RECORD_BYTES);
  size_t searched = 0; /* bytes of the line that hold no newline */
  const char *newline = NULL;
  mpg_rc rc = MPG_OK;
  if (m->lines > 0)
    w->at = m->line_end + (m->closed_line ? 1 : 0);
  for (;;) {
    if (w->at + searched < w->end)
      newline = memchr(w->buf + w->at + searched, '\n', w->end - w->at - searched);
    searched = newline != NULL ? (size_t)(newline - (w->buf + w->at)) : w->end - w->at;
    if (searched > limit)
      return mpg_fail(err, MPG_LIMIT, "%s:%lld:1: line of more than %zu bytes", m->path,
                      (long long)m->lines + 1, limit);
    if (newline != NULL || w->last)
      break;
    rc = mpg_window_more(w, err);
    if (rc != MPG_OK)
      return rc;
  }
  if (w->at == w->end)
    return MPG_DONE;
  m->closed_line = newline != NULL;
  m->line_end = newline != NULL ? (size_t)(newline - w->buf) : w->end;
  m->next = w->at;
  m->line = ++m->lines;
  if (m->lines % LINES_BETWEEN_POLLS == 0 && mpg_interrupted(m->env))
    return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
  return MPG_OK;
}

/* NULL: there is none, or the host says to stop. */
static const char *find_marker(mpg_mllog *m, const char *p, const char *end) {
  while ((size_t)(end - p) >= MARKER) {
    p = memchr(p, marker[0], (size_t)(end - p) - MARKER + 1);
    if (p == NULL || memcmp(p, marker, MARKER) == 0)
      return p;
    if (mpg_poller_stop(&m->poller, MARKER))
      return NULL;
    p++;
  }
  return NULL;
}

/* The end of the file: what was skipped, or that there was nothing to read. */
static mpg_rc finish_file(mpg_mllog *m, mpg_err *err) {
  if (!m->found)
    return mpg_fail(err, MPG_DATA,
                    "%s:1:1: expected lines with :::MLLOG {\"namespace\": ..., found none in %lld "
                    "lines",
                    m->path, (long long)m->lines);
  if (m->others == 0 || m->issues == NULL)
    return MPG_DONE;
  if (mpg_issues_add(m->issues, MPG_INFO, m->path, "other_lines", m->one_other, m->others,
                     "lines without :::MLLOG were passed over") != MPG_OK)
    return mpg_fail_nomem(err);
  return MPG_DONE;
}

/* ---- One record ---- */

/* `found` NULL: nothing was. */
static mpg_rc unexpected(const mpg_mllog *m, const char *at, mpg_err *err, const char *expected,
                         const mpg_str *found) {
  mpg_place place = mpg_place_in_line(m->path, m->line, m->w.buf + m->w.at, at);
  return found == NULL ? mpg_expected(err, place, expected, "none")
                       : mpg_expected_text(err, place, expected, *found);
}

static mpg_rc add_issue(mpg_mllog *m, const char *kind, const char *detail, mpg_str of,
                        mpg_err *err) {
  if (m->issues == NULL || mpg_issues_add(m->issues, MPG_INFO, m->path, kind, m->line, 1, "%.*s%s",
                                          of.n > 80 ? 80 : (int)of.n, of.p, detail) == MPG_OK)
    return MPG_OK;
  return mpg_fail_nomem(err);
}

/* A failed scan of JSON; one that lacks only what is still to be written ends the file. */
static mpg_rc malformed(mpg_mllog *m, const mpg_json_scan *s, mpg_err *err) {
  const char *start = m->w.buf + m->w.at;
  if (s->rc != MPG_DATA || s->at != s->end || m->closed_line)
    return mpg_json_scan_fail(s, m->path, m->line, (int64_t)(s->at - start) + 1, "end of line",
                              err);
  if (add_issue(m, "unfinished_line", "the last line has no end: it is still being written",
                MPG_STR(""), err) != MPG_OK)
    return MPG_NOMEM;
  return MPG_DONE;
}

/* A number without a fraction is an integer, however it is written. */
static void give_number(mpg_value *out, mpg_str digits) {
  double r;
  if (mpg_int_parse(digits, &out->i)) {
    out->type = MPG_INT;
  } else if (mpg_real_parse(digits, &r)) {
    out->type = MPG_REAL;
    out->r = r;
    if (r > -9e15 && r < 9e15 && r == (double)(int64_t)r) {
      out->type = MPG_INT;
      out->i = (int64_t)r;
    }
  }
}

static void give_text(mpg_value *out, mpg_str s) {
  out->type = MPG_TEXT;
  out->s = s;
}

/* An object or an array, as JSON takes it. */
static void give_json(mpg_mllog *m, mpg_value *out, mpg_str raw) {
  if (m->nans > 0) {
    char *from = m->json + m->n_json;
    raw = (mpg_str){from, (size_t)(mpg_json_without_nan(from, raw, &m->poller) - from)};
    m->n_json += raw.n;
  }
  give_text(out, raw);
}

static void give_value(mpg_mllog *m, const mpg_json_member *member, const char *raw) {
  mpg_json_scan s = {m->w.buf + m->line_end, MPG_OK, NULL, NULL, NULL, m->env, NULL, false, 0};
  bool escaped = false;
  const char *end;
  switch (member->kind) {
  case MPG_JSON_NULL:
    break;
  case MPG_JSON_NAN: /* as a string, which JSON has */
    give_text(&m->values[MPG_MLLOG_value], *raw == 'N'   ? MPG_STR("\"NaN\"")
                                           : *raw == 'I' ? MPG_STR("\"Infinity\"")
                                                         : MPG_STR("\"-Infinity\""));
    break;
  case MPG_JSON_STRING: /* with its quotes and escapes */
    end = mpg_json_string(&s, raw + 1, &escaped);
    if (end != NULL)
      give_text(&m->values[MPG_MLLOG_value], (mpg_str){raw, (size_t)(end - raw)});
    break;
  case MPG_JSON_NUMBER:
    if (mpg_real_parse(member->text, &m->values[MPG_MLLOG_value_number].r))
      m->values[MPG_MLLOG_value_number].type = MPG_REAL;
    give_text(&m->values[MPG_MLLOG_value], member->text);
    break;
  default:
    give_json(m, &m->values[MPG_MLLOG_value], member->text);
  }
}

typedef struct name {
  mpg_str key;
  int column;
  mpg_json_kind kind;
} name;

#define NAME(column, kind)                                                                         \
  { {#column, sizeof #column - 1}, MPG_MLLOG_##column, MPG_JSON_##kind }

static const name *find_name(const name *names, size_t n, mpg_str key) {
  for (size_t i = 0; i < n; i++)
    if (mpg_str_eq(names[i].key, key))
      return &names[i];
  return NULL;
}

/* The named ones of metadata. Others, and those of another type, are in the metadata itself. */
static mpg_rc read_metadata(mpg_mllog *m, const char *p, mpg_err *err) {
  static const name names[] = {
      NAME(file, STRING),
      NAME(lineno, NUMBER),
      NAME(step, NUMBER),
      NAME(step_num, NUMBER),
      NAME(samples_count, NUMBER),
      NAME(epoch_num, NUMBER),
      NAME(first_epoch_num, NUMBER),
      NAME(epoch_count, NUMBER),
      NAME(status, STRING),
  };
  mpg_json_scan s = {m->w.buf + m->line_end, MPG_OK, NULL, NULL, NULL, m->env, NULL, true, 0};
  const char *after;
  if (mpg_json_members_scan(&m->metadata, m->env, &s, p, &after) == NULL)
    return malformed(m, &s, err);
  for (size_t i = 0; i < m->metadata.n; i++) {
    const mpg_json_member *member = &m->metadata.p[i];
    const name *named = find_name(names, sizeof names / sizeof *names, member->key);
    if (named == NULL || member->kind != named->kind)
      continue;
    if (member->kind == MPG_JSON_NUMBER)
      give_number(&m->values[named->column], member->text);
    else
      give_text(&m->values[named->column], member->text);
  }
  return MPG_OK;
}

static mpg_rc read_member(mpg_mllog *m, const mpg_json_member *member, const char *object,
                          mpg_err *err) {
  static const name names[] = {
      NAME(namespace, STRING), NAME(time_ms, NUMBER), NAME(event_type, STRING),
      NAME(key, STRING),       NAME(value, NULL),     NAME(metadata, OBJECT),
  };
  const char *at = object + member->value_at;
  const name *named = find_name(names, sizeof names / sizeof *names, member->key);
  mpg_value *out;
  if (named == NULL)
    return add_issue(m, "unknown_column", " is no column of MLLOG and was left out", member->key,
                     err);
  out = &m->values[named->column];
  if (named->column == MPG_MLLOG_value) {
    give_value(m, member, at);
    return MPG_OK;
  }
  if (member->kind == MPG_JSON_NULL)
    return MPG_OK; /* time_ms and key are missed later */
  if (named->column == MPG_MLLOG_time_ms) {
    if (member->kind == MPG_JSON_NUMBER)
      give_number(out, member->text);
    if (out->type != MPG_INT || out->i < 0 || out->i >= TIME_MS_MAX)
      return unexpected(m, at, err, "Unix milliseconds for \"time_ms\"", &member->text);
    return MPG_OK;
  }
  if (member->kind != named->kind) {
    char expected[64];
    (void)snprintf(expected, sizeof expected, "%s for \"%s\"",
                   named->kind == MPG_JSON_STRING ? "a string" : "an object", named->key.p);
    return unexpected(m, at, err, expected, &member->text);
  }
  if (named->column == MPG_MLLOG_metadata) {
    give_json(m, out, member->text);
    return read_metadata(m, at, err);
  }
  give_text(out, member->text);
  return MPG_OK;
}

static void give_prefix(mpg_mllog *m, const char *p, const char *end) {
  p = mpg_json_space(p, end);
  while (end > p && (end[-1] == ' ' || end[-1] == '\t'))
    end--;
  if (end > p)
    give_text(&m->values[MPG_MLLOG_prefix], (mpg_str){p, (size_t)(end - p)});
}

/* A line in a string of JSON, as Docker's json-file and collectors write it: from `at` on its text
** takes the string's place, with blanks behind it. \u of other than ASCII stays: the record's own
** strings have such, too. */
static void unwrap(mpg_mllog *m, size_t at) {
  const char *p = m->w.buf + at, *end = m->w.buf + m->line_end;
  char *to = m->w.buf + at;
  while (p < end && *p != '"') {
    bool escaped = *p == '\\' && end - p > 1;
    int code = escaped && p[1] == 'u' && end - p > 5 ? mpg_hex4(p + 2) : -1;
    if (code >= ' ' && code < 0x7f) {
      *to++ = (char)code;
      p += 6;
    } else if (escaped && p[1] != 'u') {
      *to++ = p[1] == 'n' || p[1] == 'r' || p[1] == 't' ? ' ' : p[1];
      p += 2;
    } else {
      *to++ = *p++;
    }
  }
  memset(to, ' ', (size_t)(end - to));
}

/* Whether what follows the marker is an object in such a string. */
static bool wrapped(const char *object, const char *end) {
  return end - object > 2 && object[0] == '{' && object[1] == '\\' && object[2] == '"';
}

/* The record whose marker is at `mark`. */
static mpg_rc read_record(mpg_mllog *m, const char *mark, mpg_err *err) {
  const char *end = m->w.buf + m->line_end, *after;
  const char *object = mpg_json_space(mark + MARKER, end), *p, *before = m->w.buf + m->next;
  mpg_json_scan s = {end,  MPG_DATA, object, "an object behind :::MLLOG", NULL, m->env,
                     NULL, true,     0};
  mpg_rc rc = MPG_OK;
  m->in_line = false; /* a broken line is left whole */
  memset(m->values, 0, sizeof m->values);
  if (wrapped(object, end)) {
    unwrap(m, (size_t)(object - m->w.buf));
    for (p = mark; p > before && p[-1] != '"';)
      p--;
    before = p;
  }
  give_prefix(m, before, mark);
  if (object == end || *object != '{')
    return malformed(m, &s, err);
  p = mpg_json_members_scan(&m->record, m->env, &s, object, &after);
  if (p == NULL)
    return malformed(m, &s, err);
  m->nans = s.nans;
  m->n_json = 0;
  if (s.nans > 0 &&
      mpg_grow(m->env, &m->json, &m->json_cap, (size_t)(p - object) + s.nans, 1) != MPG_OK)
    return mpg_fail_nomem(err);
  for (size_t i = 0; rc == MPG_OK && i < m->record.n; i++)
    rc = read_member(m, &m->record.p[i], object, err);
  if (rc == MPG_OK && m->poller.stopped)
    rc = mpg_fail(err, MPG_INTERRUPTED, "interrupted");
  if (rc != MPG_OK)
    return rc;
  if (m->values[MPG_MLLOG_time_ms].type == MPG_NULL)
    return unexpected(m, object, err, "\"time_ms\" in the record", NULL);
  if (m->values[MPG_MLLOG_key].type == MPG_NULL)
    return unexpected(m, object, err, "\"key\" in the record", NULL);
  p = mpg_json_space(p, end);
  if (p < end && find_marker(m, p, end) == NULL && !m->poller.stopped) {
    mpg_str rest = {p, (size_t)(end - p)};
    return unexpected(m, p, err, "end of line", &rest);
  }
  m->in_line = p < end;
  m->next = (size_t)(p - m->w.buf);
  return MPG_OK;
}

mpg_rc mpg_mllog_next(mpg_mllog *m, mpg_err *err) {
  mpg_rc rc = MPG_OK;
  if (m->at_end)
    return MPG_DONE;
  if (!m->started)
    rc = mpg_window_start(&m->w, err);
  m->started = true;
  while (rc == MPG_OK) {
    const char *mark;
    if (!m->in_line)
      rc = next_line(m, err);
    if (rc != MPG_OK)
      break;
    mark = find_marker(m, m->w.buf + m->next, m->w.buf + m->line_end);
    if (m->poller.stopped) {
      rc = mpg_fail(err, MPG_INTERRUPTED, "interrupted");
      break;
    }
    if (mark != NULL) {
      m->found = true;
      rc = read_record(m, mark, err);
      if (rc == MPG_OK || rc == MPG_DATA)
        return rc;
    } else if (m->others++ == 0) {
      m->one_other = m->line;
    }
  }
  m->at_end = true; /* after a stream that is damaged, too */
  return rc == MPG_DONE ? finish_file(m, err) : rc;
}

int64_t mpg_mllog_line(const mpg_mllog *m) {
  return m->line;
}

const mpg_value *mpg_mllog_get(const mpg_mllog *m, size_t column) {
  return &m->values[column];
}
