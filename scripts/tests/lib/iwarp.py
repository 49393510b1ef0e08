#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""An iWARP peer in userspace that counts the RDMA Reads that it has not answered.

iwarp.py call HOST PORT IRD: connect to a server, say that IRD Reads are served at a time, and
send it calls with many Read segments.

iwarp.py serve PORT IRD NFSPORT: accept one client in the same way, pass its calls to the NFS
server at NFSPORT, and give it all but the shortest replies in many Read segments.

iwarp.py short HOST PORT: send a message of two bytes, which has to end the connection.

iwarp.py hold HOST PORT: make one call, and wait for the end of the connection.

iwarp.py refused HOST PORT: say that no Read is served, which has to be refused.

A Read is answered when no more have arrived for a while. So a peer that has more outstanding
than it may is caught. Speaks MPA revision 2 (RFC 6581) without CRC and markers, DDP and RDMAP
(RFC 5041, RFC 5040), and version 1 of RPC-over-RDMA. Prints "most N reads M"; the exit status is
not 0 if N exceeds IRD, or the other side does not do what it should.
"""

import random
import select
import socket
import struct
import sys

WRITE, READ_REQUEST, READ_RESPONSE, SEND, SEND_INV = 0, 1, 2, 3, 4
MSG, NOMSG, DONE = 0, 1, 3
ENHANCED, REVISION = 0x1000, 2
# Seconds in which the other side would have sent another Read
QUIET = 0.01
# Seconds without any message after which the other side has failed
PATIENCE = 30
# The same on a new connection whose first message siw may have overlooked, and how many are tried
FIRST, CONNECTIONS = 5, 10
STAG = 0x5666
SEGMENTS = 38


class Peer:
    def __init__(self, sock, ird, patience=PATIENCE):
        self.sock, self.ird, self.patience = sock, ird, patience
        self.buf = b""
        self.msn = 0
        self.message = b""
        self.memory = {}
        self.waiting = []
        self.most = self.reads = 0

    def exactly(self, n):
        """The next n bytes; None when the connection has ended."""
        while len(self.buf) < n:
            got = self.sock.recv(65536)
            if not got:
                return None
            self.buf += got
        out, self.buf = self.buf[:n], self.buf[n:]
        return out

    # MPA

    def mpa_send(self, key, ord_):
        self.sock.sendall(key + struct.pack(">HHHH", ENHANCED | REVISION, 4, self.ird, ord_))

    def mpa_receive(self, key):
        head = self.exactly(20)
        assert head and head[:16] == key, head
        flags, length = struct.unpack(">HH", head[16:])
        assert flags & ENHANCED and not flags & 0xe000, hex(flags)
        ird, ord_ = struct.unpack(">HH", self.exactly(length)[:4])
        return ird & 0x3fff, ord_ & 0x3fff

    # DDP and RDMAP

    def fpdu_send(self, data):
        pad = -(len(data) + 2) % 4
        self.sock.sendall(struct.pack(">H", len(data)) + data + bytes(pad + 4))

    def send(self, data):
        self.msn += 1
        for at in range(0, len(data), 1400):
            part = data[at:at + 1400]
            ctrl = (0x4000 if at + 1400 >= len(data) else 0) | 0x0140 | SEND
            self.fpdu_send(struct.pack(">HIIII", ctrl, 0, 0, self.msn, at) + part)

    def answer_read(self):
        stag, to, size, source, offset = self.waiting.pop(0)
        data = self.memory[source][offset:offset + size]
        assert len(data) == size, "a Read of memory that was not offered"
        for at in range(0, size, 1400):
            ctrl = (0xc000 if at + 1400 >= size else 0x8000) | 0x0140 | READ_RESPONSE
            self.fpdu_send(struct.pack(">HIQ", ctrl, stag, to + at) + data[at:at + 1400])

    def fpdu_receive(self):
        """The last part of a Send: the message. Otherwise None; b"" at the end."""
        head = self.exactly(2)
        if head is None:
            return b""
        length = struct.unpack(">H", head)[0]
        data = self.exactly(length)
        self.exactly(-(length + 2) % 4 + 4)
        ctrl = struct.unpack(">H", data[:2])[0]
        opcode = ctrl & 15
        if opcode == READ_REQUEST:
            self.waiting.append(struct.unpack(">IQIIQ", data[18:46]))
            self.reads += 1
            self.most = max(self.most, len(self.waiting))
        elif opcode in (SEND, SEND_INV):
            self.message += data[18:]
            if ctrl & 0x4000:
                message, self.message = self.message, b""
                return message
        else:
            assert opcode == WRITE, f"opcode {opcode}"
        return None

    def receive(self):
        """The next message; Reads are answered meanwhile. b"" at the end."""
        while True:
            wait = QUIET if self.waiting else self.patience
            if self.buf or select.select([self.sock], [], [], wait)[0]:
                message = self.fpdu_receive()
                if message is not None:
                    return message
            elif self.waiting:
                self.answer_read()
            else:
                raise TimeoutError("nothing arrives")

    def offer(self, data, position, total):
        """A Read list of SEGMENTS segments of random lengths, with data in them."""
        cuts = sorted(random.sample(range(1, total), SEGMENTS - 1))
        out, stag = b"", STAG + len(self.memory)
        self.memory[stag] = data
        for start, end in zip([0] + cuts, cuts + [total]):
            out += struct.pack(">IIIIQ", 1, position, stag, end - start, start)
        return out + struct.pack(">I", 0)

    def report(self):
        print(f"most {self.most} reads {self.reads}")
        assert self.most <= self.ird, f"{self.most} Reads outstanding, not {self.ird}"


def null_call(xid):
    """NFS version 3, NULL, AUTH_NONE"""
    return struct.pack(">10I", xid, 0, 2, 100003, 3, 0, 0, 0, 0, 0)


def expect_reply(peer, xids):
    message = peer.receive()
    assert message, "the connection was lost"
    xid, version, _, kind = struct.unpack(">4I", message[:16])
    assert version == 1 and kind == MSG, f"message type {kind}"
    xids.remove(xid)


def patiently(once, *args):
    """Do it on another connection if siw overlooks the first message (Documentation/testing.rst)."""
    for attempt in range(CONNECTIONS):
        try:
            return once(*args)
        except TimeoutError:
            print(f"attempt {attempt}: no answer within {FIRST} s", flush=True)
    raise TimeoutError(f"no answer on any of {CONNECTIONS} connections")


def connected(host, port, ird):
    """A connection to our server, which may have that many Reads outstanding."""
    peer = Peer(socket.create_connection((host, int(port)), FIRST), int(ird), FIRST)
    peer.mpa_send(b"MPA ID Req Frame", 1)
    peer.mpa_receive(b"MPA ID Rep Frame")
    return peer


def answered(host, port, ird):
    """A connection whose first call was answered."""
    peer = connected(host, port, ird)
    peer.send(struct.pack(">7I", 1, 1, 8, MSG, 0, 0, 0) + null_call(1))
    expect_reply(peer, [1])
    return peer


def call(host, port, ird):
    """Make the calls."""
    return patiently(call_once, host, port, ird)


def call_once(host, port, ird):
    peer = answered(host, port, ird)
    # Two calls at a time, whose argument, which NULL does not look at, is in Read segments
    xids = []
    for xid in range(2, 8):
        data = random.randbytes(60000)
        message = struct.pack(">4I", xid, 1, 8, MSG) + peer.offer(data, 40, len(data))
        peer.send(message + struct.pack(">2I", 0, 0) + null_call(xid))
        xids.append(xid)
        if len(xids) == 2:
            expect_reply(peer, xids)
    while xids:
        expect_reply(peer, xids)
    assert peer.reads >= 6 * SEGMENTS, f"only {peer.reads} Reads"
    peer.report()


def ends(sock):
    """The other side closes the connection."""
    try:
        while sock.recv(65536):
            pass
    except ConnectionResetError:
        pass


def short(host, port):
    """Send a message without an XID: the server closes the connection."""
    return patiently(short_once, host, port)


def short_once(host, port):
    peer = connected(host, port, 1)
    peer.send(b"\x01\x02")
    ends(peer.sock)


def hold(host, port):
    """Make one call, and do nothing until the server ends the connection."""
    peer = patiently(answered, host, port, 1)
    print("connected", flush=True)
    peer.sock.settimeout(None)
    ends(peer.sock)


def refused(host, port):
    """Say that no Read is served: the server refuses the connection."""
    sock = socket.create_connection((host, int(port)), PATIENCE)
    peer = Peer(sock, 0)
    peer.mpa_send(b"MPA ID Req Frame", 1)
    head = peer.exactly(20)
    assert not head or head[16] & 0x20, head
    ends(sock)


def parse_chunks(message):
    """The Write list of a call, with lengths of zero, and the RPC message behind the lists."""
    at = 16
    assert message[at:at + 4] == bytes(4), "a call with Read chunks"
    at += 4
    writes = b""
    while message[at:at + 4] != bytes(4):
        n = struct.unpack(">I", message[at + 4:at + 8])[0]
        writes += message[at:at + 8]
        at += 8
        for _ in range(n):
            writes += message[at:at + 4] + bytes(4) + message[at + 8:at + 16]
            at += 16
    at += 4
    if message[at:at + 4] != bytes(4):
        at += 4 + 16 * struct.unpack(">I", message[at + 4:at + 8])[0]
        at += 4
    return writes + bytes(4), message[at + 4:]


def forward(nfs, rpc):
    """The answer of the NFS server, over TCP"""
    nfs.sendall(struct.pack(">I", 0x80000000 | len(rpc)) + rpc)
    out, last = b"", 0
    while not last:
        mark = struct.unpack(">I", nfs.recv(4, socket.MSG_WAITALL))[0]
        last, length = mark & 0x80000000, mark & 0x7fffffff
        out += nfs.recv(length, socket.MSG_WAITALL)
    return out


def serve(port, ird, nfs_port):
    listener = socket.create_server(("", int(port)))
    print("listening", flush=True)
    peer = Peer(listener.accept()[0], int(ird))
    ours = peer.mpa_receive(b"MPA ID Req Frame")
    peer.mpa_send(b"MPA ID Rep Frame", min(ours[0], 16))
    nfs = socket.create_connection(("127.0.0.1", int(nfs_port)))
    dones = chunked = 0
    while message := peer.receive():
        xid, version, _, kind = struct.unpack(">4I", message[:16])
        assert version == 1, f"version {version}"
        if kind == DONE:
            dones += 1
            continue
        assert kind == MSG, f"message type {kind}"
        writes, rpc = parse_chunks(message)
        reply = forward(nfs, rpc)
        if len(reply) < 200:
            head = struct.pack(">5I", xid, 1, 8, MSG, 0)
            peer.send(head + writes + bytes(4) + reply)
            continue
        chunked += 1
        head = struct.pack(">4I", xid, 1, 8, NOMSG) + peer.offer(reply, 0, len(reply))
        peer.send(head + writes + bytes(4))
    assert chunked and dones <= chunked, f"{dones} RDMA_DONEs for {chunked} replies"
    print(f"replies {chunked} dones {dones}")
    peer.report()


if __name__ == "__main__":
    {"call": call, "serve": serve, "short": short, "hold": hold,
     "refused": refused}[sys.argv[1]](*sys.argv[2:])
