/* Tests of ext/io/hlo_text.c and what it is made of, and of ext/core/hlo_cost.c. */
#include "check.h"
#include "hostile.h"
#include "../../ext/core/hlo_attribute.h"
#include "../../ext/core/hlo_cost.h"
#include "../../ext/core/number.h"
#include "../../ext/io/hlo_text.h"

#define ADD "add { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT a = f32[] add(x, y) }\n"

/* Every module as "(LINE NAME instructions flops transcendentals bytes)", errors as "{text}". */
static mpg_rc render_text(const mpg_env *env, mpg_str text, char *out, size_t cap) {
  mpg_stream *stream = NULL;
  mpg_hlo_text *reader = NULL;
  mpg_hlo_cost cost;
  mpg_err err;
  size_t n = 0;
  mpg_rc rc = mpg_stream_memory(&stream, env, "mem", text, &err);
  out[0] = '\0';
  mpg_hlo_cost_init(&cost, env);
  if (rc == MPG_OK)
    rc = mpg_hlo_text_open(&reader, env, stream, &err);
  while (rc == MPG_OK || rc == MPG_DATA) {
    const mpg_hlo_module *m = NULL;
    rc = mpg_hlo_text_next(reader, &m, &err);
    if (rc == MPG_DATA && n < cap)
      n += (size_t)snprintf(out + n, cap - n, "{%s}", err.text);
    if (rc == MPG_OK)
      rc = mpg_hlo_cost_module(&cost, m, &err);
    else
      continue;
    if (rc == MPG_OK && n < cap)
      n += (size_t)snprintf(
          out + n, cap - n, "(%lld %.*s %zu %lld %lld %lld)", (long long)mpg_hlo_text_line(reader),
          (int)m->name.n, m->name.p, m->n, (long long)cost.sum.of[MPG_HLO_FLOPS],
          (long long)cost.sum.of[MPG_HLO_TRANSCENDENTALS], (long long)cost.sum.of[MPG_HLO_BYTES]);
  }
  mpg_hlo_cost_free(&cost);
  mpg_hlo_text_close(reader);
  mpg_stream_close(stream);
  return rc;
}

static void expect(const char *text, const char *expected) {
  for (size_t b = 0; b < HOSTILE_BLOCKS; b++) {
    char out[4096];
    hostile_block(hostile_blocks[b]);
    CHECK(render_text(&mpg_env_libc, mpg_str_of(text), out, sizeof out) == MPG_DONE);
    CHECK(strcmp(out, expected) == 0);
    if (strcmp(out, expected) != 0)
      (void)fprintf(stderr, "  found    %s\n  expected %s\n", out, expected);
  }
  hostile_block(0);
}

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
         "attributes {} {\" (MLIR? dump it with XLA_FLAGS=--xla_dump_hlo_as_text)}");
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
         "{mem:2: expected calls that end, found that \"f\" calls itself}");
  expect("f { a = f32[] parameter(0) b = f32[] call(a), to_apply=f }\n",
         "{mem:1: expected calls that end, found that \"f\" calls itself}");
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

/* ---- Attributes ---- */

static void groups(const char *text, int64_t ranks, int64_t devices) {
  int64_t r, d;
  mpg_hlo_groups(mpg_str_of(text), &r, &d);
  CHECK(r == ranks && d == devices);
  if (r != ranks || d != devices)
    (void)fprintf(stderr, "  %s: %lld ranks of %lld\n", text, (long long)r, (long long)d);
}

static void test_meshes(void) {
  static const char two[] =
      "{xla.sdy.meshes={mesh = #sdy.mesh<[\"x\"=2,\"y\"=4], device_ids=[7,6,5,4,3,2,1,0]>, "
      "other = #sdy.mesh<[\"a\"=3]>}}";
  static const char escaped[] =
      "{xla.sdy.meshes=\"{mesh = #sdy.mesh<[\\\"x\\\"=2, \\\"<axis 0x16>\\\"=16]>}\"}";
  CHECK(mpg_hlo_mesh_size(MPG_STR("")) == 1 &&
        mpg_hlo_mesh_size(MPG_STR("{xla.sdy.meshes={}}")) == 1);
  CHECK(mpg_hlo_mesh_size(MPG_STR("{xla.sdy.meshes={empty = #sdy.mesh<[]>}}")) == 1);
  CHECK(mpg_hlo_mesh_size(MPG_STR(two)) == 8 && mpg_hlo_mesh_size(MPG_STR(escaped)) == 32);
  CHECK(mpg_hlo_mesh_size(MPG_STR("mesh<[\"x\"=99999999999,\"y\"=4]>")) == INT32_MAX);
  CHECK(mpg_hlo_mesh_size(MPG_STR("mesh<[\"x\"=0,\"y\"=-2,\"z")) == 1);
  CHECK(mpg_hlo_manual_axes(
            MPG_STR(two),
            MPG_STR("{xla.sdy.manual_axes=\"#sdy<manual_axes{\\\"x\\\", \\\"y\\\"}>\"}")) == 8);
  CHECK(mpg_hlo_manual_axes(MPG_STR(two), MPG_STR("manual_axes{\"y\"}, \"x\"")) == 4);
  CHECK(mpg_hlo_manual_axes(MPG_STR(escaped), MPG_STR("manual_axes{\"<axis 0x16>\"}")) == 16);
  CHECK(mpg_hlo_manual_axes(MPG_STR(two), MPG_STR("manual_axes{\"z\"}")) == 0);
  CHECK(mpg_hlo_manual_axes(MPG_STR(two), MPG_STR("manual_axes{}")) == 0);
  CHECK(mpg_hlo_manual_axes(MPG_STR(two), MPG_STR("")) == 0);
  CHECK(mpg_hlo_tiles(MPG_STR("{devices=[2,1,4]<=[8] last_tile_dim_replicate}")) == 8);
  CHECK(mpg_hlo_tiles(MPG_STR("{{devices=[2,1]0,1}, {replicated}}")) == 2);
  CHECK(mpg_hlo_tiles(MPG_STR("{mesh['a'=2,'b'=4,'c'=3], [{'a'}, {'b':(2)2}]}")) == 24);
  CHECK(mpg_hlo_tiles(MPG_STR("{replicated}")) == 1 && mpg_hlo_tiles(MPG_STR("")) == 1);
  CHECK(mpg_hlo_tiles(MPG_STR("{devices=[99999999999,2]")) == INT32_MAX);
  CHECK(mpg_hlo_manual_tiles(MPG_STR("{manual}")) == 0 && mpg_hlo_manual_tiles(MPG_STR("")) == 0);
  CHECK(mpg_hlo_manual_tiles(MPG_STR("{devices=[2,1,4]<=[8] last_tile_dims={manual}}")) == 4);
  CHECK(mpg_hlo_manual_tiles(
            MPG_STR("{devices=[2,1,4,3]<=[24] last_tile_dims={replicated,manual}}")) == 3);
  CHECK(mpg_hlo_manual_tiles(
            MPG_STR("{devices=[2,1,4,3]<=[24] last_tile_dims={manual, manual}}")) == 12);
  CHECK(mpg_hlo_manual_tiles(MPG_STR("{devices=[2,1,4]<=[8] last_tile_dim_replicate}")) == 0);
}

static void test_attributes(void) {
  mpg_hlo_window_dim w[MPG_HLO_WINDOW_DIMS];
  groups("{{0,1},{2,3}}", 2, 4);
  groups("{{0,2,4},{1,3,5,6}}", 4, 7);
  groups("{{0}}", 1, 1);
  groups("{}", 0, 0);
  groups("", 0, 0);
  groups("[1,8]<=[8]", 8, 8);
  groups("[16,8]<=[8,16]T(1,0)", 8, 128);
  groups("mesh['axis_0'=4,'axis_1'=2] {'axis_0'}", 4, 8);
  groups("mesh['x'=4,'y'=2]{'x','y'}", 8, 8);
  /* Parts of an axis: those of 2 of its 4 and 16, and both that remain of 16. */
  groups("mesh['a'=4,'b'=2,'c'=3] {'a':(2)2,'b'}", 4, 24);
  groups("mesh['a'=16,'b'=2], device_ids=([2,16]T(1,0)) {'a':(1)2,'a':(8)2}", 4, 32);
  groups("{{99999999999999999999}}", 1, 2147483647);
  CHECK(mpg_hlo_window(MPG_STR("{size=3x5 stride=2x1 pad=1_1x-2_0 lhs_dilate=1x3 rhs_dilate=4x1}"),
                       w) == 2);
  CHECK(w[0].size == 3 && w[0].stride == 2 && w[0].pad_low == 1 && w[0].pad_high == 1 &&
        w[0].base_dilation == 1 && w[0].window_dilation == 4);
  CHECK(w[1].size == 5 && w[1].stride == 1 && w[1].pad_low == -2 && w[1].pad_high == 0 &&
        w[1].base_dilation == 3 && w[1].window_dilation == 1);
  CHECK(mpg_hlo_window(MPG_STR("{}"), w) == 0 && mpg_hlo_window(MPG_STR(""), w) == 0);
  CHECK(mpg_hlo_window(MPG_STR("{size=3x3 stride=2}"), w) == -1);
  CHECK(mpg_hlo_window(MPG_STR("{size=3 stride=0}"), w) == -1);
  CHECK(mpg_hlo_window(MPG_STR("{size=99999999999}"), w) == -1);
  CHECK(mpg_hlo_window(MPG_STR("{size=}"), w) == -1);
  CHECK(mpg_hlo_label(MPG_STR("b01f_01io->b01f"), 0, 'f') == 3);
  CHECK(mpg_hlo_label(MPG_STR("b01f_01io->bf01"), 1, 'o') == 3);
  CHECK(mpg_hlo_label(MPG_STR("b01f_01io->bf01"), 2, '1') == 3);
  CHECK(mpg_hlo_label(MPG_STR("b01f_01io->bf01"), 2, '2') == -1);
  CHECK(mpg_hlo_known_trips(MPG_STR("{\"known_trip_count\":{\"n\":\"7\"}}")) == 7);
  CHECK(mpg_hlo_known_trips(MPG_STR("\"{\\\"known_trip_count\\\":{\\\"n\\\":\\\"126\\\"}}\"")) ==
        126);
  CHECK(mpg_hlo_known_trips(MPG_STR("{\"known_trip_count\":{}}")) == -1);
  CHECK(mpg_hlo_known_trips(MPG_STR("")) == -1);
}

/* ---- Convolutions against counting every pair ---- */

static int64_t slow_pairs(int64_t kernel, int64_t output, int64_t input, int64_t stride,
                          int64_t pad, int64_t base, int64_t dilation) {
  int64_t n = 0;
  for (int64_t k = 0; k < kernel; k++)
    for (int64_t o = 0; o < output; o++) {
      int64_t x = o * stride - pad + k * dilation;
      n += x % base == 0 && x / base >= 0 && x / base < input;
    }
  return n;
}

static void test_convolutions(void) {
  uint32_t seed = 1;
  int64_t draw[7];
  for (int turn = 0; turn < 3000; turn++) {
    char text[512], out[256], expected[64];
    for (int i = 0; i < 7; i++) {
      seed = seed * 1664525u + 1013904223u;
      draw[i] = 1 + (int64_t)(seed >> 16) % (i < 3 ? 12 : 6);
    }
    (void)snprintf(text, sizeof text,
                   "e { i = f32[2,3,%lld] parameter(0) k = f32[5,3,%lld] parameter(1) ROOT c = "
                   "f32[2,5,%lld] convolution(i, k), window={size=%lld stride=%lld pad=%lld_0 "
                   "lhs_dilate=%lld rhs_dilate=%lld}, dim_labels=bf0_oi0->bf0 }",
                   (long long)draw[2], (long long)draw[0], (long long)draw[1], (long long)draw[0],
                   (long long)draw[3], (long long)draw[4] - 3, (long long)draw[5],
                   (long long)draw[6]);
    (void)snprintf(
        expected, sizeof expected, "(1 e 3 %lld ",
        (long long)(2 * 3 * 5 * 2 *
                    slow_pairs(draw[0], draw[1], draw[2], draw[3], draw[4] - 3, draw[5], draw[6])));
    CHECK(render_text(&mpg_env_libc, mpg_str_of(text), out, sizeof out) == MPG_DONE);
    CHECK(strncmp(out, expected, strlen(expected)) == 0);
    if (strncmp(out, expected, strlen(expected)) != 0)
      (void)fprintf(stderr, "  %s\n  found %s, expected %s\n", text, out, expected);
  }
}

/* ---- The rules, one instruction each, counted by hand from docs/hlo.md ---- */

/* The last of an entry computation: FLOPs, transcendentals and bytes of it alone. */
static void rule(const char *parameters, const char *root, long long flops,
                 long long transcendentals, long long bytes) {
  char text[2048], out[256], wanted[128];
  const char *behind;
  (void)snprintf(
      text, sizeof text,
      "add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }\n"
      "ge { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = pred[] compare(x, y), "
      "direction=GE }\n"
      "ENTRY e { %s ROOT r = %s }\n",
      parameters, root);
  (void)snprintf(wanted, sizeof wanted, " %lld %lld %lld)", flops, transcendentals, bytes);
  CHECK(render_text(&mpg_env_libc, mpg_str_of(text), out, sizeof out) == MPG_DONE);
  behind = strlen(out) > strlen(wanted) ? out + strlen(out) - strlen(wanted) : out;
  CHECK(strcmp(behind, wanted) == 0);
  if (strcmp(behind, wanted) != 0)
    (void)fprintf(stderr, "  %s\n  found %s, expected %s\n", root, out, wanted);
}

/*
** Gradients of y = convolution(x, k), of 2 x 9 x 3 by 4 x 3 x 5 with a stride of 2 and a padding of 1 and 2: as XLA
** writes them before it calls cuDNN, and as the calls, whose labels and windows are those of y. All three are of
** the same work: the pairs of a place in k and one in y that fall on x.
*/
static void test_cudnn_gradients(void) {
  static const char labels[] = "dim_labels=b0f_0io->b0f, ";
  static const char forward[] = "window={size=4 stride=2 pad=1_2}, ";
  static const char of_y[] = "x = f32[2,9,3] parameter(0) k = f32[4,3,5] parameter(1) ";
  static const char of_x[] = "g = f32[2,5,5] parameter(0) k = f32[4,3,5] parameter(1) ";
  static const char of_k[] = "x = f32[2,9,3] parameter(0) g = f32[2,5,5] parameter(1) ";
  const long long flops = 2LL * 2 * 3 * 5 * slow_pairs(4, 5, 9, 2, 1, 1, 1);
  const long long x = 216, k = 240, y = 200;
  char root[512];
  (void)snprintf(root, sizeof root, "f32[2,5,5] convolution(x, k), %s%sfeature_group_count=1",
                 forward, labels);
  rule(of_y, root, flops, 0, x + k + y);
  rule(of_x,
       "f32[2,9,3] convolution(g, k), window={size=4 pad=2_2 lhs_dilate=2 rhs_reversal=1}, "
       "dim_labels=b0f_0oi->b0f",
       flops, 0, x + k + y);
  rule(of_k,
       "f32[4,3,5] convolution(x, g), window={size=5 pad=1_2 rhs_dilate=2}, "
       "dim_labels=f0b_i0o->0bf",
       flops, 0, x + k + y);
  (void)snprintf(root, sizeof root,
                 "(f32[2,9,3], u8[64]) custom-call(g, k), "
                 "%s%scustom_call_target=\"__cudnn$convBackwardInput\"",
                 forward, labels);
  rule(of_x, root, flops, 0, x + k + y);
  (void)snprintf(root, sizeof root,
                 "(f32[4,3,5], u8[64]) custom-call(x, g), "
                 "%s%scustom_call_target=\"__cudnn$convBackwardFilter\"",
                 forward, labels);
  rule(of_k, root, flops, 0, x + k + y);
}

static void test_rules(void) {
  static const char vectors[] = "a = f32[8] parameter(0) z = f32[] constant(0) ";
  static const char matrices[] = "a = f32[4,4] parameter(0) b = f32[4,6] parameter(1) ";
  static const char cube[] = "a = f32[4,6,1] parameter(0) ";
  static const char gathered[] = "a = f32[100,4] parameter(0) i = s32[3,1] parameter(1) ";
  static const char conv[] = "i = f32[2,3,9] parameter(0) k = f32[5,3,3] parameter(1) ";
  static const char ragged[] =
      "a = f32[16,8] parameter(0) b = f32[4,8,32] parameter(1) g = s32[4] parameter(2) ";
  static const char contracted[] =
      "a = f32[8,16] parameter(0) b = f32[16,32] parameter(1) g = s32[4] parameter(2) ";
  static const char both[] = "a = f32[2,100] parameter(0) b = f32[100,7] parameter(1) ";

  rule(ragged, "f32[16,32] ragged-dot(a, b, g), lhs_contracting_dims={1}, lhs_ragged_dims={0}",
       2LL * 16 * 32 * 8, 0, 512 + 4096 + 16 + 2048);
  rule(contracted, "f32[4,8,32] ragged-dot(a, b, g), lhs_contracting_dims={1}, lhs_ragged_dims={1}",
       2LL * 8 * 32 * 16, 0, 512 + 2048 + 16 + 4096);

  /* Two of a window's three places are added to the first; a scan over everything is one reduction. */
  rule(vectors, "f32[6] reduce-window(a, z), window={size=3}, to_apply=add", 6LL * 2, 0,
       32 + 4 + 24);
  rule(vectors, "f32[8] reduce-window(a, z), window={size=15 pad=7_7}, to_apply=add", 8 / 8 + 7, 0,
       32 + 4 + 32);
  rule(vectors, "f32[8] reduce-window(a, z), window={size=15 pad=7_8}, to_apply=add", 8LL * 14, 0,
       32 + 4 + 32);
  rule(vectors, "f32[8] reduce-window(a, z), window={size=13 pad=6_6}, to_apply=add", 8LL * 12, 0,
       32 + 4 + 32);
  rule(vectors, "f32[8] reduce-window(a, z), window={size=0x}, to_apply=add", 0, 0, 32 + 4 + 32);
  rule("a = f32[8] parameter(0) s = f32[4] parameter(1) z = f32[] constant(0) ",
       "f32[8] select-and-scatter(a, s, z), window={size=2 stride=2}, select=ge, scatter=add",
       4LL * 1 + 4, 0, 32 + 16 + 4 + 32);
  rule("a = f32[8] parameter(0) s = f32[4] parameter(1) z = f32[] constant(0) ",
       "f32[8] select-and-scatter(a, s, z), window={size=0}, select=ge, scatter=add", 4, 0,
       32 + 16 + 4 + 32);
  rule(vectors, "f32[8] reduce-window(a, z), window={size=0}, to_apply=add", 0, 0, 32 + 4 + 32);
  rule("a = f32[10] parameter(0) b = f32[10] parameter(1) ", "f32[10] map(a, b), to_apply=add", 10,
       0, 120);
  rule("a = f32[100,4] parameter(0) i = s32[3,1] parameter(1) u = f32[3,4] parameter(2) ",
       "f32[100,4] scatter(a, i, u), to_apply=add", 12, 0, 48 + 12 + 48 + 48);
  rule("a = f32[10] parameter(0) ", "f32[10] sort(a), dimensions={0}, to_apply=ge", 10LL * 4, 0,
       80);
  rule("a = f32[16] parameter(0) ", "f32[16] sort(a), dimensions={0}, to_apply=ge", 16LL * 4, 0,
       128);
  rule("a = f32[1] parameter(0) ", "f32[1] sort(a), dimensions={0}, to_apply=ge", 0, 0, 8);
  rule("a = c64[3,8,4] parameter(0) ", "c64[3,8,4] fft(a), fft_type=FFT, fft_length={8,4}",
       8LL * 96 * 3 * 2, 0, 2LL * 96 * 8);
  rule(matrices, "f32[4,6] triangular-solve(a, b), left_side=true", 2LL * 4 * 24, 0, 32 + 96 + 96);
  rule("a = f32[6,6] parameter(0) ", "f32[6,6] cholesky(a), lower=true", 6LL * 36 / 3, 0, 72 + 72);
  rule("a = u64[2] parameter(0) ", "(u64[2], u32[8]) rng-bit-generator(a), algorithm=rng_default",
       0, 10, 16 + 16 + 32);

  /* Calls of libraries: cuBLAS by its dimension numbers, cuDNN as a convolution, with a workspace. */
  rule(both,
       "(f32[2,7], s8[999]) custom-call(a, b), custom_call_target=\"__cublas$gemm\", "
       "backend_config={\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"1\"]}}",
       2LL * 2 * 7 * 100, 0, 800 + 2800 + 56);
  rule(both, "f32[2,7] custom-call(a, b), custom_call_target=\"__cublas$lt$matmul$f8\"", 0, 0,
       800 + 2800 + 56);
  rule(conv,
       "(f32[2,5,7], s8[64]) custom-call(i, k), custom_call_target=\"__cudnn$convForward\", "
       "window={size=3}, dim_labels=bf0_oi0->bf0",
       2LL * 2 * 3 * 5 * 7 * 3, 0, 216 + 180 + 280);
  test_cudnn_gradients();
  rule(conv, "f32[2,5,7] custom-call(i, k), custom_call_target=\"Sharding\"", 0, 0, 0);
  rule(conv, "f32[2,5,7] custom-call(i, k), custom_call_target=\"Shardings\"", 0, 0, 0);

  /* A transpose that moves nothing: of a dimension of 1, or of the order in memory with it. */
  rule(cube, "f32[6,4,1] transpose(a), dimensions={1,0,2}", 0, 0, 192);
  rule(cube, "f32[4,1,6] transpose(a), dimensions={0,2,1}", 0, 0, 0);
  rule("a = f32[4,6]{1,0} parameter(0) ", "f32[6,4]{0,1} transpose(a), dimensions={1,0}", 0, 0, 0);
  rule("a = f32[4,6]{1,0} parameter(0) ", "f32[6,4]{1,0} transpose(a), dimensions={1,0}", 0, 0,
       192);
  rule("a = f32[4,6] parameter(0) ", "f32[6,4] transpose(a), dimensions={1}", 0, 0, 192);

  /* What of an operand is read: a slice, gathered rows; what is written: an update. */
  rule(gathered, "f32[5,4] slice(a), slice={[0:5], [0:4]}", 0, 0, 80 + 80);
  rule(gathered, "f32[3,4] gather(a, i), offset_dims={1}", 0, 0, 48 + 12 + 48);
  rule("a = f32[100] parameter(0) i = s32[] parameter(1) ",
       "f32[5] dynamic-slice(a, i), dynamic_slice_sizes={5}", 0, 0, 20 + 4 + 20);
  rule("a = f32[100] parameter(0) u = f32[5] parameter(1) i = s32[] parameter(2) ",
       "f32[100] dynamic-update-slice(a, u, i)", 0, 0, 20 + 4 + 20);
  rule("a = f32[25] parameter(0) t = token[] parameter(1) ", "token[] outfeed(a, t)", 0, 0, 100);
}

/* A fusion reads of its parameters what the instructions in it use. */
static void fused(const char *inside, const char *parameters, const char *result, long long flops,
                  long long bytes) {
  char text[2048], out[256], wanted[128];
  const char *behind;
  (void)snprintf(text, sizeof text, "f { %s }\nENTRY e { %s ROOT r = %s, kind=kLoop, calls=f }\n",
                 inside, parameters, result);
  (void)snprintf(wanted, sizeof wanted, " %lld 0 %lld)", flops, bytes);
  CHECK(render_text(&mpg_env_libc, mpg_str_of(text), out, sizeof out) == MPG_DONE);
  behind = strlen(out) > strlen(wanted) ? out + strlen(out) - strlen(wanted) : out;
  CHECK(strcmp(behind, wanted) == 0);
  if (strcmp(behind, wanted) != 0)
    (void)fprintf(stderr, "  %s\n  found %s, expected %s\n", inside, out, wanted);
}

static void test_fusions(void) {
  static const char one[] = "a = f32[100] parameter(0) ",
                    two[] = "a = f32[100] parameter(0) i = s32[] parameter(1) ";
  fused("p = f32[100] parameter(0) ROOT n = f32[100] negate(p)", one, "f32[100] fusion(a)", 100,
        800);
  fused("p = f32[100] parameter(0) x = f32[100] negate(p) ROOT n = f32[100] add(p, x)", one,
        "f32[100] fusion(a)", 200, 800);
  fused("p = f32[100] parameter(0) x = f32[5] slice(p), slice={[0:5]} ROOT n = f32[5] negate(x)",
        one, "f32[5] fusion(a)", 5, 20 + 20);
  fused("p = f32[100] parameter(0) x = f32[5] slice(p), slice={[0:5]} y = f32[5] slice(p), "
        "slice={[9:14]} ROOT n = f32[5] add(x, y)",
        one, "f32[5] fusion(a)", 5, 40 + 20);
  fused("p = f32[100] parameter(0) i = s32[] parameter(1) ROOT x = f32[5] dynamic-slice(p, i), "
        "dynamic_slice_sizes={5}",
        two, "f32[5] fusion(a, i)", 0, 20 + 4 + 20);
  fused(
      "p = f32[100] parameter(0) u = f32[5] parameter(1) i = s32[] parameter(2) ROOT x = f32[100] "
      "dynamic-update-slice(p, u, i)",
      "a = f32[100] parameter(0) u = f32[5] parameter(1) i = s32[] parameter(2) ",
      "f32[100] fusion(a, u, i)", 0, 0 + 20 + 4 + 20);
  fused("p = f32[] parameter(0) ROOT x = f32[100] broadcast(p), dimensions={}",
        "a = f32[] parameter(0) ", "f32[100] fusion(a)", 0, 4 + 400);
  fused("p = f32[4] parameter(0) c = f32[4] constant({1,2,3,4}) ROOT x = f32[4] add(p, c)",
        "a = f32[4] parameter(0) ", "f32[4] fusion(a)", 4, 16 + 16 + 16);
  fused("p = f32[100] parameter(0) u = f32[5] slice(p), slice={[0:5]} v = f32[100] negate(p) ROOT "
        "t = "
        "(f32[5], f32[100]) tuple(u, v)",
        one, "(f32[5], f32[100]) fusion(a)", 100, 20 + 400 + 20 + 400);

  /* A fusion within hands its parameter on: what is sliced of it is all that is read. Else what it reads itself, once. */
  fused("p = f32[100] parameter(0) x = f32[100] fusion(p), kind=kLoop, calls={ q = f32[100] "
        "parameter(0) ROOT n = f32[100] negate(q) } ROOT y = f32[5] slice(x), slice={[0:5]}",
        one, "f32[5] fusion(a)", 100, 20 + 20);
  fused("p = f32[100] parameter(0) x = f32[100] fusion(p), kind=kLoop, calls={ q = f32[100] "
        "parameter(0) ROOT n = f32[100] negate(q) } y = f32[100] negate(x) z = f32[100] negate(x) "
        "ROOT w = f32[100] add(y, z)",
        one, "f32[100] fusion(a)", 400, 400 + 400);
  fused("p = f32[100] parameter(0) x = f32[100] fusion(p), kind=kLoop, calls={ q = f32[100] "
        "parameter(0) m = f32[100] negate(q) ROOT n = f32[100] negate(m) } ROOT y = f32[5] "
        "slice(x), slice={[0:5]}",
        one, "f32[5] fusion(a)", 200, 400 + 20);
  /* Handed in twice, but taken once. */
  fused("p = f32[100] parameter(0) x = f32[100] fusion(p, p), kind=kLoop, calls={ q = f32[100] "
        "parameter(0) ROOT n = f32[100] negate(q) } ROOT y = f32[5] slice(x), slice={[0:5]}",
        one, "f32[5] fusion(a)", 100, 20 + 20);

  /* A custom fusion around a gather moves what that does; around anything else it is as others. */
  expect("f { p = f32[100,4] parameter(0) i = s32[3,1] parameter(1) ROOT g = f32[3,4] gather(p, "
         "i), offset_dims={1} }\nENTRY e { a = f32[100,4] parameter(0) i = s32[3,1] parameter(1) "
         "ROOT r = f32[3,4] fusion(a, i), kind=kCustom, calls=f }",
         "(1 e 6 0 0 108)");
  expect("f { p = f32[100] parameter(0) ROOT g = f32[100] negate(p) }\nENTRY e { a = f32[100] "
         "parameter(0) ROOT r = f32[100] fusion(a), kind=kCustom, calls=f }",
         "(1 e 4 100 0 800)");
}

/* What is called costs where it is called: of branches the dearest, by each counter. */
static void test_calls(void) {
#define BRANCHES                                                                                   \
  "a { x = f32[4] parameter(0) ROOT n = f32[4] negate(x) }\n"                                      \
  "b { x = f32[4] parameter(0) m = f32[4] exponential(x) ROOT n = f32[4] exponential(m) }\n"
  expect(BRANCHES "ENTRY e { p = pred[] parameter(0) x = f32[4] parameter(1) ROOT c = f32[4] "
                  "conditional(p, x, x), true_computation=a, false_computation=b }",
         "(1 e 8 4 8 64)");
  expect(BRANCHES "ENTRY e { p = s32[] parameter(0) x = f32[4] parameter(1) ROOT c = f32[4] "
                  "conditional(p, x, x, x), branch_computations={a, a, a} }",
         "(1 e 8 4 0 32)");
  expect(BRANCHES "ENTRY e { x = f32[4] parameter(0) y = f32[4] call(x), to_apply=a ROOT z = "
                  "f32[4] call(y), to_apply=b }",
         "(1 e 8 4 8 96)");
#undef BRANCHES
}

/* ---- Trip counts ---- */

static void trips(const char *start, const char *step, const char *compare, const char *limit,
                  int64_t expected) {
  char text[1024], out[256], wanted[64];
  (void)snprintf(text, sizeof text,
                 "lt { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = pred[] compare(a, "
                 "b), direction=LT }\n"
                 "body { s = (s32[], f32[4]) parameter(0) i = s32[] get-tuple-element(s), index=0 "
                 "x = f32[4] get-tuple-element(s), index=1 c = s32[] constant(%s) j = s32[] "
                 "%s y = f32[4] negate(x) ROOT t = (s32[], f32[4]) tuple(j, y) }\n"
                 "cond { s = (s32[], f32[4]) parameter(0) i = s32[] get-tuple-element(s), index=0 "
                 "n = s32[] constant(%s) ROOT r = pred[] %s }\n"
                 "ENTRY e { x = f32[4] parameter(0) i = s32[] constant(%s) k = s32[] copy(i) t = "
                 "(s32[], f32[4]) tuple(k, x) ROOT w = (s32[], f32[4]) while(t), condition=cond, "
                 "body=body }",
                 "1", step, limit, compare, start);
  /* A turn: add, negate of 4, and compare; the condition once more. */
  (void)snprintf(wanted, sizeof wanted, "(1 e 19 %lld ",
                 (long long)(expected < 0 ? 6 : expected * 6 + 1));
  CHECK(render_text(&mpg_env_libc, mpg_str_of(text), out, sizeof out) == MPG_DONE);
  CHECK(strncmp(out, wanted, strlen(wanted)) == 0);
  if (strncmp(out, wanted, strlen(wanted)) != 0)
    (void)fprintf(stderr, "  %s\n  found %s, expected %s\n", text, out, wanted);
}

static void test_trips(void) {
  trips("0", "add(i, c)", "compare(i, n), direction=LT", "7", 7);
  trips("0", "add(c, i)", "compare(n, i), direction=GT", "7", 7);
  trips("0", "add(i, c)", "fusion(i, n), kind=kLoop, calls=lt", "7", 7);
  trips("0", "add(i, c)", "call(i, n), to_apply=lt", "7", 7);
  trips("0", "add(i, c)", "fusion(n, i), kind=kLoop, calls=lt", "7", -1);
  trips("0", "add(i, c)", "fusion(i), kind=kLoop, calls=lt", "7", -1);
  trips("0", "add(i, c)", "compare(i, n), direction=LT", "{ 7 }", 7);
  trips("0", "add(i, c)", "compare(i, n), direction=LT", "true", 1);
  trips("0", "add(i, c)", "compare(i, n), direction=LT", "false", 0);
  trips("0", "add(i, c)", "compare(i, n), direction=LT", "7.5", -1);
  trips("2", "add(i, c)", "compare(i, n), direction=LE", "7", 6);
  trips("9", "subtract(i, c)", "compare(i, n), direction=GT", "2", 7);
  trips("9", "subtract(i, c)", "compare(n, i), direction=LE", "2", 8);
  trips("3", "add(i, c)", "compare(i, n), direction=NE", "7", 4);
  trips("9", "add(i, c)", "compare(i, n), direction=NE", "7", -1);
  trips("9", "add(i, c)", "compare(i, n), direction=LT", "7", 0);
  trips("0", "subtract(i, c)", "compare(i, n), direction=LT", "7", -1);
  trips("0", "subtract(c, i)", "compare(i, n), direction=LT", "7", -1);
  trips("0", "multiply(i, c)", "compare(i, n), direction=LT", "7", -1);
  trips("0", "add(i, i)", "compare(i, n), direction=LT", "7", -1);
  trips("0", "add(i, c)", "compare(i, i), direction=LT", "7", -1);
  trips("0", "add(i, c)", "not(i)", "7", -1);
  trips("-9223372036854775808", "add(i, c)", "compare(i, n), direction=LE", "9223372036854775807",
        -1);
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
  for (long stop = 2, turn = 0; rc == MPG_INTERRUPTED; stop += strides[turn % 7], turn++) {
    char out[256];
    hostile h = {0, 0, false, false, stop};
    mpg_env env = hostile_env(&h);
    rc = render_text(&env, mpg_str_of(text), out, sizeof out);
    CHECK(rc == (h.stop_in == 1 ? MPG_INTERRUPTED : MPG_DONE) && h.live == 0);
    CHECK(rc == MPG_INTERRUPTED || turn > 2);
  }
}

static void test_stop(void) {
  char *text = repeated("e { p = f32[] parameter(0)\n", " n = f32[] negate(p)\n", 20000, "}");
  char out[256];
  hostile h = {0, 0, false, false, 3};
  mpg_env env = hostile_env(&h);
  CHECK(render_text(&env, mpg_str_of(text), out, sizeof out) == MPG_INTERRUPTED && h.live == 0);
  free(text);
  /* And wherever else it is asked: names, links, users, prices; of many instructions, and of one with many operands. */
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
  test_attributes();
  test_meshes();
  test_convolutions();
  test_rules();
  test_fusions();
  test_calls();
  test_trips();
  test_faults();
  test_torn();
  test_ends_with_its_buffer();
  test_stop();
  return check_done("hlo");
}
