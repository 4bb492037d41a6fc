#!/usr/bin/env bash
# test_port_group_hosts - real programs on a fabric of kind port-group (PG-1, PG-9, TB-8): the kernel's own stack, under credits. Broadcasts
# (ARP) and groups (neighbour discovery) go along the tree. Skipped where the kernel forbids network namespaces.
set -u
. "$(dirname "$0")/common.sh"

fabric_dir

command -v iperf3 >/dev/null || { echo 'skipped: iperf3 is not installed'; exit 77; }
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
	timeout 30 "$heddle" exec -f lids "$host" -- "$@"
}

pings() { on h0 ping -c 2 "$1" h3; }

bytes_come() {
	on h3 iperf3 -s -D -1
	listening h3 5201
	on h0 iperf3 -c h3 -n 40M --json | jq -e '.end.sum_received.bytes > 10000000'
}

check 'ping over IPv4' pings -4
check 'ping over IPv6' pings -6
check 'TCP goes through' bytes_come
check 'down' "$heddle" down lids
finish
