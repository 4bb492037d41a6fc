#!/usr/bin/env bash
# seccomp - makes containers/seccomp.json of containers/seccomp.calls, and compares it with the
# calls of programs.
#
# usage: containers/seccomp.sh make      the profile, for containers/seccomp.json; needs jq
#        containers/seccomp.sh seen      the calls of heddle and typical programs, with strace
#        containers/seccomp.sh verify    those of them that the profile refuses; status 1 if any
#
# 'seen' and 'verify' run ./heddle and the installed programs of the list below in a separate
# fabric, for half a minute or more. As root they do it twice: for a fabric of root, and for an
# unprivileged one, which makes namespaces differently. HEDDLE names another heddle.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
heddle=${HEDDLE:-$here/../heddle}
topologies=$here/../topologies

# ---- the profile ----

# groups - seccomp.calls as JSON: [{comment, names}]
groups() {
	sed 's/#.*//' "$here/seccomp.calls" | jq -Rn 'reduce inputs as $line ([];
		if $line | test(":$") then . + [{comment: $line[:-1], names: []}]
		else ($line | split(" ") - [""]) as $names | if $names == [] then . else .[-1].names += $names end end)'
}

# make - the allow list with all its conditions, one rule a line. Each number's meaning stands in
# its rule's comment.
make() {
	local allowed
	allowed=$(groups)
	jq -rn --argjson groups "$allowed" '
		def rule($comment; $names; $action; $args): {names: $names, action: $action, args: $args, comment: $comment};
		def is($index; $value): {index: $index, value: $value, op: "SCMP_CMP_EQ"};
		def without($index; $bits): {index: $index, value: $bits, valueTwo: 0, op: "SCMP_CMP_MASKED_EQ"};
		def allow($comment; $names; $args): rule($comment; $names; "SCMP_ACT_ALLOW"; $args);
		def refuse($comment; $names): rule($comment; $names; "SCMP_ACT_ERRNO"; []) + {errnoRet: 1, errno: "EPERM"};
		{defaultAction: "SCMP_ACT_ERRNO", defaultErrnoRet: 38, defaultErrno: "ENOSYS",
		archMap: [{architecture: "SCMP_ARCH_X86_64", subArchitectures: []},
			{architecture: "SCMP_ARCH_AARCH64", subArchitectures: []}],
		syscalls: ([$groups[] | allow(.comment; .names; [])] +
			[([[1, "unix"], [2, "inet"], [10, "inet6"], [16, "netlink"], [17, "packet"]][] |
				allow("sockets: family " + .[1]; ["socket"]; [is(0; .[0])])),
			rule("sockets: newer families are not there"; ["socket"]; "SCMP_ACT_ERRNO";
				[{index: 0, value: 17, op: "SCMP_CMP_GT"}]) + {errnoRet: 97, errno: "EAFNOSUPPORT"},
			([[1073741824, "net"], [67108864, "uts"], [131072, "mnt"], [268435456, "user"], [536870912, "pid"]][] |
				allow("entering a host: its namespace " + .[1]; ["setns"]; [is(1; .[0])])),
			allow("processes and threads, and those of a host: a pid and a mount namespace (no net, uts, ipc, user, cgroup)";
				["clone"]; [without(0; 1577058304)]),
			allow("namespaces of a fabric: user, net, uts, mnt, ipc (no pid, cgroup, time)";
				["unshare"]; [without(0; 570425472)]),
			([[278528, "nothing goes out: private, recursive"], [4096, "bind"], [20480, "bind, recursive"],
				[6, "folders of its own: nosuid, nodev"], [10, "terminals of its own: nosuid, noexec"],
				[14, "fresh proc and sysfs: nosuid, nodev, noexec"],
				[4142, "remount of a bind: nosuid, nodev, noexec"],
				[4143, "the same, read-only"]][] |
				allow("mounts of a host: " + .[1]; ["mount"]; [is(3; .[0])])),
			allow("named pipes, and no other node"; ["mknod"];
				[{index: 1, value: 61440, valueTwo: 4096, op: "SCMP_CMP_MASKED_EQ"}]),
			allow("named pipes, and no other node"; ["mknodat"];
				[{index: 2, value: 61440, valueTwo: 4096, op: "SCMP_CMP_MASKED_EQ"}]),
			([0, 4294967295][] | allow("the usual personality, or which it is"; ["personality"]; [is(0; .)])),
			refuse("refused in so many words, so that programs say why; what is in no rule does not exist (ENOSYS)"; ["bpf",
				"perf_event_open", "ptrace", "kcmp", "process_madvise", "pidfd_getfd", "userfaultfd", "add_key",
				"keyctl", "request_key", "init_module", "finit_module", "delete_module", "kexec_load",
				"kexec_file_load", "reboot", "swapon", "swapoff", "acct", "quotactl", "quotactl_fd", "syslog",
				"settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "setdomainname", "iopl", "ioperm",
				"chroot", "pivot_root", "umount2", "name_to_handle_at", "open_by_handle_at", "fanotify_init",
				"move_pages", "migrate_pages", "vhangup", "lookup_dcookie"])])} |
		(.syscalls | map("  " + tojson) | join(",\n")) as $rules |
		(del(.syscalls) | tojson[1:-1]) as $head | "{\($head),\n \"syscalls\": [\n\($rules)\n ]}"'
}

# ---- what programs call ----

# traced NAME COMMAND... - runs it, its children and theirs; the names of their calls are added to
# $scratch/NAME.*
traced() {
	local name=$1
	shift
	timeout 60 strace -f -c -U name -o "$scratch/calls/$name.$((++number))" "$@" >>"$scratch/log" 2>&1 </dev/null
}

# in_host HOST SECONDS PROGRAM... - if it is installed; so many seconds at most
in_host() {
	local status=0
	command -v "$3" >/dev/null || { echo "seccomp: $3 is not installed, and left out" >&2; return 0; }
	traced "$3" "${as[@]}" "$heddle" exec "$1" -- timeout "${@:2}" || status=$?
	case $status in
	0 | 124 | 137) ;; # a server: its time was over, or the fabric's
	*) echo "seccomp: $3 ended with status $status" >&2 ;;
	esac
}

# fabric - heddle's programs under both clocks, and real programs in its hosts; 'as' is put before
# heddle
fabric() {
	traced run "${as[@]}" "$heddle" run "$topologies/parking-lot.yaml" --json "$HEDDLE_RUNTIME_DIR/virtual.json" \
		--capture s0:h0="$HEDDLE_RUNTIME_DIR/virtual.pcapng" || true
	traced run "${as[@]}" "$heddle" run "$topologies/parking-lot.yaml" --clock real --set run.duration=200ms || true
	traced up "${as[@]}" "$heddle" up "$topologies/two-racks.yaml" &
	for _ in $(seq 300); do
		"${as[@]}" "$heddle" exec h1 -- true 2>/dev/null && break
		sleep 0.1
	done
	traced ps "${as[@]}" "$heddle" ps || true
	in_host h1 20 bash -c 'mkfifo "$1/fifo" && ls -l "$1" | cat; rm "$1/fifo"; ulimit -a; echo $HOSTNAME' bash "$HEDDLE_RUNTIME_DIR"
	in_host h1 20 ping -4 -c 2 -i 0.2 -q h6
	in_host h1 20 ping -6 -c 2 -i 0.2 -q h6
	in_host h1 20 ip -s addr
	in_host h1 20 ss -tan
	in_host h6 8 tcpdump -Z root -c 1 -i eth0 -w "$HEDDLE_RUNTIME_DIR/one.pcap" &
	in_host h6 12 iperf3 -s -1 &
	sleep 3
	in_host h1 20 iperf3 -c h6 -t 1
	in_host h6 40 python3 -m http.server 8000 --bind :: &
	in_host h1 40 curl --retry 30 --retry-delay 1 --retry-connrefused -sg -o /dev/null http://h6:8000/
	in_host h1 20 python3 -c 'import asyncio, multiprocessing, socket, ssl, subprocess, tempfile, threading
if __name__ == "__main__":
    with multiprocessing.Pool(2) as pool: pool.map(abs, [1, -2])
    subprocess.run(["true"]); tempfile.TemporaryFile().write(b"x"); asyncio.run(asyncio.sleep(.01))'
	# its folder in /tmp has the name of the user: not that of another fabric's root
	TMPDIR=$HEDDLE_RUNTIME_DIR in_host h1 30 mpirun --allow-run-as-root --oversubscribe -n 2 "${MPI_PROGRAM:-hostname}"
	traced down "${as[@]}" "$heddle" down || true
	wait
}

# seen - one name a line, of all programs
seen() {
	command -v strace >/dev/null || { echo "seccomp: strace is missing; as root: apt-get install strace" >&2; exit 2; }
	scratch=$(mktemp -d)
	trap 'rm -rf "$scratch"' EXIT
	number=0 as=()
	mkdir "$scratch/calls"
	mkdir -m 700 "$scratch/root" "$scratch/user"
	export HEDDLE_RUNTIME_DIR=$scratch/root
	mpi_program
	fabric
	if [ "$(id -u)" = 0 ] && unshare -Ur true 2>/dev/null; then
		chmod 755 "$scratch"
		chown 1000:1000 "$scratch/user"
		HEDDLE_RUNTIME_DIR=$scratch/user as=(setpriv --reuid 1000 --regid 1000 --clear-groups env "HOME=$scratch/user")
		fabric
	fi
	sed -E '/^(-|$)/d; s/^ *//' "$scratch/calls"/* | grep -xE '[a-z_0-9]+' | grep -vx -e syscall -e total | sort -u
}

# mpi_program - messages of all sizes between two ranks, if there is a compiler for it
mpi_program() {
	command -v mpicc >/dev/null || return 0
	cat >"$scratch/mpi.c" <<-'C'
		#include <mpi.h>
		static char bytes[1 << 20];
		int main(int argc, char **argv)
		{
			int rank;
			MPI_Init(&argc, &argv);
			MPI_Comm_rank(MPI_COMM_WORLD, &rank);
			for (int n = 1; n <= 1 << 20; n *= 4)
				if (rank) MPI_Recv(bytes, n, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
				else MPI_Send(bytes, n, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
			MPI_Barrier(MPI_COMM_WORLD);
			return MPI_Finalize();
		}
	C
	MPI_PROGRAM=$scratch/mpi
	mpicc -o "$MPI_PROGRAM" "$scratch/mpi.c"
	chmod 755 "$MPI_PROGRAM"
}

verify() {
	local allowed missing
	allowed=$(mktemp)
	make | jq -r '.syscalls[] | select(.action == "SCMP_ACT_ALLOW").names[]' | sort -u >"$allowed"
	seen >"$allowed.seen"
	# its flags are in memory, where no profile sees them; glibc then takes clone
	missing=$(comm -23 "$allowed.seen" "$allowed" | grep -vx clone3) || true
	rm "$allowed" "$allowed.seen"
	[ -z "$missing" ] || { echo "refused by the profile, and called:"; echo "$missing"; return 1; }
	echo "the profile allows every call that was seen (of clone3 the library takes clone instead)"
}

case ${1:-} in
make | seen | verify) "$1" ;;
*) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; [ "${1:-}" = --help ] || exit 2 ;;
esac
