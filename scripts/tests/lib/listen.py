#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Gives nfsd one RDMA listener that is bound to an address, by generic netlink; rpc.nfsd can only bind to none.

listen.py IPV4-ADDRESS PORT
"""
import socket
import struct
import sys

GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_ID, CTRL_ATTR_FAMILY_NAME = 16, 3, 1, 2
NFSD_CMD_LISTENER_SET, NFSD_A_SERVER_SOCK_ADDR, NFSD_A_SOCK_ADDR, NFSD_A_SOCK_TRANSPORT_NAME = 6, 1, 1, 2
NLMSG_ERROR, NLM_F_REQUEST, NLM_F_ACK, NLA_F_NESTED = 2, 1, 4, 0x8000


def attr(kind, data):
    return struct.pack("HH", 4 + len(data), kind) + data + b"\0" * (-len(data) % 4)


def ask(sock, family, command, attrs):
    """Sends a request; returns the attributes of the answer, or b'' for an acknowledgement."""
    body = struct.pack("BBH", command, 1, 0) + attrs
    sock.send(struct.pack("IHHII", 16 + len(body), family, NLM_F_REQUEST | NLM_F_ACK, 1, 0) + body)
    answer = sock.recv(65536)
    if struct.unpack_from("H", answer, 4)[0] == NLMSG_ERROR:
        error = struct.unpack_from("i", answer, 16)[0]
        if error:
            sys.exit(f"listen.py: netlink says {error}")
        return b""
    return answer[20:struct.unpack_from("I", answer)[0]]


def family_id(sock):
    attrs = ask(sock, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, attr(CTRL_ATTR_FAMILY_NAME, b"nfsd\0"))
    while attrs:
        length, kind = struct.unpack_from("HH", attrs)
        if kind == CTRL_ATTR_FAMILY_ID:
            return struct.unpack_from("H", attrs, 4)[0]
        attrs = attrs[(length + 3) & ~3:]
    sys.exit("listen.py: no netlink family nfsd")


def main():
    address, port = sys.argv[1], int(sys.argv[2])
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 16) as sock:
        family = family_id(sock)
        sock.recv(65536)  # its acknowledgement
        sa = struct.pack("=H", socket.AF_INET) + struct.pack(">H", port) + socket.inet_aton(address)
        one = attr(NFSD_A_SOCK_ADDR, sa.ljust(128, b"\0")) + attr(NFSD_A_SOCK_TRANSPORT_NAME, b"rdma\0")
        ask(sock, family, NFSD_CMD_LISTENER_SET, attr(NFSD_A_SERVER_SOCK_ADDR | NLA_F_NESTED, one))


main()
