/* goodput_row.c - see goodput_row.h. */
#include "goodput_row.h"
#include "../../base/number.h"
#include "../../base/time.h"

#include <stddef.h>
#include <string.h>

#define FIELD(name, type) {#name, sizeof #name - 1, MPG_GOODPUT_##type},
const mpg_goodput_field mpg_goodput_fields[MPG_GOODPUT_COUNT] = {MPG_GOODPUT_FIELDS(FIELD)};

#define BIT(i) (UINT64_C(1) << (i))
_Static_assert(MPG_GOODPUT_COUNT + 1 <= MPG_JSON_FAST_KEYS, "a word has a bit for every field");

/* The keys that decide the kind of a row, and which of its times each is. */
typedef struct telling {
  size_t field;
  mpg_goodput_kind kind;
  mpg_goodput_edge edge;
} telling;

static const telling tellings[] = {
    {MPG_GOODPUT_job_start_time, MPG_GOODPUT_JOB, MPG_GOODPUT_START},
    {MPG_GOODPUT_job_end_time, MPG_GOODPUT_JOB, MPG_GOODPUT_END},
    {MPG_GOODPUT_step_start_time, MPG_GOODPUT_STEP, MPG_GOODPUT_START},
    {MPG_GOODPUT_tpu_init_start_time, MPG_GOODPUT_TPU_INIT, MPG_GOODPUT_START},
    {MPG_GOODPUT_tpu_init_end_time, MPG_GOODPUT_TPU_INIT, MPG_GOODPUT_END},
    {MPG_GOODPUT_training_prep_start_time, MPG_GOODPUT_TRAINING_PREP, MPG_GOODPUT_START},
    {MPG_GOODPUT_training_prep_end_time, MPG_GOODPUT_TRAINING_PREP, MPG_GOODPUT_END},
    {MPG_GOODPUT_data_loading_start_time, MPG_GOODPUT_DATA_LOADING, MPG_GOODPUT_START},
    {MPG_GOODPUT_data_loading_end_time, MPG_GOODPUT_DATA_LOADING, MPG_GOODPUT_END},
    {MPG_GOODPUT_custom_badput_event_start_time, MPG_GOODPUT_CUSTOM_EVENT, MPG_GOODPUT_START},
    {MPG_GOODPUT_custom_badput_event_end_time, MPG_GOODPUT_CUSTOM_EVENT, MPG_GOODPUT_END},
    {MPG_GOODPUT_elastic_slice_counts_timestamp, MPG_GOODPUT_SLICE_COUNTS, MPG_GOODPUT_NONE},
    {MPG_GOODPUT_elastic_wait_start_time, MPG_GOODPUT_ELASTIC_WAIT, MPG_GOODPUT_START},
    {MPG_GOODPUT_elastic_wait_end_time, MPG_GOODPUT_ELASTIC_WAIT, MPG_GOODPUT_END},
    {MPG_GOODPUT_elastic_reinit_start_time, MPG_GOODPUT_ELASTIC_REINIT, MPG_GOODPUT_START},
    {MPG_GOODPUT_elastic_reinit_end_time, MPG_GOODPUT_ELASTIC_REINIT, MPG_GOODPUT_END},
};

const char *mpg_goodput_kind_name(mpg_goodput_kind kind) {
  static const char *const names[] = {"other",          "job",           "step",
                                      "tpu_init",       "training_prep", "data_loading",
                                      "custom_event",   "slice_counts",  "elastic_wait",
                                      "elastic_reinit", "checkpoint"};
  return names[kind];
}

void mpg_goodput_row_clear(mpg_goodput_row *row) {
  for (uint64_t left = row->present; left != 0; left &= left - 1)
    row->values[__builtin_ctzll(left)] = (mpg_value){MPG_NULL, 0, 0.0, {NULL, 0}};
  memset(row, 0, offsetof(mpg_goodput_row, values));
}

/* ---- Values ---- */

static bool in_int64(double v) {
  return v >= -9223372036854775808.0 && v < 9223372036854775808.0;
}

static bool whole_number(mpg_str text, int64_t *out) {
  double real;
  if (mpg_int_parse(text, out))
    return true;
  if (!mpg_real_parse(text, &real) || !in_int64(real))
    return false;
  *out = (int64_t)real;
  return true;
}

bool mpg_goodput_value(size_t field, const mpg_json_member *m, mpg_value *out) {
  bool number;
  if (m->kind == MPG_JSON_NULL)
    return true;
  /* BigQuery writes numbers and truths as texts. */
  number = m->kind == MPG_JSON_NUMBER || (m->kind == MPG_JSON_STRING && m->text.n > 0);
  switch (mpg_goodput_fields[field].type) {
  case MPG_GOODPUT_TEXT:
    if (m->kind != MPG_JSON_STRING)
      return false;
    out->type = MPG_TEXT;
    out->s = m->text;
    return true;
  case MPG_GOODPUT_REAL:
    if (!number || !mpg_real_parse(m->text, &out->r))
      return false;
    out->type = MPG_REAL;
    return true;
  case MPG_GOODPUT_BOOL:
    if (number && whole_number(m->text, &out->i))
      out->i = out->i != 0;
    else if (m->kind == MPG_JSON_STRING && mpg_str_eq_nocase(m->text, MPG_STR("true")))
      out->i = 1;
    else if (m->kind == MPG_JSON_STRING && mpg_str_eq_nocase(m->text, MPG_STR("false")))
      out->i = 0;
    else if (m->kind == MPG_JSON_TRUE || m->kind == MPG_JSON_FALSE)
      out->i = m->kind == MPG_JSON_TRUE;
    else
      return false;
    break;
  default:
    if (!number || !whole_number(m->text, &out->i))
      return false;
  }
  out->type = MPG_INT;
  return true;
}

bool mpg_goodput_names_time(mpg_str key) {
  for (size_t i = 0; i + 4 <= key.n; i++)
    if (memcmp(key.p + i, "time", 4) == 0)
      return true;
  return false;
}

/* ---- Kinds and times ---- */

/* A table has every key in each row, and null for those that the row of the log lacks. */
static void drop_nulls(mpg_goodput_row *row) {
  uint64_t held = row->present;
  bool tells = row->values[MPG_GOODPUT_event_type].type != MPG_NULL;
  for (uint64_t left = row->present; left != 0; left &= left - 1)
    if (row->values[__builtin_ctzll(left)].type == MPG_NULL)
      held &= ~(left & -left);
  for (size_t i = 0; i < sizeof tellings / sizeof *tellings && !tells; i++)
    tells = (held >> tellings[i].field & 1) != 0;
  if (tells)
    row->present = held;
}

void mpg_goodput_classify(mpg_goodput_row *row) {
  drop_nulls(row);
  row->field = MPG_GOODPUT_COUNT;
  for (size_t i = 0; i < sizeof tellings / sizeof *tellings; i++)
    if ((row->present >> tellings[i].field & 1) != 0) {
      row->field = tellings[i].field;
      row->kind = tellings[i].kind;
      row->edge = tellings[i].edge;
      return;
    }
  if (row->values[MPG_GOODPUT_event_type].type == MPG_NULL)
    return;
  row->kind = MPG_GOODPUT_CHECKPOINT;
  row->field = (row->present & BIT(MPG_GOODPUT_checkpoint_manager_blocking_start_time)) != 0
                   ? MPG_GOODPUT_checkpoint_manager_blocking_start_time
                   : MPG_GOODPUT_checkpoint_manager_start_time;
}

bool mpg_goodput_is_timely(const mpg_goodput_row *row) {
  const mpg_value *time = row->field < MPG_GOODPUT_COUNT ? &row->values[row->field] : NULL;
  return time == NULL || time->type != MPG_REAL || mpg_seconds_are_time(time->r);
}

/* ---- Usual rows ---- */

#define JOB_NAME MPG_GOODPUT_COUNT /* its key */

void mpg_goodput_fast_init(mpg_goodput_fast *fast) {
  for (size_t i = 0; i < MPG_GOODPUT_COUNT; i++) {
    mpg_str name = mpg_str_of(mpg_goodput_fields[i].name);
    (void)mpg_json_fast_add(&fast->keys, name); /* they are few, plain and short */
    fast->times |= (uint64_t)mpg_goodput_names_time(name) << i;
  }
  (void)mpg_json_fast_add(&fast->keys, MPG_STR("job_name"));
}

/* As mpg_goodput_value has it, of the text of a window: most numbers at once. */
static inline bool fast_value(size_t field, const mpg_json_member *m, mpg_value *out) {
  mpg_goodput_type type = mpg_goodput_fields[field].type;
  uint64_t digits;
  if (type == MPG_GOODPUT_REAL && m->kind == MPG_JSON_NUMBER &&
      mpg_real_fast(m->text.p, m->text.n, &out->r)) {
    out->type = MPG_REAL;
    return true;
  }
  if (type == MPG_GOODPUT_INT && m->kind == MPG_JSON_NUMBER &&
      mpg_digits_parse(m->text.p, m->text.n, &digits)) {
    out->type = MPG_INT;
    out->i = (int64_t)digits;
    return true;
  }
  return mpg_goodput_value(field, m, out);
}

/* The first of the keys that name a time, as written; every one of them is a REAL. */
static void set_first_time(const mpg_goodput_fast *fast, mpg_goodput_row *row) {
  size_t first = MPG_GOODPUT_COUNT;
  for (uint64_t left = row->present & fast->times; left != 0; left &= left - 1) {
    size_t field = (size_t)__builtin_ctzll(left);
    if (first == MPG_GOODPUT_COUNT || fast->members[field].key_at < fast->members[first].key_at)
      first = field;
  }
  row->timed = first < MPG_GOODPUT_COUNT;
  if (row->timed && row->values[first].type == MPG_REAL)
    row->first_time = row->values[first];
}

const char *mpg_goodput_fast_row(mpg_goodput_fast *fast, const char *p, const char *end,
                                 mpg_goodput_row *row) {
  const mpg_json_member *job = &fast->members[JOB_NAME];
  uint64_t has;
  const char *after = mpg_json_fast_object(&fast->keys, p, end, fast->members, &has);
  if (after == NULL || (has & BIT(JOB_NAME)) == 0 || job->kind != MPG_JSON_STRING)
    return NULL;
  row->job = job->text;
  row->present = has & ~BIT(JOB_NAME);
  for (uint64_t left = row->present; left != 0; left &= left - 1) {
    size_t field = (size_t)__builtin_ctzll(left);
    if (!fast_value(field, &fast->members[field], &row->values[field]))
      return NULL;
  }
  mpg_goodput_classify(row);
  set_first_time(fast, row);
  return mpg_goodput_is_timely(row) ? after : NULL;
}
