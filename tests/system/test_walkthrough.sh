#!/usr/bin/env bash
# test_walkthrough - every command of docs/walkthrough.md works, and prints the lines that the page
# shows below it, in that order; runs of blanks count as one, '...' stands for any lines. So does
# every `heddle run` and `heddle check` in the texts of labs; test_labs has the rest of them. Every
# abbreviation of the pages for learners is in docs/glossary.md (SE-12).
set -u
. "$(dirname "$0")/common.sh"
page=$top/docs/walkthrough.md
command -v cc >/dev/null && [ -r "$page" ] || { echo 'skipped: there is no page or no compiler'; exit 77; }
cd "$scratch" || exit 1
ln -s "$heddle" heddle
ln -s "$topologies" topologies
PATH=$scratch:$PATH
mkdir examples
cp "$top"/examples/*.c "$top/examples/Makefile" examples
ln -s "$top/include" include

# blocks FOLDER PAGE... - for each command of the pages: FOLDER/N.command, FOLDER/N.lines. A block
# may be indented
blocks() {
	local folder=$1
	shift
	awk -v folder="$folder" '
		{ sub(/^ +/, "") }
		/^```console/ { inside = 1; next }
		/^```/ { inside = 0; next }
		!inside { next }
		/^\$ / { n++; name = sprintf("%s/%02d", folder, n); print substr($0, 3) > (name ".command"); printf "" > (name ".lines"); next }
		$0 != "..." { gsub(/[ \t]+/, " "); print > (name ".lines") }' "$@"
}

# in_order LINES OUTPUT - is each line of LINES a line of OUTPUT, one after the other? A line that
# ends with ... is the beginning of one
in_order() {
	awk 'FILENAME == ARGV[1] { wanted[++n] = $0; next }
		{ gsub(/[ \t]+/, " "); sub(/^ /, ""); sub(/ $/, "") }
		next_ < n {
			want = wanted[next_ + 1]
			if (want ~ / \.\.\.$/ ? index($0, substr(want, 1, length(want) - 3)) == 1 : $0 == want) next_++
		}
		END { if (next_ < n) { print "not in the output: " wanted[next_ + 1]; exit 1 } }' "$1" "$2"
}

# run_block NAME - runs the command and compares its output; status 1: an expectation does not hold,
# which the page then shows. With the comment '# refused' it must be, status 2
run_block() {
	local status=0 refused=0
	grep -q '# refused' "$1.command" && refused=2
	bash -c "$(cat "$1.command")" >out 2>err </dev/null || status=$?
	[ "$refused" = 0 ] || [ "$status" = 2 ] || { echo "exit status $status, not 2"; return 1; }
	[ "$status" = "$refused" ] || { [ "$status" = 1 ] && grep -q '^FAILED' out; } || { echo "exit status $status"; cat err; return 1; }
	in_order "$1.lines" out || { cat out; return 1; }
}

# abbreviations - is each word in capitals, on the pages for learners, in the glossary? Not looked
# at: code, names of makers and of their products, and what stands for the reader's own words.
abbreviations() {
	local page words
	for page in README docs/{walkthrough,own-congestion-control,roce,routing,congestion,looking-inside,tables}; do
		page=$top/$page.md
		awk '/^ *```/ { code = !code; next } !code' "$page" | sed -E 's/`[^`]*`//g; s/\]\([^)]*\)/]/g' |
			grep -oE '\b[A-Z]+[A-Z][A-Z0-9]*\b' | sed "s|^|${page##*/} |"
	done | sort -u | grep -vwE 'AMD|EPYC|NVIDIA|LICENSE|README|FILE|FILES|NAME|SEED|STEP|TIME|VALUES|PLACE|FAULT|NOT|VALID|FIGURES|ENOSYS|A|B|C' |
		while read -r page words; do grep -qwF -- "$words" "$top/docs/glossary.md" || echo "$page: $words"; done >missing
	[ ! -s missing ] || { cat missing; return 1; }
}

check "every abbreviation of the pages for learners is in the glossary" abbreviations
mkdir blocks labs && blocks blocks "$page" && blocks labs "$top"/topologies/labs/*/README.md
check "the page has commands" [ "$(ls blocks/*.command | wc -l)" -ge 15 ]
for command in blocks/*.command; do
	check "$(cat "$command")" run_block "${command%.command}"
done
for command in $(grep -lE '^(\./)?heddle (run|check) ' labs/*.command); do
	check "$(cat "$command")" run_block "${command%.command}"
done
finish
