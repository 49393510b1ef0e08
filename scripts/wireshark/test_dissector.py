# SPDX-License-Identifier: GPL-2.0-only
"""Tests of the Wireshark dissector of version 2.

Captures of every kind of message are dissected by tshark, and the fields compared with what was
put into them. Messages that a receiver refuses have to be called malformed.
"""
import os
import re
import subprocess
import sys

import pytest
from testing import TOP, needs
import capture as c

HERE = os.path.dirname(os.path.abspath(__file__))
TSHARK = [os.path.join(HERE, "unprivileged"), "tshark"]

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
        short = name.removeprefix("rpcrdma2.")
        if not text:
            continue
        if short in NUMBERS:
            got[short] = [int(v, 0) for v in text.split(",")]
        elif short in EXPERTS:
            got[short] = True
        else:
            got[name if name in OUTSIDE else short] = BOOLEANS.get(text, text)
    return got


SEGS = [c.segment(0x11, 4096, 0x100002000), c.segment(0x12, 17, 0x3000),
        c.segment(0x21, 65536, 0x5000), c.segment(0x31, 8192, 0x9000)]
PREFIX = {"xid": [c.XID], "vers": [2], "credit": [64], "flags": [0],
          "flags.response": "0"}
RESPONSE = {"flags": [1], "flags.response": "1"}
NO_CHUNKS = {"inv_handle": [0], "reads_count": [0], "writes_count": [0],
             "reply_count": [0]}
FULL = c.lists(0x21, c.read_list((40, SEGS[0]), (40, SEGS[1])),
               c.write_list(c.chunk(SEGS[2]), c.chunk()),
               c.reply_chunk(c.chunk(SEGS[3])))
OURS = c.propset(
    c.prop(1, c.words(65536)), c.prop(2, c.words(2)),
    c.prop(0xffffff01, c.words(1)), c.prop(0xffffff02, c.words(0)),
    c.prop(0xffffff03, c.opaque(b"\x88\x03")),
    c.prop(0xffffff04, c.subset(0x80000005, 1)))


def error(code, *body):
    """A whole RDMA2_ERROR."""
    return c.prefix(c.ERROR, 1) + c.words(code, *body)


# Name, message, and what the dissector shows besides the prefix
GOOD = [
    ("MSG, a call", c.prefix(c.MSG) + c.lists() + c.RPC_CALL,
     {"htype": [0], **NO_CHUNKS, "rpc.xid": "0x5eed0002", "rpc.msgtyp": "0"}),
    ("MSG, a reply", c.prefix(c.MSG, 1) + c.lists() + c.RPC_REPLY,
     {"htype": [0], **RESPONSE, **NO_CHUNKS, "rpc.msgtyp": "1"}),
    ("MSG with all lists", c.prefix(c.MSG) + FULL + c.RPC_CALL,
     {"htype": [0], "inv_handle": [0x21], "reads_count": [2],
      "writes_count": [2], "reply_count": [1], "position": [40, 40],
      "segment_count": [1, 0, 1], "handle": [0x11, 0x12, 0x21, 0x31],
      "length": [4096, 17, 65536, 8192], "rpc.msgtyp": "0",
      "offset": [0x100002000, 0x3000, 0x5000, 0x9000]}),
    ("NOMSG with a position-zero chunk", c.prefix(c.NOMSG) +
     c.lists(0, c.read_list((0, SEGS[0]))),
     {"htype": [1], **NO_CHUNKS, "reads_count": [1], "position": [0],
      "handle": [0x11], "length": [4096], "offset": [0x100002000]}),
    ("DONE", c.prefix(c.DONE), {"htype": [3]}),
    ("ERR_VERS", error(1, 1, 2), {"err": [1], "vers_low": [1], "vers_high": [2]}),
    ("ERR_BAD_XDR", error(2), {"err": [2]}),
    ("ERR_INVAL_HTYPE", error(3), {"err": [3]}),
    ("ERR_READ_CHUNKS", error(4, 7), {"err": [4], "max_chunks": [7]}),
    ("ERR_WRITE_CHUNKS", error(5, 8), {"err": [5], "max_chunks": [8]}),
    ("ERR_SEGMENTS", error(6, 9), {"err": [6], "max_segments": [9]}),
    ("ERR_WRITE_RESOURCE", error(7, 2, 12345),
     {"err": [7], "chunk_index": [2], "length_needed": [12345]}),
    ("ERR_REPLY_RESOURCE", error(8, 54321), {"err": [8], "length_needed": [54321]}),
    ("ERR_SYSTEM", error(9), {"err": [9]}),
    ("ERR_VERS as version 1 has it", c.words(c.XID, 2, 64, 4, 1, 1, 1),
     {"htype": [4], "err": [1], "vers_low": [1], "vers_high": [1],
      "flags": None, "flags.response": None}),
    ("CONNPROP without properties", c.prefix(c.CONNPROP) + c.propset(),
     {"htype": [5], "props_count": [0]}),
    ("CONNPROP with all properties", c.prefix(c.CONNPROP, 1) + OURS,
     {"htype": [5], **RESPONSE, "props_count": [6],
      "prop.id": [1, 2, 0xffffff01, 0xffffff02, 0xffffff03, 0xffffff04],
      "prop.length": [4, 4, 4, 4, 8, 12], "prop.rbsiz": [65536],
      "prop.brs": [2], "prop.remote_inv": [1], "prop.read_replies": [0],
      "prop.htype": [3, 7, 8, 9], "prop.nochange": [0, 2, 31, 32]}),
    ("CONNPROP, what will not change before it", c.prefix(c.CONNPROP) +
     c.propset(c.prop(0xffffff04, c.subset(6)), c.prop(0x1234, b"a"),
               c.prop(1, c.words(1024))),
     {"htype": [5], "props_count": [3], "prop.id": [0xffffff04, 0x1234, 1],
      "prop.length": [8, 1, 4], "prop.rbsiz": [1024], "unknown": True,
      "prop.nochange": [1, 2]}),
    ("CONNPROP with a default value", c.prefix(c.CONNPROP) +
     c.propset(c.prop(1, b""), c.prop(0xffffff03, c.opaque(b"\x88\x03"))),
     {"htype": [5], "props_count": [2], "prop.id": [1, 0xffffff03],
      "prop.length": [0, 8], "prop.htype": [3, 7, 8, 9]}),
    ("REQPROP", c.prefix(c.REQPROP) + c.propset(c.prop(1, c.words(8192))),
     {"htype": [7], "props_count": [1], "prop.id": [1], "prop.length": [4],
      "prop.rbsiz": [8192]}),
    ("REQPROP of nothing", c.prefix(c.REQPROP) + c.propset(),
     {"htype": [7], "props_count": [0]}),
    ("RESPROP", c.prefix(c.RESPROP, 1, xid=99) +
     c.subset(1) + c.subset(2) + c.subset(0, 4),
     {"htype": [8], **RESPONSE, "xid": [99], "resp.done": [0],
      "resp.rejected": [1], "resp.pending": [34]}),
    ("RESPROP that contradicts itself", c.prefix(c.RESPROP, 1, xid=99) +
     c.subset(1) + c.subset() + c.subset(1),
     {"htype": [8], **RESPONSE, "xid": [99], "resp.done": [0],
      "resp.pending": [0], "inconsistent": True}),
    ("RESPROP without the flag", c.prefix(c.RESPROP, 0, xid=99) +
     c.subset() + c.subset() + c.subset(),
     {"htype": [8], "xid": [99], "inconsistent": True}),
    ("REQPROP with the flag", c.prefix(c.REQPROP, 1) + c.propset(),
     {"htype": [7], **RESPONSE, "props_count": [0], "inconsistent": True}),
    ("UPDPROP", c.prefix(c.UPDPROP) + c.prop(1, c.words(2048)) + c.words(1),
     {"htype": [9], "prop.id": [1], "prop.length": [4], "prop.rbsiz": [2048],
      "upd.pendclr": [1]}),
    ("a property that is not known", c.prefix(c.CONNPROP) +
     c.propset(c.prop(0x1234, b"abc"), c.prop(1, c.words(1))),
     {"htype": [5], "props_count": [2], "prop.id": [0x1234, 1],
      "prop.length": [3, 4], "prop.rbsiz": [1], "unknown": True}),
    ("flags that are not defined", c.prefix(c.DONE, 0x80000001),
     {"htype": [3], "flags": [0x80000001], "flags.response": "1",
      "unknown": True}),
    ("an error that is not defined", error(99, 1),
     {"err": [99], "unknown": True}),
]

# Name and message: the dissector has to call it malformed.
BAD = [
    ("type 2", c.prefix(2) + c.lists()),
    ("type 6", c.prefix(6)),
    ("no flags", c.prefix(c.DONE)[:16]),
    ("no type", c.prefix(c.DONE)[:12]),
    ("MSG without an RPC message", c.prefix(c.MSG) + c.lists()),
    ("MSG without lists", c.prefix(c.MSG)),
    ("Read list that has no end", c.prefix(c.NOMSG) + c.words(0) +
     c.read_list((0, SEGS[0]))[:-4]),
    ("Read list discriminator 2", c.prefix(c.NOMSG) + c.words(0, 2, 0) +
     SEGS[0] + c.words(0, 0, 0)),
    ("position 6", c.prefix(c.NOMSG) +
     c.lists(0, c.read_list((6, SEGS[0])))),
    ("Write list that has no end", c.prefix(c.NOMSG) + c.words(0, 0) +
     c.write_list(c.chunk(SEGS[0]))[:-4]),
    ("Write chunk without a count", c.prefix(c.NOMSG) + c.words(0, 0, 1)),
    ("segment count 0x10000001", c.prefix(c.NOMSG) +
     c.words(0, 0, 1, 0x10000001) + SEGS[0] + c.words(0, 0)),
    ("Reply chunk discriminator 0xffffffff", c.prefix(c.NOMSG) +
     c.words(0, 0, 0, 0xffffffff, 0)),
    ("no Reply chunk", c.prefix(c.NOMSG) + c.words(0, 0, 0)),
    ("ERROR without a code", c.prefix(c.ERROR, 1)),
    ("ERR_VERS with half a range", c.prefix(c.ERROR) + c.words(1, 2)),
    ("ERR_WRITE_RESOURCE without a length", error(7, 1)),
    ("ERR_READ_CHUNKS without a maximum", error(4)),
    ("CONNPROP without a count", c.prefix(c.CONNPROP)),
    ("one property too few", c.prefix(c.CONNPROP) + c.words(2) +
     c.prop(1, c.words(4096))),
    ("property of 0xffffffff bytes", c.prefix(c.CONNPROP) +
     c.words(1, 1, 0xffffffff, 0, 0)),
    ("property longer than the message", c.prefix(c.CONNPROP) +
     c.words(1, 1, 9, 0, 0)),
    ("Receive Buffer Size of 3 bytes", c.prefix(c.CONNPROP) +
     c.propset(c.prop(1, b"abc"))),
    ("reverse requests 3", c.prefix(c.CONNPROP) +
     c.propset(c.prop(2, c.words(3)))),
    ("a boolean that is none", c.prefix(c.CONNPROP) +
     c.propset(c.prop(0xffffff01, c.words(2)))),
    ("header types longer than they are", c.prefix(c.CONNPROP) +
     c.propset(c.prop(0xffffff03, c.words(5, 0)))),
    ("subset with a wrong count", c.prefix(c.CONNPROP) +
     c.propset(c.prop(0xffffff04, c.words(2, 5)))),
    ("RESPROP with two subsets", c.prefix(c.RESPROP, 1) + c.subset(1) +
     c.subset(2)),
    ("UPDPROP without its boolean", c.prefix(c.UPDPROP) +
     c.prop(1, c.words(1))),
    ("UPDPROP, boolean 2", c.prefix(c.UPDPROP) + c.prop(1, c.words(1)) +
     c.words(2)),
    ("REQPROP without a count", c.prefix(c.REQPROP)),
    ("REQPROP, one property too few", c.prefix(c.REQPROP) + c.words(2) +
     c.prop(1, c.words(4096))),
    ("REQPROP, Receive Buffer Size of 8 bytes", c.prefix(c.REQPROP) +
     c.propset(c.prop(1, c.words(0, 4096)))),
    ("RESPROP, 0x40000000 words", c.prefix(c.RESPROP, 1) +
     c.words(0x40000000, 0, 0)),
    ("RESPROP, a word too few", c.prefix(c.RESPROP, 1) + c.words(0, 0, 2, 1)),
    ("UPDPROP without a property", c.prefix(c.UPDPROP)),
    ("UPDPROP, a boolean property that is none", c.prefix(c.UPDPROP) +
     c.prop(0xffffff01, c.words(2)) + c.words(0)),
]


@pytest.fixture(name="folder")
def _folder(tmp_path, monkeypatch):
    """Neither the user's configuration nor installed plugins are used."""
    needs("tshark", "tshark")
    (tmp_path / "home").mkdir()
    for name in "HOME", "XDG_CONFIG_HOME":
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.setenv("WIRESHARK_PLUGIN_DIR", str(tmp_path / "no-plugins"))
    return str(tmp_path)


def differences(want, got):
    """Fields that are not as they should be; the protocol is not compared."""
    names = sorted((want.keys() | got.keys()) - {"rpcrdma2", "rpc.xid"})
    return [f"{n}: {got.get(n)} instead of {want.get(n)}" for n in names
            if got.get(n) != want.get(n)]


def has(got, **fields):
    """Whether a packet has these fields; "." is written as "__"."""
    return all(got.get(name.replace("__", ".")) == value for name, value in fields.items())


def test_good(folder):
    """Every field of every kind of message."""
    name = os.path.join(folder, "good.pcap")
    c.save(name, [c.packet(message, reply=message[19] & 1)
                  for _, message, _ in GOOD])
    got = tshark(name)
    for (title, _, fields), seen in zip(GOOD, got, strict=True):
        want = {**PREFIX, **fields}
        if "err" in fields:
            want = {**want, **{"htype": [4], **RESPONSE}, **fields}
            if "unknown" not in fields:
                want["failed"] = True
        assert not differences(want, seen), title


def test_bad(folder):
    """What a receiver refuses is malformed; the first packet tells which protocol this is."""
    name = os.path.join(folder, "bad.pcap")
    c.save(name, [c.packet(GOOD[0][1])] + [c.packet(message) for _, message in BAD])
    for (title, _), seen in zip(BAD, tshark(name)[1:], strict=True):
        assert seen.get("malformed"), title


def fragments(message, size, first_psn, opcodes=(0, 1, 2)):
    """The packets of a message."""
    parts = [message[i:i + size] for i in range(0, len(message), size)]
    kinds = [opcodes[0]] + [opcodes[1]] * (len(parts) - 2) + [opcodes[2]]
    return [c.packet(p, k, psn=(first_psn + i) % (1 << 24))
            for i, (p, k) in enumerate(zip(parts, kinds))]


def test_packets(folder):
    """What is and what is not a message."""
    name = os.path.join(folder, "packets.pcap")
    message = c.prefix(c.MSG) + FULL + c.RPC_CALL + bytes(3000)
    three = fragments(message, 1024, 0xfffffe)
    done, version_1 = c.prefix(c.DONE), c.words(c.XID, 1, 64, 0, 0, 0, 0)
    c.save(name, three[:2] + [three[1]] + three[2:] + [
        c.packet(done, c.WRITE_ONLY),
        c.packet(version_1 + c.RPC_CALL),
        c.packet(done, c.SEND_ONLY_INV, reply=True),
        c.packet(c.words(1, 2, 3, 77, 0), qp=99),
    ])
    got = tshark(name)
    *first, whole, write, old, invalidate, other = got
    assert has(whole, fragments=[len(three)], reads_count=[2], rpc__msgtyp="0")
    assert all(has(g, rpcrdma2="RPC-over-RDMA version 2, part of a message") for g in first[:2])
    assert not any("xid" in g for g in first), "a packet before the last one is a message"
    assert not any(g.get("malformed") for g in got)
    # rpcordma of Wireshark 4.0 fails on such packets in a second pass.
    again = tshark(name, "-2", "-R", "frame",
                   "--disable-heuristic", "rpcrdma_infiniband")
    assert all(has(g, reassembled_in=[len(three) + 1]) for g in again[:2])
    assert not differences(again[len(three)], whole)
    assert "xid" not in write, "an RDMA Write is no message"
    assert has(old, rpcordma__version="1") and "xid" not in old, "version 1 is left to rpcordma"
    assert has(invalidate, htype=[3]), "a Send With Invalidate is a message"
    assert "xid" not in other, "another protocol is left alone"


HINT = c.version_hint()
# Name, private data, and what is shown of it
PRIVATE = [
    ("private data", c.private(1, 0, 255),
     {"private.vers": [1], "private.flags": [1], "private.remote_inv": "1",
      "private.send_size": [1024], "private.recv_size": [262144]}),
    ("a version hint", c.private(hint=HINT),
     {"private.vers": [1], "private.flags": [0], "private.remote_inv": "0",
      "private.send_size": [4096], "private.recv_size": [4096],
      "hint.format": [1], "hint.highest": [2], "hint.document": "cel-09"}),
    ("a hint of another format", c.private(hint=c.version_hint(fmt=2)),
     {"private.vers": [1], "private.flags": [0], "private.remote_inv": "0",
      "private.send_size": [4096], "private.recv_size": [4096],
      "hint.format": [2], "unknown": True}),
    ("private data of another version", c.private(vers=2, hint=HINT),
     {"private.vers": [2], "unknown": True}),
    ("private data of others", c.words(1, 2) + HINT, {}),
]


def test_private(folder):
    """Private data of connect requests and of their answers."""
    name = os.path.join(folder, "private.pcap")
    for kind, title in (c.CM_REQ, "request"), (c.CM_REP, "answer"):
        c.save(name, [c.connection(kind, data) for _, data, _ in PRIVATE])
        got = tshark(name)
        for (what, _, fields), seen in zip(PRIVATE, got, strict=True):
            assert not differences(fields, seen), f"{what}, in the {title}"


def test_negotiation(folder):
    """scripts/wireshark/negotiation shows what both sides say, and fails if one says nothing."""
    packets = [c.connection(c.CM_REQ, c.private(hint=HINT)), c.packet(c.prefix(c.CONNPROP) + OURS),
               c.packet(c.prefix(c.CONNPROP, 1) + c.propset(), reply=True)]
    name = os.path.join(folder, "agreed.pcap")
    for count, status in (3, 0), (2, 1):
        c.save(name, packets[:count])
        done = subprocess.run([os.path.join(HERE, "negotiation"), name], capture_output=True, text=True,
                              check=False)
        assert done.returncode == status
        assert ("Highest version of RPC-over-RDMA: 2" in done.stdout) == (not status)
        assert ("Bytes: 65536" in done.stdout) == (not status)


def test_install(folder):
    """make install-dissector, and back."""
    home = os.path.join(folder, "home")
    capture = os.path.join(folder, "good.pcap")
    c.save(capture, [c.packet(message, reply=message[19] & 1) for _, message, _ in GOOD])

    def run(action):
        subprocess.run(["make", "-sC", TOP, action + "-dissector",
                        "PLUGINDIR=" + home + "/.local/lib/wireshark/plugins"], check=True)
        return subprocess.run(
            [*TSHARK, "-r", capture, "-Y", "rpcrdma2.htype == 3"],
            capture_output=True, text=True, check=False).stdout.count("RDMA2_DONE")

    assert (run("uninstall"), run("install"), run("uninstall")) == (0, 2, 0)
