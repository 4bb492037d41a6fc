#!/usr/bin/env bash
# test_stopped_nodes - whatever the machine does to nodes, and when: the same result, or a named
# error (TB-7, TB-22).
#
#        s0 --- s1          two hosts a switch, all send to the next one
#          \   /            the link s0:s1 fails at 20 us and returns at 60 us
#           s2              at 10 us a script steps, shows and sets a parameter; a link is captured
#
# ROUNDS rounds (16; `make soak`: 300). In each, one node or all of them are stopped, stopped again
# and again, or starved, at another stage of the run: lines of `run --verbose` say where it is, and
# stop_nodes holds heddle there. What it prints, JSON, CSV and the capture must be those of the
# undisturbed run, byte by byte. Where the watchdog is shorter than the stop, the run may end with
# exit status 4 and the name of a node instead; a result that was complete by then is complete all
# the same. The clock judges nothing here. SEED makes the same choices again.
set -u
. "$(dirname "$0")/common.sh"

rounds=${ROUNDS:-16}
seed=${SEED:-$RANDOM}
RANDOM=$seed
stopper=${STOP_NODES:-$top/build/release/system/stop_nodes}
echo "seed $seed, $rounds rounds"

cat >"$scratch/three.yaml" <<'END'
name: three
run: {duration: 100us, sample: 5us}
topology:
  switches: [s0, s1, s2]
  hosts: {h0: s0, h1: s0, h2: s1, h3: s1, h4: s2, h5: s2}
  links: [[s0, s1], [s1, s2], [s2, s0]]
workloads:
  - {name: all, pattern: permutation, shift: 2, size: 16KiB, arrival: closed, window: 2}
faults:
  - {at: 20us, link: [s0, s1], for: 40us}
expect: [reordered == 0, inside == 0, unreported == 0]
END
cat >"$scratch/script" <<'END'
step 1us
show s0 ifct p0
set s0 acks.t1 2ns
step until s1.p0.tx_packets > 10
END

# run_all FOLDER PREFIX... - a run with all its outputs in FOLDER; PREFIX is what runs heddle
run_all() {
	local folder=$1
	shift
	rm -rf "$folder"
	mkdir "$folder"
	"$@" "$heddle" run "$scratch/three.yaml" --verbose --quiet --break-at 10us --script "$scratch/script" --json "$folder/result.json" \
		--csv "$folder/csv" --capture s0:s1="$folder/s0s1.pcapng" "${options[@]}" >"$folder/out" 2>"$scratch/err" </dev/null
}

# differs FOLDER - what is another than in the undisturbed run?
differs() {
	diff -rq "$scratch/first" "$1" >"$scratch/diff" && return 1
	head -n 5 "$scratch/diff"
	tail -n 5 "$scratch/err"
}

# named - does an error name a node, or a capture that is not complete?
named() {
	grep -v 'did not leave in time' "$scratch/err" | grep -qE '(switch|NIC) [a-z0-9]+ \(pid [0-9]+\) |the capture .* is dropped'
}

# disturbed LINE NODES HOW MS - nodes are disturbed: the same bytes, or if the watchdog is short
# status 4 and a name
disturbed() {
	local status
	run_all "$scratch/again" "$stopper" "$@" --
	status=$?
	if [ "$status" = 4 ] && [ "$patient" = no ]; then
		echo "error $*: $(grep -E 'pid [0-9]+|capture' "$scratch/err" | tail -n 1)" >>"$scratch/outcomes"
		named || { echo "status 4, but nobody is named:" && tail -n 3 "$scratch/err"; return 1; }
		# nodes were asked to leave only when the result was there
		grep -q 'has written the result' "$scratch/err" || return 0
		rm -f "$scratch/again/s0s1.pcapng"
		cp "$scratch/first/s0s1.pcapng" "$scratch/again"
	else
		echo "same $*" >>"$scratch/outcomes"
		[ "$status" = "$first_status" ] || { echo "exit status $status" && tail -n 5 "$scratch/err"; return 1; }
	fi
	! differs "$scratch/again"
}

round() {
	local ways=(stop flap starve) who=all patient=yes options=(--watchdog 60s) how ms
	how=${ways[RANDOM % 3]}
	ms=$((20 + RANDOM % 100))
	[ $((RANDOM % 2)) = 0 ] && who=$((RANDOM % 9))
	# one round in three: the watchdog bites before they go on
	[ $((RANDOM % 3)) = 0 ] && patient=no options=(--watchdog 20ms) how=stop ms=120
	disturbed $((1 + ($1 - 1) % lines)) "$who" "$how" "$ms"
}

# line_of STAGE - the number of the first line that says it
line_of() {
	grep -n -m 1 -- "heddle run: $1" "$scratch/lines" | cut -d : -f 1
}

# a switch is stopped for longer than a node of the real clock is waited for, as the first sweep
# begins (2 s; issue 13, 1b)
first_sweep() {
	local patient=yes options=(--watchdog 60s)
	disturbed "$(line_of 'all nodes are ready')" 0 stop 2300
}

# at the end a node does not leave: a warning, and everything is there (1c)
leaves_late() {
	local patient=no options=(--watchdog 100ms)
	disturbed "$(line_of 'has written the result')" "$1" stop 1000 && says err 'did not leave in time and is killed; the result is complete'
}

# Nodes that stop themselves as they start take none of their descriptors, and the kernel soon
# allows no more in flight. heddle waits for them, longer than two seconds, and reports it; the
# result is the same. If one of them dies instead, it is named. The limit holds for ordinary users
# only.
slow_folder() {
	programs_copy "$scratch/slow"
	mkdir "$scratch/slow/build/release/real" "$scratch/slow/out"
	local node
	for node in switchd nicd; do
		mv "$scratch/slow/build/release/$node" "$scratch/slow/build/release/real/$node"
		printf '#!/bin/sh\nkill -STOP $$\nexec "%s" "$@"\n' "$scratch/slow/build/release/real/$node" >"$scratch/slow/build/release/$node"
	done
	chmod -R a+rX "$scratch/slow"
	chmod a+x "$scratch/slow/build/release"/{switchd,nicd}
	chmod 777 "$scratch/slow/out"
	chmod 711 "$scratch"
}

# slowly SIGNAL - a run of 41 nodes of which the first to be waited for gets SIGNAL once heddle says
# that it waits; then all may go on
slowly() {
	local heddle_pid told=no
	(ulimit -n 150 && cd / && exec setpriv --reuid=12345 --regid=12345 --clear-groups --inh-caps=-all "$scratch/slow/heddle" run \
		"$scratch/slow/topologies/star-incast.yaml" --set topology.hosts=40 --set run.duration=20us --set run.warmup=5us --set 'expect=[]' \
		--verbose --quiet --watchdog 60s --json "$scratch/slow/out/$1.json" >/dev/null 2>"$scratch/err") </dev/null &
	heddle_pid=$!
	while kill -0 $heddle_pid 2>/dev/null; do
		[ $told = no ] && grep -q 'to receive its file descriptors' "$scratch/err" && told=yes && kill "-$1" $(children $heddle_pid | cut -d ' ' -f 1)
		[ $told = yes ] && kill -CONT $(children $heddle_pid) 2>/dev/null
		sleep 0.05
	done
	wait $heddle_pid
	status=$?
	[ $told = yes ] || { echo 'nothing was waited for' && tail -n 3 "$scratch/err" && return 1; }
}

descriptors_wait() {
	slowly CONT && [ $status = 0 ] || { echo "exit status $status" && tail -n 3 "$scratch/err" && return 1; }
	run 0 run "$topologies/star-incast.yaml" --set topology.hosts=40 --set run.duration=20us --set run.warmup=5us --set 'expect=[]' --quiet \
		--json "$scratch/free.json" && diff <(jq 'del(.host, .origin, .scenario_file)' "$scratch/free.json") <(jq 'del(.host, .origin, .scenario_file)' "$scratch/slow/out/CONT.json")
}

descriptors_death() {
	slowly KILL && [ $status = 4 ] && grep -qE 'switch s0 \(pid [0-9]+\) was killed by signal 9' "$scratch/err" ||
		{ echo "exit status $status" && tail -n 3 "$scratch/err" && return 1; }
}

options=()
run_all "$scratch/first"
first_status=$?
cp "$scratch/err" "$scratch/lines"
lines=$(wc -l <"$scratch/lines")
check "the undisturbed run has all files, in $lines stages" test "$first_status" = 0 -a -s "$scratch/first/result.json" -a \
	-s "$scratch/first/csv/flows.csv" -a -s "$scratch/first/s0s1.pcapng" -a "$lines" -gt 25
check "a switch is stopped for 2.3 s as the first sweep begins" first_sweep
if [ "$(id -u)" = 0 ] && command -v jq >/dev/null; then
	slow_folder
	check "nodes do not take their descriptors for more than 2 s: the same result" descriptors_wait
	check "one of them dies meanwhile: it is named" descriptors_death
else
	skip "nodes do not take their descriptors" "we are not root, or there is no jq"
fi
check "a host's NIC leaves late: a warning, exit status 0" leaves_late 8
check "and the node with a capture: it is named" leaves_late 0
: >"$scratch/outcomes"
for ((i = 1; i <= rounds; i++)); do
	# over all stages, however few rounds
	check "round $i" round $((rounds < lines ? 1 + (i - 1) * lines / rounds : i))
done
awk '{ n[$1 " " $4]++ } END { for (k in n) printf "%s: %d\n", k, n[k] }' "$scratch/outcomes" | sort
finish
