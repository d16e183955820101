/* slurm_prefetch.c - see slurm_prefetch.h. */
#include "slurm_prefetch.h"
#include "../../base/limits.h"
#include "../../base/pipeline.h"

#include <string.h>

struct mpg_slurm_prefetch {
  const mpg_env *env;
  mpg_env
      cutter; /* of the thread that cuts blocks, which polls; the pipeline's, once there is one */
  mpg_env memory; /* of the other threads, which never poll */
  mpg_stream *stream;
  mpg_blocks *blocks;
  int threads;
  char delimiter_of_lines;
  size_t limit; /* bytes of a record */
  mpg_str header;
  mpg_slurm_block first; /* before the columns are known */
  mpg_pipeline *pipeline;
  mpg_slurm_block *slots;
  size_t n_slots;
  mpg_slurm_row *rows; /* one a thread */
  mpg_err end;         /* what every call says from here on */
};

mpg_rc mpg_slurm_prefetch_open(mpg_slurm_prefetch **out, const mpg_env *env, mpg_stream *stream,
                               int threads, char delimiter_of_lines, mpg_err *err) {
  const mpg_blocks_options lines = {.delimiter = delimiter_of_lines, .no_quotes = true};
  mpg_slurm_prefetch *a = mpg_calloc(env, sizeof *a);
  mpg_rc rc;
  *out = NULL;
  if (a == NULL)
    return mpg_fail_nomem(err);
  a->env = env;
  a->stream = stream;
  a->cutter = a->memory = *env;
  a->memory.interrupted = NULL;
  a->threads = threads;
  a->delimiter_of_lines = delimiter_of_lines;
  a->limit = (size_t)mpg_limit_in(env, MPG_LIMIT_RECORD_BYTES);
  mpg_stream_ask(stream, &a->cutter);
  rc = mpg_blocks_open(&a->blocks, &a->cutter, stream, &lines, err);
  if (rc == MPG_OK)
    *out = a;
  else
    mpg_slurm_prefetch_close(a);
  return rc;
}

void mpg_slurm_prefetch_close(mpg_slurm_prefetch *a) {
  if (a == NULL)
    return;
  mpg_pipeline_close(a->pipeline);
  mpg_stream_ask(a->stream, a->env);
  for (size_t i = 0; i < a->n_slots; i++) {
    mpg_block_free(&a->slots[i].block);
    mpg_free(a->env, a->slots[i].marks);
  }
  for (int i = 0; a->rows != NULL && i < a->threads; i++)
    mpg_slurm_row_free(&a->rows[i]);
  mpg_block_free(&a->first.block);
  mpg_blocks_close(a->blocks);
  mpg_free(a->env, a->slots);
  mpg_free(a->env, a->rows);
  mpg_free(a->env, a);
}

/* ---- Lines ---- */

/* Whether the line is a record by itself, every field of which fits and no time is in doubt. */
static bool is_record(mpg_slurm_row *row, mpg_str line) {
  bool whole, mended;
  if (mpg_slurm_row_split(row, line) != MPG_OK || row->npieces != row->ncolumns + row->trailing ||
      mpg_slurm_row_match(row, &whole, &mended) != MPG_OK || !whole || mended)
    return false;
  for (size_t i = 0; i < row->ncolumns; i++)
    if (row->cells[i].fit != MPG_ZONE_UNIQUE)
      return false;
  return true;
}

static bool is_header(const mpg_slurm_prefetch *a, mpg_str line) {
  return a->header.n > 0 && mpg_str_eq(line, a->header);
}

/* If memory runs out, prefetching ends, and the reader reads the rest itself. */
static void split_lines(const mpg_slurm_prefetch *a, mpg_slurm_row *row, mpg_slurm_block *b) {
  const char *bytes = b->block.bytes, *p = bytes + b->block.at, *end = bytes + b->block.n;
  size_t width = row->ncolumns + 2;
  const char *lf;
  /* Bytes that the reader of lines has an own mind about. */
  if (p == end || memchr(p, '\r', (size_t)(end - p)) != NULL ||
      memchr(p, '\0', (size_t)(end - p)) != NULL ||
      memchr(p, a->delimiter_of_lines, (size_t)(end - p)) != NULL)
    return;
  for (; (lf = memchr(p, '\n', (size_t)(end - p))) != NULL; p = lf + 1) {
    mpg_str line = {p, (size_t)(lf - p)};
    uint32_t *marks;
    if (line.n == 0 || line.n > a->limit || is_header(a, line) || !is_record(row, line))
      continue;
    if (mpg_grow(&a->memory, &b->marks, &b->cap, (b->n + 1) * width, sizeof *b->marks) != MPG_OK)
      return;
    marks = b->marks + b->n++ * width;
    for (size_t i = 0; i < row->ncolumns; i++)
      marks[i] = (uint32_t)(row->cells[i].text.p - bytes);
    marks[row->ncolumns] =
        (uint32_t)(lf - bytes) + (row->trailing ? 0 : (uint32_t)row->delimiter.n);
    marks[row->ncolumns + 1] = (uint32_t)(lf - bytes);
  }
}

/* ---- Blocks ---- */

static mpg_rc next_block(void *ctx, void *slot, mpg_err *err) {
  mpg_slurm_prefetch *a = ctx;
  mpg_slurm_block *b = slot;
  b->n = 0;
  return mpg_blocks_next(a->blocks, &b->block, err);
}

static void parse_block(void *ctx, void *slot, int thread) {
  const mpg_slurm_prefetch *a = ctx;
  mpg_slurm_block *b = slot;
  if (!b->block.rest)
    split_lines(a, &a->rows[thread], b);
}

/* What every thread has to itself of the columns. */
static mpg_rc copy_columns(mpg_slurm_prefetch *a, const mpg_slurm_row *from, mpg_slurm_row *to) {
  mpg_rc rc = MPG_OK;
  *to = (mpg_slurm_row){.env = &a->memory,
                        .zone = from->zone,
                        .delimiter = from->delimiter,
                        .trailing = from->trailing,
                        .slow = from->slow};
  for (size_t i = 0; rc == MPG_OK && i < from->ncolumns; i++)
    rc = mpg_slurm_row_add(to, from->columns[i].field, from->columns[i].type);
  return rc;
}

mpg_rc mpg_slurm_prefetch_begin(mpg_slurm_prefetch *a, const mpg_slurm_row *row, mpg_str header,
                                mpg_err *err) {
  static const mpg_pipeline_steps steps = {
      .cut = next_block, .work = parse_block, .cut_by_any = true};
  size_t n = mpg_pipeline_slots(a->threads);
  void **slots;
  mpg_rc rc;
  /* A record that may continue in the next line is none by itself. */
  if (a->threads < 2 || row->delimiter.n == 0 || mpg_slurm_row_open_ended(row))
    return MPG_OK;
  a->header = header;
  a->rows = mpg_calloc(a->env, (size_t)a->threads * sizeof *a->rows);
  if (a->rows == NULL)
    return mpg_fail_nomem(err);
  for (int i = 0; i < a->threads; i++)
    a->rows[i].env = &a->memory;
  for (int i = 0; i < a->threads; i++)
    if (copy_columns(a, row, &a->rows[i]) != MPG_OK)
      return mpg_fail_nomem(err);
  a->slots = mpg_calloc(a->env, n * (sizeof *a->slots + sizeof *slots));
  if (a->slots == NULL)
    return mpg_fail_nomem(err);
  a->n_slots = n;
  slots = (void **)(a->slots + n);
  for (size_t i = 0; i < n; i++)
    slots[i] = &a->slots[i];
  rc = mpg_pipeline_open(&a->pipeline, a->env, a->threads, &steps, a, slots, err);
  if (rc == MPG_OK) {
    a->cutter = *mpg_pipeline_env(a->pipeline);
    mpg_stream_share(a->stream, a->pipeline);
  }
  return rc;
}

mpg_rc mpg_slurm_prefetch_next(mpg_slurm_prefetch *a, mpg_slurm_block **block, mpg_err *err) {
  void *slot = &a->first;
  if (a->end.rc == MPG_OK) {
    a->end.rc = a->pipeline == NULL ? next_block(a, slot, &a->end)
                                    : mpg_pipeline_next(a->pipeline, &slot, &a->end);
  }
  *block = a->end.rc == MPG_OK ? slot : NULL;
  if (a->end.rc != MPG_OK)
    *err = a->end;
  return a->end.rc;
}
