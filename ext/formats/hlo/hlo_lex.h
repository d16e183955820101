/*
** hlo_lex.h - the tokens of HLO text: white space and comments, names, numbers, strings, and what
** stands in brackets. A part of hlo_parse.c that knows no module.
*/
#ifndef MPG_HLO_LEX_H
#define MPG_HLO_LEX_H

#include "../../base/base.h"

typedef struct mpg_hlo_lex {
  const char *p, *end; /* what is left */
  const char *begin;   /* of the module's text */
  const char *mark;    /* the position up to which `line` is counted */
  int64_t line;        /* of `mark`, in the file */
  const char *path;
  const char *end_name; /* what `end` is: "end of file", "the next HloModule" */
} mpg_hlo_lex;

/* The byte after the space, or 0 at the end. */
char mpg_hlo_peek(mpg_hlo_lex *l);
/* Takes `c` after the space, if it is there. */
bool mpg_hlo_accept(mpg_hlo_lex *l, char c);
/* A name or word at p: letters, digits, "_", "." and "-" (but not the "-" of "->"); may be
** empty. */
mpg_str mpg_hlo_word(mpg_hlo_lex *l);
/* A decimal number at p, that may be negative. */
bool mpg_hlo_number(mpg_hlo_lex *l, int64_t *out);
/* Skips a string, from its quote; false if it does not end. */
bool mpg_hlo_string(mpg_hlo_lex *l);
/* Skips the text in brackets, from the opening one; false if it does not end. Brackets are only
** counted, for any depth without memory; their kinds need not match. */
bool mpg_hlo_brackets(mpg_hlo_lex *l);
/* Skips an attribute's value: up to a comma, white space or closing bracket outside of brackets and
** strings. False if a bracket or string does not end. */
bool mpg_hlo_value(mpg_hlo_lex *l, mpg_str *value);

/* The line of `at`, which must not be before that of the latest call (unless that was for an
** error). */
int64_t mpg_hlo_line(mpg_hlo_lex *l, const char *at);
/* "PATH:LINE:COLUMN: expected ..., found ..." of the bytes at `at`. `more` may be NULL. */
mpg_rc mpg_hlo_fail(mpg_hlo_lex *l, const char *at, const char *expected, const char *more,
                    mpg_err *err);

#endif
