"""The module `heddle` over a running fabric: h0 and h1 at s1, h2 at s2 (DU-9)."""

import subprocess

import pytest

from heddle import Fabric, HeddleError, generate, run

SCENARIO = """\
name: tiny
run: {duration: 20us, warmup: 5us}
topology: {switches: [s1, s2], hosts: {h0: s1, h1: s1, h2: s2}, links: [[s1, s2]]}
"""
SLOW = {"links.rate": "10Mb/s", "links.delay": "10ms"}


@pytest.fixture(scope="module")
def fabric():
    with Fabric.up(SCENARIO, SLOW) as running:
        yield running


def test_three_lines(heddle_fabric):
    fabric = heddle_fabric(SCENARIO, SLOW)
    assert fabric.host("h0").run(["ping", "-c1", "h2"]).returncode == 0


def test_fixture_ends_its_fabric(pytester):
    pytester.makepyfile(
        f"""
        names = []
        def test_one(heddle_fabric):
            names.append(heddle_fabric({SCENARIO!r}).name)
            names.append(heddle_fabric({SCENARIO!r}).name)
        def test_two():
            from heddle.command import answer
            left = [fabric["fabric"] for fabric in answer(["ps"])]
            assert names[0] != names[1] and not set(names) & set(left)
        """
    )
    pytester.runpytest_subprocess().assert_outcomes(passed=2)


def test_scenario_beside_the_test(heddle_fabric, request):
    path = request.path.parent / "beside.yaml"
    path.write_text(SCENARIO)
    try:
        assert list(heddle_fabric("beside.yaml").hosts) == ["h0", "h1", "h2"]
    finally:
        path.unlink()


def test_run(fabric):
    done = fabric.host("h1").run(
        ["sh", "-c", "cat; echo $WORD; echo e >&2; exit 7"], stdin="ä\n", env={"WORD": "w w"}
    )
    assert (done.returncode, done.stdout, done.stderr) == (7, "ä\nw w\n", "e\n")
    with pytest.raises(subprocess.CalledProcessError, match="7"):
        done.check()
    with pytest.raises(TypeError):
        fabric.host("h1").run("true")


def test_run_with_bytes(fabric):
    done = fabric.host("h1").run(["cat"], stdin=b"\xff\0\n")
    assert (done.stdout, done.stdout_bytes) == ("\ufffd\0\n", b"\xff\0\n")


def test_timeout_ends_the_program(fabric):
    host = fabric.host("h1")
    with pytest.raises(TimeoutError, match="so far"):
        host.run(["sh", "-c", "echo so far; exec sleep 1234"], timeout=0.5)
    assert "1234" not in host.run(["sh", "-c", "cat /proc/[0-9]*/cmdline"]).stdout


def test_background_and_port(fabric):
    server, client = fabric.host("h2"), fabric.host("h0")
    code = "import socket; s = socket.create_server(('', 8080)); c = s.accept()[0]; print(c.recv(9).decode())"
    with server.start(["python3", "-c", code]) as program:
        server.wait_for_port(8080)
        assert program.running and program.returncode is None
        code = f"import socket; socket.create_connection(('{server.ipv4}', 8080)).send(b'hello')"
        client.run(["python3", "-c", code]).check()
        assert program.wait(60).stdout == "hello\n"
    assert "exit status 0" in repr(program)
    with pytest.raises(TimeoutError, match="8081"):
        server.wait_for_port(8081, timeout=0)


def test_stop(fabric):
    with fabric.host("h2").start(["sleep", "1000"]) as program:
        assert program.running
    assert program.returncode not in (0, None)


def reached(fabric):
    return fabric.host("h0").run(["ping", "-c1", "-W1", fabric.host("h2").ipv4]).returncode == 0


def reached_in_the_end(fabric):
    return any(reached(fabric) for _ in range(30))


def test_link_down_and_up(fabric):
    assert reached_in_the_end(fabric)
    with fabric.link("s1", "s2").failed():
        assert not reached(fabric)
    assert reached_in_the_end(fabric)


def test_switch_fails(fabric):
    with fabric.switch("s2").failed() as switch:
        assert {link.name for link in switch.links} and not reached(fabric)
    assert reached_in_the_end(fabric)
    with pytest.raises(KeyError, match="s1, s2"):
        fabric.switch("s3")


def test_link_set(fabric):
    link = fabric.link("h0", "s1")
    link.set(rate="20Mb/s", bit_errors=0)
    row = next(row for row in fabric.links_json() if "h0" in (row["node_a"], row["node_b"]))
    assert row["rate_bps"] == 20_000_000 and "back" not in row
    link.set(towards="s1", delay="3ms")
    row = next(row for row in fabric.links_json() if "h0" in (row["node_a"], row["node_b"]))
    assert {row["delay_ps"], row["back"]["delay_ps"]} == {3_000_000_000, 10_000_000_000}
    link.set(delay="10ms")
    with pytest.raises(TypeError):
        link.set()
    assert [row["rate_bps"] for row in fabric.links_json() if row["node_a"] == "h0"] == [20_000_000]
    with pytest.raises(HeddleError, match="rat") as error:
        fabric.link("h0", "s1").set(rat=1)
    assert error.value.status == 2


def test_hosts_join_and_leave(fabric):
    host = fabric.add_host("h9", "s1", rate="20Mb/s")
    assert host.run(["true"]).returncode == 0 and fabric.hosts["h9"].ipv4 == host.ipv4
    fabric.remove("h9")
    with pytest.raises(KeyError, match="h0, h1, h2"):
        fabric.host("h9")


def test_verdict(fabric):
    verdict = fabric.valid
    assert verdict.verdict in ("valid", "valid-for-rates", "not-valid")
    assert bool(verdict) == (verdict.verdict == "valid")
    assert verdict.valid_for_rates or not verdict
    assert verdict.words in repr(verdict) and verdict.words


def test_down_ends_programs_and_keeps_the_verdict():
    fabric = Fabric.up(SCENARIO, SLOW)
    program = fabric.host("h0").start(["sleep", "1000"])
    verdict = fabric.down()
    assert not program.running and fabric.valid is verdict and fabric.down() is verdict
    with pytest.raises(HeddleError, match="no fabric"):
        fabric.status()


def test_errors():
    with pytest.raises(HeddleError, match=":1:1: ") as error:
        Fabric.up("nonsense: 1\nname: x\n")
    assert error.value.status == 2
    with pytest.raises(HeddleError, match="nowhere.yaml"):
        Fabric.up("nowhere.yaml")


def test_run_of_a_scenario(tmp_path):
    path = tmp_path / "star.yaml"
    path.write_text(generate("star", hosts=4) + "\n")
    done = run(str(path), {"run.duration": "20us", "run.warmup": "5us", "expect": "[lost == 0, lost > 5]"})
    assert not done and done.status == 1 and done.failed == ["lost > 5"]
    assert run(str(path), {"run.duration": "20us", "run.warmup": "5us", "expect": "[lost == 0]"})


def test_run_of_the_text_of_a_scenario():
    assert run(generate("star", hosts=4), {"run.duration": "20us", "run.warmup": "5us"})
    with pytest.raises(HeddleError, match="standard input:1:1: "):
        run("nonsense: 1\nname: x\n")
