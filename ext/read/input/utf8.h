/*
** utf8.h - which bytes are UTF-8, by RFC 3629: no surrogates, no overlong forms; and which of a
** file are text at all.
*/
#ifndef MPG_UTF8_H
#define MPG_UTF8_H

#include <stddef.h>
#include <sys/types.h>

#define MPG_UTF8_REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* How many bytes at the start are whole characters. */
size_t mpg_utf8_valid(const char *p, size_t n);

/* The bytes of the character at p, which has n > 0 bytes. 0: its end is missing. Negative: it is
** none, and so many bytes stand for one U+FFFD (Unicode's "maximal subpart"). */
int mpg_utf8_character(const char *p, size_t n);

/* Where a file's text ends, if NUL bytes alone follow it, as a file system that had reserved blocks
** leaves them when its node crashes; -1: none do, or more than 64 MiB, there is nothing else, or
** the file is not one that can be looked into. *size: of the file. The position of reads stays. */
off_t mpg_nul_tail(int fd, off_t *size);

#endif
