/* otlp_value.c - see otlp_value.h. */
#include "otlp_value.h"
#include "../../base/ascii.h"
#include "../../base/number.h"
#include "../../base/text.h"

#include <stdio.h>
#include <string.h>

void mpg_otlp_values_free(mpg_otlp_values *v) {
  for (size_t i = 0; i < MPG_OTLP_NESTED; i++)
    mpg_json_doc_free(v->level[i]);
  mpg_json_doc_free(v->any);
  mpg_json_doc_free(v->inner);
  mpg_json_doc_free(v->pair);
}

/* ---- Members ---- */

bool mpg_otlp_is(mpg_str key, const char *camel) {
  size_t at = 0;
  for (; *camel != '\0'; camel++) {
    bool upper = *camel >= 'A' && *camel <= 'Z';
    char lower = (char)(*camel | 0x20);
    if (at < key.n && key.p[at] == *camel) {
      at++;
    } else if (upper && at + 1 < key.n && key.p[at] == '_' && key.p[at + 1] == lower) {
      at += 2;
    } else {
      return false;
    }
  }
  return at == key.n;
}

bool mpg_otlp_is_of_span(mpg_str key) {
  static const char *const keys[] = {
      "traceId",         "spanId",     "parentSpanId", "name",  "kind",   "startTimeUnixNano",
      "endTimeUnixNano", "attributes", "events",       "links", "status", "flags",
      "traceState"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (mpg_otlp_is(key, keys[i]))
      return true;
  return false;
}

const mpg_json_member *mpg_otlp_find(const mpg_json_member *members, size_t n, const char *camel) {
  for (size_t i = 0; i < n; i++)
    if (mpg_otlp_is(members[i].key, camel))
      return members[i].kind == MPG_JSON_NULL ? NULL : &members[i];
  return NULL;
}

bool mpg_otlp_int(const mpg_json_member *m, int64_t *out) {
  return m != NULL && (m->kind == MPG_JSON_NUMBER || m->kind == MPG_JSON_STRING) &&
         (mpg_int_parse(m->text, out) || mpg_scaled_parse(m->text, 0, out));
}

mpg_str mpg_otlp_list(const mpg_json_member *m) {
  return m != NULL && m->kind == MPG_JSON_ARRAY ? m->text : (mpg_str){"", 0};
}

bool mpg_otlp_is_without_items(mpg_str text) {
  size_t i = 1;
  while (i < text.n && mpg_is_json_space(text.p[i]))
    i++;
  return text.p[0] != '[' || i == text.n || text.p[i] == ']';
}

const char *mpg_otlp_word(const mpg_json_member *m, const char *const *words, size_t n,
                          const char *prefix) {
  int64_t i;
  size_t skip = strlen(prefix);
  if (mpg_otlp_int(m, &i))
    return i >= 0 && (size_t)i < n ? words[i] : NULL;
  if (m == NULL || m->kind != MPG_JSON_STRING || m->text.n < skip ||
      memcmp(m->text.p, prefix, skip) != 0)
    return NULL;
  for (size_t w = 0; w < n; w++)
    if (words[w] != NULL &&
        mpg_str_eq_nocase((mpg_str){m->text.p + skip, m->text.n - skip}, mpg_str_of(words[w])))
      return words[w];
  return NULL;
}

static int base64_digit(char c) {
  return c >= 'A' && c <= 'Z'   ? c - 'A'
         : c >= 'a' && c <= 'z' ? c - 'a' + 26
         : c >= '0' && c <= '9' ? c - '0' + 52
         : c == '+' || c == '-' ? 62
         : c == '/' || c == '_' ? 63
                                : -1;
}

static void read_id(mpg_str text, size_t bytes, char *out) {
  static const char digits[] = "0123456789abcdef";
  size_t n = 0;
  unsigned held = 0, bits = 0;
  out[0] = '\0';
  if (text.n == 2 * bytes) {
    for (size_t i = 0; i < text.n; i++) {
      int d = mpg_hex_digit(text.p[i]);
      if (d < 0) {
        out[0] = '\0';
        return;
      }
      out[i] = digits[d];
    }
    out[text.n] = '\0';
    return;
  }
  while (text.n > 0 && text.p[text.n - 1] == '=')
    text.n--;
  if (text.n != (bytes * 8 + 5) / 6)
    return;
  for (size_t i = 0; i < text.n; i++) {
    int d = base64_digit(text.p[i]);
    if (d < 0) {
      out[0] = '\0';
      return;
    }
    held = (held << 6 | (unsigned)d) & 0xffff;
    bits += 6;
    if (bits >= 8 && n < bytes) {
      bits -= 8;
      out[2 * n] = digits[held >> (bits + 4) & 15];
      out[2 * n + 1] = digits[held >> bits & 15];
      n++;
    }
  }
  out[2 * n] = '\0';
}

void mpg_otlp_id(mpg_str text, size_t bytes, char *out) {
  read_id(text, bytes, out);
  if (out[strspn(out, "0")] == '\0')
    out[0] = '\0';
}

/* ---- Values ---- */

/* A list that is being written. */
typedef struct frame {
  const mpg_json_member *m;
  size_t n, next;
  bool object; /* its elements are KeyValues, else values; */
  bool map;    /* or members, as of a plain object */
} frame;

typedef struct writer {
  mpg_otlp_values *v;
  mpg_json_text *json;
  frame frames[MPG_OTLP_NESTED];
  size_t depth;
} writer;

/* What stands there, as JSON. */
static mpg_rc put_raw(writer *w, const mpg_json_member *m) {
  static const char *const words[] = {"null", "false", "true"};
  if (m->kind <= MPG_JSON_TRUE)
    return mpg_json_put(w->json, mpg_str_of(words[m->kind]));
  return m->kind == MPG_JSON_STRING ? mpg_json_put_string(w->json, m->text)
                                    : mpg_json_put(w->json, m->text);
}

/* MPG_DATA (a key repeats) is an empty list of members; *sound is then false. */
static mpg_rc parse_members(const mpg_otlp_values *v, mpg_json_doc **doc, mpg_str text,
                            const mpg_json_member **m, size_t *n, bool *sound) {
  mpg_err ignored;
  mpg_rc rc = mpg_json_parse(doc, v->env, "", text, m, n, &ignored);
  *sound = rc == MPG_OK;
  return rc == MPG_NOMEM || rc == MPG_INTERRUPTED ? rc : MPG_OK;
}

/* Begins a list; one that nests too deep is written as it is. */
static mpg_rc begin_list(writer *w, const mpg_json_member *list, bool object) {
  frame *f = &w->frames[w->depth];
  bool sound = false;
  mpg_rc rc;
  if (w->depth == MPG_OTLP_NESTED)
    return put_raw(w, list);
  rc = parse_members(w->v, &w->v->level[w->depth], list->text, &f->m, &f->n, &sound);
  if (rc != MPG_OK || !sound)
    return rc != MPG_OK ? rc : put_raw(w, list);
  f->next = 0;
  f->object = object;
  f->map = object && *list->text.p == '{';
  w->depth++;
  return mpg_json_put(w->json, object ? MPG_STR("{") : MPG_STR("["));
}

/* {"values": [...]} of an arrayValue or a kvlistValue. */
static mpg_rc put_list(writer *w, const mpg_json_member *m, bool object) {
  static const mpg_json_member nothing = {{"", 0}, MPG_JSON_ARRAY, {"[]", 2}, 0, 0};
  const mpg_json_member *inner, *values;
  size_t n;
  bool sound;
  mpg_rc rc;
  if (m->kind != MPG_JSON_OBJECT)
    return put_raw(w, m);
  rc = parse_members(w->v, &w->v->inner, m->text, &inner, &n, &sound);
  if (rc != MPG_OK)
    return rc;
  values = mpg_otlp_find(inner, n, "values");
  return begin_list(w, values != NULL && values->kind == MPG_JSON_ARRAY ? values : &nothing,
                    object);
}

static bool is_number(mpg_str s) {
  double ignored;
  return s.n > 0 && (s.p[0] == '-' || (s.p[0] >= '0' && s.p[0] <= '9')) &&
         mpg_real_parse(s, &ignored);
}

/* An AnyValue. A list is begun, and written by what follows. */
static mpg_rc put_any(writer *w, const mpg_json_member *m) {
  const mpg_json_member *any;
  size_t n;
  bool sound;
  mpg_rc rc;
  if (m->kind != MPG_JSON_OBJECT)
    return put_raw(w, m);
  rc = parse_members(w->v, &w->v->any, m->text, &any, &n, &sound);
  if (rc != MPG_OK)
    return rc;
  if (!sound || n > 1)
    return put_raw(w, m);
  if (n == 0)
    return mpg_json_put(w->json, MPG_STR("null"));
  if (mpg_otlp_is(any->key, "arrayValue"))
    return put_list(w, any, false);
  if (mpg_otlp_is(any->key, "kvlistValue"))
    return put_list(w, any, true);
  /* Numbers in quotes lose them; leading zeros and the like keep them, for they are no JSON. */
  if (any->kind == MPG_JSON_STRING &&
      (mpg_otlp_is(any->key, "intValue") || mpg_otlp_is(any->key, "doubleValue")) &&
      is_number(any->text)) {
    int64_t i;
    double r;
    char text[MPG_REAL_TEXT > MPG_INT_TEXT ? MPG_REAL_TEXT : MPG_INT_TEXT];
    size_t size = mpg_int_parse(any->text, &i)    ? mpg_text_int(i, text)
                  : mpg_real_parse(any->text, &r) ? mpg_text_real(r, text)
                                                  : 0;
    return mpg_json_put(w->json, (mpg_str){text, size});
  }
  return put_raw(w, any);
}

/* A KeyValue: its key, and what belongs to it. */
static mpg_rc put_pair(writer *w, const mpg_json_member *m) {
  static const mpg_json_member nothing = {{"", 0}, MPG_JSON_OBJECT, {"{}", 2}, 0, 0};
  const mpg_json_member *pair = NULL, *key, *value;
  size_t n = 0;
  bool sound = false;
  mpg_rc rc = MPG_OK;
  if (m->kind == MPG_JSON_OBJECT)
    rc = parse_members(w->v, &w->v->pair, m->text, &pair, &n, &sound);
  if (rc != MPG_OK)
    return rc;
  key = mpg_otlp_find(pair, n, "key");
  value = mpg_otlp_find(pair, n, "value");
  rc = mpg_json_put_string(w->json, key != NULL && key->kind == MPG_JSON_STRING ? key->text
                                                                                : (mpg_str){"", 0});
  if (rc == MPG_OK)
    rc = mpg_json_put(w->json, MPG_STR(":"));
  return rc != MPG_OK ? rc : put_any(w, value != NULL ? value : &nothing);
}

/* A member of a plain object: its value may be an AnyValue, {"intValue": "7"}. */
static mpg_rc put_member(writer *w, const mpg_json_member *m) {
  static const char *const kinds[] = {"stringValue", "boolValue",   "intValue",  "doubleValue",
                                      "arrayValue",  "kvlistValue", "bytesValue"};
  const mpg_json_member *any = NULL;
  size_t n = 0;
  bool sound = false, typed = false;
  mpg_rc rc = mpg_json_put_string(w->json, m->key);
  if (rc == MPG_OK)
    rc = mpg_json_put(w->json, MPG_STR(":"));
  if (rc == MPG_OK && m->kind == MPG_JSON_OBJECT)
    rc = parse_members(w->v, &w->v->any, m->text, &any, &n, &sound);
  for (size_t i = 0; rc == MPG_OK && any != NULL && n == 1 && i < sizeof kinds / sizeof *kinds; i++)
    typed |= mpg_otlp_is(any->key, kinds[i]);
  if (rc != MPG_OK)
    return rc;
  return typed ? put_any(w, m) : put_raw(w, m);
}

mpg_rc mpg_otlp_put_attributes(mpg_otlp_values *v, mpg_json_text *json, mpg_str list) {
  writer w;
  mpg_json_member whole = {{"", 0}, MPG_JSON_ARRAY, list, 0, 0};
  mpg_rc rc;
  w.v = v;
  w.json = json;
  w.depth = 0;
  if (list.n == 0)
    return mpg_json_put(json, MPG_STR("{}"));
  rc = begin_list(&w, &whole, true);
  while (rc == MPG_OK && w.depth > 0) {
    frame *f = &w.frames[w.depth - 1];
    const mpg_json_member *m;
    if (mpg_poll(v->env, f->next))
      return MPG_INTERRUPTED;
    if (f->next == f->n) {
      rc = mpg_json_put(json, f->object ? MPG_STR("}") : MPG_STR("]"));
      w.depth--;
      continue;
    }
    m = &f->m[f->next++];
    if (f->next > 1)
      rc = mpg_json_put(json, MPG_STR(","));
    if (rc == MPG_OK)
      rc = f->map ? put_member(&w, m) : f->object ? put_pair(&w, m) : put_any(&w, m);
  }
  return rc;
}

/* ---- Events and links ---- */

static mpg_rc put_text(mpg_json_text *json, const char *key, mpg_str text) {
  mpg_rc rc = mpg_json_put_key(json, mpg_str_of(key));
  return rc == MPG_OK ? mpg_json_put_string(json, text) : rc;
}

static mpg_str string_of(const mpg_json_member *m) {
  return m != NULL && m->kind == MPG_JSON_STRING ? m->text : (mpg_str){"", 0};
}

static mpg_rc put_id(mpg_json_text *json, const char *key, const mpg_json_member *m, size_t bytes) {
  char id[33];
  mpg_otlp_id(string_of(m), bytes, id);
  return put_text(json, key, mpg_str_of(id));
}

static mpg_rc put_event(mpg_json_text *json, const mpg_json_member *m, size_t n) {
  int64_t ns;
  mpg_rc rc = put_text(json, "name", string_of(mpg_otlp_find(m, n, "name")));
  if (rc == MPG_OK && mpg_otlp_int(mpg_otlp_find(m, n, "timeUnixNano"), &ns) && ns >= 0) {
    char text[48];
    int size = snprintf(text, sizeof text, "%lld.%09lld", (long long)(ns / 1000000000),
                        (long long)(ns % 1000000000));
    rc = mpg_json_put_key(json, MPG_STR("time"));
    if (rc == MPG_OK)
      rc = mpg_json_put(json, (mpg_str){text, (size_t)size});
  }
  return rc;
}

static mpg_rc put_each(mpg_otlp_values *v, mpg_json_text *json, mpg_str list, bool events) {
  const mpg_json_member *all, *m;
  mpg_json_doc *of_list = NULL, *of_one = NULL;
  size_t n, members;
  bool sound;
  mpg_rc rc = parse_members(v, &of_list, list, &all, &n, &sound);
  if (rc == MPG_OK)
    rc = mpg_json_put(json, MPG_STR("["));
  for (size_t i = 0; rc == MPG_OK && i < n; i++) {
    const mpg_json_member *attributes;
    if (mpg_poll(v->env, i)) {
      rc = MPG_INTERRUPTED;
      break;
    }
    if (all[i].kind != MPG_JSON_OBJECT)
      continue;
    rc = parse_members(v, &of_one, all[i].text, &m, &members, &sound);
    if (rc == MPG_OK)
      rc = mpg_json_put_comma(json);
    if (rc == MPG_OK)
      rc = mpg_json_put(json, MPG_STR("{"));
    if (rc == MPG_OK && events)
      rc = put_event(json, m, members);
    if (rc == MPG_OK && !events)
      rc = put_id(json, "trace_id", mpg_otlp_find(m, members, "traceId"), 16);
    if (rc == MPG_OK && !events)
      rc = put_id(json, "span_id", mpg_otlp_find(m, members, "spanId"), 8);
    attributes = mpg_otlp_find(m, members, "attributes");
    if (rc == MPG_OK && attributes != NULL && attributes->kind >= MPG_JSON_ARRAY) {
      rc = mpg_json_put_key(json, MPG_STR("attributes"));
      if (rc == MPG_OK)
        rc = mpg_otlp_put_attributes(v, json, attributes->text);
    }
    if (rc == MPG_OK)
      rc = mpg_json_put(json, MPG_STR("}"));
  }
  mpg_json_doc_free(of_list);
  mpg_json_doc_free(of_one);
  return rc == MPG_OK ? mpg_json_put(json, MPG_STR("]")) : rc;
}

mpg_rc mpg_otlp_put_events(mpg_otlp_values *v, mpg_json_text *json, mpg_str list) {
  return put_each(v, json, list, true);
}

mpg_rc mpg_otlp_put_links(mpg_otlp_values *v, mpg_json_text *json, mpg_str list) {
  return put_each(v, json, list, false);
}
