/* same_content.c - see same_content.h. */
#include "same_content.h"
#include "../../base/intern.h"
#include "../../read/input/stream.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK ((size_t)64 << 10)

static bool is_for_all(mpg_rc rc) {
  return rc == MPG_NOMEM || rc == MPG_INTERRUPTED;
}

/* Sizes of plain files tell at once that they are not the same. */
static bool sizes_differ(const mpg_stream *a, const mpg_stream *b) {
  mpg_file_state first, second;
  return !mpg_stream_is_packed(a) && !mpg_stream_is_packed(b) &&
         mpg_file_stat(mpg_stream_path(a), &first) && mpg_file_stat(mpg_stream_path(b), &second) &&
         first.size != second.size;
}

static mpg_rc compare(mpg_stream *a, mpg_stream *b, char *block, mpg_likeness *likeness,
                      mpg_err *err) {
  for (size_t before = 0;; before = BLOCK) {
    size_t first, second, less;
    mpg_rc rc = mpg_stream_read(a, block, BLOCK, &first, err);
    if (rc == MPG_OK)
      rc = mpg_stream_read(b, block + BLOCK, BLOCK, &second, err);
    if (rc != MPG_OK)
      return rc;
    less = first < second ? first : second;
    if (memcmp(block, block + BLOCK, less) != 0 || before + less == 0)
      return MPG_OK;
    if (first != second) {
      *likeness = first < second ? MPG_BEGINS_OTHER : MPG_GOES_BEYOND;
      return MPG_OK;
    }
    if (first < BLOCK) {
      *likeness = MPG_SAME;
      return MPG_OK;
    }
  }
}

/* An environment in which reading is no progress: what is compared is read once more. */
static mpg_env quiet_env(const mpg_env *env) {
  mpg_env quiet = *env;
  quiet.progress = NULL;
  return quiet;
}

/* `whole`: it is only asked whether they are the same. */
static mpg_rc compare_files(const mpg_env *env, const char *a, const char *b, bool whole,
                            mpg_likeness *likeness, mpg_err *err) {
  const mpg_env quiet = quiet_env(env);
  mpg_stream *first = NULL, *second = NULL;
  char *block = mpg_malloc(env, 2 * BLOCK);
  mpg_rc rc = block == NULL ? mpg_fail_nomem(err) : mpg_stream_open(&first, &quiet, a, err);
  *likeness = MPG_DIFFERENT;
  if (rc == MPG_OK)
    rc = mpg_stream_open(&second, &quiet, b, err);
  if (rc == MPG_OK && !(whole && sizes_differ(first, second)))
    rc = compare(first, second, block, likeness, err);
  mpg_stream_close(first);
  mpg_stream_close(second);
  mpg_free(env, block);
  return is_for_all(rc) ? rc : MPG_OK;
}

mpg_rc mpg_compare_content(const mpg_env *env, const char *a, const char *b, mpg_likeness *likeness,
                           mpg_err *err) {
  return compare_files(env, a, b, false, likeness, err);
}

mpg_rc mpg_same_content(const mpg_env *env, const char *a, const char *b, bool *same,
                        mpg_err *err) {
  mpg_likeness likeness;
  mpg_rc rc = compare_files(env, a, b, true, &likeness, err);
  *same = likeness == MPG_SAME;
  return rc;
}

mpg_rc mpg_add_same_content(mpg_issues *issues, const char *path, const char *other) {
  return mpg_issues_add(issues, MPG_WARNING, path, "same_content", 0, 1,
                        "its content is that of %s: its records come twice", other);
}

/* By size, then by place. */
static int by_size(const void *a, const void *b) {
  const mpg_file *x = *(const mpg_file *const *)a, *y = *(const mpg_file *const *)b;
  if (x->state.size != y->state.size)
    return x->state.size < y->state.size ? -1 : 1;
  return (x > y) - (x < y);
}

/* A hash of the first bytes that reading a file gives; of one that cannot be read, of nothing. */
static mpg_rc hash_begin(const mpg_env *env, const char *path, uint64_t *hash, mpg_err *err) {
  const mpg_env quiet = quiet_env(env);
  mpg_stream *stream = NULL;
  mpg_str begin = {NULL, 0};
  mpg_rc rc = mpg_stream_open(&stream, &quiet, path, err);
  if (rc == MPG_OK)
    rc = mpg_stream_peek(stream, BLOCK, &begin, err);
  *hash = rc == MPG_OK ? mpg_hash(0, begin.p, begin.n) : 0;
  mpg_stream_close(stream);
  return is_for_all(rc) ? rc : MPG_OK;
}

/* Of files of one size, each with those before it that begin alike and repeat none. `begins` has
** room for n. */
static mpg_rc list_those(const mpg_env *env, const mpg_file **file, uint64_t *begins, size_t n,
                         mpg_issues *issues, mpg_err *err) {
  size_t originals = 0;
  for (size_t i = 0; n > 1 && i < n; i++) {
    bool same = false;
    uint64_t begin;
    mpg_rc rc = hash_begin(env, file[i]->path, &begin, err);
    for (size_t k = 0; rc == MPG_OK && k < originals && !same; k++) {
      if (begins[k] == begin)
        rc = mpg_same_content(env, file[k]->path, file[i]->path, &same, err);
      if (rc == MPG_OK && same &&
          mpg_add_same_content(issues, file[i]->path, file[k]->path) != MPG_OK)
        rc = mpg_fail_nomem(err);
    }
    if (rc != MPG_OK)
      return rc;
    if (!same) {
      begins[originals] = begin;
      file[originals++] = file[i];
    }
  }
  return MPG_OK;
}

mpg_rc mpg_list_same_content(const mpg_env *env, const mpg_paths *paths, mpg_issues *issues,
                             mpg_err *err) {
  const mpg_file **file;
  uint64_t *begins;
  mpg_rc rc;
  size_t n = 0;
  if (paths->n < 2)
    return MPG_OK;
  file = mpg_malloc(env, paths->n * sizeof *file);
  begins = mpg_malloc(env, paths->n * sizeof *begins);
  rc = file == NULL || begins == NULL ? mpg_fail_nomem(err) : MPG_OK;
  for (size_t i = 0; rc == MPG_OK && i < paths->n; i++)
    if (paths->file[i].regular && paths->file[i].state.size > 0)
      file[n++] = &paths->file[i];
  if (n > 1)
    qsort(file, n, sizeof *file, by_size);
  for (size_t i = 0, end; rc == MPG_OK && i < n; i = end) {
    for (end = i + 1; end < n && file[end]->state.size == file[i]->state.size;)
      end++;
    rc = list_those(env, file + i, begins, end - i, issues, err);
  }
  mpg_free(env, file);
  mpg_free(env, begins);
  return rc;
}
