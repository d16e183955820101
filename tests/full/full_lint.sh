#!/bin/sh
# Every static check of tests/lint.mk, with both compilers.
cd "$(dirname "$0")/../.." || exit 1
for tool in clang clang-format clang-tidy cppcheck; do
  command -v $tool >/dev/null || {
    echo "no $tool here"
    exit 77
  }
done
exec make --no-print-directory -k lint
