/*
** hlo_text.h - HLO text files, one module in memory at a time.
**
** A file holds one module or several, each of which begins with a line "HloModule ..."; the first
** may lack it. See hlo_parse.h for the grammar.
*/
#ifndef MPG_HLO_TEXT_H
#define MPG_HLO_TEXT_H

#include "../../program/hlo/hlo_module.h"
#include "../../read/input/stream.h"

typedef struct mpg_hlo_text mpg_hlo_text;

mpg_rc mpg_hlo_text_open(mpg_hlo_text **out, const mpg_env *env, mpg_stream *stream /* borrowed */,
                         mpg_err *err);
void mpg_hlo_text_close(mpg_hlo_text *text); /* NULL is fine */

/*
** The next module, borrowed until the next call. MPG_DONE after the last. MPG_DATA for a module
** that is malformed or ends too early, and for a file without any: the next call continues with the
** module that follows.
*/
mpg_rc mpg_hlo_text_next(mpg_hlo_text *text, const mpg_hlo_module **module, mpg_err *err);
int64_t mpg_hlo_text_line(const mpg_hlo_text *text); /* the line of the current module */

#endif
