#!/usr/bin/env bash
# test_page - the page in Chromium: all views of all kinds, numbers, keys, time, files that are
# broken, printing, a recording that grows, a lab (TB-20, SE-4 to SE-7, SE-9, SE-11). LONG=yes also
# opens a recording of 128 hosts and 2 ms. Speed is printed and not judged.
set -u
. "$(dirname "$0")/common.sh"

command -v chromium-headless-shell chromium >/dev/null ||
	{ echo 'skipped: no chromium (package chromium-headless-shell)'; exit 77; }
page=$top/build/gen/page.html
export PYTHONDONTWRITEBYTECODE=1

# recording NAME SCENARIO OPTION... - and beside it, in NAME.heddle.d, what the same run wrote
recording() {
	local name=$1 scenario=$2 folder=$scratch/$1.heddle.d
	shift 2
	mkdir "$folder"
	"$heddle" run "$scenario" --quiet --record "$scratch/$name.heddle" --csv "$folder" \
		--events "$folder/events.csv" --json "$folder/result.json" --set run.sample=1us "$@"
	# expectations are of the whole scenario, not of a short one
	[ $? -le 1 ]
}

# torus and HyperX are small ones of their own
cat >"$scratch/grid.yaml" <<'YAML'
name: grid
run: {duration: 60us, warmup: 10us, drain: no}
topology: {generate: torus, shape: [3, 3], hosts-per-switch: 1}
workloads:
  - {name: all, pattern: permutation, size: 64KiB, arrival: closed, window: 1}
YAML

recordings() {
	local short=(--set run.duration=120us --set run.warmup=20us --set run.drain=no)
	local packets=(--set run.duration=60us --set run.warmup=10us --set run.drain=no --set run.packets=yes)
	cp "$topologies/pfc-spreading.yaml" "$scratch/roce-test.yaml"
	recording roce "$scratch/roce-test.yaml" &&
		recording dcqcn "$scratch/roce-test.yaml" --set roce.dcqcn=yes &&
		recording flow-channel "$topologies/permutation-fat-tree-16.yaml" "${short[@]}" &&
		recording port-group "$topologies/port-group-incast.yaml" "${short[@]}" &&
		recording dragonfly "$topologies/dragonfly-minimal.yaml" "${short[@]}" &&
		recording packets "$topologies/pfc-victim.yaml" "${packets[@]}" &&
		recording connections "$topologies/permutation-fat-tree-16.yaml" "${short[@]}" --set workloads.permutation.connections=2 &&
		recording packets-tree "$topologies/permutation-fat-tree-16.yaml" "${packets[@]}" &&
		recording given "$scratch/roce-test.yaml" --set 'topology.at={s0: [0, 0], s1: [2, 0], s2: [2, 1.5]}' &&
		recording torus "$scratch/grid.yaml" &&
		recording hyperx "$scratch/grid.yaml" --set topology.generate=hyperx || return 1
	[ "${LONG-}" != yes ] || { recording large "$topologies/permutation-fat-tree-128.yaml" \
		--set run.duration=2ms --set run.warmup=1ms &&
		recording dragonfly-large "$topologies/dragonfly-1056.yaml" --set run.duration=50us --set run.warmup=10us --set run.drain=no; }
}

# in_browser CASE,... [ARGUMENT...] - one browser for these cases; each of their lines is a check
in_browser() {
	python3 "$top/tests/page/test_page.py" "$heddle" "$page" "$scratch" "$@" >"$scratch/lines" 2>&1
	local status=$?
	sed -n -e 's/^right  /ok      /p' -e 's/^WRONG  /FAILED  /p' -e '/^measured/p' "$scratch/lines"
	passed=$((passed + $(grep -c '^right ' "$scratch/lines")))
	failed=$((failed + $(grep -c '^WRONG ' "$scratch/lines")))
	# a browser that ended, an exception: more than a wrong line
	if [ "$status" != 0 ] && ! grep -q '^WRONG ' "$scratch/lines"; then
		failed=$((failed + 1))
		echo "FAILED  browser, $1"
		tail -n 20 "$scratch/lines" | sed 's/^/        | /'
	fi
}

check 'recordings of all kinds' recordings
in_browser kinds,given,numbers,keyboard,names,parts,time,packets,pointer,compare,report,broken,speed

head -c 8000 "$scratch/roce.heddle" >"$scratch/growing.heddle"
"$heddle" view "$scratch/growing.heddle" >"$scratch/view" &
server=$!
at_end 'kill $server 2>/dev/null'
url=$(wait_for sed -n 's/^view: //p' "$scratch/view")
in_browser served "$url" "$scratch/growing.heddle" "$scratch/roce.heddle"

# a lab beside the fabric; its case rewrites lab.json
cp "$top/tests/page/lab.json" "$scratch/lab.json"
"$top/build/release/system/lab_server" "$scratch/roce.heddle" "$scratch/lab.json" >"$scratch/lab" &
lab=$!
at_end 'kill $lab 2>/dev/null'
url=$(wait_for sed -n 's/^view: //p' "$scratch/lab")
in_browser lab "$url" "$scratch/lab.json"

# what if: a change of a run that is over, beside it
"$heddle" run "$scratch/roce-test.yaml" --quiet --view=control >/dev/null 2>"$scratch/control" &
run=$!
at_end 'kill $run 2>/dev/null'
url=$(wait_for sed -n 's/^view: //p' "$scratch/control")
in_browser forked "$url"

# a report is one file, of at most 5 MB, that needs nothing else
reports() {
	run 0 run "$scratch/roce-test.yaml" --quiet --set run.sample=2us --report "$scratch/one.html" &&
		run 0 run "$scratch/roce-test.yaml" --quiet --compare --report "$scratch/all.html" &&
		[ "$(stat -c %s "$scratch/one.html")" -le 5000000 ] &&
		[ "$(stat -c %s "$scratch/all.html")" -le 5000000 ]
}
check 'reports of a run and of its variants' reports
in_browser reports
hand_in() {
	(cd "$scratch" && n=$("$heddle" lab start 3 --student 6 --json | jq -r .values.n) &&
		answers=$(awk -v n="$n" 'BEGIN { print "victim=" 99.4 / n, "trunk=" 100 / n }') &&
		lossy=$(HEDDLE=$heddle TOPOLOGIES=$topologies "$top/tests/system/lab_answers.py" 03-innocent-flow right 6 | grep lossy) &&
		run 0 lab predict 3 --student 6 victim=50 &&
		# shellcheck disable=SC2086
		run 1 lab check 3 --student 6 $answers "$lossy" remedy=path-level-pfc && run 0 lab report 3 --student 6 hand-in.html &&
		says out 'not passed')
}
check 'a report of a lab' hand_in
in_browser handed-in
same_report() {
	run 0 run "$scratch/roce-test.yaml" --quiet --set run.sample=2us --report "$scratch/again.html" &&
		cmp "$scratch/one.html" "$scratch/again.html"
}
check 'the same run gives the same report' same_report
check 'a report to a folder that is not there' run 2 run "$scratch/roce-test.yaml" --report nowhere/r.html
check 'it is named' says err 'nowhere/r.html'
check 'not with --record' run 2 run "$scratch/roce-test.yaml" --report r.html --record r.heddle
check 'a full disk is told' run 2 run "$scratch/roce-test.yaml" --quiet --report /dev/full
check 'as what it is' says err 'cannot write the report: No space left on device'
finish
