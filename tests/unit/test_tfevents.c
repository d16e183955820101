/* Tests of ext/formats/tfevents: checksums, records that are cut off or damaged, and memory. */
#include "check.h"
#include "hostile.h"
#include "../../ext/formats/tfevents/crc32c.h"
#include "../../ext/formats/tfevents/tfevents.h"

/* ---- Checksums ---- */

/* The polynomial a bit at a time: what the tables are held against. */
static uint32_t slow_crc(const unsigned char *p, size_t n) {
  uint32_t crc = 0xffffffffu;
  for (size_t i = 0; i < n; i++) {
    crc ^= p[i];
    for (int bit = 0; bit < 8; bit++)
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78u : 0);
  }
  return ~crc;
}

static uint32_t slow_mask(uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

/* The examples of RFC 3720, appendix B.4, and the usual check. */
static void test_published_checksums(void) {
  unsigned char zeros[32] = {0}, ones[32], up[32], down[32];
  mpg_crc32c crc;
  mpg_crc32c_init(&crc);
  for (size_t i = 0; i < 32; i++) {
    ones[i] = 0xff;
    up[i] = (unsigned char)i;
    down[i] = (unsigned char)(31 - i);
  }
  CHECK(mpg_crc32c_add(&crc, 0, zeros, 32) == 0x8a9136aau);
  CHECK(mpg_crc32c_add(&crc, 0, ones, 32) == 0x62a8ab43u);
  CHECK(mpg_crc32c_add(&crc, 0, up, 32) == 0x46dd794eu);
  CHECK(mpg_crc32c_add(&crc, 0, down, 32) == 0x113fdb5cu);
  CHECK(mpg_crc32c_add(&crc, 0, "123456789", 9) == 0xe3069283u);
  CHECK(mpg_crc32c_add(&crc, 0, "", 0) == 0);
}

/* Every length and every place of a cut, as eight bytes are taken at a time. */
static void test_checksums_in_parts(void) {
  unsigned char text[70];
  mpg_crc32c crc;
  mpg_crc32c_init(&crc);
  for (size_t i = 0; i < sizeof text; i++)
    text[i] = (unsigned char)(i * 37 + 11);
  for (size_t n = 0; n <= sizeof text; n++) {
    const uint32_t wanted = slow_crc(text, n);
    CHECK(mpg_crc32c_mask(wanted) == slow_mask(wanted));
    for (size_t at = 0; at <= n; at++)
      CHECK(mpg_crc32c_add(&crc, mpg_crc32c_add(&crc, 0, text, at), text + at, n - at) == wanted);
  }
}

/* ---- Files ---- */

typedef struct file {
  unsigned char p[1024];
  size_t n;
} file;

static void put(file *f, const void *p, size_t n) {
  memcpy(f->p + f->n, p, n);
  f->n += n;
}

static void put_little(file *f, uint64_t v, size_t n) {
  for (size_t i = 0; i < n; i++, v >>= 8)
    f->p[f->n++] = (unsigned char)(v & 0xff);
}

/* A TFRecord: length, its checksum, data, its checksum. */
static void put_record(file *f, const file *data) {
  size_t at = f->n;
  put_little(f, data->n, 8);
  put_little(f, slow_mask(slow_crc(f->p + at, 8)), 4);
  put(f, data->p, data->n);
  put_little(f, slow_mask(slow_crc(data->p, data->n)), 4);
}

static void put_double(file *f, int number, double v) {
  put_little(f, (uint64_t)number << 3 | 1, 1);
  put(f, &v, sizeof v);
}

static void put_bytes(file *f, int number, const void *p, size_t n) {
  put_little(f, (uint64_t)number << 3 | 2, 1);
  put_little(f, n, 1);
  put(f, p, n);
}

/* Event{wall_time, file_version}. */
static void put_begin(file *f) {
  file data = {{0}, 0};
  put_double(&data, 1, 100.5);
  put_bytes(&data, 3, "brain.Event:2", 13);
  put_record(f, &data);
}

/* Event{wall_time, step, summary{value{tag, simple_value}}}. */
static void put_scalar(file *f, double time, int step, const char *tag, float v) {
  file value = {{0}, 0}, summary = {{0}, 0}, data = {{0}, 0};
  put_bytes(&value, 1, tag, strlen(tag));
  put_little(&value, 2 << 3 | 5, 1);
  put(&value, &v, sizeof v);
  put_bytes(&summary, 1, value.p, value.n);
  put_double(&data, 1, time);
  put_little(&data, 2 << 3, 1);
  put_little(&data, (uint64_t)step, 1);
  put_bytes(&data, 5, summary.p, summary.n);
  put_record(f, &data);
}

/* Three records; the first `ends[i]` bytes hold i of them. */
static void put_all(file *f, size_t ends[4]) {
  f->n = ends[0] = 0;
  put_begin(f);
  ends[1] = f->n;
  put_scalar(f, 101.25, 7, "loss", 2.5f);
  ends[2] = f->n;
  put_scalar(f, 102.0, 8, "loss", -0.125f);
  ends[3] = f->n;
}

/* Rows as "(BYTE time step kind tag value)", and "{...}" for errors. */
static mpg_rc render(const mpg_env *env, const unsigned char *p, size_t size, mpg_issues *issues,
                     char *out, size_t cap) {
  mpg_stream *stream = NULL;
  mpg_tfevents *t = NULL;
  mpg_err err;
  size_t n = 0;
  mpg_rc rc = mpg_stream_memory(&stream, env, "mem", (mpg_str){(const char *)p, size}, &err);
  out[0] = '\0';
  if (rc == MPG_OK)
    rc = mpg_tfevents_open(&t, env, stream, issues, &err);
  while (rc == MPG_OK || (rc == MPG_DATA && t != NULL)) {
    static const size_t wanted[] = {MPG_TFEVENTS_wall_time, MPG_TFEVENTS_step, MPG_TFEVENTS_kind,
                                    MPG_TFEVENTS_tag, MPG_TFEVENTS_value};
    rc = mpg_tfevents_next(t, &err);
    if (rc == MPG_DATA)
      n += (size_t)snprintf(out + n, cap - n, "{%s}", err.text);
    if (rc != MPG_OK)
      continue;
    n += (size_t)snprintf(out + n, cap - n, "(");
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
      const mpg_value *v = mpg_tfevents_get(t, wanted[i]);
      if (v->type == MPG_TEXT)
        n += (size_t)snprintf(out + n, cap - n, " %.*s", (int)v->s.n, v->s.p);
      else if (v->type == MPG_INT)
        n += (size_t)snprintf(out + n, cap - n, " %lld", (long long)v->i);
      else if (v->type == MPG_REAL)
        n += (size_t)snprintf(out + n, cap - n, " %g", v->r);
      else
        n += (size_t)snprintf(out + n, cap - n, " -");
    }
    n += (size_t)snprintf(out + n, cap - n, " )");
  }
  mpg_tfevents_close(t);
  mpg_stream_close(stream);
  return rc;
}

#define FIRST "( 100.5 0 file_version - - )"
#define SECOND "( 101.25 7 scalar loss 2.5 )"
#define THIRD "( 102 8 scalar loss -0.125 )"
static const char *const up_to[] = {"", FIRST, FIRST SECOND, FIRST SECOND THIRD};

static void expect(const file *f, const char *expected, const char *issue) {
  for (size_t b = 0; b < HOSTILE_BLOCKS; b++) {
    char out[2048];
    mpg_issues issues;
    mpg_issues_init(&issues, &mpg_env_libc);
    hostile_block(hostile_blocks[b]);
    CHECK(render(&mpg_env_libc, f->p, f->n, &issues, out, sizeof out) == MPG_DONE);
    CHECK(strcmp(out, expected) == 0);
    if (strcmp(out, expected) != 0)
      (void)fprintf(stderr, "  found    %s\n  expected %s\n", out, expected);
    CHECK(issue == NULL ? issues.n == 0
                        : issues.n == 1 && strcmp(issues.items[0].kind, issue) == 0);
    mpg_issues_free(&issues);
  }
  hostile_block(0);
}

/* A file that ends anywhere gives the records that are whole, and says so of the rest. */
static void test_cut_off(void) {
  file f;
  size_t ends[4], whole = 0;
  put_all(&f, ends);
  for (size_t n = 1; n <= ends[3]; n++) {
    file part = f;
    part.n = n;
    while (whole < 3 && ends[whole + 1] <= n)
      whole++;
    expect(&part, up_to[whole], ends[whole] == n ? NULL : "unfinished_record");
  }
}

/* One byte that is another, anywhere: the rows before it are those of the file, and there is an
** error; after data that is damaged, the records that follow. */
static void test_damaged(void) {
  file f;
  size_t ends[4];
  put_all(&f, ends);
  for (size_t at = 0; at < ends[3]; at++) {
    file bad = f;
    char out[2048] = "";
    mpg_issues issues;
    size_t record = at < ends[1] ? 0 : at < ends[2] ? 1 : 2;
    const bool in_length = at - ends[record] < 12;
    bad.p[at] ^= 0x10;
    mpg_issues_init(&issues, &mpg_env_libc);
    CHECK(render(&mpg_env_libc, bad.p, bad.n, &issues, out, sizeof out) == MPG_DONE);
    CHECK(strncmp(out, up_to[record], strlen(up_to[record])) == 0);
    CHECK(out[strlen(up_to[record])] == '{');
    /* After a length that cannot be right nobody knows where the next record begins. */
    CHECK(strcmp(strrchr(out, '}') + 1, in_length || record == 2 ? ""
                                        : record == 1            ? THIRD
                                                                 : SECOND THIRD) == 0);
    mpg_issues_free(&issues);
  }
}

/* Every allocation fails once, alone and with all after it: out of memory or the whole result, and
** nothing leaks. */
static void test_memory(void) {
  file f;
  size_t ends[4];
  char whole[512], out[512];
  put_all(&f, ends);
  f.n -= 3;
  CHECK(render(&mpg_env_libc, f.p, f.n, NULL, whole, sizeof whole) == MPG_DONE);
  for (int and_after = 0; and_after < 2; and_after++) {
    bool finished = false;
    for (long i = 1; !finished && i < 200; i++) {
      hostile h = {0, i, and_after, false, 0};
      mpg_env env = hostile_env(&h);
      mpg_issues issues;
      mpg_rc rc;
      mpg_issues_init(&issues, &env);
      rc = render(&env, f.p, f.n, &issues, out, sizeof out);
      CHECK(h.failed ? rc == MPG_NOMEM : rc == MPG_DONE && strcmp(out, whole) == 0);
      finished = !h.failed;
      mpg_issues_free(&issues);
      CHECK(h.live == 0);
    }
    CHECK(finished);
  }
}

int main(void) {
  test_published_checksums();
  test_checksums_in_parts();
  test_cut_off();
  test_damaged();
  test_memory();
  return check_done("tfevents");
}
