/* script_tables.h - the table functions that scripts declare, as SQLite's modules. */
#ifndef MPG_SCRIPT_TABLES_H
#define MPG_SCRIPT_TABLES_H

#include "table_shape.h"

/* One for each of mpg_script_tables, its index the parameter; made by sql/embed_scripts.awk. */
extern const mpg_module mpg_script_modules[];
extern const sqlite3_module mpg_script_module;

#endif
