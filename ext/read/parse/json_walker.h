/*
** json_walker.h - strict JSON from a stream, value by value: for documents that are one object of
** any size, with the interesting parts in arrays deep inside. Memory is bounded by the largest
** value that is taken whole (and by its limit).
**
**     while (mpg_pull_next(p, &item, err) == MPG_OK) {  members of the object entered last
**       if (mpg_str_eq(item.key, MPG_STR("items")))
**         mpg_pull_enter(p);                            next() now gives the array's elements,
**       else                                            and MPG_DONE after the last of them
**         mpg_pull_value(p, &kind, &text, err);          the whole value
**     }
**
** A value that is neither entered nor taken is skipped. At the top, next() gives the values of the
** stream one after the other (JSON Lines, or documents in a row); MPG_DONE is the end of the
** stream. Errors are those of json_records.h, "PATH:LINE:COLUMN: expected ..., found ...". Unlike
** there, a key that repeats in an entered object is no error.
*/
#ifndef MPG_JSON_WALKER_H
#define MPG_JSON_WALKER_H

#include "json_records.h"

#define MPG_PULL_DEPTH 16 /* of values entered at once */

typedef struct mpg_pull mpg_pull;

typedef struct mpg_pull_item {
  mpg_str key; /* unescaped; empty for an element and at the top; borrowed until the next next() */
  char first;  /* byte of the value: '{' '[' '"' 't' 'f' 'n', else of a number */
  int64_t line, column; /* of the value */
} mpg_pull_item;

/* `limit` is the bytes of one value that is taken or skipped; 0: 64 MiB. */
mpg_rc mpg_pull_open(mpg_pull **out, const mpg_env *env, mpg_stream *stream /* borrowed */,
                     size_t limit, mpg_err *err);
void mpg_pull_close(mpg_pull *p); /* NULL is fine; the stream stays open */

/*
** The next value of the container entered last. A current value that was neither entered nor taken
** is skipped. MPG_DONE at the end of the container, which is then left, or of the stream.
**
** After MPG_DATA, here or in take, the walker is back at the top (depth 0), and continues with the
** next line that begins with '{'. So JSON Lines lose the malformed line, and a sequence of
** documents, which kubectl indents, the malformed document: the error says so. After any other
** error, and one of the stream itself, next() returns MPG_DONE.
*/
mpg_rc mpg_pull_next(mpg_pull *p, mpg_pull_item *item, mpg_err *err);
/* Enters the current value, which must be an object or an array. */
void mpg_pull_enter(mpg_pull *p);
/* The current value, whole: the unescaped text of a string, the checked raw text of any other
** value; borrowed until the next call. */
mpg_rc mpg_pull_value(mpg_pull *p, mpg_json_kind *kind, mpg_str *text, mpg_err *err);

/*
** Looks ahead for a later member of the same object: `is` decides by its key, and *text is its raw
** text. MPG_DONE: there is none, or malformed text comes first, or it is not within the limit (*far
** is then set).
*/
mpg_rc mpg_pull_find_later(mpg_pull *p, bool (*is)(mpg_str key, const char *name), const char *name,
                           mpg_str *text, bool *far, mpg_err *err);

int mpg_pull_depth(const mpg_pull *p);         /* of what was entered */
int64_t mpg_pull_documents(const mpg_pull *p); /* values at the top that ended soundly */
/* Whether the last MPG_DATA was the end of the file inside a value: a file that was cut off, or
** that is still being written. */
bool mpg_pull_cut_off(const mpg_pull *p);
int64_t mpg_pull_broken_line(const mpg_pull *p); /* of the last MPG_DATA */
/* The line from the current position on, borrowed until the next call: at least its first
** MPG_EXCERPT bytes, or all of it. For a message about a wrong format, which must not depend on
** where a read ended. */
mpg_rc mpg_pull_line_text(mpg_pull *p, mpg_str *text, mpg_err *err);

#endif
