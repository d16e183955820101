/* category.c - the table of categories: see category.h. */
#include "category.h"

#include <string.h>

static const mpg_category_info table[MPG_CATEGORIES] = {
    [MPG_DOWN] = {"down", MPG_LAYER_SCHEDULING, "installed but out of service; cause says why"},
    [MPG_IDLE] = {"idle", MPG_LAYER_SCHEDULING, "in service, held by no job"},
    [MPG_PARTIAL] = {"partial", MPG_LAYER_SCHEDULING,
                     "held by a job whose gang is not complete, or surplus beyond its need"},
    [MPG_STARTUP] = {"startup", MPG_LAYER_RUNTIME,
                     "device and process start, program load, data preparation"},
    [MPG_COMPILE] = {"compile", MPG_LAYER_RUNTIME, "tracing and compilation"},
    [MPG_RESTORE] = {"restore", MPG_LAYER_RUNTIME, "reading a checkpoint back"},
    [MPG_INPUT] = {"input", MPG_LAYER_RUNTIME, "waiting for input data"},
    [MPG_CHECKPOINT] = {"checkpoint", MPG_LAYER_RUNTIME, "blocked on saving a checkpoint"},
    [MPG_EVAL] = {"eval", MPG_LAYER_RUNTIME, "evaluation that interrupts training"},
    [MPG_STALL] = {"stall", MPG_LAYER_RUNTIME,
                   "hang, time-out, no traffic to serve, or a custom event; cause names it"},
    [MPG_LOST] = {"lost", MPG_LAYER_RUNTIME,
                  "steps executed that are not in the surviving lineage"},
    [MPG_PENDING] = {"pending", MPG_LAYER_RUNTIME,
                     "steps executed whose fate is unknown at the end of the trace"},
    [MPG_UNKNOWN] = {"unknown", MPG_LAYER_RUNTIME, "time of a traced job that nothing explains"},
    [MPG_UNTRACED] = {"untraced", MPG_LAYER_NO_DATA,
                      "all-allocated time of a job without any runtime record"},
    [MPG_INEFFICIENCY] =
        {"inefficiency", MPG_LAYER_PROGRAM,
         "productive time above the roofline; negative where the ideal was beaten"},
    [MPG_UNRATED] = {"unrated", MPG_LAYER_NO_DATA,
                     "productive time of programs whose FLOPs or chip are unknown"},
    [MPG_IDEAL] = {"ideal", MPG_LAYER_IDEAL, "roofline time of the progress that survived"},
    [MPG_QUEUED] = {"queued", MPG_LAYER_DEMAND,
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

mpg_category mpg_category_find(mpg_str name) {
  for (int c = 0; c < MPG_CATEGORIES; c++)
    if (strlen(table[c].name) == name.n && memcmp(table[c].name, name.p, name.n) == 0)
      return (mpg_category)c;
  return MPG_CATEGORIES;
}
