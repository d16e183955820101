/* lsf_gpus.c - see lsf_gpus.h. */
#include "lsf_gpus.h"
#include "../../base/number.h"

#include <string.h>

/* Where a word begins in a text; text.n: nowhere. */
static size_t find_word(mpg_str text, const char *word) {
  const size_t n = strlen(word);
  for (size_t i = 0; i + n <= text.n; i++)
    if (text.p[i] == *word && memcmp(text.p + i, word, n) == 0)
      return i;
  return text.n;
}

static mpg_str rest_from(mpg_str text, size_t at) {
  return (mpg_str){text.p + at, text.n - at};
}

/* What stands in the brackets of the first section of that name, "rusage[", and the rest behind it;
** false: there is none. */
static bool section(mpg_str *text, const char *name, mpg_str *inside) {
  size_t at = find_word(*text, name), end;
  if (at == text->n)
    return false;
  *inside = rest_from(*text, at + strlen(name));
  end = find_word(*inside, "]");
  *text = rest_from(*inside, end);
  inside->n = end;
  return true;
}

/* A number of digits with a fraction, and what stands behind it. */
static bool read_number(mpg_str *text, double *out) {
  size_t n = 0;
  while (n < text->n && ((text->p[n] >= '0' && text->p[n] <= '9') || text->p[n] == '.'))
    n++;
  if (!mpg_real_parse((mpg_str){text->p, n}, out))
    return false;
  *text = rest_from(*text, n);
  return true;
}

/* The value of a key in the brackets, up to the next ',' or ':'. */
static bool value_of(mpg_str inside, const char *key, mpg_str *value) {
  const size_t n = strlen(key);
  while (inside.n > 0) {
    size_t end = 0, begin = 0;
    while (end < inside.n && inside.p[end] != ',' && inside.p[end] != ':')
      end++;
    while (begin < end && inside.p[begin] == ' ')
      begin++;
    if (end - begin > n && memcmp(inside.p + begin, key, n) == 0 && inside.p[begin + n] == '=') {
      *value = (mpg_str){inside.p + begin + n + 1, end - begin - n - 1};
      return true;
    }
    inside = rest_from(inside, end < inside.n ? end + 1 : end);
  }
  return false;
}

static bool begins(mpg_str text, const char *word) {
  return find_word((mpg_str){text.p, text.n < strlen(word) ? text.n : strlen(word)}, word) == 0 &&
         text.n >= strlen(word);
}

/* Of a requirement without terms. Its sections add up. */
static mpg_lsf_gpus simple(mpg_str text) {
  /* Physical GPUs as bsub -gpu asks for them, and the names of before LSF 10.1. */
  static const char *const keys[] = {"ngpus_physical", "ngpus_excl_p", "ngpus_excl_t",
                                     "ngpus_shared", "ngpus"};
  mpg_lsf_gpus found = {MPG_LSF_NO_GPUS, 0.0, {NULL, 0}};
  mpg_str inside, value;
  while (section(&text, "rusage[", &inside)) {
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
      double n;
      if (!value_of(inside, keys[i], &value))
        continue;
      if (!read_number(&value, &n) || find_word(inside, "||") < inside.n) {
        found.per = MPG_LSF_UNKNOWN;
        return found;
      }
      found.each += n;
      found.per = begins(value, "/task") ? MPG_LSF_PER_TASK : MPG_LSF_PER_HOST;
      break;
    }
    if (value_of(inside, "gmodel", &value))
      found.model = value;
  }
  return found;
}

/* The hosts of a term of n slots: as many as span[] puts on each. 0: it does not say. */
static double hosts_of(mpg_str term, double n) {
  mpg_str inside, value;
  double each;
  while (section(&term, "span[", &inside)) {
    if (value_of(inside, "hosts", &value) && read_number(&value, &each) && each >= 1.0)
      return 1.0;
    if (value_of(inside, "ptile", &value) && read_number(&value, &each) && each >= 1.0) {
      double hosts = (double)(int64_t)(n / each);
      return hosts * each < n ? hosts + 1.0 : hosts;
    }
  }
  return n > 1.0 ? 0.0 : n;
}

/* "1*{...} + 4*{...}" from its first brace on. */
static mpg_lsf_gpus compound(mpg_str text) {
  mpg_lsf_gpus found = {MPG_LSF_NO_GPUS, 0.0, {NULL, 0}};
  for (size_t open = find_word(text, "{"); open < text.n; open = find_word(text, "{")) {
    size_t end = find_word(text, "}"), digits = open;
    mpg_lsf_gpus term = {MPG_LSF_UNKNOWN, 0.0, {NULL, 0}};
    double n = 1.0, of = 0.0;
    mpg_str before, body;
    if (end < open)
      break;
    body = (mpg_str){text.p + open + 1, end - open - 1};
    while (digits > 0 && (text.p[digits - 1] == ' ' || text.p[digits - 1] == '*'))
      digits--;
    for (before.n = 0; digits > 0 && text.p[digits - 1] >= '0' && text.p[digits - 1] <= '9';
         before.n++)
      digits--;
    before.p = text.p + digits;
    if (before.n > 0 && before.n < 10)
      (void)read_number(&before, &n);
    term = simple(body);
    of = term.per == MPG_LSF_PER_TASK ? n : hosts_of(body, n);
    if (term.per == MPG_LSF_UNKNOWN || (term.per != MPG_LSF_NO_GPUS && of < 1.0)) {
      found.per = MPG_LSF_UNKNOWN;
      return found;
    }
    if (term.per != MPG_LSF_NO_GPUS) {
      found.per = MPG_LSF_PER_JOB;
      found.each += of * term.each;
    }
    if (term.model.n > 0)
      found.model = term.model;
    text = rest_from(text, end < text.n ? end + 1 : end);
  }
  return found;
}

/* "||" that stands in no brackets. */
static bool has_alternatives(mpg_str text) {
  int depth = 0;
  for (size_t i = 0; i + 1 < text.n; i++) {
    depth += (text.p[i] == '[') - (text.p[i] == ']');
    if (depth == 0 && text.p[i] == '|' && text.p[i + 1] == '|')
      return true;
  }
  return false;
}

mpg_lsf_gpus mpg_lsf_gpus_of(mpg_str requirement) {
  mpg_lsf_gpus found =
      find_word(requirement, "{") < requirement.n ? compound(requirement) : simple(requirement);
  if (found.per != MPG_LSF_NO_GPUS && has_alternatives(requirement))
    found.per = MPG_LSF_UNKNOWN;
  return found;
}
