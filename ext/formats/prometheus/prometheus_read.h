/* prometheus_read.h - what the two formats of prometheus.h share. */
#ifndef MPG_PROMETHEUS_READ_H
#define MPG_PROMETHEUS_READ_H

#include "../../read/parse/json_writer.h"
#include "prometheus.h"

/* What was entered in JSON, by depth. */
typedef enum mpg_prometheus_place {
  MPG_PROMETHEUS_OBJECT, /* an answer, its data, a series */
  MPG_PROMETHEUS_RESULT, /* of series, or a scalar's two values */
  MPG_PROMETHEUS_VALUES, /* of a series */
  MPG_PROMETHEUS_TIMES   /* of its values, as VictoriaMetrics exports them */
} mpg_prometheus_place;

struct mpg_prometheus {
  const mpg_env *env;
  const char *path;
  mpg_issues *issues;
  mpg_pull *pull;   /* JSON, or */
  mpg_lines *lines; /* text */
  int64_t line;
  mpg_prometheus_sample sample;
  mpg_prometheus_label *labels;
  size_t labels_cap;
  char *text; /* unescaped labels; a series' metric in JSON */
  size_t text_cap;
  /* JSON */
  mpg_prometheus_place places[MPG_PULL_DEPTH];
  mpg_json_doc *doc, *pair;
  mpg_json_text failure; /* errorType and error of the answer at hand */
  mpg_json_text value;   /* of a scalar */
  /* Values of a series whose times follow: their texts, each with a NUL behind it. */
  mpg_json_text ahead;
  size_t ahead_at;   /* of the next one in the texts */
  size_t ahead_line; /* of the first */
  bool known, failed, answered, named;
  bool is_string; /* the result of the current answer is a text, of any content */
  int64_t begins; /* line of the answer at hand */
  /* Text: the family that the last # TYPE line was about. */
  mpg_json_text family;
  char type[16];
  bool any; /* a line that could be read */
};

mpg_rc mpg_prometheus_next_json(mpg_prometheus *p, mpg_err *err);
mpg_rc mpg_prometheus_next_text(mpg_prometheus *p, mpg_err *err);

mpg_rc mpg_prometheus_note(const mpg_prometheus *p, mpg_severity severity, const char *kind,
                           mpg_str text, mpg_err *err);
/* One more label of the current sample, or the metric's name. */
mpg_rc mpg_prometheus_add(mpg_prometheus *p, mpg_str name, mpg_str value, mpg_err *err);

#endif
