/* fleet_options.c - see fleet_options.h. */
#include "fleet_options.h"
#include "../../base/number.h"
#include "../../base/text.h"
#include "../../base/time.h"
#include "../../read/parse/pattern.h"
#include "../../read/input/zone.h"
#include "script.h"

#include <stdio.h>
#include <string.h>

/* Options that are of no script alone. */
static const char *const general_options[] = {"format", "job",       "pool",    "chip",
                                              "phase",  "framework", "runtime", "model",
                                              "owner",  "name",      "priority"};

/* ---- names ---- */

static bool is_one_of(mpg_str word, const char *const *words, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (mpg_str_eq(word, mpg_str_of(words[i])))
      return true;
  return false;
}

static bool is_name_byte(char c) {
  return (c >= 'a' && c <= 'z') || c == '_' || (c >= '0' && c <= '9');
}

/* Whether the script has an input of that name, which is no option. */
static bool is_input(const mpg_script *script, mpg_str name) {
  const char *at = script->heads;
  mpg_head head;
  while ((head = mpg_head_next(&at)).kind != MPG_HEAD_END)
    if (head.kind == MPG_HEAD_INPUT && mpg_str_eq(head.parameter, name))
      return true;
  return false;
}

/* A parameter that who runs the script sets. */
static bool is_ours(mpg_str name) {
  static const char *const ours[] = {"table", "on_error", "only_relations"};
  return is_one_of(name, ours, sizeof ours / sizeof *ours);
}

/* The next ":name" of a script that is an option of it; n is 0 after the last. */
static mpg_str next_option(const mpg_script *script, const char **at) {
  for (const char *p = *at; (p = strchr(p, ':')) != NULL;) {
    mpg_str name = {p + 1, 0};
    bool fresh = p == script->sql || strchr(" (,=\n\t", p[-1]) != NULL;
    while (is_name_byte(name.p[name.n]))
      name.n++;
    p = name.p + name.n;
    if (fresh && name.n > 1 && !is_input(script, name) && !is_ours(name)) {
      *at = p;
      return name;
    }
  }
  return (mpg_str){NULL, 0};
}

/* How many bytes must change, come or go to make one word of the other, for words of less than 32
** bytes; more than any for longer ones. */
static size_t edit_distance(mpg_str a, mpg_str b) {
  size_t row[33];
  if (a.n > 32 || b.n > 32)
    return 99;
  for (size_t j = 0; j <= b.n; j++)
    row[j] = j;
  for (size_t i = 1; i <= a.n; i++) {
    size_t corner = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.n; j++) {
      size_t change = corner + (a.p[i - 1] != b.p[j - 1]);
      corner = row[j];
      row[j] = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
      if (change < row[j])
        row[j] = change;
    }
  }
  return row[b.n];
}

/* Whether `name` is an option; *nearest is the one that is spelt most like it. */
static bool is_option(mpg_str name, mpg_str *nearest) {
  const mpg_str path = MPG_STR("path"); /* which every source has, and is no option */
  size_t best = edit_distance(name, path);
  *nearest = path;
  if (best == 0)
    best = 1;
  for (size_t i = 0; i < sizeof general_options / sizeof *general_options; i++) {
    mpg_str option = mpg_str_of(general_options[i]);
    size_t far = edit_distance(name, option);
    if (far < best) {
      best = far;
      *nearest = option;
    }
  }
  for (size_t i = 0; best > 0 && i < mpg_scripts_count; i++) {
    const char *at = mpg_scripts[i].sql;
    for (mpg_str option; best > 0 && (option = next_option(&mpg_scripts[i], &at)).n > 0;) {
      size_t far =
          strncmp(mpg_scripts[i].name, "formats/", 8) == 0 ? edit_distance(name, option) : 99;
      if (far < best) {
        best = far;
        *nearest = option;
      }
    }
  }
  return best == 0;
}

bool mpg_is_general_option(mpg_str name) {
  return is_one_of(name, general_options, sizeof general_options / sizeof *general_options);
}

bool mpg_script_has_option(const mpg_script *script, mpg_str name) {
  const char *at = script->sql;
  for (mpg_str option; (option = next_option(script, &at)).n > 0;)
    if (mpg_str_eq(option, name))
      return true;
  return false;
}

bool mpg_script_counts(const mpg_script *script) {
  return strstr(script->sql, ":chips IN ('") != NULL;
}

/* ---- values ---- */

/* The format that a script maps, empty: none. */
static mpg_str format_of(const mpg_script *script) {
  const char *at = script->heads;
  mpg_head head;
  if (strncmp(script->name, "formats/", 8) != 0 || strchr(script->name + 8, '/') != NULL)
    return MPG_STR("");
  do
    head = mpg_head_next(&at);
  while (head.kind != MPG_HEAD_SOURCE && head.kind != MPG_HEAD_INPUT && head.kind != MPG_HEAD_END);
  return head.kind != MPG_HEAD_END ? mpg_str_of(script->name + 8) : MPG_STR("");
}

static bool is_format(mpg_str name) {
  bool is = mpg_str_eq(name, MPG_STR("native"));
  for (size_t i = 0; !is && name.n > 0 && i < mpg_scripts_count; i++)
    is = mpg_str_eq(name, format_of(&mpg_scripts[i]));
  return is;
}

/* "one of chrome, ..., or native" */
static const char *formats(char *list, size_t size) {
  size_t n = (size_t)snprintf(list, size, "one of ");
  for (size_t i = 0; i < mpg_scripts_count && n < size; i++) {
    const mpg_str name = format_of(&mpg_scripts[i]);
    if (name.n > 0)
      n += (size_t)snprintf(list + n, size - n, "%.*s, ", (int)name.n, name.p);
  }
  if (n < size)
    (void)snprintf(list + n, size - n, "native");
  return list;
}

static bool is_outcome(mpg_str word) {
  static const char *const outcomes[] = {"completed", "failed",  "cancelled",
                                         "preempted", "timeout", "node_fail"};
  return is_one_of(word, outcomes, sizeof outcomes / sizeof *outcomes);
}

static bool is_consumable(mpg_str word) {
  return mpg_str_eq_nocase(word, MPG_STR("YES")) || mpg_str_eq_nocase(word, MPG_STR("JOB")) ||
         mpg_str_eq_nocase(word, MPG_STR("HOST"));
}

/* What a batch system counts, in its own word, and a site may take for chips. */
static bool is_counted(mpg_str word) {
  static const char *const counted[] = {"gpus", "ngpus", "slots", "cpus", "ncpus", "ncores"};
  return is_one_of(word, counted, sizeof counted / sizeof *counted);
}

static bool is_number_above_0(const mpg_json_member *option) {
  double number;
  return option->kind == MPG_JSON_NUMBER && mpg_real_parse(option->text, &number) && number > 0;
}

static bool is_year(const mpg_json_member *option) {
  int64_t year;
  return option->kind == MPG_JSON_NUMBER && mpg_int_parse(option->text, &year) && year >= 1970 &&
         year <= 2261;
}

static bool is_time(const mpg_json_member *option) {
  mpg_err ignored;
  int64_t us;
  double seconds;
  return (option->kind == MPG_JSON_NUMBER && mpg_real_parse(option->text, &seconds) &&
          seconds >= 0 && seconds < 9.2e9) || /* milliseconds are none */
         (option->kind == MPG_JSON_STRING && mpg_time_parse(option->text, &us, &ignored) == MPG_OK);
}

/* What an option must be, NULL if it is that, empty: one of the formats. */
static const char *wanted(const mpg_json_member *option) {
  static const char *const above_0[] = {"chips_per_node", "devices", "flops"};
  static const char any_text[] = "a text or a number";
  bool text = option->kind == MPG_JSON_STRING;
  if (mpg_str_eq(option->key, MPG_STR("chips")))
    return is_number_above_0(option) || (text && is_counted(option->text))
               ? NULL
               : "a number above 0, or what counts as a chip, such as gpus or slots";
  for (size_t i = 0; i < sizeof above_0 / sizeof *above_0; i++)
    if (mpg_str_eq(option->key, mpg_str_of(above_0[i])))
      return is_number_above_0(option) ? NULL : "a number above 0";
  if (mpg_str_eq(option->key, MPG_STR("year")))
    return is_year(option) ? NULL : "a year from 1970 to 2261";
  if (mpg_str_eq(option->key, MPG_STR("start")))
    return is_time(option) ? NULL : "Unix seconds or a time such as 2026-03-02T09:00:00Z";
  if (mpg_str_eq(option->key, MPG_STR("format")))
    return text && is_format(option->text) ? NULL : "";
  if (mpg_str_eq(option->key, MPG_STR("outcome")))
    return text && is_outcome(option->text)
               ? NULL
               : "completed, failed, cancelled, preempted, timeout or node_fail";
  if (mpg_str_eq(option->key, MPG_STR("consumable")))
    return text && is_consumable(option->text) ? NULL : "YES, JOB or HOST, as qconf -sc says";
  if (mpg_str_eq(option->key, MPG_STR("zone")))
    return text ? NULL : "a time zone, such as Europe/Berlin";
  if (mpg_is_general_option(option->key))
    return option->kind == MPG_JSON_NUMBER || (text && option->text.n > 0) ? NULL : any_text;
  return option->kind == MPG_JSON_ARRAY || option->kind == MPG_JSON_OBJECT ? any_text : NULL;
}

static mpg_rc check_zone(const mpg_env *env, mpg_str name, mpg_err *err) {
  mpg_zone *zone = NULL;
  mpg_rc rc = mpg_zone_open(&zone, env, name, MPG_ZONE_FOLDER, err);
  mpg_zone_free(zone);
  if (rc == MPG_OK || rc == MPG_NOMEM || rc == MPG_INTERRUPTED)
    return rc;
  mpg_err plain = *err;
  return mpg_fail(err, MPG_DATA, "option \"zone\": %.900s", plain.text);
}

bool mpg_is_job_pattern(mpg_str job) {
  for (size_t i = 0; i + 4 <= job.n; i++)
    if (memcmp(job.p + i, "(?<", 3) == 0 || memcmp(job.p + i, "(?P<", 4) == 0)
      return true;
  return false;
}

static mpg_rc check_job(const mpg_env *env, mpg_str job, mpg_err *err) {
  mpg_pattern *pattern = NULL;
  bool named = !mpg_is_job_pattern(job);
  mpg_rc rc = named ? MPG_OK : mpg_pattern_open(&pattern, env, job, err);
  for (size_t i = 0; rc == MPG_OK && !named && i < mpg_pattern_names(pattern); i++)
    named = mpg_str_eq(mpg_pattern_name(pattern, i), MPG_STR("job"));
  mpg_pattern_close(pattern);
  if (rc == MPG_OK && !named)
    return mpg_fail(err, MPG_DATA,
                    "option \"job\": expected a group named job, (?<job>...), found \"%.*s\"",
                    (int)(job.n < 80 ? job.n : 80), job.p);
  if (rc == MPG_OK || rc == MPG_NOMEM || rc == MPG_INTERRUPTED)
    return rc;
  mpg_err plain = *err;
  return mpg_fail(err, MPG_DATA, "option \"job\": %.900s", plain.text);
}

mpg_rc mpg_fleet_option_check(const mpg_env *env, const mpg_json_member *option, mpg_err *err) {
  mpg_str nearest = MPG_STR("");
  char name[MPG_EXCERPT], value[MPG_EXCERPT], list[640];
  const char *expected, *quote = option->kind == MPG_JSON_STRING ? "\"" : "";
  mpg_text_excerpt(option->key, name);
  if (mpg_str_eq(option->key, MPG_STR("labels")))
    return mpg_fail(err, MPG_DATA, "\"labels\" stands beside \"sources\", not in a source");
  if (!is_option(option->key, &nearest))
    return mpg_fail(err, MPG_DATA, "unknown option \"%s\"; the nearest is \"%.*s\"", name,
                    (int)nearest.n, nearest.p);
  if (option->kind == MPG_JSON_NULL)
    return MPG_OK;
  if ((expected = wanted(option)) == NULL) {
    if (mpg_str_eq(option->key, MPG_STR("zone")))
      return check_zone(env, option->text, err);
    return mpg_str_eq(option->key, MPG_STR("job")) ? check_job(env, option->text, err) : MPG_OK;
  }
  mpg_text_excerpt(option->kind == MPG_JSON_FALSE  ? MPG_STR("false")
                   : option->kind == MPG_JSON_TRUE ? MPG_STR("true")
                                                   : option->text,
                   value);
  return mpg_fail(err, MPG_DATA, "option \"%s\": expected %s, found %s%s%s", name,
                  *expected == '\0' ? formats(list, sizeof list) : expected, quote, value, quote);
}
