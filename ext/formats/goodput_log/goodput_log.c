/* goodput_log.c - see goodput_log.h. */
#include "goodput_cells.h"
#include "goodput_row.h"
#include "../../read/input/place.h"
#include "../../read/parse/blocks.h"
#include "../../read/input/unfinished.h"
#include "../../base/intern.h"
#include "../../base/limits.h"
#include "../../base/number.h"
#include "../../base/text.h"
#include "../../base/time.h"

#include <stdio.h>
#include <string.h>

#define KEYS_REMEMBERED 32
#define HEAD ((size_t)4096) /* bytes that show whether the log is a table */
#define NO_FIELD MPG_GOODPUT_COUNT

struct mpg_goodput_log {
  const mpg_env *env;
  mpg_env poll_env_own; /* the same memory, and the poller */
  mpg_json *json;
  mpg_stream *stream;       /* to be looked at, before the first row; else NULL */
  mpg_goodput_cells *cells; /* NULL: the log is JSON */
  const char *path;
  mpg_hash_set *repeats;
  mpg_issues *issues;
  mpg_json_doc *payload;
  const mpg_json_member *members; /* of the row, nested or not; none of a usual one */
  size_t n;
  size_t at; /* where the payload begins in the record */
  bool flat; /* the row has columns of its entry beside it */
  mpg_goodput_row row;
  mpg_goodput_fast fast;
  int64_t usual_bytes;               /* at most, of a usual row; 0: none is searched for */
  uint8_t field_of[KEYS_REMEMBERED]; /* of the i-th key, the last time */
  char *rest;
  size_t nrest, rest_cap;
  char failure[MPG_ERR_TEXT]; /* the JSON reader's last */
  mpg_rc broken;              /* memory was short for the cells */
};

mpg_rc mpg_goodput_log_open(mpg_goodput_log **out, const mpg_env *env, mpg_stream *stream,
                            mpg_hash_set *repeats, mpg_issues *issues, mpg_err *err) {
  static const mpg_json_options options = {0};
  mpg_goodput_log *log = mpg_calloc(env, sizeof *log);
  mpg_rc rc;
  if (log == NULL)
    return mpg_fail_nomem(err);
  log->env = env;
  log->poll_env_own = *env;
  log->path = mpg_stream_path(stream);
  log->stream = stream;
  log->repeats = repeats;
  log->issues = issues;
  mpg_goodput_fast_init(&log->fast);
  if (mpg_limit_in(env, MPG_LIMIT_JSON_MEMBERS) > MPG_GOODPUT_COUNT)
    log->usual_bytes = mpg_limit_in(env, MPG_LIMIT_RECORD_BYTES);
  rc = mpg_json_open(&log->json, env, stream, &options, err);
  if (rc == MPG_OK)
    *out = log;
  else
    mpg_goodput_log_close(log);
  return rc;
}

void mpg_goodput_log_close(mpg_goodput_log *log) {
  if (log == NULL)
    return;
  mpg_json_close(log->json);
  mpg_goodput_cells_close(log->cells);
  mpg_json_doc_free(log->payload);
  mpg_free(log->env, log->rest);
  mpg_free(log->env, log);
}

/* Out of memory is said by the next row. */
static void become(mpg_goodput_log *log, mpg_stream *stream, mpg_str head) {
  mpg_err err = {0};
  mpg_goodput_cells_close(log->cells);
  log->cells = NULL;
  if (mpg_goodput_are_cells(head))
    (void)mpg_goodput_cells_open(&log->cells, log->env, stream, &err);
  log->broken = err.rc;
}

void mpg_goodput_log_feed(mpg_goodput_log *log, mpg_stream *stream, mpg_block *block,
                          const mpg_env *poll_env) {
  if (block->rest)
    poll_env = log->env;
  log->poll_env_own.interrupted = poll_env == NULL ? NULL : poll_env->interrupted;
  log->poll_env_own.interrupted_ctx = poll_env == NULL ? NULL : poll_env->interrupted_ctx;
  log->path = mpg_stream_path(stream);
  log->stream = NULL;
  if (block->first)
    become(log, stream, (mpg_str){block->bytes + block->at, block->n - block->at});
  if (log->cells != NULL)
    mpg_goodput_cells_feed(log->cells, stream, block, poll_env);
  else
    mpg_json_feed(log->json, stream, block, poll_env);
}

int64_t mpg_goodput_log_line(const mpg_goodput_log *log) {
  return log->cells != NULL ? mpg_goodput_cells_line(log->cells) : mpg_json_line(log->json);
}

/* Where a byte of the record is, or a cell. */
static void place_of(const mpg_goodput_log *log, size_t at, int64_t *line, int64_t *column) {
  if (log->cells != NULL)
    mpg_goodput_cells_where(log->cells, at, line, column);
  else
    mpg_json_where(log->json, at, line, column);
}

/* ---- Entries that came before ---- */

mpg_rc mpg_goodput_is_repeat(mpg_hash_set *repeats, uint64_t entry, const char *path, int64_t line,
                             mpg_issues *issues, bool *before, mpg_err *err) {
  mpg_rc rc = MPG_OK;
  *before = false;
  if (entry == 0)
    return MPG_OK;
  if (repeats->n >= MPG_GOODPUT_ENTRIES_MAX) {
    rc = mpg_issues_add(issues, MPG_WARNING, path, "duplicates_unchecked", line, 1,
                        "more than %zu entries: not looked for among those before",
                        (size_t)MPG_GOODPUT_ENTRIES_MAX);
    return rc == MPG_OK ? rc : mpg_fail_nomem(err);
  }
  rc = mpg_hash_set_put(repeats, entry, before);
  if (rc != MPG_OK)
    return mpg_fail_plain(err, rc);
  if (*before)
    rc = mpg_issues_add(issues, MPG_INFO, path, "duplicate_entry", line, 1,
                        "timestamp and insertId came before: marked in column duplicate, and left "
                        "out of goodput_report");
  return rc == MPG_OK ? rc : mpg_fail_nomem(err);
}

static uint64_t entry_of(const mpg_goodput_row *row, uint64_t seed) {
  uint64_t parts[2], hash;
  if (row->insert_id.n == 0 || row->timestamp.n == 0)
    return 0;
  parts[0] = (uint64_t)row->time_ns;
  parts[1] = mpg_hash(seed, row->insert_id.p, row->insert_id.n);
  hash = mpg_hash(seed, parts, sizeof parts);
  return hash == 0 ? 1 : hash;
}

/* ---- Values ---- */

/* "PATH:LINE:COLUMN: expected WHAT, found ..." for a member of the row. */
static mpg_rc unexpected(const mpg_goodput_log *log, const mpg_json_member *m, const char *what,
                         mpg_err *err) {
  static const char *const kinds[] = {"null", "false", "true", "", "", "an array", "an object"};
  mpg_place at = {.path = log->path};
  place_of(log, log->at + m->value_at, &at.line, &at.column);
  return m->kind == MPG_JSON_NUMBER || m->kind == MPG_JSON_STRING
             ? mpg_expected_text(err, at, what, m->text)
             : mpg_expected(err, at, what, kinds[m->kind]);
}

/* Why mpg_goodput_value refuses the member. */
static mpg_rc refuse_value(const mpg_goodput_log *log, const mpg_json_member *m, size_t field,
                           mpg_err *err) {
  char expected[96];
  mpg_goodput_type type = mpg_goodput_fields[field].type;
  (void)snprintf(expected, sizeof expected, "%s for \"%s\"",
                 type == MPG_GOODPUT_TEXT   ? "a text"
                 : type == MPG_GOODPUT_BOOL ? "true or false"
                 : type == MPG_GOODPUT_INT  ? "a whole number"
                                            : "a number",
                 mpg_goodput_fields[field].name);
  return unexpected(log, m, expected, err);
}

/* A column of BigQuery that is a field of the record jsonPayload, taken out of it. */
static mpg_str key_of(const mpg_json_member *m) {
  static const char *const records[] = {"jsonPayload_", "jsonPayload.", "json_payload_",
                                        "json_payload."};
  for (size_t i = 0; i < sizeof records / sizeof *records && m->key.n > 12; i++) {
    const mpg_str record = mpg_str_of(records[i]);
    if (m->key.n > record.n && memcmp(m->key.p, record.p, record.n) == 0)
      return (mpg_str){m->key.p + record.n, m->key.n - record.n};
  }
  return m->key;
}

/* Whether it is the entry's, of a row that has it beside its own. */
static bool is_of_entry(const mpg_goodput_log *log, mpg_str key) {
  static const char *const keys[] = {"timestamp", "insertId", "insert_id", "receiveTimestamp",
                                     "receive_timestamp"};
  for (size_t i = 0; log->flat && i < sizeof keys / sizeof *keys; i++)
    if (mpg_str_eq(key, mpg_str_of(keys[i])))
      return true;
  return false;
}

static bool is_field(mpg_str key, const mpg_goodput_field *field) {
  return key.n == field->n && memcmp(key.p, field->name, field->n) == 0;
}

/* The field of the i-th key; NO_FIELD if it is none. Rows of a kind repeat the order of keys. */
static size_t field_of(mpg_goodput_log *log, size_t i, mpg_str key) {
  if (i < KEYS_REMEMBERED && is_field(key, &mpg_goodput_fields[log->field_of[i]]))
    return log->field_of[i];
  for (size_t f = 0; f < MPG_GOODPUT_COUNT; f++)
    if (is_field(key, &mpg_goodput_fields[f])) {
      if (i < KEYS_REMEMBERED)
        log->field_of[i] = (uint8_t)f;
      return f;
    }
  return NO_FIELD;
}

/* The time that decides the kind of the row. */
static mpg_rc check_time(const mpg_goodput_log *log, mpg_err *err) {
  const mpg_goodput_row *row = &log->row;
  if (mpg_goodput_is_timely(row))
    return MPG_OK;
  for (size_t i = 0; i < log->n; i++)
    if (mpg_str_eq(key_of(&log->members[i]), mpg_str_of(mpg_goodput_fields[row->field].name)))
      return unexpected(log, &log->members[i], "Unix seconds from 1970 to 2261", err);
  return MPG_OK;
}

static mpg_rc read_row(mpg_goodput_log *log, mpg_err *err) {
  mpg_goodput_row *row = &log->row;
  const mpg_json_member *first = NULL; /* the first time, if it is not read yet */
  mpg_value time = {.type = MPG_NULL}; /* the first that is not null */
  uint64_t present;
  int64_t line, column;
  for (size_t i = 0; i < log->n; i++) {
    const mpg_json_member *m = &log->members[i];
    const mpg_str key = key_of(m);
    size_t field;
    bool first_time = !row->timed && mpg_goodput_names_time(key);
    if (is_of_entry(log, key))
      continue;
    if (mpg_poll(&log->poll_env_own, i))
      return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
    if (first_time) {
      row->timed = true;
      first = m;
    }
    if (mpg_str_eq(key, MPG_STR("job_name"))) {
      if (m->kind != MPG_JSON_STRING)
        return unexpected(log, m, "a text for \"job_name\"", err);
      row->job = m->text;
      if (row->job.p == NULL)
        row->job.p = "";
      continue;
    }
    field = field_of(log, i, key);
    if (field == NO_FIELD)
      continue;
    row->present |= UINT64_C(1) << field;
    if (!mpg_goodput_value(field, m, &row->values[field]))
      return refuse_value(log, m, field, err);
    if (first_time && row->values[field].type == MPG_REAL) {
      row->first_time = row->values[field];
      first = NULL;
    }
    if (time.type == MPG_NULL && row->values[field].type == MPG_REAL && mpg_goodput_names_time(key))
      time = row->values[field];
  }
  if (first != NULL && first->kind == MPG_JSON_NUMBER &&
      mpg_real_parse(first->text, &row->first_time.r))
    row->first_time.type = MPG_REAL;
  if (row->job.p == NULL) {
    place_of(log, log->at, &line, &column);
    return mpg_fail(err, MPG_DATA,
                    "%s:%lld:%lld: expected a row of ml-goodput-measurement with \"job_name\", or "
                    "an entry of Cloud Logging with one in \"jsonPayload\", found neither",
                    log->path, (long long)line, (long long)column);
  }
  present = row->present;
  mpg_goodput_classify(row);
  if (row->present != present && row->first_time.type == MPG_NULL)
    row->first_time = time;
  return check_time(log, err);
}

/* ---- Entries of Cloud Logging ---- */

/* RFC 3339, or as BigQuery writes it ("2026-03-01 10:00:00.5 UTC"), to nanoseconds: the digits of
** the fraction apart from the rest. */
static bool parse_ns(mpg_str text, int64_t *ns) {
  char whole[64];
  size_t n = 0, i = 0;
  int64_t us, fraction = 0, unit = 1000000000;
  mpg_err ignored;
  if (text.n > 4 && memcmp(text.p + text.n - 4, " UTC", 4) == 0)
    text.n -= 4;
  if (text.n >= sizeof whole)
    return false;
  for (; i < text.n && text.p[i] != '.'; i++)
    whole[n++] = text.p[i];
  if (i < text.n)
    for (i++; i < text.n && text.p[i] >= '0' && text.p[i] <= '9'; i++)
      if (unit > 1) {
        unit /= 10;
        fraction += unit * (text.p[i] - '0');
      }
  for (; i < text.n; i++)
    whole[n++] = text.p[i];
  if (mpg_time_parse((mpg_str){whole, n}, &us, &ignored) != MPG_OK)
    return false;
  *ns = us * 1000 + fraction;
  return true;
}

/* If the record is an entry, parses it: its row is then in log->members. */
static mpg_rc unwrap_entry(mpg_goodput_log *log, mpg_err *err) {
  const mpg_json_member *payload = NULL, *stamp = NULL, *id = NULL;
  mpg_goodput_row *row = &log->row;
  mpg_rc rc;
  for (size_t i = 0; i < log->n; i++) {
    const mpg_json_member *m = &log->members[i];
    if (mpg_poll(&log->poll_env_own, i))
      return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
    if (mpg_str_eq(m->key, MPG_STR("jsonPayload")) || mpg_str_eq(m->key, MPG_STR("json_payload")))
      payload = m;
    else if (mpg_str_eq(m->key, MPG_STR("timestamp")))
      stamp = m;
    else if (mpg_str_eq(m->key, MPG_STR("insertId")) || mpg_str_eq(m->key, MPG_STR("insert_id")))
      id = m;
  }
  if (payload == NULL && (stamp == NULL || id == NULL))
    return MPG_OK;
  if (payload != NULL && payload->kind != MPG_JSON_OBJECT &&
      (payload->kind != MPG_JSON_STRING || payload->text.n == 0 || *payload->text.p != '{'))
    return unexpected(log, payload, "an object for \"jsonPayload\"", err);
  row->exported = true;
  if (stamp == NULL || stamp->kind != MPG_JSON_STRING || !parse_ns(stamp->text, &row->time_ns))
    return unexpected(log, stamp == NULL ? payload : stamp,
                      "\"timestamp\" of the entry as an RFC 3339 time", err);
  row->timestamp = stamp->text;
  if (id != NULL && id->kind == MPG_JSON_STRING)
    row->insert_id = id->text;
  log->flat = payload == NULL;
  if (log->flat)
    return MPG_OK;
  rc = mpg_json_parse(&log->payload, &log->poll_env_own, log->path, payload->text, &log->members,
                      &log->n, err);
  if (rc == MPG_OK && log->cells == NULL)
    log->at = payload->value_at;
  if (rc != MPG_DATA) /* an object was checked already, except for keys that repeat */
    return rc;
  return unexpected(log, payload,
                    payload->kind == MPG_JSON_OBJECT ? "each key of \"jsonPayload\" once"
                                                     : "an object for \"jsonPayload\"",
                    err);
}

/* The next row, if it is a usual one. */
static bool read_fast(mpg_goodput_log *log, size_t *bytes) {
  const char *p, *end, *after;
  if (log->usual_bytes == 0 || !mpg_json_peek(log->json, &p, &end))
    return false;
  after = mpg_goodput_fast_row(&log->fast, p, end, &log->row);
  if (after == NULL || after - p > log->usual_bytes)
    return false;
  mpg_json_advance(log->json, after);
  *bytes = (size_t)(after - p);
  log->n = 0;
  return true;
}

/* The next record's members. */
static mpg_rc read_record(mpg_goodput_log *log, mpg_err *err) {
  mpg_rc rc;
  if (log->broken != MPG_OK)
    return mpg_fail_plain(err, log->broken);
  if (log->cells != NULL) {
    rc = mpg_goodput_cells_next(log->cells, &log->members, &log->n, err);
    return rc == MPG_OK && mpg_goodput_cells_cut_off(log->cells)
               ? mpg_no_line_end(log->issues, log->path, mpg_goodput_log_line(log), err)
               : rc;
  }
  rc = mpg_json_record(log->json, &log->members, &log->n, err);
  if (rc == MPG_DATA && mpg_json_cut_off(log->json)) {
    rc = mpg_unfinished_record(log->issues, log->path, mpg_json_line(log->json), err);
    return rc == MPG_OK ? MPG_DONE : rc;
  }
  return rc;
}

mpg_rc mpg_goodput_log_next(mpg_goodput_log *log, const mpg_goodput_row **row, mpg_err *err) {
  size_t bytes;
  mpg_rc rc;
  *row = &log->row;
  mpg_goodput_row_clear(&log->row);
  if (log->stream != NULL) {
    mpg_str head;
    rc = mpg_stream_peek(log->stream, HEAD, &head, err);
    if (rc == MPG_NOMEM || rc == MPG_INTERRUPTED)
      return rc;
    if (rc == MPG_OK) /* another error comes again, with the record that it stops */
      become(log, log->stream, head);
    log->stream = NULL;
  }
  if (log->cells == NULL && read_fast(log, &bytes))
    return mpg_poll_bytes(&log->poll_env_own, bytes) ? mpg_fail(err, MPG_INTERRUPTED, "interrupted")
                                                     : MPG_OK;
  mpg_goodput_row_clear(&log->row);
  rc = read_record(log, err);
  if (rc == MPG_DATA) {
    /* An error that cannot be skipped, such as a truncated file, is returned by every later call.
    */
    if (strcmp(err->text, log->failure) == 0)
      return MPG_DONE;
    memcpy(log->failure, err->text, sizeof log->failure);
  }
  if (rc != MPG_OK)
    return rc;
  log->at = 0;
  log->flat = false;
  rc = unwrap_entry(log, err);
  if (rc == MPG_OK)
    rc = read_row(log, err);
  if (rc == MPG_OK && log->row.exported) {
    log->row.entry = entry_of(&log->row, log->env->seed);
    if (log->repeats != NULL)
      rc = mpg_goodput_is_repeat(log->repeats, log->row.entry, log->path, mpg_goodput_log_line(log),
                                 log->issues, &log->row.duplicate, err);
  }
  return rc;
}

/* ---- The rest of a row ---- */

static mpg_rc put_rest(mpg_goodput_log *log, const char *p, size_t n) {
  if (n > SIZE_MAX - 1 - log->nrest ||
      mpg_grow(log->env, &log->rest, &log->rest_cap, log->nrest + n + 1, 1) != MPG_OK)
    return MPG_NOMEM;
  if (n > 0)
    memcpy(log->rest + log->nrest, p, n);
  log->nrest += n;
  return MPG_OK;
}

static mpg_rc put_string(mpg_goodput_log *log, mpg_str s) {
  mpg_rc rc = put_rest(log, "\"", 1);
  for (size_t i = 0; rc == MPG_OK && i < s.n; i++) {
    unsigned char c = (unsigned char)s.p[i];
    char escape[8];
    if (c == '"' || c == '\\')
      rc = put_rest(log, "\\", 1);
    if (c < 0x20) {
      int n = snprintf(escape, sizeof escape, "\\u%04x", c);
      rc = put_rest(log, escape, (size_t)n);
    } else if (rc == MPG_OK) {
      rc = put_rest(log, s.p + i, 1);
    }
  }
  return rc == MPG_OK ? put_rest(log, "\"", 1) : rc;
}

static mpg_rc put_member(mpg_goodput_log *log, const mpg_json_member *m) {
  mpg_rc rc = put_rest(log, log->nrest == 0 ? "{" : ",", 1);
  if (rc == MPG_OK)
    rc = put_string(log, key_of(m));
  if (rc == MPG_OK)
    rc = put_rest(log, ":", 1);
  if (rc != MPG_OK)
    return rc;
  switch (m->kind) {
  case MPG_JSON_NULL:
    return put_rest(log, "null", 4);
  case MPG_JSON_FALSE:
    return put_rest(log, "false", 5);
  case MPG_JSON_TRUE:
    return put_rest(log, "true", 4);
  case MPG_JSON_STRING:
    return put_string(log, m->text);
  default:
    return put_rest(log, m->text.p, m->text.n);
  }
}

mpg_rc mpg_goodput_log_rest(mpg_goodput_log *log, mpg_str *out, mpg_err *err) {
  mpg_rc rc = MPG_OK;
  log->nrest = 0;
  *out = (mpg_str){NULL, 0};
  for (size_t i = 0; rc == MPG_OK && i < log->n; i++) {
    const mpg_json_member *m = &log->members[i];
    if (mpg_poll(&log->poll_env_own, i))
      return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
    const mpg_str key = key_of(m);
    if (!mpg_str_eq(key, MPG_STR("job_name")) && field_of(log, i, key) == NO_FIELD &&
        !is_of_entry(log, key))
      rc = put_member(log, m);
  }
  if (rc == MPG_OK && log->nrest > 0)
    rc = put_rest(log, "}", 1);
  if (rc != MPG_OK)
    return mpg_fail_nomem(err);
  *out = (mpg_str){log->rest, log->nrest};
  return MPG_OK;
}
