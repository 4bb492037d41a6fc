#!/usr/bin/env bash
# test_import - topologies of containerlab (DU-3): five Linux nodes and a bridge become a fabric by
# one command, `heddle import FILE | heddle up -`; check, run and up read standard input.
#
#   c1 - r1 - r2 - br2 - c2, c3        eth0 of all: the management network
set -u
. "$(dirname "$0")/common.sh"

fabric_dir
cat >"$scratch/lab.clab.yml" <<'EOF'
name: five
topology:
  defaults: {kind: linux, env: {LAB: five}}
  kinds:
    linux: {image: alpine}
  nodes:
    r1: {exec: [ip address add 10.1.0.1/24 dev eth1, ip address add 10.12.0.1/24 dev eth2, ip route add 10.2.0.0/24 via 10.12.0.2]}
    r2: {exec: [ip address add 10.2.0.1/24 dev eth1, ip address add 10.12.0.2/24 dev eth2, ip route add 10.1.0.0/24 via 10.12.0.1]}
    c1: {exec: [ip address add 10.1.0.2/24 dev eth1, ip route add 10.2.0.0/24 via 10.1.0.1]}
    c2: {exec: [ip address add 10.2.0.2/24 dev net0, ip route add 10.1.0.0/24 via 10.2.0.1], binds: ['.:/mnt:ro']}
    c3: {exec: [ip address add 10.2.0.3/24 dev eth1, ip route add 10.1.0.0/24 via 10.2.0.1]}
    br2: {kind: bridge}
  links:
    - endpoints: ['c1:eth1', 'r1:eth1']
    - endpoints: ['r1:eth2', 'r2:eth2']
    - endpoints: ['r2:eth1', 'br2:p1']
    - endpoints: ['c2:net0', 'br2:p2']
    - endpoints: ['c3:eth1', 'br2:p3']
EOF
sed 's/  links:/    srl: {kind: nokia_srlinux}\n&/' "$scratch/lab.clab.yml" >"$scratch/router.clab.yml"

piped() { "$heddle" import "$scratch/lab.clab.yml" --no-images | "$heddle" "$@" >"$scratch/out" 2>"$scratch/err"; }
named() {
	run 1 import "$scratch/router.clab.yml" --no-images &&
		says err "router.clab.yml:13:5: node 'srl' of kind 'nokia_srlinux' is left out" && says err '1 part of' &&
		says out "#   $scratch/router.clab.yml:13:5: node 'srl'"
}
# the folder of relative paths is that of the file
beside() {
	run 0 import "$scratch/lab.clab.yml" --no-images && says out "from: $(realpath "$scratch")/., to: /mnt" &&
		run 0 import "$scratch/lab.clab.yml" --no-images -o "$scratch/lab.yaml" && says lab.yaml 'from: ., to: /mnt' &&
		run 0 check "$scratch/lab.yaml"
}
run_piped() { "$heddle" gen star hosts=3 | "$heddle" run - --json "$scratch/run.json" && jq -e .scenario "$scratch/run.json"; }
place() {
	echo 'run: {duraton: 1s}' | "$heddle" check - >"$scratch/out" 2>"$scratch/err"
	[ ${PIPESTATUS[1]} = 2 ] && says err "standard input:1:7: "
}
stdin_import() { run_in 0 import - --no-images && says out '    - r1-r2'; }
run_in() {
	local wanted=$1
	shift
	"$heddle" "$@" <"$scratch/lab.clab.yml" >"$scratch/out" 2>"$scratch/err"
	[ $? = "$wanted" ]
}

check 'a kind that is not Linux is named with its line' named
check 'relative paths stay those of the file' beside
check 'from standard input' stdin_import
check 'no file of containerlab' run 2 import "$topologies/two-racks.yaml"
check 'no file' run 2 import /no/such/file
check 'check - reads standard input' piped check -
check 'a mistake in it has its line' place
check 'run - reads it' run_piped

if ! piped up -; then
	forbidden err && { skip 'up -' "$(tail -n 1 "$scratch/err")"; finish; exit; }
fi
check 'up - starts five nodes' says out 'fabric five runs: '
for host in r1 r2 c1 c2 c3; do
	check "$host runs" run 0 exec "$host" -- true
done
# addresses and routes are those of the exec lines; one neighbour, then over two routers
reaches() { in_the_end "$heddle" exec "$1" -- ping -c 1 -w 30 -q "$2"; }
check 'c2 and c3 are on one bridge' reaches c2 10.2.0.3
check 'c1 reaches its router' reaches c1 10.1.0.1
check 'c1 reaches c2, over two routers' reaches c1 10.2.0.2
check 'c3 reaches c1, the way back' reaches c3 10.1.0.2
check 'down' run 0 down
finish
