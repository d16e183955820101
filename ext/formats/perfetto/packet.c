/* packet.c - see packet.h. */
#include "packet.h"

#include <string.h>

/* The next field; MPG_DONE at the end. */
static mpg_rc next_field(mpg_proto_message *m, mpg_proto_field *f, mpg_poller *poller,
                         mpg_err *err) {
  if (mpg_poller_stop(poller, 16)) {
    (void)mpg_fail_plain(err, MPG_INTERRUPTED);
    return MPG_INTERRUPTED;
  }
  return mpg_proto_next(m, f, err);
}

static bool is_number(const mpg_proto_field *f) {
  return f->type == MPG_PROTO_VARINT;
}

static mpg_rc at_end(mpg_rc rc) {
  return rc == MPG_DONE ? MPG_OK : rc;
}

/* ---- Packets ---- */

/* Fields of a TracePacket. */
enum {
  PROCESS_TREE = 2,
  SNAPSHOT = 6,
  TIMESTAMP = 8,
  SEQUENCE = 10,
  TRACK_EVENT = 11,
  INTERNED = 12,
  FLAGS = 13,
  CONFIG = 33,
  STATS = 35,
  SYNCHRONIZATION = 36,
  CLEARED = 41,
  DROPPED = 42,
  PROCESS = 43,
  THREAD = 44,
  SYSTEM = 45,
  TRIGGER = 46,
  CLOCK = 58,
  DEFAULTS = 59,
  DESCRIPTOR = 60,
  SERVICE_EVENT = 69,
  UUID = 89
};

#define FLAG_CLEARED 1U
#define FLAG_NEEDS_STATE 2U

/* A field of bytes: a message that is read, one of the service itself, or something else. */
static void read_part(mpg_perfetto_packet *out, const mpg_proto_message *m,
                      const mpg_proto_field *f) {
  switch (f->number) {
  case TRACK_EVENT:
    out->event.m = mpg_proto_within(m, f, "a TrackEvent");
    break;
  case INTERNED:
    out->interned.m = mpg_proto_within(m, f, "an InternedData");
    break;
  case DEFAULTS:
    out->defaults.m = mpg_proto_within(m, f, "a TracePacketDefaults");
    break;
  case DESCRIPTOR:
    out->descriptor.m = mpg_proto_within(m, f, "a TrackDescriptor");
    break;
  case SNAPSHOT:
    out->snapshot.m = mpg_proto_within(m, f, "a ClockSnapshot");
    break;
  case THREAD:
    out->thread.m = mpg_proto_within(m, f, "a ThreadDescriptor");
    break;
  case UUID:
    out->uuid = f->bytes;
    break;
  case CONFIG:
    out->is_config = true;
    break;
  case PROCESS_TREE:
  case PROCESS:
  case STATS:
  case SYNCHRONIZATION:
  case SYSTEM:
  case TRIGGER:
  case SERVICE_EVENT:
    break;
  default:
    out->other = f->number;
  }
}

mpg_rc mpg_perfetto_packet_read(mpg_perfetto_packet *out, mpg_proto_message m, mpg_poller *poller,
                                mpg_err *err) {
  mpg_proto_field f;
  mpg_rc rc;
  memset(out, 0, sizeof *out);
  while ((rc = next_field(&m, &f, poller, err)) == MPG_OK) {
    out->is_known |= f.number > SNAPSHOT;
    if (f.type == MPG_PROTO_BYTES) {
      read_part(out, &m, &f);
    } else if (is_number(&f)) {
      if (f.number == TIMESTAMP) {
        out->timestamp = f.value;
        out->has_timestamp = true;
      } else if (f.number == SEQUENCE) {
        out->sequence = (uint32_t)f.value;
      } else if (f.number == FLAGS) {
        out->cleared |= (f.value & FLAG_CLEARED) != 0;
        out->needs_state |= (f.value & FLAG_NEEDS_STATE) != 0;
      } else if (f.number == CLEARED) {
        out->cleared |= f.value != 0;
      } else if (f.number == DROPPED) {
        out->dropped |= f.value != 0;
      } else if (f.number == CLOCK) {
        out->clock = (uint32_t)f.value;
        out->has_clock = true;
      }
    }
  }
  return at_end(rc);
}

mpg_rc mpg_perfetto_defaults_read(mpg_proto_message m, mpg_poller *poller, uint32_t *clock,
                                  uint64_t *track, bool *has_track, mpg_err *err) {
  mpg_proto_message event = {{NULL, 0}, 0, m.path, "a TrackEventDefaults"};
  mpg_proto_field f;
  mpg_rc rc;
  *clock = 0;
  *has_track = false;
  while ((rc = next_field(&m, &f, poller, err)) == MPG_OK)
    if (f.number == CLOCK && is_number(&f))
      *clock = (uint32_t)f.value;
    else if (f.number == TRACK_EVENT && f.type == MPG_PROTO_BYTES)
      event = mpg_proto_within(&m, &f, event.what);
  if (rc != MPG_DONE)
    return rc;
  while ((rc = next_field(&event, &f, poller, err)) == MPG_OK)
    if (f.number == 11 && is_number(&f)) {
      *track = f.value;
      *has_track = true;
    }
  return at_end(rc);
}

/* ---- Events ---- */

/* Fields of a TrackEvent. */
enum {
  DELTA_US = 1,
  LEGACY = 6,
  TYPE = 9,
  NAME_NUMBER = 10,
  TRACK = 11,
  ABSOLUTE_US = 16,
  NAME = 23,
  COUNTER_VALUE = 30,
  OLD_FLOW = 36,
  OLD_LAST_FLOW = 42,
  DOUBLE_VALUE = 44,
  FLOW = 47,
  LAST_FLOW = 48
};

/* A LegacyEvent: what Chrome's phases say where the event has no type. */
static mpg_rc read_legacy(mpg_perfetto_event *out, mpg_proto_message m, mpg_poller *poller,
                          mpg_err *err) {
  mpg_perfetto_type type = MPG_PERFETTO_NO_TYPE;
  mpg_proto_field f;
  mpg_rc rc;
  while ((rc = next_field(&m, &f, poller, err)) == MPG_OK) {
    if (!is_number(&f))
      continue;
    if (f.number == 1 && out->name_number == 0)
      out->name_number = f.value;
    else if (f.number == 2)
      type = f.value == 'B'                     ? MPG_PERFETTO_BEGIN
             : f.value == 'E'                   ? MPG_PERFETTO_END
             : f.value == 'X'                   ? MPG_PERFETTO_COMPLETE
             : f.value == 'I' || f.value == 'i' ? MPG_PERFETTO_INSTANT
                                                : MPG_PERFETTO_NO_TYPE;
    else if (f.number == 3)
      out->duration_us = (int64_t)f.value;
  }
  if (out->type == MPG_PERFETTO_NO_TYPE)
    out->type = type;
  return at_end(rc);
}

static void read_flow(mpg_perfetto_event *out, const mpg_proto_field *f) {
  if (!out->has_flow)
    out->flow = f->value;
  out->has_flow = true;
}

static void read_event_number(mpg_perfetto_event *out, const mpg_proto_field *f) {
  switch (f->number) {
  case DELTA_US:
    out->delta_us = (int64_t)f->value;
    out->has_delta = true;
    break;
  case ABSOLUTE_US:
    out->absolute_us = (int64_t)f->value;
    out->has_absolute = true;
    break;
  case TYPE:
    out->type =
        f->value <= MPG_PERFETTO_COUNTER ? (mpg_perfetto_type)f->value : MPG_PERFETTO_NO_TYPE;
    break;
  case NAME_NUMBER:
    out->name_number = f->value;
    break;
  case TRACK:
    out->track = f->value;
    out->has_track = true;
    break;
  case COUNTER_VALUE:
    out->value = (double)(int64_t)f->value;
    out->has_value = true;
    break;
  case OLD_FLOW:
  case OLD_LAST_FLOW:
    read_flow(out, f);
    break;
  default:
    break;
  }
}

mpg_rc mpg_perfetto_event_read(mpg_perfetto_event *out, mpg_proto_message m, mpg_poller *poller,
                               mpg_err *err) {
  mpg_proto_message legacy = {{NULL, 0}, 0, m.path, "a LegacyEvent"};
  mpg_proto_field f;
  mpg_rc rc;
  memset(out, 0, sizeof *out);
  while ((rc = next_field(&m, &f, poller, err)) == MPG_OK) {
    if (is_number(&f)) {
      read_event_number(out, &f);
    } else if (f.type == MPG_PROTO_FIXED64 && (f.number == FLOW || f.number == LAST_FLOW)) {
      read_flow(out, &f);
    } else if (f.type == MPG_PROTO_FIXED64 && f.number == DOUBLE_VALUE) {
      memcpy(&out->value, &f.value, sizeof out->value);
      out->has_value = true;
    } else if (f.type == MPG_PROTO_BYTES && f.number == NAME) {
      out->name = f.bytes;
    } else if (f.type == MPG_PROTO_BYTES && f.number == LEGACY) {
      legacy = mpg_proto_within(&m, &f, legacy.what);
    }
  }
  if (rc != MPG_DONE)
    return rc;
  return legacy.bytes.p != NULL ? read_legacy(out, legacy, poller, err) : MPG_OK;
}

/* ---- Descriptors ---- */

mpg_rc mpg_perfetto_thread_read(mpg_perfetto_descriptor *out, mpg_proto_message m,
                                mpg_poller *poller, mpg_err *err) {
  mpg_proto_field f;
  mpg_rc rc;
  while ((rc = next_field(&m, &f, poller, err)) == MPG_OK) {
    if (f.number == 1 && is_number(&f)) {
      out->pid = (int64_t)f.value;
      out->has_pid = true;
    } else if (f.number == 2 && is_number(&f)) {
      out->tid = (int64_t)f.value;
      out->has_tid = true;
    } else if (f.number == 5 && f.type == MPG_PROTO_BYTES) {
      out->thread = f.bytes;
    } else if (f.number == 6 && is_number(&f)) {
      out->reference_us = (int64_t)f.value;
    }
  }
  return at_end(rc);
}

/* The name of a process, or else its command. */
static mpg_rc read_process(mpg_perfetto_descriptor *out, mpg_proto_message m, mpg_poller *poller,
                           mpg_err *err) {
  mpg_str command = {NULL, 0};
  mpg_proto_field f;
  mpg_rc rc;
  while ((rc = next_field(&m, &f, poller, err)) == MPG_OK) {
    if (f.number == 1 && is_number(&f)) {
      out->pid = (int64_t)f.value;
      out->has_pid = true;
    } else if (f.number == 2 && f.type == MPG_PROTO_BYTES && command.n == 0) {
      command = f.bytes;
    } else if (f.number == 6 && f.type == MPG_PROTO_BYTES) {
      out->process = f.bytes;
    }
  }
  if (out->process.n == 0)
    out->process = command;
  return at_end(rc);
}

mpg_rc mpg_perfetto_descriptor_read(mpg_perfetto_descriptor *out, mpg_proto_message m,
                                    mpg_poller *poller, mpg_err *err) {
  mpg_proto_field f;
  mpg_rc rc;
  memset(out, 0, sizeof *out);
  while ((rc = next_field(&m, &f, poller, err)) == MPG_OK) {
    if (f.number == 1 && is_number(&f)) {
      out->uuid = f.value;
      out->has_uuid = true;
    } else if (f.number == 5 && is_number(&f)) {
      out->parent = f.value;
      out->has_parent = true;
    } else if (f.type != MPG_PROTO_BYTES) {
      continue;
    } else if (f.number == 2 || f.number == 10 || f.number == 13) {
      out->name = f.bytes; /* name, static_name, atrace_name */
    } else if (f.number == 3) {
      rc = read_process(out, mpg_proto_within(&m, &f, "a ProcessDescriptor"), poller, err);
    } else if (f.number == 4) {
      rc = mpg_perfetto_thread_read(out, mpg_proto_within(&m, &f, "a ThreadDescriptor"), poller,
                                    err);
    }
    if (rc != MPG_OK)
      return rc;
  }
  return at_end(rc);
}

mpg_rc mpg_perfetto_reading_read(mpg_perfetto_reading *out, mpg_proto_message m, mpg_poller *poller,
                                 mpg_err *err) {
  mpg_proto_field f;
  mpg_rc rc;
  *out = (mpg_perfetto_reading){.unit_ns = 1};
  while ((rc = next_field(&m, &f, poller, err)) == MPG_OK) {
    if (!is_number(&f))
      continue;
    if (f.number == 1)
      out->id = (uint32_t)f.value;
    else if (f.number == 2)
      out->timestamp = f.value;
    else if (f.number == 3)
      out->incremental = f.value != 0;
    else if (f.number == 4 && f.value > 0)
      out->unit_ns = f.value;
  }
  return at_end(rc);
}
