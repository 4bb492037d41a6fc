#!/usr/bin/env bash
# test_suite - `heddle test`: scenarios beside each other as TAP, as JUnit XML and as JSON; which
# failures there are, and their order (DU-9).
set -u
. "$(dirname "$0")/common.sh"

cd "$scratch" || exit 1
cat >fine.yaml <<'YAML'
name: fine
run: {duration: 20us, warmup: 5us, sample: 1us}
topology: {switches: [s1], hosts: {h0: s1, h1: s1, h2: s1}}
workloads:
  - {name: w, pattern: incast, to: h0, size: 4KiB, arrival: closed, window: 1}
expect:
  - jain(w) >= 0.5
  - lost == 0
YAML
sed 's/lost == 0/lost > 5/' fine.yaml >lossy.yaml
sed 's/incast/inca/' fine.yaml >wrong.yaml
sed '/^expect/,$d' fine.yaml >silent.yaml
sed 's/20us/2ms/' fine.yaml >slow.yaml
all=(slow.yaml lossy.yaml wrong.yaml missing.yaml silent.yaml fine.yaml)

tap() {
	run 1 test "${all[@]}" -j 3 && silent err || return 1
	sed 's/^\(ok\|not ok\) /&/; /^ /d; /^#   /d' out >short
	diff short - <<-'TAP'
		TAP version 13
		ok 1 - slow.yaml: jain(w) >= 0.5
		ok 2 - slow.yaml: lost == 0
		ok 3 - lossy.yaml: jain(w) >= 0.5
		not ok 4 - lossy.yaml: lost > 5
		not ok 5 - wrong.yaml: the scenario can be read
		not ok 6 - missing.yaml: the scenario can be read
		ok 7 - silent.yaml: it runs; there are no expectations
		ok 8 - fine.yaml: jain(w) >= 0.5
		ok 9 - fine.yaml: lost == 0
		1..9
		# 3 of 9 tests of 6 files failed:
	TAP
}

# where and why: in the diagnostics, and in the table
reasons() {
	says out 'message: "the value is 0"' && says out "message: \"wrong.yaml:5:24: 'inca' is not one of" &&
		grep -q "^#   wrong.yaml  *the scenario can be read$" out && grep -q "^# .* wrong.yaml:5:24: 'inca'" out &&
		grep -q '^#   lossy.yaml  *lost > 5$' out
}

# the same bytes with one run at a time, and with more than there are
same_order() {
	cp out beside && run 1 test "${all[@]}" -j 1 && cmp beside out && run 1 test "${all[@]}" -j 99 && cmp beside out
}

# reading a FIFO would wait for ever
no_fifo() {
	mkdir files && cp fine.yaml files/ && mkfifo files/fifo.yaml && run 0 test files && says out 1..2
}

# a reader of TAP: what prove counts
by_prove() {
	prove --exec "$heddle test" fine.yaml silent.yaml >said && grep -q '^All tests successful' said && grep -q 'Files=2, Tests=3' said &&
		{ prove --exec "$heddle test" fine.yaml lossy.yaml >said 2>&1; [ $? = 1 ]; } &&
		grep -q 'Failed test:  2' said && ! grep -qi 'parse error' said
}

junit() {
	run 1 test "${all[@]}" --junit r.xml && says out 'TAP version 13' && xmllint --noout --schema "$top/tests/system/junit.xsd" r.xml &&
		[ "$(xmllint --xpath 'count(//testcase)' r.xml)" = 9 ] && [ "$(xmllint --xpath 'count(//failure)' r.xml)" = 1 ] &&
		[ "$(xmllint --xpath 'count(//error)' r.xml)" = 2 ] &&
		[ "$(xmllint --xpath 'string(/testsuites/@failures)' r.xml)" = 1 ] && [ "$(xmllint --xpath 'string(/testsuites/@errors)' r.xml)" = 2 ] &&
		[ "$(xmllint --xpath 'string(//testsuite[2]/testcase[2]/@name)' r.xml)" = 'lost > 5' ]
}

# names that XML and TAP do not take as they are
odd_names() {
	local name=$'a&<b>"#\x01.yaml'
	cp fine.yaml "$name"
	run 0 test "$name" --junit - && cp out odd.xml && xmllint --noout --schema "$top/tests/system/junit.xsd" odd.xml &&
		[ "$(xmllint --xpath 'string(//testsuite/@name)' odd.xml)" = 'a&<b>"#?.yaml' ] &&
		run 0 test "$name" && grep -q '^ok 1 - a&<b>"\\#' out
}

# a name that is not UTF-8 hides no result, in no output
bytes_in_names() {
	local name=$'bytes/b\xff.yaml'
	mkdir bytes && cp fine.yaml bytes/a.yaml && cp fine.yaml bytes/c.yaml && cp lossy.yaml "$name" && run 1 test bytes &&
		says out 'not ok 4 - bytes/b?.yaml: lost > 5' && says out '# 1 of 6 tests of 3 files failed:' &&
		run 0 check "$name" --json && jq -e '.file == "bytes/b?.yaml"' out &&
		run 0 list bytes --json && jq -e '[.[].file] | length == 3 and index("bytes/b?.yaml")' out &&
		run 1 run "$name" --record bytes/r && run 1 run "$name" --report bytes/r.html && cp wrong.yaml "$name" && run 2 check "$name" --json &&
		jq -e '.errors[0] | .file == "bytes/b?.yaml" and .line == 5' out
}

# a scenario from standard input; no other run reads from there
standard_input() {
	"$heddle" test fine.yaml - <silent.yaml >out && says out 'ok 3 - -: it runs; there are no expectations'
}

# where /tmp cannot be written, and $TMPDIR can
no_tmp() {
	unshare --user --map-root-user --mount sh -c 'mount --bind . /mnt && mount -t tmpfs -o ro tmpfs /tmp && cd /mnt &&
		export TMPDIR=/mnt && "$0" test fine.yaml && "$0" run fine.yaml --report r.html' "$heddle" >out && says out 1..2
}

json() {
	run 1 test fine.yaml lossy.yaml --json && jq -e '.tests == 4 and .failed == 1 and .files[1].tests[1] ==
		{name: "lost > 5", ok: false, value: 0, message: "the value is 0"}' out
}

folder() {
	mkdir many && cp fine.yaml many/b.yaml && cp silent.yaml many/a.yaml && run 0 test many && says out 'ok 1 - many/a.yaml' &&
		says out '# all 3 tests of 2 files hold' && mkdir none && run 2 test none && says err 'no scenarios in none'
}

settings() {
	run 0 test lossy.yaml --set 'expect=[lost == 0]' && says out 'ok 1 - lossy.yaml: lost == 0' && run 2 test && run 2 test fine.yaml -j 0 &&
		run 2 test fine.yaml --json --junit - && run 2 test fine.yaml --junit nowhere/r.xml
}

# SIGTERM or SIGINT to the suite alone: it ends its runs, and those not started count as failed
interrupted() {
	local suite left
	sed 's/20us/100s/' fine.yaml >endless.yaml
	"$heddle" test endless.yaml fine.yaml -j 1 --junit ended.xml >out 2>err &
	suite=$!
	left=$(wait_for children "$suite") && wait_for children "${left%% *}" >/dev/null && kill "-$1" "$suite"
	wait "$suite"
	# before the run begins, or in it: then its expectations come first
	[ $? = 130 ] && grep -q '^not ok [13] - endless.yaml: the run is not interrupted' out &&
		grep -q '^not ok [24] - fine.yaml: the run is not interrupted' out && says out 'message: "it was not started"' &&
		says out "1..$(grep -c '^\(not \)*ok ' out)" && ! says out 'tests of 2 files hold' &&
		says ended.xml '<error message="it was not started"/>' && gone ${left%% *}
}

# a run that is killed is a failed test
killed() {
	local suite left
	"$heddle" test endless.yaml >out 2>err &
	suite=$!
	left=$(wait_for children "$suite") && kill -KILL ${left%% *}
	wait "$suite"
	[ $? = 1 ] && says out 'not ok 1 - endless.yaml: the run ends in good order'
}

# a run that takes too long is a failed test, and nothing of a part of it is judged
timed_out() {
	sed 's/20us/100s/' fine.yaml >endless.yaml
	run 1 test endless.yaml --timeout 300ms && says out 'not ok 1 - endless.yaml: the run is not interrupted' && says out 1..1 &&
		says out 'message: "it did not end within 300.0 ms, --timeout"' && run 0 test fine.yaml --timeout 3600s && run 2 test fine.yaml --timeout 5
}

# also one that does not react
stopped() {
	local suite left
	"$heddle" test endless.yaml --timeout 300ms >out 2>err &
	suite=$!
	left=$(wait_for children "$suite") && kill -STOP ${left%% *}
	wait "$suite"
	[ $? = 1 ] && says out 'it did not end within' && gone ${left%% *}
}

check tap tap
check reasons reasons
check same_order same_order
if command -v prove >/dev/null; then check by_prove by_prove; else skip by_prove 'prove is missing'; fi
if command -v xmllint >/dev/null; then
	check junit junit
	check odd_names odd_names
else
	skip junit 'xmllint is missing'
fi
check json json
check folder folder
check bytes_in_names bytes_in_names
check standard_input standard_input
if unshare --user --map-root-user --mount true 2>/dev/null; then check no_tmp no_tmp; else skip no_tmp 'no user namespaces'; fi
check no_fifo no_fifo
check settings settings
check interrupted interrupted INT
check 'interrupted by SIGTERM' interrupted TERM
check killed killed
check timed_out timed_out
check stopped stopped
finish
