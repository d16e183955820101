/* prometheus_samples.c - values, labels and issues of samples, for both formats: see
** prometheus_read.h. */
#include "prometheus_read.h"
#include "../../base/number.h"
#include "../../base/text.h"

#include <math.h>

bool mpg_prometheus_value(mpg_str text, mpg_value *out) {
  bool minus = text.n > 0 && text.p[0] == '-', sign = minus || (text.n > 0 && text.p[0] == '+');
  mpg_str rest = {text.p + sign, text.n - sign};
  *out = (mpg_value){MPG_REAL, 0, 0.0, {NULL, 0}};
  if (mpg_str_eq_nocase(rest, MPG_STR("nan"))) {
    out->type = MPG_NULL;
    return true;
  }
  if (mpg_str_eq_nocase(rest, MPG_STR("inf")) || mpg_str_eq_nocase(rest, MPG_STR("infinity"))) {
    out->r = minus ? -HUGE_VAL : HUGE_VAL;
    return true;
  }
  if (rest.n == 0 || rest.p[0] == '-' || !mpg_real_parse(rest, &out->r))
    return false;
  out->r = minus ? -out->r : out->r;
  return true;
}

mpg_rc mpg_prometheus_note(const mpg_prometheus *p, mpg_severity severity, const char *kind,
                           mpg_str text, mpg_err *err) {
  if (p->issues != NULL && mpg_issues_add(p->issues, severity, p->path, kind, p->line, 1, "%.*s",
                                          (int)(text.n < 400 ? text.n : 400), text.p) != MPG_OK)
    return mpg_fail_nomem(err);
  return MPG_OK;
}

mpg_rc mpg_prometheus_add(mpg_prometheus *p, mpg_str name, mpg_str value, mpg_err *err) {
  if (mpg_str_eq(name, MPG_STR("__name__"))) {
    p->sample.metric = value;
    return MPG_OK;
  }
  if (mpg_poll(p->env, p->sample.nlabels))
    return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
  if (mpg_grow(p->env, &p->labels, &p->labels_cap, p->sample.nlabels + 1, sizeof *p->labels) !=
      MPG_OK)
    return mpg_fail_nomem(err);
  p->labels[p->sample.nlabels++] = (mpg_prometheus_label){name, value};
  p->sample.labels = p->labels;
  return MPG_OK;
}
