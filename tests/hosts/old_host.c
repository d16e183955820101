/*
** old_host.c - loads mpg.so as SQLite of another version would: a loadable extension for tests.
**
** OLD_HOST_MPG is the path of mpg.so, OLD_HOST_VERSION the number of the version that the host says
** it is. The table of routines ends where 3.34's did: what comes later in it is NULL, and so is
** what better-sqlite3 leaves out. A statement with AS MATERIALIZED, which is of 3.35, is an error.
*/
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT1

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef int entry(sqlite3 *db, char **error, const sqlite3_api_routines *api);

static sqlite3_api_routines routines; /* mpg.so keeps a pointer to it */

static int version(void) {
  const char *text = getenv("OLD_HOST_VERSION");
  return text == NULL ? 0 : (int)strtol(text, NULL, 10);
}

static const char *version_text(void) {
  return "of a test";
}

static int prepare_v2(sqlite3 *db, const char *sql, int n, sqlite3_stmt **out, const char **tail) {
  const char *end, *hint = strstr(sql, "AS MATERIALIZED (");
  int rc = sqlite3_prepare_v2(db, sql, n, out, &end);
  if (rc == SQLITE_OK && hint != NULL && hint < end) {
    (void)sqlite3_finalize(*out);
    *out = NULL;
    return SQLITE_ERROR;
  }
  if (tail != NULL)
    *tail = end;
  return rc;
}

__attribute__((visibility("default"))) int sqlite3_oldhost_init(sqlite3 *db, char **error,
                                                                const sqlite3_api_routines *api);

int sqlite3_oldhost_init(sqlite3 *db, char **error, const sqlite3_api_routines *api) {
  const char *path = getenv("OLD_HOST_MPG");
  void *library = path == NULL ? NULL : dlopen(path, RTLD_NOW);
  entry *init = NULL;
  SQLITE_EXTENSION_INIT2(api);
  if (library != NULL)
    *(void **)&init = dlsym(library, "sqlite3_mpg_init");
  if (init == NULL) {
    *error = sqlite3_mprintf("old_host: %s", dlerror());
    return SQLITE_ERROR;
  }
  memset(&routines, 0, sizeof routines);
  memcpy(&routines, api, offsetof(sqlite3_api_routines, changes64));
  routines.progress_handler = NULL; /* as with SQLITE_OMIT_PROGRESS_CALLBACK */
  routines.libversion_number = version;
  routines.prepare_v2 = prepare_v2;
  routines.libversion = version_text;
  return init(db, error, &routines) == SQLITE_OK ? SQLITE_OK_LOAD_PERMANENTLY : SQLITE_ERROR;
}
