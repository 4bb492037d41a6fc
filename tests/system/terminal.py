#!/usr/bin/env python3
"""terminal - a command on a pseudoterminal, driven by lines on standard input.

usage: terminal.py COLUMNSxLINES STATUS COMMAND... <DIALOG

    > TEXT     types TEXT; Python escapes such as \\t, \\r, \\x03 (Ctrl-C), \\x1b[A (cursor up)
    < TEXT     waits until TEXT is printed, after what was waited for before
    ! TEXT     TEXT has not been printed since what was waited for before
    = SIGNAL   sends the signal to the command, e.g. TERM
    # TEXT     nothing

At the end of DIALOG the command must end with STATUS, and the terminal must be as it was before.
Sequences that move the cursor or colour text are removed from what is compared, unless TEXT
contains one.
"""
import fcntl
import os
import re
import select
import signal
import struct
import sys
import termios
import time

PATIENCE_S = 120  # for what hangs
MOVES = re.compile(rb"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[()][A-Z0-9]|\x1b[=>]|\r(?!\n)")


class Failure(Exception):
    pass


class Terminal:
    def __init__(self, columns, lines, words):
        self.master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.slave = slave
        self.before = termios.tcgetattr(slave)
        self.raw = b""
        self.at = 0
        self.reaped = False
        self.pid = os.fork()
        if not self.pid:
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
            for fd in range(3):
                os.dup2(slave, fd)
            os.closerange(3, 64)
            os.execvp(words[0], words)

    def take(self, seconds):
        """reads what is there; false after the time or at the end"""
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        try:
            self.raw += os.read(self.master, 65536)
        except OSError:
            return False
        return True

    def text(self, wanted):
        rest = self.raw[self.at:]
        return rest if b"\x1b" in wanted else MOVES.sub(b"", rest)

    def see(self, wanted):
        end = time.monotonic() + PATIENCE_S
        while wanted not in self.text(wanted):
            if not self.take(1) and (time.monotonic() > end or self.ended()):
                raise Failure("not printed: %r" % wanted.decode())
        # the shortest beginning of what was printed that has it
        low, high = self.at, len(self.raw)
        while low < high:
            middle = (low + high) // 2
            part = self.raw[self.at:middle]
            if wanted in (part if b"\x1b" in wanted else MOVES.sub(b"", part)):
                high = middle
            else:
                low = middle + 1
        self.at = low

    def ended(self):
        return self.reaped or bool(os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT))

    def end(self, wanted):
        end = time.monotonic() + PATIENCE_S
        while not self.ended():
            self.take(0.1)
            if time.monotonic() > end:
                os.kill(self.pid, signal.SIGKILL)
                raise Failure("it does not end")
        while self.take(0):
            pass
        self.reaped = True
        status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        if status != wanted:
            raise Failure("exit status %d, not %d" % (status, wanted))
        if termios.tcgetattr(self.slave) != self.before:
            raise Failure("the terminal is not as it was before")


def drive(terminal, lines):
    for line in lines:
        line = line.rstrip("\n")
        verb, text = line[:1], line[2:].encode().decode("unicode_escape").encode("latin-1")
        if verb == ">":
            os.write(terminal.master, text)
        elif verb == "<":
            terminal.see(text)
        elif verb == "!":
            if text in terminal.text(text):
                raise Failure("printed: %r" % text.decode())
        elif verb == "=":
            os.kill(terminal.pid, getattr(signal, "SIG" + text.decode()))
        elif line and verb != "#":
            raise Failure("no line of a dialog: " + line)


def main():
    columns, lines = sys.argv[1].split("x")
    terminal = Terminal(int(columns), int(lines), sys.argv[3:])
    try:
        drive(terminal, sys.stdin)
        terminal.end(int(sys.argv[2]))
    except Failure as failure:
        print(failure)
        print(terminal.raw.decode(errors="replace"))
        if not terminal.ended():
            os.kill(terminal.pid, signal.SIGTERM)
        return 1
    return 0


sys.exit(main())
