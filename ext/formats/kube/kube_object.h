/*
** kube_object.h - the fields of one object of the Kubernetes API, wherever it comes from. For
** kube.c.
*/
#ifndef MPG_KUBE_OBJECT_H
#define MPG_KUBE_OBJECT_H

#include "../../read/parse/json_writer.h"
#include "kube.h"

/* Levels of an object that are open at the same time. */
enum {
  MPG_KUBE_TOP,
  MPG_KUBE_METADATA,
  MPG_KUBE_LABELS,
  MPG_KUBE_SPEC,
  MPG_KUBE_STATUS,
  MPG_KUBE_A, /* those below are used for what is looked at in passing, one inside the other */
  MPG_KUBE_B,
  MPG_KUBE_C,
  MPG_KUBE_D,
  MPG_KUBE_SETS, /* of pods: a Workload's podSets, ... */
  MPG_KUBE_SET,
  MPG_KUBE_TEMPLATE,
  MPG_KUBE_INNER, /* a JobSet's sets are templates of jobs */
  MPG_KUBE_POD,   /* a pod's spec */
  MPG_KUBE_CONTAINERS,
  MPG_KUBE_CONTAINER,
  MPG_KUBE_REQUESTS,
  MPG_KUBE_AMOUNTS,
  MPG_KUBE_LEVELS
};

typedef struct mpg_kube_level {
  mpg_json_doc *doc;
  const mpg_json_member *m;
  size_t n;
  mpg_poller *poller; /* the object's */
} mpg_kube_level;

#define MPG_KUBE_RESOURCES 16 /* different ones of one object */

typedef struct mpg_kube_amount {
  char name[64];
  int64_t chips; /* millionths */
} mpg_kube_amount;

typedef struct mpg_kube_amounts {
  mpg_kube_amount of[MPG_KUBE_RESOURCES];
  size_t n;
} mpg_kube_amounts;

/* All zero, except the first members. */
typedef struct mpg_kube_object {
  const mpg_env *env;
  const char *path;
  mpg_poller poller;  /* in searches of levels: if it says to stop, what was found is of no use */
  mpg_issues *issues; /* may be NULL */
  int64_t line;       /* where the object begins */
  mpg_kube_level levels[MPG_KUBE_LEVELS];
  mpg_kube_amounts amounts;
  bool controlled; /* its owner controls it */
  bool succeeded;  /* a condition says so */
  mpg_value values[MPG_KUBE_COUNT_OF_FIELDS];
  mpg_json_text
      copies[MPG_KUBE_COUNT_OF_FIELDS]; /* values that the text of the object does not hold */
} mpg_kube_object;

void mpg_kube_object_free(mpg_kube_object *o);

/* Opens an object or array that is a member's text as level `i`; an absent one (NULL, another
** kind) is empty. */
mpg_rc mpg_kube_open_level(mpg_kube_object *o, int i, const mpg_json_member *m, mpg_err *err);
/* Text and numbers as values; of text only what is not empty, and borrowed. */
void mpg_kube_give_text(mpg_kube_object *o, size_t field, mpg_str s);
void mpg_kube_give_int(mpg_kube_object *o, size_t field, int64_t i);
/* Adds to the text that the object itself keeps for a field, and gives it. */
mpg_rc mpg_kube_keep(mpg_kube_object *o, size_t field, mpg_str s);
/* Whether field `i` is this text. */
bool mpg_kube_is(const mpg_kube_object *o, size_t field, const char *s);
bool mpg_kube_is_volcano(
    const mpg_kube_object *o); /* a Job of Volcano's, which is none of batch/v1 */
/* A member's text; empty if there is none. */
mpg_str mpg_kube_string(const mpg_kube_level *level, const char *key);
mpg_rc mpg_kube_note(const mpg_kube_object *o, mpg_severity severity, const char *kind,
                     mpg_str text, mpg_err *err);
mpg_rc mpg_kube_unexpected(const mpg_kube_object *o, const char *key, const char *expected,
                           mpg_str found, mpg_err *err);

/* Whether a text contains another, in any case. */
bool mpg_kube_contains(mpg_str s, const char *part);
/* The member of a level; NULL if there is none or it is null. */
const mpg_json_member *mpg_kube_find(const mpg_kube_level *level, const char *key);

/* kube_pods.c: chips and pods, of a pod, a node, or what makes pods (in spec: Job, Workload,
** ...). Needs the levels METADATA, LABELS, SPEC and STATUS, and kind. */
mpg_rc mpg_kube_count_chips(mpg_kube_object *o, mpg_err *err);
/* kube_claims.c: the resource claims of a pod's spec, open as level POD, of `pods` pods, and of at
** least `least`; and all of them, as a list in JSON. */
mpg_rc mpg_kube_add_claims(mpg_kube_object *o, int64_t pods, int64_t least, mpg_err *err);
mpg_rc mpg_kube_give_claims(mpg_kube_object *o, mpg_err *err);
/* kube_outcome.c: how it ended, in the words of the native trace, from the other fields; else
** NULL. */
const char *mpg_kube_outcome(const mpg_kube_object *o);

#endif
