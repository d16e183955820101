#!/bin/sh
# The unit tests and the fuzz inputs under clang's sanitizers, which tell of what gcc's do not: an offset,
# be it 0, added to an array that is not there. Not the sweep over failing allocations, which takes half an
# hour so. In a copy of the tree.
set -eu
cd "$(dirname "$0")/../.."
command -v clang >/dev/null || {
  echo "no clang here"
  exit 77
}
. tests/full/copied_tree.sh

bad=
for source in tests/unit/test_*.c; do
  name=$(basename "$source" .c)
  [ "$name" != test_oom ] || continue
  make -s --no-print-directory CC=clang "build/asan/unit/$name"
  "build/asan/unit/$name" || bad="$bad $name"
done
/usr/bin/python3 - "$top/inputs" <<'EOF' || bad="$bad fuzz"
import os
import subprocess
import sys

sys.path.insert(0, "tests/fuzz")
import corpus

subprocess.run(["make", "-s", "--no-print-directory", "CC=clang", "mpg.so", "build/asan/replay"], check=True)
for target in corpus.targets():
    folder = os.path.join(sys.argv[1], target)
    corpus.unpack(target, folder)
    paths = "".join(f"{folder}/{name}\n" for name in os.listdir(folder))
    subprocess.run(["build/asan/replay", target], input=paths, text=True, check=True)
EOF
[ -z "$bad" ] || {
  echo "failed:$bad"
  exit 1
}
