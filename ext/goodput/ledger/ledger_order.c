/* ledger_order.c - see ledger_order.h. */
#include "ledger_order.h"
#include "../../base/ascii.h"

#include "../../base/sort.h"

#include <string.h>

#ifdef MPG_TEST /* small fleets have large groups */
#define FEW 3
#define EMITTED 7
#else
#define FEW 48
#define EMITTED 4096
#endif

/* ---- keys ---- */

void mpg_row_order_init(mpg_row_order *o, const mpg_fleet *fleet, const mpg_scan_key *keys,
                        size_t nkeys, bool once) {
  *o = (mpg_row_order){.fleet = fleet, .keys = keys, .nkeys = nkeys, .once = once};
  for (int c = 0; c < MPG_CATEGORIES; c++)
    for (int other = 0; other < MPG_CATEGORIES; other++)
      if (strcmp(mpg_category_name((mpg_category)other), mpg_category_name((mpg_category)c)) < 0)
        o->rank[c]++;
}

/* The column that decides a dimension: for what a job tells of itself, the job. */
static mpg_row_field column_of(mpg_dim d) {
  static const uint8_t of_dim[MPG_DIMS] = {
      [MPG_DIM_POOL] = MPG_ROW_POOL,         [MPG_DIM_CHIP] = MPG_ROW_CHIP,
      [MPG_DIM_ATTEMPT] = MPG_ROW_ATTEMPT,   [MPG_DIM_SIZE] = MPG_ROW_SIZE,
      [MPG_DIM_CATEGORY] = MPG_ROW_CATEGORY, [MPG_DIM_CAUSE] = MPG_ROW_CAUSE,
      [MPG_DIM_BUCKET] = MPG_ROW_BUCKET};
  _Static_assert(MPG_ROW_JOB == 0, "what is not listed is the job");
  return (mpg_row_field)of_dim[d];
}

uint32_t mpg_row_order_columns(const mpg_row_order *o) {
  uint32_t columns = 0;
  for (size_t i = 0; i < o->nkeys; i++)
    columns |= 1u << column_of(o->keys[i].dim);
  return columns;
}

/* The columns that are the same in all rows with the same keys, as bits. */
static uint32_t columns_of_keys(const mpg_row_order *o) {
  uint32_t columns = mpg_row_order_columns(o) & ~(1u << MPG_ROW_JOB);
  for (size_t i = 0; i < o->nkeys; i++)
    if (o->keys[i].dim == MPG_DIM_JOB)
      columns |= 1u << MPG_ROW_JOB;
  return columns;
}

/* A number that rows share if they are equal by the key, and only then. */
static uint64_t value_of(const mpg_row_order *o, const mpg_ledger *l, size_t i, mpg_dim d) {
  switch (d) {
  case MPG_DIM_ATTEMPT:
    return (uint64_t)l->attempt[i];
  case MPG_DIM_BUCKET:
    return (uint64_t)l->bucket[i];
  case MPG_DIM_CATEGORY:
    return l->category[i];
  case MPG_DIM_CAUSE:
    return l->cause[i];
  case MPG_DIM_JOB:
    return l->job[i];
  case MPG_DIM_POOL:
    return l->pool[i];
  case MPG_DIM_CHIP:
    return l->chip[i];
  case MPG_DIM_SIZE:
    return l->size[i];
  default:
    return l->job[i] == 0 ? 0 : o->fleet->jobs[l->job[i] - 1].dim[d - MPG_DIM_NAME];
  }
}

static uint64_t hash_row(const mpg_row_order *o, const mpg_ledger *l, size_t i) {
  uint64_t h = o->fleet->env->seed;
  for (size_t k = 0; k < o->nkeys; k++) {
    h = (h ^ value_of(o, l, i, o->keys[k].dim)) * UINT64_C(0x9e3779b97f4a7c15);
    h ^= h >> 32;
  }
  return h;
}

static bool same_keys(const mpg_row_order *o, const mpg_ledger *l, size_t a, size_t b) {
  for (size_t k = 0; k < o->nkeys; k++)
    if (value_of(o, l, a, o->keys[k].dim) != value_of(o, l, b, o->keys[k].dim))
      return false;
  return true;
}

static int compare_sizes(uint8_t a, uint8_t b) {
  const char *x = mpg_size_name(a), *y = mpg_size_name(b);
  return x == NULL || y == NULL ? (x != NULL) - (y != NULL) : strcmp(x, y);
}

/* NULL first, as in SQLite. */
static int by_key(const mpg_row_order *o, const mpg_ledger *l, size_t a, size_t b, mpg_dim d) {
  const mpg_fleet *f = o->fleet;
  switch (d) {
  case MPG_DIM_ATTEMPT:
    return mpg_compare_int64(l->attempt[a], l->attempt[b]);
  case MPG_DIM_BUCKET:
    return mpg_compare_int64(l->bucket[a], l->bucket[b]);
  case MPG_DIM_CATEGORY:
    return o->rank[l->category[a]] - o->rank[l->category[b]];
  case MPG_DIM_JOB:
    return mpg_intern_cmp(&f->job_names, l->job[a], l->job[b]);
  case MPG_DIM_POOL:
    return mpg_intern_cmp(&f->pool_names, l->pool[a], l->pool[b]);
  case MPG_DIM_SIZE:
    return compare_sizes(l->size[a], l->size[b]);
  default: /* a cause, a chip, or a text of the job */
    return mpg_intern_cmp(&f->texts, (uint32_t)value_of(o, l, a, d),
                          (uint32_t)value_of(o, l, b, d));
  }
}

static int compare_rows(const mpg_row_order *o, const mpg_ledger *l, size_t a, size_t b) {
  for (size_t i = 0; i < o->nkeys; i++) {
    int c = by_key(o, l, a, b, o->keys[i].dim);
    if (c != 0)
      return o->keys[i].descending ? -c : c;
  }
  return 0;
}

/* ---- one group ---- */

void mpg_row_sorter_init(mpg_row_sorter *s, const mpg_env *env, const mpg_row_order *order) {
  memset(s, 0, sizeof *s);
  s->env = env;
  s->order = order;
}

void mpg_row_sorter_free(mpg_row_sorter *s) {
  if (s->env == NULL)
    return;
  mpg_free(s->env, s->of);
  mpg_free(s->env, s->p);
  mpg_free(s->env, s->sorted);
  mpg_hash_index_free(&s->index, s->env);
}

static uint64_t hash_of_combination(const void *s, uint32_t number) {
  return ((const mpg_row_sorter *)s)->p[number].hash;
}

/* The number of a row's combination. */
static mpg_rc combination_of(mpg_row_sorter *s, size_t row, uint32_t *number) {
  uint64_t hash = hash_row(s->order, s->rows, row);
  size_t at;
  mpg_rc rc = mpg_hash_index_reserve(&s->index, s->env, s->n, 64, hash_of_combination, s);
  if (rc != MPG_OK)
    return rc;
  for (at = mpg_hash_index_first(&s->index, hash); mpg_hash_index_at(&s->index, at, number);
       at = mpg_hash_index_next(&s->index, at)) {
    const mpg_combination *c = &s->p[*number];
    if (c->hash == hash && same_keys(s->order, s->rows, c->row, row))
      return MPG_OK;
  }
  if (s->n == UINT32_MAX - 1 || mpg_grow(s->env, &s->p, &s->cap, s->n + 1, sizeof *s->p) != MPG_OK)
    return MPG_NOMEM;
  s->p[s->n] = (mpg_combination){hash, row, 0, 0};
  *number = (uint32_t)s->n++;
  mpg_hash_index_put(&s->index, at, *number);
  return MPG_OK;
}

static int combination_order(const void *pa, const void *pb, void *ctx) {
  const mpg_row_sorter *s = ctx;
  return compare_rows(s->order, s->rows, s->p[*(const uint32_t *)pa].row,
                      s->p[*(const uint32_t *)pb].row);
}

/* The combinations of rows [from, rows->n), and their order. */
static mpg_rc number_combinations(mpg_row_sorter *s, const mpg_ledger *rows, size_t from) {
  mpg_rc rc = mpg_grow(s->env, &s->of, &s->of_cap, rows->n - from, sizeof *s->of);
  s->rows = rows;
  if (rc == MPG_OK)
    rc = mpg_hash_index_clear(&s->index, s->env, s->n, hash_of_combination, s);
  s->n = 0;
  for (size_t i = from; rc == MPG_OK && i < rows->n; i++) {
    rc = mpg_poll(s->env, i) ? MPG_INTERRUPTED : combination_of(s, i, &s->of[i - from]);
    if (rc == MPG_OK)
      s->p[s->of[i - from]].n++;
  }
  if (rc == MPG_OK)
    rc = mpg_grow(s->env, &s->sorted, &s->sorted_cap, s->n, sizeof *s->sorted);
  for (size_t k = 0; rc == MPG_OK && k < s->n; k++) {
    s->sorted[k] = (uint32_t)k;
    rc = mpg_poll(s->env, k) ? MPG_INTERRUPTED : MPG_OK;
  }
  return rc == MPG_OK ? mpg_sort(s->env, s->sorted, s->n, sizeof *s->sorted, combination_order, s)
                      : rc;
}

static int row_order(const void *pa, const void *pb, void *ctx) {
  const mpg_row_sorter *s = ctx;
  size_t a = *(const size_t *)pa, b = *(const size_t *)pb;
  int c = compare_rows(s->order, s->rows, a, b);
  return c ? c : mpg_compare_int64((int64_t)a, (int64_t)b);
}

/* A few rows are sorted as they are. */
static mpg_rc sort_few(mpg_row_sorter *s, mpg_ledger *l, size_t from, size_t *norder) {
  size_t n = *norder, kept = *norder;
  mpg_rc rc;
  s->rows = l;
  for (size_t i = from; i < l->n; i++)
    l->order[n++] = i;
  rc = mpg_sort(s->env, l->order + *norder, n - *norder, sizeof *l->order, row_order, s);
  for (size_t i = *norder; rc == MPG_OK && i < n; i++)
    if (!s->order->once || kept == *norder ||
        !same_keys(s->order, l, l->order[kept - 1], l->order[i]))
      l->order[kept++] = l->order[i];
  *norder = kept;
  return rc;
}

mpg_rc mpg_row_sorter_sort(mpg_row_sorter *s, mpg_ledger *l, size_t from, size_t *norder) {
  size_t n = *norder;
  mpg_rc rc;
  if (l->n == from)
    return MPG_OK;
  if (mpg_grow(l->env, &l->order, &l->order_cap, n + (l->n - from), sizeof *l->order) != MPG_OK)
    return MPG_NOMEM;
  if (l->n - from <= FEW)
    return sort_few(s, l, from, norder);
  rc = number_combinations(s, l, from);
  if (rc != MPG_OK)
    return rc;
  for (size_t k = 0; k < s->n; k++) {
    mpg_combination *c = &s->p[s->sorted[k]];
    if (mpg_poll(s->env, k))
      return MPG_INTERRUPTED;
    c->place = n;
    if (s->order->once)
      c->n = 1;
    l->order[n] = c->row; /* the first of them */
    n += c->n;
  }
  for (size_t i = from; !s->order->once && i < l->n; i++) {
    if (mpg_poll(s->env, i))
      return MPG_INTERRUPTED;
    l->order[s->p[s->of[i - from]].place++] = i;
  }
  *norder = n;
  return MPG_OK;
}

/* ---- large groups ---- */

void mpg_row_chunk_init(mpg_row_chunk *c, const mpg_env *env, const mpg_row_order *order,
                        uint32_t columns) {
  memset(c, 0, sizeof *c);
  mpg_ledger_init(&c->rows, env);
  mpg_ledger_init(&c->keys, env);
  c->rows.columns = columns & ~columns_of_keys(order);
  c->keys.columns = mpg_row_order_columns(order);
}

void mpg_row_chunk_free(mpg_row_chunk *c) {
  const mpg_env *env = c->rows.env;
  if (env == NULL)
    return;
  mpg_free(env, c->runs);
  mpg_ledger_free(&c->rows);
  mpg_ledger_free(&c->keys);
}

/* The runs of rows in order; the first row of each has its keys. */
static mpg_rc find_runs(mpg_row_chunk *c, const mpg_row_order *o, const mpg_ledger *rows,
                        size_t norder) {
  mpg_rc rc;
  c->keys.n = 0;
  for (size_t i = 0; i < norder; i++) {
    if (mpg_poll(c->keys.env, i))
      return MPG_INTERRUPTED;
    if (i > 0 && same_keys(o, rows, rows->order[i - 1], rows->order[i])) {
      c->runs[c->keys.n - 1]++;
      continue;
    }
    rc = mpg_grow(c->keys.env, &c->runs, &c->runs_cap, c->keys.n + 1, sizeof *c->runs);
    if (rc == MPG_OK)
      rc = mpg_ledger_append(&c->keys, rows, rows->order[i]);
    if (rc != MPG_OK)
      return rc;
    c->runs[c->keys.n - 1] = 1;
  }
  return MPG_OK;
}

mpg_rc mpg_row_chunk_make(mpg_row_chunk *c, mpg_row_sorter *s, mpg_ledger *rows) {
  size_t norder = 0;
  mpg_rc rc = mpg_row_sorter_sort(s, rows, 0, &norder);
  if (rc == MPG_OK)
    rc = find_runs(c, s->order, rows, norder);
  if (rc == MPG_OK)
    rc = mpg_ledger_pick(&c->rows, rows, rows->order, norder);
  return rc;
}

void mpg_row_pile_init(mpg_row_pile *p, const mpg_env *env, const mpg_row_order *order) {
  memset(p, 0, sizeof *p);
  p->env = env;
  p->order = order;
  mpg_ledger_init(&p->keys, env);
  p->keys.columns = mpg_row_order_columns(order);
}

void mpg_row_pile_clear(mpg_row_pile *p) {
  for (size_t i = 0; i < p->nchunks; i++)
    mpg_ledger_free(&p->chunks[i]);
  p->nchunks = p->nruns = p->keys.n = p->at = p->emitted = 0;
}

void mpg_row_pile_free(mpg_row_pile *p) {
  if (p->env == NULL)
    return;
  mpg_row_pile_clear(p);
  mpg_ledger_free(&p->keys);
  mpg_free(p->env, p->chunks);
  mpg_free(p->env, p->runs);
  mpg_free(p->env, p->sorted);
}

mpg_rc mpg_row_pile_add(mpg_row_pile *p, mpg_row_chunk *c) {
  size_t first = 0;
  if (mpg_grow(p->env, &p->chunks, &p->chunks_cap, p->nchunks + 1, sizeof *p->chunks) != MPG_OK ||
      mpg_grow(p->env, &p->runs, &p->runs_cap, p->nruns + c->keys.n, sizeof *p->runs) != MPG_OK)
    return MPG_NOMEM;
  for (size_t k = 0; k < c->keys.n; k++) {
    mpg_rc rc = mpg_poll(p->env, k) ? MPG_INTERRUPTED : mpg_ledger_append(&p->keys, &c->keys, k);
    if (rc != MPG_OK)
      return rc;
    p->runs[p->nruns++] = (mpg_row_run){p->nchunks, first, c->runs[k]};
    first += c->runs[k];
  }
  p->chunks[p->nchunks++] = c->rows;
  mpg_ledger_init(&c->rows, c->rows.env);
  c->rows.columns = p->chunks[p->nchunks - 1].columns;
  return MPG_OK;
}

static int run_order(const void *pa, const void *pb, void *ctx) {
  const mpg_row_pile *p = ctx;
  size_t a = *(const size_t *)pa, b = *(const size_t *)pb;
  int c = compare_rows(p->order, &p->keys, a, b);
  return c ? c : mpg_compare_int64((int64_t)a, (int64_t)b);
}

mpg_rc mpg_row_pile_sort(mpg_row_pile *p) {
  if (mpg_grow(p->env, &p->sorted, &p->sorted_cap, p->nruns, sizeof *p->sorted) != MPG_OK)
    return MPG_NOMEM;
  for (size_t i = 0; i < p->nruns; i++) {
    if (mpg_poll(p->env, i))
      return MPG_INTERRUPTED;
    p->sorted[i] = i;
  }
  p->at = p->emitted = 0;
  return mpg_sort(p->env, p->sorted, p->nruns, sizeof *p->sorted, run_order, p);
}

mpg_rc mpg_row_pile_next(mpg_row_pile *p, mpg_ledger *out) {
  out->n = 0;
  while (p->at < p->nruns && out->n < EMITTED) {
    size_t run = p->sorted[p->at], n;
    const mpg_row_run *r = &p->runs[run];
    bool again =
        p->order->once && p->at > 0 && same_keys(p->order, &p->keys, p->sorted[p->at - 1], run);
    n = again ? 0 : r->n - p->emitted;
    if (n > EMITTED - out->n)
      n = EMITTED - out->n;
    if (n > 0) {
      mpg_rc rc =
          mpg_ledger_append_run(out, &p->chunks[r->chunk], r->first + p->emitted, n, &p->keys, run);
      if (rc != MPG_OK)
        return rc;
    }
    p->emitted += n;
    if (again || p->emitted == r->n) {
      p->at++;
      p->emitted = 0;
    }
  }
  return MPG_OK;
}
