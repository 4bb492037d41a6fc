#!/usr/bin/env bash
# test_many_hosts - programs in many hosts of a running fabric: exec --all, ping-all, mpirun, and
# what a program in a host knows of its fabric (DU-4).
set -u
. "$(dirname "$0")/common.sh"

export HEDDLE_RUNTIME_DIR=$scratch/run
mkdir -m 700 "$scratch/run"
at_end '"$heddle" down --all >/dev/null 2>&1'

start() {
	run 0 up "$topologies/two-racks.yaml" --name one --set links.rate=100Mb/s --set links.delay=1ms
}

# each line of each host has the host before it; lines of one host keep their order
all() {
	for shell in /bin/bash /bin/no-such-shell; do
		echo 'echo "of $0"' | SHELL=$shell "$heddle" shell h1 || return 1
	done | tr '\n' ' ' | grep -qE 'of (/bin/ba|/bin/)sh of /bin/sh ' || return 1
	run 0 exec --all -- printf 'ab\000cd\n' && says out 'ab?cd' || return 1
	run 0 exec --all -- sh -c 'echo "$HEDDLE_HOST $HEDDLE_FABRIC"; hostname; echo bad >&2' || return 1
	[ "$(sort "$scratch/out" | uniq | wc -l)" = 12 ] && [ "$(grep -c . "$scratch/err")" = 6 ] &&
		grep -qx 'h3 | h3 one' "$scratch/out" && grep -qx 'h3 | h3' "$scratch/out" && grep -qx 'h3 | bad' "$scratch/err"
}

some() {
	run 0 exec --hosts 'h[12]' -- hostname && [ "$(sort "$scratch/out" | tr '\n' ';')" = 'h1 | h1;h2 | h2;' ] &&
		run 2 exec --hosts 'x*' -- hostname && says err "no host of fabric one is called like 'x*'" &&
		run 2 exec --all --hosts 'h*' -- true && run 2 exec --all && says err 'missing PROGRAM'
}

# one exit status: of the first host whose program failed
status() {
	# shellcheck disable=SC2016
	run 7 exec --all -- sh -c 'case $HEDDLE_HOST in h2) exit 7 ;; h5) exit 9 ;; esac' &&
		says err 'failed in 2 of 6 hosts: h2 (7) h5 (9)' && run 126 exec --all -- /no/such/program &&
		says err 'h1 | heddle exec: cannot run /no/such/program'
}

# no newline at the end, a line longer than the buffer, many lines: nothing is lost
lines() {
	run 0 exec --hosts h1 -- sh -c 'printf "%9000d\n" 1; seq 1 3000; printf end' &&
		[ "$(sed 's/^h1 | //' "$scratch/out" | head -n 3 | tr -d '\n' | wc -c)" = 9000 ] &&
		[ "$(sed 1,3d "$scratch/out" | head -n 3000 | sed 's/^h1 | //' | cksum)" = "$(seq 1 3000 | cksum)" ] &&
		[ "$(tail -n 1 "$scratch/out")" = 'h1 | end' ]
}

# fewer descriptors than the outputs of as many programs as may run at once
few_descriptors() {
	timeout 120 bash -c 'ulimit -n 100 && exec "$0" exec --all -- true' "$heddle"
}

gone() {
	[ -z "$(pgrep -f "^sleep $1\$")" ] && echo gone
}

# exec ends without a chance to end its programs
killed() {
	local seconds=9$$
	"$heddle" exec --all -- sleep "$seconds" &
	wait_for pgrep -f "^sleep $seconds\$" && kill -KILL $! && wait_for gone "$seconds"
}

rsh() {
	run 0 exec --rsh h4 'echo "$HEDDLE_HOST";' echo two && [ "$(tr '\n' ' ' <"$scratch/out")" = 'h4 two ' ]
}

# a heddle in a host means the fabric that it is in, also if another one runs
inside() {
	run 0 up "$topologies/two-racks.yaml" --name two && run 2 exec h1 -- true &&
		run 0 exec -f one h1 -- "$heddle" exec h2 -- sh -c 'echo "$HEDDLE_HOST $HEDDLE_FABRIC"' &&
		[ "$(cat "$scratch/out")" = 'h2 one' ] && run 0 exec -f two h1 -- "$heddle" link --json &&
		jq -e '.fabric == "two"' "$scratch/out" && run 0 down two
}

reached() {
	run 0 ping-all --wait 30 && says out '30 of 30 pairs answer' && run 0 ping-all --wait 30 --json --hosts 'h[1-3]' &&
		jq -e 'length == 6 and all(.ms > 2 and .from != .to)' "$scratch/out"
}

unreached() {
	run 0 link h1:s1 down && run 1 ping-all --hosts 'h[126]' --wait 1 && says out 'h1 -> h2  no answer' &&
		says out 'h6 -> h1  no answer' && run 0 link h1:s1 up &&
		run 2 ping-all --wait 0 && run 2 ping-all word
}

mpi() {
	run 0 mpirun -n 8 sh -c 'echo "$(hostname) $OMPI_COMM_WORLD_SIZE"' && [ "$(wc -l <"$scratch/out")" = 8 ] &&
		[ "$(sort -u "$scratch/out" | head -n 1)" = 'h1 8' ] && run 0 mpirun --hosts 'h[25]' -- --map-by node hostname &&
		[ "$(sort "$scratch/out" | tr '\n' ' ')" = 'h2 h5 ' ] && run 2 mpirun -n 0 true && run 2 mpirun &&
		says err 'missing PROGRAM'
}

check "a fabric" start
check "exec --all: every host at once, its name before each line" all
check "exec --hosts" some
check "exec --all has one exit status" status
check "nothing of an output is lost" lines
check "exec --all with few descriptors" few_descriptors
check "no program remains if exec --all is killed" killed
check "exec --rsh joins words as ssh does" rsh
check "a heddle in a host finds its own fabric" inside
check "ping-all: every pair" reached
if command -v mpirun >/dev/null; then
	check "mpirun: as many processes as are asked for, over the hosts" mpi
else
	skip "mpirun" "Open MPI is not installed"
fi
check "ping-all names the pairs without an answer" unreached
finish
