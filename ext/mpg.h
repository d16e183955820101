/*
** mpg.h - for applications that link libmpg.a and SQLite instead of loading mpg.so.
**
** Compile with -DSQLITE_CORE and register once for each connection,
**     sqlite3_mpg_init(db, &error, NULL);
** or for all that are opened later,
**     sqlite3_auto_extension((void (*)(void))sqlite3_mpg_init);
** sqlite3_mpg_nofs_init is the same without any table that opens a file (docs/security.md).
** Returns an SQLite result code; on failure *error may hold a text to pass to sqlite3_free().
*/
#ifndef MPG_H
#define MPG_H

#include <sqlite3.h>

#if defined(_WIN32)
#define MPG_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define MPG_EXPORT __attribute__((visibility("default")))
#else
#define MPG_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct sqlite3_api_routines;
MPG_EXPORT int sqlite3_mpg_init(sqlite3 *db, char **error, const struct sqlite3_api_routines *api);
MPG_EXPORT int sqlite3_mpg_nofs_init(sqlite3 *db, char **error,
                                     const struct sqlite3_api_routines *api);

#ifdef __cplusplus
}
#endif
#endif
