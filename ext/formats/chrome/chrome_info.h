/*
** chrome_info.h - what a Chrome trace says once for all its events: the names of processes and
** threads (metadata events, anywhere in the file) and the members of the object around the events.
** Found by a skip the whole file.
*/
#ifndef MPG_CHROME_INFO_H
#define MPG_CHROME_INFO_H

#include "../../base/intern.h"
#include "chrome.h"
#include "../../read/parse/json_writer.h"

typedef enum mpg_chrome_name {
  MPG_CHROME_PROCESS_NAME,
  MPG_CHROME_PROCESS_LABELS,
  MPG_CHROME_THREAD_NAME
} mpg_chrome_name;

typedef struct mpg_chrome_info {
  const mpg_env *env;
  int64_t events; /* except metadata */
  bool has_rank, has_world_size, has_base_time;
  int64_t rank, world_size; /* of distributedInfo */
  int64_t base_time_ns;     /* baseTimeNanoseconds: ts counts from it */
  /* JSON of any kind; empty if the trace has none. */
  mpg_json_text devices;     /* deviceProperties */
  mpg_json_text distributed; /* distributedInfo */
  mpg_json_text properties;  /* an object of all of them, except values over 1 MiB */
  mpg_intern texts;
  uint32_t *names; /* [id of a key - 1]: the id of its name, or 0 */
  size_t cap_names;
  mpg_json_text key; /* the key at hand */
} mpg_chrome_info;

/* An event that is malformed is left out, and counted in `issues` unless that is NULL. MPG_DATA: no
** Chrome trace. threads: see mpg_chrome_request_events. */
mpg_rc mpg_chrome_info_read(mpg_chrome_info *info, const mpg_env *env, mpg_stream *stream,
                            mpg_issues *issues, int threads, mpg_err *err);
void mpg_chrome_info_free(mpg_chrome_info *info); /* also after a failed read, or if all zero */

/* The name given last to the process, or thread, of these tokens; {NULL, 0}: none. */
mpg_rc mpg_chrome_info_name(mpg_chrome_info *info, mpg_chrome_name what, const mpg_json_token *pid,
                            const mpg_json_token *tid, mpg_str *out);

#endif
