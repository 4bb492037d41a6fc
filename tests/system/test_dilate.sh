#!/usr/bin/env bash
# test_dilate - fabric time runs slower than the machine's, for nodes and for programs (SC-8).
#
#   a - s1 --- s2 - b     200 Gb/s, 100 us a link, dilated 100 times
#
# A program measures its sleeps by the machine's clock and by its own. ping reports the configured
# round trip of 600 us. iperf3 reports bytes and seconds that the NIC has counted.
set -u
. "$(dirname "$0")/common.sh"

fabric_dir

for program in iperf3 jq; do
	command -v "$program" >/dev/null || { echo "skipped: $program is not installed"; exit 77; }
done
cat >"$scratch/pair.yaml" <<END
name: pair
dilate: 50
links: {rate: 200Gb/s, delay: 100us, mtu: 9000}
topology: {switches: [s1, s2], hosts: {a: s1, b: s2}, links: [[s1, s2]]}
END
on() {
	local host=$1
	shift
	timeout 120 "$heddle" exec "$host" -- "$@"
}
holds() { awk "BEGIN { exit !($1) }" || { echo "not so: $1"; return 1; }; }

# judged NAME COMMAND... - skipped if it fails and the fabric was not valid meanwhile
judged() {
	local name=$1 verdict held=true
	shift
	"$heddle" ps pair --json >"$scratch/before"
	"$@" >"$scratch/judged" 2>&1 || held=false
	verdict=$("$heddle" ps pair --since "$scratch/before" --json | jq -r '.[0].fidelity.verdict')
	if [ $held = false ] && [[ $verdict != valid ]]; then
		skip "$name" "the fabric was $verdict: $(tr '\n' ' ' <"$scratch/judged")"
	else
		check "$name" sh -c "cat '$scratch/judged'; echo 'fidelity: $verdict'; $held"
	fi
}

# ---- what is refused ----

refused() { # WORDS COMMAND...
	local words=$1
	shift
	"$heddle" "$@" >"$scratch/out" 2>&1 && return 1
	grep -qF -- "$words" "$scratch/out" || { cat "$scratch/out"; return 1; }
}
for times in 0 -3 1.5 fast 1001; do
	check "up refuses --dilate $times" refused "takes a whole number from 1 to 1000, not '$times'" up "$scratch/pair.yaml" --dilate "$times"
done
check 'the virtual clock is not dilated' refused 'is for --clock real' run "$scratch/pair.yaml" --dilate 2

# ---- programs ----

fabric_up "$scratch/pair.yaml" --dilate 100

# every wait takes at least 100 times as long as it was asked for by the machine's clock, and by its
# own clock the hundredth part of that
waits_are_dilated() {
	on a "$top/build/release/system/dilated_times" 2 >"$scratch/times"
	cat "$scratch/times"
	awk -F'\t' '$2 < 200 || $3 < 2 || $2 / $3 < 99 || $2 / $3 > 101 { wrong = 1 } END { exit wrong || NR < 16 }' "$scratch/times"
}
check 'sleeps and time-outs of programs are dilated' waits_are_dilated

# between two looks at the clock of the one the other's is asked
clocks_agree() {
	local before between after
	before=$(on a date +%s%N) between=$(on b date +%s%N) after=$(on a date +%s%N)
	echo "$before $between $after"
	holds "$before <= $between && $between <= $after"
}
check 'hosts have the same time' clocks_agree
check 'the library is loaded once' sh -c "LD_PRELOAD=/run/libheddle-dilate.so '$heddle' exec a -- printenv LD_PRELOAD | grep -qx /run/libheddle-dilate.so"

rtt() { on a ping -4 -c 20 -i 0.002 -q b | sed -n 's|^rtt [^=]*= \([0-9.]*\)/.*|\1|p'; }
rtt_is_path() {
	local least
	least=$(rtt)
	echo "$least ms"
	holds "$least >= 0.6 && $least <= 0.66"
}
judged 'ping reports the round trip of the fabric' rtt_is_path

# ---- an origin that cannot be read changes nothing ----

year() { HEDDLE_DILATION=$1 LD_PRELOAD=$top/build/release/libheddle-dilate.so date -u +%Y; }
check 'a program has the time of its origin' [ "$(year '100 1 1')" = 1970 ]
for origin in '' '0 1 1' '1001 1 1' '100 1' '100 1 x' '100 1 1 1' '100 -1 1'; do
	check "origin '$origin' changes nothing" [ "$(year "$origin")" -ge 2023 ]
done

# ---- iperf3 and the fabric's own count ----

on b iperf3 -s -1 -D && listening b 5201
"$heddle" ps pair --json >"$scratch/before"
on a iperf3 -c b -n 1000M -J >"$scratch/iperf"
"$heddle" ps pair --json >"$scratch/after"

count() { jq ".[0].nodes[] | select(.name == \"a\") | $2" "$scratch/$1"; }
grown() { echo $(($(count after "$1") - $(count before "$1"))); }
reported() { jq ".end.sum_received.$1" "$scratch/iperf"; }

bytes_are_counted() {
	echo "the NIC has sent $(grown .sent_bytes) bytes, iperf3 has received $(reported bytes)"
	holds "$(reported bytes) > 900e6 && $(reported bytes) <= $(grown .sent_bytes)"
}
check 'what iperf3 has received the NIC has sent' bytes_are_counted

# iperf3 cannot have needed less time than the link, nor more than has passed
time_is_fabric_time() {
	echo "$(grown '.ports[0].tx_busy_ns') ns busy, $(grown .uptime_ns) ns passed, iperf3: $(reported seconds) s"
	holds "$(reported seconds) * 1e9 >= $(grown '.ports[0].tx_busy_ns') * 0.95"
	holds "$(reported seconds) * 1e9 <= $(grown .uptime_ns)"
}
check 'the seconds of iperf3 are those of the fabric' time_is_fabric_time

# a fifth of the time TCP opens its window: ten round trips of 42 ms
rate_is_near() {
	echo "$(reported bits_per_second) b/s"
	holds "$(reported bits_per_second) > 0.7 * 200e9 && $(reported bits_per_second) < 200e9"
}
verdict=$("$heddle" ps pair --since "$scratch/before" --json | jq -r '.[0].fidelity.verdict')
if [ "$verdict" = valid ]; then
	check 'iperf3 reports the rate of the link' rate_is_near
else
	skip 'iperf3 reports the rate of the link' "the fabric was $verdict: $(rate_is_near | tr '\n' ' ')"
fi

# ---- what is told and kept ----

check 'ps says how often it is dilated' sh -c "'$heddle' ps | grep -q 'dilated 100 times'"
check 'top says it too' sh -c "'$heddle' top pair -n 1 -d 0.2 | grep -q 'dilated 100 times'"
check 'JSON has it' sh -c "'$heddle' ps --json | jq -e '.[0].dilation == 100'"
check 'save keeps it' sh -c "'$heddle' save '$scratch/saved.yaml' && grep -qx 'dilate: 100' '$scratch/saved.yaml'"
"$heddle" down >/dev/null 2>&1
check 'nothing is left' sh -c "[ -z \"\$(ls /dev/shm | grep -i -e dilate -e faketime)\" ]"

finish
