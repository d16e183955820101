/*
** kube_claims.c - the devices that pods request by resource claims (DRA, resource.k8s.io): see
** kube_object.h.
**
** A claim is another object, so no chips are counted here. It has a name of its own, or it is made
** for each pod from a ResourceClaimTemplate; then the pod's status has the name.
*/
#include "kube_object.h"

#include <stdio.h>

/* Claims of a pod whose names are looked up, among as many; the others have their templates'
** alone. */
#define MOST_MADE 256

static mpg_rc put_name(mpg_json_text *json, const char *key, mpg_str name) {
  mpg_rc rc = name.n == 0 ? MPG_OK : mpg_json_put_key(json, mpg_str_of(key));
  return rc != MPG_OK || name.n == 0 ? rc : mpg_json_put_string(json, name);
}

static mpg_rc put_number(mpg_json_text *json, const char *key, int64_t number) {
  char text[24];
  int n = snprintf(text, sizeof text, "%lld", (long long)number);
  mpg_rc rc = mpg_json_put_key(json, mpg_str_of(key));
  return rc == MPG_OK ? mpg_json_put(json, (mpg_str){text, (size_t)n}) : rc;
}

/* The claim that was made for the pod's `name`, from the status that is open as level A; empty if
** it has none. */
static mpg_rc made_for(mpg_kube_object *o, mpg_str name, mpg_str *claim, mpg_err *err) {
  const mpg_kube_level *made = &o->levels[MPG_KUBE_A];
  mpg_rc rc = MPG_OK;
  for (size_t i = 0; rc == MPG_OK && i < made->n && i < MOST_MADE; i++) {
    rc = mpg_kube_open_level(o, MPG_KUBE_B, &made->m[i], err);
    if (rc == MPG_OK && mpg_str_eq(mpg_kube_string(&o->levels[MPG_KUBE_B], "name"), name)) {
      *claim = mpg_kube_string(&o->levels[MPG_KUBE_B], "resourceClaimName");
      break;
    }
  }
  return rc;
}

/* One that is open as level CONTAINER. */
static mpg_rc put_claim(mpg_kube_object *o, int64_t pods, int64_t least, bool look, mpg_err *err) {
  const mpg_kube_level *claim = &o->levels[MPG_KUBE_CONTAINER];
  mpg_json_text *json = &o->copies[MPG_KUBE_claims];
  mpg_str template = mpg_kube_string(claim, "resourceClaimTemplateName");
  mpg_str name = mpg_kube_string(claim, "resourceClaimName");
  mpg_rc rc =
      look && template.n > 0 ? made_for(o, mpg_kube_string(claim, "name"), &name, err) : MPG_OK;
  if (rc != MPG_OK)
    return rc;
  rc = mpg_json_put_comma(json);
  if (rc == MPG_OK)
    rc = mpg_json_put(json, MPG_STR("{"));
  if (rc == MPG_OK)
    rc = put_name(json, "claim", name);
  if (rc == MPG_OK)
    rc = put_name(json, "template", template);
  if (rc == MPG_OK)
    rc = put_number(json, "pods", pods);
  if (rc == MPG_OK && least < pods)
    rc = put_number(json, "least", least);
  if (rc == MPG_OK)
    rc = mpg_json_put(json, MPG_STR("}"));
  return rc == MPG_OK ? rc : mpg_fail_plain(err, rc);
}

mpg_rc mpg_kube_add_claims(mpg_kube_object *o, int64_t pods, int64_t least, mpg_err *err) {
  const mpg_kube_level *claims = &o->levels[MPG_KUBE_CONTAINERS];
  mpg_json_text *json = &o->copies[MPG_KUBE_claims];
  mpg_rc rc = mpg_kube_open_level(o, MPG_KUBE_CONTAINERS,
                                  mpg_kube_find(&o->levels[MPG_KUBE_POD], "resourceClaims"), err);
  if (rc == MPG_OK && claims->n > 0)
    rc = mpg_kube_note(o, MPG_INFO, "resource_claims",
                       MPG_STR("chips leave out the devices of resource claims (DRA), which "
                               "sql/formats/kube.sql counts where the claims are exported too"),
                       err);
  if (rc == MPG_OK && claims->n > 0 && json->n == 0 && mpg_json_put(json, MPG_STR("[")) != MPG_OK)
    return mpg_fail_nomem(err);
  if (rc == MPG_OK)
    rc = mpg_kube_open_level(
        o, MPG_KUBE_A,
        mpg_kube_is(o, MPG_KUBE_kind, "Pod")
            ? mpg_kube_find(&o->levels[MPG_KUBE_STATUS], "resourceClaimStatuses")
            : NULL,
        err);
  for (size_t i = 0; rc == MPG_OK && i < claims->n; i++) {
    rc = mpg_kube_open_level(o, MPG_KUBE_CONTAINER, &claims->m[i], err);
    if (rc == MPG_OK)
      rc = put_claim(o, pods, least, i < MOST_MADE, err);
  }
  return rc;
}

mpg_rc mpg_kube_give_claims(mpg_kube_object *o, mpg_err *err) {
  mpg_rc rc =
      o->copies[MPG_KUBE_claims].n == 0 ? MPG_OK : mpg_kube_keep(o, MPG_KUBE_claims, MPG_STR("]"));
  return rc == MPG_OK ? rc : mpg_fail_nomem(err);
}
