#!/bin/sh
# What threads share, under ThreadSanitizer, with the hostile buffers of MPG_TEST: what is unpacked ahead, readers in blocks, roll-ups, connections.
# In a copy of the tree.
set -eu
cd "$(dirname "$0")/../.."
. tests/full/copied_tree.sh
echo 'int main(void) { return 0; }' >"$top/none.c"
cc -fsanitize=thread -o "$top/none" "$top/none.c" 2>/dev/null && "$top/none" || {
  echo "no ThreadSanitizer here"
  exit 77
}
for test in pipeline source blocks native fleet_part rollup scan chrome_ahead slurm pbs ledger_scan connections; do
  make -s --no-print-directory "build/unit/test_$test" CFLAGS='-O1 -g -fsanitize=thread -DMPG_TEST' LDFLAGS=-fsanitize=thread
  TSAN_OPTIONS=halt_on_error=1 "build/unit/test_$test"
done
