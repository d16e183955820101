/* test_lineage.c - the fate of steps, case by case, and against a reading of the rules word by
** word. */
#include "../../ext/goodput/rules/lineage.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

#define NONE MPG_NONE

static mpg_lineage lineage;

/* The branches of steps, none of which a restore came before. */
static size_t branches_of(const mpg_step *steps, size_t n, mpg_branch *branches) {
  size_t count = 0;
  for (size_t i = 0; i < n; i++) {
    mpg_branch *last = count > 0 ? &branches[count - 1] : NULL;
    if (steps[i].number == NONE)
      continue;
    if (last == NULL || last->attempt != steps[i].attempt || last->last >= steps[i].number)
      branches[count++] = (mpg_branch){.attempt = steps[i].attempt,
                                       .item = i,
                                       .start = steps[i].start,
                                       .first = steps[i].number,
                                       .loaded = NONE};
    branches[count - 1].last = steps[i].number;
    branches[count - 1].last_item = i;
  }
  return count;
}

/* Steps run one a second: step i of `numbers` is [i, i + 1) seconds, in attempt attempts[i]. The
** fates come back as letters: productive, lost, undecided (pending), no data. */
static const char *fates(const char *attempts, const int64_t *numbers, const mpg_commit *commits,
                         size_t ncommits, mpg_ending ending, int64_t as_of) {
  static char text[64];
  size_t n = strlen(attempts);
  mpg_step steps[64] = {{0}};
  mpg_branch branches[64];
  for (size_t i = 0; i < n; i++)
    steps[i] = (mpg_step){(int64_t)i * 1000000,
                          (int64_t)(i + 1) * 1000000,
                          numbers[i],
                          (size_t)(attempts[i] - '1'),
                          i,
                          ending == MPG_ENDED_WELL && attempts[i] == attempts[n - 1]};
  if (mpg_lineage_begin(&lineage, &(mpg_lineage_input){commits, ncommits, branches,
                                                       branches_of(steps, n, branches), ending,
                                                       as_of}) != MPG_OK)
    return "failed";
  for (size_t i = n; i-- > 0;)
    text[i] = "PLUN"[mpg_lineage_decide(&lineage, &steps[i])];
  text[n] = '\0';
  return text;
}

#define NUMBERS(...) ((const int64_t[]){__VA_ARGS__})
#define FATES(attempts, numbers, commits, ending)                                                  \
  fates(attempts, numbers, commits, sizeof commits / sizeof *commits, ending, 100000000)
#define IS(fates, letters) CHECK(strcmp(fates, letters) == 0)

static mpg_commit commit(int64_t step, int64_t snapshot, int64_t durable) {
  return (mpg_commit){0, step, snapshot == NONE ? NONE : snapshot * 1000000,
                      durable == NONE ? NONE : durable * 1000000};
}

/* The rules of docs/rules.md, section 5, read as slowly as they are written. */
static mpg_fate slowly(const mpg_step *steps, size_t n, size_t i, const mpg_commit *c, size_t nc,
                       mpg_ending ending, int64_t as_of) {
  size_t resume = SIZE_MAX, before = SIZE_MAX;
  bool data = false;
  if (steps[i].number != NONE)
    for (size_t k = i + 1; k < n; k++)
      if (steps[k].number != NONE && steps[k].number <= steps[i].number)
        return MPG_FATE_LOST;
  for (size_t k = 0; k < n; k++)
    if (steps[k].number != NONE) {
      if (before == SIZE_MAX || steps[k].attempt != steps[before].attempt ||
          steps[k].number <= steps[before].number)
        resume = k;
      before = k;
    }
  if ((steps[i].number != NONE && i < resume) || steps[i].completed)
    return MPG_FATE_PRODUCTIVE;
  for (size_t k = 0; k < nc; k++) {
    int64_t taken = c[k].snapshot != NONE ? c[k].snapshot : c[k].durable;
    bool numbers = c[k].step != NONE && steps[i].number != NONE;
    if (taken > as_of)
      continue;
    data = true;
    if (c[k].durable == NONE || c[k].durable > as_of)
      continue;
    if (numbers ? steps[i].number <= c[k].step &&
                      (steps[i].start < taken ||
                       (c[k].step <= steps[before].number && steps[resume].start < taken))
                : steps[i].end <= taken)
      return MPG_FATE_PRODUCTIVE;
  }
  if (ending == MPG_ENDED_WELL && (!data || steps[i].number == NONE))
    return MPG_FATE_PRODUCTIVE;
  if (!data)
    return MPG_FATE_NO_DATA;
  return ending == MPG_STILL_RUNNING ? MPG_FATE_PENDING : MPG_FATE_LOST;
}

static uint64_t state = 99;

static int64_t below(int64_t n) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (int64_t)(state % (uint64_t)n);
}

static int by_step(const void *a, const void *b) {
  const mpg_commit *x = a, *y = b;
  return (x->step > y->step) - (x->step < y->step);
}

static int differences(void) {
  int wrong = 0;
  for (int round = 0; round < 20000; round++) {
    mpg_step steps[12];
    mpg_branch branches[12];
    mpg_commit commits[4];
    size_t n = (size_t)below(12) + 1, nc = (size_t)below(5);
    int64_t number = below(3), as_of = 4000000 + below(10) * 1000000;
    mpg_ending ending = (mpg_ending)below(3);
    size_t attempt = 0;
    nc = nc > 4 ? 4 : nc;
    for (size_t i = 0; i < n; i++) {
      attempt += below(4) == 0;
      number = below(4) == 0 ? below(8) : number + 1;
      steps[i] = (mpg_step){(int64_t)i * 1000000,
                            (int64_t)(i + 1) * 1000000,
                            below(6) ? number : NONE,
                            attempt,
                            i,
                            false};
    }
    for (size_t i = 0; i < n; i++)
      steps[i].completed = steps[i].attempt == attempt && ending == MPG_ENDED_WELL;
    for (size_t i = 0; i < nc; i++)
      commits[i] = commit(below(5) ? below(10) : NONE, below(5) ? below(12) : NONE,
                          below(5) ? below(15) : NONE);
    qsort(commits, nc, sizeof *commits, by_step);
    if (mpg_lineage_begin(&lineage, &(mpg_lineage_input){commits, nc, branches,
                                                         branches_of(steps, n, branches), ending,
                                                         as_of}) != MPG_OK)
      return -1;
    for (size_t i = n; i-- > 0;)
      wrong += mpg_lineage_decide(&lineage, &steps[i]) !=
               slowly(steps, n, i, commits, nc, ending, as_of);
  }
  return wrong;
}

/* Steps and commits are gone through once together: each step looking at all commits would take
** minutes. */
static void test_many(void) {
  enum { MANY = 300000 };
  const mpg_branch branch = {.last_item = MANY - 1, .last = MANY - 1, .loaded = NONE};
  mpg_commit *commits = malloc(MANY * sizeof *commits);
  int lost = 0;
  CHECK(commits != NULL);
  if (commits == NULL)
    return;
  for (int i = 0; i < MANY; i++) /* each is taken before its step begins, but the last */
    commits[i] = commit(2 * MANY + i, i == MANY - 1 ? MANY / 2 : 0, MANY);
  CHECK(mpg_lineage_begin(&lineage, &(mpg_lineage_input){commits, MANY, &branch, 1, MPG_ENDED_BADLY,
                                                         INT64_MAX}) == MPG_OK);
  for (int64_t i = MANY; i-- > 0;)
    lost += mpg_lineage_decide(&lineage, &(mpg_step){i * 1000000, (i + 1) * 1000000, i, 0,
                                                     (size_t)i, false}) == MPG_FATE_LOST;
  CHECK(lost == MANY / 2);
  free(commits);
}

int main(void) {
  const mpg_commit none[] = {commit(0, NONE, NONE)}, second[] = {commit(2, 2, 3)};
  memset(&lineage, 0xa5, sizeof lineage); /* as memory may be that nobody has cleared */
  mpg_lineage_init(&lineage, &mpg_env_libc);
  /* One attempt and its end. */
  IS(FATES("111", NUMBERS(1, 2, 3), second, MPG_ENDED_WELL), "PPP");
  IS(FATES("111", NUMBERS(1, 2, 3), second, MPG_ENDED_BADLY), "PPL");
  IS(FATES("111", NUMBERS(1, 2, 3), second, MPG_STILL_RUNNING), "PPU");
  /* A commit that never became durable is checkpoint data that protects nothing. */
  IS(FATES("111", NUMBERS(1, 2, 3), none, MPG_ENDED_BADLY), "LLL");
  /* No commit at all. */
  IS(fates("111", NUMBERS(1, 2, 3), NULL, 0, MPG_ENDED_WELL, 9), "PPP");
  IS(fates("111", NUMBERS(1, 2, 3), NULL, 0, MPG_ENDED_BADLY, 9), "NNN");
  IS(fates("111", NUMBERS(1, 2, 3), NULL, 0, MPG_STILL_RUNNING, 9), "NNN");
  /* Restarts at n + 1, n, deeper and 0. */
  IS(FATES("1112", NUMBERS(1, 2, 3, 4), second, MPG_ENDED_WELL), "PPPP");
  IS(FATES("1112", NUMBERS(1, 2, 3, 3), second, MPG_ENDED_WELL), "PPLP");
  IS(FATES("1112", NUMBERS(1, 2, 3, 2), second, MPG_ENDED_WELL), "PLLP");
  IS(FATES("1112", NUMBERS(1, 2, 3, 0), second, MPG_ENDED_WELL), "LLLP");
  /* The step resumed at tells more than commits do, and a failure after it loses only what
  ** follows. */
  IS(FATES("11122", NUMBERS(1, 2, 3, 3, 4), second, MPG_ENDED_BADLY), "PPLLL");
  IS(fates("11122", NUMBERS(1, 2, 3, 3, 4), NULL, 0, MPG_ENDED_BADLY, 9), "PPLNN");
  /* Going back within an attempt is a restart too. */
  IS(FATES("1111", NUMBERS(1, 2, 1, 2), second, MPG_ENDED_WELL), "LLPP");
  /* A commit made before a step ran does not protect it. */
  IS(FATES("1122", NUMBERS(1, 2, 1, 2), second, MPG_ENDED_BADLY), "LLLL");
  {
    const mpg_commit late[] = {commit(2, 4, 5)}, timed[] = {commit(NONE, 2, 2)};
    IS(FATES("1122", NUMBERS(1, 2, 1, 2), late, MPG_ENDED_BADLY), "LLPP");
    IS(fates("1122", NUMBERS(1, 2, 1, 2), late, 1, MPG_ENDED_BADLY, 4500000), "LLLL");
    IS(FATES("111", NUMBERS(NONE, NONE, NONE), timed, MPG_ENDED_BADLY), "PPL");
  }
  CHECK(differences() == 0);
  test_many();
  mpg_lineage_free(&lineage);
  return check_done("lineage");
}
