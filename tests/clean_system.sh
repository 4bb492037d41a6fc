# clean_system - for tests/deb.sh and tests/systems.sh: commands in clean systems. The caller sets
# $log, the file for what commands print. Sourced by bash.

fail() {
	echo "$(basename "$0" .sh): $*" >&2
	exit 1
}

# quietly COMMAND... - shows the end of what it printed only if it fails
quietly() {
	"$@" >"$log" 2>&1 </dev/null || { tail -n 40 "$log" >&2; fail "$1 failed"; }
}

# inside FOLDER COMMAND... - in that system, as its root: a chroot alone is no root of mounts
inside() {
	local folder=$1
	shift
	unshare --mount --pid --fork --kill-child bash -c '
		mount --bind "$1" "$1" && mount -t proc proc "$1/proc" && mount -t sysfs sysfs "$1/sys" && mount -t tmpfs tmpfs "$1/run" &&
		mount --rbind /dev "$1/dev" && mount -t tmpfs tmpfs "$1/dev/shm" &&
			cd "$1" && shift && mkdir -p .old && pivot_root . .old && umount -l .old && rmdir .old && exec "$@"' \
		- "$folder" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "$@"
}
