#!/usr/bin/env python3
"""pictures - the pictures of README and docs, drawn by the page itself (make pictures).

usage: pictures.py HEDDLE PAGE FOLDER
"""

import os
import subprocess
import sys
import tempfile

from browser import Browser

heddle, page, folder = (os.path.abspath(p) for p in sys.argv[1:4])
here = os.path.dirname(os.path.abspath(__file__))
scenario = 'congestion-tree.yaml'
os.chdir(here)


def recorded(work, name, *options, played=scenario, folder=here):
    path = os.path.join(work, name + '.heddle')
    subprocess.run([heddle, 'run', played, '--quiet', '--record', path, *options], check=True, cwd=folder)
    return path


def show(browser, *paths):
    browser.open('file://' + page)
    browser.files(*paths)
    browser.wait(f'heddlePage.loaded.length === {len(paths)} && heddlePage.loaded.every((p) => p.strips.length && '
                 'p.rec.fed === p.rec.slices.length)')


def lab(work, name):
    """A recording of a scenario of a lab, by the name that the page shows."""
    return recorded(work, 'lab', played='topologies/labs/' + name, folder=os.path.join(here, '../..'))


os.makedirs(folder, exist_ok=True)
with tempfile.TemporaryDirectory() as work, Browser(1200, 720) as browser:
    show(browser, recorded(work, 'tree'))
    browser.eval('heddlePage.setTheme("light"); heddlePage.go(28e6); 1')
    browser.shot(os.path.join(folder, 'congestion-tree.png'))
    show(browser, recorded(work, 'pfc'), recorded(work, 'channels', '--set', 'fabric=flow-channel'))
    browser.eval('heddlePage.setTheme("light"); heddlePage.go(28e6); heddlePage.act("view heat"); 1')
    browser.shot(os.path.join(folder, 'controls.png'))
    # of labs
    show(browser, lab(work, '04-pfc-spreads/row.yaml'))
    browser.eval('heddlePage.setTheme("light"); heddlePage.go(70e6); heddlePage.act("view heat"); 1')
    browser.shot(os.path.join(folder, 'lab-spreading.png'))
    show(browser, lab(work, '02-littles-law/loop.yaml'))
    browser.eval('heddlePage.setTheme("light"); heddlePage.go(30e6); heddlePage.act("next-flow"); heddlePage.act("view ladder"); '
                 'for (let i = 0; i < 9; i++) heddlePage.act("zoom-in"); 1')
    browser.shot(os.path.join(folder, 'lab-credit-loop.png'))
    show(browser, lab(work, '06-one-cnp/one-cnp.yaml'))
    browser.eval('heddlePage.setTheme("light"); heddlePage.go(100e6); heddlePage.act("view strips"); 1')
    browser.shot(os.path.join(folder, 'lab-one-cnp.png'))
