/*
** rating.h - the ideal of productive spans: the chip-time that their work takes at the peak of the
** chips they ran on (docs/rules.md, section 6). A span is rated once on each kind of chip, and its
** parts share that.
*/
#ifndef MPG_RATING_H
#define MPG_RATING_H

#include "../trace/fleet.h"
#include "gang.h"
#include "innermost.h"
#include "notices.h"

#define MPG_PEAKS 8

/* A pool while it has one chip: what a part is split by. In the order of pool names, then time. */
typedef struct mpg_lane {
  size_t pool; /* of the gang's */
  uint32_t chip;
  int64_t from, until;
} mpg_lane;

/* The part of [*start, *end) that lies in the lane; false if nothing does. */
static inline bool mpg_lane_clip(const mpg_lane *lane, int64_t *start, int64_t *end) {
  if (*start < lane->from)
    *start = lane->from;
  if (*end > lane->until)
    *end = lane->until;
  return *start < *end;
}

/* What the time of an item is. */
typedef struct mpg_verdict {
  uint8_t category; /* MPG_UNRATED means productive, rated or not */
  bool shared;      /* if there is one lane: its parts share the ideal of its rating */
  uint32_t cause;   /* a text; if shared the place of the rating: productive time has no cause */
} mpg_verdict;

/* What a productive span is given in a lane. */
typedef struct mpg_rating {
  int64_t weight;        /* chip-microseconds of the span in this lane */
  int64_t before, total; /* and on the same chip: in the lanes before, in all lanes */
  int64_t given;         /* of the weight, by the parts so far */
  int64_t ideal;         /* of the whole span on this chip; MPG_NONE: unrated */
} mpg_rating;

/* An answer of the catalogue. */
typedef struct mpg_peak {
  uint32_t chip, dtype; /* texts */
  bool known_chip;
  const mpg_chip_row *row; /* NULL: no peak for this dtype */
} mpg_peak;

/* Used for one job after the other. The caller sets what is borrowed, and 0 for the rest. */
typedef struct mpg_ratings {
  const mpg_env *env;
  const mpg_fleet *fleet;
  const mpg_gang *gang;
  const mpg_innermost *in;
  mpg_notices *notices;
  bool memory; /* ideal = max(compute, memory) instead of compute alone */
  /* The current job. */
  uint32_t job;
  bool one; /* there is one lane, for the whole job */
  const mpg_lane *lanes;
  size_t nlanes;
  mpg_verdict *verdicts; /* of each item, which say what is shared */

  mpg_rating *ratings; /* of each item in each lane; of those that are shared if there is one */
  size_t ratings_cap;
  mpg_peak peaks[MPG_PEAKS]; /* the latest answers, by a hash of the question */
  size_t done;               /* since the host was polled */
} mpg_ratings;

void mpg_ratings_free(mpg_ratings *ratings);

/* Rates the job's items. If there is one lane, an item with one part is rated later, when that part
** is passed. */
mpg_rc mpg_ratings_build(mpg_ratings *ratings, mpg_err *err);
/* The ideal of a productive part, which has `amount` chip-microseconds of a lane; MPG_NONE:
** unrated. To be called once for each part in each lane, in their order. */
int64_t mpg_ratings_ideal(mpg_ratings *ratings, const mpg_part *part, size_t lane, int64_t amount);

#endif
