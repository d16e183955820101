/*
** folder.h - for tests of what reads files: a folder of the test's own, and files in it.
*/
#ifndef MPG_FOLDER_H
#define MPG_FOLDER_H

#include "check.h"

#include <stdlib.h>
#include <string.h>

static char folder[256];

/* mkdtemp of "mpg-TEST-XXXXXX"; without a folder there is no test. */
static inline void folder_make(const char *test) {
  const char *temporary = getenv("TMPDIR");
  (void)snprintf(folder, sizeof folder, "%.150s/mpg-%s-XXXXXX",
                 temporary != NULL ? temporary : "/tmp", test);
  if (mkdtemp(folder) == NULL) {
    perror(folder);
    exit(1);
  }
}

/* With all that is in it. */
static inline void folder_remove(void) {
  char command[400];
  (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
  CHECK(system(command) == 0);
}

/* The path of `name` in the folder; the last few stay valid. */
static inline const char *in(const char *name) {
  static char paths[8][6000];
  static int at;
  at = (at + 1) % 8;
  (void)snprintf(paths[at], sizeof paths[at], "%s/%s", folder, name);
  return paths[at];
}

/* The path of a file in the folder, which is written anew. */
static inline const char *file_of(const char *name, const void *bytes, size_t n) {
  const char *path = in(name);
  FILE *file = fopen(path, "wb");
  if (file == NULL || fwrite(bytes, 1, n, file) != n || fclose(file) != 0)
    abort();
  return path;
}
static inline const char *file_of_text(const char *name, const char *text) {
  return file_of(name, text, strlen(text));
}

#endif
