#!/usr/bin/env bash
# test_real_run - `heddle run --clock real`: the same scenario, the same dataplane, the other clock
# (TB-1, TB-8, TB-13, TB-22).
#
#	h1 --+
#	h2 --+-- s1 ---- s2 -- h0        every link 100 Mb/s and 1 ms
#	h3 --+
#
# Three hosts send to h0 as fast as they may. Whatever clock it is, each gets a third of the link,
# nothing is lost, and what was injected has been delivered in the end. How late this machine is
# does not decide anything here: a run that says that it was not valid (exit status 5) must still
# get losses and order right. Its rates and shares are not judged then, which is counted and shown
# as skipped.
set -u
. "$(dirname "$0")/common.sh"

fabric_dir
incast=$scratch/incast.yaml
cat >"$incast" <<'YAML'
name: incast
run: {duration: 1500ms, warmup: 500ms, drain-max: 5s, sample: 100ms}
topology: {switches: [s1, s2], hosts: {h0: s2, h1: s1, h2: s1, h3: s1}, links: [[s1, s2]]}
links: {rate: 100Mb/s, delay: 1ms}
workloads:
  - {name: load, pattern: incast, to: h0, size: 16KiB, arrival: closed, window: 2}
expect:
  - goodput(load) >= 80Mb/s
  - jain(load) >= 0.98
  - lost == 0
  - reordered == 0
  - inside == 0
YAML

# judged NAME COMMAND... - a check; where a run of it was not valid, what it does not judge then
# counts as skipped
judged() {
	rm -f "$scratch/not_valid"
	check "$@"
	[ ! -e "$scratch/not_valid" ] ||
		skip "rates, and the verdict, of: $1" "the machine was too slow in $(wc -l <"$scratch/not_valid") of its runs"
}

# real ARGUMENTS... - a run under the real clock, whose status is 0, or 5 if this machine is too
# busy to be valid
real() {
	local status
	"$heddle" run --clock real "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
	status=$?
	case $status in
	0) grep -qE '^fidelity: valid(| for rates; delays up to .* too long)$' "$scratch/out" && ! grep -q 'NOT VALID' "$scratch/out" ;;
	5) echo run >>"$scratch/not_valid" && says out 'fidelity: NOT VALID: ' && says out 'try lower rates' ;;
	*) echo "exit status $status"; cat "$scratch/err" "$scratch/out"; return 1 ;;
	esac
}

# a run that says that it was not valid may miss rates and shares, and nothing else
none_failed() {
	! grep '^FAILED' "$scratch/out" >"$scratch/unmet" && return
	grep -q 'NOT VALID' "$scratch/out" && ! grep -vE '^FAILED  *(goodput|jain)' "$scratch/unmet" && return
	cat "$scratch/out"
	return 1
}

expected_under_both() {
	run 0 run "$incast" && says out 'virtual clock' && real "$incast" && says out 'real clock' && none_failed &&
		says out 'late p50'
}

json_of() {
	"$heddle" run --clock "$1" "$incast" --json >"$scratch/$1.json" 2>"$scratch/err" </dev/null
	case $?/$1 in
	0/*) ;;
	5/real) echo run >>"$scratch/not_valid" ;;
	*) cat "$scratch/err"; return 1 ;;
	esac
}

same_figures() {
	json_of virtual && json_of real &&
		jq -e '.clock == "virtual" and .fidelity == null' "$scratch/virtual.json" &&
		jq -e '.clock == "real" and .totals.injected_bytes == .totals.delivered_bytes and .totals.inside_bytes == 0 and
			.totals.channels == 0 and (.fidelity.valid | type) == "boolean" and
			(.fidelity.nodes | length) == 6 and .fidelity.nodes[0].name == "s1" and
			all(.fidelity.nodes[]; .links_absorb_ns >= 1000000 and
				.lateness_p50_ns <= .lateness_p99_ns and .lateness_p99_ns <= .lateness_max_ns and .turns > 0)' \
			"$scratch/real.json" &&
		jq -e -s '(.[0].flows | map([.workload, .source, .destination])) ==
			(.[1].flows | map([.workload, .source, .destination]))' "$scratch/virtual.json" "$scratch/real.json"
}

tables() {
	real "$incast" --csv "$scratch/csv" && for file in flows messages ports tables samples nodes; do
		[ "$(wc -l <"$scratch/csv/$file.csv")" -gt 1 ] || { echo "$file.csv is empty"; return 1; }
	done
	[ "$(wc -l <"$scratch/csv/nodes.csv")" = 7 ] && run 0 run "$incast" --csv "$scratch/virtual" &&
		[ ! -e "$scratch/virtual/nodes.csv" ]
}

# every expectation fails or holds as it does under the virtual clock
unmet() {
	sed 's/lost == 0/lost > 5/' "$incast" >"$scratch/unmet.yaml"
	run 1 run "$scratch/unmet.yaml" || return 1
	"$heddle" run --clock real "$scratch/unmet.yaml" >"$scratch/out" 2>"$scratch/err" </dev/null
	case $? in
	1) ;;
	5) echo run >>"$scratch/not_valid" ;;
	*) return 1 ;;
	esac
	says out 'FAILED  lost > 5'
}

losses_are_told() {
	sed -e 's/delay: 1ms/delay: 1ms, loss: 1%/' -e '/goodput\|lost\|jain\|reordered/d' "$incast" >"$scratch/lossy.yaml"
	real "$scratch/lossy.yaml" --json "$scratch/lossy.json" &&
		jq -e '.totals.lost > 0 and .totals.lost_units == .totals.reported_units and
			.totals.injected_bytes == .totals.delivered_bytes + .totals.lost_bytes' "$scratch/lossy.json"
}

few_messages() {
	sed 's/window: 2}/window: 2, messages: 5}/; s/warmup: 500ms/warmup: 0ms/; /goodput/d' "$incast" >"$scratch/few.yaml"
	real "$scratch/few.yaml" --json "$scratch/few.json" && none_failed && jq -e '.totals.messages == 15' "$scratch/few.json"
}

# 200 Gb/s is more than any machine carries: the run ends soon, names the late nodes and what to try
overload() {
	local began=$SECONDS
	run 5 run --clock real "$topologies/star-incast.yaml" --set run.duration=300ms --set links.delay=1us &&
		says out 'fidelity: NOT VALID: ' && says out '--set links.rate=' && says out 'lost == 0' || return 1
	run 5 run --clock real "$topologies/star-incast.yaml" --set run.duration=300ms --set links.delay=10ms \
		--set switch.buffer=256MiB && says out 'fidelity: NOT VALID: ' || return 1
	[ $((SECONDS - began)) -lt 300 ] || { echo "took $((SECONDS - began)) s"; return 1; }
}

# in_the_middle COMMAND... - starts a run of half a minute; once it runs, does COMMAND with its pid
in_the_middle() {
	local pid nodes
	"$heddle" run --clock real "$incast" --set run.duration=30s >"$scratch/out" 2>"$scratch/err" </dev/null &
	pid=$!
	for _ in $(seq 1200); do
		nodes=$(children $pid)
		[ "$(wc -w <<<"$nodes")" = 8 ] && break # six nodes, two managers
		sleep 0.05
	done
	sleep 0.5
	"$@" $pid $nodes
	wait $pid
	echo $? >"$scratch/status"
	gone $nodes
}

kill_a_node() {
	kill -KILL "$3"
}

stop_a_node() {
	kill -STOP "$3"
}

interrupt() {
	kill -INT "$1"
}

killed() {
	in_the_middle kill_a_node && [ "$(cat "$scratch/status")" = 4 ] && says err 'switch s2' && says err 'killed by signal 9'
}

stopped() {
	in_the_middle stop_a_node && [ "$(cat "$scratch/status")" = 4 ] && says err 'was stopped by a signal'
}

interrupted() {
	in_the_middle interrupt && [ "$(cat "$scratch/status")" = 130 ] && says out 'interrupted' && says out 'goodput'
}

short_says_so() {
	"$heddle" run --clock real "$topologies/two-talk.yaml" >"$scratch/out" 2>"$scratch/err" </dev/null
	case $? in 0 | 1 | 5) says err 'short under the real clock: try --set run.duration=2s' ;; *) return 1 ;; esac
}

veth_says_so() {
	real "$incast" --set links.medium=veth --set run.duration=700ms && says err "'medium: veth' is for 'heddle up'"
}

refused() {
	local words=$1
	shift
	run 2 run "$@" && says err "$words" && silent out
}

# beside real programs the same workloads run
runs_beside() {
	[ "$up_status" = 0 ] || { cat "$scratch/err"; return 1; }
	wait_for received
}
received() { "$heddle" load --json | grep '"received_bytes": [1-9]'; }

judged 'the same expectations hold under both clocks' expected_under_both
judged 'the same flows, everything delivered, JSON with the fidelity' same_figures
judged 'CSV tables, one of them of the processes' tables
judged 'an unmet expectation is said' unmet
judged 'lost frames are counted and told' losses_are_told
judged 'a workload that ends' few_messages
check 'more than the machine can carry: NOT VALID, in bounded time' overload
check 'a node that dies ends the run' killed
check 'a node that is stopped ends the run' stopped
check 'Ctrl-C: what there was so far' interrupted
check 'a run too short for the real clock says so' short_says_so
judged 'veth links are shared memory here, and it says so' veth_says_so
"$heddle" up "$incast" >"$scratch/out" 2>"$scratch/err"
up_status=$?
if [ $up_status != 0 ] && forbidden err; then
	skip 'heddle up runs workloads too' "$(tail -n 1 "$scratch/err")"
else
	check 'heddle up runs workloads too' runs_beside
	check 'and what it has started ends' run 0 down
fi
check 'no such clock' refused "did you mean 'real'?" "$incast" --clock rael
check 'no breakpoint' refused 'cannot be stopped' "$incast" --clock real --break-at 1ms
check 'no slow motion' refused 'cannot be stopped' "$incast" --clock=real --slow 1ms/s
check 'no script' refused 'cannot be stopped' "$incast" --clock real --script /dev/null
finish
