/* kube_decode.c - the fields of an object: see kube_decode.h. */
#include "kube_decode.h"
#include "../../base/number.h"
#include "../../base/text.h"
#include "../../base/time.h"

#include <stdio.h>
#include <string.h>

static void set_text(mpg_kube_object *o, size_t field, int level, const char *key) {
  mpg_kube_give_text(o, field, mpg_kube_string(&o->levels[level], key));
}

/* Text of a level that is about to be used again. It is copied if it was written with escapes, for
** then the level owns it. */
static mpg_rc copy_text(mpg_kube_object *o, size_t field, int level, const char *key,
                        mpg_err *err) {
  mpg_str s = mpg_kube_string(&o->levels[level], key);
  o->copies[field].n = 0;
  return s.n == 0 || mpg_kube_keep(o, field, s) == MPG_OK ? MPG_OK : mpg_fail_nomem(err);
}

/* JSON as it stands. */
static void set_raw(mpg_kube_object *o, size_t field, int level, const char *key) {
  const mpg_json_member *m = mpg_kube_find(&o->levels[level], key);
  if (m != NULL && (m->kind == MPG_JSON_OBJECT || m->kind == MPG_JSON_ARRAY))
    mpg_kube_give_text(o, field, m->text);
}

/* Seconds of an RFC 3339 time: the API's times have no fraction but in a few objects. */
static mpg_rc read_time(const mpg_kube_object *o, const char *key, mpg_str s, int64_t *out,
                        mpg_err *err) {
  mpg_err ignored;
  int64_t us;
  *out = 0;
  if (mpg_time_parse(s, &us, &ignored) != MPG_OK)
    return mpg_kube_unexpected(o, key, "a time such as 2026-03-01T08:00:00Z", s, err);
  *out = us / MPG_SECOND;
  return MPG_OK;
}

static mpg_rc time_of(mpg_kube_object *o, size_t field, int level, const char *key, mpg_err *err) {
  mpg_str s = mpg_kube_string(&o->levels[level], key);
  int64_t seconds;
  if (s.n == 0)
    return MPG_OK;
  if (read_time(o, key, s, &seconds, err) != MPG_OK)
    return err->rc;
  mpg_kube_give_int(o, field, seconds);
  return MPG_OK;
}

static void set_count(mpg_kube_object *o, size_t field, int level, const char *key) {
  const mpg_json_member *m = mpg_kube_find(&o->levels[level], key);
  int64_t i;
  if (m != NULL && m->kind == MPG_JSON_NUMBER && mpg_int_parse(m->text, &i))
    mpg_kube_give_int(o, field, i);
  else if (m != NULL && (m->kind == MPG_JSON_TRUE || m->kind == MPG_JSON_FALSE))
    mpg_kube_give_int(o, field, m->kind == MPG_JSON_TRUE);
}

/* ---- Who owns it, and which job it is of ---- */

/* The owner that controls it, else the first. */
static mpg_rc read_owner(mpg_kube_object *o, mpg_err *err) {
  mpg_kube_level *owners = &o->levels[MPG_KUBE_A], *owner = &o->levels[MPG_KUBE_B];
  mpg_rc rc = mpg_kube_open_level(
      o, MPG_KUBE_A, mpg_kube_find(&o->levels[MPG_KUBE_METADATA], "ownerReferences"), err);
  o->controlled = false;
  for (size_t i = 0; rc == MPG_OK && i < owners->n; i++) {
    const mpg_json_member *controls;
    rc = mpg_kube_open_level(o, MPG_KUBE_B, &owners->m[i], err);
    if (rc != MPG_OK)
      break;
    controls = mpg_kube_find(owner, "controller");
    if (i > 0 && (controls == NULL || controls->kind != MPG_JSON_TRUE))
      continue;
    rc = copy_text(o, MPG_KUBE_owner_kind, MPG_KUBE_B, "kind", err);
    if (rc == MPG_OK)
      rc = copy_text(o, MPG_KUBE_owner_name, MPG_KUBE_B, "name", err);
    o->controlled = controls != NULL && controls->kind == MPG_JSON_TRUE;
    if (o->controlled)
      break;
  }
  return rc;
}

/* The name of the job as its users know it: the outermost in the labels, else the owner. */
static mpg_str job_name(const mpg_kube_object *o) {
  static const char *const labels[] = {
      "workload.codeflare.dev/appwrapper",
      "jobset.sigs.k8s.io/jobset-name",
      "training.kubeflow.org/job-name",
      "ray.io/originated-from-cr-name",
      "ray.io/cluster",
      "leaderworkerset.sigs.k8s.io/name",
      "kueue.x-k8s.io/pod-group-name",
      "volcano.sh/job-name",
      "skypilot-cluster-name", /* its pods have no owner */
      "serving.knative.dev/service",
      "batch.kubernetes.io/job-name",
      "job-name",
  };
  mpg_str name = o->values[MPG_KUBE_owner_name].s, hash;
  bool pod = mpg_kube_is(o, MPG_KUBE_kind, "Pod"),
       workload = mpg_kube_is(o, MPG_KUBE_kind, "Workload");
  for (size_t i = 0; !workload && i < sizeof labels / sizeof *labels; i++) {
    mpg_str label = mpg_kube_string(&o->levels[MPG_KUBE_LABELS], labels[i]);
    if (label.n > 0)
      return label;
  }
  /* A Workload of a group of pods, which has its name, is owned by each of the pods, and by the
  ** StatefulSet that they are of; that of one pod is controlled by it. Static pods are owned by
  ** their node. */
  if ((!pod && !workload) || name.n == 0 || mpg_kube_is(o, MPG_KUBE_owner_kind, "Node") ||
      (workload && !o->controlled &&
       (mpg_kube_is(o, MPG_KUBE_owner_kind, "Pod") ||
        mpg_kube_is(o, MPG_KUBE_owner_kind, "StatefulSet"))))
    return o->values[MPG_KUBE_name].s;
  /* A Deployment's pods are owned by its ReplicaSet of the moment. */
  hash = mpg_kube_string(&o->levels[MPG_KUBE_LABELS], "pod-template-hash");
  if (hash.n == 0) /* of Argo's Rollout */
    hash = mpg_kube_string(&o->levels[MPG_KUBE_LABELS], "rollouts-pod-template-hash");
  if (hash.n > 0 && name.n > hash.n + 1 && memcmp(name.p + name.n - hash.n, hash.p, hash.n) == 0)
    name.n -= hash.n + 1;
  return name;
}

static mpg_rc give_job(mpg_kube_object *o, mpg_err *err) {
  mpg_str space = o->values[MPG_KUBE_namespace].s;
  mpg_rc rc;
  if (space.n == 0)
    return MPG_OK;
  o->copies[MPG_KUBE_job].n = 0;
  rc = mpg_kube_keep(o, MPG_KUBE_job, space);
  if (rc == MPG_OK)
    rc = mpg_kube_keep(o, MPG_KUBE_job, MPG_STR("/"));
  if (rc == MPG_OK)
    rc = mpg_kube_keep(o, MPG_KUBE_job, job_name(o));
  return rc == MPG_OK ? MPG_OK : mpg_fail_nomem(err);
}

/* The first label of several that is there. */
static void set_first_label(mpg_kube_object *o, size_t field, const char *const *keys, size_t n) {
  for (size_t i = 0; i < n && o->values[field].type == MPG_NULL; i++)
    set_text(o, field, MPG_KUBE_LABELS, keys[i]);
}

static void give_labels(mpg_kube_object *o) {
  static const char *const pools[] = {"cloud.google.com/gke-nodepool",
                                      "eks.amazonaws.com/nodegroup",
                                      "kubernetes.azure.com/agentpool",
                                      "karpenter.sh/nodepool",
                                      "agentpool",
                                      "node.kubernetes.io/instance-type"};
  /* Those of CoreWeave and Nebius come last: "H200" stands for no chip, and their machine types
  ** do. */
  static const char *const products[] = {"nvidia.com/gpu.product",
                                         "amd.com/gpu.product-name",
                                         "beta.amd.com/gpu.product-name",
                                         "aliyun.accelerator/nvidia_name",
                                         "machine.cluster.vke.volcengine.com/gpu-name",
                                         "node.kubernetes.io/npu.chip.name",
                                         "hygon.com/dcu.name",
                                         "cloud.google.com/gke-accelerator",
                                         "cloud.google.com/gke-tpu-accelerator",
                                         "node.kubernetes.io/instance-type",
                                         "gpu.nvidia.com/model",
                                         "nebius.com/gpu-name"};
  static const char *const queues[] = {"kueue.x-k8s.io/queue-name"};
  set_first_label(o, MPG_KUBE_pool, pools, sizeof pools / sizeof *pools);
  set_first_label(o, MPG_KUBE_product, products, sizeof products / sizeof *products);
  set_first_label(o, MPG_KUBE_queue, queues, 1);
}

/* ---- Conditions and containers ---- */

typedef struct condition {
  const char *type;
  size_t time, reason; /* of one that is True; 0 (event): not wanted */
  bool success;
} condition;

static const condition conditions[] = {
    {"PodScheduled", MPG_KUBE_scheduled, 0, false},
    {"DisruptionTarget", 0, MPG_KUBE_disruption, false},
    {"QuotaReserved", MPG_KUBE_quota_reserved, 0, false},
    {"Admitted", MPG_KUBE_admitted, 0, false},
    {"PodsReady", MPG_KUBE_pods_ready, 0, false},
    {"Evicted", MPG_KUBE_evicted, MPG_KUBE_evicted_reason, false},
    {"Requeued", MPG_KUBE_requeued, 0, false},
    {"Finished", MPG_KUBE_finished, MPG_KUBE_finished_reason, false},
    /* Job; JobSet; Kubeflow's */
    {"Complete", MPG_KUBE_finished, MPG_KUBE_finished_reason, true},
    {"Completed", MPG_KUBE_finished, MPG_KUBE_finished_reason, true},
    {"Succeeded", MPG_KUBE_finished, MPG_KUBE_finished_reason, true},
    {"Failed", MPG_KUBE_finished, MPG_KUBE_finished_reason, false},
};

static mpg_rc read_condition(mpg_kube_object *o, mpg_err *err) {
  const mpg_kube_level *c = &o->levels[MPG_KUBE_B];
  mpg_str type = mpg_kube_string(c, "type"), state = mpg_kube_string(c, "status");
  mpg_rc rc = MPG_OK;
  if (mpg_str_eq(type, MPG_STR("Ready"))) {
    rc = copy_text(o, MPG_KUBE_ready, MPG_KUBE_B, "status", err);
    /* Volcano says so of a pod that it is about to delete. */
    if (rc == MPG_OK && mpg_str_eq(mpg_kube_string(c, "reason"), MPG_STR("Evict")) &&
        o->values[MPG_KUBE_disruption].type == MPG_NULL)
      mpg_kube_give_text(o, MPG_KUBE_disruption, MPG_STR("Evict"));
    return rc != MPG_OK ? rc
                        : time_of(o, MPG_KUBE_ready_time, MPG_KUBE_B, "lastTransitionTime", err);
  }
  if (!mpg_str_eq(state, MPG_STR("True")))
    return MPG_OK;
  /* Kueue before 0.9 gave no reason but "JobFinished"; its message has it. */
  o->succeeded |= mpg_str_eq(type, MPG_STR("Finished")) &&
                  mpg_kube_contains(mpg_kube_string(c, "message"), "success");
  for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++) {
    if (!mpg_str_eq(type, mpg_str_of(conditions[i].type)))
      continue;
    if (conditions[i].reason != 0)
      rc = copy_text(o, conditions[i].reason, MPG_KUBE_B, "reason", err);
    o->succeeded |= conditions[i].success;
    if (rc == MPG_OK && conditions[i].time != 0)
      rc = time_of(o, conditions[i].time, MPG_KUBE_B, "lastTransitionTime", err);
  }
  return rc;
}

static mpg_rc read_conditions(mpg_kube_object *o, mpg_err *err) {
  const mpg_kube_level *list = &o->levels[MPG_KUBE_A];
  mpg_rc rc = mpg_kube_open_level(o, MPG_KUBE_A,
                                  mpg_kube_find(&o->levels[MPG_KUBE_STATUS], "conditions"), err);
  for (size_t i = 0; rc == MPG_OK && i < list->n; i++) {
    rc = mpg_kube_open_level(o, MPG_KUBE_B, &list->m[i], err);
    if (rc == MPG_OK)
      rc = read_condition(o, err);
  }
  return rc;
}

/* A Job of Volcano's has one state, instead of conditions. */
static mpg_rc read_state_of_volcano(mpg_kube_object *o, mpg_err *err) {
  static const char *const ends[] = {"Completed", "Failed", "Terminated", "Aborted"};
  mpg_rc rc =
      mpg_kube_open_level(o, MPG_KUBE_A, mpg_kube_find(&o->levels[MPG_KUBE_STATUS], "state"), err);
  mpg_str phase = mpg_kube_string(&o->levels[MPG_KUBE_A], "phase");
  for (size_t i = 0; rc == MPG_OK && i < sizeof ends / sizeof *ends; i++) {
    if (!mpg_str_eq(phase, mpg_str_of(ends[i])))
      continue;
    o->succeeded = i == 0;
    mpg_kube_give_text(o, MPG_KUBE_finished_reason, mpg_str_of(ends[i]));
    rc = time_of(o, MPG_KUBE_finished, MPG_KUBE_A, "lastTransitionTime", err);
  }
  return rc;
}

/* So does a RayJob: of what Ray says, and when KubeRay saw it. */
static mpg_rc read_state_of_ray(mpg_kube_object *o, mpg_err *err) {
  mpg_str state = mpg_kube_string(&o->levels[MPG_KUBE_STATUS], "jobStatus"),
          cause = mpg_kube_string(&o->levels[MPG_KUBE_STATUS], "reason");
  o->succeeded = mpg_str_eq(state, MPG_STR("SUCCEEDED"));
  mpg_kube_give_text(o, MPG_KUBE_finished_reason, cause.n > 0 ? cause : state);
  return time_of(o, MPG_KUBE_finished, MPG_KUBE_STATUS, "endTime", err);
}

/* The outcome of a pod's containers together. */
typedef struct containers {
  bool any, all_ended;
  int64_t started, ended, restarts; /* 0: unknown */
} containers;

/* A running or terminated state: when it began and ended. */
static mpg_rc read_state(mpg_kube_object *o, containers *sum, const char *which, bool current,
                         mpg_err *err) {
  mpg_kube_level *state = &o->levels[MPG_KUBE_C], *phase = &o->levels[MPG_KUBE_D];
  static const char *const kinds[] = {"running", "terminated", "waiting"};
  mpg_rc rc = mpg_kube_open_level(o, MPG_KUBE_C, mpg_kube_find(&o->levels[MPG_KUBE_B], which), err);
  bool ended = false;
  for (int kind = 0; rc == MPG_OK && kind < 3; kind++) {
    mpg_str started, finished;
    int64_t seconds;
    rc = mpg_kube_open_level(o, MPG_KUBE_D, mpg_kube_find(state, kinds[kind]), err);
    if (rc != MPG_OK || phase->n == 0)
      continue;
    if (kind == 2) {
      if (current && o->values[MPG_KUBE_exit_reason].type == MPG_NULL)
        rc = copy_text(o, MPG_KUBE_exit_reason, MPG_KUBE_D, "reason", err);
      continue;
    }
    started = mpg_kube_string(phase, "startedAt");
    finished = mpg_kube_string(phase, "finishedAt");
    if (started.n > 0) {
      rc = read_time(o, "startedAt", started, &seconds, err);
      if (rc == MPG_OK && seconds > 0 && (sum->started == 0 || seconds < sum->started))
        sum->started = seconds;
    }
    if (rc == MPG_OK && kind == 1 && current) {
      const mpg_value *code = &o->values[MPG_KUBE_exit_code];
      ended = true;
      /* The first that failed decides; if none did, all agree. */
      if (code->type == MPG_NULL || code->i == 0) {
        set_count(o, MPG_KUBE_exit_code, MPG_KUBE_D, "exitCode");
        rc = copy_text(o, MPG_KUBE_exit_reason, MPG_KUBE_D, "reason", err);
      }
      if (rc == MPG_OK && finished.n > 0)
        rc = read_time(o, "finishedAt", finished, &seconds, err);
      if (rc == MPG_OK && finished.n > 0 && seconds > sum->ended)
        sum->ended = seconds;
    }
  }
  if (current)
    sum->all_ended &= ended;
  return rc;
}

static mpg_rc read_containers(mpg_kube_object *o, mpg_err *err) {
  const mpg_kube_level *list = &o->levels[MPG_KUBE_A];
  containers sum = {false, true, 0, 0, 0};
  mpg_rc rc = mpg_kube_open_level(
      o, MPG_KUBE_A, mpg_kube_find(&o->levels[MPG_KUBE_STATUS], "containerStatuses"), err);
  for (size_t i = 0; rc == MPG_OK && i < list->n; i++) {
    const mpg_json_member *restarts;
    int64_t n;
    rc = mpg_kube_open_level(o, MPG_KUBE_B, &list->m[i], err);
    if (rc != MPG_OK)
      break;
    restarts = mpg_kube_find(&o->levels[MPG_KUBE_B], "restartCount");
    if (restarts != NULL && mpg_int_parse(restarts->text, &n) && n >= 0 && n < INT32_MAX)
      sum.restarts += n;
    sum.any = true;
    rc = read_state(o, &sum, "state", true, err);
    if (rc == MPG_OK)
      rc = read_state(o, &sum, "lastState", false, err);
  }
  if (rc != MPG_OK || !sum.any)
    return rc;
  mpg_kube_give_int(o, MPG_KUBE_restarts, sum.restarts);
  if (sum.started > 0)
    mpg_kube_give_int(o, MPG_KUBE_started, sum.started);
  if (sum.all_ended && sum.ended > 0)
    mpg_kube_give_int(o, MPG_KUBE_finished, sum.ended);
  return MPG_OK;
}

/* ---- A Workload's admission ---- */

/* The flavor of the first accelerator that was assigned. */
static mpg_rc read_admission(mpg_kube_object *o, mpg_err *err) {
  const mpg_kube_level *sets = &o->levels[MPG_KUBE_B], *flavors = &o->levels[MPG_KUBE_D];
  mpg_rc rc = mpg_kube_open_level(o, MPG_KUBE_A,
                                  mpg_kube_find(&o->levels[MPG_KUBE_STATUS], "admission"), err);
  if (rc == MPG_OK)
    rc = mpg_kube_open_level(o, MPG_KUBE_B,
                             mpg_kube_find(&o->levels[MPG_KUBE_A], "podSetAssignments"), err);
  if (rc == MPG_OK)
    rc = copy_text(o, MPG_KUBE_clusterQueue, MPG_KUBE_A, "clusterQueue", err);
  for (size_t i = 0; rc == MPG_OK && i < sets->n; i++) {
    rc = mpg_kube_open_level(o, MPG_KUBE_C, &sets->m[i], err);
    if (rc == MPG_OK)
      rc =
          mpg_kube_open_level(o, MPG_KUBE_D, mpg_kube_find(&o->levels[MPG_KUBE_C], "flavors"), err);
    for (size_t j = 0; rc == MPG_OK && j < flavors->n; j++)
      for (size_t a = 0; a < o->amounts.n; a++)
        if (mpg_str_eq(flavors->m[j].key, mpg_str_of(o->amounts.of[a].name)) &&
            o->values[MPG_KUBE_flavor].type == MPG_NULL)
          rc = copy_text(o, MPG_KUBE_flavor, MPG_KUBE_D, o->amounts.of[a].name, err);
  }
  return rc;
}

/* ---- An Event: what it is about, and when ---- */

/* The first of several times of an Event that is there. */
static mpg_rc first_time(mpg_kube_object *o, size_t field, const char *const *keys, size_t n,
                         mpg_err *err) {
  mpg_rc rc = MPG_OK;
  for (size_t i = 0; rc == MPG_OK && i < n && o->values[field].type == MPG_NULL; i++)
    rc = time_of(o, field, MPG_KUBE_TOP, keys[i], err);
  return rc;
}

/* Of v1, and by other names of events.k8s.io/v1: a series of it has a count and a last time. */
static mpg_rc read_event(mpg_kube_object *o, mpg_err *err) {
  static const char *const firsts[] = {"firstTimestamp", "deprecatedFirstTimestamp", "eventTime"};
  static const char *const lasts[] = {"lastTimestamp", "deprecatedLastTimestamp", "eventTime"};
  static const char *const counts[] = {"count", "deprecatedCount"};
  static const char *const abouts[] = {"involvedObject", "regarding"};
  mpg_rc rc =
      mpg_kube_open_level(o, MPG_KUBE_A, mpg_kube_find(&o->levels[MPG_KUBE_TOP], "series"), err);
  o->values[MPG_KUBE_job].type = MPG_NULL; /* the job is of what it is about */
  set_text(o, MPG_KUBE_event_type, MPG_KUBE_TOP, "type");
  set_text(o, MPG_KUBE_reason, MPG_KUBE_TOP, "reason");
  set_text(o, MPG_KUBE_message, MPG_KUBE_TOP, "message");
  if (o->values[MPG_KUBE_message].type == MPG_NULL)
    set_text(o, MPG_KUBE_message, MPG_KUBE_TOP, "note");
  for (size_t i = 0; i < 2 && o->values[MPG_KUBE_involvedObject].type == MPG_NULL; i++)
    set_raw(o, MPG_KUBE_involvedObject, MPG_KUBE_TOP, abouts[i]);
  if (rc == MPG_OK)
    rc = time_of(o, MPG_KUBE_lastTimestamp, MPG_KUBE_A, "lastObservedTime", err);
  set_count(o, MPG_KUBE_count, MPG_KUBE_A, "count");
  for (size_t i = 0; i < 2 && o->values[MPG_KUBE_count].type == MPG_NULL; i++)
    set_count(o, MPG_KUBE_count, MPG_KUBE_TOP, counts[i]);
  if (rc == MPG_OK)
    rc = first_time(o, MPG_KUBE_firstTimestamp, firsts, 3, err);
  return rc == MPG_OK ? first_time(o, MPG_KUBE_lastTimestamp, lasts, 3, err) : rc;
}

/* ---- All of it ---- */

static mpg_rc open_all(mpg_kube_object *o, mpg_err *err) {
  static const struct {
    int level, in;
    const char *key;
  } all[] = {{MPG_KUBE_METADATA, MPG_KUBE_TOP, "metadata"},
             {MPG_KUBE_LABELS, MPG_KUBE_METADATA, "labels"},
             {MPG_KUBE_SPEC, MPG_KUBE_TOP, "spec"},
             {MPG_KUBE_STATUS, MPG_KUBE_TOP, "status"}};
  mpg_rc rc = MPG_OK;
  for (size_t i = 0; rc == MPG_OK && i < sizeof all / sizeof *all; i++)
    rc =
        mpg_kube_open_level(o, all[i].level, mpg_kube_find(&o->levels[all[i].in], all[i].key), err);
  return rc;
}

static mpg_rc read_own_of_kind(mpg_kube_object *o, mpg_err *err) {
  return mpg_kube_is(o, MPG_KUBE_kind, "Workload") ? read_admission(o, err)
         : mpg_kube_is(o, MPG_KUBE_kind, "Event")  ? read_event(o, err)
                                                   : MPG_OK;
}

/* Neither kind nor metadata: what it has instead. */
static mpg_rc no_object(const mpg_kube_object *o, mpg_err *err) {
  const mpg_kube_level *top = &o->levels[MPG_KUBE_TOP];
  char first[MPG_EXCERPT] = "";
  if (top->n > 0)
    mpg_text_excerpt(top->m[0].key, first);
  return mpg_fail(err, MPG_DATA,
                  "%s:%lld:1: expected an object of Kubernetes with \"kind\" and \"metadata\", "
                  "found one with \"%s\"%s",
                  o->path, (long long)o->line, first,
                  mpg_kube_find(top, "resourceSpans") != NULL ? " (OTLP: read it with otlp_trace)"
                  : mpg_kube_find(top, "data") != NULL && mpg_kube_find(top, "status") != NULL
                      ? " (of Prometheus: read it with prometheus_trace)"
                      : "");
}

/* What any object may have, as it is written. */
static void set_fields(mpg_kube_object *o) {
  set_text(o, MPG_KUBE_namespace, MPG_KUBE_METADATA, "namespace");
  set_text(o, MPG_KUBE_name, MPG_KUBE_METADATA, "name");
  set_text(o, MPG_KUBE_uid, MPG_KUBE_METADATA, "uid");
  set_text(o, MPG_KUBE_resourceVersion, MPG_KUBE_METADATA, "resourceVersion");
  set_raw(o, MPG_KUBE_labels, MPG_KUBE_METADATA, "labels");
  set_raw(o, MPG_KUBE_annotations, MPG_KUBE_METADATA, "annotations");
  set_raw(o, MPG_KUBE_ownerReferences, MPG_KUBE_METADATA, "ownerReferences");
  set_raw(o, MPG_KUBE_spec, MPG_KUBE_TOP, "spec");
  set_raw(o, MPG_KUBE_status, MPG_KUBE_TOP, "status");
  set_raw(o, MPG_KUBE_conditions, MPG_KUBE_STATUS, "conditions");
  set_text(o, MPG_KUBE_phase, MPG_KUBE_STATUS, "phase");
  set_text(o, MPG_KUBE_reason, MPG_KUBE_STATUS, "reason");
  set_text(o, MPG_KUBE_message, MPG_KUBE_STATUS, "message");
  set_text(o, MPG_KUBE_nodeName, MPG_KUBE_SPEC, "nodeName");
  set_count(o, MPG_KUBE_priority, MPG_KUBE_SPEC, "priority");
  set_count(o, MPG_KUBE_suspend, MPG_KUBE_SPEC, "suspend");
  give_labels(o);
  if (mpg_kube_is(o, MPG_KUBE_kind, "Workload"))
    set_text(o, MPG_KUBE_queue, MPG_KUBE_SPEC, "queueName");
  if (mpg_kube_is(o, MPG_KUBE_kind, "Node")) {
    mpg_kube_give_int(o, MPG_KUBE_unschedulable, 0);
    set_count(o, MPG_KUBE_unschedulable, MPG_KUBE_SPEC, "unschedulable");
  }
}

static mpg_rc set_times(mpg_kube_object *o, mpg_err *err) {
  mpg_rc rc = time_of(o, MPG_KUBE_creationTimestamp, MPG_KUBE_METADATA, "creationTimestamp", err);
  if (rc == MPG_OK)
    rc = time_of(o, MPG_KUBE_deletionTimestamp, MPG_KUBE_METADATA, "deletionTimestamp", err);
  if (rc == MPG_OK)
    rc = time_of(o, MPG_KUBE_startTime, MPG_KUBE_STATUS, "startTime", err);
  if (rc == MPG_OK)
    rc = time_of(o, MPG_KUBE_completionTime, MPG_KUBE_STATUS, "completionTime", err);
  return rc;
}

mpg_rc mpg_kube_decode(mpg_kube_object *o, mpg_str event, mpg_str kind, mpg_err *err) {
  const char *outcome;
  mpg_rc rc;
  memset(o->values, 0, sizeof o->values);
  o->succeeded = false;
  rc = open_all(o, err);
  if (rc != MPG_OK)
    return rc;
  mpg_kube_give_text(o, MPG_KUBE_event, event);
  set_text(o, MPG_KUBE_apiVersion, MPG_KUBE_TOP, "apiVersion");
  set_text(o, MPG_KUBE_kind, MPG_KUBE_TOP, "kind");
  if (o->values[MPG_KUBE_kind].type == MPG_NULL)
    mpg_kube_give_text(o, MPG_KUBE_kind, kind);
  if (o->values[MPG_KUBE_kind].type == MPG_NULL && /* of exporters of Events */
      mpg_kube_find(&o->levels[MPG_KUBE_TOP], "involvedObject") != NULL)
    mpg_kube_give_text(o, MPG_KUBE_kind, MPG_STR("Event"));
  if (o->values[MPG_KUBE_kind].type == MPG_NULL || o->levels[MPG_KUBE_METADATA].n == 0)
    return no_object(o, err);
  set_fields(o);
  rc = set_times(o, err);
  if (rc == MPG_OK)
    rc = read_owner(o, err);
  if (rc == MPG_OK)
    rc = give_job(o, err);
  if (rc == MPG_OK)
    rc = mpg_kube_is_volcano(o)                    ? read_state_of_volcano(o, err)
         : mpg_kube_is(o, MPG_KUBE_kind, "RayJob") ? read_state_of_ray(o, err)
                                                   : read_conditions(o, err);
  if (rc == MPG_OK && mpg_kube_is(o, MPG_KUBE_kind, "Pod"))
    rc = read_containers(o, err);
  if (rc == MPG_OK)
    rc = mpg_kube_count_chips(o, err);
  if (rc == MPG_OK)
    rc = read_own_of_kind(o, err);
  if (rc == MPG_OK && (outcome = mpg_kube_outcome(o)) != NULL)
    mpg_kube_give_text(o, MPG_KUBE_outcome, mpg_str_of(outcome));
  return rc;
}
