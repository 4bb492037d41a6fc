#!/usr/bin/env bash
# test_stall - a fabric in which nothing can ever happen again is told from one that is done (TB-22): seven switches in a ring
# whose buffers wait for each other end with exit status 3, and the message names nodes that hold data; a run with --json still
# has its totals: what is inside is inside, not lost.
set -u
. "$(dirname "$0")/common.sh"

stalled() {
	run 3 run "$topologies/credit-deadlock.yaml" --json "$scratch/stall.json" --quiet &&
		grep -q 'stalled: .* s0 holds' "$scratch/err" || { cat "$scratch/err" && return 1; }
}

check "a ring of full buffers: exit status 3, the nodes are named" stalled
if command -v jq >/dev/null; then
	check "its data is inside, not lost" jq -e '.totals.inside_bytes > 1000000 and .totals.lost_bytes == 0 and
		([.flows[].lost] | add) == 0 and ([.ports[].paused_ps] | max) > 400000000' "$scratch/stall.json"
else
	skip "its data is inside, not lost" "there is no jq"
fi
finish
