/*
** generic_sums.h - the measures of csv_rollup and jsonl_rollup, and their sums: a group for each
** combination of the requested columns, in the requested order.
*/
#ifndef MPG_GENERIC_SUMS_H
#define MPG_GENERIC_SUMS_H

#include "generic.h"
#include "../../read/rows/rows_rollup.h"

/* What is to be summed, in which files. Zero-initialised is none. */
typedef struct mpg_summand {
  mpg_generic generic;
  mpg_columns columns;
  mpg_sum_expressions measures;
  size_t operands[MPG_OPERANDS]; /* columns */
} mpg_summand;

/*
** Takes the options' values, which must outlive it, and reads as much of the files as columns need:
** afterwards `iterator` has their paths. No columns: the files are empty. Close one that
** failed, too.
*/
mpg_rc mpg_summand_open(mpg_summand *summand, const mpg_generic_kind *kind, mpg_conn *conn,
                        const mpg_value values[MPG_OPTIONS], mpg_record_iterator *iterator,
                        mpg_err *err);
void mpg_summand_close(mpg_summand *summand);

/* A dimension to sort by: which of the query's. */
typedef struct mpg_sums_key {
  size_t part;
  bool down;
} mpg_sums_key;

/* Zero-initialised, except record.env is empty. The query's dimensions and filters and the keys are
** the caller's. */
typedef struct mpg_sums {
  const mpg_summand *of; /* borrowed */
  mpg_rollup_query query;
  mpg_sums_key keys[2 * MPG_GROUP_PARTS];
  size_t n_keys;
  mpg_groups groups;
  uint32_t *order; /* groups, as they come out */
  mpg_json_text record;
} mpg_sums;

/* Another dimension: MPG_LIMIT if there is no room. */
mpg_rc mpg_sums_by(mpg_sums *sums, size_t column, mpg_err *err);
/* Reads the files of the iterator, and sorts: by the keys, then by all dimensions. */
mpg_rc mpg_sums_read(mpg_sums *sums, const mpg_summand *of, mpg_record_iterator *iterator,
                     mpg_err *err);
/* Empty again, except for the memory of the record. */
void mpg_sums_reset(mpg_sums *sums, const mpg_env *env);

/* Of a group: a dimension, as it was when the group was made; a measure (MPG_LIMIT: no integer of
** SQL holds it); and all as a record of JSON, which lives until the next. */
mpg_value mpg_sums_dimension(const mpg_sums *sums, size_t group, size_t part);
mpg_rc mpg_sums_measure(const mpg_sums *sums, size_t group, size_t i, mpg_value *out, mpg_err *err);
mpg_value mpg_sums_rows(const mpg_sums *sums, size_t group);
mpg_rc mpg_sums_record(mpg_sums *sums, size_t group, mpg_value *out, mpg_err *err);

#endif
