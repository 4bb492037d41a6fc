#!/usr/bin/env bash
# test_call_fails - one system call of `heddle up` fails, in the middle of its work, once in each of
# its processes. Either that is named, with the kernel's reason, `heddle up` ends with status 4 and
# nothing is left. Or the fabric works without it (TB-22). strace makes the calls fail; those of
# nodes cannot fail so, for their own filter forbids what strace does to them.
#
# CALLS="mount:ENOMEM:7 ..." tries these: the call, its error, and which one it is. COUNT=200 tries
# so many, drawn by SEED (make soak).
set -u
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/refused.sh"

fabric_dir
command -v strace >/dev/null || { echo 'skipped: package strace is not here'; exit 77; }
if ! strace -qq -o "$scratch/calls" -e inject=getppid:error=EPERM true 2>"$scratch/err"; then
	echo "skipped: $(tail -n 1 "$scratch/err")"
	exit 77
fi

# failing CALL ERROR NUMBER - heddle up while that call fails. strace is no ancestor: it does not
# hold the fabric's output open
failing() {
	strace -DDD -f -qq -o "$scratch/calls" -e trace="$1" -e inject="$1:error=$2:when=$3" \
		"$heddle" up "$fabric"
}
injected() { grep -q INJECTED "$scratch/calls" || { echo "no call of $1 failed"; return 1; }; }
named() { refused "$2" failing "${@:3}" && injected "$1"; }
carries() { works failing "${@:2}" && injected "$1"; }
# either - which of the two depends on the kernel and the libraries, whose calls are counted too
either() {
	local status
	failing "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
	case $? in
	0)
		"$heddle" exec h1 -- ping -c 1 -w 30 -q h6
		status=$?
		run 0 down && nothing_left && [ $status = 0 ]
		;;
	4)
		tail -n 1 "$scratch/err" | grep '^heddle up: ' | grep -v "the fabric's daemon died" || return 1
		# the fabric runs, and only its summary could not be had
		! grep -q "was started; end it with 'heddle down" "$scratch/err" || run 0 down && nothing_left
		;;
	2) grep "^$fabric: cannot be read" "$scratch/err" && nothing_left ;;
	127) grep 'error while loading shared libraries' "$scratch/err" && nothing_left ;;
	*) cat "$scratch/err" && false ;;
	esac
}

# hosts with all that the daemon can give them, and a veth link
mkdir "$scratch/site"
echo site >"$scratch/site/index.html"
cat >"$scratch/many.yaml" <<END
name: many
topology:
  switches: [s1, s2]
  links: [{between: [s1, s2], medium: veth}]
  hosts:
    h1: {switch: s1, addresses: [10.1.0.5/24, 'fd01::5/64'], gateway: r1, run: [sleep 1000], dns: [10.1.0.1]}
    r1:
      switch: s1
      addresses: [10.1.0.1/24, 'fd01::1/64']
      interfaces: [{switch: s2, addresses: [10.2.0.1/24], rate: 1Gb/s}]
      router: yes
      run: [[sleep, '1000']]
    h6:
      switch: s2
      addresses: [10.2.0.9/24]
      gateway: r1
      routes: [{to: 10.9.0.0/16, via: r1}]
      mounts: [{from: ./site, to: /srv/www, read-only: yes}, {from: ./site/index.html, to: /srv/index.html}]
      private: [/srv/data]
      health: {run: test -f /srv/www/index.html -a -d /srv/data, every: 50ms, within: 60s}
END
fabric=$topologies/two-racks.yaml

# drawn N - CALLS: N calls of those that heddle makes while a fabric starts
drawn() {
	local kinds=(sendto:ENOBUFS:200 recvmsg:ENOMEM:120 sendmsg:ENOBUFS:90 openat:EMFILE:90 mount:EPERM:60 mkdir:ENOSPC:120
		chmod:EPERM:140 lchown:EPERM:120 symlink:ENOSPC:5 setsockopt:ENOMEM:40 fcntl:EMFILE:30 poll:EINTR:8 ppoll:EINTR:6
		recvfrom:ECONNRESET:60 getdents64:EIO:60 epoll_wait:EINTR:5 unlinkat:EBUSY:4 newfstatat:EACCES:80)
	local call error last
	for ((i = 0; i < $1; i++)); do
		IFS=: read -r call error last <<<"${kinds[RANDOM % ${#kinds[@]}]}"
		CALLS+=" $call:$error:$((1 + RANDOM % last))"
	done
}
if [ "${COUNT:-}" ]; then
	RANDOM=${SEED:-$$}
	echo "SEED=${SEED:-$$}"
	CALLS=
	drawn "$COUNT"
fi
if [ "${CALLS:-}" ]; then
	for each in $CALLS; do
		IFS=: read -r call error number <<<"$each"
		check "$each" either "$call" "$error" "$number"
	done
	finish
	exit
fi

memory='Cannot allocate memory'
files='Too many open files'
full='No space left on device'
# all_named - lines of CALL ERROR NUMBER,NUMBER... SENTENCE
all_named() {
	local call error numbers sentence number
	while read -r call error numbers sentence; do
		for number in ${numbers//,/ }; do
			check "${fabric##*/}: $call, number $number" named "$call" "$sentence" "$call" "$error" "$number"
		done
	done
}
all_named <<END
memfd_create ENOSPC 1 shared memory for the clock: $full
memfd_create ENOSPC 2,3,8 cannot start switch s1, number 2: $full
ftruncate ENOSPC 1 cannot make .*/two-racks: $full
ftruncate ENOSPC 2 cannot write .*/two-racks/hosts: $full
ftruncate ENOSPC 3,4 (the clock|switch s1, number 2): $full
mkdir ENOSPC 1 the runtime directory .*: $full
socketpair EMFILE 1,2 cannot start a process: $files
socketpair EMFILE 3 the fabric's init process: $files
eventfd2 EMFILE 1 switch s1, number 2: too few file descriptors
pidfd_open EMFILE 1 host h1: its pid and mount namespace: $files
clone3 EAGAIN 1 cannot start switch s1, number 1: Resource temporarily unavailable
clone3 EAGAIN 4 cannot start NIC h1, number 4: Resource temporarily unavailable
clone EAGAIN 1 cannot start a process: Resource temporarily unavailable
clone EAGAIN 3 host h.: its pid and mount namespace: Resource temporarily unavailable
unshare ENOSPC 2,4 host h.: its namespaces.*: $full
setns EPERM 1 network namespace of the fabric: Operation not permitted
setns EPERM 2 UTS namespace of the fabric: Operation not permitted
setns EPERM 3 host h1: entering its network namespace: Operation not permitted
socket EMFILE 1 loopback interface of the fabric: $files
socket EMFILE 3,6 host h1: packet sockets on h0: $files
setsockopt ENOMEM 1 loopback interface of the fabric: $memory
sethostname EPERM 1 host h1: its name: Operation not permitted
sethostname EPERM 4 host h4: its name: Operation not permitted
recvmsg ENOMEM 2 loopback interface of the fabric: $memory
recvmsg ENOMEM 3,15 host h1: .*: $memory
sendmsg ENOBUFS 6 host h1: interfaces eth0 and h0: $memory
poll ENOMEM 1 host h1: its pid and mount namespace: $memory
setpgid EPERM 1 cannot start switch s1, number 1: Operation not permitted
epoll_ctl ENOSPC 1 cannot start switch s1, number 1: $full
capset EPERM 1 (switch|NIC) .* its privileges cannot be given up: Operation not permitted
mount EPERM 1 mounts private is refused .Operation not permitted
mount EPERM 2 /etc/hosts is refused .Operation not permitted
END
for number in 3 5 8 12 20; do
	check "mount, number $number: the hosts do without" carries mount mount EPERM $number
done
for each in recvmsg:ENOMEM:8 recvmsg:ENOMEM:20 sendmsg:ENOBUFS:79 openat:EMFILE:40 symlink:ENOSPC:2 chmod:EPERM:2 sendto:ENOMEM:30; do
	IFS=: read -r call error number <<<"$each"
	check "$call, number $number: named or not needed" either "$call" "$error" "$number"
done

fabric=$scratch/many.yaml
all_named <<END
socket EMFILE 2,3 the veth pair between s1 and s2: $files
socket EMFILE 9 host h1: settings of eth0: $files
socket EMFILE 10,13 host r1: .*: $files
setns EPERM 3,4,9,10 host [hr]1: entering its network namespace: Operation not permitted
unshare ENOSPC 3 host r1: its namespaces.*: $full
sendmsg ENOBUFS 3,5 the veth pair between s1 and s2: $memory
sendmsg ENOBUFS 12,14,16,18 host h1: .*: $memory
sendmsg ENOBUFS 24,26,28 host r1: .*: $memory
recvmsg ENOMEM 5,10 the veth pair between s1 and s2: $memory
recvmsg ENOMEM 30,33,36,39,42 host h1: .*: $memory
clone3 EAGAIN 6 cannot start NIC r1.eth1, number 6: Resource temporarily unavailable
END
for number in 15 20 24 30 35 36 37; do
	check "mount, number $number of a host: it does without" carries mount mount ENOMEM $number
done
for each in openat:EMFILE:16 openat:EMFILE:17 mkdir:ENOSPC:4 write:ENOSPC:7 write:ENOSPC:8 recvmsg:ENOMEM:26 dup2:EMFILE:4 \
	pipe2:EMFILE:2 setns:EPERM:5 clone3:EAGAIN:7; do
	IFS=: read -r call error number <<<"$each"
	check "$call, number $number of a host: named or not needed" either "$call" "$error" "$number"
done
finish
