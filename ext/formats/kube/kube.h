/*
** kube.h - objects of the Kubernetes API as kubectl prints them: "kubectl get ... -o json", and
** watches.
**
** A stream holds, in any mix and any number: lists (kind List, PodList, ...), whose items are
** streamed; objects one after the other (kubectl get -w -o json, JSON Lines); events of a watch,
** {"type": "MODIFIED", "object": {...}} (--output-watch-events, or the API's own watch); the API's
** Events as exporters of them and Cloud Logging write them; and arrays of these. Every version of
** an object is one object here.
**
** An object is taken whole (64 MiB at most, where etcd stores 1.5 MiB), and its fields are decoded.
** Errors are "PATH:LINE:COLUMN: ...": other JSON, YAML, kubectl's table, the Status that the API
** server sends instead of objects, and a list that is one page of several. A file that ends within
** a document is still being written if a whole document came before (issue unfinished_record); else
** that is an error.
**
** Sources of names: k8s.io/api (core/v1, events/v1, batch/v1, resource/v1),
** k8s.io/apimachinery meta/v1, sigs.k8s.io/kueue apis/kueue/v1beta2, sigs.k8s.io/jobset,
** Kubeflow's training operator.
*/
#ifndef MPG_KUBE_H
#define MPG_KUBE_H

#include "../../read/parse/json_walker.h"
#include "../../base/issues.h"

typedef enum mpg_kube_type {
  MPG_KUBE_TEXT,
  MPG_KUBE_TIME, /* Unix seconds */
  MPG_KUBE_COUNT,
  MPG_KUBE_CHIPS /* a real: of a shared chip a fraction */
} mpg_kube_type;

/* clang-format off */
/* Fields of an object, in the order of the columns. docs/formats/kube.md says their source. */
#define MPG_KUBE_FIELDS(F)                                                                         \
  F(event, TEXT) F(apiVersion, TEXT) F(kind, TEXT) F(namespace, TEXT) F(name, TEXT) F(uid, TEXT)   \
  F(resourceVersion, TEXT) F(creationTimestamp, TIME) F(deletionTimestamp, TIME)                   \
  F(owner_kind, TEXT) F(owner_name, TEXT) F(job, TEXT) F(queue, TEXT) F(priority, COUNT)           \
  F(phase, TEXT) F(reason, TEXT) F(message, TEXT) F(nodeName, TEXT) F(pool, TEXT)                  \
  F(product, TEXT) F(resource, TEXT) F(chips, CHIPS) F(min_chips, CHIPS) F(allocatable, CHIPS)     \
  F(share, CHIPS) F(resources, TEXT) F(claims, TEXT) F(pods, COUNT) F(flavor, TEXT)                \
  F(clusterQueue, TEXT)                                                                            \
  F(startTime, TIME) F(completionTime, TIME) F(scheduled, TIME) F(ready, TEXT)                     \
  F(ready_time, TIME) F(disruption, TEXT) F(quota_reserved, TIME) F(admitted, TIME)                \
  F(pods_ready, TIME) F(evicted, TIME) F(evicted_reason, TEXT) F(requeued, TIME)                   \
  F(started, TIME) F(finished, TIME) F(finished_reason, TEXT) F(outcome, TEXT)                     \
  F(exit_code, COUNT) F(exit_reason, TEXT) F(restarts, COUNT) F(unschedulable, COUNT)              \
  F(suspend, COUNT)                                                                                \
  F(conditions, TEXT) F(labels, TEXT) F(annotations, TEXT) F(ownerReferences, TEXT)                \
  F(spec, TEXT) F(status, TEXT)                                                                    \
  F(event_type, TEXT) F(involvedObject, TEXT) F(firstTimestamp, TIME) F(lastTimestamp, TIME)       \
  F(count, COUNT) F(list, COUNT)
/* clang-format on */

#define MPG_KUBE_ENUM(name, type) MPG_KUBE_##name,
enum { MPG_KUBE_FIELDS(MPG_KUBE_ENUM) MPG_KUBE_COUNT_OF_FIELDS };

typedef struct mpg_kube mpg_kube;

/* Stream and issues (NULL: uncounted) are borrowed and must outlive the reader. Nothing is read
** yet. */
mpg_rc mpg_kube_open(mpg_kube **out, const mpg_env *env, mpg_stream *stream, mpg_issues *issues,
                     mpg_err *err);
void mpg_kube_close(mpg_kube *kube); /* NULL is fine */

/* The next object; MPG_DONE at the end. After MPG_DATA the next call continues after the faulty
** object. Pointers into an object are valid until the next call. */
mpg_rc mpg_kube_next(mpg_kube *kube, mpg_err *err);

int64_t mpg_kube_line(const mpg_kube *kube); /* where the current object begins */
/* Field i; MPG_NULL if the object lacks it. */
const mpg_value *mpg_kube_get(const mpg_kube *kube, size_t field);

#endif
