#!/usr/bin/env bash
# test_no_io_uring - in a sandbox that refuses io_uring, as the default seccomp profiles of
# containers do, the fallback event loop is chosen at the start, one line says so, and the results
# are the same bytes (TB-5).
set -u
. "$(dirname "$0")/common.sh"

sandbox=("$top/build/release/system/forbid" io_uring --)
scenario=$topologies/permutation-16.yaml

same() {
	"$heddle" run "$scenario" --json "$scratch/with.json" --quiet &&
		"${sandbox[@]}" "$heddle" run "$scenario" --json "$scratch/without.json" --quiet &&
		cmp "$scratch/with.json" "$scratch/without.json"
}

said() {
	"${sandbox[@]}" "$heddle" run "$scenario" 2>&1 | grep -E 'fallback.*(io_uring|not permitted)' || return 1
}

refused() {
	! "${sandbox[@]}" "$heddle" run "$scenario" --loop=io_uring --quiet 2>"$scratch/err" && grep -q io_uring "$scratch/err"
}

check "the same bytes without io_uring" same
check "one line says which loop and why" said
check "--loop=io_uring is refused with the reason" refused
finish
