#!/usr/bin/env bash
# test_mixed_programs - 64 hosts with many kinds of programs, while links and nodes fail and hosts
# join and leave: memory and descriptors stay flat, and nothing is left (TB-10, TB-22).
#
#   8 leaves of 8 hosts each, 4 spines; 100 Mb/s and 2 ms
#
# ROUNDS rounds (2; `make soak`: an hour) of ROUND_SECONDS (1; 60). In each there are TCP and UDP
# streams, a file that is fetched again and again and compared, short requests and pings. Meanwhile
# a link is cut and repaired, a spine and a NIC are killed and started again, a host joins and
# leaves. At the end of a round the programs have ended and the fabric is as it was. Then its
# processes, their descriptors and their memory are counted. SEED makes the same choices again.
set -u
. "$(dirname "$0")/common.sh"

fabric_dir
for program in jq iperf3 curl python3; do
	command -v $program >/dev/null || { echo "skipped: $program is not installed"; exit 77; }
done
rounds=${ROUNDS:-2}
round_seconds=${ROUND_SECONDS:-1}
seed=${SEED:-$RANDOM}
RANDOM=$seed
echo "seed $seed, $rounds rounds of $round_seconds s and a warm-up"

# ---- the fabric ----

"$heddle" gen leaf-spine leaves=8 hosts-per-leaf=8 spines=4 >"$scratch/fabric.yaml"
fabric_up "$scratch/fabric.yaml" --name mixed --set links.rate=100Mb/s --set links.delay=2ms
"$heddle" ps --json >"$scratch/start"
leaves=($("$heddle" link --json | jq -r '[.links[].node_a, .links[].node_b] | unique | .[] | select(startswith("leaf"))'))
spines=($("$heddle" link --json | jq -r '[.links[].node_a, .links[].node_b] | unique | .[] | select(startswith("spine"))'))

on() { local host=$1; shift; timeout 120 "$heddle" exec "$host" -- "$@"; }
node() { "$heddle" ps --json | jq -r --arg name "$1" --arg key "$2" '.[0].nodes[] | select(.name == $name)[$key]'; }
# becomes NODE STATE
becomes() {
	for _ in $(seq 600); do
		[ "$(node "$1" state)" = "$2" ] && return
		sleep 0.05
	done
	echo "$1 does not become $2"
	return 1
}
# one_of WORD... - becomes $chosen; not in a subshell, where SEED would not count
one_of() {
	local all=("$@")
	chosen=${all[RANDOM % ${#all[@]}]}
}

# ---- programs: each until $scratch/stop exists ----

head -c 300000 /dev/urandom >"$scratch/file"
going() { [ ! -e "$scratch/stop" ]; }
servers_start() {
	local host
	for host in h8 h56; do
		"$heddle" exec $host -- iperf3 -s -p 5201 >/dev/null 2>&1 &
		"$heddle" exec $host -- python3 -m http.server 80 --directory "$scratch" >/dev/null 2>&1 &
	done
	for host in h8 h56; do
		listening $host 5201 >/dev/null && listening $host 80 >/dev/null || return 1
	done
}
streams() { while going; do on h0 iperf3 -c h56 -t 2 -P 4; on h17 iperf3 -c h8 -u -b 20M -t 2; sleep 0.1; done; }
fetches() { # counts files that arrived whole, and those that did not
	local whole=0
	while going; do
		on h33 curl -s -m 60 http://h8/file -o "$scratch/fetched" || continue
		cmp -s "$scratch/file" "$scratch/fetched" || { echo differs; return; }
		whole=$((whole + 1))
	done
	echo $whole
}
requests() { while going; do on h40 curl -s -m 10 -o /dev/null http://h56/; done; }
pings() { while going; do on h63 ping -q -i 0.05 -c 20 h"$1"; done; }

# ---- trouble ----

cut_link() {
	one_of "${leaves[@]}"
	local leaf=$chosen
	one_of "${spines[@]}"
	"$heddle" link "$leaf:$chosen" down && sleep 0.3 && "$heddle" link "$leaf:$chosen" up
}
kill_node() { # NAME
	kill -KILL "$(node "$1" pid)" && becomes "$1" dead && "$heddle" start "$1" && becomes "$1" running
}
kill_spine() { one_of "${spines[@]}"; kill_node "$chosen"; }
kill_nic() { kill_node "h$((41 + RANDOM % 8))"; }
join_and_leave() {
	one_of "${leaves[@]}"
	"$heddle" add host guest "$chosen" && in_the_end on guest ping -c 1 -w 30 -q h63 && "$heddle" remove guest
}
trouble() {
	local until=$((SECONDS + round_seconds))
	while :; do
		cut_link && kill_spine && kill_nic && join_and_leave || return 1
		[ $SECONDS -lt $until ] || return 0
	done
}

# ---- what the fabric has at rest ----

# pids - the daemon, its children and theirs
pids() {
	local pid=$1 child
	echo "$pid"
	for child in $(children "$pid"); do
		pids "$child"
	done
}
daemon=$(jq '.[0].pid' "$scratch/start")
# census - processes, descriptors, kilobytes of memory (shared pages divided by their users)
census() {
	local all
	all=$(pids "$daemon")
	echo "$(wc -l <<<"$all") $(for pid in $all; do ls "/proc/$pid/fd"; done 2>/dev/null | wc -l) $(
		for pid in $all; do cat "/proc/$pid/smaps_rollup"; done 2>/dev/null | awk '/^Pss:/ { sum += $2 } END { print sum }'
	)"
}

# round - returns when all programs have ended and all is repaired
round() {
	local status=0 jobs=() servers
	rm -f "$scratch/stop"
	servers_start || { echo 'the servers do not start'; return 1; }
	servers=$(jobs -p)
	streams >/dev/null 2>&1 & jobs+=($!)
	fetches >"$scratch/whole" & jobs+=($!)
	requests >/dev/null 2>&1 & jobs+=($!)
	pings 2 >/dev/null 2>&1 & jobs+=($!)
	pings 50 >/dev/null 2>&1 & jobs+=($!)
	trouble || status=1
	touch "$scratch/stop"
	wait "${jobs[@]}"
	kill $servers
	wait
	[ "$(cat "$scratch/whole")" -gt 0 ] || { echo "files fetched: $(cat "$scratch/whole")"; status=1; }
	in_the_end on h1 ping -c 1 -w 30 -q h63 || status=1
	return $status
}

check 'a warm-up' round
census >"$scratch/census"
for ((i = 1; i <= rounds; i++)); do
	check "round $i" round
	census >>"$scratch/census"
done

# ---- flat? ----

printf 'round  processes  descriptors  memory\n'
awk '{ printf "%5d  %9d  %11d  %3.0f MB\n", NR - 1, $1, $2, $3 / 1024 }' "$scratch/census"
same_count() { [ "$(cut -d ' ' -f "$1" "$scratch/census" | sort -u | wc -l)" = 1 ]; }
# Pages of pools are touched for the first time now and then, and a node that was started again has
# fewer. So the greatest value of the last third counts against that of the first. A few samples
# scatter more than those of an hour: GROWTH_MAX is 1.3, with `make soak` 1.1.
growth_max=${GROWTH_MAX:-1.3}
memory_flat() {
	awk -v limit="$growth_max" '{ memory[NR] = $3 } END {
		third = int((NR + 2) / 3)
		for (i = 1; i <= third; i++) if (memory[i] > first) first = memory[i]
		for (i = NR - third + 1; i <= NR; i++) if (memory[i] > last) last = memory[i]
		printf "memory: last third at most %.3f of the first\n", last / first
		exit last > limit * first
	}' "$scratch/census"
}
check 'as many processes after every round' same_count 1
check 'as many descriptors after every round' same_count 2
memory_flat
check "memory grew at most $growth_max times" memory_flat
check 'down' run 0 down mixed
check 'no process is left' gone $(jq '.[0].pid, .[0].nodes[].pid' "$scratch/start")
finish
