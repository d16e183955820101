/*
** packed_spans.c - see packed_spans.h.
**
** A packed span is a head of flags and sizes; then the numbers that most spans have, little-endian,
** in as many bytes as the head says; then what few have, numbers in base 128 and doubles as their 8
** bytes. Step, attempt and line are encoded as the difference from the span before. The start is
** encoded as the difference from the end of the span before, if it has one, for many begin there.
*/
#include "packed_spans.h"

#include <endian.h>
#include <math.h>
#include <string.h>

enum {
  HAS_END = 1,
  HAS_STEP = 2,
  HAS_ATTEMPT = 8,
  HAS_ORIGIN = 16,
  HAS_COST = 32 /* a second byte of flags follows: */
};
enum { HAS_FLOPS = 1, HAS_BYTES = 2, HAS_EXECUTIONS = 4, HAS_DTYPE = 8 };

/* No packed span is longer: head and flags, 6 numbers of 8 bytes, 3 of up to 10, 3 doubles; and 7
** bytes that are written and do not count. */
#define PACKED_MAX 128
#define CHUNKS_BETWEEN_POLLS 256
#define CHUNK_FIRST ((size_t)72) /* a multiple of 8, as all that is cut from a block */
#define CHUNK_LAST 4096
#define BLOCK_BYTES ((size_t)1 << 20)

struct mpg_span_block {
  struct mpg_span_block *next;
  unsigned char bytes[];
};

struct mpg_span_chunk {
  struct mpg_span_chunk *next;
  const mpg_span_names
      *names; /* where it begins anew: of its spans and those after; NULL: as are */
  uint16_t used, cap;
  bool anew;
  unsigned char bytes[];
};

void mpg_span_arena_init(mpg_span_arena *arena, const mpg_env *env) {
  *arena = (mpg_span_arena){env, NULL, BLOCK_BYTES};
}

void mpg_span_arena_free(mpg_span_arena *arena) {
  while (arena->blocks != NULL) {
    struct mpg_span_block *next = arena->blocks->next;
    mpg_free(arena->env, arena->blocks);
    arena->blocks = next;
  }
  arena->used = BLOCK_BYTES;
}

mpg_span_mark mpg_span_arena_mark(const mpg_span_arena *arena) {
  return (mpg_span_mark){arena->blocks, arena->used};
}

void mpg_span_arena_rewind(mpg_span_arena *arena, mpg_span_mark mark) {
  while (arena->blocks != mark.block) {
    struct mpg_span_block *next = arena->blocks->next;
    /* If the mark has no block and there is just one, it is kept for the next spans. */
    if (mark.block == NULL && next == NULL) {
      arena->used = 0;
      return;
    }
    mpg_free(arena->env, arena->blocks);
    arena->blocks = next;
  }
  arena->used = mark.used;
}

void mpg_span_arena_join(mpg_span_arena *into, mpg_span_arena *from) {
  struct mpg_span_block *last = from->blocks;
  if (last == NULL)
    return;
  if (into->blocks == NULL) { /* its newest block continues being filled */
    into->blocks = from->blocks;
    into->used = from->used;
  } else {
    while (last->next != NULL)
      last = last->next;
    last->next = into->blocks->next;
    into->blocks->next = from->blocks;
  }
  from->blocks = NULL;
  from->used = BLOCK_BYTES;
}

/* A chunk of `bytes` in all, a multiple of 8 and far below BLOCK_BYTES. */
static struct mpg_span_chunk *new_chunk(mpg_span_arena *arena, size_t bytes) {
  struct mpg_span_chunk *chunk;
  if (BLOCK_BYTES - arena->used < bytes) {
    /* A few bytes more, since numbers are read 8 bytes wide. */
    struct mpg_span_block *block = mpg_malloc(arena->env, sizeof *block + BLOCK_BYTES + 8);
    if (block == NULL)
      return NULL;
    block->next = arena->blocks;
    arena->blocks = block;
    arena->used = 0;
  }
  chunk = (struct mpg_span_chunk *)(void *)(arena->blocks->bytes + arena->used);
  arena->used += bytes;
  chunk->next = NULL;
  chunk->names = NULL;
  chunk->anew = false;
  chunk->used = 0;
  chunk->cap = (uint16_t)(bytes - offsetof(struct mpg_span_chunk, bytes));
  return chunk;
}

static unsigned char *put_varint(unsigned char *p, uint64_t v) {
  while (v >= 0x80) {
    *p++ = (unsigned char)(v | 0x80);
    v >>= 7;
  }
  *p++ = (unsigned char)v;
  return p;
}

static const unsigned char *get_varint(const unsigned char *p, uint64_t *v) {
  uint64_t x = 0;
  int shift = 0;
  while (*p >= 0x80) {
    x |= (uint64_t)(*p++ & 0x7f) << shift;
    shift += 7;
  }
  *v = x | (uint64_t)*p++ << shift;
  return p;
}

static unsigned char *put_double(unsigned char *p, double v) {
  memcpy(p, &v, sizeof v);
  return p + sizeof v;
}

static const unsigned char *get_double(const unsigned char *p, double *v) {
  memcpy(v, p, sizeof *v);
  return p + sizeof *v;
}

/* The six numbers that most spans have; the head has the number of bytes of each. */
enum { START, LENGTH, STEP, PROGRAM, KIND, ATTEMPT };
#define HEAD_BYTES 4

static inline unsigned char *put_sized(unsigned char *p, uint64_t v, int which, uint32_t *head) {
  uint32_t bytes = v == 0 ? 0 : (uint32_t)(71 - __builtin_clzll(v)) / 8;
  uint64_t little = htole64(v);
  memcpy(p, &little, sizeof little); /* more than counts: what follows is written over it */
  *head |= bytes << (8 + 4 * which);
  return p + bytes;
}

static inline const unsigned char *get_sized(const unsigned char *p, uint64_t *v, int which,
                                             uint32_t head) {
  static const uint64_t masks[9] = {0,
                                    UINT64_C(0xff),
                                    UINT64_C(0xffff),
                                    UINT64_C(0xffffff),
                                    UINT64_C(0xffffffff),
                                    UINT64_C(0xffffffffff),
                                    UINT64_C(0xffffffffffff),
                                    UINT64_C(0xffffffffffffff),
                                    UINT64_MAX};
  uint32_t bytes = head >> (8 + 4 * which) & 15;
  uint64_t little;
  memcpy(&little, p, sizeof little);
  *v = le64toh(little) & masks[bytes];
  return p + bytes;
}

/* Differences wrap around, so any two integers have one; small ones of either sign stay small. */
static inline uint64_t encode_change(int64_t from, int64_t to) {
  uint64_t d = (uint64_t)to - (uint64_t)from;
  return d << 1 ^ (d >> 63 ? UINT64_MAX : 0);
}

static inline int64_t decode_change(int64_t from, uint64_t change) {
  return (int64_t)((uint64_t)from + (change >> 1 ^ (0 - (change & 1))));
}

/* What few spans have. */
static unsigned char *pack_cost(unsigned char *p, const mpg_span *s, unsigned cost) {
  *p++ = (unsigned char)cost;
  if (cost & HAS_FLOPS)
    p = put_double(p, s->flops);
  if (cost & HAS_BYTES)
    p = put_double(p, s->bytes);
  if (cost & HAS_EXECUTIONS)
    p = put_double(p, s->executions);
  if (cost & HAS_DTYPE)
    p = put_varint(p, s->dtype);
  return p;
}

/* Writes up to PACKED_MAX bytes, of which the ones returned count. */
static inline size_t pack_span(const mpg_span_list *list, const mpg_span *s, unsigned char *out) {
  unsigned char *p = out + HEAD_BYTES;
  uint32_t head = 0;
  unsigned cost = (isnan(s->flops) ? 0u : HAS_FLOPS) | (isnan(s->bytes) ? 0u : HAS_BYTES) |
                  (isnan(s->executions) ? 0u : HAS_EXECUTIONS) | (s->dtype ? HAS_DTYPE : 0u);
  p = put_sized(p, encode_change(list->from, s->start), START, &head);
  p = put_sized(p, s->program, PROGRAM, &head);
  p = put_sized(p, s->kind, KIND, &head);
  if (s->end != MPG_OPEN) {
    head |= HAS_END;
    p = put_sized(p, (uint64_t)(s->end - s->start), LENGTH, &head);
  }
  if (s->step != MPG_NONE) {
    head |= HAS_STEP;
    p = put_sized(p, encode_change(list->step, s->step), STEP, &head);
  }
  if (s->attempt != MPG_NONE) {
    head |= HAS_ATTEMPT;
    p = put_sized(p, encode_change(list->attempt, s->attempt), ATTEMPT, &head);
  }
  if (s->line != 0) {
    head |= HAS_ORIGIN;
    p = put_varint(p, s->file);
    p = put_varint(p, encode_change(list->line, s->line));
  }
  if (cost != 0) {
    head |= HAS_COST;
    p = pack_cost(p, s, cost);
  }
  head = htole32(head);
  memcpy(out, &head, sizeof head);
  return (size_t)(p - out);
}

/* Room for a span of n bytes after the last: the chunk doubles from one to the next. */
static struct mpg_span_chunk *add_chunk(mpg_span_list *list, mpg_span_arena *arena, size_t n) {
  size_t head = offsetof(struct mpg_span_chunk, bytes);
  size_t bytes = list->last == NULL ? CHUNK_FIRST : (list->last->cap + head) * 2;
  struct mpg_span_chunk *chunk;
  while (bytes < n + head)
    bytes *= 2;
  chunk = new_chunk(arena, bytes > CHUNK_LAST ? CHUNK_LAST : bytes);
  if (chunk == NULL)
    return NULL;
  chunk->anew = list->anew || list->last == NULL;
  list->anew = false;
  if (list->last == NULL)
    list->first = chunk;
  else
    list->last->next = chunk;
  list->last = chunk;
  return chunk;
}

mpg_rc mpg_span_list_add(mpg_span_list *list, mpg_span_arena *arena, const mpg_span *span) {
  unsigned char packed[PACKED_MAX];
  struct mpg_span_chunk *chunk = list->last;
  size_t n;
  if (chunk != NULL && !list->anew && chunk->cap - chunk->used >= PACKED_MAX) {
    n = pack_span(list, span, chunk->bytes + chunk->used);
  } else {
    n = pack_span(list, span, packed);
    if (list->anew || chunk == NULL || (size_t)(chunk->cap - chunk->used) < n) {
      chunk = add_chunk(list, arena, n);
      if (chunk == NULL)
        return MPG_NOMEM;
    }
    memcpy(chunk->bytes + chunk->used, packed, n);
  }
  chunk->used = (uint16_t)(chunk->used + n);
  list->n++;
  list->from = span->end != MPG_OPEN ? span->end : span->start;
  if (span->step != MPG_NONE)
    list->step = span->step;
  if (span->attempt != MPG_NONE)
    list->attempt = span->attempt;
  if (span->line != 0)
    list->line = span->line;
  return MPG_OK;
}

void mpg_span_list_join(mpg_span_list *list, const mpg_span_list *more,
                        const mpg_span_names *names) {
  if (more->first == NULL)
    return;
  more->first->names = names;
  if (list->last == NULL)
    list->first = more->first;
  else
    list->last->next = more->first;
  list->last = more->last;
  list->n += more->n;
  list->from = list->step = list->attempt = list->line = 0;
  list->anew = true;
}

static const unsigned char *unpack_cost(const unsigned char *p, mpg_span *s) {
  unsigned cost = *p++;
  uint64_t v;
  if (cost & HAS_FLOPS)
    p = get_double(p, &s->flops);
  if (cost & HAS_BYTES)
    p = get_double(p, &s->bytes);
  if (cost & HAS_EXECUTIONS)
    p = get_double(p, &s->executions);
  if (cost & HAS_DTYPE) {
    p = get_varint(p, &v);
    s->dtype = (uint32_t)v;
  }
  return p;
}

/* The base of the next span's differences. */
typedef struct before {
  int64_t from, step, attempt, line;
} before;

/* Writes its spans to `out` and every `stride` bytes after. Returns the position for the next. */
static inline char *unpack_chunk(const struct mpg_span_chunk *chunk, before *base,
                                 const mpg_span_names *names, char *out, size_t stride) {
  const unsigned char *p = chunk->bytes, *stop = p + chunk->used;
  before b = *base;
  for (; p < stop; out += stride) {
    mpg_span *s = (mpg_span *)(void *)out;
    uint32_t head;
    uint64_t v;
    memcpy(&head, p, sizeof head);
    head = le32toh(head);
    p = get_sized(p + HEAD_BYTES, &v, START, head);
    s->start = decode_change(b.from, v);
    p = get_sized(p, &v, PROGRAM, head);
    s->program = names != NULL ? names->programs[v] : (uint32_t)v;
    p = get_sized(p, &v, KIND, head);
    s->kind = names != NULL ? names->kinds[v] : (uint32_t)v;
    p = get_sized(p, &v, LENGTH, head);
    s->end = head & HAS_END ? s->start + (int64_t)v : MPG_OPEN;
    b.from = head & HAS_END ? s->end : s->start;
    p = get_sized(p, &v, STEP, head); /* no change if it has none */
    b.step = decode_change(b.step, v);
    s->step = head & HAS_STEP ? b.step : MPG_NONE;
    p = get_sized(p, &v, ATTEMPT, head);
    b.attempt = decode_change(b.attempt, v);
    s->attempt = head & HAS_ATTEMPT ? b.attempt : MPG_NONE;
    s->dtype = s->file = 0;
    s->line = 0;
    s->flops = s->bytes = s->executions = (double)NAN;
    if (head & HAS_ORIGIN) {
      p = get_varint(p, &v);
      s->file = names != NULL ? names->texts[v] : (uint32_t)v;
      p = get_varint(p, &v);
      s->line = b.line = decode_change(b.line, v);
    }
    if (head & HAS_COST) {
      p = unpack_cost(p, s);
      s->dtype = names != NULL ? names->texts[s->dtype] : s->dtype;
    }
  }
  *base = b;
  return out;
}

mpg_rc mpg_span_list_unpack(const mpg_span_list *list, mpg_span *out, size_t stride,
                            const mpg_env *env) {
  const mpg_span_names *names = NULL;
  before b = {0, 0, 0, 0};
  char *to = (char *)out;
  unsigned turn = 0;
  for (const struct mpg_span_chunk *chunk = list->first; chunk != NULL; chunk = chunk->next) {
    if (++turn % CHUNKS_BETWEEN_POLLS == 0 && mpg_interrupted(env))
      return MPG_INTERRUPTED;
    if (chunk->anew) {
      b = (before){0, 0, 0, 0};
      names = chunk->names;
    }
    to = names == NULL ? unpack_chunk(chunk, &b, NULL, to, stride)
                       : unpack_chunk(chunk, &b, names, to, stride);
  }
  return MPG_OK;
}
