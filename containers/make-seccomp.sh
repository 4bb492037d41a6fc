#!/usr/bin/env bash
# make-seccomp - makes seccomp.json: the engine's own profile, and what heddle needs besides.
#
# usage: containers/make-seccomp.sh [PROFILE] > containers/seccomp.json       PROFILE: /usr/share/containers/seccomp.json
#
# Nothing is taken away and nothing else is added, so that other programs in the container behave as they do without it.
set -euo pipefail

profile=${1:-/usr/share/containers/seccomp.json}
# io_uring: the event loop of the nodes. futex_*: the newer calls of the fallback's kind; older profiles do not know them.
# setns, sethostname: hosts are namespaces; without the rights for it the kernel refuses both outside of one's own.
needed='["io_uring_setup", "io_uring_enter", "io_uring_register", "futex_waitv", "futex_wake", "futex_wait",
	"setns", "sethostname"]'

command -v jq >/dev/null || { echo "make-seccomp: jq is missing; as root: apt-get install jq" >&2; exit 1; }
[ -r "$profile" ] || { echo "make-seccomp: $profile: not there; it is in Debian's golang-github-containers-common" >&2; exit 1; }

# a name that the profile refuses by a rule of its own is taken out of that rule: two rules for one call are an error
jq --indent 1 --argjson needed "$needed" '
	([.syscalls[] | select(.action == "SCMP_ACT_ALLOW" and (.args // []) == [] and (.includes // {}) == {}
		and (.excludes // {}) == {}) | .names[]]) as $allowed |
	($needed - $allowed) as $missing |
	.syscalls |= map(.names -= $missing | select(.names != [])) |
	if $missing == [] then . else .syscalls += [{names: $missing, action: "SCMP_ACT_ALLOW", args: [],
		comment: "heddle: the event loop of its nodes, and the namespaces of its hosts", includes: {}, excludes: {}}] end
' "$profile"
