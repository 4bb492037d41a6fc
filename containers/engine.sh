# shellcheck shell=bash
# engine - which container engine to call, and how; sourced by the other scripts of this folder.
#
# ENGINE names another command line than the one found here, e.g. ENGINE="podman --storage-driver
# overlay" or ENGINE=docker.

# engine_find - sets the array 'engine' to the start of every command line; Return: 1 if there is no
# engine
engine_find() {
	if [ -n "${ENGINE:-}" ]; then
		read -ra engine <<<"$ENGINE"
	elif command -v podman >/dev/null; then
		engine=(podman)
	elif command -v docker >/dev/null; then
		engine=(docker)
	else
		echo "${0##*/}: neither podman nor docker is installed; as root: apt-get install podman" >&2
		return 1
	fi
	engine_for_old_cgroups
}

# crun, Podman's usual runtime, fails where cgroup v1 and v2 are mixed; runc with plain files works
# there
engine_for_old_cgroups() {
	[ "${engine[0]##*/}" = podman ] && [ "$(stat -fc %T /sys/fs/cgroup 2>/dev/null)" != cgroup2fs ] || return 0
	command -v runc >/dev/null && [[ " ${engine[*]} " != *" --runtime"* ]] && engine+=(--runtime runc)
	[[ " ${engine[*]} " == *" --cgroup-manager"* ]] || engine+=(--cgroup-manager=cgroupfs)
}

# engine_is_rootless - is root in the container the caller outside?
engine_is_rootless() {
	[ "${engine[0]##*/}" = podman ] && [ "$(id -u)" != 0 ]
}
