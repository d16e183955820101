/* slurm_fast.c - see slurm_fast.h. */
#include "slurm_fast.h"

#include <string.h>

#define DATE_BYTES sizeof((mpg_slurm_date *)0)->text
#define DAY INT64_C(86400)

/* The value of two digits; over 99 if they are no digits. */
static inline unsigned two_digits(const char *p) {
  unsigned tens = (unsigned)(unsigned char)p[0] - '0', ones = (unsigned)(unsigned char)p[1] - '0';
  return tens <= 9 && ones <= 9 ? tens * 10 + ones : 100;
}

/* "05:52:33", of 8 bytes, below 24 hours. */
static inline bool read_clock(const char *p, int64_t *seconds) {
  unsigned hours = two_digits(p), minutes = two_digits(p + 3), s = two_digits(p + 6);
  if (p[2] != ':' || p[5] != ':' || hours > 23 || minutes > 59 || s > 59)
    return false;
  *seconds = hours * 3600 + minutes * 60 + s;
  return true;
}

bool mpg_slurm_fast_time(const mpg_slurm_date *date, mpg_str s, int64_t *seconds) {
  int64_t of_day;
  if (!date->known || s.n != 19 || memcmp(s.p, date->text, DATE_BYTES) != 0 ||
      s.p[DATE_BYTES] != 'T' || !read_clock(s.p + 11, &of_day))
    return false;
  *seconds = date->seconds + of_day;
  return true;
}

void mpg_slurm_date_learn(mpg_slurm_date *date, mpg_str s, int64_t seconds) {
  int64_t of_day;
  /* Not the first and the last day of all times, which may not be whole. */
  if (s.n != 19 || s.p[DATE_BYTES] != 'T' || !read_clock(s.p + 11, &of_day) || seconds < 2 * DAY ||
      seconds > INT64_C(9000000000))
    return;
  memcpy(date->text, s.p, DATE_BYTES);
  date->seconds = seconds - of_day;
  date->known = true;
}

bool mpg_slurm_fast_duration(mpg_str s, int64_t *seconds) {
  return s.n == 8 && read_clock(s.p, seconds);
}

bool mpg_slurm_fast_digits(mpg_str s) {
  bool all = s.n > 0 && s.n <= 18;
  for (size_t i = 0; all && i < s.n; i++)
    all = s.p[i] >= '0' && s.p[i] <= '9';
  return all;
}

bool mpg_slurm_is_known(const mpg_slurm_known *known, mpg_str s) {
  return s.n == known->n && s.n > 0 && memcmp(s.p, known->text, s.n) == 0;
}

void mpg_slurm_know(mpg_slurm_known *known, mpg_str s) {
  if (s.n == 0 || s.n > sizeof known->text)
    return;
  memcpy(known->text, s.p, s.n);
  known->n = (uint8_t)s.n;
}
