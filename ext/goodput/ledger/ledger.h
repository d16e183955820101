/*
** ledger.h - a fleet's chip-time accounted: unit by unit (a job, or a pool's down and idle time),
** into any sink; and the ledger itself, rows in columns.
*/
#ifndef MPG_LEDGER_H
#define MPG_LEDGER_H

#include "../rules/timeline.h"

typedef struct mpg_ledger_options {
  mpg_window window; /* until: INT64_MAX if it is not given */
  mpg_rules rules;   /* as_of: MPG_NONE is the end of the trace */
} mpg_ledger_options;

/* The defaults: everything, no buckets, installed chips, compute roofline, sizes 16, 256, 2048. */
mpg_ledger_options mpg_ledger_defaults(void);

typedef struct mpg_accounting {
  const mpg_env *env;
  const mpg_fleet *fleet;
  mpg_ledger_options options;
  mpg_pool_ends ends;
  mpg_pools pools;
  mpg_timeline *timeline;
  bool sorted; /* every job is accounted: pools may follow */
  bool as_of_given;
  bool ahead;           /* the end of the trace is a pool's, later than any time of a job */
  const bool *left_out; /* by job, or NULL: nobody asks for rows of these. Set after the start, for
                        ** mpg_rollup_all and mpg_runs alone: nothing is noticed of them */
} mpg_accounting;

/* Over a sealed fleet, which outlives it. mpg_accounting_free also after a failure. */
mpg_rc mpg_accounting_init(mpg_accounting *a, const mpg_env *env, const mpg_fleet *fleet,
                           const mpg_ledger_options *options, mpg_err *err);
void mpg_accounting_free(mpg_accounting *a);
/* Units: jobs first, then pools; each once and in this order. Issues of a pool go to the fleet's
 * under `source`. */
size_t mpg_accounting_units(const mpg_accounting *a);
mpg_rc mpg_accounting_unit(mpg_accounting *a, size_t unit, const mpg_sink *sink, const char *source,
                           mpg_err *err);
/* The unit of the job of that name, a UUID however it is written. MPG_DONE: there is none, which
** the fleet's issues say of `source`. */
mpg_rc mpg_accounting_find_job(const mpg_accounting *a, mpg_str name, const char *source,
                               size_t *unit, mpg_err *err);
/* Once every unit is done: what the jobs' accounting noticed, as issues of `source`. */
mpg_rc mpg_accounting_finish(mpg_accounting *a, const char *source, mpg_err *err);

/* Fields of a row of the ledger: X(type, name, NUMBER). */
#define MPG_ROW_FIELDS(X)                                                                          \
  X(uint32_t, job, JOB)                                                                            \
  X(uint32_t, pool, POOL)                                                                          \
  X(uint32_t, chip, CHIP)                                                                          \
  X(uint32_t, cause, CAUSE)                                                                        \
  X(uint32_t, kind, KIND)                                                                          \
  X(uint32_t, program, PROGRAM)                                                                    \
  X(uint32_t, file, FILE)                                                                          \
  X(uint8_t, size, SIZE)                                                                           \
  X(int64_t, attempt, ATTEMPT)                                                                     \
  X(int64_t, start, START)                                                                         \
  X(int64_t, end, END)                                                                             \
  X(int64_t, bucket, BUCKET)                                                                       \
  X(int64_t, chip_us, CHIP_US)                                                                     \
  X(int64_t, step, STEP)                                                                           \
  X(int64_t, line, LINE)                                                                           \
  X(int64_t, number, NUMBER)                                                                       \
  X(uint8_t, category, CATEGORY)

/* MPG_ROW_JOB ...: as bits of a mask. */
#define MPG_ROW_NUMBER_OF(type, name, number) MPG_ROW_##number,
typedef enum mpg_row_field { MPG_ROW_FIELDS(MPG_ROW_NUMBER_OF) MPG_ROW_COLUMNS } mpg_row_field;

/* Rows in columns; ids are the fleet's. */
typedef struct mpg_ledger {
  const mpg_env *env;
  uint32_t columns; /* those that are filled; the others are never read */
  size_t n, cap;
#define MPG_ROW_ARRAY(type, name, number) type *name;
  MPG_ROW_FIELDS(MPG_ROW_ARRAY)
  size_t *order; /* after mpg_ledger_sort: the rows' places by time */
  size_t order_cap;
} mpg_ledger;

void mpg_ledger_init(mpg_ledger *ledger, const mpg_env *env);
void mpg_ledger_free(mpg_ledger *ledger);
/* A sink that appends to the ledger; ledger->n = 0 empties it and keeps the memory. What appends,
** picks or sorts gives MPG_NOMEM or MPG_INTERRUPTED. */
mpg_sink mpg_ledger_sink(mpg_ledger *ledger);

/* Appends row i of another, which keeps the same columns. */
mpg_rc mpg_ledger_append(mpg_ledger *ledger, const mpg_ledger *from, size_t i);

/* Into an empty ledger: the rows of another at these places, n of them, with the columns that it
** keeps, and no room to spare. */
mpg_rc mpg_ledger_pick(mpg_ledger *ledger, const mpg_ledger *from, const size_t *places, size_t n);

/* Appends rows [first, first + n) of another; of the columns that it does not keep, row k of
** `common`, which does. */
mpg_rc mpg_ledger_append_run(mpg_ledger *ledger, const mpg_ledger *from, size_t first, size_t n,
                             const mpg_ledger *common, size_t k);

/* Sorts the rows by start, end, attempt, pool, category; ledger->order has the order. */
mpg_rc mpg_ledger_sort(mpg_ledger *ledger);

#endif
