/* slurm_controller.c - jobs as slurmctld knows them: see slurm_json.h. */
#include "../../read/parse/json_walker.h"
#include "slurm_fields.h"
#include "slurm_value.h"

#include <string.h>

#define FIELD(name) MPG_SLURM_JOB_##name
#define COUNT(table) (sizeof(table) / sizeof *(table))

/* Of the controller. */
static const mpg_slurm_source controller[] = {
    {NULL, "account", MPG_SLURM_WORD_LIST, FIELD(Account)},
    {NULL, "admin_comment", MPG_SLURM_WORD_LIST, FIELD(AdminComment)},
    {NULL, "association_id", MPG_SLURM_FILLED, FIELD(AssocID)},
    {NULL, "cluster", MPG_SLURM_WORD_LIST, FIELD(Cluster)},
    {NULL, "comment", MPG_SLURM_WORD_LIST, FIELD(Comment)},
    {NULL, "container", MPG_SLURM_WORD_LIST, FIELD(Container)},
    {NULL, "cpus", MPG_SLURM_NUMBER, FIELD(NCPUS)},
    {NULL, "current_working_directory", MPG_SLURM_WORD_LIST, FIELD(WorkDir)},
    {NULL, "derived_exit_code", MPG_SLURM_STATUS, FIELD(DerivedExitCode)},
    {NULL, "eligible_time", MPG_SLURM_SINCE, FIELD(Eligible)},
    {NULL, "end_time", MPG_SLURM_SINCE, FIELD(End)},
    {NULL, "exit_code", MPG_SLURM_STATUS, FIELD(ExitCode)},
    {NULL, "extra", MPG_SLURM_WORD_LIST, FIELD(Extra)},
    {NULL, "failed_node", MPG_SLURM_WORD_LIST, FIELD(FailedNode)},
    {NULL, "features", MPG_SLURM_WORD_LIST, FIELD(Constraints)},
    {NULL, "flags", MPG_SLURM_WORD_LIST, FIELD(Flags)},
    {NULL, "group_id", MPG_SLURM_NUMBER, FIELD(GID)},
    {NULL, "group_name", MPG_SLURM_WORD_LIST, FIELD(Group)},
    {NULL, "licenses", MPG_SLURM_WORD_LIST, FIELD(Licenses)},
    {NULL, "mcs_label", MPG_SLURM_WORD_LIST, FIELD(McsLabel)},
    {NULL, "name", MPG_SLURM_WORD_LIST, FIELD(JobName)},
    {NULL, "node_count", MPG_SLURM_NUMBER, FIELD(NNodes)},
    {NULL, "nodes", MPG_SLURM_WORD_LIST, FIELD(NodeList)},
    {NULL, "partition", MPG_SLURM_WORD_LIST, FIELD(Partition)},
    {NULL, "priority", MPG_SLURM_NUMBER, FIELD(Priority)},
    {NULL, "qos", MPG_SLURM_WORD_LIST, FIELD(QOS)},
    {NULL, "restart_cnt", MPG_SLURM_NUMBER, FIELD(Restarts)},
    {NULL, "resv_name", MPG_SLURM_WORD_LIST, FIELD(Reservation)},
    {NULL, "standard_error", MPG_SLURM_WORD_LIST, FIELD(StdErr)},
    {NULL, "standard_input", MPG_SLURM_WORD_LIST, FIELD(StdIn)},
    {NULL, "standard_output", MPG_SLURM_WORD_LIST, FIELD(StdOut)},
    {NULL, "start_time", MPG_SLURM_SINCE, FIELD(Start)},
    {NULL, "state_reason", MPG_SLURM_WORD_LIST, FIELD(Reason)},
    {NULL, "submit_line", MPG_SLURM_WORD_LIST, FIELD(SubmitLine)},
    {NULL, "submit_time", MPG_SLURM_SINCE, FIELD(Submit)},
    {NULL, "system_comment", MPG_SLURM_WORD_LIST, FIELD(SystemComment)},
    {NULL, "time_limit", MPG_SLURM_NUMBER, FIELD(TimelimitRaw)},
    {NULL, "user_id", MPG_SLURM_NUMBER, FIELD(UID)},
    {NULL, "user_name", MPG_SLURM_WORD_LIST, FIELD(User)},
    {NULL, "wckey", MPG_SLURM_WORD_LIST, FIELD(WCKey)},
};

/* One of the controller's lists, with the GPUs added of words that it lacks. */
static mpg_rc keep_tres(mpg_slurm_fields *f, size_t field, mpg_str list, const mpg_slurm_gres *gres,
                        mpg_err *err) {
  size_t at = f->text.n;
  mpg_slurm_gres lacking = {0};
  for (size_t i = 0; i < gres->n; i++)
    if (!mpg_slurm_lists_word(list, gres->of[i].word))
      lacking.of[lacking.n++] = gres->of[i];
  if (mpg_json_put(&f->text, list) != MPG_OK ||
      mpg_slurm_put_gres(&lacking, at, &f->text) != MPG_OK)
    return mpg_fail_nomem(err);
  mpg_slurm_keep(f, field, at);
  return MPG_OK;
}

/* Whether any member says what was requested. */
static bool tells_request(mpg_slurm_object job) {
  static const char *const keys[] = {"tres_req_str", "tres_per_job", "tres_per_node",
                                     "tres_per_task", "tres_per_socket"};
  bool told = false;
  for (size_t i = 0; i < COUNT(keys); i++)
    told = told || mpg_slurm_string(job, keys[i]).n > 0;
  return told;
}

static mpg_rc number_or(mpg_slurm_docs *docs, mpg_slurm_object job, const char *key,
                        int64_t otherwise, int64_t *out, mpg_err *err) {
  bool is;
  mpg_rc rc = mpg_slurm_number(docs, mpg_slurm_member(job, key), out, &is, err);
  if (rc == MPG_OK && (!is || *out < 1))
    *out = otherwise;
  return rc;
}

/* GPUs requested and held. If nothing says what a job on nodes holds, it is what was requested. */
static mpg_rc read_gpus(mpg_slurm_fields *f, mpg_slurm_docs *docs, mpg_slurm_object job,
                        mpg_err *err) {
  mpg_slurm_gres requested = {0}, held = {0};
  mpg_poller poller = {docs->env, 0, false};
  mpg_slurm_object details;
  int64_t nodes, tasks, sockets;
  mpg_str alloc = mpg_slurm_string(job, "tres_alloc_str");
  mpg_rc rc = number_or(docs, job, "node_count", 1, &nodes, err);
  if (rc == MPG_OK)
    rc = number_or(docs, job, "tasks", 1, &tasks, err);
  if (rc == MPG_OK)
    rc = number_or(docs, job, "sockets_per_node", 1, &sockets, err);
  if (rc != MPG_OK)
    return rc;
  mpg_slurm_gres_add(&requested, mpg_slurm_string(job, "tres_per_job"), 1, &poller);
  if (requested.n == 0)
    mpg_slurm_gres_add(&requested, mpg_slurm_string(job, "tres_per_node"), nodes, &poller);
  if (requested.n == 0)
    mpg_slurm_gres_add(&requested, mpg_slurm_string(job, "tres_per_task"), tasks, &poller);
  if (requested.n == 0 && sockets <= INT64_MAX / nodes)
    mpg_slurm_gres_add(&requested, mpg_slurm_string(job, "tres_per_socket"), sockets * nodes,
                       &poller);
  if (tells_request(job))
    rc = keep_tres(f, FIELD(ReqTRES), mpg_slurm_string(job, "tres_req_str"), &requested, err);
  if (rc == MPG_OK)
    rc = mpg_slurm_open_member(docs, MPG_SLURM_GROUP, mpg_slurm_member(job, "gres_detail"),
                               &details, err);
  for (size_t i = 0; rc == MPG_OK && i < details.n; i++)
    if (details.members[i].kind == MPG_JSON_STRING)
      mpg_slurm_gres_add(&held, details.members[i].text, 1, &poller);
  if (rc == MPG_OK && held.n == 0 && (alloc.n > 0 || mpg_slurm_stored(f, FIELD(NodeList)).n > 0)) {
    held = requested;
    if (alloc.n == 0)
      alloc = mpg_slurm_string(job, "tres_req_str");
  }
  if (rc == MPG_OK)
    rc = keep_tres(f, FIELD(AllocTRES), alloc, &held, err);
  return poller.stopped ? mpg_fail(err, MPG_INTERRUPTED, "interrupted") : rc;
}

/* How long a job stood still: it ran for some seconds, and goes on since a time. Of one that is
** suspended that is the time since which it stands. */
static mpg_rc read_suspended(mpg_slurm_fields *f, mpg_slurm_docs *docs, mpg_slurm_object job,
                             mpg_err *err) {
  int64_t start = 0, since = 0, ran = 0;
  mpg_rc rc = number_or(docs, job, "start_time", 0, &start, err);
  if (rc == MPG_OK)
    rc = number_or(docs, job, "suspend_time", 0, &since, err);
  if (rc == MPG_OK)
    rc = number_or(docs, job, "pre_sus_time", 0, &ran, err);
  if (rc != MPG_OK || mpg_slurm_stored(f, FIELD(Start)).n == 0 || since <= start ||
      since - start < ran || mpg_str_eq(mpg_slurm_stored(f, FIELD(State)), MPG_STR("SUSPENDED")))
    return rc;
  return mpg_slurm_keep_number(f, FIELD(Suspended), since - start - ran, err);
}

mpg_rc mpg_slurm_read_controller(mpg_slurm_fields *f, mpg_slurm_docs *docs, mpg_slurm_object job,
                                 mpg_err *err) {
  static const char *const running[] = {"RUNNING",   "SUSPENDED",   "STOPPED",
                                        "SIGNALING", "CONFIGURING", "RESIZING"};
  const mpg_slurm_id_members ids = {job,
                                    job,
                                    "array_job_id",
                                    "array_task_id",
                                    "array_task_string",
                                    "het_job_id",
                                    "het_job_offset"};
  mpg_str state;
  mpg_rc rc = mpg_slurm_read_ids(f, docs, job, &ids, err);
  if (rc == MPG_OK)
    rc = mpg_slurm_read_members(f, docs, job, controller, COUNT(controller), err);
  if (rc == MPG_OK)
    rc = mpg_slurm_read_state(f, docs, mpg_slurm_member(job, "job_state"),
                              mpg_slurm_marks_of_controller, NULL, err);
  if (rc == MPG_OK)
    rc = read_gpus(f, docs, job, err);
  if (rc != MPG_OK)
    return rc;
  state = mpg_slurm_stored(f, FIELD(State));
  if (mpg_str_eq(state, MPG_STR("PENDING"))) {
    mpg_slurm_forget(f, FIELD(Start));
    mpg_slurm_forget(f, FIELD(End));
  } else if (mpg_slurm_stored(f, FIELD(AllocTRES)).n == 0 &&
             mpg_slurm_stored(f, FIELD(NodeList)).n == 0) {
    mpg_slurm_forget(f, FIELD(Start));
  }
  for (size_t i = 0; i < COUNT(running); i++)
    if (mpg_str_eq(state, mpg_str_of(running[i])))
      mpg_slurm_forget(f, FIELD(End));
  return read_suspended(f, docs, job, err);
}

/* Takes last_update of one document, whose members it follows; lists are not held in memory. */
static mpg_rc updated_in(mpg_pull *pull, mpg_slurm_docs *docs, int64_t *last, mpg_err *err) {
  mpg_pull_item item;
  mpg_rc rc;
  while ((rc = mpg_pull_next(pull, &item, err)) == MPG_OK) {
    mpg_json_member member = {.kind = MPG_JSON_NULL};
    int64_t time;
    bool is = false;
    if (item.first == '[') {
      mpg_pull_enter(pull);
      while ((rc = mpg_pull_next(pull, &item, err)) == MPG_OK)
        ;
      rc = rc == MPG_DONE ? MPG_OK : rc;
    } else if (mpg_str_eq(item.key, MPG_STR("last_update"))) {
      rc = mpg_pull_value(pull, &member.kind, &member.text, err);
      if (rc == MPG_OK)
        rc = mpg_slurm_number(docs, &member, &time, &is, err);
    }
    if (rc != MPG_OK)
      return rc;
    if (is && time > *last)
      *last = time;
  }
  return rc == MPG_DONE ? MPG_OK : rc;
}

static mpg_rc read_updates(mpg_slurm_updates *u, const char *path, mpg_err *err) {
  mpg_slurm_docs docs = {.env = u->env, .name = path};
  mpg_stream *stream = NULL;
  mpg_pull *pull = NULL;
  mpg_pull_item item;
  mpg_rc rc = mpg_stream_open(&stream, u->env, path, err);
  if (rc == MPG_OK)
    rc = mpg_pull_open(&pull, u->env, stream, 0, err);
  while (rc == MPG_OK && (rc = mpg_pull_next(pull, &item, err)) == MPG_OK)
    if (item.first == '{') {
      rc = mpg_grow(u->env, &u->times, &u->cap, u->n + 1, sizeof *u->times);
      if (rc != MPG_OK) {
        rc = mpg_fail_plain(err, rc);
        break;
      }
      u->times[u->n++] = 0;
      mpg_pull_enter(pull);
      rc = updated_in(pull, &docs, &u->times[u->n - 1], err);
    }
  mpg_pull_close(pull);
  mpg_stream_close(stream);
  mpg_slurm_docs_free(&docs);
  return rc == MPG_NOMEM || rc == MPG_INTERRUPTED ? rc : MPG_OK;
}

void mpg_slurm_updates_free(mpg_slurm_updates *updates) {
  if (updates->env != NULL)
    mpg_free(updates->env, updates->times);
}

mpg_rc mpg_slurm_updated(mpg_slurm_updates *updates, const char *path, size_t document,
                         int64_t *out, mpg_err *err) {
  *out = 0;
  if (!updates->read) {
    mpg_rc rc = read_updates(updates, path, err);
    if (rc != MPG_OK)
      return rc;
    updates->read = true;
  }
  if (document < updates->n)
    *out = updates->times[document];
  return MPG_OK;
}
