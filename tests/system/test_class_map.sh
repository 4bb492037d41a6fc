#!/usr/bin/env bash
# test_class_map - a program's frames take the traffic class that the scenario's map gives their
# DSCP (DU-7).
#
#   h1 --- s1 --- s2 --- h2       classes bulk (0), voice (DSCP 46 and 32-39), control (2)
#
# What must hold: what h1 sends with a DSCP is counted in that class where s1 sends to s2, IPv4 and
# IPv6. 802.1Q priorities are judged by unit/nodes/wire/test_class_map: not every kernel has VLANs.
set -u
. "$(dirname "$0")/common.sh"

fabric_dir
cat >"$scratch/map.yaml" <<'YAML'
name: map
run: {duration: 1s}
fabric: roce
topology: {switches: [s1, s2], hosts: {h1: s1, h2: s2}, links: [[s1, s2]]}
links: {rate: 50Mb/s, delay: 2ms, mtu: 1514}
classes:
  - {name: bulk, min: 20%, lossless: no}
  - {name: voice, dscp: [46, 32-39], pcp: 5, min: 20%}
  - {name: control}
YAML
fabric_up "$scratch/map.yaml"

# sent CLASS - packets that s1 has sent to s2 in it
sent() {
	"$heddle" ps map --json | jq --arg class "$1" '[.[0].nodes[] | select(.name == "s1").ports[] |
		select(.peer == "s2").classes[]? | select(.class == $class).tx_packets_measured] | add // 0'
}

# in_class CLASS TOS OPTION - the three packets of a ping with this TOS, and no others, are in CLASS
in_class() {
	local before
	in_the_end "$heddle" exec h1 -- ping "$3" -c 1 -w 30 h2 >/dev/null || return 1
	before=$(sent "$1")
	"$heddle" exec h1 -- ping "$3" -c 3 -i 0.2 -Q "$2" -w 60 h2 || return 1
	[ $(($(sent "$1") - before)) -ge 3 ] || { echo "$1 had $before, has $(sent "$1")"; return 1; }
}
only_named() { # voice has had only what the map gives it
	[ "$(sent voice)" -lt 20 ] && [ "$(sent control)" -ge 3 ]
}

check 'DSCP 46 is voice' in_class voice 184 -4
check 'over IPv6 too' in_class voice 184 -6
check 'DSCP 35 is voice' in_class voice 140 -4
check 'DSCP 40 is what it was: the last class' in_class control 160 -4
check 'no DSCP: the first class' in_class bulk 0 -4
check 'and not of others' only_named

# refused TEXT CLASSES - says why
refused() { run 2 check "$scratch/map.yaml" --set "classes=$2" && says err "$1"; }
check 'a DSCP of two classes' refused "DSCP 46 is of two classes, 'a' and 'b'" '[{name: a, dscp: 46}, {name: b, dscp: [40-47]}]'
check 'a DSCP that generated frames of another class have' refused "DSCP 8 is what generated frames of class 'b' carry" '[{name: a, dscp: 8}, {name: b}]'
check 'no DSCP' refused 'expected numbers from 0 to 63' '[{name: a, dscp: [64]}]'
check 'a range the wrong way round' refused 'from the smaller to the larger' '[{name: a, dscp: [39-32]}]'
check 'no priority' refused 'expected numbers from 0 to 7' '[{name: a, pcp: voice}]'
finish
