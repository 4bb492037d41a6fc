#!/usr/bin/env bash
# figures - computes the tables of docs/ and prints them as Markdown.
#
# usage: tests/bench/figures.sh [TABLE...], from the top folder; without a name it lists them.
# `make figures` computes all of them, or those of FIGURES="TABLE ...", into build/figures/.
# Everything runs in one process under the virtual clock (sim_json: the same bytes as heddle run),
# so a figure changes only if what it measures does. Free choices (seeds, windows, sizes of
# messages) stand here, in the function of the table.
set -u
LC_ALL=C

sim=${SIM_JSON:-build/release/sim/sim_json}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# values METRICS SCENARIO [@VARIANT] [path=value...] - of METRICS, which ';' separates, in a line,
# tabs between them
values() {
	local metrics=$1 scenario=$2 expect json=$scratch/json.$BASHPID
	shift 2
	expect=$(jq -cn --arg metrics "$metrics" '$metrics | split(";") | map(. + " >= 0")')
	[ -e "$scenario" ] || scenario=topologies/$scenario.yaml
	"$sim" "$scenario" "$@" "expect=$expect" >"$json" 2>/dev/null || { echo "figures: $scenario $* does not run" >&2 && return 1; }
	jq -r '[.expectations[].value] | map(. // "-") | @tsv' "$json"
}

# over SEEDS METRIC SCENARIO [@VARIANT] [path=value...] - a line for each seed; the setting is after
# the variant
over() {
	local seed seeds=$1 metric=$2 scenario=$3 variant=()
	shift 3
	[[ ${1-} = @* ]] && variant=("$1") && shift
	for seed in $seeds; do values "$metric" "$scenario" "${variant[@]}" "seed=$seed" "$@" || return; done
}

# spread FACTOR FORMAT - of the numbers on stdin: mean, deviation, least
spread() {
	awk -v factor="$1" -v format="$2" '
		{ value = $1 * factor; n++; sum += value; square += value * value; if (n == 1 || value < least) least = value }
		END {
			mean = sum / n
			deviation = n > 1 && square > n * mean * mean ? sqrt((square - n * mean * mean) / (n - 1)) : 0
			printf format " (" format "), least " format, mean, deviation, least
		}'
}

# each FACTOR FORMAT - all of them, commas between
each() { awk -v factor="$1" -v format="$2" '{ printf "%s" format, (NR > 1 ? ", " : ""), $1 * factor }'; }

head_of() { # COLUMN...
	local column
	printf '|'
	printf ' %s |' "$@"
	printf '\n|'
	for column; do printf -- '---|'; done
	echo
}
row() { printf '|' && printf ' %s |' "$@" && echo; }

# ---- roce-figures.md ----

dcqcn_row() { # N NUMBERS VARIANT
	values 'utilisation(s:r);jain(load);queue.mean(s:r, rdma);queue.max(s:r, rdma);delay.mean(s:r, rdma);cnps(load);pauses.sent;drops' dcqcn-incast "@$3" |
		awk -F'\t' -v n="$1" -v numbers="$2" '
		function bytes(b) { return b < 1e6 ? sprintf("%.0f kB", b / 1e3) : sprintf("%.2f MB", b / 1e6) }
		{
			printf "| %s | %s | %.1f %% | %.4f | %s | %s | %.1f us | %d | %d | %d |\n",
				n, numbers, 100 * $1, $2, bytes($3), bytes($4), $5 / 1e6, $6, $7, $8
		}'
}

# DCQCN, N to one; from 50 to 150 ms; queue max and PFC frames are of all of the run
table_dcqcn_incast() {
	local n numbers
	head_of N numbers 'link busy' Jain 'queue, mean' 'at most' 'delay, mean' CNPs 'PFC frames' dropped
	for n in 2 4 8 16 32 64 128 256 512; do dcqcn_row "$n" paper "$n"; done
	for n in 2 4 8 128; do dcqcn_row "$n, 4 kB" paper "$n, 4 kB"; done
	for numbers in s4 vendor; do
		for n in 2 8 128; do dcqcn_row "$n" "$numbers" "$n, $numbers"; done
	done
	dcqcn_row 8 'no DCQCN' '8, no DCQCN'
}

# Swift beside DCQCN: roce-compare with 4, 16 and 40 queue pairs a host; the second half of 50 ms
table_roce_swift() {
	local connections variant
	head_of 'queue pairs a host' control 'incast [Gb/s]' Jain 'queue, mean' 'PFC frames' 'victim [Gb/s]' 'victim p99' 'same-nic [Gb/s]' 'same-nic p99'
	for connections in 4 16 40; do
		for variant in DCQCN Swift; do
			values 'goodput(incast);jain(incast);queue.mean(right:h8);pauses.sent(right);goodput(victim);fct.p99(victim);goodput(same-nic);fct.p99(same-nic)' \
				roce-compare "@$variant" workloads.incast.connections=$connections |
				awk -F'\t' -v n="$connections" -v control="$variant" '
				function time(t) { return t < 1e9 ? sprintf("%.0f us", t / 1e6) : sprintf("%.2f ms", t / 1e9) }
				{
					printf "| %s | %s | %.2f | %.4f | %.0f kB | %d | %.2f | %s | %.2f | %s |\n",
						n, control, $1 / 1e9, $2, $3 / 1e3, $4, $5 / 1e9, time($6), $7 / 1e9, time($8)
				}'
		done
	done
}

# ---- routing.md, port groups ----

goodput='goodput(permutation)'
fat16=('topology={generate: fat-tree, radix: 4}')
fat128=('topology={generate: fat-tree, radix: 8}')
groups=port-group-permutation

# random permutations: the Clos with seeds 1 to 20; fat trees with 10 and 2 seeds, 300 to 700 us
table_port_group_permutation() {
	local variant cells window=(run.duration=700us run.warmup=300us)
	head_of '' 'Clos, seeds 1 to 20 [Tb/s]' 'fat tree, 16 hosts, seeds 1 to 10' '128 hosts, seeds 1, 2'
	for variant in static random greedy greedy-random 'no update'; do
		cells=("$(over "$(seq 20)" "$goodput" $groups "@$variant" | spread 1e-12 %.2f)")
		cells+=("$(over "$(seq 10)" "$goodput" $groups "@$variant" "${fat16[@]}" "${window[@]}" | spread 1e-12 %.2f)")
		cells+=("$(over '1 2' "$goodput" $groups "@$variant" "${fat128[@]}" "${window[@]}" | each 1e-12 %.1f)")
		row "$variant" "${cells[@]}"
	done
}

# how much buffer: greedy-random on the Clos, seeds 1 to 5
table_port_group_buffer() {
	local buffer
	head_of 'buffer' 'BECN [Tb/s]' 'no BECN'
	for buffer in 64KiB 128KiB 256KiB 512KiB 1MiB 2MiB; do
		row "$buffer" "$(over "$(seq 5)" "$goodput" $groups switch.buffer=$buffer | spread 1e-12 %.2f)" \
			"$(over "$(seq 5)" "$goodput" $groups switch.buffer=$buffer port-group.becn=no | spread 1e-12 %.2f)"
	done
}

# what the congestion log is worth: 16 hosts on a fat tree, 256 KiB, 1.5 to 2 ms
table_port_group_log() {
	local seeds run=(permutation-fat-tree-16 fabric=port-group 'switch={buffer: 256KiB}')
	head_of seeds 'with the log [Tb/s]' without
	for seeds in '1 2 3 4' '41 42 43'; do
		row "${seeds// /, }" "$(over "$seeds" "$goodput" "${run[@]}" | spread 1e-12 %.2f)" \
			"$(over "$seeds" "$goodput" "${run[@]}" 'port-group={log: {marks: 64, window: 1ns}}' | spread 1e-12 %.2f)"
	done
}

# default buffers, one flow a host; 16 hosts from 1.5 to 2 ms, where all policies are the same; 128
# hosts from 1 to 1.5 ms
table_port_group_seeds() {
	local policy share='goodput.share(permutation)' run=(permutation-fat-tree-16 fabric=port-group)
	head_of '' '16 hosts, seeds 1 to 10' 'seeds 11 to 30' '128 hosts, seeds 1 to 3'
	for policy in random greedy greedy-random; do
		row $policy "$(over "$(seq 10)" "$share" "${run[@]}" port-group.policy=$policy | spread 1 %.3f)" \
			"$(over "$(seq 11 30)" "$share" "${run[@]}" port-group.policy=$policy | spread 1 %.3f)" \
			"$(over '1 2 3' "$share" permutation-fat-tree-128 "@port-group $policy" | spread 1 %.3f)"
	done
	row 'static' "$(over "$(seq 10)" "$share" "${run[@]}" port-group.adaptive=no | spread 1 %.3f)" \
		"$(over "$(seq 11 30)" "$share" "${run[@]}" port-group.adaptive=no | spread 1 %.3f)" \
		"$(over '1 2 3' "$share" permutation-fat-tree-128 '@port-group static' | spread 1 %.3f)"
	row 'greedy-random, no BECN' "$(over "$(seq 10)" "$share" "${run[@]}" port-group.becn=no | spread 1 %.3f)" \
		"$(over "$(seq 11 30)" "$share" "${run[@]}" port-group.becn=no | spread 1 %.3f)" \
		"$(over '1 2 3' "$share" permutation-fat-tree-128 '@port-group greedy-random' port-group.becn=no | spread 1 %.3f)"
}

incast_scenario() { # TOPOLOGY RECEIVER
	printf '%s\n' 'name: incast' 'fabric: port-group' 'run: {duration: 6ms, warmup: 3ms}' "topology: {$1}" \
		"workloads: [{name: load, pattern: incast, to: $2, from: all, size: 1MB, window: 2}]" >"$scratch/incast.yaml"
}
incast_row() { # SOURCES OUTPUT
	{
		values "utilisation($2);queue.mean($2);queue.max($2);jain(load)" "$scratch/incast.yaml"
		values "queue.mean($2);jain(load)" "$scratch/incast.yaml" port-group.becn=no
	} | awk -F'\t' -v sources="$1" '
		NR == 1 { printf "| %s | %.1f %% | %.2f MB | %.1f MB | %.3f |", sources, 100 * $1, $2 / 1e6, $3 / 1e6, $4 }
		NR == 2 { printf " %.1f MB | %.3f |\n", $1 / 1e6, $2 }'
}

# all hosts send messages of 1 MB, two at a time, to the last one, 200 Gb/s; from 3 to 6 ms, the
# longest queue of all of the run
table_port_group_incast() {
	local sources
	head_of sources busy 'queue, mean' max Jain 'queue without BECN' 'Jain without BECN'
	for sources in 2 8 15; do
		incast_scenario "generate: star, hosts: $((sources + 1))" "h$sources"
		incast_row $sources "s0:h$sources"
	done
	incast_scenario 'generate: leaf-spine, leaves: 8, hosts-per-leaf: 9, spines: 8' h71
	incast_row '71, Clos' leaf7:h71
}

# an incast of six on a fat tree of 16 hosts beside four flows at 40 %; incast-victims.yaml
table_port_group_victims() {
	local victims='same-way same-nic other-way same-switch' kind victim metrics
	cat >"$scratch/victims.yaml" <<-'YAML'
		name: victims
		fabric: port-group
		run: {duration: 6ms, warmup: 3ms}
		topology: {generate: fat-tree, radix: 4}
		workloads:
		  - {name: incast, pattern: incast, to: h15, from: [h0, h2, h4, h6, h8, h10], size: 1MB, window: 2}
		  - {name: victims, pattern: pairs, pairs: [[h1, h5], [h3, h9], [h7, h12], [h11, h13]], size: 4000, arrival: poisson, load: 40%}
	YAML
	head_of '' 'incast, of its link' 'victims, each of what it offers' 'p99'
	values 'goodput.share(incast);goodput.share(victims);goodput.share.min(victims);fct.p99(victims)' "$scratch/victims.yaml" |
		awk -F'\t' '{ printf "| six sources, fat tree | %.1f %% | %.0f %%, slowest %.0f %% | %.1f us |\n", 100 * $1, 100 * $2 / .4, 100 * $3 / .4, $4 / 1e6 }'
	metrics='goodput.share(incast)'
	for victim in $victims; do metrics+=";goodput.share($victim)"; done
	for victim in $victims; do metrics+=";fct.p99($victim)"; done
	for kind in port-group flow-channel; do
		values "$metrics" incast-victims fabric=$kind | awk -F'\t' -v kind=$kind '{
			printf "| 63 sources, incast-victims, %s | %.1f %% |", kind, 100 * $1
			for (i = 2; i <= 5; i++) printf "%s %.0f %%", (i > 2 ? "," : ""), 100 * $i / .45
			printf " |"
			for (i = 6; i <= 9; i++) printf "%s %.1f us", (i > 6 ? "," : ""), $i / 1e6
			print " |" }'
	done
}

# all to the next group, and uniform, over port groups of longer paths; 50 to 200 us
table_port_group_dragonfly() {
	local share='goodput.share(g0);goodput.share(g1);goodput.share(g2);goodput.share(g3);goodput.share(g4);goodput.share(g5);goodput.share(g6);goodput.share(g7);goodput.share(g8)'
	local mean='{ for (i = 1; i <= NF; i++) sum += $i; printf "%s%.1f %%", (NR > 1 ? ", " : ""), 100 * sum / NF; sum = 0 }'
	local run=(port-group-dragonfly) uniform=(dragonfly-uniform fabric=port-group)
	head_of 'seeds 1, 2, 3' 'static ports' 'non-minimal, 4 lanes' '3 lanes'
	row 'all to the next group' "$(over '1 2 3' "$share" "${run[@]}" port-group.adaptive=no | awk "$mean")" \
		"$(over '1 2 3' "$share" "${run[@]}" | awk "$mean")" "$(over '1 2 3' "$share" "${run[@]}" routing.lanes=3 | awk "$mean")"
	row 'uniform' "$(over '1 2 3' goodput.share "${uniform[@]}" | each 100 '%.1f %%')" \
		"$(over '1 2 3' goodput.share "${uniform[@]}" port-group.non-minimal=yes | each 100 '%.1f %%')" ''
}

# ---- routing.md, trees ----

# seed 1 of each variant, as heddle run --compare prints it; the windows are those of the files
table_permutation() {
	local variant metrics='goodput.share(permutation);goodput.share.min(permutation);jain(permutation)'
	head_of 'seed 1' '16 hosts: share' slowest Jain '128 hosts: share' slowest Jain
	for variant in static ecmp 'no redirects' adaptive 'per packet' 'port-group '{static,random,greedy,greedy-random}; do
		{
			values "$metrics" permutation-fat-tree-16 "@$variant"
			values "$metrics" permutation-fat-tree-128 "@$variant"
		} | awk -F'\t' -v name="$variant" '
			NR == 1 { printf "| %s", name }
			{ printf " | %.1f %% | %.1f %% | %.3f", 100 * $1, 100 * $2, $3 }
			END { print " |" }'
	done
}

# ---- routing.md, detours ----

# hosts' links carry so much of all groups; 50 to 200 us, seed 1, and 0.5 to 1 ms, seeds 1, 2
table_dragonfly() {
	local long=(run.duration=1ms run.warmup=500us) scenario
	head_of '' 'next group' 'uniform' 'from 0.5 to 1 ms: next group' 'uniform'
	for scenario in minimal valiant adaptive; do
		local detour=routing.detour=never
		[ $scenario = valiant ] && detour=routing.detour=always
		[ $scenario = adaptive ] && detour=routing.detour=adaptive
		row $scenario "$(over 1 goodput.share dragonfly-$scenario | each 1 %.3f)" \
			"$(over 1 goodput.share dragonfly-uniform $detour | each 1 %.3f)" \
			"$(over '1 2' goodput.share dragonfly-$scenario "${long[@]}" | each 1 %.3f)" \
			"$(over '1 2' goodput.share dragonfly-uniform $detour "${long[@]}" | each 1 %.3f)"
	done
}

detours() { # SCENARIO WORKLOAD SEEDS VARIANT...
	local scenario=$1 workload=$2 seeds=$3 variant
	shift 3
	head_of '' "share, seeds ${seeds// /, }" Jain redirects
	for variant; do
		over "$seeds" "goodput.share($workload);jain($workload);redirects" "$scenario" "@$variant" >"$scratch/detours" || return
		row "$variant" "$(cut -f 1 "$scratch/detours" | each 100 '%.1f %%')" "$(cut -f 2 "$scratch/detours" | each 1 %.3f)" \
			"$(cut -f 3 "$scratch/detours" | each 1 %d)"
	done
}

# 300 to 600 us
table_hyperx() { detours hyperx next '1 2' static 'shortest ways' Valiant adaptive 'no redirects'; }

# 200 to 500 us
table_torus() { detours torus tornado '1 2 3 4' static 'up-down on one lane' Valiant adaptive; }

# ---- routing.md, small messages ----

# 50 to 250 us; the deviation of links' utilisation among those that a switch chooses from, and the
# busiest one over their mean
table_gups() {
	local seed variant
	for seed in 1 2; do
		head_of "seed $seed" goodput imbalance 'busiest link over mean' p50 p99
		for variant in static hash 'per flow' 'per packet'; do
			values 'goodput.share;imbalance;imbalance.max;fct.p50;fct.p99' gups "@$variant" seed=$seed |
				awk -F'\t' -v name="$variant" '{ printf "| %s | %.1f %% | %.1f %% | %.2f | %.1f us | %.1f us |\n", name, 100 * $1, 100 * $2, $3, $4 / 1e6, $5 / 1e6 }'
		done
		echo
	done
}

# 100 to 250 us, seed 1
table_gups_closed() {
	local rate updates variant cells
	head_of 'rate, updates under way of a host' hash 'adaptive, per flow' 'adaptive, per packet'
	while read -r rate updates; do
		cells=()
		for variant in hash 'per flow' 'per packet'; do
			cells+=("$(values 'goodput.share;imbalance' gups-closed "@$variant" links.rate="${rate}Gb/s" congestion.port-limit=$((updates * 256)) |
				awk -F'\t' '{ printf "%.1f %%, %.1f %%", 100 * $1, 100 * $2 }')")
		done
		row "$rate Gb/s, $updates" "${cells[@]}"
	done <<<$'25 32\n25 64\n25 128\n25 256\n200 256'
}

tables=$(declare -F | sed -n 's/^declare -f table_//p' | tr _ -)
[ $# = 0 ] && echo "$tables" && exit
command -v jq >/dev/null || { echo 'figures: jq is missing (package jq)' >&2 && exit 1; }
[ -x "$sim" ] || { echo "figures: $sim is missing: make KIND=release $sim, or make figures" >&2 && exit 1; }
for table; do
	declare -F "table_${table//-/_}" >/dev/null || { echo "figures: there is no table '$table'; there are:" $tables >&2 && exit 2; }
	"table_${table//-/_}" || exit
done
