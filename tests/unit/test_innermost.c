/*
** test_innermost.c - spans of random jobs find their attempts, their ends and each moment's
** innermost, beside what section 4 of docs/rules.md says of every second, looked up span by span;
** and the same stopped, or without memory, at every place.
*/
#include "check.h"
#include "hostile.h"
#include "trace.h"
#include "../../ext/goodput/rules/innermost.h"
#include "../../ext/base/time.h"

#include <math.h>

enum { MOST = 9, PLACES = 12, NOT_GIVEN = -1 }; /* times are 0 .. PLACES - 1 seconds */

/* A span as its line tells it, and what becomes of it. */
typedef struct told {
  const char *kind, *program, *dtype; /* "": not given */
  int step, flops, bytes, executions, attempt;
  int start, end;
  size_t home; /* the place of its attempt; MPG_NOBODY */
  double kept;
  bool dropped;
  int own, inside; /* seconds */
} told;

typedef struct naive {
  told spans[MOST];
  size_t n;
  int64_t as_of;
  int64_t notices[MPG_NOTICES];
} naive;

/* The first of any two is the one that is innermost: each by each, and nothing comes first. */
static int by_rest(const told *a, const told *b) {
  int c = strcmp(a->kind, b->kind);
  c = c != 0 ? c : a->step - b->step;
  c = c != 0 ? c : strcmp(a->program, b->program);
  c = c != 0 ? c : strcmp(a->dtype, b->dtype);
  c = c != 0 ? c : a->flops - b->flops;
  c = c != 0 ? c : a->bytes - b->bytes;
  c = c != 0 ? c : a->executions - b->executions;
  return c != 0 ? c : (a->kept < b->kept) - (a->kept > b->kept); /* both are cut at as_of */
}

static bool is_inner(const told *a, const told *b) {
  if (a->start != b->start)
    return a->start > b->start;
  if (a->end != b->end)
    return a->end < b->end;
  return by_rest(a, b) < 0;
}

static size_t home_of(const told *s, const mpg_gang *g) {
  int64_t at = s->start * MPG_SECOND;
  for (size_t a = 0; s->attempt != NOT_GIVEN && a < g->nattempts; a++)
    if (g->attempts[a].number == s->attempt)
      return a;
  for (size_t c = 0; s->attempt == NOT_GIVEN && c < g->ncovers; c++)
    if (g->covers[c].start <= at && at < g->covers[c].end)
      return g->covers[c].attempt;
  return MPG_NOBODY;
}

static void settle(naive *x, const mpg_gang *g) {
  int as_of = (int)(x->as_of / MPG_SECOND);
  for (size_t i = 0; i < x->n; i++) {
    told *s = &x->spans[i];
    x->notices[MPG_NOTICE_OUT_OF_ORDER] += i > 0 && s->start < x->spans[i - 1].start;
    s->kept = 1;
    s->home = home_of(s, g);
    s->dropped = s->home == MPG_NOBODY || s->start >= as_of;
    x->notices[MPG_NOTICE_SPAN_WITHOUT] += s->home == MPG_NOBODY && s->start < as_of;
    if (s->end > as_of) {
      s->kept = (double)(as_of - s->start) / (double)(s->end - s->start);
      s->end = as_of;
    }
    for (size_t k = 0; k < i && !s->dropped; k++) {
      const told *t = &x->spans[k];
      s->dropped = !t->dropped && t->home == s->home && t->start == s->start && t->end == s->end &&
                   by_rest(s, t) == 0;
      x->notices[MPG_NOTICE_DUPLICATE_SPAN] += s->dropped;
    }
  }
  for (size_t i = 0; i < x->n; i++) {
    told *s = &x->spans[i];
    const mpg_attempt *attempt;
    bool found = false;
    if (s->dropped || s->end != NOT_GIVEN)
      continue;
    attempt = &g->attempts[s->home];
    for (size_t k = 0; k < x->n; k++) {
      const told *t = &x->spans[k];
      if (!t->dropped && t->home == s->home && strcmp(t->kind, s->kind) == 0 &&
          t->start > s->start && (!found || t->start < s->end)) {
        s->end = t->start;
        found = true;
      }
    }
    if (!found)
      s->end = (int)(attempt->end / MPG_SECOND);
    x->notices[MPG_NOTICE_MISSING_END] += found || !attempt->running;
    s->end = s->end < s->start ? s->start : s->end;
  }
}

/*
** Who is innermost of an attempt in the second that begins, or outside of `inside`; of two that
** have become the same the later line is.
*/
static told *innermost(naive *x, size_t attempt, int at, const told *inside) {
  told *found = NULL;
  for (size_t i = 0; i < x->n; i++) {
    told *s = &x->spans[i];
    if (!s->dropped && s->home == attempt && s->start <= at && at < s->end &&
        (inside == NULL || is_inner(inside, s) || (!is_inner(s, inside) && s < inside)) &&
        (found == NULL || is_inner(s, found)))
      found = s;
  }
  return found;
}

static bool is_complete(const mpg_gang *g, size_t attempt, int64_t at, size_t *stretch) {
  const mpg_attempt *a = &g->attempts[attempt];
  for (*stretch = a->stretch; *stretch < a->stretch + a->nstretches; ++*stretch)
    if (g->stretches[*stretch].start <= at && at < g->stretches[*stretch].end)
      return g->stretches[*stretch].complete;
  return false;
}

static bool is_number(double found, int expected) {
  return expected == NOT_GIVEN ? isnan(found) != 0 : found == expected;
}

static bool is_name(const mpg_intern *names, uint32_t id, const char *expected) {
  return *expected == '\0' ? id == 0 : mpg_str_eq(mpg_intern_text(names, id), mpg_str_of(expected));
}

static bool is_item(const mpg_item *item, const told *s, const mpg_fleet *f) {
  const mpg_span *span = &item->span;
  return item->attempt == s->home && span->start == s->start * MPG_SECOND &&
         span->end == s->end * MPG_SECOND && item->left_share == s->kept &&
         is_name(&f->kind_names, span->kind, s->kind) &&
         is_name(&f->program_names, span->program, s->program) &&
         is_name(&f->texts, span->dtype, s->dtype) &&
         span->step == (s->step == NOT_GIVEN ? MPG_NONE : s->step) &&
         is_number(span->flops, s->flops) && is_number(span->bytes, s->bytes) &&
         is_number(span->executions, s->executions);
}

/* Every second of every complete stretch is in one part, of who is innermost. */
static void check_parts(naive *x, const mpg_innermost *in, const mpg_gang *g, const mpg_fleet *f) {
  size_t p = 0, shown = 0, explained = 0;
  for (size_t a = 0; a < g->nattempts; a++)
    for (int t = 0; t < PLACES; t++) {
      int64_t at = t * MPG_SECOND;
      told *who = innermost(x, a, t, NULL);
      size_t stretch;
      bool complete = is_complete(g, a, at, &stretch);
      if (who != NULL) {
        who->own++;
        who->inside += complete;
      }
      if (!complete)
        continue;
      while (p < in->nparts && (in->items == NULL || in->parts[p].stretch < stretch ||
                                (in->parts[p].stretch == stretch && in->parts[p].end <= at)))
        p++;
      CHECK(p < in->nparts);
      if (p < in->nparts) {
        const mpg_part *part = &in->parts[p];
        CHECK(part->stretch == stretch && part->start <= at && part->end >= at + MPG_SECOND);
        CHECK((part->item == MPG_NOBODY) == (who == NULL));
        CHECK(who == NULL || part->item == MPG_NOBODY || is_item(&in->items[part->item], who, f));
      }
    }
  for (size_t i = 0; i < in->nitems; i++)
    shown += in->items[i].inside > 0;
  for (size_t i = 0; i < in->nparts; i++)
    explained += in->parts[i].item != MPG_NOBODY;
  CHECK(in->nshown == shown && in->split == (explained > shown));
  for (size_t i = 0; i < in->nparts; i++) {
    const mpg_part *part = &in->parts[i], *next = part + 1;
    CHECK(part->start < part->end && g->stretches[part->stretch].complete);
    if (i + 1 < in->nparts && next->stretch == part->stretch) {
      CHECK(part->end <= next->start);
      CHECK(part->end < next->start || part->item != next->item || part->item == MPG_NOBODY);
    }
  }
}

static bool is_step(const told *s) {
  return !s->dropped && s->step != NOT_GIVEN &&
         (strcmp(s->kind, "step") == 0 || strcmp(s->kind, "batch") == 0);
}

/* Of two that have become the same the earlier line comes first. */
static bool is_before(const told *a, const told *b) {
  return is_inner(b, a) || (!is_inner(a, b) && a < b);
}

/* The step before it, of its attempt or the last of an earlier one, where that has its number or a
** higher one; else NULL. */
static const told *went_back_from(const naive *x, const told *s) {
  const told *before = NULL;
  for (size_t i = 0; i < x->n && is_step(s); i++) {
    const told *t = &x->spans[i];
    bool earlier = t->home < s->home || (t->home == s->home && is_before(t, s));
    if (t != s && is_step(t) && earlier &&
        (before == NULL || before->home < t->home ||
         (before->home == t->home && is_before(before, t))))
      before = t;
  }
  return before != NULL && before->step >= s->step ? before : NULL;
}

/* Whether there is evidence of a restart between two begins; NULL: since the attempt began. */
static bool is_restarted(const naive *x, const told *before, const told *s) {
  for (size_t i = 0; i < x->n; i++) {
    const told *t = &x->spans[i];
    if (!t->dropped && t->home == s->home &&
        (strcmp(t->kind, "init") == 0 || strcmp(t->kind, "restore") == 0) &&
        (before == NULL || is_before(before, t)) && is_before(t, s))
      return true;
  }
  return false;
}

/* All that is left has its place in order: the inner behind the outer. */
static void check_items(naive *x, const mpg_innermost *in, const mpg_gang *g, const mpg_fleet *f) {
  size_t left = 0, lengths = 0;
  bool traced = false;
  for (size_t i = 0; i < x->n; i++) {
    told *s = &x->spans[i];
    const told *outer, *before;
    traced |= s->start * MPG_SECOND < x->as_of;
    if (s->dropped)
      continue;
    left++;
    x->notices[MPG_NOTICE_SPAN_OUTSIDE] += s->inside < s->own;
    lengths += (size_t)s->own;
    outer = s->end > s->start ? innermost(x, s->home, s->start, s) : NULL;
    x->notices[MPG_NOTICE_OVERLAPPING_SPANS] += outer != NULL && s->end > outer->end;
    before = went_back_from(x, s);
    if (before != NULL && before->home != s->home)
      x->notices[MPG_NOTICE_REPEATED_STEPS] += !is_restarted(x, NULL, s);
    else if (before != NULL && before->end > s->start)
      x->notices[MPG_NOTICE_CONCURRENT_STEPS]++;
    else if (before != NULL)
      x->notices[MPG_NOTICE_REPEATED_STEPS] += !is_restarted(x, before, s);
  }
  CHECK(in->traced == traced && in->nitems == left);
  for (size_t i = 0; i < in->nitems; i++) {
    told *s = NULL;
    for (size_t k = 0; k < x->n && s == NULL; k++)
      if (!x->spans[k].dropped && is_item(&in->items[i], &x->spans[k], f))
        s = &x->spans[k];
    CHECK(s != NULL);
    if (s == NULL)
      continue;
    lengths -=
        (size_t)((in->items[i].inside + mpg_innermost_outside(in, &in->items[i])) / MPG_SECOND);
    for (size_t k = 0; k < x->n; k++) { /* those before it are not within it */
      const told *t = &x->spans[k];
      bool before = false;
      for (size_t j = 0; j < i; j++)
        before |= is_item(&in->items[j], t, f);
      if (before && t->home == s->home)
        CHECK(!is_inner(t, s));
    }
  }
  CHECK(lengths == 0);
  for (size_t a = 0; a < g->nattempts; a++) {
    mpg_activity expected = {false, false, INT64_MIN};
    for (size_t i = 0; i < x->n; i++) {
      const told *s = &x->spans[i];
      if (s->dropped || s->home != a)
        continue;
      expected.any = true;
      expected.serves |= strcmp(s->kind, "serve") == 0;
      expected.last = s->end * MPG_SECOND > expected.last ? s->end * MPG_SECOND : expected.last;
    }
    CHECK(in->activity[a].any == expected.any && in->activity[a].serves == expected.serves &&
          in->activity[a].last == expected.last);
  }
}

/* ---- random jobs ---- */

static int maybe(int n) {
  return check_below(2) ? check_below(n) : NOT_GIVEN;
}

static void number(char *line, size_t room, const char *name, int value) {
  if (value != NOT_GIVEN)
    (void)snprintf(line + strlen(line), room - strlen(line), " %s=%d", name, value);
}

static void text(char *line, size_t room, const char *name, const char *value) {
  if (*value != '\0')
    (void)snprintf(line + strlen(line), room - strlen(line), " %s=%s", name, value);
}

static mpg_rc random_job(mpg_fleet *fleet, naive *x, mpg_err *err) {
  static const char *const kinds[] = {"step", "serve", "init", "yoga", "alpha"};
  static const char *const programs[] = {"", "p", "a"}, *const dtypes[] = {"", "bf16", "fp32"};
  char line[400] = "jobs job=j chips=2";
  int column, allocations = 1 + check_below(3), alike = check_below(2), attempts = check_below(3),
              tidy = check_below(2);
  mpg_rc rc = mpg_fleet_from(fleet, "test", err);
  rc = rc == MPG_OK ? trace_add(fleet, line, 1, &column, err) : rc;
  for (int i = 0; rc == MPG_OK && i < allocations; i++) {
    int start = check_below(PLACES - 3);
    (void)snprintf(line, sizeof line, "allocations job=j pool=p chips=%d start_time=%d end_time=%d",
                   1 + check_below(3), start, start + 1 + check_below(PLACES - start));
    if (attempts > 0)
      number(line, sizeof line, "attempt", attempts == 1 ? i + 1 : 1 + check_below(2));
    rc = trace_add(fleet, line, i + 2, &column, err);
  }
  x->n = (size_t)check_below(MOST + 1);
  for (size_t i = 0; rc == MPG_OK && i < x->n; i++) {
    told *s = &x->spans[i];
    if (i > 0 && check_below(5) == 0) {
      *s = x->spans[i - 1];
      if (check_below(2))
        s->end = s->end == NOT_GIVEN ? NOT_GIVEN : s->end + 1;
    } else {
      int start = tidy && i > 0 ? x->spans[i - 1].start + check_below(2) : check_below(PLACES - 1);
      *s = (told){kinds[check_below(tidy ? 3 : 5)], "", "",
                  .start = start < PLACES ? start : PLACES - 1};
      s->end =
          check_below(5) == 0 ? NOT_GIVEN : s->start + check_below(tidy ? 2 : PLACES - s->start);
      s->flops = s->bytes = s->executions = s->attempt = NOT_GIVEN;
      s->step = maybe(2);
      if (alike) { /* little tells them apart */
        s->kind = kinds[check_below(2)];
        s->start = s->start / 6 * 6;
        s->end = s->end == NOT_GIVEN ? NOT_GIVEN : s->start + 4;
        s->program = programs[check_below(3)];
        s->dtype = dtypes[check_below(3)];
        s->flops = maybe(3);
        s->bytes = maybe(3);
        s->executions = maybe(3);
      }
      if (check_below(4) == 0)
        s->attempt = check_below(4);
    }
    (void)snprintf(line, sizeof line, "spans job=j kind=%s start_time=%d", s->kind, s->start);
    number(line, sizeof line, "end_time", s->end);
    number(line, sizeof line, "step", s->step);
    text(line, sizeof line, "program", s->program);
    text(line, sizeof line, "dtype", s->dtype);
    number(line, sizeof line, "flops", s->flops);
    number(line, sizeof line, "bytes", s->bytes);
    number(line, sizeof line, "executions", s->executions);
    number(line, sizeof line, "attempt", s->attempt);
    rc = trace_add(fleet, line, (int64_t)i + 9, &column, err);
  }
  return rc == MPG_OK ? mpg_fleet_seal(fleet, err) : rc;
}

/* Each look at an interruption says yes, and each allocation fails: an error, or as many parts. */
static void check_faults(const mpg_innermost *in, const mpg_fleet *fleet, const mpg_gang *g,
                         int64_t as_of) {
  for (int stopped = 0; stopped < 2; stopped++)
    for (long n = 1;; n++) {
      hostile h = {0, stopped ? 0 : n, false, false, stopped ? n + 1 : 0};
      mpg_env env = hostile_env(&h);
      mpg_notices notices = {0};
      mpg_innermost again;
      mpg_err err;
      mpg_rc rc;
      bool struck;
      mpg_innermost_init(&again, &env);
      rc = mpg_innermost_build(&again, fleet, 0, g, as_of, &notices, &err);
      struck = h.failed || h.stop_in == 1;
      CHECK(rc == (h.failed ? MPG_NOMEM : struck ? MPG_INTERRUPTED : MPG_OK));
      CHECK(rc != MPG_OK || (again.nparts == in->nparts && again.nitems == in->nitems));
      mpg_innermost_free(&again);
      mpg_innermost_free(&again);
      CHECK(h.live == 0);
      if (!struck)
        break;
    }
}

/* Each of many attempts, told of backwards, has its spans. */
static void test_many_attempts(void) {
  enum { ATTEMPTS = 100, SPANS = 3 * ATTEMPTS };
  mpg_issues issues;
  mpg_fleet fleet;
  mpg_gang gang;
  mpg_innermost in;
  mpg_notices notices = {0};
  mpg_err err;
  char line[200] = "jobs job=j chips=2";
  int column;
  mpg_rc rc;
  mpg_issues_init(&issues, &mpg_env_libc);
  CHECK(mpg_gang_init(&gang, &mpg_env_libc, &err) == MPG_OK);
  CHECK(mpg_fleet_init(&fleet, &mpg_env_libc, &issues, NULL, &err) == MPG_OK);
  CHECK(mpg_fleet_from(&fleet, "test", &err) == MPG_OK);
  rc = trace_add(&fleet, line, 1, &column, &err);
  for (int a = ATTEMPTS; rc == MPG_OK && a-- > 0;) {
    (void)snprintf(line, sizeof line,
                   "allocations job=j pool=p chips=2 attempt=%d start_time=%d end_time=%d", a,
                   10 * a, 10 * a + 6);
    rc = trace_add(&fleet, line, 2, &column, &err);
    for (int s = 0; rc == MPG_OK && s < 3; s++) {
      (void)snprintf(line, sizeof line,
                     "spans job=j kind=step start_time=%d end_time=%d attempt=%d", 10 * a + 2 * s,
                     10 * a + 2 * s + 1, a);
      rc = trace_add(&fleet, line, 3, &column, &err);
    }
  }
  CHECK(rc == MPG_OK && mpg_fleet_seal(&fleet, &err) == MPG_OK);
  CHECK(mpg_gang_build(&gang, &fleet, &fleet.jobs[0],
                       &(mpg_pool_ends){.as_of = fleet.last, .usual = fleet.last}, &err) == MPG_OK);
  mpg_innermost_init(&in, &mpg_env_libc);
  CHECK(mpg_innermost_build(&in, &fleet, 0, &gang, fleet.last, &notices, &err) == MPG_OK);
  CHECK(in.nitems == SPANS && notices.count[MPG_NOTICE_SPAN_WITHOUT] == 0);
  CHECK(in.nparts == SPANS * 2); /* each, and the second behind it */
  for (size_t i = 0; i < in.nitems; i++)
    CHECK(in.items[i].attempt == i / 3 && in.items[i].inside == MPG_SECOND && !in.strayed);
  mpg_innermost_free(&in);
  mpg_fleet_free(&fleet);
  mpg_gang_free(&gang);
  mpg_issues_free(&issues);
}

/* A span has time outside of what is held where it lasts a microsecond longer. */
static void test_outside(void) {
  static const char *const ends[] = {"9.999999", "10", "10.000001"};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    const char *lines[] = {"jobs job=j chips=2",
                           "allocations job=j pool=p chips=2 start_time=0 end_time=10",
                           "capacity pool=p chips=2 start_time=0 end_time=20", NULL};
    char line[100] = "spans job=j kind=step start_time=1 attempt=1";
    mpg_notices notices = {0};
    mpg_issues issues;
    mpg_fleet fleet;
    mpg_gang gang;
    mpg_innermost in;
    mpg_err err;
    text(line, sizeof line, "end_time", ends[i]);
    lines[3] = line;
    mpg_issues_init(&issues, &mpg_env_libc);
    mpg_innermost_init(&in, &mpg_env_libc);
    CHECK(mpg_gang_init(&gang, &mpg_env_libc, &err) == MPG_OK);
    CHECK(mpg_fleet_init(&fleet, &mpg_env_libc, &issues, NULL, &err) == MPG_OK);
    CHECK(trace_build(&fleet, lines, sizeof lines / sizeof *lines, &err) == MPG_OK);
    CHECK(mpg_gang_build(&gang, &fleet, &fleet.jobs[0],
                         &(mpg_pool_ends){.as_of = fleet.last, .usual = fleet.last},
                         &err) == MPG_OK);
    CHECK(mpg_innermost_build(&in, &fleet, 0, &gang, fleet.last, &notices, &err) == MPG_OK);
    CHECK(in.nitems == 1 && notices.count[MPG_NOTICE_SPAN_OUTSIDE] == (i == 2));
    mpg_innermost_free(&in);
    mpg_gang_free(&gang);
    mpg_fleet_free(&fleet);
    mpg_issues_free(&issues);
  }
}

int main(void) {
  static const mpg_notice counted[] = {MPG_NOTICE_OUT_OF_ORDER,      MPG_NOTICE_MISSING_END,
                                       MPG_NOTICE_SPAN_OUTSIDE,      MPG_NOTICE_SPAN_WITHOUT,
                                       MPG_NOTICE_OVERLAPPING_SPANS, MPG_NOTICE_DUPLICATE_SPAN,
                                       MPG_NOTICE_CONCURRENT_STEPS,  MPG_NOTICE_REPEATED_STEPS};
  const mpg_env *env = &mpg_env_libc;
  int64_t seen[MPG_NOTICES] = {0};
  mpg_gang gang;
  mpg_innermost in; /* one for all, as the accounting has it */
  mpg_err err;
  CHECK(mpg_gang_init(&gang, env, &err) == MPG_OK);
  mpg_innermost_init(&in, env);
  for (int round = 0; round < 8000; round++) {
    mpg_issues issues;
    mpg_fleet fleet;
    mpg_notices notices = {0};
    static naive x;
    memset(&x, 0, sizeof x);
    mpg_issues_init(&issues, env);
    CHECK(mpg_fleet_init(&fleet, env, &issues, NULL, &err) == MPG_OK);
    CHECK(random_job(&fleet, &x, &err) == MPG_OK);
    x.as_of = (PLACES - check_below(6)) * MPG_SECOND;
    CHECK(mpg_gang_build(&gang, &fleet, &fleet.jobs[0],
                         &(mpg_pool_ends){.as_of = x.as_of, .usual = x.as_of}, &err) == MPG_OK);
    CHECK(mpg_innermost_build(&in, &fleet, 0, &gang, x.as_of, &notices, &err) == MPG_OK);
    settle(&x, &gang);
    check_parts(&x, &in, &gang, &fleet);
    check_items(&x, &in, &gang, &fleet);
    for (size_t k = 0; k < sizeof counted / sizeof *counted; k++) {
      CHECK(notices.count[counted[k]] == x.notices[counted[k]]);
      seen[counted[k]] += x.notices[counted[k]];
    }
    if (round % 50 == 0)
      check_faults(&in, &fleet, &gang, x.as_of);
    mpg_fleet_free(&fleet);
    mpg_issues_free(&issues);
  }
  for (size_t k = 0; k < sizeof counted / sizeof *counted; k++)
    CHECK(seen[counted[k]] > 50);
  mpg_innermost_free(&in);
  mpg_gang_free(&gang);
  test_many_attempts();
  test_outside();
  return check_done("innermost");
}
