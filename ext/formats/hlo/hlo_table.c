/*
** hlo_table.c - hlo_trace(path, on_error) and hlo_cost(path, on_error), of XLA's HLO text.
**
** hlo_trace: a row is an instruction.
**
**   module, computation, name, opcode, dtype, shape, op_name TEXT
**       as the text has them. dtype is that of the result, 'tuple' for a tuple; op_name is that of
**       the metadata, with its escapes resolved
**   executions BIGINT, trip_count BIGINT
**       how often it runs in one execution of the module. 0: it is applied to elements, is in a
**       branch that costs less, or is never called. trip_count is how often a while runs its body;
**       NULL: unknown, counted once
**   flops, transcendentals, bytes, collective_bytes, wire_bytes BIGINT
**       of all these executions, so that sums over a module are the module's
**   ranks BIGINT, replica_groups TEXT
**       of a collective: ranks of its largest group
**   multiply, dtype_class, precision TEXT
**       of a dot or convolution: the dtypes multiplied, 'f8e4m3fnxf8e5m2', the catalogue's name of
**       that, and operand_precision or algorithm where written
**   custom_call_target TEXT, cost_known BIGINT
**   op_flops, op_transcendentals, op_bytes BIGINT
**       of one execution, with all that it calls: what a profiler measures under this name
**   output_bytes BIGINT, operand_bytes TEXT
**       the parts of its own bytes in one execution; a JSON array
**
** hlo_cost: a row is a module.
**
**   module, entry TEXT, computations, instructions BIGINT
**   flops, matmul_flops BIGINT, matmul_by_dtype TEXT, transcendentals, bytes BIGINT
**       matmul: of dots and convolutions, as JSON by dtype_class
**   parameter_bytes, result_bytes, device_bytes, collective_bytes, wire_bytes BIGINT
**   num_partitions, replica_count, devices BIGINT, scope, scope_evidence TEXT
**       'global': the figures are of all partitions together; 'device': of each device
**   coverage REAL, custom_calls, unknown_costs, trip_counts TEXT
**       share of instructions whose cost is known; JSON objects of how many of each
**
** A count beyond 64 bits is REAL.
*/
#include "../list.h"
#include "../../sqlite/reader/reader.h"
#include "../../program/hlo/hlo_attribute.h"
#include "../../program/hlo/hlo_cost.h"
#include "../../base/intern.h"
#include "../../base/text.h"
#include "hlo_text.h"
#include "../../read/parse/json_writer.h"

#include <string.h>

typedef struct hlo_file {
  mpg_hlo_text *text;
  mpg_issues *issues;
  const char *path;
  const mpg_hlo_module *m;
  mpg_hlo_cost cost;
  size_t row; /* of hlo_trace: instructions[row - 1] is the current one; 0: none yet */
  mpg_json_text json;
} hlo_file;

/* ---- Files and modules ---- */

static void file_close(void *p) {
  hlo_file *file = p;
  mpg_hlo_cost_free(&file->cost);
  mpg_hlo_text_close(file->text);
  mpg_json_text_free(&file->json);
}

static mpg_rc file_open(void *p, void *scan, const mpg_env *env, mpg_stream *stream,
                        mpg_issues *issues, mpg_err *err) {
  hlo_file *file = p;
  (void)scan;
  file->json.env = env;
  file->issues = issues;
  file->path = mpg_stream_path(stream);
  mpg_hlo_cost_init(&file->cost, env);
  return mpg_hlo_text_open(&file->text, env, stream, err);
}

static mpg_str target_of(const mpg_hlo_module *m, const mpg_hlo_instruction *i) {
  return mpg_hlo_unquoted(mpg_hlo_attribute_of(m, i, MPG_HLO_TARGET));
}

/* What is not known of an instruction, as an issue. */
static mpg_rc add_issue(hlo_file *file, const mpg_hlo_instruction *i, const mpg_hlo_price *p) {
  char name[MPG_EXCERPT], what[MPG_EXCERPT], module[MPG_EXCERPT];
  const char *kind = "unknown_cost", *detail = "attributes that make no sense: work not counted";
  mpg_str is = i->opcode;
  if (p->trips == MPG_HLO_UNKNOWN_TRIPS) {
    kind = "unknown_trip_count";
    detail = "its body is counted once";
  } else if (i->rule == MPG_HLO_CUSTOM_CALL) {
    kind = "unknown_custom_call";
    detail = "its work is not counted";
    is = target_of(file->m, i);
  } else if (i->rule == MPG_HLO_UNKNOWN) {
    kind = "unknown_opcode";
    detail = "its work is not counted";
  } else if (mpg_hlo_is_unbounded(file->m, i)) {
    detail = "a dimension without a bound: its work is not counted";
  }
  mpg_text_excerpt(i->name, name);
  mpg_text_excerpt(is, what);
  mpg_text_excerpt(file->m->name, module);
  return mpg_issues_add(file->issues, MPG_WARNING, file->path, kind, i->line, 1,
                        "%s of module %s (%s): %s", name, module, what, detail);
}

/* XLA marks the entry of every module that it writes; a file that was cut off may have lost it. */
static mpg_rc note_entry(hlo_file *file) {
  char name[MPG_EXCERPT], module[MPG_EXCERPT];
  if (file->m->has_entry)
    return MPG_OK;
  mpg_text_excerpt(file->m->computations[file->m->entry].name, name);
  mpg_text_excerpt(file->m->name, module);
  return mpg_issues_add(file->issues, MPG_WARNING, file->path, "no_entry", file->m->line, 1,
                        "no computation of module %s is marked ENTRY: the last one, %s, is taken",
                        module, name);
}

/* A name is of one instruction of a computation: a text that has it twice was put together. */
static mpg_rc note_repeated(hlo_file *file) {
  char name[MPG_EXCERPT], module[MPG_EXCERPT];
  const mpg_hlo_instruction *first;
  if (file->m->n_repeated == 0)
    return MPG_OK;
  first = &file->m->instructions[file->m->first_repeated];
  mpg_text_excerpt(first->name, name);
  mpg_text_excerpt(file->m->name, module);
  return mpg_issues_add(file->issues, MPG_WARNING, file->path, "repeated_instruction", first->line,
                        (int64_t)file->m->n_repeated,
                        "%s of module %s has the name of an instruction before it: both count",
                        name, module);
}

static mpg_rc next_module(hlo_file *file, mpg_err *err) {
  mpg_rc rc = mpg_hlo_text_next(file->text, &file->m, err);
  if (rc == MPG_OK && (note_entry(file) != MPG_OK || note_repeated(file) != MPG_OK))
    return mpg_fail_nomem(err);
  if (rc == MPG_OK)
    rc = mpg_hlo_cost_module(&file->cost, file->m, err);
  for (size_t i = 0; rc == MPG_OK && i < file->m->n; i++)
    if (!file->cost.price[i].known &&
        add_issue(file, &file->m->instructions[i], &file->cost.price[i]) != MPG_OK)
      rc = mpg_fail_nomem(err);
  return rc;
}

static mpg_rc next_instruction(void *p, mpg_err *err) {
  hlo_file *file = p;
  while (file->m == NULL || file->row >= file->m->n) {
    mpg_rc rc = next_module(file, err);
    file->row = 0;
    if (rc != MPG_OK) {
      file->m = NULL;
      return rc;
    }
  }
  file->row++;
  return MPG_OK;
}

static mpg_rc next_cost(void *p, mpg_err *err) {
  return next_module(p, err);
}

static int64_t instruction_line(const void *p) {
  const hlo_file *file = p;
  return file->m == NULL ? mpg_hlo_text_line(file->text)
                         : file->m->instructions[file->row - 1].line;
}

static int64_t module_line(const void *p) {
  return mpg_hlo_text_line(((const hlo_file *)p)->text);
}

/* ---- Values ---- */

static void give_count(mpg_value *out, mpg_i128 n) {
  if (n <= INT64_MAX) {
    mpg_give_int(out, (int64_t)n);
  } else {
    out->type = MPG_REAL;
    out->r = (double)n;
  }
}

static mpg_rc put_count(mpg_json_text *json, mpg_i128 n) {
  char text[MPG_INT_TEXT];
  size_t length = mpg_text_int(n, text);
  return mpg_json_put(json, (mpg_str){text, length});
}

static mpg_rc put_member(mpg_json_text *json, mpg_str key, mpg_i128 n) {
  mpg_rc rc = mpg_json_put_key(json, key);
  return rc == MPG_OK ? put_count(json, n) : rc;
}

static mpg_rc close_json(mpg_json_text *json, const char *bracket, mpg_rc rc, mpg_value *out) {
  if (rc == MPG_OK)
    rc = mpg_json_put(json, mpg_str_of(bracket));
  mpg_give_text(out, (mpg_str){json->p, rc == MPG_OK ? json->n : 0});
  return rc;
}

/* ---- hlo_trace ---- */

enum {
  MODULE,
  COMPUTATION,
  NAME,
  OPCODE,
  DTYPE,
  SHAPE,
  OP_NAME,
  EXECUTIONS,
  TRIP_COUNT,
  FLOPS, /* these in the order of mpg_hlo_counter */
  TRANSCENDENTALS,
  BYTES,
  COLLECTIVE_BYTES,
  WIRE_BYTES,
  RANKS,
  REPLICA_GROUPS,
  MULTIPLY,
  DTYPE_CLASS,
  PRECISION,
  CUSTOM_CALL_TARGET,
  COST_KNOWN,
  OP_FLOPS,
  OP_TRANSCENDENTALS,
  OP_BYTES,
  OUTPUT_BYTES,
  OPERAND_BYTES,
  TRACE_COLUMNS
};

static const mpg_reader_column trace_columns[TRACE_COLUMNS] = {
    [MODULE] = {"module", "TEXT"},
    [COMPUTATION] = {"computation", "TEXT"},
    [NAME] = {"name", "TEXT"},
    [OPCODE] = {"opcode", "TEXT"},
    [DTYPE] = {"dtype", "TEXT"},
    [SHAPE] = {"shape", "TEXT"},
    [OP_NAME] = {"op_name", "TEXT"},
    [EXECUTIONS] = {"executions", "BIGINT"},
    [TRIP_COUNT] = {"trip_count", "BIGINT"},
    [FLOPS] = {"flops", "BIGINT"},
    [TRANSCENDENTALS] = {"transcendentals", "BIGINT"},
    [BYTES] = {"bytes", "BIGINT"},
    [COLLECTIVE_BYTES] = {"collective_bytes", "BIGINT"},
    [WIRE_BYTES] = {"wire_bytes", "BIGINT"},
    [RANKS] = {"ranks", "BIGINT"},
    [REPLICA_GROUPS] = {"replica_groups", "TEXT"},
    [MULTIPLY] = {"multiply", "TEXT"},
    [DTYPE_CLASS] = {"dtype_class", "TEXT"},
    [PRECISION] = {"precision", "TEXT"},
    [CUSTOM_CALL_TARGET] = {"custom_call_target", "TEXT"},
    [COST_KNOWN] = {"cost_known", "BIGINT"},
    [OP_FLOPS] = {"op_flops", "BIGINT"},
    [OP_TRANSCENDENTALS] = {"op_transcendentals", "BIGINT"},
    [OP_BYTES] = {"op_bytes", "BIGINT"},
    [OUTPUT_BYTES] = {"output_bytes", "BIGINT"},
    [OPERAND_BYTES] = {"operand_bytes", "TEXT"},
};

static const char *type_name(const mpg_hlo_module *m, uint32_t shape) {
  return mpg_hlo_type_name((mpg_hlo_type)mpg_hlo_shape_at(&m->shapes, shape)->type);
}

/* "bf16", or of two types "f8e4m3fnxf8e5m2", in the order of the alphabet. */
static mpg_rc give_multiply(hlo_file *file, const mpg_hlo_instruction *i, mpg_value *out) {
  mpg_json_text *text = &file->json;
  const mpg_hlo_price *p = &file->cost.price[i - file->m->instructions];
  const char *a, *b;
  uint32_t shapes[2];
  bool swap;
  mpg_rc rc;
  if (!mpg_hlo_factors(file->m, i, p->is_declared, shapes))
    return MPG_OK;
  a = type_name(file->m, shapes[0]);
  b = type_name(file->m, shapes[1]);
  swap = strcmp(a, b) > 0;
  text->n = 0;
  rc = mpg_json_put(text, mpg_str_of(swap ? b : a));
  if (rc == MPG_OK && strcmp(a, b) != 0) {
    rc = mpg_json_put(text, MPG_STR("x"));
    if (rc == MPG_OK)
      rc = mpg_json_put(text, mpg_str_of(swap ? a : b));
  }
  mpg_give_text(out, (mpg_str){text->p, rc == MPG_OK ? text->n : 0});
  return rc;
}

static mpg_rc give_operand_bytes(hlo_file *file, const mpg_hlo_instruction *i, mpg_value *out) {
  mpg_rc rc;
  file->json.n = 0;
  rc = mpg_json_put(&file->json, MPG_STR("["));
  for (uint32_t k = 0; rc == MPG_OK && k < i->noperands; k++) {
    rc = mpg_json_put_comma(&file->json);
    if (rc == MPG_OK)
      rc = put_count(&file->json, mpg_hlo_operand_bytes(&file->cost, i, k));
  }
  return close_json(&file->json, "]", rc, out);
}

static void give_precision(const mpg_hlo_module *m, const mpg_hlo_instruction *i, mpg_value *out) {
  mpg_give_text(out, mpg_hlo_attribute_of(m, i, MPG_HLO_PRECISION));
  if (out->type == MPG_NULL)
    mpg_give_text(out, mpg_hlo_attribute_of(m, i, MPG_HLO_ALGORITHM));
}

static mpg_rc give_op_name(hlo_file *file, const mpg_hlo_instruction *i, mpg_value *out) {
  mpg_str raw =
      mpg_hlo_quoted_member(mpg_hlo_attribute_of(file->m, i, MPG_HLO_METADATA), MPG_STR("op_name"));
  if (raw.n == 0 || memchr(raw.p, '\\', raw.n) == NULL) {
    mpg_give_text(out, raw);
    return MPG_OK;
  }
  if (mpg_grow(file->json.env, &file->json.p, &file->json.cap, raw.n, 1) != MPG_OK)
    return MPG_NOMEM;
  mpg_give_text(out, (mpg_str){file->json.p, mpg_hlo_unescape(file->json.p, raw)});
  return MPG_OK;
}

/* Columns that the text of the instruction gives. */
static void give_written(const mpg_hlo_module *m, const mpg_hlo_instruction *i, size_t column,
                         mpg_value *out) {
  switch (column) {
  case MODULE:
    mpg_give_text(out, m->name);
    break;
  case COMPUTATION:
    mpg_give_text(out, m->computations[i->computation].name);
    break;
  case NAME:
    mpg_give_text(out, i->name);
    break;
  case OPCODE:
    mpg_give_text(out, i->opcode);
    break;
  case DTYPE:
    mpg_give_text(out, mpg_str_of(type_name(m, i->shape)));
    break;
  case SHAPE:
    mpg_give_text(out, i->shape_text);
    break;
  case REPLICA_GROUPS:
    mpg_give_text(out, mpg_hlo_attribute_of(m, i, MPG_HLO_REPLICA_GROUPS));
    break;
  case PRECISION:
    give_precision(m, i, out);
    break;
  case CUSTOM_CALL_TARGET:
    mpg_give_text(out, target_of(m, i));
    break;
  default:
    break;
  }
}

static mpg_rc trace_column(void *p, size_t column, mpg_value *out, mpg_err *err) {
  hlo_file *file = p;
  const mpg_hlo_instruction *i = &file->m->instructions[file->row - 1];
  const mpg_hlo_price *price = &file->cost.price[file->row - 1];
  const mpg_hlo_work *times = &file->cost.times[i->computation];
  mpg_hlo_work work;
  unsigned class;
  mpg_rc rc = MPG_OK;
  switch (column) {
  case OP_NAME:
    rc = give_op_name(file, i, out);
    break;
  case EXECUTIONS:
    give_count(out, times->of[MPG_HLO_FLOPS]);
    break;
  case TRIP_COUNT:
    if (price->trips >= 0)
      mpg_give_int(out, price->trips);
    break;
  case FLOPS:
  case TRANSCENDENTALS:
  case BYTES:
  case COLLECTIVE_BYTES:
  case WIRE_BYTES:
    give_count(out, mpg_hlo_mul(price->own.of[column - FLOPS], times->of[column - FLOPS]));
    break;
  case RANKS:
    if (price->ranks > 0)
      mpg_give_int(out, price->ranks);
    break;
  case MULTIPLY:
    rc = price->is_matmul ? give_multiply(file, i, out) : MPG_OK;
    break;
  case DTYPE_CLASS:
    class = mpg_hlo_class(&file->cost, i);
    if (class < MPG_HLO_CLASSES)
      mpg_give_text(out, mpg_str_of(mpg_hlo_class_name(class)));
    break;
  case COST_KNOWN:
    mpg_give_int(out, price->known);
    break;
  case OP_FLOPS:
  case OP_TRANSCENDENTALS:
  case OP_BYTES:
    work = mpg_hlo_with_callees(&file->cost, i);
    give_count(out, work.of[column - OP_FLOPS]);
    break;
  case OUTPUT_BYTES:
    give_count(out, price->output_bytes);
    break;
  case OPERAND_BYTES:
    rc = give_operand_bytes(file, i, out);
    break;
  default:
    give_written(file->m, i, column, out);
  }
  return rc == MPG_OK ? MPG_OK : mpg_fail_plain(err, rc);
}

/* ---- hlo_cost ---- */

enum {
  COST_MODULE,
  ENTRY,
  COMPUTATIONS,
  INSTRUCTIONS,
  COST_FLOPS,
  MATMUL_FLOPS,
  MATMUL_BY_DTYPE,
  COST_TRANSCENDENTALS,
  COST_BYTES,
  PARAMETER_BYTES,
  RESULT_BYTES,
  DEVICE_BYTES,
  COST_COLLECTIVE_BYTES,
  COST_WIRE_BYTES,
  NUM_PARTITIONS,
  REPLICA_COUNT,
  DEVICES,
  SCOPE,
  SCOPE_EVIDENCE,
  COVERAGE,
  CUSTOM_CALLS,
  UNKNOWN_COSTS,
  TRIP_COUNTS,
  COST_COLUMNS
};

static const mpg_reader_column cost_columns[COST_COLUMNS] = {
    [COST_MODULE] = {"module", "TEXT"},
    [ENTRY] = {"entry", "TEXT"},
    [COMPUTATIONS] = {"computations", "BIGINT"},
    [INSTRUCTIONS] = {"instructions", "BIGINT"},
    [COST_FLOPS] = {"flops", "BIGINT"},
    [MATMUL_FLOPS] = {"matmul_flops", "BIGINT"},
    [MATMUL_BY_DTYPE] = {"matmul_by_dtype", "TEXT"},
    [COST_TRANSCENDENTALS] = {"transcendentals", "BIGINT"},
    [COST_BYTES] = {"bytes", "BIGINT"},
    [PARAMETER_BYTES] = {"parameter_bytes", "BIGINT"},
    [RESULT_BYTES] = {"result_bytes", "BIGINT"},
    [DEVICE_BYTES] = {"device_bytes", "BIGINT"},
    [COST_COLLECTIVE_BYTES] = {"collective_bytes", "BIGINT"},
    [COST_WIRE_BYTES] = {"wire_bytes", "BIGINT"},
    [NUM_PARTITIONS] = {"num_partitions", "BIGINT"},
    [REPLICA_COUNT] = {"replica_count", "BIGINT"},
    [DEVICES] = {"devices", "BIGINT"},
    [SCOPE] = {"scope", "TEXT"},
    [SCOPE_EVIDENCE] = {"scope_evidence", "TEXT"},
    [COVERAGE] = {"coverage", "REAL"},
    [CUSTOM_CALLS] = {"custom_calls", "TEXT"},
    [UNKNOWN_COSTS] = {"unknown_costs", "TEXT"},
    [TRIP_COUNTS] = {"trip_counts", "TEXT"},
};

static mpg_rc give_by_dtype(hlo_file *file, mpg_value *out) {
  mpg_rc rc;
  file->json.n = 0;
  rc = mpg_json_put(&file->json, MPG_STR("{"));
  for (unsigned class = 0; rc == MPG_OK && class < MPG_HLO_CLASSES; class ++)
    if (file->cost.matmul[class] > 0)
      rc = put_member(&file->json, mpg_str_of(mpg_hlo_class_name(class)), file->cost.matmul[class]);
  return close_json(&file->json, "}", rc, out);
}

/* The key under which an instruction is counted: the target of a custom call, or the opcode of an
** instruction without a known cost. Empty: it is not counted. */
static mpg_str listed_as(const hlo_file *file, size_t at, size_t column) {
  const mpg_hlo_instruction *i = &file->m->instructions[at];
  if (column == UNKNOWN_COSTS && file->cost.price[at].known)
    return (mpg_str){NULL, 0};
  if (i->rule == MPG_HLO_CUSTOM_CALL)
    return target_of(file->m, i);
  return column == UNKNOWN_COSTS ? i->opcode : (mpg_str){NULL, 0};
}

static mpg_rc give_listed(hlo_file *file, size_t column, mpg_value *out) {
  const mpg_env *env = file->json.env;
  mpg_intern names;
  int64_t *counts = NULL;
  size_t cap = 0;
  mpg_rc rc = MPG_OK;
  mpg_intern_init(&names, env);
  for (size_t i = 0; rc == MPG_OK && i < file->m->n; i++) {
    mpg_str name = listed_as(file, i, column);
    size_t before = names.n;
    uint32_t id;
    if (name.n == 0)
      continue;
    rc = mpg_intern_id(&names, name, &id);
    if (rc == MPG_OK)
      rc = mpg_grow(env, &counts, &cap, names.n, sizeof *counts);
    if (rc == MPG_OK && counts != NULL) {
      if (names.n > before)
        counts[id - 1] = 0;
      counts[id - 1]++;
    }
  }
  file->json.n = 0;
  if (rc == MPG_OK)
    rc = mpg_json_put(&file->json, MPG_STR("{"));
  for (uint32_t id = 1; rc == MPG_OK && counts != NULL && id <= names.n; id++)
    rc = put_member(&file->json, mpg_intern_text(&names, id), counts[id - 1]);
  rc = close_json(&file->json, "}", rc, out);
  mpg_free(env, counts);
  mpg_intern_free(&names);
  return rc;
}

static mpg_rc give_trips(hlo_file *file, mpg_value *out) {
  mpg_rc rc;
  file->json.n = 0;
  rc = mpg_json_put(&file->json, MPG_STR("{"));
  for (size_t i = 0; rc == MPG_OK && i < file->m->n; i++) {
    int64_t trips = file->cost.price[i].trips;
    if (trips == MPG_HLO_NO_TRIPS)
      continue;
    rc = mpg_json_put_key(&file->json, file->m->instructions[i].name);
    if (rc == MPG_OK)
      rc = trips < 0 ? mpg_json_put(&file->json, MPG_STR("null")) : put_count(&file->json, trips);
  }
  return close_json(&file->json, "}", rc, out);
}

static mpg_i128 matmul_of(const mpg_hlo_cost *c) {
  mpg_i128 sum = 0;
  for (unsigned class = 0; class < MPG_HLO_CLASSES; class ++)
    sum = mpg_hlo_add(sum, c->matmul[class]);
  return sum;
}

static mpg_rc cost_column(void *p, size_t column, mpg_value *out, mpg_err *err) {
  hlo_file *file = p;
  const mpg_hlo_module *m = file->m;
  const mpg_hlo_cost *c = &file->cost;
  mpg_rc rc = MPG_OK;
  switch (column) {
  case COST_MODULE:
    mpg_give_text(out, m->name);
    break;
  case ENTRY:
    mpg_give_text(out, m->computations[m->entry].name);
    break;
  case COMPUTATIONS:
    mpg_give_int(out, (int64_t)m->n_computations);
    break;
  case INSTRUCTIONS:
    mpg_give_int(out, (int64_t)m->n);
    break;
  case COST_FLOPS:
    give_count(out, c->sum.of[MPG_HLO_FLOPS]);
    break;
  case MATMUL_FLOPS:
    give_count(out, matmul_of(c));
    break;
  case MATMUL_BY_DTYPE:
    rc = give_by_dtype(file, out);
    break;
  case COST_TRANSCENDENTALS:
    give_count(out, c->sum.of[MPG_HLO_TRANSCENDENTALS]);
    break;
  case COST_BYTES:
    give_count(out, c->sum.of[MPG_HLO_BYTES]);
    break;
  case PARAMETER_BYTES:
    give_count(out, c->parameter_bytes);
    break;
  case RESULT_BYTES:
    give_count(out, c->result_bytes);
    break;
  case DEVICE_BYTES:
    give_count(out, c->device_bytes);
    break;
  case COST_COLLECTIVE_BYTES:
    give_count(out, c->sum.of[MPG_HLO_COLLECTIVE]);
    break;
  case COST_WIRE_BYTES:
    give_count(out, c->sum.of[MPG_HLO_WIRE]);
    break;
  case NUM_PARTITIONS:
    mpg_give_int(out, m->partitions);
    break;
  case REPLICA_COUNT:
    mpg_give_int(out, m->replicas);
    break;
  case DEVICES:
    mpg_give_int(out, c->devices);
    break;
  case SCOPE:
    mpg_give_text(out, mpg_str_of(c->is_global ? "global" : "device"));
    break;
  case SCOPE_EVIDENCE:
    mpg_give_text(out, mpg_str_of(c->evidence));
    break;
  case COVERAGE:
    if (m->n > 0) {
      out->type = MPG_REAL;
      out->r = (double)c->known / (double)m->n;
    }
    break;
  case CUSTOM_CALLS:
  case UNKNOWN_COSTS:
    rc = give_listed(file, column, out);
    break;
  default:
    rc = give_trips(file, out);
  }
  return rc == MPG_OK ? MPG_OK : mpg_fail_plain(err, rc);
}

int mpg_register_hlo(mpg_conn *conn, char **error) {
  static const mpg_reader_format trace = {
      .module = {"hlo_trace", &mpg_reader_module, 0},
      .usage = "expected a path, as in hlo_trace('dump/module_0001.before_optimizations.txt')",
      .columns = trace_columns,
      .ncolumns = TRACE_COLUMNS,
      .file_size = sizeof(hlo_file),
      .open = file_open,
      .close = file_close,
      .next = next_instruction,
      .line = instruction_line,
      .column = trace_column,
  };
  static const mpg_reader_format cost = {
      .module = {"hlo_cost", &mpg_reader_module, 0},
      .usage = "expected a path, as in hlo_cost('dump/*.before_optimizations.txt')",
      .columns = cost_columns,
      .ncolumns = COST_COLUMNS,
      .file_size = sizeof(hlo_file),
      .open = file_open,
      .close = file_close,
      .next = next_cost,
      .line = module_line,
      .column = cost_column,
  };
  int rc = mpg_register_reader(conn, &trace, error);
  return rc == SQLITE_OK ? mpg_register_reader(conn, &cost, error) : rc;
}
