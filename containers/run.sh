#!/usr/bin/env bash
# run - runs a scenario in the image, with no network, no capability and nothing to write to but the
# current folder.
#
# usage: containers/run.sh SCENARIO [options of heddle run]       exit status: that of heddle run
# e.g.   containers/run.sh topologies/parking-lot.yaml --json result.json
#
# The command line is printed before it runs, so that it can be copied. Files that the options name
# are in the current folder.
# IMAGE       another image than localhost/heddle, which is built if it is not there
# SECCOMP     another seccomp profile than containers/seccomp.json; "default": the engine's own,
#             which refuses io_uring
# RUN_OPTIONS more options for the engine, e.g. "--cpus 2"
# ENGINE      another engine, see engine.sh
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
image=${IMAGE:-localhost/heddle}
seccomp=${SECCOMP:-$here/seccomp.json}
. "$here/engine.sh"

fail() {
	echo "run: $*" >&2
	exit 2
}

# at_most NUMBER LIMIT - the smaller one; the engine may not raise what this shell may not
at_most() {
	if [ "$2" != unlimited ] && [ "$2" -lt "$1" ]; then echo "$2"; else echo "$1"; fi
}

# options SCENARIO - fills the array 'options' with all options of the container
options() {
	local descriptors processes more
	descriptors=$(at_most 20000 "$(ulimit -Hn)")
	processes=$(at_most 4096 "$(ulimit -Hu)")
	options=(--rm -i --log-driver=none --network=none --read-only --cap-drop=all --security-opt no-new-privileges
		--security-opt label=disable --ulimit "nofile=$descriptors:$descriptors" --ulimit "nproc=$processes:$processes"
		-v "$(realpath "$(dirname "$1")"):/scenario:ro" -v "$PWD:/mnt" -w /mnt)
	[ "$seccomp" = default ] || options+=(--security-opt "seccomp=$seccomp")
	# without this, what heddle writes would be root's
	engine_is_rootless || options+=(--user "${SUDO_UID:-$(id -u)}:${SUDO_GID:-$(id -g)}")
	read -ra more <<<"${RUN_OPTIONS:-}"
	options+=("${more[@]}")
}

case ${1:-} in
'' | -h | --help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; exit 0 ;;
-*) fail "the scenario comes first: containers/run.sh SCENARIO $*" ;;
esac
scenario=$1
shift
[ -r "$scenario" ] || fail "$scenario: no such file, or not readable"
[ "$seccomp" = default ] || [ -r "$seccomp" ] || fail "$seccomp: no such seccomp profile; containers/seccomp.sh makes one"
engine_find
"${engine[@]}" image inspect "$image" >/dev/null 2>&1 || "$here/build-image.sh" "$image" >&2
options "$scenario"
command=("${engine[@]}" run "${options[@]}" "$image" heddle run "/scenario/$(basename "$scenario")" "$@")
echo "+$(printf ' %q' "${command[@]}")" >&2
exec "${command[@]}"
