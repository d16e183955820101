/*
** native_csv_fast.c - see native_csv_fast.h.
**
** Fields are read in place, from left to right, without searching for their ends first: a time or a
** number ends with its digits. Texts repeat from record to record: each is compared with the text
** of the same column in the record before, whose id in the fleet is known. Where spans of many jobs
** alternate, it is the record before of the same job.
*/
#include "native_csv_fast.h"
#include "../../read/input/window.h"
#include "../../base/number.h"
#include "../../base/time.h"

#include <math.h>
#include <string.h>

#define FIELDS 64    /* of a record; more are not plain */
#define KINDS 32     /* texts of kinds that are remembered */
#define JOBS_LOG2 10 /* and jobs, 2 to the power of this */

/* What a field is: of a span, or of a commit. */
typedef enum what {
  OTHER, /* not used */
  JOB,
  ATTEMPT,
  KIND,
  START,
  END,
  STEP,
  PROGRAM,
  FLOPS,
  BYTES,
  DTYPE,
  EXECUTIONS,
  SNAPSHOT,
  DURABLE
} what;

/* In the usual order of columns. */
enum { KIND_FIELD = 2, START_FIELD = 3, PROGRAM_FIELD = 6 };

/* The latest text of a column, and its id; none: id 0. Its first, second and last 8 bytes are
** stored as integers. */
typedef struct recent_name {
  mpg_str text; /* in the block */
  uint64_t head, mask, middle, tail;
  uint32_t id;
} recent_name;

/* A job, and the program of its last record. */
typedef struct job_texts {
  recent_name job, program;
} job_texts;

/* A text of the current record: the id of a known text, or the text. */
typedef struct name {
  mpg_str s;
  uint32_t id; /* 0: not known, or empty */
} name;

typedef struct record {
  name job, kind, program, dtype;
  mpg_span span;
  int64_t snapshot, durable;
} record;

typedef struct mpg_native_csv_fast {
  bool usable; /* the header is of records that may be plain */
  mpg_fleet *fleet;
  bool spans;    /* else commits */
  bool in_order; /* and their fields are those of mpg_relation_info, in its order */
  size_t nfields;
  uint8_t fields[FIELDS]; /* what */
  recent_name dtype, kinds[KINDS];
  job_texts *now; /* of the current record */
  uint32_t nused; /* places in `jobs`: */
  uint16_t used[1 << JOBS_LOG2];
  job_texts jobs[1 << JOBS_LOG2]; /* last: they are cleared one by one */
} plain;

static uint64_t load8(const char *p) {
  uint64_t v;
  memcpy(&v, p, sizeof v);
  return v;
}

/* The first `n` of 8 bytes, as they lie in memory. */
static uint64_t first_bytes(size_t n) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  return n >= 8 ? UINT64_MAX : (UINT64_C(1) << (8 * n)) - 1;
#else
  return n >= 8 ? UINT64_MAX : ~(UINT64_MAX >> (8 * n));
#endif
}

static void remember_name(recent_name *s, mpg_str text, uint32_t id) {
  s->text = text;
  s->mask = first_bytes(text.n);
  s->head = load8(text.p) & s->mask;
  s->middle = text.n > 16 ? load8(text.p + 8) : 0;
  s->tail = text.n > 8 ? load8(text.p + text.n - 8) : 0;
  s->id = id;
}

/* Whether the field at p is that text. Bytes up to MPG_WINDOW_SLACK after the block may be read. */
static inline bool stands_at(const recent_name *s, const char *p, const char *end) {
  size_t n = s->text.n;
  if (s->id == 0 || (load8(p) & s->mask) != s->head)
    return false;
  if (n > 8 && ((size_t)(end - p) < n || load8(p + n - 8) != s->tail ||
                (n > 16 && load8(p + 8) != s->middle) ||
                (n > 24 && memcmp(p + 16, s->text.p + 16, n - 24) != 0)))
    return false;
  return p[n] == ',' || p[n] == '\n' || p[n] == '\r';
}

/* Behind the text at p, NULL if it is quoted. Bytes up to CR end it: those that are no line end and
** no delimiter make the record one that is not plain. */
static inline const char *text_end(const char *p) {
  if (*p == '"')
    return NULL;
  while ((unsigned char)*p > '\r' && *p != ',')
    p++;
  return p;
}

static inline const char *read_text(const recent_name *s, const char *p, const char *end,
                                    name *out) {
  const char *after;
  if (stands_at(s, p, end)) {
    *out = (name){s->text, s->id};
    return p + s->text.n;
  }
  after = text_end(p);
  *out = (name){{p, after == NULL ? 0 : (size_t)(after - p)}, 0};
  return after;
}

/* Digits, or nothing; at most 18. */
static inline const char *read_int(const char *p, int64_t *out) {
  const char *first = p;
  int64_t v = 0;
  while ((unsigned char)(*p - '0') < 10)
    v = (int64_t)((uint64_t)v * 10 + (uint64_t)(*p++ - '0'));
  *out = p == first ? MPG_NONE : v;
  return p - first > 18 ? NULL : p;
}

static const char *read_amount(const char *p, double *out) {
  const char *after = text_end(p);
  if (after == NULL || !mpg_fleet_amount((mpg_str){p, (size_t)(after - p)}, out))
    return NULL;
  return after;
}

/* A time, or nothing. Most are of the length of "1767891265.323983". */
static inline const char *read_time(const char *p, int64_t absent, int64_t *out) {
  const char *after;
  if ((p[17] == ',' || p[17] == '\n' || p[17] == '\r') && mpg_clock_parse(p, out) &&
      *out < MPG_TIME_MAX)
    return p + 17;
  after = text_end(p);
  *out = absent;
  if (after == NULL || after == p)
    return after;
  return mpg_fleet_time((mpg_str){p, (size_t)(after - p)}, out) ? after : NULL;
}

static inline recent_name *kind_at(plain *pl, const char *p) {
  return &pl->kinds[((unsigned char)p[0] * 3u + (unsigned char)p[1]) % KINDS];
}

/* Where the text at p ends, if it ends with a comma within 32 bytes; else 0. */
static inline size_t length_at(const char *p) {
  const uint64_t ones = UINT64_C(0x0101010101010101), highs = ones << 7;
  for (size_t n = 0; n < 32; n += 8) {
    uint64_t other = le64toh(load8(p + n)) ^ ones * ',';
    uint64_t found = (other - ones) & ~other & highs;
    if (found != 0)
      return n + (size_t)__builtin_ctzll(found) / 8;
  }
  return 0;
}

/* The place of a job. Jobs share it whose first and last bytes mix to the same. */
static inline job_texts *job_at(plain *pl, const char *p) {
  size_t n = length_at(p);
  uint64_t mixed = n < 8 ? load8(p) & first_bytes(n) : load8(p) ^ load8(p + n - 8) * 31;
  return &pl->jobs[(mixed + n) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - JOBS_LOG2)];
}

/* Field by field, from field i on; false if one is not plain. *after: of the record's end. */
static bool read_fields(plain *pl, size_t i, const char *p, const char *end, record *rec,
                        const char **after) {
  mpg_span *s = &rec->span;
  for (; i < pl->nfields; i++) {
    bool last = i + 1 == pl->nfields;
    if (*p == ',' && !last) { /* nothing; the checks of the record handle that */
      p++;
      continue;
    }
    switch ((what)pl->fields[i]) {
    case JOB:
      if (!stands_at(&pl->now->job, p, end))
        pl->now = job_at(pl, p);
      p = read_text(&pl->now->job, p, end, &rec->job);
      break;
    case KIND:
      p = read_text(kind_at(pl, p), p, end, &rec->kind);
      break;
    case PROGRAM:
      p = read_text(&pl->now->program, p, end, &rec->program);
      break;
    case DTYPE:
      p = read_text(&pl->dtype, p, end, &rec->dtype);
      break;
    case ATTEMPT:
      p = read_int(p, &s->attempt);
      break;
    case STEP:
      p = read_int(p, &s->step);
      break;
    case START:
      p = read_time(p, MPG_NONE, &s->start);
      break;
    case END:
      p = read_time(p, MPG_OPEN, &s->end);
      break;
    case SNAPSHOT:
      p = read_time(p, MPG_NONE, &rec->snapshot);
      break;
    case DURABLE:
      p = read_time(p, MPG_NONE, &rec->durable);
      break;
    case FLOPS:
      p = read_amount(p, &s->flops);
      break;
    case BYTES:
      p = read_amount(p, &s->bytes);
      break;
    case EXECUTIONS:
      p = read_amount(p, &s->executions);
      break;
    case OTHER:
      p = text_end(p);
      break;
    }
    if (p == NULL || p >= end)
      return false;
    if (last && *p == '\r' && p + 1 < end && p[1] == '\n')
      p++;
    if (*p++ != (last ? '\n' : ','))
      return false;
  }
  *after = p;
  return true;
}

static inline bool is_clock(const char *p, int64_t *out) {
  return p[17] == ',' && mpg_clock_parse(p, out) && *out < MPG_TIME_MAX;
}

/* Spans in the common order of columns whose texts are all known. Others are for read_fields. */
static bool read_record(plain *pl, const char *first, const char *end, record *rec,
                        const char **after) {
  static const char nothing_more[] = {',', ',', ',', '\n'}; /* after bytes: dtype and executions */
  const char *p = first;
  mpg_span *s = &rec->span;
  const recent_name *kind, *job = &pl->now->job, *program;
  if (!pl->in_order)
    return read_fields(pl, 0, first, end, rec, after);
  if (!stands_at(job, p, end)) {
    pl->now = job_at(pl, p);
    job = &pl->now->job;
    if (!stands_at(job, p, end))
      return read_fields(pl, 0, first, end, rec, after);
  }
  program = &pl->now->program;
  rec->job = (name){job->text, job->id};
  p += job->text.n;
  if (*p++ != ',')
    return false;
  if (*p != ',')
    p = read_int(p, &s->attempt);
  if (p == NULL || *p++ != ',')
    return false;
  kind = kind_at(pl, p);
  if (!stands_at(kind, p, end))
    return read_fields(pl, KIND_FIELD, p, end, rec, after);
  rec->kind = (name){kind->text, kind->id};
  p += kind->text.n;
  if (*p++ != ',')
    return false;
  if (!is_clock(p, &s->start) || !is_clock(p + 18, &s->end))
    return read_fields(pl, START_FIELD, p, end, rec, after);
  p += 36;
  if (*p != ',')
    p = read_int(p, &s->step);
  if (p == NULL || *p++ != ',')
    return false;
  if (stands_at(program, p, end)) {
    rec->program = (name){program->text, program->id};
    p += program->text.n;
  } else if (*p != ',') {
    return read_fields(pl, PROGRAM_FIELD, p, end, rec, after);
  }
  if (p[0] == ',' && memcmp(p + 1, nothing_more, sizeof nothing_more) == 0 && p < end) {
    *after = p + 1 + sizeof nothing_more;
    return true;
  }
  return *p == ',' && read_fields(pl, PROGRAM_FIELD + 1, p + 1, end, rec, after);
}

/* ---- into the fleet ---- */

/* The checks of mpg_fleet_add_span and mpg_fleet_add_commit. */
static bool is_fast(const plain *pl, const record *rec) {
  if (rec->job.s.n - 1 >= 35) /* longer may be a UUID */
    return false;
  return !pl->spans ||
         (rec->kind.s.n > 0 && rec->span.start != MPG_NONE && rec->span.end >= rec->span.start);
}

static mpg_rc name_job(plain *pl, name *job) {
  uint32_t index;
  mpg_err err;
  if (job->id == 0) {
    mpg_rc rc = mpg_fleet_job(pl->fleet, job->s, &index, &err);
    if (rc != MPG_OK)
      return rc;
    job->id = index + 1;
    if (pl->now->job.id == 0)
      pl->used[pl->nused++] = (uint16_t)(pl->now - pl->jobs);
    remember_name(&pl->now->job, job->s, job->id);
    pl->now->program.id = 0;
  }
  return MPG_OK;
}

static mpg_rc name_program(plain *pl, name *program) {
  mpg_err err;
  if (program->id == 0 && program->s.n > 0) {
    mpg_rc rc = mpg_fleet_program(pl->fleet, program->s, &program->id, &err);
    if (rc != MPG_OK)
      return rc;
    remember_name(&pl->now->program, program->s, program->id);
  }
  return MPG_OK;
}

static mpg_rc name_text(mpg_intern *intern, recent_name *s, name *t) {
  if (t->id == 0 && t->s.n > 0) {
    mpg_rc rc = mpg_intern_id(intern, t->s, &t->id);
    if (rc != MPG_OK)
      return rc;
    remember_name(s, t->s, t->id);
  }
  return MPG_OK;
}

static mpg_rc add_record(plain *pl, record *rec, int64_t line) {
  mpg_fleet *f = pl->fleet;
  mpg_rc rc;
  if (!pl->spans) {
    mpg_commit c = {0, rec->span.step, rec->snapshot, rec->durable};
    rc = name_job(pl, &rec->job);
    c.job = rec->job.id - 1;
    return rc == MPG_OK ? mpg_fleet_put_commit(f, &c) : rc;
  }
  if ((rc = name_text(&f->texts, &pl->dtype, &rec->dtype)) != MPG_OK ||
      (rc = name_text(&f->kind_names, kind_at(pl, rec->kind.s.p), &rec->kind)) != MPG_OK ||
      (rc = name_program(pl, &rec->program)) != MPG_OK || (rc = name_job(pl, &rec->job)) != MPG_OK)
    return rc;
  rec->span.dtype = rec->dtype.id;
  rec->span.kind = rec->kind.id;
  rec->span.program = rec->program.id;
  return mpg_fleet_put_span(f, rec->job.id - 1, &rec->span, line);
}

mpg_native_csv_fast *mpg_native_csv_fast_new(const mpg_env *env) {
  return mpg_calloc(env, sizeof(plain));
}

void mpg_native_csv_fast_free(plain *pl, const mpg_env *env) {
  mpg_free(env, pl);
}

void mpg_native_csv_fast_begin(plain *pl, mpg_fleet *part, const mpg_native_header *h) {
  static const uint8_t spans[] = {JOB,     ATTEMPT, KIND,  START, END,       STEP,
                                  PROGRAM, FLOPS,   BYTES, DTYPE, EXECUTIONS};
  static const uint8_t commits[] = {JOB, OTHER, STEP, SNAPSHOT, DURABLE};
  for (uint32_t i = 0; i < pl->nused; i++)
    pl->jobs[pl->used[i]].job.id = pl->jobs[pl->used[i]].program.id = 0;
  memset(pl, 0, offsetof(plain, used));
  pl->usable = (h->relation == MPG_REL_SPANS || h->relation == MPG_REL_COMMITS) &&
               h->nfields >= 2 && h->nfields <= FIELDS;
  if (!pl->usable)
    return;
  pl->fleet = part;
  pl->now = pl->jobs;
  pl->spans = h->relation == MPG_REL_SPANS;
  pl->nfields = h->nfields;
  pl->in_order = pl->spans && h->in_order && h->nfields == sizeof spans;
  for (size_t c = 0; c < (pl->spans ? sizeof spans : sizeof commits); c++)
    if (h->field_of[c] >= 0)
      pl->fields[h->field_of[c]] = pl->spans ? spans[c] : commits[c];
}

static inline void clear_name(name *n) {
  n->s.p = "";
  n->s.n = 0;
  n->id = 0;
}

/* A record of which nothing has been read: each field by itself, since to clear or to copy it as a
** whole takes as long as to read many a record (rep stos begins slowly; wide loads wait for
** narrow stores). */
static inline void clear_record(record *rec) {
  clear_name(&rec->job);
  clear_name(&rec->kind);
  clear_name(&rec->program);
  clear_name(&rec->dtype);
  rec->span.start = rec->span.attempt = rec->span.step = MPG_NONE;
  rec->span.end = MPG_OPEN;
  rec->span.flops = rec->span.bytes = rec->span.executions = (double)NAN;
  rec->span.line = 0;
  rec->span.file = 0;
  rec->snapshot = rec->durable = MPG_NONE;
}

mpg_rc mpg_native_csv_fast_read(plain *pl, mpg_native_reading *r, mpg_block *block) {
  const char *p = block->bytes + block->at, *end = block->bytes + block->n;
  mpg_rc rc = MPG_OK;
  while (rc == MPG_OK && pl->usable && p < end) {
    record rec;
    clear_record(&rec);
    if (!read_record(pl, p, end, &rec, &p) || !is_fast(pl, &rec))
      break;
    rc = add_record(pl, &rec, block->line);
    rc = rc == MPG_OK ? mpg_native_poll(r) : mpg_fail_plain(r->err, rc);
    block->at = (size_t)(p - block->bytes);
    block->line++;
  }
  return rc;
}
