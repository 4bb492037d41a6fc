#!/usr/bin/env bash
# sealed - runs a test that may do anything, since a statement of Heddle in it is wrong: in
# namespaces of its own, where it sees no other process, and can write only to a /tmp of its own, to
# $REACH and to $WRITABLE. When it ends, or is killed, all that it started ends too.
# usage: tests/sealed.sh FOLDER PROGRAM...     FOLDER: an empty one
set -eu

if [ "${SEALED:-}" != yes ]; then
	user=()
	[ "$(id -u)" = 0 ] || user=(--user --map-root-user)
	exec env SEALED=yes unshare ${user[@]+"${user[@]}"} --pid --fork --kill-child --mount --mount-proc "$0" "$@"
fi
folder=$1
shift
mount --make-rprivate /
mount -t tmpfs -o mode=1777 none "$folder"
# what the test needs of the old /tmp stays where it is
for path in "$PWD" "$(dirname "$HEDDLE")" ${REACH:+"$REACH"} ${WRITABLE:+"$WRITABLE"}; do
	case $path in
	/tmp/?*)
		mkdir -p "$folder/${path#/tmp/}"
		mount --bind "$path" "$folder/${path#/tmp/}"
		[ "$path" = "${REACH:-}" ] || [ "$path" = "${WRITABLE:-}" ] || mount -o remount,bind,ro "$folder/${path#/tmp/}"
		;;
	esac
done
for path in ${REACH:+"$REACH"} ${WRITABLE:+"$WRITABLE"}; do # REACH: notes of tests/reach.c
	mount --bind "$path" "$path"
done
mount -o remount,bind,ro /
mount --rbind "$folder" /tmp
cd "$PWD" # the one that is mounted there
export TMPDIR=/tmp
exec "$@" </dev/null
