/* slurm_object.c - see slurm_object.h. */
#include "slurm_object.h"
#include "slurm_value.h"
#include "../../base/number.h"

#include <stdio.h>
#include <string.h>

void mpg_slurm_docs_free(mpg_slurm_docs *docs) {
  for (size_t i = 0; i < MPG_SLURM_LEVELS; i++)
    mpg_json_doc_free(docs->level[i]);
}

mpg_rc mpg_slurm_open_text(mpg_slurm_docs *docs, size_t level, mpg_str text, mpg_slurm_object *out,
                           mpg_err *err) {
  mpg_rc rc =
      mpg_json_parse(&docs->level[level], docs->env, docs->name, text, &out->members, &out->n, err);
  if (rc != MPG_DATA) /* valid already, except for keys that repeat */
    return rc;
  return mpg_fail(err, rc, "%s:%lld:1: expected each key of an object once, found one again",
                  docs->name, (long long)docs->line);
}

const mpg_json_member *mpg_slurm_member(mpg_slurm_object object, const char *key) {
  const mpg_json_member *m =
      object.members; /* they outlive the object, which only points to them */
  for (size_t i = 0; i < object.n; i++, m++)
    if (mpg_str_eq(m->key, mpg_str_of(key)))
      return m;
  return NULL;
}

mpg_str mpg_slurm_string(mpg_slurm_object object, const char *key) {
  const mpg_json_member *m = mpg_slurm_member(object, key);
  return m != NULL && m->kind == MPG_JSON_STRING ? m->text : (mpg_str){"", 0};
}

mpg_rc mpg_slurm_open_member(mpg_slurm_docs *docs, size_t level, const mpg_json_member *member,
                             mpg_slurm_object *out, mpg_err *err) {
  *out = (mpg_slurm_object){NULL, 0};
  if (member == NULL || (member->kind != MPG_JSON_OBJECT && member->kind != MPG_JSON_ARRAY))
    return MPG_OK;
  return mpg_slurm_open_text(docs, level, member->text, out, err);
}

static bool plain_number(const mpg_json_member *m, int64_t *out) {
  double real;
  if (m == NULL || m->kind != MPG_JSON_NUMBER)
    return false;
  return mpg_int_parse(m->text, out) ||
         (mpg_real_parse(m->text, &real) && mpg_scaled_real(real, 0, out));
}

mpg_rc mpg_slurm_number(mpg_slurm_docs *docs, const mpg_json_member *member, int64_t *out, bool *is,
                        mpg_err *err) {
  const mpg_json_member *set, *infinite;
  mpg_slurm_object parts;
  mpg_rc rc;
  *is = plain_number(member, out);
  if (*is || member == NULL || member->kind != MPG_JSON_OBJECT)
    return MPG_OK;
  rc = mpg_slurm_open_member(docs, MPG_SLURM_LEVELS - 1, member, &parts, err);
  if (rc != MPG_OK)
    return rc;
  set = mpg_slurm_member(parts, "set");
  infinite = mpg_slurm_member(parts, "infinite");
  *is = set != NULL && set->kind == MPG_JSON_TRUE &&
        (infinite == NULL || infinite->kind != MPG_JSON_TRUE) &&
        plain_number(mpg_slurm_member(parts, "number"), out);
  return MPG_OK;
}

mpg_rc mpg_slurm_put_text(mpg_slurm_docs *docs, const mpg_json_member *member, mpg_str between,
                          mpg_json_text *out, mpg_err *err) {
  mpg_slurm_object parts;
  mpg_rc rc;
  bool any = false;
  if (member == NULL)
    return MPG_OK;
  if (member->kind == MPG_JSON_STRING)
    return mpg_json_put(out, member->text) == MPG_OK ? MPG_OK : mpg_fail_nomem(err);
  if (member->kind != MPG_JSON_ARRAY)
    return MPG_OK;
  rc = mpg_slurm_open_member(docs, MPG_SLURM_LEVELS - 1, member, &parts, err);
  for (size_t i = 0; rc == MPG_OK && i < parts.n; i++) {
    if (parts.members[i].kind != MPG_JSON_STRING)
      continue;
    if ((any && mpg_json_put(out, between) != MPG_OK) ||
        mpg_json_put(out, parts.members[i].text) != MPG_OK)
      return mpg_fail_nomem(err);
    any = true;
  }
  return rc;
}

/* ---- Resources ---- */

mpg_rc mpg_slurm_put_tres(mpg_slurm_docs *docs, const mpg_json_member *list, mpg_json_text *out,
                          mpg_err *err) {
  mpg_slurm_object entries, entry;
  size_t from = out->n;
  mpg_rc rc = mpg_slurm_open_member(docs, MPG_SLURM_LEVELS - 2, list, &entries, err);
  for (size_t i = 0; rc == MPG_OK && i < entries.n; i++) {
    const mpg_json_member *type, *name, *count;
    bool memory;
    rc = mpg_slurm_open_member(docs, MPG_SLURM_LEVELS - 1, &entries.members[i], &entry, err);
    if (rc != MPG_OK)
      return rc;
    type = mpg_slurm_member(entry, "type");
    name = mpg_slurm_member(entry, "name");
    count = mpg_slurm_member(entry, "count");
    if (type == NULL || type->kind != MPG_JSON_STRING || count == NULL ||
        count->kind != MPG_JSON_NUMBER)
      continue;
    memory = mpg_str_eq(type->text, MPG_STR("mem"));
    if ((out->n > from && mpg_json_put(out, MPG_STR(",")) != MPG_OK) ||
        mpg_json_put(out, type->text) != MPG_OK)
      return mpg_fail_nomem(err);
    if (name != NULL && name->kind == MPG_JSON_STRING && name->text.n > 0 &&
        (mpg_json_put(out, MPG_STR("/")) != MPG_OK || mpg_json_put(out, name->text) != MPG_OK))
      return mpg_fail_nomem(err);
    if (mpg_json_put(out, MPG_STR("=")) != MPG_OK || mpg_json_put(out, count->text) != MPG_OK ||
        (memory && mpg_json_put(out, MPG_STR("M")) != MPG_OK))
      return mpg_fail_nomem(err);
  }
  return rc;
}

/* Bytes before the first of `set`, or all. */
static size_t bytes_before(mpg_str s, const char *set) {
  size_t i = 0;
  while (i < s.n && (s.p[i] == '\0' || strchr(set, s.p[i]) == NULL))
    i++;
  return i;
}

static mpg_str rest_from(mpg_str s, size_t at) {
  return at < s.n ? (mpg_str){s.p + at, s.n - at} : (mpg_str){s.p + s.n, 0};
}

static void add_gpus(mpg_slurm_gres *gres, size_t word, mpg_str type, int64_t count) {
  size_t i = 0;
  while (i < gres->n && !(gres->of[i].word == word && mpg_str_eq(gres->of[i].type, type)))
    i++;
  if (i == MPG_SLURM_GPU_TYPES) {
    gres->of[0].type.n = 0;
    i = 0;
  } else if (i == gres->n) {
    gres->of[i].word = word;
    gres->of[i].type = type;
    gres->of[i].count = 0;
    gres->n++;
  }
  if (__builtin_add_overflow(gres->of[i].count, count, &gres->of[i].count))
    gres->of[i].count = INT64_MAX;
}

/* Takes the first entry off a list, without what "(S:0-1)" and "(IDX:0,2)" say of sockets and
** devices. Its count is apart where the type is "(null)". */
static mpg_str next_gres(mpg_str *list, mpg_str *count) {
  size_t end = bytes_before(*list, ",(");
  const mpg_str entry = {list->p, end};
  *count = (mpg_str){NULL, 0};
  if (mpg_str_starts_with(rest_from(*list, end), MPG_STR("(null):"))) {
    const size_t from = end + MPG_STR("(null):").n;
    end = from + bytes_before(rest_from(*list, from), ",(");
    *count = (mpg_str){list->p + from, end - from};
  }
  if (end < list->n && list->p[end] == '(')
    end += bytes_before(rest_from(*list, end), ")") + 1;
  *list = rest_from(*list, end < list->n && list->p[end] == ',' ? end + 1 : end);
  return entry;
}

void mpg_slurm_gres_add(mpg_slurm_gres *gres, mpg_str list, int64_t times, mpg_poller *poller) {
  while (list.n > 0) {
    mpg_str counted, word = next_gres(&list, &counted), type = {NULL, 0};
    size_t type_end, kind;
    int64_t count = 1;
    if (mpg_poller_stop(poller, word.n + 1))
      return;
    if (word.n > 5 && memcmp(word.p, "gres", 4) == 0 && (word.p[4] == '/' || word.p[4] == ':'))
      word = rest_from(word, 5);
    type_end = bytes_before(word, ":=");
    kind = mpg_slurm_chip_word((mpg_str){word.p, type_end});
    if (kind == MPG_SLURM_CHIP_WORDS || mpg_slurm_lists_word(gres->listed, kind))
      continue;
    word = rest_from(word, type_end + 1);
    type_end = bytes_before(word, ":=");
    if (type_end < word.n || (word.n > 0 && !(word.p[0] >= '0' && word.p[0] <= '9'))) {
      type = (mpg_str){word.p, type_end};
      word = rest_from(word, type_end + 1);
    }
    if (counted.p != NULL)
      word = counted;
    if (word.n > 0 && !mpg_int_parse(word, &count))
      continue;
    if (count > 0 && times > 0 && !__builtin_mul_overflow(count, times, &count))
      add_gpus(gres, kind, type, count);
  }
}

/* All of a word, and those of its types. */
static mpg_rc put_word(const mpg_slurm_gres *gres, size_t word, bool first, mpg_json_text *out) {
  const mpg_str name = mpg_slurm_chip_words[word];
  char text[48];
  int64_t total = 0;
  for (size_t i = 0; i < gres->n; i++)
    if (gres->of[i].word == word && __builtin_add_overflow(total, gres->of[i].count, &total))
      total = INT64_MAX;
  if (total == 0)
    return MPG_OK;
  (void)snprintf(text, sizeof text, "%sgres/%.*s=%lld", first ? "" : ",", (int)name.n, name.p,
                 (long long)total);
  if (mpg_json_put(out, mpg_str_of(text)) != MPG_OK)
    return MPG_NOMEM;
  for (size_t i = 0; i < gres->n; i++) {
    char count[32];
    if (gres->of[i].word != word || gres->of[i].type.n == 0)
      continue;
    (void)snprintf(text, sizeof text, ",gres/%.*s:", (int)name.n, name.p);
    (void)snprintf(count, sizeof count, "=%lld", (long long)gres->of[i].count);
    if (mpg_json_put(out, mpg_str_of(text)) != MPG_OK ||
        mpg_json_put(out, gres->of[i].type) != MPG_OK ||
        mpg_json_put(out, mpg_str_of(count)) != MPG_OK)
      return MPG_NOMEM;
  }
  return MPG_OK;
}

mpg_rc mpg_slurm_put_gres(const mpg_slurm_gres *gres, size_t start, mpg_json_text *out) {
  mpg_rc rc = MPG_OK;
  for (size_t word = 0; rc == MPG_OK && gres->n > 0 && word < MPG_SLURM_CHIP_WORDS; word++)
    rc = put_word(gres, word, out->n <= start, out);
  return rc;
}
