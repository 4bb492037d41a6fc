"""Scenarios without hosts: exact simulation under the virtual clock."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, List, Optional

from heddle.command import Settings, call, call_scenario, setting_words

RUN_STATUSES = (0, 1, 3, 5)
"""Exit statuses of `heddle run` after which there is a result."""


def generate(kind: str, **sizes: object) -> str:
    """A scenario with a generated topology, as text: generate("star", hosts=4)."""
    counts = [f"{key.replace('_', '-')}={size}" for key, size in sizes.items()]
    return call(["gen", kind, *counts]).stdout


@dataclass(frozen=True)
class RunResult:
    """The result of `heddle run`."""

    status: int
    """Its exit status: 0 if all expectations hold."""
    result: Dict[str, Any]
    """What `heddle run --json` prints; `heddle schema run --fields` explains it."""

    @property
    def failed(self) -> List[str]:
        """The expectations that do not hold."""
        return [one["text"] for one in self.result["expectations"] if not one["ok"]]

    def __bool__(self) -> bool:
        return self.status == 0


def run(scenario: str, settings: Optional[Settings] = None) -> RunResult:
    """Runs a scenario: the path of its file, or its text (several lines), as of generate().

    HeddleError if it is wrong, or a node failed."""
    done = call_scenario(["run", *setting_words(settings), "--json=-"], scenario, RUN_STATUSES)
    return RunResult(done.returncode, json.loads(done.stdout))
