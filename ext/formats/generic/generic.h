/*
** generic.h - options of the tables over files that no format describes: by name, given as
** arguments of a table function or in CREATE VIRTUAL TABLE.
*/
#ifndef MPG_GENERIC_H
#define MPG_GENERIC_H

#include "../../sqlite/connection.h"
#include "../../sqlite/reader/record_iterator.h"
#include "../../read/rows/rows.h"
#include "../../read/input/paths.h"

/* Options of any of the tables. */
typedef enum mpg_generic_option {
  MPG_OPTION_PATH,
  MPG_OPTION_DELIMITER,
  MPG_OPTION_HEADER,
  MPG_OPTION_NAMES,
  MPG_OPTION_COLUMNS,
  MPG_OPTION_TYPES,
  MPG_OPTION_NULLS,
  MPG_OPTION_QUOTE,
  MPG_OPTION_ZONE,
  MPG_OPTION_ON_ERROR,
  MPG_OPTION_MEASURES, /* of roll-ups, as the next two */
  MPG_OPTION_BY,
  MPG_OPTION_THREADS,
  MPG_OPTIONS
} mpg_generic_option;

/* Delimited text, or JSON. */
typedef struct mpg_generic_kind {
  const mpg_rows_format *rows;
  const mpg_generic_option *options; /* those that it takes, in the order of the arguments */
  size_t n_options;
} mpg_generic_kind;

extern const mpg_generic_kind mpg_generic_csv, mpg_generic_json; /* as table functions, and made: */
extern const mpg_generic_kind mpg_generic_csv_table, mpg_generic_json_table;
extern const mpg_generic_kind mpg_generic_csv_rollup, mpg_generic_json_rollup;
const char *mpg_generic_option_name(mpg_generic_option option);
const char *mpg_generic_option_type(mpg_generic_option option); /* for mpg_declare_argument */

/* A source of rows: what the options say. */
typedef struct mpg_generic {
  const mpg_generic_kind *kind;
  const mpg_env *env;
  mpg_rows_options options;
  mpg_str *nulls; /* into the option's text */
  mpg_zone *zone;
  mpg_str path, types;
  mpg_str list; /* of the columns that the user named, and its form */
  mpg_columns_form form;
  int threads; /* that may read */
  bool skip;
  bool chosen; /* the user named the columns */
} mpg_generic;

/* Takes the values of the options (MPG_NULL: not given), which must outlive it. */
mpg_rc mpg_generic_open(mpg_generic *generic, const mpg_generic_kind *kind, const mpg_conn *conn,
                        const mpg_value values[MPG_OPTIONS], mpg_err *err);
void mpg_generic_close(mpg_generic *generic); /* of one that failed to open as well; or all zero */
/* Adds the columns to an empty list: those that the user named, else those that the files have, of
** which as much is read as their names and types need. */
mpg_rc mpg_generic_columns(const mpg_generic *generic, mpg_columns *columns, const mpg_env *env,
                           const mpg_paths *paths, mpg_err *err);

/*
** How an iterator reads files that each have columns of their own: its `shared` is an
** mpg_generic, and mpg_generic_record adds the current record to `json`.
*/
extern const mpg_file_format mpg_generic_files;
mpg_rc mpg_generic_record(void *file, mpg_json_text *json, mpg_err *err);
/* The members of the current record, borrowed until the next; false: columns were chosen. */
bool mpg_generic_members(const void *file, const mpg_json_member **members, size_t *n);

/*
** The arguments of CREATE VIRTUAL TABLE, from argv[3] on: the path in quotes, name = value. Values
** are copied with SQLite's allocator: mpg_generic_arguments_free. *error: an SQLite text.
**
** A stored schema must never open a file: the table is refused in any schema but temp.
*/
int mpg_generic_arguments(const mpg_generic_kind *kind, int argc, const char *const *argv,
                          const char *example, mpg_value values[MPG_OPTIONS], char **error);
void mpg_generic_arguments_free(mpg_value values[MPG_OPTIONS]);
/* Appends `"NAME" TYPE`: a column, to a CREATE TABLE. */
void mpg_generic_declare(sqlite3_str *sql, mpg_str name, mpg_column_type type);

/* Puts an option's name before a message about its value. */
mpg_rc mpg_option_fail(const char *option, mpg_err *err);

/*
** Table functions, whose arguments are the hidden columns from 1 on. xBestIndex: idxNum gets bit i
** if option i of the kind is given. xFilter: their values, copied to `copies`, MPG_OPTIONS of them.
** An option that SQLite does not hand over is an error before.
*/
int mpg_generic_plan_options(sqlite3_vtab *vtab, const char *table, const mpg_generic_kind *kind,
                             sqlite3_index_info *info);
int mpg_generic_missing(const mpg_generic_kind *kind, sqlite3_vtab *vtab, int idx_num,
                        const char *table, sqlite3_value **argv);
int mpg_generic_read_options(const mpg_generic_kind *kind, int given, sqlite3_value **argv,
                             sqlite3_value **copies, mpg_value values[MPG_OPTIONS]);

/* ---- generic_filter.c: comparisons that are tested while files are read ---- */

/* What column `i` of a virtual table is, for a comparison. */
#define MPG_FILTER_FILE (SIZE_MAX - 1)
#define MPG_FILTER_NONE SIZE_MAX
typedef size_t mpg_generic_column_of(const void *table, int i);

/*
** Requests that SQLite pass comparisons of the columns to xFilter, as many as there is room for,
** and appends them to the plan. SQLite tests them again (omit stays 0). Sets the cost, and expects
** fewer rows if there are equalities.
*/
void mpg_generic_plan_filters(sqlite3_index_info *info, const mpg_columns *columns,
                              mpg_generic_column_of *column_of, const void *table,
                              sqlite3_str *plan);

typedef struct mpg_generic_pattern {
  const char *text;
  bool like; /* else GLOB */
} mpg_generic_pattern;

/* Those of one xFilter. Zero-initialised is none. */
typedef struct mpg_generic_filters {
  mpg_rows_filter rows[MPG_ROWS_FILTERS];
  mpg_rows_filter files[MPG_ROWS_FILTERS]; /* of their paths, as are the patterns */
  mpg_generic_pattern patterns[MPG_ROWS_FILTERS];
  size_t n_rows, n_files, n_patterns;
  sqlite3_value **copies;
  mpg_value *lists; /* of all IN, one after the other */
  size_t n_copies, copies_cap, n_lists, lists_cap;
} mpg_generic_filters;

/* Takes what the plan says, from *plan on, of `argv`: the comparisons that the types of the values
** allow. */
int mpg_generic_read_filters(mpg_generic_filters *filters, const mpg_conn *conn,
                             const mpg_columns *columns, const char *plan, int argc,
                             sqlite3_value **argv);
void mpg_generic_free_filters(mpg_generic_filters *filters, const mpg_conn *conn);
/* Whether rows can be of the file. */
bool mpg_generic_file_chosen(const void *filters, const char *path);

#endif
