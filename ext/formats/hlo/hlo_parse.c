/* hlo_parse.c - see hlo_parse.h. */
#include "hlo_parse.h"
#include "../../program/hlo/hlo_attribute.h"
#include "hlo_shape_text.h"
#include "../../base/text.h"

#include <stdio.h>
#include <string.h>

#define INSTRUCTIONS_BETWEEN_POLLS 4096

/* An instruction whose attribute holds the computation being read. */
typedef struct mpg_hlo_frame {
  mpg_hlo_instruction instruction;
  bool is_root;
  mpg_hlo_key key;
} frame;

typedef struct parser {
  mpg_hlo_module *m;
  mpg_hlo_scratch *s;
  mpg_hlo_lex *l;
  size_t n_frames;
  uint32_t computation; /* the one being read */
  unsigned polls;
  size_t work;      /* on names of operands, since the host was polled */
  bool partitioned; /* the header says how many partitions there are */
  mpg_str layout;   /* of the entry's parameters and results, as the header has it */
} parser;

void mpg_hlo_scratch_free(mpg_hlo_scratch *s) {
  if (s->env == NULL)
    return;
  mpg_free(s->env, s->numbers);
  mpg_free(s->env, s->members);
  mpg_free(s->env, s->open);
  mpg_free(s->env, s->frames);
  memset(s, 0, sizeof *s);
}

static mpg_rc fail_unless_ok(mpg_rc rc, mpg_err *err) {
  return rc == MPG_OK ? rc : mpg_fail_plain(err, rc);
}

static mpg_rc unexpected(parser *p, const char *at, const char *expected, mpg_err *err) {
  return mpg_hlo_fail(p->l, at, expected, NULL, err);
}

/* A failure in a computation; at the end of the text it names the line where the computation
** begins. */
static mpg_rc wrong_in_body(parser *p, const char *expected, mpg_err *err) {
  const mpg_hlo_computation *c = &p->m->computations[p->computation];
  char more[MPG_EXCERPT + 64], name[MPG_EXCERPT];
  mpg_text_excerpt(c->name, name);
  (void)snprintf(more, sizeof more, " within the computation \"%s\" of line %lld", name,
                 (long long)c->line);
  return mpg_hlo_fail(p->l, p->l->p, expected, p->l->p == p->l->end ? more : NULL, err);
}

/* A name, with or without %. */
static mpg_str read_name(parser *p) {
  (void)mpg_hlo_accept(p->l, '%');
  return mpg_hlo_word(p->l);
}

/* ---- Instructions ---- */

/* Whether a shape begins here, rather than an opcode or a name. */
static bool shape_begins(parser *p) {
  mpg_hlo_lex ahead = *p->l;
  mpg_str word;
  if (mpg_hlo_peek(&ahead) == '(')
    return true;
  word = mpg_hlo_word(&ahead);
  if (word.n == 0 || ahead.p >= ahead.end)
    return false;
  return *ahead.p == '[' || (*ahead.p == '(' && mpg_str_eq(word, MPG_STR("b")));
}

/* An element of a tuple is so deep in tuples at most: each level of it has a name to be looked
** up. */
#define ELEMENT_LEVELS 64

/* A get-tuple-element that the text leaves out: "%name#1", `name` with its number, stands for
** it. */
static mpg_rc add_element(parser *p, mpg_hlo_instruction of, mpg_str name, uint32_t *found,
                          mpg_err *err) {
  mpg_hlo_module *m = p->m;
  of.name = name;
  of.opcode = MPG_STR("get-tuple-element");
  of.rule = MPG_HLO_GET_TUPLE_ELEMENT;
  of.operand = (uint32_t)m->n_operands;
  of.noperands = 1;
  if (m->n_operands >= MPG_HLO_NONE || mpg_grow(m->env, &m->operands, &m->cap_operands,
                                                m->n_operands + 1, sizeof *m->operands) != MPG_OK)
    return mpg_fail_nomem(err);
  m->operands[m->n_operands++] = *found;
  return fail_unless_ok(mpg_hlo_add_instruction(m, &of, false, found), err);
}

/* "#1#0" after the name of an operand, which is *found: the element of that tuple. */
static mpg_rc read_elements(parser *p, const mpg_hlo_instruction *user, mpg_str name,
                            uint32_t *found, mpg_err *err) {
  mpg_hlo_lex *l = p->l;
  for (unsigned level = 0; l->p < l->end && *l->p == '#'; level++) {
    mpg_hlo_module *m = p->m;
    mpg_hlo_instruction element = {.line = user->line, .computation = user->computation};
    const char *at = l->p++;
    uint32_t there;
    mpg_rc rc = MPG_OK;
    element.attribute = element.next = MPG_HLO_NONE;
    if (level == ELEMENT_LEVELS || !mpg_hlo_number(l, &element.number))
      return unexpected(p, at, "'#' and the number of an element, 64 tuples deep at most", err);
    element.shape = mpg_hlo_member(&m->shapes, m->instructions[*found].shape, element.number);
    if (element.shape == 0)
      return unexpected(p, at, "an element that the tuple has", err);
    name.n = (size_t)(l->p - name.p);
    if (mpg_poll_work(m->env, &p->work, name.n))
      return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
    there = mpg_hlo_find(m, user->computation, name);
    if (there == MPG_HLO_NONE)
      rc = add_element(p, element, name, found, err);
    else
      *found = there;
    if (rc != MPG_OK)
      return rc;
  }
  return MPG_OK;
}

/* One more operand: number n of them in the scratch. */
static mpg_rc read_operand(parser *p, const mpg_hlo_instruction *i, size_t n, mpg_err *err) {
  mpg_hlo_module *m = p->m;
  const char *at;
  mpg_str name;
  uint32_t found;
  mpg_rc rc;
  if (mpg_hlo_peek(p->l) != '%' && shape_begins(p) && !mpg_hlo_shape_skip(p->l))
    return unexpected(p, p->l->p, "a shape", err);
  (void)mpg_hlo_peek(p->l);
  at = p->l->p;
  name = read_name(p);
  if (name.n == 0)
    return wrong_in_body(p, "an operand", err);
  found = mpg_hlo_find(m, i->computation, name);
  if (found == MPG_HLO_NONE)
    return unexpected(p, at, "the name of an instruction above, as operand", err);
  rc = read_elements(p, i, name, &found, err);
  if (rc != MPG_OK)
    return rc;
  if (mpg_grow(p->s->env, &p->s->members, &p->s->cap_members, n + 1, sizeof *p->s->members) !=
      MPG_OK)
    return mpg_fail_nomem(err);
  if (mpg_poll_work(m->env, &p->work, 8 + name.n))
    return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
  p->s->members[n] = found;
  return MPG_OK;
}

/* Copies operands from the scratch into the module, after the elements of tuples that they use. */
static mpg_rc add_operands(parser *p, mpg_hlo_instruction *i, size_t n, mpg_err *err) {
  mpg_hlo_module *m = p->m;
  if (n > MPG_HLO_NONE - m->n_operands ||
      mpg_grow(m->env, &m->operands, &m->cap_operands, m->n_operands + n, sizeof *m->operands) !=
          MPG_OK)
    return mpg_fail_nomem(err);
  i->operand = (uint32_t)m->n_operands;
  i->noperands = (uint32_t)n;
  memcpy(m->operands + m->n_operands, p->s->members, n * sizeof *m->operands);
  m->n_operands += n;
  return MPG_OK;
}

/* The text in the parentheses after the opcode. */
static mpg_rc read_operands(parser *p, mpg_hlo_instruction *i, mpg_err *err) {
  const char *open = p->l->p;
  i->operand = (uint32_t)p->m->n_operands;
  if (i->rule == MPG_HLO_CONSTANT) {
    if (!mpg_hlo_brackets(p->l)) {
      p->l->p = p->l->end;
      return wrong_in_body(p, "the end of a constant", err);
    }
    return fail_unless_ok(mpg_hlo_add_attribute(p->m, i, MPG_HLO_LITERAL,
                                                (mpg_str){open + 1, (size_t)(p->l->p - open) - 2},
                                                MPG_HLO_NONE),
                          err);
  }
  p->l->p++;
  if (i->rule == MPG_HLO_PARAMETER) {
    (void)mpg_hlo_peek(p->l);
    if (!mpg_hlo_number(p->l, &i->number) || i->number < 0)
      return wrong_in_body(p, "the number of a parameter", err);
    return mpg_hlo_accept(p->l, ')') ? MPG_OK : wrong_in_body(p, "')'", err);
  }
  if (mpg_hlo_accept(p->l, ')'))
    return MPG_OK;
  for (size_t n = 0;;) {
    mpg_rc rc = read_operand(p, i, n++, err);
    if (rc != MPG_OK)
      return rc;
    if (mpg_hlo_accept(p->l, ')'))
      return add_operands(p, i, n, err);
    if (!mpg_hlo_accept(p->l, ','))
      return wrong_in_body(p, "',' or ')'", err);
  }
}

/* "[ROOT] %name = [shape] opcode(operands)" */
static mpg_rc read_head(parser *p, mpg_hlo_instruction *i, bool *is_root, mpg_err *err) {
  mpg_hlo_lex *l = p->l;
  const char *at = l->p;
  mpg_rc rc = MPG_OK;
  memset(i, 0, sizeof *i);
  i->attribute = i->next = MPG_HLO_NONE;
  i->computation = p->computation;
  i->line = mpg_hlo_line(l, at);
  i->name = read_name(p);
  *is_root = mpg_str_eq(i->name, MPG_STR("ROOT")) && *at != '%' && mpg_hlo_peek(l) != '=';
  if (*is_root)
    i->name = read_name(p);
  if (i->name.n == 0)
    return wrong_in_body(p, "an instruction or '}'", err);
  if (!mpg_hlo_accept(l, '='))
    return wrong_in_body(p, "'=' behind the name of an instruction", err);
  if (shape_begins(p)) {
    (void)mpg_hlo_peek(l);
    i->shape_text.p = l->p;
    rc = mpg_hlo_shape_read(l, p->s, &p->m->shapes, &i->shape, err);
    i->shape_text.n = (size_t)(l->p - i->shape_text.p);
  }
  if (rc != MPG_OK)
    return rc;
  (void)mpg_hlo_peek(l);
  i->opcode = mpg_hlo_word(l);
  if (i->opcode.n == 0)
    return wrong_in_body(p, "an opcode", err);
  i->rule = mpg_hlo_opcode_find(i->opcode, &i->sugar)->rule;
  if (mpg_hlo_peek(l) != '(')
    return wrong_in_body(p, "'(' behind the opcode", err);
  return read_operands(p, i, err);
}

/* The shape that the text leaves out, if it follows from the operands. */
static mpg_rc infer_shape(parser *p, mpg_hlo_instruction *i, mpg_err *err) {
  mpg_hlo_module *m = p->m;
  uint32_t first = mpg_hlo_operand_shape(m, i, 0);
  mpg_rc rc = MPG_OK;
  if (i->rule == MPG_HLO_TUPLE_OP) {
    if (mpg_grow(p->s->env, &p->s->members, &p->s->cap_members, (size_t)i->noperands + 1,
                 sizeof *p->s->members) != MPG_OK)
      return mpg_fail_nomem(err);
    for (uint32_t k = 0; k < i->noperands; k++)
      p->s->members[k] = mpg_hlo_operand_shape(m, i, k);
    rc = mpg_hlo_shape_tuple(&m->shapes, p->s->members, i->noperands, &i->shape);
  } else if (i->rule == MPG_HLO_GET_TUPLE_ELEMENT) {
    i->shape = mpg_hlo_member(&m->shapes, first, i->number);
  } else if (i->rule == MPG_HLO_ELEMENTWISE || i->rule == MPG_HLO_TRANSCENDENTAL) {
    i->shape = first;
  }
  if (rc == MPG_OK && i->shape == 0)
    return unexpected(p, i->opcode.p, "a shape before the opcode", err);
  return fail_unless_ok(rc, err);
}

/* ---- Attributes ---- */

/* Whether instructions stand in the braces here, rather than names of computations. */
static bool written_in_place(const parser *p) {
  mpg_hlo_lex ahead = *p->l;
  mpg_str word;
  if (!mpg_hlo_accept(&ahead, '{'))
    return false;
  (void)mpg_hlo_accept(&ahead, '%');
  word = mpg_hlo_word(&ahead);
  if (mpg_hlo_peek(&ahead) == '=')
    return true;
  return mpg_str_eq(word, MPG_STR("ROOT")) && mpg_hlo_peek(&ahead) != ',' &&
         mpg_hlo_peek(&ahead) != '}';
}

/* "key=" after a comma. */
static mpg_rc read_key(parser *p, mpg_str *key, mpg_err *err) {
  (void)mpg_hlo_peek(p->l);
  *key = mpg_hlo_word(p->l);
  if (key->n == 0)
    return wrong_in_body(p, "the name of an attribute", err);
  if (!mpg_hlo_accept(p->l, '='))
    return wrong_in_body(p, "'=' behind the name of an attribute", err);
  (void)mpg_hlo_peek(p->l);
  return MPG_OK;
}

/* The rest of replica_groups of a mesh in an order of its own, which has a comma in it:
** mesh['x'=4,'y'=2], device_ids=([2,4]T(1,0)) {'x'}. */
static void device_ids(mpg_hlo_lex *l, mpg_str *value) {
  mpg_hlo_lex ahead = *l;
  mpg_str rest;
  if (value->n < 5 || memcmp(value->p, "mesh[", 5) != 0 || !mpg_hlo_accept(&ahead, ','))
    return;
  (void)mpg_hlo_peek(&ahead);
  if (!mpg_str_eq(mpg_hlo_word(&ahead), MPG_STR("device_ids")) || !mpg_hlo_accept(&ahead, '=') ||
      !mpg_hlo_value(&ahead, &rest))
    return;
  value->n = (size_t)(ahead.p - value->p);
  *l = ahead;
}

/*
** Attributes up to the end of the instruction. *inside: one holds a computation, which is to be
** read first; the instruction waits in a frame.
*/
static mpg_rc read_attributes(parser *p, mpg_hlo_instruction *i, bool is_root, bool *inside,
                              mpg_err *err) {
  mpg_hlo_lex *l = p->l;
  *inside = false;
  while (mpg_hlo_accept(l, ',')) {
    mpg_str text, value;
    mpg_hlo_key key;
    mpg_rc rc = read_key(p, &text, err);
    if (rc != MPG_OK)
      return rc;
    key = mpg_hlo_key_find(text);
    if (key <= MPG_HLO_SCATTER_BY && written_in_place(p)) {
      mpg_hlo_scratch *s = p->s;
      if (mpg_grow(s->env, &s->frames, &s->cap_frames, p->n_frames + 1, sizeof *s->frames) !=
          MPG_OK)
        return mpg_fail_nomem(err);
      s->frames[p->n_frames++] = (frame){*i, is_root, key};
      (void)mpg_hlo_accept(l, '{');
      *inside = true;
      return fail_unless_ok(
          mpg_hlo_add_computation(p->m, (mpg_str){NULL, 0}, mpg_hlo_line(l, l->p), &p->computation),
          err);
    }
    /* literal=s32[] 1: a shape and a value */
    if (!mpg_hlo_value(l, &value) || (mpg_str_eq(text, MPG_STR("literal")) &&
                                      mpg_hlo_peek(l) != ',' && !mpg_hlo_value(l, &value))) {
      l->p = l->end;
      return wrong_in_body(p, "the end of an attribute's value", err);
    }
    if (key == MPG_HLO_REPLICA_GROUPS)
      device_ids(l, &value);
    if (mpg_poll_work(p->m->env, &p->work, value.n))
      return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
    if (key == MPG_HLO_SHARDING && !p->partitioned) {
      int64_t devices = mpg_hlo_tiles(value);
      p->m->partitions = devices > p->m->partitions ? devices : p->m->partitions;
    }
    if (key != MPG_HLO_KEYS &&
        (is_root || i->rule == MPG_HLO_CUSTOM_CALL || i->rule == MPG_HLO_PARAMETER ||
         (key != MPG_HLO_SHARDING && key != MPG_HLO_FRONTEND)))
      rc = fail_unless_ok(mpg_hlo_add_attribute(p->m, i, key, value, MPG_HLO_NONE), err);
    if (rc != MPG_OK)
      return rc;
  }
  return MPG_OK;
}

static mpg_rc finish_instruction(parser *p, mpg_hlo_instruction *i, bool is_root, mpg_err *err) {
  mpg_str index = mpg_hlo_attribute_of(p->m, i, MPG_HLO_INDEX);
  mpg_rc rc = MPG_OK;
  uint32_t number;
  if (i->rule == MPG_HLO_GET_TUPLE_ELEMENT) {
    mpg_hlo_lex l = *p->l;
    if (index.n > 0) {
      l.p = index.p;
      l.end = index.p + index.n;
    }
    if (index.n == 0 || !mpg_hlo_number(&l, &i->number) || i->number < 0)
      return unexpected(p, i->opcode.p, "an index of get-tuple-element", err);
  }
  if (i->shape == 0)
    rc = infer_shape(p, i, err);
  if (rc == MPG_OK && ++p->polls % INSTRUCTIONS_BETWEEN_POLLS == 0 && mpg_interrupted(p->s->env))
    rc = mpg_fail(err, MPG_INTERRUPTED, "interrupted");
  return rc != MPG_OK ? rc
                      : fail_unless_ok(mpg_hlo_add_instruction(p->m, i, is_root, &number), err);
}

/* ---- Computations ---- */

/* Instructions up to the closing brace of a computation, with all that is written in place. */
static mpg_rc read_body(parser *p, mpg_err *err) {
  for (;;) {
    mpg_hlo_instruction i;
    bool is_root, inside;
    mpg_rc rc;
    if (mpg_hlo_accept(p->l, '}')) {
      frame *f;
      if (p->n_frames == 0)
        return MPG_OK;
      f = &p->s->frames[--p->n_frames];
      i = f->instruction;
      is_root = f->is_root;
      rc = fail_unless_ok(
          mpg_hlo_add_attribute(p->m, &i, f->key, (mpg_str){NULL, 0}, p->computation), err);
      p->computation = i.computation;
    } else {
      rc = read_head(p, &i, &is_root, err);
    }
    if (rc == MPG_OK)
      rc = read_attributes(p, &i, is_root, &inside, err);
    if (rc == MPG_OK && !inside)
      rc = finish_instruction(p, &i, is_root, err);
    if (rc != MPG_OK)
      return rc;
  }
}

/* "[ENTRY] %name [(parameters) -> shape] {", with the word that stood first. */
static mpg_rc read_computation(parser *p, mpg_str word, mpg_err *err) {
  mpg_hlo_lex *l = p->l;
  const char *at = word.p;
  int64_t line = mpg_hlo_line(l, at);
  bool is_entry = mpg_str_eq(word, MPG_STR("ENTRY")) && mpg_hlo_peek(l) != '{';
  mpg_rc rc;
  if (is_entry)
    word = read_name(p);
  if (word.n == 0)
    return unexpected(p, l->p, "the name of a computation", err);
  if (mpg_hlo_peek(l) == '(' && !mpg_hlo_brackets(l))
    return unexpected(p, l->end, "the end of a computation's parameters", err);
  if (mpg_hlo_peek(l) == '-' && l->end - l->p >= 2 && l->p[1] == '>') {
    l->p += 2;
    if (!mpg_hlo_shape_skip(l))
      return unexpected(p, l->p, "the shape of a computation's result", err);
  }
  if (!mpg_hlo_accept(l, '{'))
    return mpg_hlo_fail(l, l->p, "'{' of a computation", NULL, err);
  rc = fail_unless_ok(mpg_hlo_add_computation(p->m, word, line, &p->computation), err);
  if (rc != MPG_OK)
    return rc;
  if (is_entry)
    p->m->entry = p->computation;
  rc = read_body(p, err);
  while (rc == MPG_OK && mpg_hlo_accept(l, ',')) { /* such as execution_thread="..." */
    mpg_str key, value;
    rc = read_key(p, &key, err);
    if (rc == MPG_OK && !mpg_hlo_value(l, &value))
      rc = unexpected(p, l->end, "the end of an attribute's value", err);
  }
  return rc;
}

/* ---- The header ---- */

static void header_value(mpg_hlo_module *m, mpg_str key, mpg_str value) {
  mpg_hlo_lex l = {.p = value.p, .end = value.p + value.n};
  int64_t n = 1;
  if (mpg_str_eq(key, MPG_STR("is_scheduled")))
    m->scheduled = mpg_str_eq(value, MPG_STR("true"));
  else if (mpg_str_eq(key, MPG_STR("num_partitions")) && mpg_hlo_number(&l, &n) && n > 0)
    m->partitions = n;
  else if (mpg_str_eq(key, MPG_STR("replica_count")) && mpg_hlo_number(&l, &n) && n > 0)
    m->replicas = n;
  else if (mpg_str_eq(key, MPG_STR("frontend_attributes")))
    m->meshes = value;
}

static bool ends_name(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',' || c == ':';
}

/* Behind "HloModule". */
static mpg_rc read_header(parser *p, mpg_err *err) {
  mpg_hlo_lex *l = p->l;
  mpg_rc rc = MPG_OK;
  (void)mpg_hlo_accept(l, ',');
  (void)mpg_hlo_peek(l);
  p->m->name.p = l->p;
  while (l->p < l->end && !ends_name(*l->p))
    l->p++;
  p->m->name.n = (size_t)(l->p - p->m->name.p);
  if (p->m->name.n == 0)
    return unexpected(p, l->p, "the name of a module", err);
  if (l->p < l->end && *l->p == ':')
    l->p++;
  while (rc == MPG_OK && mpg_hlo_accept(l, ',')) {
    mpg_str key, value;
    (void)mpg_hlo_peek(l);
    key = mpg_hlo_word(l);
    if (key.n == 0 || !mpg_hlo_accept(l, '='))
      return unexpected(p, l->p, "key=value of a module", err);
    (void)mpg_hlo_peek(l);
    if (!mpg_hlo_value(l, &value))
      return unexpected(p, l->end, "the end of a value of the module's header", err);
    header_value(p->m, key, value);
    p->partitioned |= mpg_str_eq(key, MPG_STR("num_partitions"));
    if (mpg_str_eq(key, MPG_STR("entry_computation_layout")))
      p->layout = value;
  }
  if (!p->partitioned) /* as JAX prints a module before it is compiled */
    p->m->partitions = mpg_hlo_mesh_size(p->m->meshes);
  return rc;
}

/* Gives an array or tuple its shape as the header has it, which alone says what lies in the host's
** memory before the compiler's passes. */
static void lay_out(mpg_hlo_module *m, uint32_t instruction, uint32_t shape) {
  const mpg_hlo_shape *told = mpg_hlo_shape_at(&m->shapes, shape), *was;
  if (instruction == MPG_HLO_NONE || told->on_host == 0)
    return;
  was = mpg_hlo_shape_at(&m->shapes, m->instructions[instruction].shape);
  if (told->type == was->type && told->n == was->n && told->leaves == was->leaves &&
      told->elements == was->elements && told->size == was->size)
    m->instructions[instruction].shape = shape;
}

/* "{(SHAPE, ...)->SHAPE}"; one that makes no sense says nothing. */
static mpg_rc lay_out_entry(parser *p, mpg_err *err) {
  mpg_hlo_module *m = p->m;
  const mpg_hlo_computation *entry = &m->computations[m->entry];
  mpg_hlo_lex l = *p->l;
  mpg_err ignored = *err;
  uint32_t shape;
  mpg_rc rc;
  if (p->layout.n == 0)
    return MPG_OK;
  l.p = p->layout.p;
  l.end = p->layout.p + p->layout.n;
  if (!mpg_hlo_accept(&l, '{') || mpg_hlo_peek(&l) != '(')
    return MPG_OK;
  rc = mpg_hlo_shape_read(&l, p->s, &m->shapes, &shape, &ignored);
  for (uint32_t k = 0; rc == MPG_OK && k < entry->nparameters; k++)
    lay_out(m, m->parameters[entry->parameter + k], mpg_hlo_member(&m->shapes, shape, k));
  if (rc == MPG_OK && mpg_hlo_peek(&l) == '-' && l.end - l.p > 2) {
    l.p += 2;
    rc = mpg_hlo_shape_read(&l, p->s, &m->shapes, &shape, &ignored);
    if (rc == MPG_OK)
      lay_out(m, entry->root, shape);
  }
  if (rc == MPG_OK || rc == MPG_DATA)
    return MPG_OK;
  *err = ignored;
  return rc;
}

/* A table of places in the source: numbers, each with a string or something in braces. */
static bool skip_table(parser *p) {
  mpg_hlo_lex *l = p->l;
  int64_t number;
  while (mpg_hlo_peek(l) >= '0' && *l->p <= '9') {
    if (!mpg_hlo_number(l, &number))
      return false;
    if (mpg_hlo_peek(l) == '"' ? !mpg_hlo_string(l)
                               : mpg_hlo_peek(l) != '{' || !mpg_hlo_brackets(l))
      return false;
  }
  return true;
}

static bool is_table(mpg_str word) {
  return mpg_str_eq(word, MPG_STR("FileNames")) || mpg_str_eq(word, MPG_STR("FunctionNames")) ||
         mpg_str_eq(word, MPG_STR("FileLocations")) || mpg_str_eq(word, MPG_STR("StackFrames"));
}

/* Whether a text begins as MLIR does: a module, a function, a place, an alias, a comment. */
static bool is_mlir(const char *p, const char *end) {
  static const char *const starts[] = {"module {", "module @", "module attributes", "func.func ",
                                       "#loc",     "#map",     "builtin.module",    "\"builtin.",
                                       "!",        "MLiR"};
  size_t n = (size_t)(end - p);
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
    if (n >= strlen(starts[i]) && memcmp(p, starts[i], strlen(starts[i])) == 0)
      return true;
  /* Any other alias of an attribute: #name = ... */
  if (n > 1 && *p == '#')
    for (p++; p < end && *p != '\n'; p++)
      if (*p == '=')
        return true;
  return false;
}

/* What a text that is no HLO looks like instead. */
static const char *hint_of_other_format(const char *p, const char *end) {
  if (is_mlir(p, end))
    return " (MLIR? dump it with XLA_FLAGS=--xla_dump_hlo_as_text, or, of JAX, print "
           "lowered.compiler_ir(\"hlo\").as_hlo_text())";
  return NULL;
}

mpg_rc mpg_hlo_parse(mpg_hlo_module *m, mpg_hlo_scratch *scratch, mpg_hlo_lex *lex, mpg_err *err) {
  parser p = {m, scratch, lex, 0, 0, 0, 0, false, {NULL, 0}};
  bool header = false;
  uint32_t at;
  mpg_rc rc = MPG_OK;
  if (mpg_hlo_peek(lex) == '\0' && lex->p == lex->end)
    return MPG_DONE;
  m->line = mpg_hlo_line(lex, lex->p);
  while (rc == MPG_OK && (mpg_hlo_peek(lex) != '\0' || lex->p < lex->end)) {
    const char *from = lex->p;
    mpg_str word = read_name(&p);
    bool mlir = !header && m->n_computations == 0 && is_mlir(from, lex->end);
    if (!header && m->n_computations == 0 && mpg_str_eq(word, MPG_STR("HloModule"))) {
      header = true;
      rc = read_header(&p, err);
    } else if (word.n > 0 && *from != '%' && is_table(word)) {
      if (!skip_table(&p))
        rc = unexpected(&p, lex->p, "a number with a string or braces", err);
    } else if (word.n > 0 && !mlir &&
               (header || m->n_computations > 0 || mpg_hlo_peek(lex) == '{' ||
                mpg_hlo_peek(lex) == '(' || mpg_str_eq(word, MPG_STR("ENTRY")))) {
      rc = read_computation(&p, word, err);
    } else {
      rc = mpg_hlo_fail(lex, from,
                        header ? "a computation" : "\"HloModule\" or a computation of HLO text",
                        header ? NULL : hint_of_other_format(from, lex->end), err);
    }
  }
  if (rc == MPG_OK && m->n_computations == 0)
    rc = unexpected(&p, lex->p, "a computation", err);
  if (rc == MPG_OK)
    rc = mpg_hlo_module_link(m, &at, err);
  else
    return rc;
  if (rc == MPG_OK)
    return lay_out_entry(&p, err);
  if (rc == MPG_DATA) {
    mpg_err plain = *err;
    rc = mpg_fail(err, rc, "%s:%lld: %.900s", lex->path, (long long)m->instructions[at].line,
                  plain.text);
  }
  return rc;
}
