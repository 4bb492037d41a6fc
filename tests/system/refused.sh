# shellcheck shell=bash
# refused - what `heddle up` does where something is refused, for test_refused.sh and
# test_call_fails.sh

nothing_left() {
	! ls -A "$HEDDLE_RUNTIME_DIR" | grep . && ! grep -lsazF "HEDDLE_RUNTIME_DIR=$HEDDLE_RUNTIME_DIR" $(alive)
}
# alive - environments of all processes that may be ours
alive() {
	grep -lsE '^(heddle.*|switchd|nicd)$' /proc/[0-9]*/comm | sed 's/comm$/environ/'
	echo /dev/null
}
# refused SENTENCE COMMAND... - it ends with status 4, SENTENCE (a regular expression) in its last
# words, and nothing is left
refused() {
	local sentence=$1 status
	shift
	"$@" >"$scratch/out" 2>"$scratch/err" </dev/null
	status=$?
	cat "$scratch/err"
	[ $status = 4 ] || { echo "exit status $status, not 4"; return 1; }
	[ ! -s "$scratch/out" ] || { cat "$scratch/out"; return 1; }
	tail -n 1 "$scratch/err" | grep -qE -- "^heddle up: .*$sentence" || { echo "'$sentence' is not said"; return 1; }
	nothing_left
}
# works COMMAND... - the fabric runs and carries
works() {
	"$@" >"$scratch/out" 2>"$scratch/err" </dev/null || { cat "$scratch/err"; return 1; }
	run 0 exec h1 -- ping -c 1 -w 30 -q h6 && run 0 down && nothing_left
}
