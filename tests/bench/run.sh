#!/usr/bin/env bash
# run - measures what Heddle costs on this machine and writes build/bench/report.md (make bench).
#
# Nothing absolute is a pass or a failure: machines differ, and a virtual one differs from itself an
# hour later. So every figure is the median of several runs with its smallest and largest value,
# taken in turn with those that it is compared with, and beside them stands the time that a cache
# line takes from core to core and back, which moves them all. Fails only if something does not run.
# usage: tests/bench/run.sh, from the top folder; RUNS=5 NS3=no PARTS='hops memory' change it
# parts: clock ring hops pair idle memory sizes profile
set -u
. tests/bench/common.sh
. tests/bench/ns3.sh

runs=${RUNS:-3}
out=build/bench
samples=$out/samples
report=$out/report.md
scenarios=tests/bench/scenarios
hosts_all="16 128 1024"
parts=${PARTS:-clock ring hops pair idle memory sizes profile}

main() {
	rm -rf "$samples"
	mkdir -p "$samples"
	trap leave EXIT
	! wants hops || ns3_prepare
	for ((run = 1; run <= runs; run++)); do
		echo "run $run of $runs"
		for part in $parts; do
			measure_part "$part"
		done
	done
	! wants profile || measure_profile
	{
		report_machine Measured
		for part in $parts; do
			report_part "$part"
		done
	} >"$report"
	cat "$report"
	echo "written to $report"
	[ "$broken" = 0 ]
}

wants() { # PART
	[[ " $parts " == *" $1 "* ]]
}

measure_part() { # PART
	case $1 in
	hops)
		for hosts in $hosts_all; do
			measure_hops "$hosts"
			measure_ns3 "$hosts"
		done
		;;
	idle)
		measure_idle
		measure_start
		;;
	profile) ;; # once
	*) "measure_$1" ;;
	esac
}

report_part() { # PART
	case $1 in
	hops)
		report_hops
		report_ns3
		;;
	idle) report_idle_and_start ;;
	*) "report_$1" ;;
	esac
}

# ---- Heddle ----

# starts a fabric, each node a process, that stops at TIME and waits there for commands on
# descriptor 3; sets heddle, nodes: process ids
paused_start() { # SCENARIO TIME ARGUMENT...
	rm -f "$out/commands"
	mkfifo "$out/commands"
	./heddle run "$scenarios/$1.yaml" --quiet --pack=0 --break-at "$2" "${@:3}" <"$out/commands" >"$out/log" 2>&1 &
	heddle=$!
	exec 3>"$out/commands"
	paused_await 1 || return 1
	nodes=$(awk -v parent="$heddle" '$4 == parent { print $1 }' /proc/[0-9]*/stat 2>/dev/null | sort -n)
}

# until the fabric has stopped for the COUNT-th time
paused_await() { # COUNT
	for ((waited = 0; waited < 1200; waited++)); do
		[ "$(grep -c '^at ' "$out/log")" -ge "$1" ] && return 0
		kill -0 "$heddle" 2>/dev/null || break
		sleep 0.05
	done
	fail "a fabric does not reach its breakpoint: $(tail -n 1 "$out/log")"
	paused_end
	return 1
}

paused_end() {
	[ -n "${heddle:-}" ] || return
	(echo quit >&3) 2>/dev/null # a subshell: writing to a heddle that has died ends it
	exec 3>&-
	wait "$heddle"
	heddle=
}

leave() {
	[ -z "${heddle:-}" ] || kill "$heddle" 2>/dev/null
	[ -z "${group:-}" ] || rmdir "$group" 2>/dev/null
	rm -f "$out/commands"
}

node_name() { # PID
	tr '\0' '\n' <"/proc/$1/cmdline" | head -n 1
}

# ---- 1 and 4: cache line, windows ----

# bench_clock prints it first; it ends when its output is closed
line_round_trip() {
	sample "line_$1" "$(build/release/bench/bench_clock 2>/dev/null | sed -n '1s/.*: \([0-9.]*\) ns$/\1/p;1q')"
}

measure_clock() {
	echo "  windows of the virtual clock"
	line_round_trip clock
	build/release/bench/bench_clock 100000 >"$out/clock" || fail "bench_clock does not run"
	while read -r processes active _ wall _ cpu wakes; do
		[[ $processes =~ ^[0-9]+$ ]] || continue
		set -- "${processes}_$([ "$active" = "$processes" ] && echo all || echo pair)"
		sample "clock_wall_$1" "$wall"
		sample "clock_cpu_$1" "$cpu"
		sample "clock_wakes_$1" "$wakes"
	done <"$out/clock"
}

report_clock() {
	cat <<-END
		## Windows of the virtual clock

		Wall time per woken process and window; the processes do nothing else. Goal: at most 0.8 us with 16
		on two cores. Cache line and back: $(figure line_clock 1 %.0f) ns.

	END
	{
		echo 'processes, all woken|wall us|CPU us|futex wakes'
		for processes in 2 4 16 64 256 1024; do
			echo "$processes|$(figure "clock_wall_${processes}_all" 0.001 %.2f)|$(
				figure "clock_cpu_${processes}_all" 0.001 %.2f)|$(
				figure "clock_wakes_${processes}_all" 1 %.3f)"
		done
	} | table
	{
		echo 'processes, two woken|wall us|CPU us'
		for processes in 4 16 64 256 1024; do
			echo "$processes|$(figure "clock_wall_${processes}_pair" 0.001 %.2f)|$(
				figure "clock_cpu_${processes}_pair" 0.001 %.2f)"
		done
	} | table
}

# ---- 3: ring ----

measure_ring() {
	echo "  rings"
	line_round_trip ring
	build/release/bench/bench_ring >"$out/ring" || fail "bench_ring does not run"
	while read -r batch ns _; do
		[[ $batch =~ ^[0-9]+$ ]] && sample "ring_$batch" "$ns"
	done <"$out/ring"
	awk '$1 ~ /^[0-9]+$/ { print $1 }' "$out/ring" >"$out/batches"
}

report_ring() {
	cat <<-END
		## Records through a ring between two processes

		Of two cache lines each, as a generated 4 kB packet. Cache line and back: $(figure line_ring 1 %.0f) ns.

	END
	{
		echo 'records published at once|ns each|million per second'
		while read -r batch; do
			echo "$batch|$(figure "ring_$batch" 1 %.1f)|$(calculate "1000 / $(median "ring_$batch")" %.1f)"
		done <"$out/batches"
	} | table
}

# ---- 2: packet-hops, and ns-3 ----

measure_hops() { # HOSTS
	echo "  $1 hosts"
	line_round_trip "$1"
	heddle_run "permutation-$1" --set run.duration=1ns --set run.drain=no || return
	local start_cpu
	start_cpu=$(value cpu_s)
	heddle_run "permutation-$1" || return
	sample "hops_$1" "$(value packet_hops_per_cpu_s)"
	sample "hops_running_$1" "$(calculate "$(value packet_hops) / ($(value cpu_s) - $start_cpu)" %.0f)"
	sample "hops_wall_$1" "$(calculate "$(value packet_hops) / $(value wall_s)" %.0f)"
	sample "start_cpu_$1" "$start_cpu"
	sample "turn_$1" "$(calculate "$(value wall_s) * 1e6 / $(value node_windows)" %.3f)"
	sample "hops_per_turn_$1" "$(calculate "$(value packet_hops) / $(value node_windows)" %.2f)"
	sample "wakes_$1" "$(calculate "$(value wakes) / $(value windows)" %.3f)"
}

report_hops() {
	cat <<-END
		## Data packet-hops per CPU second

		One data packet that crosses one link; user and system time of all processes. Permutation at full rate,
		packets of 4 kB, 200 Gb/s, 1 us links, leaf-spine. Placed as by default: 16 hosts with a process for
		each node, more in workers; "Packet-hops as fabrics grow" has each placement. Goal: at least 3 million,
		and flat. "running" leaves out what it takes to start and to end the processes.

	END
	{
		echo 'hosts|million per CPU s|running|million per wall s|CPU s to start and end|cache line and back, ns'
		for hosts in $hosts_all; do
			echo "$hosts|$(figure "hops_$hosts" 1e-6 %.2f)|$(figure "hops_running_$hosts" 1e-6 %.2f)|$(
				figure "hops_wall_$hosts" 1e-6 %.2f)|$(figure "start_cpu_$hosts" 1 %.2f)|$(
				figure "line_$hosts" 1 %.0f)"
		done
	} | table
	{
		echo 'hosts|packet-hops per process-window|wall us per process-window|futex wakes per window'
		for hosts in $hosts_all; do
			echo "$hosts|$(figure "hops_per_turn_$hosts" 1 %.1f)|$(figure "turn_$hosts" 1 %.2f)|$(
				figure "wakes_$hosts" 1 %.2f)"
		done
	} | table
}

report_ns3() {
	printf '## Beside it: ns-3\n\n'
	[ -n "$ns3" ] || { printf 'ns-3 %s.\n\n' "$ns3_why" && return; }
	cat <<-END
		Data packet-hops per CPU second, in millions, of the same fabric and traffic in the distribution's ns-3
		($(ns3_kind)), in the same runs: through its UDP and IPv4 stack with
		routing by an array, and bare from net device to net device. Its figures leave out the building of the
		fabric, so Heddle's "running" stands beside them.

	END
	{
		echo 'hosts|Heddle, running|ns-3, UDP/IP|ns-3, devices|times UDP/IP|times devices'
		for hosts in $hosts_all; do
			echo "$hosts|$(figure "hops_running_$hosts" 1e-6 %.2f)|$(figure "ns3_udp_$hosts" 1e-6 %.2f)|$(
				figure "ns3_device_$hosts" 1e-6 %.2f)|$(
				calculate "$(median "hops_running_$hosts") / $(median "ns3_udp_$hosts")" %.1f)|$(
				calculate "$(median "hops_running_$hosts") / $(median "ns3_device_$hosts")" %.1f)"
		done
	} | table
}

# ---- 5: nodes that sleep ----

measure_pair() {
	echo "  a pair that talks"
	line_round_trip pair
	heddle_run pair --pack=0 && pair_sample fabric
	heddle_run pair --pack=0 --set 'topology={generate: leaf-spine, leaves: 2, hosts-per-leaf: 1, spines: 1}' \
		--set 'workloads.0.pairs=[[h0, h1]]' && pair_sample alone
	heddle_run pair --pack=0 --set 'topology={generate: star, hosts: 2}' \
		--set 'workloads.0.pairs=[[h0, h1]]' && pair_sample star
	measure_sleepers
}

pair_sample() { # FABRIC
	sample "pair_wall_$1" "$(value wall_s)"
	sample "pair_hop_$1" "$(calculate "$(value wall_s) * 1e9 / $(value packet_hops)" %.1f)"
	sample "pair_turn_$1" "$(calculate "$(value node_windows) / $(value windows)" %.2f)"
}

# processor time of the nodes on the path and of all others between two breakpoints, while the pair
# talks
measure_sleepers() {
	local awake=0 asleep=0 used pid
	local -A before

	paused_start pair 100us || return
	for pid in $nodes; do before[$pid]=$(cpu_ns "$pid"); done
	echo 'continue 9900us' >&3
	paused_await 2 || return
	for pid in $nodes; do
		used=$(($(cpu_ns "$pid") - before[$pid]))
		case $(node_name "$pid") in
		h0 | h8 | leaf0 | leaf1 | spine0) awake=$((awake + used)) ;;
		*) asleep=$((asleep + used)) ;;
		esac
	done
	paused_end
	sample pair_awake "$awake"
	sample pair_asleep "$asleep"
}

report_pair() {
	cat <<-END
		## One pair talks

		For 10 ms of fabric time, at full rate. Cache line and back: $(figure line_pair 1 %.0f) ns.

	END
	{
		echo 'fabric|wall s|wall ns per packet-hop|processes woken per window'
		echo "64 hosts, 88 processes|$(pair_row fabric)"
		echo "the same path alone, 5 processes|$(pair_row alone)"
		echo "star of two, 3 processes|$(pair_row star)"
	} | table
	printf 'Between 100 us and 9.9 ms the five on the way used %s ms of CPU, the other 83 together %s ms.\n\n' \
		"$(figure pair_awake 1e-6 %.1f)" "$(figure pair_asleep 1e-6 %.3f)"
}

pair_row() { # FABRIC
	echo "$(figure "pair_wall_$1" 1 %.3f)|$(figure "pair_hop_$1" 1 %.0f)|$(figure "pair_turn_$1" 1 %.2f)"
}

# ---- 6 and 7: idle, start and stop ----

measure_idle() {
	local first=0 second=0 pid

	echo "  256 nodes"
	paused_start start-256 1us || return
	sleep 0.5
	for pid in $heddle $nodes; do first=$((first + $(cpu_ns "$pid"))); done
	sleep 2
	for pid in $heddle $nodes; do second=$((second + $(cpu_ns "$pid"))); done
	paused_end
	sample idle "$(calculate "($second - $first) / 2e9" %.6f)"
}

measure_start() {
	heddle_run start-256 --pack=0 || return
	sample start "$(value start_s)"
	sample stop "$(value end_s)"
}

report_idle_and_start() {
	printf '## 256 nodes\n\n'
	{
		echo 'what|measured|goal'
		echo "start, s|$(figure start 1 %.3f)|1.5"
		echo "stop, s|$(figure stop 1 %.3f)|0.5"
		echo "CPU of all while the fabric stands still, %|$(figure idle 100 %.3f)|0"
	} | table
}

# ---- 8: memory ----

measure_memory() {
	echo "  memory"
	memory_sample permutation permutation-16 900us --set workloads.0.shift=32 \
		--set 'topology={generate: leaf-spine, leaves: 2, hosts-per-leaf: 32, spines: 32}'
	memory_sample channels channels 55us
	./heddle run "$scenarios/channels.yaml" >"$out/log" 2>&1 </dev/null || fail "channels: $(tail -n 1 "$out/log")"
	for table in EFCT IFCT OFCT; do
		sample "channels_$table" "$(sed -n "s/^flow channel tables.*($table) \([0-9]*\) of .*/\1/p" "$out/log")"
	done
}

# proportional memory, in kB, of one switch of 64 ports and of one NIC at TIME
memory_sample() { # FIGURE SCENARIO TIME ARGUMENT...
	local pid found=0

	paused_start "${@:2}" || return
	for pid in $nodes; do
		case $(node_name "$pid") in
		leaf0) memory_of "$pid" "$1_switchd" && found=$((found + 1)) ;;
		h1) memory_of "$pid" "$1_nicd" && found=$((found + 1)) ;;
		esac
	done
	paused_end
	[ "$found" = 2 ] || fail "$2: leaf0 and h1 are not both processes"
}

memory_of() { # PID FIGURE
	local key kb

	while read -r key kb _; do
		case $key in
		Pss: | Pss_Anon: | Pss_Shmem:) sample "memory_$2_${key%:}" "$kb" ;;
		esac
	done <"/proc/$1/smaps_rollup"
}

report_memory() {
	cat <<-END
		## Proportional memory of a process

		In MiB (PSS), sampled while the fabric stands still after traffic; a ring counts half at either end.
		Goals: 4 MiB for a NIC, 16 MiB for a switch of 64 ports with 2048 channels a port.

	END
	{
		echo 'process|all|own tables and heap|shared: rings, clock, statistics'
		echo "switchd, 64 ports, 4 kB packets at full rate|$(memory_row permutation_switchd)"
		echo "switchd, 64 ports, 64 B packets, channels in use|$(memory_row channels_switchd)"
		echo "nicd, 4 kB packets at full rate|$(memory_row permutation_nicd)"
		echo "nicd, 64 B packets, 4032 flows|$(memory_row channels_nicd)"
	} | table
	printf 'Channels in use at one port with packets of 64 B: EFCT %s, IFCT %s, OFCT %s of 2048.\n\n' \
		"$(median channels_EFCT)" "$(median channels_IFCT)" "$(median channels_OFCT)"
}

memory_row() { # FIGURE
	echo "$(figure "memory_$1_Pss" 0.0009765625 %.1f)|$(figure "memory_$1_Pss_Anon" 0.0009765625 %.1f)|$(
		figure "memory_$1_Pss_Shmem" 0.0009765625 %.1f)"
}

# ---- 9: a thousand hosts, and ten thousand ----

sizes="dragonfly-1056 fat-tree-1024 dragonfly-9702 fat-tree-11664"

# size_workers FABRIC - numbers of workers, one after the other; 0: nodes are processes
size_workers() {
	case $1 in
	*-1056 | *-1024) echo '0 1 2' ;;
	*) echo 2 ;;
	esac
}

measure_sizes() {
	local fabric workers figure within=in_group

	for fabric in $sizes; do
		for workers in $(size_workers "$fabric"); do
			figure=size_${fabric}_$workers
			echo "  $fabric, --pack=$workers"
			group_make
			heddle_run "../../../topologies/$fabric" --pack="$workers" && {
				sample "${figure}_start" "$(value start_s)"
				sample "${figure}_wall" "$(value wall_s)"
				sample "${figure}_cpu" "$(value cpu_s)"
			}
			group_end "$figure"
		done
	done
}

report_sizes() {
	local fabric workers figure

	cat <<-END
		## A thousand hosts, and ten thousand

		\`heddle run\` of 100 us of a permutation with adaptive routing. The start includes discovery and
		tables by the fabric manager. Memory is the peak of a control group around the run, with the
		kernel's part of it, where this machine can tell.

	END
	{
		echo 'fabric|--pack=|start, s|run, s|CPU of all, s|memory, MiB|of the kernel'
		for fabric in $sizes; do
			for workers in $(size_workers "$fabric"); do
				figure=size_${fabric}_$workers
				echo "$fabric|$workers|$(figure "${figure}_start" 1 %.2f)|$(
					figure "${figure}_wall" 1 %.1f)|$(figure "${figure}_cpu" 1 %.1f)|$(
					figure "${figure}_peak" $mib %.0f)|$(figure "${figure}_kernel" $mib %.0f)"
			done
		done
	} | table
}

# ---- where the time goes ----

# once, of the run with 128 hosts, where perf (Debian: linux-perf) is there and may be used
measure_profile() {
	command -v perf >/dev/null || return
	echo "profile"
	perf record -q -e cpu-clock -F 1999 -o "$out/perf.data" -- \
		./heddle run "$scenarios/permutation-128.yaml" --quiet >"$out/log" 2>&1 </dev/null || return
	perf report -q -i "$out/perf.data" --no-children --sort dso,symbol --stdio 2>/dev/null |
		sed -E 's/\[kernel[^]]*\]/kernel/; s/\[[.k]\] //' |
		awk 'NF > 2 { print $2 "|" $3 "|" $1 }' >"$out/profile"
}

report_profile() {
	[ -s "$out/profile" ] || return
	cat <<-END
		## Where the time goes

		Share of all CPU time, 128 hosts, from a profile (perf, 2000 samples a second).

	END
	{
		echo 'program|share'
		awk -F'|' '
			{ share[$1] += $3 }
			END {
				for (program in share)
					if (share[program] >= 0.5)
						printf "%s|%.1f %%\n", program, share[program]
			}
		' "$out/profile" | sort -t '|' -k 2 -gr
	} | table
	{
		echo 'program: function|share'
		awk -F'|' '{ print $1 ": " $2 "|" $3 }' "$out/profile" | head -n 24
	} | table
}

main
