/*
** kube_pods.c - the chips that an object requests or has: see kube_object.h.
**
** A pod's request is computed as by Kubernetes: the sum of its containers and sidecars, or of an
** init container and the sidecars before it, whichever is more. The request of an extended resource
** is its limit.
*/
#include "kube_chips.h"
#include "kube_object.h"
#include "../../base/number.h"
#include "../../base/text.h"

#include <stdio.h>
#include <string.h>

#define RESOURCE_WORK 16        /* of one name, which is compared with all that are known */
#define MOST (INT64_C(1) << 50) /* millionths of a chip: a billion chips */

/* ---- Amounts ---- */

static mpg_rc too_many(const mpg_kube_object *o, mpg_err *err) {
  return mpg_fail(err, MPG_DATA, "%s:%lld:1: expected a number of chips, found too many", o->path,
                  (long long)o->line);
}

/* The amount under a name, which is added if there is room; NULL: there is none. */
static mpg_kube_amount *amount_of(mpg_kube_amounts *amounts, mpg_str name) {
  mpg_kube_amount *a;
  for (size_t i = 0; i < amounts->n; i++)
    if (mpg_str_eq(name, mpg_str_of(amounts->of[i].name)))
      return &amounts->of[i];
  if (amounts->n == MPG_KUBE_RESOURCES || name.n >= sizeof a->name)
    return NULL;
  a = &amounts->of[amounts->n++];
  memcpy(a->name, name.p, name.n);
  a->name[name.n] = '\0';
  a->chips = 0;
  return a;
}

static mpg_rc note_resource(const mpg_kube_object *o, const char *kind, mpg_str name,
                            const char *what, mpg_err *err) {
  char text[MPG_EXCERPT + 128];
  int n = snprintf(text, sizeof text, "%.*s: %s", (int)(name.n < 60 ? name.n : 60), name.p, what);
  return mpg_kube_note(o, MPG_WARNING, kind, (mpg_str){text, (size_t)n}, err);
}

/* Adds the accelerators of a list of resources, {"nvidia.com/gpu": "8", "cpu": "4"}, open as level
** AMOUNTS. */
static mpg_rc add_list(mpg_kube_object *o, mpg_kube_amounts *to, mpg_err *err) {
  const mpg_kube_level *list = &o->levels[MPG_KUBE_AMOUNTS];
  bool neuron = mpg_kube_find(list, "aws.amazon.com/neuron") != NULL;
  for (size_t i = 0; i < list->n; i++) {
    const mpg_json_member *m = &list->m[i];
    int64_t unit = 0, quantity = 0;
    mpg_kube_unit of = mpg_kube_resource(m->key, &unit);
    mpg_kube_amount *a;
    mpg_rc rc = MPG_OK;
    if (mpg_poller_stop(&o->poller, RESOURCE_WORK))
      return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
    /* The older name of the same devices; the plugin offers both. */
    if (of == MPG_KUBE_NO_CHIP ||
        (neuron && mpg_str_eq(m->key, MPG_STR("aws.amazon.com/neurondevice"))))
      continue;
    if ((m->kind != MPG_JSON_STRING && m->kind != MPG_JSON_NUMBER) ||
        !mpg_kube_quantity(m->text, &quantity) || quantity < 0 || quantity > MOST / 1000)
      return mpg_kube_unexpected(o, "quantity", "a number of chips", m->text, err);
    if (quantity == 0)
      continue;
    a = of == MPG_KUBE_NOT_A_CHIP ? NULL : amount_of(to, m->key);
    if (a != NULL)
      a->chips += (int64_t)((mpg_i128)quantity * unit / 1000000);
    if (of == MPG_KUBE_GUESS)
      rc = note_resource(o, "guessed_share", m->key,
                         "counted as 1/7 of a chip; of a GPU of 4 slices it is 1/4", err);
    /* Nodes offer devices under several names at once; HAMi says in an annotation what is held. */
    else if (a == NULL && !mpg_kube_is(o, MPG_KUBE_kind, "Node") &&
             !mpg_kube_contains(o->values[MPG_KUBE_annotations].s, "\"hami.io/vgpu-devices-alloc"))
      rc = note_resource(o, "uncounted_resource", m->key,
                         "not counted: its share of a chip is not known", err);
    if (rc != MPG_OK)
      return rc;
    if (a != NULL && a->chips > MOST)
      return too_many(o, err);
  }
  return MPG_OK;
}

/* ---- A pod's need ---- */

typedef struct need {
  mpg_kube_amounts together, sidecars, peak;
} need;

/* Opens the requests of what is open as level CONTAINER as level AMOUNTS. */
static mpg_rc open_requests(mpg_kube_object *o, const char *key, mpg_err *err) {
  const mpg_kube_level *resources = &o->levels[MPG_KUBE_REQUESTS];
  const mpg_json_member *limits;
  mpg_rc rc = mpg_kube_open_level(o, MPG_KUBE_REQUESTS,
                                  mpg_kube_find(&o->levels[MPG_KUBE_CONTAINER], key), err);
  if (rc != MPG_OK)
    return rc;
  limits = mpg_kube_find(resources, "limits");
  return mpg_kube_open_level(o, MPG_KUBE_AMOUNTS,
                             limits != NULL ? limits : mpg_kube_find(resources, "requests"), err);
}

static mpg_rc add_containers(mpg_kube_object *o, const char *key, need *n, mpg_err *err) {
  const mpg_kube_level *list = &o->levels[MPG_KUBE_CONTAINERS];
  bool init = strcmp(key, "initContainers") == 0;
  mpg_rc rc = mpg_kube_open_level(o, MPG_KUBE_CONTAINERS,
                                  mpg_kube_find(&o->levels[MPG_KUBE_POD], key), err);
  for (size_t i = 0; rc == MPG_OK && i < list->n; i++) {
    mpg_kube_amounts one;
    bool sidecar;
    one.n = 0;
    rc = mpg_kube_open_level(o, MPG_KUBE_CONTAINER, &list->m[i], err);
    if (rc == MPG_OK)
      rc = open_requests(o, "resources", err);
    if (rc == MPG_OK)
      rc = add_list(o, &one, err);
    sidecar = init && mpg_str_eq(mpg_kube_string(&o->levels[MPG_KUBE_CONTAINER], "restartPolicy"),
                                 MPG_STR("Always"));
    for (size_t j = 0; rc == MPG_OK && j < one.n; j++) {
      mpg_str name = mpg_str_of(one.of[j].name);
      mpg_kube_amount *sum = amount_of(init ? &n->sidecars : &n->together, name);
      mpg_kube_amount *peak = amount_of(&n->peak, name);
      if (sum == NULL || peak == NULL)
        continue;
      if (!init || sidecar)
        sum->chips += one.of[j].chips;
      if (init && sum->chips + (sidecar ? 0 : one.of[j].chips) > peak->chips)
        peak->chips = sum->chips + (sidecar ? 0 : one.of[j].chips);
      if (sum->chips > MOST)
        return too_many(o, err);
    }
  }
  return rc;
}

/* Adds what `pods` pods of a spec need, of which at least `least` have to run; *each is what one of
** them does, of all resources. */
static mpg_rc add_pods(mpg_kube_object *o, const mpg_json_member *spec, int64_t pods, int64_t least,
                       int64_t *each, mpg_err *err) {
  need n;
  mpg_rc rc;
  n.together.n = n.sidecars.n = n.peak.n = 0;
  *each = 0;
  rc = mpg_kube_open_level(o, MPG_KUBE_POD, spec, err);
  if (rc == MPG_OK)
    rc = mpg_kube_add_claims(o, pods, least, err);
  if (rc == MPG_OK)
    rc = add_containers(o, "containers", &n, err);
  if (rc == MPG_OK)
    rc = add_containers(o, "initContainers", &n, err);
  for (size_t i = 0; rc == MPG_OK && i < n.peak.n; i++) {
    mpg_str name = mpg_str_of(n.peak.of[i].name);
    mpg_kube_amount *to = amount_of(&o->amounts, name);
    const mpg_kube_amount *together = amount_of(&n.together, name),
                          *sidecars = amount_of(&n.sidecars, name);
    int64_t chips =
        (together != NULL ? together->chips : 0) + (sidecars != NULL ? sidecars->chips : 0);
    if (chips < n.peak.of[i].chips)
      chips = n.peak.of[i].chips;
    *each += chips;
    if (to == NULL)
      continue;
    if (chips > 0 && pods > MOST / chips)
      return too_many(o, err);
    to->chips += chips * pods;
    if (to->chips > MOST)
      return too_many(o, err);
  }
  return rc;
}

/* ---- What makes pods ---- */

static int64_t number_or(const mpg_kube_level *level, const char *key, int64_t otherwise) {
  const mpg_json_member *m = mpg_kube_find(level, key);
  int64_t i;
  return m != NULL && m->kind == MPG_JSON_NUMBER && mpg_int_parse(m->text, &i) && i >= 0 &&
                 i <= 10000000
             ? i
             : otherwise;
}

/* A Job runs no more pods at once than it has to complete. */
static int64_t pods_at_once(const mpg_kube_level *job) {
  int64_t pods = number_or(job, "parallelism", 1),
          completions = number_or(job, "completions", pods);
  return pods < completions ? pods : completions;
}

/* Kubernetes' own, and Run:ai's. */
static bool is_job(const mpg_kube_object *o) {
  return mpg_kube_is(o, MPG_KUBE_kind, "Job") || mpg_kube_is(o, MPG_KUBE_kind, "RunaiJob");
}

/* How many of `pods` pods have to run at once for any of them to get on: one of a Job that has more
** to complete than runs at once, else all. */
static int64_t pods_needed_at_once(const mpg_kube_object *o, const mpg_kube_level *spec,
                                   int64_t pods) {
  bool one = is_job(o) && number_or(spec, "completions", pods) > pods;
  return one ? 1 : pods;
}

typedef struct totals {
  int64_t pods, least, most; /* millionths of a chip: of the least pods, and of the greatest */
  bool elastic;
} totals;

/* `pods` pods of a template (NULL: none), at least `least` of them. */
static mpg_rc add_template(mpg_kube_object *o, const mpg_json_member *template, int64_t pods,
                           int64_t least, totals *sum, mpg_err *err) {
  int64_t each = 0;
  mpg_rc rc = mpg_kube_open_level(o, MPG_KUBE_TEMPLATE, template, err);
  if (rc == MPG_OK && o->levels[MPG_KUBE_TEMPLATE].n > 0)
    rc = add_pods(o, mpg_kube_find(&o->levels[MPG_KUBE_TEMPLATE], "spec"), pods, least, &each, err);
  if (rc != MPG_OK)
    return rc;
  if (pods > MOST || (each > 0 && least > MOST / each))
    return too_many(o, err);
  sum->pods += pods;
  sum->least += each * least;
  sum->most = each > sum->most ? each : sum->most;
  sum->elastic |= least < pods;
  return sum->pods > MOST || sum->least > MOST ? too_many(o, err) : MPG_OK;
}

/* One of a list of sets, open as level SET. */
static mpg_rc add_set(mpg_kube_object *o, bool of_jobs, totals *sum, mpg_err *err) {
  const mpg_kube_level *set = &o->levels[MPG_KUBE_SET];
  int64_t pods = number_or(set, "count", number_or(set, "replicas", 1));
  mpg_rc rc;
  if (!of_jobs)
    return add_template(o, mpg_kube_find(set, "template"), pods, number_or(set, "minCount", pods),
                        sum, err);
  rc = mpg_kube_open_level(o, MPG_KUBE_TEMPLATE, mpg_kube_find(set, "template"), err);
  if (rc == MPG_OK)
    rc = mpg_kube_open_level(o, MPG_KUBE_INNER,
                             mpg_kube_find(&o->levels[MPG_KUBE_TEMPLATE], "spec"), err);
  if (rc != MPG_OK)
    return rc;
  pods *= pods_at_once(&o->levels[MPG_KUBE_INNER]);
  return add_template(o, mpg_kube_find(&o->levels[MPG_KUBE_INNER], "template"), pods, pods, sum,
                      err);
}

/* Groups of a LeaderWorkerSet: a leader and size - 1 workers, each by itself. One group serves. */
static mpg_rc add_groups(mpg_kube_object *o, const mpg_json_member *group, totals *sum,
                         mpg_err *err) {
  const mpg_kube_level *set = &o->levels[MPG_KUBE_SET];
  const int64_t groups = number_or(&o->levels[MPG_KUBE_SPEC], "replicas", 1);
  int64_t workers;
  mpg_rc rc = mpg_kube_open_level(o, MPG_KUBE_SET, group, err);
  if (rc != MPG_OK)
    return rc;
  workers = number_or(set, "size", 1);
  workers -= workers > 0;
  rc = add_template(o,
                    mpg_kube_find(set, mpg_kube_find(set, "leaderTemplate") != NULL
                                           ? "leaderTemplate"
                                           : "workerTemplate"),
                    groups, groups > 0, sum, err);
  return rc == MPG_OK ? add_template(o, mpg_kube_find(set, "workerTemplate"), groups * workers,
                                     groups > 0 ? workers : 0, sum, err)
                      : rc;
}

/* A TrainJob says how many nodes it wants of which resources, if its runtime does not. */
static mpg_rc add_trainer(mpg_kube_object *o, totals *sum, mpg_err *err) {
  const mpg_kube_level *trainer = &o->levels[MPG_KUBE_CONTAINER];
  mpg_kube_amounts each = {.n = 0};
  int64_t nodes;
  mpg_rc rc = mpg_kube_open_level(o, MPG_KUBE_CONTAINER,
                                  mpg_kube_find(&o->levels[MPG_KUBE_SPEC], "trainer"), err);
  if (rc == MPG_OK)
    rc = open_requests(o, "resourcesPerNode", err);
  if (rc == MPG_OK)
    rc = add_list(o, &each, err);
  nodes = number_or(trainer, "numNodes", 1);
  sum->pods = nodes;
  for (size_t i = 0; rc == MPG_OK && i < each.n; i++) {
    mpg_kube_amount *to = amount_of(&o->amounts, mpg_str_of(each.of[i].name));
    if (nodes > 0 && each.of[i].chips > MOST / nodes)
      return too_many(o, err);
    if (to != NULL)
      to->chips += each.of[i].chips * nodes;
  }
  return rc;
}

/* A head and groups of workers of Ray. They work when there are as many as they say at least; how
** many an autoscaler wants, nobody knows before. */
static mpg_rc add_ray(mpg_kube_object *o, totals *sum, mpg_err *err) {
  const mpg_kube_level *cluster = &o->levels[MPG_KUBE_SPEC], *groups = &o->levels[MPG_KUBE_SETS],
                       *group = &o->levels[MPG_KUBE_SET];
  const mpg_json_member *scales;
  mpg_rc rc = MPG_OK;
  if (mpg_kube_is(o, MPG_KUBE_kind, "RayJob")) {
    rc = mpg_kube_open_level(o, MPG_KUBE_INNER, mpg_kube_find(cluster, "rayClusterSpec"), err);
    cluster = &o->levels[MPG_KUBE_INNER];
  }
  scales = rc == MPG_OK ? mpg_kube_find(cluster, "enableInTreeAutoscaling") : NULL;
  if (rc != MPG_OK || (scales != NULL && scales->kind == MPG_JSON_TRUE))
    return rc;
  rc = mpg_kube_open_level(o, MPG_KUBE_SET, mpg_kube_find(cluster, "headGroupSpec"), err);
  if (rc == MPG_OK)
    rc = add_template(o, mpg_kube_find(group, "template"), group->n > 0, group->n > 0, sum, err);
  if (rc == MPG_OK)
    rc = mpg_kube_open_level(o, MPG_KUBE_SETS, mpg_kube_find(cluster, "workerGroupSpecs"), err);
  for (size_t i = 0; rc == MPG_OK && i < groups->n; i++) {
    int64_t least, replicas, hosts;
    rc = mpg_kube_open_level(o, MPG_KUBE_SET, &groups->m[i], err);
    if (rc != MPG_OK)
      break;
    least = number_or(group, "minReplicas", 0);
    replicas = number_or(group, "replicas", least);
    hosts = number_or(group, "numOfHosts", 1);
    rc = add_template(o, mpg_kube_find(group, "template"), replicas * hosts,
                      (least < replicas ? least : replicas) * hosts, sum, err);
  }
  return rc;
}

static bool ends_with(mpg_str s, const char *end) {
  size_t n = strlen(end);
  return s.n >= n && memcmp(s.p + s.n - n, end, n) == 0;
}

/* If fewer pods are enough and nothing says which, those left out may be the greatest. */
static mpg_rc leave_out(mpg_kube_object *o, totals *sum, mpg_err *err) {
  const mpg_kube_level *spec = &o->levels[MPG_KUBE_SPEC];
  int64_t enough = mpg_kube_is_volcano(o) ? number_or(spec, "minAvailable", sum->pods) : sum->pods;
  mpg_rc rc = mpg_kube_open_level(o, MPG_KUBE_SETS, mpg_kube_find(spec, "elasticPolicy"), err);
  if (rc != MPG_OK)
    return rc;
  enough = number_or(&o->levels[MPG_KUBE_SETS], "minReplicas", enough);
  if (enough < sum->pods) {
    mpg_i128 least = sum->least - (mpg_i128)(sum->pods - enough) * sum->most;
    sum->least = least < 0 ? 0 : (int64_t)least;
    sum->elastic = true;
  }
  return MPG_OK;
}

static mpg_rc add_sets(mpg_kube_object *o, totals *sum, mpg_err *err) {
  const mpg_kube_level *spec = &o->levels[MPG_KUBE_SPEC], *sets = &o->levels[MPG_KUBE_SETS];
  const mpg_json_member *list = NULL, *group = mpg_kube_find(spec, "leaderWorkerTemplate");
  bool of_jobs = false;
  mpg_rc rc;
  if (group != NULL)
    return add_groups(o, group, sum, err);
  if (mpg_kube_is(o, MPG_KUBE_kind, "TrainJob"))
    return add_trainer(o, sum, err);
  if (mpg_kube_is(o, MPG_KUBE_kind, "RayCluster") || mpg_kube_is(o, MPG_KUBE_kind, "RayJob"))
    return add_ray(o, sum, err);
  for (size_t i = 0; i < spec->n && list == NULL; i++) {
    mpg_str key = spec->m[i].key;
    of_jobs = mpg_str_eq(key, MPG_STR("replicatedJobs"));
    if (of_jobs || mpg_str_eq(key, MPG_STR("podSets")) || ends_with(key, "ReplicaSpecs") ||
        mpg_str_eq(key, MPG_STR("replicaSpecs")) || /* HyperPod's, DLRover's */
        (mpg_str_eq(key, MPG_STR("tasks")) && mpg_kube_is_volcano(o)))
      list = &spec->m[i];
  }
  rc = mpg_kube_open_level(o, MPG_KUBE_SETS, list, err);
  for (size_t i = 0; rc == MPG_OK && i < sets->n; i++) {
    rc = mpg_kube_open_level(o, MPG_KUBE_SET, &sets->m[i], err);
    if (rc == MPG_OK)
      rc = add_set(o, of_jobs, sum, err);
  }
  if (rc == MPG_OK && list == NULL && mpg_kube_find(spec, "template") != NULL) {
    int64_t pods = is_job(o) ? pods_at_once(spec) : number_or(spec, "replicas", 1);
    rc = add_template(o, mpg_kube_find(spec, "template"), pods, pods_needed_at_once(o, spec, pods),
                      sum, err);
  }
  return rc == MPG_OK && list != NULL ? leave_out(o, sum, err) : rc;
}

/* ---- Results ---- */

static void give_chips(mpg_kube_object *o, size_t field, int64_t millionths) {
  o->values[field] = (mpg_value){MPG_REAL, 0, (double)millionths / 1e6, {NULL, 0}};
}

static int64_t total_chips(const mpg_kube_amounts *amounts) {
  int64_t sum = 0;
  for (size_t i = 0; i < amounts->n; i++)
    sum += amounts->of[i].chips;
  return sum;
}

/* The resources as JSON, and the one with the most chips by its name. */
static mpg_rc give_resources(mpg_kube_object *o, mpg_err *err) {
  const mpg_kube_amount *most = NULL;
  mpg_json_text *json = &o->copies[MPG_KUBE_resources];
  mpg_rc rc;
  json->n = 0;
  rc = mpg_json_put(json, MPG_STR("{"));
  for (size_t i = 0; rc == MPG_OK && i < o->amounts.n; i++) {
    const mpg_kube_amount *a = &o->amounts.of[i];
    char number_text[MPG_REAL_TEXT];
    size_t n = mpg_text_real((double)a->chips / 1e6, number_text);
    if (most == NULL || a->chips > most->chips)
      most = a;
    rc = mpg_json_put_key(json, mpg_str_of(a->name));
    if (rc == MPG_OK)
      rc = mpg_json_put(json, (mpg_str){number_text, n});
  }
  if (rc == MPG_OK)
    rc = mpg_kube_keep(o, MPG_KUBE_resources, MPG_STR("}"));
  if (rc != MPG_OK)
    return mpg_fail_plain(err, rc);
  mpg_kube_give_text(o, MPG_KUBE_resource, mpg_str_of(most->name));
  return MPG_OK;
}

/* Accelerators of a node none of whose resources, which are open as level AMOUNTS, is a chip. */
static mpg_rc note_unknown(const mpg_kube_object *o, mpg_err *err) {
  const mpg_kube_level *list = &o->levels[MPG_KUBE_AMOUNTS];
  for (size_t i = 0; i < list->n; i++) {
    int64_t unit, quantity = 0;
    if (mpg_kube_resource(list->m[i].key, &unit) == MPG_KUBE_NOT_A_CHIP &&
        mpg_kube_quantity(list->m[i].text, &quantity) && quantity > 0)
      return note_resource(o, "uncounted_resource", list->m[i].key,
                           "a node with it has no other chips: it counts as without any", err);
  }
  return MPG_OK;
}

/* Devices of a node, of which several may be one chip: shared in time, or cut by MIG. */
static mpg_rc count_node(mpg_kube_object *o, mpg_err *err) {
  const mpg_kube_level *status = &o->levels[MPG_KUBE_STATUS], *labels = &o->levels[MPG_KUBE_LABELS];
  mpg_str product = mpg_kube_string(labels, "nvidia.com/gpu.product");
  mpg_str profile = mpg_kube_string(labels, "cloud.google.com/gke-gpu-partition-size");
  static const char *const clients[] = {"nvidia.com/gpu.replicas",
                                        "cloud.google.com/gke-max-shared-clients-per-gpu"};
  mpg_kube_amounts allocatable;
  int64_t share = 1000000, part, n = 1;
  mpg_rc rc = mpg_kube_open_level(o, MPG_KUBE_AMOUNTS, mpg_kube_find(status, "allocatable"), err);
  allocatable.n = 0;
  if (rc == MPG_OK)
    rc = add_list(o, &allocatable, err);
  if (rc == MPG_OK)
    rc = mpg_kube_open_level(o, MPG_KUBE_AMOUNTS, mpg_kube_find(status, "capacity"), err);
  if (rc == MPG_OK)
    rc = add_list(o, &o->amounts, err);
  if (rc == MPG_OK && o->amounts.n == 0)
    rc = note_unknown(o, err);
  if (rc != MPG_OK || o->amounts.n == 0)
    return rc;
  /* GKE's plugin has labels of its own; GPU feature discovery may still say that nothing is shared.
  */
  if (product.n == 0)
    product = mpg_kube_string(labels, "cloud.google.com/gke-accelerator");
  if (mpg_kube_product_share(product, profile, &part) == MPG_KUBE_CHIP)
    share = part;
  if (mpg_kube_find(&o->levels[MPG_KUBE_AMOUNTS], "amd.com/gpu") != NULL)
    share /= mpg_kube_partitions(mpg_kube_string(labels, "amd.com/compute-memory-partition"),
                                 mpg_kube_string(labels, "amd.com/gpu.product-name"));
  for (size_t i = 0; i < sizeof clients / sizeof *clients && n == 1; i++)
    if (!mpg_int_parse(mpg_kube_string(labels, clients[i]), &n) || n < 1 || n > 1000)
      n = 1;
  share /= n;
  give_chips(o, MPG_KUBE_share, share);
  give_chips(o, MPG_KUBE_allocatable, total_chips(&allocatable));
  return MPG_OK;
}

mpg_rc mpg_kube_count_chips(mpg_kube_object *o, mpg_err *err) {
  totals sum = {0, 0, 0, false};
  int64_t each;
  mpg_rc rc;
  o->amounts.n = 0;
  o->copies[MPG_KUBE_claims].n = 0;
  if (mpg_kube_is(o, MPG_KUBE_kind, "Node"))
    rc = count_node(o, err);
  else if (mpg_kube_is(o, MPG_KUBE_kind, "Pod"))
    rc = add_pods(o, mpg_kube_find(&o->levels[MPG_KUBE_TOP], "spec"), 1, 1, &each, err);
  else
    rc = add_sets(o, &sum, err);
  if (rc == MPG_OK)
    rc = mpg_kube_give_claims(o, err);
  if (rc != MPG_OK)
    return rc;
  if (sum.pods > 0)
    mpg_kube_give_int(o, MPG_KUBE_pods, sum.pods);
  if (o->amounts.n == 0)
    return MPG_OK;
  give_chips(o, MPG_KUBE_chips, total_chips(&o->amounts));
  if (sum.elastic)
    give_chips(o, MPG_KUBE_min_chips, sum.least);
  return give_resources(o, err);
}
