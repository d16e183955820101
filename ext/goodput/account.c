/*
** account.c - sums by category, their ratios and their bytes: see account.h.
**
** The bytes of a state, all numbers little-endian:
**
**   0    4  "MPGS"
**   4    1  version of this layout, 1
**   5    1  version of the definitions (the slots and what counts towards what), 1
**   6    2  n, the number of entries
**   8       n entries, slots ascending, one for each slot whose sum is not 0:
**             1  slot
**             1  flags: bit 0 says that the sum has a fraction; the others are 0
**            16  whole, two's complement
**            16  fraction, not 0; only if flagged
**        8  64-bit FNV-1a of all bytes before
**
** An account has exactly one such text, and reading refuses any other.
*/
#include "account.h"

#include <math.h>
#include <string.h>

const char *mpg_slot_name(int slot) {
  return slot == MPG_SLOT_SCHEDULING ? "scheduling"
         : slot == MPG_SLOT_RUNTIME  ? "runtime"
                                     : mpg_category_get((mpg_category)slot)->name;
}

/* a + b, or a - b. Sums within the limit, and totals of all slots, cannot overflow. */
static mpg_sum combine(mpg_sum a, mpg_sum b, bool remove) {
  mpg_sum s;
  if (remove) {
    s.fraction = a.fraction - b.fraction;
    s.whole = a.whole - b.whole - (a.fraction < b.fraction);
  } else {
    s.fraction = a.fraction + b.fraction;
    s.whole = a.whole + b.whole + (s.fraction < a.fraction);
  }
  return s;
}

static bool within_limit(mpg_sum s) {
  return s.whole < MPG_SUM_LIMIT &&
         (s.whole > -MPG_SUM_LIMIT || (s.whole == -MPG_SUM_LIMIT && s.fraction != 0));
}

bool mpg_sum_is_zero(mpg_sum s) {
  return s.whole == 0 && s.fraction == 0;
}

static mpg_rc past_limit(int slot, mpg_err *err) {
  return mpg_fail(err, MPG_LIMIT, "the sum of '%s' would pass 2^122", mpg_slot_name(slot));
}

static mpg_rc add_to_slot(mpg_account *a, int slot, mpg_sum v, bool remove, mpg_err *err) {
  mpg_sum s = combine(a->sum[slot], v, remove);
  if (!within_limit(s))
    return past_limit(slot, err);
  a->sum[slot] = s;
  return MPG_OK;
}

mpg_rc mpg_account_add_int(mpg_account *a, int slot, int64_t v, bool remove, mpg_err *err) {
  mpg_sum *s = &a->sum[slot]; /* an integer leaves its fraction alone */
  mpg_i128 whole = remove ? s->whole - v : s->whole + v;
  uint64_t high = (uint64_t)(whole >> 64) + (UINT64_C(1) << 56);
  /* Far from the limit, as sums are, its high half alone shows it. */
  if (high >= UINT64_C(1) << 57 && !within_limit((mpg_sum){whole, s->fraction}))
    return past_limit(slot, err);
  s->whole = whole;
  return MPG_OK;
}

mpg_rc mpg_account_add_real(mpg_account *a, int slot, double v, bool remove, mpg_err *err) {
  mpg_sum s = {0, 0};
  mpg_u128 mantissa;
  int exponent, shift;
  if (isnan(v) || isinf(v))
    return mpg_fail(err, MPG_DATA, "expected a finite number, found %s",
                    isnan(v) ? "nan"
                    : v < 0  ? "-inf"
                             : "inf");
  if (v == 0)
    return MPG_OK;
  /* |v| = mantissa * 2^exponent, mantissa a 53-bit integer */
  mantissa = (mpg_u128)ldexp(frexp(fabs(v), &exponent), 53);
  exponent -= 53;
  if (exponent > 122 - 53)
    return past_limit(slot, err);
  if (exponent >= 0) {
    s.whole = (mpg_i128)(mantissa << exponent);
  } else if (exponent > -128) {
    s.whole = (mpg_i128)(mantissa >> -exponent);
    s.fraction = mantissa << (128 + exponent);
  } else {
    /* Bits below 2^-128: half to even. */
    shift = -exponent - 128;
    if (shift < 64) {
      mpg_u128 unit = (mpg_u128)1 << shift, low = mantissa & (unit - 1);
      s.fraction = mantissa >> shift;
      s.fraction += 2 * low > unit || (2 * low == unit && s.fraction % 2 == 1);
    }
  }
  return add_to_slot(a, slot, s, remove != (v < 0), err);
}

mpg_rc mpg_account_merge(mpg_account *a, const mpg_account *b, bool remove, mpg_err *err) {
  mpg_account merged = *a;
  for (int slot = 0; slot < MPG_SLOTS; slot++) {
    mpg_rc rc = add_to_slot(&merged, slot, b->sum[slot], remove, err);
    if (rc != MPG_OK)
      return rc;
  }
  *a = merged;
  return MPG_OK;
}

static int bit_length(mpg_u128 v) {
  uint64_t high = (uint64_t)(v >> 64), low = (uint64_t)v;
  return high ? 128 - __builtin_clzll(high) : low ? 64 - __builtin_clzll(low) : 0;
}

double mpg_sum_to_double(mpg_sum s) {
  bool negative = s.whole < 0;
  mpg_u128 whole = (mpg_u128)s.whole, fraction = s.fraction, top;
  double v;
  int n;
  if (negative) {
    fraction = 0 - fraction;
    whole = ~whole + (fraction == 0);
  }
  /* The top 128 bits as an integer; its lowest bit is set if any bit below is. The conversion keeps
  ** 53 of the 128, rounds to nearest, ties to even, so the result is exact. No sum, nor a total of
  ** all slots, has more than 127 bits before the point. */
  n = bit_length(whole);
  if (n == 0) {
    v = ldexp((double)fraction, -128);
  } else {
    top = whole << (128 - n) | fraction >> n;
    top |= (fraction << (128 - n)) != 0;
    v = ldexp((double)top, n - 128);
  }
  return negative ? -v : v;
}

size_t mpg_sum_format(mpg_sum s, char out[MPG_SUM_TEXT]) {
  return s.fraction == 0 ? mpg_text_int(s.whole, out) : mpg_text_real(mpg_sum_to_double(s), out);
}

static mpg_sum total_of_slots(const mpg_account *a, unsigned slots) {
  mpg_sum s = {0, 0};
  for (int slot = 0; slot < MPG_SLOTS; slot++)
    if (slots >> slot & 1)
      s = combine(s, a->sum[slot], false);
  return s;
}

enum {
  SCHEDULING = 1 << MPG_DOWN | 1 << MPG_IDLE | 1 << MPG_PARTIAL | 1 << MPG_SLOT_SCHEDULING,
  PRODUCTIVE = 1 << MPG_INEFFICIENCY | 1 << MPG_UNRATED | 1 << MPG_IDEAL,
  CAPACITY = ((1 << MPG_SLOTS) - 1) & ~(1 << MPG_QUEUED),
  ALLOCATED = CAPACITY & ~SCHEDULING
};

mpg_sum mpg_account_capacity(const mpg_account *a) {
  return total_of_slots(a, CAPACITY);
}

mpg_sum mpg_account_allocated(const mpg_account *a) {
  return total_of_slots(a, ALLOCATED);
}

mpg_sum mpg_account_productive(const mpg_account *a) {
  return total_of_slots(a, PRODUCTIVE);
}

mpg_sum mpg_account_ideal(const mpg_account *a) {
  return a->sum[MPG_IDEAL];
}

/* A ratio of two totals, each a set of slots; unknown while a slot of `missing` is not 0. */
static const struct ratio {
  const char *name;
  unsigned above, below, missing;
} ratios[MPG_RATIOS] = {
    [MPG_RATIO_SG] = {"scheduling_goodput", ALLOCATED, CAPACITY, 0},
    [MPG_RATIO_RG] = {"runtime_goodput", PRODUCTIVE, ALLOCATED & ~(1 << MPG_UNTRACED), 0},
    [MPG_RATIO_PG] = {"program_goodput", 1 << MPG_IDEAL, PRODUCTIVE & ~(1 << MPG_UNRATED), 0},
    [MPG_RATIO_MPG] = {"mpg", 1 << MPG_IDEAL, CAPACITY, 1 << MPG_UNTRACED | 1 << MPG_UNRATED},
    [MPG_RATIO_MPG_LOWER] = {"mpg_lower", 1 << MPG_IDEAL, CAPACITY, 0},
    [MPG_RATIO_RUNTIME_COVERAGE] = {"runtime_coverage", ALLOCATED & ~(1 << MPG_UNTRACED), ALLOCATED,
                                    0},
    [MPG_RATIO_PROGRAM_COVERAGE] = {"program_coverage", PRODUCTIVE & ~(1 << MPG_UNRATED),
                                    PRODUCTIVE, 0},
    [MPG_RATIO_OCCUPANCY] = {"occupancy", ALLOCATED | 1 << MPG_PARTIAL, CAPACITY, 0},
    [MPG_RATIO_MFU] = {"mfu", 1 << MPG_IDEAL, ALLOCATED, 1 << MPG_UNTRACED | 1 << MPG_UNRATED},
    [MPG_RATIO_ETTR] = {"ettr", PRODUCTIVE, ALLOCATED | 1 << MPG_PARTIAL | 1 << MPG_QUEUED,
                        1 << MPG_UNTRACED},
};

const char *mpg_ratio_name(mpg_ratio r) {
  return ratios[r].name;
}

bool mpg_account_ratio(const mpg_account *a, mpg_ratio r, double *out) {
  const struct ratio *ratio = &ratios[r];
  mpg_sum above = total_of_slots(a, ratio->above), below = total_of_slots(a, ratio->below);
  for (int slot = 0; slot < MPG_SLOTS; slot++)
    if (ratio->missing >> slot & 1 && !mpg_sum_is_zero(a->sum[slot]))
      return false;
  if (mpg_sum_is_zero(below))
    return false;
  *out = mpg_sum_is_zero(above) ? 0 : mpg_sum_to_double(above) / mpg_sum_to_double(below);
  return true;
}

enum { VERSION = 1, DEFINITIONS = 1, HEADER = 8, ENTRY = 18, FRACTION = 16, CHECKSUM = 8 };
_Static_assert(HEADER + MPG_SLOTS * (ENTRY + FRACTION) + CHECKSUM == MPG_STATE_MAX,
               "MPG_STATE_MAX is the longest state");
static const unsigned char magic[4] = {'M', 'P', 'G', 'S'};

static void put_bytes(unsigned char *p, mpg_u128 v, int n) {
  for (int i = 0; i < n; i++, v >>= 8)
    p[i] = (unsigned char)v;
}

/* Told byte by byte for any host; compilers make one load of it. */
static uint64_t get8(const unsigned char *p) {
  return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 |
         (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 | (uint64_t)p[7] << 56;
}

static mpg_u128 get16(const unsigned char *p) {
  return (mpg_u128)get8(p + 8) << 64 | get8(p);
}

/* FNV-1a, 64 bits (Fowler, Noll, Vo): every change of a single byte changes it. */
static uint64_t checksum(const unsigned char *p, size_t n) {
  uint64_t h = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < n; i++)
    h = (h ^ p[i]) * UINT64_C(0x100000001b3);
  return h;
}

size_t mpg_account_write(const mpg_account *a, unsigned char out[MPG_STATE_MAX]) {
  unsigned char *p = out + HEADER;
  unsigned entries = 0;
  for (int slot = 0; slot < MPG_SLOTS; slot++) {
    mpg_sum s = a->sum[slot];
    if (mpg_sum_is_zero(s))
      continue;
    entries++;
    p[0] = (unsigned char)slot;
    p[1] = s.fraction != 0;
    put_bytes(p + 2, (mpg_u128)s.whole, 16);
    p += ENTRY;
    if (s.fraction != 0) {
      put_bytes(p, s.fraction, FRACTION);
      p += FRACTION;
    }
  }
  memcpy(out, magic, sizeof magic);
  out[4] = VERSION;
  out[5] = DEFINITIONS;
  put_bytes(out + 6, entries, 2);
  put_bytes(p, checksum(out, (size_t)(p - out)), CHECKSUM);
  return (size_t)(p - out) + CHECKSUM;
}

/* Reads one entry at p, before end, into a; returns where the next starts, NULL on failure. */
static const unsigned char *entry_read(mpg_account *a, const unsigned char *p,
                                       const unsigned char *end, int *last, mpg_err *err) {
  const char *wrong = NULL;
  int slot;
  mpg_sum s = {0, 0};
  if (end - p < ENTRY || (p[1] == 1 && end - p < ENTRY + FRACTION)) {
    (void)mpg_fail(err, MPG_DATA, "bad goodput state: it ends within an entry");
    return NULL;
  }
  slot = p[0];
  s.whole = (mpg_i128)get16(p + 2);
  if (p[1] == 1)
    s.fraction = get16(p + ENTRY);
  if (slot >= MPG_SLOTS)
    wrong = "has no meaning";
  else if (slot <= *last)
    wrong = "is out of order";
  else if (p[1] > 1)
    wrong = "has unknown flags";
  else if (mpg_sum_is_zero(s))
    wrong = "holds a sum of 0";
  else if (p[1] == 1 && s.fraction == 0)
    wrong = "holds a fraction of 0";
  else if (!within_limit(s))
    wrong = "holds a sum past 2^122";
  if (wrong != NULL) {
    (void)mpg_fail(err, MPG_DATA, "bad goodput state: slot %d %s", slot, wrong);
    return NULL;
  }
  a->sum[slot] = s;
  *last = slot;
  return p + ENTRY + (p[1] == 1 ? FRACTION : 0);
}

mpg_rc mpg_account_read(mpg_account *a, const unsigned char *p, size_t n, mpg_err *err) {
  mpg_account read;
  const unsigned char *end;
  unsigned entries;
  int last = -1;
  if (n < sizeof magic || memcmp(p, magic, sizeof magic) != 0)
    return mpg_fail(err, MPG_DATA, "not a goodput state: it does not start with \"MPGS\"");
  if (n < HEADER + CHECKSUM)
    return mpg_fail(err, MPG_DATA, "bad goodput state: %zu bytes, a state has at least %d", n,
                    HEADER + CHECKSUM);
  if (p[4] != VERSION)
    return mpg_fail(err, MPG_DATA, "goodput state of format version %d, expected version %d", p[4],
                    VERSION);
  if (p[5] != DEFINITIONS)
    return mpg_fail(err, MPG_DATA,
                    "goodput state with definitions of version %d, expected version %d", p[5],
                    DEFINITIONS);
  end = p + n - CHECKSUM;
  if (get8(end) != checksum(p, n - CHECKSUM))
    return mpg_fail(err, MPG_DATA, "bad goodput state: its checksum does not match");
  memset(&read, 0, sizeof read);
  entries = p[6] | (unsigned)p[7] << 8;
  p += HEADER;
  for (unsigned i = 0; i < entries; i++) {
    p = entry_read(&read, p, end, &last, err);
    if (p == NULL)
      return MPG_DATA;
  }
  if (p != end)
    return mpg_fail(err, MPG_DATA, "bad goodput state: %td bytes after the last entry", end - p);
  *a = read;
  return MPG_OK;
}
