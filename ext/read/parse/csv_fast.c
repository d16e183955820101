/* csv_fast.c - see csv_fast.h. */
#include "csv_fast.h"
#include "../input/simd.h"

#include <string.h>

/* Among 64 bytes, as bits. */
typedef struct marks {
  uint64_t ends;  /* delimiters and LFs */
  uint64_t lines; /* LFs */
  uint64_t odd;   /* what may be no plain byte: quotes, and everything up to CR but those */
} marks;

typedef marks look_at(const mpg_csv_scan *scan, const char *p);
typedef size_t put_at(uint32_t *to, uint64_t bits, size_t at);

/* A byte, 16, 32 or 64 of them at a time. */
#ifndef MPG_SSE2
static inline marks marks_of(const mpg_csv_scan *scan, const char *p) {
  marks m = {0, 0, 0};
  for (int i = 0; i < 64; i++) {
    uint64_t bit = UINT64_C(1) << i;
    if (p[i] == '\n')
      m.lines |= bit;
    if (p[i] == '\n' || p[i] == scan->delimiter)
      m.ends |= bit;
    else if ((unsigned char)p[i] <= '\r' || (p[i] == '"' && scan->quotes))
      m.odd |= bit;
  }
  return m;
}
#else
static inline marks marks_of(const mpg_csv_scan *scan, const char *p) {
  const __m128i delimiter = _mm_set1_epi8(scan->delimiter), lf = _mm_set1_epi8('\n'),
                quote = _mm_set1_epi8(scan->quotes ? '"' : '\n'), cr = _mm_set1_epi8('\r');
  uint64_t is_delimiter = 0, odd = 0, lines = 0;
#define MARKS(i)                                                                                   \
  do {                                                                                             \
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + 16 * (i)));                    \
    __m128i low = _mm_or_si128(_mm_cmpeq_epi8(_mm_min_epu8(v, cr), v), _mm_cmpeq_epi8(v, quote));  \
    is_delimiter |= mpg_bits_16(_mm_cmpeq_epi8(v, delimiter)) << (16 * (i));                       \
    lines |= mpg_bits_16(_mm_cmpeq_epi8(v, lf)) << (16 * (i));                                     \
    odd |= mpg_bits_16(low) << (16 * (i));                                                         \
  } while (0)
  MARKS(0);
  MARKS(1);
  MARKS(2);
  MARKS(3);
#undef MARKS
  return (marks){is_delimiter | lines, lines, odd & ~(is_delimiter | lines)};
}
#endif
#ifdef MPG_AVX2
MPG_AVX2 static inline uint64_t bits_32(__m256i found) {
  return (uint32_t)_mm256_movemask_epi8(found);
}

MPG_AVX2 static inline marks marks_wide(const mpg_csv_scan *scan, const char *p) {
  const __m256i delimiter = _mm256_set1_epi8(scan->delimiter), lf = _mm256_set1_epi8('\n'),
                quote = _mm256_set1_epi8(scan->quotes ? '"' : '\n'), cr = _mm256_set1_epi8('\r');
  uint64_t is_delimiter, odd, lines;
#define LOW(v)                                                                                     \
  _mm256_or_si256(_mm256_cmpeq_epi8(_mm256_min_epu8(v, cr), v), _mm256_cmpeq_epi8(v, quote))
  const __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)p),
                b = _mm256_loadu_si256((const __m256i *)(const void *)(p + 32));
  is_delimiter = bits_32(_mm256_cmpeq_epi8(a, delimiter)) | bits_32(_mm256_cmpeq_epi8(b, delimiter))
                                                                << 32;
  lines = bits_32(_mm256_cmpeq_epi8(a, lf)) | bits_32(_mm256_cmpeq_epi8(b, lf)) << 32;
  odd = bits_32(LOW(a)) | bits_32(LOW(b)) << 32;
#undef LOW
  return (marks){is_delimiter | lines, lines, odd & ~(is_delimiter | lines)};
}
#endif

#ifdef MPG_AVX512
MPG_AVX512 static inline marks marks_widest(const mpg_csv_scan *scan, const char *p) {
  const __m512i v = _mm512_loadu_si512((const void *)p);
  uint64_t lines = _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('\n')),
           ends = lines | _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8(scan->delimiter)),
           odd = _mm512_cmple_epu8_mask(v, _mm512_set1_epi8('\r')) |
                 _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8(scan->quotes ? '"' : '\n'));
  return (marks){ends, lines, odd & ~ends};
}
#endif

/* A CR is plain before its LF. */
static bool all_plain(const char *p, uint64_t odd) {
  for (; odd != 0; odd &= odd - 1) {
    const char *at = p + __builtin_ctzll(odd);
    if (*at == '"' || *at == '\0' || (*at == '\r' && at[1] != '\n'))
      return false;
  }
  return true;
}

/* The marks of the bytes from `at` on, of n, as far as there are any; false if one is not plain. */
MPG_INLINE bool known_marks(const char *p, size_t n, size_t at, marks *m) {
  if (n - at < 64) {
    uint64_t known = (UINT64_C(1) << (n - at)) - 1;
    m->ends &= known;
    m->lines &= known;
    m->odd &= known;
  }
  return m->odd == 0 || all_plain(p + at, m->odd);
}

/*
** Every field's end is written down, and every width-th of them must be a line's, and no other.
** Where that fails, the records that ended within these 64 bytes are given up with it, for which
** one is to blame is not searched for.
*/
MPG_INLINE size_t scan_next(mpg_csv_scan *scan, const char *p, size_t n, size_t at, look_at *how,
                            put_at *put) {
  uint32_t *ends = scan->marks + 1;
  size_t k = 0, records = 0, next = scan->width;
  if (scan->width < 2 || scan->width > MPG_CSV_SCAN_FIELDS / 2)
    return 0;
  scan->marks[0] = (uint32_t)at - 1;
  for (; at < n && k + 64 <= MPG_CSV_SCAN_FIELDS; at += 64) {
    size_t before = records;
    marks m = how(scan, p + at);
    if (!known_marks(p, n, at, &m))
      break;
    k += put(ends + k, m.ends, at);
    for (; next <= k; next += scan->width, records++) {
      uint64_t end = UINT64_C(1) << (ends[next - 1] - at);
      if ((m.lines & end) == 0)
        return before;
      m.lines -= end;
    }
    if (m.lines != 0)
      return before;
  }
  return records;
}

MPG_INLINE size_t scan_count(mpg_csv_scan *scan, const char *p, size_t n, size_t at, look_at *how) {
  size_t fields = 0, records = 0; /* of the record that is open */
  scan->end = at;
  if (scan->width < 2)
    return 0;
  for (; at < n; at += 64) {
    size_t before = 0; /* ends up to the line's */
    marks m = how(scan, p + at);
    if (!known_marks(p, n, at, &m))
      break;
    for (; m.lines != 0; m.lines &= m.lines - 1) {
      size_t up_to = mpg_bits_count(m.ends & (m.lines ^ (m.lines - 1)));
      if (fields + up_to - before != scan->width)
        return records;
      before = up_to;
      fields = 0;
      records++;
      scan->end = at + (size_t)__builtin_ctzll(m.lines) + 1;
    }
    fields += mpg_bits_count(m.ends) - before;
  }
  return records;
}

#ifdef MPG_AVX2
MPG_AVX2 static size_t next_wide(mpg_csv_scan *scan, const char *p, size_t n, size_t at) {
  return scan_next(scan, p, n, at, marks_wide, mpg_bits_put);
}

MPG_AVX2 static size_t count_wide(mpg_csv_scan *scan, const char *p, size_t n, size_t at) {
  return scan_count(scan, p, n, at, marks_wide);
}
#endif

#ifdef MPG_AVX512
MPG_AVX512 static size_t next_widest(mpg_csv_scan *scan, const char *p, size_t n, size_t at) {
  return scan_next(scan, p, n, at, marks_widest, mpg_bits_put_widest);
}
#endif

size_t mpg_csv_scan_next(mpg_csv_scan *scan, const char *p, size_t n, size_t at) {
#ifdef MPG_AVX512
  if (scan->most == 0 && mpg_has_avx512())
    return next_widest(scan, p, n, at);
#endif
#ifdef MPG_AVX2
  if (scan->most != 16 && mpg_has_avx2())
    return next_wide(scan, p, n, at);
#endif
  return scan_next(scan, p, n, at, marks_of, mpg_bits_put);
}

size_t mpg_csv_scan_count(mpg_csv_scan *scan, const char *p, size_t n, size_t at) {
#ifdef MPG_AVX2
  if (scan->most != 16 && mpg_has_avx2())
    return count_wide(scan, p, n, at);
#endif
  return scan_count(scan, p, n, at, marks_of);
}
