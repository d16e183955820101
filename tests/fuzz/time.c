/* time.c - times and buckets in text: what is read is written so that it reads the same. */
#include "fuzz.h"
#include "../../ext/base/time.h"
#include "../../ext/formats/slurm/slurm_value.h"
#include "../../ext/formats/pbs/pbs_value.h"
#include "../../ext/base/time_bucket.h"

void fuzz_time(mpg_str input) {
  mpg_err err;
  mpg_bucket bucket;
  mpg_value v = {MPG_TEXT, 0, 0.0, input};
  char text[64];
  int64_t us, again, duration;
  if (mpg_time_parse(input, &us, &err) == MPG_OK) {
    size_t n = mpg_time_format(us, text);
    CHECK(us >= 0 && us < MPG_TIME_MAX);
    CHECK(mpg_time_parse((mpg_str){text, n}, &again, &err) == MPG_OK && again == us);
  } else {
    us = 1790000000000000;
  }
  if (mpg_bucket_parse(&v, &bucket, &err) == MPG_OK && mpg_bucket_is_set(&bucket)) {
    int64_t start = mpg_bucket_start(&bucket, us), next = mpg_bucket_next(&bucket, start);
    CHECK(start <= us && us < next && mpg_bucket_start(&bucket, next - 1) == start);
    CHECK(mpg_bucket_label(&bucket, start, text) < 40);
  }
  (void)mpg_pbs_duration_parse(input, &duration);
}
