/*
** json_records.c - records of a stream of JSON, and JSON in memory: see json_records.h.
*/
#include "blocks.h"
#include "json_tokens.h"
#include "../input/place.h"
#include "../input/window.h"
#include "../../base/limits.h"

#include <string.h>

/* What may come next in the stream, after white space. */
typedef enum state {
  AT_START,      /* an object, or the '[' of an array, or nothing */
  AT_LINE,       /* an object, or the end */
  AT_FIRST,      /* an element, or ']' */
  AT_ELEMENT,    /* an element */
  AFTER_ELEMENT, /* ',' or ']' */
  AFTER_ARRAY,   /* the end, or the '[' of a further array */
  GIVEN_UP       /* an array went wrong: nothing more is read */
} state;

struct mpg_json {
  const mpg_env *env;
  mpg_env poll_env_own; /* the same memory, and the poller */
  mpg_window w;
  mpg_json_members members;
  size_t limit;
  state state;
  size_t stop; /* no record begins here or after; what follows in the window is for messages */
  bool started;
  bool skip_line;       /* there was an error in this line: continue after it */
  bool cut_off;         /* see mpg_json_cut_off */
  int64_t line, column; /* of w.at */
  size_t record;        /* the current record in the window */
  int64_t record_line, record_column;
  bool takes_nan;
  size_t nans; /* of the current record */
  char *text;  /* the record without them, if it has some */
  size_t n_text, text_cap;
  mpg_err broken; /* an error that cannot be skipped is returned by every later call */
};

mpg_rc mpg_json_open(mpg_json **out, const mpg_env *env, mpg_stream *stream,
                     const mpg_json_options *options, mpg_err *err) {
  mpg_json *json = mpg_calloc(env, sizeof *json);
  *out = json;
  if (json == NULL)
    return mpg_fail_nomem(err);
  json->env = env;
  json->poll_env_own = *env;
  json->stop = SIZE_MAX;
  json->limit = options->record_limit != 0 ? options->record_limit
                                           : (size_t)mpg_limit_in(env, MPG_LIMIT_RECORD_BYTES);
  json->takes_nan = options->nan_is_null;
  json->line = json->column = json->record_line = json->record_column = 1;
  mpg_window_open(&json->w, env, stream);
  return MPG_OK;
}

void mpg_json_close(mpg_json *json) {
  if (json == NULL)
    return;
  mpg_window_close(&json->w);
  mpg_json_members_free(&json->members, json->env);
  mpg_free(json->env, json->text);
  mpg_free(json->env, json);
}

/* Moves w.at on to `to`. */
static void advance(mpg_json *json, const char *to) {
  mpg_window *w = &json->w;
  mpg_json_move_place(w->buf + w->at, to, &json->line, &json->column);
  w->at = (size_t)(to - w->buf);
}

static bool in_array(const mpg_json *json) {
  return json->state == AT_FIRST || json->state == AT_ELEMENT || json->state == AFTER_ELEMENT;
}

/* Nothing more is read, for the start of the next element is unknown. The error says so, unless
** there is nothing. */
static void give_up(mpg_json *json, bool at_end, mpg_err *err) {
  if (!at_end)
    mpg_add_to_error(err, "; nothing after it is read");
  json->state = GIVEN_UP;
}

/* Passes over the rest of the stream, so that what is said of its bytes, as of those that are no
** UTF-8, does not depend on how far it was read. */
static mpg_rc pass_rest(mpg_json *json, mpg_err *err) {
  mpg_window *w = &json->w;
  mpg_rc rc = MPG_OK;
  while (rc == MPG_OK && !w->last) {
    w->at = w->end;
    rc = mpg_window_more(w, err);
  }
  return rc == MPG_OK ? MPG_DONE : rc;
}

/* Reports the failed scan, and finds where to continue. `after` is the position after the object at
** w.at if that is valid JSON, else NULL. */
static mpg_rc malformed(mpg_json *json, const mpg_json_scan *s, const char *after, mpg_err *err) {
  int64_t line = json->line, column = json->column;
  json->record_line = line;
  mpg_json_move_place(json->w.buf + json->w.at, s->at, &line, &column);
  (void)mpg_json_scan_fail(s, mpg_stream_path(json->w.stream), line, column, "end of file", err);
  if (after != NULL) {
    advance(json, after);
    json->state = in_array(json) ? AFTER_ELEMENT : AT_LINE;
  } else if (in_array(json) || json->state == AFTER_ARRAY) {
    give_up(json, s->at == s->end, err);
  } else {
    const char *from = json->w.buf + json->w.at;
    json->state = AT_LINE;
    json->skip_line = true;
    json->cut_off = s->rc == MPG_DATA && s->at == s->end && json->w.last && from < s->end &&
                    memchr(from, '\n', (size_t)(s->end - from)) == NULL;
  }
  return s->rc;
}

static mpg_rc unexpected(mpg_json *json, const char *expected, mpg_err *err) {
  const mpg_window *w = &json->w;
  mpg_json_scan s = {w->buf + w->end, MPG_DATA, w->buf + w->at, expected, NULL, NULL, NULL,
                     false,           0};
  return malformed(json, &s, NULL, err);
}

static mpg_rc too_long(const mpg_json *json, mpg_err *err) {
  return mpg_fail(err, MPG_LIMIT, "%s:%lld:%lld: record of more than %zu bytes",
                  mpg_stream_path(json->w.stream), (long long)json->line, (long long)json->column,
                  json->limit);
}

/* Behind the line of w.at, or to the end of the window. */
static void skip_line(mpg_json *json) {
  const char *p = json->w.buf + json->w.at, *end = json->w.buf + json->w.end;
  const char *newline = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
  advance(json, newline == NULL ? end : newline + 1);
  json->skip_line = newline == NULL;
}

/* The end of the stream, with nothing but white space before it. */
static mpg_rc at_end(mpg_json *json, mpg_err *err) {
  switch (json->state) {
  case AT_FIRST:
    return unexpected(json, "an object or ']'", err);
  case AT_ELEMENT:
    return unexpected(json, "an object", err);
  case AFTER_ELEMENT:
    return unexpected(json, "',' or ']'", err);
  default:
    return MPG_DONE;
  }
}

/* Puts null in the places of the current record's values that are NaN or infinite. */
static mpg_rc without_nan(mpg_json *json, mpg_err *err) {
  mpg_poller poller = {&json->poll_env_own, 0, false};
  mpg_str raw = {json->w.buf + json->record, json->w.at - json->record};
  size_t from = 0; /* of raw: copied so far */
  char *to;
  if (mpg_grow(json->env, &json->text, &json->text_cap, raw.n + json->nans, 1) != MPG_OK)
    return mpg_fail_nomem(err);
  to = json->text;
  for (size_t i = 0; i < json->members.n && !poller.stopped; i++) {
    mpg_json_member *m = &json->members.p[i];
    char *value;
    if (m->kind != MPG_JSON_NAN && m->kind != MPG_JSON_ARRAY && m->kind != MPG_JSON_OBJECT)
      continue;
    /* Before it is nothing but keys and plain values. */
    memcpy(to, raw.p + from, m->value_at - from);
    value = to + (m->value_at - from);
    to = mpg_json_without_nan(value, m->text, &poller);
    from = m->value_at + m->text.n;
    m->text = (mpg_str){value, (size_t)(to - value)};
    if (m->kind == MPG_JSON_NAN)
      m->kind = MPG_JSON_NULL;
  }
  memcpy(to, raw.p + from, raw.n - from);
  json->n_text = (size_t)(to - json->text) + raw.n - from;
  return poller.stopped ? mpg_fail(err, MPG_INTERRUPTED, "interrupted") : MPG_OK;
}

/*
** Takes what is next in the window: punctuation, or a record (*record then says so). *more: it ends
** after the window, or there is nothing yet.
*/
static mpg_rc read_next(mpg_json *json, bool *record, bool *more, mpg_err *err) {
  mpg_window *w = &json->w;
  mpg_json_scan s = {w->buf + w->end,     MPG_OK, NULL,  NULL, NULL,
                     &json->poll_env_own, NULL,   false, 0};
  const char *p, *after, *last;
  advance(json, mpg_json_space(w->buf + w->at, s.end));
  p = w->buf + w->at;
  if (p == s.end || w->at >= json->stop) {
    *more = !w->last;
    return *more ? MPG_OK : at_end(json, err);
  }
  if (json->state == AFTER_ARRAY && *p != '[')
    return unexpected(json, "an array or end of file", err);
  if (json->state == AFTER_ELEMENT && *p != ',' && *p != ']')
    return unexpected(json, "',' or ']'", err);
  if (json->state == AFTER_ELEMENT || (json->state == AT_FIRST && *p == ']')) {
    json->state = *p == ']' ? AFTER_ARRAY : AT_ELEMENT;
    advance(json, p + 1);
    return MPG_OK;
  }
  if ((json->state == AT_START || json->state == AFTER_ARRAY) && *p == '[') {
    json->state = AT_FIRST;
    advance(json, p + 1);
    return MPG_OK;
  }
  if (*p != '{')
    return unexpected(json, json->state == AT_FIRST ? "an object or ']'" : "an object", err);
  s.takes_nan = json->takes_nan;
  p = mpg_json_members_scan(&json->members, &json->poll_env_own, &s, p, &after);
  if (p == NULL && s.rc == MPG_DATA && s.at == s.end && !w->last) {
    *more = true;
    return MPG_OK;
  }
  if (p == NULL && (s.rc == MPG_NOMEM || s.rc == MPG_INTERRUPTED))
    return mpg_json_scan_fail(&s, NULL, 0, 0, NULL, err);
  /* An error after the limit is reported as one of the limit, as it is if the window ends before
  ** it. */
  last = p != NULL ? p : after != NULL ? after : s.at;
  if ((size_t)(last - w->buf) - w->at > json->limit)
    return too_long(json, err);
  if (p == NULL)
    return malformed(json, &s, after, err);
  json->record = w->at;
  json->record_line = json->line;
  json->record_column = json->column;
  json->nans = s.nans;
  json->state = in_array(json) ? AFTER_ELEMENT : AT_LINE;
  advance(json, p);
  *record = s.nans == 0 || without_nan(json, err) == MPG_OK;
  return *record ? MPG_OK : err->rc;
}

mpg_rc mpg_json_record(mpg_json *json, const mpg_json_member **members, size_t *n, mpg_err *err) {
  mpg_rc rc = json->broken.rc;
  bool record = false, broken = false; /* the stream is */
  *members = NULL;
  *n = 0;
  if (rc != MPG_OK) {
    *err = json->broken;
    return rc;
  }
  if (!json->started) {
    rc = mpg_window_start(&json->w, err);
    broken = rc != MPG_OK;
    json->started = true;
  }
  while (rc == MPG_OK && !record) {
    bool more = false;
    if (json->state == GIVEN_UP) {
      rc = pass_rest(json, err);
      broken = rc != MPG_DONE;
      break;
    }
    if (json->skip_line)
      skip_line(json);
    if (json->skip_line)
      more = !json->w.last;
    if (json->skip_line && !more)
      return MPG_DONE;
    if (!more)
      rc = read_next(json, &record, &more, err);
    if (rc == MPG_OK && more) {
      if (json->w.end - json->w.at > json->limit)
        rc = too_long(json, err);
      else
        rc = mpg_window_more(&json->w, err);
      broken = rc != MPG_OK;
    }
  }
  if (record && mpg_poll_bytes(&json->poll_env_own, json->w.at - json->record)) {
    rc = mpg_fail(err, MPG_INTERRUPTED, "interrupted");
    record = false;
  }
  if (record) {
    *members = json->members.p;
    *n = json->members.n;
  } else if (rc != MPG_DONE && (rc != MPG_DATA || broken)) {
    json->broken = *err;
  }
  return rc;
}

void mpg_json_feed(mpg_json *json, mpg_stream *stream, mpg_block *block, const mpg_env *poll_env) {
  if (block->rest)
    poll_env = json->env;
  json->poll_env_own.interrupted = poll_env == NULL ? NULL : poll_env->interrupted;
  json->poll_env_own.interrupted_ctx = poll_env == NULL ? NULL : poll_env->interrupted_ctx;
  mpg_window_set(&json->w, stream, block->bytes, block->at, block->n + block->more,
                 block->rest ? block->cap : 0);
  json->stop = block->rest ? SIZE_MAX : block->n;
  json->started = true;
  json->skip_line = false;
  json->state = block->first ? AT_START : AT_LINE;
  json->line = json->record_line = block->line;
  json->column = json->record_column = 1;
  json->broken.rc = MPG_OK;
  if (block->rest) {
    block->bytes = NULL;
    block->cap = 0;
  }
}

bool mpg_json_unfeed(mpg_json *json, mpg_block *block) {
  const mpg_window *w = &json->w;
  size_t at = w->at;
  if (json->state != AT_LINE || json->skip_line || json->broken.rc != MPG_OK)
    return false;
  at += at < w->end && w->buf[at] == '\r';
  if (at >= block->n || at >= w->end || w->buf[at] != '\n')
    return false;
  block->at = at + 1;
  block->line = json->line + 1;
  block->first = false;
  return true;
}

bool mpg_json_peek(mpg_json *json, const char **p, const char **end) {
  mpg_window *w = &json->w;
  if (json->state != AT_LINE || json->skip_line || json->broken.rc != MPG_OK || w->buf == NULL)
    return false;
  while (w->at < w->end && (w->buf[w->at] == '\n' || w->buf[w->at] == '\r')) {
    json->column++;
    if (w->buf[w->at++] == '\n') {
      json->line++;
      json->column = 1;
    }
  }
  if (w->at >= w->end || w->at >= json->stop || w->buf[w->at] != '{')
    return false;
  *p = w->buf + w->at;
  *end = w->buf + w->end;
  json->record_line = json->line;
  return true;
}

void mpg_json_advance(mpg_json *json, const char *after) {
  size_t at = (size_t)(after - json->w.buf);
  json->record = json->w.at;
  json->record_column = json->column;
  json->nans = 0;
  json->column += (int64_t)(at - json->w.at);
  json->w.at = at;
}

bool mpg_json_is_broken(const mpg_json *json) {
  return json->broken.rc != MPG_OK;
}

int64_t mpg_json_line(const mpg_json *json) {
  return json->record_line;
}

size_t mpg_json_nans(const mpg_json *json) {
  return json->nans;
}

mpg_str mpg_json_text_of(const mpg_json *json) {
  if (json->nans > 0)
    return (mpg_str){json->text, json->n_text};
  return (mpg_str){json->w.buf + json->record, json->w.at - json->record};
}

bool mpg_json_cut_off(const mpg_json *json) {
  return json->cut_off;
}

void mpg_json_where(const mpg_json *json, size_t at, int64_t *line, int64_t *column) {
  const char *start = json->w.buf + json->record;
  *line = json->record_line;
  *column = json->record_column;
  mpg_json_move_place(start, start + at, line, column);
}

struct mpg_json_doc {
  const mpg_env *env;
  mpg_json_members members;
  size_t work; /* since the latest poll */
};

/* What a parse of next to nothing costs, in bytes. */
#define PARSE_WORK 64

mpg_rc mpg_json_parse(mpg_json_doc **doc, const mpg_env *env, const char *name, mpg_str text,
                      const mpg_json_member **members, size_t *n, mpg_err *err) {
  const char *start = text.n > 0 ? text.p : "", *p, *after;
  mpg_json_scan s = {start + text.n, MPG_DATA, NULL, NULL, NULL, env, NULL, false, 0};
  int64_t line = 1, column = 1;
  *members = NULL;
  *n = 0;
  if (*doc == NULL) {
    *doc = mpg_calloc(env, sizeof **doc);
    if (*doc == NULL)
      return mpg_fail_nomem(err);
    (*doc)->env = env;
  }
  /* A record may have millions of values, none of them long enough to poll by itself. */
  if (mpg_poll_work(env, &(*doc)->work, text.n + PARSE_WORK))
    return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
  p = mpg_json_space(start, s.end);
  if (p == s.end || (*p != '{' && *p != '[')) {
    s.at = p;
    s.expected = "an object or an array";
    p = NULL;
  } else {
    p = mpg_json_members_scan(&(*doc)->members, env, &s, p, &after);
  }
  if (p != NULL) {
    p = mpg_json_space(p, s.end);
    if (p == s.end) {
      *members = (*doc)->members.p;
      *n = (*doc)->members.n;
      return MPG_OK;
    }
    s.rc = MPG_DATA;
    s.at = p;
    s.expected = "end of text";
    s.found = NULL;
  }
  if (s.rc != MPG_NOMEM && s.rc != MPG_INTERRUPTED)
    mpg_json_move_place(start, s.at, &line, &column);
  return mpg_json_scan_fail(&s, name, line, column, "end of text", err);
}

void mpg_json_doc_free(mpg_json_doc *doc) {
  if (doc == NULL)
    return;
  mpg_json_members_free(&doc->members, doc->env);
  mpg_free(doc->env, doc);
}
