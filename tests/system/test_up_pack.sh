#!/usr/bin/env bash
# test_up_pack - heddle up --pack and --poll: nodes in worker processes under the real clock (SC-7,
# SC-3, TB-22).
#
#   h1, h2 - s1 --- s2 (h3, h4) --- s3 - h5, h6     topologies/two-racks.yaml, two workers
#
# Hosts reach each other over ping and TCP, links fail and return, hosts leave and join (what joins
# is a process beside the workers); tables, captures and `top` work. A worker that is killed is
# named with the node that it ran, its nodes are dead, the others go on, and each dead one returns
# as a process. `down` leaves nothing. At rest nothing polls: processes sleep, and are switched to a
# few times only.
set -u
. "$(dirname "$0")/common.sh"
for program in jq python3 curl; do
	command -v $program >/dev/null || { echo "skipped: $program is not installed"; exit 77; }
done

fabric_dir
fabric_up "$topologies/two-racks.yaml" --pack=2 --poll=10ms

on() { timeout 120 "$heddle" exec "$1" -- "${@:2}"; }
reachable() { in_the_end on "$1" ping -c 3 -i 0.2 -w 30 -q "$2"; }
unreachable() { ! on "$1" ping -c 2 -i 0.2 -W 1 -q "$2"; }
# nodes FILTER - JSON of the nodes that match
nodes() { "$heddle" ps --json | jq -c ".[0].nodes[] | select($1)"; }
pids() { nodes "$1" | jq .pid | sort -u; }

# processes WORKERS OTHERS - so many run nodes
processes() {
	local found
	found="$(pids 'has("worker")' | wc -l) $(pids 'has("worker") | not' | wc -l)"
	[ "$found" = "$1 $2" ] || { echo "$found"; "$heddle" ps two-racks; return 1; }
}

says_packed() { "$heddle" ps two-racks | grep '^packed  *into 2 workers'; }

# 8 MiB come as they are
tcp() {
	local server status
	head -c 8M /dev/urandom >"$scratch/file"
	on h6 sh -c 'cat >/tmp/file' <"$scratch/file" || return 1
	on h6 python3 -m http.server -d /tmp 8000 >"$scratch/server" 2>&1 &
	server=$!
	listening h6 8000 && on h1 curl -sSf http://h6:8000/file | cmp - "$scratch/file"
	status=$?
	kill $server
	return $status
}

tables() {
	"$heddle" show s1 routes --json | jq -e '.node == "s1"' && run 1 set s1 nonsense 1 &&
		"$heddle" top two-racks -d 0.2 -n 1 | grep -E '^switch +s3'
}

captures() {
	local capture
	"$heddle" capture s1:h1 "$scratch/h1.pcapng" 2>"$scratch/began" &
	capture=$!
	wait_for grep 'until Ctrl-C' "$scratch/began" && on h1 ping -c 3 -i 0.2 -q h3
	kill -INT "$capture"
	wait "$capture" && grep -E ': [1-9][0-9]* frames' "$scratch/began"
}

# all processes that run nodes
all_pids() { pids true; }

switches_of() { awk '/ctxt_switches/ { sum += $2 } END { print sum }' "/proc/$1/status"; }

# nothing is in flight: in two seconds each process is switched to a few times only (it sleeps a
# second at most; neighbour discovery of hosts may come in between), and sleeps whenever looked at
rests() {
	local pid pids before=() after look
	pids=$(all_pids)
	[ -n "$pids" ] || return 1
	for pid in $pids; do before[pid]=$(switches_of "$pid"); done
	for ((look = 0; look < 10; look++)); do
		sleep 0.2
		for pid in $pids; do
			[[ $(awk '/^State/ { print $2 }' "/proc/$pid/status") = S ]] || { echo "$pid does not sleep"; return 1; }
		done
	done
	for pid in $pids; do
		after=$(switches_of "$pid")
		[ $((after - before[pid])) -le 40 ] || { echo "$pid: $((after - before[pid])) switches"; return 1; }
	done
}

# the worker of s2: it is named with a node of its own
worker_dies() {
	worker=$(nodes '.name == "s2"' | jq .pid)
	theirs=$(nodes ".pid == $worker" | jq -r .name)
	kill -KILL "$worker"
	wait_for nodes '.state == "dead"' >/dev/null || return 1
	in_the_end dead_are_told
}

dead_are_told() {
	local node
	for node in $theirs; do
		nodes ".name == \"$node\" and .state == \"dead\"" | jq -r .fate |
			grep -E "^with worker [01] \(pid $worker\), which was running (switch|NIC) [sh][1-6], killed by signal 9|^with worker [01] \(pid $worker\) killed by signal 9" || return 1
	done
	[ "$(nodes '.state == "running"' | wc -l)" = $((8 - $(echo "$theirs" | wc -l))) ]
}

# the processes of a fabric that ends
ends() {
	local left pid
	left=$(all_pids)
	"$heddle" down || return 1
	for pid in $left; do [ ! -e "/proc/$pid" ] || { echo "$pid is left"; return 1; }; done
}

wrong() {
	run 2 up "$topologies/two-racks.yaml" --pack=257 && says err "--pack takes 0 to 256 workers, not '257'" &&
		run 2 up "$topologies/two-racks.yaml" --pack=-1 && says err "not '-1'" &&
		run 2 up "$topologies/two-racks.yaml" --poll=soon && says err "--poll: 'soon'" &&
		run 2 up "$topologies/two-racks.yaml" --poll=2s && says err "--poll takes 0s to 1s, not '2s'" &&
		run 2 up "$topologies/two-racks.yaml" --poll=-1us && says err '--poll'
}

# other OPTION... - another fabric: one worker on two cores
other() {
	"$heddle" up "$topologies/two-racks.yaml" --name other --pack "$@" && in_the_end on_other ping -c 2 -i 0.2 -w 30 -q h6 &&
		[ "$("$heddle" ps other --json | jq '[.[0].nodes[].pid] | unique | length')" = $(($(nproc) < 4 ? 1 : $(nproc) / 2)) ] &&
		"$heddle" down other
}
on_other() { timeout 120 "$heddle" exec -f other h1 -- "$@"; }

check 'two workers run all nodes' processes 2 0
check 'which ps says' says_packed
check 'packets cross both' reachable h1 h6
check 'TCP' tcp
check 'tables, a wrong parameter, top' tables
check 'a capture' captures
check 'a link goes down' run 0 link s1:s2 down
check 'and nothing crosses it' unreachable h1 h3
check 'it returns' run 0 link s1:s2 up
check 'as before' reachable h1 h3
check 'a host leaves its worker' run 0 remove h2
check 'the others go on' reachable h1 h5
check 'a host joins, as a process' run 0 add host h7 s2
check 'beside the workers' processes 2 1
check 'and is reached' reachable h1 h7
check 'it leaves' run 0 remove h7
check 'the first node of a worker leaves, which goes on' eval 'run 0 remove h1 && reachable h3 h5 && run 0 add host h1 s1'
check 'at rest all sleep, although they poll' in_the_end rests
check 'a worker is killed' worker_dies
check 'its nodes return as processes' eval 'for node in $theirs; do "$heddle" start "$node" || exit 1; done'
check 'all is as before' reachable h1 h6
check 'the end leaves no process' ends
check 'veth links' other --set links.medium=veth
check 'no io_uring' other --loop fallback
check 'processes that poll' eval '"$heddle" up "$topologies/two-racks.yaml" --poll=10ms && reachable h1 h6 && in_the_end rests && ends'
check 'what is wrong' wrong
finish
