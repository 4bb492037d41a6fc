#!/usr/bin/env bash
# layers - do includes point in one direction?  orchestrator | switchd | nicd | rankd -> nodes ->
# system; workerd -> switchd, nicd; tests -> all; and inside of each program from folder to folder,
# order of `folders`. Each module has its own header, each outside library one home.
set -u
cd "$(dirname "$0")/.." || exit 1
status=0

# What may include what: a folder includes itself and those in front of it in its line. Between two
# | none includes another. The file main.c of a program includes all of them.
folders='
nodes: base config wire stats link clock node control process
switchd: common flow_channel | ethernet | port_group kinds
nicd: traffic workload transport gates host dataplane
preload: dilate
rankd: link run
orchestrator: base routing scenario lab plan results recording manager tunnel fabric hosts live view command prompt run course operate cli
'

# complain TEXT LINES - LINES are wrong, if there are any
complain() {
	[ -z "$2" ] && return
	printf 'layers: %s\n%s\n' "$1" "$2"
	status=1
}

sources=$(find nodes switchd nicd workerd rankd preload orchestrator -name '*.[ch]' | sort)
[ -n "$sources" ] || complain 'no sources in' "$PWD"

# every include with quotes: FILE INCLUDED
includes() {
	# shellcheck disable=SC2086
	grep -HE '^#include "' $sources | sed -E 's/^([^:]*):#include "([^"]*)".*/\1 \2/'
}

# folder by folder, every pair: an include against the order, a file without a folder, a folder
# without a row
complain 'against the order of folders:' "$(includes | awk -v table="$folders" '
	function folder(path, part) { return split(path, part, "/") > 2 ? part[1] "/" part[2] : part[1] }
	BEGIN {
		lines = split(table, line, "\n")
		for (l = 1; l <= lines; l++) {
			words = split(line[l], word, " ")
			if (!words) continue
			sub(":", "", word[1])
			level = 0; beside = 0
			for (w = 2; w <= words; w++) {
				if (word[w] == "|") { beside = 1; continue }
				if (!beside) level++
				beside = 0
				rank[word[1] "/" word[w]] = level
			}
		}
	}
	{
		from = folder($1); to = folder($2)
		split(from, a, "/"); split(to, b, "/")
		if (b[1] != "nodes" && b[1] != a[1] && !(a[1] == "workerd" && (b[1] == "switchd" || b[1] == "nicd"))) print $1 " includes " $2
		else if (!(from in rank) && $1 !~ /^[a-z]+\/main\.c$/) print $1 ": " from " is in no row of `folders`"
		else if (!(to in rank)) print $1 " includes " $2 ": " to " is in no row of `folders`"
		else if (a[1] == b[1] && from in rank && from != to && rank[to] >= rank[from]) print $1 " includes " $2
	}')"

# folders that include each other in a cycle have no order; found even if a row is wrong
complain 'folders that include each other in a cycle:' "$(includes | awk '
	function folder(path, part) { return split(path, part, "/") > 2 ? part[1] "/" part[2] : "" }
	{ from = folder($1); to = folder($2); if (from != "" && to != "" && from != to) print from, to }' |
	sort -u | tsort 2>&1 >/dev/null | sed 's/^tsort: -: input contains a loop:/a cycle:/; s/^tsort: /  /')"

# The stages of the flow-channel switch, from the lowest to the highest. A file includes the headers
# of lower stages alone, so no stage calls one above it: for that it leaves a mark (marks.h).
# dataplane.h has their common state, dataplane.c the order in which marks are handled; it is the
# highest.
stages='
eca efct unacked ifct flow_list ofct output_queue ack arbiter headroom fgfc injection input_load output_load redirect source_hold marks
dataplane.h
flow_trace
input_buffer fgfc_path flow_queue flow_tree path_load choose tree_path flow_control ack_upstream reroute crossbar resume
arrival ack_path transmit link_change
dataplane_show dataplane_set dataplane.c
'
complain 'against the order of stages of switchd/flow_channel:' "$(includes | awk -v table="$stages" '
	function stage(path) { sub(/^.*\//, "", path); if (path !~ /^dataplane\.[ch]$/) sub(/\.[ch]$/, "", path); return path }
	BEGIN { words = split(table, word, /[ \n]+/); for (w = 1; w <= words; w++) if (word[w] != "") rank[word[w]] = w }
	$1 ~ /^switchd\/flow_channel\// {
		from = stage($1); to = stage($2)
		if (!(from in rank)) print $1 ": " from " is in no row of `stages`"
		else if ($2 ~ /^switchd\/flow_channel\// && from != to && from != "dataplane.c" && rank[to] >= rank[from])
			print $1 " includes " $2
	}')"

# a header declares what its own .c file defines, and nothing of another one: no umbrella headers
# shellcheck disable=SC2086
complain 'declared in a header that is not its own:' "$(awk '
	function module(path) { sub(/\.[ch]$/, "", path); return path }
	FNR == 1 { text = ""; comment = 0; depth = 0; name = "" }
	{
		line = $0
		gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, "", line)
		if (comment) { if (!match(line, /\*\//)) next; line = substr(line, RSTART + 2); comment = 0 }
		if (match(line, /\/\*/)) { line = substr(line, 1, RSTART - 1); comment = 1 }
		if (line ~ /^#/ || line ~ /^[ \t]*$/) next
	}
	FILENAME ~ /\.c$/ {
		if (line ~ /^\{/) { if (name != "") defined[name] = module(FILENAME); name = ""; next }
		if (line ~ /^[a-z]/) {
			name = ""
			if (line !~ /^static/ && line !~ /;[ \t]*$/ && match(line, /[a-z_][a-z0-9_]*\(/)) name = substr(line, RSTART, RLENGTH - 1)
		}
		next
	}
	{
		if (depth == 0 && line ~ /^[a-z]/) text = ""
		if (depth == 0) text = text " " line
		opened = gsub(/\{/, "{", line); closed = gsub(/\}/, "}", line)
		depth += opened - closed
		if (depth == 0 && line ~ /;[ \t]*$/) {
			if (!opened && !closed && text !~ /^ *(static|typedef|struct [a-z_0-9]+;|enum|extern)/) {
				if (text ~ /\(/ && match(text, /[a-z_][a-z0-9_]*\(/)) declared[substr(text, RSTART, RLENGTH - 1) " " FILENAME] = 1
				else if (text ~ /_fn /) {
					sub(/^ *[a-z_0-9]+_fn /, "", text); gsub(/[;\t ]/, "", text)
					names = split(text, each, ",")
					for (n = 1; n <= names; n++) declared[each[n] " " FILENAME] = 1
				}
			}
			text = ""
		}
	}
	END {
		for (d in declared) {
			split(d, part, " ")
			if (part[1] in defined && defined[part[1]] != module(part[2])) print part[2] ": " part[1] "() is of " defined[part[1]] ".c"
		}
	}' $sources | sort)"

# `make modules` shows the first sentence of each header
# shellcheck disable=SC2086
complain 'a header does not begin with its name, as "/*  NAME - what it is":' "$(awk '
	FNR == 1 && FILENAME ~ /\.h$/ {
		name = FILENAME
		gsub(/^.*\/|\.h$/, "", name)
		if (index($0, "/*  " name " - ") != 1) print FILENAME
	}' $sources)"

# home HEADER FILES: only FILES include <HEADER>
home() {
	# shellcheck disable=SC2086
	complain "<$1> has its home in $2, but is included by:" "$(grep -lE "^#include <$1" $sources | grep -vE "^($2)$")"
}

home liburing 'nodes/clock/event_loop.c'
home protobuf-c 'nodes/control/control.c'
home libfyaml 'orchestrator/base/yaml_reader.c'
home libdeflate 'nodes/wire/crc32.c'
home nettle 'orchestrator/base/sha256.[ch]|orchestrator/tunnel/tunnel_seal.[ch]'
home zlib 'orchestrator/recording/recording_block.c'
home netlink 'orchestrator/hosts/netlink.c'
home civetweb 'orchestrator/view/view_server.c'
home histedit 'orchestrator/prompt/line_editor.c'
home mpi 'rankd/link/transport.c'
home metis 'orchestrator/plan/partition.c'
home heddle/congestion_control.h 'nicd/transport/own_control.c|nodes/process/control_library.c|nodes/stats/control_call.c'
home dlfcn 'nodes/process/control_library.c|preload/dilate/next.c'
home linux/futex 'nodes/clock/futex.[ch]|nodes/clock/event_loop.c|preload/dilate/locks.c'
[ "$status" = 0 ] && echo 'layers: includes point one way, from folder to folder'
exit "$status"
