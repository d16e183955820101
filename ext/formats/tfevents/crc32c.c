/* crc32c.c - see crc32c.h. */
#include "crc32c.h"

#define POLYNOMIAL UINT32_C(0x82f63b78) /* reversed: the lowest bit comes first */

void mpg_crc32c_init(mpg_crc32c *t) {
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; bit++)
      crc = crc >> 1 ^ ((crc & 1) != 0 ? POLYNOMIAL : 0);
    t->of[0][i] = crc;
  }
  for (int k = 1; k < 8; k++)
    for (int i = 0; i < 256; i++)
      t->of[k][i] = t->of[k - 1][i] >> 8 ^ t->of[0][t->of[k - 1][i] & 0xff];
}

uint32_t mpg_crc32c_add(const mpg_crc32c *t, uint32_t crc, const void *bytes, size_t n) {
  const unsigned char *p = bytes;
  crc = ~crc;
  for (; n >= 8; p += 8, n -= 8) {
    crc ^= (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    crc = t->of[7][crc & 0xff] ^ t->of[6][crc >> 8 & 0xff] ^ t->of[5][crc >> 16 & 0xff] ^
          t->of[4][crc >> 24] ^ t->of[3][p[4]] ^ t->of[2][p[5]] ^ t->of[1][p[6]] ^ t->of[0][p[7]];
  }
  for (; n > 0; p++, n--)
    crc = crc >> 8 ^ t->of[0][(crc ^ *p) & 0xff];
  return ~crc;
}

uint32_t mpg_crc32c_mask(uint32_t crc) {
  return (crc >> 15 | crc << 17) + UINT32_C(0xa282ead8);
}
