#!/usr/bin/env python3
"""mutants - do the tests see a wrong statement? usage: N=20 SEED=... FILES='nicd/traffic/*.c' tests/mutants.py

Draws N mutants of production .c files: a relation turned, an operator or a constant changed, a
statement removed, a return value changed. What does not compile does not count, nor what changes
nothing: what the compiler translates into the same machine code as the file as it is (trivial
compiler equivalence, Papadakis et al., ICSE 2015), an ENSURE() removed, a buffer of text with a
byte more, and `a <= b ? a : b` for `a < b ? a : b`. A mutant is tried with the tests that enter its
line, as recorded by tests/reach.py, until one fails:

1. unit tests and small simulations, with the address sanitizer: its object is linked in front of
   the archives. The nearest by name and folder first, at most UNIT (60), and EXACT.
2. system tests, of which HEDDLE is the mutant: those that take least time first, at most SYSTEM (8)
   that take at most 120 s each. SYSTEM=0: none. The mutant is seen by one that fails twice, and
   passes without it.

All tests are sealed (tests/sealed.sh): a wrong kill() or unlink() does no harm.

A mutant that no test sees is printed with file:line. The tree is left untouched: all is written to
a temporary folder. `make mutants` builds what this needs.
"""
import glob
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import reach  # noqa: E402  # beside this file

COUNT = int(os.environ.get('N', '20'))
SEED = int(os.environ.get('SEED') or random.SystemRandom().randrange(1 << 31))
# CPU time of one test, and 20 times what it took when it was recorded: an endless loop is a mutant
# that was seen, a busy machine is not
LIMIT_S = 10
HANGS_S = 60  # of any time, and 6 times what it took: it waits for what never comes
UNIT_MAX = int(os.environ.get('UNIT') or 60)
SYSTEM_MAX = int(os.environ.get('SYSTEM') or 8)
SYSTEM_S_MAX = 120
# these see whatever changes a result, or goes on without memory, so they are tried in any case
EXACT = ('sim/test_same_results', 'sim/test_swarm', 'sim/test_swarm_paths', 'sim/test_swarm_roce', 'sim/test_swarm_lid',
         'sim/test_same_sets', 'unit/test_allocation', 'unit/test_allocation_live', 'unit/test_allocation_plans',
         'unit/test_allocation_results')
BUILD = 'build/asan'

OPERATORS = {
    'relation': (r' (<=|>=|==|!=|<|>) ', {'<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '=='}),
    'arithmetic': (r' ([-+*/]) (?=\w)', {'+': '-', '-': '+', '*': '/', '/': '*'}),
    'logic': (r' (&&|\|\|) ', {'&&': '||', '||': '&&'}),
    'constant': (r'(?<![\w.])(\d+)(?=u?\b(?![.x]))', None),
    'statement': (r'^\t+((?!\t|_Static|return|break|continue|case|goto|ENSURE)[^;{}=]+\([^;{}]*\);|[^;{}()]+(?:\+=|-=|\+\+|--)[^;{}]*;)$', None),
    'return': (r'\breturn (true|false|0|-E\w+|-1|1);', {'true': 'false', 'false': 'true', '0': '1', '1': '0', '-1': '0'}),
}


def changes_nothing(operator, line, m):
    """Is the mutant at m the same by what C says? A longer text buffer, or the other choice of two that are equal."""
    if operator == 'constant':
        return re.match(r'\t+(static )?char \w+\[', line) and line[m.end():].startswith(']')
    choice = re.search(r'([\w.>-]+) [<>]=? ([\w.>-]+) \? ([\w.>-]+) : ([\w.>-]+);', re.sub(r'\(\w+\)(?=\w)', '', line))
    return operator == 'relation' and choice and {choice[1], choice[2]} == {choice[3], choice[4]}


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
    if changes_nothing(operator, line, m):
        return None
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


def fails(program, seconds):
    """Does the test, which took so long, fail, loop or hang? The CPU limit holds for each of its processes."""
    limit, hangs = int(LIMIT_S + 20 * seconds), int(HANGS_S + 6 * seconds)
    program = os.path.abspath(program)
    with tempfile.TemporaryDirectory() as files:
        try:
            return run(['tests/sealed.sh', files, program], timeout=hangs,
                       env={**os.environ, **reach.unit_environment(program), 'CK_DEFAULT_TIMEOUT': str(hangs)},
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))) != 0
        except subprocess.TimeoutExpired:
            return True


def commands_of(kind, goals, changed):
    """{file: the command by which make would build it}, of all that the goals need if the files changed were newer."""
    newer = [word for path in changed for word in ('-W', path)]
    out = subprocess.run(['make', '-n', *newer, f'KIND={kind}', *goals], stdout=subprocess.PIPE, text=True, check=True).stdout
    found = {}
    for line in out.split('\n'):
        words = line.split()
        if '-o' in words:
            found[words[words.index('-o') + 1]] = words
    return found


def symbols_of(binary):
    """The functions and tables that an object or a program defines for others."""
    listing = subprocess.run(['nm', '--defined-only', '-g', binary], stdout=subprocess.PIPE, text=True, check=True).stdout
    return {words[2] for words in map(str.split, listing.split('\n'))
            if len(words) == 3 and words[1] in 'TDR' and not words[2].startswith('__')}


def place_of(text, line):
    """(first line, last line, is it a function) of what is around the line; a table has no code."""
    lines = text.split('\n')
    begin, end = line, line
    while begin > 1 and not lines[begin - 2].startswith('}'):
        begin -= 1
    while end < len(lines) and not lines[end - 1].startswith('}'):
        end += 1
    return begin, end, any(each == '{' for each in lines[begin - 1:line])


def tests_of(path, line, text):
    """Unit tests and simulations that link the object of path and enter the line. Near ones come first."""
    mine = symbols_of(f'{BUILD}/obj/{path[:-2]}.o')
    stem, folder = os.path.basename(path)[:-2], os.path.dirname(path)
    begin, end, function = place_of(text, line)
    near = {test: rank for rank, _, test in recorded.of(path, line, begin, end)} if function else {}

    def distance(test):
        home = folders.get(os.path.basename(test), '')
        return (stem not in test, near.get(test, 0), home != folder, home.split('/')[0] != folder.split('/')[0],
                test.startswith('sim/'), recorded.tests[test][0] if test in recorded.tests else 0)
    linked = [test for test, names in programs.items() if mine & names]
    # a function without a block of its own, inlined, is entered by tests of which no record says so
    found = sorted((test for test in linked if not function or test in near or stem in test or test not in recorded.tests),
                   key=distance)
    return found[:UNIT_MAX] + [test for test in found[UNIT_MAX:] if test in EXACT]


def system_tests_of(path, line, text):
    begin, end, function = place_of(text, line)
    found = recorded.of(path, line, begin, end) if function else recorded.of(path, line, 1, text.count('\n'))
    return [(seconds, test) for _, seconds, test in found if test.endswith('.sh') and seconds <= SYSTEM_S_MAX][:SYSTEM_MAX]


def compiled(kind, path, scratch):
    """The object of the mutant; None if it does not compile."""
    source, thing, goal = f'{scratch}/mutant.c', f'{scratch}/mutant-{kind}.o', f'build/{kind}/obj/{path[:-2]}.o'
    command = [source if word == path else thing if word == goal else word for word in commands[kind][goal]]
    return None if run([word for word in command if word not in ('-MMD', '-MP')] + ['-w']) else thing


def same_code(path, text, whole, scratch):
    """Does gcc make the same object of both texts of the file, at -O3 and without lines?"""
    source, thing, goal = f'{scratch}/same.c', f'{scratch}/same.o', f'{BUILD}/obj/{path[:-2]}.o'
    command = ['gcc', *(source if word == path else thing if word == goal else word
                        for word in commands['asan'][goal][1:] if not re.match('-f(no-)?sanitize|-M', word))]
    objects = []
    for each in (text, whole):
        with open(source, 'w', encoding='utf-8') as file:
            file.write(each)
        if run(command + ['-w', '-O3', '-g0']):
            return False
        with open(thing, 'rb') as file:
            objects.append(file.read())
    return objects[0] == objects[1]


def linked(command, thing, program):
    """Does the program link with the mutant in front of the archives?"""
    at = command.index('-o')
    return run(command[:at] + ['-Wl,-z,muldefs', '-o', program, thing] + command[at + 2:]) == 0


def passes(test, seconds, programs_at):
    """Does the system test pass with these programs? One that takes a minute and 20 times as long does not."""
    with tempfile.TemporaryDirectory() as files:
        try:
            return run(['tests/sealed.sh', files, test], timeout=60 + 20 * seconds,
                       env={**os.environ, 'HEDDLE': f'{programs_at}/heddle', 'STOP_AT_FAILURE': 'yes'}) in (0, 77)
        except subprocess.TimeoutExpired:
            return False


def system_test_fails(test, seconds, scratch):
    """Does the test fail twice with the mutant in scratch, and pass with the programs as they are?"""
    if passes(test, seconds, scratch) or passes(test, seconds, scratch):
        return False
    if test not in sound:
        sound[test] = passes(test, seconds, os.path.abspath(reach.BUILD))
    return sound[test]


def seen_by(path, line, text, scratch):
    """The name of a test that fails; '' if none does; None if the mutant does not count."""
    with open(f'{scratch}/mutant.c', 'w', encoding='utf-8') as file:
        file.write(text)
    thing = compiled('asan', path, scratch)
    if not thing:
        return None
    for test in tests_of(path, line, text):
        program = f'{scratch}/unit/{os.path.basename(test)}'
        if not linked(commands['asan'][f'{BUILD}/{test}'], thing, program):
            return None
        seconds = recorded.tests[test][0] if test in recorded.tests else 1
        failed = fails(program, seconds)
        os.remove(program)
        if failed and test not in sound:  # a test that the seal itself breaks sees nothing
            sound[test] = not fails(f'{BUILD}/{test}', seconds)
        if failed and sound[test]:
            return test
    tests = system_tests_of(path, line, text)
    if not tests:
        return ''
    thing = compiled('reach', path, scratch)
    mine = symbols_of(thing)
    for program in reach.PROGRAMS:
        copy = f'{scratch}/{os.path.basename(program)}'
        if not mine & symbols_of(program):
            shutil.copy(program, copy)
        elif not linked(commands['reach'][program], thing, copy):
            return None
    shutil.copy(f'{reach.BUILD}/libheddle-dilate.so', scratch)
    for seconds, test in tests:
        if system_test_fails(test, seconds, scratch):
            return os.path.basename(test)
    return ''


COMMANDS = tuple(f'orchestrator/{folder}/' for folder in ('command', 'prompt', 'run', 'course', 'operate', 'cli'))
# what calls MPI is linked into no unit test
FILES = os.environ.get('FILES') or \
    'nodes/*/*.c switchd/*/*.c nicd/*/*.c rankd/*/*.c preload/*/*.c orchestrator/*/*.c :!rankd/link/transport.c'
sources = subprocess.run(['git', 'ls-files', *FILES.split()],
                         stdout=subprocess.PIPE, text=True, check=True).stdout.split()
system_tests = sorted(glob.glob('tests/system/test_*.sh')) if SYSTEM_MAX else []
if not SYSTEM_MAX:  # commands are tested by system tests
    sources = [path for path in sources if not path.startswith(COMMANDS)]
programs = {}
sound = {}  # tests that failed with a mutant: do they pass without?
folders = {os.path.basename(test)[:-2]: os.path.dirname(test)[len('tests/unit/'):] for test in glob.glob('tests/unit/*/*/test_*.c')}
for kind in ('unit', 'sim'):
    for entry in sorted(os.listdir(f'{BUILD}/{kind}') if os.path.isdir(f'{BUILD}/{kind}') else []):
        programs[f'{kind}/{entry}'] = symbols_of(f'{BUILD}/{kind}/{entry}')
reach.record_all([*programs, *system_tests])
recorded = reach.Reach([*programs, *system_tests])
commands = {'asan': commands_of('asan', ['unit-sim', f'{BUILD}/sim/test_swarm_paths'], [f'{BUILD}/libtesting.a', *sources]),
            'reach': commands_of('reach', ['programs'], sources)}
rng_ = random.Random(SEED)
print(f'seed {SEED}, {COUNT} mutants', flush=True)
counted = killed = same = 0
with tempfile.TemporaryDirectory() as folder:
    os.chmod(folder, 0o755)  # some tests start programs as other users
    os.symlink(os.path.abspath(f'{reach.BUILD}/sim'), f'{folder}/sim')  # what they compare with
    os.mkdir(f'{folder}/unit')
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
        text_ = '\n'.join(lines)
        by = seen_by(path_, line_, text_, folder)
        if by is None:
            continue
        if not by and same_code(path_, text_, whole, folder):
            same += 1
            continue
        counted += 1
        killed += by != ''
        verdict = f'seen by {by}' if by else 'SURVIVES'
        print(f'{verdict:32} {path_}:{line_}: {what}\n    - {before.strip()}\n    + {after.strip()}', flush=True)
print(f'{killed} of {counted} mutants were seen; a survivor may be equivalent, or seen by tests that were not tried; '
      f'{same} more are the same machine code')
broken = sorted(test for test, passed in sound.items() if not passed)
if broken:
    print('these tests fail without a mutant, so they see none: ' + ' '.join(broken))
