/* Tests of ext/formats/hlo/hlo_text.c and what it is made of: the grammar, hostile sizes, and
** what is cut off or damaged. */
#include "hlo_told.h"
#include "../../ext/base/number.h"

/* ---- The grammar ---- */

static void test_modules(void) {
  expect("HloModule m\nENTRY e { ROOT p = f32[2,3]{1,0} parameter(0) }\n", "(1 m 1 0 0 0)");
  expect("// a comment\r\n\r\nHloModule m:\r\n\r\nENTRY %e {\r\n ROOT %p = f32[] parameter(0)\r\n}",
         "(3 m 1 0 0 0)");
  expect("e { a = f32[4] parameter(0)  b = f32[4] exponential(a) }", "(1 e 2 0 4 32)");
  expect("HloModule a\nENTRY e { p = f32[] parameter(0) }\n// HloModule no\n  HloModule b, "
         "is_scheduled=true\nENTRY e { p = f32[] parameter(0) }\n",
         "(1 a 1 0 0 0)(4 b 1 0 0 0)");
  expect("HloModule m, x={a=\"}\\\"{\", b={}}, num_partitions=2\nFileNames\n1 \"a.py\"\n2 "
         "\"b.py\"\n\nStackFrames\n1 {file_location_id=1 parent_frame_id=1}\n\n%c (x: f32[2], t: "
         "(f32[], s32[])) -> f32[2]{0} {\n %x = f32[2]{0:T(8,128)(2,1)S(1)} parameter(0)\n ROOT %n "
         "= f32[2]{0} negate(f32[2]{0} %x), metadata={op_name=\"a } b\" source_line=1}\n}, "
         "execution_thread=\"main\"\n",
         "(1 m 2 2 0 16)");
  /* Names of attributes' computations in place, nested; operands in every style. */
  expect("HloModule m\nENTRY e { t = f32[8]{0} parameter(0)\n ROOT f = f32[8]{0} fusion(f32[8]{0} "
         "t), kind=kLoop, calls={\n p = f32[8]{0} parameter(0)\n ROOT g = f32[8]{0} "
         "fusion(/*index=0*/p), kind=kLoop, calls={ q = f32[8] parameter(0) ROOT s = f32[8] add(q, "
         "q) }\n}, metadata={op_name=\"x\"} }",
         "(1 m 6 8 0 32)");
  /* A shape left out, a buffer, sub-byte elements, a dynamic and an unbounded dimension. */
  expect("ENTRY e { a = u4[6]{0:E(4)} parameter(0)  b = b(f32[4]) parameter(1)  c = f32[<=8,2] "
         "parameter(2)  d = f32[?] parameter(3)\n t = tuple(a, b)  n = negate(c)  g = "
         "get-tuple-element(t), index=1  ROOT k = copy(g) }",
         "{mem:2:78: expected a shape before the opcode, found \"copy(g) }\"}");
  expect("ENTRY e { a = u4[6]{0:E(4)} parameter(0)  c = f32[<=8,2] parameter(1)  d = f32[?] "
         "parameter(2)\n t = tuple(a, c)  n = negate(c) b = u4[6]{0:E(4)} copy(a) ROOT k = f32[?] "
         "negate(d) }",
         "(1 e 7 16 0 150)");
}

static void test_errors(void) {
  expect("", "{mem:1:1: expected \"HloModule\" or a computation of HLO text, found end of file}");
  expect("// only\n\n",
         "{mem:3:1: expected \"HloModule\" or a computation of HLO text, found end of file}");
  expect("{\"traceEvents\": []}", "{mem:1:1: expected \"HloModule\" or a computation of HLO text, "
                                  "found \"{\"traceEvents\": []}\"}");
  expect("module @jit_f attributes {} {\n}\n",
         "{mem:1:1: expected \"HloModule\" or a computation of HLO text, found \"module @jit_f "
         "attributes {} {\" (MLIR? dump it with XLA_FLAGS=--xla_dump_hlo_as_text, or, of JAX, "
         "print lowered.compiler_ir(\"hlo\").as_hlo_text())}");
  expect("HloModule m\n", "{mem:2:1: expected a computation, found end of file}");
  expect("HloModule m\nENTRY e {\n a = f32[] parameter(0)\n",
         "{mem:4:1: expected an instruction or '}', found end of file within the computation \"e\" "
         "of line 2}");
  expect("HloModule m\nENTRY e {\n a = f32[] \nHloModule n\nENTRY e { p = f32[] parameter(0) }",
         "{mem:4:1: expected an opcode, found the next HloModule within the computation \"e\" of "
         "line 2}(4 n 1 0 0 0)");
  expect("e { a = f32[] add(b, b) }", "{mem:1:19: expected the name of an instruction above, as "
                                      "operand, found \"b, b) }\"}");
  expect("e { a = g32[] parameter(0) }",
         "{mem:1:9: expected a shape, found \"g32[] parameter(0) }\"}");
  expect("e { a = f32[-1] parameter(0) }",
         "{mem:1:15: expected a dimension, found \"] parameter(0) }\"}");
  expect("e { a = f32[] constant({ }", "{mem:2:1: expected the end of a constant, found end of "
                                       "file within the computation \"e\" of line 1}");
  expect("e { a = f32[] parameter(0), metadata={op_name=\"x }",
         "{mem:2:1: expected the end of an attribute's value, found end of file within the "
         "computation \"e\" of line 1}");
  expect("e { a = f32[] parameter(0)\n b = f32[] call(a), to_apply=%gone }",
         "{mem:2: expected a computation of this module, found \"gone\"}");
  expect("f { a = f32[] parameter(0) b = f32[] call(a), to_apply=g }\n"
         "g { a = f32[] parameter(0) b = f32[] call(a), to_apply=f }\n",
         "{mem:2: expected a computation that does not call itself, found \"f\"}");
  expect("f { a = f32[] parameter(0) b = f32[] call(a), to_apply=f }\n",
         "{mem:1: expected a computation that does not call itself, found \"f\"}");
  expect("e { a = (f32[], s32[]) parameter(0) b = f32[] get-tuple-element(a), index=x }",
         "{mem:1:47: expected an index of get-tuple-element, found \"get-tuple-element(a), "
         "index=x }\"}");
}

static void test_nul(void) {
  static const char text[] = "HloModule a\nENTRY e { p = f32[]\0 parameter(0) }\nHloModule b\n"
                             "ENTRY e { p = f32[] parameter(0) }\n";
  char out[1024];
  CHECK(render_text(&mpg_env_libc, (mpg_str){text, sizeof text - 1}, out, sizeof out) == MPG_DONE);
  CHECK(strcmp(out, "{mem:2:20: expected text, found byte 0x00}(3 b 1 0 0 0)") == 0);
}

/* ---- Hostile sizes ---- */

static char *put(char *to, const char *text) {
  while (*text != '\0')
    *to++ = *text++;
  return to;
}

static char *repeated(const char *head, const char *piece, size_t times, const char *tail) {
  char *text = malloc(strlen(head) + strlen(piece) * times + strlen(tail) + 1), *at = text;
  if (text == NULL)
    abort();
  at = put(at, head);
  for (size_t i = 0; i < times; i++)
    at = put(at, piece);
  *put(at, tail) = '\0';
  return text;
}

static void begins(const char *head, const char *piece, size_t times, const char *tail,
                   const char *expected) {
  char *text = repeated(head, piece, times, tail);
  char out[2048];
  CHECK(render_text(&mpg_env_libc, mpg_str_of(text), out, sizeof out) == MPG_DONE);
  CHECK(strncmp(out, expected, strlen(expected)) == 0);
  if (strncmp(out, expected, strlen(expected)) != 0)
    (void)fprintf(stderr, "  found    %s\n  expected %s\n", out, expected);
  free(text);
}

static void test_deep(void) {
  const size_t deep = 1000000;
  begins("e { p = ", "(", deep, "f32[]", "{mem:2:1: expected ',' or ')' of a tuple");
  begins("e { p = f32[] parameter(0), x=", "{", deep, "}", "{mem:2:1: expected the end of");
  begins("e ", "{", deep, "", "{mem:1:4: expected an instruction or '}'");
  begins("e { c = f32[] constant(", "{", deep, "", "{mem:2:1: expected the end of a constant");
  begins("e { p = f32[] parameter(0)", "", 0, " f = f32[] fusion(p), calls=", "{mem:");
  /* Computations in place, one in the other: read, and cut off. */
  begins("e { p = f32[] parameter(0) ", "f = f32[] fusion(), calls={ p = f32[] parameter(0) ",
         deep / 10, "", "{mem:2:1: expected an instruction or '}', found end of file");
  /* A tuple in a tuple in a tuple: read to the end. */
  {
    char *open = repeated("e { p = ", "(", deep / 10, "f32[]");
    char *all = repeated(open, ")", deep / 10, " parameter(0) }");
    char out[256];
    CHECK(render_text(&mpg_env_libc, mpg_str_of(all), out, sizeof out) == MPG_DONE);
    CHECK(strcmp(out, "(1 e 1 0 0 0)") == 0);
    free(open);
    free(all);
  }
}

/* A chain of calls as long as the file, each doubling the work: the count stops at its bound. */
static void test_long_chain(void) {
  enum { LENGTH = 3000 };
  size_t cap = LENGTH * 120, n = 0;
  char *text = malloc(cap), out[256];
  mpg_hlo_cost cost;
  if (text == NULL)
    abort();
  n += (size_t)snprintf(text, cap, "c0 { p = f32[] parameter(0) ROOT n = f32[] negate(p) }\n");
  for (int i = 1; i < LENGTH; i++)
    n += (size_t)snprintf(text + n, cap - n,
                          "c%d { p = f32[] parameter(0) a = f32[] call(p), to_apply=c%d ROOT b = "
                          "f32[] call(a), to_apply=c%d }\n",
                          i, i - 1, i - 1);
  CHECK(render_text(&mpg_env_libc, (mpg_str){text, n}, out, sizeof out) == MPG_DONE);
  mpg_hlo_cost_init(&cost, &mpg_env_libc);
  {
    mpg_stream *stream = NULL;
    mpg_hlo_text *reader = NULL;
    const mpg_hlo_module *m = NULL;
    mpg_err err;
    CHECK(mpg_stream_memory(&stream, &mpg_env_libc, "mem", (mpg_str){text, n}, &err) == MPG_OK);
    CHECK(mpg_hlo_text_open(&reader, &mpg_env_libc, stream, &err) == MPG_OK);
    CHECK(mpg_hlo_text_next(reader, &m, &err) == MPG_OK && m != NULL);
    CHECK(m != NULL && mpg_hlo_cost_module(&cost, m, &err) == MPG_OK);
    CHECK(cost.sum.of[MPG_HLO_FLOPS] == MPG_HLO_MAX);
    CHECK(cost.times[0].of[MPG_HLO_FLOPS] == MPG_HLO_MAX);
    mpg_hlo_cost_free(&cost);
    mpg_hlo_text_close(reader);
    mpg_stream_close(stream);
  }
  free(text);
}

/* Dimensions that no memory holds. */
static void test_huge(void) {
  expect("e { a = f32[9000000000000000000,9000000000000000000] parameter(0) ROOT n = "
         "f32[9000000000000000000,9000000000000000000] negate(a) }",
         "(1 e 2 0 0 0)");
  expect(
      "HloModule m\nENTRY e { i = f32[1,1,1000000000000] parameter(0)  k = f32[1,1,1000000000000]"
      " parameter(1)\n ROOT c = f32[1,1,1000000000000] convolution(i, k), window={size=3}, "
      "dim_labels=bf0_oi0->bf0 }\n",
      "(1 m 3 0 0 12000000000000)");
}

/* ---- Faults ---- */

static const char sample[] =
    "HloModule m, num_partitions=4\n" ADD
    "f { p = (f32[4], (f32[2], f32[2])) parameter(0) a = f32[4] get-tuple-element(p), index=0 b = "
    "(f32[2], f32[2]) get-tuple-element(p), index=1 c = f32[2] get-tuple-element(b), index=1 ROOT "
    "t = (f32[4], f32[2]) tuple(a, c) }\n"
    "ENTRY e { x = f32[4] parameter(0) y = f32[2] parameter(1) z = f32[] constant(0) i = tuple(y, "
    "y) t = tuple(x, i) u = (f32[4], f32[2]) fusion(t), kind=kLoop, calls=f\n v = f32[4] "
    "get-tuple-element(u), index=0 w = f32[4] all-reduce(v), replica_groups={{0,1,2,3}}, "
    "to_apply=add\n k = f32[4] fusion(w), kind=kLoop, calls={ q = f32[4] parameter(0) ROOT n = "
    "f32[4] negate(q) } ROOT r = f32[] reduce(k, z), dimensions={0}, to_apply=add }\n"
    "HloModule n\nENTRY e { ROOT p = f32[] parameter(0) }\n";

static void test_faults(void) {
  char whole[1024], out[1024];
  long points = 0;
  hostile h = {0, 0, false, false, 0};
  mpg_env env = hostile_env(&h);
  CHECK(render_text(&env, MPG_STR(sample), whole, sizeof whole) == MPG_DONE && h.live == 0);
  CHECK(strcmp(whole, "(1 m 20 11 0 184)(7 n 1 0 0 0)") == 0);
  if (strcmp(whole, "(1 m 20 11 0 184)(7 n 1 0 0 0)") != 0)
    (void)fprintf(stderr, "  %s\n", whole);
  for (int and_after = 0; and_after < 2; and_after++)
    for (long n = 1;; n++) {
      mpg_rc rc;
      h = (hostile){0, n, and_after, false, 0};
      rc = render_text(&env, MPG_STR(sample), out, sizeof out);
      CHECK(h.live == 0);
      CHECK(rc == MPG_NOMEM || strcmp(out, whole) == 0);
      if (!h.failed)
        break;
      points++;
    }
  CHECK(points > 40);
}

/* Cut off anywhere, or with any byte changed, it is read or refused, and nothing leaks. */
static void test_torn(void) {
  char text[sizeof sample], out[4096];
  hostile h = {0, 0, false, false, 0};
  mpg_env env = hostile_env(&h);
  static const char bytes[] = "{}()[]=,\"%/* \n\\x0";
  for (size_t n = 0; n < sizeof sample; n++) {
    CHECK(render_text(&env, (mpg_str){sample, n}, out, sizeof out) == MPG_DONE && h.live == 0);
    memcpy(text, sample, sizeof sample);
    text[n] = bytes[n * 7 % (sizeof bytes - 1)];
    CHECK(render_text(&env, (mpg_str){text, sizeof sample - 1}, out, sizeof out) == MPG_DONE);
    CHECK(h.live == 0);
  }
}

/* Cut off anywhere, and what there is fills its buffer, of a power of two, to the last byte. */
static void test_ends_with_its_buffer(void) {
  static const char tables[] =
      "HloModule m\nFileNames\n1 \"a.py\"\nFileLocations\n1 {file_name_id=1}\n";
  const char *texts[] = {sample, tables};
  enum { SIZE = 2048 };
  char text[SIZE], out[4096];
  for (size_t i = 0; i < 2; i++)
    for (size_t n = 1; n <= strlen(texts[i]); n++) {
      size_t with_end = n + (texts[i][n - 1] != '\n'); /* a line without an end is given one */
      memset(text, ' ', SIZE);
      text[SIZE - 1] = '\n';
      memcpy(text + SIZE - with_end, texts[i], n);
      CHECK(render_text(&mpg_env_libc, (mpg_str){text, SIZE}, out, sizeof out) == MPG_DONE);
    }
}

static void stopped_anywhere(const char *text) {
  static const long strides[] = {1, 1, 1, 2, 3, 5, 7};
  mpg_rc rc = MPG_INTERRUPTED;
  for (long stop = 2, turn = 0; rc == MPG_INTERRUPTED;
       stop += strides[turn % 7] * check_stride(4), turn++) {
    char out[256];
    hostile h = {0, 0, false, false, stop};
    mpg_env env = hostile_env(&h);
    rc = render_text(&env, mpg_str_of(text), out, sizeof out);
    CHECK(rc == (h.stop_in == 1 ? MPG_INTERRUPTED : MPG_DONE) && h.live == 0);
    CHECK(rc == MPG_INTERRUPTED || turn > 2);
  }
}

/* More names than are moved between two looks when there is to be room for more. */
static void test_stop_at_names(void) {
  enum { NAMES = (int)MPG_POLL_TURNS + 300, LENGTH = 40 };
  char *text = malloc((size_t)NAMES * LENGTH);
  size_t n = 0;
  mpg_rc rc = MPG_INTERRUPTED;
  long stop = 2;
  if (text == NULL)
    abort();
  for (int i = 0; i < NAMES; i++)
    n += (size_t)snprintf(text + n, LENGTH, "%s n%d = f32[] constant(1)%s", i == 0 ? "e {" : "", i,
                          i == NAMES - 1 ? "}" : "\n");
  for (; rc == MPG_INTERRUPTED; stop += check_stride(5)) {
    char out[256];
    hostile h = {0, 0, false, false, stop};
    mpg_env env = hostile_env(&h);
    rc = render_text(&env, (mpg_str){text, n}, out, sizeof out);
    CHECK(rc == (h.stop_in == 1 ? MPG_INTERRUPTED : MPG_DONE) && h.live == 0);
  }
  CHECK(stop > 16);
  free(text);
}

static void test_stop(void) {
  char *text = repeated("e { p = f32[] parameter(0)\n", " n = f32[] negate(p)\n", 20000, "}");
  char out[256];
  hostile h = {0, 0, false, false, 3};
  mpg_env env = hostile_env(&h);
  CHECK(render_text(&env, mpg_str_of(text), out, sizeof out) == MPG_INTERRUPTED && h.live == 0);
  free(text);
  /* And wherever else it is asked: names, links, users, prices; of many instructions, and of one
  ** with many operands. */
  text = repeated("e { p = f32[] parameter(0)\n", " n = f32[] add(p, p)\n", 70000, "}");
  stopped_anywhere(text);
  free(text);
  text = repeated("e { p = f32[] parameter(0) ROOT t = tuple(p", ", p", 70000, ") }");
  stopped_anywhere(text);
  free(text);
}

int main(void) {
  test_modules();
  test_errors();
  test_nul();
  test_deep();
  test_long_chain();
  test_huge();
  test_faults();
  test_torn();
  test_ends_with_its_buffer();
  test_stop();
  test_stop_at_names();
  return check_done("hlo");
}
