/*
** json_records.h - strict JSON (RFC 8259) from a stream: JSON Lines, arrays, or one document, in
** bounded memory (a window that holds the current value).
**
** Refused with MPG_DATA and "PATH:LINE:COLUMN: expected ..., found ...": trailing commas, comments,
** single quotes, leading zeros, unescaped control characters, lone surrogates, invalid UTF-8, text
** after the value, and NaN and infinities unless the options allow them. If the text ends too
** early, the error says "found end of file". Depth over MPG_JSON_DEPTH, more members than
** MPG_LIMIT_JSON_MEMBERS and a record over the limit are MPG_LIMIT. A byte order mark at the start
** of a stream is skipped and not counted in columns.
*/
#ifndef MPG_JSON_RECORDS_H
#define MPG_JSON_RECORDS_H

#include "block.h"
#include "../input/stream.h"

#define MPG_JSON_DEPTH 512 /* of objects and arrays; an object by itself has depth 1 */

typedef enum mpg_json_kind {
  MPG_JSON_NULL,
  MPG_JSON_FALSE,
  MPG_JSON_TRUE,
  MPG_JSON_NUMBER, /* text: the digits as written */
  MPG_JSON_STRING, /* text: unescaped UTF-8 */
  MPG_JSON_ARRAY,  /* text: the raw JSON, checked */
  MPG_JSON_OBJECT, /* text: the raw JSON, checked */
  MPG_JSON_NAN     /* of a scan that takes them (json_tokens.h): NaN, Infinity or -Infinity */
} mpg_json_kind;

typedef struct mpg_json_member {
  mpg_str key; /* unescaped */
  mpg_json_kind kind;
  mpg_str text;
  size_t key_at, value_at; /* byte offsets in the record, for mpg_json_where */
} mpg_json_member;

typedef struct mpg_json mpg_json;

typedef struct mpg_json_options {
  size_t record_limit; /* bytes of one record; 0: MPG_LIMIT_RECORD_BYTES */
  bool nan_is_null;    /* NaN, Infinity and -Infinity, as Python's json writes them, are null */
} mpg_json_options;

mpg_rc mpg_json_open(mpg_json **out, const mpg_env *env, mpg_stream *stream /* borrowed */,
                     const mpg_json_options *options, mpg_err *err);
void mpg_json_close(mpg_json *json); /* NULL is fine; the stream stays open */

/*
** The next object of the stream: of objects one after the other (JSON Lines; any white space
** between), or of the elements of an array, or of arrays one after the other, as a program leaves
** that appends one each time. Its members are in the order written; nested values are checked raw
** text, for mpg_json_parse. Borrowed until the next call. Any other value is MPG_DATA, and so is a
** key that repeats (in a nested object, when that is parsed). MPG_DONE at the end; a stream without
** any value has no record.
**
** After MPG_DATA the next call continues: after an object with a repeated key; else, in JSON Lines,
** after the line in which the malformed record begins; within an array the start of the next
** element is unknown: the error says that nothing after it is read, and the next call passes over
** the rest and returns MPG_DONE. After any other error, also MPG_DATA of the stream itself, every
** call returns that error again: mpg_json_is_broken.
*/
mpg_rc mpg_json_record(mpg_json *json, const mpg_json_member **members, size_t *n, mpg_err *err);
int64_t mpg_json_line(const mpg_json *json); /* where the current record begins */
/* Whether an error was returned that every call will repeat. */
bool mpg_json_is_broken(const mpg_json *json);
/* How many values of the current record, nested ones too, are null for nan_is_null. */
size_t mpg_json_nans(const mpg_json *json);
/* The current record as it is in the stream, except for those values: borrowed until the next call.
*/
mpg_str mpg_json_text_of(const mpg_json *json);
/* Whether what was malformed is JSON Lines that end within their last line: what is still being
** written may end so. */
bool mpg_json_cut_off(const mpg_json *json);
/* Line and column of a byte offset of the current record (key_at, value_at). */
void mpg_json_where(const mpg_json *json, size_t at, int64_t *line, int64_t *column);

/*
** Members of an object, or elements of an array (with empty keys), from text in memory, such as a
** nested value above. `name` is the path in errors. Members point into `text` and into doc, which
** is made where it is NULL (also in an error), may be used for one parse after the other, and is
** freed once.
*/
typedef struct mpg_json_doc mpg_json_doc;
mpg_rc mpg_json_parse(mpg_json_doc **doc, const mpg_env *env, const char *name, mpg_str text,
                      const mpg_json_member **members, size_t *n, mpg_err *err);
void mpg_json_doc_free(mpg_json_doc *doc);

/* The reader continues with a block (block.h). */
void mpg_json_feed(mpg_json *json, mpg_stream *stream, mpg_block *block, const mpg_env *poll_env);
/* The same as mpg_csv_unfeed, after an object of JSON Lines; false if that is not the end of its
** line. */
bool mpg_json_unfeed(mpg_json *json, mpg_block *block);
/* The bytes from the next object of JSON Lines on, at its '{', for a fast road; *end: the end of
** the bytes in memory, with slack. False: there is no object, or finding it takes the general
** reader. */
bool mpg_json_peek(mpg_json *json, const char **p, const char **end);
/* The object was read, up to `after`; it has no line end inside. */
void mpg_json_advance(mpg_json *json, const char *after);

#endif
