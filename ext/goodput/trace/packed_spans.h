/*
** packed_spans.h - a job's spans, packed: about 12 bytes each for a training log, in the order of
** arrival.
*/
#ifndef MPG_SPANS_H
#define MPG_SPANS_H

#include "../../base/base.h"

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

/* Memory that packed spans are cut from; freed as a whole. */
typedef struct mpg_span_arena {
  const mpg_env *env;
  struct mpg_span_block *blocks;
  size_t used; /* of the newest block */
} mpg_span_arena;

void mpg_span_arena_init(mpg_span_arena *arena, const mpg_env *env);
void mpg_span_arena_free(mpg_span_arena *arena);
/* Everything cut after the mark was taken is given back. */
typedef struct mpg_span_mark {
  struct mpg_span_block *block;
  size_t used;
} mpg_span_mark;
mpg_span_mark mpg_span_arena_mark(const mpg_span_arena *arena);
void mpg_span_arena_rewind(mpg_span_arena *arena, mpg_span_mark mark);
/* `from` is empty then; what was cut from it lives on in `into`. Of one allocator. */
void mpg_span_arena_join(mpg_span_arena *into, mpg_span_arena *from);

/* One job's packed spans. Zero-initialised is empty. */
typedef struct mpg_span_list {
  struct mpg_span_chunk *first, *last;
  size_t n;
  int64_t from, step, attempt,
      line;  /* of the last span; the next is encoded against it; from: its end */
  bool anew; /* the next span begins a new chunk, encoded against nothing */
} mpg_span_list;

/* The ids of this list for the ids in another list's spans; 0 for 0. */
typedef struct mpg_span_names {
  const uint32_t *kinds, *programs, *texts;
} mpg_span_names;

mpg_rc mpg_span_list_add(mpg_span_list *list, mpg_span_arena *arena, const mpg_span *span);
/* Appends the spans of `more`. Spans and names are not copied. */
void mpg_span_list_join(mpg_span_list *list, const mpg_span_list *more,
                        const mpg_span_names *names);
/* Unpacks all of them, list->n, to `out` and every `stride` bytes after. MPG_INTERRUPTED, or
** MPG_OK. */
mpg_rc mpg_span_list_unpack(const mpg_span_list *list, mpg_span *out, size_t stride,
                            const mpg_env *env);
static inline mpg_rc mpg_span_list_read(const mpg_span_list *list, mpg_span *out,
                                        const mpg_env *env) {
  return mpg_span_list_unpack(list, out, sizeof *out, env);
}

#endif
