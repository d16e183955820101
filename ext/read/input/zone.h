/*
** zone.h - local times of a named time zone, for sources that write times without one.
**
** Reads compiled zone files (TZif version 2 and later, RFC 8536): the 64-bit transitions and, after
** the last of them, the POSIX TZ rule of the footer, up to 2262. Neither environment variables nor
** the C library's local time are used.
**
** Seconds are int64 Unix seconds; "local" is the same count for the time on a wall clock.
*/
#ifndef MPG_ZONE_H
#define MPG_ZONE_H

#include "../../base/base.h"

typedef struct mpg_zone mpg_zone;

/* How a local time fits the zone. */
typedef enum mpg_zone_fit {
  MPG_ZONE_UNIQUE,
  MPG_ZONE_REPEATED, /* the clock showed it twice: the first time (daylight saving) is taken */
  MPG_ZONE_SKIPPED   /* the clock jumped over it: moved forward by as much as the clock jumped */
} mpg_zone_fit;

#define MPG_ZONE_FOLDER "/usr/share/zoneinfo"

/*
** `name` is "UTC", "Z", an offset east of UTC ("+02", "+0200", "-03:30", up to 24 hours), or the
** name of a file below `folder` ("Europe/Berlin"). MPG_MISUSE: a name that cannot be one (an
** absolute path, "..", other bytes than letters, digits and _+-./); MPG_IO: no such zone, with a
** hint at the package that brings them; MPG_DATA: not a zone file, or one that counts leap seconds.
*/
mpg_rc mpg_zone_open(mpg_zone **out, const mpg_env *env, mpg_str name, const char *folder,
                     mpg_err *err);
/* The zone of an argument `zone`, UTC if it is NULL; errors begin with the argument's name. */
mpg_rc mpg_zone_given(mpg_zone **out, const mpg_env *env, const mpg_value *argument, mpg_err *err);
/* The same from the bytes of a zone file; `name` is its name in errors. */
mpg_rc mpg_zone_load(mpg_zone **out, const mpg_env *env, const char *name, mpg_str bytes,
                     mpg_err *err);
void mpg_zone_free(mpg_zone *zone); /* NULL is fine */

/* Whether a time that mpg_time_parse takes is what a wall clock shows: a date, and no zone after
** it. */
bool mpg_zone_is_local(mpg_str time);

/* Seconds east of UTC at an instant. */
int64_t mpg_zone_offset(const mpg_zone *zone, int64_t utc);
/* The instant at which the wall clock showed `local`. */
mpg_zone_fit mpg_zone_utc(const mpg_zone *zone, int64_t local, int64_t *utc);

#endif
