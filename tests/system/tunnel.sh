# tunnel - what tests of a fabric on two machines share (SC-5): two network namespaces, joined by a
# veth pair of MTU 1500, each with a runtime directory of its own.
#
#    machine a                        machine b
#    h1, h2 - s1 ~~~~~ UDP tunnel ~~~~ s2 - s3 - h5, h6
#                                      h3, h4
#
# Sourced with the arguments of the test, which starts itself again in namespaces of its own.
if [ "${1:-}" != inside ]; then
	own=$(dirname "$0")/$(basename "$0")
	[ "$(id -u)" = 0 ] && user=() || user=(--user --map-root-user)
	unshare "${user[@]}" --mount --net true 2>/dev/null ||
		{ echo 'skipped: no namespaces here'; exit 77; }
	exec unshare "${user[@]}" --mount --net bash "$own" inside
fi
. "$(dirname "$0")/common.sh"

mount -t tmpfs none /run && mkdir -p /run/netns && ip netns add a && ip netns add b ||
	{ echo 'skipped: no network namespaces here'; exit 77; }
ip link add va netns a type veth peer name vb netns b
for m in a b; do
	ip -n $m link set lo up
	ip -n $m link set v$m up
	mkdir -m 700 "$scratch/$m"
done
ip -n a addr add 10.99.0.1/24 dev va
ip -n b addr add 10.99.0.2/24 dev vb
for key in key other; do
	od -An -N 32 -tx1 /dev/urandom | tr -d ' \n' >"$scratch/$key"
done

# on MACHINE ARGUMENTS... - heddle on that machine
on() {
	local machine=$1
	shift
	HEDDLE_RUNTIME_DIR=$scratch/$machine ip netns exec "$machine" "$heddle" "$@"
}
at_end 'on a down --all >/dev/null 2>&1; on b down --all >/dev/null 2>&1'

settings=(--set links.rate=100Mb/s --set links.delay=20ms)
machines=(--machines 'a=10.99.0.1,b=10.99.0.2:7117')

# start MACHINE KEY OPTION... - in the background; its output is in $scratch/up.MACHINE
start() {
	local machine=$1 key=$2
	shift 2
	HEDDLE_RUNTIME_DIR=$scratch/$machine timeout 120 ip netns exec "$machine" "$heddle" up \
		"$topologies/two-racks.yaml" "${settings[@]}" "${machines[@]}" --machine "$machine" \
		--key "$scratch/$key" "$@" >"$scratch/up.$machine" 2>&1 &
}

# ps MACHINE FILTER - jq of what `heddle ps` says there
ps() { on "$1" ps --json | jq -r ".[0] | $2"; }
# is MACHINE FILTER - is that true?
is() { [ "$(ps "$1" "$2")" = true ] || { on "$1" ps two-racks; return 1; }; }
# the other machine as MACHINE sees it
beyond='.machines[] | select(.here | not)'

# both_start - both machines, with the same key, in the background
both_start() {
	start a key
	one=$!
	start b key
	two=$!
}
# up - do both run?
up() { wait $one && wait $two || { cat "$scratch"/up.?; return 1; }; }
# both_up - or the end of the test
both_up() {
	both_start
	up && return
	grep -q -e 'ermi' -e 'forbid' "$scratch"/up.? && { echo 'skipped: no fabric can be started here'; exit 77; }
	exit 1
}
