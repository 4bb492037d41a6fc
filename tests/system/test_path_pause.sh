#!/usr/bin/env bash
# test_path_pause - where ECN and CNPs fail, and what path-level PFC does then, on the scenarios of
# topologies/ (RC-7 ... RC-15).
#
#   ecn-failure        from so many queue pairs on, the queue grows although every packet is marked
#   cnp-rate           the rate of a sender against the CNPs that it gets, with its floor: figures 8
#                      and 9 of S4, by a model of the protocol
#   cnp-threshold      CNPs of the switch limit as many queue pairs as a NIC's lowest rate allows
#   cnp-threshold-300us  the same with the sources' period that S4 gives
#   cnp-sparse         the same with packets further apart than the sources' period
#   cnp-failure        beyond that: table 1 of S4, its causes; what stands in the buffer is an input
#   path-pause         the same rows with path-level PFC
#   path-pause-clos    signals over three levels of switches, and the switches that act on them
#
# Figures are printed; docs/roce-figures.md has them too. Without LONG=yes (make soak) sweeps are
# shorter and have fewer rows.
set -u
. "$(dirname "$0")/common.sh"

sim=$top/build/release/sim/sim_json
compare=$top/build/release/sim/sim_compare
long=${LONG:-}
short=(--set run.duration=60ms --set run.warmup=40ms)

# simulate STATUS SCENARIO [path=value...] - in one process (the same bytes: test_sim_same_bytes);
# STATUS 1: something does not hold, and is in SCENARIO.not
simulate() {
	local wanted=$1 scenario=$2 status=0
	shift 2
	"$sim" "$topologies/$scenario.yaml" "$@" >"$scratch/$scenario" || return
	jq -r '.expectations[] | select(.ok | not) | "FAILED  \(.text): \(.value)"' "$scratch/$scenario" | tee "$scratch/$scenario.not"
	[ -s "$scratch/$scenario.not" ] && status=1
	[ -s "$scratch/$scenario" ] && [ $status = "$wanted" ]
}

# needs SCENARIO SETTINGS WITHOUT TEXT... - with SETTINGS (words) all holds; with the setting
# WITHOUT besides, what begins with TEXT does not
needs() {
	local scenario=$1 settings without=$3 text
	read -ra settings <<<"$2"
	shift 3
	simulate 0 "$scenario" "${settings[@]}" && simulate 1 "$scenario" "${settings[@]}" "$without" || return
	for text in "$@"; do says "$scenario.not" "FAILED  $text" || return; done
}

# table SCENARIO [argument...] - heddle run --compare, in one process; the table is in $scratch/out
# and $scratch/SCENARIO.json
table() {
	local scenario=$1
	shift
	"$compare" "$topologies/$scenario.yaml" "$@" --json "$scratch/$scenario.json" >"$scratch/out"
}

# same_table SCENARIO [argument...] - do real processes give the same table, byte by byte?
same_table() {
	local scenario=$1
	shift
	table "$scenario" "$@" && mv "$scratch/out" "$scratch/$scenario.text" &&
		run 0 run --compare "$topologies/$scenario.yaml" "$@" --json "$scratch/real.json" &&
		cmp "$scratch/out" "$scratch/$scenario.text" && cmp "$scratch/real.json" "$scratch/$scenario.json"
}

# shown COMMAND... - a check of a table, which is shown
shown() {
	check "$@"
	sed -n '3,$s/^/        /p' "$scratch/out"
}

# figures COMMAND... - a check whose own lines are shown also if it holds
figures() {
	check "$@"
	grep '^        ' "$scratch/check.log"
}

# rows SCENARIO FILTER - does FILTER hold of all variants of the table? It sees them as {name, n
# (queue pairs a server), and each column's value}
rows() {
	jq -e '
		. as $table | [.variants[] | . as $variant |
			reduce $table.columns[] as $column ({name, n: (.name | capture("7 x (?<n>[0-9]+)")? // {n: "0"} | .n | tonumber)};
				.[$column.name] = $variant.values[$column.metric])] |
		length > 0 and all(.[]; '"$2"')' "$scratch/$1.json" && return
	jq -c '.variants[].values' "$scratch/$1.json"
	return 1
}

# ---- RC-12: ECN failure ----

sweep() {
	local scenario=$1 only=() n
	shift
	if [ ! "$long" ]; then
		only=("${short[@]}")
		for n in "$@"; do only+=(--only "7 x $n"); done
	fi
	table "$scenario" "${only[@]}"
}

check 'ECN fails where supplemented CNPs do not (RC-12)' needs ecn-failure 'run.duration=60ms run.warmup=40ms' roce.supplement=yes \
	'queue.mean(s0:h7, roce) >= 10MB' 'delay.mean(s0:h7, roce) >= 10ms'
check 'real processes give the same table' same_table ecn-failure --set run.duration=2ms --set run.warmup=1ms \
	--only '7 x 1' --only '7 x 10'
shown 'queue pairs a server, without supplementing' sweep ecn-failure 1 4 6 10
check 'four hold: a short queue, and not all are marked' rows ecn-failure '.n > 4 or (.queue < 5e5 and .delay < 1e9 and .marked < 0.9)'
check 'six do not: megabytes, milliseconds' rows ecn-failure '.n < 6 or (.queue > 1e6 and .delay > 2e9 and .marked > 0.9)'
check 'ten: all packets are marked' rows ecn-failure '.n < 10 or (.queue > 10e6 and .delay > 10e9 and .marked > 0.995)'

# ---- RC-13: CNP failure ----

check 'supplementing holds nine (RC-8)' needs cnp-threshold 'run.duration=60ms run.warmup=40ms' roce.supplement=no \
	'queue.max(s0:h7, roce)' 'delay.mean(s0:h7, roce)' 'cnps.supplemented(s0:h7)' pauses.sent
shown 'queue pairs a server, with supplementing' sweep cnp-threshold 5 8 9 10 11
check 'nine hold' rows cnp-threshold '.n > 9 or (.queue < 5e5 and .delay < 1e9)'
check 'ten do not: megabytes, milliseconds' rows cnp-threshold '.n < 10 or (.queue > 1e6 and .delay > 3e9)'

check 'packets further apart than the period (RC-8)' needs cnp-sparse '' roce.supplement=no 'queue.max(s0:h7, roce)' \
	'delay.mean(s0:h7, roce)' pauses.sent

# a queue pair of cnp-rate: the row's name is its period, the window of the row is in the scenario.
# Bits of the link: 338 bytes of 314
# course NAME TAU FAST-RECOVERY FROM UNTIL - is its rate that of the model, and where the model has
# settled, that of the balance? SETTLED: yes
course() {
	local name=$1 tau=$2 f=$3 from=$4 until=$5 settled=${6:-yes} goodput
	goodput=$(jq --arg name "$name" '.variants[] | select(.name == $name) | .values["goodput(load)"]' "$scratch/cnp-rate.json")
	awk -v tau="$tau" -v timer=300e-6 -v f="$f" -v ai=40e6 -v lowest=75e6 -v first=200e6 -v bytes=338 -v from="$from" -v until="$until" \
		-f "$(dirname "$0")/cnp_rate_model.awk" | awk -v rate="$(awk -v g="$goodput" 'BEGIN { print g / 2 * 338 / 314 }')" \
		-v name="$name" -v settled="$settled" -v seconds="$until" '
		function near(a, b, part) { return a > b * (1 - part) && a < b * (1 + part) }
		{ printf "        %-12s %6d CNPs/s, %7.2f Mb/s; model %7.2f, balance %8.2f\n", name, $3 / seconds, rate / 1e6, $1 / 1e6, $2 / 1e6
			exit !(near(rate, $1, 0.01) && (settled != "yes" || near(rate, $2, 0.01))) }'
}
# taken NAME PERIOD MILLISECONDS - did both senders take a CNP in each period, but for the time that
# a packet takes?
taken() {
	jq -e --arg name "$1" --argjson us "$2" --argjson ms "$3" '.variants[] | select(.name == $name) | .values["cnps(load)"] |
		. <= 2 * ($ms * 1000 / $us + 1) and . >= 2 * ($ms * 1000 / ($us + 37) - 1)' "$scratch/cnp-rate.json"
}
floor() {
	course 'every mark' 0 5 .08 .1 && course '50 us' 50e-6 5 .08 .1 && course '250 us' 250e-6 5 .08 .1 && course '400 us' 400e-6 5 .08 .1 &&
		course '620 us' 620e-6 5 .18 .2 && course '1000 us' 1e-3 5 .38 .4 && course 'F 1, 50 us' 50e-6 1 .08 .1 &&
		course 'F 1, 250 us' 250e-6 1 .08 .1
}
balance() {
	course 'F 1, 350 us' 350e-6 1 .1 .2 && course 'F 1, 450 us' 450e-6 1 .1 .2 && course 'F 1, 580 us' 580e-6 1 .2 .3
}
rates=()
for row in 'every mark' '50 us' '250 us' '400 us' '620 us' '1000 us' '1600 us' 'F 1, 50 us' 'F 1, 250 us' 'F 1, 350 us' 'F 1, 450 us' 'F 1, 580 us'; do
	rates+=(--only "$row")
done
check 'CNPs enough: the floor; a NIC that can hold less has another one' needs cnp-rate '' roce.dcqcn.rate-min=40Mb/s 'rate.mean(load)' \
	'goodput(load)'
shown 'rate against CNPs (RC-13, figures 8 and 9)' table cnp-rate "${rates[@]}"
check 'each sender takes as many as the receiver likes to make' taken '250 us' 250 100
check 'fewer, too' taken 'F 1, 450 us' 450 200
figures 'more than 1 / (F T) a second: the floor, whatever comes' floor
figures 'fewer: the rate at which cuts and increases balance' balance
figures 'fewer than 1 / (F T), F = 5: it rises' course '1600 us' 1600e-6 5 .08 .1 rising

check 'S4'"'"'s period of 300 us: supplementing holds nine with 4096 bytes (RC-8, RC-13)' needs cnp-threshold-300us \
	'run.duration=60ms run.warmup=40ms' roce.supplement=no 'delay.mean(s0:h7, roce)' 'cnps.supplemented(s0:h7)'
shown 'ten fail with it and without' table cnp-threshold-300us "${short[@]}" --only '7 x 9, 2048' --only '7 x 9, 2048, supplementing' \
	--only '7 x 10, 2048' --only '7 x 10, 2048, supplementing' --only '7 x 10, 4096, supplementing'
check 'nine: a short queue, ten: megabytes, at the lowest rate' rows cnp-threshold-300us \
	'if .n == 9 then .queue < 5e5 and .delay < 5e8 else .queue > 1e6 and .delay > 2e9 and .rate == 75e6 end'

check 'the lowest rates together are too much: not if a NIC can hold less (RC-13)' needs cnp-failure 'run.duration=180ms run.warmup=160ms' \
	roce.dcqcn.rate-min=40Mb/s 'rate.mean(roce)' 'queue.mean(s0:h7, roce)' 'delay.mean(s0:h7, roce)'
check 'it takes DCQCN' needs cnp-failure '' roce.dcqcn=no 'rate.mean(roce)' 'cnps(roce)'
check 'and CNPs of the switch' needs cnp-failure '' roce.supplement=no 'cnps(roce)' 'state.max(s0:h7, roce)' 'cnps.supplemented(s0:h7)'
shown 'table 1 (RC-13)' table cnp-failure
within='def within($part; $a; $b): ($a / $b - 1) | . <= $part and . >= -$part;'
check 'all queue pairs are at their lowest rate' rows cnp-failure "$within"' . as $row | within(0.001; $row.rate; 75e6)'
check 'and take a CNP in each period of their sources, all the same' rows cnp-failure '.CNPs / (7 * .n) >= 60e-3 / 300e-6'
check 'megabytes, milliseconds' rows cnp-failure '.backlog > 1e6 and .delay > 1e9'
check 'the delay is backlog / share: no evidence of its own' rows cnp-failure \
	"$within"' . as $row | within(0.02; $row.delay; $row.backlog * 8e12 / $row.RoCE)'

# ---- RC-14: path-level PFC ----

check 'path-level PFC (RC-14)' needs path-pause '' roce.path-pause=no 'queue.mean(s0:h7, roce)' 'delay.mean(s0:h7, roce)' 'path.pauses(s0)'
with=()
for row in '90:10 7 x 11' '70:30 7 x 40' '50:50 7 x 65' '30:70 7 x 85' '10:90 7 x 115'; do with+=(--only "$row, path-level PFC"); done
shown 'the rows with path-level PFC' table path-pause "${with[@]}"

# better NAME - row NAME of path-pause has a tenth of the backlog and delay that it has in
# cnp-failure, and as much of the link in each class and in all
better() {
	jq -es --arg row "$1" '
		def values($name): .variants[] | select(.name == $name) | .values;
		def value($name; $metric): values($name)[$metric];
		[.[0], .[1]] as [$without, $with] |
		[("queue.mean(s0:h7, roce)", "delay.mean(s0:h7, roce)") as $m |
			($without | value($row; $m)) >= 10 * ($with | value($row + ", path-level PFC"; $m))] +
		[("throughput(s0:h7, roce)", "throughput(s0:h7, tcp)", "utilisation(s0:h7)") as $m |
			($with | value($row + ", path-level PFC"; $m)) >= 0.97 * ($without | value($row; $m))] |
		length == 5 and all' "$scratch/cnp-failure.json" "$scratch/path-pause.json"
}
for row in '90:10 7 x 11' '70:30 7 x 40' '50:50 7 x 65' '30:70 7 x 85' '10:90 7 x 115'; do
	check "$row: a tenth of the backlog and delay at most, the throughput" better "$row"
done

# ---- RC-15: three levels of switches ----

check 'signals reach the ToR switches of the sources alone, PFC hop by hop everybody (RC-15)' needs path-pause-clos '' \
	roce.path-pause.enabled=no 'queue.mean(tor3:d0, roce)' 'signals.forwarded(spine0)' 'pauses.sent(leaf2)' 'goodput(beside)' 'fct.p99(beside)'
told=(--set run.duration=30ms --set run.warmup=20ms --only 'RoCE class' --only 'all priorities' --only 'no priority named' --only 'whole port'
	--only 'from ECN failed on')
shown 'what the sources are told, and when' table path-pause-clos "${told[@]}"
check 'in each form, and from either state on' rows path-pause-clos '.backlog < 3e5 and .RoCE >= 4.81e9 and .TCP >= 43.5e9 and
	.beside >= 29e9 and .p99 < 2e8 and .["by tor0"] > 0 and .["by tor2"] > 0 and .["PFC of tor3"] == 0'

finish
