/* constraint.c - see constraint.h. */
#include "constraint.h"
#include "host.h"

#include <math.h>

bool mpg_constraint_is_constant(sqlite3_index_info *info, int c) {
  return mpg_host_constant(info, c) != NULL;
}

/* To SQLite a cost is a logarithm, of large ones in whole powers of two. */
void mpg_constraint_in_doubt(sqlite3_index_info *info, int n) {
  info->estimatedCost = ldexp(info->estimatedCost, n < 100 ? n : 100);
}
