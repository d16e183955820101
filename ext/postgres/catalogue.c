/*
** catalogue.c - the two tables about the extension itself that do not depend on a session:
** mpg_chips, the built-in catalogue, and mpg_categories. As in SQLite
** (ext/sqlite/catalogue_tables.c).
*/
#include "rows.h"
#include "lib/stringinfo.h"
#include "utils/json.h"

#include "../goodput/account.h"
#include "../program/chips.h"

#include <math.h>
#include <string.h>

static mpg_value text_value(const char *z) {
  return (mpg_value){.type = z == NULL ? MPG_NULL : MPG_TEXT, .s = mpg_str_of(z)};
}

static mpg_value int_value(int64_t v) {
  return (mpg_value){.type = MPG_INT, .i = v};
}

static mpg_value integer_or_none(int64_t v) {
  return (mpg_value){.type = v == 0 ? MPG_NULL : MPG_INT, .i = v};
}

static mpg_value real_value(double v) {
  return (mpg_value){.type = isnan(v) ? MPG_NULL : MPG_REAL, .r = v};
}

/* The other names of a chip, as a JSON array. */
static mpg_value aliases_of(const mpg_chips *chips, const char *chip) {
  StringInfoData out;
  const char *alias, *of;
  initStringInfo(&out);
  appendStringInfoChar(&out, '[');
  for (size_t i = 0; i < mpg_chips_alias_count(chips); i++) {
    mpg_chips_alias(chips, i, &alias, &of);
    if (strcmp(of, chip) != 0)
      continue;
    if (out.len > 1)
      appendStringInfoChar(&out, ',');
    escape_json(&out, alias);
  }
  appendStringInfoChar(&out, ']');
  return text_value(out.data);
}

PG_FUNCTION_INFO_V1(mpg_builtin_chips);
Datum mpg_builtin_chips(PG_FUNCTION_ARGS) {
  mpg_env env = mpg_host_env(CurrentMemoryContext);
  mpg_chips *chips;
  mpg_pg_rows rows;
  mpg_err err;
  if (mpg_chips_new(&chips, &env, &err) != MPG_OK)
    mpg_raise_as("mpg_chips", &err);
  mpg_pg_rows_begin(&rows, fcinfo, "mpg_chips");
  for (size_t i = 0; i < mpg_chips_count(chips); i++) {
    const mpg_chip_row *r = mpg_chips_row(chips, i);
    const mpg_value values[] = {
        text_value(r->chip),
        text_value(r->vendor),
        integer_or_none(r->year),
        text_value(r->dtype),
        real_value(r->peak_flops),
        isnan(r->hbm_bytes) ? text_value(NULL) : int_value(llround(r->hbm_bytes)),
        real_value(r->hbm_bytes_per_s),
        real_value(r->ici_bytes_per_s),
        real_value(r->tdp_w),
        text_value(r->source),
        aliases_of(chips, r->chip),
        integer_or_none(r->devices),
        text_value(r->unit),
    };
    mpg_pg_rows_put(&rows, values);
  }
  mpg_chips_free(chips);
  PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(mpg_all_categories);
Datum mpg_all_categories(PG_FUNCTION_ARGS) {
  mpg_pg_rows rows;
  mpg_pg_rows_begin(&rows, fcinfo, "mpg_categories");
  for (int i = 0; i < MPG_CATEGORIES; i++) {
    const mpg_category_info *info = mpg_category_get((mpg_category)i);
    mpg_account one = {
        {{0, 0}}}; /* one unit of the category: the account shows what it counts towards */
    one.sum[i].whole = 1;
    const mpg_value values[] = {
        text_value(info->name),
        text_value(mpg_layer_name(info->layer)),
        text_value(info->meaning),
        int_value(!mpg_sum_is_zero(mpg_account_capacity(&one))),
        int_value(!mpg_sum_is_zero(mpg_account_allocated(&one))),
        int_value(!mpg_sum_is_zero(mpg_account_productive(&one))),
    };
    mpg_pg_rows_put(&rows, values);
  }
  PG_RETURN_VOID();
}
