/*
** rows_pieces.h - files of rows (rows.h) as pieces of work that several threads share
** (base/pipeline.h): blocks of whole records, in the order of the files. What roll-ups and scans of
** rows have in common.
**
** Most records are plain (rows_fast.h). They are found many at a time, and only those between them
** are read by csv.h and json_records.h.
*/
#ifndef MPG_ROWS_PIECES_H
#define MPG_ROWS_PIECES_H

#include "rows_fast.h"
#include "../../base/pipeline.h"

typedef struct mpg_rows_file mpg_rows_file;

/* A block of a file, or what was found instead. Zero-initialised at first, and issues ready. */
typedef struct mpg_rows_piece {
  mpg_block block;
  mpg_issues issues;
  void *reader;      /* of the format, without filters */
  mpg_rows_file *of; /* NULL: there is nothing to read */
  const char *path;  /* of the file */
  bool begins, ends; /* the file does, here */
  mpg_rc rc;         /* of cutting it; `line` is its line */
  mpg_err err;
  int64_t line;
  bool fed;                   /* the position in the piece is the reader's, not block.at */
  size_t by_reader, patience; /* records that the reader takes before plain ones are tried again */
  size_t file;                /* number of the path */
  int64_t records;            /* that were read or skipped, the current one with them */
} mpg_rows_piece;

/* Cuts the files; by any thread of a pipeline, one at a time. */
typedef struct mpg_rows_pieces {
  const mpg_env *env;     /* the owner's */
  mpg_env shared;         /* the pipeline's, of any thread; it polls */
  mpg_pipeline *pipeline; /* NULL: closed */
  const mpg_rows_format *format;
  const mpg_rows_query *query;
  mpg_rows_query bare; /* the query without filters: readers' */
  const mpg_paths *paths;
  bool plain; /* plain records are searched for */
  bool skip;  /* files that cannot be read as what they are to be are left out */
  bool (*chosen)(const void *ctx, const char *path); /* whether a file is read; NULL: all are */
  const void *chosen_ctx;
  size_t next;       /* path */
  mpg_rows_file *at; /* that pieces are cut from; NULL: the next one */
  bool failed;       /* nothing more is cut */
} mpg_rows_pieces;

/* Everything is borrowed. `pieces` must not move. */
void mpg_rows_pieces_init(mpg_rows_pieces *pieces, const mpg_env *env,
                          const mpg_rows_format *format, const mpg_rows_query *query,
                          const mpg_paths *paths, bool skip);
/* Opens the pipeline that takes the pieces through `steps`, whose cut() is mpg_rows_pieces_next's;
** its slots are pieces. */
mpg_rc mpg_rows_pieces_open(mpg_rows_pieces *pieces, int threads, const mpg_pipeline_steps *steps,
                            void *ctx, void *const *slots, mpg_err *err);
void mpg_rows_pieces_close(mpg_rows_pieces *pieces); /* the pipeline; twice is fine */
/* Once every piece is freed. */
void mpg_rows_pieces_free(mpg_rows_pieces *pieces);
/* The next piece; MPG_DONE: there is none. What goes wrong is in piece->rc. */
mpg_rc mpg_rows_pieces_next(mpg_rows_pieces *pieces, mpg_rows_piece *piece);
void mpg_rows_piece_free(mpg_rows_pieces *pieces, mpg_rows_piece *piece);

/*
** The next records of a piece whose rc is MPG_OK: *plain > 0 records from block.at on, with their
** fields in `scan`; or, if *plain == 0, the current record of piece->reader, which passes the
** filters. MPG_DONE at the end; after MPG_DATA the next call continues.
**
** The caller filters plain records, and passes them (mpg_rows_piece_pass) up to the first that it
** cannot read (mpg_rows_piece_refuse), which then comes from the reader. With `counting` they are
** passed at once, and `scan` is not filled.
*/
mpg_rc mpg_rows_piece_next(const mpg_rows_pieces *pieces, mpg_rows_piece *piece,
                           mpg_rows_fast_scan *scan, bool counting, size_t *plain, mpg_err *err);
/* Behind n plain records, the last of which ends at `end`, the offset of its LF. */
static inline void mpg_rows_piece_pass(mpg_rows_piece *piece, size_t n, uint32_t end) {
  piece->block.at = end + (size_t)1;
  piece->block.first = false;
  piece->block.line += (int64_t)n;
  piece->records += (int64_t)n;
}
/* Whether the block has the text, to lend it: what a reader made of it is gone with the next
** record. */
static inline bool mpg_rows_piece_holds(const mpg_rows_piece *piece, mpg_str s) {
  const mpg_block *block = &piece->block;
  uintptr_t at = (uintptr_t)s.p, from = (uintptr_t)block->bytes;
  return block->n > 0 && at >= from && at + s.n <= from + block->n;
}
void mpg_rows_piece_refuse(mpg_rows_piece *piece);
/* A number that the current record has in every scan of these paths, and no other record:
** greater for each that follows. */
static inline int64_t mpg_rows_piece_number(const mpg_rows_piece *piece) {
  return ((int64_t)piece->file << 40) + piece->block.offset + piece->records;
}
/* The line of the reader's record, or of what was wrong. */
int64_t mpg_rows_piece_line(const mpg_rows_pieces *pieces, const mpg_rows_piece *piece);

#endif
