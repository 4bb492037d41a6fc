#!/usr/bin/env bash
# test_save - `heddle save`: a running fabric that was changed, its scenario, and the fabric that is
# started from it are the same (DU-6).
#
#   h1, h2 - s1 === s2 - h3, r (two interfaces)     then h4 and s3 join, h2 and a link leave
set -u
. "$(dirname "$0")/common.sh"

fabric_dir
command -v jq >/dev/null || { echo 'skipped: jq is not installed'; exit 77; }
mkdir "$scratch/site" "$scratch/other"
cat >"$scratch/first.yaml" <<'YAML'
# the fabric of a test
name: first
fabric: roce
run: {duration: 3600s}          # long
links:
  rate: 1Gb/s                   # of all
  delay: 20us
  edge: {delay: 5us}

topology:
  switches: [s1, s2]
  hosts:
    h1: s1
    h2: {switch: s1, rate: 100Mb/s}
    h3: {switch: s2, addresses: [10.7.0.3/8, 192.168.7.3/24], env: {WORD: 'two words: "quoted"'}}
    r: {switch: s2, router: yes, interfaces: [{switch: s1, addresses: [192.168.8.1/24], towards: {s1: {loss: 1%}}}]}
  links: [[s1, s2], [s1, s2]]
hosts:
  h2: {env: {A: b}}
  'h[13]': {run: ['sleep 1000']}

# traffic
workloads:
  - {name: bulk, pattern: incast, from: [h1, h2], to: h3, size: 15kB, up: no}
  - {name: some, pattern: pairs, pairs: [[h3, h1]], size: 1kB, arrival: poisson, load: 5%, up: no}
  - {name: pair, pattern: pairs, pairs: [[h2, h1]], size: 1kB, up: no}   # leaves with h2
faults:
  - {at: 3000s, link: [s2, r]}
YAML

# what of a fabric must be the same: links with all settings, hosts with addresses and programs
state() {
	"$heddle" link --json | jq -S '[.links[] | del(.link, .port_a, .port_b)] | sort_by(tostring)' &&
		"$heddle" ps --json | jq -S '.[0] | .kind, (.hosts | sort_by(.name)),
			([.programs[]? | [.host, .command]] | sort)'
}
changes() {
	run 0 link s1:h1 set rate=10Mb/s jitter=2ms jitter-shape=pareto loss=0.001% &&
		run 0 link r:s2 set --towards r delay=1234567ns duplicate=3% reorder=2% reorder-wait=10ms &&
		run 0 add switch s3 s1 s2 rate=300Mb/s && run 0 add host h4 s3 rate=7kb/s &&
		run 0 add link s3 s1 delay=3ms && run 0 add switch lonely s1 && run 0 remove lonely:s1 &&
		run 0 remove h2 && run 0 link "s1:$(parallel min)" set bit-errors=1e-12 && run 0 link "s1:$(parallel max)" down &&
		run 0 link h4:s3 down && run 0 set s1 pfc.watchdog 7ms && run 0 set s1 pfc.watchdog 8ms && run 0 load set some load=12.5%
}
# parallel MIN-OR-MAX - that of the ports of s1 to s2
parallel() { "$heddle" link --json | jq '[.links[] | select(.node_a == "s1" and .node_b == "s2").port_a] | '"$1"; }
# a switch that starts again has the values of the scenario
restarts() {
	run 0 set s2 pfc.watchdog 9ms && kill -KILL "$("$heddle" ps --json | jq '..|objects|select(.name=="s2").pid')" &&
		wait_for s2_dead && run 0 start s2
}
s2_dead() { "$heddle" ps --json | jq -e '.[0].nodes[] | select(.name == "s2" and .state == "dead")'; }
says_text() { grep -F -- "$2" "$1"; }
lacks_text() { ! grep -F -- "$2" "$1"; }
# but for the time in the first line; of standard output, paths may be others
same_text() { diff <(tail -n +2 "$1") <(tail -n +2 "$2"); }
same_state() { diff "$scratch/before" "$scratch/after"; }

fabric_up "$scratch/first.yaml" --set routing.reaction=20us --set links.edge.loss=0.01%
check 'a switch is killed and starts again' restarts
check 'the fabric changes' changes
state >"$scratch/before"
saved=$scratch/saved.yaml
check 'it is saved' run 0 save "$saved"
check 'accepted as it is' run 0 check "$saved"
check 'comments of sections are kept' says_text "$saved" 'run: {duration: 3600s}          # long'
check 'also between them' says_text "$saved" '# traffic'
check 'the settings of the command are in it' says_text "$saved" 'loss: 0.01%'
check 'a switch without links is left out' says_text "$saved" 'left out: switch lonely'
check 'so is what names a host that has left' says_text "$saved" 'left out of workloads: pair'
check 'but not what others need' says_text "$saved" 'from: [h1]'
check 'loads that were set' says_text "$saved" 'load: 12.5%'
check 'and other values, as commands' says_text "$saved" '# heddle save: not in a scenario: heddle set s1 pfc.watchdog 8ms'
check 'the last ones' lacks_text "$saved" 7ms
check 'but not those that a switch lost with its end' lacks_text "$saved" 9ms
check 'a fabric by its name, to another file' run 0 save first "$scratch/other/saved.yaml"
check 'to standard output' run 0 save
check 'it is the same' same_text "$scratch/out" "$saved"
check 'no such fabric' run 2 save -f none
check 'two names' run 2 save -f first first "$saved"
check 'no such folder' run 4 save "$scratch/none/saved.yaml"
check 'the fabric ends' run 0 down

fabric_up "$saved"
link_down() { "$heddle" link --json | jq -e '[.links[] | select(.state == "down")] | length == 2'; }
check 'links that were down are' wait_for link_down
state >"$scratch/after"
check 'all is the same' same_state
check 'it can be saved again' run 0 save "$scratch/again.yaml"
check 'with one comment at the top' sh -c "[ \$(grep -c 'as it was at' '$scratch/again.yaml') = 1 ]"
check 'and with each fault once' sh -c "[ \$(grep -c 'at: 0s' '$scratch/again.yaml') = 2 ]"
check 'it ends' run 0 down

# ---- a generated topology, and paths in another folder ----

"$heddle" gen dragonfly switches-per-group=2 global-links=1 hosts-per-switch=1 >"$scratch/generated.yaml"
printf 'hosts:\n  h0: {mounts: [{from: ./site, to: /srv/site, read-only: yes}]}\n' >>"$scratch/generated.yaml"
fabric_up "$scratch/generated.yaml"
check 'a host in the middle leaves' run 0 remove h1
state >"$scratch/before"
check 'a generated topology is saved' run 0 save "$scratch/other/explicit.yaml"
check 'with paths of its folder' says_text "$scratch/other/explicit.yaml" "from: $scratch/"
check 'and written out' lacks_text "$scratch/other/explicit.yaml" 'generate:'
check 'and ends' run 0 down
fabric_up "$scratch/other/explicit.yaml"
state >"$scratch/after"
check 'it starts as the same' same_state
check 'and ends, too' run 0 down
finish
