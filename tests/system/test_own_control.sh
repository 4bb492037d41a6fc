#!/usr/bin/env bash
# test_own_control - a congestion control of the user's (SE-10): the example and those of
# docs/own-congestion-control.md run as processes and in one process, with the same bytes.
# --cc selects built-in ones. A control that crashes, loops, sleeps or decides nonsense is named
# with its function, flow and time, and leaves no process. heddle lab score has the points.
#
#   h0, h1 ==> s0 --> h2
set -u
. "$(dirname "$0")/common.sh"
command -v cc >/dev/null || { echo 'skipped: there is no compiler cc'; exit 77; }
include=$top/include
[ -d "$include" ] || { echo 'skipped: no header beside the tests'; exit 77; }
sim_json=$(dirname "$(readlink -f "$heddle")")/sim/sim_json

cat >"$scratch/star.yaml" <<'YAML'
name: star
fabric: roce
run: {duration: 300us}
topology: {generate: star, hosts: 3}
workloads: [{name: load, pattern: incast, to: h2, from: [h0, h1]}]
YAML
cd "$scratch" || exit 1

# library NAME <CODE - NAME.so
library() { cc -O0 -w -I "$include" -shared -fPIC -x c -o "$1.so" - ; }

# broken NAME CODE - NAME.so does CODE in each ACK from 20 us on
broken() {
	{
		printf '#include <heddle/congestion_control.h>\n#include <fcntl.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n'
		echo "static int deep(int x) { volatile char b[4096]; b[0] = x; return deep(x + 1) + b[0]; }"
		echo "static void f(struct heddle_flow *flow, const struct heddle_ack *ack) { if (flow->now_ns > 20000) { $2; } }"
		echo 'const struct heddle_control heddle_control = { .version = 1, .state_bytes = 8, .on_ack = f };'
	} | library "$1"
}

# named CONTROL TEXT - the run ends with status 4, one line names what the control did, and neither
# a result nor a process is left
named() {
	run 4 run star.yaml --quiet --json result.json --cc "./$1.so" || return 1
	[ ! -e result.json ] || { echo 'a result was written'; return 1; }
	says err "$2" && [ "$(wc -l <err)" = 1 ] || { cat err; return 1; }
	# shellcheck disable=SC2046
	gone $(session "$ran")
}

# session PID - the processes of its session
session() { cat /proc/[0-9]*/stat 2>/dev/null | awk -v sid="$1" '{ pid = $1; sub(/.*\) /, ""); if ($4 == sid) print pid }'; }

# run STATUS ARGUMENT... - heddle in a session of its own, $ran, which its nodes stay in
run() {
	local wanted=$1 status
	shift
	setsid "$heddle" "$@" >out 2>err </dev/null &
	ran=$!
	wait "$ran"
	status=$?
	[ "$status" = "$wanted" ] && return
	echo "heddle $*: exit status $status, not $wanted"
	cat err
	return 1
}

# same_of FILTER A B - it gives the same of both, and something
same_of() { jq -e "$1" "$2" >one.of && jq -e "$1" "$3" >other.of && cmp one.of other.of; }

# code_of_page N - the N-th block of C code of the page that has a whole library
code_of_page() {
	awk -v n="$1" '/^```c/ { code = ""; take = 1; next }
		/^```/ && take { take = 0; if (code ~ /static void/ && !--n) { printf "%s", code; exit } next }
		take { code = code $0 "\n" }' "$top/docs/own-congestion-control.md"
}

example() { cc -O2 -Wall -Wextra -Werror -I "$include" -shared -fPIC -o my.so "$top/examples/my_control.c"; }
short() { [ "$(wc -l <"$top/examples/my_control.c")" -le 50 ]; }

# same_bytes LIBRARY - in processes, in one process, and again
same_bytes() {
	run 0 run star.yaml --json a.json --cc "./$1" && run 0 run star.yaml --json b.json --cc "./$1" &&
		"$sim_json" star.yaml roce.own-control="'./$1'" roce.congestion-control=own >c.json &&
		cmp a.json b.json && cmp a.json c.json &&
		grep '"control_digest"' a.json | grep -q "$(sha256sum <"$1" | cut -d' ' -f1)"
}

# the rate of the second example falls and rises: a CNP takes a quarter
second() {
	code_of_page 1 >second.c && cc -O2 -Wall -Werror -I "$include" -shared -fPIC -o second.so second.c && same_bytes second.so &&
		run 0 run star.yaml --json a.json --cc ./second.so --set workloads.load.connections=8 &&
		jq -e '[.. | objects | .rate_min_bps // empty] | min | . > 100000000000 and . <= 150000000000' a.json
}

# the queue of the third example is shorter than that of a full window
third() {
	code_of_page 2 >third.c && cc -O2 -Wall -Wextra -Werror -I "$include" -shared -fPIC -o third.so third.c && same_bytes third.so &&
		cp star.yaml long.yaml && echo 'expect: [queue.max(s0:h2) <= 60kB]' >>long.yaml &&
		run 0 run long.yaml --quiet --cc ./third.so && run 1 run long.yaml --quiet --cc none
}

# a library alone selects itself; beside another control a note says that it has no effect
alone() {
	local note='roce.own-control beside congestion-control: swift'
	run 0 run star.yaml --json a.json --quiet --set roce.own-control=my.so && run 0 run star.yaml --json b.json --quiet --cc ./my.so &&
		cmp <(jq '.flows, .totals, .control_digest' a.json) <(jq '.flows, .totals, .control_digest' b.json) &&
		sed 's/^fabric: roce/&\nroce: {congestion-control: swift, own-control: my.so}/' star.yaml >beside.yaml &&
		run 0 check beside.yaml && says out "no effect     $note (line 3)" &&
		run 0 run beside.yaml --quiet && says err "no effect in a fabric of kind roce: $note (line 3)" &&
		sed 's/^fabric: roce/&\nroce: {congestion-control: swift}/' star.yaml >swift.yaml && echo 'expect: [messages(load) >= 0]' >>swift.yaml &&
		cp my.so our.so && run 0 run swift.yaml --quiet --sweep roce.own-control=my.so,our.so && says err "$note"
}

other_fabric() {
	local command
	sed 's/^fabric: roce/fabric: flow-channel/' star.yaml >other.yaml
	for command in run check; do
		run 2 $command other.yaml --cc ./my.so &&
			says err "heddle $command: --cc needs a fabric of kind roce; this one is flow-channel" || return 1
	done
	run 0 check star.yaml --cc ./my.so
}

# in the scenario the file lies beside it, wherever heddle is started
in_scenario() {
	sed 's/^fabric: roce/&\nroce: {congestion-control: own, own-control: my.so}/' star.yaml >own.yaml
	(cd / && "$heddle" run "$scratch/own.yaml" --json "$scratch/d.json" --quiet) &&
		run 0 run star.yaml --json a.json --cc ./my.so --quiet &&
		same_of '.flows, .totals' a.json d.json
}

built_in() {
	run 0 run star.yaml --json a.json --quiet --cc swift && run 0 run star.yaml --json b.json --quiet --set roce.congestion-control=swift &&
		same_of 'del(.settings)' a.json b.json &&
		run 0 run star.yaml --json a.json --quiet --cc tcp && run 0 run star.yaml --json b.json --quiet --set workloads.load.transport=tcp &&
		same_of '.flows, .totals' a.json b.json
}

refused() {
	run 2 run star.yaml --cc dcqn && says err "did you mean 'dcqcn'?" && run 2 run star.yaml --cc none.so && says err 'No such file' &&
		echo text >text.so && run 2 run star.yaml --cc ./text.so && says err 'no shared library' &&
		run 2 run star.yaml --set roce.congestion-control=own && says err 'needs own-control' &&
		run 2 run star.yaml --cc ./my.so --cc swift && says err 'given twice'
}

# an output may not replace the library
not_overwritten() {
	cp my.so mine.json && run 2 run star.yaml --cc ./mine.json --json mine.json && cmp my.so mine.json
}

unusable() {
	echo 'int x;' | library empty && named empty 'cannot be loaded: it does not define the object heddle_control' &&
		echo '#include <heddle/congestion_control.h>
		const struct heddle_control heddle_control = { .version = 2 };' | library version &&
		named version 'it is for version 2 of the interface, this is version 1' &&
		echo '#include <stdlib.h>
		__attribute__((constructor)) static void f(void) { abort(); }' | library constructor &&
		named constructor 'ended the process in a constructor: signal 6'
}

crashes() {
	broken crash '*(volatile int *)8 = 1' && named crash 'the control crash.so ended the process in on_ack of flow h' && says err 'signal 11' &&
		says err ' -> h2 (load) at ' && broken abort 'abort()' && named abort 'signal 6' &&
		broken exit 'exit(0)' && named exit 'it left with status 0' && broken deep 'flow->window_packets = deep(1)' && named deep 'signal 11' &&
		broken file 'open("/etc/passwd", 0)' && named file 'system call that nodes may not make' &&
		broken print 'puts("a"); fflush(stdout)' && named print 'system call that nodes may not make'
}

loops() {
	broken loop 'for (;;) ;' && named loop 'did not return from on_ack of flow h' && says err 'within 1 s of CPU time' &&
		broken sleep 'sleep(1000)' && named sleep 'does not return from on_ack of flow h'
}

nonsense() {
	broken rate 'flow->rate_bps = 0' && named rate 'set rate_bps to 0 in on_ack of flow h' &&
		broken window 'flow->window_packets = 0; flow->window_packets--' && named window 'set window_packets to 4294967295' &&
		broken timer 'flow->timer_ns = flow->now_ns' && named timer 'set timer_ns to 2' &&
		broken state '((char *)flow->state)[8] = 1' && named state 'wrote beyond the 8 bytes of its state'
}

# what it prints is seen; NICs obey under the real clock too
prints() { broken talk 'static int once; if (!once++) write(2, "hello from a control\n", 21)' && run 0 run star.yaml --quiet --cc ./talk.so && says err 'hello from a control'; }
real_clock() { run 4 run star.yaml --clock real --set links.rate=10Mb/s --set run.duration=500ms --quiet --cc ./crash.so && says err 'ended the process in on_ack'; }

score() {
	run 0 lab score --quiet --only incast --only victim --json points.json && cp out first && run 0 lab score --quiet --only incast --only victim &&
		cmp out first && head -n 1 out | grep -Eq '^control +incast +victim +total$' && [ "$(grep -c '^swift ' out)" = 3 ] &&
		jq -e '[.controls[].control] | sort == ["dcqcn", "swift", "tcp"]' points.json &&
		jq -e '[.controls[].total] | . == (sort | reverse)' points.json
}

# the goals of a scenario of one's own: half of a bound is 50 points; a control that fails has none,
# and the others have theirs
own_scenarios() {
	mkdir -p folder && sed 's/^name: star/name: mine/' star.yaml >folder/mine.yaml &&
		echo 'expect: [messages(load) >= 1, messages(load) >= 1]' >>folder/mine.yaml &&
		run 4 lab score ./crash.so ./my.so --scenarios folder --json points.json &&
		grep -Eq '^crash.so +failed +0.0$' out && grep -Eq '^my.so +100.0 +100.0$' out && [ "$(grep -c 'ended the process' err)" = 1 ] &&
		jq -e '.controls[] | select(.control == "crash.so") | .total == 0 and (.scenarios[0].note | contains("ended the process"))' points.json &&
		run 0 lab score ./my.so --alone --scenarios folder --quiet && silent err && ! grep -q dcqcn out
}

score_refused() {
	run 2 lab score --only incats && says err "did you mean 'incast'?" && run 2 lab score swfit && says err "did you mean 'swift'?" &&
		run 2 lab scor && says err "did you mean 'score'?" && run 2 lab score --scenarios "$scratch/none" && says err 'no scenarios in' &&
		mkdir -p many && run 2 lab score --scenarios many && says err 'no *.yaml in many' &&
		touch many/{1..65}.yaml && run 2 lab score --scenarios many && says err 'more than 64 scenarios in many' &&
		run 2 lab score --only incast,victim && says err 'repeat --only' && run 0 lab --help
}

# else no process could be found that is left
nodes_seen() {
	local all
	setsid "$heddle" run star.yaml --quiet --slow 1us/s >out 2>err </dev/null &
	ran=$!
	nodes() { for pid in $(session "$ran"); do cat "/proc/$pid/comm"; done 2>/dev/null | grep nicd; }
	wait_for nodes >/dev/null
	all=$(session "$ran")
	kill -INT "$ran"
	wait "$ran"
	# shellcheck disable=SC2086
	[ "$(wc -w <<<"$all")" -gt 1 ] && gone $all
}

check "the nodes of a run are found by its session" nodes_seen
check "the example has at most 50 lines" short
check "the example compiles without a warning" example
check "a control gives the same bytes in every run, and its digest" same_bytes my.so
check "the second example of the page does what it says" second
check "the third example of the page does what it says" third
check "a scenario names a control beside it" in_scenario
check "a library alone selects itself; beside another control it has no effect" alone
check "--cc needs a fabric of kind roce" other_fabric
check "--cc selects built-in controls and TCP" built_in
check "wrong names and files are refused" refused
check "the library is not overwritten" not_overwritten
check "a library that cannot be used is named" unusable
check "crashes are named, nothing is left" crashes
check "loops are named, nothing is left" loops
check "nonsense is named, nothing is left" nonsense
check "what a control prints is seen" prints
check "under the real clock a crash is named too" real_clock
check "heddle lab score: points of three built-in controls, twice the same" score
check "scenarios of one's own; a control that fails has no points" own_scenarios
check "wrong arguments of lab score are refused" score_refused
finish
