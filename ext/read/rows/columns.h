/*
** columns.h - the columns of a file that no format describes: their names, their places in a
** record, their types, and the values that these make of texts.
*/
#ifndef MPG_COLUMNS_H
#define MPG_COLUMNS_H

#include "../parse/json_path.h"
#include "../input/zone.h"

typedef enum mpg_column_type {
  MPG_COLUMN_FOUND,  /* none given: it is found from the first records */
  MPG_COLUMN_BIGINT, /* a whole number within int64; true and false of JSON are 1 and 0 */
  MPG_COLUMN_REAL,
  MPG_COLUMN_TEXT,
  MPG_COLUMN_TIME, /* Unix seconds from a number or ISO 8601 text: see mpg_time_parse */
  MPG_COLUMN_TRUTH /* while types are found: whole numbers, among them true or false of JSON */
} mpg_column_type;

typedef struct mpg_column {
  mpg_str name; /* owned */
  mpg_column_type type;
  bool found;          /* the type was, and not given: names of digits are none of it */
  mpg_json_path *path; /* of JSON; NULL: the member of that name */
} mpg_column;

typedef struct mpg_columns {
  const mpg_env *env;
  mpg_column *p;
  size_t n, cap;
  uint32_t *slots; /* by name: index + 1 of the first n_indexed, 0 is empty */
  size_t n_slots, n_indexed;
} mpg_columns;

void mpg_columns_init(mpg_columns *columns, const mpg_env *env);
void mpg_columns_free(mpg_columns *columns);
/* Copies the name; the path stays the caller's in an error, and is the list's otherwise. */
mpg_rc mpg_columns_add(mpg_columns *columns, mpg_str name, mpg_column_type type,
                       mpg_json_path *path, mpg_err *err);
/* The column of that name, in any case (as in SQL); columns->n: none. */
size_t mpg_columns_find(const mpg_columns *columns, mpg_str name);

/* What the elements of a list in text consist of. */
typedef enum mpg_columns_form {
  MPG_COLUMNS_NAMES, /* "a, b": names alone */
  MPG_COLUMNS_TYPES, /* "a BIGINT, b TEXT": name and type */
  MPG_COLUMNS_PATHS  /* "a $.x.y REAL, b": name, path or none, type or none */
} mpg_columns_form;
/*
** Adds the columns of a list. A name is a word, or in double quotes, with "" for one of them.
** MPG_MISUSE: "expected ..., found ..."; a name that is there already.
*/
mpg_rc mpg_columns_parse(mpg_columns *columns, mpg_str text, mpg_columns_form form, mpg_err *err);
/* BIGINT (INTEGER, INT), REAL (DOUBLE, FLOAT), TEXT (VARCHAR), TIME (TIMESTAMP), in either case. */
bool mpg_column_type_parse(mpg_str word, mpg_column_type *out);
const char *mpg_column_type_name(mpg_column_type type); /* "BIGINT", ... */

/* How a text of a file becomes a value. */
typedef struct mpg_reading {
  const mpg_str *nulls; /* texts that are NULL, as is the empty one */
  size_t n_nulls;
  const mpg_zone *zone; /* of times without one; NULL: UTC */
} mpg_reading;

bool mpg_reading_is_null(const mpg_reading *reading, mpg_str text);
/*
** `text` as a value of `type`; false if it is none. Spaces around numbers and times are skipped.
** TEXT is lent as it is. TIME is an MPG_REAL of seconds.
*/
bool mpg_column_read(const mpg_reading *reading, mpg_column_type type, mpg_str text,
                     mpg_value *out);
/* The same for a type that may have been inferred: then the text must also fit the inference
** (mpg_column_fit). "007" does not: as a number it would equal another name. */
bool mpg_column_value(const mpg_reading *reading, mpg_column_type type, bool found, mpg_str text,
                      mpg_value *out);
/* Whether a text begins as no number does that a type is found from: "007", "-00.5". */
static inline bool mpg_column_is_padded(mpg_str text) {
  size_t at;
  if (text.n < 2 || *text.p > '0') /* most numbers */
    return false;
  at = *text.p == '-';
  return text.n > at + 1 && text.p[at] == '0' && text.p[at + 1] >= '0' && text.p[at + 1] <= '9';
}
/* What was expected, for a message: "a whole number". */
const char *mpg_column_expected(mpg_column_type type);

/*
** The type that fits `text` and all texts of `so_far` (MPG_COLUMN_FOUND: none yet): BIGINT, else
** REAL, else TEXT. A number that would be printed with other digits (leading zeros, beyond int64)
** is a TEXT: it is a name. After MPG_COLUMN_TRUTH a fraction is a TEXT too: true is no REAL.
*/
mpg_column_type mpg_column_fit(mpg_column_type so_far, mpg_str text);

#endif
