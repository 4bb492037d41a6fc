#!/usr/bin/env bash
# test_same_bytes - the same scenario gives the same bytes, whatever the machine is doing (TB-5,
# TB-7).
#
# JSON, all CSV files and the events of runs over both cores, one core, loaded cores and the
# fallback event loop are compared with those of the first run, byte by byte; another seed must give
# other bytes where the scenario draws random numbers.
set -u
. "$(dirname "$0")/common.sh"

runs=${RUNS:-6}

# result NAME COMMAND... - runs the command line, its results go to $scratch/NAME
result() {
	local folder=$scratch/$1
	shift
	mkdir -p "$folder"
	"$@" --quiet --json "$folder/result.json" --csv "$folder" --events "$folder/events.csv" >"$folder.log" 2>&1 </dev/null
	case $? in
	0 | 1) return 0 ;;
	esac
	cat "$folder.log"
	return 1
}

# same NAME COMMAND... - do the results equal those of the first run?
same() {
	local name=$1
	shift
	result "$name" "$@" && diff -r "$scratch/first" "$scratch/$name" >"$scratch/diff" && return
	head -c 2000 "$scratch/diff"
	return 1
}

# load - something else that wants every core, twice
load() {
	loaders=()
	local i
	for ((i = 0; i < 2 * $(nproc); i++)); do
		(while :; do :; done) &
		loaders+=($!)
	done
}

unload() {
	kill "${loaders[@]}" 2>/dev/null
	wait "${loaders[@]}" 2>/dev/null
}

scenario() {
	local file=$1 command
	shift
	command=("$heddle" run "$topologies/$file.yaml" "$@")
	rm -rf "$scratch/first"
	check "$file: the first run" result first "${command[@]}"
	check "$file: all files are there" test -s "$scratch/first/result.json" -a -s "$scratch/first/flows.csv" \
		-a -s "$scratch/first/messages.csv" -a -s "$scratch/first/ports.csv" -a -s "$scratch/first/tables.csv" \
		-a -s "$scratch/first/samples.csv"
	for ((i = 2; i <= runs - 4; i++)); do
		check "$file: run $i" same "run$i" "${command[@]}"
	done
	if command -v taskset >/dev/null; then
		check "$file: on one core" same one taskset -c "$first_core" "${command[@]}"
	else
		skip "$file: on one core" "there is no taskset"
	fi
	load
	check "$file: on loaded cores" same loaded "${command[@]}"
	check "$file: on loaded cores, of the kernel's choice" same loaded_free "${command[@]}" --cores free
	unload
	check "$file: fallback event loop" same fallback "${command[@]}" --loop=fallback
	check "$file: fallback event loop, one core" same fallback_one taskset -c "$first_core" "${command[@]}" --loop=fallback
	check "$file: on cores of the kernel's choice" same unpinned "${command[@]}" --cores free
	check "$file: slowed down" same slow "${command[@]}" --slow 5ms/s
}

other_seed() {
	result seed "$heddle" run "$topologies/leaf-spine-uniform.yaml" --set run.duration=100us --set run.warmup=20us --seed 99 &&
		! cmp -s "$scratch/first/flows.csv" "$scratch/seed/flows.csv"
}

# the first core that this process may use
first_core=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*\([0-9]*\).*/\1/p' /proc/self/status)

scenario parking-lot --set run.duration=300us --set run.warmup=100us --set run.sample=10us
scenario leaf-spine-uniform --set run.duration=100us --set run.warmup=20us --set run.sample=10us
scenario pfc-deadlock --set run.duration=100us --set run.warmup=20us --set run.drain-max=1ms --set run.sample=10us --set roce.dcqcn=yes \
	--set links.loss=0.1% --set classes.0.ecn=yes
check "another seed gives other results" other_seed
finish
