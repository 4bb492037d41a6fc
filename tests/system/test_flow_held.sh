#!/usr/bin/env bash
# test_flow_held - real programs' flows, one of them held at its source (EC-15 ... EC-17).
#
#   h1, h2 ==> h0     two TCP streams share h0's link of 1 Gb/s; the switch names them to both NICs
#   h1 ------> h3     another stream of h1
#
# What must hold: the NIC of h1 holds the stream to h0 now and then; every byte arrives, checked by
# its digest; nothing is dropped but what a held flow sent beyond its own queue, which TCP sends
# again; in the end nothing is held. How fast it was is no matter here. Skipped where the kernel
# forbids network namespaces.
set -u
. "$(dirname "$0")/common.sh"

fabric_dir
cat >"$scratch/held.yaml" <<'YAML'
name: held
run: {duration: 1ms}
topology: {generate: star, hosts: 4}
links: {rate: 1Gb/s, delay: 10us, mtu: 9014}
congestion: {settings: {0: {target: 32KiB}, 1: {target: 32KiB}}} # on a machine of any speed
workloads: [{name: in, pattern: incast, to: h0, size: 64KiB, up: no}]
YAML
fabric_up "$scratch/held.yaml"

on() {
	local host=$1
	shift
	timeout 300 "$heddle" exec "$host" -- "$@"
}

head -c 30000000 /dev/urandom >"$scratch/data"
digest=$(sha256sum <"$scratch/data")

# stream FROM TO PORT - one TCP stream of 30 MB; ends when it is there, wrong if it is not the same
stream() {
	on "$2" python3 -c '
import hashlib, socket, sys
listener = socket.create_server(("::", int(sys.argv[1])), family=socket.AF_INET6, dualstack_ipv6=True)
peer, _ = listener.accept()
digest = hashlib.sha256()
while data := peer.recv(1 << 20):
    digest.update(data)
print(digest.hexdigest() + "  -")' "$3" >"$scratch/got-$3" &
	local receiver=$!
	listening "$2" "$3" || return 1
	on "$1" python3 -c '
import socket, sys
peer = socket.create_connection((sys.argv[1], int(sys.argv[2])))
peer.sendall(open(sys.argv[3], "rb").read())' "$2" "$3" "$scratch/data" || return 1
	wait "$receiver" && [ "$(cat "$scratch/got-$3")" = "$digest" ]
}

# what a program of h1 receives about paused flows: pause, credit, protocol, ports
# (docs/congestion.md)
listen_for_holds() {
	on h1 python3 -c '
import os, socket, struct, sys
hear = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x88b7))
hear.bind(("eth0", 0x88b7))
hear.settimeout(0.2)
open(sys.argv[1] + "/ready", "w").close()
while not os.path.exists(sys.argv[1] + "/enough"):
    try:
        frame = hear.recv(2048)
    except TimeoutError:
        continue
    pause_ns, credit_units = struct.unpack_from(">II", frame, 24)
    print(pause_ns, credit_units, frame[33], *struct.unpack_from(">HH", frame, 80), flush=True)' "$scratch" >"$scratch/heard"
}

streams() {
	stream h1 h0 6001 & local first=$!
	stream h2 h0 6002 & local second=$!
	stream h1 h3 6003 & local third=$!
	while kill -0 $first 2>/dev/null || kill -0 $second 2>/dev/null; do
		"$heddle" show h1 fgfc >>"$scratch/named"
		"$heddle" show flow h1 h0 --json >>"$scratch/trails" 2>/dev/null
		sleep 0.02
	done
	wait $first && wait $second && wait $third
}

if ! command -v python3 >/dev/null; then
	skip 'three TCP streams' 'python3 is not installed'
	finish
fi
listen_for_holds &
hearing=$!
wait_for ls "$scratch/ready" >"$scratch/listens"
check 'three TCP streams, every byte' streams
touch "$scratch/enough"
wait $hearing
# a look may miss it, the count does not; a flow that is seen must be one of those of h1: on a slow
# machine the one to h3 may be paused, too
named() {
	"$heddle" ps --json >"$scratch/ps"
	jq -e '[.[0].nodes[] | select(.name == "h1") | .ports[0].congestion.fgfc_frames // 0] | add > 0' "$scratch/ps" &&
		! grep 'ports [0-9]* > ' "$scratch/named" | grep -v 'ports [0-9]* > 600[13]'
}
check 'the flow to h0 was named to the NIC of h1' named
# a look may miss it, too
trails() {
	[ ! -s "$scratch/trails" ] || jq -es 'all(.from == "h1" and .to == "h0" and (.flows | length > 0) and
		all(.flows[].hops[-1]; .output_peer == "h0" and .input_peer == "h1"))' "$scratch/trails"
}
check 'its hops, while it runs' trails
check 'no flow to a host that sends and receives nothing' run 1 show flow h2 h3
check 'and to none' run 1 show flow h2 h9
# EC-17: the program was notified of that flow, with a pause, and of no flow but those of its host
heard() {
	grep -q '^[1-9][0-9]* [0-9]* 6 [0-9]* 6001$' "$scratch/heard" && ! grep -qv ' 6 [0-9]* 600[13]$' "$scratch/heard"
}
check 'a program of h1 heard that its flow to h0 is held' heard
dropped() {
	"$heddle" ps --json >"$scratch/ps"
	jq -e '.[0].nodes | all(.drops | del(.no_listener, .host_overrun, .fgfc_queue) | add // 0 | . == 0)' "$scratch/ps"
}
check 'nothing is dropped on the way' dropped
released() {
	"$heddle" show h1 fgfc | grep -q '^paused 0,' && "$heddle" show h2 fgfc | grep '^paused 0,'
}
check 'in the end nothing is held' wait_for released
finish
