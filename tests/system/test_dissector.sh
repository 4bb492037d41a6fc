#!/usr/bin/env bash
# test_dissector - wireshark/heddle.lua names every frame of every kind of fabric (SE-13).
#
#   h1 ... h5 - s1 === s2 - t1 t2       flow channels: an incast to t1 with flows that are paused at
#                                       their source, and test frames of every form to t2
#
# What the dissector reads is compared with what the nodes tell in their results: flows, messages,
# events, counters. Frames with mistakes, made by hand (broken_frames.py), are reported with their
# mistake. Frames with random mistakes never make the dissector fail.
set -u
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/capture.sh"
command -v python3 >/dev/null || { echo 'skipped: python3 is not installed'; exit 77; }

lua=$top/wireshark/heddle.lua
reader=(-X "lua_script:$lua")
columns+=(protocol=_ws.col.Protocol info=_ws.col.Info lua_error=_ws.lua.error source_mac=eth.src
	type=heddle.type class=heddle.class flow=heddle.flow_id destination=heddle.destination egress=heddle.egress_port
	units=heddle.units position=heddle.position hops=heddle.hops
	ack_flow=heddle.ack.flow_id ack_type=heddle.ack.type ack_value=heddle.ack.value fcs_good=heddle.ack.fcs_good
	pause=heddle_fgfc.pause fgfc_source=heddle_fgfc.source_mac fgfc_endpoint=heddle_fgfc.source_endpoint
	fgfc_to=heddle_fgfc.destination_endpoint
	start=heddle_test.start packet=heddle_test.packet message=heddle_test.message bytes=heddle_test.bytes
	message_bytes=heddle_test.message_bytes last=heddle_test.last workload=heddle_test.workload
	dlid=heddle.lid.destination slid=heddle.lid.source fecn=heddle.lid.fecn becn=heddle.lid.becn
	service=heddle.lid.service_level subtype=heddle_test.subtype
	signal=heddle_cnp.signal cut=heddle.cut icrc_good=heddle_icrc.good)

# named FILE - is every frame of the protocols of Heddle or of a standard one, none unknown, none
# malformed, and no script error?
named() {
	fields "$1" protocol | sort | uniq -c
	[ "$(seen "$1" 'protocol !~ /^(Heddle (HPC|test|ACK|FGFC|BECN)|RRoCE|CNP|TCP|MAC CTRL)$/')" = 0 ] &&
		[ "$(seen "$1" 'info ~ /nknown|Local Experimental|Ethernet II/')" = 0 ] &&
		[ "$(seen "$1" 'lua_error != ""')" = 0 ] && sound "$1"
}
# same A B - are these the same, and not 0?
same() { echo "$1 and $2" && [ "$1" = "$2" ] && [ "${1:-0}" != 0 ]; }
# sum FILE CONDITION COLUMN
total() { of "$1" "$2" "$3" | awk '{ sum += $1 } END { print sum + 0 }'; }

# ---- flow channels ----

cat >fc.yaml <<'END'
name: dissected
run: {duration: 60us, drain-max: 1s}
topology:
  switches: [s1, s2]
  hosts: {h1: s1, h2: s1, h3: s1, h4: s1, h5: s1, t1: s2, t2: s2}
  links: [{between: [s1, s2], rate: 400Gb/s}]
classes: [{name: a}, {name: b}]
workloads:
  - {name: incast, pattern: incast, from: [h1, h2, h3, h4, h5], to: t1, size: 100kB}
  - {name: plain, pattern: pairs, pairs: [[h1, t2]], size: 30001, frame: ethernet, class: b}
  - {name: v4, pattern: pairs, pairs: [[h2, t2]], size: 30002, frame: ipv4}
  - {name: v6, pattern: pairs, pairs: [[h3, t2]], size: 30003, frame: ipv6}
END
check 'flow channels: a run, all links in one file' capture 0 fc.yaml --events events.csv --capture all=fc.pcapng
check 'flow channels: every frame named, none malformed' named fc.pcapng
# every_link FILE - has each end of a link its interface, with the frames that its port has sent?
every_link() {
	fields "$1" link | sort | uniq -c | awk '{ print $2, $1 }' | sort >seen_links
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ sent = $at["tx_frames"] - $at["words"]; if (sent) print $1 ":" $3, sent }' csv/ports.csv | sort >sent_links
	cat seen_links
	[ -s sent_links ] && cmp seen_links sent_links &&
		capinfos "$1" | grep "Number of interfaces in file: $(($(wc -l <csv/ports.csv) - 1))$" &&
		[ "$(fields "$1" direction | sort -u)" = 0x00000002 ]
}
check 'each end of a link has sent as many as it has counted' every_link fc.pcapng
to='link == "s1:s2"' from='link == "s2:s1"'
same_frames() {
	capture 0 fc.yaml --capture s1:s2=core.pcapng && counted core.pcapng s1 s2 || return 1
	of core.pcapng "$out" time len flow position message >one
	of fc.pcapng "$to" time len flow position message | cmp - one && [ -s one ]
}
check 'those of one link are the ones that it alone gives' same_frames
again() { capture 0 fc.yaml --capture all=again.pcapng --loop=fallback && cmp fc.pcapng again.pcapng; }
check 'the same bytes again' again

acks_counted() {
	same "$(seen fc.pcapng "$from && type == 2")" "$(counter s2 s1 ack_frames)" &&
		same "$(of fc.pcapng "$from && type == 2" ack_type | tr ',' '\n' | wc -l)" "$(counter s2 s1 acks)" &&
		[ "$(of fc.pcapng 'type == 2 && fcs_good !~ /1|True/' len | wc -l)" = 0 ]
}
check 'ACK frames and the ACKs in them: as counted' acks_counted
# ACK_DELTA and ACK_DELTA_ECA acknowledge what the fabric headers carried
acknowledged() {
	same "$(of fc.pcapng "$from && type == 2" ack_type ack_value | awk -F '\t' '{
		n = split($1, type, ","); split($2, value, ",")
		for (i = 1; i <= n; i++) if (type[i] <= 1) sum += value[i]
	} END { print sum }')" "$(total fc.pcapng "$to && type == 1" units)"
}
check 'they acknowledge all units that the fabric headers carry' acknowledged
factors() {
	of fc.pcapng "$from && type == 2" ack_type ack_value | awk -F '\t' '{
		n = split($1, type, ","); split($2, value, ",")
		for (i = 1; i <= n; i++) if (type[i] == 2) { sum++; if (value[i] > max) max = value[i] }
	} END { print sum, max }' >factors
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$1 == "s2" { sum += $at["eca_acks"]; if ($at["eca_max"] > max) max = $at["eca_max"] } END { print sum, max }' csv/ports.csv >known
	cat factors known
	cmp factors known && ! grep -q '^0' known
}
check 'congestion factors: how many, and the greatest' factors

# where hosts are: CSV has the ports, the fabric address of s2 is in the events of no node, so all
# data must agree on one
places() {
	of fc.pcapng "$to && type == 1" destination egress class hops | sort -u >places
	cat places
	awk -F, '$1 == "s2" && $3 ~ /^t/ { print $2 }' csv/ports.csv | sort >ports
	cut -f 2 places | sort -u | cmp - ports && [ "$(cut -f 1 places | sort -u | wc -l)" = 1 ] &&
		[ "$(of fc.pcapng "$to && workload == 1" class | sort -u)" = 1 ] &&
		[ "$(of fc.pcapng "$to && workload != 1 && type == 1" class | sort -u)" = 0 ]
}
check 'fabric headers: egress ports and classes are those of the scenario' places

# per workload and source: packets and bytes as in flows.csv, starts and sizes of messages as in
# messages.csv
flows_agree() {
	of fc.pcapng 'link ~ /^s2:t/ && message != ""' workload source_mac start message message_bytes bytes last >dissected
	python3 - <<-'PY'
	import collections, csv
	packets, parts, messages = collections.Counter(), collections.Counter(), set()
	for line in open('dissected'):
	    workload, mac, start, message, whole, part, last = line.rstrip('\n').split('\t')
	    flow = (int(workload), 'h%d' % int(mac.replace(':', '')[-6:], 16))
	    packets[flow] += 1
	    parts[flow, int(message)] += int(part)
	    messages.add((flow, int(start), int(whole), int(message)))
	names = ['incast', 'plain', 'v4', 'v6']
	known = {(names.index(row['workload']), row['src']): int(row['packets']) for row in csv.DictReader(open('csv/flows.csv'))}
	assert known == dict(packets), (known, packets)
	starts = sorted(((names.index(row['workload']), row['src']), int(row['start_ps']), int(row['bytes']))
	                for row in csv.DictReader(open('csv/messages.csv')))
	assert starts == sorted(message[:3] for message in messages), 'messages differ'
	assert all(parts[flow, message] == whole for flow, start, whole, message in messages), parts
	print(len(known), 'flows', len(starts), 'messages')
	PY
}
check 'test payload headers: flows and messages as in the results' flows_agree

# FGFC: as many frames as counted, about the flows that the events name
paused_flows() {
	local host
	for host in 1 2 3 4 5; do
		[ "$(seen fc.pcapng "link == \"s1:h$host\" && protocol == \"Heddle FGFC\"")" = "$(counter s1 h$host fgfc_frames)" ] || return 1
		of fc.pcapng "link == \"s1:h$host\" && pause > 0" fgfc_source fgfc_to
	done >fgfc
	awk -F '\t' '{ print "h" substr($1, 17) }' fgfc | sort | uniq >paused
	awk -F, '$2 == "s1" && $5 == "fgfc_hold" { print $7 }' events.csv | sort -u >held
	cat paused held
	[ -s held ] && cmp paused held
}
check 'FGFC frames: as many as counted, about the flows of the events' paused_flows

snapped() {
	capture 0 fc.yaml --capture s1:s2=cut.pcapng --capture-snap 100 || return 1
	named cut.pcapng && [ "$(seen cut.pcapng 'cut != ""')" -gt 0 ] &&
		same "$(seen cut.pcapng 'type == 1')" "$(seen core.pcapng 'type == 1')"
}
check 'what a snap length cuts off is not malformed' snapped

# ---- port groups ----

groups() {
	run 0 run "$topologies/port-group-incast.yaml" --set run.duration=100us --set run.warmup=10us --set 'expect=[]' \
		--quiet --csv csv --events events.csv --capture all=group.pcapng
}
check 'port groups: a run, all links in one file' groups
check 'port groups: every frame named, none malformed' named group.pcapng
check 'each end of a link has sent as many as it has counted' every_link group.pcapng
becns() {
	[ "$(of group.pcapng 'becn ~ /1|True/ && subtype == 2' len | sort -u)" = 86 ] &&
		same "$(seen group.pcapng 'link == "s:h1" && subtype == 2')" "$(awk -F, '$5 == "cnp" && $7 == "h1"' events.csv | wc -l)"
}
check 'BECN frames to a host: as many as the receiver has sent' becns
marks() {
	same "$(seen group.pcapng 'link == "s:r" && fecn ~ /1|True/')" "$(awk -F, '$5 == "mark"' events.csv | wc -l)"
}
check 'FECN: as many as the switch has marked' marks
lid_hosts() {
	local own
	own=$(of group.pcapng 'link == "h1:s" && subtype != 2' slid | sort -u)
	echo "LID $own"
	[ "$(echo "$own" | wc -l)" = 1 ] && [ "$(of group.pcapng 'link == "s:h1"' dlid | sort -u)" = "$own" ] &&
		[ "$(of group.pcapng 'link == "h1:s"' source_mac | sed 's/.*,//' | sort -u)" = "$(printf '02:48:00:00:00:%02x' "$own")" ]
}
check 'LIDs are those of the hosts' lid_hosts

# ---- RoCE ----

cat >roce.yaml <<'END'
name: dissected
fabric: roce
run: {duration: 250us, drain-max: 10s}
topology:
  switches: [left, right]
  hosts: {a: left, b: left, c: left, d: left, r: right}
  links: [{between: [left, right], rate: 100Gb/s}]
links: {rate: 25Gb/s, delay: 500ns, mtu: 1500}
classes:
  - {name: data, min: 60%, xoff: 100kB, ecn: {kmin: 5kB, kmax: 20kB}}
  - {name: tcp, min: 30%, lossless: no, queue: 100kB}
  - {name: cnp, lossless: no, ecn: no}
roce: {buffer: 1MiB, supplement: yes, path-pause: {high: 40kB, low: 20kB}, queue-pair: {timeout: 1ms}, tcp: {ecn: yes}}
workloads:
  - {name: v4, pattern: incast, from: [a, c], to: r, size: 20001, connections: 8}
  - {name: v6, pattern: incast, from: b, to: r, size: 20002, connections: 16, frame: roce-ipv6}
  - {name: tcp, pattern: incast, from: d, to: r, size: 20kB, packet: 1500, transport: tcp, class: tcp, connections: 2}
END
check 'RoCE: a run, all links in one file' capture 0 roce.yaml --capture all=roce.pcapng
check 'RoCE: every frame named, none malformed' named roce.pcapng
check 'each end of a link has sent as many as it has counted' every_link roce.pcapng
back='link == "right:left"'
path_signals() {
	local value=0 name
	for name in pause resume; do
		value=$((value + 1))
		same "$(seen roce.pcapng "$back && signal == $value")" "$(awk -F, -v name=signals_$name '
			NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } $1 == "right" { sum += $at } END { print sum }' csv/classes.csv)" ||
			return 1
		[ "$(seen roce.pcapng "signal == $value && info !~ /path signal: $name/")" = 0 ] || return 1
	done
}
check 'path signals: as many as the switch has counted' path_signals
icrcs() {
	[ "$(seen roce.pcapng 'icrc_good != "" && icrc_good !~ /1|True/')" = 0 ] &&
		same "$(seen roce.pcapng 'icrc_good != ""')" "$(seen roce.pcapng 'protocol == "CNP" || protocol == "RRoCE" && len < 150')"
}
check 'ICRCs of CNPs and ACKs are checked, and right' icrcs
sends() {
	same "$(seen roce.pcapng 'link == "left:right" && message != "" && protocol == "RRoCE"')" \
		"$(($(counter a left tx_packets) + $(counter b left tx_packets) + $(counter c left tx_packets)))" &&
		same "$(seen roce.pcapng 'link == "left:right" && message != "" && protocol == "Heddle test"')" "$(counter d left tx_packets)"
}
check 'test payload headers after RoCEv2 and TCP' sends

# ---- frames with mistakes ----

mistakes() {
	python3 "$top/tests/system/broken_frames.py" broken.pcap >expected || return 1
	tshark "${reader[@]}" -n -r broken.pcap -o udp.ignore_ipv6_zero_checksum:TRUE -T fields -e _ws.malformed -e _ws.lua.error \
		-e _ws.expert.message 2>tshark.log | paste expected - | awk -F '\t' '
		{ n++; fits = $1 == "-" ? $2 == "" : $2 != "" && index($4, $1) }
		!fits || $3 != "" { wrong++; print "frame " NR ": " $0 }
		END { print n + 0 " frames, " wrong + 0 " wrong"; exit n < 60 || wrong }'
}
check 'frames made by hand: each mistake is reported, and none where there is none' mistakes
random_mistakes() {
	local file seed errors
	mergecap -s 400 -w all.pcapng core.pcapng group.pcapng roce.pcapng broken.pcap || return 1
	for seed in 1 2; do
		editcap --seed $seed -E 0.02 -F pcapng all.pcapng random.pcapng 2>editcap.log || return 1
		errors=$(tshark "${reader[@]}" -n -r random.pcapng -Y _ws.lua.error 2>tshark.log | wc -l)
		echo "$errors script errors"
		[ "$errors" = 0 ] && ! grep -i 'lua' tshark.log || return 1
	done
	# would it be noticed?
	sed 's/^local function hpc_frame(tvb, tree)/&\n\ttvb(90000, 1)/' "$lua" >wrong.lua
	[ "$(tshark -X lua_script:wrong.lua -n -r core.pcapng -c 100 -Y _ws.lua.error 2>/dev/null | wc -l)" -gt 0 ]
}
check 'frames with random mistakes: no script error' random_mistakes

# ---- as installed ----

installed() {
	make -s -C "$top" -o all install PREFIX=/opt/h DESTDIR="$scratch/root" >hint || { cat hint; return 1; }
	mkdir home && sed -n 's/^  //p' hint | sed "s| /opt/h| $scratch/root/opt/h|" >commands || return 1
	cat commands
	HOME=$scratch/home bash -e commands && ls home/.local/lib/wireshark/plugins/heddle.lua home/.config/wireshark/profiles/Heddle/preferences &&
		HOME=$scratch/home tshark -C Heddle -r fc.pcapng >shown 2>tshark.log && grep 's1:h1 Outbound .*Heddle FGFC' shown &&
		! grep -iE 'error|invalid|unknown' tshark.log
}
check 'make install: with its hint, Wireshark names frames without an option' installed
coloured() {
	HOME=$scratch/home tshark -n -C Heddle -r fc.pcapng --color -Y 'frame.coloring_rule.name contains "FGFC"' >shown 2>tshark.log
	[ -s shown ] && ! grep -iE 'invalid|not a valid|error' tshark.log
}
check 'colour rules' coloured
finish
