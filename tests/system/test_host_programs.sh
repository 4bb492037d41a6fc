#!/usr/bin/env bash
# test_host_programs - start commands and health checks of hosts (DU-3)
#
#   web - s1 - r1 - s2 - db      web serves HTTP and is healthy when it answers; db asks it
#
# Each program writes what it has: user, environment, host name, working directory.
set -u
. "$(dirname "$0")/common.sh"

fabric_dir

if ! command -v python3 >/dev/null || ! command -v curl >/dev/null || ! command -v jq >/dev/null; then
	echo 'skipped: python3, curl or jq is not installed'
	exit 77
fi
mkdir "$scratch/site"
echo 'a page' >"$scratch/site/page"
cat >"$scratch/site/web.yaml" <<'SCENARIO'
name: web
run: {duration: 1ms}
links: {rate: 100Mb/s, delay: 1ms}
topology:
  switches: [s1, s2]
  links: [[s1, s2]]
  hosts:
    web:
      switch: s1
      addresses: [192.168.1.10/24]
      gateway: r1
      env: {GREETING: good day, PORT: '8080'}
      run:
        - 'echo "$GREETING from $HEDDLE_HOST of $HEDDLE_FABRIC"; exec python3 -u -m http.server $PORT'
        - [sh, -c, 'exit 3']
        - [no-such-program, x]
        - 'kill -9 $$'
      health: {run: 'curl -sSf -o /dev/null http://web:$PORT/page', every: 100ms, within: 100s}
    r1: {switch: s1, addresses: [192.168.1.1/24], router: yes, interfaces: [{switch: s2, addresses: [192.168.2.1/24]}]}
    db: {switch: s2, addresses: [192.168.2.10/24], gateway: r1, user: nobody, run: ['id -un', "hostname; echo to stderr >&2\n# one more line"]}
SCENARIO
fabric_up "$scratch/site/web.yaml"

check 'up waits until the host is healthy' grep -q 'host web is healthy after' "$scratch/up"
served() { [ "$(timeout 60 "$heddle" exec db -- curl -sf http://web:8080/page)" = 'a page' ]; }
check 'the command runs in the folder of the scenario, behind a router' served
fates() {
	"$heddle" ps --json | jq -r '.[0].programs[] | "\(.host) \(.running) \(.fate)"' | sort >"$scratch/fates"
	printf '%s\n' 'db false ended with status 0' 'db false ended with status 0' 'web false ended with status 3' \
		'web false killed by signal 9' 'web false not started: No such file or directory' 'web true running' | cmp - "$scratch/fates" && echo same
}
check 'ps says which run, and how the others ended' wait_for fates
listed() { "$heddle" ps web | grep -q 'web  *ended with status 3: sh -c exit 3'; }
check 'also for people' listed
one_line() { "$heddle" ps web | grep -x '  *db  *ended with status 0: hostname; echo to stderr >&2 \.\.\.' && ! "$heddle" ps web | grep '^# one'; }
check 'a command of several lines has one' one_line
printed() { run 0 log web && says out 'good day from web of web'; }
check 'log prints what the commands of a host print' printed
other_user() { run 0 log db && says out nobody && says out 'to stderr' && says out db; }
if [ "$(id -u)" = 0 ]; then check 'as another user' other_user; fi
no_commands() { run 1 log r1 && says err "r1 has no start commands"; }
check 'a host without commands has no log' no_commands
as_json() { "$heddle" log web --json | jq -e '.host == "web" and (.text | contains("good day"))'; }
check 'log --json' as_json
path=$HEDDLE_RUNTIME_DIR/web
check 'the folder has a file for each host' test -s "$path/programs/web.log"
removed() { "$heddle" remove db && ! "$heddle" ps --json | jq -e '.[0].programs[] | select(.host == "db")'; }
check 'a host that leaves takes its programs along' removed
ended() { "$heddle" down && [ ! -e "$path" ]; }
check 'down leaves no file' ended

# a check that fails: the host is named, the exit status is its own, the fabric runs
unhealthy() {
	run 6 up "$scratch/site/web.yaml" --set 'topology.hosts.db.health={run: "echo one; echo no database here; exit 7", every: 10ms, within: 1s}' &&
		says err "host db is not healthy after 1.000 s: 'echo one; echo no database here; exit 7' ended with status 7: no database here" &&
		run 0 exec db -- true
}
check 'an unhealthy host is named' unhealthy
"$heddle" down >/dev/null
endless() {
	run 6 up "$scratch/site/web.yaml" --set 'topology.hosts.web={switch: s1, health: {run: "sleep 12345; true", within: 500ms}}' --set 'topology.hosts.db=s2' &&
		says err 'did not end' && ! "$heddle" exec web -- sh -c 'cat /proc/[0-9]*/comm' | grep -x sleep
}
check 'a check that does not end is killed' endless
"$heddle" down >/dev/null
# up tells which commands have failed by the time at which all hosts are healthy
failed_told() {
	run 0 up "$scratch/site/web.yaml" --set 'topology.hosts.db=s2' --set \
		'topology.hosts.web={switch: s1, run: ["true", "echo $$ >/tmp/pid; exit 3"], health: {run: "test -s /tmp/pid && ! kill -0 $(cat /tmp/pid)", every: 100ms, within: 600s}}' &&
		says err "heddle up: host web: 'echo \$\$ >/tmp/pid; exit 3': ended with status 3" && ! says err "'true'" >/dev/null
}
check 'a start command that has failed is told' failed_told
"$heddle" down >/dev/null
# what a check prints is read, not kept
printed_much() {
	local up status
	"$heddle" up "$scratch/site/web.yaml" --set 'topology.hosts.db=s2' --set \
		'topology.hosts.web={switch: s1, health: {run: "head -c 8000000 /dev/zero; echo >/tmp/printed; until [ -e /tmp/seen ]; do sleep 0.1; done", within: 600s}}' \
		>"$scratch/out" 2>&1 &
	up=$!
	wait_for "$heddle" exec web -- ls /tmp/printed 2>/dev/null && [ -z "$(find -L "/proc/$up/fd" -type f -size +1M)" ]
	status=$?
	"$heddle" exec web -- touch /tmp/seen && wait "$up" && return $status
}
check 'what a check prints takes no memory' printed_much
"$heddle" down >/dev/null
# a program that prints without end: the log stops at its limit and says so, the program goes on
log_full() { "$heddle" log web | tail -n 1 | grep -x 'heddle: this log is full; what is printed from here on is lost'; }
endless_log() {
	local size
	run 0 up "$scratch/site/web.yaml" --set 'topology.hosts.web={switch: s1, run: [yes, "sleep 0.1; echo late"]}' --set 'topology.hosts.db=s2' &&
		wait_for log_full || return 1
	size=$(stat -c %s "$path/programs/web.log")
	[ "$size" -gt $((16 << 20)) ] && [ "$size" -lt $(((16 << 20) + 200)) ] && "$heddle" ps web | grep -q 'web  *running: yes' &&
		"$heddle" exec web -- sleep 1 && [ "$(stat -c %s "$path/programs/web.log")" = "$size" ]
}
check 'the log of a program that prints without end stops at 16 MiB' endless_log
killed() {
	local daemon
	daemon=$("$heddle" ps --json | jq '.[0].pid') && kill -9 "$daemon" || return 1
	# whatever asks next removes them, once the daemon is gone
	cleared() { "$heddle" ps >/dev/null; [ ! -e "$path" ] && echo cleared; }
	wait_for cleared
}
check 'after a killed daemon the files go too' killed
no_user() {
	run 2 up "$scratch/site/web.yaml" --set 'topology.hosts.db={switch: s2, user: no-such-user, run: [id]}' &&
		says err "host db: there is no user 'no-such-user' on this machine"
}
check 'a user that does not exist is named before anything starts' no_user
two_ends() {
	run 0 up "$scratch/site/web.yaml" --set 'topology.hosts.db=s2' || return 1
	"$heddle" down >"$scratch/first" 2>&1 &
	"$heddle" down >"$scratch/second" 2>&1
	wait $!
	cat "$scratch/first" "$scratch/second"
	grep -q 'has ended' "$scratch/first" "$scratch/second" && ! grep 'was killed' "$scratch/first" "$scratch/second"
}
check 'two commands end a fabric, and neither says that it was killed' two_ends

# a scenario on standard input: its paths begin in the folder of the caller
cat >"$scratch/site/piped" <<'SCENARIO'
name: piped
run: {duration: 1ms}
links: {rate: 100Mb/s, delay: 1ms}
topology: {generate: star, hosts: 2}
hosts: {h0: {run: 'pwd; touch /tmp/made', mounts: [{from: page, to: /tmp/page}]}}
SCENARIO
piped() {
	(cd "$scratch/site" && "$heddle" up - <piped) && wait_for in_site && "$heddle" save "$scratch/saved.yaml" &&
		grep -F "from: $scratch/site/page" "$scratch/saved.yaml"
}
in_site() { "$heddle" log h0 | grep -x "$scratch/site"; }
check 'commands of a scenario on standard input run in the folder of the caller' piped
# the machine's /tmp is not that of a host, also if the host has not the caller's folder
elsewhere() { (mkdir "$scratch/gone" && cd "$scratch/gone" && rmdir "$scratch/gone" && [ "$("$heddle" exec h1 -- pwd)" = / ]); }
check 'a program whose folder is missing begins in /' elsewhere
"$heddle" down >/dev/null

finish
