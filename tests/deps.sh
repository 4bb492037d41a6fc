#!/usr/bin/env bash
# deps - installs the Debian packages that are missing, or says exactly which to install when it may not.
# usage: tests/deps.sh "needed packages" "packages for tests" "packages for clang"; the last two are only missed, not fatal.
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
want=$(missing ${2:-} ${3:-})
[ -z "$need$want" ] && exit 0

if [ "$(id -u)" = 0 ]; then
	echo "installing: $need$want"
	export DEBIAN_FRONTEND=noninteractive
	# shellcheck disable=SC2086
	{ apt-get update -q && apt-get install -qy --no-install-recommends $need $want; } >/tmp/heddle-deps.$$ 2>&1
	status=$?
	[ $status = 0 ] || tail -n 20 /tmp/heddle-deps.$$
	rm -f /tmp/heddle-deps.$$
	[ $status = 0 ] && exit 0
fi
if [ -n "$need" ]; then
	echo "missing packages; as root: apt-get install $need$want" >&2
	exit 1
fi
echo "not installed, so some tests will be skipped; as root: apt-get install $want" >&2
