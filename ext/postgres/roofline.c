/*
** roofline.c - the roofline in PostgreSQL, with the arguments of SQLite's functions
** (ext/sqlite/functions/roofline_functions.c) and the built-in catalogue of chips.
**
** A call site makes the catalogue once and keeps it as long as its plan.
*/
#include "host.h"
#include "funcapi.h"
#include "utils/builtins.h"

#include "../goodput/goodput.h"
#include "../program/roofline.h"

#include <math.h>

static const mpg_chips *catalogue_of(FunctionCallInfo call) {
  mpg_env env = mpg_host_env(call->flinfo->fn_mcxt), *kept;
  mpg_chips *chips;
  mpg_err err;
  if (call->flinfo->fn_extra != NULL)
    return call->flinfo->fn_extra;
  kept = MemoryContextAlloc(call->flinfo->fn_mcxt, sizeof *kept); /* the catalogue points to it */
  *kept = env;
  if (mpg_chips_new(&chips, kept, &err) != MPG_OK)
    mpg_raise(call, &err);
  call->flinfo->fn_extra = chips;
  return chips;
}

/* Arguments from `first` on: flops, [bytes,] chip [, dtype]. False if one but dtype is NULL. */
static bool compute_roofline(FunctionCallInfo call, int first, mpg_roofline *out) {
  int n = call->nargs - first, chip_at = first + (n == 2 ? 1 : 2);
  mpg_value dtype = {MPG_TEXT, 0, 0, {NULL, 0}};
  const mpg_chip_row *row;
  mpg_err err;
  for (int i = first; i <= chip_at; i++)
    if (call->args[i].isnull)
      return false;
  if (n > 3)
    dtype = mpg_text_argument(call, chip_at + 1);
  if (mpg_roofline_row(catalogue_of(call), mpg_text_argument(call, chip_at).s, dtype.s, &row,
                       &err) != MPG_OK ||
      mpg_roofline_of(row, DatumGetFloat8(call->args[first].value),
                      n == 2 ? (double)NAN : DatumGetFloat8(call->args[first + 1].value), out,
                      &err) != MPG_OK)
    mpg_raise(call, &err);
  return true;
}

PG_FUNCTION_INFO_V1(mpg_roofline_seconds);
Datum mpg_roofline_seconds(PG_FUNCTION_ARGS) {
  mpg_roofline r;
  if (!compute_roofline(fcinfo, 0, &r))
    PG_RETURN_NULL();
  PG_RETURN_FLOAT8(r.seconds);
}

PG_FUNCTION_INFO_V1(mpg_roofline_bound);
Datum mpg_roofline_bound(PG_FUNCTION_ARGS) {
  mpg_roofline r;
  if (!compute_roofline(fcinfo, 0, &r))
    PG_RETURN_NULL();
  PG_RETURN_TEXT_P(cstring_to_text(r.memory_bound ? "memory" : "compute"));
}

/* ---- roofline_ideal: an exact sum, so that moving and parallel aggregates agree ---- */

PG_FUNCTION_INFO_V1(mpg_roofline_add);
PG_FUNCTION_INFO_V1(mpg_roofline_take);

static Datum change_state(FunctionCallInfo call, bool remove) {
  MemoryContext context;
  mpg_goodput *g;
  mpg_roofline r;
  mpg_err err;
  if (AggCheckCallContext(call, &context) == 0)
    elog(ERROR, "mpg: an aggregate's step called outside of an aggregate");
  g = call->args[0].isnull ? MemoryContextAllocZero(context, sizeof *g)
                           : (mpg_goodput *)DatumGetPointer(call->args[0].value);
  if (compute_roofline(call, 1, &r)) {
    if (mpg_account_add_real(&g->account, MPG_IDEAL, r.seconds, remove, &err) != MPG_OK)
      mpg_raise(call, &err);
    g->rows += remove ? -1 : 1;
  }
  return PointerGetDatum(g);
}

Datum mpg_roofline_add(PG_FUNCTION_ARGS) {
  return change_state(fcinfo, false);
}

Datum mpg_roofline_take(PG_FUNCTION_ARGS) {
  return change_state(fcinfo, true);
}

PG_FUNCTION_INFO_V1(mpg_final_roofline_ideal);
Datum mpg_final_roofline_ideal(PG_FUNCTION_ARGS) {
  const mpg_goodput *g = PG_ARGISNULL(0) ? NULL : (const mpg_goodput *)PG_GETARG_POINTER(0);
  if (g == NULL || g->rows == 0)
    PG_RETURN_NULL();
  PG_RETURN_FLOAT8(mpg_sum_to_double(g->account.sum[MPG_IDEAL]));
}

/* ---- figures of a chip ---- */

typedef enum figure_of { PEAK, BANDWIDTH, INTERCONNECT } figure_of;

static Datum chip_figure(FunctionCallInfo call, figure_of which) {
  mpg_value chip = mpg_text_argument(call, 0), dtype = {MPG_TEXT, 0, 0, {NULL, 0}};
  const mpg_chips *chips;
  const mpg_chip_row *row;
  double v;
  mpg_err err;
  mpg_rc rc;
  if (chip.type == MPG_NULL) {
    call->isnull = true;
    return (Datum)0;
  }
  if (call->nargs > 1)
    dtype = mpg_text_argument(call, 1);
  chips = catalogue_of(call);
  rc = mpg_roofline_row(chips, chip.s, dtype.s, &row, &err);
  if (rc == MPG_DATA &&
      which != PEAK) { /* a chip without a default dtype has a bandwidth all the same */
    const char *name = mpg_chips_find(chips, chip.s);
    row = name == NULL ? NULL : mpg_chips_first(chips, name);
    rc = row == NULL ? rc : MPG_OK;
  }
  if (rc != MPG_OK)
    mpg_raise(call, &err);
  v = which == PEAK        ? row->peak_flops
      : which == BANDWIDTH ? row->hbm_bytes_per_s
                           : row->ici_bytes_per_s;
  call->isnull = isnan(v) != 0;
  return Float8GetDatum(v);
}

PG_FUNCTION_INFO_V1(mpg_chip_peak_flops);
Datum mpg_chip_peak_flops(PG_FUNCTION_ARGS) {
  return chip_figure(fcinfo, PEAK);
}

PG_FUNCTION_INFO_V1(mpg_chip_bandwidth);
Datum mpg_chip_bandwidth(PG_FUNCTION_ARGS) {
  return chip_figure(fcinfo, BANDWIDTH);
}

PG_FUNCTION_INFO_V1(mpg_chip_name);
Datum mpg_chip_name(PG_FUNCTION_ARGS) {
  const mpg_value chip = mpg_text_argument(fcinfo, 0);
  const char *name = chip.type == MPG_NULL ? NULL : mpg_chips_find(catalogue_of(fcinfo), chip.s);
  if (name == NULL)
    PG_RETURN_NULL();
  PG_RETURN_TEXT_P(cstring_to_text(name));
}

PG_FUNCTION_INFO_V1(mpg_chip_interconnect);
Datum mpg_chip_interconnect(PG_FUNCTION_ARGS) {
  return chip_figure(fcinfo, INTERCONNECT);
}
