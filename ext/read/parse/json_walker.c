/* json_walker.c - see json_walker.h. */
#include "json_walker.h"
#include "../../base/ascii.h"
#include "json_tokens.h"
#include "../input/place.h"
#include "../input/window.h"
#include "../../base/limits.h"
#include "../../base/text.h"

#include <string.h>

struct mpg_pull {
  const mpg_env *env;
  mpg_poller poller; /* of texts with escapes */
  mpg_window w;
  size_t limit;
  bool started, over;
  bool broken; /* a value at the top went wrong: continue at the next line that begins with '{' */
  bool cut;
  int depth;
  bool object[MPG_PULL_DEPTH]; /* what was entered is an object, not an array */
  bool any[MPG_PULL_DEPTH];    /* a member or element of it has been given */
  bool pending;                /* a value begins at w.at */
  int64_t documents;
  int64_t line, column; /* of w.at */
  int64_t broken_line;  /* of the last MPG_DATA */
  char *key, *text;     /* unescaped, if they had escapes; the key always */
  size_t key_cap, text_cap;
};

mpg_rc mpg_pull_open(mpg_pull **out, const mpg_env *env, mpg_stream *stream, size_t limit,
                     mpg_err *err) {
  mpg_pull *p = mpg_calloc(env, sizeof *p);
  if (p == NULL)
    return mpg_fail_nomem(err);
  p->env = p->poller.env = env;
  p->limit = limit != 0 ? limit : (size_t)mpg_limit_in(env, MPG_LIMIT_RECORD_BYTES);
  p->line = p->column = 1;
  mpg_window_open(&p->w, env, stream);
  *out = p;
  return MPG_OK;
}

void mpg_pull_close(mpg_pull *p) {
  if (p == NULL)
    return;
  mpg_window_close(&p->w);
  mpg_free(p->env, p->key);
  mpg_free(p->env, p->text);
  mpg_free(p->env, p);
}

int mpg_pull_depth(const mpg_pull *p) {
  return p->depth;
}

int64_t mpg_pull_documents(const mpg_pull *p) {
  return p->documents;
}

bool mpg_pull_cut_off(const mpg_pull *p) {
  return p->cut;
}

int64_t mpg_pull_broken_line(const mpg_pull *p) {
  return p->broken_line;
}

/* After any error: what was entered is not taken to have ended. */
static void back_to_top(mpg_pull *p) {
  p->depth = 0;
  p->pending = false;
}

/* After one that nothing can follow. */
static void give_up(mpg_pull *p) {
  p->over = true;
  back_to_top(p);
}

static mpg_rc fail_interrupted(mpg_pull *p, mpg_err *err) {
  give_up(p);
  return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
}

static mpg_rc too_long(mpg_pull *p, mpg_err *err) {
  give_up(p);
  return mpg_fail(err, MPG_LIMIT, "%s:%lld:%lld: value of more than %zu bytes",
                  mpg_stream_path(p->w.stream), (long long)p->line, (long long)p->column, p->limit);
}

static mpg_rc out_of_memory(mpg_pull *p, mpg_err *err) {
  give_up(p);
  return mpg_fail_nomem(err);
}

/* ---- The window ---- */

/* Moves w.at on to `to`. */
static void advance(mpg_pull *p, const char *to) {
  mpg_window *w = &p->w;
  mpg_json_move_place(w->buf + w->at, to, &p->line, &p->column);
  w->at = (size_t)(to - w->buf);
}

/* Reads more: the value that begins at w.at ends after the window. */
static mpg_rc read_more(mpg_pull *p, mpg_err *err) {
  mpg_rc rc;
  if (mpg_interrupted(p->env))
    return fail_interrupted(p, err);
  if (p->w.end - p->w.at > p->limit)
    return too_long(p, err);
  rc = mpg_window_more(&p->w, err);
  if (rc != MPG_OK)
    give_up(p);
  return rc;
}

mpg_rc mpg_pull_line_text(mpg_pull *p, mpg_str *text, mpg_err *err) {
  const char *newline;
  for (;;) {
    size_t at = p->w.at;
    while (at < p->w.end && mpg_is_json_space(p->w.buf[at]))
      at++;
    *text = (mpg_str){p->w.buf + at, p->w.end - at};
    newline = text->n > 0 ? memchr(text->p, '\n', text->n) : NULL;
    if (newline != NULL || text->n >= MPG_EXCERPT || p->w.last)
      break;
    if (read_more(p, err) != MPG_OK)
      return err->rc;
  }
  if (newline != NULL)
    text->n = (size_t)(newline - text->p);
  if (newline != NULL && text->n > 0 && text->p[text->n - 1] == '\r')
    text->n--;
  return MPG_OK;
}

/* Reports a failed scan that began at w.at, and goes back to the top. */
static mpg_rc malformed(mpg_pull *p, const mpg_json_scan *s, mpg_err *err) {
  int64_t line = p->line, column = p->column;
  mpg_json_move_place(p->w.buf + p->w.at, s->at, &line, &column);
  (void)mpg_json_scan_fail(s, mpg_stream_path(p->w.stream), line, column, "end of file", err);
  p->broken_line = line;
  p->cut = s->rc == MPG_DATA && s->at == s->end && p->depth > 0;
  if (s->rc == MPG_DATA && p->depth > 0 && !p->cut)
    mpg_add_to_error(err, "; the rest of this document is not read");
  p->broken = true;
  p->over = s->rc != MPG_DATA;
  back_to_top(p);
  return s->rc;
}

/* Steps over what is broken; MPG_DONE if nothing follows it. */
static mpg_rc skip_broken(mpg_pull *p, mpg_err *err) {
  while (p->broken) {
    const char *at = p->w.buf + p->w.at, *end = p->w.buf + p->w.end, *newline;
    if (at == end) {
      if (p->w.last)
        return MPG_DONE;
      if (read_more(p, err) != MPG_OK)
        return err->rc;
      continue;
    }
    if (p->column == 1 && *at == '{') {
      p->broken = false;
      break;
    }
    newline = memchr(at, '\n', (size_t)(end - at));
    advance(p, newline == NULL ? end : newline + 1);
  }
  return MPG_OK;
}

/* ---- Values ---- */

/* Behind the key of a member and its colon. NULL: see s. */
static const char *scan_key(mpg_pull *p, mpg_json_scan *s, const char *at, mpg_str *raw) {
  const char *open = at;
  bool escaped;
  if (at == s->end || *at != '"') {
    s->at = at;
    s->expected = p->any[p->depth - 1] ? "a key in double quotes" : "a key in double quotes or '}'";
    return NULL;
  }
  if ((at = mpg_json_string(s, at + 1, &escaped)) == NULL)
    return NULL;
  *raw = (mpg_str){open + 1, (size_t)(at - open) - 2};
  at = mpg_json_space(at, s->end);
  if (at == s->end || *at != ':') {
    s->at = at;
    s->expected = "':'";
    return NULL;
  }
  return mpg_json_space(at + 1, s->end);
}

/*
** Scans from w.at to the next value of the current container. NULL with s->rc MPG_DONE at its end;
** *after is then the position after it. If the window ends too early, the scan fails at s->end.
*/
static const char *scan_next(mpg_pull *p, mpg_json_scan *s, mpg_str *raw, const char **after) {
  const char *at = mpg_json_space(p->w.buf + p->w.at, s->end);
  bool object = p->depth > 0 && p->object[p->depth - 1];
  *raw = (mpg_str){"", 0};
  s->rc = MPG_DATA;
  s->at = at;
  s->found = NULL;
  if (p->depth == 0)
    s->expected = "a value";
  else if (at < s->end && *at == (object ? '}' : ']')) {
    s->rc = MPG_DONE;
    *after = at + 1;
    return NULL;
  } else if (p->any[p->depth - 1]) {
    s->expected = object ? "',' or '}'" : "',' or ']'";
    if (at == s->end || *at != ',')
      return NULL;
    s->at = at = mpg_json_space(at + 1, s->end);
  }
  if (object && (at = scan_key(p, s, at, raw)) == NULL)
    return NULL;
  if (p->depth > 0)
    s->expected = object || p->any[p->depth - 1] ? "a value" : "a value or ']'";
  s->rc = MPG_DATA;
  s->at = at;
  return at == s->end || strchr("{[\"tfn-0123456789", *at) == NULL || *at == '\0' ? NULL : at;
}

static mpg_rc keep_key(mpg_pull *p, mpg_str raw, mpg_pull_item *item, mpg_err *err) {
  if (mpg_grow(p->env, &p->key, &p->key_cap, raw.n + 1, 1) != MPG_OK)
    return out_of_memory(p, err);
  item->key = (mpg_str){p->key, mpg_json_unescape(p->key, raw, &p->poller)};
  return p->poller.stopped ? fail_interrupted(p, err) : MPG_OK;
}

mpg_rc mpg_pull_next(mpg_pull *p, mpg_pull_item *item, mpg_err *err) {
  mpg_rc rc = MPG_OK;
  if (p->over)
    return MPG_DONE;
  if (!p->started) {
    p->started = true;
    rc = mpg_window_start(&p->w, err);
    if (rc != MPG_OK)
      give_up(p);
  }
  if (rc == MPG_OK && p->pending) {
    mpg_json_kind kind;
    mpg_str text;
    rc = mpg_pull_value(p, &kind, &text, err);
  }
  if (rc == MPG_OK)
    rc = skip_broken(p, err);
  while (rc == MPG_OK) {
    mpg_json_scan s = {p->w.buf + p->w.end, MPG_OK, NULL, NULL, NULL, p->env, NULL, false, 0};
    const char *after = NULL, *at;
    mpg_str raw;
    at = scan_next(p, &s, &raw, &after);
    if (at != NULL) {
      rc = keep_key(p, raw, item, err);
      if (rc != MPG_OK)
        return rc;
      advance(p, at);
      if (p->depth > 0)
        p->any[p->depth - 1] = true;
      p->pending = true;
      item->first = *at;
      item->line = p->line;
      item->column = p->column;
      return MPG_OK;
    }
    if (s.rc == MPG_DONE) {
      advance(p, after);
      p->depth--;
      p->documents += p->depth == 0;
      return MPG_DONE;
    }
    if (s.rc == MPG_DATA && s.at == s.end && !p->w.last)
      rc = read_more(p, err);
    else if (p->depth == 0 && s.at == s.end)
      return MPG_DONE;
    else
      rc = malformed(p, &s, err);
  }
  return rc;
}

void mpg_pull_enter(mpg_pull *p) {
  char first = p->w.buf[p->w.at];
  if (!p->pending || p->depth == MPG_PULL_DEPTH || (first != '{' && first != '['))
    return;
  p->object[p->depth] = first == '{';
  p->any[p->depth] = false;
  p->depth++;
  p->pending = false;
  advance(p, p->w.buf + p->w.at + 1);
}

mpg_rc mpg_pull_value(mpg_pull *p, mpg_json_kind *kind, mpg_str *text, mpg_err *err) {
  for (;;) {
    mpg_json_scan s = {p->w.buf + p->w.end, MPG_OK, NULL, NULL, NULL, p->env, NULL, false, 0};
    const char *start = p->w.buf + p->w.at, *end;
    end = mpg_json_value(&s, start, p->depth, kind);
    /* A number continues with digits. */
    if (end == NULL ? s.rc == MPG_DATA && s.at == s.end && !p->w.last
                    : end == s.end && *kind == MPG_JSON_NUMBER && !p->w.last) {
      if (read_more(p, err) != MPG_OK)
        return err->rc;
      continue;
    }
    if (end == NULL) {
      p->depth += p->depth == 0; /* what is cut off is inside a value either way */
      return malformed(p, &s, err);
    }
    *text = (mpg_str){start, (size_t)(end - start)};
    if (text->n > p->limit)
      return too_long(p, err);
    if (*kind == MPG_JSON_STRING) {
      *text = (mpg_str){start + 1, text->n - 2};
      if (text->n > 0 && memchr(text->p, '\\', text->n) != NULL) {
        if (mpg_grow(p->env, &p->text, &p->text_cap, text->n, 1) != MPG_OK)
          return out_of_memory(p, err);
        *text = (mpg_str){p->text, mpg_json_unescape(p->text, *text, &p->poller)};
        if (p->poller.stopped)
          return fail_interrupted(p, err);
      }
    }
    advance(p, end);
    p->pending = false;
    p->documents += p->depth == 0;
    return MPG_OK;
  }
}

/* Scans members from the value at `at` on. MPG_DATA at s->end: the window ends before the
** object. */
static mpg_rc scan_ahead(const mpg_pull *p, mpg_json_scan *s, const char *at,
                         bool (*is)(mpg_str, const char *), const char *name, mpg_str *text) {
  mpg_json_kind kind;
  mpg_str key = {"", 0};
  bool escaped, wanted = false;
  for (;;) {
    const char *start = at;
    at = mpg_json_value(s, at, p->depth, &kind);
    if (at == NULL)
      return s->rc;
    if (wanted) {
      *text = (mpg_str){start, (size_t)(at - start)};
      return MPG_OK;
    }
    s->at = at = mpg_json_space(at, s->end);
    if (at == s->end)
      return MPG_DATA;
    if (*at != ',')
      return MPG_DONE;
    s->at = at = mpg_json_space(at + 1, s->end);
    if (at == s->end)
      return MPG_DATA;
    if (*at != '"')
      return MPG_DONE;
    start = at + 1;
    if ((at = mpg_json_string(s, start, &escaped)) == NULL)
      return s->rc;
    key = (mpg_str){start, (size_t)(at - start) - 1};
    s->at = at = mpg_json_space(at, s->end);
    if (at == s->end)
      return MPG_DATA;
    if (*at != ':')
      return MPG_DONE;
    at = mpg_json_space(at + 1, s->end);
    wanted = is(key, name);
  }
}

mpg_rc mpg_pull_find_later(mpg_pull *p, bool (*is)(mpg_str key, const char *name), const char *name,
                           mpg_str *text, bool *far, mpg_err *err) {
  *far = false;
  if (!p->pending || p->depth == 0 || !p->object[p->depth - 1])
    return MPG_DONE;
  for (;;) {
    mpg_json_scan s = {p->w.buf + p->w.end, MPG_OK, NULL, NULL, NULL, p->env, NULL, false, 0};
    mpg_rc rc = scan_ahead(p, &s, p->w.buf + p->w.at, is, name, text);
    if (rc == MPG_OK)
      return MPG_OK;
    if (rc == MPG_INTERRUPTED)
      return fail_interrupted(p, err);
    if (rc != MPG_DATA || s.at != s.end || p->w.last)
      return MPG_DONE;
    *far = p->w.end - p->w.at > p->limit;
    if (*far)
      return MPG_DONE;
    if (read_more(p, err) != MPG_OK)
      return err->rc;
  }
}
