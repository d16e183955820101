/*
** rows_scan.c - see rows_scan.h.
**
** A thread reads its block into a batch: rows of cells, side by side. A text is lent by the block
** where that holds it as it is, else copied. A batch has an end: what is left of a block with very
** many rows is read by the owner when it comes there, and so is what cannot be cut into blocks
** (mpg_block.rest).
*/
#include "rows_scan.h"
#include "os.h"
#include "rows_pieces.h"
#include "../core/groups.h"
#include "../core/pipeline.h"

#include <string.h>

#define CELLS_MAX MPG_IO_SIZE(256 << 10) /* of a batch */
#define COPIES_MAX MPG_IO_SIZE(1 << 20)
#define SEEN_MAX ((size_t)4 << 20) /* bytes of the rows that a thread knows it has seen */
#define SEEN_COLUMNS MPG_GROUP_PARTS

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
  mpg_plain_scan scan;
  mpg_plain_column filters[MPG_ROWS_FILTERS], *wanted;
  mpg_groups seen; /* rows that it has given, of `seen_of` */
  size_t seen_bytes;
  size_t asked, found; /* rows looked for among them since they were last forgotten */
  const char *seen_of;
  bool blind; /* too few are seen twice */
} worker;

typedef struct mpg_rows_reading {
  const mpg_env *env;
  mpg_env memory; /* of all threads: which never ask whether to stop */
  mpg_scan_query query;
  mpg_issues *issues;
  mpg_rows_pieces pieces;
  bool numbered; /* rows have gaps between them */
  bool counting; /* nothing is asked of them */
  mpg_pipeline *pipeline;
  worker *workers; /* one a thread; the first is the owner's */
  part *parts;
  size_t n_parts;
  part *current;
  bool any; /* of the current file: a row, or an error */
} reading;

/* ---- Rows that were seen ---- */

static void forget(worker *w) {
  const mpg_env *env = w->seen.env;
  size_t n_parts = w->seen.n_parts;
  w->blind = w->found < w->asked / 2;
  mpg_groups_free(&w->seen);
  mpg_groups_init(&w->seen, env, n_parts, 0);
  w->seen_bytes = w->asked = w->found = 0;
}

/* Whether the thread has given the same row before, of this file: its cells are behind the batch's
** last row. */
static mpg_rc is_seen(const reading *r, worker *w, const part *p, bool *seen) {
  const mpg_rows_batch *b = &p->batch;
  size_t n = r->query.n_wanted, before, group;
  const mpg_cell *cells = b->cells + b->n * n;
  const uint8_t *kinds = b->kinds + b->n * n;
  mpg_rc rc;
  mpg_group_part parts[SEEN_COLUMNS];
  union {
    int64_t i;
    double r;
    char bytes[MPG_GROUP_SLACK];
  } numbers[SEEN_COLUMNS];
  *seen = false;
  if (w->seen_of != p->piece.path) {
    forget(w);
    w->blind = false;
    w->seen_of = p->piece.path;
  }
  if (w->blind)
    return MPG_OK;
  for (size_t k = 0; k < n; k++)
    switch (kinds[k]) {
    case CELL_NULL:
      parts[k] = (mpg_group_part){NULL, 0};
      break;
    case CELL_INT:
      numbers[k].i = cells[k].i;
      parts[k] = (mpg_group_part){numbers[k].bytes, sizeof numbers[k].i};
      break;
    case CELL_REAL:
      numbers[k].r = cells[k].r == 0.0 ? 0.0 : cells[k].r; /* of the two zeros one */
      parts[k] = (mpg_group_part){numbers[k].bytes, sizeof numbers[k].r};
      break;
    case CELL_LENT:
      parts[k] = (mpg_group_part){p->piece.block.bytes + cells[k].text.at, cells[k].text.n};
      break;
    case CELL_COPIED:
      parts[k] = (mpg_group_part){b->copies + cells[k].text.at, cells[k].text.n};
      break;
    default: /* an error is told as often as it is there */
      return MPG_OK;
    }
  before = w->seen.n;
  rc = mpg_groups_row(&w->seen, parts, &group);
  if (rc == MPG_LIMIT) /* of groups: as many as may be remembered */
    forget(w);
  if (rc != MPG_OK)
    return rc == MPG_LIMIT ? MPG_OK : rc;
  *seen = group < before;
  w->asked++;
  w->found += *seen;
  for (size_t k = 0; !*seen && k < n; k++)
    w->seen_bytes += 32 + parts[k].n;
  if (w->seen_bytes > SEEN_MAX)
    forget(w);
  return MPG_OK;
}

/* ---- Rows ---- */

/* Room for more rows, and for a cell behind them: where no column is asked for there is an array still. */
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

/* Of the row behind the batch's last one. */
static inline void number_row(const reading *r, part *p, int64_t number) {
  mpg_rows_batch *b = &p->batch;
  if (b->n == 0)
    b->first = number;
  if (r->numbered) /* records of a batch are in one block, or as many as fit into a batch */
    b->numbers[b->n] = (uint32_t)(number - b->first);
}

/* The row whose cells are there counts; or it was seen before. Of what is left of a block the
** thread may have seen later rows. */
static inline mpg_rc add_row(const reading *r, worker *w, part *p, int64_t line, mpg_err *err) {
  bool seen = false;
  if (r->query.distinct && (!p->again || p->piece.block.rest) && is_seen(r, w, p, &seen) != MPG_OK)
    return mpg_fail_nomem(err);
  if (seen)
    return MPG_OK;
  if (r->query.lines)
    p->batch.lines[p->batch.n] = line;
  number_row(r, p, mpg_rows_piece_number(&p->piece));
  p->batch.n++;
  return MPG_OK;
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
  return rc == MPG_OK ? add_row(r, w, p, format->line(p->piece.reader), err) : rc;
}

typedef enum fate { TAKEN, PASSED_OVER, NOT_PLAIN } fate;

/* The cells of one plain record; there is room for them. */
static fate read_plain(const reading *r, const worker *w, part *p, size_t record) {
  const mpg_rows_query *rows = &r->query.rows;
  const mpg_reading *how = &rows->options->reading;
  const char *bytes = p->piece.block.bytes;
  size_t n = r->query.n_wanted;
  mpg_cell *cells = p->batch.cells + p->batch.n * n;
  uint8_t *kinds = p->batch.kinds + p->batch.n * n;
  mpg_value v = {MPG_NULL, 0, 0.0, {NULL, 0}};
  for (size_t i = 0; i < rows->n_filters; i++) {
    mpg_plain_column c = w->filters[i];
    if (!mpg_plain_read(&w->scan, record, bytes, c, how, &v))
      return NOT_PLAIN;
    if (!mpg_rows_passes(&rows->filters[i], &v))
      return PASSED_OVER;
  }
  for (size_t k = 0; k < n; k++) {
    mpg_plain_column c = w->wanted[k];
    if (!mpg_plain_read(&w->scan, record, bytes, c, how, &v))
      return NOT_PLAIN;
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
  return TAKEN;
}

/* Plain records of the piece, up to the first that is not. */
static mpg_rc add_plain(const reading *r, worker *w, part *p, size_t n, mpg_err *err) {
  if (r->counting) {
    number_row(r, p, mpg_rows_piece_number(&p->piece) - (int64_t)n + 1);
    p->batch.n += n;
    return MPG_OK;
  }
  if (make_room(r, &p->batch, n, err) != MPG_OK)
    return err->rc;
  for (size_t i = 0; i < n; i++) {
    fate f = read_plain(r, w, p, i);
    if (f == NOT_PLAIN) {
      mpg_rows_piece_refuse(&p->piece);
      return MPG_OK;
    }
    mpg_rows_piece_pass(&p->piece, 1, mpg_plain_end(&w->scan, i));
    if (f == TAKEN && add_row(r, w, p, p->piece.block.line - 1, err) != MPG_OK)
      return err->rc;
  }
  return MPG_OK;
}

static bool is_full(const reading *r, const mpg_rows_batch *b) {
  return b->n * (r->query.n_wanted + r->query.lines) >= CELLS_MAX || b->copies_n >= COPIES_MAX;
}

static void plan_plain(const reading *r, worker *w, const size_t *at) {
  const mpg_scan_query *q = &r->query;
  for (size_t i = 0; i < q->rows.n_filters; i++)
    w->filters[i] = mpg_plain_of(&q->rows, at, q->rows.filters[i].column);
  for (size_t i = 0; i < q->n_wanted; i++)
    w->wanted[i] = mpg_plain_of(&q->rows, at, q->wanted[i]);
}

/* Fills the empty batch from where the piece is. */
static void fill(const reading *r, worker *w, part *p) {
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

static mpg_rc cut(void *ctx, void *slot, mpg_err *err) {
  reading *r = ctx;
  part *p = slot;
  mpg_rc rc = mpg_rows_pieces_cut(&r->pieces, &p->piece);
  (void)err;
  p->batch.n = p->batch.copies_n = 0;
  p->again = false;
  p->read = p->piece.rc != MPG_OK || p->piece.of == NULL;
  return rc;
}

static void work(void *ctx, void *slot, int thread) {
  const reading *r = ctx;
  part *p = slot;
  if (!p->read && !p->piece.block.rest)
    fill(r, &r->workers[thread], p);
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
static mpg_rc finish(reading *r, part *p, mpg_err *err) {
  mpg_rows_piece *piece = &p->piece;
  int64_t line = piece->line;
  if (piece->rc == MPG_OK && piece->ends && !r->any) {
    piece->rc = mpg_stream_not_empty(r->env, piece->path, &piece->err);
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

/* The next piece, or more of the one at hand. */
static mpg_rc advance(reading *r, mpg_err *err) {
  part *p = r->current;
  void *slot;
  mpg_rc rc = MPG_OK;
  if (p != NULL && p->read)
    rc = finish(r, p, err);
  if (rc == MPG_OK && (p == NULL || p->read)) {
    r->current = NULL;
    rc = mpg_pipeline_next(r->pipeline, &slot, err);
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
    fill(r, &r->workers[0], p);
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
  mpg_pipeline_close(r->pipeline);
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
    mpg_groups_free(&r->workers[i].seen);
    mpg_free(r->env, r->workers[i].wanted);
  }
  mpg_rows_pieces_free(&r->pieces);
  mpg_free(r->env, r->workers);
  mpg_free(r->env, r->parts);
  mpg_free(r->env, r);
  memset(scan, 0, sizeof *scan);
}

mpg_rc mpg_rows_scan_open(mpg_rows_scan *scan, const mpg_env *env, const mpg_scan_query *query,
                          const mpg_paths *paths, mpg_issues *issues, mpg_err *err) {
  static const mpg_pipeline_steps steps = {.cut = cut, .work = work, .cut_by_any = true};
  reading *r = mpg_calloc(env, sizeof *r);
  size_t n = mpg_pipeline_slots(query->threads), threads = (size_t)query->threads;
  void **slots;
  mpg_rc rc;
  memset(scan, 0, sizeof *scan);
  scan->reading = r;
  if (r == NULL)
    return mpg_fail_nomem(err);
  r->env = env;
  r->memory = *env;
  r->memory.interrupted = NULL;
  r->query = *query;
  r->issues = issues;
  r->query.distinct &= query->n_wanted <= SEEN_COLUMNS && !query->lines;
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
    mpg_groups_init(&r->workers[i].seen, &r->memory, query->n_wanted, 0);
    r->workers[i].wanted = mpg_calloc(env, (query->n_wanted + 1) * sizeof *r->workers[i].wanted);
    if (r->workers[i].wanted == NULL)
      return mpg_fail_nomem(err);
  }
  slots = (void **)(r->parts + n);
  for (size_t i = 0; i < n; i++) {
    slots[i] = &r->parts[i];
    mpg_issues_init(&r->parts[i].piece.issues, env);
  }
  rc = mpg_pipeline_open(&r->pipeline, env, query->threads, &steps, r, slots, err);
  if (rc == MPG_OK)
    mpg_rows_pieces_share(&r->pieces, r->pipeline);
  return rc;
}
