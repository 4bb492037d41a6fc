#!/usr/bin/env bash
# test_ranks - a fabric on several machines gives the same bytes as on one, and a rank that dies, is
# stopped or cannot take part is named (SC-4).
#
# mpirun starts the ranks, all on this machine. One check has them in network and mount namespaces
# of their own, with /dev/shm and /tmp of their own, joined by a veth pair: to Open MPI these are
# two machines. The references are runs without mpirun, with a process for each node.
set -u
. "$(dirname "$0")/common.sh"

command -v mpirun >/dev/null && [ -x "$(dirname "$(readlink -f "$heddle")")/rankd" ] || {
	echo 'Open MPI is not installed'
	exit 77
}
export NO_COLOR=1 # mpirun gives its ranks a terminal
export OMPI_MCA_orte_abort_on_non_zero_status=1
launch=(mpirun --oversubscribe --bind-to none)
[ "$(id -u)" = 0 ] && launch+=(--allow-run-as-root)

# result NAME RANKS SCENARIO [OPTION...] - all outputs go to $scratch/NAME
result() {
	local folder=$scratch/$1 ranks=$2 scenario=$3
	local prefix=()
	shift 3
	rm -rf "$folder"
	mkdir -p "$folder"
	[ "$ranks" = 0 ] || prefix=("${launch[@]}" -n "$ranks")
	"${prefix[@]}" "$heddle" run "$topologies/$scenario.yaml" --json "$folder/result.json" --csv "$folder" \
		--events "$folder/events.csv" --record "$folder/run.hdl" "$@" >"$folder/text" 2>"$scratch/log" </dev/null
	case $? in
	0 | 1) return 0 ;;
	esac
	cat "$scratch/log"
	return 1
}

# same 'RANKS...' SCENARIO [OPTION...] - do so many ranks give what one machine gives?
same() {
	local ranks list=$1
	shift
	result one 0 "$@" || return 1
	for ranks in $list; do
		result several "$ranks" "$@" || return 1
		diff -r "$scratch/one" "$scratch/several" >"$scratch/diff" && continue
		echo "$ranks ranks differ:"
		head -c 1000 "$scratch/diff"
		return 1
	done
}

short=(--set run.duration=200us --set run.warmup=50us --set 'expect=[]')

captures() {
	local prefix=() name
	for name in one several; do
		"${prefix[@]}" "$heddle" run "$topologies/roce-compare.yaml" --capture "all=$scratch/$name.pcapng" "${short[@]}" \
			>"$scratch/text" 2>&1 </dev/null || { cat "$scratch/text"; return 1; }
		prefix=("${launch[@]}" -n 2)
	done
	cmp "$scratch/one.pcapng" "$scratch/several.pcapng"
}

# tables of nodes of both ranks, parameters, steps
prompt_of() {
	printf '%s\n' 'show left queues' 'show h8 flows' 'set left data.ecn.kmin 9000' 'set right data.ecn.kmin 9000' 'step 20us' \
		'show right queues' 'step' 'show flow h0 h8' 'continue' |
		"${@:2}" "$heddle" run "$topologies/roce-compare.yaml" --set run.duration=300us --set run.warmup=100us --set 'expect=[]' \
			--break-at 50us >"$scratch/prompt$1" 2>&1
	[ $? = 0 ] || { cat "$scratch/prompt$1"; return 1; }
}

prompt_same() {
	prompt_of 1 env && prompt_of 2 "${launch[@]}" -n 2 && diff "$scratch/prompt1" "$scratch/prompt2" &&
		grep -q queue "$scratch/prompt2"
}

# ---- what goes wrong ----

# start - a long run of two ranks; its processes in $run, $root (rankd of rank 0), $member (rank 1),
# $worker (of rank 1), once the clock runs
start() {
	: >"$scratch/err"
	"${launch[@]}" -n 2 "$heddle" run "$topologies/parking-lot.yaml" --set run.duration=1000s --set congestion=no --verbose \
		"$@" >"$scratch/out" 2>"$scratch/err" </dev/null &
	launcher=$!
	wait_for grep -s 'runs from 0' "$scratch/err" >/dev/null || { cat "$scratch/err"; return 1; }
	run=$(pgrep -P "$launcher" -x heddle)
	member=$(pgrep -P "$launcher" -x rankd)
	root=$(pgrep -P "$run" -x rankd)
	worker=$(children "$member" | cut -d ' ' -f 1)
	processes=("$run" "$member" "$root" $(children "$run") $(children "$member"))
}

all_gone() {
	for _ in $(seq 100); do gone "${processes[@]}" >/dev/null && break; sleep 0.05; done
	gone "${processes[@]}"
}

# dies STATUS PROCESS SIGNAL SENTENCE - the run ends, SENTENCE (a regular expression) says why,
# nothing is left
dies() {
	local status
	start --watchdog 500ms || return 1
	kill "-$3" "${!2}"
	wait "$launcher"
	status=$?
	[ $status = "$1" ] || { echo "exit status $status, not $1"; cat "$scratch/err"; return 1; }
	grep -qE "$4" "$scratch/err" || { cat "$scratch/err"; return 1; }
	all_gone
}

interrupted() {
	start || return 1
	kill -INT "$run"
	wait "$launcher"
	[ $? = 130 ] && grep -q 'interrupted' "$scratch/out" "$scratch/err" && all_gone || { cat "$scratch/err"; return 1; }
}

# refuses TEXT OPTION... - status 2, and TEXT
refuses() {
	local text=$1
	shift
	timeout 60 "${launch[@]}" -n 2 "$heddle" run "$topologies/roce-compare.yaml" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
	[ $? = 2 ] && says err "$text"
}

what_is_not_there() {
	refuses 'not on several machines: --compare' --compare && refuses '--clock real' --clock real && refuses '--view' --view
}

# a rank whose workerd is another build
other_build() {
	mkdir -p "$scratch/other" "$scratch/this"
	cp "$(dirname "$(readlink -f "$heddle")")"/{heddle,workerd,rankd,switchd,nicd} "$scratch/other"
	echo >>"$scratch/other/workerd"
	timeout 60 "${launch[@]}" -n 1 "$heddle" run "$topologies/permutation-16.yaml" : -n 1 "$scratch/other/heddle" run x \
		>"$scratch/out" 2>"$scratch/err" </dev/null
	[ $? = 4 ] && grep -qE 'rank 1 \(.*\): its workerd is not that of rank 0' "$scratch/err" || { cat "$scratch/err"; return 1; }
}

# without rankd: what to install
without_rankd() {
	mkdir -p "$scratch/less"
	cp "$(dirname "$(readlink -f "$heddle")")"/{heddle,workerd,switchd,nicd} "$scratch/less"
	timeout 60 "${launch[@]}" -n 2 "$scratch/less/heddle" run "$topologies/permutation-16.yaml" >"$scratch/out" 2>"$scratch/err" </dev/null
	[ $? = 2 ] && says err 'install the package heddle-mpi'
}

# ---- machines of their own ----

# Two ranks that share no memory, file or loopback interface. mpirun and rank 0 are in the first
# namespace; the agent, which Open MPI calls instead of ssh, enters the second one.
machines() {
	result one 0 permutation-16 || return 1
	mkdir -p "$scratch/several"
	cat >"$scratch/agent" <<-'AGENT'
		#!/bin/sh
		# agent MACHINE COMMAND... - as ssh
		shift
		exec nsenter --target "$SECOND" --net --mount --ipc sh -c "$*"
	AGENT
	chmod +x "$scratch/agent"
	cat >"$scratch/inside" <<-'INSIDE'
		set -eu
		mount -t tmpfs tmpfs /dev/shm
		ip link set lo up
		unshare --net --mount --ipc sh -c 'mount -t tmpfs tmpfs /dev/shm; echo ready >"$1/ready"; exec sleep 100' x "$scratch" &
		SECOND=$!
		export SECOND
		while [ ! -s "$scratch/ready" ]; do sleep 0.05; done
		ip link add first type veth peer name second netns "$SECOND"
		ip addr add 10.99.0.1/24 dev first
		ip link set first up
		nsenter --target "$SECOND" --net sh -c 'ip link set lo up; ip addr add 10.99.0.2/24 dev second; ip link set second up'
		[ "$(readlink /proc/self/ns/net)" != "$(nsenter --target "$SECOND" --net readlink /proc/self/ns/net)" ]
		status=0
		mpirun --allow-run-as-root --host 10.99.0.1,10.99.0.2 -N 1 --bind-to none --mca plm_rsh_agent "$scratch/agent" \
			--mca btl self,tcp --mca btl_tcp_if_include 10.99.0.0/24 --mca oob_tcp_if_include 10.99.0.0/24 \
			-x NO_COLOR "$heddle" run "$topologies/permutation-16.yaml" --json "$scratch/several/result.json" \
			--csv "$scratch/several" --events "$scratch/several/events.csv" --record "$scratch/several/run.hdl" \
			>"$scratch/several/text" 2>"$scratch/log" </dev/null || status=$?
		cat "/proc/$SECOND/net/dev" >"$scratch/traffic"
		kill "$SECOND"
		exit $status
	INSIDE
	export scratch heddle topologies
	timeout 100 unshare --net --mount --ipc bash "$scratch/inside" </dev/null || { cat "$scratch/log"; return 1; }
	# the link between them carried the run
	awk '$1 == "second:" && $2 > 10000 { found = 1 } END { exit !found }' "$scratch/traffic" || { cat "$scratch/traffic"; return 1; }
	diff -r "$scratch/one" "$scratch/several"
}

check "flow channels: the same bytes with 2 and 4 ranks" same '2 4' permutation-16 --set run.sample=10us
check "a link that fails and returns" same 2 link-failure
check "RoCE, 4 ranks" same 4 roce-compare "${short[@]}"
check "port groups" same 2 port-group-incast "${short[@]}"
check "a dragonfly by groups" same 3 dragonfly-adaptive "${short[@]}" --set run.sample=10us
check "two workers in each rank" same 2 permutation-16 --pack 2 "${short[@]}"
check "captures" captures
check "tables, parameters and steps at the prompt" prompt_same
check "a worker of another rank is killed: it is named, with its node" dies 4 worker KILL \
	'rank 1 \(.*\), worker 1 \(pid [0-9]+\)(, which was running (switch|NIC) [a-zA-Z0-9]+,|:) was killed by signal 9'
check "... is stopped" dies 4 worker STOP 'rank 1 \(.*\), worker 1 .* was stopped by a signal'
check "another rank is stopped" dies 4 member STOP 'rank 1 \(.*, pid [0-9]+\): has sent no message for'
check "another rank is killed: mpirun names it" dies 137 member KILL 'rank 1 .* exited on signal 9'
check "rankd beside the orchestrator is killed" dies 4 root KILL 'rankd \(pid [0-9]+\), the process for the other ranks, was killed'
check "the orchestrator is killed: nothing is left" dies 137 run KILL 'rank 0 .* exited on signal 9'
check "Ctrl-C: the results so far" interrupted
check "what several machines do not have" what_is_not_there
check "a rank with another build" other_build
check "without rankd: what to install" without_rankd
if [ "$(id -u)" = 0 ] && unshare --net --mount true 2>/dev/null; then
	check "ranks in namespaces of their own" machines
else
	skip "ranks in namespaces of their own" "only root can make them"
fi
finish
