/* limits.c - see limits.h. */
#include "limits.h"

#define MIB (INT64_C(1) << 20)
#define UNLIMITED (INT64_C(1) << 60)

static const mpg_limit_info infos[MPG_LIMITS] = {
    {"record_bytes", 64 * MIB, 64 * MIB,
     "bytes of a record: a line, a value of JSON, an event, a message"},
    {"record_fields", 65536, 65536, "fields of a record of delimited text"},
    {"json_members", 4194304, 4194304,
     "members of an object or array of JSON that is read as a whole"},
    {"unpacked_bytes", UNLIMITED, UNLIMITED, "bytes that one compressed file unpacks to"},
    {"unpacked_ratio", 1000, INT64_C(1000000000),
     "times its own size that a compressed file unpacks to, above 256 MiB"},
    {"files", 1000000, INT64_C(100000000), "files and folders that a path stands for"},
    {"module_bytes", 1024 * MIB, 1024 * MIB, "bytes of the text of an HLO module"},
    {"plane_bytes", 256 * MIB, 256 * MIB, "bytes of the lines, names and stats of an XSpace plane"},
    {"planes", 1048576, 1048576, "planes of an XSpace file"},
    {"pattern_steps", 10000000, 10000000, "steps of matching a regular expression on one line"},
    {"buckets", 10000000, 10000000, "buckets that a ledger is cut into"},
    {"groups", INT64_C(100000000), INT64_C(4000000000),
     "groups of csv_rollup and jsonl_rollup, in each of their threads"},
    {"issues", 10000, 1000000, "rows of mpg_issues; what is above is counted in one row more"},
    {"packed_bytes", 768 * MIB, UNLIMITED,
     "bytes of a trace's packed spans and commits in memory; others wait in a temporary file"},
};

const mpg_limit_info *mpg_limit_get(mpg_limit_id id) {
  return &infos[id];
}

mpg_limit_id mpg_limit_by_name(mpg_str name) {
  for (int i = 0; i < MPG_LIMITS; i++)
    if (mpg_str_eq_nocase(name, mpg_str_of(infos[i].name)))
      return (mpg_limit_id)i;
  return MPG_LIMITS;
}

void mpg_limits_init(mpg_limits *limits) {
  for (int i = 0; i < MPG_LIMITS; i++)
    limits->of[i] = infos[i].standard;
}

int64_t mpg_limit_in(const mpg_env *env, mpg_limit_id id) {
  return env->limits != NULL ? __atomic_load_n(&env->limits->of[id], __ATOMIC_RELAXED)
                             : infos[id].standard;
}
