#!/usr/bin/env bash
# run - runs every fuzzer for so many seconds, two at a time, from its corpus.
# usage: tests/fuzz/run.sh SECONDS
#
# New inputs go to a temporary folder. A finding is kept in build/fuzz/findings/ and fails the run.
set -u

seconds=$1
findings=build/fuzz/findings
mkdir -p "$findings"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

one() {
	name=$(basename "$1")
	corpus=tests/fuzz/corpus/${name#fuzz_}
	mkdir -p "$work/$name"
	if "$1" -max_total_time="$seconds" -timeout=120 -rss_limit_mb=4096 -print_final_stats=1 -artifact_prefix="$findings/$name-" \
		"$work/$name" "$corpus" >"$work/$name.log" 2>&1; then
		printf 'ok       %-28s %s inputs\n' "$name" \
			"$(awk '/stat::number_of_executed_units/ { print $2 }' "$work/$name.log")"
	else
		printf 'FAILED   %s\n' "$name"
		tail -n 40 "$work/$name.log"
		touch "$work/failed"
	fi
}

for fuzzer in build/fuzz/fuzz/fuzz_*; do
	case $fuzzer in *.d | *.o) continue ;; esac
	one "$fuzzer" &
	while [ "$(jobs -r | wc -l)" -ge 2 ]; do wait -n; done
done
wait
[ ! -e "$work/failed" ]
