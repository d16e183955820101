/* op_priced.h - for the tests of what an operator of PyTorch costs: its price, or that it has
** none. */
#ifndef MPG_OP_PRICED_H
#define MPG_OP_PRICED_H

#include "check.h"
#include "exactly.h"
#include "../../ext/program/op_cost.h"

#include <stdlib.h>
#include <string.h>

#define BF16 "\"c10::BFloat16\""

static inline mpg_str text(const char *z) {
  return z == NULL ? (mpg_str){NULL, 0} : exactly(z);
}

static inline void price(const char *name, const char *dims, const char *types,
                         const char *concrete, long long flops, long long bytes) {
  mpg_op_cost cost;
  bool known = mpg_op_cost_of(text(name), text(dims), text(types), text(concrete), &cost);
  CHECK(known && cost.flops == flops && cost.bytes == bytes);
  if (!known || cost.flops != flops || cost.bytes != bytes)
    (void)fprintf(stderr, "  %s %s: %lld FLOPs, %lld bytes\n", name, dims,
                  known ? (long long)cost.flops : -9, known ? (long long)cost.bytes : -9);
}

static inline void no_price(const char *name, const char *dims, const char *concrete) {
  mpg_op_cost cost;
  CHECK(!mpg_op_cost_of(text(name), text(dims), text(NULL), text(concrete), &cost));
}

/* Concrete arguments of which all are `other` but those named: "3=[2],5=[4]". */
static inline void arguments(const char *given, const char *other, char *out, size_t cap) {
  size_t n = (size_t)snprintf(out, cap, "[");
  for (int i = 0; i < 34; i++) {
    char key[16];
    const char *at;
    int length = 0;
    (void)snprintf(key, sizeof key, "%d=", i);
    at = strstr(given, key);
    if (at != NULL && at != given && at[-1] != ' ')
      at = NULL;
    if (at != NULL)
      length = (int)strcspn(at + strlen(key), " ");
    n += (size_t)snprintf(out + n, cap - n, "%s\"%.*s\"", i > 0 ? ", " : "",
                          at != NULL ? length : (int)strlen(other),
                          at != NULL ? at + strlen(key) : other);
  }
  (void)snprintf(out + n, cap - n, "]");
}

#endif
