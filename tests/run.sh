#!/usr/bin/env bash
# run - runs test programs one by one, a line each, and shows what a failing one printed.
# usage: tests/run.sh NAME PROGRAM...   A program ends with 0 (passed), 77 (skipped: its last line says why) or else (failed).
set -u

name=$1
shift
passed=0 failed=0 skipped=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

for program in "$@"; do
	start=$(date +%s.%N)
	"$program" >"$log" 2>&1 </dev/null
	status=$?
	seconds=$(awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN { printf "%.1f", b - a }')
	case $status in
	0) passed=$((passed + 1)) word=ok ;;
	77) skipped=$((skipped + 1)) word=skipped ;;
	*) failed=$((failed + 1)) word=FAILED ;;
	esac
	printf '%-8s %6ss  %-48s %s\n' "$word" "$seconds" "${program#./}" "$(tail -n 1 "$log" | cut -c 1-100)"
	[ "$word" = FAILED ] && sed 's/^/    | /' "$log" | tail -n 60
done
echo "$name: $passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
