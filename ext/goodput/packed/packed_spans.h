/*
** packed_spans.h - a job's spans, packed: 3 to 6 bytes each for a training log, in the order of
** arrival.
*/
#ifndef MPG_PACKED_SPANS_H
#define MPG_PACKED_SPANS_H

#include "packed.h"

#define MPG_NONE INT64_MIN /* an integer that is not there: attempt, step, commit's times */
#define MPG_OPEN INT64_MAX /* the end of what has not ended */

/* Kinds by number; those from MPG_KIND_CUSTOM on are named by the trace. */
typedef enum mpg_kind {
  MPG_KIND_INIT = 1,
  MPG_KIND_PREP,
  MPG_KIND_COMPILE,
  MPG_KIND_RESTORE,
  MPG_KIND_INPUT,
  MPG_KIND_CHECKPOINT,
  MPG_KIND_EVAL,
  MPG_KIND_HANG,
  MPG_KIND_STEP,
  MPG_KIND_SERVE,
  MPG_KIND_BATCH,
  MPG_KIND_ROLLOUT,
  MPG_KIND_CUSTOM
} mpg_kind;

/* Whether a span of the kind is evidence of a restart between a step and its repetition. */
static inline bool mpg_kind_restarts(uint32_t kind) {
  return kind == MPG_KIND_INIT || kind == MPG_KIND_RESTORE;
}

typedef struct mpg_span {
  int64_t start, end;              /* end: MPG_OPEN */
  int64_t attempt;                 /* MPG_NONE */
  int64_t step;                    /* MPG_NONE */
  int64_t line;                    /* of the record if origins are recorded, else 0 */
  double flops, bytes, executions; /* NAN: not given */
  uint32_t kind, program, dtype;   /* numbers of the fleet's interned texts; 0: not given */
  uint32_t file;
} mpg_span;

mpg_rc mpg_spans_add(mpg_packed *list, mpg_arena *arena, const mpg_span *span);

/* What the next span of a shape likely has too. Shapes share slots, by their places. */
enum { MPG_SPANS_USUAL = 4 };
typedef struct mpg_spans_usual {
  int64_t length;
  unsigned more; /* the byte of line and amounts */
} mpg_spans_usual;

/* Unpacks piece after piece of a list, in order. */
typedef struct mpg_spans_reader {
  char *out; /* where the next span goes; each `stride` bytes after the one before */
  size_t stride;
  int64_t from, step, attempt, line;
  double flops, bytes, executions;
  const mpg_shape *shapes;
  mpg_shape shape;       /* of the last span: */
  uint32_t place, other; /* its place, and that of the one before that it differs from */
  uint32_t nshapes;      /* that were used */
  mpg_spans_usual usual[MPG_SPANS_USUAL];
} mpg_spans_reader;
void mpg_spans_read_bytes(mpg_spans_reader *reader, const mpg_packed_bytes *piece);

/* Unpacks all of them, list->n, to `out` and every `stride` bytes after. MPG_INTERRUPTED, or
** MPG_OK. */
mpg_rc mpg_spans_read_list(const mpg_packed *list, mpg_span *out, size_t stride,
                           const mpg_env *env);

#endif
