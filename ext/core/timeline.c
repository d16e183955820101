/* timeline.c - see timeline.h. */
#include "timeline.h"

#include "innermost.h"
#include "lineage.h"
#include "run.h"

#include <math.h>
#include <string.h>

/* A pool while it has one chip: what a part is split by. In the order of pool names, then time. */
typedef struct lane {
  size_t pool; /* of the gang's */
  uint32_t chip;
  int64_t from, until;
} lane;

/* What a productive span is given in a lane. */
typedef struct rating {
  int64_t weight;        /* chip-microseconds of the span in this lane */
  int64_t before, total; /* and on the same chip: in the lanes before, in all lanes */
  int64_t given;         /* of the weight, by the parts told so far */
  int64_t ideal;         /* of the whole span on this chip; MPG_NONE: unrated */
} rating;

/* The last answer of the catalogue: spans come in runs of one chip and dtype. */
typedef struct peak {
  uint32_t chip, dtype; /* texts */
  bool known_chip;
  const mpg_chip_row *row; /* NULL: no peak for this dtype */
} peak;

typedef struct verdict {
  mpg_category category; /* MPG_UNRATED stands for productive, rated or not */
  uint32_t cause;
} verdict;

struct mpg_timeline {
  const mpg_env *env;
  const mpg_fleet *fleet;
  const mpg_rules *rules;
  mpg_pools *pools;
  mpg_gang gang;
  mpg_innermost in;
  mpg_lineage lineage;
  mpg_notices notices;
  verdict *verdicts; /* of each item */
  rating *ratings;   /* of each item in each lane */
  lane *lanes;
  peak peak;
  size_t nlanes, verdicts_cap, ratings_cap, lanes_cap;
  size_t done; /* since the host was asked whether to stop */
  /* The job at hand, and where its rows go. */
  uint32_t job;
  uint8_t size;
  bool traced;
  bool held; /* the pools know what every job holds */
  const mpg_window *window;
  const mpg_sink *sink;
  mpg_run run; /* of the stretch at hand */
};

mpg_rc mpg_timeline_new(mpg_timeline **out, const mpg_env *env, const mpg_fleet *fleet,
                        const mpg_rules *rules, mpg_pools *pools, mpg_err *err) {
  mpg_timeline *t = mpg_calloc(env, sizeof *t);
  *out = t;
  if (t == NULL)
    return mpg_fail_nomem(err);
  t->env = env;
  t->fleet = fleet;
  t->rules = rules;
  t->pools = pools;
  mpg_innermost_init(&t->in, env);
  mpg_lineage_init(&t->lineage, env);
  return mpg_gang_init(&t->gang, env, err);
}

void mpg_timeline_free(mpg_timeline *t) {
  if (t == NULL)
    return;
  mpg_gang_free(&t->gang);
  mpg_innermost_free(&t->in);
  mpg_lineage_free(&t->lineage);
  mpg_free(t->env, t->verdicts);
  mpg_free(t->env, t->ratings);
  mpg_free(t->env, t->lanes);
  mpg_free(t->env, t);
}

mpg_notices *mpg_timeline_notices(mpg_timeline *t) {
  return &t->notices;
}

static void notice(mpg_timeline *t, mpg_notice kind, int64_t count) {
  mpg_notice_add(&t->notices, t->fleet, kind, t->job, count);
}

/* ---- what each span's time is ---- */

static bool is_step(const mpg_span *s) {
  return s->kind == MPG_KIND_STEP || s->kind == MPG_KIND_BATCH;
}

static mpg_ending ending(const mpg_gang *gang) {
  const mpg_attempt *last = &gang->attempts[gang->nattempts - 1];
  if (last->running)
    return MPG_STILL_RUNNING;
  return last->outcome == MPG_COMPLETED ? MPG_ENDED_WELL : MPG_ENDED_BADLY;
}

/* NULL where there is none: an offset from no array is undefined, even one of 0. */
static const mpg_commit *commits_of(const mpg_timeline *t, const mpg_job *job) {
  return job->ncommits == 0 ? NULL : t->fleet->commits + job->commit;
}

static mpg_rc stopped(mpg_err *err) {
  return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
}

/* Behind work on every lane. */
static bool poll(mpg_timeline *t) {
  return mpg_poll_work(t->env, &t->done, 4 + 4 * t->nlanes);
}

static verdict step_verdict(const mpg_timeline *t, mpg_fate fate) {
  switch (fate) {
  case MPG_FATE_PRODUCTIVE:
    return (verdict){MPG_UNRATED, 0};
  case MPG_FATE_PENDING:
    return (verdict){MPG_PENDING, 0};
  case MPG_FATE_NO_DATA:
    return (verdict){MPG_UNKNOWN, t->fleet->cause[MPG_CAUSE_NO_DATA]};
  default:
    return (verdict){MPG_LOST, 0};
  }
}

static verdict span_verdict(const mpg_timeline *t, uint32_t kind) {
  switch (kind) {
  case MPG_KIND_INIT:
  case MPG_KIND_PREP:
    return (verdict){MPG_STARTUP, 0};
  case MPG_KIND_COMPILE:
    return (verdict){MPG_COMPILE, 0};
  case MPG_KIND_RESTORE:
    return (verdict){MPG_RESTORE, 0};
  case MPG_KIND_INPUT:
    return (verdict){MPG_INPUT, 0};
  case MPG_KIND_CHECKPOINT:
    return (verdict){MPG_CHECKPOINT, 0};
  case MPG_KIND_EVAL:
    return (verdict){MPG_EVAL, 0};
  case MPG_KIND_SERVE:
    return (verdict){MPG_UNRATED, 0};
  default: /* a hang, or a name of the trace's own */
    return (verdict){MPG_STALL, t->fleet->kind_causes[kind]};
  }
}

/* All-allocated time that no span explains. */
static verdict gap_verdict(const mpg_timeline *t, const mpg_part *part, size_t attempt) {
  const mpg_activity *activity = &t->in.activity[attempt];
  const mpg_job *job = &t->fleet->jobs[t->job];
  if (!t->traced)
    return (verdict){MPG_UNTRACED, 0};
  if (activity->serves && job->dim[JOBS_PHASE - JOBS_NAME] == t->fleet->phase_serving)
    return (verdict){MPG_STALL, t->fleet->cause[MPG_CAUSE_NO_TRAFFIC]};
  if (activity->any && part->start >= activity->last &&
      t->gang.attempts[attempt].outcome == MPG_NODE_FAIL)
    return (verdict){MPG_STALL, t->fleet->cause[MPG_CAUSE_NODE_FAIL]};
  return (verdict){MPG_UNKNOWN, 0};
}

/* From the last to the first, as the lineage wants to be told. */
static mpg_rc decide_items(mpg_timeline *t, const mpg_job *job, mpg_err *err) {
  const mpg_innermost *in = &t->in;
  if (in->nitems == 0)
    return MPG_OK;
  if (mpg_grow(t->env, &t->verdicts, &t->verdicts_cap, in->nitems, sizeof *t->verdicts) != MPG_OK ||
      mpg_lineage_begin(&t->lineage, commits_of(t, job), job->ncommits, ending(&t->gang),
                        t->rules->as_of) != MPG_OK)
    return mpg_fail_nomem(err);
  for (size_t i = in->nitems; i-- > 0;) {
    const mpg_span *s = &in->items[i].span;
    mpg_step step = {s->start, s->end, s->step, in->items[i].attempt};
    t->verdicts[i] = is_step(s) ? step_verdict(t, mpg_lineage_decide(&t->lineage, &step))
                                : span_verdict(t, s->kind);
    if (mpg_poll(t->env, i))
      return stopped(err);
  }
  return MPG_OK;
}

/* ---- lanes ---- */

static mpg_rc build_lanes(mpg_timeline *t, mpg_err *err) {
  t->nlanes = 0;
  for (size_t p = 0; p < t->gang.npools; p++) {
    int64_t from = INT64_MIN, until;
    do {
      uint32_t chip = mpg_pools_chip(t->pools, t->gang.pools[p], from, &until);
      if (mpg_grow(t->env, &t->lanes, &t->lanes_cap, t->nlanes + 1, sizeof *t->lanes) != MPG_OK)
        return mpg_fail_nomem(err);
      t->lanes[t->nlanes++] = (lane){p, chip, from, until};
      from = until;
    } while (until != INT64_MAX);
  }
  return MPG_OK;
}

/* The part of [*start, *end) that lies in the lane; false where nothing does. */
static bool lane_clip(const lane *l, int64_t *start, int64_t *end) {
  if (*start < l->from)
    *start = l->from;
  if (*end > l->until)
    *end = l->until;
  return *start < *end;
}

static int64_t held_amount(int64_t chips, int64_t start, int64_t end) {
  mpg_fraction room[2];
  mpg_rate rate = mpg_rate_of(chips, 0, room);
  return mpg_rate_amount(&rate, start, end);
}

/* ---- the roofline of productive spans ---- */

/* FLOPs and bytes of a whole span; NAN: unknown. */
static void span_cost(const mpg_timeline *t, const mpg_span *s, double *flops, double *bytes,
                      uint32_t *dtype) {
  const mpg_program none = {(double)NAN, (double)NAN, 0};
  const mpg_program *p = s->program ? &t->fleet->programs[s->program - 1] : &none;
  double times = isnan(s->executions) ? 1 : s->executions;
  *flops = isnan(s->flops) ? p->flops * times : s->flops;
  *bytes = isnan(s->bytes) ? p->bytes * times : s->bytes;
  *dtype = s->dtype ? s->dtype : p->dtype;
}

static const peak *peak_of(mpg_timeline *t, uint32_t chip, uint32_t dtype) {
  const mpg_intern *texts = &t->fleet->texts;
  if (chip != t->peak.chip || dtype != t->peak.dtype) { /* at first no chip's, which is none */
    const char *canonical =
        chip == 0 ? NULL : mpg_chips_find(t->fleet->chips, mpg_intern_text(texts, chip));
    t->peak = (peak){chip, dtype, canonical != NULL, NULL};
    if (canonical != NULL)
      t->peak.row = mpg_chips_peak(t->fleet->chips, canonical, mpg_intern_text(texts, dtype));
  }
  return &t->peak;
}

/* Ideal chip-microseconds of that much work on one kind of chip, or MPG_NONE. */
static int64_t ideal_on(mpg_timeline *t, uint32_t chip, uint32_t dtype, double flops,
                        double bytes) {
  const peak *p = peak_of(t, chip, dtype);
  const mpg_chip_row *row = p->row;
  double ideal;
  if (!p->known_chip) {
    notice(t, MPG_NOTICE_UNKNOWN_CHIP, chip != 0);
    return MPG_NONE;
  }
  if (row == NULL || !(row->peak_flops > 0)) {
    notice(t, MPG_NOTICE_UNKNOWN_DTYPE, 1);
    return MPG_NONE;
  }
  ideal = 1e6 * flops / row->peak_flops;
  if (t->rules->memory_roofline && row->hbm_bytes_per_s > 0 && bytes > 0)
    ideal = fmax(ideal, 1e6 * bytes / row->hbm_bytes_per_s);
  return ideal < 4e18 ? (int64_t)round(ideal) : MPG_NONE;
}

/* The item's ideal on each chip, from its weight in each lane. */
static void rate_item(mpg_timeline *t, const mpg_item *item, rating *lanes) {
  double flops, bytes, share = 1;
  int64_t all = 0, ideals = 0;
  uint32_t dtype;
  span_cost(t, &item->span, &flops, &bytes, &dtype);
  if (isnan(flops)) {
    uint32_t program = item->span.program;
    notice(t, MPG_NOTICE_UNKNOWN_PROGRAM, program != 0 && !t->fleet->program_recorded[program - 1]);
    return;
  }
  if (item->own == 0) {
    notice(t, MPG_NOTICE_HIDDEN_SPAN, flops > 0);
    return;
  }
  flops *= item->kept;
  bytes *= item->kept;
  if (item->inside != item->own) {
    flops = flops * (double)item->inside / (double)item->own;
    bytes = bytes * (double)item->inside / (double)item->own;
  }
  for (size_t l = 0; l < t->nlanes; l++)
    all += lanes[l].weight;
  for (size_t l = 0; l < t->nlanes; l++) {
    rating *r = &lanes[l];
    size_t k = 0;
    if (r->weight == 0)
      continue;
    while (k < l && (t->lanes[k].chip != t->lanes[l].chip || lanes[k].weight == 0))
      k++;
    if (k < l) { /* the chip was rated in lane k; the weights before are those of lanes k..l */
      for (size_t j = k; j < l; j++)
        if (t->lanes[j].chip == t->lanes[l].chip)
          r->before += lanes[j].weight;
      r->total = lanes[k].total;
      r->ideal = lanes[k].ideal;
      continue;
    }
    for (k = l; k < t->nlanes; k++)
      if (t->lanes[k].chip == t->lanes[l].chip)
        r->total += lanes[k].weight;
    if (r->total != all)
      share = (double)r->total / (double)all;
    r->ideal = ideal_on(t, t->lanes[l].chip, dtype, flops * share, bytes * share);
    ideals += r->ideal == MPG_NONE ? 0 : r->ideal;
    share = 1;
  }
  if (ideals > all) {
    bool one_chip = all > 0 && t->peak.row != NULL;
    for (size_t l = 1; l < t->nlanes; l++)
      one_chip &= t->lanes[l].chip == t->lanes[0].chip;
    mpg_notice_above(&t->notices, t->fleet, t->job,
                     &(mpg_above){all > 0 ? (double)ideals / (double)all : HUGE_VAL,
                                  one_chip ? t->peak.row : NULL, dtype != 0});
  }
}

/* Weights where there is one lane, which lasts for ever. */
static void weigh_in_lane(mpg_timeline *t) {
  const mpg_innermost *in = &t->in;
  size_t at = SIZE_MAX;        /* the stretch that the next two are of */
  int64_t held = 0, chips = 0; /* chips: where it is a whole number of them, else 0 */
  for (size_t i = 0; i < in->nparts; i++) {
    const mpg_part *p = &in->parts[i];
    if (p->item == MPG_NOBODY || t->verdicts[p->item].category != MPG_UNRATED)
      continue;
    if (p->stretch != at) {
      at = p->stretch;
      held = *mpg_stretch_counted(&t->gang, &t->gang.stretches[at]);
      chips = held % MPG_CHIP == 0 ? held / MPG_CHIP : 0;
    }
    t->ratings[p->item].weight +=
        chips != 0 ? chips * (p->end - p->start) : held_amount(held, p->start, p->end);
  }
}

static mpg_rc rate_items(mpg_timeline *t, mpg_err *err) {
  const mpg_innermost *in = &t->in;
  size_t n = in->nitems * t->nlanes;
  bool one = t->nlanes == 1 && !t->rules->long_road;
  if (mpg_grow(t->env, &t->ratings, &t->ratings_cap, n, sizeof *t->ratings) != MPG_OK)
    return mpg_fail_nomem(err);
  for (size_t i = 0; i < n; i++) {
    t->ratings[i] = (rating){0, 0, 0, 0, MPG_NONE};
    if (mpg_poll(t->env, i))
      return stopped(err);
  }
  if (one)
    weigh_in_lane(t);
  for (size_t i = 0; !one && i < in->nparts; i++) {
    const mpg_part *p = &in->parts[i];
    const int64_t *counted = mpg_stretch_counted(&t->gang, &t->gang.stretches[p->stretch]);
    if (poll(t))
      return stopped(err);
    if (p->item == MPG_NOBODY || t->verdicts[p->item].category != MPG_UNRATED)
      continue;
    for (size_t l = 0; l < t->nlanes; l++) {
      int64_t start = p->start, end = p->end;
      if (lane_clip(&t->lanes[l], &start, &end))
        t->ratings[p->item * t->nlanes + l].weight +=
            held_amount(counted[t->lanes[l].pool], start, end);
    }
  }
  for (size_t i = 0; i < in->nitems; i++) {
    if (t->verdicts[i].category == MPG_UNRATED)
      rate_item(t, &in->items[i], &t->ratings[i * t->nlanes]);
    if (poll(t))
      return stopped(err);
  }
  return MPG_OK;
}

/* The ideal of a part of `amount` chip-microseconds: parts of a span share its ideal so that they
** add up to it exactly. */
static int64_t part_ideal(rating *r, int64_t amount) {
  mpg_i128 from = r->before + r->given, to = from + amount;
  r->given += amount;
  if (r->ideal == MPG_NONE || (from == 0 && to == r->total && to != 0)) /* the only part */
    return r->ideal;
  return (int64_t)(r->ideal * to / r->total - r->ideal * from / r->total);
}

/* ---- rows ---- */

/* One row, or several where lanes and the window cut it: `held` less `less` chips of a pool. */
static mpg_rc emit(mpg_timeline *t, mpg_row *row, size_t l, int64_t start, int64_t end,
                   int64_t held, int64_t less, int64_t ideal) {
  const lane *in = &t->lanes[l];
  mpg_fraction room[2];
  mpg_rate rate = mpg_rate_of(held, less, room);
  row->pool = t->gang.pools[in->pool] + 1;
  row->chip = in->chip;
  row->start = start;
  row->end = end;
  return mpg_cut(t->window, row, &rate, ideal, t->sink);
}

/* The evidence where no span decides. */
static void show_allocation(const mpg_timeline *t, mpg_row *row, const mpg_stretch *s,
                            size_t pool) {
  const mpg_allocation *a = &t->fleet->allocations[mpg_stretch_allocation(&t->gang, s, pool)];
  row->file = a->file;
  row->line = a->line;
}

/* Held but not at work: a gang that is not complete, or what it holds beyond its need. */
static mpg_rc emit_partial(mpg_timeline *t, mpg_row *row, const mpg_stretch *s) {
  const int64_t *held = mpg_stretch_held(&t->gang, s), *counted = mpg_stretch_counted(&t->gang, s);
  mpg_rc rc = MPG_OK;
  row->category = MPG_PARTIAL;
  row->cause = s->complete ? t->fleet->cause[MPG_CAUSE_SURPLUS] : 0;
  row->step = MPG_NONE;
  row->kind = row->program = 0;
  for (size_t l = 0; rc == MPG_OK && l < t->nlanes; l++) {
    size_t p = t->lanes[l].pool;
    int64_t start = s->start, end = s->end, less = s->complete ? counted[p] : 0;
    if (held[p] > less && lane_clip(&t->lanes[l], &start, &end)) {
      show_allocation(t, row, s, p);
      rc = emit(t, row, l, start, end, held[p], less, MPG_NONE);
    }
  }
  return rc;
}

/* The rows of a part that the run takes, which is on the only lane there is. */
static mpg_rc emit_short(mpg_timeline *t, mpg_row *row, const mpg_part *part,
                         mpg_category category) {
  int64_t amount = t->run.chips * (part->end - part->start), ideal = MPG_NONE;
  mpg_rc rc;
  row->start = part->start;
  row->end = part->end;
  if (part->item == MPG_NOBODY)
    show_allocation(t, row, &t->gang.stretches[part->stretch], 0);
  if (category == MPG_UNRATED)
    ideal = part_ideal(&t->ratings[part->item], amount);
  if (ideal == MPG_NONE)
    return mpg_run_tell(&t->run, row, category, amount);
  rc = mpg_run_tell(&t->run, row, MPG_IDEAL, ideal);
  return rc == MPG_OK ? mpg_run_tell(&t->run, row, MPG_INEFFICIENCY, amount - ideal) : rc;
}

static mpg_rc emit_part(mpg_timeline *t, mpg_row *row, const mpg_part *part, size_t attempt) {
  const mpg_stretch *s = &t->gang.stretches[part->stretch];
  const int64_t *counted = mpg_stretch_counted(&t->gang, s);
  bool nobody = part->item == MPG_NOBODY;
  verdict v = nobody ? gap_verdict(t, part, attempt) : t->verdicts[part->item];
  const mpg_span *span = nobody ? NULL : &t->in.items[part->item].span;
  mpg_rc rc = MPG_OK;
  row->category = v.category;
  row->cause = v.cause;
  row->step = nobody ? MPG_NONE : span->step;
  row->kind = nobody ? 0 : span->kind;
  row->program = nobody ? 0 : span->program;
  row->file = nobody ? 0 : span->file;
  row->line = nobody ? 0 : span->line;
  if (mpg_run_takes(&t->run, row, part->start, part->end, &rc))
    return emit_short(t, row, part, v.category);
  for (size_t l = 0; rc == MPG_OK && l < t->nlanes; l++) {
    int64_t start = part->start, end = part->end, chips = counted[t->lanes[l].pool];
    int64_t ideal = MPG_NONE;
    if (chips == 0 || !lane_clip(&t->lanes[l], &start, &end))
      continue;
    if (nobody)
      show_allocation(t, row, s, t->lanes[l].pool);
    if (v.category == MPG_UNRATED)
      ideal = part_ideal(&t->ratings[part->item * t->nlanes + l], held_amount(chips, start, end));
    rc = emit(t, row, l, start, end, chips, 0, ideal);
  }
  return rc;
}

static mpg_rc emit_attempts(mpg_timeline *t, mpg_row *row, mpg_err *err) {
  const mpg_gang *g = &t->gang;
  size_t part = 0;
  mpg_rc rc = MPG_OK;
  for (size_t a = 0; a < g->nattempts; a++) {
    const mpg_attempt *attempt = &g->attempts[a];
    row->attempt = attempt->number;
    for (size_t k = attempt->stretch; k < attempt->stretch + attempt->nstretches; k++) {
      const mpg_stretch *s = &g->stretches[k];
      const int64_t *held = mpg_stretch_held(g, s);
      bool one = t->nlanes == 1 && !t->rules->long_road;
      mpg_run_begin(&t->run, t->window, t->sink, one ? *mpg_stretch_counted(g, s) : 0, s->start);
      for (; rc == MPG_OK && part < t->in.nparts && t->in.parts[part].stretch == k; part++)
        rc = poll(t) ? stopped(err) : emit_part(t, row, &t->in.parts[part], a);
      if (rc == MPG_OK && poll(t))
        rc = stopped(err);
      if (rc == MPG_OK)
        rc = mpg_run_end(&t->run, row);
      if (rc == MPG_OK)
        rc = emit_partial(t, row, s);
      for (size_t p = 0; rc == MPG_OK && p < g->npools; p++)
        if (held[p] > 0 && !t->held)
          rc = mpg_pools_hold(t->pools, g->pools[p], s->start, s->end, held[p], err);
      if (rc != MPG_OK)
        return rc;
    }
  }
  return MPG_OK;
}

static mpg_rc emit_queued(mpg_timeline *t, mpg_row *row) {
  row->category = MPG_QUEUED;
  row->attempt = row->step = MPG_NONE;
  row->cause = row->kind = row->program = row->file = 0;
  row->line = 0;
  for (size_t i = 0; i < t->gang.nshortfalls; i++) {
    const mpg_shortfall *s = &t->gang.shortfalls[i];
    mpg_fraction room[2];
    mpg_rate rate = mpg_rate_of(s->chips, 0, room);
    int64_t until;
    row->pool = s->pool;
    for (row->start = s->start; row->start < s->end; row->start = row->end) {
      mpg_rc rc;
      until = INT64_MAX;
      row->chip = s->pool ? mpg_pools_chip(t->pools, s->pool - 1, row->start, &until) : 0;
      row->end = until < s->end ? until : s->end;
      rc = mpg_cut(t->window, row, &rate, MPG_NONE, t->sink);
      if (rc != MPG_OK)
        return rc;
    }
  }
  return MPG_OK;
}

static uint8_t size_of(const mpg_timeline *t, const mpg_job *job) {
  return mpg_size_class(&t->rules->sizes, job->chips != MPG_NONE ? job->chips : t->gang.most_held);
}

mpg_rc mpg_timeline_hold(mpg_timeline *t, uint32_t job_index, uint8_t *size, const mpg_gang **gang,
                         mpg_err *err) {
  const mpg_job *job = &t->fleet->jobs[job_index];
  const mpg_gang *g = *gang = &t->gang;
  mpg_rc rc = mpg_gang_build(&t->gang, t->fleet, job, t->rules->as_of, err);
  t->held = true;
  if (rc != MPG_OK)
    return rc;
  *size = size_of(t, job);
  for (size_t k = 0; k < g->nstretches; k++) {
    const mpg_stretch *s = &g->stretches[k];
    const int64_t *held = mpg_stretch_held(g, s);
    for (size_t p = 0; rc == MPG_OK && p < g->npools; p++)
      if (held[p] > 0)
        rc = mpg_pools_hold(t->pools, g->pools[p], s->start, s->end, held[p], err);
  }
  return rc;
}

void mpg_timeline_holds_nothing(mpg_timeline *t) {
  t->held = true;
}

mpg_rc mpg_timeline_job(mpg_timeline *t, uint32_t job_index, const mpg_window *window,
                        const mpg_sink *sink, mpg_err *err) {
  const mpg_job *job = &t->fleet->jobs[job_index];
  mpg_row row = {.job = job_index + 1, .attempt = MPG_NONE, .step = MPG_NONE};
  mpg_rc rc;
  t->job = job_index;
  t->window = window;
  t->sink = sink;
  err->rc = MPG_OK;
  if ((rc = mpg_gang_build(&t->gang, t->fleet, job, t->rules->as_of, err)) != MPG_OK ||
      (rc = mpg_innermost_build(&t->in, t->fleet, job_index, &t->gang, t->rules->as_of, &t->notices,
                                err)) != MPG_OK)
    return rc;
  notice(t, MPG_NOTICE_UNKNOWN_JOB, t->gang.nattempts > 0 && !job->recorded);
  notice(t, MPG_NOTICE_OVERLAPPING_ATTEMPTS, t->gang.overlapping);
  notice(t, MPG_NOTICE_DUPLICATE_ALLOCATION, t->gang.repeated);
  row.size = size_of(t, job);
  t->traced = t->in.traced || mpg_commits_exist(commits_of(t, job), job->ncommits, t->rules->as_of);
  if ((rc = build_lanes(t, err)) != MPG_OK || (rc = decide_items(t, job, err)) != MPG_OK ||
      (rc = rate_items(t, err)) != MPG_OK)
    return rc;
  if (t->nlanes > 0) { /* where there is one, it is the lane of every row of the run's */
    row.pool = t->gang.pools[t->lanes[0].pool] + 1;
    row.chip = t->lanes[0].chip;
  }
  rc = emit_attempts(t, &row, err);
  if (rc == MPG_OK)
    rc = emit_queued(t, &row);
  if (rc != MPG_OK && err->rc == MPG_OK) /* the sink said no, and told nobody why */
    return mpg_fail(err, rc, rc == MPG_NOMEM ? "out of memory" : "interrupted");
  return rc;
}
