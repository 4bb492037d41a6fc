"""reach - which test reaches which lines of production code? Recorded for tests/mutants.py and tests/unreached.py.

Programs of KIND=reach note the basic blocks that they enter (tests/reach.c). Each unit test,
simulation and system test runs once; build/reach/record/ keeps a file for each: its result, its
time, and the lines FILE:LINE that it entered. A record counts until the test is newer. What the
code does later is not looked at: a record is a hint which tests to try, and in which order. A test
that fails here, for want of a program or a privilege, reaches nothing.
"""
import bisect
import concurrent.futures
import os
import re
import subprocess
import tempfile
import time

BUILD = 'build/reach'
RECORD = f'{BUILD}/record'
# rankd is built where MPI is installed
PROGRAMS = [f'{BUILD}/{name}' for name in ('heddle', 'switchd', 'nicd', 'workerd', 'rankd')
            if name != 'rankd' or os.path.exists(f'{BUILD}/{name}')]
LIMIT_S = 600  # for one test, of any time


def lines_at(program, addresses):
    """The lines {(FILE, LINE)} of production code at these addresses."""
    asked = '\n'.join(map(hex, addresses))
    out = subprocess.run(['addr2line', '-e', program], input=asked, stdout=subprocess.PIPE, text=True, check=True).stdout
    found = set()
    for line in out.split('\n'):
        # an object from ccache may name the folder of another tree
        place = re.search(r'(?:^|/)(?<!tests/unit/)((?:orchestrator|nodes|switchd|nicd|rankd|preload)/(?:\w+/)?\w+\.[ch]):(\d+)', line)
        if place:
            found.add((place[1], int(place[2])))
    return found


def lines_in(program, notes):
    """The lines of production code of the blocks noted in the file."""
    with open(notes, 'rb') as file:
        noted = file.read()
    # a note is the address after the call; the call itself is in the block's line
    return lines_at(program, [at - 1 for at, byte in enumerate(noted) if byte])


def unit_environment(program):
    """What tests/sealed.sh needs of a unit test: some make links to the program, beside it."""
    return {'HEDDLE': program, 'WRITABLE': os.path.dirname(program)}


def record(test):
    """Run the test and write its record: a line 'SECONDS STATUS', then FILE:LINE each."""
    system = test.endswith('.sh')
    with tempfile.TemporaryDirectory() as folder:
        notes, files = f'{folder}/notes', f'{folder}/files'
        os.chmod(folder, 0o755)
        os.mkdir(files)
        os.mkdir(notes)
        os.chmod(notes, 0o777)  # tests start programs as other users
        program = test if system else os.path.abspath(f'{BUILD}/{test}')
        own = {'HEDDLE': os.path.abspath(PROGRAMS[0])} if system else unit_environment(program)
        began = time.monotonic()
        try:
            status = subprocess.run(['tests/sealed.sh', files, program], stdin=subprocess.DEVNULL,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                    env={**os.environ, **own, 'REACH': notes},
                                    timeout=LIMIT_S, check=False).returncode
        except subprocess.TimeoutExpired:
            status = 1
        seconds = time.monotonic() - began
        found = set()
        for path in PROGRAMS if system else [f'{BUILD}/{test}']:
            if os.path.exists(f'{notes}/{os.path.basename(path)}'):
                found |= lines_in(path, f'{notes}/{os.path.basename(path)}')
    os.makedirs(RECORD, exist_ok=True)
    with open(f'{RECORD}/{os.path.basename(test)}.new', 'w', encoding='utf-8') as file:
        file.write(f'{seconds:.1f} {status}\n')
        file.writelines(f'{path}:{line}\n' for path, line in sorted(found))
    os.rename(f'{RECORD}/{os.path.basename(test)}.new', f'{RECORD}/{os.path.basename(test)}')


class Reach:
    """What is recorded of the tests: {test: (seconds, {file: sorted lines})}; those that failed are left out."""

    def __init__(self, tests):
        self.tests = {}
        for test in tests:
            name = f'{RECORD}/{os.path.basename(test)}'
            if not os.path.exists(name):
                continue
            with open(name, encoding='utf-8') as file:
                seconds, status = file.readline().split()
                lines = {}
                for entry in file:
                    path, _, line = entry.rpartition(':')
                    lines.setdefault(path, []).append(int(line))
            if status == '0':
                self.tests[test] = float(seconds), lines

    def of(self, path, line, begin, end):
        """The tests that entered the function from line begin to line end: [(near, seconds, test)], best first.

        near is 0 for those that entered the block of the line, as far as that is known: the last line above it at
        which any test entered a block."""
        entered = {at for _, lines in self.tests.values() for at in lines.get(path, ()) if begin <= at <= line}
        nearest = max(entered, default=None)
        found = []
        for test, (seconds, lines) in self.tests.items():
            mine = lines.get(path, [])
            first = bisect.bisect_left(mine, begin)
            if first < len(mine) and mine[first] <= end:
                at = bisect.bisect_right(mine, line)
                found.append((0 if nearest in mine[max(at - 1, 0):at] else 1, seconds, test))
        return sorted(found)


def record_all(tests):
    """Record the tests that have no record, or one that is older than they are; system tests, which wait a lot, several
    at a time."""
    def due(test):
        name = f'{RECORD}/{os.path.basename(test)}'
        source = test if test.endswith('.sh') else f'{BUILD}/{test}'
        return not os.path.exists(name) or os.path.getmtime(name) < os.path.getmtime(source)

    tests = [test for test in tests if due(test)]
    if tests:
        print(f'recording which lines {len(tests)} tests reach', flush=True)
    for test in tests:
        if not test.endswith('.sh'):
            record(test)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(record, [test for test in tests if test.endswith('.sh')]))
