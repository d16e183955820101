/*
** json_writer.h - JSON text put together piece by piece, for columns that are JSON.
*/
#ifndef MPG_JSON_WRITER_H
#define MPG_JSON_WRITER_H

#include "../../base/base.h"

/* All zero but env: empty. n = 0 begins anew in the same memory. */
typedef struct mpg_json_text {
  const mpg_env *env;
  char *p;
  size_t n, cap;
  size_t work; /* since the latest poll */
} mpg_json_text;

void mpg_json_text_free(mpg_json_text *json);
/* Appends a text as it is: brackets, commas, numbers. MPG_NOMEM or MPG_OK. */
mpg_rc mpg_json_put(mpg_json_text *json, mpg_str s);
/* A JSON string; control bytes, quotes and backslashes become escapes. Asks now and then whether to
** stop: MPG_INTERRUPTED. */
mpg_rc mpg_json_put_string(mpg_json_text *json, mpg_str s);
/* "," unless there is nothing or an opening bracket before it. MPG_NOMEM or MPG_OK. */
mpg_rc mpg_json_put_comma(mpg_json_text *json);
/* `"key":`, after a comma if one is needed. As mpg_json_put_string. */
mpg_rc mpg_json_put_key(mpg_json_text *json, mpg_str key);

#endif
