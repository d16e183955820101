/*
** test_account.c - sums, ratios and state bytes. Exactness is shown by laws (what is added and
** removed in any order leaves exactly nothing; shards merge to the same bytes) and by values
** worked out by hand.
*/
#include "../../ext/goodput/account.h"
#include "check.h"

#include <float.h>
#include <math.h>
#include <string.h>

static mpg_err err;

static mpg_account of(int slot, double v) {
  mpg_account a = {0};
  CHECK(mpg_account_add_real(&a, slot, v, false, &err) == MPG_OK);
  return a;
}

static bool sum_is(mpg_sum s, mpg_i128 whole, mpg_u128 fraction) {
  return s.whole == whole && s.fraction == fraction;
}

static bool is_zero(const mpg_account *a) {
  for (int slot = 0; slot < MPG_SLOTS; slot++)
    if (!mpg_sum_is_zero(a->sum[slot]))
      return false;
  return true;
}

static uint64_t random_next(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *state >> 11;
}

/* A double of any sign whose exponent is spread over -200 .. 100: bits below 2^-128 too. */
static double random_real(uint64_t *state) {
  double mantissa = (double)(random_next(state) % (UINT64_C(1) << 53));
  int exponent = (int)(random_next(state) % 300) - 200 - 53;
  return ldexp(random_next(state) % 2 ? mantissa : -mantissa, exponent);
}

static void integers(void) {
  mpg_account a = {0};
  for (int i = 0; i < 5; i++)
    CHECK(mpg_account_add_int(&a, MPG_IDLE, INT64_MAX, false, &err) == MPG_OK);
  CHECK(sum_is(a.sum[MPG_IDLE], (mpg_i128)INT64_MAX * 5, 0));
  CHECK(mpg_account_add_int(&a, MPG_IDLE, INT64_MIN, true, &err) == MPG_OK);
  CHECK(sum_is(a.sum[MPG_IDLE], (mpg_i128)INT64_MAX * 6 + 1, 0));
  CHECK(mpg_account_add_int(&a, MPG_IDLE, INT64_MIN, false, &err) == MPG_OK);
  for (int i = 0; i < 5; i++)
    CHECK(mpg_account_add_int(&a, MPG_IDLE, INT64_MAX, true, &err) == MPG_OK);
  CHECK(is_zero(&a));
}

static void reals(void) {
  const mpg_u128 one = 1;
  CHECK(sum_is(of(0, 0.0).sum[0], 0, 0));
  CHECK(sum_is(of(0, -0.0).sum[0], 0, 0));
  CHECK(sum_is(of(0, 3.0).sum[0], 3, 0));
  CHECK(sum_is(of(0, -3.0).sum[0], -3, 0));
  CHECK(sum_is(of(0, 0.5).sum[0], 0, one << 127));
  CHECK(sum_is(of(0, -0.5).sum[0], -1, one << 127));
  CHECK(sum_is(of(0, 2.25).sum[0], 2, one << 126));
  CHECK(sum_is(of(0, -2.25).sum[0], -3, (one << 127) + (one << 126)));
  CHECK(sum_is(of(0, 0x1p100).sum[0], (mpg_i128)1 << 100, 0));
  CHECK(sum_is(of(0, -0x1.8p100).sum[0], -((mpg_i128)3 << 99), 0));
  CHECK(sum_is(of(0, 0x1p53 - 1).sum[0], ((mpg_i128)1 << 53) - 1, 0));
  /* The lowest bit kept is 2^-128; what lies below is rounded half to even. */
  CHECK(sum_is(of(0, 0x1p-128).sum[0], 0, 1));
  CHECK(sum_is(of(0, -0x1p-128).sum[0], -1, ~(mpg_u128)0));
  CHECK(sum_is(of(0, 0x1p-76).sum[0], 0, one << 52));
  CHECK(sum_is(of(0, 0x1.0000000000001p-76).sum[0], 0, (one << 52) + 1));
  CHECK(sum_is(of(0, 0x1.0000000000001p-77).sum[0], 0, one << 51));       /* tie, down to even */
  CHECK(sum_is(of(0, 0x1.0000000000003p-77).sum[0], 0, (one << 51) + 2)); /* tie, up to even */
  CHECK(sum_is(of(0, 0x1.8p-128).sum[0], 0, 2));
  CHECK(sum_is(of(0, 0x1p-129).sum[0], 0, 0));
  CHECK(sum_is(of(0, 0x1.0000000000001p-129).sum[0], 0, 1));
  CHECK(sum_is(of(0, 0x1.fffffffffffffp-130).sum[0], 0, 0));
  CHECK(sum_is(of(0, 0x1.fffffffffffffp-192).sum[0], 0, 0));
  CHECK(sum_is(of(0, DBL_TRUE_MIN).sum[0], 0, 0));
}

static void anything_removed(void) {
  enum { N = 2000 };
  static double values[N];
  uint64_t state = 99;
  mpg_account forward = {0}, backward = {0};
  unsigned char p[MPG_STATE_MAX], q[MPG_STATE_MAX];
  size_t n;
  int bad = 0;
  for (int i = 0; i < N; i++) {
    values[i] = random_real(&state);
    bad += mpg_account_add_real(&forward, i % MPG_SLOTS, values[i], false, &err) != MPG_OK;
  }
  for (int i = N - 1; i >= 0; i--)
    bad += mpg_account_add_real(&backward, i % MPG_SLOTS, values[i], false, &err) != MPG_OK;
  n = mpg_account_write(&forward, p);
  CHECK(bad == 0 && !is_zero(&forward));
  CHECK(mpg_account_write(&backward, q) == n && memcmp(p, q, n) == 0);
  for (int i = 0; i < N; i++) /* 7 and N share no divisor: each value once */
    bad += mpg_account_add_real(&forward, i * 7 % N % MPG_SLOTS, values[i * 7 % N], true, &err) !=
           MPG_OK;
  CHECK(bad == 0 && is_zero(&forward));
}

static void limits(void) {
  mpg_account a = of(MPG_LOST, 0x1.fffffffffffffp121), before = a;
  CHECK(mpg_account_add_real(&a, MPG_LOST, 0x1p121, false, &err) == MPG_LIMIT);
  CHECK(strcmp(err.text, "the sum of 'lost' would pass 2^122") == 0);
  CHECK(memcmp(&a, &before, sizeof a) == 0);
  CHECK(mpg_account_add_real(&a, MPG_LOST, 0x1p122, true, &err) == MPG_LIMIT);
  CHECK(mpg_account_add_real(&a, MPG_LOST, DBL_MAX, false, &err) == MPG_LIMIT);
  CHECK(mpg_account_add_real(&a, MPG_LOST, -DBL_MAX, false, &err) == MPG_LIMIT);
  CHECK(memcmp(&a, &before, sizeof a) == 0);
  /* Up to the last unit: 2^122 - 1 + fraction stands, one more 2^-128 does not. */
  a.sum[MPG_LOST] = (mpg_sum){MPG_SUM_LIMIT - 1, ~(mpg_u128)0 - 1};
  CHECK(mpg_account_add_real(&a, MPG_LOST, 0x1p-128, false, &err) == MPG_OK);
  CHECK(mpg_account_add_real(&a, MPG_LOST, 0x1p-128, false, &err) == MPG_LIMIT);
  CHECK(mpg_account_add_int(&a, MPG_LOST, 1, false, &err) == MPG_LIMIT);
  CHECK(mpg_account_add_int(&a, MPG_LOST, -1, true, &err) == MPG_LIMIT);
  a.sum[MPG_LOST] = (mpg_sum){-MPG_SUM_LIMIT, 2};
  CHECK(mpg_account_add_real(&a, MPG_LOST, 0x1p-128, true, &err) == MPG_OK);
  CHECK(mpg_account_add_real(&a, MPG_LOST, 0x1p-128, true, &err) == MPG_LIMIT);
  CHECK(mpg_account_add_int(&a, MPG_LOST, 1, true, &err) == MPG_LIMIT);
  /* A merge that fails in a late slot leaves the early ones too. */
  a = of(MPG_DOWN, 1);
  a.sum[MPG_IDEAL].whole = MPG_SUM_LIMIT - 1;
  before = a;
  CHECK(mpg_account_merge(&a, &before, false, &err) == MPG_LIMIT);
  CHECK(strcmp(err.text, "the sum of 'ideal' would pass 2^122") == 0);
  CHECK(memcmp(&a, &before, sizeof a) == 0);
  CHECK(mpg_account_merge(&a, &before, true, &err) == MPG_OK && is_zero(&a));
  CHECK(mpg_account_add_real(&a, 0, NAN, false, &err) == MPG_DATA);
  CHECK(strcmp(err.text, "expected a finite number, found nan") == 0);
  CHECK(mpg_account_add_real(&a, 0, INFINITY, false, &err) == MPG_DATA);
  CHECK(strcmp(err.text, "expected a finite number, found inf") == 0);
  CHECK(mpg_account_add_real(&a, 0, -INFINITY, false, &err) == MPG_DATA);
  CHECK(strcmp(err.text, "expected a finite number, found -inf") == 0);
  CHECK(is_zero(&a));
  /* Every slot at its limit: the totals still fit. */
  for (int slot = 0; slot < MPG_SLOTS; slot++)
    a.sum[slot] = (mpg_sum){MPG_SUM_LIMIT - 1, 1};
  CHECK(sum_is(mpg_account_capacity(&a), (MPG_SUM_LIMIT - 1) * 19, 19));
  for (int slot = 0; slot < MPG_SLOTS; slot++)
    a.sum[slot] = (mpg_sum){-MPG_SUM_LIMIT, 1};
  CHECK(sum_is(mpg_account_capacity(&a), -MPG_SUM_LIMIT * 19, 19));
}

static void to_double(void) {
  const mpg_u128 one = 1;
  uint64_t state = 5;
  int wrong = 0;
  CHECK(mpg_sum_to_double((mpg_sum){0, 0}) == 0);
  CHECK(mpg_sum_to_double((mpg_sum){-1, one << 127}) == -0.5);
  CHECK(mpg_sum_to_double((mpg_sum){-1, ~(mpg_u128)0}) == -0x1p-128);
  CHECK(mpg_sum_to_double((mpg_sum){0, 1}) == 0x1p-128);
  CHECK(mpg_sum_to_double((mpg_sum){-((mpg_i128)1 << 126), 0}) == -0x1p126);
  /* 2^53 + 1 is a tie: even; the smallest fraction below decides. */
  CHECK(mpg_sum_to_double((mpg_sum){((mpg_i128)1 << 53) + 1, 0}) == 0x1p53);
  CHECK(mpg_sum_to_double((mpg_sum){((mpg_i128)1 << 53) + 1, 1}) == 0x1p53 + 2);
  CHECK(mpg_sum_to_double((mpg_sum){((mpg_i128)1 << 53) + 3, 0}) == 0x1p53 + 4);
  CHECK(mpg_sum_to_double((mpg_sum){((mpg_i128)1 << 100) + ((mpg_i128)1 << 47), 0}) == 0x1p100);
  CHECK(mpg_sum_to_double((mpg_sum){((mpg_i128)1 << 100) + ((mpg_i128)1 << 47), 1}) ==
        0x1.0000000000001p100);
  /* The largest totals have 127 bits before the point: the last bit of a fraction, and its first
  ** alone, still tell a tie there. */
  CHECK(mpg_sum_to_double((mpg_sum){-MPG_SUM_LIMIT * 19, 0}) == -19 * 0x1p122);
  for (int bits = 54; bits <= 127; bits++) {
    mpg_i128 tie = ((mpg_i128)1 << (bits - 1)) + ((mpg_i128)1 << (bits - 54));
    double even = ldexp(1, bits - 1), above = even + ldexp(1, bits - 53);
    CHECK(mpg_sum_to_double((mpg_sum){tie, 0}) == even);
    CHECK(mpg_sum_to_double((mpg_sum){tie, 1}) == above);
    CHECK(mpg_sum_to_double((mpg_sum){tie, one << 127}) == above);
    CHECK(mpg_sum_to_double((mpg_sum){-tie, 0}) == -even);
    CHECK(mpg_sum_to_double((mpg_sum){-tie, 1}) == -even);                 /* a little above -tie */
    CHECK(mpg_sum_to_double((mpg_sum){-tie - 1, ~(mpg_u128)0}) == -above); /* and below */
  }
  /* A double alone comes back as itself, where all its bits are kept. */
  for (int i = 0; i < 20000; i++) {
    double v = ldexp((double)(random_next(&state) % (UINT64_C(1) << 53)),
                     (int)(random_next(&state) % 197) - 128);
    mpg_account a = {0};
    if (random_next(&state) % 2)
      v = -v;
    wrong +=
        mpg_account_add_real(&a, 3, v, false, &err) != MPG_OK || mpg_sum_to_double(a.sum[3]) != v;
  }
  CHECK(wrong == 0);
}

static void formatting(void) {
  char out[MPG_SUM_TEXT];
  CHECK(mpg_sum_format((mpg_sum){-MPG_SUM_LIMIT * 19, 0}, out) == 40 &&
        strcmp(out, "-101021327679653606340689336581306187776") == 0);
  CHECK(mpg_sum_format(of(0, 0.1).sum[0], out) == 3 && strcmp(out, "0.1") == 0);
  CHECK(mpg_sum_format(of(0, 7.0).sum[0], out) == 1 && strcmp(out, "7") == 0);
}

/* Powers of 2 by slot, so that every total shows exactly which slots are in it. */
static void ratios(void) {
  const int queued = 1 << MPG_QUEUED, down = 1 << MPG_DOWN, idle = 1 << MPG_IDLE,
            partial = 1 << MPG_PARTIAL, untraced = 1 << MPG_UNTRACED, unrated = 1 << MPG_UNRATED,
            ideal = 1 << MPG_IDEAL, inefficiency = 1 << MPG_INEFFICIENCY;
  const int capacity = (1 << MPG_SLOTS) - 1 - queued;
  const int allocated = capacity - down - idle - partial - (1 << MPG_SLOT_SCHEDULING);
  const int productive = inefficiency + unrated + ideal;
  mpg_account a = {0}, traced;
  double v = -1;
  for (int slot = 0; slot < MPG_SLOTS; slot++)
    CHECK(mpg_account_add_int(&a, slot, 1 << slot, false, &err) == MPG_OK);
  CHECK(sum_is(mpg_account_capacity(&a), capacity, 0));
  CHECK(sum_is(mpg_account_allocated(&a), allocated, 0));
  CHECK(sum_is(mpg_account_productive(&a), productive, 0));
  CHECK(sum_is(mpg_account_ideal(&a), ideal, 0));
#define RATIO(account, r, above, below)                                                            \
  CHECK(mpg_account_ratio(&account, r, &v) && v == (double)(above) / (double)(below))
#define NO_RATIO(account, r) CHECK(!mpg_account_ratio(&account, r, &v))
  RATIO(a, MPG_RATIO_SG, allocated, capacity);
  RATIO(a, MPG_RATIO_RG, productive, allocated - untraced);
  RATIO(a, MPG_RATIO_PG, ideal, productive - unrated);
  NO_RATIO(a, MPG_RATIO_MPG);
  RATIO(a, MPG_RATIO_MPG_LOWER, ideal, capacity);
  RATIO(a, MPG_RATIO_RUNTIME_COVERAGE, allocated - untraced, allocated);
  RATIO(a, MPG_RATIO_PROGRAM_COVERAGE, productive - unrated, productive);
  RATIO(a, MPG_RATIO_OCCUPANCY, allocated + partial, capacity);
  NO_RATIO(a, MPG_RATIO_MFU);
  NO_RATIO(a, MPG_RATIO_ETTR);
  traced = a;
  traced.sum[MPG_UNTRACED] = (mpg_sum){0, 0};
  NO_RATIO(traced, MPG_RATIO_MPG);
  NO_RATIO(traced, MPG_RATIO_MFU);
  RATIO(traced, MPG_RATIO_ETTR, productive, allocated - untraced + partial + queued);
  traced.sum[MPG_UNRATED] = (mpg_sum){0, 0};
  RATIO(traced, MPG_RATIO_MPG, ideal, capacity - untraced - unrated);
  RATIO(traced, MPG_RATIO_MFU, ideal, allocated - untraced - unrated);
  traced.sum[MPG_UNTRACED] = (mpg_sum){0, 1}; /* however little */
  NO_RATIO(traced, MPG_RATIO_MPG);
  NO_RATIO(traced, MPG_RATIO_ETTR);
  /* Nothing over nothing, something over nothing, nothing over something. */
  a = (mpg_account){0};
  for (int r = 0; r < MPG_RATIOS; r++)
    NO_RATIO(a, (mpg_ratio)r);
  a.sum[MPG_IDLE].whole = -5;
  a.sum[MPG_IDEAL].whole = 5;
  NO_RATIO(a, MPG_RATIO_SG);
  NO_RATIO(a, MPG_RATIO_MPG);
  a.sum[MPG_IDEAL].whole = 0;
  RATIO(a, MPG_RATIO_MPG, 0, 1);
  CHECK(!signbit(v)); /* not -0.0 over negative capacity */
  CHECK(strcmp(mpg_ratio_name(MPG_RATIO_SG), "scheduling_goodput") == 0);
  CHECK(strcmp(mpg_ratio_name(MPG_RATIO_ETTR), "ettr") == 0);
  CHECK(strcmp(mpg_slot_name(MPG_SLOT_SCHEDULING), "scheduling") == 0);
  CHECK(strcmp(mpg_slot_name(MPG_SLOT_RUNTIME), "runtime") == 0);
  CHECK(strcmp(mpg_slot_name(MPG_QUEUED), "queued") == 0);
}

static uint64_t fnv1a(const unsigned char *p, size_t n) {
  uint64_t h = UINT64_C(14695981039346656037);
  for (size_t i = 0; i < n; i++) {
    h ^= p[i];
    h *= UINT64_C(1099511628211);
  }
  return h;
}

/* Reads the n bytes after setting the checksum, which the last 8 are, right. */
static bool refused(unsigned char *p, size_t n, const char *text) {
  mpg_account a = of(MPG_EVAL, 12), before = a;
  uint64_t h = fnv1a(p, n - 8);
  for (size_t i = 0; i < 8; i++)
    p[n - 8 + i] = (unsigned char)(h >> (8 * i));
  if (mpg_account_read(&a, p, n, &err) != MPG_DATA || memcmp(&a, &before, sizeof a) != 0)
    return false;
  if (strcmp(err.text, text) != 0)
    (void)fprintf(stderr, "  the text is: %s\n", err.text);
  return strcmp(err.text, text) == 0;
}

static void states(void) {
  static const unsigned char known[] = {
      'M',  'P',  'G',  'S',  1,    1,    2,    0,    1,    0,    44,   1,    0,    0,    0,
      0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    16,   1,    0xFF, 0xFF,
      0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0,
      0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0x80};
  unsigned char p[MPG_STATE_MAX], q[MPG_STATE_MAX];
  mpg_account a = {0}, b;
  size_t n;
  int passed = 0;
  n = mpg_account_write(&a, p);
  CHECK(n == 16 && memcmp(p, "MPGS\1\1\0\0", 8) == 0);
  b = of(1, 1);
  CHECK(mpg_account_read(&b, p, n, &err) == MPG_OK && is_zero(&b));
  CHECK(mpg_account_add_int(&a, MPG_IDLE, 300, false, &err) == MPG_OK);
  CHECK(mpg_account_add_real(&a, MPG_IDEAL, -0.5, false, &err) == MPG_OK);
  n = mpg_account_write(&a, p);
  CHECK(n == sizeof known + 8 && memcmp(p, known, sizeof known) == 0);
  CHECK(mpg_account_read(&b, p, n, &err) == MPG_OK && memcmp(&a, &b, sizeof a) == 0);
  /* Every other value of every byte, and every shorter text. */
  for (size_t i = 0; i < n; i++)
    for (int x = 1; x < 256; x++) {
      memcpy(q, p, n);
      q[i] = (unsigned char)(q[i] ^ x);
      passed += mpg_account_read(&b, q, n, &err) != MPG_DATA || err.text[0] == '\0';
    }
  for (size_t i = 0; i < n; i++)
    passed += mpg_account_read(&b, p, i, &err) != MPG_DATA;
  memcpy(q, p, n);
  q[n] = 0;
  passed += mpg_account_read(&b, q, n + 1, &err) != MPG_DATA;
  CHECK(passed == 0);
  CHECK(mpg_account_read(&b, NULL, 0, &err) == MPG_DATA);
  /* The longest. */
  for (int slot = 0; slot < MPG_SLOTS; slot++)
    a.sum[slot] = (mpg_sum){slot - 10, (mpg_u128)slot + 1};
  n = mpg_account_write(&a, p);
  CHECK(n == MPG_STATE_MAX);
  CHECK(mpg_account_read(&b, p, n, &err) == MPG_OK && memcmp(&a, &b, sizeof a) == 0);
}

static void bad_states(void) {
  unsigned char p[MPG_STATE_MAX], q[MPG_STATE_MAX + 1];
  mpg_account a = of(MPG_IDLE, 5), b = a;
  const int entry = 8, next = 8 + 18;
  size_t n;
  CHECK(mpg_account_add_real(&a, MPG_IDEAL, 0.5, false, &err) == MPG_OK);
  n = mpg_account_write(&a, p);
#define FRESH memcpy(q, p, n)
  FRESH;
  q[0] = 'm';
  CHECK(refused(q, n, "not a goodput state: it does not start with \"MPGS\""));
  FRESH;
  CHECK(mpg_account_read(&b, p, 15, &err) == MPG_DATA);
  CHECK(strcmp(err.text, "bad goodput state: 15 bytes, a state has at least 16") == 0);
  q[4] = 2;
  CHECK(refused(q, n, "goodput state of format version 2, expected version 1"));
  FRESH;
  q[5] = 0;
  CHECK(refused(q, n, "goodput state with definitions of version 0, expected version 1"));
  FRESH;
  q[n - 1] ^= 1;
  CHECK(mpg_account_read(&b, q, n, &err) == MPG_DATA);
  CHECK(strcmp(err.text, "bad goodput state: its checksum does not match") == 0);
  FRESH;
  q[6] = 3;
  CHECK(refused(q, n, "bad goodput state: it ends within an entry"));
  FRESH;
  q[7] = 1;
  CHECK(refused(q, n, "bad goodput state: it ends within an entry"));
  FRESH;
  CHECK(refused(q, n - 1, "bad goodput state: it ends within an entry"));
  FRESH;
  q[6] = 1;
  CHECK(refused(q, n, "bad goodput state: 34 bytes after the last entry"));
  FRESH;
  q[n] = 0;
  CHECK(refused(q, n + 1, "bad goodput state: 1 bytes after the last entry"));
  FRESH;
  q[next] = MPG_SLOTS;
  CHECK(refused(q, n, "bad goodput state: slot 20 has no meaning"));
  FRESH;
  q[next] = MPG_IDLE;
  CHECK(refused(q, n, "bad goodput state: slot 1 is out of order"));
  FRESH;
  q[next] = MPG_DOWN;
  CHECK(refused(q, n, "bad goodput state: slot 0 is out of order"));
  FRESH;
  q[entry + 1] = 2;
  CHECK(refused(q, n, "bad goodput state: slot 1 has unknown flags"));
  FRESH;
  q[entry + 2] = 0;
  CHECK(refused(q, n, "bad goodput state: slot 1 holds a sum of 0"));
  FRESH;
  q[next + 18 + 15] = 0;
  CHECK(refused(q, n, "bad goodput state: slot 16 holds a sum of 0"));
  FRESH;
  q[next + 2] = 1;
  q[next + 18 + 15] = 0;
  CHECK(refused(q, n, "bad goodput state: slot 16 holds a fraction of 0"));
  FRESH;
  q[entry + 17] = 4; /* 2^122 */
  CHECK(refused(q, n, "bad goodput state: slot 1 holds a sum past 2^122"));
  FRESH;
  q[entry + 2] = 0;
  q[entry + 17] = 0xFC; /* -2^122 */
  CHECK(refused(q, n, "bad goodput state: slot 1 holds a sum past 2^122"));
}

static void merging(void) {
  enum { SHARDS = 8 };
  mpg_account all = {0}, shard[SHARDS], left = {0}, right = {0};
  unsigned char p[MPG_STATE_MAX], q[MPG_STATE_MAX];
  uint64_t state = 3;
  size_t n;
  int bad = 0;
  memset(shard, 0, sizeof shard);
  for (int i = 0; i < 4000; i++) {
    int slot = (int)(random_next(&state) % MPG_SLOTS);
    mpg_account *to = &shard[random_next(&state) % SHARDS];
    if (i % 2) {
      double v = random_real(&state);
      bad += mpg_account_add_real(&all, slot, v, false, &err) != MPG_OK;
      bad += mpg_account_add_real(to, slot, v, false, &err) != MPG_OK;
    } else {
      int64_t v = (int64_t)(random_next(&state) << 11);
      bad += mpg_account_add_int(&all, slot, v, false, &err) != MPG_OK;
      bad += mpg_account_add_int(to, slot, v, false, &err) != MPG_OK;
    }
  }
  for (int i = 0; i < SHARDS; i++) {
    bad += mpg_account_merge(&left, &shard[i], false, &err) != MPG_OK;
    bad += mpg_account_merge(&right, &shard[SHARDS - 1 - i], false, &err) != MPG_OK;
  }
  n = mpg_account_write(&all, p);
  CHECK(bad == 0);
  CHECK(mpg_account_write(&left, q) == n && memcmp(p, q, n) == 0);
  CHECK(mpg_account_write(&right, q) == n && memcmp(p, q, n) == 0);
  for (int i = 0; i < SHARDS; i++)
    bad += mpg_account_merge(&left, &shard[(i * 3) % SHARDS], true, &err) != MPG_OK;
  CHECK(bad == 0 && is_zero(&left));
}

int main(void) {
  integers();
  reals();
  anything_removed();
  limits();
  to_double();
  formatting();
  ratios();
  states();
  bad_states();
  merging();
  return check_done("account");
}
