/* fleet_file.c - see fleet_file.h. */
#include "fleet_file.h"
#include "fleet_options.h"
#include "../../base/text.h"
#include "../../read/input/paths.h"
#include "../../read/parse/json_tokens.h"
#include "recognise.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MOST_BYTES ((size_t)16 << 20) /* of a fleet file */

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

/* A path as files of folders have it: without what names the folder that it is in. */
static mpg_str plain_path(mpg_str path) {
  while (path.n > 2 && path.p[0] == '.' && path.p[1] == '/') {
    path.p += 2;
    path.n -= 2;
    while (path.n > 1 && *path.p == '/') {
      path.p++;
      path.n--;
    }
  }
  return path;
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
  entry->line = 0;
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
  const char *name; /* for messages */
  mpg_str folder;
  mpg_str text;
} fleet_text;

static const char *object_of(const fleet_text *f) {
  return mpg_json_space(f->text.p, f->text.p + f->text.n);
}

/* "NAME:LINE:COLUMN: " of a byte of the text, and what is wrong there. */
static mpg_rc bad_place(const fleet_text *f, const char *at, const char *what, mpg_err *err) {
  int64_t line = 1, column = 1;
  mpg_json_move_place(f->text.p, at, &line, &column);
  return mpg_fail(err, MPG_DATA, "%s:%" PRId64 ":%" PRId64 ": %.900s", f->name, line, column, what);
}

/* The same of source `number`, from 1. */
static mpg_rc bad_source(const fleet_text *f, const char *at, size_t number, const char *what,
                         mpg_err *err) {
  char text[1000];
  (void)snprintf(text, sizeof text, "source %zu: %.900s", number, what);
  return bad_place(f, at, text, err);
}

/* Keeps the keys of "labels", of which each is a text without a comma. */
static mpg_rc add_labels(const fleet_text *f, const mpg_json_member *labels, mpg_err *err) {
  const mpg_env *env = f->entries->env;
  mpg_json_doc *doc = NULL;
  const mpg_json_member *key;
  size_t n = 0, size = 0;
  bool good = labels->kind == MPG_JSON_ARRAY;
  mpg_rc rc = good ? mpg_json_parse(&doc, env, f->name, labels->text, &key, &n, err) : MPG_OK;
  if (rc == MPG_OK && good && (f->entries->labels = mpg_malloc(env, labels->text.n + 1)) == NULL)
    rc = mpg_fail_nomem(err);
  for (size_t i = 0; rc == MPG_OK && i < n; i++) {
    good &= key[i].kind == MPG_JSON_STRING && key[i].text.n > 0 &&
            memchr(key[i].text.p, ',', key[i].text.n) == NULL;
    if (!good)
      break;
    if (i > 0)
      f->entries->labels[size++] = ',';
    memcpy(f->entries->labels + size, key[i].text.p, key[i].text.n);
    size += key[i].text.n;
  }
  if (f->entries->labels != NULL)
    f->entries->labels[size] = '\0';
  mpg_json_doc_free(doc);
  if (rc == MPG_OK && !good)
    rc = bad_place(f, object_of(f) + labels->value_at,
                   "expected \"labels\" to be a list of keys, such as [\"tier\"]", err);
  return rc;
}

/* "expected WHAT, found VALUE", of a value as it stands in the text. */
static const char *write_expected(const char *what, const mpg_json_member *found,
                                  char out[200 + MPG_EXCERPT]) {
  const char *quote = found->kind == MPG_JSON_STRING ? "\"" : "";
  char value[MPG_EXCERPT];
  mpg_text_excerpt(found->kind == MPG_JSON_NULL    ? MPG_STR("null")
                   : found->kind == MPG_JSON_TRUE  ? MPG_STR("true")
                   : found->kind == MPG_JSON_FALSE ? MPG_STR("false")
                                                   : found->text,
                   value);
  (void)snprintf(out, 200 + MPG_EXCERPT, "expected %s, found %s%s%s", what, quote, value, quote);
  return out;
}

/* A source's options without its path, as JSON that is written one way; owned by the caller. */
static char *options_text(const mpg_env *env, mpg_str source, const mpg_json_member *option,
                          size_t n) {
  char *text = mpg_malloc(env, source.n + 1), *to = text;
  if (text == NULL)
    return NULL;
  *to++ = '{';
  for (size_t i = 0; i < n; i++) {
    const char *key = source.p + option[i].key_at, *value = source.p + option[i].value_at;
    mpg_json_scan scan = {.end = source.p + source.n, .env = env};
    mpg_json_kind kind;
    bool escaped = false;
    const char *key_end = mpg_json_string(&scan, key + 1, &escaped);
    const char *value_end = mpg_json_value(&scan, value, 1, &kind);
    if (mpg_str_eq(option[i].key, MPG_STR("path")) || key_end == NULL || value_end == NULL)
      continue;
    if (to > text + 1)
      *to++ = ',';
    memcpy(to, key, (size_t)(key_end - key));
    to += key_end - key;
    *to++ = ':';
    memcpy(to, value, (size_t)(value_end - value));
    to += value_end - value;
  }
  *to++ = '}';
  *to = '\0';
  return text;
}

/* Source `number`, from 1, which begins `at`: an object with a path and options. */
static mpg_rc add_source(const fleet_text *f, const char *at, const mpg_json_member *source,
                         size_t number, mpg_err *err) {
  const mpg_env *env = f->entries->env;
  mpg_json_doc *doc = NULL;
  const mpg_json_member *option, *path = NULL;
  char *options = NULL, what[200 + MPG_EXCERPT];
  size_t n = 0;
  mpg_rc rc;
  if (source->kind != MPG_JSON_OBJECT)
    return bad_source(f, at, number, write_expected("an object with a \"path\"", source, what),
                      err);
  rc = mpg_json_parse(&doc, env, f->name, source->text, &option, &n, err);
  for (size_t i = 0; rc == MPG_OK && i < n; i++) {
    mpg_err plain;
    if (mpg_str_eq(option[i].key, MPG_STR("path")))
      path = &option[i];
    else if ((rc = mpg_fleet_option_check(env, &option[i], &plain)) == MPG_DATA)
      rc = bad_source(f, at + option[i].key_at, number, plain.text, err);
    else if (rc != MPG_OK)
      *err = plain;
  }
  if (rc == MPG_OK && path == NULL) {
    rc = bad_source(f, at, number, "expected a \"path\", found none", err);
  } else if (rc == MPG_OK && (path->kind != MPG_JSON_STRING || path->text.n == 0)) {
    rc = bad_source(
        f, at + path->key_at, number,
        write_expected("\"path\" to be the text of one path, a glob or a folder", path, what), err);
  } else if (rc != MPG_OK) {
  } else if ((options = options_text(env, source->text, option, n)) == NULL) {
    rc = mpg_fail_nomem(err);
  } else {
    rc = add_entry(f->entries, f->folder, plain_path(path->text), mpg_str_of(options), err);
    if (rc == MPG_OK) {
      int64_t column = 1, *line = &f->entries->entry[f->entries->n - 1].line;
      *line = 1;
      mpg_json_move_place(f->text.p, at, line, &column);
    }
  }
  mpg_free(env, options);
  mpg_json_doc_free(doc);
  return rc;
}

static mpg_rc add_sources(const fleet_text *f, const mpg_json_member *sources, mpg_err *err) {
  mpg_json_doc *doc = NULL;
  const mpg_json_member *source;
  size_t n = 0;
  char what[200 + MPG_EXCERPT];
  mpg_rc rc;
  if (sources->kind != MPG_JSON_ARRAY)
    return bad_place(
        f, object_of(f) + sources->key_at,
        write_expected("\"sources\" to be a list of objects with a \"path\"", sources, what), err);
  rc = mpg_json_parse(&doc, f->entries->env, f->name, sources->text, &source, &n, err);
  for (size_t i = 0; rc == MPG_OK && i < n; i++)
    rc = add_source(f, sources->text.p + source[i].value_at, &source[i], i + 1, err);
  mpg_json_doc_free(doc);
  return rc;
}

static mpg_rc read_fleet(mpg_entries *e, const char *name, mpg_str folder, mpg_str text,
                         mpg_err *err) {
  fleet_text f = {e, name, folder, text};
  mpg_json_doc *doc = NULL;
  const mpg_json_member *member;
  char what[100 + MPG_EXCERPT], key[MPG_EXCERPT];
  size_t n = 0;
  mpg_rc rc = mpg_json_parse(&doc, e->env, name, text, &member, &n, err);
  e->of_fleet = true;
  if (rc == MPG_OK && *object_of(&f) != '{')
    n = 0;
  for (size_t i = 0; rc == MPG_OK && i < n; i++) {
    if (mpg_str_eq(member[i].key, MPG_STR("sources"))) {
      rc = add_sources(&f, &member[i], err);
    } else if (mpg_str_eq(member[i].key, MPG_STR("labels"))) {
      rc = add_labels(&f, &member[i], err);
    } else if (!mpg_str_eq(member[i].key, MPG_STR("$schema"))) {
      mpg_text_excerpt(member[i].key, key);
      (void)snprintf(what, sizeof what, "expected \"sources\" or \"labels\", found \"%s\"", key);
      rc = bad_place(&f, object_of(&f) + member[i].key_at, what, err);
    }
  }
  mpg_json_doc_free(doc);
  if (rc == MPG_OK && e->n == 0)
    rc = bad_place(&f, text.p,
                   "expected an object with \"sources\", a list of objects with a \"path\", found "
                   "none",
                   err);
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
  if (rc == MPG_OK) {
    const size_t mark = n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    rc = read_fleet(e, path, folder, (mpg_str){text + mark, n - mark}, err);
  }
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
  rc = mpg_paths_expand_readable(&paths, env, path, err);
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
