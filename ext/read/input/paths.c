/* paths.c - the files of a path, which is a file, a folder or a glob. See paths.h and glob.h. */
#include "paths.h"
#include "../glob/glob.h"
#include "../glob/path_hint.h"
#include "../glob/path_list.h"
#include "../../base/limits.h"
#include "../../base/sort.h"

#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#define LEVELS 16 /* of folders below a folder; of wildcard components in a glob */

/* A growing list of owned paths. Of a folder, or a part of a path, the state is not set. */
typedef struct names {
  mpg_file *p;
  size_t n, cap;
  mpg_passed *passed;
  size_t n_passed, passed_cap;
} names;

static void names_free(const mpg_env *env, names *l) {
  for (size_t i = 0; i < l->n; i++)
    mpg_free(env, l->p[i].path);
  mpg_free(env, l->p);
  for (size_t i = 0; i < l->n_passed; i++)
    mpg_free(env, l->passed[i].path);
  mpg_free(env, l->passed);
  *l = (names){.p = NULL};
}

/* A text of its own: `a` and `b` in a row. */
static char *join_text(const mpg_env *env, mpg_str a, mpg_str b) {
  char *z = mpg_malloc(env, a.n + b.n + 1);
  if (z == NULL)
    return NULL;
  if (a.n > 0)
    memcpy(z, a.p, a.n);
  if (b.n > 0)
    memcpy(z + a.n, b.p, b.n);
  z[a.n + b.n] = '\0';
  return z;
}

static mpg_rc names_add(const mpg_env *env, names *l, mpg_str a, mpg_str b, mpg_err *err) {
  const int64_t limit = mpg_limit_in(env, MPG_LIMIT_FILES);
  char *z;
  if ((int64_t)l->n >= limit)
    return mpg_fail(err, MPG_LIMIT, "%.*s%.*s: more than %lld files or folders", (int)a.n, a.p,
                    (int)b.n, b.p, (long long)limit);
  if (mpg_grow(env, &l->p, &l->cap, l->n + 1, sizeof *l->p) != MPG_OK)
    return mpg_fail_nomem(err);
  z = join_text(env, a, b);
  if (z == NULL)
    return mpg_fail_nomem(err);
  l->p[l->n++] = (mpg_file){.path = z};
  return MPG_OK;
}

/* `why` is static. */
static mpg_rc pass_over(const mpg_env *env, names *l, const char *path, const char *why,
                        mpg_err *err) {
  char *z = NULL;
  if (mpg_grow(env, &l->passed, &l->passed_cap, l->n_passed + 1, sizeof *l->passed) != MPG_OK ||
      (z = join_text(env, mpg_str_of(path), MPG_STR(""))) == NULL)
    return mpg_fail_nomem(err);
  l->passed[l->n_passed++] = (mpg_passed){z, why, false};
  return MPG_OK;
}

static mpg_rc pass_closed(const mpg_env *env, names *l, const char *path, const char *why,
                          mpg_err *err) {
  const mpg_rc rc = pass_over(env, l, path, why, err);
  if (rc == MPG_OK)
    l->passed[l->n_passed - 1].closed = true;
  return rc;
}

static int64_t ns_of(struct timespec t) {
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static mpg_file_state state_of(const struct stat *st) {
  return (mpg_file_state){(int64_t)st->st_dev, (int64_t)st->st_ino, (int64_t)st->st_size,
                          ns_of(st->st_mtim), ns_of(st->st_ctim)};
}

bool mpg_file_stat(const char *path, mpg_file_state *out) {
  struct stat st;
  if (stat(path, &st) != 0)
    return false;
  *out = state_of(&st);
  return true;
}

/* Adds a path that is no folder. */
static mpg_rc file_add(const mpg_env *env, names *l, mpg_str path, const struct stat *st,
                       mpg_err *err) {
  mpg_rc rc = names_add(env, l, path, MPG_STR(""), err);
  if (rc == MPG_OK) {
    l->p[l->n - 1].state = state_of(st);
    l->p[l->n - 1].regular = S_ISREG(st->st_mode);
  }
  return rc;
}

static mpg_rc os_fail(const char *path, const char *what, int code, mpg_err *err) {
  char text[256];
  if (code == ENOMEM)
    return mpg_fail_nomem(err);
  if (strerror_r(code, text, sizeof text) != 0)
    (void)strncpy(text, "unknown error", sizeof text);
  return mpg_fail(err, MPG_IO, "%s: cannot %s: %s", path, what, text);
}

/* Nothing is there: below a folder or among the matches of a glob that is no error. */
static bool is_nowhere(int code) {
  return code == ENOENT || code == ENOTDIR || code == ELOOP;
}

/* Of what lies below a folder: names that are not hidden, and .submitit, in which hydra's launcher
** keeps what jobs print. */
static const char any_below[] = "*";

/*
** Adds PREFIX NAME to `out` for every name in the folder PREFIX (the current one if that is empty)
** that matches the pattern. A prefix that is no folder has no names; a closed one is passed over,
** in `files`.
*/
static mpg_rc folder_match(const mpg_env *env, names *files, names *out, const char *prefix,
                           mpg_str pattern, mpg_err *err) {
  DIR *dir = opendir(*prefix != '\0' ? prefix : ".");
  mpg_rc rc = MPG_OK;
  if (dir == NULL && errno == EACCES)
    return pass_closed(env, files, *prefix != '\0' ? prefix : ".",
                       "cannot open the folder: Permission denied", err);
  if (dir == NULL)
    return is_nowhere(errno) ? MPG_OK : os_fail(prefix, "open the folder", errno, err);
  while (rc == MPG_OK) {
    struct dirent *entry;
    mpg_str name;
    errno = 0;
    entry = readdir(dir);
    if (entry == NULL) {
      if (errno != 0)
        rc = os_fail(prefix, "read the folder", errno, err);
      break;
    }
    name = mpg_str_of(entry->d_name);
    if (mpg_interrupted(env))
      rc = mpg_fail(err, MPG_INTERRUPTED, "%s: interrupted", prefix);
    else if (!mpg_str_eq(name, MPG_STR(".")) && !mpg_str_eq(name, MPG_STR("..")) &&
             (mpg_glob_matches(pattern, name) ||
              (pattern.p == any_below && mpg_str_eq(name, MPG_STR(".submitit")))))
      rc = names_add(env, out, mpg_str_of(prefix), name, err);
  }
  (void)closedir(dir);
  return rc;
}

/*
** Adds the regular files of `found` to `files` and, if `folders` is not NULL, the folders there,
** with a '/' at the end. A link to a file counts as a file. What is neither is passed over, as is
** a link to a folder.
*/
static mpg_rc sort_out(const mpg_env *env, const names *found, names *files, names *folders,
                       mpg_err *err) {
  for (size_t i = 0; i < found->n; i++) {
    struct stat st;
    mpg_str path = mpg_str_of(found->p[i].path);
    mpg_rc rc = MPG_OK;
    bool link;
    if (mpg_interrupted(env))
      return mpg_fail(err, MPG_INTERRUPTED, "%s: interrupted", found->p[i].path);
    if (lstat(found->p[i].path, &st) != 0) {
      if (is_nowhere(errno))
        continue; /* gone since its folder was read */
      if (errno == EACCES) {
        rc = pass_closed(env, files, path.p, "cannot stat: Permission denied", err);
        if (rc != MPG_OK)
          return rc;
        continue;
      }
      return os_fail(found->p[i].path, "stat", errno, err);
    }
    link = S_ISLNK(st.st_mode);
    if (link && stat(found->p[i].path, &st) != 0) {
      if (!is_nowhere(errno))
        return os_fail(found->p[i].path, "stat", errno, err);
      rc = pass_over(env, files, path.p, "a link that leads nowhere", err);
    } else if (S_ISREG(st.st_mode)) {
      rc = file_add(env, files, path, &st, err);
    } else if (!S_ISDIR(st.st_mode)) {
      rc = pass_over(env, files, path.p, "a pipe, socket or device: not opened", err);
    } else if (folders == NULL) {
      rc = pass_over(env, files, path.p, "a folder: end the glob with /** for what is below", err);
    } else if (!link) {
      rc = names_add(env, folders, path, MPG_STR("/"), err);
    } else {
      rc = pass_over(env, files, path.p, "a link to a folder, not followed: name it itself", err);
    }
    if (rc != MPG_OK)
      return rc;
  }
  return MPG_OK;
}

/* Every regular file below `path`, level by level. */
static mpg_rc list_below(const mpg_env *env, names *files, mpg_str path, mpg_err *err) {
  names level = {.p = NULL};
  bool slash = path.n > 0 && path.p[path.n - 1] == '/';
  mpg_rc rc = names_add(env, &level, path, slash ? MPG_STR("") : MPG_STR("/"), err);
  for (int depth = 0; rc == MPG_OK && level.n > 0; depth++) {
    names found = {.p = NULL}, next = {.p = NULL};
    if (depth > LEVELS)
      rc = mpg_fail(err, MPG_LIMIT, "%s: folders nest deeper than %d levels", level.p[0].path,
                    LEVELS);
    for (size_t i = 0; rc == MPG_OK && i < level.n; i++)
      rc = folder_match(env, files, &found, level.p[i].path, mpg_str_of(any_below), err);
    if (rc == MPG_OK)
      rc = sort_out(env, &found, files, &next, err);
    names_free(env, &found);
    names_free(env, &level);
    level = next;
  }
  names_free(env, &level);
  return rc;
}

/* Adds the folders below those of `paths`, which end in '/' or are the current one. */
static mpg_rc add_below(const mpg_env *env, names *files, names *paths, mpg_err *err) {
  mpg_rc rc = MPG_OK;
  for (size_t i = 0; rc == MPG_OK && i < paths->n; i++) {
    names found = {.p = NULL};
    struct stat st;
    rc = folder_match(env, files, &found, paths->p[i].path, mpg_str_of(any_below), err);
    for (size_t k = 0; rc == MPG_OK && k < found.n; k++)
      if (lstat(found.p[k].path, &st) == 0 && S_ISDIR(st.st_mode))
        rc = names_add(env, paths, mpg_str_of(found.p[k].path), MPG_STR("/"), err);
    names_free(env, &found);
  }
  return rc;
}

/* Extends every path of `paths` by the component `part`, and the slashes after it. */
static mpg_rc extend_paths(const mpg_env *env, names *files, names *paths, mpg_str part,
                           mpg_str slashes, mpg_err *err) {
  names extended = {.p = NULL};
  mpg_rc rc = MPG_OK;
  if (mpg_str_eq(part, MPG_STR("**"))) {
    rc = add_below(env, files, paths, err);
    if (rc != MPG_OK || slashes.n > 0)
      return rc;
  }
  for (size_t i = 0; rc == MPG_OK && i < paths->n; i++) {
    if (mpg_glob_is(part))
      rc = folder_match(env, files, &extended, paths->p[i].path, part, err);
    else
      rc = names_add(env, &extended, mpg_str_of(paths->p[i].path), part, err);
  }
  names_free(env, paths);
  for (size_t i = 0; rc == MPG_OK && slashes.n > 0 && i < extended.n; i++) {
    rc = names_add(env, paths, mpg_str_of(extended.p[i].path), slashes, err);
  }
  if (slashes.n > 0)
    names_free(env, &extended);
  else
    *paths = extended;
  return rc;
}

static int by_bytes(const void *a, const void *b, void *ctx) {
  (void)ctx;
  return strcmp(((const mpg_file *)a)->path, ((const mpg_file *)b)->path);
}

/* In order, each once: several "**", and several paths of a list, find a path several times. */
static mpg_rc drop_repeated(const mpg_env *env, names *paths, mpg_err *err) {
  size_t n = 0;
  const mpg_rc rc = mpg_sort(env, paths->p, paths->n, sizeof *paths->p, by_bytes, NULL);
  if (rc != MPG_OK)
    return mpg_fail_plain(err, rc);
  for (size_t i = 0; i < paths->n; i++)
    if (n > 0 && strcmp(paths->p[n - 1].path, paths->p[i].path) == 0)
      mpg_free(env, paths->p[i].path);
    else
      paths->p[n++] = paths->p[i];
  paths->n = n;
  return MPG_OK;
}

static mpg_rc expand_pattern(const mpg_env *env, names *files, mpg_str pattern, mpg_err *err) {
  names paths = {.p = NULL}, below = {.p = NULL};
  mpg_str part = MPG_STR(""), slashes;
  int wildcards = 0;
  mpg_rc rc;
  for (size_t at = 0; at < pattern.n; wildcards += mpg_glob_is(part))
    mpg_glob_component(pattern, &at, &part, &slashes);
  if (wildcards > LEVELS)
    return mpg_fail(err, MPG_LIMIT, "%.*s: more than %d folders with wildcards", (int)pattern.n,
                    pattern.p, LEVELS);
  rc = names_add(env, &paths, MPG_STR(""), MPG_STR(""), err);
  for (size_t at = 0; rc == MPG_OK && at < pattern.n;) {
    mpg_glob_component(pattern, &at, &part, &slashes);
    rc = extend_paths(env, files, &paths, part, slashes, err);
  }
  if (rc == MPG_OK)
    rc = drop_repeated(env, &paths, err);
  if (rc == MPG_OK)
    rc = sort_out(env, &paths, files, mpg_str_eq(part, MPG_STR("**")) ? &below : NULL, err);
  names_free(env, &paths);
  names_free(env, &below);
  return rc;
}

static mpg_rc expand_path(const mpg_env *env, names *files, bool *from_folder, mpg_str path,
                          mpg_err *err) {
  char z[MPG_PATH_BYTES + 1];
  struct stat st;
  if (path.n > MPG_PATH_BYTES)
    return mpg_fail(err, MPG_MISUSE, "path: expected at most %d bytes, found %zu", MPG_PATH_BYTES,
                    path.n);
  if (path.n == 0)
    return mpg_fail(err, MPG_MISUSE, "path: expected a file, folder or glob, found ''");
  if (memchr(path.p, '\0', path.n) != NULL)
    return mpg_fail(err, MPG_MISUSE, "path: expected text, found a NUL byte");
  memcpy(z, path.p, path.n);
  z[path.n] = '\0';
  if (stat(z, &st) == 0) {
    if (!S_ISDIR(st.st_mode))
      return file_add(env, files, path, &st, err);
    *from_folder = true;
    return list_below(env, files, path, err);
  }
  if (errno != ENOENT && errno != ENOTDIR)
    return os_fail(z, "stat", errno, err);
  return mpg_glob_is(path) ? expand_pattern(env, files, path, err) : MPG_OK;
}

/* ---- names of files that may be gone ---- */

bool mpg_path_covers(mpg_str path, const char *file) {
  const mpg_str name = mpg_str_of(file);
  mpg_str folder = path;
  while (folder.n > 0 && folder.p[folder.n - 1] == '/')
    folder.n--;
  if (path.n > 0 && name.n > folder.n && name.p[folder.n] == '/' &&
      memcmp(name.p, folder.p, folder.n) == 0)
    return true;
  return mpg_glob_is(path) && mpg_glob_fits(path, name);
}

/* Issues of the whole path are no issues of a folder, though it may end with a slash. */
static bool is_gone(const void *path, const char *source) {
  const mpg_str whole = *(const mpg_str *)path, name = mpg_str_of(source);
  struct stat st;
  return mpg_path_covers(whole, source) &&
         (stat(source, &st) != 0 ? is_nowhere(errno)
                                 : name.p[name.n - 1] == '/' && !mpg_str_eq(whole, name));
}

void mpg_paths_forget_gone(mpg_str path, mpg_issues *issues) {
  mpg_issues_drop_those(issues, is_gone, &path);
}

static mpg_rc no_file(const char *what, mpg_str path, mpg_err *err) {
  char hint[MPG_PATH_HINT];
  mpg_path_hint(path, hint);
  return mpg_fail(err, MPG_IO, "%s%.*s%s", what, (int)path.n, path.p, hint);
}

/* The files of each path of a JSON array. A path without a file is an error. */
static mpg_rc expand_list(const mpg_env *env, names *files, mpg_str list, mpg_err *err) {
  char text[MPG_PATH_BYTES + 1];
  mpg_str one = {text, 0};
  size_t at = 0;
  mpg_rc rc;
  do {
    bool from_folder = false;
    const size_t before = files->n;
    rc = mpg_path_list_next(list, &at, text, &one.n, err);
    if (rc == MPG_OK)
      rc = expand_path(env, files, &from_folder, one, err);
    if (rc == MPG_OK && files->n == before)
      rc = no_file("no such file: ", one, err);
  } while (rc == MPG_OK && at < list.n);
  return rc;
}

static int by_file(const void *a, const void *b, void *ctx) {
  const mpg_file *x = *(mpg_file *const *)a, *y = *(mpg_file *const *)b;
  int order = memcmp(&x->state, &y->state, offsetof(mpg_file_state, size));
  return order != 0 ? order : by_bytes(x, y, ctx);
}

/* Finds the paths that lead, by a link or another spelling, to the file of a path before them. */
static mpg_rc find_same(const mpg_env *env, names *files) {
  mpg_file **f = mpg_malloc(env, (files->n + 1) * sizeof *f);
  mpg_rc rc = f == NULL ? MPG_NOMEM : MPG_OK;
  for (size_t i = 0; rc == MPG_OK && i < files->n; i++)
    f[i] = &files->p[i];
  if (rc == MPG_OK)
    rc = mpg_sort(env, f, files->n, sizeof *f, by_file, NULL);
  for (size_t i = 1; rc == MPG_OK && i < files->n; i++)
    if (memcmp(&f[i]->state, &f[i - 1]->state, offsetof(mpg_file_state, size)) == 0)
      f[i]->same = f[i - 1]->same != NULL ? f[i - 1]->same : f[i - 1]->path;
  mpg_free(env, f);
  return rc;
}

static mpg_rc find_paths(mpg_paths *paths, const mpg_env *env, mpg_str path, mpg_err *err) {
  names files = {.p = NULL};
  bool from_folder = false;
  mpg_rc rc = mpg_path_is_list(path) ? expand_list(env, &files, path, err)
                                     : expand_path(env, &files, &from_folder, path, err);
  *paths = (mpg_paths){.env = env};
  if (rc == MPG_OK) {
    rc = drop_repeated(env, &files, err);
    if (rc == MPG_OK && files.n > 1 && (rc = find_same(env, &files)) != MPG_OK)
      (void)mpg_fail_plain(err, rc);
  }
  if (rc != MPG_OK) {
    names_free(env, &files);
    return rc;
  }
  *paths = (mpg_paths){env,         files.p,      files.n,        files.cap,
                       from_folder, files.passed, files.n_passed, files.passed_cap};
  return MPG_OK;
}

/* ---- what was looked up ---- */

#define SECOND_NS INT64_C(1000000000)
#define TRUSTED_AGE (2 * SECOND_NS) /* the coarsest clock of file systems in use, FAT's */

void mpg_looked_init(mpg_looked *looked, const mpg_env *env) {
  struct timespec now;
  (void)clock_gettime(CLOCK_REALTIME, &now);
  *looked = (mpg_looked){.since_ns = ns_of(now)};
  mpg_intern_init(&looked->path, env);
}

void mpg_looked_free(mpg_looked *looked) {
  if (looked->path.env == NULL)
    return;
  for (size_t i = 0; i < looked->n; i++)
    mpg_paths_free(&looked->found[i]);
  mpg_free(looked->path.env, looked->found);
  mpg_intern_free(&looked->path);
  memset(looked, 0, sizeof *looked);
}

static mpg_rc copy_paths(mpg_paths *to, const mpg_env *env, const mpg_paths *from) {
  names files = {.p = NULL};
  mpg_err err;
  for (size_t i = 0; i < from->n; i++) {
    const mpg_rc rc = names_add(env, &files, mpg_str_of(from->file[i].path), MPG_STR(""), &err);
    if (rc != MPG_OK) {
      names_free(env, &files);
      return rc;
    }
    files.p[i].state = from->file[i].state;
    files.p[i].regular = from->file[i].regular;
  }
  *to = (mpg_paths){env, files.p, files.n, files.cap, from->from_folder, NULL, 0, 0};
  return MPG_OK;
}

static void add_looked(mpg_looked *looked, mpg_str path, const mpg_paths *found) {
  const mpg_env *env = looked->path.env;
  uint32_t id;
  mpg_rc rc = mpg_grow(env, &looked->found, &looked->cap, looked->n + 1, sizeof *looked->found);
  if (rc == MPG_OK)
    rc = mpg_intern_id(&looked->path, path, &id);
  if (rc == MPG_OK && id > looked->n) { /* not looked up before */
    rc = copy_paths(&looked->found[looked->n], env, found);
    if (rc == MPG_OK)
      looked->n++;
  }
  if (rc != MPG_OK)
    looked->incomplete = true;
}

void mpg_looked_add(mpg_looked *to, const mpg_looked *from) {
  for (size_t i = 0; i < from->n; i++)
    add_looked(to, mpg_intern_text(&from->path, (uint32_t)i + 1), &from->found[i]);
  to->incomplete |= from->incomplete;
}

static mpg_rc look_up(mpg_paths *paths, const mpg_env *env, mpg_str path, mpg_err *err) {
  const mpg_rc rc = find_paths(paths, env, path, err);
  if (env->looked != NULL && !env->looked->incomplete) {
    if (rc == MPG_OK)
      add_looked(env->looked, path, paths);
    else
      env->looked->incomplete = true;
  }
  return rc;
}

static bool same_paths(const mpg_paths *a, const mpg_paths *b) {
  bool same = a->n == b->n && a->from_folder == b->from_folder;
  for (size_t i = 0; same && i < a->n; i++)
    same = strcmp(a->file[i].path, b->file[i].path) == 0 &&
           memcmp(&a->file[i].state, &b->file[i].state, sizeof a->file->state) == 0;
  return same;
}

bool mpg_looked_same(const mpg_looked *looked, const mpg_env *env) {
  mpg_env unnoticed = *env;
  bool same = !looked->incomplete;
  unnoticed.looked = NULL;
  for (size_t i = 0; same && i < looked->n; i++) {
    mpg_paths now;
    mpg_err err;
    same = !mpg_interrupted(env) &&
           find_paths(&now, &unnoticed, mpg_intern_text(&looked->path, (uint32_t)i + 1), &err) ==
               MPG_OK;
    if (same) {
      same = same_paths(&now, &looked->found[i]);
      mpg_paths_free(&now);
    }
  }
  return same;
}

bool mpg_looked_lasts(const mpg_looked *looked, const mpg_env *env) {
  const int64_t trusted = looked->since_ns - TRUSTED_AGE;
  if (looked->incomplete)
    return false;
  for (size_t i = 0; i < looked->n; i++)
    for (size_t k = 0; k < looked->found[i].n; k++) {
      const mpg_file *f = &looked->found[i].file[k];
      mpg_file_state now;
      if (mpg_interrupted(env) || !mpg_file_stat(f->path, &now) ||
          memcmp(&now, &f->state, sizeof now) != 0 || now.data_ns > trusted ||
          now.status_ns > trusted)
        return false;
    }
  return true;
}

static int by_name(const void *name, const void *file) {
  return strcmp(name, ((const mpg_file *)file)->path);
}

bool mpg_looked_has(const mpg_looked *looked, const char *file) {
  for (size_t i = 0; i < looked->n; i++) {
    const mpg_paths *p = &looked->found[i];
    if ((p->n > 0 && bsearch(file, p->file, p->n, sizeof *p->file, by_name) != NULL) ||
        mpg_path_covers(mpg_intern_text(&looked->path, (uint32_t)i + 1), file))
      return true;
  }
  return false;
}

size_t mpg_looked_bytes(const mpg_looked *looked) {
  size_t bytes = mpg_intern_bytes(&looked->path) + looked->cap * sizeof *looked->found;
  for (size_t i = 0; i < looked->n; i++) {
    bytes += looked->found[i].cap * sizeof *looked->found[i].file;
    for (size_t k = 0; k < looked->found[i].n; k++)
      bytes += strlen(looked->found[i].file[k].path) + 1;
  }
  return bytes;
}

/* ---- what is to be read ---- */

static mpg_rc refuse_closed(mpg_paths *paths, mpg_err *err) {
  for (size_t i = 0; i < paths->n_passed; i++)
    if (paths->passed[i].closed) {
      (void)mpg_fail(err, MPG_IO, "%s: %s", paths->passed[i].path, paths->passed[i].why);
      mpg_paths_free(paths);
      return MPG_IO;
    }
  return MPG_OK;
}

mpg_rc mpg_paths_find(mpg_paths *paths, const mpg_env *env, mpg_str path, mpg_err *err) {
  const mpg_rc rc = look_up(paths, env, path, err);
  return rc == MPG_OK ? refuse_closed(paths, err) : rc;
}

mpg_rc mpg_paths_expand(mpg_paths *paths, const mpg_env *env, mpg_str path, mpg_err *err) {
  const mpg_rc rc = mpg_paths_expand_readable(paths, env, path, err);
  return rc == MPG_OK ? refuse_closed(paths, err) : rc;
}

mpg_rc mpg_paths_expand_readable(mpg_paths *paths, const mpg_env *env, mpg_str path, mpg_err *err) {
  mpg_rc rc = look_up(paths, env, path, err);
  /* Opening alone may act on a device, or break the pipe of the process that writes to a FIFO. */
  if (rc == MPG_OK && paths->n == 1 && !paths->file[0].regular) {
    rc = mpg_fail(err, MPG_IO, "%s: not a regular file", paths->file[0].path);
    mpg_paths_free(paths);
  }
  if (rc != MPG_OK || paths->n > 0)
    return rc;
  rc = refuse_closed(paths, err);
  if (rc != MPG_OK)
    return rc;
  if (paths->from_folder)
    return mpg_fail(err, MPG_IO, "folder %.*s holds no file", (int)path.n, path.p);
  return no_file(!mpg_glob_is(path)    ? "no such file: "
                 : paths->n_passed > 0 ? "only folders match: "
                                       : "no file matches: ",
                 path, err);
}

void mpg_paths_free(mpg_paths *paths) {
  names files = {paths->file,   paths->n,        paths->cap,
                 paths->passed, paths->n_passed, paths->passed_cap};
  if (paths->env != NULL)
    names_free(paths->env, &files);
  paths->file = NULL;
  paths->passed = NULL;
  paths->n = paths->cap = paths->n_passed = paths->passed_cap = 0;
}

void mpg_paths_expect(const mpg_paths *paths, const mpg_env *env) {
  int64_t bytes = 0;
  for (size_t i = 0; i < paths->n; i++) /* no overflow of what file systems hold */
    bytes += paths->file[i].regular ? paths->file[i].state.size : 0;
  mpg_progress_expect(env, bytes);
}
