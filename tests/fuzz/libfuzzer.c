/* libfuzzer.c - one target (FUZZ_TARGET, such as fuzz_csv) under libFuzzer. */
#include "fuzz.h"

#ifndef FUZZ_TARGET
#define FUZZ_TARGET fuzz_csv
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  FUZZ_TARGET((mpg_str){(const char *)data, n});
  return 0;
}
