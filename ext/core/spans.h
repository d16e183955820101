/*
** spans.h - a job's spans, packed: about 12 bytes each for a training log, in the order of arrival.
*/
#ifndef MPG_SPANS_H
#define MPG_SPANS_H

#include "base.h"

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
  MPG_KIND_CUSTOM
} mpg_kind;

typedef struct mpg_span {
  int64_t start, end;              /* end: MPG_OPEN */
  int64_t attempt;                 /* MPG_NONE */
  int64_t step;                    /* MPG_NONE */
  int64_t line;                    /* of the record, where origins are kept, else 0 */
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

/* One job's packed spans. Zero-initialised is empty. */
typedef struct mpg_span_list {
  struct mpg_span_chunk *first, *last;
  size_t n;
  int64_t start, step, attempt, line; /* of the last span, which the next is told against */
} mpg_span_list;

mpg_rc mpg_span_list_add(mpg_span_list *list, mpg_span_arena *arena, const mpg_span *span);
/* Unpacks all of them into `out`, which holds list->n. */
void mpg_span_list_read(const mpg_span_list *list, mpg_span *out);

#endif
