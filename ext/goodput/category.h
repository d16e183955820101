/*
** category.h - the categories that chip-time falls into, their layers, and what they count towards.
**
**   C (capacity)      = every category but `queued`
**   A (all-allocated) = C - scheduling
**   G (productive)    = inefficiency + unrated + ideal
**   I (ideal)         = ideal
*/
#ifndef MPG_CATEGORY_H
#define MPG_CATEGORY_H

#include "../base/base.h"

/* The values are part of the state format (account.h): append, never renumber. */
typedef enum mpg_category {
  MPG_DOWN = 0,
  MPG_IDLE,
  MPG_PARTIAL,
  MPG_STARTUP,
  MPG_COMPILE,
  MPG_RESTORE,
  MPG_INPUT,
  MPG_CHECKPOINT,
  MPG_EVAL,
  MPG_STALL,
  MPG_LOST,
  MPG_PENDING,
  MPG_UNKNOWN,
  MPG_UNTRACED,
  MPG_INEFFICIENCY,
  MPG_UNRATED,
  MPG_IDEAL,
  MPG_QUEUED,
  MPG_CATEGORIES
} mpg_category;

typedef enum mpg_layer {
  MPG_LAYER_SCHEDULING,
  MPG_LAYER_RUNTIME,
  MPG_LAYER_PROGRAM,
  MPG_LAYER_NO_DATA,
  MPG_LAYER_IDEAL,
  MPG_LAYER_DEMAND
} mpg_layer;

typedef struct mpg_category_info {
  const char *name; /* as in SQL, lower case */
  int n;            /* its length */
  mpg_layer layer;
  const char *meaning; /* one sentence */
} mpg_category_info;

const mpg_category_info *mpg_category_get(mpg_category c);
const char *mpg_layer_name(mpg_layer layer);

/* Each name at an address of its own, which identifies the category. */
#define MPG_CATEGORY_NAME 16
extern const char mpg_category_names[MPG_CATEGORIES][MPG_CATEGORY_NAME];
static inline const char *mpg_category_name(mpg_category c) {
  return mpg_category_names[c];
}
/* The category whose name is at this very address, or MPG_CATEGORIES. */
static inline mpg_category mpg_category_at(const char *name) {
  uintptr_t place = (uintptr_t)name - (uintptr_t)mpg_category_names;
  return place < sizeof mpg_category_names && place % MPG_CATEGORY_NAME == 0
             ? (mpg_category)(place / MPG_CATEGORY_NAME)
             : MPG_CATEGORIES;
}

/* The category named exactly so (case matters), or MPG_CATEGORIES if there is none. */
mpg_category mpg_category_find(mpg_str name);

#endif
