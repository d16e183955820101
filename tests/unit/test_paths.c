/*
** test_paths.c - what files a path, a folder or a glob stands for, on real folders, under failing
** allocations and a host that says stop.
*/
#define _GNU_SOURCE
#include "folder.h"
#include "hostile.h"
#include "../../ext/read/input/stream.h"
#include "../../ext/read/input/paths.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* The paths that `path` (in the folder) stands for, joined with blanks, or "!" and the error. */
static const char *expansion(const mpg_env *env, const char *path, bool *from_folder) {
  static char out[16384];
  mpg_paths paths;
  mpg_err err;
  size_t n = 0, skip = strlen(folder) + 1;
  mpg_rc rc = mpg_paths_expand(&paths, env, mpg_str_of(path), &err);
  *out = '\0';
  *from_folder = paths.from_folder;
  if (rc != MPG_OK) {
    CHECK(paths.n == 0 && paths.file == NULL && err.rc == rc);
    (void)snprintf(out, sizeof out, "!%s", err.text);
  }
  for (size_t i = 0; i < paths.n; i++) {
    const char *z = paths.file[i].path;
    if (strncmp(z, folder, skip - 1) == 0)
      z += skip;
    n += (size_t)snprintf(out + n, sizeof out - n, "%s%s", i > 0 ? " " : "", z);
  }
  mpg_paths_free(&paths);
  return out;
}

static bool expands(const char *name, const char *want) {
  bool from_folder;
  const char *got = expansion(&mpg_env_libc, in(name), &from_folder);
  if (strcmp(got, want) != 0)
    (void)fprintf(stderr, "%s\ngot:  %s\nwant: %s\n", name, got, want);
  return strcmp(got, want) == 0;
}
static bool expands_not(const char *name, const char *prefix, const char *suffix) {
  char want[7000];
  (void)snprintf(want, sizeof want, "!%s%s%s", prefix, in(name), suffix);
  return expands(name, want);
}

static void test_paths(void) {
  static const char *const folders[] = {"p",    "p/sub",   "p/sub/deep", "p/.hidden",
                                        "p/b*", "p/empty", "p/none",     "p/none/.git"};
  static const char *const files[] = {
      "p/b.csv",     "p/a.csv",  "p/a.csv.gz",     "p/B.csv",      "p/.a.csv",
      "p/sub/c.csv", "p/sub/.c", "p/sub/deep/d",   "p/.hidden/e",  "p/b*/x.csv",
      "p/[z].csv",   "p/z.csv",  "p/\xc3\xa9.csv", "p/none/.git/x"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
    CHECK(mkdir(in(folders[i]), 0700) == 0);
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    (void)file_of(files[i], "x", 1);
  CHECK(symlink("loop", in("loop")) == 0 && mkfifo(in("p/fifo"), 0600) == 0);
  CHECK(symlink("sub", in("p/linked")) == 0 && symlink("../nowhere", in("p/broken")) == 0 &&
        symlink("b.csv", in("p/link.csv")) == 0 && symlink(".", in("p/sub/loop")) == 0);

  bool from_folder;
  CHECK(expands("p/a.csv", "p/a.csv"));
  CHECK(strcmp(expansion(&mpg_env_libc, in("p/a.csv"), &from_folder), "p/a.csv") == 0 &&
        !from_folder);
  CHECK(expands("p", "p/B.csv p/[z].csv p/a.csv p/a.csv.gz p/b*/x.csv p/b.csv p/link.csv "
                     "p/sub/c.csv p/sub/deep/d p/z.csv p/\xc3\xa9.csv"));
  CHECK(expansion(&mpg_env_libc, in("p"), &from_folder) != NULL && from_folder);
  CHECK(expands("p/sub/", "p/sub/c.csv p/sub/deep/d"));
  CHECK(expands("p/linked", "p/linked/c.csv p/linked/deep/d")); /* named itself, it is followed */
  CHECK(expands("p/.hidden", "p/.hidden/e"));
  CHECK(expands_not("p/fifo", "", ": not a regular file"));
  CHECK(expands_not("p/empty", "folder ", " holds no file"));
  CHECK(expands_not("p/none", "folder ", " holds no file"));
  CHECK(expands_not("p/nothing", "no such file: ", ""));
  CHECK(expands_not("p/a.csv/x", "no such file: ", ""));
  CHECK(expands_not("p/broken", "no such file: ", ""));
  CHECK(expands_not("loop", "", ": cannot stat: Too many levels of symbolic links"));

  CHECK(expands("p/*.csv", "p/B.csv p/[z].csv p/a.csv p/b.csv p/link.csv p/z.csv p/\xc3\xa9.csv"));
  CHECK(expands("p/?.csv", "p/B.csv p/a.csv p/b.csv p/z.csv p/\xc3\xa9.csv"));
  CHECK(expands("p/*", "p/B.csv p/[z].csv p/a.csv p/a.csv.gz p/b.csv p/link.csv p/z.csv "
                       "p/\xc3\xa9.csv"));
  CHECK(expands("p/.*", "p/.a.csv"));
  CHECK(expands("p/[ab].csv", "p/a.csv p/b.csv") && expands("p/[a-y].csv", "p/a.csv p/b.csv"));
  CHECK(expands("p/[^a-y].csv", "p/B.csv p/z.csv p/\xc3\xa9.csv"));
  CHECK(expands("p/[!aBz].csv", "p/b.csv p/\xc3\xa9.csv"));
  CHECK(expands("p/[\xc3\xa0-\xc3\xaf].csv", "p/\xc3\xa9.csv"));
  CHECK(expands("p/[z].csv", "p/[z].csv")); /* it exists, and so is no pattern */
  CHECK(expands("p/[[]z].csv", "p/[z].csv") && expands("p/[]a].csv", "p/a.csv"));
  CHECK(expands("p/[z].cs?", "p/z.csv"));
  CHECK(expands("p/b*", "p/b*/x.csv")); /* a folder of that name */
  CHECK(expands("p/b*v", "p/b.csv") && expands("p/*a*.*v", "p/a.csv"));
  CHECK(expands("p/[z].c*", "p/z.csv") && expands_not("p/[z.c*", "no file matches: ", ""));
  CHECK(expands("p/*/*.csv", "p/b*/x.csv p/linked/c.csv p/sub/c.csv"));
  CHECK(expands("*/sub//d*p/d", "p/sub//deep/d") && expands("p/*/deep/d", "p/linked/deep/d "
                                                                          "p/sub/deep/d"));
  CHECK(expands("p/*/c.csv", "p/linked/c.csv p/sub/c.csv"));
  CHECK(expands_not("p/*/", "only folders match: ", "") &&
        expands_not("p/x*", "no file matches: ", ""));
  CHECK(expands_not("p/a.csv/*", "no file matches: ", ""));
  CHECK(expands_not("*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*", "",
                    ": more than 16 folders with "
                    "wildcards"));
  CHECK(*expansion(&mpg_env_libc, in("*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*"), &from_folder) != '!');
  /* Relative patterns. */
  int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  CHECK(here >= 0 && chdir(in("p")) == 0);
  CHECK(strcmp(expansion(&mpg_env_libc, "[ab].csv", &from_folder), "a.csv b.csv") == 0);
  CHECK(strcmp(expansion(&mpg_env_libc, "./s*/c.csv", &from_folder), "./sub/c.csv") == 0);
  CHECK(strcmp(expansion(&mpg_env_libc, "sub", &from_folder), "sub/c.csv sub/deep/d") == 0);
  CHECK(strcmp(expansion(&mpg_env_libc, "", &from_folder),
               "!path: expected a file, folder or glob, found ''") == 0);
  CHECK(fchdir(here) == 0 && close(here) == 0);
  /* Depth: 16 levels below are fine, the 17th is not. */
  char path[400] = "deep";
  CHECK(mkdir(in(path), 0700) == 0);
  for (int i = 0; i < 17; i++) {
    bool last = i == 16;
    if (i > 0)
      (void)snprintf(path + strlen(path), sizeof path - strlen(path), "/d");
    if (i > 0)
      CHECK(mkdir(in(path), 0700) == 0);
    if (last) {
      char file[500];
      (void)snprintf(file, sizeof file, "%s/f", path);
      (void)file_of(file, "x", 1);
      CHECK(expands("deep", file));
    }
  }
  (void)snprintf(path + strlen(path), sizeof path - strlen(path), "/d");
  CHECK(mkdir(in(path), 0700) == 0);
  char want[7000];
  (void)snprintf(want, sizeof want, "!%s/: folders nest deeper than 16 levels", in(path));
  CHECK(expands("deep", want));
  /* Bad arguments. */
  mpg_paths paths;
  mpg_err err;
  static char longest[5000];
  memset(longest, 'x', sizeof longest);
  CHECK(mpg_paths_expand(&paths, &mpg_env_libc, (mpg_str){longest, 4096}, &err) == MPG_MISUSE);
  CHECK(strcmp(err.text, "path: expected at most 4095 bytes, found 4096") == 0);
  CHECK(mpg_paths_expand(&paths, &mpg_env_libc, (mpg_str){"a\0b", 3}, &err) == MPG_MISUSE);
  CHECK(strcmp(err.text, "path: expected text, found a NUL byte") == 0);
  CHECK(mpg_paths_expand(&paths, &mpg_env_libc, (mpg_str){longest, 4095}, &err) == MPG_IO);
  CHECK(strstr(err.text, ": cannot stat: File name too long") != NULL ||
        err.text[MPG_ERR_TEXT - 2] == 'x');
}

static void test_memory_and_stops(void) {
  static const char *const globs[] = {"p", "p/*/*.csv", "p/a.csv", "p/x*", "p/empty"};
  for (size_t i = 0; i < sizeof globs / sizeof *globs; i++) {
    char want[16384];
    bool from_folder;
    (void)snprintf(want, sizeof want, "%s", expansion(&mpg_env_libc, in(globs[i]), &from_folder));
    for (long k = 1;; k++) {
      hostile h = {0, k, false, false, 0};
      mpg_env env = hostile_env(&h);
      const char *got = expansion(&env, in(globs[i]), &from_folder);
      CHECK(h.live == 0);
      CHECK(strcmp(got, h.failed ? "!out of memory" : want) == 0);
      if (!h.failed)
        break;
    }
  }
  hostile h = {0, 0, false, false, 2};
  mpg_env env = hostile_env(&h);
  bool from_folder;
  CHECK(strstr(expansion(&env, in("p"), &from_folder), ": interrupted") != NULL && h.live == 0);
}

int main(void) {
  folder_make("paths");
  test_paths();
  test_memory_and_stops();
  folder_remove();
  return check_done("paths");
}
