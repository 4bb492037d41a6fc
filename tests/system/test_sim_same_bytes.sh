#!/usr/bin/env bash
# test_sim_same_bytes - real processes and the simulation in one process give the same JSON, byte by byte (TB-7).
set -u
. "$(dirname "$0")/common.sh"

sim=$top/build/release/sim/sim_json

# same SCENARIO [path=value]... - heddle run and sim_json print the same
same() {
	local scenario=$1 setting
	local settings=()
	shift
	for setting in "$@"; do settings+=(--set "$setting"); done
	"$heddle" run "$scenario" "${settings[@]}" --quiet --json "$scratch/run.json" 2>"$scratch/err"
	[ -s "$scratch/run.json" ] || { cat "$scratch/err" && return 1; }
	"$sim" "$scenario" "$@" >"$scratch/sim.json" && cmp "$scratch/run.json" "$scratch/sim.json"
}

for file in "$topologies"/*.yaml; do
	check "$(basename "$file")" same "$file" run.duration=100us run.warmup=10us
done
check "lossy links" same "$topologies/leaf-spine-uniform.yaml" run.duration=50us run.warmup=10us links.loss=0.1%
check "16 channels a port" same "$topologies/leaf-spine-uniform.yaml" run.duration=50us run.warmup=10us links.channels=16
check "store and forward" same "$topologies/parking-lot.yaml" run.duration=50us run.warmup=10us \
	switch.forwarding=store-and-forward
check "queue samples" same "$topologies/parking-lot.yaml" run.duration=50us run.warmup=10us run.sample=1us
finish
