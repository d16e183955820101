/*
** json_path.h - the place of a column in a record of JSON: "$.attempts[0].detail".
**
** A path is "$" and then steps: ".name", '."any name"' (with \" and \\ in it), "[N]" counted from
** 0, "[#-N]" counted from the end, as in SQLite's json_extract(). It names at most one value.
*/
#ifndef MPG_JSON_PATH_H
#define MPG_JSON_PATH_H

#include "json_records.h"

#define MPG_JSON_STEPS 32

typedef struct mpg_json_path mpg_json_path;

/* MPG_MISUSE: no path; the text has the position of the fault. */
mpg_rc mpg_json_path_compile(mpg_json_path **out, const mpg_env *env, mpg_str text, mpg_err *err);
/* The path of the member `name` of the record itself. */
mpg_rc mpg_json_path_of_member(mpg_json_path **out, const mpg_env *env, mpg_str name, mpg_err *err);
void mpg_json_path_free(mpg_json_path *path, const mpg_env *env); /* NULL is fine */

/* Parsers for the nested values of paths, used for one record after the other. All zero: empty. */
typedef struct mpg_json_docs {
  mpg_json_doc *doc[MPG_JSON_STEPS];
} mpg_json_docs;
void mpg_json_docs_free(mpg_json_docs *docs);

/*
** The value at `path` in the record with `members`, or NULL if there is none. Borrowed until the
** next look-up with the same docs. *hint (0 at first, one for each path) is the latest index of the
** first step's member: records mostly have their members in one order.
*/
mpg_rc mpg_json_path_find(const mpg_json_path *path, mpg_json_docs *docs, const mpg_env *env,
                          const mpg_json_member *members, size_t n, size_t *hint,
                          const mpg_json_member **out, mpg_err *err);

#endif
