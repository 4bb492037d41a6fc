#!/usr/bin/env bash
# test_veth - links made of veth pairs (TB-3, TB-22): they carry what shared memory carries, and
# captures read what is on them.
#
#   h1, h2 - s1 --- s2 (h3, h4) --- s3 - h5, h6     topologies/two-racks.yaml
#
# First the links between switches are veth pairs and those of the hosts shared memory, then all are
# veth pairs. Skipped where the kernel forbids network namespaces.
set -u
. "$(dirname "$0")/common.sh"

fabric_dir

# on NODE COMMAND... - runs it there; two minutes mean that it hangs
on() {
	local node=$1
	shift
	timeout 120 "$heddle" exec "$node" -- "$@"
}

ping_all() {
	for from in 1 3 6; do
		for to in 1 2 3 4 5 6; do
			on "h$from" ping -c 1 -w 30 -q "h$to" || return 1
		done
	done
}

# 20 MiB over TCP: how long it takes is the machine's business, most of 2,300 segments are sent once
tcp() {
	on h6 iperf3 -s -1 -D && listening h6 5201 || return 1
	on h1 iperf3 -c h6 -n 20M -J >"$scratch/iperf" || return 1
	jq -c '.end | {sum_sent, sum_received}' "$scratch/iperf"
	jq -e '.end | .sum_received.bytes > 10e6 and .sum_sent.retransmits < 1000' "$scratch/iperf"
}
tcp_check() {
	if command -v iperf3 >/dev/null && command -v jq >/dev/null; then
		check "$1" tcp
	else
		skip "$1" 'iperf3 or jq is not installed'
	fi
}

# node_killed NODE - hosts beyond it cannot be reached, all others can. Its host keeps its address
# and its programs.
node_killed() {
	on h6 sh -c 'sleep 1000 & echo $! >'"$scratch/program"
	kill -KILL "$("$heddle" ps --json | jq --arg name "$1" '.[0].nodes[] | select(.name == $name).pid')" || return 1
	wait_for is_dead "$1" && ! on h1 ping -c 1 -W 1 -q h6 && on h1 ping -c 1 -w 30 -q h2
}
is_dead() { "$heddle" ps two-racks | grep "$1 .*dead"; }
# host_listens - the program that h6 had before its NIC died is still there, and h6 answers TCP
host_listens() {
	on h6 sh -c "kill -0 $(cat "$scratch/program")" && { ! command -v iperf3 >/dev/null || tcp; }
}

# listen INTERFACE - what is on it while h1 pings h6, into $scratch/INTERFACE.pcap: at least eight
# frames
listen() {
	timeout 120 "$heddle" exec s1 -- tcpdump -U -n -i "$1" -w "$scratch/$1.pcap" >"$scratch/tcpdump" 2>&1 &
	local listener=$!
	wait_for grep 'listening on' "$scratch/tcpdump" && on h1 ping -4 -c 4 -i 0.2 -w 30 -q h6 && wait_for eight "$1"
	local status=$?
	kill "$listener"
	wait "$listener"
	return $status
}
eight() { tcpdump -n -r "$scratch/$1.pcap" 2>/dev/null | sed -n 8p; }
# frames INTERFACE FILTER - how many of them tshark finds
frames() {
	tshark -r "$scratch/$1.pcap" -Y "$2" 2>/dev/null | wc -l
}
# at_least COUNT INTERFACE FILTER
at_least() {
	local count
	count=$(frames "$2" "$3")
	[ "$count" -ge "$1" ] || { echo "$count frames '$3' on $2"; tshark -r "$scratch/$2.pcap" | head; return 1; }
}
have_capture() {
	command -v tcpdump >/dev/null && command -v tshark >/dev/null && return
	skip "$1" 'tcpdump or tshark is not installed'
	return 1
}

check 'a medium that there is not' run 2 check "$topologies/two-racks.yaml" --set links.medium=copper
check 'says which there are' says err 'shm, veth or tunnel'

fabric_up "$topologies/two-racks.yaml" --set links.fabric.medium=veth
check 'hosts over shared memory, switches over veth' ping_all
tcp_check 'iperf3 over both'
interfaces() { on s1 ip -br link | grep -oE '^[a-z0-9.]+\.[a-z0-9]+' | sort | xargs; }
both_ends() { [ "$(interfaces)" = 's1.s2 s2.s1 s2.s3 s3.s2' ] || { interfaces; return 1; }; }
check 'a switch shows the ends of its links' both_ends
if have_capture 'a capture between switches'; then
	check 'a capture between switches' listen s1.s2
	check 'fabric frames and link control have the EtherType' at_least 8 s1.s2 'eth.type == 0x88b5'
	nothing_else() { [ "$(frames s1.s2 'eth.type != 0x88b5')" = 0 ]; }
	check 'and nothing else is there' nothing_else
fi
link_again() {
	run 0 link s1:s2 down && ! on h1 ping -c 1 -W 1 -q h6 && run 0 link s1:s2 up && in_the_end on h1 ping -c 3 -i 0.2 -w 30 -q h6
}
check 'a link goes down and returns' link_again
if command -v jq >/dev/null; then
	check 'a switch at two veth links is killed' node_killed s2
	check 'it is started again: the same interfaces' run 0 start s2
	check 'and carries what it carried' ping_all
	check 'they are those of before' both_ends
fi
check 'down' run 0 down

fabric_up "$topologies/two-racks.yaml" --set links.medium=veth
check 'everything over veth' ping_all
tcp_check 'iperf3 over veth'
if have_capture 'a capture at a host'; then
	check 'a capture at a host' listen s1.h1
	check 'its frames are ordinary: four requests, four replies' at_least 8 s1.h1 'eth.type == 0x0800 && icmp'
fi
if command -v jq >/dev/null; then
	check 'a NIC at a veth link is killed' node_killed h6
	check 'it is started again, its host has stayed' run 0 start h6
	check 'and is reached' ping_all
	check 'with its programs, and by TCP' host_listens
fi
# root of the fabric's namespace may put frames on its links. They cost what they displace, and
# nothing for good (TB-23).
replayed() {
	cat >"$scratch/replay.py" <<-'PROGRAM'
		import os, socket, sys, time
		heard = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 3)
		heard.bind(('s2.s1', 3))
		said = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
		said.bind(('s1.s2', 0))
		heard.settimeout(5)
		for i in range(300):
		    frame, address = heard.recvfrom(9999)
		    if address[2] == socket.PACKET_OUTGOING:
		        continue
		    for copy in range(2):
		        said.send(frame)
		    broken = bytearray(frame)
		    broken[14 + i * 7919 % (len(broken) - 14)] ^= 1 << i % 8
		    said.send(broken)
		    said.send(frame[:14] + os.urandom(100))
	PROGRAM
	"$heddle" exec h1 -- ping -i 0.01 -s 1400 -q h6 -w 120 >/dev/null 2>&1 &
	local pings=$!
	timeout 120 "$heddle" exec s1 -- python3 "$scratch/replay.py"
	local status=$?
	kill $pings
	wait $pings
	return $status
}
if command -v python3 >/dev/null; then
	check 'somebody puts copies and nonsense on a link' replayed
	check 'it carries what it carried' ping_all
	tcp_check 'TCP too'
fi
check 'down again' run 0 down

fabric_up "$topologies/two-racks.yaml"
if command -v jq >/dev/null; then
	check 'a NIC over shared memory is killed' node_killed h6
	check 'it is started again' run 0 start h6
	check 'and is reached too' ping_all
fi
check 'down a third time' run 0 down
check 'nothing is left' sh -c "! ls -A '$HEDDLE_RUNTIME_DIR' | grep ."
finish
