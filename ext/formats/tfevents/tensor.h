/*
** tensor.h - what a TensorProto of an event file holds, where that is one number or one text.
**
** The value stands in tensor_content, as the machine has it (little-endian), or in the list of its
** type (float_val, string_val, ...). A tensor of several elements has no single value. Source:
** tensor.proto, tensor_shape.proto and types.proto of TensorFlow.
*/
#ifndef MPG_TENSOR_H
#define MPG_TENSOR_H

#include "../../read/parse/protobuf.h"

/* MPG_REAL: its number. MPG_TEXT: its text, borrowed from the message. MPG_NULL: neither; complex
** numbers and the types of 8 bits and fewer that are no integers are so, too. MPG_DATA: the message
** is malformed. MPG_INTERRUPTED: `poller` said so. */
mpg_rc mpg_tensor_read(mpg_proto_message message, mpg_poller *poller, mpg_value *out, mpg_err *err);

#endif
