/* records_reading.c - see records_reading.h. */
#include "records_reading.h"
#include "ledger_arguments.h"
#include "../catalogue.h"
#include "../scripts/private_db.h"
#include "../sqlite_relations.h"
#include "../../base/sort.h"
#include "../../base/text.h"

#include <string.h>

/* What the connection holds: a reading of files, and one of tables. */
struct mpg_held_records {
  mpg_records_reading *readings[2];
};

static void free_reading(mpg_conn *conn, mpg_records_reading *r) {
  mpg_fleet_cache_give(&r->keep, &r->fleet, &r->chips);
  mpg_free(&r->scan.env, r->by_name);
  mpg_fleet_free(&r->fleet);
  mpg_chips_free(r->chips);
  mpg_chips_free(r->before);
  mpg_query_env_end(&r->scan);
  sqlite3_value_free(r->source);
  mpg_free(&conn->env, r);
}

/* Reads files, whose fleet is kept if scripts mapped them. `reading` notes what is looked up. */
static mpg_rc read_files(mpg_records_reading *r, mpg_conn *conn, const mpg_env *reading,
                         const mpg_sources_query *query, mpg_err *err) {
  mpg_sources_query q = *query;
  bool mapped = false;
  mpg_rc rc;
  q.mapped = &mapped;
  q.reported = r->keep.reported;
  rc = mpg_sources_fleet(&r->fleet, conn, reading, &q, err);
  if (rc == MPG_OK && mapped)
    mpg_fleet_cache_mapped(&r->keep);
  return rc;
}

/* Reads the catalogue, and the records of files or tables. */
static mpg_rc read_source(mpg_records_reading *r, mpg_conn *conn, sqlite3_value *const *args,
                          mpg_err *err) {
  mpg_fleet_question question = {.on_error = (int)mpg_arg_on_error(args), .records = true};
  mpg_env reading = r->scan.env;
  mpg_ledger_options options;
  bool skip = false;
  int threads;
  mpg_value path = {MPG_NULL, 0, 0.0, {NULL, 0}};
  mpg_rc rc = mpg_ledger_args(args, conn, &options, &skip, &threads, err);
  if (rc == MPG_OK)
    rc = mpg_catalogue_copy(conn, &r->before, err);
  if (rc == MPG_OK && r->files) {
    path = mpg_value_of(args[MPG_ARG_PATH]);
    if (path.type != MPG_TEXT)
      return mpg_fail_argument(err, "path", "text", &path);
    question.path = path.s;
    r->keep = (mpg_fleet_keep){.conn = conn, .scan = &r->scan.env};
    if (conn->held_records == NULL && mpg_user_tables_hash(conn, &question.user_tables) &&
        mpg_fleet_cache_take(&r->keep, &question, &reading, &r->fleet, &r->chips))
      return MPG_OK;
  }
  if (rc == MPG_OK)
    rc = mpg_catalogue_copy(conn, &r->chips, err);
  if (rc == MPG_OK)
    rc = mpg_fleet_init(&r->fleet, &r->scan.env, &conn->issues, r->chips, err);
  if (rc != MPG_OK)
    return rc;
  if (r->files)
    return read_files(r, conn, &reading,
                      &(mpg_sources_query){.path = path.s,
                                           .on_error = mpg_arg_on_error(args),
                                           .threads = threads,
                                           .every_end = true},
                      err);
  return mpg_relations_read(&r->fleet, conn, &r->scan.env,
                            mpg_arg_given(args, MPG_ARG_SCHEMA) ? mpg_arg_text(args, MPG_ARG_SCHEMA)
                                                                : NULL,
                            skip, "the records", err);
}

static int name_order(const void *a, const void *b, void *ctx) {
  const mpg_intern *names = ctx;
  return mpg_str_cmp(mpg_intern_text(names, *(const uint32_t *)a + 1),
                     mpg_intern_text(names, *(const uint32_t *)b + 1));
}

/* A table whose key is the job grows at its end then, which SQLite does faster. */
static mpg_rc order_jobs(mpg_records_reading *r, mpg_err *err) {
  const size_t n = mpg_fleet_njobs(&r->fleet);
  mpg_rc rc;
  r->by_name = mpg_malloc(&r->scan.env, (n + 1) * sizeof *r->by_name);
  if (r->by_name == NULL)
    return mpg_fail_nomem(err);
  for (size_t i = 0; i < n; i++)
    r->by_name[i] = (uint32_t)i;
  rc = mpg_sort(&r->scan.env, r->by_name, n, sizeof *r->by_name, name_order, &r->fleet.job_names);
  return rc == MPG_OK ? MPG_OK : mpg_fail_plain(err, rc);
}

static sqlite3_value *source_of(bool files, sqlite3_value *const *args) {
  return args[files ? MPG_ARG_PATH : MPG_ARG_SCHEMA];
}

/* Whether it may be held: complete, and of no other argument. */
static bool is_holdable(bool files, sqlite3_value *const *args) {
  sqlite3_value *source = source_of(files, args);
  return source != NULL && sqlite3_value_type(source) == SQLITE_TEXT &&
         args[MPG_ARG_ON_ERROR] == NULL;
}

/* The held reading of the same source, or NULL. */
static mpg_records_reading *find_held(mpg_conn *conn, bool files, sqlite3_value *const *args) {
  mpg_records_reading *r = conn->held_records == NULL ? NULL : conn->held_records->readings[files];
  if (r == NULL || !is_holdable(files, args) ||
      !mpg_str_eq(mpg_value_of(source_of(files, args)).s, mpg_value_of(r->source).s))
    return NULL;
  return r;
}

mpg_records_reading *mpg_records_read(mpg_conn *conn, bool files, sqlite3_value *const *args,
                                      mpg_err *err) {
  mpg_records_reading *r = find_held(conn, files, args);
  mpg_rc rc;
  if (r != NULL) {
    r->users++;
    return r;
  }
  r = mpg_calloc(&conn->env, sizeof *r);
  if (r == NULL || mpg_query_env_begin(&r->scan, conn) != SQLITE_OK) {
    mpg_free(&conn->env, r);
    (void)mpg_fail_nomem(err);
    return NULL;
  }
  r->files = files;
  r->users = 1;
  rc = read_source(r, conn, args, err);
  if (rc == MPG_OK)
    rc = order_jobs(r, err);
  if (rc == MPG_OK && conn->held_records != NULL && is_holdable(files, args) &&
      conn->held_records->readings[files] == NULL) {
    r->source = sqlite3_value_dup(source_of(files, args));
    if (r->source == NULL) {
      rc = mpg_fail_nomem(err);
    } else {
      conn->held_records->readings[files] = r;
      r->users++;
    }
  }
  if (rc == MPG_OK)
    return r;
  free_reading(conn, r);
  return NULL;
}

void mpg_records_done(mpg_conn *conn, mpg_records_reading *reading) {
  if (reading != NULL && --reading->users == 0)
    free_reading(conn, reading);
}

/* How many rows trace_records has of each relation, up to MPG_REL_OBSERVED. */
static void count_records(const mpg_fleet *f, int64_t *rows) {
  rows[MPG_REL_CAPACITY] = (int64_t)f->ncapacity;
  rows[MPG_REL_OUTAGES] = (int64_t)f->noutages;
  rows[MPG_REL_ALLOCATIONS] = (int64_t)f->nallocations;
  for (size_t i = 0; i < mpg_fleet_njobs(f); i++) {
    rows[MPG_REL_JOBS] += f->jobs[i].recorded;
    rows[MPG_REL_SPANS] += (int64_t)f->jobs[i].spans.n;
    rows[MPG_REL_COMMITS] += (int64_t)f->jobs[i].commits.n;
  }
  for (size_t i = 0; i < f->program_names.n; i++)
    rows[MPG_REL_PROGRAMS] += f->program_recorded[i];
}

mpg_records_reading *mpg_held_records_take(mpg_conn *conn, const int64_t *rows) {
  struct mpg_held_records *held = conn->held_records;
  mpg_records_reading *r = held == NULL ? NULL : held->readings[true];
  int64_t records[MPG_REL_OBSERVED] = {0};
  if (r == NULL || r->users > 1 || held->readings[false] != NULL)
    return NULL;
  count_records(&r->fleet, records);
  if (memcmp(records, rows, sizeof records) != 0)
    return NULL;
  held->readings[true] = NULL;
  return r;
}

mpg_rc mpg_held_records_begin(mpg_conn *conn, mpg_err *err) {
  conn->held_records = mpg_calloc(&conn->env, sizeof *conn->held_records);
  return conn->held_records == NULL ? mpg_fail_nomem(err) : MPG_OK;
}

void mpg_held_records_end(mpg_conn *conn) {
  struct mpg_held_records *held = conn->held_records;
  if (held == NULL)
    return;
  conn->held_records = NULL;
  for (int i = 0; i < 2; i++)
    mpg_records_done(conn, held->readings[i]);
  mpg_free(&conn->env, held);
}
