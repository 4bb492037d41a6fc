#!/usr/bin/env bash
# test_fabric_manager - discovery, tables that follow links and nodes while traffic runs, and a
# manager that dies (PG-11, FC-26, TB-14).
#
#   a1, a2 - leaf0 === spine0, spine1 === leaf1 - b1, b2
set -u
. "$(dirname "$0")/common.sh"

fabric_dir
command -v jq >/dev/null || { echo 'skipped: jq is not installed'; exit 77; }
file=$scratch/clos.yaml
printf '%s\n' 'name: clos' 'run: {duration: 1s}' 'topology: {generate: leaf-spine, leaves: 2, hosts-per-leaf: 2, spines: 2}' \
	'workloads:' '  - {name: uniform, pattern: uniform, size: 16KiB, arrival: poisson, load: 10%, up: no}' >"$file"
fabric_up "$file"

on() { local host=$1; shift; timeout 120 "$heddle" exec "$host" -- "$@"; }
manager() { "$heddle" ps --json | jq -r --arg key "$1" '.[0].manager[$key]'; }
node() { "$heddle" ps --json | jq -r --arg name "$1" --arg key "$2" '.[0].nodes[] | select(.name == $name)[$key]'; }
hosts=($("$heddle" ps --json | jq -r '.[0].nodes[] | select(.kind == "nic").name'))
first=${hosts[0]} last=${hosts[3]}
routes() { "$heddle" show "$1" routes; }
# becomes KEY TEST VALUE - within half a minute
becomes() {
	for _ in $(seq 600); do
		[ "$(manager "$1")" "$2" "$3" ] && return
		sleep 0.05
	done
	echo "$1 is $(manager "$1"), not $2 $3"
	return 1
}
pings() { in_the_end on "$first" ping -c 1 -w 30 -q "$last"; }
# the route from leaf0 to leaf1 (fabric address 2) has so many ports
ways() { routes leaf0 | awk -v wanted="$1" '$1 == 2 { print; exit NF - 1 != wanted } END { if (!NR) exit 1 }'; }
ended() { ! kill -0 "$1" 2>/dev/null; }

# ---- discovery ----

check 'it has found all switches' [ "$(manager switches)" = 4 ]
check 'and hosts' [ "$(manager hosts)" = 4 ]
check 'and links' [ "$(manager links)" = 4 ]
check 'and written tables' [ "$(manager changed_switches)" = 4 ]
check 'one is active, one stands by' [ "$(manager active)" != "$(manager standby)" ]
check 'which ps tells' run 0 ps
check 'with both processes' says out "pid $(manager active) active, pid $(manager standby) standby"
check 'two ways from leaf to leaf' ways 2
check 'traffic flows' pings
check 'nobody else starts a manager' run 2 fabric-manager

# ---- links and nodes ----

# without a shell around it: SIGTERM reaches ping through heddle exec
"$heddle" exec "$first" -- ping -i 0.01 -q "$last" >"$scratch/ping" &
pinging=$!
at_end "kill $pinging 2>/dev/null"
check 'a link goes down' run 0 link leaf0:spine0 down
check 'one way is left' ways 1
check 'few tables changed' [ "$(manager changed_blocks)" -le 4 ]
check 'traffic goes over it' pings
check 'the link comes up' run 0 link leaf0:spine0 up
check 'both ways are back' ways 2
spine=$(node spine1 pid)
check 'a switch dies' kill -KILL "$spine"
check 'it is noticed' becomes switches = 3
check 'one way is left then' ways 1
check 'traffic goes over the other' pings
check 'it starts again' run 0 start spine1
check 'its tables are written' becomes switches = 4
check 'both ways are back then' ways 2
check 'a switch that is stopped' kill -STOP "$(node spine0 pid)"
check 'is left out' run 0 link leaf0:spine1 down
check 'by the tables' becomes switches = 3
check 'goes on' kill -CONT "$(node spine0 pid)"
check 'and is back' becomes switches = 4
check 'the link, too' run 0 link leaf0:spine1 up
check 'with both ways' ways 2

# ---- the manager dies ----

active=$(manager active) standby=$(manager standby)
check 'the active manager is killed' kill -KILL "$active"
check 'a takeover' becomes takeovers = 1
check 'by the one that stood by' becomes active = "$standby"
check 'which has swept' [ "$(manager switches)" = 4 ]
check 'and written nothing, for all is as it was' [ "$(manager blocks_written)" = 0 ]
check 'a third one stands by' becomes standby -gt 0
check 'which is another one' [ "$(manager standby)" != "$active" ]
check 'then a link goes down' run 0 link leaf0:spine0 down
check 'one way is left all the same' ways 1
check 'and traffic recovers' pings
active=$(manager active)
check 'the active manager hangs' kill -STOP "$active"
check 'a link comes up all the same' run 0 link leaf0:spine0 up
check 'and says what it has waited for' says err "heddle link: waiting for the fabric manager, pid $active; 2 s so far"
check 'after a takeover' becomes takeovers -ge 2
check 'the one that hung is ended' ended "$active"
check 'both ways are back at last' ways 2
standby=$(manager standby)
for _ in $(seq 300); do [ "$standby" -gt 0 ] && break; sleep 0.1; standby=$(manager standby); done
check 'the one that stands by is killed' kill -KILL "$standby"
check 'another one replaces it' becomes standby -ne "$standby"
kill $pinging 2>/dev/null
wait $pinging 2>/dev/null
at_end true

# ---- the end ----

gone_soon() { # PID... - they notice that the daemon is dead, and end
	for _ in $(seq 600); do
		gone "$@" >"$scratch/gone" && return
		sleep 0.05
	done
	cat "$scratch/gone"
	return 1
}
active=$(manager active) standby=$(manager standby) daemon=$("$heddle" ps --json | jq '.[0].pid')
check 'the daemon is killed' kill -KILL "$daemon"
check 'no manager is left behind' gone_soon "$active" "$standby"

# ---- a run under the real clock has the same two processes ----

# Routes are static: what comes from leaf1 over spine0 is lost for good unless tables follow, a half
# of what leaf0's hosts are sent.
cat >"$scratch/run.yaml" <<'YAML'
name: dies
run: {duration: 6s}
topology: {generate: leaf-spine, leaves: 2, hosts-per-leaf: 2, spines: 2}
links: {rate: 100Mb/s, delay: 1ms}
workloads:
  - {name: uniform, pattern: uniform, size: 16KiB, arrival: poisson, load: 10%}
faults:
  - {at: 1s, fabric-manager: active}
  - {at: 1010ms, link: [leaf0, spine0]}
YAML
managers_of() { # PID - its managers
	local child
	for child in $(children "$1"); do
		! tr '\0' ' ' <"/proc/$child/cmdline" 2>/dev/null | grep -q '^heddle fabric-manager' || echo "$child"
	done
}
"$heddle" run --clock real "$scratch/run.yaml" --json "$scratch/run.json" >"$scratch/run.out" 2>"$scratch/run.err" &
runs=$!
two() { managers_of "$runs" >"$scratch/both" && [ "$(wc -l <"$scratch/both")" = 2 ]; }
both() { for _ in $(seq 600); do two && return; sleep 0.05; done; return 1; }
check 'a run has two managers' both
both=$(cat "$scratch/both") # on a busy machine perhaps those that there were after the takeover
finished() { wait "$runs"; case $? in 0 | 5) ;; *) cat "$scratch/run.err"; return 1 ;; esac }
check 'it ends well although the active one dies' finished
died() {
	sed -n 's/.*active fabric manager (pid \([0-9]*\)) is dead; pid \([0-9]*\) takes over.*/\1 \2/p' "$scratch/run.err" | grep . || return 1
}
told() { grep -qx "$(died | cut -d ' ' -f 2)" <<<"$both" || { echo "managers: $both"; cat "$scratch/run.err"; return 1; }; }
check 'the time line has killed one of them, and the other one took over' told
check 'whose tables followed: nearly everything arrived' jq -e '.totals | .delivered_bytes > .injected_bytes * 0.9' "$scratch/run.json"
check 'no manager is left' gone_soon $both

# ---- former and new routes together ----

# on one lane a torus gets routes along a tree when a link fails, and the former ones when it
# returns: that is reported, with the cycle
printf '%s\n' 'name: torus' 'run: {duration: 200us}' 'topology: {generate: torus, shape: [4, 4], hosts-per-switch: 1}' \
	'workloads: [{name: uniform, pattern: uniform, size: 16KiB, arrival: poisson, load: 5%}]' \
	'faults: [{at: 50us, link: [s0.0, s0.1], for: 50us}]' >"$scratch/torus.yaml"
check 'a torus on one lane' run 0 run "$scratch/torus.yaml" --set routing.lanes=1
check 'reports that packets on old and new routes may deadlock' says err 'some may deadlock with packets on new ones: s'
check 'with a lane for every hop' run 0 run "$scratch/torus.yaml" --set routing.lanes=auto
check 'they do not' silent err
finish
