#!/usr/bin/env bash
# test_fabric_prompt - `heddle prompt`: programs in hosts and commands of heddle, from a terminal
# and from standard input (DU-4).
#
#   h1, h2 - s1 --- s2 (h3, h4) --- s3 - h5, h6     topologies/two-racks.yaml
set -u
. "$(dirname "$0")/common.sh"

command -v python3 >/dev/null || { echo 'skipped: no python3'; exit 77; }
export XDG_STATE_HOME=$scratch/state TERM=xterm HOME=$scratch
unset EDITRC
fabric_dir
fabric_up "$topologies/two-racks.yaml" --set links.rate=100Mb/s
prompt='< heddle> '

# dialog STATUS DIALOG - these keys and answers
dialog() { printf '%s\n' "$2" | "$top/tests/system/terminal.py" 120x40 "$1" "$heddle" prompt; }
# script STATUS - lines from standard input
script() {
	local wanted=$1 status
	timeout 120 "$heddle" prompt >"$scratch/out" 2>"$scratch/err"
	status=$?
	[ $status = "$wanted" ] || { echo "status $status"; cat "$scratch/err"; return 1; }
}

programs() {
	script 0 <<<'h1 ping -c 1 -w 60 -q h6
h2 echo "a  b" | tr a c   # a comment
ps' && says out '1 received' && says out 'c  b' && says out 'fabric     two-racks'
}
commands() {
	script 0 <<<'link s1:s2 down
link | grep down
link s1:s2 up' && says out ' down '
}
# a host that joins is one, too
joins() { script 0 <<<'add host h9 s1
h9 echo I am $HEDDLE_HOST
remove h9' && says out 'I am h9'; }
statuses() {
	script 7 <<<'h1 exit 7' && script 1 <<<'show s9 ports' && says err 's9' && script 7 <<<'nosuch
h1 exit 7' && says err "nosuch" && script 3 <<<'h1 exit 3
exit
h1 exit 7'
}
# a program does not take the lines that follow it
lines_stay() { script 0 <<<'h1 cat
h1 echo next' && says out next; }
background() {
	script 0 <<<'h6 sleep 612 &
h6 timeout 100 sh -c "until pgrep -f \"sleep 61[2]\"; do sleep 0.1; done"' && ! "$heddle" exec h6 -- pgrep -f 'sleep 61[2]'
}
# the prompt ends before the program has begun
at_once() { script 0 <<<'h6 sleep 613 &' && ! "$heddle" exec h6 -- pgrep -f 'sleep 61[3]'; }
typed() {
	dialog 0 "$prompt
> h1 ec\\x15h1 echo on\$HEDDLE_HOST\\r
< onh1
$prompt
> link s1:\\x15h2 echo \$((40 + 2))\\r
< 42
$prompt
> \\x1b[A\\r
< 42
$prompt
> \\x04"
}
completes() {
	dialog 0 "$prompt
> pin\\t\\r
< pairs answer
$prompt
> show s1 po\\x15exit\\r"
}
stops() {
	dialog 0 "$prompt
> h1 echo begun; exec sleep 600\\r
< echo begun
< begun
> \\x03
$prompt
> h1 echo goes on\\r
< echo goes on
< goes on
$prompt
> \\x03
$prompt
> exit\\r"
}

check 'programs in hosts, with quotes and pipes' programs
check 'commands without the word heddle' commands
check 'the exit status is that of the last line' statuses
# what users of Mininet type
mininet() {
	script 0 <<<'nodes
net
links | grep -c up
dump' && says out 'available nodes are:' && says out 'h1 0:s1' && grep -x 's3 [0-9:hs ]*' "$scratch/out" | grep ':s2' && says out 'running    since' &&
		script 0 <<<'pingall --hosts "h[12]"' && says out '2 of 2 pairs' 
}
check 'words of Mininet' mininet
check 'a host that joins' joins
check 'a program does not take the lines that follow' lines_stay
check 'in the background, until the prompt ends' background
check 'in the background, and the prompt ends at once' at_once
check 'at a terminal: editing, history' typed
check 'at a terminal: TAB' completes
check 'Ctrl-C stops the program, not the prompt' stops
check 'no such fabric' run 2 prompt nosuch
finish
