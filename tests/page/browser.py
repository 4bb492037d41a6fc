"""browser - Chromium without a window, driven by the DevTools protocol over two pipes.

Needs nothing but Python and chromium. The browser has a folder of its own for its data, which goes
when it ends; it ends with this program, however that ends (its pipe closes).
"""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time

OPTIONS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-extensions
    --disable-background-networking --disable-component-update --disable-sync --hide-scrollbars --mute-audio
    --disable-default-apps --disable-features=Translate,OptimizationHints,MediaRouter --metrics-recording-only
    --remote-debugging-pipe about:blank""".split()


def program():
    """The browser: better the one that has no windows at all, which takes two thirds of the time."""
    return shutil.which('chromium-headless-shell') or 'chromium'


class Browser:
    def __init__(self, width=1366, height=768):
        self.data = tempfile.mkdtemp(prefix='heddle-browser-')
        to_read, self.to = os.pipe()
        self.back, to_write = os.pipe()
        high = [os.dup(to_read), os.dup(to_write)]   # 3 and 4 may be among the four

        def descriptors():
            os.dup2(high[0], 20)
            os.dup2(high[1], 21)
            os.dup2(20, 3)
            os.dup2(21, 4)
            os.closerange(5, 100)

        self.process = subprocess.Popen(
            [program(), *OPTIONS, f'--user-data-dir={self.data}', f'--window-size={width},{height}'],
            preexec_fn=descriptors, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for descriptor in (to_read, to_write, *high):
            os.close(descriptor)
        self.number = 0
        self.buffer = b''
        self.events = []
        target = [t for t in self.send('Target.getTargets')['targetInfos'] if t['type'] == 'page'][0]
        self.session = self.send('Target.attachToTarget', targetId=target['targetId'], flatten=True)['sessionId']
        self.size(width, height)
        for domain in ('Page', 'Runtime', 'Network', 'Log'):
            self.call(domain + '.enable')

    # one message of the browser: ends with a zero byte
    def message(self):
        while b'\0' not in self.buffer:
            part = os.read(self.back, 1 << 20)
            if not part:
                raise SystemExit('the browser has ended')
            self.buffer += part
        one, self.buffer = self.buffer.split(b'\0', 1)
        return json.loads(one)

    def send(self, method, session=None, **params):
        self.number += 1
        request = {'id': self.number, 'method': method, 'params': params}
        if session:
            request['sessionId'] = session
        data = json.dumps(request).encode() + b'\0'
        while data:
            data = data[os.write(self.to, data):]
        while True:
            answer = self.message()
            if answer.get('id') == self.number:
                if 'error' in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer['result']
            if 'method' in answer:
                self.events.append(answer)

    def call(self, method, **params):
        return self.send(method, self.session, **params)

    def size(self, width, height):
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=False)

    def open(self, url):
        self.call('Page.navigate', url=url)
        self.wait("document.readyState === 'complete' && Boolean(globalThis.heddlePage)")

    def eval(self, expression):
        """The value of a JavaScript expression; promises are awaited."""
        answer = self.call('Runtime.evaluate', expression=expression, awaitPromise=True, returnByValue=True)
        if 'exceptionDetails' in answer:
            details = answer['exceptionDetails']
            raise RuntimeError(details.get('exception', {}).get('description', details['text']))
        return answer['result'].get('value')

    def wait(self, expression):
        """Until the expression is true. The limit is for what hangs."""
        limit = time.monotonic() + float(os.environ.get('PAGE_PATIENCE', 120))
        while not self.eval(expression):
            if time.monotonic() > limit:
                raise RuntimeError(f'never true: {expression}; the page says {self.problems()}')
            time.sleep(0.05)

    def files(self, *paths):
        """Gives files to the page's file input, as a reader who picks them."""
        root = self.call('DOM.getDocument')['root']['nodeId']
        node = self.call('DOM.querySelector', nodeId=root, selector='#file')['nodeId']
        self.call('DOM.setFileInputFiles', files=[os.path.abspath(p) for p in paths], nodeId=node)

    def key(self, key, shift=False):
        """Presses a key of the keyboard and releases it."""
        named = {'Escape': 27, 'Enter': 13, 'Tab': 9, 'ArrowLeft': 37, 'ArrowUp': 38, 'ArrowRight': 39, 'ArrowDown': 40,
                 'Home': 36, 'End': 35}
        text = '\r' if key == 'Enter' else key if len(key) == 1 else ''
        code = named.get(key, ord(key.upper()) if len(key) == 1 and key.isalnum() else 0)
        modifiers = 8 if shift else 0
        self.call('Input.dispatchKeyEvent', type='keyDown' if text else 'rawKeyDown', key=key, text=text,
                  windowsVirtualKeyCode=code, modifiers=modifiers)
        self.call('Input.dispatchKeyEvent', type='keyUp', key=key, windowsVirtualKeyCode=code, modifiers=modifiers)

    def click(self, x, y):
        for kind in ('mousePressed', 'mouseReleased'):
            self.call('Input.dispatchMouseEvent', type=kind, x=x, y=y, button='left', clickCount=1)

    def touch(self, x, y):
        self.call('Input.dispatchTouchEvent', type='touchStart', touchPoints=[{'x': x, 'y': y}])
        self.call('Input.dispatchTouchEvent', type='touchEnd', touchPoints=[])

    def shot(self, path):
        """A PNG of the page, after the next frame."""
        self.eval('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))')
        with open(path, 'wb') as out:
            out.write(base64.b64decode(self.call('Page.captureScreenshot', format='png')['data']))

    def pdf(self, path):
        """The page printed on A4."""
        with open(path, 'wb') as out:
            out.write(base64.b64decode(self.call('Page.printToPDF', preferCSSPageSize=True, printBackground=True)['data']))

    def problems(self):
        """Errors that the page has not handled, and requests that left it."""
        found = []
        for event in self.events:
            params = event['params']
            if event['method'] == 'Runtime.exceptionThrown':
                details = params['exceptionDetails']
                found.append(details.get('exception', {}).get('description', details['text']))
            if event['method'] == 'Log.entryAdded' and params['entry']['level'] == 'error':
                found.append(params['entry']['text'])
        return found

    def requests(self):
        """Addresses that the page has requested."""
        return [e['params']['request']['url'] for e in self.events if e['method'] == 'Network.requestWillBeSent']

    def close(self):
        try:
            self.send('Browser.close')
        except (SystemExit, OSError):
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.data, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()
