/* relation_schema.c - see relation_schema.h. */
#include "relation_schema.h"
#include "../../base/ascii.h"

#include <string.h>

static const char *const capacity[] = {"pool", "chip", "chips", "start_time", "end_time"};
static const char *const outages[] = {"pool", "chips", "start_time", "end_time", "kind"};
static const char *const jobs[] = {"job",       "name",  "owner",      "phase",  "framework",
                                   "runtime",   "model", "priority",   "labels", "chips",
                                   "min_chips", "tasks", "submit_time"};
static const char *const allocations[] = {"job",   "attempt",    "task",     "pool",
                                          "chips", "start_time", "end_time", "outcome"};
static const char *const spans[] = {"job",      "attempt", "kind",      "start_time",
                                    "end_time", "step",    "program",   "flops",
                                    "bytes",    "dtype",   "executions"};
static const char *const commits[] = {"job", "attempt", "step", "snapshot_time", "durable_time"};
static const char *const programs[] = {"program", "flops", "bytes", "dtype"};
static const char *const observed[] = {"pool", "until_time", "job", "chip"};
static const char *const chips[] = {
    "chip",  "dtype",  "peak_flops", "hbm_bytes", "hbm_bytes_per_s", "ici_bytes_per_s",
    "tdp_w", "vendor", "year",       "source"};

#define COLUMNS(list) list, sizeof list / sizeof *list
#define BIT(i) (1u << (i))

static const mpg_relation_info table[MPG_RELATIONS] = {
    [MPG_REL_CAPACITY] = {"capacity", "capacity", COLUMNS(capacity),
                          BIT(CAPACITY_POOL) | BIT(CAPACITY_CHIPS) | BIT(CAPACITY_START)},
    [MPG_REL_OUTAGES] = {"outages", "outage", COLUMNS(outages),
                         BIT(OUTAGES_POOL) | BIT(OUTAGES_CHIPS) | BIT(OUTAGES_START)},
    [MPG_REL_JOBS] = {"jobs", "job", COLUMNS(jobs), BIT(JOBS_JOB)},
    [MPG_REL_ALLOCATIONS] = {"allocations", "allocation", COLUMNS(allocations),
                             BIT(ALLOCATIONS_JOB) | BIT(ALLOCATIONS_POOL) | BIT(ALLOCATIONS_CHIPS) |
                                 BIT(ALLOCATIONS_START)},
    [MPG_REL_SPANS] = {"spans", "span", COLUMNS(spans),
                       BIT(SPANS_JOB) | BIT(SPANS_KIND) | BIT(SPANS_START)},
    [MPG_REL_COMMITS] = {"commits", "commit", COLUMNS(commits), BIT(COMMITS_JOB)},
    [MPG_REL_PROGRAMS] = {"programs", "program", COLUMNS(programs), BIT(PROGRAMS_PROGRAM)},
    [MPG_REL_OBSERVED] = {"observed", "observed", COLUMNS(observed), 0},
    [MPG_REL_CHIPS] = {"chips", "chip", COLUMNS(chips),
                       BIT(CHIPS_CHIP) | BIT(CHIPS_DTYPE) | BIT(CHIPS_PEAK)},
};

const mpg_relation_info *mpg_relation_get(mpg_relation r) {
  return &table[r];
}

mpg_relation mpg_relation_by_record(mpg_str record) {
  for (int r = 0; r < MPG_RELATIONS; r++)
    if (r != MPG_REL_OBSERVED && mpg_str_eq(mpg_str_of(table[r].record), record))
      return (mpg_relation)r;
  return MPG_RELATIONS;
}

mpg_relation mpg_relation_by_file(const char *path) {
  const char *slash = strrchr(path, '/');
  mpg_str word = {slash ? slash + 1 : path, 0};
  while (mpg_is_letter(word.p[word.n]))
    word.n++;
  for (int r = 0; r < MPG_RELATIONS; r++)
    if (r != MPG_REL_OBSERVED && mpg_str_eq_nocase(mpg_str_of(table[r].name), word))
      return (mpg_relation)r;
  return MPG_RELATIONS;
}

int mpg_column_by_name(mpg_relation r, mpg_str name) {
  for (size_t i = 0; i < table[r].ncolumns; i++)
    if (mpg_str_eq_nocase(mpg_str_of(table[r].columns[i]), name))
      return (int)i;
  return -1;
}
