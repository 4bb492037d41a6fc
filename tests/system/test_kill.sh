#!/usr/bin/env bash
# test_kill - whatever dies, whenever: a clear message, an exit status, and nothing left (TB-22).
#
# A long run of the parking lot (4 switches, 12 NICs) is disturbed at a random moment, ROUNDS times
# (16; `make soak`: 200): a random node is killed or stopped, or the orchestrator is killed. heddle
# must say which node and why and end with status 4. How long it took is a measurement, which is
# printed and decides nothing: two seconds are the goal. Only what hangs fails: a guard ends it
# after $guard_s seconds and says so. Every process must be gone; /dev/shm and /tmp must be as
# before (links, clock and statistics are nameless memory, so there is nothing else that could
# stay). SEED makes the same choices again.
set -u
OWN_TMP=yes # unit tests have folders there
. "$(dirname "$0")/own_shm.sh"
. "$(dirname "$0")/common.sh"

rounds=${ROUNDS:-16}
seed=${SEED:-$RANDOM}
RANDOM=$seed
goal_ms=2000
guard_s=300
mkfifo "$scratch/never" # a line that never comes
echo "seed $seed, $rounds rounds"

now_ms() {
	echo $(($(date +%s%N) / 1000000))
}

# what a run could leave in the file system
leftovers() {
	ls -A /dev/shm 2>/dev/null
	find /tmp -maxdepth 1 -newer "$scratch/start" \( -name '*heddle*' -o -name '*switchd*' -o -name '*nicd*' \) 2>/dev/null
}

# wait_gone PID... - until all have ended
wait_gone() {
	local began=$SECONDS
	until gone "$@" >/dev/null; do
		[ $((SECONDS - began)) -lt $guard_s ] || { echo "hang guard: still there after $guard_s s"; gone "$@"; return 1; }
		sleep 0.01
	done
}

# wait_end - waits for the orchestrator, whose exit status is returned; what hangs is killed. The
# guard has no child that could outlive it.
wait_end() {
	local guard status
	(read -rt $guard_s <>"$scratch/never" || { touch "$scratch/hung" && kill -KILL "$orchestrator"; }) >/dev/null 2>&1 &
	guard=$!
	wait "$orchestrator"
	status=$?
	kill $guard 2>/dev/null
	wait $guard 2>/dev/null
	[ ! -e "$scratch/hung" ] || { echo "hang guard: not over after $guard_s s, killed"; rm "$scratch/hung"; }
	return $status
}

# start OPTION... - the orchestrator in $orchestrator, its nodes in $nodes, after a random time
start() {
	local tries=0
	"$heddle" run "$topologies/parking-lot.yaml" --set run.duration=10s "$@" >"$scratch/out" 2>"$scratch/err" </dev/null &
	orchestrator=$!
	until nodes=($(children "$orchestrator")) && [ ${#nodes[@]} -gt 0 ]; do
		tries=$((tries + 1))
		[ $tries -lt 6000 ] || { echo "no node was started"; cat "$scratch/err"; return 1; }
		sleep 0.01
	done
	sleep "0.$(printf '%03d' $((RANDOM % 400)))"
	nodes=($(children "$orchestrator"))
}

# node_dies SIGNAL SENTENCE - a random node gets SIGNAL; SENTENCE is in the message
node_dies() {
	local victim name began status took
	victim=${nodes[RANDOM % ${#nodes[@]}]}
	name=$(tr '\0' '\n' <"/proc/$victim/cmdline" | head -n 1)
	began=$(now_ms)
	kill "-$1" "$victim"
	wait_end
	status=$?
	took=$(($(now_ms) - began))
	echo "$took $1" >>"$scratch/took"
	echo "$1 of $name (pid $victim): status $status after $took ms"
	[ "$status" = 4 ] || { echo "exit status $status, not 4"; return 1; }
	says err "$name (pid $victim) $2" || return 1
	gone "${nodes[@]}"
}

# orchestrator_dies - its nodes follow it
orchestrator_dies() {
	local began
	began=$(now_ms)
	kill -KILL "$orchestrator"
	wait "$orchestrator" 2>/dev/null
	wait_gone "${nodes[@]}" && echo "$(($(now_ms) - began)) orchestrator" >>"$scratch/took"
}

round() {
	start --quiet || return 1
	case $((RANDOM % 4)) in
	0 | 1) node_dies KILL 'was killed by signal 9 (Killed)' ;;
	2) node_dies STOP 'was stopped by a signal' ;;
	3) orchestrator_dies ;;
	esac
}

# interrupted SIGNAL - the run ends in good order, prints what there is and says so
interrupted() {
	rm -rf "$scratch/csv" "$scratch/r.json"
	start --csv "$scratch/csv" --json "$scratch/r.json" || return 1
	kill "-$1" "$orchestrator"
	wait_end
	[ $? = 130 ] || { echo "exit status is not 130"; cat "$scratch/err"; return 1; }
	# where it was interrupted before the start there is nothing to print
	{ grep -q interrupted "$scratch/out" || says err 'interrupted before the start'; } && gone "${nodes[@]}" && labelled
}

# a batch system sends SIGTERM to the nodes too
group_interrupted() {
	start --verbose || return 1
	wait_for grep -s 'runs from 0' "$scratch/err" >/dev/null || { cat "$scratch/err"; return 1; }
	kill -TERM "${nodes[@]}" "$orchestrator"
	wait_end
	[ $? = 130 ] && says out 'interrupted: the figures' && gone "${nodes[@]}" || { cat "$scratch/err"; return 1; }
}

# labelled - is what an interrupted run has written said to be of one, in JSON and in every table?
labelled() {
	local table
	[ -e "$scratch/r.json" ] || { [ ! -e "$scratch/csv" ]; return; }
	grep -q '"interrupted": true' "$scratch/r.json" || return 1
	for table in "$scratch"/csv/*.csv; do
		tail -n 1 "$table" | grep -qE '^# interrupted=true end_ps=[0-9]+ exit_status=130$' || { echo "$table" && tail -n 1 "$table" && return 1; }
	done
}

touch "$scratch/start" "$scratch/took"
before=$(leftovers)
for ((i = 1; i <= rounds; i++)); do
	check "round $i" round
done
for signal in KILL STOP orchestrator; do
	sort -n "$scratch/took" | awk -v s=$signal -v goal=$goal_ms '$2 == s { t[n++] = $1; late += $1 > goal }
		END { if (n) printf "measured, after a %s: median %d ms, slowest %d ms, %d of %d later than %d ms\n", s, t[int(n / 2)], t[n - 1], late, n, goal }'
done
check "SIGINT ends a run in good order" interrupted INT
check "SIGTERM ends a run in good order" interrupted TERM
check "SIGTERM to all of its processes ends a run in good order" group_interrupted
check "nothing is left in /dev/shm and /tmp" test "$before" = "$(leftovers)"
finish
