#!/usr/bin/env bash
# deb - a Debian package of this tree (DU-11).
#
# usage: tests/deb.sh build    into build/deb/, without a complaint of lintian
#        tests/deb.sh test [RELEASE]
#                              as root: built in a clean system of the release (this machine's,
#                              or another one of Debian: trixie), installed in another one, used
#                              there, and removed again
set -eu
cd "$(dirname "$0")/.."
out=$PWD/build/deb
log=$out/log
version=$(sed -n 's/.*HEDDLE_VERSION "\(.*\)"/\1/p' nodes/base/version.h)

. tests/clean_system.sh

# what the Makefile needs is what the package needs to build
agrees() {
	local package packages
	packages=$(sed -n '/^PACKAGES :=/,/[^\\]$/{s/^PACKAGES :=//;s/\\$//;p}' Makefile)
	for package in $packages; do
		case $package in gcc | make | check | libsubunit-dev) continue ;; pkg-config) package=pkgconf ;; esac
		grep -qE "^ *(Build-Depends: )?$package,?$" debian/control || fail "debian/control does not build-depend on $package"
	done
	grep -q "^heddle ($version) " debian/changelog || fail "debian/changelog lacks $version, the version of nodes/base/version.h"
}

# the files of the tree, without what is built: $out/heddle-VERSION
source_copy() {
	rm -rf "$out"
	mkdir -p "$out/heddle-$version"
	if [ -e .git ]; then git ls-files -z --cached --others --exclude-standard; else find . -path ./build -prune -o -type f -print0; fi |
		while IFS= read -r -d '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done |
		tar -c --null -T - | tar -x -C "$out/heddle-$version"
}

lint() {
	lintian --fail-on error,warning --tag-display-limit 0 "$out"/heddle_*.changes
}

build() {
	(cd "$out/heddle-$version" && quietly dpkg-buildpackage -b -us -uc)
	rm -rf "$out/heddle-$version"
	lint
	ls "$out"/*.deb
}

# ---- clean systems ----

# system FOLDER PACKAGE... - a clean one of the release
system() {
	local folder=$1
	shift
	quietly mmdebstrap --quiet --variant=apt --include="mount,$(IFS=,; echo "$*")" "$release" "$folder"
}

# used FOLDER - the demo's scenario, and a fabric with a program in it
used() {
	inside "$1" sh -euc '
		ready=/usr/share/heddle/topologies
		heddle --version
		heddle run $ready/parking-lot.yaml --quiet
		heddle lab list
		heddle up $ready/two-racks.yaml --name deb
		heddle exec h1 -- ping -c 3 -W 20 h6
		heddle down deb
		man -w heddle-run || test -e /usr/share/man/man1/heddle-run.1.gz'
}

# left FOLDER - files that an installation and a removal left, caches and logs apart
left() {
	(cd "$1" && find . -xdev \( -path ./var/cache -o -path ./var/lib/apt -o -path ./var/lib/dpkg -o -path ./var/log \) -prune \
		-o -iname '*heddle*' -print)
}

# in a clean system with what a build needs and no more
built() {
	echo "deb: a clean $release that builds" >&2
	# shellcheck disable=SC2046
	system "$1" build-essential fakeroot debhelper $(sed -n '/^Build-Depends/,/^Standards/{s/Build-Depends://;/^Standards/d;s/(.*)//;s/,//;p}' debian/control | grep -v debhelper-compat)
	mv "$out/heddle-$version" "$1/root/heddle"
	quietly inside "$1" sh -c 'cd /root/heddle && dpkg-buildpackage -b -us -uc'
	cp "$1"/root/heddle_*.{deb,changes,buildinfo} "$1"/root/heddle-{dbgsym,mpi,mpi-dbgsym}_*.deb "$out"
	lint
}

# in a clean system with what the package depends on and no more: dpkg refuses it if that is not
# enough
installed() {
	echo "deb: a clean $release that installs" >&2
	# shellcheck disable=SC2046
	system "$1" iputils-ping $(dpkg-deb -f "$out"/heddle_*.deb Depends | sed 's/([^)]*)//g; s/,//g')
	echo '127.0.0.1 localhost' >"$1/etc/hosts" # of the installer, in no package
	cp "$out"/heddle_*.deb "$1/root/"
	quietly inside "$1" sh -c 'dpkg -i /root/heddle_*.deb'
	rm "$1"/root/heddle_*.deb
	quietly used "$1"
	quietly inside "$1" dpkg -P heddle
	[ -z "$(left "$1")" ] || fail "left after removal: $(left "$1")"
}

clean_test() {
	[ "$(id -u)" = 0 ] || fail "clean systems are made as root"
	. /etc/os-release
	release=${1:-$VERSION_CODENAME}
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	built "$work/builder"
	installed "$work/user"
	echo "deb: built, installed, used and removed; nothing is left"
}

case ${1:-} in
build | test) ;;
*) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 2 ;;
esac
agrees
source_copy
if [ "$1" = build ]; then build; else clean_test "${2:-}"; fi
