/* pattern.c - see pattern.h. */
#include "pattern.h"
#include "../../base/text.h"
#include "../../base/limits.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <string.h>

#define OPTIONS (PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_DUPNAMES)
/* Only if the pattern is interpreted: with it, the machine code of PCRE2 10.42 does not match \S
** for some letters (U+0423). */
#define CAREFUL (OPTIONS | PCRE2_MATCH_INVALID_UTF | PCRE2_AUTO_CALLOUT)
#define SHORT_LINE 4096
#define HEAP_KIB 65536 /* of one match that is interpreted */
#define STACK_BYTES 1048576
#define STEPS_BETWEEN_POLLS 4096
/* Lines before a pattern becomes machine code, which takes as long as some hundred of them: many
** logs are asked for their first lines alone. */
#define LINES_BEFORE_CODE 64

typedef struct name {
  mpg_str text;   /* in the compiled pattern's own table */
  uint32_t entry; /* its first entry of the table, and the number of entries */
  uint32_t entries;
} name;

struct mpg_pattern {
  const mpg_env *env;
  mpg_str text;
  pcre2_general_context *general;
  pcre2_code *fast, *careful; /* careful is compiled when it is needed first */
  pcre2_match_context *context;
  pcre2_jit_stack *stack;
  pcre2_match_data *data;
  name *names;
  size_t n_names;
  PCRE2_SPTR table; /* of names: entries of entry_size, two bytes of number and a terminated name */
  uint32_t entry_size;
  const char *line;
  int groups; /* set by the latest match */
  int64_t steps;
  uint32_t lines;     /* until it becomes machine code */
  bool stopped;       /* interrupted within a match */
  uint32_t interpret; /* PCRE2_NO_JIT, or 0 */
};

/* ---- PCRE2's memory and steps ---- */

static void *give_memory(size_t n, void *env) {
  return mpg_malloc(env, n == 0 ? 1 : n);
}

static void free_memory(void *p, void *env) {
  if (p != NULL)
    mpg_free(env, p);
}

/* Called at every item of the careful pattern. */
static int count_step(pcre2_callout_block *block, void *p) {
  mpg_pattern *pattern = p;
  (void)block;
  if (++pattern->steps > mpg_limit_in(pattern->env, MPG_LIMIT_PATTERN_STEPS))
    return PCRE2_ERROR_CALLOUT;
  if (pattern->steps % STEPS_BETWEEN_POLLS != 0 || !mpg_interrupted(pattern->env))
    return 0;
  pattern->stopped = true;
  return PCRE2_ERROR_CALLOUT;
}

/* ---- Compiling ---- */

static mpg_rc compile_pattern(const mpg_pattern *p, uint32_t options, pcre2_code **out,
                              mpg_err *err) {
  pcre2_compile_context *context = pcre2_compile_context_create(p->general);
  PCRE2_UCHAR message[256];
  char rest[MPG_EXCERPT];
  PCRE2_SIZE at = 0;
  int code = 0;
  if (context == NULL)
    return mpg_fail_nomem(err);
  *out = pcre2_compile((PCRE2_SPTR)p->text.p, p->text.n, options, &code, &at, context);
  pcre2_compile_context_free(context);
  if (*out != NULL)
    return MPG_OK;
  if (code == PCRE2_ERROR_HEAP_FAILED)
    return mpg_fail_nomem(err);
  if (pcre2_get_error_message(code, message, sizeof message) < 0)
    message[0] = '\0';
  if (at > p->text.n)
    at = p->text.n;
  mpg_text_excerpt((mpg_str){p->text.p + at, p->text.n - at}, rest);
  return mpg_fail(err, MPG_MISUSE, "pattern: %s, at offset %zu%s%s%s", (const char *)message,
                  (size_t)at, at < p->text.n ? ", before \"" : ", its end", rest,
                  at < p->text.n ? "\"" : "");
}

static uint32_t group_number(const mpg_pattern *p, uint32_t entry) {
  PCRE2_SPTR at = p->table + (size_t)entry * p->entry_size;
  return (uint32_t)at[0] << 8 | at[1];
}

/* The table is in the order of names; those of one name are together. */
static mpg_rc list_names(mpg_pattern *p, mpg_err *err) {
  uint32_t entries = 0, captures = 0;
  (void)pcre2_pattern_info(p->fast, PCRE2_INFO_NAMECOUNT, &entries);
  (void)pcre2_pattern_info(p->fast, PCRE2_INFO_NAMEENTRYSIZE, &p->entry_size);
  (void)pcre2_pattern_info(p->fast, PCRE2_INFO_NAMETABLE, &p->table);
  (void)pcre2_pattern_info(p->fast, PCRE2_INFO_CAPTURECOUNT, &captures);
  if (entries == 0 && captures > 0)
    return mpg_fail(
        err, MPG_MISUSE,
        "pattern: expected named groups such as (?<step>\\d+), found groups without names");
  if (entries == 0)
    return MPG_OK;
  p->names = mpg_calloc(p->env, entries * sizeof *p->names);
  if (p->names == NULL)
    return mpg_fail_nomem(err);
  for (uint32_t i = 0; i < entries; i++) {
    const char *text = (const char *)p->table + (size_t)i * p->entry_size + 2;
    name *last = &p->names[p->n_names - (p->n_names > 0)];
    if (p->n_names > 0 && mpg_str_eq(last->text, mpg_str_of(text)))
      last->entries++;
    else
      p->names[p->n_names++] = (name){mpg_str_of(text), i, 1};
  }
  /* In the order of the pattern: by insertion, for there are few. */
  for (size_t i = 1; i < p->n_names; i++) {
    name moved = p->names[i];
    size_t to = i;
    for (; to > 0 && group_number(p, p->names[to - 1].entry) > group_number(p, moved.entry); to--)
      p->names[to] = p->names[to - 1];
    p->names[to] = moved;
  }
  return MPG_OK;
}

/* The context's allocator takes the environment as a mutable pointer, and does not change it. */
static void *env_of(const mpg_env *env) {
  union {
    const mpg_env *given;
    void *passed;
  } u = {env};
  return u.passed;
}

mpg_rc mpg_pattern_open(mpg_pattern **out, const mpg_env *env, mpg_str text, mpg_err *err) {
  mpg_pattern *p = mpg_calloc(env, sizeof *p);
  mpg_rc rc;
  if (p == NULL)
    return mpg_fail_nomem(err);
  p->env = env;
  p->text = text;
  p->general = pcre2_general_context_create(give_memory, free_memory, env_of(env));
  rc = p->general == NULL ? mpg_fail_nomem(err) : compile_pattern(p, OPTIONS, &p->fast, err);
  if (rc == MPG_OK)
    rc = list_names(p, err);
  if (rc == MPG_OK) {
    p->context = pcre2_match_context_create(p->general);
    p->data = pcre2_match_data_create_from_pattern(p->fast, p->general);
    if (p->context == NULL || p->data == NULL)
      rc = mpg_fail_nomem(err);
  }
  if (rc != MPG_OK) {
    mpg_pattern_close(p);
    return rc;
  }
  (void)pcre2_set_heap_limit(p->context, HEAP_KIB);
  (void)pcre2_set_callout(p->context, count_step, p);
  *out = p;
  return MPG_OK;
}

void mpg_pattern_close(mpg_pattern *p) {
  if (p == NULL)
    return;
  pcre2_match_data_free(p->data);
  if (p->stack != NULL)
    pcre2_jit_stack_free(p->stack);
  pcre2_match_context_free(p->context);
  pcre2_code_free(p->fast);
  pcre2_code_free(p->careful);
  mpg_free(p->env, p->names);
  pcre2_general_context_free(p->general);
  mpg_free(p->env, p);
}

/* Where it cannot be machine code (another processor, no memory that may be executed), all is
** interpreted. */
void mpg_pattern_compile(mpg_pattern *p) {
  p->lines = LINES_BEFORE_CODE;
  if (p->stack == NULL && pcre2_jit_compile(p->fast, PCRE2_JIT_COMPLETE) == 0) {
    p->stack = pcre2_jit_stack_create(32768, STACK_BYTES, p->general);
    if (p->stack != NULL)
      pcre2_jit_stack_assign(p->context, NULL, p->stack);
  }
}

void mpg_pattern_interpret(mpg_pattern *p) {
  p->interpret = PCRE2_NO_JIT;
}

/* ---- Matching ---- */

/* How often one start may turn back: a start may look at every byte each time, and every byte may
** be a start. */
static uint32_t turns_of(size_t n) {
  uint64_t turns = UINT64_C(400000000) / ((uint64_t)n * n + 1);
  return (uint32_t)(turns < 500 ? 500 : turns > 100000 ? 100000 : turns);
}

static bool no_utf8(int rc) {
  return rc <= PCRE2_ERROR_UTF8_ERR1 && rc >= PCRE2_ERROR_UTF8_ERR21;
}

static int match_carefully(mpg_pattern *p, mpg_str line, mpg_err *err) {
  if (p->careful == NULL && compile_pattern(p, CAREFUL, &p->careful, err) != MPG_OK)
    return PCRE2_ERROR_NOMEMORY;
  p->steps = 0;
  p->stopped = false;
  (void)pcre2_set_match_limit(p->context, (uint32_t)mpg_limit_in(p->env, MPG_LIMIT_PATTERN_STEPS));
  return pcre2_match(p->careful, (PCRE2_SPTR)line.p, line.n, 0, 0, p->data, p->context);
}

mpg_rc mpg_pattern_match(mpg_pattern *p, mpg_str line, mpg_err *err) {
  int rc = PCRE2_ERROR_MATCHLIMIT;
  if (line.n == 0)
    line.p = "";
  p->line = line.p;
  p->groups = 0;
  if (line.n <= SHORT_LINE) {
    if (p->lines < LINES_BEFORE_CODE && ++p->lines == LINES_BEFORE_CODE && p->interpret == 0)
      mpg_pattern_compile(p);
    p->steps = 0; /* a pattern may have callouts of its own */
    p->stopped = false;
    (void)pcre2_set_match_limit(p->context, turns_of(line.n));
    rc = pcre2_match(p->fast, (PCRE2_SPTR)line.p, line.n, 0, p->interpret, p->data, p->context);
  }
  if (rc == PCRE2_ERROR_MATCHLIMIT || rc == PCRE2_ERROR_JIT_STACKLIMIT ||
      rc == PCRE2_ERROR_DEPTHLIMIT || no_utf8(rc))
    rc = match_carefully(p, line, err);
  if (rc > 0) {
    p->groups = rc;
    return MPG_OK;
  }
  switch (rc) {
  case PCRE2_ERROR_NOMATCH:
    return MPG_DONE;
  case PCRE2_ERROR_NOMEMORY:
    return mpg_fail_nomem(err);
  case PCRE2_ERROR_CALLOUT:
    if (p->stopped)
      return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
    break;
  case PCRE2_ERROR_HEAPLIMIT:
    return mpg_fail(err, MPG_LIMIT, "the pattern needs more than %d MiB on this line",
                    HEAP_KIB / 1024);
  case PCRE2_ERROR_MATCHLIMIT:
  case PCRE2_ERROR_DEPTHLIMIT:
    break;
  default:
    return mpg_fail(err, MPG_LIMIT, "the pattern cannot be matched (PCRE2 error %d)", rc);
  }
  return mpg_fail(
      err, MPG_LIMIT,
      "the pattern takes more than %lld steps on this line: repetitions within repetitions? "
      "Anchor it, or say what may not follow",
      (long long)mpg_limit_in(p->env, MPG_LIMIT_PATTERN_STEPS));
}

/* ---- Groups ---- */

size_t mpg_pattern_names(const mpg_pattern *p) {
  return p->n_names;
}

mpg_str mpg_pattern_name(const mpg_pattern *p, size_t i) {
  return p->names[i].text;
}

bool mpg_pattern_group(const mpg_pattern *p, size_t i, mpg_str *out) {
  const PCRE2_SIZE *at = pcre2_get_ovector_pointer(p->data);
  const name *named = &p->names[i];
  for (uint32_t e = named->entry; e < named->entry + named->entries; e++) {
    uint32_t group = group_number(p, e);
    size_t from = at[2 * group], to = at[2 * group + 1];
    /* \K in a look-ahead can put a start after its end. */
    if ((int)group >= p->groups || from == PCRE2_UNSET || to < from)
      continue;
    *out = (mpg_str){p->line + from, to - from};
    return true;
  }
  return false;
}
