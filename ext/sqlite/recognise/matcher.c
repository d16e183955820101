/*
** matcher.c - see matcher.h.
**
** Most patterns are of files that are not there, and so each is compiled when it is first tried.
** PCRE2's machine code takes longer to make than most patterns take without it: three of four begin
** at the first byte of a file, which tells at once that it is none of theirs. So a pattern has
** machine code once a match turns back often, or once it has seen much text.
*/
#include "matcher.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#define TURNS 1000000   /* that one match may turn back */
#define FEW_TURNS 1000  /* the same without machine code */
#define MUCH_TEXT 2048  /* bytes of text that a pattern sees without machine code */
#define ONE_LOOK 64     /* bytes that count as seen for a pattern that begins at the first byte */
#define GROUPS 2        /* of a pattern, at most */
#define HEAP_FAILED 121 /* of pcre2_compile: ERR21, which its header has no name for */

struct mpg_matcher {
  const mpg_env *env;
  pcre2_general_context *general;
  pcre2_compile_context *compile;
  pcre2_match_context *full, *brief; /* of TURNS, of FEW_TURNS */
  pcre2_match_data *data;
  size_t groups; /* of the last match */
  mpg_err failure;
};

static void *give_memory(size_t n, void *env) {
  return mpg_malloc(env, n == 0 ? 1 : n);
}

static void free_memory(void *p, void *env) {
  if (p != NULL)
    mpg_free(env, p);
}

mpg_rc mpg_matcher_new(const mpg_env *env, mpg_matcher **out, mpg_err *err) {
  mpg_matcher *m = *out = mpg_calloc(env, sizeof *m);
  if (m == NULL)
    return mpg_fail_nomem(err);
  m->env = env;
  m->general = pcre2_general_context_create(give_memory, free_memory, (void *)env);
  if (m->general != NULL) {
    m->compile = pcre2_compile_context_create(m->general);
    m->full = pcre2_match_context_create(m->general);
    m->brief = pcre2_match_context_create(m->general);
    m->data = pcre2_match_data_create(1 + GROUPS, m->general);
  }
  if (m->compile == NULL || m->full == NULL || m->brief == NULL || m->data == NULL) {
    mpg_matcher_free(m);
    *out = NULL;
    return mpg_fail_nomem(err);
  }
  (void)pcre2_set_match_limit(m->full, TURNS);
  (void)pcre2_set_match_limit(m->brief, FEW_TURNS);
  return MPG_OK;
}

void mpg_matcher_free(mpg_matcher *m) {
  if (m == NULL)
    return;
  pcre2_match_data_free(m->data);
  pcre2_match_context_free(m->brief);
  pcre2_match_context_free(m->full);
  pcre2_compile_context_free(m->compile);
  pcre2_general_context_free(m->general);
  mpg_free(m->env, m);
}

void mpg_head_pattern_free(mpg_head_pattern *p) {
  pcre2_code_free(p->code);
}

static bool compile(mpg_matcher *m, mpg_head_pattern *p) {
  PCRE2_SIZE at;
  uint32_t options = 0;
  int code;
  p->code =
      pcre2_compile((PCRE2_SPTR)p->text.p, p->text.n, PCRE2_MULTILINE, &code, &at, m->compile);
  if (p->code == NULL && code == HEAP_FAILED)
    (void)mpg_fail_nomem(&m->failure);
  else if (p->code == NULL)
    (void)mpg_fail(&m->failure, MPG_MISUSE, "%s: the pattern \"%.*s\" is wrong at byte %zu",
                   p->script, (int)p->text.n, p->text.p, (size_t)at);
  else
    (void)pcre2_pattern_info(p->code, PCRE2_INFO_ALLOPTIONS, &options);
  p->anchored = (options & PCRE2_ANCHORED) != 0;
  return p->code != NULL;
}

static int match(const mpg_matcher *m, const mpg_head_pattern *p, mpg_str text, uint32_t options,
                 pcre2_match_context *context) {
  return pcre2_match(p->code, (PCRE2_SPTR)text.p, text.n, 0, options, m->data, context);
}

/* Without machine code. PCRE2_ERROR_MATCHLIMIT: machine code is due. */
static int match_briefly(const mpg_matcher *m, mpg_head_pattern *p, mpg_str text) {
  p->seen += p->anchored ? ONE_LOOK : text.n;
  return p->machine || p->seen > MUCH_TEXT ? PCRE2_ERROR_MATCHLIMIT
                                           : match(m, p, text, 0, m->brief);
}

static int match_fully(const mpg_matcher *m, mpg_head_pattern *p, mpg_str text) {
  int found;
  if (!p->machine) /* if it cannot be made, the match is only slower */
    (void)pcre2_jit_compile(p->code, PCRE2_JIT_COMPLETE);
  p->machine = true;
  found = match(m, p, text, 0, m->full);
  if (found == PCRE2_ERROR_JIT_STACKLIMIT) /* of the machine code, 32 KiB */
    found = match(m, p, text, PCRE2_NO_JIT, m->full);
  return found;
}

bool mpg_matches(mpg_matcher *m, mpg_head_pattern *p, mpg_str text) {
  int found;
  if (text.p == NULL || (p->code == NULL && !compile(m, p)))
    return false;
  found = match_briefly(m, p, text);
  if (found == PCRE2_ERROR_MATCHLIMIT)
    found = match_fully(m, p, text);
  if (found == PCRE2_ERROR_NOMEMORY)
    (void)mpg_fail_nomem(&m->failure);
  m->groups = found > 0 ? (size_t)found - 1 : 0;
  return found >= 0;
}

mpg_str mpg_matched_group(const mpg_matcher *m, mpg_str text, size_t i) {
  const PCRE2_SIZE *at = pcre2_get_ovector_pointer(m->data) + 2 * i;
  return i > m->groups || at[0] == PCRE2_UNSET ? MPG_STR("")
                                               : (mpg_str){text.p + at[0], at[1] - at[0]};
}

mpg_rc mpg_matcher_failure(const mpg_matcher *m, mpg_err *err) {
  if (m->failure.rc != MPG_OK)
    *err = m->failure;
  return m->failure.rc;
}

void mpg_matcher_forget(mpg_matcher *m) {
  m->failure.rc = MPG_OK;
}
