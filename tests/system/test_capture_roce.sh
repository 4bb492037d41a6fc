#!/usr/bin/env bash
# test_capture_roce - every standard frame of a RoCE fabric, as an independent reader sees it (RC-1,
# RC-2, RC-4 ... RC-6, RC-8, RC-9, RC-10, TB-19).
#
#   a  RoCEv2, IPv4 ----.
#   b  RoCEv2, IPv6 ----|                            four links of 25 Gb/s meet at one
#   c  RoCEv2, 1 % lost-|  left === 100 Gb/s === right --- r
#   d  TCP, a class  ---'
#      of its own
#
# There are marks, CNPs, CNPs of the switch, signals along the path, PFC between the switches and
# towards the hosts. What c's link loses is requested by NAKs.
#
# tshark decodes each frame as what it is and finds none malformed. There are as many of each kind
# as the nodes have counted. Each RoCEv2 frame has the ICRC that icrc_check computes, which shares
# no code with the nodes. Every CNP has the bytes of a real one.
set -u
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/capture.sh"

icrc_check=$top/build/release/system/icrc_check
if [ ! -x "$icrc_check" ]; then
	icrc_check=$scratch/icrc_check
	"${CC:-gcc}" -std=gnu17 -O2 -o "$icrc_check" "$top/tests/system/icrc_check.c" || exit 1
fi

cat >roce.yaml <<'YAML'
name: standard
fabric: roce
run: {duration: 1ms, drain-max: 10s}
topology:
  switches: [left, right]
  hosts: {a: left, b: left, c: {switch: left, loss: 1%}, d: left, r: right}
  links: [{between: [left, right], rate: 100Gb/s}]
links: {rate: 25Gb/s, delay: 500ns, mtu: 1500}
classes:
  - {name: data, min: 60%, xoff: 100kB, ecn: {kmin: 5kB, kmax: 20kB}}
  - {name: tcp, min: 30%, lossless: no, queue: 100kB}
  - {name: cnp, lossless: no, ecn: no}
roce:
  buffer: 1MiB
  supplement: yes
  path-pause: {high: 40kB, low: 20kB}
  queue-pair: {timeout: 1ms}
  tcp: {ecn: yes}
workloads:
  - {name: v4, pattern: incast, from: [a, c], to: r, size: 20001, connections: 8}
  - {name: v6, pattern: incast, from: b, to: r, size: 20002, connections: 16, frame: roce-ipv6}
  - {name: tcp, pattern: incast, from: d, to: r, size: 20kB, packet: 1500, transport: tcp, class: tcp, connections: 2}
YAML
files=(--capture right:left=trunk.pcapng --capture right:r=r.pcapng --capture c:left=c.pcapng --capture left:a=a.pcapng)
columns+=(to=eth.dst version=ip.version src=ip.src src6=ipv6.src dscp=ip.dsfield.dscp dscp6=ipv6.tclass.dscp ecn=ip.dsfield.ecn
	ecn6=ipv6.tclass.ecn port=udp.dstport payload=udp.payload opcode=infiniband.bth.opcode pair=infiniband.bth.destqp
	psn=infiniband.bth.psn udp_bytes=udp.length pad=infiniband.bth.padcnt tver=infiniband.bth.tver p_key=infiniband.bth.p_key signal=infiniband.bth.reserved7
	answer=infiniband.aeth.syndrome.opcode error=infiniband.aeth.syndrome.error_code tcp=tcp.flags acks=tcp.flags.ack
	control=macc.opcode priorities=macc.cbfc.enbv time0=macc.cbfc.pause_time.c0 pause_time=macc.pause_time)
data='(opcode != "" && opcode < 5)' ack='opcode == 17' cnp='opcode == 129' tcp='tcp != ""' control='control != ""'
marked='(ecn == 3 || ecn6 == 3)'

# sum TABLE COLUMN CONDITION... - over the rows of csv/TABLE.csv that have the given text,
# COLUMN=TEXT
sum() {
	awk -F, -v column="$2" -v conditions="${*:3}" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(conditions, condition, " "); next }
		{
			for (i = 1; i <= n; i++) {
				split(condition[i], part, "=")
				if ($at[part[1]] != part[2]) next
			}
			total += $at[column]
		}
		END { print total + 0 }' "csv/$1.csv"
}

# same SEEN COUNTED - and not 0
same() { echo "$1 seen, $2 counted" && [ "$1" = "$2" ] && [ "$1" -gt 0 ]; }

icrcs() {
	editcap -F pcap "$1" whole.pcap && "$icrc_check" whole.pcap
}

# every frame is one of three kinds; RoCEv2 to port 4791, over both kinds of IP; class 0 data and
# ACKs, 1 TCP, 2 CNPs; data ECN-capable
kinds() {
	[ "$(seen trunk.pcapng '!(opcode != "" && port == 4791) && tcp == "" && control == ""')" = 0 ] &&
		[ "$(of trunk.pcapng 'opcode != ""' version | sort -u | tr -d '\n')" = 46 ] &&
		[ "$(of trunk.pcapng "$data || $ack" 'dscp dscp6' | sort -u)" = 0 ] &&
		[ "$(of trunk.pcapng "$cnp" 'dscp dscp6' | sort -u)" = 16 ] &&
		[ "$(of trunk.pcapng "$tcp" dscp | sort -u)" = 8 ] &&
		[ "$(of r.pcapng "$data" 'ecn ecn6' | sort -u | tr '\n' ' ')" = '2 3 ' ] &&
		[ "$(of trunk.pcapng "$ack || $cnp" 'ecn ecn6' | sort -u)" = 0 ]
}

# BTH of data: version 0, P_Key 65535; first, middle ..., last; every queue pair counts its packets
# from 0 on; what it sends again is counted as that. Payload and padding are a multiple of four
# bytes; a first or middle packet has one path MTU, the largest that fits into 1500, a last one no
# more, and together they have the bytes of a message. FILTER of frames, SOURCE of flows
sequence() {
	of "$1" "$2 && $data" 'src src6' pair psn opcode tver p_key udp_bytes pad | awk '
		{
			pair = $1 " " $2; psn = $3; begins = $4 == 0 || $4 == 4
			if ($5 != 0 || $6 != 65535 || psn > next_psn[pair]) { wrong++; print }
			padded = $7 - 8 - 12 - 4; payload = padded - $8
			if (padded % 4 || ($4 < 2 ? payload != 1024 : payload > 1024 || payload < 1)) { wrong++; print "length", $0 }
			if (psn < next_psn[pair]) { again++; next }
			if (begins == inside[pair]) { wrong++; print }
			inside[pair] = $4 == 0 || $4 == 1
			message[pair] = (begins ? 0 : message[pair]) + payload
			if (!inside[pair] && message[pair] != ($1 ~ /:/ ? 20002 : 20001)) { wrong++; print "message", message[pair], $0 }
			next_psn[pair] = psn + 1
		}
		END { for (pair in inside) wrong += inside[pair]; print NR + 0, again + 0, wrong + 0 }' >sequence.log
	tail -n 20 sequence.log
	[ "$(tail -n 1 sequence.log)" = "$3 $4 0" ]
}
whole() { sequence trunk.pcapng "$in"' && (src == "10.0.0.1" || src6 == "fd48::2")' \
	$(($(counter a left tx_packets) + $(counter b left tx_packets))) $(($(sum flows resent src=a) + $(sum flows resent src=b))); }
resent() { sequence c.pcapng "$out" "$(counter c left tx_packets)" "$(sum flows resent src=c)" && [ "$(sum flows resent src=c)" -gt 0 ]; }
lost() { same "$(seen c.pcapng 'comment == "lost on the link"')" "$(counter c left lost_frames)"; }

naks() { same "$(seen c.pcapng "$in && answer == 3 && error == 0")" "$(sum flows naks src=c)"; }
cnps() { same "$(seen trunk.pcapng "$out && $cnp && signal == 0")" \
	$(($(sum flows cnps_made dst=r) - $(sum flows cnps_made src=d) + $(sum classes cnps_supplemented node=right))); }
taken() { same "$(seen a.pcapng "$out && $cnp")" "$(sum flows cnps src=a)"; }
signals() { # VALUE COLUMN
	same "$(seen trunk.pcapng "$out && $cnp && signal == $1")" "$(sum classes "$2" node=right)"
}
marks() { # the link between the switches is not congested for sure
	[ "$(seen trunk.pcapng "$in && $marked")" = "$(sum classes marked node=left peer=right)" ] &&
		same "$(seen r.pcapng "$out && $marked")" "$(sum flows marked dst=r)"
}
tcp() {
	same "$(seen trunk.pcapng "$in && $tcp")" "$(counter d left tx_packets)" &&
		same "$(seen trunk.pcapng "$out && acks ~ /1|True/")" "$(counter d left rx_packets)"
}

# a BTH that is that of a CNP of real hardware but for the queue pair and the signal; then 16 bytes
# of zeros and an ICRC
golden() {
	of trunk.pcapng "$cnp" payload signal | awk '{
		n++
		signal = sprintf("%02x", $2)
		if ($1 !~ "^8100ffff40......" signal "000000" "00000000000000000000000000000000" "........$" || length($1) != 64) { wrong++; print }
	} END { print n + 0, "CNPs,", wrong + 0, "wrong"; exit !n || wrong }'
}

# PFC for class 0, to stop for as long as can be said, or to go on
pfc() {
	[ "$(of "$1" "$control" to control priorities time0 | sort -u | tr '\t' ' ')" = \
		$'01:80:c2:00:00:01 0x0101 0x0001 0\n01:80:c2:00:00:01 0x0101 0x0001 65535' ] &&
		same "$(seen "$1" "$out && $control")" "$(counter "$2" "$3" pauses_sent)"
}

# the same of both clocks
standard() {
	local clock=$1
	check "$clock: between the switches: all frames" counted trunk.pcapng right left
	check "$clock: before the receiver: all frames" counted r.pcapng right r
	check "$clock: at a host: all frames" counted c.pcapng c left
	for file in trunk r c a; do
		check "$clock, $file: in order, nothing malformed" sound $file.pcapng
		check "$clock, $file: every ICRC is right" icrcs $file.pcapng
	done
	check "$clock: RoCEv2 over IPv4 and IPv6, TCP, MAC control; classes; ECN" kinds
	check "$clock: messages whole, numbered from 0" whole
	check "$clock: what is lost is marked" lost
	check "$clock: and asked for" naks
	check "$clock: and sent again" resent
	check "$clock: marked packets" marks
	check "$clock: CNPs, of the receiver and of the switch" cnps
	check "$clock: CNPs that a sender took" taken
	check "$clock: signals to pause" signals 1 signals_pause
	check "$clock: signals to resume" signals 2 signals_resume
	check "$clock: their bytes" golden
	check "$clock: TCP" tcp
	check "$clock: PFC because of a signal" pfc a.pcapng left a
}

check 'a run with every kind of frame' capture 0 roce.yaml "${files[@]}"
standard virtual
check 'virtual: PFC between switches' pfc trunk.pcapng right left

real() {
	"$heddle" run roce.yaml --clock real --set run.duration=1s --set links.rate=20Mb/s --set links.delay=1ms \
		--set topology.links.0.rate=80Mb/s --set roce.dcqcn.rate-min=1Mb/s --set roce.queue-pair.timeout=2s --set roce.tcp.rto-min=200ms \
		--set 'roce.supplement={enabled: yes, period: 5ms}' \
		--quiet --csv csv "${files[@]}" >out 2>err
	case $? in 0 | 5) ;; *) cat err; return 1 ;; esac # too slow a machine is no matter here
}
check 'the same against the wall clock' real
standard real

# ---- other forms of a pause ----

pause_frames() {
	capture 0 roce.yaml "${files[@]}" --set roce.pfc.pause=yes --set roce.path-pause.form=port || return 1
	for file in trunk a; do
		[ "$(of $file.pcapng "$control" to control pause_time | sort -u | tr '\t' ' ')" = \
			$'01:80:c2:00:00:01 0x0001 0\n01:80:c2:00:00:01 0x0001 65535' ] || return 1
	done
	same "$(seen trunk.pcapng "$out && $control")" "$(counter right left pauses_sent)" && counted trunk.pcapng right left
}
check 'PAUSE in the place of PFC' pause_frames
form() { # FORM LINE... of the priorities named and the time of the first one
	capture 0 roce.yaml --capture left:a=form.pcapng --set roce.path-pause.form="$1" --set classes.0.xoff=10MB || return 1
	of form.pcapng "$control" control priorities time0 | sort -u | tr '\t' ' ' >form
	cat form
	[ "$(paste -sd, form)" = "$2" ] && sound form.pcapng
}
check 'the signal names all priorities' form all '0x0101 0x00ff 0,0x0101 0x00ff 65535'
check 'or none' form none '0x0101 0x0000 0,0x0101 0x0000 65535'
finish
