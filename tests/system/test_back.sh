#!/usr/bin/env bash
# test_back - 'back' and 'goto' at the prompt: an earlier moment is what it was at the first visit,
# byte by byte, with all changes made before it (SE-6, SE-8).
set -u
. "$(dirname "$0")/common.sh"

# tables SCENARIO NODE AT - the tables of the node
tables() {
	printf 'show %s ?\n' "$2" | "$heddle" run "$1" --quiet --break-at "$3" 2>&1 |
		sed -n 's/.*it has: //p'
}

# shows SCENARIO AT NODE... - commands that show all tables of the nodes
shows() {
	local scenario=$1 at=$2 node table
	shift 2
	for node in "$@"; do
		for table in $(tables "$scenario" "$node" "$at") trace; do
			echo "show $node $table"
		done
	done
	echo "status exact"
}

# visit N - what was printed at the N-th stop of $scratch/out
visit() {
	awk -v wanted="$1" '/^at .* us;/ { visit++ } visit == wanted' "$scratch/out"
}

# same_visit SCENARIO AT LATER CHANGE NODE... - stops at AT, changes something, goes on by 3 us and
# looks; goes to LATER, and back to that moment, in three manners
same_visit() {
	local scenario=$topologies/$1.yaml at=$2 later=$3 change=$4 look stop
	shift 4
	look=$(shows "$scenario" "$at" "$@")
	printf '%s\n' "$change" 'step 3us' "$look" "goto $later" 'back' "$look" 'step 5us' 'back 5us' \
		"$look" "step until now > $later" "goto AT" "$look" quit >"$scratch/script"
	stop=$(awk -v at="${at%us}" 'BEGIN { printf "%dus", at + 3 }')
	sed -i "s/goto AT/goto $stop/" "$scratch/script"
	run 130 run "$scenario" --quiet --set run.drain=no --break-at "$at" --script "$scratch/script" || return 1
	visit 2 >"$scratch/first"
	[ "$(wc -l <"$scratch/first")" -gt 20 ] || return 1
	for stop in 4 6 8; do
		visit "$stop" | cmp - "$scratch/first" || return 1
	done
}

# outputs FOLDER SCRIPT - a run with every file that a run writes
outputs() {
	mkdir -p "$scratch/$1"
	printf '%s\n' "$2" >"$scratch/script"
	run 0 run "$topologies/parking-lot.yaml" --set run.duration=300us --set run.warmup=100us \
		--set run.sample=5us --set 'expect=[]' --break-at 50us --script "$scratch/script" \
		--json "$scratch/$1/r.json" --csv "$scratch/$1/csv" --events "$scratch/$1/events.csv" \
		--record "$scratch/$1/recording" --capture "s508:L=$scratch/$1/l.pcapng" \
		--capture "s502:A=$scratch/$1/a.pcapng" && sed -i '/^at /d' "$scratch/out" &&
		grep -v 'made after that time' "$scratch/out" >"$scratch/$1/summary"
}

# the files of a run that went back are those of one that did not
same_files() {
	outputs one $'set s502 acks.collect 7\ngoto 80us' &&
		outputs two $'set s502 acks.collect 7\ngoto 120us\nback\nstep 10us\nset s504 acks.collect 9\nstep 9us\nback 12us\ngoto 80us' &&
		diff -r "$scratch/one" "$scratch/two" && [ -s "$scratch/two/recording" ]
}

# the changes made later are gone, and it is told
undone() {
	printf '%s\n' 'goto 60us' 'set s502 acks.collect 7' 'step 1us' 'goto 59us' 'goto 60us' 'show s502 settings' \
		'set s502 acks.collect 7' 'step 1us' 'back' 'show s502 settings' >"$scratch/script"
	run 0 run "$topologies/parking-lot.yaml" --quiet --set run.drain=no --break-at 50us --script "$scratch/script" &&
		says out '1 change made after that time is undone' || return 1
	# at 60 us without the change, then with it, since it was made before 60 us was left
	visit 5 | tail -n +2 >"$scratch/without"
	visit 7 | tail -n +2 >"$scratch/with"
	! cmp -s "$scratch/with" "$scratch/without"
}

refuses() {
	local text=$2
	printf '%s\n' "$1" >"$scratch/script"
	shift 2
	run 2 run "$topologies/parking-lot.yaml" --quiet --break-at 50us --script "$scratch/script" "$@" &&
		says err "$text"
}

begins() {
	printf 'goto 0us\nback\n' >"$scratch/script"
	run 2 run "$topologies/parking-lot.yaml" --quiet --break-at 50us --script "$scratch/script" &&
		says out 'at 0.000 us;' && says err ':2: back: there is no earlier stop'
}

# what is written into a pipe cannot be taken back
refuses_pipe() {
	mkfifo "$scratch/pipe"
	cat "$scratch/pipe" >/dev/null &
	refuses 'goto 10us' 'goto: this run cannot be repeated, because a capture' --capture "s508:L=$scratch/pipe"
}

# At a terminal Ctrl-C stops the repeated run where it is. --verbose tells that it has made the
# change again, and continues.
stops_repeat() {
	command -v python3 >/dev/null || { echo 'no python3'; return 1; }
	sed 's/^\t*//' <<-'END' >"$scratch/dialog"
		< heddle>
		> set s502 acks.collect 7\r
		< heddle>
		> goto 40ms\r
		< at 40000.000 us;
		< heddle>
		> goto 39ms\r
		< runs from 50us
		> \x03
		< stopped by Ctrl-C
		< next event at
		< heddle>
		> goto 3us\r
		< 1 change made after that time is undone
		< at 3.000 us;
		< heddle>
		> \x04
	END
	HOME=$scratch "$top/tests/system/terminal.py" 120x40 130 "$heddle" run "$topologies/parking-lot.yaml" \
		--pack=1 --set run.duration=1s --set run.drain=no --verbose --break-at 50us <"$scratch/dialog"
}

check "flow channels: back is the same moment" same_visit parking-lot 50us 90us 'set s502 acks.collect 7' s502 s508 A L
check "RoCE: the same" same_visit pfc-pause 20us 60us 'set s0 xoff 60kB' s0 s1 a b0 r
check "port groups: the same" same_visit port-group-incast 20us 60us 'show s trace' s h1 r
check "with failures: the same" same_visit link-failure 198us 420us 'show h0 trace' p1a0 c0 h0
check "every file is that of a run that did not go back" same_files
check "later changes are undone" undone
check "goes to the start" begins
check "refuses a time before the start" refuses 'back 51us' 'back: 51us is before the start: the fabric is at 50.000 us'
check "refuses goto without a time" refuses goto "goto needs a time of the fabric, e.g. 'goto 50us'"
check "refuses what is no time" refuses 'goto 50' 'expected a time'
check "refuses a run that writes into a pipe" refuses_pipe
check "refuses a run with a page" refuses 'back 1us' 'its recording has a reader' --record /dev/null
check "Ctrl-C stops the repeated run" stops_repeat
finish
