#!/usr/bin/env bash
# test_runner - does tests/run.sh say what passed, failed, was skipped or left a process?
set -u
. "$(dirname "$0")/common.sh"

# program NAME LINE - a program for the runner
program() { printf '#!/usr/bin/env bash\n%s\n' "$2" >"$scratch/$1" && chmod 755 "$scratch/$1"; }
program passes 'echo fine'
program fails 'echo not so; exit 1'
program skips 'echo no such thing here; exit 77'
program partly 'echo "skipped a check: not here"; echo the rest'
program leaves '(exec sleep 600) >/dev/null 2>&1 & disown'

# ends STATUS SUMMARY ARGUMENT... - the runner with these ends so, and with these counts
ends() {
	local wanted=$1 summary=$2 status
	shift 2
	(cd "$scratch" && "$top/tests/run.sh" "$@") >"$scratch/said" 2>&1
	status=$?
	cat "$scratch/said"
	[ $status = "$wanted" ] && says said "$summary"
}
left() {
	local pid
	ends 1 '1 passed, 1 failed, 0 skipped' some ./leaves
	[ $? = 0 ] && pid=$(sed -n 's/^left behind: process \([0-9]*\), sleep 600 $/\1/p' "$scratch/said") && kill "$pid"
}
built() { ends "$1" "$2" -b "$3" some ./passes + ./skips -- ; }

check 'all pass' ends 0 '2 passed, 0 failed, 0 skipped' some ./passes ./passes
check 'one fails: its output is shown' ends 1 '1 passed, 1 failed' some ./passes ./fails --
check 'what it said' says said '    | not so'
check 'a skipped program' ends 0 '1 passed, 0 failed, 1 skipped; 1 checks or programs SKIPPED' some ./passes ./skips
check 'a skipped check' ends 0 '1 passed, 0 failed, 0 skipped; 1 checks or programs SKIPPED' some ./partly
check 'programs that are built beside others' built 0 '2 passed, 0 failed, 1 skipped' true
check 'that cannot be built' built 1 '1 passed, 1 failed' false
check 'are not run' says said '1 programs were not built, and not run'
check 'a process that is left is named, and a failure' left
finish
