/*
** roofline_functions.c - the roofline in SQL.
**
**     roofline_seconds(flops, chip)                 flops / peak
**     roofline_seconds(flops, bytes, chip)          max(flops / peak, bytes / bandwidth)
**     roofline_seconds(flops, bytes, chip, dtype)   the same with the peak of the dtype
**     roofline_bound(...)                           'compute' or 'memory'; a tie is 'compute'
**     roofline_ideal(...)                           aggregate and window function: the sum of the
**                                                   seconds, exact, in any order
**     chip_peak_flops(chip), (chip, dtype)          FLOP/s, dense
**     chip_bandwidth(chip)                          bytes/s to memory, of the default dtype's row
**     chip_interconnect(chip)                       bytes/s to other chips, one way, all links
**                                                   together, likewise
**     chip_name(chip)                               the name in mpg_chips, or NULL: it has none
**
** Seconds are of one chip, so they are chip-seconds: divide by the chips for time. chip is a name
** or an alias of mpg_chips. dtype NULL is the chip's default. bytes 0 with a dtype is the compute
** roofline. Where flops, bytes or chip is NULL a scalar is NULL, and the aggregate leaves the row
** out; over no rows it is NULL. Of the chip_ functions, a NULL chip or an unknown figure gives
** NULL.
**
** Errors: flops or bytes negative, infinite, or not a number; an unknown chip, with the nearest
** names; a dtype that the chip has no peak for, with those it has.
**
** None is deterministic to SQLite: a user's table `chips` and the next release may change what they
** give (catalogue.h), and an index or a stored column would keep what they gave before. Divide by a
** peak that is a number there.
*/
#include "../catalogue.h"
#include "../../goodput/account.h"
#include "../../program/roofline.h"
#include "../../base/text.h"

#include <math.h>

static void fail(sqlite3_context *context, const mpg_err *err) {
  mpg_result_failure(context, err);
  if (err->rc == MPG_INTERRUPTED)
    sqlite3_result_error_code(context, SQLITE_INTERRUPT);
}

static mpg_rc get_number(sqlite3_value *value, const char *what, double *out, mpg_err *err) {
  mpg_value v = mpg_value_of(value);
  char found[MPG_EXCERPT];
  if (v.type == MPG_INT) {
    *out = (double)v.i;
  } else if (v.type == MPG_REAL) {
    *out = v.r;
  } else {
    mpg_text_excerpt(v.s, found);
    return mpg_fail(err, MPG_MISUSE, "expected a number as %s, found '%s'", what, found);
  }
  return MPG_OK;
}

static mpg_rc get_text(sqlite3_value *value, const char *what, mpg_str *out, mpg_err *err) {
  mpg_value v = mpg_value_of(value);
  if (v.type == MPG_INT)
    return mpg_fail(err, MPG_MISUSE, "expected text as %s, found %lld", what, (long long)v.i);
  if (v.type == MPG_REAL)
    return mpg_fail(err, MPG_MISUSE, "expected text as %s, found %g", what, v.r);
  *out = v.s; /* {NULL, 0} for NULL */
  return MPG_OK;
}

/* Computes the arguments' roofline. MPG_DONE: there is none, because one of them is NULL. */
static mpg_rc compute_roofline(sqlite3_context *context, int n, sqlite3_value **args,
                               mpg_roofline *out, mpg_err *err) {
  const mpg_chip_row *row;
  const mpg_chips *chips;
  mpg_str chip, dtype = {NULL, 0};
  double flops = (double)NAN, bytes = (double)NAN; /* gcc -O3 cannot see that both are set */
  int chip_at = n == 2 ? 1 : 2;
  mpg_rc rc;
  for (int i = 0; i <= chip_at; i++)
    if (sqlite3_value_type(args[i]) == SQLITE_NULL)
      return MPG_DONE;
  rc = get_number(args[0], "flops", &flops, err);
  if (rc == MPG_OK && n > 2)
    rc = get_number(args[1], "bytes", &bytes, err);
  if (rc == MPG_OK)
    rc = get_text(args[chip_at], "chip", &chip, err);
  if (rc == MPG_OK && n > 3)
    rc = get_text(args[3], "dtype", &dtype, err);
  if (rc != MPG_OK)
    return rc;
  chips = mpg_catalogue_of(context, err);
  if (chips == NULL)
    return err->rc;
  rc = mpg_roofline_row(chips, chip, dtype, &row, err);
  if (rc == MPG_OK)
    rc = mpg_roofline_of(row, flops, bytes, out, err);
  mpg_catalogue_release(mpg_conn_of(context), chips);
  return rc;
}

enum { SECONDS, BOUND };

static void roofline_function(sqlite3_context *context, int n, sqlite3_value **args) {
  mpg_roofline r = {0, false};
  mpg_err err;
  mpg_rc rc = compute_roofline(context, n, args, &r, &err);
  if (rc == MPG_DONE)
    return;
  if (rc != MPG_OK)
    fail(context, &err);
  else if (mpg_function_of(context)->parameter == SECONDS)
    sqlite3_result_double(context, r.seconds);
  else
    sqlite3_result_text(context, r.memory_bound ? "memory" : "compute", -1, SQLITE_STATIC);
}

/* The sum is kept as an account with one slot in use, so that taking a row out undoes adding it. */
typedef struct ideal {
  int64_t rows;
  mpg_account sum;
} ideal;

static void ideal_change(sqlite3_context *context, int n, sqlite3_value **args, bool remove) {
  ideal *state = sqlite3_aggregate_context(context, sizeof *state);
  mpg_roofline r = {0, false};
  mpg_err err;
  mpg_rc rc;
  if (state == NULL) {
    sqlite3_result_error_nomem(context);
    return;
  }
  rc = compute_roofline(context, n, args, &r, &err);
  if (rc == MPG_DONE)
    return;
  if (rc == MPG_OK)
    rc = mpg_account_add_real(&state->sum, MPG_IDEAL, r.seconds, remove, &err);
  if (rc != MPG_OK) {
    fail(context, &err);
    return;
  }
  state->rows += remove ? -1 : 1;
}

static void ideal_step(sqlite3_context *context, int n, sqlite3_value **args) {
  ideal_change(context, n, args, false);
}

static void ideal_inverse(sqlite3_context *context, int n, sqlite3_value **args) {
  ideal_change(context, n, args, true);
}

static void ideal_value(sqlite3_context *context) {
  const ideal *state = sqlite3_aggregate_context(context, 0);
  if (state != NULL && state->rows > 0)
    sqlite3_result_double(context, mpg_sum_to_double(state->sum.sum[MPG_IDEAL]));
}

enum { PEAK, BANDWIDTH, INTERCONNECT };

static void chip_function(sqlite3_context *context, int n, sqlite3_value **args) {
  int parameter = mpg_function_of(context)->parameter;
  const mpg_chip_row *row = NULL;
  const mpg_chips *chips;
  mpg_str chip, dtype = {NULL, 0};
  mpg_err err;
  mpg_rc rc;
  if (sqlite3_value_type(args[0]) == SQLITE_NULL)
    return;
  rc = get_text(args[0], "chip", &chip, &err);
  if (rc == MPG_OK && n > 1)
    rc = get_text(args[1], "dtype", &dtype, &err);
  if (rc != MPG_OK) {
    fail(context, &err);
    return;
  }
  chips = mpg_catalogue_of(context, &err);
  if (chips == NULL) {
    fail(context, &err);
    return;
  }
  rc = mpg_roofline_row(chips, chip, dtype, &row, &err);
  if (rc == MPG_DATA && parameter != PEAK) {
    /* a chip without a default dtype has a bandwidth all the same */
    const char *name = mpg_chips_find(chips, chip);
    row = name == NULL ? NULL : mpg_chips_first(chips, name);
    rc = row == NULL ? rc : MPG_OK;
  }
  if (rc != MPG_OK)
    fail(context, &err);
  else
    sqlite3_result_double(context, parameter == PEAK        ? row->peak_flops
                                   : parameter == BANDWIDTH ? row->hbm_bytes_per_s
                                                            : row->ici_bytes_per_s);
  mpg_catalogue_release(mpg_conn_of(context), chips);
}

static void name_function(sqlite3_context *context, int n, sqlite3_value **args) {
  const mpg_value chip = mpg_value_of(args[0]);
  const mpg_chips *chips;
  const char *name;
  mpg_err err;
  (void)n;
  if (chip.type != MPG_TEXT) /* a number is no name */
    return;
  chips = mpg_catalogue_of(context, &err);
  if (chips == NULL) {
    fail(context, &err);
    return;
  }
  name = mpg_chips_find(chips, chip.s);
  if (name != NULL)
    sqlite3_result_text(context, name, -1, SQLITE_TRANSIENT);
  mpg_catalogue_release(mpg_conn_of(context), chips);
}

int mpg_register_roofline(mpg_conn *conn, char **error) {
#define SCALAR(name, n, parameter, func)                                                           \
  { name, n, SQLITE_INNOCUOUS, parameter, func, NULL, NULL, NULL, NULL }
#define IDEAL(n)                                                                                   \
  {                                                                                                \
    "roofline_ideal", n, SQLITE_INNOCUOUS, 0, NULL, ideal_step, ideal_value, ideal_value,          \
        ideal_inverse                                                                              \
  }
  static const mpg_function table[] = {
      SCALAR("roofline_seconds", 2, SECONDS, roofline_function),
      SCALAR("roofline_seconds", 3, SECONDS, roofline_function),
      SCALAR("roofline_seconds", 4, SECONDS, roofline_function),
      SCALAR("roofline_bound", 2, BOUND, roofline_function),
      SCALAR("roofline_bound", 3, BOUND, roofline_function),
      SCALAR("roofline_bound", 4, BOUND, roofline_function),
      SCALAR("chip_peak_flops", 1, PEAK, chip_function),
      SCALAR("chip_peak_flops", 2, PEAK, chip_function),
      SCALAR("chip_bandwidth", 1, BANDWIDTH, chip_function),
      SCALAR("chip_interconnect", 1, INTERCONNECT, chip_function),
      SCALAR("chip_name", 1, 0, name_function),
      IDEAL(2),
      IDEAL(3),
      IDEAL(4),
  };
#undef SCALAR
#undef IDEAL
  return mpg_register_functions(conn, table, sizeof table / sizeof *table, error);
}
