/*
** goodput.c - the goodput aggregates in PostgreSQL: the same three forms, sums, messages and state
** bytes as in SQLite (ext/sqlite/functions/goodput_functions.c), for the same steps of the core.
**
** The transition state is an mpg_goodput in the aggregate's memory. Between processes it travels as
** 8 bytes, the number of rows (little-endian), and the bytes of mpg_account_write. Combining is
** exact, so any plan gives the same bytes.
*/
#include "host.h"
#include "utils/builtins.h"

#include "../goodput/goodput.h"

#include <string.h>

static mpg_goodput *goodput_make(FunctionCallInfo call) {
  MemoryContext context;
  if (AggCheckCallContext(call, &context) == 0)
    elog(ERROR, "mpg: an aggregate's step called outside of an aggregate");
  if (!call->args[0].isnull)
    return (mpg_goodput *)DatumGetPointer(call->args[0].value);
  return MemoryContextAllocZero(context, sizeof(mpg_goodput));
}

static Datum state_result(FunctionCallInfo call, mpg_rc rc, const mpg_goodput *g,
                          const mpg_err *err) {
  if (rc != MPG_OK)
    mpg_raise(call, err);
  return PointerGetDatum(g);
}

typedef mpg_value argument(FunctionCallInfo call, int i);

/* f(category, chip_time) */
static Datum category_row(FunctionCallInfo call, argument *number, bool remove) {
  mpg_goodput *g = goodput_make(call);
  mpg_value category = mpg_text_argument(call, 1), chip_time = number(call, 2);
  mpg_err err = {MPG_OK, ""};
  mpg_rc rc = MPG_OK;
  if (chip_time.type != MPG_NULL)
    rc = category.type == MPG_NULL ? mpg_fail(&err, MPG_DATA, "category is NULL")
                                   : mpg_goodput_category(g, category.s, &chip_time, remove, &err);
  return state_result(call, rc, g, &err);
}

/* f(capacity, allocated, productive, ideal) */
static Datum wide_row(FunctionCallInfo call, argument *number, bool remove) {
  mpg_goodput *g = goodput_make(call);
  mpg_value values[MPG_WIDE];
  mpg_err err = {MPG_OK, ""};
  for (int i = 0; i < MPG_WIDE; i++)
    values[i] = number(call, i + 1);
  return state_result(call, mpg_goodput_wide(g, values, remove, &err), g, &err);
}

/* f(state) */
static Datum state_row(FunctionCallInfo call, argument *bytes, bool remove) {
  mpg_goodput *g = goodput_make(call);
  mpg_value state = bytes(call, 1);
  mpg_err err = {MPG_OK, ""};
  mpg_rc rc = MPG_OK;
  if (state.type != MPG_NULL)
    rc = mpg_goodput_state(g, (const unsigned char *)state.s.p, state.s.n, remove, &err);
  return state_result(call, rc, g, &err);
}

/* The two directions of a form, for an SQL type: mpg_category_int8 and mpg_category_int8_out. */
#define STEP(name, form, argument)                                                                 \
  PG_FUNCTION_INFO_V1(mpg_##name);                                                                 \
  PG_FUNCTION_INFO_V1(mpg_##name##_out);                                                           \
  Datum mpg_##name(PG_FUNCTION_ARGS) {                                                             \
    return form##_row(fcinfo, argument, false);                                                    \
  }                                                                                                \
  Datum mpg_##name##_out(PG_FUNCTION_ARGS) {                                                       \
    return form##_row(fcinfo, argument, true);                                                     \
  }
STEP(category_int8, category, mpg_int8_argument)
STEP(category_float8, category, mpg_float8_argument)
STEP(category_numeric, category, mpg_numeric_argument)
STEP(wide_int8, wide, mpg_int8_argument)
STEP(wide_float8, wide, mpg_float8_argument)
STEP(wide_numeric, wide, mpg_numeric_argument)
STEP(state, state, mpg_text_argument)

/* ---- between processes ---- */

enum { ROWS = 8 };

PG_FUNCTION_INFO_V1(mpg_goodput_serial);
Datum mpg_goodput_serial(PG_FUNCTION_ARGS) {
  const mpg_goodput *g = (const mpg_goodput *)PG_GETARG_POINTER(0);
  bytea *out = palloc(VARHDRSZ + ROWS + MPG_STATE_MAX);
  unsigned char *p = (unsigned char *)VARDATA(out);
  for (int i = 0; i < ROWS; i++)
    p[i] = (unsigned char)((uint64_t)g->rows >> 8 * i);
  SET_VARSIZE(out, VARHDRSZ + ROWS + mpg_account_write(&g->account, p + ROWS));
  PG_RETURN_BYTEA_P(out);
}

PG_FUNCTION_INFO_V1(mpg_goodput_deserial);
Datum mpg_goodput_deserial(PG_FUNCTION_ARGS) {
  mpg_value bytes = mpg_text_argument(fcinfo, 0);
  const unsigned char *p = (const unsigned char *)bytes.s.p;
  mpg_goodput *g = palloc0(sizeof *g);
  uint64_t rows = 0;
  mpg_err err = {MPG_OK, ""};
  if (AggCheckCallContext(fcinfo, NULL) == 0)
    elog(ERROR, "mpg: an aggregate's step called outside of an aggregate");
  if (bytes.s.n < ROWS)
    elog(ERROR, "mpg: a partial aggregate of %zu bytes", bytes.s.n);
  for (int i = ROWS; i-- > 0;)
    rows = rows << 8 | p[i];
  g->rows = (int64_t)rows;
  return state_result(fcinfo, mpg_account_read(&g->account, p + ROWS, bytes.s.n - ROWS, &err), g,
                      &err);
}

PG_FUNCTION_INFO_V1(mpg_goodput_combine);
Datum mpg_goodput_combine(PG_FUNCTION_ARGS) {
  mpg_goodput *g;
  const mpg_goodput *other;
  mpg_err err = {MPG_OK, ""};
  mpg_rc rc;
  if (PG_ARGISNULL(0) && PG_ARGISNULL(1))
    PG_RETURN_NULL();
  g = goodput_make(fcinfo);
  if (PG_ARGISNULL(1))
    PG_RETURN_POINTER(g);
  other = (const mpg_goodput *)PG_GETARG_POINTER(1);
  rc = mpg_account_merge(&g->account, &other->account, false, &err);
  g->rows += other->rows;
  return state_result(fcinfo, rc, g, &err);
}

/* ---- results; none changes the state, so each serves moving aggregates too ---- */

static const mpg_goodput *summed_state(FunctionCallInfo call) {
  const mpg_goodput *g =
      call->args[0].isnull ? NULL : (const mpg_goodput *)DatumGetPointer(call->args[0].value);
  return g == NULL || g->rows == 0 ? NULL : g;
}

static Datum ratio_result(FunctionCallInfo fcinfo, mpg_ratio ratio) {
  const mpg_goodput *g = summed_state(fcinfo);
  double v;
  if (g == NULL || !mpg_account_ratio(&g->account, ratio, &v))
    PG_RETURN_NULL();
  PG_RETURN_FLOAT8(v);
}

/* The ratio named NAME by the aggregate mpg_ratio_name gives. */
#define RATIO(name, ratio)                                                                         \
  PG_FUNCTION_INFO_V1(mpg_final_##name);                                                           \
  Datum mpg_final_##name(PG_FUNCTION_ARGS) {                                                       \
    return ratio_result(fcinfo, ratio);                                                            \
  }
RATIO(scheduling_goodput, MPG_RATIO_SG)
RATIO(runtime_goodput, MPG_RATIO_RG)
RATIO(program_goodput, MPG_RATIO_PG)
RATIO(mpg, MPG_RATIO_MPG)
RATIO(mpg_lower, MPG_RATIO_MPG_LOWER)
RATIO(runtime_coverage, MPG_RATIO_RUNTIME_COVERAGE)
RATIO(program_coverage, MPG_RATIO_PROGRAM_COVERAGE)
RATIO(occupancy, MPG_RATIO_OCCUPANCY)
RATIO(mfu, MPG_RATIO_MFU)
RATIO(ettr, MPG_RATIO_ETTR)

PG_FUNCTION_INFO_V1(mpg_final_goodput);
Datum mpg_final_goodput(PG_FUNCTION_ARGS) {
  const mpg_goodput *g = summed_state(fcinfo);
  char json[MPG_GOODPUT_JSON];
  if (g == NULL)
    PG_RETURN_NULL();
  (void)mpg_goodput_json(g, json);
  PG_RETURN_TEXT_P(cstring_to_text(json));
}

PG_FUNCTION_INFO_V1(mpg_final_goodput_state);
Datum mpg_final_goodput_state(PG_FUNCTION_ARGS) {
  const mpg_goodput *g = summed_state(fcinfo);
  bytea *out;
  if (g == NULL)
    PG_RETURN_NULL();
  out = palloc(VARHDRSZ + MPG_STATE_MAX);
  SET_VARSIZE(out, VARHDRSZ + mpg_account_write(&g->account, (unsigned char *)VARDATA(out)));
  PG_RETURN_BYTEA_P(out);
}
