#!/usr/bin/env bash
# serving - what a page costs a run (SE-4; the goal is 5 %): a run that is recorded, alone; then
# with a server without a client (unasked), with a page that follows the run, and with each of those
# that would slow it. Taken in turn; ratios are of runs of the same round, with CPU time
# (paired.sh).
#
#   follow   a page: what is new, four times a second
#   held     16 pages that ask for everything and take nothing
#   idle     a hundred connections that say nothing
#   origin   a page of another origin, without a pause
#   wrong    a wrong token, without a pause
#   slow     readers that take a few bytes at a time, without an end
# usage: tests/bench/serving.sh, from the top folder; RUNS=5, SCENARIO=, SETTINGS= and CASES= change
# it. On a machine that does nothing else: RUNS=15
set -u
. tests/bench/paired.sh

runs=${RUNS:-5}
scenario=${SCENARIO:-topologies/permutation-16.yaml}
settings=${SETTINGS:-run.duration=8ms run.warmup=50us run.sample=1us}
cases=${CASES:-unasked follow held idle origin wrong slow}
samples=$(mktemp -d)
trap 'rm -rf "$samples"' EXIT
words=()
for setting in $settings; do
	words+=(--set "$setting")
done

run_alone() { timed ./heddle run "$scenario" "${words[@]}" --quiet --record "$samples/recording"; }

beside() { # CASE
	python3 tests/bench/beside.py "$1" ./heddle run "$scenario" "${words[@]}" --record "$samples/recording" --view \
		>"$samples/times" 2>"$samples/err" && read -r wall cpu <"$samples/times"
}
for case in $cases; do
	eval "run_$case() { beside $case; }"
done

# shellcheck disable=SC2086
rounds "$runs" alone $cases || exit 1
echo "A recorded run of $scenario ($settings), $runs runs of each in turn, median (least to most):"
# shellcheck disable=SC2086
paired_report alone $cases
