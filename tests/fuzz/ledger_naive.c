/*
** ledger_naive.c - see ledger_naive.h. Sections are those of docs/rules.md.
**
** Nothing here is clever: for every second of every attempt all records of its job are looked at.
*/
#include "ledger_naive.h"

#include "fuzz.h"
#include "../../ext/base/time.h"

#include <math.h>
#include <string.h>

#define ABSENT INT64_MIN
#define QUARTER (MPG_SECOND / 4) /* what a quarter of a chip is in a second */

typedef struct allocation {
  int job, task; /* task 0: none */
  size_t pool;
  int64_t attempt, chips, start, end;
  const mpg_value *outcome;
  bool cut;
} allocation;

typedef struct span {
  int job;
  int64_t attempt, start, end, length, step, executions; /* length: as recorded, or ABSENT */
  mpg_str kind, program;
  double flops; /* its own, or NAN */
  int of;       /* its attempt's index, or -1: none, or a repetition */
  bool productive;
  mpg_category fate; /* of a step that is not */
} span;

typedef struct attempt {
  int64_t number, start, end;
  bool running, all_named;
  mpg_str outcome;
} attempt;

typedef struct job {
  int64_t chips, min_chips, tasks, submit; /* ABSENT */
  bool serving;
} job;

static struct {
  int64_t as_of;
  const ledger_record *records;
  size_t nrecords;
  allocation allocations[LEDGER_RECORDS];
  span spans[LEDGER_RECORDS];
  attempt attempts[LEDGER_RECORDS]; /* of the job at hand */
  size_t nallocations, nspans, nattempts;
  bool has_commits;
  ledger_sums *sums;
} fleet;

/* ---- Values ---- */

static int64_t whole(const mpg_value *v) {
  return v->type == MPG_NULL ? ABSENT : v->i;
}

static int64_t quarters(const mpg_value *v) {
  return v->type == MPG_NULL ? ABSENT : (int64_t)(v->r * 4);
}

static int digit(const mpg_value *v) {
  return v->s.p[v->s.n - 1] - '0';
}

static mpg_str text(const mpg_value *v) {
  return v->type == MPG_NULL ? (mpg_str){NULL, 0} : v->s;
}

static bool is(mpg_str s, const char *name) {
  return s.p != NULL && mpg_str_eq(s, mpg_str_of(name));
}

/* Nothing comes first. */
static int compare_text(mpg_str a, mpg_str b) {
  if (a.p == NULL || b.p == NULL)
    return (a.p != NULL) - (b.p != NULL);
  return mpg_str_cmp(a, b);
}

static int compare(int64_t a, int64_t b) {
  return (a > b) - (a < b);
}

static void add(int of_job, size_t pool, mpg_category category, int64_t chip_quarters) {
  fleet.sums->of[of_job + 1][pool + 1][category] += (mpg_i128)chip_quarters * QUARTER;
}

/* ---- 1. The end of the trace; 10. The same record twice ---- */

static void latest(const mpg_value *v) {
  if (v->type != MPG_NULL && v->i > fleet.as_of)
    fleet.as_of = v->i;
}

static void find_end(void) {
  fleet.as_of = 0;
  for (size_t i = 0; i < fleet.nrecords; i++) {
    const mpg_value *v = fleet.records[i].values;
    switch (fleet.records[i].relation) {
    case MPG_REL_CAPACITY:
      latest(&v[CAPACITY_START]);
      latest(&v[CAPACITY_END]);
      break;
    case MPG_REL_OUTAGES:
      latest(&v[OUTAGES_START]);
      latest(&v[OUTAGES_END]);
      break;
    case MPG_REL_JOBS:
      latest(&v[JOBS_SUBMIT]);
      break;
    case MPG_REL_ALLOCATIONS:
      latest(&v[ALLOCATIONS_START]);
      latest(&v[ALLOCATIONS_END]);
      break;
    case MPG_REL_SPANS:
      latest(&v[SPANS_START]);
      latest(&v[SPANS_END]);
      break;
    case MPG_REL_COMMITS:
      latest(&v[COMMITS_SNAPSHOT]);
      latest(&v[COMMITS_DURABLE]);
      break;
    default:
      break;
    }
  }
}

static bool cut(const mpg_value *end) {
  return end->type == MPG_NULL || end->i > fleet.as_of;
}

static int64_t end_of(const mpg_value *end) {
  return cut(end) ? fleet.as_of : end->i;
}

static void read_allocations(int of_job) {
  fleet.nallocations = 0;
  for (size_t i = 0; i < fleet.nrecords; i++) {
    const mpg_value *v = fleet.records[i].values;
    allocation *a = &fleet.allocations[fleet.nallocations];
    if (fleet.records[i].relation != MPG_REL_ALLOCATIONS || digit(&v[ALLOCATIONS_JOB]) != of_job ||
        v[ALLOCATIONS_START].i >= fleet.as_of)
      continue;
    *a = (allocation){.job = of_job,
                      .pool = (size_t)digit(&v[ALLOCATIONS_POOL]),
                      .attempt = whole(&v[ALLOCATIONS_ATTEMPT]),
                      .chips = quarters(&v[ALLOCATIONS_CHIPS]),
                      .start = v[ALLOCATIONS_START].i,
                      .end = end_of(&v[ALLOCATIONS_END]),
                      .outcome = &v[ALLOCATIONS_OUTCOME],
                      .cut = cut(&v[ALLOCATIONS_END])};
    if (v[ALLOCATIONS_TASK].type != MPG_NULL)
      a->task = (unsigned char)*v[ALLOCATIONS_TASK].s.p;
    fleet.nallocations++;
  }
}

static void read_spans(int of_job) {
  fleet.nspans = 0;
  for (size_t i = 0; i < fleet.nrecords; i++) {
    const mpg_value *v = fleet.records[i].values;
    span *s = &fleet.spans[fleet.nspans];
    bool open = v[SPANS_END].type == MPG_NULL;
    if (fleet.records[i].relation != MPG_REL_SPANS || digit(&v[SPANS_JOB]) != of_job ||
        v[SPANS_START].i >= fleet.as_of)
      continue;
    *s = (span){.job = of_job,
                .attempt = whole(&v[SPANS_ATTEMPT]),
                .start = v[SPANS_START].i,
                .end = end_of(&v[SPANS_END]),
                .length = open ? ABSENT : v[SPANS_END].i - v[SPANS_START].i,
                .step = whole(&v[SPANS_STEP]),
                .executions = whole(&v[SPANS_EXECUTIONS]),
                .kind = v[SPANS_KIND].s,
                .program = text(&v[SPANS_PROGRAM]),
                .flops = v[SPANS_FLOPS].type == MPG_NULL ? (double)NAN : v[SPANS_FLOPS].r,
                .of = -1};
    fleet.nspans++;
  }
}

static void greater(int64_t *into, int64_t value) {
  if (value > *into) /* ABSENT is the least */
    *into = value;
}

static job read_job(int of_job) {
  job j = {ABSENT, ABSENT, ABSENT, ABSENT, false};
  mpg_str phase = {NULL, 0};
  for (size_t i = 0; i < fleet.nrecords; i++) {
    const mpg_value *v = fleet.records[i].values;
    if (fleet.records[i].relation != MPG_REL_JOBS || digit(&v[JOBS_JOB]) != of_job)
      continue;
    greater(&j.chips, quarters(&v[JOBS_CHIPS]));
    greater(&j.min_chips, quarters(&v[JOBS_MIN_CHIPS]));
    greater(&j.tasks, whole(&v[JOBS_TASKS]));
    greater(&j.submit, whole(&v[JOBS_SUBMIT]));
    if (compare_text(text(&v[JOBS_PHASE]), phase) > 0)
      phase = text(&v[JOBS_PHASE]);
  }
  j.serving = is(phase, "serving");
  return j;
}

/* ---- 2. Capacity, down, idle ---- */

static bool among(const mpg_value *start, const mpg_value *end, int64_t at) {
  return start->i <= at && at < end_of(end);
}

/* Of the chips that a pool's records name, at an instant or (ABSENT) ever, the one; none where
** there are several. *n: how many there are. */
static mpg_str named_chip(size_t pool, int64_t at, int *n) {
  mpg_str found = {NULL, 0};
  *n = 0;
  for (size_t i = 0; i < fleet.nrecords; i++) {
    const mpg_value *v = fleet.records[i].values;
    if (fleet.records[i].relation != MPG_REL_CAPACITY || (size_t)digit(&v[CAPACITY_POOL]) != pool ||
        v[CAPACITY_CHIP].type == MPG_NULL || v[CAPACITY_START].i >= fleet.as_of ||
        (at != ABSENT && !among(&v[CAPACITY_START], &v[CAPACITY_END], at)) ||
        (*n == 1 && mpg_str_eq(found, v[CAPACITY_CHIP].s)))
      continue;
    found = v[CAPACITY_CHIP].s;
    ++*n;
  }
  return found;
}

static mpg_str chip_of(size_t pool, int64_t at) {
  int n;
  mpg_str chip = named_chip(pool, ABSENT, &n);
  if (n > 1)
    chip = named_chip(pool, at, &n);
  return n == 1 ? chip : (mpg_str){NULL, 0};
}

static void account_pool(size_t pool) {
  int64_t capacity = 0, down = 0, held = 0;
  bool known = false;
  for (int64_t at = 0; at < fleet.as_of; at++)
    for (size_t i = 0; i < fleet.nrecords; i++) {
      const mpg_value *v = fleet.records[i].values;
      switch (fleet.records[i].relation) {
      case MPG_REL_CAPACITY:
        if ((size_t)digit(&v[CAPACITY_POOL]) != pool)
          break;
        known |= v[CAPACITY_START].i < fleet.as_of;
        if (among(&v[CAPACITY_START], &v[CAPACITY_END], at))
          capacity += quarters(&v[CAPACITY_CHIPS]);
        break;
      case MPG_REL_OUTAGES:
        if ((size_t)digit(&v[OUTAGES_POOL]) == pool &&
            among(&v[OUTAGES_START], &v[OUTAGES_END], at))
          down += quarters(&v[OUTAGES_CHIPS]);
        break;
      case MPG_REL_ALLOCATIONS:
        if ((size_t)digit(&v[ALLOCATIONS_POOL]) == pool &&
            among(&v[ALLOCATIONS_START], &v[ALLOCATIONS_END], at))
          held += quarters(&v[ALLOCATIONS_CHIPS]);
        break;
      default:
        break;
      }
    }
  add(-1, pool, MPG_DOWN, down);
  if (known)
    add(-1, pool, MPG_IDLE, capacity - down - held);
}

/* ---- 3. Attempts and gangs ---- */

/* Those without a number get one: the earliest first. */
static void number_allocations(void) {
  int64_t end = ABSENT, number = 0;
  for (int64_t at = 0; at < fleet.as_of; at++)
    for (size_t i = 0; i < fleet.nallocations; i++) {
      allocation *a = &fleet.allocations[i];
      if (a->attempt != ABSENT || a->start != at)
        continue;
      if (end == ABSENT || a->start > end) {
        number++;
        end = a->end;
      }
      if (a->end > end)
        end = a->end;
      a->attempt = -number; /* told from those that are given until all have one */
    }
  for (size_t i = 0; i < fleet.nallocations; i++)
    if (fleet.allocations[i].attempt < 0)
      fleet.allocations[i].attempt *= -1;
}

static mpg_str outcome_of(const attempt *t) {
  static const char *const order[] = {"node_fail", "preempted", "timeout",
                                      "failed",    "cancelled", "completed"};
  for (size_t k = 0; k < sizeof order / sizeof *order && !t->running; k++)
    for (size_t i = 0; i < fleet.nallocations; i++) {
      const allocation *a = &fleet.allocations[i];
      if (a->attempt == t->number && a->end == t->end && is(text(a->outcome), order[k]))
        return a->outcome->s;
    }
  return (mpg_str){NULL, 0};
}

static void find_attempts(void) {
  fleet.nattempts = 0;
  for (size_t i = 0; i < fleet.nallocations; i++) {
    const allocation *a = &fleet.allocations[i];
    size_t k = 0;
    while (k < fleet.nattempts && fleet.attempts[k].number != a->attempt)
      k++;
    if (k == fleet.nattempts)
      fleet.attempts[fleet.nattempts++] =
          (attempt){a->attempt, a->start, a->end, false, true, {NULL, 0}};
    if (a->start < fleet.attempts[k].start)
      fleet.attempts[k].start = a->start;
    if (a->end > fleet.attempts[k].end)
      fleet.attempts[k].end = a->end;
    fleet.attempts[k].running |= a->cut;
    fleet.attempts[k].all_named &= a->task != 0;
  }
  for (size_t k = 0; k < fleet.nattempts; k++)
    fleet.attempts[k].outcome = outcome_of(&fleet.attempts[k]);
  for (size_t i = 1; i < fleet.nattempts; i++)
    for (size_t k = i; k > 0; k--) {
      attempt *a = &fleet.attempts[k - 1], *b = &fleet.attempts[k], t = *a;
      if (a->start < b->start || (a->start == b->start && a->number < b->number))
        break;
      *a = *b;
      *b = t;
    }
}

/* By pool, and in all; the tasks too. */
typedef struct holding {
  int64_t of[LEDGER_POOLS], all, tasks;
} holding;

static holding held_at(const attempt *t, int64_t at) {
  holding h = {{0}, 0, 0};
  bool seen[256] = {false};
  for (size_t i = 0; i < fleet.nallocations; i++) {
    const allocation *a = &fleet.allocations[i];
    if ((t != NULL && a->attempt != t->number) || a->start > at || at >= a->end)
      continue;
    h.of[a->pool] += a->chips;
    h.all += a->chips;
    h.tasks += a->task != 0 && !seen[a->task];
    seen[a->task] = true;
  }
  return h;
}

static bool complete(const job *j, const attempt *t, const holding *h) {
  if (j->min_chips != ABSENT)
    return h->all >= j->min_chips;
  if (j->chips != ABSENT)
    return h->all >= j->chips && (j->tasks == ABSENT || !t->all_named || h->tasks >= j->tasks);
  return j->tasks == ABSENT || !t->all_named || h->tasks >= j->tasks;
}

/* ---- 4. What the program did: the innermost span ---- */

/* Less than 0: a is further within. */
static int inwards(const span *a, const span *b) {
  int order = -compare(a->start, b->start);
  if (order == 0)
    order = compare(a->end, b->end);
  if (order == 0)
    order = compare_text(a->kind, b->kind);
  if (order == 0)
    order = compare(a->step, b->step);
  if (order == 0)
    order = compare_text(a->program, b->program);
  if (order == 0 && (isnan(a->flops) || isnan(b->flops)))
    order = !isnan(a->flops) - !isnan(b->flops);
  if (order == 0 && !isnan(a->flops))
    order = (a->flops > b->flops) - (a->flops < b->flops);
  if (order == 0)
    order = compare(a->executions, b->executions);
  return order != 0 ? order : compare(a->length, b->length);
}

static int attempt_of(const span *s) {
  int found = -1;
  int64_t latest_start = ABSENT;
  for (size_t k = 0; k < fleet.nattempts; k++) {
    if (s->attempt != ABSENT) {
      if (fleet.attempts[k].number == s->attempt)
        return (int)k;
      continue;
    }
    for (size_t i = 0; i < fleet.nallocations; i++) {
      const allocation *a = &fleet.allocations[i];
      if (a->attempt == fleet.attempts[k].number && a->start <= s->start && s->start < a->end &&
          a->start >= latest_start) {
        latest_start = a->start;
        found = (int)k;
      }
    }
  }
  return found;
}

static void assign_spans(void) {
  for (size_t i = 0; i < fleet.nspans; i++) {
    span *s = &fleet.spans[i];
    s->of = attempt_of(s);
    for (size_t k = 0; k < i && s->of >= 0; k++)
      if (fleet.spans[k].of == s->of && inwards(&fleet.spans[k], s) == 0)
        s->of = -1;
  }
  for (size_t i = 0; i < fleet.nspans; i++) {
    span *s = &fleet.spans[i];
    if (s->of < 0 || s->length != ABSENT)
      continue;
    s->end = fleet.attempts[s->of].end;
    for (size_t k = 0; k < fleet.nspans; k++) {
      const span *next = &fleet.spans[k];
      if (next->of == s->of && mpg_str_eq(next->kind, s->kind) && next->start > s->start &&
          (next->start < s->end || s->end == fleet.attempts[s->of].end))
        s->end = next->start;
    }
    if (s->end < s->start)
      s->end = s->start;
  }
}

static span *innermost(int of_attempt, int64_t at) {
  span *found = NULL;
  for (size_t i = 0; i < fleet.nspans; i++) {
    span *s = &fleet.spans[i];
    if (s->of == of_attempt && s->start <= at && at < s->end &&
        (found == NULL || inwards(s, found) < 0))
      found = s;
  }
  return found;
}

static mpg_category unexplained(const job *j, int of_attempt, int64_t at) {
  bool serves = false, any = false;
  int64_t last = ABSENT;
  if (fleet.nspans == 0 && !fleet.has_commits)
    return MPG_UNTRACED;
  for (size_t i = 0; i < fleet.nspans; i++)
    if (fleet.spans[i].of == of_attempt) {
      any = true;
      serves |= is(fleet.spans[i].kind, "serve");
      greater(&last, fleet.spans[i].end);
    }
  if ((j->serving && serves) ||
      (any && at >= last && is(fleet.attempts[of_attempt].outcome, "node_fail")))
    return MPG_STALL;
  return MPG_UNKNOWN;
}

/* ---- 5. Which steps survive ---- */

static bool is_step(const span *s) {
  return s->of >= 0 && (is(s->kind, "step") || is(s->kind, "batch"));
}

static bool has_fate(const span *s) {
  return is_step(s) || (s->of >= 0 && is(s->kind, "rollout"));
}

/* Both steps, or both batches. */
static bool alike(const span *a, const span *b) {
  return is_step(a) && is_step(b) && is(a->kind, "step") == is(b->kind, "step");
}

/* Whether a ran before b. */
static bool before(const span *a, const span *b) {
  if (a->of != b->of)
    return a->of < b->of;
  return a->start != b->start ? a->start < b->start : inwards(a, b) > 0;
}

/* The same where one may be a restore, which comes before steps that start with it. */
static bool comes_before(const span *a, const span *b) {
  if (a->of == b->of && a->start == b->start && is(a->kind, "restore") != is(b->kind, "restore"))
    return is(a->kind, "restore");
  return before(a, b);
}

/* A commit that was taken by the end of the trace. */
static bool is_commit(const ledger_record *r, int of_job) {
  const mpg_value *snapshot = &r->values[COMMITS_SNAPSHOT], *durable = &r->values[COMMITS_DURABLE];
  const mpg_value *taken = snapshot->type == MPG_NULL ? durable : snapshot;
  return r->relation == MPG_REL_COMMITS && digit(&r->values[COMMITS_JOB]) == of_job &&
         (taken->type == MPG_NULL || taken->i <= fleet.as_of);
}

static bool saved(const span *s) {
  for (size_t i = 0; i < fleet.nrecords; i++) {
    const mpg_value *v = fleet.records[i].values;
    int64_t snapshot, step = whole(&v[COMMITS_STEP]);
    if (!is_commit(&fleet.records[i], s->job) || cut(&v[COMMITS_DURABLE]))
      continue;
    snapshot = v[COMMITS_SNAPSHOT].type == MPG_NULL ? v[COMMITS_DURABLE].i : v[COMMITS_SNAPSHOT].i;
    if (s->end <= snapshot &&
        (step == ABSENT || s->step == ABSENT || (is(s->kind, "batch") && s->step <= step)))
      return true;
    if (s->start < snapshot && step != ABSENT && s->step != ABSENT &&
        (is(s->kind, "batch") ? s->step == step : s->step <= step))
      return true;
  }
  return false;
}

/* Whether `later` is the same work as s, or work that s came after. */
static bool supersedes(const span *later, const span *s) {
  if (!alike(later, s) || later->step == ABSENT || s->step == ABSENT || !before(s, later))
    return false;
  return is(s->kind, "batch") ? later->step == s->step : later->step <= s->step;
}

/* Whether a later attempt had a batch of a higher number. */
static bool is_proven(const span *s) {
  for (size_t i = 0; i < fleet.nspans && s->step != ABSENT; i++) {
    const span *later = &fleet.spans[i];
    if (alike(later, s) && later->of > s->of && later->step > s->step) /* ABSENT is the least */
      return true;
  }
  return false;
}

/* What ran from one resume on: steps of one attempt whose numbers rise. */
typedef struct branch {
  const span *begin, *load; /* its first step, else the load; the restore that names a step */
  int64_t first, last;      /* ABSENT: no step followed the load */
  int64_t limit;            /* the highest number that survives */
  bool vouched;
} branch;

static branch branches[LEDGER_RECORDS + 1]; /* the first is for what ran before all others */
static size_t nbranches;

/* The first restore, or step with a number, that ran after a span; of the whole job where that is
** NULL. */
static const span *next_mark(const span *previous) {
  const span *next = NULL;
  for (size_t i = 0; i < fleet.nspans; i++) {
    const span *s = &fleet.spans[i];
    if (s->of >= 0 && (is(s->kind, "restore") || (is(s->kind, "step") && s->step != ABSENT)) &&
        (previous == NULL || comes_before(previous, s)) && (next == NULL || comes_before(s, next)))
      next = s;
  }
  return next;
}

static branch *with_steps(size_t below_place) {
  while (below_place > 1 && branches[below_place - 1].first == ABSENT)
    below_place--;
  return below_place > 1 ? &branches[below_place - 1] : NULL;
}

static void find_branches(void) {
  const span *load = NULL;
  bool restored = false;
  nbranches = 1;
  for (const span *s = next_mark(NULL); s != NULL; s = next_mark(s)) {
    branch *last = with_steps(nbranches);
    if (load != NULL && load->of != s->of) {
      branches[nbranches++] = (branch){load, load, ABSENT, ABSENT, 0, false};
      load = NULL;
    }
    if (is(s->kind, "restore")) {
      restored = true;
      load = s->step != ABSENT ? s : load;
      continue;
    }
    if (last != NULL && last->begin->of == s->of && last->last < s->step && load == NULL)
      last->last = s->step;
    else
      branches[nbranches++] =
          (branch){s,
                   load,
                   s->step,
                   s->step,
                   0,
                   last != NULL && last->begin->of != s->of && !restored &&
                       is(fleet.attempts[last->begin->of].outcome, "completed")};
    load = NULL;
    restored = false;
  }
  if (load != NULL)
    branches[nbranches++] = (branch){load, load, ABSENT, ABSENT, 0, false};
}

static bool ran(const branch *b, int64_t step) {
  return b->first != ABSENT && b->first <= step && step <= b->last;
}

/* The branch that took the commit which a restore loaded, or NULL. */
static branch *taken_by(const branch *b) {
  int64_t taken = ABSENT;
  branch *found = NULL;
  for (size_t i = 0; i < fleet.nrecords; i++) {
    const mpg_value *v = fleet.records[i].values;
    if (!is_commit(&fleet.records[i], b->load->job) || cut(&v[COMMITS_DURABLE]) ||
        whole(&v[COMMITS_STEP]) != b->load->step || v[COMMITS_DURABLE].i > b->load->start)
      continue;
    greater(&taken, v[v[COMMITS_SNAPSHOT].type == MPG_NULL ? COMMITS_DURABLE : COMMITS_SNAPSHOT].i);
  }
  for (branch *p = branches + 1; p < b && taken != ABSENT; p++)
    if (p->first != ABSENT && p->begin->start < taken)
      found = p;
  return found != NULL && ran(found, b->load->step) ? found : NULL;
}

static branch *parent_of(const branch *b) {
  branch *found = b->load != NULL ? taken_by(b) : NULL;
  size_t place = (size_t)(b - branches);
  for (size_t i = place; --i > 0 && b->load != NULL && found == NULL;)
    if (ran(&branches[i], b->load->step))
      found = &branches[i];
  for (size_t i = place; --i > 0 && b->load != NULL && found == NULL;)
    if (branches[i].first != ABSENT && branches[i].last >= b->load->step)
      found = &branches[i];
  return found != NULL ? found : with_steps(place);
}

static void find_limits(void) {
  int64_t limit = INT64_MAX;
  branch *b = &branches[nbranches - 1];
  for (size_t i = 0; i < nbranches; i++)
    branches[i].limit = limit;
  while (b > branches) {
    branch *parent = parent_of(b);
    if (b->load != NULL)
      limit = b->load->step - (b->load->step == b->first) < limit
                  ? b->load->step - (b->load->step == b->first)
                  : limit;
    else if (!b->vouched)
      limit = b->first - 1 < limit ? b->first - 1 : limit;
    else if (b->first <= parent->last)
      limit = INT64_MAX;
    if (parent == NULL)
      parent = branches;
    for (branch *p = parent; p < b; p++)
      p->limit = p == parent || b->load == NULL || parent == branches ? limit : ABSENT;
    b = parent;
  }
}

/* Steps of the last branch: a commit with the number of one of them holds those up to it. */
static bool reached(const span *s) {
  const branch *last = &branches[nbranches - 1];
  for (size_t i = 0; i < fleet.nrecords; i++) {
    const mpg_value *v = fleet.records[i].values;
    int64_t step = whole(&v[COMMITS_STEP]);
    if (is_commit(&fleet.records[i], s->job) && !cut(&v[COMMITS_DURABLE]) &&
        last->first != ABSENT && step != ABSENT && s->step <= step && step <= last->last &&
        v[v[COMMITS_SNAPSHOT].type == MPG_NULL ? COMMITS_DURABLE : COMMITS_SNAPSHOT].i >
            last->begin->start)
      return true;
  }
  return false;
}

/* What the job's end makes of a span. */
static void decide_by_end(span *s, bool is_saved) {
  const attempt *last = &fleet.attempts[fleet.nattempts - 1];
  s->productive = is_saved || is(fleet.attempts[s->of].outcome, "completed") ||
                  (is(last->outcome, "completed") &&
                   (s->step == ABSENT || is(s->kind, "batch") || !fleet.has_commits));
  s->fate = !fleet.has_commits ? MPG_UNKNOWN : last->running ? MPG_PENDING : MPG_LOST;
}

static void decide_batch(span *s) {
  for (size_t i = 0; i < fleet.nspans; i++)
    if (supersedes(&fleet.spans[i], s)) {
      s->fate = MPG_LOST;
      return;
    }
  decide_by_end(s, is_proven(s) || saved(s));
}

static void decide_step(span *s) {
  size_t place = 0;
  while (place + 1 < nbranches &&
         (branches[place + 1].begin == s || before(branches[place + 1].begin, s)))
    place++;
  s->fate = MPG_LOST;
  if (s->step == ABSENT)
    decide_by_end(s, saved(s));
  else if (s->step > branches[place].limit)
    s->productive = false;
  else if (place + 1 < nbranches)
    s->productive = true;
  else
    decide_by_end(s, saved(s) || reached(s));
}

/* The step that a rollout is of, or NULL. */
static const span *step_of(const span *rollout) {
  const span *last = NULL, *next = NULL;
  for (size_t i = 0; i < fleet.nspans; i++) {
    const span *s = &fleet.spans[i];
    if (!is_step(s) || is(s->kind, "batch") || s->of != rollout->of ||
        (rollout->step != ABSENT && s->step != rollout->step))
      continue;
    if (before(s, rollout) && (last == NULL || before(last, s)))
      last = s;
    if (before(rollout, s) && (next == NULL || before(s, next)))
      next = s;
  }
  if (last != NULL && last->end > rollout->start)
    return last;
  return next != NULL || rollout->step == ABSENT ? next : last;
}

static void decide_rollout(span *rollout) {
  const span *step = step_of(rollout);
  if (step == NULL) {
    decide_step(rollout);
    return;
  }
  rollout->productive = step->productive;
  rollout->fate = step->fate;
}

static void decide_steps(void) {
  find_branches();
  find_limits();
  for (size_t i = 0; i < fleet.nspans; i++) {
    span *s = &fleet.spans[i];
    if (is_step(s) && is(s->kind, "batch"))
      decide_batch(s);
    else if (is_step(s))
      decide_step(s);
  }
  for (size_t i = 0; i < fleet.nspans; i++)
    if (fleet.spans[i].of >= 0 && is(fleet.spans[i].kind, "rollout"))
      decide_rollout(&fleet.spans[i]);
}

/* ---- 6. Ideal, inefficiency, unrated ---- */

/* FLOPs of a span, or NAN. */
static double work_of(const span *s) {
  double flops = (double)NAN;
  for (size_t i = 0; i < fleet.nrecords; i++) {
    const mpg_value *v = fleet.records[i].values;
    if (fleet.records[i].relation == MPG_REL_PROGRAMS &&
        compare_text(text(&v[PROGRAMS_PROGRAM]), s->program) == 0)
      flops = fmax(flops, v[PROGRAMS_FLOPS].r);
  }
  if (s->executions != ABSENT)
    flops *= (double)s->executions;
  return isnan(s->flops) ? flops : s->flops;
}

static double peak_of(mpg_str chip) {
  return is(chip, "one") ? LEDGER_ONE_PEAK : is(chip, "tpu-v4") ? LEDGER_TPU_V4_PEAK : (double)NAN;
}

static int64_t product_share(int64_t amount, int64_t part, int64_t whole_of) {
  return (int64_t)((mpg_i128)amount * part / whole_of);
}

/* What a span has in each pool of each chip, by its name's first byte. */
typedef struct shares {
  int64_t of[256][LEDGER_POOLS], own, inside;
  mpg_str chips[256];
} shares;

static void rate(const span *s, const shares *w) {
  int64_t all = 0, total[256] = {0};
  double flops = work_of(s);
  for (int c = 0; c < 256; c++)
    for (size_t p = 0; p < LEDGER_POOLS; p++)
      total[c] += w->of[c][p];
  for (int c = 0; c < 256; c++)
    all += total[c];
  if (s->length != ABSENT && s->length > 0)
    flops *= (double)(s->end - s->start) / (double)s->length;
  flops = flops * (double)w->inside / (double)w->own;
  for (int c = 0; c < 256; c++) {
    double us = 1e6 * (flops * ((double)total[c] / (double)all)) / peak_of(w->chips[c]);
    int64_t ideal = isnan(us) ? 0 : (int64_t)floor(us + 0.5), sum = 0;
    for (size_t p = 0; p < LEDGER_POOLS && total[c] > 0; p++) {
      mpg_i128 *of = fleet.sums->of[s->job + 1][p + 1];
      int64_t us_before = product_share(ideal, sum, total[c]), part;
      sum += w->of[c][p];
      part = product_share(ideal, sum, total[c]) - us_before;
      if (isnan(us)) {
        of[MPG_UNRATED] += w->of[c][p] * QUARTER;
      } else {
        of[MPG_IDEAL] += part;
        of[MPG_INEFFICIENCY] += w->of[c][p] * QUARTER - part;
      }
    }
  }
}

/* Explains what an attempt needs at an instant; where that was progress it goes to the span's
** shares. */
static void explain(const job *j, int of_job, int of_attempt, int64_t at, const holding *need,
                    shares *of_spans) {
  span *s = innermost(of_attempt, at);
  mpg_category category;
  if (s == NULL)
    category = unexplained(j, of_attempt, at);
  else if (is(s->kind, "init") || is(s->kind, "prep"))
    category = MPG_STARTUP;
  else if (is(s->kind, "compile"))
    category = MPG_COMPILE;
  else if (is(s->kind, "restore"))
    category = MPG_RESTORE;
  else if (is(s->kind, "input"))
    category = MPG_INPUT;
  else if (is(s->kind, "checkpoint"))
    category = MPG_CHECKPOINT;
  else if (is(s->kind, "eval"))
    category = MPG_EVAL;
  else if (is(s->kind, "serve") || (has_fate(s) && s->productive))
    category = MPG_CATEGORIES;
  else
    category = has_fate(s) ? s->fate : MPG_STALL;
  for (size_t p = 0; p < LEDGER_POOLS; p++) {
    if (category != MPG_CATEGORIES) {
      add(of_job, p, category, need->of[p]);
    } else {
      mpg_str chip = chip_of(p, at);
      unsigned char c = chip.p == NULL ? 0 : (unsigned char)*chip.p;
      shares *w = &of_spans[s - fleet.spans];
      w->chips[c] = chip;
      w->of[c][p] += need->of[p];
    }
  }
}

static void account_attempt(const job *j, int of_job, int k) {
  static shares of_spans[LEDGER_RECORDS];
  const attempt *t = &fleet.attempts[k];
  memset(of_spans, 0, sizeof of_spans);
  for (int64_t at = 0; at < fleet.as_of; at++) {
    holding h = held_at(t, at);
    bool whole_gang = complete(j, t, &h);
    const span *s = innermost(k, at);
    if (s != NULL)
      of_spans[s - fleet.spans].own++;
    if (s != NULL && whole_gang && h.all > 0)
      of_spans[s - fleet.spans].inside++;
    if (!whole_gang) {
      for (size_t p = 0; p < LEDGER_POOLS; p++)
        add(of_job, p, MPG_PARTIAL, h.of[p]);
      continue;
    }
    if (j->min_chips == ABSENT && j->chips != ABSENT) {
      int64_t left = h.all - j->chips;
      for (size_t p = LEDGER_POOLS; p-- > 0;) {
        int64_t surplus = left < h.of[p] ? left : h.of[p];
        add(of_job, p, MPG_PARTIAL, surplus);
        h.of[p] -= surplus;
        left -= surplus;
      }
    }
    explain(j, of_job, k, at, &h, of_spans);
  }
  for (size_t i = 0; i < fleet.nspans; i++)
    if (of_spans[i].inside > 0)
      rate(&fleet.spans[i], &of_spans[i]);
}

/* ---- 7. Queued ---- */

/* Of the allocation that starts next, else of that which started last: their pool's index, or
** -1. */
static int asking_in(int64_t at) {
  const allocation *found = NULL;
  for (size_t i = 0; i < fleet.nallocations; i++) {
    const allocation *a = &fleet.allocations[i];
    int order;
    if (found == NULL) {
      found = a;
      continue;
    }
    if ((a->start > at) != (found->start > at))
      order = a->start > at ? -1 : 1;
    else
      order = a->start > at ? compare(a->start, found->start) : compare(found->start, a->start);
    if (order < 0 || (order == 0 && a->pool < found->pool))
      found = a;
  }
  return found == NULL ? -1 : (int)found->pool;
}

/* Whether the job asks for nothing: of its latest attempts to end one was cancelled or completed
** and none failed, and none has begun since. */
static bool is_pausing(int64_t at) {
  int64_t latest = INT64_MIN;
  bool pauses = false, failed = false;
  for (size_t k = 0; k < fleet.nattempts; k++) {
    const attempt *a = &fleet.attempts[k];
    const bool done = mpg_str_eq(a->outcome, MPG_STR("completed")) ||
                      mpg_str_eq(a->outcome, MPG_STR("cancelled"));
    if (a->start > at)
      continue;
    if (a->running || a->end > at)
      return false;
    if (a->end > latest) {
      latest = a->end;
      pauses = failed = false;
    }
    if (a->end == latest) {
      pauses |= done;
      failed |= !done && a->outcome.p != NULL;
    }
  }
  return pauses && !failed;
}

/* What the job asks for: what it has held since it released some, if no attempt began since. */
static int64_t asked_at(const job *j, int64_t at) {
  int64_t released = INT64_MIN, most = 0;
  for (size_t i = 0; i < fleet.nallocations; i++) {
    const allocation *a = &fleet.allocations[i];
    if (is(text(a->outcome), "released") && !a->cut && a->start < a->end && a->end <= at &&
        a->end > released)
      released = a->end;
  }
  for (size_t k = 0; k < fleet.nattempts; k++)
    if (fleet.attempts[k].start >= released && fleet.attempts[k].start <= at)
      return j->chips;
  for (int64_t t = released; released != INT64_MIN && t <= at; t++)
    if (held_at(NULL, t).all > most)
      most = held_at(NULL, t).all;
  return released != INT64_MIN && most < j->chips ? most : j->chips;
}

static void account_queued(const job *j, int of_job) {
  const attempt *last = fleet.nattempts > 0 ? &fleet.attempts[fleet.nattempts - 1] : NULL;
  int64_t begin = j->submit, end = last == NULL || last->running ? fleet.as_of : last->end;
  if (last != NULL && (begin == ABSENT || fleet.attempts[0].start < begin))
    begin = fleet.attempts[0].start;
  if (j->chips == ABSENT || begin == ABSENT)
    return;
  for (int64_t at = begin; at < end; at++) {
    int64_t lacking = asked_at(j, at) - held_at(NULL, at).all;
    if (lacking > 0 && !is_pausing(at))
      fleet.sums->of[of_job + 1][asking_in(at) + 1][MPG_QUEUED] += lacking * QUARTER;
  }
}

void ledger_naive(const ledger_record *records, size_t n, int64_t as_of, ledger_sums *out) {
  memset(out, 0, sizeof *out);
  fleet.sums = out;
  fleet.records = records;
  fleet.nrecords = n;
  if (as_of == 0)
    find_end();
  else
    fleet.as_of = as_of;
  CHECK(fleet.as_of < LEDGER_SECONDS);
  for (int of_job = 0; of_job < LEDGER_JOBS; of_job++) {
    job j = read_job(of_job);
    read_allocations(of_job);
    read_spans(of_job);
    fleet.has_commits = false;
    for (size_t i = 0; i < n; i++)
      fleet.has_commits |= is_commit(&records[i], of_job);
    number_allocations();
    find_attempts();
    assign_spans();
    if (fleet.nattempts > 0)
      decide_steps();
    for (size_t k = 0; k < fleet.nattempts; k++)
      account_attempt(&j, of_job, (int)k);
    account_queued(&j, of_job);
  }
  for (size_t p = 0; p < LEDGER_POOLS; p++)
    account_pool(p);
}
