#!/usr/bin/env bash
# A fabric on two machines (SC-5; tunnel.sh draws them). Programs on both reach each other by the
# names of the fabric. The time in the tunnel is a part of the delay of the link s1:s2. Frames of
# 9000 bytes pass in pieces. What goes wrong: test_tunnel_trouble.
. "$(dirname "$0")/tunnel.sh"

# h1 is of machine a, h6 of b
users_known() {
	! on a up "$topologies/two-racks.yaml" "${settings[@]}" "${machines[@]}" --machine a --key "$scratch/key" \
		--set 'topology.hosts.h1={switch: s1, user: no-such-user}' \
		--set 'topology.hosts.h6={switch: s3, user: no-such-user}' 2>"$scratch/err" &&
		says err "host h1: there is no user 'no-such-user' on this machine" && ! says err 'host h6' >/dev/null
}
check 'each machine has the users of its own hosts' users_known
both_up
check 'a runs two hosts, b four' eval '[ "$(ps a "(.hosts | length)") $(ps b "(.hosts | length)")" = "2 4" ]'
check 'hosts of both machines reach each other' in_the_end on a exec h1 -- ping -c 2 -i 0.2 -W 5 h6
on a exec h1 -- ping -c 10 -i 0.2 h6 >"$scratch/ping"
check 'no round trip is shorter than its eight links' awk -F'[ =/]+' '/^rtt/ { found = 1; if ($6 < 159.9) exit 1 } END { exit !found }' "$scratch/ping"
verdict=$(ps a .fidelity.verdict)$(ps b .fidelity.verdict)
if [ "$verdict" = validvalid ]; then
	check 'nor longer by more than the hosts take' awk -F'[ =/]+' '/^rtt/ { if ($6 > 165) exit 1 }' "$scratch/ping"
else
	skip 'nor longer' "this machine was too slow: $(ps a .fidelity.words); $(ps b .fidelity.words)"
fi
check 'a frame of 8 kB passes over 1500' in_the_end on b exec h5 -- ping -c 2 -i 0.2 -W 5 -M 'do' -s 8000 h2
check 'it went in pieces' is b "[$beyond | .fragmented_frames > 0, .datagram_bytes == 1472] | all"
on b exec h6 -- iperf3 -s -D -1
check 'TCP over the tunnel' on a exec h1 -- timeout 60 iperf3 -c h6 -t 2 -i 0
check 'a host of the other machine is named' eval '! on a exec h6 -- true 2>"$scratch/err" && says err "h6 runs on machine b"'
check 'every host has the names of all' on a exec h2 -- getent hosts h5

# what a has sent, b has received or lost, once nothing is in flight
agree() {
	local sent got
	sent=$(ps a "$beyond | .sent_frames")
	got=$(ps b "$beyond | .received_frames + .lost_frames")
	[ "$sent" = "$got" ] || { echo "a has sent $sent, b has received or lost $got"; return 1; }
}
check 'the counters of both agree' in_the_end agree
check 'a ends' on a down
check 'b ends' on b down
finish
