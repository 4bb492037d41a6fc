#!/usr/bin/env python3
"""A victim of an incast on RoCE with PFC and on flow channels, one after the other: one table.

Each fabric has three phases: `before`, `incast`, and `incast + fault`, in which the link that all
share fails after a fifth of the time, and returns a fifth later. Every phase has connections of its
own."""
import argparse
import json
import math
import os
import pathlib
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
sys.path.append(str(HERE.parent.parent / "python"))  # not installed: that of the sources

from heddle.command import answer, call, setting_words  # noqa: E402
from heddle.fabric import Fabric  # noqa: E402

TRAFFIC = str(HERE / "traffic.py")
RATE = 50
"""Requests a second: an answer of 1024 bytes to each is 2 % of the victim's link."""
COLUMNS = (
    ("fabric", "fabric", "{}"),
    ("phase", "phase", "{}"),
    ("incast", "incast_bps", "{:.2f} Mb/s"),
    ("TCP", "tcp_bps", "{:.2f} Mb/s"),
    ("asked", "asked", "{}"),
    ("answered", "answered", "{}"),
    ("p50", "p50_ns", "{:.1f} ms"),
    ("p99", "p99_ns", "{:.1f} ms"),
    ("max", "max_ns", "{:.1f} ms"),
    ("PFC pauses", "pauses", "{}"),
    ("verdict", "words", "{}"),
)


def percentile(sorted_values, share):
    """The smallest value that at least `share` of them do not exceed."""
    return sorted_values[max(0, math.ceil(share * len(sorted_values)) - 1)]


def pauses(status):
    """PFC frames that switches and NICs have sent."""
    return sum(node.get("pauses", 0) for node in status["nodes"])


def incast(fabric):
    """Bytes that r has received, and for how long the workload has run, in ns."""
    load = answer(["load", "-f", fabric.name])["loads"][0]
    return load["received_bytes"], load["ran_ns"]


def since(fabric, status):
    """The verdict between `status` and now, and what it is about."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump([status], file)
        file.flush()
        now = call(["ps", fabric.name, "--json", "--since", file.name]).stdout
        return json.loads(now)[0]["fidelity"]


def fault_over(fabric):
    """Waits until the link has failed and returned. How often; TimeoutError after a minute."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        faults = answer(["faults", "-f", fabric.name])["faults"]
        if all(fault["state"] == "over" for fault in faults):
            return len(faults)
        time.sleep(0.05)
    raise TimeoutError("the fault does not end")


def rate(new, old):
    seconds = (new[1] - old[1]) / 1e9
    return (new[0] - old[0]) * 8 / seconds if seconds else 0


def phase(fabric, kind, name, seconds, fault=False):
    """One row: requests and a stream for `seconds`, and what else was counted meanwhile."""
    status, bulk = fabric.status(), incast(fabric)
    stream = fabric.host("t").start(["python3", TRAFFIC, "stream", "u", str(seconds)])
    ask = fabric.host("v").start(["python3", TRAFFIC, "ask", "x", str(RATE), str(seconds)])
    asked = json.loads(ask.wait(seconds + 120).check().stdout)
    streamed = json.loads(stream.wait(seconds + 120).check().stdout)
    faults = fault_over(fabric) if fault else 0
    now = incast(fabric)
    latencies = sorted(asked["latencies"])
    row = {
        "fabric": kind,
        "phase": name,
        "incast_bytes": now[0] - bulk[0],
        "incast_bps": rate(now, bulk),
        "tcp_bytes": streamed["bytes"],
        "tcp_bps": streamed["bytes"] * 8 / streamed["seconds"],
        "asked": asked["asked"],
        "answered": len(latencies),
        "pauses": pauses(fabric.status()) - pauses(status),
        "faults": faults,
    }
    for key, share in (("p50_ns", 0.5), ("p99_ns", 0.99), ("max_ns", 1)):
        row[key] = round(percentile(latencies, share) * 1e9) if latencies else None
    fidelity = since(fabric, status)
    return {**row, "verdict": fidelity["verdict"], "words": fidelity["words"]}


def measure(kind, seconds):
    """The rows of one kind of fabric."""
    name = f"victim-{kind}-{os.getpid()}"
    fifth = f"{seconds / 5}s"
    settings = {"fabric": kind, "faults": f"[{{at: {fifth}, link: [s1, s2], for: {fifth}}}]"}
    answer(["up", "--hold", "--name", name, *setting_words(settings), str(HERE / "network.yaml")])
    with Fabric(name) as fabric:
        for host in ("x", "u"):
            fabric.host(host).start(["python3", TRAFFIC, "serve"])
            fabric.host(host).wait_for_port(8000)
        yield phase(fabric, kind, "before", seconds)
        call(["load", "-f", name, "start"])
        yield phase(fabric, kind, "incast", seconds)
        call(["faults", "-f", name, "start"])
        yield phase(fabric, kind, "incast + fault", seconds, fault=True)


def text(row, key, form):
    value = row[key]
    if value is None:
        return "-"
    scale = {"_bps": 1e-6, "_ns": 1e-6}.get(key[key.rfind("_"):], None)
    return form.format(value * scale if scale else value)


def table(rows):
    """Lines in columns; what is a number is at the right."""
    lines = [[title for title, _, _ in COLUMNS]]
    lines += [[text(row, key, form) for _, key, form in COLUMNS] for row in rows]
    widths = [max(map(len, column)) for column in zip(*lines)]
    left = (0, 1, len(COLUMNS) - 1)

    def aligned(line):
        cells = enumerate(zip(line, widths))
        return "  ".join(w.ljust(n) if i in left else w.rjust(n) for i, (w, n) in cells).rstrip()

    return "\n".join(aligned(line) for line in lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=10, help="of each phase (10)")
    parser.add_argument("--json", action="store_true", help="the rows as JSON")
    options = parser.parse_args()
    if not 1 <= options.seconds <= 600:
        parser.error("expected --seconds of 1 to 600")
    rows = [row for kind in ("roce", "flow-channel") for row in measure(kind, options.seconds)]
    print(json.dumps({"rows": rows}, indent=2) if options.json else table(rows))


if __name__ == "__main__":
    main()
