/* hlo_attribute.c - see hlo_attribute.h. */
#include "hlo_attribute.h"
#include "../../base/ascii.h"
#include "../../base/number.h"

#include <string.h>

bool mpg_hlo_next_number(mpg_str *rest, int64_t *out) {
  size_t at = 0, from;
  bool good;
  if (rest->n == 0)
    return false;
  while (at < rest->n && !mpg_is_digit(rest->p[at]))
    at++;
  from = at;
  while (at < rest->n && mpg_is_digit(rest->p[at]))
    at++;
  good = mpg_int_parse((mpg_str){rest->p + from, at - from}, out);
  if (good && from > 0 && rest->p[from - 1] == '-')
    *out = -*out;
  if (at > from && !good) /* beyond 64 bits: no dimension is */
    *out = INT64_MAX;
  *rest = (mpg_str){rest->p + at, rest->n - at};
  return at > from;
}

mpg_str mpg_hlo_after(mpg_str value, mpg_str key) {
  const char *p = value.p, *end = value.n == 0 ? value.p : value.p + value.n;
  while (value.n > 0 && (size_t)(end - p) >= key.n && key.n > 0) {
    p = memchr(p, key.p[0], (size_t)(end - p) - key.n + 1);
    if (p == NULL)
      break;
    if (memcmp(p, key.p, key.n) == 0)
      return (mpg_str){p + key.n, (size_t)(end - p) - key.n};
    p++;
  }
  return (mpg_str){NULL, 0};
}

mpg_str mpg_hlo_unquoted(mpg_str value) {
  if (value.n >= 2 && value.p[0] == '"' && value.p[value.n - 1] == '"')
    return (mpg_str){value.p + 1, value.n - 2};
  return value;
}

mpg_str mpg_hlo_quoted_member(mpg_str value, mpg_str key) {
  mpg_str rest = mpg_hlo_after(value, key);
  size_t n = 2;
  if (rest.n < 2 || rest.p[0] != '=' || rest.p[1] != '"')
    return (mpg_str){NULL, 0};
  while (n < rest.n && rest.p[n] != '"')
    n += rest.p[n] == '\\' ? 2 : 1;
  return n < rest.n ? (mpg_str){rest.p + 2, n - 2} : (mpg_str){NULL, 0};
}

static int digit_of(char c) {
  return mpg_is_digit(c)        ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : 16;
}

/* Reads a byte in digits of a base, at most `most` of them, and returns the position after it.
** NULL: there is no digit. */
static const char *byte_in_digits(const char *p, const char *end, int base, int most, char *to) {
  const char *from = p;
  int v = 0;
  while (p < end && p - from < most && digit_of(*p) < base)
    v = v * base + digit_of(*p++);
  *to = (char)(unsigned char)(v & 0xff);
  return p > from ? p : NULL;
}

size_t mpg_hlo_unescape(char *to, mpg_str raw) {
  const char *p = raw.p, *end = raw.n == 0 ? raw.p : raw.p + raw.n, *after;
  char *start = to;
  while (p < end) {
    if (*p != '\\' || p + 1 == end) {
      *to++ = *p++;
      continue;
    }
    p++;
    after = *p == 'x' ? byte_in_digits(p + 1, end, 16, 2, to) : byte_in_digits(p, end, 8, 3, to);
    if (after == NULL) {
      *to = *p == 'n' ? '\n' : *p == 'r' ? '\r' : *p == 't' ? '\t' : *p;
      after = p + 1;
    }
    to++;
    p = after;
  }
  return (size_t)(to - start);
}

/* ---- Windows ---- */

/* One signed number of "3x3" or "1_1x0_0"; *rest then begins after it and its separator. */
static bool window_number(mpg_str *rest, int64_t *out) {
  size_t at = 0;
  if (at < rest->n && rest->p[at] == '-')
    at++;
  while (at < rest->n && mpg_is_digit(rest->p[at]))
    at++;
  if (!mpg_int_parse((mpg_str){rest->p, at}, out))
    return false;
  *rest = (mpg_str){rest->p + at, rest->n - at};
  return true;
}

static bool accept_char(mpg_str *rest, char c) {
  if (rest->n == 0 || rest->p[0] != c)
    return false;
  rest->p++;
  rest->n--;
  return true;
}

/* Sane figures alone: nothing downstream multiplies two of them beyond 64 bits. */
#define FIGURE_MAX ((int64_t)1 << 31)
static bool is_sane(int64_t v, int64_t least) {
  return v >= least && v <= FIGURE_MAX;
}

/* The values of one member, "3x3" or "1_1x0_0", of *n dimensions (0: not known yet). */
static bool window_member(mpg_str name, mpg_str rest, mpg_hlo_window_dim *dims, int *n) {
  int d = 0;
  bool pad = mpg_str_eq(name, MPG_STR("pad"));
  do {
    int64_t a, b = 0;
    if (d == MPG_HLO_WINDOW_DIMS || !window_number(&rest, &a) ||
        (pad && (!accept_char(&rest, '_') || !window_number(&rest, &b))))
      return false;
    if (!is_sane(a, pad ? -FIGURE_MAX : 0) || !is_sane(b, -FIGURE_MAX))
      return false;
    if (mpg_str_eq(name, MPG_STR("size")))
      dims[d].size = a;
    else if (mpg_str_eq(name, MPG_STR("stride")))
      dims[d].stride = a;
    else if (mpg_str_eq(name, MPG_STR("lhs_dilate")))
      dims[d].base_dilation = a;
    else if (mpg_str_eq(name, MPG_STR("rhs_dilate")))
      dims[d].window_dilation = a;
    else if (pad) {
      dims[d].pad_low = a;
      dims[d].pad_high = b;
    }
    d++;
  } while (accept_char(&rest, 'x'));
  if (rest.n > 0 || (*n > 0 && d != *n))
    return false;
  *n = d;
  return true;
}

int mpg_hlo_window(mpg_str value, mpg_hlo_window_dim dims[MPG_HLO_WINDOW_DIMS]) {
  size_t at = 0;
  int n = 0;
  for (int d = 0; d < MPG_HLO_WINDOW_DIMS; d++)
    dims[d] = (mpg_hlo_window_dim){1, 1, 0, 0, 1, 1};
  while (at < value.n) {
    size_t from, equals;
    while (at < value.n && (value.p[at] == '{' || value.p[at] == '}' || value.p[at] == ' '))
      at++;
    from = at;
    while (at < value.n && value.p[at] != '=' && value.p[at] != ' ' && value.p[at] != '}')
      at++;
    if (at == from)
      break;
    equals = at;
    while (at < value.n && value.p[at] != ' ' && value.p[at] != '}')
      at++;
    if (equals == at || !window_member((mpg_str){value.p + from, equals - from},
                                       (mpg_str){value.p + equals + 1, at - equals - 1}, dims, &n))
      return -1;
  }
  for (int d = 0; d < n; d++)
    if (dims[d].stride < 1 || dims[d].base_dilation < 1 || dims[d].window_dilation < 1)
      return -1;
  return n;
}

int mpg_hlo_label(mpg_str labels, int part, char label) {
  int now = 0, at = 0;
  for (size_t i = 0; i < labels.n; i++) {
    char c = labels.p[i];
    if (c == '_' || c == '-') {
      now++;
      at = 0;
    } else if (c != '>') {
      if (now == part && c == label)
        return at;
      at++;
    }
  }
  return -1;
}

int64_t mpg_hlo_channels(const mpg_hlo_shapes *s, uint32_t shape, mpg_str labels, int part) {
  int64_t channels = mpg_hlo_dim(s, shape, mpg_hlo_label(labels, part, 'f'));
  int64_t vector = mpg_hlo_dim(s, shape, mpg_hlo_label(labels, part, '?'));
  if (channels < 1 || vector < 1)
    return channels;
  return channels > INT64_MAX / vector ? INT64_MAX : channels * vector;
}

/* ---- Groups ---- */

/* The most axes that are read, of a module and of one instruction; no machine has more. A hostile
** file cannot make the rest be read again and again. */
#define AXES_MOST ((size_t)1 << 16)
#define NAMED_MOST 1024
#define SHARDY_MOST 256 /* of one array's sharding */

static mpg_str short_of(mpg_str text, size_t most) {
  text.n = text.n > most ? most : text.n;
  return text;
}

/* `text` up to the first c; all of it if there is none. */
static mpg_str up_to(mpg_str text, char c) {
  const char *end = text.n == 0 ? NULL : memchr(text.p, c, text.n);
  return (mpg_str){text.p, end == NULL ? text.n : (size_t)(end - text.p)};
}

static int64_t multiply_capped(int64_t a, int64_t b) {
  return b > 0 && a > INT32_MAX / b ? INT32_MAX : a * b;
}

static const char *first_of(const char *p, const char *end, mpg_str any) {
  while (p < end && memchr(any.p, *p, any.n) == NULL)
    p++;
  return p;
}

/* The next name of an axis in *rest, a list, with its quotes; *rest then begins after it. XLA had
** none at first. */
static bool next_axis(mpg_str *rest, mpg_str *name) {
  const char *end = rest->n == 0 ? rest->p : rest->p + rest->n, *from;
  const char *p = first_of(rest->p, end, MPG_STR("[{,]}"));
  if (p == end || *p == ']' || *p == '}')
    return false;
  for (p++; p < end && *p == ' ';)
    p++;
  from = p;
  if (p < end && *p == '\'') {
    p = memchr(p + 1, '\'', (size_t)(end - p - 1));
    p = p == NULL ? from : p + 1;
  } else {
    p = first_of(p, end, MPG_STR("=:,]}"));
  }
  *name = (mpg_str){from, (size_t)(p - from)};
  *rest = (mpg_str){p, (size_t)(end - p)};
  return name->n > 0;
}

/* The number after the sign at the begin of `rest`; 1 if there is none, or if it is less. */
static int64_t size_after(char sign, mpg_str rest) {
  int64_t size;
  if (rest.n == 0 || rest.p[0] != sign || !mpg_hlo_next_number(&rest, &size))
    return 1;
  return size < 1 ? 1 : size;
}

static int64_t size_of_axis(mpg_str mesh, mpg_str wanted) {
  mpg_str name;
  while (next_axis(&mesh, &name))
    if (mpg_str_eq(name, wanted))
      return size_after('=', mesh);
  return 1;
}

/* The product of the axes in the next list of them. A part of an axis, "(2)4", has the size of the
** parts before it, then its own. */
static int64_t size_of_axes(mpg_str mesh, mpg_str axes) {
  mpg_str name;
  int64_t size = 1;
  while (next_axis(&axes, &name)) {
    mpg_str part = axes;
    int64_t before;
    bool is_part = part.n > 0 && part.p[0] == ':' && mpg_hlo_next_number(&part, &before);
    size = multiply_capped(size, is_part ? size_after(')', part) : size_of_axis(mesh, name));
  }
  return size;
}

/*
** "['x'=4,'y'=16] {'x','y':(2)4}", after the word "mesh": devices of the mesh, and ranks along the
** axes named.
*/
static void mesh_groups(mpg_str value, int64_t *ranks, int64_t *devices) {
  const char *open = value.n == 0 ? NULL : memchr(value.p, '{', value.n);
  mpg_str axes = {open, open == NULL ? 0 : value.n - (size_t)(open - value.p)}, name;
  mpg_str mesh = short_of((mpg_str){value.p, value.n - axes.n}, NAMED_MOST);
  axes = short_of(axes, NAMED_MOST);
  *devices = *ranks = 1;
  for (mpg_str rest = mesh; next_axis(&rest, &name);)
    *devices = multiply_capped(*devices, size_after('=', rest));
  *ranks = size_of_axes(mesh, axes);
}

/* "[groups,ranks]<=[...]": the last of the first list, and the product of all of it. */
static void iota_groups(mpg_str value, int64_t *ranks, int64_t *devices) {
  const char *end = memchr(value.p, ']', value.n);
  mpg_str list = {value.p, end == NULL ? 0 : (size_t)(end - value.p)};
  int64_t size;
  *devices = 1;
  while (mpg_hlo_next_number(&list, &size)) {
    size = size < 0 ? 0 : size > INT32_MAX ? INT32_MAX : size;
    *ranks = size;
    *devices = multiply_capped(*devices, size);
  }
}

static void listed_groups(mpg_str value, int64_t *ranks, int64_t *devices) {
  int64_t members = 0, number = 0;
  for (size_t i = 0; i < value.n; i++) {
    char c = value.p[i];
    if (c == '{' || c == '}')
      members = 0;
    if (!mpg_is_digit(c))
      continue;
    for (number = 0; i < value.n && mpg_is_digit(value.p[i]); i++)
      number = number > INT32_MAX / 10 - 1 ? INT32_MAX - 1 : number * 10 + (value.p[i] - '0');
    i--;
    members++;
    *ranks = members > *ranks ? members : *ranks;
    *devices = number + 1 > *devices ? number + 1 : *devices;
  }
}

void mpg_hlo_groups(mpg_str value, int64_t *ranks, int64_t *devices) {
  *ranks = *devices = 0;
  if (value.n > 4 && memcmp(value.p, "mesh", 4) == 0)
    mesh_groups(value, ranks, devices);
  else if (value.n > 0 && value.p[0] == '[')
    iota_groups(value, ranks, devices);
  else
    listed_groups(value, ranks, devices);
}

/* ---- Meshes and shardings ---- */

/* The next name in double quotes, which a backslash may escape; *rest then begins after it. */
static bool next_name(mpg_str *rest, mpg_str *name) {
  mpg_str from = mpg_hlo_after(*rest, MPG_STR("\""));
  *name = up_to(up_to(from, '"'), '\\');
  *rest = mpg_hlo_after(from, MPG_STR("\""));
  return from.n > 0 && name->n < from.n;
}

/* The axes of the next mesh, up to their bracket; *rest then begins in front of them. */
static bool next_mesh(mpg_str *rest, mpg_str *axes) {
  *rest = mpg_hlo_after(*rest, MPG_STR("mesh<["));
  *axes = up_to(*rest, ']');
  return rest->n > 0;
}

int64_t mpg_hlo_mesh_size(mpg_str meshes) {
  int64_t most = 1;
  mpg_str rest = short_of(meshes, AXES_MOST), axes, name;
  while (next_mesh(&rest, &axes)) {
    int64_t size = 1;
    while (next_name(&axes, &name))
      size = multiply_capped(size, size_after('=', axes));
    most = size > most ? size : most;
  }
  return most;
}

/* The size of an axis in the first mesh that has one of this name; 0: none has. */
static int64_t axis_size(mpg_str meshes, mpg_str wanted) {
  mpg_str axes, name;
  while (next_mesh(&meshes, &axes))
    while (next_name(&axes, &name))
      if (mpg_str_eq(name, wanted))
        return size_after('=', axes);
  return 0;
}

int64_t mpg_hlo_manual_axes(mpg_str meshes, mpg_str attributes) {
  mpg_str axes = mpg_hlo_after(short_of(attributes, AXES_MOST), MPG_STR("manual_axes{")), name;
  int64_t parts = 1, found = 0;
  axes = short_of(up_to(axes, '}'), NAMED_MOST);
  while (next_name(&axes, &name)) {
    int64_t size = axis_size(short_of(meshes, AXES_MOST), name);
    if (size == 0)
      return 0;
    parts = multiply_capped(parts, size);
    found++;
  }
  return found > 0 ? parts : 0;
}

int64_t mpg_hlo_tiles(mpg_str sharding) {
  mpg_str named = mpg_hlo_after(short_of(sharding, AXES_MOST), MPG_STR("{mesh"));
  mpg_str tiles = up_to(mpg_hlo_after(short_of(sharding, AXES_MOST), MPG_STR("devices=[")), ']');
  int64_t devices = 1, size;
  if (named.n > 0)
    mesh_groups(named, &size, &devices);
  while (mpg_hlo_next_number(&tiles, &size))
    devices = multiply_capped(devices, size < 1 ? 1 : size);
  return devices;
}

int64_t mpg_hlo_manual_tiles(mpg_str sharding) {
  mpg_str kinds =
      up_to(mpg_hlo_after(short_of(sharding, AXES_MOST), MPG_STR("last_tile_dims={")), '}');
  mpg_str tiles = up_to(mpg_hlo_after(short_of(sharding, AXES_MOST), MPG_STR("devices=[")), ']'),
          rest = tiles;
  int64_t size, parts = 0, n = 0, nkinds = 1;
  for (size_t i = 0; i < kinds.n; i++)
    nkinds += kinds.p[i] == ',';
  while (mpg_hlo_next_number(&rest, &size))
    n++;
  for (int64_t i = 0; kinds.n > 0 && mpg_hlo_next_number(&tiles, &size); i++) {
    if (i < n - nkinds)
      continue;
    if (mpg_hlo_after(up_to(kinds, ','), MPG_STR("manual")).p != NULL)
      parts = multiply_capped(parts > 0 ? parts : 1, size < 1 ? 1 : size);
    kinds = mpg_hlo_after(kinds, MPG_STR(","));
  }
  return parts;
}

/* ---- Parts of an array ---- */

/* Of "['x'=2,'y'=4], [{'x'}, {}]", after the word "mesh": over how many devices dimensions are
** split. */
static int64_t named_parts(mpg_str value) {
  mpg_str mesh = short_of(up_to(value, '{'), NAMED_MOST), rest;
  int64_t parts = 1;
  rest = up_to(mpg_hlo_after(value, MPG_STR("], [")), ']');
  rest = short_of(rest, NAMED_MOST);
  while ((rest = mpg_hlo_after(rest, MPG_STR("{"))).n > 0)
    parts = multiply_capped(parts, size_of_axes(mesh, (mpg_str){rest.p - 1, rest.n + 1}));
  return parts;
}

/* Of "[2,1,4]<=[8] last_tile_dim_replicate}": the tiles that differ. The last dimensions may be of
** copies, or of what is manual. */
static int64_t tiled_parts(mpg_str value) {
  mpg_str tiles = up_to(value, ']'), rest = tiles;
  mpg_str kinds = up_to(mpg_hlo_after(value, MPG_STR("last_tile_dims={")), '}');
  int64_t size, parts = 1, n = 0, copies = kinds.n > 0;
  for (size_t i = 0; i < kinds.n; i++)
    copies += kinds.p[i] == ',';
  if (mpg_hlo_after(value, MPG_STR("last_tile_dim_replicate")).p != NULL)
    copies = 1;
  while (mpg_hlo_next_number(&rest, &size))
    n++;
  for (int64_t i = 0; i < n - copies && mpg_hlo_next_number(&tiles, &size); i++)
    parts = multiply_capped(parts, size < 1 ? 1 : size);
  return parts;
}

int64_t mpg_hlo_tiled_parts(mpg_str sharding) {
  mpg_str value = short_of(sharding, AXES_MOST);
  if (mpg_hlo_after(value, MPG_STR("devices=[")).p != NULL)
    return tiled_parts(mpg_hlo_after(value, MPG_STR("devices=[")));
  if (mpg_hlo_after(value, MPG_STR("{mesh")).p != NULL)
    return named_parts(mpg_hlo_after(value, MPG_STR("{mesh")));
  return mpg_hlo_after(value, MPG_STR("{replicated")).p != NULL ? 1 : 0;
}

mpg_str mpg_hlo_next_sharding(mpg_str *list) {
  size_t at = 0, from;
  int depth = 0;
  mpg_str one;
  while (at < list->n && list->p[at] != '{')
    at++;
  for (from = at; at < list->n; at++) {
    depth += (list->p[at] == '{') - (list->p[at] == '}');
    if (depth == 0)
      break;
  }
  at += at < list->n;
  one = (mpg_str){list->p + from, at - from};
  *list = (mpg_str){list->p + at, list->n - at};
  return one;
}

int64_t mpg_hlo_shardy_parts(mpg_str meshes, mpg_str *attributes) {
  mpg_str dims, name;
  int64_t parts = 1;
  *attributes = mpg_hlo_after(*attributes, MPG_STR("<@"));
  if (attributes->n == 0)
    return 0;
  dims = short_of(*attributes, SHARDY_MOST);
  dims = up_to(mpg_hlo_after(dims, MPG_STR("[")), ']');
  while (next_name(&dims, &name)) {
    mpg_str part = dims;
    int64_t size = axis_size(short_of(meshes, NAMED_MOST), name), before;
    if (part.n > 0 && part.p[0] == ':' && mpg_hlo_next_number(&part, &before))
      size = size_after(')', part);
    if (size == 0)
      return 0;
    parts = multiply_capped(parts, size);
  }
  return parts;
}

int64_t mpg_hlo_known_trips(mpg_str backend_config) {
  mpg_str rest = mpg_hlo_after(backend_config, MPG_STR("known_trip_count"));
  size_t at = 0;
  int64_t n;
  while (at < rest.n && !mpg_is_digit(rest.p[at]) && rest.p[at] != '\0' &&
         strchr("\\\": {n", rest.p[at]) != NULL)
    at++;
  if (at >= rest.n || !mpg_is_digit(rest.p[at]))
    return -1;
  return mpg_hlo_next_number(&rest, &n) ? n : -1;
}
