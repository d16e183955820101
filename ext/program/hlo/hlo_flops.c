/* hlo_flops.c - FLOPs and transcendentals of an instruction (hlo_rules.h, hlo_opcode.h). */
#include "hlo_attribute.h"
#include "hlo_rules.h"

#include <string.h>

static mpg_i128 elements_of(const mpg_hlo_module *m, uint32_t shape) {
  return mpg_hlo_elements(&m->shapes, shape);
}

/* ---- Dots ---- */

/* The product of the left operand's dimensions that a list names. */
static mpg_i128 contracted_product(const mpg_hlo_module *m, const mpg_hlo_instruction *i,
                                   mpg_str list) {
  uint32_t left = mpg_hlo_operand_shape(m, i, 0);
  mpg_i128 product = 1;
  int64_t d;
  while (mpg_hlo_next_number(&list, &d)) {
    int64_t size = mpg_hlo_dim(&m->shapes, left, d);
    product = mpg_hlo_mul(product, size < 0 ? 1 : size);
  }
  return product;
}

/* How many dimensions of the left operand a list names; -1: one of them it does not have. */
static int64_t count_listed(const mpg_hlo_module *m, const mpg_hlo_instruction *i, mpg_str list) {
  uint32_t left = mpg_hlo_operand_shape(m, i, 0);
  int64_t n = 0, d;
  while (mpg_hlo_next_number(&list, &d)) {
    if (mpg_hlo_dim(&m->shapes, left, d) < 0)
      return -1;
    n++;
  }
  return n;
}

/*
** Whether the lists of dimensions are those that lead to this result: it has the dimensions of both
** operands without those that are contracted, and those of the batch once. A dot without lists is
** an outer product.
*/
static bool lists_fit(const mpg_hlo_module *m, const mpg_hlo_instruction *i, uint32_t result) {
  const mpg_hlo_shapes *s = &m->shapes;
  int64_t contracted = count_listed(m, i, mpg_hlo_attribute_of(m, i, MPG_HLO_LHS_CONTRACTING));
  int64_t batch = count_listed(m, i, mpg_hlo_attribute_of(m, i, MPG_HLO_LHS_BATCH));
  int64_t left = mpg_hlo_shape_at(s, mpg_hlo_operand_shape(m, i, 0))->n;
  int64_t right = mpg_hlo_shape_at(s, mpg_hlo_operand_shape(m, i, 1))->n;
  return contracted >= 0 && batch >= 0 &&
         mpg_hlo_shape_at(s, result)->n == left + right - 2 * contracted - batch;
}

static mpg_i128 dot_flops(const mpg_hlo_module *m, const mpg_hlo_instruction *i, uint32_t result,
                          mpg_str contracting) {
  return mpg_hlo_mul(2, mpg_hlo_mul(elements_of(m, result), contracted_product(m, i, contracting)));
}

/*
** As a dot over all groups together. Where the ragged dimension is contracted, the result has a
** dimension of groups on top, that no work is multiplied by.
*/
static mpg_i128 ragged_dot(const mpg_hlo_module *m, const mpg_hlo_instruction *i, uint32_t result,
                           mpg_str list, mpg_str ragged) {
  mpg_str rest = list;
  uint32_t sizes = mpg_hlo_operand_shape(m, i, 2);
  mpg_i128 flops = dot_flops(m, i, result, list);
  int64_t d, r = -1, groups;
  (void)mpg_hlo_next_number(&ragged, &r);
  groups = mpg_hlo_dim(&m->shapes, sizes, (int64_t)mpg_hlo_shape_at(&m->shapes, sizes)->n - 1);
  while (groups > 1 && mpg_hlo_next_number(&rest, &d))
    if (d == r)
      return flops / groups;
  return flops;
}

/* ---- Convolutions ---- */

/*
** The number of pairs (k, o), k a place in the kernel and o one in the output, that meet a place x
** of the input, and neither its padding nor a hole of its dilation:
**     x = o stride + k dilation - pad_low
**     x is a multiple of base, the base dilation, and 0 <= x / base < input
** Without a base dilation these are the points of a lattice between two lines. With one, the o that
** fit a k are an arithmetic sequence. So the count takes one step for each place of the smaller of
** kernel and output. *left: the steps that the convolution may still take. Returns -1 if too few.
*/
#define STEPS_MAX ((int64_t)1 << 20) /* milliseconds, of some ten divisions each */

static int64_t floor_div(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && a < 0);
}

/* The sum over t in [0, n) of floor((a t + b) / m), by the steps of Euclid's algorithm: the number
** of lattice points below a line. n, a, b >= 0, m > 0. */
static mpg_u128 floor_sum(mpg_u128 n, mpg_u128 m, mpg_u128 a, mpg_u128 b) {
  mpg_u128 sum = 0;
  for (;;) {
    mpg_u128 last, swap;
    if (n > 0)
      sum += n * (n - 1) / 2 * (a / m) + n * (b / m);
    a %= m;
    last = a * n + b % m;
    if (last < m)
      return sum;
    n = last / m;
    b = last % m;
    swap = m;
    m = a;
    a = swap;
  }
}

static int64_t clamp(int64_t v, int64_t most) {
  return v < 0 ? 0 : v < most ? v : most;
}

/* How many pairs of s in [0, steps) and o in [0, n) have s a + o b <= most. */
static int64_t count_below(int64_t steps, int64_t a, int64_t n, int64_t b, int64_t most) {
  int64_t all = clamp(floor_div(most - (n - 1) * b, a) + 1, steps); /* s of which every o has */
  int64_t some = clamp(floor_div(most, a) + 1, steps), mixed = some - all;
  if (mixed == 0)
    return all * n;
  return all * n + mixed +
         (int64_t)floor_sum((mpg_u128)mixed, (mpg_u128)b, (mpg_u128)a,
                            (mpg_u128)(most - (some - 1) * a));
}

static int64_t gcd(int64_t a, int64_t b) {
  while (b != 0) {
    int64_t r = a % b;
    a = b;
    b = r;
  }
  return a;
}

/* x with a x = 1 modulo m, for gcd(a, m) = 1: by Euclid's algorithm. */
static int64_t inverse_modulo(int64_t a, int64_t m) {
  int64_t r0 = m, r1 = a % m, t0 = 0, t1 = 1;
  while (r1 != 0) {
    int64_t q = r0 / r1, r = r0 - q * r1, t = t0 - q * t1;
    r0 = r1;
    r1 = r;
    t0 = t1;
    t1 = t;
  }
  return m == 1 ? 0 : t0 < 0 ? t0 + m : t0;
}

/* o step = -from (mod base), for one step and base and many `from`. */
typedef struct congruence {
  int64_t step, g, modulus, inverse;
} congruence;

static congruence congruence_of(int64_t step, int64_t base) {
  congruence c = {step, gcd(step % base, base), 0, 0};
  c.modulus = base / c.g;
  c.inverse = inverse_modulo(step / c.g % c.modulus, c.modulus);
  return c;
}

/* Of the places o in [0, n): how many have 0 <= o step + from <= most, and a multiple of base. */
static int64_t count_places(const congruence *c, int64_t n, int64_t from, int64_t most) {
  int64_t low = from >= 0 ? 0 : floor_div(-from + c->step - 1, c->step);
  int64_t high = floor_div(most - from, c->step), first;
  if (high > n - 1)
    high = n - 1;
  if (low > high || from % c->g != 0)
    return 0;
  first = floor_div(-from, c->g) % c->modulus;
  first = first < 0 ? first + c->modulus : first;
  first = first * c->inverse % c->modulus;
  first += floor_div(low - first + c->modulus - 1, c->modulus) * c->modulus;
  return first > high ? 0 : (high - first) / c->modulus + 1;
}

static int64_t valid_pairs(const mpg_hlo_window_dim *w, int64_t kernel, int64_t output,
                           int64_t input, int64_t *left) {
  bool by_kernel = kernel < output;
  int64_t steps = by_kernel ? kernel : output, n = by_kernel ? output : kernel;
  int64_t move = by_kernel ? w->window_dilation : w->stride, pairs = 0, most;
  congruence c;
  if (input > INT32_MAX || kernel > INT32_MAX || output > INT32_MAX)
    return -1;
  if (steps == 0 || input == 0)
    return 0;
  most = (input - 1) * w->base_dilation;
  c = congruence_of(by_kernel ? w->stride : w->window_dilation, w->base_dilation);
  if (w->base_dilation == 1)
    return count_below(steps, move, n, c.step, w->pad_low + most) -
           count_below(steps, move, n, c.step, w->pad_low - 1);
  if (steps > *left)
    return -1;
  *left -= steps;
  for (int64_t s = 0; s < steps; s++)
    pairs += count_places(&c, n, s * move - w->pad_low, most);
  return pairs;
}

/* The shapes that dim_labels and window are of. */
typedef struct conv_shapes {
  uint32_t in, kernel, out;
} conv_shapes;

/* 2 (Cin / feature groups) Cout (N / batch groups), times the valid pairs of each spatial
** dimension. -1: the attributes make no sense. */
static mpg_i128 convolution_flops(const mpg_hlo_module *m, const mpg_hlo_instruction *i,
                                  conv_shapes of) {
  mpg_hlo_window_dim w[MPG_HLO_WINDOW_DIMS];
  mpg_str labels = mpg_hlo_attribute_of(m, i, MPG_HLO_DIM_LABELS);
  mpg_str features = mpg_hlo_attribute_of(m, i, MPG_HLO_FEATURE_GROUPS);
  mpg_str batches = mpg_hlo_attribute_of(m, i, MPG_HLO_BATCH_GROUPS);
  int n = mpg_hlo_window(mpg_hlo_attribute_of(m, i, MPG_HLO_WINDOW), w);
  int64_t feature_groups = 1, batch_groups = 1, steps = STEPS_MAX, channels, outputs, batch;
  mpg_i128 product;
  (void)mpg_hlo_next_number(&features, &feature_groups);
  (void)mpg_hlo_next_number(&batches, &batch_groups);
  channels = mpg_hlo_channels(&m->shapes, of.in, labels, 0);
  batch = mpg_hlo_dim(&m->shapes, of.in, mpg_hlo_label(labels, 0, 'b'));
  outputs = mpg_hlo_channels(&m->shapes, of.out, labels, 2);
  if (n < 0 || n > 10 || channels < 0 || batch < 0 || outputs < 0 || feature_groups < 1 ||
      batch_groups < 1)
    return -1;
  product = mpg_hlo_mul(
      2, mpg_hlo_mul(channels / feature_groups, mpg_hlo_mul(outputs, batch / batch_groups)));
  for (int d = 0; d < n; d++) {
    char label = (char)('0' + d);
    int64_t k = mpg_hlo_dim(&m->shapes, of.kernel, mpg_hlo_label(labels, 1, label));
    int64_t o = mpg_hlo_dim(&m->shapes, of.out, mpg_hlo_label(labels, 2, label));
    int64_t x = mpg_hlo_dim(&m->shapes, of.in, mpg_hlo_label(labels, 0, label));
    int64_t pairs = k < 0 || o < 0 || x < 0 ? -1 : valid_pairs(&w[d], k, o, x, &steps);
    if (pairs < 0)
      return -1;
    product = mpg_hlo_mul(product, pairs);
  }
  return product;
}

/* ---- Applied computations ---- */

/* Adds `count` applications of the computation under a key. */
static void add_applications(const mpg_hlo_cost *c, const mpg_hlo_instruction *i, mpg_hlo_key key,
                             mpg_i128 count, mpg_hlo_price *p) {
  uint32_t callee = mpg_hlo_callee(c->m, i, key);
  if (callee == MPG_HLO_NONE) {
    p->known = false;
    return;
  }
  for (int k = MPG_HLO_FLOPS; k <= MPG_HLO_TRANSCENDENTALS; k++)
    p->own.of[k] = mpg_hlo_add(p->own.of[k], mpg_hlo_mul(c->total[callee].of[k], count));
}

/*
** Applications in a reduce-window: for each output one less than the window's places. Exception: a
** window of size 2n - 1 with padding n - 1 on both sides covers a whole dimension for every output.
** It is a reduction that is broadcast back: outputs / n + n - 1.
*/
static mpg_i128 window_applications(const mpg_hlo_module *m, const mpg_hlo_instruction *i,
                                    const mpg_hlo_window_dim *w, int n) {
  uint32_t result = mpg_hlo_result(m, i);
  mpg_i128 outputs = elements_of(m, result), all = 1;
  int wide = -1, reductions = 0, padded = 0;
  for (int d = 0; d < n; d++) {
    all = mpg_hlo_mul(all, w[d].size);
    reductions += w[d].size != 1;
    padded += w[d].pad_low != 0 || w[d].pad_high != 0;
    if (wide < 0 && w[d].size != 1 && w[d].pad_low != 0 && w[d].pad_low == w[d].pad_high &&
        w[d].size == 2 * w[d].pad_low + 1)
      wide = d;
  }
  if (reductions == 1 && padded == 1 && wide >= 0 && !mpg_hlo_is_tuple(&m->shapes, result) &&
      w[wide].pad_low == mpg_hlo_dim(&m->shapes, result, wide) - 1)
    return outputs / (w[wide].pad_low + 1) + w[wide].pad_low;
  return mpg_hlo_mul(all > 0 ? all - 1 : 0, outputs);
}

static void window_rule(const mpg_hlo_cost *c, const mpg_hlo_instruction *i, mpg_hlo_price *p) {
  mpg_hlo_window_dim w[MPG_HLO_WINDOW_DIMS];
  int n = mpg_hlo_window(mpg_hlo_attribute_of(c->m, i, MPG_HLO_WINDOW), w);
  mpg_i128 places_in = 1, source = elements_of(c->m, mpg_hlo_operand_shape(c->m, i, 1));
  if (n < 0) {
    p->known = false;
    return;
  }
  if (i->rule == MPG_HLO_REDUCE_WINDOW) {
    add_applications(c, i, MPG_HLO_TO_APPLY, window_applications(c->m, i, w, n), p);
    return;
  }
  for (int d = 0; d < n; d++)
    places_in = mpg_hlo_mul(places_in, w[d].size);
  add_applications(c, i, MPG_HLO_SELECT, mpg_hlo_mul(source, places_in > 0 ? places_in - 1 : 0), p);
  add_applications(c, i, MPG_HLO_SCATTER_BY, source, p);
}

/* How many slices of its first operand, along its dimension, a scan applies its computation to. */
static int64_t scanned_slices(const mpg_hlo_module *m, const mpg_hlo_instruction *i) {
  mpg_str list = mpg_hlo_attribute_of(m, i, MPG_HLO_DIMENSIONS);
  int64_t dimension = 0;
  (void)mpg_hlo_next_number(&list, &dimension);
  return mpg_hlo_dim(&m->shapes, mpg_hlo_operand_shape(m, i, 0), dimension);
}

/* ---- Logarithms, as XLA rounds them ---- */

static unsigned log2_floor(mpg_i128 n) {
  unsigned log = 0;
  while (n > 1) {
    n /= 2;
    log++;
  }
  return log;
}

static unsigned log2_ceiling(mpg_i128 n) {
  return n <= 1 ? 0 : log2_floor(n - 1) + 1;
}

static mpg_i128 fft_flops(const mpg_hlo_module *m, const mpg_hlo_instruction *i) {
  mpg_str lengths = mpg_hlo_attribute_of(m, i, MPG_HLO_FFT_LENGTH);
  mpg_i128 product = mpg_hlo_mul(8, elements_of(m, mpg_hlo_operand_shape(m, i, 0)));
  int64_t length;
  while (mpg_hlo_next_number(&lengths, &length))
    product = mpg_hlo_mul(product, log2_floor(length));
  return product;
}

/* The last dimension of operand 0. */
static mpg_i128 order_of(const mpg_hlo_module *m, const mpg_hlo_instruction *i) {
  uint32_t a = mpg_hlo_operand_shape(m, i, 0);
  int64_t n = mpg_hlo_dim(&m->shapes, a, (int64_t)mpg_hlo_shape_at(&m->shapes, a)->n - 1);
  return n < 0 ? 0 : n;
}

/* ---- Custom calls ---- */

/* The list of numbers after "KEY": [ in JSON, up to its bracket. */
static mpg_str json_list(mpg_str json, mpg_str key) {
  mpg_str rest = mpg_hlo_after(json, key);
  const char *end = rest.n == 0 ? NULL : memchr(rest.p, ']', rest.n);
  return end == NULL ? (mpg_str){NULL, 0} : (mpg_str){rest.p, (size_t)(end - rest.p)};
}

/* Whether so many elements are the product of the first dimensions of a shape, or of the last. */
static bool is_of_one_side(const mpg_hlo_module *m, uint32_t shape, mpg_i128 elements) {
  const int64_t n = mpg_hlo_shape_at(&m->shapes, shape)->n;
  mpg_i128 first = 1, last = 1;
  bool found = false;
  for (int64_t d = 0; d < n && !found; d++) {
    first = mpg_hlo_mul(first, mpg_hlo_dim(&m->shapes, shape, d));
    last = mpg_hlo_mul(last, mpg_hlo_dim(&m->shapes, shape, n - 1 - d));
    found = first == elements || last == elements;
  }
  return found;
}

/*
** Transformer Engine's product of two operands without a batch: what is contracted is the root of
** their sizes over the result's, and on one side of either. -1: it is not, as where ranks have
** parts of an operand.
*/
static mpg_i128 engine_dot_flops(const mpg_hlo_module *m, const mpg_hlo_instruction *i,
                                 uint32_t result) {
  uint32_t left = mpg_hlo_operand_shape(m, i, 0), right = mpg_hlo_operand_shape(m, i, 2);
  mpg_i128 size = elements_of(m, result);
  mpg_i128 both = mpg_hlo_mul(elements_of(m, left), elements_of(m, right));
  int64_t low = 0, high = INT64_C(1) << 40; /* low^2 <= both / size < high^2 */
  if (i->noperands < 3 || size < 1 || both % size != 0)
    return -1;
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    if ((mpg_i128)middle * middle <= both / size)
      low = middle;
    else
      high = middle;
  }
  if ((mpg_i128)low * low != both / size || !is_of_one_side(m, left, low) ||
      !is_of_one_side(m, right, low))
    return -1;
  return mpg_hlo_mul(2, mpg_hlo_mul(size, low));
}

/* cuDNN's gradients have the labels and the window of the convolution that they are of, and its
** work: that of the input is computed from those of the output, that of the kernel from the
** input and those. */
static conv_shapes cudnn_shapes(const mpg_hlo_module *m, const mpg_hlo_instruction *i,
                                uint32_t result) {
  mpg_str target = mpg_hlo_unquoted(mpg_hlo_attribute_of(m, i, MPG_HLO_TARGET));
  uint32_t first = mpg_hlo_operand_shape(m, i, 0), second = mpg_hlo_operand_shape(m, i, 1);
  if (mpg_hlo_begins(target, "__cudnn$convBackwardInput"))
    return (conv_shapes){result, second, first};
  if (mpg_hlo_begins(target, "__cudnn$convBackwardFilter"))
    return (conv_shapes){first, result, second};
  return (conv_shapes){first, second, result};
}

/* The number of "KEY" in a flat object of JSON, which may be a text, and may stand in one:
** flops\":\"64\". */
static bool declared_number(mpg_str object, mpg_str key, mpg_i128 *out) {
  mpg_str rest = mpg_hlo_after(object, key);
  const char *end = rest.n == 0 ? NULL : memchr(rest.p, ',', rest.n);
  int64_t number;
  rest.n = end == NULL ? rest.n : (size_t)(end - rest.p);
  if (!mpg_hlo_next_number(&rest, &number) || number < 0 || number == INT64_MAX)
    return false;
  *out = number;
  if (rest.n > 0 && rest.p[0] == '.') /* a fraction, as of 4096.0, and no power of ten behind it */
    (void)mpg_hlo_next_number(&rest, &number);
  return rest.n == 0 || (rest.p[0] != 'e' && rest.p[0] != 'E');
}

/* Kernels of Pallas on TPUs may say their work: "cost_estimate": {"flops": 64,
** "transcendentals": 0, ...}. */
static bool read_declared_work(const mpg_hlo_module *m, const mpg_hlo_instruction *i,
                               mpg_hlo_price *p) {
  mpg_str rest =
      mpg_hlo_after(mpg_hlo_attribute_of(m, i, MPG_HLO_BACKEND), MPG_STR("\"cost_estimate"));
  const char *end = rest.n == 0 ? NULL : memchr(rest.p, '}', rest.n);
  mpg_str object = {rest.p, end == NULL ? 0 : (size_t)(end - rest.p)};
  mpg_i128 flops, transcendentals, bytes;
  uint32_t shapes[2];
  if (!declared_number(object, MPG_STR("\"flops"), &flops))
    return false;
  if (!declared_number(object, MPG_STR("\"transcendentals"), &transcendentals))
    transcendentals = 0;
  if (!declared_number(object, MPG_STR("\"bytes_accessed"), &bytes))
    bytes = 0;
  p->known = p->is_declared = true;
  p->is_matmul = flops > 0 && mpg_hlo_factors(m, i, true, shapes);
  p->own.of[MPG_HLO_FLOPS] = flops;
  p->own.of[MPG_HLO_TRANSCENDENTALS] = transcendentals;
  p->own.of[MPG_HLO_BYTES] = bytes;
  return true;
}

/* Twice the pairs of a query and a key that meet, those on the edge of a causal mask by half; -1:
** the mask, as of packed sequences, or a window is not the shapes' to say. */
static mpg_i128 twice_met(mpg_str config, int64_t queries, int64_t keys) {
  mpg_str mask = mpg_hlo_after(config, MPG_STR("\"mask_type")), name;
  mpg_i128 all = mpg_hlo_mul(2, mpg_hlo_mul(queries, keys)), number;
  if ((declared_number(config, MPG_STR("\"sliding_window_length"), &number) && number > 0) ||
      (declared_number(config, MPG_STR("\"max_seg_per_batch"), &number) && number > 1))
    return -1;
  while (mask.n > 0 && (*mask.p < 'A' || *mask.p > 'Z')) {
    mask.p++;
    mask.n--;
  }
  for (name = (mpg_str){mask.p, 0}; name.n < mask.n; name.n++)
    if (name.p[name.n] != '_' && (name.p[name.n] < 'A' || name.p[name.n] > 'Z'))
      break;
  if (mpg_str_eq(name, MPG_STR("NO_MASK")))
    return all;
  if (!mpg_str_eq(name, MPG_STR("CAUSAL")))
    return -1;
  return queries <= keys ? mpg_hlo_mul(queries, queries) : all - mpg_hlo_mul(keys, keys);
}

/* cuDNN's attention: query, key, value, and for its gradients (operand 3 the sums' logarithms)
** that of the result, as PyTorch's operators (op_cost.h). -1: unknown. */
static mpg_i128 attention_flops(const mpg_hlo_module *m, const mpg_hlo_instruction *i,
                                uint32_t result, bool backward) {
  mpg_str config = mpg_hlo_attribute_of(m, i, MPG_HLO_BACKEND);
  mpg_str scores =
      json_list(mpg_hlo_after(config, MPG_STR("intermediate_tensor_shape")), MPG_STR("dimensions"));
  mpg_i128 rows, pairs, query = elements_of(m, mpg_hlo_operand_shape(m, i, 0));
  mpg_i128 value = elements_of(m, backward ? mpg_hlo_operand_shape(m, i, 4) : result);
  int64_t size[4]; /* batch, heads, queries, keys */
  for (int d = 0; d < 4; d++)
    if (!mpg_hlo_next_number(&scores, &size[d]) || size[d] < 1)
      return -1;
  rows = mpg_hlo_mul(mpg_hlo_mul(size[0], size[1]), size[2]);
  pairs = twice_met(config, size[2], size[3]);
  if (pairs < 0 || query < rows || value < rows || query % rows != 0 || value % rows != 0)
    return -1;
  query /= rows; /* what a head's query and value have */
  value /= rows;
  if (backward) {
    query = mpg_hlo_mul(3, query);
    value = mpg_hlo_mul(2, value);
  }
  return mpg_hlo_mul(mpg_hlo_mul(mpg_hlo_mul(size[0], size[1]), pairs), mpg_hlo_add(query, value));
}

static void custom_call(const mpg_hlo_module *m, const mpg_hlo_instruction *i, mpg_hlo_price *p) {
  uint32_t result = mpg_hlo_first_array(&m->shapes, mpg_hlo_result(m, i));
  mpg_hlo_custom custom = mpg_hlo_custom_of(m, i);
  mpg_i128 flops = 0;
  if (custom == MPG_HLO_CUSTOM_UNKNOWN && read_declared_work(m, i, p))
    return;
  if (custom == MPG_HLO_CUSTOM_SCALED_DOT) {
    /* [b, m, k] x [b, n, k], with a scale for each block of k */
    flops = mpg_hlo_mul(2, mpg_hlo_mul(elements_of(m, result), order_of(m, i)));
  } else if (custom == MPG_HLO_CUSTOM_ENGINE_DOT) {
    flops = engine_dot_flops(m, i, result);
  } else if (custom == MPG_HLO_CUSTOM_DOT || custom == MPG_HLO_CUSTOM_RAGGED_DOT) {
    mpg_str config = mpg_hlo_attribute_of(m, i, MPG_HLO_BACKEND);
    mpg_str list = json_list(config, MPG_STR("lhs_contracting_dimensions"));
    if (list.p == NULL)
      flops = -1;
    else if (custom == MPG_HLO_CUSTOM_DOT)
      flops = dot_flops(m, i, result, list);
    else
      flops = ragged_dot(m, i, result, list, json_list(config, MPG_STR("lhs_ragged_dimensions")));
  } else if (custom == MPG_HLO_CUSTOM_CONVOLUTION) {
    flops = convolution_flops(m, i, cudnn_shapes(m, i, result));
  } else if (custom >= MPG_HLO_CUSTOM_ATTENTION) {
    flops = attention_flops(m, i, result, custom == MPG_HLO_CUSTOM_ATTENTION_BACKWARD);
  }
  p->known = custom != MPG_HLO_CUSTOM_UNKNOWN && flops >= 0;
  p->is_matmul = p->known && custom != MPG_HLO_CUSTOM_FREE;
  p->own.of[MPG_HLO_FLOPS] = flops < 0 ? 0 : flops;
}

/* ---- All of them ---- */

void mpg_hlo_price_flops(const mpg_hlo_cost *c, const mpg_hlo_instruction *i, mpg_hlo_price *p) {
  const mpg_hlo_module *m = c->m;
  mpg_i128 *flops = &p->own.of[MPG_HLO_FLOPS];
  uint32_t result = mpg_hlo_result(m, i);
  mpg_i128 in, out;
  switch ((mpg_hlo_rule)i->rule) {
  case MPG_HLO_ELEMENTWISE:
    *flops = elements_of(m, result);
    break;
  case MPG_HLO_TRANSCENDENTAL:
  case MPG_HLO_RNG:
    p->own.of[MPG_HLO_TRANSCENDENTALS] = elements_of(m, result);
    break;
  case MPG_HLO_RNG_BITS:
    p->own.of[MPG_HLO_TRANSCENDENTALS] = mpg_hlo_all_elements(&m->shapes, result);
    break;
  case MPG_HLO_DOT:
    p->is_matmul = true;
    p->known = lists_fit(m, i, result);
    if (p->known)
      *flops = dot_flops(m, i, result, mpg_hlo_attribute_of(m, i, MPG_HLO_LHS_CONTRACTING));
    break;
  case MPG_HLO_RAGGED_DOT:
    p->is_matmul = true;
    *flops = ragged_dot(m, i, result, mpg_hlo_attribute_of(m, i, MPG_HLO_LHS_CONTRACTING),
                        mpg_hlo_attribute_of(m, i, MPG_HLO_LHS_RAGGED));
    break;
  case MPG_HLO_CONVOLUTION:
    p->is_matmul = true;
    *flops = convolution_flops(
        m, i,
        (conv_shapes){mpg_hlo_operand_shape(m, i, 0), mpg_hlo_operand_shape(m, i, 1), result});
    p->known = *flops >= 0;
    *flops = *flops < 0 ? 0 : *flops;
    break;
  case MPG_HLO_REDUCE:
    in = elements_of(m, mpg_hlo_operand_shape(m, i, 0));
    out = elements_of(m, result);
    add_applications(c, i, MPG_HLO_TO_APPLY, in > out ? in - out : 0, p);
    break;
  case MPG_HLO_REDUCE_WINDOW:
  case MPG_HLO_SELECT_AND_SCATTER:
    window_rule(c, i, p);
    break;
  case MPG_HLO_MAP:
    add_applications(c, i, MPG_HLO_TO_APPLY, elements_of(m, result), p);
    break;
  case MPG_HLO_SCAN:
    add_applications(c, i, MPG_HLO_TO_APPLY, scanned_slices(m, i), p);
    break;
  case MPG_HLO_SCATTER: /* operands, indices, as many updates as operands */
    add_applications(c, i, MPG_HLO_TO_APPLY,
                     elements_of(m, mpg_hlo_operand_shape(m, i, i->noperands / 2 + 1)), p);
    break;
  case MPG_HLO_SORT:
    in = elements_of(m, mpg_hlo_operand_shape(m, i, 0));
    *flops = mpg_hlo_mul(in, log2_ceiling(in));
    break;
  case MPG_HLO_FFT:
    *flops = fft_flops(m, i);
    break;
  case MPG_HLO_TRIANGULAR_SOLVE:
    *flops =
        mpg_hlo_mul(2, mpg_hlo_mul(order_of(m, i), elements_of(m, mpg_hlo_operand_shape(m, i, 1))));
    break;
  case MPG_HLO_CHOLESKY:
    *flops = mpg_hlo_mul(order_of(m, i), elements_of(m, mpg_hlo_operand_shape(m, i, 0))) / 3;
    break;
  case MPG_HLO_ALL_REDUCE:
    *flops = mpg_hlo_all_elements(&m->shapes, result);
    break;
  case MPG_HLO_CUSTOM_CALL:
    custom_call(m, i, p);
    break;
  case MPG_HLO_UNKNOWN:
    p->known = false;
    break;
  default: /* moves data, or is priced by what it calls */
    break;
  }
  if (p->is_matmul && !p->is_declared)
    *flops = mpg_hlo_mul(*flops, mpg_hlo_real_products(m, i));
}
