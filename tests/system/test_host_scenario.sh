#!/usr/bin/env bash
# test_host_scenario - hosts of a scenario, topologies/three-subnets.yaml (DU-3, DU-7)
#
#   web, user - s1 - r1 - s2 - r2 - s3 - db      192.168.1.0/24, .2.0/24 and .3.0/24
#                     \ - s4 - /                 fd01 at s1, fd04 at s4, fd03 at s3
#
# ping, traceroute and the kernels of the hosts judge. The last link is given a smaller MTU than the
# others, so that the router before it has to say so.
set -u
. "$(dirname "$0")/common.sh"

fabric_dir

on() {
	local host=$1
	shift
	timeout 120 "$heddle" exec "$host" -- "$@"
}

scenario=$topologies/three-subnets.yaml
fabric_up "$scenario" --set topology.hosts.db.mtu=1314 --set topology.hosts.r2.interfaces.0.mtu=1314 \
	--set 'topology.hosts.user.prefixes=[10.77.0.0/16]'

# ---- addresses and names ----

summary() { grep -q 'web  *192.168.1.10  *fd01::10' "$scratch/up" && grep -q 'r1.eth1  *192.168.2.1/24' "$scratch/up" && grep -q 'r1.eth2  *fd04::1/64' "$scratch/up"; }
check 'up prints the addresses of all interfaces' summary
addressed() {
	on web ip -br addr show eth0 | grep -q '192.168.1.10/24 fd01::10/64' && ! on web ip -br addr | grep -q 'fd48\|10[.]0[.]0'
}
check 'addresses of the scenario, and no others' addressed
named() {
	[ "$(on web getent ahostsv4 db | awk 'NR == 1 { print $1 }')" = 192.168.3.10 ] &&
		[ "$(on db getent ahostsv6 web | awk 'NR == 1 { print $1 }')" = fd01::10 ] &&
		[ "$(on web getent ahostsv4 r2.eth1 | awk 'NR == 1 { print $1 }')" = 192.168.3.1 ]
}
check 'names lead to them' named
alone() { "$heddle" exec r1 -- sh -c '[ $(ls -d /sys/class/net/eth* | wc -l) = 3 ]' && [ "$(on r1.eth1 hostname)" = r1 ]; }
check 'a router is one host with three interfaces' alone

# ---- paths ----

check 'ping through two routers, IPv4' on user ping -4 -c 2 -i 0.2 -w 30 -q db
check 'ping through two routers, IPv6' on user ping -6 -c 2 -i 0.2 -w 30 -q db
hops() {
	on user ping -4 -c 1 -w 30 db | tee /dev/stderr | grep -q 'ttl=62' &&
		on user ping -4 -c 1 -W 30 -t 1 db | tee /dev/stderr | grep -q 'From r1 .*Time to live exceeded' &&
		on user ping -4 -c 1 -W 30 -t 2 db | tee /dev/stderr | grep -q 'From r2 .*Time to live exceeded'
}
check 'every router is a hop' hops
if command -v traceroute >/dev/null; then
	traced() { on user traceroute -4 -w 20 -q 1 -N 1 db | tee /dev/stderr | awk '{ print $2 }' | tail -n +2 | paste -sd ' ' | grep -qx 'r1 r2 db'; }
	check 'traceroute names the routers' traced
fi
check 'ping-all over subnets' "$heddle" ping-all
beyond() { on web ip route | grep -q '^10.77.0.0/16 via 192.168.1.20 dev eth0' && ! on db ip route | grep '^10.77'; }
check 'a network of a host is reached through it, by hosts of its subnet alone' beyond

healthy() { grep -q 'host web is healthy' "$scratch/up" && grep -q 'host db is healthy' "$scratch/up"; }
check 'up waits for the servers of web and db' healthy
if command -v curl >/dev/null; then
	fetched() { on user curl -sS -m 100 "http://$1" | cmp - /usr/share/common-licenses/GPL-3; }
	check 'a server in the same subnet' fetched web/GPL-3
	check 'a server beyond two routers, IPv4' fetched 192.168.3.10:5432/GPL-3
fi

# ---- one Ethernet, several interfaces ----

# r1 answers for 192.168.2.1 with the MAC of eth1, its number 6, only
own_mac() {
	on r2 ip neigh flush all && on r2 ping -4 -c 1 -w 30 -q 192.168.2.1 && on r2 ip neigh show 192.168.2.1 | tee /dev/stderr | grep -q 02:48:00:00:00:06
}
check 'each interface answers for itself' own_mac
received() { "$heddle" ps --json | jq --arg nic "$1" '.[0].nodes[] | select(.name == $nic).received_packets'; }
# what user sends to db does not pass the first interface of r2 twice, nor that of web
separate() {
	local web second
	web=$(received web) second=$(received r2.eth1)
	on user ping -4 -c 30 -i 0.01 -w 30 -q db || return 1
	echo "web $(($(received web) - web)), r2.eth1 $(($(received r2.eth1) - second))"
	[ $(($(received web) - web)) -lt 30 ] && [ $(($(received r2.eth1) - second)) -ge 30 ]
}
if command -v jq >/dev/null; then check 'answers come in by the second interface' separate; fi

# ---- MTU ----

# r2 says that its next link takes 1300 bytes, and user remembers it
too_long() {
	! on user ping -4 -c 1 -W 30 -M do -s 1400 db >"$scratch/long" 2>&1 && tee /dev/stderr <"$scratch/long" | grep -q 'From r2 .*mtu = 1300' &&
		on user ip route get 192.168.3.10 | grep -q 'mtu 1300' && on user ping -4 -c 1 -w 30 -q -M do -s 1272 db
}
check 'path MTU discovery, IPv4' too_long
too_long6() {
	! on user ping -6 -c 1 -W 30 -M do -s 1400 db >"$scratch/long" 2>&1 && tee /dev/stderr <"$scratch/long" | grep -q 'Packet too big: mtu=1300'
}
check 'path MTU discovery, IPv6' too_long6
fetch() {
	head -c 3000000 /dev/urandom >"$scratch/file"
	(cd "$scratch" && exec timeout 120 "$heddle" exec db -- python3 -m http.server 8000 >/dev/null 2>&1) &
	listening db 8000 && on web curl -4 -sf -o "$scratch/copy" http://db:8000/file && cmp "$scratch/file" "$scratch/copy"
}
if command -v curl >/dev/null && command -v python3 >/dev/null; then check 'TCP through it: the same bytes' fetch; fi

# ---- changes ----

cut() {
	"$heddle" link r1.eth1:s2 down && on r1 ip -br link show eth1 | grep -q NO-CARRIER && on r1 ip -br link show eth0 | grep -q ' UP ' &&
		! on user ping -4 -c 1 -W 1 -q db && on user ping -6 -c 1 -w 30 -q db && "$heddle" link r1.eth1:s2 up && in_the_end on user ping -4 -c 1 -W 5 -q db
}
check 'one uplink fails and returns; the other one carries IPv6 all the while' cut
leave() {
	"$heddle" remove r1.eth1 && ! on r1 ip link show eth1 2>/dev/null && on user ping -4 -c 1 -w 30 -q r1 && "$heddle" remove r2 &&
		! "$heddle" show r2.eth1 links 2>&1 | grep -q '^port' && [ "$("$heddle" ps --json | jq '.[0].hosts_count')" = 4 ]
}
if command -v jq >/dev/null; then check 'an interface leaves, and a host with all of them' leave; fi
"$heddle" down >/dev/null

finish
