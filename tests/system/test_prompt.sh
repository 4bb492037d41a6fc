#!/usr/bin/env bash
# test_prompt - the prompt of `heddle run --break-at` at a terminal: line editing, history, TAB,
# Ctrl-C and Ctrl-D, the empty line (TB-9, SE-8).
#
# Each check types at a pseudoterminal (terminal.py) and waits for what must be printed there.
set -u
. "$(dirname "$0")/common.sh"

command -v python3 >/dev/null || { echo 'skipped: no python3'; exit 77; }
export XDG_STATE_HOME=$scratch/state TERM=xterm
history=$XDG_STATE_HOME/heddle/history
unset EDITRC
export HOME=$scratch # no .editrc
lot=(run "$topologies/parking-lot.yaml" --set run.duration=300us --set run.warmup=100us --set congestion=no)
lot+=(--set 'expect=[]' --break-at 50us)

# dialog STATUS DIALOG [OPTION...] - the run of the parking lot, with these keys and answers
dialog() {
	local wanted=$1 text=$2
	shift 2
	printf '%s\n' "$text" | "$top/tests/system/terminal.py" 120x40 "$wanted" "$heddle" "${lot[@]}" "$@"
}

ends=$'> \x04'
prompt='< heddle> '

completes() {
	dialog 130 "$prompt
> stat\\t\\r
< us
< at 50.000 us;
$prompt
> show s50\\t\\t
< s502  s504  s506  s508
> 2 e\\t
< fct
>  s50\\t\\r
< 4
< flow_id
$prompt
> set s502 acks.c\\t
< ollect
> 4\\r
$prompt
> set A \\t
< workload.all.load
> \\x15step until s508.L.queue_bytes_m\\t
< ax
> > 1kB\\r
< at 50.
$prompt
> step until no\\t
< now
> >= 60us\\r
< at 60.000 us;
$prompt
> quit\\r"
}

# the words are those of the node: a NIC has other tables than a switch
completes_nic() {
	dialog 130 "$prompt
> show A \\t\\t
< fgfc       flows      headers    received   trace      workloads
> \\x15sh x\\t\\r
< there is no command 'sh'
$prompt
$ends"
}

remembers() {
	dialog 130 "$prompt
> step 10ns\\r
< at 50.010 us;
$prompt
> \\x1b[A\\r
< at 50.020 us;
$prompt
> status\\r
< at 50.020 us;
$prompt
$ends" && dialog 130 "$prompt
> \\x1b[A
< status
> \\x1b[A
< ep 10ns
> \\r
< at 50.010 us;
$prompt
$ends" && [ "$(stat -c %a "$history")" = 600 ]
}

bounded() {
	{ echo _HiStOrY_V2_; seq -f 'step\\040%gns' 2000; } >"$history"
	dialog 130 "$prompt
> status\\r
< at 50.000 us;
$prompt
$ends" || return 1
	[ "$(wc -l <"$history")" = 501 ] && [ "$(tail -n 1 "$history")" = status ]
}

# what is no history, and a folder that cannot be made, do no harm
without_history() {
	head -c 4000 /dev/urandom >"$history"
	dialog 130 "$prompt
$ends" && XDG_STATE_HOME=/proc/none dialog 130 "$prompt
> status\\r
< at 50.000 us;
$prompt
$ends"
}

not_for_scripts() {
	rm -rf "$XDG_STATE_HOME"
	printf 'status\n' | "$heddle" "${lot[@]}" --quiet >"$scratch/out" 2>&1 &&
		printf 'status\n' >"$scratch/script" &&
		"$heddle" "${lot[@]}" --quiet --script "$scratch/script" >>"$scratch/out" 2>&1 &&
		! [ -e "$XDG_STATE_HOME" ] && ! grep -q 'heddle>' "$scratch/out"
}

# an empty line repeats the last step that was none of its mistakes; no other command
repeats() {
	dialog 130 "$prompt
> \\r
$prompt
> step 10ns\\r
< at 50.010 us;
$prompt
> step 10\\r
< lacks its unit
$prompt
> status\\r
< at 50.010 us;
$prompt
> \\r
< at 50.020 us;
$prompt
> step until now >= 60us\\r
< at 60.000 us;
$prompt
> \\r
< at 60.000 us;
$prompt
$ends"
}

# Ctrl-C at the prompt begins a new line
interrupts_line() {
	dialog 130 "$prompt
> show s50\\x03
< heddle>
> status\\r
< at 50.000 us;
$prompt
$ends"
}

# a step that would take for ever; the line of progress says that it has begun
interrupts_step() {
	dialog 130 "$prompt
> step until s508.L.lost_frames > 9\\r
< of fabric time a second
> \\x03
< stopped by Ctrl-C
< at
< us; next event at
$prompt
> show s502 efct\\r
< flow_id
$prompt
> step 10ns\\r
< us; next event at
$prompt
$ends" --set run.duration=1000s --pack=1
}

# where it stops depends on the machine, what follows does not
same_result() {
	run 0 "${lot[@]:0:1}" "${lot[@]:1}" --quiet --json "$scratch/one.json" || return 1
	dialog 0 "$prompt
> step 1ms\\r
< parking-lot at
> \\x03
< stopped by Ctrl-C
$prompt
> continue\\r" --slow 100us/s --json "$scratch/stopped.json" &&
		cmp "$scratch/one.json" "$scratch/stopped.json"
}

terminates() {
	dialog 130 "$prompt
> show s5
< show s5
= TERM"
}

mistakes() {
	dialog 130 "$prompt
> continue 60us now\\r
< 'now' is not expected here: continue [TIME]
$prompt
> step 10ns 20ns\\r
< '20ns' is not expected here: step [TIME | until CONDITION]
$prompt
> set s502 acks.collect 4 5\\r
< '5' is not expected here: set NODE NAME VALUE
$prompt
> quit now\\r
< 'now' is not expected here: quit
$prompt
> help\\r
< TAB completes
$prompt
$ends"
}

check "TAB completes commands, nodes, tables, ports, keys and counters" completes
check "TAB asks the node" completes_nic
check "the history is kept for the user" remembers
check "the history is bounded" bounded
check "a bad history does no harm" without_history
check "pipes and scripts have no history and no prompt" not_for_scripts
check "an empty line repeats the last step" repeats
check "Ctrl-C begins a new line" interrupts_line
check "Ctrl-C stops a step" interrupts_step
check "and changes nothing" same_result
check "SIGTERM at the prompt ends the run and restores the terminal" terminates
check "mistakes: what was expected" mistakes
finish
