/*
** otlp_value.h - values of OTLP as plain JSON: attributes as objects, events and links as arrays.
*/
#ifndef MPG_OTLP_VALUE_H
#define MPG_OTLP_VALUE_H

#include "../../read/parse/json_records.h"
#include "../../read/parse/json_writer.h"

#define MPG_OTLP_NESTED 32 /* levels of values in values; deeper ones stay as they are written */

/* The buffer for the parts of a list. All zero, except env. */
typedef struct mpg_otlp_values {
  const mpg_env *env;
  mpg_json_doc *level[MPG_OTLP_NESTED];
  mpg_json_doc *any, *inner, *pair;
} mpg_otlp_values;

void mpg_otlp_values_free(mpg_otlp_values *v);

/*
** Appends to `json` a list of KeyValue, [{"key": "k", "value": {"intValue": "7"}}, ...], as an
** object, {"k": 7, ...}; such an object, or {"k": {"intValue": "7"}, ...}, is one already. Integers
** and doubles become numbers (NaN and infinities texts), bytes stay base64 text, arrays and
** key-value lists become arrays and objects, an empty value null. What is none of this stays as it
** is written. MPG_OK, MPG_NOMEM or MPG_INTERRUPTED.
*/
mpg_rc mpg_otlp_put_attributes(mpg_otlp_values *v, mpg_json_text *json, mpg_str list);
/* Events as [{"name": "n", "time": 1772352000.000000001, "attributes": {...}}, ...], links as
** [{"trace_id": "...", "span_id": "...", "attributes": {...}}, ...]. */
mpg_rc mpg_otlp_put_events(mpg_otlp_values *v, mpg_json_text *json, mpg_str list);
mpg_rc mpg_otlp_put_links(mpg_otlp_values *v, mpg_json_text *json, mpg_str list);

/* A member by its name in camelCase or in snake_case; NULL if there is none, or it is null. */
const mpg_json_member *mpg_otlp_find(const mpg_json_member *members, size_t n, const char *camel);
/* Whether a key is this name, in either spelling. */
bool mpg_otlp_is(mpg_str key, const char *camel);
/* Whether a key is that of a member of a span. */
bool mpg_otlp_is_of_span(mpg_str key);
/* A 64-bit number, written as a number or as text. */
bool mpg_otlp_int(const mpg_json_member *m, int64_t *out);
/* An enum by its number or its name: the text after `prefix`; NULL if it is none of the words. */
const char *mpg_otlp_word(const mpg_json_member *m, const char *const *words, size_t n,
                          const char *prefix);
/* A list as it is written, and whether such text is none or has no items. */
mpg_str mpg_otlp_list(const mpg_json_member *m);
bool mpg_otlp_is_without_items(mpg_str text);
/* An id in hexadecimal, in lower case: from hexadecimal or base64 of `bytes` bytes, else "",
** as for zeros, which are no id. `out` has room for 2 * bytes + 1. */
void mpg_otlp_id(mpg_str text, size_t bytes, char *out);

#endif
