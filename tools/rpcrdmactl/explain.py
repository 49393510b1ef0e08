# SPDX-License-Identifier: GPL-2.0-only
"""The cost of each operation of a mount in chunks and registrations.

The cost is estimated from the averages in mountstats and the limits of the mount's connection. The
client decides for each call by its actual size and by the longest possible reply.
"""

import os

import mounts
from netlink import Error, connections
import views

# Operations whose longest reply is much longer than usual: the client offers room for the longest.
LONG_REPLIES = ("READDIR", "READDIRPLUS", "GETACL", "LISTXATTRS", "GETXATTR", "LAYOUTGET")
# Items that may be placed directly (RFC 8267)
CALL_PAYLOAD, REPLY_PAYLOAD = ("WRITE", "SYMLINK"), ("READ", "READLINK", "READ_PLUS")
# Bytes of a transport header without chunks, and of one with a chunk of one segment
HEADER = {1: 28, 2: 36}
PAGE = 4096
# Bytes of a message that are as expensive to copy as to register (tuning.rst)
COPY = 18432


def operations(point, roots):
    """{NAME: (count, bytes of all calls, bytes of all replies)} of a mount, from mountstats."""
    counted = mounts.statistics(roots).get(point, {"operations": {}})
    return {name: (op["count"], op["call_bytes"], op["reply_bytes"])
            for name, op in counted["operations"].items()}


def call_way(name, length, conn):
    """How a call of this length travels, and the number of registrations that it needs."""
    limit = conn["inline_send"]
    if length + HEADER[conn["rpcrdma_version"]] <= limit:
        return "inline", 0
    return ("Read chunk" if name in CALL_PAYLOAD else "position-zero Read chunk",
            regions(length, conn))


def reply_way(name, length, conn):
    """How a reply of this length travels, and the number of registrations that it needs."""
    limit = conn["inline_recv"]
    fits = length + HEADER[conn["rpcrdma_version"]] <= limit
    if name in LONG_REPLIES:
        # NFS offers little room at first, when even the longest reply is inline.
        if fits and not conn["counters"].get("reply_calls"):
            return "inline", 0
        if conn["read_replies"] and (fits or not conn["counters"].get("reply_calls")):
            return "inline, or read by the client if long", 0
        return "Reply chunk", regions(max(length, limit), conn)
    if fits:
        return "inline", 0
    return ("Write chunk" if name in REPLY_PAYLOAD else "Reply chunk", regions(length, conn))


def regions(length, conn):
    pages = conn.get("registrations", {}).get("pages") or 1
    return -(-length // (pages * PAGE))


def larger(way, length, version, tunable):
    """
    Tunables that let a message of this length travel inline. In version 2, Receives grow
    automatically if tuning is on. Beyond COPY, a chunk costs less than a copy.
    """
    need = length + 2 * HEADER[version]
    if not way.endswith("chunk") or need > COPY:
        return []
    if version == 2:
        return ["tuning=Y and receive_buffer_max >= %d on both sides; Receives then grow if such "
                "messages are frequent" % need]
    return ["client.%s >= %d, and the server's max_req_size >= %d" % (tunable, need, need)]


def advice(operation, conn):
    """Tunables that would avoid the chunks of an operation, with the necessary values."""
    version = conn["rpcrdma_version"]
    lines = larger(operation["call"], operation["call_bytes"], version, "rdma_max_inline_write")
    if operation["name"] not in LONG_REPLIES:
        return lines + larger(operation["reply"], operation["reply_bytes"], version,
                              "rdma_max_inline_read")
    if operation["reply"].endswith("chunk") and version == 2 and not conn["read_replies"]:
        lines.append("client.read_replies=1 and the server's read_replies=1")
    return lines


def connection_of(options, roots):
    """A connected transport to the server of a mount."""
    found, present = connections(["client"])
    if not present:
        raise Error("xprtrdma is not loaded: this mount uses the kernel's own transport")
    server = str(options.get("addr", ""))
    mine = [conn for conn in found
            if views.address({"ip": conn.get("peer", {}).get("ip", "?")}) == server.split("%")[0]]
    if not mine:
        raise Error("no transport to %s in this network namespace" % server)
    live = [conn for conn in mine if conn["state"] == "connected"]
    if not live:
        raise Error("no connection to %s now: use the mount, then try again" % server)
    # With nconnect, the calls of a mount are spread over its connections.
    replies = sum(conn.get("counters", {}).get("reply_calls", 0) for conn in mine)
    return dict(live[0], counters=dict(live[0].get("counters", {}), reply_calls=replies))


def estimate(name, numbers, conn):
    count, sent, received = numbers
    operation = {"name": name, "count": count, "call_bytes": sent // count,
                 "reply_bytes": received // count}
    operation["call"], call = call_way(name, operation["call_bytes"], conn)
    operation["reply"], reply = reply_way(name, operation["reply_bytes"], conn)
    operation["registrations"] = call + reply
    operation["advice"] = advice(operation, conn)
    return operation


def mount(point, roots):
    """The report about a mount."""
    point = os.path.normpath(point)
    options = mounts.options(point, roots)
    conn = connection_of(options, roots)
    found = operations(point, roots)
    return {"mount": point, "server": options.get("addr"), "nfs": options.get("vers"),
            "connection": conn,
            "operations": [estimate(name, found[name], conn)
                           for name in sorted(found, key=lambda name: -found[name][0])]}


def text(report):
    conn = report["connection"]
    lines = ["%s: NFS %s, server %s, RPC-over-RDMA version %d; sends up to %d bytes inline, "
             "receives up to %d" % (report["mount"], report["nfs"], report["server"],
                                    conn["rpcrdma_version"], conn["inline_send"],
                                    conn["inline_recv"]),
             "Estimated from the average of each operation since the mount:", ""]
    rows = [("OPERATION", "COUNT", "CALL", "BYTES", "REPLY", "BYTES", "REGISTRATIONS")]
    for op in report["operations"]:
        rows.append((op["name"], str(op["count"]), op["call"], str(op["call_bytes"]), op["reply"],
                     str(op["reply_bytes"]), str(op["registrations"])))
    lines.append(views.columns(rows))
    for op in report["operations"]:
        for line in op["advice"]:
            lines.append("%s without chunks: %s" % (op["name"], line))
    return "\n".join(lines)
