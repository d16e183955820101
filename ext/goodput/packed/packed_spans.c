/*
** packed_spans.c - see packed_spans.h.
**
** A packed span is a head, which says what is as expected; then what is not. Expected are the shape
** of the span before, a start where that span ended, the next step, the same attempt, and the same
** amounts. The length always follows, unless the span has no end. A shape is that of the span
** before, the one before that, the next new one of the group's table, or one of the table by its
** place. Amounts and length are compared with those of the last span whose shape shares a slot.
*/
#include "packed_spans.h"

#include <math.h>

/* The head: */
enum {
  SHAPE_SAME = 0,
  SHAPE_OTHER = 1,
  SHAPE_PLACE = 2,
  SHAPE_NEW = 3,
  SHAPE_BITS = 3,
  HAS_START = 4,
  STEP_NONE = 0 << 3,
  STEP_NEXT = 1 << 3,
  STEP_SAME = 2 << 3,
  STEP_GIVEN = 3 << 3,
  STEP_BITS = 3 << 3,
  HAS_ATTEMPT = 32,
  IS_OPEN = 64,
  HAS_MORE = 128 /* a byte follows: of flops, bytes and executions two bits each, and the line */
};
enum { AMOUNT_NONE, AMOUNT_SAME, AMOUNT_GIVEN, AMOUNT_WHOLE, AMOUNT_BITS = 3 };
enum { FLOPS_AT = 0, BYTES_AT = 2, EXECUTIONS_AT = 4, AMOUNTS_SAME = 0x15, HAS_LINE = 64 };

/* No packed span is longer: head, flags, 6 numbers, 3 amounts; and what is written after them. */
#define PACKED_MAX (2 + 6 * MPG_PACKED_WIDE + 3 * MPG_PACKED_WIDE + 8)
#define CHUNKS_BETWEEN_POLLS 256
#define SHAPES_FIRST 2
#define SHAPES_TRIED 16 /* the latest; of a longer table a shape may be there twice */

/* What the next span of the group is encoded against. */
typedef struct writer {
  mpg_packed_chunk *group;
  int64_t from, step, attempt, line;
  double flops, bytes, executions;
  uint32_t shape, other; /* places */
  mpg_shape now;         /* that of the first; kind 0: none yet */
  mpg_spans_usual usual[MPG_SPANS_USUAL];
  uint32_t cap; /* of the table */
} writer;

/* What is expected after a span: the same amounts, and a line if it has one. */
static inline unsigned more_expected(unsigned more) {
  return ((more | more >> 1) & AMOUNTS_SAME) | (more & HAS_LINE);
}

static bool same_shape(const mpg_shape *a, const mpg_shape *b) {
  return a->kind == b->kind && a->program == b->program && a->dtype == b->dtype &&
         a->file == b->file;
}

static bool add_shape(writer *w, mpg_arena *arena, const mpg_shape *shape) {
  mpg_packed_chunk *group = w->group;
  if (group->nshapes == w->cap) {
    uint32_t cap = w->cap == 0 ? SHAPES_FIRST : w->cap * 2;
    mpg_shape *wide = mpg_arena_cut(arena, cap * sizeof *wide);
    if (wide == NULL)
      return false;
    if (w->cap > 0)
      memcpy(wide, group->shapes, w->cap * sizeof *wide);
    group->shapes = wide;
    w->cap = cap;
  }
  group->shapes[group->nshapes++] = *shape;
  return true;
}

/* What is said of a shape that is not that of the span before. Its place becomes the writer's,
** unless memory ends: then false. */
static bool put_shape(writer *w, mpg_arena *arena, const mpg_shape *shape, unsigned *said) {
  const mpg_packed_chunk *group = w->group;
  uint32_t n = group->nshapes, place = w->other;
  *said = SHAPE_OTHER;
  if (n == 0 || !same_shape(&group->shapes[w->other], shape)) {
    uint32_t least = n > SHAPES_TRIED ? n - SHAPES_TRIED : 0;
    *said = SHAPE_PLACE;
    for (place = n; place > least && !same_shape(&group->shapes[place - 1], shape);)
      place--;
    if (place > least) {
      place--;
    } else {
      *said = SHAPE_NEW;
      place = n;
      if (!add_shape(w, arena, shape))
        return false;
    }
  }
  w->other = n == 0 ? 0 : w->shape;
  w->shape = place;
  w->now = *shape;
  return true;
}

/* How an amount is written, after the last one that was given. */
static inline unsigned said_of_amount(double v, double last) {
  if (isnan(v))
    return AMOUNT_NONE;
  if (v == last && v != 0) /* of zero there are two */
    return AMOUNT_SAME;
  return v >= 1 && v <= 1e9 && v == (double)(uint32_t)v ? AMOUNT_WHOLE : AMOUNT_GIVEN;
}

/* The byte of line and amounts. */
static inline unsigned said_of_more(const writer *w, const mpg_span *s) {
  return said_of_amount(s->flops, w->flops) << FLOPS_AT |
         said_of_amount(s->bytes, w->bytes) << BYTES_AT |
         said_of_amount(s->executions, w->executions) << EXECUTIONS_AT |
         (s->line != 0 ? HAS_LINE : 0);
}

static inline unsigned char *put_amount(unsigned char *p, unsigned said, double v, double *last) {
  said &= AMOUNT_BITS;
  if (said == AMOUNT_WHOLE)
    p = mpg_packed_put(p, (uint32_t)v);
  if (said == AMOUNT_GIVEN) {
    memcpy(p, &v, sizeof v);
    p += sizeof v;
  }
  if (said != AMOUNT_NONE)
    *last = v;
  return p;
}

static inline unsigned char *put_more(writer *w, const mpg_span *s, unsigned more,
                                      unsigned char *p) {
  if (more & HAS_LINE) {
    p = mpg_packed_put(p, mpg_packed_change(w->line, s->line));
    w->line = s->line;
  }
  p = put_amount(p, more >> FLOPS_AT, s->flops, &w->flops);
  p = put_amount(p, more >> BYTES_AT, s->bytes, &w->bytes);
  return put_amount(p, more >> EXECUTIONS_AT, s->executions, &w->executions);
}

/* Writes up to PACKED_MAX bytes, of which the ones returned count. */
static inline size_t pack(writer *w, const mpg_span *s, unsigned said, unsigned char *out) {
  unsigned char *p = out + 1;
  unsigned head = said, more = said_of_more(w, s);
  mpg_spans_usual *usual = &w->usual[w->shape % MPG_SPANS_USUAL];
  if (more != usual->more) {
    head |= HAS_MORE;
    *p++ = (unsigned char)more;
    usual->more = more_expected(more);
  }
  if (said == SHAPE_PLACE)
    p = mpg_packed_put(p, w->shape);
  if (s->start != w->from) {
    head |= HAS_START;
    p = mpg_packed_put(p, mpg_packed_change(w->from, s->start));
  }
  w->from = s->start;
  if (s->end != MPG_OPEN) {
    int64_t length = (int64_t)((uint64_t)s->end - (uint64_t)s->start);
    p = mpg_packed_put(p, mpg_packed_change(usual->length, length));
    usual->length = length;
    w->from = s->end;
  } else {
    head |= IS_OPEN;
  }
  if (s->step != MPG_NONE) {
    uint64_t change = mpg_packed_change(w->step, s->step);
    head |= change == 2 ? STEP_NEXT : change == 0 ? STEP_SAME : STEP_GIVEN;
    if (change != 2 && change != 0)
      p = mpg_packed_put(p, change);
    w->step = s->step;
  }
  if (s->attempt != w->attempt) {
    head |= HAS_ATTEMPT;
    p = mpg_packed_put(p, mpg_packed_change(w->attempt, s->attempt));
    w->attempt = s->attempt;
  }
  if (more != 0)
    p = put_more(w, s, more, p);
  *out = (unsigned char)head;
  return (size_t)(p - out);
}

/* The list's writer, at the start of a group that has no span yet. */
static writer *begin_group(mpg_packed *list, mpg_arena *arena) {
  writer *w = mpg_arena_cut(arena, sizeof *w);
  if (w == NULL || mpg_packed_room(list, arena, 1) == NULL)
    return NULL;
  *w = (writer){.group = list->last, .attempt = MPG_NONE};
  list->writer = w;
  return w;
}

/* Adds a span, into another chunk if what is left of the last one is too small. */
static mpg_rc add_at_end(mpg_packed *list, mpg_arena *arena, const mpg_span *span,
                         const mpg_shape *shape) {
  unsigned char packed[PACKED_MAX], *room;
  writer *w = list->writer, before = *w;
  unsigned said = SHAPE_SAME;
  size_t n;
  if (!same_shape(shape, &w->now) && !put_shape(w, arena, shape, &said))
    return MPG_NOMEM;
  n = pack(w, span, said, packed);
  room = mpg_packed_room(list, arena, n);
  if (room == NULL) {
    w->group->nshapes -= said == SHAPE_NEW;
    before.cap = w->cap;
    *w = before;
    return MPG_NOMEM;
  }
  memcpy(room, packed, n);
  mpg_packed_count(list, n);
  return MPG_OK;
}

mpg_rc mpg_spans_add(mpg_packed *list, mpg_arena *arena, const mpg_span *span) {
  writer *w = list->writer;
  const mpg_shape shape = {span->kind, span->program, span->dtype, span->file};
  unsigned said = SHAPE_SAME;
  if (w == NULL && (w = begin_group(list, arena)) == NULL)
    return MPG_NOMEM;
  if (list->last->cap - list->last->used < PACKED_MAX)
    return add_at_end(list, arena, span, &shape);
  if (!same_shape(&shape, &w->now) && !put_shape(w, arena, &shape, &said))
    return MPG_NOMEM;
  mpg_packed_count(list, pack(w, span, said, list->last->bytes + list->last->used));
  return MPG_OK;
}

/* ---- unpacking ---- */

static inline const unsigned char *get_amount(const unsigned char *p, unsigned what, double *last,
                                              double *out) {
  uint64_t v;
  switch (what & AMOUNT_BITS) {
  case AMOUNT_NONE:
    return p;
  case AMOUNT_SAME:
    break;
  case AMOUNT_WHOLE:
    p = mpg_packed_get(p, &v);
    *last = (double)v;
    break;
  default:
    memcpy(last, p, sizeof *last);
    p += sizeof *last;
    break;
  }
  *out = *last;
  return p;
}

static const unsigned char *get_more(const unsigned char *p, mpg_spans_reader *r, unsigned more,
                                     mpg_span *s) {
  uint64_t v;
  if (more & HAS_LINE) {
    p = mpg_packed_get(p, &v);
    s->line = r->line = mpg_packed_changed(r->line, v);
  }
  p = get_amount(p, more >> FLOPS_AT, &r->flops, &s->flops);
  p = get_amount(p, more >> BYTES_AT, &r->bytes, &s->bytes);
  return get_amount(p, more >> EXECUTIONS_AT, &r->executions, &s->executions);
}

static inline const unsigned char *get_shape(const unsigned char *p, mpg_spans_reader *r,
                                             unsigned said) {
  const uint32_t before = r->place;
  uint64_t place = r->other;
  if (said == SHAPE_PLACE)
    p = mpg_packed_get(p, &place);
  else if (said == SHAPE_NEW)
    place = r->nshapes++;
  r->place = (uint32_t)place;
  r->other = before;
  if (r->shapes != NULL) /* a group has them */
    r->shape = r->shapes[place];
  return p;
}

void mpg_spans_read_bytes(mpg_spans_reader *reader, const mpg_packed_bytes *piece) {
  const unsigned char *p = piece->p, *stop = p + piece->n;
  mpg_spans_reader r = *reader;
  if (piece->begins)
    r = (mpg_spans_reader){
        .out = r.out, .stride = r.stride, .attempt = MPG_NONE, .shapes = piece->shapes};
  for (; p < stop; r.out += r.stride) {
    mpg_span *s = (mpg_span *)(void *)r.out;
    unsigned head = *p++, more = head & HAS_MORE ? *p++ : 0;
    mpg_spans_usual *usual;
    uint64_t v;
    if ((head & SHAPE_BITS) != SHAPE_SAME)
      p = get_shape(p, &r, head & SHAPE_BITS);
    usual = &r.usual[r.place % MPG_SPANS_USUAL];
    if (!(head & HAS_MORE))
      more = usual->more;
    else
      usual->more = more_expected(more);
    s->kind = r.shape.kind;
    s->program = r.shape.program;
    s->dtype = r.shape.dtype;
    s->file = r.shape.file;
    if (head & HAS_START) {
      p = mpg_packed_get(p, &v);
      r.from = mpg_packed_changed(r.from, v);
    }
    s->start = r.from;
    s->end = MPG_OPEN;
    if (!(head & IS_OPEN)) {
      p = mpg_packed_get(p, &v);
      usual->length = mpg_packed_changed(usual->length, v);
      s->end = r.from = (int64_t)((uint64_t)r.from + (uint64_t)usual->length);
    }
    s->step = MPG_NONE;
    if ((head & STEP_BITS) != STEP_NONE) {
      if ((head & STEP_BITS) == STEP_GIVEN) {
        p = mpg_packed_get(p, &v);
        r.step = mpg_packed_changed(r.step, v);
      } else {
        r.step = (int64_t)((uint64_t)r.step + ((head & STEP_BITS) == STEP_NEXT));
      }
      s->step = r.step;
    }
    if (head & HAS_ATTEMPT) {
      p = mpg_packed_get(p, &v);
      r.attempt = mpg_packed_changed(r.attempt, v);
    }
    s->attempt = r.attempt;
    s->line = 0;
    s->flops = s->bytes = s->executions = (double)NAN;
    if (more != 0)
      p = get_more(p, &r, more, s);
  }
  *reader = r;
}

mpg_rc mpg_spans_read_list(const mpg_packed *list, mpg_span *out, size_t stride,
                           const mpg_env *env) {
  mpg_spans_reader r = {.out = (char *)out, .stride = stride};
  unsigned turn = 0;
  for (const mpg_packed_chunk *chunk = list->first; chunk != NULL; chunk = chunk->next) {
    mpg_packed_bytes piece = mpg_packed_bytes_of(chunk);
    if (++turn % CHUNKS_BETWEEN_POLLS == 0 && mpg_interrupted(env))
      return MPG_INTERRUPTED;
    mpg_spans_read_bytes(&r, &piece);
  }
  return MPG_OK;
}
