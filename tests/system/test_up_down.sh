#!/usr/bin/env bash
# test_up_down - up, something at random is killed, down: nothing is left (TB-22, TB-24).
#
# ROUNDS times (8; `make soak`: 300): a fabric goes up, a node, the daemon, the init process of its hosts or nothing is
# killed at random, `heddle down` says how it ended; then processes, namespaces, interfaces, sockets, shared memory and
# files are those of before. SEED makes the same choices again.
set -u
. "$(dirname "$0")/common.sh"

export HEDDLE_RUNTIME_DIR=$scratch/run
mkdir -m 700 "$HEDDLE_RUNTIME_DIR"
trap '"$heddle" down --all >/dev/null 2>&1; rm -rf "$scratch"' EXIT
rounds=${ROUNDS:-8}
seed=${SEED:-$RANDOM}
RANDOM=$seed
echo "seed $seed, $rounds rounds"

# what a fabric could leave behind
state() {
	ps -eo comm= | grep -c -E '^(switchd|nicd|heddle|h[1-6]|s[1-3])$'
	ip -o link | sed 's/^[0-9]*: //; s/:.*//' | sort
	readlink /proc/[0-9]*/ns/net 2>/dev/null | sort -u | wc -l
	ls -A /dev/shm "$HEDDLE_RUNTIME_DIR" /run/netns 2>/dev/null
	grep -c "$HEDDLE_RUNTIME_DIR" /proc/net/unix
}

# settled - does the state come back to what it was, within five seconds?
settled() {
	for _ in $(seq 50); do
		state >"$scratch/after"
		cmp -s "$scratch/before" "$scratch/after" && return
		sleep 0.1
	done
	diff "$scratch/before" "$scratch/after"
}

state >"$scratch/before"
if ! "$heddle" up "$topologies/two-racks.yaml" >"$scratch/up" 2>&1; then
	cat "$scratch/up"
	grep -q -e 'ermi' -e 'forbid' "$scratch/up" && { echo "skipped: $(tail -n 1 "$scratch/up")"; exit 77; }
	exit 1
fi
check 'a second fabric of the same name is refused' run 4 up "$topologies/two-racks.yaml"
check 'a second fabric beside it' run 0 up "$topologies/two-racks.yaml" --name other
check 'with hosts of its own' run 0 exec -f other h1 -- ping -c 1 -W 5 -q h6
check 'which of the two must be said' run 2 exec h1 -- true
check 'down of all' run 0 down --all
check 'nothing is left' settled

# the processes of the fabric: daemon, nodes, init
victims() {
	local daemon=$1
	echo "$daemon"
	children "$daemon" | tr ' ' '\n' | grep .
}

round() {
	local daemon victim all
	"$heddle" up "$topologies/two-racks.yaml" >"$scratch/up" 2>&1 || { cat "$scratch/up"; return 1; }
	daemon=$("$heddle" ps --json | jq -r '[.. | objects | select(has("nodes") or has("uptime_ns")) | .pid][0]')
	[ -n "$daemon" ] || { "$heddle" ps --json; return 1; }
	"$heddle" exec h1 -- sh -c 'sleep 100 & sleep 100 &' # programs that nobody waits for end with the fabric
	all=($(victims "$daemon"))
	victim=${all[RANDOM % ${#all[@]}]}
	[ $((RANDOM % 8)) = 0 ] || kill -KILL "$victim"
	sleep 0.0$((RANDOM % 9))
	"$heddle" down >"$scratch/down" 2>&1 || { cat "$scratch/down"; return 1; }
	settled
}
for i in $(seq "$rounds"); do
	check "round $i" round
done
finish
