/* names.c - names and small languages in arguments: UUIDs, chips, dtypes, categories, node lists,
** columns, paths of JSON. With tabs in it, an input is rows of a chip catalogue. */
#include "fuzz.h"
#include "../../ext/goodput/category.h"
#include "../../ext/program/chips.h"
#include "../../ext/program/dtype.h"
#include "../../ext/goodput/trace/uuid.h"
#include "../../ext/read/rows/columns.h"
#include "../../ext/formats/slurm/slurm_value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static mpg_rc count(void *ctx, mpg_str name) {
  size_t *left = ctx;
  CHECK(name.n > 0 || name.p != NULL);
  return (*left)-- == 0 ? MPG_INTERRUPTED : MPG_OK;
}

static mpg_rc columns_of(const mpg_env *env, mpg_str input, fuzz_text *out) {
  mpg_columns columns;
  mpg_err err;
  mpg_rc rc = MPG_OK;
  for (int form = MPG_COLUMNS_NAMES; rc == MPG_OK && form <= MPG_COLUMNS_PATHS; form++) {
    mpg_columns_init(&columns, env);
    rc = mpg_columns_parse(&columns, input, (mpg_columns_form)form, &err);
    if (rc == MPG_OK)
      for (size_t i = 0; i < columns.n; i++)
        CHECK(mpg_columns_find(&columns, columns.p[i].name) == i);
    fuzz_put(out, "%d %zu %s\n", (int)rc, columns.n, rc == MPG_OK ? "" : err.text);
    mpg_columns_free(&columns);
    rc = fuzz_cut_short(rc) ? rc : MPG_OK;
  }
  return rc == MPG_OK ? MPG_DONE : rc;
}

/* The next word of a line of words between tabs, terminated. */
static const char *word(mpg_str *rest, char *out, size_t cap) {
  size_t n = 0;
  while (rest->n > 0 && *rest->p != '\t' && *rest->p != '\0') {
    if (n + 1 < cap)
      out[n++] = *rest->p;
    rest->p++;
    rest->n--;
  }
  rest->p += rest->n > 0;
  rest->n -= rest->n > 0;
  out[n] = '\0';
  return out;
}

static double figure(mpg_str *rest) {
  char text[64];
  return word(rest, text, sizeof text)[0] == '\0' ? NAN : strtod(text, NULL);
}

/* Whether what a row left unknown came from another, and nothing else did. */
static bool given_or_known(double given, double found) {
  return isnan(given) || given == found;
}

/* A row of the user's own, "chip\tdtype\tpeak\talias\tmemory\tpower": it is there, or nothing
** has changed. */
static mpg_rc own_row(mpg_chips *chips, mpg_str line, fuzz_text *out) {
  char chip[256], dtype[64], alias[256], dtypes[256];
  mpg_chip_row row = {.hbm_bytes_per_s = NAN, .ici_bytes_per_s = NAN};
  const mpg_chip_row *found;
  const char *name;
  mpg_err err;
  size_t before = mpg_chips_count(chips);
  mpg_rc rc;
  row.chip = word(&line, chip, sizeof chip);
  row.dtype = word(&line, dtype, sizeof dtype);
  row.peak_flops = figure(&line);
  (void)word(&line, alias, sizeof alias);
  row.hbm_bytes = figure(&line);
  row.tdp_w = figure(&line);
  rc = mpg_chips_add(chips, &row, &err);
  CHECK(rc == MPG_OK || mpg_chips_count(chips) == before);
  if (rc != MPG_OK) {
    fuzz_put(out, "!%s\n", fuzz_cut_short(rc) ? "" : err.text);
    return rc;
  }
  name = mpg_chips_find(chips, mpg_str_of(chip));
  CHECK(name != NULL && row.peak_flops > 0);
  found = mpg_chips_peak(chips, name, mpg_str_of(dtype));
  CHECK(found != NULL && found->peak_flops == row.peak_flops && found->chip == name);
  CHECK(given_or_known(row.hbm_bytes, found->hbm_bytes) && given_or_known(row.tdp_w, found->tdp_w));
  mpg_chips_dtypes(chips, name, dtypes, sizeof dtypes);
  CHECK(strlen(dtypes) < sizeof dtypes);
  fuzz_put(out, "%s: %s\n", name, dtypes);
  before = mpg_chips_alias_count(chips);
  rc = mpg_chips_add_alias(chips, mpg_str_of(alias), mpg_str_of(chip), &err);
  CHECK(rc == MPG_OK ? mpg_chips_find(chips, mpg_str_of(alias)) == name
                     : mpg_chips_alias_count(chips) == before);
  return rc;
}

/* No peak stands under another name than its own: what is listed is what is looked up. */
static void check_catalogue(const mpg_chips *chips) {
  const char *alias, *chip;
  for (size_t i = 0; i < mpg_chips_count(chips); i++) {
    const mpg_chip_row *row = mpg_chips_row(chips, i);
    CHECK(mpg_chips_peak(chips, row->chip, mpg_str_of(row->dtype)) == row);
  }
  for (size_t i = 0; i < mpg_chips_alias_count(chips); i++) {
    mpg_chips_alias(chips, i, &alias, &chip);
    CHECK(mpg_chips_find(chips, mpg_str_of(alias)) == mpg_chips_find(chips, mpg_str_of(chip)));
  }
}

/* A catalogue with rows of the user's own, a line each. */
static mpg_rc own_chips(const mpg_env *env, mpg_str input, fuzz_text *out) {
  static const char *const dtypes[] = {"", "bf16", "fp16", "fp32", "fp64_tensor", "fp64_matrix"};
  mpg_chips *chips;
  mpg_err err;
  mpg_rc rc = mpg_chips_new(&chips, env, &err);
  while (input.n > 0 && (rc == MPG_OK || rc == MPG_DATA)) {
    const char *lf = memchr(input.p, '\n', input.n);
    mpg_str line = {input.p, lf == NULL ? input.n : (size_t)(lf - input.p)};
    input.p += line.n + (lf != NULL);
    input.n -= line.n + (lf != NULL);
    rc = own_row(chips, line, out);
    for (size_t i = 0; rc == MPG_OK && i < sizeof dtypes / sizeof *dtypes; i++) {
      const mpg_chip_row *last = mpg_chips_row(chips, mpg_chips_count(chips) - 1);
      const mpg_chip_row *row = mpg_chips_peak(chips, last->chip, mpg_str_of(dtypes[i]));
      fuzz_put(out, "%s ", row == NULL ? "-" : row->dtype);
    }
  }
  if (!fuzz_cut_short(rc))
    check_catalogue(chips);
  mpg_chips_free(chips);
  return fuzz_cut_short(rc) ? rc : MPG_DONE;
}

static mpg_rc render(const mpg_env *env, mpg_str input, fuzz_text *out) {
  bool rows = input.n > 0 && memchr(input.p, '\t', input.n) != NULL;
  return rows ? own_chips(env, input, out) : columns_of(env, input, out);
}

void fuzz_names(mpg_str input) {
  static mpg_chips *chips; /* once: it is built of hundreds of rows */
  char uuid[MPG_UUID_TEXT], again[MPG_UUID_TEXT], near[256];
  const char *chip;
  mpg_dtype dtype = mpg_dtype_find(input);
  size_t nodes = 5000;
  mpg_err err;
  if (chips == NULL)
    CHECK(mpg_chips_new(&chips, &mpg_env_libc, &err) == MPG_OK);
  if (mpg_uuid_canonical(input, uuid)) {
    CHECK(strlen(uuid) == 36 && mpg_uuid_canonical(mpg_str_of(uuid), again));
    CHECK(strcmp(uuid, again) == 0);
  }
  CHECK(mpg_uuid_v5(MPG_STR("dns"), input, uuid) && uuid[14] == '5');
  if (dtype < MPG_DTYPES)
    CHECK(mpg_dtype_find(mpg_str_of(mpg_dtype_name(dtype))) == dtype);
  chip = mpg_chips_find(chips, input);
  if (chip != NULL) {
    CHECK(mpg_chips_find(chips, mpg_str_of(chip)) == chip && mpg_chips_first(chips, chip) != NULL);
    (void)mpg_chips_peak(chips, chip, input);
  } else {
    mpg_chips_nearest(chips, input, near, sizeof near);
    CHECK(strlen(near) < sizeof near);
  }
  if (mpg_category_find(input) < MPG_CATEGORIES)
    CHECK(mpg_str_eq(input, mpg_str_of(mpg_category_get(mpg_category_find(input))->name)));
  (void)mpg_slurm_nodes(input, count, &nodes);
  fuzz_reader(render, input);
}
