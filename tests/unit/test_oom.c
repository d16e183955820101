/*
** test_oom.c - statements in a real connection, with every allocation of SQLite and of the extension failing: the n-th
** once, then the n-th and all after it, until none is left to fail. Each run ends in an error, or in
** exactly the rows of a run without faults; and memory is back where it was once the connection is closed.
*/
#include "../../ext/mpg.h"
#include "check.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Allocation n fails (counting down from n), then all after it where `forever`. */
static struct {
  long left, live;
  int armed, forever, failed;
} fault;

/* Statements that read files have several threads. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int fails(void) {
  int fail = 0;
  (void)pthread_mutex_lock(&lock);
  if (fault.armed && (--fault.left == 0 || (fault.forever && fault.left < 0)))
    fault.failed = fail = 1;
  (void)pthread_mutex_unlock(&lock);
  return fail;
}

static void count(int blocks) {
  (void)pthread_mutex_lock(&lock);
  fault.live += blocks;
  (void)pthread_mutex_unlock(&lock);
}

/* Sizes are kept in front, 8 bytes wide: blocks are aligned to 8 bytes and no more, and no larger than asked. */
static void *fault_malloc(int n) {
  long long *p = fails() ? NULL : malloc((size_t)n + 8);
  if (p == NULL)
    return NULL;
  *p = n;
  count(1);
  return p + 1;
}

static void fault_free(void *p) {
  count(-1);
  free((long long *)p - 1);
}

static void *fault_realloc(void *p, int n) {
  long long *q = fails() ? NULL : realloc((long long *)p - 1, (size_t)n + 8);
  if (q == NULL)
    return NULL;
  *q = n;
  return q + 1;
}

static int fault_size(void *p) {
  return p == NULL ? 0 : (int)((long long *)p)[-1];
}

static int fault_roundup(int n) {
  return n;
}

static int fault_init(void *ctx) {
  (void)ctx;
  return SQLITE_OK;
}

static void fault_shutdown(void *ctx) {
  (void)ctx;
}

static const char *const setup =
    "CREATE TABLE capacity(pool, chip, chips, start_time, end_time);"
    "CREATE TABLE jobs(job, phase, chips, submit_time, labels);"
    "CREATE TABLE allocations(job, attempt, pool, chips, start_time, end_time, outcome);"
    "CREATE TABLE spans(job, kind, start_time, end_time, step, program);"
    "CREATE TABLE programs(program, flops);"
    "CREATE TABLE chips(chip, dtype, peak_flops);"
    "INSERT INTO capacity VALUES ('p', 'mine', 8, 0, 100), ('q', 'tpu-v4', 2.5, 0, 50);"
    "INSERT INTO jobs VALUES ('a', 'training', 4, 0, '{}'), ('b', 'serving', 1, 5, NULL);"
    "INSERT INTO allocations VALUES ('a', 1, 'p', 4, 10, 60, 'failed'), ('a', 2, 'q', 0.5, 60, 70, "
    "NULL),"
    " ('b', NULL, 'q', 1, 0, 40, 'completed'), ('c', NULL, 'r', 1, 0, 1, NULL);"
    "INSERT INTO spans VALUES ('a', 'step', 10, 30, 1, 's'), ('a', 'step', 30, NULL, 2, 's'), "
    "('b', 'serve', 3, 20, NULL, 's'),"
    " ('b', 'nap', 5, 6, NULL, NULL), ('d', 'step', 1, 2, 3, 'unheard of');"
    "INSERT INTO programs VALUES ('s', 1e15);"
    "INSERT INTO chips VALUES ('mine', 'bf16', 1e14);";

static const char *const statements[] = {
    "SELECT category, sum(chip_us) FROM mpg_rollup GROUP BY 1",
    "SELECT * FROM mpg_ledger WHERE bucket_width = 20 AND since = 5",
    "SELECT * FROM mpg_timeline('a')",
    "SELECT pool, job, goodput(category, chip_us), mpg_lower(category, chip_us) FROM mpg_rollup "
    "GROUP BY 1, 2",
    "SELECT goodput(state) FROM (SELECT goodput_state(category, chip_us) AS state FROM mpg_rollup "
    "GROUP BY pool)",
    "SELECT kind, count, detail FROM mpg_issues, (SELECT count(*) FROM mpg_ledger) ORDER BY kind",
    "SELECT category, sum(chip_us) FROM trace_rollup('fixtures/golden') GROUP BY 1",
    "SELECT category, job, start_time FROM trace_ledger('fixtures/golden.jsonl')",
    "SELECT pool, phase, mpg_lower(category, chip_us) FROM trace_ledger('fixtures/golden') "
    "WHERE threads = 1 AND pool = 'golden' AND start_time > 1 GROUP BY phase, pool, category",
    "SELECT DISTINCT job, cause FROM mpg_ledger ORDER BY job DESC",
    "SELECT max(job), min(cause) FROM trace_ledger('fixtures/golden')",
    "SELECT * FROM trace_timeline('fixtures/golden/*.csv', 'J1')",
    "SELECT count(*) FROM trace_ledger('fixtures/golden/spans.csv') WHERE on_error = 'skip'",
    "SELECT chip, dtype, aliases FROM mpg_chips WHERE chip IN ('mine', 'tpu-v4')",
    "SELECT * FROM mpg_categories",
    "SELECT * FROM trace_records('fixtures/golden.jsonl')",
    "SELECT record, job, chip, start_time, labels FROM mpg_records",
    "SELECT * FROM goodput_trace('fixtures/goodput/ranker-8.json')",
    "SELECT * FROM goodput_report('fixtures/goodput')",
    "SELECT roofline_seconds(1e15, 'mine'), roofline_bound(1, 1e9, 'TPU v4'), "
    "chip_bandwidth('H200')",
    "SELECT interval_union(start_time, end_time), peak_concurrency(start_time, end_time) FROM "
    "allocations",
    "SELECT * FROM interval_buckets(0, 100, 30)",
    "SELECT JobID, State, step, _line FROM slurm_trace('fixtures/slurm/sacct_default.p')",
    "SELECT Event, NodeName, TimeStart, TRES FROM "
    "slurm_events_trace('fixtures/slurm/sacctmgr_events.psv', '+01:00')",
    "SELECT JobID, State, step, nodes, alloc_gpu_types FROM "
    "slurm_trace('fixtures/slurm/sacct.json') "
    "LIMIT 2",
    "SELECT NodeName, State, gpu_types FROM slurm_nodes_trace('fixtures/slurm/scontrol_nodes.txt')",
    "SELECT key, value, metadata FROM "
    "mllog_trace('fixtures/mlperf/results/pod16/toy_lm/result_0.txt')",
    "SELECT * FROM pbs_trace('fixtures/pbs/*', 'UTC') LIMIT 3",
    "SELECT * FROM kube_trace('fixtures/kube/cluster.json')",
    "SELECT * FROM prometheus_trace('fixtures/prometheus/*') LIMIT 8",
    "SELECT * FROM otlp_trace('fixtures/otlp/finetune.json')",
    "SELECT * FROM swf_trace('fixtures/swf/small.swf') LIMIT 3",
    "SELECT record, _line FROM csv_trace('fixtures/golden/jobs.csv') WHERE nulls = '-' AND zone = "
    "'UTC'",
    "SELECT record FROM jsonl_trace('fixtures/golden.jsonl', 'job, pool $.pool TEXT', 'job TEXT') "
    "LIMIT 3",
    "CREATE VIRTUAL TABLE temp.a USING csv_trace('fixtures/golden/allocations.csv', nulls='x,-', "
    "types='end_time TIME', on_error=skip); SELECT *, _file FROM a WHERE job = 'J1'",
    "CREATE VIRTUAL TABLE temp.g USING jsonl_trace('fixtures/golden.jsonl'); SELECT * FROM g LIMIT "
    "2",
    "SELECT text, step, fields FROM log_trace('fixtures/training/nanogpt.log', "
    "'step:(?<step>[0-9]+)/.*loss:(?<loss>[0-9.]+)') LIMIT 3",
    "SELECT name, start_ns, end_ns, thread_name, rank, input_dims, flops, args FROM "
    "chrome_trace('fixtures/profile/*') WHERE ph <> 's' AND _line % 7 = 0",
    "SELECT * FROM chrome_trace_info('fixtures/profile/rank1.json')",
    "SELECT * FROM xplane_trace('fixtures/xplane/tpu-host-0.xplane.pb') LIMIT 12",
    "SELECT * FROM xplane_planes('fixtures/xplane')",
    "SELECT job_size(chips), job_size(16, '8,16,32'), time_bucket(start_time, 'day +02:00'), "
    "iso_week(end_time), bar(chips, 4, 30) FROM allocations",
    "SELECT spark(chips), spark(chips, 'ascii') FROM allocations",
    "SELECT spark(chips, 0, 9) OVER (ORDER BY start_time ROWS 1 PRECEDING) FROM allocations",
    "SELECT *, _line FROM hlo_trace('fixtures/hlo/fp8_step.hlo')",
    "SELECT * FROM hlo_cost('fixtures/hlo/decode.hlo')",
    "SELECT transformer_flops('{\"mode\":\"training\",\"parameters\":7e9,\"tokens\":10}'), "
    "chip_interconnect('TPU v4')",
    "SELECT op_flops(name, input_dims), op_bytes(name, input_dims, input_type, concrete_inputs) "
    "FROM "
    "chrome_trace('fixtures/profile/rank0.json') WHERE input_dims <> '' LIMIT 5",
    "SELECT record FROM csv_rollup('fixtures/golden/allocations.csv', 'chips, chips*(2-1) as x', "
    "'job,pool') WHERE threads = 1",
    "CREATE VIRTUAL TABLE temp.r USING jsonl_rollup('fixtures/golden.jsonl', measures='chips', "
    "threads=1); SELECT pool, sum(chips), sum(rows) FROM r WHERE record = 'allocation' GROUP BY 1 "
    "ORDER BY 1 DESC",
    "SELECT mpg_version(), mpg_uuid('dns', 'example.org')",
};
enum { STATEMENTS = sizeof statements / sizeof *statements };

/* The rows of a statement as one text, appended to `out`. *rest: what follows the statement. */
static int query(sqlite3 *db, const char *sql, sqlite3_str *out, const char **rest) {
  sqlite3_stmt *stmt = NULL;
  int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, rest);
  bool torn = false; /* a text that could not be told */
  if (rc == SQLITE_OK)
    while ((rc = sqlite3_step(stmt)) == SQLITE_ROW)
      for (int i = 0; i < sqlite3_column_count(stmt); i++) {
        const unsigned char *text = sqlite3_column_text(stmt, i);
        torn |= text == NULL && sqlite3_column_type(stmt, i) != SQLITE_NULL;
        sqlite3_str_appendf(out, "%s|", text == NULL ? "NULL" : (const char *)text);
      }
  return sqlite3_finalize(stmt) != SQLITE_OK || rc != SQLITE_DONE || torn ? SQLITE_NOMEM
                                                                          : SQLITE_OK;
}

/* Opens, loads and runs; NULL, and *failed, where anything said no. The caller frees the text. Faults
** begin with loading, or where `loaded` behind it. */
static char *run(const char *sql, long n, int forever, int loaded, int *failed) {
  sqlite3 *db = NULL;
  sqlite3_str *out = sqlite3_str_new(NULL);
  char *error = NULL, *text;
  int rc = sqlite3_open(":memory:", &db);
  if (rc == SQLITE_OK)
    rc = sqlite3_exec(db, setup, NULL, NULL, NULL);
  /* Whatever comes out of the faults is kept apart from the memory that is watched. */
  fault.left = n;
  fault.forever = forever;
  fault.failed = 0;
  fault.armed = !loaded;
  if (rc == SQLITE_OK)
    rc = sqlite3_mpg_init(db, &error, NULL);
  fault.armed = 1;
  sqlite3_free(error);
  for (const char *next = sql; rc == SQLITE_OK && *next != '\0';)
    rc = query(db, next, out, &next);
  fault.armed = 0;
  *failed = rc != SQLITE_OK || sqlite3_str_errcode(out) != SQLITE_OK;
  text = sqlite3_str_finish(out);
  CHECK(sqlite3_close(db) == SQLITE_OK);
  return text;
}

/* Every allocation where MPG_FULL is set; else every third, under the sanitizers every ninth. */
static long stride(void) {
#if defined(__SANITIZE_ADDRESS__)
  const long quick = 9;
#else
  const long quick = 3;
#endif
  return getenv("MPG_FULL") != NULL ? 1 : quick;
}

static void sweep(const char *sql, int forever, int loaded, const char *expected, long *points) {
  for (long n = 1;; n += stride()) {
    long before = fault.live;
    int failed, injected;
    char *found = run(sql, n, forever, loaded, &failed);
    injected = fault.failed;
    if (!failed && (found == NULL || strcmp(found, expected) != 0)) {
      (void)fprintf(stderr,
                    "allocation %ld%s: wrong rows, no error: %s\n  found    %s\n  expected %s\n", n,
                    forever ? " and after" : "", sql, found ? found : "nothing", expected);
      CHECK(0 && "wrong rows without an error");
    }
    sqlite3_free(found);
    if (fault.live != before) {
      (void)fprintf(stderr, "allocation %ld%s: %ld blocks leaked: %s\n", n,
                    forever ? " and after" : "", fault.live - before, sql);
      CHECK(0 && "leak");
    }
    if (!injected) {
      *points += (n - 1) / stride();
      return;
    }
  }
}

int main(void) {
  static const sqlite3_mem_methods methods = {fault_malloc,  fault_free, fault_realloc,  fault_size,
                                              fault_roundup, fault_init, fault_shutdown, NULL};
  long points = 0;
  CHECK(sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) == SQLITE_OK);
  CHECK(sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0) == SQLITE_OK);
  CHECK(sqlite3_initialize() == SQLITE_OK);
  for (int i = 0; i < STATEMENTS; i++) {
    int failed;
    char *expected = run(statements[i], 0, 0, 0, &failed);
    if (failed)
      (void)fprintf(stderr, "fails without any fault: %s\n", statements[i]);
    CHECK(!failed && expected != NULL && expected[0] != '\0');
    for (int forever = 0; forever < 2 && !failed; forever++)
      sweep(statements[i], forever, i > 0, expected, &points); /* loading itself once */
    sqlite3_free(expected);
  }
  (void)printf("oom: %ld allocations failed\n", points);
  CHECK(points > 1000);
  CHECK(sqlite3_shutdown() == SQLITE_OK && fault.live == 0);
  return check_done("oom");
}
