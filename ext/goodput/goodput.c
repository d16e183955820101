/* goodput.c - the goodput aggregates' steps and their JSON: see goodput.h. */
#include "goodput.h"

#include <stdio.h>
#include <string.h>

static mpg_rc add_value(mpg_account *a, int slot, const mpg_value *v, bool remove, mpg_err *err) {
  return v->type == MPG_INT ? mpg_account_add_int(a, slot, v->i, remove, err)
                            : mpg_account_add_real(a, slot, v->r, remove, err);
}

static mpg_rc unknown_category(mpg_str name, mpg_err *err) {
  char found[MPG_EXCERPT], known[512];
  int n = 0;
  mpg_text_excerpt(name, found);
  for (int c = 0; c < MPG_CATEGORIES; c++)
    n += snprintf(known + n, sizeof known - (size_t)n, "%s%s", c > 0 ? ", " : "", mpg_slot_name(c));
  return mpg_fail(err, MPG_DATA, "unknown category '%s'; the categories are %s", found, known);
}

mpg_rc mpg_goodput_category(mpg_goodput *g, mpg_str category, const mpg_value *chip_time,
                            bool remove, mpg_err *err) {
  mpg_category slot = mpg_category_find(category);
  mpg_rc rc;
  if (slot == MPG_CATEGORIES)
    return unknown_category(category, err);
  rc = add_value(&g->account, (int)slot, chip_time, remove, err);
  if (rc == MPG_OK)
    g->rows += remove ? -1 : 1;
  return rc;
}

const char *mpg_wide_name(int i) {
  static const char *const names[MPG_WIDE] = {"capacity", "allocated", "productive", "ideal"};
  return names[i];
}

mpg_rc mpg_goodput_wide(mpg_goodput *g, const mpg_value values[MPG_WIDE], bool remove,
                        mpg_err *err) {
  const mpg_value *capacity = &values[MPG_WIDE_CAPACITY], *ideal = &values[MPG_WIDE_IDEAL];
  const mpg_value *allocated = &values[MPG_WIDE_ALLOCATED];
  const mpg_value *productive = &values[MPG_WIDE_PRODUCTIVE];
  bool traced = productive->type != MPG_NULL, rated = ideal->type != MPG_NULL;
  mpg_account a;
  mpg_rc rc;
  if (capacity->type == MPG_NULL && allocated->type == MPG_NULL && !traced && !rated)
    return MPG_OK;
  for (int i = MPG_WIDE_CAPACITY; i <= MPG_WIDE_ALLOCATED; i++)
    if (values[i].type == MPG_NULL)
      return mpg_fail(err, MPG_DATA, "%s is NULL", mpg_wide_name(i));
  a = g->account;
  /* Each part is a difference of two numbers; both are exact sums, so the difference is. */
  rc = add_value(&a, MPG_SLOT_SCHEDULING, capacity, remove, err);
  if (rc == MPG_OK)
    rc = add_value(&a, MPG_SLOT_SCHEDULING, allocated, !remove, err);
  if (rc == MPG_OK)
    rc = add_value(&a, traced ? MPG_SLOT_RUNTIME : MPG_UNTRACED, allocated, remove, err);
  if (rc == MPG_OK && traced)
    rc = add_value(&a, MPG_SLOT_RUNTIME, productive, !remove, err);
  if (rc == MPG_OK && traced)
    rc = add_value(&a, rated ? MPG_INEFFICIENCY : MPG_UNRATED, productive, remove, err);
  if (rc == MPG_OK && traced && rated)
    rc = add_value(&a, MPG_INEFFICIENCY, ideal, !remove, err);
  if (rc == MPG_OK && traced && rated)
    rc = add_value(&a, MPG_IDEAL, ideal, remove, err);
  if (rc != MPG_OK)
    return rc;
  g->account = a;
  g->rows += remove ? -1 : 1;
  return MPG_OK;
}

mpg_rc mpg_goodput_state(mpg_goodput *g, const unsigned char *p, size_t n, bool remove,
                         mpg_err *err) {
  mpg_account account;
  mpg_rc rc = mpg_account_read(&account, p, n, err);
  if (rc == MPG_OK)
    rc = mpg_account_merge(&g->account, &account, remove, err);
  if (rc == MPG_OK)
    g->rows += remove ? -1 : 1;
  return rc;
}

/* The longest text: every slot with 128-bit digits, and with its share. */
_Static_assert(MPG_GOODPUT_JSON > (5 + MPG_SLOTS) * (MPG_SUM_TEXT + 20) +
                                      (MPG_RATIOS + MPG_SLOTS) * (MPG_REAL_TEXT + 24) + 64,
               "MPG_GOODPUT_JSON holds any text");

typedef struct json {
  char *p;
  size_t n;
} json;

static void put_text(json *j, const char *text) {
  size_t n = strlen(text);
  memcpy(j->p + j->n, text, n);
  j->n += n;
}

static void put_key(json *j, const char *key) {
  put_text(j, j->p[j->n - 1] == '{' ? "\"" : ",\"");
  put_text(j, key);
  put_text(j, "\":");
}

static void put_sum(json *j, const char *key, mpg_sum s) {
  char text[MPG_SUM_TEXT];
  (void)mpg_sum_format(s, text);
  put_key(j, key);
  put_text(j, text);
}

static void put_real(json *j, const char *key, bool known, double v) {
  char text[MPG_REAL_TEXT] = "null";
  if (known)
    (void)mpg_text_real(v, text);
  put_key(j, key);
  put_text(j, text);
}

size_t mpg_goodput_json(const mpg_goodput *g, char out[MPG_GOODPUT_JSON]) {
  const mpg_account *a = &g->account;
  mpg_sum capacity = mpg_account_capacity(a);
  json j = {out, 0};
  put_text(&j, "{");
  put_sum(&j, "capacity", capacity);
  put_sum(&j, "allocated", mpg_account_allocated(a));
  put_sum(&j, "productive", mpg_account_productive(a));
  put_sum(&j, "ideal", mpg_account_ideal(a));
  put_sum(&j, "queued", a->sum[MPG_QUEUED]);
  for (int r = 0; r < MPG_RATIOS; r++) {
    double v = 0;
    bool known = mpg_account_ratio(a, (mpg_ratio)r, &v);
    put_real(&j, mpg_ratio_name((mpg_ratio)r), known, v);
  }
  put_key(&j, "chip_time");
  put_text(&j, "{");
  for (int slot = 0; slot < MPG_SLOTS; slot++)
    if (!mpg_sum_is_zero(a->sum[slot]))
      put_sum(&j, mpg_slot_name(slot), a->sum[slot]);
  put_text(&j, "}");
  put_key(&j, "share");
  put_text(&j, "{");
  for (int slot = 0; slot < MPG_SLOTS; slot++)
    if (slot != MPG_QUEUED && !mpg_sum_is_zero(a->sum[slot])) {
      bool known = !mpg_sum_is_zero(capacity);
      put_real(&j, mpg_slot_name(slot), known,
               known ? mpg_sum_to_double(a->sum[slot]) / mpg_sum_to_double(capacity) : 0);
    }
  put_text(&j, "}}");
  j.p[j.n] = '\0';
  return j.n;
}
