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


def recorded(work, name, *options):
    path = os.path.join(work, name + '.heddle')
    subprocess.run([heddle, 'run', scenario, '--quiet', '--record', path, *options], check=True)
    return path


def show(browser, *paths):
    browser.open('file://' + page)
    browser.files(*paths)
    browser.wait(f'heddlePage.loaded.length === {len(paths)} && heddlePage.loaded.every((p) => p.strips.length && '
                 'p.rec.fed === p.rec.slices.length)')


os.makedirs(folder, exist_ok=True)
with tempfile.TemporaryDirectory() as work, Browser(1200, 720) as browser:
    show(browser, recorded(work, 'tree'))
    browser.eval('heddlePage.setTheme("light"); heddlePage.go(28e6); 1')
    browser.shot(os.path.join(folder, 'congestion-tree.png'))
    show(browser, recorded(work, 'pfc'), recorded(work, 'channels', '--set', 'fabric=flow-channel'))
    browser.eval('heddlePage.setTheme("light"); heddlePage.go(28e6); heddlePage.act("view heat"); 1')
    browser.shot(os.path.join(folder, 'controls.png'))
