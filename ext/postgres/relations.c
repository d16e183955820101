/* relations.c - see relations.h. */
#include "relations.h"
#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "../goodput/trace/relation_rows.h"

#define ROWS_A_FETCH 1000

/* Relations may be views over another schema's ledger, and those over another's; but not without
** end. */
#define READING_MAX 8

/* A relation's table or view, or InvalidOid. */
static Oid find_relation(Oid schema, mpg_relation relation) {
  const mpg_relation_info *info = mpg_relation_get(relation);
  Oid found =
      OidIsValid(schema) ? get_relname_relid(info->name, schema) : RelnameGetRelid(info->name);
  if (!OidIsValid(found))
    return InvalidOid;
  switch (get_rel_relkind(found)) {
  case RELKIND_RELATION:
  case RELKIND_VIEW:
  case RELKIND_MATVIEW:
  case RELKIND_FOREIGN_TABLE:
  case RELKIND_PARTITIONED_TABLE:
    break;
  default: /* an index, a sequence, a type */
    return InvalidOid;
  }
  if (relation == MPG_REL_CHIPS) /* a table for another purpose may have the name */
    for (size_t c = 0; c < info->ncolumns; c++)
      if ((info->required >> c & 1) && get_attnum(found, info->columns[c]) == InvalidAttrNumber)
        return InvalidOid;
  return found;
}

typedef struct reading {
  mpg_relation_rows rows;
  TupleDesc desc;
  Datum *datums;
  bool *nulls;
  Oid types[MPG_MAX_COLUMNS];
  MemoryContext row; /* of one row's values */
} reading;

static mpg_rc map_columns(reading *r, mpg_err *err) {
  mpg_rc rc = MPG_OK;
  for (int i = 0; rc == MPG_OK && i < r->desc->natts; i++)
    rc = mpg_relation_rows_column(&r->rows, i, NameStr(TupleDescAttr(r->desc, i)->attname), err);
  for (size_t c = 0; c < MPG_MAX_COLUMNS; c++)
    if (r->rows.of[c] >= 0)
      r->types[c] = getBaseType(TupleDescAttr(r->desc, r->rows.of[c])->atttypid);
  return rc == MPG_OK ? mpg_relation_rows_columns_end(&r->rows, err) : rc;
}

static mpg_rc add_row(reading *r, HeapTuple tuple, mpg_err *err) {
  MemoryContext before = MemoryContextSwitchTo(r->row);
  mpg_value values[MPG_MAX_COLUMNS];
  mpg_rc rc;
  heap_deform_tuple(tuple, r->desc, r->datums, r->nulls);
  for (size_t c = 0; c < MPG_MAX_COLUMNS; c++) {
    int i = r->rows.of[c];
    values[c].type = MPG_NULL;
    if (i >= 0 && !r->nulls[i])
      values[c] = mpg_datum_value(r->types[c], r->datums[i]);
  }
  rc = mpg_relation_rows_add(&r->rows, values, r->rows.n + 1, err);
  MemoryContextSwitchTo(before);
  MemoryContextReset(r->row);
  return rc;
}

static mpg_rc read_rows(reading *r, Portal portal, mpg_err *err) {
  mpg_rc rc = MPG_OK;
  do {
    SPI_cursor_fetch(portal, true, ROWS_A_FETCH);
    for (uint64 i = 0; rc == MPG_OK && i < SPI_processed; i++)
      rc = add_row(r, SPI_tuptable->vals[i], err);
    if (SPI_processed == 0)
      break;
    SPI_freetuptable(SPI_tuptable);
  } while (rc == MPG_OK);
  return rc;
}

static mpg_rc read_relation(mpg_fleet *fleet, const mpg_env *env, Oid table, mpg_relation relation,
                            bool skip, mpg_err *err) {
  const char *schema = get_namespace_name(get_rel_namespace(table));
  const char *name = mpg_relation_get(relation)->name;
  reading r = {.rows = {.fleet = fleet,
                        .env = env,
                        .relation = relation,
                        .source = psprintf("%s.%s", schema, name),
                        .skip = skip}};
  SPIPlanPtr plan;
  Portal portal;
  mpg_rc rc;
  plan =
      SPI_prepare(psprintf("SELECT * FROM %s", quote_qualified_identifier(schema, name)), 0, NULL);
  if (plan == NULL)
    elog(ERROR, "mpg: %s", SPI_result_code_string(SPI_result));
  portal = SPI_cursor_open(NULL, plan, NULL, NULL, true);
  r.desc = portal->tupDesc;
  r.datums = palloc((size_t)r.desc->natts * sizeof *r.datums);
  r.nulls = palloc((size_t)r.desc->natts * sizeof *r.nulls);
  r.row = AllocSetContextCreate(CurrentMemoryContext, "mpg record", ALLOCSET_SMALL_SIZES);
  rc = mpg_relation_rows_begin(&r.rows, err);
  if (rc == MPG_OK)
    rc = map_columns(&r, err);
  if (rc == MPG_OK)
    rc = read_rows(&r, portal, err);
  mpg_relation_rows_end(&r.rows);
  SPI_cursor_close(portal);
  SPI_freeplan(plan);
  return rc;
}

/* Chips come first: spans are rated by them. */
static mpg_rc read_all(mpg_fleet *fleet, const mpg_env *env, Oid schema, bool skip, mpg_err *err) {
  bool any = false;
  mpg_rc rc = MPG_OK;
  for (int i = 0; rc == MPG_OK && i < MPG_RELATIONS; i++) {
    mpg_relation relation = i == 0 ? MPG_REL_CHIPS : (mpg_relation)(i - 1);
    Oid table = relation == MPG_REL_OBSERVED ? InvalidOid : find_relation(schema, relation);
    if (OidIsValid(table)) {
      any |= relation != MPG_REL_CHIPS;
      rc = read_relation(fleet, env, table, relation, skip, err);
    }
  }
  if (rc == MPG_OK && !any)
    rc = mpg_fail(
        err, MPG_IO,
        "expected tables or views capacity, allocations, ... (schema/fleet.sql), found none");
  return rc;
}

/* An error of the server unwinds through here. */
static mpg_rc read_deeper(mpg_fleet *fleet, const mpg_env *env, Oid schema, bool skip,
                          mpg_err *err) {
  static int depth;
  volatile mpg_rc rc = MPG_OK;
  if (depth >= READING_MAX)
    return mpg_fail(err, MPG_LIMIT, "a relation is defined by itself, through the ledger");
  depth++;
  PG_TRY();
  {
    if (SPI_connect() != SPI_OK_CONNECT)
      elog(ERROR, "mpg: no connection to the server's own SQL");
    rc = read_all(fleet, env, schema, skip, err);
    SPI_finish();
  }
  PG_FINALLY();
  { depth--; }
  PG_END_TRY();
  return rc;
}

mpg_rc mpg_pg_relations_read(mpg_fleet *fleet, const mpg_env *env, const char *schema, bool skip,
                             mpg_err *err) {
  Oid found = InvalidOid;
  StaticAssertStmt(MPG_REL_CHIPS == MPG_RELATIONS - 1, "chips are the last relation");
  if (schema != NULL) {
    found = LookupExplicitNamespace(schema, true);
    if (!OidIsValid(found))
      return mpg_fail(err, MPG_MISUSE, "expected the name of a schema, found \"%.80s\"", schema);
  }
  return read_deeper(fleet, env, found, skip, err);
}
