/*
** xplane_table.c - xplane_trace(path, on_error), events of XSpace files (*.xplane.pb), and
** xplane_planes(path, on_error), their planes.
**
** xplane_trace, a row for each event; _line is the offset of its first byte in the (decompressed)
** file:
**
**   plane TEXT, plane_id BIGINT, line TEXT, line_id BIGINT, line_display_name TEXT
**       its place: a device or the host, and its stream, thread or kind of work
**   name TEXT, display_name TEXT, metadata_id BIGINT
**       what happened; NULL if the plane has no name for metadata_id
**   start_ns, end_ns BIGINT
**       timestamp_ns + offset_ps (+ duration_ps), in whole nanoseconds, rounded down
**   timestamp_ns, offset_ps, duration_ps BIGINT
**       the same exactly, as in the file: of the line, after it, and of the event
**   occurrences BIGINT
**       of an aggregated event, which has neither offset nor start
**   group_id, ..., device_duration_ps
**       stats of the event or else of its metadata, by their names (op_name is "name")
**   stats TEXT, plane_stats TEXT
**       all stats of the event and its metadata, and of the plane: JSON objects
**
** xplane_planes, a row for each plane; _line is its offset:
**
**   plane TEXT, plane_id BIGINT, lines, events, event_names, stat_names BIGINT, stats TEXT,
**   hostnames TEXT
*/
#include "../list.h"
#include "../../sqlite/reader/reader.h"
#include "xplane.h"

#include <string.h>

/* ---- Events ---- */

#define TYPE_INT "BIGINT"
#define TYPE_ID "" /* some are text, which SQLite would compare as doubles in a column of numbers */
#define TYPE_TEXT "TEXT"
#define COLUMN(name, key, type) {#name, TYPE_##type},

enum {
  PLANE,
  PLANE_ID,
  LINE,
  LINE_ID,
  LINE_DISPLAY_NAME,
  NAME,
  DISPLAY_NAME,
  METADATA_ID,
  START_NS,
  END_NS,
  TIMESTAMP_NS,
  OFFSET_PS,
  DURATION_PS,
  OCCURRENCES,
  FIRST_STAT,
  STATS = FIRST_STAT + MPG_XSTAT_COLUMNS,
  PLANE_STATS,
  COLUMNS
};

static const mpg_reader_column columns[COLUMNS] = {
    {"plane", "TEXT"},
    {"plane_id", "BIGINT"},
    {"line", "TEXT"},
    {"line_id", "BIGINT"},
    {"line_display_name", "TEXT"},
    {"name", "TEXT"},
    {"display_name", "TEXT"},
    {"metadata_id", "BIGINT"},
    {"start_ns", "BIGINT"},
    {"end_ns", "BIGINT"},
    {"timestamp_ns", "BIGINT"},
    {"offset_ps", "BIGINT"},
    {"duration_ps", "BIGINT"},
    {"occurrences", "BIGINT"},
    MPG_XSTATS(COLUMN) /* by name */
        [STATS] = {"stats", "TEXT"},
    [PLANE_STATS] = {"plane_stats", "TEXT"},
};

typedef struct events_file {
  mpg_stream *again; /* the file once more, for the second of the reader's two streams */
  mpg_xplane *reader;
  mpg_json_text json, plane_json; /* the second one of plane_of */
  int64_t plane_of;               /* a plane's offset */
} events_file;

static void events_close(void *p) {
  events_file *file = p;
  mpg_xplane_close(file->reader);
  mpg_stream_close(file->again);
  mpg_json_text_free(&file->json);
  mpg_json_text_free(&file->plane_json);
}

static mpg_rc events_open(void *p, void *scan, const mpg_env *env, mpg_stream *stream,
                          mpg_issues *issues, mpg_err *err) {
  events_file *file = p;
  mpg_rc rc = mpg_stream_open(&file->again, env, mpg_stream_path(stream), err);
  (void)scan;
  file->json.env = file->plane_json.env = env;
  file->plane_of = -1;
  return rc == MPG_OK ? mpg_xplane_open(&file->reader, env, stream, file->again, issues, err) : rc;
}

static mpg_rc events_next(void *p, mpg_err *err) {
  return mpg_xplane_next(((events_file *)p)->reader, err);
}

static int64_t events_at(const void *p) {
  return mpg_xplane_at(((const events_file *)p)->reader);
}

/* Also an empty one. */
static void give_text(mpg_value *out, mpg_str s) {
  out->type = MPG_TEXT;
  out->s = s;
}

static void give_json(mpg_value *out, const mpg_json_text *json) {
  give_text(out, (mpg_str){json->p, json->n});
}

static mpg_rc events_column(void *p, size_t i, mpg_value *out, mpg_err *err) {
  events_file *file = p;
  const mpg_xevent *e = mpg_xplane_event(file->reader);
  mpg_rc rc = MPG_OK;
  if (i >= FIRST_STAT && i < STATS) {
    mpg_xplane_stat(file->reader, (int)(i - FIRST_STAT), out);
    return MPG_OK;
  }
  switch (i) {
  case PLANE:
    mpg_give_text(out, e->plane->name);
    break;
  case PLANE_ID:
    mpg_give_int(out, e->plane->id);
    break;
  case LINE:
    mpg_give_text(out, e->line->name);
    break;
  case LINE_ID:
    mpg_give_int(out, e->line->id);
    break;
  case LINE_DISPLAY_NAME:
    mpg_give_text(out, e->line->display_name);
    break;
  case NAME:
    if (e->name != NULL)
      give_text(out, e->name->name.text);
    break;
  case DISPLAY_NAME:
    if (e->name != NULL)
      mpg_give_text(out, e->name->display_name);
    break;
  case METADATA_ID:
    mpg_give_int(out, e->metadata_id);
    break;
  case START_NS:
    if (!e->aggregated)
      mpg_give_int(out, e->start_ns);
    break;
  case END_NS:
    if (!e->aggregated)
      mpg_give_int(out, e->end_ns);
    break;
  case TIMESTAMP_NS:
    mpg_give_int(out, e->line->timestamp_ns);
    break;
  case OFFSET_PS:
    if (!e->aggregated)
      mpg_give_int(out, e->offset_ps);
    break;
  case DURATION_PS:
    mpg_give_int(out, e->duration_ps);
    break;
  case OCCURRENCES:
    if (e->aggregated)
      mpg_give_int(out, e->occurrences);
    break;
  case STATS:
    rc = mpg_xplane_stats(file->reader, &file->json);
    give_json(out, &file->json);
    break;
  default:
    if (file->plane_of != e->plane->at)
      rc = mpg_xplane_stats_of(e->plane, &file->plane_json);
    file->plane_of = rc == MPG_OK ? e->plane->at : -1;
    give_json(out, &file->plane_json);
  }
  return rc == MPG_OK ? MPG_OK : mpg_fail_plain(err, rc);
}

/* ---- Planes ---- */

enum {
  P_PLANE,
  P_ID,
  P_LINES,
  P_EVENTS,
  P_EVENT_NAMES,
  P_STAT_NAMES,
  P_STATS,
  P_HOSTNAMES,
  P_COLUMNS
};

static const mpg_reader_column plane_columns[P_COLUMNS] = {
    {"plane", "TEXT"},         {"plane_id", "BIGINT"},   {"lines", "BIGINT"}, {"events", "BIGINT"},
    {"event_names", "BIGINT"}, {"stat_names", "BIGINT"}, {"stats", "TEXT"},   {"hostnames", "TEXT"},
};

/* What is left of a plane when the next one is read. */
typedef struct plane_copy {
  int64_t at, id, lines, events, event_names, stat_names;
  uint32_t name, stats; /* of planes_file.texts */
} plane_copy;

/* Host names come after the planes, so all planes are read before the first row. */
typedef struct planes_file {
  const mpg_env *env;
  const char *path;
  mpg_xspace *space;
  plane_copy *planes;
  size_t n, cap, next; /* planes[next - 1] is the current one */
  mpg_intern texts;
  mpg_json_text json;
  bool complete;
} planes_file;

static void planes_close(void *p) {
  planes_file *file = p;
  mpg_xspace_close(file->space);
  mpg_free(file->env, file->planes);
  mpg_intern_free(&file->texts);
  mpg_json_text_free(&file->json);
}

static mpg_rc planes_open(void *p, void *scan, const mpg_env *env, mpg_stream *stream,
                          mpg_issues *issues, mpg_err *err) {
  planes_file *file = p;
  (void)scan;
  file->env = file->json.env = env;
  file->path = mpg_stream_path(stream);
  mpg_intern_init(&file->texts, env);
  return mpg_xspace_open(&file->space, env, stream, issues, err);
}

static mpg_rc keep_plane(planes_file *file, const mpg_xplane_head *plane, mpg_err *err) {
  plane_copy *copies;
  mpg_rc rc;
  const int64_t limit = mpg_limit_in(file->env, MPG_LIMIT_PLANES);
  if ((int64_t)file->n >= limit)
    return mpg_fail(err, MPG_LIMIT, "%s: byte %lld: more than %lld planes", file->path,
                    (long long)plane->at, (long long)limit);
  rc = mpg_grow(file->env, &file->planes, &file->cap, file->n + 1, sizeof *file->planes);
  if (rc == MPG_OK)
    rc = mpg_xplane_stats_of(plane, &file->json);
  if (rc != MPG_OK)
    return mpg_fail_plain(err, rc);
  copies = &file->planes[file->n];
  *copies = (plane_copy){plane->at,
                         plane->id,
                         (int64_t)plane->nlines,
                         plane->events,
                         (int64_t)plane->nevent_names,
                         (int64_t)plane->nstat_names,
                         0,
                         0};
  rc = mpg_intern_id(&file->texts, plane->name, &copies->name);
  if (rc == MPG_OK)
    rc = mpg_intern_id(&file->texts, (mpg_str){file->json.p, file->json.n}, &copies->stats);
  if (rc != MPG_OK)
    return mpg_fail_plain(err, rc);
  file->n++;
  return MPG_OK;
}

static mpg_rc put_hostnames(planes_file *file) {
  const mpg_intern *hosts = mpg_xspace_hostnames(file->space);
  mpg_rc rc;
  file->json.n = 0;
  rc = mpg_json_put(&file->json, MPG_STR("["));
  for (uint32_t id = 1; rc == MPG_OK && id <= hosts->n; id++) {
    rc = mpg_json_put_comma(&file->json);
    if (rc == MPG_OK)
      rc = mpg_json_put_string(&file->json, mpg_intern_text(hosts, id));
  }
  return rc == MPG_OK ? mpg_json_put(&file->json, MPG_STR("]")) : rc;
}

static mpg_rc planes_next(void *p, mpg_err *err) {
  planes_file *file = p;
  while (!file->complete) {
    mpg_xplane_head *plane;
    mpg_rc rc = mpg_xspace_next(file->space, &plane, err);
    if (rc == MPG_OK)
      rc = keep_plane(file, plane, err);
    if (rc != MPG_OK && rc != MPG_DONE)
      return rc;
    file->complete = rc == MPG_DONE;
    rc = file->complete ? put_hostnames(file) : MPG_OK;
    if (rc != MPG_OK)
      return mpg_fail_plain(err, rc);
  }
  if (file->next == file->n)
    return MPG_DONE;
  file->next++;
  return MPG_OK;
}

static int64_t planes_at(const void *p) {
  const planes_file *file = p;
  return file->next > 0 ? file->planes[file->next - 1].at : mpg_xspace_at(file->space);
}

static mpg_rc planes_column(void *p, size_t i, mpg_value *out, mpg_err *err) {
  const planes_file *file = p;
  const plane_copy *plane = &file->planes[file->next - 1];
  (void)err;
  switch (i) {
  case P_PLANE:
    mpg_give_text(out, mpg_intern_text(&file->texts, plane->name));
    break;
  case P_ID:
    mpg_give_int(out, plane->id);
    break;
  case P_LINES:
    mpg_give_int(out, plane->lines);
    break;
  case P_EVENTS:
    mpg_give_int(out, plane->events);
    break;
  case P_EVENT_NAMES:
    mpg_give_int(out, plane->event_names);
    break;
  case P_STAT_NAMES:
    mpg_give_int(out, plane->stat_names);
    break;
  case P_STATS:
    give_text(out, mpg_intern_text(&file->texts, plane->stats));
    break;
  default:
    give_json(out, &file->json);
  }
  return MPG_OK;
}

int mpg_register_xplane(mpg_conn *conn, char **error) {
  static const mpg_reader_format events = {
      .module = {"xplane_trace", &mpg_reader_module, 0},
      .usage = "expected a path, as in xplane_trace('host.xplane.pb')",
      .columns = columns,
      .ncolumns = COLUMNS,
      .binary = true,
      .file_size = sizeof(events_file),
      .open = events_open,
      .close = events_close,
      .next = events_next,
      .line = events_at,
      .column = events_column,
  };
  static const mpg_reader_format planes = {
      .module = {"xplane_planes", &mpg_reader_module, 0},
      .usage = "expected a path, as in xplane_planes('host.xplane.pb')",
      .columns = plane_columns,
      .ncolumns = P_COLUMNS,
      .binary = true,
      .file_size = sizeof(planes_file),
      .open = planes_open,
      .close = planes_close,
      .next = planes_next,
      .line = planes_at,
      .column = planes_column,
  };
  int rc = mpg_register_reader(conn, &events, error);
  return rc == SQLITE_OK ? mpg_register_reader(conn, &planes, error) : rc;
}
