/*
** rollup_threads.h - a whole fleet accounted and rolled up, by several threads.
*/
#ifndef MPG_ROLLUP_THREADS_H
#define MPG_ROLLUP_THREADS_H

#include "ledger.h"
#include "rollup.h"

/* The finest cells there are, in order: any roll-up with the same options follows from them
** (mpg_rollup_add_cells). Zero-initialised is empty. */
typedef struct mpg_cells {
  mpg_cell *p;
  size_t n, cap;
  size_t limit; /* if there are more, none are cached */
  bool over;    /* there were more */
} mpg_cells;

#define MPG_FINEST ((1u << MPG_DIMS) - 1)

/*
** Sums every unit of the accounting into `rollup`, which must be empty; the cells and their order
** are those of one thread. `cells` (NULL: not wanted) gets the finest cells, allocated as those of
** `rollup`. With threads > 1, several threads allocate from the accounting's environment at once.
*/
mpg_rc mpg_rollup_all(mpg_rollup *rollup, mpg_accounting *accounting, int threads, mpg_cells *cells,
                      const char *source, mpg_err *err);

#endif
