# SPDX-License-Identifier: GPL-2.0-only
"""Ended connections and failed attempts, as text."""

import os

import views
from views import address, columns, duration

# Reasons on the server; views.ENDS has the client's.
REASONS = {
    "none": "not known",
    "closed": "nfsd closed it: idle, a call that it could not answer, or too many new clients",
    "peer": "the client closed it, or its host went down",
    "device": "the RDMA device was removed",
    "address": "the address moved to another device",
    "vanished": "the client's adapter did not answer: check the client and the path to it",
    "stalled": "an adapter stalled: see its driver's messages",
    "timeout": "a call was not answered in time",
    "work": "the adapter failed a Work Request",
    "protocol": "the client violated the protocol: update it, or look for an intruder",
    "other": "a failure of this host",
    "shutdown": "nfsd was stopped",
    "memory": "this host was out of memory",
    "refused": "the connect request was refused",
}
DETAILS = {
    "none": "",
    "connect": "while connecting",
    "probe": "keepalive probe",
    "receive": "Receive",
    "send": "Send",
    "read": "RDMA Read of a call",
    "write": "RDMA Write of a reply",
    "region": "memory region",
    "queue-pair": "event of the Queue Pair",
    "flushed": "all Work Requests were flushed without a reason: see the driver's messages",
    "short": "a message without an XID",
    "overlong": "a message longer than the server's Receives",
    "invalidation": "invalidation of a handle that the peer was not offered",
    "properties": "too many unanswered requests for properties",
    "call": "Read chunks of a call",
    "reply": "chunks of a reply",
    "backlog": "too many requests were waiting: give nfsd more threads",
    "no-reads": "the client's adapter permits no RDMA Reads",
    "resources": "the queues could not be created: check the adapter's limits and max_requests",
}
# enum ib_wc_status
STATUS = ("success", "local length error", "local Queue Pair error", "local EE context error",
          "local protection error", "flushed", "memory window bind error", "bad response",
          "local access error", "remote invalid request", "remote access error",
          "remote operation error", "transport retries exceeded",
          "receiver-not-ready retries exceeded", "local RDD violation",
          "remote invalid RD request", "remote abort", "invalid EE context number",
          "invalid EE context state", "fatal error", "response timeout", "general error")
# Values of enum ib_event_type that end a connection
EVENTS = {1: "fatal error", 2: "invalid request", 3: "access error", 7: "path migration failed"}


def status(end):
    """The status from the adapter or the kernel"""
    number = end.get("status", 0)
    if number < 0:
        return os.strerror(-number)
    if end.get("detail") == "queue-pair":
        return EVENTS.get(number, "event %d" % number)
    if not number:
        return ""
    return STATUS[number] if number < len(STATUS) else "status %d" % number


def why(end, side="server"):
    """The reason for one end in words"""
    reason, detail = end.get("reason", "none"), end.get("detail", "none")
    reasons = REASONS if side == "server" else views.ENDS
    parts = [reasons.get(reason, reason), DETAILS.get(detail, detail), status(end)]
    return "; ".join(part for part in parts if part)


def text(ends, totals):
    """One line per end, the latest first, and a total for each reason"""
    rows = [("SIDE", "PEER", "DEVICE", "AGO", "LASTED", "VERSION", "CALLS", "TIMES", "WHY")]
    for conn in reversed(ends):
        end = conn.get("ended", {})
        rows.append((conn["side"], address(conn.get("peer")), conn.get("device", "-"),
                     duration(end.get("since", 0)),
                     duration(end["lasted"]) if "lasted" in end else "-",
                     str(conn.get("rpcrdma_version") or "-"), str(end.get("calls", "-")),
                     str(end.get("times", 1)), why(end, conn["side"])))
    if not ends:
        return "no connection has ended"
    return "\n".join([columns(rows)] + [
        "%s, since the modules were loaded: %s" % (side, ", ".join(
            "%s %d" % item for item in sorted(totals[side].items(), key=lambda item: -item[1])))
        for side in sorted(totals) if totals[side]])
