/*
** time_bucket.h - the buckets that time is cut into.
*/
#ifndef MPG_TIME_BUCKET_H
#define MPG_TIME_BUCKET_H

#include "time.h"

/*
** A bucket width: a number of seconds ("3600", 0.5), or "<n> <unit>" with unit
** second, minute, hour, day, week, month, quarter, year in any case (a plural s is accepted; n may
** be left out, and may have a fraction for fixed widths). Fixed widths count from the epoch, weeks
** from a Monday (ISO 8601), months, quarters and years from January 1970: in UTC, or on clocks that
** are an offset ahead of it, "1 day +02:00". NULL is no bucket.
*/
typedef struct mpg_bucket {
  int64_t width_us; /* fixed width, > 0; 0 if months counts, or if there is no bucket */
  int64_t origin_us;
  int months;       /* > 0: a calendar width */
  int64_t ahead_us; /* of the clocks that buckets are counted by, from UTC */
} mpg_bucket;

mpg_rc mpg_bucket_parse(const mpg_value *v, mpg_bucket *bucket, mpg_err *err);
static inline bool mpg_bucket_is_set(const mpg_bucket *b) {
  return b->width_us > 0 || b->months > 0;
}
/* Start of the bucket that holds `us` (which is >= 0; the start may lie before the epoch). */
int64_t mpg_bucket_start(const mpg_bucket *bucket, int64_t us);
/* Start of the bucket after the one that starts at `start`. */
int64_t mpg_bucket_next(const mpg_bucket *bucket, int64_t start);
/*
** Text that sorts and that SQLite's date functions read: "YYYY-MM-DD" if every bucket of this width
** starts at midnight (of its own zone), else "YYYY-MM-DD HH:MM:SS" (with ".ffffff" if the width has
** a fraction of a second). `out` holds 40 bytes; the length is returned.
*/
size_t mpg_bucket_label(const mpg_bucket *bucket, int64_t start, char *out);

#endif
