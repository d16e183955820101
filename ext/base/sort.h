/*
** sort.h - sorting that can be interrupted: by qsort_r in runs, which are then merged;
** and the k-th smallest of many numbers without sorting all.
*/
#ifndef MPG_SORT_H
#define MPG_SORT_H

#include "base.h"

typedef int mpg_order(const void *a, const void *b, void *ctx);

/*
** Puts n items of `size` bytes in order. MPG_NOMEM and MPG_INTERRUPTED leave them in any order,
** none lost and none twice.
*/
mpg_rc mpg_sort(const mpg_env *env, void *items, size_t n, size_t size, mpg_order *order,
                void *ctx);

/*
** Puts the k-th smallest of v, counted from 0, in its place, the smaller ones before it and the
** greater ones after it. k < n; none is a NaN. If the poller stopped, v is in any order, none lost
** and none twice.
*/
void mpg_select_nth(mpg_poller *poller, double *v, size_t n, size_t k);

#endif
