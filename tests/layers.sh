#!/usr/bin/env bash
# layers - do includes point one way? orchestrator | switchd | nicd -> nodes -> system; tests -> all.
# Each outside library has one home as well.
set -u
status=0

# allowed FOLDER REGEX: includes with quotes in FOLDER match REGEX
allowed() {
	local bad
	bad=$(grep -nE '^#include "' "$1"/*.[ch] "$1"/*/*.[ch] 2>/dev/null | grep -vE "#include \"($2)/")
	[ -z "$bad" ] && return
	echo "layers: $1 may include only $2:"
	echo "$bad"
	status=1
}

# home HEADER FILES: only FILES include <HEADER>
home() {
	local bad
	bad=$(grep -lE "^#include <$1" nodes/*.[ch] nodes/wire/*.[ch] switchd/*.[ch] nicd/*.[ch] orchestrator/*.[ch] |
		grep -vE "^($2)$")
	[ -z "$bad" ] && return
	echo "layers: <$1> has its home in $2, but is included by:"
	echo "$bad"
	status=1
}

allowed nodes 'nodes'
allowed switchd 'nodes|switchd'
allowed nicd 'nodes|nicd'
allowed orchestrator 'nodes|orchestrator'
home liburing 'nodes/event_loop.c'
home protobuf-c 'nodes/control.c'
home libfyaml 'orchestrator/yaml_reader.c'
home libdeflate 'nodes/wire/crc32.c'
home nettle 'orchestrator/sha256.h'
home netlink 'orchestrator/netlink.c'
home linux/futex 'nodes/futex.[ch]|nodes/event_loop.c'
[ "$status" = 0 ] && echo 'layers: includes point one way'
exit "$status"
