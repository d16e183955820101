#!/bin/sh
# The packages: the source archive builds without a network, Debian's are clean and load, node's find their library.
set -eu
cd "$(dirname "$0")/../.."
skip() {
  echo "$1"
  exit 77
}
command -v dpkg-buildpackage >/dev/null && command -v lintian >/dev/null || skip "no dpkg-buildpackage or lintian here"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM

echo "make dist"
make -s dist
tar -xzf dist/mpg-*.tar.gz -C "$folder"
offline=
! unshare --net true 2>/dev/null || offline="unshare --net"
(cd "$folder"/mpg-* && $offline make -s mpg.so && sqlite3 :memory: '.load ./mpg' 'SELECT mpg_version()')

echo "make deb"
rm -f dist/*.deb
make -s deb
lintian --fail-on error,warning dist/*.deb
for package in dist/*.deb; do dpkg-deb -x "$package" "$folder/root"; done
library=$(dirname "$(find "$folder/root" -name mpg.so)")
LD_LIBRARY_PATH=$library sqlite3 :memory: '.load mpg' 'SELECT mpg_version()'
[ -z "$(find "$folder/root" -name libmpg.so)" ]

echo "make npm"
if command -v npm >/dev/null; then
  rm -f dist/*.tgz
  make -s npm
  for package in dist/*.tgz; do
    mkdir -p "$folder/node/node_modules/x"
    tar -xzf "$package" -C "$folder/node/node_modules/x"
    name=$(sed -n 's/.*"name": "\(.*\)".*/\1/p' "$folder/node/node_modules/x/package/package.json")
    mv "$folder/node/node_modules/x/package" "$folder/node/node_modules/$name"
  done
  path=$(cd "$folder/node" && node -p 'require("sqlite-mpg").getLoadablePath()')
  [ "$path" = "$(cd "$folder/node" && node --input-type=module -e 'import { getLoadablePath } from "sqlite-mpg"; console.log(getLoadablePath())')" ]
  sqlite3 :memory: ".load '$path'" 'SELECT mpg_version()'
  rm -rf "$folder"/node/node_modules/sqlite-mpg-*
  if (cd "$folder/node" && node -p 'require("sqlite-mpg").getLoadablePath()' 2>"$folder/said"); then exit 1; fi
  grep -q 'this platform is not supported' "$folder/said"
fi
