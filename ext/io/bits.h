/* bits.h - bits that say where in 64 bytes something is. */
#ifndef MPG_BITS_H
#define MPG_BITS_H

#include <stddef.h>
#include <stdint.h>

/* Without the instruction, which not every x86-64 has. */
static inline size_t mpg_bits_count(uint64_t v) {
  v -= v >> 1 & UINT64_C(0x5555555555555555);
  v = (v & UINT64_C(0x3333333333333333)) + (v >> 2 & UINT64_C(0x3333333333333333));
  v = (v + (v >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
  return (size_t)(v * UINT64_C(0x0101010101010101) >> 56);
}

/* Writes down `at` and the place of every bit, and says how many. Mostly they are fewer than
** eight, and so eight are written without asking, the last of them meaningless: `to` has room
** for 8 more. */
static inline size_t mpg_bits_put(uint32_t *to, uint64_t bits, size_t at) {
  const uint64_t last = UINT64_C(1) << 63; /* of nothing there is no first bit */
  size_t n = mpg_bits_count(bits);
#define PUT(i)                                                                                     \
  to[i] = (uint32_t)(at + (size_t)__builtin_ctzll(bits | last));                                   \
  bits &= bits - 1
  for (size_t from = 0; from < n;
       from += 8, to += 8) { /* no loop of eight: compilers keep it one */
    PUT(0);
    PUT(1);
    PUT(2);
    PUT(3);
    PUT(4);
    PUT(5);
    PUT(6);
    PUT(7);
  }
#undef PUT
  return n;
}

#endif
