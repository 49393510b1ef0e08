#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What guest tests do by netlink.

genl.py conns client|server [NAME]: what it says of the connections, one value per line with its name,
such as "own_props.recv_size 5120"; or the values of NAME, each once.

genl.py listen IPV4-ADDRESS PORT: gives nfsd one RDMA listener that is bound to an address; rpc.nfsd
can only bind to none.
"""
import pathlib
import socket
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tools/rpcrdmactl"))
import netlink  # noqa: E402, pylint: disable=wrong-import-position

NFSD_CMD_LISTENER_SET, NFSD_A_SERVER_SOCK_ADDR, NFSD_A_SOCK_ADDR, NFSD_A_SOCK_TRANSPORT_NAME = 6, 1, 1, 2
NLM_F_ACK, NLA_F_NESTED = 4, 0x8000


def flat(values, prefix=""):
    """Names and values, also of nests."""
    for name, value in values.items():
        if isinstance(value, dict):
            yield from flat(value, prefix + name + ".")
        else:
            yield prefix + name, str(value)


def conns(side, name=None):
    """Print the connections of one side."""
    found = [pair for conn in netlink.connections((side,))[0] for pair in flat(conn)]
    if name:
        print(*sorted({value for key, value in found if key == name}))
    else:
        print(*(f"{key} {value}" for key, value in found), sep="\n")


def listen(address, port):
    """Replace nfsd's listeners by this one."""
    genl = netlink.Genl()
    sa = struct.pack("=H", socket.AF_INET) + struct.pack(">H", int(port)) + socket.inet_aton(address)
    one = netlink.attribute(NFSD_A_SOCK_ADDR, sa.ljust(128, b"\0")) + \
        netlink.attribute(NFSD_A_SOCK_TRANSPORT_NAME, b"rdma\0")
    list(genl.request(genl.family("nfsd"), NFSD_CMD_LISTENER_SET, 1,
                      netlink.attribute(NFSD_A_SERVER_SOCK_ADDR | NLA_F_NESTED, one), NLM_F_ACK))


{"conns": conns, "listen": listen}[sys.argv[1]](*sys.argv[2:])
