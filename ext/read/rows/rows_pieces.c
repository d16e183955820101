/* rows_pieces.c - see rows_pieces.h. */
#include "rows_pieces.h"
#include "../../base/limits.h"
#include "../input/unfinished.h"

#include <string.h>

/* The reader takes twice as many records each time that no plain one follows, up to this. */
#define PATIENCE_MAX 1024
#define POLL_EVERY 256 /* records of what only the owner reads */
/* The most that a plain record has. If the limit is lower, the general readers check it. */
#define PLAIN_BYTES ((int64_t)16 << 20)
#define PLAIN_FIELDS MPG_CSV_SCAN_FIELDS

/* One file; the pieces that are of it keep it. */
struct mpg_rows_file {
  mpg_stream *stream;
  mpg_blocks *blocks;
  void *header; /* a reader that has taken the header; of the file */
  bool has_header;
  bool whole; /* what is left is read by the owner, from the stream */
  int pieces;
};

void mpg_rows_pieces_init(mpg_rows_pieces *r, const mpg_env *env, const mpg_rows_format *format,
                          const mpg_rows_query *query, const mpg_paths *paths, bool skip) {
  memset(r, 0, sizeof *r);
  r->env = env;
  r->format = format;
  r->query = query;
  r->bare =
      (mpg_rows_query){.options = query->options, .columns = query->columns, .scan = query->scan};
  r->paths = paths;
  r->skip = skip;
  r->plain = mpg_limit_in(env, MPG_LIMIT_RECORD_BYTES) >= PLAIN_BYTES &&
             mpg_limit_in(env, MPG_LIMIT_RECORD_FIELDS) >= PLAIN_FIELDS &&
             mpg_limit_in(env, MPG_LIMIT_JSON_MEMBERS) >= MPG_JSON_FAST_KEYS;
}

mpg_rc mpg_rows_pieces_open(mpg_rows_pieces *r, int threads, const mpg_pipeline_steps *steps,
                            void *ctx, void *const *slots, mpg_err *err) {
  mpg_rc rc = mpg_pipeline_open(&r->pipeline, r->env, threads, steps, ctx, slots, err);
  if (rc == MPG_OK)
    r->shared = *mpg_pipeline_env(r->pipeline);
  return rc;
}

void mpg_rows_pieces_close(mpg_rows_pieces *r) {
  mpg_pipeline_close(r->pipeline);
  r->pipeline = NULL;
}

static void file_release(const mpg_rows_pieces *r, mpg_rows_file *f) {
  if (f == NULL || --f->pieces > 0)
    return;
  if (f->header != NULL)
    r->format->close(f->header);
  mpg_pipeline_no_ahead(r->pipeline, f->stream);
  mpg_blocks_close(f->blocks);
  mpg_stream_close(f->stream);
  mpg_free(r->env, f);
}

void mpg_rows_pieces_free(mpg_rows_pieces *r) {
  file_release(r, r->at);
  r->at = NULL;
}

void mpg_rows_piece_free(mpg_rows_pieces *r, mpg_rows_piece *p) {
  if (p->reader != NULL)
    r->format->close(p->reader);
  mpg_issues_free(&p->issues);
  mpg_block_free(&p->block);
  file_release(r, p->of);
  memset(p, 0, sizeof *p);
}

/* ---- Cutting ---- */

static mpg_rc file_open(mpg_rows_pieces *r, mpg_rows_piece *p) {
  const mpg_rows_options *options = r->query->options;
  mpg_blocks_options blocks = {r->format->json, options->delimiter, options->no_quotes, false};
  mpg_rows_file *f = mpg_calloc(r->env, sizeof *f);
  mpg_rc rc;
  if (f == NULL)
    return mpg_fail_nomem(&p->err);
  r->at = f;
  f->pieces = 1; /* the cutter's hold */
  rc = mpg_stream_open(&f->stream, &r->shared, p->path, &p->err);
  if (rc == MPG_OK) {
    mpg_stream_repair_text(f->stream);
    mpg_rows_unwrap(r->format, &r->shared, f->stream);
    mpg_stream_share(f->stream, r->pipeline);
    rc = mpg_blocks_open(&f->blocks, &r->shared, f->stream, &blocks, &p->err);
  }
  if (rc == MPG_OK)
    rc = r->format->begin(&f->header, &r->shared, &r->bare, f->stream, &p->issues, &p->err);
  f->has_header = blocks.json || !options->header;
  return rc;
}

/* Where the file is one of two of a name, and both are read, that is listed. */
static mpg_rc compare_names(const mpg_rows_pieces *r, mpg_rows_piece *p) {
  const char *copied = mpg_paths_repeated(r->paths, p->file);
  mpg_rc rc = mpg_paths_issues(r->paths, p->file, &p->issues, &p->err);
  if (rc != MPG_OK)
    return rc;
  if (copied == NULL || (r->chosen != NULL && !r->chosen(r->chosen_ctx, copied)))
    return MPG_OK;
  return mpg_same_name(&p->issues, p->path, copied, &p->err);
}

/* The next block of the file, after its header. */
static mpg_rc next_block(mpg_rows_pieces *r, mpg_rows_piece *p) {
  const mpg_rows_format *format = r->format;
  mpg_rows_file *f = r->at;
  mpg_rc rc = MPG_OK;
  if (p->reader == NULL)
    rc = format->begin(&p->reader, &r->shared, &r->bare, f->stream, &p->issues, &p->err);
  while (rc == MPG_OK) {
    rc = mpg_blocks_next(f->blocks, &p->block, &p->err);
    if (rc != MPG_OK) {
      p->line = f->has_header ? p->block.line : 0;
      break;
    }
    if (f->has_header || p->block.rest)
      break;
    format->feed(f->header, f->stream, &p->block, &r->shared);
    rc = format->header(f->header, &p->err);
    if (rc == MPG_OK) {
      (void)format->unfeed(f->header, &p->block); /* of delimited text: always */
      f->has_header = true;
      break;
    }
    rc = rc == MPG_DONE ? MPG_OK : rc; /* blank lines */
  }
  if (rc == MPG_DONE && !f->whole && mpg_stream_repaired(f->stream, &p->issues, &p->err) != MPG_OK)
    rc = MPG_NOMEM;
  if (rc == MPG_OK) {
    format->like(p->reader, f->header);
    p->of = f;
    f->pieces++;
    f->whole |= p->block.rest;
  } else {
    p->ends = true;
    r->at = NULL;
    file_release(r, f);
  }
  return rc == MPG_DONE ? MPG_OK : rc;
}

mpg_rc mpg_rows_pieces_next(mpg_rows_pieces *r, mpg_rows_piece *p) {
  while (r->at == NULL && r->chosen != NULL && r->next < r->paths->n &&
         !r->chosen(r->chosen_ctx, r->paths->file[r->next].path))
    r->next++;
  if (r->failed || (r->at == NULL && r->next == r->paths->n))
    return MPG_DONE;
  file_release(r, p->of);
  mpg_issues_free(&p->issues);
  mpg_issues_init(&p->issues, r->env);
  p->of = NULL;
  p->rc = MPG_OK;
  p->line = 0;
  p->ends = p->fed = false;
  p->by_reader = 0;
  p->records = 0;
  p->patience = 1;
  p->begins = r->at == NULL;
  r->next += p->begins;
  p->file = r->next - 1;
  p->path = r->paths->file[p->file].path;
  if (p->begins) {
    p->rc = file_open(r, p);
    if (p->rc == MPG_OK)
      p->rc = compare_names(r, p);
    if (p->rc != MPG_OK) {
      p->ends = true;
      file_release(r, r->at);
      r->at = NULL;
    }
  }
  if (p->rc == MPG_OK && r->at != NULL)
    p->rc = next_block(r, p);
  /* A file with the wrong header, or none that can be read, is left out whole. */
  r->failed = p->rc != MPG_OK && !(p->rc == MPG_DATA && r->skip);
  return MPG_OK; /* the error is returned in its place */
}

/* ---- Records ---- */

/* Whether plain records may come at block.at; brings it there. */
static bool may_be_plain(const mpg_rows_pieces *r, mpg_rows_piece *p, mpg_rows_fast_scan *scan) {
  size_t width;
  if (!r->plain || p->by_reader > 0 || p->block.rest ||
      r->format->fields(p->reader, &width) == NULL)
    return false;
  if (p->fed && !r->format->unfeed(p->reader, &p->block)) {
    mpg_rows_piece_refuse(p);
    return false;
  }
  p->fed = false;
  scan->json = r->format->lines != NULL;
  scan->csv.delimiter = r->query->options->delimiter;
  scan->csv.quotes = !r->query->options->no_quotes;
  scan->csv.width = width;
  return true;
}

/* How many plain records there are; with `counting` they are passed. */
static size_t find_plain(const mpg_rows_pieces *r, mpg_rows_piece *p, mpg_rows_fast_scan *scan,
                         bool counting) {
  mpg_block *b = &p->block;
  size_t n;
  if (scan->json)
    n = r->format->lines(p->reader, &scan->lines, b->bytes, b->n, b->at);
  else
    n = (counting ? mpg_csv_scan_count : mpg_csv_scan_next)(&scan->csv, b->bytes, b->n, b->at);
  if (n > 16)
    p->patience = 1;
  if (n > 0 && counting) {
    b->at = scan->json ? scan->lines.ends[n - 1] + (size_t)1 : scan->csv.end;
    b->first = false;
    b->line += (int64_t)n;
    p->records += (int64_t)n;
  }
  return n;
}

static mpg_rc feed_reader(const mpg_rows_pieces *r, mpg_rows_piece *p, mpg_err *err) {
  mpg_rc rc = MPG_OK;
  r->format->feed(p->reader, p->of->stream, &p->block, &r->shared);
  p->fed = true;
  if (!p->of->has_header) /* of a file that is not cut */
    rc = r->format->header(p->reader, err);
  return rc;
}

mpg_rc mpg_rows_piece_next(const mpg_rows_pieces *r, mpg_rows_piece *p, mpg_rows_fast_scan *scan,
                           bool counting, size_t *plain, mpg_err *err) {
  bool pass = false;
  *plain = 0;
  while (!pass) {
    mpg_rc rc = MPG_OK;
    if (may_be_plain(r, p, scan)) {
      if (p->block.at == p->block.n)
        return MPG_DONE;
      *plain = find_plain(r, p, scan, counting);
      if (*plain > 0)
        return MPG_OK;
      mpg_rows_piece_refuse(p);
    }
    if (p->block.rest && p->records % POLL_EVERY == 0 && mpg_interrupted(r->env))
      return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
    if (!p->fed)
      rc = feed_reader(r, p, err);
    if (rc == MPG_OK)
      rc = r->format->next(p->reader, err);
    if (rc == MPG_DONE && p->block.rest &&
        mpg_stream_repaired(p->of->stream, &p->issues, err) != MPG_OK)
      rc = MPG_NOMEM;
    p->records++;
    p->by_reader -= p->by_reader > 0;
    if (rc == MPG_DATA)
      p->by_reader = SIZE_MAX; /* only the reader knows where to continue */
    if (rc == MPG_OK)
      rc = mpg_rows_test(r->format, p->reader, r->query, &pass, err);
    if (rc != MPG_OK)
      return rc;
  }
  return MPG_OK;
}

void mpg_rows_piece_refuse(mpg_rows_piece *p) {
  p->by_reader = p->patience;
  p->patience = p->patience < PATIENCE_MAX ? 2 * p->patience : PATIENCE_MAX;
}

int64_t mpg_rows_piece_line(const mpg_rows_pieces *r, const mpg_rows_piece *p) {
  return r->format->line(p->reader);
}
