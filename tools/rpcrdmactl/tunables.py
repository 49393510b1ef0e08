# SPDX-License-Identifier: GPL-2.0-only
"""Tunables: module parameters and sysctls, of both sides."""

import os

from netlink import Error, MODULES as SIDES

CLIENT_SYSCTLS = ("rdma_slot_table_entries", "rdma_max_inline_read", "rdma_max_inline_write",
                  "rdma_inline_write_padding", "rdma_pad_optimize")
SERVER_SYSCTLS = ("max_requests", "max_req_size", "max_outbound_read_requests", "keepalive")
SYSCTLS = {"client": ("sys/sunrpc", CLIENT_SYSCTLS),
           "server": ("sys/sunrpc/svc_rdma", SERVER_SYSCTLS)}


class Roots:
    """Paths of sysfs and procfs; tests use others."""

    def __init__(self, sys="/sys", proc="/proc"):
        self.sys, self.proc = sys, proc


def read(path):
    """The text of a small file without the final newline; None if it cannot be read."""
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return None


def paths(side, roots):
    """Yield (name, kind, path) of each tunable of a side whose module is loaded."""
    folder = os.path.join(roots.sys, "module", SIDES[side], "parameters")
    if os.path.isdir(folder):
        for name in sorted(os.listdir(folder)):
            yield name, "parameter", os.path.join(folder, name)
        where, names = SYSCTLS[side]
        for name in names:
            path = os.path.join(roots.proc, where, name)
            if os.path.exists(path):
                yield name, "sysctl", path


def show(sides, roots):
    """All tunables of these sides."""
    return [dict(side=side, name=name, kind=kind, value=read(path), path=path,
                 writable=bool(os.stat(path).st_mode & 0o200))
            for side in sides for name, kind, path in paths(side, roots)]


def split(name):
    """"client.NAME" as its side and name."""
    side, dot, rest = name.partition(".")
    if not dot or side not in SIDES:
        raise Error("name a tunable as client.NAME or server.NAME, not %s" % name)
    return side, rest


def put(assignment, roots):
    """Set a tunable from "client.NAME=VALUE"; return it as show() does."""
    name, equals, text = assignment.partition("=")
    if not equals:
        raise Error("set a tunable as client.NAME=VALUE, not %s" % assignment)
    side, name = split(name)
    found = {tunable["name"]: tunable for tunable in show([side], roots)}
    if not found:
        raise Error("%s is not loaded: modprobe %s" % (SIDES[side], SIDES[side]))
    if name not in found:
        raise Error("there is no tunable %s.%s; see: rpcrdmactl tunables" % (side, name))
    tunable = found[name]
    if not tunable["writable"]:
        raise Error("%s.%s is set when the module is loaded: options %s %s=%s in /etc/modprobe.d"
                    % (side, name, SIDES[side], name, text))
    try:
        with open(tunable["path"], "w", encoding="ascii") as file:
            file.write(text + "\n")
    except PermissionError:
        raise Error("only root can set %s.%s" % (side, name)) from None
    except OSError as error:
        raise Error("%s.%s does not accept %s: %s" % (side, name, text, error.strerror)) from None
    tunable["value"] = read(tunable["path"])
    return tunable
