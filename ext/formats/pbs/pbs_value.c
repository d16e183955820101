/* pbs_value.c - see pbs_value.h. */
#include "pbs_value.h"
#include "../../base/ascii.h"
#include "../../base/number.h"

#include <string.h>

/* The part up to `stop`, which is taken off too; false at the end of the text. */
static bool next_part(mpg_str *rest, char stop, mpg_str *part) {
  const char *end;
  if (rest->p == NULL)
    return false;
  end = rest->n == 0 ? NULL : memchr(rest->p, stop, rest->n);
  *part = (mpg_str){rest->p, end == NULL ? rest->n : (size_t)(end - rest->p)};
  *rest = end == NULL ? (mpg_str){NULL, 0} : (mpg_str){end + 1, rest->n - part->n - 1};
  return true;
}

/* Digits alone, within int64. */
static bool count_of(mpg_str s, int64_t *out) {
  return s.n > 0 && s.p[0] != '-' && mpg_int_parse(s, out);
}

bool mpg_pbs_id_parse(mpg_str text, mpg_pbs_id *out) {
  mpg_pbs_id id = {0};
  size_t at = 0, from;
  while (at < text.n && mpg_is_digit(text.p[at]))
    at++;
  if (!count_of((mpg_str){text.p, at}, &id.base))
    return false;
  if (at < text.n && text.p[at] == '[') {
    from = ++at;
    while (at < text.n && text.p[at] != ']')
      at++;
    if (at == text.n)
      return false;
    id.in_array = true;
    id.index = (mpg_str){text.p + from, at - from};
    at++;
  } else if (at < text.n && text.p[at] == '-') {
    from = ++at;
    while (at < text.n && mpg_is_digit(text.p[at]))
      at++;
    if (at == from)
      return false;
    id.in_array = true;
    id.index = (mpg_str){text.p + from, at - from};
  }
  if (at < text.n) {
    if (text.p[at] != '.' || at + 1 == text.n)
      return false;
    id.server = (mpg_str){text.p + at + 1, text.n - at - 1};
  }
  *out = id;
  return true;
}

void mpg_pbs_give_amount(mpg_value *out, double amount) {
  out->type = MPG_REAL;
  out->r = amount;
}

/* ---- Lists of resources ---- */

/* *sum += times * n; a sum of -1 is none yet. */
static bool add_product(int64_t *sum, int64_t times, int64_t n) {
  int64_t product;
  return !__builtin_mul_overflow(times, n, &product) &&
         !__builtin_add_overflow(*sum < 0 ? 0 : *sum, product, sum);
}

static void add_type(mpg_pbs_sum *sum, bool *mixed, mpg_str type) {
  *mixed |= sum->gpu_type.n > 0 && !mpg_str_eq_nocase(sum->gpu_type, type);
  sum->gpu_type = *mixed ? (mpg_str){NULL, 0} : type;
}

/* "ncpus=4:ngpus=2": the resources after the name of a chunk, for each of its `times`. */
static bool add_chunk(mpg_pbs_sum *sum, bool *mixed, mpg_str rest, int64_t times, const char *cpus,
                      const char *gpus, mpg_poller *poller, bool *has_cpus) {
  mpg_str item;
  *has_cpus = false;
  while (next_part(&rest, ':', &item)) {
    mpg_str key;
    int64_t n;
    if (mpg_poller_stop(poller, item.n + 1) || !next_part(&item, '=', &key))
      return false;
    if (item.p == NULL)
      continue; /* a property */
    if (mpg_str_eq(key, mpg_str_of(cpus)) || mpg_str_eq(key, mpg_str_of(gpus))) {
      bool is_cpus = mpg_str_eq(key, mpg_str_of(cpus));
      if (!(is_cpus ? count_of(item, &n) : mpg_scaled_parse(item, 6, &n) && n >= 0) ||
          !add_product(is_cpus ? &sum->cpus : &sum->gpus, times, n))
        return false;
      *has_cpus |= is_cpus;
    } else if (mpg_str_eq(key, MPG_STR("gpu_type")) || mpg_str_eq(key, MPG_STR("gpu_model"))) {
      if (item.n > 0)
        add_type(sum, mixed, item);
    }
  }
  return true;
}

bool mpg_pbs_vnodes_parse(mpg_str text, mpg_poller *poller, mpg_pbs_sum *out) {
  mpg_pbs_sum sum = {-1, -1, {NULL, 0}};
  bool mixed = false, has_cpus;
  mpg_str chunk, name;
  if (text.n == 0)
    return false;
  poller = mpg_poller_within(poller, text.n);
  while (next_part(&text, '+', &chunk)) {
    if (chunk.n > 0 && chunk.p[0] == '(')
      chunk = (mpg_str){chunk.p + 1, chunk.n - 1};
    if (chunk.n > 0 && chunk.p[chunk.n - 1] == ')')
      chunk.n--;
    if (!next_part(&chunk, ':', &name) || name.n == 0 || mpg_poller_stop(poller, name.n + 1) ||
        !add_chunk(&sum, &mixed, chunk, 1, "ncpus", "ngpus", poller, &has_cpus))
      return false;
  }
  *out = sum;
  return true;
}

/* Of select and nodes: a number of equal chunks, or (of nodes) the name of one. */
static bool sum_request(mpg_str text, const char *cpus, const char *gpus, bool names,
                        mpg_poller *poller, mpg_pbs_sum *out) {
  mpg_pbs_sum sum = {-1, -1, {NULL, 0}};
  bool mixed = false, has_cpus;
  mpg_str chunk;
  if (text.n == 0)
    return false;
  poller = mpg_poller_within(poller, text.n);
  while (next_part(&text, '+', &chunk)) {
    mpg_str rest = chunk, first;
    int64_t times = 1;
    if (mpg_poller_stop(poller, chunk.n + 1) || !next_part(&rest, ':', &first) || first.n == 0)
      return false;
    if (count_of(first, &times) || names)
      chunk = rest; /* after the number; or of nodes, the name of a host or a property */
    else if (memchr(first.p, '=', first.n) == NULL)
      return false;
    if (!add_chunk(&sum, &mixed, chunk, times, cpus, gpus, poller, &has_cpus) ||
        (!has_cpus && !add_product(&sum.cpus, times, 1)))
      return false;
  }
  *out = sum;
  return true;
}

bool mpg_pbs_select_parse(mpg_str text, mpg_poller *poller, mpg_pbs_sum *out) {
  return sum_request(text, "ncpus", "ngpus", false, poller, out);
}

bool mpg_pbs_nodes_parse(mpg_str text, mpg_poller *poller, mpg_pbs_sum *out) {
  const char *end =
      text.n == 0 ? NULL : memchr(text.p, '#', text.n); /* "#excl": how they are had */
  if (end != NULL)
    text.n = (size_t)(end - text.p);
  return sum_request(text, "ppn", "gpus", true, poller, out);
}

bool mpg_pbs_hosts_count(mpg_str text, mpg_poller *poller, int64_t *slots) {
  int64_t sum = 0;
  mpg_str item, host, part;
  if (text.n == 0)
    return false;
  poller = mpg_poller_within(poller, text.n);
  while (next_part(&text, '+', &item)) {
    if (!next_part(&item, '/', &host) || host.n == 0 || mpg_poller_stop(poller, host.n + 1))
      return false;
    if (item.p == NULL) { /* a host without slots */
      if (!add_product(&sum, 1, 1))
        return false;
      continue;
    }
    while (next_part(&item, ',', &part)) {
      mpg_str from = part, to;
      int64_t first, last, n = 1;
      if (mpg_poller_stop(poller, part.n + 1))
        return false;
      if (memchr(part.p, '*', part.n) != NULL) {
        (void)next_part(&from, '*', &to);
        if (!count_of(to, &first) || !count_of(from, &n))
          return false;
      } else if (next_part(&from, '-', &to) && from.p != NULL) {
        if (!count_of(to, &first) || !count_of(from, &last) || last < first ||
            __builtin_add_overflow(last - first, INT64_C(1), &n))
          return false;
      } else if (!count_of(part, &first)) {
        return false;
      }
      if (!add_product(&sum, 1, n))
        return false;
    }
  }
  *slots = sum;
  return true;
}

bool mpg_pbs_hosts_next(mpg_str text, size_t *at, mpg_str *host) {
  while (*at < text.n) {
    size_t from = *at, end = from, stop;
    while (end < text.n && text.p[end] != '+')
      end++;
    *at = end + 1;
    while (from < end && text.p[from] == '(')
      from++;
    for (stop = from;
         stop < end && text.p[stop] != '/' && text.p[stop] != ':' && text.p[stop] != ')';)
      stop++;
    if (stop > from) {
      *host = (mpg_str){text.p + from, stop - from};
      return true;
    }
  }
  return false;
}

bool mpg_pbs_duration_parse(mpg_str text, int64_t *seconds) {
  static const int64_t scale[] = {60, 60, 24};
  int64_t n[4], unit = 1, sum = 0;
  size_t parts = 0;
  bool negative = text.n > 0 && *text.p == '-'; /* a counter that ran over */
  mpg_str part;
  text = (mpg_str){negative ? text.p + 1 : text.p, text.n - negative};
  while (next_part(&text, ':', &part))
    if (parts == 4 || !count_of(part, &n[parts++]))
      return false;
  for (size_t i = 0; i < parts; i++) {
    if (!add_product(&sum, unit, n[parts - 1 - i]))
      return false;
    if (i < 3)
      unit *= scale[i];
  }
  *seconds = negative ? -sum : sum;
  return parts > 0;
}

const char *mpg_pbs_outcome(char type, bool torque, bool has_exit, int64_t exit_status) {
  switch (type) {
  case 'R':
    return "preempted";
  case 'D':
  case 'A':
    return "cancelled";
  case 'E':
    break;
  default:
    return NULL;
  }
  if (!has_exit)
    return NULL;
  switch (exit_status) {
  case 0:
    return "completed";
  case -28:
  case -29:
    return "timeout";
  case -11:
    return torque ? "timeout" : "preempted";
  case -12:
    return torque ? "timeout" : "failed";
  case -14:
    return torque ? "failed" : "preempted";
  default:
    return "failed";
  }
}
