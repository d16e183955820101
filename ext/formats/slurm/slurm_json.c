/* slurm_json.c - see slurm_json.h. */
#include "slurm_json.h"
#include "../../base/ascii.h"
#include "../../read/parse/json_walker.h"
#include "slurm_fields.h"
#include "slurm_repeats.h"
#include "../../base/text.h"
#include "../../base/time.h"

#include <stdio.h>
#include <string.h>

#define FIELD(name) MPG_SLURM_JOB_##name

/* Of the accounting. Those of a group stand together: it is taken apart once. */
static const mpg_slurm_source accounting[] = {
    {NULL, "account", MPG_SLURM_WORD_LIST, FIELD(Account)},
    {NULL, "allocation_nodes", MPG_SLURM_NUMBER, FIELD(AllocNodes)},
    {NULL, "allocation_nodes", MPG_SLURM_NUMBER, FIELD(NNodes)},
    {NULL, "block", MPG_SLURM_WORD_LIST, FIELD(BlockID)},
    {NULL, "cluster", MPG_SLURM_WORD_LIST, FIELD(Cluster)},
    {NULL, "constraints", MPG_SLURM_WORD_LIST, FIELD(Constraints)},
    {NULL, "container", MPG_SLURM_WORD_LIST, FIELD(Container)},
    {NULL, "derived_exit_code", MPG_SLURM_STATUS, FIELD(DerivedExitCode)},
    {NULL, "exit_code", MPG_SLURM_STATUS, FIELD(ExitCode)},
    {NULL, "extra", MPG_SLURM_WORD_LIST, FIELD(Extra)},
    {NULL, "failed_node", MPG_SLURM_WORD_LIST, FIELD(FailedNode)},
    {NULL, "flags", MPG_SLURM_WORD_LIST, FIELD(Flags)},
    {NULL, "group", MPG_SLURM_WORD_LIST, FIELD(Group)},
    {NULL, "licenses", MPG_SLURM_WORD_LIST, FIELD(Licenses)},
    {NULL, "name", MPG_SLURM_WORD_LIST, FIELD(JobName)},
    {NULL, "nodes", MPG_SLURM_WORD_LIST, FIELD(NodeList)},
    {NULL, "partition", MPG_SLURM_WORD_LIST, FIELD(Partition)},
    {NULL, "priority", MPG_SLURM_NUMBER, FIELD(Priority)},
    {NULL, "qos", MPG_SLURM_WORD_LIST, FIELD(QOS)},
    {NULL, "qosreq", MPG_SLURM_WORD_LIST, FIELD(QOSREQ)},
    {NULL, "restart_cnt", MPG_SLURM_NUMBER, FIELD(Restarts)},
    {NULL, "stderr", MPG_SLURM_WORD_LIST, FIELD(StdErr)},
    {NULL, "stdin", MPG_SLURM_WORD_LIST, FIELD(StdIn)},
    {NULL, "stdout", MPG_SLURM_WORD_LIST, FIELD(StdOut)},
    {NULL, "submit_line", MPG_SLURM_WORD_LIST, FIELD(SubmitLine)},
    {NULL, "user", MPG_SLURM_WORD_LIST, FIELD(User)},
    {NULL, "working_directory", MPG_SLURM_WORD_LIST, FIELD(WorkDir)},
    {"association", "id", MPG_SLURM_FILLED, FIELD(AssocID)},
    {"comment", "administrator", MPG_SLURM_WORD_LIST, FIELD(AdminComment)},
    {"comment", "job", MPG_SLURM_WORD_LIST, FIELD(Comment)},
    {"comment", "system", MPG_SLURM_WORD_LIST, FIELD(SystemComment)},
    {"mcs", "label", MPG_SLURM_WORD_LIST, FIELD(McsLabel)},
    {"required", "CPUs", MPG_SLURM_NUMBER, FIELD(ReqCPUS)},
    {"reservation", "id", MPG_SLURM_FILLED, FIELD(ReservationId)},
    {"reservation", "name", MPG_SLURM_WORD_LIST, FIELD(Reservation)},
    {"state", "reason", MPG_SLURM_WORD_LIST, FIELD(Reason)},
    {"time", "elapsed", MPG_SLURM_NUMBER, FIELD(Elapsed)},
    {"time", "elapsed", MPG_SLURM_NUMBER, FIELD(ElapsedRaw)},
    {"time", "eligible", MPG_SLURM_SINCE, FIELD(Eligible)},
    {"time", "end", MPG_SLURM_SINCE, FIELD(End)},
    {"time", "limit", MPG_SLURM_NUMBER, FIELD(TimelimitRaw)},
    {"time", "planned", MPG_SLURM_NUMBER, FIELD(Planned)},
    {"time", "start", MPG_SLURM_SINCE, FIELD(Start)},
    {"time", "submission", MPG_SLURM_SINCE, FIELD(Submit)},
    {"time", "suspended", MPG_SLURM_NUMBER, FIELD(Suspended)},
    {"time", "system", MPG_SLURM_CPU, FIELD(SystemCPU)},
    {"time", "total", MPG_SLURM_CPU, FIELD(TotalCPU)},
    {"time", "user", MPG_SLURM_CPU, FIELD(UserCPU)},
    {"wckey", "wckey", MPG_SLURM_WORD_LIST, FIELD(WCKey)},
};

/* Of its steps. */
static const mpg_slurm_source steps[] = {
    {NULL, "exit_code", MPG_SLURM_STATUS, FIELD(ExitCode)},
    {"nodes", "count", MPG_SLURM_NUMBER, FIELD(AllocNodes)},
    {"nodes", "count", MPG_SLURM_NUMBER, FIELD(NNodes)},
    {"nodes", "range", MPG_SLURM_WORD_LIST, FIELD(NodeList)},
    {"step", "name", MPG_SLURM_WORD_LIST, FIELD(JobName)},
    {"tasks", "count", MPG_SLURM_NUMBER, FIELD(NTasks)},
    {"time", "elapsed", MPG_SLURM_NUMBER, FIELD(Elapsed)},
    {"time", "elapsed", MPG_SLURM_NUMBER, FIELD(ElapsedRaw)},
    {"time", "end", MPG_SLURM_SINCE, FIELD(End)},
    {"time", "start", MPG_SLURM_SINCE, FIELD(Start)},
    {"time", "suspended", MPG_SLURM_NUMBER, FIELD(Suspended)},
    {"time", "system", MPG_SLURM_CPU, FIELD(SystemCPU)},
    {"time", "total", MPG_SLURM_CPU, FIELD(TotalCPU)},
    {"time", "user", MPG_SLURM_CPU, FIELD(UserCPU)},
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

struct mpg_slurm_json {
  const mpg_env *env;
  mpg_pull *pull;
  const char *path;
  mpg_issues *issues;
  mpg_slurm_docs docs, step_docs;
  bool in_document, in_jobs;
  bool any_jobs;             /* there was a "jobs" */
  bool silent;               /* that had none, and no errors were told */
  mpg_slurm_repeats repeats; /* of the accounting */
  bool done;
  bool of_controller; /* the latest job is */
  size_t documents;   /* begun so far */
  mpg_slurm_updates updates;
  char members[200]; /* of the document, for a message */
  size_t n_members;
  int64_t document_line, line;
  mpg_slurm_object step_list; /* of the latest job, borrowed */
  size_t next_step;
  mpg_slurm_fields f; /* of the record at hand */
};

mpg_rc mpg_slurm_json_open(mpg_slurm_json **out, const mpg_env *env, mpg_stream *stream,
                           mpg_issues *issues, mpg_err *err) {
  mpg_slurm_json *j = mpg_calloc(env, sizeof *j);
  mpg_rc rc;
  if (j == NULL)
    return mpg_fail_nomem(err);
  j->env = env;
  j->path = mpg_stream_path(stream);
  j->issues = issues;
  j->docs = j->step_docs = (mpg_slurm_docs){.env = env, .name = j->path};
  j->f.text.env = j->repeats.jobs.env = j->updates.env = env;
  rc = mpg_pull_open(&j->pull, env, stream, 0, err);
  if (rc == MPG_OK)
    *out = j;
  else
    mpg_slurm_json_close(j);
  return rc;
}

void mpg_slurm_json_close(mpg_slurm_json *j) {
  if (j == NULL)
    return;
  mpg_pull_close(j->pull);
  mpg_slurm_docs_free(&j->docs);
  mpg_slurm_docs_free(&j->step_docs);
  mpg_json_text_free(&j->f.text);
  mpg_slurm_repeats_free(&j->repeats);
  mpg_slurm_updates_free(&j->updates);
  mpg_free(j->env, j);
}

static mpg_rc read_tres(mpg_slurm_json *j, mpg_slurm_docs *docs, const mpg_json_member *list,
                        size_t field, mpg_err *err) {
  size_t at = j->f.text.n;
  mpg_rc rc = mpg_slurm_put_tres(docs, list, &j->f.text, err);
  if (rc == MPG_OK && list != NULL)
    mpg_slurm_keep(&j->f, field, at);
  return rc;
}

/* The count of a plain resource of a list, "cpu" or "node"; false: it is not listed. */
static bool count_of(mpg_str tres, mpg_str name, int64_t *out) {
  for (size_t at = 0; at < tres.n;) {
    size_t end = at;
    while (end < tres.n && tres.p[end] != ',')
      end++;
    if (end - at > name.n && tres.p[at + name.n] == '=' && memcmp(tres.p + at, name.p, name.n) == 0)
      return mpg_slurm_count_parse((mpg_str){tres.p + at + name.n + 1, end - at - name.n - 1}, out);
    at = end + 1;
  }
  return false;
}

/* Processors and nodes, from the lists: those held, or else those requested. */
static mpg_rc keep_counts(mpg_slurm_json *j, mpg_err *err) {
  mpg_str held = mpg_slurm_stored(&j->f, FIELD(AllocTRES));
  mpg_str requested = mpg_slurm_stored(&j->f, FIELD(ReqTRES));
  int64_t cpus, nodes;
  bool has_cpus =
      count_of(held, MPG_STR("cpu"), &cpus) || count_of(requested, MPG_STR("cpu"), &cpus);
  bool has_nodes =
      j->f.values[FIELD(NNodes)].i == 0 && count_of(requested, MPG_STR("node"), &nodes);
  mpg_rc rc = MPG_OK;
  if (has_cpus)
    rc = mpg_slurm_keep_number(&j->f, FIELD(NCPUS), cpus, err);
  if (rc == MPG_OK && has_cpus)
    rc = mpg_slurm_keep_number(&j->f, FIELD(AllocCPUS), cpus, err);
  if (rc == MPG_OK && has_nodes)
    rc = mpg_slurm_keep_number(&j->f, FIELD(NNodes), nodes, err);
  return rc;
}

/* ---- The accounting ---- */

static mpg_rc read_accounting(mpg_slurm_json *j, mpg_slurm_object job, mpg_err *err) {
  mpg_slurm_docs *docs = &j->docs;
  mpg_slurm_object state, tres, array, het;
  mpg_rc rc =
      mpg_slurm_open_member(docs, MPG_SLURM_GROUP, mpg_slurm_member(job, "array"), &array, err);
  /* The steps' own documents are free until steps are read. */
  if (rc == MPG_OK)
    rc = mpg_slurm_open_member(&j->step_docs, MPG_SLURM_GROUP, mpg_slurm_member(job, "het"), &het,
                               err);
  if (rc == MPG_OK)
    rc = mpg_slurm_read_ids(
        &j->f, &j->docs, job,
        &(mpg_slurm_id_members){array, het, "job_id", "task_id", "task", "job_id", "job_offset"},
        err);
  if (rc == MPG_OK)
    rc = mpg_slurm_read_members(&j->f, docs, job, accounting, COUNT(accounting), err);
  if (rc == MPG_OK)
    rc = mpg_slurm_open_member(docs, MPG_SLURM_GROUP, mpg_slurm_member(job, "state"), &state, err);
  if (rc == MPG_OK)
    rc = mpg_slurm_read_state(&j->f, docs, mpg_slurm_member(state, "current"),
                              mpg_slurm_marks_of_accounting,
                              mpg_slurm_member(job, "kill_request_user"), err);
  if (rc == MPG_OK)
    rc = mpg_slurm_open_member(docs, MPG_SLURM_GROUP, mpg_slurm_member(job, "tres"), &tres, err);
  if (rc == MPG_OK)
    rc = read_tres(j, docs, mpg_slurm_member(tres, "allocated"), FIELD(AllocTRES), err);
  if (rc == MPG_OK)
    rc = read_tres(j, docs, mpg_slurm_member(tres, "requested"), FIELD(ReqTRES), err);
  if (rc == MPG_OK)
    rc = keep_counts(j, err);
  return rc == MPG_OK ? mpg_slurm_open_member(&j->step_docs, MPG_SLURM_JOB,
                                              mpg_slurm_member(job, "steps"), &j->step_list, err)
                      : rc;
}

/* "batch" of "batch", "1234.batch" or {"step_id": "batch"}. */
static mpg_rc read_step_id(mpg_slurm_json *j, mpg_str job, mpg_str raw, const mpg_json_member *id,
                           mpg_err *err) {
  mpg_slurm_docs *docs = &j->docs;
  mpg_slurm_object parts;
  mpg_str name = {"", 0};
  mpg_rc rc = MPG_OK;
  char text[32];
  if (id != NULL && id->kind == MPG_JSON_OBJECT) {
    rc = mpg_slurm_open_member(docs, MPG_SLURM_LEVELS - 1, id, &parts, err);
    id = mpg_slurm_member(parts, "step_id");
  }
  if (rc == MPG_OK && id != NULL && (id->kind == MPG_JSON_STRING || id->kind == MPG_JSON_NUMBER))
    name = id->text;
  for (size_t i = 0; i < name.n; i++)
    if (name.p[i] == '.') {
      name = (mpg_str){name.p + i + 1, name.n - i - 1};
      i = 0;
    }
  if (name.n == 0) {
    (void)snprintf(text, sizeof text, "%zu", j->next_step);
    name = mpg_str_of(text);
  }
  for (int pass = 0; rc == MPG_OK && pass < 2; pass++) {
    size_t at = j->f.text.n;
    if (mpg_json_put(&j->f.text, pass == 0 ? job : raw) != MPG_OK ||
        mpg_json_put(&j->f.text, MPG_STR(".")) != MPG_OK ||
        mpg_json_put(&j->f.text, name) != MPG_OK)
      return mpg_fail_nomem(err);
    mpg_slurm_keep(&j->f, pass == 0 ? FIELD(JobID) : FIELD(JobIDRaw), at);
  }
  return rc;
}

/* The next step, in the fields of a record of its own. */
static mpg_rc read_step(mpg_slurm_json *j, mpg_err *err) {
  mpg_slurm_docs *docs = &j->docs; /* the job's own are no longer needed */
  mpg_slurm_object step, group;
  const mpg_json_member *state;
  static const size_t passed_on[] = {FIELD(JobID), FIELD(JobIDRaw), FIELD(Cluster), FIELD(Account)};
  char ids[COUNT(passed_on)][160] = {{0}};
  const mpg_value *start = &j->f.values[FIELD(Start)];
  mpg_rc rc;
  /* What steps take over from their job, less a step that stood there before. */
  for (size_t i = 0; i < COUNT(passed_on); i++) {
    mpg_str s = mpg_slurm_stored(&j->f, passed_on[i]);
    size_t n = 0;
    while (n < s.n && n < sizeof ids[i] - 1 && (i >= 2 || s.p[n] != '.')) {
      ids[i][n] = s.p[n];
      n++;
    }
  }
  mpg_slurm_clear(&j->f);
  rc = mpg_slurm_open_member(docs, MPG_SLURM_JOB, &j->step_list.members[j->next_step], &step, err);
  j->next_step++;
  for (size_t i = 2; rc == MPG_OK && i < COUNT(passed_on); i++)
    rc = mpg_slurm_keep_text(&j->f, passed_on[i], mpg_str_of(ids[i]), err);
  if (rc == MPG_OK)
    rc = mpg_slurm_read_members(&j->f, docs, step, steps, COUNT(steps), err);
  /* As sacct has it: a step waits for nothing. */
  if (rc == MPG_OK && start->type == MPG_INT)
    rc = mpg_slurm_keep_number(&j->f, FIELD(Submit), start->i, err);
  if (rc == MPG_OK && start->type == MPG_INT)
    rc = mpg_slurm_keep_number(&j->f, FIELD(Eligible), start->i, err);
  if (rc == MPG_OK)
    rc = mpg_slurm_open_member(docs, MPG_SLURM_GROUP, mpg_slurm_member(step, "step"), &group, err);
  if (rc == MPG_OK)
    rc =
        read_step_id(j, mpg_str_of(ids[0]), mpg_str_of(ids[1]), mpg_slurm_member(group, "id"), err);
  if (rc != MPG_OK)
    return rc;
  state = mpg_slurm_member(step, "state");
  rc = mpg_slurm_read_state(&j->f, docs, state, mpg_slurm_marks_of_accounting,
                            mpg_slurm_member(step, "kill_request_user"), err);
  if (rc == MPG_OK)
    rc = mpg_slurm_open_member(docs, MPG_SLURM_GROUP, mpg_slurm_member(step, "tres"), &group, err);
  if (rc == MPG_OK)
    rc = read_tres(j, docs, mpg_slurm_member(group, "allocated"), FIELD(AllocTRES), err);
  return rc == MPG_OK ? keep_counts(j, err) : rc;
}

static mpg_rc notice_repeat(mpg_slurm_json *j, mpg_err *err) {
  mpg_str id = mpg_slurm_stored(&j->f, FIELD(JobIDRaw));
  mpg_rc rc = mpg_slurm_repeats_add(&j->repeats, mpg_slurm_stored(&j->f, FIELD(Cluster)), id, 0);
  mpg_slurm_repeats_tres(&j->repeats, mpg_slurm_stored(&j->f, FIELD(ReqTRES)));
  mpg_slurm_repeats_tres(&j->repeats, mpg_slurm_stored(&j->f, FIELD(AllocTRES)));
  return rc == MPG_OK ? rc : mpg_fail_plain(err, rc);
}

/* ---- The document ---- */

static mpg_rc wrong_document(const mpg_slurm_json *j, mpg_err *err) {
  bool nodes = strstr(j->members, "nodes") != NULL || strstr(j->members, "sinfo") != NULL;
  return mpg_fail(
      err, MPG_DATA,
      "%s:%lld:1: expected jobs of sacct --json, squeue --json or slurmrestd (a member \"jobs\"), "
      "found members \"%s\"%s",
      j->path, (long long)j->document_line, j->members,
      nodes ? " (nodes are read with slurm_nodes_trace)" : "");
}

/* What slurmrestd says went wrong is no job, but worth knowing. */
static mpg_rc read_errors(mpg_slurm_json *j, int64_t line, mpg_err *err) {
  mpg_json_kind kind;
  mpg_slurm_object list, entry;
  mpg_str text;
  char what[MPG_EXCERPT] = "";
  mpg_rc rc = mpg_pull_value(j->pull, &kind, &text, err);
  if (rc != MPG_OK || kind != MPG_JSON_ARRAY)
    return rc;
  j->docs.line = line;
  rc = mpg_slurm_open_text(&j->docs, MPG_SLURM_JOB, text, &list, err);
  if (rc != MPG_OK || list.n == 0)
    return rc;
  j->silent = false;
  rc = mpg_slurm_open_member(&j->docs, MPG_SLURM_GROUP, &list.members[0], &entry, err);
  if (rc != MPG_OK)
    return rc;
  mpg_text_excerpt(mpg_slurm_string(entry, "description").n > 0
                       ? mpg_slurm_string(entry, "description")
                       : mpg_slurm_string(entry, "error"),
                   what);
  if (j->issues != NULL && mpg_issues_add(j->issues, MPG_WARNING, j->path, "reported_error", line,
                                          (int64_t)list.n, "the export says: %s", what) != MPG_OK)
    return mpg_fail_nomem(err);
  return MPG_OK;
}

static void note_member(mpg_slurm_json *j, mpg_str key) {
  char text[MPG_EXCERPT];
  size_t left = sizeof j->members - j->n_members;
  int n;
  mpg_text_excerpt(key, text);
  n = snprintf(j->members + j->n_members, left, "%s%s", j->n_members > 0 ? ", " : "", text);
  j->n_members = n < 0 || (size_t)n >= left ? sizeof j->members - 1 : j->n_members + (size_t)n;
}

/* Moves to the next job; MPG_DONE after the last of the last document. An answer without jobs has
** an item without a first letter. */
static mpg_rc next_job(mpg_slurm_json *j, mpg_pull_item *item, mpg_err *err) {
  for (;;) {
    mpg_rc rc;
    if (mpg_pull_depth(j->pull) == 0)
      j->in_document = j->in_jobs = false;
    rc = mpg_pull_next(j->pull, item, err);
    if (rc != MPG_OK && rc != MPG_DONE)
      return rc;
    if (j->in_jobs) {
      if (rc == MPG_OK) {
        j->silent = false;
        return MPG_OK;
      }
      j->in_jobs = false;
    } else if (j->in_document) {
      if (rc == MPG_DONE) {
        j->in_document = false;
        if (!j->any_jobs)
          return wrong_document(j, err);
        item->first = '\0';
        if (j->silent)
          return MPG_OK;
        continue;
      }
      note_member(j, item->key);
      if (item->first == '[' && mpg_str_eq(item->key, MPG_STR("jobs"))) {
        mpg_pull_enter(j->pull);
        j->in_jobs = j->any_jobs = true;
      } else if (item->first == '[' && mpg_str_eq(item->key, MPG_STR("errors"))) {
        rc = read_errors(j, item->line, err);
        if (rc != MPG_OK)
          return rc;
      }
    } else {
      if (rc == MPG_DONE)
        return MPG_DONE;
      if (item->first != '{')
        return mpg_fail(
            err, MPG_DATA,
            "%s:%lld:%lld: expected the object that sacct --json or squeue --json writes", j->path,
            (long long)item->line, (long long)item->column);
      mpg_pull_enter(j->pull);
      j->documents++;
      j->in_document = true;
      j->any_jobs = false;
      j->silent = true;
      j->n_members = 0;
      j->members[0] = '\0';
      j->document_line = item->line;
    }
  }
}

/* The row of an answer of the controller without jobs: until when it saw none. MPG_DONE if it does
** not say. */
static mpg_rc read_none(mpg_slurm_json *j, mpg_err *err) {
  int64_t last = 0;
  mpg_rc rc;
  j->of_controller = true;
  mpg_slurm_clear(&j->f);
  mpg_slurm_settle(&j->f);
  rc = mpg_slurm_json_updated(j, &last, err);
  return rc == MPG_OK && last == 0 ? MPG_DONE : rc;
}

mpg_rc mpg_slurm_json_next(mpg_slurm_json *j, mpg_err *err) {
  mpg_pull_item item;
  mpg_json_kind kind;
  mpg_slurm_object job;
  mpg_str text;
  mpg_rc rc;
  if (j->next_step < j->step_list.n) {
    rc = read_step(j, err);
    mpg_slurm_settle(&j->f);
    return rc;
  }
  j->step_list.n = j->next_step = 0;
  if (j->done)
    return MPG_DONE;
  while ((rc = next_job(j, &item, err)) == MPG_OK && item.first == '\0')
    if ((rc = read_none(j, err)) != MPG_DONE)
      return rc;
  j->done = rc == MPG_DONE;
  if (j->done && mpg_slurm_repeats_end(&j->repeats, j->issues, j->path, err) != MPG_OK)
    return err->rc;
  if (rc == MPG_OK) {
    j->line = j->docs.line = j->step_docs.line = item.line;
    rc = mpg_pull_value(j->pull, &kind, &text, err);
  }
  if (rc != MPG_OK)
    return rc;
  if (kind != MPG_JSON_OBJECT)
    return mpg_fail(err, MPG_DATA, "%s:%lld:%lld: expected a job, an object", j->path,
                    (long long)item.line, (long long)item.column);
  mpg_slurm_clear(&j->f);
  rc = mpg_slurm_open_text(&j->docs, MPG_SLURM_JOB, text, &job, err);
  if (rc != MPG_OK)
    return rc;
  j->of_controller = mpg_slurm_member(job, "job_state") != NULL;
  if (j->of_controller) {
    rc = mpg_slurm_read_controller(&j->f, &j->docs, job, err);
  } else {
    rc = read_accounting(j, job, err);
    if (rc == MPG_OK)
      rc = notice_repeat(j, err);
  }
  if (rc != MPG_OK)
    j->step_list.n = 0;
  mpg_slurm_settle(&j->f);
  return rc;
}

int64_t mpg_slurm_json_line(const mpg_slurm_json *j) {
  return j->line;
}

const mpg_value *mpg_slurm_json_get(const mpg_slurm_json *j, size_t field) {
  return &j->f.values[field];
}

mpg_str mpg_slurm_json_raw(const mpg_slurm_json *j, size_t field) {
  return j->f.raw[field];
}

bool mpg_slurm_json_has(const mpg_slurm_json *j, size_t field) {
  return j->f.slots[field].has;
}

mpg_rc mpg_slurm_json_updated(mpg_slurm_json *j, int64_t *out, mpg_err *err) {
  *out = 0;
  if (!j->of_controller || j->documents == 0)
    return MPG_OK;
  return mpg_slurm_updated(&j->updates, j->path, j->documents - 1, out, err);
}
