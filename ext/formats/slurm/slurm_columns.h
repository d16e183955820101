/*
** slurm_columns.h - columns that the tables of Slurm's exports derive from lists of resources.
*/
#ifndef MPG_SLURM_COLUMNS_H
#define MPG_SLURM_COLUMNS_H

#include "../../sqlite/reader/reader.h"
#include "../../read/input/stream.h"
#include "../../read/parse/json_writer.h"
#include "slurm_value.h"

/* Lists of resources that were parsed before: most jobs ask for what another has asked for. All
** zero: none. */
#define MPG_SLURM_LISTS 33
typedef struct mpg_slurm_list {
  mpg_json_text text;  /* the list itself */
  mpg_json_text types; /* {"h100":16,"":8}; empty until somebody asks for it */
  mpg_slurm_gpus gpus; /* whose type lies in `text` */
  bool known, valid;   /* valid: mpg_slurm_gpus_parse took it */
} mpg_slurm_list;

typedef struct mpg_slurm_lists {
  mpg_slurm_list list[MPG_SLURM_LISTS];
} mpg_slurm_lists;

void mpg_slurm_lists_free(mpg_slurm_lists *lists);
/* What a list holds, borrowed until the next call. MPG_OK, MPG_NOMEM or MPG_INTERRUPTED. */
mpg_rc mpg_slurm_lists_find(mpg_slurm_lists *lists, const mpg_env *env, mpg_str tres,
                            mpg_poller *poller, mpg_slurm_list **out);

/* The type of GPUs that are all of one. */
void mpg_slurm_give_type(const mpg_slurm_gpus *gpus, mpg_value *out);
/* {"h100":16,"":8}: typed ones, and under the empty name what the total has beyond them. MPG_OK,
** MPG_NOMEM or MPG_INTERRUPTED. */
mpg_rc mpg_slurm_give_types(mpg_slurm_list *list, mpg_poller *poller, mpg_value *out);

/* A list of nodes as a JSON array of names, in `json`. NULL for "None assigned" and for lists that
** are none. */
mpg_rc mpg_slurm_give_nodes(mpg_json_text *json, mpg_str list, mpg_value *out);

/* Whether a file begins as JSON does; no header of sacct, and no node of scontrol, starts with a
** brace. */
mpg_rc mpg_slurm_is_json(mpg_stream *stream, bool *json, mpg_err *err);

#endif
