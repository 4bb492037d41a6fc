#!/usr/bin/env python3
"""beside - a run with a page, and a case of the HTTP client beside it, until the result is there.

usage: beside.py CASE COMMAND...; CASE is one of tests/system/http_client.py, or `unasked`. Prints
wall time until the result is written, and CPU time of all processes of the run, in ms. The client
counts for nothing, and has the least priority: what it takes is not what the server takes.
"""
import os
import signal
import subprocess
import sys
import time

CLIENT = 'tests/system/http_client.py'


def main():
    case, command = sys.argv[1], sys.argv[2:]
    begin = time.monotonic()
    run = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    client, wall, told = None, None, []
    for line in run.stderr:
        told.append(line)
        if line.startswith('view: ') and case != 'unasked':
            client = subprocess.Popen(['nice', '-n', '19', sys.executable, CLIENT, case, line.split()[1]], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if 'the page stays' in line:
            wall = time.monotonic() - begin
            break
    ended_early = client is not None and client.poll() is not None
    if client:
        client.kill()
        client.wait()
    run.send_signal(signal.SIGINT)  # a process that has ended stays until wait4()
    _, _, usage = os.wait4(run.pid, 0)
    run.returncode = 0
    if wall is None or ended_early:
        sys.exit(f"{case}: {'the client ended' if wall else 'there is no result'}: {''.join(told)}")
    print(round(wall * 1000), round((usage.ru_utime + usage.ru_stime) * 1000))


main()
