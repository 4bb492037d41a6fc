#!/usr/bin/env bash
# test_refused - a kernel or a sandbox forbids something. Either `heddle up` names the step that
# failed, why, and what to do, ends with status 4 and leaves nothing. Or it has another method and
# uses it, and then the fabric works (TB-5, TB-16, TB-22).
#
# System calls are refused by a seccomp filter (forbid.c), namespaces by the limits of a user
# namespace of ours, rights by taking capabilities away.
set -u
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/refused.sh"

fabric_dir
fabric=$topologies/two-racks.yaml
forbid=$top/build/release/system/forbid
fabric_up "$fabric"
"$heddle" down >"$scratch/down" 2>&1
"$forbid" memfd -- true || { echo 'skipped: seccomp filters do not work here'; exit 77; }

# sandboxed WHAT - as a sandbox that forbids it
sandboxed() { "$forbid" "$1" -- "$heddle" up "$fabric"; }

# ---- a sandbox refuses system calls ----

advice='if a sandbox forbids it'
profile='is refused \(Operation not permitted\)'
check 'io_uring: the nodes have another loop' works sandboxed io_uring
check 'setns' refused "network namespace.*: Operation not permitted; $advice" sandboxed setns
check 'mount' refused "mounts private $profile" sandboxed mount
check 'packet sockets' refused "host h1: packet sockets .*: Operation not permitted; $advice" sandboxed packet-sockets
check 'netlink' refused "interface .*: Operation not permitted; $advice" sandboxed netlink
check 'memfd' refused "shared memory for the clock: Operation not permitted; $advice" sandboxed memfd
check 'eventfd' refused "switch s1.*: Operation not permitted; $advice" sandboxed eventfd
check 'pid namespaces' refused "a pid and mount namespace $profile" sandboxed pid-namespaces
check 'namespaces at all' refused "namespace $profile" sandboxed unshare
if [ "$(id -u)" = 0 ]; then
	check 'user namespaces: root needs none' works sandboxed user-namespaces
	check 'the loss of privileges' refused "switch s1.* privileges cannot be given up: Operation not permitted; $advice" sandboxed capset
else
	check 'user namespaces' refused "a user namespace $profile" sandboxed user-namespaces
fi

# a program in a host: the fabric goes on
"$heddle" up "$fabric" >"$scratch/up" 2>&1
entering() {
	"$forbid" setns -- "$heddle" exec h1 -- true 2>"$scratch/err"
	[ $? = 126 ] && says err "heddle exec: entering the host's" && run 0 exec h1 -- ping -c 1 -w 30 -q h6
}
check 'entering a host: status 126' entering
check 'down' run 0 down

# ---- the kernel's limits, in a user namespace of our own ----

# limited KIND [COMMAND...] - no more namespaces of that kind; COMMAND takes rights away
limited() {
	local kind=$1
	shift
	unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_'"$kind"'_namespaces && exec "$@"' sh "$@" "$heddle" up "$fabric"
}
limit='No space left on device.*sysctl user\.max_user_namespaces'
if unshare -Ur true 2>/dev/null; then
	check 'no network namespaces any more' refused "a network namespace is refused .$limit" limited net
	check 'no pid namespaces' refused "a pid and mount namespace is refused .$limit" limited pid
	check 'no mount namespaces' refused "a pid and mount namespace is refused .$limit" limited mnt
	check 'no user namespaces, for who has no rights' refused "a user namespace is refused .$limit" limited user setpriv --bounding-set=-all
	check 'no user namespaces, for who needs none' works limited user
else
	skip 'the limits of namespaces' "user namespaces are not allowed: $(unshare -Ur true 2>&1)"
fi

# ---- fewer capabilities ----

if [ "$(id -u)" = 0 ] && unshare -Ur true 2>/dev/null; then
	for right in sys_admin net_admin net_raw sys_chroot; do
		check "root without CAP_${right^^} takes a user namespace" works setpriv --bounding-set=-$right "$heddle" up "$fabric"
	done
	check 'root without any, not even to map itself' refused 'needs CAP_SETFCAP.*--cap-add SETFCAP.*--user' \
		setpriv --bounding-set=-all "$heddle" up "$fabric"
else
	skip 'root with fewer capabilities' 'we are not root, or there are no user namespaces'
fi
finish
