#!/bin/sh
# What README promises, tried: in a bare Debian 11, 12 and 13 that holds git, make and ca-certificates,
# root clones this repository, and `make demo`, `make install` and `.load mpg` work; in 12 `make test`, too.
#
# The root file system is made anew and reaches packages the way this machine does: by its apt
# configuration and proxies. Mounts are in a namespace of their own, so they end with this process.
set -eu
cd "$(dirname "$0")/../.."
if [ -z "${MPG_SUITE:-}" ]; then
  for suite in bullseye trixie bookworm; do
    MPG_SUITE=$suite sh "tests/full/${0##*/}" || exit $?
  done
  exit 0
fi
suite=$MPG_SUITE

skip() {
  echo "$1"
  exit 77
}
PATH=$PATH:/usr/sbin:/sbin
[ "$(id -u)" = 0 ] || skip "needs root"
command -v debootstrap >/dev/null || skip "no debootstrap here"
if [ -z "${MPG_NAMESPACE:-}" ]; then
  unshare --mount --propagation private true 2>/dev/null || skip "may not mount here"
  MPG_NAMESPACE=1 exec unshare --mount --propagation private sh "tests/full/${0##*/}"
fi

root=$(mktemp -d "${TMPDIR:-/var/tmp}/mpg-root.XXXXXX")
chmod 755 "$root" # a root that others than root may enter, as everywhere
clean_up() {
  umount "$root/proc" "$root/dev/pts" "$root/src/shared" 2>/dev/null || true
  rm -rf --one-file-system "$root"
}
trap clean_up EXIT
trap 'exit 1' HUP INT TERM

# The mirror of this machine, where it is the same Debian; else Debian's own.
mirror=$(apt-get indextargets --format '$(CODENAME) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
  sed -n "s/^$suite main //p" | head -n 1)
eval "$(apt-config shell http_proxy Acquire::http::Proxy https_proxy Acquire::https::Proxy 2>/dev/null)"
[ -z "${http_proxy:-}" ] || export http_proxy
[ -z "${https_proxy:-}" ] || export https_proxy

echo "making a bare $suite"
log=$root.log
debootstrap --variant=minbase --include=git,make,ca-certificates "$suite" "$root" \
  "${mirror:-http://deb.debian.org/debian}" >"$log" 2>&1 || {
  cat "$log" "$root/debootstrap/debootstrap.log" 2>/dev/null | tail -n 40
  rm -f "$log"
  exit 1
}
rm -f "$log"
sources=
if [ -n "$mirror" ]; then
  rm -f "$root/etc/apt/sources.list"
  sources="/etc/apt/sources.list /etc/apt/sources.list.d /etc/apt/keyrings /etc/apt/trusted.gpg.d /usr/share/keyrings"
fi
for path in $sources /etc/apt/apt.conf /etc/apt/apt.conf.d /usr/local/share/ca-certificates; do
  [ ! -e "$path" ] || cp -RL "$path" "$root${path%/*}/"
done
cp -L /etc/resolv.conf /etc/hosts "$root/etc/"

inside() {
  env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb CI=true \
    http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}" no_proxy="${no_proxy:-}" \
    chroot "$root" sh -euc "$1" </dev/null
}
mkdir "$root/src"
mount -t proc proc "$root/proc"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts" # a test makes a terminal
ln -sf pts/ptmx "$root/dev/ptmx"
if [ -d ../shared ]; then
  mkdir "$root/src/shared"
  mount --bind "$(realpath ../shared)" "$root/src/shared"
  mount -o remount,bind,ro "$root/src/shared"
fi
inside update-ca-certificates >/dev/null 2>&1
git clone -q "$PWD" "$root/src/mpg"

echo "make demo"
inside 'cd /src/mpg && make demo'
if [ "$suite" = bookworm ]; then
  echo "make test"
  inside 'cd /src/mpg && ./.ci/run && test -z "$(git status --porcelain)"'
fi
echo "make install"
said=$(inside 'cd /src/mpg && make -s install')
echo "$said"
[ "$said" = "Installed. In SQLite:  .load mpg" ]
inside 'sqlite3 :memory: ".load mpg" "SELECT mpg_version()"'
inside 'cd /src/mpg && make -s uninstall && test -z "$(find /usr/local -name "*mpg*")"'
! inside 'sqlite3 :memory: ".load mpg"' 2>/dev/null
