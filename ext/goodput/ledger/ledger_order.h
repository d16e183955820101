/*
** ledger_order.h - sorts rows of the ledger by keys that differ from row to row.
**
** Such keys have few combinations: category and cause have some thirty. So each row gets the number
** of its combination, the combinations are sorted, and the rows are distributed to them in the
** order of arrival.
**
** A group too large for one piece of work is a pile of chunks, each sorted by itself. Reading the
** pile goes through the combinations; for each, through the runs of all chunks. A chunk does not
** store the keys that its runs share.
*/
#ifndef MPG_LEDGER_ORDER_H
#define MPG_LEDGER_ORDER_H

#include "../../base/hash_index.h"
#include "ledger.h"
#include "rollup.h"

typedef struct mpg_scan_key {
  mpg_dim dim;
  bool descending;
} mpg_scan_key;

typedef struct mpg_row_order {
  const mpg_fleet *fleet;
  const mpg_scan_key *keys; /* borrowed */
  size_t nkeys;
  bool once;                    /* of rows with the same keys the first alone is wanted */
  uint8_t rank[MPG_CATEGORIES]; /* of categories, by name */
} mpg_row_order;

void mpg_row_order_init(mpg_row_order *order, const mpg_fleet *fleet, const mpg_scan_key *keys,
                        size_t nkeys, bool once);
/* The columns of a row that the order looks at, as bits. */
uint32_t mpg_row_order_columns(const mpg_row_order *order);
/* Rows with the same keys: their number, and the first of them. */
typedef struct mpg_combination {
  uint64_t hash;
  size_t row, n;
  size_t place; /* in the order, of the next */
} mpg_combination;

/* Puts one group after the other in order; one thread, its own scratch memory. */
typedef struct mpg_row_sorter {
  const mpg_env *env;
  const mpg_row_order *order;
  const mpg_ledger *rows;
  uint32_t *of;          /* the combination of each row */
  mpg_combination *p;    /* combinations, at first sight */
  size_t n, cap, of_cap; /* of them */
  uint32_t *sorted;      /* their numbers in order */
  size_t sorted_cap;
  mpg_hash_index index;
} mpg_row_sorter;

void mpg_row_sorter_init(mpg_row_sorter *sorter, const mpg_env *env, const mpg_row_order *order);
void mpg_row_sorter_free(mpg_row_sorter *sorter);
/* Rows [from, rows->n), a group, get their place in rows->order, from *norder on. MPG_NOMEM or
** MPG_INTERRUPTED. */
mpg_rc mpg_row_sorter_sort(mpg_row_sorter *sorter, mpg_ledger *rows, size_t from, size_t *norder);

/* A part of a group, in order. */
typedef struct mpg_row_chunk {
  mpg_ledger rows; /* without the columns in common */
  mpg_ledger keys; /* a row of each run, with the columns that order */
  size_t *runs;    /* rows of each */
  size_t runs_cap;
} mpg_row_chunk;

/* `env`: that of the worker threads, which may not poll the host (pipeline.h). */
void mpg_row_chunk_init(mpg_row_chunk *chunk, const mpg_env *env, const mpg_row_order *order,
                        uint32_t columns);
void mpg_row_chunk_free(mpg_row_chunk *chunk);
/* All of `rows`, which are of one group; they are left in any order. MPG_NOMEM or
** MPG_INTERRUPTED. */
mpg_rc mpg_row_chunk_make(mpg_row_chunk *chunk, mpg_row_sorter *sorter, mpg_ledger *rows);

typedef struct mpg_row_run {
  size_t chunk, first, n;
} mpg_row_run;

/* The chunks of one group, and how far they have been read. */
typedef struct mpg_row_pile {
  const mpg_env *env;
  const mpg_row_order *order;
  mpg_ledger *chunks;
  mpg_row_run *runs; /* of all chunks, as they came; and a row of the keys of each */
  mpg_ledger keys;
  size_t *sorted; /* the runs' numbers in order */
  size_t nchunks, chunks_cap, nruns, runs_cap, sorted_cap;
  size_t at, emitted; /* of sorted; rows of that run */
} mpg_row_pile;

void mpg_row_pile_init(mpg_row_pile *pile, const mpg_env *env, const mpg_row_order *order);
/* Empty again; and with its memory. */
void mpg_row_pile_clear(mpg_row_pile *pile);
void mpg_row_pile_free(mpg_row_pile *pile);
/* The chunk's rows are the pile's from now on, and so is their environment. MPG_NOMEM or
** MPG_INTERRUPTED. */
mpg_rc mpg_row_pile_add(mpg_row_pile *pile, mpg_row_chunk *chunk);
/* Once all are there. MPG_NOMEM or MPG_INTERRUPTED. */
mpg_rc mpg_row_pile_sort(mpg_row_pile *pile);
/* The next rows, some thousands of them, into `out`, whose columns are among those of the chunks
** and their keys. No rows: all were read. MPG_NOMEM or MPG_INTERRUPTED. */
mpg_rc mpg_row_pile_next(mpg_row_pile *pile, mpg_ledger *out);

#endif
