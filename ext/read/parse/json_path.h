/*
** json_path.h - where in a record of JSON a column comes from: "$.attempts[0].detail".
**
** A path is "$" and then steps: ".name", '."any name"' (with \" and \\ in it), "[N]" counted from
** 0, "[#-N]" counted from the end, as SQLite's json_extract() has them. It names at most one value.
*/
#ifndef MPG_JSON_PATH_H
#define MPG_JSON_PATH_H

#include "json_records.h"

#define MPG_JSON_STEPS 32

typedef struct mpg_json_path mpg_json_path;

/* MPG_MISUSE: not a path; the text says where it stops being one. */
mpg_rc mpg_json_path_compile(mpg_json_path **out, const mpg_env *env, mpg_str text, mpg_err *err);
/* The path of the member `name` of the record itself. */
mpg_rc mpg_json_path_of_member(mpg_json_path **out, const mpg_env *env, mpg_str name, mpg_err *err);
void mpg_json_path_free(mpg_json_path *path, const mpg_env *env); /* NULL is fine */

/* What paths take nested values apart with, kept from record to record. All zero: empty. */
typedef struct mpg_json_docs {
  mpg_json_doc *doc[MPG_JSON_STEPS];
} mpg_json_docs;
void mpg_json_docs_free(mpg_json_docs *docs);

/*
** The value at `path` in the record with `members`, or NULL if there is none. Borrowed until the
** next look-up with the same docs. *hint (0 at first, one a path) is where the first step found its
** member last: records mostly have their members in one order.
*/
mpg_rc mpg_json_path_find(const mpg_json_path *path, mpg_json_docs *docs, const mpg_env *env,
                          const mpg_json_member *members, size_t n, size_t *hint,
                          const mpg_json_member **out, mpg_err *err);

#endif
