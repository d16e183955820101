/*
** sources.h - a fleet from whatever lies at a path: trace files of any format, recognised, mapped
** by the compiled-in scripts and joined (docs/sources.md).
**
**   mpg_sources_open   finds the files and says of what format each is; reads nothing else
**   mpg_sources_run    maps them: the private connection's schema temp then has the relations
**   mpg_sources_fleet  all of it into a fleet; the native trace alone takes the native road
*/
#ifndef MPG_SOURCES_H
#define MPG_SOURCES_H

#include "../../goodput/trace/fleet.h"
#include "../../read/input/paths.h"
#include "../recognise/fleet_file.h"
#include "../cache/row_store.h"
#include "private_db.h"
#include "../recognise/recognise.h"
#include "table_shape.h"

/* What becomes of a file that cannot be read, or a record of it. */
typedef enum mpg_on_error {
  MPG_ON_ERROR_DEFAULT, /* of a path that is one file an error; among others it is left out, and
                        ** listed as unreadable_file */
  MPG_ON_ERROR_STOP,
  MPG_ON_ERROR_NEVER, /* a file that cannot be read is left out, though it is the only one */
  MPG_ON_ERROR_SKIP   /* records that are malformed are left out, and listed */
} mpg_on_error;

/* The word of the argument on_error; `otherwise` if it is NULL in SQL. MPG_MISUSE: another word. */
mpg_rc mpg_on_error_of(const mpg_value *word, mpg_on_error otherwise, mpg_on_error *out,
                       mpg_err *err);
/* The same of SQLite's value, NULL if it is not given. */
mpg_rc mpg_on_error_read(sqlite3_value *value, mpg_on_error otherwise, mpg_on_error *out,
                         mpg_err *err);

/* What trace_sources says of files. Zero-initialised: nothing yet. */
typedef struct mpg_sources_told {
  mpg_row_store rows; /* of sql/sources/report.sql; no columns: nothing is told */
  mpg_issues issues;  /* what mapping listed, without what records that break a rule add */
} mpg_sources_told;

/* Which files are to be read, and how. */
typedef struct mpg_sources_query {
  mpg_str path;
  const mpg_paths *listed; /* the files of the path, borrowed; NULL: not listed yet */
  mpg_on_error on_error;
  int threads;
  bool every_end;       /* `observed` has the end of each source, even if all have one */
  mpg_intern *reported; /* is told each name under which issues may be listed; NULL: nobody asks */
  bool *mapped;         /* is told whether scripts mapped the files; NULL: nobody asks */
  bool only_mapped;     /* a native trace alone is not read */
  mpg_sources_told
      *told; /* zero-initialised: is told of files that scripts map; NULL: nobody asks */
} mpg_sources_query;

typedef struct mpg_sources {
  mpg_private_db db;
  mpg_conn *host;
  mpg_issues *issues; /* where mpg_sources_list_issues lists: the host's */
  const mpg_env *env;
  mpg_recogniser *recogniser; /* the host's */
  mpg_entries entries;
  const mpg_paths *listed; /* the files of the only entry; NULL: not listed yet */
  char *path;              /* as it was given, terminated */
  mpg_on_error on_error;
  bool every_end;
  mpg_intern *reported;         /* borrowed: see the query; NULL: nobody asks */
  sqlite3_stmt *option, *files; /* of the script that runs: its parameters */
  struct mpg_source_value
      *values;    /* those that were asked for since it began: source_parameters.c */
  int64_t source; /* its number */
  bool counts;    /* its option `chips` is a word: mpg_script_counts */
  /* A table function's that is not the relations: table_run.h. NULL: the relations. */
  const mpg_table_shape *table;
  sqlite3_value *const *arguments; /* of the table's; one that is not given is NULL */
} mpg_sources;

/* Errors: see mpg_entries_read. `env` must outlive it. On failure nothing is left open. */
mpg_rc mpg_sources_open(mpg_sources *s, mpg_conn *host, const mpg_env *env, mpg_str path,
                        mpg_on_error on_error, mpg_err *err);
mpg_rc mpg_sources_run(mpg_sources *s, mpg_err *err);
/* Runs a script of sql/sources, whose parameter :path is the path. */
mpg_rc mpg_sources_own(mpg_sources *s, const char *name, mpg_err *err);
/* Maps those whose formats have a rank of this span: after mpg_source_prepare. */
mpg_rc mpg_sources_run_ranks(mpg_sources *s, int from, int to, mpg_err *err);
/* The rows, after a run. Whatever comes of it, mpg_sources_told_free. */
mpg_rc mpg_sources_tell(mpg_sources *s, mpg_sources_told *told, mpg_err *err);
void mpg_sources_told_free(mpg_sources_told *told);
/* Lists in s->issues what reading found, and forgets what an earlier read of these files listed. */
mpg_rc mpg_sources_list_issues(mpg_sources *s, mpg_err *err);
/* Forgets what is listed under a name, under which issues are now to be listed. */
mpg_rc mpg_sources_forget(mpg_sources *s, const char *name, mpg_err *err);
void mpg_sources_close(mpg_sources *s); /* zero-initialised is fine */

/* Adds the records of everything at the path to a fleet, which is then to be sealed. */
mpg_rc mpg_sources_fleet(mpg_fleet *fleet, mpg_conn *host, const mpg_env *env,
                         const mpg_sources_query *query, mpg_err *err);

#endif
