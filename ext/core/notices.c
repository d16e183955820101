/* notices.c - see notices.h. */
#include "notices.h"

static const struct {
  mpg_severity severity;
  const char *kind, *detail; /* the detail goes on ", first in job NAME" */
} table[MPG_NOTICES] = {
    [MPG_NOTICE_UNKNOWN_JOB] = {MPG_WARNING, "unknown_job",
                                "allocations of a job without a record in jobs"},
    [MPG_NOTICE_OVERLAPPING_ATTEMPTS] =
        {MPG_WARNING, "overlapping_attempts",
         "attempts that hold chips at the same time, each counted by itself"},
    [MPG_NOTICE_DUPLICATE_ALLOCATION] =
        {MPG_WARNING, "duplicate_allocation",
         "allocations of a task that repeat exactly, counted as given"},
    [MPG_NOTICE_OUT_OF_ORDER] = {MPG_INFO, "out_of_order",
                                 "spans that start before the one read before them"},
    [MPG_NOTICE_MISSING_END] = {MPG_WARNING, "missing_end",
                                "spans without an end in an attempt that has ended"},
    [MPG_NOTICE_SPAN_OUTSIDE] =
        {MPG_WARNING, "span_outside_allocation",
         "spans with time in which the gang was not complete or nothing was held, left out"},
    [MPG_NOTICE_SPAN_WITHOUT] = {MPG_DATA_LOSS, "span_without_allocation",
                                 "spans of no attempt that held chips, left out"},
    [MPG_NOTICE_OVERLAPPING_SPANS] = {MPG_WARNING, "overlapping_spans",
                                      "spans that begin inside another and end after it"},
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
         "productive spans faster than their ideal: program goodput above 1 (a sparse "
         "peak, another dtype, or FLOPs counted twice?)"},
};

void mpg_notice_add(mpg_notices *n, const mpg_fleet *fleet, mpg_notice kind, uint32_t job,
                    int64_t count) {
  if (count == 0)
    return;
  n->count[kind] += count;
  if (n->job[kind] == 0 || mpg_intern_cmp(&fleet->job_names, job + 1, n->job[kind]) < 0)
    n->job[kind] = job + 1;
}

void mpg_notices_merge(mpg_notices *n, const mpg_fleet *fleet, const mpg_notices *others) {
  for (int k = 0; k < MPG_NOTICES; k++)
    if (others->count[k] != 0)
      mpg_notice_add(n, fleet, (mpg_notice)k, others->job[k] - 1, others->count[k]);
}

mpg_rc mpg_notices_list(const mpg_notices *n, const mpg_fleet *fleet, mpg_issues *issues,
                        const char *source, mpg_err *err) {
  for (int k = 0; k < MPG_NOTICES; k++) {
    mpg_str job = mpg_intern_text(&fleet->job_names, n->job[k]);
    if (n->count[k] != 0 &&
        mpg_issues_add(issues, table[k].severity, source, table[k].kind, 0, n->count[k],
                       "%s, first in job %.*s", table[k].detail, (int)job.n, job.p) != MPG_OK)
      return mpg_fail_nomem(err);
  }
  return MPG_OK;
}
