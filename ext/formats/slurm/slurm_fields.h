/*
** slurm_fields.h - the fields of one record of sacct, gathered from members of Slurm's JSON. For
** slurm_json.c.
*/
#ifndef MPG_SLURM_FIELDS_H
#define MPG_SLURM_FIELDS_H

#include "slurm.h"
#include "slurm_object.h"

/* Levels of the documents; the last two are those of slurm_object.h. */
enum { MPG_SLURM_JOB, MPG_SLURM_GROUP };

/* How a member becomes a field. */
typedef enum mpg_slurm_how {
  MPG_SLURM_WORD_LIST, /* a string, or strings with "," between them */
  MPG_SLURM_NUMBER,
  MPG_SLURM_FILLED, /* a number; 0 is nothing */
  MPG_SLURM_SINCE,  /* Unix seconds; 0 is never */
  MPG_SLURM_CPU,    /* {"seconds", "microseconds"} */
  MPG_SLURM_STATUS  /* of an exit: "1:0" */
} mpg_slurm_how;

typedef struct mpg_slurm_source {
  const char *group, *key; /* group NULL: of the object itself */
  mpg_slurm_how how;
  size_t field;
} mpg_slurm_source;

/* By MPG_SLURM_JOB_*. All zero at first, except text.env. */
typedef struct mpg_slurm_fields {
  mpg_json_text text; /* of all fields */
  struct {
    bool has;
    size_t at, n;
  } slots[MPG_SLURM_JOB_COUNT];
  mpg_value values[MPG_SLURM_JOB_COUNT];
  mpg_str raw[MPG_SLURM_JOB_COUNT];
} mpg_slurm_fields;

void mpg_slurm_clear(mpg_slurm_fields *f);
/* What was put into the text since `at` is a field's. */
void mpg_slurm_keep(mpg_slurm_fields *f, size_t field, size_t at);
mpg_rc mpg_slurm_keep_text(mpg_slurm_fields *f, size_t field, mpg_str s, mpg_err *err);
mpg_rc mpg_slurm_keep_number(mpg_slurm_fields *f, size_t field, int64_t i, mpg_err *err);
void mpg_slurm_forget(mpg_slurm_fields *f, size_t field);
/* Stores the text; the result is borrowed until the next text is stored. */
mpg_str mpg_slurm_stored(const mpg_slurm_fields *f, size_t field);
/* All is read: values and raw hold until the next clear. */
void mpg_slurm_settle(mpg_slurm_fields *f);

/* Sources of a group stand together: it is taken apart once, in MPG_SLURM_GROUP. */
mpg_rc mpg_slurm_read_members(mpg_slurm_fields *f, mpg_slurm_docs *docs, mpg_slurm_object job,
                              const mpg_slurm_source *sources, size_t n, mpg_err *err);
/*
** State is the first word of `state` and, if the job was cancelled, "by" a user. Slurm lists a
** state and then its marks. A record without a state says PENDING, which is 0; then one of `marks`,
** a list that NULL ends, says what became of the job.
*/
extern const char *const mpg_slurm_marks_of_accounting[], *const mpg_slurm_marks_of_controller[];
mpg_rc mpg_slurm_read_state(mpg_slurm_fields *f, mpg_slurm_docs *docs, const mpg_json_member *state,
                            const char *const *marks, const mpg_json_member *by, mpg_err *err);

/* The members that say which task of an array a job is, or which part of a heterogeneous job. */
typedef struct mpg_slurm_id_members {
  mpg_slurm_object array, het;
  const char *array_job, *task, *tasks; /* tasks: those of an array that wait */
  const char *het_job, *offset;
} mpg_slurm_id_members;

/* JobIDRaw is the number "job_id" of `job`; JobID the id that sacct shows: "5_4", "5_[1-3%2]" of an
** array, "7+1" of a part. */
mpg_rc mpg_slurm_read_ids(mpg_slurm_fields *f, mpg_slurm_docs *docs, mpg_slurm_object job,
                          const mpg_slurm_id_members *of, mpg_err *err);
/* A job of the controller (slurm_controller.c). */
mpg_rc mpg_slurm_read_controller(mpg_slurm_fields *f, mpg_slurm_docs *docs, mpg_slurm_object job,
                                 mpg_err *err);
/* last_update of each document of a file, in Unix seconds. All zero at first, except env. */
typedef struct mpg_slurm_updates {
  const mpg_env *env;
  int64_t *times; /* 0: none */
  size_t n, cap;
  bool read; /* times has what the file tells */
} mpg_slurm_updates;

void mpg_slurm_updates_free(mpg_slurm_updates *updates);
/* That of one document (0 is the first), until when the controller saw its jobs; Slurm writes it
** after them, so the first call reads the file. *out is 0 if there is none, or behind what is
** malformed; errors are MPG_NOMEM and MPG_INTERRUPTED. */
mpg_rc mpg_slurm_updated(mpg_slurm_updates *updates, const char *path, size_t document,
                         int64_t *out, mpg_err *err);

#endif
