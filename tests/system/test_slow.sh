#!/usr/bin/env bash
# test_slow - `heddle run --slow` shows the busiest ports: with bars on a terminal, as lines in a
# pipe (TB-9, SE-8).
set -u
. "$(dirname "$0")/common.sh"

command -v python3 >/dev/null || { echo 'skipped: no python3'; exit 77; }
export HOME=$scratch TERM=xterm
unset NO_COLOR XDG_STATE_HOME
lot=(run "$topologies/parking-lot.yaml" --set run.drain=no --set run.warmup=10us --set 'expect=[]')

# lines of the terminal COLUMNSxLINES DIALOG [OPTION...] - 60 us of the parking lot, slowed
drawn() {
	local size=$1 text=$2
	shift 2
	printf '%s\n' "$text" | "$top/tests/system/terminal.py" "$size" 0 "$heddle" "${lot[@]}" \
		--set run.duration=60us --slow 60us/s "$@"
}

# drawn in place, the last picture stays above the summary
in_place() {
	LC_ALL=C.UTF-8 drawn 100x16 '< parking-lot at
< 60.00 us per second
< queue bars:
< s508 -> L
< \x1b[32m█
< \x1b[0m
< \x1b[33m
< \x1b[14A\r
< parking-lot at 60.000 us of 60.000 us,
< s508 -> L
< █
< kB
< ran 60.00 us of fabric time'
}

plain() {
	LC_ALL=C NO_COLOR=1 drawn 100x16 '< s508 -> L
< Gb/s  ####
! \x1b[3
< \x1b[14A\r
< ran 60.00 us of fabric time'
}

# no bar fits: names and figures
narrow() {
	LC_ALL=C drawn 40x16 '< s508 -> L
< Gb/s
! ##
< \x1b[14A\r
< ran 60.00 us of fabric time'
}

# a terminal that obeys no sequences gets lines
dumb() {
	TERM=dumb drawn 100x16 '! \x1b
< us; s
< -> 
< Gb/s, queue
< at 60.000 us; s
< ran 60.00 us of fabric time'
}

paused() {
	printf '%s\n' '< paused' '< ran' | "$top/tests/system/terminal.py" 100x40 0 "$heddle" run \
		"$topologies/pfc-pause.yaml" --slow 400us/s --set run.duration=400us --set run.warmup=10us --set run.drain=no --set 'expect=[]'
}

# at the prompt each step leaves its last picture, and what is printed comes below
at_prompt() {
	printf '%s\n' '< parking-lot at 20.000 us of' '< heddle>' '> step 20us\r' '< parking-lot at 40.000 us of' \
		'< at 40.000 us; next event' '< heddle>' '> back\r' '< at 20.000 us; next event' '< heddle>' \
		'> step until now >= 40us\r' '< parking-lot at 40.000 us of' '< at 40.000 us; next event' \
		'< heddle>' '> \x04' |
		"$top/tests/system/terminal.py" 100x40 130 "$heddle" "${lot[@]}" --slow 40us/s --break-at 20us
}

piped() {
	"$heddle" "${lot[@]}" --set run.duration=60us --slow 30us/s >"$scratch/out" 2>"$scratch/err" && silent err &&
		says out 'at 60.000 us; ' && ! grep -q $'\x1b' "$scratch/out" || return 1
	[ "$(grep -cE '^at [0-9.]+ us(; s[0-9]+ -> [A-Zs0-9]+ [0-9.]+ Gb/s, queue [0-9.]+ k?B){3}' "$scratch/out")" -ge 2 ]
}

# does the summary on a terminal have colours?
summary_coloured() {
	env "$@" python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' "$heddle" "${lot[@]}" --set run.duration=60us \
		>"$scratch/seen" </dev/null && says seen 'ran 60.00 us of fabric time' && grep -q $'\x1b\[1m' "$scratch/seen"
}

# as a slowed run has
summary() {
	summary_coloured NO_COLOR= && ! summary_coloured NO_COLOR=1 && says seen ran &&
		! summary_coloured TERM=dumb && says seen ran
}

# what programs read has nothing else
json() {
	"$heddle" "${lot[@]}" --set run.duration=60us --slow 60us/s --json - >"$scratch/out" 2>"$scratch/err" &&
		python3 -c 'import json, sys; json.load(sys.stdin)' <"$scratch/out" && says err 'at 60.000 us; '
}

quiet() {
	"$heddle" "${lot[@]}" --set run.duration=60us --slow 60us/s --quiet >"$scratch/out" 2>&1 && silent out
}

# it only looks
same_result() {
	run 0 "${lot[@]}" --set run.duration=60us --quiet --json "$scratch/one.json" &&
		"$heddle" "${lot[@]}" --set run.duration=60us --slow 60us/s --json "$scratch/slow.json" >/dev/null &&
		cmp "$scratch/one.json" "$scratch/slow.json"
}

check "draws in place, with blocks and colours" in_place
check "without UTF-8 and colours" plain
check "a narrow terminal has no bars" narrow
check "a dumb terminal gets lines" dumb
check "the summary has colours where a slowed run has some" summary
check "marks what is paused" paused
check "at the prompt each step is drawn" at_prompt
check "a pipe gets lines" piped
check "standard output may be the result alone" json
check "--quiet shows nothing" quiet
check "changes nothing" same_result
finish
