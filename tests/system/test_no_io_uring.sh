#!/usr/bin/env bash
# test_no_io_uring - in a sandbox that refuses io_uring, as the default seccomp profiles of
# containers do, the fallback event loop is chosen at the start, one line says so, and the results
# are the same bytes (TB-5). Kernels that have no io_uring, or one without futex operations, are
# imitated by the errors that they return (DU-12).
#
#   word of forbid.c     fails as
#   io_uring             the seccomp profiles of Podman and Docker
#   io_uring-at-all      a kernel built without it
#   io_uring-flags       Linux 5.1 to 5.9
#   io_uring-futex       Linux 5.10 to 6.6
set -u
. "$(dirname "$0")/common.sh"

forbid=$top/build/release/system/forbid
scenario=$topologies/permutation-16.yaml

# same WORD - bytes
same() {
	"$forbid" "$1" -- "$heddle" run "$scenario" --json "$scratch/$1.json" --quiet && cmp "$scratch/with.json" "$scratch/$1.json"
}

# said WORD REASON
said() { "$forbid" "$1" -- "$heddle" run "$scenario" 2>&1 | grep -E "event loop fallback \(futex\): $2"; }

# refused WORD REASON - the loop that is asked for
refused() {
	! "$forbid" "$1" -- "$heddle" run "$scenario" --loop=io_uring --quiet 2>"$scratch/err" && grep -E "asked for, but $2" "$scratch/err"
}

"$heddle" run "$scenario" --json "$scratch/with.json" --quiet || exit 1
while IFS=: read -r word reason; do
	check "$word: the same bytes" same "$word"
	check "$word: one line says which loop and why" said "$word" "$reason"
	check "$word: --loop=io_uring is refused with the reason" refused "$word" "$reason"
done <<'END'
io_uring:io_uring cannot be set up: Operation not permitted
io_uring-at-all:io_uring cannot be set up: Function not implemented
io_uring-flags:io_uring cannot be set up: Invalid argument
io_uring-futex:io_uring has no futex operations \(Linux 6.7\) here
END
# under the real clock
"$forbid" io_uring-futex -- "$heddle" up "$topologies/two-racks.yaml" --name no-io_uring >"$scratch/up" 2>&1
if forbidden up; then
	skip "hosts under the real clock" "$(tail -n 1 "$scratch/up")"
else
	check "io_uring-futex: packets between hosts" "$heddle" exec -f no-io_uring h1 -- ping -c 2 -i 0.2 -W 20 h6
	check "io_uring-futex: the end" "$heddle" down no-io_uring
fi
finish
