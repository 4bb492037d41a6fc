#!/usr/bin/env bash
# test_layers - does tests/layers.sh find planted includes and declarations that are against the
# order? Does tests/modules.sh have each module with the first sentence of its header?
set -u
cd "$(dirname "$0")/../.." || exit 1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failed=0

# append FILE TEXT: FILE ends with this line too, until finds()
appended=()
append() {
	printf '%s\n' "$2" >>"$tree/$1"
	appended+=("$1")
}

# include FILE HEADER: FILE includes HEADER too
include() {
	append "$1" "#include \"$2\""
}

# fresh: $tree has the sources as they are again
fresh() {
	local file
	for file in "${appended[@]}"; do
		rm -f "$tree/$file"
		[ ! -e "$file" ] || cp "$file" "$tree/$file"
	done
	appended=()
}

# finds TEXT...: the check fails and says each TEXT
finds() {
	local output text
	output=$("$tree/tests/layers.sh") && { printf 'FAILED  nothing found: %s\n' "$*"; failed=1; }
	for text in "$@"; do
		grep -qF -- "$text" <<<"$output" || { printf 'FAILED  not found: %s\n%s\n' "$text" "$output"; failed=1; }
	done
	fresh
}

mkdir "$tree/tests"
cp tests/layers.sh "$tree/tests/"
cp -r nodes switchd nicd workerd rankd preload orchestrator "$tree/"
"$tree/tests/layers.sh" >/dev/null || { echo 'FAILED  the tree as it is' && failed=1; }
stages=switchd/flow_channel

# against the order of stages
include $stages/crossbar.c $stages/resume.h
include $stages/reroute.c $stages/crossbar.h
include $stages/eca.c $stages/dataplane.h
include $stages/choose.h $stages/reroute.h
include $stages/tide.c $stages/dataplane.h
finds "$stages/crossbar.c includes $stages/resume.h" "$stages/reroute.c includes $stages/crossbar.h" \
	"$stages/eca.c includes $stages/dataplane.h" "$stages/choose.h includes $stages/reroute.h" \
	"$stages/tide.c: tide is in no row of \`stages\`"

# against the order of folders, in one program and between two
include switchd/common/route.c switchd/ethernet/ecn.h
finds 'switchd/common/route.c includes switchd/ethernet/ecn.h'
include nicd/gates/pause.c switchd/common/route.h
finds 'nicd/gates/pause.c includes switchd/common/route.h'

append $stages/crossbar.h 'void transmit(struct dataplane *dp, uint32_t port, node_time_t now);'
finds "$stages/crossbar.h: transmit() is of $stages/transmit.c"
append nodes/link/anon.h '/* nameless */'
finds 'a header does not begin with its name' 'nodes/link/anon.h'
append nodes/link/link.c '#include <libfyaml.h>'
finds '<libfyaml> has its home in'

modules=$(tests/modules.sh nicd/gates nodes/base)
for line in '^nicd/gates/$' '^  rate_agent  *rate limits of a source .*(PG-10)$' '^  monotonic  *the machine.s time$'; do
	grep -q "$line" <<<"$modules" || { echo "modules.sh has no line '$line'"; failed=1; }
done
[ "$(grep -c '^  ' <<<"$modules")" = $(ls nicd/gates/*.h nodes/base/*.h | wc -l) ] ||
	{ echo 'modules.sh does not list each header once'; failed=1; }
[ "$failed" = 0 ] && echo 'test_layers: planted includes and declarations are found'
exit "$failed"
