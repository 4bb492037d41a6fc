#!/usr/bin/env bash
# test_view_run - the page of a run, and of a running fabric: what it serves, forks, and that
# nothing a browser does reaches the run (TB-20, SE-4, SE-6).
#
#   heddle run --view ── the run, its nodes             forks: runs of their own, with changes
#        └── server ── shares a file and a pipe with it ──┘
. "$(dirname "$0")/common.sh"
. "$top/tests/system/view.sh"
fabric_dir
scenario=$topologies/pfc-spreading.yaml
export TMPDIR=$scratch/tmp
mkdir "$TMPDIR"

# shown COMMAND... - starts a heddle with a page; its address is in $url, its process in $viewed
shown() {
	: >"$scratch/view" >"$scratch/out"
	"$heddle" "$@" >"$scratch/out" 2>"$scratch/view" &
	viewed=$!
	url=$(wait_for sed -n 's/^view: //p' "$scratch/view" "$scratch/out") && return
	cat "$scratch/view"
	exit 1
}
at_end 'kill $viewed 2>/dev/null'
# of ID FILTER - of a recording in the list
of() { python3 "$client" get "$url" /recordings | jq -r ".recordings[] | select(.id == $1) | .$2"; }
# ended ID - waits until its run has ended; prints the state
ended() { python3 "$client" ended "$url" "$1"; }
bytes_of() { python3 "$client" get "$url" "/recordings/$1"; }
fork() { python3 "$client" post "$url" /fork "$1"; }
# nothing_left PID... - these processes have ended, and there is no file
nothing_left() {
	all_gone() { gone "$@" >/dev/null && echo yes; }
	wait_for all_gone "$@" >/dev/null && [ -z "$(ls -A "$TMPDIR")" ]
}
# tree PID - it, and all that it has started
tree() {
	local child
	echo "$1"
	for child in $(children "$1"); do
		tree "$child"
	done
}
# interrupted STATUS - Ctrl-C ends it with STATUS, with all that it has started
interrupted() {
	local all status
	all=$(tree "$viewed")
	kill -INT "$viewed"
	wait "$viewed"
	status=$?
	# shellcheck disable=SC2086
	[ "$status" = "$1" ] && nothing_left $all || { echo "exit status $status"; ls -A "$TMPDIR"; return 1; }
}

# ---- a run ----

"$heddle" run "$scenario" --record "$scratch/plain.rec" >"$scratch/plain.out"
shown run "$scenario" --view
check 'its recording is complete in the end' [ "$(ended 1)" = complete ]
check 'the same bytes as without a page' cmp <(bytes_of 1) "$scratch/plain.rec"
check 'the same text' cmp "$scratch/out" "$scratch/plain.out"
check 'the command line' [ "$(of 1 command)" = "heddle run $scenario --record FILE" ]
check 'no changes without control' python3 "$client" readonly "$url"
check 'Ctrl-C ends all' interrupted 0

shown run "$scenario" --view --record "$scratch/kept.rec" --quiet
check 'with --record' [ "$(ended 1)" = complete ]
check 'the file is the same' cmp "$scratch/kept.rec" "$scratch/plain.rec"
check 'and served' cmp <(bytes_of 1) "$scratch/plain.rec"
check 'Ctrl-C ends all' interrupted 0

# same_text - is the summary that of the run without a page? Lines of --slow come when they come
same_text() { cmp <(sed '/^at [0-9.]* us; /d' "$scratch/out") "$scratch/plain.out"; }

# ---- attacked while it runs: the run reaches its end, with the same bytes ----

shown run "$scenario" --view --slow 100us/s
mkfifo "$scratch/input"
python3 "$client" hang "$url" <"$scratch/input" >"$scratch/hang" &
hanging=$!
exec 5>"$scratch/input"
wait_for cat "$scratch/hang" >/dev/null
check 'attacks of all kinds at a time' at_a_time page tokens hosts origins readonly malformed crowd
check 'the run reaches its end' [ "$(ended 1)" = complete ]
check 'with the same bytes' cmp <(bytes_of 1) "$scratch/plain.rec"
check 'and the same text' same_text
check 'Ctrl-C ends all, beside readers that take nothing' interrupted 0
exec 5>&-
wait "$hanging"

# ---- the ends of the two processes ----

# the server of $viewed: the child that is no node
server_of() {
	local child
	for child in $(children "$1"); do
		grep -qx heddle "/proc/$child/comm" && echo "$child"
	done
}
shown run "$scenario" --view --slow 400us/s
without_server() {
	kill -9 "$(server_of "$viewed")"
	wait "$viewed" && same_text
}
check 'without its server the run ends as ever' without_server

shown run "$scenario" --view=control --slow 1us/s
fork '{"of": 1}' >/dev/null
runs() { [ "$(children "$(server_of "$viewed")" | wc -w)" = 1 ] && echo yes; }
wait_for runs >/dev/null
killed() {
	local all
	all=$(tree "$viewed")
	kill -9 "$viewed"
	wait "$viewed" 2>/dev/null
	# shellcheck disable=SC2086
	nothing_left $all
}
check 'a killed run takes its server and forks along' killed

# ---- forks ----

shown run "$scenario" --view=control --seed 2
[ "$(ended 1)" = complete ] || cat "$scratch/view"
change='{"node": "s1", "key": "roce.xoff", "value": "50kB"}'
"$heddle" run "$scenario" --seed 2 --quiet --record "$scratch/two.rec" --break-at 10us \
	>/dev/null <<<'set s1 roce.xoff 50kB'
"$heddle" run "$scenario" --seed 2 --quiet --record "$scratch/three.rec" --break-at 10us \
	>/dev/null <<<$'set s1 roce.xoff 50kB\ncontinue 20us\nset s2 roce.ecn no'
"$heddle" run "$scenario" --seed 2 --set run.warmup=1us --quiet --record "$scratch/four.rec"
check 'a change' [ "$(fork "{\"of\": 1, \"at_ps\": 10000000, \"set\": [$change]}")" = '201 {"id":2}' ]
check 'is a complete recording' [ "$(ended 2)" = complete ]
check 'the one of its command line' cmp <(bytes_of 2) "$scratch/two.rec"
differs() { ! cmp -s <(bytes_of 1) <(bytes_of 2); }
check 'another one than without it' differs
check 'its command line' [ "$(of 2 command)" = "printf '%s\n' 'set s1 roce.xoff 50kB' | heddle run $scenario --set seed=2 --break-at 10000000ps --record FILE" ]
check 'a change of a change' [ "$(fork '{"of": 2, "at_ps": 20000000, "set": [{"node": "s2", "key": "roce.ecn", "value": "no"}]}')" = '201 {"id":3}' ]
check 'has both' [ "$(ended 3)" = complete ]
check 'the one of its command line' cmp <(bytes_of 3) "$scratch/three.rec"
check 'a setting' [ "$(fork '{"of": 1, "settings": ["run.warmup=1us"]}')" = '201 {"id":4}' ]
check 'is a run' [ "$(ended 4)" = complete ]
check 'the one of its command line' cmp <(bytes_of 4) "$scratch/four.rec"
fork '{"of": 1, "at_ps": 1, "set": [{"node": "s9", "key": "roce.xoff", "value": "1"}]}' >/dev/null
check 'a mistake that the run finds' [ "$(ended 5)" = failed ]
check 'is told' grep -q "there is no node 's9'" <(of 5 error)
for wrong in '{}' '[]' 'x' '{"of": 1, "at_ps": -1}' \
	'{"of": 1, "at_ps": 1, "set": [{"node": "s1", "key": "roce.xoff", "value": "1\nquit"}]}' '{"of": 2, "at_ps": 1}'; do
	check "refused: $wrong" grep -q '^400 {"error":".*\."}$' <(fork "$wrong")
done
check 'no such recording' grep -q ^404 <(fork '{"of": 77}')
# files that the scenario does not have are not opened: no code of theirs runs, and none is told
echo 'in a file' >"$scratch/secret"
echo '#include <unistd.h>
__attribute__((constructor)) static void f(void) { write(2, "loaded", 6); _exit(3); }' >"$scratch/e.c"
cc -shared -fPIC -w -o "$scratch/e.so" "$scratch/e.c" 2>/dev/null || cp "$heddle" "$scratch/e.so"
# no_file ID SETTINGS - a fork with these ends with the error that a file is named, and no more
no_file() {
	fork "{\"of\": 1, \"settings\": $2}" >/dev/null
	[ "$(ended "$1")" = failed ] && of "$1" error >"$scratch/error" && says error 'may not name a file here' &&
		! grep -E 'in a file|expected|loaded|No such' "$scratch/error" &&
		[ "$(python3 "$client" delete "$url" "/recordings/$1")" = 204 ]
}
check 'a library is not loaded' no_file 6 "[\"roce.congestion-control=own\",\"roce.own-control=$scratch/e.so\"]"
workload='{\"name\":\"incast\",\"pattern\":\"permutation\",\"si\\x7aes\":\"'
check 'a file is not read, with an escape in its key' no_file 7 "[\"workloads.0=$workload$scratch/secret\\\"}\"]"
check 'nor told to be missing' no_file 8 "[\"workloads.0.sizes=$scratch/none\"]"
for _ in 9 10 11 12; do
	fork '{"of": 1}' >/dev/null
done
check 'no more than eight' grep -q ^409 <(fork '{"of": 1}')
check 'one is deleted' [ "$(python3 "$client" delete "$url" /recordings/12)" = 204 ]
check 'and gone' [ -z "$(of 12 id)" ]
check 'the first one stays' [ "$(python3 "$client" delete "$url" /recordings/1)" = 409 ]
check 'another one in its place' grep -q ^201 <(fork '{"of": 1}')
check 'Ctrl-C ends all, forks too' interrupted 0

# ---- forks of a recording that is a file ----

shown view "$scratch/two.rec" --control
check 'a file: a change' grep -q ^201 <(fork '{"of": 1, "at_ps": 20000000, "set": [{"node": "s2", "key": "roce.ecn", "value": "no"}]}')
check 'is a run of the scenario in it' [ "$(ended 2)" = complete ]
bytes_of 2 >"$scratch/fork.rec"
same_text() {
	"$heddle" run "$scenario" --seed 2 --record "$scratch/five.rec" --quiet --break-at 20us >/dev/null <<<'set s2 roce.ecn no' &&
		"$heddle" export "$scratch/fork.rec" --text >"$scratch/fork.text" &&
		"$heddle" export "$scratch/five.rec" --text | cmp - "$scratch/fork.text"
}
check 'with its seed' same_text
check 'its command line names the file' [ "$(of 2 command)" = "printf '%s\n' 'set s2 roce.ecn no' | heddle run $scenario --set seed=2 --break-at 20000000ps --record FILE" ]
check 'Ctrl-C ends all' interrupted 0
check 'no fork of a fabric' run 2 view star --control
check 'not under the real clock' run 2 run "$scenario" --clock real --view=control
check 'not of variants' run 2 run --compare "$scenario" --view
check 'an address of another machine' run 2 run "$scenario" --view --listen 192.0.2.1:0

# ---- a fabric that is up ----

"$heddle" gen star hosts=2 >"$scratch/star.yaml"
if "$heddle" up "$scratch/star.yaml" >"$scratch/up" 2>&1; then
	shown view star
	verdict() { bytes_of 1 | grep -aq FIDL && echo yes; }
	check 'a fabric: the verdict is in its recording from the start' wait_for verdict
	grown() { [ "$(of 1 bytes)" -gt "$1" ] && echo yes; }
	check 'it grows' wait_for grown "$(of 1 bytes)"
	check 'metrics' grep -q '^heddle_fabric_hosts{fabric="star"} 2$' <(python3 "$client" get "$url" /metrics)
	check 'metrics need the token' python3 "$client" tokens "$url"
	"$heddle" down star >/dev/null 2>&1
	check 'complete when the fabric has ended' [ "$(ended 1)" = complete ]
	bytes_of 1 >"$scratch/fabric.rec"
	check 'and well formed' run 0 export "$scratch/fabric.rec"
	check 'the page stays until Ctrl-C' interrupted 4
elif forbidden up; then
	skip 'a fabric that is up' 'hosts cannot be made here'
else
	check 'a fabric that is up' cat "$scratch/up"
fi
check 'no such fabric' run 2 view none
finish
