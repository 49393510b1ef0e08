# SPDX-License-Identifier: GPL-2.0-only
"""Connections and tunables as text."""

import os

from mounts import uses

REASONS = {
    "none": "not known yet",
    "hint": "announced by the peer when it connected",
    "offer": "version 2 was offered without a hint, and accepted",
    "refused": "the server refused version 2",
    "unanswered": "an earlier offer of version 2 was not answered",
    "tunable": "max_version or negotiate of this host permits no other",
    "peer": "the client chose it",
}
ENDS = {
    "none": "never",
    "closed": "this host closed it: idle or unmounted",
    "peer": "the server closed it",
    "device": "the RDMA device was removed",
    "address": "the address moved to another device",
    "vanished": "the server's adapter did not answer: check the link and the server",
    "stalled": "an adapter stalled: see its driver's messages",
    "timeout": "a call was not answered in time: is the server overloaded?",
    "work": "the adapter failed a Work Request",
    "protocol": "the server violated the protocol",
    "other": "a failure of this host, or no answer: see the kernel log",
    "shutdown": "the server was stopped",
    "memory": "this host was out of memory",
    "refused": "the server refused the connect request",
}
STAGES = {
    "none": "nothing",
    "connection": "a connection",
    "credit": "a credit",
    "memory": "memory",
    "network": "the network",
    "server": "the server",
}
REVERSE = ("none", "inline", "general")


def address(addr):
    """192.0.2.1, 192.0.2.1:20049, [fe80::1%3]:20049"""
    if not addr or "ip" not in addr:
        return "?"
    text = addr["ip"]
    if "scope" in addr:
        text += "%%%d" % addr["scope"]
    if "port" not in addr:
        return text
    return ("[%s]:%d" if ":" in text else "%s:%d") % (text, addr["port"])


def name(conn):
    return "%s:%d" % (conn["side"], conn["id"])


def duration(seconds):
    """Seconds, rounded"""
    for unit, factor in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * factor:
            return "%d %s" % (seconds // factor, unit)
    return "%d s" % seconds


def state(conn):
    """The state for operators: a connection is down if it is needed and an attempt has failed."""
    past_ones = conn.get("history", {})
    if conn["state"] == "connected":
        return "up"
    if conn["side"] == "server" or "down" not in past_ones:
        return "idle" if conn["state"] == "none" else conn["state"]
    return "down" if past_ones.get("tries") else "connecting"


def since(conn):
    """Seconds since the state began; None if this is not known."""
    past_ones = conn.get("history", {})
    return {"up": conn.get("age"), "idle": past_ones.get("since")}.get(
        state(conn), past_ones.get("down"))


def last_error(conn):
    """The last error in a few words"""
    past_ones = conn.get("history", {})
    if state(conn) in ("down", "connecting") and past_ones.get("error"):
        return errno_text(past_ones["error"])
    if past_ones.get("reason", "none") in ("none", "closed"):
        return "-"
    return "%s, %s ago" % (past_ones["reason"], duration(past_ones.get("since", 0)))


def place(conn, found, mounts):
    """
    The mount points of a transport: the first one, the number of others, and the number of the
    transport if the mount has several.
    """
    points = [mount for mount in mounts if uses(mount, conn)]
    if not points:
        return "-"
    same = [other["id"] for other in found if uses(points[0], other)]
    return points[0]["mount"] + (" +%d" % (len(points) - 1) if len(points) > 1 else "") + (
        " %d/%d" % (sorted(same).index(conn["id"]) + 1, len(same)) if len(same) > 1 else "")


def matches(conn, what):
    """Does the PEER that the operator named mean this connection?"""
    peer = conn.get("peer", {})
    return what in (None, name(conn), peer.get("ip"), address(peer))


def columns(rows):
    """Rows of text as aligned columns."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
                     for row in rows)


def size(number):
    """Bytes, rounded."""
    for unit in ("", "K", "M", "G"):
        if number < 10240 or unit == "G":
            return "%d%s" % (number, unit)
        number //= 1024
    return ""


def table(found, mounts=()):
    """One line per connection."""
    rows = [("NAME", "MOUNT", "PEER", "STATE", "SINCE", "OLDEST CALL", "RETRIES", "LAST ERROR",
             "DEVICE", "VERSION", "CREDITS", "CALLS")]
    for conn in found:
        seconds = since(conn)
        rows.append((name(conn), place(conn, found, mounts), address(conn.get("peer")),
                     state(conn), "-" if seconds is None else duration(seconds), oldest(conn),
                     str(conn.get("history", {}).get("tries", "-")), last_error(conn),
                     conn.get("device", "-"), str(conn.get("rpcrdma_version") or "-"),
                     "%d/%s" % (conn.get("credits_used", 0), conn.get("credits_granted", "-")),
                     str(conn.get("counters", {}).get("calls", 0))))
    return columns(rows) if found else "no connections"


def oldest(conn):
    """Age of the oldest call, and the reason that it waits"""
    if "call_age" not in conn:
        return "-"
    return "%s, %s" % (duration(conn["call_age"]), conn.get("call_stage", "?"))


def properties(props):
    return "Receives of %d bytes, callbacks %s, remote invalidation %s, Read chunks in replies " \
           "%s, optional types 0x%x" % (
               props.get("recv_size", 0), REVERSE[min(props.get("reverse", 0), 2)],
               "yes" if props.get("remote_inv") else "no",
               "yes" if props.get("read_replies") else "no", props.get("htypes", 0))


def times(number):
    """The number of an adapter's retries in words"""
    return "without limit" if number == 7 else "%d times" % number


def packets(path):
    """How the adapter sends packets"""
    wait = "never" if not path["ack_timeout"] else "after %.3g ms" % (
        0.004096 * (1 << path["ack_timeout"]))
    return "%d bytes each; not acknowledged: repeated %s, %s; no Receive: repeated %s" % (
        path["mtu"], wait, times(path["retries"]), times(path["rnr_retries"]))


def attempts(number):
    """1 attempt, 2 attempts"""
    return "%d attempt%s" % (number, "" if number == 1 else "s")


def past(history):
    """Lines about earlier connections."""
    yield "connections", "%d made, %d lost, %s failed" % (
        history.get("connects", 0), history.get("lost", 0), attempts(history.get("failures", 0)))
    if "down" in history:
        yield "no connection", "for %d s, %s failed" % (history["down"],
                                                        attempts(history.get("tries", 0)))
    if history.get("reason", "none") != "none":
        yield "last one ended", "%d s ago: %s" % (
            history.get("since", 0), ENDS.get(history["reason"], history["reason"]))
    if history.get("error"):
        yield "last failure", errno_text(history["error"])


def errno_text(number):
    return os.strerror(-number).lower()


def detail_lines(conn):
    """Yield (what, value) of one connection."""
    yield "peer", address(conn.get("peer"))
    if "local" in conn:
        yield "local", address(conn["local"])
    yield "state", conn["state"] + (", for %d s" % conn["age"] if "age" in conn else "")
    if "device" in conn:
        yield "device", conn["device"]
    if "call_age" in conn:
        yield "oldest call", "%d s, waits for %s" % (conn["call_age"],
                                                     STAGES.get(conn["call_stage"], "?"))
    if conn.get("rpcrdma_version"):
        yield "version", "%d: %s" % (conn["rpcrdma_version"],
                                     REASONS.get(conn["version_reason"], conn["version_reason"]))
        yield "peer's hint", conn["peer_hint"]
    if "credits_max" in conn:
        yield "credits", "%d in use, %d granted, %d at most" % (
            conn.get("credits_used", 0), conn["credits_granted"], conn["credits_max"])
        yield "inline", "sends %d bytes, receives %d bytes" % (conn["inline_send"],
                                                               conn["inline_recv"])
        yield "RDMA Reads", "%d at a time, the peer %d" % (conn["reads_max"],
                                                           conn["peer_reads_max"])
        if conn.get("traffic_class"):
            yield "traffic class", "%d (DSCP %d)" % (conn["traffic_class"], conn["traffic_class"] >> 2)
        if "path" in conn:
            yield "packets", packets(conn["path"])
        yield "Send Queue", "%d of %d entries free" % (conn["sq_free"], conn["sq_size"])
        yield "replies", "remote invalidation %s, Read chunks %s" % (
            "yes" if conn["remote_invalidation"] else "no",
            "yes" if conn["read_replies"] else "no")
    for side, text in (("own_props", "own properties"), ("peer_props", "peer's properties")):
        if side in conn:
            yield text, properties(conn[side])
    if "registrations" in conn:
        yield "registrations", "%(busy)d of %(count)d in use, %(max)d at most, %(pages)d pages " \
            "each" % conn["registrations"]
    if "memory" in conn:
        yield "memory", ", ".join("%s %s" % (kind, size(number))
                                  for kind, number in conn["memory"].items())
    if "history" in conn:
        yield from past(conn["history"])
    for kind, number in conn.get("counters", {}).items():
        if number:
            yield kind.replace("_", " "), str(number)


def details(conn):
    """All details of one connection."""
    return name(conn) + "\n" + "\n".join("  %-18s %s" % line for line in detail_lines(conn))


def tunables(found):
    """One line per tunable."""
    return columns([("TUNABLE", "VALUE", "KIND")] + [
        ("%(side)s.%(name)s" % line, line["value"] if line["value"] is not None else "?",
         line["kind"] + ("" if line["writable"] else ", at load")) for line in found])
