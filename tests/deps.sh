#!/usr/bin/env bash
# deps - installs the Debian packages that are missing, or says exactly which to install when it may
# not.
# usage: tests/deps.sh "needed packages" "packages for tests" "for clang" "for benchmarks"; all but
# the first are only missed, not fatal.
set -u

missing() {
	for package in "$@"; do
		[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || printf '%s ' "$package"
	done
}

command -v dpkg-query >/dev/null || exit 0 # another distribution: the compiler will tell
# shellcheck disable=SC2086
need=$(missing $1)
# shellcheck disable=SC2086
want=$(missing ${2:-} ${3:-} ${4:-})
[ -z "$need$want" ] && exit 0

# install PACKAGE... - shows what went wrong, if something did
install() {
	local log status
	[ $# = 0 ] && return
	log=$(mktemp)
	DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends "$@" >"$log" 2>&1
	status=$?
	[ $status = 0 ] || tail -n 20 "$log"
	rm -f "$log"
	return $status
}

# the two sorts one after the other: a release that lacks a package which only a test wants can
# still build
if [ "$(id -u)" = 0 ]; then
	echo "installing: $need$want"
	apt-get update -q >/dev/null 2>&1
	# shellcheck disable=SC2086
	install $need && need=
	# shellcheck disable=SC2086
	install $want && want=
	[ -z "$need$want" ] && exit 0
fi
if [ -n "$need" ]; then
	echo "missing packages; as root: apt-get install $need$want" >&2
	exit 1
fi
echo "not installed, so some tests or measurements will be skipped; as root: apt-get install $want" >&2
