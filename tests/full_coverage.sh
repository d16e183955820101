#!/bin/sh
# What make test reaches of ext/ is no less than tests/coverage.json says. Some of it is tested with what lies in ../shared.
cd "$(dirname "$0")/.." || exit 1
command -v gcov >/dev/null || {
  echo "no gcov here"
  exit 77
}
[ -d ../shared ] || {
  echo "no ../shared here, which the floor counts on"
  exit 77
}
exec make --no-print-directory coverage
