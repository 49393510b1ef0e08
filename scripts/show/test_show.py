# SPDX-License-Identifier: GPL-2.0-only
"""Tests of what the demonstration shows, without a guest."""
import subprocess

import pytest
from testing import TOP, needs
import capture

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
