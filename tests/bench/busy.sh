#!/usr/bin/env bash
# busy - how fast Heddle is beside programs that only compute, and whether the real clock is
# valid there (make bench-busy).
#
# The same runs alone and beside 1, 2, 4 and 16 busy programs, in turn: nodes that stay where they
# were placed and yield (--cores spread), nodes that adapt (--cores adapt, the default), the
# kernel's choice (--cores free), nodes packed into a worker for each core (--pack), and all nodes
# in one process (sim_json). A fair share of C cores beside N busy programs makes a run 1 + N/C
# times as long as alone; the last columns are how often that the default and packed nodes take.
# Writes build/bench/busy.md.
# usage: tests/bench/busy.sh; RUNS=3 changes the number of runs
set -u
. tests/bench/common.sh

runs=${RUNS:-3}
out=build/bench
samples=$out/busy
report=$out/busy.md
loads="0 1 2 4 16"
scenarios="parking-lot permutation-16"
cores=$(nproc)
patience=120 # seconds for one run

main() {
	rm -rf "$samples"
	mkdir -p "$samples"
	trap unload EXIT
	for ((run = 1; run <= runs; run++)); do
		for programs in $loads; do
			echo "run $run of $runs, beside $programs busy programs"
			load "$programs"
			for scenario in $scenarios; do measure_all "$scenario" "$programs"; done
			measure_real "$programs"
			unload
		done
	done
	{
		report_machine "Beside busy programs: measured"
		for scenario in $scenarios; do report_scenario "$scenario"; done
		report_real
	} >"$report"
	cat "$report"
	echo "written to $report"
	[ "$broken" = 0 ]
}

# ---- load ----

busy=()

load() { # PROGRAMS; they also end without being told
	for ((i = 0; i < $1; i++)); do
		timeout 900 sh -c 'while :; do :; done' &
		busy+=($!)
	done
	sleep 0.3
}

unload() {
	for pid in "${busy[@]}"; do
		kill "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
	done
	busy=()
}

# ---- measuring ----

# wall ms of a command
timed() { # FIGURE COMMAND...
	local start status

	start=$(date +%s%N)
	timeout "$patience" "${@:2}" >"$out/log" 2>&1 </dev/null
	status=$?
	[ "$status" = 124 ] && echo "  over $patience s: ${*:2}"
	[ "$status" -gt 1 ] && [ "$status" != 124 ] && fail "${*:2}: $(tail -n 1 "$out/log")"
	sample "$1" $((($(date +%s%N) - start) / 1000000))
}

measure_all() { # SCENARIO PROGRAMS
	local file=topologies/$1.yaml

	# a run of 30 s that is slow in the same manner each time is measured once
	[ "$run" = 1 ] || [ "$2" -lt 4 ] && timed "$1_spread_$2" ./heddle run "$file" --quiet --cores spread
	timed "$1_adapt_$2" ./heddle run "$file" --quiet
	timed "$1_free_$2" ./heddle run "$file" --quiet --cores free
	timed "$1_pack_$2" ./heddle run "$file" --quiet --pack
	timed "$1_one_$2" build/release/sim/sim_json "$file"
}

# 12 hosts, 50 Mb/s and 1 ms a link: what two cores carry when they are free
measure_real() { # PROGRAMS
	local json=$out/busy.json

	timeout "$patience" ./heddle run topologies/parking-lot.yaml --clock real --quiet --json "$json" --set run.duration=1s \
		--set run.warmup=200ms --set links.rate=50Mb/s --set links.delay=1ms >"$out/log" 2>&1 </dev/null
	sed -n 's/^  "verdict": "\(.*\)",$/\1/p' "$json" | head -n 1 >>"$samples/verdict_$1"
	sed -n 's/^  "text": "\(.*\)",$/\1/p' "$json" | head -n 1 >>"$samples/words_$1"
	sample "goodput_$1" "$(awk -F': *' '
		/^ "/ { flows = /^ "flows"/ }
		flows && /"goodput_bps"/ { sum += $2 }
		END { print sum }' "$json")"
}

# ---- reports ----

report_scenario() { # SCENARIO
	printf '## topologies/%s.yaml, ms\n\n' "$1"
	{
		echo 'busy programs|spread|adapt|free|packed|one process|adapt / fair|packed / fair'
		for programs in $loads; do
			share="(1 + $programs / $cores)"
			echo "$programs|$(figure "$1_spread_$programs" 1 %.0f)|$(figure "$1_adapt_$programs" 1 %.0f)|$(
				figure "$1_free_$programs" 1 %.0f)|$(figure "$1_pack_$programs" 1 %.0f)|$(
				figure "$1_one_$programs" 1 %.0f)|$(
				calculate "$(median "$1_adapt_$programs") / ($(median "$1_adapt_0") * $share)" %.2f)|$(
				calculate "$(median "$1_pack_$programs") / ($(median "$1_pack_0") * $share)" %.2f)"
		done
	} | table
}

report_real() {
	cat <<-END
		## The real clock

		\`heddle run topologies/parking-lot.yaml --clock real\`, one second, links of 50 Mb/s and 1 ms.

	END
	{
		echo 'busy programs|verdicts|goodput of all, Mb/s|the last one'
		for programs in $loads; do
			echo "$programs|$(sort "$samples/verdict_$programs" | uniq -c | awk '{ $1 = $1; printf "%s%s", sep, $0; sep = ", " }')|$(
				figure "goodput_$programs" 1e-6 %.1f)|$(tail -n 1 "$samples/words_$programs")"
		done
	} | table
}

main
