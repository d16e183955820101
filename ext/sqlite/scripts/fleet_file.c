/*
** fleet_file.c - see fleet_file.h.
**
** The JSON is read by SQLite, on a connection of its own without anything else: it is a small file,
** and every SQLite that we run on has json_each.
*/
#include "fleet_file.h"
#include "recognise.h"
#include "script.h"
#include "../../read/input/paths.h"

#include <string.h>

#define MOST_BYTES ((size_t)16 << 20) /* of a fleet file */

/* Options that are of no script alone. */
static const char *const general_options[] = {"format", "job",       "pool",    "chip",
                                              "phase",  "framework", "runtime", "model",
                                              "owner",  "name",      "priority"};

/* ---- options ---- */

static bool is_name_byte(char c) {
  return (c >= 'a' && c <= 'z') || c == '_' || (c >= '0' && c <= '9');
}

/* Whether the script has an input of that name, which is no option. */
static bool is_input(const mpg_script *script, mpg_str name) {
  const char *at = script->sql;
  mpg_head head;
  while ((head = mpg_head_next(&at)).kind != MPG_HEAD_END)
    if (head.kind == MPG_HEAD_INPUT && mpg_str_eq(head.parameter, name))
      return true;
  return false;
}

/* The next ":name" of a script that is an option of it; n is 0 after the last. */
static mpg_str next_option(const mpg_script *script, const char **at) {
  for (const char *p = *at; (p = strchr(p, ':')) != NULL;) {
    mpg_str name = {p + 1, 0};
    bool fresh = p == script->sql || strchr(" (,=\n\t", p[-1]) != NULL;
    while (is_name_byte(name.p[name.n]))
      name.n++;
    p = name.p + name.n;
    if (fresh && name.n > 1 && !is_input(script, name)) {
      *at = p;
      return name;
    }
  }
  return (mpg_str){NULL, 0};
}

/* How many bytes must change, come or go to make one word of the other, for words of less than 32
** bytes; more than any for longer ones. */
static size_t edit_distance(mpg_str a, mpg_str b) {
  size_t row[33];
  if (a.n > 32 || b.n > 32)
    return 99;
  for (size_t j = 0; j <= b.n; j++)
    row[j] = j;
  for (size_t i = 1; i <= a.n; i++) {
    size_t corner = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.n; j++) {
      size_t change = corner + (a.p[i - 1] != b.p[j - 1]);
      corner = row[j];
      row[j] = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
      if (change < row[j])
        row[j] = change;
    }
  }
  return row[b.n];
}

/* Whether `name` is an option; *nearest is the one that is spelt most like it. */
static bool is_option(mpg_str name, mpg_str *nearest) {
  size_t best = SIZE_MAX;
  for (size_t i = 0; i < sizeof general_options / sizeof *general_options; i++) {
    mpg_str option = mpg_str_of(general_options[i]);
    size_t far = edit_distance(name, option);
    if (far < best) {
      best = far;
      *nearest = option;
    }
  }
  for (size_t i = 0; best > 0 && i < mpg_scripts_count; i++) {
    const char *at = mpg_scripts[i].sql;
    for (mpg_str option; best > 0 && (option = next_option(&mpg_scripts[i], &at)).n > 0;) {
      size_t far =
          strncmp(mpg_scripts[i].name, "formats/", 8) == 0 ? edit_distance(name, option) : 99;
      if (far < best) {
        best = far;
        *nearest = option;
      }
    }
  }
  return best == 0;
}

/* ---- entries ---- */

static char *copy_text(const mpg_env *env, mpg_str a, mpg_str b) {
  char *p = mpg_malloc(env, a.n + b.n + 1);
  if (p == NULL)
    return NULL;
  if (a.n > 0)
    memcpy(p, a.p, a.n);
  if (b.n > 0)
    memcpy(p + a.n, b.p, b.n);
  p[a.n + b.n] = '\0';
  return p;
}

/* Takes a path that is relative to `folder`, which ends in a slash or is empty. */
static mpg_rc add_entry(mpg_entries *e, mpg_str folder, mpg_str path, mpg_str options,
                        mpg_err *err) {
  mpg_entry *entry;
  if (mpg_grow(e->env, &e->entry, &e->cap, e->n + 1, sizeof *e->entry) != MPG_OK)
    return mpg_fail_nomem(err);
  if (path.n > 0 && *path.p == '/')
    folder.n = 0;
  entry = &e->entry[e->n++];
  entry->path = copy_text(e->env, folder, path);
  entry->options = copy_text(e->env, options, MPG_STR(""));
  return entry->path == NULL || entry->options == NULL ? mpg_fail_nomem(err) : MPG_OK;
}

void mpg_entries_free(mpg_entries *e) {
  for (size_t i = 0; i < e->n; i++) {
    mpg_free(e->env, e->entry[i].path);
    mpg_free(e->env, e->entry[i].options);
  }
  if (e->env != NULL) {
    mpg_free(e->env, e->entry);
    mpg_free(e->env, e->fleet_file);
    mpg_free(e->env, e->labels);
  }
  *e = (mpg_entries){0};
}

/* ---- the fleet file ---- */

/* A reading of one fleet file. */
typedef struct fleet_text {
  mpg_entries *entries;
  sqlite3 *db;
  const char *name; /* for messages */
  mpg_str folder;
} fleet_text;

static mpg_rc bad_fleet(const fleet_text *f, const char *what, mpg_err *err) {
  return mpg_fail(err, MPG_DATA, "%s: %s", f->name, what);
}

static mpg_rc bad_database(const fleet_text *f, int code, mpg_err *err) {
  return code == SQLITE_NOMEM ? mpg_fail_nomem(err) : bad_fleet(f, sqlite3_errmsg(f->db), err);
}

static mpg_str column_text(sqlite3_stmt *stmt, int i) {
  const char *text = (const char *)sqlite3_column_text(stmt, i);
  return text == NULL ? MPG_STR("") : (mpg_str){text, (size_t)sqlite3_column_bytes(stmt, i)};
}

/* Line and column of the first byte that is no JSON; SQLite before 3.42 knows no place. */
static mpg_rc check_json(const fleet_text *f, mpg_str text, mpg_err *err) {
  sqlite3_stmt *stmt = NULL;
  sqlite3_int64 at = 0;
  long line = 1, column = 1;
  int code = sqlite3_prepare_v2(f->db, "SELECT json_error_position(?1)", -1, &stmt, NULL);
  if (code == SQLITE_OK)
    code = sqlite3_bind_text64(stmt, 1, text.p, text.n, SQLITE_STATIC, SQLITE_UTF8);
  if (code == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW)
    at = sqlite3_column_int64(stmt, 0);
  (void)sqlite3_finalize(stmt);
  for (sqlite3_int64 i = 0; i + 1 < at && (size_t)i < text.n; i++) {
    column = text.p[i] == '\n' ? 1 : column + 1;
    line += text.p[i] == '\n';
  }
  if (at > 0)
    return mpg_fail(err, MPG_DATA, "%s:%ld:%ld: expected JSON, found something else", f->name, line,
                    column);
  return bad_fleet(f, "expected JSON, found something else", err);
}

/* Keeps the keys of "labels", of which each is a text without a comma. */
static mpg_rc add_labels(const fleet_text *f, mpg_str text, mpg_err *err) {
  static const char sql[] =
      "SELECT group_concat(value), (SELECT type FROM json_each(?1) WHERE key = 'labels') = 'array' "
      "AND count(*) = count(*) FILTER (WHERE type = 'text' AND value <> '' AND instr(value, ',') = "
      "0) FROM json_each(?1, '$.labels')";
  sqlite3_stmt *stmt = NULL;
  mpg_rc rc = MPG_OK;
  int code = sqlite3_prepare_v2(f->db, sql, -1, &stmt, NULL);
  if (code == SQLITE_OK)
    code = sqlite3_bind_text64(stmt, 1, text.p, text.n, SQLITE_STATIC, SQLITE_UTF8);
  if (code == SQLITE_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
    mpg_str keys = column_text(stmt, 0);
    if (sqlite3_column_type(stmt, 1) != SQLITE_NULL && sqlite3_column_int(stmt, 1) == 0)
      rc = bad_fleet(f, "expected \"labels\" to be a list of keys, such as [\"tier\"]", err);
    else if (keys.n > 0 &&
             (f->entries->labels = copy_text(f->entries->env, keys, MPG_STR(""))) == NULL)
      rc = mpg_fail_nomem(err);
    code = SQLITE_OK;
  }
  (void)sqlite3_finalize(stmt);
  return rc == MPG_OK && code != SQLITE_OK ? bad_database(f, code, err) : rc;
}

/* Each option is one that is known. */
static mpg_rc check_options(const fleet_text *f, mpg_str text, mpg_err *err) {
  sqlite3_stmt *stmt = NULL;
  mpg_rc rc = MPG_OK;
  int code = sqlite3_prepare_v2(
      f->db,
      "SELECT s.key, o.key, o.type FROM json_each(?1, '$.sources') AS s, json_each(s.value) AS o "
      "UNION ALL SELECT NULL, key, type FROM json_each(?1) WHERE key NOT IN ('sources', 'labels')",
      -1, &stmt, NULL);
  if (code == SQLITE_OK)
    code = sqlite3_bind_text64(stmt, 1, text.p, text.n, SQLITE_STATIC, SQLITE_UTF8);
  while (rc == MPG_OK && code == SQLITE_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
    mpg_str name = column_text(stmt, 1), type = column_text(stmt, 2), nearest = MPG_STR("");
    code = SQLITE_OK;
    if (mpg_str_eq(name, MPG_STR("path")) || mpg_str_eq(name, MPG_STR("$schema")))
      continue;
    if (sqlite3_column_type(stmt, 0) == SQLITE_NULL)
      rc = mpg_fail(err, MPG_DATA, "%s: expected \"sources\", found \"%.*s\"", f->name, (int)name.n,
                    name.p);
    else if (!is_option(name, &nearest))
      rc = mpg_fail(
          err, MPG_DATA, "%s: source %d: unknown option \"%.*s\"; the nearest is \"%.*s\"", f->name,
          sqlite3_column_int(stmt, 0) + 1, (int)name.n, name.p, (int)nearest.n, nearest.p);
    else if (mpg_str_eq(type, MPG_STR("object")) || mpg_str_eq(type, MPG_STR("array")))
      rc = mpg_fail(err, MPG_DATA, "%s: source %d: option \"%.*s\": expected a text or a number",
                    f->name, sqlite3_column_int(stmt, 0) + 1, (int)name.n, name.p);
  }
  (void)sqlite3_finalize(stmt);
  return rc == MPG_OK && code != SQLITE_DONE ? bad_database(f, code, err) : rc;
}

static mpg_rc add_sources(const fleet_text *f, mpg_str text, mpg_err *err) {
  sqlite3_stmt *stmt = NULL;
  mpg_rc rc = MPG_OK;
  int code = sqlite3_prepare_v2(f->db,
                                "SELECT s.key, json_extract(s.value, '$.path'), "
                                "json_remove(s.value, '$.path') "
                                "FROM json_each(?1, '$.sources') AS s",
                                -1, &stmt, NULL);
  if (code == SQLITE_OK)
    code = sqlite3_bind_text64(stmt, 1, text.p, text.n, SQLITE_STATIC, SQLITE_UTF8);
  while (rc == MPG_OK && code == SQLITE_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
    code = SQLITE_OK;
    if (sqlite3_column_type(stmt, 1) != SQLITE_TEXT)
      rc = mpg_fail(err, MPG_DATA, "%s: source %d: expected a \"path\", found none", f->name,
                    sqlite3_column_int(stmt, 0) + 1);
    else
      rc = add_entry(f->entries, f->folder, column_text(stmt, 1), column_text(stmt, 2), err);
  }
  (void)sqlite3_finalize(stmt);
  if (rc == MPG_OK && code != SQLITE_DONE)
    rc = bad_database(f, code, err);
  if (rc == MPG_OK && f->entries->n == 0)
    rc =
        bad_fleet(f, "expected an object with \"sources\", a list of objects with a \"path\"", err);
  return rc;
}

static mpg_rc read_fleet(mpg_entries *e, const char *name, mpg_str folder, mpg_str text,
                         mpg_err *err) {
  fleet_text f = {e, NULL, name, folder};
  sqlite3_stmt *stmt = NULL;
  bool valid = false;
  mpg_rc rc = MPG_OK;
  int code = sqlite3_open_v2(":memory:", &f.db, SQLITE_OPEN_READWRITE, NULL);
  if (code == SQLITE_OK)
    code = sqlite3_prepare_v2(f.db, "SELECT json_valid(?1)", -1, &stmt, NULL);
  if (code == SQLITE_OK)
    code = sqlite3_bind_text64(stmt, 1, text.p, text.n, SQLITE_STATIC, SQLITE_UTF8);
  if (code == SQLITE_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
    valid = sqlite3_column_int(stmt, 0) != 0;
    code = SQLITE_OK;
  }
  (void)sqlite3_finalize(stmt);
  if (code != SQLITE_OK)
    rc = bad_database(&f, code, err);
  else if (!valid)
    rc = check_json(&f, text, err);
  if (rc == MPG_OK)
    rc = check_options(&f, text, err);
  if (rc == MPG_OK)
    rc = add_labels(&f, text, err);
  if (rc == MPG_OK)
    rc = add_sources(&f, text, err);
  (void)sqlite3_close(f.db);
  return rc;
}

/* The whole of a file, *text owned by the caller. */
static mpg_rc read_file(const mpg_env *env, const char *path, char **text, size_t *n,
                        mpg_err *err) {
  mpg_stream *stream = NULL;
  mpg_rc rc = mpg_stream_open(&stream, env, path, err);
  *text = NULL;
  if (rc == MPG_OK && (*text = mpg_malloc(env, MOST_BYTES)) == NULL)
    rc = mpg_fail_nomem(err);
  if (rc == MPG_OK)
    rc = mpg_stream_read(stream, *text, MOST_BYTES, n, err);
  if (rc == MPG_OK && *n == MOST_BYTES)
    rc = mpg_fail(err, MPG_LIMIT, "%s: expected a fleet file of less than %zu bytes", path,
                  MOST_BYTES);
  mpg_stream_close(stream);
  return rc;
}

static mpg_rc read_fleet_file(mpg_entries *e, const char *path, mpg_err *err) {
  const char *slash = strrchr(path, '/');
  mpg_str folder = {path, slash == NULL ? 0 : (size_t)(slash + 1 - path)};
  char *text;
  size_t n = 0;
  mpg_rc rc = read_file(e->env, path, &text, &n, err);
  if (rc == MPG_OK && (e->fleet_file = copy_text(e->env, mpg_str_of(path), MPG_STR(""))) == NULL)
    rc = mpg_fail_nomem(err);
  if (rc == MPG_OK)
    rc = read_fleet(e, path, folder, (mpg_str){text, n}, err);
  mpg_free(e->env, text);
  return rc;
}

bool mpg_may_be_fleet_file(mpg_str path) {
  static const char ending[] = ".json";
  const size_t n = sizeof ending - 1;
  return path.n > 0 &&
         (*path.p == '{' || (path.n > n && memcmp(path.p + path.n - n, ending, n) == 0));
}

mpg_rc mpg_entries_read(mpg_entries *e, const mpg_env *env, mpg_str path, mpg_err *err) {
  mpg_paths paths;
  mpg_rc rc;
  bool fleet = false;
  *e = (mpg_entries){.env = env};
  if (path.n > 0 && *path.p == '{')
    return read_fleet(e, "the fleet's JSON", MPG_STR(""), path, err);
  if (!mpg_may_be_fleet_file(path)) /* who reads the entry lists its files */
    return add_entry(e, MPG_STR(""), path, MPG_STR("{}"), err);
  rc = mpg_paths_expand(&paths, env, path, err);
  if (rc != MPG_OK)
    return rc;
  if (paths.n == 1 && !paths.from_folder)
    rc = mpg_is_fleet_file(env, paths.file[0].path, &fleet, err);
  if (rc == MPG_OK)
    rc = fleet ? read_fleet_file(e, paths.file[0].path, err)
               : add_entry(e, MPG_STR(""), path, MPG_STR("{}"), err);
  mpg_paths_free(&paths);
  if (rc != MPG_OK)
    mpg_entries_free(e);
  return rc;
}
