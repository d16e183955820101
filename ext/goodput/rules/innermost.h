/*
** innermost.h - who explains each moment of a job: its spans in order, and the parts of time in
** which one of them, or none, is innermost (docs/rules.md, section 4).
*/
#ifndef MPG_INNERMOST_H
#define MPG_INNERMOST_H

#include "../trace/fleet.h"
#include "gang.h"
#include "lineage.h"
#include "notices.h"

#define MPG_NOBODY SIZE_MAX /* the item of a part that no span explains */

typedef struct mpg_item {
  mpg_span span;     /* start and end settled, and cut at as_of */
  size_t attempt;    /* its place in order */
  int64_t inside;    /* microseconds for which it is innermost while its gang was complete */
  double left_share; /* of its length, what as_of left: 1 unless it ends later */
} mpg_item;

/* What of an item's parts is asked for every item: a byte takes less memory to look at. */
enum { MPG_ITEM_SHOWN = 1, MPG_ITEM_SPLIT = 2 };

/* A time of one complete stretch in which the same item is innermost. */
typedef struct mpg_part {
  int64_t start, end;
  size_t stretch, item;
} mpg_part;

/* What the spans of an attempt say about the time between them. */
typedef struct mpg_activity {
  bool any, serves;
  int64_t last; /* the latest end of its spans */
} mpg_activity;

/* One job's; the arrays are scratch that the next job reuses. */
typedef struct mpg_innermost {
  const mpg_env *env;
  mpg_item *items; /* by attempt, then start, the outer before the inner */
  size_t nitems;
  bool traced;          /* a span began by as_of, whether or not it has an attempt */
  bool batches;         /* there are some among the items, */
  bool rollouts;        /* and rollouts */
  int64_t *outside;     /* of each item: see mpg_innermost_outside; unset unless */
  bool strayed;         /* some are not 0 */
  unsigned char *marks; /* of each item: 0, or shown, and split if it has several parts */
  mpg_part *parts;      /* by attempt, then start */
  size_t nparts;
  size_t nshown;          /* items that have a part */
  bool split;             /* some have several */
  mpg_activity *activity; /* of each attempt */
  mpg_branch *branches;   /* in their order */
  size_t nbranches;
  struct mpg_upcoming *upcoming;
  mpg_item **stack;
  size_t items_cap, outside_cap, marks_cap, parts_cap, activity_cap, branches_cap, upcoming_cap,
      stack_cap;
} mpg_innermost;

/* Microseconds for which the item is innermost while its gang is not complete. */
static inline int64_t mpg_innermost_outside(const mpg_innermost *in, const mpg_item *item) {
  return in->strayed ? in->outside[item - in->items] : 0;
}

void mpg_innermost_init(mpg_innermost *in, const mpg_env *env);
void mpg_innermost_free(mpg_innermost *in);
mpg_rc mpg_innermost_build(mpg_innermost *in, const mpg_fleet *fleet, uint32_t job,
                           const mpg_gang *gang, int64_t as_of, mpg_notices *notices, mpg_err *err);

#endif
