#!/usr/bin/env bash
# test_attach_rootless - a user attaches a rootless Podman container of his to his fabric (TB-15,
# DU-3). Both must be in one user namespace, which is that of Podman: `podman unshare heddle up`.
#
# User 65534 has subordinate ids in files that only the processes of this test see. The container
# has no image: its root is a folder of links, with this machine's /usr to read.
set -u
. "$(dirname "$0")/own_shm.sh"
. "$(dirname "$0")/common.sh"

[ "$(id -u)" = 0 ] || { echo 'skipped: only root can give a user subordinate ids'; exit 77; }
for program in podman runc newuidmap setpriv unshare ping; do
	command -v $program >/dev/null || { echo "skipped: $program is not installed"; exit 77; }
done
nobody=65534
owner=$(id -nu $nobody) || { echo "skipped: user $nobody has no name"; exit 77; }
chmod 711 "$scratch"
programs_copy "$scratch/top"
mkdir -m 700 "$scratch/home" "$scratch/session" "$scratch/session/fabrics"
mkdir -p "$scratch/root"/{usr,etc,proc,sys,dev,tmp,run}
ln -s usr/bin usr/sbin usr/lib usr/lib64 "$scratch/root"
chown -R $nobody "$scratch/home" "$scratch/session" "$scratch/root"
echo "$owner:200000:65536" >"$scratch/ids"
declare -f as_user >"$scratch/as_user"

# user COMMAND... - as user 65534, with subordinate ids
user() {
	# shellcheck disable=SC2016
	(cd / && unshare --mount --propagation private bash -c '
		mount --bind "$1" /etc/subuid && mount --bind "$1" /etc/subgid && shift && . "$0" &&
		as_user '$nobody' HOME="'"$scratch"'/home" XDG_RUNTIME_DIR="'"$scratch"'/session" \
			HEDDLE_RUNTIME_DIR="'"$scratch"'/session/fabrics" "$@"' "$scratch/as_user" "$scratch/ids" "$@")
}
engine() { user podman --runtime runc --cgroup-manager=cgroupfs --log-level=error "$@"; }
h() { user "$scratch/top/heddle" "$@"; }
inside_podman() { engine unshare "$scratch/top/heddle" "$@"; }
at_end 'h down --all >/dev/null 2>&1; inside_podman down --all >/dev/null 2>&1
	engine rm --force --time 0 web >/dev/null 2>&1; engine unshare rm -rf "$scratch/home/.local" >/dev/null 2>&1
	kill $(cat "$scratch"/session/libpod/tmp/pause.pid) 2>/dev/null'

engine run --detach --name web --network=none --log-driver=none --cap-add NET_RAW --ulimit nofile=1000:1000 \
	--ulimit nproc=1000:1000 -v /usr:/usr:ro --rootfs "$scratch/root" sleep 1000 >"$scratch/out" 2>&1 ||
	{ echo "skipped: podman cannot run a rootless container here: $(tail -n 1 "$scratch/out")"; exit 77; }
pid=$(engine inspect --format '{{.State.Pid}}' web)
two_racks=(up "$scratch/top/topologies/two-racks.yaml" --set links.rate=100Mb/s --set links.delay=1ms)

# the container belongs to Podman's user namespace, the fabric to one of its own beside it
refused() {
	h "${two_racks[@]}" >"$scratch/out" 2>&1 || { cat "$scratch/out"; return 1; }
	h attach web s1 --pid "$pid" >"$scratch/out" 2>&1
	[ $? = 1 ] && says out "'podman unshare heddle up SCENARIO'" && h down
}
joins() { inside_podman "${two_racks[@]}" && inside_podman attach web s1 --pid "$pid" >"$scratch/out" && says out 'host web joins at s1'; }

check 'a fabric beside the container is refused, with the remedy' refused
check 'a fabric within podman unshare has it as a host' joins
check 'a host of the fabric reaches the container' in_the_end inside_podman exec h6 -- ping -c 2 -i 0.2 -w 30 -q web
check 'the container reaches a host' in_the_end engine exec web ping -c 2 -i 0.2 -w 30 -q 10.0.0.6
check 'it leaves' inside_podman remove web
check 'its interface is gone' sh -c "! nsenter --net=/proc/$pid/ns/net ip link show heddle0"
check 'the fabric ends' inside_podman down
finish
