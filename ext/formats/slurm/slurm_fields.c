/* slurm_fields.c - see slurm_fields.h. */
#include "slurm_fields.h"
#include "../../base/ascii.h"
#include "../../base/text.h"
#include "../../base/time.h"

#include <stdio.h>
#include <string.h>

#define FIELD(name) MPG_SLURM_JOB_##name
#define MASK_BYTES ((size_t)1 << 20) /* of an array's tasks: Slurm allows four million of them */

/* ---- Fields of the record at hand ---- */

void mpg_slurm_clear(mpg_slurm_fields *f) {
  memset(f->slots, 0, sizeof f->slots);
  memset(f->values, 0, sizeof f->values);
  f->text.n = 0;
}

/* What was put into the text since `at` is a field's. */
void mpg_slurm_keep(mpg_slurm_fields *f, size_t field, size_t at) {
  f->slots[field].has = true;
  f->slots[field].at = at;
  f->slots[field].n = f->text.n - at;
}

mpg_rc mpg_slurm_keep_text(mpg_slurm_fields *f, size_t field, mpg_str s, mpg_err *err) {
  size_t at = f->text.n;
  if (mpg_json_put(&f->text, s) != MPG_OK)
    return mpg_fail_nomem(err);
  mpg_slurm_keep(f, field, at);
  return MPG_OK;
}

mpg_rc mpg_slurm_keep_number(mpg_slurm_fields *f, size_t field, int64_t i, mpg_err *err) {
  char number[32];
  (void)snprintf(number, sizeof number, "%lld", (long long)i);
  f->values[field].type = MPG_INT;
  f->values[field].i = i;
  return mpg_slurm_keep_text(f, field, mpg_str_of(number), err);
}

void mpg_slurm_forget(mpg_slurm_fields *f, size_t field) {
  f->slots[field].n = 0;
  f->values[field].type = MPG_NULL;
}

mpg_str mpg_slurm_stored(const mpg_slurm_fields *f, size_t field) {
  return (mpg_str){f->slots[field].n == 0 ? "" : f->text.p + f->slots[field].at, f->slots[field].n};
}

/* Texts no longer move: what is lent out points into them. */
void mpg_slurm_settle(mpg_slurm_fields *f) {
  for (size_t i = 0; i < MPG_SLURM_JOB_COUNT; i++) {
    f->raw[i] = mpg_slurm_stored(f, i);
    if (f->values[i].type == MPG_NULL && f->raw[i].n > 0) {
      f->values[i].type = MPG_TEXT;
      f->values[i].s = f->raw[i];
    }
  }
}

/* ---- Members ---- */

static mpg_rc read_cpu(mpg_slurm_fields *f, mpg_slurm_docs *docs, const mpg_json_member *m,
                       size_t field, mpg_err *err) {
  mpg_slurm_object parts;
  int64_t seconds = 0, us = 0;
  bool is = false;
  char number[MPG_REAL_TEXT];
  mpg_rc rc = mpg_slurm_open_member(docs, MPG_SLURM_LEVELS - 2, m, &parts, err);
  if (rc == MPG_OK)
    rc = mpg_slurm_number(docs, mpg_slurm_member(parts, "seconds"), &seconds, &is, err);
  if (rc != MPG_OK || !is)
    return rc;
  rc = mpg_slurm_number(docs, mpg_slurm_member(parts, "microseconds"), &us, &is, err);
  if (rc != MPG_OK)
    return rc;
  f->values[field].type = MPG_REAL;
  f->values[field].r = (double)seconds + (double)us / 1e6;
  (void)mpg_text_real(f->values[field].r, number);
  return mpg_slurm_keep_text(f, field, mpg_str_of(number), err);
}

/* {"return_code", "signal": {"id"}}, or what wait(2) said. */
static mpg_rc read_exit(mpg_slurm_fields *f, mpg_slurm_docs *docs, const mpg_json_member *m,
                        size_t field, mpg_err *err) {
  mpg_slurm_object parts, signal;
  int64_t code = 0, by = 0;
  bool is = false;
  char text[64];
  mpg_rc rc = MPG_OK;
  if (m != NULL && m->kind == MPG_JSON_NUMBER) {
    rc = mpg_slurm_number(docs, m, &code, &is, err);
    by = code & 0x7f;
    code = code >> 8 & 0xff;
  } else if (m != NULL && m->kind == MPG_JSON_OBJECT) {
    rc = mpg_slurm_open_member(docs, MPG_SLURM_LEVELS - 2, m, &parts, err);
    if (rc == MPG_OK)
      rc = mpg_slurm_number(docs, mpg_slurm_member(parts, "return_code"), &code, &is, err);
    if (rc == MPG_OK && !is)
      code = 0;
    if (rc == MPG_OK)
      rc = mpg_slurm_open_member(docs, MPG_SLURM_LEVELS - 2, mpg_slurm_member(parts, "signal"),
                                 &signal, err);
    if (rc == MPG_OK) {
      const mpg_json_member *id = mpg_slurm_member(signal, "id");
      rc = mpg_slurm_number(docs, id == NULL ? mpg_slurm_member(signal, "signal_id") : id, &by, &is,
                            err);
      if (!is)
        by = 0;
    }
    is = true;
  }
  if (rc != MPG_OK || !is)
    return rc;
  (void)snprintf(text, sizeof text, "%lld:%lld", (long long)code, (long long)by);
  return mpg_slurm_keep_text(f, field, mpg_str_of(text), err);
}

static mpg_rc read_member(mpg_slurm_fields *f, mpg_slurm_docs *docs, const mpg_json_member *m,
                          mpg_slurm_how how, size_t field, mpg_err *err) {
  size_t at = f->text.n;
  int64_t i;
  bool is;
  mpg_rc rc;
  switch (how) {
  case MPG_SLURM_WORD_LIST:
    rc = mpg_slurm_put_text(docs, m, MPG_STR(","), &f->text, err);
    mpg_slurm_keep(f, field, at);
    return rc;
  case MPG_SLURM_CPU:
    return read_cpu(f, docs, m, field, err);
  case MPG_SLURM_STATUS:
    return read_exit(f, docs, m, field, err);
  default:
    rc = mpg_slurm_number(docs, m, &i, &is, err);
    if (rc != MPG_OK || !is || (how != MPG_SLURM_NUMBER && i <= 0) ||
        (how == MPG_SLURM_SINCE && i >= MPG_TIME_MAX / MPG_SECOND))
      return rc;
    return mpg_slurm_keep_number(f, field, i, err);
  }
}

mpg_rc mpg_slurm_read_members(mpg_slurm_fields *f, mpg_slurm_docs *docs, mpg_slurm_object job,
                              const mpg_slurm_source *sources, size_t n, mpg_err *err) {
  mpg_slurm_object group = job;
  const char *open = NULL;
  mpg_rc rc = MPG_OK;
  for (size_t i = 0; rc == MPG_OK && i < n; i++) {
    const mpg_slurm_source *s = &sources[i];
    if (s->group != NULL && (open == NULL || strcmp(open, s->group) != 0)) {
      rc = mpg_slurm_open_member(docs, MPG_SLURM_GROUP, mpg_slurm_member(job, s->group), &group,
                                 err);
      open = s->group;
    }
    if (rc == MPG_OK)
      rc = read_member(f, docs, mpg_slurm_member(group, s->key), s->how, s->field, err);
  }
  return rc;
}

/* ---- States ---- */

/* slurmdbd keeps only the mark of an attempt that was requeued, of one part of a job that was
** resized, and of a job that another cluster of the federation took over. */
const char *const mpg_slurm_marks_of_accounting[] = {"REQUEUED", "RESIZING", "REVOKED", NULL};
/* slurmctld's job that is REQUEUED waits again. */
const char *const mpg_slurm_marks_of_controller[] = {"REVOKED", NULL};

/* The first of the words with commas between that is one of `marks`; else the first word. */
static mpg_str choose_word(mpg_str words, const char *const *marks) {
  mpg_str first = {words.p, 0};
  for (size_t at = 0, end; at <= words.n; at = end + 1) {
    mpg_str word;
    for (end = at; end < words.n && words.p[end] != ',';)
      end++;
    word = (mpg_str){words.p + at, end - at};
    if (at == 0)
      first = word;
    if (!mpg_str_eq(first, MPG_STR("PENDING")))
      break;
    for (const char *const *mark = marks; *mark != NULL; mark++)
      if (mpg_str_eq(word, mpg_str_of(*mark)))
        return word;
  }
  return first;
}

mpg_rc mpg_slurm_read_state(mpg_slurm_fields *f, mpg_slurm_docs *docs, const mpg_json_member *state,
                            const char *const *marks, const mpg_json_member *by, mpg_err *err) {
  size_t at = f->text.n;
  mpg_str word;
  mpg_rc rc = mpg_slurm_put_text(docs, state, MPG_STR(","), &f->text, err);
  if (rc != MPG_OK)
    return rc;
  if (f->text.n > at) {
    word = choose_word((mpg_str){f->text.p + at, f->text.n - at}, marks);
    memmove(f->text.p + at, word.p, word.n);
    f->text.n = at + word.n;
  }
  if (by != NULL && by->kind == MPG_JSON_STRING && by->text.n > 0 &&
      mpg_str_eq((mpg_str){f->text.p + at, f->text.n - at}, MPG_STR("CANCELLED")) &&
      (mpg_json_put(&f->text, MPG_STR(" by ")) != MPG_OK ||
       mpg_json_put(&f->text, by->text) != MPG_OK))
    return mpg_fail_nomem(err);
  mpg_slurm_keep(f, MPG_SLURM_JOB_State, at);
  return MPG_OK;
}

/* ---- Ids ---- */

/* The tasks of an array that wait, as sacct shows them: the accounting's JSON has the database's
** mask, "0x8e" for "1-3,7". MPG_OK, MPG_NOMEM or MPG_INTERRUPTED. */
static mpg_rc put_tasks(const mpg_env *env, mpg_json_text *out, mpg_str tasks) {
  size_t bits, from = 0;
  bool any = false, in_run = false;
  char text[48];
  if (tasks.n < 3 || tasks.n > MASK_BYTES || memcmp(tasks.p, "0x", 2) != 0)
    return mpg_json_put(out, tasks);
  for (size_t i = 2; i < tasks.n; i++)
    if (mpg_hex_digit(tasks.p[i]) < 0)
      return mpg_json_put(out, tasks);
  bits = (tasks.n - 2) * 4;
  for (size_t task = 0; task <= bits; task++) {
    bool is = task < bits && (mpg_hex_digit(tasks.p[tasks.n - 1 - task / 4]) >> task % 4 & 1) != 0;
    if (mpg_poll(env, task))
      return MPG_INTERRUPTED;
    if (is && !in_run)
      from = task;
    if (!is && in_run) {
      int n = snprintf(text, sizeof text, "%s%zu", any ? "," : "", from);
      if (task - from > 1)
        (void)snprintf(text + n, sizeof text - (size_t)n, "-%zu", task - 1);
      if (mpg_json_put(out, mpg_str_of(text)) != MPG_OK)
        return MPG_NOMEM;
      any = true;
    }
    in_run = is;
  }
  return MPG_OK;
}

mpg_rc mpg_slurm_read_ids(mpg_slurm_fields *f, mpg_slurm_docs *docs, mpg_slurm_object job,
                          const mpg_slurm_id_members *of, mpg_err *err) {
  const mpg_json_member *tasks = mpg_slurm_member(of->array, of->tasks);
  int64_t id = 0, whole = 0, task = 0, offset = 0;
  bool has_id, has_whole, has_task, has_het, has_offset;
  char text[64];
  size_t at;
  mpg_rc rc = mpg_slurm_number(docs, mpg_slurm_member(job, "job_id"), &id, &has_id, err);
  if (rc == MPG_OK && !has_id)
    return mpg_fail(err, MPG_DATA, "%s:%lld:1: expected a job with a number \"job_id\"", docs->name,
                    (long long)docs->line);
  if (rc == MPG_OK)
    rc = mpg_slurm_keep_number(f, FIELD(JobIDRaw), id, err);
  f->values[FIELD(JobIDRaw)].type = MPG_NULL; /* an id is text */
  if (rc == MPG_OK)
    rc =
        mpg_slurm_number(docs, mpg_slurm_member(of->array, of->array_job), &whole, &has_whole, err);
  if (rc == MPG_OK)
    rc = mpg_slurm_number(docs, mpg_slurm_member(of->array, of->task), &task, &has_task, err);
  if (rc != MPG_OK)
    return rc;
  at = f->text.n;
  if (has_whole && whole > 0 && has_task)
    (void)snprintf(text, sizeof text, "%lld_%lld", (long long)whole, (long long)task);
  else if (has_whole && whole > 0)
    (void)snprintf(text, sizeof text, "%lld", (long long)whole);
  else {
    rc = mpg_slurm_number(docs, mpg_slurm_member(of->het, of->het_job), &whole, &has_het, err);
    if (rc == MPG_OK)
      rc = mpg_slurm_number(docs, mpg_slurm_member(of->het, of->offset), &offset, &has_offset, err);
    if (rc != MPG_OK)
      return rc;
    if (has_het && whole > 0)
      (void)snprintf(text, sizeof text, "%lld+%lld", (long long)whole,
                     (long long)(has_offset ? offset : 0));
    else
      (void)snprintf(text, sizeof text, "%lld", (long long)id);
    tasks = NULL;
  }
  if (mpg_json_put(&f->text, mpg_str_of(text)) != MPG_OK)
    return mpg_fail_nomem(err);
  if (!has_task && tasks != NULL && tasks->kind == MPG_JSON_STRING && tasks->text.n > 0) {
    rc = mpg_json_put(&f->text, MPG_STR("_["));
    if (rc == MPG_OK)
      rc = put_tasks(docs->env, &f->text, tasks->text);
    if (rc == MPG_OK)
      rc = mpg_json_put(&f->text, MPG_STR("]"));
    if (rc != MPG_OK)
      return mpg_fail_plain(err, rc);
  }
  mpg_slurm_keep(f, FIELD(JobID), at);
  return MPG_OK;
}
