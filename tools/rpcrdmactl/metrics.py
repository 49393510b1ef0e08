# SPDX-License-Identifier: GPL-2.0-only
"""Metrics of connections and mounts as OpenMetrics.

Metrics of connections are named after netlink attributes, so a new attribute automatically becomes
a metric: rpcrdma_SIDE_NAME, or rpcrdma_SIDE_GROUP_NAME for attributes of a group other than
counters.
"""

import os
import tempfile

import mounts
import netlink
from netlink import Error
import tunables

UNITS = dict.fromkeys(("inline_send", "inline_recv", "memory"), "bytes")
UNITS.update(dict.fromkeys(("age", "since", "down", "call_age"), "seconds"))
# Attributes that only grow, in addition to the group counters
GROWING = ("history_connects", "history_failures", "history_lost")


def attributes_of(conn):
    """Yield (names, type, labels, number) of each numeric attribute of a connection."""
    for name, how in netlink.CONN:
        group, inner = netlink.place(name)
        where = conn.get(group, {}) if group else conn
        if how != "number" or name == "id" or inner not in where:
            continue
        kind = "counter" if group == "counters" or name in GROWING else "gauge"
        if group == "memory":
            yield (group,), kind, {"kind": inner}, where[inner]
        else:
            yield (group, inner) if group else (inner,), kind, {}, where[inner]


def of_connections(found, present):
    """Yield (name, type, help, labels, number) of connections."""
    for side, module in tunables.SIDES.items():
        yield ("module_loaded", "gauge", "1 if this module is loaded", {"module": module},
               int(side in present))
        for state in netlink.STATE if side in present else ():
            yield (side + "_connections", "gauge", "Number of connections in this state",
                   {"state": state}, sum(conn["side"] == side and conn["state"] == state
                                         for conn in found))
    for conn in found:
        side, peer = conn["side"], conn.get("peer", {}).get("ip", "")
        who = {"connection": str(conn["id"]), "peer": peer}
        yield (side + "_connection_info", "gauge", "Always 1, with labels that describe it", dict(
            who, device=conn.get("device", ""), version=str(conn.get("rpcrdma_version", 0))), 1)
        for names, kind, labels, number in attributes_of(conn):
            # Metric names omit the group "counters", and "count" in other groups.
            words = [side, *(name for name in names if name not in ("counters", "count"))]
            unit = UNITS.get(names[-1])
            yield ("_".join(words + [unit] * bool(unit)), kind,
                   "Attribute %s of netlink" % ".".join(names),
                   dict(who, **labels), number)


def of_ended(totals):
    for side, reasons in totals.items():
        for reason, number in reasons.items():
            yield (side + "_ended", "counter",
                   "Ended connections and failed attempts, by reason",
                   {"reason": reason}, number)


def of_mounts(found):
    """Yield (name, type, help, labels, number) of mounts, from mountstats."""
    for mount in found:
        who = {"mount": mount["mount"], "server": mount["server"]}
        for name in ("read_bytes", "write_bytes"):
            yield "mount_" + name, "counter", "File data, without headers", who, mount[name]
        for operation, did in mount["operations"].items():
            labels = dict(who, operation=operation)
            for name, text, number in (
                    ("operations", "NFS operations", did["count"]),
                    ("retransmissions", "Transmissions beyond the first of each operation",
                     max(did["sent"] - did["count"], 0)),
                    ("operation_seconds", "Time from request to result", did["ms"] / 1000)):
                yield "mount_" + name, "counter", text, labels, number


def gather(roots):
    """Yield all metrics."""
    found, present = netlink.connections()
    yield from of_connections(found, present)
    yield from of_ended(netlink.ended()[1])
    yield from of_mounts(mounts.rdma(roots))


def families(found):
    """{name: {type, help, samples}}, with all samples of a name together."""
    names = {}
    for name, kind, text, labels, number in found:
        family = names.setdefault("rpcrdma_" + name, {"type": kind, "help": text, "samples": []})
        family["samples"].append({"labels": labels, "value": number})
    return names


def escape(text):
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def text(names, openmetrics=True):
    """OpenMetrics 1.0, or the older format, in which counters have their full name."""
    lines = []
    for name, family in names.items():
        sample = name + ("_total" if family["type"] == "counter" else "")
        head = name if openmetrics else sample
        lines.append("# TYPE %s %s" % (head, family["type"]))
        unit = name.rpartition("_")[2]
        if openmetrics and unit in ("bytes", "seconds"):
            lines.append("# UNIT %s %s" % (head, unit))
        lines.append("# HELP %s %s" % (head, family["help"]))
        for one in family["samples"]:
            labels = ",".join('%s="%s"' % (label, escape(value))
                              for label, value in one["labels"].items())
            lines.append("%s{%s} %s" % (sample, labels, one["value"]))
    return "\n".join(lines + ["# EOF"] * openmetrics)


def put(path, content, mode):
    """Replace a file atomically, so node_exporter never reads an incomplete file."""
    try:
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", delete=False,
                                         dir=os.path.dirname(path) or ".") as file:
            file.write(content + "\n")
        os.chmod(file.name, mode)
        os.replace(file.name, path)
    except OSError as error:
        raise Error("%s cannot be written: %s" % (path, error.strerror)) from None
