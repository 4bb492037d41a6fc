#!/usr/bin/env bash
# test_show_flow - `show flow A B` has the hops of a flow in every kind of fabric, and what it says
# agrees with the tables of the nodes (SE-8). A running fabric: test_flow_held.
#
#   h0, h1 -- s0 -- s1 -- s2 -- h4, h5      h0 -> h4, h1 -> h5 and h2 -> h4 share the link s1 - s2
#          h2, h3 --'
set -u
. "$(dirname "$0")/common.sh"

cat >"$scratch/chain.yaml" <<'YAML'
name: chain
topology: {generate: chain, switches: 3, hosts-per-switch: 2}
workloads:
  - {name: w, pattern: pairs, pairs: [[h0, h4], [h1, h5], [h2, h4]], size: 10MB}
run: {duration: 200us}
YAML

# at TIME SCENARIO COMMANDS [OPTION...] - obeys them at that time; their output is in $scratch/out
at() {
	local time=$1 scenario=$2 commands=$3
	shift 3
	printf '%s\nquit\n' "$commands" >"$scratch/script"
	"$heddle" run "$scenario" "$@" --quiet --break-at "$time" --script "$scratch/script" 2>"$scratch/err" </dev/null |
		sed 1d >"$scratch/out"
	[ ! -s "$scratch/err" ] || { cat "$scratch/err" && return 1; }
}

# flow TIME SCENARIO FROM TO [OPTION...] - its JSON in $scratch/flow
flow() {
	at "$1" "$2" "show flow $3 $4 --json" "${@:5}" && mv "$scratch/out" "$scratch/flow" && jq -e . "$scratch/flow" >"$scratch/shown" || return 1
}

# is FILTER - holds for $scratch/flow?
is() {
	jq -e "$1" "$scratch/flow" >"$scratch/shown" && return
	echo "not so: $1"
	jq -c '.flows[]' "$scratch/flow"
	return 1
}

# table TIME SCENARIO NODE TABLE [OPTION...] - its JSON
table() {
	at "$1" "$2" "show $3 $4 --json" "${@:5}" && cat "$scratch/out"
}

# held NODE TEXT - what holds the flow at this node begins so
held() {
	is "[.flows[0].hops[] | select(.node == \"$1\")][0].held_by // \"\" | startswith(\"$2\")"
}

# path NODE... - the nodes of the first flow, in this order; each input is what the output before
# leads to
path() {
	is "[.flows[0].hops[].node] == ($(printf '%s\n' "$@" | jq -R . | jq -sc .))" &&
		is '.flows[0].hops as $h | all(range(1; $h | length); $h[.].node == $h[. - 1].output_peer and $h[.].input_peer == $h[. - 1].node)' &&
		is '.flows[0].hops[-1].output_peer == .to'
}

# ---- flow channels ----

# the id of a link's channel is the same at both ends; each switch has at least the
# unacknowledged data of all that is downstream
channels() {
	flow 50us "$scratch/chain.yaml" h1 h5 && path h1 s0 s1 s2 || return 1
	is '.flows | length == 1 and .[0].workload == "w"' &&
		is '.flows[0].hops as $h | all(range(2; $h | length); $h[.].input_flow_id == $h[. - 1].output_flow_id)' &&
		is '.flows[0].hops as $h | $h[1].unacknowledged_bytes >= $h[2].waiting_bytes + $h[2].unacknowledged_bytes'
}
check 'flow channels: the hops, joined by ids' channels
check 'its source is paused' held h1 'pause of this flow by s0 (FGFC)'
check 'the first switch waits for credit' held s0 'hop credit of s1'
check 'the second one for the busy link' held s1 'its turn at the output to s2'
check 'nothing waits in the last one' is '[.flows[0].hops[] | select(.node == "s2")] | length == 1 and .[0].waiting_bytes == 0 and .[0].held_by == null'

# sums - the rows of both flows over s0 - s1 are those of the table of s1
sums() {
	local of_flows=0 bytes pair
	for pair in 'h0 h4' 'h1 h5'; do
		# shellcheck disable=SC2086
		flow 50us "$scratch/chain.yaml" $pair || return 1
		bytes=$(jq '[.flows[].hops[] | select(.node == "s1") | .waiting_bytes + .unacknowledged_bytes] | add' "$scratch/flow")
		of_flows=$((of_flows + bytes))
	done
	table 50us "$scratch/chain.yaml" s1 ifct >"$scratch/ifct" &&
		jq -e --argjson all "$of_flows" '[.rows[] | select(.peer == "s0") | .waiting_bytes + .unacknowledged_bytes] | add == $all and $all > 100000' "$scratch/ifct"
}
check 'sums are those of the tables' sums
unordered() {
	flow 50us "$topologies/leaf-spine-adaptive.yaml" h0 h4 --set 'classes=[{name: data, unordered: yes}]' &&
		is '[.flows[0].hops[] | select(.node | startswith("spine"))] | length > 1' && is '.flows[0].hops[-1].output_peer == "h4"'
}
check 'an unordered class: all paths' unordered

# ---- port-group ----

# credits - the only flow of the fabric has all that waits
credits() {
	flow 100us "$topologies/labs/02-littles-law/loop.yaml" a b && path a s1 s2 && table 100us "$topologies/labs/02-littles-law/loop.yaml" s1 ports >"$scratch/ports" &&
		is "[.flows[0].hops[] | select(.node == \"s1\").waiting_bytes][0] == $(jq '.rows[] | select(.peer == "s2").queue_bytes' "$scratch/ports") and .flows[0].hops[1].waiting_bytes > 0"
}
check 'port groups: the hops' credits
check 'the source waits for credit' held a 'credit of s1'
check 'the switch too' held s1 'credit of s2'

# ---- RoCE ----

ring=$topologies/pfc-ring-of-four.yaml
pauses() {
	flow 300us "$ring" a0 a2 && path a0 s0 s1 s2 && is '.flows | length == 8 and ([.[].slot] | unique | length == 8)'
}
check 'RoCE: the hops of eight queue pairs' pauses
check 'the host is paused' held a0 'pause of its class by s0 (PFC)'
check 'its switch' held s0 'pause of its class by s1 (PFC), for 2'
check 'the next one' held s1 'pause of its class by s2 (PFC), for 2'
# all flows over s0 - s1 together are the queue there
queue() {
	local of_flows=0 bytes pair
	for pair in 'a0 a2' 'b0 b2' 'a3 a1' 'b3 b1' 'a0 a1'; do
		# shellcheck disable=SC2086
		flow 300us "$ring" $pair 2>/dev/null || continue
		bytes=$(jq '[.flows[].hops[] | select(.node == "s0" and .output_peer == "s1").waiting_bytes] | add // 0' "$scratch/flow")
		of_flows=$((of_flows + bytes))
	done
	table 300us "$ring" s0 queues >"$scratch/queues" &&
		jq -e --argjson all "$of_flows" '[.rows[] | select(.peer == "s1").queue_bytes] | add == $all and $all > 0' "$scratch/queues" ||
		{ echo "flows $of_flows"; jq -c '.rows[]' "$scratch/queues"; return 1; }
}
check 'sums are the queue' queue
# hashed - the ports of each queue pair are those of the events `path`
hashed() {
	at 300us "$ring" 'show flow a0 a2 --json' --events "$scratch/events.csv" && mv "$scratch/out" "$scratch/flow" || return 1
	awk -F , '$5 == "path" && $7 == "a0" && $8 == "a2" { print $9, $2, $3 }' "$scratch/events.csv" | sort -u >"$scratch/told"
	jq -r '.flows[] | .slot as $slot | .hops[1:][] | "\($slot) \(.node) \(.output_port)"' "$scratch/flow" | sort -u >"$scratch/found"
	# where nothing has left, there is no event
	[ "$(cut -d ' ' -f 2 "$scratch/told" | sort -u | wc -l)" = 4 ] && [ -z "$(comm -23 "$scratch/told" "$scratch/found")" ] ||
		{ diff "$scratch/told" "$scratch/found"; return 1; }
}
check 'RoCE: the paths that the hash selects' hashed
rates() { flow 3ms "$topologies/dcqcn-incast.yaml" h1 r && held h1 'its rate, '; }
check 'a rate of DCQCN' rates

# ---- what is not there, and text ----

refuses() {
	at 50us "$scratch/chain.yaml" "$1"
	says err "$2"
}
check 'no such host' refuses 'show flow h1 h55' "there is no host 'h55' - did you mean 'h5'?"
check 'a switch is no host' refuses 'show flow s0 h5' 's0 is a switch'
check 'no such flow, but others' refuses 'show flow h0 h5' 'no flow from h0 to h5 now; there are flows to h4'
check 'nothing is sent' refuses 'show flow h5 h0' 'no flow from h5 to h0 now; h5 sends nothing'
check 'one host is not enough' refuses 'show flow h5' 'show flow needs two hosts'
text() {
	at 50us "$scratch/chain.yaml" 'show flow h1 h5' && says out 'h1 -> h5, workload w, class best-effort, slot 0' &&
		grep -E '^s0 +p1 +h1 +0 +p2 +s1 +1 +[0-9]+ +[0-9]+ +hop credit of s1$' "$scratch/out"
}
check 'for people' text
finish
