#!/usr/bin/env bash
# test_attach_containers - two Podman containers without any network become hosts of a running
# fabric (TB-3, TB-15, TB-17): they reach each other and the fabric's own hosts, each by a veth pair
# from its namespace into that of the fabric.
#
#   blue - s1 --- s2 --- s3 - red        h1 ... h6 beside them: topologies/two-racks.yaml
#
# The containers have no image: their root is a folder of links, with this machine's /usr to read.
set -u
. "$(dirname "$0")/common.sh"
. "$top/containers/engine.sh"

for program in podman ping iperf3 jq; do
	command -v $program >/dev/null || { echo "skipped: $program is not installed"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo 'skipped: an ordinary user may not enter a container that is not inside his fabric'; exit 77; }
engine_find
fabric_dir
names=()
cleanup() {
	[ ${#names[@]} = 0 ] || "${engine[@]}" rm --force --time 0 "${names[@]}" >/dev/null 2>&1
	"$heddle" down --all >/dev/null 2>&1
	rm -rf "$scratch"
}
trap cleanup EXIT

# container NAME - starts it; nothing runs in it but a sleep
container() {
	mkdir -p "$scratch/root-$1"/{usr,etc,proc,sys,dev,tmp,run}
	ln -s usr/bin usr/sbin usr/lib usr/lib64 "$scratch/root-$1"
	names+=("heddle-$$-$1")
	"${engine[@]}" run --detach --name "heddle-$$-$1" --network=none --log-driver=none --cap-add NET_RAW \
		--ulimit nofile=1000:1000 --ulimit nproc=1000:1000 -v /usr:/usr:ro --rootfs "$scratch/root-$1" sleep 1000 >"$scratch/container" 2>&1
}
# inside NAME COMMAND... - runs it there; two minutes mean that it hangs
inside() {
	local name=$1
	shift
	timeout 120 "${engine[@]}" exec "heddle-$$-$name" "$@"
}
pid_of() { "${engine[@]}" inspect --format '{{.State.Pid}}' "heddle-$$-$1"; }
# address NAME FAMILY - its address in the fabric, "inet" or "inet6"
address() {
	nsenter --net="/proc/$(pid_of "$1")/ns/net" ip -j addr show |
		jq -r --arg family "$2" '[.[] | select(.ifname != "lo").addr_info[] | select(.family == $family and .scope == "global")][0].local'
}
# interfaces NAME - of the container, beside lo
interfaces() { nsenter --net="/proc/$(pid_of "$1")/ns/net" ip -br link | grep -cv '^lo '; }

container blue && container red || { echo "skipped: podman cannot run a container here: $(tail -n 1 "$scratch/container")"; exit 77; }
fabric_up "$topologies/two-racks.yaml"

check 'no network before' test "$(interfaces blue) $(interfaces red)" = '0 0'
check 'blue joins at s1' run 0 attach blue s1 --pid "$(pid_of blue)"
check 'red joins at s3' run 0 attach -f two-racks red s3 --netns "/proc/$(pid_of red)/ns/net"
check 'a name that is taken is refused' run 1 attach red s2 --pid "$(pid_of blue)"
check 'a process that there is not is refused' run 1 attach green s2 --pid 4194304
reach() { in_the_end inside "$1" ping -c 2 -i 0.2 -w 30 -q "$2"; }
check 'blue reaches red, IPv4' reach blue "$(address red inet)"
check 'blue reaches red, IPv6' reach blue "$(address red inet6)"
check 'red reaches blue' reach red "$(address blue inet)"
check 'red reaches a host of the fabric' reach red 10.0.0.1
check 'a host of the fabric reaches blue' run 0 exec h6 -- ping -c 2 -i 0.2 -w 30 -q "$(address blue inet)"
tcp() {
	inside red iperf3 -s -1 -D && wait_for inside red grep -h ':1451 .* 0A ' /proc/net/tcp /proc/net/tcp6 || return 1
	inside blue iperf3 -c "$(address red inet)" -n 20M -J >"$scratch/iperf" || return 1
	jq -c '.end | {sum_sent, sum_received}' "$scratch/iperf"
	jq -e '.end | .sum_received.bytes > 10e6 and .sum_sent.retransmits < 1000' "$scratch/iperf"
}
check 'iperf3 from blue to red' tcp
cut_off() { ! inside blue ping -c 3 -i 0.2 -w 2 -q "$1"; }
apart() {
	local red
	red=$(address red inet)
	run 0 link s2:s3 down && cut_off "$red" && run 0 link s2:s3 up && reach blue "$red"
}
check 'through the switches: a link goes down and returns' apart
check 'red leaves' run 0 remove red
check 'its interface is gone' test "$(interfaces red)" = 0
check 'blue still reaches h6' reach blue 10.0.0.6
check 'down' run 0 down
check 'the container stays, the interface does not' test "$(interfaces blue)" = 0
check 'nothing is left' sh -c "! ls -A '$HEDDLE_RUNTIME_DIR' | grep ."
finish
