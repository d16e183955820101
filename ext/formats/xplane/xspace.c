/* xspace.c - see xspace.h. */
#include "xspace.h"
#include "../../base/limits.h"
#include "../../base/sort.h"
#include "../../base/text.h"

#include <string.h>

/* Texts and stats of a plane, in blocks that never move. */
typedef struct block {
  struct block *next;
  size_t used, cap;
  int64_t bytes[]; /* aligned for the types stored here */
} block;

#define BLOCK_BYTES ((size_t)64 << 10)
#define LOOK_UP 32 /* the work of looking up a name, for polling */

struct mpg_xspace {
  const mpg_env *env;
  mpg_proto_stream in;
  const char *path;
  mpg_issues *issues;
  bool dead;      /* nothing more can be read */
  bool damaged;   /* the plane at hand, of which more may come */
  int64_t planes; /* so far */
  mpg_intern hostnames;
  mpg_xplane_head plane;
  block *blocks;
  size_t memory;       /* of the plane, in bytes */
  mpg_xstat *gathered; /* stats of the message at hand */
  size_t ngathered, cap_gathered;
};

mpg_rc mpg_xspace_open(mpg_xspace **out, const mpg_env *env, mpg_stream *stream, mpg_issues *issues,
                       mpg_err *err) {
  mpg_xspace *s = mpg_calloc(env, sizeof *s);
  if (s == NULL)
    return mpg_fail_nomem(err);
  s->env = env;
  s->path = mpg_stream_path(stream);
  s->issues = issues;
  mpg_intern_init(&s->hostnames, env);
  mpg_proto_open(&s->in, env, stream);
  *out = s;
  return MPG_OK;
}

/* Forgets the plane at hand; the arrays stay for the next one. */
static void clear_plane(mpg_xspace *s) {
  mpg_xplane_head *p = &s->plane;
  while (s->blocks != NULL) {
    block *next = s->blocks->next;
    mpg_free(s->env, s->blocks);
    s->blocks = next;
  }
  s->memory = 0;
  s->ngathered = 0;
  p->id = 0;
  p->name = (mpg_str){NULL, 0};
  p->nlines = p->nevent_names = p->nstat_names = p->nstats = 0;
  p->events = 0;
  p->stats = NULL;
}

void mpg_xspace_close(mpg_xspace *s) {
  if (s == NULL)
    return;
  clear_plane(s);
  mpg_free(s->env, s->plane.lines);
  mpg_free(s->env, s->plane.event_names);
  mpg_free(s->env, s->plane.stat_names);
  mpg_free(s->env, s->gathered);
  mpg_intern_free(&s->hostnames);
  mpg_proto_close(&s->in);
  mpg_free(s->env, s);
}

/* ---- Memory of a plane ---- */

static mpg_rc count_memory(mpg_xspace *s, size_t n, mpg_err *err) {
  const size_t limit = (size_t)mpg_limit_in(s->env, MPG_LIMIT_PLANE_BYTES);
  if (s->memory > limit || n > limit - s->memory)
    return mpg_fail(err, MPG_LIMIT,
                    "%s: byte %lld: the lines, names and stats of one plane take more than %zu "
                    "bytes",
                    s->path, (long long)s->in.at, limit);
  s->memory += n;
  return MPG_OK;
}

static mpg_rc copy_bytes(mpg_xspace *s, const void *bytes, size_t n, void **out, mpg_err *err) {
  size_t room = (n + 7) & ~(size_t)7;
  mpg_rc rc = count_memory(s, room, err);
  if (rc != MPG_OK)
    return rc;
  if (s->blocks == NULL || room > s->blocks->cap - s->blocks->used) {
    size_t cap = room > BLOCK_BYTES ? room : BLOCK_BYTES;
    block *b = mpg_malloc(s->env, sizeof *b + cap);
    if (b == NULL)
      return mpg_fail_nomem(err);
    *b = (block){s->blocks, 0, cap};
    s->blocks = b;
  }
  *out = (char *)s->blocks->bytes + s->blocks->used;
  s->blocks->used += room;
  if (n > 0)
    memcpy(*out, bytes, n);
  return MPG_OK;
}

static mpg_rc keep_text(mpg_xspace *s, mpg_str text, mpg_str *out, mpg_err *err) {
  void *p = NULL;
  mpg_rc rc = copy_bytes(s, text.p, text.n, &p, err);
  *out = (mpg_str){p, text.n};
  return rc;
}

static mpg_rc grow_array(mpg_xspace *s, void *array, size_t *cap, size_t n, size_t size,
                         mpg_err *err) {
  mpg_rc rc = count_memory(s, size, err);
  if (rc == MPG_OK && mpg_grow(s->env, array, cap, n + 1, size) != MPG_OK)
    rc = mpg_fail_nomem(err);
  return rc;
}

static mpg_rc add_issue(mpg_xspace *s, mpg_severity severity, const char *kind, int64_t at,
                        mpg_str detail, mpg_err *err) {
  if (s->issues != NULL && mpg_issues_add(s->issues, severity, s->path, kind, at, 1, "%.*s",
                                          (int)(detail.n < 500 ? detail.n : 500),
                                          detail.n == 0 ? "" : detail.p) != MPG_OK)
    return mpg_fail_nomem(err);
  return MPG_OK;
}

/* ---- Fields ---- */

/* A field that holds a message, a text or bytes. */
static mpg_rc expect_bytes(mpg_xspace *s, const mpg_proto_field *f, const char *what,
                           mpg_err *err) {
  return mpg_proto_expect(s->path, what, f, MPG_PROTO_BYTES, err);
}

static mpg_rc read_text(mpg_xspace *s, const mpg_proto_field *f, const char *what, mpg_str *out,
                        mpg_err *err) {
  mpg_str text;
  mpg_rc rc = expect_bytes(s, f, what, err);
  if (rc == MPG_OK)
    rc = mpg_proto_read(&s->in, f->value, what, &text, err);
  return rc == MPG_OK ? keep_text(s, text, out, err) : rc;
}

static mpg_rc read_int(mpg_xspace *s, const mpg_proto_field *f, const char *what, int64_t *out,
                       mpg_err *err) {
  mpg_rc rc = mpg_proto_expect(s->path, what, f, MPG_PROTO_VARINT, err);
  *out = (int64_t)f->value; /* two's complement, as protobuf's int64 is */
  return rc;
}

/* What this reader has no use for. */
static mpg_rc pass_over(mpg_xspace *s, const mpg_proto_field *f, const char *what, mpg_err *err) {
  return f->type == MPG_PROTO_BYTES ? mpg_proto_skip(&s->in, f->value, what, err) : MPG_OK;
}

mpg_rc mpg_xstat_read(mpg_proto_message *m, mpg_xstat *stat, mpg_err *err) {
  static const struct {
    mpg_proto_type type;
    mpg_xstat_kind kind;
  } values[] = {{MPG_PROTO_FIXED64, MPG_XSTAT_DOUBLE}, {MPG_PROTO_VARINT, MPG_XSTAT_UINT},
                {MPG_PROTO_VARINT, MPG_XSTAT_INT},     {MPG_PROTO_BYTES, MPG_XSTAT_TEXT},
                {MPG_PROTO_BYTES, MPG_XSTAT_BYTES},    {MPG_PROTO_VARINT, MPG_XSTAT_REF}};
  mpg_proto_field f;
  mpg_rc rc;
  memset(stat, 0, sizeof *stat);
  while ((rc = mpg_proto_next(m, &f, err)) == MPG_OK) {
    if (f.number == 1) {
      rc = mpg_proto_expect(m->path, m->what, &f, MPG_PROTO_VARINT, err);
      stat->id = (int64_t)f.value;
    } else if (f.number >= 2 && f.number <= 7) { /* one of them: the last one counts */
      rc = mpg_proto_expect(m->path, m->what, &f, values[f.number - 2].type, err);
      stat->kind = values[f.number - 2].kind;
      stat->bits = f.value;
      stat->text = f.bytes;
    }
    if (rc != MPG_OK)
      return rc;
  }
  return rc == MPG_DONE ? MPG_OK : rc;
}

/* A stat of a plane or of metadata, into s->gathered. */
static mpg_rc gather_stat(mpg_xspace *s, const mpg_proto_field *f, const char *of, mpg_err *err) {
  mpg_proto_message m = {{NULL, 0}, s->in.at, s->path, "an XStat"};
  mpg_xstat stat;
  mpg_rc rc = expect_bytes(s, f, of, err);
  if (rc != MPG_OK)
    return rc;
  if (f->value > MPG_XSTAT_LIMIT) {
    rc = mpg_proto_skip(&s->in, f->value, "an XStat", err);
    return rc == MPG_OK
               ? add_issue(s, MPG_INFO, "long_stat", f->at,
                           MPG_STR("a stat of metadata of more than 64 KiB, as programs are"), err)
               : rc;
  }
  rc = mpg_proto_read(&s->in, f->value, "an XStat", &m.bytes, err);
  if (rc == MPG_OK)
    rc = mpg_xstat_read(&m, &stat, err);
  if (rc == MPG_OK)
    rc = keep_text(s, stat.text, &stat.text, err);
  if (rc == MPG_OK)
    rc = grow_array(s, &s->gathered, &s->cap_gathered, s->ngathered, sizeof *s->gathered, err);
  if (rc == MPG_OK)
    s->gathered[s->ngathered++] = stat;
  return rc;
}

static mpg_rc keep_gathered(mpg_xspace *s, mpg_xstat **stats, size_t *n, mpg_err *err) {
  void *p = NULL;
  mpg_rc rc = copy_bytes(s, s->gathered, s->ngathered * sizeof *s->gathered, &p, err);
  *stats = p;
  *n = rc == MPG_OK ? s->ngathered : 0;
  s->ngathered = 0;
  return rc;
}

/* ---- Maps ---- */

/* Behind a field's payload. */
static int64_t end_of(const mpg_xspace *s, const mpg_proto_field *f) {
  return s->in.at + (int64_t)f->value;
}

static mpg_rc read_event_metadata(mpg_xspace *s, int64_t end, mpg_xevent_name *out, mpg_err *err) {
  static const char what[] = "an XEventMetadata";
  mpg_proto_field f;
  mpg_rc rc;
  while ((rc = mpg_proto_stream_next(&s->in, end, what, &f, err)) == MPG_OK) {
    if (f.number == 2)
      rc = read_text(s, &f, what, &out->name.text, err);
    else if (f.number == 1) /* the key's as well, which may come before or after, or be lost */
      rc = read_int(s, &f, what, &out->name.id, err);
    else if (f.number == 4)
      rc = read_text(s, &f, what, &out->display_name, err);
    else if (f.number == 5)
      rc = gather_stat(s, &f, what, err);
    else
      rc = pass_over(s, &f, what, err);
    if (rc != MPG_OK)
      return rc;
  }
  return rc == MPG_DONE ? keep_gathered(s, &out->stats, &out->nstats, err) : rc;
}

static mpg_rc read_stat_metadata(mpg_xspace *s, int64_t end, mpg_xstat_name *out, mpg_err *err) {
  static const char what[] = "an XStatMetadata";
  mpg_proto_field f;
  mpg_rc rc;
  while ((rc = mpg_proto_stream_next(&s->in, end, what, &f, err)) == MPG_OK) {
    rc = f.number == 1   ? read_int(s, &f, what, &out->name.id, err)
         : f.number == 2 ? read_text(s, &f, what, &out->name.text, err)
                         : pass_over(s, &f, what, err);
    if (rc != MPG_OK)
      return rc;
  }
  return rc == MPG_DONE ? MPG_OK : rc;
}

/* An entry of a map: a key and a message, of events' names or of stats'. */
static mpg_rc read_entry(mpg_xspace *s, int64_t end, mpg_xevent_name *event, mpg_xstat_name *stat,
                         mpg_err *err) {
  const char *what = event != NULL ? "an entry of event_metadata" : "an entry of stat_metadata";
  mpg_proto_field f;
  mpg_rc rc;
  while ((rc = mpg_proto_stream_next(&s->in, end, what, &f, err)) == MPG_OK) {
    if (f.number == 1) {
      rc = read_int(s, &f, what, event != NULL ? &event->name.id : &stat->name.id, err);
    } else if (f.number == 2) {
      rc = expect_bytes(s, &f, what, err);
      if (rc == MPG_OK)
        rc = event != NULL ? read_event_metadata(s, end_of(s, &f), event, err)
                           : read_stat_metadata(s, end_of(s, &f), stat, err);
    } else {
      rc = pass_over(s, &f, what, err);
    }
    if (rc != MPG_OK)
      return rc;
  }
  return rc == MPG_DONE ? MPG_OK : rc;
}

static mpg_rc read_event_name(mpg_xspace *s, int64_t end, mpg_err *err) {
  mpg_xplane_head *p = &s->plane;
  mpg_rc rc = grow_array(s, &p->event_names, &p->cap_event_names, p->nevent_names,
                         sizeof *p->event_names, err);
  if (rc != MPG_OK)
    return rc;
  p->event_names[p->nevent_names] = (mpg_xevent_name){.name.order = p->nevent_names};
  rc = read_entry(s, end, &p->event_names[p->nevent_names], NULL, err);
  p->nevent_names += rc == MPG_OK;
  return rc;
}

static int column_of(mpg_str name) {
#define KEY(c_name, key, type) {key, sizeof(key) - 1},
  static const mpg_str keys[] = {MPG_XSTATS(KEY)};
#undef KEY
  for (int i = 0; i < MPG_XSTAT_COLUMNS; i++)
    if (mpg_str_eq(name, keys[i]))
      return i;
  return -1;
}

static mpg_rc read_stat_name(mpg_xspace *s, int64_t end, mpg_err *err) {
  mpg_xplane_head *p = &s->plane;
  mpg_xstat_name *name;
  mpg_rc rc =
      grow_array(s, &p->stat_names, &p->cap_stat_names, p->nstat_names, sizeof *p->stat_names, err);
  if (rc != MPG_OK)
    return rc;
  name = &p->stat_names[p->nstat_names];
  *name = (mpg_xstat_name){.name.order = p->nstat_names};
  rc = read_entry(s, end, NULL, name, err);
  if (rc != MPG_OK)
    return rc;
  name->column = column_of(name->name.text);
  p->nstat_names++;
  return MPG_OK;
}

/* ---- Looking up ---- */

static int by_id(const void *a, const void *b, void *ctx) {
  const mpg_xname *x = a, *y = b;
  (void)ctx;
  if (x->id != y->id)
    return x->id < y->id ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

/* Sorts by id and leaves of repeated ids the one that was written last; *n is how many. */
static mpg_rc sort_entries(const mpg_env *env, void *array, size_t *n, size_t size) {
  char *p = array;
  size_t kept = 0;
  mpg_rc rc = mpg_sort(env, array, *n, size, by_id, NULL);
  for (size_t i = 0; rc == MPG_OK && i < *n; i++) {
    const mpg_xname *at = (const mpg_xname *)(p + i * size);
    bool last = i + 1 == *n || ((const mpg_xname *)(p + (i + 1) * size))->id != at->id;
    if (last && kept != i)
      memcpy(p + kept * size, p + i * size, size);
    kept += last;
  }
  *n = rc == MPG_OK ? kept : 0;
  return rc;
}

/* Ids mostly count up without gaps: searched for there first. */
static const void *find_by_id(const void *array, size_t n, size_t size, int64_t id) {
  const char *p = array;
  size_t low = 0, high = n, guess;
  if (n == 0)
    return NULL;
  guess = (size_t)((uint64_t)id - (uint64_t)((const mpg_xname *)array)->id);
  if (guess < n && ((const mpg_xname *)(p + guess * size))->id == id)
    return p + guess * size;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int64_t found = ((const mpg_xname *)(p + middle * size))->id;
    if (found == id)
      return p + middle * size;
    if (found < id)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

mpg_xevent_name *mpg_xevent_name_find(const mpg_xplane_head *p, int64_t id) {
  return (void *)(uintptr_t)find_by_id(p->event_names, p->nevent_names, sizeof *p->event_names, id);
}

mpg_xstat_name *mpg_xstat_name_find(const mpg_xplane_head *p, int64_t id) {
  return (void *)(uintptr_t)find_by_id(p->stat_names, p->nstat_names, sizeof *p->stat_names, id);
}

/* The maps are whole: names for what was read before them. */
static mpg_rc resolve_names(const mpg_env *env, mpg_xplane_head *p) {
  size_t work = 0;
  mpg_rc rc = sort_entries(env, p->event_names, &p->nevent_names, sizeof *p->event_names);
  if (rc == MPG_OK)
    rc = sort_entries(env, p->stat_names, &p->nstat_names, sizeof *p->stat_names);
  if (rc != MPG_OK)
    return rc;
  for (size_t i = 0; i < p->nstats; i++) {
    if (mpg_poll_work(env, &work, LOOK_UP))
      return MPG_INTERRUPTED;
    p->stats[i].name = mpg_xstat_name_find(p, p->stats[i].id);
  }
  for (size_t i = 0; i < p->nevent_names; i++) {
    const mpg_xevent_name *name = &p->event_names[i];
    if (mpg_poll_work(env, &work, LOOK_UP * (1 + name->nstats)))
      return MPG_INTERRUPTED;
    for (size_t j = 0; j < name->nstats; j++)
      name->stats[j].name = mpg_xstat_name_find(p, name->stats[j].id);
  }
  return MPG_OK;
}

/* ---- Planes ---- */

static mpg_rc read_line(mpg_xspace *s, int64_t end, mpg_err *err) {
  static const char what[] = "an XLine";
  mpg_xplane_head *p = &s->plane;
  mpg_proto_field f;
  mpg_xline *line;
  mpg_rc rc = grow_array(s, &p->lines, &p->cap_lines, p->nlines, sizeof *p->lines, err);
  if (rc != MPG_OK)
    return rc;
  line = &p->lines[p->nlines++];
  memset(line, 0, sizeof *line);
  while ((rc = mpg_proto_stream_next(&s->in, end, what, &f, err)) == MPG_OK) {
    switch (f.number) {
    case 1:
      rc = read_int(s, &f, what, &line->id, err);
      break;
    case 2:
      rc = read_text(s, &f, what, &line->name, err);
      break;
    case 3:
      rc = read_int(s, &f, what, &line->timestamp_ns, err);
      break;
    case 4:
      line->events++;
      rc = expect_bytes(s, &f, what, err);
      if (rc == MPG_OK)
        rc = mpg_proto_skip(&s->in, f.value, "an XEvent", err);
      break;
    case 9:
      rc = read_int(s, &f, what, &line->duration_ps, err);
      break;
    case 11:
      rc = read_text(s, &f, what, &line->display_name, err);
      break;
    default:
      rc = pass_over(s, &f, what, err);
    }
    if (rc != MPG_OK)
      return rc;
  }
  p->events += line->events;
  return rc == MPG_DONE ? MPG_OK : rc;
}

static mpg_rc read_plane(mpg_xspace *s, mpg_err *err) {
  static const char what[] = "an XPlane";
  mpg_xplane_head *p = &s->plane;
  mpg_xstat *stats = NULL; /* of the plane: gathered here, while maps gather others */
  size_t nstats = 0, cap = 0;
  mpg_proto_field f;
  mpg_rc rc = MPG_OK;
  while (rc == MPG_OK && (rc = mpg_proto_stream_next(&s->in, p->end, what, &f, err)) == MPG_OK) {
    if (f.number >= 3 && f.number <= 6)
      rc = expect_bytes(s, &f, what, err);
    if (rc != MPG_OK)
      break;
    switch (f.number) {
    case 1:
      rc = read_int(s, &f, what, &p->id, err);
      break;
    case 2:
      rc = read_text(s, &f, what, &p->name, err);
      break;
    case 3:
      rc = read_line(s, end_of(s, &f), err);
      break;
    case 4:
      rc = read_event_name(s, end_of(s, &f), err);
      break;
    case 5:
      rc = read_stat_name(s, end_of(s, &f), err);
      break;
    case 6:
      rc = gather_stat(s, &f, what, err);
      if (rc == MPG_OK && s->ngathered > 0) {
        rc = grow_array(s, &stats, &cap, nstats, sizeof *stats, err);
        if (rc == MPG_OK)
          stats[nstats++] = s->gathered[0];
        s->ngathered = 0;
      }
      break;
    default:
      rc = pass_over(s, &f, what, err);
    }
  }
  if (rc == MPG_DONE) {
    void *kept = NULL;
    rc = copy_bytes(s, stats, nstats * sizeof *stats, &kept, err);
    p->stats = kept;
    p->nstats = rc == MPG_OK ? nstats : 0;
  }
  mpg_free(s->env, stats);
  if (rc != MPG_OK)
    return rc;
  rc = resolve_names(s->env, p);
  return rc == MPG_OK ? rc : mpg_fail_plain(err, rc);
}

/* ---- The space ---- */

/* A file that begins with `head`, which is anything but a field of an XSpace. */
static mpg_rc no_space(const mpg_xspace *s, mpg_str head, mpg_err *err) {
  static const struct {
    const char *bytes, *hint;
  } hints[] = {{"{", " (JSON: is it for chrome_trace?)"},
               {"[", " (JSON: is it for chrome_trace?)"},
               {"PK\3\4", " (a zip archive)"},
               {"\n\xef\xbf\xbd", " (bytes EF BF BD: copied as text, which destroyed it)"}};
  const char *hint = "";
  char found[MPG_EXCERPT];
  for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
    size_t n = strlen(hints[i].bytes);
    if (head.n >= n && memcmp(head.p, hints[i].bytes, n) == 0)
      hint = hints[i].hint;
  }
  mpg_text_excerpt(head, found);
  return mpg_fail(err, MPG_DATA,
                  "%s: byte 0: expected an XSpace, which begins with a plane, found \"%s\"%s",
                  s->path, found, hint);
}

static mpg_rc read_other(mpg_xspace *s, const mpg_proto_field *f, mpg_err *err) {
  static const char what[] = "an XSpace";
  mpg_str text;
  uint32_t id;
  mpg_rc rc;
  if (f->number > 4)
    return pass_over(s, f, what, err);
  rc = expect_bytes(s, f, what, err);
  if (rc == MPG_OK)
    rc = mpg_proto_read(&s->in, f->value, what, &text, err);
  if (rc != MPG_OK)
    return rc;
  if (f->number == 2)
    return add_issue(s, MPG_WARNING, "profiler_error", f->at, text, err);
  if (f->number == 3)
    return add_issue(s, MPG_WARNING, "profiler_warning", f->at, text, err);
  rc = mpg_intern_id(&s->hostnames, text, &id);
  return rc == MPG_OK ? rc : mpg_fail_plain(err, rc);
}

static mpg_rc next_plane(mpg_xspace *s, mpg_err *err) {
  static const char what[] = "an XSpace";
  mpg_proto_field f;
  for (;;) {
    bool first = s->in.at == 0;
    mpg_str head = {NULL, 0};
    mpg_rc rc = first ? mpg_proto_peek(&s->in, MPG_EXCERPT, &head, err) : MPG_OK;
    if (rc != MPG_OK) /* of the stream */
      return rc;
    rc = mpg_proto_stream_next(&s->in, INT64_MAX, what, &f, err);
    if (rc == MPG_DONE && s->planes == 0) {
      rc = add_issue(s, MPG_WARNING, "no_planes", 0, MPG_STR("a trace without any plane"), err);
      return rc == MPG_OK ? MPG_DONE : rc;
    }
    if (first && (rc == MPG_DATA || (rc == MPG_OK && (f.number > 4 || f.type != MPG_PROTO_BYTES))))
      return no_space(s, head, err);
    if (rc != MPG_OK)
      return rc;
    if (f.number == 1) {
      rc = expect_bytes(s, &f, what, err);
      s->plane.at = s->in.at;
      s->plane.end = end_of(s, &f);
      s->planes += rc == MPG_OK;
      return rc;
    }
    rc = read_other(s, &f, err);
    if (rc != MPG_OK)
      return rc;
  }
}

/* Skips to the end of a damaged plane. If the file ends within it, that was reported with the
** plane. */
static mpg_rc leave_plane(mpg_xspace *s, mpg_err *err) {
  mpg_rc rc = s->in.at > s->plane.end
                  ? MPG_DATA
                  : mpg_proto_skip(&s->in, (uint64_t)(s->plane.end - s->in.at), "an XPlane", err);
  s->damaged = false;
  return rc == MPG_DATA ? MPG_DONE : rc;
}

mpg_rc mpg_xspace_next(mpg_xspace *s, mpg_xplane_head **plane, mpg_err *err) {
  mpg_rc rc = MPG_OK;
  if (s->dead)
    return MPG_DONE;
  if (s->damaged)
    rc = leave_plane(s, err);
  if (rc == MPG_OK) {
    clear_plane(s);
    rc = next_plane(s, err);
  }
  if (rc != MPG_OK) {
    s->dead = true;
    return rc;
  }
  rc = read_plane(s, err);
  *plane = &s->plane;
  s->damaged = rc == MPG_DATA;
  s->dead = rc != MPG_OK && rc != MPG_DATA;
  return rc;
}

int64_t mpg_xspace_at(const mpg_xspace *s) {
  return s->plane.at;
}

const mpg_intern *mpg_xspace_hostnames(const mpg_xspace *s) {
  return &s->hostnames;
}
