/*
** recognise.h - which format a file is of, by its first bytes, and by its name if two look alike.
**
** The heads of the compiled-in scripts (script.h) say what each format looks like. The native trace
** is of no script: goodput/native/ reads it.
*/
#ifndef MPG_RECOGNISE_H
#define MPG_RECOGNISE_H

#include "../connection.h"
#include "database.h"
#include "script.h"

#define MPG_HEAD_BYTES ((size_t)256 << 10) /* of a file, unpacked, that are looked at */
#define MPG_BEGINS 13                      /* 64 bytes to all of them, doubling */

typedef struct mpg_recogniser mpg_recogniser;

typedef enum mpg_certainty { MPG_NOT_RECOGNISED, MPG_LIKELY, MPG_SURE } mpg_certainty;

/* What a file is. Texts are borrowed from the scripts, or are static. */
typedef struct mpg_recognised {
  mpg_certainty certainty;
  bool native;     /* a file of the native trace, which no script maps */
  bool hinted;     /* of no format, and the reason says of what program, and what to do */
  bool unreadable; /* its bytes cannot be had; the reason says why, with or without the path */
  bool unlike;     /* a text that begins like no format that was tried */
  bool headless;   /* and rows of it without a header, whose columns are an option */
  bool fleet;      /* a fleet file, which lists other files */
  const mpg_script *script; /* NULL: of the two above, or not recognised */
  mpg_str parameter;        /* of the script, that the file goes to */
  mpg_str missing[4];       /* options that the script needs and the file does not tell */
  size_t nmissing;
  uint64_t head; /* a hash of the first bytes; 0: there are none */
  /* The same of the first 64 bytes, of 128 and so on, as far as the file goes. */
  uint64_t begin[MPG_BEGINS];
  size_t nbegin;
  char job[132];    /* that the file's own text names, or empty; */
  char task[132];   /* the same of an array's task, "123_4", or of the first pod and the last */
  char reason[256]; /* how it was recognised, or why it was not */
} mpg_recognised;

/* That of the connection, which frees it. It is made when it is first asked for: the patterns
** take longer to compile than a small file to read. */
mpg_rc mpg_recogniser_of(mpg_conn *conn, mpg_recogniser **out, mpg_err *err);

/*
** Looks at one file, which `env` reads. What cannot be read is not recognised, and the reason says
** why: MPG_NOMEM and MPG_INTERRUPTED are the only errors. With `format` not empty ("slurm") only
** that format's inputs are tried, and the likeliest is taken.
*/
mpg_rc mpg_recognise(mpg_recogniser *r, const mpg_env *env, const char *path, mpg_str format,
                     mpg_recognised *out, mpg_err *err);

/* Takes a file that begins unlike `format`, which it is said to have, for that: it goes to the
** first of the script's inputs. */
void mpg_recognise_given(const mpg_recogniser *r, mpg_str format, mpg_recognised *what);

/*
** The same of one file for two formats alone, by a few of its first bytes. A file that cannot be
** read is of neither, and no error: who reads it says what is wrong.
*/
mpg_rc mpg_is_native_file(const mpg_env *env, const char *path, bool *is, mpg_err *err);
mpg_rc mpg_is_fleet_file(const mpg_env *env, const char *path, bool *is, mpg_err *err);

#endif
