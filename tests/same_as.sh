#!/usr/bin/env bash
# same_as - does this tree give the same results as another commit, byte by byte?  For changes that
# must not change any.
#
# usage: tests/same_as.sh COMMIT     builds COMMIT in a temporary git worktree, removed at the end
#        tests/same_as.sh HEDDLE     compares with a heddle that is built already, a path with '/'
#
# Runs the scenarios of topologies/ of this tree under the virtual clock with both, two scenarios
# at a time, and compares the text, the JSON and all CSV files. A line for each scenario: same;
# differs, with the first line that does; refused by both (SETTINGS that do not fit it).
# Environment:
#   SCENARIOS  a shell pattern of names (*)
#   SETTINGS   path=value words for all of them: shorter runs
#   COMPARE    yes: also `heddle run --compare` of the scenarios that have variants
#   CC         the compiler of COMMIT (gcc)
# Excepted is what names the build and nothing else: the line `"version": "..."` of the JSON.
# Exit status: 0 all are the same, 1 one differs, 2 it could not be found out, 130 interrupted.
set -u -m # -m: a group of processes for each job, so that all of a job can be ended
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mine=${HEDDLE:-$top/build/release/heddle}
[ $# = 1 ] || { sed -n '5,6s/^# //p' "$0" >&2 && exit 2; }
work=$(mktemp -d -t heddle-same-as.XXXXXX) || exit 2
tree=
terminal=no
[ -t 2 ] && terminal=yes

# clean_up - ends what still runs, takes the worktree and all results away
clean_up() {
	local job
	trap '' INT TERM HUP
	exec 2>/dev/null # bash tells of jobs that were ended
	for job in $(jobs -p); do
		kill -TERM -- "-$job" 2>/dev/null
	done
	wait 2>/dev/null
	[ -n "$tree" ] && git -C "$top" worktree remove --force "$tree" 2>/dev/null
	rm -rf "$work"
	[ -n "$tree" ] && git -C "$top" worktree prune
}
trap clean_up EXIT
trap 'exit 130' INT TERM HUP

# complain TEXT - why it could not be found out
complain() {
	echo "same-as: $*" >&2
	exit 2
}

# progress TEXT - one line that the next one replaces, on a terminal only
progress() {
	[ $terminal = yes ] && printf '\r\033[K%s' "$*" >&2
	return 0
}

# build COMMIT - into $tree; its heddle is $other
build() {
	git -C "$top" rev-parse --verify --quiet "$1^{commit}" >"$work/commit" || complain "'$1' names no commit"
	tree=$work/tree
	git -C "$top" worktree add --quiet --detach "$tree" "$(cat "$work/commit")" || complain "no worktree of $1"
	progress "building $(git -C "$top" log -1 --format='%h %s' "$1")"
	# in the background: a trap runs at once while bash waits, but not before a command in the
	# foreground ends
	env -u MAKEFLAGS -u MAKELEVEL -u KIND make -C "$tree" programs CC="${CC:-gcc}" >"$work/build" 2>&1 </dev/null &
	wait $! || {
		progress
		tail -n 20 "$work/build" >&2
		complain "$1 does not build"
	}
	other=$tree/build/release/heddle
}

# run_with HEDDLE FOLDER SCENARIO [OPTION]... - text, JSON, CSV into FOLDER, or why there are none
run_with() {
	local heddle=$1 folder=$2 scenario=$3
	shift 3
	mkdir -p "$folder" && cd "$folder" || return
	# shellcheck disable=SC2086
	"$heddle" run "$scenario" "$@" $settings --json result.json --csv . >text 2>errors </dev/null
	echo "exit status $?" >status
	[ ! -f result.json ] || sed -i 's/^ "version": "[^"]*",$/ "version": (excepted),/' result.json
}

# first_difference A B - the first file that is not the same, and its first line that is not
first_difference() {
	local file line
	while read -r file; do
		cmp -s "$1/$file" "$2/$file" && continue
		line=$(diff --new-file --text --unchanged-line-format= --old-line-format=$'%dn\n' --new-line-format=$'%dn\n' \
			"$1/$file" "$2/$file" | head -n 1)
		printf '%s:%s: here "%s", there "%s"' "$file" "$line" "$(line_of "$1/$file" "$line")" "$(line_of "$2/$file" "$line")"
		return
	done < <({ ls "$1" && ls "$2"; } | sort -u)
}

# line_of FILE NUMBER - that line, short
line_of() {
	if [ -f "$1" ]; then sed -n "$2{s/^ *//;p;q}" "$1" | cut -c 1-60; else echo 'no such file'; fi
}

# one NAME SCENARIO [OPTION]... - runs a scenario with both; its line goes to $work/NAME.line
one() {
	local name=$1 word=same difference
	shift
	run_with "$mine" "$work/$name/here" "$@"
	run_with "$other" "$work/$name/there" "$@"
	difference=$(first_difference "$work/$name/here" "$work/$name/there")
	[ -z "$difference" ] || word=differs
	grep -qx 'exit status 2' "$work/$name/here/status" && [ $word = same ] && word=refused
	[ $word != differs ] && ! grep -qx 'exit status [01]' "$work/$name/here/status" &&
		difference="(both: $(cat "$work/$name/here/status"), $(head -n 1 "$work/$name/here/errors" | cut -c 1-80))"
	printf '%-36s %-8s %s\n' "$name" "$word" "$difference" | sed 's/ *$//' >"$work/$name.line"
	rm -rf "${work:?}/$name"
}

# report - the lines of scenarios that are done, in the order of the scenarios
report() {
	local word
	while [ $told -lt ${#names[@]} ] && [ -f "$work/${names[told]}.line" ]; do
		progress
		cat "$work/${names[told]}.line"
		read -r _ word _ <"$work/${names[told]}.line"
		case $word in
		same) same=$((same + 1)) ;;
		differs) differ=$((differ + 1)) ;;
		esac
		told=$((told + 1))
	done
	progress "$told of ${#names[@]} scenarios, $differ differ"
}

# start NAME SCENARIO [OPTION]... - as soon as fewer than two run
start() {
	while [ "$(jobs -rp | wc -l)" -ge 2 ]; do
		wait -n
		report
	done
	one "$@" &
}

[ -x "$mine" ] || complain "$mine is not built: make"
settings=
for word in ${SETTINGS:-}; do settings="$settings --set $word"; done
case $1 in
*/heddle) other=$(realpath "$1") && [ -x "$other" ] || complain "$1 is no program" ;;
*) build "$1" ;;
esac

names=() files=()
shopt -s nullglob extglob
for file in "$top"/topologies/${SCENARIOS:-*}.yaml; do
	[ -f "$file" ] || continue # a pattern without a wildcard
	names+=("$(basename "$file" .yaml)") files+=("$file")
	[ "${COMPARE:-}" = yes ] && grep -q '^compare:' "$file" && names+=("$(basename "$file" .yaml),compare") && files+=("$file")
done
[ ${#names[@]} -gt 0 ] || complain "no scenario of topologies/ is called '${SCENARIOS:-}'"
same=0 differ=0 told=0
for i in "${!names[@]}"; do
	case ${names[i]} in
	*,compare) start "${names[i]}" "${files[i]}" --compare ;;
	*) start "${names[i]}" "${files[i]}" ;;
	esac
done
while [ -n "$(jobs -rp)" ]; do
	wait -n
	report
done
report
progress
[ $told = ${#names[@]} ] || complain "${names[told]} was ended from outside"
refused=$((told - same - differ))
echo "same-as $1: $same same, $differ differ$([ $refused = 0 ] || echo ", $refused refused by both")"
[ $((same + differ)) -gt 0 ] || complain "nothing was compared"
[ $differ = 0 ]
