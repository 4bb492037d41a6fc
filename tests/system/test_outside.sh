#!/usr/bin/env bash
# test_outside - hosts that reach the machine's network, by slirp4netns (DU-3): of a fabric of root
# and of an ordinary user.
#
#   web server 192.0.2.1 - machine's network - slirp4netns = outside0 - h1 --- fabric --- h2
#
# The machine's network is a namespace of this test, with one address beside loopback. Only the host
# that is connected reaches the server there; not the machine's 127.0.0.1. The program ends with the
# connection, the host and the fabric, and with a daemon that is killed; one that dies is named.
set -u
. "$(dirname "$0")/common.sh"

for program in slirp4netns curl python3 setpriv unshare jq; do
	command -v $program >/dev/null || { echo "skipped: $program is not installed"; exit 77; }
done
[ -w /dev/net/tun ] || { echo 'skipped: no /dev/net/tun, which slirp4netns needs'; exit 77; }
[ "$(id -u)" = 0 ] || { echo 'skipped: only root can make a network that stands for that of the machine'; exit 77; }
if [ -z "${OUTSIDE_NETWORK:-}" ]; then
	rm -rf "$scratch"
	OUTSIDE_NETWORK=own exec unshare --net --mount "$0"
fi

nobody=65534
server=http://192.0.2.1:8000/
# any user may open the device here, as where udev makes it
device=$scratch/tun
mknod -m 666 "$device" c 10 200 && mount --bind "$device" /dev/net/tun
ip link set lo up && ip addr add 192.0.2.1/32 dev lo || exit 1
chmod 711 "$scratch"
programs_copy "$scratch/top"
mkdir "$scratch/site" && echo 'the outside' >"$scratch/site/index.html"
python3 -m http.server 8000 --directory "$scratch/site" >/dev/null 2>&1 &
at_end "kill $!"
answers() { curl -s "$server"; }
wait_for answers >"$scratch/out" || { cat "$scratch/out"; exit 1; }

# the fabrics of root, or of an ordinary user: as USER_OF is
user_of=
search=$PATH
h() {
	if [ -z "$user_of" ]; then
		env PATH="$search" HEDDLE_RUNTIME_DIR="$scratch/run" "$scratch/top/heddle" "$@"
	else
		(cd / && as_user $user_of PATH="$search" HEDDLE_RUNTIME_DIR="$scratch/session" "$scratch/top/heddle" "$@")
	fi
}
h_run() {
	local wanted=$1 status
	shift
	h "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
	status=$?
	[ $status = "$wanted" ] || { echo "heddle $*: $status"; cat "$scratch/out" "$scratch/err"; return 1; }
}
mkdir -m 700 "$scratch/run" "$scratch/session"
chown $nobody "$scratch/session"
at_end 'user_of=; h down --all >/dev/null 2>&1; user_of=$nobody; h down --all >/dev/null 2>&1'

up() {
	h up "$scratch/top/topologies/two-racks.yaml" >"$scratch/up" 2>&1 && return
	cat "$scratch/up"
	return 1
}
reaches() { h_run 0 exec "$1" -- curl -s -m 20 "$server" && says out 'the outside'; }
cut_off() { ! h exec "$1" -- curl -s -m 20 "$server"; }
pid_of() { h outside --json | jq -er ".outside[] | select(.host == \"$1\").pid"; }
loopback_closed() { ! h exec h1 -- curl -s -m 5 http://198.19.255.2:8000/; }
inner() { h_run 0 exec h1 -- ping -c 1 -w 30 -q 10.0.0.6; }
listed() { h_run 0 outside && says out 'h1           outside0, pid '; }
stays() { h_run 1 outside h1 on && says err 'connected already' && reaches h1; }
names() { h_run 0 exec "$1" -- cat /etc/resolv.conf && says out "$2"; }
off() {
	local pid
	pid=$(pid_of h1) && h_run 0 outside h1 off && gone "$pid" && cut_off h1 &&
		! h exec h1 -- ip link show outside0
}
# the host has a default route of its own
own_route() {
	h exec h3 -- ip route add default via 10.0.0.1 && h_run 0 outside h3 on && says out 'default route is its own' &&
		h exec h3 -- ip route show default | grep -q 'via 10.0.0.1' && h_run 0 outside h3 off
}
dies() {
	h_run 0 outside h1 on && kill -9 "$(pid_of h1)" && in_the_end dead_listed && h_run 0 outside h1 on && reaches h1
}
dead_listed() { h_run 0 outside && says out 'h1           dead: killed by signal 9'; }
with_host() {
	local pid
	h_run 0 outside h2 on && pid=$(pid_of h2) && h_run 0 remove h2 && gone "$pid"
}
with_fabric() {
	local pid
	pid=$(pid_of h1) && h_run 0 down && gone "$pid"
}
# the process that has started it
with_connector() {
	local pid daemon
	up && h_run 0 outside h1 on && daemon=$(h ps two-racks --json | jq ".[0].pid") || return 1
	for pid in $(children "$daemon"); do
		[ "$(cat "/proc/$pid/comm")" != heddle-outside ] || kill -9 "$pid"
	done
	in_the_end connector_listed && h_run 1 outside h1 on && says err 'has ended: end the fabric and start it again' &&
		names h2 'no name server' && h_run 0 down
}
connector_listed() { h_run 0 outside && says out 'h1           dead: heddle-outside is dead'; }
# however the daemon ends
with_daemon() {
	local pid daemon
	up && h_run 0 outside h1 on && pid=$(pid_of h1) && daemon=$(h ps two-racks --json | jq ".[0].pid") || return 1
	kill -9 "$daemon" && in_the_end gone "$pid" "$daemon"
}
missing() {
	local search=$scratch/site
	up && h_run 1 outside h1 on &&
		says err 'slirp4netns is not installed; as root: apt-get install slirp4netns' && h_run 0 down
}
no_device() {
	chmod 600 "$device"
	up && h_run 1 outside h1 on &&
		says err 'slirp4netns needs /dev/net/tun: Permission denied; as root: chmod 666 /dev/net/tun' && h_run 0 down
}

# the same, said in the scenario: h1 is connected from the start
cat >"$scratch/outside.yaml" <<'EOF'
name: two-racks
run: {duration: 1s}
topology: {switches: [s1], hosts: {h1: {switch: s1, outside: yes}, h2: s1}}
EOF
chmod a+r "$scratch/outside.yaml"
resolves() {
	h_run 0 exec h1 -- cat /etc/resolv.conf && says out 'nameserver 198.19.255.3' &&
		h_run 0 exec h2 -- cat /etc/resolv.conf && ! grep 198.19 "$scratch/out"
}
in_scenario() {
	h_run 0 up "$scratch/outside.yaml" && reaches h1 && cut_off h2 && resolves && with_fabric
}
in_scenario_missing() {
	local search=$scratch/site
	h_run 4 up "$scratch/outside.yaml" && says err 'host h1: slirp4netns is not installed'
}

for user_of in '' $nobody; do
	name=${user_of:+rootless, }
	if [ -n "$user_of" ] && ! as_user $nobody test -w /dev/net/tun; then
		skip "${name}the outside" 'only root may open /dev/net/tun'
		finish
	fi
	if ! up; then
		forbidden up && { skip "${name}fabric" "$(tail -n 1 "$scratch/up")"; continue; }
		exit 1
	fi
	check "${name}no host reaches the outside" cut_off h1
	check "${name}h1 is connected" h_run 0 outside h1 on
	check "${name}it reaches the server" reaches h1
	check "${name}h2 does not" cut_off h2
	check "${name}nor does h1 reach the machine's loopback" loopback_closed
	check "${name}h1 still reaches the fabric" inner
	check "${name}it is listed" listed
	check "${name}a second time is refused and changes nothing" stays
	check "${name}a switch has no outside" h_run 1 outside s1 on
	check "${name}its resolver is that of the connection" names h1 'nameserver 198.19.255.3'
	check "${name}that of another host stays" names h2 'no name server'
	check "${name}off" off
	check "${name}and its resolver is gone" names h1 'no name server'
	check "${name}a default route of the host stays" own_route
	check "${name}a program that dies is named, and can be started again" dies
	check "${name}it ends with its host" with_host
	check "${name}and with the fabric" with_fabric
	check "${name}and with the process that started it, which is named" with_connector
	check "${name}and with a daemon that is killed" with_daemon
	check "${name}a missing program is named with its package" missing
	check "${name}outside: yes in the scenario" in_scenario
	check "${name}which is refused without the program" in_scenario_missing
done
check "rootless, a device that is not the user's to open is named" no_device
finish
