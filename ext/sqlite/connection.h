/*
** connection.h - what the SQLite glue shares: the connection's own state, registration from tables,
** errors.
**
** The files of ext/sqlite and each format's table file include this; it declares sqlite3_api.
*/
#ifndef MPG_CONNECTION_H
#define MPG_CONNECTION_H

#include <sqlite3ext.h>
#ifndef SQLITE_CORE
extern const sqlite3_api_routines *sqlite3_api;
#endif

#include "arguments.h"
#include "progress_report.h"
#include "results.h"
#include "../base/base.h"
#include "../program/chips.h"
#include "../base/issues.h"
#include "../base/limits.h"

#define MPG_VERSION "0.1.0"

#define MPG_CONN_CLOSES 6 /* functions that mpg_conn_on_close has room for */

typedef struct mpg_conn mpg_conn;

/*
** One for each connection that loaded the extension; every registered function and module holds a
** reference, and the last one frees it. Not shared between threads beyond what SQLite itself
** allows.
*/
struct mpg_conn {
  sqlite3 *db;
  mpg_env env;       /* SQLite's allocator; interrupted is NULL here: see mpg_query_env_begin */
  mpg_limits limits; /* of env, and of scans that begin */
  mpg_progress_report progress;           /* what mpg_progress asked for */
  mpg_issues issues;                      /* what mpg_issues shows */
  struct mpg_catalogue_entry *catalogues; /* see catalogue.h */
  struct mpg_cache_entry *cache;          /* see cache/cache.h */
  size_t cache_limit;                     /* bytes */
  struct mpg_held_fleet *held;            /* see held_fleet.h; NULL: none */
  struct mpg_held_records *held_records;  /* see held_records.h; NULL: none */
  struct mpg_intern *lasting;             /* see result_text.h */
  struct mpg_recogniser *recogniser;      /* see recognise/recognise.h; NULL until it is needed */
  struct mpg_last_object *last_object;    /* of json_first; NULL until it is needed */
  int references;
  bool no_files; /* sqlite3_mpg_nofs_init: nothing that opens a file is registered */
  /* What registers this extension on another connection, which private_db.h opens. */
  int (*register_all)(sqlite3 *db, bool no_files, struct mpg_conn **out, char **error);
  const mpg_env *host_env; /* of a private connection: the scan of the host that it runs in */
  /* Of a private connection: what errors and issues call its relations, as "exports/: jobs". */
  const char *relations_called;
  bool one_thread;  /* this connection's scans start no thread: the host allows none */
  bool skip_errors; /* of readers that are not given on_error: 'skip', and not 'stop' */
  int reading; /* scans of this connection that are reading relations now, one inside the other */
  void (*on_close[MPG_CONN_CLOSES])(mpg_conn *conn);
  size_t closes;
};

mpg_conn *mpg_conn_new(sqlite3 *db); /* one reference; NULL: out of memory */
void mpg_conn_release(void *conn);
/* The last release of the connection calls `close`, the functions added last first. A function that
** was added before is not added again. */
void mpg_conn_on_close(mpg_conn *conn, void (*close)(mpg_conn *conn));

/*
** Flags of a function that sets something for the connection, which no stored schema may do. It is
** not deterministic, but says so: in the CHECK of a table, SQLite (3.40.1) tests DIRECTONLY only
** for functions that do.
*/
#define MPG_SETTING (SQLITE_DIRECTONLY | SQLITE_DETERMINISTIC)

/* A scalar (xFunc), an aggregate (xStep, xFinal) or a window aggregate (all but xFunc). */
typedef struct mpg_function {
  const char *name;
  int nargs;
  int flags; /* over SQLITE_UTF8: SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, or SQLITE_DIRECTONLY */
  int parameter; /* of the file's own meaning: see mpg_function_of */
  void (*func)(sqlite3_context *, int, sqlite3_value **);
  void (*step)(sqlite3_context *, int, sqlite3_value **);
  void (*final)(sqlite3_context *);
  void (*value)(sqlite3_context *);
  void (*inverse)(sqlite3_context *, int, sqlite3_value **);
} mpg_function;

typedef struct mpg_module {
  const char *name;
  const sqlite3_module *module; /* its xConnect gets an mpg_module_data as pAux */
  int parameter;
} mpg_module;

typedef struct mpg_module_data {
  mpg_conn *conn;
  const mpg_module *module;
} mpg_module_data;

/* Register a whole table; on failure *error names the item (sqlite3_free it). */
int mpg_register_functions(mpg_conn *conn, const mpg_function *table, size_t n, char **error);
int mpg_register_modules(mpg_conn *conn, const mpg_module *table, size_t n, char **error);
/* Tables that open files: they are left out of a connection that is to have none. */
int mpg_register_file_modules(mpg_conn *conn, const mpg_module *table, size_t n, char **error);

/* The sqlite3_vtab of an eponymous table. It holds a reference to the connection's state, for it
** may outlive its registration if the extension is loaded again. */
typedef struct mpg_table {
  sqlite3_vtab base; /* must be first */
  mpg_conn *conn;
  const mpg_module *module;
} mpg_table;
/* sqlite3_declare_vtab; a limit of the connection that the declaration exceeds is SQLITE_TOOBIG,
** and *error names it. */
int mpg_declare_table(sqlite3 *db, const char *name, const char *declared, char **error);
/* What xConnect does, and xDisconnect. tier: SQLITE_VTAB_DIRECTONLY, SQLITE_VTAB_INNOCUOUS, or
** 0. */
int mpg_table_connect(sqlite3 *db, void *aux, const char *declared, int tier, sqlite3_vtab **out,
                      char **error);
int mpg_table_disconnect(sqlite3_vtab *vtab);
/* What xOpen does: a cursor of `size` bytes, the first its sqlite3_vtab_cursor, all zero. */
int mpg_cursor_open(size_t size, sqlite3_vtab_cursor **out);

/* Within a function: its row of the table, and the connection. */
const mpg_function *mpg_function_of(sqlite3_context *context);
mpg_conn *mpg_conn_of(sqlite3_context *context);

/* Whether other threads may use the connection's allocator: not if SQLite was built, or configured,
** for one thread, or if the host allows one alone. */
bool mpg_conn_threads(const mpg_conn *conn);
/* How many threads may read: the argument, 1 to MPG_THREADS_MAX; if it is MPG_NULL, the number of
** cores, at most 16; and 1 if !mpg_conn_threads. MPG_MISUSE: any other value. */
mpg_rc mpg_threads_given(const mpg_conn *conn, const mpg_value *argument, int *threads,
                         mpg_err *err);

/*
** An environment for one long scan, which notices sqlite3_interrupt() on every SQLite:
** it steps a small statement of its own now and then, which SQLite refuses while interrupted. The
** object must not move until mpg_query_env_end, which must come before the connection closes.
*/
typedef struct mpg_query_env {
  mpg_env env;
  mpg_limits limits; /* as they were when it began, for its threads read them */
  sqlite3_stmt *probe;
  mpg_conn *conn;
  bool counted;           /* among the scans of conn->progress */
  mpg_locked_files *held; /* the files of the connection's databases on which SQLite has locks */
} mpg_query_env;
int mpg_query_env_begin(mpg_query_env *scan, mpg_conn *conn);
void mpg_query_env_end(mpg_query_env *scan);

/*
** Registers everything on a connection; mpg.c. *out, which may be NULL, borrows the connection's
** state. On failure *error may hold a text to pass to sqlite3_free().
*/
int mpg_register_all(sqlite3 *db, bool no_files, mpg_conn **out, char **error);

/* One a file; each registers its family. Those of the formats are declared by
** ext/formats/list.h. */
int mpg_register_scalars(mpg_conn *conn, char **error);    /* functions/scalars.c */
int mpg_register_relations(mpg_conn *conn, char **error);  /* sqlite_relations.c */
int mpg_register_classes(mpg_conn *conn, char **error);    /* functions/classes.c */
int mpg_register_charts(mpg_conn *conn, char **error);     /* functions/chart_functions.c */
int mpg_register_time(mpg_conn *conn, char **error);       /* functions/time_function.c */
int mpg_register_goodput(mpg_conn *conn, char **error);    /* functions/goodput_functions.c */
int mpg_register_roofline(mpg_conn *conn, char **error);   /* functions/roofline_functions.c */
int mpg_register_catalogue(mpg_conn *conn, char **error);  /* catalogue_tables.c */
int mpg_register_intervals(mpg_conn *conn, char **error);  /* functions/interval_functions.c */
int mpg_register_median(mpg_conn *conn, char **error);     /* functions/median_function.c */
int mpg_register_json_first(mpg_conn *conn, char **error); /* functions/json_first.c */
int mpg_register_interval_buckets(mpg_conn *conn, char **error); /* functions/interval_buckets.c */
int mpg_register_ledger(mpg_conn *conn, char **error);           /* ledger/ledger_table.c */
int mpg_register_records(mpg_conn *conn, char **error);          /* ledger/records_table.c */
int mpg_register_runs(mpg_conn *conn, char **error);             /* ledger/runs_table.c */
int mpg_register_keep(mpg_conn *conn, char **error);             /* cache/cache.c */
int mpg_register_limits(mpg_conn *conn, char **error);           /* functions/limit_functions.c */
int mpg_register_progress(mpg_conn *conn, char **error);         /* functions/progress_function.c */
int mpg_register_op_cost(mpg_conn *conn, char **error);          /* functions/op_functions.c */
int mpg_register_files(mpg_conn *conn, char **error);            /* functions/files_table.c */
int mpg_register_build(mpg_conn *conn, char **error);            /* build/build_functions.c */
int mpg_register_sources(mpg_conn *conn, char **error);          /* ledger/sources_table.c */
int mpg_register_scripts(mpg_conn *conn, char **error);          /* scripts/script_tables.c */
int mpg_register_help(mpg_conn *conn, char **error);             /* scripts/help_table.c */
int mpg_register_transformer(mpg_conn *conn, char **error); /* functions/transformer_functions.c */

#endif
