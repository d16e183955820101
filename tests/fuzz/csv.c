/* csv.c - delimited text, as CSV and as sacct writes it. */
#include "fuzz.h"
#include "../../ext/read/parse/csv.h"

static mpg_rc with(const mpg_env *env, mpg_str input, char delimiter, bool no_quotes,
                   fuzz_text *out) {
  mpg_csv_options options = {delimiter, no_quotes, 3000};
  mpg_stream *stream;
  mpg_csv *csv = NULL;
  mpg_err err;
  int64_t before = 0;
  mpg_rc rc = mpg_stream_memory(&stream, env, "f", input, &err);
  if (rc != MPG_OK)
    return rc;
  rc = mpg_csv_open(&csv, env, stream, &options, &err);
  for (bool more = rc == MPG_OK; more;) {
    const mpg_str *fields;
    size_t n;
    rc = mpg_csv_next(csv, &fields, &n, &err);
    more = rc == MPG_OK || (rc == MPG_DATA && !mpg_csv_is_broken(csv));
    if (rc == MPG_OK) {
      int64_t line, column;
      CHECK(mpg_csv_line(csv) > before && n > 0 && n <= 65536);
      before = mpg_csv_line(csv);
      for (size_t i = 0; i < n; i++)
        fuzz_put_str(out, fields[i]);
      mpg_csv_where(csv, n - 1, &line, &column);
      CHECK(line >= before && column >= 1);
      fuzz_put(out, "%lld %lld:%lld\n", (long long)before, (long long)line, (long long)column);
    } else if (rc != MPG_DONE) {
      fuzz_put(out, "!%s\n", err.text);
    }
  }
  mpg_csv_close(csv);
  mpg_stream_close(stream);
  return rc;
}

static mpg_rc render(const mpg_env *env, mpg_str input, fuzz_text *out) {
  mpg_rc rc = with(env, input, ',', false, out);
  return fuzz_cut_short(rc) ? rc : with(env, input, '|', true, out);
}

void fuzz_csv(mpg_str input) {
  fuzz_reader(render, input);
}
