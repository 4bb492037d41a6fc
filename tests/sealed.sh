#!/usr/bin/env bash
# sealed - runs a system test that may do anything, since a statement of Heddle in it is wrong: in
# namespaces of its own, where it sees no other process, and can write only to its own temporary
# folder (and to $REACH). When it ends, or is killed, all that it started ends too.
# usage: tests/sealed.sh FOLDER PROGRAM...     FOLDER: an empty one, for its temporary files
set -eu

if [ "${SEALED:-}" != yes ]; then
	exec env SEALED=yes unshare --pid --fork --kill-child --mount --mount-proc "$0" "$@"
fi
folder=$1
shift
mount --make-rprivate /
[ -z "${REACH:-}" ] || mount --bind "$REACH" "$REACH" # notes of tests/reach.c
mount -t tmpfs -o mode=1777 none "$folder"
mount -o remount,bind,ro /
export TMPDIR=$folder
exec "$@" </dev/null
