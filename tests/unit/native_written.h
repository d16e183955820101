/*
** native_written.h - for the test of native traces: files of random records, as programs write them
** and, one value in `odd`, as none should (0: never). Each function writes into a folder, and
** empty() takes everything out of it again.
*/
#ifndef MPG_NATIVE_WRITTEN_H
#define MPG_NATIVE_WRITTEN_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t seed = 7;
static size_t below(size_t n) {
  seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (size_t)((seed >> 33) % n);
}

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

/* Spans and commits as most are written (native_csv_fast.h), and what nearly is so. */
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

/* Spans of jobs that go on for a while (native_json_fast.h), and what nearly is so; `end` closes
** each. */
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

static void empty(const char *folder) {
  static const char *const names[] = {"spans.csv", "jobs.csv",    "allocations.csv",
                                      "chips.csv", "commits.csv", "trace.jsonl"};
  char path[512];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    (void)unlink(path);
  }
}

#endif
