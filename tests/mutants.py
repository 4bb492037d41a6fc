#!/usr/bin/env python3
"""mutants - do the tests see a wrong statement? usage: N=20 SEED=... FILES='nicd/traffic/*.c' tests/mutants.py

Draws N mutants of production .c files: a relation turned, an operator or a constant changed, a
statement removed, a return value changed. Each is compiled to one object beside the built ones and
linked in front of the archives into each unit test, and then each small simulation, whose program
has the file's symbols; they run until one fails. A mutant that none sees is printed with file:line.
What does not compile does not count. No ENSURE() is removed: where the invariant holds, that
changes nothing. The tree is left untouched: all is written to a temporary folder. Needs the tests
built with the address sanitizer: `make mutants` does that.
"""
import glob
import os
import random
import re
import resource
import subprocess
import sys
import tempfile

COUNT = int(os.environ.get('N', '20'))
SEED = int(os.environ.get('SEED') or random.SystemRandom().randrange(1 << 31))
# CPU time of one test: an endless loop is a mutant that was seen, a busy machine is not
LIMIT_S = int(os.environ.get('LIMIT', '60'))
HANGS_S = 10 * LIMIT_S  # of any time: it waits for what never comes
BUILD = 'build/asan'

OPERATORS = {
    'relation': (r' (<=|>=|==|!=|<|>) ', {'<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '=='}),
    'arithmetic': (r' ([-+*/]) (?=\w)', {'+': '-', '-': '+', '*': '/', '/': '*'}),
    'logic': (r' (&&|\|\|) ', {'&&': '||', '||': '&&'}),
    'constant': (r'(?<![\w.])(\d+)(?=u?\b(?![.x]))', None),
    'statement': (r'^\t+((?!return|break|continue|case|goto|ENSURE)[^;{}=]+\([^;{}]*\);|[^;{}()]+(?:\+=|-=|\+\+|--)[^;{}]*;)$', None),
    'return': (r'\breturn (true|false|0|-E\w+|-1|1);', {'true': 'false', 'false': 'true', '0': '1', '1': '0', '-1': '0'}),
}


def mutant_of(rng, text):
    """Return (line number, old line, new line, operator), or None."""
    operator = rng.choice(list(OPERATORS))
    pattern, other = OPERATORS[operator]
    places = []
    inside = False
    for number, line in enumerate(text.split('\n')):
        if line.startswith('{') or (line.endswith('{') and not line[0].isspace()):
            inside = True
        if line.startswith('}'):
            inside = False
        code = re.sub(r'"(\\.|[^"\\])*"', lambda m: '"' + ' ' * (len(m[0]) - 2) + '"', line).split('/*')[0].rstrip()
        if not inside or code.lstrip().startswith(('*', '#')):
            continue
        places += [(number, line, m) for m in re.finditer(pattern, code)]
    if not places:
        return None
    number, line, m = rng.choice(places)
    old = m[1]
    if operator == 'constant':
        new = str(int(old) + 1)
    elif operator == 'statement':
        new = ';'
    else:
        new = other.get(old, '0')
    return number + 1, line, line[:m.start(1)] + new + line[m.end(1):], operator


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, **more).returncode


def fails(program):
    """Does the test fail, loop or hang? The CPU limit holds for each of its processes."""
    try:
        return run([os.path.abspath(program)], timeout=HANGS_S, env={**os.environ, 'CK_DEFAULT_TIMEOUT': str(HANGS_S)},
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_S, LIMIT_S))) != 0
    except subprocess.TimeoutExpired:
        return True


def dry_run(goal, changed):
    """The command by which make would build goal if changed were newer."""
    out = subprocess.run(['make', '-n', '-W', changed, 'KIND=asan', goal], stdout=subprocess.PIPE,
                         text=True, check=True).stdout
    return [line for line in out.split('\n') if ' -o ' + goal + ' ' in line + ' '][0].split()


def symbols_of(binary):
    """The functions and tables that an object or a program defines for others."""
    listing = subprocess.run(['nm', '--defined-only', '-g', binary], stdout=subprocess.PIPE, text=True, check=True).stdout
    return {words[2] for words in map(str.split, listing.split('\n'))
            if len(words) == 3 and words[1] in 'TDR' and not words[2].startswith('__')}


def tests_of(path):
    """The tests that link the object of path: with a symbol of its own among theirs. Near ones come first."""
    mine = symbols_of(f'{BUILD}/obj/{path[:-2]}.o')
    stem, folder = os.path.basename(path)[:-2], os.path.dirname(path)

    def distance(test):
        home = folders.get(os.path.basename(test), '')
        return (stem not in test, home != folder, home.split('/')[0] != folder.split('/')[0], test.startswith('sim/'))
    return sorted((test for test, names in programs.items() if mine & names), key=distance)


def seen_by(path, text, scratch):
    """The name of a test that fails; '' if none does; None if the mutant does not count."""
    source, thing = f'{scratch}/mutant.c', f'{scratch}/mutant.o'
    with open(source, 'w', encoding='utf-8') as file:
        file.write(text)
    goal = f'{BUILD}/obj/{path[:-2]}.o'
    command = [source if word == path else thing if word == goal else word for word in dry_run(goal, path)]
    command = [word for word in command if word not in ('-MMD', '-MP')] + ['-w']
    if run(command):
        return None
    for test in tests_of(path):
        program = f'{scratch}/{os.path.basename(test)}'
        link = dry_run(f'{BUILD}/{test}', f'{BUILD}/libtesting.a')
        at = link.index('-o')
        link = link[:at] + ['-Wl,-z,muldefs', '-o', program, thing] + link[at + 2:]
        if run(link):
            return None
        failed = fails(program)
        os.remove(program)
        if failed:
            return test
    return ''


FILES = os.environ.get('FILES') or 'nodes/*/*.c switchd/*/*.c nicd/*/*.c orchestrator/*/*.c'
sources = subprocess.run(['git', 'ls-files', *FILES.split()],
                         stdout=subprocess.PIPE, text=True, check=True).stdout.split()
sources = [path for path in sources if not path.startswith('orchestrator/cli/')]
programs = {}
folders = {os.path.basename(test)[:-2]: os.path.dirname(test)[len('tests/unit/'):] for test in glob.glob('tests/unit/*/*/test_*.c')}
for kind in ('unit', 'sim'):
    for entry in sorted(os.listdir(f'{BUILD}/{kind}') if os.path.isdir(f'{BUILD}/{kind}') else []):
        programs[f'{kind}/{entry}'] = symbols_of(f'{BUILD}/{kind}/{entry}')
rng_ = random.Random(SEED)
print(f'seed {SEED}, {COUNT} mutants', flush=True)
counted = killed = 0
with tempfile.TemporaryDirectory() as folder:
    while counted < COUNT:
        path_ = rng_.choice(sources)
        if not os.path.exists(f'{BUILD}/obj/{path_[:-2]}.o'):
            sys.exit(f'{path_} is not built: make KIND=asan unit-sim')
        with open(path_, encoding='utf-8') as file_:
            whole = file_.read()
        drawn = mutant_of(rng_, whole)
        if not drawn:
            continue
        line_, before, after, what = drawn
        lines = whole.split('\n')
        lines[line_ - 1] = after
        by = seen_by(path_, '\n'.join(lines), folder)
        if by is None:
            continue
        counted += 1
        killed += by != ''
        verdict = f'seen by {by}' if by else 'SURVIVES'
        print(f'{verdict:32} {path_}:{line_}: {what}\n    - {before.strip()}\n    + {after.strip()}', flush=True)
print(f'{killed} of {counted} mutants were seen; a survivor may be equivalent, or seen by large simulations or system tests')
