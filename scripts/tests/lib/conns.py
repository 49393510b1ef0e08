#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""conns.py client|server [NAME]: what netlink says of the connections, one value per line with its
name, such as "own_props.recv_size 5120"; or the values of NAME, each once."""
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tools/rpcrdmactl"))
import netlink  # noqa: E402, pylint: disable=wrong-import-position


def flat(values, prefix=""):
    """Names and values, also of nests."""
    for name, value in values.items():
        if isinstance(value, dict):
            yield from flat(value, prefix + name + ".")
        else:
            yield prefix + name, str(value)


def main(side, name=None):
    """Print the connections of one side."""
    found = [pair for conn in netlink.connections((side,))[0] for pair in flat(conn)]
    if name:
        print(*sorted({value for key, value in found if key == name}))
    else:
        print(*(f"{key} {value}" for key, value in found), sep="\n")


main(*sys.argv[1:])
