#!/usr/bin/env bash
# run - programs on links of 200 Gb/s, in dilated time: one stream and a round trip, then eight
# senders into one, beside the same under the virtual clock.
# usage: run.sh [BYTES [HEDDLE-UP-OPTION...]]      BYTES of each of the eight, 400M if not given
# A row of iperf3: what the receivers report, in fabric time. Sum: all bytes by the longest time.
set -eu
here=$(dirname "$0")
heddle=${HEDDLE:-heddle}
bytes=${1:-400M}
shift || true
for need in "$heddle" iperf3 ping jq; do
	command -v "$need" >/dev/null || { echo "run.sh: cannot find $need; HEDDLE names heddle, the packages iperf3, iputils-ping and jq have the rest" >&2 && exit 1; }
done
scratch=$(mktemp -d)
fabric=incast-dilated-$$
end() {
	"$heddle" down "$fabric" >/dev/null 2>&1 || true
	rm -rf "$scratch"
}
trap end EXIT
trap 'exit 130' INT TERM

# its messages are shown if it fails
up() {
	"$heddle" up "$@" --name "$fabric" >"$scratch/up" 2>&1 || { cat "$scratch/up" >&2 && exit 1; }
}

# row FABRIC WHAT VERDICT - rates in b/s on standard input, the sum first
row() {
	awk -v fabric="$1" -v what="$2" -v verdict="$3" '
		NR == 1 { sum = $1; next }
		{ rate[++n] = $1; s += $1; q += $1 * $1; if (n == 1 || $1 < least) least = $1; if ($1 > most) most = $1 }
		END { printf "%-12s  %-13s  %9.2f  %8.2f  %8.2f  %7.5f  %s\n", fabric, what, sum / 1e9, least / 1e9, most / 1e9, s * s / (n * q), verdict }'
}

virtual() {
	"$heddle" run "$here/incast.yaml" --set fabric="$1" --json 2>/dev/null |
		jq '([.flows[].goodput_bps] | add), .flows[].goodput_bps' | row "$1" 'virtual clock' exact
}

dilated() {
	local kind=$1 i words
	shift
	up "$here/incast.yaml" --set fabric="$kind" "$@"
	for i in 1 2 3 4 5 6 7 8; do
		"$heddle" exec -f "$fabric" h0 -- iperf3 -s -1 -D -p $((5200 + i))
	done
	sleep 1
	"$heddle" ps "$fabric" --json >"$scratch/before"
	for i in 1 2 3 4 5 6 7 8; do
		"$heddle" exec -f "$fabric" "h$i" -- iperf3 -c h0 -p $((5200 + i)) -n "$bytes" -J >"$scratch/$i" &
	done
	wait
	words=$("$heddle" ps "$fabric" --since "$scratch/before" --json | jq -r '.[0].fidelity.words')
	"$heddle" down "$fabric" >/dev/null 2>&1
	jq -s '[.[].end.sum_received] | ([.[].bytes] | add) * 8 / ([.[].seconds] | max), .[].bits_per_second' \
		"$scratch"/[1-8] | row "$kind" 'iperf3' "$words"
}

# stream HEDDLE-UP-OPTION... - a row: what one iperf3 and ping report between two hosts
stream() {
	local words rtt
	up "$here/pair.yaml" "$@"
	"$heddle" exec -f "$fabric" b -- iperf3 -s -1 -D
	sleep 1
	rtt=$("$heddle" exec -f "$fabric" a -- ping -4 -q -c 20 -i 0.002 b | sed -n 's|^rtt [^=]*= [^/]*/\([^/]*\)/.*|\1|p')
	"$heddle" ps "$fabric" --json >"$scratch/before"
	"$heddle" exec -f "$fabric" a -- iperf3 -c b -n 6G -J >"$scratch/stream"
	words=$("$heddle" ps "$fabric" --since "$scratch/before" --json | jq -r '.[0].fidelity.words')
	"$heddle" down "$fabric" >/dev/null 2>&1
	printf '%-16s  %11.2f  %13.3f  %s\n' "${*:-processes}" \
		"$(jq '.end.sum_received.bits_per_second / 1e9' "$scratch/stream")" "$rtt" "$words"
}

# a frame of MTU 9000 carries 8948 of the 9038 bytes that it takes on a link
echo 'One stream. The link carries 198.01 Gb/s of data in frames of MTU 9000; round trip 0.600 ms.'
printf '%-16s  %11s  %13s  %s\n' nodes 'iperf3 Gb/s' 'round trip ms' verdict
stream "$@"
[ $# -gt 0 ] || stream --pack
echo
echo 'Eight senders into one'
printf '%-12s  %-13s  %9s  %8s  %8s  %7s  %s\n' fabric traffic 'sum Gb/s' least most Jain verdict
for kind in flow-channel roce; do
	virtual $kind
	dilated $kind "$@"
done
