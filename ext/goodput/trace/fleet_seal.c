/* fleet_seal.c - a fleet whose records have all been added: see mpg_fleet_seal. */
#include "fleet_part.h"
#include "../../base/debug_assert.h"
#include "../../base/ascii.h"
#include "../../base/sort.h"
#include "../../base/text.h"

#include <string.h>

/* By job, then in an order that does not depend on the order of arrival. */
static int allocation_order(const void *pa, const void *pb, void *ctx) {
  const mpg_allocation *a = pa, *b = pb;
  const mpg_fleet *f = ctx;
  int c = mpg_compare_int64(a->job, b->job);
  c = c ? c : mpg_compare_int64(a->start, b->start);
  c = c ? c : mpg_compare_int64(a->end, b->end);
  c = c ? c : mpg_compare_int64(a->attempt, b->attempt);
  c = c ? c : mpg_intern_cmp(&f->pool_names, a->pool + 1, b->pool + 1);
  c = c ? c : mpg_intern_cmp(&f->texts, a->task, b->task);
  c = c ? c : mpg_compare_int64(a->chips, b->chips);
  return c ? c : mpg_compare_int64((int64_t)a->outcome, (int64_t)b->outcome);
}

static mpg_rc name_chip(mpg_fleet *f, uint32_t *chip) {
  const char *canonical =
      *chip == 0 ? NULL : mpg_chips_find(f->chips, mpg_intern_text(&f->texts, *chip));
  return canonical == NULL ? MPG_OK : mpg_intern_id(&f->texts, mpg_str_of(canonical), chip);
}

/* Chips are known by the catalogue's names, now that it is complete. */
static mpg_rc name_chips(mpg_fleet *f) {
  mpg_rc rc = MPG_OK;
  for (size_t i = 0; rc == MPG_OK && i < f->ncapacity; i++)
    rc = mpg_poll(f->env, i) ? MPG_INTERRUPTED : name_chip(f, &f->capacity[i].chip);
  for (size_t i = 0; rc == MPG_OK && i < f->nobserved; i++)
    rc = mpg_poll(f->env, i) ? MPG_INTERRUPTED : name_chip(f, &f->observed[i].chip);
  return rc;
}

/* Puts the allocations in order: by job, which takes no comparing, then those of a job among
** themselves, which often have the order already. */
static mpg_rc sort_allocations(mpg_fleet *f) {
  const mpg_allocation *from = f->allocations;
  size_t njobs = mpg_fleet_njobs(f), n = f->nallocations;
  mpg_allocation *to;
  size_t *at;
  mpg_rc rc = MPG_OK;
  if (n < 2)
    return MPG_OK;
  at = mpg_zeroed(f->env, (njobs + 1) * sizeof *at, &rc);
  to = mpg_malloc(f->env, n * sizeof *to);
  if (rc == MPG_OK && to == NULL)
    rc = MPG_NOMEM;
  for (size_t i = 0; rc == MPG_OK && i < n; i++) {
    at[from[i].job + 1]++;
    rc = mpg_poll(f->env, i) ? MPG_INTERRUPTED : MPG_OK;
  }
  for (size_t j = 0; rc == MPG_OK && j < njobs; j++) {
    at[j + 1] += at[j];
    rc = mpg_poll(f->env, j) ? MPG_INTERRUPTED : MPG_OK;
  }
  for (size_t i = 0; rc == MPG_OK && i < n; i++) {
    to[at[from[i].job]++] = from[i];
    rc = mpg_poll(f->env, i) ? MPG_INTERRUPTED : MPG_OK;
  }
  /* at[j] is now the position of the next */
  for (size_t j = 0, first = 0; rc == MPG_OK && j < njobs; first = at[j++]) {
    rc = mpg_poll(f->env, j) ? MPG_INTERRUPTED : MPG_OK;
    for (size_t i = first + 1; rc == MPG_OK && i < at[j]; i++)
      if (allocation_order(&to[i - 1], &to[i], f) > 0) {
        rc = mpg_sort(f->env, to + first, at[j] - first, sizeof *to, allocation_order, f);
        break;
      } else if (mpg_poll(f->env, i)) {
        rc = MPG_INTERRUPTED;
      }
  }
  mpg_free(f->env, at);
  if (rc != MPG_OK) {
    mpg_free(f->env, to);
    return rc;
  }
  mpg_free(f->env, f->allocations);
  f->allocations = to;
  f->allocations_cap = n;
  return MPG_OK;
}

/* The limit of the sum over all allocations of a job, or all records of a pool. It is just within
** int64, so no sum over those of one moment overflows. */
#define CHIPS_AT_ONCE (INT64_C(9000000000000) * MPG_CHIP)

static mpg_rc too_many(const char *what, mpg_str name, const char *of, mpg_err *err) {
  char text[MPG_EXCERPT];
  mpg_text_excerpt(name, text);
  return mpg_fail(err, MPG_LIMIT, "%s %s: its %s hold more than 9 x 10^12 chips", what, text, of);
}

/* Adds chips, of a record, to a sum; false if it is more than there may be. */
static bool add_chips(int64_t *sum, int64_t chips) {
  *sum += chips; /* a record's are 10^15 millionths at most */
  return *sum <= CHIPS_AT_ONCE;
}

static mpg_rc check_chips(const mpg_fleet *f, mpg_err *err) {
  int64_t *capacity = mpg_calloc(f->env, 2 * (mpg_fleet_npools(f) + 1) * sizeof *capacity),
          *outages;
  int64_t sum = 0;
  size_t looked = 0;
  mpg_rc rc = MPG_OK;
  if (capacity == NULL)
    return mpg_fail_nomem(err);
  outages = capacity + mpg_fleet_npools(f) + 1;
  for (size_t i = 0; rc == MPG_OK && i < f->nallocations; i++) {
    const mpg_allocation *a = &f->allocations[i];
    if (i == 0 || a->job != a[-1].job)
      sum = 0;
    if (mpg_poll(f->env, looked++))
      rc = mpg_fail_plain(err, MPG_INTERRUPTED);
    else if (!add_chips(&sum, a->chips))
      rc = too_many("job", mpg_intern_text(&f->job_names, a->job + 1), "allocations", err);
  }
  for (size_t i = 0; rc == MPG_OK && i < f->ncapacity; i++)
    if (mpg_poll(f->env, looked++))
      rc = mpg_fail_plain(err, MPG_INTERRUPTED);
    else if (!add_chips(&capacity[f->capacity[i].pool], f->capacity[i].chips))
      rc = too_many("pool", mpg_intern_text(&f->pool_names, f->capacity[i].pool + 1),
                    "capacity records", err);
  for (size_t i = 0; rc == MPG_OK && i < f->noutages; i++)
    if (mpg_poll(f->env, looked++))
      rc = mpg_fail_plain(err, MPG_INTERRUPTED);
    else if (!add_chips(&outages[f->outages[i].pool], f->outages[i].chips))
      rc =
          too_many("pool", mpg_intern_text(&f->pool_names, f->outages[i].pool + 1), "outages", err);
  mpg_free(f->env, capacity);
  return rc;
}

mpg_rc mpg_fleet_seal(mpg_fleet *fleet, mpg_err *err) {
  mpg_rc rc;
  MPG_ASSERT(fleet->kind_causes == NULL); /* sealed once */
  fleet->kind_causes = mpg_calloc(fleet->env, (fleet->kind_names.n + 1) * sizeof(uint32_t));
  if (fleet->kind_causes == NULL)
    return mpg_fail_nomem(err);
  rc = name_chips(fleet);
  for (uint32_t k = 1; rc == MPG_OK && k <= fleet->kind_names.n; k++)
    rc = mpg_poll(fleet->env, k)
             ? MPG_INTERRUPTED
             : mpg_intern_id(&fleet->texts, mpg_intern_text(&fleet->kind_names, k),
                             &fleet->kind_causes[k]);
  if (rc == MPG_OK)
    rc = sort_allocations(fleet);
  if (rc != MPG_OK)
    return mpg_fail_plain(err, rc);
  rc = check_chips(fleet, err);
  if (rc != MPG_OK)
    return rc;
  for (size_t i = 0; i < fleet->nallocations; i++) {
    mpg_job *job = &fleet->jobs[fleet->allocations[i].job];
    if (mpg_poll(fleet->env, i))
      return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
    if (job->nallocations++ == 0)
      job->allocation = i;
  }
  return MPG_OK;
}
