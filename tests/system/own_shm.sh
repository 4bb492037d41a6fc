# own_shm - the test sees a /dev/shm that no other program uses, and a /tmp too if OWN_TMP=yes, but
# not where the test itself is there. Sourced first, by tests that look there for what is left.
# Without the right to mount (an ordinary user) those of all are seen.
if [ "${OWN_SHM:-}" != yes ] && unshare --mount true 2>/dev/null; then
	export OWN_SHM=yes
	own='/dev/shm'
	case ${OWN_TMP:-}:$(realpath "$0") in
	yes:/tmp/*) ;;
	yes:*) own='/dev/shm /tmp' ;;
	esac
	own=$own exec unshare --mount sh -c 'for each in $own; do mount -t tmpfs -o mode=1777 tmpfs "$each" || exit; done
		exec "$0" "$@"' "$0" "$@"
fi
