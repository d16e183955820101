/* rows_rollup.c - see rows_rollup.h. */
#include "rows_rollup.h"
#include "csv_scan.h"
#include "../core/number.h"
#include "../core/pipeline.h"
#include "../core/text.h"
#include "../core/limits.h"

#include <stdlib.h>
#include <string.h>

/* One file; the pieces that are of it keep it. */
typedef struct file {
  mpg_stream *stream;
  mpg_blocks *blocks;
  void *header; /* a reader that has taken the header; of the file */
  bool has_header;
  int pieces;
} file;

/* A piece of work: a block of a file, or what was found instead. */
typedef struct piece {
  mpg_block block;
  mpg_issues issues;
  void *reader;
  file *of;         /* NULL: there is nothing to read */
  const char *path; /* of the file */
  bool begins;      /* the file does, here */
  mpg_rc rc;
  mpg_err err;
} piece;

/* A column of plain records: its field, and its type. */
typedef struct plain_column {
  uint32_t field;
  mpg_column_type type;
} plain_column;

/* What a thread has to itself. */
typedef struct worker {
  mpg_groups groups;
  mpg_csv_scan scan;
  plain_column filters[MPG_ROWS_FILTERS], dimensions[MPG_GROUP_PARTS], operands[MPG_OPERANDS];
  char *copies; /* of the texts of one row */
  size_t copies_cap;
} worker;

typedef struct rollup {
  const mpg_env *env;
  mpg_env memory; /* the same for all threads: which never ask whether to stop */
  const mpg_rollup_query *query;
  const mpg_paths *paths;
  mpg_issues *issues;
  worker *workers; /* one a thread, and one for what only the owner reads */
  int threads;
  size_t next; /* path */
  file *at;    /* that pieces are cut from; NULL: the next one */
  bool failed; /* nothing more is cut */
} rollup;

/* A number as the bytes of a part. */
typedef union number_bytes {
  int64_t i;
  double r;
  char bytes[8];
} number_bytes;

/* ---- Rows ---- */

static mpg_rc too_large(const rollup *r, const char *path, int64_t line, size_t which,
                        mpg_err *err) {
  char name[MPG_EXCERPT];
  mpg_text_excerpt(r->query->measures->p[which].name, name);
  return mpg_fail(err, MPG_LIMIT, "%s:%lld:1: the sum of %s is beyond what can be summed", path,
                  (long long)line, name);
}

static mpg_rc too_many(const rollup *r, const char *path, int64_t line, mpg_err *err) {
  return mpg_fail(err, MPG_LIMIT, "%s:%lld:1: more than %lld groups", path, (long long)line,
                  (long long)mpg_limit_in(r->env, MPG_LIMIT_GROUPS));
}

/* Adds a row of these parts and operands. */
static mpg_rc add(const rollup *r, worker *w, const mpg_group_part *parts,
                  const mpg_value *operands, const char *path, int64_t line, mpg_err *err) {
  const mpg_measures *measures = r->query->measures;
  size_t group, which = 0;
  mpg_rc rc = mpg_groups_row(&w->groups, parts, &group);
  if (rc == MPG_LIMIT)
    return too_many(r, path, line, err);
  if (rc != MPG_OK)
    return mpg_fail_nomem(err);
  if (mpg_measures_add(measures, operands, w->groups.totals + group * measures->n, &which) !=
      MPG_OK)
    return too_large(r, path, line, which, err);
  return MPG_OK;
}

static mpg_group_part number_part(const mpg_value *v, number_bytes *to) {
  if (v->type == MPG_INT)
    to->i = v->i;
  else
    to->r = v->r == 0.0 ? 0.0 : v->r; /* of the two zeros one */
  return (mpg_group_part){to->bytes, sizeof to->bytes};
}

/* A measure that has whole numbers alone counts in them, any other in doubles. */
static void as_operand(mpg_value *v, bool whole) {
  if (v->type == MPG_INT && !whole) {
    v->type = MPG_REAL;
    v->r = (double)v->i;
  }
}

/* The current record of a reader. Texts are copied: those of JSON last until the next look-up. */
static mpg_rc add_record(const rollup *r, worker *w, void *reader, const char *path, mpg_err *err) {
  const mpg_rollup_query *q = r->query;
  mpg_group_part parts[MPG_GROUP_PARTS];
  number_bytes numbers[MPG_GROUP_PARTS];
  size_t offsets[MPG_GROUP_PARTS], used = 0;
  mpg_value operands[MPG_OPERANDS];
  for (size_t i = 0; i < q->n_dimensions; i++) {
    mpg_value v;
    mpg_rc rc = q->format->column(reader, q->dimensions[i], &v, err);
    if (rc != MPG_OK)
      return rc;
    offsets[i] = SIZE_MAX;
    parts[i] = (mpg_group_part){NULL, 0};
    if (v.type == MPG_TEXT) {
      if (mpg_grow(w->groups.env, &w->copies, &w->copies_cap, used + v.s.n + 1, 1) != MPG_OK)
        return mpg_fail_nomem(err);
      if (v.s.n > 0)
        memcpy(w->copies + used, v.s.p, v.s.n);
      offsets[i] = used;
      parts[i].n = v.s.n;
      used += v.s.n;
    } else if (v.type != MPG_NULL) {
      parts[i] = number_part(&v, &numbers[i]);
    }
  }
  for (size_t i = 0; i < q->n_dimensions; i++)
    if (offsets[i] != SIZE_MAX)
      parts[i].p = w->copies + offsets[i];
  for (size_t i = 0; i < q->measures->n_operands; i++) {
    mpg_rc rc = q->format->column(reader, q->operands[i], &operands[i], err);
    if (rc != MPG_OK)
      return rc;
    as_operand(&operands[i], q->measures->whole[i]);
  }
  return add(r, w, parts, operands, path, q->format->line(reader), err);
}

/* Every record that the reader has. */
static mpg_rc add_records(const rollup *r, worker *w, void *reader, mpg_issues *issues,
                          const char *path, mpg_err *err) {
  for (;;) {
    mpg_rc rc = r->query->format->next(reader, err);
    if (rc == MPG_OK)
      rc = add_record(r, w, reader, path, err);
    if (rc == MPG_DONE)
      return MPG_OK;
    if (rc == MPG_DATA && r->query->skip &&
        mpg_issues_add(issues, MPG_DATA_LOSS, path, "skipped_record",
                       r->query->format->line(reader), 1, "%s", err->text) == MPG_OK)
      continue;
    if (rc == MPG_DATA && r->query->skip)
      return mpg_fail_nomem(err);
    if (rc != MPG_OK)
      return rc;
  }
}

/* ---- Plain records of delimited text ---- */

/* Eight digits at once; false where a byte is none. */
static inline bool eight_digits(const char *p, uint64_t *out) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  const uint64_t zeros = UINT64_C(0x3030303030303030), ends = UINT64_C(0x000000ff000000ff);
  uint64_t w;
  memcpy(&w, p, sizeof w);
  if ((((w + UINT64_C(0x4646464646464646)) | (w - zeros)) & UINT64_C(0x8080808080808080)) != 0)
    return false;
  w -= zeros;
  w = w * 10 + (w >> 8); /* pairs of digits, in every other byte */
  *out = ((w & ends) * (100 + (UINT64_C(1000000) << 32)) +
          (w >> 16 & ends) * (1 + (UINT64_C(10000) << 32))) >>
         32;
  return true;
#else
  (void)p;
  (void)out;
  return false;
#endif
}

/* Up to 18 digits, without the doubts of mpg_int_parse. */
static inline bool quick_int(mpg_str s, int64_t *out) {
  uint64_t v = 0, eight;
  size_t i = 0;
  if (s.n == 0 || s.n > 18)
    return false;
  for (; s.n - i >= 8 && eight_digits(s.p + i, &eight); i += 8)
    v = v * 100000000 + eight;
  for (; i < s.n; i++) {
    unsigned digit = (unsigned)(unsigned char)s.p[i] - '0';
    if (digit > 9)
      return false;
    v = v * 10 + digit;
  }
  *out = (int64_t)v;
  return true;
}

static plain_column plain_of(const mpg_rollup_query *q, const size_t *at, size_t column) {
  return (plain_column){(uint32_t)at[column], q->rows.columns->p[column].type};
}

static void plan_plain(const rollup *r, worker *w, const size_t *at) {
  const mpg_rollup_query *q = r->query;
  for (size_t i = 0; i < q->rows.n_filters; i++)
    w->filters[i] = plain_of(q, at, q->rows.filters[i].column);
  for (size_t i = 0; i < q->n_dimensions; i++)
    w->dimensions[i] = plain_of(q, at, q->dimensions[i]);
  for (size_t i = 0; i < q->measures->n_operands; i++)
    w->operands[i] = plain_of(q, at, q->operands[i]);
}

/* False where the text is none of the type: the reader itself is to say so. */
static inline bool read_field(const mpg_reading *reading, mpg_column_type type, mpg_str text,
                              mpg_value *out) {
  out->type = MPG_NULL;
  if (text.n == 0 || (reading->n_nulls > 0 && mpg_reading_is_null(reading, text)))
    return true;
  if (type == MPG_COLUMN_TEXT) {
    out->type = MPG_TEXT;
    out->s = text;
    return true;
  }
  if (type == MPG_COLUMN_BIGINT && quick_int(text, &out->i)) {
    out->type = MPG_INT;
    return true;
  }
  return mpg_column_read(reading, type, text, out);
}

static inline mpg_str field_of(const uint32_t *ends, const char *p, size_t start, size_t field) {
  size_t from = field == 0 ? start : ends[field - 1] + (size_t)1;
  return (mpg_str){p + from, ends[field] - from};
}

typedef enum fate { ADDED, PASSED_OVER, NOT_PLAIN, FAILED } fate;

/* One plain record, whose fields end at `ends`. */
static fate add_plain(const rollup *r, worker *w, const char *p, const uint32_t *ends, size_t start,
                      const char *path, int64_t line, mpg_err *err) {
  const mpg_rollup_query *q = r->query;
  const mpg_reading *reading = &q->rows.options->reading;
  mpg_group_part parts[MPG_GROUP_PARTS];
  number_bytes numbers[MPG_GROUP_PARTS];
  mpg_value operands[MPG_OPERANDS], v = {MPG_NULL, 0, 0.0, {NULL, 0}};
  for (size_t i = 0; i < q->rows.n_filters; i++) {
    const mpg_value *wanted = &q->rows.filters[i].value;
    plain_column c = w->filters[i];
    if (!read_field(reading, c.type, field_of(ends, p, start, c.field), &v))
      return NOT_PLAIN;
    if (v.type != wanted->type ||
        (v.type == MPG_TEXT ? !mpg_str_eq(v.s, wanted->s) : v.i != wanted->i))
      return PASSED_OVER;
  }
  for (size_t i = 0; i < q->n_dimensions; i++) {
    plain_column c = w->dimensions[i];
    if (!read_field(reading, c.type, field_of(ends, p, start, c.field), &v))
      return NOT_PLAIN;
    parts[i] = v.type == MPG_TEXT   ? v.s
               : v.type == MPG_NULL ? (mpg_group_part){NULL, 0}
                                    : number_part(&v, &numbers[i]);
  }
  for (size_t i = 0; i < q->measures->n_operands; i++) {
    plain_column c = w->operands[i];
    if (!read_field(reading, c.type, field_of(ends, p, start, c.field), &operands[i]))
      return NOT_PLAIN;
    as_operand(&operands[i], q->measures->whole[i]);
  }
  return add(r, w, parts, operands, path, line, err) == MPG_OK ? ADDED : FAILED;
}

/* Takes plain records off the block, up to the first that is not. */
static mpg_rc add_plain_records(const rollup *r, worker *w, mpg_block *block, const char *path,
                                mpg_err *err) {
  size_t n, width = w->scan.width;
  while ((n = mpg_csv_scan_next(&w->scan, block->bytes, block->n, block->at)) > 0)
    for (const uint32_t *ends = w->scan.ends; n > 0; n--, ends += width) {
      fate f = add_plain(r, w, block->bytes, ends, block->at, path, block->line, err);
      if (f == FAILED)
        return err->rc;
      if (f == NOT_PLAIN)
        return MPG_OK;
      block->at = ends[width - 1] + (size_t)1;
      block->line++;
    }
  return MPG_OK;
}

/* ---- Files ---- */

static void file_release(const rollup *r, file *f) {
  if (f == NULL || --f->pieces > 0)
    return;
  if (f->header != NULL)
    r->query->format->close(f->header);
  mpg_blocks_close(f->blocks);
  mpg_stream_close(f->stream);
  mpg_free(r->env, f);
}

static mpg_rc file_open(rollup *r, piece *p) {
  const mpg_rows_options *options = r->query->rows.options;
  mpg_blocks_options blocks = {r->query->format == &mpg_json_rows, options->delimiter,
                               options->no_quotes, false};
  file *f = mpg_calloc(r->env, sizeof *f);
  mpg_rc rc;
  if (f == NULL)
    return mpg_fail_nomem(&p->err);
  r->at = f;
  f->pieces = 1; /* the cutter's hold */
  rc = mpg_stream_open(&f->stream, r->env, p->path, &p->err);
  if (rc == MPG_OK)
    rc = mpg_blocks_open(&f->blocks, r->env, f->stream, &blocks, &p->err);
  if (rc == MPG_OK)
    rc = r->query->format->begin(&f->header, r->env, &r->query->rows, f->stream, &p->issues,
                                 &p->err);
  f->has_header = blocks.json || !options->header;
  return rc;
}

/* The next block of the file, behind its header. */
static mpg_rc next_block(rollup *r, piece *p) {
  const mpg_rows_format *format = r->query->format;
  file *f = r->at;
  mpg_rc rc = MPG_OK;
  if (p->reader == NULL)
    rc = format->begin(&p->reader, r->env, &r->query->rows, f->stream, &p->issues, &p->err);
  while (rc == MPG_OK) {
    rc = mpg_blocks_next(f->blocks, &p->block, &p->err);
    if (rc != MPG_OK || f->has_header || p->block.rest)
      break;
    format->feed(f->header, f->stream, &p->block);
    rc = format->header(f->header, &p->err);
    if (rc == MPG_OK) {
      format->unfeed(f->header, &p->block);
      f->has_header = true;
      break;
    }
    rc = rc == MPG_DONE ? MPG_OK : rc; /* blank lines */
  }
  if (rc == MPG_OK) {
    format->like(p->reader, f->header);
    p->of = f;
    f->pieces++;
  } else {
    r->at = NULL;
    file_release(r, f);
  }
  return rc == MPG_DONE ? MPG_OK : rc;
}

static mpg_rc cut(void *ctx, void *slot, mpg_err *err) {
  rollup *r = ctx;
  piece *p = slot;
  (void)err;
  if (r->failed || (r->at == NULL && r->next == r->paths->n))
    return MPG_DONE;
  file_release(r, p->of);
  mpg_issues_free(&p->issues);
  mpg_issues_init(&p->issues, r->env);
  p->of = NULL;
  p->rc = MPG_OK;
  p->begins = r->at == NULL;
  r->next += p->begins;
  p->path = r->paths->path[r->next - 1];
  if (p->begins) {
    p->rc = file_open(r, p);
    if (p->rc != MPG_OK) {
      file_release(r, r->at);
      r->at = NULL;
    }
  }
  if (p->rc == MPG_OK && r->at != NULL)
    p->rc = next_block(r, p);
  /* A file with the wrong header, or none that can be read, is left out whole. */
  r->failed = p->rc != MPG_OK && !(p->rc == MPG_DATA && r->query->skip);
  return MPG_OK; /* what went wrong is told in its place */
}

static mpg_rc read_block(const rollup *r, worker *w, piece *p) {
  const mpg_rows_format *format = r->query->format;
  size_t width;
  const size_t *at = format->fields(p->reader, &width);
  mpg_rc rc = MPG_OK;
  if (at != NULL && !p->block.rest) {
    w->scan.delimiter = r->query->rows.options->delimiter;
    w->scan.quotes = !r->query->rows.options->no_quotes;
    w->scan.width = width;
    plan_plain(r, w, at);
    rc = add_plain_records(r, w, &p->block, p->path, &p->err);
    if (rc != MPG_OK || p->block.at == p->block.n)
      return rc;
  }
  format->feed(p->reader, p->of->stream, &p->block);
  if (!p->of->has_header) /* of a file that is not cut */
    rc = format->header(p->reader, &p->err);
  if (rc == MPG_DONE)
    return MPG_OK;
  return rc == MPG_OK ? add_records(r, w, p->reader, &p->issues, p->path, &p->err) : rc;
}

static void work(void *ctx, void *slot, int thread) {
  const rollup *r = ctx;
  piece *p = slot;
  if (p->rc == MPG_OK && p->of != NULL && !p->block.rest)
    p->rc = read_block(r, &r->workers[thread], p);
}

/* A piece that is done, in its order. What could not be cut is read here. */
static mpg_rc take(rollup *r, piece *p, mpg_err *err) {
  if (p->begins)
    mpg_issues_drop(r->issues, p->path);
  if (p->rc == MPG_OK && p->of != NULL && p->block.rest)
    p->rc = read_block(r, &r->workers[0], p);
  for (size_t i = 0; i < p->issues.n; i++)
    if (mpg_issues_merge(r->issues, &p->issues.items[i]) != MPG_OK)
      return mpg_fail_nomem(err);
  if (p->rc == MPG_DATA && r->query->skip) {
    if (mpg_issues_add(r->issues, MPG_DATA_LOSS, p->path, "skipped_record", 0, 1, "%s",
                       p->err.text) != MPG_OK)
      return mpg_fail_nomem(err);
    return MPG_OK;
  }
  if (p->rc != MPG_OK)
    *err = p->err;
  return p->rc;
}

/* ---- The whole ---- */

static mpg_rc gather(rollup *r, mpg_groups *groups, mpg_err *err) {
  for (int i = 0; i < r->query->threads; i++) {
    size_t which = 0;
    mpg_rc rc = mpg_groups_merge(groups, &r->workers[i].groups, r->query->measures, &which);
    if (rc == MPG_NOMEM)
      return mpg_fail_nomem(err);
    if (rc == MPG_INTERRUPTED)
      return mpg_fail(err, rc, "interrupted");
    if (rc != MPG_OK && which == MPG_GROUPS_TOO_MANY)
      return too_many(r, r->paths->path[0], 1, err);
    if (rc != MPG_OK)
      return too_large(r, r->paths->path[0], 1, which, err);
  }
  return MPG_OK;
}

static mpg_rc read_all(rollup *r, void *const *slots, mpg_err *err) {
  static const mpg_pipeline_steps steps = {cut, work};
  mpg_pipeline *pipeline;
  void *slot;
  mpg_rc rc = mpg_pipeline_open(&pipeline, r->env, r->query->threads, &steps, r, slots, err);
  while (rc == MPG_OK) {
    rc = mpg_pipeline_next(pipeline, &slot, err);
    if (rc == MPG_OK)
      rc = take(r, slot, err);
  }
  mpg_pipeline_close(pipeline);
  return rc;
}

mpg_rc mpg_rows_rollup(mpg_groups *groups, const mpg_env *env, const mpg_rollup_query *query,
                       const mpg_paths *paths, mpg_issues *issues, mpg_err *err) {
  rollup r = {.env = env, .memory = *env, .query = query, .paths = paths, .issues = issues};
  size_t n_pieces = mpg_pipeline_slots(query->threads), threads = (size_t)query->threads;
  piece *pieces = mpg_calloc(env, n_pieces * (sizeof *pieces + sizeof(void *)));
  void **slots;
  mpg_rc rc;
  r.memory.interrupted = NULL;
  r.workers = mpg_calloc(env, threads * sizeof *r.workers);
  if (pieces == NULL || r.workers == NULL) {
    mpg_free(env, pieces);
    mpg_free(env, r.workers);
    return mpg_fail_nomem(err);
  }
  for (size_t i = 0; i < threads; i++)
    mpg_groups_init(&r.workers[i].groups, &r.memory, query->n_dimensions, query->measures->n);
  slots = (void **)(pieces + n_pieces);
  for (size_t i = 0; i < n_pieces; i++) {
    slots[i] = &pieces[i];
    mpg_issues_init(&pieces[i].issues, env);
  }
  rc = read_all(&r, slots, err);
  if (rc == MPG_DONE)
    rc = gather(&r, groups, err);
  for (size_t i = 0; i < threads; i++) {
    mpg_free(env, r.workers[i].copies);
    mpg_groups_free(&r.workers[i].groups);
  }
  for (size_t i = 0; i < n_pieces; i++) {
    piece *p = &pieces[i];
    if (p->reader != NULL)
      query->format->close(p->reader);
    mpg_issues_free(&p->issues);
    mpg_block_free(&p->block);
    file_release(&r, p->of);
  }
  file_release(&r, r.at);
  mpg_free(env, r.workers);
  mpg_free(env, pieces);
  return rc;
}
