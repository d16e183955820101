/* lines.c - lines, held against a search for their ends. */
#include "fuzz.h"
#include "../../ext/read/input/lines.h"

#include <string.h>

static mpg_rc render(const mpg_env *env, mpg_str input, fuzz_text *out) {
  mpg_stream *stream;
  mpg_lines *lines = NULL;
  mpg_err err;
  mpg_str line, rest = input;
  mpg_rc rc = mpg_stream_memory(&stream, env, "f", input, &err);
  if (rc != MPG_OK)
    return rc;
  if (rest.n >= 3 && memcmp(rest.p, "\xef\xbb\xbf", 3) == 0)
    rest = (mpg_str){rest.p + 3, rest.n - 3};
  rc = mpg_lines_open(&lines, env, stream, &err);
  while (rc == MPG_OK || rc == MPG_DATA) {
    const char *end;
    size_t n;
    rc = mpg_lines_next(lines, &line, &err);
    if (rc != MPG_OK && rc != MPG_DATA)
      break;
    CHECK(rest.n > 0);
    end = memchr(rest.p, '\n', rest.n);
    n = end == NULL ? rest.n : (size_t)(end - rest.p);
    if (rc == MPG_OK) {
      bool cr = end != NULL && n > 0 && rest.p[n - 1] == '\r';
      size_t nul = 0;
      while (nul < n - cr && rest.p[nul] == '\0') /* at the start they are left out */
        nul++;
      CHECK(line.n == n - cr - nul && (line.n == 0 || memcmp(line.p, rest.p + nul, line.n) == 0));
      CHECK(mpg_lines_ended(lines) == (end != NULL));
    } else {
      CHECK(n > 1 && memchr(rest.p + 1, '\0', n - 1) != NULL);
    }
    n += end != NULL;
    rest = (mpg_str){rest.p + n, rest.n - n};
    fuzz_put(out, "%lld %d\n", (long long)mpg_lines_number(lines), (int)rc);
  }
  CHECK(fuzz_cut_short(rc) || rest.n == 0);
  mpg_lines_close(lines);
  mpg_stream_close(stream);
  return rc;
}

static bool begins(mpg_str input, const char *with) {
  return input.n >= 2 && memcmp(input.p, with, 2) == 0;
}

void fuzz_lines(mpg_str input) {
  /* Compressed bytes are another target's, and UTF-16 is refused. */
  bool packed = input.n >= 2 && (input.p[0] == '\x1f' || (input.n >= 4 && input.p[3] == '\xfd') ||
                                 input.p[1] == '\x2a');
  if (!packed && !begins(input, "\xff\xfe") && !begins(input, "\xfe\xff"))
    fuzz_reader(render, input);
}
