/* unwrap_prefix.c - see unwrap_prefix.h. */
#include "unwrap_prefix.h"
#include "../../base/ascii.h"

#include <string.h>

/* Whether the text has the form: 0 a digit, A a capital, a any letter, any other itself. */
static bool has_form(const char *p, const char *end, const char *form) {
  for (; *form != '\0'; form++, p++) {
    if (p == end)
      return false;
    if (*form == '0'   ? !mpg_is_digit(*p)
        : *form == 'A' ? !mpg_is_upper(*p)
        : *form == 'a' ? !mpg_is_letter(*p)
                       : *p != *form)
      return false;
  }
  return true;
}

/* After the time at p, and the blank behind it; NULL if there is none. */
static const char *after_time(const char *p, const char *end) {
  if (!has_form(p, end, "0000-00-00T00:00:00") && !has_form(p, end, "0000-00-00 00:00:00"))
    return NULL;
  for (p += 19; p < end && *p != ' '; p++)
    if (!mpg_is_digit(*p) && strchr(".,:+-Z", *p) == NULL)
      return NULL;
  return p < end ? p + 1 : NULL;
}

/* After the stream and the tags of a line of a container runtime ("stdout F "); NULL. */
static const char *after_stream(const char *p, const char *end, bool *part) {
  if (!has_form(p, end, "stdout ") && !has_form(p, end, "stderr "))
    return NULL;
  p += 7;
  if (p == end || (*p != 'F' && *p != 'P'))
    return NULL;
  *part = *p == 'P';
  while (p < end && *p != ' ')
    p++;
  return p < end ? p + 1 : NULL;
}

/* Whether what stands here may be of JSON, be it over several lines. */
static bool is_json(const char *p, const char *end) {
  while (p < end && mpg_is_blank(*p))
    p++;
  if (p == end || *p == '\r' || *p == '{' || *p == '}' || *p == ']' || *p == '"')
    return true;
  return *p == '[' && (p + 1 == end || !mpg_is_letter(p[1]));
}

/* The first '{' that may begin an object; NULL: none does. */
static const char *first_object(const char *p, const char *end) {
  while ((p = p == end ? NULL : memchr(p, '{', (size_t)(end - p))) != NULL) {
    const char *next = p + 1;
    while (next < end && mpg_is_json_space(*next))
      next++;
    if (next < end && (*next == '"' || *next == '}'))
      return p;
    p++;
  }
  return NULL;
}

/* After a name in brackets or before a bar; p itself. */
static const char *after_name(const char *p, const char *end) {
  const char *at = p;
  if (p < end && *p == '[' && end - p > 1 && (mpg_is_letter(p[1]) || mpg_is_digit(p[1]))) {
    at = memchr(p, ']', (size_t)(end - p));
    at = at == NULL ? p : at + 1;
    at += at > p && at < end && *at == ':';
    return at > p && at < end && *at == ' ' ? at + 1 : p;
  }
  while (at < end && *at != ' ' && *at != '{')
    at++;
  while (at < end && *at == ' ')
    at++;
  return at > p && end - at > 1 && at[0] == '|' && at[1] == ' ' ? at + 2 : p;
}

mpg_unwrap_prefix mpg_unwrap_prefix_of(mpg_str line) {
  const char *end = line.p + line.n, *named = after_name(line.p, end);
  const char *timed = after_time(named, end), *p = timed == NULL ? named : timed, *after;
  mpg_unwrap_prefix prefix = {0, false, false, 0};
  after = timed == NULL ? NULL : after_stream(timed, end, &prefix.part);
  if (after != NULL) {
    p = after;
    prefix.stream = timed[3]; /* of "stdout" or "stderr" */
  } else if (p == line.p || !is_json(p, end)) {
    p = first_object(p, end);
  }
  prefix.whole = p == NULL;
  prefix.n = p == NULL ? line.n : (size_t)(p - line.p);
  return prefix;
}

bool mpg_unwrap_is_json(mpg_str line) {
  return line.n > 2 && ((line.p[0] == '{' && line.p[1] == '"') ||
                        (line.p[0] == '[' && line.p[1] == '{' && line.p[2] == '"'));
}

bool mpg_unwrap_is_bracket(mpg_str line) {
  while (line.n > 1 && mpg_is_json_space(line.p[line.n - 1]))
    line.n--;
  return line.n == 1 && (*line.p == '{' || *line.p == '[');
}

/* After the codes of colours at p. */
static const char *after_colours(const char *p, const char *end) {
  while (end - p > 2 && p[0] == '\x1b' && p[1] == '[') {
    const char *at = p + 2;
    while (at < end && (mpg_is_digit(*at) || *at == ';'))
      at++;
    if (at == end || *at != 'm')
      break;
    p = at + 1;
  }
  return p;
}

/* Whether a launcher said whose line it is: "[default0]:", "[1,0]<stdout>:", "(Worker pid=71) ",
** "worker-0: ". A word has a digit in it, as names of hosts and ranks do. */
static bool has_label(const char *p, const char *end) {
  bool digit = false;
  const char *at;
  p = after_colours(p, end);
  if (end - p < 3)
    return false;
  if (*p == '(') {
    const char *close = memchr(p, ')', (size_t)(end - p));
    for (at = p; close != NULL && at < close; at++)
      if (has_form(at, close, " pid=0"))
        return true;
    return false;
  }
  if (*p == '[') {
    at = memchr(p, ']', (size_t)(end - p));
    return at != NULL && end - at > 1 && (at[1] == ':' || at[1] == '<') &&
           (mpg_is_letter(p[1]) || mpg_is_digit(p[1]));
  }
  for (at = p; at < end && (mpg_is_letter(*at) || mpg_is_digit(*at) || strchr("-_.", *at) != NULL);
       at++)
    digit |= mpg_is_digit(*at);
  return at > p && digit && end - at > 1 && *at == ':' &&
         (at[1] == ' ' || at[1] == '{' || at[1] == '[');
}

bool mpg_unwrap_has_prefix(mpg_str line) {
  /* Of syslog, java.util.logging, logback, and the level with which loggers begin. */
  static const char *const forms[] = {"Aaa 00 00:00:00 ",
                                      "Aaa  0 00:00:00 ",
                                      "<0",
                                      "Aaa 00, 0000 ",
                                      "Aaa 0, 0000 ",
                                      "00:00:00",
                                      "INFO",
                                      "WARN",
                                      "DEBUG",
                                      "ERROR"};
  const char *p = line.p, *end = line.p + line.n;
  if (after_name(p, end) > p || after_time(p, end) != NULL || has_label(p, end))
    return true;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    if (has_form(p, end, forms[i]))
      return true;
  while (p < end && *p == ' ')
    p++;
  return has_label(p, end);
}
