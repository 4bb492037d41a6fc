#!/usr/bin/env bash
# test_pack - nodes packed into workers give the same bytes as nodes in processes of their own, and
# a worker that dies, is stopped or was given what cannot be packed is named (SC-3). Fabrics of ten
# thousand hosts are planned; LARGE=1 (`make soak`) also runs them (SC-6).
#
# The references are runs with one process per node. JSON, CSV, events and recordings are compared
# byte by byte, with 1, 2, 4 and 7 workers: more than this machine may have cores, which are then
# preempted in the middle of windows. ROUNDS (1; `make soak`: 10) repeats each. ALL=yes
# (`make soak`) runs every scenario of topologies/ besides, short, with 1, 2 and 4 workers and, if
# Open MPI is installed, with 2 and 4 ranks (SC-4); ALL='pfc-*' those of these names. Fabrics that
# are packed by default are compared with 1 worker: a thousand busy processes starve all other
# programs.
set -u
. "$(dirname "$0")/common.sh"

rounds=${ROUNDS:-1}
# several machines: Open MPI gives its ranks a terminal, and takes an exit status for a failure
several=false
command -v mpirun >/dev/null && [ -x "$(dirname "$(readlink -f "$heddle")")/rankd" ] && several=true
export NO_COLOR=1 OMPI_MCA_orte_abort_on_non_zero_status=1
launch=(mpirun --oversubscribe --bind-to none)
[ "$(id -u)" = 0 ] && launch+=(--allow-run-as-root)

# result NAME WORKERS SCENARIO [OPTION...] - all outputs go to $scratch/NAME
result() {
	local folder=$scratch/$1 workers=$2 scenario=$3
	shift 3
	rm -rf "$folder"
	mkdir -p "$folder"
	"$heddle" run "$topologies/$scenario.yaml" --pack "$workers" --quiet --json "$folder/result.json" --csv "$folder" \
		--events "$folder/events.csv" --record "$folder/run.hdl" "$@" >"$scratch/log" 2>&1 </dev/null
	case $? in
	0 | 1) return 0 ;;
	esac
	cat "$scratch/log"
	return 1
}

# same SCENARIO [OPTION...] - does any number of workers give what processes give?
same() {
	local round workers
	result processes 0 "$@" || return 1
	for ((round = 0; round < rounds; round++)); do
		for workers in 1 2 4 7; do
			result packed $workers "$@" || return 1
			diff -r "$scratch/processes" "$scratch/packed" >"$scratch/diff" && continue
			echo "$workers workers differ:"
			head -c 1000 "$scratch/diff"
			return 1
		done
	done
}

# shorten SCENARIO - $cut becomes the options that shorten it, as far as its faults and starts allow
shorten() {
	local times
	for times in '100us 20us' '400us 20us' '1200us 20us'; do
		cut=(--set run.duration=${times% *} --set run.warmup=${times#* } --set 'expect=[]')
		"$heddle" check "$topologies/$1.yaml" "${cut[@]}" >/dev/null 2>&1 && return
	done
	cut=()
}

# whole WORKERS RANKS FOLDER SCENARIO - the outputs of a run, its text and its exit status too; 0
# RANKS: without mpirun
whole() {
	local folder=$scratch/$3 prefix=()
	rm -rf "$folder"
	mkdir -p "$folder"
	[ "$2" = 0 ] || prefix=("${launch[@]}" -n "$2")
	"${prefix[@]}" "$heddle" run "$topologies/$4.yaml" --pack "$1" --quiet --json "$folder/result.json" --csv "$folder" \
		--events "$folder/events.csv" --record "$folder/run.hdl" "${cut[@]}" >"$folder/text" 2>"$scratch/err" </dev/null
	echo "exit status $?" >>"$folder/text"
	! grep -qE 'exit status ([245]|1..)$' "$folder/text" || { cat "$scratch/err"; return 1; }
}

# any SCENARIO REFERENCE - do 1, 2 and 4 workers, and ranks, give what REFERENCE workers do?
any() {
	local workers ranks
	shorten "$1"
	whole "$2" 0 processes "$1" || return 1
	while read -r workers ranks; do
		[ "$ranks" = 0 ] || $several || continue
		whole "$workers" "$ranks" packed "$1" || return 1
		diff -r "$scratch/processes" "$scratch/packed" >"$scratch/diff" && continue
		echo "$workers workers in each of $ranks ranks differ:"
		head -c 1000 "$scratch/diff"
		return 1
	done <<-END
		1 0
		2 0
		4 0
		1 2
		1 4
	END
}

every() {
	local file name nodes
	for file in "$topologies"/*.yaml "$topologies"/score/*.yaml "$topologies"/labs/*/*.yaml; do
		name=${file#"$topologies/"}
		name=${name%.yaml}
		[[ ($ALL = yes || $name = $ALL) && $name != */lab ]] || continue
		nodes=$("$heddle" check "$file" 2>/dev/null | sed -n 's/^nodes  *\([0-9]*\):.*/\1/p')
		if [ -z "$nodes" ]; then
			skip "$name: the same bytes" "no scenario of the virtual clock"
		elif [ "$nodes" -gt 10000 ]; then
			skip "$name: the same bytes" "$nodes nodes take 5 GB of memory, and minutes"
		elif [ "$nodes" -gt 512 ]; then
			check "$name: the same bytes by any number of workers and ranks" any "$name" 1
		else
			check "$name: the same bytes" any "$name" 0
		fi
	done
}

# the outputs of a prompt: tables of nodes that share a process, parameters, links that fail
prompt_of() {
	printf '%s\n' 'show left queues' 'show h8 flows' 'set left data.ecn.kmin 9000' 'step 20us' 'show right queues' \
		'step' 'show flow h0 h8' 'continue' |
		"$heddle" run "$topologies/roce-compare.yaml" --set run.duration=300us --set run.warmup=100us --set 'expect=[]' \
			--break-at 50us --pack "$1" >"$scratch/prompt$1" 2>&1
	[ $? = 0 ] || { cat "$scratch/prompt$1"; return 1; }
}

prompt_same() {
	prompt_of 0 && prompt_of 3 && diff "$scratch/prompt0" "$scratch/prompt3" && grep -q queue "$scratch/prompt3"
}

# without io_uring a message to a node must wake its worker
fallback() {
	result processes 0 permutation-16 && result packed 2 permutation-16 --loop fallback &&
		diff -r "$scratch/processes" "$scratch/packed"
}

# how many processes run the nodes of a long run, and their names
counts() {
	start --pack="$1" || return 1
	ps -o args= -p "$(echo "${workers[@]}" | tr ' ' ,)" >"$scratch/names"
	kill -INT "$orchestrator"
	wait "$orchestrator"
	[ ${#workers[@]} = "$2" ] || { echo "${#workers[@]} processes"; cat "$scratch/names"; return 1; }
	says names "$3" && gone "${workers[@]}"
}

# start OPTION... - a long run; its processes in $workers once the clock runs
start() {
	: >"$scratch/err"
	"$heddle" run "$topologies/parking-lot.yaml" --set run.duration=1000s --set congestion=no --verbose "$@" >"$scratch/out" 2>"$scratch/err" </dev/null &
	orchestrator=$!
	wait_for grep -s 'runs from 0' "$scratch/err" >/dev/null || { cat "$scratch/err"; return 1; }
	workers=($(children "$orchestrator"))
}

# dies SIGNAL SENTENCE - a worker gets SIGNAL: it is named, with its node if it runs one just then,
# the run ends, nothing is left
dies() {
	local status
	start --pack=2 --watchdog 1s || return 1
	kill "-$1" "${workers[1]}"
	wait "$orchestrator"
	status=$?
	[ $status = 4 ] || { echo "exit status $status, not 4"; cat "$scratch/err"; return 1; }
	grep -qE "worker 1 \(pid ${workers[1]}\)(, which was running (switch|NIC) [a-zA-Z0-9]+,)? $2" "$scratch/err" ||
		{ cat "$scratch/err"; return 1; }
	gone "${workers[@]}"
}

# numbers of workers with which a placement leaves some without nodes
empty_workers() {
	local workers
	for workers in 5 6 7 8; do
		run 0 run "$topologies/pfc-ring-of-four.yaml" --pack=$workers "${short[@]}" --set run.duration=60us --set run.drain=no || return 1
	done
}

orchestrator_dies() {
	start --pack=2 || return 1
	kill -KILL "$orchestrator"
	wait "$orchestrator" 2>/dev/null
	for _ in $(seq 100); do gone "${workers[@]}" >/dev/null && break; sleep 0.05; done
	gone "${workers[@]}"
}

# 1344 nodes are work for 21 workers
chooses() {
	local workers=$(($(nproc) < 21 ? $(nproc) : 21))
	"$heddle" run "$topologies/fat-tree-1024.yaml" --set run.duration=1us --set run.warmup=0s --set run.drain=no --set 'expect=[]' \
		--json "$scratch/large.json" --timing >"$scratch/out" 2>"$scratch/err"
	says err "1344 are packed into $workers worker" && grep -q "\"workers\": $workers" "$scratch/large.json" &&
		"$heddle" run "$topologies/permutation-16.yaml" --json "$scratch/small.json" --timing >/dev/null 2>"$scratch/err" &&
		grep -q '"workers": 0' "$scratch/small.json" && silent err
}

# LARGE=1, as in `make soak`, runs them too: it takes 5 GB of memory
ten_thousand() {
	local scenario
	for scenario in fat-tree-11664 dragonfly-9702; do
		run 0 check "$topologies/$scenario.yaml" && says out "${scenario##*-} hosts" || return 1
		[ -z "${LARGE:-}" ] || "$heddle" run "$topologies/$scenario.yaml" --quiet || return 1
	done
}

wrong() {
	run 2 run "$topologies/permutation-16.yaml" --pack=257 && says err "--pack takes 0 to 256 workers, not '257'" &&
		run 2 run "$topologies/permutation-16.yaml" --pack=two && says err "not 'two'" &&
		run 2 run "$topologies/permutation-16.yaml" --pack --clock real && says err 'under the real clock each node is a process' &&
		run 2 run --pack=1000000000000000000000 "$topologies/permutation-16.yaml" && says err '0 to 256 workers'
}

short=(--set run.duration=200us --set run.warmup=50us --set 'expect=[]')
check "flow channels: the same bytes" same permutation-16 --set run.sample=10us
check "a link that fails and returns" same link-failure
check "RoCE" same roce-compare "${short[@]}" --set run.duration=1ms
check "port groups" same port-group-incast "${short[@]}"
check "small packets" same small-packets "${short[@]}" --set run.duration=60us --set run.warmup=20us
check "TCP and PFC" same pfc-victim "${short[@]}"
check "a dragonfly" same dragonfly-adaptive "${short[@]}" --set run.sample=10us
check "tables, parameters and steps at the prompt" prompt_same
check "without io_uring" fallback
check "--pack=3: three processes" counts 3 3 worker2
check "workers without nodes are not started" empty_workers
check "more workers than nodes: as many as nodes" counts 200 16 worker15
check "a worker is killed: it is named" dies KILL 'was killed by signal 9'
check "a worker is stopped" dies STOP 'was stopped by a signal'
check "a worker's node crashes" dies SEGV 'was killed by signal 11'
check "the orchestrator is killed: workers follow" orchestrator_dies
check "a large fabric is packed, and says so; a small one is not" chooses
check "more than ten thousand hosts" ten_thousand
check "what cannot be packed" wrong
[ -z "${ALL:-}" ] || every
finish
