/* rating.c - see rating.h. */
#include "rating.h"

#include "ledger_row.h"

#include <math.h>

void mpg_ratings_free(mpg_ratings *rs) {
  mpg_free(rs->env, rs->ratings);
}

static void add_notice(mpg_ratings *rs, mpg_notice kind, int64_t count) {
  mpg_notice_add(rs->notices, rs->fleet, kind, rs->job, count);
}

static mpg_rc fail_interrupted(mpg_err *err) {
  return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
}

/* After work on a part or an item: on every lane if it is rated. */
static bool poll_lanes(mpg_ratings *rs, bool rated) {
  return mpg_poll_work(rs->env, &rs->done, rated ? 4 + 4 * rs->nlanes : 4);
}

/* ---- one span at the peak of one chip ---- */

/* What an item did while its gang was complete. */
typedef struct work {
  double flops, bytes; /* bytes may be NAN: unknown */
  uint32_t dtype;
} work;

/* False if that is not known, or nothing. */
static inline bool work_of(mpg_ratings *rs, const mpg_item *item, work *w) {
  static const mpg_program none = {(double)NAN, (double)NAN, 0};
  const mpg_span *s = &item->span;
  const mpg_program *p = s->program ? &rs->fleet->programs[s->program - 1] : &none;
  double times = isnan(s->executions) ? 1 : s->executions;
  int64_t own = item->inside + mpg_innermost_outside(rs->in, item);
  w->flops = isnan(s->flops) ? p->flops * times : s->flops;
  w->bytes = isnan(s->bytes) ? p->bytes * times : s->bytes;
  w->dtype = s->dtype ? s->dtype : p->dtype;
  if (isnan(w->flops)) {
    add_notice(rs, MPG_NOTICE_UNKNOWN_PROGRAM,
               s->program != 0 && !rs->fleet->program_recorded[s->program - 1]);
    return false;
  }
  if (own == 0) {
    add_notice(rs, MPG_NOTICE_HIDDEN_SPAN, w->flops > 0);
    return false;
  }
  w->flops *= item->left_share;
  w->bytes *= item->left_share;
  if (item->inside != own) {
    w->flops = w->flops * (double)item->inside / (double)own;
    w->bytes = w->bytes * (double)item->inside / (double)own;
  }
  return true;
}

/* Valid until the next is requested. */
static inline const mpg_peak *peak_of(mpg_ratings *rs, uint32_t chip, uint32_t dtype) {
  const mpg_intern *texts = &rs->fleet->texts;
  mpg_peak *p = &rs->peaks[(chip + dtype) % MPG_PEAKS];
  if (chip != p->chip || dtype != p->dtype) { /* at first all are no chip's, which has none */
    const char *canonical =
        chip == 0 ? NULL : mpg_chips_find(rs->fleet->chips, mpg_intern_text(texts, chip));
    *p = (mpg_peak){chip, dtype, canonical != NULL, NULL};
    if (canonical != NULL)
      p->row = mpg_chips_peak(rs->fleet->chips, canonical, mpg_intern_text(texts, dtype));
  }
  return p;
}

/* Ideal chip-microseconds of that much work at a peak, or MPG_NONE. */
static inline int64_t ideal_at(mpg_ratings *rs, const mpg_peak *p, double flops, double bytes) {
  const mpg_chip_row *row = p->row;
  double ideal;
  int64_t below;
  if (!p->known_chip) {
    add_notice(rs, MPG_NOTICE_UNKNOWN_CHIP, p->chip != 0);
    return MPG_NONE;
  }
  if (row == NULL || !(row->peak_flops > 0)) {
    add_notice(rs, MPG_NOTICE_UNKNOWN_DTYPE, 1);
    return MPG_NONE;
  }
  ideal = 1e6 * flops / row->peak_flops;
  if (rs->memory && row->hbm_bytes_per_s > 0 && bytes > 0)
    ideal = fmax(ideal, 1e6 * bytes / row->hbm_bytes_per_s);
  if (!(ideal < (double)MPG_TOO_MUCH))
    return MPG_NONE;
  below = (int64_t)ideal; /* no amount of work is negative */
  return below + (ideal - (double)below >= 0.5);
}

/* ---- one span in its lanes ---- */

/* The item's ideal on each chip, from its weight in each lane. */
static void rate_item(mpg_ratings *rs, const mpg_item *item, mpg_rating *lanes) {
  const mpg_chip_row *row = NULL; /* of the chip rated last */
  int64_t all = 0, ideals = 0;
  work w;
  if (!work_of(rs, item, &w))
    return;
  for (size_t l = 0; l < rs->nlanes; l++)
    all = mpg_held_sum(all, lanes[l].weight);
  if (all == MPG_TOO_MUCH)
    return;
  for (size_t l = 0; l < rs->nlanes; l++) {
    mpg_rating *r = &lanes[l];
    const mpg_peak *p;
    double share;
    size_t k = 0;
    if (r->weight == 0)
      continue;
    while (k < l && (rs->lanes[k].chip != rs->lanes[l].chip || lanes[k].weight == 0))
      k++;
    if (k < l) { /* the chip was rated in lane k; the weights before are those of lanes k..l */
      for (size_t j = k; j < l; j++)
        if (rs->lanes[j].chip == rs->lanes[l].chip)
          r->before += lanes[j].weight;
      r->total = lanes[k].total;
      r->ideal = lanes[k].ideal;
      continue;
    }
    for (k = l; k < rs->nlanes; k++)
      if (rs->lanes[k].chip == rs->lanes[l].chip)
        r->total += lanes[k].weight;
    share = (double)r->total / (double)all;
    p = peak_of(rs, rs->lanes[l].chip, w.dtype);
    r->ideal = ideal_at(rs, p, w.flops * share, w.bytes * share);
    row = p->row;
    ideals += r->ideal == MPG_NONE ? 0 : r->ideal;
  }
  if (ideals > all) {
    bool one_chip = true;
    for (size_t l = 1; l < rs->nlanes; l++)
      one_chip &= rs->lanes[l].chip == rs->lanes[0].chip;
    mpg_notice_above(
        rs->notices, rs->fleet, rs->job,
        &(mpg_above){(double)ideals / (double)all, one_chip ? row : NULL, w.dtype != 0});
  }
}

/* The ideal of an item that has `weight` of the only lane. */
static inline int64_t rate_in_lane(mpg_ratings *rs, const mpg_item *item, int64_t weight) {
  const mpg_peak *p;
  int64_t ideal;
  work w;
  if (!work_of(rs, item, &w) || weight == 0 || weight == MPG_TOO_MUCH)
    return MPG_NONE;
  p = peak_of(rs, rs->lanes[0].chip, w.dtype);
  ideal = ideal_at(rs, p, w.flops, w.bytes);
  if (ideal > weight)
    mpg_notice_above(rs->notices, rs->fleet, rs->job,
                     &(mpg_above){(double)ideal / (double)weight, p->row, w.dtype != 0});
  return ideal;
}

/* ---- a job's spans ---- */

/* Weights if there is one lane, of the items that have several parts. */
static mpg_rc weigh_in_lane(mpg_ratings *rs, mpg_err *err) {
  const mpg_innermost *in = rs->in;
  size_t n = 0;
  for (size_t i = 0; i < in->nparts; i++) {
    const mpg_part *p = &in->parts[i];
    const int64_t *held;
    mpg_verdict *v;
    mpg_rating *r;
    if (mpg_poll(rs->env, i))
      return fail_interrupted(err);
    if (p->item == MPG_NOBODY || !(in->marks[p->item] & MPG_ITEM_SPLIT) ||
        rs->verdicts[p->item].category != MPG_UNRATED)
      continue;
    v = &rs->verdicts[p->item];
    if (!v->shared) {
      if (n == UINT32_MAX ||
          mpg_grow(rs->env, &rs->ratings, &rs->ratings_cap, n + 1, sizeof *r) != MPG_OK)
        return mpg_fail_nomem(err);
      v->shared = true;
      v->cause = (uint32_t)n;
      rs->ratings[n++] = (mpg_rating){0, 0, 0, 0, MPG_NONE};
    }
    r = &rs->ratings[v->cause];
    held = mpg_stretch_counted(rs->gang, &rs->gang->stretches[p->stretch]);
    r->weight = mpg_held_sum(r->weight, mpg_held_amount(*held, p->start, p->end));
  }
  return MPG_OK;
}

/* If there is one lane, an item that has one part is rated when that part is passed. */
static mpg_rc rate_others(mpg_ratings *rs, mpg_err *err) {
  const mpg_innermost *in = rs->in;
  mpg_rc rc = in->split ? weigh_in_lane(rs, err) : MPG_OK;
  if (rc != MPG_OK || (!in->split && in->nshown == in->nitems))
    return rc;
  for (size_t i = 0; i < in->nitems; i++) {
    if (mpg_poll(rs->env, i))
      return fail_interrupted(err);
    if (rs->verdicts[i].shared) {
      mpg_rating *r = &rs->ratings[rs->verdicts[i].cause];
      r->total = r->weight;
      r->ideal = rate_in_lane(rs, &in->items[i], r->weight);
    } else if (in->marks[i] == 0 && rs->verdicts[i].category == MPG_UNRATED) {
      (void)rate_in_lane(rs, &in->items[i], 0); /* for what there is to notice */
    }
  }
  return MPG_OK;
}

mpg_rc mpg_ratings_build(mpg_ratings *rs, mpg_err *err) {
  const mpg_innermost *in = rs->in;
  size_t n = in->nitems * rs->nlanes;
  if (rs->one)
    return rate_others(rs, err);
  if (mpg_grow(rs->env, &rs->ratings, &rs->ratings_cap, n, sizeof *rs->ratings) != MPG_OK)
    return mpg_fail_nomem(err);
  for (size_t i = 0; i < n; i++) {
    rs->ratings[i] = (mpg_rating){0, 0, 0, 0, MPG_NONE};
    if (mpg_poll(rs->env, i))
      return fail_interrupted(err);
  }
  for (size_t i = 0; i < in->nparts; i++) {
    const mpg_part *p = &in->parts[i];
    const int64_t *counted = mpg_stretch_counted(rs->gang, &rs->gang->stretches[p->stretch]);
    bool rated = p->item != MPG_NOBODY && rs->verdicts[p->item].category == MPG_UNRATED;
    if (poll_lanes(rs, rated))
      return fail_interrupted(err);
    if (!rated)
      continue;
    for (size_t l = 0; l < rs->nlanes; l++) {
      int64_t start = p->start, end = p->end;
      mpg_rating *r = &rs->ratings[p->item * rs->nlanes + l];
      if (mpg_lane_clip(&rs->lanes[l], &start, &end))
        r->weight =
            mpg_held_sum(r->weight, mpg_held_amount(counted[rs->lanes[l].pool], start, end));
    }
  }
  for (size_t i = 0; i < in->nitems; i++) {
    bool rated = rs->verdicts[i].category == MPG_UNRATED;
    if (rated)
      rate_item(rs, &in->items[i], &rs->ratings[i * rs->nlanes]);
    if (poll_lanes(rs, rated))
      return fail_interrupted(err);
  }
  return MPG_OK;
}

/* ---- a part of a span ---- */

/* Parts of a span share its ideal so that they add up to it exactly. */
static int64_t part_ideal(mpg_rating *r, int64_t amount) {
  mpg_i128 from = r->before + r->given, to = from + amount;
  if (r->ideal == MPG_NONE)
    return MPG_NONE;
  r->given += amount;
  if (from == 0 && to == r->total) /* the only part */
    return r->ideal;
  return (int64_t)(r->ideal * to / r->total - r->ideal * from / r->total);
}

int64_t mpg_ratings_ideal(mpg_ratings *rs, const mpg_part *part, size_t lane, int64_t amount) {
  const mpg_verdict *v = &rs->verdicts[part->item];
  if (rs->one && !v->shared)
    return rate_in_lane(rs, &rs->in->items[part->item], amount);
  if (rs->one)
    return part_ideal(&rs->ratings[v->cause], amount);
  return part_ideal(&rs->ratings[part->item * rs->nlanes + lane], amount);
}
