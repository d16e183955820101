/*
** chips.c - the chip catalogue: see chips.h.
**
** Built-in rows and texts are used in place. Added ones are copied into blocks that live as long as
** the catalogue, so every returned pointer stays valid. Names are found by a hash index, for the
** roofline functions look up a chip for every row of a query.
*/
#include "chips_data.h"
#include "dtype.h"
#include "../base/text.h"
#include "../base/hash_index.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Longest name, after folding. */
#define NAME_MAX_FOLDED 127

typedef struct chip {
  const char *name;
  const mpg_chip_row *first;
  const mpg_chip_row *peak[MPG_DTYPES]; /* NULL: not listed */
} chip;

/* A chip's own name or an alias of it; no two fold to the same. */
typedef struct name {
  const char *text;
  uint32_t hash;
  uint32_t chip;
} name;

typedef struct block {
  struct block *next;
} block;

struct mpg_chips {
  mpg_env env;
  const mpg_chip_row **rows;
  size_t rows_n, rows_cap;
  mpg_chip_alias *aliases;
  size_t aliases_n, aliases_cap;
  chip *chips;
  size_t chips_n, chips_cap;
  name *names;
  size_t names_n, names_cap;
  mpg_hash_index index; /* of names */
  block *blocks;
};

typedef struct folded {
  size_t n; /* 0: not a name, because it is empty, too long, or holds a NUL */
  uint32_t hash;
  char text[NAME_MAX_FOLDED];
} folded;

#define SKIPPED ' '

static char fold_byte(char c) {
  if (c == ' ' || c == '-' || c == '_')
    return SKIPPED;
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static void fold_name(mpg_str text, folded *out) {
  out->n = 0;
  out->hash = UINT32_C(2166136261); /* FNV-1a */
  for (size_t i = 0; i < text.n; i++) {
    char c = fold_byte(text.p[i]);
    if (c == SKIPPED)
      continue;
    if (out->n == NAME_MAX_FOLDED || c == '\0') {
      out->n = 0;
      return;
    }
    out->text[out->n++] = c;
    out->hash = (out->hash ^ (uint32_t)(unsigned char)c) * UINT32_C(16777619);
  }
}

static bool folds_to(const char *text, const folded *f) {
  size_t n = 0;
  for (; *text != '\0'; text++) {
    char c = fold_byte(*text);
    if (c == SKIPPED)
      continue;
    if (n == f->n || f->text[n] != c)
      return false;
    n++;
  }
  return n == f->n;
}

static name *find_name(const mpg_chips *chips, const folded *f) {
  uint32_t i;
  if (f->n == 0)
    return NULL;
  for (size_t at = mpg_hash_index_first(&chips->index, f->hash);
       mpg_hash_index_at(&chips->index, at, &i); at = mpg_hash_index_next(&chips->index, at))
    if (chips->names[i].hash == f->hash && folds_to(chips->names[i].text, f))
      return &chips->names[i];
  return NULL;
}

static chip *find_chip(const mpg_chips *chips, mpg_str text) {
  folded f;
  name *found;
  fold_name(text, &f);
  found = find_name(chips, &f);
  return found == NULL ? NULL : &chips->chips[found->chip];
}

static uint64_t hash_of_name(const void *chips, uint32_t i) {
  return ((const mpg_chips *)chips)->names[i].hash;
}

/* Room for one more name, in the list and in its index. */
static mpg_rc reserve_name(mpg_chips *chips) {
  if (mpg_grow(&chips->env, &chips->names, &chips->names_cap, chips->names_n + 1,
               sizeof *chips->names) != MPG_OK)
    return MPG_NOMEM;
  return mpg_hash_index_reserve(&chips->index, &chips->env, chips->names_n, 512, hash_of_name,
                                chips);
}

/* The next three use reserved room, and cannot fail. */
static void put_name(mpg_chips *chips, const char *text, const folded *f, size_t of_chip) {
  size_t at = mpg_hash_index_first(&chips->index, f->hash);
  while (chips->index.slots[at] != 0)
    at = mpg_hash_index_next(&chips->index, at);
  mpg_hash_index_put(&chips->index, at, (uint32_t)chips->names_n);
  chips->names[chips->names_n++] = (name){text, f->hash, (uint32_t)of_chip};
}

static size_t put_chip(mpg_chips *chips, const char *text, const folded *f) {
  chip *fresh = &chips->chips[chips->chips_n];
  memset(fresh, 0, sizeof *fresh);
  fresh->name = text;
  put_name(chips, text, f, chips->chips_n);
  return chips->chips_n++;
}

static void put_row(mpg_chips *chips, chip *of, const mpg_chip_row *row, size_t replaced,
                    mpg_dtype dtype) {
  if (replaced < chips->rows_n) {
    if (of->first == chips->rows[replaced])
      of->first = row;
    chips->rows[replaced] = row;
  } else {
    chips->rows[chips->rows_n++] = row;
    if (of->first == NULL)
      of->first = row;
  }
  if (dtype != MPG_DTYPES)
    of->peak[dtype] = row;
}

/* A block of the catalogue's own, freed with it. */
static void *own_block(mpg_chips *chips, size_t n) {
  block *b = mpg_malloc(&chips->env, sizeof *b + n);
  if (b == NULL)
    return NULL;
  b->next = chips->blocks;
  chips->blocks = b;
  return b + 1;
}

/* Position of the row of this chip and dtype, or rows_n. */
static size_t find_row(const mpg_chips *chips, const chip *of, mpg_dtype dtype, mpg_str text) {
  if (of == NULL || (dtype != MPG_DTYPES && of->peak[dtype] == NULL))
    return chips->rows_n;
  for (size_t i = 0; i < chips->rows_n; i++) {
    const mpg_chip_row *row = chips->rows[i];
    if (dtype != MPG_DTYPES
            ? row == of->peak[dtype]
            : strcmp(row->chip, of->name) == 0 && mpg_str_eq_nocase(mpg_str_of(row->dtype), text))
      return i;
  }
  return chips->rows_n;
}

static mpg_rc reserve_row(mpg_chips *chips) {
  if (mpg_grow(&chips->env, &chips->rows, &chips->rows_cap, chips->rows_n + 1,
               sizeof *chips->rows) != MPG_OK)
    return MPG_NOMEM;
  if (mpg_grow(&chips->env, &chips->chips, &chips->chips_cap, chips->chips_n + 1,
               sizeof *chips->chips) != MPG_OK)
    return MPG_NOMEM;
  return reserve_name(chips);
}

static mpg_rc put_alias(mpg_chips *chips, const char *alias, const char *of) {
  if (mpg_grow(&chips->env, &chips->aliases, &chips->aliases_cap, chips->aliases_n + 1,
               sizeof *chips->aliases) != MPG_OK)
    return MPG_NOMEM;
  chips->aliases[chips->aliases_n++] = (mpg_chip_alias){alias, of};
  return MPG_OK;
}

static mpg_rc add_builtin_row(mpg_chips *chips, const mpg_chip_row *row) {
  mpg_dtype dtype = mpg_dtype_find(mpg_str_of(row->dtype));
  folded f;
  name *found;
  size_t of;
  mpg_rc rc = reserve_row(chips);
  if (rc != MPG_OK)
    return rc;
  fold_name(mpg_str_of(row->chip), &f);
  found = find_name(chips, &f);
  of = found != NULL ? found->chip : put_chip(chips, row->chip, &f);
  put_row(chips, &chips->chips[of], row, chips->rows_n, dtype);
  return MPG_OK;
}

/* Aliases that fold to the same are listed, and found once. */
static mpg_rc add_builtin_alias(mpg_chips *chips, const mpg_chip_alias *alias) {
  const chip *of = find_chip(chips, mpg_str_of(alias->chip));
  folded f;
  mpg_rc rc = reserve_name(chips);
  if (rc == MPG_OK)
    rc = put_alias(chips, alias->alias, of->name);
  if (rc != MPG_OK)
    return rc;
  fold_name(mpg_str_of(alias->alias), &f);
  if (find_name(chips, &f) == NULL)
    put_name(chips, alias->alias, &f, (size_t)(of - chips->chips));
  return MPG_OK;
}

mpg_rc mpg_chips_new(mpg_chips **out, const mpg_env *env, mpg_err *err) {
  mpg_chips *chips = mpg_calloc(env, sizeof *chips);
  mpg_rc rc = MPG_OK;
  *out = NULL;
  if (chips == NULL)
    return mpg_fail_nomem(err);
  chips->env = *env;
  rc = reserve_name(chips);
  for (size_t i = 0; rc == MPG_OK && i < mpg_chips_builtin_count; i++)
    rc = add_builtin_row(chips, &mpg_chips_builtin[i]);
  for (size_t i = 0; rc == MPG_OK && i < mpg_chips_builtin_alias_count; i++)
    rc = add_builtin_alias(chips, &mpg_chips_builtin_alias[i]);
  if (rc != MPG_OK) {
    mpg_chips_free(chips);
    return mpg_fail_plain(err, rc);
  }
  *out = chips;
  return MPG_OK;
}

void mpg_chips_free(mpg_chips *chips) {
  mpg_env env;
  if (chips == NULL)
    return;
  env = chips->env;
  while (chips->blocks != NULL) {
    block *b = chips->blocks;
    chips->blocks = b->next;
    mpg_free(&env, b);
  }
  mpg_free(&env, chips->rows);
  mpg_free(&env, chips->aliases);
  mpg_free(&env, chips->chips);
  mpg_free(&env, chips->names);
  mpg_hash_index_free(&chips->index, &env);
  mpg_free(&env, chips);
}

static const char *copy_text(char **to, const char *text) {
  char *start = *to;
  size_t n;
  if (text == NULL)
    return NULL;
  n = strlen(text) + 1;
  memcpy(start, text, n);
  *to += n;
  return start;
}

static size_t text_size(const char *text) {
  return text == NULL ? 0 : strlen(text) + 1;
}

static mpg_rc check_figure(const mpg_chip_row *row, const char *what, double v, bool zero_too,
                           mpg_err *err) {
  if (isnan(v) || (isfinite(v) && (v > 0 || (zero_too && v == 0))))
    return MPG_OK;
  return mpg_fail(err, MPG_DATA, "chip '%.64s', dtype '%.64s': expected a positive %s, found %.15g",
                  row->chip, row->dtype, what, v);
}

static mpg_rc check_row(const mpg_chip_row *row, const folded *f, mpg_err *err) {
  mpg_rc rc;
  if (f->n == 0)
    return mpg_fail(err, MPG_DATA, "expected the name of a chip, of 1 to %d characters",
                    NAME_MAX_FOLDED);
  if (row->dtype == NULL || row->dtype[0] == '\0')
    return mpg_fail(err, MPG_DATA, "chip '%.64s': expected a dtype", row->chip);
  if (isnan(row->peak_flops))
    return mpg_fail(err, MPG_DATA, "chip '%.64s', dtype '%.64s': expected a positive peak_flops",
                    row->chip, row->dtype);
  rc = check_figure(row, "peak_flops", row->peak_flops, false, err);
  if (rc == MPG_OK)
    rc = check_figure(row, "hbm_bytes", row->hbm_bytes, true, err);
  if (rc == MPG_OK)
    rc = check_figure(row, "hbm_bytes_per_s", row->hbm_bytes_per_s, false, err);
  if (rc == MPG_OK)
    rc = check_figure(row, "ici_bytes_per_s", row->ici_bytes_per_s, true, err);
  if (rc == MPG_OK)
    rc = check_figure(row, "tdp_w", row->tdp_w, true, err);
  return rc;
}

static double known_or(double v, double otherwise) {
  return isnan(v) ? otherwise : v;
}

mpg_rc mpg_chips_add(mpg_chips *chips, const mpg_chip_row *row, mpg_err *err) {
  const mpg_chip_row *base = NULL;
  mpg_chip_row *fresh;
  mpg_dtype dtype;
  folded f;
  name *found;
  chip *of;
  size_t replaced;
  char *text;
  mpg_rc rc;
  fold_name(mpg_str_of(row->chip), &f);
  rc = check_row(row, &f, err);
  if (rc != MPG_OK)
    return rc;
  rc = reserve_row(chips);
  if (rc != MPG_OK)
    return mpg_fail_plain(err, rc);
  found = find_name(chips, &f);
  of = found == NULL ? NULL : &chips->chips[found->chip];
  dtype = mpg_dtype_find(mpg_str_of(row->dtype));
  replaced = find_row(chips, of, dtype, mpg_str_of(row->dtype));
  if (of != NULL)
    base = replaced < chips->rows_n ? chips->rows[replaced] : of->first;
  fresh = own_block(chips, sizeof *fresh + text_size(row->chip) + text_size(row->vendor) +
                               text_size(row->dtype) + text_size(row->source));
  if (fresh == NULL)
    return mpg_fail_nomem(err);
  text = (char *)(fresh + 1);
  *fresh = *row;
  fresh->chip = copy_text(&text, row->chip);
  fresh->vendor = copy_text(&text, row->vendor);
  fresh->dtype = dtype != MPG_DTYPES ? mpg_dtype_name(dtype) : copy_text(&text, row->dtype);
  fresh->source = copy_text(&text, row->source);
  if (base != NULL) {
    fresh->chip = of->name;
    if (fresh->vendor == NULL)
      fresh->vendor = base->vendor;
    if (fresh->year == 0)
      fresh->year = base->year;
    fresh->unit = base->unit;
    fresh->devices = base->devices;
    fresh->hbm_bytes = known_or(fresh->hbm_bytes, base->hbm_bytes);
    fresh->hbm_bytes_per_s = known_or(fresh->hbm_bytes_per_s, base->hbm_bytes_per_s);
    fresh->ici_bytes_per_s = known_or(fresh->ici_bytes_per_s, base->ici_bytes_per_s);
    fresh->tdp_w = known_or(fresh->tdp_w, base->tdp_w);
  }
  if (of == NULL)
    of = &chips->chips[put_chip(chips, fresh->chip, &f)];
  put_row(chips, of, fresh, replaced, dtype);
  return MPG_OK;
}

static bool is_listed(const mpg_chips *chips, mpg_str alias) {
  for (size_t i = 0; i < chips->aliases_n; i++)
    if (mpg_str_eq(mpg_str_of(chips->aliases[i].alias), alias))
      return true;
  return false;
}

mpg_rc mpg_chips_add_alias(mpg_chips *chips, mpg_str alias, mpg_str of_text, mpg_err *err) {
  folded f;
  name *found;
  char *text = NULL, excerpt[MPG_EXCERPT];
  mpg_rc rc;
  const chip *of = find_chip(chips, of_text);
  mpg_text_excerpt(of == NULL ? of_text : alias, excerpt);
  if (of == NULL)
    return mpg_fail(err, MPG_DATA, "no chip '%s'", excerpt);
  fold_name(alias, &f);
  if (f.n == 0)
    return mpg_fail(err, MPG_DATA, "chip '%.64s': expected an alias of 1 to %d characters",
                    of->name, NAME_MAX_FOLDED);
  rc = reserve_name(chips); /* which moves the names: before one of them is looked up */
  if (rc != MPG_OK)
    return mpg_fail_plain(err, rc);
  found = find_name(chips, &f);
  if (found != NULL && &chips->chips[found->chip] != of &&
      found->text == chips->chips[found->chip].name)
    return mpg_fail(err, MPG_DATA, "alias '%s' of chip '%.64s' is the name of a chip", excerpt,
                    of->name);
  if (!is_listed(chips, alias)) {
    text = own_block(chips, alias.n + 1);
    if (text == NULL || put_alias(chips, text, of->name) != MPG_OK)
      return mpg_fail_nomem(err);
    memcpy(text, alias.p, alias.n);
    text[alias.n] = '\0';
  }
  for (size_t i = 0; i < chips->aliases_n; i++)
    if (folds_to(chips->aliases[i].alias, &f))
      chips->aliases[i].chip = of->name;
  if (found != NULL)
    found->chip = (uint32_t)(of - chips->chips);
  else
    put_name(chips, text, &f, (size_t)(of - chips->chips));
  return MPG_OK;
}

size_t mpg_chips_count(const mpg_chips *chips) {
  return chips->rows_n;
}

const mpg_chip_row *mpg_chips_row(const mpg_chips *chips, size_t i) {
  return chips->rows[i];
}

size_t mpg_chips_alias_count(const mpg_chips *chips) {
  return chips->aliases_n;
}

void mpg_chips_alias(const mpg_chips *chips, size_t i, const char **alias, const char **of) {
  *alias = chips->aliases[i].alias;
  *of = chips->aliases[i].chip;
}

const char *mpg_chips_find(const mpg_chips *chips, mpg_str text) {
  const chip *found = find_chip(chips, text);
  return found == NULL ? NULL : found->name;
}

static const mpg_chip_row *either_peak(const chip *of, mpg_dtype a, mpg_dtype b) {
  return of->peak[a] != NULL ? of->peak[a] : of->peak[b];
}

/* Matrices are multiplied by the vector units of a chip without others. */
static const mpg_chip_row *matrix_peak(const chip *of, mpg_dtype a, mpg_dtype b) {
  const mpg_chip_row *row = either_peak(of, a, b);
  return row != NULL ? row : of->peak[MPG_FP64];
}

const mpg_chip_row *mpg_chips_peak(const mpg_chips *chips, const char *name_or_alias,
                                   mpg_str dtype) {
  const chip *of = find_chip(chips, mpg_str_of(name_or_alias));
  mpg_dtype d;
  size_t i;
  if (of == NULL)
    return NULL;
  if (dtype.n == 0) {
    const mpg_chip_row *row = either_peak(of, MPG_BF16, MPG_FP16);
    return row != NULL ? row : of->peak[MPG_FP32];
  }
  d = mpg_dtype_find(dtype);
  switch (d) {
  case MPG_BF16:
    return either_peak(of, MPG_BF16, MPG_FP16);
  case MPG_FP16:
    return either_peak(of, MPG_FP16, MPG_BF16);
  case MPG_FP64_TENSOR:
    return matrix_peak(of, MPG_FP64_TENSOR, MPG_FP64_MATRIX);
  case MPG_FP64_MATRIX:
    return matrix_peak(of, MPG_FP64_MATRIX, MPG_FP64_TENSOR);
  case MPG_FP32_MATRIX:
    return either_peak(of, MPG_FP32_MATRIX, MPG_FP32);
  case MPG_DTYPES:
    i = find_row(chips, of, d, dtype);
    return i < chips->rows_n ? chips->rows[i] : NULL;
  default:
    return of->peak[d];
  }
}

const mpg_chip_row *mpg_chips_first(const mpg_chips *chips, const char *name_or_alias) {
  const chip *of = find_chip(chips, mpg_str_of(name_or_alias));
  return of == NULL ? NULL : of->first;
}

/* Appends ", text" if it fits as a whole; false if it does not. */
static bool append_text(char *out, size_t cap, size_t *n, const char *text) {
  size_t length = strlen(text), comma = *n > 0 ? 2 : 0;
  if (cap - *n <= comma + length)
    return false;
  memcpy(out + *n, ", ", comma);
  memcpy(out + *n + comma, text, length + 1);
  *n += comma + length;
  return true;
}

/*
** Edits (insert, delete, replace one character) that turn `a` into the nearest stretch of `b`: what
** people leave out of a chip's name ("h100") costs nothing. Sellers' variant of the edit distance:
** a stretch may begin anywhere, so the first row is 0, and end anywhere, so the last row's least
** counts.
*/
static size_t stretch_distance(const folded *a, const folded *b) {
  size_t above[NAME_MAX_FOLDED + 1] = {0}, least;
  for (size_t i = 1; i <= a->n; i++) {
    size_t diagonal = above[0];
    above[0] = i;
    for (size_t j = 1; j <= b->n; j++) {
      size_t cost = diagonal + (a->text[i - 1] != b->text[j - 1]);
      diagonal = above[j];
      if (above[j] + 1 < cost)
        cost = above[j] + 1;
      if (above[j - 1] + 1 < cost)
        cost = above[j - 1] + 1;
      above[j] = cost;
    }
  }
  least = above[0];
  for (size_t j = 1; j <= b->n; j++)
    if (above[j] < least)
      least = above[j];
  return least;
}

#define NEAREST 3

void mpg_chips_nearest(const mpg_chips *chips, mpg_str wrong, char *out, size_t cap) {
  struct {
    size_t distance, chip;
  } best[NEAREST + 1];
  size_t found = 0, n = 0;
  folded f = {.n = 0}, candidate = {.n = 0};
  out[0] = '\0';
  fold_name(wrong, &f);
  for (size_t i = 0; i < chips->names_n; i++) {
    size_t distance, of = chips->names[i].chip, at;
    fold_name(mpg_str_of(chips->names[i].text), &candidate);
    distance = stretch_distance(&f, &candidate);
    if (distance > (f.n + 1) / 3 || f.n == 0)
      continue;
    for (at = 0; at < found && best[at].chip != of; at++)
      ;
    if (at < found && best[at].distance <= distance)
      continue;
    /* The chip's old place is freed, or the list grows by one; then the better ones stay in
    ** front. */
    if (at == found)
      found++;
    while (at > 0 && (best[at - 1].distance > distance ||
                      (best[at - 1].distance == distance && best[at - 1].chip > of))) {
      best[at] = best[at - 1];
      at--;
    }
    best[at].distance = distance;
    best[at].chip = of;
    if (found > NEAREST)
      found = NEAREST;
  }
  for (size_t i = 0; i < found; i++)
    (void)append_text(out, cap, &n, chips->chips[best[i].chip].name);
}

void mpg_chips_dtypes(const mpg_chips *chips, const char *name_or_alias, char *out, size_t cap) {
  const chip *of = find_chip(chips, mpg_str_of(name_or_alias));
  size_t n = 0;
  out[0] = '\0';
  for (size_t i = 0; of != NULL && i < chips->rows_n; i++)
    if (strcmp(chips->rows[i]->chip, of->name) == 0 &&
        !append_text(out, cap, &n, chips->rows[i]->dtype))
      return;
}
