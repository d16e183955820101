/*
** paths.h - the files that a path stands for.
*/
#ifndef MPG_PATHS_H
#define MPG_PATHS_H

#include "../../base/intern.h"
#include "../../base/issues.h"

/* What the system says of a file; it changes if the file does, or if another takes its name. */
typedef struct mpg_file_state {
  int64_t device, inode, size;
  int64_t data_ns, status_ns; /* Unix nanoseconds of the last change of data, and of status */
} mpg_file_state;

typedef struct mpg_file {
  char *path;
  mpg_file_state state; /* when it was listed */
  bool regular;
  const char *same; /* a path before it of the same file; NULL: none */
} mpg_file;

/* What lies below a folder, or fits a glob, and is not read. */
typedef struct mpg_passed {
  char *path;
  const char *why; /* "a link that leads nowhere" */
  bool closed;     /* a folder, or what is in it, that the system does not let us see */
} mpg_passed;

/* The files of a path, sorted by name in byte order. */
typedef struct mpg_paths {
  const mpg_env *env;
  mpg_file *file;
  size_t n, cap;
  bool from_folder;   /* the path was a folder: all below it, and .submitit of hidden names */
  mpg_passed *passed; /* in no order */
  size_t n_passed, passed_cap;
} mpg_paths;

/*
** `path` is a JSON array of paths, or one path: a file; a folder (symbolic links to folders below
** it are not followed; deeper than 16 levels is MPG_LIMIT); or, if nothing of that name exists, a
** glob of *, ? and [...] in any component, which matches regular files. MPG_IO: there is no file,
** with the path in the text ("no such file", "no file matches", "folder ... holds no file"); a
** folder cannot be read; or it is a device, FIFO or socket, which is not opened. An embedded NUL or
** a path over 4095 bytes is MPG_MISUSE.
*/
mpg_rc mpg_paths_expand(mpg_paths *paths, const mpg_env *env, mpg_str path, mpg_err *err);
/* The same, but a folder without permission is passed over, unless no file is left then. */
mpg_rc mpg_paths_expand_readable(mpg_paths *paths, const mpg_env *env, mpg_str path, mpg_err *err);
/* As mpg_paths_expand, but no file is no error (n = 0), and whatever is no regular file is listed
** too. */
mpg_rc mpg_paths_find(mpg_paths *paths, const mpg_env *env, mpg_str path, mpg_err *err);
void mpg_paths_free(mpg_paths *paths);
/* All of them are to be read from here on, by scans of `env`. */
void mpg_paths_expect(const mpg_paths *paths, const mpg_env *env);
/* Whether a file of that name, were it there, would be one of the path: it is below the folder, or
** fits the glob. */
bool mpg_path_covers(mpg_str path, const char *file);
/* Forgets the issues of files that are gone, and of closed folders, which an earlier reading of the
** path found. */
void mpg_paths_forget_gone(mpg_str path, mpg_issues *issues);
/* The state of a file now, at the end of links; false: it cannot be had. */
bool mpg_file_stat(const char *path, mpg_file_state *out);

/*
** The paths that were looked up, each with what was there: whoever finds the same again would read
** the same. Every mpg_paths_find with an env whose `looked` it is adds to it; no other thread may.
*/
typedef struct mpg_looked {
  mpg_intern path;  /* those that were looked up */
  mpg_paths *found; /* [id - 1] */
  size_t n, cap;
  int64_t since_ns; /* when looking began, Unix nanoseconds */
  bool incomplete;  /* one could not be looked up, or added */
} mpg_looked;

void mpg_looked_init(mpg_looked *looked, const mpg_env *env);
void mpg_looked_free(mpg_looked *looked); /* zero-initialised is fine */
/* What another one has found, of paths that were not looked up here. */
void mpg_looked_add(mpg_looked *to, const mpg_looked *from);
/* Whether looking again finds the same. */
bool mpg_looked_same(const mpg_looked *looked, const mpg_env *env);
/* Whether the files are as they were found, and a later change of them would be noticed. */
bool mpg_looked_lasts(const mpg_looked *looked, const mpg_env *env);
/* Whether a file of that name was found, or would have been, were it there. */
bool mpg_looked_has(const mpg_looked *looked, const char *file);
/* The memory it takes. */
size_t mpg_looked_bytes(const mpg_looked *looked);

/* Whether a file that is empty is one among others: listed, and no error. */
static inline bool mpg_paths_are_several(const mpg_paths *paths) {
  return paths->from_folder || paths->n > 1;
}

#endif
