# SPDX-License-Identifier: GPL-2.0-only
"""Messages of RPC-over-RDMA version 2, and RoCEv2 captures of them."""
import struct

MSG, NOMSG, DONE, ERROR, CONNPROP, REQPROP, RESPROP, UPDPROP = \
    0, 1, 3, 4, 5, 7, 8, 9
XID = 0x5eed0002
# Opcodes of Reliable Connections
SEND_ONLY, WRITE_ONLY, SEND_ONLY_INV = 4, 10, 23
# Of the connection manager: attributes, and where private data begins in them
CM_REQ, CM_REP, SEND_UD = 0x10, 0x13, 100
CM_DATA = {CM_REQ: 140, CM_REP: 36}
# A call of procedure 0 of NFS version 3, with AUTH_NONE, and its reply
RPC_CALL = struct.pack(">10I", XID, 0, 2, 100003, 3, 0, 0, 0, 0, 0)
RPC_REPLY = struct.pack(">6I", XID, 1, 0, 0, 0, 0)


def words(*values):
    """Words of the wire."""
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
    """RFC 8797 section 4, and what follows it."""
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


def save(name, packets):
    """A capture file; packets are a millisecond apart."""
    with open(name, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 1 << 18, 1))
        for i, frame in enumerate(packets):
            file.write(struct.pack("<IIII", i // 1000, i % 1000 * 1000,
                                   len(frame), len(frame)) + frame)
