/*
** hlo_priced.h - for the tests of what HLO costs: a module from its text, priced, and its
** instructions by their names.
*/
#ifndef MPG_HLO_PRICED_H
#define MPG_HLO_PRICED_H

#include "check.h"
#include "hostile.h"
#include "../../ext/program/hlo/hlo_cost.h"
#include "../../ext/formats/hlo/hlo_text.h"

/* A module, read and priced. */
typedef struct priced {
  mpg_stream *stream;
  mpg_hlo_text *reader;
  const mpg_hlo_module *m;
  mpg_hlo_cost cost;
} priced;

/* Who uses an instruction: each other once, in the order of the text. */
static inline bool has_users(const mpg_hlo_module *m, uint32_t of) {
  uint32_t at = m->user_start[of];
  for (uint32_t i = 0; i < m->n; i++) {
    bool uses = false;
    for (uint32_t k = 0; k < m->instructions[i].noperands; k++)
      uses |= mpg_hlo_operand(m, &m->instructions[i], k) == of;
    if (uses && (at == m->user_start[of + 1] || m->users[at++] != i))
      return false;
  }
  return at == m->user_start[of + 1];
}

/* Parameters by number as far as there are instructions; of two of one number the later. */
static inline bool has_parameters(const mpg_hlo_module *m, uint32_t of) {
  const mpg_hlo_computation *c = &m->computations[of];
  int64_t n = 0, most = -1;
  for (uint32_t i = c->first; i != MPG_HLO_NONE; i = m->instructions[i].next, n++)
    if (m->instructions[i].rule == MPG_HLO_PARAMETER && m->instructions[i].number > most)
      most = m->instructions[i].number;
  if (c->nparameters != (most + 1 < n ? most + 1 : n))
    return false;
  for (uint32_t p = 0; p < c->nparameters; p++) {
    uint32_t found = MPG_HLO_NONE;
    for (uint32_t i = c->first; i != MPG_HLO_NONE; i = m->instructions[i].next)
      if (m->instructions[i].rule == MPG_HLO_PARAMETER && m->instructions[i].number == p)
        found = i;
    if (m->parameters[c->parameter + p] != found)
      return false;
  }
  return true;
}

/* What linking a module adds, looked up one by one; not in the large ones, where that takes
** long. */
static inline bool is_linked(const mpg_hlo_module *m) {
  for (size_t k = 0; k < m->n_computations && m->n < 500; k++) { /* callees first, each once */
    const mpg_hlo_computation *c = &m->computations[m->order[k]];
    for (size_t j = 0; j < k; j++)
      if (m->order[j] == m->order[k])
        return false;
    for (uint32_t i = c->first; i != MPG_HLO_NONE; i = m->instructions[i].next)
      for (uint32_t e = 0; e < m->instructions[i].nedges; e++) {
        size_t before = 0;
        while (before < k && m->order[before] != m->edges[m->instructions[i].edge + e].callee)
          before++;
        if (before == k)
          return false;
      }
    if (!has_parameters(m, m->order[k]))
      return false;
  }
  for (uint32_t i = 0; i < m->n && m->n < 500; i++) {
    uint32_t last = i;
    for (uint32_t j = i; j < m->n; j++)
      if (m->instructions[j].computation == m->instructions[i].computation &&
          mpg_str_eq(m->instructions[j].name, m->instructions[i].name))
        last = j;
    if (mpg_hlo_find(m, m->instructions[i].computation, m->instructions[i].name) != last ||
        mpg_hlo_find(m, m->instructions[i].computation, MPG_STR("no such name")) != MPG_HLO_NONE ||
        !has_users(m, i))
      return false;
  }
  return true;
}

/* What each instruction costs, times how often it runs, is the total, unless one of them is at
** its limit. */
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
      mpg_hlo_text_next(p->reader, &p->m, &err) != MPG_OK || !is_linked(p->m) ||
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

/* Computations that costs() puts before the entry. */
#define ADD "add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }\n"
#define GE                                                                                         \
  "ge { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = pred[] compare(x, y), "             \
  "direction=GE }\n"

/* What r = ROOT costs by itself, and whether that is all it costs. */
static inline void costs(const char *parameters, const char *root, bool known, long long flops,
                         long long transcendentals, long long bytes) {
  char text[4096];
  const mpg_hlo_price *r;
  priced p;
  bool good;
  (void)snprintf(text, sizeof text, ADD GE "ENTRY e { %s ROOT r = %s }\n", parameters, root);
  price_text(&p, text);
  r = price_of(&p, "r");
  good = r->known == known && r->own.of[MPG_HLO_FLOPS] == flops &&
         r->own.of[MPG_HLO_TRANSCENDENTALS] == transcendentals && r->own.of[MPG_HLO_BYTES] == bytes;
  CHECK(good);
  if (!good)
    (void)fprintf(stderr, "  %s\n  found %s %lld %lld %lld\n", root, r->known ? "known" : "unknown",
                  (long long)r->own.of[MPG_HLO_FLOPS],
                  (long long)r->own.of[MPG_HLO_TRANSCENDENTALS],
                  (long long)r->own.of[MPG_HLO_BYTES]);
  done(&p);
}

static inline char *put(char *to, const char *text) {
  while (*text != '\0')
    *to++ = *text++;
  return to;
}

#endif
