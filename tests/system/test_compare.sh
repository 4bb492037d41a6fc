#!/usr/bin/env bash
# test_compare - variants of a scenario side by side: heddle run --compare (TB-10, TB-13).
#
#   a1, a2 --- s1 === s2 --- b1, b2        and a ring of seven switches that stalls in one variant
#
# and topologies/roce-compare.yaml: an incast and two victims, over two switches.
#
# What is in a row is what a run of its own with the same settings says; a variant that stalls does
# not keep the others from being run; a mistake in one is told where it stands before anything is
# run.
set -u
. "$(dirname "$0")/common.sh"

cat >"$scratch/two.yaml" <<'END'
name: two
run: {duration: 100us, warmup: 20us}
topology: {switches: [s1, s2], hosts: {a1: s1, a2: s1, b1: s2, b2: s2}, links: [[s1, s2]]}
workloads:
  - {name: load, pattern: pairs, pairs: [[a1, b1], [a2, b2]], size: 64KiB, window: 2}
expect:
  - goodput(load) >= 10Tb/s
compare:
  columns: [goodput(load), {metric: queue.max(s1:s2), name: "s1, to s2"}, marked, deadlocks]
  variants:
    - {name: as it is}
    - {name: slow, set: {links.rate: 25Gb/s}}
    - {name: "small, \"packets\"", set: {workloads.load.packet: 1000, switch: {arbiter: by-port}}}
END
{
	cat "$topologies/credit-deadlock.yaml"
	cat <<'END'
compare:
  columns: [deadlocks, inside]
  variants:
    - {name: ring}
    - {name: limited, set: {congestion: {port-limit: 32KiB}}}
END
} >"$scratch/ring.yaml"

table() {
	run 0 run --compare "$scratch/two.yaml" --json "$scratch/two.json" --csv "$scratch/csv" && says err "variant 'slow', 2 of 3" &&
		says out 'variant           goodput(load)  s1, to s2  marked  deadlocks' && says out 'small, "packets"  '
}

# value VARIANT METRIC - in the table
value() { jq -r --arg v "$1" --arg m "$2" '.variants[] | select(.name == $v) | .values[$m]' "$scratch/two.json"; }

# as_alone VARIANT OPTION... - a run of its own with these options has the same goodput and queue;
# its expectation fails
as_alone() {
	local variant=$1
	shift
	run 1 run "$scratch/two.yaml" --json "$scratch/alone.json" --quiet "$@" || return
	[ "$(jq '[.groups.load.goodput_bps, ([.ports[] | select(.node == "s1" and .peer == "s2").queue_bytes_max] | max)] | map(floor)' \
		"$scratch/alone.json" -c)" = "[$(value "$variant" 'goodput(load)' | cut -d. -f1),$(value "$variant" 'queue.max(s1:s2)' | cut -d. -f1)]" ]
}

only() {
	run 0 run "$scratch/two.yaml" --compare --only slow --csv "$scratch/only" && says out 'two: 1 variant;' &&
		[ "$(wc -l <"$scratch/only/compare.csv")" = 2 ] && grep -q '^"slow",' "$scratch/only/compare.csv"
}

# a setting that a variant sets itself
overridden() {
	local note="heddle run: no effect on variant 'slow', which sets it itself: --set links.rate=50Gb/s"
	run 0 run "$scratch/two.yaml" --compare --set links.rate=50Gb/s --set links.delay=2us --quiet && [ "$(cat "$scratch/err")" = "$note" ] &&
		run 1 run "$scratch/two.yaml" --variant slow --set links.rate=50Gb/s --quiet && says err "$note" &&
		run 0 run "$scratch/two.yaml" --compare --only 'as it is' --set links.rate=50Gb/s --quiet && silent err
}

deterministic() {
	run 0 run "$scratch/two.yaml" --compare --quiet --json "$scratch/again.json" && silent out && silent err &&
		cmp "$scratch/two.json" "$scratch/again.json"
}

stalled() {
	run 0 run "$scratch/ring.yaml" --compare && grep -q '^ring  *1  .*the fabric stalled: .* s0 holds' "$scratch/out" &&
		grep -Eq '^limited +0 +0 B$' "$scratch/out" || { cat "$scratch/out" && return 1; }
}

# an expectation of deadlocks decides in place of exit status 3
expected() {
	run 0 run "$topologies/credit-deadlock.yaml" --set 'expect=[deadlocks == 1]' && says out 'deadlocks == 1  1' &&
		run 1 run "$topologies/credit-deadlock.yaml" --quiet --set 'expect=[deadlocks == 0]' &&
		run 3 run "$topologies/credit-deadlock.yaml" --quiet --set 'expect=[lost == 0]'
}

mistakes() {
	sed 's/links.rate/links.rat/' "$scratch/two.yaml" >"$scratch/bad.yaml"
	run 2 run --compare "$scratch/bad.yaml" && says err "bad.yaml:12:26: 'links' has no key 'rat' - did you mean 'rate'?" &&
		says err "variant 'slow'" && ! grep -q '1 of 3' "$scratch/err" &&
		run 2 check "$scratch/bad.yaml" && says err 'bad.yaml:12:26: ' &&
		sed 's/queue.max(s1:s2)/queue.max(s1:s3)/' "$scratch/two.yaml" >"$scratch/bad.yaml" &&
		run 2 run --compare "$scratch/bad.yaml" && says err "bad.yaml:9:50: s1 has no port 's3'" &&
		run 2 run --compare "$topologies/parking-lot.yaml" && says err "has no 'compare' section" &&
		run 2 run --compare "$scratch/two.yaml" --only slaw && says err "did you mean 'slow'?" &&
		run 2 run "$scratch/two.yaml" --only slow && says err 'give that too' &&
		run 2 run --compare "$scratch/two.yaml" --break-at 1us && says err 'for a single run'
}

# what theory demands of an incast and its victims under seven kinds of congestion control
# (RC-1..RC-11, RC-16): columns 0 incast, 1 Jain, 2 queue, 3 drops, 4 resent, 5 PFC of the
# receiver's switch, 6 and 7 the victim's goodput and p99, 8 and 9 those of the one on a sender's
# NIC
kinds() {
	packed_run 0 --compare "$topologies/roce-compare.yaml" --quiet --json "$scratch/kinds.json" &&
		jq '[.variants[] | {key: .name, value: [.values[]]}] | from_entries' "$scratch/kinds.json" >"$scratch/kinds"
}

# holds EXPRESSION - of the rows, which have short names here
holds() {
	jq -e '.["victims alone"] as $alone | .["no control"] as $none | .["PFC only"] as $pfc | .DCQCN as $dcqcn | .Swift as $swift |
		.["+ supplementing"] as $more | .["+ path-level PFC"] as $path | .["flow channels"] as $flow | '"$1" "$scratch/kinds" && return
	cat "$scratch/kinds"
	return 1
}

# packed - with nothing but heddle and workerd
packed() {
	local built
	built=$(dirname "$(readlink -f "$heddle")")
	mkdir "$scratch/bare" && cp "$built/heddle" "$built/workerd" "$scratch/bare" || return
	heddle=$scratch/bare/heddle run 0 run --compare "$scratch/two.yaml" --json "$scratch/packed.json" || return
	cmp "$scratch/packed.json" "$scratch/two.json" && ! "$scratch/bare/heddle" run "$scratch/two.yaml" --quiet 2>"$scratch/err" &&
		says err switchd
}

check "a row for each variant" table
check "variants are packed, a run of its own is not" packed
if command -v jq >/dev/null; then
	check "a row says what a run of its own says" as_alone 'as it is'
	check "also with its settings" as_alone slow --set links.rate=25Gb/s
	check "also with settings of several kinds" as_alone 'small, "packets"' --set workloads.load.packet=1000 --set switch.arbiter=by-port
	check "what there is none of is null" [ "$(value slow marked)" = null ]
	check "an incast under seven kinds of congestion control" kinds
	check "alone nothing is lost or paused" holds '$alone[3:6] == [0, 0, 0]'
	check "no control: drops, sent again, unfair" holds '$none[3] > 0 and $none[4] > $none[3] and $none[5] == 0 and $none[1] < 0.5'
	check "but the link full and the victim as fast as alone" holds '$none[0] > 24.5e9 and $none[7] < 1.5 * $alone[7]'
	check "every kind of PFC: nothing lost" holds '[$pfc, $dcqcn, $more, $path | .[3] == 0 and .[4] == 0] | all'
	check "PFC only: the victim slow" holds '$pfc[5] > 1000 and $pfc[6] < 0.9 * $alone[6] and $pfc[7] > 100 * $alone[7]'
	check "DCQCN: a shorter queue, less PFC" holds '$dcqcn[2] < $pfc[2] and $dcqcn[5] < $pfc[5]'
	check "Swift: the link full, a queue near its target, the victim has its rate" holds \
		'$swift[0] > 24.5e9 and $swift[2] < 0.5 * $dcqcn[2] and $swift[3] == 0 and $swift[6] > 0.99 * $alone[6]'
	check "too many queue pairs for it: the victim slow" holds '$dcqcn[7] > 100 * $alone[7]'
	check "supplementing: shorter, less; the victim has its rate" holds \
		'$more[2] < $dcqcn[2] and $more[5] < $dcqcn[5] and $more[6] > 0.99 * $alone[6] and $more[7] < $dcqcn[7]'
	check "path-level PFC: shorter still, hardly any PFC between switches" holds '$path[2] < $more[2] and $path[5] < 100 and $path[5] < $more[5]'
	check "the victim waits a tenth as long as with supplementing at most, the one on a sender's NIC too long" holds '$path[7] < 0.1 * $more[7] and $path[9] > 10 * $alone[9] and $path[9] < $more[9]'
	check "and the incast no slower for it" holds '$path[0] > $more[0]'
	check "flow channels: the link full and fair, nothing lost" holds '$flow[0] > 24.5e9 and $flow[1] > 0.999 and $flow[3] == 0'
	check "both victims near alone" holds '$flow[6] > 0.99 * $alone[6] and $flow[7] < 1.5 * $alone[7] and $flow[9] < 1.5 * $alone[9]'
else
	skip "a row says what a run of its own says" "there is no jq"
	skip "an incast under seven kinds of congestion control" "there is no jq"
fi
check "CSV with quotes" grep -q '^"small, ""packets""",[0-9]*,[0-9]*,,0,""$' "$scratch/csv/compare.csv"
check "one of them only" only
check "a setting that a variant sets itself is named" overridden
check "the same bytes again" deterministic
check "one that stalls says so, the others are run" stalled
check "who expects a deadlock has a good run with one" expected
check "mistakes are told where they stand, before anything is run" mistakes
finish
