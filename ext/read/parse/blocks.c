/* blocks.c - see blocks.h. */
#define _GNU_SOURCE /* memrchr */
#include "blocks.h"
#include "../../base/ascii.h"
#include "../input/os.h"
#include "../input/simd.h"
#include "../input/window.h"
#include "csv.h"

#include <string.h>

/* A quarter of a megabyte is still in a core's cache when it is parsed, and long against what is
** done once a block; half as much and twice as much were as quick. A record that does not end
** within 32 of them is left to a reader of the whole. */
#define BLOCK MPG_IO_SIZE(256 << 10)
#define GIVE_UP (32 * BLOCK)
#define BLOCK_LARGE (4 * BLOCK) /* of a file of which GIVE_UP has been read: fewer parts to merge */

struct mpg_blocks {
  const mpg_env *env;
  mpg_stream *stream;
  mpg_blocks_options options;
  mpg_csv *csv; /* for text that only the reader itself can cut */
  char *tail;   /* read, and after the end of the block before */
  size_t ntail, tail_cap;
  int64_t line;
  int64_t offset; /* of the tail */
  bool begun, ended;
  mpg_err failed; /* the stream did, after the tail */
};

void mpg_block_free(mpg_block *block) {
  if (block->env != NULL)
    mpg_free(block->env, block->bytes);
  memset(block, 0, sizeof *block);
}

mpg_rc mpg_blocks_open(mpg_blocks **out, const mpg_env *env, mpg_stream *stream,
                       const mpg_blocks_options *options, mpg_err *err) {
  mpg_csv_options csv = {options->delimiter, options->no_quotes, 0};
  mpg_blocks *b = mpg_calloc(env, sizeof *b);
  mpg_rc rc = MPG_OK;
  *out = NULL;
  if (b == NULL)
    return mpg_fail_nomem(err);
  b->env = env;
  b->stream = stream;
  b->options = *options;
  b->line = 1;
  if (!options->json)
    rc = mpg_csv_open(&b->csv, env, stream, &csv, err);
  if (rc != MPG_OK) {
    mpg_free(env, b);
    return rc;
  }
  *out = b;
  return MPG_OK;
}

void mpg_blocks_close(mpg_blocks *b) {
  if (b == NULL)
    return;
  mpg_csv_close(b->csv);
  mpg_free(b->env, b->tail);
  mpg_free(b->env, b);
}

/* ---- a look over all bytes ---- */

typedef struct survey {
  size_t lf, cr, crlf;
  bool quote, nul;
} survey;

static void survey_byte(survey *s, char c, char before) {
  s->lf += c == '\n';
  s->cr += c == '\r';
  s->crlf += c == '\n' && before == '\r';
  s->quote |= c == '"';
  s->nul |= c == '\0';
}

#ifdef MPG_SSE2
static size_t sum_bytes(__m128i v) {
  __m128i sums = _mm_sad_epu8(v, _mm_setzero_si128());
  return (size_t)_mm_cvtsi128_si32(sums) + (size_t)_mm_extract_epi16(sums, 4);
}

/* Of bytes from p + 1 on, in steps of 16: counters of a byte hold 255 of them. */
static const char *survey_wide(survey *s, const char *p, const char *end) {
  const __m128i lf = _mm_set1_epi8('\n'), cr = _mm_set1_epi8('\r'), quote = _mm_set1_epi8('"'),
                zero = _mm_setzero_si128();
  __m128i odd = zero;
  while (end - p > 16) {
    __m128i nlf = zero, ncr = zero, ncrlf = zero;
    for (int i = 0; i < 255 && end - p > 16; i++, p += 16) {
      __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + 1));
      __m128i before = _mm_loadu_si128((const __m128i *)(const void *)p);
      __m128i is_lf = _mm_cmpeq_epi8(v, lf);
      nlf = _mm_sub_epi8(nlf, is_lf);
      ncr = _mm_sub_epi8(ncr, _mm_cmpeq_epi8(v, cr));
      ncrlf = _mm_sub_epi8(ncrlf, _mm_and_si128(is_lf, _mm_cmpeq_epi8(before, cr)));
      s->quote |= _mm_movemask_epi8(_mm_cmpeq_epi8(v, quote)) != 0;
      odd = _mm_or_si128(odd, _mm_cmpeq_epi8(v, zero));
    }
    s->lf += sum_bytes(nlf);
    s->cr += sum_bytes(ncr);
    s->crlf += sum_bytes(ncrlf);
  }
  s->nul |= _mm_movemask_epi8(odd) != 0;
  return p;
}
#endif

/* p is at the beginning of a record: the bytes before it do not matter. */
static survey survey_of(const char *p, size_t n) {
  const char *end = p + n;
  survey s = {0};
  if (n == 0)
    return s;
  survey_byte(&s, *p, '\0');
#ifdef MPG_SSE2
  p = survey_wide(&s, p, end);
#endif
  for (p++; p < end; p++)
    survey_byte(&s, *p, p[-1]);
  return s;
}

static int64_t count_lf(const char *p, size_t n) {
  const char *end = p + n;
  size_t lf = 0;
#ifdef MPG_SSE2
  const __m128i want = _mm_set1_epi8('\n');
  while (end - p >= 16) {
    __m128i found = _mm_setzero_si128();
    for (int i = 0; i < 255 && end - p >= 16; i++, p += 16)
      found = _mm_sub_epi8(found,
                           _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)p), want));
    lf += sum_bytes(found);
  }
#endif
  for (; p < end; p++)
    lf += *p == '\n';
  return (int64_t)lf;
}

static int64_t lines_of(const survey *s) {
  return (int64_t)(s->lf + s->cr - s->crlf);
}

/* ---- the ends of a block of CSV ---- */

/* Bits of the bytes of one kind among 64 (or the n that are left). */
static uint64_t bits_of(const char *p, size_t n, char c) {
  uint64_t bits = 0;
#ifdef MPG_SSE2
  if (n >= 64) {
    const __m128i want = _mm_set1_epi8(c);
    for (int i = 0; i < 4; i++) {
      __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + 16 * i));
      unsigned found = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, want));
      bits |= (uint64_t)found << (16 * i);
    }
    return bits;
  }
#endif
  for (size_t i = 0; i < 64 && i < n; i++)
    bits |= (uint64_t)(p[i] == c) << i;
  return bits;
}

/* Bit i: an odd number of bits up to and with bit i. */
static uint64_t prefix_parity(uint64_t bits) {
  for (int i = 1; i < 64; i *= 2)
    bits ^= bits << i;
  return bits;
}

/*
** The last line end outside quotes, by the parity of the quotes before it; 0: none. False if a
** quote opens elsewhere than at the beginning of a field, or closes elsewhere than at its end: then
** parity says nothing. (Of a doubled quote the first seems to close, and the second to open.)
*/
static bool cut_by_parity(const char *p, size_t n, char delimiter, size_t *cut) {
  uint64_t inside = 0, may_open = 1, must_end = 0;
  *cut = 0;
  for (size_t at = 0; at < n; at += 64) {
    size_t left = n - at;
    uint64_t quote = bits_of(p + at, left, '"'), lf = bits_of(p + at, left, '\n');
    uint64_t edge = lf | quote | bits_of(p + at, left, delimiter) | bits_of(p + at, left, '\r');
    uint64_t in = prefix_parity(quote) ^ inside, opens = quote & in, closes = quote & ~in;
    uint64_t known = left >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << left) - 1;
    if ((opens & ~(edge << 1 | may_open)) != 0 || ((closes << 1 | must_end) & known & ~edge) != 0)
      return false;
    lf &= ~in;
    if (lf != 0)
      *cut = at + 64 - (size_t)__builtin_clzll(lf);
    inside = 0 - (in >> 63);
    may_open = edge >> 63;
    must_end = closes >> 63;
  }
  return true;
}

/* The last CR with another byte than LF after it, if there are no quotes and no LFs. */
static size_t cut_at_cr(const char *p, size_t n) {
  const char *cr = n < 2 ? NULL : memrchr(p, '\r', n - 1);
  return cr == NULL ? 0 : (size_t)(cr - p) + 1;
}

#ifdef MPG_AVX2
/* What count_plain_lf looks for, as far as there are 32 bytes: after them. */
MPG_AVX2 static const char *count_wide(const char *p, const char *end, char quote, size_t *lf,
                                       bool *odd) {
  const __m256i want = _mm256_set1_epi8('\n'), cr = _mm256_set1_epi8('\r'),
                q = _mm256_set1_epi8(quote), zero = _mm256_setzero_si256();
  __m256i others = zero;
  while (end - p >= 32) {
    __m256i found = zero, sums;
    for (int i = 0; i < 255 && end - p >= 32; i++, p += 32) {
      __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)p);
      found = _mm256_sub_epi8(found, _mm256_cmpeq_epi8(v, want));
      others =
          _mm256_or_si256(_mm256_or_si256(others, _mm256_cmpeq_epi8(v, cr)),
                          _mm256_or_si256(_mm256_cmpeq_epi8(v, zero), _mm256_cmpeq_epi8(v, q)));
    }
    sums = _mm256_sad_epu8(found, zero); /* a count of up to 255 * 8 in each of four */
    sums = _mm256_add_epi64(sums, _mm256_permute4x64_epi64(sums, 0x4e));
    sums = _mm256_add_epi64(sums, _mm256_shuffle_epi32(sums, 0x4e));
    *lf += (size_t)_mm256_extract_epi64(sums, 0);
  }
  *odd = _mm256_movemask_epi8(others) != 0;
  return p;
}
#endif

/* How many LFs there are, in one go; -1 if there is also a CR, a NUL, or a `quote`. */
static int64_t count_plain_lf(const char *p, size_t n, char quote) {
  const char *end = p + n;
  size_t lf = 0;
  bool odd = false;
#ifdef MPG_SSE2
  const __m128i want = _mm_set1_epi8('\n'), cr = _mm_set1_epi8('\r'), q = _mm_set1_epi8(quote),
                zero = _mm_setzero_si128();
  __m128i others = zero;
#ifdef MPG_AVX2
  if (mpg_has_avx2())
    p = count_wide(p, end, quote, &lf, &odd);
#endif
  while (end - p >= 16) {
    __m128i found = zero;
    for (int i = 0; i < 255 && end - p >= 16; i++, p += 16) {
      __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
      found = _mm_sub_epi8(found, _mm_cmpeq_epi8(v, want));
      others = _mm_or_si128(_mm_or_si128(others, _mm_cmpeq_epi8(v, cr)),
                            _mm_or_si128(_mm_cmpeq_epi8(v, zero), _mm_cmpeq_epi8(v, q)));
    }
    lf += sum_bytes(found);
  }
  odd |= _mm_movemask_epi8(others) != 0;
#endif
  for (; p < end; p++) {
    lf += *p == '\n';
    odd |= *p == '\r' || *p == '\0' || *p == quote;
  }
  return odd ? -1 : (int64_t)lf;
}

/* Text of lines that end in LF, without quotes that count: as most is. */
static bool plain_cut(mpg_blocks *b, const char *p, size_t n, size_t *cut) {
  const char *lf = memrchr(p, '\n', n);
  int64_t lines = lf == NULL ? -1 : count_plain_lf(p, n, b->options.no_quotes ? '\0' : '"');
  if (lines < 0)
    return false;
  *cut = (size_t)(lf + 1 - p);
  b->line += lines;
  return true;
}

static mpg_rc csv_cut(mpg_blocks *b, const char *p, size_t n, size_t *cut, mpg_err *err) {
  survey s;
  bool quotes;
  if (plain_cut(b, p, n, cut))
    return MPG_OK;
  s = survey_of(p, n);
  quotes = s.quote && !b->options.no_quotes;
  *cut = 0;
  if (!quotes && !s.nul && s.lf > 0)
    *cut = (size_t)((const char *)memrchr(p, '\n', n) - p) + 1;
  else if (!quotes && !s.nul)
    *cut = cut_at_cr(p, n);
  else if (s.nul || !cut_by_parity(p, n, b->options.delimiter, cut) ||
           (*cut == 0 && s.cr > s.crlf)) {
    mpg_rc rc = mpg_csv_cut(b->csv, p, n, cut, err);
    if (rc != MPG_OK)
      return rc;
  }
  if (*cut > n / 2) { /* less to look over again */
    survey tail = survey_of(p + *cut, n - *cut);
    b->line += lines_of(&s) - lines_of(&tail);
  } else {
    s = survey_of(p, *cut);
    b->line += lines_of(&s);
  }
  return MPG_OK;
}

/* ---- the ends of a block of JSON ---- */

/* Behind the last line end with '}' before and '{' after; *more: up to and with the '{'. */
static size_t json_cut(mpg_blocks *b, const char *p, size_t n, size_t *more) {
  const char *end = p + n, *lf = end;
  while ((lf = memrchr(p, '\n', (size_t)(lf - p))) != NULL) {
    const char *before = lf, *after = lf + 1;
    while (after < end && mpg_is_json_space(*after))
      after++;
    while (before > p && mpg_is_json_space(before[-1]))
      before--;
    if (after == end || *after != '{' || before == p || before[-1] != '}') {
      lf = before; /* every line end of this white space has the same neighbours */
      continue;
    }
    *more = (size_t)(after - lf);
    b->line += count_lf(p, (size_t)(lf + 1 - p));
    return (size_t)(lf + 1 - p);
  }
  return 0;
}

/* ---- blocks ---- */

/* Room for `want` bytes, with those of the block preserved; the slack after them is readable. */
static mpg_rc widen_block(const mpg_blocks *b, mpg_block *block, size_t want, mpg_err *err) {
  char *bytes;
  if (want <= block->cap)
    return MPG_OK;
  bytes = mpg_malloc(b->env, want + MPG_WINDOW_SLACK);
  if (bytes == NULL)
    return mpg_fail_nomem(err);
  if (block->n > 0)
    memcpy(bytes, block->bytes, block->n);
  mpg_free(b->env, block->bytes);
  block->env = b->env;
  block->bytes = bytes;
  block->cap = want;
  return MPG_OK;
}

/* Up to `want` bytes of the block, which may be longer, of what it held before: where blocks end
** must not depend on who reads them, for the numbers of their records go by it. */
static mpg_rc read_on(mpg_blocks *b, mpg_block *block, size_t want, mpg_err *err) {
  size_t room = want - block->n, got;
  mpg_rc rc = mpg_stream_read(b->stream, block->bytes + block->n, room, &got, err);
  block->n += got;
  memset(block->bytes + block->n, 0, MPG_WINDOW_SLACK);
  b->ended = got < room;
  return rc;
}

/* The start of the stream: a byte order mark, and what cannot be cut from its first byte on. */
static void begin_stream(mpg_blocks *b, mpg_block *block) {
  size_t i = 0;
  if (block->n >= 3 && memcmp(block->bytes, "\xef\xbb\xbf", 3) == 0) {
    block->n -= 3;
    memmove(block->bytes, block->bytes + 3, block->n);
  }
  while (i < block->n && mpg_is_json_space(block->bytes[i]))
    i++;
  block->rest = b->options.whole || (b->options.json && i < block->n && block->bytes[i] == '[');
  block->first = true;
  b->begun = true;
}

/* Ends the block at `cut` of its bytes; what is after goes into the next one. */
static mpg_rc keep_tail(mpg_blocks *b, mpg_block *block, size_t cut, mpg_err *err) {
  b->ntail = block->n - cut;
  if (mpg_grow(b->env, &b->tail, &b->tail_cap, b->ntail, 1) != MPG_OK)
    return mpg_fail_nomem(err);
  if (b->ntail > 0)
    memcpy(b->tail, block->bytes + cut, b->ntail);
  block->n = cut;
  b->offset += (int64_t)cut;
  return MPG_OK;
}

/* Where the block may end; 0 if it may not yet. */
static mpg_rc find_cut(mpg_blocks *b, mpg_block *block, size_t *cut, mpg_err *err) {
  if (!b->options.json)
    return csv_cut(b, block->bytes, block->n, cut, err);
  *cut = json_cut(b, block->bytes, block->n, &block->more);
  return MPG_OK;
}

mpg_rc mpg_blocks_next(mpg_blocks *b, mpg_block *block, mpg_err *err) {
  size_t want = BLOCK <= 3 ? 3 : (size_t)b->offset < GIVE_UP ? BLOCK : BLOCK_LARGE, cut = 0;
  mpg_rc rc = b->failed.rc;
  block->n = block->at = block->more = 0;
  block->rest = block->first = false;
  block->line = b->line;
  block->offset = b->offset;
  if (rc != MPG_OK) {
    *err = b->failed;
    return rc;
  }
  if (want < 2 * b->ntail)
    want = 2 * b->ntail;
  if ((rc = widen_block(b, block, want, err)) != MPG_OK)
    return rc;
  if (b->ntail > 0)
    memcpy(block->bytes, b->tail, b->ntail);
  block->n = b->ntail;
  b->ntail = 0;
  while (cut == 0) {
    if (!b->ended && (rc = read_on(b, block, want, err)) != MPG_OK)
      b->failed = *err;
    if (!b->begun)
      begin_stream(b, block);
    if (rc == MPG_OK && (b->ended || block->rest))
      break;
    if (block->rest && block->n > 0 && mpg_stream_failed(b->stream)) {
      b->ended = false; /* whoever continues reads up to there, and meets the failure again */
      b->failed.rc = MPG_OK;
      break;
    }
    if (!block->rest && find_cut(b, block, &cut, err) != MPG_OK)
      return err->rc;
    if (rc != MPG_OK && cut == 0) /* nothing whole came before it */
      return rc;
    if (cut == 0 && block->n >= GIVE_UP)
      block->rest = true;
    if (block->rest)
      break;
    if (cut == 0 && (rc = widen_block(b, block, want *= 2, err)) != MPG_OK)
      return rc;
  }
  if (cut > 0)
    return keep_tail(b, block, cut, err);
  block->rest = b->options.whole || !b->ended;
  b->ended = true;
  return block->n > 0 ? MPG_OK : MPG_DONE;
}
