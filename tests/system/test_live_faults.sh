#!/usr/bin/env bash
# test_live_faults - changes of a running fabric in which a node takes no part: it is dead, stopped,
# or beyond a link that was taken down (TB-4, TB-22). A refused change leaves everything as it was,
# and names the node that caused it.
#
#   h1, h2 - s1 --- s2 (h3, h4) --- s3 - h5, h6     topologies/two-racks.yaml
set -u
. "$(dirname "$0")/common.sh"

fabric_dir
command -v jq >/dev/null || { echo 'skipped: jq is not installed'; exit 77; }
file=$scratch/two-racks$'\xff'.yaml # not every name of a file is UTF-8
cp "$topologies/two-racks.yaml" "$file"
fabric_up "$file"

on() { local host=$1; shift; timeout 120 "$heddle" exec "$host" -- "$@"; }
reachable() { in_the_end on "$1" ping -c 1 -w 30 -q "$2"; }
unreachable() { ! on "$1" ping -c 1 -W 1 -q "$2"; }
node() { "$heddle" ps --json | jq -r --arg name "$1" --arg key "$2" '.[0].nodes[] | select(.name == $name)[$key]'; }
link_is() { # A B KEY VALUE
	"$heddle" link --json | jq -e --arg a "$1" --arg b "$2" --arg key "$3" --arg value "$4" \
		'.links[] | select(.node_a == $a and .node_b == $b)[$key] | tostring == $value'
}
# becomes NODE STATE
becomes() {
	for _ in $(seq 600); do
		[ "$(node "$1" state)" = "$2" ] && return
		sleep 0.05
	done
	return 1
}
send() { # SIGNAL NODE STATE
	kill "-$1" "$(node "$2" pid)" && becomes "$2" "$3"
}

# ---- a link that was taken down stays down ----

check 'a link goes down' run 0 link s2:s3 down
check 'one end dies' send KILL s3 dead
check 'and starts again' run 0 start s3
check 'the link is still down' link_is s2 s3 state down
check 'nothing crosses it' unreachable h1 h6
check 'it takes a loss all the same' run 0 link s2:s3 set loss=0.000001% delay=3ms
check 'and stays down' unreachable h1 h6
check 'it comes up' run 0 link s2:s3 up
slow() { on h3 ping -c 1 -w 30 -q h6 | sed -n 's|^rtt [^=]*= \([0-9]*\).*|\1|p' | grep -E '^([6-9]|[0-9]{2,})$'; }
check 'with the delay that it was given' slow

# ---- a dead end ----

cpu() { "$heddle" ps --json | jq '.[0].cpu_ns'; }
before=$(cpu)
check 'a switch dies' send KILL s3 dead
check 'the time that it has taken still counts' [ "$(cpu)" -ge "$before" ]
check 'its link is set' run 0 link s2:s3 set delay=1us loss=0
check 'and is not taken up by that' link_is s2 s3 state 'dead end'
check 'it starts again' run 0 start s3
# not h1: its kernel asked for h6 while the link was down, and may be about to give up
check 'with its link' reachable h2 h6
check 'as it was set' link_is s2 s3 delay_ps 1000000

# ---- a stopped one ----

check 'a switch is stopped' send STOP s3 stopped
check 'its link cannot be set' run 1 link s2:s3 set loss=90%
check 'it is named' says err 's3 (pid'
check 'why, too' says err 'is stopped'
check 'the link is as before' link_is s2 s3 loss_ppb 0
check 'a host joins elsewhere' run 0 add host h7 s1
check 'who has not heard of it is named' says out 'switch s3 does not answer'
check 'it reaches the others' reachable h7 h3
check 'no host joins there' run 1 add host h8 s3
check 'for a reason' says err 'switch s3 (pid'
check 'nor a link' run 1 add link s1 s3
check 'its NIC can leave' run 0 remove h6
check 'its link goes down, and it is named' run 1 link s2:s3 down
check 'at the other end' says err 'down, but not at both ends: switch s3 (pid'
check 'and is not in the routes' sh -c "'$heddle' show s2 routes | grep -q . && ! '$heddle' show s2 routes | grep -w s3"
check 'many questions do not wait for it' sh -c "for i in 1 2 3; do '$heddle' show s3 ports && exit 1; done; :"
check 'it goes on' send CONT s3 running
check 'with its link' run 0 link s2:s3 up
check 'and has heard of all' reachable h7 h5
# a busy machine may lose one; with a loss of 90 % one of a hundred pings would come back
most_return() { on h3 ping -c 8 -i 0.02 -W 60 -q h5 | awk '{ print } / received/ { most = $4 >= 4 } END { exit !most }'; }
check 'what was refused has happened at no end' most_return
check 'an answer is to the question' sh -c "'$heddle' show s3 ports | grep -q s2"
check 'a switch is stopped' send STOP s2 stopped
check 'its neighbour dies' send KILL s1 dead
check 'and cannot start' run 1 start s1
check 'whose fault that is' says err 's2 (pid'
check 'it goes on' send CONT s2 running
check 'now it can' run 0 start s1
check 'and carries what it carried' reachable h1 h3
check 'a stopped NIC' send STOP h5 stopped
check 'leaves' run 0 remove h5
check 'the last host left of s3 is gone' sh -c "! '$heddle' ps two-racks | grep -q ' h[56] '"

# ---- words that cannot be sent, and a reader that leaves ----

unread() {
	"$heddle" top -d 0.1 | head -n 1
	[ "${PIPESTATUS[0]}" -lt 128 ] # no signal has ended it
}
check 'top ends in good order when nobody reads it any more' unread

check 'a value that is no UTF-8' run 2 link s1:s2 set rate=1Gb/s$'\xff'
check 'is not left out silently' says err 'is not valid UTF-8'
check 'nor is a neighbour' run 2 add switch s9 s1 $'s\xff'
check 'nor a name' run 2 add host $'h\xff' s1
check 'which says so' says err 'is not valid UTF-8'

# ---- the init process of the hosts ----

init_killed() {
	local pid
	for pid in $(children "$("$heddle" ps --json | jq '.[0].pid')"); do
		[ "$(cat "/proc/$pid/comm")" = heddle-init ] && kill -KILL "$pid" && return
	done
	return 1
}
check "the hosts' init process dies" init_killed
told() { "$heddle" ps | grep 'init process was killed'; }
check 'which is told' wait_for told
check 'and noted' grep -q 'init process is dead' "$HEDDLE_RUNTIME_DIR/two-racks/log"
# no waiting: 'heddle ps' had to wait ten seconds for a program that is started
check 'no program can be started' run 1 exec h1 -- true
check 'for that reason' says err "the hosts' init process is dead: end the fabric and start it again"
check 'nor is there a new host' run 1 add host h9 s1
check 'for the same reason' says err "the hosts' init process is dead"

# ---- no command finds it any more ----

folder_removed() {
	local daemon
	daemon=$("$heddle" ps --json | jq '.[0].pid') && rm -r "$HEDDLE_RUNTIME_DIR/two-racks" && in_the_end gone "$daemon"
}
check 'a fabric ends whose folder is removed' folder_removed
finish
