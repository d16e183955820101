/* hlo_text.c - see hlo_text.h. */
#include "hlo_text.h"
#include "hlo_parse.h"
#include "../../read/input/lines.h"
#include "../../base/limits.h"

#include <string.h>

typedef struct bytes {
  char *p;
  size_t n, cap;
} bytes;

struct mpg_hlo_text {
  const mpg_env *env;
  mpg_lines *lines;
  const char *path;
  bytes text;         /* of the module at hand */
  bytes held;         /* the line that begins the next one */
  int64_t first_line; /* of the text */
  int64_t held_line;  /* of the line held back; 0: none is */
  bool any;           /* there was a module, even a malformed one */
  mpg_hlo_module module;
  mpg_hlo_scratch scratch;
};

mpg_rc mpg_hlo_text_open(mpg_hlo_text **out, const mpg_env *env, mpg_stream *stream, mpg_err *err) {
  mpg_hlo_text *t = mpg_calloc(env, sizeof *t);
  mpg_rc rc;
  if (t == NULL)
    return mpg_fail_nomem(err);
  t->env = env;
  t->scratch.env = env;
  t->path = mpg_stream_path(stream);
  rc = mpg_lines_open(&t->lines, env, stream, err);
  if (rc == MPG_OK && mpg_hlo_module_init(&t->module, env) != MPG_OK)
    rc = mpg_fail_nomem(err);
  if (rc == MPG_OK)
    *out = t;
  else
    mpg_hlo_text_close(t);
  return rc;
}

void mpg_hlo_text_close(mpg_hlo_text *t) {
  if (t == NULL)
    return;
  mpg_hlo_module_free(&t->module);
  mpg_hlo_scratch_free(&t->scratch);
  mpg_lines_close(t->lines);
  mpg_free(t->env, t->text.p);
  mpg_free(t->env, t->held.p);
  mpg_free(t->env, t);
}

static mpg_rc append_line(mpg_hlo_text *t, bytes *to, mpg_str line, mpg_err *err) {
  const size_t limit = (size_t)mpg_limit_in(t->env, MPG_LIMIT_MODULE_BYTES);
  if (to->n > limit || line.n >= limit - to->n)
    return mpg_fail(err, MPG_LIMIT, "%s:%lld: module of more than %zu bytes", t->path,
                    (long long)t->first_line, limit);
  if (mpg_grow(t->env, &to->p, &to->cap, to->n + line.n + 1, 1) != MPG_OK)
    return mpg_fail_nomem(err);
  if (line.n > 0)
    memcpy(to->p + to->n, line.p, line.n);
  to->p[to->n + line.n] = '\n';
  to->n += line.n + 1;
  return MPG_OK;
}

static bool begins_module(mpg_str line) {
  static const char word[] = "HloModule";
  size_t at = 0, n = sizeof word - 1;
  while (at < line.n && (line.p[at] == ' ' || line.p[at] == '\t'))
    at++;
  return line.n > at + n && memcmp(line.p + at, word, n) == 0 &&
         (line.p[at + n] == ' ' || line.p[at + n] == '\t' || line.p[at + n] == ',');
}

/* Whether the last line is a quote alone: in a header's origin_recovery_table it begins a string
** that holds a module, which is of no other. */
static bool in_string(const bytes *text) {
  size_t n = text->n;
  while (n > 0 && (text->p[n - 1] == '\n' || text->p[n - 1] == '\r'))
    n--;
  if (n == 0 || text->p[n - 1] != '"')
    return false;
  for (n--; n > 0 && (text->p[n - 1] == ' ' || text->p[n - 1] == '\t');)
    n--;
  return n > 0 && text->p[n - 1] == '\n';
}

/*
** The lines of the next module into `text`. A line that cannot be read spoils its module: the rest
** of it is skipped, and the first such failure returned. *more: another module follows.
*/
static mpg_rc gather_module(mpg_hlo_text *t, bool *more, mpg_err *err) {
  mpg_err spoilt = {MPG_OK, ""};
  mpg_str line;
  mpg_rc rc;
  t->text.n = 0;
  t->first_line = t->held_line != 0 ? t->held_line : mpg_lines_number(t->lines) + 1;
  *more = false;
  if (t->held_line != 0) {
    rc = append_line(t, &t->text, (mpg_str){t->held.p, t->held.n - 1}, err);
    if (rc != MPG_OK)
      return rc;
  }
  t->held_line = 0;
  while ((rc = mpg_lines_next(t->lines, &line, err)) != MPG_DONE) {
    if (rc == MPG_DATA) {
      spoilt = spoilt.rc == MPG_OK ? *err : spoilt;
      continue;
    }
    if (rc == MPG_OK && begins_module(line) && (t->text.n > 0 || spoilt.rc != MPG_OK) &&
        !in_string(&t->text)) {
      t->held.n = 0;
      t->held_line = mpg_lines_number(t->lines);
      *more = true;
      rc = append_line(t, &t->held, line, err);
      break;
    }
    if (rc == MPG_OK && spoilt.rc == MPG_OK)
      rc = append_line(t, &t->text, line, err);
    if (rc != MPG_OK)
      return rc;
  }
  if (rc != MPG_OK && rc != MPG_DONE)
    return rc;
  if (spoilt.rc != MPG_OK) {
    *err = spoilt;
    t->any = true;
    return err->rc;
  }
  return rc == MPG_DONE && t->text.n == 0 ? MPG_DONE : MPG_OK;
}

mpg_rc mpg_hlo_text_next(mpg_hlo_text *t, const mpg_hlo_module **module, mpg_err *err) {
  for (;;) {
    mpg_hlo_lex lex;
    bool more;
    mpg_rc rc = gather_module(t, &more, err);
    if (rc != MPG_OK && rc != MPG_DONE)
      return rc;
    if (rc == MPG_OK) {
      lex = (mpg_hlo_lex){t->text.p,
                          t->text.p + t->text.n,
                          t->text.p,
                          t->text.p,
                          t->first_line,
                          t->path,
                          more ? "the next HloModule" : "end of file"};
      mpg_hlo_module_clear(&t->module);
      rc = mpg_hlo_parse(&t->module, &t->scratch, &lex, err);
      *module = &t->module;
      t->any |= rc != MPG_DONE;
      if (rc != MPG_DONE)
        return rc;
    }
    if (more)
      continue;
    if (t->any)
      return MPG_DONE;
    t->any = true;
    return mpg_fail(err, MPG_DATA,
                    "%s:%lld:1: expected \"HloModule\" or a computation of HLO text, found end of "
                    "file",
                    t->path, (long long)mpg_lines_number(t->lines) + 1);
  }
}

int64_t mpg_hlo_text_line(const mpg_hlo_text *t) {
  return t->module.n > 0 ? t->module.line : t->first_line;
}
