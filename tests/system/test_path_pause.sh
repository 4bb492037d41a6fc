#!/usr/bin/env bash
# test_path_pause - where ECN and CNPs fail, and what path-level PFC does then, on the scenarios of topologies/ (RC-12 ... RC-15).
#
#   ecn-failure        every packet is marked, and the queue grows all the same, from so many queue pairs on
#   cnp-threshold      CNPs of the switch hold as many queue pairs as can be held at a NIC's lowest rate
#   cnp-sparse         the same with packets further apart than the sources' period
#   cnp-failure        beyond that: table 1 of S4
#   path-pause         the same rows with path-level PFC
#   path-pause-clos    signals over three levels of switches, and who acts on them
#
# Figures are printed; docs/roce-figures.md has them too. Without LONG=yes (make soak) sweeps are shorter and have fewer rows.
set -u
. "$(dirname "$0")/common.sh"

sim=$top/build/release/sim/sim_json
long=${LONG:-}
short=(--set run.duration=60ms --set run.warmup=40ms)

# play STATUS SCENARIO [path=value...] - in one process (the same bytes: test_sim_same_bytes); STATUS 1: something does not hold, and is in SCENARIO.not
play() {
	local wanted=$1 scenario=$2 status=0
	shift 2
	"$sim" "$topologies/$scenario.yaml" "$@" >"$scratch/$scenario" || return
	jq -r '.expectations[] | select(.ok | not) | "FAILED  \(.text): \(.value)"' "$scratch/$scenario" | tee "$scratch/$scenario.not"
	[ -s "$scratch/$scenario.not" ] && status=1
	[ -s "$scratch/$scenario" ] && [ $status = "$wanted" ]
}

# needs SCENARIO SETTINGS WITHOUT TEXT... - with SETTINGS (words) all holds; with the setting WITHOUT besides, what begins with TEXT does not
needs() {
	local scenario=$1 settings without=$3 text
	read -ra settings <<<"$2"
	shift 3
	play 0 "$scenario" "${settings[@]}" && play 1 "$scenario" "${settings[@]}" "$without" || return
	for text in "$@"; do says "$scenario.not" "FAILED  $text" || return; done
}

# table SCENARIO [argument...] - heddle run --compare; the table is in $scratch/out and $scratch/SCENARIO.json
table() {
	local scenario=$1
	shift
	run 0 run --compare "$topologies/$scenario.yaml" "$@" --json "$scratch/$scenario.json"
}

# shown COMMAND... - a check of a table, which is shown
shown() {
	check "$@"
	sed -n '3,$s/^/        /p' "$scratch/out"
}

# rows SCENARIO FILTER - does FILTER hold of all variants of the table? It sees them as {name, n (queue pairs a server), and each column's value}
rows() {
	jq -e --slurpfile seed "$scratch/seed.json" '
		. as $table | [.variants[] | . as $variant |
			reduce $table.columns[] as $column ({name, n: (.name | capture("7 x (?<n>[0-9]+)")? // {n: "0"} | .n | tonumber)};
				.[$column.name] = $variant.values[$column.metric])] |
		length > 0 and all(.[]; '"$2"')' "$scratch/$1.json" && return
	jq -c '.variants[].values' "$scratch/$1.json"
	return 1
}

# S4, table 1: bytes and picoseconds
cat >"$scratch/seed.json" <<'END'
{"11": [19446e3, 31637.50e6], "40": [19757e3, 10360.06e6], "65": [18845e3, 5987.04e6], "85": [16829e3, 3824.71e6], "115": [18160e3, 3206.68e6]}
END

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

check 'the lowest rates together are too much: not if a NIC can hold less' needs cnp-failure '' roce.dcqcn.rate-min=40Mb/s \
	'queue.mean(s0:h7, roce)' 'delay.mean(s0:h7, roce)'
shown 'table 1 (RC-13)' table cnp-failure
within='def within($part; $a; $b): ($a / $b - 1) | . <= $part and . >= -$part;'
check 'backlog and delay within a tenth of S4'"'"'s' rows cnp-failure \
	"$within"' ($seed[0][.n | tostring] as [$backlog, $delay] | . as $row | within(0.1; $row.backlog; $backlog) and within(0.1; $row.delay; $delay))'
check 'all queue pairs are at their lowest rate' rows cnp-failure "$within"' . as $row | within(0.01; $row.rate; 75e6)'
check 'the delay is backlog / share' rows cnp-failure "$within"' . as $row | within(0.02; $row.delay; $row.backlog * 8e12 / $row.RoCE)'

# ---- RC-14: path-level PFC ----

check 'path-level PFC (RC-14)' needs path-pause '' roce.path-pause=no 'queue.mean(s0:h7, roce)' 'delay.mean(s0:h7, roce)' 'path.pauses(s0)'
with=()
for row in '90:10 7 x 11' '70:30 7 x 40' '50:50 7 x 65' '30:70 7 x 85' '10:90 7 x 115'; do with+=(--only "$row, path-level PFC"); done
shown 'the rows with path-level PFC' table path-pause "${with[@]}"

# better NAME - row NAME of path-pause has a tenth of the backlog and delay that it has in cnp-failure, and as much of the link in each class and in all
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
