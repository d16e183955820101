/*
** annotations.h - debug annotations of Perfetto as JSON.
**
** Numbers are written so that they read back as they are; what is no finite number is null, and so
** is a value that nothing explains. A pointer is a number. Annotations nested deeper than 64 are
** MPG_DATA.
*/
#ifndef MPG_PERFETTO_ANNOTATIONS_H
#define MPG_PERFETTO_ANNOTATIONS_H

#include "names.h"
#include "../../read/parse/json_writer.h"

/* Adds `"name":value` of one DebugAnnotation to the object that `json` has begun. */
mpg_rc mpg_perfetto_annotation(mpg_perfetto_names *names, const mpg_perfetto_sequence *sequence,
                               mpg_proto_message annotation, mpg_json_text *json, mpg_err *err);

#endif
