/*
** slurm_value.h - the small notations inside Slurm's fields: job ids, states, lists of trackable
** resources (TRES), durations, node lists.
**
** Each parser takes the whole text or returns false, and leaves its result alone then. Texts in
** results are borrowed from the argument.
*/
#ifndef MPG_SLURM_VALUE_H
#define MPG_SLURM_VALUE_H

#include "../../base/base.h"

/*
** "123", array tasks "123_4" and pending ones "123_[1-3,7%2]", components of heterogeneous jobs
** "123+0", and steps of all of these: "123.batch", "123_4.0", "123+1.extern".
*/
typedef struct mpg_slurm_id {
  int64_t base;   /* 123 */
  mpg_str task;   /* "4", "[1-3,7%2]"; n = 0: not of an array */
  int64_t tasks;  /* array tasks that the row stands for: 1, of a range as many as it lists */
  int64_t offset; /* component of a heterogeneous job; -1: none */
  mpg_str step;   /* "batch", "0"; n = 0: the job itself */
} mpg_slurm_id;

bool mpg_slurm_id_parse(mpg_str text, mpg_slurm_id *out);

/*
** "COMPLETED", "CANCELLED by 1000", "DOWN*", "IDLE+DRAIN": the word without a "by", without the
** marks that Slurm hangs on node states (*~#!%$@^-+) at its end, and who cancelled. Any other text
** is taken too: Slurm adds states. Empty text is refused.
*/
typedef struct mpg_slurm_state {
  mpg_str base;
  mpg_str by; /* "1000"; n = 0: unknown */
} mpg_slurm_state;

bool mpg_slurm_state_parse(mpg_str text, mpg_slurm_state *out);
/* Whether text reads like a job state: capitals, "_", perhaps "by ...". */
bool mpg_slurm_state_plausible(mpg_str text);
/* Whether the state of a node, such as IDLE+CLOUD+DRAIN, has a word of one that does no work: down,
** failed, drained, in maintenance, powered down. */
bool mpg_slurm_node_out_of_service(mpg_str state);
/*
** How the attempt ended, in the words of the native trace; NULL: it has not, or that is unknown.
** REQUEUED is `preempted` and not `cancelled`: the chips were taken away and the job continues.
*/
const char *mpg_slurm_outcome(mpg_str base);

/* The generic resources that are whole accelerators, "gpu" first. */
#define MPG_SLURM_CHIP_WORDS 7
extern const mpg_str mpg_slurm_chip_words[MPG_SLURM_CHIP_WORDS];
/* Which of them `word` is; MPG_SLURM_CHIP_WORDS: none. */
size_t mpg_slurm_chip_word(mpg_str word);
/* Whether a TRES list names one of them, as "gres/npu". */
bool mpg_slurm_lists_chips(mpg_str tres);
bool mpg_slurm_lists_word(mpg_str tres, size_t word);

/*
** Chips of a TRES list such as "billing=8,cpu=8,gres/gpu:h100=16,gres/gpu=16,mem=4000M,node=2".
** "gres/gpu" includes the typed ones; if only typed ones are listed, their sum is the total. What
** another accelerator has without a type is of a type of its word: "gres/npu=8" is 8 of "npu".
*/
typedef struct mpg_slurm_gpus {
  int64_t total;
  int64_t typed;                      /* sum of those with a type */
  size_t types;                       /* how many types */
  mpg_str type;                       /* the first type's name; n = 0: none */
  int64_t rest[MPG_SLURM_CHIP_WORDS]; /* of each word, those without a type */
} mpg_slurm_gpus;

/* Whether text is a list of "name=value". Such a list may have millions of entries, so its readers
** poll `poller`; NULL: they do not. */
bool mpg_slurm_tres_valid(mpg_str tres, mpg_poller *poller);
/* false: not such a list, or a count of GPUs is no number. An empty list has no GPUs. */
bool mpg_slurm_gpus_parse(mpg_str tres, mpg_poller *poller, mpg_slurm_gpus *out);
/* The next typed entry of a list, from *at = 0 on. false: no more. */
bool mpg_slurm_gpus_next(mpg_str tres, size_t *at, mpg_poller *poller, mpg_str *type,
                         int64_t *count);

/* "[-][DD-[HH:]]MM:SS[.fff]", to microseconds: below 0 of a job that ended before it started. */
bool mpg_slurm_duration_parse(mpg_str text, int64_t *us);

/* A count, with Slurm's suffixes K, M, G, T, P of 1024: "2K" is 2048. */
bool mpg_slurm_count_parse(mpg_str text, int64_t *out);

/*
** "n[1-2,4],gpu-[001-003]x[1-2]": every name, in the order written, leading zeros kept. Returns
** MPG_DONE after the last one; MPG_DATA for a list that is none; MPG_LIMIT over MPG_SLURM_NODES.
*/
#define MPG_SLURM_NODES 1000000
typedef mpg_rc mpg_slurm_node(void *ctx, mpg_str name);
mpg_rc mpg_slurm_nodes(mpg_str list, mpg_slurm_node *each, void *ctx);

/*
** The position of the last "[root@2026-11-21T05:53:54]" in a reason, and of the '@' in it. It is at
** the end, or it holds a time: a reason of several lines has it after the first line. False: there
** is none.
*/
bool mpg_slurm_stamp_find(mpg_str text, size_t *open, size_t *user_end, size_t *close);

#endif
