/*
** prometheus.h - samples of Prometheus: answers of its HTTP API, and the text that exporters
** expose.
**
** Of the API: query_range (a matrix), query (a vector, a scalar, a string), one or more answers one
** after the other, and bare series, {"metric": {...}, "values": [...]}, alone or in an array; so
** does VictoriaMetrics export them, with the times of the values behind them, "timestamps": [...].
** Series are streamed sample by sample; memory is bounded by one series' labels. An answer with
** status "error" is MPG_DATA with its text; warnings and infos are issues.
**
** Of text: the classic exposition format and OpenMetrics, with or without timestamps, names in
** quotes included. A timestamp is milliseconds in the first and seconds in the second, and only the
** end of a document shows which it is. So whole numbers from 1e11 on are milliseconds, all others
** seconds. A last line without a line end is left out (unfinished_record).
**
** Sources: "HTTP API" and "Exposition formats" of the Prometheus documentation; OpenMetrics 1.0.
*/
#ifndef MPG_PROMETHEUS_H
#define MPG_PROMETHEUS_H

#include "../../read/parse/json_walker.h"
#include "../../read/input/lines.h"
#include "../../base/issues.h"

typedef struct mpg_prometheus_label {
  mpg_str name, value;
} mpg_prometheus_label;

/* Borrowed until the next one. */
typedef struct mpg_prometheus_sample {
  mpg_str metric;                     /* empty: a scalar, or the result of an expression */
  const mpg_prometheus_label *labels; /* but the metric's name */
  size_t nlabels;
  mpg_value time;  /* MPG_REAL, Unix seconds; MPG_NULL: unknown */
  mpg_value value; /* MPG_REAL, infinities too; MPG_NULL: NaN, or a string */
  mpg_str text;    /* the value as written */
  mpg_str type;    /* of a # TYPE line; empty: unknown */
  mpg_str exemplar;
} mpg_prometheus_sample;

typedef struct mpg_prometheus mpg_prometheus;

/* Whether a file that begins so is JSON. */
bool mpg_prometheus_is_json(mpg_str start);

/* Stream and issues (NULL: uncounted) are borrowed and must outlive the reader. */
mpg_rc mpg_prometheus_open(mpg_prometheus **out, const mpg_env *env, mpg_stream *stream, bool json,
                           mpg_issues *issues, mpg_err *err);
void mpg_prometheus_close(mpg_prometheus *p); /* NULL is fine */

/* The next sample; MPG_DONE at the end. After MPG_DATA the next call continues after the faulty
** text. */
mpg_rc mpg_prometheus_next(mpg_prometheus *p, const mpg_prometheus_sample **sample, mpg_err *err);
int64_t mpg_prometheus_line(const mpg_prometheus *p); /* the line of the current sample */

/* A value as Prometheus writes it: a number, NaN, +Inf, -Inf. False: none of these. */
bool mpg_prometheus_value(mpg_str text, mpg_value *out);

#endif
