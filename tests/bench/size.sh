#!/usr/bin/env bash
# size - what a packet-hop costs as fabrics grow: each node a process, packed into one worker and
# into two, beside ns-3 (SC-1, SC-3, SC-9).
#
# Permutations of 16, 128 and 1024 hosts, taken in turn. Writes build/bench/size.md, and its ratios
# to build/bench/ratios.json. Absolute figures differ from machine to machine and from hour to hour;
# ratios of one run hardly differ on machines of one kind, but much from one processor to another,
# whose caches differ. So tests/bench/ratios/ has a file for each kind of machine. `make
# bench-check` (CHECK=yes) compares with that of this machine, and fails if a ratio is worse by
# more than 15 %, also by the medians of twice as many runs, or if there is no such file. `make
# bench-keep` (KEEP=yes) writes it.
# usage: tests/bench/size.sh, from the top folder; RUNS=3, NS3=no
set -u
. tests/bench/common.sh
. tests/bench/ns3.sh

runs=${RUNS:-3}
out=build/bench
samples=$out/size
scenarios=tests/bench/scenarios
machine=$(awk -F '[ \t]*: ' '/^(vendor_id|cpu family|model)[ \t]*:/ && !seen[$1]++ { printf "%s-", $2 }' /proc/cpuinfo)$(nproc)c
kept=tests/bench/ratios/$machine.json
ratios=$out/ratios.json
hosts_all="16 128 1024"
modes="0 1 2" # workers

# hops per CPU second without the start, and memory that all processes touched
measure() { # HOSTS WORKERS
	local start_cpu

	heddle_run "permutation-$1" --pack="$2" --set run.duration=1ns --set run.drain=no || return
	start_cpu=$(value cpu_s)
	heddle_run "permutation-$1" --pack="$2" || return
	sample "hops_$1_$2" "$(calculate "$(value packet_hops) / ($(value cpu_s) - $start_cpu)" %.0f)"
	sample "wall_$1_$2" "$(value wall_s)"
}

# the first of the two medians as a multiple of the second; - without either
ratio() { # FIGURE FIGURE
	calculate "$(median "$1") / $(median "$2")" %.3f
}

# NAME VALUE, one a line; more is better
all_ratios() {
	local hosts

	for hosts in $hosts_all; do
		echo "packed_to_processes_$hosts $(ratio "hops_${hosts}_1" "hops_${hosts}_0")"
		echo "two_workers_to_one_wall_$hosts $(ratio "wall_${hosts}_1" "wall_${hosts}_2")"
		[ -n "$ns3" ] && echo "processes_to_ns3_$hosts $(ratio "hops_${hosts}_0" "ns3_device_$hosts")" &&
			echo "packed_to_ns3_$hosts $(ratio "hops_${hosts}_1" "ns3_device_$hosts")"
	done
	echo "packed_128_to_16 $(ratio hops_128_1 hops_16_1)"
	echo "packed_1024_to_16 $(ratio hops_1024_1 hops_16_1)"
}

write_json() {
	all_ratios | awk '
		BEGIN { print "{" }
		$2 != "-" { printf "%s  \"%s\": %s", n++ ? ",\n" : "", $1, $2 }
		END { print "\n}" }' >"$ratios"
}

report() {
	cat <<-END
		## Packet-hops as fabrics grow

		Data packet-hops per CPU second, in millions, start and end left out: each node a process, packed into
		one worker and into two. Medians of $runs runs in turn, and their range. Goals: 3, 2.5 and 1.5 million
		with processes, 3 million in the best placement.

	END
	{
		echo 'hosts|processes|1 worker|2 workers|wall, 1 worker / 2 workers|ns-3, devices|packed / ns-3'
		for hosts in $hosts_all; do
			echo "$hosts|$(figure "hops_${hosts}_0" 1e-6 %.2f)|$(figure "hops_${hosts}_1" 1e-6 %.2f)|$(
				figure "hops_${hosts}_2" 1e-6 %.2f)|$(ratio "wall_${hosts}_1" "wall_${hosts}_2")|$(
				figure "ns3_device_$hosts" 1e-6 %.2f)|$(ratio "hops_${hosts}_1" "ns3_device_$hosts")"
		done
	} | table
}

# is no ratio that the repository keeps worse by more than 15 %? One that was not measured here is
# named and not judged.
check() {
	awk '
		{ gsub(/[",:{}]/, " ") }
		NF < 2 { next }
		FILENAME == ARGV[1] { now[$1] = $2; next }
		!($1 in now) { printf "%-30s kept %7.3f  not measured here\n", $1, $2; next }
		{
			worse = now[$1] < 0.85 * $2
			printf "%-30s kept %7.3f  now %7.3f  %s\n", $1, $2, now[$1], worse ? "WORSE by more than 15 %" : "ok"
			failed += worse
		}
		END { exit failed > 0 }' "$ratios" "$kept"
}

# all fabrics in turn, as often as `runs` says
measure_all() {
	for ((round = 1; round <= runs; round++)); do
		echo "run $round of $runs"
		for hosts in $hosts_all; do
			for mode in $modes; do
				measure "$hosts" "$mode"
			done
			measure_ns3 "$hosts"
		done
	done
}

if [ "${CHECK:-}" = yes ] && [ ! -e "$kept" ]; then
	echo "no ratios are kept for this kind of machine ($kept); kept: $(cd tests/bench/ratios && echo *.json)"
	echo "'make bench-keep' keeps those of this commit"
	exit 2
fi
rm -rf "$samples"
mkdir -p "$samples"
ns3_prepare
measure_all
write_json
report | tee "$out/size.md"
if [ "${CHECK:-}" = yes ]; then
	# Other programs may disturb a few runs by more than 15 %: what is worse is judged
	# by the medians of twice as many.
	if ! check; then
		echo 'a ratio is worse: as many runs again, all are judged together'
		measure_all
		write_json
		check || broken=1
	fi
fi
[ "${KEEP:-}" != yes ] || cp "$ratios" "$kept"
[ "$broken" = 0 ]
