/*
** script.h - the SQL files that are compiled in, and what their heads declare.
**
** A head is the lines of a file that begin with "--@ ". Each declares one thing:
**
**   --@ source RANK        the file maps a format to the relations of a fleet; where two sources
**                          speak of the same thing, the one of the lower rank wins: 1 of a
**                          scheduler, 2 the native trace, 3 of a trainer, 4 of programs
**   --@ input :P sure RE   a file is of this format, and goes to the parameter :P, if its first
**                          bytes match the regular expression (pattern.h). Each is tried on each
**                          file: one that begins with words, or after \A with what few files
**                          have, takes a twentieth of one that begins with "^.*". Where a
**                          further ".*" follows, keep "^.*": without it a long line is searched
**                          anew from each place, and no limit of a match holds for all of that
**   --@ input :P likely RE the same, but another format may match as well
**   --@ input :P binary RE the same of a file whose first bytes hold a NUL; sure
**   --@ input :P name RE   its path matches, and nothing else claims it; sure if binary
**   --@ input :P tables RE a file of SQLite that has a table of which the name matches; sure
**   --@ feeds SG RG PG     the layers of the metric that the relations feed
**   --@ needs :P RE        the option :P is missing where the first bytes match, for instance a
**                          year where times have none
**   --@ job RE             the first group is the name of the job that the file's own text gives;
**                          of two, an array's id and the number of its task
**   --@ extends TABLE      the script reads a table of that name that users make
**   --@ hint RE => TEXT    a file whose first bytes match is of no format, and TEXT says why
**
** A script can also be what table functions run (table_shape.h). These declare one:
**
**   --@ table NAME RELATION TEXT
**       its rows are those of the TEMP table or view RELATION that the script leaves. If it is "-",
**       the script is one SELECT: it runs on the user's connection, over tables of the database
**   --@ argument NAME :P TYPE TEXT
**       a hidden column, whose value goes to the parameter :P, NULL if it is not given. Before the
**       first table of a script it is of all of them. The type FILES is the path where files are
**       recognised, PATH a path that the script itself hands to readers: both must be given.
**       BIGINT and REAL take numbers alone, TIME a day or an hour of the ledger's clocks. What a
**       text begins with, up to a colon, may say what the argument takes: texts in quotes; of
**       numbers "from 0", "above 0", both also with " to 1"; or "required", it must be given, and
**       "required unless ARGUMENT", unless that is
**   --@ column NAME TYPE UNIT TEXT
**       a column of the table before; the unit "-" is none, "_" a blank
**   --@ uses SCRIPT      that script runs before this one
**   --@ fills SCRIPT     the script maps files to the tables of that one
**   --@ reads SCRIPT     the script runs in place of that mapping, for the files of its format and
**                        with its parameters
**   --@ attach NAME      each file, an SQLite database, is attached under that name while the
**                        mapping runs for it
**
** Between statements stand, of no head:
**
**   --@ if CONDITION     unless it is true, the statements up to its line "--@ end" are passed
**                        over. They would find nothing: it saves their compiling, which is most of
**                        what a small file takes. Nothing reads what they make after them
**   --@ part NAME        a part of build.sql begins, which build_functions.c runs on its own
*/
#ifndef MPG_SCRIPT_H
#define MPG_SCRIPT_H

#include "../../base/base.h"

typedef struct mpg_script {
  const char *name;  /* the path below sql/, without the ending: "formats/slurm" */
  const char *sql;   /* the text; lines as in the file, those of comments alone empty */
  const char *heads; /* its lines that begin with "--@" */
} mpg_script;

extern const mpg_script mpg_scripts[];
extern const size_t mpg_scripts_count;
/* The tables of users that scripts read, each once, and NULL. */
extern const char *const mpg_user_tables[];

/* The script of that name, or NULL. */
const mpg_script *mpg_script_find(const char *name);

typedef enum mpg_head_kind {
  MPG_HEAD_SOURCE,
  MPG_HEAD_INPUT,
  MPG_HEAD_FEEDS,
  MPG_HEAD_NEEDS,
  MPG_HEAD_JOB,
  MPG_HEAD_HINT,
  MPG_HEAD_TABLE,
  MPG_HEAD_ARGUMENT,
  MPG_HEAD_COLUMN,
  MPG_HEAD_USES,
  MPG_HEAD_FILLS,
  MPG_HEAD_READS,
  MPG_HEAD_ATTACH,
  MPG_HEAD_END /* no more lines */
} mpg_head_kind;

/* One line of a head. Texts are borrowed from the script. */
typedef struct mpg_head {
  mpg_head_kind kind;
  mpg_str name;      /* of a table, an argument or a column */
  mpg_str parameter; /* without its colon; of a table the relation */
  mpg_str type;      /* of an argument or a column */
  mpg_str unit;      /* of a column */
  mpg_str how;       /* of an input: sure, likely, binary, name, tables */
  mpg_str text;      /* the pattern, or the rest of the line */
  mpg_str says;      /* of a hint */
} mpg_head;

/* The next line of the head from *at on, which begins as script->sql. */
mpg_head mpg_head_next(const char **at);

/* Whether its head has a line of that kind, with that text; NULL: any. */
bool mpg_script_declares(const mpg_script *script, mpg_head_kind kind, const char *text);

/* The next script that a script uses, from `*at` in its text on, which it moves; NULL: no more. A
** script that is used uses none. */
const mpg_script *mpg_script_next_used(const char **at);

#endif
