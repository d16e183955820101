#!/bin/sh
# What threads share, under ThreadSanitizer, with the hostile buffers of MPG_TEST: what is unpacked ahead, readers in blocks, roll-ups, connections.
set -eu
cd "$(dirname "$0")/../.."
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
trap 'exit 1' HUP INT TERM
make -s mpg.so
echo 'int main(void) { return 0; }' >"$top/none.c"
cc -fsanitize=thread -o "$top/none" "$top/none.c" 2>/dev/null && "$top/none" || {
  echo "no ThreadSanitizer here"
  exit 77
}
flags='-std=gnu11 -O1 -g -fsanitize=thread -DMPG_TEST -DSQLITE_CORE -DMPG_COMMIT="threads"'
for source in $(find ext -name '*.c' ! -path 'ext/postgres/*') build/chips_data.c; do
  cc $flags -c -o "$top/$(echo "$source" | tr / -).o" "$source"
done
for test in pipeline source blocks native rollup scan chrome_ahead slurm ledger_scan connections; do
  cc $flags -o "$top/$test" "tests/unit/test_$test.c" "$top"/*.c.o -lsqlite3 -lz -lzstd -luuid -lpcre2-8 -lm -lpthread
  TSAN_OPTIONS=halt_on_error=1 "$top/$test"
done
