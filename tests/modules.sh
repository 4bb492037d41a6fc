#!/usr/bin/env bash
# modules - what each module is: the first sentence of its header, folder by folder.
#     tests/modules.sh [FOLDER...]
set -u
cd "$(dirname "$0")/.." || exit 1
[ $# -gt 0 ] || set -- nodes switchd nicd workerd rankd preload orchestrator

find "$@" -name '*.[ch]' | sort | while read -r file; do
	[[ $file = *.h || ! -e ${file%.c}.h ]] && echo "$file"
done | xargs awk '
	function print_out() {
		if (text == "") return
		gsub(/[ \t]+/, " ", text)
		sub(/ ?\*\/.*/, "", text)
		if (match(text, /[.:] [A-Z]/)) text = substr(text, 1, RSTART)
		sub(/[.:]$/, "", text)
		sub(/^[a-z_0-9]+ - /, "", text)
		printf "  %-22s %s\n", name, text
	}
	FNR == 1 {
		print_out()
		part = FILENAME; sub(/\/[^\/]*$/, "", part)
		if (part != folder) print (folder == "" ? "" : "\n") part "/"
		folder = part
		name = FILENAME; sub(/.*\//, "", name); sub(/\.[ch]$/, "", name)
		text = ""; open = $0 ~ /^\/\*/
	}
	open {
		line = $0; sub(/^ *\/?\*+ */, "", line)
		if (line == "" && FNR > 1) open = 0
		else text = text (text == "" ? "" : " ") line
		if ($0 ~ /\*\//) open = 0
	}
	END { print_out() }'
