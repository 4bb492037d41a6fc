#!/usr/bin/env bash
# test_veth_paths - fabrics with many paths whose links are veth pairs (TB-3): port groups with
# their credits (PG-9) on a leaf-spine, and flow channels that choose on a fat tree (FC-23). A
# stream goes on through a link that fails under it and returns (FC-26, PG-11), whole.
#
#   h0, h1 - leaf0 === spine0, spine1 === leaf1 - h2, h3
#   p0e0 === p0a0, p0a1 === c0 ... c3 === p3a0, p3a1 === p3e1
#
# Skipped where the kernel forbids network namespaces.
set -u
. "$(dirname "$0")/common.sh"

fabric_dir
command -v python3 >/dev/null || { echo 'skipped: python3 is not installed'; exit 77; }
command -v jq >/dev/null || { echo 'skipped: jq is not installed'; exit 77; }

scenario() { # NAME TOPOLOGY LINE...
	local name=$1 topology=$2
	shift 2
	printf '%s\n' "name: $name" 'run: {duration: 1ms}' "topology: {$topology}" \
		'links: {rate: 1Gb/s, delay: 10us, mtu: 9014, medium: veth}' "$@" >"$scratch/$name.yaml"
}
on() { local host=$1; shift; timeout 120 "$heddle" exec "$host" -- "$@"; }
pings() { in_the_end on "$1" ping -4 -c 2 -i 0.2 -w 30 -q "$2" && in_the_end on "$1" ping -6 -c 2 -i 0.2 -w 30 -q "$2"; }
all_veth() { # all links that switch $1 has are interfaces that it shows
	[ "$(on "$1" ip -br link | grep -c "^$1\.")" = "$2" ] || { on "$1" ip -br link; return 1; }
}

# stream_begin FROM TO - bytes over TCP until there is $scratch/enough; both ends write the digest
# of all of them
stream_begin() {
	rm -f "$scratch/enough"
	on "$2" python3 -c '
import hashlib, socket
listener = socket.create_server(("", 6001))
peer, _ = listener.accept()
digest = hashlib.sha256()
while data := peer.recv(1 << 20):
    digest.update(data)
print(digest.hexdigest())' >"$scratch/got" &
	receiver=$!
	listening "$2" 6001 || return 1
	on "$1" python3 -c '
import hashlib, os, socket, sys
peer = socket.create_connection(socket.getaddrinfo(sys.argv[1], 6001, socket.AF_INET)[0][4])
digest = hashlib.sha256()
while not os.path.exists(sys.argv[2]):
    data = os.urandom(1 << 18)
    digest.update(data)
    peer.sendall(data)
print(digest.hexdigest())' "$2" "$scratch/enough" >"$scratch/sent" &
	sender=$!
}
# goes_on FROM TO A B - a stream has a link less than it began with, has it again, and arrives,
# every byte
goes_on() {
	stream_begin "$1" "$2" || return 1
	sleep 0.5
	run 0 link "$3:$4" down || return 1
	sleep 0.5
	run 0 link "$3:$4" up || return 1
	sleep 0.5
	touch "$scratch/enough"
	wait "$sender" && wait "$receiver" && grep . "$scratch/sent" && cmp "$scratch/sent" "$scratch/got"
}
manager() { "$heddle" ps --json | jq -r --arg key "$1" '.[0].manager[$key]'; }
# nothing of frames is lost but what was on a link that went down, or had no route until tables
# followed
lost_otherwise() {
	"$heddle" ps --json | jq -c '.[0].nodes[] | {name, drops}' >"$scratch/drops"
	jq -se 'all(.drops // {} | del(.link_down, .no_route, .bad_lid, .no_listener, .host_overrun, .fgfc_queue, .out_of_order) | add // 0 | . == 0)' \
		"$scratch/drops" || { cat "$scratch/drops"; return 1; }
}

check_paths() { # NAME FROM TO A B C
	local name=$1 from=$2 to=$3 a=$4 b=$5 c=$6
	check "$name: a switch shows the ends of its links" all_veth "$a" 4
	check "$name: over every link" pings "$from" "$to"
	check "$name: a stream over a link that fails and returns" goes_on "$from" "$to" "$a" "$b"
	check "$name: the manager has written both" [ "$(manager changed_switches)" -gt 0 ]
	check "$name: one over the other" goes_on "$from" "$to" "$a" "$c"
	check "$name: nothing was lost otherwise" lost_otherwise
	check "$name: a link is down" run 0 link "$a:$b" down
	check "$name: all go over the other" pings "$from" "$to"
	check "$name: and back" pings "$to" "$from"
	check "$name: the other is down" run 0 link "$a:$c" down
	check "$name: then nobody does" cut_off "$from" "$to"
	check "$name: it returns" run 0 link "$a:$c" up
	check "$name: and carries" pings "$from" "$to"
}
cut_off() { ! on "$1" ping -4 -c 1 -W 1 -q "$2"; }

scenario groups 'generate: leaf-spine, leaves: 2, hosts-per-leaf: 2, spines: 2' 'fabric: port-group'
fabric_up "$scratch/groups.yaml"
check_paths 'port groups' h0 h3 leaf0 spine0 spine1
check 'down' run 0 down

scenario tree 'generate: fat-tree, radix: 4' 'routing: {choice: adaptive}'
fabric_up "$scratch/tree.yaml"
check_paths 'fat tree' h0 h15 p0e0 p0a0 p0a1
check 'down' run 0 down
finish
