/*
** row_store.c - see row_store.h.
**
** A value is a byte that says what it is, and what follows: of an integer its low bytes, as many as
** it needs, of a real its eight, of a text or BLOB its number among the texts. A row lies in one
** block.
*/
#include "row_store.h"
#include "../connection.h"

#include <string.h>

enum { KIND_NULL = 0, /* 1 to 8: bytes of an integer */ KIND_REAL = 9, KIND_TEXT, KIND_BLOB };
enum { VALUE_BYTES = 9, BLOCK_BYTES = 1 << 16 };

typedef struct mpg_row_block {
  struct mpg_row_block *next;
  size_t used, cap;
  unsigned char bytes[];
} mpg_row_block;

void mpg_row_store_init(mpg_row_store *store, const mpg_env *env, int columns) {
  *store = (mpg_row_store){.columns = columns};
  mpg_intern_init(&store->texts, env);
}

void mpg_row_store_free(mpg_row_store *store) {
  const mpg_env *env = store->texts.env;
  if (env == NULL)
    return;
  while (store->first != NULL) {
    mpg_row_block *block = store->first;
    store->first = block->next;
    mpg_free(env, block);
  }
  mpg_intern_free(&store->texts);
  memset(store, 0, sizeof *store);
}

size_t mpg_row_store_bytes(const mpg_row_store *store) {
  return store->block_bytes + mpg_intern_bytes(&store->texts);
}

/* ---- writing ---- */

/* Blocks grow, so that few rows take little memory. */
static mpg_rc add_block(mpg_row_store *store, size_t row) {
  size_t cap = store->last == NULL ? 512 : 2 * store->last->cap;
  mpg_row_block *block;
  if (cap > BLOCK_BYTES)
    cap = BLOCK_BYTES;
  if (cap < row)
    cap = row;
  block = mpg_malloc(store->texts.env, sizeof *block + cap);
  if (block == NULL)
    return MPG_NOMEM;
  *block = (mpg_row_block){.cap = cap};
  if (store->last == NULL)
    store->first = block;
  else
    store->last->next = block;
  store->last = block;
  store->block_bytes += sizeof *block + cap;
  return MPG_OK;
}

static size_t bytes_of_integer(int64_t value) {
  size_t n = 1;
  while (n < 8 && value >> (8 * n - 1) != 0 && value >> (8 * n - 1) != -1)
    n++;
  return n;
}

/* Writes a value, and returns what follows it; NULL: there is no memory. */
static unsigned char *write_value(mpg_row_store *store, sqlite3_value *value, unsigned char *to) {
  const int type = sqlite3_value_type(value);
  if (type == SQLITE_NULL) {
    *to++ = KIND_NULL;
  } else if (type == SQLITE_INTEGER) {
    const int64_t i = sqlite3_value_int64(value);
    const size_t n = bytes_of_integer(i);
    const uint64_t low = htole64((uint64_t)i);
    *to++ = (unsigned char)n;
    memcpy(to, &low, n);
    to += n;
  } else if (type == SQLITE_FLOAT) {
    const double r = sqlite3_value_double(value);
    *to++ = KIND_REAL;
    memcpy(to, &r, sizeof r);
    to += sizeof r;
  } else {
    const char *p = type == SQLITE_TEXT ? (const char *)sqlite3_value_text(value)
                                        : (const char *)sqlite3_value_blob(value);
    const mpg_str text = {p == NULL ? "" : p, (size_t)sqlite3_value_bytes(value)};
    uint32_t id;
    if ((p == NULL && text.n > 0) || (p == NULL && type == SQLITE_TEXT) ||
        mpg_intern_id(&store->texts, text, &id) != MPG_OK)
      return NULL;
    *to++ = type == SQLITE_TEXT ? KIND_TEXT : KIND_BLOB;
    memcpy(to, &id, sizeof id);
    to += sizeof id;
  }
  return to;
}

mpg_rc mpg_row_store_add(mpg_row_store *store, sqlite3_stmt *row) {
  const size_t most = (size_t)store->columns * VALUE_BYTES;
  unsigned char *to;
  if (store->last == NULL || store->last->cap - store->last->used < most)
    if (add_block(store, most) != MPG_OK)
      return MPG_NOMEM;
  to = store->last->bytes + store->last->used;
  for (int i = 0; to != NULL && i < store->columns; i++)
    to = write_value(store, sqlite3_column_value(row, i), to);
  if (to == NULL)
    return MPG_NOMEM;
  store->last->used = (size_t)(to - store->last->bytes);
  return MPG_OK;
}

/* ---- reading ---- */

static size_t bytes_of_value(const unsigned char *value) {
  return *value == KIND_REAL  ? 1 + sizeof(double)
         : *value < KIND_REAL ? 1 + (size_t)*value
                              : 1 + sizeof(uint32_t);
}

bool mpg_row_store_next(const mpg_row_store *store, mpg_row_place *place,
                        const unsigned char **values) {
  const unsigned char *at;
  if (place->block == NULL)
    place->block = store->first;
  while (place->block != NULL && place->next == place->block->used) {
    place->block = place->block->next;
    place->next = 0;
  }
  if (place->block == NULL)
    return false;
  at = place->block->bytes + place->next;
  for (int i = 0; i < store->columns; i++) {
    values[i] = at;
    at += bytes_of_value(at);
  }
  place->next = (size_t)(at - place->block->bytes);
  return true;
}

static int64_t integer_of(const unsigned char *value) {
  const size_t n = *value;
  uint64_t low = 0;
  memcpy(&low, value + 1, n);
  low = le64toh(low) << (64 - 8 * n);
  return (int64_t)low >> (64 - 8 * n);
}

void mpg_row_store_result(const mpg_row_store *store, const unsigned char *value, bool real,
                          sqlite3_context *context) {
  if (*value == KIND_NULL) {
    sqlite3_result_null(context);
  } else if (*value < KIND_REAL && real) {
    sqlite3_result_double(context, (double)integer_of(value));
  } else if (*value < KIND_REAL) {
    sqlite3_result_int64(context, integer_of(value));
  } else if (*value == KIND_REAL) {
    double r;
    memcpy(&r, value + 1, sizeof r);
    sqlite3_result_double(context, r);
  } else {
    uint32_t id;
    mpg_str text;
    memcpy(&id, value + 1, sizeof id);
    text = mpg_intern_text(&store->texts, id);
    if (*value == KIND_TEXT)
      sqlite3_result_text64(context, text.p, text.n, SQLITE_TRANSIENT, SQLITE_UTF8);
    else
      sqlite3_result_blob64(context, text.p, text.n, SQLITE_TRANSIENT);
  }
}
