/* perfetto.c - see perfetto.h. */
#include "perfetto.h"
#include "../../base/limits.h"
#include "../../read/input/unfinished.h"
#include "annotations.h"
#include "clocks.h"
#include "tracks.h"

#include <math.h>
#include <string.h>

#define HEAD_BYTES ((size_t)20) /* of a tag and a length, at most: two varints */
#define PARENTS 16              /* of a track, that are looked at */

/* What is counted, and said at the end of the file. */
enum { LOST_PACKETS, LOSSES, UNKNOWN_NAME, UNKNOWN_CLOCK, NO_TIME, OTHER, PACKED, COUNTS };

struct mpg_perfetto {
  const mpg_env *env;
  mpg_poller poller;
  const char *path;
  mpg_issues *issues;
  mpg_proto_stream in;
  int64_t at;     /* of the packet at hand */
  int64_t row_at; /* of the packet of the row */
  size_t nth;     /* packet of the file */
  bool dead;      /* nothing more can be read */
  bool ended;     /* what is left is being matched */
  bool any;       /* a packet that is one of Perfetto */
  mpg_perfetto_names names;
  mpg_perfetto_tracks tracks;
  mpg_perfetto_clocks clocks;
  mpg_json_text args;     /* of the event at hand */
  mpg_json_text row_args; /* of the row */
  mpg_json_text joined;   /* categories */
  mpg_value values[MPG_PERFETTO_COUNT];
  int64_t counts[COUNTS], first[COUNTS];
  uint32_t other; /* field of the first other packet */
};

mpg_rc mpg_perfetto_open(mpg_perfetto **out, const mpg_env *env, mpg_stream *stream,
                         mpg_issues *issues, mpg_err *err) {
  mpg_perfetto *p = mpg_calloc(env, sizeof *p);
  if (p == NULL)
    return mpg_fail_nomem(err);
  p->env = p->poller.env = p->args.env = p->row_args.env = p->joined.env = env;
  p->path = mpg_stream_path(stream);
  p->issues = issues;
  mpg_proto_open(&p->in, env, stream);
  mpg_perfetto_names_init(&p->names, &p->poller);
  mpg_perfetto_tracks_init(&p->tracks, env);
  p->clocks = (mpg_perfetto_clocks){&p->poller, MPG_PERFETTO_BOOTTIME, NULL, 0, 0};
  *out = p;
  return MPG_OK;
}

void mpg_perfetto_close(mpg_perfetto *p) {
  if (p == NULL)
    return;
  mpg_proto_close(&p->in);
  mpg_perfetto_names_free(&p->names);
  mpg_perfetto_tracks_free(&p->tracks);
  mpg_free(p->env, p->clocks.shared);
  mpg_json_text_free(&p->args);
  mpg_json_text_free(&p->row_args);
  mpg_json_text_free(&p->joined);
  mpg_free(p->env, p);
}

static void count_left_out(mpg_perfetto *p, int what) {
  if (p->counts[what]++ == 0)
    p->first[what] = p->at;
}

/* ---- The end of the file ---- */

static mpg_rc list_issue(mpg_perfetto *p, mpg_severity severity, const char *kind, int what,
                         const char *detail) {
  if (p->issues == NULL || p->counts[what] == 0)
    return MPG_OK;
  return mpg_issues_add(p->issues, severity, p->path, kind, p->first[what], p->counts[what], "%s",
                        detail);
}

static mpg_rc list_others(mpg_perfetto *p) {
  if (p->issues == NULL || p->counts[OTHER] == 0)
    return MPG_OK;
  return mpg_issues_add(p->issues, MPG_INFO, p->path, "other_packets", p->first[OTHER],
                        p->counts[OTHER],
                        "packets and events that are no slice, instant or counter are passed "
                        "over; the first has field %u",
                        p->other);
}

static mpg_rc end_file(mpg_perfetto *p, mpg_err *err) {
  mpg_rc rc = list_issue(p, MPG_DATA_LOSS, "lost_packets", LOST_PACKETS,
                         "events whose names were lost with the packets before them are left out");
  if (rc == MPG_OK)
    rc = list_issue(p, MPG_WARNING, "missing_samples", LOSSES,
                    "packets were lost: slices may be missing, or have the end of another");
  if (rc == MPG_OK)
    rc = list_issue(p, MPG_WARNING, "unknown_name", UNKNOWN_NAME,
                    "events with a number for a name that no packet explains have no name");
  if (rc == MPG_OK)
    rc = list_issue(p, MPG_DATA_LOSS, "unknown_clock", UNKNOWN_CLOCK,
                    "events of a clock that no snapshot compares with others are left out");
  if (rc == MPG_OK)
    rc = list_issue(p, MPG_DATA_LOSS, "missing_field", NO_TIME,
                    "events without a time are left out");
  if (rc == MPG_OK)
    rc = list_issue(p, MPG_DATA_LOSS, "packed_packets", PACKED,
                    "packets that are packed are left out: unpack them with "
                    "traceconv decompress_packets");
  if (rc == MPG_OK)
    rc = list_others(p);
  if (rc == MPG_OK && p->issues != NULL && p->names.invalid > 0)
    rc = mpg_issues_add(p->issues, MPG_WARNING, p->path, "invalid_utf8", 0, p->names.invalid,
                        "bytes that are no UTF-8 are read as U+FFFD");
  memset(p->counts, 0, sizeof p->counts);
  p->names.invalid = 0;
  return rc == MPG_OK ? MPG_DONE : mpg_fail_nomem(err);
}

/* ---- Packets ---- */

static mpg_rc end_packets(mpg_perfetto *p, mpg_err *err) {
  mpg_rc rc = MPG_OK;
  if (!p->ended)
    rc = mpg_perfetto_sort_left(&p->tracks);
  p->dead = p->ended = true;
  if (rc != MPG_OK)
    return mpg_fail_plain(err, rc);
  if (p->nth > 0 && !p->any)
    return mpg_fail(err, MPG_DATA,
                    "%s: byte 0: expected packets of Perfetto, found %zu messages without a field "
                    "of one",
                    p->path, p->nth);
  return MPG_DONE;
}

static mpg_rc end_unfinished(mpg_perfetto *p, mpg_err *err) {
  mpg_rc rc = mpg_unfinished_record(p->issues, p->path, p->at, err);
  return rc == MPG_OK ? end_packets(p, err) : rc;
}

/* A varint at the start of `s`, less its bytes; false: it goes on beyond the end. */
static bool skip_varint(mpg_str *s) {
  size_t n = 0;
  while (n < s->n && (s->p[n] & 0x80) != 0)
    n++;
  if (n == s->n)
    return false;
  *s = (mpg_str){s->p + n + 1, s->n - n - 1};
  return true;
}

/* Whether the file ends within the tag and the length that begin here. */
static bool is_cut(mpg_str head) {
  const bool is_short = head.n < HEAD_BYTES;
  const bool has_tag = skip_varint(&head);
  return is_short && !(has_tag && skip_varint(&head));
}

/* The next packet, borrowed until the one after it is read; another field of the trace is skipped.
 */
static mpg_rc read_packet(mpg_perfetto *p, mpg_proto_message *out, mpg_err *err) {
  const int64_t limit = mpg_limit_in(p->env, MPG_LIMIT_RECORD_BYTES);
  mpg_str head, whole;
  mpg_proto_field f;
  mpg_rc rc;
  for (;;) {
    p->at = p->in.at;
    rc = mpg_proto_peek(&p->in, HEAD_BYTES, &head, err);
    if (rc == MPG_OK && head.n == 0)
      return end_packets(p, err);
    if (rc == MPG_OK && is_cut(head))
      return end_unfinished(p, err);
    if (rc == MPG_OK)
      rc = mpg_proto_stream_next(&p->in, INT64_MAX, "a Trace", &f, err);
    if (rc != MPG_OK) {
      p->dead = rc == MPG_DATA; /* where the next packet begins, nobody knows */
      return rc;
    }
    if (f.type != MPG_PROTO_BYTES)
      continue;
    if (f.value > (uint64_t)limit)
      return mpg_fail(err, MPG_LIMIT, "%s: byte %lld: a packet of %llu bytes, more than %lld",
                      p->path, (long long)p->at, (unsigned long long)f.value, (long long)limit);
    rc = mpg_proto_peek(&p->in, (size_t)f.value, &whole, err);
    if (rc == MPG_OK && whole.n < f.value)
      return end_unfinished(p, err);
    if (rc != MPG_OK)
      return rc;
    whole.n = (size_t)f.value;
    *out = (mpg_proto_message){whole, p->in.at, p->path, "a TracePacket"};
    rc = mpg_proto_skip(&p->in, f.value, "a Trace", err); /* it is in memory, and stays there */
    p->nth++;
    if (rc != MPG_OK || f.number == 1)
      return rc;
  }
}

/* ---- Rows ---- */

static void put_text(mpg_perfetto *p, int column, uint32_t id) {
  if (id != 0)
    p->values[column] = (mpg_value){MPG_TEXT, 0, 0.0, mpg_intern_text(&p->names.texts, id)};
}

static void put_int(mpg_perfetto *p, int column, int64_t i) {
  p->values[column] = (mpg_value){MPG_INT, i, 0.0, {NULL, 0}};
}

static void begin_row(mpg_perfetto *p, const char *kind, int64_t at, uint32_t sequence) {
  memset(p->values, 0, sizeof p->values);
  p->values[MPG_PERFETTO_kind] = (mpg_value){MPG_TEXT, 0, 0.0, mpg_str_of(kind)};
  p->row_at = at;
  if (sequence != 0)
    put_int(p, MPG_PERFETTO_sequence, sequence);
}

/* The place of a row: its track, and what that or one around it says of process and thread. */
static void put_track(mpg_perfetto *p, uint32_t at) {
  const mpg_perfetto_track *t = &p->tracks.tracks[at];
  if (t->uuid != 0)
    put_int(p, MPG_PERFETTO_track_uuid, (int64_t)t->uuid);
  if (t->has_parent)
    put_int(p, MPG_PERFETTO_parent_uuid, (int64_t)t->parent);
  put_text(p, MPG_PERFETTO_track, t->name);
  for (int i = 0; i < PARENTS; i++) {
    if (t->has_pid && p->values[MPG_PERFETTO_pid].type == MPG_NULL)
      put_int(p, MPG_PERFETTO_pid, t->pid);
    if (t->has_tid && p->values[MPG_PERFETTO_tid].type == MPG_NULL)
      put_int(p, MPG_PERFETTO_tid, t->tid);
    if (p->values[MPG_PERFETTO_process].type == MPG_NULL)
      put_text(p, MPG_PERFETTO_process, t->process);
    if (p->values[MPG_PERFETTO_thread].type == MPG_NULL)
      put_text(p, MPG_PERFETTO_thread, t->thread);
    if (!t->has_parent || !mpg_perfetto_track_find(&p->tracks, t->parent, &at))
      return;
    t = &p->tracks.tracks[at];
  }
}

static void put_args(mpg_perfetto *p, const mpg_json_text *args) {
  if (args->n > 0)
    p->values[MPG_PERFETTO_args] = (mpg_value){MPG_TEXT, 0, 0.0, {args->p, args->n}};
}

/* The objects of a begin and of its end as one. */
static mpg_rc join_args(mpg_perfetto *p, const mpg_perfetto_slice *slice, mpg_str end,
                        mpg_err *err) {
  mpg_json_text *j = &p->row_args;
  mpg_rc rc;
  j->n = 0;
  if (slice->args_n == 0 || end.n == 0) {
    rc = mpg_json_put(j, slice->args_n > 0 ? (mpg_str){slice->args, slice->args_n} : end);
  } else {
    rc = mpg_json_put(j, (mpg_str){slice->args, slice->args_n - 1});
    if (rc == MPG_OK)
      rc = mpg_json_put(j, MPG_STR(","));
    if (rc == MPG_OK)
      rc = mpg_json_put(j, (mpg_str){end.p + 1, end.n - 1});
  }
  return rc == MPG_OK ? MPG_OK : mpg_fail_nomem(err);
}

/* The row of a slice, which is freed. */
static mpg_rc give_slice(mpg_perfetto *p, mpg_perfetto_slice *slice, int64_t end_ns, mpg_str end,
                         mpg_err *err) {
  mpg_rc rc = join_args(p, slice, end, err);
  begin_row(p, "slice", slice->at, slice->sequence);
  put_int(p, MPG_PERFETTO_start_ns, slice->start_ns);
  put_int(p, MPG_PERFETTO_end_ns, end_ns);
  put_text(p, MPG_PERFETTO_name, slice->name);
  put_text(p, MPG_PERFETTO_category, slice->category);
  put_track(p, slice->track);
  if (slice->has_flow)
    put_int(p, MPG_PERFETTO_flow_id, (int64_t)slice->flow);
  put_args(p, &p->row_args);
  mpg_perfetto_slice_free(&p->tracks, slice);
  return rc;
}

/* ---- Tracks ---- */

static mpg_rc check_room(const mpg_perfetto *p, mpg_err *err) {
  const int64_t limit = mpg_limit_in(p->env, MPG_LIMIT_PLANE_BYTES);
  if (mpg_perfetto_tracks_bytes(&p->tracks) <= (uint64_t)limit)
    return MPG_OK;
  return mpg_fail(err, MPG_LIMIT, "%s: byte %lld: tracks and open slices of more than %lld bytes",
                  p->path, (long long)p->at, (long long)limit);
}

static mpg_rc get_track(mpg_perfetto *p, uint64_t uuid, uint32_t *track, mpg_err *err) {
  const size_t known = p->tracks.n;
  mpg_rc rc = mpg_perfetto_track_get(&p->tracks, uuid, track);
  if (rc != MPG_OK)
    return mpg_fail_plain(err, rc);
  return p->tracks.n > known ? check_room(p, err) : MPG_OK;
}

/* What is told of a track; what was told before and is not now stays. */
static mpg_rc tell_track(mpg_perfetto *p, uint32_t at, const mpg_perfetto_descriptor *d,
                         mpg_err *err) {
  mpg_perfetto_track *t = &p->tracks.tracks[at];
  uint32_t name, process, thread;
  mpg_rc rc = mpg_perfetto_text(&p->names, d->name, p->path, p->at, &name, err);
  if (rc == MPG_OK)
    rc = mpg_perfetto_text(&p->names, d->process, p->path, p->at, &process, err);
  if (rc == MPG_OK)
    rc = mpg_perfetto_text(&p->names, d->thread, p->path, p->at, &thread, err);
  if (rc != MPG_OK)
    return rc;
  t->name = name != 0 ? name : t->name;
  t->process = process != 0 ? process : t->process;
  t->thread = thread != 0 ? thread : t->thread;
  if (d->has_parent && d->parent != t->uuid) {
    t->parent = d->parent;
    t->has_parent = true;
  }
  if (d->has_pid) {
    t->pid = d->pid;
    t->has_pid = true;
  }
  if (d->has_tid) {
    t->tid = d->tid;
    t->has_tid = true;
  }
  return MPG_OK;
}

static mpg_rc read_descriptor(mpg_perfetto *p, const mpg_perfetto_packet *packet, bool *row,
                              mpg_err *err) {
  mpg_perfetto_descriptor d;
  uint32_t track;
  mpg_rc rc = mpg_perfetto_descriptor_read(&d, packet->descriptor.m, &p->poller, err);
  if (rc == MPG_OK)
    rc = get_track(p, d.uuid, &track, err);
  if (rc == MPG_OK)
    rc = tell_track(p, track, &d, err);
  if (rc != MPG_OK)
    return rc;
  begin_row(p, "track", p->at, packet->sequence);
  put_track(p, track);
  *row = true;
  return MPG_OK;
}

/* Writers of 2019 have a descriptor of their thread, and no track. */
static mpg_rc read_thread(mpg_perfetto *p, const mpg_perfetto_packet *packet,
                          mpg_perfetto_sequence *s, mpg_err *err) {
  mpg_perfetto_descriptor d = {0};
  uint32_t track;
  mpg_rc rc = mpg_perfetto_thread_read(&d, packet->thread.m, &p->poller, err);
  if (rc != MPG_OK)
    return rc;
  s->has_track = true;
  s->track = ((uint64_t)d.pid << 32 ^ (uint64_t)d.tid) | UINT64_C(1) << 63;
  if (__builtin_mul_overflow(d.reference_us, INT64_C(1000), &s->thread_ns))
    s->thread_ns = 0;
  rc = get_track(p, s->track, &track, err);
  return rc == MPG_OK ? tell_track(p, track, &d, err) : rc;
}

/* ---- Events ---- */

/* The time of the event; *known: false if it has none. */
static mpg_rc time_of(mpg_perfetto *p, const mpg_perfetto_packet *packet, mpg_perfetto_sequence *s,
                      const mpg_perfetto_event *e, int64_t *ns, bool *known, mpg_err *err) {
  const uint32_t clock = packet->has_clock ? packet->clock : s->clock;
  mpg_rc rc;
  if (packet->has_timestamp) {
    rc = mpg_perfetto_time(&p->clocks, s, clock, packet->timestamp, p->path, p->at, ns, known, err);
    if (rc == MPG_OK && !*known)
      count_left_out(p, UNKNOWN_CLOCK);
    return rc;
  }
  *known = e->has_absolute || e->has_delta;
  if (!*known) {
    count_left_out(p, NO_TIME);
    return MPG_OK;
  }
  if (__builtin_mul_overflow(e->has_absolute ? e->absolute_us : e->delta_us, INT64_C(1000), ns) ||
      (!e->has_absolute && __builtin_add_overflow(*ns, s->thread_ns, ns)))
    return mpg_fail(err, MPG_DATA, "%s: byte %lld: expected a time of 63 bits, found a larger one",
                    p->path, (long long)p->at);
  if (!e->has_absolute)
    s->thread_ns = *ns;
  return MPG_OK;
}

static mpg_rc add_category(mpg_perfetto *p, mpg_str text, mpg_err *err) {
  mpg_rc rc = MPG_OK;
  if (text.n == 0)
    return MPG_OK;
  if (p->joined.n > 0)
    rc = mpg_json_put(&p->joined, MPG_STR(","));
  if (rc == MPG_OK)
    rc = mpg_json_put(&p->joined, text);
  return rc == MPG_OK ? MPG_OK : mpg_fail_nomem(err);
}

static mpg_rc add_annotation(mpg_perfetto *p, const mpg_perfetto_sequence *s, mpg_proto_message m,
                             mpg_err *err) {
  if (p->args.n == 0 && mpg_json_put(&p->args, MPG_STR("{")) != MPG_OK)
    return mpg_fail_nomem(err);
  return mpg_perfetto_annotation(&p->names, s, m, &p->args, err);
}

/* What repeats in an event: its categories, joined, and its annotations as JSON. */
static mpg_rc read_repeated(mpg_perfetto *p, const mpg_perfetto_sequence *s, mpg_proto_message m,
                            mpg_err *err) {
  mpg_proto_field f;
  mpg_rc rc;
  p->args.n = p->joined.n = 0;
  while ((rc = mpg_proto_next(&m, &f, err)) == MPG_OK) {
    if (f.number == 4 && f.type == MPG_PROTO_BYTES)
      rc = add_annotation(p, s, mpg_proto_within(&m, &f, "a DebugAnnotation"), err);
    else if (f.number == 22 && f.type == MPG_PROTO_BYTES)
      rc = add_category(p, f.bytes, err);
    else if (f.number == 3 && f.type == MPG_PROTO_VARINT)
      rc = add_category(
          p,
          mpg_intern_text(&p->names.texts,
                          mpg_perfetto_name_find(&p->names, s, MPG_PERFETTO_CATEGORY, f.value)),
          err);
    if (rc != MPG_OK)
      return rc;
    if (mpg_poller_stop(&p->poller, 16))
      return mpg_fail_plain(err, MPG_INTERRUPTED);
  }
  if (rc == MPG_DONE && p->args.n > 0 && mpg_json_put(&p->args, MPG_STR("}")) != MPG_OK)
    return mpg_fail_nomem(err);
  return rc == MPG_DONE ? MPG_OK : rc;
}

static mpg_rc name_of(mpg_perfetto *p, const mpg_perfetto_sequence *s, const mpg_perfetto_event *e,
                      uint32_t *name, mpg_err *err) {
  if (e->name_number == 0)
    return mpg_perfetto_text(&p->names, e->name, p->path, p->at, name, err);
  *name = mpg_perfetto_name_find(&p->names, s, MPG_PERFETTO_NAME, e->name_number);
  if (*name == 0)
    count_left_out(p, UNKNOWN_NAME);
  return MPG_OK;
}

/* The row of an event that is complete in itself. */
static void give_event(mpg_perfetto *p, const mpg_perfetto_event *e,
                       const mpg_perfetto_slice *what) {
  begin_row(p,
            e->type == MPG_PERFETTO_COUNTER    ? "counter"
            : e->type == MPG_PERFETTO_COMPLETE ? "slice"
                                               : "instant",
            p->at, what->sequence);
  put_int(p, MPG_PERFETTO_start_ns, what->start_ns);
  put_text(p, MPG_PERFETTO_name, what->name);
  put_text(p, MPG_PERFETTO_category, what->category);
  put_track(p, what->track);
  if (what->has_flow)
    put_int(p, MPG_PERFETTO_flow_id, (int64_t)what->flow);
  if (e->type == MPG_PERFETTO_COUNTER && e->has_value && !isnan(e->value))
    p->values[MPG_PERFETTO_value] = (mpg_value){MPG_REAL, 0, e->value, {NULL, 0}};
  put_args(p, &p->args);
}

static mpg_rc give_complete(mpg_perfetto *p, const mpg_perfetto_event *e,
                            const mpg_perfetto_slice *what, mpg_err *err) {
  int64_t end;
  if (e->duration_us < 0 || __builtin_mul_overflow(e->duration_us, INT64_C(1000), &end) ||
      __builtin_add_overflow(end, what->start_ns, &end))
    return mpg_fail(err, MPG_DATA,
                    "%s: byte %lld: expected a duration in us that is not below 0, found %lld",
                    p->path, (long long)p->at, (long long)e->duration_us);
  give_event(p, e, what);
  put_int(p, MPG_PERFETTO_end_ns, end);
  return MPG_OK;
}

static mpg_rc put_event(mpg_perfetto *p, const mpg_perfetto_event *e, mpg_perfetto_slice *what,
                        bool *row, mpg_err *err) {
  const mpg_str args = {p->args.p, p->args.n};
  mpg_perfetto_slice *open;
  mpg_rc rc;
  switch (e->type) {
  case MPG_PERFETTO_BEGIN:
    rc = mpg_perfetto_slice_begin(&p->tracks, what, args);
    return rc == MPG_OK ? check_room(p, err) : mpg_fail_plain(err, rc);
  case MPG_PERFETTO_END:
    rc = mpg_perfetto_slice_end(&p->tracks, what->track, what->start_ns, p->nth, &open);
    if (rc != MPG_OK)
      return mpg_fail_plain(err, rc);
    *row = open != NULL;
    return open != NULL ? give_slice(p, open, what->start_ns, args, err) : check_room(p, err);
  case MPG_PERFETTO_COMPLETE:
    *row = true;
    return give_complete(p, e, what, err);
  default:
    *row = true;
    give_event(p, e, what);
    return MPG_OK;
  }
}

static mpg_rc read_event(mpg_perfetto *p, const mpg_perfetto_packet *packet,
                         mpg_perfetto_sequence *s, bool *row, mpg_err *err) {
  mpg_perfetto_event e;
  mpg_perfetto_slice what = {.at = p->at, .sequence = packet->sequence};
  bool known = false;
  mpg_rc rc = mpg_perfetto_event_read(&e, packet->event.m, &p->poller, err);
  if (rc == MPG_OK) /* also of an event that is left out: its clock may be incremental */
    rc = time_of(p, packet, s, &e, &what.start_ns, &known, err);
  if (rc != MPG_OK || !known)
    return rc;
  if (packet->needs_state && !s->sound) {
    count_left_out(p, LOST_PACKETS);
    return MPG_OK;
  }
  if (e.type == MPG_PERFETTO_NO_TYPE) {
    p->other = p->counts[OTHER] == 0 ? 11 : p->other;
    count_left_out(p, OTHER);
    return MPG_OK;
  }
  rc = get_track(p, e.has_track ? e.track : s->has_track ? s->track : 0, &what.track, err);
  if (rc == MPG_OK)
    rc = read_repeated(p, s, packet->event.m, err);
  if (rc == MPG_OK)
    rc = name_of(p, s, &e, &what.name, err);
  if (rc == MPG_OK)
    rc = mpg_perfetto_text(&p->names, (mpg_str){p->joined.p, p->joined.n}, p->path, p->at,
                           &what.category, err);
  what.has_flow = e.has_flow;
  what.flow = e.flow;
  return rc == MPG_OK ? put_event(p, &e, &what, row, err) : rc;
}

/* ---- What a packet says ---- */

/* Of its sequence, before anything in it is read. */
static mpg_rc read_state(mpg_perfetto *p, const mpg_perfetto_packet *packet,
                         mpg_perfetto_sequence *s, mpg_err *err) {
  uint32_t clock;
  uint64_t track = 0;
  bool has_track;
  mpg_rc rc = MPG_OK;
  if (packet->dropped && s->begun) /* of a first packet the flag says nothing */
    count_left_out(p, LOSSES);
  s->begun = true;
  if (packet->dropped)
    s->sound = false;
  if (packet->cleared) {
    s->generation++;
    s->sound = true;
    s->has_track = false;
    s->clock = 0;
  }
  if (mpg_perfetto_has(&packet->defaults)) {
    rc =
        mpg_perfetto_defaults_read(packet->defaults.m, &p->poller, &clock, &track, &has_track, err);
    s->clock = clock;
    s->track = has_track ? track : s->track;
    s->has_track |= has_track;
  }
  if (rc == MPG_OK && mpg_perfetto_has(&packet->interned))
    rc = mpg_perfetto_names_read(&p->names, s, packet->interned.m, err);
  if (rc == MPG_OK && mpg_perfetto_has(&packet->thread))
    rc = read_thread(p, packet, s, err);
  return rc;
}

static mpg_rc read_snapshot(mpg_perfetto *p, const mpg_perfetto_packet *packet,
                            mpg_perfetto_sequence *s, bool *row, mpg_err *err) {
  mpg_perfetto_snapshot snapshot;
  mpg_rc rc = mpg_perfetto_snapshot_read(&p->clocks, s, packet->snapshot.m, &snapshot, err);
  if (rc != MPG_OK || !snapshot.has_realtime)
    return rc;
  begin_row(p, "clock", p->at, packet->sequence);
  p->values[MPG_PERFETTO_name] = (mpg_value){MPG_TEXT, 0, 0.0, MPG_STR("REALTIME")};
  put_int(p, MPG_PERFETTO_start_ns, snapshot.trace_ns);
  put_int(p, MPG_PERFETTO_clock_ns, snapshot.realtime_ns);
  *row = true;
  return MPG_OK;
}

static mpg_rc read_contents(mpg_perfetto *p, mpg_proto_message m, bool *row, mpg_err *err) {
  mpg_perfetto_packet packet;
  mpg_perfetto_sequence *s;
  mpg_rc rc = mpg_perfetto_packet_read(&packet, m, &p->poller, err);
  p->any |= packet.is_known;
  mpg_perfetto_tracks_session(&p->tracks, &packet);
  if (rc == MPG_OK)
    rc = mpg_perfetto_sequence_get(&p->names, packet.sequence, p->path, p->at, &s, err);
  if (rc == MPG_OK)
    rc = read_state(p, &packet, s, err);
  if (rc == MPG_OK && mpg_perfetto_has(&packet.snapshot))
    rc = read_snapshot(p, &packet, s, row, err);
  if (rc == MPG_OK && mpg_perfetto_has(&packet.descriptor))
    rc = read_descriptor(p, &packet, row, err);
  if (rc == MPG_OK && mpg_perfetto_has(&packet.event))
    rc = read_event(p, &packet, s, row, err);
  if (rc != MPG_OK || packet.other == 0)
    return rc;
  p->other = p->counts[OTHER] == 0 ? packet.other : p->other;
  count_left_out(p, packet.other == 50 ? PACKED : OTHER); /* compressed_packets */
  return MPG_OK;
}

/* ---- The loop ---- */

/* The next slice of what was left at the end of the file. */
static mpg_rc next_left(mpg_perfetto *p, mpg_err *err) {
  mpg_perfetto_slice *slice;
  int64_t end_ns, lost = 0, first = 0;
  mpg_rc rc = mpg_perfetto_next_left(&p->tracks, &slice, &end_ns, &lost, &first);
  if (lost > 0 && p->issues != NULL &&
      mpg_issues_add(p->issues, MPG_WARNING, p->path, "unfinished_slice", first, lost,
                     "begins of slices without an end, or ends without a begin, are left out") !=
          MPG_OK)
    return mpg_fail_nomem(err);
  if (rc == MPG_OK)
    return give_slice(p, slice, end_ns, (mpg_str){NULL, 0}, err);
  return rc == MPG_DONE ? end_file(p, err) : mpg_fail_plain(err, rc);
}

mpg_rc mpg_perfetto_next(mpg_perfetto *p, mpg_err *err) {
  for (;;) {
    mpg_proto_message packet = {{NULL, 0}, 0, p->path, "a TracePacket"};
    bool row = false;
    mpg_rc rc;
    if (p->dead && !p->ended) { /* after an error beyond which nothing can be read */
      rc = end_packets(p, err);
      if (rc != MPG_DONE)
        return rc;
    }
    if (p->ended)
      return next_left(p, err);
    rc = read_packet(p, &packet, err);
    if (rc == MPG_DONE)
      continue;
    if (rc == MPG_OK)
      rc = read_contents(p, packet, &row, err);
    if (rc != MPG_OK) {
      p->row_at = p->at;
      return rc;
    }
    if (row)
      return MPG_OK;
  }
}

int64_t mpg_perfetto_line(const mpg_perfetto *p) {
  return p->row_at;
}

const mpg_value *mpg_perfetto_get(const mpg_perfetto *p, size_t column) {
  return &p->values[column];
}
