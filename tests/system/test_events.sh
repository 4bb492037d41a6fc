#!/usr/bin/env bash
# test_events - `heddle run --events FILE`: every event, in order, of complete, interrupted, failed
# and real runs; nothing else is left behind (SE-2). tests/sim/test_events.c compares the events
# with the counters; test_same_bytes.sh compares the files of loaded machines.
set -u
. "$(dirname "$0")/common.sh"

scenario=$topologies/pfc-spreading.yaml
long=$topologies/permutation-16.yaml

# ordered FILE - is each row of a CSV file at the time of the one before, or later?
ordered() {
	awk -F, 'NR > 1 && !/^#/ { if ($1 + 0 < before + 0) { print "row " NR " goes back"; exit 1 }; before = $1; rows++ }
		END { exit rows ? 0 : 1 }' "$1"
}

# folder_has NAME... - are these all files in $scratch/files?
folder_has() {
	[ "$(ls -A "$scratch/files" | tr '\n' ' ')" = "$(printf '%s ' "$@")" ] && return
	ls -lA "$scratch/files"
	return 1
}

# both_formats - do CSV and JSON lines have the same events?
both_formats() {
	run 0 run "$scenario" --quiet --events files/e.csv &&
		run 0 run "$scenario" --quiet --events files/e.jsonl && ordered files/e.csv &&
		python3 - <<-'PY'
		import csv, json
		rows = list(csv.DictReader(open('files/e.csv')))
		objects = [json.loads(line) for line in open('files/e.jsonl')]
		assert len(rows) == len(objects) > 5000, (len(rows), len(objects))
		for row, event in zip(rows, objects):
		    for key in ('at_ps', 'node', 'port', 'peer', 'event'):
		        assert row[key] == str(event.pop(key)), (row, event)
		    for key in ('class', 'source', 'destination'):
		        assert row[key] == str(event.pop(key, '')), (row, event)
		    assert [row['detail'], row['value']] == ([''] * 2 + [str(v) for v in event.values()])[-2:] \
		        or [row['detail'], row['value']] == [str(v) for v in event.values()] + [''], (row, event)
		PY
}

# first_pause - does the first XOFF to a host come when JSON says, and the pause after it?
first_pause() {
	run 0 run "$scenario" --quiet --json out.json --events files/e.csv &&
		python3 - <<-'PY'
		import csv, json
		result = json.load(open('out.json'))
		rows = list(csv.DictReader(open('files/e.csv')))
		first = {}
		for row in rows:
		    if row['event'] == 'xoff':
		        first.setdefault((row['node'], int(row['port']), row['class']), int(row['at_ps']))
		known = {(c['node'], c['port'], c['class']): c['xoff_first_ps'] for c in result['classes'] if c['xoff_first_ps']}
		assert known and set(known) <= set(first), (known, first)
		for key, at in known.items():
		    assert first[key] <= at, (key, first[key], at)
		PY
}

# begin FILE - starts a run that takes minutes, with its events in FILE, and waits until it runs
begin() {
	"$heddle" run "$long" --quiet --verbose --set run.duration=1s --events "$1" >"$scratch/out" 2>"$scratch/err" </dev/null &
	run=$!
	until grep -q 'runs from' "$scratch/err"; do
		kill -0 $run || return 1
		sleep 0.05
	done
	sleep 0.5
}

# a node that is killed: the run fails, and what it and the others did before is there
killed() {
	local nodes status
	begin files/killed.csv || return 1
	nodes=($(children $run))
	kill -KILL "${nodes[0]}"
	wait $run
	status=$?
	[ $status = 4 ] || { echo "exit status $status"; cat "$scratch/err"; return 1; }
	ordered files/killed.csv
}

interrupted() {
	begin files/stopped.jsonl || return 1
	kill -INT $run
	wait $run
	[ $? = 130 ] && tail -n 1 files/stopped.jsonl | grep -q '"interrupted":true'
}

# each node needs a file; a login has a low soft limit and a high hard one
few_files() (
	ulimit -Sn 30
	run 0 run "$topologies/permutation-16.yaml" --quiet --events files/e.csv && ordered files/e.csv
)

# whatever the verdict on the machine is
real_clock() {
	"$heddle" run "$topologies/two-talk.yaml" --clock real --quiet --set run.duration=50ms --events files/real.csv \
		>"$scratch/out" 2>"$scratch/err" </dev/null
	case $? in 0 | 1 | 5) ;; *) cat "$scratch/err"; return 1 ;; esac
	grep -q message_end files/real.csv
}

mkdir "$scratch/files"
cd "$scratch" || exit 1
check 'CSV and JSON lines have the same events' both_formats
check 'only the files asked for are left' folder_has e.csv e.jsonl
check 'the first XOFF of each class is the one in JSON' first_pause
check 'to a pipe' bash -c '"$0" run "$1" --quiet --events /dev/stdout | cmp - files/e.csv' "$heddle" "$scenario"
check 'to -, without the summary' bash -c '"$0" run "$1" --events - | cmp - files/e.csv && [ ! -e - ]' "$heddle" "$scenario"
check 'not with --json - too' run 2 run "$scenario" --events - --json
check 'it says why' says err 'only one of'
check 'a node that is killed leaves the events before' killed
check 'an interrupted run says so in its last line' interrupted
check 'the real clock' real_clock
check 'its events are in order' ordered files/real.csv
check 'more nodes than the soft limit of open files' few_files
check 'not with --compare' run 2 run "$topologies/roce-compare.yaml" --compare --events files/no.csv
check 'it says why' says err 'not with --compare'
check 'a folder that is not there' run 2 run "$scenario" --events nowhere/e.csv
check 'it is named' says err 'nowhere/e.csv'
check 'the file of another output' run 2 run "$scenario" --events files/x --json files/x
check 'a full disk is told' run 2 run "$scenario" --quiet --events /dev/full
check 'nothing else is left' folder_has e.csv e.jsonl killed.csv real.csv stopped.jsonl
finish
