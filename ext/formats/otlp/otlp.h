/*
** otlp.h - spans of OpenTelemetry as OTLP/JSON: files of TracesData, the lines of the collector's
** file exporter, and export requests one after the other or in an array.
**
** The keys may be written in camelCase or snake_case, 64-bit numbers as strings or as numbers,
** enums as numbers or by name, ids in hexadecimal (OTLP) or base64 (plain protobuf JSON). Spans are
** streamed; memory is bounded by one span and one resource (64 MiB each). Metrics and logs in the
** same file are skipped (issue other_signal).
**
** A resource or scope may come after its spans. It is searched within 64 MiB; beyond that it is not
** found (issue late_resource). Counts of what an SDK dropped are in issue dropped.
**
** Source: opentelemetry-proto, trace/v1, resource/v1, common/v1; "OTLP Specification", JSON
** Protobuf Encoding.
*/
#ifndef MPG_OTLP_H
#define MPG_OTLP_H

#include "../../read/parse/json_walker.h"
#include "../../read/parse/json_writer.h"
#include "../../base/issues.h"

#define MPG_OTLP_ID 33 /* bytes of a trace id in hexadecimal, terminated */

/* Texts are borrowed until the next span, and empty if absent. */
typedef struct mpg_otlp_span {
  char trace_id[MPG_OTLP_ID], span_id[MPG_OTLP_ID], parent_id[MPG_OTLP_ID];
  mpg_str trace_state, name, status_message;
  const char *kind;         /* "internal", "server", "client", "producer", "consumer"; or NULL */
  const char *status;       /* "ok", "error"; NULL: unset */
  int64_t start_ns, end_ns; /* since the epoch; 0: unknown */
  int64_t flags, dropped;   /* dropped: attributes, events and links together; -1: unknown */
  mpg_str attributes, events, links;              /* JSON as written: see mpg_otlp_put_... */
  mpg_str service, resource;                      /* resource: its attributes, as a JSON object */
  mpg_str scope, scope_version, scope_attributes; /* the last as a JSON object */
} mpg_otlp_span;

typedef struct mpg_otlp mpg_otlp;

/* Stream and issues (NULL: uncounted) are borrowed and must outlive the reader. */
mpg_rc mpg_otlp_open(mpg_otlp **out, const mpg_env *env, mpg_stream *stream, mpg_issues *issues,
                     mpg_err *err);
void mpg_otlp_close(mpg_otlp *otlp); /* NULL is fine */

/* The next span; MPG_DONE at the end. After MPG_DATA the next call continues after it. */
mpg_rc mpg_otlp_next(mpg_otlp *otlp, const mpg_otlp_span **span, mpg_err *err);
int64_t mpg_otlp_line(const mpg_otlp *otlp); /* where the current span begins */

#endif
