#!/usr/bin/env bash
# test_hosts - real programs over three switches (TB-8, TB-15, TB-16, FC-3): what they were written
# for works, unchanged.
#
#   h1, h2 - s1 --- s2 (h3, h4) --- s3 - h5, h6     10 Gb/s, 10 us a link: topologies/two-racks.yaml
#
# The kernel's own stack, ping, iperf3, curl, Open MPI and redis judge. Everything runs in one
# fabric of its own runtime directory. BRIEF=1: only ping and iperf3; so test_rootless calls it as
# an ordinary user. Skipped where the kernel forbids network namespaces.
set -u
. "$(dirname "$0")/common.sh"

fabric_dir

# on HOST COMMAND... - runs it there; two minutes mean that it hangs
on() {
	local host=$1
	shift
	timeout 120 "$heddle" exec "$host" -- "$@"
}

have() {
	command -v "$1" >/dev/null && return
	skip "$2" "$1 is not installed"
	return 1
}

# h4 is a router to two networks (FC-3)
fabric_up "$topologies/two-racks.yaml" --set 'topology.hosts.h4={switch: s2, prefixes: [10.9.0.0/16, "fd99::/32"]}'

ping_all() {
	for from in 1 3 6; do
		for to in 1 2 3 4 5 6; do
			on "h$from" ping "$@" -c 1 -w 30 -q "h$to" || return 1
		done
	done
}
check 'ping by name, IPv4, among all' ping_all -4
check 'ping by name, IPv6, among all' ping_all -6
check 'ARP has found the neighbour' on h1 sh -c 'ip neigh show 10.0.0.6 | grep -q 02:48:00:00:00:06'
check 'neighbour discovery too' on h1 sh -c 'ip -6 neigh show | grep -q 02:48:00:00:00:06'
check 'an MTU of 9000, unfragmented' on h1 ping -4 -c 3 -i 0.2 -w 30 -q -M do -s 8972 h6
bigger_refused() { ! on h1 ping -4 -c 1 -W 1 -q -M do -s 8973 h6; }
check 'and not a byte more' bigger_refused
# no host answers a broadcast ping, but its kernel counts what it receives
heard() { on "$1" awk '$1 == "IpExt:" { if (n++) print $at; else for (at = NF; $at != "InBcastPkts"; at--); }' /proc/net/netstat; }
broadcast() {
	local before host
	before=$(for host in h2 h3 h4 h5 h6; do heard $host; done)
	on h1 ping -4 -b -c 2 -i 0.2 -W 1 -q 10.255.255.255 2>&1
	# a copy may follow
	wait_for heard_by_all '>=' "$before" && sleep 0.2 && heard_by_all '==' "$before"
}
# heard_by_all '==' BEFORE - two frames by each of them
heard_by_all() {
	for host in h2 h3 h4 h5 h6; do heard $host; done | paste - <(echo "$2") |
		awk "{ if (\$1 - \$2 $1 2) n++; print >\"$scratch/heard\" } END { if (n == 5) print \"all\"; exit n != 5 || NR != 5 }" ||
		{ cat "$scratch/heard" >&2; return 1; }
}
check 'broadcast reaches all others, once' broadcast
# FC-3: behind the router, addresses of its loopback interface; all others have a route to them
routed() {
	on h4 ip addr add 10.9.5.5/32 dev lo && on h4 ip -6 addr add fd99::5/128 dev lo && on h4 sysctl -n net.ipv4.ip_forward | grep -qx 1 &&
		on h1 ping -c 1 -w 30 -q 10.9.5.5 && on h6 ping -c 1 -w 30 -q fd99::5
}
check 'networks behind a router' routed
# with a MAC that no host has: the ingress edge finds the router by the prefix, and no other host
# sees the frames
nic_received() { "$heddle" ps two-racks --json | jq --arg host "$1" '.[0].nodes[] | select(.name == $host).received_packets'; }
router_has() { [ "$(nic_received h4)" -ge "$1" ] && echo "$1"; }
by_prefix() {
	local router other
	on h1 ip neigh replace 10.0.0.4 lladdr 02:99:99:99:99:99 dev eth0
	router=$(nic_received h4) other=$(nic_received h2)
	on h1 ping -c 40 -i 0.01 -W 1 -q 10.9.5.5
	on h1 ip neigh del 10.0.0.4 dev eth0
	wait_for router_has $((router + 40)) || return 1
	other=$(($(nic_received h2) - other))
	echo "h2 has had $other frames"
	[ "$other" -lt 40 ] # neighbour discovery of its own goes on
}
if have jq 'translation by prefix'; then
	check 'an unknown MAC before an address of the network: to the router alone' by_prefix
fi
check 'a host name of its own' sh -c "[ \"\$('$heddle' exec h4 -- hostname)\" = h4 ]"
check 'the exit status of a program' sh -c "'$heddle' exec h4 -- sh -c 'exit 7'; [ \$? = 7 ]"

# the server ends after one client (-1), and with the fabric at the latest
iperf() {
	on h6 iperf3 -s -1 -D && listening h6 5201 || return 1
	on h1 iperf3 -c h6 -J "$@" >"$scratch/iperf"
}
# 20 MiB: how long it takes is the machine's business, most of 2,300 segments are sent once
tcp() {
	iperf -n 20M "$@" || return 1
	jq -c '.end | {sum_sent, sum_received}' "$scratch/iperf"
	jq -e '.end | .sum_received.bytes > 10e6 and .sum_sent.retransmits < 1000' "$scratch/iperf"
}
# Super-frames of tunnels, which a packet socket cannot describe, are cut by the kernel. A NIC that
# gets them drops them as malformed, and single segments of TCP arrive by timeouts.
vxlan() {
	local host
	for host in 1 6; do
		on h$host ip link add vx0 type vxlan id 7 local 10.0.0.$host remote 10.0.0.$((7 - host)) dstport 4789 dev eth0 &&
			on h$host ip addr add 192.168.77.$host/24 dev vx0 && on h$host ip link set vx0 up || return 1
	done
	on h6 iperf3 -s -1 -D && listening h6 5201 || return 1
	on h1 iperf3 -c 192.168.77.6 -n 20M -J >"$scratch/iperf"
	for host in 1 6; do on h$host ip link del vx0; done
	jq -c '.end | {sum_sent, sum_received}' "$scratch/iperf"
	jq -e '.end | .sum_received.bytes > 10e6 and .sum_sent.retransmits < 1000' "$scratch/iperf"
}
if have iperf3 'iperf3' && have jq 'iperf3'; then
	check 'iperf3 TCP over three switches' tcp
	# What the kernels of both ends count. What iperf3 counts as lost may wait in the socket of
	# a server that did not run.
	snmp() { on "$1" awk -v key="$2" '$1 == "'"$3"':" { if (n++) print $at; else for (at = NF; $at != key; at--); }' /proc/net/snmp; }
	overrun() { "$heddle" ps --json | jq '.[0].nodes[] | select(.name == "h1").drops | (.host_overrun // 0) + (.fgfc_queue // 0)'; }
	# datagrams that h1 has sent, less those that its NIC had no free buffer for; datagrams that
	# have reached h6
	sent() { echo $(($(snmp h1 OutDatagrams Udp) - $(overrun))); }
	reached() { echo $(($(snmp h6 InReceives Ip) - $(snmp h6 InSegs Tcp) - $(snmp h6 InMsgs Icmp))); }
	all_reached() { echo "$(($(sent) - $1)) of $(($(snmp h1 OutDatagrams Udp) - $3)) sent, $(($(reached) - $2)) reached"; }
	udp() {
		local sent reached kernel
		sent=$(sent) reached=$(reached) kernel=$(snmp h1 OutDatagrams Udp)
		iperf -4 -u -b 20M -l 1000 -k 5000 || return 1
		as_many() { all_reached "$sent" "$reached" "$kernel" | awk '$1 == $5 && $1 > 500 && $3 >= 5000'; }
		wait_for as_many || { all_reached "$sent" "$reached" "$kernel"; return 1; }
	}
	check 'iperf3 UDP at 20 Mb/s arrives' udp
	check 'iperf3 TCP over IPv6' tcp -6
	check 'iperf3 TCP in a VXLAN tunnel' vxlan
fi

fetch() {
	head -c 20000000 /dev/urandom >"$scratch/file"
	(cd "$scratch" && exec timeout 120 "$heddle" exec h5 -- python3 -m http.server 8000 >/dev/null 2>&1) &
	listening h5 8000 && on h2 curl -sf -o "$scratch/copy" http://h5:8000/file || return 1
	cmp "$scratch/file" "$scratch/copy"
}
if [ -z "${BRIEF:-}" ] && have python3 'curl of a file' && have curl 'curl of a file'; then
	check 'curl of 20 MB: the same bytes' fetch
fi

mpi() {
	cat >"$scratch/agent" <<-AGENT
		#!/bin/sh
		host=\$1
		shift
		exec $heddle exec "\$host" -- sh -c "\$*"
	AGENT
	chmod +x "$scratch/agent"
	cat >"$scratch/mpi.c" <<-'PROGRAM'
		#include <mpi.h>
		#include <stdio.h>
		int main(int argc, char **argv)
		{
			int rank, sum = 0;

			MPI_Init(&argc, &argv);
			MPI_Comm_rank(MPI_COMM_WORLD, &rank);
			MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
			printf("rank %d sum %d\n", rank, sum);
			return MPI_Finalize();
		}
	PROGRAM
	mpicc -o "$scratch/mpi" "$scratch/mpi.c" || return 1
	on h1 env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --host h1,h2,h4,h6 -np 4 \
		--mca plm_rsh_agent "$scratch/agent" --mca btl tcp,self --mca btl_tcp_if_include eth0 \
		--mca oob_tcp_if_include eth0 "$scratch/mpi" >"$scratch/sums" || return 1
	[ "$(grep -c 'sum 6' "$scratch/sums")" = 4 ]
}
if [ -z "${BRIEF:-}" ] && have mpirun 'an Open MPI job' && have mpicc 'an Open MPI job'; then
	check 'Open MPI: an allreduce over four hosts' mpi
fi

redis() {
	(timeout 120 "$heddle" exec h3 -- redis-server --save '' --protected-mode no --port 7000 >/dev/null 2>&1) &
	listening h3 7000 || return 1
	on h1 redis-benchmark -h h3 -p 7000 -n 5000 -q -t set,get
}
if [ -z "${BRIEF:-}" ] && have redis-server 'redis-benchmark'; then
	check 'redis-benchmark' redis
fi

# what the fabric itself has lost. No loss is what no host had requested, and what a host sent
# faster than its NIC took it or than its flow may send
no_drops() {
	"$heddle" ps two-racks --json >"$scratch/ps" || return 1
	jq -e '.[0].nodes | length == 9 and all(.drops | del(.no_listener, .host_overrun, .fgfc_queue) | add // 0 | . == 0) and
		([.[].received_packets] | add) > 1000' "$scratch/ps" && return
	jq -c '.[0].nodes[] | {name, dropped_packets, drops, received_packets}' "$scratch/ps"
	return 1
}
if have jq 'nothing was lost'; then
	check 'the fabric itself has lost nothing' no_drops
fi

# a host that floods its link loses frames before its NIC, and not one of them is in no book
flooded() { # by the host's kernel, by the NIC
	local eth0 nic
	eth0=$(on h2 ip -s -j link show eth0 | jq '.[0].stats64.tx.packets')
	nic=$("$heddle" ps --json | jq '.[0].nodes[] | select(.name == "h2") | .sent_packets + (.drops.host_overrun // 0) + (.drops.fgfc_queue // 0)')
	echo "$eth0 $nic"
}
# booked KERNEL NIC - what both have counted since then: the same, but for what is sent in between
booked() {
	flooded | awk -v before="$1 $2" '{ split(before, was); kernel = $1 - was[1]; nic = $2 - was[2]; print kernel, nic
		exit !(kernel > 20000 && kernel - nic < 10 && nic - kernel < 10) }' >"$scratch/books" && cat "$scratch/books"
}
books() {
	local before
	before=$(flooded)
	on h5 iperf3 -s -1 -D && listening h5 5201 || return 1
	on h2 iperf3 -c h5 -u -b 0 -l 100 -k 20000 -4 >/dev/null || return 1
	wait_for booked $before || { cat "$scratch/books"; return 1; }
}
if [ -z "${BRIEF:-}" ] && have iperf3 'the books of a flood' && have jq 'the books of a flood'; then
	check 'every frame of a flooding host is sent or counted' books
fi
check 'down' run 0 down
check 'down again is fine' run 0 down
check 'nothing is left' sh -c "! ls -A '$HEDDLE_RUNTIME_DIR' | grep ."
finish
