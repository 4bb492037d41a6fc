# own_shm - the test sees a /dev/shm that no other program uses. Sourced first, by tests that look
# there for what is left. Without the right to mount (an ordinary user) that of all is seen.
if [ "${OWN_SHM:-}" != yes ] && unshare --mount true 2>/dev/null; then
	export OWN_SHM=yes
	exec unshare --mount sh -c 'mount -t tmpfs -o mode=1777 tmpfs /dev/shm && exec "$0" "$@"' "$0" "$@"
fi
