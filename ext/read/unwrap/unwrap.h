/*
** unwrap.h - JSON in lines of a log that something else kept: what was put before each line, or the
** record around it, is taken away, so that a reader of JSON gets what the program printed.
**
** A prefix: that of a container runtime (CRI: time, stream, F or P of a part), of kubectl logs
** --timestamps and --prefix, docker compose logs, syslog, systemd's journal, srun -l, torchrun,
** mpirun, Ray, pdsh. A text: of Docker's json-file, the journal, CloudWatch, Fluent Bit, Loki and
** others, the string of JSON in which the line stands. An entry: of Cloud Logging, the object
** "jsonPayload".
**
** Between lines of text without a prefix, as a program prints both, JSON begins its line. If no
** line is JSON by itself, a bracket on a line of its own begins JSON over several lines.
**
** Lines without JSON are left out, and line ends stay, so that lines keep their numbers. What was
** cut into parts (CRI's P, Docker's 16 KiB) is put together; JSON over several lines goes on until
** its last bracket.
*/
#ifndef MPG_UNWRAP_H
#define MPG_UNWRAP_H

#include "../../base/text.h"

/* What a reader of JSON takes away, as bits. */
enum {
  MPG_UNWRAP_PREFIX = 1,
  MPG_UNWRAP_TEXT = 2,
  MPG_UNWRAP_ENTRY = 4,
  MPG_UNWRAP_ALL = 7,
  MPG_UNWRAP_MIXED = 16 /* text behind the first line of JSON, too */
};
/* For readers of lines: JSON that is one line, as a server answers, becomes a line for each object
** and array of a list. */
enum { MPG_UNWRAP_LINE_EACH = 8 };

#define MPG_UNWRAP_LINE 320 /* bytes of a line within which its prefix ends */
#define MPG_UNWRAP_KEY 16

/* JSON that was given so far. */
typedef struct mpg_unwrap_json {
  int depth; /* of its brackets */
  bool list; /* the outermost is that of a list */
  bool in_string, escaped;
} mpg_unwrap_json;

/* All zero, but for what mpg_unwrap_find sets. */
typedef struct mpg_unwrap {
  int how;                  /* one of the bits; 0: nothing is around the lines */
  bool bare;                /* no line has a prefix: text or JSON */
  bool document;            /* and JSON begins with a bracket on a line of its own */
  bool docker;              /* parts of a line are records of their own */
  bool pairs;               /* the text has a time before it, and no key */
  char key[MPG_UNWRAP_KEY]; /* of the text or the entry */
  int state;                /* of the record around the text */
  mpg_unwrap_json json;
  bool started;               /* the line's prefix is behind us */
  bool given;                 /* the line is */
  bool part;                  /* what comes next goes on with it, */
  char stream;                /* if it is of this stream */
  bool aside;                 /* the line is of another */
  size_t ends;                /* of lines, given once it is whole */
  char line[MPG_UNWRAP_LINE]; /* the start of a line, or the last string of the record */
  size_t n;
  bool escaped;  /* in a string of the record */
  int left;      /* digits of its \u */
  unsigned unit; /* what they are so far, and the high surrogate before it */
  unsigned high;
  char last;      /* of the text */
  int64_t others; /* lines, or texts, without JSON */
} mpg_unwrap;

/* Whether the lines of which `head` has the first bytes are wrapped in one of those ways, and how.
** False: they are as they should be, or unknown. */
bool mpg_unwrap_find(mpg_unwrap *u, mpg_str head, int ways);

/* Writes what the next n bytes give to `out`, at most mpg_unwrap_room(u, n) bytes; how many. */
size_t mpg_unwrap_run(mpg_unwrap *u, const char *p, size_t n, char *out);
static inline size_t mpg_unwrap_room(const mpg_unwrap *u, size_t n) {
  return n + u->ends + MPG_UNWRAP_LINE + 8;
}

/* The same at the end, behind what the last bytes gave, in the same room. */
size_t mpg_unwrap_end(mpg_unwrap *u, char *out);

/* JSON without the space between its tokens, each value at the top, or of an array there, in a line
** of its own; the text may be cut. At most twice its bytes; how many. */
size_t mpg_json_compact(mpg_str text, char *out);

#endif
