/* ledger_args.c - see ledger_args.h. */
#include "ledger_args.h"
#include "../core/pipeline.h"

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

/* One of `n` words, as its number; the first where it is not given. */
static mpg_rc word_arg(sqlite3_value *const *args, mpg_arg a, const char *const *words, int n,
                       int *out, mpg_err *err) {
  const char *found = mpg_arg_given(args, a) ? mpg_arg_text(args, a) : words[0];
  char known[64] = "";
  for (*out = 0; *out < n; ++*out)
    if (strcmp(found, words[*out]) == 0)
      return MPG_OK;
  for (int i = 0; i < n; i++)
    (void)sqlite3_snprintf((int)(sizeof known - strlen(known)), known + strlen(known), "%s'%s'",
                           i == 0      ? ""
                           : i < n - 1 ? ", "
                                       : " or ",
                           words[i]);
  return mpg_fail(err, MPG_MISUSE, "%s: expected %s, found '%.80s'", mpg_arg_names[a], known,
                  found);
}

static mpg_rc sizes_arg(sqlite3_value *const *args, mpg_sizes *sizes, mpg_err *err) {
  mpg_err why;
  mpg_rc rc;
  if (!mpg_arg_given(args, ARG_SIZES))
    return MPG_OK;
  rc = mpg_sizes_parse(mpg_str_of(mpg_arg_text(args, ARG_SIZES)), sizes, &why);
  return rc == MPG_OK ? MPG_OK : mpg_fail(err, rc, "sizes: %s", why.text);
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
  static const char *const basis_words[] = {"installed", "in_service", "shard"};
  static const char *const roofline_words[] = {"compute", "memory"};
  static const char *const error_words[] = {"stop", "skip"};
  int basis, roofline, on_error;
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
      (rc = word_arg(args, ARG_BASIS, basis_words, 3, &basis, err)) != MPG_OK ||
      (rc = word_arg(args, ARG_ROOFLINE, roofline_words, 2, &roofline, err)) != MPG_OK ||
      (rc = word_arg(args, ARG_ON_ERROR, error_words, 2, &on_error, err)) != MPG_OK ||
      (rc = threads_arg(args, db, threads, err)) != MPG_OK)
    return rc;
  options->rules.basis = (mpg_basis)basis;
  options->rules.memory_roofline = roofline == 1;
  *skip = on_error == 1;
  return sizes_arg(args, &options->rules.sizes, err);
}
