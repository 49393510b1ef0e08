# SPDX-License-Identifier: GPL-2.0-only
"""Tests of what the demonstration shows, without a guest."""
import subprocess

import pytest
from testing import TOP, needs, program
import capture

charts = program("scripts/show/charts")

PIECE = 16 << 20
OURS = f"""speed ours 4.2 write {PIECE} 400
speed ours 4.2 write {PIECE} 800
speed ours 4.2 write {PIECE} 200
speed ours 4.2 read {PIECE} 160
speed ours 3 write {PIECE} 1600
speed ours 3 read {PIECE} 800
speed ours 4.1 write {PIECE} 400
speed tcp 4.2 write {PIECE} 100
speed tcp 4.2 read {PIECE} 80
stall ours 3 outage 10 1200
count ours 4.2 file rpcs 260
count ours 4.2 file read_segments 64
count ours 4.2 file write_segments 128
count ours 4.2 file reply_segments 1
count ours 4.2 file replies_read 7
count ours 4.2 file call_bytes 1000
count ours 4.2 file reply_bytes 4000
count ours 4.2 file read_chunk_bytes 600
count ours 4.2 file rdma_reply_bytes 300
count ours 4.2 file replies_read_bytes 100
"""
INTREE = f"""speed intree 4.2 write {PIECE} 500
speed intree 4.2 read {PIECE} 320
speed tcp-intree 4.2 write {PIECE} 125
speed tcp-intree 4.2 read {PIECE} 81
count intree 4.2 file rpcs 300
count intree 3 small rpcs 12345
stall intree 3 outage 10 30500
"""


def test_charts(tmp_path):
    """Each transport in its row, with the middle one of its pieces; none without a direction."""
    for name, text in ("ours", OURS), ("intree", INTREE):
        (tmp_path / name).write_text(text)
    text = subprocess.run([f"{TOP}/scripts/show/charts", tmp_path / "ours", tmp_path / "intree"],
                          check=True, capture_output=True, encoding="ascii").stdout
    rows = [line.split() for line in text.splitlines()[3:7]]
    assert rows == [["NFSv4.2", "ours", "40", "(20", "to", "80)", "100", "(100", "to", "100)"],
                    ["in-tree", "32", "(32", "to", "32)", "50", "(50", "to", "50)"],
                    ["TCP", "160", "(160", "to", "160)", "200", "(200", "to", "200)"],
                    ["NFSv3", "ours", "10", "(10", "to", "10)", "20", "(20", "to", "20)"]]
    assert [line.split() for line in text.splitlines() if line.endswith((" 1.2", " 30.5"))] == [
        ["ours", "##", "1.2"], ["in-tree", "#" * 40, "30.5"]]
    assert "Read 64, Write 128, Reply 1, server's Read 7; 260 RPCs" in text
    assert "none; 12,345 RPCs" in text
    assert " 80% inline: 4 KiB; registered: 1 KiB" in text
    assert "(this kernel does not count the bytes of its Read chunks)" in text
    # TCP's larger difference, and the middle one of 0% (one piece) and 150%
    assert "differed by 20%" in text
    assert max(map(len, text.splitlines())) <= 100


def test_bars():
    """In proportion, of the same width; what is not 0 is seen; rounding makes nothing longer."""
    assert charts.bar([50], 100, 10) == "#####     "
    assert charts.bar([1], 1000, 10) == "#         "
    assert charts.bar([0], 0, 4) == "    "
    assert charts.bar([1, 1, 1], 3, 10) == "###====+++"


PROPS = capture.propset(
    capture.prop(1, capture.words(4096)), capture.prop(2, capture.words(2)),
    capture.prop(0xffffff01, capture.words(1)), capture.prop(0xffffff04, capture.subset(0b111)))
REQUEST = capture.connection(capture.CM_REQ, capture.private(hint=capture.version_hint()))
CLIENT = capture.packet(capture.prefix(capture.CONNPROP) + PROPS, psn=1)
SERVER = capture.packet(capture.prefix(capture.CONNPROP, 1, 5) + capture.propset(), reply=True, psn=1)
CALL = capture.prefix(capture.MSG) + capture.lists(
    writes=capture.write_list(capture.chunk(capture.segment(1, 2, 3)))) + capture.RPC_CALL
REPLY = capture.prefix(capture.MSG, 1) + capture.lists() + capture.RPC_REPLY


def shown(folder, packets):
    """The status of the program, and what it says about a capture of these packets."""
    needs("tshark", "tshark")
    capture.save(folder / "pcap", packets)
    done = subprocess.run([f"{TOP}/scripts/show/negotiation", folder / "pcap"], check=False,
                          capture_output=True, encoding="utf-8")
    return done.returncode, [" ".join(line.split()) for line in done.stdout.splitlines()]


def test_negotiation(tmp_path):
    """Messages with their properties; one that was sent again is one; later calls are counted."""
    empty = capture.prefix(capture.REQPROP) + capture.propset()
    change = capture.prefix(capture.UPDPROP) + capture.prop(1, capture.words(9216)) + \
        capture.words(0)
    status, lines = shown(tmp_path, [
        REQUEST, CLIENT, CLIENT, SERVER, capture.packet(CALL, psn=2),
        capture.packet(REPLY, reply=True, psn=2), capture.packet(CALL, psn=3),
        capture.packet(CALL.replace(b"\0\0\0\x40", b"\0\0\0\x41"), psn=4),
        capture.packet(empty, psn=5), capture.packet(change, psn=6),
        capture.packet(capture.prefix(capture.ERROR, 1) + capture.words(1, 1, 2), reply=True, psn=7),
    ])
    assert status == 0
    assert [line for line in lines if line.startswith(("client:", "server:", "("))] == [
        "client: RPC-over-RDMA private data", "client: RDMA2_CONNPROP", "server: RDMA2_CONNPROP",
        "client: RDMA2_MSG", "server: RDMA2_MSG", "client: RDMA2_UPDPROP", "server: RDMA2_ERROR",
        "(and 1 more messages with calls and replies)"]
    for line in "Highest version of RPC-over-RDMA: 2", "Bytes: 4096", "Bytes: 9216", "Credits: 5", \
            "Write list (1)", "Error: RDMA2_ERR_VERS (1)", "Handles may be invalidated: yes (1)":
        assert line in lines


@pytest.mark.parametrize("packets", [[], [REQUEST], [REQUEST, CLIENT], [SERVER]])
def test_not_agreed(tmp_path, packets):
    """A capture without both sets of properties is an error."""
    assert shown(tmp_path, packets)[0] == 1
