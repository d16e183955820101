/* csv_scan.c - see csv_scan.h. */
#include "csv_scan.h"

#include <string.h>
#if defined(__SSE2__) && !defined(MPG_NO_SIMD)
#define MPG_CSV_SCAN_SSE2
#include <emmintrin.h>
#endif

/* Among 64 bytes, as bits. */
typedef struct marks {
  uint64_t ends;  /* delimiters and LFs */
  uint64_t lines; /* LFs */
  uint64_t odd;   /* what may be no plain byte: quotes, and everything up to CR but those */
} marks;

#ifdef MPG_CSV_SCAN_SSE2
static inline marks look(const mpg_csv_scan *scan, const char *p) {
  const __m128i delimiter = _mm_set1_epi8(scan->delimiter), lf = _mm_set1_epi8('\n'),
                quote = _mm_set1_epi8(scan->quotes ? '"' : '\n'), cr = _mm_set1_epi8('\r');
  uint64_t is_delimiter = 0, odd = 0, lines = 0;
  for (int i = 0; i < 4; i++) {
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + 16 * i));
    __m128i low = _mm_or_si128(_mm_cmpeq_epi8(_mm_min_epu8(v, cr), v), _mm_cmpeq_epi8(v, quote));
    is_delimiter |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, delimiter)) << (16 * i);
    lines |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, lf)) << (16 * i);
    odd |= (uint64_t)(unsigned)_mm_movemask_epi8(low) << (16 * i);
  }
  return (marks){is_delimiter | lines, lines, odd & ~(is_delimiter | lines)};
}
#else
static marks look(const mpg_csv_scan *scan, const char *p) {
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
#endif

static bool all_plain(const char *p, uint64_t odd) {
  for (; odd != 0; odd &= odd - 1) {
    char c = p[__builtin_ctzll(odd)];
    if (c == '"' || c == '\r' || c == '\0')
      return false;
  }
  return true;
}

/*
** Every field's end is written down, and every width-th of them must be a line's, with no other line
** ends between: that is known where there are as many lines as records. Where it fails, the records
** that ended within these 64 bytes are given up with it, for which one is to blame is not looked for.
*/
size_t mpg_csv_scan_next(mpg_csv_scan *scan, const char *p, size_t n, size_t at) {
  size_t k = 0, lines = 0, records = 0, next = scan->width;
  if (scan->width < 2 || scan->width > MPG_CSV_SCAN_FIELDS / 2)
    return 0;
  for (; at < n && k + 64 <= MPG_CSV_SCAN_FIELDS; at += 64) {
    marks m = look(scan, p + at);
    size_t before = records;
    if (n - at < 64) {
      uint64_t known = (UINT64_C(1) << (n - at)) - 1;
      m.ends &= known;
      m.lines &= known;
      m.odd &= known;
    }
    if (m.odd != 0 && !all_plain(p + at, m.odd))
      break;
    for (; m.lines != 0; m.lines &= m.lines - 1)
      lines++;
    for (; m.ends != 0; m.ends &= m.ends - 1)
      scan->ends[k++] = (uint32_t)(at + (size_t)__builtin_ctzll(m.ends));
    for (; next <= k; next += scan->width, records++)
      if (p[scan->ends[next - 1]] != '\n')
        return before;
    if (lines != records)
      return before;
  }
  return records;
}
