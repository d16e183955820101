/*
** log_stamp.h - times as programs write them at the start of their log lines.
**
**     1795240353.25                        Unix seconds
**     2026-11-21T15:01:26.123Z             ISO 8601; "/" for "-", a space for "T"
**     2026-11-21 15:01:26,123              Python's logging, log4j's ISO8601
**     21 Nov 2026 15:01:26,123             log4j's DATE
**     21/Nov/2026:15:01:26 +0100           web servers
**     26/11/21 15:01:26                    Spark: year, month, day
**     20261121 15:01:26.123456             glog
**     1121 15:01:26.123456                 glog, absl: no year; PyTorch has 921 in September
**     Nov 21 15:01:26                      syslog: no year
**     Sat Nov 21 15:01:26 2026             ctime(3), date(1)
**
** A fraction may follow the seconds in all, and a zone: Z, UTC, GMT, +01, +0100, +01:00.
*/
#ifndef MPG_LOG_STAMP_H
#define MPG_LOG_STAMP_H

#include "../../read/input/zone.h"

typedef struct mpg_stamp {
  bool absolute; /* Unix seconds: only us counts */
  bool zoned;    /* it says its zone: offset counts, and no other */
  int64_t year;  /* 0: it does not say */
  int month, day;
  int64_t us;     /* of the day, or since the epoch */
  int64_t offset; /* seconds east of UTC */
} mpg_stamp;

/* Takes the whole of `text`, or returns false. */
bool mpg_stamp_read(mpg_str text, mpg_stamp *out);

/*
** What looks like a time at the start of a line, after marks of ranks, severities and processes:
**
**     [2026-11-21 15:01:26,123] ...        ISO 8601, "/" for "-"
**     [20261121 15:01:26][rank-0/1] ...    Primus
**     [rank3]:[E1121 15:01:26.123456 ...   glog, absl
**
** Empty: there is none within the first MPG_STAMP_REACH bytes.
*/
#define MPG_STAMP_REACH 48
mpg_str mpg_stamp_leads(mpg_str line);

/*
** The time that what keeps logs has beside the text, in an object of JSON or in the line of one
** member, the last of several: a date, or Unix seconds, milliseconds or finer.
**
**     {"log":"...\n","stream":"stderr","time":"2026-11-21T15:01:26.123Z"}
**       "timestamp": 1795273286123,
**     timestamp: '2026-11-21T15:01:26Z'
**
** False: the line is none of these. Empty: it is, without a time.
*/
bool mpg_stamp_beside(mpg_str line, mpg_str *out);

/* The instant, in the given year if the text has none (the year must not be 0 then). False: there
** is no such day, or it is outside the range of time.h. A NULL zone is UTC. */
bool mpg_stamp_at(const mpg_stamp *t, int64_t year, const mpg_zone *zone, int64_t *us,
                  mpg_zone_fit *fit);

#endif
