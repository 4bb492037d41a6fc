#!/usr/bin/env bash
# test_users - users of the machine in the hosts of a rootless fabric (DU-1): with subordinate ids
# programs become other users, without them a message says what is missing.
#
# User 65534 starts the fabrics. Its subordinate ids are in files that only the processes of this
# test see.
set -u
. "$(dirname "$0")/common.sh"

rootless_prepare || exit 77
mkdir -m 755 "$scratch/data"
chown $nobody "$scratch/data"
: >"$scratch/none"

two_racks=(up "$scratch/top/topologies/two-racks.yaml" --set links.rate=100Mb/s --set links.delay=1ms)

all_users() {
	user_with ids "${two_racks[@]}" >"$scratch/out" 2>&1 || { cat "$scratch/out"; return 1; }
	! grep 'only root exists' "$scratch/out" && [ "$(user exec h1 -- sh -c 'wc -l </proc/self/uid_map')" = 2 ]
}

become() {
	[ "$(user exec -u daemon h1 -- sh -c 'id -nu; echo $USER $HOME' | tr '\n' ' ')" = "daemon daemon $(getent passwd daemon | cut -d: -f6) " ] &&
		[ "$(user exec h1 -- id -u)" = 0 ] || return 1
	user exec -u no-such-user h1 -- id >"$scratch/out" 2>&1
	[ $? = 2 ] && says out "this machine has no user 'no-such-user'"
}

# user 1 of the hosts is the first subordinate id of the machine
owned() {
	user exec h1 -- sh -c "touch '$scratch/data/file' && chown daemon '$scratch/data/file'" &&
		[ "$(stat -c %u "$scratch/data/file")" = 200000 ]
}

# a program in a host finds its fabric, though /run is the host's own
finds_fabric() {
	user exec h1 -- "$scratch/top/heddle" ps >"$scratch/out" && says out two-racks
}

# the user that started the fabric may kill its nodes
nodes_of_user() {
	local pid
	for pid in $(user ps --json | jq '.[0].nodes[].pid'); do
		[ "$(stat -c %u "/proc/$pid")" = $nobody ] || { echo "process $pid: user $(stat -c %u "/proc/$pid")"; return 1; }
	done
}

# tcpdump becomes a user of its own
dumped() {
	user exec h6 -- timeout 60 tcpdump -c 1 -ni eth0 'icmp6[0] == 128' >"$scratch/dump" 2>&1 &
	for _ in {1..100}; do
		user exec h1 -- ping -6 -c 1 -w 1 h6 >/dev/null 2>&1
		grep -q 'echo request' "$scratch/dump" && break
	done
	wait
	says dump 'echo request'
}

postgres() {
	local bin
	bin=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)
	mkdir -m 755 "$scratch/data/pg" && chown $nobody:$nobody "$scratch/data/pg" && user exec h1 -- chown postgres "$scratch/data/pg" &&
		user exec -u postgres h1 -- "$bin/initdb" -A trust -D "$scratch/data/pg/d" >/dev/null &&
		echo 'host all all all trust' | user exec -u postgres h1 -- tee -a "$scratch/data/pg/d/pg_hba.conf" >/dev/null &&
		user exec -u postgres h1 -- "$bin/pg_ctl" -w -t 100 -D "$scratch/data/pg/d" -o "-h '*' -k $scratch/data/pg" \
			-l "$scratch/data/pg/log" start >/dev/null &&
		user exec h6 -- "$bin/pgbench" -q -h h1 -U postgres -i postgres &&
		user exec h6 -- "$bin/pgbench" -h h1 -U postgres -c 2 -t 20 postgres >"$scratch/out" &&
		says out 'number of failed transactions: 0' &&
		user exec -u postgres h1 -- "$bin/pg_ctl" -w -t 100 -m fast -D "$scratch/data/pg/d" stop >/dev/null
}

only_root() {
	user down >/dev/null && user_with none "${two_racks[@]}" >"$scratch/out" 2>&1 && says out 'only root exists in the hosts' &&
		says out "usermod --add-subuids 100000-165535 --add-subgids 100000-165535 $owner" || return 1
	user exec -u daemon h1 -- id >"$scratch/out" 2>&1
	[ $? = 126 ] && says out 'cannot become user daemon' && [ "$(user exec h1 -- id -u)" = 0 ]
}

nothing_left() {
	user down >/dev/null && [ ! -e "$scratch/session/heddle/two-racks" ]
}

if ! user "${two_racks[@]}" >"$scratch/out" 2>&1; then
	echo "skipped: $(head -n 1 "$scratch/out")"
	exit 77
fi
user down >/dev/null
check 'with subordinate ids all users exist in the hosts' all_users
check 'exec -u runs a program as a user of the machine' become
check 'files of users belong to subordinate ids' owned
check 'a heddle in a host finds its fabric' finds_fabric
check 'the nodes belong to the user of the fabric' nodes_of_user
if command -v tcpdump >/dev/null; then check 'tcpdump, as Debian has it' dumped; else skip tcpdump 'it is not installed'; fi
if ls /usr/lib/postgresql/*/bin/pgbench >/dev/null 2>&1; then check 'postgres, with pgbench of another host' postgres; else skip postgres 'it is not installed'; fi
check 'without them a message says what is missing, and exec -u what fails' only_root
check 'nothing is left' nothing_left
finish
