/* ledger_options.c - see ledger_options.h. */
#include "ledger_options.h"
#include "../../base/number.h"
#include "../../base/pipeline.h"
#include "../../base/text.h"

#include <stdio.h>
#include <string.h>

const char *mpg_arg_name(mpg_arg a) {
  static const char *const names[MPG_ARGS] = {
      "path",  "schema", "of_job",   "bucket_width", "since",   "until", "as_of",
      "basis", "sizes",  "roofline", "on_error",     "threads", "grain"};
  return names[a];
}

typedef struct number_text {
  char p[MPG_INT_TEXT];
} number_text;

/* A value as text: its own, or a number's in `room`. */
static mpg_str text_of(const mpg_value *v, number_text *room) {
  switch (v->type) {
  case MPG_INT:
    return (mpg_str){room->p, mpg_text_int(v->i, room->p)};
  case MPG_REAL:
    return (mpg_str){room->p, mpg_text_real(v->r, room->p)};
  default:
    return v->s;
  }
}

/* Whether whole seconds are rather a date: 2026-01-06 without quotes is a subtraction, 2019. */
static bool is_bare_date(int64_t seconds) {
  return (seconds >= 1900 && seconds < 2262) || mpg_seconds_read_as_date(seconds);
}

static mpg_rc time_arg(const mpg_value *args, mpg_arg a, int64_t *out, mpg_err *err) {
  number_text room;
  mpg_str text;
  size_t digits = 0;
  mpg_err why;
  mpg_rc rc;
  if (args[a].type == MPG_NULL)
    return MPG_OK;
  rc = mpg_time_value(&args[a], out, &why);
  if (rc != MPG_OK)
    return mpg_fail(err, rc, "%s: %s", mpg_arg_name(a), why.text);
  text = text_of(&args[a], &room);
  while (digits < text.n && text.p[digits] >= '0' && text.p[digits] <= '9')
    digits++;
  if (digits == text.n && is_bare_date(*out / MPG_SECOND))
    return mpg_fail(
        err, MPG_MISUSE,
        "%s: expected Unix seconds or ISO 8601 time, found %.*s, which a date without quotes or "
        "dashes comes to: write '2026-01-06', or %.*s.0 for seconds",
        mpg_arg_name(a), (int)text.n, text.p, (int)text.n, text.p);
  return MPG_OK;
}

static mpg_rc window_check(const mpg_value *args, const mpg_window *window, mpg_err *err) {
  number_text room[2];
  char since[MPG_EXCERPT], until[MPG_EXCERPT];
  if (args[MPG_ARG_SINCE].type == MPG_NULL || args[MPG_ARG_UNTIL].type == MPG_NULL ||
      window->until >= window->since)
    return MPG_OK;
  mpg_text_excerpt(text_of(&args[MPG_ARG_SINCE], &room[0]), since);
  mpg_text_excerpt(text_of(&args[MPG_ARG_UNTIL], &room[1]), until);
  return mpg_fail(err, MPG_MISUSE, "%s: expected a time that is not before %s (%s), found %s",
                  mpg_arg_name(MPG_ARG_UNTIL), mpg_arg_name(MPG_ARG_SINCE), since, until);
}

/* One of `n` words, as its number; the first if it is not given. */
static mpg_rc word_arg(const mpg_value *args, mpg_arg a, const char *const *words, int n, int *out,
                       mpg_err *err) {
  number_text room;
  mpg_str text = text_of(&args[a], &room);
  char known[64] = "", found[MPG_EXCERPT];
  *out = 0;
  if (args[a].type == MPG_NULL)
    return MPG_OK;
  for (; *out < n; ++*out)
    if (mpg_str_eq(text, mpg_str_of(words[*out])))
      return MPG_OK;
  for (int i = 0; i < n; i++)
    (void)snprintf(known + strlen(known), sizeof known - strlen(known), "%s'%s'",
                   i == 0      ? ""
                   : i < n - 1 ? ", "
                               : " or ",
                   words[i]);
  mpg_text_excerpt(text, found);
  return mpg_fail(err, MPG_MISUSE, "%s: expected %s, found '%s'", mpg_arg_name(a), known, found);
}

static mpg_rc sizes_arg(const mpg_value *args, mpg_sizes *sizes, mpg_err *err) {
  number_text room;
  mpg_err why;
  mpg_rc rc;
  if (args[MPG_ARG_SIZES].type == MPG_NULL)
    return MPG_OK;
  rc = mpg_sizes_parse(text_of(&args[MPG_ARG_SIZES], &room), sizes, &why);
  return rc == MPG_OK ? MPG_OK : mpg_fail(err, rc, "%s: %s", mpg_arg_name(MPG_ARG_SIZES), why.text);
}

static mpg_rc bucket_arg(const mpg_value *args, mpg_bucket *bucket, mpg_err *err) {
  mpg_err why;
  mpg_rc rc;
  if (args[MPG_ARG_BUCKET_WIDTH].type == MPG_NULL)
    return MPG_OK;
  rc = mpg_bucket_parse(&args[MPG_ARG_BUCKET_WIDTH], bucket, &why);
  return rc == MPG_OK ? MPG_OK
                      : mpg_fail(err, rc, "%s: %s", mpg_arg_name(MPG_ARG_BUCKET_WIDTH), why.text);
}

static mpg_rc threads_arg(const mpg_value *args, int *threads, mpg_err *err) {
  enum { MOST = 16 };
  const mpg_value *v = &args[MPG_ARG_THREADS];
  number_text room;
  char found[MPG_EXCERPT];
  int64_t n = 0;
  *threads = mpg_threads_available();
  if (*threads > MOST)
    *threads = MOST;
  if (v->type == MPG_NULL)
    return MPG_OK;
  if (!mpg_value_int(v, &n) || n < 1 || n > MPG_THREADS_MAX) {
    mpg_text_excerpt(text_of(v, &room), found);
    return mpg_fail(err, MPG_MISUSE, "%s: expected a whole number from 1 to %d, found '%s'",
                    mpg_arg_name(MPG_ARG_THREADS), MPG_THREADS_MAX, found);
  }
  *threads = (int)n;
  return MPG_OK;
}

mpg_rc mpg_ledger_args_read(const mpg_value args[MPG_ARGS], mpg_ledger_options *options, bool *skip,
                            int *threads, mpg_err *err) {
  static const char *const basis_words[] = {"installed", "in_service", "shard"};
  static const char *const roofline_words[] = {"compute", "memory"};
  static const char *const error_words[] = {"stop", "skip"};
  int basis, roofline, on_error;
  mpg_rc rc;
  *options = mpg_ledger_defaults();
  if ((rc = bucket_arg(args, &options->window.bucket, err)) != MPG_OK ||
      (rc = time_arg(args, MPG_ARG_SINCE, &options->window.since, err)) != MPG_OK ||
      (rc = time_arg(args, MPG_ARG_UNTIL, &options->window.until, err)) != MPG_OK ||
      (rc = window_check(args, &options->window, err)) != MPG_OK ||
      (rc = time_arg(args, MPG_ARG_AS_OF, &options->rules.as_of, err)) != MPG_OK ||
      (rc = word_arg(args, MPG_ARG_BASIS, basis_words, 3, &basis, err)) != MPG_OK ||
      (rc = word_arg(args, MPG_ARG_ROOFLINE, roofline_words, 2, &roofline, err)) != MPG_OK ||
      (rc = word_arg(args, MPG_ARG_ON_ERROR, error_words, 2, &on_error, err)) != MPG_OK ||
      (rc = threads_arg(args, threads, err)) != MPG_OK)
    return rc;
  options->rules.basis = (mpg_basis)basis;
  options->rules.memory_roofline = roofline == 1;
  *skip = on_error == 1;
  return sizes_arg(args, &options->rules.sizes, err);
}
