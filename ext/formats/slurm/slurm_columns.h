/*
** slurm_columns.h - columns that the tables of Slurm's exports derive from lists of resources.
*/
#ifndef MPG_SLURM_COLUMNS_H
#define MPG_SLURM_COLUMNS_H

#include "../../sqlite/reader/reader.h"
#include "../../read/input/stream.h"
#include "../../read/parse/json_writer.h"
#include "slurm_value.h"

/* The type of GPUs that are all of one. */
void mpg_slurm_give_type(const mpg_slurm_gpus *gpus, mpg_value *out);
/* {"h100":16,"":8}, in `json`: typed ones, and under the empty name what the total has beyond them.
** MPG_OK, MPG_NOMEM or MPG_INTERRUPTED. */
mpg_rc mpg_slurm_give_types(mpg_json_text *json, mpg_str tres, const mpg_slurm_gpus *gpus,
                            mpg_poller *poller, mpg_value *out);

/* A list of nodes as a JSON array of names, in `json`. NULL for "None assigned" and for lists that
** are none. */
mpg_rc mpg_slurm_give_nodes(mpg_json_text *json, mpg_str list, mpg_value *out);

/* Whether a file begins as JSON does; no header of sacct, and no node of scontrol, starts with a
** brace. */
mpg_rc mpg_slurm_is_json(mpg_stream *stream, bool *json, mpg_err *err);

#endif
