#!/usr/bin/env bash
# test_figures - the tables that `heddle run --compare` prints of topologies/, as docs/figures/
# keeps them, byte by byte: pages of docs/ show parts of them (TB-13).
#
# A change that is meant: WRITE=yes LONG=yes tests/system/test_figures.sh writes them again (two
# minutes); git diff docs/figures shows what the pages that are named below have to say now. Without
# LONG=yes (make soak) those are left out that take more than a second.
set -u
. "$(dirname "$0")/common.sh"

compare=$top/build/release/sim/sim_compare
kept=$top/docs/figures
long='cnp-failure cnp-rate cnp-sparse cnp-threshold cnp-threshold-300us dcqcn-incast ecn-failure gups gups-closed
	hyperx path-pause path-pause-clos permutation-fat-tree-128 permutation-fat-tree-16 roce-compare tapered-fat-tree tapered-s2'

# the same as in @kept, or written there
same() { # SCENARIO
	"$compare" "$topologies/$1.yaml" --json "$scratch/json" >"$scratch/$1.txt" || return
	[ "${WRITE-}" != yes ] || cp "$scratch/$1.txt" "$kept/$1.txt" || return
	diff "$kept/$1.txt" "$scratch/$1.txt" && return
	echo "$1.yaml is named in: $(cd "$top" && grep -l "$1" README.md docs/*.md | tr '\n' ' ')"
	return 1
}

# every scenario that has variants has a table, and no table is left of one that has gone
complete() {
	[ "$(cd "$topologies" && grep -l '^compare:' ./*.yaml | sed 's|^./||; s|yaml$|txt|' | sort)" = "$(cd "$kept" && ls ./*.txt | sed 's|^./||' | sort)" ]
}

# a page that prints a table has all of its lines
printed() { # NAME PAGE
	local line missing=0

	while IFS= read -r line; do
		grep -qF -- "$line" "$top/docs/$2" || { echo "docs/$2 lacks: $line" && missing=1; }
	done < <(sed '1,2d; s/ *$//' "$kept/$1.txt")
	return $missing
}

[ "${WRITE-}" != yes ] || mkdir -p "$kept"
for file in "$topologies"/*.yaml; do
	name=$(basename "$file" .yaml)
	grep -q '^compare:' "$file" || continue
	[ "${LONG-}" = yes ] || [[ " ${long//[$'\n\t']/ } " != *" $name "* ]] || continue
	check "$name" same "$name"
done
check 'there is a table for each' complete
check 'docs/roce.md has that of roce-compare' printed roce-compare roce.md
finish
