/*
** names.h - the texts of a Perfetto trace, each once, and what packets tell of their sequence:
** numbers that stand for texts, clocks, defaults.
*/
#ifndef MPG_PERFETTO_NAMES_H
#define MPG_PERFETTO_NAMES_H

#include "../../base/intern.h"
#include "../../read/input/utf8_repair.h"
#include "../../read/parse/protobuf.h"

/* What a number stands for: a field of InternedData. */
typedef enum mpg_perfetto_kind {
  MPG_PERFETTO_CATEGORY = 1,
  MPG_PERFETTO_NAME = 2,
  MPG_PERFETTO_ANNOTATION = 3,
  MPG_PERFETTO_STRING = 29
} mpg_perfetto_kind;

typedef struct mpg_perfetto_clock {
  uint32_t id;
  bool incremental;
  int64_t unit_ns;
  int64_t value_ns; /* at the snapshot, or of an incremental one the latest */
  int64_t trace_ns; /* the trace's clock when this one showed 0 */
} mpg_perfetto_clock;

typedef struct mpg_perfetto_sequence {
  uint32_t id;
  uint32_t generation; /* numbers of an earlier one stand for nothing */
  bool sound;          /* no packet was lost since its state was cleared */
  bool begun;          /* it had a packet before */
  bool has_track;
  uint32_t clock;    /* the default of its packets; 0: the trace's */
  uint64_t track;    /* the default of its events */
  int64_t thread_ns; /* of events without a time of their own: that of the one before */
  mpg_perfetto_clock *clocks;
  size_t nclocks, cap_clocks;
} mpg_perfetto_sequence;

/* A number of a sequence, and its text. */
typedef struct mpg_perfetto_number {
  uint64_t number;
  uint32_t sequence, kind, generation, text;
} mpg_perfetto_number;

typedef struct mpg_perfetto_names {
  mpg_poller *poller;
  mpg_intern texts;
  mpg_perfetto_number *numbers;
  size_t nnumbers, cap_numbers;
  mpg_hash_index number_index;
  mpg_perfetto_sequence *sequences;
  size_t nsequences, cap_sequences;
  mpg_hash_index sequence_index;
  mpg_utf8_copy repaired;
  int64_t invalid; /* characters that are no UTF-8 */
} mpg_perfetto_names;

void mpg_perfetto_names_init(mpg_perfetto_names *names, mpg_poller *poller);
void mpg_perfetto_names_free(mpg_perfetto_names *names);

/* The id of a text, repaired if need be. MPG_LIMIT of plane_bytes for all texts together. */
mpg_rc mpg_perfetto_text(mpg_perfetto_names *names, mpg_str text, const char *path, int64_t at,
                         uint32_t *id, mpg_err *err);
/* The sequence of that number, made at first sight; borrowed until the next call. */
mpg_rc mpg_perfetto_sequence_get(mpg_perfetto_names *names, uint32_t id, const char *path,
                                 int64_t at, mpg_perfetto_sequence **out, mpg_err *err);
/* What InternedData tells. */
mpg_rc mpg_perfetto_names_read(mpg_perfetto_names *names, const mpg_perfetto_sequence *sequence,
                               mpg_proto_message m, mpg_err *err);
/* The text of a number; 0: none that is known. */
uint32_t mpg_perfetto_name_find(const mpg_perfetto_names *names,
                                const mpg_perfetto_sequence *sequence, mpg_perfetto_kind kind,
                                uint64_t number);

#endif
