/*
** record_iterator.h - the records of all files of a path, one after the other: xFilter and xNext of
** every table over files.
**
** A malformed record ends the iteration with its error; if records are skipped, it is counted in
** mpg_issues as skipped_record (data_loss) instead. The same holds for an empty file, for no
** successful export leaves one. Issues of a file replace those of an earlier reading of it.
*/
#ifndef MPG_RECORD_ITERATOR_H
#define MPG_RECORD_ITERATOR_H

#include "../connection.h"
#include "../../read/input/stream.h"
#include "../../read/input/paths.h"

/*
** How a file is read. Every callback may be called from one thread at a time only. An environment
** passed in stays valid until close.
*/
typedef struct mpg_file_format {
  /* One file; issues found in it go to `issues` with `path` as their source. `shared` is the
  ** iterator's. */
  mpg_rc (*open)(void **file, void *shared, const mpg_env *env, const char *path,
                 mpg_issues *issues, mpg_err *err);
  void (*close)(void *file, void *shared);
  /*
  ** The next record; MPG_DONE at the end. After MPG_DATA the next call continues with the record
  ** that follows, or says MPG_DONE if nothing more can be read.
  */
  mpg_rc (*next)(void *file, mpg_err *err);
  int64_t (*line)(const void *file); /* where the current record begins */
} mpg_file_format;

typedef struct mpg_record_iterator {
  mpg_conn *conn;
  mpg_file_format format;
  void *shared;       /* for format.open and close */
  bool skip;          /* malformed records are left out */
  bool partial;       /* issues of an earlier reading stay, and none are added */
  void *file;         /* the format's, NULL until it is open */
  mpg_query_env scan; /* its env is for what lives as long as the iterator */
  mpg_paths paths;    /* paths[next_path - 1] is open while file is */
  size_t next_path;
  bool scanning, in_file; /* a path has been taken and not been finished */
  bool any;               /* of this file: a record, or an error */
  mpg_issues issues;      /* of this file */
} mpg_record_iterator;

/* All zero before the first call. Prepares scan.env; may be called again. Returns an SQLite code.
** format: NULL if the caller reads the files itself and does not call mpg_record_iterator_next. */
int mpg_record_iterator_begin(mpg_record_iterator *iterator, mpg_conn *conn,
                              const mpg_file_format *format);
/* The files of `path`; nothing is opened yet. */
mpg_rc mpg_record_iterator_path(mpg_record_iterator *iterator, mpg_str path, mpg_err *err);
/* The next record of any file; MPG_DONE after the last. Notices an interruption. */
mpg_rc mpg_record_iterator_next(mpg_record_iterator *iterator, mpg_err *err);
const char *
mpg_record_iterator_file(const mpg_record_iterator *iterator); /* path of the current record */
/* Restores the state after mpg_record_iterator_begin. MPG_NOMEM: some issues of the open file are
** lost. */
mpg_rc mpg_record_iterator_reset(mpg_record_iterator *iterator);
void mpg_record_iterator_end(mpg_record_iterator *iterator);

#endif
