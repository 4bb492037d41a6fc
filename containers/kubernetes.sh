#!/usr/bin/env bash
# kubernetes - prints manifests that run a fabric on several machines of a Kubernetes cluster, one
# pod for each: a headless Service, a Secret with a new key, a ConfigMap with the scenario, and a
# StatefulSet. No pod has a privilege, and no operator is needed.
#
# usage: containers/kubernetes.sh SCENARIO MACHINES [--set PATH=VALUE]... | kubectl apply -f -
# e.g.   containers/kubernetes.sh topologies/two-racks.yaml 2 --set links.delay=20ms
#
# The machines, and the pods, are called NAME-0, NAME-1 ..., also in topology.machines of the
# scenario. Files that a scenario names are not in the ConfigMap.
# NAME       of everything; the scenario's name if it is not given
# IMAGE      localhost/heddle if not given; build-image.sh --tools makes it
# SECCOMP    the profile in the kubelet's folder for them (containers/seccomp.json, copied there):
#            heddle.json if not given; "unconfined": none
set -euo pipefail

fail() {
	echo "kubernetes: $*" >&2
	exit 2
}

# quoted TEXT - as a string of YAML
quoted() {
	local text=${1//\\/\\\\}
	printf '"%s"' "${text//\"/\\\"}"
}

[ $# -ge 2 ] || fail 'usage: containers/kubernetes.sh SCENARIO MACHINES [--set PATH=VALUE]...'
scenario=$1
machines=$2
shift 2
[ -r "$scenario" ] || fail "cannot read $scenario"
[[ $machines =~ ^[0-9]+$ ]] && [ "$machines" -ge 2 ] && [ "$machines" -le 16 ] ||
	fail "MACHINES: expected a number from 2 to 16, not '$machines'"
name=${NAME:-$(sed -nE 's/^name: *"?([A-Za-z0-9.-]+).*/\1/p' "$scenario" | head -n 1)}
name=${name,,}
[[ $name =~ ^[a-z]([a-z0-9-]{0,40}[a-z0-9])?$ ]] ||
	fail "NAME: expected a name of Kubernetes of at most 42 characters, such as my-fabric, not '$name'"
options=()
while [ $# -gt 0 ]; do
	[ "$1" = --set ] && [ $# -ge 2 ] || fail "'$1': expected --set PATH=VALUE"
	[[ $2 != *"'"* && $2 != *$'\n'* ]] || fail '--set: expected one line without quotes'
	options+=("--set" "'$2'")
	shift 2
done

list=
for ((i = 0; i < machines; i++)); do
	list+="${list:+,}$name-$i=$name-$i.$name"
done
key=$(od -An -N 32 -v -tx1 /dev/urandom | tr -d ' \n')
if [ "${SECCOMP:-}" = unconfined ]; then
	seccomp='{type: Unconfined}'
else
	seccomp="{type: Localhost, localhostProfile: $(quoted "${SECCOMP:-heddle.json}")}"
fi

cat <<MANIFEST
# Made by containers/kubernetes.sh: the fabric of $(basename "$scenario") on $machines machines.
apiVersion: v1
kind: Service
metadata: {name: $name, labels: {app: $name}}
spec:
  clusterIP: None
  publishNotReadyAddresses: true # pods find each other before the fabric begins
  selector: {app: $name}
  ports:
    - {name: tunnel, protocol: UDP, port: 7117}
---
apiVersion: v1
kind: Secret
metadata: {name: $name-key, labels: {app: $name}}
type: Opaque
stringData: {key: $(quoted "$key")}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: $name-scenario, labels: {app: $name}}
data:
  scenario.yaml: |
$(sed 's/^/    /' "$scenario")
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: $name, labels: {app: $name}}
spec:
  serviceName: $name
  replicas: $machines
  podManagementPolicy: Parallel # each waits for all others
  selector: {matchLabels: {app: $name}}
  template:
    metadata: {labels: {app: $name}}
    spec:
      automountServiceAccountToken: false
      terminationGracePeriodSeconds: 30
      affinity:
        podAntiAffinity:
          preferredDuringSchedulingIgnoredDuringExecution:
            - weight: 100
              podAffinityTerm: {labelSelector: {matchLabels: {app: $name}}, topologyKey: kubernetes.io/hostname}
      securityContext: {runAsNonRoot: true, runAsUser: 1000, runAsGroup: 1000, fsGroup: 1000, seccompProfile: $seccomp}
      containers:
        - name: heddle
          image: $(quoted "${IMAGE:-localhost/heddle}")
          imagePullPolicy: IfNotPresent
          command: [sh, -c]
          args:
            - |
              trap 'heddle down --all; exit' TERM INT
              heddle up /scenario/scenario.yaml ${options[*]} --machines $list --key /key/key &
              wait \$! || exit
              while heddle ps --json | grep -q '"fabric"'; do
                sleep 5 &
                wait \$!
              done
              exit 1
          env:
            - {name: HEDDLE_RUNTIME_DIR, value: /run/heddle/fabrics}
          ports:
            - {name: tunnel, protocol: UDP, containerPort: 7117}
          readinessProbe:
            exec: {command: [sh, -c, "heddle ps --json | grep -q fabric"]}
            periodSeconds: 5
            timeoutSeconds: 5
          securityContext: {allowPrivilegeEscalation: false, privileged: false, capabilities: {drop: [ALL]}}
          volumeMounts:
            - {name: scenario, mountPath: /scenario, readOnly: true}
            - {name: key, mountPath: /key, readOnly: true}
            - {name: run, mountPath: /run/heddle}
      volumes:
        - name: scenario
          configMap: {name: $name-scenario}
        - name: key
          secret: {secretName: $name-key, defaultMode: 0440}
        - name: run
          emptyDir: {medium: Memory}
MANIFEST
