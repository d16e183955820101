/*
** chrome.h - events of Chrome trace JSON, as PyTorch's Kineto and XProf write it: the object form
** {"traceEvents": [...], ...} or the bare array, on any number of lines, in bounded memory (a
** window that holds the event at hand).
**
** An event is scanned for its own members; nested values (args) are parsed on demand.
** json_lenient.h lists what is accepted though it is no JSON. If a key repeats, the last counts.
** The empty object with which XProf ends its array is skipped.
**
** A file that ends within its array or the object around it is read to its last whole event, with
** an issue `unfinished_trace`: the format allows this for traces still being written.
*/
#ifndef MPG_CHROME_H
#define MPG_CHROME_H

#include "../../base/issues.h"
#include "chrome_event.h"
#include "../../read/input/stream.h"

/* Called for each member of the object around traceEvents; a value over 1 MiB has kind NONE. */
typedef mpg_rc (*mpg_chrome_property)(void *ctx, mpg_str key, const mpg_json_token *value);

typedef struct mpg_chrome mpg_chrome;

/* `issues` and `property` may be NULL. */
mpg_rc mpg_chrome_open(mpg_chrome **out, const mpg_env *env, mpg_stream *stream /* borrowed */,
                       mpg_issues *issues, mpg_chrome_property property, void *ctx, mpg_err *err);
void mpg_chrome_close(mpg_chrome *reader); /* NULL is fine; the stream stays open */

/*
** To be called before the first event. Events that surely differ from the request (NULL: none) are
** only counted. If `threads` is over 1, other threads may read ahead (chrome_prefetch.h); pass 1 if
** the environment's allocator is not safe for threads.
*/
void mpg_chrome_request_events(mpg_chrome *reader, const mpg_chrome_request *request, int threads);

/*
** The next event; MPG_DONE at the end. MPG_DATA, "PATH:LINE:COLUMN: expected ..., found ...", for a
** malformed event, and for a file that is no Chrome trace. The next call continues after the event
** if its end can be found; else it returns MPG_DONE. An event of more than 64 MiB is MPG_LIMIT.
*/
mpg_rc mpg_chrome_next(mpg_chrome *reader, mpg_err *err);
int64_t mpg_chrome_line(mpg_chrome *reader); /* where the current event begins */

int64_t mpg_chrome_passed(
    const mpg_chrome *reader); /* events skipped so far because they differ from the request */

/* Whether the array of events has been reached: an MPG_DATA before says that this is no trace. */
bool mpg_chrome_has_events(const mpg_chrome *reader);

/* Of the current event, borrowed until the next call of mpg_chrome_next. */
const mpg_json_token *mpg_chrome_get(const mpg_chrome *reader, mpg_chrome_field field);
mpg_str mpg_chrome_event(const mpg_chrome *reader); /* all of it, raw */
/* Member `key` (as the file spells it) of its args; kind NONE if there is none, or if args is no
** object. MPG_DATA if they are malformed. */
mpg_rc mpg_chrome_arg(mpg_chrome *reader, mpg_str key, mpg_json_token *out, mpg_err *err);
/* The text of a token: unescaped, borrowed from the reader until the next call with its escapes. */
mpg_rc mpg_chrome_text(mpg_chrome *reader, const mpg_json_token *token, mpg_str *out);

#endif
