/*
** chrome.c - see chrome.h.
*/
#include "chrome.h"
#include "../../read/input/place.h"
#include "chrome_prefetch.h"
#include "../../read/input/window.h"
#include "../../base/limits.h"

#include <stdio.h>
#include <string.h>

#define PROPERTY_LIMIT ((size_t)1 << 20)
#define EVENTS_BETWEEN_POLLS 4096
#define LOOK_AHEAD 128 /* a fault is known at the latest so many bytes after its position */

/* What may come next in the stream, after white space. */
typedef enum state {
  AT_START,       /* '[' or '{' */
  AT_FIRST_KEY,   /* a key of the object around the events, or its '}' */
  AT_KEY,         /* a key of it */
  AFTER_VALUE,    /* ',' or '}' of it */
  IN_VALUE,       /* in the middle of a value of it that nobody wants */
  AT_FIRST_EVENT, /* an event or ']' */
  AT_EVENT,       /* an event, or ']' after a last comma */
  AFTER_EVENT,    /* ',' or ']' */
  IN_EVENT,       /* in the middle of a malformed event */
  AT_END,         /* nothing more */
  GIVEN_UP
} state;

typedef struct pair {
  mpg_json_token key, value;
} pair;

struct mpg_chrome {
  const mpg_env *env;
  mpg_poller poller; /* within one event */
  mpg_issues *issues;
  mpg_chrome_property property;
  void *property_ctx;
  mpg_window w;
  size_t limit; /* bytes of an event, or of a value around them */
  state state;
  bool started;
  bool any;            /* there was an event */
  bool in_object;      /* the events are within an object */
  bool seen_events;    /* a traceEvents, or the array */
  mpg_json_skip skip;  /* IN_VALUE, IN_EVENT */
  char keys[160];      /* of the object, for the error that it has no traceEvents */
  size_t event, after; /* the current event in the window; `after` is the position after it */
  mpg_json_token fields[MPG_CHROME_FIELDS + 1];
  mpg_chrome_keys recent_keys;
  /* Lines are counted on demand, or when bytes leave the window: up to `counted` in the window. */
  size_t counted;
  int64_t line;
  int64_t line_start; /* of `line`, in the window: negative if it began before */
  unsigned polled;
  bool args_read; /* of the current event */
  pair *args;
  size_t n_args, cap_args;
  char *text; /* unescaped */
  size_t cap_text;
  mpg_err broken; /* an error that cannot be skipped is reported by every later call */
  mpg_err failed; /* an error of the stream, after the window */
  mpg_chrome_request request;
  int64_t passed; /* events that differ from it */
  /* What other threads have read (chrome_prefetch.h), if there are any: the window is then a piece
  ** of it, or `carry`. */
  int threads;
  mpg_chrome_prefetch *ahead;
  const mpg_chrome_piece *piece; /* that the window is, and its rows count; NULL: they do not */
  size_t row;                    /* the next of them */
  uint32_t events;               /* of the piece that are accounted for */
  char *carry;                   /* the end of one piece, and what follows it */
  size_t cap_carry;
};

mpg_rc mpg_chrome_open(mpg_chrome **out, const mpg_env *env, mpg_stream *stream, mpg_issues *issues,
                       mpg_chrome_property property, void *ctx, mpg_err *err) {
  mpg_chrome *r = mpg_calloc(env, sizeof *r);
  *out = r;
  if (r == NULL)
    return mpg_fail_nomem(err);
  r->env = r->poller.env = env;
  r->issues = issues;
  r->property = property;
  r->property_ctx = ctx;
  r->line = 1;
  r->threads = 1;
  r->limit = (size_t)mpg_limit_in(env, MPG_LIMIT_RECORD_BYTES);
  mpg_window_open(&r->w, env, stream);
  return MPG_OK;
}

void mpg_chrome_request_events(mpg_chrome *r, const mpg_chrome_request *request, int threads) {
  if (request != NULL)
    r->request = *request;
  r->threads = threads;
}

void mpg_chrome_close(mpg_chrome *r) {
  if (r == NULL)
    return;
  mpg_chrome_prefetch_close(r->ahead);
  mpg_window_close(&r->w);
  mpg_free(r->env, r->carry);
  mpg_free(r->env, r->args);
  mpg_free(r->env, r->text);
  mpg_free(r->env, r);
}

/* ---- Places ---- */

static void count_to(mpg_chrome *r, size_t to) {
  const char *buf = r->w.buf;
  int64_t lines;
  if (to <= r->counted)
    return;
  lines = mpg_count_lines(buf + r->counted, buf + to);
  if (lines > 0) {
    r->line_start = mpg_last_line(buf + r->counted, buf + to) - buf;
    r->line += lines;
  }
  r->counted = to;
}

int64_t mpg_chrome_line(mpg_chrome *r) {
  if (r->piece != NULL && r->row > 0 && r->counted == 0)
    return r->line + r->piece->rows[r->row - 1].lines;
  count_to(r, r->event);
  return r->line;
}

/* Line and column of a position in the window. Later calls must not ask for an earlier position. */
static void place_of(const mpg_chrome *r, const char *at, int64_t *line, int64_t *column) {
  const char *from = r->w.buf + r->counted;
  *line = r->line;
  *column = (at - r->w.buf) - r->line_start + 1;
  from = from < at ? memchr(from, '\n', (size_t)(at - from)) : NULL;
  if (from != NULL) {
    *line += mpg_count_lines(from, at);
    *column = at - mpg_last_line(from, at) + 1;
  }
}

static mpg_rc unexpected(const mpg_chrome *r, const char *at, const char *expected, mpg_err *err) {
  char text[MPG_BYTE_TEXT];
  mpg_place place = {.path = mpg_stream_path(r->w.stream)};
  place_of(r, at, &place.line, &place.column);
  return mpg_expected(err, place, expected,
                      at == r->w.buf + r->w.end ? "end of file" : mpg_byte_text(*at, text));
}

/* An event or value from p on, of which `to` bytes were looked at. */
static mpg_rc check_size(const mpg_chrome *r, const char *p, size_t to, mpg_err *err) {
  int64_t line, column;
  if (to <= r->limit)
    return MPG_OK;
  place_of(r, p, &line, &column);
  return mpg_fail(err, MPG_LIMIT, "%s:%lld:%lld: event or value of more than %zu bytes",
                  mpg_stream_path(r->w.stream), (long long)line, (long long)column, r->limit);
}

/* ---- The object around the events ---- */

/* Keeps the first keys for a message. */
static void note_key(mpg_chrome *r, mpg_str key) {
  size_t n = strlen(r->keys);
  if (n + key.n + 5 < sizeof r->keys && key.n < 64)
    (void)snprintf(r->keys + n, sizeof r->keys - n, "%s\"%.*s\"", n == 0 ? "" : ", ", (int)key.n,
                   key.p);
}

static mpg_rc report_property(mpg_chrome *r, mpg_str key, const mpg_json_token *value,
                              mpg_err *err) {
  mpg_rc rc = MPG_OK;
  note_key(r, key);
  if (r->property != NULL)
    rc = r->property(r->property_ctx, key, value);
  return rc == MPG_OK ? rc : mpg_fail_plain(err, rc);
}

static mpg_rc no_trace(mpg_chrome *r, mpg_err *err) {
  return mpg_fail(err, MPG_DATA,
                  "%s:1:1: expected a Chrome trace, an array of events or an object with "
                  "\"traceEvents\", found an object with %s",
                  mpg_stream_path(r->w.stream), r->keys[0] == '\0' ? "no keys" : r->keys);
}

/*
** A key at p and, unless it is traceEvents, its value. NULL: `s` says why, or *err has it. What is
** large and wanted by nobody is skipped piece by piece.
*/
static const char *scan_property(mpg_chrome *r, const char *p, mpg_json_lenient *s, mpg_rc *rc,
                                 mpg_err *err) {
  mpg_json_token key, value = {MPG_JSON_LENIENT_NONE, false, {"", 0}};
  const char *start = p;
  if (*p != '"') {
    s->at = p;
    s->expected = "a key in double quotes";
    return NULL;
  }
  p = mpg_json_lenient_value(s, p, &key);
  if (p == NULL)
    return NULL;
  p = mpg_json_lenient_space(p, s->end);
  if (p < s->end && *p != ':') {
    s->at = p;
    s->expected = "':'";
    return NULL;
  }
  p = p < s->end ? mpg_json_lenient_space(p + 1, s->end) : p;
  if (p == s->end) {
    s->more = true;
    return NULL;
  }
  *rc = check_size(r, start, (size_t)(p - start), err);
  if (*rc != MPG_OK)
    return NULL;
  if (mpg_str_eq(key.text, MPG_STR("traceEvents"))) {
    if (*p != '[') {
      s->at = p;
      s->expected = "an array of events";
      return NULL;
    }
    r->seen_events = true;
    r->state = AT_FIRST_EVENT;
    return p + 1;
  }
  if (*p == '{' || *p == '[') {
    const char *after;
    r->skip = (mpg_json_skip){0, false, false};
    after = mpg_json_skip_nested(&r->skip, p, s->end);
    if (after == NULL && r->property != NULL && (size_t)(s->end - start) <= PROPERTY_LIMIT) {
      s->more = true;
      return NULL;
    }
    if (after == NULL) {
      *rc = report_property(r, key.text, &value, err);
      r->state = IN_VALUE;
      return s->end;
    }
    if ((size_t)(after - start) <= PROPERTY_LIMIT)
      value = (mpg_json_token){MPG_JSON_LENIENT_NESTED, false, {p, (size_t)(after - p)}};
    p = after;
  } else if ((p = mpg_json_lenient_value(s, p, &value)) == NULL ||
             (*rc = check_size(r, start, (size_t)(p - start), err)) != MPG_OK) {
    return NULL;
  }
  *rc = report_property(r, key.text, &value, err);
  r->state = AFTER_VALUE;
  return p;
}

/* ---- More of the stream ---- */

static bool within_events(state s) {
  return s == AT_FIRST_EVENT || s == AT_EVENT || s == AFTER_EVENT;
}

static const char *back_over_space(const char *p, const char *begin) {
  while (p > begin && (p[-1] == ' ' || p[-1] == '\n' || p[-1] == '\r' || p[-1] == '\t'))
    p--;
  return p;
}

/* Gives the prefetching threads the spelling of the seam before the last event, if the window has
** it. */
static void show_seam(const mpg_chrome *r) {
  const char *begin = r->w.buf, *event = begin + r->event, *end = begin + r->w.end;
  const char *p = back_over_space(event, begin), *quote;
  if (p == begin || p[-1] != ',')
    return;
  p = back_over_space(p - 1, begin);
  quote = mpg_json_lenient_space(event + 1, end);
  if (p == begin || p[-1] != '}' || quote >= end || *quote != '"')
    return;
  quote = memchr(quote + 1, '"', (size_t)(end - quote) - 1);
  if (quote != NULL)
    mpg_chrome_prefetch_seam(r->ahead, (mpg_str){p, (size_t)(quote + 1 - p)});
}

/* After one window of events, other threads may read ahead; if they cannot be started, this thread
** reads on alone. */
static void may_read_ahead(mpg_chrome *r) {
  mpg_err none;
  if (r->threads > 1 && r->any && within_events(r->state)) {
    (void)mpg_chrome_prefetch_open(&r->ahead, r->env, r->w.stream, &r->request, r->threads, &none);
    r->threads = 1;
  }
}

/* The window becomes its bytes from w.at on, in `carry`, with room for `n` more. */
static mpg_rc move_to_carry(mpg_chrome *r, size_t n, mpg_err *err) {
  mpg_window *w = &r->w;
  size_t have = w->end - w->at, at = w->at;
  bool own = w->buf == r->carry;
  if (mpg_grow(r->env, &r->carry, &r->cap_carry, (own ? w->end : have) + n + MPG_WINDOW_SLACK, 1) !=
      MPG_OK)
    return mpg_fail_nomem(err);
  if (have > 0)
    memmove(r->carry, own ? r->carry + at : w->buf + at, have);
  memset(r->carry + have, 0, MPG_WINDOW_SLACK);
  mpg_window_set(w, w->stream, r->carry, 0, have, 0);
  w->last = false;
  return MPG_OK;
}

/* The next piece of what is read ahead; in the middle of something, as much again as there is of
** it. */
static mpg_rc more_ahead(mpg_chrome *r, mpg_err *err) {
  mpg_window *w = &r->w;
  size_t have = w->end - w->at, added = 0;
  bool after_event = have == 0 && r->state == AFTER_EVENT;
  mpg_rc rc = move_to_carry(r, 0, err); /* the piece before goes */
  while (rc == MPG_OK && (added == 0 || added < have)) {
    const mpg_chrome_piece *piece;
    rc = mpg_chrome_prefetch_next(r->ahead, &piece, err);
    if (rc != MPG_OK)
      break;
    if (piece->guessed)
      mpg_chrome_prefetch_judge(r->ahead, after_event);
    if (have == 0) {
      mpg_window_set(w, w->stream, piece->bytes, 0, piece->n, 0);
      w->last = false;
      r->piece = after_event && piece->guessed ? piece : NULL;
      r->row = r->events = 0;
      return MPG_OK;
    }
    rc = move_to_carry(r, piece->n, err);
    if (rc == MPG_OK) {
      memcpy(r->carry + w->end, piece->bytes, piece->n);
      w->end += piece->n;
      memset(r->carry + w->end, 0, MPG_WINDOW_SLACK);
      added += piece->n;
    }
  }
  w->last = rc == MPG_DONE;
  if (rc != MPG_OK && rc != MPG_DONE && added > 0)
    r->failed = *err;
  return rc == MPG_DONE || added > 0 ? MPG_OK : rc;
}

static mpg_rc more_alone(mpg_chrome *r, mpg_err *err) {
  size_t have = r->w.end - r->w.at;
  mpg_rc rc = mpg_window_more(&r->w, err);
  if (rc == MPG_OK || rc == MPG_NOMEM || rc == MPG_INTERRUPTED || r->w.end == have)
    return rc;
  r->failed = *err;
  return MPG_OK;
}

/* Reads more, and drops the bytes before w.at. An error of the stream is returned after the bytes
** before it are used. */
static mpg_rc read_more(mpg_chrome *r, mpg_err *err) {
  size_t gone = r->w.at;
  if (r->failed.rc != MPG_OK) {
    *err = r->failed;
    return err->rc;
  }
  may_read_ahead(r);
  if (r->ahead != NULL && (gone < r->w.end || r->state != AFTER_EVENT))
    show_seam(r);
  count_to(r, gone);
  r->counted -= gone;
  r->line_start -= (int64_t)gone;
  r->event = r->event > gone ? r->event - gone : 0;
  return r->ahead != NULL ? more_ahead(r, err) : more_alone(r, err);
}

/* ---- The stream ---- */

/* The stream ends too early. */
static mpg_rc at_end(mpg_chrome *r, mpg_err *err) {
  const char *end = r->w.buf + r->w.end;
  if (r->state == GIVEN_UP || r->state == AT_END)
    return MPG_DONE;
  r->event = r->w.end;
  if (r->state == AT_START) {
    r->state = GIVEN_UP;
    return unexpected(r, end, "a Chrome trace: an array of events or an object", err);
  }
  if (!r->seen_events) {
    r->state = GIVEN_UP;
    return unexpected(r, end, "\"traceEvents\"", err);
  }
  r->state = AT_END;
  count_to(r, r->w.end);
  if (r->issues != NULL &&
      mpg_issues_add(r->issues, MPG_WARNING, mpg_stream_path(r->w.stream), "unfinished_trace",
                     r->line, 1,
                     "the file ends within the trace: read to its last whole event") != MPG_OK)
    return mpg_fail_nomem(err);
  return MPG_DONE;
}

/* A comma, or what closes the object or the events. */
static mpg_rc pass_separator(mpg_chrome *r, char separator, mpg_err *err) {
  if (separator == ',') {
    r->state = r->state == AFTER_VALUE ? AT_KEY : AT_EVENT;
  } else {
    r->state = r->state == AFTER_EVENT && r->in_object ? AFTER_VALUE : AT_END;
    if (!r->seen_events) {
      r->state = GIVEN_UP;
      return no_trace(r, err);
    }
  }
  r->w.at++;
  return MPG_OK;
}

/* A key of the outer object, and its value unless that is the events. */
static mpg_rc read_property(mpg_chrome *r, const char *p, mpg_json_lenient *s, mpg_err *err) {
  mpg_rc rc = MPG_OK;
  const char *after = scan_property(r, p, s, &rc, err);
  if (after == NULL && rc == MPG_OK && s->more)
    return MPG_DONE;
  if (after == NULL && rc == MPG_OK && check_size(r, p, (size_t)(s->at - p), err) == MPG_OK) {
    r->state = GIVEN_UP;
    return unexpected(r, s->at, s->expected, err);
  }
  if (after == NULL)
    return err->rc;
  r->w.at = (size_t)(after - r->w.buf);
  return rc;
}

static mpg_rc read_event(mpg_chrome *r, const char *p, mpg_json_lenient *s, bool *event,
                         mpg_err *err) {
  const char *after;
  mpg_rc rc;
  r->args_read = false;
  after = mpg_chrome_event_scan(s, p, &r->recent_keys, r->fields, event);
  if (after == NULL && s->more)
    return MPG_DONE;
  rc = check_size(r, p, (size_t)((after == NULL ? s->at : after) - p), err);
  if (rc != MPG_OK)
    return rc;
  if (after == NULL) {
    r->state = IN_EVENT;
    r->skip = (mpg_json_skip){0, false, false};
    return unexpected(r, s->at, s->expected, err);
  }
  r->after = (size_t)(after - r->w.buf);
  r->state = AFTER_EVENT;
  if (!*event)
    r->w.at = r->after;
  return MPG_OK;
}

/* What stands at p is not what the trace goes on with: an error, after which nothing is read. */
static mpg_rc give_up(mpg_chrome *r, const char *p, mpg_err *err) {
  mpg_rc rc = unexpected(r, p,
                         r->state == AT_START ? "a Chrome trace: an array of events or an object"
                         : r->state == AFTER_VALUE ? "',' or '}'"
                         : r->state == AFTER_EVENT ? "',' or ']'"
                         : within_events(r->state) ? "an event: an object"
                                                   : "end of file",
                         err);
  if (r->any)
    mpg_add_to_error(err, "; nothing after it is read");
  r->state = GIVEN_UP;
  return rc;
}

/* One thing of the stream: MPG_OK and *event say that it is an event. MPG_DONE: more bytes are
** needed. */
static mpg_rc read_item(mpg_chrome *r, bool *event, mpg_err *err) {
  mpg_window *w = &r->w;
  mpg_json_lenient s = mpg_json_lenient_of(w->buf + w->at, w->buf + w->end, &r->poller);
  const char *p = w->buf + w->at, *after;
  if (r->state == IN_VALUE || r->state == IN_EVENT) {
    after = mpg_json_skip_nested(&r->skip, p, s.end);
    w->at = after == NULL ? w->end : (size_t)(after - w->buf);
    if (after != NULL)
      r->state = r->state == IN_VALUE ? AFTER_VALUE : AFTER_EVENT;
    return after == NULL ? MPG_DONE : MPG_OK;
  }
  p = mpg_json_lenient_space(p, s.end);
  r->event = w->at = (size_t)(p - w->buf); /* or what is wrong */
  if (p == s.end)
    return MPG_DONE;
  switch (r->state) {
  case AT_START:
    if (*p != '[' && *p != '{')
      break;
    r->in_object = *p == '{';
    r->seen_events = !r->in_object;
    r->state = r->in_object ? AT_FIRST_KEY : AT_FIRST_EVENT;
    w->at++;
    return MPG_OK;
  case AFTER_VALUE:
  case AFTER_EVENT:
    if (*p != ',' && *p != (r->state == AFTER_VALUE ? '}' : ']'))
      break;
    return pass_separator(r, *p, err);
  case AT_FIRST_KEY:
    if (*p == '}') {
      r->state = GIVEN_UP;
      return no_trace(r, err);
    }
    /* fallthrough */
  case AT_KEY:
    return read_property(r, p, &s, err);
  case AT_FIRST_EVENT:
  case AT_EVENT:
    if (*p == ']') {
      r->state = AFTER_EVENT;
      return MPG_OK;
    }
    if (*p != '{')
      break;
    return read_event(r, p, &s, event, err);
  default:
    break;
  }
  return give_up(r, p, err);
}

static bool is_no_event(const mpg_chrome *r) {
  return r->fields[MPG_CHROME_PH].kind == MPG_JSON_LENIENT_NONE &&
         r->fields[MPG_CHROME_NAME].kind == MPG_JSON_LENIENT_NONE &&
         r->fields[MPG_CHROME_TS].kind == MPG_JSON_LENIENT_NONE;
}

/* An array whose first object is no event: some other JSON. */
static mpg_rc no_events(mpg_chrome *r, mpg_err *err) {
  int64_t line, column;
  place_of(r, r->w.buf + r->event, &line, &column);
  r->state = GIVEN_UP;
  return mpg_fail(err, MPG_DATA,
                  "%s:%lld:%lld: expected an event of a Chrome trace, found an object without "
                  "\"ph\", \"name\" and \"ts\"",
                  mpg_stream_path(r->w.stream), (long long)line, (long long)column);
}

/* The next prefetched event; false if the rest of the piece has to be read here. */
static bool give_row(mpg_chrome *r) {
  const mpg_chrome_piece *piece = r->piece;
  const mpg_chrome_row *row;
  if (r->row == piece->n_rows) {
    r->passed += piece->events - r->events;
    r->w.at = piece->after;
    r->piece = NULL;
    if (r->counted == 0 && piece->after > 0) { /* lines of it were not counted here */
      r->line += piece->lines;
      if (piece->lines > 0)
        r->line_start = (int64_t)piece->line_start;
      r->counted = piece->after;
    }
    return false;
  }
  row = &piece->rows[r->row++];
  r->passed += row->number - r->events;
  r->events = row->number + 1;
  r->event = row->at;
  r->after = row->after;
  r->args_read = false;
  for (int f = 0; f < MPG_CHROME_FIELDS; f++) {
    mpg_json_token *token = &r->fields[f];
    token->kind = (mpg_json_lenient_kind)row->kind[f];
    if (token->kind == MPG_JSON_LENIENT_NONE)
      continue;
    token->escaped = row->escaped[f];
    token->text = (mpg_str){r->w.buf + row->text[f].at, row->text[f].n};
  }
  return true;
}

mpg_rc mpg_chrome_next(mpg_chrome *r, mpg_err *err) {
  mpg_rc rc = MPG_OK;
  if (r->broken.rc == MPG_DATA) /* an error of the stream, already returned */
    return MPG_DONE;
  if (r->broken.rc != MPG_OK) {
    *err = r->broken;
    return r->broken.rc;
  }
  if (!r->started) {
    rc = mpg_window_start(&r->w, err);
    if (rc != MPG_OK)
      r->broken = *err;
    r->counted = r->w.at;
    r->line_start = (int64_t)r->w.at;
    r->started = true;
  }
  if (r->after > r->w.at)
    r->w.at = r->after;
  while (rc == MPG_OK) {
    bool event = false;
    size_t have;
    if (++r->polled % EVENTS_BETWEEN_POLLS == 0 && mpg_interrupted(r->env)) {
      rc = mpg_fail(err, MPG_INTERRUPTED, "interrupted");
      break;
    }
    if (r->piece != NULL && give_row(r))
      return MPG_OK;
    if (r->state == GIVEN_UP)
      return MPG_DONE;
    rc = read_item(r, &event, err);
    if (r->poller.stopped) {
      rc = mpg_fail(err, MPG_INTERRUPTED, "interrupted");
      break;
    }
    if (rc == MPG_OK && event) {
      if (!r->any && is_no_event(r))
        return no_events(r, err);
      r->any = true;
      if (!mpg_chrome_differs(&r->request, r->fields))
        return MPG_OK;
      r->passed++;
      r->w.at = r->after;
    }
    if (rc != MPG_DONE)
      continue;
    have = r->w.end - r->w.at;
    rc = check_size(r, r->w.buf + r->w.at, have < LOOK_AHEAD ? 0 : have - LOOK_AHEAD, err);
    if (rc == MPG_OK && r->w.last)
      return at_end(r, err);
    r->after = 0;
    if (rc == MPG_OK)
      rc = read_more(r, err);
    if (rc != MPG_OK)
      r->broken = *err;
  }
  r->after = 0;
  if (rc != MPG_DATA)
    r->broken = *err;
  return rc;
}

/* ---- The current event ---- */

int64_t mpg_chrome_passed(const mpg_chrome *r) {
  return r->passed;
}

bool mpg_chrome_has_events(const mpg_chrome *r) {
  return r->seen_events;
}

const mpg_json_token *mpg_chrome_get(const mpg_chrome *r, mpg_chrome_field field) {
  return &r->fields[field];
}

mpg_str mpg_chrome_event(const mpg_chrome *r) {
  return (mpg_str){r->w.buf + r->event, r->after - r->event};
}

static mpg_rc read_args(mpg_chrome *r, mpg_err *err) {
  const mpg_json_token *args = &r->fields[MPG_CHROME_ARGS];
  const char *p = args->text.p;
  mpg_json_lenient s;
  r->n_args = 0;
  r->args_read = true;
  if (args->kind != MPG_JSON_LENIENT_NESTED || *p != '{')
    return MPG_OK;
  s = mpg_json_lenient_of(p, p + args->text.n, &r->poller);
  p = mpg_json_lenient_space(p + 1, s.end);
  if (*p == '}')
    return MPG_OK;
  for (;;) {
    pair *next;
    if (mpg_grow(r->env, &r->args, &r->cap_args, r->n_args + 1, sizeof *r->args) != MPG_OK) {
      r->args_read = false;
      return mpg_fail_nomem(err);
    }
    next = &r->args[r->n_args];
    p = mpg_json_lenient_member(&s, p, &next->key, &next->value);
    if (p == NULL)
      break;
    r->n_args++;
    if (mpg_json_lenient_stops(&s, p))
      break;
    if (p < s.end && *p == ',') {
      p = mpg_json_lenient_space(p + 1, s.end);
      continue;
    }
    if (p == s.end - 1)
      return MPG_OK;
    s.at = p;
    s.expected = "',' or '}'";
    break;
  }
  r->args_read = false;
  if (r->poller.stopped)
    return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
  count_to(r, r->event);
  return unexpected(r, s.at, s.expected, err);
}

mpg_rc mpg_chrome_arg(mpg_chrome *r, mpg_str key, mpg_json_token *out, mpg_err *err) {
  mpg_rc rc = r->args_read ? MPG_OK : read_args(r, err);
  out->kind = MPG_JSON_LENIENT_NONE;
  if (rc == MPG_OK && mpg_poller_stop(&r->poller, r->n_args))
    return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
  for (size_t i = r->n_args; rc == MPG_OK && i > 0; i--)
    if (mpg_str_eq(r->args[i - 1].key.text, key)) {
      *out = r->args[i - 1].value;
      break;
    }
  return rc;
}

mpg_rc mpg_chrome_text(mpg_chrome *r, const mpg_json_token *token, mpg_str *out) {
  *out = token->text;
  if (token->kind != MPG_JSON_LENIENT_STRING || !token->escaped)
    return MPG_OK;
  if (mpg_grow(r->env, &r->text, &r->cap_text, token->text.n, 1) != MPG_OK)
    return MPG_NOMEM;
  *out = (mpg_str){r->text, mpg_json_lenient_unescape(r->text, token->text, &r->poller)};
  return r->poller.stopped ? MPG_INTERRUPTED : MPG_OK;
}
