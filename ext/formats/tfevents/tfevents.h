/*
** tfevents.h - the event files that TensorBoard reads (events.out.tfevents.*): what trainers write
** of scalars, texts and the rest, with the wall time and the step of each.
**
** A file is a row of TFRecords: the length of the data (8 bytes, little-endian), its masked
** CRC-32C, the data, its masked CRC-32C. The data is a message Event: of a file's beginning
** (file_version), of a summary with any number of values, or of a graph, a session and the like. A
** value is a scalar in one of two encodings (simple_value; a tensor of one element), a text, or
** something of another kind, which has a row and no value.
**
** A plugin's name stands with the first value of a tag alone. It is remembered for the others of
** the file.
**
** The file may still be being written: a record that it ends within is left out (unfinished.h).
** MPG_DATA, "PATH: byte N: ...", N counted in (decompressed) bytes: a length whose checksum is
** another, after which nothing more of the file is read; data whose checksum is another, or that is
** no Event. After those the next call continues with the record that follows.
**
** Issues: unfinished_record; unknown_field (info), fields of events and values that no known
** version of the messages has; invalid_utf8.
**
** Source: event.proto, summary.proto and tensor.proto of TensorBoard (tensorboard/compat/proto);
** TensorFlow's "TFRecord and tf.train.Example", section "TFRecords format details".
*/
#ifndef MPG_TFEVENTS_H
#define MPG_TFEVENTS_H

#include "../../base/issues.h"
#include "../../read/input/stream.h"

/* What a row holds, X(name, type). */
#define MPG_TFEVENTS_COLUMNS(X)                                                                    \
  X(wall_time, REAL) /* Unix seconds */                                                            \
  X(step, BIGINT)                                                                                  \
  X(kind, TEXT) /* see tfevents.c; NULL: an event or a value of nothing */                         \
  X(tag, TEXT)                                                                                     \
  X(value, REAL) /* of a scalar; NULL if it is not a number, and then text is "nan" */             \
  X(text, TEXT)                                                                                    \
  X(plugin, TEXT)                                                                                  \
  X(file_version, TEXT) /* of the event that begins a file */

#define MPG_TFEVENTS_ENUM(name, type) MPG_TFEVENTS_##name,
enum { MPG_TFEVENTS_COLUMNS(MPG_TFEVENTS_ENUM) MPG_TFEVENTS_COUNT };

typedef struct mpg_tfevents mpg_tfevents;

/* Stream and issues (NULL: uncounted) are borrowed and must outlive the reader. */
mpg_rc mpg_tfevents_open(mpg_tfevents **out, const mpg_env *env, mpg_stream *stream,
                         mpg_issues *issues, mpg_err *err);
void mpg_tfevents_close(mpg_tfevents *t); /* NULL is fine */

/* For a file that was read before: from now on records in which no row can have this tag, borrowed,
** may be passed over, unchecked and uncounted. */
void mpg_tfevents_only(mpg_tfevents *t, mpg_str tag);

mpg_rc mpg_tfevents_next(mpg_tfevents *t, mpg_err *err); /* MPG_DONE at the end */
/* Where the record of the current row begins; after an error, the record that was left. */
int64_t mpg_tfevents_line(const mpg_tfevents *t);
/* Of the current row; text is borrowed until the next call. */
const mpg_value *mpg_tfevents_get(const mpg_tfevents *t, size_t column);

#endif
