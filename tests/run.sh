#!/usr/bin/env bash
# run - runs test programs, a line each, and shows what a failing one printed.
# usage: tests/run.sh NAME PROGRAM... [-- PROGRAM...]   Those in front of '--' two at a time, those behind it, or all, one by one. A program
# ends with 0 (passed), 77 (skipped: its last line says why) or else (failed).
# Checks that a test that passed did not make, its lines 'skipped ...', are listed and counted at the end.
set -u
export CK_DEFAULT_TIMEOUT=${CK_DEFAULT_TIMEOUT:-120} # seconds; Check's own, 4, is a verdict on how busy the machine is

name=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
together=0
for program in "$@"; do
	[ "$program" = -- ] && together=1
done

# one PROGRAM LOG
one() {
	local start status seconds word
	start=$(date +%s.%N)
	"$1" >"$2" 2>&1 </dev/null
	status=$?
	seconds=$(awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN { printf "%.1f", b - a }')
	case $status in
	0) word=ok ;;
	77) word=skipped ;;
	*) word=FAILED ;;
	esac
	{
		printf '%-8s %6ss  %-48s %s\n' "$word" "$seconds" "${1#./}" "$(tail -n 1 "$2" | cut -c 1-100)"
		[ "$word" = FAILED ] && sed 's/^/    | /' "$2" | tail -n 60
	} >"$2.text"
	cat "$2.text"
	echo "$word" >"$2.word"
	[ $status = 77 ] && echo "SKIPPED  ${1#./}: $(tail -n 1 "$2")" >"$2.skipped"
	[ $status = 0 ] && sed -n "s|^skipped |SKIPPED  ${1#./}: |p" "$2" >"$2.skipped"
	return 0
}

count=0
for program in "$@"; do
	if [ "$program" = -- ]; then
		together=0
		wait
		continue
	fi
	count=$((count + 1))
	if [ $together = 0 ]; then
		one "$program" "$work/$count"
		continue
	fi
	one "$program" "$work/$count" &
	while [ "$(jobs -r | wc -l)" -ge 2 ]; do wait -n; done
done
wait

# words WORD - how many programs ended so
words() { cat "$work"/*.word 2>/dev/null | grep -cx "$1"; }
# what was not judged, of tests that passed: a count of passed tests must not hide it
cat "$work"/*.skipped 2>/dev/null | sort
echo "$name: $(words ok) passed, $(words FAILED) failed, $(words skipped) skipped; $(cat "$work"/*.skipped 2>/dev/null | wc -l) checks or programs SKIPPED"
[ "$(words ok)" = $((count - $(words skipped))) ]
