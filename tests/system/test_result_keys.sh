#!/usr/bin/env bash
# test_result_keys - docs/results.md lists every key of JSON and every column of CSV, and no other
# one (TB-13); docs/tables.md every table of `show` and every column.
#
# Runs of all kinds write their results: flow channels that fail and return, a deadlock of RoCE, a
# message that cannot be delivered, port groups, the real clock. Their keys together are compared
# with the page in both directions, as PATH.KEY; members of lists are `[]`, a workload is
# `WORKLOAD`. What a run was made of (`effective`, `settings`) is the user's.
set -u
. "$(dirname "$0")/common.sh"
page=$top/docs/results.md

# keys FILE... - the keys of results, a line each
keys() {
	jq -r '.effective = null | .settings = [] | [paths | map(if type == "number" then "[]" else . end)
		| if .[0] == "groups" and length > 1 then .[1] = "WORKLOAD" else . end
		| select(.[-1] != "[]" and .[-1] != "WORKLOAD") | join(".") | gsub("\\.\\[\\]"; "[]")]
		| unique[]' "$@" | sort -u
}

# listed - the keys that the page lists: of each table under JSON the first column, after the path
# in the heading
listed() {
	awk -F '|' '
	/^## / { json = $0 == "## JSON"; next }
	/^### / { path = ""; if (match($0, /`[^`]+`/)) path = substr($0, RSTART + 1, RLENGTH - 2) "."; next }
	json && /^\| `/ {
		for (cell = $2; match(cell, /`[^`]+`/); cell = substr(cell, RSTART + RLENGTH))
			print path substr(cell, RSTART + 1, RLENGTH - 2)
	}' "$page" | sort -u
}

# names HEADING... - the words in backticks of these sections of the page
names() {
	local heading
	for heading in "$@"; do
		awk -v heading="### \`$heading\`" '/^##/ { on = $0 == heading; next } on' "$page" |
			grep -o '`[^`]*`' | tr -d '`'
	done | sort -u
}

# columns FILE SECTION... - is every column of $scratch/csv-*/FILE in one of these sections, and in
# all files together every word of the section FILE?
columns() {
	local file=$1 column
	# those of a class or a lane are there once for each
	head -qn 1 "$scratch"/csv-*/"$file" | tr , '\n' | sed -E 's/^(class_.*_bytes|lane_.*_units)_.*/\1/' | sort -u >"$scratch/columns"
	comm -23 "$scratch/columns" <(names "$@") | while read -r column; do
		echo "$file: column '$column' is not in docs/results.md"
	done >"$scratch/missing"
	cat "$scratch/missing"
	[ -s "$scratch/columns" ] && [ ! -s "$scratch/missing" ]
}

# write NAME STATUS ARGUMENTS... - a run and its results
write() {
	local name=$1 status=$2
	shift 2
	run "$status" run "$@" --json "$scratch/$name.json" --csv "$scratch/csv-$name"
}

# own_control - with a congestion control of the user's
own_control() {
	cc -I "$top/include" -shared -fPIC -o "$scratch/my.so" "$top/examples/my_control.c" &&
		write own 1 "$topologies/score/incast.yaml" --cc "$scratch/my.so" --set run.duration=200us --set run.warmup=0ns
}

# real - the keys count, not the figures: the machine need not be fast enough
real() {
	write real 0 "$topologies/two-talk.yaml" --clock real --set run.duration=200ms >/dev/null ||
		write real 5 "$topologies/two-talk.yaml" --clock real --set run.duration=200ms
}

# same - do the results and the page have the same keys?
same() {
	keys "$scratch"/*.json >"$scratch/keys"
	listed >"$scratch/listed"
	diff --label 'only in results' --label 'only in docs/results.md' -u0 "$scratch/keys" "$scratch/listed"
}

cat >"$scratch/lost.yaml" <<'YAML'
name: lost
fabric: roce
topology: {switches: [s1], hosts: {h1: s1, h2: s1}}
workloads:
  - {name: w, pattern: pairs, pairs: [[h1, h2]], size: 10kB}
faults: [{at: 1ns, link: [s1, h2]}]
run: {duration: 500us, drain-max: 200ms}
YAML

check 'flow channels: links fail and return' write faults 0 "$topologies/link-failure.yaml" --timing
check 'RoCE: a deadlock' write deadlock 0 "$topologies/pfc-ring-of-four.yaml"
check 'RoCE: nothing is delivered' write symptom 0 "$scratch/lost.yaml"
check 'port groups' write groups 0 "$topologies/port-group-incast.yaml" --set run.duration=100us --set run.warmup=10us \
	--set expect='[]'
check 'a congestion control of the user' own_control
check 'the real clock' real
check 'keys of JSON: all are in docs/results.md, and no other one' same
for file in flows messages ports tables classes samples flow_samples paths nodes; do
	case $file in
	flows) more='flows[].transport' ;;
	ports) more='ports[].congestion ports[].paths ports[].roce' ;;
	classes) more='classes[]' ;;
	nodes) more='fidelity.nodes[]' ;;
	*) more= ;;
	esac
	# shellcheck disable=SC2086
	check "columns of $file.csv" columns $file.csv $more
done

# row SECTION TABLE - what docs/tables.md has of it
row() {
	awk -F '|' -v section="## $1" -v table=" \`$2\` " '/^## / { on = $0 == section } on && $2 == table { print $3 }' \
		"$top/docs/tables.md"
}

# shows NODE TABLES SCENARIO... - what the prompt shows of each, as text and as JSON, to
# $scratch/shows: each time and at first the time of the fabric, then a part
shows() {
	for table in $2; do printf "show $1 %s\nstatus\n" "$table" "$table --json"; done >"$scratch/script"
	echo quit >>"$scratch/script"
	"$heddle" run "${@:3}" --break-at 20us --quiet --script "$scratch/script" </dev/null 2>/dev/null >"$scratch/shows"
}
# part NUMBER - of $scratch/shows, from 1 on
part() { awk -v wanted="$1" '/^at [0-9.]* us;/ { part++; next } part == wanted' "$scratch/shows"; }

# tables SECTION NODE SCENARIO [OPTION...] - are all tables of NODE in this section, and all words
# of their headings in the table's row? Has the JSON of each the same words as keys, and are what it
# says once in the row too?
tables() {
	local section=$1 node=$2 table word shown=0
	shift 2
	echo "show $node no-such-table" >"$scratch/script"
	"$heddle" run "$@" --break-at 20us --script "$scratch/script" >/dev/null 2>"$scratch/err" </dev/null
	sed -n 's/.* it has: //p' "$scratch/err" | tr ' ' '\n' | grep -v '^trace$' | grep . >"$scratch/names"
	[ -s "$scratch/names" ] || { cat "$scratch/err" && return 1; }
	: >"$scratch/missing"
	shows "$node" "$(cat "$scratch/names")" "$@"
	while read -r table; do
		shown=$((shown + 2))
		part $((shown - 1)) | grep -m 1 -E '^ *(port|dest|dlid|group|slot|workload|class|entry|name) ' >"$scratch/heading"
		[ -s "$scratch/heading" ] || echo "$section: $table: no heading" >>"$scratch/missing"
		[ -n "$(row "$section" "$table")" ] || echo "$section: table '$table' is not in docs/tables.md" >>"$scratch/missing"
		part $shown >"$scratch/json"
		jq -r 'del(.node, .table, .rows) | keys[]' "$scratch/json" >"$scratch/once" || echo "$section: $table: no JSON" >>"$scratch/missing"
		jq -r '.rows[0] // empty | keys_unsorted | join(" ")' "$scratch/json" >"$scratch/keys"
		[ ! -s "$scratch/keys" ] || [ "$(xargs <"$scratch/heading")" = "$(cat "$scratch/keys")" ] ||
			echo "$section: $table: JSON has the keys '$(cat "$scratch/keys")'" >>"$scratch/missing"
		for word in $(cat "$scratch/heading" "$scratch/once"); do
			case $word in port | class | *peer | *peers) continue ;; esac
			row "$section" "$table" | grep -qF "\`$word\`" ||
				echo "$section: column '$word' of '$table' is not in docs/tables.md" >>"$scratch/missing"
		done
	done <"$scratch/names"
	awk -v section="## $section" '/^## / { on = $0 == section } on && sub(/^\| `/, "") { sub(/`.*/, ""); print }' \
		"$top/docs/tables.md" | grep -vxFf "$scratch/names" | sed 's/$/: in docs\/tables.md, but no table/' >>"$scratch/missing"
	cat "$scratch/missing"
	[ ! -s "$scratch/missing" ]
}

# traced NODE SCENARIO - the last events, for programs
traced() {
	shows "$1" trace "$2"
	part 2 | jq -e '.table == "trace" and (.rows | length > 0 and all(has("at_us") and has("event") and has("value")))'
}

check 'show: a switch with flow channels' tables 'Switch, flow channels' s508 "$topologies/parking-lot.yaml"
check 'show: a switch of kind roce' tables 'Switch, RoCE' s "$topologies/dcqcn-incast.yaml"
check 'show: a switch of kind port-group' tables 'Switch, port groups' s "$topologies/port-group-incast.yaml"
check 'show: a NIC' tables 'NIC' h1 "$topologies/dcqcn-incast.yaml"
check 'show: the events of a NIC' traced h1 "$topologies/one-flow-held.yaml"
finish
