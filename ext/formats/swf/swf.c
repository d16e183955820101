/* swf.c - see swf.h. */
#include "swf.h"
#include "../../base/ascii.h"
#include "../../read/input/unfinished.h"
#include "../../base/number.h"
#include "../../base/text.h"

#include <string.h>

#define BYTES_BETWEEN_POLLS ((size_t)1 << 18)
#define HEADER_LIMIT ((size_t)4 << 20) /* bytes of a header */

typedef enum kind { COUNT, SECONDS, AMOUNT } kind;
typedef struct field {
  const char *name;
  kind type;
} field;

#define FIELD(name, type) {#name, type},
static const field fields[] = {MPG_SWF_FIELDS(FIELD)};

/* Offsets into the text of the header, which moves while it grows. */
typedef struct entry {
  size_t label, n_label, value, n_value;
} entry;

struct mpg_swf {
  const mpg_env *env;
  mpg_poller poller; /* within a line */
  mpg_lines *lines;
  const char *path;
  mpg_issues *issues;
  bool in_body;
  mpg_str line;
  mpg_value values[MPG_SWF_COUNT_OF_FIELDS];
  char *text; /* of the header */
  size_t n_text, cap_text;
  entry *entries;
  size_t n_entries, cap_entries;
  mpg_swf_label *labels; /* made of them at the first job */
};

mpg_rc mpg_swf_open(mpg_swf **out, const mpg_env *env, mpg_stream *stream, mpg_issues *issues,
                    mpg_err *err) {
  mpg_swf *s = mpg_calloc(env, sizeof *s);
  mpg_rc rc;
  if (s == NULL)
    return mpg_fail_nomem(err);
  s->env = s->poller.env = env;
  s->path = mpg_stream_path(stream);
  s->issues = issues;
  rc = mpg_lines_open(&s->lines, env, stream, err);
  if (rc == MPG_OK)
    *out = s;
  else
    mpg_swf_close(s);
  return rc;
}

void mpg_swf_close(mpg_swf *s) {
  if (s == NULL)
    return;
  mpg_lines_close(s->lines);
  mpg_free(s->env, s->text);
  mpg_free(s->env, s->entries);
  mpg_free(s->env, s->labels);
  mpg_free(s->env, s);
}

/* Bytes at the start that are spaces, or that are none. Fewer if the host says to stop: see
** s->poller. */
static inline size_t run_length(mpg_swf *s, mpg_str text, bool spaces) {
  size_t n = 0, from, near;
  do {
    from = n;
    near = text.n - from > BYTES_BETWEEN_POLLS ? from + BYTES_BETWEEN_POLLS : text.n;
    while (n < near && mpg_is_space_in_line(text.p[n]) == spaces)
      n++;
  } while (n == near && near < text.n && !mpg_poller_stop(&s->poller, near - from));
  return n;
}

static mpg_str rest_after(mpg_str s, size_t n) {
  return (mpg_str){s.p + n, s.n - n};
}

static mpg_str trim(mpg_swf *s, mpg_str text) {
  size_t from;
  text = rest_after(text, run_length(s, text, true));
  for (from = text.n; text.n > 0 && mpg_is_space_in_line(text.p[text.n - 1]);) {
    text.n--;
    if (from - text.n >= BYTES_BETWEEN_POLLS) {
      if (mpg_poller_stop(&s->poller, from - text.n))
        break;
      from = text.n;
    }
  }
  return text;
}

static mpg_rc add_issue(const mpg_swf *s, const char *kind_of, const char *detail, mpg_err *err) {
  if (s->issues != NULL && mpg_issues_add(s->issues, MPG_WARNING, s->path, kind_of, mpg_swf_line(s),
                                          1, "%s", detail) != MPG_OK)
    return mpg_fail_nomem(err);
  return MPG_OK;
}

/* ---- The header ---- */

static mpg_rc append_header(mpg_swf *s, mpg_str part, mpg_err *err) {
  if (part.n > HEADER_LIMIT - s->n_text)
    return mpg_fail(err, MPG_LIMIT, "%s:%lld:1: header of more than %zu bytes", s->path,
                    (long long)mpg_swf_line(s), HEADER_LIMIT);
  if (mpg_grow(s->env, &s->text, &s->cap_text, s->n_text + part.n + 1, 1) != MPG_OK)
    return mpg_fail_nomem(err);
  if (part.n > 0)
    memcpy(s->text + s->n_text, part.p, part.n);
  s->n_text += part.n;
  return MPG_OK;
}

/* "Label: value": the length of the label, 0 if there is none. */
static size_t label_length(mpg_str comment) {
  size_t n = 0;
  while (n < comment.n && ((comment.p[n] >= 'A' && comment.p[n] <= 'Z') ||
                           (comment.p[n] >= 'a' && comment.p[n] <= 'z') ||
                           (n > 0 && comment.p[n] >= '0' && comment.p[n] <= '9')))
    n++;
  return n < comment.n && comment.p[n] == ':' ? n : 0;
}

static mpg_rc add_comment(mpg_swf *s, mpg_str comment, mpg_err *err) {
  size_t n;
  entry *e;
  mpg_rc rc;
  while (comment.n > 0 && comment.p[0] == ';' && !mpg_poller_stop(&s->poller, 1))
    comment = rest_after(comment, 1);
  comment = trim(s, comment);
  n = label_length(comment);
  if (comment.n == 0)
    return MPG_OK;
  if (n == 0 && s->n_entries > 0) { /* continues with the value before it */
    e = &s->entries[s->n_entries - 1];
    rc = e->n_value > 0 ? append_header(s, MPG_STR("\n"), err) : MPG_OK;
    if (rc == MPG_OK)
      rc = append_header(s, comment, err);
    e->n_value = s->n_text - e->value;
    return rc;
  }
  if (mpg_grow(s->env, &s->entries, &s->cap_entries, s->n_entries + 1, sizeof *s->entries) !=
      MPG_OK)
    return mpg_fail_nomem(err);
  e = &s->entries[s->n_entries++];
  *e = (entry){s->n_text, n, s->n_text + n, 0};
  rc = append_header(s, (mpg_str){comment.p, n}, err);
  if (n > 0)
    comment = trim(s, rest_after(comment, n + 1));
  if (rc == MPG_OK)
    rc = append_header(s, comment, err);
  e->n_value = s->n_text - e->value;
  return rc;
}

/* "128 (of which 4 are reserved)", "1,024", "128.0": the number that a value begins with. */
static bool leading_number(mpg_str value, int64_t *out) {
  char digits[32];
  size_t at = 0, n = 0, group = 0; /* digits since the last comma */
  bool grouped = false;
  for (; at < value.n && n < sizeof digits; at++) {
    char c = value.p[at];
    if (mpg_is_digit(c)) {
      digits[n++] = c;
      group++;
    } else if (c == ',' && at + 1 < value.n && mpg_is_digit(value.p[at + 1]) && group > 0 &&
               group <= 3 && (!grouped || group == 3)) {
      grouped = true;
      group = 0;
    } else {
      break;
    }
  }
  if (grouped && group != 3)
    return false;
  if (n > 0 && at + 1 < value.n && value.p[at] == '.' && mpg_is_digit(value.p[at + 1]))
    for (at++; at < value.n && value.p[at] == '0'; at++)
      ; /* 128.0, as Python writes it */
  if (at < value.n && !mpg_is_space_in_line(value.p[at]) && strchr("\n,;(", value.p[at]) == NULL)
    return false;
  return mpg_int_parse((mpg_str){digits, n}, out);
}

/* Whether a label is there and none of its values is a number. */
static bool is_unreadable(const mpg_swf *s, const char *label) {
  int64_t number;
  size_t n;
  const mpg_swf_label *labels = mpg_swf_header(s, &n);
  if (mpg_swf_header_number(s, label, &number))
    return false;
  for (size_t i = 0; i < n; i++)
    if (mpg_str_eq_nocase(labels[i].label, mpg_str_of(label)) && labels[i].value.n > 0 &&
        labels[i].value.p[0] != '-') /* -1: unknown */
      return true;
  return false;
}

static mpg_rc end_header(mpg_swf *s, mpg_err *err) {
  int64_t start;
  s->labels = mpg_malloc(s->env, (s->n_entries + 1) * sizeof *s->labels);
  if (s->labels == NULL)
    return mpg_fail_nomem(err);
  for (size_t i = 0; i < s->n_entries; i++) {
    const entry *e = &s->entries[i];
    s->labels[i] =
        (mpg_swf_label){{s->text + e->label, e->n_label}, {s->text + e->value, e->n_value}};
  }
  s->in_body = true;
  if (is_unreadable(s, "MaxProcs") || is_unreadable(s, "MaxNodes")) {
    mpg_rc rc =
        add_issue(s, "missing_field",
                  "the MaxProcs or MaxNodes of the header is no number: it is not read", err);
    if (rc != MPG_OK)
      return rc;
  }
  if (mpg_swf_header_number(s, "UnixStartTime", &start))
    return MPG_OK;
  return add_issue(s, "no_start_time",
                   is_unreadable(s, "UnixStartTime")
                       ? "the UnixStartTime of the header is not in Unix seconds: times count "
                         "from 1970-01-01"
                       : "the header has no UnixStartTime: times count from 1970-01-01",
                   err);
}

const mpg_swf_label *mpg_swf_header(const mpg_swf *s, size_t *n) {
  *n = s->labels == NULL ? 0 : s->n_entries;
  return s->labels;
}

bool mpg_swf_header_number(const mpg_swf *s, const char *label, int64_t *out) {
  size_t n;
  const mpg_swf_label *labels = mpg_swf_header(s, &n);
  for (size_t i = 0; i < n; i++) {
    if (mpg_str_eq_nocase(labels[i].label, mpg_str_of(label)) &&
        leading_number(labels[i].value, out))
      return true;
  }
  return false;
}

/* ---- Jobs ---- */

static mpg_rc malformed(const mpg_swf *s, const char *expected, const char *name, mpg_str found,
                        mpg_err *err) {
  char text[MPG_EXCERPT];
  mpg_text_excerpt(found, text);
  return mpg_fail(err, MPG_DATA, "%s:%lld:%lld: expected %s%s, found \"%s\"", s->path,
                  (long long)mpg_swf_line(s), (long long)(found.p - s->line.p) + 1, expected, name,
                  text);
}

static mpg_rc decode_field(const mpg_swf *s, const field *f, mpg_str word, mpg_value *out,
                           mpg_err *err) {
  double r;
  int64_t i;
  if (f->type == COUNT) {
    if (!mpg_int_parse(word, &i))
      return malformed(s, "a whole number for ", f->name, word, err);
    if (i != -1)
      *out = (mpg_value){MPG_INT, i, 0.0, {NULL, 0}};
    return MPG_OK;
  }
  if (!mpg_real_parse(word, &r))
    return malformed(s, "a number for ", f->name, word, err);
  if (r < -1.0 || r > -1.0)
    *out = (mpg_value){MPG_REAL, 0, r, {NULL, 0}};
  return MPG_OK;
}

static mpg_rc wrong_count(const mpg_swf *s, size_t n, mpg_err *err) {
  char text[MPG_EXCERPT];
  mpg_text_excerpt(s->line, text);
  return mpg_fail(err, MPG_DATA,
                  "%s:%lld:1: expected a job of the Standard Workload Format, 18 numbers, or a "
                  "comment that begins with ;, found %zu field%s \"%s\"",
                  s->path, (long long)mpg_swf_line(s), n, n == 1 ? "" : "s", text);
}

static mpg_rc unfinished(const mpg_swf *s, mpg_err *err) {
  mpg_rc rc = mpg_unfinished_record(s->issues, s->path, mpg_swf_line(s), err);
  return rc == MPG_OK ? MPG_DONE : rc;
}

/* MPG_DONE: the line is still being written. */
static mpg_rc read_job(mpg_swf *s, mpg_err *err) {
  mpg_str words[MPG_SWF_COUNT_OF_FIELDS], rest = trim(s, s->line);
  size_t n = 0;
  mpg_rc rc = MPG_OK;
  while (rest.n > 0 && !mpg_poller_stop(&s->poller, 8)) { /* words are short */
    size_t end = run_length(s, rest, false);
    if (n < MPG_SWF_COUNT_OF_FIELDS)
      words[n] = (mpg_str){rest.p, end};
    n++;
    rest = rest_after(rest, end);
    rest = rest_after(rest, run_length(s, rest, true));
  }
  if (s->poller.stopped)
    return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
  if (n < MPG_SWF_COUNT_OF_FIELDS && s->in_body && !mpg_lines_ended(s->lines))
    return unfinished(s, err);
  if (n != MPG_SWF_COUNT_OF_FIELDS)
    return wrong_count(s, n, err);
  memset(s->values, 0, sizeof s->values);
  for (size_t i = 0; rc == MPG_OK && i + 1 < n; i++)
    rc = decode_field(s, &fields[i], words[i], &s->values[i], err);
  if (rc != MPG_OK)
    return rc;
  rc = decode_field(s, &fields[n - 1], words[n - 1], &s->values[n - 1], err);
  if (rc == MPG_DATA && s->in_body && !mpg_lines_ended(s->lines))
    return unfinished(s, err);
  if (rc == MPG_OK && !mpg_lines_ended(s->lines))
    rc = mpg_no_line_end(s->issues, s->path, mpg_swf_line(s), err);
  return rc;
}

mpg_rc mpg_swf_next(mpg_swf *s, mpg_err *err) {
  for (;;) {
    mpg_str text;
    mpg_rc rc = mpg_lines_next(s->lines, &s->line, err);
    if (rc != MPG_OK)
      return rc;
    text = trim(s, s->line);
    if (s->poller.stopped)
      return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
    if (text.n == 0)
      continue;
    if (text.p[0] == ';') {
      rc = s->in_body ? MPG_OK : add_comment(s, text, err);
      if (s->poller.stopped)
        return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
      if (rc != MPG_OK)
        return rc;
      continue;
    }
    rc = read_job(s, err);
    if (rc == MPG_OK && !s->in_body)
      rc = end_header(s, err);
    return rc;
  }
}

int64_t mpg_swf_line(const mpg_swf *s) {
  return mpg_lines_number(s->lines);
}

const mpg_value *mpg_swf_get(const mpg_swf *s, size_t i) {
  return &s->values[i];
}

const char *mpg_swf_outcome(int64_t status) {
  static const char *const outcomes[] = {"failed",    "completed", "preempted",
                                         "completed", "failed",    "cancelled"};
  return status >= 0 && status < 6 ? outcomes[status] : NULL;
}
