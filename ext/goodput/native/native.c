/* native.c - see native.h: files, cut into blocks that several threads read. */
#include "native.h"

#include "../../read/unwrap/unwrap.h"
#include "../../read/input/unfinished.h"
#include "../../base/pipeline.h"
#include "native_csv_fast.h"
#include "same_content.h"
#include "../../read/input/paths.h"

#include <string.h>

/* ---- files ---- */

/* One file; the pieces that are of it keep it. */
typedef struct file {
  const char *path;
  mpg_stream *stream;
  mpg_blocks *blocks;
  bool json;
  mpg_native_header header; /* of CSV */
  int pieces;
  bool whole; /* what is left is read by the owner, from the stream */
} file;

/* A piece of work: a block of a file, or what was found instead. */
typedef struct piece {
  mpg_block block;
  mpg_fleet fleet; /* a part */
  mpg_issues issues;
  mpg_csv *csv;
  mpg_json *json;
  mpg_native_csv_fast *fast;
  file *of;         /* NULL: there is nothing to read */
  const char *path; /* of a file that begins here, else NULL */
  bool used;        /* and it is a trace */
  bool lost;        /* memory ended: the part cannot be merged */
  mpg_rc rc;
  mpg_err err;
} piece;

/* The whole read. */
typedef struct native {
  mpg_fleet *fleet;
  const mpg_env *env; /* the owner's */
  mpg_env workers;    /* of the threads that cut and read; the pipeline's, while there is one */
  mpg_pipeline *pipeline;
  const mpg_paths *paths;
  size_t next; /* path */
  file *at;    /* that pieces are cut from; NULL: the next one */
  bool skip;
  bool failed;          /* nothing more is cut */
  pthread_mutex_t lock; /* of the fleet's memory of parts */
  bool used;            /* there was a trace */
} native;

static void file_release(const native *n, file *f) {
  if (f == NULL || --f->pieces > 0)
    return;
  mpg_pipeline_no_ahead(n->pipeline, f->stream);
  mpg_blocks_close(f->blocks);
  mpg_stream_close(f->stream);
  mpg_free(n->env, f);
}

/* Whether it begins like an object or an array of objects, behind a byte order mark and white
** space. Logs begin with "[" too. */
static mpg_rc begins_like_json(mpg_stream *stream, bool *json, mpg_err *err) {
  mpg_str start;
  mpg_unwrap u;
  char first = 0, next = 0;
  mpg_rc rc = mpg_stream_peek(stream, 4096, &start, err);
  if (rc == MPG_OK && mpg_unwrap_find(&u, start, MPG_UNWRAP_ALL)) {
    mpg_stream_unwrap(stream, MPG_UNWRAP_ALL);
    *json = true;
    return MPG_OK;
  }
  for (size_t i = 0; rc == MPG_OK && i < start.n && next == 0; i++)
    if (strchr(" \t\r\n\xef\xbb\xbf", start.p[i]) == NULL || start.p[i] == 0)
      *(first == 0 ? &first : &next) = start.p[i];
  *json = first == '{' || (first == '[' && (next == '{' || next == ']' || next == 0));
  return rc;
}

bool mpg_native_ending(const char *path) {
  static const char *const endings[] = {".csv", ".json", ".jsonl", ".ndjson"};
  size_t n = strlen(path);
  if (n > 3 && strcmp(path + n - 3, ".gz") == 0)
    n -= 3;
  else if (n > 4 && strcmp(path + n - 4, ".zst") == 0)
    n -= 4;
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    size_t m = strlen(endings[i]);
    if (n > m && strncmp(path + n - m, endings[i], m) == 0)
      return true;
  }
  return false;
}

/* ---- cutting ---- */

static mpg_rc add_ignored(piece *p, const char *why) {
  return mpg_issues_add(&p->issues, MPG_INFO, p->path, "ignored_file", 0, 1, "%s", why) == MPG_OK
             ? MPG_OK
             : mpg_fail_nomem(&p->err);
}

/* Takes the stream over. */
static mpg_rc file_open(native *n, piece *p, mpg_stream *stream, bool json, mpg_relation relation) {
  /* The result of a chip's record depends on all records before it. */
  mpg_blocks_options options = {json, ',', false, !json && relation == MPG_REL_CHIPS};
  file *f = mpg_calloc(n->env, sizeof *f);
  if (f == NULL) {
    mpg_stream_close(stream);
    return mpg_fail_nomem(&p->err);
  }
  n->at = f;
  f->pieces = 1; /* the cutter's hold */
  f->path = p->path;
  f->json = json;
  f->header.relation = relation;
  f->stream = stream;
  mpg_stream_repair_text(stream);
  mpg_stream_share(stream, n->pipeline);
  return mpg_blocks_open(&f->blocks, &n->workers, stream, &options, &p->err);
}

static mpg_rc refuse_file(piece *p, mpg_stream *stream) {
  mpg_str start;
  const mpg_rc rc = mpg_stream_peek(stream, 1, &start, &p->err);
  return rc != MPG_OK
             ? rc
             : mpg_fail(&p->err, MPG_DATA,
                        "%s:1:1: expected a known format, or the native trace: JSON, or CSV in a "
                        "file named after its relation (capacity, outages, jobs, allocations, "
                        "spans, commits, programs, chips)%s",
                        p->path, start.n == 0 ? ", found an empty file" : "");
}

/* Whether a file of the folder is native: by its name, or by its first bytes. One that cannot be
** opened is not. */
static mpg_rc is_native(const native *n, const char *path, bool *is, mpg_err *err) {
  mpg_stream *stream = NULL;
  mpg_str head;
  mpg_rc rc;
  *is = mpg_native_ending(path);
  if (*is)
    return MPG_OK;
  rc = mpg_stream_open(&stream, &n->workers, path, err);
  if (rc == MPG_OK)
    rc = mpg_stream_peek(stream, 4096, &head, err);
  if (rc == MPG_OK)
    *is = mpg_looks_native(head, path);
  mpg_stream_put_back(&n->workers, stream);
  return rc == MPG_NOMEM || rc == MPG_INTERRUPTED ? rc : MPG_OK;
}

/* A file that is passed by leaves n->at NULL. */
static mpg_rc begin_file(native *n, piece *p) {
  mpg_relation relation = mpg_relation_by_file(p->path);
  const bool from_folder = n->paths->from_folder;
  mpg_stream *stream;
  bool json, is = true;
  mpg_rc rc = from_folder ? is_native(n, p->path, &is, &p->err) : MPG_OK;
  if (rc != MPG_OK)
    return rc;
  if (!is)
    return add_ignored(p, "no known format begins like this");
  rc = mpg_stream_open(&stream, &n->workers, p->path, &p->err);
  if (rc != MPG_OK)
    return rc;
  rc = begins_like_json(stream, &json, &p->err);
  if (rc != MPG_OK || (!json && relation == MPG_RELATIONS)) {
    if (rc == MPG_OK)
      rc = from_folder ? add_ignored(p, "of no known format: no JSON, and its name does not begin "
                                        "with a relation")
                       : refuse_file(p, stream);
    mpg_stream_close(stream);
    return rc;
  }
  p->used = true;
  rc = mpg_same_name(&p->issues, p->path, mpg_paths_repeated(n->paths, n->next - 1), &p->err);
  if (rc == MPG_OK)
    return file_open(n, p, stream, json, relation);
  mpg_stream_close(stream);
  return rc;
}

static mpg_rc open_readers(native *n, piece *p, const file *f) {
  static const mpg_csv_options csv = {',', false, 0};
  static const mpg_json_options json = {0};
  if (f->json)
    return p->json != NULL ? MPG_OK : mpg_json_open(&p->json, n->env, f->stream, &json, &p->err);
  return p->csv != NULL ? MPG_OK : mpg_csv_open(&p->csv, n->env, f->stream, &csv, &p->err);
}

/* The next block of the file; the header of a CSV file is taken off the first. */
static mpg_rc next_block(native *n, piece *p, mpg_native_reading *r) {
  file *f = n->at;
  mpg_rc rc = open_readers(n, p, f);
  while (rc == MPG_OK) {
    rc = mpg_blocks_next(f->blocks, &p->block, &p->err);
    if (rc != MPG_OK || f->json || f->header.nfields > 0 || p->block.rest)
      break;
    mpg_csv_feed(p->csv, f->stream, &p->block, r->env);
    rc = mpg_native_csv_header(r, p->csv, &f->header);
    if (rc == MPG_OK) {
      mpg_csv_unfeed(p->csv, &p->block);
      break;
    }
    rc = rc == MPG_DONE ? MPG_OK : rc; /* blank lines */
  }
  if (rc == MPG_DONE && !f->whole && mpg_stream_repaired(f->stream, &p->issues, &p->err) != MPG_OK)
    rc = MPG_NOMEM;
  if (rc == MPG_OK) {
    p->of = f;
    f->pieces++;
    f->whole |= p->block.rest;
  } else {
    n->at = NULL;
    file_release(n, f);
  }
  return rc == MPG_DONE ? MPG_OK : rc;
}

static mpg_rc next_piece(void *ctx, void *slot, mpg_err *err) {
  native *n = ctx;
  piece *p = slot;
  mpg_native_reading r = {&p->fleet, &n->workers, NULL, n->skip, 0, &p->err};
  (void)err;
  if (n->failed || (n->at == NULL && n->next == n->paths->n))
    return MPG_DONE;
  file_release(n, p->of);
  p->of = NULL;
  p->path = NULL;
  p->used = p->lost = false;
  p->rc = mpg_fleet_part_reset(&p->fleet, &p->err);
  if (p->rc == MPG_OK && n->at == NULL) {
    p->path = n->paths->file[n->next++].path;
    p->rc = begin_file(n, p);
  }
  if (p->rc == MPG_OK && n->at != NULL) {
    r.path = n->at->path;
    p->rc = mpg_fleet_from(&p->fleet, r.path, &p->err);
    if (p->rc == MPG_OK)
      p->rc = next_block(n, p, &r);
  }
  n->failed = p->rc != MPG_OK;
  return MPG_OK; /* the error is returned in its place */
}

/* ---- reading ---- */

/* Plain records take the fast road. After a record that is not plain, some records take the general
** reader: each time more of them if few in between were plain, for all records of a file may be
** such. */
static mpg_rc read_plain(piece *p, mpg_native_reading *r) {
  const mpg_native_header *h = &p->of->header;
  mpg_rc rc = MPG_OK;
  if (p->fast == NULL && (p->fast = mpg_native_csv_fast_new(p->fleet.env)) == NULL)
    return mpg_fail_nomem(r->err);
  mpg_native_csv_fast_begin(p->fast, &p->fleet, h);
  for (size_t others = 1; rc == MPG_OK;) {
    int64_t line = p->block.line;
    rc = mpg_native_csv_fast_read(p->fast, r, &p->block);
    if (rc != MPG_OK || p->block.at == p->block.n)
      return rc;
    others = (size_t)(p->block.line - line) > 4 * others ? 1 : others * 2;
    mpg_csv_feed(p->csv, p->of->stream, &p->block, r->env);
    rc = mpg_native_csv(r, p->csv, h, others);
    if (rc == MPG_OK)
      mpg_csv_unfeed(p->csv, &p->block);
  }
  return rc == MPG_DONE ? MPG_OK : rc;
}

static mpg_rc read_block(piece *p, mpg_native_reading *r) {
  file *f = p->of;
  mpg_rc rc = MPG_OK;
  if (f->json) {
    mpg_json_feed(p->json, f->stream, &p->block, r->env);
    return mpg_native_json(r, p->json);
  }
  if (!p->block.rest)
    return read_plain(p, r);
  mpg_csv_feed(p->csv, f->stream, &p->block, r->env);
  if (f->header.nfields == 0) /* of a file that is not cut */
    rc = mpg_native_csv_header(r, p->csv, &f->header);
  if (rc == MPG_OK)
    rc = mpg_native_csv(r, p->csv, &f->header, 0);
  return rc == MPG_DONE ? MPG_OK : rc;
}

static void parse_piece(void *ctx, void *slot, int worker) {
  native *n = ctx;
  piece *p = slot;
  (void)worker;
  if (p->rc == MPG_OK && p->of != NULL && !p->block.rest) {
    mpg_native_reading r = {&p->fleet, mpg_pipeline_env(n->pipeline), p->of->path, n->skip, 0,
                            &p->err};
    p->rc = read_block(p, &r);
    p->lost = mpg_fleet_part_settle(&p->fleet, &n->fleet->settled, &n->lock) != MPG_OK;
  }
}

/* Puts a piece to the fleet; what a part cannot take is read here. */
static mpg_rc merge_piece(native *n, piece *p, mpg_err *err) {
  bool refused = p->fleet.log->refused;
  mpg_rc rc = MPG_OK;
  if (p->path != NULL) {
    mpg_issues_drop(n->fleet->issues, p->path);
    if (p->used)
      rc = mpg_fleet_from(n->fleet, p->path, err);
    n->used |= p->used;
  }
  if (rc == MPG_OK && p->lost)
    rc = mpg_fail_nomem(err);
  if (rc == MPG_OK && !refused)
    rc = mpg_fleet_merge(n->fleet, &p->fleet, err);
  if (rc == MPG_OK && !refused)
    rc = mpg_fleet_bound(n->fleet, err);
  if (rc == MPG_OK && !refused && p->rc != MPG_OK) {
    *err = p->err;
    return p->rc;
  }
  if (rc == MPG_OK && p->of != NULL && (refused || p->block.rest)) {
    mpg_native_reading r = {n->fleet, n->env, p->of->path, n->skip, 0, err};
    const bool rest = p->block.rest;
    rc = read_block(p, &r);
    if (rc == MPG_OK && rest)
      rc = mpg_stream_repaired(p->of->stream, n->fleet->issues, err);
  }
  return rc;
}

static void pieces_free(native *n, piece *pieces, size_t npieces) {
  for (size_t i = 0; i < npieces; i++) {
    piece *p = &pieces[i];
    mpg_fleet_free(&p->fleet);
    mpg_issues_free(&p->issues);
    mpg_csv_close(p->csv);
    mpg_native_csv_fast_free(p->fast, n->env);
    mpg_json_close(p->json);
    mpg_block_free(&p->block);
    file_release(n, p->of);
  }
  file_release(n, n->at);
}

static mpg_rc read_files(native *n, int threads, mpg_err *err) {
  static const mpg_pipeline_steps steps = {
      .cut = next_piece, .work = parse_piece, .cut_by_any = true};
  size_t npieces = mpg_pipeline_slots(threads), made = 0;
  piece *pieces = mpg_calloc(n->env, npieces * (sizeof *pieces + sizeof(void *)));
  void **slots, *slot;
  mpg_rc rc = MPG_OK;
  if (pieces == NULL)
    return mpg_fail_nomem(err);
  (void)pthread_mutex_init(&n->lock, NULL); /* glibc's take nothing that could be short */
  n->fleet->lock = &n->lock;
  slots = (void **)(pieces + npieces);
  while (rc == MPG_OK && made < npieces) {
    piece *p = &pieces[made];
    slots[made++] = p;
    mpg_issues_init(&p->issues, &n->workers);
    rc = mpg_fleet_part_init(&p->fleet, &n->workers, &p->issues, err);
    p->fleet.keep_origins = n->fleet->keep_origins;
  }
  if (rc == MPG_OK)
    rc = mpg_pipeline_open(&n->pipeline, n->env, threads, &steps, n, slots, err);
  if (rc == MPG_OK) /* before any of them works */
    n->workers = *mpg_pipeline_env(n->pipeline);
  while (rc == MPG_OK) {
    rc = mpg_pipeline_next(n->pipeline, &slot, err);
    if (rc == MPG_OK)
      rc = merge_piece(n, slot, err);
  }
  mpg_pipeline_close(n->pipeline);
  n->pipeline = NULL;
  n->workers = *n->env;
  pieces_free(n, pieces, made);
  n->fleet->lock = NULL;
  (void)pthread_mutex_destroy(&n->lock);
  mpg_free(n->env, pieces);
  return rc == MPG_DONE ? MPG_OK : rc;
}

mpg_rc mpg_native_read(mpg_fleet *fleet, const mpg_env *env, mpg_str path,
                       const mpg_native_options *options, mpg_err *err) {
  native n = {.fleet = fleet, .env = env, .workers = *env, .skip = options->skip};
  mpg_paths listed = {.env = NULL};
  mpg_rc rc = MPG_OK;
  n.paths = options->listed;
  if (n.paths == NULL) {
    rc = mpg_paths_expand(&listed, env, path, err);
    n.paths = &listed;
  }
  if (rc == MPG_OK) {
    if (n.paths == &listed) /* else who listed them expects them */
      mpg_paths_expect(&listed, env);
    mpg_paths_forget_gone(path, fleet->issues);
    rc = read_files(&n, options->threads, err);
    if (rc == MPG_OK)
      rc = mpg_list_same_content(env, n.paths, fleet->issues, err);
    if (rc == MPG_OK)
      rc = mpg_paths_list_passed(n.paths, fleet->issues, err);
  }
  if (rc == MPG_OK && !n.used)
    rc =
        mpg_fail(err, MPG_IO,
                 "%.*s: expected a file of a known format, or the native trace (capacity.csv, "
                 "allocations.csv, spans.csv, ... or JSON), found none; trace_sources says what is "
                 "there",
                 path.n > 512 ? 512 : (int)path.n, path.p);
  mpg_paths_free(&listed);
  return rc;
}
