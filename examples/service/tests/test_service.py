"""The counter over a network that fails."""
import pathlib

import pytest

SERVICE = str(pathlib.Path(__file__).parent.parent / "service.py")


@pytest.fixture
def network(heddle_fabric):
    fabric = heddle_fabric("network.yaml")
    copy, counter = fabric.host("copy"), fabric.host("counter")
    copy.start(["python3", SERVICE, "80"])
    counter.start(["python3", SERVICE, "80", f"http://{copy.ipv4}:80/"])
    for host in copy, counter:
        host.wait_for_port(80)
    return fabric


def ask(network, host, method="GET"):
    """Status and count that `host` answers to the client."""
    url = f"http://{network.host(host).ipv4}/"
    words = ["curl", "-s", "-m", "60", "-X", method, "-w", "%{http_code}", url]
    count, status = network.host("client").run(words).check().stdout.split()
    return int(status), int(count)


def test_counts(network):
    assert ask(network, "counter", "POST") == (200, 1)
    assert ask(network, "counter", "POST") == (200, 2)
    assert ask(network, "copy") == (200, 2)


def test_without_its_copy_it_does_not_count(network):
    with network.link("s1", "s2").failed():
        assert ask(network, "counter", "POST") == (503, 0)
        assert ask(network, "counter") == (200, 0)


def test_counts_again_when_the_link_is_back(network):
    with network.link("s1", "s2").failed():
        assert ask(network, "counter", "POST")[0] == 503
    assert any(ask(network, "counter", "POST")[0] == 200 for _ in range(20))
    assert ask(network, "copy")[1] == ask(network, "counter")[1] > 0


def test_slow_link(network):
    network.link("s1", "s2").set(delay="600ms")
    assert ask(network, "counter", "POST")[0] == 503
