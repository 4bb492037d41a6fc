#!/bin/sh
# test_wire_tshark [FRAMES_TO_PCAP] - an independent decoder judges the frames (FC-18, FC-21, EC-16, TB-19).
#
# frames_to_pcap writes generated frames of every kind, host 0 -> host 299, flow 0x12345: per kind four of traffic class 0,
# then four of class 5; of each the first, a middle, the last packet of a message, and a message of one packet.
# Wireshark's dissectors must find in every standard header what was put in, checksums good, and nothing malformed.
# The helper is the one that make built, else it is compiled here. IPv6 with UDP checksum 0 is right for a tunnel [RFC 6935]: allowed below.
set -u

top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/heddle-tshark.XXXXXX")
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

finish() {
	echo "$passed passed, $failed failed, $1 skipped"
	[ "$failed" -eq 0 ]
	exit
}

# decode FILE FILTER FIELD... : one line per frame, fields separated by blanks, absent ones as "-"
decode() {
	file=$1
	filter=$2
	shift 2
	fields=
	for field in "$@"; do
		fields="$fields -e $field"
	done
	# shellcheck disable=SC2086
	tshark -n -r "$work/$file" -o ip.check_checksum:TRUE -o udp.check_checksum:TRUE \
		-o udp.ignore_ipv6_zero_checksum:TRUE -Y "$filter" -T fields -E separator=\| -E occurrence=f $fields \
		>"$work/decoded" 2>>"$work/tshark.log" || echo "tshark ended with status $?"
	awk -F'|' '{ for (i = 1; i <= NF; i++) printf "%s%s", $i == "" ? "-" : $i, i < NF ? " " : "\n" }' "$work/decoded"
}

# expect NAME EXPECTED FOUND
expect() {
	if [ "$2" = "$3" ]; then
		passed=$((passed + 1))
		echo "ok   $1"
	else
		failed=$((failed + 1))
		printf 'FAIL %s\nexpected:\n%s\nfound:\n%s\n' "$1" "$2" "$3"
	fi
}

if ! command -v tshark >/dev/null 2>&1; then
	echo "skip wire_tshark: tshark is not installed"
	finish 1
fi

helper=${1:-$top/build/release/system/frames_to_pcap}
if [ ! -x "$helper" ]; then
	helper=$work/frames_to_pcap
	"${CC:-gcc}" -std=gnu17 -D_GNU_SOURCE -I"$top" -o "$helper" "$top/tests/system/frames_to_pcap.c" \
		"$top/nodes/wire/address.c" "$top/nodes/wire/frame.c" "$top/nodes/wire/fabric_header.c" \
		"$top/nodes/wire/ack_frame.c" "$top/nodes/wire/flow_name.c" "$top/nodes/wire/fgfc_frame.c" -ldeflate || exit 1
fi
"$helper" "$work" || exit 1

bad='_ws.malformed || _ws.expert.severity >= 6291456' # warnings and errors
expect hosts__nothing_malformed "" "$(decode hosts.pcap "$bad" frame.number _ws.expert.message)"
# The InfiniBand dissector calls every RoCE frame malformed that is not captured whole, so those are left out here.
expect headers__nothing_malformed "" "$(decode headers.pcap "($bad) && !(udp.port == 4791)" frame.number _ws.expert.message)"
expect fabric__nothing_malformed "" "$(decode fabric.pcap "$bad" frame.number _ws.expert.message)"

# Would it be noticed? The IPv4 checksum of frame 9 broken: behind the file's header, 8 frames and 2 frame parts.
cp "$work/hosts.pcap" "$work/broken.pcap"
printf '\377' | dd of="$work/broken.pcap" bs=1 seek=$((24 + 8 * 16 + 4 * 1514 + 4 * 1002 + 16 + 24)) conv=notrunc 2>/dev/null
expect broken__noticed 9 "$(decode broken.pcap "$bad" frame.number)"

mac="02:48:00:00:00:01 02:48:00:00:01:2c"
expect ethernet__untagged_and_priority_tagged \
"$mac 0x88b6 - - -
$mac 0x88b6 - - -
$mac 0x88b6 - - -
$mac 0x88b6 - - -
$mac 0x8100 5 0 0x88b6
$mac 0x8100 5 0 0x88b6
$mac 0x8100 5 0 0x88b6
$mac 0x8100 5 0 0x88b6" \
	"$(decode hosts.pcap "frame.number <= 8" eth.src eth.dst eth.type vlan.priority vlan.id vlan.etype)"

# checksum status 1: good; 3: not present
ip="10.0.0.1 10.0.1.44"
expect ipv4__header \
"$ip 20 0 0 1500 64 1 1
$ip 20 0 0 1500 64 1 1
$ip 20 0 0 988 64 1 1
$ip 20 0 0 988 64 1 1
$ip 20 40 0 1500 64 1 1
$ip 20 40 0 1500 64 1 1
$ip 20 40 0 988 64 1 1
$ip 20 40 0 988 64 1 1" \
	"$(decode hosts.pcap "frame.number >= 9 && frame.number <= 16" ip.src ip.dst ip.hdr_len ip.dsfield.dscp \
		ip.dsfield.ecn ip.len ip.ttl ip.flags.df ip.checksum.status)"
expect ipv4__udp \
"58181 18436 1480 3
58181 18436 968 3" \
	"$(decode hosts.pcap "frame.number == 9 || frame.number == 16" udp.srcport udp.dstport udp.length \
		udp.checksum.status)"

ip="fd48::1 fd48::12c"
expect ipv6__header \
"$ip 0x00000000 0x012345 1460 17 64
$ip 0x00000000 0x012345 948 17 64
$ip 0x000000a0 0x012345 1460 17 64
$ip 0x000000a0 0x012345 948 17 64" \
	"$(decode hosts.pcap "frame.number in {17, 19, 22, 24}" ipv6.src ipv6.dst ipv6.tclass ipv6.flow ipv6.plen ipv6.nxt \
		ipv6.hlim)"
expect ipv6__udp \
"58181 18436 1460
58181 18436 948" \
	"$(decode hosts.pcap "frame.number == 17 || frame.number == 24" udp.srcport udp.dstport udp.length)"

# RC SEND first 0, middle 1, last 2, only 4; the lower 24 bits of the packet number
expect roce__ipv4_and_udp \
"0 1500 1 58181 4791 1480
40 988 1 58181 4791 968" \
	"$(decode hosts.pcap "frame.number == 25 || frame.number == 32" ip.dsfield.dscp ip.len ip.checksum.status udp.srcport \
		udp.dstport udp.length)"
expect roce__bth \
"0 0x812345 0 65535 0 0 0
1 0x812345 1 65535 0 0 0
2 0x812345 2 65535 0 0 0
4 0x812345 3 65535 0 0 0
0 0x812345 4 65535 0 0 0
1 0x812345 5 65535 0 0 0
2 0x812345 6 65535 0 0 0
4 0x812345 7 65535 0 0 0" \
	"$(decode hosts.pcap "infiniband.bth" infiniband.bth.opcode infiniband.bth.destqp infiniband.bth.psn \
		infiniband.bth.p_key infiniband.bth.padcnt infiniband.bth.tver infiniband.bth.a)"

expect hpc__ethertype "8 frames" "$(decode hosts.pcap "frame.number > 32 && eth.type == 0x88b6" eth.type | wc -l) frames"

# On a fabric link: envelopes of switch 6 port 10 and switch 7 port 11 around every frame, the ACK frame last.
expect fabric__envelopes \
"40 02:48:ff:00:06:0a 02:48:ff:00:07:0b 0x88b5 1028
41 02:48:ff:00:06:0a 02:48:ff:00:07:0b 0x88b5 30" \
	"$(decode fabric.pcap "frame.number >= 40" frame.number eth.src eth.dst eth.type frame.len)"
expect fabric__all_enveloped "41 frames" "$(decode fabric.pcap "eth.type == 0x88b5" eth.type | wc -l) frames"

# FGFC: of OUI Extended EtherType 00:0e:ab (3755), protocol id 0; behind it the type byte and what is ours: all fields, 50 us, 16 units.
expect fgfc__nothing_malformed "" "$(decode fgfc.pcap "$bad" frame.number _ws.expert.message)"
ends="01:80:c2:00:00:0e 02:48:ff:00:06:0a"
expect fgfc__oui_extended_ethertype \
"$ends 0x88b7 3755 0x0000 01 00 00 007f 0000c350 00000010
$ends 0x88b7 3755 0x0000 02 00 00 007f 0000c350 00000010
$ends 0x88b7 3755 0x0000 03 00 00 007f 0000c350 00000010
$ends 0x88b7 3755 0x0000 02 00 00 007f 0000c350 00000010
$ends 0x88b7 3755 0x0000 00 00 00 007f 0000c350 00000010" \
	"$(decode fgfc.pcap ieee802a eth.dst eth.src eth.type ieee802a.oui ieee802a.pid data.data |
		sed -E 's/ (\w\w)(\w\w)(\w\w)(\w{4})(\w{8})(\w{8})\w*$/ \1 \2 \3 \4 \5 \6/')"

[ "$failed" -eq 0 ] || cat "$work/tshark.log"
finish 0
