/*
** csv.c - delimited text, a record at a time: see csv.h.
**
** The special bytes are found 64 at a time, as bits of a mask: the delimiter, the quote, and
** everything up to 0x0d, which finds CR, LF and NUL with one comparison (other control characters
** are then skipped). All other bytes are skipped, and fields are borrowed from the window
** unchanged. Only if a record has doubled quotes are its quoted fields rewritten, and only once the
** record is complete, so that it can be scanned again until then.
*/
#include "blocks.h"
#include "../input/place.h"
#include "../input/window.h"
#include "../../base/limits.h"
#include "csv.h"
#include "../input/simd.h"

#include <stdio.h>
#include <string.h>

#define BYTES_BETWEEN_POLLS ((size_t)1 << 18)

/* The special bytes of a window, up to the position of the scan; used from record to record. */
typedef struct scanner {
  const char *buf;
  size_t end;
  size_t base;   /* position of bit 0 of the mask */
  size_t next;   /* position that no mask has covered yet */
  uint64_t mask; /* bytes that may mean something and are still to be looked at */
#ifdef MPG_SSE2
  char delimiter, quote; /* not vectors: memory is aligned to 8 bytes only */
#else
  bool special[256];
#endif
} scanner;

struct mpg_csv {
  const mpg_env *env;
  const mpg_env *poll_env; /* to poll; NULL: none */
  mpg_window w;
  scanner scan;
  char delimiter;
  bool quotes;
  bool started;
  bool measuring; /* only the ends of records are wanted: the bytes are not changed */
  bool after_cr;  /* the record before ended in CR: a LF that follows belongs to it */
  bool skip_line; /* there was an error in this line: continue after it */
  bool cut_off;   /* see mpg_csv_cut_off */
  size_t limit, most_fields;
  int64_t line;      /* of the current record */
  int64_t next_line; /* of w.at */
  size_t record, record_end;
  mpg_str *fields;
  size_t n, cap;
  uint32_t *breaks; /* offsets in the record at which its second, third, ... line begins */
  size_t n_breaks, cap_breaks;
  mpg_err broken; /* an error that cannot be skipped is returned by every later call */
};

#ifdef MPG_SSE2
static void scanner_init(scanner *s, char delimiter, bool quotes) {
  s->delimiter = delimiter;
  s->quote = quotes ? '"' : delimiter;
}

static inline uint64_t specials16(const scanner *s, const char *p) {
  __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
  __m128i found = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8(s->delimiter)),
                                            _mm_cmpeq_epi8(v, _mm_set1_epi8(s->quote))),
                               _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8('\r')), v));
  return (uint64_t)(unsigned)_mm_movemask_epi8(found);
}

static inline uint64_t specials(const scanner *s, const char *p) {
  return specials16(s, p) | specials16(s, p + 16) << 16 | specials16(s, p + 32) << 32 |
         specials16(s, p + 48) << 48;
}
#else
static void scanner_init(scanner *s, char delimiter, bool quotes) {
  for (int c = 0; c <= '\r'; c++)
    s->special[c] = true;
  s->special[(unsigned char)delimiter] = true;
  s->special['"'] |= quotes;
}

static uint64_t specials(const scanner *s, const char *p) {
  uint64_t mask = 0;
  for (int i = 0; i < 64; i++)
    mask |= (uint64_t)s->special[(unsigned char)p[i]] << i;
  return mask;
}
#endif

static void scanner_set(scanner *s, const mpg_window *w) {
  s->buf = w->buf;
  s->end = w->end;
  s->next = w->at;
  s->mask = 0;
}

/* The next byte that may mean something; false at the end of the window. */
static inline __attribute__((always_inline)) bool scanner_next(scanner *s, size_t *pos) {
  while (s->mask == 0) {
    size_t left = s->end - s->next;
    if (left == 0)
      return false;
    s->mask = specials(s, s->buf + s->next);
    s->base = s->next;
    if (left < 64) {
      s->mask &= (UINT64_C(1) << left) - 1;
      s->next = s->end;
    } else {
      s->next += 64;
    }
  }
  *pos = s->base + (size_t)__builtin_ctzll(s->mask);
  s->mask &= s->mask - 1;
  return true;
}

mpg_rc mpg_csv_open(mpg_csv **out, const mpg_env *env, mpg_stream *stream,
                    const mpg_csv_options *options, mpg_err *err) {
  char d = options->delimiter;
  mpg_csv *csv;
  *out = NULL;
  if (d == '"' || d == '\r' || d == '\n' || d == '\0')
    return mpg_fail(err, MPG_MISUSE, "%s: a delimiter cannot be a quote, a line end or NUL",
                    mpg_stream_path(stream));
  csv = mpg_calloc(env, sizeof *csv);
  if (csv == NULL)
    return mpg_fail_nomem(err);
  csv->env = csv->poll_env = env;
  csv->delimiter = d;
  csv->quotes = !options->no_quotes;
  csv->limit = options->record_limit != 0 ? options->record_limit
                                          : (size_t)mpg_limit_in(env, MPG_LIMIT_RECORD_BYTES);
  csv->most_fields = (size_t)mpg_limit_in(env, MPG_LIMIT_RECORD_FIELDS);
  csv->line = csv->next_line = 1;
  mpg_window_open(&csv->w, env, stream);
  scanner_init(&csv->scan, d, csv->quotes);
  *out = csv;
  return MPG_OK;
}

void mpg_csv_close(mpg_csv *csv) {
  if (csv == NULL)
    return;
  mpg_window_close(&csv->w);
  mpg_free(csv->env, csv->fields);
  mpg_free(csv->env, csv->breaks);
  mpg_free(csv->env, csv);
}

static mpg_rc more_fields(mpg_csv *csv, mpg_err *err) {
  if (csv->n >= csv->most_fields)
    return mpg_fail(err, MPG_LIMIT, "%s:%lld:1: record of more than %zu fields",
                    mpg_stream_path(csv->w.stream), (long long)csv->line, csv->most_fields);
  if (mpg_grow(csv->env, &csv->fields, &csv->cap, csv->n + 1, sizeof *csv->fields) != MPG_OK)
    return mpg_fail_nomem(err);
  csv->cap = csv->cap < csv->most_fields ? csv->cap : csv->most_fields; /* polls again above it */
  return MPG_OK;
}

static inline mpg_rc push_field(mpg_csv *csv, size_t from, size_t to, mpg_err *err) {
  mpg_rc rc = csv->n < csv->cap ? MPG_OK : more_fields(csv, err);
  if (rc == MPG_OK)
    csv->fields[csv->n++] = (mpg_str){csv->w.buf + from, to - from};
  return rc;
}

/* A line end inside quotes: the byte after it begins another line. CRLF is one line end. */
static mpg_rc line_break(mpg_csv *csv, size_t pos, mpg_err *err) {
  const char *buf = csv->w.buf;
  if (buf[pos] == '\n' && buf[pos - 1] == '\r') {
    csv->breaks[csv->n_breaks - 1]++;
    return MPG_OK;
  }
  if (mpg_grow(csv->env, &csv->breaks, &csv->cap_breaks, csv->n_breaks + 1, sizeof *csv->breaks) !=
      MPG_OK)
    return mpg_fail_nomem(err);
  csv->breaks[csv->n_breaks++] = (uint32_t)(pos + 1 - csv->record);
  return MPG_OK;
}

/* Line and column of the byte at `offset` in the current record. */
static void place_of(const mpg_csv *csv, size_t offset, int64_t *line, int64_t *column) {
  size_t i = csv->n_breaks;
  while (i > 0 && csv->breaks[i - 1] > offset)
    i--;
  *line = csv->line + (int64_t)i;
  *column = (int64_t)(offset - (i > 0 ? csv->breaks[i - 1] : 0)) + 1;
}

static mpg_rc too_long(mpg_csv *csv, mpg_err *err) {
  return mpg_fail(err, MPG_LIMIT, "%s:%lld:1: record of more than %zu bytes",
                  mpg_stream_path(csv->w.stream), (long long)csv->line, csv->limit);
}

/* Adds to the error of a quote that never closes, in the line `from`, how many it takes with it. */
static void say_lines(const mpg_csv *csv, int64_t from, mpg_err *err) {
  const size_t n = csv->n_breaks, length = strlen(err->text);
  const bool ended = n > 0 && csv->record + csv->breaks[n - 1] == csv->w.end;
  const int64_t lines = csv->line + (int64_t)n - ended - from;
  if (lines > 0)
    (void)snprintf(err->text + length, sizeof err->text - length,
                   "; the %lld line%s after it %s not read", (long long)lines,
                   lines == 1 ? "" : "s", lines == 1 ? "is" : "are");
}

/* Malformed at `pos`. The next record is searched for after the line of the position `resume`. */
static mpg_rc malformed(mpg_csv *csv, size_t pos, size_t resume, const char *expected,
                        mpg_err *err) {
  mpg_place at = {.path = mpg_stream_path(csv->w.stream)};
  int64_t column;
  char text[MPG_BYTE_TEXT];
  mpg_rc rc;
  if (resume - csv->record > csv->limit)
    return too_long(csv, err); /* the same as if the window ended before the error */
  place_of(csv, pos - csv->record, &at.line, &at.column);
  rc = mpg_expected(err, at, expected,
                    resume == csv->w.end ? "end of file" : mpg_byte_text(csv->w.buf[pos], text));
  if (resume == csv->w.end)
    say_lines(csv, at.line, err);
  place_of(csv, resume - csv->record, &csv->next_line, &column);
  csv->w.at = resume;
  csv->skip_line = true;
  csv->cut_off = resume == csv->w.end && csv->n_breaks == 0;
  return rc;
}

/* Halves the doubled quotes of the quoted fields, in place. A field is quoted if there is a quote
** before it; else there is a delimiter, or the begin of the record. False: the host says to stop.
*/
static bool undouble_quotes(mpg_csv *csv) {
  const char *first = csv->w.buf + csv->record;
  size_t work = 0;
  for (size_t i = 0; i < csv->n; i++) {
    mpg_str *f = &csv->fields[i];
    char *to = csv->w.buf + (f->p - csv->w.buf);
    const char *from = f->p, *end = f->p + f->n;
    if (f->p == first || f->p[-1] != '"')
      continue;
    while (from < end) {
      const char *quote = memchr(from, '"', (size_t)(end - from));
      size_t n = (size_t)((quote == NULL ? end : quote + 1) - from);
      memmove(to, from, n);
      to += n;
      from += n + (quote != NULL);
      if (csv->poll_env != NULL && mpg_poll_work(csv->poll_env, &work, n + 1))
        return false;
    }
    f->n = (size_t)(to - f->p);
  }
  return true;
}

/* The fields of the record up to the first special byte that is no delimiter, or until memory has
** to grow: all fields of most records, in one pass. At least 64 bytes follow in the window. */
static inline size_t plain_fields(mpg_csv *csv, scanner *s, size_t field) {
  const char *buf = s->buf, delimiter = csv->delimiter;
  mpg_str *fields = csv->fields;
  size_t n = csv->n, cap = csv->cap;
  for (;;) {
    size_t pos;
    if (s->mask == 0) {
      if (s->end - s->next < 64)
        break;
      s->mask = specials(s, buf + s->next);
      s->base = s->next;
      s->next += 64;
      continue;
    }
    pos = s->base + (size_t)__builtin_ctzll(s->mask);
    if (buf[pos] != delimiter || n == cap)
      break;
    fields[n++] = (mpg_str){buf + field, pos - field};
    field = pos + 1;
    s->mask &= s->mask - 1;
  }
  csv->n = n;
  return field;
}

/* Whether the host says to stop; it is polled at `pos` if that is far after *polled_at. */
static inline bool should_stop(const mpg_csv *csv, size_t pos, size_t *polled_at) {
  if (pos - *polled_at <= BYTES_BETWEEN_POLLS)
    return false;
  *polled_at = pos;
  return csv->poll_env != NULL && mpg_interrupted(csv->poll_env);
}

/* The result of scanning the window for one record, if there is no error. */
typedef enum outcome { RECORD, MORE, END } outcome;

/*
** The record from w.at on. MORE: the window ends within it. w.at is moved past blank lines, and
** past the record if there is one.
*/
static mpg_rc scan_record(mpg_csv *csv, outcome *result, mpg_err *err) {
  scanner s = csv->scan;
  const char *buf = s.buf, delimiter = csv->delimiter;
  size_t pos, field = csv->w.at, polled_at = field; /* the position of the latest poll */
  bool doubled = false;
  mpg_rc rc;
  csv->n = csv->n_breaks = 0;
  csv->record = field;
  csv->line = csv->next_line;
  for (;;) {
    char c;
    field = plain_fields(csv, &s, field);
    if (!scanner_next(&s, &pos)) {
      if (!csv->w.last) {
        *result = MORE;
        return MPG_OK;
      }
      pos = s.end;
      if (pos == csv->record) {
        *result = END;
        return MPG_OK;
      }
      if ((rc = push_field(csv, field, pos, err)) != MPG_OK)
        return rc;
      break;
    }
    if (should_stop(csv, pos, &polled_at))
      return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
    c = buf[pos];
    if (c == '"' && pos == field && csv->quotes) {
      /* A quoted field: to the quote that is followed by no other one. */
      size_t open = pos, close;
      for (;;) {
        if (should_stop(csv, pos, &polled_at))
          return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
        if (!scanner_next(&s, &pos)) {
          *result = MORE;
          return csv->w.last ? malformed(csv, open, s.end,
                                         "a closing quote for the field that begins here", err)
                             : MPG_OK;
        }
        c = buf[pos];
        if (c == '"') {
          bool another;
          close = pos;
          another = scanner_next(&s, &pos);
          if (!another && !csv->w.last && close + 1 == s.end) {
            *result = MORE;
            return MPG_OK;
          }
          if (!another)
            pos = s.end;
          if (pos != close + 1)
            return malformed(csv, close + 1, close + 1,
                             "a delimiter or the end of the line after the closing quote", err);
          if (!another || buf[pos] != '"')
            break;
          doubled = true;
        } else if (c == '\n' || c == '\r') {
          if ((rc = line_break(csv, pos, err)) != MPG_OK)
            return rc;
        } else if (c == '\0') {
          return malformed(csv, pos, pos, "text", err);
        }
      }
      if ((rc = push_field(csv, open + 1, close, err)) != MPG_OK)
        return rc;
      if (pos == s.end)
        break;
      c = buf[pos];
      if (c == delimiter) {
        field = pos + 1;
        continue;
      }
      if (c != '\n' && c != '\r')
        return malformed(csv, pos, pos,
                         "a delimiter or the end of the line after the closing quote", err);
      break;
    }
    if (c == delimiter) {
      if ((rc = push_field(csv, field, pos, err)) != MPG_OK)
        return rc;
      field = pos + 1;
    } else if (c == '\n' || c == '\r') {
      if (pos > csv->record) {
        if ((rc = push_field(csv, field, pos, err)) != MPG_OK)
          return rc;
        break;
      }
      /* No byte before the line end: a blank line, or the LF of a CRLF. */
      csv->next_line += c == '\r' || !csv->after_cr;
      csv->after_cr = c == '\r';
      csv->line = csv->next_line;
      csv->w.at = csv->record = field = pos + 1;
    } else if (c == '\0') {
      return malformed(csv, pos, pos, "text", err);
    }
  }
  if (pos - csv->record > csv->limit)
    return too_long(csv, err);
  csv->record_end = pos;
  csv->next_line += (int64_t)csv->n_breaks;
  csv->w.at = pos;
  csv->cut_off = pos == s.end;
  if (pos < s.end) {
    csv->w.at++;
    csv->next_line++;
    csv->after_cr = buf[pos] == '\r';
  }
  csv->scan = s;
  if (doubled && !csv->measuring && !undouble_quotes(csv))
    return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
  *result = RECORD;
  return MPG_OK;
}

/* Behind the line of w.at, or to the end of the window. */
static void skip_line(mpg_csv *csv) {
  mpg_window *w = &csv->w;
  while (w->at < w->end && csv->skip_line) {
    char c = w->buf[w->at++];
    if (c == '\n' || c == '\r') {
      csv->skip_line = false;
      csv->after_cr = c == '\r';
      csv->next_line++;
    }
  }
}

mpg_rc mpg_csv_next(mpg_csv *csv, const mpg_str **fields, size_t *n, mpg_err *err) {
  mpg_rc rc = csv->broken.rc;
  bool broken = false; /* the stream is */
  *fields = NULL;
  *n = 0;
  if (rc != MPG_OK) {
    *err = csv->broken;
    return rc;
  }
  if (!csv->started) {
    rc = mpg_window_start(&csv->w, err);
    broken = rc != MPG_OK;
    csv->started = true;
    scanner_set(&csv->scan, &csv->w);
  }
  while (rc == MPG_OK) {
    outcome result = MORE;
    if (csv->skip_line) {
      skip_line(csv);
      if (csv->skip_line && csv->w.last)
        return MPG_DONE;
      scanner_set(&csv->scan, &csv->w);
    }
    if (!csv->skip_line)
      rc = scan_record(csv, &result, err);
    if (rc != MPG_OK)
      break;
    if (result == END)
      return MPG_DONE;
    if (result == RECORD && csv->poll_env != NULL &&
        mpg_poll_bytes(csv->poll_env, csv->record_end - csv->record)) {
      rc = mpg_fail(err, MPG_INTERRUPTED, "interrupted");
      break;
    }
    if (result == RECORD) {
      *fields = csv->fields;
      *n = csv->n;
      return MPG_OK;
    }
    if (csv->w.end - csv->w.at > csv->limit) {
      rc = too_long(csv, err);
      break;
    }
    rc = mpg_window_more(&csv->w, err);
    broken = rc != MPG_OK;
    scanner_set(&csv->scan, &csv->w);
  }
  if (rc != MPG_DATA || broken)
    csv->broken = *err;
  return rc;
}

static void start_at(mpg_csv *csv, int64_t line) {
  csv->started = true;
  csv->after_cr = csv->skip_line = false;
  csv->line = csv->next_line = line;
  csv->broken.rc = MPG_OK;
  scanner_set(&csv->scan, &csv->w);
}

void mpg_csv_feed(mpg_csv *csv, mpg_stream *stream, mpg_block *block, const mpg_env *poll_env) {
  csv->poll_env = block->rest ? csv->env : poll_env;
  mpg_window_set(&csv->w, stream, block->bytes, block->at, block->n, block->rest ? block->cap : 0);
  start_at(csv, block->line);
  if (block->rest) {
    block->bytes = NULL;
    block->cap = 0;
  }
}

void mpg_csv_unfeed(mpg_csv *csv, mpg_block *block) {
  const mpg_window *w = &csv->w;
  block->at = w->at;
  if (csv->after_cr && block->at < block->n && block->bytes[block->at] == '\n')
    block->at++; /* the rest of the line end */
  block->line = csv->next_line;
}

mpg_rc mpg_csv_cut(mpg_csv *csv, const char *bytes, size_t n, size_t *cut, mpg_err *err) {
  outcome result = RECORD;
  mpg_err untold; /* the reader of the record reports its error */
  mpg_window_set(&csv->w, csv->w.stream, (char *)(uintptr_t)bytes, 0, n, 0);
  csv->w.last = false;
  csv->measuring = true;
  start_at(csv, 1);
  *cut = 0;
  while (result == RECORD) {
    mpg_rc rc;
    size_t at;
    if (csv->skip_line)
      skip_line(csv);
    if (csv->skip_line)
      break;
    at = csv->w.at;
    if (at > 0 && bytes[at - 1] == '\r' && at < n && bytes[at] == '\n')
      at++; /* the rest of the line end */
    if (at > 0 && (bytes[at - 1] != '\r' || at < n))
      *cut = at;
    scanner_set(&csv->scan, &csv->w);
    rc = scan_record(csv, &result, &untold);
    if (rc == MPG_NOMEM)
      return mpg_fail_nomem(err);
    if (rc == MPG_LIMIT || rc == MPG_INTERRUPTED)
      break;
    if (rc == MPG_DATA)
      result = RECORD;
  }
  return MPG_OK;
}

bool mpg_csv_is_broken(const mpg_csv *csv) {
  return csv->broken.rc != MPG_OK;
}

int64_t mpg_csv_line(const mpg_csv *csv) {
  return csv->line;
}

bool mpg_csv_cut_off(const mpg_csv *csv) {
  return csv->cut_off;
}

void mpg_csv_where(const mpg_csv *csv, size_t i, int64_t *line, int64_t *column) {
  size_t at = csv->record_end;
  if (i < csv->n) {
    at = (size_t)(csv->fields[i].p - csv->w.buf);
    at -= at > csv->record && csv->w.buf[at - 1] == '"';
  }
  place_of(csv, at - csv->record, line, column);
}
