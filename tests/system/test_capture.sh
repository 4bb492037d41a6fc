#!/usr/bin/env bash
# test_capture - what passed a link is in a pcapng file, and an independent reader agrees (TB-19).
#
#   A B C - s502 --- s504 --- s506 --- s508 - J K L      topologies/parking-lot.yaml
#                                   ^ fabric link, 200 Gb/s, ACK frames against the data
#
# Eleven hosts send to L. Links of hosts carry data only.
#
# Frames in a file = what the node at that end has counted: sent without control words, received.
# The files of both ends of a link hold the same frames, with stamps that differ by its delay.
set -u
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/capture.sh"

lot=$topologies/parking-lot.yaml
star=$topologies/star-incast.yaml
# a sixth of the parking lot's run is enough
short=(--set run.duration=200us --set run.warmup=100us --set 'expect=[]')
columns+=(icrc=infiniband.invariant.crc)

# ---- both kinds of link, under the virtual clock ----

check 'three links are captured' capture 0 "$lot" "${short[@]}" --capture s506:s508=a.pcapng --capture s508:s506=b.pcapng \
	--capture s508:L=edge.pcapng
check 'a fabric link: the frames that its sender counted' counted a.pcapng s506 s508
check 'the same at its other end' counted b.pcapng s508 s506
check 'an edge link' counted edge.pcapng s508 L
for file in a b edge; do
	check "$file: in order, nothing malformed" sound $file.pcapng
done
nothing_else() { [ "$(fields a.pcapng ethertype | sort -u)" = 0x88b5 ] && [ "$(fields edge.pcapng ethertype | sort -u)" = 0x88b6 ]; }
check 'envelopes on the fabric link, plain frames on the edge link' nothing_else
lengths() { [ "$(seen a.pcapng 'len != cap_len')" = 0 ] && [ "$(fields edge.pcapng len | sort -nu | tail -n 1)" = 4096 ]; }
check 'frames have their full length' lengths

# delayed OUT IN - do the frames that left as OUT says arrive in IN one delay, 200 ns, later?
delayed() {
	of "$1" "$out" time len >sent
	of "$2" "$in" time len >received
	paste sent received | awk 'NF == 4 { d = sprintf("%.0f", ($3 - $1) * 1e9); if (d < 199 || d > 201 || $2 != $4) wrong++; n++ }
		END { print n + 0, "frames,", wrong + 0, "wrong"; exit !n || wrong }'
}
check 'data: both ends tell the same, a delay apart' delayed a.pcapng b.pcapng
check 'ACK frames: the same' delayed b.pcapng a.pcapng

again() {
	capture 0 "$lot" "${short[@]}" "$@" --capture s506:s508=c.pcapng && cmp a.pcapng c.pcapng
}
check 'the same bytes again' again
check 'the same bytes in another event loop' again --loop=fallback
cat >poisson.yaml <<-'END'
	name: poisson
	run: {duration: 100us}
	topology: {generate: star, hosts: 8}
	workloads:
	  - {name: load, pattern: incast, to: h7, size: 4KiB, arrival: poisson, load: 5%}
END
other_seed() { capture 0 poisson.yaml --seed "$1" --capture s0:h7="$2"; }
seeds() { other_seed 1 d.pcapng && other_seed 2 e.pcapng && ! cmp -s d.pcapng e.pcapng; }
check 'another seed, another file' seeds

check 'a snap length' capture 0 "$lot" "${short[@]}" --capture s506:s508=snap.pcapng --capture-snap 100
snapped() {
	[ "$(fields snap.pcapng len | sort | md5sum)" = "$(fields a.pcapng len | sort | md5sum)" ] &&
		[ "$(fields snap.pcapng cap_len | sort -n | tail -n 1)" = 100 ]
}
check 'the same lengths, 100 bytes of each' snapped

check 'RoCEv2 frames' capture 0 "$star" --set workloads.0.frame=roce --capture s0:h7=roce.pcapng
check 'are whole for Wireshark' sound roce.pcapng
has_icrc() { [ "$(fields roce.pcapng icrc | sort -u | wc -l)" -gt 100 ]; }
check 'with an ICRC' has_icrc

lossy() {
	local told
	run 0 run "$star" --set links.loss=1% --set 'expect=[]' --quiet --csv csv --capture s0:h7=lossy.pcapng || return 1
	told=$(seen lossy.pcapng 'comment == "lost on the link"')
	echo "$told told, $(counter s0 h7 lost_frames) counted"
	[ "$told" -gt 0 ] && [ "$told" = "$(counter s0 h7 lost_frames)" ] && counted lossy.pcapng s0 h7
}
check 'what the link loses is in the file of its sender, marked' lossy

# ---- the real clock ----

real() {
	local now
	now=$(date +%s)
	"$heddle" run "$star" --clock real --set run.duration=500ms --set links.rate=20Mb/s --set links.delay=1ms --set 'expect=[]' \
		--quiet --csv csv --capture s0:h7=real.pcapng >out 2>err
	case $? in 0 | 5) ;; *) cat err; return 1 ;; esac # too slow a machine is no matter here
	counted real.pcapng s0 h7 || return 1
	fields real.pcapng time | awk -v now="$now" '$1 < now || $1 > now + 60 { wrong++; print } END { exit !NR || wrong }'
}
check 'the real clock: all frames, stamped with the time of day' real
check 'in order, nothing malformed' sound real.pcapng

# ---- mistakes ----

refused() { # TEXT OPTION...
	run 2 run "$star" --quiet "${@:2}" && says err "$1" && [ -z "$(ls ./*.part.* 2>/dev/null)" ]
}
check 'no FILE' refused 'LINK=FILE, such as' --capture s0:h1
check 'no link' refused 'node:peer or node:port' --capture s0=x.pcapng
check 'no such node' refused "no switch or host 'q9'; there are s0, h0" --capture q9:h1=x.pcapng
check 'nearly such a node' refused "did you mean 'h7'" --capture h77:s0=x.pcapng
check 'no such port' refused "s0 has no port 'h9'; it has p0 h0, p1 h1" --capture s0:h9=x.pcapng
cat >two.yaml <<-'END'
	name: two
	run: {duration: 10us}
	topology: {switches: [s1, s2], hosts: {h1: s1, h2: s2}, links: [[s1, s2], [s1, s2]]}
END
ambiguous() {
	run 2 run two.yaml --capture s1:s2=x.pcapng && says err 's1 has 2 links to s2; name one of its ports: p1 s2, p2 s2' &&
		run 0 run two.yaml --quiet --capture s1:p2=second.pcapng && capinfos second.pcapng | grep 'Name = s1:s2'
}
check 'one of two links' ambiguous
check 'a link twice' refused 'captured twice' --capture s0:h1=x.pcapng --capture s0:p1=y.pcapng
check 'a file twice' refused './x.pcapng is to be written by --capture and by --capture' --capture s0:h1=x.pcapng --capture s0:h2=./x.pcapng
check 'a folder that is not there' refused 'there is no folder' --capture s0:h1=nowhere/x.pcapng
check 'a full disk at once' refused 'No space left' --capture s0:h1=/dev/full
check 'a snap length of nothing' refused '1 to 65535' --capture s0:h1=x.pcapng --capture-snap 0
check 'too many captures' refused 'more than 256' $(seq -f '--capture s0:h1=x%g' 257)
cat >many.yaml <<-'END'
	name: many
	run: {duration: 10us}
	topology: {generate: star, hosts: 60}
	workloads:
	  - {name: load, pattern: permutation, size: 4KiB, messages: 1}
END
captures() { for n in $(seq 0 "$1"); do echo "--capture s0:h$n=m$n.pcapng"; done; }
one_too_many() {
	# shellcheck disable=SC2046
	run 2 run many.yaml --quiet $(captures 32) && says err 'capture s0:h32 at its other end: h32:s0' && ! ls m*.pcapng*
}
check 'more than a node captures' one_too_many
all_of() {
	local n
	# shellcheck disable=SC2046
	capture 0 many.yaml $(captures 31) --capture h32:s0=m32.pcapng && mergecap -w all.pcapng m{0..32}.pcapng || return 1
	for n in $(seq 0 31); do
		counted all.pcapng s0 "h$n" || return 1
	done
	counted all.pcapng h32 s0
}
check 'as many as it captures, and one from the other end' all_of
check 'all links, and one of them' refused 'all=... has every link; give no other one' --capture all=x.pcapng --capture s0:h1=y.pcapng
check 'one link, and all' refused 'all=... has every link, s0:h1 too' --capture s0:h1=y.pcapng --capture all=x.pcapng
check 'all links, to a full disk' refused 'No space left' --capture all=/dev/full
check 'with one reason' [ "$(wc -l <err)" = 1 ]
left() { ls x* y* 2>/dev/null && return 1 || return 0; }
check 'none of them has left a file' left

# ---- a file that cannot be written to its end ----

reader_leaves() {
	mkfifo fifo || return 1
	head -c 100000 fifo >head.pcapng &
	capture 2 "$lot" "${short[@]}" --capture s506:s508=fifo --capture s508:L=whole.pcapng &&
		says err 'fifo of s506:s508: Broken pipe; it ends before'
	local status=$?
	wait
	return $status
}
check 'its reader leaves: said, and the run goes on' reader_leaves
check 'so do other captures' counted whole.pcapng s508 L
disk_full() {
	mkdir small
	unshare -Urm sh -c 'mount -t tmpfs -o size=1m tmpfs small && "$1" run "$2" --quiet --capture s508:L=small/x.pcapng; echo $? >status
		cp small/x.pcapng .' sh "$heddle" "$lot" >out 2>err
	says err 'small/x.pcapng of s508:L: No space left on device' && [ "$(cat status)" = 2 ] &&
		fields x.pcapng len >full && [ -s full ] && ! grep -q 'cut short' tshark.log
}
if unshare -Urm mount -t tmpfs tmpfs /mnt 2>/dev/null; then
	check 'its disk is full: it ends with a whole frame' disk_full
else
	skip 'a full disk' 'the kernel forbids a user namespace with a disk of its own'
fi
ended() {
	echo quit >script
	run 130 run "$lot" --quiet --capture s506:s508=ended.pcapng --break-at 20us --script script &&
		fields ended.pcapng time | awk '{ last = $1 } END { exit !(NR > 100 && last < 0.0000225) }'
}
check 'a run that is ended keeps what there was' ended
killed() {
	"$heddle" run "$lot" --quiet --set run.duration=10s --capture s506:s508=killed.pcapng --capture-snap 64 >out 2>err &
	local pid=$! victim
	wait_for find . -name 'killed.pcapng.part.*' -size +1000k >/dev/null || { kill $pid; return 1; }
	victim=$(children $pid | cut -d ' ' -f 1)
	kill -KILL "$victim"
	wait $pid
	[ $? = 4 ] && says err "(pid $victim) was killed" && fields killed.pcapng len >lengths && [ "$(wc -l <lengths)" -gt 1000 ]
}
check 'so does one in which a node dies' killed
all_killed() {
	"$heddle" run "$lot" --quiet --set run.duration=10s --capture all=all_killed.pcapng --capture-snap 64 >out 2>err &
	local pid=$! victim
	wait_for written $pid >/dev/null || { kill $pid; return 1; }
	victim=$(children $pid | cut -d ' ' -f 1)
	kill -KILL "$victim"
	wait $pid
	[ $? = 4 ] && says err "(pid $victim) was killed" && capinfos all_killed.pcapng | grep 'Strict time order: *True' &&
		[ "$(fields all_killed.pcapng link | sort -u | wc -l)" -gt 10 ] && [ -z "$(ls ./*.part.* 2>/dev/null)" ]
}
# written PID - yes, once each node of this process has written some of what it has sent
written() {
	[ "$(find /proc/"$1"/fd -lname '*(deleted)' -exec stat -L -c %s {} + 2>/dev/null | awk '$1 > 1000000' | wc -l)" -gt 2 ] && echo yes
}
check 'with all links in one file: the same' all_killed
all_ended() {
	run 130 run "$lot" --quiet --capture all=all_ended.pcapng --break-at 20us --script script &&
		fields all_ended.pcapng time | awk '{ last = $1 } END { exit !(NR > 1000 && last < 0.0000225) }'
}
check 'a run that is ended: the same' all_ended
all_fifo() {
	mkfifo all_fifo && cat all_fifo >all_read.pcapng &
	in_the_end test -p all_fifo && run 0 run "$lot" --quiet "${short[@]}" --capture all=all_fifo && wait $! &&
		capture 0 "$lot" "${short[@]}" --capture all=all_file.pcapng && cmp all_read.pcapng all_file.pcapng
}
check 'to a pipe: the same bytes' all_fifo
finish
