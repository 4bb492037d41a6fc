#!/usr/bin/env bash
# test_sockets - a running fabric listens nowhere and has no socket with a name: its control sockets are pairs that only the
# orchestrator and the node hold (TB-24).
set -u
. "$(dirname "$0")/common.sh"

# names of UNIX sockets and listening TCP and UDP ports of this network namespace
named() {
	awk 'NR > 1 && NF > 7 { print "unix", $8 }' /proc/net/unix
	awk 'FNR > 1 && ($4 == "0A" || FILENAME ~ /udp/) { print FILENAME, $2 }' /proc/net/tcp /proc/net/tcp6 /proc/net/udp /proc/net/udp6 2>/dev/null
}

named | sort -u >"$scratch/before"
mkfifo "$scratch/commands"
"$heddle" run "$topologies/parking-lot.yaml" --break-at 1us --quiet <"$scratch/commands" >"$scratch/out" 2>&1 &
pid=$!
exec 9>"$scratch/commands"
echo status >&9
for ((i = 0; i < 100; i++)); do
	grep -q '^at ' "$scratch/out" && break
	sleep 0.1
done
named | sort -u >"$scratch/during"
echo quit >&9
exec 9>&-
wait "$pid"
check "the fabric was there" grep -q '^at ' "$scratch/out"
check "no socket with a name, nothing listens" diff "$scratch/before" "$scratch/during"
finish
