/*
** rows_scan.c - see rows_scan.h.
**
** A thread reads its block into a batch: rows of cells. A text is borrowed from the block if that
** holds it unchanged, else copied. A batch has a limit: the owner itself reads the rest of a block
** with very many rows, and whatever cannot be cut into blocks (mpg_block.rest).
*/
#include "rows_scan.h"
#include "../input/os.h"
#include "../input/unfinished.h"
#include "rows_pieces.h"
#include "rows_dedup.h"
#include "../../base/pipeline.h"

#include <string.h>

#define CELLS_MAX MPG_IO_SIZE(256 << 10) /* of a batch */
#define COPIES_MAX MPG_IO_SIZE(1 << 20)

enum kind { CELL_NULL, CELL_INT, CELL_REAL, CELL_LENT, CELL_COPIED, CELL_UNFIT };

/* A piece, and the rows that were read from it. */
typedef struct part {
  mpg_rows_piece piece; /* must be first */
  mpg_rows_batch batch;
  bool read;  /* to its end; piece.rc says which */
  bool again; /* it was more than a batch holds */
} part;

/* What a thread has to itself. */
typedef struct worker {
  mpg_rows_fast_scan scan;
  mpg_rows_fast_column filters[MPG_ROWS_FILTERS], *wanted;
  /* Where rows that come again may be left out: */
  mpg_rows_dedup repeat;
  mpg_group_head *keys; /* of MPG_SUM_EXPRESSION_ROWS records, n_wanted each */
  uint64_t hashes[MPG_SUM_EXPRESSION_ROWS];
} worker;

typedef struct mpg_rows_reading {
  const mpg_env *env;
  mpg_env memory; /* of all threads, which never poll */
  mpg_scan_query query;
  mpg_issues *issues;
  mpg_rows_pieces pieces;
  bool numbered;   /* rows have gaps between them */
  bool counting;   /* no column is requested */
  worker *workers; /* one a thread; the first is the owner's */
  part *parts;
  size_t n_parts;
  part *current;
  bool any; /* of the current file: a row, or an error */
} reading;

/* ---- Rows that were returned ---- */

/* Whether the row may be left out if it was returned before. For the rest of a block, the thread
** may have returned later rows already. */
static inline bool may_repeat(const reading *r, worker *w, const part *p) {
  return r->query.distinct && (!p->again || p->piece.block.rest) &&
         mpg_rows_dedup_searches(&w->repeat, p->piece.path);
}

/* Whether the thread has given the same row before: its cells are after the batch's last row. */
static mpg_rc is_repeat(const reading *r, worker *w, const part *p, bool *repeat) {
  const mpg_rows_batch *b = &p->batch;
  size_t n = r->query.n_wanted;
  const mpg_cell *cells = b->cells + b->n * n;
  const uint8_t *kinds = b->kinds + b->n * n;
  mpg_group_head key[MPG_ROWS_DEDUP_COLUMNS];
  uint64_t hash = 0;
  *repeat = false;
  for (size_t k = 0; k < n; k++) {
    mpg_group_part value = {NULL, 0};
    mpg_group_number number;
    if (kinds[k] == CELL_UNFIT) /* an error is returned each time */
      return MPG_OK;
    if (kinds[k] == CELL_INT)
      value = mpg_group_number_of(&(mpg_value){.type = MPG_INT, .i = cells[k].i}, &number);
    else if (kinds[k] == CELL_REAL)
      value = mpg_group_number_of(&(mpg_value){.type = MPG_REAL, .r = cells[k].r}, &number);
    else if (kinds[k] != CELL_NULL)
      value = (mpg_group_part){(kinds[k] == CELL_LENT ? p->piece.block.bytes : b->copies) +
                                   cells[k].text.at,
                               cells[k].text.n};
    key[k] = mpg_group_head_of(value, k, r->env->seed, &hash);
  }
  return mpg_rows_dedup_ask(&w->repeat, key, hash, repeat);
}

/* ---- Rows ---- */

/* Room for more rows, and for one cell after them, so that there is an array even if no column is
** requested. */
static mpg_rc make_room(const reading *r, mpg_rows_batch *b, size_t rows, mpg_err *err) {
  size_t n = b->n + rows, cells = n * r->query.n_wanted + 1;
  if ((r->numbered &&
       mpg_grow(&r->memory, &b->numbers, &b->numbers_cap, n, sizeof *b->numbers) != MPG_OK) ||
      mpg_grow(&r->memory, &b->cells, &b->cells_cap, cells, sizeof *b->cells) != MPG_OK ||
      mpg_grow(&r->memory, &b->kinds, &b->kinds_cap, cells, sizeof *b->kinds) != MPG_OK ||
      (r->query.lines &&
       mpg_grow(&r->memory, &b->lines, &b->lines_cap, n, sizeof *b->lines) != MPG_OK))
    return mpg_fail_nomem(err);
  return MPG_OK;
}

/* Numbers the row after the batch's last one. */
static inline void number_row(const reading *r, part *p, int64_t number) {
  mpg_rows_batch *b = &p->batch;
  if (b->n == 0)
    b->first = number;
  if (r->numbered) /* records of a batch are in one block, or as many as fit into a batch */
    b->numbers[b->n] = (uint32_t)(number - b->first);
}

/* The row whose cells are there counts. */
static inline void add_row(const reading *r, part *p, int64_t line) {
  if (r->query.lines)
    p->batch.lines[p->batch.n] = line;
  number_row(r, p, mpg_rows_piece_number(&p->piece));
  p->batch.n++;
}

static mpg_rc copy_text(const reading *r, mpg_rows_batch *b, mpg_str s, mpg_cell *cell,
                        mpg_err *err) {
  if (s.n > UINT32_MAX - b->copies_n || mpg_grow(&r->memory, &b->copies, &b->copies_cap,
                                                 b->copies_n + s.n + MPG_GROUP_SLACK, 1) != MPG_OK)
    return mpg_fail_nomem(err);
  cell->text.at = (uint32_t)b->copies_n;
  cell->text.n = (uint32_t)s.n;
  if (s.n > 0)
    memcpy(b->copies + b->copies_n, s.p, s.n);
  b->copies_n += s.n;
  return MPG_OK;
}

/* The current record of the reader. */
static mpg_rc add_record(const reading *r, worker *w, part *p, mpg_err *err) {
  const mpg_rows_format *format = r->query.format;
  mpg_rows_batch *b = &p->batch;
  bool repeat = false;
  mpg_rc rc = make_room(r, b, 1, err);
  for (size_t k = 0; rc == MPG_OK && k < r->query.n_wanted; k++) {
    mpg_cell *cell = &b->cells[b->n * r->query.n_wanted + k];
    uint8_t *kind = &b->kinds[b->n * r->query.n_wanted + k];
    mpg_value v;
    mpg_rc read = format->column(p->piece.reader, r->query.wanted[k], &v, err);
    *kind = CELL_NULL;
    if (read == MPG_DATA) {
      *kind = CELL_UNFIT;
      rc = copy_text(r, b, mpg_str_of(err->text), cell, err);
    } else if (read != MPG_OK) {
      rc = read;
    } else if (v.type == MPG_INT) {
      *kind = CELL_INT;
      cell->i = v.i;
    } else if (v.type == MPG_REAL) {
      *kind = CELL_REAL;
      cell->r = v.r;
    } else if (v.type == MPG_TEXT && mpg_rows_piece_holds(&p->piece, v.s)) {
      *kind = CELL_LENT;
      cell->text.at = (uint32_t)(v.s.p - p->piece.block.bytes);
      cell->text.n = (uint32_t)v.s.n;
    } else if (v.type == MPG_TEXT) {
      *kind = CELL_COPIED;
      rc = copy_text(r, b, v.s, cell, err);
    }
  }
  if (rc == MPG_OK && may_repeat(r, w, p) && is_repeat(r, w, p, &repeat) != MPG_OK)
    return mpg_fail_nomem(err);
  if (rc == MPG_OK && !repeat)
    add_row(r, p, format->line(p->piece.reader));
  return rc;
}

/* The cells of one plain record that passes the filters; there is room for them. False if it is not
** plain in a requested column. */
static bool read_plain(const reading *r, const worker *w, part *p, size_t record) {
  const char *bytes = p->piece.block.bytes;
  size_t n = r->query.n_wanted;
  mpg_cell *cells = p->batch.cells + p->batch.n * n;
  uint8_t *kinds = p->batch.kinds + p->batch.n * n;
  mpg_value v = {MPG_NULL, 0, 0.0, {NULL, 0}};
  for (size_t k = 0; k < n; k++) {
    if (!mpg_rows_fast_read(&w->scan, record, bytes, w->wanted[k], &r->query.rows.options->reading,
                            &v))
      return false;
    switch (v.type) {
    case MPG_NULL:
      kinds[k] = CELL_NULL;
      break;
    case MPG_INT:
      kinds[k] = CELL_INT;
      cells[k].i = v.i;
      break;
    case MPG_REAL:
      kinds[k] = CELL_REAL;
      cells[k].r = v.r;
      break;
    default:
      kinds[k] = CELL_LENT;
      cells[k].text.at = (uint32_t)(v.s.p - bytes);
      cells[k].text.n = (uint32_t)v.s.n;
    }
  }
  return true;
}

/* Removes from *rows those of the n records from `record` on that were returned before. *n becomes
** the number of records before the first that is not plain. */
static mpg_rc leave_out(const reading *r, worker *w, const part *p, size_t record, size_t *n,
                        uint64_t *rows) {
  size_t columns = r->query.n_wanted;
  *n = mpg_rows_fast_keys(&w->scan, record, *n, *rows, p->piece.block.bytes, w->wanted, columns,
                          &r->query.rows.options->reading, r->env->seed, w->keys, w->hashes);
  for (size_t k = 0; k < *n; k++) {
    bool repeat;
    if ((*rows >> k & 1) == 0)
      continue;
    if (mpg_rows_dedup_ask(&w->repeat, w->keys + k * columns, w->hashes[k], &repeat) != MPG_OK)
      return MPG_NOMEM;
    *rows -= (uint64_t)repeat << k;
  }
  return MPG_OK;
}

/* Plain records of the piece, up to the first that is not. */
static mpg_rc add_plain(const reading *r, worker *w, part *p, size_t n, mpg_err *err) {
  const mpg_rows_query *q = &r->query.rows;
  if (r->counting) {
    number_row(r, p, mpg_rows_piece_number(&p->piece) - (int64_t)n + 1);
    p->batch.n += n;
    return MPG_OK;
  }
  if (make_room(r, &p->batch, n, err) != MPG_OK)
    return err->rc;
  for (size_t first = 0; first < n; first += MPG_SUM_EXPRESSION_ROWS) {
    size_t most = n - first < MPG_SUM_EXPRESSION_ROWS ? n - first : MPG_SUM_EXPRESSION_ROWS,
           plain = most, k = 0;
    uint64_t rows = ~UINT64_C(0) >> (MPG_SUM_EXPRESSION_ROWS - most);
    for (size_t i = 0; i < q->n_filters; i++)
      plain = mpg_rows_fast_filter(&w->scan, first, plain, &rows, p->piece.block.bytes,
                                   w->filters[i], &q->options->reading, &q->filters[i]);
    if (may_repeat(r, w, p) && leave_out(r, w, p, first, &plain, &rows) != MPG_OK)
      return mpg_fail_nomem(err);
    for (; k < plain; k++) {
      bool taken = (rows >> k & 1) != 0;
      if (taken && !read_plain(r, w, p, first + k))
        break;
      mpg_rows_piece_pass(&p->piece, 1, mpg_rows_fast_end(&w->scan, first + k));
      if (taken)
        add_row(r, p, p->piece.block.line - 1);
    }
    if (k < most) {
      mpg_rows_piece_refuse(&p->piece);
      return MPG_OK;
    }
  }
  return MPG_OK;
}

static bool is_full(const reading *r, const mpg_rows_batch *b) {
  return b->n * (r->query.n_wanted + r->query.lines) >= CELLS_MAX || b->copies_n >= COPIES_MAX;
}

static void plan_plain(const reading *r, worker *w, const size_t *at) {
  const mpg_scan_query *q = &r->query;
  for (size_t i = 0; i < q->rows.n_filters; i++)
    w->filters[i] = mpg_rows_fast_of(&q->rows, at, q->rows.filters[i].column);
  for (size_t i = 0; i < q->n_wanted; i++)
    w->wanted[i] = mpg_rows_fast_of(&q->rows, at, q->wanted[i]);
}

/* Fills the empty batch from the position of the piece on. */
static void fill_batch(const reading *r, worker *w, part *p) {
  mpg_rows_piece *piece = &p->piece;
  size_t plain, width;
  while (!p->read && !is_full(r, &p->batch)) {
    mpg_rc rc = mpg_rows_piece_next(&r->pieces, piece, &w->scan, r->counting, &plain, &piece->err);
    if (rc == MPG_OK && plain > 0) {
      plan_plain(r, w, r->query.format->fields(piece->reader, &width));
      rc = add_plain(r, w, p, plain, &piece->err);
    } else if (rc == MPG_OK)
      rc = add_record(r, w, p, &piece->err);
    if (rc == MPG_DATA && r->query.skip) {
      rc = mpg_issues_add(&piece->issues, MPG_DATA_LOSS, piece->path, "skipped_record",
                          mpg_rows_piece_line(&r->pieces, piece), 1, "%s", piece->err.text);
      if (rc != MPG_OK)
        rc = mpg_fail_nomem(&piece->err);
    }
    p->read = rc != MPG_OK;
    piece->rc = rc == MPG_DONE ? MPG_OK : rc;
  }
  p->again = true;
}

/* ---- Pieces ---- */

static mpg_rc next_piece(void *ctx, void *slot, mpg_err *err) {
  reading *r = ctx;
  part *p = slot;
  mpg_rc rc = mpg_rows_pieces_next(&r->pieces, &p->piece);
  (void)err;
  p->batch.n = p->batch.copies_n = 0;
  p->again = false;
  p->read = p->piece.rc != MPG_OK || p->piece.of == NULL;
  return rc;
}

static void scan_piece(void *ctx, void *slot, int thread) {
  const reading *r = ctx;
  part *p = slot;
  if (!p->read && !p->piece.block.rest)
    fill_batch(r, &r->workers[thread], p);
}

static mpg_rc keep_issues(reading *r, mpg_issues *of) {
  for (size_t i = 0; i < of->n; i++)
    if (mpg_issues_merge(r->issues, &of->items[i]) != MPG_OK)
      return MPG_NOMEM;
  mpg_issues_free(of);
  mpg_issues_init(of, r->env);
  return MPG_OK;
}

/* The piece is at its end. */
static mpg_rc finish_piece(reading *r, part *p, mpg_err *err) {
  mpg_rows_piece *piece = &p->piece;
  int64_t line = piece->line;
  if (piece->rc == MPG_OK && piece->ends && !r->any) {
    bool empty;
    piece->rc = mpg_paths_are_several(r->pieces.paths)
                    ? mpg_stream_list_empty(r->env, piece->path, r->issues, &empty, &piece->err)
                    : mpg_stream_not_empty(r->env, piece->path, &piece->err);
    line = 1;
  }
  if (piece->rc == MPG_DATA && r->query.skip &&
      mpg_issues_add(r->issues, MPG_DATA_LOSS, piece->path, "skipped_record", line, 1, "%s",
                     piece->err.text) == MPG_OK)
    return MPG_OK;
  if (piece->rc == MPG_DATA && r->query.skip)
    return mpg_fail_nomem(err);
  if (piece->rc != MPG_OK)
    *err = piece->err;
  return piece->rc;
}

/* The next piece, or more of the current one. */
static mpg_rc advance(reading *r, mpg_err *err) {
  part *p = r->current;
  void *slot;
  mpg_rc rc = MPG_OK;
  if (p != NULL && p->read)
    rc = finish_piece(r, p, err);
  if (rc == MPG_OK && (p == NULL || p->read)) {
    r->current = NULL;
    rc = mpg_pipeline_next(r->pieces.pipeline, &slot, err);
    if (rc != MPG_OK)
      return rc;
    r->current = p = slot;
    if (p->piece.begins) {
      mpg_issues_drop(r->issues, p->piece.path);
      r->any = false;
    }
  } else if (rc == MPG_OK) {
    p->batch.n = p->batch.copies_n = 0;
  }
  if (rc == MPG_OK && !p->read && p->batch.n == 0) {
    if (mpg_interrupted(r->env))
      return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
    fill_batch(r, &r->workers[0], p);
  }
  if (rc == MPG_OK && keep_issues(r, &p->piece.issues) != MPG_OK)
    return mpg_fail_nomem(err);
  return rc;
}

mpg_rc mpg_rows_scan_more(mpg_rows_scan *scan, mpg_err *err) {
  reading *r = scan->reading;
  scan->batch = NULL;
  do {
    mpg_rc rc = advance(r, err);
    if (rc != MPG_OK)
      return rc;
  } while (r->current->batch.n == 0);
  r->any = true;
  scan->batch = &r->current->batch;
  scan->at = 0;
  scan->path = r->current->piece.path;
  scan->file = r->current->piece.file;
  scan->bytes = r->current->piece.block.bytes;
  scan->numbered = r->numbered;
  return MPG_OK;
}

mpg_rc mpg_rows_scan_column(const mpg_rows_scan *scan, size_t k, mpg_value *out, mpg_err *err) {
  const mpg_rows_batch *b = scan->batch;
  size_t i = scan->at * scan->reading->query.n_wanted + k;
  const mpg_cell *cell = &b->cells[i];
  switch (b->kinds[i]) {
  case CELL_INT:
    out->type = MPG_INT;
    out->i = cell->i;
    break;
  case CELL_REAL:
    out->type = MPG_REAL;
    out->r = cell->r;
    break;
  case CELL_LENT:
  case CELL_COPIED:
    out->type = MPG_TEXT;
    out->s.p = (b->kinds[i] == CELL_LENT ? scan->bytes : b->copies) + cell->text.at;
    out->s.n = cell->text.n;
    break;
  case CELL_UNFIT:
    return mpg_fail(err, MPG_DATA, "%.*s", (int)cell->text.n, b->copies + cell->text.at);
  default:
    out->type = MPG_NULL;
  }
  return MPG_OK;
}

/* ---- The whole ---- */

void mpg_rows_scan_close(mpg_rows_scan *scan) {
  reading *r = scan->reading;
  if (r == NULL)
    return;
  mpg_rows_pieces_close(&r->pieces);
  for (size_t i = 0; r->parts != NULL && i < r->n_parts; i++) {
    mpg_rows_batch *b = &r->parts[i].batch;
    mpg_rows_piece_free(&r->pieces, &r->parts[i].piece);
    mpg_free(r->env, b->cells);
    mpg_free(r->env, b->kinds);
    mpg_free(r->env, b->lines);
    mpg_free(r->env, b->numbers);
    mpg_free(r->env, b->copies);
  }
  for (int i = 0; r->workers != NULL && i < r->query.threads; i++) {
    mpg_rows_dedup_free(&r->workers[i].repeat);
    mpg_free(r->env, r->workers[i].wanted);
    mpg_free(r->env, r->workers[i].keys);
  }
  mpg_rows_pieces_free(&r->pieces);
  mpg_free(r->env, r->workers);
  mpg_free(r->env, r->parts);
  mpg_free(r->env, r);
  memset(scan, 0, sizeof *scan);
}

mpg_rc mpg_rows_scan_open(mpg_rows_scan *scan, const mpg_env *env, const mpg_scan_query *query,
                          const mpg_paths *paths, mpg_issues *issues, mpg_err *err) {
  static const mpg_pipeline_steps steps = {
      .cut = next_piece, .work = scan_piece, .cut_by_any = true};
  reading *r = mpg_calloc(env, sizeof *r);
  size_t n = mpg_pipeline_slots(query->threads), threads = (size_t)query->threads;
  void **slots;
  memset(scan, 0, sizeof *scan);
  scan->reading = r;
  if (r == NULL)
    return mpg_fail_nomem(err);
  r->env = env;
  r->memory = *env;
  r->memory.interrupted = NULL;
  r->query = *query;
  r->issues = issues;
  r->query.distinct &= query->n_wanted <= MPG_ROWS_DEDUP_COLUMNS && !query->lines;
  r->numbered = r->query.distinct || query->skip || query->rows.n_filters > 0;
  r->counting = query->n_wanted == 0 && !query->lines && !r->numbered;
  mpg_rows_pieces_init(&r->pieces, env, query->format, &r->query.rows, paths, query->skip);
  r->pieces.chosen = query->chosen;
  r->pieces.chosen_ctx = query->chosen_ctx;
  r->parts = mpg_calloc(env, n * (sizeof *r->parts + sizeof *slots));
  r->workers = mpg_calloc(env, threads * sizeof *r->workers);
  r->n_parts = n;
  if (r->parts == NULL || r->workers == NULL)
    return mpg_fail_nomem(err);
  for (size_t i = 0; i < threads; i++) {
    mpg_rows_dedup_init(&r->workers[i].repeat, &r->memory, query->n_wanted);
    r->workers[i].wanted = mpg_calloc(env, (query->n_wanted + 1) * sizeof *r->workers[i].wanted);
    if (r->query.distinct)
      r->workers[i].keys = mpg_calloc(env, MPG_SUM_EXPRESSION_ROWS * (query->n_wanted + 1) *
                                               sizeof *r->workers[i].keys);
    if (r->workers[i].wanted == NULL || (r->query.distinct && r->workers[i].keys == NULL))
      return mpg_fail_nomem(err);
  }
  slots = (void **)(r->parts + n);
  for (size_t i = 0; i < n; i++) {
    slots[i] = &r->parts[i];
    mpg_issues_init(&r->parts[i].piece.issues, env);
  }
  return mpg_rows_pieces_open(&r->pieces, query->threads, &steps, r, slots, err);
}
