/*
** os.h - what the tests of readers replace: the four calls that read a file, and the buffer sizes.
** In a released build the calls are a constant table and the sizes constants.
*/
#ifndef MPG_OS_H
#define MPG_OS_H

#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

typedef struct mpg_os {
  int (*open)(const char *path, int flags);
  int (*fstat)(int fd, struct stat *st);
  ssize_t (*read)(int fd, void *buf, size_t n);
  int (*close)(int fd);
} mpg_os;

#ifdef MPG_TEST
extern mpg_os mpg_os_calls;
/* Bytes of every buffer; 0: a part of those released, so that a test's many short texts do not each
** take a megabyte, which costs the sanitizers a millisecond. */
extern size_t mpg_io_block;
#define MPG_IO_SIZE(n) (mpg_io_block != 0 ? mpg_io_block : (size_t)(n) / 16)
#else
#define MPG_IO_SIZE(n) ((size_t)(n))
#endif

#endif
