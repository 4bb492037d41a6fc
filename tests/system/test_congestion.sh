#!/usr/bin/env bash
# test_congestion - what congestion control must show, on the scenarios of topologies/ (EC-4, EC-6
# ... EC-10, EC-12 ... EC-14, EC-18 ... EC-20).
#
#   incast            N = 2 ... 1013 hosts send to one: the queue bounded, nothing lost, the link
#                     full, the shares fair
#   incast-victims    flows beside an incast are as fast as alone; not so if their protection is off
#   slow-receiver     a receiver that pauses its link is an incast as well
#   full-injection    where nothing is congested nothing is limited
#   the others        one mechanism each: what it does, and that it is this mechanism that does it
#
# Figures are printed; docs/congestion.md has them too. Fabrics of more than some twenty nodes run
# in one process (sim_json: the same bytes, test_sim_same_bytes).
set -u
. "$(dirname "$0")/common.sh"

sim=$top/build/release/sim/sim_json

# run_scenario FILE STATUS SCENARIO [path=value...] - with real processes: heddle run ends with
# STATUS, its result is in $scratch/FILE
run_scenario() {
	local file=$1 wanted=$2 scenario=$topologies/$3.yaml settings=() setting
	shift 3
	for setting in "$@"; do settings+=(--set "$setting"); done
	run "$wanted" run "$scenario" "${settings[@]}" --json "$scratch/$file" && return
	grep FAILED "$scratch/out"
	return 1
}

# all_hold FILE - does all hold that was expected of the result in $scratch/FILE? What does not is
# in $scratch/FILE.not
all_hold() {
	jq -r '.expectations[] | select(.ok | not) | "FAILED  \(.text): \(.value)"' "$scratch/$1" | tee "$scratch/$1.not"
	[ -s "$scratch/$1" ] && [ ! -s "$scratch/$1.not" ]
}

# simulate FILE STATUS SCENARIO [path=value...] - the same in one process; STATUS 1: something does
# not hold. Of the result, megabytes, it keeps what is looked at.
simulate() {
	local file=$1 wanted=$2 scenario=$topologies/$3.yaml
	shift 3
	(set -o pipefail && "$sim" "$scenario" "$@" |
		jq -c '{expectations, groups, ports: [.ports[] | select(.node == "s0" and .peer == "h0")]}' >"$scratch/$file") || return
	all_hold "$file"
	[ $? = "$wanted" ]
}

# ---- EC-18: incast ----

# queue_bound SWITCHES HOSTS FRAME - for two round trips every other port of the switch brings what
# its link carries
queue_bound() {
	"$heddle" check --congestion --json "$topologies/incast.yaml" --set links.mtu="$3" |
		jq --argjson inputs $(($1 + $2 - 2)) '.congestion.basis | $inputs * 2 * .rate_bps / 8 * .rtt_ps / 1e12 | floor'
}

# incast_settings SWITCHES HOSTS FRAME - what is to be set, a line each
incast_settings() {
	local mtu=4096
	[ "$3" -gt 4096 ] && mtu=$3
	printf '%s\n' "topology.switches=$1" "topology.hosts-per-switch=$2" "links.mtu=$mtu" "workloads.incast.packet=$3" \
		"expect.0=queue.max(s0:h0) <= $(queue_bound "$1" "$2" "$mtu")"
	[ "$3" = 64 ] && echo workloads.incast.size=4KiB
}

# figures FILE SENDERS FRAME - a line of the table
figures() {
	jq -r --arg senders "$2" --arg frame "$3" '
		[$senders, $frame] + [.expectations[] | select(.text | test("^(goodput|jain|reaction)")).value] +
		[.ports[] | select(.node == "s0" and .peer == "h0") | .queue_bytes_mean / 1e3, .queue_bytes_max / 1e3] | @tsv' \
		"$scratch/$1" | awk '{ printf "        %5d senders, %4d bytes: goodput %6.2f %%, Jain %.4f, told within %.2f round trips, queue %5d kB, at most %5d kB\n",
			$1, $2, 100 * $3, $4, $5, $6, $7 }'
}

incast() {
	local switches=$1 hosts=$2 frame=$3 senders=$(($1 * $2 - 1)) settings
	mapfile -t settings < <(incast_settings "$switches" "$hosts" "$frame")
	check "incast of $senders, $frame bytes" run_scenario incast 0 incast "${settings[@]}"
	figures incast $senders "$frame"
}

# sim_incast FILE SWITCHES HOSTS FRAME [path=value...] - the same in one process
sim_incast() {
	local file=$1 settings
	mapfile -t settings < <(incast_settings "$2" "$3" "$4")
	shift 4
	simulate "$file" 0 incast "${settings[@]}" "$@"
}

# Jain >= .99 from 2 to 5 ms with each kind of frame (EC-18)
huge_all() {
	for frame in 64 4096 9000; do
		sim_incast huge-$frame 26 39 $frame run.duration=5ms run.warmup=2ms
	done
}
huge_all >/dev/null & huge=$!
at_end 'kill $huge 2>/dev/null'
for frame in 4096 9000 64; do
	incast 3 1 $frame
	incast 9 1 $frame
	for switches in 11 43; do
		senders=$((3 * switches - 1))
		check "incast of $senders, $frame bytes" sim_incast large-$frame $switches 3 $frame
		figures large-$frame $senders $frame
	done
done

# ---- EC-10, EC-19: victims ----

victims='same-way same-nic other-way same-switch'

# of FILE WORKLOAD FIELD - a figure of a workload; jq, which takes long to start, reads FILE once
of() {
	[ "$scratch/$1.groups" -nt "$scratch/$1" ] || jq -r '.groups | paths(numbers) as $path | "\($path | join(".")) \(getpath($path))"' \
		"$scratch/$1" >"$scratch/$1.groups"
	sed -n "s/^$2$3 //p" "$scratch/$1.groups"
}

# as_alone FILE WORKLOAD - at least 95 % of the bandwidth, at most 1.3 times the p99 that it has in
# $scratch/alone
as_alone() {
	awk -v g="$(of "$1" "$2" .goodput_bps)" -v g0="$(of alone "$2" .goodput_bps)" -v p="$(of "$1" "$2" .fct_ps.p99)" \
		-v p0="$(of alone "$2" .fct_ps.p99)" -v name="$2" 'BEGIN {
		printf "        %-12s %5.1f Gb/s, p99 %7.2f us; alone %5.1f Gb/s, %5.2f us: %.3f of the bandwidth, %.2f times the p99\n",
			name, g / 1e9, p / 1e6, g0 / 1e9, p0 / 1e6, g / g0, p / p0
		exit !(g0 > 0 && p0 > 0 && g >= 0.95 * g0 && p <= 1.3 * p0) }'
}

# collapsed FILE WORKLOAD - less than half the bandwidth that it has in $scratch/alone, and 5 times
# the p99
collapsed() {
	as_alone "$1" "$2" && return 1
	awk -v g="$(of "$1" "$2" .goodput_bps)" -v g0="$(of alone "$2" .goodput_bps)" -v p="$(of "$1" "$2" .fct_ps.p99)" \
		-v p0="$(of alone "$2" .fct_ps.p99)" 'BEGIN { exit !(g < 0.5 * g0 && p > 5 * p0) }'
}

# shown COMMAND... - a check, whose figures are shown also if it holds
shown() {
	check "$@"
	grep 'of the bandwidth' "$scratch/check.log"
}

check 'victims alone' simulate alone 1 incast-victims workloads.incast.messages=1 workloads.incast.size=64
check 'victims beside an incast of 63' simulate beside 0 incast-victims
for victim in $victims; do shown "$victim is as fast as alone" as_alone beside "$victim"; done
check 'without congestion control' simulate off 1 incast-victims congestion=no
for victim in same-way same-nic other-way; do shown "$victim collapses" collapsed off "$victim"; done
check 'without FGFC' simulate no-fgfc 1 incast-victims congestion.fgfc=no
shown 'same-way does not need it' as_alone no-fgfc same-way
shown 'same-nic does' collapsed no-fgfc same-nic
shown 'other-way does' collapsed no-fgfc other-way
check 'without ECA and credit per flow' simulate no-eca 1 incast-victims congestion.eca=no congestion.headroom=no
shown 'same-way needs one of them' collapsed no-eca same-way
check 'without ECA, with credit per flow' simulate credit 1 incast-victims congestion.eca=no
keeps_bandwidth() { awk -v g="$(of "$1" "$2" .goodput_bps)" -v g0="$(of alone "$2" .goodput_bps)" 'BEGIN { exit !(g >= 0.95 * g0) }'; }
check 'same-way keeps its bandwidth' keeps_bandwidth credit same-way

# ---- EC-4: a slow receiver ----

check 'quick without those to slow' run_scenario alone 1 slow-receiver workloads.to-slow.messages=1
check 'slow pauses, and is at full speed afterwards' run_scenario slow 0 slow-receiver
shown 'quick notices nothing' as_alone slow to-quick
check 'while it pauses it has a quarter' run_scenario pausing 0 slow-receiver run.duration=550us run.warmup=50us \
	'expect=[lost == 0, stops == 0, utilisation(s0:slow) >= 24%, utilisation(s0:slow) <= 27%, eca.acks > 0, jain(to-slow) >= 0.99]'
check 'without congestion control' run_scenario slow-off 1 slow-receiver congestion=no
quick_waits() { awk -v p="$(of slow-off to-quick .fct_ps.p99)" -v p0="$(of alone to-quick .fct_ps.p99)" 'BEGIN { exit !(p > 5 * p0) }'; }
check 'quick waits behind slow' quick_waits

# ---- EC-20: full injection ----

check '64 hosts inject at 100 %' simulate full 0 full-injection

# ---- one mechanism each ----

# needs SCENARIO SETTING TEXT... - what the scenario expects holds, but without the mechanism what
# begins with TEXT does not
needs() {
	local scenario=$1 setting=$2 text
	shift 2
	simulate "$scenario" 0 "$scenario" && simulate "$scenario-off" 1 "$scenario" "$setting" || return
	for text in "$@"; do says "$scenario-off.not" "FAILED  $text" || return; done
}

check 'slow start (EC-6)' needs slow-start congestion.slow-start=no 'blocked.rate(s0:h0) > 0'
check 'a flow is limited (EC-7)' needs flow-limit congestion.flow-limit=no extent.max 'goodput(h0, h1)'
check 'a port is limited (EC-9)' needs port-limit congestion.port-limit=0 extent.sum 'queue.mean(leaf0:spine0)'
check 'redirects and a limit for each host on a tapered fabric, as in S2 (EC-9, FC-25)' \
	needs tapered-s2 routing.redirect=no 'goodput.share(load)' redirects
check 'a group of flows is redirected (FC-25)' needs group-redirect routing.redirect.group=1 redirects
check 'fewer hops on a dragonfly (FC-24)' needs dragonfly-hops congestion=no hops
check 'packets a second of edge and fabric ports (FC-10)' simulate packets 0 small-packets
check 'credit per flow on a slow link between switches (EC-12)' needs congested-link congestion.headroom=no \
	headroom.starts 'buffer.max(s1:s0)' 'fct.p99(beside)'
# the queue of a0's or a1's flow at s1, from 200 us on: between target level, 337 units, and high
# level (EC-13)
settles() {
	"$heddle" run "$topologies/congested-link.yaml" --quiet --csv "$scratch/csv" &&
		awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			$at["node"] == "s1" && $at["port"] == 2 && $at["at_ps"] >= 200e6 {
				units = $at["flow_queue_units"]; n++
				if (units < 337 || units > 674) { print $0; wrong = 1 }
			}
			END { exit wrong || n < 1000 }' "$scratch/csv/samples.csv"
}
check 'the queue settles at its target level (EC-13)' settles

wait $huge
for frame in 4096 9000 64; do
	check "incast of 1013, $frame bytes" all_hold huge-$frame
	figures huge-$frame 1013 $frame
done
# EC-8: a sender's mean share of the queue is less than one frame
share_of_a_frame() {
	jq -e ".ports[] | select(.node == \"s0\" and .peer == \"h0\") | .queue_bytes_mean / 1013 < $1" "$scratch/huge-$1"
}
for frame in 4096 9000; do
	check "the queue of 1013 senders holds less than a frame of each, $frame bytes" share_of_a_frame $frame
done
finish
