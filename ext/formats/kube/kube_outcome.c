/* kube_outcome.c - how a pod, a Workload or a job ended: see kube_object.h. */
#include "kube_object.h"
#include "../../base/number.h"

#include <string.h>

typedef struct word {
  const char *reason, *outcome;
} word;

static const char *outcome_of(const mpg_kube_object *o, size_t field, const word *words, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (mpg_kube_is(o, field, words[i].reason))
      return words[i].outcome;
  return NULL;
}

/* Reasons of a pod's condition DisruptionTarget. Source: "Disruptions", Pod disruption
** conditions, of the Kubernetes documentation. */
static const word disruptions[] = {
    {"PreemptionByScheduler", "preempted"},
    {"PreemptionByKubeScheduler", "preempted"},
    {"DeletionByTaintManager", "node_fail"},
    {"EvictionByEvictionAPI", "preempted"},
    {"DeletionByPodGC", "node_fail"},
    {"StoppedByKueue", "preempted"},
    {"Evict", "preempted"},                        /* by Volcano */
    {"DeletionByDeviceTaintManager", "node_fail"}, /* a device of its claims (DRA) */
};

/* status.reason of a pod that the kubelet or a controller ended. */
static const word pod_reasons[] = {
    {"Evicted", "preempted"},        {"Preempting", "preempted"},   {"NodeLost", "node_fail"},
    {"Shutdown", "node_fail"},       {"NodeShutdown", "node_fail"}, {"Terminated", "node_fail"},
    {"DeadlineExceeded", "timeout"},
};

/* Why Kueue evicted a Workload, from apis/kueue/v1beta2/workload_types.go. Before 0.10 what is
** deactivated was inactive. */
static const word evictions[] = {
    {"Preempted", "preempted"},
    {"PodsReadyTimeout", "timeout"},
    {"AdmissionCheck", "preempted"},
    {"ClusterQueueStopped", "preempted"},
    {"LocalQueueStopped", "preempted"},
    {"NodeFailures", "node_fail"},
    {"DeactivatedDueToMaximumExecutionTimeExceeded", "timeout"},
    {"DeactivatedDueToRequeuingLimitExceeded", "failed"},
    {"InactiveWorkloadRequeuingLimitExceeded", "failed"},
};

/* A pod whose containers ended well because they were told to: the kubelet calls it Succeeded, too.
** Its deletion was asked for its grace period before its time. */
static bool ended_by_deletion(const mpg_kube_object *o) {
  const mpg_json_member *m =
      mpg_kube_find(&o->levels[MPG_KUBE_METADATA], "deletionGracePeriodSeconds");
  const mpg_value *deletion = &o->values[MPG_KUBE_deletionTimestamp],
                  *finished = &o->values[MPG_KUBE_finished];
  int64_t grace = 0;
  if (m != NULL && (!mpg_int_parse(m->text, &grace) || grace < 0 || grace > INT32_MAX))
    grace = 0;
  return deletion->type != MPG_NULL && finished->type != MPG_NULL &&
         finished->i > deletion->i - grace;
}

static const char *of_pod(const mpg_kube_object *o) {
  const char *found =
      outcome_of(o, MPG_KUBE_disruption, disruptions, sizeof disruptions / sizeof *disruptions);
  bool failed = mpg_kube_is(o, MPG_KUBE_phase, "Failed");
  bool deleted = o->values[MPG_KUBE_deletionTimestamp].type != MPG_NULL ||
                 mpg_kube_is(o, MPG_KUBE_event, "DELETED");
  if (mpg_kube_is(o, MPG_KUBE_phase, "Succeeded") && !ended_by_deletion(o))
    return "completed";
  if (!failed && !deleted)
    return NULL;
  if (found == NULL)
    found = outcome_of(o, MPG_KUBE_reason, pod_reasons, sizeof pod_reasons / sizeof *pod_reasons);
  if (found != NULL)
    return found;
  /* If the reason is one of those above, the kubelet gave it, and it says whether the node was shut
  ** down. */
  if (mpg_kube_is(o, MPG_KUBE_disruption, "TerminationByKubelet"))
    return "preempted";
  return failed ? "failed" : "cancelled";
}

static const char *of_workload(const mpg_kube_object *o) {
  const char *found;
  if (o->values[MPG_KUBE_finished].type != MPG_NULL)
    return mpg_kube_is(o, MPG_KUBE_finished_reason, "Succeeded") || o->succeeded ? "completed"
           : mpg_kube_is(o, MPG_KUBE_finished_reason, "WorkloadSliceReplaced")   ? "preempted"
                                                                                 : "failed";
  if (o->values[MPG_KUBE_evicted].type == MPG_NULL)
    return NULL;
  found = outcome_of(o, MPG_KUBE_evicted_reason, evictions, sizeof evictions / sizeof *evictions);
  if (found != NULL)
    return found;
  return mpg_kube_contains(o->values[MPG_KUBE_evicted_reason].s, "Deactivated") ||
                 mpg_kube_contains(o->values[MPG_KUBE_evicted_reason].s, "InactiveWorkload")
             ? "cancelled"
             : "preempted";
}

const char *mpg_kube_outcome(const mpg_kube_object *o) {
  if (mpg_kube_is(o, MPG_KUBE_kind, "Node"))
    return NULL;
  if (mpg_kube_is(o, MPG_KUBE_kind, "Pod"))
    return of_pod(o);
  if (mpg_kube_is(o, MPG_KUBE_kind, "Workload"))
    return of_workload(o);
  if (o->values[MPG_KUBE_finished].type == MPG_NULL)
    return NULL;
  if (o->succeeded)
    return "completed";
  return mpg_kube_is(o, MPG_KUBE_finished_reason, "DeadlineExceeded") ? "timeout"
         : mpg_kube_is(o, MPG_KUBE_finished_reason, "Aborted")        ? "cancelled"
         : mpg_kube_is(o, MPG_KUBE_finished_reason, "STOPPED")        ? "cancelled"
                                                                      : "failed";
}
