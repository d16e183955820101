/*
** ledger_values.h - the columns of one of the ledger's rows, or of a roll-up's cell, as results of
** SQLite's.
*/
#ifndef MPG_LEDGER_VALUES_H
#define MPG_LEDGER_VALUES_H

#include "../result_text.h"
#include "../../goodput/ledger/ledger_columns.h"

/* A column's latest text, if it is permanent: the next rows are likely to return it again. Its key
** is an id of the row or of its job. */
typedef struct mpg_ledger_last {
  const uint32_t *keys; /* of the current rows */
  uint32_t key;         /* of this text */
  int n;                /* -1: to its end, which SQLite then knows of */
  const char *text;     /* NULL: none */
} mpg_ledger_last;

/* The current row, and the latest text of each column, by SQLite's numbers. Zero-initialised,
** except what is borrowed. */
typedef struct mpg_ledger_values {
  mpg_conn *conn;
  const mpg_fleet *fleet; /* whose names they are */
  const mpg_bucket *bucket;
  const mpg_ledger_table *table;
  const mpg_ledger *rows;
  size_t row;        /* of rows */
  uint32_t compared; /* bit of each column that SQLite groups or orders rows by */
  int64_t intervals; /* of a cell */
  mpg_ledger_last last[MPG_COLS + MPG_ARGS]; /* nothing of arguments */
  mpg_shared_text texts[MPG_COLS];
  int64_t labelled; /* the bucket of `label`, which ends in NUL */
  char label[MPG_LEDGER_VALUE_TEXT];
} mpg_ledger_values;

void mpg_ledger_values_free(mpg_ledger_values *values);
/* From here on the values are of these rows, which are of the same fleet and stay the caller's. */
void mpg_ledger_values_of(mpg_ledger_values *values, const mpg_ledger *rows);

/* Whether the column's text is permanent and the same as before; then it is the result. This is the
** common case: a query reads about six values of each of 10^7 rows. */
static inline bool mpg_ledger_again(sqlite3_context *context, const mpg_ledger_values *values,
                                    int i) {
  const mpg_ledger_last *last = &values->last[i];
  if (last->text == NULL || last->keys[values->row] != last->key)
    return false;
  sqlite3_result_text(context, last->text, last->n, SQLITE_STATIC);
  return true;
}
/* Any column that is no argument. */
void mpg_ledger_result(sqlite3_context *context, mpg_ledger_values *values, int i);

/* A cell as a ledger of one row; the cell is borrowed. */
mpg_ledger mpg_ledger_of_cell(mpg_ledger_row *cell);

#endif
