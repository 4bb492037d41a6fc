#!/usr/bin/env bash
# test_pfc - what PFC is known for, and what is better, on the scenarios of topologies/ (RC-5,
# RC-9).
#
#   pfc-victim        a flow whose own path is free gets no more than one of an incast on a shared
#                     link
#   pfc-spreading     from the end of a row of switches congestion reaches hosts that do not send
#                     there; how fast
#   pfc-parking-lot   shares follow inputs, not flows
#   pfc-pause         PAUSE for a whole port makes a class suffer that PFC spares
#   pfc-ring-of-four  four switches in a ring: found and named
#   pfc-deadlock      a ring of switches that wait for each other (also in test_stall.sh): without
#                     overload, and what cures it
#
# Each scenario's own expectations are closed formulas; they must hold with several seeds, and must
# not hold without what they are about. The tables of docs/roce-figures.md are printed.
set -u
. "$(dirname "$0")/common.sh"

# fulfilled SCENARIO - with three seeds
fulfilled() {
	local seed
	for seed in 1 2 3; do
		packed_run 0 "$topologies/$1.yaml" --seed $seed || { grep FAILED "$scratch/out" && return 1; }
	done
}

# misses SCENARIO SETTING TEXT... - with the setting the expectations that begin with TEXT do not
# hold
misses() {
	local scenario=$1 setting=$2 text
	shift 2
	packed_run 1 "$topologies/$scenario.yaml" --set "$setting" || return
	for text in "$@"; do says out "FAILED  $text" || return; done
}

# table SCENARIO [OPTION...] - its comparison, printed; for judge() in $scratch/SCENARIO.json
table() {
	local scenario=$1
	shift
	check "$scenario: the comparison" packed_run 0 --compare "$topologies/$scenario.yaml" --json "$scratch/$scenario.json" "$@"
	sed -n 's/^/        /; 3,$p' "$scratch/out" | cut -c 1-200
}

# judge SCENARIO NAME EXPRESSION - v(VARIANT; METRIC) is a value of its table: b/s, ps, bytes,
# shares
judge() {
	check "$1: $2" jq -e ". as \$table | def v(\$name; \$metric): \$table.variants[] | select(.name == \$name).values[\$metric];
		def about(\$value; \$share): (. - \$value) | fabs <= \$share * \$value; $3" "$scratch/$1.json"
}

check 'pfc-victim: C / 8, with any seed' fulfilled pfc-victim
check 'pfc-victim: not without PFC' misses pfc-victim roce.pfc=no 'goodput(victim)' 'utilisation(s0:s1)' 'pauses(s0)'
table pfc-victim
judge pfc-victim 'without PFC the victim is as fast as alone' \
	'v("no PFC"; "goodput(victim)") | about(v("victim alone"; "goodput(victim)"); 0.001)'
judge pfc-victim 'DCQCN gives it its bandwidth back, in the end' 'v("PFC and DCQCN, after 20 ms"; "goodput(victim)") >= 95e9 and
	v("PFC and DCQCN, at first"; "goodput(victim)") < 80e9 and v("PFC and DCQCN, after 20 ms"; "goodput(incast)") >= 95e9'
judge pfc-victim 'path-level PFC spares it, and r is busy' 'v("path-level PFC"; "goodput(victim)") >= 99e9 and
	v("path-level PFC"; "goodput(incast)") >= 99e9 and v("path-level PFC"; "path.pauses") > 0 and
	v("path-level PFC"; "pauses(s0)") == 0 and v("path-level PFC"; "drops") == 0'
judge pfc-victim 'flow channels spare it' 'v("flow channels"; "goodput(victim)") >= 99e9 and
	v("flow channels"; "goodput(incast)") >= 99e9 and v("flow channels"; "jain(incast)") >= 0.999'

check 'pfc-spreading: kX / (C - C / 4) after the incast began' fulfilled pfc-spreading
check 'pfc-spreading: not without PFC' misses pfc-spreading roce.pfc=no 'xoff.first(s1:s0)' 'paused(p)' 'goodput(beside)'
table pfc-spreading
judge pfc-spreading 'switch after switch, then hosts that do not send there' 'def at($n): v("PFC"; "xoff.first(\($n))");
	at("s2:s1") < at("s1:s0") and at("s1:s0") < at("s0:a") and at("s0:a") < at("s0:p") and v("PFC"; "paused(p)") > 0'
# a link's delay, and the 25 packets that are more than 100 kB in 4178 byte times each
judge pfc-spreading 'a receiver that stops: delay + X / C for each switch' 'def at($n): v("PFC, r stops"; "xoff.first(\($n))");
	(1e6 + 25 * 4178 * 80) as $step | (at("s1:s0") - at("s2:s1") | about($step; 0.03)) and
	(at("s0:a") - at("s1:s0") | about($step; 0.03)) and v("PFC, r stops"; "goodput(beside)") == 0'
judge pfc-spreading 'twice the threshold takes twice as long' \
	'(v("PFC, xoff: 200kB"; "xoff.first(s0:a)") - 21.5e6 | about(2 * (v("PFC"; "xoff.first(s0:a)") - 21.5e6); 0.15))'
judge pfc-spreading 'DCQCN holds hardly anybody afterwards' \
	'v("PFC and DCQCN"; "paused(a)") < v("PFC"; "paused(a)") / 50 and v("PFC and DCQCN"; "paused(p)") < v("PFC"; "paused(p)") / 10'
judge pfc-spreading 'beside notices nothing without PFC, and with flow channels' 'v("no PFC"; "fct.p99(beside)") < 11e6 and
	v("flow channels"; "fct.p99(beside)") < 11e6 and v("flow channels"; "goodput(beside)") >= 49e9'

check 'pfc-parking-lot: 1/8, 1/8, 1/4, 1/2' fulfilled pfc-parking-lot
check 'pfc-parking-lot: not with flow channels' misses pfc-parking-lot fabric=flow-channel 'share(a, r)' 'share(d, r)'
# figure 5 of S3, which flow-channel switches reproduce with arbitration by port: the same shares,
# if NICs obey as fast as switches do
figure_5() {
	packed_run "$1" "$topologies/parking-lot-by-port.yaml" --set fabric=roce --set roce.dcqcn=no --set nic.latency="$2" \
		--set 'classes=[{name: roce, ecn: no, xoff: 100kB}]' --set run.duration=10500us \
		--set 'expect=[drops == 0, "share(J, L) == 1/3 +- 1%", "share(G, L) == 1/12 +- 3%", "share(D, L) == 1/48 +- 5%", "share(A, L) == 1/144 +- 10%"]' ||
		{ grep FAILED "$scratch/out" && return 1; }
}
check 'figure 5 of S3 with PFC: from 1/3 to 1/144' figure_5 0 350ns
check 'hosts that obey later get more' figure_5 1 1us
table pfc-parking-lot
judge pfc-parking-lot 'whatever the threshold is' '(v("PFC, xoff: 300kB"; "share(a, r)") | about(1 / 8; 0.02)) and
	(v("PFC, alpha: 1/8 of 2 MB"; "share(d, r)") | about(1 / 2; 0.02))'
judge pfc-parking-lot 'DCQCN is fair in the end' \
	'v("PFC and DCQCN, after 30 ms"; "jain(all)") >= 0.95 and v("PFC"; "jain(all)") < 0.75 and v("PFC"; "jain(all)") > 0.7'
judge pfc-parking-lot 'flow channels are at once' 'v("flow channels"; "jain(all)") >= 0.9999 and v("flow channels"; "goodput(all)") >= 99e9'

check 'pfc-pause: web gets what storage gets' fulfilled pfc-pause
check 'pfc-pause: not with PFC' misses pfc-pause roce.pfc=yes 'drops(queue_full)' 'throughput(s0:s1, web)' 'fct.p99(same-nic)' 'fct.p99(same-link)'
table pfc-pause
judge pfc-pause 'with PFC web is as fast as alone' \
	'(v("PFC"; "fct.p99(same-nic)") | about(v("web alone"; "fct.p99(same-nic)"); 0.05)) and
	(v("PFC"; "goodput(same-link)") | about(v("web alone"; "goodput(same-link)"); 0.001)) and v("PFC"; "drops") == 0'

# held_by_bursts SEED... - 14 % of each host are 84 % of each link of the ring: no overload, and
# everything stalls
held_by_bursts() {
	local seed
	sed 's/window: 4, pairs/arrival: poisson, load: 14%, pairs/' "$topologies/pfc-deadlock.yaml" >"$scratch/bursts.yaml"
	for seed in "$@"; do
		packed_run 3 "$scratch/bursts.yaml" --quiet --seed "$seed" --set run.drain-max=1ms --set 'expect=[drops == 0]' &&
			says err 'deadlock s0 -> s1 -> s2 -> s3 -> s4 -> s5 -> s6 -> s0, class roce' || return
	done
}
check 'pfc-deadlock: found and expected' packed_run 0 "$topologies/pfc-deadlock.yaml" --quiet --set run.drain-max=2ms
check 'pfc-deadlock: how long everything was held' packed_run 0 "$topologies/pfc-deadlock.yaml" --quiet --set run.drain-max=2ms \
	--set 'expect=[deadlocks == 1, paused(s0:s1) >= 2.9ms, paused(s0:s1) <= 3ms]'
check 'pfc-deadlock: without overload, with any seed' held_by_bursts 1 2 3 4
table pfc-deadlock --set run.drain-max=2ms
for cure in 'PFC, no link s6 - s0' 'PFC, xoff: 1200kB' 'PFC, window: 32KiB' 'no PFC' 'flow channels, limited'; do
	judge pfc-deadlock "cured: $cure" "v(\"$cure\"; \"deadlocks\") == 0 and v(\"$cure\"; \"inside\") == 0 and v(\"$cure\"; \"goodput\") > 0"
done
judge pfc-deadlock 'not cured by DCQCN, nor by channels without a limit' \
	'v("PFC and DCQCN"; "deadlocks") == 1 and v("flow channels"; "deadlocks") == 1'

# ring_of_four SEED... - in one direction, the other, or both: a cycle of four is found and named
ring_of_four() {
	local seed
	for seed in "$@"; do
		packed_run 0 "$topologies/pfc-ring-of-four.yaml" --quiet --seed "$seed" &&
			packed_run 3 "$topologies/pfc-ring-of-four.yaml" --quiet --seed "$seed" --set 'expect=[drops == 0]' &&
			grep -Eq 'deadlock s0 -> (s1 -> s2 -> s3|s3 -> s2 -> s1) -> s0, class' "$scratch/err" || return
	done
}
check 'pfc-ring-of-four: found and named, with any seed' ring_of_four 1 2 3
check 'pfc-ring-of-four: without the last link nothing stands still' packed_run 0 "$topologies/pfc-ring-of-four.yaml" --quiet \
	--set 'topology.links=[[s0, s1], [s1, s2], [s2, s3]]' --set 'expect=[deadlocks == 0, inside == 0, drops == 0]'
finish
