#!/usr/bin/env bash
# What goes wrong in a fabric on two machines (SC-5; tunnel.sh draws them). What is sealed with
# another key opens nothing; what is lost is counted, and the verdict says so. A dead tunnel process
# is named on both machines. A machine returns at another address. Nothing is left after the end.
. "$(dirname "$0")/tunnel.sh"

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

both_up
check 'hosts of both machines reach each other' in_the_end on a exec h1 -- ping -c 2 -i 0.2 -W 5 h6

# ---- a link down at one side ----

check 'a cut link goes down' on a link s1:s2 down
gone_there() { [ "$(on b link | grep -c 's2.*s1.*\|s1.*s2.*')" -gt 0 ] && ! on b exec h5 -- ping -c 1 -W 1 h1 >/dev/null; }
check 'then nothing passes from b' in_the_end gone_there
check 'and up again' on a link s1:s2 up
check 'then hosts reach each other again' in_the_end on b exec h5 -- ping -c 1 -W 2 h1

# ---- losses ----

# SIGTERM reaches ping through heddle exec
(HEDDLE_RUNTIME_DIR=$scratch/a exec ip netns exec a "$heddle" exec h1 -- ping -i 0.05 h6 >"$scratch/ping" 2>&1) &
ping=$!
wait_for grep 'icmp_seq=5 ' "$scratch/ping" >/dev/null
ip -n b link set vb down
sleep 0.5
ip -n b link set vb up
lost() { is a "[$beyond | .lost_frames > 0] | all" || is b "[$beyond | .lost_frames > 0] | all"; }
check 'lost datagrams are counted as frames' in_the_end lost
kill $ping
wait $ping
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
both_start
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
