/*
** replay.c - the targets over files, without libFuzzer: replay TARGET FILE..., or TARGET with names
** of files on the standard input. Prints the target and how many there were.
*/
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  void (*run)(mpg_str input);
} targets[] = {
#define FUZZ_ENTRY(name) {#name, fuzz_##name},
    FUZZ_TARGETS(FUZZ_ENTRY)};

/* In memory of exactly its size, so that a read beyond is seen. */
static void replay(void (*run)(mpg_str), const char *path) {
  FILE *file = fopen(path, "rb");
  char *bytes;
  long n;
  if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (n = ftell(file)) < 0 ||
      fseek(file, 0, SEEK_SET) != 0 || (bytes = malloc((size_t)n + (n == 0))) == NULL ||
      fread(bytes, 1, (size_t)n, file) != (size_t)n) {
    perror(path);
    exit(2);
  }
  (void)fclose(file);
  run((mpg_str){bytes, (size_t)n});
  free(bytes);
}

int main(int argc, char **argv) {
  char line[4096];
  int count = 0;
  for (size_t i = 0; argc > 1 && i < sizeof targets / sizeof *targets; i++) {
    if (strcmp(targets[i].name, argv[1]) != 0)
      continue;
    for (int k = 2; k < argc; k++, count++)
      replay(targets[i].run, argv[k]);
    while (argc == 2 && fgets(line, sizeof line, stdin) != NULL) {
      line[strcspn(line, "\n")] = '\0';
      replay(targets[i].run, line);
      count++;
    }
    (void)printf("%s: %d\n", argv[1], count);
    return 0;
  }
  (void)fprintf(stderr, "usage: replay TARGET [FILE...]\n");
  return 2;
}
