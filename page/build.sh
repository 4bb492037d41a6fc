#!/bin/sh
# build - puts the page together: one HTML file, without any other file or network resource.
#
# usage: page/build.sh OUTPUT        (needs sed, awk and cat only)
#
# Modules are put one after the other, in the order of their imports. Each becomes a function that
# returns what it exports, so names of one file do not meet those of another. An import or export is
# on one line, and exports stand at a declaration. The glossary of the page comes from docs/.
set -eu
cd "$(dirname "$0")/.."
js=page/js

# order FILE...: each after those that it imports
order() {
	for file in "$@"; do
		sed -n 's/^import .* from "\.\/\([a-z]*\)\.js";$/\1/p' "$js/$file" | while read -r used; do
			echo "$used.js $file"
		done
		echo "$file $file"
	done | tsort
}

# glossary: {"word": "meaning"} of the tables of the two pages; a cell with several words gives each
glossary() {
	cat docs/results.md docs/glossary.md | awk -F ' *\\| *' '
		function text(s) {
			gsub(/\[/, "", s); gsub(/\]\([^)]*\)/, "", s); gsub(/\]/, "", s); gsub(/`|\*/, "", s)
			gsub(/\\/, "&&", s); gsub(/"/, "\\\"", s); gsub(/\001/, "|", s)
			return s
		}
		{ gsub(/\\\|/, "\001") } # no end of a cell
		/^\| *(key|column|word|event) *\|/ {
			column = 0
			for (i = 3; i <= NF; i++) if ($i == "meaning") column = i
			next
		}
		/^[^|]/ || /^$/ { if (!/^\|/) column = 0 }
		/^\|/ && column && !/^\| *---/ && !/^\|---/ {
			count = split(text($2), words, / *, */)
			for (w = 1; w <= count; w++) {
				if (words[w] == "" || words[w] in seen) continue
				seen[words[w]] = 1
				printf "\t\"%s\": \"%s\",\n", words[w], text($column)
			}
		}'
}

scripts() {
	echo 'const glossary = {'
	glossary
	echo '};'
	for file in $(order $(cd "$js" && ls ./*.js | sed 's|^\./||')); do
		echo "const module_${file%.js} = (() => {"
		sed -e '/^import /{ s/ as /: /g; s|^import \(.*\) from "./\(.*\).js";$|const \1 = module_\2;| }' \
			-e 's/^export //' "$js/$file"
		names=$(sed -nE 's/^export (async )?(function|class|const|let) ([A-Za-z0-9_]+).*/\3/p' "$js/$file" | tr '\n' ',')
		echo "return { $names }; })();"
	done
	echo "globalThis.heddleModules = {" # for tests
	(cd "$js" && ls ./*.js | sed 's|^\./\(.*\)\.js$|\t\1: module_\1,|')
	echo '};'
}

mkdir -p "$(dirname "$1")"
{
	sed -n '1,/^@CSS@$/p' page/page.html | sed '$d'
	cat page/page.css
	sed -n '/^@CSS@$/,/^@JS@$/p' page/page.html | sed -e '1d' -e '$d'
	scripts
	sed -n '/^@JS@$/,$p' page/page.html | sed '1d'
} >"$1.new"
mv "$1.new" "$1"
