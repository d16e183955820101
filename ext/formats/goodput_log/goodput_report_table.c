/*
** goodput_report_table.c - goodput_report(path, query_time, start_time, end_time, on_error): what
** ml-goodput-measurement 0.2.3 says of every job in its logs, one row a job (goodput_report.h).
**
** A job's rows are those of all files, in the order of the log: raw rows as they come, entries of
** Cloud Logging by (timestamp, insertId), without those that repeat. A job that the library refuses
** is a row with `error`. Jobs are in the order of their names.
*/
#include "../list.h"
#include "../../sqlite/connection.h"
#include "goodput_report.h"
#include "../../base/intern.h"
#include "../../base/text.h"
#include "../../base/time.h"
#include "../../base/sort.h"
#include "goodput_rows.h"
#include "../../read/parse/json_writer.h"
#include "../../read/input/unfinished.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME "goodput_report"
#define ROWS_BETWEEN_POLLS 1024

enum { PATH, QUERY_TIME, START_TIME, END_TIME, ON_ERROR, ARGUMENTS };

enum {
  JOB,
  GOODPUT_PCT,
  PRODUCTIVE_S,
  TOTAL_JOB_TIME_S,
  MAX_PRODUCTIVE_STEP,
  LAST_RECORDED_STEP,
  DISRUPTION_COUNT,
  FIRST_BADPUT,
  CUSTOM_BADPUT_EVENTS = FIRST_BADPUT + MPG_GOODPUT_REPORT_BUCKETS,
  STEPPING_SLICE_EFFICIENCY,
  AVAILABLE_SLICE_EFFICIENCY,
  IDEAL_STEP_TIME_S,
  STEP_TIMES,
  MEAN_ABS_DEVIATION_S,
  MAX_ABS_DEVIATION_S,
  BASELINE_METRIC_CUMULATIVE,
  BASELINE_METRIC_INTERVAL,
  ABS_DEVIATION_S_BY_STEP,
  STEP_DEVIATION_ERROR,
  ROWS,
  ERROR,
  FIRST_ARGUMENT
};

#define BADPUT_DECLARED(name) #name "_s REAL, "
static const char declared[] =
    "CREATE TABLE x(job TEXT, goodput_pct REAL, productive_s REAL, total_job_time_s REAL, "
    "max_productive_step BIGINT, last_recorded_step BIGINT, disruption_count "
    "BIGINT, " MPG_GOODPUT_REPORT_BADPUT(
        BADPUT_DECLARED) "custom_badput_events TEXT, stepping_slice_efficiency REAL, "
                         "available_slice_efficiency REAL, "
                         "ideal_step_time_s REAL, step_times BIGINT, mean_abs_deviation_s REAL, "
                         "max_abs_deviation_s REAL, baseline_metric_cumulative REAL, "
                         "baseline_metric_interval REAL, "
                         "abs_deviation_s_by_step TEXT, step_deviation_error TEXT, \"rows\" "
                         "BIGINT, error TEXT, "
                         "path TEXT HIDDEN, query_time HIDDEN, start_time HIDDEN, end_time HIDDEN, "
                         "on_error TEXT HIDDEN)";

/* What a row is sorted by. */
typedef struct entry {
  uint32_t job, insert_id;
  bool exported;
  int64_t time_ns;
  size_t place; /* in rows */
} entry;

typedef struct report_cursor {
  sqlite3_vtab_cursor base; /* must be first */
  mpg_query_env scan;
  bool scanning;
  sqlite3_value *arguments[ARGUMENTS]; /* NULL: not given */
  bool interned;
  mpg_intern jobs, types, ids;
  mpg_goodput_report_row *rows; /* as read */
  entry *entries;               /* by job; within one in the order of its log */
  size_t n, cap, cap_rows;
  size_t from, to; /* of the job at hand */
  mpg_goodput_report_options options;
  bool has_query_time;
  mpg_goodput_report report;
  mpg_json_text json; /* of a column */
  bool at_end;
  sqlite3_int64 row;
} report_cursor;

/* ---- Table ---- */

static int report_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                          sqlite3_vtab **out, char **error) {
  (void)argc;
  (void)argv;
  return mpg_table_connect(db, aux, declared, SQLITE_VTAB_DIRECTONLY, out, error);
}

static int report_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info) {
  info->estimatedCost = 1e7;
  info->estimatedRows = 100;
  return mpg_plan_arguments(vtab, NAME, info, FIRST_ARGUMENT, ARGUMENTS);
}

/* ---- Reading ---- */

static const mpg_env *env_of(report_cursor *c) {
  return &c->scan.env;
}

static mpg_issues *issues_of(report_cursor *c) {
  return &((mpg_table *)c->base.pVtab)->conn->issues;
}

static double number_of(const mpg_value *v) {
  return v->type == MPG_REAL ? v->r : v->type == MPG_INT ? (double)v->i : NAN;
}

/* The id of a type, in any case; 0 for none. */
static mpg_rc type_id(report_cursor *c, const mpg_value *v, uint32_t *id, bool *scale_up) {
  char upper[256];
  size_t n = v->s.n < sizeof upper ? v->s.n : sizeof upper - 1;
  *id = 0;
  *scale_up = false;
  if (v->type != MPG_TEXT)
    return MPG_OK;
  for (size_t i = 0; i < n; i++)
    upper[i] = v->s.p[i] >= 'a' && v->s.p[i] <= 'z' ? (char)(v->s.p[i] - 32) : v->s.p[i];
  upper[n] = '\0';
  *scale_up = strstr(upper, "SCALE_UP") != NULL;
  return mpg_intern_id(&c->types, (mpg_str){upper, n}, id);
}

static mpg_rc translate_row(report_cursor *c, const mpg_goodput_row *from,
                            mpg_goodput_report_row *to) {
  static const mpg_goodput_report_kind kinds[] = {
      [MPG_GOODPUT_OTHER] = MPG_GOODPUT_REPORT_OTHER,
      [MPG_GOODPUT_JOB] = MPG_GOODPUT_REPORT_JOB,
      [MPG_GOODPUT_STEP] = MPG_GOODPUT_REPORT_STEP,
      [MPG_GOODPUT_TPU_INIT] = MPG_GOODPUT_REPORT_TPU_INIT,
      [MPG_GOODPUT_TRAINING_PREP] = MPG_GOODPUT_REPORT_PREP,
      [MPG_GOODPUT_DATA_LOADING] = MPG_GOODPUT_REPORT_LOAD,
      [MPG_GOODPUT_CUSTOM_EVENT] = MPG_GOODPUT_REPORT_CUSTOM,
      [MPG_GOODPUT_SLICE_COUNTS] = MPG_GOODPUT_REPORT_SLICES,
      [MPG_GOODPUT_ELASTIC_WAIT] = MPG_GOODPUT_REPORT_SLICE_DOWN,
      [MPG_GOODPUT_ELASTIC_REINIT] = MPG_GOODPUT_REPORT_REINIT,
      [MPG_GOODPUT_CHECKPOINT] = MPG_GOODPUT_REPORT_OTHER,
  };
  const mpg_value *v = from->values, *directory = &v[MPG_GOODPUT_directory];
  bool scale_up = false;
  mpg_rc rc = MPG_OK;
  *to = (mpg_goodput_report_row){.kind = kinds[from->kind], .end = from->edge == MPG_GOODPUT_END};
  to->timed = from->timed;
  to->first_time = number_of(&from->first_time);
  to->time = from->field < MPG_GOODPUT_COUNT ? number_of(&v[from->field]) : NAN;
  to->step = v[MPG_GOODPUT_step].i;
  to->a = to->b = NAN;
  if (from->kind == MPG_GOODPUT_STEP) {
    to->step = v[MPG_GOODPUT_step_count].i;
    if (v[MPG_GOODPUT_step_count].type == MPG_NULL)
      to->kind = MPG_GOODPUT_REPORT_OTHER;
  } else if (from->kind == MPG_GOODPUT_CUSTOM_EVENT) {
    rc = type_id(c, &v[MPG_GOODPUT_custom_badput_event_type], &to->type, &scale_up);
  } else if (from->kind == MPG_GOODPUT_ELASTIC_WAIT) {
    rc = type_id(c, &v[MPG_GOODPUT_elastic_wait_event_type], &to->type, &scale_up);
    if (scale_up)
      to->kind = MPG_GOODPUT_REPORT_SCALE_UP;
  } else if (from->kind == MPG_GOODPUT_SLICE_COUNTS) {
    to->a = number_of(&v[MPG_GOODPUT_active_slices]) / number_of(&v[MPG_GOODPUT_total_slices]);
    to->b = number_of(&v[MPG_GOODPUT_available_slices]) / number_of(&v[MPG_GOODPUT_total_slices]);
  } else if (from->kind == MPG_GOODPUT_CHECKPOINT) {
    mpg_str what = v[MPG_GOODPUT_event_type].s;
    to->persistent = directory->s.n >= 5 && memcmp(directory->s.p, "gs://", 5) == 0;
    if (mpg_str_eq(what, MPG_STR("save"))) {
      to->kind = MPG_GOODPUT_REPORT_SAVE;
      to->a = number_of(&v[MPG_GOODPUT_checkpoint_manager_blocking_duration_secs]);
    } else if (mpg_str_eq(what, MPG_STR("restore")) ||
               mpg_str_eq(what, MPG_STR("emergency_restore"))) {
      to->kind = MPG_GOODPUT_REPORT_RESTORE;
      to->a = number_of(&v[MPG_GOODPUT_checkpoint_manager_duration_secs]);
    }
  }
  return rc;
}

static mpg_rc add_row(report_cursor *c, const mpg_goodput_row *row, mpg_err *err) {
  entry e = {.exported = row->exported, .time_ns = row->time_ns, .place = c->n};
  mpg_rc rc;
  if (row->duplicate)
    return MPG_OK;
  rc = mpg_intern_id(&c->jobs, row->job, &e.job);
  if (rc == MPG_OK && row->insert_id.n > 0)
    rc = mpg_intern_id(&c->ids, row->insert_id, &e.insert_id);
  if (rc == MPG_OK)
    rc = mpg_grow(env_of(c), &c->rows, &c->cap_rows, c->n + 1, sizeof *c->rows);
  if (rc == MPG_OK)
    rc = mpg_grow(env_of(c), &c->entries, &c->cap, c->n + 1, sizeof *c->entries);
  if (rc == MPG_OK)
    rc = translate_row(c, row, &c->rows[c->n]);
  if (rc != MPG_OK)
    return mpg_fail_plain(err, rc);
  c->entries[c->n++] = e;
  return MPG_OK;
}

static mpg_rc read_file(report_cursor *c, const char *path, const char *copied,
                        mpg_hash_set *repeats, bool skip, mpg_err *err) {
  mpg_issues *issues = issues_of(c);
  const mpg_goodput_row *row;
  mpg_stream *stream = NULL;
  mpg_goodput_log *log = NULL;
  mpg_rc rc = mpg_stream_open(&stream, env_of(c), path, err);
  mpg_issues_drop(issues, path);
  if (rc == MPG_OK) {
    mpg_stream_repair_text(stream);
    mpg_rows_unwrap(&mpg_goodput_rows, env_of(c), stream);
  }
  if (rc == MPG_OK)
    rc = mpg_same_name(issues, path, copied, err);
  if (rc == MPG_OK)
    rc = mpg_goodput_log_open(&log, env_of(c), stream, repeats, issues, err);
  for (size_t i = 1; rc == MPG_OK; i++) {
    rc = mpg_goodput_log_next(log, &row, err);
    if (rc == MPG_DONE && i == 1) {
      rc = mpg_stream_not_empty(env_of(c), path, err);
      rc = rc == MPG_OK ? MPG_DONE : rc;
    }
    if (rc == MPG_OK)
      rc = add_row(c, row, err);
    else if (rc == MPG_DATA && skip)
      rc = mpg_issues_add(issues, MPG_DATA_LOSS, path, "skipped_record", mpg_goodput_log_line(log),
                          1, "%s", err->text) == MPG_OK
               ? MPG_OK
               : mpg_fail_nomem(err);
    if (rc == MPG_OK && i % ROWS_BETWEEN_POLLS == 0 && mpg_interrupted(env_of(c)))
      rc = mpg_fail(err, MPG_INTERRUPTED, "interrupted");
  }
  mpg_goodput_log_close(log);
  if (rc == MPG_DONE && mpg_stream_repaired(stream, issues, err) != MPG_OK)
    rc = MPG_NOMEM;
  mpg_stream_close(stream);
  return rc == MPG_DONE ? MPG_OK : rc;
}

static mpg_rc read_files(report_cursor *c, mpg_str path, bool skip, mpg_err *err) {
  mpg_hash_set repeats = {.env = env_of(c)};
  mpg_paths paths = {0};
  mpg_rc rc = mpg_paths_expand(&paths, env_of(c), path, err);
  for (size_t i = 0; rc == MPG_OK && i < paths.n; i++)
    rc = read_file(c, paths.file[i].path, mpg_paths_repeated(&paths, i), &repeats, skip, err);
  mpg_paths_free(&paths);
  mpg_hash_set_free(&repeats);
  return rc;
}

/* By job, then as logged; ids are compared as texts. */
static int in_order(const void *a, const void *b, void *p) {
  const entry *x = a, *y = b;
  const report_cursor *c = p;
  int order = mpg_intern_cmp(&c->jobs, x->job, y->job);
  if (order == 0 && x->exported && y->exported)
    order = (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
  if (order == 0 && x->exported && y->exported)
    order = mpg_intern_cmp(&c->ids, x->insert_id, y->insert_id);
  return order != 0 ? order : (x->place > y->place) - (x->place < y->place);
}

static mpg_rc put_in_order(report_cursor *c) {
  for (size_t i = 1; i < c->n; i++) {
    if (mpg_poll(env_of(c), i))
      return MPG_INTERRUPTED;
    if (in_order(&c->entries[i - 1], &c->entries[i], c) > 0)
      return mpg_sort(env_of(c), c->entries, c->n, sizeof *c->entries, in_order, c);
  }
  return MPG_OK;
}

/* ---- Cursor ---- */

static int report_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out) {
  (void)vtab;
  return mpg_cursor_open(sizeof(report_cursor), out);
}

static void reset(report_cursor *c) {
  if (c->scanning) {
    mpg_goodput_report_free(&c->report, env_of(c));
    mpg_free(env_of(c), c->rows);
    mpg_free(env_of(c), c->entries);
    mpg_json_text_free(&c->json);
  }
  c->rows = NULL;
  c->entries = NULL;
  c->n = c->cap = c->cap_rows = c->from = c->to = 0;
  if (c->interned) {
    mpg_intern_free(&c->jobs);
    mpg_intern_free(&c->types);
    mpg_intern_free(&c->ids);
  }
  c->interned = false;
  for (int i = 0; i < ARGUMENTS; i++) {
    sqlite3_value_free(c->arguments[i]);
    c->arguments[i] = NULL;
  }
  c->row = 0;
  c->at_end = true;
}

static int report_close(sqlite3_vtab_cursor *base) {
  report_cursor *c = (report_cursor *)base;
  reset(c);
  if (c->scanning)
    mpg_query_env_end(&c->scan);
  sqlite3_free(c);
  return SQLITE_OK;
}

static int fail(report_cursor *c, const mpg_err *err) {
  c->at_end = true;
  return mpg_vtab_failure(c->base.pVtab, NAME, err);
}

/* Reports on the rows of the job at hand. */
static mpg_rc compute_report(report_cursor *c, mpg_err *err) {
  size_t n = c->to - c->from;
  mpg_goodput_report_options options = c->options;
  const entry *e = &c->entries[c->from];
  mpg_goodput_report_row *own = NULL;
  const mpg_goodput_report_row *rows = &c->rows[e[0].place];
  bool mixed = false, in_place = true;
  double last = NAN;
  mpg_rc rc;
  mpg_goodput_report_free(&c->report, env_of(c));
  for (size_t i = 0; i < n; i++) {
    double time = c->rows[e[i].place].time;
    if (mpg_poll(env_of(c), i))
      return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
    in_place = in_place && e[i].place == e[0].place + i;
    mixed = mixed || e[i].exported != e[0].exported;
    if (!isnan(time) && !(time <= last))
      last = time;
  }
  /* If all rows of a job were read one after the other, they are in place already. */
  if (!in_place) {
    if (n > SIZE_MAX / sizeof *own || (own = mpg_malloc(env_of(c), n * sizeof *own)) == NULL)
      return mpg_fail_nomem(err);
    for (size_t i = 0; i < n; i++) {
      own[i] = c->rows[e[i].place];
      if (mpg_poll(env_of(c), i)) {
        mpg_free(env_of(c), own);
        return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
      }
    }
    rows = own;
  }
  if (!c->has_query_time)
    options.query_time = last;
  options.ntypes = c->types.n;
  rc = mpg_goodput_report_compute(&c->report, env_of(c), rows, n, &options, err);
  if (rc == MPG_OK && mixed)
    c->report.error = c->report.step_error =
        "The job has rows of a log and entries of Cloud Logging, whose order is not known.";
  mpg_free(env_of(c), own);
  return rc;
}

static int report_next(sqlite3_vtab_cursor *base) {
  report_cursor *c = (report_cursor *)base;
  mpg_err err;
  c->row++;
  c->from = c->to;
  c->at_end = c->from == c->n;
  if (c->at_end)
    return SQLITE_OK;
  while (c->to < c->n && c->entries[c->to].job == c->entries[c->from].job)
    c->to++;
  return compute_report(c, &err) == MPG_OK ? SQLITE_OK : fail(c, &err);
}

static mpg_rc time_argument(const mpg_value *v, const char *name, double *out, mpg_err *err) {
  int64_t us;
  mpg_err why;
  if (v->type != MPG_TEXT) {
    *out = number_of(v);
    return v->type == MPG_NULL || (*out >= 0 && *out < 9.2e9)
               ? MPG_OK
               : mpg_fail_argument(err, name, "Unix seconds from 1970 to 2261, or ISO 8601", v);
  }
  if (mpg_time_value(v, &us, &why) != MPG_OK)
    return mpg_fail(err, MPG_MISUSE, "%s: %.900s", name, why.text);
  *out = (double)us / (double)MPG_SECOND;
  return MPG_OK;
}

static mpg_rc read_arguments(report_cursor *c, mpg_err *err) {
  mpg_value v[ARGUMENTS] = {{MPG_NULL, 0, 0.0, {NULL, 0}}};
  bool skip = false;
  for (int i = 0; i < ARGUMENTS; i++)
    if (c->arguments[i] != NULL) {
      /* In a database of UTF-16 this turns the text into UTF-8. */
      if (sqlite3_value_type(c->arguments[i]) == SQLITE_TEXT &&
          sqlite3_value_text(c->arguments[i]) == NULL)
        return mpg_fail_nomem(err);
      v[i] = mpg_value_of(c->arguments[i]);
    }
  if (v[ON_ERROR].type == MPG_TEXT && mpg_str_eq(v[ON_ERROR].s, MPG_STR("skip")))
    skip = true;
  else if (v[ON_ERROR].type != MPG_NULL &&
           (v[ON_ERROR].type != MPG_TEXT || !mpg_str_eq(v[ON_ERROR].s, MPG_STR("stop"))))
    return mpg_fail_argument(err, "on_error", "'stop' or 'skip'", &v[ON_ERROR]);
  if (v[PATH].type == MPG_INT || v[PATH].type == MPG_REAL)
    return mpg_fail_argument(err, "path", "a file, a glob or a folder", &v[PATH]);
  if (v[PATH].type != MPG_TEXT)
    return mpg_fail(err, MPG_MISUSE, "expected a path, as in " NAME "('goodput.jsonl')");
  c->options = (mpg_goodput_report_options){0};
  c->has_query_time = v[QUERY_TIME].type != MPG_NULL;
  c->options.windowed = v[START_TIME].type != MPG_NULL;
  if (c->options.windowed != (v[END_TIME].type != MPG_NULL))
    return mpg_fail(err, MPG_MISUSE,
                    "start_time and end_time: expected both or none, found %s alone",
                    c->options.windowed ? "start_time" : "end_time");
  if (time_argument(&v[QUERY_TIME], "query_time", &c->options.query_time, err) != MPG_OK ||
      time_argument(&v[START_TIME], "start_time", &c->options.start, err) != MPG_OK ||
      time_argument(&v[END_TIME], "end_time", &c->options.end, err) != MPG_OK)
    return err->rc;
  return read_files(c, v[PATH].s, skip, err);
}

/* *none: the path is NULL, so there are no rows. */
static int copy_arguments(report_cursor *c, int given, sqlite3_value **argv, bool *none) {
  static const char *const names[ARGUMENTS] = {"path", "query_time", "start_time", "end_time",
                                               "on_error"};
  sqlite3_vtab *vtab = c->base.pVtab;
  int next = 0;
  *none = false;
  for (int i = 0; i < ARGUMENTS; i++) {
    int rc;
    if (mpg_argument_is_missing(given, (size_t)i))
      return i == 0 ? mpg_path_missing(vtab, NAME) : mpg_argument_missing(vtab, NAME, names[i]);
    if ((given >> i & 1) == 0)
      continue;
    *none = i == 0 && mpg_argument_is_nothing(((mpg_table *)vtab)->conn, NAME, names[0], argv[0]);
    if (*none)
      return SQLITE_OK;
    rc = mpg_argument_lost(vtab, given, i, NAME, names[i], argv[next]);
    if (rc != SQLITE_OK)
      return rc;
    c->arguments[i] = sqlite3_value_dup(argv[next++]);
    if (c->arguments[i] == NULL)
      return SQLITE_NOMEM;
  }
  return SQLITE_OK;
}

static int report_filter(sqlite3_vtab_cursor *base, int given, const char *text, int argc,
                         sqlite3_value **argv) {
  report_cursor *c = (report_cursor *)base;
  mpg_err err;
  mpg_rc sorted;
  bool none;
  int rc;
  (void)text;
  (void)argc;
  reset(c);
  rc = copy_arguments(c, given, argv, &none);
  if (rc != SQLITE_OK || none)
    return rc;
  c->row = mpg_first_rowid(c->arguments, ARGUMENTS);
  if (!c->scanning) {
    rc = mpg_query_env_begin(&c->scan, ((mpg_table *)c->base.pVtab)->conn);
    if (rc != SQLITE_OK)
      return rc;
    c->scanning = true;
    c->json.env = env_of(c);
  }
  mpg_intern_init(&c->jobs, env_of(c));
  mpg_intern_init(&c->types, env_of(c));
  mpg_intern_init(&c->ids, env_of(c));
  c->interned = true;
  if (read_arguments(c, &err) != MPG_OK)
    return fail(c, &err);
  sorted = put_in_order(c);
  if (sorted != MPG_OK) {
    c->at_end = true;
    return mpg_sqlite_rc(sorted);
  }
  return report_next(base);
}

static int report_eof(sqlite3_vtab_cursor *base) {
  return ((report_cursor *)base)->at_end;
}

static int report_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *row) {
  *row = ((report_cursor *)base)->row;
  return SQLITE_OK;
}

/* ---- Columns ---- */

static mpg_rc put_real(mpg_json_text *json, double v) {
  char text[MPG_REAL_TEXT];
  size_t n = mpg_text_real(v, text);
  return mpg_json_put(json, (mpg_str){text, n});
}

/* {"EVAL_STEP":12.5}: seconds of the types that counted. */
static mpg_rc put_custom(report_cursor *c) {
  mpg_json_text *json = &c->json;
  mpg_rc rc = mpg_json_put(json, MPG_STR("{"));
  for (size_t i = 0; rc == MPG_OK && i < c->report.ncustom; i++) {
    if (isnan(c->report.custom_s[i]))
      continue;
    rc = mpg_json_put_key(json, mpg_intern_text(&c->types, (uint32_t)i + 1));
    if (rc == MPG_OK)
      rc = put_real(json, c->report.custom_s[i]);
  }
  return rc == MPG_OK ? mpg_json_put(json, MPG_STR("}")) : rc;
}

/* {"17":0.25}: seconds of each step. */
static mpg_rc put_deviations(report_cursor *c) {
  mpg_json_text *json = &c->json;
  char step[MPG_INT_TEXT];
  mpg_rc rc = mpg_json_put(json, MPG_STR("{"));
  for (size_t i = 0; rc == MPG_OK && i < c->report.nsteps; i++) {
    rc = mpg_json_put_key(json, (mpg_str){step, mpg_text_int(c->report.steps[i], step)});
    if (rc == MPG_OK)
      rc = put_real(json, c->report.deviations_s[i]);
  }
  return rc == MPG_OK ? mpg_json_put(json, MPG_STR("}")) : rc;
}

static int give_json(report_cursor *c, sqlite3_context *context, mpg_rc (*put)(report_cursor *)) {
  mpg_value value = {.type = MPG_TEXT};
  mpg_rc rc;
  c->json.n = 0;
  rc = put(c);
  if (rc != MPG_OK)
    return mpg_sqlite_rc(rc);
  value.s = (mpg_str){c->json.p, c->json.n};
  return mpg_result_polled(context, env_of(c), &value);
}

static void give_goodput(const mpg_goodput_report *r, sqlite3_context *context, int column) {
  switch (column) {
  case GOODPUT_PCT:
    sqlite3_result_double(context, r->goodput_pct);
    break;
  case PRODUCTIVE_S:
    sqlite3_result_double(context, r->productive_s);
    break;
  case TOTAL_JOB_TIME_S:
    sqlite3_result_double(context, r->total_s);
    break;
  case MAX_PRODUCTIVE_STEP:
    sqlite3_result_int64(context, r->max_productive_step);
    break;
  case LAST_RECORDED_STEP:
    sqlite3_result_int64(context, r->last_recorded_step);
    break;
  case DISRUPTION_COUNT:
    sqlite3_result_int64(context, r->disruptions);
    break;
  case STEPPING_SLICE_EFFICIENCY:
    if (r->sliced)
      sqlite3_result_double(context, r->stepping_slices);
    break;
  case AVAILABLE_SLICE_EFFICIENCY:
    if (r->sliced)
      sqlite3_result_double(context, r->available_slices);
    break;
  default:
    sqlite3_result_double(context, r->badput_s[column - FIRST_BADPUT]);
  }
}

static void give_steps(const mpg_goodput_report *r, sqlite3_context *context, int column) {
  switch (column) {
  case IDEAL_STEP_TIME_S:
    sqlite3_result_double(context, r->ideal_step_s);
    break;
  case STEP_TIMES:
    sqlite3_result_int64(context, (sqlite3_int64)r->nsteps);
    break;
  case MEAN_ABS_DEVIATION_S:
    sqlite3_result_double(context, r->mean_deviation_s);
    break;
  case MAX_ABS_DEVIATION_S:
    sqlite3_result_double(context, r->max_deviation_s);
    break;
  case BASELINE_METRIC_CUMULATIVE:
    sqlite3_result_double(context, r->baseline_cumulative);
    break;
  default:
    sqlite3_result_double(context, r->baseline_interval);
  }
}

static void give_error(sqlite3_context *context, const char *error) {
  sqlite3_result_text(context, error, -1, SQLITE_STATIC); /* a constant; NULL gives NULL */
}

static int report_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
  report_cursor *c = (report_cursor *)base;
  const mpg_goodput_report *r = &c->report;
  mpg_str job;
  if (column >= FIRST_ARGUMENT) {
    if (c->arguments[column - FIRST_ARGUMENT] != NULL)
      sqlite3_result_value(context, c->arguments[column - FIRST_ARGUMENT]);
  } else if (column == JOB) {
    job = mpg_intern_text(&c->jobs, c->entries[c->from].job);
    sqlite3_result_text64(context, job.p, job.n, SQLITE_TRANSIENT, SQLITE_UTF8);
  } else if (column == ROWS) {
    sqlite3_result_int64(context, (sqlite3_int64)(c->to - c->from));
  } else if (column == ERROR) {
    give_error(context, r->error);
  } else if (column == STEP_DEVIATION_ERROR) {
    give_error(context, r->step_error);
  } else if (column >= IDEAL_STEP_TIME_S) {
    if (r->step_error == NULL && column == ABS_DEVIATION_S_BY_STEP)
      return give_json(c, context, put_deviations);
    if (r->step_error == NULL)
      give_steps(r, context, column);
  } else if (r->error == NULL && column == CUSTOM_BADPUT_EVENTS) {
    return give_json(c, context, put_custom);
  } else if (r->error == NULL) {
    give_goodput(r, context, column);
  }
  return SQLITE_OK;
}

static const sqlite3_module report_module = {
    .iVersion = 0,
    .xCreate = NULL, /* eponymous only */
    .xConnect = report_connect,
    .xBestIndex = report_best_index,
    .xDisconnect = mpg_table_disconnect,
    .xDestroy = NULL,
    .xOpen = report_open,
    .xClose = report_close,
    .xFilter = report_filter,
    .xNext = report_next,
    .xEof = report_eof,
    .xColumn = report_column,
    .xRowid = report_rowid,
};

int mpg_register_goodput_report(mpg_conn *conn, char **error) {
  static const mpg_module modules[] = {{NAME, &report_module, 0}};
  return mpg_register_file_modules(conn, modules, 1, error);
}
