/* unwrap.c - the JSON in wrapped lines, byte by byte: see unwrap.h. */
#include "unwrap.h"
#include "../../base/ascii.h"
#include "unwrap_prefix.h"

#include <string.h>

/* Where in the record around a text or an entry. */
enum {
  OUTSIDE,
  STRING, /* a key, or a value that is none of ours */
  AFTER_STRING,
  BEFORE_VALUE, /* behind our key and its colon */
  TEXT_START,
  TEXT,
  ENTRY
};

/* ---- What is given ---- */

static void follow_byte(mpg_unwrap_json *j, char c) {
  if (j->in_string) {
    j->in_string = j->escaped || c != '"';
    j->escaped = !j->escaped && c == '\\';
  } else if (c == '"') {
    j->in_string = true;
    j->escaped = false;
  } else if (c == '{' || c == '[') {
    j->list = j->depth++ == 0 ? c == '[' : j->list;
  } else if ((c == '}' || c == ']') && j->depth > 0) {
    j->depth--;
  }
}

/* Whether a line that begins so is JSON, or goes on with that of the lines before. */
static bool is_given(mpg_unwrap *u, const char *p, const char *end) {
  /* Within JSON over several lines an object stands further in, if it is not of a list. */
  if (end - p > 1 && p[0] == '{' && p[1] == '"' && !(u->json.list && u->json.depth == 1))
    memset(&u->json, 0, sizeof u->json);
  if (u->json.depth > 0)
    return true;
  while (p < end && mpg_is_blank(*p))
    p++;
  return p < end && (*p == '{' || *p == '[');
}

static char *give_byte(mpg_unwrap *u, char *out, char c) {
  follow_byte(&u->json, c);
  *out = c;
  return out + 1;
}

static char *give_ends(mpg_unwrap *u, char *out) {
  memset(out, '\n', u->ends);
  out += u->ends;
  u->ends = 0;
  return out;
}

/* ---- Lines with a prefix ---- */

/* The start of a line is there. */
static char *start_line(mpg_unwrap *u, char *out) {
  const mpg_str line = {u->line, u->n};
  const bool is_json = mpg_unwrap_is_json(line) || (u->document && mpg_unwrap_is_bracket(line));
  const mpg_unwrap_prefix none = {.whole = u->json.depth == 0 && !is_json};
  const mpg_unwrap_prefix prefix = u->bare ? none : mpg_unwrap_prefix_of(line);
  const char *p = u->line + prefix.n, *end = u->line + u->n;
  u->started = true;
  u->n = 0;
  u->aside = u->part && prefix.stream != u->stream;
  u->others += u->aside;
  if (u->aside)
    return out;
  if (!u->part)
    u->given = !prefix.whole && is_given(u, p, end);
  u->others += !u->given && !u->part;
  u->part = prefix.part;
  u->stream = prefix.stream;
  for (; u->given && p < end; p++)
    out = give_byte(u, out, *p);
  return out;
}

static char *run_lines(mpg_unwrap *u, const char *p, const char *end, char *out) {
  for (; p < end; p++) {
    if (!u->started && *p != '\n')
      u->line[u->n++] = *p;
    if (!u->started && (*p == '\n' || u->n == MPG_UNWRAP_LINE))
      out = start_line(u, out);
    else if (u->started && u->given && !u->aside && *p != '\n')
      out = give_byte(u, out, *p);
    if (*p != '\n')
      continue;
    u->started = false;
    u->ends++;
    if (!u->part)
      out = give_ends(u, out);
  }
  return out;
}

/* ---- Records around a text or an entry ---- */

static char *give_character(mpg_unwrap *u, char *out, unsigned code) {
  u->last = code < 0x80 ? (char)code : 'x';
  if (!u->given)
    return out;
  if (code < ' ')
    code = ' ';
  if (code < 0x80)
    return give_byte(u, out, (char)code);
  if (code >= 0x10000)
    *out++ = (char)(0xf0 | code >> 18);
  else if (code >= 0x800)
    *out++ = (char)(0xe0 | code >> 12);
  else
    *out++ = (char)(0xc0 | code >> 6);
  if (code >= 0x10000)
    *out++ = (char)(0x80 | (code >> 12 & 0x3f));
  if (code >= 0x800)
    *out++ = (char)(0x80 | (code >> 6 & 0x3f));
  *out++ = (char)(0x80 | (code & 0x3f));
  u->json.escaped = false;
  return out;
}

/* A digit of \u. What is half of a pair is given with the other half, or not at all. */
static char *take_digit(mpg_unwrap *u, char *out, char c) {
  u->unit = u->unit << 4 | ((unsigned)mpg_hex_digit(c) & 15);
  if (--u->left > 0)
    return out;
  if (u->unit >= 0xd800 && u->unit < 0xdc00) {
    u->high = u->unit;
    return out;
  }
  if (u->unit >= 0xdc00 && u->unit < 0xe000)
    u->unit = u->high == 0 ? 0xfffd : 0x10000 + ((u->high & 0x3ff) << 10) + (u->unit & 0x3ff);
  u->high = 0;
  return give_character(u, out, u->unit);
}

/* The end of the text. Docker's has its line end in it, if it is not a part. */
static char *end_text(mpg_unwrap *u, char *out) {
  u->part = u->docker && u->last != '\n';
  u->state = OUTSIDE;
  if (!u->part && u->given)
    *out++ = ' ';
  return out;
}

/* A byte of the text. */
static char *take_text(mpg_unwrap *u, char *out, char c) {
  static const char letters[] = "nrtbf", codes[] = "\n\r\t\b\f";
  const char *letter;
  if (u->left > 0)
    return take_digit(u, out, c);
  if (!u->escaped && c == '"')
    return end_text(u, out);
  if (!u->escaped && c == '\\') {
    u->escaped = true;
    return out;
  }
  if (!u->escaped && (signed char)c < 0) {
    u->last = 'x';
    u->json.escaped = false;
    if (u->given)
      *out++ = c;
    return out;
  }
  if (u->escaped && c == 'u') {
    u->left = 4;
    u->unit = 0;
  }
  letter = u->escaped ? strchr(letters, c) : NULL;
  u->escaped = false;
  return u->left > 0 ? out
                     : give_character(
                           u, out, (unsigned char)(letter != NULL ? codes[letter - letters] : c));
}

/* The text up to a few bytes shows whether it is JSON. */
static char *start_text(mpg_unwrap *u, char *out, char c) {
  char shown[MPG_UNWRAP_KEY];
  size_t n = 0;
  const bool ends = c == '"' && !(u->n > 0 && u->line[u->n - 1] == '\\');
  if (!ends)
    u->line[u->n++] = c;
  if (!ends && u->n < MPG_UNWRAP_KEY)
    return out;
  for (size_t i = 0; i < u->n; i++)
    if (u->line[i] != '\\')
      shown[n++] = u->line[i] == 'n' && i > 0 && u->line[i - 1] == '\\' ? ' ' : u->line[i];
  if (!u->part)
    u->given = is_given(u, shown, shown + n);
  u->others += !u->part && !u->given;
  u->state = TEXT;
  u->escaped = false;
  u->left = 0;
  u->high = 0;
  for (size_t i = 0; i < u->n; i++)
    out = take_text(u, out, u->line[i]);
  return ends ? take_text(u, out, c) : out;
}

/* Whether our text or entry is what comes after the last string and c. */
static bool is_ours(const mpg_unwrap *u, char c) {
  size_t digits = 0;
  if (!u->pairs)
    return c == ':' && mpg_str_eq((mpg_str){u->line, u->n}, mpg_str_of(u->key));
  while (digits < u->n && mpg_is_digit(u->line[digits]))
    digits++;
  return c == ',' && digits == MPG_UNWRAP_KEY; /* the first of its digits */
}

/* A byte of the record that is neither text nor entry. */
static void take_record(mpg_unwrap *u, char c) {
  switch (u->state) {
  case STRING:
    if (!u->escaped && c == '"')
      u->state = AFTER_STRING;
    else if (u->n < MPG_UNWRAP_KEY)
      u->line[u->n++] = c;
    u->escaped = !u->escaped && c == '\\';
    break;
  case AFTER_STRING:
    if (mpg_is_json_space(c))
      break;
    u->state = is_ours(u, c) ? BEFORE_VALUE : OUTSIDE;
    break;
  default:
    if (u->state == BEFORE_VALUE && mpg_is_json_space(c))
      break;
    if (u->state == BEFORE_VALUE && c == (u->how == MPG_UNWRAP_TEXT ? '"' : '{'))
      u->state = u->how == MPG_UNWRAP_TEXT ? TEXT_START : ENTRY;
    else
      u->state = c == '"' ? STRING : OUTSIDE;
    u->n = 0;
    u->escaped = false;
  }
}

/* The end of a line, which no string goes over. */
static char *end_record_line(mpg_unwrap *u, char *out) {
  if (u->state == TEXT_START || u->state == TEXT || u->state == STRING)
    u->state = OUTSIDE;
  u->ends++;
  return u->part && u->given ? out : give_ends(u, out);
}

static char *take_entry(mpg_unwrap *u, char *out, char c) {
  out = give_byte(u, out, c);
  if (u->json.depth > 0)
    return out;
  u->state = OUTSIDE;
  *out = ' ';
  return out + 1;
}

static char *run_records(mpg_unwrap *u, const char *p, const char *end, char *out) {
  for (; p < end; p++) {
    if (*p == '\n') {
      out = end_record_line(u, out);
    } else if (u->state == TEXT) {
      out = take_text(u, out, *p);
    } else if (u->state == TEXT_START) {
      out = start_text(u, out, *p);
    } else if (u->state == ENTRY) {
      out = take_entry(u, out, *p);
    } else {
      take_record(u, *p);
      if (u->state == ENTRY) {
        memset(&u->json, 0, sizeof u->json);
        out = take_entry(u, out, *p);
      }
    }
  }
  return out;
}

/* ---- JSON in one line ---- */

static char *run_elements(mpg_unwrap *u, const char *p, const char *end, char *out) {
  for (; p < end; p++) {
    const bool between = !u->json.in_string && *p == ',' && (u->last == '}' || u->last == ']');
    out = give_byte(u, out, *p);
    if (between)
      out[-1] = '\n';
    if (!mpg_is_json_space(*p))
      u->last = *p;
  }
  return out;
}

size_t mpg_unwrap_run(mpg_unwrap *u, const char *p, size_t n, char *out) {
  char *end = u->how == MPG_UNWRAP_PREFIX      ? run_lines(u, p, p + n, out)
              : u->how == MPG_UNWRAP_LINE_EACH ? run_elements(u, p, p + n, out)
                                               : run_records(u, p, p + n, out);
  return (size_t)(end - out);
}

size_t mpg_unwrap_end(mpg_unwrap *u, char *out) {
  char *end = u->how == MPG_UNWRAP_PREFIX && !u->started && u->n > 0 ? start_line(u, out) : out;
  if (u->how == MPG_UNWRAP_LINE_EACH && u->json.depth == 0) /* it is whole */
    *end++ = '\n';
  return (size_t)(end - out);
}
