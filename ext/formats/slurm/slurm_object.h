/*
** slurm_object.h - values in Slurm's JSON of any release: members of nested objects, numbers,
** texts, lists of resources. For slurm_json.c and slurm_nodes.c.
*/
#ifndef MPG_SLURM_OBJECT_H
#define MPG_SLURM_OBJECT_H

#include "../../read/parse/json_records.h"
#include "../../read/parse/json_writer.h"

/* Members of an object, borrowed from a document. */
typedef struct mpg_slurm_object {
  const mpg_json_member *members;
  size_t n;
} mpg_slurm_object;

/* Nested documents, a level each. A value found in a level is valid until the level is used again.
** All zero at first, except env and name. For errors: name is that of the file, line that of the
** document. */
#define MPG_SLURM_LEVELS 4
typedef struct mpg_slurm_docs {
  const mpg_env *env;
  const char *name;
  int64_t line;
  mpg_json_doc *level[MPG_SLURM_LEVELS];
} mpg_slurm_docs;

void mpg_slurm_docs_free(mpg_slurm_docs *docs);
mpg_rc mpg_slurm_open_text(mpg_slurm_docs *docs, size_t level, mpg_str text, mpg_slurm_object *out,
                           mpg_err *err);
/* NULL: there is none. */
const mpg_json_member *mpg_slurm_member(mpg_slurm_object object, const char *key);
/* Its text if it is a string; else empty. */
mpg_str mpg_slurm_string(mpg_slurm_object object, const char *key);
/* The object or array that a member is; empty for anything else. */
mpg_rc mpg_slurm_open_member(mpg_slurm_docs *docs, size_t level, const mpg_json_member *member,
                             mpg_slurm_object *out, mpg_err *err);

/* A number, plain or {"set": true, "number": 1}; *is is false for null, infinite, not set, and all
** else. Uses the last level. */
mpg_rc mpg_slurm_number(mpg_slurm_docs *docs, const mpg_json_member *member, int64_t *out, bool *is,
                        mpg_err *err);
/* Puts a string, or the strings of an array with `between` between them; nothing for all else. Uses
** the last level. */
mpg_rc mpg_slurm_put_text(mpg_slurm_docs *docs, const mpg_json_member *member, mpg_str between,
                          mpg_json_text *out, mpg_err *err);

/* Puts "cpu=4,mem=2000M,gres/gpu=8" of [{"type", "name", "count"}]. Uses the last two levels. */
mpg_rc mpg_slurm_put_tres(mpg_slurm_docs *docs, const mpg_json_member *list, mpg_json_text *out,
                          mpg_err *err);

/* GPUs by word and type, as in gres strings. */
#define MPG_SLURM_GPU_TYPES 16
typedef struct mpg_slurm_gres {
  mpg_str listed; /* a TRES list: of words that it has nothing is added */
  struct {
    size_t word;  /* of mpg_slurm_chip_words */
    mpg_str type; /* borrowed; empty: unknown */
    int64_t count;
  } of[MPG_SLURM_GPU_TYPES];
  size_t n;
} mpg_slurm_gres;

/* Adds `times` the GPUs of a list such as "gres/gpu:h100:4,gres:gpu:2", "gpu:h100:8(S:0-1)" or
** "gres/gpu=2". Types for which there is no room are counted as untyped. */
void mpg_slurm_gres_add(mpg_slurm_gres *gres, mpg_str list, int64_t times, mpg_poller *poller);
/* Appends ",gres/gpu=12,gres/gpu:h100=12,gres/npu=8", without the first comma if nothing follows
** `from`. */
mpg_rc mpg_slurm_put_gres(const mpg_slurm_gres *gres, size_t from, mpg_json_text *out);

#endif
