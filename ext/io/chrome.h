/*
** chrome.h - events of Chrome trace JSON, as PyTorch's Kineto and XProf write it: the object form
** {"traceEvents": [...], ...} or the bare array, on any number of lines, in bounded memory (a window
** that holds the event at hand).
**
** An event is scanned for its own members; what is nested in them (args) is looked at when it is
** asked for. What is taken though it is no JSON: see json_lean.h. Of a key that repeats the last
** counts. The empty object with which XProf ends its array is passed over.
**
** A file that ends before its array does, or before the object around it, is read to its last whole
** event, as the format has it for traces still being written, with an issue `unfinished_trace`.
*/
#ifndef MPG_CHROME_H
#define MPG_CHROME_H

#include "../core/issues.h"
#include "json_lean.h"
#include "source.h"

/* Members of an event. */
typedef enum mpg_chrome_field {
  MPG_CHROME_PH,
  MPG_CHROME_NAME,
  MPG_CHROME_CAT,
  MPG_CHROME_TS,
  MPG_CHROME_DUR,
  MPG_CHROME_PID,
  MPG_CHROME_TID,
  MPG_CHROME_ID,
  MPG_CHROME_S,
  MPG_CHROME_BP,
  MPG_CHROME_ARGS,
  MPG_CHROME_FIELDS
} mpg_chrome_field;

/* Called for each member of the object around traceEvents; a value over 1 MiB has kind NONE. */
typedef mpg_rc (*mpg_chrome_property)(void *ctx, mpg_str key, const mpg_json_token *value);

typedef struct mpg_chrome mpg_chrome;

/* `issues` and `property` may be NULL. */
mpg_rc mpg_chrome_open(mpg_chrome **out, const mpg_env *env, mpg_stream *stream /* borrowed */,
                       mpg_issues *issues, mpg_chrome_property property, void *ctx, mpg_err *err);
void mpg_chrome_close(mpg_chrome *reader); /* NULL is fine; the stream stays open */

/*
** The next event. MPG_DONE at the end. MPG_DATA, as "PATH:LINE:COLUMN: expected ..., found ...", for
** an event that is malformed: the next call goes on behind it where its end can be found, else it says
** MPG_DONE; also for a file that is no Chrome trace. An event of more than 64 MiB is MPG_LIMIT.
*/
mpg_rc mpg_chrome_next(mpg_chrome *reader, mpg_err *err);
int64_t mpg_chrome_line(mpg_chrome *reader); /* where the current event begins */

/* Whether the array of events has been reached: an MPG_DATA before says that this is no trace. */
bool mpg_chrome_has_events(const mpg_chrome *reader);

/* Of the current event, borrowed until the next call of mpg_chrome_next. */
const mpg_json_token *mpg_chrome_get(const mpg_chrome *reader, mpg_chrome_field field);
mpg_str mpg_chrome_event(const mpg_chrome *reader); /* all of it, raw */
/* Member `key` (as the file spells it) of its args; kind NONE where there is none, or where args is
** no object. MPG_DATA where they are malformed. */
mpg_rc mpg_chrome_arg(mpg_chrome *reader, mpg_str key, mpg_json_token *out, mpg_err *err);
/* The text of a token: unescaped, borrowed from the reader until the next call with its escapes. */
mpg_rc mpg_chrome_text(mpg_chrome *reader, const mpg_json_token *token, mpg_str *out);

#endif
