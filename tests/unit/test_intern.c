/* test_intern.c - texts get numbers once, in the order of first sight, and stay where they are. */
#include "../../ext/core/intern.h"
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  enum { MANY = 50000 };
  mpg_intern t;
  uint32_t id, again, wrong = 0;
  const char **where = malloc(MANY * sizeof *where);
  char text[64];
  char *long_text = malloc(200000);
  mpg_intern_init(&t, &mpg_env_libc);
  CHECK(mpg_intern_find(&t, MPG_STR("nothing")) == 0);
  CHECK(mpg_intern_text(&t, 0).p == NULL);
  CHECK(mpg_intern_id(&t, (mpg_str){NULL, 0}, &id) == MPG_OK && id == 1);
  CHECK(mpg_intern_id(&t, MPG_STR(""), &id) == MPG_OK && id == 1);
  CHECK(mpg_intern_id(&t, MPG_STR("a\0b"), &id) == MPG_OK && id == 2);
  CHECK(mpg_intern_id(&t, MPG_STR("a\0c"), &id) == MPG_OK && id == 3);
  CHECK(mpg_intern_id(&t, MPG_STR("a"), &id) == MPG_OK && id == 4);
  memset(long_text, 'x', 200000);
  CHECK(mpg_intern_id(&t, (mpg_str){long_text, 200000}, &id) == MPG_OK && id == 5);
  CHECK(mpg_intern_id(&t, (mpg_str){long_text, 199999}, &id) == MPG_OK && id == 6);
  for (uint32_t i = 0; i < MANY; i++) {
    int n = snprintf(text, sizeof text, "job-%u", i * 7919u);
    if (mpg_intern_id(&t, (mpg_str){text, (size_t)n}, &id) != MPG_OK || id != i + 7)
      wrong++;
    where[i] = mpg_intern_text(&t, id).p;
  }
  for (uint32_t i = 0; i < MANY; i++) {
    int n = snprintf(text, sizeof text, "job-%u", i * 7919u);
    mpg_str s = {text, (size_t)n};
    wrong += mpg_intern_id(&t, s, &again) != MPG_OK || again != i + 7 ||
             mpg_intern_find(&t, s) != again || mpg_intern_text(&t, again).p != where[i] ||
             !mpg_str_eq(mpg_intern_text(&t, again), s) || where[i][n] != '\0';
  }
  CHECK(wrong == 0);
  CHECK(t.n == MANY + 6);
  CHECK(mpg_intern_cmp(&t, 0, 1) < 0 && mpg_intern_cmp(&t, 1, 0) > 0 &&
        mpg_intern_cmp(&t, 2, 2) == 0);
  CHECK(mpg_intern_cmp(&t, 4, 2) < 0 && mpg_intern_cmp(&t, 2, 3) < 0 &&
        mpg_intern_cmp(&t, 5, 6) > 0);
  mpg_intern_free(&t);
  mpg_intern_free(&t);
  free(where);
  free(long_text);
  return check_done("intern");
}
