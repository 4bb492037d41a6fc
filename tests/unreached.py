#!/usr/bin/env python3
"""unreached - which lines of production code does no test enter? usage: FILES='nicd/traffic/*.c' tests/unreached.py

Prints FILE:LINE and the text of each line that begins a basic block of a program and that no test
enters, as tests/reach.py records it. An ENSURE() that holds is never entered, nor is what only a
lack of memory reaches: such lines are left out. `make unreached` builds what this needs.
"""
import glob
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import reach  # noqa: E402  # beside this file

FILES = os.environ.get('FILES') or 'nodes/* switchd/* nicd/* rankd/* orchestrator/*'
LEFT_OUT = re.compile(r'\bENSURE\(|-ENOMEM\b|not enough memory')


def blocks(program):
    """The addresses after which a block of the program begins: of its calls to tests/reach.c."""
    code = subprocess.run(['objdump', '-d', '--no-show-raw-insn', program], stdout=subprocess.PIPE, text=True, check=True).stdout
    return [int(at, 16) for at in re.findall(r'^\s*([0-9a-f]+):\s+call\s.*<__sanitizer_cov_trace_pc>', code, re.M)]


def tests():
    """All tests that are built."""
    for kind in ('unit', 'sim'):
        for program in sorted(glob.glob(f'{reach.BUILD}/{kind}/test_*')):
            yield f'{kind}/{os.path.basename(program)}'
    yield from sorted(glob.glob('tests/system/test_*.sh'))


all_tests = list(tests())
reach.record_all(all_tests)
entered = set()
for _, lines in reach.Reach(all_tests).tests.values():
    entered |= {(path, line) for path, some in lines.items() for line in some}
every = set()
for binary in reach.PROGRAMS:
    every |= reach.lines_at(binary, blocks(binary))
wanted = set(subprocess.run(['git', 'ls-files', *FILES.split()], stdout=subprocess.PIPE, text=True, check=True).stdout.split())
left = 0
for path in sorted(wanted & {path for path, _ in every}):
    with open(path, encoding='utf-8') as file:
        text = file.read().split('\n')
    for line in sorted({line for at, line in every - entered if at == path}):
        # the debug information puts inline functions of system headers here, with their own lines
        if line <= len(text) and not LEFT_OUT.search(text[line - 1]):
            print(f'{path}:{line}: {text[line - 1].strip()}')
            left += 1
print(f'{left} of {sum(path in wanted for path, _ in every)} places are entered by no test')
