/*
** uuid_sha1.c - uuid_generate_sha1 of libuuid, for make release.
**
** libuuid.a gives the other calls. Its own file with this one also makes random UUIDs, by
** variables of each thread that no loadable library can link.
*/
#include <stdint.h>
#include <string.h>
#include <uuid/uuid.h>

#define BLOCK 64 /* bytes that SHA-1 takes at a time */

typedef struct sha1 {
  uint32_t hash[5];
  unsigned char block[BLOCK];
  size_t filled;
  uint64_t bytes;
} sha1;

static uint32_t rotate_left(uint32_t x, unsigned n) {
  return x << n | x >> (32 - n);
}

/* RFC 3174, section 6.1. */
static void add_block(uint32_t hash[5], const unsigned char *p) {
  uint32_t w[80], a = hash[0], b = hash[1], c = hash[2], d = hash[3], e = hash[4];
  for (unsigned i = 0; i < 16; i++, p += 4)
    w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
  for (unsigned i = 16; i < 80; i++)
    w[i] = rotate_left(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
  for (unsigned i = 0; i < 80; i++) {
    uint32_t f = i < 20   ? (b & c) | (~b & d)
                 : i < 40 ? b ^ c ^ d
                 : i < 60 ? (b & c) | (b & d) | (c & d)
                          : b ^ c ^ d;
    uint32_t k = i < 20 ? 0x5a827999 : i < 40 ? 0x6ed9eba1 : i < 60 ? 0x8f1bbcdc : 0xca62c1d6;
    uint32_t next = rotate_left(a, 5) + f + e + k + w[i];
    e = d;
    d = c;
    c = rotate_left(b, 30);
    b = a;
    a = next;
  }
  hash[0] += a;
  hash[1] += b;
  hash[2] += c;
  hash[3] += d;
  hash[4] += e;
}

static void add_bytes(sha1 *s, const void *bytes, size_t n) {
  const unsigned char *p = bytes;
  s->bytes += n;
  for (size_t i = 0; i < n; i++) {
    s->block[s->filled++] = p[i];
    if (s->filled == BLOCK) {
      add_block(s->hash, s->block);
      s->filled = 0;
    }
  }
}

/* A 1 bit, zeros up to the last 8 bytes of a block, and there the length in bits. */
static void finish_hash(sha1 *s) {
  uint64_t bits = s->bytes * 8;
  unsigned char length[8];
  for (unsigned i = 0; i < 8; i++)
    length[i] = (unsigned char)(bits >> (56 - 8 * i));
  add_bytes(s, "\x80", 1);
  while (s->filled != BLOCK - sizeof length)
    add_bytes(s, "", 1);
  add_bytes(s, length, sizeof length);
}

/* RFC 4122, section 4.3. */
void uuid_generate_sha1(uuid_t out, const uuid_t space, const char *name, size_t n) {
  sha1 s = {.hash = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}};
  add_bytes(&s, space, sizeof(uuid_t));
  add_bytes(&s, name, n);
  finish_hash(&s);
  for (unsigned i = 0; i < sizeof(uuid_t); i++)
    out[i] = (unsigned char)(s.hash[i / 4] >> (24 - 8 * (i % 4)));
  out[6] = (unsigned char)((out[6] & 0x0f) | 0x50); /* version 5 */
  out[8] = (unsigned char)((out[8] & 0x3f) | 0x80); /* the variant of the RFC */
}
