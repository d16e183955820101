/* group_sorter.c - see group_sorter.h. */
#include "group_sorter.h"
#include "../../base/sort.h"

#include <math.h>
#include <string.h>

/* A value is a number of 7 bits a byte, the least first: its kind in the lowest three, and above
** them what its kind says. Eight bytes follow a number that is too far from the one before. */
enum {
  IS_NULL,
  IS_INT,        /* how far it is from the one before, its sign in the lowest bit */
  IS_THOUSANDTH, /* the same of a real number that is exactly so many thousandths: most times are */
  IS_TEXT,       /* its id */
  IS_RAW_INT,
  IS_RAW_REAL
};
#define VALUE_BYTES 10 /* at most: 61 bits, or a byte and eight more */
#define CHUNK_FIRST ((size_t)64)
#define CHUNK_MOST ((size_t)32 << 10)
#define TEXT_BYTES 64 /* about what a text takes in addition to its bytes */

/* Part of a group's records, each of them in one piece. */
struct chunk {
  struct chunk *next;
  size_t n, cap;
  char bytes[];
};

typedef struct group {
  struct chunk *first, *last;
} group;

struct mpg_group_sorter {
  const mpg_env *env;
  size_t n_keys, n_values;
  size_t bytes, most;
  mpg_intern texts, tuples; /* of a group: the ids of its keys */
  group *groups;            /* [id of its tuple - 1] */
  int64_t *before;          /* [the same * n_values + i]: the number before */
  size_t cap_groups, cap_before;
  /* Once they are in order. */
  uint32_t *order;        /* ids of tuples */
  const bool *descending; /* borrowed */
  size_t next_group;
  const struct chunk *chunk;
  size_t at; /* in it */
  mpg_value keys[MPG_GROUP_SORTER_KEYS], values[MPG_GROUP_SORTER_VALUES];
  int64_t last[MPG_GROUP_SORTER_VALUES];
};

mpg_rc mpg_group_sorter_open(mpg_group_sorter **out, const mpg_env *env, size_t n_keys,
                             size_t n_values, size_t most, mpg_err *err) {
  mpg_group_sorter *g = mpg_calloc(env, sizeof *g);
  *out = g;
  if (g == NULL)
    return mpg_fail_nomem(err);
  g->env = env;
  g->n_keys = n_keys;
  g->n_values = n_values;
  g->most = most;
  mpg_intern_init(&g->texts, env);
  mpg_intern_init(&g->tuples, env);
  return MPG_OK;
}

void mpg_group_sorter_close(mpg_group_sorter *g) {
  if (g == NULL)
    return;
  for (size_t i = 0; i < g->tuples.n && i < g->cap_groups; i++)
    for (struct chunk *c = g->groups[i].first; c != NULL;) {
      struct chunk *next = c->next;
      mpg_free(g->env, c);
      c = next;
    }
  mpg_free(g->env, g->groups);
  mpg_free(g->env, g->before);
  mpg_free(g->env, g->order);
  mpg_intern_free(&g->texts);
  mpg_intern_free(&g->tuples);
  mpg_free(g->env, g);
}

/* ---- In ---- */

static char *put_varint(char *to, uint64_t n) {
  for (; n >= 0x80; n >>= 7)
    *to++ = (char)(n | 0x80);
  *to++ = (char)n;
  return to;
}

static char *put_raw(char *to, unsigned kind, const void *value) {
  *to = (char)kind;
  memcpy(to + 1, value, 8);
  return to + 9;
}

/* Writes a number as its distance from the one before. NULL: that is too far. */
static char *put_number(char *to, unsigned kind, int64_t value, int64_t *before) {
  uint64_t d = (uint64_t)value - (uint64_t)*before, far = d << 1 ^ (d >> 63 == 0 ? 0 : UINT64_MAX);
  if (far >> 61 != 0)
    return NULL;
  *before = value;
  return put_varint(to, far << 3 | kind);
}

static char *put_int(char *to, int64_t value, int64_t *before) {
  char *after = put_number(to, IS_INT, value, before);
  return after == NULL ? put_raw(to, IS_RAW_INT, &value) : after;
}

/* Below this a number of thousandths is exact. */
#define THOUSANDTHS_MOST 9e12

static bool as_thousandths(double r, int64_t *out) {
  double back;
  if (!(r > -THOUSANDTHS_MOST && r < THOUSANDTHS_MOST))
    return false;
  *out = (int64_t)(r * 1000 + (r < 0 ? -0.5 : 0.5));
  back = (double)*out / 1000;
  return back == r && (*out != 0 || signbit(r) == 0); /* -0.0 is another than 0 */
}

static char *put_real(char *to, double value, int64_t *before) {
  char *after = NULL;
  int64_t n;
  if (as_thousandths(value, &n))
    after = put_number(to, IS_THOUSANDTH, n, before);
  return after == NULL ? put_raw(to, IS_RAW_REAL, &value) : after;
}

static mpg_rc text_id(mpg_group_sorter *g, const mpg_value *value, uint32_t *id) {
  size_t n = g->texts.n;
  mpg_rc rc;
  *id = 0;
  if (value->type != MPG_TEXT)
    return MPG_OK;
  rc = mpg_intern_id(&g->texts, value->s, id);
  if (g->texts.n > n)
    g->bytes += value->s.n + TEXT_BYTES;
  return rc;
}

static mpg_rc put_value(mpg_group_sorter *g, const mpg_value *value, int64_t *before, char **to) {
  uint32_t id;
  mpg_rc rc;
  switch (value->type) {
  case MPG_INT:
    *to = put_int(*to, value->i, before);
    return MPG_OK;
  case MPG_REAL:
    *to = put_real(*to, value->r, before);
    return MPG_OK;
  case MPG_TEXT:
    rc = text_id(g, value, &id);
    if (rc == MPG_OK)
      *to = put_varint(*to, (uint64_t)id << 3 | IS_TEXT);
    return rc;
  default:
    *(*to)++ = IS_NULL;
    return MPG_OK;
  }
}

/* The group of these keys: *i. */
static mpg_rc find_group(mpg_group_sorter *g, const mpg_value *keys, size_t *i) {
  uint32_t ids[MPG_GROUP_SORTER_KEYS], id;
  size_t n = g->tuples.n;
  mpg_str tuple = {(const char *)ids, g->n_keys * sizeof *ids};
  mpg_rc rc = MPG_OK;
  for (size_t k = 0; rc == MPG_OK && k < g->n_keys; k++)
    rc = text_id(g, &keys[k], &ids[k]);
  if (rc == MPG_OK)
    rc = mpg_grow(g->env, &g->groups, &g->cap_groups, n + 1, sizeof *g->groups);
  if (rc == MPG_OK)
    rc = mpg_grow(g->env, &g->before, &g->cap_before, (n + 1) * g->n_values, sizeof *g->before);
  if (rc == MPG_OK)
    rc = mpg_intern_id(&g->tuples, tuple, &id);
  if (rc != MPG_OK)
    return rc;
  *i = id - 1;
  if (g->tuples.n > n) {
    g->groups[*i] = (group){NULL, NULL};
    memset(&g->before[*i * g->n_values], 0, g->n_values * sizeof *g->before);
    g->bytes += tuple.n + TEXT_BYTES + sizeof *g->groups + g->n_values * sizeof *g->before;
  }
  return MPG_OK;
}

/* Room for n bytes in the group's last chunk. */
static mpg_rc make_room(mpg_group_sorter *g, group *to, size_t n) {
  struct chunk *c = to->last, *more;
  size_t cap = c == NULL ? CHUNK_FIRST : 2 * c->cap;
  if (c != NULL && c->cap - c->n >= n)
    return MPG_OK;
  cap = cap < n ? n : cap > CHUNK_MOST ? CHUNK_MOST : cap;
  more = mpg_malloc(g->env, sizeof *more + cap);
  if (more == NULL)
    return MPG_NOMEM;
  more->next = NULL;
  more->n = 0;
  more->cap = cap;
  if (c == NULL)
    to->first = more;
  else
    c->next = more;
  to->last = more;
  g->bytes += sizeof *more + cap;
  return MPG_OK;
}

mpg_rc mpg_group_sorter_add(mpg_group_sorter *g, const mpg_value *keys, const mpg_value *values) {
  char record[MPG_GROUP_SORTER_VALUES * VALUE_BYTES], *to = record;
  size_t i, n;
  mpg_rc rc = find_group(g, keys, &i);
  for (size_t v = 0; rc == MPG_OK && v < g->n_values; v++)
    rc = put_value(g, &values[v], &g->before[i * g->n_values + v], &to);
  if (rc != MPG_OK)
    return rc;
  n = (size_t)(to - record);
  if (make_room(g, &g->groups[i], n) != MPG_OK)
    return MPG_NOMEM;
  memcpy(g->groups[i].last->bytes + g->groups[i].last->n, record, n);
  g->groups[i].last->n += n;
  return g->bytes > g->most ? MPG_LIMIT : MPG_OK;
}

/* ---- Out ---- */

static uint32_t key_id(const mpg_group_sorter *g, uint32_t tuple, size_t i) {
  uint32_t id;
  memcpy(&id, mpg_intern_text(&g->tuples, tuple).p + i * sizeof id, sizeof id);
  return id;
}

static int compare_records(const void *a, const void *b, void *ctx) {
  const mpg_group_sorter *g = ctx;
  const uint32_t *x = a, *y = b;
  for (size_t i = 0; i < g->n_keys; i++) {
    int c = mpg_intern_cmp(&g->texts, key_id(g, *x, i), key_id(g, *y, i));
    if (c != 0)
      return g->descending[i] ? -c : c;
  }
  return 0;
}

mpg_rc mpg_group_sorter_sort(mpg_group_sorter *g, const bool descending[MPG_GROUP_SORTER_KEYS],
                             mpg_err *err) {
  size_t n = g->tuples.n, cap = 0;
  mpg_rc rc;
  if (mpg_grow(g->env, &g->order, &cap, n, sizeof *g->order) != MPG_OK)
    return mpg_fail_nomem(err);
  for (size_t i = 0; i < n; i++)
    g->order[i] = (uint32_t)i + 1;
  g->descending = descending;
  rc = n == 0 ? MPG_OK : mpg_sort(g->env, g->order, n, sizeof *g->order, compare_records, g);
  return rc == MPG_OK ? rc : mpg_fail_plain(err, rc);
}

static void give_text(const mpg_group_sorter *g, uint32_t id, mpg_value *out) {
  out->type = id == 0 ? MPG_NULL : MPG_TEXT;
  out->s = mpg_intern_text(&g->texts, id);
  out->i = id;
}

static const char *get_varint(const char *p, uint64_t *n) {
  *n = (unsigned char)*p & 0x7f;
  for (unsigned shift = 7; (*p++ & 0x80) != 0; shift += 7)
    *n |= (uint64_t)((unsigned char)*p & 0x7f) << shift;
  return p;
}

static const char *read_value(const mpg_group_sorter *g, const char *p, int64_t *last,
                              mpg_value *out) {
  uint64_t n, far;
  p = get_varint(p, &n);
  far = n >> 4 ^ ((n >> 3 & 1) == 0 ? 0 : UINT64_MAX);
  switch (n & 7) {
  case IS_INT:
    out->type = MPG_INT;
    out->i = *last = (int64_t)((uint64_t)*last + far);
    return p;
  case IS_THOUSANDTH:
    *last = (int64_t)((uint64_t)*last + far);
    out->type = MPG_REAL;
    out->r = (double)*last / 1000;
    return p;
  case IS_TEXT:
    give_text(g, (uint32_t)(n >> 3), out);
    return p;
  case IS_RAW_INT:
    out->type = MPG_INT;
    memcpy(&out->i, p, 8);
    return p + 8;
  case IS_RAW_REAL:
    out->type = MPG_REAL;
    memcpy(&out->r, p, 8);
    return p + 8;
  default:
    out->type = MPG_NULL;
    return p;
  }
}

bool mpg_group_sorter_next(mpg_group_sorter *g) {
  const char *p;
  if (g->chunk != NULL && g->at == g->chunk->n) {
    g->chunk = g->chunk->next;
    g->at = 0;
  }
  if (g->chunk == NULL) {
    uint32_t tuple;
    if (g->next_group == g->tuples.n)
      return false;
    tuple = g->order[g->next_group++];
    for (size_t i = 0; i < g->n_keys; i++)
      give_text(g, key_id(g, tuple, i), &g->keys[i]);
    memset(g->last, 0, sizeof g->last);
    g->chunk = g->groups[tuple - 1].first;
    g->at = 0;
  }
  p = g->chunk->bytes + g->at;
  for (size_t v = 0; v < g->n_values; v++)
    p = read_value(g, p, &g->last[v], &g->values[v]);
  g->at = (size_t)(p - g->chunk->bytes);
  return true;
}

const mpg_value *mpg_group_sorter_key(const mpg_group_sorter *g, size_t i) {
  return &g->keys[i];
}

const mpg_value *mpg_group_sorter_value(const mpg_group_sorter *g, size_t i) {
  return &g->values[i];
}

const mpg_intern *mpg_group_sorter_texts(const mpg_group_sorter *g) {
  return &g->texts;
}
