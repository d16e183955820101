/* clocks.c - see clocks.h. */
#include "clocks.h"

#define FIRST_OF_SEQUENCE 64U
#define LAST_OF_SEQUENCE 127U
#define READINGS 64 /* of one snapshot; there are 10 clocks */

static mpg_perfetto_clock *find_clock(mpg_perfetto_clock *clocks, size_t n, uint32_t id) {
  for (size_t i = 0; i < n; i++)
    if (clocks[i].id == id)
      return &clocks[i];
  return NULL;
}

static bool is_of_sequence(uint32_t id) {
  return id >= FIRST_OF_SEQUENCE && id <= LAST_OF_SEQUENCE;
}

/* Where a clock is kept. */
static mpg_rc clock_get(mpg_perfetto_clocks *clocks, mpg_perfetto_sequence *sequence, uint32_t id,
                        mpg_perfetto_clock **out, mpg_err *err) {
  const bool own = is_of_sequence(id);
  mpg_perfetto_clock **list = own ? &sequence->clocks : &clocks->shared;
  size_t *n = own ? &sequence->nclocks : &clocks->n;
  *out = find_clock(*list, *n, id);
  if (*out != NULL)
    return MPG_OK;
  if (*n >= READINGS) { /* more than that no writer has: the first one is given up */
    *out = *list;
  } else {
    if (mpg_grow(clocks->poller->env, list, own ? &sequence->cap_clocks : &clocks->cap, *n + 1,
                 sizeof **list) != MPG_OK)
      return mpg_fail_nomem(err);
    *out = &(*list)[(*n)++];
  }
  **out = (mpg_perfetto_clock){.id = id};
  return MPG_OK;
}

/* What a clock shows, in nanoseconds. */
static bool reading_ns(const mpg_perfetto_reading *r, int64_t *out) {
  return r->timestamp <= INT64_MAX && r->unit_ns <= INT64_MAX &&
         !__builtin_mul_overflow((int64_t)r->timestamp, (int64_t)r->unit_ns, out);
}

static mpg_rc too_large(const char *path, int64_t at, uint64_t found, mpg_err *err) {
  return mpg_fail(err, MPG_DATA, "%s: byte %lld: expected a time of 63 bits, found %llu", path,
                  (long long)at, (unsigned long long)found);
}

/* The trace's clock at the snapshot: as it says, or by another clock whose offset is known. */
static bool trace_time(mpg_perfetto_clocks *clocks, const mpg_perfetto_reading *readings, size_t n,
                       int64_t *out) {
  int64_t ns;
  for (size_t i = 0; i < n; i++)
    if (readings[i].id == clocks->trace)
      return reading_ns(&readings[i], out);
  for (size_t i = 0; i < n; i++) {
    const mpg_perfetto_clock *c = find_clock(clocks->shared, clocks->n, readings[i].id);
    if (c != NULL && reading_ns(&readings[i], &ns))
      return !__builtin_add_overflow(ns, c->trace_ns, out);
  }
  return false;
}

static mpg_rc read_readings(mpg_perfetto_clocks *clocks, mpg_proto_message m,
                            mpg_perfetto_reading *readings, size_t *n, mpg_err *err) {
  mpg_proto_field f;
  mpg_rc rc;
  *n = 0;
  while ((rc = mpg_proto_next(&m, &f, err)) == MPG_OK) {
    if (f.number == 1 && f.type == MPG_PROTO_BYTES && *n < READINGS)
      rc = mpg_perfetto_reading_read(&readings[(*n)++], mpg_proto_within(&m, &f, "a Clock"),
                                     clocks->poller, err);
    else if (f.number == 2 && f.type == MPG_PROTO_VARINT && f.value > 0)
      clocks->trace = (uint32_t)f.value;
    if (rc != MPG_OK)
      return rc;
    if (mpg_poller_stop(clocks->poller, 16))
      return mpg_fail_plain(err, MPG_INTERRUPTED);
  }
  return rc == MPG_DONE ? MPG_OK : rc;
}

mpg_rc mpg_perfetto_snapshot_read(mpg_perfetto_clocks *clocks, mpg_perfetto_sequence *sequence,
                                  mpg_proto_message m, mpg_perfetto_snapshot *out, mpg_err *err) {
  mpg_perfetto_reading readings[READINGS];
  int64_t trace_ns, ns, offset;
  size_t n;
  mpg_rc rc = read_readings(clocks, m, readings, &n, err);
  *out = (mpg_perfetto_snapshot){false, 0, 0};
  if (rc != MPG_OK || !trace_time(clocks, readings, n, &trace_ns))
    return rc;
  for (size_t i = 0; i < n; i++) {
    mpg_perfetto_clock *c;
    if (!reading_ns(&readings[i], &ns) || __builtin_sub_overflow(trace_ns, ns, &offset))
      return too_large(m.path, m.offset, readings[i].timestamp, err);
    rc = clock_get(clocks, sequence, readings[i].id, &c, err);
    if (rc != MPG_OK)
      return rc;
    *c = (mpg_perfetto_clock){readings[i].id, readings[i].incremental, (int64_t)readings[i].unit_ns,
                              ns, offset};
    if (readings[i].id == MPG_PERFETTO_REALTIME)
      *out = (mpg_perfetto_snapshot){true, trace_ns, ns};
  }
  return MPG_OK;
}

mpg_rc mpg_perfetto_time(const mpg_perfetto_clocks *clocks, mpg_perfetto_sequence *sequence,
                         uint32_t clock, uint64_t timestamp, const char *path, int64_t at,
                         int64_t *ns, bool *known, mpg_err *err) {
  mpg_perfetto_clock *c = NULL;
  *known = true;
  if (timestamp > INT64_MAX)
    return too_large(path, at, timestamp, err);
  *ns = (int64_t)timestamp;
  if (clock == 0 || clock == clocks->trace)
    return MPG_OK;
  c = is_of_sequence(clock) ? find_clock(sequence->clocks, sequence->nclocks, clock)
                            : find_clock(clocks->shared, clocks->n, clock);
  *known = c != NULL;
  if (c == NULL)
    return MPG_OK;
  if (__builtin_mul_overflow(*ns, c->unit_ns, ns) ||
      (c->incremental && __builtin_add_overflow(*ns, c->value_ns, ns)))
    return too_large(path, at, timestamp, err);
  if (c->incremental)
    c->value_ns = *ns;
  if (__builtin_add_overflow(*ns, c->trace_ns, ns))
    return too_large(path, at, timestamp, err);
  return MPG_OK;
}
