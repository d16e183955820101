#!/bin/sh
# The Python suites again, against an mpg.so under AddressSanitizer and UBSan with the hostile buffers
# of MPG_TEST, in a copy of the tree, as long as make test has them. Leaks are the allocation tests' to
# find: the interpreter's own would drown them here.
set -eu
unset MPG_FULL
cd "$(dirname "$0")/../.."
asan=$(cc -print-file-name=libasan.so)
[ "$asan" != libasan.so ] || {
  echo "no libasan here"
  exit 77
}
. tests/full/copied_tree.sh
make -s studies # what suites read that an mpg.so of the usual kind makes
make -s mpg.so CFLAGS='-O1 -g -fno-omit-frame-pointer -DMPG_TEST $(SANITIZE)' LDFLAGS='$(SANITIZE)'

bad=
for suite in tests/test_*.py tests/*/test_*.py; do
  [ "$suite" != tests/test_house.py ] || continue
  ! grep -q '^TARGETS = \["mpg.so", ' "$suite" || continue # of a wheel, say, that has an mpg.so of the usual kind
  echo "$suite"
  MPG_SANITIZED=1 LD_PRELOAD=$asan ASAN_OPTIONS=detect_leaks=0:abort_on_error=1 UBSAN_OPTIONS=print_stacktrace=1 \
    /usr/bin/python3 tests/run --python "$suite" "build/report" || bad="$bad $suite"
done
[ -z "$bad" ] || {
  echo "failed:$bad"
  exit 1
}
