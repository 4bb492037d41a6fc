#!/usr/bin/env bash
# test_kubernetes_pods - the manifests of containers/kubernetes.sh run (SC-5): their pods, as
# containers of Podman on this machine, with the privileges, volumes and names that the manifest
# states.
#
#     pod two-racks-0                           pod two-racks-1
#     h1, h2 - s1 ~~~ UDP, network of Podman ~~~ s2 - s3 - h5, h6
#                                               h3, h4
#
# A pod with another key connects to nothing. Pods become ready, and hosts of both reach each
# other. A container that is killed is started again and connects; SIGTERM ends a pod in its time.
# A pod that is gone is named by the other, and one that replaces it, with another address, is
# connected. Then three machines.
#
# Podman has its own store, and the network namespace, /run and /dev/shm are the test's: nothing
# of the machine's containers and networks is touched, and all is gone with the test.
# kubernetes_pods.py is the StatefulSet's controller and the kubelet.
if [ "${1:-}" != inside ]; then
	[ "$(id -u)" = 0 ] || { echo 'skipped: only root can make the volumes of pods'; exit 77; }
	unshare --mount --net true 2>/dev/null || { echo 'skipped: no namespaces here'; exit 77; }
	exec 8</proc/self/ns/mnt 9</proc/self/ns/net # for the build, which needs the network
	exec unshare --mount --net bash "$(dirname "$0")/$(basename "$0")" inside
fi
set -u
. "$(dirname "$0")/common.sh"

containers=$top/containers
image=localhost/heddle-test:$$
. "$containers/engine.sh"

# skip_all WHY - this machine cannot run the test
skip_all() {
	echo "skipped: $*"
	exit 77
}

for command in podman mmdebstrap python3 jq; do
	command -v "$command" >/dev/null || skip_all "$command is not installed"
done
python3 -c 'import yaml' 2>/dev/null || skip_all 'no python3-yaml'
mount -t tmpfs none /run && mount -t tmpfs none /dev/shm && ip link set lo up || skip_all 'nothing can be mounted here'

# ---- Podman of this test alone ----

chmod 711 "$scratch" # mmdebstrap may work as another user
mkdir "$scratch/tmp" "$scratch/seccomp"
cp "$containers/seccomp.json" "$scratch/seccomp/heddle.json"
files=$(ulimit -Hn)
[ "$files" != unlimited ] && [ "$files" -lt 20000 ] || files=20000
echo "[containers]
default_ulimits = [\"nofile=$files:$files\", \"nproc=4096:4096\"]" >"$scratch/containers.conf"
export CONTAINERS_CONF=$scratch/containers.conf
engine_find
[ "${engine[0]##*/}" = podman ] || skip_all "ENGINE is not podman: ${engine[*]}"
engine+=(--root "$scratch/store" --network-config-dir "$scratch/networks")

# the machine of all pods
podman_() { "${engine[@]}" "$@" 2> >(grep -v 'connect to syslog' >&2); }
# whatever is left of it
podman_end() {
	podman_ pod rm --force --all --time 0
	podman_ network rm --force pods
	findmnt --raw --noheadings --output TARGET | grep -F "$scratch/" | sort -r | xargs -r -n 1 umount --lazy
}
at_end 'podman_end >/dev/null 2>&1'

# A test that is killed ends nothing itself: then this process does, which has a process group of
# its own.
set -m
(
	trap '' HUP INT TERM
	while kill -0 $$; do sleep 1; done
	podman_end
	rm -rf "$scratch"
) >/dev/null 2>&1 </dev/null 8<&- 9<&- &
watcher=$!
set +m
at_end 'kill -KILL $watcher; wait $watcher 2>/dev/null'

podman_ info >/dev/null 2>"$scratch/err" || skip_all "podman does not work here: $(tail -n 1 "$scratch/err")"
podman_ network create pods >"$scratch/out" 2>&1 || skip_all "podman has no networks here: $(tail -n 1 "$scratch/out")"
podman_ network inspect pods | jq -e '.[0].dns_enabled' >/dev/null ||
	skip_all "podman's networks have no names here: its DNS (aardvark-dns) is not installed"

# build - the image, in the namespaces of the machine, for the Podman of this test; with all
# temporary files in a folder of ours
build() {
	TMPDIR=$scratch/tmp ENGINE="nsenter --mount=/proc/$$/ns/mnt --net=/proc/$$/ns/net -- ${engine[*]}" \
		nsenter --mount=/proc/self/fd/8 --net=/proc/self/fd/9 -- "$containers/build-image.sh" --tools "$image" >"$scratch/build.log" 2>&1
}
if ! build; then
	why=$(grep -m 1 -oE 'apt-get (update|.*download).* failed|Failed to fetch.*|apt knows no package list.*' "$scratch/build.log") &&
		skip_all "the distribution's packages cannot be reached: ${why:0:40}"
	cat "$scratch/build.log"
	check "the image is built" false
	finish
	exit
fi
exec 8<&- 9<&-
podman_ run --rm --network pods "$image" true 2>"$scratch/err" ||
	skip_all "podman cannot run a container here: $(tail -n 1 "$scratch/err")"

# ---- pods ----

# manifests NAME MACHINES - what a cluster makes of them is in /run/NAME
manifests() {
	NAME=$1 IMAGE=$image "$containers/kubernetes.sh" "$topologies/two-racks.yaml" "$2" --set links.rate=100Mb/s \
		--set links.delay=20ms >"$scratch/$1.yaml" || return
	python3 "$(dirname "$0")/kubernetes_pods.py" "$scratch/$1.yaml" "/run/$1"
}

# start NAME INDEX - the pod, with the name that the headless Service gives it
start() {
	podman_ kube play --seccomp-profile-root "$scratch/seccomp" --network "pods:alias=$1-$2.$1" "/run/$1/$1-$2.yaml"
}

# in_pod POD COMMAND... - as `kubectl exec` does it
in_pod() {
	local pod=$1
	shift
	podman_ exec -i "$pod-heddle" "$@"
}
logs() { podman_ logs "$1-heddle" 2>&1; }
inspect() { podman_ inspect --format "$2" "$1-heddle"; }

# patiently COMMAND... - tries it until it succeeds, two minutes or more
patiently() {
	for _ in $(seq 120); do
		"$@" >"$scratch/patiently" 2>&1 && return
		sleep 1
	done
	cat "$scratch/patiently"
	for pod in $(podman_ pod ps --format '{{.Name}}'); do
		echo "$pod:"
		logs "$pod" | tail -n 5
	done
	return 1
}

# ready POD - what the manifest's readinessProbe says
ready() {
	local probe
	mapfile -t probe <"/run/${1%-*}/probe"
	in_pod "$1" "${probe[@]}"
}
not_ready() { ! ready "$1"; }
all_ready() {
	local pod
	for pod in "$@"; do
		ready "$pod" || { echo "$pod is not ready"; return 1; }
	done
}

# sees POD OTHER STATE - is that the state of the other machine, as `heddle ps` of this one says?
sees() {
	in_pod "$1" heddle ps --json >"$scratch/ps"
	jq -e --arg name "$2" --arg state "$3" 'any(.[0].machines[]; .name == $name and .state == $state)' \
		"$scratch/ps" >/dev/null && return
	jq -c '.[0].machines[] | {name, state}' "$scratch/ps"
	return 1
}
says_log() { logs "$1" | grep -F -- "$2"; }

# stop POD - SIGTERM, and SIGKILL after the time of the manifest, of which there is no need. Then
# the network, as a kubelet does; `podman pod stop` ends both at once.
stop() {
	podman_ stop --time "$(cat "/run/${1%-*}/grace")" "$1-heddle" || return
	logs "$1" | tail -n 5
	[ "$(inspect "$1" '{{.State.ExitCode}}')" != 137 ] && podman_ pod stop --time 0 "$1"
}

# across POD HOST PEER - a ping of one host to the other
across() { in_pod "$1" heddle exec "$2" -- ping -4 -c 1 -W 10 "$3"; }

# ---- a manifest that Podman reads ----

check 'manifests are made, and pods of them' manifests two-racks 2
reads() { podman_ kube play /run/two-racks/objects.yaml && podman_ secret rm two-racks-key; }
check 'podman reads the Secret and the ConfigMap' reads

# ---- another key ----

key=/run/two-racks/two-racks-1/key/key
cp -p "$key" "$scratch/key"
od -An -N 32 -v -tx1 /dev/urandom | tr -d ' \n' >"$key"
check 'a pod starts' start two-racks 0
check 'so does one with another key' start two-racks 1
check 'the first says why it waits' patiently says_log two-racks-0 'not sealed with this key'
check 'it is not ready' not_ready two-racks-0
check 'nor is the other' not_ready two-racks-1
check 'SIGTERM ends a pod that waits' stop two-racks-0
check 'and the other one' stop two-racks-1
removed() { podman_ pod rm "$@" && [ -z "$(podman_ ps --all --quiet)" ]; }
check 'both are removed' removed two-racks-0 two-racks-1
cp -p "$scratch/key" "$key"

# ---- two machines ----

check 'pod 0 starts' start two-racks 0
check 'pod 1 starts' start two-racks 1
check 'both are ready' patiently all_ready two-racks-0 two-racks-1
check 'machine 0 is connected to 1' patiently sees two-racks-0 two-racks-1 connected
check 'machine 1 is connected to 0' patiently sees two-racks-1 two-racks-0 connected

# as the manifest states it
confined() {
	in_pod "$1" sh -c 'cat /proc/1/status; hostname; sed "s/^/mount /" /proc/1/mounts' >"$scratch/status"
	for line in 'Uid:.1000.1000.1000.1000' 'Gid:.1000.1000.1000.1000' 'NoNewPrivs:.1' 'Seccomp:.2' 'Cap(Eff|Prm|Bnd|Inh|Amb):.0{16}' \
		"$1" 'mount [^ ]+ /scenario [^ ]+ ro,.*' 'mount [^ ]+ /key [^ ]+ ro,.*' 'mount [^ ]+ /run/heddle tmpfs rw,.*'; do
		grep -qxE "$line" "$scratch/status" || { echo "not there: $line"; cat "$scratch/status"; return 1; }
	done
}
check 'pod 0 has no privilege, and read-only volumes' confined two-racks-0
check 'so has pod 1' confined two-racks-1
check 'a host of machine 0 reaches one of machine 1' patiently across two-racks-0 h1 h6

# one TCP connection from h1 to h6
transfer() {
	head -c 2000000 /dev/urandom >"$scratch/sent"
	# shellcheck disable=SC2016
	in_pod two-racks-1 heddle exec h6 -- timeout 300 perl -MIO::Socket::INET -e '
		my $server = IO::Socket::INET->new(Listen => 1, LocalPort => 5001) or die $!;
		my $client = $server->accept; my $bytes;
		print $bytes while $client->sysread($bytes, 65536)' >"$scratch/received" &
	patiently in_pod two-racks-1 heddle exec h6 -- grep -q ':1389 .* 0A ' /proc/net/tcp &&
		in_pod two-racks-0 heddle exec h1 -- timeout 300 bash -c 'cat >/dev/tcp/h6/5001' <"$scratch/sent"
	wait $!
	cmp "$scratch/sent" "$scratch/received"
}
check 'a TCP connection carries every byte' transfer

# ---- a container that ends ----

restarted() { [ "$(inspect "$1" '{{.RestartCount}}')" -ge "$2" ]; }
kill_container() { kill -KILL "$(inspect "$1" '{{.State.Pid}}')"; }
check 'the container of pod 1 is killed' kill_container two-racks-1
check 'it is started again' patiently restarted two-racks-1 1
check 'and becomes ready' patiently all_ready two-racks-1
check 'machine 0 is connected to it again' patiently sees two-racks-0 two-racks-1 connected
check 'hosts reach each other again' patiently across two-racks-0 h1 h6
check 'a fabric is ended in pod 1' in_pod two-racks-1 heddle down
check 'its container ends, and is started again' patiently restarted two-racks-1 2
check 'and becomes ready again' patiently all_ready two-racks-1
check 'and is connected again' patiently across two-racks-0 h1 h6

# ---- a pod that ends ----

check 'SIGTERM ends pod 1' stop two-racks-1
check 'with heddle down' says_log two-racks-1 'fabric two-racks has ended'
check 'machine 0 says that it has ended' patiently sees two-racks-0 two-racks-1 ended
check 'a host of machine 0 still reaches its neighbour' patiently across two-racks-0 h1 h2
check 'pod 1 is removed' podman_ pod rm two-racks-1
check 'a new one starts' start two-racks 1
check 'and is ready' patiently all_ready two-racks-1
check 'hosts of both reach each other' patiently across two-racks-1 h5 h2

address() { in_pod two-racks-0 getent hosts two-racks-1.two-racks | cut -d ' ' -f 1; }
address >"$scratch/address"
check 'pod 1 is removed without any time' podman_ pod rm --force --time 0 two-racks-1
check 'machine 0 says that it is silent' patiently sees two-racks-0 two-racks-1 silent
check 'a new one starts' start two-racks 1
check 'it has another address' eval 'address | tee "$scratch/out"; ! cmp -s "$scratch/out" "$scratch/address"'
check 'it is ready' patiently all_ready two-racks-1
check 'machine 0 is connected to it' patiently sees two-racks-0 two-racks-1 connected
check 'hosts of both reach each other' patiently across two-racks-0 h1 h6
check 'SIGTERM ends both' eval 'stop two-racks-0 && stop two-racks-1'
check 'nothing is left of them' removed two-racks-0 two-racks-1

# ---- three machines ----

check 'manifests for three machines' manifests three 3
check 'their pods start' eval 'start three 2 && start three 0 && start three 1'
check 'all are ready' patiently all_ready three-0 three-1 three-2
check 'machine 0 is connected to 2' patiently sees three-0 three-2 connected
check 'hosts of the first and the last reach each other' patiently across three-0 h1 h6
check 'SIGTERM ends all' eval 'stop three-0 && stop three-1 && stop three-2'
check 'no pod is left' removed three-0 three-1 three-2

# ---- the end ----

nothing_left() {
	[ -z "$(podman_ pod ps --quiet; podman_ ps --all --quiet; podman_ volume ls --quiet; podman_ secret ls --quiet)" ] &&
		[ -z "$(ls -A "$scratch/tmp")" ]
}
check 'the network is removed' podman_ network rm pods
check 'no container, volume, secret or temporary file is left' nothing_left
check 'no network namespace is left' eval '[ -z "$(ls -A /run/netns 2>/dev/null)" ]'
finish
