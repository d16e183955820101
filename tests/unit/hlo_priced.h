/*
** hlo_priced.h - for the tests of what HLO costs: a module from its text, priced, and its instructions by
** their names.
*/
#ifndef MPG_HLO_PRICED_H
#define MPG_HLO_PRICED_H

#include "check.h"
#include "hostile.h"
#include "../../ext/core/hlo_cost.h"
#include "../../ext/io/hlo_text.h"

/* A module, read and priced. */
typedef struct priced {
  mpg_stream *stream;
  mpg_hlo_text *reader;
  const mpg_hlo_module *m;
  mpg_hlo_cost cost;
} priced;

/* What each instruction costs, times how often it runs, is the total, unless one of them is at its limit. */
static inline bool is_conserved(const mpg_hlo_cost *c) {
  for (int k = 0; k < MPG_HLO_COUNTERS; k++) {
    mpg_i128 sum = 0;
    for (size_t i = 0; i < c->m->n; i++)
      sum = mpg_hlo_add(sum, mpg_hlo_mul(c->price[i].own.of[k],
                                         c->times[c->m->instructions[i].computation].of[k]));
    if (sum != c->sum.of[k])
      return false;
  }
  return true;
}

/* Priced, and priced again in the same memory, to the same. */
static inline bool is_priced_alike(mpg_hlo_cost *c, const mpg_hlo_module *m, mpg_err *err) {
  mpg_hlo_cost first;
  if (mpg_hlo_cost_module(c, m, err) != MPG_OK || !is_conserved(c))
    return false;
  first = *c;
  return mpg_hlo_cost_module(c, m, err) == MPG_OK && is_conserved(c) &&
         memcmp(&c->sum, &first.sum, sizeof first.sum) == 0 &&
         memcmp(c->matmul, first.matmul, sizeof first.matmul) == 0 &&
         c->parameter_bytes == first.parameter_bytes && c->result_bytes == first.result_bytes &&
         c->known == first.known && c->unknown_trips == first.unknown_trips &&
         c->devices == first.devices;
}

static inline void price_text(priced *p, const char *text) {
  mpg_err err = {MPG_OK, ""};
  memset(p, 0, sizeof *p);
  mpg_hlo_cost_init(&p->cost, &mpg_env_libc);
  if (mpg_stream_memory(&p->stream, &mpg_env_libc, "mem", mpg_str_of(text), &err) != MPG_OK ||
      mpg_hlo_text_open(&p->reader, &mpg_env_libc, p->stream, &err) != MPG_OK ||
      mpg_hlo_text_next(p->reader, &p->m, &err) != MPG_OK ||
      !is_priced_alike(&p->cost, p->m, &err)) {
    (void)fprintf(stderr, "  %s\n  %s\n", text, err.text);
    abort();
  }
}

static inline void done(priced *p) {
  mpg_hlo_cost_free(&p->cost);
  mpg_hlo_cost_free(&p->cost); /* which may have been done */
  mpg_hlo_text_close(p->reader);
  mpg_stream_close(p->stream);
}

/* The instruction of this name, of the last computation that has one. */
static inline const mpg_hlo_instruction *named(const priced *p, const char *name) {
  for (size_t i = p->m->n; i-- > 0;)
    if (mpg_str_eq(p->m->instructions[i].name, mpg_str_of(name)))
      return &p->m->instructions[i];
  (void)fprintf(stderr, "  no %s\n", name);
  abort();
}

static inline const mpg_hlo_price *price_of(const priced *p, const char *name) {
  return &p->cost.price[named(p, name) - p->m->instructions];
}

static inline char *put(char *to, const char *text) {
  while (*text != '\0')
    *to++ = *text++;
  return to;
}

#endif
