# SPDX-License-Identifier: GPL-2.0-only
"""Tests of the Wireshark dissector of version 2.

tshark dissects captures of every kind of message, and the tests compare the fields with the
original values. Messages that a receiver rejects must be reported as malformed.
"""
import os
import re
import struct
import subprocess
import sys

import pytest
from testing import TOP, needs

HERE = os.path.dirname(os.path.abspath(__file__))
TSHARK = [os.path.join(HERE, "unprivileged"), "tshark"]

# Messages of version 2, and RoCEv2 captures of them
MSG, NOMSG, DONE, ERROR, CONNPROP, REQPROP, RESPROP, UPDPROP = \
    0, 1, 3, 4, 5, 7, 8, 9
XID = 0x5eed0002
# Opcodes of Reliable Connections
SEND_ONLY, WRITE_ONLY, SEND_ONLY_INV = 4, 10, 23
# Connection manager messages: attributes, and the offset of private data
CM_REQ, CM_REP, SEND_UD = 0x10, 0x13, 100
CM_DATA = {CM_REQ: 140, CM_REP: 36}
# A call of procedure 0 of NFS version 3, with AUTH_NONE, and its reply
RPC_CALL = struct.pack(">10I", XID, 0, 2, 100003, 3, 0, 0, 0, 0, 0)
RPC_REPLY = struct.pack(">6I", XID, 1, 0, 0, 0, 0)


def words(*values):
    """Words in network byte order."""
    return struct.pack(f">{len(values)}I", *values)


def segment(handle, length, offset):
    """Section 6.3, rpcrdma2_segment."""
    return struct.pack(">IIQ", handle, length, offset)


def read_list(*entries):
    """Each entry is a position and a segment."""
    return b"".join(words(1, position) + seg for position, seg in entries) + \
        words(0)


def chunk(*segments):
    """Section 6.3, rpcrdma2_write_chunk."""
    return words(len(segments)) + b"".join(segments)


def write_list(*chunks):
    """Section 6.3, rpcrdma2_write_list."""
    return b"".join(words(1) + c for c in chunks) + words(0)


def reply_chunk(the_chunk=None):
    """An optional chunk."""
    return words(0) if the_chunk is None else words(1) + the_chunk


def prefix(htype, flags=0, credit=64, xid=XID):
    """Section 3.2, rpcrdma2_hdr_prefix."""
    return words(xid, 2, credit, htype, flags)


def lists(inv=0, reads=read_list(), writes=write_list(), reply=reply_chunk()):
    """Section 3.3, rpcrdma2_chunk_lists."""
    return words(inv) + reads + writes + reply


def opaque(value):
    """A counted array of bytes."""
    return words(len(value)) + value + bytes(-len(value) % 4)


def prop(number, value):
    """Section 4.1, rpcrdma2_propval."""
    return words(number) + opaque(value)


def propset(*props):
    """Section 4.1, rpcrdma2_propset."""
    return words(len(props)) + b"".join(props)


def subset(*masks):
    """Section 4.1, rpcrdma2_propsubset."""
    return words(len(masks), *masks)


def private(flags=0, send=3, recv=3, vers=1, hint=b""):
    """RFC 8797 section 4, with a version hint after it."""
    return words(0xf6ab0e18) + bytes((vers, flags, send, recv)) + hint


def version_hint(highest=2, document=b"cel-09", fmt=1):
    """Documentation/protocol.rst, Version hint."""
    return words(0x7b9e50d4) + struct.pack(">BBH8s", fmt, highest, 0, document)


def connection(attribute, data):
    """A frame with a connect request, or the answer, with private data."""
    message = bytearray(232)
    at = CM_DATA[attribute]
    if attribute == CM_REQ:
        # The service identifier of NFS over RDMA, and the header of the IP CM
        message[8:16] = bytes.fromhex("0000000001064e51")
        message[at:at + 2] = b"\0\x40"
        at += 36
    message[at:at + len(data)] = data
    mad = struct.pack(">BBBBHHQHHI", 1, 7, 2, 3, 0, 0, 1, attribute, 0, 0)
    return packet(words(0x80010000, 1) + mad + bytes(message), SEND_UD, qp=1)


def packet(payload, opcode=SEND_ONLY, reply=False, psn=0, qp=None):
    """An Ethernet frame with a RoCEv2 packet."""
    pad = -len(payload) % 4
    bth = struct.pack(">BBHII", opcode, pad << 4, 0xffff,
                      qp if qp is not None else 18 if reply else 17, psn)
    if opcode == SEND_ONLY_INV:
        bth += words(0x77)
    body = bth + payload + bytes(pad) + words(0)
    udp = struct.pack(">HHHH", 49152, 4791, 8 + len(body), 0)
    hosts = (b"\x0a\0\0\1", b"\x0a\0\0\2")
    src, dst = hosts if reply else hosts[::-1]
    ipv4 = struct.pack(">BBHHHBBH", 0x45, 0, 28 + len(body), 0, 0, 64, 17, 0)
    return b"\2\0\0\0\0\1\2\0\0\0\0\2\x08\0" + ipv4 + src + dst + udp + body


def save(folder, packets):
    """A capture file; packets are a millisecond apart. Return: its name."""
    name = os.path.join(folder, "packets.pcap")
    with open(name, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 1 << 18, 1))
        for i, frame in enumerate(packets):
            file.write(struct.pack("<IIII", 0, i * 1000, len(frame), len(frame)) + frame)
    return name


with open(os.path.join(HERE, "rpcrdma2.lua"), encoding="ascii") as lua:
    NUMBERS = re.findall(r'(?:field\("(?:uint\d+|framenum)", |framenum\()"(?:rpcrdma2\.)?([\w.]+)"',
                         lua.read())
TEXTS = ["flags.response", "private.remote_inv", "hint.document"]
BOOLEANS = {"False": "0", "True": "1"}    # of tshark 4.4
EXPERTS = ["malformed", "unknown", "failed", "inconsistent"]
OUTSIDE = ["rpc.xid", "rpc.msgtyp", "rpcordma.version",
           "rpcrdma2"]


def tshark(name, *options):
    """One dictionary of fields per packet of a capture."""
    columns = ["rpcrdma2." + f for f in NUMBERS + TEXTS + EXPERTS] + OUTSIDE
    run = subprocess.run(
        [*TSHARK, "-n", "-X", f"lua_script:{HERE}/rpcrdma2.lua", "-r", name,
         *options, "-T", "fields", "-E", "separator=;", "-E", "aggregator=,"] +
        [a for f in columns for a in ("-e", f)],
        capture_output=True, text=True, check=False)
    noise = [line for line in run.stderr.splitlines()
             if not line.startswith("Running as user")]
    if run.returncode or noise or "Lua Error" in run.stdout:
        sys.exit(f"tshark: status {run.returncode}: " + "\n".join(noise))
    return [parse(columns, line) for line in run.stdout.splitlines()]


def parse(columns, line):
    """Fields that are there: numbers as lists, experts as True."""
    got = {}
    for name, text in zip(columns, line.split(";")):
        name = name.removeprefix("rpcrdma2.")
        if text:
            got[name] = [int(v, 0) for v in text.split(",")] if name in NUMBERS else \
                name in EXPERTS or BOOLEANS.get(text, text)
    return got


SEGS = [segment(0x11, 4096, 0x100002000), segment(0x12, 17, 0x3000),
        segment(0x21, 65536, 0x5000), segment(0x31, 8192, 0x9000)]
PREFIX = {"xid": [XID], "vers": [2], "credit": [64], "flags": [0], "flags.response": "0"}
RESPONSE = {"flags": [1], "flags.response": "1"}
NO_CHUNKS = {"inv_handle": [0], "reads_count": [0], "writes_count": [0], "reply_count": [0]}
FULL = lists(0x21, read_list((40, SEGS[0]), (40, SEGS[1])), write_list(chunk(SEGS[2]), chunk()),
             reply_chunk(chunk(SEGS[3])))
OURS = propset(
    prop(1, words(65536)), prop(2, words(2)), prop(0xffffff01, words(1)), prop(0xffffff02, words(0)),
    prop(0xffffff03, opaque(b"\x88\x03")), prop(0xffffff04, subset(0x80000005, 1)))


def error(code, *body):
    """A whole RDMA2_ERROR."""
    return prefix(ERROR, 1) + words(code, *body)


# Name, message, and the fields that the dissector shows in addition to the prefix
GOOD = [
    ("MSG, a call", prefix(MSG) + lists() + RPC_CALL,
     {"htype": [0], **NO_CHUNKS, "rpc.xid": "0x5eed0002", "rpc.msgtyp": "0"}),
    ("MSG, a reply", prefix(MSG, 1) + lists() + RPC_REPLY,
     {"htype": [0], **RESPONSE, **NO_CHUNKS, "rpc.msgtyp": "1"}),
    ("MSG with all lists", prefix(MSG) + FULL + RPC_CALL,
     {"htype": [0], "inv_handle": [0x21], "reads_count": [2], "writes_count": [2],
      "reply_count": [1], "position": [40, 40], "segment_count": [1, 0, 1],
      "handle": [0x11, 0x12, 0x21, 0x31], "length": [4096, 17, 65536, 8192], "rpc.msgtyp": "0",
      "offset": [0x100002000, 0x3000, 0x5000, 0x9000]}),
    ("NOMSG with a position-zero chunk", prefix(NOMSG) + lists(0, read_list((0, SEGS[0]))),
     {"htype": [1], **NO_CHUNKS, "reads_count": [1], "position": [0], "handle": [0x11],
      "length": [4096], "offset": [0x100002000]}),
    ("DONE", prefix(DONE), {"htype": [3]}),
    ("ERR_VERS", error(1, 1, 2), {"err": [1], "vers_low": [1], "vers_high": [2]}),
    ("ERR_INVAL_HTYPE", error(3), {"err": [3]}),
    ("ERR_READ_CHUNKS", error(4, 7), {"err": [4], "max_chunks": [7]}),
    ("ERR_WRITE_CHUNKS", error(5, 8), {"err": [5], "max_chunks": [8]}),
    ("ERR_SEGMENTS", error(6, 9), {"err": [6], "max_segments": [9]}),
    ("ERR_WRITE_RESOURCE", error(7, 2, 12345),
     {"err": [7], "chunk_index": [2], "length_needed": [12345]}),
    ("ERR_REPLY_RESOURCE", error(8, 54321), {"err": [8], "length_needed": [54321]}),
    ("ERR_VERS as version 1 has it", words(XID, 2, 64, 4, 1, 1, 1),
     {"htype": [4], "err": [1], "vers_low": [1], "vers_high": [1], "flags": None,
      "flags.response": None}),
    ("CONNPROP without properties", prefix(CONNPROP) + propset(),
     {"htype": [5], "props_count": [0]}),
    ("CONNPROP with all properties", prefix(CONNPROP, 1) + OURS,
     {"htype": [5], **RESPONSE, "props_count": [6],
      "prop.id": [1, 2, 0xffffff01, 0xffffff02, 0xffffff03, 0xffffff04],
      "prop.length": [4, 4, 4, 4, 8, 12], "prop.rbsiz": [65536], "prop.brs": [2],
      "prop.remote_inv": [1], "prop.read_replies": [0], "prop.htype": [3, 7, 8, 9],
      "prop.nochange": [0, 2, 31, 32]}),
    ("CONNPROP, what will not change before it", prefix(CONNPROP) +
     propset(prop(0xffffff04, subset(6)), prop(0x1234, b"a"), prop(1, words(1024))),
     {"htype": [5], "props_count": [3], "prop.id": [0xffffff04, 0x1234, 1],
      "prop.length": [8, 1, 4], "prop.rbsiz": [1024], "unknown": True, "prop.nochange": [1, 2]}),
    ("CONNPROP with a default value", prefix(CONNPROP) +
     propset(prop(1, b""), prop(0xffffff03, opaque(b"\x88\x03"))),
     {"htype": [5], "props_count": [2], "prop.id": [1, 0xffffff03], "prop.length": [0, 8],
      "prop.htype": [3, 7, 8, 9]}),
    ("REQPROP", prefix(REQPROP) + propset(prop(1, words(8192))),
     {"htype": [7], "props_count": [1], "prop.id": [1], "prop.length": [4], "prop.rbsiz": [8192]}),
    ("RESPROP", prefix(RESPROP, 1, xid=99) + subset(1) + subset(2) + subset(0, 4),
     {"htype": [8], **RESPONSE, "xid": [99], "resp.done": [0], "resp.rejected": [1],
      "resp.pending": [34]}),
    ("RESPROP that contradicts itself", prefix(RESPROP, 1, xid=99) + subset(1) + subset() +
     subset(1),
     {"htype": [8], **RESPONSE, "xid": [99], "resp.done": [0], "resp.pending": [0],
      "inconsistent": True}),
    ("RESPROP without the flag", prefix(RESPROP, 0, xid=99) + subset() + subset() + subset(),
     {"htype": [8], "xid": [99], "inconsistent": True}),
    ("REQPROP with the flag", prefix(REQPROP, 1) + propset(),
     {"htype": [7], **RESPONSE, "props_count": [0], "inconsistent": True}),
    ("UPDPROP", prefix(UPDPROP) + prop(1, words(2048)) + words(1),
     {"htype": [9], "prop.id": [1], "prop.length": [4], "prop.rbsiz": [2048], "upd.pendclr": [1]}),
    ("flags that are not defined", prefix(DONE, 0x80000001),
     {"htype": [3], "flags": [0x80000001], "flags.response": "1", "unknown": True}),
    ("an error that is not defined", error(99, 1), {"err": [99], "unknown": True}),
]

# Name and message; the dissector must report it as malformed.
BAD = [
    ("type 2", prefix(2) + lists()),
    ("no flags", prefix(DONE)[:16]),
    ("no type", prefix(DONE)[:12]),
    ("MSG without an RPC message", prefix(MSG) + lists()),
    ("MSG without lists", prefix(MSG)),
    ("Read list that has no end", prefix(NOMSG) + words(0) + read_list((0, SEGS[0]))[:-4]),
    ("Read list discriminator 2", prefix(NOMSG) + words(0, 2, 0) + SEGS[0] + words(0, 0, 0)),
    ("position 6", prefix(NOMSG) + lists(0, read_list((6, SEGS[0])))),
    ("Write list that has no end", prefix(NOMSG) + words(0, 0) + write_list(chunk(SEGS[0]))[:-4]),
    ("Write chunk without a count", prefix(NOMSG) + words(0, 0, 1)),
    ("segment count 0x10000001", prefix(NOMSG) + words(0, 0, 1, 0x10000001) + SEGS[0] + words(0, 0)),
    ("Reply chunk discriminator 0xffffffff", prefix(NOMSG) + words(0, 0, 0, 0xffffffff, 0)),
    ("no Reply chunk", prefix(NOMSG) + words(0, 0, 0)),
    ("ERROR without a code", prefix(ERROR, 1)),
    ("ERR_VERS with half a range", prefix(ERROR) + words(1, 2)),
    ("ERR_WRITE_RESOURCE without a length", error(7, 1)),
    ("ERR_READ_CHUNKS without a maximum", error(4)),
    ("CONNPROP without a count", prefix(CONNPROP)),
    ("one property too few", prefix(CONNPROP) + words(2) + prop(1, words(4096))),
    ("property of 0xffffffff bytes", prefix(CONNPROP) + words(1, 1, 0xffffffff, 0, 0)),
    ("Receive Buffer Size of 3 bytes", prefix(CONNPROP) + propset(prop(1, b"abc"))),
    ("reverse requests 3", prefix(CONNPROP) + propset(prop(2, words(3)))),
    ("a boolean that is none", prefix(CONNPROP) + propset(prop(0xffffff01, words(2)))),
    ("header types longer than they are", prefix(CONNPROP) + propset(prop(0xffffff03, words(5, 0)))),
    ("subset with a wrong count", prefix(CONNPROP) + propset(prop(0xffffff04, words(2, 5)))),
    ("RESPROP with two subsets", prefix(RESPROP, 1) + subset(1) + subset(2)),
    ("UPDPROP without its boolean", prefix(UPDPROP) + prop(1, words(1))),
    ("UPDPROP, boolean 2", prefix(UPDPROP) + prop(1, words(1)) + words(2)),
    ("RESPROP, 0x40000000 words", prefix(RESPROP, 1) + words(0x40000000, 0, 0)),
    ("UPDPROP without a property", prefix(UPDPROP)),
]


@pytest.fixture(name="folder")
def _folder(tmp_path, monkeypatch):
    """Disable the user's configuration and installed plugins."""
    needs("tshark", "tshark")
    (tmp_path / "home").mkdir()
    for name in "HOME", "XDG_CONFIG_HOME":
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.setenv("WIRESHARK_PLUGIN_DIR", str(tmp_path / "no-plugins"))
    return str(tmp_path)


def differences(want, got):
    """Fields that differ; the protocol is not compared."""
    names = sorted((want.keys() | got.keys()) - {"rpcrdma2", "rpc.xid"})
    return [f"{n}: {got.get(n)} instead of {want.get(n)}" for n in names
            if got.get(n) != want.get(n)]


def has(got, fields):
    """True if a packet has these fields."""
    return fields.items() <= got.items()


def good(folder):
    """A capture of all messages in GOOD."""
    return save(folder, [packet(message, reply=message[19] & 1) for _, message, _ in GOOD])


def test_good(folder):
    """Every field of every kind of message."""
    got = tshark(good(folder))
    for (title, _, fields), seen in zip(GOOD, got, strict=True):
        want = {**PREFIX, **fields}
        if "err" in fields:
            want = {**want, **{"htype": [4], **RESPONSE}, **fields}
            if "unknown" not in fields:
                want["failed"] = True
        assert not differences(want, seen), title


def test_bad(folder):
    """Messages that a receiver rejects are malformed; the first packet identifies the protocol."""
    name = save(folder, [packet(GOOD[0][1])] + [packet(message) for _, message in BAD])
    for (title, _), seen in zip(BAD, tshark(name)[1:], strict=True):
        assert seen.get("malformed"), title


def fragments(message, size, first_psn, opcodes=(0, 1, 2)):
    """The packets of a message."""
    parts = [message[i:i + size] for i in range(0, len(message), size)]
    kinds = [opcodes[0]] + [opcodes[1]] * (len(parts) - 2) + [opcodes[2]]
    return [packet(p, k, psn=(first_psn + i) % (1 << 24))
            for i, (p, k) in enumerate(zip(parts, kinds))]


def test_packets(folder):
    """Complete and incomplete messages in several packets."""
    message = prefix(MSG) + FULL + RPC_CALL + bytes(3000)
    three = fragments(message, 1024, 0xfffffe)
    done, version_1 = prefix(DONE), words(XID, 1, 64, 0, 0, 0, 0)
    name = save(folder, three[:2] + [three[1]] + three[2:] + [
        packet(done, WRITE_ONLY),
        packet(version_1 + RPC_CALL),
        packet(done, SEND_ONLY_INV, reply=True),
        packet(words(1, 2, 3, 77, 0), qp=99),
    ])
    got = tshark(name)
    *first, whole, write, old, invalidate, other = got
    assert has(whole, {"fragments": [len(three)], "reads_count": [2], "rpc.msgtyp": "0"})
    assert all(has(g, {"rpcrdma2": "RPC-over-RDMA version 2, part of a message"}) for g in first[:2])
    assert not any("xid" in g for g in first), "a packet before the last one is a message"
    assert not any(g.get("malformed") for g in got)
    # rpcordma of Wireshark 4.0 fails on such packets in a second pass.
    again = tshark(name, "-2", "-R", "frame",
                   "--disable-heuristic", "rpcrdma_infiniband")
    assert all(has(g, {"reassembled_in": [len(three) + 1]}) for g in again[:2])
    assert not differences(again[len(three)], whole)
    assert "xid" not in write, "an RDMA Write is no message"
    assert has(old, {"rpcordma.version": "1"}) and "xid" not in old, "version 1 is left to rpcordma"
    assert has(invalidate, {"htype": [3]}), "a Send With Invalidate is a message"
    assert "xid" not in other, "another protocol is left alone"


HINT = version_hint()
# Name, private data, and the fields that are shown
PRIVATE = [
    ("private data", private(1, 0, 255),
     {"private.vers": [1], "private.flags": [1], "private.remote_inv": "1",
      "private.send_size": [1024], "private.recv_size": [262144]}),
    ("a version hint", private(hint=HINT),
     {"private.vers": [1], "private.flags": [0], "private.remote_inv": "0",
      "private.send_size": [4096], "private.recv_size": [4096], "hint.format": [1],
      "hint.highest": [2], "hint.document": "cel-09"}),
    ("a hint of another format", private(hint=version_hint(fmt=2)),
     {"private.vers": [1], "private.flags": [0], "private.remote_inv": "0",
      "private.send_size": [4096], "private.recv_size": [4096], "hint.format": [2],
      "unknown": True}),
    ("private data of another version", private(vers=2, hint=HINT),
     {"private.vers": [2], "unknown": True}),
    ("private data of others", words(1, 2) + HINT, {}),
]


def test_private(folder):
    """Private data of connect requests and of their answers."""
    for kind, title in (CM_REQ, "request"), (CM_REP, "answer"):
        got = tshark(save(folder, [connection(kind, data) for _, data, _ in PRIVATE]))
        for (what, _, fields), seen in zip(PRIVATE, got, strict=True):
            assert not differences(fields, seen), f"{what}, in the {title}"


def test_negotiation(folder):
    """scripts/wireshark/negotiation shows both sides' messages, and fails if one side is silent."""
    packets = [connection(CM_REQ, private(hint=HINT)), packet(prefix(CONNPROP) + OURS),
               packet(prefix(CONNPROP, 1) + propset(), reply=True)]
    for count, status in (3, 0), (2, 1):
        done = subprocess.run([os.path.join(HERE, "negotiation"), save(folder, packets[:count])],
                              capture_output=True, text=True, check=False)
        assert done.returncode == status
        assert ("Highest version of RPC-over-RDMA: 2" in done.stdout) == (not status)
        assert ("Bytes: 65536" in done.stdout) == (not status)


def test_install(folder):
    """make install-dissector, and back."""
    home = os.path.join(folder, "home")
    capture = good(folder)

    def run(action):
        subprocess.run(["make", "-sC", TOP, action + "-dissector",
                        "PLUGINDIR=" + home + "/.local/lib/wireshark/plugins"], check=True)
        return subprocess.run(
            [*TSHARK, "-r", capture, "-Y", "rpcrdma2.htype == 3"],
            capture_output=True, text=True, check=False).stdout.count("RDMA2_DONE")

    assert (run("uninstall"), run("install"), run("uninstall")) == (0, 2, 0)
