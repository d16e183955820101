/* utf8_repair.c - see utf8_repair.h. */
#include "utf8_repair.h"
#include "utf8.h"

#include <string.h>

static mpg_rc append_bytes(mpg_poller *poller, mpg_utf8_copy *copy, const char *p, size_t n) {
  if (mpg_grow(poller->env, &copy->p, &copy->cap, copy->n + n, 1) != MPG_OK)
    return MPG_NOMEM;
  memcpy(copy->p + copy->n, p, n);
  copy->n += n;
  return mpg_poller_stop(poller, 8 + n / 8) ? MPG_INTERRUPTED : MPG_OK;
}

mpg_rc mpg_utf8_repair(mpg_poller *poller, mpg_utf8_copy *copy, mpg_str *s, int64_t *invalid) {
  mpg_str left = *s;
  size_t sound = mpg_utf8_valid(left.p, left.n);
  mpg_rc rc = MPG_OK;
  if (sound == left.n)
    return MPG_OK;
  copy->n = 0;
  while (rc == MPG_OK && left.n > 0) {
    if (sound > 0) {
      rc = append_bytes(poller, copy, left.p, sound);
    } else {
      int n = mpg_utf8_character(left.p, left.n);
      sound = n == 0 ? left.n : (size_t)(n < 0 ? -n : n);
      *invalid += (int64_t)(n == 0 || n < 0);
      rc = append_bytes(poller, copy, MPG_UTF8_REPLACEMENT, 3);
    }
    left = (mpg_str){left.p + sound, left.n - sound};
    sound = left.n > 0 ? mpg_utf8_valid(left.p, left.n) : 0;
  }
  *s = (mpg_str){copy->p, copy->n};
  return rc;
}
