/*
** test_native.c - a trace read in blocks and by several threads is the fleet, the issues and the
** error of reading its records one after the other: the same names in the same order, the same
** lines.
*/
#define _GNU_SOURCE /* asprintf's kin: open_memstream */
#include "check.h"
#include "hostile.h"
#include "native_written.h"
#include "../../ext/goodput/native/native.h"
#include "../../ext/goodput/native/native_reading.h"
#include "../../ext/read/input/paths.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

/* Memory for several threads, counted, that fails where it is told to. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *shared_resize(void *ctx, void *p, size_t n) {
  void *q;
  (void)pthread_mutex_lock(&lock);
  q = hostile_resize(ctx, p, n);
  (void)pthread_mutex_unlock(&lock);
  return q;
}

/* ---- a fleet as text ---- */

static void dump_names(FILE *out, const char *what, const mpg_intern *t) {
  (void)fprintf(out, "%s:", what);
  for (uint32_t id = 1; id <= t->n; id++) {
    mpg_str s = mpg_intern_text(t, id);
    (void)fprintf(out, " %.*s", (int)s.n, s.p);
  }
  (void)fputc('\n', out);
}

static void dump_job(FILE *out, const mpg_fleet *f, uint32_t j) {
  const mpg_job *job = &f->jobs[j];
  mpg_err err;
  mpg_span *spans = calloc(job->spans.n + 1, sizeof *spans);
  mpg_commit *commits = calloc(job->commits.n + 1, sizeof *commits);
  (void)fprintf(out, "job %d %lld %lld %lld %lld:", job->recorded, (long long)job->chips,
                (long long)job->min_chips, (long long)job->tasks, (long long)job->submit);
  for (int d = 0; d < MPG_JOB_DIMS; d++)
    (void)fprintf(out, " %u", job->dim[d]);
  (void)mpg_fleet_spans(f, j, spans, sizeof *spans, &mpg_env_libc, &err);
  (void)mpg_fleet_commits(f, j, commits, &mpg_env_libc, &err);
  for (size_t i = 0; i < job->spans.n; i++) {
    const mpg_span *s = &spans[i];
    (void)fprintf(out, "\n  %lld %lld %lld %lld %lld %a %a %a %u %u %u %u", (long long)s->start,
                  (long long)s->end, (long long)s->attempt, (long long)s->step, (long long)s->line,
                  s->flops, s->bytes, s->executions, s->kind, s->program, s->dtype, s->file);
  }
  for (size_t i = 0; i < job->commits.n; i++)
    (void)fprintf(out, "\n  commit %u %lld %lld %lld", commits[i].job, (long long)commits[i].step,
                  (long long)commits[i].snapshot, (long long)commits[i].durable);
  (void)fputc('\n', out);
  free(spans);
  free(commits);
}

static void dump(FILE *out, const mpg_fleet *f) {
  dump_names(out, "texts", &f->texts);
  dump_names(out, "jobs", &f->job_names);
  dump_names(out, "pools", &f->pool_names);
  dump_names(out, "programs", &f->program_names);
  dump_names(out, "kinds", &f->kind_names);
  for (uint32_t j = 0; j < mpg_fleet_njobs(f); j++)
    dump_job(out, f, j);
  for (size_t i = 0; i < f->program_names.n; i++)
    (void)fprintf(out, "program %a %a %u %d\n", f->programs[i].flops, f->programs[i].bytes,
                  f->programs[i].dtype, f->program_recorded[i]);
  for (size_t i = 0; i < f->ncapacity; i++)
    (void)fprintf(out, "capacity %u %u %lld %lld %lld\n", f->capacity[i].pool, f->capacity[i].chip,
                  (long long)f->capacity[i].chips, (long long)f->capacity[i].start,
                  (long long)f->capacity[i].end);
  for (size_t i = 0; i < f->noutages; i++)
    (void)fprintf(out, "outage %u %u %lld %lld %lld\n", f->outages[i].pool, f->outages[i].kind,
                  (long long)f->outages[i].chips, (long long)f->outages[i].start,
                  (long long)f->outages[i].end);
  for (size_t i = 0; i < f->nallocations; i++) {
    const mpg_allocation *a = &f->allocations[i];
    (void)fprintf(out, "allocation %u %u %u %d %lld %lld %lld %lld %lld %u\n", a->job, a->pool,
                  a->task, (int)a->outcome, (long long)a->attempt, (long long)a->chips,
                  (long long)a->start, (long long)a->end, (long long)a->line, a->file);
  }
  for (size_t i = 0; i < mpg_chips_count(f->chips); i++)
    (void)fprintf(out, "%s ", mpg_chips_row(f->chips, i)->chip);
  (void)fprintf(out, "\nlast %lld, %llu spans", (long long)f->last, (unsigned long long)f->nspans);
  for (int r = 0; r < MPG_RELATIONS; r++)
    (void)fprintf(out, ", %llu", (unsigned long long)f->records[r]);
  (void)fputc('\n', out);
}

/* ---- reading ---- */

/* One file after the other, one record after the other: how it would be done without blocks. */
static mpg_rc read_plainly(mpg_fleet *fleet, const mpg_env *env, const char *folder, bool skip,
                           mpg_err *err) {
  mpg_csv_options csv_options = {',', false, 0};
  mpg_json_options json_options = {0};
  mpg_paths paths;
  mpg_rc rc = mpg_paths_expand(&paths, env, mpg_str_of(folder), err);
  for (size_t i = 0; rc == MPG_OK && i < paths.n; i++) {
    const char *path = paths.file[i].path;
    mpg_native_reading r = {fleet, env, path, skip, 0, err};
    mpg_native_header h = {.relation = mpg_relation_by_file(path)};
    mpg_stream *stream = NULL;
    mpg_csv *csv = NULL;
    mpg_json *json = NULL;
    rc = mpg_fleet_from(fleet, path, err);
    if (rc == MPG_OK)
      rc = mpg_stream_open(&stream, env, path, err);
    if (rc == MPG_OK)
      mpg_stream_repair_text(stream);
    if (rc == MPG_OK && strstr(path, ".json") != NULL) {
      rc = mpg_json_open(&json, env, stream, &json_options, err);
      if (rc == MPG_OK)
        rc = mpg_native_json(&r, json);
    } else if (rc == MPG_OK) {
      rc = mpg_csv_open(&csv, env, stream, &csv_options, err);
      if (rc == MPG_OK)
        rc = mpg_native_csv_header(&r, csv, &h);
      if (rc == MPG_OK)
        rc = mpg_native_csv(&r, csv, &h, 0);
      rc = rc == MPG_DONE ? MPG_OK : rc;
    }
    if (rc == MPG_OK)
      rc = mpg_stream_repaired(stream, fleet->issues, err);
    mpg_csv_close(csv);
    mpg_json_close(json);
    mpg_stream_close(stream);
  }
  mpg_paths_free(&paths);
  return rc;
}

/* Everything that comes of a folder, as text; threads 0: plainly. NULL: out of memory. */
static char *read_folder(const mpg_env *env, const char *folder, bool skip, int threads) {
  char *text = NULL;
  size_t n = 0;
  FILE *out = open_memstream(&text, &n);
  mpg_fleet fleet = {0};
  mpg_issues issues;
  mpg_chips *chips = NULL;
  mpg_err err = {MPG_OK, ""};
  mpg_rc rc = mpg_chips_new(&chips, env, &err);
  mpg_issues_init(&issues, env);
  if (rc == MPG_OK)
    rc = mpg_fleet_init(&fleet, env, &issues, chips, &err);
  fleet.keep_origins = skip;
  if (rc == MPG_OK && threads == 0)
    rc = read_plainly(&fleet, env, folder, skip, &err);
  else if (rc == MPG_OK)
    rc = mpg_native_read(&fleet, env, mpg_str_of(folder),
                         &(mpg_native_options){.skip = skip, .threads = threads}, &err);
  if (rc == MPG_OK)
    dump(out, &fleet);
  else
    (void)fprintf(out, "%d %s\n", (int)rc, err.text);
  for (size_t i = 0; i < issues.n; i++)
    (void)fprintf(out, "%s %s %s %d %lld %lld\n", issues.items[i].source, issues.items[i].kind,
                  issues.items[i].detail, (int)issues.items[i].severity,
                  (long long)issues.items[i].line, (long long)issues.items[i].count);
  mpg_fleet_free(&fleet);
  mpg_chips_free(chips);
  mpg_issues_free(&issues);
  (void)fclose(out);
  if (rc == MPG_NOMEM) {
    free(text);
    text = NULL;
  }
  return text;
}

static void tell_difference(size_t block, int threads, int skip, const char *a, const char *b) {
  size_t same = 0;
  while (a[same] != '\0' && a[same] == b[same])
    same++;
  while (same > 0 && a[same - 1] != '\n')
    same--;
  (void)fprintf(stderr, "block %zu, %d threads, skip %d\n  expected %.300s\n  found    %.300s\n",
                block, threads, skip, a + same, b + same);
}

static void check_folder(const char *folder) {
  for (int skip = 0; skip < 2; skip++) {
    mpg_env libc = mpg_env_libc;
    char *expected;
    hostile_block(0);
    expected = read_folder(&libc, folder, skip != 0, 0);
    for (size_t b = 0; b < HOSTILE_BLOCKS; b++)
      for (int threads = 1; threads <= 4; threads += 1 + (threads == 2)) {
        hostile h = {0};
        mpg_env env = {.resize = shared_resize, .resize_ctx = &h};
        char *found;
        hostile_block(hostile_blocks[b]);
        found = read_folder(&env, folder, skip != 0, threads);
        CHECK(h.live == 0);
        CHECK(found != NULL && strcmp(found, expected) == 0);
        if (found != NULL && strcmp(found, expected) != 0)
          tell_difference(hostile_blocks[b], threads, skip, expected, found);
        free(found);
      }
    free(expected);
  }
  hostile_block(0);
}

/* Takes the columns of places, LINE:COLUMN:, out of the text. */
static void without_columns(char *text) {
  char *to = text;
  for (const char *p = text; *p != '\0';) {
    size_t n =
        p > text && *p == ':' && isdigit((unsigned char)p[-1]) ? strspn(p + 1, "0123456789") : 0;
    *to++ = *p++;
    p += n > 0 && p[n] == ':' ? n : 0;
  }
  *to = '\0';
}

/* With a space before its end a record is read as all JSON is, and says the same. */
static void check_repeats(const char *folder, size_t rows, int odd) {
  uint64_t before = seed;
  char *found[2];
  hostile_block(0);
  for (int skip = 0; skip < 2; skip++) {
    for (int i = 1; i >= 0; i--) {
      seed = before;
      write_repeats(folder, rows, odd, i == 1 ? " }" : "}");
      found[i] = read_folder(&mpg_env_libc, folder, skip != 0, 0);
      without_columns(found[i]);
    }
    CHECK(strcmp(found[0], found[1]) == 0);
    if (strcmp(found[0], found[1]) != 0)
      tell_difference(0, 0, skip, found[1], found[0]);
    free(found[0]);
    free(found[1]);
  }
}

/* Every allocation fails, once and from then on: an error, or the fleet of a run without faults. */
static void check_oom(const char *folder, int threads) {
  mpg_env libc = mpg_env_libc;
  char *expected = read_folder(&libc, folder, true, 0);
  hostile_block(hostile_blocks[HOSTILE_BLOCKS > 1 ? HOSTILE_BLOCKS / 2 + 1 : 0]);
  for (int forever = 0; forever < 2; forever++)
    for (long n = 1;; n += 1 + n / 50) {
      hostile h = {.fail_in = n, .and_after = forever};
      mpg_env env = {.resize = shared_resize, .resize_ctx = &h};
      char *found = read_folder(&env, folder, true, threads);
      CHECK(h.live == 0);
      CHECK(found == NULL || strcmp(found, expected) == 0);
      free(found);
      if (!h.failed)
        break;
    }
  free(expected);
  hostile_block(0);
}

static bool stop_soon(void *ctx) {
  int *left = ctx;
  return --*left < 0;
}

static void check_interrupts(const char *folder) {
  hostile_block(hostile_blocks[0]);
  for (int polls = 0; polls < (HOSTILE_BLOCKS > 1 ? 40 : 4); polls += 3) {
    int left = polls;
    mpg_env env = mpg_env_libc;
    char *text;
    env.interrupted = stop_soon;
    env.interrupted_ctx = &left;
    text = read_folder(&env, folder, false, 3);
    CHECK(text != NULL && strstr(text, "interrupted") != NULL);
    free(text);
  }
  hostile_block(0);
}

int main(void) {
  char folder[] = "build/native-XXXXXX";
  CHECK(mkdtemp(folder) != NULL);
  for (int i = 0; i < 40 / check_stride(2); i++) {
    int odd = i % 3 == 0 ? 0 : 2 + (int)below(40);
    write_csv(folder, below(60), odd);
    check_folder(folder);
    if (i % 10 == 0) {
      check_oom(folder, 1);
      check_oom(folder, 3);
    }
    empty(folder);
    write_plain(folder, below(90), odd);
    check_folder(folder);
    if (i % 20 == 0)
      check_oom(folder, 2);
    empty(folder);
    write_jsonl(folder, 1 + below(60), odd);
    check_folder(folder);
    if (i % 10 == 0) {
      check_oom(folder, 1);
      check_oom(folder, 3);
      write_jsonl(folder, 400, 0);
      check_interrupts(folder);
    }
    empty(folder);
    for (int k = 0; k < 10; k++)
      check_repeats(folder, 1 + below(k == 0 ? 300 : 60), odd);
    check_folder(folder);
    empty(folder);
  }
  (void)rmdir(folder);
  return check_done("native");
}
