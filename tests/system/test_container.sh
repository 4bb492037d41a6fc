#!/usr/bin/env bash
# test_container - an image from the distribution's packages alone runs a scenario (TB-17), with the
# engine's own seccomp profile by the fallback event loop and with ours by io_uring (TB-5), and the
# results are the bytes that come outside.
#
#   build-image.sh --> localhost/heddle-test:PID --> run.sh parking-lot.yaml, twice
#                                                ==  ./heddle run parking-lot.yaml
#
# Then hosts with real programs in a container (TB-15, TB-16): what docs/containers.md says they
# need, and nothing more.
#
# Whatever happens, the image, the containers and the temporary files are gone at the end.
set -u
. "$(dirname "$0")/common.sh"

containers=$top/containers
scenario=$topologies/parking-lot.yaml
image=localhost/heddle-test:$$
. "$containers/engine.sh"

cleanup() {
	"${engine[@]}" rmi --force "$image" >/dev/null 2>&1
	rm -rf "$scratch"
}

# skip_all WHY - this machine cannot run the test
skip_all() {
	echo "$*"
	exit 77
}

# build - the image, with all temporary files in a folder of ours
build() {
	mkdir "$scratch/tmp"
	TMPDIR=$scratch/tmp "$containers/build-image.sh" --tools "$image" >"$scratch/build.log" 2>&1
}

# in_image NAME SECCOMP STATUS ARGUMENTS... - run.sh ends with STATUS; what it prints and writes is
# in $scratch/NAME
in_image() {
	local folder=$scratch/$1 status
	mkdir -p "$folder"
	(cd "$folder" && SECCOMP=$2 IMAGE=$image "$containers/run.sh" "$scenario" "${@:4}" >out 2>err </dev/null)
	status=$?
	[ "$status" = "$3" ] && return
	echo "exit status $status, not $3"
	cat "$folder/out" "$folder/err"
	return 1
}

# hosts OPTION... - two-racks runs in a container with these options, and its hosts speak to each
# other
hosts() {
	timeout 120 "${engine[@]}" run --rm --network=none --log-driver=none --ulimit nofile=1000:1000 --ulimit nproc=1000:1000 \
		-v "$topologies:/scenario:ro" -v "$scratch/talk:/talk:ro" "$@" "$image" sh /talk >"$scratch/out" 2>"$scratch/err"
}
cat >"$scratch/talk" <<-'TALK'
	set -e
	export HEDDLE_RUNTIME_DIR=/tmp/run
	heddle up /scenario/two-racks.yaml
	heddle exec h1 -- ping -4 -c 2 -i 0.2 -w 30 -q h6
	heddle exec h1 -- ping -6 -c 2 -i 0.2 -w 30 -q h6
	heddle exec h6 -- iperf3 -s -1 -D
	until heddle exec h6 -- grep -hq ':1451 .* 0A ' /proc/net/tcp /proc/net/tcp6; do sleep 0.1; done
	heddle exec h1 -- iperf3 -c h6 -n 1M
	heddle down
	[ -z "$(ls -A /tmp/run)" ]
	echo done
TALK
hosts_work() {
	hosts "$@" && says out done && says out receiver && return
	cat "$scratch/out" "$scratch/err"
	return 1
}
# hosts_refused SENTENCE OPTION... - `heddle up` ends with 4, and its last words are these
hosts_refused() {
	local sentence=$1
	shift
	hosts "$@"
	[ $? = 4 ] && says err "$sentence"
}

no_container() {
	[ -z "$("${engine[@]}" ps --all --quiet --filter "ancestor=$image")" ]
}

no_file() {
	[ -z "$(ls -A "$scratch/tmp")" ] || { ls -lA "$scratch/tmp"; return 1; }
}

no_image() {
	"${engine[@]}" rmi "$image" >/dev/null && ! "${engine[@]}" image inspect "$image" >/dev/null 2>&1
}

# the libraries that build-image.sh finds are listed by hand in the Containerfile, which builds the
# image too
containerfile_lists_libraries() {
	local package
	for package in $(sed -n 's/^build-image: .* with \(.*\); .*/\1/p' "$scratch/build.log"); do
		[ "$package" = libc6 ] || grep -qw -- "$package" "$containers/Containerfile" || { echo "$package is missing"; return 1; }
	done
}

# the file is what its script makes
profile_is_made() {
	"$containers/seccomp.sh" make | cmp - "$containers/seccomp.json"
}

# refused_calls OPTION... - what root of such a container may do, our profile refuses: calls by
# their numbers on x86_64, and with which error: EPERM 1, ENOSYS 38, EAFNOSUPPORT 97
refused_calls() {
	hosts "$@"
	cat "$scratch/out" "$scratch/err"
	says out 'all as expected'
}
cat >"$scratch/calls" <<-'CALLS'
	perl -e 'my $wrong = 0;
	for (["ptrace", 1, 101, 0], ["keyctl", 1, 250, 0, -3, 1], ["bpf", 1, 321, 0], ["chroot", 1, 161, "/"],
		["perf_event_open", 1, 298, 0], ["umount2", 1, 166, "/none", 0], ["userfaultfd", 1, 323, 1],
		["unshare cgroup", 38, 272, 0x02000000], ["clone cgroup", 38, 56, 0x02000011, 0, 0, 0, 0],
		["setns of any kind", 38, 308, 0, 0], ["mount of a disk", 38, 165, "none", "/mnt", "tmpfs", 0, 0],
		["mknod of a device", 38, 133, "/tmp/null", 0020666, 0x103], ["clone3", 38, 435, 0, 0],
		["socket ALG", 97, 41, 38, 5, 0], ["socket VSOCK", 97, 41, 40, 1, 0]) {
		my ($name, $error, @call) = @$_;
		$! = 0;
		my $value = syscall($call[0], map { my $x = $_; $x } @call[1 .. $#call]);
		next if $value == -1 && $! + 0 == $error;
		print "$name: $value, $!\n";
		$wrong = 1;
	}
	print "all as expected\n" unless $wrong;
	exit $wrong'
	mkfifo /tmp/fifo
CALLS

for command in podman mmdebstrap; do
	command -v "$command" >/dev/null || skip_all "$command is not installed"
done
engine_find
"${engine[@]}" info >/dev/null 2>"$scratch/err" || skip_all "podman does not work here: $(tail -n 1 "$scratch/err")"
trap cleanup EXIT
chmod 755 "$scratch" # mmdebstrap may work as another user

if ! build; then
	why=$(grep -m 1 -oE 'apt-get (update|.*download).* failed|Failed to fetch.*|apt knows no package list.*' "$scratch/build.log") &&
		skip_all "the distribution's packages cannot be reached: ${why:0:40}"
	cat "$scratch/build.log"
	check "the image is built" false
	finish
	exit
fi
"${engine[@]}" run --rm --network=none --ulimit nofile=1000:1000 --ulimit nproc=1000:1000 "$image" true 2>"$scratch/err" ||
	skip_all "podman cannot run a container here: $(tail -n 1 "$scratch/err")"
check "outside the image" run 0 run "$scenario" --json "$scratch/outside.json"
check "the engine's own seccomp profile" in_image default default 0 --json result.json
check "the fallback event loop is used, and said" says default/out "event loop fallback"
check "the same bytes as outside" cmp "$scratch/outside.json" "$scratch/default/result.json"
check "our seccomp profile" in_image ours "$containers/seccomp.json" 0 --json result.json
if grep -q 'event loop io_uring' "$scratch/out"; then
	check "io_uring is used, and said" says ours/out "event loop io_uring"
else
	skip "io_uring is used, and said" "not even outside: $(grep -o 'event loop .*' "$scratch/out")"
fi
check "the same bytes as outside" cmp "$scratch/outside.json" "$scratch/ours/result.json"
check "the command line is printed" says ours/err "+ "
check "exit status 1 when an expectation fails" in_image failing "$containers/seccomp.json" 1 \
	--set switch.arbiter=by-port
check "and it is said which" says failing/out "FAIL"
ours=(--security-opt "seccomp=$containers/seccomp.json")
closed=(--cap-drop=all --security-opt no-new-privileges --read-only --tmpfs /tmp)
if [ "$(cat /proc/sys/user/max_user_namespaces)" != 0 ] && unshare -Urn true 2>"$scratch/err"; then
	check "hosts, our profile: no option" hosts_work "${ours[@]}"
	check "hosts, our profile: no capability, as a user" hosts_work "${ours[@]}" "${closed[@]}" --user 1000:1000
	check "hosts, our profile: root needs SETFCAP" hosts_refused "CAP_SETFCAP" "${ours[@]}" "${closed[@]}"
	check "hosts, our profile: and nothing else" hosts_work "${ours[@]}" "${closed[@]}" --cap-add SETFCAP
	check "hosts, the engine's profile: it refuses, and that is said" hosts_refused "its name: Operation not permitted; if a sandbox"
	check "hosts, the engine's profile: SYS_ADMIN opens it" hosts_work --cap-add SYS_ADMIN
	check "hosts, the engine's profile: and SETFCAP, nothing else" hosts_work "${closed[@]}" --cap-add SYS_ADMIN --cap-add SETFCAP
else
	skip "hosts in a container" "user namespaces are not allowed: $(tail -n 1 "$scratch/err")"
fi
check "hosts: all capabilities, no user namespace" hosts_work --cap-add SYS_ADMIN --cap-add NET_ADMIN --cap-add NET_RAW
if [ "$(uname -m)" = x86_64 ]; then
	cp "$scratch/calls" "$scratch/talk"
	check "our profile refuses what neither heddle nor programs need" refused_calls "${ours[@]}" --cap-add SYS_ADMIN
	all_refused() { ! refused_calls --security-opt seccomp=unconfined --cap-add SYS_ADMIN; }
	check "and it is the profile that does" all_refused
else
	skip "our profile refuses what neither heddle nor programs need" "the numbers of calls are those of x86_64"
fi
if command -v jq >/dev/null; then
	check "the seccomp profile is what its script makes" profile_is_made
else
	skip "the seccomp profile is what its script makes" "there is no jq"
fi
if grep -q '^build-image: debian bookworm' "$scratch/build.log"; then
	check "the Containerfile lists the same libraries" containerfile_lists_libraries
else
	skip "the Containerfile lists the same libraries" "it is for Debian bookworm, where they may have other names"
fi
check "no container is left" no_container
check "no temporary file is left" no_file
check "no image is left" no_image
finish
