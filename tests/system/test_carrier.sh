#!/usr/bin/env bash
# test_carrier - the interface of a host has a carrier while its link is up, and programs in hosts
# use multicast without a route of their own (TB-15, DU-6).
#
#   h1, h2 - s1 --- s2 (h3, h4) --- s3 - h5, h6     topologies/two-racks.yaml
#
# The kernel of the host is asked: flags of eth0, its addresses and routes, before and after.
set -u
. "$(dirname "$0")/common.sh"

fabric_dir
command -v jq >/dev/null || { echo 'skipped: jq is not installed'; exit 77; }
fabric_up "$topologies/two-racks.yaml"

on() { local host=$1; shift; timeout 120 "$heddle" exec "$host" -- "$@"; }
reachable() { in_the_end on "$1" ping -c 1 -w 30 -q "$2"; }
pid() { "$heddle" ps --json | jq --arg name "$1" '.[0].nodes[] | select(.name == $name).pid'; }

# carrier HOST 1|0 - as the kernel of the host says; eth0 itself is up in either case
carrier() {
	on "$1" ip -o link show eth0
	[ "$(on "$1" cat /sys/class/net/eth0/carrier)" = "$2" ] &&
		on "$1" ip -o link show up dev eth0 | grep -q eth0
}
lower_down() { on "$1" ip -o link show eth0 | grep -q 'NO-CARRIER.*state \(LOWERLAYER\)*DOWN'; }
# settings HOST - addresses and routes; the kernel marks routes while there is no carrier, and the
# link-local address for a moment when it is made
settings() {
	on "$1" sh -c 'ip -o address show dev eth0; ip route; ip -6 route' |
		sed 's/ linkdown//; s/ dead//; s/ tentative//; s/ *$//'
}
same_settings() { settings h1 | diff "$scratch/settings" -; }

# ---- a link ----

settings h1 >"$scratch/settings"
check 'it has a carrier' carrier h1 1
check 'the link goes down' run 0 link h1:s1 down
check 'no carrier' carrier h1 0
check 'as the host is shown' lower_down h1
check 'another host has one' carrier h2 1
check 'addresses and routes are still there' same_settings
check 'the link comes up' run 0 link s1:h1 up
check 'a carrier again' carrier h1 1
check 'addresses and routes are as before' same_settings
check 'IPv4 passes' reachable h1 h6
check 'IPv6 passes' in_the_end on h1 ping -6 -c 1 -w 30 -q h6

# ---- a switch, a NIC ----

# carrier_becomes HOST 1|0 - the daemon learns of a death a moment later
carrier_becomes() { [ "$(wait_for carrier_is "$1" "$2")" = yes ]; }
carrier_is() { carrier "$1" "$2" >/dev/null && echo yes; }
check 'the switch dies' kill -KILL "$(pid s1)"
check 'its hosts have no carrier' carrier_becomes h1 0
check 'the second neither' carrier h2 0
check 'hosts of other switches have' carrier h6 1
check 'the switch starts' run 0 start s1
logged() { grep -q 'switch s1 .* is dead' "$1" && tail -n 1 "$1" | grep -q "s1 runs again, pid [0-9]*$"; }
check 'the log has its death and its start' logged "$HEDDLE_RUNTIME_DIR/two-racks/log"
check 'its hosts have a carrier' carrier h1 1
check 'and reach the others' reachable h2 h6
check 'the NIC dies' kill -KILL "$(pid h2)"
check 'no carrier' carrier_becomes h2 0
check 'the NIC starts' run 0 start h2
check 'a carrier' carrier h2 1
check 'and it reaches the others' reachable h2 h6
check 'a link that is down' run 0 link h3:s2 down
check 'its NIC dies' kill -KILL "$(pid h3)"
nic_dead() { "$heddle" ps --json | jq -r '.[0].nodes[] | select(.name == "h3" and .state == "dead").name'; }
check 'and is dead' wait_for nic_dead
check 'it starts again' run 0 start h3
check 'still without a carrier, as its link' carrier h3 0
check 'until that comes up' run 0 link h3:s2 up
check 'then it has one' carrier h3 1
check 'and reaches the others' reachable h3 h6

# ---- multicast ----

cat >"$scratch/group.py" <<'PYTHON'
# group.py receive: joins 239.1.2.3, says so, and prints a datagram; group.py send TEXT
import socket, struct, sys
group, port = '239.1.2.3', 5007
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
if sys.argv[1] == 'receive':
    s.bind(('', port))
    s.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
                 struct.pack('4s4s', socket.inet_aton(group), socket.inet_aton('0.0.0.0')))
    print('joined', flush=True)
    s.settimeout(60)
    text, source = s.recvfrom(100)
    print(text.decode(), 'from', source[0], flush=True)
else:
    s.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 4)
    s.sendto(sys.argv[2].encode(), (group, port))
PYTHON
group() {
	local receiver
	on h6 python3 - receive <"$scratch/group.py" >"$scratch/received" & receiver=$!
	wait_for grep joined "$scratch/received" && on h1 python3 - send hello <"$scratch/group.py" &&
		wait "$receiver"
	says received 'hello from 10.0.0.1'
}
if command -v python3 >/dev/null; then
	check 'a host joins a group, another one sends to it' group
else
	skip 'a host joins a group, another one sends to it' 'python3 is not installed'
fi
joins() { on h5 ip route get 239.1.2.3 | grep -q 'dev eth0'; }
check 'groups are reached by eth0' joins
check 'down' run 0 down
finish
