#!/usr/bin/env python3
"""http_client - requests that a page would not send, to the server of heddle view (SE-4).

usage: http_client.py CASE URL      URL as heddle prints it, with its token
       http_client.py get URL PATH [HEADER...]         prints the body
       http_client.py ended URL ID                     waits for its end, prints the state
       http_client.py post URL PATH JSON               prints status and body

Each case is a function below. It ends with an AssertionError if the server answers wrongly.
"""
import json
import socket
import sys
import time
from urllib.parse import urlsplit


class Server:
    def __init__(self, url):
        parts = urlsplit(url)
        self.address = (parts.hostname, parts.port)
        self.host = parts.netloc
        self.token = parts.fragment.removeprefix('token=')

    def connect(self):
        return socket.create_connection(self.address, timeout=120)

    def raw(self, request):
        """all bytes that answer @request; a connection that is reset counts as closed"""
        with self.connect() as connection:
            pieces = []
            try:
                connection.sendall(request)
                while piece := connection.recv(65536):
                    pieces.append(piece)
            except ConnectionError:
                pass
            answer = b''.join(pieces)
            assert not self.token or self.token.encode() not in answer, 'the token is in an answer'
            return answer

    def request(self, path, method='GET', body=b'', host=None, token=None, headers=()):
        lines = [f'{method} {path} HTTP/1.1', f'Host: {self.host if host is None else host}']
        if token is None:
            token = self.token
        if token:
            lines.append(f'Authorization: Bearer {token}')
        if body:
            lines += [f'Content-Length: {len(body)}', 'Content-Type: application/json']
        return '\r\n'.join([*lines, *headers, '', '']).encode() + body

    def ask(self, path, **how):
        """status, headers and body"""
        head, _, body = self.raw(self.request(path, **how)).partition(b'\r\n\r\n')
        lines = head.decode().split('\r\n')
        headers = dict(line.lower().split(': ', 1) for line in lines[1:])
        return int(lines[0].split()[1]), headers, body

    def status(self, path, **how):
        status, headers, body = self.ask(path, **how)
        if status >= 400 and how.get('method') != 'HEAD':
            assert json.loads(body)['error'].endswith('.'), body
        assert headers['cache-control'] == 'no-store'
        return status

    def answers(self):
        assert self.status('/recordings') == 200


def expect(got, wanted, what):
    assert got == wanted, f'{what}: {got}, not {wanted}'


def page(server):
    status, headers, body = server.ask('/', token='')
    expect(status, 200, '/')
    policy = headers['content-security-policy']
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
    assert 'unsafe-eval' not in policy and "script-src 'sha256-" in policy
    assert body.startswith(b'<!doctype html>') and body.rstrip().endswith(b'</html>')
    expect(int(headers['content-length']), len(body), 'length')
    expect(server.ask('/', method='HEAD')[2], b'', 'body of HEAD')


def recordings(server):
    status, _, body = server.ask('/recordings')
    expect(status, 200, '/recordings')
    first = json.loads(body)['recordings'][0]
    whole = server.ask(f'/recordings/{first["id"]}')
    expect(len(whole[2]), first['bytes'], 'bytes')
    expect(whole[1]['heddle-state'], first['state'], 'state')
    size = first['bytes']
    part = server.ask('/recordings/1', headers=['Range: bytes=9-'])
    limit = 16 << 20
    expect(part[0], 206, 'range')
    expect(part[2], whole[2][9:9 + limit], 'bytes of the range')
    expect(part[1]['content-range'], f'bytes 9-{min(size, limit + 9) - 1}/{size}', 'range')
    expect(server.ask('/recordings/1', headers=[f'Range: bytes={size}-'])[0], 204, 'at the end')
    expect(server.status('/recordings/1', headers=[f'Range: bytes={size + 1}-']), 416, 'beyond')
    expect(server.ask('/recordings/1', headers=[f'Range: bytes={size + 1}-'])[1]['content-range'], f'bytes */{size}', 'beyond')
    expect(server.status('/recordings/1', headers=['Range: bytes=1-2,4-5']), 416, 'two ranges')
    expect(server.status('/recordings/2'), 404, 'no such recording')


def tokens(server):
    wrong = ['', 'x', server.token[:-1], server.token + '0', server.token[::-1], 'A' * 32]
    for token in wrong:
        for path in ['/recordings', '/recordings/1', '/metrics', '/fork', '/lab', '/lab/predictions', '/nothing', '/..']:
            expect(server.status(path, token=token), 401, f'{path} with a wrong token')
        expect(server.status(f'/recordings?token={server.token}', token=token), 401, 'in the query')


def hosts(server):
    port = server.address[1]
    for host in [f'evil.example:{port}', 'evil.example', '127.0.0.1', f'127.0.0.1:{port + 1}', '',
                 f'127.0.0.1.evil.example:{port}', f'10.0.0.1:{port}']:
        for path in ['/', '/recordings', '/recordings/1']:
            answer = server.raw(server.request(path, host=host))
            assert answer.startswith((b'HTTP/1.1 421', b'HTTP/1.1 400')), (host, answer[:80])
    expect(server.status('/recordings', host=f'localhost:{port}'), 200, 'localhost')


def origins(server):
    for origin in ['http://evil.example', 'null', f'https://{server.host}', 'http://127.0.0.1:1']:
        for path in ['/', '/recordings', '/recordings/1']:
            expect(server.status(path, headers=[f'Origin: {origin}']), 403, origin)
        expect(server.status('/fork', method='POST', body=b'{}', headers=[f'Origin: {origin}']), 403,
               'fork')
    expect(server.status('/recordings', headers=['Sec-Fetch-Site: cross-site']), 403, 'cross-site')
    expect(server.status('/recordings', headers=[f'Origin: http://{server.host}']), 200, 'own')


def readonly(server):
    expect(server.status('/fork', method='POST', body=b'{"of":1}'), 403, 'fork')
    expect(server.status('/recordings/1', method='DELETE'), 403, 'DELETE')
    expect(server.status('/lab'), 404, 'a lab without a lab')
    expect(server.status('/lab/predictions', method='PUT', body=b'{"a":"1"}'), 404, 'predictions')
    for method in ['PUT', 'PATCH', 'OPTIONS', 'PROPFIND', 'MKCOL']:
        for path in ['/', '/recordings', '/recordings/1', '/fork']:
            expect(server.status(path, method=method), 405, f'{method} {path}')


def lab(server):
    """the lab that a test gave it: read, predicted, and what is refused leaves it as it was"""
    def put(body, **how):
        text = body if isinstance(body, bytes) else json.dumps(body).encode()
        return server.status('/lab/predictions', method='PUT', body=text, **how)

    def asked():
        status, headers, body = server.ask('/lab')
        expect(status, 200, '/lab')
        expect(headers['content-type'], 'application/json', '/lab')
        return json.loads(body)

    before = asked()
    name = before['predict'][0]['name']
    assert json.loads(server.ask('/recordings')[2])['server']['lab'] is True
    expect(server.ask('/lab', method='HEAD')[2], b'', 'body of HEAD')
    for body, wanted in [({'no' + name: '1'}, 400), ({name: 1}, 400), ({name: ''}, 400), ({name: 'a\nb'}, 400), ({}, 400),
                         ([name], 400), (b'{"%s": ' % name.encode(), 400), (b'{"%s":"1","%s":"2"}' % ((name.encode(),) * 2), 400),
                         ({name: 'x' * 201}, 400), ({name: 'nonsense'}, 400), ({name: 'x' * 65536}, 413)]:
        expect(put(body), wanted, f'predictions {body!r:.60}')
    good = {name: 'a third'}
    expect(put(good, token='x'), 401, 'predictions without the token')
    expect(put(good, host='evil.example'), 421, 'predictions to another host')
    for header in ['Origin: http://evil.example', 'Sec-Fetch-Site: cross-site']:
        expect(put(good, headers=[header]), 403, header)
    head = f'PUT /lab/predictions HTTP/1.1\r\nHost: {server.host}\r\nAuthorization: Bearer {server.token}\r\n'
    for headers, wanted in [('Content-Length: 2\r\nContent-Type: text/plain\r\n\r\n{}', b'HTTP/1.1 415'),
                            ('Content-Type: application/json\r\n\r\n', b'HTTP/1.1 411')]:
        answer = server.raw((head + headers).encode())
        assert answer.startswith(wanted), answer[:80]
    for method in ['POST', 'PUT', 'DELETE', 'PATCH']:
        expect(server.status('/lab', method=method), 405, f'{method} /lab')
    for method in ['GET', 'POST', 'DELETE']:
        expect(server.status('/lab/predictions', method=method), 405, f'{method} /lab/predictions')
    expect(asked(), before, 'the lab after what was refused')
    expect(put(good), 204, 'predictions')
    before['predict'][0]['answer'] = 'a third'
    expect(asked(), before, 'the lab after a prediction')


def malformed(server):
    host = f'Host: {server.host}\r\n'.encode()
    secret = f'Authorization: Bearer {server.token}\r\n'.encode()
    requests = [
            b'\r\n\r\n', b'\0' * 100 + b'\r\n\r\n', b'GET\r\n\r\n', b'GET / HTTP/9.9\r\n\r\n',
            b'GET /recordings/1 HTTP/1.1\r\nHost\r\n\r\n', b'GET / HTTP/1.1\r\n\r\n',
            b'GET http://evil.example/ HTTP/1.1\r\n' + host + b'\r\n',
            b'GET /' + b'A' * 100000 + b' HTTP/1.1\r\n' + host + b'\r\n',
            b'GET /recordings HTTP/1.1\r\n' + host + b'X: y\r\n' * 5000 + b'\r\n',
            b'GET /recordings HTTP/1.1\r\n' + host + b'Authorization: Bearer ' + b'0' * 7000 + b'\r\n\r\n',
            b'POST /fork HTTP/1.1\r\n' + host + secret + b'Content-Length: -1\r\n\r\n',
            b'POST /fork HTTP/1.1\r\n' + host + secret +
            b'Content-Type: application/json\r\nContent-Length: 99999999999999\r\n\r\n{}',
            b'POST /fork HTTP/1.1\r\n' + host + secret +
            b'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
            b'POST /fork HTTP/1.1\r\n' + host + secret +
            b'Content-Type: application/json\r\nContent-Length: 2000\r\n\r\n{"of": 1']
    # to load it takes longer than most requests
    import concurrent.futures
    # some of them are answered when the server's patience ends: all at a time
    with concurrent.futures.ThreadPoolExecutor(len(requests)) as pool:
        answers = list(pool.map(server.raw, requests))
    for request, answer in zip(requests, answers):
        assert not answer.startswith(b'HTTP/1.1 20'), (request[:60], answer[:80])
    for path in ['/../../etc/passwd', '//etc/passwd', '/recordings/1/../../../etc/passwd',
                 '/%2e%2e/%2e%2e/etc/passwd', '/page.html', '/.htpasswd', '/cgi-bin/x', '/x.lua']:
        expect(server.status(path), 404, path)
    server.answers()


def crowd(server):
    """a hundred connections that say nothing or half a request; the page is served all the same"""
    idle = [server.connect() for _ in range(100)]
    for number, connection in enumerate(idle):
        if number % 2:
            connection.sendall(b'GET /recordings HTTP/1.1\r\nHo')
    server.answers()
    for connection in idle:
        connection.close()
    server.answers()


def stalled(server):
    """readers that ask for all and take nothing; others are served, and so is the end of heddle"""
    for connection in stall(server, 20):
        server.answers()
        connection.close()
    server.answers()


def stall(server, count):
    readers = []
    for _ in range(count):
        reader = socket.socket()
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        reader.connect(server.address)
        reader.sendall(server.request('/recordings/1'))
        readers.append(reader)
    return readers


def hang(server):
    """stalled readers, until standard input ends"""
    readers = stall(server, 20)
    print('ready', flush=True)
    sys.stdin.read()
    for reader in readers:
        reader.close()


def follow(server):
    """as the page does: what is new, four times a second, until killed"""
    have = 0
    while True:
        have += len(server.ask('/recordings/1', headers=[f'Range: bytes={have}-'])[2])
        server.answers()
        time.sleep(0.25)


# what tests/bench/serving.sh has beside a run, each until it is killed


def held(server):
    """stalled readers; those that the server ends come again"""
    while True:
        readers = stall(server, 16)
        time.sleep(1)
        for reader in readers:
            reader.close()


def idle(server):
    """a hundred connections that say nothing"""
    while True:
        connections = [server.connect() for _ in range(100)]
        time.sleep(1)
        for connection in connections:
            connection.close()


def origin(server):
    while True:
        server.ask('/recordings', headers=['Origin: http://evil.example'])


def wrong(server):
    while True:
        server.ask('/recordings', token='x')


def slow(server):
    """readers that take a few bytes at a time"""
    while True:
        readers = stall(server, 16)
        for _ in range(100):
            for reader in readers:
                try:
                    reader.recv(16)
                except OSError:
                    pass
            time.sleep(0.01)
        for reader in readers:
            reader.close()


def get(server, path, *headers):
    sys.stdout.buffer.write(server.ask(path, headers=headers)[2])


def ended(server, number):
    """waits for minutes until the run of a recording has ended; prints the state"""
    state = 'growing'
    for _ in range(3000):
        found = json.loads(server.ask('/recordings')[2])['recordings']
        state = next(recording['state'] for recording in found if recording['id'] == int(number))
        if state != 'growing':
            break
        time.sleep(0.1)
    print(state)


def post(server, path, body):
    status, _, answer = server.ask(path, method='POST', body=body.encode())
    print(status, answer.decode())


def delete(server, path):
    print(server.ask(path, method='DELETE')[0])


globals()[sys.argv[1]](Server(sys.argv[2]), *sys.argv[3:])
