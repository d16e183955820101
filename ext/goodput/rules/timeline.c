/* timeline.c - see timeline.h. */
#include "timeline.h"

#include "rerun_batches.h"
#include "innermost.h"
#include "lineage.h"
#include "rating.h"
#include "rollouts.h"
#include "stretch_sums.h"

struct mpg_timeline {
  const mpg_env *env;
  const mpg_fleet *fleet;
  const mpg_rules *rules;
  mpg_pools *pools;
  mpg_gang gang;
  mpg_innermost in;
  mpg_rerun_batches batches;
  mpg_rollouts rollouts;
  mpg_lineage lineage;
  mpg_notices notices;
  mpg_ratings ratings;
  mpg_verdict *verdicts; /* of each item */
  mpg_lane *lanes;       /* those of a pool side by side, in the order of time */
  size_t *lanes_end;     /* behind the last lane of each pool */
  mpg_commit *commits;   /* of the current job, if they matter */
  size_t nlanes, ncommits, verdicts_cap, lanes_cap, lanes_end_cap, commits_cap;
  size_t done; /* since the host was polled */
  /* The current job, and the sink of its rows. */
  uint32_t job;
  uint8_t size;
  bool traced;
  bool one;  /* there is one lane, for the whole job: the fast road */
  bool held; /* the pools know what every job holds */
  const mpg_window *window;
  const mpg_sink *sink;
  mpg_stretch_sums run; /* of the current stretch */
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
  mpg_rerun_batches_init(&t->batches, env);
  mpg_rollouts_init(&t->rollouts, env);
  mpg_lineage_init(&t->lineage, env);
  t->ratings = (mpg_ratings){.env = env,
                             .fleet = fleet,
                             .gang = &t->gang,
                             .in = &t->in,
                             .notices = &t->notices,
                             .memory = rules->memory_roofline};
  return mpg_gang_init(&t->gang, env, err);
}

void mpg_timeline_free(mpg_timeline *t) {
  if (t == NULL)
    return;
  mpg_gang_free(&t->gang);
  mpg_innermost_free(&t->in);
  mpg_rerun_batches_free(&t->batches);
  mpg_rollouts_free(&t->rollouts);
  mpg_lineage_free(&t->lineage);
  mpg_ratings_free(&t->ratings);
  mpg_free(t->env, t->verdicts);
  mpg_free(t->env, t->lanes);
  mpg_free(t->env, t->lanes_end);
  mpg_free(t->env, t->commits);
  mpg_free(t->env, t);
}

mpg_notices *mpg_timeline_notices(mpg_timeline *t) {
  return &t->notices;
}

static void add_notice(mpg_timeline *t, mpg_notice kind, int64_t count) {
  mpg_notice_add(&t->notices, t->fleet, kind, t->job, count);
}

/* ---- what each span's time is ---- */

static mpg_ending ending_of(const mpg_gang *gang) {
  const mpg_attempt *last = &gang->attempts[gang->nattempts - 1];
  if (last->running)
    return MPG_STILL_RUNNING;
  return last->outcome == MPG_COMPLETED ? MPG_ENDED_WELL : MPG_ENDED_BADLY;
}

/* Commits decide the fate of nothing where every attempt completed, unless one restored a step that
** may be another branch's. */
static bool commits_matter(const mpg_timeline *t) {
  const mpg_gang *g = &t->gang;
  if (g->nattempts == 0 || !t->in.traced)
    return true;
  for (size_t a = 0; a < g->nattempts; a++)
    if (g->attempts[a].outcome != MPG_COMPLETED)
      return true;
  for (size_t b = 0; b < t->in.nbranches; b++)
    if (t->in.branches[b].loaded != MPG_NONE)
      return true;
  return false;
}

static mpg_rc unpack_commits(mpg_timeline *t, mpg_err *err) {
  size_t n = t->fleet->jobs[t->job].commits.n;
  t->ncommits = 0;
  if (n == 0 || !commits_matter(t))
    return MPG_OK;
  if (mpg_grow(t->env, &t->commits, &t->commits_cap, n, sizeof *t->commits) != MPG_OK)
    return mpg_fail_nomem(err);
  t->ncommits = n;
  return mpg_fleet_commits(t->fleet, t->job, t->commits, t->env, err);
}

static mpg_rc fail_interrupted(mpg_err *err) {
  return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
}

/* After work on a lane of every pool. */
static bool poll_pools(mpg_timeline *t) {
  return mpg_poll_work(t->env, &t->done, 4 + 4 * t->gang.npools);
}

static mpg_verdict step_verdict(const mpg_timeline *t, mpg_fate fate) {
  switch (fate) {
  case MPG_FATE_PRODUCTIVE:
    return (mpg_verdict){.category = MPG_UNRATED};
  case MPG_FATE_PENDING:
    return (mpg_verdict){.category = MPG_PENDING};
  case MPG_FATE_NO_DATA:
    return (mpg_verdict){.category = MPG_UNKNOWN, .cause = t->fleet->cause[MPG_CAUSE_NO_DATA]};
  default:
    return (mpg_verdict){.category = MPG_LOST};
  }
}

static mpg_verdict span_verdict(const mpg_timeline *t, uint32_t kind) {
  static const uint8_t category[MPG_KIND_CUSTOM] = {
      [MPG_KIND_INIT] = MPG_STARTUP,    [MPG_KIND_PREP] = MPG_STARTUP,
      [MPG_KIND_COMPILE] = MPG_COMPILE, [MPG_KIND_RESTORE] = MPG_RESTORE,
      [MPG_KIND_INPUT] = MPG_INPUT,     [MPG_KIND_CHECKPOINT] = MPG_CHECKPOINT,
      [MPG_KIND_EVAL] = MPG_EVAL,       [MPG_KIND_SERVE] = MPG_UNRATED};
  if (kind >= MPG_KIND_CUSTOM || kind == MPG_KIND_HANG) /* a name of the trace's own, or a hang */
    return (mpg_verdict){.category = MPG_STALL, .cause = t->fleet->kind_causes[kind]};
  return (mpg_verdict){.category = category[kind]};
}

/* All-allocated time that no span explains. */
static mpg_verdict gap_verdict(const mpg_timeline *t, const mpg_part *part, size_t attempt) {
  const mpg_activity *activity = &t->in.activity[attempt];
  const mpg_job *job = &t->fleet->jobs[t->job];
  if (!t->traced)
    return (mpg_verdict){.category = MPG_UNTRACED};
  if (activity->serves && job->dim[JOBS_PHASE - JOBS_NAME] == t->fleet->phase_serving)
    return (mpg_verdict){.category = MPG_STALL, .cause = t->fleet->cause[MPG_CAUSE_NO_TRAFFIC]};
  if (activity->any && part->start >= activity->last &&
      t->gang.attempts[attempt].outcome == MPG_NODE_FAIL)
    return (mpg_verdict){.category = MPG_STALL, .cause = t->fleet->cause[MPG_CAUSE_NODE_FAIL]};
  return (mpg_verdict){.category = MPG_UNKNOWN};
}

/* What of the steps and batches of a job is listed. */
typedef struct doubts {
  int64_t unnumbered, unproven, concurrent, repeated, negative, against_clock;
  int64_t bare;   /* steps without a number, */
  bool numbered;  /* and whether others have one */
  int64_t served; /* serve spans before a step that is lost, */
  size_t lost;    /* the item of which is the next step of any fate; else MPG_NOBODY */
  size_t restart; /* the item after the one at hand that tells of one; of any attempt */
} doubts;

/* Whether a load or start comes before the item: a restore that begins with it does. */
static bool restarts_before(const mpg_timeline *t, size_t restart, size_t later) {
  const mpg_span *r = restart == SIZE_MAX ? NULL : &t->in.items[restart].span;
  return r != NULL && (restart < later ||
                       (r->kind == MPG_KIND_RESTORE && r->start == t->in.items[later].span.start));
}

/* A batch that runs again in an attempt that did not restart: two may have one number. */
static void doubt_batch(const mpg_timeline *t, doubts *d, size_t i, size_t again) {
  const mpg_item *item = &t->in.items[i], *later = &t->in.items[again];
  bool at_once = item->span.end > later->span.start;
  if (item->attempt != later->attempt)
    return;
  d->concurrent += at_once;
  d->repeated += !at_once && !restarts_before(t, d->restart, again);
}

static mpg_fate decide_item(mpg_timeline *t, doubts *d, size_t i) {
  const mpg_span *s = &t->in.items[i].span;
  size_t attempt = t->in.items[i].attempt;
  mpg_step step = {s->start, s->end, s->step,
                   attempt,  i,      t->gang.attempts[attempt].outcome == MPG_COMPLETED};
  size_t again = MPG_NOBODY;
  mpg_fate fate;
  if (s->kind == MPG_KIND_BATCH && s->step != MPG_NONE)
    again = mpg_rerun_batches_again(&t->batches, i);
  if (again != MPG_NOBODY)
    doubt_batch(t, d, i, again);
  if (s->kind == MPG_KIND_STEP)
    fate = mpg_lineage_decide(&t->lineage, &step);
  else if (s->kind == MPG_KIND_BATCH)
    fate = mpg_lineage_decide_batch(&t->lineage, &step, again != MPG_NOBODY);
  else
    fate = mpg_lineage_decide_rollout(&t->lineage, &step);
  d->against_clock += s->kind == MPG_KIND_STEP && t->lineage.against_clock;
  d->bare += s->kind == MPG_KIND_STEP && s->step == MPG_NONE;
  d->numbered |= s->kind == MPG_KIND_STEP && s->step != MPG_NONE;
  d->unnumbered += t->lineage.assumed && s->step == MPG_NONE;
  d->unproven += t->lineage.assumed && s->step != MPG_NONE && s->kind != MPG_KIND_BATCH;
  return fate;
}

/* Serving that survives though the next step of its attempt is lost: perhaps its rollout. */
static void doubt_serve(const mpg_timeline *t, doubts *d, size_t i) {
  const mpg_item *items = t->in.items;
  if (items[i].span.kind == MPG_KIND_STEP)
    d->lost = t->verdicts[i].category == MPG_LOST ? i : MPG_NOBODY;
  else if (items[i].span.kind == MPG_KIND_SERVE)
    d->served += d->lost != MPG_NOBODY && items[d->lost].attempt == items[i].attempt;
}

static bool survives_or_not(uint32_t kind) {
  return kind == MPG_KIND_STEP || kind == MPG_KIND_BATCH || kind == MPG_KIND_ROLLOUT;
}

/* The item of the step whose fate a rollout shares; MPG_NOBODY for all other items. */
static size_t step_of_rollout(const mpg_timeline *t, size_t i) {
  return t->in.items[i].span.kind == MPG_KIND_ROLLOUT ? mpg_rollouts_step(&t->rollouts, i)
                                                      : MPG_NOBODY;
}

static mpg_rc share_fates(mpg_timeline *t) {
  for (size_t i = 0; i < t->in.nitems; i++) {
    size_t step = step_of_rollout(t, i);
    if (step != MPG_NOBODY)
      t->verdicts[i] = t->verdicts[step];
    if (mpg_poll(t->env, i))
      return MPG_INTERRUPTED;
  }
  return MPG_OK;
}

/* What fates depend on, before any is decided. */
static mpg_rc begin_fates(mpg_timeline *t) {
  const mpg_innermost *in = &t->in;
  mpg_lineage_input input = {.commits = t->commits,
                             .ncommits = t->ncommits,
                             .branches = in->branches,
                             .nbranches = in->nbranches,
                             .ending = ending_of(&t->gang),
                             .as_of = t->gang.end};
  mpg_rc rc = mpg_rerun_batches_find(&t->batches, in);
  if (rc == MPG_OK && in->rollouts)
    rc = mpg_rollouts_find(&t->rollouts, in);
  if (rc == MPG_OK)
    rc = mpg_grow(t->env, &t->verdicts, &t->verdicts_cap, in->nitems, sizeof *t->verdicts);
  return rc == MPG_OK ? mpg_lineage_begin(&t->lineage, &input) : rc;
}

/* Commits of a number below 0 come first, after those without one. */
static void notice_negative_commits(mpg_timeline *t) {
  size_t none = 0, below;
  while (none < t->ncommits && t->commits[none].step == MPG_NONE)
    none++;
  for (below = none; below < t->ncommits && t->commits[below].step < 0;)
    below++;
  if (below > none)
    add_notice(t, MPG_NOTICE_NEGATIVE_STEPS,
               (int64_t)mpg_commits_known(t->commits + none, below - none, t->gang.end));
}

/* From the last to the first, the order that the lineage needs. */
static mpg_rc decide_items(mpg_timeline *t, mpg_err *err) {
  const mpg_innermost *in = &t->in;
  doubts d = {.restart = SIZE_MAX, .lost = MPG_NOBODY};
  mpg_rc rc;
  notice_negative_commits(t);
  add_notice(t, MPG_NOTICE_EARLY_COMMITS,
             (int64_t)mpg_commits_early(t->commits, t->ncommits, t->gang.end));
  if (in->nitems == 0)
    return MPG_OK;
  rc = begin_fates(t);
  if (rc == MPG_INTERRUPTED)
    return fail_interrupted(err);
  if (rc != MPG_OK)
    return mpg_fail_nomem(err);
  for (size_t i = in->nitems; i-- > 0;) {
    uint32_t kind = in->items[i].span.kind;
    d.negative += in->items[i].span.step < 0 && in->items[i].span.step != MPG_NONE;
    if (!survives_or_not(kind))
      t->verdicts[i] = span_verdict(t, kind);
    else if (step_of_rollout(t, i) == MPG_NOBODY)
      t->verdicts[i] = step_verdict(t, decide_item(t, &d, i));
    doubt_serve(t, &d, i);
    if (mpg_kind_restarts(kind))
      d.restart = i;
    if (mpg_poll(t->env, i))
      return fail_interrupted(err);
  }
  if (in->rollouts && share_fates(t) != MPG_OK)
    return fail_interrupted(err);
  add_notice(t, MPG_NOTICE_NEGATIVE_STEPS, d.negative);
  add_notice(t, MPG_NOTICE_STEPS_AGAINST_CLOCK, d.against_clock);
  add_notice(t, MPG_NOTICE_UNNUMBERED_STEPS,
             d.numbered && d.bare > d.unnumbered ? d.bare : d.unnumbered);
  add_notice(t, MPG_NOTICE_UNPROVEN_STEPS, d.unproven);
  add_notice(t, MPG_NOTICE_CONCURRENT_STEPS, d.concurrent);
  add_notice(t, MPG_NOTICE_REPEATED_STEPS, d.repeated);
  add_notice(t, MPG_NOTICE_SURVIVING_SERVE, d.served);
  return MPG_OK;
}

/* ---- lanes ---- */

static mpg_rc build_lanes(mpg_timeline *t, mpg_err *err) {
  t->nlanes = 0;
  if (mpg_grow(t->env, &t->lanes_end, &t->lanes_end_cap, t->gang.npools, sizeof *t->lanes_end) !=
      MPG_OK)
    return mpg_fail_nomem(err);
  for (size_t p = 0; p < t->gang.npools; p++) {
    int64_t from = INT64_MIN, until;
    do {
      uint32_t chip = mpg_pools_chip(t->pools, t->gang.pools[p], from, &until);
      if (mpg_grow(t->env, &t->lanes, &t->lanes_cap, t->nlanes + 1, sizeof *t->lanes) != MPG_OK)
        return mpg_fail_nomem(err);
      t->lanes[t->nlanes++] = (mpg_lane){p, chip, from, until};
      from = until;
    } while (until != INT64_MAX);
    t->lanes_end[p] = t->nlanes;
  }
  return MPG_OK;
}

/* The lane of a pool that holds `time`: the chips of a pool may change often. */
static size_t find_lane(const mpg_timeline *t, size_t p, int64_t time) {
  size_t low = p == 0 ? 0 : t->lanes_end[p - 1], high = t->lanes_end[p] - 1;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (t->lanes[middle].until <= time)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Whether lane l is of pool p, and begins before `end`. */
static bool lane_follows(const mpg_timeline *t, size_t l, size_t p, int64_t end) {
  return l < t->lanes_end[p] && t->lanes[l].from < end;
}

/* ---- rows ---- */

/* One row, or several if lanes and the window cut it: `held` less `less` chips of a pool. */
static mpg_rc emit_rows(mpg_timeline *t, mpg_row *row, size_t l, int64_t start, int64_t end,
                        int64_t held, int64_t less, int64_t ideal) {
  const mpg_lane *in = &t->lanes[l];
  mpg_fraction room[2];
  mpg_rate rate = mpg_rate_of(held, less, room);
  row->pool = t->gang.pools[in->pool] + 1;
  row->chip = in->chip;
  row->start = start;
  row->end = end;
  return mpg_row_emit(t->env, t->window, row, &rate, ideal, t->sink);
}

/* The evidence if no span decides. */
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
  for (size_t p = 0; rc == MPG_OK && p < t->gang.npools; p++) {
    int64_t less = s->complete ? counted[p] : 0;
    size_t l = held[p] > less ? find_lane(t, p, s->start) : t->nlanes;
    for (; rc == MPG_OK && lane_follows(t, l, p, s->end); l++) {
      int64_t start = s->start, end = s->end;
      if (!mpg_lane_clip(&t->lanes[l], &start, &end))
        continue;
      show_allocation(t, row, s, p);
      rc = emit_rows(t, row, l, start, end, held[p], less, MPG_NONE);
    }
  }
  return rc;
}

/* The evidence of a part; if no span decides, show_allocation gives that of a pool. */
static void show_part(const mpg_timeline *t, mpg_row *row, const mpg_part *part, mpg_verdict v) {
  const mpg_span *span = part->item == MPG_NOBODY ? NULL : &t->in.items[part->item].span;
  row->category = (mpg_category)v.category;
  row->cause = v.cause;
  row->step = span == NULL ? MPG_NONE : span->step;
  row->kind = span == NULL ? 0 : span->kind;
  row->program = span == NULL ? 0 : span->program;
  row->file = span == NULL ? 0 : span->file;
  row->line = span == NULL ? 0 : span->line;
}

/* One row of a part that the run takes, which is in the only lane there is. */
static inline mpg_rc emit_fast(mpg_timeline *t, mpg_row *row, const mpg_part *part, mpg_verdict v,
                               mpg_category category, int64_t amount) {
  if (mpg_stretch_sums_sums(&t->run, category, v.cause, amount))
    return MPG_OK;
  show_part(t, row, part, v);
  if (part->item == MPG_NOBODY)
    show_allocation(t, row, &t->gang.stretches[part->stretch], 0);
  row->start = part->start;
  row->end = part->end;
  return mpg_stretch_sums_emit(&t->run, row, category, amount);
}

static inline mpg_rc emit_short(mpg_timeline *t, mpg_row *row, const mpg_part *part,
                                mpg_verdict v) {
  int64_t amount = t->run.chips * (part->end - part->start);
  int64_t ideal = MPG_NONE;
  mpg_rc rc;
  if (v.category == MPG_UNRATED)
    ideal = mpg_ratings_ideal(&t->ratings, part, 0, amount);
  if (ideal == MPG_NONE)
    return emit_fast(t, row, part, v, (mpg_category)v.category, amount);
  rc = emit_fast(t, row, part, v, MPG_IDEAL, ideal);
  return rc == MPG_OK ? emit_fast(t, row, part, v, MPG_INEFFICIENCY, amount - ideal) : rc;
}

/* The rows of a part in the lanes of one pool. */
static mpg_rc emit_part_of_pool(mpg_timeline *t, mpg_row *row, const mpg_part *part, mpg_verdict v,
                                size_t p) {
  const mpg_stretch *s = &t->gang.stretches[part->stretch];
  int64_t chips = mpg_stretch_counted(&t->gang, s)[p];
  mpg_rc rc = MPG_OK;
  for (size_t l = find_lane(t, p, part->start); rc == MPG_OK && lane_follows(t, l, p, part->end);
       l++) {
    int64_t start = part->start, end = part->end, ideal = MPG_NONE;
    if (!mpg_lane_clip(&t->lanes[l], &start, &end))
      continue;
    if (v.category == MPG_UNRATED) /* also of no chips, which is the only time it may be rated */
      ideal = mpg_ratings_ideal(&t->ratings, part, l, mpg_held_amount(chips, start, end));
    if (chips == 0)
      continue;
    if (part->item == MPG_NOBODY)
      show_allocation(t, row, s, p);
    rc = emit_rows(t, row, l, start, end, chips, 0, ideal);
  }
  return rc;
}

static mpg_rc emit_part(mpg_timeline *t, mpg_row *row, const mpg_part *part, size_t attempt) {
  mpg_verdict v =
      part->item == MPG_NOBODY ? gap_verdict(t, part, attempt) : t->verdicts[part->item];
  mpg_rc rc = MPG_OK;
  if (v.shared) /* else the place of a rating */
    v.cause = 0;
  if (mpg_stretch_sums_may_add(&t->run, row, part->start, part->end, &rc))
    return emit_short(t, row, part, v);
  show_part(t, row, part, v);
  for (size_t p = 0; rc == MPG_OK && p < t->gang.npools; p++)
    rc = emit_part_of_pool(t, row, part, v, p);
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
      mpg_stretch_sums_begin(&t->run, t->window, t->sink, t->one ? *mpg_stretch_counted(g, s) : 0,
                             s->start);
      for (; rc == MPG_OK && part < t->in.nparts && t->in.parts[part].stretch == k; part++)
        rc = poll_pools(t) ? fail_interrupted(err) : emit_part(t, row, &t->in.parts[part], a);
      if (rc == MPG_OK && poll_pools(t))
        rc = fail_interrupted(err);
      if (rc == MPG_OK)
        rc = mpg_stretch_sums_end(&t->run, row);
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
    row->pool = s->pool;
    for (row->start = s->start; row->start < s->end; row->start = row->end) {
      int64_t until = INT64_MAX;
      mpg_rc rc;
      row->chip = s->pool ? mpg_pools_chip(t->pools, s->pool - 1, row->start, &until) : 0;
      row->end = until < s->end ? until : s->end;
      rc = mpg_row_emit(t->env, t->window, row, &rate, MPG_NONE, t->sink);
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
  mpg_rc rc = mpg_gang_build(&t->gang, t->fleet, job, t->pools->ends, err);
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
  size_t ncommits;
  mpg_rc rc;
  t->job = job_index;
  t->window = window;
  t->sink = sink;
  err->rc = MPG_OK;
  if ((rc = mpg_gang_build(&t->gang, t->fleet, job, t->pools->ends, err)) != MPG_OK ||
      (rc = mpg_innermost_build(&t->in, t->fleet, job_index, &t->gang, t->gang.end, &t->notices,
                                err)) != MPG_OK ||
      (rc = unpack_commits(t, err)) != MPG_OK)
    return rc;
  add_notice(t, MPG_NOTICE_UNKNOWN_JOB, t->gang.nattempts > 0 && !job->recorded);
  mpg_notice_labels(&t->notices, t->fleet, job_index);
  add_notice(t, MPG_NOTICE_OVERLAPPING_ATTEMPTS, t->gang.overlapping);
  add_notice(t, MPG_NOTICE_DUPLICATE_ALLOCATION, t->gang.repeated);
  row.size = size_of(t, job);
  ncommits = mpg_commits_known(t->commits, t->ncommits, t->gang.end);
  add_notice(t, MPG_NOTICE_COMMIT_WITHOUT, t->gang.nattempts == 0 ? (int64_t)ncommits : 0);
  t->traced = t->in.traced || ncommits > 0;
  if ((rc = build_lanes(t, err)) != MPG_OK || (rc = decide_items(t, err)) != MPG_OK)
    return rc;
  t->one = t->nlanes == 1 && !t->rules->long_road;
  t->ratings.job = job_index;
  t->ratings.one = t->one;
  t->ratings.lanes = t->lanes;
  t->ratings.nlanes = t->nlanes;
  t->ratings.verdicts = t->verdicts;
  if ((rc = mpg_ratings_build(&t->ratings, err)) != MPG_OK)
    return rc;
  if (t->nlanes > 0) { /* if there is one, it is the lane of every row of the stretch */
    row.pool = t->gang.pools[t->lanes[0].pool] + 1;
    row.chip = t->lanes[0].chip;
  }
  rc = emit_attempts(t, &row, err);
  if (rc == MPG_OK)
    rc = emit_queued(t, &row);
  if (rc != MPG_OK && err->rc == MPG_OK) /* the sink failed without an error */
    return mpg_fail(err, rc, rc == MPG_NOMEM ? "out of memory" : "interrupted");
  return rc;
}
