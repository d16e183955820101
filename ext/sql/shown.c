/* shown.c - see shown.h. The count of holders stands before the text. */
#include "shown.h"

#include <string.h>

typedef struct lent {
  size_t holders;
  char text[];
} lent;

static lent *lent_of(void *text) {
  return (lent *)(void *)((char *)text - offsetof(lent, text));
}

static void let_go(void *text) {
  lent *l = lent_of(text);
  if (--l->holders == 0)
    sqlite3_free(l);
}

void mpg_shown_free(mpg_shown *shown) {
  if (shown->text != NULL)
    let_go(shown->text);
  memset(shown, 0, sizeof *shown);
}

static bool take(mpg_shown *shown, mpg_str s, uint32_t id) {
  lent *l = sqlite3_malloc64(sizeof *l + s.n + 1);
  mpg_shown_free(shown);
  if (l == NULL)
    return false;
  l->holders = 1;
  if (s.n > 0)
    memcpy(l->text, s.p, s.n);
  l->text[s.n] = '\0';
  *shown = (mpg_shown){id, l->text, memchr(l->text, '\0', s.n + 1) == l->text + s.n, s.n};
  return true;
}

void mpg_result_shown(sqlite3_context *context, mpg_shown *shown, const mpg_intern *texts,
                      uint32_t id) {
  if (id != shown->id && !take(shown, mpg_intern_text(texts, id), id)) {
    sqlite3_result_error_nomem(context);
    return;
  }
  lent_of(shown->text)->holders++;
  if (shown->whole && shown->n <= INT32_MAX) /* SQLite then knows that it is terminated */
    sqlite3_result_text(context, shown->text, -1, let_go);
  else
    sqlite3_result_text64(context, shown->text, shown->n, let_go, SQLITE_UTF8);
}
