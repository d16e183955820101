/* constraint.c - see constraint.h. */
#include "constraint.h"

bool mpg_constraint_is_constant(sqlite3_index_info *info, int c) {
  sqlite3_value *value = NULL;
  return sqlite3_vtab_rhs_value(info, c, &value) == SQLITE_OK && value != NULL;
}
