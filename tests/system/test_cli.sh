#!/usr/bin/env bash
# test_cli - heddle from the outside: commands, options, exit statuses, files (TB-10, TB-11, TB-13,
# TB-24).
set -u
. "$(dirname "$0")/common.sh"

lot=$topologies/parking-lot.yaml
short=(--set run.duration=150us --set run.warmup=50us)
tiny=$scratch/tiny.yaml
cat >"$tiny" <<'YAML'
name: tiny
run: {duration: 20us, warmup: 5us, sample: 1us}
topology: {switches: [s1], hosts: {h0: s1, h1: s1, h2: s1}}
workloads:
  - {name: w, pattern: incast, to: h0, size: 4KiB, arrival: closed, window: 1}
YAML
sed 's/^name: tiny/name: hopeful/' "$tiny" >"$scratch/hopeful.yaml"
printf 'expect:\n  - jain(w) >= 0.9\n  - lost > 5\n' >>"$scratch/hopeful.yaml"

refused() {
	local words=$1
	shift
	run 2 "$@" && says err "$words"
}

lists_commands() {
	run 0 help && says out run && says out check && says out show && says out gen
}

every_command_explains_itself() {
	local command commands
	commands=$("$heddle" help | awk '/^  [a-z]/ && $1 != "help" { print $1 }')
	[ "$(wc -w <<<"$commands")" -ge 16 ] || return 1
	for command in $commands; do
		run 0 "$command" --help && says out "usage: heddle $command" && run 0 help "$command" || return 1
	done
}

summary() {
	run 0 run "$tiny" && says out 'tiny: 1 switch, 3 NICs' && says out 'goodput' && silent err &&
		! grep -q $'\033' "$scratch/out"
}

quiet() {
	run 0 run "$tiny" --quiet && silent out && silent err
}

json() {
	local key
	run 0 run "$tiny" --json && silent err || return 1
	for key in version digest settings effective scenario seed clock duration_ps nodes links flows groups ports tables drops totals expectations classes roce deadlocks faults fidelity; do
		grep -q "^ \"$key\":" "$scratch/out" || { echo "no $key"; return 1; }
	done
	grep -q '^ "host": null' "$scratch/out"
}

# TB-13: what a result came from can be checked without Heddle, and is the same from wherever it is
# run
json_origin() {
	local digest
	digest=$(sha256sum <"$tiny" | cut -c1-64)
	run 0 run "$tiny" --json --seed 7 --set run.duration=30us && cp "$scratch/out" "$scratch/here.json" &&
		jq -e --arg digest "$digest" '.digest == $digest and .settings == ["seed=7", "run.duration=30us"] and
			.effective.run.duration == "30us" and .effective.seed == "7"' "$scratch/here.json" >/dev/null &&
		run 0 --version && [ "heddle $(jq -r .version "$scratch/here.json")" = "$(sed 's/ (commit [^)]*)$//' "$scratch/out")" ] &&
		mkdir -p "$scratch/there" && cp "$tiny" "$scratch/there/other.yaml" &&
		(cd "$scratch/there" && run 0 run other.yaml --json --seed 7 --set run.duration=30us) &&
		cmp "$scratch/here.json" "$scratch/out"
}

json_file() {
	run 0 run "$tiny" --json "$scratch/a.json" && says out goodput && run 0 run --json "$scratch/b.json" "$tiny" --quiet &&
		cmp "$scratch/a.json" "$scratch/b.json" && run 0 run "$tiny" --json && cmp "$scratch/a.json" "$scratch/out"
}

json_valid() {
	run 0 run "$tiny" --json --timing && jq -e '.host.windows > 0 and (.flows | length) == 2 and .totals.lost_bytes == 0 and
		.totals.inside_bytes == 0 and .groups.w.count == 2 and .clock == "virtual"' "$scratch/out"
}

json_unwritable() {
	run 2 run "$tiny" --quiet --json "$scratch/no/such/folder.json" && says err 'there is no folder'
}

csv() {
	local file
	run 0 run "$tiny" --quiet --csv "$scratch/deep/er/csv" || return 1
	for file in flows messages ports samples tables; do
		[ "$(wc -l <"$scratch/deep/er/csv/$file.csv")" -gt 1 ] || { echo "$file.csv has no rows"; return 1; }
	done
	[ -z "$(find "$scratch/deep" -name '*.part*')" ]
}

# outputs of a run are checked before it, also in a folder that it makes
csv_beside() {
	run 2 run "$tiny" --quiet --json "$scratch/new/flows.csv" --csv "$scratch/new" &&
		says err 'is to be written by --json and by --csv' && [ ! -e "$scratch/new" ] || return 1
	run 2 run "$tiny" --quiet --json "$scratch/nowhere/r.json" && says err "there is no folder $scratch/nowhere" || return 1
	run 0 run "$tiny" --quiet --json "$scratch/new/r.json" --events "$scratch/new/e.csv" --csv "$scratch/new" || return 1
	[ -s "$scratch/new/r.json" ] && [ -s "$scratch/new/e.csv" ] && [ -s "$scratch/new/flows.csv" ] || return 1
	run 2 run "$tiny" --quiet --csv "$scratch/newer/still" --capture nolink=x && [ ! -e "$scratch/newer" ] &&
		run 2 run "$tiny" --csv - && says err '--csv takes a folder, not -'
}

csv_unwritable() {
	run 2 run "$tiny" --quiet --csv /proc/none && says err 'cannot make the folder'
}

failed_expectation() {
	run 1 run "$scratch/hopeful.yaml" && says out 'FAILED  lost > 5' && says out 'ok      jain(w) >= 0.9'
}

bad_expectation() {
	sed "s/lost > 5/lots == 0/" "$scratch/hopeful.yaml" >"$scratch/wrong.yaml"
	refused "$scratch/wrong.yaml:8:5: there is no metric 'lots' - did you mean 'lost'?" run "$scratch/wrong.yaml"
}

# an expectation of --set names its argument, also with another one before it
bad_expectation_set() {
	run 2 run "$tiny" --set seed=2 --set 'expect=[lots == 0]' && says err "--set expect=[lots == 0]: there is no metric 'lots' - did you mean 'lost'?"
}

# wrong expectations are reported together with mistakes in other sections: metrics always, names
# where their section is right
all_mistakes() {
	sed 's/lost > 5/lots == 0/; s/jain(w)/jain(v)/' "$scratch/hopeful.yaml" >"$scratch/wrong.yaml"
	local mistake
	for mistake in run.durration=1us topology=5; do
		run 2 check "$scratch/wrong.yaml" --set "$mistake" && says err "--set $mistake" && says err "there is no metric 'lots'" || return 1
	done
	run 2 check "$scratch/wrong.yaml" --set run.durration=1us && says err "there is no workload 'v'" || return 1
	run 2 check "$scratch/wrong.yaml" --set workloads=5 && ! grep -q "there is no workload 'v'" "$scratch/err"
}

# nothing is started: the scenario is refused before
nothing_started() {
	run 2 run "$scratch/none.yaml" && says err none.yaml
}

timing() {
	run 0 run "$tiny" --timing && says out 'packet-hops'
}

seed() {
	run 0 run "$tiny" --json --seed 77 && says out '"seed": 77'
}

# heddle alone, without the other programs, names what is missing
alone() {
	cp "$(readlink -f "$heddle")" "$scratch/heddle" && ! "$scratch/heddle" run "$tiny" >"$scratch/out" 2>"$scratch/err" &&
		says err 'cannot find the program switchd'
}

# bin/heddle with its programs in libexec/heddle
installed() {
	mkdir -p "$scratch/bin" "$scratch/libexec/heddle" &&
		cp "$(readlink -f "$heddle")" "$scratch/bin/heddle" &&
		cp "$(dirname "$(readlink -f "$heddle")")"/{switchd,nicd} "$scratch/libexec/heddle" &&
		"$scratch/bin/heddle" run "$tiny" --quiet
}

show_json() {
	run 0 show "$lot" "$@" --json && jq -e 'type == "object" and length > 0' "$scratch/out"
}

shows() {
	run 0 show "$lot" "${@:2}" && says out "$1"
}

congestion() {
	run 0 check "$tiny" && ! grep -q congestion "$scratch/out" && run 0 check --congestion "$tiny" &&
		says out 'round trip of' && grep -qE '^  23 +255 +[0-9.]+ Gb/s' "$scratch/out" &&
		run 0 check --congestion "$tiny" --set congestion.headroom=no --set congestion.settings.23.rate=20Mb/s &&
		grep -qE '^  headroom +off' "$scratch/out" && grep -qE '^  23 +255 +20.00 Mb/s' "$scratch/out" &&
		run 0 check --json --congestion "$tiny" && says out '"flow_extent_units"'
}

# RC-5: programs learn of routing loops as people do
loops() {
	run 0 check "$topologies/routing-loop.yaml" && says out 'to s3: s2 -> s0 -> s1 -> s2' &&
		run 0 check --json "$topologies/routing-loop.yaml" &&
		jq -e '.routing_loops == [{to: "s3", switches: ["s2", "s0", "s1"]}]' "$scratch/out" &&
		run 0 check --json "$tiny" && jq -e '.routing_loops == []' "$scratch/out"
}

no_progress_without_terminal() {
	run 0 run "$tiny" --slow 8us/s && silent err
}

few_descriptors() {
	(ulimit -n 20 && "$heddle" run "$lot" "${short[@]}" --quiet) 2>"$scratch/err"
	[ $? = 4 ] && says err 'file descriptors'
}

# a result that does not fit: the error of the write, status 2, and nothing is left (TB-22)
no_room() {
	echo "exit status $status"
	cat "$scratch/err"
	[ "$status" = 2 ] && says err "$1" && ! ls "$2" | grep .
}
# the limit comes when the run has begun, because it is one for shared memory too (SIGXFSZ, which is
# to end nothing)
file_limit() {
	local pid
	mkdir "$scratch/limit" && mkfifo "$scratch/commands" && exec 9<>"$scratch/commands" || return 1
	"$heddle" run "$tiny" --quiet --break-at 5us --json "$scratch/limit/r.json" <&9 >"$scratch/out" 2>"$scratch/err" &
	pid=$!
	wait_for grep -s 'next event' "$scratch/out" && prlimit --pid "$pid" --fsize=1000
	echo continue >&9
	wait "$pid"
	status=$?
	exec 9>&-
	no_room 'File too large' "$scratch/limit"
}
# a disk of two pages, one of which is taken; the folder is read as long as it is mounted
disk_full() {
	mkdir "$scratch/disk"
	unshare -Urm sh -c 'mount -t tmpfs -o size=8k tmpfs "$3" && head -c 4096 /dev/zero >"$3/zero" &&
		"$1" run "$2" --quiet --json "$3/r.json"; echo $? >"$3.status"; rm "$3/zero"; ls "$3" >"$3.left"' \
		sh "$heddle" "$tiny" "$scratch/disk" 2>"$scratch/err"
	status=$(cat "$scratch/disk.status")
	[ ! -s "$scratch/disk.left" ] && no_room 'No space left on device' "$scratch/disk"
}
gen_without_value() {
	refused 'heddle gen: hosts: expected hosts=N' gen star hosts && refused 'shape: expected shape=3x3' gen torus shape
}

# keys of another kind of fabric: check and run name them, and go on
keys_without_effect() {
	run 0 check "$tiny" && ! grep -q 'no effect' "$scratch/out" &&
		run 0 check "$tiny" --set switch.acks.collect=4 --set fabric=roce && says out 'no effect     switch.acks (--set' &&
		run 0 check --json "$tiny" --set port-group.becn=no && says out '"no_effect": [' &&
		run 0 run --quiet "$topologies/three-subnets.yaml" && says err 'no effect: addresses, gateway, routes, router, run, health (of web and 4 other hosts)' &&
		run 0 run --quiet "$tiny" --set port-group.becn=no && says err 'no effect in a fabric of kind flow-channel: port-group'
}

# one word more than a command takes, and one less than it needs; nothing else is looked at before
words_are_counted() {
	local words
	while read -r words; do
		# shellcheck disable=SC2086
		run 2 $words && grep -qE "two [a-z ]+s, '|is one word too many" "$scratch/err" || { echo "$words"; return 1; }
	done <<'END'
run a b
check a b
export a b
import a b
list a b
schema a b
show a b c d
view a b
up a b
down a b
ps a b
top a b
metrics a b
faults a b
load a b c d
outside a b c
capture a b c
lab list a b
lab start 1 2
lab report 1 a b
END
	for words in run check export import show up capture 'lab start' 'lab report' 'lab check' 'lab predict' test; do
		# shellcheck disable=SC2086
		run 2 $words && grep -q '^heddle.*: missing ' "$scratch/err" || { echo "$words"; return 1; }
	done
}

# a full disk: one line, and no status of a fabric
output_is_full() {
	local words
	for words in 'gen star' "check $tiny" "check $tiny --json" 'list --json' 'lab list --json' 'lab start 3 --json' 'schema run' "show $tiny"; do
		# shellcheck disable=SC2086
		"$heddle" $words >/dev/full 2>"$scratch/err" </dev/null
		[ $? = 2 ] && [ "$(cat "$scratch/err")" = 'heddle: cannot write to standard output' ] ||
			{ echo "$words"; cat "$scratch/err"; return 1; }
	done
}

check "help lists the commands" lists_commands
check "words are counted" words_are_counted
check "every command explains itself" every_command_explains_itself
check "standard output is full" output_is_full
check "no command at all" run 2
check "an unknown command" refused "did you mean 'run'" rnu
check "an unknown option" refused "did you mean '--quiet'" run "$tiny" --quite
check "an option without its value" refused 'needs a value' run "$tiny" --csv
check "a value that is no number" refused '--seed' run "$tiny" --seed x
check "a time without unit" refused '--break-at' run "$tiny" --break-at 50
sed 's/^name:.*/name: ../' "$tiny" >"$scratch/dots.yaml"
check "a scenario whose name is none of a fabric" refused "does not begin with '.'" check "$scratch/dots.yaml"
check "an unknown event loop" refused '--loop takes' run "$tiny" --loop=epoll
check "two scenarios" refused 'two scenarios' run "$tiny" "$lot"
check "--set without =" refused 'PATH=VALUE' run "$tiny" --set run.duration
check "--set of an unknown key" refused "did you mean 'duration'" run "$tiny" --set run.durration=1ms
check "a scenario that does not exist" nothing_started
check "keys without effect are named" keys_without_effect
check "summary" summary
check "--quiet" quiet
check "--json" json
check "--json FILE" json_file
if command -v jq >/dev/null; then
	check "the JSON is JSON and says what it should" json_valid
	check "the JSON says what it came from" json_origin
else
	skip "the JSON is JSON and says what it should" "there is no jq"
fi
check "--json to where nothing can be written" json_unwritable
check "--csv makes its folder and complete files" csv
check "--csv to where nothing can be written" csv_unwritable
check "--csv beside other outputs" csv_beside
check "--seed" seed
check "--timing" timing
check "an expectation that fails: status 1" failed_expectation
check "an expectation that makes no sense: status 2" bad_expectation
check "... of --set, which is named" bad_expectation_set
check "... beside other mistakes" all_mistakes
check "no progress line without a terminal" no_progress_without_terminal
check "show" shows 'parking-lot'
check "show nodes" shows 'switch s504' nodes
check "show links" shows 's502 port' links
check "show routes" shows 'to s508 by' routes
check "show hosts" shows 'L at s508' hosts
check "show config" shows 'arbiter by flow' config s508
for part in summary nodes links routes hosts 'config s508' 'config L'; do
	# shellcheck disable=SC2086
	check "show $part as JSON" show_json $part
done
check "show of an unknown part" refused "did you mean 'routes'" show "$lot" route
check "show of an unknown node" refused "has no node 's9'" show "$lot" config s9
check "check --congestion" congestion
if command -v jq >/dev/null; then
	check "check --json names routing loops" loops
else
	skip "check --json names routing loops" "there is no jq"
fi
check "heddle without its programs" alone
check "heddle as installed" installed
check "too few file descriptors" few_descriptors
check "a limit of file sizes is an error of the write" file_limit
if unshare -Urm mount -t tmpfs tmpfs /mnt 2>/dev/null; then
	check "a full disk is told" disk_full
else
	skip "a full disk is told" "the kernel forbids a user namespace with a disk of its own"
fi
check "gen without a value" gen_without_value
check "a number with a leading zero is refused" refused "begins with a zero" gen star hosts=010
finish
