/*
** crc32c.h - the checksum CRC-32C (Castagnoli), as TFRecord files have it.
**
** Source: RFC 3720, appendix B.4. The mask is the one of TensorFlow's lib/hash/crc32c.h: it keeps a
** checksum of bytes that hold checksums from being a weak one.
*/
#ifndef MPG_CRC32C_H
#define MPG_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Tables for eight bytes at a time. */
typedef struct mpg_crc32c {
  uint32_t of[8][256];
} mpg_crc32c;

void mpg_crc32c_init(mpg_crc32c *tables);
/* Goes on with the checksum of what came before, 0 at the start. */
uint32_t mpg_crc32c_add(const mpg_crc32c *tables, uint32_t crc, const void *p, size_t n);
uint32_t mpg_crc32c_mask(uint32_t crc);

#endif
