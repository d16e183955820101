/* test_json_random.c - random texts of JSON, beside an independent recogniser of RFC 8259. */
#include "json_told.h"

/*
** RFC 8259 again, by recursive descent over a terminated copy: behind the value, or NULL. With
** nan_is_null, those values too.
*/
static const char *blank(const char *p) {
  return p + strspn(p, " \t\r\n");
}
static const char *accepted(const char *p) {
  static const char *const words[] = {"true", "false", "null", "NaN", "Infinity", "-Infinity"};
  for (int i = 0; i < (nan_is_null ? 6 : 3); i++)
    if (strncmp(p, words[i], strlen(words[i])) == 0)
      return p + strlen(words[i]);
  if (*p == '"') {
    for (p++; *p != '"'; p++) {
      if ((unsigned char)*p < 0x20)
        return NULL;
      if (*p == '\\') {
        p++;
        if (*p == 'u') {
          unsigned v;
          if (strspn(p + 1, "0123456789abcdefABCDEF") < 4)
            return NULL;
          char four[5] = {p[1], p[2], p[3], p[4], 0};
          v = (unsigned)strtoul(four, NULL, 16);
          p += 4;
          if (v >= 0xdc00 && v <= 0xdfff)
            return NULL;
          if (v >= 0xd800 && v <= 0xdbff) {
            if (p[1] != '\\' || p[2] != 'u' || strspn(p + 3, "0123456789abcdefABCDEF") < 4)
              return NULL;
            char low[5] = {p[3], p[4], p[5], p[6], 0};
            v = (unsigned)strtoul(low, NULL, 16);
            if (v < 0xdc00 || v > 0xdfff)
              return NULL;
            p += 6;
          }
        } else if (*p == '\0' || strchr("\"\\/bfnrt", *p) == NULL) {
          return NULL;
        }
      }
    }
    return p + 1;
  }
  if (*p == '[' || *p == '{') {
    char close = *p == '[' ? ']' : '}';
    bool object = *p == '{';
    p = blank(p + 1);
    if (*p == close)
      return p + 1;
    for (;;) {
      if (object) {
        if (*p != '"' || (p = accepted(p)) == NULL)
          return NULL;
        p = blank(p);
        if (*p++ != ':')
          return NULL;
        p = blank(p);
      }
      if ((p = accepted(p)) == NULL)
        return NULL;
      p = blank(p);
      if (*p == close)
        return p + 1;
      if (*p++ != ',')
        return NULL;
      p = blank(p);
    }
  }
  p += *p == '-';
  if (*p == '0')
    p++;
  else if (*p >= '1' && *p <= '9')
    p += strspn(p, "0123456789");
  else
    return NULL;
  if (*p == '.') {
    size_t n = strspn(p + 1, "0123456789");
    if (n == 0)
      return NULL;
    p += n + 1;
  }
  if (*p == 'e' || *p == 'E') {
    p++;
    p += *p == '+' || *p == '-';
    size_t n = strspn(p, "0123456789");
    if (n == 0)
      return NULL;
    p += n;
  }
  return p;
}

static uint64_t seed = 88172645463325252u;
static unsigned below(unsigned n) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (unsigned)(seed >> 33) % n;
}

/* A value, mostly valid. */
static void random_value(text *t, int depth) {
  static const char *const scalars[] = {"0",
                                        "-1.5",
                                        "12e+9",
                                        "true",
                                        "false",
                                        "null",
                                        "NaN",
                                        "-Infinity",
                                        "\"x\"",
                                        "\"\"",
                                        "\"\\n\\u0041\"",
                                        "1E0",
                                        "\"\\ud83d\\ude00\"",
                                        "0.0",
                                        "\"abcdefghijklmnopqrstuvwxyz\""};
  unsigned kind = below(depth > 6 ? 3 : 6);
  if (kind < 3) {
    const char *scalar = scalars[below(sizeof scalars / sizeof *scalars)];
    addz(t, !nan_is_null && strpbrk(scalar, "NI") != NULL ? "null" : scalar);
    return;
  }
  unsigned n = below(4);
  addz(t, kind == 3 ? "[" : "{");
  for (unsigned i = 0; i < n; i++) {
    addz(t, i > 0 ? "," : "");
    addz(t, below(6) ? "" : "\n ");
    if (kind != 3)
      addf(t, "\"k%lld\" :", i, 0);
    random_value(t, depth + 1);
  }
  addz(t, below(6) ? "" : " ");
  addz(t, kind == 3 ? "]" : "}");
}

static void test_random(void) {
  static text input;
  int bad = 0, valid = 0;
  for (int round = 0; round < 20000; round++) {
    mpg_err err;
    mpg_stream *stream;
    mpg_json *json;
    const mpg_json_member *m;
    size_t n;
    mpg_json_options options = {0, round % 2 == 1};
    mpg_rc rc;
    const char *end;
    nan_is_null = options.nan_is_null;
    input.n = 0;
    addz(&input, "{\"a\":");
    random_value(&input, 1);
    addz(&input, "}");
    for (unsigned i = below(3); i > 0; i--) /* then a byte or two changed, left out or put in */
      switch (below(3)) {
      case 0:
        input.p[below((unsigned)input.n)] = "{}[]:,\"\\0123eE+-. \ntfnu"[below(23)];
        break;
      case 1: {
        unsigned at = below((unsigned)input.n);
        memmove(input.p + at, input.p + at + 1, input.n - at);
        input.n--;
        break;
      }
      default: {
        unsigned at = below((unsigned)input.n);
        memmove(input.p + at + 1, input.p + at, input.n - at + 1);
        input.p[at] = "{}[]:,\"\\0123eE+-. \ntfnu"[below(23)];
        input.n++;
      }
      }
    end = blank(input.p);
    if (*end != '{')
      continue;
    end = accepted(end);
    hostile_block(hostile_blocks[(size_t)round % HOSTILE_BLOCKS]);
    CHECK(mpg_stream_memory(&stream, &mpg_env_libc, "t", (mpg_str){input.p, input.n}, &err) ==
          MPG_OK);
    CHECK(mpg_json_open(&json, &mpg_env_libc, stream, &options, &err) == MPG_OK);
    rc = mpg_json_record(json, &m, &n, &err);
    if (rc == MPG_OK && nan_is_null) { /* it is JSON now */
      mpg_str record = mpg_json_text_of(json);
      static text copy;
      nan_is_null = false;
      copy.n = 0;
      add(&copy, record.p, record.n);
      CHECK(accepted(copy.p) == copy.p + copy.n);
      nan_is_null = true;
    }
    if (rc == MPG_OK && *blank(end) == '\0')
      rc = mpg_json_record(json, &m, &n, &err);
    valid += end != NULL;
    if ((rc == MPG_DATA && strstr(err.text, "found it again") == NULL) != (end == NULL) &&
        bad++ < 3)
      (void)fprintf(stderr, "input: %s\n%d %s\n", input.p, (int)rc, rc == MPG_DATA ? err.text : "");
    mpg_json_close(json);
    mpg_stream_close(stream);
  }
  nan_is_null = false;
  CHECK(bad == 0 && valid > 4000 && valid < 16000);
}

int main(void) {
  test_random();
  return check_done("json_random");
}
