#!/usr/bin/env bash
# recording - what a recording costs a run (SE-3; the goal is 15 % with 16 hosts and samples every
# 1 us, and nothing without a recording), and how large it is. The runs are taken in turn.
#
#   base   the same run of another Heddle (BASE=PATH, of a commit that is to be compared with); by
#          default of this one: what is measured then is what two equal runs differ by
#   off    a run without a recording
#   on     with one: samples, events, paths
# usage: tests/bench/recording.sh, from the top folder; RUNS=9, BASE=, SCENARIO= and SETTINGS=
# change it
set -u
. tests/bench/paired.sh

runs=${RUNS:-9}
scenario=${SCENARIO:-topologies/permutation-16.yaml}
settings=${SETTINGS:-run.duration=2ms run.warmup=50us run.sample=1us}
base=${BASE:-./heddle}
samples=$(mktemp -d)
trap 'rm -rf "$samples"' EXIT
words=()
for setting in $settings; do
	words+=(--set "$setting")
done

run_base() { timed "$base" run "$scenario" "${words[@]}" --quiet; }
run_off() { timed ./heddle run "$scenario" "${words[@]}" --quiet; }
run_on() { timed ./heddle run "$scenario" "${words[@]}" --quiet --record "$samples/recording"; }

rounds "$runs" base off on || exit 1
echo "$scenario ($settings), $runs runs of each in turn, median (least to most):"
paired_report base off
paired_report off on
./heddle export "$samples/recording" --json "$samples/result.json" || exit 1
bytes=$(stat -c %s "$samples/recording")
jq -r --argjson bytes "$bytes" '([.nodes[] | select(.kind == "nic")] | length) as $hosts |
	"file \($bytes) bytes, \($bytes / $hosts / (.end_ps / 1e9) | round) per host and ms"' "$samples/result.json"
