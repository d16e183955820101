/* category.c - the table of categories: see category.h. */
#include "category.h"

#define NAME(text) text, (int)sizeof(text) - 1
static const mpg_category_info table[MPG_CATEGORIES] = {
    [MPG_DOWN] = {NAME("down"), MPG_LAYER_SCHEDULING,
                  "installed but out of service; cause says why"},
    [MPG_IDLE] = {NAME("idle"), MPG_LAYER_SCHEDULING, "in service, held by no job"},
    [MPG_PARTIAL] = {NAME("partial"), MPG_LAYER_SCHEDULING,
                     "held by a job whose gang is not complete, or surplus beyond its need"},
    [MPG_STARTUP] = {NAME("startup"), MPG_LAYER_RUNTIME,
                     "device and process start, program load, data preparation"},
    [MPG_COMPILE] = {NAME("compile"), MPG_LAYER_RUNTIME, "tracing and compilation"},
    [MPG_RESTORE] = {NAME("restore"), MPG_LAYER_RUNTIME, "reading a checkpoint back"},
    [MPG_INPUT] = {NAME("input"), MPG_LAYER_RUNTIME, "waiting for input data"},
    [MPG_CHECKPOINT] = {NAME("checkpoint"), MPG_LAYER_RUNTIME, "blocked on saving a checkpoint"},
    [MPG_EVAL] = {NAME("eval"), MPG_LAYER_RUNTIME, "evaluation that interrupts training"},
    [MPG_STALL] = {NAME("stall"), MPG_LAYER_RUNTIME,
                   "hang, time-out, no traffic to serve, or a custom event; cause names it"},
    [MPG_LOST] = {NAME("lost"), MPG_LAYER_RUNTIME,
                  "steps executed that are not in the surviving lineage"},
    [MPG_PENDING] = {NAME("pending"), MPG_LAYER_RUNTIME,
                     "steps executed whose fate is unknown at the end of the trace"},
    [MPG_UNKNOWN] = {NAME("unknown"), MPG_LAYER_RUNTIME,
                     "time of a traced job that nothing explains"},
    [MPG_UNTRACED] = {NAME("untraced"), MPG_LAYER_NO_DATA,
                      "all-allocated time of a job without any runtime record"},
    [MPG_INEFFICIENCY] =
        {NAME("inefficiency"), MPG_LAYER_PROGRAM,
         "productive time above the roofline; negative where the ideal was beaten"},
    [MPG_UNRATED] = {NAME("unrated"), MPG_LAYER_NO_DATA,
                     "productive time of programs whose FLOPs or chip are unknown"},
    [MPG_IDEAL] = {NAME("ideal"), MPG_LAYER_IDEAL, "roofline time of the progress that survived"},
    [MPG_QUEUED] = {NAME("queued"), MPG_LAYER_DEMAND,
                    "chip-time asked for and not held; outside capacity"},
};

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
** A perfect hash of the names, for it is asked once a row: first letter, fourth letter and
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
