/*
** slurm.c - see slurm.h. Lines come from the CSV reader with a delimiter that does not matter here;
** they are taken apart, joined and mended on a copy.
*/
#include "slurm.h"
#include "../../base/ascii.h"
#include "../../base/text.h"
#include "slurm_prefetch.h"
#include "slurm_repeats.h"
#include "../../read/input/unfinished.h"

#include <stdio.h>
#include <string.h>

#define LINE_DELIMITER '\x01'        /* given to the CSV reader; put back if it does occur */
#define JOIN_LINES 1000              /* of one record */
#define JOIN_BYTES ((size_t)1 << 18) /* that a record has before another line is joined on */
#define JOINS_BETWEEN_POLLS 64
#define NO_COLUMN SIZE_MAX

#define MPG_SLURM_FIELD(name, type) {#name, MPG_SLURM_##type},
static const mpg_slurm_field job_fields[] = {MPG_SLURM_JOB_FIELDS(MPG_SLURM_FIELD)};
static const mpg_slurm_field event_fields[] = {MPG_SLURM_EVENT_FIELDS(MPG_SLURM_FIELD)};
const mpg_slurm_kind mpg_slurm_jobs = {"sacct", "JobID|State|Start", job_fields,
                                       MPG_SLURM_JOB_COUNT};
const mpg_slurm_kind mpg_slurm_events = {"sacctmgr show event", "Cluster|NodeName|TimeStart",
                                         event_fields, MPG_SLURM_EVENT_COUNT};

/* One line, or several that were joined. */
typedef struct lines {
  char *p;
  size_t n, cap;
  int64_t first, last;
  bool cut_off; /* the file ends within the last of them */
} lines;

struct mpg_slurm {
  const mpg_env *env;
  const mpg_slurm_kind *kind;
  mpg_slurm_options options;
  const char *path;
  mpg_stream *stream;
  mpg_csv *csv;
  bool started, dead;
  mpg_poller poller;
  lines record, ahead, header;
  mpg_slurm_prefetch
      *prefetch;          /* blocks of lines that were looked over, or NULL: csv reads the stream */
  mpg_slurm_block *block; /* at hand, or NULL */
  size_t next;            /* of its lines */
  bool fed;               /* the position in the block is csv's, not block.at */
  bool at_record;         /* csv read one last, and nothing malformed */
  const uint32_t *marks;  /* of the record at hand, a line of the block; NULL: it is in `row` */
  bool has_ahead, damage_ahead, at_end;
  mpg_slurm_row row;  /* the columns, and the record at hand as cells */
  mpg_slurm_row peek; /* the same columns, for the line ahead */
  mpg_str delimiter;  /* of options, of the header, or static */
  size_t *column_of;  /* by field; NO_COLUMN: the file lacks it */
  mpg_slurm_repeats repeats;
  char failure[MPG_ERR_TEXT]; /* the CSV reader's last */
};

/* ---- Opening ---- */

mpg_rc mpg_slurm_open(mpg_slurm **out, const mpg_env *env, mpg_stream *stream,
                      const mpg_slurm_kind *kind, const mpg_slurm_options *options, mpg_err *err) {
  const mpg_csv_options lines_only = {LINE_DELIMITER, true, 0};
  size_t n = kind->nfields;
  mpg_rc rc = MPG_NOMEM;
  mpg_slurm *s = mpg_calloc(env, sizeof *s);
  if (s == NULL)
    return mpg_fail_nomem(err);
  *s = (mpg_slurm){
      .env = env,
      .kind = kind,
      .options = *options,
      .path = mpg_stream_path(stream),
      .stream = stream,
      .delimiter = options->delimiter,
      .poller = {.env = env},
      .repeats = {.jobs = {.env = env}},
      .row = {.env = env, .poller = &s->poller, .zone = options->zone, .slow = options->slow},
      .peek = {.env = env, .poller = &s->poller, .zone = options->zone, .slow = options->slow}};
  s->column_of = mpg_malloc(env, n * sizeof *s->column_of);
  for (size_t i = 0; s->column_of != NULL && i < n; i++)
    s->column_of[i] = NO_COLUMN;
  if (s->column_of == NULL)
    mpg_fail_nomem(err);
  else
    rc = mpg_csv_open(&s->csv, env, stream, &lines_only, err);
  if (rc == MPG_OK && options->threads > 1)
    rc = mpg_slurm_prefetch_open(&s->prefetch, env, stream, options->threads, LINE_DELIMITER, err);
  if (rc == MPG_OK)
    *out = s;
  else
    mpg_slurm_close(s);
  return rc;
}

void mpg_slurm_close(mpg_slurm *s) {
  const mpg_env *env;
  if (s == NULL)
    return;
  env = s->env;
  mpg_csv_close(s->csv);
  mpg_slurm_prefetch_close(s->prefetch);
  mpg_slurm_row_free(&s->row);
  mpg_slurm_row_free(&s->peek);
  mpg_free(env, s->record.p);
  mpg_free(env, s->ahead.p);
  mpg_free(env, s->header.p);
  mpg_free(env, s->column_of);
  mpg_slurm_repeats_free(&s->repeats);
  mpg_free(env, s);
}

/* ---- Lines ---- */

static mpg_rc append_bytes(mpg_slurm *s, lines *l, const char *p, size_t n, mpg_err *err) {
  if (n > SIZE_MAX - l->n || mpg_grow(s->env, &l->p, &l->cap, l->n + n + 1, 1) != MPG_OK)
    return mpg_fail_nomem(err);
  if (!mpg_copy(s->env, l->p + l->n, p, n))
    return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
  l->n += n;
  return MPG_OK;
}

static mpg_rc split_row(mpg_slurm_row *row, const lines *of, mpg_err *err) {
  mpg_rc rc = mpg_slurm_row_split(row, (mpg_str){of->p, of->n});
  return rc == MPG_OK ? rc : mpg_fail_plain(err, rc);
}

static mpg_rc next_block(mpg_slurm *s, mpg_err *err) {
  s->next = 0;
  s->fed = false;
  return mpg_slurm_prefetch_next(s->prefetch, &s->block, err);
}

/* The next line from the stream, or from the blocks of it. */
static mpg_rc read_line(mpg_slurm *s, const mpg_str **parts, size_t *n, mpg_err *err) {
  mpg_rc rc = MPG_DONE;
  if (s->prefetch == NULL)
    return mpg_csv_next(s->csv, parts, n, err);
  while (rc == MPG_DONE) {
    if (s->block == NULL && (rc = next_block(s, err)) != MPG_OK)
      return rc;
    if (!s->fed)
      mpg_csv_feed(s->csv, s->stream, &s->block->block, s->env);
    s->fed = true;
    rc = mpg_csv_next(s->csv, parts, n, err);
    s->at_record = rc == MPG_OK;
    if (rc == MPG_DONE && s->block->block.rest)
      return rc;
    if (rc == MPG_DONE)
      s->block = NULL;
  }
  return rc;
}

static mpg_rc fetch_line(mpg_slurm *s, lines *l, mpg_err *err) {
  const char delimiter = LINE_DELIMITER;
  const mpg_str *parts;
  size_t n;
  mpg_rc rc = read_line(s, &parts, &n, err);
  if (rc != MPG_OK) {
    /* A damaged line is followed by others; a damaged file only by the same error. */
    s->dead = rc != MPG_DONE && (rc != MPG_DATA || strcmp(s->failure, err->text) == 0);
    if (rc == MPG_DATA)
      memcpy(s->failure, err->text, sizeof s->failure);
    return s->dead && rc == MPG_DATA ? MPG_DONE : rc;
  }
  l->n = 0;
  l->first = l->last = mpg_csv_line(s->csv);
  l->cut_off = mpg_csv_cut_off(s->csv);
  for (size_t i = 0; rc == MPG_OK && i < n; i++) {
    if (i > 0)
      rc = append_bytes(s, l, &delimiter, 1, err);
    if (rc == MPG_OK)
      rc = append_bytes(s, l, parts[i].p, parts[i].n, err);
  }
  return rc;
}

static mpg_rc next_line(mpg_slurm *s, mpg_err *err) {
  if (s->damage_ahead) {
    s->damage_ahead = false;
    return mpg_fail(err, MPG_DATA, "%s", s->failure);
  }
  if (s->has_ahead) {
    lines swap = s->record;
    s->record = s->ahead;
    s->ahead = swap;
    s->has_ahead = false;
    return MPG_OK;
  }
  return s->at_end ? MPG_DONE : fetch_line(s, &s->record, err);
}

/*
** Fills s->ahead; MPG_DONE if there is no next line that could be joined. A damaged next line is
** reported when it is read, not with the record before it.
*/
static mpg_rc read_ahead(mpg_slurm *s, mpg_err *err) {
  mpg_rc rc;
  if (s->has_ahead)
    return MPG_OK;
  if (s->at_end || s->damage_ahead)
    return MPG_DONE;
  rc = fetch_line(s, &s->ahead, err);
  s->has_ahead = rc == MPG_OK;
  s->at_end = rc == MPG_DONE;
  s->damage_ahead = rc == MPG_DATA;
  return s->damage_ahead ? MPG_DONE : rc;
}

/* Joins the line ahead to the record, with the empty lines between them. */
static mpg_rc join_ahead(mpg_slurm *s, mpg_err *err) {
  size_t breaks = (size_t)(s->ahead.first - s->record.last);
  if (mpg_grow(s->env, &s->record.p, &s->record.cap, s->record.n + breaks + 1, 1) != MPG_OK)
    return mpg_fail_nomem(err);
  memset(s->record.p + s->record.n, '\n', breaks);
  s->record.n += breaks;
  s->record.last = s->ahead.last;
  s->record.cut_off = s->ahead.cut_off;
  s->has_ahead = false;
  return append_bytes(s, &s->record, s->ahead.p, s->ahead.n, err);
}

static bool is_header_again(const mpg_slurm *s, const lines *l) {
  return s->header.n > 0 && l->n == s->header.n && memcmp(l->p, s->header.p, l->n) == 0;
}

/* ---- Names of columns ---- */

/* The next name of a --format list: without spaces around it and a "%20" after it. */
static bool next_listed(mpg_str list, size_t *at, mpg_str *name) {
  size_t from = *at, end = *at, stop;
  if (*at > list.n || list.n == 0)
    return false;
  while (end < list.n && list.p[end] != ',')
    end++;
  *at = end + 1;
  while (from < end && list.p[from] == ' ')
    from++;
  for (stop = from; stop < end && list.p[stop] != '%';)
    stop++;
  while (stop > from && list.p[stop - 1] == ' ')
    stop--;
  *name = (mpg_str){list.p + from, stop - from};
  return true;
}

mpg_rc mpg_slurm_check(const mpg_slurm_kind *kind, mpg_str columns, mpg_err *err) {
  uint64_t used[4] = {0};
  char found[MPG_EXCERPT];
  mpg_str name;
  for (size_t at = 0; next_listed(columns, &at, &name);) {
    int field = mpg_slurm_find_field(kind, name);
    if (mpg_str_eq(name, MPG_STR("-")))
      continue;
    mpg_text_excerpt(name, found);
    if (field < 0)
      return mpg_fail(err, MPG_MISUSE,
                      "columns: expected %s fields such as \"%s\", separated by commas, or - for a "
                      "column to ignore, found \"%s\"",
                      kind->tool, kind->fields[0].name, found);
    if (used[field / 64] >> (field % 64) & 1)
      return mpg_fail(err, MPG_MISUSE, "columns: %s is named twice", kind->fields[field].name);
    used[field / 64] |= (uint64_t)1 << (field % 64);
  }
  return MPG_OK;
}

/* The second column of one field says the same again, and is left out. */
static mpg_rc add_column(mpg_slurm *s, int field, mpg_err *err) {
  mpg_slurm_type type = MPG_SLURM_FREE;
  if (field >= 0) {
    type = s->kind->fields[field].type;
    if (mpg_slurm_has(s, (size_t)field))
      field = -1;
    else
      s->column_of[field] = s->row.ncolumns;
  }
  if (mpg_slurm_row_add(&s->row, field, type) != MPG_OK ||
      mpg_slurm_row_add(&s->peek, field, type) != MPG_OK)
    return mpg_fail_nomem(err);
  return MPG_OK;
}

/* ---- The header ---- */

/* Without lists of resources a mapping finds no GPU, so no job: that is no cluster without work. */
static mpg_rc notice_no_tres(mpg_slurm *s, mpg_err *err) {
  if (s->options.issues == NULL || s->kind != &mpg_slurm_jobs ||
      mpg_slurm_has(s, MPG_SLURM_JOB_AllocTRES) || mpg_slurm_has(s, MPG_SLURM_JOB_ReqTRES))
    return MPG_OK;
  if (mpg_issues_add(s->options.issues, MPG_WARNING, s->path, "no_tres", s->record.first, 1,
                     "neither AllocTRES nor ReqTRES was exported: nobody knows of GPUs") != MPG_OK)
    return mpg_fail_nomem(err);
  return MPG_OK;
}

static mpg_rc use_header(mpg_slurm *s, mpg_err *err) {
  char unknown[400], found[MPG_EXCERPT];
  size_t used = 0, n = s->row.npieces;
  int64_t count = 0;
  mpg_rc rc = MPG_OK;
  s->row.trailing = s->peek.trailing = n > 1 && s->row.pieces[n - 1].n == 0;
  for (size_t i = 0; rc == MPG_OK && i + s->row.trailing < n; i++) {
    mpg_str name = s->row.pieces[i];
    int field = mpg_slurm_find_field(s->kind, name);
    if (mpg_poller_stop(&s->poller, MPG_SLURM_NAME_WORK))
      return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
    rc = add_column(s, field, err);
    if (field >= 0)
      continue;
    mpg_text_excerpt(name, found);
    used +=
        (size_t)snprintf(unknown + used, sizeof unknown - used, "%s%s", count++ ? ", " : "", found);
    if (used >= sizeof unknown)
      used = sizeof unknown - 1;
  }
  if (rc == MPG_OK && count > 0 && s->options.issues != NULL &&
      mpg_issues_add(s->options.issues, MPG_INFO, s->path, "unknown_column", s->record.first, count,
                     "left out: %s", unknown) != MPG_OK)
    return mpg_fail_nomem(err);
  return rc == MPG_OK ? notice_no_tres(s, err) : rc;
}

/* "JobID           JobName  Partition": the layout without -P. */
static bool is_fixed_width(const mpg_slurm *s, mpg_str line) {
  size_t end = 0, next;
  while (end < line.n && line.p[end] != ' ')
    end++;
  for (next = end; next < line.n && line.p[next] == ' ';)
    next++;
  return end < line.n && next < line.n &&
         mpg_slurm_find_field(s->kind, (mpg_str){line.p, end}) >= 0;
}

/* What a first line that is no header looks like instead. */
static const char *hint_of_line(const mpg_slurm *s, mpg_str line) {
  static const struct {
    mpg_str start;
    const char *hint;
  } hints[] = {
      {{"NodeName=", 9}, " (nodes of scontrol: read them with slurm_nodes_trace)"},
      {{"JOBID", 5}, " (a header of squeue: export it with --json)"}, /* few are fields of sacct */
      {{"\"", 1}, MPG_SLURM_QUOTED},
      {{"{", 1}, " (JSON: export events with -P)"}, /* slurm_json.c reads JSON of jobs */
  };
  bool jobs = s->kind == &mpg_slurm_jobs;
  if (is_fixed_width(s, line))
    return " (fixed-width output: export it with -P)";
  if (mpg_slurm_row_is_header(&s->row, jobs ? &mpg_slurm_events : &mpg_slurm_jobs))
    return jobs ? " (a header of sacctmgr show event: read it with slurm_events_trace)"
                : " (a header of sacct: read it with slurm_trace)";
  for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
    if (mpg_str_starts_with(line, hints[i].start))
      return hints[i].hint;
  return " (exported with -n? then name the fields in the argument columns)";
}

static mpg_rc no_header(mpg_slurm *s, mpg_err *err) {
  mpg_str line = {s->record.p, s->record.n};
  char found[MPG_EXCERPT];
  mpg_text_excerpt(line, found);
  s->dead = true;
  return mpg_fail(err, MPG_DATA,
                  "%s:%lld:1: expected a header of %s field names such as %s, found \"%s\"%s",
                  s->path, (long long)s->record.first, s->kind->tool, s->kind->example, found,
                  hint_of_line(s, line));
}

/* Reads the first line: the header, or a record of the columns that the caller named. */
static mpg_rc read_first_line(mpg_slurm *s, mpg_err *err) {
  mpg_str name;
  mpg_rc rc = next_line(s, err);
  if (rc != MPG_OK)
    return rc;
  s->started = true;
  if (s->delimiter.n == 0) {
    mpg_str shows = mpg_slurm_header_delimiter((mpg_str){s->record.p, s->record.n});
    if (append_bytes(s, &s->header, s->record.p, s->record.n, err) != MPG_OK)
      return err->rc;
    s->delimiter = shows;
    if (shows.p >= s->record.p && shows.p <= s->record.p + s->record.n) /* into what stays */
      s->delimiter.p = s->header.p + (shows.p - s->record.p);
  } else if (append_bytes(s, &s->header, s->record.p, s->record.n, err) != MPG_OK) {
    return err->rc;
  }
  s->row.delimiter = s->peek.delimiter = s->delimiter;
  if (split_row(&s->row, &s->record, err) != MPG_OK)
    return err->rc;
  if (mpg_slurm_row_is_header(&s->row, s->kind))
    return use_header(s, err);
  s->header.n = 0;
  if (s->options.columns.n == 0)
    return no_header(s, err);
  s->row.delimiter = s->peek.delimiter =
      s->options.delimiter.n > 0 ? s->options.delimiter : MPG_STR("|");
  for (size_t at = 0; rc == MPG_OK && next_listed(s->options.columns, &at, &name);)
    rc = add_column(s, mpg_slurm_find_field(s->kind, name), err);
  if (rc == MPG_OK)
    rc = notice_no_tres(s, err);
  if (rc != MPG_OK)
    return rc;
  if (split_row(&s->row, &s->record, err) != MPG_OK)
    return err->rc;
  s->row.trailing = s->peek.trailing = mpg_slurm_row_ends_open(&s->row);
  /* It is the first record: put it back. */
  lines swap = s->ahead;
  s->ahead = s->record;
  s->record = swap;
  s->has_ahead = true;
  return MPG_OK;
}

/* ---- Records ---- */

static void place_of(const mpg_slurm *s, size_t at, int64_t *line, int64_t *column) {
  *line = s->record.first;
  *column = 1;
  for (size_t i = 0; i < at && i < s->record.n; i++) {
    (*column)++;
    if (s->record.p[i] == '\n') {
      (*line)++;
      *column = 1;
    }
  }
}

/* Whether a line is a header of sacct or sacctmgr, of other columns than the first. The pieces of
** `peek` are those of the line afterwards. */
static mpg_rc is_other_header(mpg_slurm *s, const lines *l, bool *is, mpg_err *err) {
  const mpg_str own = s->peek.delimiter;
  s->peek.delimiter = mpg_slurm_header_delimiter((mpg_str){l->p, l->n});
  mpg_rc rc = split_row(&s->peek, l, err);
  *is = rc == MPG_OK && s->peek.npieces > 2 &&
        (mpg_slurm_row_is_header(&s->peek, &mpg_slurm_jobs) ||
         mpg_slurm_row_is_header(&s->peek, &mpg_slurm_events));
  s->peek.delimiter = own;
  return rc == MPG_OK ? split_row(&s->peek, l, err) : rc;
}

/* Why the record is none, judged by its first line alone. */
static mpg_rc diagnose(mpg_slurm *s, size_t first_line, mpg_err *err) {
  char text[MPG_ERR_TEXT - 300];
  int64_t line, column;
  size_t at;
  bool header;
  s->record.n = first_line;
  if (split_row(&s->row, &s->record, err) != MPG_OK ||
      is_other_header(s, &s->record, &header, err) != MPG_OK)
    return err->rc;
  if (header)
    return mpg_fail(err, MPG_DATA,
                    "%s:%lld:1: expected records with the columns of the first header, found "
                    "another header: put each export into a file of its own",
                    s->path, (long long)s->record.first);
  at = mpg_slurm_row_explain(&s->row, s->kind, text, sizeof text);
  place_of(s, at, &line, &column);
  return mpg_fail(err, MPG_DATA, "%s:%lld:%lld: %s", s->path, (long long)line, (long long)column,
                  text);
}

/*
** Makes one whole record of the line read and, if that is not enough, of those after it. A line
** that starts a record by itself is never joined to another.
*/
static mpg_rc assemble_record(mpg_slurm *s, bool *mended, int64_t *joined, mpg_err *err) {
  size_t first_line = s->record.n;
  *joined = 0;
  for (;;) {
    mpg_rc rc = split_row(&s->row, &s->record, err);
    bool whole, more;
    if (rc != MPG_OK)
      return rc;
    s->row.broken = *joined > 0;
    rc = mpg_slurm_row_match(&s->row, &whole, mended);
    if (rc != MPG_OK)
      return mpg_fail_plain(err, rc);
    if (whole && !mpg_slurm_row_open_ended(&s->row))
      return MPG_OK;
    more = *joined < JOIN_LINES && s->record.n < JOIN_BYTES;
    if (more) {
      rc = read_ahead(s, err);
      if (rc != MPG_OK && rc != MPG_DONE)
        return rc;
      more = rc == MPG_OK && !is_header_again(s, &s->ahead);
    }
    if (more) {
      bool starts, shorter;
      if (is_other_header(s, &s->ahead, &starts, err) != MPG_OK)
        return err->rc;
      starts = starts || mpg_slurm_row_starts(&s->peek);
      shorter = s->peek.npieces < s->peek.ncolumns;
      more = !starts && (!whole || shorter);
    }
    if (!more)
      return whole ? MPG_OK : diagnose(s, first_line, err);
    if (join_ahead(s, err) != MPG_OK)
      return err->rc;
    if (++*joined % JOINS_BETWEEN_POLLS == 0 && mpg_interrupted(s->env))
      return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
  }
}

static mpg_rc add_issue(mpg_slurm *s, mpg_severity severity, const char *kind, int64_t line,
                        const char *detail, mpg_err *err) {
  if (s->options.issues == NULL ||
      mpg_issues_add(s->options.issues, severity, s->path, kind, line, 1, "%s", detail) == MPG_OK)
    return MPG_OK;
  return mpg_fail_nomem(err);
}

static mpg_rc notice_repeat(mpg_slurm *s, mpg_err *err) {
  mpg_str id = mpg_slurm_raw(s, MPG_SLURM_JOB_JobIDRaw);
  mpg_rc rc;
  if (id.n == 0)
    id = mpg_slurm_raw(s, MPG_SLURM_JOB_JobID);
  mpg_slurm_repeats_tres(&s->repeats, mpg_slurm_raw(s, MPG_SLURM_JOB_ReqTRES));
  mpg_slurm_repeats_tres(&s->repeats, mpg_slurm_raw(s, MPG_SLURM_JOB_AllocTRES));
  rc = mpg_slurm_repeats_add(&s->repeats, mpg_slurm_raw(s, MPG_SLURM_JOB_Cluster), id,
                             s->record.first);
  return rc == MPG_OK ? rc : mpg_fail_plain(err, rc);
}

static mpg_rc accept_record(mpg_slurm *s, bool mended, int64_t joined, mpg_err *err) {
  mpg_rc rc = MPG_OK;
  mpg_slurm_row_settle(&s->row, s->kind);
  for (size_t i = 0; i < s->row.ncolumns; i++) {
    if (s->row.cells[i].fit == MPG_ZONE_UNIQUE || s->row.columns[i].field < 0)
      continue;
    if (s->row.cells[i].fit == MPG_ZONE_REPEATED)
      rc = add_issue(s, MPG_INFO, "repeated_time", s->record.first,
                     "the clock showed this time twice; the first is taken", err);
    else
      rc = add_issue(s, MPG_WARNING, "skipped_time", s->record.first,
                     "the clock never showed this time; is it the right zone?", err);
    if (rc != MPG_OK)
      return rc;
  }
  if (mended)
    rc = add_issue(s, MPG_INFO, "split_text", s->record.first,
                   "a text holds the delimiter; export with another, such as --delimiter=$'\\x1f'",
                   err);
  if (rc == MPG_OK && joined > 0)
    rc = add_issue(s, MPG_INFO, "joined_lines", s->record.first, "a text holds a newline", err);
  if (rc == MPG_OK && s->kind == &mpg_slurm_jobs)
    rc = notice_repeat(s, err);
  return rc;
}

static mpg_rc finish_file(mpg_slurm *s, mpg_err *err) {
  mpg_rc rc = mpg_slurm_repeats_end(&s->repeats, s->options.issues, s->path, err);
  s->dead = true;
  return rc == MPG_OK ? MPG_DONE : rc;
}

/* A column of the record at hand. */
static mpg_str prefetched_text(const mpg_slurm *s, size_t column) {
  const uint32_t *mark = s->marks + column;
  return (mpg_str){s->block->block.bytes + mark[0], mark[1] - s->row.delimiter.n - mark[0]};
}

/*
** Whether the next line is known to be a whole record. Then it is used in place, in the block, and
** its fields are decoded on demand.
*/
static bool next_prefetched(mpg_slurm *s) {
  mpg_slurm_block *b = s->block;
  size_t width = s->row.ncolumns + 2;
  const uint32_t *marks;
  s->marks = NULL;
  if (b == NULL || b->n == 0 || s->has_ahead || s->damage_ahead || (s->fed && !s->at_record))
    return false;
  if (s->fed)
    mpg_csv_unfeed(s->csv, &b->block);
  s->fed = false;
  while (s->next < b->n && b->marks[s->next * width] < b->block.at)
    s->next++;
  marks = b->marks + s->next * width;
  if (s->next == b->n || *marks != b->block.at)
    return false;
  s->next++;
  s->marks = marks;
  s->record.first = s->record.last = b->block.line++;
  b->block.at = marks[width - 1] + (size_t)1;
  b->block.first = false;
  return true;
}

mpg_rc mpg_slurm_next(mpg_slurm *s, mpg_err *err) {
  bool mended = false;
  int64_t joined = 0;
  mpg_rc rc = MPG_OK;
  if (s->dead)
    return MPG_DONE;
  if (!s->started) {
    rc = read_first_line(s, err);
    if (rc == MPG_OK && s->prefetch != NULL)
      rc = mpg_slurm_prefetch_begin(s->prefetch, &s->row, (mpg_str){s->header.p, s->header.n}, err);
  }
  if (rc == MPG_OK && next_prefetched(s))
    return s->kind == &mpg_slurm_jobs ? notice_repeat(s, err) : MPG_OK;
  do {
    if (rc == MPG_OK)
      rc = next_line(s, err);
  } while (rc == MPG_OK && is_header_again(s, &s->record));
  if (rc == MPG_OK) {
    rc = assemble_record(s, &mended, &joined, err);
    if (rc == MPG_DATA && joined == 0 && s->record.cut_off) {
      rc = mpg_unfinished_record(s->options.issues, s->path, s->record.first, err);
      rc = rc == MPG_OK ? MPG_DONE : rc;
    }
  }
  if (rc == MPG_OK)
    rc = accept_record(s, mended, joined, err);
  if (rc == MPG_OK && s->record.cut_off)
    rc = mpg_no_line_end(s->options.issues, s->path, s->record.last, err);
  if (s->poller.stopped)
    return mpg_fail(err, MPG_INTERRUPTED, "interrupted");
  return rc == MPG_DONE ? finish_file(s, err) : rc;
}

int64_t mpg_slurm_line(const mpg_slurm *s) {
  return s->record.first;
}

const mpg_value *mpg_slurm_get(mpg_slurm *s, size_t field) {
  static const mpg_value none = {MPG_NULL, 0, 0.0, {NULL, 0}};
  size_t column = s->column_of[field];
  if (column == NO_COLUMN)
    return &none;
  return s->marks == NULL ? &s->row.cells[column].value
                          : mpg_slurm_row_value(&s->row, column, prefetched_text(s, column));
}

mpg_str mpg_slurm_raw(const mpg_slurm *s, size_t field) {
  size_t column = s->column_of[field];
  if (column == NO_COLUMN)
    return (mpg_str){NULL, 0};
  return s->marks == NULL ? s->row.cells[column].text : prefetched_text(s, column);
}

bool mpg_slurm_has(const mpg_slurm *s, size_t field) {
  return s->column_of[field] != NO_COLUMN;
}
