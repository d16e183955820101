/* source_options.c - see source_options.h. */
#include "source_options.h"
#include "../host.h"

#include <string.h>

/* What options say of all jobs and pools of a source. */
enum { OF_JOBS = 1, OF_POOLS = 2, OF_CHIPS = 4 };

static mpg_rc read_options(mpg_sources *s, int64_t *of, mpg_err *err) {
  return mpg_private_ask(
      &s->db,
      "SELECT coalesce(max(key IN (SELECT key FROM of_jobs)) + 2 * max(key = 'pool') + 4 * max(key "
      "= 'chip'), 0) FROM source, json_each(options) WHERE source = ?1 AND "
      "value IS NOT NULL",
      s->source, of, err);
}

mpg_rc mpg_source_apply_options(mpg_sources *s, const mpg_script *script, mpg_err *err) {
  static const char *const of_pools[] = {"capacity", "outages", "allocations", "observed"};
  int64_t of;
  mpg_rc rc = read_options(s, &of, err);
  if (rc == MPG_OK && (of & OF_JOBS) != 0)
    rc = mpg_private_do(&s->db, err,
                        "UPDATE all_jobs SET "
                        "phase = coalesce(json_extract(o.options, '$.phase'), phase), "
                        "framework = coalesce(json_extract(o.options, '$.framework'), framework), "
                        "runtime = coalesce(json_extract(o.options, '$.runtime'), runtime), "
                        "model = coalesce(json_extract(o.options, '$.model'), model), "
                        "owner = coalesce(json_extract(o.options, '$.owner'), owner), "
                        "name = coalesce(json_extract(o.options, '$.name'), name), "
                        "priority = coalesce(json_extract(o.options, '$.priority'), priority) "
                        "FROM source AS o WHERE o.source = %lld AND all_jobs.source = o.source",
                        (long long)s->source);
  /* A script that has no parameter of that name leaves the option to us. */
  if ((of & OF_POOLS) != 0 && strstr(script->sql, ":pool") == NULL)
    for (size_t i = 0; rc == MPG_OK && i < sizeof of_pools / sizeof *of_pools; i++)
      rc = mpg_private_do(&s->db, err,
                          "UPDATE all_%s SET pool = json_extract(o.options, '$.pool') "
                          "FROM source AS o WHERE o.source = %lld AND all_%s.source = o.source",
                          of_pools[i], (long long)s->source, of_pools[i]);
  if (rc == MPG_OK && (of & OF_CHIPS) != 0 && strstr(script->sql, ":chip,") == NULL &&
      strstr(script->sql, ":chip ") == NULL)
    rc = mpg_private_do(&s->db, err,
                        "UPDATE all_capacity SET chip = json_extract(o.options, '$.chip') "
                        "FROM source AS o WHERE o.source = %lld AND all_capacity.source = o.source",
                        (long long)s->source);
  return rc;
}
