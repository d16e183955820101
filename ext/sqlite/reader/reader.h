/*
** reader.h - the table function that every file format shares: NAME(path, ..., on_error).
**
** A format describes itself in one mpg_reader_format and registers it; every method of a virtual
** table is here. For the user all formats are the same:
**
**   (1) path is a file, a glob or a folder, gzip and zstd read in place. Nothing is opened before
**       the query runs; the tables are DIRECTONLY and eponymous, so that no schema holds a path.
**   (2) Arguments are given by position or as WHERE name = value. A missing path is an error that
**       shows the call. A path of NULL has no rows; any other NULL counts as not given.
**   (3) on_error = 'stop' (or nothing): a malformed record ends the query with
**       "NAME: FILE:LINE:COLUMN: what". on_error = 'skip': it is left out and counted in mpg_issues
**       as skipped_record (data_loss).
**   (4) What a scan finds is in mpg_issues with the file as source; a file read again replaces it.
**   (5) The hidden columns _file and _line lead back to the source. rowid counts records.
**   (6) sqlite3_interrupt() ends a scan.
**   (7) Formats that several threads may read have the argument threads after on_error, 1 to 64.
**       Unless given, it is the number of cores, at most 16.
*/
#ifndef MPG_READER_H
#define MPG_READER_H

#include "../connection.h"
#include "../../read/rows/rows_scan.h"

#define MPG_READER_ARGUMENTS 16 /* at most, with path, on_error and threads */
#define MPG_READER_EQUALS 4

typedef struct mpg_reader_column {
  const char *name;
  const char *type; /* declared: "TEXT", "BIGINT", "REAL"; "": any */
} mpg_reader_column;

/* What a query requests of every file. */
typedef struct mpg_reader_request {
  int threads; /* that may read, at least 1 */
  /* Records whose column surely is not this text may be skipped, and are then counted. */
  struct {
    size_t column;
    mpg_str text;
  } equal[MPG_READER_EQUALS];
  size_t n;
  int64_t passed;
  /* The format says that it does not look at all of a file, which a mapping has read before: the
  ** issues of that reading stay. */
  bool partial;
} mpg_reader_request;

/*
** Rows that several threads read ahead of the statement (rows_scan.h): only the columns that it
** names are decoded.
*/
typedef struct mpg_reader_prefetch {
  const mpg_rows_format *rows; /* whose columns are the declared ones, and perhaps one more, */
  const mpg_rows_options *options;
  /* For formats whose rows depend on each other. each_row gets this column's value of every row, in
  ** order and in one thread, with the object that begin made. `column` returns true for a column
  ** whose value comes from that object. Both NULL: rows are independent. */
  mpg_rc (*each_row)(void *scan, const mpg_value *value, const char *path, int64_t line,
                     mpg_issues *issues, mpg_err *err);
  bool (*column)(const void *scan, size_t i, mpg_value *out);
} mpg_reader_prefetch;

/*
** Values of one file's current record, and of the arguments, are mpg_value; text is borrowed and is
** copied before the next call. Every callback may be called from one thread at a time only. An
** environment passed in stays valid until the matching close or end.
*/
typedef struct mpg_reader_format {
  mpg_module module; /* {"NAME", &mpg_reader_module, 0}; must be first */
  const char *usage; /* "expected a path, as in NAME('file')" */
  const mpg_reader_column *columns;
  size_t ncolumns;
  /* Arguments between path and on_error, in order. */
  const char *const *arguments;
  size_t narguments;
  uint32_t untyped; /* bit i: arguments[i] may be a number, and is declared without a type */

  /*
  ** Once a scan, before the first file: checks the arguments and makes what all files share; *scan
  ** is passed to open and end. arguments[i] is MPG_NULL if it was not given; its text stays valid
  ** until end. Of a threaded format, arguments[narguments + 1] is how many threads may read. May be
  ** NULL, as end may.
  */
  mpg_rc (*begin)(void **scan, const mpg_env *env, const mpg_value *arguments, mpg_err *err);
  void (*end)(void *scan);

  /*
  ** One file: `stream` is at its start, and its path is the source of what goes to `issues`. `file`
  ** is file_size bytes, all zero; what open puts there, close frees, also after an open that
  ** failed. Stream and file themselves stay reader.c's, outlive close, and end in this order. scan:
  ** of a format without `begin` the mpg_reader_request, which lives as long as the scan.
  */
  size_t file_size;
  mpg_rc (*open)(void *file, void *scan, const mpg_env *env, mpg_stream *stream, mpg_issues *issues,
                 mpg_err *err);
  void (*close)(void *file);
  /*
  ** The next record; MPG_DONE at the end. After MPG_DATA the next call continues with the record
  ** that follows, or says MPG_DONE if nothing more can be read.
  */
  mpg_rc (*next)(void *file, mpg_err *err);
  int64_t (*line)(const void *file); /* where the current record begins */
  /* Column i of the current record; *out is MPG_NULL before the call. */
  mpg_rc (*column)(void *file, size_t i, mpg_value *out, mpg_err *err);
  /* Columns (up to 57), text or NULL, whose texts the format compares itself with those of the
  ** request, and by which rows may be grouped. For prefetched rows SQLite compares them. */
  uint64_t comparable;
  /* Columns (up to 57) that are quickly had and cannot fail, except for want of memory: see
  ** reader_groups.h. */
  uint64_t plain;
  /* The type of the hidden column _record, a pointer for a function of the format's own, or NULL:
  ** it has none. See mpg_reader_record. */
  const char *pointer;
  bool binary;   /* no text: bytes are read as they are, and need not be UTF-8 */
  bool threaded; /* it uses the threads of the request */
  /* Instead of open, close, next, line and column; of a format with `begin`, whose scan is the
  ** query's (mpg_rows_query). */
  const mpg_reader_prefetch *ahead;
} mpg_reader_format;

/*
** The callbacks of a format whose file is a `type` with its mpg_NAME in the member `reader`:
** file_next and file_line; and of one that has nothing else, and nothing to open it with, all of
** them, with the type itself.
*/
#define MPG_READER_NEXT_AND_LINE(type, name)                                                       \
  static mpg_rc file_next(void *p, mpg_err *err) {                                                 \
    return mpg_##name##_next(((type *)p)->reader, err);                                            \
  }                                                                                                \
  static int64_t file_line(const void *p) {                                                        \
    return mpg_##name##_line(((const type *)p)->reader);                                           \
  }
#define MPG_READER_FILE(type, name)                                                                \
  typedef struct type {                                                                            \
    mpg_##name *reader;                                                                            \
  } type;                                                                                          \
  static void file_close(void *p) {                                                                \
    mpg_##name##_close(((type *)p)->reader);                                                       \
  }                                                                                                \
  static mpg_rc file_open(void *p, void *scan, const mpg_env *env, mpg_stream *stream,             \
                          mpg_issues *issues, mpg_err *err) {                                      \
    (void)scan;                                                                                    \
    return mpg_##name##_open(&((type *)p)->reader, env, stream, issues, err);                      \
  }                                                                                                \
  static mpg_rc file_column(void *p, size_t i, mpg_value *out, mpg_err *err) {                     \
    (void)err;                                                                                     \
    *out = *mpg_##name##_get(((type *)p)->reader, i);                                              \
    return MPG_OK;                                                                                 \
  }                                                                                                \
  MPG_READER_NEXT_AND_LINE(type, name)

/* What `column` gives. An empty text is NULL. */
static inline void mpg_give_text(mpg_value *out, mpg_str s) {
  if (s.n == 0)
    return;
  out->type = MPG_TEXT;
  out->s = s;
}

static inline void mpg_give_int(mpg_value *out, int64_t i) {
  out->type = MPG_INT;
  out->i = i;
}

/* For formats whose one argument is the zone of their times: the scan is the mpg_zone. */
extern const char *const mpg_reader_zone[1];
mpg_rc mpg_reader_begin_zone(void **zone, const mpg_env *env, const mpg_value *arguments,
                             mpg_err *err);
void mpg_reader_end_zone(void *zone);

/* The file whose current record a function was given as _record; NULL: it was given none. */
void *mpg_reader_record(sqlite3_value *value, const char *pointer);

extern const sqlite3_module mpg_reader_module;

int mpg_register_reader(mpg_conn *conn, const mpg_reader_format *format, char **error);

#endif
