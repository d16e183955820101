#!/bin/sh
# What threads share, under ThreadSanitizer, with the hostile buffers of MPG_TEST.
set -eu
cd "$(dirname "$0")/.."
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
trap 'exit 1' HUP INT TERM
make -s mpg.so
echo 'int main(void) { return 0; }' >"$top/none.c"
cc -fsanitize=thread -o "$top/none" "$top/none.c" 2>/dev/null && "$top/none" || {
  echo "no ThreadSanitizer here"
  exit 77
}
for test in blocks native rollup scan ledger_scan; do
  cc -std=gnu11 -O1 -g -fsanitize=thread -DMPG_TEST -DSQLITE_CORE -o "$top/$test" "tests/unit/test_$test.c" \
    ext/core/*.c ext/io/*.c build/chips_data.c -lz -lzstd -luuid -lpcre2-8 -lm -lpthread
  TSAN_OPTIONS=halt_on_error=1 "$top/$test"
done
