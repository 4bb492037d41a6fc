"""Programs in hosts."""

from __future__ import annotations

import os
import subprocess
import tempfile
from dataclasses import dataclass
from types import TracebackType
from typing import IO, Optional, Sequence, Type, Union

END_SECONDS = 5.0
"""How long a program may take to end after SIGTERM; then it is killed."""


@dataclass(frozen=True)
class Completed:
    """A program that has ended."""

    args: Sequence[str]
    returncode: int
    """Its exit status; 128 + signal if one ended it."""
    stdout: str
    stderr: str
    stdout_bytes: bytes = b""
    """What `stdout` is the text of."""

    def check(self) -> "Completed":
        """Itself if the exit status is 0; else subprocess.CalledProcessError."""
        if self.returncode:
            raise subprocess.CalledProcessError(
                self.returncode, list(self.args), self.stdout, self.stderr
            )
        return self


class Program:
    """A program that runs in a host. It ends with stop(), with its `with`, or with the fabric."""

    def __init__(
        self, words: Sequence[str], args: Sequence[str], stdin: Union[str, bytes, None]
    ) -> None:
        self.args = list(args)
        self._outputs: Sequence[IO[bytes]] = (tempfile.TemporaryFile(), tempfile.TemporaryFile())
        with tempfile.TemporaryFile() as given:
            given.write(stdin.encode() if isinstance(stdin, str) else stdin or b"")
            given.seek(0)
            self._process = subprocess.Popen(
                words, stdin=given, stdout=self._outputs[0], stderr=self._outputs[1]
            )

    @property
    def running(self) -> bool:
        """It has not ended."""
        return self._process.poll() is None

    @property
    def returncode(self) -> Optional[int]:
        """Its exit status; None while it runs."""
        return self._process.poll()

    @property
    def stdout(self) -> str:
        """What it has written so far to standard output."""
        return self.stdout_bytes.decode("utf-8", "replace")

    @property
    def stdout_bytes(self) -> bytes:
        """The same, as bytes."""
        return self._read(0)

    @property
    def stderr(self) -> str:
        """What it has written so far to standard error."""
        return self._read(1).decode("utf-8", "replace")

    def _read(self, which: int) -> bytes:
        # pread: the program writes at the offset of the same open file
        descriptor = self._outputs[which].fileno()
        return os.pread(descriptor, os.fstat(descriptor).st_size, 0)

    def wait(self, timeout: Optional[float] = None) -> Completed:
        """Waits until it ends. After `timeout` seconds it is stopped: TimeoutError, with what it
        wrote."""
        try:
            returncode = self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            done = self.stop()
            raise TimeoutError(
                f"{' '.join(self.args)} did not end in {timeout} s; it wrote:\n"
                f"{done.stdout}{done.stderr}"
            ) from None
        return self._completed(returncode)

    def stop(self) -> Completed:
        """Ends it, if it still runs, by SIGTERM, and after END_SECONDS by SIGKILL."""
        if self.running:
            self._process.terminate()
            try:
                self._process.wait(END_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        return self._completed(self._process.returncode)

    def _completed(self, returncode: int) -> Completed:
        output = self.stdout_bytes
        text = output.decode("utf-8", "replace")
        return Completed(self.args, returncode, text, self.stderr, output)

    def __enter__(self) -> "Program":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.stop()

    def __repr__(self) -> str:
        state = "running" if self.running else f"exit status {self.returncode}"
        return f"<Program {' '.join(self.args)}: {state}>"
