/*
** hlo_trips.c - how often a while loop runs its body: from known_trip_count, which XLA writes once
** it has found it, else from a counter that starts at a constant, grows by a constant, and is
** compared with a constant, wherever fusions, calls and copies hide these. A constant may also be
** handed to the loop, which hands it on as it is: what JAX's while_loop does with arrays from
** around it.
*/
#include "hlo_attribute.h"
#include "hlo_rules.h"
#include "../../base/number.h"

/* Where a value is searched for: within a computation, which the instructions in `by` entered. */
#define LEVELS 16
#define STEPS 256 /* of following one value: the text of a module is not to blame for more */

typedef struct place {
  uint32_t at; /* an instruction */
  uint32_t by[LEVELS];
  unsigned n;
} place;

/* What a value is found to be. */
typedef struct value {
  enum { UNKNOWN, CONSTANT, STATE, OTHER } what;
  int64_t number; /* of CONSTANT; of STATE the element of the loop's tuple, -1: it is no tuple */
  place place;    /* of OTHER: an operation */
} value;

static bool constant_of(mpg_str text, int64_t *out) {
  while (text.n > 0 && (text.p[0] == ' ' || text.p[0] == '{'))
    text = (mpg_str){text.p + 1, text.n - 1};
  while (text.n > 0 && (text.p[text.n - 1] == ' ' || text.p[text.n - 1] == '}'))
    text.n--;
  if (mpg_str_eq(text, MPG_STR("true")) || mpg_str_eq(text, MPG_STR("false"))) {
    *out = text.n == 4;
    return true;
  }
  return mpg_int_parse(text, out);
}

static bool is_op(const mpg_hlo_instruction *i, const char *name) {
  return mpg_str_eq(i->opcode, mpg_str_of(name));
}

static bool passes_on(const mpg_hlo_instruction *i) {
  return is_op(i, "copy") || is_op(i, "bitcast") || is_op(i, "reshape") || is_op(i, "convert") ||
         is_op(i, "opt-barrier");
}

/* Enters what a fusion or call calls: its root. */
static bool enter_callee(const mpg_hlo_module *m, place *p) {
  const mpg_hlo_instruction *i = &m->instructions[p->at];
  uint32_t callee = i->rule == MPG_HLO_FUSION ? mpg_hlo_callee(m, i, MPG_HLO_CALLS)
                    : is_op(i, "call")        ? mpg_hlo_callee(m, i, MPG_HLO_TO_APPLY)
                                              : MPG_HLO_NONE;
  if (callee == MPG_HLO_NONE || p->n == LEVELS || m->computations[callee].root == MPG_HLO_NONE)
    return false;
  p->by[p->n++] = p->at;
  p->at = m->computations[callee].root;
  return true;
}

/* Follows a value through what only passes it on. Elements of tuples that are taken apart on the
** way wait in `elements`, the one taken last on top. */
static value follow_value(const mpg_hlo_module *m, place p, int64_t element) {
  int64_t elements[LEVELS];
  unsigned n = 0;
  value none = {UNKNOWN, 0, {0, {0}, 0}};
  if (element >= 0)
    elements[n++] = element;
  for (unsigned step = 0; step < STEPS && p.at != MPG_HLO_NONE; step++) {
    const mpg_hlo_instruction *i = &m->instructions[p.at];
    int64_t number;
    if (i->rule == MPG_HLO_GET_TUPLE_ELEMENT) {
      if (n == LEVELS)
        return none;
      elements[n++] = i->number;
      p.at = mpg_hlo_operand(m, i, 0);
    } else if (i->rule == MPG_HLO_TUPLE_OP && n > 0) {
      number = elements[--n];
      p.at = number < i->noperands ? mpg_hlo_operand(m, i, (uint32_t)number) : MPG_HLO_NONE;
    } else if (passes_on(i)) {
      p.at = mpg_hlo_operand(m, i, 0);
    } else if (i->rule == MPG_HLO_PARAMETER && p.n > 0) {
      const mpg_hlo_instruction *caller = &m->instructions[p.by[--p.n]];
      p.at = i->number < caller->noperands ? mpg_hlo_operand(m, caller, (uint32_t)i->number)
                                           : MPG_HLO_NONE;
    } else if (i->rule == MPG_HLO_PARAMETER) {
      return n <= 1 ? (value){STATE, n == 0 ? -1 : elements[0], p} : none;
    } else if (i->rule == MPG_HLO_CONSTANT) {
      return n == 0 && constant_of(mpg_hlo_attribute_of(m, i, MPG_HLO_LITERAL), &number)
                 ? (value){CONSTANT, number, p}
                 : none;
    } else if (!enter_callee(m, &p)) {
      return n == 0 ? (value){OTHER, 0, p} : none;
    }
  }
  return none;
}

static value operand_value(const mpg_hlo_module *m, const place *p, uint32_t k) {
  place next = *p;
  next.at = mpg_hlo_operand(m, &m->instructions[p->at], k);
  return follow_value(m, next, -1);
}

/* An element of the state that the body hands on as it is has the value that the loop begins
** with. */
static value settle_state(const mpg_hlo_module *m, const mpg_hlo_instruction *loop, uint32_t body,
                          value v) {
  value next;
  if (v.what != STATE || v.number < 0)
    return v;
  next = follow_value(m, (place){m->computations[body].root, {0}, 0}, v.number);
  if (next.what != STATE || next.number != v.number)
    return v;
  next = follow_value(m, (place){mpg_hlo_operand(m, loop, 0), {0}, 0}, v.number);
  return next.what == CONSTANT ? next : v;
}

/* The constant by which the body changes an element of the state. */
static bool step_of(const mpg_hlo_module *m, const mpg_hlo_instruction *loop, uint32_t body,
                    int64_t element, int64_t *step) {
  value next = follow_value(m, (place){m->computations[body].root, {0}, 0}, element), a, b;
  const mpg_hlo_instruction *i;
  bool minus;
  if (next.what != OTHER)
    return false;
  i = &m->instructions[next.place.at];
  minus = is_op(i, "subtract");
  if (!minus && !is_op(i, "add"))
    return false;
  a = settle_state(m, loop, body, operand_value(m, &next.place, 0));
  b = settle_state(m, loop, body, operand_value(m, &next.place, 1));
  if (!minus && a.what == CONSTANT && b.what == STATE) {
    value swap = a;
    a = b;
    b = swap;
  }
  if (a.what != STATE || a.number != element || b.what != CONSTANT || b.number == INT64_MIN)
    return false;
  *step = minus ? -b.number : b.number;
  return *step != 0;
}

/* Times that `from`, `from + step`, ... compares true with `to`. */
static int64_t count_trips(mpg_str direction, int64_t from, int64_t to, int64_t step) {
  bool up = mpg_str_eq(direction, MPG_STR("LT")) || mpg_str_eq(direction, MPG_STR("LE"));
  bool down = mpg_str_eq(direction, MPG_STR("GT")) || mpg_str_eq(direction, MPG_STR("GE"));
  bool not_equal = mpg_str_eq(direction, MPG_STR("NE"));
  mpg_i128 way = (mpg_i128)to - from, stride = step, n;
  if ((!up && !down && !not_equal) || (up && step < 0) || (down && step > 0))
    return MPG_HLO_UNKNOWN_TRIPS;
  if (step < 0) {
    way = -way;
    stride = -stride;
  }
  if (not_equal && (way < 0 || way % stride != 0)) /* it runs past */
    return MPG_HLO_UNKNOWN_TRIPS;
  if (!not_equal)
    way += direction.p[1] == 'E';
  n = way <= 0 ? 0 : (way + stride - 1) / stride;
  return n > INT64_MAX ? MPG_HLO_UNKNOWN_TRIPS : (int64_t)n;
}

static mpg_str mirror_direction(mpg_str direction) {
  static const mpg_str pairs[][2] = {{{"LT", 2}, {"GT", 2}}, {{"LE", 2}, {"GE", 2}}};
  for (int p = 0; p < 2; p++)
    for (int side = 0; side < 2; side++)
      if (mpg_str_eq(direction, pairs[p][side]))
        return pairs[p][1 - side];
  return direction;
}

int64_t mpg_hlo_trips(const mpg_hlo_module *m, const mpg_hlo_instruction *loop) {
  uint32_t condition = mpg_hlo_callee(m, loop, MPG_HLO_CONDITION);
  uint32_t body = mpg_hlo_callee(m, loop, MPG_HLO_BODY);
  int64_t known = mpg_hlo_known_trips(mpg_hlo_attribute_of(m, loop, MPG_HLO_BACKEND)), step;
  value test, a, b, start;
  mpg_str direction;
  if (known >= 0)
    return known;
  if (condition == MPG_HLO_NONE || body == MPG_HLO_NONE)
    return MPG_HLO_UNKNOWN_TRIPS;
  test = follow_value(m, (place){m->computations[condition].root, {0}, 0}, -1);
  if (test.what != OTHER || !is_op(&m->instructions[test.place.at], "compare"))
    return MPG_HLO_UNKNOWN_TRIPS;
  direction = mpg_hlo_attribute_of(m, &m->instructions[test.place.at], MPG_HLO_DIRECTION);
  a = settle_state(m, loop, body, operand_value(m, &test.place, 0));
  b = settle_state(m, loop, body, operand_value(m, &test.place, 1));
  if (a.what == CONSTANT && b.what == STATE) {
    value swap = a;
    a = b;
    b = swap;
    direction = mirror_direction(direction);
  }
  if (a.what != STATE || b.what != CONSTANT || !step_of(m, loop, body, a.number, &step))
    return MPG_HLO_UNKNOWN_TRIPS;
  start = follow_value(m, (place){mpg_hlo_operand(m, loop, 0), {0}, 0}, a.number);
  return start.what == CONSTANT ? count_trips(direction, start.number, b.number, step)
                                : MPG_HLO_UNKNOWN_TRIPS;
}
