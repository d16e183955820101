/* test_hlo_attribute.c - what attribute values say, at the ends of what they may be. */
#include "../../ext/program/hlo/hlo_attribute.h"
#include "check.h"
#include "exactly.h"

static bool is(mpg_str s, const char *text) {
  return text == NULL ? s.p == NULL : s.p != NULL && mpg_str_eq(s, mpg_str_of(text));
}

/* ---- Numbers in a row ---- */

static void numbers(const char *text, int n, const int64_t *expected) {
  mpg_str rest = exactly(text);
  int64_t v = 7;
  for (int i = 0; i < n; i++)
    CHECK(mpg_hlo_next_number(&rest, &v) && v == expected[i]);
  CHECK(!mpg_hlo_next_number(&rest, &v) && rest.n == 0);
}

static void test_numbers(void) {
  mpg_str rest;
  int64_t v;
  numbers("", 0, NULL);
  numbers("{}", 0, NULL);
  numbers("-", 0, NULL);
  numbers("0", 1, (int64_t[]){0});
  numbers("{1,-2, 30 }", 3, (int64_t[]){1, -2, 30});
  numbers("/09:", 1, (int64_t[]){9}); /* the bytes beside digits */
  numbers("- 5 --6 7-", 3, (int64_t[]){5, -6, 7});
  numbers("9223372036854775807 9223372036854775808 -9223372036854775808 99999999999999999999 1", 5,
          (int64_t[]){INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, 1});
  rest = exactly("a12,3");
  CHECK(mpg_hlo_next_number(&rest, &v) && v == 12 && is(rest, ",3"));
}

/* ---- Members ---- */

static void test_after(void) {
  CHECK(is(mpg_hlo_after(exactly("abcabd"), MPG_STR("ab")), "cabd"));
  CHECK(is(mpg_hlo_after(exactly("abcabd"), MPG_STR("abd")), ""));
  CHECK(is(mpg_hlo_after(exactly("aab"), MPG_STR("ab")), ""));
  CHECK(is(mpg_hlo_after(exactly("a"), MPG_STR("a")), ""));
  CHECK(is(mpg_hlo_after(exactly("ba"), MPG_STR("a")), ""));
  CHECK(is(mpg_hlo_after(exactly("abcab"), MPG_STR("abd")), NULL));
  CHECK(is(mpg_hlo_after(exactly("ab"), MPG_STR("abc")), NULL));
  CHECK(is(mpg_hlo_after(exactly("bbb"), MPG_STR("a")), NULL));
  CHECK(is(mpg_hlo_after(exactly("b"), MPG_STR("")), NULL));
  CHECK(is(mpg_hlo_after((mpg_str){NULL, 0}, MPG_STR("a")), NULL));

  CHECK(is(mpg_hlo_unquoted(exactly("\"a\"")), "a"));
  CHECK(is(mpg_hlo_unquoted(exactly("\"\"")), ""));
  CHECK(is(mpg_hlo_unquoted(exactly("\"")), "\""));
  CHECK(is(mpg_hlo_unquoted(exactly("\"a")), "\"a"));
  CHECK(is(mpg_hlo_unquoted(exactly("a\"")), "a\""));
  CHECK(is(mpg_hlo_unquoted(exactly("")), ""));

  CHECK(
      is(mpg_hlo_quoted_member(exactly("{op_type=\"x\" op=\"jit(f)/dot\"}"), MPG_STR("op")), NULL));
  CHECK(is(mpg_hlo_quoted_member(exactly("{op=\"jit(f)/dot\"}"), MPG_STR("op")), "jit(f)/dot"));
  CHECK(is(mpg_hlo_quoted_member(exactly("op=\"\""), MPG_STR("op")), ""));
  CHECK(is(mpg_hlo_quoted_member(exactly("op=\"a\\\"b\""), MPG_STR("op")), "a\\\"b"));
  CHECK(is(mpg_hlo_quoted_member(exactly("op=\"a\\\\\" c"), MPG_STR("op")), "a\\\\"));
  CHECK(is(mpg_hlo_quoted_member(exactly("op=\"a"), MPG_STR("op")), NULL));
  CHECK(is(mpg_hlo_quoted_member(exactly("op=\"a\\"), MPG_STR("op")), NULL));
  CHECK(is(mpg_hlo_quoted_member(exactly("op=\"a\\\""), MPG_STR("op")), NULL));
  CHECK(is(mpg_hlo_quoted_member(exactly("op=\""), MPG_STR("op")), NULL));
  CHECK(is(mpg_hlo_quoted_member(exactly("op="), MPG_STR("op")), NULL));
  CHECK(is(mpg_hlo_quoted_member(exactly("op"), MPG_STR("op")), NULL));
  CHECK(is(mpg_hlo_quoted_member(exactly("op:\"a\""), MPG_STR("op")), NULL));
  CHECK(is(mpg_hlo_quoted_member(exactly("op=a\""), MPG_STR("op")), NULL));
}

static void unescapes(const char *raw, const char *text, size_t n) {
  char *to = malloc(strlen(raw) + 1);
  mpg_str from = exactly(raw);
  CHECK(to != NULL && mpg_hlo_unescape(to, from) == n && memcmp(to, text, n) == 0);
  free(to);
}

static void test_escapes(void) {
  unescapes("", "", 0);
  unescapes("a/b", "a/b", 3);
  unescapes("\\n\\r\\t\\\"\\'\\\\", "\n\r\t\"'\\", 6);
  unescapes("\\303\\251\\0\\0011\\18",
            "\xc3\xa9\0\x01"
            "1\x01"
            "8",
            7);
  unescapes("\\x41\\x4g\\x414\\xFf", "A\x04gA4\xff", 6);
  unescapes("\\x\\xg\\8\\/", "xxg8/", 5);
  unescapes("a\\", "a\\", 2);
}

/* ---- Windows ---- */

static bool dim_is(const mpg_hlo_window_dim *d, int64_t size, int64_t stride, int64_t low,
                   int64_t high, int64_t base, int64_t window) {
  return d->size == size && d->stride == stride && d->pad_low == low && d->pad_high == high &&
         d->base_dilation == base && d->window_dilation == window;
}

static int window(const char *text) {
  mpg_hlo_window_dim dims[MPG_HLO_WINDOW_DIMS];
  return mpg_hlo_window(exactly(text), dims);
}

/* size= of n dimensions. */
static int of_size(int n) {
  char text[200];
  size_t at = (size_t)snprintf(text, sizeof text, "{size=2");
  for (int i = 1; i < n; i++)
    at += (size_t)snprintf(text + at, sizeof text - at, "x3");
  (void)snprintf(text + at, sizeof text - at, "}");
  return window(text);
}

static void test_windows(void) {
  mpg_hlo_window_dim dims[MPG_HLO_WINDOW_DIMS];
  CHECK(mpg_hlo_window(exactly("{size=3x5 stride=2x1 pad=1_-4x0_7 lhs_dilate=1x6 rhs_dilate=8x1 "
                               "rhs_reversal=0x1}"),
                       dims) == 2);
  CHECK(dim_is(&dims[0], 3, 2, 1, -4, 1, 8) && dim_is(&dims[1], 5, 1, 0, 7, 6, 1));
  CHECK(dim_is(&dims[2], 1, 1, 0, 0, 1, 1) && dim_is(&dims[15], 1, 1, 0, 0, 1, 1));
  CHECK(mpg_hlo_window(exactly("size=4"), dims) == 1 && dim_is(&dims[0], 4, 1, 0, 0, 1, 1));
  CHECK(mpg_hlo_window(exactly("{ pad=-2_3  size=0 }"), dims) == 1);
  CHECK(dim_is(&dims[0], 0, 1, -2, 3, 1, 1));
  CHECK(window("") == 0 && window("{}") == 0 && window("{ }") == 0);
  CHECK(of_size(1) == 1 && of_size(15) == 15 && of_size(16) == 16 && of_size(17) == -1);
  /* All members are of as many dimensions. */
  CHECK(window("{size=3x3 stride=2}") == -1 && window("{size=3 stride=2x2}") == -1);
  /* From 0, and pads from below it, to 2^31; strides and dilations from 1. */
  CHECK(window("{size=2147483648}") == 1 && window("{size=2147483649}") == -1);
  CHECK(window("{size=-1}") == -1 && window("{rhs_reversal=-1}") == -1);
  CHECK(window("{pad=2147483648_2147483648}") == 1 && window("{pad=2147483649_0}") == -1 &&
        window("{pad=0_2147483649}") == -1);
  CHECK(window("{pad=-2147483648_-2147483648}") == 1 && window("{pad=-2147483649_0}") == -1 &&
        window("{pad=0_-2147483649}") == -1);
  CHECK(window("{size=99999999999999999999}") == -1);
  CHECK(window("{stride=1}") == 1 && window("{stride=0}") == -1 && window("{stride=1x0}") == -1);
  CHECK(window("{lhs_dilate=1}") == 1 && window("{lhs_dilate=0}") == -1);
  CHECK(window("{rhs_dilate=1}") == 1 && window("{rhs_dilate=0}") == -1);
  /* What is no number, or not all of it. */
  CHECK(window("{size}") == -1 && window("{size=}") == -1 && window("{size=x}") == -1);
  CHECK(window("{size=3x}") == -1 && window("{size=3y}") == -1 && window("{size=-}") == -1);
  CHECK(window("{size=3 x}") == -1 && window("{size=3_3}") == -1);
  CHECK(window("{pad=1}") == -1 && window("{pad=1_}") == -1 && window("{pad=_1}") == -1);
  CHECK(window("{pad=1x1}") == -1 && window("{=3}") == 0);
}

static void test_labels(void) {
  const mpg_str labels = MPG_STR("b01f_01io->b0f1");
  static const struct {
    int part;
    char label;
    int at;
  } expected[] = {{0, 'b', 0}, {0, '0', 1}, {0, '1', 2},  {0, 'f', 3},  {0, 'i', -1}, {1, '0', 0},
                  {1, '1', 1}, {1, 'i', 2}, {1, 'o', 3},  {1, 'b', -1}, {2, 'b', 0},  {2, '0', 1},
                  {2, 'f', 2}, {2, '1', 3}, {2, '>', -1}, {3, 'b', -1}, {0, '_', -1}};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
    CHECK(mpg_hlo_label(labels, expected[i].part, expected[i].label) == expected[i].at);
  CHECK(mpg_hlo_label((mpg_str){NULL, 0}, 0, 'b') == -1);
}

/* ---- Groups ---- */

static void groups(const char *text, int64_t ranks, int64_t devices) {
  int64_t r = -7, d = -7;
  mpg_hlo_groups(exactly(text), &r, &d);
  CHECK(r == ranks && d == devices);
  if (r != ranks || d != devices)
    (void)fprintf(stderr, "  %s: %lld of %lld\n", text, (long long)r, (long long)d);
}

static void test_groups(void) {
  const int64_t most = INT32_MAX;
  groups("", 0, 0);
  groups("{}", 0, 0);
  groups("{{0,1},{2,3}}", 2, 4);
  groups("{{0},{1,2,3},{4,5}}", 3, 6);
  groups("{{10,9},{3}}", 2, 11);
  groups("{{0}}", 1, 1);
  groups("{0,1,2}", 3, 3);
  groups("7", 1, 8); /* without braces they are one group */
  groups("3,1,2}", 3, 4);
  groups("{{0,1},{2", 2, 3);
  groups("{{214748363}}", 1, 214748364);
  groups("{{2147483629}}", 1, 2147483630);
  groups("{{2147483639}}", 1, most - 7);
  groups("{{2147483640}}", 1, most);
  groups("{{99999999999}}", 1, most);
  groups("[2,4]<=[8]", 4, 8);
  groups("[2,4]<=[4,2]T(1,0)", 4, 8);
  groups("[8]<=[8]", 8, 8);
  groups("[]", 0, 1);
  groups("[2,4", 0, 1);
  groups("[65536,32767]", 32767, 65536LL * 32767);
  groups("[65536,32768]", 32768, most);
  groups("[2147483647,1]", 1, most);
  groups("[1,2147483648]", most, most);
  groups("[0,4]", 4, 0);
  groups("[4,0]", 0, 0);
  groups("mesh['x'=4,'y'=2] {'x'}", 4, 8);
  groups("mesh['x'=4,'y'=2] {'y'}", 2, 8);
  groups("mesh['x'=4,'y'=2] {'x','y'}", 8, 8);
  groups("mesh['x'=4,'y'=2] {'z'}", 1, 8);
  groups("mesh['x'=4,'y'=2]", 1, 8);
  groups("mesh['x'=4,'xy'=2] {'xy'}", 2, 8);
  groups("mesh['x'=4,'ax'=2] {'ax'}", 2, 8); /* a name is all of it, from quote to quote */
  groups("mesh['x'=4,'xx'=2] {'x'}", 4, 8);
  groups("mesh['x'=1,'y'=0,'z'=3] {'x','y','z'}", 3, 3);
  groups("mesh['x':4,'y'=2] {'y'}", 2, 2);
  groups("mesh['x", 1, 1);
  groups("mesh[x=4,xy=2] {xy}", 2, 8); /* XLA of January 2026 has no quotes */
  groups("mesh[x=4,y=2], device_ids=([2,4]T(1,0)) {x}", 4, 8);
  groups("mesh[x=4, y=8] {x, y:(2)4}", 16, 32);
  groups("mesh[x=4,=2,,] {x,,", 4, 4);
  groups("mesh['x'", 1, 1);
  groups("mesh['x'=", 1, 1);
  groups("mesh['x'=3", 1, 3);
  groups("mesh{'x'=3}", 1, 1);
  groups("mesh", 0, 0);
  groups("mesh7", 1, 1);
  groups("mess'x'=3", 1, 4);
}

static void test_trips(void) {
  CHECK(mpg_hlo_known_trips(exactly("{\"known_trip_count\":{\"n\":\"126\"},\"x\":7}")) == 126);
  CHECK(mpg_hlo_known_trips(exactly("\"{\\\"known_trip_count\\\":{\\\"n\\\":\\\"5\\\"}}\"")) == 5);
  CHECK(mpg_hlo_known_trips(exactly("{\"known_trip_count\": {\"n\": 0}}")) == 0);
  CHECK(mpg_hlo_known_trips(exactly("known_trip_count3")) == 3);
  CHECK(mpg_hlo_known_trips(exactly("known_trip_count")) == -1);
  CHECK(mpg_hlo_known_trips(exactly("known_trip_count\":{\"n\":\"")) == -1);
  CHECK(mpg_hlo_known_trips(exactly("{\"known_trip_count\":null,\"x\":7}")) == -1);
  CHECK(mpg_hlo_known_trips(exactly("{\"known_trip_count\":{},\"x\":7}")) == -1);
  CHECK(mpg_hlo_known_trips(exactly("{\"n\":\"126\"}")) == -1);
  CHECK(mpg_hlo_known_trips(exactly("")) == -1);
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
  /* Into how many parts. */
  CHECK(mpg_hlo_tiled_parts(MPG_STR("{replicated}")) == 1);
  CHECK(mpg_hlo_tiled_parts(MPG_STR("{maximal device=1}")) == 0);
  CHECK(mpg_hlo_tiled_parts((mpg_str){NULL, 0}) == 0);
  CHECK(mpg_hlo_tiled_parts(MPG_STR("{devices=[2,3]<=[6]}")) == 6);
  CHECK(mpg_hlo_tiled_parts(MPG_STR("{devices=[")) == 1);
  CHECK(mpg_hlo_tiled_parts(MPG_STR("{devices=[2,1,4]<=[8] last_tile_dim_replicate}")) == 2);
  CHECK(mpg_hlo_tiled_parts(
            MPG_STR("{devices=[2,3,4,5]<=[120] last_tile_dims={manual, replicated}}")) == 6);
  CHECK(mpg_hlo_tiled_parts(MPG_STR("{devices=[2]<=[2] last_tile_dims={manual, replicated}}")) ==
        1);
  CHECK(mpg_hlo_tiled_parts(MPG_STR("{mesh['a'=2,'b'=4,'c'=3], [{'a'}, {'b':(2)2}]}")) == 4);
  CHECK(mpg_hlo_tiled_parts(MPG_STR("{mesh['a'=2,'b'=4], [{}, {'b','a'}], replicated={'c'}}")) ==
        8);
  CHECK(mpg_hlo_tiled_parts(MPG_STR("{mesh['a'=2")) == 1);
  {
    mpg_str list = MPG_STR("{replicated}, /*index=1*/{devices=[2]<=[2]}}"), one;
    mpg_str meshes = MPG_STR("{m = #sdy.mesh<[\"x\"=2,\"y\"=4]>}");
    mpg_str sdy = MPG_STR("=\"#sdy.sharding_per_value<[<@m, [{\\\"y\\\"}]>, <@m, [{\\\"x\\\"}]>, "
                          "<@m, [{\\\"z\\\"}]>]>\"");
    one = mpg_hlo_next_sharding(&list);
    CHECK(mpg_str_eq(one, MPG_STR("{replicated}")));
    one = mpg_hlo_next_sharding(&list);
    CHECK(mpg_str_eq(one, MPG_STR("{devices=[2]<=[2]}")));
    CHECK(mpg_hlo_next_sharding(&list).n == 0 && list.n == 0);
    CHECK(mpg_hlo_shardy_parts(meshes, &sdy) == 4);
    CHECK(mpg_hlo_shardy_parts(meshes, &sdy) == 2);
    CHECK(mpg_hlo_shardy_parts(meshes, &sdy) == 0);
    CHECK(mpg_hlo_shardy_parts(meshes, &sdy) == 0);
  }
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

int main(void) {
  test_numbers();
  test_after();
  test_escapes();
  test_windows();
  test_labels();
  test_groups();
  test_trips();
  test_attributes();
  test_meshes();
  return check_done("hlo_attribute");
}
