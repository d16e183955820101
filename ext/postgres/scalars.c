/*
** scalars.c - small functions, as in SQLite (ext/sqlite/functions/classes.c, transformer.c):
** job_size, time_bucket, iso_week, transformer_flops.
*/
#include "host.h"
#include "utils/builtins.h"

#include "../goodput/job_size.h"
#include "../base/text.h"
#include "../base/time.h"
#include "../program/transformer_json.h"
#include "../base/time_bucket.h"

static Datum text_or_null(FunctionCallInfo call, const char *z) {
  if (z != NULL)
    return PointerGetDatum(cstring_to_text(z));
  call->isnull = true;
  return (Datum)0;
}

/* Ends the statement unless all is well. */
static void raise_unless_ok(mpg_rc rc, const char *who, const mpg_err *err) {
  if (rc != MPG_OK)
    mpg_raise_as(who, err);
}

PG_FUNCTION_INFO_V1(mpg_job_size);
Datum mpg_job_size(PG_FUNCTION_ARGS) {
  mpg_value chips = mpg_any_argument(fcinfo, 0), bounds = {MPG_NULL, 0, 0, {NULL, 0}};
  const char *name;
  mpg_err err;
  if (fcinfo->nargs > 1)
    bounds = mpg_text_argument(fcinfo, 1);
  raise_unless_ok(mpg_size_of(&chips, fcinfo->nargs > 1 ? &bounds : NULL, &name, &err), "job_size",
                  &err);
  return text_or_null(fcinfo, name);
}

PG_FUNCTION_INFO_V1(mpg_time_bucket);
Datum mpg_time_bucket(PG_FUNCTION_ARGS) {
  mpg_value time = mpg_any_argument(fcinfo, 0), width = mpg_any_argument(fcinfo, 1);
  char label[40];
  mpg_bucket bucket;
  mpg_err err;
  int64_t us;
  if (time.type == MPG_NULL || width.type == MPG_NULL)
    PG_RETURN_NULL();
  raise_unless_ok(mpg_time_value(&time, &us, &err), "time_bucket", &err);
  raise_unless_ok(mpg_bucket_parse(&width, &bucket, &err), "time_bucket", &err);
  (void)mpg_bucket_label(&bucket, mpg_bucket_start(&bucket, us), label);
  return text_or_null(fcinfo, label);
}

PG_FUNCTION_INFO_V1(mpg_iso_week_of);
Datum mpg_iso_week_of(PG_FUNCTION_ARGS) {
  mpg_value time = mpg_any_argument(fcinfo, 0), offset;
  char label[MPG_ISO_WEEK_TEXT], found[MPG_EXCERPT];
  int64_t us, ahead = 0;
  mpg_err err;
  if (fcinfo->nargs > 1) {
    offset = mpg_text_argument(fcinfo, 1);
    if (offset.type == MPG_NULL)
      PG_RETURN_NULL();
    if (!mpg_offset_parse(offset.s, &ahead)) {
      mpg_text_excerpt(offset.s, found);
      (void)mpg_fail(&err, MPG_MISUSE, "expected an offset from UTC such as '+02:00', found '%s'",
                     found);
      mpg_raise_as("iso_week", &err);
    }
  }
  if (time.type == MPG_NULL)
    PG_RETURN_NULL();
  raise_unless_ok(mpg_time_value(&time, &us, &err), "iso_week", &err);
  (void)mpg_iso_week(us + ahead, label);
  return text_or_null(fcinfo, label);
}

PG_FUNCTION_INFO_V1(mpg_transformer_flops_of);
Datum mpg_transformer_flops_of(PG_FUNCTION_ARGS) {
  mpg_value shape = mpg_any_argument(fcinfo, 0);
  mpg_env env = mpg_host_env(CurrentMemoryContext);
  double flops = 0;
  mpg_err err;
  if (shape.type == MPG_NULL)
    PG_RETURN_NULL();
  raise_unless_ok(mpg_transformer_json(&env, shape.s, &flops, &err), "transformer_flops", &err);
  PG_RETURN_FLOAT8(flops);
}
