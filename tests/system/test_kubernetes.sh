#!/usr/bin/env bash
# test_kubernetes - the manifests of containers/kubernetes.sh (SC-5): their structure.
set -u
. "$(dirname "$0")/common.sh"

manifest=$scratch/manifest.yaml
# manifests SCENARIO MACHINES OPTION... - to $manifest
manifests() { "$top/containers/kubernetes.sh" "$@" >"$manifest" 2>"$scratch/err"; }
refused() { ! manifests "$@" && says err "kubernetes:"; }

python3 -c 'import yaml' 2>/dev/null || { echo 'skipped: no python3-yaml'; exit 77; }
check 'one machine is refused' refused "$topologies/two-racks.yaml" 1
check 'a scenario that is not there is refused' refused "$scratch/none.yaml" 2
check 'other options are refused' refused "$topologies/two-racks.yaml" 2 --pack
check 'manifests are made' manifests "$topologies/two-racks.yaml" 2 --set links.rate=100Mb/s --set links.delay=20ms

# what Kubernetes requires of such objects, and what this project promises of them.
structure() {
	python3 - "$manifest" "$topologies/two-racks.yaml" <<-'PYTHON'
	import re, sys, yaml
	service, secret, config, pods = yaml.safe_load_all(open(sys.argv[1]))
	assert [d["kind"] for d in (service, secret, config, pods)] == ["Service", "Secret", "ConfigMap", "StatefulSet"]
	assert [d["apiVersion"] for d in (service, secret, config, pods)] == ["v1", "v1", "v1", "apps/v1"]
	for d in (service, secret, config, pods):
	    assert re.fullmatch(r"[a-z]([a-z0-9-]{0,61}[a-z0-9])?", d["metadata"]["name"]), d
	name = pods["metadata"]["name"]
	assert re.fullmatch("[0-9a-f]{64}", secret["stringData"]["key"])
	assert config["data"]["scenario.yaml"] == open(sys.argv[2]).read()
	assert service["spec"]["clusterIP"] == "None" and service["spec"]["publishNotReadyAddresses"] is True
	assert service["spec"]["ports"] == [{"name": "tunnel", "protocol": "UDP", "port": 7117}]
	spec = pods["spec"]
	assert set(spec) == {"serviceName", "replicas", "podManagementPolicy", "selector", "template"}
	assert spec["serviceName"] == service["metadata"]["name"] and spec["replicas"] == 2
	assert spec["podManagementPolicy"] == "Parallel"
	labels = spec["template"]["metadata"]["labels"]
	assert spec["selector"]["matchLabels"] == labels == service["spec"]["selector"]
	pod = spec["template"]["spec"]
	assert not {"hostNetwork", "hostPID", "hostIPC", "initContainers"} & set(pod)
	assert pod["automountServiceAccountToken"] is False
	security = pod["securityContext"]
	assert security["runAsNonRoot"] is True and security["runAsUser"] > 0
	assert security["seccompProfile"] == {"type": "Localhost", "localhostProfile": "heddle.json"}
	(container,) = pod["containers"]
	assert container["securityContext"] == {"allowPrivilegeEscalation": False, "privileged": False, "capabilities": {"drop": ["ALL"]}}
	volumes = {v["name"]: v for v in pod["volumes"]}
	mounts = {m["name"]: m for m in container["volumeMounts"]}
	assert set(volumes) == set(mounts) and not any("hostPath" in v for v in volumes.values())
	assert volumes["key"]["secret"] == {"secretName": secret["metadata"]["name"], "defaultMode": 0o440}
	assert volumes["scenario"]["configMap"]["name"] == config["metadata"]["name"]
	assert mounts["key"]["readOnly"] and mounts["scenario"]["readOnly"]
	assert container["ports"][0]["containerPort"] == 7117 and container["ports"][0]["protocol"] == "UDP"
	(args,) = container["args"]
	assert container["command"] == ["sh", "-c"]
	assert "--machines %s-0=%s-0.%s,%s-1=%s-1.%s " % ((name,) * 6) in args
	PYTHON
}
check 'they have the structure that Kubernetes requires, and no privileges' structure
finish
