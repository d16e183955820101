/*
** fleet_cache.h - fleets that a connection's mappings have made, so that other questions of the
** same files, as of other buckets or of the ledger's rows, map nothing.
**
** A scan takes the fleet out of the cache and gives it back at its end; a second scan of the same
** files meanwhile maps them for itself. When a fleet is valid: see rollup_cache.h. Fleets of the
** native trace, which are read as fast as it goes, and those that went to a temporary file are not
** kept.
*/
#ifndef MPG_FLEET_CACHE_H
#define MPG_FLEET_CACHE_H

#include "cache.h"
#include "../../goodput/trace/fleet.h"

/* What is read. */
typedef struct mpg_fleet_question {
  mpg_str path;
  int on_error;
  bool records; /* as trace_records shows them: not sealed, and with the end of each source */
  uint64_t user_tables; /* the content of those that scripts read, as a hash */
} mpg_fleet_question;

/* A scan's fleet that may be kept. The scan sets all but the entry. Zero-initialised: none is. */
typedef struct mpg_fleet_keep {
  mpg_conn *conn;
  const mpg_env *scan;           /* its `looked` is told what is looked up */
  mpg_intern *reported;          /* is told each name under which issues may be listed, or NULL */
  struct mpg_fleet_entry *entry; /* NULL: nothing is to be kept */
} mpg_fleet_keep;

/*
** True: *fleet, sealed unless it is for its records, and *chips are the kept ones of that question,
** and their issues are listed again. False: the caller reads them, with keep->reported and with
** *env, a copy of the scan's that notes what is looked up.
*/
bool mpg_fleet_cache_take(mpg_fleet_keep *keep, const mpg_fleet_question *question, mpg_env *env,
                          mpg_fleet *fleet, mpg_chips **chips);
/* After reading, and before accounting lists more: what mapping listed is kept with the fleet. */
void mpg_fleet_cache_mapped(mpg_fleet_keep *keep);
/* Whether the scan's fleet is to be kept, so that nothing may be taken out of it. */
bool mpg_fleet_cache_keeps(const mpg_fleet_keep *keep, const mpg_fleet *fleet);
/* At the scan's end, while its environment is there: keeps what was taken or mapped, if that can
** be. Then *fleet is empty and *chips NULL, else they are as they were. */
void mpg_fleet_cache_give(mpg_fleet_keep *keep, mpg_fleet *fleet, mpg_chips **chips);

#endif
