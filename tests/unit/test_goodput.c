/* test_goodput.c - rows of the aggregates in their three forms, added and taken out again, and
** their JSON worked by hand. */
#include "../../ext/goodput/goodput.h"
#include "check.h"
#include "exactly.h"

#include <math.h>

#define NONE ((mpg_value){.type = MPG_NULL})
#define INT(v) ((mpg_value){.type = MPG_INT, .i = (v)})
#define REAL(v) ((mpg_value){.type = MPG_REAL, .r = (v)})

static mpg_err err;

static bool slot_is(const mpg_goodput *g, int slot, double v) {
  return mpg_sum_to_double(g->account.sum[slot]) == v;
}

static bool is_empty(const mpg_goodput *g) {
  for (int slot = 0; slot < MPG_SLOTS; slot++)
    if (!mpg_sum_is_zero(g->account.sum[slot]))
      return false;
  return g->rows == 0;
}

static void categories(void) {
  mpg_goodput g = {{{{0, 0}}}, 0};
  char expected[MPG_ERR_TEXT] = "unknown category 'idel'; the categories are ";
  const mpg_value none = INT(1), far = REAL(INFINITY);
  for (int c = 0; c < MPG_CATEGORIES; c++) {
    const char *name = mpg_category_get((mpg_category)c)->name;
    const mpg_value v = c % 2 ? INT(c + 1) : REAL(c + 1.5);
    size_t n = strlen(expected);
    CHECK(mpg_goodput_category(&g, exactly(name), &v, false, &err) == MPG_OK && g.rows == c + 1);
    CHECK(slot_is(&g, c, c % 2 ? c + 1 : c + 1.5));
    (void)snprintf(expected + n, sizeof expected - n, "%s%s", c > 0 ? ", " : "", name);
  }
  CHECK(mpg_goodput_category(&g, exactly("idel"), &none, false, &err) == MPG_DATA);
  CHECK(strcmp(err.text, expected) == 0);
  CHECK(mpg_goodput_category(&g, exactly("idle"), &far, false, &err) == MPG_DATA);
  CHECK(g.rows == MPG_CATEGORIES &&
        slot_is(&g, MPG_IDLE, MPG_IDLE % 2 ? MPG_IDLE + 1 : MPG_IDLE + 1.5));
  for (int c = 0; c < MPG_CATEGORIES; c++) {
    const char *name = mpg_category_get((mpg_category)c)->name;
    const mpg_value v = c % 2 ? INT(c + 1) : REAL(c + 1.5);
    CHECK(mpg_goodput_category(&g, exactly(name), &v, true, &err) == MPG_OK);
  }
  CHECK(is_empty(&g));
  CHECK(mpg_goodput_int(&g, MPG_IDEAL, 7, false, &err) == MPG_OK && g.rows == 1);
  CHECK(slot_is(&g, MPG_IDEAL, 7) && mpg_goodput_int(&g, MPG_IDEAL, 7, true, &err) == MPG_OK);
  CHECK(is_empty(&g));
}

/* Capacity C, allocated A, productive G, ideal I: C - A is scheduling's, A - G the runtime's, G
** - I inefficiency. */
static void wide(void) {
  static const struct {
    mpg_value row[MPG_WIDE];
    double scheduling, untraced, runtime, unrated, inefficiency, ideal;
  } rows[] = {
      {{INT(100), INT(80), INT(60), INT(30)}, 20, 0, 20, 0, 30, 30},
      {{INT(100), INT(80), INT(60), NONE}, 20, 0, 20, 60, 0, 0},
      {{INT(100), INT(80), NONE, NONE}, 20, 80, 0, 0, 0, 0},
      {{INT(100), INT(80), NONE, INT(5)}, 20, 80, 0, 0, 0, 0}, /* ideal of nothing */
      {{REAL(0.5), REAL(0.25), INT(0), REAL(0)}, 0.25, 0, 0.25, 0, 0, 0},
      {{INT(1), INT(2), INT(3), INT(4)}, -1, 0, -1, 0, -1, 4}, /* more than there is shows */
  };
  static const mpg_value nothing[MPG_WIDE] = {{.type = MPG_NULL}};
  mpg_goodput all = {{{{0, 0}}}, 0};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    mpg_goodput g = {{{{0, 0}}}, 0};
    CHECK(mpg_goodput_wide(&g, rows[i].row, false, &err) == MPG_OK && g.rows == 1);
    CHECK(slot_is(&g, MPG_SLOT_SCHEDULING, rows[i].scheduling));
    CHECK(slot_is(&g, MPG_UNTRACED, rows[i].untraced));
    CHECK(slot_is(&g, MPG_SLOT_RUNTIME, rows[i].runtime));
    CHECK(slot_is(&g, MPG_UNRATED, rows[i].unrated));
    CHECK(slot_is(&g, MPG_INEFFICIENCY, rows[i].inefficiency));
    CHECK(slot_is(&g, MPG_IDEAL, rows[i].ideal));
    CHECK(mpg_goodput_wide(&all, rows[i].row, false, &err) == MPG_OK);
    CHECK(mpg_goodput_wide(&g, rows[i].row, true, &err) == MPG_OK && is_empty(&g));
  }
  CHECK(mpg_goodput_wide(&all, nothing, false, &err) == MPG_OK && all.rows == 6);
  CHECK(mpg_goodput_wide(&all, nothing, true, &err) == MPG_OK && all.rows == 6);
  /* Required are capacity and allocated, whatever else there is; and nothing of a row is added
  ** that fails. */
  for (int missing = 0; missing < 2; missing++)
    for (int others = 0; others < 8; others++) {
      mpg_value row[MPG_WIDE] = {NONE, NONE, NONE, NONE};
      mpg_goodput before = all;
      char expected[64];
      for (int k = 0, bit = 0; k < MPG_WIDE; k++)
        if (k != missing && (others >> bit++ & 1) != 0)
          row[k] = INT(9);
      if (others == 0 || (missing == 1 && (others & 1) == 0))
        continue; /* no row at all; or capacity is missing first */
      (void)snprintf(expected, sizeof expected, "%s is NULL", missing ? "allocated" : "capacity");
      CHECK(mpg_goodput_wide(&all, row, false, &err) == MPG_DATA &&
            strcmp(err.text, expected) == 0);
      CHECK(memcmp(&all, &before, sizeof all) == 0);
    }
  for (int k = 0; k < MPG_WIDE; k++) {
    mpg_value row[MPG_WIDE] = {INT(4), INT(3), INT(2), INT(1)};
    mpg_goodput before = all;
    row[k] = REAL(NAN);
    CHECK(mpg_goodput_wide(&all, row, false, &err) == MPG_DATA);
    row[k] = REAL(0x1p123);
    CHECK(mpg_goodput_wide(&all, row, false, &err) == MPG_LIMIT);
    CHECK(memcmp(&all, &before, sizeof all) == 0);
  }
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    CHECK(mpg_goodput_wide(&all, rows[i].row, true, &err) == MPG_OK);
  CHECK(is_empty(&all));
}

static void states(void) {
  const mpg_value row[MPG_WIDE] = {INT(100), INT(80), INT(60), INT(30)};
  unsigned char bytes[MPG_STATE_MAX];
  mpg_goodput one = {{{{0, 0}}}, 0}, sum = one;
  size_t n;
  CHECK(mpg_goodput_wide(&one, row, false, &err) == MPG_OK);
  n = mpg_account_write(&one.account, bytes);
  CHECK(mpg_goodput_state(&sum, bytes, n, false, &err) == MPG_OK && sum.rows == 1);
  CHECK(mpg_goodput_state(&sum, bytes, n, false, &err) == MPG_OK && sum.rows == 2);
  CHECK(slot_is(&sum, MPG_IDEAL, 60) && slot_is(&sum, MPG_SLOT_SCHEDULING, 40));
  bytes[n - 1] ^= 1;
  CHECK(mpg_goodput_state(&sum, bytes, n, false, &err) == MPG_DATA && sum.rows == 2);
  bytes[n - 1] ^= 1;
  CHECK(mpg_goodput_state(&sum, bytes, n, true, &err) == MPG_OK && sum.rows == 1);
  CHECK(mpg_goodput_state(&sum, bytes, n, true, &err) == MPG_OK && is_empty(&sum));
}

static void json_is(const mpg_goodput *g, const char *expected) {
  char out[MPG_GOODPUT_JSON];
  size_t n;
  memset(out, '#', sizeof out);
  n = mpg_goodput_json(g, out);
  CHECK(n == strlen(out) && strcmp(out, expected) == 0);
  if (strcmp(out, expected) != 0)
    (void)fprintf(stderr, "  %s\n", out);
}

static void json(void) {
  const mpg_value row[MPG_WIDE] = {INT(100), INT(80), INT(60), INT(30)};
  const mpg_value untraced[MPG_WIDE] = {INT(10), INT(5), NONE, NONE}, queued = REAL(2.5);
  mpg_goodput g = {{{{0, 0}}}, 0};
  /* Nothing is known of nothing. */
  json_is(
      &g,
      "{\"capacity\":0,\"allocated\":0,\"productive\":0,\"ideal\":0,\"queued\":0"
      ",\"scheduling_goodput\":null,\"runtime_goodput\":null,\"program_goodput\":null,\"mpg\":null"
      ",\"mpg_lower\":null,\"runtime_coverage\":null"
      ",\"program_coverage\":null,\"occupancy\":null"
      ",\"mfu\":null"
      ",\"ettr\":null"
      ",\"chip_time\":{}"
      ",\"share\":{}}");
  CHECK(mpg_goodput_category(&g, MPG_STR("queued"), &queued, false, &err) == MPG_OK);
  /* Of time in a queue alone ETTR is known: 0 of 2.5. */
  json_is(
      &g,
      "{\"capacity\":0,\"allocated\":0,\"productive\":0,\"ideal\":0,\"queued\":2.5"
      ",\"scheduling_goodput\":null,\"runtime_goodput\":null,\"program_goodput\":null,\"mpg\":null"
      ",\"mpg_lower\":null,\"runtime_coverage\":null"
      ",\"program_coverage\":null,\"occupancy\":null"
      ",\"mfu\":null"
      ",\"ettr\":0.0"
      ",\"chip_time\":{\"queued\":2.5}"
      ",\"share\":{}}");
  CHECK(mpg_goodput_wide(&g, row, false, &err) == MPG_OK);
  /* ETTR is 60 / (80 + 2.5). */
  json_is(&g,
          "{\"capacity\":100,\"allocated\":80,\"productive\":60,\"ideal\":30,\"queued\":2.5"
          ",\"scheduling_goodput\":0.8,\"runtime_goodput\":0.75,\"program_goodput\":0.5,\"mpg\":0.3"
          ",\"mpg_lower\":0.3,\"runtime_coverage\":1.0"
          ",\"program_coverage\":1.0,\"occupancy\":0.8"
          ",\"mfu\":0.375"
          ",\"ettr\":0.7272727272727273"
          ",\"chip_time\":{\"inefficiency\":30,\"ideal\":30,\"queued\":2.5,\"scheduling\":20,"
          "\"runtime\":20}"
          ",\"share\":{\"inefficiency\":0.3,\"ideal\":0.3,\"scheduling\":0.2,\"runtime\":0.2}}");
  CHECK(mpg_goodput_wide(&g, untraced, false, &err) == MPG_OK);
  /* Untraced are 5 of 85: RG is of the other 80, and what needs all of it is unknown. */
  json_is(
      &g,
      "{\"capacity\":110,\"allocated\":85,\"productive\":60,\"ideal\":30,\"queued\":2.5"
      ",\"scheduling_goodput\":0.7727272727272727,\"runtime_goodput\":0.75,\"program_goodput\":0.5,"
      "\"mpg\":null"
      ",\"mpg_lower\":0.2727272727272727,\"runtime_coverage\":0.9411764705882353"
      ",\"program_coverage\":1.0,\"occupancy\":0.7727272727272727"
      ",\"mfu\":null"
      ",\"ettr\":null"
      ",\"chip_time\":{\"untraced\":5,\"inefficiency\":30,\"ideal\":30,\"queued\":2.5,"
      "\"scheduling\":25,\"runtime\":20}"
      ",\"share\":{\"untraced\":0.045454545454545456,\"inefficiency\":0.2727272727272727,\"ideal\":"
      "0.2727272727272727,\"scheduling\":0.22727272727272727,\"runtime\":0.18181818181818182}}");
}

int main(void) {
  categories();
  wide();
  states();
  json();
  return check_done("goodput");
}
