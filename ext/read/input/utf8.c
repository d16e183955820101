/* utf8.c - see utf8.h. */
#define _GNU_SOURCE /* pread */
#include "utf8.h"
#include "simd.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes at the start that are ASCII, counted in steps: there may be a few more. */
static size_t ascii_steps(const char *p, size_t n) {
  size_t i = 0;
#ifdef MPG_SSE2
  for (; n - i >= 64; i += 64) {
    const __m128i *v = (const __m128i *)(const void *)(p + i);
    __m128i low = _mm_or_si128(_mm_loadu_si128(v), _mm_loadu_si128(v + 1));
    __m128i high = _mm_or_si128(_mm_loadu_si128(v + 2), _mm_loadu_si128(v + 3));
    if (_mm_movemask_epi8(_mm_or_si128(low, high)) != 0)
      break;
  }
#endif
  for (uint64_t word; n - i >= sizeof word; i += sizeof word) {
    memcpy(&word, p + i, sizeof word);
    if ((word & UINT64_C(0x8080808080808080)) != 0)
      break;
  }
  return i;
}

int mpg_utf8_character(const char *p, size_t n) {
  const unsigned char *s = (const unsigned char *)p;
  unsigned char low = 0x80, high = 0xbf; /* of the second byte */
  int length;
  if (s[0] < 0x80)
    return 1;
  if (s[0] < 0xc2 || s[0] > 0xf4)
    return -1;
  length = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
  if (s[0] == 0xe0)
    low = 0xa0;
  else if (s[0] == 0xed)
    high = 0x9f;
  else if (s[0] == 0xf0)
    low = 0x90;
  else if (s[0] == 0xf4)
    high = 0x8f;
  for (int i = 1; i < length; i++) {
    if ((size_t)i == n)
      return 0;
    if (s[i] < low || s[i] > high)
      return -i;
    low = 0x80;
    high = 0xbf;
  }
  return length;
}

size_t mpg_utf8_valid(const char *p, size_t n) {
  size_t i = 0;
  while (i < n) {
    int length;
    if ((unsigned char)p[i] < 0x80)
      i += ascii_steps(p + i, n - i);
    if (i == n)
      break;
    length = mpg_utf8_character(p + i, n - i);
    if (length <= 0)
      break;
    i += (size_t)length;
  }
  return i;
}

/* ---- NUL bytes at the end ---- */

#define BLOCK 4096
#define MOST_NUL ((off_t)64 << 20) /* more than a file system reserves; a sparse file has more */

off_t mpg_nul_tail(int fd, off_t *size) {
  char bytes[BLOCK];
  struct stat st;
  if (fstat(fd, &st) != 0 || st.st_size == 0 || pread(fd, bytes, 1, st.st_size - 1) != 1 ||
      *bytes != 0)
    return -1;
  *size = st.st_size;
  for (off_t end = st.st_size; end > 0;) {
    const off_t from = end > BLOCK ? end - BLOCK : 0;
    if (st.st_size - end > MOST_NUL || pread(fd, bytes, (size_t)(end - from), from) != end - from)
      return -1;
    for (; end > from; end--)
      if (bytes[end - from - 1] != 0)
        return end;
  }
  return -1;
}
