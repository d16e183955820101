/* unzstd.c - what libzstd itself takes to unpack a file: unzstd FILE, in blocks that stay in the
** cache, thrown away. */
#include <stdio.h>
#include <zstd.h>

int main(int argc, char **argv) {
  static char in[1 << 18], out[1 << 18];
  ZSTD_DStream *stream = ZSTD_createDStream();
  FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  size_t n, left = 0;
  if (file == NULL || stream == NULL || setvbuf(file, NULL, _IONBF, 0) != 0) {
    (void)fprintf(stderr, "usage: unzstd FILE\n");
    return 2;
  }
  while ((n = fread(in, 1, sizeof in, file)) > 0) {
    ZSTD_inBuffer from = {in, n, 0};
    while (from.pos < n) {
      ZSTD_outBuffer to = {out, sizeof out, 0};
      left = ZSTD_decompressStream(stream, &to, &from);
      if (ZSTD_isError(left)) {
        (void)fprintf(stderr, "%s: %s\n", argv[1], ZSTD_getErrorName(left));
        return 1;
      }
    }
  }
  (void)ZSTD_freeDStream(stream);
  (void)fclose(file);
  return left != 0;
}
