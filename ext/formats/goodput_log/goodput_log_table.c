/*
** goodput_log_table.c - goodput_trace(path, on_error, threads), rows of a job log of
** ml-goodput-measurement.
**
**   job_name TEXT
**   kind TEXT
**       what the row is about: job, step, tpu_init, training_prep, data_loading, custom_event,
**       slice_counts, elastic_wait, elastic_reinit, save, restore, emergency_restore (an Orbax
**       checkpoint's own event_type), other
**   edge TEXT
**       start or end, of a kind that has both; of a step start; else NULL
**   time REAL
**       when, Unix seconds: the start or end, of a checkpoint its start
**   event TEXT
**       the type of a custom event or of an elastic wait
**   step BIGINT
**       of a step step_count, of a checkpoint its step
**   the log's own keys
**       by their own names: seconds REAL, truths 0 or 1, NULL if the row lacks the key
**   rest TEXT
**       all other keys as a JSON object
**   timestamp TEXT, time_ns BIGINT, insertId TEXT, duplicate BIGINT
**       of an entry of Cloud Logging: its timestamp, as exported and in nanoseconds, its id, and
**       whether the same entry came before
*/
#include "../list.h"
#include "../../sqlite/reader/reader.h"
#include "goodput_rows.h"

#define TYPE_REAL "REAL"
#define TYPE_INT "BIGINT"
#define TYPE_TEXT "TEXT"
#define TYPE_BOOL "BIGINT"
#define COLUMN(name, type) {#name, TYPE_##type},

/* Of a mask of columns. */
#define COLUMN_BIT(name) (UINT64_C(1) << MPG_GOODPUT_ROW_##name)

/* clang-format off */
static const mpg_reader_column columns[MPG_GOODPUT_ROW_ENTRY] = {
    {"job_name", "TEXT"}, {"kind", "TEXT"}, {"edge", "TEXT"}, {"time", "REAL"}, {"event", "TEXT"},
    MPG_GOODPUT_FIELDS(COLUMN)
    {"rest", "TEXT"}, {"timestamp", "TEXT"}, {"time_ns", "BIGINT"}, {"insertId", "TEXT"},
    {"duplicate", "BIGINT"},
};
/* clang-format on */

/* Shared by all files of the scan, for exports overlap. */
typedef struct goodput_scan {
  const mpg_env *env;
  mpg_hash_set repeats;
  bool exported, duplicate; /* the current row */
} goodput_scan;

static mpg_rc scan_begin(void **out, const mpg_env *env, const mpg_value *given, mpg_err *err) {
  goodput_scan *scan = mpg_calloc(env, sizeof *scan);
  (void)given;
  if (scan == NULL)
    return mpg_fail_nomem(err);
  scan->env = scan->repeats.env = env;
  *out = scan;
  return MPG_OK;
}

static void scan_end(void *p) {
  goodput_scan *scan = p;
  mpg_hash_set_free(&scan->repeats);
  mpg_free(scan->env, scan);
}

static mpg_rc scan_see(void *p, const mpg_value *entry, const char *path, int64_t line,
                       mpg_issues *issues, mpg_err *err) {
  goodput_scan *scan = p;
  scan->exported = entry->type == MPG_INT;
  if (!scan->exported)
    return MPG_OK;
  return mpg_goodput_is_repeat(&scan->repeats, (uint64_t)entry->i, path, line, issues,
                               &scan->duplicate, err);
}

static bool scan_column(const void *p, size_t i, mpg_value *out) {
  const goodput_scan *scan = p;
  if (i != MPG_GOODPUT_ROW_DUPLICATE)
    return false;
  if (scan->exported) {
    out->type = MPG_INT;
    out->i = scan->duplicate;
  }
  return true;
}

int mpg_register_goodput_log(mpg_conn *conn, char **error) {
  static const mpg_reader_prefetch ahead = {&mpg_goodput_rows, &mpg_goodput_rows_options, scan_see,
                                            scan_column};
  static const mpg_reader_format format = {
      .module = {"goodput_trace", &mpg_reader_module, 0},
      .usage = "expected a path, as in goodput_trace('goodput.jsonl')",
      .columns = columns,
      .ncolumns = MPG_GOODPUT_ROW_ENTRY,
      .begin = scan_begin,
      .end = scan_end,
      .comparable = COLUMN_BIT(JOB_NAME) | COLUMN_BIT(KIND) | COLUMN_BIT(EDGE) | COLUMN_BIT(EVENT),
      .plain = (COLUMN_BIT(ENTRY) - 1) & ~COLUMN_BIT(REST),
      .ahead = &ahead,
      .threaded = true,
  };
  return mpg_register_reader(conn, &format, error);
}
