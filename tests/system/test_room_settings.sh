#!/usr/bin/env bash
# test_room_settings - what a scenario says of the sandbox of a host works: mounts, folders of its
# own, limits, a root file system (DU-3). For a fabric of root, and for one of user 65534, with
# subordinate ids.
#
#   h1 with settings, h2 without; both at one switch
set -u
. "$(dirname "$0")/common.sh"

fabric_dir
chmod 711 "$scratch"
site=$scratch/site
mkdir -m 755 "$site" "$site/inner" "$site/mounted"
echo page >"$site/index.html" && echo inner >"$site/inner/file" && chmod -R a+rX "$site"

# the owner of the fabric calls heddle
h() { "$heddle" "$@"; }
on() { local host=$1; shift; h exec "$host" -- "$@"; }

# scenario KEYS... - file $scratch/fabric.yaml, in which h1 has these keys
scenario() {
	printf '%s\n' 'name: rooms' 'links: {rate: 100Mb/s, delay: 1ms}' 'topology:' '  switches: [s1]' '  links: []' '  hosts:' \
		"    h1: {switch: s1, $1}" '    h2: s1' >"$scratch/fabric.yaml"
	chmod 644 "$scratch/fabric.yaml"
}
# up STATUS KEYS - starts a fabric in which h1 has these keys
up() {
	scenario "$2"
	h up "$scratch/fabric.yaml" >"$scratch/out" 2>&1
	local status=$?
	[ "$status" = "$1" ] || { echo "heddle up: exit status $status, not $1"; cat "$scratch/out"; return 1; }
}
down() { h down rooms >/dev/null; }

# ---- mounts, private ----

# at places that exist, that do not, and in a folder of the host's own
mounts() {
	up 0 'dns: [10.0.0.53], private: [/srv/own, /var/lib/dpkg, /var/tmp], mounts: [{from: ./site, to: /srv/site, read-only: yes}, {from: ./site, to: /mnt}, {from: site/index.html, to: /etc/issue}, {from: site, to: /run/site}, {from: site, to: /srv/own/site}]' || return 1
	for place in /srv/site /mnt /run/site /srv/own/site; do
		[ "$(on h1 cat $place/index.html)" = page ] || { echo "$place"; return 1; }
	done
	[ "$(on h1 cat /etc/issue)" = page ] && ! on h2 test -e /srv/site && ! on h2 test -e /mnt/index.html && [ ! -e /srv/site ] && [ ! -e /srv/own ]
}
resolver() { [ "$(on h1 cat /etc/resolv.conf)" = 'nameserver 10.0.0.53' ] && ! on h2 grep ^nameserver /etc/resolv.conf; }
# also what is mounted inside of the source
read_only() {
	local place
	for place in /srv/site/file /srv/site/inner/file /srv/site/mounted/file; do
		! on h1 sh -c "echo changed >$place" && on h1 test ! -s /srv/site/file || { echo "$place"; return 1; }
	done
	[ "$(on h1 cat /srv/site/mounted/file)" = sub ] && [ "$(cat "$site/inner/file")" = inner ]
}
writable() { on h1 sh -c 'echo mine >/mnt/new' && [ "$(cat "$site/new")" = mine ] && rm "$site/new"; }
private() {
	[ -z "$(on h1 ls -A /var/lib/dpkg)" ] && on h1 sh -c 'echo x >/var/lib/dpkg/x && echo x >/srv/own/x' && on h2 test -d /var/lib/dpkg/info &&
		[ "$(on h1 stat -c %a /var/tmp)" = 1777 ] && [ ! -e /var/lib/dpkg/x ] && [ "$(on h1 ls /var/lib | wc -l)" = "$(ls /var/lib | wc -l)" ]
}
# the source vanished after the scenario was read, or the fabric's user may not read it
unreadable() {
	mkdir -m 700 "$site/secret"
	chown 1:1 "$site/secret"
	up 4 'mounts: [{from: ./site/secret, to: /mnt}]' && says out 'host h1' && says out "$site/secret" && says out 'ermission denied'
	local status=$?
	rmdir "$site/secret"
	return $status
}
root_entry() { up 4 'private: [/no-such-folder]' && says out 'host h1' && says out /no-such-folder && says out 'choose one below /srv' && [ ! -e /no-such-folder ]; }
unknown() { up 2 'mounts: [{from: ./gone, to: /mnt}]' && says out "does not exist"; }
nothing_left() { ! pgrep -f "heddle up $scratch/fabric.yaml" && ! h ps rooms >/dev/null 2>&1; }

# ---- limits ----

limits_up() {
	up 0 'limits: {processes: 20, files: 64, memory: 64MB}, run: [sleep 8765]' || return 1
	if [ "$who" = root ]; then ! says out 'control group'; fi
}
files() { [ "$(on h1 sh -c 'ulimit -Hn')" = 64 ] && [ "$(on h2 sh -c 'ulimit -Hn')" != 64 ] && ! on h1 sh -c 'ulimit -Hn 128'; }
# too many processes, started by one program
processes() {
	on h1 bash -c 'for i in {1..100}; do sleep 8766 & done; wait' >"$scratch/forks" 2>&1 &
	local started=$! count status
	wait_for grep -m 1 'retry\|unavailable' "$scratch/forks" && on h2 true
	status=$?
	count=$(pgrep -fc '^sleep 8766$')
	echo "$count processes"
	h remove h1 >/dev/null && wait $started
	[ "$status" = 0 ] && [ "$count" -le 30 ] && [ "$count" -ge 5 ]
}
memory() { on h1 dd if=/dev/zero of=/dev/null bs=20M count=1 && ! on h1 dd if=/dev/zero of=/dev/null bs=100M count=1 && on h2 dd if=/dev/zero of=/dev/null bs=100M count=1; }
groups() { find /sys/fs/cgroup -maxdepth 6 -name "heddle.$pid.*" 2>/dev/null; }
no_groups() { groups | grep -q . || echo none; }
daemon_pid() { h ps --json | jq '.[0].pid'; }
limits_end() {
	limits_up && pid=$(daemon_pid) && groups | grep . && down && wait_for no_groups || return 1
	limits_up && pid=$(daemon_pid) && groups | grep . && kill -9 "$pid" && wait_for no_groups
}

# ---- rootfs ----

# a folder with busybox and nothing else: not even /tmp or /run
rootfs=$scratch/rootfs
rootfs_make() {
	mkdir -m 755 "$rootfs" "$rootfs/bin" "$rootfs/etc" && cp "$(command -v busybox)" "$rootfs/bin/busybox" &&
		busybox --list | grep -v -x busybox | while read -r applet; do ln -s busybox "$rootfs/bin/$applet"; done
	printf '%s\n' root:x:0:0:root:/:/bin/sh other:x:1234:1234:other:/home/other:/bin/sh >"$rootfs/etc/passwd"
	echo other:x:1234: >"$rootfs/etc/group"
	mkdir "$rootfs/etc/folder" && echo below >"$rootfs/etc/folder/file"
	chmod -R a+rX "$rootfs"
}
# what is in the folder, with the times of its files
content() { (cd "$rootfs" && find . -printf '%p %T@ %s %m\n' | sort); }
rootfs_up() {
	up 0 'rootfs: ./rootfs, dns: [10.0.0.53], limits: {files: 64}, mounts: [{from: ./site, to: /data/site, read-only: yes}], private: [/var/own], user: other, run: ["id -u >/tmp/ran; sleep 8767"]'
}
own_files() {
	[ "$(on h1 cat /etc/hostname)" = h1 ] && [ "$(on h1 cat /etc/resolv.conf)" = 'nameserver 10.0.0.53' ] && on h1 grep -w h2 /etc/hosts &&
		[ "$(on h1 cat /data/site/index.html)" = page ] && ! on h1 sh -c 'echo x >/data/site/x' && on h1 sh -c 'ls -A /var/own; test -d /var/own' &&
		on h1 test -c /dev/null && [ "$(on h1 readlink /proc/self)" -gt 1 ] && on h1 test -d /sys/class/net/eth0 && [ "$(on h1 sh -c 'ulimit -n')" = 64 ] &&
		[ "$(on h1 sh -c 'ls -A / | tr "\n" " "')" = 'bin data dev etc proc run sys tmp var ' ] && ! on h1 test -e /usr && ! on h1 test -e /.heddle-machine &&
		! on h1 grep -q heddle-machine /proc/mounts
}
can_change() {
	on h1 sh -c 'echo changed >/etc/passwd.new && rm /bin/vi && mkdir -p /usr/x && echo x >/run/x && echo x >/tmp/x' && on h1 test ! -e /bin/vi &&
		on h1 sh -c 'rm -r /etc/folder && mkdir /etc/folder && test ! -e /etc/folder/file' && on h1 test -s /tmp/x &&
		! on h2 test -s /run/x && ! on h2 test -e /data && [ "$(content)" = "$before" ]
}
cwd() { [ "$(cd /usr/share && h exec h1 -- pwd)" = / ] && [ "$(cd /etc && "$heddle" exec h1 -- pwd)" = /etc ]; }
root_cwd() { [ "$who" != root ] || cwd; }
network() { in_the_end on h1 ping -c 1 -W 5 h2; }
# x ARGUMENT... - heddle exec, by the owner of the fabric
x() { if [ "$who" = root ]; then h exec "$@"; else user exec "$@"; fi; }
users() {
	[ "$(on h1 cat /tmp/ran)" = 1234 ] && [ "$(x -u other h1 -- id -u)" = 1234 ] && [ "$(x -u 1234 h1 -- sh -c 'echo $HOME')" = /home/other ] &&
		! x -u daemon h1 -- true 2>"$scratch/err" && says err "/etc/passwd has no user 'daemon'" && x -u daemon h2 -- true
}
from_inside() { on h2 "$program" exec h1 -- sh -c 'echo $HEDDLE_HOST; ls -d /usr/share' >"$scratch/inside" 2>&1; grep -x h1 "$scratch/inside" && ! grep -x /usr/share "$scratch/inside"; }

all() {
	check "$who: mounts" mounts
	check "$who: resolver" resolver
	check "$who: read-only, with what is mounted inside" read_only
	if [ "$who" = root ]; then check "$who: writable" writable; fi
	check "$who: private folders are empty; those beside stay" private
	check "$who: down" down
	if [ "$who" != root ]; then check "$who: an unreadable source is named" unreadable; fi
	check "$who: a source that does not exist" unknown
	check "$who: a new entry of / is refused" root_entry
	check "$who: nothing is left" nothing_left
	check "$who: a host with limits" limits_up
	check "$who: files" files
	check "$who: memory" memory
	check "$who: processes" processes
	check "$who: down again" down
	if [ -d "$rootfs" ]; then all_rootfs; else skip "$who: rootfs" 'busybox is not installed, or not static'; fi
	if [ "$who" = root ]; then check "$who: control groups are removed, also if the daemon is killed" limits_end; fi
}

# in a rootless fabric: root of the machine does not exist there
foreign() { up 4 'rootfs: ./rootfs' && says out 'host h1' && says out "$rootfs" && says out "must belong to the fabric's user"; }

all_rootfs() {
	if [ "$who" != root ]; then
		check "$who: a root file system of another user" foreign
		[ "$(id -u)" != 0 ] || chown -R -h $nobody:$nobody "$rootfs"
	fi
	before=$(content)
	check "$who: a folder as the root file system" rootfs_up
	check "$who: rootfs: files that every host has" own_files
	check "$who: rootfs: the host can change all, the folder stays" can_change
	check "$who: rootfs: working folder" root_cwd
	check "$who: rootfs: network" network
	check "$who: rootfs: users are those of the folder" users
	check "$who: rootfs: from inside of another host" from_inside
	check "$who: rootfs: down" down
}

if busybox true 2>/dev/null && ! ldd "$(command -v busybox)" >/dev/null 2>&1; then rootfs_make; fi
program=$heddle
who=root
[ "$(id -u)" = 0 ] || who=rootless
mounted() { mount -t tmpfs none "$site/mounted" 2>/dev/null && at_end 'umount "$site/mounted"' && chmod 755 "$site/mounted" && echo sub >"$site/mounted/file" && chmod 644 "$site/mounted/file"; }
if [ "$who" = root ]; then
	mounted || { echo 'skipped: mount is forbidden'; exit 77; }
fi
scenario 'dns: [10.0.0.1]'
fabric_up "$scratch/fabric.yaml"
down
all
if [ "$who" = root ]; then
	unset HEDDLE_RUNTIME_DIR
	rootless_prepare || finish || exit
	who=rootless
	program=$scratch/top/heddle
	h() { user_with ids "$@"; }
	on() { local host=$1; shift; user exec "$host" -- "$@"; }
	if ! up 0 'dns: [10.0.0.1]'; then
		skip rootless "$(head -n 1 "$scratch/out")"
		finish
		exit
	fi
	down
	all
fi
finish
