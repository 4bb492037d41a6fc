#!/usr/bin/env bash
# test_impair - jitter, reordering, duplicates and damage on links, by direction, in running fabrics
# and under the virtual clock; links of 1 kb/s and of 100 % loss (DU-6, TB-4).
#
#   h1, h2 - s1 --- s2 (h3, h4) --- s3 - h5, h6     topologies/two-racks.yaml
#
# Counted, never timed: the switch's own counters, what ping says of duplicates, what arrives.
set -u
. "$(dirname "$0")/common.sh"

fabric_dir
command -v jq >/dev/null || { echo 'skipped: jq is not installed'; exit 77; }

# ---- the virtual clock ----

cat >"$scratch/pairs.yaml" <<'YAML'
name: pairs
fabric: roce
run: {duration: 1ms, warmup: 100us}
links: {rate: 10Gb/s, delay: 1us}
topology:
  switches: [s1, s2]
  links: [{between: [s1, s2], towards: {s2: {jitter: 2us, reorder: 2%, duplicate: 3%, corrupt: 1%}}}]
  hosts: {a: s1, b: s2}
workloads:
  - {name: w, pattern: pairs, pairs: [[a, b]], arrival: poisson, size: 10kB, load: 50%}
expect:
  - inside == 0
  - link.reordered(s2:s1) > 0
  - link.duplicated(s2:s1) > 0
  - link.corrupted(s2:s1) > 0
  - link.reordered(s1:s2) == 0
  - link.duplicated(s1:s2) == 0
YAML
check 'a RoCE link impairs one direction' run 0 run "$scratch/pairs.yaml"
check 'frames that were damaged are found' says out 'malformed'
same() {
	"$heddle" run "$scratch/pairs.yaml" --json "$@" | grep -v '"version"'
}
same >"$scratch/one"
check 'the same seed gives the same bytes' sh -c "'$heddle' run '$scratch/pairs.yaml' --json | grep -v '\"version\"' | cmp - '$scratch/one'"
check 'another seed others' sh -c "! '$heddle' run '$scratch/pairs.yaml' --json --seed 77 | grep -v '\"version\"' | cmp -s - '$scratch/one'"

# kind FABRIC SETTING... - a small fabric of that kind loses nothing that it does not count
kind() {
	local fabric=$1 settings=()
	shift
	for setting in "$@"; do settings+=(--set "$setting"); done
	"$heddle" gen leaf-spine leaves=2 spines=2 hosts-per-leaf=2 fabric="$fabric" >"$scratch/kind.yaml" &&
		"$heddle" run "$scratch/kind.yaml" --set run.duration=300us --set run.warmup=10us "${settings[@]}" --json >"$scratch/kind.json"
	[ $? -le 1 ] && jq -e '.totals.inside_bytes >= 0 and .totals.messages > 0' "$scratch/kind.json"
}
for fabric in flow-channel roce port-group; do
	check "jitter, loss and damage in a fabric of kind $fabric" kind "$fabric" links.jitter=50ns links.jitter-shape=pareto links.loss=0.1% links.corrupt=0.1%
done
check 'duplicates and reordering at hosts of flow channels' kind flow-channel links.edge.duplicate=1% links.edge.reorder=1%
check 'duplicates and reordering in RoCE' kind roce links.duplicate=1% links.reorder=1%
check 'not where credits count packets' run 2 run "$scratch/kind.yaml" --set fabric=port-group --set links.duplicate=1%
slow() { run 0 check "$scratch/pairs.yaml" --set links.rate=1kb/s --set run.duration=10s && run 1 run "$scratch/pairs.yaml" --set links.rate=1kb/s --set run.duration=100s; }
check 'links of 1 kb/s' slow
check 'not slower' run 2 check "$scratch/pairs.yaml" --set links.rate=999b/s

# ---- programs ----

fabric_up "$topologies/two-racks.yaml"
on() { local host=$1; shift; timeout 120 "$heddle" exec "$host" -- "$@"; }
reachable() { in_the_end on "$1" ping -c 1 -w 30 -q "$2"; }
# counter NODE PEER NAME
counter() {
	"$heddle" ps --json | jq --arg node "$1" --arg peer "$2" --arg name "$3" \
		'.[0].nodes[] | select(.name == $node).ports[] | select(.peer == $peer)[$name]'
}
link_is() { "$heddle" link --json | jq -e '.links[] | select(.node_a == "s1" and .node_b == "s2") | '"$1"; }

check 'hosts reach each other' reachable h1 h6
check 'every packet to h1 comes twice' run 0 link h1:s1 set duplicate=100% --towards h1
duplicates() { on h1 ping -c 5 -i 0.1 -w 30 h6 >"$scratch/out"; says out 'DUP!'; }
check 'ping says so' duplicates
check 'they are counted' [ "$(counter h1 s1 duplicated)" -ge 5 ]
check 'in that direction only' [ "$(counter s1 h1 duplicated)" = 0 ]
check 'no more' run 0 link h1:s1 set duplicate=0

check 'every packet to h1 is damaged' run 0 link h1:s1 set corrupt=100% --towards h1
# (of IPv6: a raw socket of IPv4 also gets what fails the check)
lost() { ! on h1 ping -6 -c 5 -i 0.1 -W 1 -q h6; }
check 'its kernel finds the damage and drops it' lost
check 'it is counted' [ "$(counter h1 s1 corrupted)" -ge 1 ]
check 'healed' run 0 link h1:s1 set corrupt=0
check 'packets arrive' reachable h1 h6

# a datagram is delayed until three others have passed it, or for a second at most
cat >"$scratch/order.py" <<'PYTHON'
# order.py serve: says how many of 400 numbered datagrams came late; order.py send HOST
import socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
if sys.argv[1] == 'serve':
    s.bind(('', 5008))
    print('ready', flush=True)
    s.settimeout(20)
    seen = []
    try:
        while len(set(seen)) < 400:
            seen.append(int(s.recv(100)))
    except TimeoutError:
        pass
    late = sum(a > b for a, b in zip(seen, seen[1:]))
    print(len(set(seen)), 'received', late, 'late', flush=True)
else:
    for number in range(400):
        s.sendto(str(number).encode(), (sys.argv[2], 5008))
        time.sleep(0.0005)
PYTHON
order() {
	local server received late
	on h6 python3 - serve <"$scratch/order.py" >"$scratch/order" & server=$!
	wait_for grep ready "$scratch/order" && on h1 python3 - send 10.0.0.6 <"$scratch/order.py"
	wait "$server"
	cat "$scratch/order"
	read -r received _ late _ < <(tail -n 1 "$scratch/order")
	[ "$received" = 400 ] && { [ "$1" = late ] && [ "$late" -ge 10 ] || [ "$1$late" = ordered0 ]; }
}
if command -v python3 >/dev/null; then
	check 'a tenth is overtaken' run 0 link h1:s1 set reorder=10% reorder-wait=1s --towards s1
	check 'datagrams come late, and all come' order late
	check 'they are counted' [ "$(counter s1 h1 reordered)" -ge 10 ]
	check 'jitter instead' run 0 link h1:s1 set reorder=0 jitter=3ms jitter-shape=paretonormal
	check 'jitter keeps order' order ordered
	check 'none' run 0 link h1:s1 set jitter=0
fi

check 'one direction of a link loses all' run 0 link s1:s2 set loss=100% jitter=1ms --towards s2
check 'it is shown' says out 'towards s1'
check 'and in JSON' link_is '.loss_ppb == 1000000000 and .back.loss_ppb == 0 and .back.jitter_ps == 0'
check 'nothing passes' sh -c "! '$heddle' exec h1 -- ping -c 2 -i 0.1 -W 1 -q h6"
check 'the other direction' run 0 link s1:s2 set loss=0 jitter=0 --towards s2
check 'is as this one' link_is '.back == null'
check 'packets pass' reachable h1 h6
check 'a link between switches does not reorder' run 1 link s1:s2 set reorder=1%
check 'for a reason' says err 'numbers its frames'
check 'a node that is no end of it' run 1 link s1:s2 set loss=1% --towards h1
check 'is named' says err "expected an end of this link, s1 or s2, not 'h1'"
check 'a link is down as a whole' run 2 link s1:s2 down --towards s2

check 'a link of 1 kb/s' run 0 link h2:s1 set rate=1kb/s
check 'a packet crosses it' in_the_end on h2 ping -4 -c 1 -s 8 -W 20 -q h1
check 'down' run 0 down
finish
