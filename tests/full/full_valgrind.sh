#!/bin/sh
# The unit tests under valgrind, which sees what the sanitizers do not: values never initialised. Not
# the sweep over failing allocations, whose thousands of runs take too long here.
set -eu
cd "$(dirname "$0")/../.."
command -v valgrind >/dev/null || {
  echo "no valgrind here"
  exit 77
}
bad=
for source in tests/unit/test_*.c; do
  name=$(basename "$source" .c)
  [ "$name" != test_oom ] || continue
  make -s --no-print-directory "build/unit/$name"
  valgrind --quiet --error-exitcode=1 --leak-check=full --errors-for-leak-kinds=definite,possible \
    "build/unit/$name" || bad="$bad $name"
done
[ -z "$bad" ] || {
  echo "failed:$bad"
  exit 1
}
