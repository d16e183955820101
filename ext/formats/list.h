/*
** list.h - the register of formats: its line here declares and registers a format.
**
** X(name) stands for mpg_register_NAME in ext/formats/.../NAME_table.c; generic_rollup is
** the one of generic_rollup.c. SQLite gets the table functions in this order.
*/
#ifndef MPG_FORMATS_LIST_H
#define MPG_FORMATS_LIST_H

#include "../sqlite/connection.h"

/* clang-format off */
#define MPG_FORMATS(X) \
  X(slurm) \
  X(slurm_nodes) \
  X(mllog) \
  X(pbs) \
  X(lsf) \
  X(swf) \
  X(kube) \
  X(prometheus) \
  X(otlp) \
  X(log) \
  X(chrome) \
  X(xplane) \
  X(tfevents) \
  X(perfetto) \
  X(goodput_log) \
  X(goodput_report) \
  X(generic) \
  X(hlo) \
  X(generic_rollup)
/* clang-format on */

#define MPG_DECLARE(name) int mpg_register_##name(mpg_conn *conn, char **error);
MPG_FORMATS(MPG_DECLARE)
#undef MPG_DECLARE

#endif
