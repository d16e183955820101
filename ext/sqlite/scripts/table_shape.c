/* table_shape.c - see table_shape.h. */
#include "table_shape.h"

#define ON_ERROR "'stop' or 'skip': what a file or record that cannot be read does"

static bool is_text(mpg_str a, const char *b) {
  return mpg_str_eq(a, mpg_str_of(b));
}

static void add_argument(mpg_table_shape *shape, const mpg_head *head) {
  const bool files = is_text(head->type, "FILES");
  shape->arguments[shape->narguments++] = *head;
  shape->files |= files;
  if (files || is_text(head->type, "PATH"))
    shape->required = shape->narguments;
}

void mpg_table_shape_read(mpg_table_shape *shape, const mpg_script_table *table) {
  const mpg_script *script = &mpg_scripts[table->script];
  const char *at = script->heads;
  bool mine = true; /* heads before the first table are of all tables of the script */
  mpg_head head;
  *shape = (mpg_table_shape){.script = script, .name = mpg_str_of(table->name)};
  while ((head = mpg_head_next(&at)).kind != MPG_HEAD_END) {
    if (head.kind == MPG_HEAD_TABLE) {
      mine = mpg_str_eq(head.name, shape->name);
      if (mine)
        shape->head = head;
      if (mine && !is_text(head.parameter, "-"))
        shape->relation = head.parameter;
    } else if (mine && head.kind == MPG_HEAD_COLUMN && shape->ncolumns < MPG_SHAPE_COLUMNS) {
      shape->columns[shape->ncolumns++] = head;
    } else if (mine && head.kind == MPG_HEAD_ARGUMENT &&
               shape->narguments < MPG_SHAPE_ARGUMENTS - 1) {
      add_argument(shape, &head);
    }
  }
  if (shape->required > 0) {
    shape->on_error = true;
    shape->arguments[shape->narguments++] = (mpg_head){.kind = MPG_HEAD_ARGUMENT,
                                                       .name = MPG_STR("on_error"),
                                                       .parameter = MPG_STR("on_error"),
                                                       .type = MPG_STR("TEXT"),
                                                       .text = MPG_STR(ON_ERROR),
                                                       .says = {NULL, 0}};
  }
}

char *mpg_table_shape_declare(const mpg_table_shape *shape) {
  sqlite3_str *sql = sqlite3_str_new(NULL);
  sqlite3_str_appendall(sql, "CREATE TABLE x(");
  for (int i = 0; i < shape->ncolumns; i++) {
    const mpg_head *c = &shape->columns[i];
    sqlite3_str_appendf(sql, "%s\"%.*s\" %.*s", i > 0 ? ", " : "", (int)c->name.n, c->name.p,
                        (int)c->type.n, c->type.p);
  }
  for (int i = 0; i < shape->narguments; i++) {
    const mpg_head *a = &shape->arguments[i];
    char name[64];
    (void)sqlite3_snprintf((int)sizeof name, name, "%.*s", (int)a->name.n, a->name.p);
    sqlite3_str_appendall(sql, ", ");
    mpg_declare_argument(
        sql, name,
        i < shape->required || is_text(a->type, "TEXT") || is_text(a->type, "PATH") ? "TEXT" : "");
  }
  sqlite3_str_appendall(sql, ")");
  return sqlite3_str_finish(sql);
}

int mpg_table_shape_argument(const mpg_table_shape *shape, const char *parameter) {
  for (int i = 0; i < shape->narguments; i++)
    if (is_text(shape->arguments[i].parameter, parameter))
      return i;
  return -1;
}
