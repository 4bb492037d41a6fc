#!/usr/bin/env bash
# run - runs test programs. Prints a line for each, and the output of those that fail.
# usage: tests/run.sh [-b COMMAND] NAME PROGRAM... [+ PROGRAM...] [++ PROGRAM...] [-- PROGRAM...]
#
# Programs before '++' and '--' run three more at a time than there are cores, since many of them
# wait. Those after '++' then run one on each core: they leave most of it idle, and judge delays.
# Those after '--' run one by one. Without '--' all run one by one. COMMAND builds the programs
# after '+': it runs with a lower priority in place of one of the first ones, and takes the time in
# which they wait. Once it is over, a program after '+' and one before it begin in turn: some
# compute while others wait.
#
# A program ends with 0 (passed), 77 (skipped; its last line is the reason) or another status
# (failed). The line shows the elapsed time and the CPU time (user and system) of the program. Lines
# 'skipped ...' of a test that passed are checks that it did not make: the end lists and counts
# them. COMMAND counts as a program; if it fails, those that it builds are not run, and count as not
# passed. Processes that are left of programs, and still there after five seconds, are a failure.
set -u

build=
[ "$1" = -b ] && build=$2 && shift 2
name=$1
shift
cores=$(nproc)
work=$(mktemp -d)

# Podman of root makes its locks once and leaves them. They end with the tests if these had it make
# them, and no container, pod or volume has one.
locks=/dev/shm/libpod_lock
[ ! -e $locks ] || locks=
locks_end() {
	local left
	[ -e "$locks" ] && left=$(podman ps --all --quiet && podman pod ps --quiet && podman volume ls --quiet) &&
		[ -z "$left" ] && rm -f "$locks"
}
trap 'locks_end 2>/dev/null; rm -rf "$work"' EXIT
first=() built=() quiet=() alone=() part=first
for program in "$@"; do
	case $program in
	+) part=built ;;
	++) part=quiet ;;
	--) part=alone ;;
	*) declare -n programs=$part && programs+=("$program") ;;
	esac
done
[ $part = alone ] || { alone=(${first[@]+"${first[@]}"} ${built[@]+"${built[@]}"}) && first=() && built=(); }

# one LOG PROGRAM [ARGUMENT...]
one() {
	local log=$1 status word TIMEFORMAT='%1R %1U %1S'
	local -x TESTS_RUN=$$
	shift
	{ time "$@" >"$log" 2>&1 </dev/null; } 2>"$log.time"
	status=$?
	case $status in
	0) word=ok ;;
	77) word=skipped ;;
	*) word=FAILED ;;
	esac
	{
		awk -v word="$word" '{ printf "%-8s %6.1f s %6.1f s CPU  ", word, $1, $2 + $3 }' "$log.time"
		printf '%-46s %s\n' "${1#./}" "$(tail -n 1 "$log" | cut -c 1-100)"
		[ "$word" = FAILED ] && sed 's/^/    | /' "$log" | tail -n 60
	} >"$log.text"
	cat "$log.text"
	echo "$word" >"$log.word"
	[ $status = 77 ] && echo "SKIPPED  ${1#./}: $(tail -n 1 "$log")" >"$log.skipped"
	[ $status = 0 ] && sed -nE "s|^skipped[:,]? |SKIPPED  ${1#./}: |p" "$log" >"$log.skipped"
	return 0
}

# build - a program to one(), with a name of its own in its line
build() { nice -n 5 sh -c "$build"; }
# build_is WORD - has it ended so?
build_is() { [ "$(cat "$work/0.word" 2>/dev/null)" = "$1" ]; }

count=0
[ -z "$build" ] || { one "$work/0" build & count=1; }
begun=(0 0) turn=0
while :; do
	running=$(jobs -r | wc -l)
	[ "$running" -le $((cores + 2)) ] || { wait -n; continue; }
	program=${first[begun[0]]-} next=0
	if [ -z "$build" ] || build_is ok; then
		[ -z "${built[begun[1]]-}" ] || { [ -n "$program" ] && [ $turn = 0 ]; } || { program=${built[begun[1]]} next=1; }
	elif [ -z "$program" ] && ! build_is FAILED; then
		wait -n
		continue
	fi
	[ -n "$program" ] || break
	begun[next]=$((begun[next] + 1)) turn=$((1 - next)) count=$((count + 1))
	one "$work/$count" "$program" &
done
wait
for program in ${quiet[@]+"${quiet[@]}"}; do
	[ "$(jobs -r | wc -l)" -lt "$cores" ] || wait -n
	count=$((count + 1))
	one "$work/$count" "$program" &
done
wait
for program in ${alone[@]+"${alone[@]}"}; do
	count=$((count + 1))
	one "$work/$count" "$program"
done

# left_behind - the processes that have the mark of programs, which all have ended
left_behind() {
	local each
	for each in $(grep -lzx "TESTS_RUN=$$" /proc/[0-9]*/environ 2>/dev/null); do
		echo "left behind: process ${each//[^0-9]/}, $(tr '\0' ' ' <"${each%environ}cmdline" 2>/dev/null)"
	done
}
for _ in 1 2 3 4 5; do
	left=$(left_behind)
	[ -n "$left" ] || break
	sleep 1
done
[ -z "$left" ] || { echo "$left" && echo FAILED >"$work/left.word"; }

# words WORD - how many programs ended so
words() { cat "$work"/*.word 2>/dev/null | grep -cx "$1"; }
# checks that tests did not make, although they passed
cat "$work"/*.skipped 2>/dev/null | sort
not_run=$((${#built[@]} - begun[1]))
[ $not_run = 0 ] || echo "$name: $not_run programs were not built, and not run"
echo "$name: $(words ok) passed, $(words FAILED) failed, $(words skipped) skipped;" \
	"$(cat "$work"/*.skipped 2>/dev/null | wc -l) checks or programs SKIPPED;" \
	"$(awk '{ s += $2 + $3 } END { printf "%.0f", s }' "$work"/*.time) s CPU"
[ -z "$left" ] && [ $not_run = 0 ] && [ "$(words ok)" = $((count - $(words skipped))) ]
