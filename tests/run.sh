#!/usr/bin/env bash
# run - runs test programs. Prints a line for each, and the output of those that fail.
# usage: tests/run.sh NAME PROGRAM... [-- PROGRAM...]
#
# Programs before '--' run one more at a time than there are cores, since many of them wait; the
# others one by one. Without '--' all run one by one. A program ends with 0 (passed), 77 (skipped;
# its last line is the reason) or another status (failed). The line shows the elapsed time and the
# CPU time (user and system) of the program. Lines 'skipped ...' of a test that passed are checks
# that it did not make: the end lists and counts them.
set -u

name=$1
shift
cores=$(nproc)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
together=0
for program in "$@"; do
	[ "$program" = -- ] && together=1
done

# one PROGRAM LOG
one() {
	local status word TIMEFORMAT='%1R %1U %1S'
	{ time "$1" >"$2" 2>&1 </dev/null; } 2>"$2.time"
	status=$?
	case $status in
	0) word=ok ;;
	77) word=skipped ;;
	*) word=FAILED ;;
	esac
	{
		awk -v word="$word" '{ printf "%-8s %6.1f s %6.1f s CPU  ", word, $1, $2 + $3 }' "$2.time"
		printf '%-46s %s\n' "${1#./}" "$(tail -n 1 "$2" | cut -c 1-100)"
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
	while [ "$(jobs -r | wc -l)" -ge $((cores + 1)) ]; do wait -n; done
done
wait

# words WORD - how many programs ended so
words() { cat "$work"/*.word 2>/dev/null | grep -cx "$1"; }
# checks that tests did not make, although they passed
cat "$work"/*.skipped 2>/dev/null | sort
echo "$name: $(words ok) passed, $(words FAILED) failed, $(words skipped) skipped;" \
	"$(cat "$work"/*.skipped 2>/dev/null | wc -l) checks or programs SKIPPED;" \
	"$(awk '{ s += $2 + $3 } END { printf "%.0f", s }' "$work"/*.time) s CPU"
[ "$(words ok)" = $((count - $(words skipped))) ]
