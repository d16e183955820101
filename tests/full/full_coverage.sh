#!/bin/sh
# What make test reaches of ext/ is no less than tests/full/coverage.json says.
cd "$(dirname "$0")/../.." || exit 1
command -v gcov >/dev/null || {
  echo "no gcov here"
  exit 77
}
exec make --no-print-directory coverage
