/* slurm_shown.c - see slurm_shown.h. */
#include "slurm_shown.h"
#include "../../base/number.h"
#include "../../base/text.h"
#include "../../base/time.h"
#include "../../read/input/lines.h"
#include "slurm_repeats.h"
#include "slurm_value.h"

#include <stdio.h>
#include <string.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))
#define JOB_BYTES ((size_t)1 << 20) /* of one job */

static const mpg_str job_id = {"JobId=", 6};

/* ---- what a job is told by ---- */

/* How a value becomes a member of the controller's JSON. */
typedef enum how {
  WORD,   /* up to a blank */
  FREE,   /* up to the end of the line, or a name that may follow */
  NUMBER, /* whole; of a range, such as the nodes that a job waits for, the first */
  TIME,
  PERSON,  /* "alice(1000)": the name, and the number of the id as `id` */
  LIMIT,   /* minutes, or a duration */
  TASKS,   /* of an array: a number, or those that wait */
  EXIT,    /* "1:0", and */
  RUN_TIME /* a duration: fields at once, for no member has them like this */
} how;

typedef struct key {
  const char *name, *member;
  how how;
  const char *id; /* of a PERSON */
} key;

static const key keys[] = {
    {"JobId", "job_id", NUMBER, NULL},
    {"ArrayJobId", "array_job_id", NUMBER, NULL},
    {"ArrayTaskId", "array_task_id", TASKS, NULL},
    {"HetJobId", "het_job_id", NUMBER, NULL},
    {"HetJobOffset", "het_job_offset", NUMBER, NULL},
    {"PackJobId", "het_job_id", NUMBER, NULL}, /* before 20.02 */
    {"PackJobOffset", "het_job_offset", NUMBER, NULL},
    {"JobName", "name", FREE, NULL},
    {"Name", "name", FREE, NULL}, /* of a log of completions */
    {"UserId", "user_name", PERSON, "user_id"},
    {"GroupId", "group_name", PERSON, "group_id"},
    {"Account", "account", WORD, NULL},
    {"AdminComment", "admin_comment", FREE, NULL},
    {"AllocTRES", "tres_alloc_str", WORD, NULL},
    {"Cluster", "cluster", WORD, NULL},
    {"Comment", "comment", FREE, NULL},
    {"DerivedExitCode", NULL, EXIT, NULL},
    {"EligibleTime", "eligible_time", TIME, NULL},
    {"EndTime", "end_time", TIME, NULL},
    {"ExitCode", NULL, EXIT, NULL},
    {"Extra", "extra", FREE, NULL},
    {"FailedNode", "failed_node", WORD, NULL},
    {"Features", "features", WORD, NULL},
    {"Gres", "tres_per_node", WORD, NULL}, /* before 19.05 */
    {"JobState", "job_state", WORD, NULL},
    {"Licenses", "licenses", WORD, NULL},
    {"MCS_label", "mcs_label", WORD, NULL},
    {"NodeCnt", "node_count", NUMBER, NULL},
    {"NodeList", "nodes", WORD, NULL},
    {"NumCPUs", "cpus", NUMBER, NULL},
    {"NumNodes", "node_count", NUMBER, NULL},
    {"NumTasks", "tasks", NUMBER, NULL},
    {"Partition", "partition", WORD, NULL},
    {"Priority", "priority", NUMBER, NULL},
    {"ProcCnt", "cpus", NUMBER, NULL},
    {"QOS", "qos", WORD, NULL},
    {"Reason", "state_reason", FREE, NULL},
    {"ReqTRES", "tres_req_str", WORD, NULL},
    {"Reservation", "resv_name", WORD, NULL},
    {"ReservationName", "resv_name", WORD, NULL},
    {"Restarts", "restart_cnt", NUMBER, NULL},
    {"RunTime", NULL, RUN_TIME, NULL},
    {"SecsPreSuspend", "pre_sus_time", NUMBER, NULL},
    {"StartTime", "start_time", TIME, NULL},
    {"StdErr", "standard_error", FREE, NULL},
    {"StdIn", "standard_input", FREE, NULL},
    {"StdOut", "standard_output", FREE, NULL},
    {"SubmitLine", "submit_line", FREE, NULL},
    {"SubmitTime", "submit_time", TIME, NULL},
    {"SuspendTime", "suspend_time", TIME, NULL},
    {"SystemComment", "system_comment", FREE, NULL},
    {"TimeLimit", "time_limit", LIMIT, NULL},
    {"TRES", "tres_req_str", WORD, NULL}, /* before 23.11 */
    {"Tres", "tres_req_str", WORD, NULL},
    {"TresPerJob", "tres_per_job", WORD, NULL},
    {"TresPerNode", "tres_per_node", WORD, NULL},
    {"TresPerSocket", "tres_per_socket", WORD, NULL},
    {"TresPerTask", "tres_per_task", WORD, NULL},
    {"WCKey", "wckey", WORD, NULL},
    {"WcKey", "wckey", WORD, NULL},
    {"WorkDir", "current_working_directory", FREE, NULL},
};

/* Names that may follow a free text in its line, besides those above. */
static const char *const others[] = {"BatchFlag",   "BatchHost",    "BurstBuffer", "Command",
                                     "CpusPerTres", "Dependency",   "HetJobIdSet", "MailType",
                                     "MailUser",    "Network",      "MemPerTres",  "Nice",
                                     "OtherTRES",   "PackJobIdSet", "Power",       "Requeue",
                                     "Scheduler",   "SLUID",        "Switches"};

struct mpg_slurm_shown {
  const mpg_env *env;
  const char *path;
  const mpg_zone *zone;
  mpg_issues *issues;
  mpg_lines *lines;
  mpg_slurm_docs docs;
  mpg_json_text job, ahead; /* its lines; the first of what follows it */
  bool has_ahead, unfinished;
  int64_t line, ahead_line;
  mpg_err damage; /* of the line after this job, for the next call; MPG_OK: none */
  mpg_json_member members[COUNT(keys) + 2]; /* a person has two */
  char numbers[COUNT(keys) + 2][24];
  size_t n;
  mpg_slurm_fields f;
  mpg_slurm_repeats resources; /* whether any job lists GPUs: its jobs are not compared */
};

mpg_rc mpg_slurm_is_shown(mpg_stream *stream, bool *shown, mpg_err *err) {
  mpg_str start;
  mpg_rc rc = mpg_stream_peek(stream, 64, &start, err);
  *shown = false;
  if (rc != MPG_OK)
    return rc;
  if (start.n >= 3 && memcmp(start.p, "\xef\xbb\xbf", 3) == 0)
    start = (mpg_str){start.p + 3, start.n - 3};
  while (start.n > 0 && (*start.p == '\n' || *start.p == '\r')) /* blank lines */
    start = (mpg_str){start.p + 1, start.n - 1};
  *shown = mpg_str_starts_with(start, job_id);
  return MPG_OK;
}

mpg_rc mpg_slurm_shown_open(mpg_slurm_shown **out, const mpg_env *env, mpg_stream *stream,
                            const mpg_zone *zone, mpg_issues *issues, mpg_err *err) {
  mpg_slurm_shown *s = mpg_calloc(env, sizeof *s);
  mpg_rc rc;
  if (s == NULL)
    return mpg_fail_nomem(err);
  s->env = s->job.env = s->ahead.env = s->f.text.env = env;
  s->path = mpg_stream_path(stream);
  s->zone = zone;
  s->issues = issues;
  s->docs = (mpg_slurm_docs){.env = env, .name = s->path};
  rc = mpg_lines_open(&s->lines, env, stream, err);
  if (rc == MPG_OK)
    *out = s;
  else
    mpg_slurm_shown_close(s);
  return rc;
}

void mpg_slurm_shown_close(mpg_slurm_shown *s) {
  if (s == NULL)
    return;
  mpg_lines_close(s->lines);
  mpg_slurm_docs_free(&s->docs);
  mpg_json_text_free(&s->job);
  mpg_json_text_free(&s->ahead);
  mpg_json_text_free(&s->f.text);
  mpg_free(s->env, s);
}

int64_t mpg_slurm_shown_line(const mpg_slurm_shown *s) {
  return s->line;
}

const mpg_slurm_fields *mpg_slurm_shown_fields(const mpg_slurm_shown *s) {
  return &s->f;
}

static mpg_rc list_issue(mpg_slurm_shown *s, mpg_severity severity, const char *kind,
                         const char *detail, mpg_err *err) {
  if (s->issues != NULL &&
      mpg_issues_add(s->issues, severity, s->path, kind, s->line, 1, "%s", detail) != MPG_OK)
    return mpg_fail_nomem(err);
  return MPG_OK;
}

/* ---- values ---- */

static mpg_rc malformed(const mpg_slurm_shown *s, const char *name, const char *expected,
                        mpg_str found, mpg_err *err) {
  char text[MPG_EXCERPT];
  mpg_text_excerpt(found, text);
  return mpg_fail(err, MPG_DATA, "%s:%lld:1: expected %s for %s, found \"%s\"", s->path,
                  (long long)s->line, expected, name, text);
}

static bool is_nothing(mpg_str value) {
  static const mpg_str nothing[] = {MPG_STR("(null)"), MPG_STR("N/A"), MPG_STR("Unknown"),
                                    MPG_STR("unknown")};
  for (size_t i = 0; i < COUNT(nothing); i++)
    if (mpg_str_eq(value, nothing[i]))
      return true;
  return value.n == 0;
}

static void add_member(mpg_slurm_shown *s, const char *member, mpg_json_kind kind, mpg_str value) {
  s->members[s->n++] = (mpg_json_member){.key = mpg_str_of(member), .kind = kind, .text = value};
}

static void add_number(mpg_slurm_shown *s, const char *member, int64_t value) {
  char *text = s->numbers[s->n];
  (void)snprintf(text, sizeof s->numbers[0], "%lld", (long long)value);
  add_member(s, member, MPG_JSON_NUMBER, mpg_str_of(text));
}

static mpg_rc add_time(mpg_slurm_shown *s, const key *k, mpg_str value, mpg_err *err) {
  mpg_zone_fit fit = MPG_ZONE_UNIQUE;
  int64_t us, seconds;
  mpg_err why;
  if (mpg_str_eq(value, MPG_STR("None")) || mpg_str_eq(value, MPG_STR("0")))
    return MPG_OK;
  if (mpg_time_parse(value, &us, &why) != MPG_OK)
    return malformed(s, k->name, "a time such as 2026-11-21T05:12:40", value, err);
  seconds = us / MPG_SECOND;
  if (s->zone != NULL && mpg_zone_is_local(value))
    fit = mpg_zone_utc(s->zone, seconds, &seconds);
  add_number(s, k->member, seconds);
  if (fit == MPG_ZONE_REPEATED)
    return list_issue(s, MPG_INFO, "repeated_time",
                      "the clock showed this time twice: the first is taken", err);
  if (fit == MPG_ZONE_SKIPPED)
    return list_issue(s, MPG_WARNING, "skipped_time",
                      "the clock never showed this time: moved forward; is it the right zone?",
                      err);
  return MPG_OK;
}

/* "alice(1000)"; "(null)(1000)" has no name. */
static void add_person(mpg_slurm_shown *s, const key *k, mpg_str value) {
  size_t name = 0, open = value.n;
  int64_t id;
  while (name < value.n && value.p[name] != '(')
    name++;
  while (open > 0 && value.p[open - 1] != '(')
    open--;
  if (name > 0)
    add_member(s, k->member, MPG_JSON_STRING, (mpg_str){value.p, name});
  if (open > 0 && value.p[value.n - 1] == ')' &&
      mpg_int_parse((mpg_str){value.p + open, value.n - open - 1}, &id))
    add_number(s, k->id, id);
}

static mpg_rc add_value(mpg_slurm_shown *s, const key *k, mpg_str value, mpg_err *err) {
  int64_t number;
  size_t n = 0;
  if (is_nothing(value))
    return MPG_OK;
  while (n < value.n && value.p[n] >= '0' && value.p[n] <= '9')
    n++;
  switch (k->how) {
  case TIME:
    return add_time(s, k, value, err);
  case TASKS:
    if (n < value.n) {
      add_member(s, "array_task_string", MPG_JSON_STRING, value);
      return MPG_OK;
    }
    add_member(s, k->member, MPG_JSON_NUMBER, value);
    return MPG_OK;
  case NUMBER:
    if (!mpg_int_parse((mpg_str){value.p, n}, &number))
      return malformed(s, k->name, "a whole number", value, err);
    add_number(s, k->member, number);
    return MPG_OK;
  case LIMIT: /* a word is none */
    if (n == value.n && mpg_int_parse(value, &number))
      add_number(s, k->member, number);
    else if (mpg_slurm_duration_parse(value, &number))
      add_number(s, k->member, number / (60 * MPG_SECOND));
    return MPG_OK;
  case RUN_TIME:
    if (!mpg_slurm_duration_parse(value, &number))
      return malformed(s, k->name, "a duration such as 1-02:03:04", value, err);
    return mpg_slurm_keep_number(&s->f, MPG_SLURM_JOB_Elapsed, number / MPG_SECOND, err);
  case EXIT:
    return mpg_slurm_keep_text(
        &s->f, k->name[0] == 'D' ? MPG_SLURM_JOB_DerivedExitCode : MPG_SLURM_JOB_ExitCode, value,
        err);
  case PERSON:
    add_person(s, k, value);
    return MPG_OK;
  default:
    add_member(s, k->member, MPG_JSON_STRING, value);
    return MPG_OK;
  }
}

/* ---- names ---- */

/* The length of the name if "Name=" is at `at`, at the start of a line or after a blank; else 0. */
static size_t name_at(mpg_str s, size_t at) {
  size_t i = at;
  if (at > 0 && s.p[at - 1] != ' ' && s.p[at - 1] != '\n')
    return 0;
  while (i < s.n && (((s.p[i] | 0x20) >= 'a' && (s.p[i] | 0x20) <= 'z') || s.p[i] == '_' ||
                     s.p[i] == '/' || s.p[i] == ':'))
    i++;
  return i < s.n && s.p[i] == '=' ? i - at : 0;
}

static const key *key_of(mpg_str name) {
  for (size_t i = 0; i < COUNT(keys); i++)
    if (mpg_str_eq(name, mpg_str_of(keys[i].name)))
      return &keys[i];
  return NULL;
}

static bool may_follow(mpg_str name) {
  for (size_t i = 0; i < COUNT(others); i++)
    if (mpg_str_eq(name, mpg_str_of(others[i])))
      return true;
  return key_of(name) != NULL;
}

/* The end of the value that begins at `at`. */
static size_t value_end(mpg_str s, size_t at, how kind) {
  for (; at < s.n && s.p[at] != '\n'; at++) {
    size_t n;
    if (s.p[at] != ' ')
      continue;
    if (kind != FREE)
      break;
    n = name_at(s, at + 1);
    if (n > 0 && may_follow((mpg_str){s.p + at + 1, n}))
      break;
  }
  return at;
}

static bool has_member(const mpg_slurm_shown *s, const char *member) {
  return mpg_slurm_member((mpg_slurm_object){s->members, s->n}, member) != NULL;
}

/* The members of a job's text. `cut`: it lacks its end, so its last value may be a part of one. */
static mpg_rc read_values(mpg_slurm_shown *s, bool cut, mpg_err *err) {
  const mpg_str job = {s->job.p, s->job.n};
  mpg_rc rc = MPG_OK;
  for (size_t at = 0, n; rc == MPG_OK && at < job.n;) {
    const key *k;
    size_t from, end;
    if ((n = name_at(job, at)) == 0) {
      at++;
      continue;
    }
    k = key_of((mpg_str){job.p + at, n});
    from = at + n + 1;
    at = end = value_end(job, from, k == NULL ? WORD : k->how);
    while (end > from && (job.p[end - 1] == ' ' || job.p[end - 1] == '\r'))
      end--;
    /* What comes again is in a free text, or of the nodes one by one. */
    if (k != NULL && !(cut && at == job.n) && (k->member == NULL || !has_member(s, k->member)))
      rc = add_value(s, k, (mpg_str){job.p + from, end - from}, err);
  }
  return rc;
}

/* ---- jobs ---- */

static mpg_rc no_job(const mpg_slurm_shown *s, mpg_str found, mpg_err *err) {
  char text[MPG_EXCERPT];
  mpg_text_excerpt(found, text);
  return mpg_fail(err, MPG_DATA,
                  "%s:%lld:1: expected a job of scontrol show job or of jobcomp/filetxt, such as "
                  "JobId=1 UserId=..., found \"%s\"",
                  s->path, (long long)s->line, text);
}

/* Where in a line another job begins, behind one that was cut; 0: nowhere. */
static size_t next_job(mpg_str line) {
  static const mpg_str user = MPG_STR(" UserId=");
  for (size_t at = 1; at + job_id.n < line.n; at++) {
    size_t end = at + job_id.n;
    if (line.p[at] != 'J' || !mpg_str_starts_with((mpg_str){line.p + at, line.n - at}, job_id))
      continue;
    while (end < line.n && line.p[end] >= '0' && line.p[end] <= '9')
      end++;
    if (end > at + job_id.n && mpg_str_starts_with((mpg_str){line.p + end, line.n - end}, user))
      return at;
  }
  return 0;
}

static mpg_rc put_ahead(mpg_slurm_shown *s, mpg_str line, int64_t number, mpg_err *err) {
  s->ahead.n = 0;
  if (mpg_json_put(&s->ahead, line) != MPG_OK)
    return mpg_fail_nomem(err);
  s->has_ahead = true;
  s->ahead_line = number;
  return MPG_OK;
}

/* The line that begins the next job, into `job`. */
static mpg_rc begin_job(mpg_slurm_shown *s, mpg_err *err) {
  mpg_str line;
  mpg_rc rc;
  s->job.n = 0;
  if (s->damage.rc != MPG_OK) {
    *err = s->damage;
    s->damage.rc = MPG_OK;
    s->line = s->ahead_line;
    return err->rc;
  }
  if (s->has_ahead) {
    const mpg_json_text swap = s->job;
    s->job = s->ahead;
    s->ahead = swap;
    s->line = s->ahead_line;
    s->has_ahead = false;
    return MPG_OK;
  }
  do {
    rc = mpg_lines_next(s->lines, &line, err);
    s->line = mpg_lines_number(s->lines);
  } while (rc == MPG_OK && line.n == 0);
  if (rc == MPG_OK && mpg_json_put(&s->job, line) != MPG_OK)
    return mpg_fail_nomem(err);
  s->unfinished = rc == MPG_OK && !mpg_lines_ended(s->lines);
  return rc;
}

/* Adds the lines that belong to the job, up to the first that does not, which is put ahead. */
static mpg_rc add_lines(mpg_slurm_shown *s, mpg_err *err) {
  mpg_str line;
  mpg_rc rc;
  while (!s->unfinished) {
    rc = mpg_lines_next(s->lines, &line, err);
    if (rc == MPG_DATA) {
      s->damage = *err;
      s->ahead_line = mpg_lines_number(s->lines);
    }
    if (rc != MPG_OK)
      return rc == MPG_DONE || rc == MPG_DATA ? MPG_OK : rc;
    s->unfinished = !mpg_lines_ended(s->lines);
    if (line.n > 0 && line.p[0] != ' ')
      return put_ahead(s, line, mpg_lines_number(s->lines), err);
    if (line.n > JOB_BYTES - s->job.n)
      return mpg_fail(err, MPG_DATA, "%s:%lld:1: expected a job, found more than %zu bytes of one",
                      s->path, (long long)s->line, JOB_BYTES);
    if (mpg_json_put(&s->job, MPG_STR("\n")) != MPG_OK || mpg_json_put(&s->job, line) != MPG_OK)
      return mpg_fail_nomem(err);
  }
  return MPG_OK;
}

/* A log of completions ends each line with the exit code. */
static bool is_whole_line(const mpg_slurm_shown *s) {
  return s->f.slots[MPG_SLURM_JOB_ExitCode].has && s->f.slots[MPG_SLURM_JOB_DerivedExitCode].has;
}

/* What ended, and waits again, was requeued. */
static void mark_requeued(mpg_slurm_shown *s) {
  for (size_t i = 0; i < s->n; i++)
    if (mpg_str_eq(s->members[i].key, MPG_STR("job_state")) &&
        mpg_str_eq(s->members[i].text, MPG_STR("PENDING")) && is_whole_line(s) &&
        has_member(s, "nodes") && has_member(s, "end_time"))
      s->members[i].text = MPG_STR("REQUEUED");
}

static mpg_rc read_job(mpg_slurm_shown *s, bool cut, mpg_err *err) {
  mpg_slurm_object job;
  mpg_rc rc;
  mpg_slurm_clear(&s->f);
  s->n = 0;
  s->docs.line = s->line;
  rc = read_values(s, cut, err);
  if (rc == MPG_OK && cut)
    rc = list_issue(s, MPG_DATA_LOSS, "missing_field",
                    "jobs that slurmctld cut at 1023 bytes: what stood at their end is missing",
                    err);
  if (rc != MPG_OK)
    return rc;
  mark_requeued(s);
  job = (mpg_slurm_object){s->members, s->n};
  if (!has_member(s, "job_state"))
    return mpg_fail(err, MPG_DATA, "%s:%lld:1: expected a job with JobState=, found none", s->path,
                    (long long)s->line);
  rc = mpg_slurm_read_controller(&s->f, &s->docs, job, err);
  mpg_slurm_repeats_tres(&s->resources, mpg_slurm_stored(&s->f, MPG_SLURM_JOB_ReqTRES));
  mpg_slurm_repeats_tres(&s->resources, mpg_slurm_stored(&s->f, MPG_SLURM_JOB_AllocTRES));
  mpg_slurm_settle(&s->f);
  return rc;
}

mpg_rc mpg_slurm_shown_next(mpg_slurm_shown *s, mpg_err *err) {
  size_t cut;
  mpg_rc rc = begin_job(s, err);
  if (rc == MPG_DONE && mpg_slurm_repeats_end(&s->resources, s->issues, s->path, err) != MPG_OK)
    return err->rc;
  if (rc != MPG_OK)
    return rc;
  if (!mpg_str_starts_with((mpg_str){s->job.p, s->job.n}, job_id))
    return no_job(s, (mpg_str){s->job.p, s->job.n}, err);
  cut = next_job((mpg_str){s->job.p, s->job.n});
  if (cut > 0) {
    rc = put_ahead(s, (mpg_str){s->job.p + cut, s->job.n - cut}, s->line, err);
    s->job.n = cut;
  } else {
    rc = add_lines(s, err);
  }
  if (rc == MPG_OK)
    rc = read_job(s, cut > 0, err);
  if (cut == 0 && s->unfinished && !s->has_ahead && !is_whole_line(s) &&
      (rc == MPG_OK || rc == MPG_DATA)) {
    rc = list_issue(s, MPG_WARNING, "unfinished_record",
                    "the last line has no line end: its job is left out as still being written",
                    err);
    if (rc == MPG_OK)
      rc = mpg_slurm_repeats_end(&s->resources, s->issues, s->path, err);
    return rc == MPG_OK ? MPG_DONE : rc;
  }
  return rc;
}
