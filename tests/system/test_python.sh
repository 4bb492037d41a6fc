#!/usr/bin/env bash
# test_python - the Python module as it is installed: its tests, its fixture without any option, and
# its types (DU-9).
set -u
. "$(dirname "$0")/common.sh"

for python in python3 /usr/bin/python3 ''; do
	[ -n "$python" ] || { echo 'skipped: python3-pytest is missing'; exit 77; }
	"$python" -c 'import pytest' 2>/dev/null && break
done
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$top" install-python DESTDIR="$scratch/root" PREFIX=/usr >"$scratch/log" 2>&1 ||
	{ cat "$scratch/log"; exit 1; }
export PYTHONPATH=$scratch/root/usr/lib/python3/dist-packages PYTHONDONTWRITEBYTECODE=1 HEDDLE=$heddle
cp -r "$top/python/tests" "$scratch/tests"
cd "$scratch" || exit 1

three_lines() {
	cat >test_mine.py <<-'PYTHON'
		def test_ping(heddle_fabric):
		    fabric = heddle_fabric("two.yaml")
		    assert fabric.host("h0").run(["ping", "-c1", "h1"]).returncode == 0
	PYTHON
	"$python" -m pytest -q -p no:cacheprovider test_mine.py
}

# the project that users copy
example() {
	cp -r "$top/examples/service" . && (cd service && "$python" -m pytest -q -p no:cacheprovider)
}

module() { "$python" -m pytest -q -p no:cacheprovider --basetemp "$scratch/pytest" tests; }

typed() { (cd "$top/python" && mypy --strict --cache-dir /dev/null heddle); }

# the module has the version of the program
versions() {
	[ "heddle $("$python" -c 'from importlib.metadata import version; print(version("heddle"))')" = "$("$heddle" --version | sed 's/ (commit.*//')" ] &&
		grep -qx "version = \"$("$heddle" --version | sed 's/heddle \([^ ]*\).*/\1/')\"" "$top/python/pyproject.toml"
}

cat >two.yaml <<'YAML'
name: two
run: {duration: 20us, warmup: 5us}
topology: {switches: [s1], hosts: {h0: s1, h1: s1}}
links: {rate: 100Mb/s, delay: 1ms}
YAML
fabric_dir
fabric_up two.yaml && run 0 down || exit 1
check 'a test of three lines' three_lines
check 'tests of the module' module
check 'the example' example
if command -v mypy >/dev/null; then check 'types' typed; else skip types 'mypy is missing'; fi
check 'versions' versions
finish
