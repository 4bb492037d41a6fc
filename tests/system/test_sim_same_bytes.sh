#!/usr/bin/env bash
# test_sim_same_bytes - real processes and the simulation in one process give the same JSON, byte by
# byte (TB-7).
set -u
. "$(dirname "$0")/common.sh"

sim=$top/build/release/sim/sim_json

# same SCENARIO [path=value]... - heddle run and sim_json print the same
same() {
	local scenario=$1 setting
	local settings=()
	shift
	rm -f "$scratch/run.json"
	for setting in "$@"; do settings+=(--set "$setting"); done
	"$heddle" run "$scenario" "${settings[@]}" --quiet --json "$scratch/run.json" 2>"$scratch/err"
	[ -s "$scratch/run.json" ] || { cat "$scratch/err" && return 1; }
	"$sim" "$scenario" "$@" >"$scratch/sim.json" && cmp "$scratch/run.json" "$scratch/sim.json"
}

# early SCENARIO - its faults, all within the first 100 us, as settings; the other fabric manager
# takes over while the next fault lasts
early() {
	local fault=0 line
	while read -r line; do
		echo "faults.$fault.at=$((20 + 15 * fault))us"
		case $line in
		*fabric-manager*) echo routing.takeover=20us ;;
		*) echo "faults.$fault.for=10us" ;;
		esac
		fault=$((fault + 1))
	done < <(grep '^  - {at: ' "$1")
}

# duration_of SCENARIO FAULTS - a large fabric without faults does as much in a shorter time
duration_of() {
	local nodes
	nodes=$("$heddle" check "$1" 2>/dev/null | sed -n 's/^nodes  *\([0-9]*\):.*/\1/p')
	if [ -z "$2" ] && [ "${nodes:-0}" -gt 64 ]; then echo 40us; else echo 100us; fi
}

for file in "$topologies"/*.yaml; do
	# those of a thousand hosts take too long here
	case $file in *-[0-9][0-9][0-9][0-9]*.yaml) continue ;; esac
	faults=$(early "$file")
	check "$(basename "$file")" same "$file" run.duration="$(duration_of "$file" "$faults")" run.warmup=10us $faults
done
faults="faults=[{at: 20us, link: [leaf0, spine0], for: 30us}, {at: 80us, switch: spine1, for: 20us}]"
for unordered in yes no; do
	check "port groups, faults, unordered: $unordered" same "$topologies/port-group-permutation.yaml" run.duration=150us \
		run.warmup=10us "classes=[{name: data, unordered: $unordered}]" "$faults"
done
check "port groups with longer paths, faults" same "$topologies/port-group-dragonfly.yaml" run.duration=120us run.warmup=10us \
	"classes=[{name: bulk}, {name: order, unordered: no}]" "faults=[{at: 20us, link: [g0s0, g0s1], for: 30us}, {at: 40us, link: [g1s1, g1s2], for: 40us}]"
check "lossy links" same "$topologies/leaf-spine-uniform.yaml" run.duration=50us run.warmup=10us links.loss=0.1%
check "16 channels a port" same "$topologies/leaf-spine-uniform.yaml" run.duration=50us run.warmup=10us links.channels=16
check "store and forward" same "$topologies/parking-lot.yaml" run.duration=50us run.warmup=10us \
	switch.forwarding=store-and-forward
check "queue samples" same "$topologies/parking-lot.yaml" run.duration=50us run.warmup=10us run.sample=1us
roce=(run.duration=50us run.warmup=10us fabric=roce "classes=[{name: rdma, ecn: {kmin: 5kB, kmax: 20kB, pmax: 10%}, xoff: 60kB}, {name: cnp, lossless: no}]")
check "RoCE" same "$topologies/leaf-spine-uniform.yaml" "${roce[@]}" run.sample=1us
check "RoCE, lossy links" same "$topologies/leaf-spine-uniform.yaml" "${roce[@]}" links.loss=0.1% roce.queue-pair.timeout=20us
check "RoCE, supplemented CNPs and path-level PFC" same "$topologies/star-incast.yaml" "${roce[@]}" roce.supplement=yes \
	"roce.path-pause={target: ecn-failed, high: 40kB, low: 10kB}"
check "RoCE, TCP in a lossy class" same "$topologies/star-incast.yaml" "${roce[@]}" workloads.0.transport=tcp workloads.0.class=cnp \
	classes.1.queue=40kB roce.tcp.rto-min=20us
finish
