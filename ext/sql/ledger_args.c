/* ledger_args.c - see ledger_args.h. */
#include "ledger_args.h"
#include "../core/pipeline.h"
#include "../core/number.h"

#include <string.h>

const char *const mpg_arg_names[ARGS] = {"path",  "schema",   "of_job",   "bucket_width",
                                         "since", "until",    "as_of",    "basis",
                                         "sizes", "roofline", "on_error", "threads"};

bool mpg_arg_given(sqlite3_value *const *args, mpg_arg a) {
  return args[a] != NULL && sqlite3_value_type(args[a]) != SQLITE_NULL;
}

const char *mpg_arg_text(sqlite3_value *const *args, mpg_arg a) {
  const unsigned char *text = mpg_arg_given(args, a) ? sqlite3_value_text(args[a]) : NULL;
  return text == NULL ? "" : (const char *)text;
}

static mpg_rc time_arg(sqlite3_value *const *args, mpg_arg a, int64_t *out, mpg_err *err) {
  mpg_value v;
  mpg_err why;
  mpg_rc rc;
  if (!mpg_arg_given(args, a))
    return MPG_OK;
  v = mpg_value_of(args[a]);
  rc = mpg_time_value(&v, out, &why);
  return rc == MPG_OK ? MPG_OK : mpg_fail(err, rc, "%s: %s", mpg_arg_names[a], why.text);
}

/* One of two words; *second tells which. */
static mpg_rc word_arg(sqlite3_value *const *args, mpg_arg a, const char *first, const char *second,
                       bool *is_second, mpg_err *err) {
  *is_second = false;
  if (!mpg_arg_given(args, a) || strcmp(mpg_arg_text(args, a), first) == 0)
    return MPG_OK;
  *is_second = strcmp(mpg_arg_text(args, a), second) == 0;
  if (*is_second)
    return MPG_OK;
  return mpg_fail(err, MPG_MISUSE, "%s: expected '%s' or '%s', found '%.80s'", mpg_arg_names[a],
                  first, second, mpg_arg_text(args, a));
}

static mpg_rc sizes_arg(sqlite3_value *const *args, int64_t bounds[3], mpg_err *err) {
  const char *p = mpg_arg_text(args, ARG_SIZES);
  int64_t chips[3];
  if (!mpg_arg_given(args, ARG_SIZES))
    return MPG_OK;
  for (int i = 0; i < 3; i++) {
    size_t n = strcspn(p, ",");
    if (!mpg_scaled_parse((mpg_str){p, n}, 6, &chips[i]) || chips[i] <= (i ? chips[i - 1] : 0) ||
        (p[n] == ',') != (i < 2))
      return mpg_fail(err, MPG_MISUSE,
                      "sizes: expected three rising numbers of chips such as "
                      "'16,256,2048', found '%.80s'",
                      mpg_arg_text(args, ARG_SIZES));
    p += n + 1;
  }
  memcpy(bounds, chips, sizeof chips);
  return MPG_OK;
}

/* As many as there are processors, but not a whole large machine; one where SQLite's allocator is not
** made for more. */
static mpg_rc threads_arg(sqlite3_value *const *args, sqlite3 *db, int *threads, mpg_err *err) {
  const int most = 16;
  *threads = mpg_threads_available();
  if (*threads > most)
    *threads = most;
  if (mpg_arg_given(args, ARG_THREADS)) {
    sqlite3_int64 n = sqlite3_value_int64(args[ARG_THREADS]);
    if (sqlite3_value_type(args[ARG_THREADS]) != SQLITE_INTEGER || n < 1 || n > MPG_THREADS_MAX)
      return mpg_fail(err, MPG_MISUSE,
                      "threads: expected a whole number from 1 to %d, found '%.80s'",
                      MPG_THREADS_MAX, mpg_arg_text(args, ARG_THREADS));
    *threads = (int)n;
  }
  if (!mpg_sqlite_threads(db))
    *threads = 1;
  return MPG_OK;
}

mpg_rc mpg_ledger_args(sqlite3_value *const *args, sqlite3 *db, mpg_ledger_options *options,
                       bool *skip, int *threads, mpg_err *err) {
  mpg_err why;
  mpg_rc rc;
  *options = mpg_ledger_defaults();
  if (mpg_arg_given(args, ARG_BUCKET_WIDTH)) {
    mpg_value v = mpg_value_of(args[ARG_BUCKET_WIDTH]);
    rc = mpg_bucket_parse(&v, &options->window.bucket, &why);
    if (rc != MPG_OK)
      return mpg_fail(err, rc, "bucket_width: %s", why.text);
  }
  if ((rc = time_arg(args, ARG_SINCE, &options->window.since, err)) != MPG_OK ||
      (rc = time_arg(args, ARG_UNTIL, &options->window.until, err)) != MPG_OK ||
      (rc = time_arg(args, ARG_AS_OF, &options->rules.as_of, err)) != MPG_OK ||
      (rc = word_arg(args, ARG_BASIS, "installed", "in_service", &options->rules.in_service,
                     err)) != MPG_OK ||
      (rc = word_arg(args, ARG_ROOFLINE, "compute", "memory", &options->rules.memory_roofline,
                     err)) != MPG_OK ||
      (rc = word_arg(args, ARG_ON_ERROR, "stop", "skip", skip, err)) != MPG_OK ||
      (rc = threads_arg(args, db, threads, err)) != MPG_OK)
    return rc;
  return sizes_arg(args, options->rules.size_bounds, err);
}
