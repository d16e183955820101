/* names.c - names and small languages in arguments: UUIDs, chips, dtypes, categories, node lists, columns, paths of JSON. */
#include "fuzz.h"
#include "../../ext/core/category.h"
#include "../../ext/core/chips.h"
#include "../../ext/core/dtype.h"
#include "../../ext/core/uuid.h"
#include "../../ext/io/columns.h"
#include "../../ext/io/slurm_value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static mpg_rc count(void *ctx, mpg_str name) {
  size_t *left = ctx;
  CHECK(name.n > 0 || name.p != NULL);
  return (*left)-- == 0 ? MPG_INTERRUPTED : MPG_OK;
}

static mpg_rc render(const mpg_env *env, mpg_str input, fuzz_text *out) {
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
    rc = rc == MPG_NOMEM ? rc : MPG_OK;
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

/* A row of the user's own, "chip\tdtype\tpeak\talias": it is there, or nothing has changed. */
static void own_chip(mpg_str line) {
  char chip[256], dtype[64], peak[64], alias[256], dtypes[256];
  mpg_chip_row row = {
      .hbm_bytes = NAN, .hbm_bytes_per_s = NAN, .ici_bytes_per_s = NAN, .tdp_w = NAN};
  const mpg_chip_row *found;
  const char *name;
  mpg_chips *chips;
  mpg_err err;
  size_t before;
  mpg_rc rc;
  CHECK(mpg_chips_new(&chips, &mpg_env_libc, &err) == MPG_OK);
  before = mpg_chips_count(chips);
  row.chip = word(&line, chip, sizeof chip);
  row.dtype = word(&line, dtype, sizeof dtype);
  row.peak_flops = strtod(word(&line, peak, sizeof peak), NULL);
  rc = mpg_chips_add(chips, &row, &err);
  CHECK(rc == MPG_OK || rc == MPG_DATA);
  CHECK(rc == MPG_OK || mpg_chips_count(chips) == before);
  if (rc == MPG_OK) {
    name = mpg_chips_find(chips, mpg_str_of(chip));
    CHECK(name != NULL && row.peak_flops > 0);
    found = mpg_chips_peak(chips, name, mpg_str_of(dtype));
    CHECK(found != NULL && found->peak_flops == row.peak_flops);
    mpg_chips_dtypes(chips, name, dtypes, sizeof dtypes);
    CHECK(strlen(dtypes) < sizeof dtypes);
    (void)word(&line, alias, sizeof alias);
    before = mpg_chips_alias_count(chips);
    rc = mpg_chips_add_alias(chips, mpg_str_of(alias), mpg_str_of(chip), &err);
    CHECK(rc == MPG_OK ? mpg_chips_find(chips, mpg_str_of(alias)) == name
                       : rc == MPG_DATA && mpg_chips_alias_count(chips) == before);
  }
  mpg_chips_free(chips);
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
  if (input.n > 0 && memchr(input.p, '\t', input.n) != NULL)
    own_chip(input);
  fuzz_reader(render, input);
}
