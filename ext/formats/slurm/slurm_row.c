/* slurm_row.c - see slurm_row.h. */
#include "slurm_row.h"
#include "../../base/ascii.h"
#include "../../read/input/simd.h"
#include "../../base/text.h"
#include "../../base/number.h"
#include "../../base/time.h"

#include <stdio.h>
#include <string.h>

#define EXCESS 200 /* delimiters inside texts of one record that are still sorted out */
#define DATE_BYTES sizeof((mpg_slurm_date *)0)->text
#define DAY INT64_C(86400)

/* ---- fields in their common form: false means that their own parser is to read them ---- */

/* The value of two digits; over 99 if they are no digits. */
static inline unsigned two_digits(const char *p) {
  unsigned tens = (unsigned)(unsigned char)p[0] - '0', ones = (unsigned)(unsigned char)p[1] - '0';
  return tens <= 9 && ones <= 9 ? tens * 10 + ones : 100;
}

/* "05:52:33", of 8 bytes, below 24 hours. */
static inline bool read_clock(const char *p, int64_t *seconds) {
  unsigned hours = two_digits(p), minutes = two_digits(p + 3), s = two_digits(p + 6);
  if (p[2] != ':' || p[5] != ':' || hours > 23 || minutes > 59 || s > 59)
    return false;
  *seconds = hours * 3600 + minutes * 60 + s;
  return true;
}

/* "2026-11-21T05:52:33", to seconds: of the date that is known. */
static bool fast_time(const mpg_slurm_date *date, mpg_str s, int64_t *seconds) {
  int64_t of_day;
  if (!date->known || s.n != 19 || memcmp(s.p, date->text, DATE_BYTES) != 0 ||
      s.p[DATE_BYTES] != 'T' || !read_clock(s.p + 11, &of_day))
    return false;
  *seconds = date->seconds + of_day;
  return true;
}

/* Remembers the date of such a time, which mpg_time_parse has read as `seconds`. */
static void learn_date(mpg_slurm_date *date, mpg_str s, int64_t seconds) {
  int64_t of_day;
  /* Not the first and the last day of all times, which may not be whole. */
  if (s.n != 19 || s.p[DATE_BYTES] != 'T' || !read_clock(s.p + 11, &of_day) || seconds < 2 * DAY ||
      seconds > INT64_C(9000000000))
    return;
  memcpy(date->text, s.p, DATE_BYTES);
  date->seconds = seconds - of_day;
  date->known = true;
}

/* "01:02:03", to seconds. */
static bool fast_duration(mpg_str s, int64_t *seconds) {
  return s.n == 8 && read_clock(s.p, seconds);
}

/* Whether all is digits, and not too many for an int64. */
static bool all_digits(mpg_str s) {
  bool all = s.n > 0 && s.n <= 18;
  for (size_t i = 0; all && i < s.n; i++)
    all = s.p[i] >= '0' && s.p[i] <= '9';
  return all;
}

static bool is_known(const mpg_slurm_known *known, mpg_str s) {
  return s.n == known->n && s.n > 0 && memcmp(s.p, known->text, s.n) == 0;
}

static void know(mpg_slurm_known *known, mpg_str s) {
  if (s.n == 0 || s.n > sizeof known->text)
    return;
  memcpy(known->text, s.p, s.n);
  known->n = (uint8_t)s.n;
}

/* ---- records ---- */

void mpg_slurm_row_free(mpg_slurm_row *row) {
  mpg_free(row->env, row->columns);
  mpg_free(row->env, row->pieces);
  mpg_free(row->env, row->cells);
  mpg_free(row->env, row->ways);
}

mpg_rc mpg_slurm_row_add(mpg_slurm_row *row, int field, mpg_slurm_type type) {
  size_t n = row->ncolumns + 1;
  if (mpg_grow(row->env, &row->columns, &row->cap_columns, n, sizeof *row->columns) != MPG_OK ||
      mpg_grow(row->env, &row->cells, &row->cap_cells, n, sizeof *row->cells) != MPG_OK)
    return MPG_NOMEM;
  row->columns[row->ncolumns++] = (mpg_slurm_column){.field = field, .type = type};
  return MPG_OK;
}

/* Where the delimiter next stands, or NULL. */
static const char *find_delimiter(const char *p, const char *end, mpg_str d) {
  for (; (size_t)(end - p) >= d.n; p++) {
    p = memchr(p, *d.p, (size_t)(end - p));
    if (p == NULL || (size_t)(end - p) < d.n)
      return NULL;
    if (memcmp(p, d.p, d.n) == 0)
      return p;
  }
  return NULL;
}

static inline mpg_rc add_piece(mpg_slurm_row *row, const char *from, const char *to) {
  if (mpg_grow(row->env, &row->pieces, &row->cap_pieces, row->npieces + 1, sizeof *row->pieces) !=
      MPG_OK)
    return MPG_NOMEM;
  row->pieces[row->npieces++] = (mpg_str){from, (size_t)(to - from)};
  return MPG_OK;
}

/* Cuts at a delimiter of one byte, 16 bytes at a time, and returns when fewer are left. *from is
** the position at which the last piece begins. */
static mpg_rc split_wide(mpg_slurm_row *row, mpg_poller *poller, const char **from, const char **at,
                         const char *end) {
#ifdef MPG_SSE2
  const __m128i delimiter = _mm_set1_epi8(*row->delimiter.p);
  const char *p = *at;
  for (; end - p >= 16; p += 16) {
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
    if (mpg_poller_stop(poller, 16))
      return MPG_INTERRUPTED;
    for (uint64_t cuts = mpg_bits_16(_mm_cmpeq_epi8(v, delimiter)); cuts != 0; cuts &= cuts - 1) {
      const char *cut = p + __builtin_ctzll(cuts);
      if (add_piece(row, *from, cut) != MPG_OK)
        return MPG_NOMEM;
      *from = cut + 1;
    }
  }
  *at = p;
#else
  (void)row;
  (void)poller;
  (void)from;
  (void)at;
  (void)end;
#endif
  return MPG_OK;
}

mpg_rc mpg_slurm_row_split(mpg_slurm_row *row, mpg_str text) {
  const char *p = text.p, *at = p, *end = text.p + text.n;
  mpg_poller *poller = mpg_poller_within(row->poller, text.n);
  mpg_rc rc = MPG_OK;
  row->npieces = 0;
  if (row->delimiter.n == 1)
    rc = split_wide(row, poller, &p, &at, end);
  if (rc != MPG_OK)
    return rc;
  for (;;) {
    const char *cut = find_delimiter(at, end, row->delimiter);
    if (mpg_poller_stop(poller, (size_t)((cut == NULL ? end : cut) - p) + 1))
      return MPG_INTERRUPTED;
    if (add_piece(row, p, cut == NULL ? end : cut) != MPG_OK)
      return MPG_NOMEM;
    if (cut == NULL)
      return MPG_OK;
    at = p = cut + row->delimiter.n;
  }
}

/* ---- Decoding ---- */

/* Whether a field of this type may hold the delimiter. */
static bool is_text(mpg_slurm_type type) {
  return type == MPG_SLURM_FREE || type == MPG_SLURM_CHOICE || type == MPG_SLURM_PATH;
}

/* Whether the type rules most texts out. */
static bool is_strict(mpg_slurm_type type) {
  return type != MPG_SLURM_TEXT && !is_text(type);
}

/* What Slurm writes for a missing number or time. */
static bool is_nothing(mpg_str s) {
  static const mpg_str words[] = {MPG_STR("Unknown"),   MPG_STR("None"),
                                  MPG_STR("N/A"),       MPG_STR("(null)"),
                                  MPG_STR("UNLIMITED"), MPG_STR("Partition_Limit"),
                                  MPG_STR("INVALID")};
  if (s.n > 0 && *s.p >= '0' && *s.p <= '9')
    return false;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (mpg_str_eq(s, words[i]))
      return true;
  return false;
}

/* Slurm's own marks for no number and for no limit, of 64 bits, written out: energy of nodes that
** do not measure it. */
static bool is_no_number(mpg_str s) {
  return mpg_str_eq(s, MPG_STR("18446744073709551614")) ||
         mpg_str_eq(s, MPG_STR("18446744073709551615"));
}

static bool is_exit(mpg_str s) {
  size_t colon = 0;
  int64_t n;
  while (colon < s.n && s.p[colon] != ':')
    colon++;
  return colon < s.n && mpg_int_parse((mpg_str){s.p, colon}, &n) &&
         mpg_int_parse((mpg_str){s.p + colon + 1, s.n - colon - 1}, &n);
}

static bool is_words(mpg_str s) {
  for (size_t i = 0; i < s.n; i++)
    if (!mpg_is_letter(s.p[i]) && !(s.p[i] >= '0' && s.p[i] <= '9') && s.p[i] != '_' &&
        s.p[i] != ',')
      return false;
  return true;
}

/* A wall clock's seconds as an instant. */
static void give_local(const mpg_slurm_row *row, int64_t local, mpg_slurm_cell *cell) {
  cell->value.type = MPG_INT;
  cell->value.i = local;
  if (row->zone != NULL)
    cell->fit = mpg_zone_utc(row->zone, local, &cell->value.i);
}

static bool parse_time(mpg_slurm_row *row, mpg_str s, mpg_slurm_cell *cell) {
  mpg_err err;
  int64_t us;
  if (is_nothing(s))
    return true;
  if (mpg_time_parse(s, &us, &err) != MPG_OK)
    return false;
  us /= MPG_SECOND;
  learn_date(&row->date, s, us);
  if (mpg_zone_is_local(s)) {
    give_local(row, us, cell);
    return true;
  }
  cell->value.type = MPG_INT;
  cell->value.i = us;
  return true;
}

static bool decode_time(mpg_slurm_row *row, mpg_str s, mpg_slurm_cell *cell) {
  int64_t seconds;
  if (row->slow || !fast_time(&row->date, s, &seconds))
    return parse_time(row, s, cell);
  give_local(row, seconds, cell);
  return true;
}

/* Whether a text that stays one is what its type says. */
static bool is_valid(const mpg_slurm_row *row, mpg_slurm_type type, mpg_str s) {
  mpg_slurm_gpus gpus;
  mpg_slurm_id id;
  switch (type) {
  case MPG_SLURM_ID:
    return mpg_slurm_id_parse(s, &id);
  case MPG_SLURM_EXIT:
    return is_exit(s);
  case MPG_SLURM_TRES:
    return mpg_slurm_gpus_parse(s, row->poller, &gpus);
  case MPG_SLURM_USAGE:
    return mpg_slurm_tres_valid(s, row->poller);
  default:
    return is_words(s);
  }
}

static bool decode_cell(mpg_slurm_row *row, mpg_slurm_column *column, mpg_str s,
                        mpg_slurm_cell *cell) {
  mpg_slurm_type type = column->type;
  int64_t us;
  *cell = (mpg_slurm_cell){s, {MPG_NULL, 0, 0.0, {NULL, 0}}, MPG_ZONE_UNIQUE};
  if (mpg_poller_stop(mpg_poller_within(row->poller, s.n), s.n))
    return false;
  if (s.n == 0) /* Slurm leaves any field empty but these */
    return type != MPG_SLURM_STATE && type != MPG_SLURM_ID;
  if (row->broken && type != MPG_SLURM_FREE && memchr(s.p, '\n', s.n) != NULL)
    return false;
  switch (type) {
  case MPG_SLURM_TIME:
    return decode_time(row, s, cell);
  case MPG_SLURM_COUNT:
    if (!row->slow && all_digits(s) ? mpg_int_parse(s, &cell->value.i)
                                    : mpg_slurm_count_parse(s, &cell->value.i)) {
      cell->value.type = MPG_INT;
      return true;
    }
    return is_nothing(s) || is_no_number(s);
  case MPG_SLURM_SECONDS:
  case MPG_SLURM_CLOCK:
    if (!row->slow && fast_duration(s, &us))
      us *= MPG_SECOND;
    else if (!mpg_slurm_duration_parse(s, &us))
      return is_nothing(s);
    cell->value.type = type == MPG_SLURM_CLOCK ? MPG_REAL : MPG_INT;
    cell->value.i = us / MPG_SECOND;
    cell->value.r = (double)us / (double)MPG_SECOND;
    return true;
  case MPG_SLURM_ID:
    if ((row->slow || !all_digits(s)) && !is_valid(row, type, s))
      return false;
    break;
  case MPG_SLURM_EXIT:
  case MPG_SLURM_TRES:
  case MPG_SLURM_USAGE:
  case MPG_SLURM_WORDS:
    if (!row->slow && is_known(&column->known, s))
      break;
    if (!is_valid(row, type, s))
      return false;
    know(&column->known, s);
    break;
  case MPG_SLURM_TEXT:
  case MPG_SLURM_FREE:
  case MPG_SLURM_CHOICE:
  case MPG_SLURM_PATH:
  case MPG_SLURM_STATE:
    break;
  }
  cell->value.type = MPG_TEXT;
  cell->value.s = s;
  return true;
}

/* Decoding while it is in doubt which piece is whose: also what only looks wrong is refused. */
static bool fits_column(mpg_slurm_row *row, mpg_slurm_column *column, mpg_str s,
                        mpg_slurm_cell *cell) {
  mpg_slurm_type type = column->type;
  if (type == MPG_SLURM_STATE && !mpg_slurm_state_plausible(s))
    return false;
  if (type == MPG_SLURM_PATH && s.n > 0 && *s.p != '/')
    return false;
  return decode_cell(row, column, s, cell);
}

/* ---- Matching ---- */

/* Pieces that count: a whole record that ends with a delimiter has an empty one more. */
static size_t count_pieces(const mpg_slurm_row *row, bool *closed) {
  *closed = !row->trailing || row->pieces[row->npieces - 1].n == 0;
  return row->npieces - (row->trailing && *closed);
}

static mpg_str from_to(const mpg_slurm_row *row, size_t first, size_t last) {
  const char *end = row->pieces[last].p + row->pieces[last].n;
  return (mpg_str){row->pieces[first].p, (size_t)(end - row->pieces[first].p)};
}

/*
** Which pieces belong to which column: ways[c][x] counts, up to 2, the ways in which the first c
** columns can have c + x pieces. A text has one or more, any other column exactly one; a path is a
** text only if `paths`. *found: the ways for the whole record.
*/
static mpg_rc assign_pieces(mpg_slurm_row *row, size_t excess, bool paths, unsigned char *found) {
  size_t n = row->ncolumns, wide = excess + 1, x = excess;
  unsigned char *ways;
  if (mpg_grow(row->env, &row->ways, &row->cap_ways, (n + 1) * wide, 1) != MPG_OK)
    return MPG_NOMEM;
  ways = row->ways;
  memset(ways, 0, (n + 1) * wide);
  ways[0] = 1;
  for (size_t c = 0; c < n; c++)
    for (size_t before = 0; before <= excess; before++)
      for (size_t more = 0; ways[c * wide + before] > 0 && before + more <= excess; more++) {
        unsigned char *to = &ways[(c + 1) * wide + before + more];
        if (more > 0 &&
            (!is_text(row->columns[c].type) || (!paths && row->columns[c].type == MPG_SLURM_PATH)))
          break;
        if (fits_column(row, &row->columns[c], from_to(row, c + before, c + before + more),
                        &row->cells[c]))
          *to = (unsigned char)(*to + ways[c * wide + before] > 1 ? 2
                                                                  : *to + ways[c * wide + before]);
      }
  *found = ways[n * wide + excess];
  for (size_t c = n; *found == 1 && c-- > 0;) {
    /* The only way here leads back to the one predecessor that can be reached and fits. */
    size_t more = 0;
    while (ways[c * wide + x - more] == 0 ||
           !fits_column(row, &row->columns[c], from_to(row, c + x - more, c + x), &row->cells[c])) {
      if (mpg_poller_stop(row->poller, 1)) /* and nothing fits any more */
        return MPG_INTERRUPTED;
      more++;
    }
    x -= more;
  }
  return MPG_OK;
}

mpg_rc mpg_slurm_row_match(mpg_slurm_row *row, bool *whole, bool *mended) {
  bool closed;
  size_t n = count_pieces(row, &closed);
  *whole = *mended = false;
  if (!closed || n < row->ncolumns)
    return MPG_OK;
  if (n > row->ncolumns) {
    size_t excess = n - row->ncolumns;
    unsigned char ways = 0;
    mpg_rc rc = excess <= EXCESS ? assign_pieces(row, excess, false, &ways) : MPG_OK;
    if (rc == MPG_OK && ways == 0 && excess <= EXCESS) /* a path is the last to hold a delimiter */
      rc = assign_pieces(row, excess, true, &ways);
    *whole = *mended = ways == 1;
    return rc;
  }
  for (size_t c = 0; c < n; c++)
    if (!decode_cell(row, &row->columns[c], row->pieces[c], &row->cells[c]))
      return MPG_OK;
  *whole = true;
  return MPG_OK;
}

const mpg_value *mpg_slurm_row_value(mpg_slurm_row *row, size_t c, mpg_str text) {
  row->broken = false;
  (void)decode_cell(row, &row->columns[c], text, &row->cells[c]);
  return &row->cells[c].value;
}

bool mpg_slurm_row_ends_open(mpg_slurm_row *row) {
  mpg_slurm_cell cell;
  if (row->npieces != row->ncolumns + 1 || row->pieces[row->ncolumns].n > 0)
    return false;
  for (size_t c = 0; c < row->ncolumns; c++)
    if (!fits_column(row, &row->columns[c], row->pieces[c], &cell))
      return false;
  return true;
}

bool mpg_slurm_row_open_ended(const mpg_slurm_row *row) {
  return !row->trailing && row->columns[row->ncolumns - 1].type == MPG_SLURM_FREE;
}

/*
** Decided by the columns before the first free text; if those prove nothing, by all columns.
*/
bool mpg_slurm_row_starts(mpg_slurm_row *row) {
  size_t n = row->npieces, strict = 0;
  mpg_slurm_cell cell;
  if (n == 1 && row->ncolumns > 1)
    return false;
  for (size_t c = 0; c < row->ncolumns && c < n; c++) {
    mpg_slurm_type type = row->columns[c].type;
    if (is_text(type) && strict > 0)
      return true;
    if (c + 1 == n && n < row->ncolumns) /* may be cut short */
      break;
    if (!fits_column(row, &row->columns[c], row->pieces[c], &cell))
      return false;
    strict += is_strict(type) && row->pieces[c].n > 0;
  }
  return strict > 0 || n >= row->ncolumns;
}

/* ---- Explaining ---- */

static const char *expectation(mpg_slurm_type type) {
  switch (type) {
  case MPG_SLURM_TIME:
    return "a time such as 2026-11-21T05:52:33 or Unix seconds";
  case MPG_SLURM_COUNT:
    return "a number";
  case MPG_SLURM_SECONDS:
  case MPG_SLURM_CLOCK:
    return "a duration such as 1-02:03:04";
  case MPG_SLURM_ID:
    return "a job id such as 123, 123_4, 123+0 or 123.batch";
  case MPG_SLURM_EXIT:
    return "an exit code such as 0:9";
  case MPG_SLURM_TRES:
  case MPG_SLURM_USAGE:
    return "a list such as cpu=8,gres/gpu=4";
  case MPG_SLURM_WORDS:
    return "words with commas between";
  default:
    return "text"; /* unreachable: of no other is any refused */
  }
}

static const char *name_of(const mpg_slurm_row *row, const mpg_slurm_kind *kind, size_t c) {
  return row->columns[c].field < 0 ? "a column left out" : kind->fields[row->columns[c].field].name;
}

/* The delimiter as a shell would be given it. */
static void show_delimiter(mpg_str d, char *out, size_t cap) {
  size_t n = 0;
  for (size_t i = 0; i < d.n && n + 5 < cap; i++) {
    unsigned char c = (unsigned char)d.p[i];
    n += (size_t)snprintf(out + n, cap - n, c >= ' ' && c < 127 ? "%c" : "\\x%02x", c);
  }
}

/* Not if the delimiter is '|': then a quote is a byte of the name. */
static bool is_quoted(const mpg_slurm_row *row) {
  if (mpg_str_eq(row->delimiter, MPG_STR("|")))
    return false;
  for (size_t i = 0; i < row->npieces; i++)
    if (row->pieces[i].n > 0 && *row->pieces[i].p == '"')
      return true;
  return false;
}

size_t mpg_slurm_row_explain(mpg_slurm_row *row, const mpg_slurm_kind *kind, char *out,
                             size_t cap) {
  bool closed;
  size_t n = count_pieces(row, &closed), c = 0, culprit = 0;
  const char *start = row->pieces[0].p;
  mpg_slurm_cell cell;
  char delimiter[40] = "";
  while (c < n && c < row->ncolumns &&
         (n == row->ncolumns ? decode_cell(row, &row->columns[c], row->pieces[c], &cell)
                             : fits_column(row, &row->columns[c], row->pieces[c], &cell)))
    c++;
  if (n == row->ncolumns && closed && c == n) {
    (void)snprintf(out, cap, "the lines that follow are neither records nor the rest of %s",
                   name_of(row, kind, n - 1));
    return (size_t)(row->pieces[n - 1].p + row->pieces[n - 1].n - start);
  }
  if (n == row->ncolumns && closed) {
    mpg_str found = row->pieces[c];
    char text[MPG_EXCERPT];
    mpg_text_excerpt(found, text);
    (void)snprintf(out, cap, "expected %s for %s, found \"%s\"", expectation(row->columns[c].type),
                   name_of(row, kind, c), text);
    return (size_t)(found.p - start);
  }
  show_delimiter(row->delimiter, delimiter, sizeof delimiter);
  if (n > row->ncolumns) {
    /* The text last before the first column that went wrong has run over. */
    bool any = false;
    for (size_t i = 0; i < row->ncolumns && i <= c; i++)
      if (is_text(row->columns[i].type)) {
        culprit = i;
        any = true;
      }
    if (any)
      (void)snprintf(out, cap,
                     "expected %zu fields, found %zu: %s seems to hold the delimiter %s and the "
                     "record cannot be taken apart; export with another, such as "
                     "--delimiter=$'\\x1f'%s",
                     row->ncolumns, n, name_of(row, kind, culprit), delimiter,
                     is_quoted(row) ? MPG_SLURM_QUOTED : "");
    else
      (void)snprintf(out, cap,
                     "expected %zu fields, found %zu; if a field holds the delimiter %s, export "
                     "with another, such as --delimiter=$'\\x1f'%s",
                     row->ncolumns, n, delimiter, is_quoted(row) ? MPG_SLURM_QUOTED : "");
    return (size_t)(row->pieces[any ? culprit : row->ncolumns].p - start);
  }
  (void)snprintf(
      out, cap,
      "expected %zu fields%s%s, found %zu, and the lines that follow do not complete them",
      row->ncolumns, row->trailing ? " and a closing " : "", row->trailing ? delimiter : "", n);
  return (size_t)(row->pieces[row->npieces - 1].p + row->pieces[row->npieces - 1].n - start);
}

/* The cell of a field that has a whole number; NULL: there is none. */
static mpg_slurm_cell *number_of(mpg_slurm_row *row, int field) {
  for (size_t c = 0; c < row->ncolumns; c++)
    if (row->columns[c].field == field && row->cells[c].value.type == MPG_INT)
      return &row->cells[c];
  return NULL;
}

/* By how much the clock went back at a time that it showed twice, from the first of them. */
static int64_t went_back(const mpg_slurm_row *row, int64_t utc) {
  enum { FAR = 4 * 3600 }; /* after any such change, and before the next */
  return mpg_zone_offset(row->zone, utc) - mpg_zone_offset(row->zone, utc + FAR);
}

/* Seconds are whole, so that what lasted may be off by one or two. */
static bool is_near(int64_t a, int64_t b) {
  return a - b >= -2 && a - b <= 2;
}

void mpg_slurm_row_settle(mpg_slurm_row *row, const mpg_slurm_kind *kind) {
  const bool jobs = kind == &mpg_slurm_jobs;
  mpg_slurm_cell *start, *end, *lasted, *paused;
  int64_t more; /* than from start to end */
  bool first, second;
  if (row->zone == NULL || (!jobs && kind != &mpg_slurm_events))
    return;
  start = number_of(row, jobs ? MPG_SLURM_JOB_Start : MPG_SLURM_EVENT_TimeStart);
  end = number_of(row, jobs ? MPG_SLURM_JOB_End : MPG_SLURM_EVENT_TimeEnd);
  if (start == NULL || end == NULL)
    return;
  first = start->fit == MPG_ZONE_REPEATED;
  second = end->fit == MPG_ZONE_REPEATED;
  lasted = number_of(row, jobs ? MPG_SLURM_JOB_ElapsedRaw : MPG_SLURM_EVENT_Duration);
  if (lasted == NULL && jobs)
    lasted = number_of(row, MPG_SLURM_JOB_Elapsed);
  if ((!first && !second) || lasted == NULL)
    return;
  paused = jobs ? number_of(row, MPG_SLURM_JOB_Suspended) : NULL;
  more = lasted->value.i + (paused == NULL ? 0 : paused->value.i) - (end->value.i - start->value.i);
  if (second && is_near(more, went_back(row, end->value.i)))
    end->value.i += went_back(row, end->value.i);
  else if (first && is_near(-more, went_back(row, start->value.i)))
    start->value.i += went_back(row, start->value.i);
  else if ((first && second) || !is_near(more, 0))
    return; /* both may be of either time, or it is something else */
  start->fit = first ? MPG_ZONE_UNIQUE : start->fit;
  end->fit = second ? MPG_ZONE_UNIQUE : end->fit;
}

/* ---- Names of columns ---- */

static bool is_name_byte(char c) {
  return mpg_is_letter(c) || (c >= '0' && c <= '9') || c == ' ';
}

/* Case does not matter, nor spaces: sacctmgr's header has "Cluster Nodes". */
static bool same_name(mpg_str name, const char *field) {
  size_t at = 0, n = strlen(field);
  for (size_t i = 0; i < name.n; i++) {
    if (name.p[i] == ' ')
      continue;
    if (at == n || !mpg_str_eq_nocase((mpg_str){name.p + i, 1}, (mpg_str){field + at, 1}))
      return false;
    at++;
  }
  return n > 0 && at == n;
}

int mpg_slurm_find_field(const mpg_slurm_kind *kind, mpg_str name) {
  for (size_t i = 0; i < kind->nfields; i++)
    if (same_name(name, kind->fields[i].name))
      return (int)i;
  /* Events of old releases: TimeStart and TimeEnd were called so. */
  if (kind == &mpg_slurm_events && same_name(name, "Start"))
    return MPG_SLURM_EVENT_TimeStart;
  if (kind == &mpg_slurm_events && same_name(name, "End"))
    return MPG_SLURM_EVENT_TimeEnd;
  return -1;
}

mpg_str mpg_slurm_header_delimiter(mpg_str line) {
  size_t from = 0, to;
  while (from < line.n && is_name_byte(line.p[from]))
    from++;
  for (to = from; to < line.n && !mpg_is_letter(line.p[to]);)
    to++;
  return from == line.n ? MPG_STR("|") : (mpg_str){line.p + from, to - from};
}

bool mpg_slurm_row_is_header(const mpg_slurm_row *row, const mpg_slurm_kind *kind) {
  size_t known = 0, n = row->npieces;
  if (n > 1 && row->pieces[n - 1].n == 0)
    n--;
  for (size_t i = 0; i < n; i++) {
    mpg_str name = row->pieces[i];
    if (name.n == 0 || !mpg_is_letter(*name.p) || mpg_poller_stop(row->poller, MPG_SLURM_NAME_WORK))
      return false;
    for (size_t b = 0; b < name.n; b++)
      if (!is_name_byte(name.p[b]))
        return false;
    known += mpg_slurm_find_field(kind, name) >= 0;
  }
  return known > 0 && known * 2 >= n;
}
