/* tfevents.c - see tfevents.h. */
#define _GNU_SOURCE /* memmem */
#include "tfevents.h"
#include "../../base/intern.h"
#include "../../base/limits.h"
#include "../../base/text.h"
#include "../../read/input/unfinished.h"
#include "../../read/input/utf8_repair.h"
#include "crc32c.h"
#include "tensor.h"

#include <math.h>
#include <string.h>

#define HEAD_BYTES ((size_t)12)      /* a length and its checksum */
#define TAIL_BYTES ((size_t)4)       /* the checksum of the data */
#define BYTES_OF_A_NAME ((size_t)64) /* beside its text */
#define BYTES_BETWEEN_POLLS ((size_t)1 << 20)

/* Fields of an Event. */
enum {
  WALL_TIME = 1,
  STEP = 2,
  FILE_VERSION = 3,
  GRAPH = 4,
  SUMMARY = 5,
  LOG_MESSAGE = 6,
  SESSION_LOG = 7,
  RUN_METADATA = 8,
  META_GRAPH = 9,
  SOURCE = 10
};

/* Fields of a Summary.Value. */
enum {
  TAG = 1,
  SIMPLE_VALUE = 2,
  OLD_HISTOGRAM = 3,
  IMAGE = 4,
  HISTOGRAM = 5,
  AUDIO = 6,
  NODE_NAME = 7,
  TENSOR = 8,
  METADATA = 9
};

struct mpg_tfevents {
  const mpg_env *env;
  mpg_poller poller;
  const char *path;
  mpg_issues *issues;
  mpg_proto_stream in;
  mpg_crc32c crc;
  int64_t at;                /* of the record at hand */
  bool dead;                 /* nothing more can be read */
  mpg_proto_message event;   /* what is left of it, where it has a summary */
  mpg_proto_message summary; /* what is left of it */
  bool in_event;
  mpg_value values[MPG_TFEVENTS_COUNT];
  mpg_utf8_copy repaired[MPG_TFEVENTS_COUNT];
  mpg_intern names; /* tags with a plugin, and plugins */
  uint32_t *plugin; /* [id of a tag - 1]: the id of its plugin, or 0 */
  size_t cap_plugin;
  size_t name_bytes;              /* of names, and what it takes to find them again */
  mpg_str only;                   /* of mpg_tfevents_only; n 0: all */
  bool only_is_status;            /* which a session's event does not spell */
  int64_t unknown, first_unknown; /* fields, and the byte of the first */
  int64_t invalid;                /* bytes that are no UTF-8 */
};

mpg_rc mpg_tfevents_open(mpg_tfevents **out, const mpg_env *env, mpg_stream *stream,
                         mpg_issues *issues, mpg_err *err) {
  mpg_tfevents *t = mpg_calloc(env, sizeof *t);
  if (t == NULL)
    return mpg_fail_nomem(err);
  t->env = t->poller.env = env;
  t->path = mpg_stream_path(stream);
  t->issues = issues;
  mpg_proto_open(&t->in, env, stream);
  mpg_intern_init(&t->names, env);
  mpg_crc32c_init(&t->crc);
  *out = t;
  return MPG_OK;
}

void mpg_tfevents_close(mpg_tfevents *t) {
  if (t == NULL)
    return;
  mpg_proto_close(&t->in);
  mpg_intern_free(&t->names);
  mpg_free(t->env, t->plugin);
  for (size_t i = 0; i < MPG_TFEVENTS_COUNT; i++)
    mpg_free(t->env, t->repaired[i].p);
  mpg_free(t->env, t);
}

/* What a session's event has for a tag, by its status. */
static const char *const statuses[] = {NULL, "start", "stop", "checkpoint"};

void mpg_tfevents_only(mpg_tfevents *t, mpg_str tag) {
  if (memmem(tag.p, tag.n, "\xef\xbf\xbd", 3) != NULL) /* perhaps other bytes, repaired */
    return;
  t->only = tag;
  for (size_t i = 1; i < sizeof statuses / sizeof *statuses; i++)
    t->only_is_status |= mpg_str_eq(tag, mpg_str_of(statuses[i]));
}

static mpg_rc interrupted(mpg_err *err) {
  return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
}

static void skip_unknown(mpg_tfevents *t, const mpg_proto_field *f) {
  if (t->unknown++ == 0)
    t->first_unknown = f->at;
}

/* ---- Records ---- */

static mpg_rc masked_crc(mpg_tfevents *t, mpg_str data, uint32_t *out, mpg_err *err) {
  uint32_t crc = 0;
  for (size_t at = 0; at < data.n; at += BYTES_BETWEEN_POLLS) {
    const size_t left = data.n - at;
    const size_t n = left < BYTES_BETWEEN_POLLS ? left : BYTES_BETWEEN_POLLS;
    crc = mpg_crc32c_add(&t->crc, crc, data.p + at, n);
    if (mpg_poller_stop(&t->poller, 1 + n / 8))
      return interrupted(err);
  }
  *out = mpg_crc32c_mask(crc);
  return MPG_OK;
}

static mpg_rc wrong_crc(mpg_tfevents *t, const char *of, uint32_t expected, uint64_t found,
                        mpg_err *err) {
  return mpg_fail(
      err, MPG_DATA,
      "%s: byte %lld: expected a record of an event file, with the masked CRC-32C 0x%08x "
      "of its %s, found 0x%08x",
      t->path, (long long)t->at, (unsigned)expected, of, (unsigned)found);
}

/* What is said once, when the file is at its end. MPG_DONE. */
static mpg_rc end_file(mpg_tfevents *t, mpg_err *err) {
  mpg_rc rc = MPG_OK;
  if (t->issues != NULL && t->unknown > 0)
    rc = mpg_issues_add(t->issues, MPG_INFO, t->path, "unknown_field", t->first_unknown, t->unknown,
                        "fields of events and values that are not known are passed over");
  if (rc == MPG_OK && t->issues != NULL && t->invalid > 0)
    rc = mpg_issues_add(t->issues, MPG_WARNING, t->path, "invalid_utf8", 0, t->invalid,
                        "bytes that are no UTF-8 are read as U+FFFD");
  t->dead = true;
  t->unknown = t->invalid = 0;
  return rc == MPG_OK ? MPG_DONE : mpg_fail_nomem(err);
}

static mpg_rc end_unfinished(mpg_tfevents *t, mpg_err *err) {
  mpg_rc rc = mpg_unfinished_record(t->issues, t->path, t->at, err);
  return rc == MPG_OK ? end_file(t, err) : rc;
}

/* The length that the next 12 bytes hold. MPG_DONE: the file ends before or within them. */
static mpg_rc read_length(mpg_tfevents *t, uint64_t *n, mpg_err *err) {
  mpg_str head;
  uint32_t crc = 0;
  mpg_rc rc = mpg_proto_peek(&t->in, HEAD_BYTES, &head, err);
  if (rc == MPG_OK && head.n == 0)
    return end_file(t, err);
  if (rc == MPG_OK && head.n < HEAD_BYTES)
    return end_unfinished(t, err);
  if (rc == MPG_OK)
    rc = masked_crc(t, (mpg_str){head.p, 8}, &crc, err);
  if (rc == MPG_OK && mpg_little_endian(head.p + 8, 4) != crc)
    rc = wrong_crc(t, "length", crc, mpg_little_endian(head.p + 8, 4), err);
  if (rc == MPG_DATA)
    t->dead = true; /* where the next record begins, nobody knows */
  if (rc != MPG_OK)
    return rc;
  *n = mpg_little_endian(head.p, 8);
  if (*n > (uint64_t)mpg_limit_in(t->env, MPG_LIMIT_RECORD_BYTES))
    return mpg_fail(err, MPG_LIMIT, "%s: byte %lld: an event of %llu bytes, more than %lld",
                    t->path, (long long)t->at, (unsigned long long)*n,
                    (long long)mpg_limit_in(t->env, MPG_LIMIT_RECORD_BYTES));
  return MPG_OK;
}

/* Whether no row of a record can have the tag of mpg_tfevents_only. */
static bool is_passed_over(const mpg_tfevents *t, mpg_str data) {
  if (t->only.n == 0 || memmem(data.p, data.n, t->only.p, t->only.n) != NULL)
    return false;
  return !t->only_is_status || memchr(data.p, SESSION_LOG << 3 | MPG_PROTO_BYTES, data.n) == NULL;
}

/* The data of the next record, borrowed until the one after it is read; empty if it is passed
** over. */
static mpg_rc read_record(mpg_tfevents *t, mpg_str *data, mpg_err *err) {
  mpg_str whole;
  uint64_t n = 0, crc_found;
  uint32_t crc = 0;
  mpg_rc rc;
  if (t->dead)
    return MPG_DONE;
  t->at = t->in.at;
  rc = read_length(t, &n, err);
  if (rc == MPG_OK)
    rc = mpg_proto_peek(&t->in, HEAD_BYTES + (size_t)n + TAIL_BYTES, &whole, err);
  if (rc == MPG_DATA)
    t->dead = true;
  if (rc != MPG_OK)
    return rc;
  if (whole.n < HEAD_BYTES + (size_t)n + TAIL_BYTES)
    return end_unfinished(t, err);
  *data = (mpg_str){whole.p + HEAD_BYTES, (size_t)n};
  if (is_passed_over(t, *data)) {
    *data = (mpg_str){NULL, 0};
    return mpg_poller_stop(&t->poller, 1 + (size_t)n / 16)
               ? interrupted(err)
               : mpg_proto_skip(&t->in, whole.n, "an event", err);
  }
  rc = masked_crc(t, *data, &crc, err);
  if (rc != MPG_OK)
    return rc;
  rc = mpg_proto_skip(&t->in, whole.n, "an event", err); /* it is in memory, and stays there */
  crc_found = mpg_little_endian(whole.p + HEAD_BYTES + n, TAIL_BYTES);
  return rc == MPG_OK && crc_found != crc ? wrong_crc(t, "data", crc, crc_found, err) : rc;
}

/* ---- Values of a row ---- */

static void give_real(mpg_tfevents *t, double v) {
  if (isnan(v))
    t->values[MPG_TFEVENTS_text] = (mpg_value){MPG_TEXT, 0, 0.0, MPG_STR("nan")};
  else
    t->values[MPG_TFEVENTS_value] = (mpg_value){MPG_REAL, 0, v, {NULL, 0}};
}

static void give_kind(mpg_tfevents *t, const char *kind) {
  t->values[MPG_TFEVENTS_kind] = (mpg_value){MPG_TEXT, 0, 0.0, mpg_str_of(kind)};
}

/* A text as UTF-8; an empty one is NULL. */
static mpg_rc give_text(mpg_tfevents *t, int column, mpg_str s, mpg_err *err) {
  mpg_rc rc = mpg_utf8_repair(&t->poller, &t->repaired[column], &s, &t->invalid);
  if (rc != MPG_OK)
    return mpg_fail_plain(err, rc);
  if (s.n > 0)
    t->values[column] = (mpg_value){MPG_TEXT, 0, 0.0, s};
  return MPG_OK;
}

/* ---- Plugins of tags ---- */

static mpg_rc name_id(mpg_tfevents *t, mpg_str name, uint32_t *id, mpg_err *err) {
  const size_t names = t->names.n, cap = t->cap_plugin;
  const int64_t limit = mpg_limit_in(t->env, MPG_LIMIT_RECORD_BYTES);
  mpg_rc rc = mpg_intern_id(&t->names, name, id);
  if (rc == MPG_OK)
    rc = mpg_grow(t->env, &t->plugin, &t->cap_plugin, t->names.n, sizeof *t->plugin);
  if (rc != MPG_OK)
    return mpg_fail_plain(err, rc);
  memset(t->plugin + cap, 0, (t->cap_plugin - cap) * sizeof *t->plugin);
  t->name_bytes += t->names.n > names ? name.n + BYTES_OF_A_NAME : 0;
  if ((int64_t)t->name_bytes > limit)
    return mpg_fail(err, MPG_LIMIT, "%s: byte %lld: tags and plugins of more than %lld bytes",
                    t->path, (long long)t->at, (long long)limit);
  return MPG_OK;
}

/* The plugin of a tag, from the value itself or from an earlier one. */
static mpg_rc give_plugin(mpg_tfevents *t, mpg_str tag, mpg_str plugin, mpg_err *err) {
  uint32_t of_tag, id;
  mpg_rc rc;
  if (plugin.n > 0) {
    rc = name_id(t, tag, &of_tag, err);
    if (rc == MPG_OK)
      rc = name_id(t, plugin, &id, err);
    if (rc != MPG_OK)
      return rc;
    t->plugin[of_tag - 1] = id;
  } else if (t->names.n == 0) {
    return MPG_OK;
  } else {
    of_tag = mpg_intern_find(&t->names, tag);
    if (of_tag != 0)
      plugin = mpg_intern_text(&t->names, t->plugin[of_tag - 1]);
  }
  return give_text(t, MPG_TFEVENTS_plugin, plugin, err);
}

/* Field `number` of a message, a text or a message again; empty if it has none. */
static mpg_rc find_bytes(mpg_tfevents *t, mpg_proto_message m, uint32_t number, mpg_str *out,
                         mpg_err *err) {
  mpg_proto_field f;
  mpg_rc rc;
  while ((rc = mpg_proto_next(&m, &f, err)) == MPG_OK) {
    if (f.number == number) {
      rc = mpg_proto_expect(m.path, m.what, &f, MPG_PROTO_BYTES, err);
      if (rc != MPG_OK)
        return rc;
      *out = f.bytes;
    }
    if (mpg_poller_stop(&t->poller, 16))
      return interrupted(err);
  }
  return rc == MPG_DONE ? MPG_OK : rc;
}

/* SummaryMetadata.plugin_data.plugin_name */
static mpg_rc read_metadata(mpg_tfevents *t, mpg_proto_message m, mpg_str *plugin, mpg_err *err) {
  mpg_str data = {NULL, 0};
  mpg_rc rc = find_bytes(t, m, 1, &data, err);
  if (rc != MPG_OK || data.n == 0)
    return rc;
  return find_bytes(
      t, (mpg_proto_message){data, m.offset + (int64_t)(data.p - m.bytes.p), m.path, "plugin data"},
      1, plugin, err);
}

/* ---- Values of a summary ---- */

static mpg_rc read_tensor(mpg_tfevents *t, mpg_proto_message m, mpg_err *err) {
  mpg_value v;
  mpg_rc rc = mpg_tensor_read(m, &t->poller, &v, err);
  if (rc != MPG_OK)
    return rc;
  give_kind(t, v.type == MPG_REAL ? "scalar" : v.type == MPG_TEXT ? "text" : "tensor");
  if (v.type == MPG_REAL)
    give_real(t, v.r);
  return v.type == MPG_TEXT ? give_text(t, MPG_TFEVENTS_text, v.s, err) : MPG_OK;
}

static mpg_rc read_simple_value(mpg_tfevents *t, const mpg_proto_message *m,
                                const mpg_proto_field *f, mpg_err *err) {
  const uint32_t bits = (uint32_t)f->value;
  float v;
  mpg_rc rc = mpg_proto_expect(m->path, m->what, f, MPG_PROTO_FIXED32, err);
  memcpy(&v, &bits, sizeof v);
  give_kind(t, "scalar");
  give_real(t, (double)v);
  return rc;
}

static mpg_rc read_value_field(mpg_tfevents *t, const mpg_proto_message *m,
                               const mpg_proto_field *f, mpg_str *tag, mpg_str *plugin,
                               mpg_err *err) {
  static const char *const kinds[] = {[OLD_HISTOGRAM] = "histogram",
                                      [IMAGE] = "image",
                                      [HISTOGRAM] = "histogram",
                                      [AUDIO] = "audio"};
  mpg_rc rc;
  if (f->number == SIMPLE_VALUE)
    return read_simple_value(t, m, f, err);
  if (f->number > METADATA) {
    skip_unknown(t, f);
    return MPG_OK;
  }
  rc = mpg_proto_expect(m->path, m->what, f, MPG_PROTO_BYTES, err);
  if (rc != MPG_OK)
    return rc;
  switch (f->number) {
  case TAG:
    *tag = f->bytes;
    return MPG_OK;
  case NODE_NAME: /* which old writers have in place of a tag */
    if (tag->n == 0)
      *tag = f->bytes;
    return MPG_OK;
  case TENSOR:
    return read_tensor(t, mpg_proto_within(m, f, "a tensor"), err);
  case METADATA:
    return read_metadata(t, mpg_proto_within(m, f, "the metadata of a value"), plugin, err);
  default:
    give_kind(t, kinds[f->number]);
    return MPG_OK;
  }
}

static mpg_rc read_value(mpg_tfevents *t, mpg_proto_message m, mpg_err *err) {
  mpg_str tag = {NULL, 0}, plugin = {NULL, 0};
  mpg_proto_field f;
  mpg_rc rc;
  for (int i = MPG_TFEVENTS_kind; i < MPG_TFEVENTS_COUNT; i++)
    t->values[i].type = MPG_NULL;
  while ((rc = mpg_proto_next(&m, &f, err)) == MPG_OK) {
    rc = read_value_field(t, &m, &f, &tag, &plugin, err);
    if (rc != MPG_OK)
      return rc;
    if (mpg_poller_stop(&t->poller, 16))
      return interrupted(err);
  }
  if (rc == MPG_DONE)
    rc = give_text(t, MPG_TFEVENTS_tag, tag, err);
  return rc == MPG_OK ? give_plugin(t, tag, plugin, err) : rc;
}

/* The next value of the event at hand; MPG_DONE: it has no more. */
static mpg_rc next_value(mpg_tfevents *t, mpg_err *err) {
  for (;;) {
    mpg_proto_field f;
    mpg_rc rc = mpg_proto_next(&t->summary, &f, err);
    if (rc == MPG_DONE) { /* of several summaries in one event all count */
      rc = mpg_proto_next(&t->event, &f, err);
      if (rc == MPG_OK && f.number == SUMMARY)
        t->summary = mpg_proto_within(&t->event, &f, "a Summary");
    } else if (rc == MPG_OK && f.number == 1) {
      rc = mpg_proto_expect(t->path, t->summary.what, &f, MPG_PROTO_BYTES, err);
      return rc == MPG_OK ? read_value(t, mpg_proto_within(&t->summary, &f, "a value"), err) : rc;
    } else if (rc == MPG_OK) {
      skip_unknown(t, &f);
    }
    if (rc != MPG_OK)
      return rc;
    if (mpg_poller_stop(&t->poller, 16))
      return interrupted(err);
  }
}

/* ---- Events ---- */

/* A checkpoint, or the start or end of a session: its status is the tag. */
static mpg_rc read_session(mpg_tfevents *t, mpg_proto_message m, mpg_err *err) {
  mpg_proto_field f;
  mpg_rc rc;
  while ((rc = mpg_proto_next(&m, &f, err)) == MPG_OK) {
    if (f.number == 1 && f.type == MPG_PROTO_VARINT && f.value > 0 &&
        f.value < sizeof statuses / sizeof *statuses)
      t->values[MPG_TFEVENTS_tag] = (mpg_value){MPG_TEXT, 0, 0.0, mpg_str_of(statuses[f.value])};
    else if ((f.number == 2 || f.number == 3) && f.type == MPG_PROTO_BYTES)
      rc = give_text(t, MPG_TFEVENTS_text, f.bytes, err);
    if (rc != MPG_OK)
      return rc;
    if (mpg_poller_stop(&t->poller, 16))
      return interrupted(err);
  }
  return rc == MPG_DONE ? MPG_OK : rc;
}

/* Field `number` of the message that the field is, as the text of the row. */
static mpg_rc read_text_of(mpg_tfevents *t, mpg_proto_message m, uint32_t number, mpg_err *err) {
  mpg_str text = {NULL, 0};
  mpg_rc rc = find_bytes(t, m, number, &text, err);
  return rc == MPG_OK ? give_text(t, MPG_TFEVENTS_text, text, err) : rc;
}

static mpg_rc read_event_field(mpg_tfevents *t, const mpg_proto_message *m,
                               const mpg_proto_field *f, mpg_err *err) {
  static const char *const kinds[] = {
      [FILE_VERSION] = "file_version", [GRAPH] = "graph",
      [SUMMARY] = "summary",           [LOG_MESSAGE] = "log_message",
      [SESSION_LOG] = "session_log",   [RUN_METADATA] = "run_metadata",
      [META_GRAPH] = "meta_graph",
  };
  mpg_rc rc;
  if (f->number > SOURCE) {
    skip_unknown(t, f);
    return MPG_OK;
  }
  rc = mpg_proto_expect(m->path, m->what, f,
                        f->number == WALL_TIME ? MPG_PROTO_FIXED64
                        : f->number == STEP    ? MPG_PROTO_VARINT
                                               : MPG_PROTO_BYTES,
                        err);
  if (rc != MPG_OK)
    return rc;
  if (f->number >= FILE_VERSION && f->number <= META_GRAPH)
    give_kind(t, kinds[f->number]);
  switch (f->number) {
  case WALL_TIME:
    t->values[MPG_TFEVENTS_wall_time].type = MPG_REAL;
    memcpy(&t->values[MPG_TFEVENTS_wall_time].r, &f->value, sizeof f->value);
    return MPG_OK;
  case STEP:
    t->values[MPG_TFEVENTS_step].i = (int64_t)f->value;
    return MPG_OK;
  case FILE_VERSION:
    return give_text(t, MPG_TFEVENTS_file_version, f->bytes, err);
  case SUMMARY:
    t->in_event = true;
    return MPG_OK;
  case LOG_MESSAGE:
    return read_text_of(t, mpg_proto_within(m, f, "a log message"), 2, err);
  case SESSION_LOG:
    return read_session(t, mpg_proto_within(m, f, "a session log"), err);
  case SOURCE:
    return read_text_of(t, mpg_proto_within(m, f, "the source of a file"), 1, err);
  default:
    return MPG_OK;
  }
}

/* What an event says of all its rows. A summary is left for next_value, whose fields may stand
** before wall time and step. */
static mpg_rc read_event(mpg_tfevents *t, mpg_str data, mpg_err *err) {
  mpg_proto_message m = {data, t->at + (int64_t)HEAD_BYTES, t->path, "an Event"};
  mpg_proto_field f;
  mpg_rc rc;
  memset(t->values, 0, sizeof t->values);
  t->values[MPG_TFEVENTS_step].type = MPG_INT; /* proto3 leaves out what is 0 */
  t->event = m;
  t->summary = (mpg_proto_message){{NULL, 0}, m.offset, t->path, "a Summary"};
  while ((rc = mpg_proto_next(&m, &f, err)) == MPG_OK) {
    rc = read_event_field(t, &m, &f, err);
    if (rc != MPG_OK)
      return rc;
    if (mpg_poller_stop(&t->poller, 16))
      return interrupted(err);
  }
  return rc == MPG_DONE ? MPG_OK : rc;
}

mpg_rc mpg_tfevents_next(mpg_tfevents *t, mpg_err *err) {
  for (;;) {
    mpg_str data;
    mpg_rc rc = t->in_event ? next_value(t, err) : MPG_DONE;
    t->in_event = t->in_event && rc == MPG_OK;
    if (rc != MPG_DONE)
      return rc;
    do
      rc = read_record(t, &data, err);
    while (rc == MPG_OK && data.p == NULL);
    if (rc == MPG_OK)
      rc = read_event(t, data, err);
    t->in_event = t->in_event && rc == MPG_OK;
    if (rc != MPG_OK || !t->in_event)
      return rc;
  }
}

int64_t mpg_tfevents_line(const mpg_tfevents *t) {
  return t->at;
}

const mpg_value *mpg_tfevents_get(const mpg_tfevents *t, size_t column) {
  return &t->values[column];
}
