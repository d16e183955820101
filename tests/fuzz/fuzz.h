/*
** fuzz.h - what the fuzz targets share. A target takes any bytes and may do nothing wrong with
** them: no crash, no leak, no hang (the sanitizers and libFuzzer watch), and what it says of them
** must hold (CHECK).
**
** fuzz_NAME is in NAME.c; tests/formats.py makes the list FUZZ_TARGETS. They run under libFuzzer
** (libfuzzer.c) and, over the committed corpora, in `make test` (replay.c). What varies beside the
** bytes, such as the size of read buffers and the allocation that fails, is drawn from their hash:
** a file is its whole case.
*/
#ifndef MPG_FUZZ_H
#define MPG_FUZZ_H

#include "../../ext/base/base.h"
#include "../../ext/base/issues.h"
#include "../../ext/read/input/stream.h"
#include "../../build/register.h"

#define FUZZ_DECLARE(name) void fuzz_##name(mpg_str input);
FUZZ_TARGETS(FUZZ_DECLARE)

/* Prints where, and aborts. */
_Noreturn void fuzz_failed(const char *file, int line, const char *what);
#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition))                                                                              \
      fuzz_failed(__FILE__, __LINE__, #condition);                                                 \
  } while (0)

/* Text that a target makes of what it read. What comes after FUZZ_TEXT bytes is left out. */
#define FUZZ_TEXT ((size_t)1 << 18)
typedef struct fuzz_text {
  char p[FUZZ_TEXT];
  size_t n;
} fuzz_text;

void fuzz_put(fuzz_text *t, const char *format, ...) MPG_PRINTF(2, 3);
void fuzz_put_str(fuzz_text *t, mpg_str s);
void fuzz_put_value(fuzz_text *t, const mpg_value *v);
void fuzz_put_issues(fuzz_text *t, const mpg_issues *issues);

/*
** Runs `render` (which reads all of the input, into text, errors too) with buffers as released,
** with small ones, with an allocation that fails, and for a host that asks to stop: the first two
** must say the same, the third the same or MPG_NOMEM, the last the same or MPG_INTERRUPTED, and
** none may keep memory. Returns after render's MPG_DONE.
*/
typedef mpg_rc (*fuzz_render)(const mpg_env *env, mpg_str input, fuzz_text *out);
void fuzz_reader(fuzz_render render, mpg_str input);
/* Whether a file begins as packed ones do. */
bool fuzz_packed(mpg_str file);

/* No more can be said of the input: nothing fails so but for want of memory, or because the host
** asks to stop. */
static inline bool fuzz_cut_short(mpg_rc rc) {
  return rc == MPG_NOMEM || rc == MPG_INTERRUPTED;
}

/* How many threads may read it: with small buffers others read ahead (with large ones the whole
** input is in the first), as long as that is not thousands of pieces to hand over, which on a
** busy machine takes as many turns of its scheduler. */
int fuzz_threads(mpg_str input);

/* The same for what reads files: the input lies in a file of that name, in a folder of its own, by
** whose path `render` gets at it. */
void fuzz_file(fuzz_render render, const char *name, mpg_str input);
const char *fuzz_path(void); /* of the file at hand */

/* Bytes of a script, one after the other; zeros behind the end. */
typedef struct fuzz_script {
  mpg_str left;
} fuzz_script;
static inline uint8_t fuzz_byte(fuzz_script *s) {
  if (s->left.n == 0)
    return 0;
  s->left.n--;
  return (uint8_t)*s->left.p++;
}
static inline uint64_t fuzz_bytes(fuzz_script *s, int n) {
  uint64_t v = 0;
  while (n-- > 0)
    v = v << 8 | fuzz_byte(s);
  return v;
}

#endif
