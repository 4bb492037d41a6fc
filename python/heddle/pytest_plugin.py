"""The fixture `heddle_fabric` of pytest."""

from __future__ import annotations

import contextlib
from typing import Callable, Iterator, Optional

import pytest

from heddle.command import Settings
from heddle.fabric import Fabric

FabricFactory = Callable[..., Fabric]


@pytest.fixture
def heddle_fabric(request: pytest.FixtureRequest) -> Iterator[FabricFactory]:
    """Starts fabrics, which end with the test: heddle_fabric("two-racks.yaml", {"links.mtu": 9014}).

    A path is below the folder of the test's file, if it is there; else below the current one."""
    with contextlib.ExitStack() as fabrics:

        def up(scenario: str, settings: Optional[Settings] = None) -> Fabric:
            beside = request.path.parent / scenario if "\n" not in str(scenario) else None
            found = str(beside) if beside and beside.exists() else str(scenario)
            return fabrics.enter_context(Fabric.up(found, settings))

        yield up
