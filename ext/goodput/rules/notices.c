/* notices.c - see notices.h. */
#include "notices.h"

#include <stdio.h>
#include <string.h>

static const struct {
  mpg_severity severity;
  const char *kind, *detail; /* the detail continues ", first in job NAME" */
} table[MPG_NOTICES] = {
    [MPG_NOTICE_UNKNOWN_JOB] = {MPG_WARNING, "unknown_job",
                                "allocations of a job without a record in jobs"},
    [MPG_NOTICE_INVALID_LABELS] = {MPG_WARNING, "invalid_labels",
                                   "jobs whose labels are no JSON object: no label is found in "
                                   "them"},
    [MPG_NOTICE_OVERLAPPING_ATTEMPTS] =
        {MPG_WARNING, "overlapping_attempts",
         "attempts that hold chips at the same time, each counted by itself"},
    [MPG_NOTICE_DUPLICATE_ALLOCATION] =
        {MPG_WARNING, "duplicate_allocation",
         "allocations of a task that repeat exactly, counted as given"},
    [MPG_NOTICE_OUT_OF_ORDER] = {MPG_INFO, "out_of_order",
                                 "spans that start before the one read before them"},
    [MPG_NOTICE_MISSING_END] =
        {MPG_WARNING, "missing_end",
         "spans without an end before others of their kind, or in an attempt that has ended"},
    [MPG_NOTICE_SPAN_OUTSIDE] =
        {MPG_WARNING, "span_outside_allocation",
         "spans with time in which the gang was not complete, or held or needed nothing, left "
         "out"},
    [MPG_NOTICE_SPAN_WITHOUT] = {MPG_DATA_LOSS, "span_without_allocation",
                                 "spans of no attempt that held chips, left out"},
    [MPG_NOTICE_COMMIT_WITHOUT] = {MPG_DATA_LOSS, "commit_without_allocation",
                                   "commits of a job that never held chips, left out"},
    [MPG_NOTICE_OVERLAPPING_SPANS] = {MPG_WARNING, "overlapping_spans",
                                      "spans that begin inside another and end after it"},
    [MPG_NOTICE_CONCURRENT_STEPS] =
        {MPG_WARNING, "concurrent_steps",
         "steps that begin while one of their number or a higher one runs, or batches while one of "
         "their number does, counted as restarts, though they may be of several ranks or workers"},
    [MPG_NOTICE_REPEATED_STEPS] =
        {MPG_WARNING, "repeated_steps",
         "steps of the number of the one before them or a lower one, or batches of one before "
         "them, counted as restarts, though no restore or init is between: are "
         "they of another epoch, or parts of a step?"},
    [MPG_NOTICE_SURVIVING_SERVE] = {MPG_WARNING, "surviving_serve",
                                    "serve spans before a step that is lost, counted as done: if "
                                    "they share the fate of their step, their kind is rollout"},
    [MPG_NOTICE_NEGATIVE_STEPS] = {MPG_WARNING, "impossible_value",
                                   "steps and commits of a number below 0, counted as given"},
    [MPG_NOTICE_EARLY_COMMITS] = {MPG_WARNING, "impossible_time",
                                  "commits that are durable before their snapshot, counted as "
                                  "given"},
    [MPG_NOTICE_STEPS_AGAINST_CLOCK] =
        {MPG_WARNING, "impossible_time",
         "steps that began after the snapshot of the commit that has their number or a higher one, "
         "counted as kept: do clocks differ?"},
    [MPG_NOTICE_UNNUMBERED_STEPS] =
        {MPG_WARNING, "unnumbered_steps",
         "steps without a number, among others that have one or without a commit: an attempt that "
         "completed makes them productive, though a restart may have done them again"},
    [MPG_NOTICE_UNPROVEN_STEPS] = {MPG_WARNING, "unproven_steps",
                                   "steps of an attempt that did not complete, counted as "
                                   "productive since a later attempt without steps completed and "
                                   "the job has no commit"},
    [MPG_NOTICE_DUPLICATE_SPAN] = {MPG_WARNING, "duplicate_span",
                                   "spans that repeat exactly, counted once"},
    [MPG_NOTICE_HIDDEN_SPAN] = {MPG_WARNING, "hidden_span",
                                "productive spans with FLOPs that no moment is left to"},
    [MPG_NOTICE_UNKNOWN_CHIP] =
        {MPG_WARNING, "unknown_chip",
         "productive spans on a chip that the catalogue does not know, unrated"},
    [MPG_NOTICE_UNKNOWN_DTYPE] =
        {MPG_WARNING, "unknown_dtype",
         "productive spans of a dtype that their chip has no peak for, unrated"},
    [MPG_NOTICE_UNKNOWN_PROGRAM] = {MPG_WARNING, "unknown_program",
                                    "productive spans of a program without a record, unrated"},
    [MPG_NOTICE_ABOVE_ROOFLINE] =
        {MPG_WARNING, "above_roofline",
         "productive spans faster than their ideal: program goodput above 1"},
};

void mpg_notice_add(mpg_notices *n, const mpg_fleet *fleet, mpg_notice kind, uint32_t job,
                    int64_t count) {
  if (count == 0)
    return;
  n->count[kind] += count;
  if (n->job[kind] == 0 || mpg_intern_cmp(&fleet->job_names, job + 1, n->job[kind]) < 0)
    n->job[kind] = job + 1;
}

/* Of two equals, less than 0 if the first is reported: by its peak, one that exists first, then by
** name, then that of a default dtype. So the order in which spans are accounted does not matter. */
static int above_order(const mpg_above *a, const mpg_above *b) {
  int order = (a->row == NULL) - (b->row == NULL);
  if (a->row != NULL && b->row != NULL) {
    order = strcmp(a->row->chip, b->row->chip);
    order = order != 0 ? order : strcmp(a->row->dtype, b->row->dtype);
  }
  return order != 0 ? order : a->dtype_given - b->dtype_given;
}

/* Keeps the faster of two spans. */
static void keep_faster(mpg_above *a, const mpg_above *b) {
  if (b->goodput > a->goodput || (b->goodput == a->goodput && above_order(a, b) > 0))
    *a = *b;
}

void mpg_notice_above(mpg_notices *n, const mpg_fleet *fleet, uint32_t job,
                      const mpg_above *above) {
  mpg_notice_add(n, fleet, MPG_NOTICE_ABOVE_ROOFLINE, job, 1);
  keep_faster(&n->above, above);
}

/* Only the ends are looked at: they tell a list of pairs, and what Python prints, from JSON. */
static bool is_object(mpg_str text) {
  size_t first = 0, next;
  while (first < text.n && strchr(" \t\r\n", text.p[first]) != NULL)
    first++;
  while (text.n > first && strchr(" \t\r\n", text.p[text.n - 1]) != NULL)
    text.n--;
  for (next = first + 1; next < text.n && strchr(" \t\r\n", text.p[next]) != NULL;)
    next++;
  return next < text.n && text.p[first] == '{' && strchr("\"}", text.p[next]) != NULL &&
         text.p[text.n - 1] == '}';
}

void mpg_notice_labels(mpg_notices *n, const mpg_fleet *fleet, uint32_t job) {
  const uint32_t labels = fleet->jobs[job].dim[JOBS_LABELS - JOBS_NAME];
  if (labels != 0 && !is_object(mpg_intern_text(&fleet->texts, labels)))
    mpg_notice_add(n, fleet, MPG_NOTICE_INVALID_LABELS, job, 1);
}

void mpg_notices_merge(mpg_notices *n, const mpg_fleet *fleet, const mpg_notices *others) {
  for (int k = 0; k < MPG_NOTICES; k++)
    if (others->count[k] != 0)
      mpg_notice_add(n, fleet, (mpg_notice)k, others->job[k] - 1, others->count[k]);
  keep_faster(&n->above, &others->above);
}

/* ---- Why a program seems faster than it can be ---- */

/* Chips of two halves that a profiler or scheduler may list as two devices: see docs/sql.md. */
static bool has_two_devices(const char *chip) {
  static const char *const chips[] = {"tpu-v2",  "tpu-v3", "tpu-v4",
                                      "tpu-v5p", "tpu7x",  "amd-mi250x"};
  for (size_t i = 0; chip != NULL && i < sizeof chips / sizeof *chips; i++)
    if (strcmp(chip, chips[i]) == 0)
      return true;
  return false;
}

#define NOISE 1.05 /* clocks, and timers that miss the ends of a program */
#define TWICE 2.1

/* The greatest peak of the same chip. */
static const mpg_chip_row *fastest_row(const mpg_chips *chips, const mpg_chip_row *row) {
  const mpg_chip_row *best = row;
  for (size_t i = 0; i < mpg_chips_count(chips); i++) {
    const mpg_chip_row *other = mpg_chips_row(chips, i);
    if (strcmp(other->chip, row->chip) == 0 && other->peak_flops > best->peak_flops)
      best = other;
  }
  return best;
}

/* Mistakes that make work look so much faster than it can be, the likelier ones first. */
static void likely_cause(const mpg_above *a, const mpg_chips *chips, char *out, size_t cap) {
  size_t n = (size_t)mpg_print(out, cap, ", up to %.3g", a->goodput);
  if (a->row != NULL)
    n += (size_t)snprintf(out + n, cap - n, " on %.40s at its %s peak, %.16s", a->row->chip,
                          a->dtype_given ? "given" : "default", a->row->dtype);
  if (a->goodput <= NOISE) {
    (void)snprintf(out + n, cap - n, "; so little may be the noise of clocks and timers");
    return;
  }
  n += (size_t)snprintf(out + n, cap - n, "; likely:");
  if (a->row != NULL) {
    const mpg_chip_row *best = fastest_row(chips, a->row);
    double times = best->peak_flops / a->row->peak_flops;
    if (best != a->row && a->goodput <= times * NOISE)
      n +=
          (size_t)mpg_print(out + n, cap - n, " another dtype (the %.16s peak is %.3g times that),",
                            best->dtype, times);
  }
  if (a->goodput <= TWICE) {
    if (a->row != NULL && has_two_devices(a->row->chip))
      n += (size_t)snprintf(out + n, cap - n, " chips counted where cores or dies were meant,");
    (void)snprintf(out + n, cap - n,
                   " FLOPs of a sparse product counted as dense, causal attention not halved");
  } else {
    (void)snprintf(out + n, cap - n,
                   " FLOPs of all devices held against the time of one, executions counted twice");
  }
}

/* The detail of a kind, with what its kind adds. */
static void describe_kind(const mpg_notices *n, const mpg_chips *chips, int kind, char *out,
                          size_t cap) {
  size_t length = (size_t)snprintf(out, cap, "%s", table[kind].detail);
  if (kind == MPG_NOTICE_ABOVE_ROOFLINE && n->above.goodput > 0)
    likely_cause(&n->above, chips, out + length, cap - length);
}

/* The letters of a kind in lower case, without what people put before and after them: "Step",
** "steps" and "train_step" are written like "step". Empty if it is longer than any kind. */
static void plain_kind(mpg_str text, char out[16]) {
  size_t n = 0;
  char letters[32] = "", *at = letters;
  for (size_t i = 0; i < text.n && n + 1 < sizeof letters; i++)
    if ((text.p[i] | 0x20) >= 'a' && (text.p[i] | 0x20) <= 'z')
      letters[n++] = (char)(text.p[i] | 0x20);
  letters[n] = '\0';
  if (strncmp(at, "training", 8) == 0)
    at += 8;
  else if (strncmp(at, "train", 5) == 0)
    at += 5;
  n = strlen(at);
  if (n > 1 && at[n - 1] == 's')
    at[--n] = '\0';
  (void)mpg_print(out, 16, "%s", n < 16 ? at : "");
}

/* A kind that the rules do not know is a stall of that cause, on purpose or by a slip. */
static mpg_rc list_similar_kinds(const mpg_fleet *fleet, mpg_issues *issues, const char *source,
                                 mpg_err *err) {
  for (uint32_t id = MPG_KIND_CUSTOM; id <= fleet->kind_names.n; id++) {
    const mpg_str text = mpg_intern_text(&fleet->kind_names, id);
    char plain[16];
    uint32_t like;
    plain_kind(text, plain);
    like = mpg_intern_find(&fleet->kind_names, mpg_str_of(plain));
    if (like != 0 && like < MPG_KIND_CUSTOM &&
        mpg_issues_add(issues, MPG_WARNING, source, "similar_kind", 0, 1,
                       "spans of the kind \"%.*s\" are stalls of that cause: is it \"%s\"?",
                       (int)(text.n < 64 ? text.n : 64), text.p, plain) != MPG_OK)
      return mpg_fail_nomem(err);
  }
  return MPG_OK;
}

mpg_rc mpg_notices_list(const mpg_notices *n, const mpg_fleet *fleet, mpg_issues *issues,
                        const char *source, mpg_err *err) {
  for (int k = 0; k < MPG_NOTICES; k++) {
    mpg_str job = mpg_intern_text(&fleet->job_names, n->job[k]);
    char detail[512];
    describe_kind(n, fleet->chips, k, detail, sizeof detail);
    if (n->count[k] != 0 &&
        mpg_issues_add(issues, table[k].severity, source, table[k].kind, 0, n->count[k],
                       "%s, first in job %.*s", detail, (int)job.n, job.p) != MPG_OK)
      return mpg_fail_nomem(err);
  }
  return list_similar_kinds(fleet, issues, source, err);
}
