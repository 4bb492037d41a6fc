#!/usr/bin/env bash
# ranks - what a window of the virtual clock costs on several machines (SC-4): wall time per window
# with 1, 2, 4 and 8 ranks, all on this machine.
#
# Two scenarios: one flow over eight switches, whose windows have next to no work, so their time is
# that of the exchange; and a permutation of 128 hosts. One worker in each rank. A run of 1 rank is
# one without mpirun, packed into one worker. With more ranks than cores a window also waits for
# cores: those figures say what a rank costs here, not what a further machine would.
# usage: tests/bench/ranks.sh, from the top folder; RUNS=3
set -u
. tests/bench/common.sh

runs=${RUNS:-3}
out=build/bench
samples=$out/ranks
scenarios=tests/bench/scenarios
counts="1 2 4 8"
launch=(mpirun --oversubscribe --bind-to none)
[ "$(id -u)" = 0 ] && launch+=(--allow-run-as-root)

# nanoseconds per window
measure() { # SCENARIO RANKS [MCA]
	local prefix=() windows wall
	[ "$2" = 1 ] || prefix=("${launch[@]}" ${3:+--mca btl "$3"} -n "$2")
	timeout 120 "${prefix[@]}" ./heddle run "$scenarios/$1.yaml" --pack=1 --quiet --timing --set 'expect=[]' \
		${long[$1]} --json "$out/ranks.json" >/dev/null 2>"$out/ranks.log" </dev/null || {
		echo "broken: $1 with $2 ranks" >&2
		cat "$out/ranks.log" >&2
		broken=1
		return
	}
	windows=$(jq .host.windows "$out/ranks.json")
	wall=$(jq .host.wall_s "$out/ranks.json")
	sample "$1_$2${3:-}" "$(calculate "$wall * 1e9 / $windows" %.0f)"
	sample "windows_$1" "$windows"
}

report() {
	local count
	echo "Wall time per window, us: median (range) of $runs runs; $(nproc) cores, load at the start $load"
	echo
	{
		echo 'ranks|one flow|128 hosts'
		for count in $counts; do
			echo "$count|$(figure "ranks_$count" 0.001 %.1f)|$(figure "permutation-128_$count" 0.001 %.1f)"
		done
		echo "2, TCP|$(figure ranks_2self,tcp 0.001 %.1f)|$(figure permutation-128_2self,tcp 0.001 %.1f)"
	} | table
	echo
	echo "windows: $(median windows_ranks) and $(median windows_permutation-128)"
}

command -v mpirun >/dev/null && [ -x build/release/rankd ] || { echo 'ranks: Open MPI is not installed'; exit 0; }
rm -rf "$samples"
mkdir -p "$samples"
declare -A long=([ranks]= [permutation-128]='--set run.duration=60us --set run.warmup=10us --set run.drain=no')
for ((run = 1; run <= runs; run++)); do
	for count in $counts; do
		measure ranks "$count"
		measure permutation-128 "$count"
	done
	measure ranks 2 self,tcp
	measure permutation-128 2 self,tcp
done
report | tee "$out/ranks.md"
exit "$broken"
