/*
** lsf_table.c - lsf_trace(path, on_error), records of LSF's lsb.acct and lsb.events.
**
** The columns are those of lsf.h, with the names of LSF's fields in lower case, and
**
**   hosts TEXT, num_hosts BIGINT, slots BIGINT
**       the hosts as a JSON array, each once; how many, and how many slots on them
**   gpus REAL, gpu_req TEXT, gpu_model TEXT
**       of the requirement: how many in all, what its number is per ('host', 'task', 'job';
**       'unknown': it does not say how many), and gmodel
**   gpu_usage TEXT
**       what was measured of GPUs: {"host": {"key": "value"}}
**   outcome TEXT
**       how the attempt ended, in the words of the native trace
**   other TEXT
**       fields that are not decoded: a JSON array
*/
#include "../list.h"
#include "../../sqlite/reader/reader.h"
#include "lsf.h"

#define COLUMN(name, type) {#name, #type},
static const mpg_reader_column columns[] = {MPG_LSF_COLUMNS(COLUMN)};

MPG_READER_FILE(lsf_file, lsf)

int mpg_register_lsf(mpg_conn *conn, char **error) {
  static const mpg_reader_format format = {
      .module = {"lsf_trace", &mpg_reader_module, 0},
      .usage = "expected a path, as in lsf_trace('lsb.acct')",
      .columns = columns,
      .ncolumns = MPG_LSF_COUNT,
      .file_size = sizeof(lsf_file),
      .open = file_open,
      .close = file_close,
      .next = file_next,
      .line = file_line,
      .column = file_column,
  };
  return mpg_register_reader(conn, &format, error);
}
