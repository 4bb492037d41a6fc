#!/usr/bin/env bash
# systems - Heddle on other releases and with other compilers than this machine's (DU-12).
#
# usage: tests/systems.sh [SYSTEM...]    as root; SYSTEM: bookworm, trixie, noble; all if none is
#                                        named
#
# Each is a clean system (mmdebstrap) with what the Makefile asks for. With each of its compilers
# the programs are built, where a warning is an error, and a scenario gives the bytes that this
# machine's programs give. With the last compiler the unit tests are built, too; they pass there.
# The kernel is this machine's: tests/system/test_no_io_uring.sh imitates older ones.
# It takes some minutes for each, 3 GB below TMPDIR, and packages from the archives.
set -eu
cd "$(dirname "$0")/.."

# system, compilers
systems='
bookworm gcc-12,clang-14,clang-15,clang-16,clang-19
trixie gcc-12,gcc-13,clang-17,clang-18,clang-19,gcc-14
noble gcc-13,clang-14,clang-18,gcc-14'
scenario=topologies/parking-lot.yaml

. tests/clean_system.sh

# keyring SYSTEM - the file with the keys of its archive; Ubuntu's are in a package of trixie
keyring() {
	[ "$1" = noble ] || return 0
	[ -d "$work/keys" ] ||
		quietly mmdebstrap --quiet --variant=extract --include=ubuntu-archive-keyring trixie "$work/keys"
	echo "--keyring=$work/keys/usr/share/keyrings/ubuntu-archive-keyring.gpg"
}

# installed SYSTEM COMPILERS - in $work/SYSTEM, with this tree in /heddle
installed() {
	local packages
	packages=$(sed -n '/^PACKAGES :=/,/[^\\]$/{s/^PACKAGES :=//;s/\\$//;p}' Makefile | tr -s ' \t\n' ',')
	# shellcheck disable=SC2046
	quietly mmdebstrap --quiet --variant=apt --components=main,universe $(keyring "$1") \
		--include="mount,iproute2${packages}$2" "$1" "$work/$1"
	mkdir "$work/$1/heddle"
	git ls-files -z --cached --others --exclude-standard |
		while IFS= read -r -d '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done |
		tar -c --null -T - | tar -x -C "$work/$1/heddle"
	cp "$work/expected.json" "$work/$1/heddle/"
}

# built SYSTEM COMPILER - a clean build, and the bytes of its programs
built() {
	quietly inside "$work/$1" sh -euc "
		cd /heddle && rm -rf build
		make CC=$2 KIND=plain programs
		build/plain/heddle run $scenario --quiet --json result.json
		cmp result.json expected.json"
	printf '%-9s %-9s builds, the same bytes\n' "$1" "$2"
}

# tried SYSTEM COMPILERS
tried() {
	local compiler last
	installed "$@"
	for compiler in ${2//,/ }; do
		built "$1" "$compiler"
		last=$compiler
	done
	quietly inside "$work/$1" sh -c "cd /heddle && make CC=$last KIND=plain unit"
	quietly inside "$work/$1" sh -c 'cd /heddle && tests/run.sh unit build/plain/unit/* --'
	printf '%-9s %-9s unit tests pass\n' "$1" "$last"
	rm -rf "${work:?}/$1"
}

[ "$(id -u)" = 0 ] || fail "clean systems are made as root"
work=$(mktemp -d)
log=$work/log
trap 'rm -rf "$work"' EXIT
build/release/heddle run "$scenario" --quiet --json "$work/expected.json"
for name in ${*:-bookworm trixie noble}; do
	row=$(grep "^$name " <<<"$systems") || fail "expected one of: bookworm trixie noble, not '$name'"
	# shellcheck disable=SC2086
	tried $row
done
