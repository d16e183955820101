/* window.c - a moving window over a stream: see window.h. */
#include "window.h"
#include "os.h"

#include <stdio.h>
#include <string.h>

/* A megabyte is few calls, and still in the cache when it is parsed. */
#define BLOCK MPG_IO_SIZE(1 << 20)

void mpg_window_open(mpg_window *w, const mpg_env *env, mpg_stream *stream) {
  memset(w, 0, sizeof *w);
  w->env = env;
  w->stream = stream;
}

void mpg_window_close(mpg_window *w) {
  if (!w->borrowed)
    mpg_free(w->env, w->buf);
  w->buf = NULL;
}

void mpg_window_set(mpg_window *w, mpg_stream *stream, char *buf, size_t at, size_t n, size_t cap) {
  mpg_window_close(w);
  w->stream = stream;
  w->buf = buf;
  w->cap = cap;
  w->at = at;
  w->end = n;
  w->last = w->borrowed = cap == 0;
}

mpg_rc mpg_window_more(mpg_window *w, mpg_err *err) {
  size_t have = w->end - w->at, got;
  mpg_rc rc;
  if (have > w->cap / 2 || w->buf == NULL) {
    size_t cap = w->buf == NULL ? BLOCK : 2 * w->cap;
    char *buf = cap > SIZE_MAX / 4 ? NULL : mpg_malloc(w->env, cap + MPG_WINDOW_SLACK);
    if (buf == NULL)
      return mpg_fail_nomem(err);
    if (w->buf != NULL && !mpg_copy(w->env, buf, w->buf + w->at, have)) {
      mpg_free(w->env, buf);
      return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
    }
    mpg_free(w->env, w->buf);
    w->buf = buf;
    w->cap = cap;
  } else {
    memmove(w->buf, w->buf + w->at, have);
  }
  w->at = 0;
  w->end = have;
  rc = mpg_stream_read(w->stream, w->buf + have, w->cap - have, &got, err);
  w->end += got;
  memset(w->buf + w->end, 0, MPG_WINDOW_SLACK);
  w->last = rc == MPG_OK && got < w->cap - have;
  if (got > 0 && mpg_stream_failed(
                     w->stream)) /* the bytes before come first; then the error is returned again */
    rc = MPG_OK;
  return rc;
}

mpg_rc mpg_window_start(mpg_window *w, mpg_err *err) {
  while (w->end < 3 && !w->last) {
    mpg_rc rc = mpg_window_more(w, err);
    if (rc != MPG_OK)
      return rc;
  }
  if (w->end >= 3 && memcmp(w->buf, "\xef\xbb\xbf", 3) == 0)
    w->at = 3;
  return MPG_OK;
}

const char *mpg_byte_text(char c, char buf[MPG_BYTE_TEXT]) {
  unsigned char byte = (unsigned char)c;
  if (c == '\n' || c == '\r')
    return "end of line";
  if (byte >= 0x20 && byte < 0x7f)
    (void)snprintf(buf, MPG_BYTE_TEXT, "'%c'", c);
  else
    (void)snprintf(buf, MPG_BYTE_TEXT, "byte 0x%02x", byte);
  return buf;
}
