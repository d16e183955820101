#!/bin/sh
# sources.sh FOLDER - the sources of what the page links, unpacked below FOLDER: zlib, zstd, PCRE2 and libuuid from Debian's source
# packages, and SQLite in one file from the npm package better-sqlite3. Nothing is fetched if they are there.
set -eu
out=$1
[ ! -e "$out/done" ] || exit 0
mkdir -p "$out/apt/lists/partial" "$out/include/uuid"
cd "$out"
. /etc/os-release
echo "deb-src http://deb.debian.org/debian ${VERSION_CODENAME:-bookworm} main" >apt/sources.list
apt="apt-get -q -o Dir::Etc::SourceList=$PWD/apt/sources.list -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists=$PWD/apt/lists"
{
  $apt update
  (cd apt && $apt source --download-only zlib libzstd pcre2 util-linux)
} >apt/log 2>&1 || { echo "make web needs Debian's source packages zlib, libzstd, pcre2 and util-linux: $PWD/apt/log" >&2; exit 1; }
unpack() { # folder, archive: without its own top folder
  mkdir -p "$1"
  tar -xf "$2" -C "$1" --strip-components=1
}
unpack zlib apt/zlib_*.orig.tar.*[!c]
unpack zstd apt/libzstd_*.orig.tar.*[!c]
unpack pcre2 apt/pcre2_*.orig.tar.*[!c]
unpack uuid apt/util-linux_*.orig.tar.*[!c]
(cd apt && npm pack --silent better-sqlite3@12 >/dev/null) || { echo "make web needs the npm package better-sqlite3, for SQLite's source" >&2; exit 1; }
mkdir -p sqlite
tar -xzf apt/better-sqlite3-*.tgz -C sqlite --strip-components=3 package/deps/sqlite3
for name in config.h pcre2.h; do cp "pcre2/src/$name.generic" "pcre2/src/$name"; done
cp pcre2/src/pcre2_chartables.c.dist pcre2/src/pcre2_chartables.c
cp zlib/zlib.h zlib/zconf.h zstd/lib/zstd.h zstd/lib/zstd_errors.h pcre2/src/pcre2.h sqlite/sqlite3.h sqlite/sqlite3ext.h include
cp uuid/libuuid/src/uuid.h include/uuid
rm -rf apt
touch done
