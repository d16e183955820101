/* xplane.c - see xplane.h. */
#include "xplane.h"
#include "../../base/number.h"
#include "../../base/text.h"

#include <math.h>
#include <string.h>

struct mpg_xplane {
  const mpg_env *env;
  const char *path;
  mpg_issues *issues;
  mpg_xspace *ahead;
  mpg_xplane_head *plane; /* NULL: between planes */
  mpg_proto_stream in;
  int64_t line_end; /* of the line at hand; 0: between lines */
  size_t lines;     /* of this plane, so far */
  bool dead;        /* nothing more can be read */
  int64_t at;
  mpg_xevent event;
  mpg_xstat *stats; /* of the event itself */
  size_t nstats, cap_stats;
  size_t work;     /* since the host was polled */
  uint64_t marks;  /* the latest value of mpg_xstat_name.visit */
  char digits[32]; /* lent out by mpg_xplane_stat */
};

mpg_rc mpg_xplane_open(mpg_xplane **out, const mpg_env *env, mpg_stream *ahead, mpg_stream *stream,
                       mpg_issues *issues, mpg_err *err) {
  mpg_xplane *x = mpg_calloc(env, sizeof *x);
  mpg_rc rc;
  if (x == NULL)
    return mpg_fail_nomem(err);
  x->env = env;
  x->path = mpg_stream_path(stream);
  x->issues = issues;
  mpg_proto_open(&x->in, env, stream);
  rc = mpg_xspace_open(&x->ahead, env, ahead, issues, err);
  if (rc == MPG_OK)
    *out = x;
  else
    mpg_xplane_close(x);
  return rc;
}

void mpg_xplane_close(mpg_xplane *x) {
  if (x == NULL)
    return;
  mpg_xspace_close(x->ahead);
  mpg_proto_close(&x->in);
  mpg_free(x->env, x->stats);
  mpg_free(x->env, x);
}

static mpg_rc add_issue(const mpg_xplane *x, const char *kind, const char *what, int64_t number,
                        mpg_err *err) {
  if (x->issues != NULL && mpg_issues_add(x->issues, MPG_WARNING, x->path, kind, x->at, 1,
                                          "%s %lld", what, (long long)number) != MPG_OK)
    return mpg_fail_nomem(err);
  return MPG_OK;
}

/* ---- Events ---- */

static int64_t floor_div(int64_t a, int64_t b) {
  return a / b - (a % b < 0);
}

/* `ps` picoseconds after a line's start, in nanoseconds. */
static bool ns_of_ps(int64_t line_ns, int64_t ps, int64_t *out) {
  return !__builtin_add_overflow(line_ns, floor_div(ps, 1000), out);
}

static mpg_rc place_event(mpg_xplane *x, mpg_err *err) {
  mpg_xevent *e = &x->event;
  int64_t end_ps;
  if (e->aggregated)
    return MPG_OK;
  if (__builtin_add_overflow(e->offset_ps, e->duration_ps, &end_ps) ||
      !ns_of_ps(e->line->timestamp_ns, e->offset_ps, &e->start_ns) ||
      !ns_of_ps(e->line->timestamp_ns, end_ps, &e->end_ns))
    return mpg_fail(err, MPG_DATA,
                    "%s: byte %lld: expected times of 64 bits, found an XEvent %lld ps after "
                    "%lld ns, %lld ps long",
                    x->path, (long long)x->at, (long long)e->offset_ps,
                    (long long)e->line->timestamp_ns, (long long)e->duration_ps);
  if (e->duration_ps < 0)
    return add_issue(x, "negative_duration", "an event of a duration in ps of", e->duration_ps,
                     err);
  return MPG_OK;
}

static mpg_rc add_stat(mpg_xplane *x, const mpg_proto_field *f, int64_t offset, mpg_err *err) {
  mpg_proto_message m = {f->bytes, offset, x->path, "an XStat"};
  mpg_xstat *stat;
  mpg_rc rc;
  if (mpg_grow(x->env, &x->stats, &x->cap_stats, x->nstats + 1, sizeof *x->stats) != MPG_OK)
    return mpg_fail_nomem(err);
  stat = &x->stats[x->nstats];
  rc = mpg_xstat_read(&m, stat, err);
  if (rc != MPG_OK)
    return rc;
  x->nstats++;
  stat->name = mpg_xstat_name_find(x->plane, stat->id);
  if (stat->name == NULL)
    rc = add_issue(x, "unknown_metadata", "a stat that nothing explains, number", stat->id, err);
  return rc;
}

static mpg_rc read_event(mpg_xplane *x, mpg_str bytes, mpg_err *err) {
  mpg_proto_message m = {bytes, x->at, x->path, "an XEvent"};
  mpg_xevent *e = &x->event;
  mpg_proto_field f;
  mpg_rc rc;
  *e = (mpg_xevent){.at = x->at, .line = &x->plane->lines[x->lines - 1], .plane = x->plane};
  x->nstats = 0;
  while ((rc = mpg_proto_next(&m, &f, err)) == MPG_OK) {
    if (mpg_poll_work(x->env, &x->work, 32)) /* a stat that nothing explains takes longer */
      return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
    if (f.number == 4) {
      rc = mpg_proto_expect(x->path, m.what, &f, MPG_PROTO_BYTES, err);
      if (rc == MPG_OK)
        rc = add_stat(x, &f, m.offset - (int64_t)f.bytes.n, err);
    } else if (f.number <= 5) {
      rc = mpg_proto_expect(x->path, m.what, &f, MPG_PROTO_VARINT, err);
      if (f.number == 1)
        e->metadata_id = (int64_t)f.value;
      else if (f.number == 2)
        e->offset_ps = (int64_t)f.value;
      else if (f.number == 3)
        e->duration_ps = (int64_t)f.value;
      else
        e->occurrences = (int64_t)f.value;
      if (f.number == 2 || f.number == 5) /* one of them: the last one counts */
        e->aggregated = f.number == 5;
    }
    if (rc != MPG_OK)
      return rc;
  }
  if (rc != MPG_DONE)
    return rc;
  e->name = mpg_xevent_name_find(x->plane, e->metadata_id);
  if (e->name == NULL) {
    rc = add_issue(x, "unknown_metadata", "an event that nothing explains, number", e->metadata_id,
                   err);
    if (rc != MPG_OK)
      return rc;
  }
  return place_event(x, err);
}

/* ---- Through the file ---- */

/* The second stream does not find what the first one did. */
static mpg_rc fail_changed(mpg_xplane *x, mpg_err *err) {
  x->dead = true;
  return mpg_fail(err, MPG_DATA, "%s: byte %lld: the file changed while it was read", x->path,
                  (long long)x->in.at);
}

/* Both streams to the next plane, this one to its first field. */
static mpg_rc next_plane(mpg_xplane *x, mpg_err *err) {
  mpg_err ignored;
  mpg_rc rc = mpg_xspace_next(x->ahead, &x->plane, err), moved;
  if (rc != MPG_OK) {
    x->plane = NULL;
    x->at = mpg_xspace_at(x->ahead);
    return rc;
  }
  if (x->plane->at < x->in.at)
    return fail_changed(x, err);
  moved = mpg_proto_skip(&x->in, (uint64_t)(x->plane->at - x->in.at), "an XSpace", &ignored);
  if (moved == MPG_DATA)
    return fail_changed(x, err);
  if (moved != MPG_OK) {
    *err = ignored;
    x->dead = true;
    return moved;
  }
  x->lines = 0;
  x->line_end = 0;
  return MPG_OK;
}

static mpg_rc next_line(mpg_xplane *x, mpg_err *err) {
  static const char what[] = "an XPlane";
  mpg_proto_field f;
  mpg_rc rc = mpg_proto_stream_next(&x->in, x->plane->end, what, &f, err);
  if (rc == MPG_OK && f.number == 3 && f.type == MPG_PROTO_BYTES) {
    if (x->lines == x->plane->nlines)
      return fail_changed(x, err);
    x->lines++;
    x->line_end = x->in.at + (int64_t)f.value;
  } else if (rc == MPG_OK && f.type == MPG_PROTO_BYTES) {
    rc = mpg_proto_skip(&x->in, f.value, what, err);
  } else if (rc == MPG_DONE) {
    x->plane = NULL;
    rc = MPG_OK;
  }
  return rc;
}

/* The next field of the line; *bytes has the event, if it is one. */
static mpg_rc next_field(mpg_xplane *x, bool *is_event, mpg_str *bytes, mpg_err *err) {
  static const char what[] = "an XLine";
  mpg_proto_field f;
  mpg_rc rc = mpg_proto_stream_next(&x->in, x->line_end, what, &f, err);
  *is_event = rc == MPG_OK && f.number == 4 && f.type == MPG_PROTO_BYTES;
  if (*is_event) {
    x->at = x->in.at;
    return mpg_proto_read(&x->in, f.value, "an XEvent", bytes, err);
  }
  if (rc == MPG_OK && f.type == MPG_PROTO_BYTES)
    rc = mpg_proto_skip(&x->in, f.value, what, err);
  if (rc == MPG_DONE) {
    x->line_end = 0;
    rc = MPG_OK;
  }
  return rc;
}

mpg_rc mpg_xplane_next(mpg_xplane *x, mpg_err *err) {
  while (!x->dead) {
    bool is_event = false;
    mpg_str bytes;
    mpg_rc rc;
    if (x->plane == NULL) {
      rc = next_plane(x, err);
      if (rc != MPG_OK)
        return rc;
    } else {
      rc = x->line_end == 0 ? next_line(x, err) : next_field(x, &is_event, &bytes, err);
      if (rc != MPG_OK) { /* the first stream saw no damage here */
        x->dead = true;
        return rc;
      }
    }
    if (is_event)
      return read_event(x, bytes, err);
  }
  return MPG_DONE;
}

const mpg_xevent *mpg_xplane_event(const mpg_xplane *x) {
  return &x->event;
}

int64_t mpg_xplane_at(const mpg_xplane *x) {
  return x->at;
}

/* ---- Stats ---- */

static mpg_str text_of(const mpg_xplane_head *plane, const mpg_xstat *stat) {
  const mpg_xstat_name *name;
  if (stat->kind != MPG_XSTAT_REF)
    return stat->text;
  name = mpg_xstat_name_find(plane, (int64_t)stat->bits);
  return name == NULL ? (mpg_str){NULL, 0} : name->name.text;
}

static double real_of(const mpg_xstat *stat) {
  double r;
  memcpy(&r, &stat->bits, sizeof r);
  return r;
}

void mpg_xplane_stat(mpg_xplane *x, int column, mpg_value *out) {
#define IS_NUMBER(name, key, type) IS_##type,
#define IS_INT true
#define IS_ID true
#define IS_TEXT false
  static const bool is_number[] = {MPG_XSTATS(IS_NUMBER)};
  const mpg_xstat *found = NULL;
  const mpg_xevent_name *name = x->event.name;
  for (size_t i = 0; i < x->nstats; i++)
    if (x->stats[i].name != NULL && x->stats[i].name->column == column)
      found = &x->stats[i];
  for (size_t i = 0; found == NULL && name != NULL && i < name->nstats; i++)
    if (name->stats[i].name != NULL && name->stats[i].name->column == column)
      found = &name->stats[i];
  if (found == NULL)
    return;
  switch (found->kind) {
  case MPG_XSTAT_NONE:
    return;
  case MPG_XSTAT_DOUBLE:
    *out = (mpg_value){MPG_REAL, 0, real_of(found), {NULL, 0}};
    return;
  case MPG_XSTAT_UINT:
  case MPG_XSTAT_INT:
    if (found->kind == MPG_XSTAT_UINT && found->bits > INT64_MAX) {
      char digits[MPG_INT_TEXT];
      size_t n = mpg_text_int((mpg_i128)found->bits, digits);
      memcpy(x->digits, digits, n);
      *out = (mpg_value){MPG_TEXT, 0, 0.0, {x->digits, n}};
      return;
    }
    *out = (mpg_value){MPG_INT, (int64_t)found->bits, 0.0, {NULL, 0}};
    return;
  default:
    *out = (mpg_value){MPG_TEXT, 0, 0.0, text_of(x->plane, found)};
    if (is_number[column] && mpg_int_parse(out->s, &out->i))
      out->type = MPG_INT;
  }
}

/* As protobuf's own JSON has bytes. */
static mpg_rc put_base64(mpg_json_text *json, mpg_str bytes) {
  static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned char *p = (const unsigned char *)bytes.p;
  mpg_rc rc = mpg_json_put(json, MPG_STR("\""));
  for (size_t i = 0; rc == MPG_OK && i < bytes.n; i += 3) {
    size_t n = bytes.n - i < 3 ? bytes.n - i : 3;
    uint32_t v = (uint32_t)p[i] << 16;
    char out[4];
    if (n > 1)
      v |= (uint32_t)p[i + 1] << 8;
    if (n > 2)
      v |= p[i + 2];
    for (size_t k = 0; k < 4; k++)
      out[k] = k <= n ? digit[v >> (18 - 6 * k) & 63] : '=';
    rc = mpg_json_put(json, (mpg_str){out, 4});
    if (rc == MPG_OK && mpg_poll_work(json->env, &json->work, 4))
      rc = MPG_INTERRUPTED;
  }
  return rc == MPG_OK ? mpg_json_put(json, MPG_STR("\"")) : rc;
}

static mpg_rc put_value(const mpg_xplane_head *plane, const mpg_xstat *stat, mpg_json_text *json) {
  char digits[MPG_INT_TEXT], real[MPG_REAL_TEXT];
  double r;
  switch (stat->kind) {
  case MPG_XSTAT_NONE:
    return mpg_json_put(json, MPG_STR("null"));
  case MPG_XSTAT_DOUBLE:
    r = real_of(stat);
    (void)mpg_text_real(r, real);
    return isfinite(r) ? mpg_json_put(json, mpg_str_of(real))
                       : mpg_json_put_string(json, mpg_str_of(real));
  case MPG_XSTAT_UINT:
    (void)mpg_text_int((mpg_i128)stat->bits, digits);
    return mpg_json_put(json, mpg_str_of(digits));
  case MPG_XSTAT_INT:
    (void)mpg_text_int((int64_t)stat->bits, digits);
    return mpg_json_put(json, mpg_str_of(digits));
  case MPG_XSTAT_BYTES:
    return put_base64(json, stat->text);
  default:
    return mpg_json_put_string(json, text_of(plane, stat));
  }
}

static mpg_rc put_stat(const mpg_xplane_head *plane, const mpg_xstat *stat, mpg_json_text *json) {
  mpg_rc rc;
  if (stat->name != NULL) {
    rc = mpg_json_put_key(json, stat->name->name.text);
  } else { /* its number stands for its name */
    char digits[MPG_INT_TEXT];
    rc = mpg_json_put_key(json, (mpg_str){digits, mpg_text_int(stat->id, digits)});
  }
  return rc == MPG_OK ? put_value(plane, stat, json) : rc;
}

mpg_rc mpg_xplane_stats(mpg_xplane *x, mpg_json_text *json) {
  const mpg_xevent_name *name = x->event.name;
  uint64_t mark = ++x->marks;
  mpg_rc rc;
  json->n = 0;
  rc = mpg_json_put(json, MPG_STR("{"));
  for (size_t i = 0; rc == MPG_OK && i < x->nstats; i++) {
    if (x->stats[i].name != NULL)
      x->stats[i].name->visit = mark;
    rc = put_stat(x->plane, &x->stats[i], json);
  }
  for (size_t i = 0; rc == MPG_OK && name != NULL && i < name->nstats; i++)
    if (name->stats[i].name == NULL || name->stats[i].name->visit != mark)
      rc = put_stat(x->plane, &name->stats[i], json);
  return rc == MPG_OK ? mpg_json_put(json, MPG_STR("}")) : rc;
}

mpg_rc mpg_xplane_stats_of(const mpg_xplane_head *plane, mpg_json_text *json) {
  mpg_rc rc;
  json->n = 0;
  rc = mpg_json_put(json, MPG_STR("{"));
  for (size_t i = 0; rc == MPG_OK && i < plane->nstats; i++)
    rc = put_stat(plane, &plane->stats[i], json);
  return rc == MPG_OK ? mpg_json_put(json, MPG_STR("}")) : rc;
}
