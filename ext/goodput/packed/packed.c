/* packed.c - see packed.h. */
#include "packed.h"

#define CHUNK_FIRST ((size_t)80) /* multiples of 8, as all that is cut from an arena */
#define CHUNK_LAST ((size_t)4096)
#define CHUNK_SCRATCH ((size_t)512)
#define HEAD offsetof(mpg_packed_chunk, bytes)

/* The next chunk has twice the size of the last. */
static mpg_packed_chunk *add_chunk(mpg_packed *list, mpg_arena *arena, size_t n) {
  size_t first = arena->scratch ? CHUNK_SCRATCH : CHUNK_FIRST;
  size_t bytes = list->last == NULL ? first : (list->last->cap + HEAD) * 2;
  mpg_packed_chunk *chunk;
  bytes = bytes > CHUNK_LAST ? CHUNK_LAST : bytes;
  while (bytes < n + HEAD)
    bytes *= 2;
  bytes &= ~(size_t)7;
  chunk = mpg_arena_cut(arena, bytes);
  if (chunk == NULL)
    return NULL;
  *chunk = (mpg_packed_chunk){.cap = (uint32_t)(bytes - HEAD), .begins = list->writer == NULL};
  if (list->last == NULL)
    list->first = chunk;
  else
    list->last->next = chunk;
  list->last = chunk;
  return chunk;
}

unsigned char *mpg_packed_room(mpg_packed *list, mpg_arena *arena, size_t n) {
  mpg_packed_chunk *chunk = list->last;
  if (chunk == NULL || list->writer == NULL || chunk->cap - chunk->used < n)
    chunk = add_chunk(list, arena, n);
  return chunk == NULL ? NULL : chunk->bytes + chunk->used;
}

size_t mpg_packed_settled_bytes(const mpg_packed *list) {
  size_t bytes = HEAD;
  if (list->first == NULL)
    return 0;
  for (const mpg_packed_chunk *c = list->first; c != NULL; c = c->next)
    bytes += c->used;
  return ((bytes + 7) & ~(size_t)7) + list->first->nshapes * sizeof(mpg_shape);
}

unsigned char *mpg_packed_settle(mpg_packed *list, unsigned char *to) {
  mpg_packed_chunk *whole = (mpg_packed_chunk *)(void *)to;
  const mpg_packed_chunk *first = list->first;
  unsigned char *p;
  size_t shapes;
  if (first == NULL)
    return to;
  shapes = first->nshapes * sizeof(mpg_shape);
  *whole = (mpg_packed_chunk){.nshapes = first->nshapes, .begins = true};
  p = whole->bytes; /* which begin within the struct's padding */
  for (const mpg_packed_chunk *c = first; c != NULL; c = c->next) {
    MPG_ASSERT(c->begins == (c == first));
    memcpy(p, c->bytes, c->used);
    p += c->used;
  }
  whole->used = whole->cap = (uint32_t)(p - whole->bytes);
  p = to + (((size_t)(p - to) + 7) & ~(size_t)7);
  whole->shapes = (mpg_shape *)(void *)p;
  if (shapes > 0)
    memcpy(p, first->shapes, shapes);
  list->first = list->last = whole;
  list->writer = NULL;
  return p + shapes;
}

void mpg_packed_join(mpg_packed *list, const mpg_packed *more, const mpg_packed_names *names) {
  mpg_packed_chunk *first = more->first;
  if (first == NULL)
    return;
  for (uint32_t i = 0; names != NULL && i < first->nshapes; i++) {
    mpg_shape *s = &first->shapes[i];
    *s = (mpg_shape){names->kinds[s->kind], names->programs[s->program], names->texts[s->dtype],
                     names->texts[s->file]};
  }
  if (list->last == NULL)
    list->first = first;
  else
    list->last->next = first;
  list->last = more->last;
  list->n += more->n;
  list->writer = NULL;
}
