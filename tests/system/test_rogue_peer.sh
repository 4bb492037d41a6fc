#!/usr/bin/env bash
# test_rogue_peer - a peer that writes nonsense into its ring is reported and cannot crash its
# neighbour (TB-23).
#
#   h0 (rogue) ─┐
#   h1 ─────────┤ s0   incast to h3
#   h2 ─────────┤
#   h3 ─────────┘
#
# What breaks the ring's rules ends the run with a message that names the port and the peer, exit
# status 4. Valid records with nonsense in them are dropped and counted: h1, h2 and h3 continue to
# the end, and the totals show that h0 did not count what it sent.
set -u
. "$(dirname "$0")/common.sh"

folder=$scratch/programs
mkdir -p "$folder"
cp "$top/build/release/heddle" "$top/build/release/switchd" "$folder"
cp "$top/build/release/system/rogue_nicd" "$folder/nicd"
heddle=$folder/heddle

cat >"$scratch/rogue.yaml" <<'YAML'
name: rogue
run: {duration: 100us, warmup: 30us}
topology: {generate: star, hosts: 4}
workloads:
  - {name: load, pattern: incast, to: h3, size: 4KiB}
YAML

reported() {
	export ROGUE=$1
	run 4 run "$scratch/rogue.yaml" --quiet && grep -q 'switch s0 .*p0.*h0' "$scratch/err" && return
	cat "$scratch/err"
	return 1
}

survived() {
	export ROGUE=frames
	run 4 run "$scratch/rogue.yaml" --quiet --json "$scratch/rogue.json" && grep -q balance "$scratch/err" || return 1
	jq -e '(.drops.malformed + .drops.bad_record > 100) and (.flows | map(select(.src != "h0" and .packets > 100)) | length == 2)' \
		"$scratch/rogue.json" >/dev/null || { jq .drops "$scratch/rogue.json" && return 1; }
}

behaved() {
	export ROGUE=
	run 0 run "$scratch/rogue.yaml" --quiet
}

# TB-24: it dies, and the message says of what
refused() {
	export ROGUE=call
	run 4 run "$scratch/rogue.yaml" --quiet && grep -q 'NIC h0 .*system call that nodes may not make' "$scratch/err"
}

# TB-22: what failed, with both values, the time and the trace of what led there; and nothing is
# left
invariant() {
	export ROGUE=count
	run 4 run "$scratch/rogue.yaml" --quiet || return 1
	grep -q '^h0 at 2[0-9.]* us: invariant failed: went <= came, with 4 and 3 (.*rogue_nicd.c:' "$scratch/err" &&
		grep -q ' ns  message_start  port 0, message ' "$scratch/err" &&
		grep -q '^heddle.*: NIC h0 (pid [0-9]*) reports: h0 at .*: went <= came, with 4 and 3' "$scratch/err" ||
		{ cat "$scratch/err" && return 1; }
	! pgrep -f "$folder/"
}

# TB-24: where no filter can be had nodes run all the same, and that is said once for all of them
unfiltered() {
	local forbid=$top/build/release/system/forbid
	export ROGUE=
	"$forbid" seccomp -- "$heddle" run "$scratch/rogue.yaml" --quiet --json "$scratch/bare.json" --timing >"$scratch/out" 2>"$scratch/err" </dev/null &&
		[ "$(grep -c 'warning: 5 nodes run without their system call filter' "$scratch/err")" = 1 ] &&
		jq -e '.host.unfiltered_nodes == 5' "$scratch/bare.json" || { cat "$scratch/err" && return 1; }
	run 0 run "$scratch/rogue.yaml" --quiet --json "$scratch/filtered.json" --timing && silent err &&
		jq -e '.host.unfiltered_nodes == 0' "$scratch/filtered.json" &&
		diff <(jq 'del(.host)' "$scratch/bare.json") <(jq 'del(.host)' "$scratch/filtered.json")
}

check "a system call that nodes may not make: killed, and named" refused
check "an invariant fails: the node ends, named, with both values and its trace" invariant
check "nobody turns bad: nothing is reported" behaved
for kind in tail kind length time; do
	check "bad $kind: reported with port and peer" reported "$kind"
done
if command -v jq >/dev/null && "$top/build/release/system/forbid" memfd -- true; then
	check "no system call filter: told once" unfiltered
else
	skip "no system call filter" "there is no jq, or seccomp filters do not work here"
fi
if command -v jq >/dev/null; then
	check "nonsense in sound records: dropped, counted, the others go on" survived
else
	skip "nonsense in sound records" "there is no jq"
fi
finish
