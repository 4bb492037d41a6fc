"""Calls of the program `heddle`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import Any, List, Mapping, Optional, Sequence, Union

Settings = Mapping[str, Union[str, int, float]]
"""Keys of a scenario and their values, as of `heddle up --set`: {"links.rate": "100Mb/s"}."""


class HeddleError(Exception):
    """A command of heddle failed. `status` is its exit status, the text what it said."""

    def __init__(self, words: Sequence[str], status: int, message: str) -> None:
        super().__init__(message.strip() or f"heddle {' '.join(words)}: exit status {status}")
        self.words = list(words)
        self.status = status


def executable() -> str:
    """The path of the program heddle: $HEDDLE, else that of $PATH."""
    path = os.environ.get("HEDDLE") or shutil.which("heddle")
    if not path:
        raise FileNotFoundError("the program heddle is not in PATH; set HEDDLE to its path")
    return path


def setting_words(settings: Optional[Settings]) -> List[str]:
    """The options --set of `settings`."""
    return [word for key, value in (settings or {}).items() for word in ("--set", f"{key}={value}")]


def call(
    words: Sequence[str], fine: Sequence[int] = (0,), given: str = ""
) -> "subprocess.CompletedProcess[str]":
    """Runs `heddle WORDS`, which reads `given`; HeddleError if its exit status is none of `fine`."""
    done = subprocess.run(
        [executable(), *words],
        input=given,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.returncode not in fine:
        raise HeddleError(words, done.returncode, done.stderr)
    return done


def call_scenario(
    words: Sequence[str], scenario: str, fine: Sequence[int] = (0,)
) -> "subprocess.CompletedProcess[str]":
    """The same with a scenario: the path of its file, or its text (several lines)."""
    if "\n" in str(scenario):
        return call([*words, "-"], fine, scenario)
    return call([*words, "--", str(scenario)], fine)


def answer(words: Sequence[str]) -> Any:
    """What `heddle WORDS --json` prints, read."""
    return json.loads(call([*words, "--json"]).stdout)
