/* arena.c - see arena.h. */
#define _GNU_SOURCE /* madvise */
#include "arena.h"
#include "../../base/debug_assert.h"

#include <sys/mman.h>

struct mpg_arena_block {
  struct mpg_arena_block *next;
  size_t used, cap;
  size_t pins; /* atomic: threads unpin */
  unsigned char bytes[];
};

#ifdef MPG_TEST
#define BLOCK_FIRST ((size_t)4 << 10)
#else
#define BLOCK_FIRST ((size_t)64 << 10)
#endif
#define BLOCK_LAST ((size_t)32 << 20)
#define HUGE ((size_t)2 << 20)
#define PAGE ((uintptr_t)4096)
#define ALLOCATOR                                                                                  \
  ((size_t)64) /* what allocators add: a block with that is a whole number of pages */

void mpg_arena_init(mpg_arena *arena, const mpg_env *env) {
  *arena = (mpg_arena){env, NULL, 0, false};
}

void mpg_arena_free(mpg_arena *arena) {
  while (arena->blocks != NULL) {
    struct mpg_arena_block *next = arena->blocks->next;
    mpg_free(arena->env, arena->blocks);
    arena->blocks = next;
  }
  arena->bytes = 0;
}

void mpg_arena_reset(mpg_arena *arena) {
  struct mpg_arena_block *newest = arena->blocks;
  if (newest == NULL || newest->cap >= HUGE / 2) {
    mpg_arena_free(arena);
    return;
  }
  arena->blocks = newest->next;
  mpg_arena_free(arena);
  newest->next = NULL;
  newest->used = 0;
  arena->blocks = newest;
}

/* An advice: where the kernel has no huge pages nothing changes. Whole pages, for an allocator maps
** so large a block by itself; its own few bytes before and after have a page already. */
static void advise(void *p, size_t n) {
#ifdef MADV_HUGEPAGE
  uintptr_t first = (uintptr_t)p & ~(PAGE - 1), end = ((uintptr_t)p + n + PAGE - 1) & ~(PAGE - 1);
  if (n >= HUGE - PAGE)
    (void)madvise((void *)first, end - first, MADV_HUGEPAGE);
#else
  (void)p, (void)n;
#endif
}

static bool add_block(mpg_arena *arena, size_t bytes) {
  size_t whole = arena->blocks == NULL ? BLOCK_FIRST : arena->blocks->cap * 2, head;
  struct mpg_arena_block *b;
  head = sizeof *b + MPG_ARENA_SLACK + ALLOCATOR;
  /* Powers of two, of which what is not the owner's is taken off. */
  for (size_t size = BLOCK_FIRST;; size *= 2)
    if (size >= whole || size >= BLOCK_LAST) {
      whole = size;
      break;
    }
  if (bytes > SIZE_MAX - head - PAGE)
    return false;
  if (whole < bytes + head)
    whole = (bytes + head + PAGE - 1) & ~(size_t)(PAGE - 1);
  b = mpg_malloc(arena->env, whole - ALLOCATOR);
  if (b == NULL)
    return false;
  advise(b, whole - ALLOCATOR);
  b->next = arena->blocks;
  b->used = b->pins = 0;
  b->cap = whole - head;
  arena->blocks = b;
  return true;
}

void *mpg_arena_cut(mpg_arena *arena, size_t bytes) {
  struct mpg_arena_block *b = arena->blocks;
  size_t n = (bytes + 7) & ~(size_t)7;
  void *p;
  if (n < bytes || ((b == NULL || b->cap - b->used < n) && !add_block(arena, n)))
    return NULL;
  b = arena->blocks;
  MPG_ASSERT(b->cap - b->used >= n);
  p = b->bytes + b->used;
  b->used += n;
  arena->bytes += n;
  return p;
}

void *mpg_arena_cut_pinned(mpg_arena *arena, size_t bytes, mpg_arena_pin **pin) {
  void *p = mpg_arena_cut(arena, bytes);
  *pin = p == NULL ? NULL : arena->blocks;
  if (p != NULL)
    __atomic_fetch_add(&arena->blocks->pins, 1, __ATOMIC_RELAXED);
  return p;
}

void mpg_arena_unpin(mpg_arena_pin *pin) {
  if (pin != NULL)
    __atomic_fetch_sub(&pin->pins, 1, __ATOMIC_RELEASE);
}

void mpg_arena_drop(mpg_arena *arena) {
  for (struct mpg_arena_block **at = &arena->blocks; *at != NULL;) {
    struct mpg_arena_block *b = *at;
    if (__atomic_load_n(&b->pins, __ATOMIC_ACQUIRE) > 0) {
      at = &b->next;
      continue;
    }
    *at = b->next;
    mpg_free(arena->env, b);
  }
  arena->bytes = 0;
}
