/*
** reader_groups.h - the records of a reader's table, group by group, if a query groups them by
** columns of text.
**
** SQLite groups rows in the order of the file by sorting all of them, which takes longer than
** reading. So if a query requests only columns that are quickly read, records are sorted into
** groups (read/grouping/group_sorter.h) and returned in the order that GROUP BY needs. If they do
** not fit into 32 MiB, the scan begins again as a statement of its own, which SQLite sorts as
** usual: the rows are the same, and they may exceed memory.
*/
#ifndef MPG_READER_GROUPS_H
#define MPG_READER_GROUPS_H

#include "reader.h"
#include "../result_text.h"
#include "../../read/grouping/group_sorter.h"

typedef struct mpg_reader_grouping {
  size_t n_keys; /* 0: no grouping */
  size_t key[MPG_GROUP_SORTER_KEYS];
  bool descending[MPG_GROUP_SORTER_KEYS];
  uint64_t columns; /* in addition to the keys */
  bool places;      /* _file or _line may be requested */
} mpg_reader_grouping;

/* For xBestIndex: whether rows are to come group by group; if so, `text` gets how. */
bool mpg_reader_plan_groups(const mpg_reader_format *format, sqlite3 *db, sqlite3_index_info *info,
                            sqlite3_str *text);
/* For xFilter: what that text says; an empty one: no grouping. */
mpg_reader_grouping mpg_reader_grouping_of(const char *text);

typedef struct mpg_reader_groups {
  mpg_reader_grouping by;
  mpg_group_sorter *gather;
  sqlite3_stmt *sorted; /* instead of it */
  mpg_shared_text texts[MPG_GROUP_SORTER_KEYS + MPG_GROUP_SORTER_VALUES];
} mpg_reader_groups;

/* Where records come from, one after the other: MPG_DONE after the last. */
typedef struct mpg_reader_records {
  void *of;
  mpg_rc (*next)(void *of, mpg_err *err);
  mpg_rc (*column)(void *of, size_t i, mpg_value *out, mpg_err *err); /* *out is MPG_NULL before */
  int64_t (*row)(const void *of);
  size_t (*file)(const void *of); /* the number of its path, from 0 */
  int64_t (*line)(const void *of);
} mpg_reader_records;

void mpg_reader_groups_reset(mpg_reader_groups *groups);
/* Gathers all records, as `by` says. Where they are too many, there is no gather afterwards. */
mpg_rc mpg_reader_groups_read(mpg_reader_groups *groups, const mpg_env *env,
                              const mpg_reader_records *records, mpg_err *err);
/* Instead: the statement that sorts them. arguments[i] is named names[i]; NULL: it is not given. An
** SQLite code, the connection has its text. */
int mpg_reader_groups_sorted(mpg_reader_groups *groups, const mpg_reader_format *format,
                             sqlite3 *db, const char *const *names, sqlite3_value *const *arguments,
                             size_t n, const mpg_reader_request *request);

/* SQLITE_ROW, SQLITE_DONE or what went wrong. */
int mpg_reader_groups_next(mpg_reader_groups *groups);
sqlite3_int64 mpg_reader_groups_row(const mpg_reader_groups *groups);
void mpg_reader_groups_column(mpg_reader_groups *groups, sqlite3_context *context, mpg_conn *conn,
                              size_t column);
void mpg_reader_groups_file(const mpg_reader_groups *groups, sqlite3_context *context,
                            const mpg_paths *paths);
void mpg_reader_groups_line(const mpg_reader_groups *groups, sqlite3_context *context);

#endif
