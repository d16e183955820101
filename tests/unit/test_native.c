/*
** test_native.c - a trace read in blocks and by several threads is the fleet, the issues and the error
** of reading its records one after the other: the same names in the same order, the same lines.
*/
#define _GNU_SOURCE /* asprintf's kin: open_memstream */
#include "check.h"
#include "hostile.h"
#include "../../ext/io/native.h"
#include "../../ext/io/native_read.h"

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

static uint64_t seed = 7;
static size_t below(size_t n) {
  seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (size_t)((seed >> 33) % n);
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

static void dump_job(FILE *out, const mpg_job *job) {
  mpg_span *spans = calloc(job->spans.n + 1, sizeof *spans);
  (void)fprintf(out, "job %d %lld %lld %lld %lld:", job->recorded, (long long)job->chips,
                (long long)job->min_chips, (long long)job->tasks, (long long)job->submit);
  for (int d = 0; d < MPG_JOB_DIMS; d++)
    (void)fprintf(out, " %u", job->dim[d]);
  (void)mpg_span_list_read(&job->spans, spans, &mpg_env_libc);
  for (size_t i = 0; i < job->spans.n; i++) {
    const mpg_span *s = &spans[i];
    (void)fprintf(out, "\n  %lld %lld %lld %lld %lld %a %a %a %u %u %u %u", (long long)s->start,
                  (long long)s->end, (long long)s->attempt, (long long)s->step, (long long)s->line,
                  s->flops, s->bytes, s->executions, s->kind, s->program, s->dtype, s->file);
  }
  (void)fputc('\n', out);
  free(spans);
}

static void dump(FILE *out, const mpg_fleet *f) {
  dump_names(out, "texts", &f->texts);
  dump_names(out, "jobs", &f->job_names);
  dump_names(out, "pools", &f->pool_names);
  dump_names(out, "programs", &f->program_names);
  dump_names(out, "kinds", &f->kind_names);
  for (size_t i = 0; i < mpg_fleet_njobs(f); i++)
    dump_job(out, &f->jobs[i]);
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
  for (size_t i = 0; i < f->ncommits; i++)
    (void)fprintf(out, "commit %u %lld %lld %lld\n", f->commits[i].job,
                  (long long)f->commits[i].step, (long long)f->commits[i].snapshot,
                  (long long)f->commits[i].durable);
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
    const char *path = paths.path[i];
    mpg_native_reading r = {fleet, env, path, skip, 0, err};
    mpg_native_header h = {.relation = mpg_relation_by_file(path)};
    mpg_stream *stream = NULL;
    mpg_csv *csv = NULL;
    mpg_json *json = NULL;
    rc = mpg_fleet_from(fleet, path, err);
    if (rc == MPG_OK)
      rc = mpg_stream_open(&stream, env, path, err);
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
    rc = mpg_native_read(&fleet, env, mpg_str_of(folder), skip, threads, &err);
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

/* ---- traces ---- */

static const char *const odd_values[] = {"",  "\"\"", "\"a\"\"b\"", "\"two\nlines\"",
                                         "x", "-1",   "7\"",        "\"x\" y"};

static void put_value(FILE *out, int odd, const char *usual, size_t number) {
  if (odd > 0 && below((size_t)odd) == 0)
    (void)fputs(odd_values[below(sizeof odd_values / sizeof *odd_values)], out);
  else
    (void)fprintf(out, usual, number);
}

static void write_csv(const char *folder, size_t rows, int odd) {
  char path[512];
  const char *end = below(3) == 0 ? "\r\n" : below(9) == 0 ? "\r" : "\n";
  FILE *out;
  (void)snprintf(path, sizeof path, "%s/spans.csv", folder);
  out = fopen(path, "w");
  (void)fprintf(out, "%sjob,kind,\"start_time\",end_time,step,program,%s%s",
                below(2) ? "\xef\xbb\xbf" : "", below(2) ? "dtype" : "mine", end);
  for (size_t i = 0; i < rows; i++) {
    put_value(out, odd, "j%zu,", below(5));
    put_value(out, odd, below(3) ? "step%.0zu," : "k%zu,", below(4));
    put_value(out, odd, "1%zu.5,", 1000 + i);
    put_value(out, odd, "2%zu,", 1000 + i);
    put_value(out, odd, "%zu,", i);
    put_value(out, odd, below(2) ? "p%zu," : "\"p,%zu\",", below(3));
    put_value(out, odd, "bf%zu", below(3));
    (void)fputs(end, out);
    if (odd > 0 && below((size_t)odd) == 0)
      (void)fputs(end, out);
  }
  (void)fclose(out);
  (void)snprintf(path, sizeof path, "%s/jobs.csv", folder);
  out = fopen(path, "w");
  (void)fputs("job,owner,chips,labels\n", out);
  for (size_t i = 0; i < rows / 4; i++)
    (void)fprintf(out, "j%zu,o%zu,%zu,\"{\"\"a\"\":\n%zu}\"\n", below(6), below(3), below(4), i);
  (void)fclose(out);
  (void)snprintf(path, sizeof path, "%s/allocations.csv", folder);
  out = fopen(path, "w");
  (void)fputs("job,pool,chips,start_time,task\n", out);
  for (size_t i = 0; i < rows / 4; i++)
    (void)fprintf(out, "j%zu,q%zu,4,%zu,t%zu\n", below(6), below(3), i, below(3));
  (void)fclose(out);
  (void)snprintf(path, sizeof path, "%s/chips.csv", folder);
  out = fopen(path, "w");
  (void)fputs("chip,dtype,peak_flops\nmine,bf16,1\nyours,bf16,2\n", out);
  (void)fclose(out);
}

/* Spans and commits as most are written (native_plain.h), and what nearly is so. */
static void write_plain(const char *folder, size_t rows, int odd) {
  static const char *const columns[] = {"job",      "attempt", "kind",      "start_time",
                                        "end_time", "step",    "program",   "flops",
                                        "bytes",    "dtype",   "executions"};
  static const char *const jobs[] = {"train-000001", "j", "a job of more than eight bytes",
                                     "0f8fad5b-d9cb-469f-a165-70867728950e",
                                     "a name of one or two letters more than thirty-five"};
  static const char *const kinds[] = {
      "step", "input", "checkpoint", "serve", "s", "step ", "a kind with a long name"};
  static const char *const programs[] = {"",
                                         "f",
                                         "model/train_step",
                                         "a-model-of-some-size/train_step-17",
                                         "a-model-of-some-size/train_step-18",
                                         "moe-8x22b/train_step-0"};
  static const char *const times[] = {"1767891265.323983",
                                      "1767891265.32398x",
                                      "9214646399.999999",
                                      "9214646400.000000",
                                      "2026-01-05T00:08:42.886085Z",
                                      "2026-01-05 00:08:42",
                                      "2026-01-05",
                                      "1970-01-01T00:00:00+01:00",
                                      "1767891266",
                                      "1767891266.5",
                                      "1.5e3",
                                      " 12",
                                      "-1",
                                      "01767891265.32398",
                                      "12345678901234567"};
  static const char *const amounts[] = {"",   "0",     "7.254131e17", "12345678901234567",
                                        "-1", "1e999", "0.5"};
  static const char *const whole[] = {"",    "0", "17", "123456789012345678", "9223372036854775807",
                                      "1.0", "+1"};
  size_t order[11];
  bool usual = below(2) == 0;
  const char *end = below(4) == 0 ? "\r\n" : "\n";
  char path[512];
  FILE *out;
  (void)snprintf(path, sizeof path, "%s/spans.csv", folder);
  out = fopen(path, "w");
  for (size_t i = 0; i < 11; i++)
    order[i] = i;
  for (size_t i = 10; !usual && i > 0; i--) {
    size_t k = below(i + 1), swap = order[i];
    order[i] = order[k];
    order[k] = swap;
  }
  for (size_t i = 0; i < 11; i++)
    (void)fprintf(out, "%s%s", i > 0 ? "," : "", columns[order[i]]);
  (void)fputs(end, out);
  for (size_t i = 0; i < rows; i++) {
    bool plain = odd == 0 || below((size_t)odd) > 0;
    size_t job = below(plain ? 3 : 5);
    for (size_t k = 0; k < 11; k++) {
      const char *v = "";
      char number[32];
      switch (order[k]) {
      case 0:
        v = jobs[job];
        break;
      case 1:
        v = plain ? (below(3) ? "" : "2") : whole[below(7)];
        break;
      case 2:
        v = kinds[below(plain ? 3 : 7)];
        break;
      case 3:
        (void)snprintf(number, sizeof number, "17678912%02zu.%06zu", i % 100, below(1000000));
        v = plain ? number : times[below(15)];
        break;
      case 4:
        (void)snprintf(number, sizeof number, "17678913%02zu.%06zu", i % 100, below(1000000));
        v = plain ? (below(5) ? number : "") : times[below(15)];
        break;
      case 5:
        (void)snprintf(number, sizeof number, "%zu", i);
        v = plain ? number : whole[below(7)];
        break;
      case 6:
        v = programs[below(6)];
        break;
      case 9:
        v = below(4) ? "" : below(2) ? "bf16" : "int8";
        break;
      default:
        v = below(3) ? "" : amounts[below(plain ? 3 : 7)];
      }
      (void)fprintf(out, "%s%s", k > 0 ? "," : "", v);
    }
    if (!plain && below(4) == 0)
      (void)fputs(odd_values[below(sizeof odd_values / sizeof *odd_values)], out);
    if (i + 1 < rows || below(2))
      (void)fputs(plain || below(4) ? end : below(2) ? "" : "\n\n", out);
  }
  (void)fclose(out);
  (void)snprintf(path, sizeof path, "%s/commits.csv", folder);
  out = fopen(path, "w");
  (void)fputs(usual ? "job,attempt,step,snapshot_time,durable_time\n" : "durable_time,job,step\n",
              out);
  for (size_t i = 0; i < rows; i++)
    if (usual)
      (void)fprintf(out, "%s,%s,%zu,%s,1767891%zu.%06zu\n", jobs[below(4)], below(2) ? "" : "x", i,
                    below(3) ? times[below(15)] : "", 200 + i, i);
    else
      (void)fprintf(out, "%s,%s,%s\n", below(2) ? times[below(15)] : "", jobs[below(3)],
                    whole[below(7)]);
  (void)fclose(out);
}

static void write_jsonl(const char *folder, size_t rows, int odd) {
  static const char *const oddities[] = {
      "{\"record\":\"span\"}\n",
      "{\"record\":\"chip\",\"chip\":\"c\",\"dtype\":\"bf16\",\"peak_flops\":1}\n",
      "nonsense\n",
      "{\"record\":\"span\",\n",
      "\n\n",
      "{\"record\":\"step\"}\n",
      "{\"record\":\"outage\",\"pool\":\"q\",\"chips\":1,\"start_time\":5,\"kind\":\"x\\ny\"}",
      "{\"record\":\"span\",\"job\":\"j\",\"kind\":{},\"start_time\":1}\n",
      "{\"record\":\"capacity\",\"pool\":\"q1\",\"chips\":9,\"start_time\":\"1970-01-01\"}\r\n",
      "{\"record\":\"span\",\"job\":\"j\xc3\xa9\",\"kind\":\"\\u0041\",\"start_time\":1}\n"};
  char path[512];
  FILE *out;
  (void)snprintf(path, sizeof path, "%s/trace.jsonl", folder);
  out = fopen(path, "w");
  for (size_t i = 0; i < rows; i++) {
    switch (below(8)) {
    case 0:
      (void)fprintf(out,
                    "{\"record\":\"job\",\"job\":\"j%zu\",\"owner\":\"o%zu\",\"chips\":%zu,"
                    "\"labels\":{\"a\":[1]}}\n",
                    below(4), below(3), below(3));
      break;
    case 1:
      (void)fprintf(out, "{\"record\":\"program\",\"program\":\"p%zu\",\"flops\":%zu}\n", below(4),
                    below(3));
      break;
    case 2:
      (void)fprintf(
          out,
          "{\"record\":\"commit\",\"job\":\"j%zu\",\"step\":%zu,\"durable_time\":%zu,\"odd\":1}\n",
          below(4), i, i);
      break;
    case 3:
      (void)fprintf(out,
                    "{\"record\":\"allocation\",\"job\":\"j%zu\",\"pool\":\"q%zu\",\"chips\":0.5,"
                    "\"start_time\":%zu}\n",
                    below(4), below(3), i);
      break;
    default:
      (void)fprintf(out,
                    "{\"record\":\"span\",\"job\":\"j%zu\",\"kind\":\"k%zu\",\"start_time\":%zu.25,"
                    "\"end_time\":%zu,"
                    "\"program\":\"p%zu\",\"dtype\":\"d%zu\",\"flops\":1e%zu}\n",
                    below(6), below(4), i, 2 * i + 1, below(4), below(3), below(9));
    }
    if (odd > 0 && below((size_t)odd) == 0)
      (void)fputs(oddities[below(sizeof oddities / sizeof *oddities)], out);
  }
  (void)fclose(out);
}

typedef struct member {
  const char *key;
  char value[700];
} member;

typedef struct json_record {
  member members[12];
  size_t n;
} json_record;

static void put_member(json_record *r, const char *key, const char *value) {
  member *m = &r->members[r->n++];
  m->key = key;
  (void)snprintf(m->value, sizeof m->value, "%s", value);
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const member *)a)->key, ((const member *)b)->key);
}

static int by_name_backwards(const void *a, const void *b) {
  return by_name(b, a);
}

/* As one of a few writers has it: spaces or none, and an order of the keys. */
static void put_record(FILE *out, json_record *r, size_t style, const char *end) {
  static const char *const commas[] = {",", ", "}, *const colons[] = {":", ": "};
  size_t order = style / 4;
  if (order > 0) /* "record" is the first, or wherever its name is */
    qsort(r->members + (order < 3), r->n - (order < 3), sizeof *r->members,
          order == 1 ? by_name_backwards : by_name);
  for (size_t i = 0; i < r->n; i++)
    (void)fprintf(out, "%s\"%s\"%s%s", i == 0 ? "{" : commas[style % 2], r->members[i].key,
                  colons[style / 2 % 2], r->members[i].value);
  (void)fputs(end, out);
}

/* Spans of jobs that go on for a while (native_same.h), and what nearly is so; `end` closes each. */
static void write_repeats(const char *folder, size_t rows, int odd, const char *end) {
  static const char *const jobs[] = {"\"train-000001\"", "\"j\"",
                                     "\"a job of more than eight bytes\""};
  static const char *const kinds[] = {"\"step\"", "\"input\"", "\"k\\u0041\"", "null", "\"\""};
  static const char *const programs[] = {"\"f\"",
                                         "\"\xe5\x8d\x83\xe9\x97\xae/train_step\"",
                                         "\"a-model-of-some-size/train_step-17\"",
                                         "null",
                                         "\"\xe5\x8d\"",
                                         "\"a\\tb\""};
  static const char *const times[] = {"01767891265.32398",
                                      "1767891265.32398",
                                      "1767891265.3239831",
                                      "1.767891265e9",
                                      "-1767891265.323983",
                                      "1767891265",
                                      "1767891265.",
                                      "null",
                                      "\"\"",
                                      "9214646399.999999",
                                      "9214646400.000000",
                                      "0767891265.323983",
                                      "{}",
                                      "true",
                                      "\"1.5\\u0030\"",
                                      "\"1767891265.323983\"",
                                      "1767891265.323983e0",
                                      "17678912655323983",
                                      "\"2026-01-05\"",
                                      "\"2026-01-05T00:08:42Z"};
  static const char *const steps[] = {"0",     "007",  "-1",     "1.0", "123456789012345678",
                                      "\"5\"", "null", "\"07\"", "1e3", "1234567890123456789",
                                      "",      "false"};
  size_t style = below(16), job = 0, program = 0, long_program = 0;
  bool quoted = below(3) == 0;
  char path[512];
  FILE *out;
  (void)snprintf(path, sizeof path, "%s/trace.jsonl", folder);
  out = fopen(path, "w");
  for (size_t i = 0; i < rows; i++) {
    bool plain = odd == 0 || below((size_t)odd) > 0;
    char number[700];
    json_record r = {.n = 0};
    size_t kind = below(plain ? 2 : 5);
    if (below(8) == 0) {
      job = below(3);
      program = below(odd == 0 ? 4 : 6);
      long_program = odd > 0 && below(4) == 0 ? 400 + below(200) : 0;
    }
    put_member(&r, "record", below(plain ? 1000 : 6) ? "\"span\"" : "\"step\"");
    put_member(&r, "job", jobs[job]);
    if (!plain && below(3) == 0)
      put_member(&r, below(2) ? "odd" : "attempt", "1");
    put_member(&r, "kind", kinds[kind]);
    (void)snprintf(number, sizeof number,
                   quoted ? "\"2026-01-%02zuT10:00:00.%03zuZ\"" : "17678912%02zu.%06zu",
                   10 + i % 20, below(1000));
    put_member(&r, "start_time", plain || below(3) ? number : times[below(20)]);
    (void)snprintf(number, sizeof number,
                   quoted ? "\"2026-01-%02zuT10:00:01.%03zuZ\"" : "17678912%02zu.%06zu",
                   10 + i % 20, (plain ? 1000 : 0) + below(1000));
    if (plain || below(4))
      put_member(&r, "end_time", plain || below(3) ? number : times[below(20)]);
    (void)snprintf(number, sizeof number, "%zu", i);
    if (kind == 0 || !plain)
      put_member(&r, "step", plain || below(3) ? number : steps[below(12)]);
    if (long_program > 0)
      (void)snprintf(number, sizeof number, "\"%0*zu\"", (int)long_program, program);
    if (kind == 0)
      put_member(&r, "program", long_program > 0 ? number : programs[program]);
    if (job == 1)
      put_member(&r, "flops", "2.5e18");
    put_record(out, &r, style, end);
    if (i + 1 < rows || below(2))
      (void)fputs(plain || below(4) ? "\n" : below(2) ? "" : "\r\n\n", out);
  }
  (void)fclose(out);
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
        mpg_env env = {shared_resize, &h, NULL, NULL, NULL, 0, NULL};
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
      mpg_env env = {shared_resize, &h, NULL, NULL, NULL, 0, NULL};
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

static void empty(const char *folder) {
  static const char *const names[] = {"spans.csv", "jobs.csv",    "allocations.csv",
                                      "chips.csv", "commits.csv", "trace.jsonl"};
  char path[512];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    (void)unlink(path);
  }
}

int main(void) {
  char folder[] = "build/native-XXXXXX";
  CHECK(mkdtemp(folder) != NULL);
  for (int i = 0; i < 40; i++) {
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
