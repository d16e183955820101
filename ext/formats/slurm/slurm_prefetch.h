/*
** slurm_prefetch.h - lines of sacct's output looked over by several threads (base/pipeline.h),
** ahead of the reader of the whole (slurm.c).
**
** Where a record begins depends on those before it, for a text may hold line ends and delimiters.
** So the threads do not read records: they find lines that would be whole records without a fault,
** if one began there. Whether one does the reader of the whole knows, who comes by in order; all
** other lines are left to it.
*/
#ifndef MPG_SLURM_PREFETCH_H
#define MPG_SLURM_PREFETCH_H

#include "../../read/parse/blocks.h"
#include "slurm_row.h"

/* Lines of a block that are records if one begins there. */
typedef struct mpg_slurm_block {
  mpg_block block;
  /* For each line the positions at which its columns begin, one position after the last column, and
  ** the position of its LF. */
  uint32_t *marks;
  size_t n, cap; /* lines; uint32_t */
} mpg_slurm_block;

typedef struct mpg_slurm_prefetch mpg_slurm_prefetch;

/* From the beginning of the stream, which is borrowed, as is everything here. */
mpg_rc mpg_slurm_prefetch_open(mpg_slurm_prefetch **out, const mpg_env *env, mpg_stream *stream,
                               int threads, char delimiter_of_lines, mpg_err *err);
void mpg_slurm_prefetch_close(mpg_slurm_prefetch *ahead); /* NULL is fine */
/* The columns are known: those of `row`, and a header that may come again. Lines are looked over
** from the next block on. */
mpg_rc mpg_slurm_prefetch_begin(mpg_slurm_prefetch *ahead, const mpg_slurm_row *row, mpg_str header,
                                mpg_err *err);
/* The next block, borrowed until the next call; MPG_DONE at the end. After anything but MPG_OK
** every call says the same. */
mpg_rc mpg_slurm_prefetch_next(mpg_slurm_prefetch *ahead, mpg_slurm_block **block, mpg_err *err);

#endif
