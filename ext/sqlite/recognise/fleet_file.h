/*
** fleet_file.h - what a path over sources stands for: files, with the options that their content
** cannot tell.
**
** The path is a file, a glob, a folder, or a JSON array of those, without options; or a fleet file
** (schema/fleet-file.schema.json), whose paths are relative to it; or the text of one, which begins
** with '{' and whose paths are relative to the current folder.
*/
#ifndef MPG_FLEET_FILE_H
#define MPG_FLEET_FILE_H

#include "../../read/input/stream.h"
#include "../connection.h"

typedef struct mpg_entry {
  char *path;    /* as stream.h takes it */
  char *options; /* a JSON object */
  int64_t line;  /* of the fleet file, where it begins; 0: of none */
} mpg_entry;

typedef struct mpg_entries {
  const mpg_env *env;
  mpg_entry *entry;
  size_t n, cap;
  bool of_fleet;    /* they are the sources of a fleet file, or of its text */
  char *fleet_file; /* the path of the fleet file, or NULL */
  char *labels;     /* "tier,project": labels that mpg_build makes columns of; or NULL */
} mpg_entries;

/*
** MPG_DATA: the fleet file is not what its schema says, with its name and the place or option; an
** unknown option names the nearest. MPG_IO: it cannot be read.
*/
mpg_rc mpg_entries_read(mpg_entries *entries, const mpg_env *env, mpg_str path, mpg_err *err);
/* Whether a path can be that of a fleet file, by its first byte or its ending. */
bool mpg_may_be_fleet_file(mpg_str path);
void mpg_entries_free(mpg_entries *entries); /* zero-initialised is fine */

#endif
