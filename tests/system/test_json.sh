#!/usr/bin/env bash
# test_json - what every command prints with --json is as its schema says, and each key is described
# (DU-10). h0 and h1 at s1, h2 at s2.
set -u
. "$(dirname "$0")/common.sh"

python3 -c 'import jsonschema' 2>/dev/null || { echo 'skipped: python3-jsonschema is missing'; exit 77; }
cd "$scratch" || exit 1
mkdir json
"$heddle" schema --write new/schemas && mv new/schemas . || exit 1
cat >tiny.yaml <<'YAML'
name: tiny
run: {duration: 20us, warmup: 5us, sample: 1us}
topology: {switches: [s1, s2], hosts: {h0: s1, h1: s1, h2: s2}, links: [[s1, s2]]}
workloads:
  - {name: w, pattern: incast, to: h0, size: 4KiB, arrival: closed, window: 1}
expect:
  - jain(w) >= 0.5
YAML
sed 's/incast/inca/' tiny.yaml >bad.yaml
"$heddle" gen star fabric=roce hosts=4 >roce.yaml
"$heddle" gen star fabric=port-group hosts=4 >group.yaml
short=(--set run.duration=20us --set run.warmup=5us)

# valid NAME FILE... - FILEs, outputs of the command, are to be compared with its schema
count=0
valid() {
	local name=$1 file
	shift
	echo "$name" >>tried
	for file in "$@"; do
		count=$((count + 1))
		cp "$file" "json/$count" && echo "$name=json/$count" >>pairs || return 1
	done
}

# compare NAME=FILE... - is each an output of the command?
compare() { "$top/tests/system/json_schemas.py" schemas "$@"; }

# all_valid - are all outputs that checks have named valid? They are compared at once, since Python
# starts slowly.
all_valid() {
	local pairs
	mapfile -t pairs <pairs
	compare "${pairs[@]}"
}

# prints STATUS NAME ARGUMENT... - what heddle prints with ARGUMENTs is of schema NAME
prints() {
	local status=$1 name=$2
	shift 2
	run "$status" "$@" && valid "$name" out
}

results() {
	prints 0 run run tiny.yaml --json --timing && prints 0 run run roce.yaml --json "${short[@]}" &&
		prints 0 run run group.yaml --json "${short[@]}" && prints 0 run run tiny.yaml --json --sweep workloads.w.window=1..2 &&
		prints 0 run run tiny.yaml --json --seeds 1..3 &&
		prints 0 test test tiny.yaml --json && prints 1 test test tiny.yaml bad.yaml --json &&
		run 0 run tiny.yaml --quiet --record tiny.rec && prints 0 export export tiny.rec --json -
}

checks() {
	local name part switch
	for name in tiny roce group; do
		switch=$([ $name = tiny ] && echo s1 || echo s0)
		prints 0 check check $name.yaml --json && prints 0 check check $name.yaml --congestion --json && prints 0 check check $name.yaml --up --json || return 1
		for part in summary nodes links routes hosts "config $switch" 'config h1'; do
			# shellcheck disable=SC2086
			prints 0 show show $name.yaml $part --json || return 1
		done
	done
}

# under the real clock, also if this machine is too slow for it
real_run() {
	"$heddle" run tiny.yaml --clock real --set links.rate=10Mb/s --set links.delay=10ms --set run.duration=200ms --json >out 2>err
	case $? in 0 | 1 | 5) ;; *) cat err; return 1 ;; esac
	jq -e '.fidelity.nodes | length > 0' out && valid run out
}

# a mistake has its place, and a setting has none
mistakes() {
	prints 2 check check bad.yaml --json &&
		jq -e '.errors[0] | .file == "bad.yaml" and .line == 5 and .column == 24 and (.message | startswith("'"'"'inca")) and
			.text == "bad.yaml:5:24: " + .message' out &&
		prints 2 check check tiny.yaml --set run.duration=7 --json && jq -e '.errors[0] | .line == null and .column == null' out
}

lists() {
	prints 0 list list --json && prints 0 lab-list lab list --json && prints 0 lab-start lab start 3 --json &&
		prints 1 lab-check lab check 3 --student 9 trunk=1 lossy=1 remedy=dcqcn victim=1 --json &&
		prints 0 lab-score lab score tcp --alone --only incast --json && prints 0 image-list image list --json && prints 0 image-prune image prune --json && prints 0 schema schema --json
}

live() {
	prints 0 up up tiny.yaml --set 'faults=[{at: 10us, link: [s1, s2], for: 1us}]' --set links.rate=100Mb/s --set links.delay=1ms --json &&
		prints 0 ping-all ping-all --json && prints 0 ps ps --json && prints 0 link link --json &&
		jq -e '(.[0].hosts | length) == .[0].hosts_count' <("$heddle" ps --json) &&
		prints 0 show show s1 ports --json && prints 0 set set s1 acks.collect 4 --json &&
		prints 0 link link h2:s2 down --json && prints 0 link link h2:s2 set delay=2ms --json &&
		prints 0 link link h2:s2 up --json && prints 0 outside outside --json &&
		prints 0 load load --json && prints 0 load load stop --json && prints 0 faults faults --json && prints 0 faults faults stop --json
}

programs() {
	"$heddle" down >/dev/null && prints 0 up up tiny.yaml --set links.rate=100Mb/s --set links.delay=1ms --set 'hosts={h1: {run: echo ä}}' --json &&
		prints 0 ps ps --json && jq -e '.[0].programs[0].host == "h1"' out && prints 0 log log h1 --json || return 1
	prints 0 exec exec --all --json -- hostname && prints 3 exec exec --hosts 'h[01]' --json -- sh -c 'echo ä; echo b >&2; exit 3' &&
		jq -e 'length == 2 and .[1] == {host: "h1", status: 3, stdout: "ä\n", stderr: "b\n"}' out &&
		run 2 exec --json h0 -- true
}

joins() {
	local network
	prints 0 add add host h9 s1 --json && prints 0 add add switch s9 s1 --json && prints 0 add add link s9 s2 --json &&
		prints 0 remove remove s9:s2 --json && prints 0 remove remove h9 --json || return 1
	unshare --net sleep 600 &
	network=$!
	at_end "kill $network"
	wait_for sh -c "[ \"\$(readlink /proc/$network/ns/net)\" != \"\$(readlink /proc/$$/ns/net)\" ] && echo yes" &&
		prints 0 attach attach c1 s1 --pid $network --json
}

dead_node() {
	local node
	node=$("$heddle" ps --json | jq '.[0].nodes[] | select(.name == "s2").pid')
	kill -9 "$node" && wait_for sh -c "'$heddle' ps --json | jq '.[0].nodes[] | select(.state == \"dead\").name'" &&
		prints 0 ps ps --json && prints 0 start start s2 --json
}

watched() {
	run 0 top -n 2 -d 0.1 --json && split -l 1 out line. && valid top line.*
}

page() {
	"$heddle" view --json >url 2>&1 &
	local viewer=$!
	wait_for cat url && valid view url
	local status=$?
	kill -INT "$viewer"
	wait "$viewer"
	return "$status"
}

captured() {
	"$heddle" capture s1:s2 frames.pcapng --json >out 2>err &
	local capture=$!
	wait_for ls frames.pcapng && "$heddle" exec h0 -- ping -c 1 h2 && kill -INT "$capture" && wait "$capture" && valid capture out
}

# what was measured on this machine, if it was
calibrated() {
	"$heddle" calibrate --show --json >out
	[ $? -le 1 ] && valid calibrate out
}

ended() {
	prints 0 down down --json
}

roce_fabric() {
	run 0 up roce.yaml --set links.rate=100Mb/s --set links.delay=1ms && prints 0 ps ps --json && run 0 top -n 1 -d 0.1 --json &&
		valid top out && run 0 down
}

# the test sees a key that no schema has, one that is missing, and one of another type
strict() {
	"$heddle" schema --json >good && jq '.[0].more = 1' good >more && jq 'del(.[0].about)' good >less && jq '.[0].version = "1"' good >other &&
		compare schema=good && ! compare schema=more && ! compare schema=less && ! compare schema=other
}

# every command that has --json has a schema, and above its output was compared with it
all_of_them() {
	"$heddle" schema --json | jq -r '.[] | select(.version == null).name' >without
	[ ! -s without ] || { echo "no schema: $(cat without); schema/NAME.fields, docs/contributing.md"; return 1; }
	"$heddle" schema --json | jq -r '.[].name' | sort >wanted
	sort -u tried | comm -13 - wanted >untried
	[ ! -s untried ] || { echo "not tried here: $(tr '\n' ' ' <untried)"; return 1; }
}

# commands without --json print nothing for people, or what programs read already
without_json() {
	local command
	for command in $("$heddle" help | awk '/^  [a-z]/ { print $1 }'); do
		case $command in gen | import | save | metrics | mpirun | prompt | shell | help | lab | image) continue ;; esac
		"$heddle" "$command" --help | grep -q -- --json || { echo "$command has no --json"; return 1; }
	done
}

# docs/json.md has the list
documented() {
	run 0 schema && sed '/^<!-- schemas -->$/,/^<!-- end -->$/!d; /^<!--/d; /^```$/d' "$top/docs/json.md" | diff - out
}

# one table of exit statuses: in docs/json.md and heddle(1) too, and no command has another one
statuses() {
	local command known name
	run 0 help exit-status && cp out statuses && sed '/^<!-- statuses -->$/,/^<!-- end -->$/!d; /^<!--/d; /^```$/d' "$top/docs/json.md" |
		diff - statuses && mkdir -p man && run 0 help --man man || return 1
	known=" $(awk '{ print $1 }' statuses | tr '\n' ' ')"
	for name in $known; do grep -qx "$name" man/heddle.1 || { echo "heddle(1) lacks $name"; return 1; }; done
	for command in $("$heddle" help | awk '/^  [a-z]/ && $1 != "help" && $1 != "lab" { print $1 }') 'lab check' 'lab score' 'lab start'; do
		# shellcheck disable=SC2086
		"$heddle" $command --help | sed -n '/^exit status:/,$p' >text
		for name in $(sed 's/^exit status://' text | grep -oE '(^|[ ,;(])[0-9]+' | tr -d ' ,;('); do
			[[ $known = *" $name "* ]] || { echo "$command: exit status $name is not in the table"; return 1; }
		done
	done
}

# a schema stands alone, and a person can read it
readable() {
	run 0 schema ps && jq -e '."$schema" == "https://json-schema.org/draft/2020-12/schema" and ."$id" == "urn:heddle:ps:1" and
		.version == 1 and ."$defs"."running-node".properties.cpu_ns.unit == "ns"' out &&
		run 0 schema ps --fields && grep -q '^\[\]\.nodes\[\]\.cpu_ns  *integer  *ns  *CPU time used$' out &&
		run 0 schema run --fields && grep -q '^ports\[\]\.congestion\.eca_acks  *integer ' out &&
		run 2 schema pss && says err "did you mean 'ps'?"
}

check results results
check checks checks
check mistakes mistakes
check real_run real_run
check lists lists
check strict strict
check readable readable
check documented documented
check statuses statuses
check without_json without_json
fabric_dir
fabric_up tiny.yaml && run 0 down || exit 1
check live live
check programs programs
check joins joins
check watched watched
check page page
check captured captured
check calibrated calibrated
check dead_node dead_node
check ended ended
check roce_fabric roce_fabric
check all_valid all_valid
check all_of_them all_of_them
finish
