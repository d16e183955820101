/* lsf.c - see lsf.h. */
#include "lsf.h"
#include "../../base/ascii.h"
#include "../../base/intern.h"
#include "../../base/number.h"
#include "../../base/text.h"
#include "../../base/time.h"
#include "../../read/input/unfinished.h"
#include "../../read/parse/json_writer.h"
#include "lsf_gpus.h"

#include <stdio.h>
#include <string.h>

#define BYTES_BETWEEN_POLLS ((size_t)1 << 16)
#define RUSAGE_FIELDS 19 /* ru_utime to ru_exutime */

typedef struct word {
  mpg_str text;
  bool quoted;
  size_t at; /* of its first byte in the line */
} word;

/* Texts of a record that are made of others, each with a buffer of its own. */
enum { HOSTS, GPU_USAGE, OTHER, TEXTS };

struct mpg_lsf {
  const mpg_env *env;
  mpg_poller poller;
  mpg_lines *lines;
  const char *path;
  mpg_issues *issues;
  mpg_str line;
  bool any;
  word *words;
  size_t n, cap;
  size_t at;  /* the next word to decode */
  char *text; /* words whose quotes were doubled */
  size_t cap_text, n_text;
  mpg_json_text made[TEXTS];
  mpg_intern hosts; /* of the record */
  mpg_value values[MPG_LSF_COUNT];
};

mpg_rc mpg_lsf_open(mpg_lsf **out, const mpg_env *env, mpg_stream *stream, mpg_issues *issues,
                    mpg_err *err) {
  mpg_lsf *l = mpg_calloc(env, sizeof *l);
  mpg_rc rc;
  if (l == NULL)
    return mpg_fail_nomem(err);
  l->env = l->poller.env = env;
  for (size_t i = 0; i < TEXTS; i++)
    l->made[i].env = env;
  mpg_intern_init(&l->hosts, env);
  l->path = mpg_stream_path(stream);
  l->issues = issues;
  rc = mpg_lines_open(&l->lines, env, stream, err);
  if (rc == MPG_OK)
    *out = l;
  else
    mpg_lsf_close(l);
  return rc;
}

void mpg_lsf_close(mpg_lsf *l) {
  if (l == NULL)
    return;
  mpg_lines_close(l->lines);
  for (size_t i = 0; i < TEXTS; i++)
    mpg_json_text_free(&l->made[i]);
  mpg_intern_free(&l->hosts);
  mpg_free(l->env, l->words);
  mpg_free(l->env, l->text);
  mpg_free(l->env, l);
}

int64_t mpg_lsf_line(const mpg_lsf *l) {
  return mpg_lines_number(l->lines);
}

const mpg_value *mpg_lsf_get(const mpg_lsf *l, size_t column) {
  return &l->values[column];
}

static mpg_rc malformed(const mpg_lsf *l, size_t at, const char *expected, mpg_err *err) {
  char text[MPG_EXCERPT];
  const mpg_str rest = {l->line.p + at, l->line.n - at};
  mpg_text_excerpt(rest, text);
  return mpg_fail(err, MPG_DATA, "%s:%lld:%zu: expected %s, found %s%s%s", l->path,
                  (long long)mpg_lsf_line(l), at + 1, expected, rest.n > 0 ? "\"" : "",
                  rest.n > 0 ? text : "end of line", rest.n > 0 ? "\"" : "");
}

/* ---- Words ---- */

static mpg_rc add_word(mpg_lsf *l, word w, mpg_err *err) {
  if (mpg_grow(l->env, &l->words, &l->cap, l->n + 1, sizeof *l->words) != MPG_OK)
    return mpg_fail_nomem(err);
  l->words[l->n++] = w;
  return MPG_OK;
}

/* A text in quotes from behind the first on; *at is then behind the last. */
static mpg_rc read_quoted(mpg_lsf *l, size_t *at, word *w, mpg_err *err) {
  const char *p = l->line.p;
  const size_t first = *at, to = l->n_text;
  size_t copied = first;
  bool doubled = false;
  for (;;) {
    const char *quote = *at < l->line.n ? memchr(p + *at, '"', l->line.n - *at) : NULL;
    if (quote == NULL)
      return malformed(l, first - 1, "a closing quote", err);
    *at = (size_t)(quote - p) + 1;
    if (*at == l->line.n || p[*at] != '"')
      break;
    doubled = true;
    memcpy(l->text + l->n_text, p + copied, *at - copied);
    l->n_text += *at - copied;
    copied = ++*at;
    if (mpg_poller_stop(&l->poller, 1))
      return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
  }
  w->text = (mpg_str){p + first, *at - 1 - first};
  if (doubled) {
    memcpy(l->text + l->n_text, p + copied, *at - 1 - copied);
    l->n_text += *at - 1 - copied;
    w->text = (mpg_str){l->text + to, l->n_text - to};
  }
  if (*at < l->line.n && !mpg_is_blank(p[*at]))
    return malformed(l, *at, "a blank behind a text in quotes", err);
  return MPG_OK;
}

static mpg_rc split_words(mpg_lsf *l, mpg_err *err) {
  const char *p = l->line.p;
  size_t at = 0, polled = 0;
  l->n = l->at = l->n_text = 0;
  if (mpg_grow(l->env, &l->text, &l->cap_text, l->line.n + 1, 1) != MPG_OK)
    return mpg_fail_nomem(err);
  for (;;) {
    word w = {{NULL, 0}, false, 0};
    mpg_rc rc = MPG_OK;
    while (at < l->line.n && (mpg_is_blank(p[at]) || p[at] == '\r'))
      at++;
    if (at - polled >= BYTES_BETWEEN_POLLS) {
      if (mpg_poller_stop(&l->poller, at - polled))
        return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
      polled = at;
    }
    if (at == l->line.n)
      return MPG_OK;
    w.at = at;
    w.quoted = p[at] == '"';
    if (w.quoted) {
      at++;
      rc = read_quoted(l, &at, &w, err);
    } else {
      const size_t first = at;
      while (at < l->line.n && !mpg_is_blank(p[at]) && p[at] != '\r' && p[at] != '"')
        at++;
      if (at < l->line.n && p[at] == '"')
        return malformed(l, at, "a blank before a text in quotes", err);
      w.text = (mpg_str){p + first, at - first};
    }
    if (rc == MPG_OK)
      rc = add_word(l, w, err);
    if (rc != MPG_OK)
      return rc;
  }
}

/* ---- Fields in their order. Behind the last one of the line all are NULL ---- */

static mpg_rc take_count(mpg_lsf *l, const char *name, int64_t *out, mpg_err *err) {
  const word *w = &l->words[l->at];
  double r;
  char expected[96];
  *out = 0;
  if (l->at >= l->n)
    return MPG_OK;
  l->at++;
  if (!w->quoted && mpg_int_parse(w->text, out))
    return MPG_OK;
  if (!w->quoted && mpg_real_parse(w->text, &r) && r >= -9e15 && r <= 9e15) {
    *out = (int64_t)r;
    return MPG_OK;
  }
  (void)snprintf(expected, sizeof expected, "a number for %s", name);
  return malformed(l, w->at, expected, err);
}

static mpg_rc put_count(mpg_lsf *l, size_t column, const char *name, mpg_err *err) {
  int64_t i;
  const bool there = l->at < l->n;
  mpg_rc rc = take_count(l, name, &i, err);
  if (rc == MPG_OK && there)
    l->values[column] = (mpg_value){MPG_INT, i, 0.0, {NULL, 0}};
  return rc;
}

/* Seconds, of which 0 is "not yet". */
static mpg_rc put_time(mpg_lsf *l, size_t column, const char *name, mpg_err *err) {
  mpg_rc rc = put_count(l, column, name, err);
  mpg_value *v = &l->values[column];
  if (rc != MPG_OK || v->type == MPG_NULL)
    return rc;
  if (v->i == 0)
    v->type = MPG_NULL;
  else if (!mpg_seconds_are_time((double)v->i))
    return malformed(l, l->words[l->at - 1].at, "seconds from 1970 to 2261", err);
  return MPG_OK;
}

static void give_text(mpg_lsf *l, size_t column, mpg_str text) {
  if (text.n > 0)
    l->values[column] = (mpg_value){MPG_TEXT, 0, 0.0, text};
}

static mpg_rc put_text(mpg_lsf *l, size_t column, const char *name, mpg_err *err) {
  const word *w = &l->words[l->at];
  char expected[96];
  if (l->at >= l->n)
    return MPG_OK;
  if (!w->quoted) {
    (void)snprintf(expected, sizeof expected, "a text in quotes for %s", name);
    return malformed(l, w->at, expected, err);
  }
  l->at++;
  give_text(l, column, w->text);
  return MPG_OK;
}

static void skip_words(mpg_lsf *l, size_t n) {
  l->at = n > l->n - l->at ? l->n : l->at + n;
}

/* A number of things of so many words each that follow. */
static mpg_rc pass_list(mpg_lsf *l, const char *name, size_t each, mpg_err *err) {
  int64_t n;
  const size_t at = l->at;
  mpg_rc rc = take_count(l, name, &n, err);
  if (rc == MPG_OK && n < 0)
    return malformed(l, l->words[at].at, "a number of fields that follow", err);
  if (rc == MPG_OK)
    skip_words(l, n > (int64_t)l->n ? l->n : (size_t)n * each);
  return rc;
}

#define TRY(call)                                                                                  \
  do {                                                                                             \
    mpg_rc tried = call;                                                                           \
    if (tried != MPG_OK)                                                                           \
      return tried;                                                                                \
  } while (0)
#define COUNT(name) TRY(put_count(l, MPG_LSF_##name, #name, err))
#define TIME(name) TRY(put_time(l, MPG_LSF_##name, #name, err))
#define TEXT(name) TRY(put_text(l, MPG_LSF_##name, #name, err))
#define LIST(name, each) TRY(pass_list(l, #name, each, err))

/* ---- Hosts: a name for each slot, or "16*name" for 16 ---- */

static mpg_rc made(mpg_rc rc, mpg_err *err) {
  return rc == MPG_OK ? MPG_OK : mpg_fail_plain(err, rc);
}

static mpg_rc take_hosts(mpg_lsf *l, mpg_err *err) {
  mpg_json_text *json = &l->made[HOSTS];
  int64_t n, slots = 0, hosts = 0;
  const size_t at = l->at;
  mpg_rc rc = take_count(l, "numExHosts", &n, err);
  if (rc != MPG_OK || at >= l->n)
    return rc;
  if (n < 0 || (size_t)n > l->n - l->at)
    return malformed(l, l->words[at].at, "as many hosts as follow", err);
  json->n = 0;
  mpg_intern_reset(&l->hosts);
  rc = mpg_json_put(json, MPG_STR("["));
  for (int64_t i = 0; rc == MPG_OK && i < n; i++) {
    const size_t before = l->hosts.n;
    uint32_t id;
    mpg_str host = l->words[l->at++].text;
    int64_t of = 1;
    const char *star = host.n > 0 ? memchr(host.p, '*', host.n) : NULL;
    if (star != NULL && mpg_int_parse((mpg_str){host.p, (size_t)(star - host.p)}, &of) && of > 0) {
      host.n -= (size_t)(star + 1 - host.p);
      host.p = star + 1;
    } else {
      of = 1;
    }
    slots += of > 1000000 ? 1000000 : of;
    rc = mpg_intern_id(&l->hosts, host, &id);
    if (rc != MPG_OK || l->hosts.n == before)
      continue;
    hosts++;
    rc = mpg_json_put_comma(json);
    if (rc == MPG_OK)
      rc = mpg_json_put_string(json, host);
    if (mpg_poller_stop(&l->poller, 1))
      return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
  }
  if (rc == MPG_OK)
    rc = mpg_json_put(json, MPG_STR("]"));
  if (rc != MPG_OK)
    return made(rc, err);
  if (hosts > 0) {
    give_text(l, MPG_LSF_hosts, (mpg_str){json->p, json->n});
    l->values[MPG_LSF_num_hosts] = (mpg_value){MPG_INT, hosts, 0.0, {NULL, 0}};
    l->values[MPG_LSF_slots] = (mpg_value){MPG_INT, slots, 0.0, {NULL, 0}};
  }
  return MPG_OK;
}

/* Use of GPUs, of each host a list of keys and values: {"host": {"key": "value"}}. */
static mpg_rc take_gpu_usage(mpg_lsf *l, mpg_err *err) {
  mpg_json_text *json = &l->made[GPU_USAGE];
  int64_t n, pairs;
  mpg_rc rc = take_count(l, "numGPURusages", &n, err);
  if (rc != MPG_OK || n <= 0)
    return rc;
  json->n = 0;
  rc = mpg_json_put(json, MPG_STR("{"));
  for (int64_t i = 0; rc == MPG_OK && i < n && l->at + 1 < l->n; i++) {
    rc = mpg_json_put_key(json, l->words[l->at++].text);
    if (rc == MPG_OK)
      rc = mpg_json_put(json, MPG_STR("{"));
    if (rc != MPG_OK)
      break;
    TRY(take_count(l, "numKVP", &pairs, err));
    for (int64_t k = 0; rc == MPG_OK && k < pairs && l->at + 1 < l->n; k++, l->at += 2) {
      rc = mpg_json_put_key(json, l->words[l->at].text);
      if (rc == MPG_OK)
        rc = mpg_json_put_string(json, l->words[l->at + 1].text);
    }
    if (rc == MPG_OK)
      rc = mpg_json_put(json, MPG_STR("}"));
  }
  if (rc == MPG_OK)
    rc = mpg_json_put(json, MPG_STR("}"));
  give_text(l, MPG_LSF_gpu_usage, (mpg_str){json->p, json->n});
  return made(rc, err);
}

/* What is left of the record, numbers and texts alike as texts. */
static mpg_rc put_rest(mpg_lsf *l, mpg_err *err) {
  mpg_json_text *json = &l->made[OTHER];
  mpg_rc rc;
  if (l->at >= l->n)
    return MPG_OK;
  json->n = 0;
  rc = mpg_json_put(json, MPG_STR("["));
  for (; rc == MPG_OK && l->at < l->n; l->at++) {
    rc = mpg_json_put_comma(json);
    if (rc == MPG_OK)
      rc = mpg_json_put_string(json, l->words[l->at].text);
    if (mpg_poller_stop(&l->poller, l->words[l->at].text.n))
      return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
  }
  if (rc == MPG_OK)
    rc = mpg_json_put(json, MPG_STR("]"));
  give_text(l, MPG_LSF_other, (mpg_str){json->p, json->n});
  return made(rc, err);
}

/* ---- Records ---- */

static mpg_rc read_finish(mpg_lsf *l, mpg_err *err) {
  COUNT(job_id);
  COUNT(user_id);
  COUNT(options);
  COUNT(num_processors);
  TIME(submit_time);
  TIME(begin_time);
  TIME(term_time);
  TIME(start_time);
  TEXT(user_name);
  TEXT(queue);
  TEXT(res_req);
  skip_words(l, 2); /* dependCond, preExecCmd */
  TEXT(from_host);
  TEXT(cwd);
  skip_words(l, 1); /* inFile */
  TEXT(out_file);
  TEXT(err_file);
  TEXT(job_file);
  LIST(numAskedHosts, 1);
  TRY(take_hosts(l, err));
  COUNT(j_status);
  skip_words(l, 1); /* hostFactor */
  TEXT(job_name);
  TEXT(command);
  skip_words(l, RUSAGE_FIELDS);
  skip_words(l, 1); /* mailUser */
  TEXT(project_name);
  COUNT(exit_status);
  COUNT(max_num_processors);
  skip_words(l, 2); /* loginShell, timeEvent */
  COUNT(idx);
  skip_words(l, 4); /* maxRMem, maxRSwap, inFileSpool, commandSpool */
  TEXT(rsv_id);
  skip_words(l, 3); /* sla, exceptMask, additionalInfo */
  COUNT(exit_info);
  skip_words(l, 4); /* warningAction, warningTimePeriod, chargedSAAP, licenseProject */
  TEXT(app);
  skip_words(l, 2); /* postExecCmd, runtimeEstimation */
  TEXT(job_group_name);
  skip_words(
      l, 6); /* requeueEvalues, options2, resizeNotifyCmd, lastResizeTime, rsvId, jobDescription */
  LIST(submitEXT, 2);
  LIST(numHostRusage, 6);
  COUNT(run_limit);
  skip_words(l, 2); /* options3, avgMem */
  TEXT(effective_res_req);
  skip_words(l, 8); /* srcCluster to totalProvisionTime */
  skip_words(l, 1); /* outdir */
  COUNT(run_time);
  skip_words(l, 1); /* subcwd */
  LIST(num_network, 2);
  skip_words(l, 6); /* affinity, serial_job_energy, cpi, gips, gbs, gflops */
  LIST(numAllocSlots, 1);
  skip_words(l, 1); /* ineligiblePendTime */
  LIST(indexRangeCnt, 3);
  skip_words(l, 1); /* requeueTime */
  return take_gpu_usage(l, err);
}

static mpg_rc read_new(mpg_lsf *l, mpg_err *err) {
  COUNT(job_id);
  COUNT(user_id);
  COUNT(options);
  COUNT(num_processors);
  TIME(submit_time);
  TIME(begin_time);
  TIME(term_time);
  skip_words(l, 3); /* sigValue, chkpntPeriod, restartPid */
  TEXT(user_name);
  for (size_t i = 0; i < 9 && l->at < l->n && !l->words[l->at].quoted; i++)
    l->at++; /* limits, 11 of them or 12, of which the tenth is that of the run */
  if (l->at < l->n && !l->words[l->at].quoted)
    COUNT(run_limit);
  while (l->at < l->n && !l->words[l->at].quoted)
    l->at++;
  skip_words(l, 3); /* hostSpec, hostFactor, umask */
  TEXT(queue);
  TEXT(res_req);
  TEXT(from_host);
  TEXT(cwd);
  skip_words(l, 2); /* chkpntDir, inFile */
  TEXT(out_file);
  TEXT(err_file);
  skip_words(l, 1); /* subHomeDir */
  TEXT(job_file);
  LIST(numAskedHosts, 1);
  skip_words(l, 2); /* dependCond, preExecCmd */
  TEXT(job_name);
  TEXT(command);
  LIST(nxf, 4);
  skip_words(l, 1); /* mailUser */
  TEXT(project_name);
  skip_words(l, 1); /* niosPort */
  COUNT(max_num_processors);
  return MPG_OK;
}

static mpg_rc read_start(mpg_lsf *l, mpg_err *err) {
  COUNT(job_id);
  COUNT(j_status);
  skip_words(l, 3); /* jobPid, jobPGid, hostFactor */
  TRY(take_hosts(l, err));
  skip_words(l, 4); /* queuePreCmd, queuePostCmd, jFlags, userGroup */
  COUNT(idx);
  skip_words(l, 5); /* additionalInfo, duration4PreemptBackfill, jFlags2, srcJobId, srcCluster */
  /* The requirement is the first text with a section from there on. */
  for (; l->at < l->n; l->at++)
    if (l->words[l->at].quoted && l->words[l->at].text.n > 0 &&
        memchr(l->words[l->at].text.p, '[', l->words[l->at].text.n) != NULL) {
      TEXT(effective_res_req);
      break;
    }
  return MPG_OK;
}

static mpg_rc read_status(mpg_lsf *l, mpg_err *err) {
  int64_t usage;
  COUNT(job_id);
  COUNT(j_status);
  skip_words(l, 3); /* reason, subreasons, cpuTime */
  skip_words(l, 1); /* endTime */
  TRY(take_count(l, "ru", &usage, err));
  skip_words(l, usage != 0 ? RUSAGE_FIELDS : 0);
  COUNT(exit_status);
  COUNT(idx);
  COUNT(exit_info);
  return MPG_OK;
}

static mpg_rc read_resize(mpg_lsf *l, mpg_err *err) {
  COUNT(job_id);
  COUNT(idx);
  TIME(start_time);
  COUNT(user_id);
  TEXT(user_name);
  skip_words(l, 2); /* resizeType, lastResizeTime */
  return take_hosts(l, err);
}

#undef COUNT
#undef TIME
#undef TEXT
#undef LIST

/* How an attempt ended: by jStatus and exitInfo (TERM_...) of lsbatch.h. NULL: it did not. */
static const char *outcome_of(int64_t status, int64_t info) {
  if (status & 0x40)
    return "completed";
  if (!(status & 0x20))
    return NULL;
  switch (info) {
  case 1:  /* PREEMPT */
  case 2:  /* WINDOW */
  case 3:  /* LOAD */
  case 10: /* REQUEUE_OWNER */
  case 11: /* REQUEUE_ADMIN */
  case 13: /* CHKPNT */
    return "preempted";
  case 5:  /* RUNLIMIT */
  case 6:  /* DEADLINE */
  case 12: /* CPULIMIT */
    return "timeout";
  case 8:  /* FORCE_OWNER */
  case 9:  /* FORCE_ADMIN */
  case 14: /* OWNER */
  case 15: /* ADMIN */
  case 23: /* BUCKET_KILL */
    return "cancelled";
  case 19: /* ZOMBIE */
    return "node_fail";
  default:
    return "failed";
  }
}

static mpg_str text_at(const mpg_lsf *l, size_t column) {
  const mpg_value *v = &l->values[column];
  return v->type == MPG_TEXT ? v->s : (mpg_str){"", 0};
}

/* GPUs by the requirement that was in force, else the one that was given. */
static void give_gpus(mpg_lsf *l) {
  static const char *const of[] = {NULL, "host", "task", "job", "unknown"};
  mpg_lsf_gpus g = mpg_lsf_gpus_of(text_at(l, MPG_LSF_effective_res_req));
  const mpg_value *hosts = &l->values[MPG_LSF_num_hosts], *slots = &l->values[MPG_LSF_slots],
                  *asked = &l->values[MPG_LSF_num_processors];
  double times = 0.0;
  if (g.per == MPG_LSF_NO_GPUS)
    g = mpg_lsf_gpus_of(text_at(l, MPG_LSF_res_req));
  if (g.per == MPG_LSF_NO_GPUS)
    return;
  give_text(l, MPG_LSF_gpu_req, mpg_str_of(of[g.per]));
  give_text(l, MPG_LSF_gpu_model, g.model);
  if (g.per == MPG_LSF_PER_JOB)
    times = 1.0;
  else if (g.per == MPG_LSF_PER_HOST) /* of a job that waits: one host, unless it says more */
    times = hosts->type == MPG_INT ? (double)hosts->i : 1.0;
  else if (g.per == MPG_LSF_PER_TASK)
    times = slots->type == MPG_INT ? (double)slots->i : (double)asked->i;
  if (g.per != MPG_LSF_UNKNOWN)
    l->values[MPG_LSF_gpus] = (mpg_value){MPG_REAL, 0, times * g.each, {NULL, 0}};
}

static mpg_rc read_record(mpg_lsf *l, mpg_err *err) {
  static const struct {
    const char *type;
    mpg_rc (*read)(mpg_lsf *l, mpg_err *err);
  } known[] = {{"JOB_FINISH", read_finish},
               {"JOB_NEW", read_new},
               {"JOB_START", read_start},
               {"JOB_STATUS", read_status},
               {"JOB_RESIZE", read_resize}};
  mpg_str type;
  mpg_rc rc;
  memset(l->values, 0, sizeof l->values);
  if (l->n < 3 || !l->words[0].quoted || !l->words[1].quoted || l->words[2].quoted)
    return malformed(l, 0,
                     "a record of LSF, such as \"JOB_FINISH\" \"10.1\" 1700000000 ..., or a "
                     "comment that begins with #",
                     err);
  type = l->words[0].text;
  give_text(l, MPG_LSF_event_type, type);
  give_text(l, MPG_LSF_version, l->words[1].text);
  l->at = 2;
  rc = put_time(l, MPG_LSF_event_time, "the time of the record", err);
  for (size_t i = 0; rc == MPG_OK && i < sizeof known / sizeof *known; i++)
    if (mpg_str_eq(type, mpg_str_of(known[i].type)))
      rc = known[i].read(l, err);
  if (rc != MPG_OK)
    return rc;
  if (l->values[MPG_LSF_j_status].type == MPG_INT) {
    const char *outcome = outcome_of(l->values[MPG_LSF_j_status].i, l->values[MPG_LSF_exit_info].i);
    if (outcome != NULL)
      give_text(l, MPG_LSF_outcome, mpg_str_of(outcome));
  }
  give_gpus(l);
  return put_rest(l, err);
}

mpg_rc mpg_lsf_next(mpg_lsf *l, mpg_err *err) {
  for (;;) {
    mpg_rc rc = mpg_lines_next(l->lines, &l->line, err);
    if (rc != MPG_OK)
      return rc;
    if (l->line.n > 0 && l->line.p[0] == '#')
      continue;
    rc = split_words(l, err);
    if (rc == MPG_OK && l->n == 0)
      continue;
    if (rc == MPG_OK)
      rc = read_record(l, err);
    if (!mpg_lines_ended(l->lines) && (rc == MPG_OK || (l->any && rc == MPG_DATA))) {
      /* A line that is cut off has fields that are, too. */
      rc = mpg_unfinished_record(l->issues, l->path, mpg_lsf_line(l), err);
      return rc == MPG_OK ? MPG_DONE : rc;
    }
    l->any |= rc == MPG_OK;
    return rc;
  }
}
