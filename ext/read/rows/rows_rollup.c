/* rows_rollup.c - see rows_rollup.h. */
#include "rows_rollup.h"
#include "rows_pieces.h"
#include "../input/unfinished.h"
#include "../../base/pipeline.h"
#include "../../base/text.h"
#include "../../base/limits.h"

#include <string.h>

/* What a thread has to itself. */
typedef struct worker {
  mpg_groups groups;
  mpg_rows_fast_scan scan;
  mpg_rows_fast_column filters[MPG_ROWS_FILTERS], dimensions[MPG_GROUP_PARTS],
      operands[MPG_OPERANDS];
  /* For the plain records that are read at a time: the operands, the values of the measures, and
  ** the keys, n_dimensions a record. */
  mpg_sum_expression_column *values, *sums;
  mpg_group_head *keys;
  uint64_t hashes[MPG_SUM_EXPRESSION_ROWS];
  char *copies; /* of the texts of one row */
  size_t copies_cap;
} worker;

typedef struct rollup {
  const mpg_env *env;
  mpg_env memory; /* of all threads, which poll the pipeline */
  const mpg_rollup_query *query;
  mpg_issues *issues;
  worker *workers; /* one a thread; the first is the owner's */
  mpg_rows_pieces pieces;
} rollup;

/* ---- Rows ---- */

static mpg_rc too_large(const rollup *r, const char *path, int64_t line, size_t which,
                        mpg_err *err) {
  char name[MPG_EXCERPT];
  mpg_text_excerpt(r->query->measures->p[which].name, name);
  return mpg_fail(err, MPG_LIMIT, "%s:%lld:1: the sum of %s is too large", path, (long long)line,
                  name);
}

static mpg_rc too_many(const rollup *r, const char *path, int64_t line, mpg_err *err) {
  return mpg_fail(err, MPG_LIMIT, "%s:%lld:1: more than %lld groups", path, (long long)line,
                  (long long)mpg_limit_in(r->env, MPG_LIMIT_GROUPS));
}

/* Adds the current record of a reader, of these parts and operands. */
static mpg_rc add_to_sums(const rollup *r, worker *w, const mpg_group_part *parts,
                          const mpg_value *operands, const mpg_rows_piece *p, mpg_err *err) {
  const mpg_sum_expressions *measures = r->query->measures;
  int64_t line = r->query->format->line(p->reader);
  size_t group, which = 0;
  mpg_rc rc = mpg_groups_row(&w->groups, parts, &group);
  if (rc == MPG_LIMIT)
    return too_many(r, p->path, line, err);
  if (rc != MPG_OK)
    return mpg_fail_plain(err, rc);
  mpg_groups_number(&w->groups, group, mpg_rows_piece_number(p));
  if (mpg_sum_expressions_add(measures, operands, mpg_groups_totals(&w->groups, group), &which) !=
      MPG_OK)
    return too_large(r, p->path, line, which, err);
  return MPG_OK;
}

/* A measure that has whole numbers alone counts in them, any other in doubles. */
static void as_operand(mpg_value *v, bool whole) {
  if (v->type == MPG_INT && !whole) {
    v->type = MPG_REAL;
    v->r = (double)v->i;
  }
}

/* The current record of a reader. Texts that the block does not hold last until the next
** look-up, and so are copied. */
static mpg_rc add_record(const rollup *r, worker *w, const mpg_rows_piece *p, mpg_err *err) {
  const mpg_rollup_query *q = r->query;
  mpg_group_part parts[MPG_GROUP_PARTS];
  mpg_group_number numbers[MPG_GROUP_PARTS];
  size_t offsets[MPG_GROUP_PARTS], used = 0;
  mpg_value operands[MPG_OPERANDS];
  for (size_t i = 0; i < q->n_dimensions; i++) {
    mpg_value v;
    mpg_rc rc = q->format->column(p->reader, q->dimensions[i], &v, err);
    if (rc != MPG_OK)
      return rc;
    offsets[i] = SIZE_MAX;
    parts[i] = (mpg_group_part){NULL, 0};
    if (v.type == MPG_TEXT && mpg_rows_piece_holds(p, v.s)) {
      parts[i] = v.s;
    } else if (v.type == MPG_TEXT) {
      if (mpg_grow(w->groups.env, &w->copies, &w->copies_cap, used + v.s.n + MPG_GROUP_SLACK, 1) !=
          MPG_OK)
        return mpg_fail_nomem(err);
      if (v.s.n > 0)
        memcpy(w->copies + used, v.s.p, v.s.n);
      offsets[i] = used;
      parts[i].n = v.s.n;
      used += v.s.n;
    } else if (v.type != MPG_NULL) {
      parts[i] = mpg_group_number_of(&v, &numbers[i]);
    }
  }
  for (size_t i = 0; i < q->n_dimensions; i++)
    if (offsets[i] != SIZE_MAX)
      parts[i].p = w->copies + offsets[i];
  for (size_t i = 0; i < q->measures->n_operands; i++) {
    mpg_rc rc = q->format->column(p->reader, q->operands[i], &operands[i], err);
    if (rc != MPG_OK)
      return rc;
    as_operand(&operands[i], q->measures->whole[i]);
  }
  return add_to_sums(r, w, parts, operands, p, err);
}

/* ---- Plain records ---- */

static void plan_plain(const rollup *r, worker *w, const size_t *at) {
  const mpg_rollup_query *q = r->query;
  for (size_t i = 0; i < q->rows.n_filters; i++)
    w->filters[i] = mpg_rows_fast_of(&q->rows, at, q->rows.filters[i].column);
  for (size_t i = 0; i < q->n_dimensions; i++)
    w->dimensions[i] = mpg_rows_fast_of(&q->rows, at, q->dimensions[i]);
  for (size_t i = 0; i < q->measures->n_operands; i++)
    w->operands[i] = mpg_rows_fast_of(&q->rows, at, q->operands[i]);
}

/* Up to MPG_SUM_EXPRESSION_ROWS plain records from the position of the piece on, which is `first`
** of the records found. */
typedef struct batch {
  const mpg_rows_piece *piece;
  size_t first, n;
  uint64_t rows; /* that the filters let pass */
  uint64_t over; /* that are to be summed one by one */
} batch;

/* Decodes the records, up to the first that is not plain. */
static void read_batch(const rollup *r, worker *w, batch *b) {
  const mpg_rollup_query *q = r->query;
  const char *bytes = b->piece->block.bytes;
  const mpg_reading *reading = &q->rows.options->reading;
  for (size_t i = 0; i < q->rows.n_filters; i++)
    b->n = mpg_rows_fast_filter(&w->scan, b->first, b->n, &b->rows, bytes, w->filters[i], reading,
                                &q->rows.filters[i]);
  b->n = mpg_rows_fast_keys(&w->scan, b->first, b->n, b->rows, bytes, w->dimensions,
                            q->n_dimensions, reading, r->env->seed, w->keys, w->hashes);
  for (size_t i = 0; i < q->measures->n_operands; i++)
    b->n = mpg_rows_fast_numbers(&w->scan, b->first, b->n, b->rows, bytes, w->operands[i], reading,
                                 q->measures->whole[i], &w->values[i]);
  b->over = 0;
  for (size_t i = 0; i < q->measures->n; i++) {
    uint64_t over;
    mpg_sum_batch(q->measures, &q->measures->p[i], w->values, b->n, &w->sums[i], &over);
    b->over |= over & ~w->sums[i].nulls;
  }
}

/* One whose measures may be too large. */
static mpg_rc add_alone(const rollup *r, const worker *w, size_t k, mpg_total *totals,
                        size_t *which) {
  const mpg_sum_expressions *measures = r->query->measures;
  mpg_value operands[MPG_OPERANDS];
  for (size_t i = 0; i < measures->n_operands; i++) {
    const mpg_sum_expression_column *c = &w->values[i];
    operands[i] = (mpg_value){MPG_NULL, 0, 0.0, {NULL, 0}};
    if ((c->nulls >> k & 1) != 0)
      continue;
    operands[i].type = measures->whole[i] ? MPG_INT : MPG_REAL;
    if (measures->whole[i])
      operands[i].i = c->v.i[k];
    else
      operands[i].r = c->v.r[k];
  }
  return mpg_sum_expressions_add(measures, operands, totals, which);
}

/* Adds record k of the batch to the sums of its group. */
static inline mpg_rc add_one(const rollup *r, worker *w, const batch *b, size_t k, mpg_err *err) {
  const mpg_sum_expressions *measures = r->query->measures;
  const mpg_group_head *key = w->keys + k * r->query->n_dimensions;
  const mpg_rows_piece *p = b->piece;
  int64_t line = p->block.line + (int64_t)k;
  size_t group, which = 0;
  mpg_total *t;
  mpg_rc rc = mpg_groups_find(&w->groups, key, w->hashes[k], &group);
  if (rc == MPG_LIMIT)
    return too_many(r, p->path, line, err);
  if (rc != MPG_OK)
    return mpg_fail_plain(err, rc);
  mpg_groups_number(&w->groups, group, mpg_rows_piece_number(p) + (int64_t)k + 1);
  t = mpg_groups_totals(&w->groups, group);
  if ((b->over >> k & 1) != 0)
    return add_alone(r, w, k, t, &which) == MPG_OK ? MPG_OK
                                                   : too_large(r, p->path, line, which, err);
  for (size_t i = 0; i < measures->n; i++, t++) {
    const mpg_sum_expression_column *c = &w->sums[i];
    if ((c->nulls >> k & 1) != 0)
      continue;
    t->n++;
    if (!measures->p[i].whole)
      mpg_total_add_real(t, c->v.r[k]);
    else if (!mpg_total_add_whole(t, c->v.i[k]))
      return too_large(r, p->path, line, i, err);
  }
  return MPG_OK;
}

/* Adds the n plain records that were found, up to the first that is not. */
static mpg_rc add_plain(const rollup *r, worker *w, mpg_rows_piece *p, size_t n, mpg_err *err) {
  for (size_t first = 0; first < n; first += MPG_SUM_EXPRESSION_ROWS) {
    size_t most = n - first < MPG_SUM_EXPRESSION_ROWS ? n - first : MPG_SUM_EXPRESSION_ROWS;
    batch b = {p, first, most, ~UINT64_C(0) >> (MPG_SUM_EXPRESSION_ROWS - most), 0};
    read_batch(r, w, &b);
    for (size_t k = 0; k < b.n; k++)
      if ((b.rows >> k & 1) != 0 && add_one(r, w, &b, k, err) != MPG_OK)
        return err->rc;
    if (b.n > 0)
      mpg_rows_piece_pass(p, b.n, mpg_rows_fast_end(&w->scan, first + b.n - 1));
    if (b.n < most) {
      mpg_rows_piece_refuse(p);
      return MPG_OK;
    }
  }
  return MPG_OK;
}

/* ---- Pieces ---- */

static mpg_rc read_piece(const rollup *r, worker *w, mpg_rows_piece *p) {
  size_t plain, width;
  for (;;) {
    mpg_rc rc = mpg_rows_piece_next(&r->pieces, p, &w->scan, false, &plain, &p->err);
    if (rc == MPG_OK && plain > 0) {
      plan_plain(r, w, r->query->format->fields(p->reader, &width));
      rc = add_plain(r, w, p, plain, &p->err);
    } else if (rc == MPG_OK)
      rc = add_record(r, w, p, &p->err);
    if (rc == MPG_DONE)
      return MPG_OK;
    if (rc == MPG_DATA && r->query->skip) {
      rc = mpg_issues_add(&p->issues, MPG_DATA_LOSS, p->path, "skipped_record",
                          mpg_rows_piece_line(&r->pieces, p), 1, "%s", p->err.text);
      if (rc != MPG_OK)
        return mpg_fail_nomem(&p->err);
    }
    if (rc != MPG_OK)
      return rc;
  }
}

static mpg_rc next_piece(void *ctx, void *slot, mpg_err *err) {
  (void)err;
  return mpg_rows_pieces_next(&((rollup *)ctx)->pieces, slot);
}

static void sum_piece(void *ctx, void *slot, int thread) {
  const rollup *r = ctx;
  mpg_rows_piece *p = slot;
  if (p->rc == MPG_OK && p->of != NULL && !p->block.rest)
    p->rc = read_piece(r, &r->workers[thread], p);
}

/* A piece that is done, in its order. What could not be cut is read here. */
static mpg_rc merge_piece(rollup *r, mpg_rows_piece *p, mpg_err *err) {
  if (p->begins)
    mpg_issues_drop(r->issues, p->path);
  if (p->rc == MPG_OK && p->of != NULL && p->block.rest)
    p->rc = read_piece(r, &r->workers[0], p);
  if (p->rc == MPG_OK && p->begins && p->ends) { /* without a record */
    bool empty;
    p->rc = mpg_paths_are_several(r->pieces.paths)
                ? mpg_stream_list_empty(r->env, p->path, r->issues, &empty, &p->err)
                : mpg_stream_not_empty(r->env, p->path, &p->err);
    p->line = 1;
  }
  for (size_t i = 0; i < p->issues.n; i++)
    if (mpg_issues_merge(r->issues, &p->issues.items[i]) != MPG_OK)
      return mpg_fail_nomem(err);
  if (p->rc == MPG_DATA && r->query->skip) {
    if (mpg_issues_add(r->issues, MPG_DATA_LOSS, p->path, "skipped_record", p->line, 1, "%s",
                       p->err.text) != MPG_OK)
      return mpg_fail_nomem(err);
    return MPG_OK;
  }
  if (p->rc != MPG_OK)
    *err = p->err;
  return p->rc;
}

/* ---- The whole ---- */

static mpg_rc merge_workers(rollup *r, mpg_groups *groups, mpg_err *err) {
  for (int i = 0; i < r->query->threads; i++) {
    size_t which = 0;
    mpg_rc rc = mpg_groups_merge(groups, &r->workers[i].groups, r->query->measures, &which);
    if (rc == MPG_NOMEM)
      return mpg_fail_nomem(err);
    if (rc == MPG_INTERRUPTED)
      return mpg_fail(err, rc, "interrupted");
    if (rc != MPG_OK && which == MPG_GROUPS_TOO_MANY)
      return too_many(r, r->pieces.paths->file[0].path, 1, err);
    if (rc != MPG_OK)
      return too_large(r, r->pieces.paths->file[0].path, 1, which, err);
  }
  return MPG_OK;
}

static mpg_rc read_all(rollup *r, void *const *slots, mpg_err *err) {
  static const mpg_pipeline_steps steps = {
      .cut = next_piece, .work = sum_piece, .cut_by_any = true};
  void *slot;
  mpg_rc rc = mpg_rows_pieces_open(&r->pieces, r->query->threads, &steps, r, slots, err);
  if (rc == MPG_OK) /* before any of them works */
    r->memory = *mpg_pipeline_env(r->pieces.pipeline);
  while (rc == MPG_OK) {
    rc = mpg_pipeline_next(r->pieces.pipeline, &slot, err);
    if (rc == MPG_OK)
      rc = merge_piece(r, slot, err);
  }
  mpg_rows_pieces_close(&r->pieces);
  r->memory = *r->env;
  return rc;
}

static mpg_rc workers_init(rollup *r) {
  const mpg_rollup_query *q = r->query;
  size_t columns = q->measures->n_operands + q->measures->n;
  mpg_rc rc = MPG_OK;
  for (int i = 0; i < q->threads; i++) {
    worker *w = &r->workers[i];
    mpg_groups_init(&w->groups, &r->memory, q->n_dimensions, q->measures->n);
    w->values = mpg_calloc(r->env, (columns + 1) * sizeof *w->values);
    w->keys = mpg_calloc(r->env, MPG_SUM_EXPRESSION_ROWS * (q->n_dimensions + 1) * sizeof *w->keys);
    if (w->values == NULL || w->keys == NULL) {
      rc = MPG_NOMEM;
      continue;
    }
    w->sums = w->values + q->measures->n_operands;
  }
  return rc;
}

mpg_rc mpg_rows_rollup(mpg_groups *groups, const mpg_env *env, const mpg_rollup_query *query,
                       const mpg_paths *paths, mpg_issues *issues, mpg_err *err) {
  rollup r = {.env = env, .memory = *env, .query = query, .issues = issues};
  size_t n_pieces = mpg_pipeline_slots(query->threads), threads = (size_t)query->threads;
  mpg_rows_piece *pieces = mpg_calloc(env, n_pieces * (sizeof *pieces + sizeof(void *)));
  void **slots;
  mpg_rc rc;
  r.workers = mpg_calloc(env, threads * sizeof *r.workers);
  if (pieces == NULL || r.workers == NULL) {
    mpg_free(env, pieces);
    mpg_free(env, r.workers);
    return mpg_fail_nomem(err);
  }
  mpg_rows_pieces_init(&r.pieces, env, query->format, &query->rows, paths, query->skip);
  rc = workers_init(&r);
  slots = (void **)(pieces + n_pieces);
  for (size_t i = 0; i < n_pieces; i++) {
    slots[i] = &pieces[i];
    mpg_issues_init(&pieces[i].issues, env);
  }
  rc = rc == MPG_OK ? read_all(&r, slots, err) : mpg_fail_nomem(err);
  if (rc == MPG_DONE)
    rc = merge_workers(&r, groups, err);
  for (size_t i = 0; i < threads; i++) {
    mpg_free(env, r.workers[i].copies);
    mpg_free(env, r.workers[i].values);
    mpg_free(env, r.workers[i].keys);
    mpg_groups_free(&r.workers[i].groups);
  }
  for (size_t i = 0; i < n_pieces; i++)
    mpg_rows_piece_free(&r.pieces, &pieces[i]);
  mpg_rows_pieces_free(&r.pieces);
  mpg_free(env, r.workers);
  mpg_free(env, pieces);
  return rc;
}
