/* annotations.c - see annotations.h. */
#include "annotations.h"
#include "../../base/text.h"

#include <math.h>
#include <string.h>

#define DEPTH 64

/* Fields of a DebugAnnotation. */
enum {
  NAME_NUMBER = 1,
  BOOL = 2,
  UINT = 3,
  INT = 4,
  DOUBLE = 5,
  STRING = 6,
  POINTER = 7,
  NESTED = 8,
  LEGACY_JSON = 9,
  NAME = 10,
  ENTRIES = 11,
  ELEMENTS = 12,
  STRING_NUMBER = 17
};

/* An annotation that is being written, and those around it. */
typedef struct level {
  mpg_proto_message left; /* of its fields, while its entries or elements are written */
  bool is_array;
} level;

typedef struct writer {
  mpg_perfetto_names *names;
  const mpg_perfetto_sequence *sequence;
  mpg_json_text *json;
  mpg_err *err;
} writer;

static mpg_rc put_text(const writer *w, mpg_str s) {
  return mpg_json_put(w->json, s) == MPG_OK ? MPG_OK : mpg_fail_nomem(w->err);
}

static mpg_rc put_string(const writer *w, mpg_str s) {
  mpg_rc rc = mpg_utf8_repair(w->names->poller, &w->names->repaired, &s, &w->names->invalid);
  if (rc == MPG_OK)
    rc = mpg_json_put_string(w->json, s);
  return rc == MPG_OK ? MPG_OK : mpg_fail_plain(w->err, rc);
}

static mpg_rc put_number(const writer *w, const mpg_proto_field *f) {
  char text[MPG_INT_TEXT];
  double v;
  size_t n;
  if (f->number == DOUBLE) {
    memcpy(&v, &f->value, sizeof v);
    if (!isfinite(v))
      return put_text(w, MPG_STR("null"));
    n = mpg_text_real(v, text);
  } else {
    n = mpg_text_int(f->number == INT ? (mpg_i128)(int64_t)f->value : (mpg_i128)f->value, text);
  }
  return put_text(w, (mpg_str){text, n});
}

/* A value without others in it. */
static mpg_rc put_value(const writer *w, const mpg_proto_field *f) {
  uint32_t text;
  switch (f->number) {
  case BOOL:
    return put_text(w, f->value != 0 ? MPG_STR("true") : MPG_STR("false"));
  case UINT:
  case INT:
  case POINTER:
  case DOUBLE:
    return put_number(w, f);
  case STRING:
  case LEGACY_JSON: /* JSON within a string: it may be none */
    return put_string(w, f->bytes);
  case STRING_NUMBER:
    text = mpg_perfetto_name_find(w->names, w->sequence, MPG_PERFETTO_STRING, f->value);
    return text == 0 ? put_text(w, MPG_STR("null"))
                     : put_string(w, mpg_intern_text(&w->names->texts, text));
  default:
    return put_text(w, MPG_STR("null"));
  }
}

static bool is_type_of(const mpg_proto_field *f) {
  switch (f->number) {
  case BOOL:
  case UINT:
  case INT:
  case POINTER:
  case STRING_NUMBER:
  case NAME_NUMBER:
    return f->type == MPG_PROTO_VARINT;
  case DOUBLE:
    return f->type == MPG_PROTO_FIXED64;
  default:
    return f->type == MPG_PROTO_BYTES;
  }
}

/* What of an annotation its name and kind are, before its fields are written. */
typedef struct shape {
  mpg_str name;
  mpg_proto_field value; /* number 0: none */
  uint32_t inner;        /* ENTRIES, ELEMENTS or 0 */
} shape;

static mpg_rc read_shape(const writer *w, mpg_proto_message m, shape *out) {
  mpg_proto_field f;
  mpg_rc rc;
  memset(out, 0, sizeof *out);
  while ((rc = mpg_proto_next(&m, &f, w->err)) == MPG_OK) {
    if (!is_type_of(&f))
      continue;
    if (f.number == NAME)
      out->name = f.bytes;
    else if (f.number == NAME_NUMBER)
      out->name = mpg_intern_text(
          &w->names->texts,
          mpg_perfetto_name_find(w->names, w->sequence, MPG_PERFETTO_ANNOTATION, f.value));
    else if (f.number == ENTRIES || f.number == ELEMENTS)
      out->inner = f.number;
    else if ((f.number >= BOOL && f.number <= LEGACY_JSON) || f.number == STRING_NUMBER)
      out->value = f;
    if (mpg_poller_stop(w->names->poller, 16))
      return mpg_fail_plain(w->err, MPG_INTERRUPTED);
  }
  return rc == MPG_DONE ? MPG_OK : rc;
}

/* Begins an annotation: its key where it is in an object, and its value, or the bracket of what is
** in it. */
static mpg_rc begin_value(const writer *w, mpg_proto_message m, bool keyed, level *inner,
                          bool *opened) {
  shape s;
  mpg_rc rc = read_shape(w, m, &s);
  *opened = false;
  if (rc == MPG_OK)
    rc = mpg_json_put_comma(w->json) == MPG_OK ? MPG_OK : mpg_fail_nomem(w->err);
  if (rc == MPG_OK && keyed)
    rc = put_string(w, s.name);
  if (rc == MPG_OK && keyed)
    rc = put_text(w, MPG_STR(":"));
  if (rc != MPG_OK)
    return rc;
  if (s.inner == 0)
    return s.value.number == 0 ? put_text(w, MPG_STR("null")) : put_value(w, &s.value);
  *opened = true;
  *inner = (level){m, s.inner == ELEMENTS};
  return put_text(w, s.inner == ELEMENTS ? MPG_STR("[") : MPG_STR("{"));
}

mpg_rc mpg_perfetto_annotation(mpg_perfetto_names *names, const mpg_perfetto_sequence *sequence,
                               mpg_proto_message annotation, mpg_json_text *json, mpg_err *err) {
  const writer w = {names, sequence, json, err};
  level levels[DEPTH];
  size_t depth = 0;
  bool opened;
  mpg_rc rc = begin_value(&w, annotation, true, &levels[0], &opened);
  if (rc == MPG_OK && opened)
    depth = 1;
  while (rc == MPG_OK && depth > 0) {
    level *l = &levels[depth - 1];
    mpg_proto_field f;
    rc = mpg_proto_next(&l->left, &f, err);
    if (rc == MPG_DONE) {
      depth--;
      rc = put_text(&w, l->is_array ? MPG_STR("]") : MPG_STR("}"));
    } else if (rc == MPG_OK && f.type == MPG_PROTO_BYTES &&
               f.number == (l->is_array ? (uint32_t)ELEMENTS : (uint32_t)ENTRIES)) {
      if (depth == DEPTH)
        return mpg_fail(err, MPG_DATA,
                        "%s: byte %lld: expected debug annotations at most %d deep, found more",
                        annotation.path, (long long)f.at, DEPTH);
      rc = begin_value(&w, mpg_proto_within(&l->left, &f, "a DebugAnnotation"), !l->is_array,
                       &levels[depth], &opened);
      depth += rc == MPG_OK && opened;
    }
    if (rc == MPG_OK && mpg_poller_stop(names->poller, 16))
      return mpg_fail_plain(err, MPG_INTERRUPTED);
  }
  return rc;
}
