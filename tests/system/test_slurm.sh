#!/usr/bin/env bash
# test_slurm - Slurm starts a fabric on two of its nodes: the same bytes as on one machine, what
# fails is named, and a job that is cancelled leaves nothing (SC-4).
#
# The cluster is ours: a controller and two node daemons in a network namespace, without
# authentication. Each daemon has temporary files and a /dev/shm of its own. What mpirun starts:
# test_ranks.
set -u
unshare --net --mount true 2>/dev/null || { echo 'only root can make namespaces'; exit 77; }
# all of it is in namespaces of its own: no port is taken, nothing is mounted outside
[ -n "${INSIDE:-}" ] || INSIDE=yes exec unshare --net --mount "$0"
. "$(dirname "$0")/common.sh"

for program in slurmctld slurmd srun scancel; do
	command -v "$program" >/dev/null || { echo "$program is not installed"; exit 77; }
done
srun --mpi=list 2>&1 | grep -q pmix || ls /usr/lib/*/slurm*/mpi_pmix.so >/dev/null 2>&1 ||
	{ echo 'Slurm has no PMIx'; exit 77; }
[ -x "$(dirname "$(readlink -f "$heddle")")/rankd" ] || { echo 'Open MPI is not installed'; exit 77; }
ip link set lo up
# srun wants an address that is not of the loopback interface
ip link add link0 type veth peer name link1
ip addr add 10.99.0.1/24 dev link0
ip link set link0 up
ip link set link1 up

export SLURM_CONF=$scratch/slurm.conf
launch=(srun --mpi=pmix --nodes 2 --ntasks-per-node 1 --kill-on-bad-exit)

# ends the daemons; one of a node ends its steps first
cluster_down() {
	local daemons
	daemons=$(cat "$scratch"/*.pid 2>/dev/null)
	[ -n "$daemons" ] || return 0
	# shellcheck disable=SC2086
	kill $daemons 2>/dev/null
	for _ in $(seq 100); do gone $daemons >/dev/null && break; sleep 0.1; done
}

cluster_up() {
	local node
	cat >"$SLURM_CONF" <<-CONF
		ClusterName=test
		SlurmctldHost=localhost(127.0.0.1)
		SlurmUser=root
		SlurmdUser=root
		AuthType=auth/none
		CredType=cred/none
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		SelectType=select/cons_tres
		KillWait=5
		StateSaveLocation=$scratch/state
		SlurmdSpoolDir=$scratch/spool-%n
		TmpFS=$scratch/tmp-%n
		SlurmctldPidFile=$scratch/controller.pid
		SlurmdPidFile=$scratch/%n.pid
		SlurmctldLogFile=$scratch/controller.log
		SlurmdLogFile=$scratch/%n.log
		NodeName=m1 NodeHostname=localhost NodeAddr=127.0.0.1 Port=17001 CPUs=2
		NodeName=m2 NodeHostname=localhost NodeAddr=127.0.0.1 Port=17002 CPUs=2
		PartitionName=all Nodes=m1,m2 Default=YES State=UP
	CONF
	mkdir "$scratch/state"
	slurmctld -c || return 1
	for node in m1 m2; do
		mkdir "$scratch/tmp-$node"
		unshare --mount sh -c 'mount -t tmpfs shm /dev/shm; exec slurmd -N "$0"' "$node" || return 1
	done
	wait_for sh -c 'sinfo -h -t idle -o %D | grep -x 2' >/dev/null || { tail "$scratch"/*.log; return 1; }
}

same() {
	mkdir "$scratch/one" "$scratch/two"
	"$heddle" run "$topologies/permutation-16.yaml" --csv "$scratch/one" --json "$scratch/one/json" >"$scratch/one/text" || return 1
	timeout 60 "${launch[@]}" "$heddle" run "$topologies/permutation-16.yaml" --csv "$scratch/two" --json "$scratch/two/json" \
		--verbose >"$scratch/two/text" 2>"$scratch/err" || { cat "$scratch/err"; return 1; }
	says err 'join two of 2 machines' && diff -r "$scratch/one" "$scratch/two"
}

# start - a long run; its processes in $processes, rank 1 in $member
start() {
	: >"$scratch/err"
	"${launch[@]}" "$heddle" run "$topologies/parking-lot.yaml" --set run.duration=1000s --set congestion=no --verbose \
		>"$scratch/out" 2>"$scratch/err" </dev/null &
	launcher=$!
	wait_for grep -s 'runs from 0' "$scratch/err" >/dev/null || { cat "$scratch/err"; return 1; }
	member=$(rank_of 1)
	processes=($(rank_of 0) "$member" $(children "$(rank_of 0)") $(children "$member"))
	[ "${#processes[@]}" -ge 4 ]
}

# rank_of RANK - the process of this rank of our cluster
rank_of() {
	local path
	for path in /proc/[0-9]*; do
		grep -qxE 'heddle|rankd' "$path/comm" 2>/dev/null || continue
		grep -qzxF "SLURM_CONF=$SLURM_CONF" "$path/environ" && grep -qzxF "SLURM_PROCID=$1" "$path/environ" || continue
		# not rankd beside the orchestrator
		[ "$(cat "/proc/$(awk '/^PPid/ { print $2 }' "$path/status")/comm")" = heddle ] || { basename "$path"; return; }
	done
}

all_gone() {
	for _ in $(seq 200); do gone "${processes[@]}" >/dev/null && break; sleep 0.05; done
	gone "${processes[@]}"
}

worker_killed() {
	start || return 1
	kill -KILL "$(children "$member" | cut -d ' ' -f 1)"
	wait "$launcher"
	[ $? = 4 ] || { cat "$scratch/err"; return 1; }
	grep -qE 'rank 1 \(.*\), worker [0-9]+ \(pid [0-9]+\).* was killed by signal 9' "$scratch/err" || { cat "$scratch/err"; return 1; }
	all_gone
}

cancelled() {
	start || return 1
	scancel "$(squeue -h -o %i)"
	wait "$launcher"
	says out 'interrupted: the figures are those of that moment' && all_gone
}

without_pmix() {
	timeout 60 srun --mpi=none --nodes 2 --ntasks-per-node 1 "$heddle" run "$topologies/permutation-16.yaml" \
		>"$scratch/out" 2>"$scratch/err" </dev/null
	[ $? = 2 ] && says err 'start them with srun --mpi=pmix'
}

at_end cluster_down
cluster_up >"$scratch/log" 2>&1 || { echo "Slurm does not start: $(tail -n 3 "$scratch/log")"; exit 77; }
check "the same bytes as on one machine" same
check "a worker of the other machine is killed: it is named" worker_killed
check "the job is cancelled: the results so far, nothing is left" cancelled
check "srun without PMIx: what to do" without_pmix
finish
