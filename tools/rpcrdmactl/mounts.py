# SPDX-License-Identifier: GPL-2.0-only
"""Mounts over RDMA, with the kernel's counters for each: /proc/self/mountstats."""

import os
import re

from netlink import Error
from tunables import read

# Fields of each operation: requests, transmissions, timeouts, bytes sent and received, and
# milliseconds in the queue, until the reply, and in total
OPERATION = ("count", "sent", "timeouts", "call_bytes", "reply_bytes", "queue_ms", "rtt_ms", "ms")


def unescape(text):
    """Decode a mount point in /proc/mounts."""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), text)


def options(point, roots):
    """Options of a mount of NFS over RDMA."""
    mount = mounted(roots).get(point)
    if not mount:
        raise Error("nothing is mounted on %s" % point)
    if not over_rdma(mount):
        raise Error("%s is not NFS over RDMA: mount it with -o proto=rdma" % point)
    return mount["options"]


def mounted(roots):
    """{mount point: mount} of all file systems; the last mount on a mount point counts."""
    found = {}
    for line in (read(os.path.join(roots.proc, "self/mounts")) or "").splitlines():
        fields = line.split(" ")
        if len(fields) > 3:
            device, point = map(unescape, fields[:2])
            pairs = (option.partition("=") for option in fields[3].split(","))
            found[point] = {"mount": point, "device": device, "type": fields[2],
                            "options": {name: text if equals else True
                                        for name, equals, text in pairs}}
    return found


def over_rdma(mount):
    return (mount["type"].startswith("nfs")
            and mount["options"].get("proto") in ("rdma", "rdma6"))


def statistics(roots):
    """{mount point: (bytes read, bytes written, {operation: numbers})} of NFS"""
    found, current = {}, {}
    for line in (read(os.path.join(roots.proc, "self/mountstats")) or "").splitlines():
        if line.startswith("device "):
            head, nfs, _ = line.partition(" with fstype nfs")
            # Counters of other file systems are discarded.
            current = {"read_bytes": 0, "write_bytes": 0, "operations": {}}
            if nfs:
                found[unescape(head.partition(" mounted on ")[2])] = current
            continue
        name, colon, rest = line.strip().partition(":")
        fields = rest.split()
        if not colon or not current or not all(field.lstrip("-").isdigit() for field in fields):
            continue
        if name == "bytes" and len(fields) >= 6:
            current["read_bytes"], current["write_bytes"] = map(int, fields[4:6])
        elif name.isupper() and len(fields) >= 8 and fields[0] != "0":
            current["operations"][name] = dict(zip(OPERATION, map(int, fields)))
    return found


def rdma(roots):
    """The NFS mounts over RDMA, with their counters"""
    counted = statistics(roots)
    return [dict(mount, server=mount["device"].rpartition(":/")[0].strip("[]"),
                 ip=str(mount["options"].get("addr", "")).split("%")[0], **counted[point])
            for point, mount in mounted(roots).items() if over_rdma(mount) and point in counted]


def chosen(args, roots):
    """The mounts that --mount and --server select"""
    if args.mount:
        args.mount = os.path.normpath(args.mount)
        options(args.mount, roots)
    return [mount for mount in rdma(roots)
            if args.mount in (None, mount["mount"])
            and args.server in (None, mount["server"], mount["ip"])]


def select(found, args, roots):
    """The connections that --mount, --server and --device select"""
    if args.device:
        found = [conn for conn in found if conn.get("device") == args.device]
    if args.mount or args.server:
        picked = chosen(args, roots)
        # A transport to this server may have no mount yet, because the mount hangs.
        found = [conn for conn in found if any(uses(mount, conn) for mount in picked)
                 or conn["side"] == "client" and not args.mount
                 and conn.get("peer", {}).get("ip") == args.server]
    return found


def uses(mount, conn):
    """Can this mount use this transport? Mounts from one server share transports if possible."""
    peer, port = conn.get("peer", {}), mount["options"].get("port")
    return (conn["side"] == "client" and peer.get("ip") == mount["ip"]
            and port in (None, str(peer.get("port"))))
