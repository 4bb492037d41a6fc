#!/usr/bin/env python3
"""kubernetes_pods - what a cluster makes of the manifests of containers/kubernetes.sh, for one machine.

usage: kubernetes_pods.py MANIFEST FOLDER

A StatefulSet becomes the pods NAME-0 .. NAME-(N-1), as its controller makes them. Their volumes
become folders with the owners and modes that a kubelet gives them: `podman kube play` 4.3 gives all
pods one emptyDir on a disk, reads no stringData and has no fsGroup. It knows a seccomp profile as an annotation only, as
Kubernetes before 1.19. `ports` are left out: Podman would publish them. The rest stays.

In FOLDER: objects.yaml (the Secret and the ConfigMap); NAME-i.yaml, and NAME-i/VOLUME, for each
pod; probe, an argument on each line; grace, the seconds after SIGTERM.
"""

import copy
import os
import subprocess
import sys

import yaml

SECCOMP = "seccomp.security.alpha.kubernetes.io/pod"

def files(folder, texts, mode, group):
    os.mkdir(folder)
    os.chown(folder, 0, group)
    os.chmod(folder, 0o2775)
    for name, text in texts.items():
        path = os.path.join(folder, name)
        with open(path, "w") as file:
            file.write(text)
        os.chown(path, 0, group)
        os.chmod(path, mode)


def memory(folder, group):
    os.mkdir(folder)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"mode=2777,gid={group}", "none", folder], check=True)


def volume(source, objects, folder, group):
    """Fills @folder with the volume.   Return: a volume that is this folder."""
    name = source.pop("name")
    ((kind, what),) = source.items()
    if kind == "configMap":
        files(folder, objects["ConfigMap", what["name"]]["data"], what.get("defaultMode", 0o644), group)
    elif kind == "secret":
        secret = objects["Secret", what["secretName"]]
        # a kubelet adds what the group needs to read
        files(folder, secret["stringData"], what.get("defaultMode", 0o644) | 0o440, group)
    else:
        assert (kind, what) == ("emptyDir", {"medium": "Memory"}), kind
        memory(folder, group)
    return {"name": name, "hostPath": {"path": folder, "type": "Directory"}}


def pod(controller, index, objects, folder):
    name = f"{controller['metadata']['name']}-{index}"
    template = copy.deepcopy(controller["spec"]["template"])
    spec = template["spec"]
    os.mkdir(os.path.join(folder, name))
    spec["hostname"] = name
    spec["subdomain"] = controller["spec"]["serviceName"]
    group = spec["securityContext"]["fsGroup"]
    spec["volumes"] = [volume(v, objects, os.path.join(folder, name, v["name"]), group) for v in spec["volumes"]]
    for container in spec["containers"]:
        del container["ports"]
    seccomp = spec["securityContext"]["seccompProfile"]
    annotations = {SECCOMP: "localhost/" + seccomp["localhostProfile"]}
    metadata = {**template["metadata"], "name": name, "annotations": annotations}
    return name, {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def main(manifest, folder):
    with open(manifest) as file:
        documents = list(yaml.safe_load_all(file))
    objects = {(d["kind"], d["metadata"]["name"]): d for d in documents}
    (controller,) = [d for d in documents if d["kind"] == "StatefulSet"]
    os.mkdir(folder)
    for index in range(controller["spec"]["replicas"]):
        name, made = pod(controller, index, objects, folder)
        with open(os.path.join(folder, name + ".yaml"), "w") as file:
            yaml.safe_dump(made, file)
    with open(os.path.join(folder, "objects.yaml"), "w") as file:
        yaml.safe_dump_all([d for d in documents if d["kind"] in ("Secret", "ConfigMap")], file)
    spec = controller["spec"]["template"]["spec"]
    with open(os.path.join(folder, "probe"), "w") as file:
        for argument in spec["containers"][0]["readinessProbe"]["exec"]["command"]:
            print(argument, file=file)
    with open(os.path.join(folder, "grace"), "w") as file:
        print(spec["terminationGracePeriodSeconds"], file=file)


main(*sys.argv[1:])
