/* lines.c - see lines.h. */
#include "lines.h"
#include "place.h"
#include "window.h"
#include "../../base/limits.h"

#include <string.h>

#define LINES_BETWEEN_POLLS 4096

struct mpg_lines {
  const mpg_env *env;
  mpg_window w;
  size_t limit; /* of a line */
  int64_t number;
  bool started, ended, dead, keep_nul;
};

mpg_rc mpg_lines_open(mpg_lines **out, const mpg_env *env, mpg_stream *stream, mpg_err *err) {
  mpg_lines *l = mpg_calloc(env, sizeof *l);
  if (l == NULL)
    return mpg_fail_nomem(err);
  l->env = env;
  l->limit = (size_t)mpg_limit_in(env, MPG_LIMIT_RECORD_BYTES);
  mpg_window_open(&l->w, env, stream);
  *out = l;
  return MPG_OK;
}

void mpg_lines_keep_nul(mpg_lines *l) {
  l->keep_nul = true;
}

void mpg_lines_close(mpg_lines *l) {
  if (l == NULL)
    return;
  mpg_window_close(&l->w);
  mpg_free(l->env, l);
}

/* Length of the line at w.at, without its LF, which is searched for once in every byte. */
static mpg_rc measure_line(mpg_lines *l, size_t *length, mpg_err *err) {
  mpg_window *w = &l->w;
  size_t searched = 0;
  for (;;) {
    size_t have = w->end - w->at;
    const char *lf =
        have == searched ? NULL : memchr(w->buf + w->at + searched, '\n', have - searched);
    mpg_rc rc;
    l->ended = lf != NULL;
    *length = lf != NULL ? (size_t)(lf - (w->buf + w->at)) : have;
    if (*length > l->limit)
      return mpg_fail(err, MPG_LIMIT, "%s:%lld:1: line of more than %zu bytes",
                      mpg_stream_path(w->stream), (long long)l->number, l->limit);
    if (lf != NULL || w->last)
      return MPG_OK;
    searched = have;
    if ((rc = mpg_window_more(w, err)) != MPG_OK)
      return rc;
  }
}

mpg_rc mpg_lines_next(mpg_lines *l, mpg_str *line, mpg_err *err) {
  mpg_window *w = &l->w;
  mpg_rc rc = MPG_OK;
  const char *nul;
  size_t n = 0;
  if (l->dead)
    return MPG_DONE;
  if (!l->started)
    rc = mpg_window_start(w, err);
  l->started = true;
  l->number++;
  if (rc == MPG_OK && l->number % LINES_BETWEEN_POLLS == 0 && mpg_interrupted(l->env))
    rc = mpg_fail(err, MPG_INTERRUPTED, "interrupted");
  if (rc == MPG_OK)
    rc = measure_line(l, &n, err);
  if (rc == MPG_OK && mpg_poll_bytes(l->env, n))
    rc = mpg_fail(err, MPG_INTERRUPTED, "interrupted");
  if (rc == MPG_OK && n == 0 && !l->ended) {
    l->number--;
    rc = MPG_DONE;
  }
  if (rc != MPG_OK) {
    l->dead = true;
    return rc;
  }
  *line = (mpg_str){w->buf + w->at, n};
  w->at += n + l->ended;
  if (l->ended && n > 0 && line->p[n - 1] == '\r')
    line->n--;
  for (; !l->keep_nul && line->n > 0 && *line->p == '\0'; line->n--, line->p++)
    mpg_stream_count_nul(w->stream, 1); /* its writer went on behind them */
  nul = line->n == 0 || l->keep_nul ? NULL : memchr(line->p, '\0', line->n);
  if (nul != NULL)
    return mpg_expected(err, mpg_place_in_line(mpg_stream_path(w->stream), l->number, line->p, nul),
                        "text", "byte 0x00");
  return MPG_OK;
}

int64_t mpg_lines_number(const mpg_lines *l) {
  return l->number;
}

bool mpg_lines_ended(const mpg_lines *l) {
  return l->ended;
}
