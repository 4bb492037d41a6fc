#!/usr/bin/env bash
# test_rooms - each host of a running fabric has processes, folders and a name of its own, and its
# programs do not get out (DU-1, DU-3). For a fabric of root, and for one of user 65534, with
# subordinate ids.
#
#   h1 and h2 at one switch; in both Debian's nginx with its own configuration
set -u
. "$(dirname "$0")/common.sh"

fabric_dir
two_racks=(up "$topologies/two-racks.yaml" --set links.rate=100Mb/s --set links.delay=1ms)

# the owner of the fabric calls heddle
h() { "$heddle" "$@"; }
on() { local host=$1; shift; h exec "$host" -- "$@"; }

# what servers of one host write is not seen in the other one, nor on the machine
folders() {
	local dir
	on h1 sh -c 'for d in /tmp /run /dev/shm /var/log; do echo x >$d/test-rooms || exit 1; done' || return 1
	for dir in /tmp /run /dev/shm /var/log; do
		on h1 test -s "$dir/test-rooms" && ! on h2 test -e "$dir/test-rooms" && [ ! -e "$dir/test-rooms" ] || { echo "$dir"; return 1; }
	done
}

# a folder of the machine's /tmp is visible once a command names it, here in a line for the shell
named() {
	local folder
	folder=$(mktemp -d) && chmod 755 "$folder" && echo machine >"$folder/file"
	! on h1 sh -c 'ls /tmp' | grep -q "${folder##*/}" && [ "$(on h1 sh -c "cat '$folder/file'")" = machine ]
	local status=$?
	rm -r "$folder"
	return $status
}

# each host sees its own processes only, and can end them only
processes() {
	on h1 sh -c 'setsid sleep 7654 >/dev/null 2>&1 </dev/null &' && wait_for on h1 pgrep -x sleep &&
		! on h2 pgrep -x sleep && on h2 sh -c 'pkill -x sleep; true' && on h1 pgrep -x sleep &&
		! on h2 sh -c 'cat /proc/[0-9]*/comm' | grep -vx -e cat -e sh -e heddle-init &&
		on h1 pkill -x sleep
}

# a name that no file has fails at once, without a resolver of the machine
resolver() {
	on h1 sh -c '! grep -q ^nameserver /etc/resolv.conf' && [ "$(on h1 cat /etc/hostname)" = h1 ] &&
		[ "$(on h2 hostname)" = h2 ] && ! timeout 60 "$heddle" exec h1 -- getent hosts no-such-name.example
}

# a program that takes the first address reaches a server that has IPv4 only
ipv4_first() { [ ! -e /etc/gai.conf ] || on h1 getent ahosts h2 | head -n 1 | grep -F '10.0.0.2 '; }

pages() { on h3 curl -s -o /dev/null -w '%{http_code}' "http://$1/"; }
nginx_listens() { [ "$(pages "$1")" = 200 ] && echo "$1"; }
nginx_gone() { ! on "$1" pgrep -x nginx >/dev/null && echo gone; }

# Debian's nginx as it is, in two hosts; the end of one is not that of the other
nginx_two() {
	on h1 nginx && on h2 nginx && wait_for nginx_listens h1 && wait_for nginx_listens h2 || { on h1 cat /var/log/nginx/error.log; return 1; }
	on h1 nginx -s stop && wait_for nginx_gone h1 && [ "$(pages h2)" = 200 ] && [ "$(pages h1)" != 200 ] &&
		on h2 test -s /var/log/nginx/access.log && ! on h1 grep h2 /var/log/nginx/error.log &&
		on h2 nginx -s stop && wait_for nginx_gone h2
}

# redis and dnsmasq as they are: their folders and users are there
redis() {
	on h1 sh -c 'redis-server --daemonize yes --protected-mode no --dir /var/lib/redis >/dev/null' &&
		wait_for on h2 redis-cli -h h1 ping && on h1 redis-cli save && on h1 test -s /var/lib/redis/dump.rdb &&
		! on h2 test -e /var/lib/redis/dump.rdb && on h1 redis-cli shutdown nosave
}
# /etc/resolv.conf is the host's own too
dnsmasq_answers() { on h2 sh -c 'echo nameserver 10.0.0.1 >/etc/resolv.conf; getent ahostsv4 name.test' | grep 10.9.8.7; }
dnsmasq() {
	on h1 dnsmasq --no-resolv --no-hosts --address=/name.test/10.9.8.7 && wait_for dnsmasq_answers &&
		on h1 pkill -x dnsmasq
}
sshd_answers() {
	on h2 ssh -o BatchMode=yes -o ConnectTimeout=10 -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -i /tmp/ssh/user h1 hostname 2>/dev/null |
		grep -x h1
}
sshd() {
	local host
	on h1 sh -c 'mkdir -p /run/sshd /tmp/ssh && ssh-keygen -q -N "" -t ed25519 -f /tmp/ssh/host && ssh-keygen -q -N "" -t ed25519 -f /tmp/ssh/user' || return 1
	on h1 sh -c '"$(command -v sshd)" -h /tmp/ssh/host -o StrictModes=no -o AuthorizedKeysFile=/tmp/ssh/user.pub' || return 1
	on h2 mkdir -m 700 /tmp/ssh && on h1 cat /tmp/ssh/user | on h2 sh -c 'umask 077; cat >/tmp/ssh/user' && wait_for sshd_answers && on h1 pkill -x sshd
}

# from inside of a host programs can be started in another one, though none can be entered
by_request() {
	local program=$heddle
	[ "$who" = root ] || program=$scratch/top/heddle
	[ "$(on h1 "$program" exec h2 -- sh -c 'hostname; cat; exit 0' <<<'input')" = "$(printf 'h2\ninput')" ] &&
		{ on h1 "$program" exec h2 -- sh -c 'exit 7'; [ $? = 7 ]; } &&
		{ on h1 "$program" exec h2 -- /no/such >"$scratch/out" 2>&1; [ $? = 126 ]; } && says out 'cannot run /no/such' &&
		[ "$(on h1 "$program" exec --rsh h2 'echo $HEDDLE_HOST')" = h2 ] && ! on h1 "$program" exec s1 -- true &&
		! on h1 "$program" outside h1 on 2>"$scratch/err" && says err 'refused to programs inside of a host' &&
		! on h1 "$program" attach x s1 --pid 1 2>"$scratch/err" && says err 'refused to programs inside of a host'
}
sleeps() { on h2 pgrep -f '^sleep 7655$'; }
sleeps_no_more() { sleeps >/dev/null || echo ended; }
by_request_ends() {
	local program=$heddle
	[ "$who" = root ] || program=$scratch/top/heddle
	on h1 timeout 1 "$program" exec h2 -- sleep 7655 >/dev/null &
	wait_for sleeps && wait && wait_for sleeps_no_more
}

# ---- what could lead out ----

# refused HOST COMMAND... - it fails there, in a shell that says so
refused() {
	on "$1" sh -c "$2" >"$scratch/refused" 2>&1 && { echo "not refused: $2"; cat "$scratch/refused"; return 1; }
	[ "$(on "$1" echo works)" = works ]
}
no_namespaces() {
	local pid
	pid=$(h ps --json | jq '.[0].pid')
	# there is no process of another host or of the machine to enter; the own ones give nothing
	refused h1 "test -e /proc/$pid/ns/mnt" && refused h1 'nsenter -t 1 -m -p true' && refused h1 'nsenter -t 1 -n true' &&
		refused h1 'unshare -m true' && refused h1 'ls -l /proc/1/fd/' && refused h1 'cat /proc/1/environ' && refused h1 'ls /proc/1/root/'
}
no_mounts() {
	refused h1 'mount -o remount,rw /proc/sys' && refused h1 'mount -o remount,bind,rw /sys' && refused h1 'mount -t proc proc /mnt' &&
		refused h1 'umount /proc/sys' && refused h1 'umount /tmp' && refused h1 'mount --bind / /mnt' &&
		refused h1 'unshare -Urm mount -o remount,bind,rw /proc/sys' && refused h1 'unshare -Urm umount /proc/sys' &&
		refused h1 'unshare -Urmpf mount -t proc proc /proc'
}
no_kernel() {
	refused h1 'echo 1 >/proc/sys/kernel/panic' && refused h1 'echo h >/proc/sysrq-trigger' && refused h1 'echo x >/sys/power/state' &&
		refused h1 'echo core >/proc/sys/kernel/core_pattern' && refused h1 'modprobe dummy' && refused h1 'dmesg' &&
		refused h1 'hostname other' && refused h1 'head -c 1 /proc/kcore' && refused h1 'date -s 2001-01-01' && on h1 sysctl -qw net.ipv4.ip_forward=1
}
no_devices() {
	refused h1 'mknod /tmp/disk b 8 0' && refused h1 'mknod /dev/mem c 1 1' && refused h1 'ls /dev/kmsg /dev/mem' &&
		on h1 sh -c 'test -c /dev/null && head -c 1 /dev/urandom >/dev/full; : >/dev/null && test -c /dev/pts/ptmx'
}
# the folder of fabrics is there for heddle to ask, not to be changed
no_runtime() {
	refused h1 'touch "$HEDDLE_RUNTIME_DIR/two-racks/file"' && refused h1 'mkdir "$HEDDLE_RUNTIME_DIR/two-racks/programs"' &&
		refused h1 'rm "$HEDDLE_RUNTIME_DIR/two-racks/control"' && refused h1 'mv "$HEDDLE_RUNTIME_DIR/two-racks" "$HEDDLE_RUNTIME_DIR/other"'
}
# the signals of one host do not reach what is the machine's, or another host's
no_signals() {
	local pid
	sleep 7656 &
	pid=$!
	on h2 sh -c 'setsid sleep 7656 >/dev/null 2>&1 </dev/null &' || return 1
	refused h1 "kill -9 $pid" && on h1 sh -c 'kill -9 -1; true'
	kill -0 $pid && on h2 pgrep -x sleep && [ "$(on h1 echo lives)" = lives ]
	local status=$?
	kill $pid
	on h2 pkill -x sleep
	return $status
}
# more than the limits that the caller has
no_limits() { refused h1 'ulimit -Hn 64 && ulimit -Hn 128'; }
chroot_out() {
	on h1 python3 -c 'import os
os.makedirs("/tmp/jail/inner"); os.chdir("/tmp/jail"); os.chroot("/tmp/jail/inner")
for _ in range(64): os.chdir("..")
os.chroot(".")
assert os.path.exists("/proc/1/comm") and open("/proc/1/comm").read() == "heddle-init\n" and len([p for p in os.listdir("/proc") if p.isdigit()]) == 2'
}

# ---- ends ----

sleepers() { pgrep -f '^sleep 7657$'; }
no_sleepers() { sleepers >/dev/null || echo none; }
# with the init process of a host its programs end, no others; the host has a new one at once
init_killed() {
	local init
	on h1 sh -c 'setsid sleep 7657 >/dev/null 2>&1 </dev/null &' && on h2 sh -c 'setsid sleep 7658 >/dev/null 2>&1 </dev/null &' &&
		wait_for sleepers >/dev/null || return 1
	init=$(for pid in $(pgrep -x heddle-init); do [ "$(readlink "/proc/$pid/ns/pid")" = "$(readlink "/proc/$(sleepers)/ns/pid")" ] && echo "$pid"; done)
	kill -9 "$init" && wait_for no_sleepers && pgrep -f '^sleep 7658$' && [ "$(on h1 cat /proc/1/comm)" = heddle-init ] && on h1 test ! -e /tmp/jail &&
		on h2 pkill -x sleep
}
removed() {
	on h6 touch /tmp/mine && on h6 sh -c 'setsid sleep 7657 >/dev/null 2>&1 </dev/null &' && wait_for sleepers >/dev/null && h remove h6 && no_sleepers | grep none &&
		h add host h6 s3 && [ "$(on h6 hostname)" = h6 ] && ! on h6 test -e /tmp/mine
}
# the fabric's init process is stopped for longer than the daemon waits: its late answer is neither
# taken for its end nor for that to the next request
init_stopped() {
	local init
	init=$(pgrep -P "$(h ps --json | jq '.[0].pid')" -x heddle-init) && kill -STOP "$init" || return 1
	h add host late s3 2>"$scratch/err"
	local status=$?
	kill -CONT "$init"
	[ $status != 0 ] && says err 'Connection timed out' && h add host later s3 && [ "$(on later hostname)" = later ] && h remove later
}
daemon_killed() {
	local inits
	on h1 sh -c 'setsid sleep 7657 >/dev/null 2>&1 </dev/null &' && wait_for sleepers >/dev/null && pid=$(h ps --json | jq '.[0].pid') || return 1
	inits=$(descendants "$pid")
	[ "$(wc -w <<<"$inits")" -ge 7 ] && kill -9 "$pid" && wait_for no_sleepers && wait_for all_gone $inits
}
# descendants PID - the init processes of a fabric and its hosts
descendants() {
	local fabric
	fabric=$(pgrep -P "$1" -x heddle-init) && echo "$fabric" && pgrep -P "$fabric" -x heddle-init
}
all_gone() { gone "$@" >/dev/null && echo gone; }
stopped() {
	local inits
	inits=$(descendants "$(h ps --json | jq '.[0].pid')") && h down >/dev/null && gone $inits
}

all() {
	check "$who: /tmp, /run, /dev/shm and /var/log of a host are its own" folders
	check "$who: what a command names of the machine's /tmp is there" named
	check "$who: processes of two hosts are apart" processes
	check "$who: host name and resolver" resolver
	check "$who: names resolve to IPv4 first" ipv4_first
	if have nginx curl; then check "$who: Debian's nginx in two hosts at once" nginx_two; else skip "$who: nginx" 'it is not installed'; fi
	if have redis-server; then check "$who: redis" redis; else skip "$who: redis" 'it is not installed'; fi
	if have dnsmasq; then check "$who: dnsmasq" dnsmasq; else skip "$who: dnsmasq" 'it is not installed'; fi
	if have sshd ssh; then check "$who: sshd" sshd; else skip "$who: sshd" 'it is not installed'; fi
	check "$who: programs of one host start others in another one" by_request
	check "$who: which end with their caller" by_request_ends
	check "$who: no way into other namespaces" no_namespaces
	check "$who: no mounts" no_mounts
	check "$who: nothing of the kernel but its network" no_kernel
	check "$who: no devices" no_devices
	check "$who: nothing of the folder of fabrics" no_runtime
	check "$who: no signals to others" no_signals
	check "$who: limits hold" no_limits
	if have python3; then check "$who: chroot leads nowhere" chroot_out; fi
	check "$who: the init process of a host is killed" init_killed
	check "$who: a host is removed" removed
	check "$who: nothing is left after down" stopped
}
have() {
	local program
	for program in "$@"; do PATH=$PATH:/usr/sbin type -P "$program" >/dev/null || return 1; done
}

who=root
if [ "$(id -u)" = 0 ]; then
	fabric_up "${two_racks[@]:1}"
	all
	check 'root: up again, with all rights for root' h "${two_racks[@]}" --full-root
	check 'root: --full-root may mount' on h1 mount -t tmpfs none /mnt
	check 'root: in its host only' on h2 sh -c '! grep " /mnt tmpfs" /proc/mounts'
	check 'root: the init process of the fabric is stopped' init_stopped
	check 'root: the daemon is killed' daemon_killed
	unset HEDDLE_RUNTIME_DIR
	rootless_prepare || finish || exit
	heddle=$scratch/top/heddle who=rootless
	h() { user "$@"; }
	two_racks[1]=$scratch/top/topologies/two-racks.yaml
	if ! user_with ids "${two_racks[@]}" >"$scratch/out" 2>&1; then
		skip rootless "$(head -n 1 "$scratch/out")"
		finish
		exit
	fi
else
	fabric_up "${two_racks[@]:1}"
	who=rootless
fi
all
finish
