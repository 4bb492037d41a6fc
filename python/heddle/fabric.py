"""Running fabrics: their hosts, switches and links."""

from __future__ import annotations

import contextlib
import itertools
import os
import time
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Dict, Iterator, List, Optional, Sequence, Type, Union

from heddle.command import (
    HeddleError,
    Settings,
    answer,
    call,
    call_scenario,
    executable,
    setting_words,
)
from heddle.program import Completed, Program

_numbers = itertools.count(1)


@dataclass(frozen=True)
class Verdict:
    """Whether this machine was fast enough. It is true if what was seen is valid."""

    verdict: str
    """valid, valid-for-rates, not-valid, or unknown."""
    words: str
    """The same for people, with the reason."""

    @property
    def valid_for_rates(self) -> bool:
        """Rates are valid; delays may be too long."""
        return self.verdict in ("valid", "valid-for-rates")

    def __bool__(self) -> bool:
        return self.verdict == "valid"

    def __repr__(self) -> str:
        return f"<{self.words}>"


class Host:
    """A host of a running fabric."""

    def __init__(self, fabric: "Fabric", about: Dict[str, Any]) -> None:
        self.fabric = fabric
        self.name: str = about["name"]
        self.interface: str = about["interface"]
        self.ipv4: str = about["ipv4"]
        self.ipv6: str = about["ipv6"]

    def start(
        self,
        args: Sequence[str],
        *,
        stdin: Union[str, bytes, None] = None,
        env: Optional[Dict[str, str]] = None,
        user: Optional[str] = None,
    ) -> Program:
        """Starts a program in the host and goes on. It ends with the fabric at the latest.

        `env` is added to the environment; `user` is a user of this machine instead of root of the
        host."""
        if isinstance(args, str):
            raise TypeError("expected a list of words, such as ['ping', '-c1', 'h2']")
        words = [executable(), "exec", "-f", self.fabric.name]
        words += ["--user", user] if user else []
        words += [self.name, "--"]
        words += ["env", *(f"{key}={value}" for key, value in env.items())] if env else []
        program = Program([*words, *args], args, stdin)
        self.fabric.programs.append(program)
        return program

    def run(
        self,
        args: Sequence[str],
        *,
        stdin: Union[str, bytes, None] = None,
        timeout: Optional[float] = 120,
        env: Optional[Dict[str, str]] = None,
        user: Optional[str] = None,
    ) -> Completed:
        """Runs a program in the host until it ends. TimeoutError after `timeout` seconds."""
        program = self.start(args, stdin=stdin, env=env, user=user)
        try:
            return program.wait(timeout)
        finally:
            program.stop()
            self.fabric.programs.remove(program)

    def wait_for_port(self, port: int, timeout: float = 60) -> None:
        """Waits until a program in the host takes TCP connections at `port`."""
        listening = f":{port:04X} "
        deadline = time.monotonic() + timeout
        while True:
            table = self.run(["cat", "/proc/net/tcp", "/proc/net/tcp6"]).stdout
            rows = [line.split() for line in table.splitlines() if listening in line]
            if any(row[1].endswith(listening.strip()) and row[3] == "0A" for row in rows):
                return
            if time.monotonic() > deadline:
                raise TimeoutError(f"no program in {self.name} listens at port {port}")
            time.sleep(0.05)

    def __repr__(self) -> str:
        return f"<Host {self.name} {self.ipv4}>"


class Link:
    """A link of a running fabric, named by the nodes at its ends."""

    def __init__(self, fabric: "Fabric", node: str, port: str) -> None:
        self.fabric = fabric
        self.name = f"{node}:{port}"

    def _change(self, *words: str) -> None:
        answer(["link", "-f", self.fabric.name, self.name, *words])

    def down(self) -> None:
        """Fails, as if the cable were pulled: packets on it are lost, routes follow."""
        self._change("down")

    def up(self) -> None:
        """Works again."""
        self._change("up")

    @contextlib.contextmanager
    def failed(self) -> Iterator["Link"]:
        """Is down inside of `with`."""
        self.down()
        try:
            yield self
        finally:
            self.up()

    def set(self, *, towards: Optional[str] = None, **values: object) -> None:
        """Changes both directions: set(rate="10Mb/s", delay="20ms", loss="1%", bit_errors=0).

        With `towards`, the name of one end, only the direction to that end.
        """
        if not values:
            raise TypeError("nothing to set: expected one or more of rate=, delay=, jitter=, loss=")
        words = [f"{key.replace('_', '-')}={value}" for key, value in values.items()]
        self._change("set", *words, *(["--towards", towards] if towards else []))

    def __repr__(self) -> str:
        return f"<Link {self.name}>"


class Switch:
    """A switch of a running fabric."""

    def __init__(self, fabric: "Fabric", name: str) -> None:
        self.fabric = fabric
        self.name = name

    @property
    def links(self) -> List[Link]:
        """Its links."""
        rows = self.fabric.links_json()
        ends = [(row["node_a"], row["port_a"]) for row in rows]
        ends += [(row["node_b"], row["port_b"]) for row in rows]
        return [Link(self.fabric, node, str(port)) for node, port in ends if node == self.name]

    def down(self) -> None:
        """Fails: all its links are down."""
        for link in self.links:
            link.down()

    def up(self) -> None:
        """Works again, and so do all its links."""
        for link in self.links:
            link.up()

    @contextlib.contextmanager
    def failed(self) -> Iterator["Switch"]:
        """Is down inside of `with`."""
        self.down()
        try:
            yield self
        finally:
            self.up()

    def __repr__(self) -> str:
        return f"<Switch {self.name}>"


class Fabric:
    """A running fabric. It ends with down(), or with its `with`."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.programs: List[Program] = []
        self._last: Optional[Verdict] = None

    @classmethod
    def up(
        cls, scenario: str, settings: Optional[Settings] = None, *, name: Optional[str] = None
    ) -> "Fabric":
        """Starts the fabric of a scenario: the path of its file, or its text (several lines).

        Without a `name` it has one of its own, so that tests can run beside each other."""
        chosen = name or f"py-{os.getpid()}-{next(_numbers)}"
        call_scenario(["up", "--json", "--name", chosen, *setting_words(settings)], scenario)
        return cls(chosen)

    def down(self) -> Verdict:
        """Ends it, with all programs in its hosts. The verdict is of its whole life."""
        for program in self.programs:
            program.stop()
        self.programs.clear()
        if self._last is None:
            self._last = self.valid
            call(["down", self.name])
        return self._last

    def status(self) -> Dict[str, Any]:
        """What `heddle ps NAME --json` says; `heddle schema ps --fields` explains it."""
        ps = answer(["ps", self.name])
        return dict(ps[0])

    @property
    def valid(self) -> Verdict:
        """Whether this machine was fast enough so far: true if what was seen is valid."""
        if self._last is not None:
            return self._last
        fidelity = self.status()["fidelity"]
        return Verdict(fidelity["verdict"], fidelity["words"])

    @property
    def hosts(self) -> Dict[str, Host]:
        """All hosts by name, in the order of the scenario."""
        return {about["name"]: Host(self, about) for about in self.status()["hosts"]}

    def host(self, name: str) -> Host:
        """The host called `name`."""
        hosts = self.hosts
        if name not in hosts:
            raise KeyError(f"fabric {self.name} has no host {name!r}; it has {', '.join(hosts)}")
        return hosts[name]

    @property
    def switches(self) -> Dict[str, Switch]:
        """All switches by name."""
        nodes = self.status()["nodes"]
        return {
            node["name"]: Switch(self, node["name"]) for node in nodes if node["kind"] == "switch"
        }

    def switch(self, name: str) -> Switch:
        """The switch called `name`."""
        switches = self.switches
        if name not in switches:
            raise KeyError(
                f"fabric {self.name} has no switch {name!r}; it has {', '.join(switches)}"
            )
        return switches[name]

    def links_json(self) -> List[Dict[str, Any]]:
        """What `heddle link --json` lists; `heddle schema link --fields` explains it."""
        return list(answer(["link", "-f", self.name])["links"])

    def link(self, node: str, neighbour: str) -> Link:
        """The link between two nodes. Of several, use the number of the port at `node`."""
        return Link(self, node, str(neighbour))

    def remove(self, node: str) -> None:
        """Removes a host, or a switch without hosts."""
        answer(["remove", "-f", self.name, node])

    def add_host(self, name: str, switch: str, **values: object) -> Host:
        """Adds a host: add_host("h9", "s1", rate="100Mb/s")."""
        words = [f"{key.replace('_', '-')}={value}" for key, value in values.items()]
        return Host(self, answer(["add", "-f", self.name, "host", name, switch, *words]))

    def __enter__(self) -> "Fabric":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        try:
            self.down()
        except HeddleError:
            call(["down", self.name])
            if kind is None:
                raise

    def __repr__(self) -> str:
        return f"<Fabric {self.name}>"
