#!/usr/bin/env bash
# test_rootless - real programs over three switches, as an ordinary user (TB-15, TB-16, TB-22):
# test_hosts, test_up_down and test_many_hosts once more, brief.
#
# Tests often run as root, which needs no user namespace. Here everything is done again as user
# 65534, with a home and a runtime directory of its own. Where the kernel denies user namespaces to
# users, heddle must name the setting that does and leave nothing; the rest is skipped.
set -u
. "$(dirname "$0")/own_shm.sh"
. "$(dirname "$0")/common.sh"

[ "$(id -u)" = 0 ] || { echo 'skipped: we are an ordinary user already, so every test is this one'; exit 77; }
command -v setpriv >/dev/null || { echo 'skipped: setpriv is not installed'; exit 77; }
nobody=65534
chmod 711 "$scratch"
programs_copy "$scratch/top"
mkdir -m 700 "$scratch/home" "$scratch/session"
chown $nobody "$scratch/home" "$scratch/session"
trap 'user "$scratch/top/heddle" down --all >/dev/null 2>&1; rm -rf "$scratch"' EXIT

# user COMMAND... - as user 65534
user() {
	(cd / && as_user $nobody HOME="$scratch/home" XDG_RUNTIME_DIR="$scratch/session" TMPDIR="$scratch/home" "$@")
}
# again NAME [VARIABLE=VALUE...] - that test, as user 65534; its own lines are ours
again() {
	local name=$1 status
	shift
	user "$@" "$scratch/top/tests/system/$name.sh" >"$scratch/$name" 2>&1
	status=$?
	sed "s/^\(ok  *\|FAILED  *\|skipped  *\)/\1$name: /" "$scratch/$name"
	[ $status != 77 ] || { skip "$name" "$(tail -n 1 "$scratch/$name")"; return; }
	check "$name as an ordinary user" test $status = 0
}

refused() {
	grep -qE "heddle up: .* is refused \(.*\).*(sysctl|--cap-add|this kernel has no)" "$scratch/up" || { cat "$scratch/up"; return 1; }
}

is_rootless() {
	local pid user
	pid=$(user "$scratch/top/heddle" ps --json | jq '.[0].pid')
	user=$(stat -c %u "/proc/$pid")
	[ "$user" = $nobody ] && [ "$(readlink "/proc/$pid/ns/user")" != "$(readlink /proc/self/ns/user)" ] ||
		{ echo "process $pid, user $user"; return 1; }
}

user "$scratch/top/heddle" up "$scratch/top/topologies/two-racks.yaml" >"$scratch/up" 2>&1
status=$?
if [ $status = 0 ]; then
	check 'the fabric is the user'\''s, in a user namespace' is_rootless
	check 'its directory is in that of the session' test -d "$scratch/session/heddle/two-racks"
	check 'and is gone afterwards' user sh -c "'$scratch/top/heddle' down && ! ls -A '$scratch/session/heddle' | grep ."
	again test_hosts BRIEF=1
	again test_up_down ROUNDS=4
	again test_many_hosts
else
	check 'what is forbidden is said' refused
	check 'with status 4' test $status = 4
	skip 'the rest' "$(cat "$scratch/up")"
fi
check 'nothing is left in the home' sh -c "! ls -A '$scratch/home' '$scratch/session/heddle' 2>/dev/null | grep -v :$ | grep ."
finish
