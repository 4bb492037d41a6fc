#!/usr/bin/env bash
# test_victim - `make victim` in a short form: real requests and real TCP beside an incast and a
# link that fails and returns, on RoCE with PFC and on flow channels (DU-8).
#
# Counts are judged: all requests are answered, incast and stream progress, PFC pauses under roce.
# Rates and latencies are judged only where the fidelity verdict of their phases allows it.
set -u
. "$(dirname "$0")/common.sh"

fabric_dir
fabric_up "$top/examples/victim/network.yaml" --hold # or the kernel does not allow it
"$heddle" down >/dev/null
export HEDDLE=$heddle PYTHONDONTWRITEBYTECODE=1

runs() { timeout 300 python3 "$top/examples/victim/run.py" --seconds 1.5 --json >"$scratch/rows"; }

# of KIND FILTER - true for each phase of that kind of fabric, and there are all three
of() {
	jq -e --arg kind "$1" "[.rows[] | select(.fabric == \$kind)] |
		[.[].phase] == [\"before\", \"incast\", \"incast + fault\"] and all(.[]; $2)" "$scratch/rows" || { cat "$scratch/rows"; return 1; }
}
# verdicts FILTER VERDICT... - is that of each of these rows one of these?
verdicts() {
	local filter=$1
	shift
	jq -e "[.rows[] | select($filter) | .verdict] | all(IN(\$ARGS.positional[]))" "$scratch/rows" --args "$@" >/dev/null
}
# both FILTER - of the rows of the phase `incast`: that of roce, then that of flow channels
both() { jq -e "[.rows[] | select(.phase == \"incast\")] | $1" "$scratch/rows" || { cat "$scratch/rows"; return 1; }; }

check 'it runs' runs
for kind in roce flow-channel; do
	check "$kind: every request is answered" of $kind '.asked == 75 and .answered == .asked'
	check "$kind: TCP progresses" of $kind '.tcp_bytes > 0'
	check "$kind: the incast does once it has started" of $kind '(.incast_bytes > 0) == (.phase != "before")'
	check "$kind: the link fails and returns once" of $kind '.faults == (if .phase == "incast + fault" then 1 else 0 end)'
	check "$kind: latencies in order" of $kind '0 < .p50_ns and .p50_ns <= .p99_ns and .p99_ns <= .max_ns'
done
check 'roce: the incast makes PFC pauses' of roce '.phase == "before" or .pauses > 0'

incast='.phase == "incast"'
if verdicts "$incast" valid valid-for-rates; then
	check 'rates: the link to r is full on both' both 'all(.[]; .incast_bps > 15e6)'
else
	skip 'rates' 'the verdict of a phase does not allow it'
fi
if verdicts "$incast" valid; then
	check 'latencies: those of the victim are longer under PFC' both '.[0].p50_ns > .[1].p50_ns'
else
	skip 'latencies' 'the verdict of a phase does not allow it'
fi
check 'a time that is none' eval '! python3 "$top/examples/victim/run.py" --seconds 0 2>"$scratch/err"'
check 'with what was expected' says err 'expected --seconds of 1 to 600'
finish
