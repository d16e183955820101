/*
** hlo_told.h - for the tests of the text of HLO: every module of a text as what it comes to, or the
** error.
*/
#ifndef MPG_HLO_TOLD_H
#define MPG_HLO_TOLD_H

#include "check.h"
#include "hostile.h"
#include "../../ext/program/hlo/hlo_cost.h"
#include "../../ext/formats/hlo/hlo_text.h"

#define ADD "add { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT a = f32[] add(x, y) }\n"

/* Every module as "(LINE NAME instructions flops transcendentals bytes)", errors as "{text}". */
static inline mpg_rc render_text(const mpg_env *env, mpg_str text, char *out, size_t cap) {
  mpg_stream *stream = NULL;
  mpg_hlo_text *reader = NULL;
  mpg_hlo_cost cost;
  mpg_err err;
  size_t n = 0;
  mpg_rc rc = mpg_stream_memory(&stream, env, "mem", text, &err);
  out[0] = '\0';
  mpg_hlo_cost_init(&cost, env);
  if (rc == MPG_OK)
    rc = mpg_hlo_text_open(&reader, env, stream, &err);
  while (rc == MPG_OK || rc == MPG_DATA) {
    const mpg_hlo_module *m = NULL;
    rc = mpg_hlo_text_next(reader, &m, &err);
    if (rc == MPG_DATA && n < cap)
      n += (size_t)snprintf(out + n, cap - n, "{%s}", err.text);
    if (rc == MPG_OK)
      rc = mpg_hlo_cost_module(&cost, m, &err);
    else
      continue;
    if (rc == MPG_OK && n < cap)
      n += (size_t)snprintf(
          out + n, cap - n, "(%lld %.*s %zu %lld %lld %lld)", (long long)mpg_hlo_text_line(reader),
          (int)m->name.n, m->name.p, m->n, (long long)cost.sum.of[MPG_HLO_FLOPS],
          (long long)cost.sum.of[MPG_HLO_TRANSCENDENTALS], (long long)cost.sum.of[MPG_HLO_BYTES]);
  }
  mpg_hlo_cost_free(&cost);
  mpg_hlo_text_close(reader);
  mpg_stream_close(stream);
  return rc;
}

static inline void expect(const char *text, const char *expected) {
  for (size_t b = 0; b < HOSTILE_BLOCKS; b++) {
    char out[4096];
    hostile_block(hostile_blocks[b]);
    CHECK(render_text(&mpg_env_libc, mpg_str_of(text), out, sizeof out) == MPG_DONE);
    CHECK(strcmp(out, expected) == 0);
    if (strcmp(out, expected) != 0)
      (void)fprintf(stderr, "  found    %s\n  expected %s\n", out, expected);
  }
  hostile_block(0);
}

#endif
