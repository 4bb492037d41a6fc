#!/usr/bin/env python3
"""A fabric in Mininet for tests/bench/hosts.sh: the one of a file of lines 'switch S', 'host H S' and 'link S S'.

Switches are Open vSwitch's with the datapath in user space. Says 'ready', then name and process id of each host, then
waits for a line, and takes the fabric down.     usage: mininet_fabric.py FILE MTU
"""
import sys
from functools import partial

from mininet.log import setLogLevel
from mininet.net import Mininet
from mininet.node import OVSSwitch
from mininet.topo import Topo


class Fabric(Topo):
    def build(self, path):
        with open(path) as lines:
            for kind, name, *peer in map(str.split, lines):
                if kind == "switch":
                    self.addSwitch(name)
                    continue
                if kind == "host":
                    self.addHost(name)
                self.addLink(name, peer[0])


def main():
    path, mtu = sys.argv[1:]
    setLogLevel("error")
    switch = partial(OVSSwitch, datapath="user", failMode="standalone")
    net = Mininet(topo=Fabric(path=path), switch=switch, controller=None)
    net.start()
    if mtu != "1500":
        for node in net.hosts + net.switches:
            for interface in node.intfList():
                if interface.name != "lo":
                    node.cmd("ip link set", interface, "mtu", mtu)
    print("ready", *(f"{host.name}={host.pid}" for host in net.hosts), flush=True)
    sys.stdin.readline()
    net.stop()


main()
