/* script.c - see script.h. */
#include "script.h"

#include <stdio.h>
#include <string.h>

#define MARK "--@ "

const mpg_script *mpg_script_find(const char *name) {
  for (size_t i = 0; i < mpg_scripts_count; i++)
    if (strcmp(mpg_scripts[i].name, name) == 0)
      return &mpg_scripts[i];
  return NULL;
}

/* The next word of a line, and what follows it and one blank. */
static mpg_str next_word(mpg_str *line) {
  const char *blank = memchr(line->p, ' ', line->n);
  const mpg_str word = {line->p, blank == NULL ? line->n : (size_t)(blank - line->p)};
  line->p += word.n;
  line->n -= word.n;
  while (line->n > 0 && *line->p == ' ') {
    line->p++;
    line->n--;
  }
  return word;
}

static mpg_str next_parameter(mpg_str *line) {
  mpg_str word = next_word(line);
  return word.n > 0 && *word.p == ':' ? (mpg_str){word.p + 1, word.n - 1} : word;
}

/* "RE => TEXT" in two. */
static void split_hint(mpg_head *head) {
  static const char arrow[] = " => ";
  const size_t n = sizeof arrow - 1;
  for (size_t i = 0; i + n <= head->text.n; i++)
    if (memcmp(head->text.p + i, arrow, n) == 0) {
      head->says = (mpg_str){head->text.p + i + n, head->text.n - i - n};
      head->text.n = i;
      return;
    }
}

static mpg_head head_of(mpg_str line) {
  const mpg_str words[] = {
      [MPG_HEAD_SOURCE] = MPG_STR("source"), [MPG_HEAD_INPUT] = MPG_STR("input"),
      [MPG_HEAD_FEEDS] = MPG_STR("feeds"),   [MPG_HEAD_NEEDS] = MPG_STR("needs"),
      [MPG_HEAD_JOB] = MPG_STR("job"),       [MPG_HEAD_HINT] = MPG_STR("hint"),
      [MPG_HEAD_TABLE] = MPG_STR("table"),   [MPG_HEAD_ARGUMENT] = MPG_STR("argument"),
      [MPG_HEAD_COLUMN] = MPG_STR("column"), [MPG_HEAD_USES] = MPG_STR("uses"),
      [MPG_HEAD_FILLS] = MPG_STR("fills"),   [MPG_HEAD_READS] = MPG_STR("reads"),
      [MPG_HEAD_ATTACH] = MPG_STR("attach"),
  };
  mpg_head head = {.kind = MPG_HEAD_SOURCE};
  mpg_str word = next_word(&line);
  while (head.kind < MPG_HEAD_END && !mpg_str_eq(word, words[head.kind]))
    head.kind++;
  if (head.kind == MPG_HEAD_TABLE || head.kind == MPG_HEAD_ARGUMENT || head.kind == MPG_HEAD_COLUMN)
    head.name = next_word(&line);
  if (head.kind == MPG_HEAD_INPUT || head.kind == MPG_HEAD_NEEDS || head.kind == MPG_HEAD_TABLE ||
      head.kind == MPG_HEAD_ARGUMENT)
    head.parameter = next_parameter(&line);
  if (head.kind == MPG_HEAD_INPUT)
    head.how = next_word(&line);
  if (head.kind == MPG_HEAD_ARGUMENT || head.kind == MPG_HEAD_COLUMN)
    head.type = next_word(&line);
  if (head.kind == MPG_HEAD_COLUMN)
    head.unit = next_word(&line);
  head.text = line;
  if (head.kind == MPG_HEAD_HINT)
    split_hint(&head);
  return head;
}

mpg_head mpg_head_next(const char **at) {
  const char *p = *at;
  while (p != NULL && *p != '\0') {
    const char *end = strchr(p, '\n');
    size_t n = end == NULL ? strlen(p) : (size_t)(end - p);
    const char *line = p;
    p = end == NULL ? p + n : end + 1;
    if (n > sizeof MARK - 1 && memcmp(line, MARK, sizeof MARK - 1) == 0) {
      *at = p;
      return head_of((mpg_str){line + sizeof MARK - 1, n - (sizeof MARK - 1)});
    }
  }
  *at = p;
  return (mpg_head){.kind = MPG_HEAD_END};
}

bool mpg_script_declares(const mpg_script *script, mpg_head_kind kind, const char *text) {
  const char *at = script->heads;
  mpg_head head;
  while ((head = mpg_head_next(&at)).kind != MPG_HEAD_END)
    if (head.kind == kind && (text == NULL || mpg_str_eq(head.text, mpg_str_of(text))))
      return true;
  return false;
}

const mpg_script *mpg_script_next_used(const char **at) {
  mpg_head head;
  char name[64];
  do {
    head = mpg_head_next(at);
    if (head.kind == MPG_HEAD_END)
      return NULL;
  } while (head.kind != MPG_HEAD_USES);
  (void)snprintf(name, sizeof name, "%.*s", (int)head.text.n, head.text.p);
  return mpg_script_find(name);
}
