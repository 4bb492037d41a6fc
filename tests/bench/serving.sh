#!/usr/bin/env bash
# serving - what a page costs a run (SE-4; the goal is 5 %): a run that is recorded alone, then with
# a browser that follows it, then under attack. Taken in turn, medians of RUNS.
# usage: tests/bench/serving.sh, from the top folder; RUNS=5, SCENARIO= and SETTINGS= change it
set -u

runs=${RUNS:-5}
scenario=${SCENARIO:-topologies/permutation-16.yaml}
settings=${SETTINGS:-run.duration=8ms run.warmup=50us run.sample=1us}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
client=tests/system/http_client.py
words=()
for setting in $settings; do
	words+=(--set "$setting")
done

# milliseconds CLIENT... - of a run until it has written its result, beside this case of the client;
# without one there is no page
milliseconds() {
	local begin run url beside=
	: >"$scratch/view"
	begin=$(date +%s%N)
	./heddle run "$scenario" "${words[@]}" --record "$scratch/recording" ${1:+--view} >"$scratch/out" 2>"$scratch/view" &
	run=$!
	if [ $# = 0 ]; then
		wait "$run"
	else
		until url=$(sed -n 's/^view: //p' "$scratch/view" | grep .); do sleep 0.01; done
		# what the client takes is not what the server takes
		nice -n 19 python3 "$client" "$@" "$url" >/dev/null 2>&1 &
		beside=$!
		until grep -q 'the page stays' "$scratch/view"; do sleep 0.005; done
	fi
	echo $((($(date +%s%N) - begin) / 1000000))
	if [ -n "$beside" ]; then
		kill "$beside"
		kill -INT "$run"
		wait "$run" "$beside" 2>/dev/null
	fi
}

for ((i = 0; i < runs; i++)); do
	milliseconds >>"$scratch/alone"
	milliseconds follow >>"$scratch/followed"
	milliseconds attack >>"$scratch/attacked"
done
echo "A run of $scenario ($settings), wall time in ms: median (least to most) of $runs"
for kind in alone followed attacked; do
	sort -n "$scratch/$kind" | awk -v kind="$kind" '{ v[NR] = $1 }
		END { printf "%-9s %6d  (%d to %d)\n", kind, v[int((NR + 1) / 2)], v[1], v[NR] }'
done
