#!/bin/sh
# Checks that what a make target needs is there, and installs what is not from Debian's packages.
#
#   ext/package/deps.sh build | demo | test | lint | full       each with all before it
#   ext/package/deps.sh package | clients | slurm | postgres | format | site | web
#                                       what make deb, test-clients, test-slurm, postgres, format, site and web need
#
# With --name it installs nothing: it names the packages in one line, and fails.
#
# Installs as root, or through sudo where it asks for no password; else prints the one command and
# fails. Looks for commands and headers, not packages, so that a machine with its own is left alone,
# and asks apt nothing while all is there.
set -eu
only_name=
if [ "${1:-}" = --name ]; then
  only_name=yes
  shift
fi
wanted=${1:-full}
cc=${CC:-cc}
python=${PYTHON:-/usr/bin/python3}
packages=

missing() {
  packages="$packages $1"
}
command_in() { # package, command
  command -v "$2" >/dev/null 2>&1 || missing "$1"
}
header_in() { # package, headers
  package=$1
  shift
  for header; do echo "#include <$header>"; done |
    $cc -E -x c - >/dev/null 2>&1 || missing "$package"
}
build() {
  command_in make make
  case ${cc%% *} in
  cc | gcc) command_in gcc "${cc%% *}" ;;
  *) command_in "${cc%% *}" "${cc%% *}" ;;
  esac
  command_in binutils ar
  header_in libc6-dev stdio.h
  header_in libsqlite3-dev sqlite3ext.h
  case $(uname -m) in # Debian has it for these alone; elsewhere zlib takes its place
  x86_64 | aarch64) [ -n "$only_name" ] || header_in libisal-dev isa-l.h ;;
  esac
  header_in zlib1g-dev zlib.h
  header_in libzstd-dev zstd.h
  header_in uuid-dev uuid/uuid.h
  header_in libpcre2-dev pcre2posix.h
}
demo() {
  build
  command_in sqlite3 sqlite3
}
tests() {
  demo
  "$python" -c 'import sqlite3, unittest' 2>/dev/null || missing python3
  "$python" -c 'import jsonschema' 2>/dev/null || missing python3-jsonschema
  command_in gzip gzip
  command_in zstd zstd
  command_in pkg-config pkg-config
}
lint() {
  tests
  command_in clang clang
  format
  command_in clang-tidy clang-tidy
  command_in cppcheck cppcheck
  command_in pyflakes3 pyflakes3
}
package() {
  build
  command_in dpkg-dev dpkg-buildpackage
  command_in debhelper dh
  command_in lintian lintian
}
works_in() { # package, command that succeeds where it is there
  name=$1
  shift
  "$@" >/dev/null 2>&1 || missing "$name"
}
clients() {
  tests
  works_in python3-apsw "$python" -c 'import apsw'
  works_in python3-pandas "$python" -c 'import pandas'
  works_in python3-sqlalchemy "$python" -c 'import sqlalchemy'
  works_in python3-matplotlib "$python" -c 'import matplotlib'
  works_in python3-pip "$python" -m pip --version
  works_in python3-pyodbc "$python" -c 'import pyodbc'
  command_in unixodbc isql
  works_in libsqliteodbc odbcinst -q -d -n SQLite3
  command_in default-jdk-headless javac
  works_in libxerial-sqlite-jdbc-java test -e /usr/share/java/sqlite-jdbc.jar
  command_in r-base-core Rscript
  works_in r-cran-rsqlite Rscript --vanilla -e 'library(RSQLite)'
  works_in r-cran-bit64 Rscript --vanilla -e 'library(bit64)'
  works_in libdbd-sqlite3-perl perl -MDBD::SQLite -e 1
  command_in php-cli php
  works_in php-sqlite3 php -r 'exit(class_exists("SQLite3") ? 0 : 1);'
  command_in tcl tclsh
  works_in libsqlite3-tcl sh -c "echo 'puts [package require sqlite3]' | tclsh | grep -q ."
  command_in ruby ruby
  works_in ruby-sqlite3 ruby -rsqlite3 -e ''
  command_in nodejs node
  command_in npm npm
  command_in g++ g++
}
slurm() {
  tests
  command_in slurmctld slurmctld
  command_in slurmd slurmd
  command_in slurm-client sbatch
  command_in munge munged
  command_in iproute2 ip
}
postgres() {
  build
  [ -e "$(${PG_CONFIG:-pg_config} --includedir-server 2>/dev/null)/postgres.h" ] || missing "postgresql-server-dev-$(postgres_version)"
}
postgres_version() { # of the server that is here, or of Debian
  ls /usr/lib/postgresql 2>/dev/null | sort -n | tail -n 1 | grep . || echo all
}
format() {
  command_in clang-format clang-format
  command_in black black
}
site() {
  command_in mkdocs mkdocs
}
web() {
  demo
  command_in emscripten emcc
  command_in npm npm
  command_in bzip2 bzip2
  command_in xz-utils xz
  command_in chromium chromium
  command_in chromium-driver chromedriver
}
full() {
  package
  lint
  site
  command_in valgrind valgrind
  command_in debootstrap debootstrap
  command_in postgresql pg_ctlcluster
  [ -e "$(pg_config --includedir-server 2>/dev/null)/postgres.h" ] || missing "postgresql-server-dev-$(postgres_version)"
}

PATH=$PATH:/usr/sbin:/sbin
case $wanted in
build | demo | lint | full | package | clients | slurm | postgres | format | site | web) $wanted ;;
test) tests ;;
*)
  echo "usage: ext/package/deps.sh [--name] build|demo|test|lint|full|package|clients|slurm|postgres|format|site|web" >&2
  exit 2
  ;;
esac
[ -n "$packages" ] || exit 0
if [ -n "$only_name" ]; then
  echo "This needs packages that are not here: apt-get install$packages" >&2
  exit 1
fi

install="apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends$packages"
if ! command -v apt-get >/dev/null 2>&1; then
  echo "mpg needs what these packages hold in Debian:$packages" >&2
  echo "Install their like with this system's own package manager." >&2
  exit 1
elif [ "$(id -u)" = 0 ]; then
  as=
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
  as="sudo -n"
else
  echo "mpg needs packages that are not here. As root, run:" >&2
  echo "  sh -c '$install'" >&2
  exit 1
fi
echo "Installing$packages"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! $as sh -c "$install" </dev/null >"$log" 2>&1; then
  cat "$log" >&2
  echo "This failed; once it works, try again:  $install" >&2
  exit 1
fi
