#!/usr/bin/env bash
# test_live_recovery - programs talk over two paths. One of them fails, by command or with a killed
# switch, and returns. What is sent afterwards arrives, and traffic flows again within a stated
# time. Real clock (FC-26, TB-4, TB-14, PG-11).
#
#   a1, a2 - leaf0 === spine0, spine1 === leaf1 - b1, b2
set -u
. "$(dirname "$0")/common.sh"

fabric_dir
command -v jq >/dev/null || { echo 'skipped: jq is not installed'; exit 77; }
command -v python3 >/dev/null || { echo 'skipped: python3 is not installed'; exit 77; }
# after that it hangs, on any machine; what was measured is printed
recovery_ms=${RECOVERY_MS:-60000}
file=$scratch/clos.yaml
printf '%s\n' 'name: clos' 'run: {duration: 1s}' 'topology: {generate: leaf-spine, leaves: 2, hosts-per-leaf: 2, spines: 2}' \
	'routing: {choice: adaptive}' \
	'workloads:' '  - {name: uniform, pattern: uniform, size: 16KiB, arrival: poisson, load: 10%, up: no}' >"$file"
fabric_up "$file"

node() { "$heddle" ps --json | jq -r --arg name "$1" --arg key "$2" '.[0].nodes[] | select(.name == $name)[$key]'; }
hosts=($("$heddle" ps --json | jq -r '.[0].nodes[] | select(.kind == "nic").name'))

# ---- two streams, one in each direction ----
# every datagram is numbered, and every one that arrives is noted with its time

cat >"$scratch/receive.py" <<'END'
import socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("", 7000))
out = open(sys.argv[1], "w", buffering=1)
while True:
    number = s.recv(2048).split()[0].decode()
    out.write("%d %s\n" % (time.monotonic_ns(), number))
END
cat >"$scratch/send.py" <<'END'
import socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
number = 0
while True:
    try:
        s.sendto(b"%d " % number + bytes(1000), (sys.argv[1], 7000))
    except OSError:
        pass
    number += 1
    time.sleep(0.002)
END
stream() { # FROM TO FILE
	on_long "$2" python3 "$scratch/receive.py" "$3"
	on_long "$1" python3 "$scratch/send.py" "$2"
}
on_long() { # HOST COMMAND... - until the end
	local host=$1
	shift
	"$heddle" exec "$host" -- "$@" &
	at_end "kill $! 2>/dev/null"
}
stream "${hosts[0]}" "${hosts[2]}" "$scratch/one"
stream "${hosts[3]}" "${hosts[1]}" "$scratch/two"

now_ns() { python3 -c 'import time; print(time.monotonic_ns())'; }
# flows_again FILE SINCE_NS - ten datagrams that follow one another arrive, sent after SINCE_NS,
# within the bound; prints how soon
flows_again() {
	for _ in $(seq $((recovery_ms / 50))); do
		awk -v since="$2" -v bound="$recovery_ms" '
			$1 <= since { next }
			{ run = $2 == last + 1 ? run + 1 : 1; last = $2; if (run == 1) began = $1 }
			run == 10 { ms = (began - since) / 1e6; printf "flows again after %.1f ms\n", ms; found = 1; exit ms > bound }
			END { if (!found) exit 1 }' "$1" >>"$scratch/times" && return
		sleep 0.05
	done
	return 1
}
# recovers SINCE_NS - both streams; datagrams already in flight over what failed end within about a
# millisecond
recovers() { flows_again "$scratch/one" "$1" && flows_again "$scratch/two" "$1"; }

check 'streams flow' recovers "$(now_ns)"

check 'a link goes down' run 0 link leaf0:spine0 down
check 'traffic recovers' recovers "$(now_ns)"
check 'the other link, of the other leaf, as well' run 0 link leaf1:spine0 down
check 'traffic goes on' recovers "$(now_ns)"
check 'the first comes up' run 0 link leaf0:spine0 up
check 'traffic goes on' recovers "$(now_ns)"
check 'and the second' run 0 link leaf1:spine0 up
check 'traffic goes on' recovers "$(now_ns)"

for spine in spine0 spine1; do
	check "$spine is killed" kill -KILL "$(node $spine pid)"
	check 'traffic recovers' recovers "$(now_ns)"
	check 'it starts again' run 0 start $spine
	check 'traffic goes on' recovers "$(now_ns)"
done

manager() { "$heddle" ps --json | jq -r --arg key "$1" '.[0].manager[$key]'; }
check 'the active manager is killed' kill -KILL "$(manager active)"
check 'a spine at the same moment' kill -KILL "$(node spine0 pid)"
check 'traffic recovers' recovers "$(now_ns)"
check 'it starts again' run 0 start spine0
check 'traffic goes on' recovers "$(now_ns)"
check 'down' run 0 down
sort -k 4 -n "$scratch/times" | awk '{ at[NR] = $4 } END { print "traffic flows again after " at[int((NR + 1) / 2)] " ms (median), " at[NR] " ms (most)" }'
finish
