#!/usr/bin/env bash
# hosts - measures attached hosts beside others that join network namespaces, and writes
# build/bench/hosts.md (make bench).
#
# The same hosts, switches and programs five times, in turn within every round: Heddle with links of
# shared memory and with veth links, Linux bridges, Open vSwitch with its datapath in user space
# (its kernel module is rarely at hand in a container), and Mininet with that. Everything happens in
# namespaces for users, processes, mounts and networks of its own, so that nothing is left however
# this ends: no process, interface, namespace or file but the report. What is not installed is not
# measured. Fails only if something does not run.
# usage: tests/bench/hosts.sh, from the top folder
#        RUNS=5 CONTESTANTS='shm ovs' CHAINS='3' SIZES='64' HEDDLE=./heddle change it
set -u
. tests/bench/common.sh
. tests/bench/ratios.sh

runs=${RUNS:-3}
out=build/bench/hosts
samples=$out/samples
report=build/bench/hosts.md
scenarios=tests/bench/scenarios
heddle=${HEDDLE:-./heddle}
tools=build/release/bench
contestants=${CONTESTANTS:-shm polled packed quick veth bridge ovs mininet}
chains=${CHAINS:-1 3 5}
sizes=${SIZES-16 64 256}
poll=${POLL:-1ms}
mtus="1500 9000"
scratch=/run/hosts # a file system that ends with us
export HEDDLE_RUNTIME_DIR=$scratch/heddle

declare -A title=(
	[shm]='Heddle, shared memory' [polled]='Heddle, --poll' [packed]='Heddle, --pack'
	[quick]='Heddle, --pack --poll' [veth]='Heddle, veth links' [bridge]='Linux bridge' [ovs]='Open vSwitch, user space'
	[mininet]='Mininet with that' [packet]='AF_PACKET' [xdp]='AF_XDP, generic mode'
)

# all of it happens in namespaces of our own; the first process in there takes all others with it
if [ "${1:-}" != inside ]; then
	user=()
	[ "$(id -u)" = 0 ] || user=(--user --map-root-user)
	unshare "${user[@]}" --net --mount --pid --fork --kill-child --mount-proc "$0" inside </dev/null &
	inside=$!
	trap 'kill -KILL $inside; exit 130' INT TERM
	wait $inside
	exit
fi

main() {
	mount -t tmpfs tmpfs /run || exit
	mkdir -m 700 "$scratch" "$HEDDLE_RUNTIME_DIR" && mkdir -p /run/netns /run/openvswitch
	ip link set lo up
	rm -rf "$out"
	mkdir -p "$samples"
	find_contestants
	ratios_begin hosts
	measure_all
	{
		report_machine 'Attached hosts, measured'
		report_contestants
		report_goals
		report_chains
		report_hosts
		report_rest
		report_packet_io
	} >"$report"
	cat "$report"
	echo "written to $report"
	ratios_end
	[ "$broken" = 0 ]
}

# all of it in turn, as often as `runs` says
measure_all() {
	for ((run = 1; run <= runs; run++)); do
		echo "run $run of $runs"
		for switches in $chains; do
			for contestant in $contestants; do
				measure_chain
			done
		done
		for hosts in $sizes; do
			for contestant in $contestants; do
				measure_hosts
			done
		done
		measure_packet_io
	done
}

# for ratios.sh; round trips are better where they are shorter
all_ratios() {
	for switches in $chains; do
		[ "$switches" = 1 ] && continue
		echo "round_trip_ovs_to_shm_$switches $(ratio "ping_ovs_$switches" "ping_shm_$switches")"
		echo "round_trip_ovs_to_quick_$switches $(ratio "ping_ovs_$switches" "ping_quick_$switches")"
		echo "packets_packed_to_bridge_$switches $(ratio "packets_packed_$switches" "packets_bridge_$switches")"
		for contestant in shm veth; do
			for what in packets tcp1500 tcp9000; do
				echo "${what}_${contestant}_to_ovs_$switches $(ratio "${what}_${contestant}_$switches" "${what}_ovs_$switches")"
			done
		done
	done
}

# ---- contestants: each has NAME_up, NAME_down, NAME_on, NAME_process; they build $wires ----

# sets $contestants, which can be measured, and $missing, which cannot, with the reasons
find_contestants() {
	local wanted=$contestants why

	contestants='' missing=''
	for contestant in $wanted; do
		why=$(needs "$contestant")
		[ -z "$why" ] && contestants+="$contestant " && continue
		missing+="- ${title[$contestant]}: not measured, $why"$'\n'
		echo "  ${title[$contestant]}: not measured, $why"
	done
}

# what CONTESTANT lacks; nothing if it can be measured
needs() { # CONTESTANT
	have iperf3 iperf3 || return
	have ping iputils-ping || return
	have ip iproute2 || return
	case $1 in
	ovs | mininet)
		have ovs-vswitchd openvswitch-switch && have ethtool ethtool || return
		(: >/dev/net/tun) 2>/dev/null || { echo '/dev/net/tun cannot be opened' && return; }
		;;&
	mininet) have mn mininet ;;
	esac
}

have() { # PROGRAM PACKAGE
	command -v "$1" >/dev/null || { echo "package $2 is not installed" && return 1; }
}

# a row of COUNT switches with a host at each end, as lines 'switch S', 'host H S', 'link S S'
chain_wires() { # COUNT
	for ((i = 1; i <= $1; i++)); do echo "switch s$i"; done
	for ((i = 1; i < $1; i++)); do echo "link s$i s$((i + 1))"; done
	echo "host h1 s1"
	echo "host h2 s$1"
}

# COUNT hosts, evenly on leaves that one spine joins
tree_wires() { # COUNT
	local leaves=${leaves_of[$1]}

	for ((i = 1; i <= leaves + 1; i++)); do echo "switch s$i"; done
	for ((i = 1; i <= leaves; i++)); do echo "link s$i s$((leaves + 1))"; done
	for ((i = 0; i < $1; i++)); do echo "host h$((i + 1)) s$((i * leaves / $1 + 1))"; done
}

declare -A leaves_of=([16]=2 [64]=4 [256]=8)

address() { # HOST-NUMBER
	echo "10.0.$(($1 / 256)).$(($1 % 256))"
}

# Heddle; the scenario is that of $fabric
shm_up() { heddle_up shm; }
polled_up() { heddle_up shm --poll="$poll"; }
packed_up() { heddle_up shm --pack; }
quick_up() { heddle_up shm --pack --poll="$poll"; }
veth_up() { heddle_up veth; }
for contestant in shm polled packed quick veth; do
	eval "${contestant}_down() { heddle_down; }; ${contestant}_on() { heddle_on \"\$@\"; }; ${contestant}_process() { heddle_process; }"
done

heddle_up() { # MEDIUM [OPTION...]
	local size=()

	[ -z "$hosts" ] || size=(--set "topology.leaves=${leaves_of[$hosts]}"
		--set "topology.hosts-per-leaf=$((hosts / leaves_of[$hosts]))")
	timeout 60 "$heddle" up "$scenarios/$fabric.yaml" --set "links.medium=$1" "${size[@]}" "${@:2}" >"$out/log" 2>&1
}

heddle_down() {
	timeout 60 "$heddle" down --all >"$out/log" 2>&1
}

# generated hosts are numbered from 0
heddle_on() { # HOST-NUMBER PROGRAM...
	local number=$1

	[ -z "$hosts" ] || number=$((number - 1))
	"$heddle" exec "h$number" -- "${@:2}"
}

heddle_process() {
	echo '/(heddle|switchd|nicd|workerd)$'
}

# hosts as `ip netns` makes them, joined by veth pairs; the ends at switches are called after switch
# and peer
namespaces_up() {
	local number=0 kind name peer

	while read -r kind name peer; do
		case $kind in
		host)
			echo "netns add $name"
			echo "link add $peer-$name mtu $mtu up type veth peer name eth0 mtu $mtu netns $name"
			;;
		link)
			echo "link add $name-$peer mtu $mtu up type veth peer name $peer-$name mtu $mtu"
			echo "link set $peer-$name up"
			;;
		esac
	done <"$wires" | ip -batch - || return
	while read -r kind name _; do
		[ "$kind" = host ] || continue
		number=$((number + 1))
		printf '%s\n' 'link set lo up' "address add $(address $number)/8 dev eth0" 'link set eth0 up' |
			ip -n "$name" -batch - || return
	done <"$wires"
}

namespaces_down() {
	awk '$1 == "host" { print "netns del " $2 } $1 == "link" { print "link del " $2 "-" $3 }' "$wires" | ip -batch -
}

namespaces_on() { # HOST-NUMBER PROGRAM...
	ip netns exec "h$1" "${@:2}"
}

# switch and port, a line for each port
ports() {
	awk '$1 == "host" { print $3, $3 "-" $2 } $1 == "link" { print $2, $2 "-" $3; print $3, $3 "-" $2 }' "$wires"
}

bridge_up() {
	namespaces_up || return
	{
		awk '$1 == "switch" { print "link add " $2 " up type bridge" }' "$wires"
		ports | awk '{ print "link set " $2 " master " $1 }'
	} | ip -batch -
}

bridge_down() {
	namespaces_down
	awk '$1 == "switch" { print "link del " $2 }' "$wires" | ip -batch -
}

bridge_on() { namespaces_on "$@"; }
bridge_process() { echo nothing; }

# Open vSwitch; its daemons run before the clock starts and end after it has stopped, as they do
# where it is a service
ovs_prepare() {
	{
		rm -f /run/openvswitch/*
		ovsdb-tool create /run/openvswitch/conf.db /usr/share/openvswitch/vswitch.ovsschema &&
			ovsdb-server /run/openvswitch/conf.db --remote=punix:/run/openvswitch/db.sock --pidfile --detach \
				--no-chdir --log-file="$scratch/ovsdb.log" &&
			ovs-vswitchd unix:/run/openvswitch/db.sock --pidfile --detach --no-chdir --log-file="$scratch/ovs.log"
	} >"$out/log" 2>&1
}

ovs_clear() {
	local pid
	for file in /run/openvswitch/{ovs-vswitchd,ovsdb-server}.pid; do
		read -r pid <"$file" && kill "$pid" && while kill -0 "$pid" 2>/dev/null; do sleep 0.02; done
	done 2>/dev/null
}

ovs_up() {
	namespaces_up || return
	# shellcheck disable=SC2046
	ovs-vsctl --timeout=60 $(
		awk '$1 == "switch" { print "-- add-br " $2 " -- set bridge " $2 " datapath_type=netdev" }' "$wires"
		ports | sed 's/^/-- add-port /'
	)
}

ovs_down() {
	# shellcheck disable=SC2046
	ovs-vsctl --timeout=60 $(awk '$1 == "switch" { print "-- del-br " $2 }' "$wires")
	namespaces_down
}

ovs_on() { namespaces_on "$@"; }
ovs_process() { echo 'ovs-vswitchd|ovsdb-server'; }

# Mininet
mininet_prepare() { ovs_prepare; }
mininet_clear() { ovs_clear; }

# its settings of the whole machine (mininet.util.fixLimits) are none of its business here
mininet_up() {
	coproc mininet {
		exec unshare --mount sh -c 'mount --bind /proc/sys /proc/sys && mount -o remount,bind,ro /proc/sys &&
			exec /usr/bin/python3 tests/bench/mininet_fabric.py "$@"' sh "$wires" "$mtu" 2>"$out/log"
	}
	read -r -t 120 ready mininet_hosts <&"${mininet[0]}" && [ "$ready" = ready ]
}

mininet_down() {
	local pid=${mininet_PID:-}

	[ -z "$pid" ] || { echo >&"${mininet[1]}"; wait "$pid"; } 2>/dev/null
}

mininet_on() { # HOST-NUMBER PROGRAM...
	local pid

	pid=$(grep -o "\bh$1=[0-9]*" <<<"$mininet_hosts")
	nsenter -t "${pid#*=}" -n "${@:2}"
}

mininet_process() { echo 'ovs-vswitchd|ovsdb-server|mininet'; }

# ---- a fabric goes up and down, and works in between ----

# starts FABRIC of the present contestant with $mtu; sets $up_s, and $last, the address of the last
# host. HOSTS: so many on a tree
fabric_up() { # FABRIC MTU [HOSTS]
	local from

	fabric=$1 mtu=$2 hosts=${3:-}
	wires=$scratch/wires
	last=$(address "${hosts:-2}")
	if [ -n "$hosts" ]; then tree_wires "$hosts"; else chain_wires "${fabric#chain-}"; fi >"$wires"
	optional "${contestant}_prepare" || { fail "$(complaint)" && return 1; }
	from=$(now)
	if ! "${contestant}_up" 2>>"$out/log"; then
		fail "$(complaint)"
	else
		up_s=$(calculate "$(now) - $from" %.6f)
		for _ in 1 2 3 4 5 6 7 8 9 10; do
			on 1 ping -q -c 1 -W 1 "$last" >"$out/log" 2>&1 && return
		done
		fail "${title[$contestant]}, $fabric $hosts: hosts do not reach each other"
	fi
	fabric_down
	return 1
}

# sets $down_s
fabric_down() {
	local from

	from=$(now)
	"${contestant}_down" 2>>"$out/log"
	down_s=$(calculate "$(now) - $from" %.6f)
	optional "${contestant}_clear"
	# the kernel removes namespaces some time after their end
	sleep "$(calculate "0.5 + ${hosts:-0} / 256" %.1f)"
}

complaint() {
	echo "${title[$contestant]}, $fabric $hosts: $(tail -n 1 "$out/log")"
}

optional() { # FUNCTION
	! declare -F "$1" >/dev/null || "$1"
}

on() { # HOST-NUMBER PROGRAM...
	"${contestant}_on" "$@"
}

now() {
	echo "$EPOCHREALTIME"
}

# ---- packets, streams, round trips over a row of switches ----

measure_chain() {
	echo "  $switches switches: ${title[$contestant]}"
	fabric_up "chain-$switches" 9000 || return
	# checksums that are left to the device are not added in user space
	case $contestant in ovs | mininet)
		for host in 1 2; do on "$host" ethtool -K "$(device "$host")" tx off >"$out/log" 2>&1; done
		;;
	esac
	sleep 1 # switches have learnt addresses, and hosts have asked for their neighbours
	for bytes in $mtus; do
		measure_stream "$bytes"
	done
	measure_ping
	measure_packets # last, for an overload may take a while to drain
	fabric_down
}

device() { # HOST-NUMBER
	[ "$contestant" = mininet ] && echo "h$1-eth0" || echo eth0
}

# A sender that does not pace itself takes the processor time that forwarding needs, so the most
# that arrived is looked for: of that, of twice as much as arrived then, and of one and a half times
# the best so far, but of 20 000 at least.
measure_packets() {
	local best received offer factor

	best=$(packets_arriving)
	sample "flood_${contestant}_$switches" "$best"
	sample "taken_${contestant}_$switches" "$(cat "$out/taken")"
	for factor in 2 1.5; do
		offer=$(calculate "$best * $factor" %.0f)
		received=$(packets_arriving "$((offer > 20000 ? offer : 20000))")
		best=$((received > best ? received : best))
	done
	sample "packets_${contestant}_$switches" "$best"
	sample "hops_${contestant}_$switches" "$((best * switches))"
}

# packets a second of those sent at RATE, or as fast as they are taken
packets_arriving() { # [RATE]
	local receiver

	on 2 "$tools/bench_udp" receive 500 >"$out/received" &
	receiver=$!
	sleep 0.1
	on 1 "$tools/bench_udp" send "$last" 900 "$@" >"$out/taken"
	wait "$receiver"
	cat "$out/received"
}

measure_ping() {
	on 1 ping -n -i 0.002 -c 500 "$last" | sed -n 's/.*time=\([0-9.]*\) ms/\1/p' | sort -g >"$out/ping"
	sample "ping_${contestant}_$switches" "$(percentile 50)"
	sample "ping99_${contestant}_$switches" "$(percentile 99)"
}

percentile() { # OF-100; of the sorted round trips
	awk -v share="$1" '{ value[NR] = $1 } END { if (NR) print value[int((NR * share + 99) / 100)] }' "$out/ping"
}

measure_stream() { # MTU
	local server attempt rate

	for host in 1 2; do on "$host" ip link set "$(device "$host")" mtu "$1"; done
	on 2 iperf3 -s -1 >"$out/log" 2>&1 &
	server=$!
	for attempt in 1 2 3 4 5; do
		sleep 0.2
		rate=$(on 1 timeout 20 iperf3 -c "$last" -t 1 -f m 2>&1 |
			awk '/receiver/ { for (i = 2; i <= NF; i++) if ($i == "Mbits/sec") print $(i - 1) }')
		[ -n "$rate" ] && break
	done
	[ -n "$rate" ] || { fail "${title[$contestant]}, $fabric: no TCP stream after $attempt attempts" && kill "$server"; }
	wait "$server"
	sample "tcp$1_${contestant}_$switches" "$rate"
}

# ---- many hosts: start, stop, rest ----

measure_hosts() {
	echo "  $hosts hosts: ${title[$contestant]}"
	fabric_up hosts 1500 "$hosts" || return
	sample "up_${contestant}_$hosts" "$up_s"
	[ "$hosts" = 64 ] && measure_rest
	fabric_down
	sample "down_${contestant}_$hosts" "$down_s"
}

# processor time and memory of all processes of the fabric without traffic
measure_rest() {
	local first=0 second=0 pids pid total=0 nicds=0 kb

	pids=$(fabric_pids)
	sleep 2 # neighbour discovery has ended
	for pid in $pids; do first=$((first + $(cpu_ns "$pid"))); done
	sleep 2
	for pid in $pids; do second=$((second + $(cpu_ns "$pid"))); done
	sample "idle_$contestant" "$(calculate "($second - $first) / 2e7" %.4f)"
	for pid in $pids; do
		kb=$(pss_kb "$pid")
		total=$((total + kb))
		[[ $(readlink "/proc/$pid/exe") = */nicd ]] && nicds=$((nicds + kb))
	done
	sample "memory_$contestant" "$(calculate "$total * 1.024e-3 / $hosts" %.4f)"
	[ "$nicds" = 0 ] || sample "memory_nicd_$contestant" "$(calculate "$nicds * 1.024e-3 / $hosts" %.4f)"
}

# all processes here are ours, so those of the fabric are known by their program or command line
fabric_pids() {
	local pattern pid

	pattern=$("${contestant}_process")
	for pid in /proc/[0-9]*; do
		{ readlink "$pid/exe"; tr '\0' ' ' <"$pid/cmdline"; } 2>/dev/null | grep -qE "$pattern" && echo "${pid#/proc/}"
	done
}

pss_kb() { # PID
	awk '$1 == "Pss:" { kb = $2 } END { print kb + 0 }' "/proc/$1/smaps_rollup" 2>/dev/null
}

# ---- packet sockets or AF_XDP ----

measure_packet_io() {
	local method median
	local -A rate=()

	echo "  AF_PACKET and AF_XDP"
	"$tools/bench_packet_io" 200 >"$out/packet_io" 2>"$out/log" || { fail "$(tail -n 1 "$out/log")" && return; }
	while read -r method median _; do
		case $method in packet | xdp) rate[$method]=$median ;; esac
	done <"$out/packet_io"
	sample io_packet "${rate[packet]}"
	[ "${rate[xdp]}" = 0 ] && return # which the kernel did not allow
	sample io_xdp "${rate[xdp]}"
	sample io_times "$(calculate "${rate[xdp]} / ${rate[packet]}" %.3f)"
}

# ---- report ----

report_contestants() {
	cat <<-END
		Hosts are network namespaces, joined by a row of switches with a host at each end, or, for starting, stopping and
		rest, by a two-level tree. All in turn in the same rounds, with the same programs:

		- Heddle: its own processes; links of 800 Gb/s without delay, so that no configured rate limits anything; as
		  shared memory, and as veth pairs (\`medium: veth\`). Every packet crosses every switch with its flow channel.
		- Linux bridge: a bridge for each switch, veth pairs between them; all forwarding in the kernel, in the context
		  of the sender, and TCP's super-frames of 64 KB cross uncut. What can be had without a fabric model.
		- Open vSwitch: $(ovs-vswitchd --version 2>/dev/null | head -n 1), datapath in user space (netdev), veth pairs
		  between its bridges; one process, one forwarding thread. Checksum offload of its hosts is off, as it needs.
		- Mininet: $(mn --version 2>&1 | tail -n 1), its switches being Open vSwitch's with \`datapath=user\`.

		$missing
	END
}

# ---- goals ----

report_goals() {
	printf '## Goals\n\n'
	{
		echo 'what|measured|goal|'
		for switches in $chains; do
			[ "$switches" = 1 ] && continue
			goal_times packets shm ovs "$switches" 1.5
			goal_times packets veth ovs "$switches" 1.5
			for bytes in $mtus; do
				goal_times "tcp$bytes" shm ovs "$switches" 1.5
				goal_times "tcp$bytes" veth ovs "$switches" 1.5
			done
			goal_times tcp1500 shm bridge "$switches" 0.75
		done
		goal_times packets shm bridge 5 2.5
		goal_at_most 'round trip over 3 switches, --pack --poll, us' ping_quick_3 1000 %.0f 60
		goal_at_most '64 hosts up, s' up_shm_64 1 %.2f 1
		goal_at_most '64 hosts down, s' down_shm_64 1 %.2f 0.5
		goal_at_most '256 hosts up, s' up_shm_256 1 %.2f 3
		goal_at_most '256 hosts down, s' down_shm_256 1 %.2f 1
		goal_at_most '64 hosts down, --pack, s' down_packed_64 1 %.2f 0.5
		goal_at_most '256 hosts down, --pack, s' down_packed_256 1 %.2f 1
		goal_at_most '64 hosts at rest, % of a core' idle_shm 1 %.2f 1
		goal_at_most 'memory of a host beside its namespace, its NIC, MB' memory_nicd_shm 1 %.2f 3
		goal_at_most 'and with its share of switches and daemon, MB' memory_shm 1 %.2f 3
	} | table
}

goal_times() { # FIGURE CONTESTANT OTHER SWITCHES GOAL
	local times what

	case $1 in
	packets) what='small packets' ;;
	tcp*) what="TCP, MTU ${1#tcp}" ;;
	esac
	times=$(calculate "$(median "$1_$2_$4") / $(median "$1_$3_$4")" %.2f)
	echo "$what, $4 switches: ${title[$2]}, times ${title[$3]}|$times|>= $5|$(verdict "$times >= $5")"
}

goal_at_most() { # WHAT FIGURE FACTOR FORMAT GOAL
	local value

	value=$(median "$2")
	echo "$1|$(figure "$2" "$3" "$4")|<= $5|$(verdict "${value:--} * $3 <= $5")"
}

verdict() { # CONDITION
	[[ $1 = -* ]] && echo 'not measured' && return
	awk "BEGIN { exit !($1) }" && echo reached || echo missed
}

# ---- tables ----

report_chains() {
	cat <<-END
		## Small packets

		UDP, 64 bytes with headers and FCS, thousands a second, one sender (tests/bench/bench_udp.c). The most that arrived
		of three offers, one of them without pace; "crossings" are packets times switches.

	END
	chain_table 'most packets' packets 0.001 %.0f
	chain_table 'crossings' hops 0.001 %.0f
	printf 'What arrived of a sender that does not pace itself, and what its socket took:\n\n'
	chain_table 'arrived' flood 0.001 %.0f
	chain_table 'taken' taken 0.001 %.0f
	for bytes in $mtus; do
		printf '## TCP, MTU %s\n\nOne stream of iperf3, Gb/s received.\n\n' "$bytes"
		chain_table "MTU $bytes" "tcp$bytes" 0.001 %.2f
	done
	printf '## Round trip\n\nOf 500 pings, one each 2 ms, in microseconds: the medians of their medians and 99th percentiles.\n\n'
	chain_table 'median' ping 1000 %.0f
	chain_table 'p99' ping99 1000 %.0f
}

heading() {
	for switches in $chains; do printf '|%s switches' "$switches"; done
}

chain_table() { # WHAT FIGURE FACTOR FORMAT
	{
		echo "$1$(heading)"
		for contestant in $contestants; do
			row="${title[$contestant]}"
			for switches in $chains; do
				row+="|$(figure "$2_${contestant}_$switches" "$3" "$4")"
			done
			echo "$row"
		done
	} | table
}

report_hosts() {
	cat <<-END
		## Start and stop

		Seconds until the command is done; the daemons of Open vSwitch run before. Bridges and Open vSwitch are made with
		\`ip -batch\` and one \`ovs-vsctl\`.

	END
	for what in up down; do
		{
			# shellcheck disable=SC2086
			echo "$what$(printf '|%s hosts' $sizes)"
			for contestant in $contestants; do
				row="${title[$contestant]}"
				for hosts in $sizes; do
					row+="|$(figure "${what}_${contestant}_$hosts" 1 %.2f)"
				done
				echo "$row"
			done
		} | table
	done
}

report_rest() {
	cat <<-END
		## 64 hosts at rest

		All processes of the fabric, without the kernel's own: processor time over 2 s, memory in proportion (PSS).

	END
	{
		echo 'what|% of a core|MB a host|of it its NIC'
		for contestant in $contestants; do
			echo "${title[$contestant]}|$(figure "idle_$contestant" 1 %.2f)|$(figure "memory_$contestant" 1 %.2f)|$(
				figure "memory_nicd_$contestant" 1 %.2f)"
		done
	} | table
}

report_packet_io() {
	cat <<-END
		## What veth links are built on

		Frames of 64 bytes from one veth pair to another one, in thousands a second: packet sockets with batched calls, as
		\`nodes/link/carrier.c\` has them, and AF_XDP in its generic mode, which works on any veth pair.

	END
	{
		echo 'method|passed on'
		for method in packet xdp; do
			echo "${title[$method]}|$(figure "io_$method" 0.001 %.0f)"
		done
	} | table
	[ -s "$samples/io_times" ] || { printf 'AF_XDP is not allowed here.\n' && return; }
	printf 'AF_XDP passes on %s times as much. It needs the right to load BPF programs, which root has but no other user,\n' \
		"$(figure io_times 1 %.2f)"
	printf 'not in a user namespace either, and Heddle runs as any user (TB-16): packet sockets stay.\n'
	awk "BEGIN { exit !($(median io_times) >= 2) }" && printf 'For root it would be worth having beside them.\n'
}

trap 'exit 130' INT TERM
main
