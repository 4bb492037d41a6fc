#!/usr/bin/env bash
# test_same_as - `make same-as` finds a planted difference in text, JSON and CSV, excepts the
# version only, and leaves nothing.
set -u
. "$(dirname "$0")/common.sh"

mkdir "$scratch/other"

# other COMMAND - makes $scratch/other/heddle: this heddle, then COMMAND in the folder of the
# results
other() {
	printf '#!/bin/sh\n"%s" "$@"\nstatus=$?\n%s\nexit $status\n' "$(realpath "$heddle")" "$1" >"$scratch/other/heddle"
	chmod +x "$scratch/other/heddle"
}

# same_as STATUS ARGUMENT [VARIABLE=value]... - two-talk, short, ends with STATUS
same_as() {
	local wanted=$1 argument=$2 status
	shift 2
	env HEDDLE="$heddle" TMPDIR="$scratch" SCENARIOS=two-talk SETTINGS='run.duration=20us run.warmup=2us' "$@" \
		"$top/tests/same_as.sh" "$argument" >"$scratch/out" 2>"$scratch/err" </dev/null
	status=$?
	[ $status = "$wanted" ] && return
	echo "exit status $status, not $wanted"
	cat "$scratch/out" "$scratch/err"
	return 1
}

# finds COMMAND TEXT - with COMMAND done to the other's results the line of the scenario says TEXT
finds() {
	other "$1"
	same_as 1 "$scratch/other/heddle" && says out "two-talk                             differs  $2"
}

same() {
	other true
	same_as 0 "$scratch/other/heddle" && says out "two-talk                             same" && says out "1 same, 0 differ"
}

version() {
	other 'sed -i "s/\"version\": \".*\"/\"version\": \"99.99.99\"/" result.json'
	same_as 0 "$scratch/other/heddle"
}

no_worktree() {
	[ -z "$(ls -d "$scratch"/heddle-same-as.* 2>/dev/null)" ] && [ "$(git -C "$top" worktree list | wc -l)" = "$worktrees" ]
}

does_not_build() {
	same_as 2 HEAD CC=false && says err "HEAD does not build" && no_worktree
}

interrupted() {
	printf '#!/bin/sh\ntouch "%s"\nexec sleep 1000\n' "$scratch/compiling" >"$scratch/slow-cc"
	chmod +x "$scratch/slow-cc"
	TMPDIR=$scratch HEDDLE=$heddle CC=$scratch/slow-cc "$top/tests/same_as.sh" HEAD >/dev/null 2>&1 </dev/null &
	while [ ! -e "$scratch/compiling" ]; do
		kill -0 $! || return
		sleep 0.1
	done
	kill -TERM $!
	wait $!
	[ $? = 130 ] && no_worktree
}

check "the same heddle" same
check "another version is no difference" version
check "a word of the text" finds 'echo more' 'text:'
check "a digit of the JSON" finds 'sed -i "s/\"seed\": 1/\"seed\": 2/" result.json' 'result.json:'
check "a figure in a CSV file" finds 'sed -i "2s/^0/1/" flows.csv' 'flows.csv:2: here "0,'
check "a line more at the end" finds 'echo 7 >>ports.csv' 'ports.csv:'
check "a file that is missing" finds 'rm tables.csv' 'tables.csv:1: here "node,port,table'
check "a scenario that is refused" finds 'status=2' 'status:1: here "exit status 1", there "exit status 2"'
check "settings that every scenario refuses" same_as 2 "$scratch/other/heddle" SETTINGS=run.no-such-key=1
check "no such scenario" same_as 2 "$scratch/other/heddle" SCENARIOS=none-is-called-so
if worktrees=$(git -C "$top" worktree list 2>/dev/null | wc -l) && [ "$worktrees" -gt 0 ]; then
	check "no such commit" same_as 2 none-is-called-so
	check "a commit that does not build, and its worktree is gone" does_not_build
	check "interrupted while it builds, and its worktree is gone" interrupted
else
	skip "a commit" "this is no git clone"
fi
finish
