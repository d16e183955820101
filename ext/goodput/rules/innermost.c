/* innermost.c - see innermost.h. */
#include "innermost.h"
#include "../../base/ascii.h"
#include "../../base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The next span of a kind, while ends are settled from the last span back. */
struct mpg_upcoming {
  size_t attempt;       /* that start and after are of; MPG_NOBODY: none yet */
  int64_t start, after; /* the nearest start so far, and the nearest later than that */
};

void mpg_innermost_init(mpg_innermost *in, const mpg_env *env) {
  memset(in, 0, sizeof *in);
  in->env = env;
}

void mpg_innermost_free(mpg_innermost *in) {
  if (in->env == NULL)
    return;
  mpg_free(in->env, in->items);
  mpg_free(in->env, in->outside);
  mpg_free(in->env, in->marks);
  mpg_free(in->env, in->parts);
  mpg_free(in->env, in->activity);
  mpg_free(in->env, in->branches);
  mpg_free(in->env, in->upcoming);
  mpg_free(in->env, in->stack);
  memset(in, 0, sizeof *in);
}

/* ---- spans find their attempts ---- */

static size_t attempt_covering(const mpg_gang *gang, int64_t at) {
  size_t lo = 0, hi = gang->ncovers;
  while (lo < hi) { /* the first cover that ends after `at` */
    size_t mid = lo + (hi - lo) / 2;
    if (gang->covers[mid].end <= at)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < gang->ncovers && gang->covers[lo].start <= at ? gang->covers[lo].attempt : MPG_NOBODY;
}

/* Fast check. True: this attempt, and no other, covers the moment. False: unknown. */
static inline bool covers_alone(const mpg_gang *gang, int64_t at, size_t attempt) {
  return gang->ncovers == 1 && gang->covers[0].attempt == attempt && gang->covers[0].start <= at &&
         at < gang->covers[0].end;
}

/* What is true of the items gathered. */
typedef struct gathered {
  bool open;  /* some have no end yet */
  bool mixed; /* some may not be in order, or be the same as others */
} gathered;

/* Readies the item of a span, which `as_of` may end. Whether the span is open. */
static bool begin_item(mpg_item *item, size_t attempt, int64_t as_of) {
  const int64_t start = item->span.start, end = item->span.end;
  item->attempt = attempt;
  item->inside = 0;
  item->left_share = 1;
  if (end != MPG_OPEN && end > as_of) {
    item->left_share = (double)(as_of - start) / (double)(end - start);
    item->span.end = as_of;
  }
  return end == MPG_OPEN;
}

/* The spans that began before as_of and belong to an attempt. */
static mpg_rc gather_items(mpg_innermost *in, const mpg_fleet *fleet, uint32_t job,
                           const mpg_gang *gang, int64_t as_of, gathered *are, mpg_notices *notices,
                           mpg_err *err) {
  const size_t n = fleet->jobs[job].spans.n;
  int64_t number = MPG_NONE, homeless = 0, early = 0, before = INT64_MIN, last = INT64_MIN;
  size_t attempt = MPG_NOBODY, home = 0; /* home, last: of the item before */
  mpg_item *item;
  mpg_rc rc;
  in->nitems = 0;
  in->traced = in->batches = in->rollouts = false;
  *are = (gathered){false, false};
  if (mpg_grow(in->env, &in->items, &in->items_cap, n, sizeof *in->items) != MPG_OK)
    return MPG_NOMEM;
  if (n == 0)
    return MPG_OK;
  item = in->items;
  rc = mpg_fleet_spans(fleet, job, &item->span, sizeof *item, in->env, err);
  if (rc != MPG_OK)
    return rc;
  for (size_t i = 0; i < n; i++) {
    const mpg_span *s = &in->items[i].span;
    early += s->start < before;
    before = s->start;
    if (mpg_poll(in->env, i))
      return MPG_INTERRUPTED;
    if (s->start >= as_of)
      continue;
    in->traced = true;
    if (s->attempt == MPG_NONE) {
      if (!covers_alone(gang, s->start, attempt))
        attempt = attempt_covering(gang, s->start);
      number = MPG_NONE;
    } else if (s->attempt != number) {
      attempt = mpg_gang_numbered(gang, s->attempt);
      number = s->attempt;
    }
    if (attempt == MPG_NOBODY) {
      homeless++;
      continue;
    }
    if (&item->span != s)
      item->span = *s;
    if (attempt < home || (attempt == home && item->span.start <= last))
      are->mixed = true;
    home = attempt;
    last = item->span.start;
    are->open |= begin_item(item++, attempt, as_of);
  }
  in->nitems = (size_t)(item - in->items);
  mpg_notice_add(notices, fleet, MPG_NOTICE_SPAN_WITHOUT, job, homeless);
  mpg_notice_add(notices, fleet, MPG_NOTICE_OUT_OF_ORDER, job, early);
  return MPG_OK;
}

/* ---- order ---- */

static int cmp_real(double a, double b) { /* NAN first */
  if (isnan(a) || isnan(b))
    return isnan(b) - isnan(a);
  return (a > b) - (a < b);
}

/* The innermost of two that start together comes last: the one that ends first, then the lower kind
** and step. The rest only makes the order the same whatever the order of arrival. */
static int item_order(const void *pa, const void *pb, void *ctx) {
  const mpg_fleet *f = ctx;
  const mpg_item *ia = pa, *ib = pb;
  const mpg_span *a = &ia->span, *b = &ib->span;
  int c = (ia->attempt > ib->attempt) - (ia->attempt < ib->attempt);
  c = c ? c : mpg_compare_int64(a->start, b->start);
  c = c ? c : mpg_compare_int64(b->end, a->end);
  c = c ? c : mpg_intern_cmp(&f->kind_names, b->kind, a->kind);
  c = c ? c : mpg_compare_int64(b->step, a->step);
  c = c ? c : mpg_intern_cmp(&f->program_names, b->program, a->program);
  c = c ? c : mpg_intern_cmp(&f->texts, b->dtype, a->dtype);
  c = c ? c : cmp_real(b->flops, a->flops);
  c = c ? c : cmp_real(b->bytes, a->bytes);
  c = c ? c : cmp_real(b->executions, a->executions);
  return c ? c : cmp_real(ia->left_share, ib->left_share); /* both cut at as_of, and not the same */
}

/* Most spans begin after the one before. */
static inline int order_of_neighbours(const mpg_item *items, size_t i, void *ctx) {
  if (items[i - 1].attempt == items[i].attempt && items[i - 1].span.start < items[i].span.start)
    return -1;
  return item_order(&items[i - 1], &items[i], ctx);
}

#define MOVED_MOST ((size_t)1024)

/* Moves item i, which comes before the one before it, to its place. Returns how far that is; 0: too
** far. */
static size_t move_back(mpg_item *items, size_t i, bool *equal, void *ctx) {
  const mpg_item item = items[i];
  size_t at = i - 1, least = i > MOVED_MOST ? i - MOVED_MOST : 0;
  int c = 1;
  while (at > least && (c = item_order(&items[at - 1], &item, ctx)) > 0)
    at--;
  if (at == least && least > 0)
    return 0;
  *equal |= c == 0;
  memmove(&items[at + 1], &items[at], (i - at) * sizeof item);
  items[at] = item;
  return i - at;
}

/* Sorts the items; sets *equal if some may be the same. Spans in the order of their ends, as logs
** come, are nearly in order: a span follows those inside it. */
static mpg_rc sort_items(mpg_innermost *in, const mpg_fleet *fleet, bool *equal) {
  void *ctx = (void *)(uintptr_t)fleet;
  size_t moved = 0, by;
  for (size_t i = 1; i < in->nitems; i++) {
    int c = order_of_neighbours(in->items, i, ctx);
    *equal |= c == 0;
    by = c > 0 && moved <= 4 * i + 64 ? move_back(in->items, i, equal, ctx) : 0;
    moved += by;
    if (c > 0 && by == 0) {
      *equal = true;
      return mpg_sort(in->env, in->items, in->nitems, sizeof *in->items, item_order, ctx);
    }
    if (mpg_poll(in->env, i))
      return MPG_INTERRUPTED;
  }
  return MPG_OK;
}

/* Drops items that repeat exactly. There are two or more, in order. */
static mpg_rc drop_duplicates(mpg_innermost *in, const mpg_fleet *fleet, int64_t *dropped) {
  size_t left_share = 1, n = in->nitems;
  for (size_t i = 1; i < n; i++) {
    if (mpg_poll(in->env, i))
      return MPG_INTERRUPTED;
    if (item_order(&in->items[left_share - 1], &in->items[i], (void *)(uintptr_t)fleet) != 0) {
      if (left_share != i)
        in->items[left_share] = in->items[i];
      left_share++;
    }
  }
  in->nitems = left_share;
  *dropped = (int64_t)(n - left_share);
  return MPG_OK;
}

/* A span without an end lasts until the next of its kind starts, else as long as its attempt. */
static mpg_rc settle_ends(mpg_innermost *in, const mpg_fleet *fleet, const mpg_gang *gang,
                          int64_t *missing) {
  size_t kinds = fleet->kind_names.n + 1;
  if (mpg_grow(in->env, &in->upcoming, &in->upcoming_cap, kinds, sizeof *in->upcoming) != MPG_OK)
    return MPG_NOMEM;
  for (size_t k = 0; k < kinds; k++)
    in->upcoming[k].attempt = MPG_NOBODY;
  for (size_t i = in->nitems; i-- > 0;) {
    mpg_item *item = &in->items[i];
    mpg_span *s = &item->span;
    const mpg_attempt *attempt = &gang->attempts[item->attempt];
    struct mpg_upcoming *next = &in->upcoming[s->kind];
    if (mpg_poll(in->env, i))
      return MPG_INTERRUPTED;
    if (next->attempt != item->attempt)
      *next = (struct mpg_upcoming){item->attempt, MPG_OPEN, MPG_OPEN};
    if (next->start > s->start) {
      next->after = next->start;
      next->start = s->start;
    }
    if (s->end != MPG_OPEN)
      continue;
    s->end = next->after != MPG_OPEN ? next->after : attempt->end;
    if (s->end < s->start)
      s->end = s->start;
    *missing += !attempt->running || next->after != MPG_OPEN;
  }
  return MPG_OK;
}

/* ---- the sweep ---- */

/* What the sweeps find. */
typedef struct findings {
  int64_t overlapping; /* spans that begin inside another and end after it */
  int64_t concurrent;  /* steps that begin while one of their number or a higher one runs */
  int64_t repeated;    /* those that begin after it, if nothing says that the job restarted */
  size_t restore;      /* the last restore: its item + 1; 0: none */
} findings;

/* Where the sweep over one attempt is. */
typedef struct sweep {
  mpg_innermost *in;
  const mpg_gang *gang;
  size_t stretch, stop; /* of the gang's; those before `stretch` have ended */
  /* The time of that stretch if it is the current one; no incomplete stretch is between. */
  int64_t from, until;
  int64_t at;
  size_t depth;         /* of in->stack */
  const mpg_span *step; /* the last that began and has a number; NULL: none */
  bool restarted;       /* what may be of a restart began since, */
  bool loading;         /* and a restore that names a step: */
  mpg_branch load;
  findings *found;
} sweep;

/* Whether the part before continues at `at`: a span of no length does not end one. */
static bool goes_on(const mpg_innermost *in, int64_t at, size_t stretch, const mpg_item *item) {
  const mpg_part *last = &in->parts[in->nparts - 1];
  return last->item == (size_t)(item - in->items) && last->stretch == stretch && last->end == at;
}

static inline mpg_rc add_part(mpg_innermost *in, size_t stretch, mpg_item *item, int64_t start,
                              int64_t end) {
  if (item != NULL) {
    unsigned char *mark = &in->marks[item - in->items];
    item->inside += end - start;
    if (*mark == 0) {
      *mark = MPG_ITEM_SHOWN;
      in->nshown++;
    } else if (goes_on(in, start, stretch, item)) {
      in->parts[in->nparts - 1].end = end;
      return MPG_OK;
    } else {
      *mark |= MPG_ITEM_SPLIT;
      in->split = true;
    }
  }
  if (mpg_grow(in->env, &in->parts, &in->parts_cap, in->nparts + 1, sizeof *in->parts) != MPG_OK)
    return MPG_NOMEM;
  in->parts[in->nparts++] =
      (mpg_part){start, end, stretch, item != NULL ? (size_t)(item - in->items) : MPG_NOBODY};
  return MPG_OK;
}

/* Some of an item's time is in no complete stretch. */
static mpg_rc add_outside(mpg_innermost *in, const mpg_item *item, int64_t us) {
  if (!in->strayed) {
    if (mpg_grow(in->env, &in->outside, &in->outside_cap, in->nitems, sizeof *in->outside) !=
        MPG_OK)
      return MPG_NOMEM;
    for (size_t i = 0; i < in->nitems; i++) {
      in->outside[i] = 0;
      if (mpg_poll(in->env, i))
        return MPG_INTERRUPTED;
    }
    in->strayed = true;
  }
  in->outside[item - in->items] += us;
  return MPG_OK;
}

/* The rest of assign_time: time that is not wholly in the current stretch. */
static mpg_rc assign_across_stretches(sweep *w, mpg_item *item, int64_t start, int64_t end) {
  int64_t missing = end - start;
  while (w->stretch < w->stop && w->gang->stretches[w->stretch].end <= start)
    w->stretch++;
  for (size_t k = w->stretch; k < w->stop && w->gang->stretches[k].start < end; k++) {
    const mpg_stretch *s = &w->gang->stretches[k];
    int64_t lo = s->start > start ? s->start : start, hi = s->end < end ? s->end : end;
    w->stretch = k;
    w->from = s->complete ? s->start : INT64_MAX;
    w->until = s->end;
    if (mpg_poll(w->in->env, k))
      return MPG_INTERRUPTED;
    if (!s->complete)
      continue;
    if (add_part(w->in, k, item, lo, hi) != MPG_OK)
      return MPG_NOMEM;
    missing -= hi - lo;
  }
  return item != NULL && missing > 0 ? add_outside(w->in, item, missing) : MPG_OK;
}

/* [w->at, end) belongs to `item`, or to no item. Its time in complete stretches becomes parts. */
static inline mpg_rc assign_time(sweep *w, mpg_item *item, int64_t end) {
  int64_t start = w->at;
  if (start >= end)
    return MPG_OK;
  w->at = end;
  return start >= w->from && end <= w->until ? add_part(w->in, w->stretch, item, start, end)
                                             : assign_across_stretches(w, item, start, end);
}

/* Moves on to `until`: the innermost of the spans that have begun has the time. */
static mpg_rc run_within(sweep *w, int64_t until) {
  mpg_item **stack = w->in->stack;
  mpg_rc rc = MPG_OK;
  while (rc == MPG_OK && w->depth > 0 && w->at < until) {
    mpg_item *top = stack[w->depth - 1];
    if (top->span.end <= w->at)
      w->depth--;
    else
      rc = assign_time(w, top, top->span.end < until ? top->span.end : until);
  }
  while (w->depth > 0 && stack[w->depth - 1]->span.end <= w->at)
    w->depth--;
  return rc;
}

/* Moves on to `until`: the time that run_within gives to no span belongs to no item. */
static inline mpg_rc run_until(sweep *w, int64_t until) {
  mpg_rc rc = w->depth > 0 ? run_within(w, until) : MPG_OK;
  return rc == MPG_OK ? assign_time(w, NULL, until) : rc;
}

/* Whether no span begins before item i of the attempt ends. */
static inline bool is_alone(const mpg_innermost *in, size_t i) {
  const mpg_item *item = &in->items[i];
  return i + 1 == in->nitems || item[1].span.start >= item->span.end ||
         item[1].attempt != item->attempt;
}

static size_t place_of(const mpg_innermost *in, const mpg_span *s) {
  return (size_t)((const mpg_item *)(const void *)s - in->items);
}

/* The branch at hand ends with the last step of the attempt. */
static void end_branch(sweep *w) {
  if (w->step != NULL) {
    mpg_branch *last = &w->in->branches[w->in->nbranches - 1];
    last->last = w->step->step;
    last->last_item = place_of(w->in, w->step);
  }
}

static mpg_rc add_branch(mpg_innermost *in, const mpg_branch *branch) {
  if (mpg_grow(in->env, &in->branches, &in->branches_cap, in->nbranches + 1,
               sizeof *in->branches) != MPG_OK)
    return MPG_NOMEM;
  in->branches[in->nbranches++] = *branch;
  return MPG_OK;
}

/* The last branch with steps of the attempts before; NULL: none. */
static const mpg_branch *branch_before(const sweep *w) {
  size_t i = w->in->nbranches;
  while (i > 0 && w->in->branches[i - 1].first == MPG_NONE)
    i--;
  return i > 0 ? &w->in->branches[i - 1] : NULL;
}

/* A step that does not just follow the one before it: the first of its attempt, the first since a
** restore that names a step, or one whose number does not rise. A program that went back runs no
** step any more that it went back from: one that begins while a step of its number or a higher one
** runs is another rank's. And it does not go back from one step to the next: numbers may begin
** anew with each epoch. */
static mpg_rc begin_branch(sweep *w, const mpg_span *s) {
  size_t item = place_of(w->in, s), attempt = w->in->items[item].attempt;
  mpg_branch branch = {.attempt = attempt,
                       .item = item,
                       .last_item = item,
                       .start = s->start,
                       .first = s->step,
                       .last = s->step,
                       .loaded = w->loading ? w->load.loaded : MPG_NONE,
                       .loaded_at = w->load.start};
  const mpg_branch *before;
  end_branch(w);
  before = branch_before(w);
  if (before != NULL && before->last >= s->step && before->attempt == attempt) {
    bool at_once = w->step != NULL && w->step->end > s->start;
    w->found->concurrent += at_once;
    w->found->repeated += !at_once && !w->restarted;
  } else if (before != NULL && before->attempt != attempt) {
    branch.vouched = w->gang->attempts[before->attempt].outcome == MPG_COMPLETED &&
                     w->found->restore <= before->last_item + 1;
    w->found->repeated += before->last >= s->step && !w->restarted && !branch.vouched;
  }
  w->loading = false;
  return add_branch(w->in, &branch);
}

static void read_restore(sweep *w, const mpg_span *s) {
  size_t item = place_of(w->in, s);
  w->restarted = true;
  w->found->restore = item + 1;
  if (s->step == MPG_NONE)
    return;
  w->loading = true;
  w->load = (mpg_branch){.attempt = w->in->items[item].attempt,
                         .item = item,
                         .last_item = item,
                         .start = s->start,
                         .first = MPG_NONE,
                         .last = MPG_NONE,
                         .loaded = s->step,
                         .loaded_at = s->start};
}

/* Restores that begin together with a step are before it, also where they are within it. */
static void read_restores(sweep *w, const mpg_span *s) {
  const mpg_innermost *in = w->in;
  size_t first = place_of(in, s);
  for (size_t i = first + 1; i < in->nitems && in->items[i].span.start == s->start &&
                             in->items[i].attempt == in->items[first].attempt;
       i++)
    if (in->items[i].span.kind == MPG_KIND_RESTORE)
      read_restore(w, &in->items[i].span);
}

static void read_other(sweep *w, const mpg_span *s) {
  if (s->kind == MPG_KIND_RESTORE) {
    if (w->step == NULL || w->step->start != s->start)
      read_restore(w, s);
    return;
  }
  w->restarted |= mpg_kind_restarts(s->kind);
  w->in->batches |= s->kind == MPG_KIND_BATCH;
  w->in->rollouts |= s->kind == MPG_KIND_ROLLOUT;
}

/* Whether the next item begins together with this one. */
static inline bool begins_together(const mpg_innermost *in, const mpg_span *s) {
  const mpg_item *item = (const mpg_item *)(const void *)s;
  return item + 1 < in->items + in->nitems && item[1].span.start == s->start;
}

static inline mpg_rc read_step(sweep *w, const mpg_span *s) {
  mpg_rc rc = MPG_OK;
  if (s->kind != MPG_KIND_STEP) {
    read_other(w, s);
    return MPG_OK;
  }
  if (s->step == MPG_NONE)
    return MPG_OK;
  if (begins_together(w->in, s) && (w->step == NULL || w->step->start != s->start))
    read_restores(w, s);
  if (w->step == NULL || w->step->step >= s->step || w->loading)
    rc = begin_branch(w, s);
  w->step = s;
  w->restarted = false;
  return rc;
}

/* One attempt: its items are those from *next on, and then the next attempt's are. */
static mpg_rc sweep_attempt(mpg_innermost *in, const mpg_gang *gang, size_t a, size_t *next,
                            findings *found) {
  const mpg_attempt *attempt = &gang->attempts[a];
  mpg_activity activity = {false, false, INT64_MIN};
  sweep w = {.in = in,
             .gang = gang,
             .stretch = attempt->stretch,
             .stop = attempt->stretch + attempt->nstretches,
             .from = INT64_MAX,
             .at = attempt->start,
             .found = found};
  size_t i = *next;
  mpg_rc rc = MPG_OK;
  if (i < in->nitems && in->items[i].attempt == a && in->items[i].span.start < w.at)
    w.at = in->items[i].span.start;
  for (; rc == MPG_OK && i < in->nitems && in->items[i].attempt == a; i++) {
    mpg_item *item = &in->items[i];
    const mpg_span *s = &item->span;
    activity.any = true;
    activity.serves |= s->kind == MPG_KIND_SERVE;
    activity.last = s->end > activity.last ? s->end : activity.last;
    if (mpg_poll(in->env, i))
      return MPG_INTERRUPTED;
    rc = read_step(&w, s);
    if (rc == MPG_OK)
      rc = run_until(&w, s->start);
    if (rc != MPG_OK || s->end == s->start)
      continue;
    if (w.depth == 0 && is_alone(in, i)) { /* the fast road: nothing to come back from */
      rc = assign_time(&w, item, s->end);
      continue;
    }
    if (w.depth > 0 && s->end > in->stack[w.depth - 1]->span.end)
      found->overlapping++;
    if (mpg_grow(in->env, &in->stack, &in->stack_cap, w.depth + 1, sizeof *in->stack) != MPG_OK)
      return MPG_NOMEM;
    in->stack[w.depth++] = item;
  }
  if (rc == MPG_OK)
    rc = run_until(&w, activity.last > attempt->end ? activity.last : attempt->end);
  if (rc == MPG_OK)
    end_branch(&w);
  if (rc == MPG_OK && w.loading)
    rc = add_branch(in, &w.load);
  in->activity[a] = activity;
  *next = i;
  return rc;
}

/* Items with time that is not for them: in no complete stretch, or of a job that needs no chips, so
** that all it holds is surplus. */
static mpg_rc count_outside(const mpg_innermost *in, const mpg_job *job, int64_t *outside) {
  const bool needless = job->chips == 0 && job->min_chips == MPG_NONE;
  for (size_t i = 0; (needless || in->strayed) && i < in->nitems; i++) {
    const mpg_span *span = &in->items[i].span;
    *outside += needless ? span->end > span->start : in->outside[i] > 0;
    if (mpg_poll(in->env, i))
      return MPG_INTERRUPTED;
  }
  return MPG_OK;
}

static mpg_rc failure(mpg_rc rc, mpg_err *err) {
  if (rc == MPG_IO) /* it says what */
    return rc;
  return mpg_fail_plain(err, rc);
}

mpg_rc mpg_innermost_build(mpg_innermost *in, const mpg_fleet *fleet, uint32_t job,
                           const mpg_gang *gang, int64_t as_of, mpg_notices *notices,
                           mpg_err *err) {
  int64_t dropped = 0, missing = 0, outside = 0;
  findings found = {0, 0, 0, 0};
  size_t next = 0;
  bool equal = false;
  gathered are;
  mpg_rc rc;
  in->nparts = in->nshown = in->nbranches = 0;
  in->split = in->strayed = false;
  rc = mpg_grow(in->env, &in->activity, &in->activity_cap, gang->nattempts + 1,
                sizeof *in->activity);
  if (rc == MPG_OK)
    rc = gather_items(in, fleet, job, gang, as_of, &are, notices, err);
  if (rc == MPG_OK && are.mixed)
    rc = sort_items(in, fleet, &equal);
  if (rc == MPG_OK && equal)
    rc = drop_duplicates(in, fleet, &dropped);
  if (rc != MPG_OK)
    return failure(rc, err);
  mpg_notice_add(notices, fleet, MPG_NOTICE_DUPLICATE_SPAN, job, dropped);
  if (are.open) {
    rc = settle_ends(in, fleet, gang, &missing);
    if (rc == MPG_OK && are.mixed) /* by their ends, too */
      rc = sort_items(in, fleet, &equal);
    if (rc != MPG_OK)
      return failure(rc, err);
  }
  if (mpg_grow(in->env, &in->marks, &in->marks_cap, in->nitems, 1) != MPG_OK)
    return failure(MPG_NOMEM, err);
  if (in->nitems > 0)
    memset(in->marks, 0, in->nitems);
  for (size_t a = 0; a < gang->nattempts; a++) {
    rc = sweep_attempt(in, gang, a, &next, &found);
    if (rc != MPG_OK)
      return failure(rc, err);
  }
  rc = count_outside(in, &fleet->jobs[job], &outside);
  if (rc != MPG_OK)
    return failure(rc, err);
  mpg_notice_add(notices, fleet, MPG_NOTICE_MISSING_END, job, missing);
  mpg_notice_add(notices, fleet, MPG_NOTICE_OVERLAPPING_SPANS, job, found.overlapping);
  mpg_notice_add(notices, fleet, MPG_NOTICE_CONCURRENT_STEPS, job, found.concurrent);
  mpg_notice_add(notices, fleet, MPG_NOTICE_REPEATED_STEPS, job, found.repeated);
  mpg_notice_add(notices, fleet, MPG_NOTICE_SPAN_OUTSIDE, job, outside);
  return MPG_OK;
}
