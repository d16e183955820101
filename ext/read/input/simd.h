/*
** simd.h - vectors of bytes: of 16 if the compiler may use them everywhere (SSE2, which every
** x86-64 has), of 32 or 64 if the processor has them. MPG_NO_SIMD: none.
**
** All forms give the same result. A function with a wide form is written once, MPG_INLINE, with the
** vector width as its parameter. It is called by a plain function, by one that is MPG_AVX2, and, if
** that was measured to be faster still, by one that is MPG_AVX512.
*/
#ifndef MPG_SIMD_H
#define MPG_SIMD_H

#include <stdbool.h>
#include <stdint.h>

#define MPG_INLINE static inline __attribute__((always_inline))

#if defined(__SSE2__) && !defined(MPG_NO_SIMD)
#define MPG_SSE2
#include <immintrin.h>

static inline uint64_t mpg_bits_16(__m128i found) {
  return (uint64_t)(unsigned)_mm_movemask_epi8(found);
}

#ifdef __x86_64__
/* With the counting and finding of bits that every such processor has. */
#define MPG_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))

static inline bool mpg_has_avx2(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

/* With the places of all bits of a word in one go, and everything above. */
#define MPG_AVX512                                                                                 \
  __attribute__((target("avx2,bmi,bmi2,popcnt,avx512f,avx512bw,avx512vl,avx512vbmi2")))

static inline bool mpg_has_avx512(void) {
  return mpg_has_avx2() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512vbmi2");
}
#endif
#endif

#endif
