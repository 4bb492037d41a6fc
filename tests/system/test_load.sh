#!/usr/bin/env bash
# test_load - a scenario's workloads, pauses and faults beside real programs (TB-12, FC-26, DU-6,
# DU-8).
#
#   h1, h2 ==bulk==> h4     generated, from the start        s1 --- s2
#   h1 -----poll---> h3     generated, waits                  \-s3-/
#   h1 -----ping---> h4, and a TCP stream h1 -> h3: on the same NICs
#
# What must hold, in each kind of fabric: both progress; start, stop and hold do what they say; when
# nothing is in flight, receivers have what senders have sent, byte by byte; faults happen on their
# time line and return. How fast it was is no matter here.
set -u
. "$(dirname "$0")/common.sh"

fabric_dir
cat >"$scratch/beside.yaml" <<'YAML'
name: beside
run: {duration: 3600s}
topology:
  switches: [s1, s2, s3]
  hosts: {h1: s1, h2: s1, h3: s2, h4: s2}
  links: [[s1, s2], [s1, s3], [s3, s2]]
links: {rate: 50Mb/s, delay: 2ms, mtu: 1514}
switch: {buffer: 64KiB}
workloads:
  - {name: bulk, pattern: incast, from: [h1, h2], to: h4, size: 15kB, packet: 1514}
  - {name: poll, pattern: pairs, pairs: [[h1, h3]], size: 1kB, packet: 1514, arrival: poisson, load: 5%, up: no}
pauses: [{host: h3, start: 1s, every: 1s, for: 10ms}]
faults:
  - {at: 1s, link: [s1, s2], for: 1s}
  - {at: 3000s, switch: s3}
YAML

# loads NAME KEY - a figure of a workload
loads() { "$heddle" load --json | jq -r ".loads[] | select(.name == \"$1\") | .$2"; }
state_is() { [ "$(loads "$1" state)" = "$2" ] && echo "$2"; }
complete_more() { [ "$(loads "$1" messages_complete)" -gt "$2" ] && echo more; }

# progresses WORKLOAD - more messages are complete than just now
progresses() { wait_for complete_more "$1" "$(loads "$1" messages_complete)" >/dev/null; }

# agrees WORKLOAD - stopped, and all that was sent is received
all_there() {
	"$heddle" load --json | jq -e --arg name "$1" '.loads[] | select(.name == $name) |
		.state == "stopped" and .sent_bytes == .received_bytes and .sent_packets == .received_packets and
		.messages_started == .messages_complete and .lost_packets == 0 and .sent_bytes > 0' | grep true
}
agrees() { wait_for all_there "$1" || { "$heddle" load; return 1; }; }

# a TCP stream of 300 kB from h1 to h3, compared by its digest
stream() {
	head -c 300000 /dev/urandom >"$scratch/data"
	timeout 100 "$heddle" exec h3 -- python3 -c 'if True:
		import hashlib, socket
		s = socket.create_server(("", 5001)); c, _ = s.accept(); d = hashlib.sha256()
		while b := c.recv(65536): d.update(b)
		print(d.hexdigest())' >"$scratch/got" &
	listening h3 5001 >/dev/null || return 1
	in_the_end timeout 100 "$heddle" exec h1 -- python3 -c 'if True:
		import socket, sys
		c = socket.create_connection(("h3", 5001)); c.sendall(open(sys.argv[1], "rb").read()); c.close()' "$scratch/data"
	wait %1
	[ "$(cat "$scratch/got")" = "$(sha256sum <"$scratch/data" | cut -d ' ' -f 1)" ]
}
pings() { "$heddle" exec h1 -- ping -c 2 -w 60 h4; }

stopped_stays() { # what is in flight when bulk stops is delivered, and no more
	local before
	agrees bulk && before=$(loads bulk sent_bytes) && pings && [ "$(loads bulk sent_bytes)" = "$before" ]
}

for kind in flow-channel roce port-group; do
	fabric_up "$scratch/beside.yaml" --set "fabric=$kind" --set 'faults=[]' --set 'pauses=[]'
	check "$kind: a workload runs from the start" progresses bulk
	check "$kind: one with up: no waits" state_is poll waits
	check "$kind: ping beside it" in_the_end pings
	check "$kind: TCP beside it, bytes compared" stream
	check "$kind: and the workload goes on" progresses bulk
	check "$kind: the other one is started" run 0 load start poll
	check "$kind: and progresses" progresses poll
	check "$kind: a stop" run 0 load stop bulk
	check "$kind: it ends, with equal counts at both ends" stopped_stays
	check "$kind: the other one goes on" progresses poll
	check "$kind: a start begins again" run 0 load start bulk
	check "$kind: and progresses" progresses bulk
	check "$kind: all stop" run 0 load stop
	check "$kind: equal counts at both ends" agrees bulk
	check "$kind: of both" agrees poll
	"$heddle" down >/dev/null
done

# ---- a time line ----

fault_is() { "$heddle" faults --json | jq -r ".faults[$1].state" | grep -x "$2"; }
link_is() { "$heddle" link --json | jq -r '.links[] | select(.node_a == "s1" and .node_b == "s2") | .state' | grep -x "$1"; }
# a busy machine may not look while the link is down; the log tells it all the same
happens() { wait_for fault_is 0 over && wait_for link_is up && grep -F 'fault 1: link s1:p2 - s2:p2 fails' "$HEDDLE_RUNTIME_DIR/beside/log"; }
told() { "$heddle" ps beside | grep -F "faults     1 of 2 have happened, 0 of them present" && grep -F 'fault 1: link s1:p2 - s2:p2 returns' "$HEDDLE_RUNTIME_DIR/beside/log"; }
held() { fault_is 0 waits && state_is bulk waits && [ "$(loads bulk sent_bytes)" = 0 ]; }

fabric_up "$scratch/beside.yaml" --hold
check 'nothing begins with --hold' held
check 'the time line starts' run 0 faults start
check 'not twice' run 1 faults start
check 'and the workloads' run 0 load start
check 'a link fails and returns, on its own' happens
check 'the traffic goes on' progresses bulk
check 'ps and the log have it' told
check 'it is stopped' run 0 faults stop
check 'and waits' fault_is 0 waits
check 'and starts again' run 0 faults start
"$heddle" down beside >/dev/null
fabric_up "$scratch/beside.yaml" --hold --set 'faults=[{at: 100ms, link: [s1, s2], for: 2000s}, {at: 3000s, switch: s3}]'
fails() { "$heddle" faults start && wait_for fault_is 0 present && wait_for link_is down; }
check 'a link fails' fails
check 'stopped, what has failed returns' run 0 faults stop
check 'the link is up' link_is up
# nothing is asked while the link is down, for longer than a node may take for an answer
"$heddle" down beside >/dev/null
fabric_up "$scratch/beside.yaml" --hold --set 'faults=[{at: 100ms, link: [s1, s2], for: 3s}, {at: 3000s, switch: s3}]'
long_one() { "$heddle" faults start && sleep 4 && wait_for fault_is 0 over && link_is up && ! "$heddle" show s1 ports | grep down; }
check 'a long fault ends, too' long_one
check 'no such workload' run 1 load stop bulc
check 'with a hint' says err "did you mean 'bulk'?"
check 'no such word' run 2 load begin
check 'more load than the link' run 1 load set poll load=1000%
check 'is told what is possible' says err 'expected 0.1% to 100%'
check 'a load' run 0 load set poll load=1%
finish
