#!/usr/bin/env bash
# test_stall - a stall is told from the end of a run (TB-22). Seven switches in a ring whose buffers
# wait for each other end with exit status 3, and the message names nodes that hold data. A run with
# --json still has its totals: what is inside is inside, not lost. PFC is refreshed, so events never
# end: there the cycle of switches that wait for each other is found and named (RC-5). A scenario
# that expects it is fulfilled, and a comparison continues after it.
set -u
. "$(dirname "$0")/common.sh"

stalled() {
	run 3 run "$topologies/credit-deadlock.yaml" --json "$scratch/stall.json" --quiet &&
		grep -q 'stalled: .* s0 holds' "$scratch/err" || { cat "$scratch/err" && return 1; }
}

# the same ring with PFC: names in the order of the waits
circle='s0 -> s1 -> s2 -> s3 -> s4 -> s5 -> s6 -> s0, class roce: each waits for the next since'

pfc_stalled() {
	run 3 run "$topologies/pfc-deadlock.yaml" --quiet --set 'expect=[drops == 0]' --set run.drain-max=2ms \
		--json "$scratch/pfc.json" && says err "the fabric stalled: deadlock $circle"
}

pfc_expected() {
	run 0 run "$topologies/pfc-deadlock.yaml" && says out "deadlock: $circle" &&
		run 1 run "$topologies/pfc-deadlock.yaml" --quiet --set 'expect=[deadlocks == 0]'
}

# all to one host: switches stop each other for long, but along a tree, and everything arrives
pfc_moves() {
	run 0 run "$topologies/pfc-deadlock.yaml" --set roce.queue-pair.timeout=10ms --set 'workloads=[{name: c, pattern: incast, to: a0, window: 8}]' \
		--set 'expect=[deadlocks == 0, inside == 0, lost == 0, drops == 0, pauses >= 1]' &&
		! grep -q "^deadlock:" "$scratch/out"
}

# RC-5: a routing loop that was asked for is named, and so is the deadlock that it causes
loop_stalls() {
	run 0 run "$topologies/routing-loop.yaml" && says out "deadlock: s0 -> s1 -> s2 -> s0, class lossless: each waits for the next since" &&
		says err 'a routing loop, as configured: to s3: s2 -> s0 -> s1 -> s2' && says out 'frames dropped: ttl_expired'
}

compared() {
	run 0 run --compare "$topologies/pfc-deadlock.yaml" && grep -q "^PFC  *1  .*deadlock $circle" "$scratch/out" &&
		grep -q '^flow channels  *1  .*no event is left' "$scratch/out" &&
		grep -Eq '^no PFC +0 ' "$scratch/out" && grep -Eq '^flow channels, limited +0 .* 0 B$' "$scratch/out" ||
		{ cat "$scratch/out" && return 1; }
}

check "a ring of full buffers: exit status 3, the nodes are named" stalled
if command -v jq >/dev/null; then
	check "its data is inside, not lost" jq -e '.totals.inside_bytes > 1000000 and .totals.lost_bytes == 0 and
		([.flows[].lost] | add) == 0 and ([.ports[].paused_ps] | max) > 400000000' "$scratch/stall.json"
else
	skip "its data is inside, not lost" "there is no jq"
fi
check "a ring of switches held by PFC: exit status 3, the circle is named" pfc_stalled
check "a scenario that expects it is fulfilled" pfc_expected
check "a routing loop: the loop and its deadlock are named" loop_stalls
check "pauses that end are no deadlock" pfc_moves
check "a comparison goes on behind variants that stall" compared
if command -v jq >/dev/null; then
	check "the outputs of the circle, for programs" jq -e '(.deadlocks | length) == 1 and ([.deadlocks[0].outputs[].node] ==
		["s0", "s1", "s2", "s3", "s4", "s5", "s6"]) and .totals.lost_bytes == 0 and .totals.inside_bytes > 1000000' \
		"$scratch/pfc.json"
	# 3 ms, of which 2 ms of draining: what waits for its peer to the end counts to the end, of
	# a port as of a class
	check "a port's wait counts to the end of the run" jq -e '([.classes[].paused_ps] | max) as $class |
		([.ports[].paused_ps] | max) | . <= $class and . > $class - 1000000 and . > 2900000000' "$scratch/pfc.json"
fi
finish
