/*
** test_csv.c - records, errors and places of delimited text, under several block sizes, against a
** parser that looks at one byte after the other.
*/
#include "check.h"
#include "hostile.h"
#include "../../ext/read/parse/csv.h"

#define TEXT 65536

typedef struct text {
  char p[TEXT];
  size_t n;
} text;

static void add(text *t, const char *p, size_t n) {
  if (n > TEXT - 1 - t->n)
    n = TEXT - 1 - t->n;
  memcpy(t->p + t->n, p, n);
  t->n += n;
  t->p[t->n] = '\0';
}
static void addz(text *t, const char *z) {
  add(t, z, strlen(z));
}
static void addf(text *t, const char *format, long long a, long long b) {
  char z[64];
  (void)snprintf(z, sizeof z, format, a, b);
  addz(t, z);
}

/* "LINE:[field][field]" for each record, "!message" for each error, one per line, up to the end or
** an error that stays. With `places`, " LINE:COLUMN" of each field and of the record's end. */
static mpg_rc render(text *out, const mpg_env *env, mpg_str input, const mpg_csv_options *options,
                     bool places) {
  mpg_err err;
  mpg_stream *stream = NULL;
  mpg_csv *csv = NULL;
  const mpg_str *fields;
  size_t n;
  mpg_rc rc = mpg_stream_memory(&stream, env, "t", input, &err);
  out->n = 0;
  out->p[0] = '\0';
  if (rc == MPG_OK)
    rc = mpg_csv_open(&csv, env, stream, options, &err);
  while (rc == MPG_OK || rc == MPG_DATA) {
    rc = mpg_csv_next(csv, &fields, &n, &err);
    if (rc == MPG_OK) {
      addf(out, "%lld:", mpg_csv_line(csv), 0);
      for (size_t i = 0; i < n; i++) {
        addz(out, "[");
        if (fields[i].n > 0)
          add(out, fields[i].p, fields[i].n);
        addz(out, "]");
      }
      for (size_t i = 0; places && i <= n; i++) {
        int64_t line, column;
        mpg_csv_where(csv, i, &line, &column);
        addf(out, " %lld:%lld", line, column);
      }
      addz(out, "\n");
    } else if (rc != MPG_DONE) {
      addz(out, "!");
      addz(out, err.text);
      addz(out, "\n");
    }
  }
  if (rc != MPG_OK && csv != NULL) {
    mpg_err again;
    CHECK(mpg_csv_next(csv, &fields, &n, &again) == rc && n == 0);
    CHECK(rc == MPG_DONE || strcmp(again.text, err.text) == 0);
  }
  mpg_csv_close(csv);
  mpg_stream_close(stream);
  return rc;
}

static text got;

/* `want` under every block size. */
static bool gives(mpg_str input, mpg_csv_options options, bool places, const char *want) {
  for (size_t i = 0; i < HOSTILE_BLOCKS; i++) {
    hostile_block(hostile_blocks[i]);
    (void)render(&got, &mpg_env_libc, input, &options, places);
    if (strcmp(got.p, want) != 0) {
      (void)fprintf(stderr, "block %zu, got:\n%s\nwant:\n%s\n", hostile_blocks[i], got.p, want);
      return false;
    }
  }
  return true;
}
#define COMMA                                                                                      \
  (mpg_csv_options) {                                                                              \
    ',', false, 0                                                                                  \
  }
#define GIVES(literal, want) CHECK(gives(MPG_STR(literal), COMMA, false, want))
#define PLACES(literal, want) CHECK(gives(MPG_STR(literal), COMMA, true, want))

static void test_records(void) {
  GIVES("", "");
  GIVES("\n\n\r\n\r\r", "");
  GIVES("a", "1:[a]\n");
  GIVES("a,b,c\n", "1:[a][b][c]\n");
  GIVES("a,b\nc,d", "1:[a][b]\n2:[c][d]\n");
  GIVES(",\n", "1:[][]\n");
  GIVES(",", "1:[][]\n");
  GIVES("a,\n,b\n", "1:[a][]\n2:[][b]\n");
  GIVES("\"\"", "1:[]\n");
  GIVES("\"\",\"\"\n", "1:[][]\n");
  GIVES("a\r\nb\r\n\r\nc", "1:[a]\n2:[b]\n4:[c]\n");
  GIVES("a\rb\r\rc\r", "1:[a]\n2:[b]\n4:[c]\n");
  GIVES("a\n\rb\n", "1:[a]\n3:[b]\n");
  GIVES("a\r\r\nb", "1:[a]\n3:[b]\n");
  GIVES("\n\n a \n", "3:[ a ]\n");
  GIVES("\"a,b\",c\n", "1:[a,b][c]\n");
  GIVES("\"a\"\"b\",\"\"\"\",\"\"\"c\"\"\"\n", "1:[a\"b][\"][\"c\"]\n");
  GIVES("\"\"\"\"\"\"", "1:[\"\"]\n");
  GIVES("\"a\nb\",c\nd\n", "1:[a\nb][c]\n3:[d]\n");
  GIVES("\"a\r\nb\rc\",d\r\ne\r\n", "1:[a\r\nb\rc][d]\n4:[e]\n");
  GIVES("\"\n\n\",x\ny", "1:[\n\n][x]\n4:[y]\n");
  GIVES("ab\"c\",\"d\n", "!t:1:7: expected a closing quote for the field that begins "
                         "here, found end of file\n");
  GIVES("a\"b\"\"c,\"\"\"d\"\n", "1:[a\"b\"\"c][\"d]\n");
  GIVES("\xef\xbb\xbfname,v\n1,2\n", "1:[name][v]\n2:[1][2]\n");
  GIVES("\xef\xbb\xbf\"name\",v\n", "1:[name][v]\n");
  GIVES("\xef\xbb\xbf", "");
  GIVES("\xef\xbb", "1:[\xef\xbb]\n");
  GIVES("a\n\xef\xbb\xbfz\n", "1:[a]\n2:[\xef\xbb\xbfz]\n");
  GIVES("t\tab\x01\x0b\x0c,\"\x02\t\"\n", "1:[t\tab\x01\x0b\x0c][\x02\t]\n");
  GIVES("\xfd\xfe,\x80", "1:[\xfd\xfe][\x80]\n");
  /* Separators on both sides of every 64th byte. */
  GIVES("012345678901234567890123456789012345678901234567890123456789012,4,5,\"\"\"\"\n",
        "1:[012345678901234567890123456789012345678901234567890123456789012][4][5][\"]\n");
  GIVES("\"1234567890123456789012345678901234567890123456789012345678901\"\"2\",3\n",
        "1:[1234567890123456789012345678901234567890123456789012345678901\"2][3]\n");
  GIVES("\"123456789012345678901234567890123456789012345678901234567890123\"\r\n\"x\"",
        "1:[123456789012345678901234567890123456789012345678901234567890123]\n2:[x]\n");
}

static void test_delimiters(void) {
  mpg_csv_options o = {'|', true, 0};
  CHECK(gives(MPG_STR("a|\"b|c\"d\n\"|\n"), o, false, "1:[a][\"b][c\"d]\n2:[\"][]\n"));
  CHECK(gives(MPG_STR("\"x\"|y\n"), o, true, "1:[\"x\"][y] 1:1 1:5 1:6\n"));
  o = (mpg_csv_options){'\t', false, 0};
  CHECK(gives(MPG_STR("a\tb,c\t\"d\te\"\t\n"), o, false, "1:[a][b,c][d\te][]\n"));
  o = (mpg_csv_options){'\x1f', false, 0};
  CHECK(gives(MPG_STR("a\x1f\x62,c\x1f\"\x1f\"\n"), o, false, "1:[a][b,c][\x1f]\n"));
  o = (mpg_csv_options){(char)0xa7, false, 0};
  CHECK(gives(MPG_STR("a\xa7\x62"), o, false, "1:[a][b]\n"));
  for (int i = 0; i < 4; i++) {
    mpg_err err;
    mpg_stream *s = NULL;
    mpg_csv *csv = NULL;
    o.delimiter = "\"\r\n"[i];
    CHECK(mpg_stream_memory(&s, &mpg_env_libc, "t", MPG_STR("a"), &err) == MPG_OK);
    CHECK(mpg_csv_open(&csv, &mpg_env_libc, s, &o, &err) == MPG_MISUSE && csv == NULL);
    CHECK(strcmp(err.text, "t: a delimiter cannot be a quote, a line end or NUL") == 0);
    mpg_stream_close(s);
  }
}

static void test_errors(void) {
  GIVES("a,\"b\n\nc", "!t:1:3: expected a closing quote for the field that begins here, found end "
                      "of file; the 2 lines after it are not read\n");
  GIVES("\"a\r\nb\r\n", "!t:1:1: expected a closing quote for the field that begins here, found "
                        "end of file; the 1 line after it is not read\n");
  GIVES("a\nx,\"", "1:[a]\n!t:2:3: expected a closing quote for the field that begins here, found "
                   "end of file\n");
  GIVES("\"a\"b,c\nd\n", "!t:1:4: expected a delimiter or the end of the line after the closing "
                         "quote, found 'b'\n2:[d]\n");
  GIVES("\"a\" ,c\r\nd\n", "!t:1:4: expected a delimiter or the end of the line after the closing "
                           "quote, found ' '\n2:[d]\n");
  GIVES("\"a\"b", "!t:1:4: expected a delimiter or the end of the line after the closing quote, "
                  "found 'b'\n");
  GIVES("\"a\"\t\n1", "!t:1:4: expected a delimiter or the end of the line after the closing "
                      "quote, found byte 0x09\n2:[1]\n");
  GIVES("\"a\"\0\n1", "!t:1:4: expected a delimiter or the end of the line after the closing "
                      "quote, found byte 0x00\n2:[1]\n");
  GIVES("q,\"a\r\n\nb\"c,\"d\ne\n", "!t:3:3: expected a delimiter or the end of the line after the "
                                    "closing quote, found 'c'\n4:[e]\n");
  GIVES("ab\nc,d\0e,f\ng\n", "1:[ab]\n!t:2:4: expected text, found byte 0x00\n3:[g]\n");
  GIVES("\0\ra\r", "!t:1:1: expected text, found byte 0x00\n2:[a]\n");
  GIVES("\"x\ny\0z\"\r\na\r", "!t:2:2: expected text, found byte 0x00\n3:[a]\n");
  GIVES("a\0", "!t:1:2: expected text, found byte 0x00\n");
}

static void test_places(void) {
  PLACES("a,bc,d\n", "1:[a][bc][d] 1:1 1:3 1:6 1:7\n");
  PLACES("x\n\"a\nb\",c,\"d\r\ne\"\"\r\",\"\",f\ng",
         "1:[x] 1:1 1:2\n2:[a\nb][c][d\r\ne\"\r][][f] 2:1 3:4 3:6 5:3 5:6 5:7\n6:[g] 6:1 6:2\n");
  PLACES("\"a\"\"b\",\"c\",d", "1:[a\"b][c][d] 1:1 1:8 1:12 1:13\n");
  PLACES("\"\",\"\"\"\"\n", "1:[][\"] 1:1 1:4 1:8\n");
  PLACES("\xef\xbb\xbf"
         "a,b",
         "1:[a][b] 1:1 1:3 1:4\n");
}

static void test_limits(void) {
  mpg_csv_options o = {',', false, 10};
  CHECK(
      gives(MPG_STR("0123456789\n0,2,4,6,89\n"), o, false, "1:[0123456789]\n2:[0][2][4][6][89]\n"));
  CHECK(gives(MPG_STR("a\n01234567890\nb\n"), o, false,
              "1:[a]\n!t:2:1: record of more than 10 bytes\n"));
  CHECK(gives(MPG_STR("a\n\"0\n345678901234567890\nb\n"), o, false,
              "1:[a]\n!t:2:1: record of more than 10 bytes\n"));
  CHECK(gives(MPG_STR("\"a\"b 345678901234567890\nb\n"), o, false,
              "!t:1:4: expected a delimiter or the end of the line after the closing quote, found "
              "'b'\n2:[b]\n"));
  hostile_block(0);
  static char many[2 * (size_t)65536];
  memset(many, ',', sizeof many);
  o = COMMA;
  for (size_t n = (size_t)65536 - 2; n <= (size_t)65536; n++) {
    mpg_err err;
    mpg_stream *s;
    mpg_csv *csv;
    const mpg_str *fields;
    size_t got_n;
    CHECK(mpg_stream_memory(&s, &mpg_env_libc, "t", (mpg_str){many, n}, &err) == MPG_OK);
    CHECK(mpg_csv_open(&csv, &mpg_env_libc, s, &o, &err) == MPG_OK);
    if (n < (size_t)65536) {
      CHECK(mpg_csv_next(csv, &fields, &got_n, &err) == MPG_OK && got_n == n + 1);
    } else {
      CHECK(mpg_csv_next(csv, &fields, &got_n, &err) == MPG_LIMIT);
      CHECK(strcmp(err.text, "t:1:1: record of more than 65536 fields") == 0);
    }
    mpg_csv_close(csv);
    mpg_stream_close(s);
  }
}

/* The same records and errors, one byte at a time. */
static void slowly(text *out, const char *p, size_t n, const char *delimiters, bool quotes) {
  long long line = 1, column = 1;
  size_t i = 0;
  out->n = 0;
  out->p[0] = '\0';
  while (i < n) {
    static text record;
    long long first = line, lost = 0;
    const char *error = NULL;
    bool end = false;
    record.n = 0;
    if (p[i] == '\n' || p[i] == '\r') {
      i += p[i] == '\r' && i + 1 < n && p[i + 1] == '\n' ? 2 : 1;
      line++;
      continue;
    }
    column = 1;
    while (!end && error == NULL) {
      addz(&record, "[");
      if (quotes && i < n && p[i] == '"') {
        long long open_line = line, open_column = column;
        i++, column++;
        for (;;) {
          if (i == n) {
            error = "end";
            lost = line - open_line - (column == 1); /* lines that are begun within it */
            line = open_line;
            column = open_column;
            break;
          }
          if (p[i] == '"' && i + 1 < n && p[i + 1] == '"') {
            addz(&record, "\"");
            i += 2, column += 2;
          } else if (p[i] == '"') {
            i++, column++;
            if (i < n && p[i] != *delimiters && p[i] != '\n' && p[i] != '\r')
              error = "quote";
            break;
          } else if (p[i] == '\0') {
            error = "nul";
            break;
          } else {
            add(&record, p + i, 1);
            if (p[i] == '\n' || (p[i] == '\r' && !(i + 1 < n && p[i + 1] == '\n'))) {
              line++;
              column = 1;
            } else {
              column++;
            }
            i++;
          }
        }
      } else {
        while (i < n && p[i] != *delimiters && p[i] != '\n' && p[i] != '\r' && p[i] != '\0') {
          add(&record, p + i, 1);
          i++, column++;
        }
        if (i < n && p[i] == '\0')
          error = "nul";
      }
      addz(&record, "]");
      if (error == NULL) {
        if (i < n && p[i] == *delimiters) {
          i++, column++;
        } else {
          end = true;
          if (i < n) {
            i += p[i] == '\r' && i + 1 < n && p[i + 1] == '\n' ? 2 : 1;
            line++;
          }
        }
      }
    }
    if (error == NULL) {
      addf(out, "%lld:", first, 0);
      add(out, record.p, record.n);
      addz(out, "\n");
      continue;
    }
    addf(out, "!t:%lld:%lld: ", line, column);
    addz(out, *error == 'e'   ? "expected a closing quote for the field that begins here, found "
                                "end of file"
              : *error == 'n' ? "expected text, found byte 0x00"
                              : "expected a delimiter or the end of the line after the closing "
                                "quote, found ");
    if (*error == 'q') {
      if (p[i] >= ' ' && p[i] < 127)
        add(out, (const char[]){'\'', p[i], '\''}, 3);
      else
        addf(out, "byte 0x%02llx", (unsigned char)p[i], 0);
    }
    if (lost > 0)
      addf(out,
           lost == 1 ? "; the %lld line after it is not read"
                     : "; the %lld lines after it are not read",
           lost, 0);
    addz(out, "\n");
    while (i < n && p[i] != '\n' && p[i] != '\r')
      i++;
    if (i < n)
      i += p[i] == '\r' && i + 1 < n && p[i + 1] == '\n' ? 2 : 1;
    line++;
  }
}

static void test_random(void) {
  static text want;
  uint64_t seed = 88172645463325252u;
  int bad = 0;
  for (int round = 0; round < 20000; round++) {
    char input[200];
    size_t n = 0;
    bool quotes = round % 5 != 0;
    char d = round % 3 == 0 ? '\t' : ',';
    mpg_csv_options o = {d, !quotes, 0};
    while (n < sizeof input) {
      seed ^= seed << 13;
      seed ^= seed >> 7;
      seed ^= seed << 17;
      if (n > 8 && seed >> 40 % 150 == 0)
        break;
      unsigned pick = (unsigned)(seed >> 33) % (round % 7 == 0 ? 40 : 39);
      input[n] = pick < 6    ? d
                 : pick < 13 ? '"'
                 : pick < 16 ? '\n'
                 : pick < 18 ? '\r'
                 : pick < 20 ? ' '
                 : pick < 39 ? (char)('a' + pick % 4)
                             : '\0';
      /* A quote next to a delimiter, mostly: else little gets past the first errors. */
      if (input[n] == '"' && n > 0 && input[n - 1] >= 'a' && (seed & 1)) {
        input[n++] = '"';
        if (n < sizeof input)
          input[n] = d;
      }
      n += n < sizeof input;
    }
    slowly(&want, input, n, &d, quotes);
    hostile_block(hostile_blocks[(size_t)round % HOSTILE_BLOCKS]);
    (void)render(&got, &mpg_env_libc, (mpg_str){input, n}, &o, false);
    if ((got.n != want.n || memcmp(got.p, want.p, got.n) != 0) && bad++ < 3)
      (void)fprintf(stderr, "input: %.*s\ngot:\n%s\nwant:\n%s\n", (int)n, input, got.p, want.p);
  }
  CHECK(bad == 0);
}

static void test_memory_and_stops(void) {
  static text want;
  static const char input[] =
      "a,b,c,d,e,f,g,h,i,j\n\"1\"\"2\n3\",4,\"\n\n\n\n\n\n\n\n\n\n5\"\n6,\"7\"x\n8,9\n"
      "0123456789012345678901234567890123456789012345678901234567890123456789\n";
  mpg_csv_options o = COMMA;
  hostile_block(7);
  CHECK(render(&want, &mpg_env_libc, MPG_STR(input), &o, true) == MPG_DONE);
  for (int after = 0; after < 2; after++) {
    for (long k = 1;; k++) {
      hostile h = {0, k, after == 1, false, 0};
      mpg_env env = hostile_env(&h);
      mpg_rc rc = render(&got, &env, MPG_STR(input), &o, true);
      CHECK(h.live == 0);
      if (!h.failed) {
        CHECK(rc == MPG_DONE && strcmp(got.p, want.p) == 0);
        CHECK(k > 5);
        break;
      }
      CHECK(rc == MPG_NOMEM);
      CHECK(got.n == 0 || strstr(got.p, "!out of memory\n") != NULL);
    }
  }
}

int main(void) {
  test_records();
  test_delimiters();
  test_errors();
  test_places();
  test_limits();
  test_random();
  test_memory_and_stops();
  return check_done("csv");
}
