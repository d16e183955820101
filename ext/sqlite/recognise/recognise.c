/* recognise.c - see recognise.h. */
#include "recognise.h"
#include "../../base/ascii.h"
#include "../../base/intern.h"
#include "../../base/text.h"
#include "../../read/input/stream.h"
#include "../../read/unwrap/unwrap.h"
#include "database.h"
#include "far_lines.h"
#include "matcher.h"
#include "looks_fleet.h"
#include "../../goodput/native/native.h"

#include <stdio.h>
#include <string.h>

static const char sqlite_magic[] = "SQLite format 3";

/* A line of a head that has a pattern. */
typedef struct rule {
  const mpg_script *script;
  mpg_head head;
  mpg_head_pattern pattern;
} rule;

struct mpg_recogniser {
  const mpg_env *env; /* that of the connection */
  mpg_matcher *matcher;
  rule *rules;
  size_t n, cap;
};

/* What rules are matched against. */
typedef struct evidence {
  mpg_str head;   /* the first bytes; of text without its NUL bytes */
  mpg_str bytes;  /* with them */
  mpg_str name;   /* the path */
  mpg_str tables; /* of a file of SQLite, a name a line */
  bool binary;
  bool behind; /* the head begins behind lines of something else */
} evidence;

/* ---- the rules ---- */

static mpg_rc rules_of(mpg_recogniser *r, const mpg_script *script, mpg_err *err) {
  const char *at = script->heads;
  mpg_head head;
  while ((head = mpg_head_next(&at)).kind != MPG_HEAD_END) {
    if (head.kind != MPG_HEAD_INPUT && head.kind != MPG_HEAD_NEEDS && head.kind != MPG_HEAD_JOB &&
        head.kind != MPG_HEAD_HINT)
      continue;
    if (mpg_grow(r->env, &r->rules, &r->cap, r->n + 1, sizeof *r->rules) != MPG_OK)
      return mpg_fail_nomem(err);
    r->rules[r->n++] = (rule){script, head, {.text = head.text, .script = script->name}};
  }
  return MPG_OK;
}

static void recogniser_free(mpg_recogniser *r) {
  for (size_t i = 0; i < r->n; i++)
    mpg_head_pattern_free(&r->rules[i].pattern);
  mpg_free(r->env, r->rules);
  mpg_matcher_free(r->matcher);
  mpg_free(r->env, r);
}

static void free_of_connection(mpg_conn *conn) {
  recogniser_free(conn->recogniser);
}

mpg_rc mpg_recogniser_of(mpg_conn *conn, mpg_recogniser **out, mpg_err *err) {
  const mpg_env *env = &conn->env;
  mpg_recogniser *r = conn->recogniser;
  mpg_rc rc = MPG_OK;
  *out = r;
  if (r != NULL)
    return MPG_OK;
  r = mpg_calloc(env, sizeof *r);
  if (r == NULL)
    return mpg_fail_nomem(err);
  r->env = env;
  rc = mpg_matcher_new(env, &r->matcher, err);
  for (size_t i = 0; rc == MPG_OK && i < mpg_scripts_count; i++)
    rc = rules_of(r, &mpg_scripts[i], err);
  if (rc != MPG_OK) {
    recogniser_free(r);
    return rc;
  }
  conn->recogniser = *out = r;
  mpg_conn_on_close(conn, free_of_connection);
  return MPG_OK;
}

static bool matches(const mpg_recogniser *r, rule *one, mpg_str text) {
  return mpg_matches(r->matcher, &one->pattern, text);
}

/* ---- the evidence ---- */

/* Opens a file and looks at its first bytes; whatever cannot be read has none. MPG_NOMEM and
** MPG_INTERRUPTED are the only errors; the others are in err. */
static mpg_rc peek_file(const mpg_env *env, const char *path, size_t n, mpg_stream **stream,
                        mpg_str *head, mpg_err *err) {
  mpg_rc rc = mpg_stream_open(stream, env, path, err);
  *head = (mpg_str){NULL, 0};
  if (rc == MPG_OK)
    rc = mpg_stream_peek(*stream, n, head, err);
  if (rc != MPG_NOMEM && rc != MPG_INTERRUPTED) {
    err->rc = rc;
    return MPG_OK;
  }
  mpg_stream_close(*stream);
  *stream = NULL;
  return rc;
}

/* What cannot be read is said in out->reason, and the head is empty. */
static mpg_rc read_head(const mpg_env *env, const char *path, mpg_stream **stream, mpg_str *head,
                        mpg_recognised *out, mpg_err *err) {
  mpg_rc rc = peek_file(env, path, MPG_HEAD_BYTES, stream, head, err);
  if (rc != MPG_OK)
    return rc;
  /* A file that is cut off later is recognised by what is there. */
  out->unreadable = err->rc != MPG_OK && head->n == 0;
  if (out->unreadable)
    (void)sqlite3_snprintf((int)sizeof out->reason, out->reason, "%s", err->text);
  else if (head->n == 0)
    (void)snprintf(out->reason, sizeof out->reason, "an empty file");
  *head = mpg_skip_mark(*head);
  return MPG_OK;
}

/* ---- the decision ---- */

/* Whether a pattern is of how a file begins, "(?s)\\A...", and not of a line in it. */
static bool is_of_start(mpg_str pattern) {
  for (size_t i = 0; i < 5 && i + 1 < pattern.n; i++)
    if (pattern.p[i] == '\\' && pattern.p[i + 1] == 'A')
      return true;
  return false;
}

static mpg_certainty certainty_of(mpg_recogniser *r, rule *one, const evidence *e) {
  mpg_str how = one->head.how;
  if (e->behind && !is_of_start(one->head.text))
    return MPG_NOT_RECOGNISED;
  if (mpg_str_eq(how, MPG_STR("tables")))
    return matches(r, one, e->tables) ? MPG_SURE : MPG_NOT_RECOGNISED;
  if (mpg_str_eq(how, MPG_STR("name"))) {
    if (!matches(r, one, e->name))
      return MPG_NOT_RECOGNISED;
    return e->binary ? MPG_SURE : MPG_LIKELY;
  }
  if (mpg_str_eq(how, MPG_STR("binary")) != e->binary || !matches(r, one, e->head))
    return MPG_NOT_RECOGNISED;
  return mpg_str_eq(how, MPG_STR("likely")) ? MPG_LIKELY : MPG_SURE;
}

static mpg_str format_of(const mpg_script *script) {
  const char *slash = strrchr(script->name, '/');
  return mpg_str_of(slash == NULL ? script->name : slash + 1);
}

/* The best input for the file; of several formats that are as likely, none. */
static void find_input(mpg_recogniser *r, const evidence *e, mpg_str format, mpg_recognised *out) {
  const mpg_script *rival = NULL;
  for (size_t i = 0; i < r->n; i++) {
    rule *one = &r->rules[i];
    mpg_certainty found;
    if (one->head.kind != MPG_HEAD_INPUT ||
        (format.n > 0 && !mpg_str_eq(format, format_of(one->script))))
      continue;
    found = certainty_of(r, one, e);
    if (found > out->certainty) {
      out->certainty = found;
      out->script = one->script;
      out->parameter = one->head.parameter;
      rival = NULL;
      (void)snprintf(out->reason, sizeof out->reason, "%s",
                     mpg_str_eq(one->head.how, MPG_STR("tables")) ? "by its tables"
                     : mpg_str_eq(one->head.how, MPG_STR("name")) ? "by its name"
                                                                  : "by its content");
    } else if (found != MPG_NOT_RECOGNISED && found == out->certainty && out->script != NULL &&
               one->script != out->script) {
      rival = one->script;
    }
  }
  if (rival != NULL) {
    (void)snprintf(out->reason, sizeof out->reason,
                   "may be of the format %s or %s: say which by the option format",
                   format_of(out->script).p, format_of(rival).p);
    out->certainty = MPG_NOT_RECOGNISED;
    out->script = NULL;
  }
}

/* Options that the file's script needs and the file does not tell. */
static void find_missing(mpg_recogniser *r, const evidence *e, mpg_recognised *out) {
  const size_t most = sizeof out->missing / sizeof *out->missing;
  for (size_t i = 0; i < r->n && out->nmissing < most; i++)
    if (r->rules[i].head.kind == MPG_HEAD_NEEDS && r->rules[i].script == out->script &&
        matches(r, &r->rules[i], e->head))
      out->missing[out->nmissing++] = r->rules[i].head.parameter;
}

/* The job that the text names, by the first pattern of one group that matches; and the task of an
** array, by the first of two groups, which are the array's id and the number in it. */
static void find_job(mpg_recogniser *r, const evidence *e, mpg_recognised *out) {
  for (size_t i = 0; i < r->n; i++) {
    mpg_str id, number;
    if (r->rules[i].head.kind != MPG_HEAD_JOB || !matches(r, &r->rules[i], e->head))
      continue;
    id = mpg_matched_group(r->matcher, e->head, 1);
    number = mpg_matched_group(r->matcher, e->head, 2);
    if (id.n + number.n + 2 > sizeof out->job)
      continue;
    if (number.n > 0 && out->task[0] == '\0')
      (void)snprintf(out->task, sizeof out->task, "%.*s_%.*s", (int)id.n, id.p, (int)number.n,
                     number.p);
    else if (number.n == 0 && out->job[0] == '\0')
      (void)snprintf(out->job, sizeof out->job, "%.*s", (int)id.n, id.p);
  }
}

/* The tables of a database of no known format. */
static void name_tables(mpg_str tables, mpg_recognised *out) {
  size_t n = 0;
  if (tables.n == 0) {
    (void)snprintf(out->reason, sizeof out->reason,
                   "a database of SQLite without a table: its -wal file is missing, perhaps");
    return;
  }
  (void)sqlite3_snprintf((int)sizeof out->reason, out->reason,
                         "a database of SQLite whose tables are of no known format: %.120s",
                         tables.p);
  for (; out->reason[n] != '\0'; n++)
    if (out->reason[n] == '\n')
      out->reason[n] = ' ';
}

/* What is known of a file that no script reads, by its bytes, tables or name. */
static void find_hint(mpg_recogniser *r, const evidence *e, mpg_str format, mpg_recognised *out) {
  const int n = (int)(format.n < 50 ? format.n : 50);
  mpg_recognised other = {.script = NULL};
  if (n > 0)
    find_input(r, e, MPG_STR(""), &other);
  out->hinted = other.script == NULL;
  for (size_t i = 0; out->hinted && i < r->n; i++)
    if (r->rules[i].head.kind == MPG_HEAD_HINT &&
        (matches(r, &r->rules[i], e->bytes) || matches(r, &r->rules[i], e->tables) ||
         matches(r, &r->rules[i], e->name))) {
      (void)snprintf(out->reason, sizeof out->reason, "%.*s", (int)r->rules[i].head.says.n,
                     r->rules[i].head.says.p);
      out->unlike = mpg_str_eq(format, format_of(r->rules[i].script));
      out->headless = out->unlike && strstr(out->reason, "and columns") != NULL;
      return;
    }
  if (out->hinted && e->tables.p != NULL) {
    name_tables(e->tables, out);
    return;
  }
  out->hinted = false;
  out->unlike = !e->binary;
  if (other.script != NULL)
    (void)snprintf(out->reason, sizeof out->reason,
                   "of the format %s, and not of %.*s, which the option names",
                   format_of(other.script).p, n, format.p);
  else if (n > 0)
    (void)snprintf(out->reason, sizeof out->reason,
                   "no file of the format %.*s, which the option names, begins like this", n,
                   format.p);
  else
    (void)snprintf(out->reason, sizeof out->reason, "no known format begins like this");
}

/* ---- Files behind something else ---- */

#define BEHIND 8    /* lines that may stand before a file */
#define NEAR 16384U /* bytes that are looked at behind them, again and again */

/* As readers take it: without a byte before its end. */
static bool is_blank_line(mpg_str line) {
  return *line.p == '\n' || (*line.p == '\r' && line.n == 2);
}

/* Takes up to BEHIND lines away, blank ones or any, until what follows begins like a file of a
** format. How many; 0: it never does. */
static int look_behind(mpg_recogniser *r, evidence *e, bool blank, mpg_str format,
                       mpg_recognised *out) {
  e->behind = true;
  for (int lines = 1; lines <= BEHIND; lines++) {
    const char *newline = memchr(e->head.p, '\n', e->head.n);
    const size_t n = newline == NULL ? e->head.n : (size_t)(newline - e->head.p) + 1;
    if (n == e->head.n || (blank && !is_blank_line((mpg_str){e->head.p, n})))
      break;
    e->head = (mpg_str){e->head.p + n, e->head.n - n};
    find_input(r, e, format, out);
    out->native = out->script == NULL && !blank && mpg_looks_native(e->head, e->name.p);
    if (out->script != NULL || out->native)
      return lines;
  }
  return 0;
}

/* Blank lines at the start are passed over by whoever reads the file. */
static void look_behind_blanks(mpg_recogniser *r, const evidence *near, mpg_str format,
                               mpg_recognised *out) {
  evidence e = *near;
  if (!e.binary && look_behind(r, &e, true, format, out) > 0)
    find_missing(r, &e, out);
}

/* A text that begins like no known format: whether one follows a few lines, or has codes of a
** terminal in it. The reason says so. */
static mpg_rc name_what_is_behind(mpg_recogniser *r, const evidence *near, mpg_recognised *out,
                                  mpg_err *err) {
  const bool coded = memchr(near->head.p, '\x1b', near->head.n) != NULL;
  mpg_recognised found = {.script = NULL};
  evidence e = *near;
  char *text = coded ? mpg_malloc(r->env, near->head.n) : NULL;
  const char *name = "";
  int lines = 0;
  if (coded && text == NULL)
    return mpg_fail_nomem(err);
  if (coded) {
    e.head = (mpg_str){text, mpg_text_without_codes(near->head, text)};
    find_input(r, &e, MPG_STR(""), &found);
  }
  e.head.n = e.head.n < NEAR ? e.head.n : NEAR;
  if (found.script == NULL)
    lines = look_behind(r, &e, false, MPG_STR(""), &found);
  out->hinted = found.script != NULL || found.native;
  if (out->hinted)
    name = found.native ? "native" : format_of(found.script).p;
  if (out->hinted && coded)
    (void)snprintf(out->reason, sizeof out->reason,
                   "of the format %s with codes of a terminal%s: take them out, as with sed "
                   "'s/\\x1b\\[[0-9;]*[A-Za-z]//g'",
                   name, lines > 0 ? " and other lines before it" : "");
  else if (out->hinted)
    (void)snprintf(out->reason, sizeof out->reason,
                   "of the format %s behind other lines: take those out, as with tail -n +%d", name,
                   lines + 1);
  mpg_free(r->env, text);
  return MPG_OK;
}

/* JSON that something else kept, or of several lines to a record: as it would stand by itself. */
static mpg_rc look_inside(mpg_recogniser *r, const evidence *near, mpg_str format,
                          mpg_recognised *out, mpg_err *err) {
  evidence e = *near;
  mpg_unwrap u;
  const bool wrapped = mpg_unwrap_find(&u, near->head, MPG_UNWRAP_ALL | MPG_UNWRAP_MIXED);
  const size_t room = mpg_unwrap_room(&u, near->head.n);
  const mpg_str start = mpg_skip_space(near->head);
  char *inner, *text;
  if (near->binary || !(wrapped || (start.n > 0 && (*start.p == '{' || *start.p == '['))))
    return MPG_OK;
  inner = mpg_malloc(r->env, room);
  text = mpg_malloc(r->env, 2 * room);
  if (inner == NULL || text == NULL) {
    mpg_free(r->env, inner);
    mpg_free(r->env, text);
    return mpg_fail_nomem(err);
  }
  e.head = near->head;
  if (wrapped)
    e.head = (mpg_str){inner, mpg_unwrap_run(&u, near->head.p, near->head.n, inner)};
  e.head = (mpg_str){text, mpg_json_compact(e.head, text)};
  find_input(r, &e, format, out);
  if (out->script == NULL && out->reason[0] == '\0') /* objects of something else */
    (void)look_behind(r, &e, false, format, out);
  out->native = false; /* its reader takes no other objects */
  if (out->script != NULL) {
    find_job(r, &e, out);
    find_missing(r, &e, out);
  }
  mpg_free(r->env, inner);
  mpg_free(r->env, text);
  return MPG_OK;
}

static mpg_rc decide_script(mpg_recogniser *r, const evidence *e, const char *path, mpg_str format,
                            mpg_recognised *out, mpg_err *err) {
  mpg_rc rc = MPG_OK;
  find_input(r, e, format, out);
  find_job(r, e, out); /* a part of a log may hold no more */
  if (out->script != NULL) {
    find_missing(r, e, out);
  } else if (out->reason[0] == '\0') {
    out->native =
        format.n == 0 ? mpg_looks_native(e->head, path) : mpg_str_eq(format, MPG_STR("native"));
    out->fleet = !out->native && format.n == 0 && mpg_looks_like_fleet(e->head);
    if (out->native || out->fleet) {
      out->certainty = MPG_SURE;
      (void)snprintf(out->reason, sizeof out->reason, "by its content");
    } else {
      look_behind_blanks(r, e, format, out);
      if (out->script == NULL && out->reason[0] == '\0')
        rc = look_inside(r, e, format, out, err);
      if (rc == MPG_OK && out->script == NULL)
        find_hint(r, e, format, out);
      if (rc == MPG_OK && out->script == NULL && !out->hinted && !e->binary && format.n == 0)
        rc = name_what_is_behind(r, e, out, err);
    }
  }
  return rc == MPG_OK ? mpg_matcher_failure(r->matcher, err) : rc;
}

static bool is_database(mpg_str head) {
  return head.n > sizeof sqlite_magic && memcmp(head.p, sqlite_magic, sizeof sqlite_magic) == 0;
}

/* For whoever reads the file. A database is closed at once: later SQLite would lose its locks. */
static void put_back(const mpg_env *env, mpg_stream *stream, mpg_str head) {
  if (is_database(head))
    mpg_stream_close(stream);
  else
    mpg_stream_put_back(env, stream);
}

/* Whether it is text in which a few runs of NUL bytes stand. UTF-16 has one at each letter, and a
** tar archive some a file. */
static bool is_text_with_nul(mpg_str s) {
  size_t runs = 0, letters = 0;
  for (size_t i = 0; i < s.n; i++)
    if (s.p[i] != 0)
      letters++;
    else
      runs += i == 0 || s.p[i - 1] != 0;
  return letters > 64 * runs && mpg_text_but_nul(s) &&
         (s.n < 262 || memcmp(s.p + 257, "ustar", 5) != 0);
}

/* The text without its NUL bytes is *out, which the caller frees, and the head. */
static mpg_rc take_nul_out(const mpg_env *env, mpg_str bytes, char **out, mpg_str *head,
                           mpg_err *err) {
  *out = mpg_malloc(env, bytes.n);
  if (*out == NULL)
    return mpg_fail_nomem(err);
  head->p = *out;
  head->n = 0;
  for (size_t i = 0; i < bytes.n; i++)
    if (bytes.p[i] != 0)
      (*out)[head->n++] = bytes.p[i];
  return MPG_OK;
}

/* A log of no known format is looked into further. */
static mpg_rc decide_far(mpg_recogniser *r, const mpg_env *env, const evidence *near,
                         mpg_str format, mpg_recognised *out, mpg_err *err) {
  evidence e = *near;
  mpg_recognised found = {.certainty = MPG_NOT_RECOGNISED};
  char *text;
  mpg_rc rc = mpg_far_lines(env, e.name.p, e.head, &text, &e.head.n, err);
  if (rc == MPG_OK && e.head.n > near->head.n) {
    e.head.p = text;
    e.bytes = e.head;
    rc = decide_script(r, &e, e.name.p, format, &found, err);
    if (rc == MPG_OK)
      *out = found;
  }
  mpg_free(env, text);
  return rc;
}

/* Whether a text has a clock: "12:34:56", or ten digits of Unix seconds. */
static bool has_clock(mpg_str text) {
  size_t digits = 0;
  for (size_t i = 0; i < text.n; i++) {
    digits = mpg_is_digit(text.p[i]) ? digits + 1 : 0;
    if (digits == 10 && text.p[i - 9] == '1')
      return true;
    if (digits == 2 && i >= 7 && text.p[i - 2] == ':' && mpg_is_digit(text.p[i - 3]) &&
        mpg_is_digit(text.p[i - 4]) && text.p[i - 5] == ':' && mpg_is_digit(text.p[i - 6]))
      return true;
  }
  return false;
}

/* Logs of two runs may begin alike up to their first time. */
static void hash_begins(const mpg_env *env, mpg_str bytes, bool binary, mpg_recognised *out) {
  const bool alone = out->script != NULL && (binary || has_clock(bytes));
  out->head = mpg_hash(env->seed, bytes.p, bytes.n) | 1;
  for (size_t n = 64; alone && n <= bytes.n && out->nbegin < MPG_BEGINS; n *= 2)
    out->begin[out->nbegin++] = mpg_hash(env->seed + n, bytes.p, n) | 1;
}

mpg_rc mpg_recognise(mpg_recogniser *r, const mpg_env *env, const char *path, mpg_str format,
                     mpg_recognised *out, mpg_err *err) {
  evidence e = {{NULL, 0}, {NULL, 0}, mpg_str_of(path), {NULL, 0}, false, false};
  mpg_stream *stream = NULL;
  char *tables = NULL, *text = NULL;
  mpg_rc rc;
  memset(out, 0, sizeof *out);
  mpg_matcher_forget(r->matcher);
  rc = read_head(env, path, &stream, &e.bytes, out, err);
  e.head = e.bytes;
  if (rc == MPG_OK && is_database(e.bytes)) {
    if (mpg_stream_is_packed(stream))
      (void)sqlite3_snprintf(sizeof out->reason, out->reason,
                             "a database of SQLite that is packed: unpack it (gzip -d, zstd -d)");
    else
      rc = mpg_database_tables(path, &tables, out->reason, err);
    out->unreadable = tables == NULL;
  }
  if (rc == MPG_OK && e.bytes.n > 0) {
    e.binary = memchr(e.bytes.p, 0, e.bytes.n) != NULL;
    if (e.binary && is_text_with_nul(e.bytes)) {
      rc = take_nul_out(env, e.bytes, &text, &e.head, err);
      e.binary = false;
    }
    e.tables = tables == NULL ? e.tables : mpg_str_of(tables);
    if (rc == MPG_OK)
      rc = decide_script(r, &e, path, format, out, err);
    if (rc == MPG_OK && out->certainty == MPG_NOT_RECOGNISED && !e.binary &&
        e.bytes.n + 3 >= MPG_HEAD_BYTES) /* a byte order mark is left out */
      rc = decide_far(r, env, &e, format, out, err);
    hash_begins(env, e.bytes, e.binary, out);
  }
  sqlite3_free(tables);
  mpg_free(env, text);
  put_back(env, stream, e.bytes);
  return rc;
}

void mpg_recognise_given(const mpg_recogniser *r, mpg_str format, mpg_recognised *what) {
  for (size_t i = 0; what->unlike && i < r->n; i++) {
    const rule *one = &r->rules[i];
    if (one->head.kind != MPG_HEAD_INPUT || !mpg_str_eq(format, format_of(one->script)) ||
        !(mpg_str_eq(one->head.how, MPG_STR("sure")) ||
          mpg_str_eq(one->head.how, MPG_STR("likely"))))
      continue;
    what->unlike = false;
    what->certainty = MPG_LIKELY;
    what->script = one->script;
    what->parameter = one->head.parameter;
    (void)snprintf(what->reason, sizeof what->reason, "by the option format");
  }
}

mpg_rc mpg_is_native_file(const mpg_env *env, const char *path, bool *is, mpg_err *err) {
  mpg_stream *stream;
  mpg_str head;
  mpg_rc rc = peek_file(env, path, 4096, &stream, &head, err);
  *is = rc == MPG_OK && mpg_looks_native(head, path);
  put_back(env, stream, head);
  return rc;
}

mpg_rc mpg_is_fleet_file(const mpg_env *env, const char *path, bool *is, mpg_err *err) {
  mpg_stream *stream;
  mpg_str head, text;
  mpg_rc rc = peek_file(env, path, 65536, &stream, &head, err);
  text = mpg_skip_space(head); /* who gives it alone may mean one */
  *is = rc == MPG_OK && (mpg_has_sources(text) || mpg_is_bare_source(text));
  put_back(env, stream, head);
  return rc;
}
