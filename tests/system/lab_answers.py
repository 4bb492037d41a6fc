#!/usr/bin/env python3
"""lab_answers - right and wrong answers to the labs, from formulas that the labs do not know.

    lab_answers.py LAB right|wrong STUDENT     prints NAME=VALUE, one a line
    lab_answers.py LAB both STUDENT            right NAME=VALUE or wrong NAME=VALUE

Each lab has a function: student's values -> (right, wrong), two dictionaries. Each value of wrong
is wrong by itself. Where there is no formula, a run of heddle gives the answer: measure()."""
import collections
import csv
import json
import os
import subprocess
import sys
import tempfile

HEDDLE = os.environ.get("HEDDLE", "./heddle")
TOPOLOGIES = os.environ.get("TOPOLOGIES", "topologies")
LABS = {}


def lab(name):
    def add(function):
        LABS[name] = function
        return function
    return add


def measure(scenario, metrics, settings=(), seed=None, variant=None):
    """The values of metrics in a run: the unit is that of --json, in SI units."""
    command = [HEDDLE, "run", os.path.join(TOPOLOGIES, scenario), "--pack=1", "--quiet", "--json", "-"]
    # an expectation that holds of everything, to be told the value
    command += ["--set", "expect=[%s]" % ", ".join('"%s >= 0"' % metric for metric in metrics)]
    for setting in settings:
        command += ["--set", setting]
    if seed is not None:
        command += ["--seed", str(seed)]
    if variant is not None:
        command += ["--variant", variant]
    result = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    return [row["value"] for row in json.loads(result.stdout)["expectations"]]


def values_of(name, student):
    """The values of one student."""
    command = [HEDDLE, "lab", "start", name, "--student", str(student), "--json"]
    result = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return json.loads(result.stdout)["values"]


# ---- lab 1: each switch divides by its inputs; by flow all flows are equal ----

@lab("01-parking-lot")
def parking_lot(values):
    k = int(values["k"])
    hosts = {"s1": 2, "s2": 2, "s3": 2, "s4": 2}
    hosts[values["m"]] += 1
    hosts[values["n"]] += 1
    near = 1 / (hosts["s4"] + 1)  # one more input: the link from the switch upstream
    middle = near / (hosts["s3"] + 1) / (hosts["s2"] + 1)
    far = middle / hosts["s1"]
    right = {"near": "%.3f%%" % (100 * near), "middle": "%.4f%%" % (100 * middle),
             "far": "%.4f%%" % (100 * far), "flow": "%.3f%%" % (100 * k / (k + 9))}
    wrong = {"near": "10%", "middle": "%.4f%%" % (100 * near / hosts["s3"] / hosts["s2"]),
             "far": "%.4f%%" % (100 * far * hosts["s1"] / (hosts["s1"] + 1)), "flow": "%d%%" % (10 * k)}
    return right, wrong


# ---- lab 2: Little's law, rate = buffer / round trip ----

@lab("02-littles-law")
def littles_law(values):
    delay, buffer, second = int(values["d"]), int(values["b"]), int(values["c"])
    latencies = 0.7  # us, of both switches
    rate = buffer * 1024 * 8 / (2 * delay + latencies) / 1000
    full = 25 * 4096 / 4120 * 0.997  # of a message the last frame is short
    reach = (second * 1024 * 8 / full - 1000 * latencies) / 2
    right = {"rate": "%.3f" % rate, "reach": "%d" % reach}
    wrong = {"rate": "%.3f" % (buffer * 1024 * 8 / (delay + latencies) / 1000), "reach": "%d" % (reach + 350)}
    return right, wrong


# ---- lab 3: C/n for v as for a; no formula for a fabric that drops ----

@lab("03-innocent-flow")
def innocent_flow(values):
    n = int(values["n"])
    data = 100 * 4096 / (4096 + 26)  # of 100 Gb/s; a frame has 26 bytes around 4096 of data
    lossy, = measure("pfc-victim.yaml", ["goodput(incast)"],
                     ["workloads.incast.from=" + values["from"]], variant="no PFC")
    right = {"victim": "%.3f" % (data / n), "trunk": "%.2f%%" % (100 / n),
             "lossy": "%.2fGb/s" % (lossy / 1e9), "remedy": "flow-channels"}
    wrong = {"victim": "%.3f" % (data / (n + 1)), "trunk": "%.2f%%" % (50 + 50 / n),
             "lossy": "99.4", "remedy": "path-level-pfc"}
    return right, wrong


# ---- lab 4: k switches fill up to XOFF with what arrives and does not leave ----

@lab("04-pfc-spreads")
def pfc_spreads(values):
    n, xoff, frame = int(values["n"]), int(values["x"]) * 1000, 4158
    rate = 12.5 * frame / (frame + 20)  # bytes/ns of a
    fill = -(-xoff // frame) * frame / (rate - rate / n) / 1000  # us; whole frames
    start = 21  # us: the NIC and the link of the other senders
    right = {"first": "%.2f" % (start + fill), "last": "%.2f" % (start + 3 * fill),
             "beside": "%.3f" % (99.47 / n)}
    wrong = {"first": "%.2f" % fill, "last": "%.2f" % (start + 2 * fill), "beside": "%.3f" % (49.7 if n > 3 else 25)}
    return right, wrong


# ---- lab 6: the rules of DCQCN's reaction point ----

@lab("06-one-cnp")
def one_cnp(values):
    alpha, link, weight = int(values["a"]) / 100, 100, 1 / 256
    later, second = int(values["k"]), int(values["j"])
    initial, goal, step = int(values["initial"]), int(values["goal"]), int(values["ai"]) / 1000

    def recovered(periods):
        return link * (1 - alpha / 2 / 2 ** periods)

    # alpha rises with the first CNP and falls in each period
    then = ((1 - weight) * alpha + weight) * (1 - weight) ** second
    # four periods of fast recovery; the rate follows its target one step later
    grown = 19 + 55 * (4 + 1 + (goal - initial) / step)
    right = {"after": "%.3f" % (link * (1 - alpha / 2)), "later": "%.4f" % recovered(later),
             "again": "%.3f" % (recovered(second) * (1 - then / 2)), "grown": "%d" % grown}
    wrong = {"after": "%.3f" % (link * (1 - alpha)), "later": "%.4f" % recovered(later - 1),
             "again": "%.3f" % (link * (1 - alpha / 2) ** 2 * 0.97), "grown": "%d" % (grown - 5 * 55)}
    return right, wrong


# ---- lab 7: the sum of four rates grows by 4 R_AI in 55 us; no formula for the queue pairs ----

@lab("07-many-flows")
def many_flows(values):
    step, hosts, mtu = int(values["ai"]), int(values["h"]), int(values["mtu"])
    settings = ["roce.dcqcn.ai=%dMb/s" % step, "run.warmup=3900us", "run.duration=4100us"]
    busy, = measure("labs/07-many-flows/four.yaml", ["utilisation(s:r)"], settings)
    full = 4000 + 25000 * (1 - busy) / (4 * step) * 55
    # the first p99 that is worse, by runs with one queue pair more and less
    pairs = {(3, 4096): 12, (4, 4096): 9, (6, 4096): 7, (7, 4096): 6,
             (4, 2048): 15, (5, 2048): 12, (6, 2048): 10}[hosts, mtu]
    right = {"full": "%dus" % full, "pairs": str(pairs)}
    # one flow alone; a packet of each queue pair in 50 us
    wrong = {"full": "%dus" % (4000 + 2 * (full - 4000)), "pairs": str(pairs // 2)}
    return right, wrong


# ---- lab 8: 2k - 1 rows; C * h * 2 * (d + l) and a packet, h links from the last switch ----

@lab("08-flow-channel")
def flow_channel(values):
    switches, delay = int(values["switches"]), int(values["x"]) / 10
    data = float(values["rate"].removesuffix("Gb/s")) * 4096 / (4096 + 24)

    def unacknowledged(links, loop):
        return "%.1f" % (data * links * loop / 8 + 4.096)

    source = int(values["from"].removeprefix("x"))  # f waits at the input of its switch
    right = {"rows": 2 * switches - 1, "first": unacknowledged(switches - 1, 2 * (delay + 0.35)),
             "second": unacknowledged(switches - 2, 2 * (delay + 0.35)),
             "where": "s%d:s%d" % (source, source - 1)}
    wrong = {"rows": 2 * switches, "first": unacknowledged(switches - 1, delay + 0.35),
             "second": unacknowledged(switches - 1, 2 * (delay + 0.35)),
             "where": "s%d:s%d" % (source + 1, source)}
    return right, wrong


# ---- lab 12: cycles and XOFF from a run; cures are scenarios, written to the current folder ----

@lab("12-deadlock")
def deadlock(values):
    name = "labs/12-deadlock/ring.yaml"
    settings = ["topology.shape=[%s]" % values["w"], "workloads.round.shift=" + values["w"],
                "roce.buffer=%sKiB" % values["x"]]
    cycles, first = measure(name, ["deadlocks", "xoff.first"], settings, values["s"])
    with open(os.path.join(TOPOLOGIES, name), encoding="utf-8") as file:
        ring = file.read()
    with open("up-down.yaml", "w", encoding="utf-8") as file:
        file.write(ring.replace("{cycles: allow}", "{order: up-down}"))
    with open("window.yaml", "w", encoding="utf-8") as file:
        file.write(ring.replace("dcqcn: no}", "dcqcn: no, queue-pair: {window: 16KiB}}"))
    right = {"cycles": cycles, "first": "%.2f" % (first * 1e-6),
             "paths": "up-down.yaml", "sources": "window.yaml"}
    wrong = {"cycles": cycles % 2 + 1, "first": "%.2f" % (first * 1.05e-6),
             "paths": "window.yaml", "sources": "up-down.yaml"}
    return right, wrong


# ---- lab 13: the window by trying; controls are built into the current folder ----

@lab("13-own-control")
def own_control(values):
    settings = ["workloads.incast.from=" + values["from"], "links.delay=%s00ns" % values["x"]]
    window = 4
    while measure("labs/13-own-control/many.yaml", ["goodput(incast)"],
                  settings + ["roce.queue-pair.window=%dKiB" % window])[0] < 95e9:
        window += 4
    top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    for source in ["tests/system/labs/right_control", "examples/my_control"]:
        subprocess.run(["cc", "-O2", "-shared", "-fPIC",
                        "-I", os.path.join(top, "include"), "-o",
                        os.path.basename(source) + ".so", os.path.join(top, source + ".c")],
                       check=True)
    return ({"window": window, "control": "right_control.so"},
            {"window": window + 4, "control": "my_control.so"})


# ---- lab 9: C/n without FGFC, the rest of the link with it ----

@lab("09-held-at-the-source")
def held_at_the_source(values):
    n = int(values["n"])
    data = float(values["rate"].removesuffix("Gb/s")) * 4096 / (4096 + 24)
    stops, = measure("labs/09-held-at-the-source/held.yaml", ["stops(s0:h1)"],
                     ["workloads.incast.from=" + values["from"], "links.rate=" + values["rate"],
                      "congestion.fgfc=no"])
    right = {"without": "%.2f" % (data / n), "with": "%.2f" % (data - data / n),
             "stops": "%d" % stops}
    wrong = {"without": "%.2f" % (data / (n + 1)), "with": "%.2f" % data,
             "stops": "%d" % (stops * n)}
    return right, wrong


# ---- lab 5: the sum of docs/roce.md in whole frames ----

@lab("05-headroom")
def headroom(values):
    delay, given = int(values["d"]), int(values["h"])
    frame, slot = 4100, 4120  # 4096 and FCS; and the gap
    after = 2 * slot + 84 + 12.5 * (2 * delay + 850)  # beyond the frame that found the buffer full
    frames = 1 + int(after // slot)
    dropped = frames - given * 1000 // frame
    right = {"least": str(frames * frame), "dropped": str(dropped)}
    wrong = {"least": str(int(after) + frame), "dropped": str(dropped - 1)}
    return right, wrong


# ---- lab 10: spines from the paths of flows; seeds by trying ----

@lab("10-hash-collisions")
def hash_collisions(values):
    command = [HEDDLE, "run", os.path.join(TOPOLOGIES, "labs/10-hash-collisions/spines.yaml"),
               "--quiet", "--set", "workloads.p.pairs=" + values["pairs"]]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(command + ["--seed", values["s"], "--csv", folder], check=True,
                       stdout=subprocess.DEVNULL)
        with open(os.path.join(folder, "paths.csv"), encoding="utf-8") as file:
            spines = {row["source"]: row["peer"] for row in csv.DictReader(file)
                      if row["node"] == "leaf0"}
    sharers = max(collections.Counter(spines.values()).values())
    good = bad = None
    for seed in range(1, 400):
        share, = measure("labs/10-hash-collisions/spines.yaml", ["goodput.share.min(p)"],
                         ["workloads.p.pairs=" + values["pairs"], "run.duration=60us",
                          "run.warmup=30us"], seed)
        good = good or share > 0.9 and seed
        bad = bad or share < 0.34 and seed
        if good and bad:
            break
    right = {"spine": spines["h1"], "sharers": sharers, "good": good, "bad": bad}
    wrong = {"spine": "spine%d" % ((int(spines["h1"][-1]) + 1) % 4), "sharers": sharers % 4 + 1,
             "good": bad, "bad": good}
    return right, wrong


# ---- lab 11: C/n in one lane, the rest of the link in a lane of its own; a lane for each hop ----

@lab("11-virtual-lanes")
def virtual_lanes(values):
    n, data = int(values["n"]), 4096 / (4096 + 34)  # of a rate; LRH, FCS and gap around 4096
    own = min(100, int(values["t"]) - 100 / n)
    right = {"same": "%.2f" % (100 * data / n), "own": "%.2f" % (own * data),
             "wait": "%.3f" % (3 * (1 - 1 / n)), "lanes": int(values["w"]) // 2}
    wrong = {"same": "%.2f" % (100 * data / (n + 1)),
             "own": "%.2f" % (0.94 * own * data), "wait": "3",
             "lanes": int(values["w"]) // 2 + 1}
    return right, wrong


def main():
    name, which, student = sys.argv[1:4]
    if name not in LABS:
        sys.exit(f"lab_answers: no answers to lab {name}")
    right, wrong = LABS[name](values_of(name, student))
    for kind, answers in (("right", right), ("wrong", wrong)):
        if which in (kind, "both"):
            for key, value in answers.items():
                print(f"{kind} {key}={value}" if which == "both" else f"{key}={value}")


if __name__ == "__main__":
    main()
