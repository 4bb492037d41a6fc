#!/usr/bin/env bash
# test_sockets - a running fabric listens nowhere and has no socket with a name: its control sockets
# are pairs that only the orchestrator and the node hold (TB-24).
set -u
. "$(dirname "$0")/common.sh"

# named PID... - of the sockets that these processes hold: names of UNIX sockets, listening TCP
# ports, UDP ports
named() {
	local pid
	for pid in "$@"; do
		find "/proc/$pid/fd" -type l -printf '%l\n'
	done | sed -n 's/^socket:\[\([0-9]*\)\]$/\1/p' | sort -u >"$scratch/held"
	awk 'NR == FNR { held[$1] = 1; next } ($7 in held) && NF > 7 { print "unix", $8 }' "$scratch/held" /proc/net/unix
	awk 'NR == FNR { held[$1] = 1; next } ($10 in held) && ($4 == "0A" || FILENAME ~ /udp/) { print FILENAME, $2 }' "$scratch/held" \
		/proc/net/tcp /proc/net/tcp6 /proc/net/udp /proc/net/udp6 2>/dev/null
}

mkfifo "$scratch/commands"
"$heddle" run "$topologies/parking-lot.yaml" --break-at 1us --quiet <"$scratch/commands" >"$scratch/out" 2>&1 &
pid=$!
exec 9>"$scratch/commands"
echo status >&9
wait_for grep '^at ' "$scratch/out" >"$scratch/at"
named $pid $(children $pid) >"$scratch/named"
echo quit >&9
exec 9>&-
wait "$pid"
check "the fabric was there" grep -q '^at ' "$scratch/out"
check "it holds sockets" test "$(wc -l <"$scratch/held")" -ge 16
check "none with a name, nothing listens" silent named
finish
