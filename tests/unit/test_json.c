/* test_json.c - records, refusals and places of JSON, and the ways out of it. */
#include "json_told.h"

static void test_streams(void) {
  GIVES("", "");
  GIVES(" \n\t\r\n ", "");
  GIVES("\xef\xbb\xbf", "");
  GIVES("{}", "1:\n");
  GIVES("{}{} {}\n\n{ }", "1:\n1:\n1:\n3:\n");
  GIVES("\xef\xbb\xbf{\"a\":1}\r\n{\"b\":2}\r\n", "1:a=#1\n2:b=#2\n");
  GIVES("[]", "");
  GIVES(" [ ] \n", "");
  GIVES("[{}]", "1:\n");
  GIVES("[\n{\"a\":1},\n{\"a\":2}\n,{}\n]\n", "2:a=#1\n3:a=#2\n4:\n");
  GIVES("{\n \"a\" :\n 1 ,\t\"b\"\r: \"x\"\n}\n{}", "1:a=#1 b=$x\n5:\n");
  GIVES("{\"record\":\"span\",\"job\":\"train-000123\",\"attempt\":1,\"kind\":\"step\",\"start_"
        "time\":"
        "1795240353.25,\"end_time\":null,\"ok\":true,\"no\":false,\"l\":[1,{\"a\":[]}],\"o\":{\"\":"
        "0}}",
        "1:record=$span job=$train-000123 attempt=#1 kind=$step start_time=#1795240353.25 "
        "end_time=Nnull ok=Ttrue no=Ffalse l=[[1,{\"a\":[]}] o={{\"\":0}\n");
  /* Arrays that were appended. */
  GIVES("[{\"a\":1}]\n[\n{\"a\":2},{}\n]\n[]\n\n[{}][{}]\n", "1:a=#1\n3:a=#2\n3:\n7:\n7:\n");
  GIVES("[]\n[{}", "2:\n!t:2:4: expected ',' or ']', found end of file\n");
  GIVES("[{}]\n[1]",
        "1:\n!t:2:2: expected an object or ']', found '1'; nothing after it is read\n");
  /* Behind the end of an array, and in places of objects. */
  GIVES("[{}] {}",
        "1:\n!t:1:6: expected an array or end of file, found '{'; nothing after it is read\n");
  GIVES("[]\n]", "!t:2:1: expected an array or end of file, found ']'; nothing after it is read\n");
  GIVES("[1]", "!t:1:2: expected an object or ']', found '1'; nothing after it is read\n");
  GIVES("[{},]", "1:\n!t:1:5: expected an object, found ']'; nothing after it is read\n");
  GIVES("[,{}]", "!t:1:2: expected an object or ']', found ','; nothing after it is read\n");
  GIVES("[{}{}]", "1:\n!t:1:4: expected ',' or ']', found '{'; nothing after it is read\n");
  GIVES("[{},{\"a\":}\n,{}]",
        "1:\n!t:1:10: expected a value, found '}'; nothing after it is read\n");
  GIVES("[", "!t:1:2: expected an object or ']', found end of file\n");
  GIVES("[{}\n", "1:\n!t:2:1: expected ',' or ']', found end of file\n");
  GIVES("[{},", "1:\n!t:1:5: expected an object, found end of file\n");
  GIVES("{},{}\n{}", "1:\n!t:1:3: expected an object, found ','\n2:\n");
  GIVES("{}\n[{}]\n{}", "1:\n!t:2:1: expected an object, found '['\n3:\n");
  GIVES("null\n", "!t:1:1: expected an object, found 'n'\n");
  GIVES("1\n[]\n{}", "!t:1:1: expected an object, found '1'\n!t:2:1: expected an object, found "
                     "'['\n3:\n");
  GIVES("\"a\"", "!t:1:1: expected an object, found '\"'\n");
  GIVES("\xff{\0}\0", "!t:1:1: expected an object, found byte 0xff\n");
  GIVES("// x\n{}", "!t:1:1: expected an object, found '/'\n2:\n");
  GIVES("\f{}", "!t:1:1: expected an object, found byte 0x0c\n");
}

static void test_truncated(void) {
  GIVES("{}\n{\"a", "1:\n!t:2:4: expected a closing quote, found end of file\n");
  GIVES("{", "!t:1:2: expected a key in double quotes or '}', found end of file\n");
  GIVES("{\"a\"", "!t:1:5: expected ':', found end of file\n");
  GIVES("{\"a\":", "!t:1:6: expected a value, found end of file\n");
  GIVES("{\"a\":1", "!t:1:7: expected ',' or '}', found end of file\n");
  GIVES("{\"a\":-", "!t:1:7: expected a digit, found end of file\n");
  GIVES("{\"a\":tru", "!t:1:9: expected true, found end of file\n");
  GIVES("{\"a\":1,\n", "!t:2:1: expected a key in double quotes, found end of file\n");
  GIVES("{\"a\":[", "!t:1:7: expected a value, found end of file\n");
  GIVES("{\"a\":[1", "!t:1:8: expected ',' or ']', found end of file\n");
  GIVES("{\"a\":{", "!t:1:7: expected a key in double quotes or '}', found end of file\n");
  GIVES("{\"a\":{\"b\"", "!t:1:10: expected ':', found end of file\n");
  GIVES("{\"a\":{\"b\":", "!t:1:11: expected a value, found end of file\n");
  GIVES("{\"a\":{\"b\":1", "!t:1:12: expected ',' or '}', found end of file\n");
  GIVES("{\"a\":\"\\",
        "!t:1:8: expected one of \"\\/bfnrtu behind a backslash, found end of file\n");
  GIVES("{\"a\":\"\\u00", "!t:1:11: expected a hexadecimal digit, found end of file\n");
  GIVES("{\"a\":\"\\ud800", "!t:1:13: expected the second half of a surrogate pair, found end of "
                            "file\n");
  GIVES("{\"a\":\"\\ud800\\", "!t:1:14: expected the second half of a surrogate pair, found end of "
                              "file\n");
  GIVES("{\"a\":\"\xf0\x9f\x98",
        "!t:1:10: expected a continuation byte of UTF-8, found end of file\n");
  /* Every prefix of a record is an error that names the end of the file. */
  static const char whole[] = "{\"a\\n\":[true,null,{\"x\":-1.5e+3,\"\":[]}],\"\xc3\xa9\":\"\\ud83d"
                              "\\ude00\xf0\x9f\x98\x80\"}";
  for (size_t n = 1; n < sizeof whole - 1; n++) {
    (void)render(&got, &mpg_env_libc, (mpg_str){whole, n}, 0, false);
    CHECK(got.p[0] == '!' && strstr(got.p, ", found end of file\n") == got.p + got.n - 20);
  }
  GIVES("{\"a\\n\":[true,null,{\"x\":-1.5e+3,\"\":[]}],\"\xc3\xa9\":"
        "\"\\ud83d\\ude00\xf0\x9f\x98\x80\"}",
        "1:a\n=[[true,null,{\"x\":-1.5e+3,\"\":[]}] \xc3\xa9=$\xf0\x9f\x98\x80\xf0\x9f\x98\x80\n");
}

static void test_refusals(void) {
  GIVES("{\"a\":1,}\n{}", "!t:1:8: expected a key in double quotes, found '}'\n2:\n");
  GIVES("{,}\n", "!t:1:2: expected a key in double quotes or '}', found ','\n");
  GIVES("{a:1}\n", "!t:1:2: expected a key in double quotes or '}', found 'a'\n");
  GIVES("{'a':1}\n", "!t:1:2: expected a key in double quotes or '}', found '''\n");
  GIVES("{\"a\" 1}\n", "!t:1:6: expected ':', found '1'\n");
  GIVES("{\"a\":1 \"b\":2}\n", "!t:1:8: expected ',' or '}', found '\"'\n");
  GIVES("{\"a\":1]\n", "!t:1:7: expected ',' or '}', found ']'\n");
  GIVES("{/* */}\n", "!t:1:2: expected a key in double quotes or '}', found '/'\n");
  BAD("", "6", "a value, found '}'");
  BAD("NaN", "6", "a value, found 'N'");
  BAD("Infinity", "6", "a value, found 'I'");
  BAD("-Infinity", "7", "a digit, found 'I'");
  BAD("nul", "9", "null, found '}'");
  BAD("nulL", "9", "null, found 'L'");
  BAD("True", "6", "a value, found 'T'");
  BAD("falsy", "10", "false, found 'y'");
  BAD("truex", "10", "',' or '}', found 'x'");
  BAD("'x'", "6", "a value, found '''");
  BAD("01", "7", "',' or '}', found '1'");
  BAD("-01", "8", "',' or '}', found '1'");
  BAD("+1", "6", "a value, found '+'");
  BAD(".5", "6", "a value, found '.'");
  BAD("5.", "8", "a digit, found '}'");
  BAD("5.e1", "8", "a digit, found 'e'");
  BAD("5e", "8", "a digit, found '}'");
  BAD("5e+", "9", "a digit, found '}'");
  BAD("5e1.0", "9", "',' or '}', found '.'");
  BAD("0x10", "7", "',' or '}', found 'x'");
  BAD("-", "7", "a digit, found '}'");
  BAD("1 // one", "8", "',' or '}', found '/'");
  BAD("[1,]", "9", "a value, found ']'");
  BAD("[,1]", "7", "a value, found ','");
  BAD("[1 2]", "9", "',' or ']', found '2'");
  BAD("[1}", "8", "',' or ']', found '}'");
  BAD("{\"a\":1]", "12", "',' or '}', found ']'");
  BAD("{\"a\":1,}", "13", "a key in double quotes, found '}'");
  BAD("{1:2}", "7", "a key in double quotes or '}', found '1'");
  BAD("{\"a\"}", "10", "':', found '}'");
  BAD("[[]", "9", "',' or ']', found '}'");
  BAD("[{\"a\":[01]}]", "14", "',' or ']', found '1'");
  BAD("\"a\tb\"", "8", "a closing quote or an escape, found byte 0x09");
  BAD("\"a\0b\"", "8", "a closing quote or an escape, found byte 0x00");
  BAD("\"a\nb\"", "8",
      "a closing quote or an escape, found end of line\n!t:2:1: expected an object, found 'b'");
  BAD("\"\\x\"", "8", "one of \"\\/bfnrtu behind a backslash, found 'x'");
  BAD("\"\\\0\"", "8", "one of \"\\/bfnrtu behind a backslash, found byte 0x00");
  BAD("\"\\'\"", "8", "one of \"\\/bfnrtu behind a backslash, found '''");
  BAD("\"\\u12g4\"", "11", "a hexadecimal digit, found 'g'");
  BAD("\"\\u+123\"", "9", "a hexadecimal digit, found '+'");
  BAD("\"ab\\ud800\"", "9", "a surrogate pair, found a lone surrogate");
  BAD("\"\\ud800x\"", "7", "a surrogate pair, found a lone surrogate");
  BAD("\"\\ud800\\n\"", "7", "a surrogate pair, found a lone surrogate");
  BAD("\"\\ud800\\ud800\"", "7", "a surrogate pair, found a lone surrogate");
  BAD("\"\\ud800\\u0041\"", "7", "a surrogate pair, found a lone surrogate");
  BAD("\"\\udc00\"", "7", "a surrogate pair, found a lone surrogate");
  BAD("\"\\udbff\\udfff \\udfff\"", "20", "a surrogate pair, found a lone surrogate");
  /* UTF-8: stray and missing continuation, overlong forms, surrogates, above U+10FFFF. */
  BAD("\"a\x80\"", "8", "UTF-8, found byte 0x80");
  BAD("\"\xc0\x80\"", "7", "UTF-8, found byte 0xc0");
  BAD("\"\xc1\xbf\"", "7", "UTF-8, found byte 0xc1");
  BAD("\"\xc3\"", "8", "a continuation byte of UTF-8, found '\"'");
  BAD("\"\xe0\x9f\xbf\"", "8", "a continuation byte of UTF-8, found byte 0x9f");
  BAD("\"\xe2\x82\"", "9", "a continuation byte of UTF-8, found '\"'");
  BAD("\"\xed\xa0\x80\"", "8", "a continuation byte of UTF-8, found byte 0xa0");
  BAD("\"\xf0\x8f\xbf\xbf\"", "8", "a continuation byte of UTF-8, found byte 0x8f");
  BAD("\"\xf4\x90\x80\x80\"", "8", "a continuation byte of UTF-8, found byte 0x90");
  BAD("\"\xf5\x80\x80\x80\"", "7", "UTF-8, found byte 0xf5");
  BAD("\"\xff\"", "7", "UTF-8, found byte 0xff");
  BAD("[\"0123456789abcdef\xff\"]", "24", "UTF-8, found byte 0xff");
  GIVES("{\"\x1f\":1}", "!t:1:3: expected a closing quote or an escape, found byte 0x1f\n");
  GIVES("{\"\xff\":1}", "!t:1:3: expected UTF-8, found byte 0xff\n");
}

/* With the option, each is null wherever a value may be, and text in strings is none. */
static void test_nan(void) {
  nan_is_null = true;
  GIVES("{\"a\":NaN,\"N\":-1,\"c\":-Infinity ,\"d\":\"NaN\"}\n{\"a\":1}\n{\"a\":Infinity}",
        "1:a=Nnull N=#-1 c=Nnull d=$NaN\n2:a=#1\n3:a=Nnull\n");
  GIVES("[{\"a\":[NaN,-Infinity,[Infinity],\"NaN "
        "-Infinity\\\"Infinity\"],\"b\":{\"NaN\":{\"I\":NaN}, "
        "\"\xc3\xa9\":0} }]",
        "1:a=[[null,null,[null],\"NaN -Infinity\\\"Infinity\"] b={{\"NaN\":{\"I\":null}, "
        "\"\xc3\xa9\":0}\n");
  PLACES("{\"a\":NaN,\n \"b\":[NaN], \"c\":2}",
         "1:a=Nnull b=[[null] c=#2 @1:2-1:6 @2:2-2:6 @2:13-2:17\n");
  BAD("Nan", "8", "NaN, found 'n'");
  BAD("nan", "7", "null, found 'a'");
  BAD("inf", "6", "a value, found 'i'");
  BAD("+Infinity", "6", "a value, found '+'");
  BAD("-NaN", "7", "a digit, found 'N'");
  BAD("Infinit", "13", "Infinity, found '}'");
  BAD("-Inf", "10", "-Infinity, found '}'");
  BAD("NaN1", "9", "',' or '}', found '1'");
  GIVES("{\"a\":-", "!t:1:7: expected a digit, found end of file\n");
  GIVES("{\"a\":-I", "!t:1:8: expected -Infinity, found end of file\n");
  nan_is_null = false;
}

static void test_unescaped(void) {
  static const char input[] = "{\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\u20AC\\uD83D\\uDE00\":"
                              "\"a\\u0000\\u007f\\u0080\\u07ff\\u0800\\uffff\\udbff\\udfff\","
                              "\"\":\"\x7f\xc2\x80\xef\xbf\xbf\xf4\x8f\xbf\xbf\"}";
  static const char key[] = "\"\\/\b\f\n\r\tA\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80";
  static const char value[] = "a\0\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf4\x8f\xbf\xbf";
  static const char plain[] = "\x7f\xc2\x80\xef\xbf\xbf\xf4\x8f\xbf\xbf";
  for (size_t i = 0; i < HOSTILE_BLOCKS; i++) {
    mpg_err err;
    mpg_stream *stream;
    mpg_json *json;
    const mpg_json_member *m;
    size_t n;
    mpg_json_options options = {0};
    hostile_block(hostile_blocks[i]);
    CHECK(mpg_stream_memory(&stream, &mpg_env_libc, "t", MPG_STR(input), &err) == MPG_OK);
    CHECK(mpg_json_open(&json, &mpg_env_libc, stream, &options, &err) == MPG_OK);
    CHECK(mpg_json_record(json, &m, &n, &err) == MPG_OK && n == 2);
    CHECK(mpg_str_eq(m[0].key, MPG_STR(key)) && mpg_str_eq(m[0].text, MPG_STR(value)));
    CHECK(m[1].key.n == 0 && mpg_str_eq(m[1].text, MPG_STR(plain)));
    CHECK(m[0].kind == MPG_JSON_STRING && m[0].key_at == 1 && m[0].value_at == 50);
    mpg_json_close(json);
    mpg_stream_close(stream);
  }
}

static void test_repeated(void) {
  GIVES("{\"a\":1,\"b\":2,\"a\":3}\n{}",
        "!t:1:14: expected a key that the object does not have yet, "
        "found it again\n2:\n");
  GIVES("{\"\":1,\"\":2} {}", "!t:1:7: expected a key that the object does not have yet, found it "
                              "again\n1:\n");
  GIVES("{\"a\":1,\n\"\\u0061\":2}\n{}",
        "!t:2:1: expected a key that the object does not have yet, "
        "found it again\n3:\n");
  GIVES("[{\"a\":1,\"a\":2},{}]", "!t:1:9: expected a key that the object does not have yet, found "
                                  "it again\n1:\n");
  GIVES("{\"ab\":1,\"ba\":2,\"acb\":3,\"abb\":4}", "1:ab=#1 ba=#2 acb=#3 abb=#4\n");
  GIVES("{\"a\":{\"b\":1,\"b\":2}}", "1:a={{\"b\":1,\"b\":2}\n");
  /* More members than are compared pair by pair: none repeats; then two do, and the first counts.
   */
  static text big;
  for (int twice = 0; twice < 3; twice++) {
    for (int n = 60; n < 400; n += 1 + n / 8) {
      big.n = 0;
      addz(&big, "{");
      for (int i = 0; i < n; i++) {
        addf(&big, "\"k%03lld\":%lld,", i, i);
        if (twice && (i == n - 1 || (twice == 2 && i == n - 3)))
          addf(&big, "\n\"k%03lld\":%lld,", n - 1 - i, i);
      }
      addz(&big, "\"z\":0}");
      for (size_t i = 0; i < HOSTILE_BLOCKS; i++) {
        hostile_block(hostile_blocks[i]);
        (void)render(&got, &mpg_env_libc, (mpg_str){big.p, big.n}, 0, false);
        CHECK(twice
                  ? strcmp(got.p, "!t:2:1: expected a key that the object does not have yet, found "
                                  "it again\n") == 0
                  : strncmp(got.p, "1:k000=#0 k001=#1 ", 18) == 0);
      }
    }
  }
}

static void test_limits(void) {
  for (int extra = 0; extra < 2; extra++)
    for (int object = 0; object < 2; object++) {
      static text deep;
      char want[128];
      int nested = MPG_JSON_DEPTH - 1 + extra;
      deep.n = 0;
      addz(&deep, "{\"a\":");
      for (int i = 0; i < nested; i++)
        addz(&deep, object ? "{\"\":" : "[");
      addz(&deep, "1");
      for (int i = 0; i < nested; i++)
        addz(&deep, object ? "}" : "]");
      addz(&deep, "}");
      hostile_block(0);
      (void)render(&got, &mpg_env_libc, (mpg_str){deep.p, deep.n}, 0, false);
      (void)snprintf(want, sizeof want,
                     "!t:1:%d: expected values that nest at most 512 deep, found a deeper one\n",
                     6 + (object ? 4 : 1) * (MPG_JSON_DEPTH - 1));
      CHECK(extra ? strcmp(got.p, want) == 0 : strncmp(got.p, "1:a=", 4) == 0);
    }
  CHECK(gives(MPG_STR("{\"a\":\"45678\"}\n{}"), 13, false, "1:a=$45678\n2:\n"));
  CHECK(gives(MPG_STR("             {\"a\":\"456789\"}\n{}"), 13, false,
              "!t:1:14: record of more than 13 bytes\n"));
  CHECK(gives(MPG_STR("{\"a\":\"4567890123456789"), 13, false,
              "!t:1:1: record of more than 13 bytes\n"));
  CHECK(gives(MPG_STR("{\"a\":\"456789012345\n}"), 13, false,
              "!t:1:1: record of more than 13 bytes\n"));
  CHECK(gives(MPG_STR("{\"\":1,\"\":3}  \n{}"), 13, false,
              "!t:1:7: expected a key that the object does not have yet, found it again\n2:\n"));
}

static void test_places(void) {
  PLACES("{\"a\":1, \"b\" : \"x\"}", "1:a=#1 b=$x @1:2-1:6 @1:9-1:15\n");
  PLACES("\n {}  {\"a\\n\":\"\\n\",\n\n  \"b\":[\n],\"c\":\n3}\n{\"d\":4}",
         "2:\n2:a\n=$\n b=[[\n] c=#3 @2:7-2:13 @4:3-4:7 @5:3-6:1\n7:d=#4 @7:2-7:6\n");
  PLACES("\xef\xbb\xbf[{\"a\":1}]", "1:a=#1 @1:3-1:7\n");
}

/* JSON in memory: "members", or "!message". */
static const char *parsed(mpg_json_doc **doc, mpg_str input) {
  mpg_err err;
  const mpg_json_member *m;
  size_t n;
  got.n = 0;
  got.p[0] = '\0';
  if (mpg_json_parse(doc, &mpg_env_libc, "labels", input, &m, &n, &err) == MPG_OK) {
    add_members(&got, m, n);
  } else {
    CHECK(m == NULL && n == 0);
    addz(&got, "!");
    addz(&got, err.text);
  }
  return got.p;
}

static void test_parse(void) {
  mpg_json_doc *doc = NULL;
#define PARSED(literal, want) CHECK(strcmp(parsed(&doc, MPG_STR(literal)), want) == 0)
  PARSED("{}", "");
  PARSED(" [ ] ", "");
  PARSED("{\"a\\t\":1,\"b\":[2]}\n", "a\t=#1 b=[[2]");
  PARSED("[1,\"x\\\"\",null,{\"a\":1},[]]", "=#1 =$x\" =Nnull ={{\"a\":1} =[[]");
  PARSED("", "!labels:1:1: expected an object or an array, found end of text");
  PARSED("  ", "!labels:1:3: expected an object or an array, found end of text");
  PARSED("1", "!labels:1:1: expected an object or an array, found '1'");
  PARSED("{} x", "!labels:1:4: expected end of text, found 'x'");
  PARSED("[1\n,", "!labels:2:2: expected a value, found end of text");
  PARSED("[1,]", "!labels:1:4: expected a value, found ']'");
  PARSED("[", "!labels:1:2: expected a value, found end of text");
  PARSED("[}", "!labels:1:2: expected a value, found '}'");
  PARSED("{\"a\":1,\"a\":2}",
         "!labels:1:8: expected a key that the object does not have yet, found "
         "it again");
  PARSED("\xef\xbb\xbf{}", "!labels:1:1: expected an object or an array, found byte 0xef");
  CHECK(strcmp(parsed(&doc, (mpg_str){NULL, 0}),
               "!labels:1:1: expected an object or an array, found end of text") == 0);
  mpg_json_doc_free(doc);
  mpg_json_doc_free(NULL);
  mpg_json_close(NULL);
}

static text want_text;

static void test_memory(void) {
  static text input;
  input.n = 0;
  addz(&input, "{\"a\\n\":\"\\u0041\",\"b\":[1,2,{\"c\":3}]}\n{\"a\":1,\"a\":2}\n{\"x\":nope}\n{"
               "\"x\":[NaN]}\n{");
  for (int i = 0; i < 100; i++)
    addf(&input, "\"k%lld\":\"v\\t%lld\",", i, i);
  addz(&input, "\"z\":0}\n");
  hostile_block(7);
  nan_is_null = true;
  CHECK(render(&want_text, &mpg_env_libc, (mpg_str){input.p, input.n}, 0, true) == MPG_DONE);
  for (int after = 0; after < 2; after++)
    for (long k = 1;; k++) {
      hostile h = {0, k, after == 1, false, 0};
      mpg_env env = hostile_env(&h);
      mpg_rc rc = render(&got, &env, (mpg_str){input.p, input.n}, 0, true);
      CHECK(h.live == 0);
      if (!h.failed) {
        CHECK(rc == MPG_DONE && strcmp(got.p, want_text.p) == 0);
        CHECK(k > 5);
        break;
      }
      CHECK(rc == MPG_NOMEM);
    }
  for (long k = 1;; k++) {
    hostile h = {0, k, false, false, 0};
    mpg_env env = hostile_env(&h);
    mpg_json_doc *doc = NULL;
    mpg_err err;
    const mpg_json_member *m;
    size_t n;
    mpg_str nested = MPG_STR("[1,\"\\t\",{\"x\":2},4,5,6,7,8,9,10,11,12]");
    mpg_rc rc = mpg_json_parse(&doc, &env, "d", nested, &m, &n, &err);
    CHECK(rc == (h.failed ? MPG_NOMEM : MPG_OK));
    if (h.failed) { /* and the same again with memory */
      rc = mpg_json_parse(&doc, &env, "d", nested, &m, &n, &err);
      CHECK(rc == MPG_OK && n == 12 && mpg_str_eq(m[1].text, MPG_STR("\t")));
    }
    mpg_json_doc_free(doc);
    CHECK(h.live == 0);
    if (!h.failed)
      break;
  }
}

/* Long records ask whether to stop, wherever their length comes from, and stop at every such
** place. */
static void stopped(const char *head, const char *piece, bool numbered, const char *tail) {
  enum { BYTES = 3 << 20 };
  char *long_one = malloc(BYTES + 200);
  size_t n = (size_t)sprintf(long_one, "%s", head);
  for (unsigned i = 0; n < BYTES; i++)
    n += (size_t)sprintf(long_one + n, piece, numbered ? i : 0);
  n += (size_t)sprintf(long_one + n, "%s", tail);
  for (long stop = 2;; stop += check_stride(9)) {
    hostile h = {0, 0, false, false, stop};
    mpg_env env = hostile_env(&h);
    mpg_json_doc *doc = NULL;
    const mpg_json_member *m;
    size_t members;
    mpg_err err;
    mpg_rc rc = mpg_json_parse(&doc, &env, "d", (mpg_str){long_one, n}, &m, &members, &err);
    CHECK(rc == (h.stop_in == 1 ? MPG_INTERRUPTED : MPG_OK));
    CHECK(rc == MPG_OK || strcmp(err.text, "interrupted") == 0);
    mpg_json_doc_free(doc);
    CHECK(h.live == 0);
    if (rc == MPG_OK) {
      CHECK(stop > 3); /* it was asked */
      break;
    }
  }
  free(long_one);
}

static void test_stop(void) {
  stopped("{\"a\":[", "[],", false, "1]}");
  stopped("{\"a\":\"", "\\n\\u00e9", false, "\"}");
  stopped("{\"a\":\"", "\xc3\xa9", false, "\"}");
  stopped("{", "\"a%u\":1,", true, "\"b\":2}");
  stopped("{", "\"\\t%u\":1,", true, "\"b\":2}");
}

/* The records of a stream, and their reader, which is asked behind each that is long. */
static void test_stop_in_stream(void) {
  enum { BYTES = 2 << 20 };
  const mpg_str opening = MPG_STR("{\"a\":\""), rest = MPG_STR("\"}\n{\"a\":1}\n");
  char *two = malloc(BYTES + 20);
  memset(two, 'x', BYTES);
  memcpy(two, opening.p, opening.n);
  memcpy(two + BYTES, rest.p, rest.n);
  for (long stop = 2;; stop++) {
    hostile h = {0, 0, false, false, stop};
    mpg_env env = hostile_env(&h);
    mpg_err err;
    mpg_stream *stream = NULL;
    mpg_json *json = NULL;
    mpg_json_options options = {0};
    const mpg_json_member *m;
    size_t n, records = 0;
    mpg_rc rc = mpg_stream_memory(&stream, &env, "t", (mpg_str){two, BYTES + rest.n}, &err);
    CHECK(rc == MPG_OK && mpg_json_open(&json, &env, stream, &options, &err) == MPG_OK);
    while ((rc = mpg_json_record(json, &m, &n, &err)) == MPG_OK)
      records++;
    CHECK(rc == (h.stop_in == 1 ? MPG_INTERRUPTED : MPG_DONE));
    CHECK(records == (rc == MPG_DONE ? 2 : 0));
    mpg_json_close(json);
    mpg_stream_close(stream);
    CHECK(h.live == 0);
    if (rc == MPG_DONE) {
      CHECK(stop > 2);
      break;
    }
  }
  free(two);
}

int main(void) {
  test_stop();
  test_stop_in_stream();
  test_streams();
  test_truncated();
  test_refusals();
  test_nan();
  test_unescaped();
  test_repeated();
  test_limits();
  test_places();
  test_parse();
  test_memory();
  return check_done("json");
}
