/*
** spans.c - see spans.h.
**
** A packed span is a byte of flags, the kind, then what the flags name: integers as little-endian
** base-128 numbers, told as the difference from the span before where that is small (start, step,
** attempt, line), doubles as their 8 bytes.
*/
#include "spans.h"

#include <math.h>
#include <string.h>

enum {
  HAS_END = 1,
  HAS_STEP = 2,
  HAS_PROGRAM = 4,
  HAS_ATTEMPT = 8,
  HAS_ORIGIN = 16,
  HAS_COST = 32 /* a second byte of flags follows: */
};
enum { HAS_FLOPS = 1, HAS_BYTES = 2, HAS_EXECUTIONS = 4, HAS_DTYPE = 8 };

/* No packed span is longer: 2 flags, 7 numbers of up to 10 bytes, 3 doubles. */
#define PACKED_MAX 128
#define CHUNK_FIRST ((size_t)72)
#define CHUNK_LAST 4096
#define BLOCK_BYTES ((size_t)1 << 20)

struct mpg_span_block {
  struct mpg_span_block *next;
  unsigned char bytes[];
};

struct mpg_span_chunk {
  struct mpg_span_chunk *next;
  const mpg_span_names
      *names; /* where it begins anew: of its spans and those behind; NULL: as are */
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
    /* A block that the mark knows nothing of is kept for what comes next, where it is the only one. */
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
  if (into->blocks == NULL) { /* its newest block goes on being filled */
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
    struct mpg_span_block *block = mpg_malloc(arena->env, sizeof *block + BLOCK_BYTES);
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

static unsigned char *put(unsigned char *p, uint64_t v) {
  while (v >= 0x80) {
    *p++ = (unsigned char)(v | 0x80);
    v >>= 7;
  }
  *p++ = (unsigned char)v;
  return p;
}

static const unsigned char *get(const unsigned char *p, uint64_t *v) {
  uint64_t x = 0;
  int shift = 0;
  while (*p >= 0x80) {
    x |= (uint64_t)(*p++ & 0x7f) << shift;
    shift += 7;
  }
  *v = x | (uint64_t)*p++ << shift;
  return p;
}

/* Differences wrap around, so any two integers have one; small ones of either sign stay small. */
static unsigned char *put_change(unsigned char *p, int64_t from, int64_t to) {
  uint64_t d = (uint64_t)to - (uint64_t)from;
  return put(p, (d << 1) ^ (d >> 63 ? UINT64_MAX : 0));
}

static const unsigned char *get_change(const unsigned char *p, int64_t *value) {
  uint64_t z;
  p = get(p, &z);
  *value = (int64_t)((uint64_t)*value + ((z >> 1) ^ (z & 1 ? UINT64_MAX : 0)));
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

static size_t pack(const mpg_span_list *list, const mpg_span *s, unsigned char *out) {
  unsigned char *p = out + 1, flags = 0, cost = 0;
  p = put(p, s->kind);
  p = put_change(p, list->start, s->start);
  if (s->end != MPG_OPEN) {
    flags |= HAS_END;
    p = put(p, (uint64_t)(s->end - s->start));
  }
  if (s->step != MPG_NONE) {
    flags |= HAS_STEP;
    p = put_change(p, list->step, s->step);
  }
  if (s->program != 0) {
    flags |= HAS_PROGRAM;
    p = put(p, s->program);
  }
  if (s->attempt != MPG_NONE) {
    flags |= HAS_ATTEMPT;
    p = put_change(p, list->attempt, s->attempt);
  }
  if (s->line != 0) {
    flags |= HAS_ORIGIN;
    p = put(p, s->file);
    p = put_change(p, list->line, s->line);
  }
  cost = (unsigned char)((isnan(s->flops) ? 0 : HAS_FLOPS) | (isnan(s->bytes) ? 0 : HAS_BYTES) |
                         (isnan(s->executions) ? 0 : HAS_EXECUTIONS) | (s->dtype ? HAS_DTYPE : 0));
  if (cost != 0) {
    flags |= HAS_COST;
    *p++ = cost;
    if (cost & HAS_FLOPS)
      p = put_double(p, s->flops);
    if (cost & HAS_BYTES)
      p = put_double(p, s->bytes);
    if (cost & HAS_EXECUTIONS)
      p = put_double(p, s->executions);
    if (cost & HAS_DTYPE)
      p = put(p, s->dtype);
  }
  out[0] = flags;
  return (size_t)(p - out);
}

/* Room for a span of n bytes behind the last: the chunk doubles from one to the next. */
static struct mpg_span_chunk *add_chunk(mpg_span_list *list, mpg_span_arena *arena, size_t n) {
  size_t head = offsetof(struct mpg_span_chunk, bytes);
  size_t bytes = list->last == NULL ? CHUNK_FIRST : (list->last->cap + head) * 2;
  struct mpg_span_chunk *chunk;
  while (bytes < n + head)
    bytes *= 2;
  chunk = new_chunk(arena, bytes > CHUNK_LAST ? CHUNK_LAST : (bytes + 7) & ~(size_t)7);
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
  size_t n = pack(list, span, packed);
  struct mpg_span_chunk *chunk = list->last;
  if (list->anew || chunk == NULL || (size_t)(chunk->cap - chunk->used) < n) {
    chunk = add_chunk(list, arena, n);
    if (chunk == NULL)
      return MPG_NOMEM;
  }
  memcpy(chunk->bytes + chunk->used, packed, n);
  chunk->used = (uint16_t)(chunk->used + n);
  list->n++;
  list->start = span->start;
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
  list->start = list->step = list->attempt = list->line = 0;
  list->anew = true;
}

void mpg_span_list_read(const mpg_span_list *list, mpg_span *out) {
  int64_t start = 0, step = 0, attempt = 0, line = 0;
  const mpg_span_names *names = NULL;
  for (const struct mpg_span_chunk *chunk = list->first; chunk != NULL; chunk = chunk->next) {
    const unsigned char *p = chunk->bytes, *stop = p + chunk->used;
    mpg_span *first = out;
    if (chunk->anew) {
      start = step = attempt = line = 0;
      names = chunk->names;
    }
    while (p < stop) {
      mpg_span *s = out++;
      unsigned char flags = *p++;
      uint64_t v;
      p = get(p, &v);
      s->kind = (uint32_t)v;
      p = get_change(p, &start);
      s->start = start;
      s->end = MPG_OPEN;
      s->step = s->attempt = MPG_NONE;
      s->program = s->dtype = s->file = 0;
      s->line = 0;
      s->flops = s->bytes = s->executions = (double)NAN;
      if (flags & HAS_END) {
        p = get(p, &v);
        s->end = start + (int64_t)v;
      }
      if (flags & HAS_STEP) {
        p = get_change(p, &step);
        s->step = step;
      }
      if (flags & HAS_PROGRAM) {
        p = get(p, &v);
        s->program = (uint32_t)v;
      }
      if (flags & HAS_ATTEMPT) {
        p = get_change(p, &attempt);
        s->attempt = attempt;
      }
      if (flags & HAS_ORIGIN) {
        p = get(p, &v);
        s->file = (uint32_t)v;
        p = get_change(p, &line);
        s->line = line;
      }
      if (flags & HAS_COST) {
        unsigned char cost = *p++;
        if (cost & HAS_FLOPS)
          p = get_double(p, &s->flops);
        if (cost & HAS_BYTES)
          p = get_double(p, &s->bytes);
        if (cost & HAS_EXECUTIONS)
          p = get_double(p, &s->executions);
        if (cost & HAS_DTYPE) {
          p = get(p, &v);
          s->dtype = (uint32_t)v;
        }
      }
    }
    for (; names != NULL && first < out; first++) {
      first->kind = names->kinds[first->kind];
      first->program = names->programs[first->program];
      first->dtype = names->texts[first->dtype];
      first->file = names->texts[first->file];
    }
  }
}
