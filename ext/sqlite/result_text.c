/* result_text.c - see result_text.h. A lent text has its reference count before its first byte. */
#include "result_text.h"

#include <string.h>

#define LASTING_TEXTS 4096
#define LASTING_BYTES 48 /* of one text; longer ones are seldom of what rows are grouped by */

typedef struct lent {
  size_t holders;
  char text[];
} lent;

static lent *lent_of(void *text) {
  return (lent *)(void *)((char *)text - offsetof(lent, text));
}

static void release_text(void *text) {
  lent *l = lent_of(text);
  if (--l->holders == 0)
    sqlite3_free(l);
}

void mpg_shared_text_free(mpg_shared_text *shared) {
  if (shared->lent != NULL)
    release_text(shared->lent);
  memset(shared, 0, sizeof *shared);
}

static void free_lasting(mpg_conn *conn) {
  mpg_intern_free(conn->lasting);
  mpg_free(&conn->env, conn->lasting);
  conn->lasting = NULL;
}

/* The permanent copy of the text, if there is room for one; else NULL. */
static const char *lasting_copy(mpg_conn *conn, mpg_str s) {
  uint32_t id;
  if (s.n > LASTING_BYTES || memchr(s.p, '\0', s.n) != NULL)
    return NULL;
  if (conn->lasting == NULL) {
    conn->lasting = mpg_malloc(&conn->env, sizeof *conn->lasting);
    if (conn->lasting == NULL)
      return NULL;
    mpg_intern_init(conn->lasting, &conn->env);
    mpg_conn_on_close(conn, free_lasting);
  }
  id = mpg_intern_find(conn->lasting, s);
  if (id == 0 && conn->lasting->n < LASTING_TEXTS && mpg_intern_id(conn->lasting, s, &id) != MPG_OK)
    return NULL;
  return mpg_intern_text(conn->lasting, id).p;
}

static bool lend_text(mpg_shared_text *shared, mpg_str s) {
  lent *l = sqlite3_malloc64(sizeof *l + s.n + 1);
  if (l == NULL)
    return false;
  l->holders = 1;
  if (s.n > 0)
    memcpy(l->text, s.p, s.n);
  l->text[s.n] = '\0';
  shared->lent = l->text;
  shared->whole = memchr(l->text, '\0', s.n + 1) == l->text + s.n;
  shared->n = s.n;
  return true;
}

void mpg_result_shared_text(sqlite3_context *context, mpg_conn *conn, mpg_shared_text *shared,
                            const mpg_intern *texts, uint32_t id, bool few) {
  if (id != shared->id) {
    mpg_str s = mpg_intern_text(texts, id);
    mpg_shared_text_free(shared);
    shared->lasting = few ? lasting_copy(conn, s) : NULL;
    if (shared->lasting == NULL && !lend_text(shared, s)) {
      sqlite3_result_error_nomem(context);
      return;
    }
    shared->id = id;
  }
  /* Without a length SQLite knows that a text is terminated. */
  if (shared->lasting != NULL) {
    sqlite3_result_text(context, shared->lasting, -1, SQLITE_STATIC);
    return;
  }
  lent_of(shared->lent)->holders++;
  if (shared->whole && shared->n <= INT32_MAX)
    sqlite3_result_text(context, shared->lent, -1, release_text);
  else
    sqlite3_result_text64(context, shared->lent, shared->n, release_text, SQLITE_UTF8);
}
