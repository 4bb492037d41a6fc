#!/usr/bin/env bash
# test_dcqcn - DCQCN, PFC headroom and shares of classes in whole fabrics, on the scenarios of
# topologies/ (RC-1 ... RC-3, RC-5, RC-6).
#
#   dcqcn-one-cnp    the course of a rate after a single CNP, to the bit per second; R_AI per
#                    increase period; pacing of CNPs
#   pfc-headroom     nothing is lost with the derived headroom at the worst moment; how much less
#                    is too little
#   dcqcn-incast     few flows: fair, a short queue, as long as a model of the protocol predicts;
#                    many: the queue at kmax and beyond
#   ets-shares       classes get their minima
#
# Figures are printed; docs/roce-figures.md has them too. Long runs are simulated in one process
# (sim_json: the same bytes, test_sim_same_bytes).
set -u
. "$(dirname "$0")/common.sh"

sim=$top/build/release/sim/sim_json

# run_scenario SCENARIO [path=value...] - all that is expected holds; its CSV is in $scratch/csv
run_scenario() {
	local scenario=$topologies/$1.yaml settings=() setting
	shift
	for setting in "$@"; do settings+=(--set "$setting"); done
	rm -rf "$scratch/csv"
	packed_run 0 "$scenario" "${settings[@]}" --csv "$scratch/csv" && return
	grep FAILED "$scratch/out"
	return 1
}

# simulate FILE SCENARIO [path=value...] - in one process; does all that is expected hold? The
# expectations are in FILE.expected, a line each: to start jq takes longer than many of the runs.
simulate() {
	local file=$scratch/$1 scenario=$topologies/$2.yaml
	shift 2
	"$sim" "$scenario" "$@" >"$file" && [ -s "$file" ] || return
	jq -r '.expectations[] | "\(.ok)\t\(.text)\t\(.value)"' "$file" >"$file.expected" || return
	awk -F '\t' '$1 != "true" { print "FAILED  " $2 ": " $3; failed = 1 } END { exit failed }' "$file.expected"
}

# shown COMMAND... - a check, whose figures are shown also if it holds
shown() {
	check "$@"
	grep '^        ' "$scratch/check.log"
}

# value FILE TEXT - of the expectation that begins with TEXT
value() { awk -F '\t' -v text="$2" 'index($2, text) == 1 { print $3; exit }' "$scratch/$1.expected"; }

# column FILE - numbers the columns of a CSV in an awk program: at["name"]
at='NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }'

# ---- RC-3: the course of a rate ----

# rates - the rates of a's queue pair in $scratch/csv: "us b/s" where they change
rates() {
	awk -F, "$at"' $at["node"] == "a" && $at["allowed_rate_sum_bps"] != last { print $at["at_ps"] / 1e6, last = $at["allowed_rate_sum_bps"] }' "$scratch/csv/samples.csv"
}

course() {
	echo "        $(rates | awk '{ printf "%s%g Gb/s at %d us", (NR > 1 ? ", " : ""), $2 / 1e9, $1 }')"
	[ "$(rates | awk '{ printf "%d ", $2 / 1e6 }')" = '40000 20000 30000 35000 37500 38750 39375 ' ] &&
		rates | awk 'NR > 2 { if ($1 - last != 55) wrong = 1 } { last = $1 } END { exit wrong || NR != 7 }'
}

# with 25 Gb/s to begin with the target is below the rate of the link: after 5 periods it grows
additive_settings=(roce.dcqcn.rate-initial=25Gb/s workloads.nudge.size=256kB run.duration=3ms 'expect=[cnps(load) == 1]')
additive() {
	rates | awk '$1 > 1000 && last { n++; gained = $2 - rate; if ($1 - last != 55 || gained < 39.9e6 || gained > 40.1e6) wrong = 1 }
		{ last = $1; rate = $2 }
		END { printf "        %d increases, the last one by %.3f Mb/s in 55 us\n", n, gained / 1e6; exit wrong || n < 30 }'
}

check 'one CNP reaches the sender' run_scenario dcqcn-one-cnp
shown '40, 20, 30, 35, 37.5, 38.75 Gb/s, 55 us apart' course
check 'from 25 Gb/s' run_scenario dcqcn-one-cnp "${additive_settings[@]}"
shown 'R_AI in each increase period' additive

# ---- RC-2: CNPs ----

# gap MICROSECONDS - two flows that do not slow down, all of whose packets are marked: a CNP each
# interval, not more
gap() {
	simulate gap dcqcn-incast "roce.dcqcn.cnp-interval=${1}us" roce.dcqcn.rate-min=40Gb/s run.duration=10ms run.warmup=1ms \
		"expect=[cnps.gap(load) >= ${1}us, cnps.made(load) > 0]" || return
	jq -r --argjson us "$1" '([.flows[].transport.cnps_made] | max) / .end_ps * 1e12 | "        at most \(floor) CNPs a second to a flow, of \(1e6 / $us)",
		if . <= 1e6 / $us and . > 0.95 * 1e6 / $us then empty else halt_error(1) end' "$scratch/gap"
}
every_mark() {
	simulate every dcqcn-one-cnp roce.dcqcn.cnp-interval=0s 'expect=[cnps.made >= 2]' &&
		jq -e '.roce.packets_marked == .roce.cnps_made' "$scratch/every"
}
shown 'a CNP in 50 us' gap 50
shown 'a CNP in 10 us' gap 10
check 'an interval of 0: a CNP for each marked packet' every_mark

# ---- RC-5: headroom ----

# fill RATE DELAY MTU [path=value...] - the scenario with these links
fill() {
	local rate=$1 delay=$2 mtu=$3
	shift 3
	simulate fill pfc-headroom links.rate="$rate" links.delay="$delay" links.mtu="$mtu" run.duration=400us pauses.0.for=390us \
		workloads.forth.packet="$mtu" workloads.back.packet="$mtu" workloads.forth.size=10MB workloads.back.size=10MB "$@"
}
# headroom RATE DELAY MTU - of the moments at which the frame may begin that PFC waits for, the
# worst; one byte less then is too little
headroom() {
	local derived used worst=0 begin worst_begin
	derived=$("$heddle" check --json "$topologies/pfc-headroom.yaml" --set links.rate="$1" --set links.delay="$2" --set links.mtu="$3" \
		--set roce.buffer=64MiB --set workloads.forth.packet="$3" --set workloads.back.packet="$3" |
		jq 'first(.. | .ports? // empty | .[].headroom_bytes)')
	local buffer=roce.buffer=$((3 * derived + 100000))
	for begin in $(awk -v mtu="$3" -v rate="${1%Gb/s}" 'BEGIN { for (i = 0; i < 16; i++) printf "%dps ", 1e6 + i * (mtu + 24) * 8000 / rate / 16 }'); do
		fill "$1" "$2" "$3" "$buffer" workloads.back.start="$begin" 'expect=[drops == 0, headroom.max(s:a) >= 0]' || return
		used=$(value fill headroom.max)
		[ "$used" -gt "$worst" ] && worst=$used worst_begin=$begin
	done
	echo "        $1, $2, MTU $3: $worst of $derived bytes needed"
	# less than a frame from it; gaps take time, but no buffer
	[ "$worst" -gt $((derived * ($3 + 4) / ($3 + 24) - $3 - 4)) ] &&
		fill "$1" "$2" "$3" "$buffer" workloads.back.start="$worst_begin" roce.pfc.headroom="$worst" 'expect=[drops == 0]' &&
		fill "$1" "$2" "$3" "$buffer" workloads.back.start="$worst_begin" roce.pfc.headroom=$((worst - 1)) 'expect=[drops(headroom) >= 1]' &&
		fill "$1" "$2" "$3" "$buffer" workloads.back.start="$worst_begin" roce.pfc.headroom=$((derived / 2)) 'expect=[drops(headroom) >= 1]'
}
check 'nothing is lost at the worst moment' run_scenario pfc-headroom
shown 'headroom at 40 Gb/s, 1 us, MTU 1024' headroom 40Gb/s 1us 1024
shown 'headroom at 100 Gb/s, 1 us, MTU 4096' headroom 100Gb/s 1us 4096
shown 'headroom at 400 Gb/s, 100 ns, MTU 9000' headroom 400Gb/s 100ns 9000
shown 'headroom at 200 Gb/s, 10 us, MTU 4096' headroom 200Gb/s 10us 4096

# ---- RC-1 ... RC-3: N flows at one port ----

hosts() { seq -s, -f h%g "$1"; }

# few FLOWS PATH-MTU - all that dcqcn-incast expects, and a queue as long as DCQCN's model says
few() {
	local frame=$(($2 + 58))
	simulate few dcqcn-incast "workloads.load.from=[$(hosts "$1")]" workloads.load.path-mtu="$2" run.duration=300ms \
		"expect.5=queue.mean(s:r, rdma) > 0" || return
	awk -v n="$1" -v bytes=$((frame + 24)) -f "$(dirname "$0")/dcqcn_model.awk" | awk -v n="$1" -v bytes="$frame" -v jain="$(value few jain)" \
		-v busy="$(value few utilisation)" -v queue="$(value few queue.mean)" '{
		printf "        %d flows, %d bytes: Jain %.4f, busy %.2f %%, queue %.1f kB; renewals %.1f kB, fluid model %.1f kB\n",
			n, bytes, jain, 100 * busy, queue / 1e3, $4 / 1e3, $2 / 1e3
		exit !(queue > 0.85 * $4 && queue < 1.15 * $4) }'
}

# settled FLOWS SHARE - after the first 50 ms its queue is at kmax or above for less than SHARE of
# the time
settled() {
	run_scenario dcqcn-incast "workloads.load.from=[$(hosts "$1")]" run.sample=20us || return
	awk -F, -v n="$1" -v share="$2" "$at"' $at["node"] == "s" && $at["port"] == 8 && $at["at_ps"] >= 50e9 {
			samples++; q = $at["queue_bytes"]; above += q >= 200000; if (q > most) most = q }
		END { printf "        %d flows: the queue is %.0f kB at most, at kmax %.3f %% of the time\n", n, most / 1e3, 100 * above / samples
			exit samples < 4000 || above >= share * samples || most < 5000 }' \
		"$scratch/csv/samples.csv"
}

# many CONNECTIONS [path=value...] - of each of eight hosts
many() {
	simulate many dcqcn-incast workloads.load.from=all workloads.load.connections="$1" "${@:2}" || return
	jq -r --argjson n $((8 * $1)) '.ports[] | select(.node == "s" and .peer == "r") |
		"        \($n) flows: queue \(.queue_bytes_mean / 1e3 | round) kB"' "$scratch/many"
}
shown '2 flows: fair, and the queue that the model says' few 2 1024
shown '4 flows' few 4 1024
shown '2 flows, 2 kB packets' few 2 2048
shown '2 flows settle' settled 2 1e-9
shown '4 flows settle' settled 4 1e-3
for variant in s4 vendor; do
	shown "8 flows, numbers of $variant" many 1 roce.dcqcn.variant=$variant \
		'expect=[jain(load) >= 0.99, drops == 0, pauses.sent == 0, "queue.mean(s:r, rdma) <= 200kB"]'
done
shown '8 flows: fair, below kmax on average' many 1 'expect.5=queue.mean(s:r, rdma) <= 200kB'
shown '128 flows: the queue at kmax' many 16 'expect=[jain(load) >= 0.99, drops == 0, cnps.gap(load) >= 50us]' \
	'expect.3=queue.mean(s:r, rdma) >= 190kB'
shown '512 flows: far beyond' many 64 run.duration=60ms run.warmup=20ms \
	'expect=[jain(load) >= 0.99, drops == 0, cnps.gap(load) >= 50us]' 'expect.3=queue.mean(s:r, rdma) >= 1MB'

# ---- RC-6: shares of classes ----

# shares TCP ROCE - in percent
shares() {
	simulate shares ets-shares classes.tcp.min="$1%" classes.rdma.min="$2%" \
		"expect.0=throughput(s:r, tcp) == $((99515 * $1 / 100))Mb/s +- 1%" "expect.1=throughput(s:r, rdma) == $((99515 * $2 / 100))Mb/s +- 1%" ||
		return
	echo "        TCP $(value shares 'throughput(s:r, tcp)') b/s, RoCE $(value shares 'throughput(s:r, rdma)') b/s"
}
for tcp in 90 70 50 30 10; do shown "TCP and RoCE $tcp:$((100 - tcp))" shares $tcp $((100 - tcp)); done
finish
