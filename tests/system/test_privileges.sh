#!/usr/bin/env bash
# test_privileges - what a running fabric may do, and which users may reach it (TB-16, TB-24). Nodes
# have no capabilities and cannot gain any. They run as a user of their own, may make few system
# calls, and hold nothing that they do not need. Files and sockets are their owner's, and other
# users are refused.
#
# Everything twice, if we are root: as root, and rootless as user 65534.
set -u
. "$(dirname "$0")/common.sh"

fabric_dir
for program in jq curl; do
	command -v $program >/dev/null || { echo "skipped: $program is not installed"; exit 77; }
done
other=12345 # a user without any part in it
chmod 711 "$scratch"
programs_copy "$scratch/top"
heddle=$scratch/top/heddle
as() { "$@"; } # as COMMAND... - as the owner of the fabric

# ---- what nodes may do ----

# find_nodes - the pids of the nodes become $nodes; an error unless they are nine that live
find_nodes() {
	nodes=$(as "$heddle" ps --json | jq -r '.[0].nodes[].pid') && [ "$(wc -w <<<"$nodes")" = 9 ] && kill -0 $nodes && return
	echo "nodes: $nodes"
	nodes=none # so that no check below holds for want of a node
	return 1
}

# status_is KEY VALUE - the line of every node's /proc/PID/status
status_is() {
	local pid found
	for pid in $nodes; do
		found=$(grep "^$1:" "/proc/$pid/status" | tr -s '[:space:]' ' ' | sed 's/ $//')
		[ "$found" = "$1:${2:+ $2}" ] || { echo "$(cat "/proc/$pid/comm") $pid has $found, not $1: $2"; return 1; }
	done
}
no_capabilities() {
	local set
	for set in CapInh CapPrm CapEff CapAmb; do
		status_is $set 0000000000000000 || return 1
	done
}
managers() {
	local nodes
	nodes=$(as "$heddle" ps --json | jq -r '.[0].manager | .active, .standby')
	[ "$(wc -w <<<"$nodes")" = 2 ] && no_capabilities && status_is NoNewPrivs 1 && status_is Uid "$user $user $user $user"
}
unkillable() {
	local pid
	for pid in $nodes; do
		! as_user 65534 bash -c "kill -9 $pid" 2>/dev/null && kill -0 "$pid" || { echo "$pid"; return 1; }
	done
}
# the same holds under the virtual clock, whose nodes run for as long as they are looked at
virtual() {
	local heddle_pid
	"$heddle" run "$topologies/two-racks.yaml" --set run.duration=1000s --quiet >/dev/null 2>&1 &
	heddle_pid=$!
	for ((i = 0; i < 1200; i++)); do
		nodes=$(pgrep -P $heddle_pid | tr '\n' ' ')
		[ "$(wc -w <<<"$nodes")" = 9 ] && user=$((1879048192 + heddle_pid)) &&
			status_is Seccomp 2 >/dev/null 2>&1 && break
		sleep 0.05
	done
	no_capabilities && status_is NoNewPrivs 1 && status_is Uid "$user $user $user $user" && status_is Seccomp 2
	i=$?
	kill $heddle_pid
	wait $heddle_pid
	return $i
}
# what a node holds: nothing by which it could reach a file, a process or another node's link
descriptors() {
	local pid allowed='^(/dev/null|socket:\[[0-9]+\]|anon_inode:\[(eventfd|io_uring|timerfd|eventpoll)\]|.*/two-racks/log)$'
	for pid in $nodes; do
		[ -n "$(ls "/proc/$pid/fd")" ] || { echo "cannot see those of $pid"; return 1; }
		! find "/proc/$pid/fd" -type l -printf '%l\n' | grep -vE "$allowed" || return 1
	done
}
# the log is theirs to write, not to read: O_WRONLY is 1
log_only_written() {
	local pid fd logs
	for pid in $nodes; do
		logs=$(find "/proc/$pid/fd" -lname '*/two-racks/log' -printf '%f ')
		[ -n "$logs" ] || { echo "$pid has no log"; ls -l "/proc/$pid/fd"; return 1; }
		for fd in $logs; do
			grep -q '^flags:.*1$' "/proc/$pid/fdinfo/$fd" || { cat "/proc/$pid/fdinfo/$fd"; return 1; }
		done
	done
}

# ---- which users may reach it ----

modes() {
	local wrong
	wrong=$(find "$HEDDLE_RUNTIME_DIR" \( -type d ! -perm 700 -o ! -type d ! -perm 600 -o ! -user "$1" \) -printf '%M %u %p\n')
	[ -z "$wrong" ] && [ -S "$HEDDLE_RUNTIME_DIR/two-racks/control" ] || { echo "$wrong"; return 1; }
}
# another user asks: the directory is closed
directory_closed() {
	local command
	for command in 'ps' 'down' 'exec h1 -- true'; do
		! (cd / && as_user $other HEDDLE_RUNTIME_DIR="$HEDDLE_RUNTIME_DIR" "$heddle" $command) >"$scratch/out" 2>"$scratch/err" &&
			says err "runtime directory $HEDDLE_RUNTIME_DIR: Permission denied" || return 1
	done
}
# even if the directory is opened to all, commands of its owner and of other users refuse to use it
directory_open() {
	local status
	chmod 755 "$HEDDLE_RUNTIME_DIR"
	! as "$heddle" ps >"$scratch/out" 2>"$scratch/err" && says err 'is open to others (mode 755); expected 700' &&
		! (cd / && as_user $other HEDDLE_RUNTIME_DIR="$HEDDLE_RUNTIME_DIR" "$heddle" ps) >"$scratch/out" 2>"$scratch/err" &&
		says err "belongs to user $owner, not to you ($other)"
	status=$?
	chmod 700 "$HEDDLE_RUNTIME_DIR"
	return $status
}
# ask COMMAND... - what the daemon answers at its socket
ask() { "$@" curl -sN --max-time 10 --http0.9 --unix-socket "$HEDDLE_RUNTIME_DIR/two-racks/control" http://fabric/; }
# even at an open socket the daemon answers its owner only: it checks the user of each connection
socket_open() {
	local mine theirs status
	chmod 777 "$HEDDLE_RUNTIME_DIR" "$HEDDLE_RUNTIME_DIR/two-racks" "$HEDDLE_RUNTIME_DIR/two-racks/control"
	mine=$(head -n 1 < <(ask as)) # the daemon would go on listening to its owner
	theirs=$(ask as_user $other)
	status=$?
	chmod 700 "$HEDDLE_RUNTIME_DIR" "$HEDDLE_RUNTIME_DIR/two-racks"
	chmod 600 "$HEDDLE_RUNTIME_DIR/two-racks/control"
	echo "the owner: $mine; $other: $theirs, status $status"
	# 28: no answer in time
	[[ $mine == *error* ]] && [ -z "$theirs" ] && [ $status != 0 ] && [ $status != 28 ]
}
# neither the daemon nor a node has a socket of TCP or UDP, in whatever namespace it is
off_the_network() {
	local pid sockets
	for pid in $nodes $(as "$heddle" ps --json | jq '.[0].pid'); do
		sockets=$(find "/proc/$pid/fd" -lname 'socket:*' -printf '%l\n' | tr -dc '0-9\n')
		[ -n "$sockets" ] || { echo "$pid has no socket at all"; return 1; }
		! awk 'FNR > 1 { print $10 }' "/proc/$pid/net"/{tcp,tcp6,udp,udp6} | grep -Fx "$sockets" || return 1
	done
}
# TB-23: what a node can write is its own or that of one link; so none can forge a word between two
# others
memory_of_two() {
	local pid
	for pid in $nodes; do
		# address, permissions, offset, device, inode, name
		awk '$6 ~ /^\/memfd:/ && $2 ~ /w.s/ { print $4, $5, $6 }' "/proc/$pid/maps" | sort -u
	done >"$scratch/writable"
	# nine statistics pages at least
	[ "$(wc -l <"$scratch/writable")" -ge 9 ] || { cat "$scratch/writable"; return 1; }
	sort "$scratch/writable" | uniq -c | awk '$1 > 2 { print; more = 1 } END { exit more }'
}
all() {
	local medium=$1
	check "$who, $medium: nine nodes" find_nodes
	check "$who, $medium: no capabilities" no_capabilities
	check "$who, $medium: none to gain" status_is NoNewPrivs 1
	# nodes/process/privilege.h: no other fabric's
	user=$((1879048192 + $(as "$heddle" ps --json | jq '.[0].pid')))
	check "$who, $medium: a user of their own" status_is Uid "$user $user $user $user"
	check "$who, $medium: of no group" status_is Gid "$user $user $user $user"
	check "$who, $medium: the managers too" managers
	check "$who, $medium: the processes of nobody cannot kill them" unkillable
	check "$who, $medium: system calls are filtered" status_is Seccomp 2
	check "$who, $medium: nor of another one" status_is Groups ''
	check "$who, $medium: descriptors" descriptors
	check "$who, $medium: the log cannot be read" log_only_written
	check "$who, $medium: no memory that more than two nodes write" memory_of_two
}
# 40 clients that connect and say half a line do not keep others out; those that are refused, since
# none has been silent for long, do not end this
crowded() {
	local crowd status
	perl -MSocket -e '$SIG{PIPE} = "IGNORE"; for (1 .. 40) { socket(my $s, PF_UNIX, SOCK_STREAM, 0); connect($s, sockaddr_un($ARGV[0])) or next;
		syswrite($s, "{\"ask"); push @held, $s } print "held\n"; close(STDOUT); sleep 30' \
		"$HEDDLE_RUNTIME_DIR/two-racks/control" >"$scratch/held" &
	crowd=$!
	wait_for cat "$scratch/held" >/dev/null || { kill $crowd; return 1; }
	sleep 1.2 # a client counts as silent after a second
	as "$heddle" ps --json >/dev/null
	status=$?
	kill $crowd
	wait $crowd
	return $status
}
reach() {
	check "$who: clients that say nothing make room" crowded
	check "$who: nothing listens on the network" off_the_network
	check "$who: directories 700, files and sockets 600" modes "$owner"
	if [ "$(id -u)" = 0 ]; then
		check "$who: another user is refused" directory_closed
		check "$who: a directory that is open to others too" directory_open
		check "$who: the daemon looks who asks" socket_open
	else
		skip "$who: another user is refused" 'we are not root'
	fi
}

# ---- the test ----

if [ "$(id -u)" = 0 ]; then
	who=root owner=0
	# root's other groups must not stay either
	setpriv --groups 4,27 "$heddle" up "$topologies/two-racks.yaml" >"$scratch/up" 2>&1 || fabric_up "$topologies/two-racks.yaml"
	all shm
	reach
	check "$who: under the virtual clock too" virtual
	check "$who: down" run 0 down
	fabric_up "$topologies/two-racks.yaml" --set links.medium=veth
	all veth
	check "$who: down again" run 0 down
	owner=65534
	rm -rf "$HEDDLE_RUNTIME_DIR"
	mkdir -m 700 "$HEDDLE_RUNTIME_DIR"
	chown $owner "$HEDDLE_RUNTIME_DIR"
	as() { (cd / && as_user $owner HEDDLE_RUNTIME_DIR="$HEDDLE_RUNTIME_DIR" "$@"); }
	trap 'as "$heddle" down --all >/dev/null 2>&1; rm -rf "$scratch"' EXIT
else
	owner=$(id -u)
fi
who=rootless
if as "$heddle" up "$scratch/top/topologies/two-racks.yaml" >"$scratch/up" 2>&1; then
	check "$who: nine nodes" find_nodes
	check "$who: no capabilities" no_capabilities
	check "$who: none to gain" status_is NoNewPrivs 1
	check "$who: the user's own" status_is Uid "$owner $owner $owner $owner"
	check "$who: descriptors" descriptors
	reach
	check "$who: down" as "$heddle" down
else
	skip rootless "$(tail -n 1 "$scratch/up")"
fi
finish
