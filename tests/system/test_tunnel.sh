#!/usr/bin/env bash
# A fabric on two machines (SC-5): two network namespaces, joined by a veth pair of MTU 1500, each
# with a runtime directory of its own.
#
#    machine a                        machine b
#    h1, h2 - s1 ~~~~~ UDP tunnel ~~~~ s2 - s3 - h5, h6
#                                      h3, h4
#
# Programs on both reach each other by the names of the fabric. The time in the tunnel is a part of
# the delay of the link s1:s2. Frames of 9000 bytes pass in pieces. What is sealed with another key
# opens nothing; what is lost is counted, and the verdict says so. A dead tunnel process is named on
# both machines. Nothing is left after the end.
if [ "${1:-}" != inside ]; then
	own=$(dirname "$0")/$(basename "$0")
	[ "$(id -u)" = 0 ] && user=() || user=(--user --map-root-user)
	unshare "${user[@]}" --mount --net true 2>/dev/null ||
		{ echo 'skipped: no namespaces here'; exit 77; }
	exec unshare "${user[@]}" --mount --net bash "$own" inside
fi
. "$(dirname "$0")/common.sh"

mount -t tmpfs none /run && mkdir -p /run/netns && ip netns add a && ip netns add b ||
	{ echo 'skipped: no network namespaces here'; exit 77; }
ip link add va netns a type veth peer name vb netns b
for m in a b; do
	ip -n $m link set lo up
	ip -n $m link set v$m up
	mkdir -m 700 "$scratch/$m"
done
ip -n a addr add 10.99.0.1/24 dev va
ip -n b addr add 10.99.0.2/24 dev vb
for key in key other; do
	od -An -N 32 -tx1 /dev/urandom | tr -d ' \n' >"$scratch/$key"
done

# on MACHINE ARGUMENTS... - heddle on that machine
on() {
	local machine=$1
	shift
	HEDDLE_RUNTIME_DIR=$scratch/$machine ip netns exec "$machine" "$heddle" "$@"
}
at_end 'on a down --all >/dev/null 2>&1; on b down --all >/dev/null 2>&1'

settings=(--set links.rate=100Mb/s --set links.delay=20ms)
machines=(--machines 'a=10.99.0.1,b=10.99.0.2:7117')

# start MACHINE KEY OPTION... - in the background; its output is in $scratch/up.MACHINE
start() {
	local machine=$1 key=$2
	shift 2
	HEDDLE_RUNTIME_DIR=$scratch/$machine timeout 120 ip netns exec "$machine" "$heddle" up \
		"$topologies/two-racks.yaml" "${settings[@]}" "${machines[@]}" --machine "$machine" \
		--key "$scratch/$key" "$@" >"$scratch/up.$machine" 2>&1 &
}

# ps MACHINE FILTER - jq of what `heddle ps` says there
ps() { on "$1" ps --json | jq -r ".[0] | $2"; }
# is MACHINE FILTER - is that true?
is() { [ "$(ps "$1" "$2")" = true ] || { on "$1" ps two-racks; return 1; }; }
# the other machine as MACHINE sees it
beyond='.machines[] | select(.here | not)'

# ---- wrong commands ----

check 'one machine is none' run 2 up "$topologies/two-racks.yaml" --machines a --key "$scratch/key"
check 'a key is needed' run 2 up "$topologies/two-racks.yaml" --machines a=1.2.3.4,b=1.2.3.5 --machine a
check 'the message says how to make one' says err 'openssl rand -hex 32'
check 'a machine that is not in the list' run 2 up "$topologies/two-racks.yaml" --machines a,b --machine c --key "$scratch/key"
echo 12 >"$scratch/short"
check 'a key that is none' run 2 up "$topologies/two-racks.yaml" --machines a,b --machine a --key "$scratch/short"

# ---- another key, another scenario ----

waits() { wait_for grep -h "$2" "$scratch/up.$1"; }
stop() {
	kill "$@" 2>/dev/null
	wait "$@" 2>/dev/null
	for m in a b; do
		for _ in $(seq 100); do
			[ -z "$(ls "$scratch/$m")" ] && break
			on $m down --all >/dev/null 2>&1
			sleep 0.1
		done
		[ -z "$(ls "$scratch/$m")" ] || return 1
	done
}
start a key
one=$!
start b other
two=$!
check 'another key opens nothing, and a says why it waits' waits a 'not sealed with this key'
check 'a start that is given up leaves nothing' stop $one $two
start a key
one=$!
start b key --set links.delay=30ms
two=$!
check 'another scenario is named' waits a 'it has another scenario, other settings'
check 'that start leaves nothing either' stop $one $two

# ---- a fabric ----

start a key
one=$!
start b key
two=$!
up() { wait $one && wait $two || { cat "$scratch"/up.?; return 1; }; }
if ! up; then
	grep -q -e 'ermi' -e 'forbid' "$scratch"/up.? && { echo 'skipped: no fabric can be started here'; exit 77; }
	exit 1
fi
check 'a runs two hosts, b four' eval '[ "$(ps a "(.hosts | length)") $(ps b "(.hosts | length)")" = "2 4" ]'
check 'hosts of both machines reach each other' in_the_end on a exec h1 -- ping -c 2 -W 5 h6
on a exec h1 -- ping -c 10 -i 0.2 h6 >"$scratch/ping"
check 'no round trip is shorter than its eight links' awk -F'[ =/]+' '/^rtt/ { found = 1; if ($6 < 159.9) exit 1 } END { exit !found }' "$scratch/ping"
verdict=$(ps a .fidelity.verdict)$(ps b .fidelity.verdict)
if [ "$verdict" = validvalid ]; then
	check 'nor longer by more than the hosts take' awk -F'[ =/]+' '/^rtt/ { if ($6 > 165) exit 1 }' "$scratch/ping"
else
	skip 'nor longer' "this machine was too slow: $(ps a .fidelity.words); $(ps b .fidelity.words)"
fi
check 'a frame of 8 kB passes over 1500' in_the_end on b exec h5 -- ping -c 2 -W 5 -M 'do' -s 8000 h2
check 'it went in pieces' is b "[$beyond | .fragmented_frames > 0, .datagram_bytes == 1472] | all"
on b exec h6 -- iperf3 -s -D -1
check 'TCP over the tunnel' on a exec h1 -- timeout 60 iperf3 -c h6 -t 2 -i 0
check 'a host of the other machine is named' eval '! on a exec h6 -- true 2>"$scratch/err" && says err "h6 runs on machine b"'
check 'every host has the names of all' on a exec h2 -- getent hosts h5

# what a has sent, b has received or lost, once nothing is in flight
agree() {
	local sent got
	sent=$(ps a "$beyond | .sent_frames")
	got=$(ps b "$beyond | .received_frames + .lost_frames")
	[ "$sent" = "$got" ] || { echo "a has sent $sent, b has received or lost $got"; return 1; }
}
check 'the counters of both agree' in_the_end agree

# ---- a link down at one side ----

check 'a cut link goes down' on a link s1:s2 down
gone_there() { [ "$(on b link | grep -c 's2.*s1.*\|s1.*s2.*')" -gt 0 ] && ! on b exec h5 -- ping -c 1 -W 1 h1 >/dev/null; }
check 'then nothing passes from b' in_the_end gone_there
check 'and up again' on a link s1:s2 up
check 'then hosts reach each other again' in_the_end on b exec h5 -- ping -c 1 -W 2 h1

# ---- losses ----

on a exec h1 -- ping -i 0.05 -w 8 h6 >/dev/null 2>&1 &
ping=$!
sleep 1
ip -n b link set vb down
sleep 0.5
ip -n b link set vb up
wait $ping
lost() { is a "[$beyond | .lost_frames > 0] | all" || is b "[$beyond | .lost_frames > 0] | all"; }
check 'lost datagrams are counted as frames' in_the_end lost
blamed() { [ "$(ps a .fidelity.reason)" = losses ] || [ "$(ps b .fidelity.reason)" = losses ]; }
check 'and the verdict says so' blamed

# ---- a dead tunnel process ----

daemons=$(ps a .pid)
nodes=$(ps a '.nodes[].pid' | sort -u | tr '\n' ' ')
pid=$(ps a .tunnel_pid)
kill -KILL "$pid"
dead() { is a '.tunnel_pid == 0 and .fidelity.reason == "machine"'; }
check 'a dead tunnel process is in ps and in the verdict' in_the_end dead
check 'with what depends on it' eval 'ps a .fidelity.words | grep -q "tunnel process is dead.*s1:s2"'
check 'and in the log' grep -q "tunnel process (pid $pid) is dead: killed by signal 9" "$scratch/a/two-racks/log"
silent_there() { is b "[$beyond | .state == \"silent\"] | all"; }
check 'the other machine names a' eval 'in_the_end silent_there || in_the_end silent_there'
check 'its verdict, too' eval 'ps b .fidelity.words | grep -q "machine a is not there (silent).*s1:s2"'
check 'hosts of one machine still reach each other' in_the_end on b exec h3 -- ping -c 1 -W 2 h6

check 'a ends' on a down
check 'b ends' on b down

# ---- a machine with a name ----

# the names of these machines: b at ADDRESS
named() { printf '127.0.0.1 localhost\n10.99.0.1 machine-a\n%s machine-b\n' "$1" >"$scratch/hosts"; }
named 10.99.0.2
mount --bind "$scratch/hosts" /etc/hosts
machines=(--machines 'a=machine-a,b=machine-b')
start a key
one=$!
start b key
two=$!
check 'machines are found by their names' up
names_of() { children "$(ps a .pid)" | tr ' ' '\n' | xargs -I{} grep -sl '^heddle names' /proc/{}/comm | cut -d / -f 3; }
names=$(names_of)
check 'a process looks up names, without privileges' grep -qE '^CapEff:.0{16}' "/proc/$names/status"
check 'b ends' on b down
named 10.99.0.3
ip -n b addr del 10.99.0.2/24 dev vb
ip -n b addr add 10.99.0.3/24 dev vb
start b key
two=$!
check 'b begins anew, at another address' eval 'wait $two || { cat "$scratch/up.b"; false; }'
check 'hosts of both reach each other' in_the_end on a exec h1 -- ping -c 1 -W 5 h6
nodes+=" $names"

# ---- the end ----

check 'a ends' on a down
check 'b ends' on b down
check 'no process is left' gone $daemons $nodes
check 'no file is left' eval '[ -z "$(ls "$scratch/a" "$scratch/b" | grep -v :)" ]'
finish
