/* slurm_value.c - see slurm_value.h. */
#include "slurm_value.h"
#include "../../base/ascii.h"

#include "../../base/number.h"
#include "../../base/time.h"

#include <string.h>

#define NAME_LIMIT 256 /* bytes of a node's name */
#define GROUPS 8       /* bracketed groups in a node's name */

static bool is_word(char c) {
  return mpg_is_digit(c) || mpg_is_letter(c) || c == '_';
}

static mpg_str slice(mpg_str s, size_t from, size_t to) {
  return (mpg_str){from == 0 ? s.p : s.p + from, to - from};
}

/* Bytes before the first `c` from `at` on, or up to the end. */
static size_t bytes_until(mpg_str s, size_t at, char c) {
  const char *p = at < s.n ? memchr(s.p + at, c, s.n - at) : NULL;
  return p == NULL ? s.n : (size_t)(p - s.p);
}

static size_t skip_digits(mpg_str s, size_t at) {
  size_t end = at;
  while (end < s.n && mpg_is_digit(s.p[end]))
    end++;
  return end;
}

/* ---- Job ids ---- */

/* The end of a list that Slurm cut, as often in the middle of a number or a range, which stand for
** as many tasks at least: "12", "1-", "10-1". */
static bool count_cut_off(mpg_str s, int64_t *count) {
  size_t dash = bytes_until(s, 0, '-');
  int64_t low, high, n = 1;
  if (s.n > 0 && (!mpg_int_parse(slice(s, 0, dash), &low) || low < 0))
    return false;
  if (dash < s.n) {
    n = 2;
    if (mpg_int_parse(slice(s, dash + 1, s.n), &high) && high > low)
      n = high - low < INT64_MAX ? high - low + 1 : INT64_MAX;
  }
  return !__builtin_add_overflow(*count, s.n > 0 ? n : 0, count) && *count > 0;
}

/* How many numbers "1-3,7" lists; for array tasks also "10-20:5", and a list that Slurm cut:
** "1,3...". Each number is at most as long as a name, for it is read again for each name that
** contains it. */
static bool count_ranges(mpg_str s, bool of_tasks, int64_t *count) {
  size_t at = 0;
  *count = 0;
  while (at < s.n) {
    size_t end = bytes_until(s, at, ','),
           colon = of_tasks ? bytes_until(slice(s, 0, end), at, ':') : end;
    size_t dash = bytes_until(slice(s, 0, colon), at, '-');
    int64_t low, high, step = 1, more;
    if (of_tasks && end - at >= 3 && memcmp(s.p + end - 3, "...", 3) == 0)
      return count_cut_off(slice(s, at, end - 3), count);
    if (!mpg_int_parse(slice(s, at, dash), &low))
      return false;
    high = low;
    if (dash < colon && !mpg_int_parse(slice(s, dash + 1, colon), &high))
      return false;
    if (colon < end && (!mpg_int_parse(slice(s, colon + 1, end), &step) || step < 1))
      return false;
    if (end - at > 2 * NAME_LIMIT || low < 0 || high < low ||
        __builtin_sub_overflow(high, low, &more) ||
        __builtin_add_overflow(more / step, INT64_C(1), &more) ||
        __builtin_add_overflow(*count, more, count))
      return false;
    at = end + 1;
  }
  return *count > 0;
}

static bool parse_task(mpg_str task, mpg_slurm_id *id) {
  mpg_str list;
  if (task.n == 0)
    return false;
  id->task = task;
  id->tasks = 1;
  if (*task.p != '[')
    return skip_digits(task, 0) == task.n;
  if (task.p[task.n - 1] != ']')
    return false;
  list = slice(task, 1, task.n - 1);
  list.n = bytes_until(list, 0, '%');
  return count_ranges(list, true, &id->tasks);
}

bool mpg_slurm_id_parse(mpg_str text, mpg_slurm_id *out) {
  mpg_slurm_id id = {0, {NULL, 0}, 1, -1, {NULL, 0}};
  size_t at = skip_digits(text, 0), close, end;
  if (at == 0 || !mpg_int_parse(slice(text, 0, at), &id.base))
    return false;
  if (at < text.n && text.p[at] == '_') {
    close = at + 1 < text.n && text.p[at + 1] == '[' ? bytes_until(text, at, ']') + 1 : 0;
    end = close > 0 ? close : skip_digits(text, at + 1);
    if (end > text.n || !parse_task(slice(text, at + 1, end), &id))
      return false;
    at = end;
  }
  if (at < text.n && text.p[at] == '+') {
    end = skip_digits(text, at + 1);
    if (!mpg_int_parse(slice(text, at + 1, end), &id.offset))
      return false;
    at = end;
  }
  if (at < text.n && text.p[at] == '.') {
    id.step = slice(text, at + 1, text.n);
    if (id.step.n == 0)
      return false;
    for (size_t i = 0; i < id.step.n; i++)
      if (!is_word(id.step.p[i]) && id.step.p[i] != '+')
        return false;
    at = text.n;
  }
  if (at != text.n)
    return false;
  *out = id;
  return true;
}

/* ---- States ---- */

static const mpg_str by = MPG_STR(" by ");

bool mpg_slurm_state_parse(mpg_str text, mpg_slurm_state *out) {
  mpg_slurm_state state = {text, {NULL, 0}};
  size_t space = bytes_until(text, 0, ' ');
  if (text.n == 0)
    return false;
  if (text.n > space + by.n && memcmp(text.p + space, by.p, by.n) == 0)
    state.by = slice(text, space + by.n, text.n);
  if (space > 0 && (state.by.n > 0 || space == text.n))
    state.base = slice(text, 0, space);
  while (state.base.n > 1 && strchr("*~#!%$@^-+", state.base.p[state.base.n - 1]) != NULL)
    state.base.n--;
  *out = state;
  return true;
}

bool mpg_slurm_state_plausible(mpg_str text) {
  mpg_slurm_state state;
  if (!mpg_slurm_state_parse(text, &state) || !mpg_is_upper(*state.base.p))
    return false;
  for (size_t i = 0; i < state.base.n; i++)
    if (!mpg_is_upper(state.base.p[i]) && state.base.p[i] != '_')
      return false;
  return state.by.n > 0 || state.base.n == text.n;
}

static bool begins(mpg_str s, mpg_str with) {
  return s.n >= with.n && memcmp(s.p, with.p, with.n) == 0;
}

/* Marks may follow a word: DOWN*. */
static bool word_out_of_service(mpg_str word) {
  static const mpg_str words[] = {
      MPG_STR("DOWN"),         MPG_STR("DRAIN"),        MPG_STR("FAIL"),          MPG_STR("MAINT"),
      MPG_STR("POWERED_DOWN"), MPG_STR("POWER_DOWN"),   MPG_STR("POWERING_DOWN"), MPG_STR("INVAL"),
      MPG_STR("ERROR"),        MPG_STR("REBOOT_ISSUED")};
  static const mpg_str power = MPG_STR("POWER"); // before 21.08: without power
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (begins(word, words[i]))
      return true;
  return begins(word, power) && (word.n == power.n || !is_word(word.p[power.n]));
}

bool mpg_slurm_node_out_of_service(mpg_str state) {
  bool out = begins(state, MPG_STR("FUTURE")); // not IDLE+DYNAMIC_FUTURE: that node is there
  for (size_t end, at = 0; at < state.n && !out; at = end + 1) {
    end = bytes_until(state, at, '+');
    out = word_out_of_service(slice(state, at, end));
  }
  return out;
}

const char *mpg_slurm_outcome(mpg_str base) {
  static const struct {
    mpg_str state;
    const char *outcome;
  } known[] = {
      {MPG_STR("COMPLETED"), "completed"},     {MPG_STR("FAILED"), "failed"},
      {MPG_STR("OUT_OF_MEMORY"), "failed"},    {MPG_STR("SPECIAL_EXIT"), "failed"},
      {MPG_STR("CANCELLED"), "cancelled"},     {MPG_STR("REVOKED"), "cancelled"},
      {MPG_STR("TIMEOUT"), "timeout"},         {MPG_STR("DEADLINE"), "timeout"},
      {MPG_STR("PREEMPTED"), "preempted"},     {MPG_STR("REQUEUED"), "preempted"},
      {MPG_STR("REQUEUE_HOLD"), "preempted"},  {MPG_STR("REQUEUE_FED"), "preempted"},
      {MPG_STR("NODE_FAIL"), "node_fail"},     {MPG_STR("BOOT_FAIL"), "node_fail"},
      {MPG_STR("LAUNCH_FAILED"), "node_fail"}, {MPG_STR("RECONFIG_FAIL"), "node_fail"},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (mpg_str_eq(base, known[i].state))
      return known[i].outcome;
  return NULL;
}

/* ---- Counts, TRES, durations ---- */

bool mpg_slurm_count_parse(mpg_str text, int64_t *out) {
  static const char units[] = "KMGTP";
  const char *unit = text.n == 0 ? NULL : memchr(units, text.p[text.n - 1], sizeof units - 1);
  double value;
  if (unit == NULL)
    return mpg_int_parse(text, out);
  if (!mpg_real_parse(slice(text, 0, text.n - 1), &value))
    return false;
  for (const char *u = units; u <= unit; u++)
    value *= 1024;
  return mpg_scaled_real(value, 0, out);
}

/* One "name=value" of a list from *at on; false at the end, or (*at is left alone) for no such. */
static inline bool next_tres(mpg_str tres, size_t *at, mpg_str *name, mpg_str *value) {
  size_t end = bytes_until(tres, *at, ','), equals = bytes_until(slice(tres, 0, end), *at, '=');
  if (*at >= tres.n || equals == end || equals == *at)
    return false;
  *name = slice(tres, *at, equals);
  *value = slice(tres, equals + 1, end);
  *at = end + 1;
  return true;
}

bool mpg_slurm_tres_valid(mpg_str tres, mpg_poller *poller) {
  mpg_str name, value;
  size_t at = 0;
  poller = mpg_poller_within(poller, tres.n);
  while (next_tres(tres, &at, &name, &value) && !mpg_poller_stop(poller, name.n + value.n))
    continue;
  return at >= tres.n;
}

static const mpg_str gres = MPG_STR("gres/");

const mpg_str mpg_slurm_chip_words[MPG_SLURM_CHIP_WORDS] = {
    MPG_STR("gpu"), MPG_STR("npu"), MPG_STR("dcu"), MPG_STR("tpu"),
    MPG_STR("xpu"), MPG_STR("hpu"), MPG_STR("mlu")};

size_t mpg_slurm_chip_word(mpg_str word) {
  size_t i = 0;
  while (i < MPG_SLURM_CHIP_WORDS && !mpg_str_eq(word, mpg_slurm_chip_words[i]))
    i++;
  return i;
}

/* The word and the type of "gres/gpu:TYPE", an empty type for "gres/gpu"; false for anything else.
 */
static bool chip_type(mpg_str name, size_t *word, mpg_str *type) {
  const size_t end = gres.n + 3; /* every word has three letters */
  if (name.n < end || memcmp(name.p, gres.p, gres.n) != 0 || (name.n > end && name.p[end] != ':'))
    return false;
  *word = mpg_slurm_chip_word((mpg_str){name.p + gres.n, 3});
  *type = slice(name, name.n == end ? end : end + 1, name.n);
  return *word < MPG_SLURM_CHIP_WORDS && (name.n == end || type->n > 0);
}

bool mpg_slurm_lists_word(mpg_str tres, size_t wanted) {
  mpg_str type;
  size_t word;
  for (size_t at = 0; at < tres.n; at = bytes_until(tres, at, ',') + 1) {
    mpg_str name = slice(tres, at, bytes_until(tres, at, ','));
    name.n = bytes_until(name, 0, '=');
    if (chip_type(name, &word, &type) && (wanted == word || wanted == MPG_SLURM_CHIP_WORDS))
      return true;
  }
  return false;
}

bool mpg_slurm_lists_chips(mpg_str tres) {
  return mpg_slurm_lists_word(tres, MPG_SLURM_CHIP_WORDS);
}

bool mpg_slurm_gpus_next(mpg_str tres, size_t *at, mpg_poller *poller, mpg_str *type,
                         int64_t *count) {
  mpg_str name, value;
  size_t word;
  poller = mpg_poller_within(poller, tres.n);
  while (next_tres(tres, at, &name, &value) && !mpg_poller_stop(poller, name.n + value.n))
    if (chip_type(name, &word, type) && type->n > 0 && mpg_slurm_count_parse(value, count))
      return true;
  return false;
}

/* Adds up, by words, what is typed and what is listed without a type (-1: nothing is). */
static bool add_up(const int64_t *plain, const int64_t *typed, size_t words, mpg_slurm_gpus *gpus) {
  for (size_t i = 0; i < words; i++) {
    if (plain[i] > typed[i])
      gpus->rest[i] = plain[i] - typed[i];
    if (__builtin_add_overflow(gpus->typed, typed[i], &gpus->typed) ||
        __builtin_add_overflow(gpus->total, plain[i] >= 0 ? plain[i] : typed[i], &gpus->total))
      return false;
    if (i == 0 || gpus->rest[i] == 0)
      continue;
    if (__builtin_add_overflow(gpus->typed, gpus->rest[i], &gpus->typed))
      return false;
    if (gpus->types++ == 0)
      gpus->type = mpg_slurm_chip_words[i];
  }
  return true;
}

bool mpg_slurm_gpus_parse(mpg_str tres, mpg_poller *poller, mpg_slurm_gpus *out) {
  mpg_slurm_gpus gpus = {.type = {NULL, 0}};
  mpg_str name, value, type;
  int64_t count, plain[MPG_SLURM_CHIP_WORDS], typed[MPG_SLURM_CHIP_WORDS] = {0};
  size_t at = 0, word, words = 0;
  for (size_t i = 0; i < MPG_SLURM_CHIP_WORDS; i++)
    plain[i] = -1;
  poller = mpg_poller_within(poller, tres.n);
  while (next_tres(tres, &at, &name, &value)) {
    if (mpg_poller_stop(poller, name.n + value.n))
      return false;
    if (!chip_type(name, &word, &type))
      continue;
    if (word >= words)
      words = word + 1;
    if (!mpg_slurm_count_parse(value, &count) || count < 0)
      return false;
    if (type.n == 0) {
      plain[word] = count;
      continue;
    }
    if (__builtin_add_overflow(typed[word], count, &typed[word]))
      return false;
    if (gpus.types++ == 0)
      gpus.type = type;
  }
  if (at < tres.n || !add_up(plain, typed, words, &gpus))
    return false;
  *out = gpus;
  return true;
}

bool mpg_slurm_duration_parse(mpg_str text, int64_t *us) {
  static const int64_t scale[3] = {1, 60, 3600};
  bool negative = text.n > 0 && *text.p == '-';
  size_t dash, at = 0, n = 0;
  mpg_str clock;
  int64_t total = 0, field, values[3];
  clock = text = slice(text, negative, text.n);
  dash = bytes_until(text, 0, '-');
  if (dash < text.n) {
    if (!mpg_int_parse(slice(text, 0, dash), &field) || field < 0 ||
        __builtin_mul_overflow(field, INT64_C(86400000000), &total))
      return false;
    clock = slice(text, dash + 1, text.n);
  }
  while (at <= clock.n) {
    size_t end = bytes_until(clock, at, ':');
    mpg_str piece = slice(clock, at, end);
    if (n == 3 || piece.n == 0 || !mpg_is_digit(*piece.p) ||
        !mpg_scaled_parse(piece, end == clock.n ? 6 : 0, &values[n]) ||
        (end < clock.n && skip_digits(piece, 0) != piece.n))
      return false;
    if (end < clock.n && __builtin_mul_overflow(values[n], INT64_C(1000000), &values[n]))
      return false;
    n++;
    at = end + 1;
  }
  if (n < 2)
    return false;
  for (size_t i = 0; i < n; i++)
    if (__builtin_mul_overflow(values[i], scale[n - 1 - i], &field) ||
        __builtin_add_overflow(total, field, &total))
      return false;
  *us = negative ? -total : total;
  return true;
}

/* ---- Node lists ---- */

/* A name with its bracketed groups: piece[0] group[0] piece[1] group[1] ... piece[n]. */
typedef struct pattern {
  mpg_str piece[GROUPS + 1], group[GROUPS];
  int64_t count[GROUPS];
  struct {
    size_t at;      /* the range that was written last, */
    int64_t before; /* and how many numbers stand before it */
  } last[GROUPS];
  size_t n;
} pattern;

static bool read_pattern(mpg_str list, size_t *at, pattern *p) {
  size_t from = *at, i = *at;
  p->n = 0;
  for (; i < list.n && list.p[i] != ','; i++) {
    size_t close;
    if (list.p[i] != '[')
      continue;
    close = bytes_until(list, i, ']');
    if (p->n == GROUPS || close == list.n)
      return false;
    p->piece[p->n] = slice(list, from, i);
    p->group[p->n] = slice(list, i + 1, close);
    if (!count_ranges(p->group[p->n], false, &p->count[p->n]))
      return false;
    p->last[p->n].at = 0;
    p->last[p->n].before = 0;
    p->n++;
    from = close + 1;
    i = close;
  }
  p->piece[p->n] = slice(list, from, i);
  if (i == *at)
    return false;
  *at = i + 1;
  return true;
}

/* Appends the k-th number of group g, as wide as the low end of its range is written. Callers
** mostly go through k in order, for a group may list a million numbers. */
static size_t put_number(pattern *p, size_t g, int64_t k, char *out, size_t cap) {
  const mpg_str group = p->group[g];
  size_t at, n = 0, width;
  int64_t low = 0, high = 0;
  char reversed[24];
  if (k < p->last[g].before) {
    p->last[g].at = 0;
    p->last[g].before = 0;
  }
  at = p->last[g].at;
  k -= p->last[g].before;
  for (;; at = bytes_until(group, at, ',') + 1) {
    size_t end = bytes_until(group, at, ','), dash = bytes_until(slice(group, 0, end), at, '-');
    (void)mpg_int_parse(slice(group, at, dash), &low);
    high = low;
    if (dash < end)
      (void)mpg_int_parse(slice(group, dash + 1, end), &high);
    width = dash - at;
    if (k <= high - low)
      break;
    k -= high - low + 1;
    p->last[g].before += high - low + 1;
  }
  p->last[g].at = at;
  low += k;
  do {
    reversed[n++] = (char)('0' + low % 10);
    low /= 10;
  } while (low > 0);
  width = width > n ? width : n;
  if (width > cap)
    return cap + 1;
  for (size_t i = 0; i < width; i++)
    out[width - 1 - i] = i < n ? reversed[i] : '0';
  return width;
}

mpg_rc mpg_slurm_nodes(mpg_str list, mpg_slurm_node *each, void *ctx) {
  size_t at = 0;
  int64_t given = 0;
  while (at < list.n) {
    pattern p;
    int64_t total = 1;
    if (!read_pattern(list, &at, &p))
      return MPG_DATA;
    for (size_t g = 0; g < p.n; g++)
      if (__builtin_mul_overflow(total, p.count[g], &total))
        return MPG_LIMIT;
    if (total > MPG_SLURM_NODES - given)
      return MPG_LIMIT;
    given += total;
    for (int64_t t = 0; t < total; t++) {
      char name[NAME_LIMIT];
      size_t n = 0;
      int64_t rest = t, below = total;
      mpg_rc rc;
      for (size_t g = 0; g <= p.n; g++) {
        if (p.piece[g].n > sizeof name - n)
          return MPG_DATA;
        if (p.piece[g].n > 0)
          memcpy(name + n, p.piece[g].p, p.piece[g].n);
        n += p.piece[g].n;
        if (g < p.n) {
          below /= p.count[g];
          n += put_number(&p, g, rest / below, name + n, sizeof name - n);
          rest %= below;
          if (n > sizeof name)
            return MPG_DATA;
        }
      }
      rc = each(ctx, (mpg_str){name, n});
      if (rc != MPG_OK)
        return rc;
    }
  }
  return MPG_DONE;
}

bool mpg_slurm_stamp_find(mpg_str text, size_t *open, size_t *user_end, size_t *close) {
  for (size_t i = text.n; i-- > 0;) {
    size_t at = text.n;
    if (text.p[i] != ']' || (i + 1 < text.n && text.p[i + 1] != ' '))
      continue;
    for (*close = i; i > 0 && text.p[i - 1] != '[' && text.p[i - 1] != ']'; i--)
      if (text.p[i - 1] == '@')
        at = i - 1;
    if (i > 0 && text.p[i - 1] == '[' && at < *close) {
      mpg_err why;
      int64_t us;
      *open = i - 1;
      *user_end = at;
      if (*close + 1 == text.n ||
          mpg_time_parse((mpg_str){text.p + at + 1, *close - at - 1}, &us, &why) == MPG_OK)
        return true;
    }
  }
  return false;
}
