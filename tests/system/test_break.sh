#!/usr/bin/env bash
# test_break - a run under the virtual clock can be stopped, stepped, looked into, changed and
# continued (TB-9).
#
# The parking lot (S3, fig. 5) is stopped at 50 us, when all eleven hosts have filled the last
# link's queue.
set -u
. "$(dirname "$0")/common.sh"

lot=$topologies/parking-lot.yaml
# too short for congestion control to have settled: the expectations are about the arbiter
short=(--set run.duration=300us --set run.warmup=100us --set congestion=no)

# script STATUS LINES [OPTIONS...] - the run with this script ends with STATUS
script() {
	local wanted=$1
	printf '%s\n' "$2" >"$scratch/script"
	shift 2
	run "$wanted" run "$lot" "${short[@]}" --quiet --break-at 50us --script "$scratch/script" "$@"
}

# shows LINES TEXT - what the script prints contains TEXT
shows() {
	script 0 "$1" && says out "$2"
}

refuses() {
	script 2 "$1" && says err "$2"
}

stops_there() {
	script 0 status && [ "$(grep -c '^at 50.000 us;' "$scratch/out")" = 2 ]
}

piped() {
	printf 'step 10ns\nshow s502 ifct p1\n' |
		"$heddle" run "$lot" "${short[@]}" --quiet --break-at 50us >"$scratch/out" 2>"$scratch/err" &&
		says out 'at 50.010 us;' && says out flow_id
}

# stepping does not change what happens: the same JSON as in one go
same_result() {
	run 0 run "$lot" "${short[@]}" --quiet --json "$scratch/one.json" &&
		script 0 $'step 10ns\nstep\nstep 1us\nstep until s508.L.queue_bytes > 100kB\nshow s502 ifct p1\ncontinue 200us' \
			--json "$scratch/stepped.json" &&
		cmp "$scratch/one.json" "$scratch/stepped.json"
}

# rows of flows to L, their outputs and the peers of these by name
names_shown() {
	script 0 'show s502 ifct' && awk '$4 == "L" && $7 == "s504" { n++ } END { exit n < 1 }' "$scratch/out" ||
		{ cat "$scratch/out"; return 1; }
}

as_json() {
	script 0 'show --json s502 ifct p1' && sed 1d "$scratch/out" |
		jq -e '.node == "s502" and .table == "ifct" and (.rows | length > 0 and
			all(.port == 1 and .dest == "L" and .follow_peer == "s504" and .received_bytes - .sent_bytes == .waiting_bytes))'
}

quits() {
	script 130 quit && silent err
}

quits_with_summary() {
	printf 'quit\n' >"$scratch/script"
	run 130 run "$lot" --break-at 50us --script "$scratch/script" && says out interrupted
}

until_condition() {
	script 0 $'step until s508.L.tx_bytes >= 2MB\nstep until now >= 120us' && says out 'at 120.000 us;' || return 1
	! says out 'was never true' >/dev/null
}

slowed() {
	local began=$(date +%s%N)
	run 0 run "$lot" "${short[@]}" --set run.drain=false --quiet --slow 600us/s || return 1
	[ $((($(date +%s%N) - began) / 1000000)) -ge 400 ]
}

check "stops at the time asked for" stops_there
check "takes commands from a pipe" piped
check "steps by time" shows 'step 10ns' 'at 50.010 us;'
check "steps by one window" shows step 'at 50'
check "steps to a condition" until_condition
check "says when a condition never came true" shows 'step until s508.L.lost_frames > 0' 'was never true'
check "shows the IFCT of a port" shows 'show s502 ifct p1' flow_id
check "shows the OFCT of the port to a neighbour" shows 'show s502 ofct s504' flow_id
check "shows the EFCT of all ports" shows 'show s508 efct' flow_id
check "shows the flows of a NIC" shows 'show A flows' all
check "shows a trace" shows 'show A trace' ''
check "shows tables in the fallback event loop" script 0 'show s502 ifct p1' --loop=fallback
check "sets a parameter" script 0 'set s502 acks.collect 7'
check "continues to a time" shows 'continue 70us' 'at 70.000 us;'
check "exact times and bytes on request" shows 'status exact' 'at 50000000 ps; next event at 500'
check "and nothing else" refuses 'status exactly' "status takes nothing or 'exact', not 'exactly'"
check "stepping changes nothing" same_result
check "quits" quits
check "quits with a summary" quits_with_summary
check "times are exact" shows 'step 10001ps' 'at 50.010001 us;'
check "refuses a word too many" refuses 'step 10ns 20ns' "'20ns' is not expected here: step [TIME | until CONDITION]"
check "explains itself" shows help 'continue [TIME]'
check "skips comments and empty lines" script 0 $'# nothing\n\nstatus # here'
check "refuses an unknown command" refuses $'status\nstpe 10ns' ":2: there is no command 'stpe' - did you mean 'step'?"
check "a value of set has units" shows $'set s502 acks.t3 2us\nset s502 acks.t2 1us\nset s502 acks.t1 1us' ''
check "refuses ACK timers that fall" refuses 'set s502 acks.t2 1ms' 'expected t1 <= t2 <= t3'
check "refuses a value of another unit" refuses 'set s502 acks.t1 50kB' "acks.t1: '50kB'"
check "refuses an unknown node" refuses 'show s501 ifct' "there is no node 's501'"
check "takes a table before its node" shows 'show ifct s502 p1' flow_id
check "names hosts and neighbours" names_shown
check "shows a table as JSON" as_json
check "refuses another option" refuses 'show s502 ifct --jsno' "show has no option '--jsno'"
check "refuses more words" refuses 'show s502 ifct p1 p2' "no 'p2'"
check "refuses an unknown table" refuses 'show s502 tables' "s502 has no table 'tables'; it has:"
check "refuses an unknown port" refuses 'show s502 ifct p99' "s502 has no port 'p99'"
check "refuses an unknown parameter" refuses 'set s502 colour red' "s502 has no parameter 'colour'; it has:"
check "refuses a bad value" refuses 'set s502 acks.collect 100' "acks.collect: '100' is out of range; expected 1 to 48"
check "says which values there are" refuses 'set s502 congestion.rate-limit maybe' "congestion.rate-limit: 'maybe' is neither yes nor no"
check "refuses a bad time" refuses 'step 10' 'a time'
check "refuses an unknown counter" refuses 'step until s508.L.queue_byte > 1kB' "did you mean 'queue_bytes'"
check "says which counters there are" refuses 'step until s508.L.colour > 1' 'fgfc_held fgfc_frames fgfc_refused'
check "refuses a condition without value" refuses 'step until now' 'expected one of'
check "a missing script starts nothing" run 2 run "$lot" --break-at 50us --script "$scratch/none"
check "slows down" slowed
finish
