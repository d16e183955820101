/* The chip catalogue: every built-in row and name, spellings, additions, messages, lost memory. */
#include "../../ext/program/chips_data.h"
#include "../../ext/program/dtype.h"
#include "check.h"
#include "exactly.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static mpg_chips *fresh(void) {
  mpg_chips *chips = NULL;
  mpg_err err;
  CHECK(mpg_chips_new(&chips, &mpg_env_libc, &err) == MPG_OK);
  return chips;
}

static double peak(const mpg_chips *chips, const char *chip, const char *dtype) {
  const mpg_chip_row *row = mpg_chips_peak(chips, chip, exactly(dtype));
  return row == NULL ? -1 : row->peak_flops;
}

static bool finds(const mpg_chips *chips, const char *name, const char *chip) {
  const char *found = mpg_chips_find(chips, exactly(name));
  return found == NULL || chip == NULL ? found == chip : strcmp(found, chip) == 0;
}

static void test_builtin(void) {
  mpg_chips *chips = fresh();
  CHECK(mpg_chips_count(chips) == mpg_chips_builtin_count);
  CHECK(mpg_chips_alias_count(chips) == mpg_chips_builtin_alias_count);
  for (size_t i = 0; i < mpg_chips_builtin_count; i++) {
    const mpg_chip_row *row = &mpg_chips_builtin[i];
    CHECK(mpg_chips_row(chips, i) == row);
    CHECK(finds(chips, row->chip, row->chip));
    CHECK(mpg_chips_peak(chips, row->chip, mpg_str_of(row->dtype)) == row);
    CHECK(mpg_dtype_find(exactly(row->dtype)) != MPG_DTYPES);
    CHECK(row->peak_flops > 0 && row->hbm_bytes_per_s > 0 && row->source[0] != '\0');
  }
  for (size_t i = 0; i < mpg_chips_builtin_alias_count; i++) {
    const char *alias, *chip;
    mpg_chips_alias(chips, i, &alias, &chip);
    CHECK(finds(chips, alias, chip));
  }
  mpg_chips_free(chips);
  mpg_chips_free(NULL);
}

static void test_names(void) {
  mpg_chips *chips = fresh();
  char name[300];
  CHECK(finds(chips, "NVIDIA H100 80GB HBM3", "nvidia-h100-sxm"));
  CHECK(finds(chips, "nvidia_h100--80gb hbm3 ", "nvidia-h100-sxm"));
  CHECK(finds(chips, "NvidiaH100SXM", "nvidia-h100-sxm"));
  CHECK(finds(chips, "TPU V5 LITE", "tpu-v5e"));
  CHECK(finds(chips, "nvidia-h100", NULL));
  CHECK(finds(chips, "nvidia-h100-sxmm", NULL));
  CHECK(finds(chips, "", NULL));
  CHECK(finds(chips, " - ", NULL));
  CHECK(mpg_chips_find(chips, (mpg_str){"tpu-v4\0", 7}) == NULL);
  memset(name, 'x', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  CHECK(finds(chips, name, NULL));
  mpg_chips_free(chips);
}

static void test_dtypes(void) {
  static const struct {
    const char *text;
    mpg_dtype d;
  } cases[] = {
      {"bf16", MPG_BF16},
      {"BF16", MPG_BF16},
      {"torch.bfloat16", MPG_BF16},
      {"c10::BFloat16", MPG_BF16},
      {"f16", MPG_FP16},
      {"c10::Half", MPG_FP16},
      {"jnp.float16", MPG_FP16},
      {"f32", MPG_FP32},
      {"float", MPG_FP32},
      {"Double", MPG_FP64},
      {"fp64_tensor", MPG_FP64_TENSOR},
      {"FP64 Tensor", MPG_FP64_TENSOR},
      {"fp32_matrix", MPG_FP32_MATRIX},
      {"TF32", MPG_TF32},
      {"fp8", MPG_FP8},
      {"f8e4m3fn", MPG_FP8},
      {"F8E5M2", MPG_FP8},
      {"float8_e4m3fnuz", MPG_FP8},
      {"e5m2", MPG_FP8},
      {"f8e8m0fnu", MPG_FP8},
      {"mxfp8", MPG_FP8},
      {"fp6", MPG_FP6},
      {"f6e2m3fn", MPG_FP6},
      {"e3m2", MPG_FP6},
      {"nvfp4", MPG_FP4},
      {"float4_e2m1fn_x2", MPG_FP4},
      {"s8", MPG_INT8},
      {"torch.uint8", MPG_INT8},
      {"unsigned char", MPG_INT8},
      {"u4", MPG_INT4},
      {"", MPG_DTYPES},
      {"torch.", MPG_DTYPES},
      {"f", MPG_DTYPES},
      {"fp", MPG_DTYPES},
      {"fp88", MPG_DTYPES},
      {"f8x", MPG_DTYPES},
      {"e4m", MPG_DTYPES},
      {"e9m9", MPG_DTYPES},
      {"pred", MPG_DTYPES},
      {"s32", MPG_DTYPES},
      {"bf166", MPG_DTYPES},
      {"a name of more than 32 characters, folded", MPG_DTYPES},
  };
  mpg_chips *chips = fresh();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    CHECK(mpg_dtype_find(exactly(cases[i].text)) == cases[i].d);
    if (mpg_dtype_find(exactly(cases[i].text)) != cases[i].d)
      (void)fprintf(stderr, "  %s\n", cases[i].text);
  }
  for (int d = 0; d < MPG_DTYPES; d++)
    CHECK(mpg_dtype_find(mpg_str_of(mpg_dtype_name((mpg_dtype)d))) == (mpg_dtype)d);
  CHECK(peak(chips, "nvidia-h100-sxm", "") == 989.5e12);
  CHECK(peak(chips, "nvidia-h100-sxm", "f8e4m3fn") == 1979e12);
  CHECK(peak(chips, "NVIDIA H200", "float8_e5m2") == 1979e12);
  CHECK(peak(chips, "nvidia-v100-sxm2-16", "") == 125e12); /* no bf16: fp16 */
  CHECK(peak(chips, "nvidia-v100-sxm2-16", "bf16") == 125e12);
  CHECK(peak(chips, "tpu-v4", "fp16") == 275e12);       /* only bf16 */
  CHECK(peak(chips, "intel-gaudi3", "fp16") == 459e12); /* both: its own */
  CHECK(peak(chips, "amd-mi300x", "fp64_tensor") == 163.4e12);
  CHECK(peak(chips, "nvidia-a100-40-sxm4", "fp64_matrix") == 19.5e12);
  CHECK(peak(chips, "nvidia-v100-sxm2-16", "fp64_matrix") == 7.8e12); /* no such units */
  CHECK(peak(chips, "nvidia-b300", "fp64_tensor") == 1.25e12);
  CHECK(peak(chips, "nvidia-h100-sxm", "fp32_matrix") == 67e12);
  CHECK(peak(chips, "amd-mi250x", "fp32_matrix") == 95.7e12);
  CHECK(peak(chips, "tpu-v4", "fp32_matrix") == -1);
  CHECK(peak(chips, "tpu-v4", "fp8") == -1);
  CHECK(peak(chips, "tpu-v4", "nonsense") == -1);
  CHECK(peak(chips, "no such chip", "bf16") == -1);
  CHECK(mpg_chips_first(chips, "no such chip") == NULL);
  CHECK(strcmp(mpg_chips_first(chips, "Tesla T4")->dtype, "fp32") == 0);
  mpg_chips_free(chips);
}

static mpg_chip_row row_of(const char *chip, const char *dtype, double flops) {
  return (mpg_chip_row){chip, NULL,  dtype,       "mine",      NULL,        0,
                        0,    flops, (double)NAN, (double)NAN, (double)NAN, (double)NAN};
}

static void test_add(void) {
  mpg_chips *chips = fresh();
  size_t rows = mpg_chips_count(chips);
  const mpg_chip_row *found;
  mpg_chip_row row = row_of("Acme One", "bfloat16", 5e12);
  char text[2000];
  mpg_err err;

  CHECK(mpg_chips_add(chips, &row, &err) == MPG_OK);
  CHECK(mpg_chips_count(chips) == rows + 1);
  CHECK(finds(chips, "acme-one", "Acme One"));
  found = mpg_chips_peak(chips, "acme_one", MPG_STR("fp16"));
  CHECK(found != NULL && found->peak_flops == 5e12 && strcmp(found->dtype, "bf16") == 0);
  CHECK(found != NULL && isnan(found->hbm_bytes_per_s) && found->vendor == NULL);
  CHECK(peak(chips, "acme-one", "") == 5e12);

  row = row_of("aZ-Az 9Z", "bf16", 6e12); /* every letter folds, the first and the last too */
  CHECK(mpg_chips_add(chips, &row, &err) == MPG_OK && mpg_chips_count(chips) == ++rows + 1);
  CHECK(finds(chips, "AzaZ9z", "aZ-Az 9Z") && finds(chips, "[z-[Z 9z", NULL));
  CHECK(finds(chips, "AZAZ9@", NULL));

  /* A chip with none of the default dtypes has no default. */
  row = row_of("acme-two", "fp8", 7e12);
  CHECK(mpg_chips_add(chips, &row, &err) == MPG_OK);
  CHECK(peak(chips, "acme-two", "") == -1 && peak(chips, "acme-two", "fp8") == 7e12);

  /* A dtype that nobody knows, found under any case; then replaced. */
  row = row_of("acme-two", "Posit16", 3e12);
  CHECK(mpg_chips_add(chips, &row, &err) == MPG_OK);
  CHECK(peak(chips, "acme-two", "posit16") == 3e12);
  row.peak_flops = 4e12;
  CHECK(mpg_chips_add(chips, &row, &err) == MPG_OK);
  CHECK(peak(chips, "acme-two", "POSIT16") == 4e12);
  CHECK(mpg_chips_count(chips) == rows + 3);
  mpg_chips_dtypes(chips, "ACME-two", text, sizeof text);
  CHECK(strcmp(text, "fp8, Posit16") == 0);

  /* An override, through an alias, keeps what it does not say, but not the source. */
  found = mpg_chips_peak(chips, "nvidia-h100-sxm", MPG_STR("bf16"));
  row = row_of("NVIDIA H100 80GB HBM3", "bf16", 8e14);
  row.tdp_w = 500;
  CHECK(mpg_chips_add(chips, &row, &err) == MPG_OK);
  CHECK(mpg_chips_count(chips) == rows + 3);
  CHECK(found->peak_flops == 989.5e12); /* not taken back */
  found = mpg_chips_peak(chips, "nvidia-h100-sxm", MPG_STR("bf16"));
  CHECK(found->peak_flops == 8e14 && found->tdp_w == 500 && found->hbm_bytes_per_s == 3.35e12);
  CHECK(strcmp(found->chip, "nvidia-h100-sxm") == 0 && found->year == 2022);
  CHECK(strcmp(found->vendor, "NVIDIA") == 0 && strcmp(found->source, "mine") == 0);
  CHECK(peak(chips, "nvidia-h100-sxm", "") == 8e14);
  /* A new dtype of a known chip takes them from its first row. */
  row = row_of("tpu-v2", "int8", 9e13);
  CHECK(mpg_chips_add(chips, &row, &err) == MPG_OK);
  found = mpg_chips_peak(chips, "tpu-v2", MPG_STR("s8"));
  CHECK(found->hbm_bytes_per_s == 7e11 && found->peak_flops == 9e13);
  /* The first row itself replaced: what comes after takes from the new one. */
  row = row_of("tpu-v2", "bf16", 4e13);
  row.hbm_bytes_per_s = 6e11;
  CHECK(mpg_chips_add(chips, &row, &err) == MPG_OK);
  CHECK(mpg_chips_first(chips, "tpu-v2")->hbm_bytes_per_s == 6e11);

  /* Refused. */
  rows = mpg_chips_count(chips);
  row = row_of("acme-three", "bf16", 0);
  CHECK(mpg_chips_add(chips, &row, &err) == MPG_DATA);
  CHECK(strcmp(err.text, "chip 'acme-three', dtype 'bf16': expected a positive peak_flops, "
                         "found 0") == 0);
  row.peak_flops = (double)NAN;
  CHECK(mpg_chips_add(chips, &row, &err) == MPG_DATA);
  CHECK(strcmp(err.text, "chip 'acme-three', dtype 'bf16': expected a positive peak_flops") == 0);
  row.peak_flops = (double)INFINITY;
  CHECK(mpg_chips_add(chips, &row, &err) == MPG_DATA);
  row.peak_flops = 1e12;
  row.hbm_bytes_per_s = 0;
  CHECK(mpg_chips_add(chips, &row, &err) == MPG_DATA);
  CHECK(strcmp(err.text, "chip 'acme-three', dtype 'bf16': expected a positive hbm_bytes_per_s, "
                         "found 0") == 0);
  row.hbm_bytes_per_s = (double)NAN;
  row.ici_bytes_per_s = -1;
  CHECK(mpg_chips_add(chips, &row, &err) == MPG_DATA);
  row.ici_bytes_per_s = 0;
  row.chip = "- -";
  CHECK(mpg_chips_add(chips, &row, &err) == MPG_DATA);
  row.chip = NULL;
  CHECK(mpg_chips_add(chips, &row, &err) == MPG_DATA);
  row.chip = "acme-three";
  row.dtype = "";
  CHECK(mpg_chips_add(chips, &row, &err) == MPG_DATA);
  CHECK(strcmp(err.text, "chip 'acme-three': expected a dtype") == 0);
  CHECK(mpg_chips_count(chips) == rows && finds(chips, "acme-three", NULL));

  /* Many more: the index and the lists grow. */
  for (int i = 0; i < 500; i++) {
    (void)snprintf(text, sizeof text, "acme-%d", i);
    row = row_of(text, "bf16", 1e12 + i);
    CHECK(mpg_chips_add(chips, &row, &err) == MPG_OK);
  }
  for (int i = 0; i < 500; i++) {
    (void)snprintf(text, sizeof text, "ACME %d", i);
    CHECK(peak(chips, text, "") == 1e12 + i);
  }
  CHECK(peak(chips, "TPU v4", "") == 275e12);
  mpg_chips_free(chips);
}

static bool is_same(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

/* Of every row of the catalogue another peak alone, then all that a row may say: what it does
** not say stays. */
static void test_override(void) {
  mpg_chips *chips = fresh();
  size_t rows = mpg_chips_count(chips);
  mpg_err err;
  for (size_t i = 0; i < rows; i++) {
    const mpg_chip_row *was = mpg_chips_row(chips, i), *is;
    mpg_chip_row row = row_of(was->chip, was->dtype, was->peak_flops + 1);
    CHECK(mpg_chips_add(chips, &row, &err) == MPG_OK && mpg_chips_count(chips) == rows);
    is = mpg_chips_row(chips, i);
    CHECK(strcmp(is->chip, was->chip) == 0 && strcmp(is->vendor, was->vendor) == 0);
    CHECK(strcmp(is->dtype, was->dtype) == 0 && strcmp(is->source, "mine") == 0);
    CHECK((is->unit == NULL) == (was->unit == NULL) &&
          (is->unit == NULL || strcmp(is->unit, was->unit) == 0));
    CHECK(is->year == was->year && is->devices == was->devices);
    CHECK(is->peak_flops == was->peak_flops + 1 && is_same(is->hbm_bytes, was->hbm_bytes));
    CHECK(is_same(is->hbm_bytes_per_s, was->hbm_bytes_per_s));
    CHECK(is_same(is->ici_bytes_per_s, was->ici_bytes_per_s) && is_same(is->tdp_w, was->tdp_w));
    row.vendor = "Acme";
    row.year = 1999;
    row.hbm_bytes = 1;
    row.hbm_bytes_per_s = 2;
    row.ici_bytes_per_s = 0;
    row.tdp_w = 4;
    CHECK(mpg_chips_add(chips, &row, &err) == MPG_OK && mpg_chips_count(chips) == rows);
    is = mpg_chips_row(chips, i);
    CHECK(strcmp(is->vendor, "Acme") == 0 && is->year == 1999 && is->hbm_bytes == 1);
    CHECK(is->hbm_bytes_per_s == 2 && is->ici_bytes_per_s == 0 && is->tdp_w == 4);
  }
  mpg_chips_free(chips);
}

static void test_aliases(void) {
  mpg_chips *chips = fresh();
  size_t n = mpg_chips_alias_count(chips);
  mpg_err err;
  CHECK(mpg_chips_add_alias(chips, MPG_STR("our big one"), MPG_STR("tpu v4"), &err) == MPG_OK);
  CHECK(finds(chips, "Our-Big-One", "tpu-v4"));
  CHECK(mpg_chips_add_alias(chips, MPG_STR("our big one"), MPG_STR("tpu-v4"), &err) == MPG_OK);
  CHECK(mpg_chips_alias_count(chips) == n + 1);
  /* Turned over. */
  CHECK(mpg_chips_add_alias(chips, MPG_STR("our big one"), MPG_STR("tpu-v3"), &err) == MPG_OK);
  CHECK(finds(chips, "Our-Big-One", "tpu-v3"));
  CHECK(mpg_chips_add_alias(chips, MPG_STR("OUR BIG ONE"), MPG_STR("tpu-v2"), &err) == MPG_OK);
  CHECK(finds(chips, "our big one", "tpu-v2"));
  CHECK(mpg_chips_alias_count(chips) == n + 2);
  for (size_t i = n; i < n + 2; i++) {
    const char *alias, *chip;
    mpg_chips_alias(chips, i, &alias, &chip);
    CHECK(strcmp(chip, "tpu-v2") == 0);
  }
  /* Another spelling of its own name is fine, the name of another chip is not. */
  CHECK(mpg_chips_add_alias(chips, MPG_STR("TPU_V2"), MPG_STR("tpu-v2"), &err) == MPG_OK);
  CHECK(mpg_chips_add_alias(chips, MPG_STR("TPU v4"), MPG_STR("tpu-v2"), &err) == MPG_DATA);
  CHECK(strcmp(err.text, "alias 'TPU v4' of chip 'tpu-v2' is the name of a chip") == 0);
  CHECK(finds(chips, "TPU v4", "tpu-v4"));
  CHECK(mpg_chips_add_alias(chips, MPG_STR("x"), MPG_STR("nothing"), &err) == MPG_DATA);
  CHECK(strcmp(err.text, "no chip 'nothing'") == 0);
  CHECK(mpg_chips_add_alias(chips, MPG_STR(" "), MPG_STR("tpu-v2"), &err) == MPG_DATA);
  CHECK(mpg_chips_add_alias(chips, (mpg_str){"a\0b", 3}, MPG_STR("tpu-v2"), &err) == MPG_DATA);
  CHECK(mpg_chips_add_alias(chips, (mpg_str){NULL, 0}, (mpg_str){NULL, 0}, &err) == MPG_DATA);
  mpg_chips_free(chips);
}

/* Lower case, without what does not matter. */
static size_t fold(const char *name, char out[80]) {
  size_t n = 0;
  for (; *name != '\0' && n < 79; name++)
    if (strchr(" -_", *name) == NULL)
      out[n++] = (char)(*name >= 'A' && *name <= 'Z' ? *name + 32 : *name);
  out[n] = '\0';
  return n;
}

/* Edits that turn all of `a` into b[from, to). */
static size_t edits(const char *a, size_t n, const char *b, size_t from, size_t to) {
  size_t rows[80][80];
  for (size_t i = 0; i <= n; i++)
    for (size_t j = 0; j <= to - from; j++) {
      size_t least = i == 0 ? j : j == 0 ? i : SIZE_MAX;
      if (i > 0 && j > 0) {
        least = rows[i - 1][j - 1] + (a[i - 1] != b[from + j - 1]);
        least = rows[i - 1][j] + 1 < least ? rows[i - 1][j] + 1 : least;
        least = rows[i][j - 1] + 1 < least ? rows[i][j - 1] + 1 : least;
      }
      rows[i][j] = least;
    }
  return rows[n][to - from];
}

/* To the nearest of all stretches of a chip's names. */
static size_t distance_to(const mpg_chips *chips, const char *chip, const char *wrong) {
  char a[80], b[80];
  size_t n = fold(wrong, a), least = SIZE_MAX;
  for (size_t k = 0; k <= mpg_chips_alias_count(chips); k++) {
    const char *name = chip, *of = chip;
    size_t m;
    if (k > 0)
      mpg_chips_alias(chips, k - 1, &name, &of);
    if (strcmp(of, chip) != 0)
      continue;
    m = fold(name, b);
    for (size_t from = 0; from <= m; from++)
      for (size_t to = from; to <= m && to - from <= n + 8; to++) {
        size_t distance = edits(a, n, b, from, to);
        least = distance < least ? distance : least;
      }
  }
  return least;
}

/* Names with a letter more, less, or another, or cut: no chip that is not told is nearer than
** one that is. */
static void test_every_nearest(const mpg_chips *chips) {
  for (int round = 0; round < 16; round++) {
    const char *chip = mpg_chips_row(chips, check_draw(mpg_chips_count(chips)))->chip;
    char wrong[100], out[300] = "", folded[80], told[320];
    size_t n, place, last = 0, allowed, names = 0;
    (void)snprintf(wrong, sizeof wrong, "%s", chip);
    n = strlen(wrong);
    place = check_draw(n);
    if (round % 4 == 0)
      memmove(wrong + place, wrong + place + 1, n - place);
    else if (round % 4 == 1)
      memmove(wrong + place + 1, wrong + place, n - place + 1);
    else if (round % 4 == 2)
      wrong[place] = 'q';
    else
      wrong[n / 2] = '\0';
    allowed = (fold(wrong, folded) + 1) / 3;
    mpg_chips_nearest(chips, exactly(wrong), out, sizeof out);
    (void)snprintf(told, sizeof told, ", %s, ", out);
    for (char *name = strtok(out, ", "); name != NULL; name = strtok(NULL, ", ")) {
      size_t distance = distance_to(chips, name, wrong);
      CHECK(distance >= last && distance <= allowed);
      last = distance;
      names++;
    }
    CHECK(names <= 3);
    for (size_t i = 0; i < mpg_chips_count(chips); i += 1 + check_draw(12)) {
      char name[100];
      (void)snprintf(name, sizeof name, ", %s, ", mpg_chips_row(chips, i)->chip);
      if (strstr(told, name) == NULL) {
        size_t distance = distance_to(chips, mpg_chips_row(chips, i)->chip, wrong);
        CHECK(distance > allowed || (names == 3 && distance >= last));
      }
    }
  }
}

static bool nearest_is(const mpg_chips *chips, const char *wrong, const char *expected) {
  char out[256];
  mpg_chips_nearest(chips, exactly(wrong), out, sizeof out);
  if (strcmp(out, expected) != 0)
    (void)fprintf(stderr, "  nearest %s: %s\n", wrong, out);
  return strcmp(out, expected) == 0;
}

static void test_messages(void) {
  mpg_chips *chips = fresh();
  char out[256], wrong[301];
  CHECK(nearest_is(chips, "h100", "nvidia-h100-sxm, nvidia-h100-pcie, nvidia-h100-nvl"));
  CHECK(nearest_is(chips, "h1000", "nvidia-h100-sxm, nvidia-h100-pcie, nvidia-h100-nvl"));
  CHECK(nearest_is(chips, "mi300", "amd-mi300a, amd-mi300x, amd-mi100"));
  CHECK(nearest_is(chips, "TPU v5q", "tpu-v5e, tpu-v5p, tpu-v2"));
  CHECK(nearest_is(chips, "zzzzzz", ""));
  CHECK(nearest_is(chips, "", ""));
  memset(wrong, 'h', sizeof wrong - 1);
  wrong[sizeof wrong - 1] = '\0';
  CHECK(nearest_is(chips, wrong, ""));
  test_every_nearest(chips);
  mpg_chips_nearest(chips, MPG_STR("h100"), out, 20);
  CHECK(strcmp(out, "nvidia-h100-sxm") == 0);
  mpg_chips_nearest(chips, MPG_STR("h100"), out, 1);
  CHECK(out[0] == '\0');
  mpg_chips_dtypes(chips, "tpu-v6e", out, sizeof out);
  CHECK(strcmp(out, "bf16, int8, fp8") == 0);
  mpg_chips_dtypes(chips, "nothing", out, sizeof out);
  CHECK(out[0] == '\0');
  mpg_chips_free(chips);
}

/* Fails the allocation after `left` more. */
static void *failing(void *ctx, void *p, size_t n) {
  int *left = ctx;
  if (n == 0) {
    free(p);
    return NULL;
  }
  return (*left)-- == 0 ? NULL : realloc(p, n);
}

static void test_memory(void) {
  for (int allowed = 0;; allowed++) {
    int left = allowed;
    mpg_env env = {.resize = failing, .resize_ctx = &left};
    mpg_chips *chips;
    mpg_err err;
    mpg_rc rc = mpg_chips_new(&chips, &env, &err);
    for (int i = 0; rc == MPG_OK && i < 200; i++) {
      char text[32];
      mpg_chip_row row = row_of(text, "bf16", 1e12);
      size_t rows = mpg_chips_count(chips), aliases = mpg_chips_alias_count(chips);
      (void)snprintf(text, sizeof text, "acme-%d", i);
      rc = mpg_chips_add(chips, &row, &err);
      CHECK(mpg_chips_count(chips) == rows + (rc == MPG_OK));
      CHECK((mpg_chips_find(chips, exactly(text)) != NULL) == (rc == MPG_OK));
      if (rc != MPG_OK)
        break;
      (void)snprintf(text, sizeof text, "alias-%d", i);
      rc = mpg_chips_add_alias(chips, exactly(text), MPG_STR("tpu-v2"), &err);
      CHECK(mpg_chips_alias_count(chips) == aliases + (rc == MPG_OK));
      CHECK((mpg_chips_find(chips, exactly(text)) != NULL) == (rc == MPG_OK));
    }
    mpg_chips_free(chips);
    if (rc == MPG_OK)
      break;
    CHECK(rc == MPG_NOMEM && err.rc == MPG_NOMEM);
  }
}

int main(void) {
  test_builtin();
  test_names();
  test_dtypes();
  test_add();
  test_override();
  test_aliases();
  test_messages();
  test_memory();
  return check_done("chips");
}
