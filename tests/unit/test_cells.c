/* test_cells.c - ext/goodput/ledger/rollup.c beside a search through all cells: any rows, in any
** dimensions, from many jobs. */
#include "trace.h"
#include "check.h"
#include "../../ext/goodput/ledger/rollup.h"

#include <stdlib.h>

enum { JOBS = 700, ROWS = 700 };

static const mpg_env *const env = &mpg_env_libc;

static uint32_t below(uint32_t n) {
  return (uint32_t)check_draw(n);
}

static mpg_fleet fleet;

/* Owners and models of some jobs, of some both, of some neither. */
static void build(mpg_issues *issues) {
  mpg_err err;
  int column;
  mpg_rc rc = mpg_fleet_init(&fleet, env, issues, NULL, &err);
  rc = rc == MPG_OK ? mpg_fleet_from(&fleet, "test", &err) : rc;
  for (uint32_t i = 0; rc == MPG_OK && i < JOBS; i++) {
    char line[200];
    int n = snprintf(line, sizeof line, "jobs job=j%u", i);
    if (i % 3 != 0)
      n += snprintf(line + n, sizeof line - (size_t)n, " owner=o%u", below(200));
    if (i % 4 != 0)
      n += snprintf(line + n, sizeof line - (size_t)n, " model=m%u", below(20));
    if (i % 5 == 0)
      (void)snprintf(line + n, sizeof line - (size_t)n, " labels=l%u", below(3));
    rc = trace_add(&fleet, line, i + 1, &column, &err);
  }
  CHECK(rc == MPG_OK && mpg_fleet_seal(&fleet, &err) == MPG_OK);
}

static mpg_row any_row(void) {
  return (mpg_row){.job = below(8) == 0 ? 0 : 1 + below(JOBS),
                   .pool = below(3),
                   .chip = below(3),
                   .cause = below(3),
                   .attempt = below(3) == 0 ? MPG_NONE : (int64_t)below(3),
                   .bucket = below(4) == 0 ? MPG_NONE : (int64_t)below(5) * 3600,
                   .size = (uint8_t)below(4),
                   .category = (mpg_category)below(MPG_CATEGORIES),
                   .chip_us = INT64_C(1) << below(62)};
}

static bool is_requested(uint32_t mask, mpg_dim d) {
  return (mask >> d & 1) != 0;
}

/* Whether a cell stands for a row. */
static bool is_of(const mpg_cell *c, const mpg_row *r, uint32_t mask) {
  for (mpg_dim d = MPG_DIM_NAME; d <= MPG_DIM_LABELS; d++) {
    uint32_t a = c->job == 0 ? 0 : fleet.jobs[c->job - 1].dim[d];
    uint32_t b = r->job == 0 ? 0 : fleet.jobs[r->job - 1].dim[d];
    if (is_requested(mask, d) && a != b)
      return false;
  }
  return (is_requested(mask, MPG_DIM_JOB) ? c->job == r->job : true) &&
         c->pool == (is_requested(mask, MPG_DIM_POOL) ? r->pool : 0) &&
         c->chip == (is_requested(mask, MPG_DIM_CHIP) ? r->chip : 0) &&
         c->cause == (is_requested(mask, MPG_DIM_CAUSE) ? r->cause : 0) &&
         c->attempt == (is_requested(mask, MPG_DIM_ATTEMPT) ? r->attempt : MPG_NONE) &&
         c->bucket == (is_requested(mask, MPG_DIM_BUCKET) ? r->bucket : MPG_NONE) &&
         c->size == (is_requested(mask, MPG_DIM_SIZE) ? r->size : 0) &&
         c->category == (is_requested(mask, MPG_DIM_CATEGORY) ? (uint8_t)r->category : 0);
}

static void naive_add(mpg_cell *cells, size_t *n, const mpg_row *r, uint32_t mask, mpg_i128 chip_us,
                      int64_t intervals) {
  size_t i = 0;
  while (i < *n && !is_of(&cells[i], r, mask))
    i++;
  if (i == *n) {
    bool of_job = (mask & ((1u << (MPG_DIM_JOB + 1)) - 1)) != 0;
    cells[(*n)++] = (mpg_cell){of_job ? r->job : 0,
                               is_requested(mask, MPG_DIM_POOL) ? r->pool : 0,
                               is_requested(mask, MPG_DIM_CHIP) ? r->chip : 0,
                               is_requested(mask, MPG_DIM_CAUSE) ? r->cause : 0,
                               is_requested(mask, MPG_DIM_ATTEMPT) ? r->attempt : MPG_NONE,
                               is_requested(mask, MPG_DIM_BUCKET) ? r->bucket : MPG_NONE,
                               is_requested(mask, MPG_DIM_SIZE) ? r->size : 0,
                               is_requested(mask, MPG_DIM_CATEGORY) ? (uint8_t)r->category : 0,
                               0,
                               0};
  }
  cells[i].chip_us += chip_us;
  cells[i].intervals += intervals;
}

/* In the order of first sight. The job of a cell is any that is like it. */
static bool same(const mpg_rollup *r, const mpg_cell *expected, size_t n) {
  bool good = r->ncells == n;
  for (size_t i = 0; good && i < n; i++) {
    const mpg_cell *a = &r->cells[i], *b = &expected[i];
    const mpg_row row = {.job = a->job,
                         .pool = a->pool,
                         .chip = a->chip,
                         .cause = a->cause,
                         .attempt = a->attempt,
                         .bucket = a->bucket,
                         .size = a->size,
                         .category = (mpg_category)a->category};
    good = is_of(b, &row, r->mask) && a->chip_us == b->chip_us && a->intervals == b->intervals;
  }
  return good;
}

/* Nothing in a row that repeats is told apart, and nothing that differs is not. */
static void test_masks(void) {
  static mpg_row rows[ROWS];
  static mpg_cell cells[ROWS], fine[ROWS];
  size_t most = 0;
  for (int round = 0; round < 40; round++) {
    uint32_t mask = round == 0 ? 0 : round == 1 ? (1u << MPG_DIMS) - 1 : below(1u << MPG_DIMS);
    uint32_t finer = mask | below(1u << MPG_DIMS);
    mpg_rollup r, whole;
    mpg_sink sink;
    mpg_err err;
    size_t n = 0, nfine = 0;
    if (round % 3 == 0)
      mask &= (1u << (MPG_DIM_LABELS + 1)) - 1; /* of the jobs alone */
    if (round % 6 == 0)
      mask &= 1u << MPG_DIM_OWNER | 1u << MPG_DIM_MODEL;
    CHECK(mpg_rollup_init(&r, env, &fleet, mask, &err) == MPG_OK);
    CHECK(mpg_rollup_init(&whole, env, &fleet, finer, &err) == MPG_OK);
    for (int again = 0; again < 2; again++) { /* after a reset the same */
      n = nfine = 0;
      for (size_t i = 0; i < ROWS; i++) {
        if (i == 0 && again == 1) /* the row before the reset */
          rows[i] = rows[ROWS - 1];
        else if (i == 0 || below(3) > 0)
          rows[i] = any_row();
        else { /* as the row before, but for one */
          mpg_row other = any_row();
          rows[i] = rows[i - 1];
          switch (below(8)) {
          case 0:
            rows[i].job = other.job;
            break;
          case 1:
            rows[i].pool = other.pool;
            break;
          case 2:
            rows[i].chip = other.chip;
            break;
          case 3:
            rows[i].cause = other.cause;
            break;
          case 4:
            rows[i].attempt = other.attempt;
            break;
          case 5:
            rows[i].bucket = other.bucket;
            break;
          case 6:
            rows[i].size = other.size;
            break;
          default:
            rows[i].category = other.category;
          }
        }
      }
      sink = mpg_rollup_sink(&r);
      for (size_t i = 0; i < ROWS; i++) {
        mpg_i128 sum = i % 5 == 0 ? (mpg_i128)rows[i].chip_us << 40 : rows[i].chip_us;
        int64_t intervals = i % 5 == 0 ? 7 : 1;
        CHECK((i % 5 == 0 ? sink.more(sink.ctx, &rows[i], sum, intervals)
                          : sink.row(sink.ctx, &rows[i])) == MPG_OK);
        naive_add(cells, &n, &rows[i], mask, sum, intervals);
      }
      CHECK(same(&r, cells, n));
      most = n > most ? n : most;
      mpg_rollup_reset(&r);
      CHECK(r.ncells == 0);
    }
    /* Cells of a finer one give the same cells, in the same order. */
    sink = mpg_rollup_sink(&whole);
    for (size_t i = 0; i < ROWS; i++)
      CHECK(sink.row(sink.ctx, &rows[i]) == MPG_OK);
    n = 0;
    for (size_t i = 0; i < ROWS; i++)
      naive_add(fine, &nfine, &rows[i], finer, rows[i].chip_us, 1);
    for (size_t i = 0; i < ROWS; i++)
      naive_add(cells, &n, &rows[i], mask, rows[i].chip_us, 1);
    CHECK(same(&whole, fine, nfine));
    CHECK(mpg_rollup_add_cells(&r, whole.cells, whole.ncells) == MPG_OK && same(&r, cells, n));
    mpg_rollup_free(&r);
    mpg_rollup_free(&whole);
  }
  CHECK(most > 500);
}

int main(void) {
  mpg_issues issues;
  mpg_issues_init(&issues, env);
  build(&issues);
  test_masks();
  mpg_fleet_free(&fleet);
  mpg_issues_free(&issues);
  return check_done("cells");
}
