/* slurm_columns.c - see slurm_columns.h. */
#include "slurm_columns.h"
#include "../../base/ascii.h"
#include "../../base/intern.h"
#include "../../base/text.h"

#include <string.h>

/* Lists of up to so many bytes have places by their hash, longer ones share one. */
#define USUAL_LIST 1024

void mpg_slurm_lists_free(mpg_slurm_lists *lists) {
  for (size_t i = 0; i < MPG_SLURM_LISTS; i++) {
    mpg_json_text_free(&lists->list[i].text);
    mpg_json_text_free(&lists->list[i].types);
  }
}

mpg_rc mpg_slurm_lists_find(mpg_slurm_lists *lists, const mpg_env *env, mpg_str tres,
                            mpg_poller *poller, mpg_slurm_list **out) {
  const size_t place = tres.n > USUAL_LIST
                           ? MPG_SLURM_LISTS - 1
                           : (size_t)(mpg_hash(0, tres.p, tres.n) % (MPG_SLURM_LISTS - 1));
  mpg_slurm_list *list = &lists->list[place];
  *out = list;
  if (list->known && mpg_str_eq(tres, (mpg_str){list->text.p, list->text.n}))
    return MPG_OK;
  list->known = false;
  list->text.env = list->types.env = env;
  list->text.n = list->types.n = 0;
  if (mpg_json_put(&list->text, tres) != MPG_OK)
    return MPG_NOMEM;
  list->gpus = (mpg_slurm_gpus){.type = {NULL, 0}};
  list->valid = mpg_slurm_gpus_parse((mpg_str){list->text.p, list->text.n}, poller, &list->gpus);
  list->known = !poller->stopped;
  return poller->stopped ? MPG_INTERRUPTED : MPG_OK;
}

void mpg_slurm_give_type(const mpg_slurm_gpus *gpus, mpg_value *out) {
  if (gpus->types == 1 && gpus->typed >= gpus->total)
    mpg_give_text(out, gpus->type);
}

static mpg_rc put_member(mpg_json_text *json, mpg_str key, int64_t count) {
  char number[MPG_INT_TEXT];
  mpg_rc rc = mpg_json_put_key(json, key);
  return rc == MPG_OK ? mpg_json_put(json, (mpg_str){number, mpg_text_int(count, number)}) : rc;
}

static mpg_rc put_types(mpg_slurm_list *list, mpg_poller *poller) {
  const mpg_str tres = {list->text.p, list->text.n};
  mpg_str type;
  int64_t count;
  mpg_rc rc = mpg_json_put(&list->types, MPG_STR("{"));
  for (size_t at = 0; rc == MPG_OK && mpg_slurm_gpus_next(tres, &at, poller, &type, &count);)
    rc = put_member(&list->types, type, count);
  for (size_t i = 0; rc == MPG_OK && i < MPG_SLURM_CHIP_WORDS; i++)
    if (list->gpus.rest[i] > 0)
      rc = put_member(&list->types, i == 0 ? MPG_STR("") : mpg_slurm_chip_words[i],
                      list->gpus.rest[i]);
  if (rc == MPG_OK)
    rc = mpg_json_put(&list->types, MPG_STR("}"));
  return poller->stopped ? MPG_INTERRUPTED : rc;
}

mpg_rc mpg_slurm_give_types(mpg_slurm_list *list, mpg_poller *poller, mpg_value *out) {
  if (list->types.n == 0) {
    mpg_rc rc = put_types(list, poller);
    if (rc != MPG_OK) {
      list->types.n = 0;
      return rc;
    }
  }
  mpg_give_text(out, (mpg_str){list->types.p, list->types.n});
  return MPG_OK;
}

static mpg_rc put_node(void *p, mpg_str name) {
  mpg_rc rc = mpg_json_put_comma(p);
  return rc == MPG_OK ? mpg_json_put_string(p, name) : rc;
}

mpg_rc mpg_slurm_give_nodes(mpg_json_text *json, mpg_str list, mpg_value *out) {
  mpg_rc rc;
  if (list.n == 0 || memchr(list.p, ' ', list.n) != NULL || *list.p == '(')
    return MPG_OK;
  json->n = 0;
  rc = mpg_json_put(json, MPG_STR("["));
  if (rc == MPG_OK)
    rc = mpg_slurm_nodes(list, put_node, json);
  if (rc == MPG_NOMEM || rc == MPG_INTERRUPTED)
    return rc;
  if (rc != MPG_DONE)
    return MPG_OK;
  if (mpg_json_put(json, MPG_STR("]")) != MPG_OK)
    return MPG_NOMEM;
  mpg_give_text(out, (mpg_str){json->p, json->n});
  return MPG_OK;
}

mpg_rc mpg_slurm_is_json(mpg_stream *stream, bool *json, mpg_err *err) {
  mpg_str start;
  size_t at;
  mpg_rc rc = mpg_stream_peek(stream, 64, &start, err);
  *json = false;
  if (rc != MPG_OK)
    return rc;
  at = start.n >= 3 && memcmp(start.p, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  while (at < start.n && mpg_is_json_space(start.p[at]))
    at++;
  *json = at < start.n && start.p[at] == '{';
  return MPG_OK;
}
