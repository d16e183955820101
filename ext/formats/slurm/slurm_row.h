/*
** slurm_row.h - one record of delimited Slurm output against its columns: splitting, decoding, and
** giving the pieces of unescaped text back to the fields they belong to. For slurm.c.
*/
#ifndef MPG_SLURM_ROW_H
#define MPG_SLURM_ROW_H

#include "slurm.h"

/* The date that came last, for the next time is mostly of the same. All zero: none. */
typedef struct mpg_slurm_date {
  char text[10];
  bool known;
  int64_t seconds; /* of its midnight, as mpg_time_parse has it */
} mpg_slurm_date;

/* A text that its type's parser has accepted, so that a value that repeats from record to record is
** parsed once. Longer texts are not remembered. All zero: none. */
typedef struct mpg_slurm_known {
  uint8_t n;
  char text[119];
} mpg_slurm_known;

typedef struct mpg_slurm_column {
  int field; /* -1: left out */
  mpg_slurm_type type;
  mpg_slurm_known known; /* of the types that are checked and stay text */
} mpg_slurm_column;

typedef struct mpg_slurm_cell {
  mpg_str text;
  mpg_value value;
  mpg_zone_fit fit; /* of a local time */
} mpg_slurm_cell;

typedef struct mpg_slurm_row {
  const mpg_env *env;
  mpg_poller *poller;   /* if it says to stop, what was read is of no use */
  const mpg_zone *zone; /* NULL: UTC */
  mpg_str delimiter;
  bool trailing; /* a delimiter ends every record */
  bool slow;     /* each field goes to its own parser: for tests */
  bool broken;   /* the pieces may have line ends in them */
  mpg_slurm_date date;
  mpg_slurm_column *columns;
  size_t ncolumns, cap_columns;
  mpg_str
      *pieces; /* of the record, as the delimiter cuts it; the empty one after a trailing one too */
  size_t npieces, cap_pieces;
  mpg_slurm_cell *cells; /* one a column, once the record has matched */
  size_t cap_cells;
  unsigned char *ways; /* scratch */
  size_t cap_ways;
} mpg_slurm_row;

void mpg_slurm_row_free(mpg_slurm_row *row);
/* MPG_OK, MPG_NOMEM or (see poller) MPG_INTERRUPTED, as all below that return mpg_rc. */
mpg_rc mpg_slurm_row_add(mpg_slurm_row *row, int field, mpg_slurm_type type);
mpg_rc mpg_slurm_row_split(mpg_slurm_row *row, mpg_str text);

/* Whether the pieces make one record in exactly one way; *mended: some text held the delimiter. */
mpg_rc mpg_slurm_row_match(mpg_slurm_row *row, bool *whole, bool *mended);
/* The value of a text that has matched column c before, in its cell. */
const mpg_value *mpg_slurm_row_value(mpg_slurm_row *row, size_t c, mpg_str text);
/* Of a start or an end that the clock showed twice, how long the record says that it lasted tells
** which of the two it was: its cell has that then, and is MPG_ZONE_UNIQUE. */
void mpg_slurm_row_settle(mpg_slurm_row *row, const mpg_slurm_kind *kind);
/* Whether the pieces are one record followed by a delimiter, as -p writes it. */
bool mpg_slurm_row_ends_open(mpg_slurm_row *row);
/* Whether a newline may belong to the last field, so that a whole record may still continue. */
bool mpg_slurm_row_open_ended(const mpg_slurm_row *row);
/* Whether the pieces read like the start of a record rather than the rest of one. */
bool mpg_slurm_row_starts(mpg_slurm_row *row);
/* Of a name, in bytes of a text for the poller: it is compared with all names there are. */
#define MPG_SLURM_NAME_WORK 512
/* By number; -1: the kind has none of this name. Case does not matter, nor spaces. */
int mpg_slurm_find_field(const mpg_slurm_kind *kind, mpg_str name);
/* What stands between the first two names of a header. */
mpg_str mpg_slurm_header_delimiter(mpg_str line);
/* Whether all pieces are names, and at least half are known. */
bool mpg_slurm_row_is_header(const mpg_slurm_row *row, const mpg_slurm_kind *kind);
/* Advice at the end of the error if a spreadsheet or a data frame rewrote the export. */
#define MPG_SLURM_QUOTED                                                                           \
  " (quoted as CSV, which Slurm never does: .import --csv it, and write it in .mode list)"
/* Says why they do not match ("expected ..., found ..."); returns the byte it is about. */
size_t mpg_slurm_row_explain(mpg_slurm_row *row, const mpg_slurm_kind *kind, char *out, size_t cap);

#endif
