/* Tests of ext/read/parse/protobuf.c, ext/formats/xplane/xspace.c and xplane.c. */
#include "check.h"
#include "hostile.h"
#include "../../ext/formats/xplane/xplane.h"

#include <stdarg.h>

/* ---- Writing messages ---- */

typedef struct bytes {
  char p[65536];
  size_t n;
} bytes;

static void put(bytes *b, const void *p, size_t n) {
  if (n > sizeof b->p - b->n)
    abort();
  memcpy(b->p + b->n, p, n);
  b->n += n;
}

static void put_varint(bytes *b, uint64_t v) {
  do {
    unsigned char c = (unsigned char)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));
    put(b, &c, 1);
    v >>= 7;
  } while (v > 0);
}

static void put_int(bytes *b, unsigned number, int64_t v) {
  put_varint(b, number << 3 | MPG_PROTO_VARINT);
  put_varint(b, (uint64_t)v);
}

static void put_bytes(bytes *b, unsigned number, const void *p, size_t n) {
  put_varint(b, number << 3 | MPG_PROTO_BYTES);
  put_varint(b, n);
  put(b, p, n);
}

static void put_text(bytes *b, unsigned number, const char *z) {
  put_bytes(b, number, z, strlen(z));
}

/* Appends `inner` as a message, and empties it. */
static void put_message(bytes *b, unsigned number, bytes *inner) {
  put_bytes(b, number, inner->p, inner->n);
  inner->n = 0;
}

static void put_real(bytes *b, unsigned number, double v) {
  uint64_t bits;
  memcpy(&bits, &v, sizeof bits);
  put_varint(b, number << 3 | MPG_PROTO_FIXED64);
  for (int i = 0; i < 8; i++)
    put(b, &(char){(char)(bits >> 8 * i)}, 1);
}

static void put_name(bytes *plane, unsigned map, int64_t id, const char *name) {
  static bytes entry, inner;
  put_int(&inner, 1, id);
  put_text(&inner, 2, name);
  put_int(&entry, 1, id);
  put_message(&entry, 2, &inner);
  put_message(plane, map, &entry);
}

/* A plane in which every kind of stat occurs, its maps before and behind its lines; a field that
** nobody knows in every message; and a line's display name behind its events. */
static void put_plane(bytes *space, const char *name) {
  static bytes plane, line, event, stat, entry, inner;
  put_text(&plane, 2, name);
  put_int(&plane, 99, 5);
  put_int(&stat, 1, 1);
  put_text(&stat, 5, "AMD");
  put_message(&plane, 6, &stat);
  put_name(&plane, 5, 4, "double");
  put_int(&line, 1, 3);
  put_text(&line, 2, "Stream #3");
  put_int(&line, 3, 1000);
  put_int(&event, 1, 7);
  put_int(&event, 2, 1999);
  put_int(&event, 3, 3000001);
  put_int(&stat, 1, 2);
  put_int(&stat, 3, -1); /* all bits set */
  put_message(&event, 4, &stat);
  put_int(&stat, 1, 3);
  put_int(&stat, 7, 5);
  put_message(&event, 4, &stat);
  put_int(&stat, 1, 4);
  put_real(&stat, 2, 0.5);
  put_message(&event, 4, &stat);
  put_int(&stat, 1, 6);
  put_bytes(&stat, 6, "\0\1\2\xff", 4);
  put_message(&event, 4, &stat);
  put_int(&stat, 1, 12);
  put_message(&event, 4, &stat);
  put_text(&event, 98, "unknown");
  put_message(&line, 4, &event);
  put_int(&event, 1, 8);
  put_int(&event, 5, 12);
  put_int(&event, 3, 77);
  put_message(&line, 4, &event);
  put_int(&event, 1, -9); /* in no map */
  put_int(&event, 2, -1);
  put_int(&stat, 1, 55);
  put_int(&stat, 4, -4);
  put_message(&event, 4, &stat);
  put_message(&line, 4, &event);
  put_text(&line, 11, "the stream");
  put_real(&line, 97, 1.0);
  put_message(&plane, 3, &line);
  put_message(&plane, 3, &line); /* an empty one */
  put_int(&inner, 1, 7);
  put_text(&inner, 2, "kernel");
  put_text(&inner, 4, "shown");
  put_bytes(&inner, 3, "serialised", 10);
  put_int(&stat, 1, 9);
  put_int(&stat, 4, 1234567890123);
  put_message(&inner, 5, &stat);
  put_int(&stat, 1, 3); /* the event's own counts */
  put_text(&stat, 5, "not this");
  put_message(&inner, 5, &stat);
  put_int(&entry, 1, 7);
  put_message(&entry, 2, &inner);
  put_message(&plane, 4, &entry);
  put_name(&plane, 4, 8, "was something else");
  put_name(&plane, 4, 8, "many");
  put_name(&plane, 5, 1, "device_vendor");
  put_name(&plane, 5, 2, "run_id");
  put_name(&plane, 5, 3, "hlo_op");
  put_name(&plane, 5, 5, "dot.1");
  put_name(&plane, 5, 6, "raw");
  put_name(&plane, 5, 9, "flops");
  put_name(&plane, 5, 12, "none");
  put_message(space, 1, &plane);
}

static void put_space(bytes *space) {
  space->n = 0;
  put_plane(space, "/device:GPU:0");
  put_text(space, 3, "careful");
  put_plane(space, "/device:GPU:1");
  put_int(space, 9, 1);
  put_text(space, 2, "it broke");
  put_text(space, 4, "host-1");
}

/* ---- Reading them, as text ---- */

static char shown[65536];
static size_t n_shown;

static void show(const char *format, ...) {
  va_list args;
  va_start(args, format);
  n_shown += (size_t)vsnprintf(shown + n_shown, sizeof shown - n_shown, format, args);
  va_end(args);
  if (n_shown >= sizeof shown)
    abort();
}

static void show_str(mpg_str s) {
  show("%.*s|", (int)s.n, s.n == 0 ? "" : s.p);
}

static mpg_rc show_event(mpg_xplane *x, mpg_json_text *json) {
  const mpg_xevent *e = mpg_xplane_event(x);
  static const int columns[] = {MPG_XSTAT_run_id, MPG_XSTAT_hlo_op, MPG_XSTAT_flops,
                                MPG_XSTAT_tf_op};
  mpg_rc rc;
  CHECK(mpg_xplane_at(x) == e->at);
  show_str(e->plane->name);
  show_str(e->line->name);
  show_str(e->line->display_name);
  show_str(e->name == NULL ? MPG_STR("?") : e->name->name.text);
  show_str(e->name == NULL ? MPG_STR("?") : e->name->display_name);
  if (e->aggregated)
    show("x%lld|", (long long)e->occurrences);
  else
    show("%lld+%lld=%lld..%lld|", (long long)e->line->timestamp_ns, (long long)e->offset_ps,
         (long long)e->start_ns, (long long)e->end_ns);
  show("%lld|", (long long)e->duration_ps);
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
    mpg_value v = {MPG_NULL, 0, 0.0, {NULL, 0}};
    mpg_xplane_stat(x, columns[i], &v);
    if (v.type == MPG_TEXT)
      show_str(v.s);
    else
      show(v.type == MPG_INT ? "%lld|" : "-|", (long long)v.i);
  }
  rc = mpg_xplane_stats(x, json);
  if (rc == MPG_OK)
    show_str((mpg_str){json->p, json->n});
  if (rc == MPG_OK)
    rc = mpg_xplane_stats_of(e->plane, json);
  if (rc == MPG_OK)
    show_str((mpg_str){json->p, json->n});
  show("\n");
  return rc;
}

/* Every event a line, every error a line; what ended it. `go_on`: behind MPG_DATA. */
static mpg_rc render(const mpg_env *env, mpg_str input, bool go_on, mpg_issues *issues) {
  mpg_stream *ahead = NULL, *stream = NULL;
  mpg_xplane *x = NULL;
  mpg_json_text json = {.env = env};
  mpg_err err;
  mpg_rc rc = mpg_stream_memory(&ahead, env, "f", input, &err);
  n_shown = 0;
  shown[0] = '\0';
  if (rc == MPG_OK)
    rc = mpg_stream_memory(&stream, env, "f", input, &err);
  if (rc == MPG_OK)
    rc = mpg_xplane_open(&x, env, ahead, stream, issues, &err);
  while (rc == MPG_OK) {
    rc = mpg_xplane_next(x, &err);
    if (rc == MPG_OK)
      rc = show_event(x, &json);
    else if (rc != MPG_DONE)
      show("!%s\n", err.text);
    if (rc == MPG_DATA && go_on)
      rc = MPG_OK;
  }
  if (x != NULL && rc != MPG_NOMEM)
    CHECK(go_on || mpg_xplane_next(x, &err) != MPG_NOMEM);
  mpg_json_text_free(&json);
  mpg_xplane_close(x);
  mpg_stream_close(stream);
  mpg_stream_close(ahead);
  return rc;
}

/* ---- Tests ---- */

#define GPU0                                                                                       \
  "/device:GPU:0|Stream #3|the stream|kernel|shown|1000+1999=1001..4002|3000001|"                  \
  "18446744073709551615|dot.1|1234567890123|-|"                                                    \
  "{\"run_id\":18446744073709551615,\"hlo_op\":\"dot.1\",\"double\":0.5,\"raw\":\"AAEC/w==\","     \
  "\"none\":null,\"flops\":1234567890123}|{\"device_vendor\":\"AMD\"}|\n"                          \
  "/device:GPU:0|Stream #3|the stream|many||x12|77|-|-|-|-|{}|{\"device_vendor\":\"AMD\"}|\n"      \
  "/device:GPU:0|Stream #3|the stream|?|?|1000+-1=999..999|0|-|-|-|-|{\"55\":-4}|"                 \
  "{\"device_vendor\":\"AMD\"}|\n"

static bool ends_with(const char *text) {
  size_t n = strlen(text);
  return n_shown >= n && strcmp(shown + n_shown - n, text) == 0;
}

static void test_events(void) {
  static bytes space;
  mpg_issues issues;
  put_space(&space);
  for (size_t i = 0; i < HOSTILE_BLOCKS; i++) {
    hostile_block(hostile_blocks[i]);
    mpg_issues_init(&issues, &mpg_env_libc);
    CHECK(render(&mpg_env_libc, (mpg_str){space.p, space.n}, false, &issues) == MPG_DONE);
    CHECK(strncmp(shown, GPU0, sizeof GPU0 - 1) == 0);
    CHECK(strstr(shown, "/device:GPU:1|Stream #3|the stream|kernel|") != NULL);
    CHECK(issues.n == 3);
    for (size_t k = 0; k < issues.n; k++)
      CHECK(issues.items[k].count ==
            (strcmp(issues.items[k].kind, "unknown_metadata") == 0 ? 4 : 1));
    mpg_issues_free(&issues);
  }
}

static void test_planes(void) {
  static bytes space;
  mpg_stream *stream;
  mpg_xspace *s;
  mpg_xplane_head *plane;
  mpg_err err;
  put_space(&space);
  CHECK(mpg_stream_memory(&stream, &mpg_env_libc, "f", (mpg_str){space.p, space.n}, &err) ==
        MPG_OK);
  CHECK(mpg_xspace_open(&s, &mpg_env_libc, stream, NULL, &err) == MPG_OK);
  for (int i = 0; i < 2; i++) {
    CHECK(mpg_xspace_next(s, &plane, &err) == MPG_OK);
    CHECK(plane->nlines == 2 && plane->events == 3 && plane->lines[0].events == 3);
    CHECK(plane->nevent_names == 2 && plane->nstat_names == 8 && plane->nstats == 1);
    CHECK(mpg_xspace_hostnames(s)->n == 0);
  }
  CHECK(mpg_xspace_next(s, &plane, &err) == MPG_DONE);
  CHECK(mpg_xspace_next(s, &plane, &err) == MPG_DONE);
  CHECK(mpg_str_eq(mpg_intern_text(mpg_xspace_hostnames(s), 1), MPG_STR("host-1")));
  mpg_xspace_close(s);
  mpg_stream_close(stream);
}

/* The whole of a file, or what is told of it, for each kind of damage. */
static void test_errors(void) {
#define CASE(text, said)                                                                           \
  { text, sizeof(text) - 1, said }
  static const struct {
    const char *p;
    size_t n;
    const char *said;
  } cases[] = {
      CASE("", ""),
      CASE("\x1a\x02hi", ""), /* a warning, and no plane */
      CASE("{\"traceEvents\":[]}",
           "!f: byte 0: expected an XSpace, which begins with a plane, found "
           "\"{\"traceEvents\":[]}\" (JSON: is it for chrome_trace?)\n"),
      CASE("a line that is longer than a field of a message, and than what an error shows of it",
           "!f: byte 0: expected an XSpace, which begins with a plane, found \"a line that is "
           "longer "
           "than a field of a mess...\"\n"),
      CASE("hello", "!f: byte 0: expected an XSpace, which begins with a plane, found \"hello\"\n"),
      CASE(
          "\n\xef\xbf\xbd\xef\xbf\xbd\x06",
          "!f: byte 0: expected an XSpace, which begins with a plane, found "
          "\"\\x0a\xef\xbf\xbd\xef\xbf\xbd\\x06\" (bytes EF BF BD: copied as text, which destroyed "
          "it)\n"),
      CASE("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
           "!f: byte 0: expected an XSpace, which begins with a plane, found "
           "\"\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\"\n"),
      CASE("\x0a\x00\x0b", "!f: byte 2: expected a field of an XSpace, found wire type 3\n"),
      CASE("\x0a\x00\x07", "!f: byte 2: expected a field of an XSpace, found field number 0\n"),
      CASE("\x0a\x00\x80",
           "!f: byte 2: expected 1 more of the bytes of an XSpace, found the end of the file\n"),
      CASE("\x0a\x00\x09\x01",
           "!f: byte 2: expected 1 more of the bytes of an XSpace, found the end of the file\n"),
      CASE("\x0a\x00\x0a\xff\xff\xff\xff\x7f",
           "!f: byte 2: expected a field of an XSpace, found field 1 with a length of 34359738367 "
           "bytes\n"),
      CASE("\x0a\x00\x08\x01",
           "!f: byte 2: expected field 1 of an XSpace with wire type 2, found 0\n"),
      CASE("\x0a\x05\x12\x03hi",
           "!f: byte 6: expected 1 more of the bytes of an XPlane, found the end of "
           "the file\n"),
      CASE("\x0a\x03\x12\x04hi", "!f: byte 2: expected a field of an XPlane, found field 2 with a "
                                 "length of 4 bytes where 1 are left\n"),
      CASE("\x0a\x01\x12",
           "!f: byte 2: expected a field of an XPlane, found its end within a field\n"),
      CASE("\x0a\x02\x10\x01",
           "!f: byte 2: expected field 2 of an XPlane with wire type 2, found 0\n"),
      CASE("\x0a\x0c\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02",
           "!f: byte 2: expected a field of an XPlane, found a varint of more than 64 bits\n"),
      CASE("\x0a\x04\x1a\x02\x22\x05",
           "!f: byte 4: expected a field of an XLine, found field 4 with a "
           "length of 5 bytes where 0 are left\n"),
      CASE("\x0a\x06\x1a\x04\x22\x02\x0a\x00",
           "!f: byte 6: expected field 1 of an XEvent with wire type 0, found 2\n"),
      CASE("\x0a\x08\x1a\x06\x22\x04\x22\x02\x10\x01",
           "!f: byte 8: expected field 2 of an XStat with wire type 1, found 0\n"),
      CASE("\x0a\x04\x22\x02\x12\x00", ""), /* metadata without a key: of number 0 */
      CASE(
          "\x0a\x04\x22\x02\x0a\x00",
          "!f: byte 4: expected field 1 of an entry of event_metadata with wire type 0, found 2\n"),
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (size_t k = 0; k < HOSTILE_BLOCKS; k++) {
      size_t n = strlen(cases[i].said);
      hostile_block(hostile_blocks[k]);
      (void)render(&mpg_env_libc, (mpg_str){cases[i].p, cases[i].n}, false, NULL);
      if (strncmp(shown, cases[i].said, n) != 0 || (n == 0 && n_shown > 0))
        (void)fprintf(stderr, "case %zu\n  said   %s  wanted %s", i, shown, cases[i].said);
      CHECK(strncmp(shown, cases[i].said, n) == 0 && (n > 0 || n_shown == 0));
    }
}

static void test_times(void) {
  static const struct {
    int64_t line_ns, offset_ps, duration_ps;
    const char *said;
  } cases[] = {
      {5, -1, 0, "|||?|?|5+-1=4..4|0|-|-|-|-|{}|{}|\n"},
      {5, -1000, 1001, "|||?|?|5+-1000=4..5|1001|-|-|-|-|{}|{}|\n"},
      {INT64_MAX, 999, 0,
       "|||?|?|9223372036854775807+999=9223372036854775807..9223372036854775807|0|"},
      {INT64_MAX, 999, 1,
       "!f: byte 16: expected times of 64 bits, found an XEvent 999 ps after "
       "9223372036854775807 ns, 1 ps long\n"},
      {INT64_MIN, -1, 0,
       "!f: byte 17: expected times of 64 bits, found an XEvent -1 ps after "
       "-9223372036854775808 ns, 0 ps long\n"},
      {0, INT64_MAX, 1, "!f: byte 8: expected times of 64 bits"},
      {0, 10, -20, "|||?|?|0+10=0..-1|-20|"},
  };
  hostile_block(0);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    static bytes space, plane, line, event;
    mpg_issues issues;
    mpg_issues_init(&issues, &mpg_env_libc);
    put_int(&event, 2, cases[i].offset_ps);
    put_int(&event, 3, cases[i].duration_ps);
    put_int(&line, 3, cases[i].line_ns);
    put_message(&line, 4, &event);
    put_message(&plane, 3, &line);
    put_message(&space, 1, &plane);
    (void)render(&mpg_env_libc, (mpg_str){space.p, space.n}, false, &issues);
    if (strncmp(shown, cases[i].said, strlen(cases[i].said)) != 0)
      (void)fprintf(stderr, "case %zu\n  said   %s  wanted %s", i, shown, cases[i].said);
    CHECK(strncmp(shown, cases[i].said, strlen(cases[i].said)) == 0);
    CHECK(cases[i].duration_ps >= 0 || issues.items[0].count + issues.items[1].count == 2);
    space.n = 0;
    mpg_issues_free(&issues);
  }
}

/* Behind a damaged event and behind a damaged plane the rest is read. */
static void test_going_on(void) {
  static bytes space, damaged;
  static const char bad_plane[] = "\x0a\x01\x12";
  static const char bad_event[] = "\x0a\x0b\x1a\x09\x22\x02\x10\x80\x22\x03\x10\x80\x20";
  damaged.n = 0;
  put(&damaged, bad_plane, sizeof bad_plane - 1);
  put(&damaged, bad_event, sizeof bad_event - 1);
  put_space(&space);
  put(&damaged, space.p, space.n);
  for (size_t k = 0; k < HOSTILE_BLOCKS; k++) {
    hostile_block(hostile_blocks[k]);
    CHECK(render(&mpg_env_libc, (mpg_str){damaged.p, damaged.n}, true, NULL) == MPG_DONE);
    CHECK(strstr(shown, "!f: byte 2: expected a field of an XPlane, found its end within a field\n"
                        "!f: byte 9: expected a field of an XEvent, found its end within a field\n"
                        "|||?|?|0+4096=4..4|0|-|-|-|-|{}|{}|\n" GPU0) == shown);
    /* What is cut off ends with an error, behind whole planes. */
    CHECK(render(&mpg_env_libc, (mpg_str){space.p, space.n - 30}, true, NULL) == MPG_DONE);
    CHECK(strncmp(shown, GPU0, sizeof GPU0 - 1) == 0);
    CHECK(ends_with("found the end of the file\n"));
  }
}

/* No byte changed or left out does harm: the sanitizers watch. */
static void test_every_byte(void) {
  static bytes space, damaged;
  put_space(&space);
  hostile_block(0);
  for (size_t n = 0; n < space.n; n++)
    CHECK(render(&mpg_env_libc, (mpg_str){space.p, n}, true, NULL) == MPG_DONE);
  for (size_t at = 0; at < space.n; at++)
    for (unsigned bit = 0; bit < 8; bit += at % 2 ? 1 : 2) {
      damaged = space;
      damaged.p[at] = (char)(damaged.p[at] ^ 1 << bit);
      (void)render(&mpg_env_libc, (mpg_str){damaged.p, damaged.n}, true, NULL);
      CHECK(n_shown < sizeof shown);
    }
}

static void test_limits(void) {
  static bytes plane, line, event;
  static char *huge;
  mpg_stream *ahead, *stream;
  mpg_xplane *x;
  mpg_err err;
  size_t n = ((size_t)64 << 20) + 1;
  hostile_block(0);
  /* An event of more than the limit of a record: only its head is needed to see that. */
  put_varint(&event, 4 << 3 | 2);
  put_varint(&event, n);
  put_varint(&line, 3 << 3 | 2);
  put_varint(&line, event.n + n);
  put(&line, event.p, event.n);
  put_varint(&plane, 1 << 3 | 2);
  put_varint(&plane, line.n + n);
  put(&plane, line.p, line.n);
  huge = calloc(plane.n + n, 1);
  if (huge == NULL)
    abort();
  memcpy(huge, plane.p, plane.n);
  CHECK(mpg_stream_memory(&ahead, &mpg_env_libc, "f", (mpg_str){huge, plane.n + n}, &err) ==
        MPG_OK);
  CHECK(mpg_stream_memory(&stream, &mpg_env_libc, "f", (mpg_str){huge, plane.n + n}, &err) ==
        MPG_OK);
  CHECK(mpg_xplane_open(&x, &mpg_env_libc, ahead, stream, NULL, &err) == MPG_OK);
  CHECK(mpg_xplane_next(x, &err) == MPG_LIMIT);
  CHECK(strcmp(err.text, "f: byte 15: an XEvent of 67108865 bytes, more than 67108864") == 0);
  mpg_xplane_close(x);
  mpg_stream_close(ahead);
  mpg_stream_close(stream);
  free(huge);
}

static void test_memory(void) {
  static bytes space;
  static char want[sizeof shown];
  hostile h = {0};
  mpg_env env = hostile_env(&h);
  put_space(&space);
  hostile_block(7);
  CHECK(render(&mpg_env_libc, (mpg_str){space.p, space.n}, true, NULL) == MPG_DONE);
  memcpy(want, shown, n_shown + 1);
  for (int after = 0; after < 2; after++)
    for (long k = 1;; k++) {
      mpg_issues issues;
      mpg_rc rc;
      h = (hostile){0, k, after == 1, false, 0};
      mpg_issues_init(&issues, &env);
      rc = render(&env, (mpg_str){space.p, space.n}, true, &issues);
      mpg_issues_free(&issues);
      CHECK(h.live == 0);
      CHECK(h.failed ? rc == MPG_NOMEM : rc == MPG_DONE && strcmp(shown, want) == 0);
      if (!h.failed) {
        CHECK(k > 20);
        break;
      }
    }
}

/* At each question, of which there are some on the way out of a damaged plane. */
static void test_stops(void) {
  enum { NEVER = 100000 };
  static const char bad_plane[] = "\x0a\xf4\x03\x03";
  static bytes damaged, space;
  hostile h = {.stop_in = NEVER};
  mpg_env env = hostile_env(&h);
  long asked;
  damaged.n = 0;
  put(&damaged, bad_plane, sizeof bad_plane - 1);
  for (int i = 0; i < 499; i++)
    put(&damaged, "\xba", 1);
  put_space(&space);
  put(&damaged, space.p, space.n);
  hostile_block(7);
  CHECK(render(&env, (mpg_str){damaged.p, damaged.n}, true, NULL) == MPG_DONE);
  asked = NEVER - h.stop_in;
#ifdef MPG_TEST
  CHECK(asked > 30);
#endif
  for (long n = 1; n <= asked; n++) {
    h.stop_in = n + 1;
    CHECK(render(&env, (mpg_str){damaged.p, damaged.n}, true, NULL) == MPG_INTERRUPTED);
    CHECK(h.live == 0 && ends_with("!interrupted\n"));
  }
}

int main(void) {
  test_events();
  test_planes();
  test_errors();
  test_times();
  test_going_on();
  test_every_byte();
  test_limits();
  test_memory();
  test_stops();
  return check_done("xplane");
}
