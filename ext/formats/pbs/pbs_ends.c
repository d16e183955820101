/* pbs_ends.c - see pbs_ends.h. */
#define _GNU_SOURCE /* memmem */
#include "pbs_ends.h"
#include "../../base/ascii.h"
#include "../../base/intern.h"
#include "pbs_value.h"

#include <string.h>

#define LEAST_CHAINS ((size_t)256)
#define MOST_BYTES ((size_t)32 << 20) /* that wait, of all jobs together */
#define MOST_OF_A_LINE ((size_t)1 << 20)
#define HOUR 3600
#define QUARTER 900 /* seconds: zones are whole quarters of an hour apart */

/* A value of a record that waits, as written: where it lies in the line. */
typedef struct told {
  uint32_t at, n;
  uint32_t field;
} told;

/* A record that waits. */
typedef struct waiting {
  struct waiting *next;  /* of the job, or of those that are to be handed out */
  mpg_pbs_record record; /* its line lies behind what it tells */
  char type;
  uint64_t fields; /* a bit for each value that it tells */
  size_t n_told;
  told told[];
} waiting;

/* What waits of a job: Q, S, or Q and S. Its id lies in the line of the first. */
typedef struct job {
  struct job *chained;       /* of the same chain */
  struct job *older, *newer; /* of all that have something */
  waiting *first, *last;
  mpg_str id;
  uint64_t hash;
} job;

struct mpg_pbs_ends {
  const mpg_env *env;
  mpg_pbs *reader;
  mpg_poller poller;
  job **chains;
  size_t n_chains, n_jobs;
  job *oldest, *newest;
  size_t bytes;           /* of what waits */
  waiting *out, *out_end; /* to be handed out */
  waiting *shown;         /* the current record, if it waited */
  bool has_after;
  mpg_pbs_record after; /* what comes after `out`: its line is the reader's own */
  char after_type;
  bool at_end;
  char types[4];
  size_t n_types;
};

#define BIT(field) (UINT64_C(1) << MPG_PBS_##field)
/* What a job asked for, and where it ran. Of lists that are read if others are absent either both
** records have one, or neither. */
#define ASKED                                                                                      \
  (BIT(list_ncpus) | BIT(list_ngpus) | BIT(list_nodect) | BIT(list_nodes) | BIT(list_select) |     \
   BIT(list_gpu_type))
#define PLACED                                                                                     \
  (BIT(exec_host) | BIT(exec_vnode) | BIT(exec_gpus) | BIT(given_ncpus) | BIT(given_ngpus))
/* Fields that a mapping looks at. Of others the values may differ. */
#define LOOKED_AT                                                                                  \
  (ASKED | PLACED | BIT(user) | BIT(group) | BIT(account) | BIT(project) | BIT(jobname) |          \
   BIT(queue) | BIT(array_indices) | BIT(ctime) | BIT(qtime) | BIT(start) | BIT(list_walltime))
_Static_assert(MPG_PBS_COUNT_OF_FIELDS <= 64, "a bit a field");

mpg_rc mpg_pbs_ends_open(mpg_pbs_ends **out, const mpg_env *env, mpg_pbs *reader, mpg_err *err) {
  mpg_pbs_ends *e = mpg_calloc(env, sizeof *e);
  if (e == NULL)
    return mpg_fail_nomem(err);
  e->env = e->poller.env = env;
  e->reader = reader;
  *out = e;
  return MPG_OK;
}

static void free_all(const mpg_env *env, waiting *w) {
  while (w != NULL) {
    waiting *next = w->next;
    mpg_free(env, w);
    w = next;
  }
}

void mpg_pbs_ends_close(mpg_pbs_ends *e) {
  if (e == NULL)
    return;
  while (e->oldest != NULL) {
    job *newer = e->oldest->newer;
    free_all(e->env, e->oldest->first);
    mpg_free(e->env, e->oldest);
    e->oldest = newer;
  }
  free_all(e->env, e->out);
  mpg_free(e->env, e->shown);
  mpg_free(e->env, e->chains);
  mpg_free(e->env, e);
}

/* ---- Jobs of which something waits ---- */

static job **chain_of(const mpg_pbs_ends *e, uint64_t hash) {
  return &e->chains[hash & (e->n_chains - 1)];
}

static job *find_job(const mpg_pbs_ends *e, mpg_str id, uint64_t hash) {
  job *j = e->n_chains == 0 ? NULL : *chain_of(e, hash);
  while (j != NULL && !(j->hash == hash && mpg_str_eq(j->id, id)))
    j = j->chained;
  return j;
}

static mpg_rc widen_chains(mpg_pbs_ends *e) {
  const size_t n = e->n_chains == 0 ? LEAST_CHAINS : 2 * e->n_chains;
  mpg_rc rc;
  job **chains = mpg_zeroed(e->env, n * sizeof(job *), &rc);
  if (chains == NULL)
    return rc;
  mpg_free(e->env, e->chains);
  e->chains = chains;
  e->n_chains = n;
  for (job *j = e->oldest; j != NULL; j = j->newer) {
    job **chain = chain_of(e, j->hash);
    j->chained = *chain;
    *chain = j;
  }
  return MPG_OK;
}

static mpg_rc add_job(mpg_pbs_ends *e, uint64_t hash, job **out) {
  job *j, **chain;
  if (e->n_jobs >= e->n_chains) {
    mpg_rc rc = widen_chains(e);
    if (rc != MPG_OK)
      return rc;
  }
  j = mpg_calloc(e->env, sizeof *j);
  if (j == NULL)
    return MPG_NOMEM;
  j->hash = hash;
  chain = chain_of(e, hash);
  j->chained = *chain;
  *chain = j;
  j->older = e->newest;
  *(e->newest != NULL ? &e->newest->newer : &e->oldest) = j;
  e->newest = j;
  e->n_jobs++;
  *out = j;
  return MPG_OK;
}

/* What waited of the job is the caller's. */
static waiting *take_job(mpg_pbs_ends *e, job *j) {
  waiting *first = j->first;
  job **at = chain_of(e, j->hash);
  while (*at != j)
    at = &(*at)->chained;
  *at = j->chained;
  *(j->older != NULL ? &j->older->newer : &e->oldest) = j->newer;
  *(j->newer != NULL ? &j->newer->older : &e->newest) = j->older;
  for (const waiting *w = first; w != NULL; w = w->next)
    e->bytes -= w->record.line.n;
  e->n_jobs--;
  mpg_free(e->env, j);
  return first;
}

static void hand_out(mpg_pbs_ends *e, job *j) {
  waiting *w = take_job(e, j);
  *(e->out_end != NULL ? &e->out_end->next : &e->out) = w;
  while (w->next != NULL)
    w = w->next;
  e->out_end = w;
}

static void hand_out_all(mpg_pbs_ends *e) {
  while (e->oldest != NULL)
    hand_out(e, e->oldest);
}

/* ---- What may wait ---- */

static bool has_value(const mpg_pbs *r, size_t field) {
  return mpg_pbs_get(r, field)->type != MPG_NULL;
}

static mpg_str text_of(const mpg_pbs *r, size_t field) {
  const mpg_value *v = mpg_pbs_get(r, field);
  return v->type == MPG_TEXT ? v->s : (mpg_str){NULL, 0};
}

/* Whether a resource may be of accelerators, by words in lower case. */
static bool is_of_chips(mpg_str resource) {
  static const char *const words[] = {"gpu",    "npu",   "tpu",   "hpu",  "xpu", "ipu",
                                      "mlu",    "dcu",   "gcu",   "mig",  "mic", "gres",
                                      "neuron", "gaudi", "scend", "accel"};
  char lower[256];
  if (resource.n >= sizeof lower)
    return true;
  for (size_t i = 0; i < resource.n; i++)
    lower[i] = (char)(mpg_is_upper(resource.p[i]) ? resource.p[i] | 0x20 : resource.p[i]);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (memmem(lower, resource.n, words[i], strlen(words[i])) != NULL)
      return true;
  return false;
}

static bool contains(mpg_str text, const char *part) {
  return text.n > 0 && memmem(text.p, text.n, part, strlen(part)) != NULL;
}

/* Whether a mapping may list the record by its line. It does so if a job asks for chips of a kind
** that does not count, or of which each part counts as one. */
static bool may_be_listed(const mpg_pbs *r) {
  const mpg_value *gpus = mpg_pbs_get(r, MPG_PBS_list_ngpus);
  const mpg_str select = text_of(r, MPG_PBS_list_select), nodes = text_of(r, MPG_PBS_list_nodes);
  size_t n;
  const mpg_pbs_pair *others = mpg_pbs_others(r, &n);
  for (size_t i = 0; i < n; i++)
    if (is_of_chips(others[i].key))
      return true;
  if (contains(select, "g.") || contains(nodes, "g.") || contains(nodes, "hared") ||
      contains(text_of(r, MPG_PBS_list_gpu_type), "g.") ||
      contains(text_of(r, MPG_PBS_exec_vnode), "g."))
    return true;
  return !(gpus->type == MPG_REAL && gpus->r > 0) && (is_of_chips(select) || is_of_chips(nodes));
}

/* Whether the record is a usual Q or S of a job. */
static bool may_wait(const mpg_pbs *r, char type) {
  mpg_pbs_id id;
  if ((type != 'Q' && type != 'S') || mpg_pbs_current(r).line.n > MOST_OF_A_LINE ||
      has_value(r, MPG_PBS_start) != (type == 'S') ||
      !(has_value(r, MPG_PBS_ctime) || has_value(r, MPG_PBS_qtime)) || has_value(r, MPG_PBS_end) ||
      has_value(r, MPG_PBS_Exit_status) || has_value(r, MPG_PBS_used_walltime) || may_be_listed(r))
    return false;
  return mpg_pbs_id_parse(mpg_pbs_id_text(r), &id) && (!id.in_array || id.index.n > 0);
}

/* The fields of the current record that a mapping looks at. */
static uint64_t fields_of(const mpg_pbs *r) {
  uint64_t fields = 0;
  for (size_t i = 0; i < MPG_PBS_COUNT_OF_FIELDS; i++)
    fields |= (uint64_t)has_value(r, i) << i;
  return fields & LOOKED_AT;
}

/* A copy of the current record; NULL: no memory. */
static waiting *copy_record(const mpg_pbs_ends *e, char type) {
  const mpg_pbs_record record = mpg_pbs_current(e->reader);
  const uint64_t fields = fields_of(e->reader);
  const size_t n = (size_t)__builtin_popcountll(fields);
  waiting *w = mpg_malloc(e->env, sizeof *w + n * sizeof *w->told + record.line.n + MPG_PBS_SLACK);
  char *line;
  if (w == NULL)
    return NULL;
  *w = (waiting){NULL, record, type, fields, 0};
  line = (char *)(w->told + n);
  memcpy(line, record.line.p, record.line.n);
  memset(line + record.line.n, 0, MPG_PBS_SLACK);
  w->record.line.p = line;
  for (uint64_t rest = fields; rest != 0; rest &= rest - 1) {
    const uint32_t field = (uint32_t)__builtin_ctzll(rest);
    const mpg_str s = mpg_pbs_written(e->reader, field);
    w->told[w->n_told++] = (told){(uint32_t)(s.p - record.line.p), (uint32_t)s.n, field};
  }
  return w;
}

/* Keeps the current record until the next of its job. */
static mpg_rc put_aside(mpg_pbs_ends *e, char type, uint64_t hash) {
  const mpg_pbs_record record = mpg_pbs_current(e->reader);
  const mpg_str id = mpg_pbs_id_text(e->reader);
  job *j = find_job(e, id, hash);
  waiting *w = copy_record(e, type);
  mpg_rc rc = MPG_OK;
  if (w == NULL)
    return MPG_NOMEM;
  if (j != NULL && !(type == 'S' && j->first == j->last && j->first->type == 'Q')) {
    hand_out(e, j);
    j = NULL;
  }
  if (j == NULL)
    rc = add_job(e, hash, &j);
  if (rc != MPG_OK) {
    mpg_free(e->env, w);
    return rc;
  }
  if (j->first == NULL)
    j->id = (mpg_str){w->record.line.p + (id.p - record.line.p), id.n};
  *(j->last != NULL ? &j->last->next : &j->first) = w;
  j->last = w;
  e->bytes += record.line.n;
  if (e->bytes > MOST_BYTES)
    hand_out_all(e);
  return MPG_OK;
}

/* ---- What an end says again ---- */

static int64_t hours(int64_t seconds) {
  return seconds >= 0 ? seconds / HOUR : -1 - (-1 - seconds) / HOUR;
}

/* Whether the record was written in the hour of its moment. `away`: of the server's zone. */
static bool written_then(const waiting *w, const mpg_value *moment, int64_t away) {
  return moment->type == MPG_INT && hours(w->record.time - away) == hours(moment->i);
}

static bool says_again(const mpg_pbs *end, uint64_t fields, const waiting *w, int64_t away) {
  const uint64_t lists = w->type == 'S' ? ASKED | PLACED : (w->fields & ASKED) != 0 ? ASKED : 0;
  if ((w->fields & ~fields) != 0 || ((w->fields ^ fields) & lists) != 0)
    return false;
  for (size_t i = 0; i < w->n_told; i++) {
    const told *t = &w->told[i];
    if (!mpg_str_eq((mpg_str){w->record.line.p + t->at, t->n}, mpg_pbs_written(end, t->field)))
      return false;
  }
  return written_then(w, mpg_pbs_get(end, w->type == 'S' ? MPG_PBS_start : MPG_PBS_qtime), away);
}

/* The type of GPU in what a job asked for. */
static mpg_str requested_gpu_type(const mpg_pbs *end, mpg_poller *poller) {
  mpg_pbs_sum sum = {-1, -1, {NULL, 0}};
  if (mpg_pbs_select_parse(text_of(end, MPG_PBS_list_select), poller, &sum) && sum.gpu_type.n > 0)
    return sum.gpu_type;
  if (mpg_pbs_nodes_parse(text_of(end, MPG_PBS_list_nodes), poller, &sum) && sum.gpu_type.n > 0)
    return sum.gpu_type;
  return text_of(end, MPG_PBS_list_gpu_type);
}

/* Whether a mapping counts the same chips by an end as by the records before it, whose lists are
** equal. An end may differ twice: its vnodes may name a type of GPU that was not requested, and it
** alone says what was used, which counts if lists and amounts are absent. */
static bool comes_to_the_same(const mpg_pbs *end, mpg_poller *poller) {
  mpg_pbs_sum sum = {-1, -1, {NULL, 0}};
  mpg_str type;
  (void)mpg_pbs_vnodes_parse(text_of(end, MPG_PBS_exec_vnode), poller, &sum);
  if ((has_value(end, MPG_PBS_used_ngpus) && !has_value(end, MPG_PBS_given_ngpus) &&
       sum.gpus < 0) ||
      (has_value(end, MPG_PBS_used_ncpus) && !has_value(end, MPG_PBS_given_ncpus) && sum.cpus < 0))
    return false;
  if (sum.gpu_type.n == 0)
    return true;
  type = requested_gpu_type(end, poller);
  return type.n == 0 || mpg_str_eq(type, sum.gpu_type);
}

/* How far the record's local time is from the moment of its end, in whole quarters of an hour. */
static int64_t zone_of_end(const mpg_pbs *end) {
  const int64_t off = mpg_pbs_time(end) - mpg_pbs_get(end, MPG_PBS_end)->i;
  const int64_t quarters = (off >= 0 ? off + QUARTER / 2 : off - QUARTER / 2) / QUARTER;
  return quarters * QUARTER;
}

/* Whether the current record is an end that says all again that waits of its job. */
static bool is_whole_end(mpg_pbs_ends *e, const job *j) {
  const mpg_pbs *end = e->reader;
  const uint64_t fields = fields_of(end);
  if (!has_value(end, MPG_PBS_start) || !has_value(end, MPG_PBS_end) ||
      !has_value(end, MPG_PBS_Exit_status))
    return false;
  for (const waiting *w = j->first; w != NULL; w = w->next)
    if (!says_again(end, fields, w, zone_of_end(end)))
      return false;
  return comes_to_the_same(end, &e->poller);
}

/* ---- Records ---- */

static mpg_rc show_record(mpg_pbs_ends *e, const mpg_pbs_record *record, char type, mpg_err *err) {
  e->types[0] = type;
  e->n_types = 1;
  return mpg_pbs_again(e->reader, record, err);
}

/* The record that the reader has comes after what waits of its job, if anything does; *again: it is
** to be handed out later. */
static mpg_rc place_record(mpg_pbs_ends *e, bool *again, mpg_err *err) {
  const char type = mpg_pbs_record_type(e->reader);
  const mpg_str id = mpg_pbs_id_text(e->reader);
  const uint64_t hash = mpg_hash(e->env->seed, id.p, id.n);
  mpg_rc rc;
  job *j;
  *again = may_wait(e->reader, type);
  if (*again) {
    rc = put_aside(e, type, hash);
    return rc == MPG_OK ? MPG_OK : mpg_fail_plain(err, rc);
  }
  e->n_types = 0;
  j = find_job(e, id, hash);
  if (j != NULL && type == 'E' && is_whole_end(e, j)) {
    waiting *all = take_job(e, j);
    for (const waiting *w = all; w != NULL; w = w->next)
      e->types[e->n_types++] = w->type;
    free_all(e->env, all);
  } else if (j != NULL) {
    hand_out(e, j);
    e->after = mpg_pbs_current(e->reader);
    e->after_type = type;
    e->has_after = *again = true;
  }
  e->types[e->n_types++] = type;
  return e->poller.stopped ? mpg_fail(err, MPG_INTERRUPTED, "interrupted") : MPG_OK;
}

mpg_rc mpg_pbs_ends_next(mpg_pbs_ends *e, mpg_err *err) {
  bool again = true;
  mpg_free(e->env, e->shown);
  e->shown = NULL;
  while (again) {
    mpg_rc rc;
    if (e->out != NULL) {
      e->shown = e->out;
      e->out = e->shown->next;
      e->out_end = e->out != NULL ? e->out_end : NULL;
      return show_record(e, &e->shown->record, e->shown->type, err);
    }
    if (e->has_after) {
      e->has_after = false;
      return show_record(e, &e->after, e->after_type, err);
    }
    rc = e->at_end ? MPG_DONE : mpg_pbs_next(e->reader, err);
    if (rc == MPG_DONE) {
      again = !e->at_end;
      e->at_end = true;
      hand_out_all(e);
    } else if (rc == MPG_OK) {
      rc = place_record(e, &again, err);
    }
    if (rc != MPG_OK && (rc != MPG_DONE || !again))
      return rc;
  }
  return MPG_OK;
}

mpg_str mpg_pbs_ends_types(const mpg_pbs_ends *e) {
  return (mpg_str){e->types, e->n_types};
}
