#!/usr/bin/env python3
"""A counter with a copy: POST / adds one and tells the copy, GET / reads.

service.py PORT [COPY]    COPY: http://host:port of the other one

A count that the copy did not confirm within a second is not taken: status 503."""
import http.server
import sys
import urllib.error
import urllib.request

COPY_SECONDS = 1


class Counter(http.server.BaseHTTPRequestHandler):
    count = 0
    copy = None

    def do_GET(self):
        self.reply(200, Counter.count)

    def do_POST(self):
        if not self.copied(Counter.count + 1):
            self.reply(503, Counter.count)
            return
        Counter.count += 1
        self.reply(200, Counter.count)

    def do_PUT(self):
        Counter.count = int(self.rfile.read(int(self.headers["Content-Length"])))
        self.reply(200, Counter.count)

    def copied(self, count):
        if not Counter.copy:
            return True
        request = urllib.request.Request(Counter.copy, str(count).encode(), method="PUT")
        try:
            urllib.request.urlopen(request, timeout=COPY_SECONDS).read()
        except (urllib.error.URLError, TimeoutError):
            return False
        return True

    def reply(self, status, count):
        text = f"{count}\n".encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    Counter.copy = sys.argv[2] if len(sys.argv) > 2 else None
    http.server.ThreadingHTTPServer(("", int(sys.argv[1])), Counter).serve_forever()
