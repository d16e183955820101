/* digests.c - see digests.h. Digests are sums of hashes, so that no order counts. */
#include "digests.h"

#include <string.h>

enum { POOLS, TEXTS, KINDS, PROGRAMS, NAMES }; /* mpg_digests.texts */
enum { SEED = 1, DIMENSION, PIECE };           /* of hashes: what is hashed */

static const mpg_intern *names_of(const mpg_fleet *f, int which) {
  const mpg_intern *const names[NAMES] = {&f->pool_names, &f->texts, &f->kind_names,
                                          &f->program_names};
  return names[which];
}

/* The hash of a text of the fleet, which keeps only those of this process. */
static uint64_t text_hash(const mpg_digests *d, int which, uint32_t id) {
  uint64_t *of = &d->texts[which][id];
  if (*of == 0 && id != 0) {
    const mpg_str text = mpg_intern_text(names_of(d->fleet, which), id);
    *of = mpg_hash(SEED, text.p, text.n) | 1;
  }
  return *of;
}

/* ---- days ---- */

static uint64_t day_hash(uint32_t pool, int64_t day) {
  const uint64_t words[2] = {pool, (uint64_t)day};
  return mpg_hash(SEED, words, sizeof words);
}

static uint64_t day_hash_of(const void *owner, uint32_t number) {
  const mpg_digests *d = owner;
  return day_hash(d->days[number].pool, d->days[number].day);
}

static mpg_rc add_to_day(mpg_digests *d, uint32_t pool, int64_t day, uint64_t hash) {
  const uint64_t key = day_hash(pool, day);
  uint32_t number;
  size_t at;
  mpg_rc rc = mpg_hash_index_reserve(&d->index, d->env, d->ndays, 64, day_hash_of, d);
  if (rc != MPG_OK)
    return rc;
  for (at = mpg_hash_index_first(&d->index, key); mpg_hash_index_at(&d->index, at, &number);
       at = mpg_hash_index_next(&d->index, at))
    if (d->days[number].pool == pool && d->days[number].day == day) {
      d->recent = number;
      d->days[number].digest += hash;
      return MPG_OK;
    }
  if (mpg_grow(d->env, &d->days, &d->days_cap, d->ndays + 1, sizeof *d->days) != MPG_OK)
    return MPG_NOMEM;
  mpg_hash_index_put(&d->index, at, (uint32_t)d->ndays);
  d->recent = d->ndays;
  d->days[d->ndays++] = (mpg_day_digest){pool, day, hash};
  return MPG_OK;
}

/* Every day that touches [start, end), which is not empty. */
static mpg_rc add_to_days(mpg_digests *d, uint32_t pool, int64_t start, int64_t end,
                          uint64_t hash) {
  const int64_t last = (end - 1) / MPG_DAY;
  mpg_rc rc = MPG_OK;
  for (int64_t day = start / MPG_DAY; rc == MPG_OK && day <= last; day++) {
    mpg_day_digest *recent = d->recent < d->ndays ? &d->days[d->recent] : NULL;
    if (recent != NULL && recent->pool == pool && recent->day == day)
      recent->digest += hash;
    else
      rc =
          mpg_poll(d->env, (size_t)(last - day)) ? MPG_INTERRUPTED : add_to_day(d, pool, day, hash);
  }
  return rc;
}

/* ---- intervals ---- */

static mpg_rc add_row(void *ctx, const mpg_row *row) {
  mpg_digests *d = ctx;
  const uint64_t words[] = {text_hash(d, POOLS, row->pool),
                            text_hash(d, TEXTS, row->chip),
                            text_hash(d, TEXTS, row->cause),
                            text_hash(d, KINDS, row->kind),
                            text_hash(d, PROGRAMS, row->program),
                            (uint64_t)row->size << 8 | (uint64_t)row->category,
                            (uint64_t)row->attempt,
                            (uint64_t)row->start,
                            (uint64_t)row->end,
                            (uint64_t)row->chip_us};
  const uint64_t hash = mpg_hash(SEED, words, sizeof words);
  d->any = true;
  d->totals.chip_us += row->chip_us;
  if (row->category == MPG_DOWN || row->category == MPG_IDLE || row->category == MPG_PARTIAL ||
      row->category == MPG_QUEUED) {
    d->totals.waits++;
    d->totals.waits_us += row->chip_us;
  }
  if (d->job == NULL)
    return add_to_days(d, row->pool, row->start, row->end, hash);
  *d->job += hash;
  d->totals.of_jobs += row->chip_us;
  return MPG_OK;
}

static uint64_t dimensions_hash(const mpg_digests *d, const mpg_job *job) {
  uint64_t words[MPG_JOB_DIMS];
  for (size_t i = 0; i < MPG_JOB_DIMS; i++)
    words[i] = text_hash(d, TEXTS, job->dim[i]);
  return mpg_hash(DIMENSION, words, sizeof words);
}

/* ---- fractions of chips ---- */

static mpg_rc add_fraction(mpg_digests *d, const mpg_accounting *a, uint32_t pool, int64_t chips,
                           int64_t start, int64_t end) {
  const uint64_t words[] = {(uint64_t)(chips % MPG_CHIP), (uint64_t)start, (uint64_t)end};
  if (chips % MPG_CHIP == 0)
    return MPG_OK;
  if (end > a->options.rules.as_of)
    end = a->options.rules.as_of;
  return start < end ? add_to_days(d, pool + 1, start, end, mpg_hash(PIECE, words, sizeof words))
                     : MPG_OK;
}

static mpg_rc add_fractions(mpg_digests *d, const mpg_accounting *a) {
  const mpg_fleet *f = d->fleet;
  mpg_rc rc = MPG_OK;
  for (size_t i = 0; rc == MPG_OK && i < f->ncapacity; i++) {
    const mpg_capacity *c = &f->capacity[i];
    rc = add_fraction(d, a, c->pool, c->chips, c->start, c->end);
  }
  for (size_t i = 0; rc == MPG_OK && i < f->noutages; i++) {
    const mpg_outage *o = &f->outages[i];
    rc = add_fraction(d, a, o->pool, o->chips, o->start, o->end);
  }
  for (size_t i = 0; rc == MPG_OK && i < f->nallocations; i++) {
    const mpg_allocation *b = &f->allocations[i];
    rc = mpg_poll(d->env, i) ? MPG_INTERRUPTED
                             : add_fraction(d, a, b->pool, b->chips, b->start, b->end);
  }
  return rc;
}

/* ---- all ---- */

static mpg_rc make_room(mpg_digests *d) {
  mpg_rc rc = MPG_OK;
  d->jobs = mpg_zeroed(d->env, (mpg_fleet_njobs(d->fleet) + 1) * sizeof *d->jobs, &rc);
  for (int i = 0; rc == MPG_OK && i < NAMES; i++)
    d->texts[i] =
        mpg_zeroed(d->env, ((size_t)names_of(d->fleet, i)->n + 1) * sizeof *d->texts[i], &rc);
  return rc;
}

mpg_rc mpg_digests_make(mpg_digests *d, mpg_accounting *a, const char *source, mpg_err *err) {
  const mpg_sink sink = {add_row, d, NULL};
  mpg_rc rc;
  memset(d, 0, sizeof *d);
  d->env = a->env;
  d->fleet = a->fleet;
  err->rc = MPG_OK;
  rc = make_room(d);
  for (size_t unit = 0; rc == MPG_OK && unit < mpg_accounting_units(a); unit++) {
    d->job = unit < mpg_fleet_njobs(d->fleet) ? &d->jobs[unit] : NULL;
    d->any = false;
    rc = mpg_accounting_unit(a, unit, &sink, source, err);
    if (d->job == NULL)
      continue;
    *d->job += dimensions_hash(d, &d->fleet->jobs[unit]);
    d->totals.jobs += d->any;
  }
  if (rc == MPG_OK)
    rc = add_fractions(d, a);
  if (rc != MPG_OK)
    return err->rc != MPG_OK ? rc : mpg_fail_plain(err, rc);
  return mpg_accounting_finish(a, source, err);
}

void mpg_digests_free(mpg_digests *d) {
  if (d->env == NULL)
    return;
  mpg_hash_index_free(&d->index, d->env);
  mpg_free(d->env, d->jobs);
  mpg_free(d->env, d->days);
  for (int i = 0; i < NAMES; i++)
    mpg_free(d->env, d->texts[i]);
  memset(d, 0, sizeof *d);
}
