"""Requests and streams over TCP. What is measured is printed as JSON.

serve                     answers requests and counts streams
ask HOST RATE SECONDS     sends RATE requests a second, whether answers come or not
stream HOST SECONDS       sends as fast as it can; HOST says how much it has received
"""
import json
import socket
import socketserver
import sys
import threading
import time

PORT = 8000
REQUEST = 64
"""Bytes of a request. The first says what it is: ASK or STREAM; streams have no requests."""
ANSWER = 1024
ASK, STREAM = b"a", b"s"


def exactly(connection, size):
    """The next `size` bytes, or fewer at the end."""
    got = b""
    while len(got) < size and (more := connection.recv(size - len(got))):
        got += more
    return got


class Serve(socketserver.BaseRequestHandler):
    """Answers each request; counts a stream until its end, then says how much it was."""

    def handle(self):
        self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        kind = self.request.recv(1, socket.MSG_PEEK)
        if kind == STREAM:
            self.count()
        while kind == ASK and len(exactly(self.request, REQUEST)) == REQUEST:
            self.request.sendall(bytes(ANSWER))

    def count(self):
        begin, total = time.monotonic(), 0
        while more := self.request.recv(1 << 16):
            total += len(more)
        report = {"bytes": total, "seconds": time.monotonic() - begin}
        self.request.sendall(json.dumps(report).encode())


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True


def ask(host, rate, seconds):
    """Latencies in seconds, from the sending of each request to the last byte of its answer."""
    connection = socket.create_connection((host, PORT))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    number = round(rate * seconds)
    sent, latencies = [], []

    def receive():
        while len(latencies) < number and len(exactly(connection, ANSWER)) == ANSWER:
            latencies.append(time.monotonic() - sent[len(latencies)])

    receiver = threading.Thread(target=receive)
    receiver.start()
    begin = time.monotonic()
    for i in range(number):
        time.sleep(max(0, begin + i / rate - time.monotonic()))
        sent.append(time.monotonic())
        connection.sendall(ASK.ljust(REQUEST))
    receiver.join()
    return {"asked": number, "latencies": latencies}


def stream(host, seconds):
    connection = socket.create_connection((host, PORT))
    # little waits in the sender, so that the stream ends soon after its time
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, 1 << 15)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        connection.sendall(STREAM * (1 << 14))
    connection.shutdown(socket.SHUT_WR)
    return json.loads(exactly(connection, 1 << 16))


def main(what, *words):
    if what == "serve":
        Server(("", PORT), Serve).serve_forever()
    elif what == "ask":
        print(json.dumps(ask(words[0], float(words[1]), float(words[2]))))
    else:
        print(json.dumps(stream(words[0], float(words[1]))))


if __name__ == "__main__":
    main(*sys.argv[1:])
