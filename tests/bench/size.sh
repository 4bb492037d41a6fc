#!/usr/bin/env bash
# size - what a packet-hop costs as fabrics grow: each node a process, packed into one worker and
# into two, beside ns-3 (SC-1, SC-3, SC-9).
#
# Permutations of 16, 128 and 1024 hosts, taken in turn. Writes build/bench/size.md, and ratios
# (ratios.sh).
# usage: tests/bench/size.sh, from the top folder; RUNS=3, NS3=no
set -u
. tests/bench/common.sh
. tests/bench/ns3.sh
. tests/bench/ratios.sh

runs=${RUNS:-3}
out=build/bench
samples=$out/size
scenarios=tests/bench/scenarios
hosts_all="16 128 1024"
modes="0 1 2" # workers

# hops per CPU second without the start, and the peak of memory in a control group
measure() { # HOSTS WORKERS
	local start_cpu

	heddle_run "permutation-$1" --pack="$2" --set run.duration=1ns --set run.drain=no || return
	start_cpu=$(value cpu_s)
	group_make
	within=in_group heddle_run "permutation-$1" --pack="$2" || broken=1
	group_end "memory_$1_$2"
	[ -e "$json" ] || return
	sample "hops_$1_$2" "$(calculate "$(value packet_hops) / ($(value cpu_s) - $start_cpu)" %.0f)"
	sample "wall_$1_$2" "$(value wall_s)"
}

# for ratios.sh
all_ratios() {
	local hosts

	for hosts in $hosts_all; do
		echo "packed_to_processes_$hosts $(ratio "hops_${hosts}_1" "hops_${hosts}_0")"
		echo "two_workers_to_one_wall_$hosts $(ratio "wall_${hosts}_1" "wall_${hosts}_2")"
		echo "memory_ns3_to_packed_$hosts $(ratio "memory_ns3_device_${hosts}_peak" "memory_${hosts}_1_peak")"
		[ -n "$ns3" ] && echo "processes_to_ns3_$hosts $(ratio "hops_${hosts}_0" "ns3_device_$hosts")" &&
			echo "packed_to_ns3_$hosts $(ratio "hops_${hosts}_1" "ns3_device_$hosts")"
	done
	echo "packed_128_to_16 $(ratio hops_128_1 hops_16_1)"
	echo "packed_1024_to_16 $(ratio hops_1024_1 hops_16_1)"
}

report() {
	cat <<-END
		## Packet-hops as fabrics grow

		Data packet-hops per CPU second, in millions, start and end left out: each node a process, packed into
		one worker and into two. Medians of $runs runs in turn, and their range. Goals: 3, 2.5 and 1.5 million
		with processes, 3 million in the best placement. Memory: the peak of a control group, MiB.

	END
	{
		echo 'hosts|processes|1 worker|2 workers|wall, 1 worker / 2 workers|ns-3, devices|packed / ns-3|memory, 1 worker|memory, ns-3'
		for hosts in $hosts_all; do
			echo "$hosts|$(figure "hops_${hosts}_0" 1e-6 %.2f)|$(figure "hops_${hosts}_1" 1e-6 %.2f)|$(
				figure "hops_${hosts}_2" 1e-6 %.2f)|$(ratio "wall_${hosts}_1" "wall_${hosts}_2")|$(
				figure "ns3_device_$hosts" 1e-6 %.2f)|$(ratio "hops_${hosts}_1" "ns3_device_$hosts")|$(
				figure "memory_${hosts}_1_peak" "$mib" %.0f)|$(figure "memory_ns3_device_${hosts}_peak" "$mib" %.0f)"
		done
	} | table
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

ratios_begin hops
rm -rf "$samples"
mkdir -p "$samples"
ns3_prepare
measure_all
report | tee "$out/size.md"
ratios_end
[ "$broken" = 0 ]
