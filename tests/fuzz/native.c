/* native.c - the native trace: CSV of the relation that the first byte names, or JSON with all of
** them; and the ledger of whatever comes through. */
#include "fuzz.h"
#include "../../ext/goodput/ledger/ledger.h"
#include "../../ext/goodput/native/native.h"

#include <stdio.h>

static mpg_rc account(const mpg_env *env, mpg_fleet *fleet, fuzz_text *out, mpg_err *err) {
  mpg_ledger_options options = mpg_ledger_defaults();
  mpg_accounting accounting = {0};
  mpg_ledger ledger;
  mpg_sink sink;
  mpg_rc rc;
  mpg_ledger_init(&ledger, env);
  sink = mpg_ledger_sink(&ledger);
  rc = mpg_accounting_init(&accounting, env, fleet, &options, err);
  for (size_t u = 0; rc == MPG_OK && u < mpg_accounting_units(&accounting); u++)
    rc = mpg_accounting_unit(&accounting, u, &sink, "trace", err);
  if (rc == MPG_OK)
    rc = mpg_accounting_finish(&accounting, "trace", err);
  if (rc == MPG_OK)
    rc = mpg_ledger_sort(&ledger);
  for (size_t i = 0; rc == MPG_OK && i < ledger.n; i++) {
    size_t k = ledger.order[i];
    fuzz_put(out, "%u %u %d %lld %lld %lld\n", ledger.job[k], ledger.pool[k], ledger.category[k],
             (long long)ledger.start[k], (long long)ledger.end[k], (long long)ledger.chip_us[k]);
  }
  mpg_accounting_free(&accounting);
  mpg_ledger_free(&ledger);
  return rc;
}

static mpg_rc render(const mpg_env *env, mpg_str input, fuzz_text *out) {
  mpg_issues issues;
  mpg_chips *chips = NULL;
  mpg_fleet fleet = {0};
  mpg_err err = {MPG_OK, ""};
  mpg_rc rc;
  mpg_issues_init(&issues, env);
  rc = mpg_chips_new(&chips, env, &err);
  if (rc == MPG_OK)
    rc = mpg_fleet_init(&fleet, env, &issues, chips, &err);
  if (rc == MPG_OK)
    rc = mpg_native_read(&fleet, env, mpg_str_of(fuzz_path()),
                         &(mpg_native_options){.skip = true, .threads = fuzz_threads(input)}, &err);
  if (rc == MPG_OK)
    rc = mpg_fleet_seal(&fleet, &err);
  if (rc == MPG_OK)
    rc = account(env, &fleet, out, &err);
  if (rc != MPG_OK)
    fuzz_put(out, "!%s\n", err.text);
  fuzz_put_issues(out, &issues);
  mpg_fleet_free(&fleet);
  mpg_chips_free(chips);
  mpg_issues_free(&issues);
  return rc == MPG_OK ? MPG_DONE : rc;
}

void fuzz_native(mpg_str input) {
  char name[64] = "trace.jsonl";
  unsigned relation;
  if (input.n == 0)
    return;
  relation = (unsigned char)input.p[0] - '0';
  if (relation < MPG_RELATIONS)
    (void)snprintf(name, sizeof name, "%s.csv", mpg_relation_get((mpg_relation)relation)->name);
  fuzz_file(render, name, (mpg_str){input.p + 1, input.n - 1});
}
