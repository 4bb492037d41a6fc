#!/bin/sh
# test_wire_tshark [FRAMES_TO_PCAP] - an independent decoder judges the frames (FC-18, FC-21, EC-16,
# RC-4, RC-5, RC-9, TB-19).
#
# frames_to_pcap writes generated frames of every kind, host 0 -> host 299, flow 0x12345: per kind
# four of traffic class 0, then four of class 5; of each the first, a middle, the last packet of a
# message, and a message of one packet. Wireshark's dissectors must find in every standard header
# what was put in, checksums good, and nothing malformed. The helper is the one that make built,
# else it is compiled here. IPv6 with UDP checksum 0 is right for a tunnel [RFC 6935]: allowed
# below.
# shellcheck disable=SC2046,SC2086 # lists of fields are meant to be split
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

# all fields that are asked for below: tshark takes long to start, so it reads each file once
fields="eth.src eth.dst eth.type vlan.priority vlan.id vlan.etype frame.len ip.src ip.dst ip.hdr_len ip.dsfield.dscp ip.dsfield.ecn ip.len
ip.ttl ip.flags.df ip.checksum.status ipv6.src ipv6.dst ipv6.tclass ipv6.tclass.dscp ipv6.tclass.ecn ipv6.flow ipv6.plen ipv6.nxt ipv6.hlim
udp.srcport udp.dstport udp.length udp.checksum.status tcp.srcport tcp.dstport tcp.seq_raw tcp.ack_raw tcp.len tcp.window_size_value
tcp.checksum.status tcp.flags infiniband.bth.opcode infiniband.bth.destqp infiniband.bth.psn infiniband.bth.p_key infiniband.bth.padcnt
infiniband.bth.tver infiniband.bth.a infiniband.reserved infiniband.bth.reserved7 infiniband.aeth.syndrome.opcode
infiniband.aeth.syndrome.credit_count infiniband.aeth.syndrome.error_code infiniband.aeth.msn ieee802a.oui ieee802a.pid data.data macc.opcode
macc.cbfc.enbv macc.cbfc.pause_time.c0 macc.cbfc.pause_time.c1 macc.cbfc.pause_time.c2 macc.cbfc.pause_time.c3 macc.cbfc.pause_time.c6
macc.cbfc.pause_time.c7 macc.pause_time _ws.malformed _ws.expert.severity frame.number _ws.expert.message"

# table FILE : makes FILE.table, a line per frame, unless it is there; several values of a field
# with "~" between them
table() {
	[ -e "$work/$1.table" ] && return
	tshark -n -r "$work/$1" -o ip.check_checksum:TRUE -o udp.check_checksum:TRUE -o tcp.check_checksum:TRUE \
		-o udp.ignore_ipv6_zero_checksum:TRUE -T fields -E header=y -E aggregator=\~ $(printf ' -e %s' $fields) \
		>"$work/$1.table" 2>>"$work/tshark.log" || echo "tshark ended with status $?"
}

# decode FILE CONDITION FIELD... : one line per frame that fits, the first value of each field,
# separated by blanks, absent ones as "-". CONDITION is awk's: n is the number of the frame,
# f(FIELD) the first value of a field, all(FIELD) every one.
decode() {
	file=$1
	condition=$2
	shift 2
	table "$file"
	awk -F '\t' -v wanted="$*" '
		function all(name) {
			if (!(name in at)) print "no field " name
			return $at[name]
		}
		function f(name, value) { value = all(name); sub(/~.*/, "", value); return value }
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; count = split(wanted, names, " "); next }
		{ n = NR - 1 }
		'"$condition"' {
			for (i = 1; i <= count; i++) printf "%s%s", (value = f(names[i])) == "" ? "-" : value, i < count ? " " : "\n"
		}
		END { if (NR < 2) print "no frames" }' "$work/$file.table" || echo "awk ended with status $?"
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
		"$top/nodes/wire/ack_frame.c" "$top/nodes/wire/flow_name.c" "$top/nodes/config/flow_match.c" "$top/nodes/wire/fgfc_frame.c" \
		"$top/nodes/wire/crc32.c" "$top/nodes/wire/ecn_mark.c" "$top/nodes/wire/ip_header.c" "$top/nodes/wire/pause_frame.c" \
		"$top/nodes/wire/roce_frame.c" "$top/nodes/wire/tcp_frame.c" -ldeflate || exit 1
fi
"$helper" "$work" || exit 1

# warnings and errors
bad='(f("_ws.malformed") != "" || all("_ws.expert.severity") ~ /6291456|8388608/)'
has_bth='f("infiniband.bth.opcode") != ""'
over_ipv4='f("ip.src") != ""'
over_ipv6='f("ipv6.src") != ""'
has_tcp='f("tcp.flags") != ""'
expect hosts__nothing_malformed "" "$(decode hosts.pcap "$bad" frame.number _ws.expert.message)"
# The InfiniBand dissector calls every RoCE frame malformed that is not captured whole, so those are
# left out here.
expect headers__nothing_malformed "" "$(decode headers.pcap "$bad"' && f("udp.srcport") != 4791 && f("udp.dstport") != 4791' \
	frame.number _ws.expert.message)"
expect fabric__nothing_malformed "" "$(decode fabric.pcap "$bad" frame.number _ws.expert.message)"

# Would it be noticed? The IPv4 checksum of frame 9 is broken: after the file's header, 8 frames and
# 2 frame parts.
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
	"$(decode hosts.pcap 'n <= 8' eth.src eth.dst eth.type vlan.priority vlan.id vlan.etype)"

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
	"$(decode hosts.pcap 'n >= 9 && n <= 16' ip.src ip.dst ip.hdr_len ip.dsfield.dscp \
		ip.dsfield.ecn ip.len ip.ttl ip.flags.df ip.checksum.status)"
expect ipv4__udp \
"58181 18436 1480 3
58181 18436 968 3" \
	"$(decode hosts.pcap 'n == 9 || n == 16' udp.srcport udp.dstport udp.length \
		udp.checksum.status)"

ip="fd48::1 fd48::12c"
expect ipv6__header \
"$ip 0x00000000 0x012345 1460 17 64
$ip 0x00000000 0x012345 948 17 64
$ip 0x000000a0 0x012345 1460 17 64
$ip 0x000000a0 0x012345 948 17 64" \
	"$(decode hosts.pcap 'n == 17 || n == 19 || n == 22 || n == 24' ipv6.src ipv6.dst ipv6.tclass ipv6.flow ipv6.plen ipv6.nxt \
		ipv6.hlim)"
expect ipv6__udp \
"58181 18436 1460
58181 18436 948" \
	"$(decode hosts.pcap 'n == 17 || n == 24' udp.srcport udp.dstport udp.length)"

bth="infiniband.bth.opcode infiniband.bth.destqp infiniband.bth.psn infiniband.bth.p_key infiniband.bth.padcnt infiniband.bth.tver
infiniband.bth.a"
answer="infiniband.bth.opcode infiniband.reserved infiniband.bth.destqp infiniband.bth.a infiniband.bth.reserved7 infiniband.bth.psn
infiniband.aeth.syndrome.opcode infiniband.aeth.syndrome.credit_count infiniband.aeth.syndrome.error_code infiniband.aeth.msn"

# RC SEND first 0, middle 1, last 2, only 4; the lower 24 bits of the packet number
expect roce__ipv4_and_udp \
"0 1500 1 58181 4791 1480
40 988 1 58181 4791 968" \
	"$(decode hosts.pcap 'n == 25 || n == 32' ip.dsfield.dscp ip.len ip.checksum.status udp.srcport \
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
	"$(decode hosts.pcap "$has_bth && $over_ipv4" $bth)"

expect hpc__ethertype "8 frames" "$(decode hosts.pcap 'n > 32 && n <= 40 && f("eth.type") == "0x88b6"' eth.type | wc -l) frames"

# On a fabric link: envelopes of switch 6 port 10 and switch 7 port 11 around every frame, the ACK
# frame last.
expect fabric__envelopes \
"56 02:48:ff:00:06:0a 02:48:ff:00:07:0b 0x88b5 1028
57 02:48:ff:00:06:0a 02:48:ff:00:07:0b 0x88b5 30" \
	"$(decode fabric.pcap 'n >= 56' frame.number eth.src eth.dst eth.type frame.len)"
expect fabric__all_enveloped "57 frames" "$(decode fabric.pcap 'f("eth.type") == "0x88b5"' eth.type | wc -l) frames"

# FGFC: of OUI Extended EtherType 00:0e:ab (3755), protocol id 0; then the type byte and what is
# ours: all fields, 50 us, 16 units.
expect fgfc__nothing_malformed "" "$(decode fgfc.pcap "$bad" frame.number _ws.expert.message)"
ends="01:80:c2:00:00:0e 02:48:ff:00:06:0a"
expect fgfc__oui_extended_ethertype \
"$ends 0x88b7 3755 0x0000 01 00 00 007f 0000c350 00000010
$ends 0x88b7 3755 0x0000 02 00 00 007f 0000c350 00000010
$ends 0x88b7 3755 0x0000 03 00 00 007f 0000c350 00000010
$ends 0x88b7 3755 0x0000 02 00 00 007f 0000c350 00000010
$ends 0x88b7 3755 0x0000 00 00 00 007f 0000c350 00000010
$ends 0x88b7 3755 0x0000 03 00 00 007f 0000c350 00000010
$ends 0x88b7 3755 0x0000 02 00 00 007f 0000c350 00000010" \
	"$(decode fgfc.pcap 1 eth.dst eth.src eth.type ieee802a.oui ieee802a.pid data.data |
		sed -E 's/ (\w\w)(\w\w)(\w\w)(\w{4})(\w{8})(\w{8})\w*$/ \1 \2 \3 \4 \5 \6/')"

# Data over IPv6 has the BTH of data over IPv4.
expect roce_ipv6__bth "$(decode hosts.pcap "$has_bth && $over_ipv4" $bth)" "$(decode hosts.pcap "$has_bth && $over_ipv6" $bth)"
ip="fd48::1 fd48::12c"
expect roce_ipv6__ipv6_and_udp \
"$ip 0x00000000 0x012345 1460 17 58181 4791 1460
$ip 0x000000a0 0x012345 948 17 58181 4791 948" \
	"$(decode hosts.pcap 'n == 41 || n == 48' ipv6.src ipv6.dst ipv6.tclass ipv6.flow ipv6.plen \
		ipv6.nxt udp.srcport udp.dstport udp.length)"

# TCP: segments that follow each other, 1460 or 948 bytes long, checksum good
expect tcp__segments \
"0 1 58181 18436 0 1460 1 0x0010
0 1 58181 18436 1460 1460 1 0x0010
0 1 58181 18436 2920 948 1 0x0010
0 1 58181 18436 3868 948 1 0x0010
40 1 58181 18436 4816 1460 1 0x0010
40 1 58181 18436 6276 1460 1 0x0010
40 1 58181 18436 7736 948 1 0x0010
40 1 58181 18436 8684 948 1 0x0010" \
	"$(decode hosts.pcap "$has_tcp" ip.dsfield.dscp ip.checksum.status tcp.srcport tcp.dstport tcp.seq_raw tcp.len \
		tcp.checksum.status tcp.flags)"
# ECT(0) that became CE, the ACK with ECE, the next segment with CWR; the ACK padded to 60 bytes
expect tcp__congestion \
"10.0.0.1 10.0.1.44 3 58181 18436 0 1 1460 65535 1 0x0010
10.0.1.44 10.0.0.1 0 18436 58181 1 1460 0 512 1 0x0050
10.0.0.1 10.0.1.44 2 58181 18436 1460 1 1460 65535 1 0x0090" \
	"$(decode tcp.pcap "$has_tcp" ip.src ip.dst ip.dsfield.ecn tcp.srcport tcp.dstport tcp.seq_raw tcp.ack_raw tcp.len \
		tcp.window_size_value tcp.checksum.status tcp.flags)"
expect tcp__nothing_malformed "" "$(decode tcp.pcap "$bad" frame.number _ws.expert.message)"

# What answers data (RC-4, RC-9). ECN: 2 ECT(0), 3 CE. Opcode 17: AETH with an ACK without credits
# (0, 31), or a NAK (3, error 0: PSN). Opcode 129: CNP, which Wireshark 4.0 has no name for; BECN
# (0x40) stands in front of the queue pair, the signal in the 7 reserved bits.
there="10.0.0.1 10.0.1.44"
back="10.0.1.44 10.0.0.1"
expect roce_ipv4__answers \
"$there 0 2 1 58181 1480 0 00 0x812345 1 0 0 - - - -
$there 0 3 1 58181 1480 0 00 0x812345 1 0 0 - - - -
$back 48 0 1 58181 28 17 00 0x400001 0 0 11259375 0 31 - 9
$back 48 0 1 58181 28 17 00 0x400001 0 0 11259375 3 - 0 9
$back 48 0 1 58181 40 129 40 0x400001 0 0 0 - - - -
$back 48 0 1 58181 40 129 40 0x400001 0 1 0 - - - -
$back 48 0 1 58181 40 129 40 0x400001 0 2 0 - - - -" \
	"$(decode roce.pcap "$over_ipv4" ip.src ip.dst ip.dsfield.dscp ip.dsfield.ecn ip.checksum.status udp.srcport udp.length $answer)"
there="fd48::1 fd48::12c"
back="fd48::12c fd48::1"
expect roce_ipv6__answers \
"$there 0 2 58181 1460 0 00 0x812345 1 0 0 - - - -
$there 0 3 58181 1460 0 00 0x812345 1 0 0 - - - -
$back 48 0 58181 28 17 00 0x400001 0 0 11259375 0 31 - 9
$back 48 0 58181 28 17 00 0x400001 0 0 11259375 3 - 0 9
$back 48 0 58181 40 129 40 0x400001 0 0 0 - - - -
$back 48 0 58181 40 129 40 0x400001 0 1 0 - - - -
$back 48 0 58181 40 129 40 0x400001 0 2 0 - - - -" \
	"$(decode roce.pcap "$over_ipv6" ipv6.src ipv6.dst ipv6.tclass.dscp ipv6.tclass.ecn udp.srcport udp.length $answer)"
expect roce__nothing_malformed "" "$(decode roce.pcap "$bad" frame.number _ws.expert.message)"

# PFC (class-based flow control to Wireshark) and PAUSE (RC-5)
ends="02:48:ff:00:06:0a 01:80:c2:00:00:01 0x8808 60"
expect pause__decoded \
"$ends 0x0101 0x0089 65535 0 0 0 0 4660 -
$ends 0x0101 0x0000 65535 0 0 0 0 0 -
$ends 0x0001 - - - - - - - 100" \
	"$(decode pause.pcap 1 eth.src eth.dst eth.type frame.len macc.opcode macc.cbfc.enbv macc.cbfc.pause_time.c0 \
		macc.cbfc.pause_time.c1 macc.cbfc.pause_time.c2 macc.cbfc.pause_time.c3 macc.cbfc.pause_time.c6 \
		macc.cbfc.pause_time.c7 macc.pause_time)"
expect pause__nothing_malformed "" "$(decode pause.pcap "$bad" frame.number _ws.expert.message)"

[ "$failed" -eq 0 ] || cat "$work/tshark.log"
finish 0
