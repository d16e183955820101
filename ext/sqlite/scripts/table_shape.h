/*
** table_shape.h - what the head of a script declares of a table function: columns and arguments.
*/
#ifndef MPG_TABLE_SHAPE_H
#define MPG_TABLE_SHAPE_H

#include "../connection.h"
#include "../recognise/script.h"

enum { MPG_SHAPE_COLUMNS = 40, MPG_SHAPE_ARGUMENTS = 12 };

/* Texts are borrowed from the script. */
typedef struct mpg_table_shape {
  const mpg_script *script;
  mpg_head head;          /* its own line */
  mpg_str name, relation; /* relation: empty if the rows are those of the script's one SELECT */
  mpg_head columns[MPG_SHAPE_COLUMNS];
  int ncolumns;
  mpg_head arguments[MPG_SHAPE_ARGUMENTS];
  int narguments;
  int required;  /* the first arguments, which must be given: those of type FILES or PATH */
  bool files;    /* the first argument is FILES */
  bool on_error; /* the last argument is on_error, which no head declares: of all that read files */
} mpg_table_shape;

/* One for each "--@ table" of the scripts, in their order; made by sql/embed_scripts.awk. */
typedef struct mpg_script_table {
  const char *name;
  size_t script;   /* its index in mpg_scripts */
  bool over_files; /* it has a relation; else it is a question to the open database */
} mpg_script_table;
extern const mpg_script_table mpg_script_tables[];
extern const size_t mpg_script_tables_count;

void mpg_table_shape_read(mpg_table_shape *shape, const mpg_script_table *table);
/* "CREATE TABLE x(...)" for sqlite3_declare_vtab, to be freed with sqlite3_free; NULL: no
** memory. */
char *mpg_table_shape_declare(const mpg_table_shape *shape);
/* The argument that goes to a script's parameter, named without its colon; -1: none. */
int mpg_table_shape_argument(const mpg_table_shape *shape, const char *parameter);
/*
** Takes an argument that is no path, as the head declares it (script.h): a text of digits becomes
** the number that it says. SQLITE_OK, or the table has its error, which names the argument and what
** it takes. NULL, which is not given, is always taken.
*/
int mpg_table_argument_take(sqlite3_vtab *vtab, const char *table, const mpg_head *argument,
                            sqlite3_value *value);
/* SQLITE_OK, or the table has its error: one of its arguments, of which NULL is not given, is
** missing that the head calls required, or a period ends before it begins: of x_since and x_until.
*/
int mpg_table_arguments_check(sqlite3_vtab *vtab, const mpg_table_shape *shape,
                              sqlite3_value *const *arguments);

#endif
