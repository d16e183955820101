/* gzip.c - gzip by zlib, and which library unpacks: see gzip.h. */
#include "gzip.h"

#include <limits.h>
#include <string.h>
#if !defined MPG_ISAL || defined MPG_ISAL_LOADED
#include <zlib.h>

typedef struct zlib_gzip {
  mpg_gzip base; /* must be first */
  z_stream z;
} zlib_gzip;

static void *zlib_alloc(void *opaque, uInt items, uInt size) {
  const mpg_gzip *gzip = opaque;
  size_t n;
  return __builtin_mul_overflow((size_t)items, (size_t)size, &n) ? NULL : mpg_malloc(gzip->env, n);
}

static void zlib_free(void *opaque, void *p) {
  const mpg_gzip *gzip = opaque;
  mpg_free(gzip->env, p);
}

static bool zlib_start(mpg_gzip *gzip) {
  return inflateReset(&((zlib_gzip *)gzip)->z) == Z_OK;
}

static mpg_rc zlib_step(mpg_gzip *gzip, mpg_gzip_step *step) {
  z_stream *z = &((zlib_gzip *)gzip)->z;
  size_t in_n = step->in.n < UINT_MAX ? step->in.n : UINT_MAX,
         out_n = step->cap < UINT_MAX ? step->cap : UINT_MAX;
  int code;
  z->next_in = (z_const Bytef *)step->in.p;
  z->avail_in = (uInt)in_n;
  z->next_out = (Bytef *)step->out;
  z->avail_out = (uInt)out_n;
  code = inflate(z, Z_NO_FLUSH);
  step->eaten = in_n - z->avail_in;
  step->got = out_n - z->avail_out;
  step->ended = code == Z_STREAM_END;
  if (code == Z_MEM_ERROR)
    return MPG_NOMEM;
  if (code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR)
    return MPG_OK;
  step->damage = z->msg != NULL ? z->msg : "unreadable";
  return MPG_DATA;
}

static void zlib_close(mpg_gzip *gzip) {
  (void)inflateEnd(&((zlib_gzip *)gzip)->z);
  mpg_free(gzip->env, gzip);
}

mpg_gzip *mpg_gzip_by_zlib(const mpg_env *env) {
  zlib_gzip *g = mpg_calloc(env, sizeof *g);
  if (g == NULL)
    return NULL;
  g->base = (mpg_gzip){env, zlib_start, zlib_step, zlib_close};
  g->z.zalloc = zlib_alloc;
  g->z.zfree = zlib_free;
  g->z.opaque = g;
  if (inflateInit2(&g->z, 15 + 16) != Z_OK) { /* the largest window; gzip headers only */
    mpg_free(env, g);
    return NULL;
  }
  return &g->base;
}
#else
mpg_gzip *mpg_gzip_by_zlib(const mpg_env *env) {
  (void)env;
  return NULL;
}
#endif

mpg_gzip *mpg_gzip_open(const mpg_env *env) {
  bool missing;
  mpg_gzip *gzip = mpg_gzip_by_isal(env, &missing);
  return missing ? mpg_gzip_by_zlib(env) : gzip;
}
