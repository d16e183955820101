/* gzip_isal.c - gzip by ISA-L, linked or searched for at run time: see gzip.h. */
#include "gzip.h"

#ifdef MPG_ISAL
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#ifdef MPG_ISAL_LOADED
#include <dlfcn.h>
#endif

/* Parts of a gzip header, in their order; all but the first are there if a flag says so. */
typedef enum header_part { FIXED, EXTRA_SIZE, EXTRA, NAME, COMMENT, HEADER_CRC, AFTER } header_part;

/* Where a header is being read: as a member of several files may be, a byte at a time. */
typedef struct header {
  header_part part;
  unsigned at;         /* bytes of the part so far */
  unsigned flags, two; /* two: of bytes that are a number */
  uint32_t crc;        /* of all before HEADER_CRC */
} header;

/* What is used of ISA-L. */
typedef struct isal_calls {
  void (*init)(struct inflate_state *state);
  int (*inflate)(struct inflate_state *state);
  uint32_t (*crc)(uint32_t crc, const unsigned char *p, uint64_t n);
} isal_calls;

typedef struct isal_gzip {
  mpg_gzip base; /* must be first */
  isal_calls isal;
  header header;
  struct inflate_state state;
} isal_gzip;

/* The part after this one that the header has. */
static header_part part_after(const header *h) {
  static const unsigned flag[] = {
      [EXTRA_SIZE] = 4, [EXTRA] = 4, [NAME] = 8, [COMMENT] = 16, [HEADER_CRC] = 2};
  header_part part = h->part + 1;
  while (part < AFTER && ((h->flags & flag[part]) == 0 || (part == EXTRA && h->two == 0)))
    part++;
  return part;
}

/* Takes a byte of the header; NULL, or what is wrong with it. */
static const char *header_byte(const isal_calls *isal, header *h, unsigned b) {
  unsigned at = h->at++;
  bool ends = false;
  switch (h->part) {
  case FIXED:
    if (at < 2 && b != (at == 0 ? 0x1f : 0x8b))
      return "incorrect header check";
    if (at == 2 && b != 8)
      return "unknown compression method";
    if (at == 3 && b > 0x1f)
      return "unknown header flags set";
    h->flags = at == 3 ? b : h->flags;
    ends = at == 9;
    break;
  case EXTRA_SIZE:
  case HEADER_CRC:
    h->two = at == 0 ? b : h->two | b << 8;
    ends = at == 1;
    break;
  case EXTRA:
    ends = h->at == h->two;
    break;
  default: /* texts */
    ends = b == 0;
  }
  if (ends && h->part == HEADER_CRC && h->two != (h->crc & 0xffff))
    return "header crc mismatch";
  if (h->part != HEADER_CRC) {
    unsigned char byte = (unsigned char)b;
    h->crc = isal->crc(h->crc, &byte, 1);
  }
  if (ends) {
    h->part = part_after(h);
    h->at = 0;
  }
  return NULL;
}

static const char *isal_text(int code) {
  switch (code) {
  case ISAL_INVALID_BLOCK:
    return "invalid block type";
  case ISAL_INVALID_SYMBOL:
    return "invalid code";
  case ISAL_INVALID_LOOKBACK:
    return "invalid distance too far back";
  case ISAL_INCORRECT_CHECKSUM:
    return "incorrect data check";
  default:
    return "unreadable";
  }
}

static bool isal_start(mpg_gzip *gzip) {
  isal_gzip *g = (isal_gzip *)gzip;
  g->isal.init(&g->state);
  g->state.crc_flag = ISAL_GZIP_NO_HDR_VER; /* a trailer that is checked */
  g->header = (header){FIXED, 0, 0, 0, 0};
  return true;
}

/* The header is read here: libisal refuses one that has a CRC of its own. */
static mpg_rc isal_step(mpg_gzip *gzip, mpg_gzip_step *step) {
  isal_gzip *g = (isal_gzip *)gzip;
  uint32_t in_n = step->in.n < INT32_MAX ? (uint32_t)step->in.n : INT32_MAX,
           out_n = step->cap < INT32_MAX ? (uint32_t)step->cap : INT32_MAX;
  int code;
  for (; step->eaten < step->in.n && g->header.part != AFTER; step->eaten++) {
    step->damage = header_byte(&g->isal, &g->header, (unsigned char)step->in.p[step->eaten]);
    if (step->damage != NULL)
      return MPG_DATA;
  }
  if (step->eaten > 0 || g->header.part != AFTER)
    return MPG_OK;
  g->state.next_in = (uint8_t *)(uintptr_t)step->in.p;
  g->state.avail_in = in_n;
  g->state.next_out = (uint8_t *)step->out;
  g->state.avail_out = out_n;
  code = g->isal.inflate(&g->state);
  step->eaten = in_n - g->state.avail_in;
  step->got = out_n - g->state.avail_out;
  step->ended = g->state.block_state == ISAL_BLOCK_FINISH;
  if (code >= 0 && code != ISAL_NEED_DICT)
    return MPG_OK;
  step->damage = isal_text(code);
  return MPG_DATA;
}

static void isal_close(mpg_gzip *gzip) {
  mpg_free(gzip->env, gzip);
}

#ifdef MPG_ISAL_LOADED
/* ISA-L stays once it is there, so that the next file finds it at once, without a global. */
static bool isal_find(isal_calls *out) {
  void *library = dlopen("libisal.so.2", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == NULL)
    return false;
  *(void **)&out->init = dlsym(library, "isal_inflate_init");
  *(void **)&out->inflate = dlsym(library, "isal_inflate");
  *(void **)&out->crc = dlsym(library, "crc32_gzip_refl");
  (void)dlclose(library);
  return out->init != NULL && out->inflate != NULL && out->crc != NULL;
}
#else
static bool isal_find(isal_calls *out) {
  *out = (isal_calls){isal_inflate_init, isal_inflate, crc32_gzip_refl};
  return true;
}
#endif

mpg_gzip *mpg_gzip_by_isal(const mpg_env *env, bool *missing) {
  isal_calls isal;
  isal_gzip *g;
  *missing = !isal_find(&isal);
  g = *missing ? NULL : mpg_malloc(env, sizeof *g);
  if (g == NULL)
    return NULL;
  g->base = (mpg_gzip){env, isal_start, isal_step, isal_close};
  g->isal = isal;
  return &g->base;
}
#else
mpg_gzip *mpg_gzip_by_isal(const mpg_env *env, bool *missing) {
  (void)env;
  *missing = true;
  return NULL;
}
#endif
