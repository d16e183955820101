/* category.c - the table of categories: see category.h. */
#include "category.h"

/* Name, layer and meaning of each: the one list of them. */
#define CATEGORIES(X)                                                                              \
  X(DOWN, "down", SCHEDULING, "installed but out of service; cause says why")                      \
  X(IDLE, "idle", SCHEDULING, "in service, held by no job")                                        \
  X(PARTIAL, "partial", SCHEDULING,                                                                \
    "held by a job whose gang is not complete, or surplus beyond its need")                        \
  X(STARTUP, "startup", RUNTIME, "device and process start, program load, data preparation")       \
  X(COMPILE, "compile", RUNTIME, "tracing and compilation")                                        \
  X(RESTORE, "restore", RUNTIME, "reading a checkpoint back")                                      \
  X(INPUT, "input", RUNTIME, "waiting for input data")                                             \
  X(CHECKPOINT, "checkpoint", RUNTIME, "blocked on saving a checkpoint")                           \
  X(EVAL, "eval", RUNTIME, "evaluation that interrupts training")                                  \
  X(STALL, "stall", RUNTIME,                                                                       \
    "hang, time-out, no traffic to serve, or a custom event; cause names it")                      \
  X(LOST, "lost", RUNTIME, "steps executed that are not in the surviving lineage")                 \
  X(PENDING, "pending", RUNTIME, "steps executed whose fate is unknown at the end of the trace")   \
  X(UNKNOWN, "unknown", RUNTIME, "time of a traced job that nothing explains")                     \
  X(UNTRACED, "untraced", NO_DATA, "all-allocated time of a job without any runtime record")       \
  X(INEFFICIENCY, "inefficiency", PROGRAM,                                                         \
    "productive time above the roofline; negative where the ideal was beaten")                     \
  X(UNRATED, "unrated", NO_DATA, "productive time of programs whose FLOPs or chip are unknown")    \
  X(IDEAL, "ideal", IDEAL, "roofline time of the progress that survived")                          \
  X(QUEUED, "queued", DEMAND, "chip-time asked for and not held; outside capacity")

#define NAME(category, name, layer, meaning) [MPG_##category] = name,
const char mpg_category_names[MPG_CATEGORIES][MPG_CATEGORY_NAME] = {CATEGORIES(NAME)};

#define FITS(category, name, layer, meaning)                                                       \
  _Static_assert(sizeof(name) <= MPG_CATEGORY_NAME, "a name with its end fits its place");
CATEGORIES(FITS)

#define INFO(category, name, layer, meaning)                                                       \
  [MPG_##category] = {mpg_category_names[MPG_##category], (int)sizeof(name) - 1,                   \
                      MPG_LAYER_##layer, meaning},
static const mpg_category_info table[MPG_CATEGORIES] = {CATEGORIES(INFO)};

const mpg_category_info *mpg_category_get(mpg_category c) {
  return &table[c];
}

const char *mpg_layer_name(mpg_layer layer) {
  static const char *const names[] = {
      [MPG_LAYER_SCHEDULING] = "scheduling", [MPG_LAYER_RUNTIME] = "runtime",
      [MPG_LAYER_PROGRAM] = "program",       [MPG_LAYER_NO_DATA] = "no data",
      [MPG_LAYER_IDEAL] = "ideal",           [MPG_LAYER_DEMAND] = "demand",
  };
  return names[layer];
}

/*
** A perfect hash of the names, for it runs once for each row: first letter, fourth letter and
** length. Two names on one index would be a compiler error (an initialiser overridden).
*/
#define HASH(first, fourth, n) ((3 * (size_t)(first) + (size_t)(fourth) + (n)) % 32)
static const unsigned char by_hash[32] = {
    [HASH('d', 'n', 4)] = MPG_DOWN,          [HASH('i', 'e', 4)] = MPG_IDLE,
    [HASH('p', 't', 7)] = MPG_PARTIAL,       [HASH('s', 'r', 7)] = MPG_STARTUP,
    [HASH('c', 'p', 7)] = MPG_COMPILE,       [HASH('r', 't', 7)] = MPG_RESTORE,
    [HASH('i', 'u', 5)] = MPG_INPUT,         [HASH('c', 'c', 10)] = MPG_CHECKPOINT,
    [HASH('e', 'l', 4)] = MPG_EVAL,          [HASH('s', 'l', 5)] = MPG_STALL,
    [HASH('l', 't', 4)] = MPG_LOST,          [HASH('p', 'd', 7)] = MPG_PENDING,
    [HASH('u', 'n', 7)] = MPG_UNKNOWN,       [HASH('u', 'r', 8)] = MPG_UNTRACED,
    [HASH('i', 'f', 12)] = MPG_INEFFICIENCY, [HASH('u', 'a', 7)] = MPG_UNRATED,
    [HASH('i', 'a', 5)] = MPG_IDEAL,         [HASH('q', 'u', 6)] = MPG_QUEUED,
};

mpg_category mpg_category_find(mpg_str name) {
  unsigned char c;
  if (name.n < 4)
    return MPG_CATEGORIES;
  c = by_hash[HASH((unsigned char)name.p[0], (unsigned char)name.p[3], name.n)];
  return mpg_str_eq(name, (mpg_str){table[c].name, (size_t)table[c].n}) ? (mpg_category)c
                                                                        : MPG_CATEGORIES;
}
