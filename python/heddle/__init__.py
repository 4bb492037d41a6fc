"""Networks for tests: a whole fabric on one machine, and programs in its hosts.

    from heddle import Fabric

    with Fabric.up("two-racks.yaml", {"links.rate": "100Mb/s", "links.delay": "1ms"}) as fabric:
        assert fabric.host("h1").run(["ping", "-c1", "h6"]).returncode == 0
        with fabric.link("s1", "s2").failed():
            ...
        assert fabric.valid

The module calls the program `heddle` ($HEDDLE, else that of $PATH) and reads what it prints with
--json. It needs nothing but the standard library. With pytest the fixture `heddle_fabric` is there.
"""

from heddle.command import HeddleError, Settings
from heddle.fabric import Fabric, Host, Link, Switch, Verdict
from heddle.program import Completed, Program
from heddle.scenario import RunResult, generate, run

__all__ = [
    "Completed",
    "Fabric",
    "HeddleError",
    "Host",
    "Link",
    "Program",
    "RunResult",
    "Settings",
    "Switch",
    "Verdict",
    "generate",
    "run",
]
