/* slurm_columns.c - see slurm_columns.h. */
#include "slurm_columns.h"
#include "../../base/ascii.h"
#include "../../base/text.h"

#include <string.h>

void mpg_slurm_give_type(const mpg_slurm_gpus *gpus, mpg_value *out) {
  if (gpus->types == 1 && gpus->typed >= gpus->total)
    mpg_give_text(out, gpus->type);
}

static mpg_rc put_member(mpg_json_text *json, mpg_str key, int64_t count) {
  char number[MPG_INT_TEXT];
  mpg_rc rc = mpg_json_put_key(json, key);
  return rc == MPG_OK ? mpg_json_put(json, (mpg_str){number, mpg_text_int(count, number)}) : rc;
}

mpg_rc mpg_slurm_give_types(mpg_json_text *json, mpg_str tres, const mpg_slurm_gpus *gpus,
                            mpg_poller *poller, mpg_value *out) {
  mpg_str type;
  int64_t count;
  mpg_rc rc;
  json->n = 0;
  rc = mpg_json_put(json, MPG_STR("{"));
  for (size_t at = 0; rc == MPG_OK && mpg_slurm_gpus_next(tres, &at, poller, &type, &count);)
    rc = put_member(json, type, count);
  for (size_t i = 0; rc == MPG_OK && i < MPG_SLURM_CHIP_WORDS; i++)
    if (gpus->rest[i] > 0)
      rc = put_member(json, i == 0 ? MPG_STR("") : mpg_slurm_chip_words[i], gpus->rest[i]);
  if (rc == MPG_OK)
    rc = mpg_json_put(json, MPG_STR("}"));
  mpg_give_text(out, (mpg_str){json->p, json->n});
  return rc;
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
