/*
** Tests of ext/program/hlo/hlo_bytes.c by instructions: what is read and written, of transposes, of
** operands that are read in part, and of fusions, counted by hand from hlo_opcode.h.
*/
#include "hlo_priced.h"

static void test_transposes(void) {
  /* Dimensions of size 1 are in no order, but there may be more of the others on either side. */
  costs("a = f32[2,1] parameter(0) ", "f32[2,2] transpose(a), dimensions={1,0}", true, 0, 0,
        8 + 16);
  costs("a = f32[2,2] parameter(0) ", "f32[2,1] transpose(a), dimensions={1,0}", true, 0, 0,
        16 + 8);
  costs("a = f32[1,1] parameter(0) ", "f32[1,1] transpose(a), dimensions={1,0}", true, 0, 0, 0);
  /* A result that is no transpose of its operand is moved. */
  costs("a = f32[2,3] parameter(0) ", "f32[6] transpose(a), dimensions={0}", true, 0, 0, 24 + 24);
  costs("a = f32[2] parameter(0) ", "s32[2] transpose(a), dimensions={0}", true, 0, 0, 8 + 8);
  costs("a = (f32[2]) parameter(0) ", "f32[2] transpose(a), dimensions={0}", true, 0, 0, 8 + 8);
  costs("a = f32[2] parameter(0) ", "(f32[2]) transpose(a), dimensions={0}", true, 0, 0, 8 + 8);
  costs("a = f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2] parameter(0) ",
        "f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2] transpose(a), "
        "dimensions={0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}",
        true, 0, 0, 8 + 8);
}

/* Where an element lies in memory: `minor` lists dimensions from the one that varies fastest. */
static int place_of(const int at[3], const int size[3], const int minor[3]) {
  int place = 0, stride = 1;
  for (int k = 0; k < 3; k++) {
    place += at[minor[k]] * stride;
    stride *= size[minor[k]];
  }
  return place;
}

/* Every transpose of three dimensions between any two layouts: free where no element moves. */
static void test_every_transpose(void) {
  static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                   {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  static const int sizes[][3] = {{2, 3, 4}, {2, 1, 3}, {1, 1, 3}, {3, 2, 1}};
  for (size_t z = 0; z < sizeof sizes / sizeof *sizes; z++)
    for (int in = 0; in < 6; in++)
      for (int out = 0; out < 6; out++)
        for (int by = 0; by < 6; by++) {
          const int *size = sizes[z], *d = orders[by], *from = orders[in], *to = orders[out];
          int turned[3] = {size[d[0]], size[d[1]], size[d[2]]}, moved = 0;
          char parameter[80], root[120];
          for (int i = 0; i < size[0] * size[1] * size[2]; i++) {
            int at[3] = {i / size[2] / size[1], i / size[2] % size[1], i % size[2]};
            int after[3] = {at[d[0]], at[d[1]], at[d[2]]};
            moved += place_of(at, size, from) != place_of(after, turned, to);
          }
          (void)snprintf(parameter, sizeof parameter, "a = f32[%d,%d,%d]{%d,%d,%d} parameter(0) ",
                         size[0], size[1], size[2], from[0], from[1], from[2]);
          (void)snprintf(root, sizeof root,
                         "f32[%d,%d,%d]{%d,%d,%d} transpose(a), dimensions={%d,%d,%d}", turned[0],
                         turned[1], turned[2], to[0], to[1], to[2], d[0], d[1], d[2]);
          costs(parameter, root, true, 0, 0, moved == 0 ? 0 : 8LL * size[0] * size[1] * size[2]);
        }
}

/* What is read of each operand. */
static void test_operands(void) {
  static const struct {
    const char *parameters, *root;
    int read[5];
  } calls[] = {
      {"a = f32[100] parameter(0) i = s32[3] parameter(1) ", "f32[3] gather(a, i)", {12, 12}},
      {"a = f32[100] parameter(0) ", "f32[7] slice(a), slice={[0:7]}", {28}},
      {"a = f32[100,2] parameter(0) i = s32[] parameter(1) j = s32[] parameter(2) ",
       "f32[7,1] dynamic-slice(a, i, j), dynamic_slice_sizes={7,1}",
       {28, 4, 0}},
      {"a = f32[100,2] parameter(0) u = f32[5,1] parameter(1) i = s32[] parameter(2) j = s32[] "
       "parameter(3) ",
       "f32[100,2] dynamic-update-slice(a, u, i, j)",
       {0, 20, 4, 0}},
      {"a = f32[4,4] parameter(0) b = f32[4,2] parameter(1) ",
       "f32[4,2] triangular-solve(a, b)",
       {32, 32}},
      {"a = f32[4,4] parameter(0) ", "f32[4,4] cholesky(a)", {32}},
      {"a = f32[100] parameter(0) i = s32[3,1] parameter(1) u = f32[3] parameter(2) ",
       "f32[100] scatter(a, i, u), to_apply=add",
       {12, 12, 12}},
      {"a = f32[9] parameter(0) b = f32[9] parameter(1) ", "f32[9] add(a, b)", {36, 36}},
      {"a = f32[9] parameter(0) b = f32[9] parameter(1) ", "(f32[9], f32[9]) tuple(a, b)", {0, 0}}};
  for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
    char text[1024];
    priced p;
    (void)snprintf(text, sizeof text, ADD "ENTRY e { %s ROOT r = %s }\n", calls[k].parameters,
                   calls[k].root);
    price_text(&p, text);
    for (uint32_t o = 0; o < named(&p, "r")->noperands; o++) {
      CHECK(mpg_hlo_operand_bytes(&p.cost, named(&p, "r"), o) == calls[k].read[o]);
      if (mpg_hlo_operand_bytes(&p.cost, named(&p, "r"), o) != calls[k].read[o])
        (void)fprintf(stderr, "  %s: operand %u\n", calls[k].root, o);
    }
    done(&p);
  }
}

static void test_read(void) {
  /* Of a slice's starts the first is read alone. */
  costs("a = f32[10,10] parameter(0) i = s32[] parameter(1) j = s32[] parameter(2) ",
        "f32[2,3] dynamic-slice(a, i, j), dynamic_slice_sizes={2,3}", true, 0, 0, 24 + 4 + 24);
  costs("a = f32[10,10] parameter(0) u = f32[2,3] parameter(1) i = s32[] parameter(2) j = s32[] "
        "parameter(3) ",
        "f32[10,10] dynamic-update-slice(a, u, i, j)", true, 0, 0, 24 + 4 + 24);
  /* Two arrays scattered by one list of indices: operands, indices, updates. */
  costs("a = f32[100] parameter(0) b = f64[100] parameter(1) i = s64[3,1] parameter(2) u = f32[3] "
        "parameter(3) v = f64[3] parameter(4) ",
        "(f32[100], f64[100]) scatter(a, b, i, u, v), to_apply=add", true, 3, 0,
        12 + 24 + 24 + 12 + 24 + 12 + 24);
}

/* What a fusion reads and writes: r, of the computation f; helpers stand before it. */
static void fused(const char *before, const char *inside, const char *parameters,
                  const char *result, long long bytes) {
  char text[4096];
  priced p;
  long long found;
  (void)snprintf(text, sizeof text, "%s\nf { %s }\nENTRY e { %s ROOT r = %s, calls=f }\n", before,
                 inside, parameters, result);
  price_text(&p, text);
  found = (long long)price_of(&p, "r")->own.of[MPG_HLO_BYTES];
  CHECK(found == bytes);
  if (found != bytes)
    (void)fprintf(stderr, "  %s\n  found %lld bytes, expected %lld\n", text, found, bytes);
  done(&p);
}

static void test_fusions(void) {
  static const char one[] = "a = f32[100] parameter(0) ";
  /* A constant of one element lies in the program, others in memory. */
  fused("", "p = f32[4] parameter(0) c = f32[] constant(1) ROOT x = f32[4] add(p, c)",
        "a = f32[4] parameter(0) ", "f32[4] fusion(a), kind=kLoop", 16 + 16);
  /* A hole among the parameters is read by nobody. */
  fused("", "p = f32[100] parameter(1) ROOT x = f32[100] negate(p)",
        "a = f32[100] parameter(0) b = f32[100] parameter(1) ", "f32[100] fusion(a, b), kind=kLoop",
        400 + 400);
  /* What is called may be empty, or not be there. */
  fused("g { }",
        "p = f32[100] parameter(0) x = f32[100] fusion(p), kind=kLoop, calls=g ROOT n = "
        "f32[5] negate(x)",
        one, "f32[5] fusion(a), kind=kLoop", 20);
  fused("",
        "p = f32[100] parameter(0) x = f32[100] fusion(p), kind=kLoop ROOT n = f32[5] negate(x)",
        one, "f32[5] fusion(a), kind=kLoop", 20);
  fused("", "", one, "f32[5] fusion(a), kind=kLoop", 20);
  fused("", "", one, "(f32[5], f32[6]) fusion(a), kind=kLoop", 44);
  /* An inner fusion of two operands reads each by itself: one through a slice, one whole. */
  fused(
      "g { p = f32[100] parameter(0) q = f32[100] parameter(1) s = f32[5] slice(p), slice={[0:5]} "
      "t = f32[100] negate(q) ROOT c = f32[105] concatenate(s, t), dimensions={0} }",
      "p = f32[100] parameter(0) q = f32[100] parameter(1) x = f32[105] fusion(p, q), "
      "kind=kLoop, calls=g ROOT n = f32[105] negate(x)",
      "a = f32[100] parameter(0) b = f32[100] parameter(1) ", "f32[105] fusion(a, b), kind=kLoop",
      20 + 400 + 420);
  /* As XLA counts it, what nobody uses within the fusion reads nothing, be it the root. */
  fused("g { p = f32[100] parameter(0) ROOT n = f32[100] negate(p) }",
        "p = f32[100] parameter(0) ROOT x = f32[100] fusion(p), kind=kLoop, calls=g", one,
        "f32[100] fusion(a), kind=kLoop", 400);
  /* It makes what it hands on out of nothing: slices of it are no slices of a parameter. */
  fused("g { p = f32[100] parameter(0) ROOT c = f32[100] iota(), iota_dimension=0 }",
        "p = f32[100] parameter(0) x = f32[100] fusion(p), kind=kLoop, calls=g ROOT s = f32[5] "
        "slice(x), slice={[0:5]}",
        one, "f32[5] fusion(a), kind=kLoop", 20 + 20);
  /* In place: into what the fusion within hands on; of what it reads of the slice nothing but
  ** that. */
  fused("g { p = f32[100] parameter(0) ROOT n = f32[100] negate(p) }",
        "p = f32[100] parameter(0) u = f32[5] parameter(1) i = s32[] parameter(2) x = f32[100] "
        "fusion(p), kind=kLoop, calls=g ROOT w = f32[100] dynamic-update-slice(x, u, i)",
        "a = f32[100] parameter(0) u = f32[5] parameter(1) i = s32[] parameter(2) ",
        "f32[100] fusion(a, u, i), kind=kLoop", 0 + 20 + 4 + 20);
  fused("g { p = f32[100] parameter(0) ROOT n = f32[100] negate(p) }",
        "p = f32[100] parameter(0) i = s32[] parameter(1) x = f32[100] fusion(p), kind=kLoop, "
        "calls=g ROOT w = f32[7] dynamic-slice(x, i), dynamic_slice_sizes={7}",
        "a = f32[100] parameter(0) i = s32[] parameter(1) ", "f32[7] fusion(a, i), kind=kLoop",
        28 + 4 + 28);
  /* An index into it, rather than it, is read whole. */
  fused("",
        "p = s32[] parameter(0) q = f32[100] parameter(1) ROOT w = f32[7] dynamic-slice(q, p), "
        "dynamic_slice_sizes={7}",
        "i = s32[] parameter(0) a = f32[100] parameter(1) ", "f32[7] fusion(i, a), kind=kLoop",
        4 + 28 + 28);
  /*
  ** A tuple is read through its elements: the first that takes one out is it, an index beyond it
  ** takes nothing, and an element that nobody takes is charged as the tuple's own users use that.
  */
  fused("",
        "t = (f32[100], f32[50]) parameter(0) x = f32[100] get-tuple-element(t), index=0 y = "
        "f32[100] get-tuple-element(t), index=0 z = f32[50] get-tuple-element(t), index=1 w = "
        "f32[9] get-tuple-element(t), index=2 s = f32[5] slice(x), slice={[0:5]} n = f32[50] "
        "negate(z) ROOT c = f32[55] concatenate(s, n), dimensions={0}",
        "a = (f32[100], f32[50]) parameter(0) ", "f32[55] fusion(a), kind=kLoop", 20 + 200 + 220);
  /* Two tuples, of each of which nobody takes one: no element of the next is one of the first. */
  fused("",
        "t = (f32[100], f32[50]) parameter(0) v = (f32[100], f32[50]) parameter(1) x = f32[100] "
        "get-tuple-element(v), index=0 z = f32[50] get-tuple-element(t), index=1 s = f32[5] "
        "slice(x), slice={[0:5]} n = f32[50] negate(z) "
        "ROOT c = f32[55] concatenate(s, n), dimensions={0}",
        "a = (f32[100], f32[50]) parameter(0) b = (f32[100], f32[50]) parameter(1) ",
        "f32[55] fusion(a, b), kind=kLoop", 16 + 200 + 20 + 16 + 220);
  /* A computation that two fusions call is looked at once, and read twice. */
  {
    priced p;
    price_text(&p, "f { p = f32[100] parameter(0) ROOT s = f32[5] slice(p), slice={[0:5]} }\n"
                   "ENTRY e { a = f32[100] parameter(0) q = f32[5] fusion(a), kind=kLoop, calls=f "
                   "ROOT r = f32[5] fusion(a), kind=kLoop, calls=f }");
    CHECK(price_of(&p, "q")->own.of[MPG_HLO_BYTES] == 40);
    CHECK(price_of(&p, "r")->own.of[MPG_HLO_BYTES] == 40);
    CHECK(price_of(&p, "r")->output_bytes == 20);
    CHECK(mpg_hlo_operand_bytes(&p.cost, named(&p, "r"), 0) == 20);
    CHECK(mpg_hlo_operand_bytes(&p.cost, named(&p, "r"), 1) == 0);
    done(&p);
  }
  /* A custom fusion around a scatter moves what that does. */
  fused(ADD,
        "p = f32[100] parameter(0) i = s32[3,1] parameter(1) u = f32[3] parameter(2) ROOT s = "
        "f32[100] scatter(p, i, u), to_apply=add",
        "a = f32[100] parameter(0) i = s32[3,1] parameter(1) u = f32[3] parameter(2) ",
        "f32[100] fusion(a, i, u), kind=kCustom", 12 + 12 + 12 + 12);
}

int main(void) {
  test_transposes();
  test_every_transpose();
  test_operands();
  test_read();
  test_fusions();
  return check_done("hlo_bytes");
}
