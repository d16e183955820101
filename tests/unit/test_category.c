/* test_category.c - every category is found by its name and by nothing near it. */
#include "../../ext/goodput/category.h"
#include "check.h"

#include <string.h>

int main(void) {
  int wrong = 0;
  for (int c = 0; c < MPG_CATEGORIES; c++) {
    const mpg_category_info *info = mpg_category_get((mpg_category)c);
    char name[16];
    size_t n = strlen(info->name);
    CHECK(mpg_category_find(mpg_str_of(info->name)) == (mpg_category)c);
    CHECK(mpg_category_find((mpg_str){info->name, n - 1}) == MPG_CATEGORIES);
    CHECK(mpg_category_at(info->name) == (mpg_category)c &&
          mpg_category_name((mpg_category)c) == info->name);
    CHECK(mpg_category_at(info->name + 1) == MPG_CATEGORIES);
    CHECK(mpg_layer_name(info->layer) != NULL && info->meaning[0] != '\0');
    /* Any other byte anywhere, and one byte more. */
    for (size_t i = 0; i < n; i++)
      for (int b = 0; b < 256; b++) {
        memcpy(name, info->name, n);
        name[i] = (char)b;
        wrong += (mpg_category_find((mpg_str){name, n}) == (mpg_category)c) !=
                 (name[i] == info->name[i]);
      }
    memcpy(name, info->name, n + 1);
    CHECK(mpg_category_find((mpg_str){name, n + 1}) == MPG_CATEGORIES);
  }
  CHECK(wrong == 0);
  CHECK(mpg_category_at(NULL) == MPG_CATEGORIES && mpg_category_at("idle") == MPG_CATEGORIES);
  CHECK(mpg_category_at(mpg_category_name(MPG_DOWN) - MPG_CATEGORY_NAME) == MPG_CATEGORIES);
  CHECK(mpg_category_find((mpg_str){NULL, 0}) == MPG_CATEGORIES);
  CHECK(mpg_category_find(MPG_STR("IDLE")) == MPG_CATEGORIES);
  CHECK(mpg_category_find(MPG_STR("prodctive")) == MPG_CATEGORIES);
  CHECK(mpg_category_find(MPG_STR("scheduling")) == MPG_CATEGORIES);
  return check_done("category");
}
