/* record_id.c - see record_id.h. */
#include "record_id.h"

#include <math.h>
#include <string.h>

#define ID_BITS 62 /* room above for what numbers equal records (sql/build.sql) */

static uint64_t text_word(mpg_str s) {
  return s.p == NULL ? 0 : mpg_hash(1, s.p, s.n);
}

/* Equal amounts have equal words: none is one NaN, and -0 is 0. */
static uint64_t amount_word(double v) {
  uint64_t word;
  v = isnan(v) ? (double)NAN : v + 0.0;
  memcpy(&word, &v, sizeof word);
  return word;
}

typedef enum span_text { TEXT_JOB, TEXT_KIND, TEXT_PROGRAM, TEXT_DTYPE } span_text;

/* The word of a span's text, which is hashed if it is another one than that of the span before. */
static uint64_t span_word(mpg_record_texts *before, span_text which, const mpg_intern *names,
                          uint32_t id) {
  if (before->ids[which] != id) {
    before->ids[which] = id;
    before->hashes[which] = text_word(mpg_intern_text(names, id));
  }
  return before->hashes[which];
}

/* What a span says. */
static size_t span_words(const mpg_record_place *place, uint64_t *w) {
  const mpg_fleet *f = place->fleet;
  const mpg_span *r = &place->spans[place->i];
  size_t n = 0;
  w[n++] = span_word(place->texts, TEXT_JOB, &f->job_names, (uint32_t)place->job + 1);
  w[n++] = span_word(place->texts, TEXT_KIND, &f->kind_names, r->kind);
  w[n++] = span_word(place->texts, TEXT_PROGRAM, &f->program_names, r->program);
  w[n++] = span_word(place->texts, TEXT_DTYPE, &f->texts, r->dtype);
  w[n++] = (uint64_t)r->attempt;
  w[n++] = (uint64_t)r->start;
  w[n++] = (uint64_t)r->end;
  w[n++] = (uint64_t)r->step;
  w[n++] = amount_word(r->flops);
  w[n++] = amount_word(r->bytes);
  w[n++] = amount_word(r->executions);
  return n;
}

static size_t allocation_words(const mpg_fleet *f, const mpg_allocation *r, uint64_t *w) {
  size_t n = 0;
  w[n++] = text_word(mpg_intern_text(&f->pool_names, r->pool + 1));
  w[n++] = text_word(mpg_intern_text(&f->texts, r->task));
  w[n++] = (uint64_t)r->attempt;
  w[n++] = (uint64_t)r->outcome;
  w[n++] = (uint64_t)r->chips;
  w[n++] = (uint64_t)r->start;
  w[n++] = (uint64_t)r->end;
  return n;
}

/* The words of a pool's record, its capacity or an outage. */
static size_t pool_words(const mpg_fleet *f, uint32_t pool, uint32_t text, const int64_t *figures,
                         uint64_t *w) {
  w[0] = text_word(mpg_intern_text(&f->pool_names, pool + 1));
  w[1] = text_word(mpg_intern_text(&f->texts, text));
  for (size_t i = 0; i < 3; i++)
    w[2 + i] = (uint64_t)figures[i];
  return 5;
}

static size_t job_words(const mpg_fleet *f, size_t job, uint64_t *w) {
  *w = text_word(mpg_intern_text(&f->job_names, (uint32_t)job + 1));
  return 1;
}

/* The record's words after its relation. Every field is in one of them. Files keep ids, so the
** numbers of relations and outcomes are part of the format of sql/build.sql. */
static size_t record_words(const mpg_record_place *place, uint64_t *w) {
  const mpg_fleet *f = place->fleet;
  switch (place->relation) {
  case MPG_REL_CAPACITY: {
    const mpg_capacity *r = &f->capacity[place->i];
    return pool_words(f, r->pool, r->chip, (const int64_t[]){r->chips, r->start, r->end}, w);
  }
  case MPG_REL_OUTAGES: {
    const mpg_outage *r = &f->outages[place->i];
    return pool_words(f, r->pool, r->kind, (const int64_t[]){r->chips, r->start, r->end}, w);
  }
  case MPG_REL_JOBS:
    return job_words(f, place->i, w);
  case MPG_REL_ALLOCATIONS:
    (void)job_words(f, f->allocations[place->i].job, w);
    return 1 + allocation_words(f, &f->allocations[place->i], w + 1);
  case MPG_REL_SPANS:
    return span_words(place, w);
  case MPG_REL_COMMITS: {
    const mpg_commit *r = &place->commits[place->i];
    const int64_t figures[] = {r->step, r->snapshot, r->durable};
    (void)job_words(f, r->job, w);
    for (size_t i = 0; i < 3; i++)
      w[1 + i] = (uint64_t)figures[i];
    return 4;
  }
  default:
    *w = text_word(mpg_intern_text(&f->program_names, (uint32_t)place->i + 1));
    return 1;
  }
}

int64_t mpg_record_id(const mpg_record_place *place) {
  uint64_t words[16];
  size_t n;
  words[0] = (uint64_t)place->relation;
  n = 1 + record_words(place, words + 1);
  return (int64_t)(mpg_hash(0, words, n * sizeof *words) >> (64 - ID_BITS));
}
