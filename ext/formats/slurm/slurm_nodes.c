/* slurm_nodes.c - see slurm_nodes.h. */
#define _GNU_SOURCE /* memmem */
#include "slurm_nodes.h"
#include "../../read/parse/json_walker.h"
#include "../../read/input/lines.h"
#include "slurm_object.h"
#include "slurm_value.h"
#include "../../base/number.h"
#include "../../base/text.h"
#include "../../base/time.h"

#include <string.h>

#define BYTES_BETWEEN_POLLS ((size_t)1 << 18)
#define NODE_BYTES ((size_t)1 << 20) /* of one node in text */

typedef struct field {
  const char *name;
  mpg_slurm_show_node_type type;
} field;

typedef struct member {
  const char *member;
  size_t field;
} member;

#define NAMED(name, type) {#name, MPG_SLURM_SHOW_NODE_##type},
static const field node_fields[] = {MPG_SLURM_SHOW_NODE_FIELDS(NAMED)};
static const field reservation_fields[] = {MPG_SLURM_SHOW_RESERVATION_FIELDS(NAMED)};
#undef NAMED

/* A reservation in JSON. */
#define RESERVED(member, column)                                                                   \
  { member, MPG_SLURM_SHOW_RESERVATION_##column }
static const member reservation_members[] = {
    RESERVED("name", ReservationName), RESERVED("start_time", StartTime),
    RESERVED("end_time", EndTime),     RESERVED("node_list", Nodes),
    RESERVED("node_count", NodeCnt),   RESERVED("core_count", CoreCnt),
    RESERVED("features", Features),    RESERVED("partition", PartitionName),
    RESERVED("flags", Flags),          RESERVED("tres", TRES),
    RESERVED("users", Users),          RESERVED("groups", Groups),
    RESERVED("accounts", Accounts),    RESERVED("licenses", Licenses),
    RESERVED("comment", Comment),      RESERVED("cluster", Cluster),
};
#undef RESERVED

/* A node in JSON. */
#define NODE(member, column)                                                                       \
  { member, MPG_SLURM_SHOW_NODE_##column }
static const member node_members[] = {
    NODE("name", NodeName),
    NODE("reason", Reason),
    NODE("reason_changed_at", ReasonTime),
    NODE("reason_set_by_user", ReasonUser),
    NODE("gres", Gres),
    NODE("gres_used", GresUsed),
    NODE("tres", CfgTRES),
    NODE("tres_used", AllocTRES),
    NODE("partitions", Partitions),
    NODE("cpus", CPUTot),
    NODE("alloc_cpus", CPUAlloc),
    NODE("real_memory", RealMemory),
    NODE("alloc_memory", AllocMem),
    NODE("active_features", ActiveFeatures),
    NODE("boot_time", BootTime),
    NODE("slurmd_start_time", SlurmdStartTime),
    NODE("last_busy", LastBusyTime),
    NODE("slurmd_version", Version), /* of 22.05 */
    NODE("version", Version),
    NODE("operating_system", OS),
    NODE("architecture", Arch),
    NODE("owner", Owner),
    NODE("comment", Comment),
    NODE("extra", Extra),
    NODE("cluster_name", ClusterName),
};
#undef NODE

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* What scontrol shows. The first field is the name. */
typedef struct shown {
  const char *what;     /* "node", of which `list` is the member in JSON */
  mpg_str list, begins; /* "NodeName=" */
  mpg_str once;         /* a field that each has, which is in no other text */
  const char *example;
  const field *fields;
  const member *members;
  size_t nfields, nmembers;
} shown;

static const shown shows_nodes = {.what = "node",
                                  .list = {"nodes", 5},
                                  .begins = {"NodeName=", 9},
                                  .once = {"CPUTot", 6},
                                  .example = "NodeName=n1 Arch=x86_64 ...",
                                  .fields = node_fields,
                                  .members = node_members,
                                  .nfields = COUNT(node_fields),
                                  .nmembers = COUNT(node_members)};
static const shown shows_reservations = {.what = "reservation",
                                         .list = {"reservations", 12},
                                         .begins = {"ReservationName=", 16},
                                         .once = {"StartTime", 9},
                                         .example = "ReservationName=r1 StartTime=...",
                                         .fields = reservation_fields,
                                         .members = reservation_members,
                                         .nfields = COUNT(reservation_fields),
                                         .nmembers = COUNT(reservation_members)};

struct mpg_slurm_show_node {
  const mpg_env *env;
  const shown *shows;
  mpg_poller poller; /* within a node */
  const char *path;
  const mpg_zone *zone;
  mpg_issues *issues;
  mpg_lines *lines; /* of text, */
  mpg_pull *pull;   /* or of JSON */
  mpg_slurm_docs docs;
  bool in_document, in_nodes, any_nodes;
  size_t documents; /* of JSON: begun so far */
  bool has_ahead;   /* of text: a line that begins the next node */
  mpg_json_text node, ahead;
  int64_t line, ahead_line;
  mpg_err damage; /* in text: the error after this node, for the next call; MPG_OK: none */
  int64_t damage_line;
  mpg_json_text text;    /* of the fields of JSON */
  mpg_json_text gpus[2]; /* TRES: of the node, and those of them that jobs hold */
  mpg_value values[MPG_SLURM_SHOW_NODE_COUNT_OF_FIELDS];
};

mpg_rc mpg_slurm_show_node_open(mpg_slurm_show_node **out, const mpg_env *env, mpg_stream *stream,
                                unsigned how, const mpg_zone *zone, mpg_issues *issues,
                                mpg_err *err) {
  mpg_slurm_show_node *s = mpg_calloc(env, sizeof *s);
  mpg_rc rc;
  if (s == NULL)
    return mpg_fail_nomem(err);
  s->env = s->poller.env = s->node.env = s->ahead.env = s->text.env = s->gpus[0].env =
      s->gpus[1].env = env;
  s->shows = how & MPG_SLURM_SHOW_RESERVATIONS ? &shows_reservations : &shows_nodes;
  s->path = mpg_stream_path(stream);
  s->zone = zone;
  s->issues = issues;
  s->docs = (mpg_slurm_docs){.env = env, .name = s->path};
  rc = how & MPG_SLURM_SHOW_JSON ? mpg_pull_open(&s->pull, env, stream, 0, err)
                                 : mpg_lines_open(&s->lines, env, stream, err);
  if (rc == MPG_OK)
    *out = s;
  else
    mpg_slurm_show_node_close(s);
  return rc;
}

void mpg_slurm_show_node_close(mpg_slurm_show_node *s) {
  if (s == NULL)
    return;
  mpg_lines_close(s->lines);
  mpg_pull_close(s->pull);
  mpg_slurm_docs_free(&s->docs);
  mpg_json_text_free(&s->node);
  mpg_json_text_free(&s->ahead);
  mpg_json_text_free(&s->text);
  mpg_json_text_free(&s->gpus[0]);
  mpg_json_text_free(&s->gpus[1]);
  mpg_free(s->env, s);
}

int64_t mpg_slurm_show_node_line(const mpg_slurm_show_node *s) {
  return s->line;
}

const mpg_value *mpg_slurm_show_node_get(const mpg_slurm_show_node *s, size_t i) {
  return &s->values[i];
}

mpg_str mpg_slurm_show_node_gpus(const mpg_slurm_show_node *s, bool allocated) {
  return (mpg_str){s->gpus[allocated].n == 0 ? "" : s->gpus[allocated].p, s->gpus[allocated].n};
}

/* ---- Values ---- */

static mpg_rc add_issue(mpg_slurm_show_node *s, mpg_severity severity, const char *kind,
                        const char *detail, mpg_err *err) {
  if (s->issues != NULL &&
      mpg_issues_add(s->issues, severity, s->path, kind, s->line, 1, "%s", detail) != MPG_OK)
    return mpg_fail_nomem(err);
  return MPG_OK;
}

/* Of TRES; of words that it lacks, of gres. */
static mpg_rc put_gpus(mpg_slurm_show_node *s, bool allocated, size_t tres, size_t gres,
                       mpg_err *err) {
  mpg_json_text *out = &s->gpus[allocated];
  mpg_slurm_gres gpus = {0};
  mpg_str of[2] = {{"", 0}, {"", 0}};
  if (s->values[tres].type == MPG_TEXT)
    of[0] = s->values[tres].s;
  if (s->values[gres].type == MPG_TEXT)
    of[1] = s->values[gres].s;
  if (mpg_poller_stop(&s->poller, of[0].n))
    return MPG_OK;
  if (mpg_slurm_lists_chips(of[0])) {
    gpus.listed = of[0];
    if (mpg_json_put(out, of[0]) != MPG_OK)
      return mpg_fail_nomem(err);
  }
  mpg_slurm_gres_add(&gpus, of[1], 1, &s->poller);
  return mpg_slurm_put_gres(&gpus, 0, out) == MPG_OK ? MPG_OK : mpg_fail_nomem(err);
}

static mpg_rc put_all_gpus(mpg_slurm_show_node *s, mpg_err *err) {
  if (s->shows == &shows_reservations)
    return MPG_OK;
  mpg_rc rc = put_gpus(s, false, MPG_SLURM_SHOW_NODE_CfgTRES, MPG_SLURM_SHOW_NODE_Gres, err);
  return rc == MPG_OK
             ? put_gpus(s, true, MPG_SLURM_SHOW_NODE_AllocTRES, MPG_SLURM_SHOW_NODE_GresUsed, err)
             : rc;
}

/* ---- Text ---- */

static mpg_rc malformed(const mpg_slurm_show_node *s, const char *name, const char *expected,
                        mpg_str found, mpg_err *err) {
  char text[MPG_EXCERPT];
  mpg_text_excerpt(found, text);
  return mpg_fail(err, MPG_DATA, "%s:%lld:1: expected %s for %s, found \"%s\"", s->path,
                  (long long)s->line, expected, name, text);
}

static mpg_rc set_time(mpg_slurm_show_node *s, size_t i, mpg_str text, mpg_err *err) {
  mpg_zone_fit fit = MPG_ZONE_UNIQUE;
  int64_t us;
  mpg_err why;
  if (mpg_str_eq(text, MPG_STR("None")) || mpg_str_eq(text, MPG_STR("Unknown")) ||
      mpg_str_eq(text, MPG_STR("0")))
    return MPG_OK;
  if (mpg_time_parse(text, &us, &why) != MPG_OK)
    return malformed(s, s->shows->fields[i].name, "a time such as 2026-11-21T05:12:40", text, err);
  s->values[i].type = MPG_INT;
  s->values[i].i = us / MPG_SECOND;
  /* SLURM_TIME_FORMAT may have Unix seconds written, or a zone. */
  if (s->zone != NULL && mpg_zone_is_local(text))
    fit = mpg_zone_utc(s->zone, s->values[i].i, &s->values[i].i);
  if (fit == MPG_ZONE_REPEATED)
    return add_issue(s, MPG_INFO, "repeated_time",
                     "the clock showed this time twice: the first is taken", err);
  if (fit == MPG_ZONE_SKIPPED)
    return add_issue(s, MPG_WARNING, "skipped_time",
                     "the clock never showed this time: moved forward; is it the right zone?", err);
  return MPG_OK;
}

static mpg_rc set_field(mpg_slurm_show_node *s, size_t i, mpg_str text, mpg_err *err) {
  while (text.n > 0 && text.p[text.n - 1] == ' ')
    text.n--;
  if (text.n == 0 || mpg_str_eq(text, MPG_STR("(null)")) || mpg_str_eq(text, MPG_STR("N/A")))
    return MPG_OK;
  if (s->shows->fields[i].type == MPG_SLURM_SHOW_NODE_TIME)
    return set_time(s, i, text, err);
  if (s->shows->fields[i].type == MPG_SLURM_SHOW_NODE_COUNT) {
    if (!mpg_int_parse(text, &s->values[i].i))
      return malformed(s, s->shows->fields[i].name, "a whole number", text, err);
    s->values[i].type = MPG_INT;
    return MPG_OK;
  }
  s->values[i].type = MPG_TEXT;
  s->values[i].s = text;
  return MPG_OK;
}

/* "xid 79 [root@2026-11-21T05:53:54]": why, who and when. */
static mpg_rc set_reason(mpg_slurm_show_node *s, mpg_str text, mpg_err *err) {
  size_t open, user_end, close;
  mpg_rc rc;
  while (text.n > 0 && text.p[text.n - 1] == ' ')
    text.n--;
  if (!mpg_slurm_stamp_find(text, &open, &user_end, &close))
    return set_field(s, MPG_SLURM_SHOW_NODE_Reason, text, err);
  rc = set_field(s, MPG_SLURM_SHOW_NODE_ReasonUser,
                 (mpg_str){text.p + open + 1, user_end - open - 1}, err);
  if (rc == MPG_OK)
    rc = set_field(s, MPG_SLURM_SHOW_NODE_ReasonTime,
                   (mpg_str){text.p + user_end + 1, close - user_end - 1}, err);
  text.n = open;
  return rc == MPG_OK ? set_field(s, MPG_SLURM_SHOW_NODE_Reason, text, err) : rc;
}

/* The length of the name if "Name=" is at `at`, at the start of a line or after a space; else 0. */
static bool name_at(mpg_str s, size_t at, size_t *n) {
  size_t i = at;
  if (at > 0 && s.p[at - 1] != ' ' && s.p[at - 1] != '\n')
    return false;
  while (i < s.n && (((s.p[i] | 0x20) >= 'a' && (s.p[i] | 0x20) <= 'z') || s.p[i] == '_'))
    i++;
  *n = i - at;
  return i > at && i < s.n && s.p[i] == '=';
}

/* Whether what stands at `at` ends a free text: the end of its line, or of a node in one line a
** field that may follow. */
static bool ends_words(mpg_str s, size_t at, bool one_line) {
  static const mpg_str after[] = {MPG_STR("Comment"), MPG_STR("Extra"), MPG_STR("InstanceId"),
                                  MPG_STR("InstanceType"), MPG_STR("ReservationName")};
  size_t n;
  if (s.p[at] == '\n')
    return true;
  if (!one_line || !name_at(s, at, &n))
    return false;
  for (size_t i = 0; i < sizeof after / sizeof *after; i++)
    if (mpg_str_eq((mpg_str){s.p + at, n}, after[i]))
      return true;
  return false;
}

/* What comes again is in a further line of a reason, or of a record whose name is lost. */
static mpg_rc set_first(mpg_slurm_show_node *s, mpg_str name, mpg_str value, mpg_err *err) {
  for (size_t i = 0; i < s->shows->nfields; i++) {
    if (!mpg_str_eq(name, mpg_str_of(s->shows->fields[i].name)))
      continue;
    if (s->values[i].type == MPG_NULL)
      return set_field(s, i, value, err);
    if (mpg_str_eq(name, s->shows->once))
      return add_issue(s, MPG_DATA_LOSS, "missing_field",
                       "a record without its name stands below this one: it is left out", err);
  }
  return MPG_OK;
}

static mpg_rc read_text(mpg_slurm_show_node *s, mpg_err *err) {
  mpg_str node = {s->node.p, s->node.n};
  size_t at = 0, look = BYTES_BETWEEN_POLLS, n;
  bool one_line = memmem(node.p, node.n, "\n ", 2) == NULL;
  mpg_rc rc = MPG_OK;
  while (rc == MPG_OK && at < node.n) {
    mpg_str name, value;
    size_t end, next;
    bool last_words;
    if (at >= look) {
      if (mpg_poller_stop(&s->poller, BYTES_BETWEEN_POLLS))
        break;
      look = at + BYTES_BETWEEN_POLLS;
    }
    if (!name_at(node, at, &n)) {
      at++;
      continue;
    }
    name = (mpg_str){node.p + at, n};
    value.p = node.p + at + n + 1;
    /* These are free texts. */
    last_words = mpg_str_eq(name, MPG_STR("Reason")) || mpg_str_eq(name, MPG_STR("Comment")) ||
                 mpg_str_eq(name, MPG_STR("Extra"));
    for (end = at + n + 1;
         end < node.n && !(last_words ? ends_words(node, end, one_line)
                                      : node.p[end] == '\n' || name_at(node, end, &next));
         end++) {
      if (end < look)
        continue;
      if (mpg_poller_stop(&s->poller, BYTES_BETWEEN_POLLS))
        break;
      look = end + BYTES_BETWEEN_POLLS;
    }
    value.n = (size_t)(node.p + end - value.p);
    at = end;
    if (mpg_str_eq(name, MPG_STR("Reason")) && s->shows == &shows_nodes) {
      rc = set_reason(s, value, err);
      continue;
    }
    rc = set_first(s, name, value, err);
  }
  return rc;
}

static mpg_rc no_node(mpg_slurm_show_node *s, mpg_str line, mpg_err *err) {
  char text[MPG_EXCERPT];
  mpg_text_excerpt(line, text);
  return mpg_fail(err, MPG_DATA,
                  "%s:%lld:1: expected %.*s of scontrol show %s, such as %s, found \"%s\"", s->path,
                  (long long)mpg_lines_number(s->lines), (int)s->shows->list.n, s->shows->list.p,
                  s->shows->what, s->shows->example, text);
}

/* Whether the node's lines are all there, as far as one can see: `scontrol -o` has it in one. */
static bool is_one_line(const mpg_slurm_show_node *s) {
  static const char state[] = " State=";
  return memchr(s->node.p, '\n', s->node.n) == NULL &&
         memmem(s->node.p, s->node.n, state, sizeof state - 1) != NULL;
}

/* The node is whole and the line after it is damaged: the error is returned by the next call. */
static mpg_rc put_off(mpg_slurm_show_node *s, int64_t node_line, const mpg_err *err) {
  s->damage = *err;
  s->damage_line = mpg_lines_number(s->lines);
  s->line = node_line;
  return MPG_OK;
}

/* What was found while the node before was read: its damage, or the first line of the next one. */
static mpg_rc begin_ahead(mpg_slurm_show_node *s, mpg_err *err) {
  if (s->damage.rc != MPG_OK) {
    *err = s->damage;
    s->damage.rc = MPG_OK;
    s->line = s->damage_line;
    return err->rc;
  }
  if (s->has_ahead) {
    mpg_json_text swap = s->node;
    s->node = s->ahead;
    s->ahead = swap;
    s->line = s->ahead_line;
    s->has_ahead = false;
  } else {
    s->node.n = 0;
  }
  return MPG_OK;
}

/* The last line has no line end. `any`: a node was read before it. */
static mpg_rc end_unfinished(mpg_slurm_show_node *s, mpg_str line, bool any, mpg_err *err) {
  const mpg_str first_word = s->shows->begins;
  int64_t node_line = s->line;
  mpg_rc rc;
  s->line = mpg_lines_number(s->lines);
  /* The start of a node is checked only if nothing else says what kind of file this is. */
  if (!any && line.n > 0 && !mpg_str_starts_with(line, first_word) &&
      !mpg_str_starts_with(first_word, line))
    return no_node(s, line, err);
  rc = add_issue(s, MPG_WARNING, "unfinished_record",
                 "the last line has no line end: its node is left out as still being written", err);
  s->line = node_line;
  /* The one before it is whole, unless this is a line more of it. */
  return rc == MPG_OK && (!any || line.n == 0 || line.p[0] == ' ') ? MPG_DONE : rc;
}

/* Puts the lines of the next node together. */
static mpg_rc gather_node(mpg_slurm_show_node *s, mpg_err *err) {
  mpg_str line;
  mpg_rc rc = MPG_OK;
  bool any = s->has_ahead;
  const mpg_str first_word = s->shows->begins;
  rc = begin_ahead(s, err);
  if (rc != MPG_OK)
    return rc;
  for (;;) {
    rc = mpg_lines_next(s->lines, &line, err);
    if (rc == MPG_DATA && any && is_one_line(s))
      return put_off(s, s->line, err);
    if (rc == MPG_DATA)
      s->line = mpg_lines_number(s->lines);
    if (rc != MPG_OK)
      return rc == MPG_DONE && any ? MPG_OK : rc;
    if (!mpg_lines_ended(s->lines))
      return end_unfinished(s, line, any, err);
    if (mpg_str_starts_with(line, first_word)) {
      mpg_json_text *to = any ? &s->ahead : &s->node;
      to->n = 0;
      if (mpg_json_put(to, line) != MPG_OK)
        return mpg_fail_nomem(err);
      if (any) {
        s->has_ahead = true;
        s->ahead_line = mpg_lines_number(s->lines);
        return MPG_OK;
      }
      any = true;
      s->line = mpg_lines_number(s->lines);
    } else if (any && (line.n == 0 || line.p[0] == ' ')) {
      if (line.n > NODE_BYTES - s->node.n)
        return mpg_fail(err, MPG_DATA, "%s:%lld:1: a %s of more than %zu bytes", s->path,
                        (long long)s->line, s->shows->what, NODE_BYTES);
      if (mpg_json_put(&s->node, MPG_STR("\n")) != MPG_OK || mpg_json_put(&s->node, line) != MPG_OK)
        return mpg_fail_nomem(err);
    } else if (line.n > 0) {
      int64_t node_line = s->line;
      s->line = mpg_lines_number(s->lines);
      rc = no_node(s, line, err);
      return any ? put_off(s, node_line, err) : rc;
    }
  }
}

/* ---- JSON ---- */

/* Members that are texts or lists of texts, and numbers; State is put together of several. */
static mpg_rc read_member(mpg_slurm_show_node *s, const mpg_json_member *m, size_t i, size_t at[],
                          size_t n[], mpg_err *err) {
  int64_t number;
  bool is;
  mpg_rc rc;
  if (m == NULL)
    return MPG_OK;
  if (s->shows->fields[i].type == MPG_SLURM_SHOW_NODE_TEXT) {
    size_t from = s->text.n;
    rc = mpg_slurm_put_text(&s->docs, m, MPG_STR(","), &s->text, err);
    if (s->text.n > from) {
      at[i] = from;
      n[i] = s->text.n - from;
    }
    return rc;
  }
  rc = mpg_slurm_number(&s->docs, m, &number, &is, err);
  if (rc != MPG_OK || !is ||
      (s->shows->fields[i].type == MPG_SLURM_SHOW_NODE_TIME &&
       (number <= 0 || number >= MPG_TIME_MAX / MPG_SECOND)))
    return rc;
  s->values[i].type = MPG_INT;
  s->values[i].i = number;
  return MPG_OK;
}

static void to_upper(char *p, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (p[i] >= 'a' && p[i] <= 'z')
      p[i] = (char)(p[i] - 'a' + 'A');
}

/* State is put together of several words. */
static mpg_rc read_state(mpg_slurm_show_node *s, mpg_slurm_object node, size_t at[], size_t n[],
                         mpg_err *err) {
  const mpg_json_member *flags;
  size_t from = s->text.n, after;
  mpg_rc rc = MPG_OK;
  if (rc == MPG_OK)
    rc = mpg_slurm_put_text(&s->docs, mpg_slurm_member(node, "state"), MPG_STR("+"), &s->text, err);
  flags = mpg_slurm_member(node, "state_flags"); /* of 22.05 */
  after = s->text.n;
  if (rc == MPG_OK && mpg_json_put(&s->text, MPG_STR("+")) != MPG_OK)
    return mpg_fail_nomem(err);
  if (rc == MPG_OK)
    rc = mpg_slurm_put_text(&s->docs, flags, MPG_STR("+"), &s->text, err);
  if (rc != MPG_OK)
    return rc;
  if (s->text.n == after + 1)
    s->text.n = after;
  at[MPG_SLURM_SHOW_NODE_State] = from;
  n[MPG_SLURM_SHOW_NODE_State] = s->text.n - from;
  to_upper(s->text.p + from, s->text.n - from);
  return MPG_OK;
}

static mpg_rc read_json(mpg_slurm_show_node *s, mpg_str text, mpg_err *err) {
  size_t at[MPG_SLURM_SHOW_NODE_COUNT_OF_FIELDS] = {0},
         n[MPG_SLURM_SHOW_NODE_COUNT_OF_FIELDS] = {0};
  mpg_slurm_object node;
  mpg_rc rc = mpg_slurm_open_text(&s->docs, 0, text, &node, err);
  for (size_t i = 0; rc == MPG_OK && i < s->shows->nmembers; i++)
    rc = read_member(s, mpg_slurm_member(node, s->shows->members[i].member),
                     s->shows->members[i].field, at, n, err);
  if (rc == MPG_OK && s->shows == &shows_nodes)
    rc = read_state(s, node, at, n, err);
  if (rc != MPG_OK)
    return rc;
  for (size_t i = 0; i < s->shows->nfields; i++)
    if (n[i] > 0 && !(n[i] == 3 && memcmp(s->text.p + at[i], "N/A", 3) == 0)) {
      s->values[i].type = MPG_TEXT;
      s->values[i].s = (mpg_str){s->text.p + at[i], n[i]};
    }
  if (s->values[0].type != MPG_TEXT)
    return mpg_fail(err, MPG_DATA, "%s:%lld:1: expected a %s with a \"name\"", s->path,
                    (long long)s->line, s->shows->what);
  return MPG_OK;
}

static mpg_rc next_json(mpg_slurm_show_node *s, mpg_str *text, mpg_err *err) {
  mpg_pull_item item;
  mpg_json_kind kind;
  for (;;) {
    mpg_rc rc;
    if (mpg_pull_depth(s->pull) == 0)
      s->in_document = s->in_nodes = false;
    rc = mpg_pull_next(s->pull, &item, err);
    if (rc != MPG_OK && rc != MPG_DONE)
      return rc;
    if (s->in_nodes && rc == MPG_OK) {
      s->line = s->docs.line = item.line;
      rc = mpg_pull_value(s->pull, &kind, text, err);
      if (rc == MPG_OK && kind != MPG_JSON_OBJECT)
        return mpg_fail(err, MPG_DATA, "%s:%lld:%lld: expected a %s, an object", s->path,
                        (long long)item.line, (long long)item.column, s->shows->what);
      return rc;
    }
    if (s->in_nodes) {
      s->in_nodes = false;
    } else if (s->in_document && rc == MPG_DONE) {
      s->in_document = false;
      if (!s->any_nodes)
        return mpg_fail(err, MPG_DATA,
                        "%s:%lld:1: expected %.*s of scontrol show %s --json (a member "
                        "\"%.*s\"), found none%s",
                        s->path, (long long)s->line, (int)s->shows->list.n, s->shows->list.p,
                        s->shows->what, (int)s->shows->list.n, s->shows->list.p,
                        s->shows == &shows_nodes ? " (sinfo --json of 23.02 and later lists groups "
                                                   "of nodes; jobs are read with slurm_trace)"
                                                 : "");
    } else if (s->in_document) {
      if (item.first == '[' && mpg_str_eq(item.key, s->shows->list)) {
        mpg_pull_enter(s->pull);
        s->in_nodes = s->any_nodes = true;
      }
    } else if (rc == MPG_DONE) {
      return rc;
    } else {
      s->line = item.line;
      if (item.first != '{')
        return mpg_fail(err, MPG_DATA,
                        "%s:%lld:%lld: expected the object that scontrol show %s --json writes",
                        s->path, (long long)item.line, (long long)item.column, s->shows->what);
      mpg_pull_enter(s->pull);
      s->documents++;
      s->in_document = true;
      s->any_nodes = false;
    }
  }
}

size_t mpg_slurm_show_node_document(const mpg_slurm_show_node *s) {
  return s->documents > 0 ? s->documents - 1 : 0;
}

mpg_rc mpg_slurm_show_node_next(mpg_slurm_show_node *s, mpg_err *err) {
  mpg_str text;
  mpg_rc rc;
  memset(s->values, 0, sizeof s->values);
  s->text.n = s->gpus[0].n = s->gpus[1].n = 0;
  if (s->pull != NULL) {
    rc = next_json(s, &text, err);
    if (rc == MPG_OK)
      rc = read_json(s, text, err);
  } else {
    rc = gather_node(s, err);
    if (rc == MPG_OK)
      rc = read_text(s, err);
  }
  if (rc == MPG_OK)
    rc = put_all_gpus(s, err);
  return s->poller.stopped ? mpg_fail(err, MPG_INTERRUPTED, "interrupted") : rc;
}
