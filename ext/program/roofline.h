/*
** roofline.h - the least time that a chip needs for some work, and what bounds it.
**
** The roofline model (S. Williams, A. Waterman, D. Patterson, "Roofline: An Insightful Visual
** Performance Model for Multicore Architectures", CACM 52(4), 2009, doi 10.1145/1498765.1498785)
** bounds the attainable rate by min(peak, bandwidth x intensity). As time, for F FLOPs and B bytes
** to and from memory,
**
**     T = max(F / peak, B / bandwidth)
**
** in seconds on one chip: compute and traffic overlap fully. Without B the bound is compute alone,
** F / peak, which is the ideal of ML Productivity Goodput (arXiv 2502.06982). For the same F and B,
** T summed over operations >= T of the sums >= F / peak.
*/
#ifndef MPG_ROOFLINE_H
#define MPG_ROOFLINE_H

#include "chips.h"

typedef struct mpg_roofline {
  double seconds;
  bool memory_bound; /* a tie is bound by compute */
} mpg_roofline;

/*
** The row of the catalogue for a chip (name or alias) and dtype (empty: the chip's default).
** MPG_DATA: "unknown chip 'h1000'; nearest: nvidia-h100-sxm, ..." or "chip 'tpu-v2' has no peak for
** dtype 'fp8'; it has: bf16".
*/
mpg_rc mpg_roofline_row(const mpg_chips *chips, mpg_str chip, mpg_str dtype,
                        const mpg_chip_row **row, mpg_err *err);

/* bytes is NAN for the compute roofline. MPG_DATA: flops or bytes negative or infinite, flops NAN,
** or bytes given for a chip of unknown bandwidth. */
mpg_rc mpg_roofline_of(const mpg_chip_row *row, double flops, double bytes, mpg_roofline *out,
                       mpg_err *err);

#endif
