#!/usr/bin/env bash
# test_record - `heddle run --record FILE` and `heddle export FILE`: a recording has everything that
# the run writes, byte by byte, in each kind of fabric; it is the same each time; it can be read
# while it grows, and after a run that failed or was interrupted; one that is damaged is refused
# (SE-3).
set -u
. "$(dirname "$0")/common.sh"

long=$topologies/permutation-16.yaml

# recorded NAME SCENARIO [OPTION...] - a run with all outputs, in $scratch/NAME
recorded() {
	local name=$1 scenario=$2
	shift 2
	mkdir "$name"
	run 0 run "$topologies/$scenario.yaml" "$@" --record "$name/r" --json "$name/json" --csv "$name/csv" --events "$name/events.csv" &&
		sed 's/; event loop .*//' out >"$name/text"
}

# exported NAME - does the recording give the same files, and the same summary?
exported() {
	local name=$1
	run 0 export "$name/r" --json "$name.x/json" --csv "$name.x/csv" --events "$name.x/events.csv" --text &&
		cp out "$name.x/text" && cp "$name/r" "$name.x/r" && diff -r "$name" "$name.x" >diff && return
	head -c 2000 diff
	return 1
}

# again NAME SCENARIO [OPTION...] - does the same run write the same bytes, and is its result that
# of a run without a recording?
again() {
	local name=$1 scenario=$2
	shift 2
	run 0 run "$topologies/$scenario.yaml" "$@" --quiet --record r2 && cmp r2 "$name/r" &&
		run 0 run "$topologies/$scenario.yaml" "$@" --quiet --json plain --events plain.csv && cmp plain "$name/json" &&
		cmp plain.csv "$name/events.csv"
}

# kind NAME SCENARIO [OPTION...] - all of this
kind() {
	mkdir "$1.x"
	check "$1: a run" recorded "$@"
	check "$1: its recording has all of it" exported "$1"
	check "$1: the same bytes again" again "$@"
}

# lines NAME - the events as JSON lines, as the run writes them
lines() {
	run 0 run "$topologies/pfc-spreading.yaml" --quiet --events lines.jsonl &&
		run 0 export "$1/r" --events lines-x.jsonl && cmp lines.jsonl lines-x.jsonl
}

# python NAME - does the reader of docs/recording.md find as many events as there are?
python() {
	sed -n '/^```python$/,/^```$/p' "$top/docs/recording.md" | sed '1d;$d' >read.py
	[ "$(wc -l <read.py)" -gt 20 ] && python3 read.py "$1/r" >read.out && cat read.out &&
		grep -qx "events $(($(wc -l <"$1/events.csv") - 1))" read.out &&
		grep -qx "samples $(tail -n +2 "$1/csv/samples.csv" | cut -d, -f4 | sort -u | wc -l)" read.out &&
		# the last value of each port's tx_bytes: node, port, value
		diff <(tail -n +2 "$1/csv/samples.csv" | awk -F, '{ last[$1 " " $2] = $7 } END { for (k in last) if (last[k]) print k, last[k] }' | sort) \
			<(sed -n 's/^tx_bytes //p' read.out | sort)
}

# begin FILE - starts a run that takes minutes with a recording, and waits until it has slices
begin() {
	"$heddle" run "$long" --quiet --set run.duration=1s --set run.sample=1us --record "$1" >"$scratch/out" 2>"$scratch/err" </dev/null &
	run=$!
	wait_for grown "$1" >/dev/null
}

# grown FILE - prints the size of the recording so far, once slices are in it
grown() {
	find . -name "$1.part.*" -size +63k
}

# a recording that grows has whole blocks in front; its reader says that it is not complete
follows() {
	begin growing || return 1
	cp growing.part.* part
	kill -KILL $run
	wait $run
	rm growing.part.*
	run 2 export part && says err 'it is not complete' && python3 - <<-'PY'
	import struct, zlib
	data = open('part', 'rb').read()
	at, kinds = 19, []
	while at + 8 <= len(data):
	    length, kind = struct.unpack_from('<I4s', data, at)
	    if at + 8 + length > len(data):
	        break
	    zlib.decompress(data[at + 8:at + 8 + length])
	    kinds.append(kind)
	    at += 8 + length
	assert kinds[:3] == [b'HEAD', b'FLOW', b'DATA'] and kinds.count(b'DATA') > 3, kinds
	PY
}

# a node that is killed: the recording has what was before, and why the run failed
killed() {
	local nodes status
	begin killed || return 1
	nodes=($(children $run))
	kill -KILL "${nodes[0]}"
	wait $run
	status=$?
	[ $status = 4 ] || { echo "status $status"; cat err; return 1; }
	run 0 export killed && says out 'run        failed: ' && says out 'was killed' &&
		run 0 export killed --events killed.csv && [ "$(wc -l <killed.csv)" -gt 100 ] &&
		run 2 export killed --json killed.json && says err 'has no result' && [ ! -e killed.json ]
}

# an interrupted run: a result, with the mark at the end of each table
interrupted() {
	local status
	mkdir stopped stopped.x
	"$heddle" run "$long" --set run.duration=1s --set run.sample=5us --record stopped/r --json stopped/json --csv stopped/csv \
		--events stopped/events.csv >stopped/text 2>err </dev/null &
	run=$!
	wait_for find stopped -name 'r.part.*' -size +63k >/dev/null || return 1
	kill -INT $run
	wait $run
	status=$?
	[ $status = 130 ] || { echo "status $status"; cat err; return 1; }
	sed -i 's/; event loop .*//' stopped/text
	exported stopped && run 0 export stopped/r && says out 'run        interrupted'
}

# the real clock: events and result, no samples
real_clock() {
	mkdir real real.x
	"$heddle" run "$topologies/pfc-pause.yaml" --clock real --set run.duration=200ms --set run.warmup=10ms --quiet \
		--record real/r --json real/json --csv real/csv --events real/events.csv >real/text 2>err </dev/null
	case $? in
	0 | 1 | 5) ;;
	*) cat err; return 1 ;;
	esac
	run 0 export real/r --json real.x/json --csv real.x/csv --events real.x/events.csv && : >real.x/text && cp real/r real.x/r &&
		diff -r real real.x
}

# damaged EXPRESSION TEXT - a recording changed by the Python EXPRESSION of `d` is refused with TEXT
damaged() {
	python3 -c "d = bytearray(open('roce/r', 'rb').read())
$1
open('damaged', 'wb').write(d)" && run 2 export damaged --json no.json --csv no.csv --events no.csv2 && says err "$2" &&
		[ ! -e no.json ] && [ ! -e no.csv2 ] && [ -z "$(ls -A no.csv 2>/dev/null)" ] && silent out
}

# kept TEXT OPTION... - an export that would replace the recording, or one output by another, is
# refused with TEXT
kept() {
	cp roce/r kept && ln -sf kept kept-too && run 2 export kept "${@:2}" && says err "$1" && cmp roce/r kept && silent out
}

# from_input - the same if the recording is standard input
from_input() {
	cp roce/r kept && "$heddle" export - --json kept <kept 2>err
	[ $? = 2 ] && says err 'is read by this command' && cmp roce/r kept
}

# events_out - `--events -` is standard output, no file of that name
events_out() {
	run 0 export roce/r --events - && cmp out roce/events.csv && [ ! -e - ]
}

# nothing_left - no file is there that is not complete, or that an error should have prevented
nothing_left() {
	! find . -maxdepth 1 -type f \( -name '*.part.*' -o -name 'no*' \) | grep .
}

cd "$scratch" || exit 1
kind flow-channel parking-lot
kind roce pfc-spreading --set run.sample=2us
kind port-group port-group-permutation
kind adaptive redirect --set run.sample=2us
check 'JSON lines' lines roce
check 'the reader of docs/recording.md' python flow-channel
check 'a run can be followed' follows
check 'a node that is killed' killed
check 'an interrupted run' interrupted
check 'the real clock' real_clock
check 'from standard input' bash -c '"$0" export - <roce/r | cmp - <("$0" export roce/r)' "$heddle"
check 'the recording is no output' kept 'kept is read by this command: name another file for --json' --json kept
check 'by another name' kept 'is read by this command' --events ./kept-too
check 'from standard input too' from_input
check 'two outputs of one file' kept 'written by --json and by --events' --json no --events ./no
check 'a table is an output too' kept 'written by --json and by --csv' --json no-csv/flows.csv --csv no-csv
check 'two outputs to standard output' kept 'only one of' --json - --events -
check 'events to standard output' events_out
check 'what is in it' run 0 export roce/r
check 'scenario, clock and end are named' says out 'run        complete'
check 'to a pipe' bash -c '"$0" run "$1" --set run.sample=2us --quiet --record /dev/stdout | cmp - roce/r' "$heddle" "$topologies/pfc-spreading.yaml"
check 'cut off' damaged 'del d[-40:]' 'the file ends'
check 'a bit of a block' damaged 'd[200] ^= 4' 'byte 19: block HEAD: its content is no zlib stream'
check 'another file' damaged "d[:6] = b'PK0000'" 'it is no recording of Heddle'
check 'something after its end' damaged "d += b'x'" "after 'heddle end'"
check 'a name that would break a table' damaged "import json, struct, zlib
at = d.index(b'FLOW') - 4
end = at + 8 + struct.unpack_from('<I', d, at)[0]
flows = json.loads(zlib.decompress(d[at + 8:end]))
flows[0]['workload'] = 'a,b\n'
block = zlib.compress(json.dumps(flows).encode())
d[at:end] = struct.pack('<I', len(block)) + b'FLOW' + block" 'it is no list of flows'
check 'a text file' run 2 export "$topologies/parking-lot.yaml"
check 'a file that is not there' run 2 export nowhere
check 'it is named' says err 'nowhere'
check 'a variant' run 0 run "$topologies/roce-compare.yaml" --variant DCQCN --set run.duration=300us --set run.warmup=100us --quiet --record variant
check 'it is named' bash -c '"$0" export variant | grep -qx "variant    DCQCN"' "$heddle"
check 'not with --compare' run 2 run "$topologies/roce-compare.yaml" --compare --record no
check 'it says why' says err 'not with --compare'
check 'to -, which is standard output' bash -c '"$0" run "$1" --set run.sample=2us --record - | cmp - roce/r' "$heddle" "$topologies/pfc-spreading.yaml"
check 'not with --json - too' run 2 run "$long" --record - --json -
check 'it says why' says err 'only one of'
check 'not with --view' run 2 run "$long" --record - --view
check 'a full disk is told' run 2 run "$topologies/pfc-spreading.yaml" --quiet --record /dev/full
check 'the file of another output' run 2 run "$long" --record x --json x
check 'nothing else is left' nothing_left
# a run that ends with its measured interval counts queues to the end of it, with samples or without
samples_change_nothing() {
	local short=(run "$topologies/hyperx.yaml" --quiet --set run.duration=60us --set run.warmup=20us --set run.drain=no --set 'expect=[]')
	run 0 "${short[@]}" --json "$scratch/plain.json" &&
		run 0 "${short[@]}" --json "$scratch/sampled.json" --set run.sample=100ns --csv "$scratch/samples" || return 1
	for json in plain sampled; do jq -S .ports "$scratch/$json.json" >"$scratch/$json.ports"; done
	[ "$(jq '[.ports[].queue_bytes_mean] | add > 0' "$scratch/plain.json")" = true ] && cmp "$scratch/plain.ports" "$scratch/sampled.ports"
}
check 'samples change no result' samples_change_nothing
finish
