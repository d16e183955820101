/* tfevents.c - event files, as they come and with checksums that fit, which no fuzzer finds. */
#include "fuzz.h"
#include "../../ext/formats/tfevents/crc32c.h"
#include "../../ext/formats/tfevents/tfevents.h"

#include <stdlib.h>
#include <string.h>

static mpg_rc render(const mpg_env *env, mpg_str input, fuzz_text *out) {
  mpg_stream *stream;
  mpg_tfevents *t = NULL;
  mpg_issues issues;
  mpg_err err;
  mpg_rc rc = mpg_stream_memory(&stream, env, "f", input, &err);
  if (rc != MPG_OK)
    return rc;
  mpg_issues_init(&issues, env);
  rc = mpg_tfevents_open(&t, env, stream, &issues, &err);
  while (rc == MPG_OK || (rc == MPG_DATA && t != NULL)) {
    rc = mpg_tfevents_next(t, &err);
    if (rc == MPG_OK) {
      fuzz_put(out, "%lld ", (long long)mpg_tfevents_line(t));
      for (size_t i = 0; i < MPG_TFEVENTS_COUNT; i++)
        fuzz_put_value(out, mpg_tfevents_get(t, i));
    } else if (rc != MPG_DONE) {
      fuzz_put(out, "%lld !%s", (long long)mpg_tfevents_line(t), err.text);
    }
    fuzz_put(out, "\n");
  }
  fuzz_put_issues(out, &issues);
  mpg_issues_free(&issues);
  mpg_tfevents_close(t);
  mpg_stream_close(stream);
  return rc;
}

static void put_little_endian(char *p, uint64_t v, size_t n) {
  for (size_t i = 0; i < n; i++, v >>= 8)
    p[i] = (char)(v & 0xff);
}

/* Every record gets a length that is there, and checksums that fit. */
static void mend(char *p, size_t n) {
  mpg_crc32c crc;
  mpg_crc32c_init(&crc);
  while (n > 16) {
    const size_t length = (unsigned char)p[0] < n - 16 ? (unsigned char)p[0] : n - 16;
    put_little_endian(p, length, 8);
    put_little_endian(p + 8, mpg_crc32c_mask(mpg_crc32c_add(&crc, 0, p, 8)), 4);
    put_little_endian(p + 12 + length, mpg_crc32c_mask(mpg_crc32c_add(&crc, 0, p + 12, length)), 4);
    p += length + 16;
    n -= length + 16;
  }
}

void fuzz_tfevents(mpg_str input) {
  char *mended = malloc(input.n + 1);
  fuzz_reader(render, input);
  CHECK(mended != NULL);
  if (input.n > 0)
    memcpy(mended, input.p, input.n);
  mend(mended, input.n);
  fuzz_reader(render, (mpg_str){mended, input.n});
  free(mended);
}
