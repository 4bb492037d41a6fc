#!/usr/bin/env bash
# test_join - hosts, switches and links join a running fabric and leave it; an existing namespace
# becomes a host (TB-10, TB-15, TB-22).
#
# Hosts at one switch (h3 and h4 at s2, h5 and h6 at s3) talk all the while: what joins, fails and
# leaves is at other ports of their switches, and none of their packets may be lost.
set -u
. "$(dirname "$0")/common.sh"

fabric_dir
netns=heddle-join-$$
at_end 'ip netns del "$netns" 2>/dev/null'
fabric_up "$topologies/two-racks.yaml"

on() { local host=$1; shift; "$heddle" exec "$host" -- "$@"; }
reachable() { in_the_end on "$1" ping -c 3 -i 0.2 -w 30 -q "$2"; }
unreachable() { ! on "$1" ping -c 2 -i 0.2 -W 1 -q "$2"; }
counts() { "$heddle" ps --json | jq -r '..|objects|select(has("fabric"))|"\(.hosts_count) \(.switches) \(.links)"'; }
counted() { [ "$(counts)" = "$1" ] || { counts; return 1; }; }

killed() { wait "$1"; [ $? = 137 ]; }

# hosts that are there from the start, and stay
for pair in 'h3 h4' 'h5 h6'; do
	"$heddle" exec "${pair% *}" -- ping -i 0.05 "${pair#* }" >"$scratch/bystander ${pair% *}" 2>&1 &
done

check 'a host joins' run 0 add host h7 s2
check 'it says which addresses it has' says out '10.0.0.7'
check 'it reaches others' reachable h7 h1
check 'others reach it by its name' reachable h6 h7
check 'over IPv4 too' on h1 ping -c 2 -i 0.2 -w 30 -q -4 h7

check 'a switch joins, with a link to two others' run 0 add switch s4 s1 s3 delay=20us
check 'a host joins behind it' run 0 add host h8 s4 rate=1Gb/s
check 'and reaches all' reachable h8 h4
check 'a link joins' run 0 add link s4 s2 medium=veth
check 'seven hosts and switches more or less' counted '8 4 13'
# s4 has three links and a host. Its other ports, where no host has joined yet, are shown on request
# only.
shows_joined() {
	[ "$("$heddle" show s4 congestion | grep -c '^p[0-9]')" = 4 ] && [ "$("$heddle" show s4 queues | grep -c '^p[0-9]')" = 4 ] &&
		! "$heddle" show s4 ports | grep vacant && "$heddle" show s4 ports 9 | grep vacant &&
		[ "$("$heddle" show s4 congestion 9 | grep -c '^p9')" = 1 ]
}
# the same words in the other order, for programs; routes name switches
shows_json() {
	"$heddle" show ports s4 --json >"$scratch/ports" && "$heddle" show --json s4 routes >"$scratch/routes" &&
		jq -e '.node == "s4" and .table == "ports" and ([.rows[].peer] | sort == ["h8", "s1", "s2", "s3"])' "$scratch/ports" &&
		jq -e '[.rows[].dest] | contains(["s1", "s2", "s3"])' "$scratch/routes"
}
check 'its tables show the ports that are joined' shows_joined
check 'for programs too' shows_json
check 'an error is the same' run 1 show s4 nothing --json
check 'a link leaves, and there is another way' run 0 remove s1:s2
check 'which is taken' reachable h1 h7
check 'the link returns as a new one' run 0 add link s1 s2
check 'a killed switch that has joined' kill -KILL "$("$heddle" ps --json | jq '..|objects|select(.name=="s4").pid')"
check 'is noticed' unreachable h8 h4
check 'starts again' run 0 start s4
check 'with all its links' reachable h8 h4

check 'a switch with hosts stays' run 1 remove s4
check 'and says why' says err 'h8 is connected to s4'
"$heddle" exec h8 -- sh -c 'echo there; exec sleep 600' >"$scratch/sleeper" 2>&1 &
sleeper=$!
check 'a program runs in the host' wait_for grep there "$scratch/sleeper"
check 'the host leaves' run 0 remove h8
check 'its program with it, killed' killed "$sleeper"
check 'the switch leaves' run 0 remove s4
check 'and h7' run 0 remove h7
check 'the fabric is as it was' counted '6 3 8'
check 'nobody answers for h7' unreachable h1 10.0.0.7
check 'its place is taken by the next one' run 0 add host h9 s3
check 'which is reached at its addresses' reachable h2 10.0.0.7

if ip netns add "$netns" 2>"$scratch/netns"; then
	ip netns exec "$netns" sleep 600 &
	inside=$!
	sleep 0.2
	check 'an existing namespace becomes a host' run 0 attach blue s1 --netns "/run/netns/$netns"
	check 'its own programs reach the fabric' ip netns exec "$netns" ping -c 3 -i 0.2 -w 30 -q 10.0.0.6
	check 'with IPv6' ip netns exec "$netns" ping -c 3 -i 0.2 -w 30 -q fd48::6
	check 'it is reached by name' reachable h3 blue
	check 'it leaves' run 0 remove blue
	check 'and keeps its programs, without the interface' sh -c "kill -0 $inside && ! ip netns exec $netns ip link show heddle0"
	check 'by a process in it, under a name of its own' run 0 attach blue s2 --pid "$inside" --interface fab0 rate=1Gb/s
	check 'works as well' ip netns exec "$netns" ping -c 3 -i 0.2 -w 30 -q -I fab0 10.0.0.1
	check 'a taken name of an interface is refused' run 1 attach red s2 --pid "$inside" --interface fab0
	check 'and nothing of it is left' counted '8 3 10'
	kill "$inside"
else
	skip 'existing namespaces' "$(tail -n 1 "$scratch/netns")"
fi

check 'a name that is taken' run 1 add host h1 s1
check 'is told' says err "a node called 'h1' exists already"
check 'no such switch' run 1 add host h10 s9
check 'a host is no switch' run 1 add link s1 h2
check 'a file is no namespace' run 1 attach red s1 --netns /etc/passwd
check 'no process' run 1 attach red s1 --pid 4194305
daemon() { "$heddle" ps --json | jq -r '..|objects|select(has("fabric")).pid'; }
check "the daemon's network is no host's" run 1 attach red s1 --pid "$(daemon)"
check 'is told' says err "the fabric's own network"
check 'a name that is cut within a character is quoted all the same' run 1 show s1 "$(printf 'x%.0s' $(seq 63))ä"
check 'and answered' says err "has no table 'xxx"
escaped() {
	! "$heddle" show s1 "$(printf 't\033]0;x\007')" 2>"$scratch/err" && says err "t?]0;x?" && ! grep -q "$(printf '\033')" "$scratch/err"
}
check 'what commands a terminal is not repeated to it' escaped
check 'an unknown key' run 2 add host h10 s1 colour=red
check 'a wrong value' run 1 add host h10 s1 rate=fast
check 'nothing to add' run 2 add
check 'cores as there are none' run 2 up "$topologies/two-racks.yaml" --name other --cores=odd
check 'are told' says err 'home, spread or free'
for port in $(seq 13); do "$heddle" add link s1 s2 >/dev/null 2>&1; done
for port in $(seq 4); do "$heddle" add link s1 s2 >/dev/null 2>&1; done
check 'no port left' run 1 add link s1 s2
check 'is told' says err 'no port is left'
check 'many links are used' reachable h1 h4

# answered HOST - the sequence numbers of the answers that its ping has had
answered() { sed -n 's/.* bytes from .*icmp_seq=\([0-9]*\) .*/\1/p' "$scratch/bystander $1"; }
# undisturbed HOST - still answered, and none is missing up to the last one: a late answer is late,
# not lost
undisturbed() {
	local before last
	before=$(answered "$1" | tail -n 1)
	for _ in $(seq 600); do
		answered "$1" >"$scratch/answered"
		last=$(tail -n 1 "$scratch/answered")
		[ "${last:-0}" -gt "${before:-0}" ] && break
		sleep 0.1
	done
	echo "answered: $before, then $last"
	[ "$last" -gt 100 ] && [ "$last" -gt "$before" ] && seq 1 "$last" | diff - "$scratch/answered"
}
check 'who was there all the time lost nothing' undisturbed h5
check 'nor did those at the switch with many links' undisturbed h3

down_and_up() {
	"$heddle" exec h2 -- sh -c 'ip link set eth0 down && ip link set eth0 up && ip -6 addr show eth0 | grep fd48::2' &&
		reachable h2 fd48::6
}
check 'eth0 down and up: the address of IPv6 stays' down_and_up
unplugged() { "$heddle" ps two-racks | grep -E "^nic +$1 .*UNPLUGGED: .* eth0"; }
plugged_in() { ! unplugged h2; }
check 'nothing is unplugged' plugged_in
check 'a program deletes eth0' run 0 exec h2 -- ip link del eth0
check 'which ps says' unplugged h2
check 'and it can be removed' run 0 remove h2
check 'the end' run 0 down
finish
