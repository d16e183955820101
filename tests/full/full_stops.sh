#!/bin/sh
# The fuzz inputs again, in a build that asks every few turns whether to stop: each reader is stopped in loops that inputs
# as small as these go through between two looks, and says that it was, or the same, and keeps nothing.
set -eu
cd "$(dirname "$0")/../.."
. tests/full/copied_tree.sh
make -s mpg.so build/asan/replay ASAN='-DSQLITE_CORE -DMPG_TEST -DMPG_POLL_TURNS=4 -DMPG_POLL_WORK=16 -O1 -fno-omit-frame-pointer $(SANITIZE)'
exec /usr/bin/python3 tests/run --python tests/robust/test_fuzz.py build/report
