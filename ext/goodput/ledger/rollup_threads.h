/*
** rollup_threads.h - a whole fleet accounted and rolled up, by several threads.
*/
#ifndef MPG_ROLLUP_ALL_H
#define MPG_ROLLUP_ALL_H

#include "ledger.h"
#include "rollup.h"

/* The finest cells there are, in order: any roll-up with the same options follows from them
** (mpg_rollup_add_cells). Zero-initialised is empty. */
typedef struct mpg_cells {
  mpg_cell *p;
  size_t n, cap;
  size_t limit; /* more than this many are not kept: none are, then */
  bool over;    /* there were more */
} mpg_cells;

#define MPG_FINEST ((1u << MPG_DIMS) - 1)

/*
** Every unit of the accounting into `rollup`, which is empty; the cells and their order are those
** of one thread. `cells` (NULL: not wanted) are the finest of the same, of the allocator of
** `rollup`. With threads > 1 memory is asked of the accounting's environment by several threads at
** once.
*/
mpg_rc mpg_rollup_all(mpg_rollup *rollup, mpg_accounting *accounting, int threads, mpg_cells *cells,
                      const char *source, mpg_err *err);

#endif
