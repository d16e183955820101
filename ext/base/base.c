/* base.c - errors, memory and text shared by the core: see base.h. */
#define _GNU_SOURCE /* newlocale, uselocale */
#include "base.h"

#undef mpg_fail /* the analyzer's: see base.h */
#undef mpg_fail_nomem

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORMATTED 6144 /* a path, and the longest message with its excerpts */

/* Of this thread alone, which the host does not share meanwhile. glibc's "C" locale object is a
** constant: nothing is allocated here, or freed. */
static int MPG_PRINTF(3, 0) print(char *to, size_t cap, const char *format, va_list args) {
  locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  locale_t hosts = c_locale != (locale_t)0 ? uselocale(c_locale) : (locale_t)0;
  int n = vsnprintf(to, cap, format, args);
  if (hosts != (locale_t)0)
    (void)uselocale(hosts);
  if (c_locale != (locale_t)0)
    freelocale(c_locale);
  return n;
}

int mpg_print(char *to, size_t cap, const char *format, ...) {
  va_list args;
  int n;
  va_start(args, format);
  n = print(to, cap, format, args);
  va_end(args);
  return n;
}

static bool is_within_character(char c) {
  return ((unsigned char)c & 0xc0) == 0x80;
}

static void format_ends(char *to, size_t cap, const char *format, va_list args) {
  char whole[FORMATTED];
  const size_t half = (cap - sizeof "...") / 2;
  int n = print(whole, sizeof whole, format, args);
  const char *end = whole + (n < FORMATTED ? n : FORMATTED - 1), *tail = end - half;
  size_t head = half;
  while (head > 0 && is_within_character(whole[head]))
    head--;
  while (tail < end && is_within_character(*tail))
    tail++;
  (void)snprintf(to, cap, "%.*s...%s", (int)head, whole, tail);
}

void mpg_format(char *to, size_t cap, const char *format, va_list args) {
  va_list again;
  va_copy(again, args);
  if (print(to, cap, format, args) >= (int)cap)
    format_ends(to, cap, format, again);
  va_end(again);
}

mpg_rc mpg_fail(mpg_err *err, mpg_rc rc, const char *format, ...) {
  va_list args;
  va_start(args, format);
  err->rc = rc;
  mpg_format(err->text, sizeof err->text, format, args);
  va_end(args);
  return rc;
}

mpg_rc mpg_fail_nomem(mpg_err *err) {
  return mpg_fail(err, MPG_NOMEM, "out of memory");
}

mpg_rc mpg_fail_plain(mpg_err *err, mpg_rc rc) {
  return rc == MPG_INTERRUPTED ? mpg_fail(err, rc, "interrupted") : mpg_fail_nomem(err);
}

static void *libc_resize(void *ctx, void *p, size_t n) {
  (void)ctx;
  if (n == 0) {
    free(p);
    return NULL;
  }
  return realloc(p, n);
}

const mpg_env mpg_env_libc = {.resize = libc_resize};

bool mpg_same_allocator(const mpg_env *a, const mpg_env *b) {
  return a->resize == b->resize && a->resize_ctx == b->resize_ctx;
}

void *mpg_malloc(const mpg_env *env, size_t n) {
  return env->resize(env->resize_ctx, NULL, n ? n : 1);
}

void *mpg_calloc(const mpg_env *env, size_t n) {
  void *p = mpg_malloc(env, n);
  if (p != NULL)
    memset(p, 0, n);
  return p;
}

void mpg_free(const mpg_env *env, void *p) {
  if (p != NULL)
    (void)env->resize(env->resize_ctx, p, 0);
}

#ifdef MPG_TEST
_Thread_local bool (*mpg_test_poller)(void *ctx);

void mpg_may_ask(const mpg_env *env) {
  if (mpg_test_poller != NULL && env->interrupted != NULL && env->interrupted != mpg_test_poller)
    abort(); /* unreachable: only the host's thread polls the host */
}
#endif

bool mpg_interrupted(const mpg_env *env) {
  mpg_may_ask(env);
  return env->interrupted != NULL && env->interrupted(env->interrupted_ctx);
}

#define PIECE ((size_t)1 << 20) /* of fresh memory: a millisecond, or five on a slow host */

bool mpg_clear(const mpg_env *env, void *p, size_t n) {
  char *at = p;
  mpg_may_ask(env);
  for (; n > PIECE; n -= PIECE, at += PIECE) {
    memset(at, 0, PIECE);
    if (mpg_interrupted(env))
      return false;
  }
  if (n > 0)
    memset(at, 0, n);
  return true;
}

void *mpg_zeroed(const mpg_env *env, size_t n, mpg_rc *rc) {
  void *p = mpg_malloc(env, n);
  *rc = p == NULL ? MPG_NOMEM : mpg_clear(env, p, n) ? MPG_OK : MPG_INTERRUPTED;
  if (*rc == MPG_OK)
    return p;
  mpg_free(env, p);
  return NULL;
}

bool mpg_copy(const mpg_env *env, void *to, const void *from, size_t n) {
  char *t = to;
  const char *f = from;
  mpg_may_ask(env);
  for (; n > PIECE; n -= PIECE, t += PIECE, f += PIECE) {
    memcpy(t, f, PIECE);
    if (mpg_interrupted(env))
      return false;
  }
  if (n > 0)
    memcpy(t, f, n);
  return true;
}

mpg_rc mpg_grow_array(const mpg_env *env, void *array, size_t *cap, size_t want, size_t size) {
  void *old, *grown;
  size_t n = *cap ? *cap : 8;
  if (want <= *cap)
    return MPG_OK;
  while (n < want) {
    if (n > SIZE_MAX / 2)
      return MPG_NOMEM;
    n *= 2;
  }
#ifdef MPG_TEST /* no room to spare: the sanitizer then sees a read after the end */
  if (want <= 1024 / size)
    n = want;
#endif
  if (n > SIZE_MAX / 2 / size)
    return MPG_NOMEM;
  memcpy(&old, array, sizeof old);
  grown = env->resize(env->resize_ctx, old, n * size);
  if (grown == NULL)
    return MPG_NOMEM;
  memcpy(array, &grown, sizeof grown);
  *cap = n;
  return MPG_OK;
}

mpg_str mpg_str_of(const char *z) {
  return (mpg_str){z, z == NULL ? 0 : strlen(z)};
}

bool mpg_str_eq(mpg_str a, mpg_str b) {
  return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

bool mpg_str_starts_with(mpg_str s, mpg_str start) {
  return s.n >= start.n && (start.n == 0 || memcmp(s.p, start.p, start.n) == 0);
}

bool mpg_str_contains(mpg_str s, mpg_str part) {
  if (part.n == 0)
    return true;
  for (size_t i = 0; i + part.n <= s.n; i++)
    if (s.p[i] == *part.p && memcmp(s.p + i, part.p, part.n) == 0)
      return true;
  return false;
}

static char lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool mpg_str_eq_nocase(mpg_str a, mpg_str b) {
  if (a.n != b.n)
    return false;
  for (size_t i = 0; i < a.n; i++)
    if (lower(a.p[i]) != lower(b.p[i]))
      return false;
  return true;
}

int mpg_str_cmp(mpg_str a, mpg_str b) {
  size_t n = a.n < b.n ? a.n : b.n;
  int c = n ? memcmp(a.p, b.p, n) : 0;
  return c ? c : (a.n > b.n) - (a.n < b.n);
}
