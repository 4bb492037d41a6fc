#!/usr/bin/env bash
# test_capture_live - `heddle capture LINK FILE|-`: frames of a link of a running fabric, for a
# reader that comes and goes (SE-13).
#
#   h1, h2 - s1 --- s2 (h3, h4) --- s3 - h5, h6     topologies/two-racks.yaml
#
# A capture has the packets that the port counts meanwhile: no fewer than between the counts inside
# of it, no more than between those around it. Whatever ends it, nothing is left, and the fabric
# goes on.
set -u
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/capture.sh"
command -v jq >/dev/null || { echo 'skipped: jq is not installed'; exit 77; }
reader=(-X "lua_script:$top/wireshark/heddle.lua")
columns+=(protocol=_ws.col.Protocol lua_error=_ws.lua.error)

fabric_dir
fabric_up "$topologies/two-racks.yaml"

on() { timeout 120 "$heddle" exec "$1" -- "${@:2}"; }
ping_all() { in_the_end on h1 ping -c 3 -i 0.2 -w 30 -q h6; }

# packets_of NODE PEER - received and sent, as the node has counted
packets_of() {
	"$heddle" ps --json | jq --arg node "$1" --arg peer "$2" '.[0].nodes[] | select(.name == $node) |
		.ports[] | select(.peer == $peer) | .rx_packets + .tx_packets'
}
# begin LINK FILE [OPTION...] - starts a capture, $capture, and waits until it runs
begin() {
	rm -f began
	"$heddle" capture "$@" 2>began &
	capture=$!
	wait_for grep 'until Ctrl-C' began
}
# end_with SIGNAL STATUS
end_with() {
	local status
	kill "-$1" "$capture"
	wait "$capture"
	status=$?
	cat began
	[ $status = "$2" ]
}
number() { sed -n "s/.*: \([0-9]*\) frames, \([0-9]*\) did not fit/\\$1/p" began; }

# captured NODE PEER - a capture while h1 pings h6
captured() {
	local a b c d n
	a=$(packets_of "$1" "$2")
	begin "$1:$2" live.pcapng || return 1
	b=$(packets_of "$1" "$2")
	on h1 ping -c 10 -i 0.05 -w 60 -q h6 || return 1
	c=$(packets_of "$1" "$2")
	end_with TERM 0 || return 1
	d=$(packets_of "$1" "$2")
	n=$(seen live.pcapng 'protocol !~ /^Heddle (ACK|FGFC)/')
	echo "$n packets; counted $b - $c, at most $a - $d"
	[ "$(wc -l <live.pcapng.table)" = "$(number 1)" ] && [ "$(number 2)" = 0 ] && [ "$n" -ge $((c - b)) ] && [ "$n" -le $((d - a)) ] && [ "$n" -ge 20 ]
}
named() { sound live.pcapng && [ "$(seen live.pcapng 'protocol ~ /^0x|^IEEE/ || lua_error != ""')" = 0 ]; }

check 'a fabric link: the packets that it counts' captured s1 s2
check 'each of them named, in order, none malformed' named
check 'an edge link' captured s1 h1
check 'each of them named, in order, none malformed' named
check 'at a NIC' captured h6 s3

# ---- the counters ----

# seen_on_wire FILE CONDITION - frames, their bytes on the link, packets and ACK frames, as tshark
# sees them. In the file each has an envelope of 14 bytes; packets lack the FCS of 4.
seen_on_wire() {
	of "$1" "$2" protocol len | awk -F '\t' '
		$1 == "Heddle ACK" { acks++; bytes -= 4 }
		{ frames++; bytes += $2 - 14 + 4 }
		END { print frames + 0, bytes + 0, frames - acks, acks + 0 }'
}
# ended LINK DIRECTION KEY... - numbers that the end of the capture has said
ended() {
	jq -r --arg direction "$2" '.[$direction] as $of | [$ARGS.positional[] | $of[.] | tostring] | join(" ")' "$1.json" --args "${@:3}"
}

# capture_links LINK... - a capture of each LINK, all at once, while h1 sends 8 MB to h6
capture_links() {
	local link pids=()
	for link in "$@"; do
		"$heddle" capture "$link" "$link.pcapng" --json >"$link.json" 2>"$link.began" &
		pids+=($!)
	done
	for link in "$@"; do
		wait_for grep 'until Ctrl-C' "$link.began" || return 1
	done
	on h6 iperf3 -s -D -1 && listening h6 5201 && on h1 iperf3 -c h6 -n 8M --json >iperf || return 1
	kill -TERM "${pids[@]}" && wait "${pids[@]}"
}
# exact LINK - captured and missed frames are those that the port has counted; tshark sees the
# captured ones
exact() {
	local direction condition counted sum saw
	for direction in sent received; do
		[ $direction = sent ] && condition=$out || condition=$in
		counted=$(ended "$1" $direction counted_frames counted_bytes)
		sum=$(jq -r --arg d $direction '.[$d] | "\(.frames + .missed_frames) \(.bytes + .missed_bytes)"' "$1.json")
		saw=$(seen_on_wire "$1.pcapng" "$condition")
		echo "$1 $direction: $sum captured or missed, $counted counted, $saw in the file"
		[ "$sum" = "$counted" ] && [ "$saw" = "$(ended "$1" $direction frames bytes packets ack_frames)" ] || return 1
	done
}
# busy LINK - it has carried what the server has received, packets back, and ACK frames
busy() {
	local received
	received=$(jq .end.sum_received.bytes iperf)
	echo "$received received, $(ended "$1" sent counted_bytes) counted"
	[ "$received" -gt 1000000 ] && [ "$(ended "$1" sent counted_bytes)" -gt "$received" ] && [ "$(ended "$1" received packets)" -gt 0 ] && 
		[ "$(ended "$1" received packets)" -gt 0 ] && [ "$(ended "$1" received ack_frames)" -gt 0 ]
}
if command -v iperf3 >/dev/null; then
	check 'iperf3 through four ends of links that are captured at once' capture_links s1:s2 s2:s3 s2:s1 h1:s1
	for link in s1:s2 s2:s3 s2:s1; do
		check "$link: frames and bytes of each kind are those of the counters" exact $link
	done
	check 'they are those of iperf3' busy s1:s2
	readable() {
		capinfos s2:s3.pcapng | grep 'Strict time order: *True' || return 1
		[ "$(seen s2:s3.pcapng 'malformed != "" || protocol ~ /^0x|^IEEE/ || lua_error != ""')" = 0 ]
	}
	check 'all of them are named' readable
else
	skip 'captures while iperf3 runs' 'iperf3 is not installed'
fi
in_words() {
	begin s2:s3 words.pcapng && ping_all && end_with INT 0 || return 1
	sed -n 's/.* frames, \([0-9]*\) bytes (.*; counted [0-9]*, \([0-9]*\)$/\1 \2/p' began >both
	[ "$(wc -l <both)" = 2 ] && awk '$1 != $2 { exit 1 }' both
}
check 'the same in words' in_words
check '--json beside the frames' run 2 capture s1:s2 - --json

piped() {
	mkfifo shown
	"$heddle" capture s1:h1 - 2>began | tshark -n -l -i - -c 4 -Y icmpv6.type 2>tshark.log >shown &
	local both=$! lines
	wait_for grep 'until Ctrl-C' began && on h1 ping -6 -c 20 -i 0.1 -w 60 -q h6 >pinged &
	lines=$(timeout 120 cat shown | wc -l)
	wait $both
	wait
	cat began
	[ "$lines" -ge 1 ] && grep 'frames, 0 did not fit' began
}
check 'read by tshark while it runs; it ends with its reader' piped
closed() {
	"$heddle" capture s2:s3 - 2>began | { wait_for grep 'until Ctrl-C' began; } >began2
	[ "${PIPESTATUS[0]}" = 0 ] && grep 'did not fit' began
}
check 'without any frame, too' closed

short() {
	begin s1:h1 cut.pcapng --snap 60B && ping_all && end_with INT 0 && [ "$(fields cut.pcapng cap_len | sort -n | tail -n 1)" = 60 ] &&
		[ "$(fields cut.pcapng len | sort -n | tail -n 1)" -gt 60 ]
}
check 'a snap length' short

refused() { # STATUS TEXT ARGUMENT...
	run "$1" capture "${@:3}" && says err "$2"
}
check 'no link' refused 2 'node:peer or node:port' s1 x.pcapng
check 'no such node' refused 1 "no node 's9'" s9:s1 x2.pcapng
leaves_none() { refused 1 "no port 'h6'" s1:h6 none.pcapng && [ ! -e none.pcapng ]; }
check 'no such port; there is no file' leaves_none
keeps() {
	echo mine >keep.pcapng && refused 1 "no port 'nosuch'" s1:nosuch keep.pcapng && [ "$(cat keep.pcapng)" = mine ]
}
check 'a capture that is refused leaves the file as it was' keeps
replaces() {
	head -c 1000000 /dev/zero >old.pcapng && begin s1:s2 old.pcapng && end_with TERM 0 && [ "$(stat -c %s old.pcapng)" -lt 1000000 ] &&
		capinfos -Mrc old.pcapng
}
check 'one that is accepted replaces it' replaces
check 'a snap length of nothing' refused 2 'takes 1 to 65535 bytes' s1:s2 x2.pcapng --snap 0
check 'a file that cannot be written' refused 2 'No such file' s1:s2 nowhere/x.pcapng
check 'a full disk' refused 2 'No space left' s1:s2 /dev/full
twice() {
	begin s1:s2 x2.pcapng && refused 1 'captured already; capture it at its other end: s2:s1' s1:s2 y.pcapng &&
		run_short s2:s1 && end_with TERM 0
}
run_short() {
	"$heddle" capture "$1" y.pcapng 2>short &
	local pid=$!
	wait_for grep 'until Ctrl-C' short && kill $pid && wait $pid
}
check 'one capture for an end of a link, one more at its other end' twice

killed() {
	begin s1:s2 x2.pcapng && kill -KILL "$capture" || return 1
	wait "$capture" 2>/dev/null
	in_the_end run_short s1:s2 && ping_all
}
check 'a capture that is killed: the link is free again' killed

# a node that is stopped gets neither the end of a capture nor a begin; once it runs, the link is
# free
stopped() {
	local pid
	pid=$("$heddle" ps --json | jq '.[0].nodes[] | select(.name == "s1") | .pid')
	begin s1:s2 x2.pcapng && kill -STOP "$pid" || return 1
	kill -KILL "$capture"
	wait "$capture" 2>/dev/null
	run 1 capture s1:s2 y.pcapng
	kill -CONT "$pid"
	in_the_end run_short s1:s2 && ping_all
}
check 'a node that is stopped meanwhile: the link is free again' stopped

# the reader does not read: the ring fills, and what does not fit is counted
slow_reader() {
	local a b c d n missed
	mkfifo slow
	exec 9<>slow
	a=$(packets_of s1 h1)
	begin s1:h1 slow 9>&- || return 1
	b=$(packets_of s1 h1)
	for _ in $(seq 60); do
		on h1 ping -4 -f -l 50 -c 400 -s 1400 -w 100 -q h6 >pinged || return 1
		[ $(($(packets_of s1 h1) - b)) -gt 5000 ] && break
	done
	c=$(packets_of s1 h1)
	cat slow 9>&- >slow.pcapng &
	local reader_pid=$!
	wait_for find slow.pcapng -size +0 # it has opened the pipe, so that this may close it
	exec 9>&-
	end_with TERM 0 || return 1
	wait $reader_pid
	d=$(packets_of s1 h1)
	n=$(capinfos -Mrc slow.pcapng | awk '{ n = $NF } END { print n }')
	missed=$(number 2)
	echo "$n frames, $missed missed; counted $b - $c, at most $a - $d"
	[ "$n" = "$(number 1)" ] && [ "$missed" -gt 0 ] && [ $((n + missed)) -ge $((c - b)) ] && [ $((n + missed)) -le $((d - a)) ]
}
check 'a reader that does not read: what does not fit is counted, the fabric goes on' slow_reader

returns() {
	begin s1:s2 link.pcapng && run 0 link s1:s2 down && run 0 link s1:s2 up && ping_all && end_with TERM 0 && [ "$(number 1)" -ge 6 ]
}
check 'a link that goes down and returns: it continues' returns
dies() {
	local pid
	begin s2:h3 died.pcapng || return 1
	pid=$("$heddle" ps --json | jq '.[0].nodes[] | select(.name == "s2") | .pid')
	kill -KILL "$pid"
	wait "$capture" && grep 's2 has ended' began && run 0 start s2 && ping_all
}
check 'a switch that dies: the capture ends' dies
with_fabric() {
	begin s1:s2 last.pcapng && ping_all && run 0 down && wait "$capture" && grep 's1 has ended, or the fabric has' began &&
		capinfos last.pcapng >info && [ "$(number 1)" -ge 6 ]
}
check 'the fabric ends: so does the capture' with_fabric

fabric_up "$topologies/two-racks.yaml" --set links.medium=veth
check 'a veth link: the packets that it counts' captured s1 s2
check 'each of them named, in order, none malformed' named
check 'down' run 0 down
check 'no process is left' sh -c "! ps -eo args | grep -F '$heddle capture' | grep -v grep"
finish
