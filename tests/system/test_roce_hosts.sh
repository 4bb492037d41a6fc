#!/usr/bin/env bash
# test_roce_hosts - real programs on a fabric of kind roce (TB-8, TB-15, TB-22, RC-1, RC-5): the
# kernel's own stack, over PFC, ECN and ECMP.
#
#   h0, h1, h2 - leaf0 --- spine0, spine1 --- leaf1 - h3, h4, h5     100 Mb/s
#
# Classes: "lossy" (DSCP 0), "held" (DSCP 8).
#
# What is lost is asked of counters, never of clocks: on a busy machine a sender is slow, but a held
# frame is not dropped. Skipped where the kernel forbids network namespaces.
set -u
. "$(dirname "$0")/common.sh"

fabric_dir

command -v jq >/dev/null || { echo 'skipped: jq is not installed'; exit 77; }
command -v python3 >/dev/null || { echo 'skipped: python3 is not installed'; exit 77; }

cat >"$scratch/roce.yaml" <<'SCENARIO'
name: roce-hosts
fabric: roce
run: {duration: 1ms}
topology: {generate: leaf-spine, leaves: 2, hosts-per-leaf: 3, spines: 2}
links: {rate: 100Mb/s, delay: 10us, mtu: 9014}
classes:
  - {name: lossy, lossless: no, queue: 100kB, ecn: {kmin: 20kB, kmax: 60kB, pmax: 50%}}
  - {name: held, lossless: yes, ecn: no, xoff: 100kB}
SCENARIO
# every flow two hops clockwise, into the path of the next one
cat >"$scratch/ring.yaml" <<'SCENARIO'
name: ring
fabric: roce
run: {duration: 1ms}
topology:
  switches: [s0, s1, s2, s3, s4]
  hosts: {r0: s0, r1: s1, r2: s2, r3: s3, r4: s4}
  links: [[s0, s1], [s1, s2], [s2, s3], [s3, s4], [s4, s0]]
links: {rate: 20Mb/s, delay: 10us}
classes: [{name: lossy, lossless: no}, {name: held, ecn: no, xoff: 20kB}]
SCENARIO

on() {
	local host=$1
	shift
	timeout 120 "$heddle" exec -f "$fabric" "$host" -- "$@"
}

# told JQ - what ps says of the fabric's nodes
told() { "$heddle" ps "$fabric" --json | jq -e ".[0].nodes | $1"; }

# blast HOST TO TOS FRAMES [BYTES] - so many UDP frames as fast as the host's interface takes them,
# from the moment when there is $scratch/go; for a minute at most
blast() {
	on "$1" python3 - "$2" "$3" "$4" "${5:-8000}" "$scratch" "$1" <<-'PROGRAM'
		import os, socket, sys, time
		to, tos, frames, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
		s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
		s.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, tos)
		s.settimeout(5)
		address = socket.getaddrinfo(to, 9, socket.AF_INET)[0][4]
		open(sys.argv[5] + "/ready-" + sys.argv[6], "w").close()
		while not os.path.exists(sys.argv[5] + "/go"):
		    time.sleep(0.001)
		end = time.monotonic() + 60
		try:
		    while frames and time.monotonic() < end:
		        s.sendto(bytes(size), address)
		        frames -= 1
		except TimeoutError:
		    pass
	PROGRAM
}
# together HOST... - they blast once all of them are ready
together() {
	local host
	for host in "$@"; do
		wait_for ls "$scratch/ready-$host"
	done
	touch "$scratch/go"
}

# quiet - until nothing is inside any more
quiet() {
	for _ in $(seq 300); do
		told 'all(.queue_bytes == 0)' >/dev/null && break
		sleep 0.1
	done
	sleep 0.3
}

fabric=roce-hosts
fabric_up "$scratch/roce.yaml"

ping_all() {
	for from in 0 4; do
		for to in 0 1 2 3 4 5; do
			on "h$from" ping "$@" -c 1 -w 30 -q "h$to" || return 1
		done
	done
}
check 'ping by name, IPv4, among all' ping_all -4
check 'ping by name, IPv6, among all' ping_all -6
# RC-5: leaf0, a spine and leaf1 take one each; no switch has an address to tell the sender from
ttl() {
	on h0 ping -4 -t 1 -c 1 -W 5 -q h1 || return 1
	! on h0 ping -4 -t 3 -c 1 -W 2 h5 >"$scratch/short" && ! grep -i exceeded "$scratch/short" &&
		told '[.[].drops.ttl_expired // 0] | add == 1' && on h0 ping -4 -t 4 -c 1 -W 5 h5 >"$scratch/long" && says long 'ttl=61'
}
check 'TTL: three switches, no word of them' ttl
check 'an MTU of 9000, unfragmented' on h0 ping -4 -c 2 -i 0.2 -w 30 -q -M do -s 8972 h5
heard() { on "$1" awk '$1 == "IpExt:" { if (n++) print $at; else for (at = NF; $at != "InBcastPkts"; at--); }' /proc/net/netstat; }
broadcast() {
	local before host
	before=$(for host in h1 h2 h3 h4 h5; do heard $host; done)
	on h0 ping -4 -b -c 2 -i 0.2 -W 1 -q 10.255.255.255 2>&1
	# a copy may follow
	wait_for heard_by_all '>=' "$before" && sleep 0.5 && heard_by_all '==' "$before"
}
# heard_by_all '==' BEFORE - two frames by each of them
heard_by_all() {
	for host in h1 h2 h3 h4 h5; do heard $host; done | paste - <(echo "$2") |
		awk "{ if (\$1 - \$2 $1 2) n++; print >\"$scratch/heard\" } END { if (n == 5) print \"all\"; exit n != 5 || NR != 5 }" ||
		{ cat "$scratch/heard" >&2; return 1; }
}
check 'broadcast reaches all others, once, over two spines' broadcast

# three hosts send to one: those of a lossless class are held, back to the hosts, and nothing is
# lost between them
incast() {
	local from
	rm -f "$scratch"/ready-* "$scratch/go"
	for from in h0 h1 h4; do
		blast $from h3 "$1" 600 &
	done
	together h0 h1 h4
	wait
	quiet
}
lossless() {
	incast 32
	told 'all(.drops | del(.no_listener, .host_overrun, .ttl_expired) == {})' &&
		told '[.[] | select(.kind == "nic").ports[].roce.pauses_received // 0] | add > 0'
}
check 'an incast on a lossless class loses nothing' lossless
# every frame of a sender's interface was sent, or is counted as one that the NIC had no buffer for;
# a frame may be sent between the two readings, so they are repeated
booked() {
	local host
	for host in h0 h1 h4; do
		echo "$(on $host ip -s -j link show eth0 | jq '.[0].stats64.tx.packets')" \
			"$(told ".[] | select(.name == \"$host\") | .sent_packets + (.drops.host_overrun // 0)")"
	done >"$scratch/books"
	awk '$1 != $2 || $1 < 600 { wrong = 1 } END { exit wrong || NR != 3 }' "$scratch/books" && echo booked
}
books() { wait_for booked || { cat "$scratch/books"; return 1; }; }
check 'and what PFC has kept a host from sending is counted' books
lossy() {
	incast 0
	told '[.[] | select(.kind == "switch").drops.queue_full // 0] | add > 0' &&
		told 'all(.drops | has("headroom") | not)'
}
check 'an incast on a lossy class is dropped and counted' lossy

# the kernel sees the switches' marks, but for those on packets that a later switch has dropped
ecn() {
	local host marked ce dropped
	for host in h0 h1 h5; do
		on $host sysctl -qw net.ipv4.tcp_ecn=1 || return 1
	done
	for host in h0 h1; do
		on h5 iperf3 -s -1 -D -p "520${host#h}" && listening h5 "520${host#h}" || return 1
	done
	for host in h0 h1; do
		on $host iperf3 -4 -c h5 -t 2 -p "520${host#h}" >/dev/null &
	done
	wait
	quiet
	marked=$(told '[.[].marked] | add')
	dropped=$(told '[.[].drops.queue_full // 0] | add')
	ce=$(for host in h0 h1 h5; do
		on $host awk '$1 == "IpExt:" { if (n++) print $at; else for (at = NF; $at != "InCEPkts"; at--); }' /proc/net/netstat
	done | awk '{ sum += $1 } END { print sum }')
	echo "$marked marked, $ce seen, $dropped dropped"
	[ "$ce" -gt 0 ] && [ "$ce" -le "$marked" ] && [ $((marked - ce)) -le "$dropped" ]
}
if command -v iperf3 >/dev/null; then
	check 'TCP with ECN: the kernel counts what the switches have marked' ecn
else
	skip 'TCP with ECN' 'iperf3 is not installed'
fi

# a NIC that does nothing any more: what is for its host waits, back to the sender, and comes later
stopped() {
	local pid drops_before received
	pid=$(told '.[] | select(.name == "h5").pid') && kill -STOP "$pid" || return 1
	drops_before=$(told '[.[] | select(.kind == "switch").dropped_packets] | add')
	received=$(told '.[] | select(.name == "h5").received_packets')
	blast h0 h5 32 600
	told '.[] | select(.name == "leaf0").xoff_classes > 0' || { kill -CONT "$pid"; return 1; }
	kill -CONT "$pid"
	quiet
	[ "$(told '[.[] | select(.kind == "switch").dropped_packets] | add')" = "$drops_before" ] &&
		told ".[] | select(.name == \"h5\").received_packets > $received" && told 'all(.xoff_classes == 0 and .paused_classes == 0)'
}
check 'PFC from a host that does not take what comes' stopped

# ---- links and switches that fail ----

around() {
	"$heddle" link -f "$fabric" leaf0:spine0 down && ping_all -4 && "$heddle" link -f "$fabric" leaf0:spine0 up && ping_all -4
}
check 'ways around a link that is down' around
is_dead() { told ".[] | select(.name == \"$1\").state == \"dead\"" | grep true; }
spine_dies() {
	local host
	kill -KILL "$(told '.[] | select(.name == "spine0").pid')" || return 1
	wait_for is_dead spine0 || return 1
	for host in h0 h2 h4; do
		on $host ip neigh flush dev eth0
	done
	ping_all -4 || return 1
	"$heddle" start -f "$fabric" spine0 && ping_all -4 &&
		"$heddle" show -f "$fabric" leaf1 routes | grep -q '^leaf0 .*p3 p4 .*spine'
}
check 'ways, floods too, around a spine that was killed; back once it is started' spine_dies
joins() {
	"$heddle" add -f "$fabric" switch leaf2 spine0 spine1 && "$heddle" add -f "$fabric" host h6 leaf2 || return 1
	in_the_end on h6 ping -4 -c 1 -w 30 -q h0 && in_the_end on h3 ping -6 -c 1 -w 30 -q h6 || return 1
	"$heddle" remove -f "$fabric" h6 && "$heddle" remove -f "$fabric" leaf2 && in_the_end on h0 ping -4 -c 1 -w 30 -q h5
}
check 'a leaf and a host join and leave' joins
check 'a level is set' run 0 set -f roce-hosts leaf0 held.xoff 50000
check 'down' run 0 down roce-hosts

# ---- a deadlock of PFC ----

locked() { "$heddle" ps ring | grep '^deadlock  *s0 -> s1 -> s2 -> s3 -> s4 -> s0, class held'; }
unlocked() { "$heddle" ps ring >"$scratch/ring" && ! grep '^deadlock' "$scratch/ring" >&2 && echo unlocked; }
ring() {
	local i found=1
	"$heddle" up "$scratch/ring.yaml" || return 1
	rm -f "$scratch"/ready-* "$scratch/go"
	for i in 0 1 2 3 4; do
		blast "r$i" "r$(((i + 2) % 5))" 32 1000000000 1400 &
	done
	together r0 r1 r2 r3 r4
	wait_for locked && found=0
	"$heddle" link -f ring s0:s1 down
	wait_for unlocked || found=1
	"$heddle" down ring
	wait
	return $found
}
fabric=ring
check 'a deadlock is named, and gone with one of its links' ring
check 'nothing is left' sh -c "! ls -A '$HEDDLE_RUNTIME_DIR' | grep ."
finish
