/* uuid.h - UUIDs in job names, through libuuid. */
#ifndef MPG_UUID_H
#define MPG_UUID_H

#include "../../base/base.h"

#define MPG_UUID_TEXT 37

/*
** True if `text` is a UUID: 8-4-4-4-12 hexadecimal digits in either case, bare, in braces, or after
** "urn:uuid:". `out` then gets the canonical lower-case text, terminated (36 characters).
*/
bool mpg_uuid_canonical(mpg_str text, char out[MPG_UUID_TEXT]);

/*
** Version 5 (RFC 9562, section 5.5): the same namespace and name give the same id everywhere.
** `space` is a UUID, or one of dns, url, oid, x500; false if it is neither.
*/
bool mpg_uuid_v5(mpg_str space, mpg_str name, char out[MPG_UUID_TEXT]);

#endif
