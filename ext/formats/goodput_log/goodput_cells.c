/* goodput_cells.c - see goodput_cells.h. */
#include "goodput_cells.h"
#include "../../base/ascii.h"
#include "../../base/text.h"

#include <string.h>

struct mpg_goodput_cells {
  const mpg_env *env;
  mpg_csv *csv;
  char *text; /* of the names */
  mpg_str *names;
  size_t n;
  mpg_json_member *members;
};

bool mpg_goodput_are_cells(mpg_str head) {
  static const char *const keys[] = {"job_name", "jsonPayload", "json_payload"};
  const char *newline = head.n > 0 ? memchr(head.p, '\n', head.n) : NULL;
  const size_t n = newline == NULL ? head.n : (size_t)(newline - head.p);
  if (n == 0 || *head.p == '{' || *head.p == '[')
    return false;
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
    const mpg_str key = mpg_str_of(keys[k]);
    for (size_t i = 0; i + key.n <= n; i++)
      if (memcmp(head.p + i, key.p, key.n) == 0)
        return memchr(head.p, '{', n) == NULL;
  }
  return false;
}

mpg_rc mpg_goodput_cells_open(mpg_goodput_cells **out, const mpg_env *env, mpg_stream *stream,
                              mpg_err *err) {
  static const mpg_csv_options options = {.delimiter = ','};
  mpg_goodput_cells *cells = mpg_calloc(env, sizeof *cells);
  mpg_rc rc;
  *out = cells;
  if (cells == NULL)
    return mpg_fail_nomem(err);
  cells->env = env;
  rc = mpg_csv_open(&cells->csv, env, stream, &options, err);
  if (rc != MPG_OK) {
    mpg_goodput_cells_close(cells);
    *out = NULL;
  }
  return rc;
}

void mpg_goodput_cells_close(mpg_goodput_cells *cells) {
  if (cells == NULL)
    return;
  mpg_csv_close(cells->csv);
  mpg_free(cells->env, cells->text);
  mpg_free(cells->env, cells->names);
  mpg_free(cells->env, cells->members);
  mpg_free(cells->env, cells);
}

void mpg_goodput_cells_feed(mpg_goodput_cells *cells, mpg_stream *stream, mpg_block *block,
                            const mpg_env *poll_env) {
  if (block->first)
    cells->n = 0;
  mpg_csv_feed(cells->csv, stream, block, poll_env);
}

/* Keeps the names of the first record. */
static mpg_rc read_names(mpg_goodput_cells *cells, mpg_err *err) {
  const mpg_str *fields;
  size_t n, bytes = 0;
  char *to;
  mpg_rc rc = mpg_csv_next(cells->csv, &fields, &n, err);
  if (rc != MPG_OK)
    return rc;
  for (size_t i = 0; i < n; i++)
    bytes += fields[i].n;
  mpg_free(cells->env, cells->text);
  mpg_free(cells->env, cells->names);
  mpg_free(cells->env, cells->members);
  cells->text = to = mpg_malloc(cells->env, bytes + 1);
  cells->names = mpg_calloc(cells->env, n * sizeof *cells->names);
  cells->members = mpg_calloc(cells->env, n * sizeof *cells->members);
  if (cells->text == NULL || cells->names == NULL || cells->members == NULL)
    return mpg_fail_nomem(err);
  for (size_t i = 0; i < n; i++) {
    if (fields[i].n > 0)
      memcpy(to, fields[i].p, fields[i].n);
    cells->names[i] = (mpg_str){to, fields[i].n};
    to += fields[i].n;
  }
  cells->n = n;
  return MPG_OK;
}

mpg_rc mpg_goodput_cells_next(mpg_goodput_cells *cells, const mpg_json_member **members, size_t *n,
                              mpg_err *err) {
  const mpg_str *fields = NULL;
  size_t given = 0;
  mpg_rc rc = cells->n > 0 ? MPG_OK : read_names(cells, err);
  *members = cells->members;
  *n = 0;
  if (rc == MPG_OK)
    rc = mpg_csv_next(cells->csv, &fields, &given, err);
  for (size_t i = 0; rc == MPG_OK && i < given && i < cells->n; i++)
    if (fields[i].n > 0)
      cells->members[(*n)++] = (mpg_json_member){cells->names[i], MPG_JSON_STRING, fields[i], i, i};
  return rc;
}

bool mpg_goodput_cells_cut_off(const mpg_goodput_cells *cells) {
  return mpg_csv_cut_off(cells->csv);
}

int64_t mpg_goodput_cells_line(const mpg_goodput_cells *cells) {
  return mpg_csv_line(cells->csv);
}

void mpg_goodput_cells_where(const mpg_goodput_cells *cells, size_t column, int64_t *line,
                             int64_t *at) {
  mpg_csv_where(cells->csv, column, line, at);
}
