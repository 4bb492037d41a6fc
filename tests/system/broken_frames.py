"""broken_frames FILE - frames with mistakes, and good ones, for test_dissector.sh.

Writes FILE as pcap and prints a line for each frame: a part of the text by which it is to be
reported as malformed, or "-" if nothing is wrong with it. The frames are made here by hand, from
docs/wire-format.md; no code is shared with the nodes.
"""
import struct
import sys
import zlib

HOST_1, HOST_2 = b'\x02\x48\0\0\0\x01', b'\x02\x48\0\0\0\x02'
ENVELOPE = b'\x02\x48\xff\0\x02\0' + b'\x02\x48\xff\0\x01\x05' + b'\x88\xb5'
frames = []


def frame(expected, data):
    frames.append((expected, bytes(data)))


def with_byte(data, at, value):
    return data[:at] + bytes([value]) + data[at + 1:]


def payload(message_bytes=1000, part=100, first=1, last=0):
    return struct.pack('>QIIQHH', 5000, 3, 2, message_bytes << 24 | 9, first << 15 | last << 14 | part, 4)


# ---- 0x88b6 ----

def test_frame(header, size=256):
    data = HOST_2 + HOST_1 + b'\x88\xb6' + bytes(6) + header
    return data + bytes(size - len(data))


plain = test_frame(payload())
frame('-', plain)
frame('a reserved byte of a test frame', with_byte(plain, 15, 1))
frame('there is no subtype 9', with_byte(plain, 14, 9))
frame('100 bytes of a message of 99', test_frame(payload(message_bytes=99)))
frame('300 bytes of a message in a frame that holds 208', test_frame(payload(part=300)))
frame('the test payload header is too short', plain[:40])
hpc = HOST_2 + HOST_1 + b'\x88\xb6' + struct.pack('>BBHIII', 1, 3, 0, 1, 2, 77) + payload() + bytes(200)
frame('-', hpc)
frame('version and reserved bits of an HPC header', with_byte(hpc, 15, 0x13))
frame('the HPC header is too short', hpc[:25])
becn = HOST_2 + HOST_1 + b'\x88\xb6\x02' + bytes(45)
frame('-', becn)
frame('zeros after its subtype', with_byte(becn, 50, 1))

# ---- data on a fabric link ----


def fabric(inner, units=None, flow=1025, port=2):
    if units is None:
        units = (len(inner) + 255) // 256
    return ENVELOPE + struct.pack('>BBHHHBBBB', 0x13, 1, flow, 1000, 7, port, 1, 0, units) + inner


frame('-', fabric(plain))
frame('1 units for a frame of 300 bytes, which has 2', fabric(test_frame(payload(), 300), units=1))
frame('a reserved bit of the fabric header', fabric(plain, flow=0x801))
frame('no egress port 64', fabric(plain, port=64))
frame('the fabric header is too short', fabric(plain)[:20])
frame('the frame inside is too short', fabric(plain[:8]))
frame('there is no type 7', with_byte(fabric(plain), 14, 0x70))
frame('the frame is too short', ENVELOPE)

# ---- ACK frames ----


def acks(entries, count=None, length=None, padding=0, fcs=0, after=b''):
    bits, used = 0, 25 * len(entries)
    for flow, kind, value in entries:
        bits = bits << 25 | flow << 14 | kind << 11 | value
    field = (used + 7) // 8
    bits = bits << (8 * field - used) | padding
    body = struct.pack('>BBHB', 0x20, len(entries) if count is None else count, field if length is None else length, 0)
    body += bits.to_bytes(field, 'big')
    return ENVELOPE + body + struct.pack('<I', zlib.crc32(body) ^ fcs) + after


three = [(2047, 0, 2047), (5, 3, 40), (6, 5, 7)]
frame('-', acks(three))
frame('-', acks([(i, 4, 2 * i) for i in range(48)]))
frame('-', acks(three, after=b'\0\0\0\x01'))
frame('the FCS of the ACK frame is wrong', acks(three, fcs=1))
frame('no ACK of type 6', acks([(1, 6, 0)]))
frame('no congestion factor 256', acks([(1, 2, 256)]))
frame('the padding after the last ACK', acks(three, padding=1))
frame('0 ACKs in 10 bytes', acks(three, count=0))
frame('49 ACKs', acks(three, count=49))
frame('in 11 bytes', acks(three, length=11))
frame('bytes for 3 ACKs', acks(three, after=b'\0'))
frame('the ACK frame is too short', acks(three)[:25])
frame('the ACK frame is too short', acks(three)[:17])
frame('version and reserved byte of an ACK frame', with_byte(acks(three), 14, 0x21))

# ---- control words, quotes ----


def words(entries, count=None):
    data = ENVELOPE + struct.pack('>BBH', 0x30, len(entries) if count is None else count, 0)
    return data + b''.join(struct.pack('>BBHI', *entry) for entry in entries)


frame('-', words([(kind, 1, 0, 7) for kind in range(6)]))
frame('control word of kind 6', words([(6, 0, 0, 0)]))
frame('control word of kind 1', words([(1, 0, 5, 0)]))
frame('3 control words in 12 bytes', words([(0, 0, 0, 0)], count=3))
frame('0 control words', words([], count=0))
frame('control words is too short', words([(0, 0, 0, 0)])[:16])
quoted = ENVELOPE + b'\x40\0' + plain
frame('-', quoted)
frame('reserved byte of a quote', with_byte(quoted, 15, 1))

# ---- local route header ----


def lid(inner, first=0x50, second=0x31, length=None):
    length = len(inner) if length is None else length
    return ENVELOPE + struct.pack('>BBHII', first, second, 0x8000 | length, 2, 1) + inner


frame('-', lid(plain))
frame('-', lid(plain) + b'\0\0\0\x07')
frame('version 1 of the local route header', lid(plain, first=0x51))
frame('a reserved bit of the local route header', lid(plain, second=0x38))
frame('a length of 200 for a frame of 256 bytes', lid(plain, length=200))
frame('the local route header is too short', lid(plain)[:20])

# ---- FGFC ----


def fgfc(kind=2, fields=0x08, pause=50000, credit=16, version=0, source=bytes([10, 0, 0, 1]), size=92, port=0):
    data = b'\x01\x80\xc2\0\0\x0e' + b'\x02\x48\xff\0\x01\x05' + b'\x88\xb7\0\x0e\xab\0\0'
    data += struct.pack('>BBBHIIBBH', kind, version, 0, fields, pause, credit, 1, 0, 0) + bytes(12)
    data += source + bytes(16 - len(source)) + bytes([10, 0, 0, 2]) + bytes(12) + struct.pack('>HHII', port, 0, 0, 0)
    return data[:size] + bytes(max(0, size - len(data)))


def masked(bits):
    data = bytearray(fgfc(version=1, size=152))
    data[108:112] = data[124:128] = bits
    return bytes(data)


frame('-', fgfc())
frame('-', fgfc(pause=0, credit=0))
frame('-', fgfc() + b'\0\0\0\x09')
frame('-', masked(b'\x0f\0\0\x03'))
frame('source has bits that its mask leaves out', masked(b'\xff\xff\xff\0'))
frame('credit without a pause', fgfc(pause=0))
frame('no flow is of type 4', fgfc(kind=4))
frame('there are no such fields', fgfc(fields=0x88))
frame('source_port is given, but does not name the flow', fgfc(port=5))
frame('an address is longer', fgfc(source=bytes(range(1, 17))))
frame('version 1 with 92 bytes', fgfc(version=1))
frame('92 or 152 bytes, not 100', fgfc(size=100))
frame('the FGFC frame is too short', fgfc()[:60])

# ---- CNPs ----


def cnp(signal=0, rest=bytes(16), icrc=0):
    bth = b'\x81\0\xff\xff\x40\x40\0\x03' + bytes([signal]) + bytes(3)
    udp = struct.pack('>HHHH', 0xc001, 4791, 8 + len(bth) + len(rest) + 4, 0)
    ip = struct.pack('>BBHHHBBH4s4s', 0x45, 0x30, 20 + len(udp) + len(bth) + len(rest) + 4, 0, 0x4000, 64, 17, 0,
                     bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2]))
    total = sum(struct.unpack('>10H', ip))
    total = (total & 0xffff) + (total >> 16)
    ip = ip[:10] + struct.pack('>H', ~total & 0xffff) + ip[12:]
    ones = [1, 8, 10, 11, 20 + 6, 20 + 7, 28 + 4]
    masked = bytearray(ip + udp + bth + rest)
    for at in ones:
        masked[at] = 0xff
    right = zlib.crc32(b'\xff' * 8 + bytes(masked))
    return HOST_2 + HOST_1 + b'\x08\0' + ip + udp + bth + rest + struct.pack('<I', right ^ icrc)


frame('-', cnp())
frame('-', cnp(signal=2))
frame('there is no signal 3', cnp(signal=3))
frame('zeros after its BTH', cnp(rest=bytes(15) + b'\x01'))
frame('16 bytes after its BTH', cnp(rest=bytes(20)))
frame('the ICRC is wrong', cnp(icrc=0x100))

with open(sys.argv[1], 'wb') as pcap:
    pcap.write(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
    for expected, data in frames:
        pcap.write(struct.pack('<IIII', 0, 0, len(data), len(data)) + data)
        print(expected)
