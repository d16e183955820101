/* chrome_prefetch.c - see chrome_prefetch.h. */
#define _GNU_SOURCE /* memrchr */
#include "chrome_prefetch.h"
#include "../../read/input/os.h"
#include "../../read/input/window.h"
#include "../../base/limits.h"
#include "../../base/pipeline.h"

#include <string.h>

#define PIECE MPG_IO_SIZE(512 << 10) /* still in a core's cache when it is read */
#define LOOK_BACK ((size_t)64 << 10) /* for a seam; a piece without one ends anywhere */
#define ROWS_MAX ((size_t)16 << 10)  /* of a piece; the rest is not prefetched */
#define SEAM_MAX 96
/* After so many wrong guesses in a row, this many pieces are not read ahead. */
#define WRONG_MAX 4
#define REST 64

struct mpg_chrome_prefetch {
  const mpg_env *env;
  mpg_env shared; /* the pipeline's: of whoever unpacks the stream */
  mpg_stream *stream;
  const mpg_chrome_request *request;
  mpg_pipeline *pipeline;
  mpg_chrome_piece *pieces;
  size_t n_pieces;
  size_t limit; /* bytes of an event */
  char seam[SEAM_MAX];
  size_t n_seam;
  char *tail; /* read, and after the end of the piece before */
  size_t n_tail, cap_tail;
  bool ended;     /* the stream did, */
  mpg_err failed; /* unless this came of it */
  bool at_seam;   /* the next piece begins */
  int wrong, rest;
};

/* ---- Where a piece ends ---- */

/* Whether what looks like a seam follows a '}'. */
static bool looks_like_seam(const char *p, const char *end) {
  p = mpg_json_lenient_space(p, end);
  if (p == end || *p != ',')
    return false;
  p = mpg_json_lenient_space(p + 1, end);
  if (p == end || *p != '{')
    return false;
  p = mpg_json_lenient_space(p + 1, end);
  return p < end && *p == '"';
}

static bool is_seam(const mpg_chrome_prefetch *a, const char *p, const char *end) {
  return (size_t)(end - p) >= a->n_seam && memcmp(p, a->seam, a->n_seam) == 0;
}

/* Behind the last '}' before a seam; 0: there is none. */
static size_t find_seam(const mpg_chrome_prefetch *a, const char *bytes, size_t n) {
  const char *end = bytes + n, *from = n > LOOK_BACK ? end - LOOK_BACK : bytes;
  for (int known = a->n_seam > 0; known >= 0; known--)
    for (const char *p = end; (p = memrchr(from, '}', (size_t)(p - from))) != NULL;)
      if (known ? is_seam(a, p + 1, end) : looks_like_seam(p + 1, end))
        return (size_t)(p + 1 - bytes);
  return 0;
}

static mpg_rc make_room(const mpg_chrome_prefetch *a, mpg_chrome_piece *p, size_t want,
                        mpg_err *err) {
  if (want <= p->cap)
    return MPG_OK;
  mpg_free(a->env, p->bytes);
  p->cap = 0;
  p->bytes = mpg_malloc(a->env, want + MPG_WINDOW_SLACK);
  if (p->bytes == NULL)
    return mpg_fail_nomem(err);
  p->cap = want;
  return MPG_OK;
}

static mpg_rc read_piece(void *ctx, void *slot, mpg_err *err) {
  mpg_chrome_prefetch *a = ctx;
  mpg_chrome_piece *p = slot;
  size_t got = 0, seam;
  p->n = 0;
  if (make_room(a, p, PIECE + a->n_tail, err) != MPG_OK)
    return err->rc;
  if (a->n_tail > 0)
    memcpy(p->bytes, a->tail, a->n_tail);
  p->n = a->n_tail;
  a->n_tail = 0;
  if (!a->ended) {
    size_t room = p->cap - p->n;
    mpg_rc rc = mpg_stream_read(a->stream, p->bytes + p->n, room, &got, &a->failed);
    a->failed.rc = rc;
    if (rc == MPG_INTERRUPTED || rc == MPG_NOMEM) {
      *err = a->failed;
      return rc;
    }
    p->n += got;
    a->ended = got < room || rc != MPG_OK;
  }
  memset(p->bytes + p->n, 0, MPG_WINDOW_SLACK);
  if (p->n == 0) {
    if (a->failed.rc == MPG_OK)
      return MPG_DONE;
    *err = a->failed;
    return err->rc;
  }
  p->guessed = a->at_seam && a->rest == 0;
  if (a->rest > 0 && --a->rest == 0)
    a->wrong = 0;
  seam = a->ended ? 0 : find_seam(a, p->bytes, p->n);
  a->at_seam = seam > 0;
  if (seam > 0) {
    if (mpg_grow(a->env, &a->tail, &a->cap_tail, p->n - seam, 1) != MPG_OK)
      return mpg_fail_nomem(err);
    a->n_tail = p->n - seam;
    memcpy(a->tail, p->bytes + seam, a->n_tail);
    p->n = seam;
  }
  return MPG_OK;
}

/* ---- Reading ahead ---- */

static mpg_rc add_row(const mpg_env *env, mpg_chrome_piece *p, const char *at, const char *after,
                      int64_t lines, const mpg_json_token *fields) {
  mpg_chrome_row *row;
  if (mpg_grow(env, &p->rows, &p->cap_rows, p->n_rows + 1, sizeof *p->rows) != MPG_OK)
    return MPG_NOMEM;
  row = &p->rows[p->n_rows++];
  row->at = (uint32_t)(at - p->bytes);
  row->after = (uint32_t)(after - p->bytes);
  row->number = p->events;
  row->lines = (uint32_t)lines;
  for (int f = 0; f < MPG_CHROME_FIELDS; f++) {
    const mpg_json_token *token = &fields[f];
    row->kind[f] = (uint8_t)token->kind;
    if (token->kind == MPG_JSON_LENIENT_NONE)
      continue;
    row->escaped[f] = token->escaped;
    row->text[f].at = (uint32_t)(token->text.p - p->bytes);
    row->text[f].n = (uint32_t)token->text.n;
  }
  return MPG_OK;
}

/* Memory that is short ends it like any other thing that is not as usual. */
static void parse_piece(void *ctx, void *slot, int worker) {
  const mpg_chrome_prefetch *a = ctx;
  mpg_chrome_piece *p = slot;
  mpg_json_token fields[MPG_CHROME_FIELDS + 1];
  mpg_chrome_keys recent_keys = {0};
  mpg_json_lenient s = mpg_json_lenient_of(p->bytes, p->bytes + p->n, NULL);
  const char *at = p->bytes, *counted = at;
  (void)worker;
  p->n_rows = p->events = 0;
  p->lines = 0;
  while (p->guessed && p->n_rows < ROWS_MAX) {
    const char *event = mpg_json_lenient_space(at, s.end), *after;
    bool any;
    if (event == s.end || *event != ',')
      break;
    event = mpg_json_lenient_space(event + 1, s.end);
    if (event == s.end || *event != '{')
      break;
    after = mpg_chrome_event_scan(&s, event, &recent_keys, fields, &any);
    if (after == NULL || (size_t)(after - event) > a->limit)
      break;
    if (any && !mpg_chrome_differs(a->request, fields)) {
      int64_t lines = p->lines + mpg_count_lines(counted, event);
      if (add_row(a->env, p, event, after, lines, fields) != MPG_OK)
        break;
      p->lines = lines;
      counted = event;
    }
    p->events += any;
    at = after;
  }
  p->after = (size_t)(at - p->bytes);
  p->lines += mpg_count_lines(counted, at);
  p->line_start = 0;
  if (p->lines > 0)
    p->line_start = (size_t)((const char *)memrchr(p->bytes, '\n', p->after) - p->bytes) + 1;
}

/* ---- The whole ---- */

mpg_rc mpg_chrome_prefetch_open(mpg_chrome_prefetch **out, const mpg_env *env, mpg_stream *stream,
                                const mpg_chrome_request *request, int threads, mpg_err *err) {
  static const mpg_pipeline_steps steps = {.cut = read_piece, .work = parse_piece};
  size_t n = mpg_pipeline_slots(threads);
  mpg_chrome_prefetch *a = mpg_calloc(env, sizeof *a);
  void **slots;
  mpg_rc rc = MPG_OK;
  *out = NULL;
  if (a == NULL)
    return mpg_fail_nomem(err);
  a->env = env;
  a->stream = stream;
  a->request = request;
  a->limit = (size_t)mpg_limit_in(env, MPG_LIMIT_RECORD_BYTES);
  a->pieces = mpg_calloc(env, n * (sizeof *a->pieces + sizeof *slots));
  if (a->pieces == NULL)
    rc = mpg_fail_nomem(err);
  if (rc == MPG_OK) {
    a->n_pieces = n;
    slots = (void **)(a->pieces + n);
    for (size_t i = 0; i < n; i++)
      slots[i] = &a->pieces[i];
    rc = mpg_pipeline_open(&a->pipeline, env, threads, &steps, a, slots, err);
  }
  if (rc != MPG_OK) {
    mpg_chrome_prefetch_close(a);
    return rc;
  }
  a->shared = *mpg_pipeline_env(a->pipeline);
  mpg_stream_ask(stream, &a->shared);
  mpg_stream_share(stream, a->pipeline);
  *out = a;
  return MPG_OK;
}

void mpg_chrome_prefetch_close(mpg_chrome_prefetch *a) {
  if (a == NULL)
    return;
  mpg_pipeline_close(a->pipeline);
  mpg_stream_ask(a->stream, a->env);
  for (size_t i = 0; a->pieces != NULL && i < a->n_pieces; i++) {
    mpg_free(a->env, a->pieces[i].bytes);
    mpg_free(a->env, a->pieces[i].rows);
  }
  mpg_free(a->env, a->pieces);
  mpg_free(a->env, a->tail);
  mpg_free(a->env, a);
}

mpg_rc mpg_chrome_prefetch_next(mpg_chrome_prefetch *a, const mpg_chrome_piece **piece,
                                mpg_err *err) {
  void *slot;
  mpg_rc rc = mpg_pipeline_next(a->pipeline, &slot, err);
  *piece = slot;
  return rc;
}

void mpg_chrome_prefetch_judge(mpg_chrome_prefetch *a, bool right) {
  a->wrong = right ? 0 : a->wrong + 1;
  if (a->wrong >= WRONG_MAX && a->rest == 0)
    a->rest = REST;
}

void mpg_chrome_prefetch_seam(mpg_chrome_prefetch *a, mpg_str seam) {
  a->n_seam = 0;
  if (seam.n == 0 || seam.n > sizeof a->seam)
    return;
  memcpy(a->seam, seam.p, seam.n);
  a->n_seam = seam.n;
}
