#!/usr/bin/env bash
# test_port_group_hosts - real programs on a fabric of kind port-group (PG-1, PG-9, TB-8): the
# kernel's own stack, under credits. Broadcasts (ARP) and groups (neighbour discovery) go along the
# tree. Skipped where the kernel forbids network namespaces.
set -u
. "$(dirname "$0")/common.sh"

fabric_dir

command -v python3 >/dev/null || { echo 'skipped: python3 is not installed'; exit 77; }
command -v jq >/dev/null || { echo 'skipped: jq is not installed'; exit 77; }

cat >"$scratch/lids.yaml" <<'SCENARIO'
name: lids
fabric: port-group
run: {duration: 1ms}
topology: {generate: leaf-spine, leaves: 2, hosts-per-leaf: 2, spines: 2}
links: {rate: 1Gb/s, delay: 10us, mtu: 9014}
SCENARIO
fabric_up "$scratch/lids.yaml"

on() {
	local host=$1
	shift
	timeout 120 "$heddle" exec -f lids "$host" -- "$@"
}

pings() { on h0 ping -c 2 -i 0.2 "$1" h3; }

# bytes_come - a TCP stream of 40 MB is there whole: its digest is the same
bytes_come() {
	head -c 40000000 /dev/urandom >"$scratch/data"
	on h3 python3 -c '
import hashlib, socket
listener = socket.create_server(("::", 6001), family=socket.AF_INET6, dualstack_ipv6=True)
peer, _ = listener.accept()
digest = hashlib.sha256()
while data := peer.recv(1 << 20):
    digest.update(data)
print(digest.hexdigest() + "  -")' >"$scratch/got" &
	local receiver=$!
	listening h3 6001 || return 1
	on h0 python3 -c '
import socket, sys
peer = socket.create_connection(("h3", 6001))
peer.sendall(open(sys.argv[1], "rb").read())' "$scratch/data" || return 1
	wait "$receiver" && [ "$(cat "$scratch/got")" = "$(sha256sum <"$scratch/data")" ]
}

check 'ping over IPv4' pings -4
check 'ping over IPv6' pings -6
check 'TCP, every byte' bytes_come
# credits (PG-9): nothing is lost between the NICs; what a sending host has too much in its NIC or a
# receiver does not take, TCP sends again
dropped() {
	"$heddle" ps --json >"$scratch/ps"
	jq -c '.[0].nodes[] | {name, drops}' "$scratch/ps"
	jq -e '.[0].nodes | all(.drops | del(.no_listener, .host_overrun, .fgfc_queue) | add // 0 | . == 0)' "$scratch/ps"
}
check 'nothing is dropped on the way' dropped
check 'down' "$heddle" down lids
finish
