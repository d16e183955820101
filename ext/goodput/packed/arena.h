/*
** arena.h - memory that is cut into pieces and freed as a whole.
**
** Blocks double from 64 KiB to 32 MiB, so that little data takes little memory. Of blocks of 2 MiB
** and more the kernel may make huge pages: a page fault for each 2 MiB, not for each 4 KiB.
*/
#ifndef MPG_ARENA_H
#define MPG_ARENA_H

#include "../../base/base.h"

#define MPG_ARENA_SLACK 16 /* bytes after the last piece of a block that may be read */

typedef struct mpg_arena {
  const mpg_env *env;
  struct mpg_arena_block *blocks; /* the newest first */
  size_t bytes;                   /* that were cut */
  bool scratch;                   /* it is soon reset: who cuts may be generous */
} mpg_arena;

void mpg_arena_init(mpg_arena *arena, const mpg_env *env);
/* Frees every block; the arena is empty and can be used. */
void mpg_arena_free(mpg_arena *arena);
/* Empty again. The newest block, which is the largest, is kept if it is not of 2 MiB or more. */
void mpg_arena_reset(mpg_arena *arena);

/* A piece, aligned to 8 bytes; NULL: out of memory. */
void *mpg_arena_cut(mpg_arena *arena, size_t bytes);

/* The same of a piece that is in use until mpg_arena_unpin, whatever mpg_arena_drop drops. *pin is
** NULL if nothing was cut. */
typedef struct mpg_arena_block mpg_arena_pin;
void *mpg_arena_cut_pinned(mpg_arena *arena, size_t bytes, mpg_arena_pin **pin);
void mpg_arena_unpin(mpg_arena_pin *pin); /* NULL is fine */
/* Frees every block without a piece that is pinned. */
void mpg_arena_drop(mpg_arena *arena);

#endif
