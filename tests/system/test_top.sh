#!/usr/bin/env bash
# test_top - what a user sees of a running fabric: top, the verdict, what was dropped (TB-8, TB-10).
#
#   h1, h2 - s1 --- s2 (h3, h4) --- s3 - h5, h6     10 Gb/s, 10 us a link: topologies/two-racks.yaml
#
# A switch is stopped (SIGSTOP) for half a second, which makes it very late. A ping is only delayed
# by it. Data of a stream waits for free buffer, so its rate is missed: then the fabric was not
# valid, and reports it.
set -u
. "$(dirname "$0")/common.sh"

fabric_dir
command -v jq >/dev/null || { echo 'skipped: jq is not installed'; exit 77; }

check 'top without a fabric' run 2 top -n 1
fabric_up "$topologies/two-racks.yaml"

# in_ps FILTER - does it hold for the fabric in `ps --json`?
in_ps() {
	"$heddle" ps --json >"$scratch/ps" || return 1
	jq -e ".[0] | $1" "$scratch/ps" >/dev/null && return
	jq -c '.[0] | .fidelity, (.nodes[] | del(.ports))' "$scratch/ps"
	return 1
}

# ---- what was dropped ----

# the hosts' kernels announce their multicast groups to routers, which a fabric does not have
announced() {
	for _ in $(seq 150); do
		in_ps '[.nodes[].unwanted_packets] | add > 0' && return
		sleep 0.2
	done
	return 1
}
check 'reports for multicast routers are unwanted' announced
check 'and no loss' in_ps '[.nodes[].dropped_packets] | add == 0'
check 'every reason is told' in_ps '[.nodes[] | select(.unwanted_packets != (.drops.no_listener // 0))] == []'

# ---- top ----

blocks() {
	run 0 top two-racks -d 0.2 -n 2 && silent err && [ "$(grep -c '^fabric  ' "$scratch/out")" = 2 ] || return 1
	for node in h1 h2 h3 h4 h5 h6 s1 s2 s3; do
		[ "$(grep -c "^[a-z][a-z]*  *$node " "$scratch/out")" = 2 ] || { cat "$scratch/out"; return 1; }
	done
	[ "$(grep -c '10.00 Gb/s' "$scratch/out")" = 16 ] || { cat "$scratch/out"; return 1; }
}
check 'a block for each interval, all nodes and links in it' blocks
objects() {
	run 0 top -d 0.1 -n 3 --json && silent err && [ "$(wc -l <"$scratch/out")" = 3 ] &&
		jq -es 'length == 3 and all(.fabric == "two-racks" and (.nodes | length) == 9 and .fidelity.verdict)' "$scratch/out"
}
check '--json: an object on a line for each' objects
traffic() {
	local pings status
	"$heddle" exec h1 -- ping -i 0.02 h6 >"$scratch/pings" 2>&1 &
	pings=$!
	wait_for grep 'icmp_seq=2 ' "$scratch/pings" && run 0 top -d 1 -n 1 --json
	status=$?
	kill $pings
	wait $pings
	[ $status = 0 ] || return 1
	jq -e '.nodes | map({key: .name, value: .}) | from_entries |
		.h1.sent_pps > 0 and .h6.received_pps > 0 and .s2.sent_bps > 0 and .h1.ports[0].tx_percent > 0 and
		.h3.received_pps == 0 and ([.[].dropped_pps] | add) == 0' "$scratch/out"
}
check 'rates of those who send and receive' traffic
check '-n 0' run 2 top -n 0
check '-n without a number' run 2 top -n
check '-d too short' run 2 top -d 0.001
check '-d with a unit' run 2 top -d 1s
check 'no such option' run 2 top -q
check 'no such fabric' run 2 top -f two-rakcs
check 'the name is suggested' says err two-racks
# shown TEXT - the terminal has shown it
shown() { wait_for grep -aF "$1" "$scratch/out" >/dev/null; }
# its input is open until it has ended
terminal() {
	: >"$scratch/out"
	shown 'status ' | TERM=xterm LC_ALL=C timeout 120 script -qefc "stty rows 18 cols 60; '$heddle' top -d 0.3 -n 1; echo status \$?" \
		/dev/null >"$scratch/out"
	sed -i '/^status /d' "$scratch/out"
	[ "$(wc -l <"$scratch/out")" -le 18 ] && says out 'fabric     two-racks' && says out 'more nodes'
}
# nothing is shown before the end of the first interval
quits() { sleep 1; printf q; shown 'status '; }
quit() {
	: >"$scratch/out"
	quits | TERM=xterm timeout 120 script -qefc "'$heddle' top -d 100; echo status \$?" /dev/null >"$scratch/out"
	says out 'status 0'
}
if command -v script >/dev/null; then
	check 'on a terminal: no more than fits' terminal
	check 'q ends it at once' quit
else
	skip 'top on a terminal' 'script is not installed'
fi

# ---- the verdict ----

# stopped_during PACKETS COMMAND... - switch s2 is stopped for half a second as soon as it has
# carried so many packets of COMMAND; then the output of `ps --since` is in the file ps
stopped_during() {
	local pid packets=$1
	shift
	"$heddle" ps --json >"$scratch/before"
	pid=$(jq '.[0].nodes[] | select(.name == "s2").pid' "$scratch/before")
	timeout 120 "$heddle" exec h1 -- "$@" >"$scratch/during" 2>&1 &
	wait_for under_way "$packets" || return 1
	kill -STOP "$pid"
	sleep 0.5
	kill -CONT "$pid"
	wait $!
	"$heddle" ps --since "$scratch/before" --json >"$scratch/ps"
}
# under_way PACKETS - has s2 carried so many since then?
under_way() {
	"$heddle" ps --json | jq --slurpfile before "$scratch/before" --argjson packets "$1" '
		def carried: .[0].nodes[] | select(.name == "s2").received_packets;
		carried - ($before[0] | carried) > $packets or empty'
}
verdict() {
	jq -e ".[0].fidelity | $1" "$scratch/ps" >/dev/null && return
	jq -c '.[0].fidelity' "$scratch/ps"
	cat "$scratch/during"
	return 1
}
late_ping() {
	stopped_during 2 ping -q -i 0.2 -c 12 h6 || return 1
	# on a busy machine another node may be as late
	verdict '.verdict == "not-valid" and .reason == "delays" and .node and .added_delay_ns > 100000000 and .stalled_percent < 1' &&
		jq -e '.[0].nodes[] | select(.name == "s2").lateness_max_ns > 100000000' "$scratch/ps"
}
check 'a stopped switch and a ping: too much added delay, the rates hold' late_ping
check 'ps says it in words' sh -c "'$heddle' ps --since '$scratch/before' | grep 'NOT VALID: delays up to .* too long'"
# iperf3 first exchanges a few dozen packets with its server; a switch stopped during that would
# delay no stream
late_stream() {
	"$heddle" exec h6 -- iperf3 -s -1 -D && listening h6 5201 && stopped_during 1000 iperf3 -u -b 500M -l 8000 -c h6 -t 3 || return 1
	verdict '.verdict == "not-valid" and .reason == "rates" and .uncarried_bytes > 1000000 and .node and .stalled_percent > 10' &&
		jq -e '.[0].nodes[] | select(.name == "s2") | .stalled_percent > 10 and .lateness_max_ns > 100000000' "$scratch/ps"
}
if command -v iperf3 >/dev/null; then
	check 'a stopped switch and a stream: not valid for rates; what was not carried in time is told' late_stream
	check 'ps says what helps' sh -c "'$heddle' ps --since '$scratch/before' | grep -A 3 'NOT VALID: rates' | grep 'while active the fabric used'"
fi
# now and then a busy machine is late within any moment, so there are several; what was before must
# not be in any of them
quiet() {
	for _ in $(seq 200); do
		"$heddle" ps --json >"$scratch/before"
		"$heddle" ps two-racks --since "$scratch/before" --json >"$scratch/ps" || return 1
		verdict '.reason != "rates" and .stalled_percent < 1' || return 1
		verdict '.verdict == "valid"' && return
		sleep 0.1
	done
	return 1
}
check 'since now nothing has happened' quiet
echo '[]' >"$scratch/empty"
check '--since a file that does not know it' run 2 ps --since "$scratch/empty"
check '--since no file' run 2 ps --since "$scratch/nowhere"
check 'which is named' says err nowhere

# ---- the end ----

ended() {
	timeout 120 "$heddle" top -d 100 >"$scratch/out" 2>"$scratch/err" </dev/null &
	sleep 0.5
	"$heddle" down --json >"$scratch/down" || return 1
	wait $!
	[ $? = 4 ] || return 1 # it ends with the fabric, not after its interval
	jq -e 'length == 1 and .[0].fabric == "two-racks" and (.[0].nodes | length) == 9 and
		(.[0].fidelity | .verdict and .node and .lateness_p99_ns) and
		([.[0].nodes[].lateness_max_ns] | max > 100000000)' "$scratch/down"
}
# a fabric that starts has its lock, and does not answer yet
beside_one_that_starts() {
	local status

	mkdir "$HEDDLE_RUNTIME_DIR/starting" && : >"$HEDDLE_RUNTIME_DIR/starting/lock" || return
	flock "$HEDDLE_RUNTIME_DIR/starting/lock" "$heddle" ps >"$scratch/out" 2>"$scratch/err"
	status=$?
	rm -r "$HEDDLE_RUNTIME_DIR/starting"
	[ $status = 4 ] && says out 'running    since' && says err 'starting'
}
check 'ps also while another fabric starts' beside_one_that_starts
check 'down --json tells the verdict over the whole life' ended
check 'down --json of nothing' sh -c "[ \"\$('$heddle' down --json)\" = '[]' ]"
told() {
	"$heddle" up "$topologies/two-racks.yaml" >/dev/null && "$heddle" exec h1 -- ping -q -c 2 -i 0.2 h6 && run 0 down &&
		says out 'fidelity   ' && says out 'was late by p50'
}
check 'down tells it in words' told
check 'nothing is left' sh -c "! ls -A '$HEDDLE_RUNTIME_DIR' | grep ."
finish
