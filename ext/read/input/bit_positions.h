/* bit_positions.h - the positions of the bits that are set in a mask of 64 bytes. */
#ifndef MPG_BIT_POSITIONS_H
#define MPG_BIT_POSITIONS_H

#include "simd.h"

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
** for MPG_BITS_MORE more. */
#define MPG_BITS_MORE 16
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

#ifdef MPG_AVX512
/* The same with AVX-512. It writes 16 numbers at least. */
MPG_AVX512 static inline size_t mpg_bits_put_widest(uint32_t *to, uint64_t bits, size_t at) {
  static const uint8_t all[64] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                  16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                                  32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                                  48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
  const __m512i from = _mm512_set1_epi32((int)(uint32_t)at);
  __m512i places = _mm512_maskz_compress_epi8(bits, _mm512_loadu_si512((const void *)all));
  size_t n = mpg_bits_count(bits), i = 0;
  do {
    const __m512i some = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(places));
    _mm512_storeu_si512((void *)(to + i), _mm512_add_epi32(from, some));
    places = _mm512_shuffle_i64x2(places, places, 0x39); /* the next 16 bytes to the front */
    i += 16;
  } while (i < n);
  return n;
}
#endif

#endif
