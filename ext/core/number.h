/*
** number.h - numbers in text, exactly and without the host's locale.
*/
#ifndef MPG_NUMBER_H
#define MPG_NUMBER_H

#include "base.h"

/* Each takes the whole of `text` or returns false and leaves *out alone. No white space, no "+". */

/* -?[0-9]+ within int64. */
bool mpg_int_parse(mpg_str text, int64_t *out);
/* A decimal number with optional fraction and exponent ("1", "1.", ".5", "1e+9"), correctly rounded
** as strtod does in the C locale; no hexadecimal, no "inf" or "nan"; a value that overflows to
** infinity is refused, one that underflows is a denormal or 0. */
bool mpg_real_parse(mpg_str text, double *out);
/* A decimal number times 10^scale, rounded half to even to an int64: "0.5", scale 6 -> 500000.
** No detour through double: exact. scale is 0..9. An exponent part is accepted. */
bool mpg_scaled_parse(mpg_str text, int scale, int64_t *out);
/* The same of a double: rounded half to even; false for NaN, infinities and what does not fit. */
bool mpg_scaled_real(double v, int scale, int64_t *out);

#endif
