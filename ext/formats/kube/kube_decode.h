/* kube_decode.h - the fields of one object of Kubernetes, from its JSON: see kube_object.h. */
#ifndef MPG_KUBE_DECODE_H
#define MPG_KUBE_DECODE_H

#include "kube_object.h"

/*
** Decodes the object that is open as level MPG_KUBE_TOP; the values borrow of its text. `kind` is
** that of the list it was in, for items that have none of their own; `event` is the watch event's,
** or empty.
*/
mpg_rc mpg_kube_decode(mpg_kube_object *o, mpg_str event, mpg_str kind, mpg_err *err);

#endif
