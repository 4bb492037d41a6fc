#!/usr/bin/env bash
# test_calibrate - what this machine carries: measured once, then known to `up`, `run --clock real`
# and `gen --real` (DU-5).
#
# Figures are not judged: the machine may be busy. That generated scenarios are valid afterwards
# counts as skipped if the machine was too slow in that moment.
set -u
. "$(dirname "$0")/common.sh"
command -v jq >/dev/null || { echo 'skipped: jq is not installed'; exit 77; }

cd "$scratch" || exit 1
export XDG_CACHE_HOME=$scratch/cache
fabric_dir
two_racks=$topologies/two-racks.yaml

nothing() {
	run 1 calibrate --show && says out "has not measured this machine yet" && run 1 calibrate --show --json &&
		jq -e '.measured == false' out
}
guess() {
	"$heddle" run --clock real "$two_racks" --set run.duration=200ms --set run.warmup=0ms --quiet 2>err
	says err "a guess, since 'heddle calibrate' has not measured this machine yet" && says err '--set links.rate='
}
# nothing arrives within a run if other programs use the cores
measure() {
	"$heddle" calibrate --each 200ms --json >out 2>err
	measure_status=$?
}
measured() {
	[ $measure_status = 0 ] && says err '8 runs of 0.2 s' && says err 'lateness, p99' && says err "kept in $XDG_CACHE_HOME/heddle/calibration.json" &&
		jq -e '.measured and (.paths | map(.switches)) == [1, 3, 5] and (.paths | all(.small_pps > 1000 and .large_bps > 1e6)) and
			.load_lateness_p99_ns > 0 and .cores > 0 and .date' out
}
kept() { mv out said && run 0 calibrate --show --json && cmp said out; }
in_words() { run 0 calibrate --show && says out "as 'heddle calibrate' has measured on" && [ "$(grep -c 'b/s$' out)" = 3 ]; }

# a scenario that this machine carries, and no warning of it; is it valid?
generated() {
	run 0 gen "$@" --real && mv out mine.yaml && says err "as 'heddle calibrate' has measured on" && run 0 check mine.yaml || return 1
	"$heddle" run --clock real mine.yaml --set run.duration=2s --json mine.json >out 2>err
	echo $? >status
	! grep 'this machine carries' err && [ "$(cat status)" != 2 ]
}
valid() {
	jq -r .fidelity.words mine.json
	[ "$(jq -r .fidelity.valid mine.json)" = true ] && [ "$(cat status)" = 0 ]
}
# judged NAME - valid; skipped if the machine was slower just now than when it was measured
judged() {
	if [ "$(jq -r .fidelity.valid mine.json)" = true ]; then check "$1" valid; else skip "$1" "$(jq -r .fidelity.words mine.json)"; fi
}

warned() {
	"$heddle" up "$two_racks" >out 2>err
	up_status=$?
	"$heddle" down >/dev/null
	[ $up_status = 0 ] || ! forbidden err || return 0
	says err 'heddle up: this machine carries some' && says err '--set links.delay='
}
# FILE - the settings that it suggests for time that is not dilated
suggested() { sed 's/ or --dilate.*//' "$scratch/$1" | grep -o -e '--set links[^ ]*'; }
# check --up says the same, and starts nothing; what it says to set is heeded
foretold() {
	local settings
	run 0 check --up "$two_racks" && says out 'up warns      this machine carries some' || return 1
	settings=$(suggested out)
	# shellcheck disable=SC2086
	run 0 check --up "$two_racks" $settings --set links.rate=1Mb/s && says out 'up warns      of nothing' && ! run 0 ps two-racks
}
# root without the right to make namespaces, where user namespaces are forbidden, cannot start it
forbidden() {
	# shellcheck disable=SC2016
	unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_user_namespaces
		exec setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin "$0" check --up "$1"' "$heddle" "$two_racks" >out 2>err
	says out 'up warns      this user may not make user namespaces'
}
# programs that its hosts need, without a section run, and a fault that no run would reach
missing() {
	echo '{name: m, topology: {switches: [s1], hosts: {a: s1, b: s1}}, hosts: {a: {outside: yes}, b: {image: x}},
		faults: [{at: 1s, switch: s1}]}' >m.yaml
	PATH=/nowhere run 0 check --up m.yaml && says out "host a has 'outside: yes', and the program slirp4netns is not here" &&
		says out 'host b has an image, and the program podman is not here' && PATH=/nowhere run 0 check --up --json m.yaml &&
		jq -e '.up | map(select(contains("is not here"))) | length == 2' out && run 2 check m.yaml && says err "lacks the key 'run'" &&
		run 2 check m.yaml --set run.duration=1ms && says err 'at or after the end of the run'
}
# what it is told to set needs no warning
heeded() {
	local settings
	[ $up_status = 0 ] || return 0
	settings=$(suggested err)
	# shellcheck disable=SC2086
	"$heddle" up "$two_racks" $settings --set links.rate=1Mb/s >out 2>err
	"$heddle" down >/dev/null
	! grep 'this machine carries' err
}
# `run` means nothing to a fabric without an end
bare() {
	echo '{name: bare, topology: {switches: [s1], hosts: {a: s1, b: s1}}}' >bare.yaml
	run 2 run bare.yaml && says err "lacks the key 'run'" && run 2 run --clock real bare.yaml && says err "lacks the key 'run'" || return 1
	[ $up_status = 0 ] || return 0
	run 0 up bare.yaml && run 0 down
}
# other programs on all cores: what they took is told, and kept; if nothing arrives, that is told
disturbed() {
	local pids=() status core
	for core in $(seq "$(nproc)") 1; do
		(exec sh -c 'while :; do :; done') &
		pids+=($!)
	done
	XDG_CACHE_HOME=$scratch/busy "$heddle" calibrate --each 200ms --json >out 2>err
	status=$?
	kill "${pids[@]}"
	wait "${pids[@]}" 2>/dev/null
	[ $status != 4 ] || { says err 'other programs use the cores'; return; }
	[ $status = 0 ] && says err 'other programs used up to' && says err 'measure again' && jq -e '.others_permille > 100' out &&
		XDG_CACHE_HOME=$scratch/busy run 0 calibrate --show && says out 'while other programs used'
}
# a file of another machine, and one that is none
other() {
	jq '.cores = 999' cache/heddle/calibration.json >other && mv other cache/heddle/calibration.json && run 1 calibrate --show &&
		echo '[' >cache/heddle/calibration.json && run 1 calibrate --show
}

check 'before: nothing was measured' nothing
check 'a run says that it guesses' guess
measure
if [ $measure_status = 4 ] && says err 'other programs use the cores'; then
	skip 'it measures, and keeps it' 'other programs use the cores'
else
	check 'it measures, and keeps it' measured
	check 'it is known later' kept
	check 'in words' in_words
	check 'a calibration of another machine does not hold' other
	mv said cache/heddle/calibration.json
	check 'a generated scenario, without a warning' generated leaf-spine leaves=2 spines=2 hosts-per-leaf=2
	judged 'it is valid'
fi
check 'up warns of what the machine cannot carry' warned
check 'what it says to set has no warning' heeded
check 'check --up foretells it' foretold
if unshare -Ur true 2>/dev/null; then
	check 'check --up: namespaces are forbidden' forbidden
else
	skip 'check --up: namespaces are forbidden' 'this user may not make user namespaces'
fi
check 'and programs that are missing' missing
check "a scenario without 'run' is for up only" bare
check 'programs beside it are told' disturbed
check 'no operand' run 2 calibrate x
each_wrong() { run 2 calibrate --each 99ms && says err "--each takes 100ms to 60s, not '99ms'" && run 2 calibrate --each soon; }
check 'a run is neither too short nor without a unit' each_wrong
finish
