/*
** rows.h - files of delimited text or of JSON as rows of columns (columns.h), which their first
** file or the user declares. Two formats with one interface: csv_rows.c and json_rows.c.
**
** Values are decoded on demand, and only then checked against their type: MPG_DATA,
** "PATH:LINE:COLUMN: expected a whole number within 64 bits for gpus, found "n/a"; ...", with the
** options that would read it differently.
*/
#ifndef MPG_ROWS_H
#define MPG_ROWS_H

#include "../parse/blocks.h"
#include "columns.h"
#include "../parse/json_fast.h"
#include "../parse/json_writer.h"
#include "../../base/issues.h"
#include "../input/paths.h"

#define MPG_ROWS_SAMPLE 10000 /* records of the first file that types are found from */
#define MPG_ROWS_FILTERS 8

typedef struct mpg_rows_options {
  /* Delimited text only. */
  char delimiter;
  bool no_quotes;
  bool header; /* the first record names the fields */
  /* Delimited text: the header gives the place of a column; else its index is its place. JSON: the
  ** columns are all members of the records, not a choice among them. */
  bool by_name;
  mpg_reading reading;
} mpg_rows_options;

typedef enum mpg_rows_op {
  MPG_ROWS_EQ,
  MPG_ROWS_NE,
  MPG_ROWS_LT,
  MPG_ROWS_LE,
  MPG_ROWS_GT,
  MPG_ROWS_GE,
  MPG_ROWS_IN,
  MPG_ROWS_NULL,
  MPG_ROWS_NOT_NULL
} mpg_rows_op;

/*
** Rows whose column does not compare so are skipped. As in SQL, NULL is neither equal nor unequal
** to a value. Values are MPG_TEXT for a column of TEXT (byte by byte), MPG_INT or MPG_REAL for any
** other (compared exactly).
*/
typedef struct mpg_rows_filter {
  size_t column;
  mpg_rows_op op;
  mpg_value value;
  const mpg_value *list; /* of MPG_ROWS_IN, in order (mpg_rows_compare) */
  size_t n_list;
  bool numbers; /* of <, <=, > and >=: texts that may be numbers pass as well */
} mpg_rows_filter;

/* The order of two texts, or of two numbers. */
int mpg_rows_compare(const mpg_value *a, const mpg_value *b);
bool mpg_rows_is_in(const mpg_rows_filter *filter, const mpg_value *v);
bool mpg_rows_may_be_number(mpg_str text);

/* Whether a value of the column passes. */
static inline bool mpg_rows_passes(const mpg_rows_filter *filter, const mpg_value *v) {
  const mpg_value *w = &filter->value;
  bool passes;
  int order;
  if (v->type == MPG_NULL)
    return filter->op == MPG_ROWS_NULL;
  switch (filter->op) {
  case MPG_ROWS_EQ:
    if (v->type == MPG_TEXT)
      return mpg_str_eq(v->s, w->s);
    return mpg_rows_compare(v, w) == 0;
  case MPG_ROWS_NULL:
    return false;
  case MPG_ROWS_NOT_NULL:
    return true;
  case MPG_ROWS_IN:
    return mpg_rows_is_in(filter, v);
  default:
    order = mpg_rows_compare(v, w);
    passes = filter->op == MPG_ROWS_NE   ? order != 0
             : filter->op == MPG_ROWS_LT ? order < 0
             : filter->op == MPG_ROWS_LE ? order <= 0
             : filter->op == MPG_ROWS_GT ? order > 0
                                         : order >= 0;
    return passes || (filter->numbers && mpg_rows_may_be_number(v->s));
  }
}

/* The requests for every file. */
typedef struct mpg_rows_query {
  const mpg_rows_options *options;
  const mpg_columns *columns;
  mpg_rows_filter filters[MPG_ROWS_FILTERS];
  size_t n_filters;
  uint64_t checked; /* columns whose value must fit, else MPG_DATA; bit 63: all from 63 on */
  const void *scan; /* the format's own, of all files; the two here know of none */
} mpg_rows_query;

typedef struct mpg_rows_format {
  bool json;         /* objects one after the other, else delimited text (mpg_blocks_options) */
  int unwrap;        /* ways in which its lines may be wrapped (../unwrap/unwrap.h), */
  int unwrap_mapped; /* and others, of files that were recognised */
  /* Adds the columns that a file has. MPG_DONE: it has no record to infer them from. */
  mpg_rc (*names)(mpg_columns *columns, const mpg_env *env, const mpg_rows_options *options,
                  const char *path, mpg_err *err);
  /* Widens the type of column i by what the current record has there. */
  mpg_rc (*fit)(void *file, size_t i, mpg_column_type *type, mpg_err *err);

  /* One file. Everything is borrowed and must outlive it; issues may be NULL. */
  mpg_rc (*open)(void **file, const mpg_env *env, const mpg_rows_query *query, const char *path,
                 mpg_issues *issues, mpg_err *err);
  void (*close)(void *file);
  /* The next record that passes the filters; MPG_DONE at the end. After MPG_DATA it continues. */
  mpg_rc (*next)(void *file, mpg_err *err);
  int64_t (*line)(const void *file);
  /* Borrowed until the next call of any kind. */
  mpg_rc (*column)(void *file, size_t i, mpg_value *out, mpg_err *err);
  /* Adds the record as a JSON object: of the columns, or unchanged if `whole` is set and the file
  ** is JSON. */
  mpg_rc (*record)(void *file, bool whole, mpg_json_text *json, mpg_err *err);

  /*
  ** Reading block by block (blocks.h), by several: `begin` is `open` over a stream that stays the
  ** caller's, and reads nothing. One of them is fed the first block, takes the header and gives the
  ** rest of the block back; the others take over what it knows by `like`. MPG_DONE of header: the
  ** block has none, the next one may.
  */
  mpg_rc (*begin)(void **file, const mpg_env *env, const mpg_rows_query *query, mpg_stream *stream,
                  mpg_issues *issues, mpg_err *err);
  mpg_rc (*header)(void *file, mpg_err *err);
  /* `asked` as in blocks.h. */
  void (*feed)(void *file, mpg_stream *stream, mpg_block *block, const mpg_env *poll_env);
  /* False: not from here. */
  bool (*unfeed)(void *file, mpg_block *block);
  void (*like)(void *file, const void *of);
  /* The field of every column in plain records (SIZE_MAX: it has none), and how many fields they
  ** have; NULL: none are known. Those of JSON are of the members of the last record. */
  const size_t *(*fields)(void *file, size_t *width);
  /* JSON: plain records of the block that was fed last. */
  size_t (*lines)(const void *file, mpg_json_lines *lines, const char *p, size_t n, size_t at);
} mpg_rows_format;

extern const mpg_rows_format mpg_csv_rows, mpg_json_rows;
/* The members of the current record of a file of mpg_json_rows that is read without columns:
** borrowed until the next one. */
const mpg_json_member *mpg_json_rows_members(const void *file, size_t *n);

static inline void mpg_rows_unwrap(const mpg_rows_format *format, const mpg_env *env,
                                   mpg_stream *stream) {
  mpg_stream_unwrap(stream, format->unwrap | (env->maps ? format->unwrap_mapped : 0));
}

/*
** Names the columns if there are none, and infers the types of those that are MPG_COLUMN_FOUND,
** from the first of `paths` that shows them. `types` is "" or a list of given types, or one type
** for all columns. If no file shows a type, it is TEXT; if none shows names, columns->n stays 0.
*/
mpg_rc mpg_rows_declare(const mpg_rows_format *format, mpg_columns *columns, const mpg_env *env,
                        const mpg_rows_options *options, mpg_str types, const mpg_paths *paths,
                        mpg_err *err);

/* ---- For the two formats ---- */

/* MPG_DATA for a value that its type does not fit; `is_text`: one that `nulls` are held against. */
mpg_rc mpg_rows_unfit(const char *path, int64_t line, int64_t column_at, const mpg_column *column,
                      mpg_str found, bool is_text, mpg_err *err);
/* Whether the current record passes the filters, and its values fit. */
mpg_rc mpg_rows_test(const mpg_rows_format *format, void *file, const mpg_rows_query *query,
                     bool *pass, mpg_err *err);
/* A value as JSON. */
mpg_rc mpg_rows_put(mpg_json_text *json, const mpg_value *value);

#endif
