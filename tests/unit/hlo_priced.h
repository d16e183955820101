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

static inline void price_text(priced *p, const char *text) {
  mpg_err err = {MPG_OK, ""};
  memset(p, 0, sizeof *p);
  mpg_hlo_cost_init(&p->cost, &mpg_env_libc);
  if (mpg_stream_memory(&p->stream, &mpg_env_libc, "mem", mpg_str_of(text), &err) != MPG_OK ||
      mpg_hlo_text_open(&p->reader, &mpg_env_libc, p->stream, &err) != MPG_OK ||
      mpg_hlo_text_next(p->reader, &p->m, &err) != MPG_OK ||
      mpg_hlo_cost_module(&p->cost, p->m, &err) != MPG_OK) {
    (void)fprintf(stderr, "  %s\n  %s\n", text, err.text);
    abort();
  }
}

static inline void done(priced *p) {
  mpg_hlo_cost_free(&p->cost);
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
