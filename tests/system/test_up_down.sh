#!/usr/bin/env bash
# test_up_down - up, something at random goes wrong, down: nothing is left (TB-10, TB-22, TB-24).
#
# ROUNDS times (11; `make soak`: 300): a fabric goes up, runs programs in its hosts, and is
# disturbed: a switch, a NIC, the daemon, the hosts' init process or a program is killed, a node or
# the daemon is stopped, `heddle up` is interrupted or its daemon killed at a random moment of the
# start, however long that takes here. Then `heddle down`, and
#   no process is left: what was started has our runtime directory in its environment;
#   no process holds, and no list of the kernel shows, a namespace, socket or memfd that a process
#   of the fabric had;
#   interfaces, mounts, /dev/shm, /run/netns, the runtime directory and temporary files are those of
#   before.
# Other fabrics of the machine are not looked at. SEED makes the same choices again, WHATS names
# what goes wrong.
set -u
. "$(dirname "$0")/own_shm.sh"
. "$(dirname "$0")/common.sh"

fabric_dir
export TMPDIR=$scratch/tmp
mkdir -m 700 "$TMPDIR"
rounds=${ROUNDS:-11}
seed=${SEED:-$RANDOM}
RANDOM=$seed
fabric=$topologies/two-racks.yaml
echo "seed $seed, $rounds rounds"

# ---- what a fabric has, and what could be left of it ----

# ours - the processes that were started with our runtime directory, which grep itself is not
ours() {
	local file
	for file in $(env -u HEDDLE_RUNTIME_DIR grep -lsazF "HEDDLE_RUNTIME_DIR=$HEDDLE_RUNTIME_DIR" /proc/[0-9]*/environ); do
		file=${file#/proc/}
		echo "${file%/environ}"
	done
}

# objects PID... - namespaces, sockets and memfds that the processes are in, hold or map, a line
# each: "net:[4026532008]"
objects() {
	{
		printf '/proc/%s/ns\0/proc/%s/fd\0' $(for pid in "$@"; do echo "$pid $pid"; done) |
			find -files0-from - -type l -printf '%l\n'
		printf '/proc/%s/maps\0' "$@" | xargs -0 awk '$6 ~ /^\/memfd:/ { print substr($6, 2) ":[" $5 "]" }'
	} 2>/dev/null | grep -E '^(net|mnt|pid|uts|user|ipc|cgroup|time|socket|memfd:[^:]*):\[' | sort -u
}

# theirs - objects of the fabric that runs, without those of its caller
theirs() {
	objects $(ours) | comm -23 - "$scratch/caller"
}

# held FILE - which of its objects does a process still have, or does the kernel still list?
held() {
	[ -s "$1" ] || return 0
	{
		objects $(ls /proc | grep -E '^[0-9]+$')
		awk '{ print "socket:[" $NF "]" }' /proc/net/packet
		awk '{ print "socket:[" $7 "]" }' /proc/net/unix
		sed -n 's/.* nsfs \([a-z]*:\[[0-9]*\]\).*/\1/p' /proc/self/mountinfo
	} | sort -u | comm -12 - "$1"
}

# state - all else
state() {
	ip -o link | sed 's/^[0-9]*: //; s/[:@].*//' | sort
	grep -F "$scratch" /proc/self/mountinfo
	ls -A /dev/shm /run/netns "$HEDDLE_RUNTIME_DIR" "$TMPDIR" 2>/dev/null
	ls -d /tmp/*switchd* /tmp/*nicd* /core* "$PWD"/core* 2>/dev/null
}

# left - what there is that was not there before
left() {
	local pid
	for pid in $(ours); do
		gone "$pid"
	done
	held "$scratch/objects" | sed 's/$/ still exists/'
	state | diff "$scratch/before" -
}

# settled - is nothing left, within a minute? What ends itself may take a moment.
settled() {
	for _ in $(seq 600); do
		left >"$scratch/left" 2>&1
		[ -s "$scratch/left" ] || return 0
		sleep 0.1
	done
	cat "$scratch/left"
	return 1
}

# ---- what goes wrong ----

# nodes KIND - pids of the nodes of kind "switch", "nic" or ".*"
nodes() {
	"$heddle" ps --json | jq -r --arg kind "$1" '.[0].nodes[] | select(.kind | test("^" + $kind + "$")) | .pid'
}
# choose WORD... - one of them becomes $chosen; not in a subshell, where SEED would not count
choose() {
	local all=("$@")
	chosen=${all[RANDOM % ${#all[@]}]}
}
# named COMMAND - the processes of ours that are called so
named() {
	local pid
	for pid in $(ours); do
		[ "$(cat "/proc/$pid/comm" 2>/dev/null)" = "$1" ] && echo "$pid"
	done
}
daemon() { "$heddle" ps --json | jq '.[0].pid'; }
fabric_init() { pgrep -P "$(daemon)" -x heddle-init; }

disturb() {
	case $1 in
	nothing) ;;
	kill-switch) choose $(nodes switch) && kill -KILL "$chosen" ;;
	kill-nic) choose $(nodes nic) && kill -KILL "$chosen" ;;
	kill-several) kill -KILL $(nodes '.*' | shuf -n 4 --random-source=<(yes $RANDOM)) ;;
	kill-daemon) kill -KILL "$(daemon)" ;;
	kill-init) kill -KILL "$(fabric_init)" ;;
	kill-host-init) choose $(pgrep -P "$(fabric_init)" -x heddle-init) && kill -KILL "$chosen" ;;
	kill-program) choose $(wait_for named sleep) && kill -KILL "$chosen" ;;
	stop-node) choose $(nodes '.*') && kill -STOP "$chosen" ;;
	stop-daemon) kill -STOP "$(daemon)" ;;
	esac
}

# disturbed WHAT - a fabric that runs, with programs in its hosts that no command waits for, and
# traffic
disturbed() {
	"$heddle" up "$fabric" >"$scratch/up" 2>&1 || { cat "$scratch/up"; return 1; }
	"$heddle" exec h1 -- sh -c 'sleep 1000 & sleep 1000 & ping -q -i 0.01 h6 >/dev/null & ping -q h3 >/dev/null &' || return 1
	theirs >"$scratch/objects"
	[ "$(grep -c -e ^net: -e ^socket: -e ^memfd: "$scratch/objects")" -gt 50 ] || { echo 'what does it have?'; cat "$scratch/objects"; return 1; }
	disturb "$1" || return 1
	sleep "0.$(printf %03d $((RANDOM % 100)))"
}

# interrupt WHAT MICROSECONDS - starts `heddle up`, which is $up, and interrupts it after so long
# (with signal $chosen); false if it was over by then
interrupt() {
	local daemon all
	"$heddle" up "$fabric" >"$scratch/up" 2>&1 &
	up=$!
	sleep "$(printf '%d.%06d' $(($2 / 1000000)) $(($2 % 1000000)))"
	case $1 in
	up-signal) kill "-$chosen" "$up" ;;
	up-daemon)
		until daemon=$(children "$up") && [ -n "$daemon" ]; do
			kill -0 "$up" || return 1
		done
		kill -KILL $daemon
		;;
	up-group) all=$(ours) && grep -qx "$up" <<<"$all" && kill -KILL $all ;;
	esac 2>/dev/null
}

# interrupted WHAT - at a random moment of `heddle up`, or sooner; what it says is either that it
# runs or why it does not, with the signal that ended its daemon
interrupted() {
	local up status moment_us=$((RANDOM * up_us / 32768)) tries=10
	: >"$scratch/objects"
	# here, once: the number of attempts must not change what SEED chooses later
	choose INT TERM KILL HUP
	until interrupt "$1" $moment_us; do
		wait "$up" || { cat "$scratch/up"; return 1; }
		"$heddle" down >"$scratch/down" 2>&1 || { cat "$scratch/down"; return 1; }
		moment_us=$((moment_us / 2)) tries=$((tries - 1))
		[ $tries -gt 0 ] || { echo 'heddle up is always over before it can be interrupted'; return 1; }
	done
	wait "$up" 2>/dev/null
	status=$?
	case $status in
	0 | 129 | 130 | 137 | 143) ;;
	4) grep -q 'heddle up: .' "$scratch/up" && ! grep -q 'daemon died' "$scratch/up" && return ;;
	esac || { echo "exit status $status"; cat "$scratch/up"; return 1; }
}

# round WHAT - whatever came of it, the next one begins with nothing
round() {
	local status=0
	case $1 in
	up-*) interrupted "$1" ;;
	*) disturbed "$1" ;;
	esac || status=1
	"$heddle" down >"$scratch/down" 2>&1 || { cat "$scratch/down"; return 1; }
	settled && [ $status = 0 ]
}

# ---- the test ----

command -v jq >/dev/null || { echo 'skipped: jq is not installed'; exit 77; }
objects $$ >"$scratch/caller"
: >"$scratch/objects"
state >"$scratch/before"
up_us=${EPOCHREALTIME/[.,]/}
fabric_up "$fabric"
up_us=$((${EPOCHREALTIME/[.,]/} - up_us))
theirs >"$scratch/objects"
sees() { [ "$(held "$scratch/objects" | wc -l)" -gt 50 ] && ! state | cmp -s - "$scratch/before" && [ -n "$(ours)" ]; }
check 'what runs is seen' sees
check 'a second fabric of the same name is refused' run 4 up "$fabric"
check 'a second fabric beside it' run 0 up "$fabric" --name other
check 'with hosts of its own' run 0 exec -f other h1 -- ping -c 1 -w 30 -q h6
check 'which of the two must be said' run 2 exec h1 -- true
check 'down of all' run 0 down --all
check 'nothing is left' settled

whats=(${WHATS:-nothing kill-switch kill-nic kill-daemon kill-init kill-host-init kill-program kill-several stop-node up-signal up-daemon up-group})
for ((i = 1; i <= rounds; i++)); do
	what=${whats[(i - 1) % ${#whats[@]}]}
	# `down` takes eight seconds to detect this one
	[ -z "${WHATS:-}" ] && [ $((i % 50)) = 30 ] && what=stop-daemon
	check "round $i: $what" round "$what"
done
echo "$rounds rounds in $SECONDS s"
finish
