/*
** scene.h - a fleet of a test's own, whose memory never ends, and a ledger for what it comes to.
*/
#ifndef MPG_TEST_SCENE_H
#define MPG_TEST_SCENE_H

#include "check.h"
#include "../../ext/goodput/ledger/ledger.h"

typedef struct scene {
  mpg_issues issues;
  mpg_chips *chips;
  mpg_fleet fleet;
  mpg_ledger rows;
  mpg_sink sink; /* into the rows */
} scene;

/* It stays where it is: its parts know of each other. */
static inline void scene_open(scene *s) {
  mpg_err err;
  mpg_issues_init(&s->issues, &mpg_env_libc);
  mpg_ledger_init(&s->rows, &mpg_env_libc);
  s->sink = mpg_ledger_sink(&s->rows);
  CHECK(mpg_chips_new(&s->chips, &mpg_env_libc, &err) == MPG_OK);
  CHECK(mpg_fleet_init(&s->fleet, &mpg_env_libc, &s->issues, s->chips, &err) == MPG_OK);
}

static inline void scene_close(scene *s) {
  mpg_ledger_free(&s->rows);
  mpg_fleet_free(&s->fleet);
  mpg_chips_free(s->chips);
  mpg_issues_free(&s->issues);
}

#endif
