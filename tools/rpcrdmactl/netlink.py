# SPDX-License-Identifier: GPL-2.0-only
"""Generic netlink: the families rpcrdma-client and rpcrdma-server.

The tables below have the numbers of include/rpcrdma/netlink.h; the tests compare them. Attributes
that a newer module sends, and that are not in a table, are left out.
"""

import errno
import ipaddress
import os
import socket
import struct

NETLINK_GENERIC = 16
NLM_F_REQUEST, NLM_F_DUMP, NLM_F_DUMP_INTR = 0x1, 0x300, 0x10
NLMSG_ERROR, NLMSG_DONE = 2, 3
GENL_ID_CTRL, CTRL_CMD_GETFAMILY = 16, 3
CTRL_ATTR_FAMILY_ID, CTRL_ATTR_FAMILY_NAME = 1, 2
NLA_TYPE_MASK = 0x3fff
TIMEOUT = 5

FAMILIES = {"client": "rpcrdma-client", "server": "rpcrdma-server"}
FAMILY_VERSION = 1
CMD_CONN_GET, CMD_ENDED_GET, CMD_ENDED_TOTAL_GET = 1, 2, 3

STATE = ("none", "connecting", "negotiating", "connected", "closing")
HINT = ("none", "v1", "v2", "v2-other")
REASON = ("none", "hint", "offer", "refused", "unanswered", "tunable", "peer")
LOST = ("none", "closed", "peer", "device", "address", "vanished", "stalled", "timeout", "work",
        "protocol", "other", "shutdown", "memory", "refused")
DETAIL = ("none", "connect", "probe", "receive", "send", "read", "write", "region", "queue-pair",
          "flushed", "short", "overlong", "invalidation", "properties", "call", "reply", "backlog",
          "no-reads", "resources")
STAGE = ("none", "connection", "credit", "memory", "network", "server")

# In each set: the types from 1 on, as (name, how the value is encoded).
ADDR = (("ip", "ip"), ("port", "u16"), ("scope", "u32"))
PROP = (("recv_size", "u32"), ("reverse", "u32"), ("remote_inv", "bool"),
        ("read_replies", "bool"), ("htypes", "u32"))
PATH = (("mtu", "u32"), ("ack_timeout", "u32"), ("retries", "u32"), ("rnr_retries", "u32"))
REG = (("count", "u32"), ("busy", "u32"), ("max", "u32"), ("pages", "u32"))
MEM = (("receives", "u64"), ("calls", "u64"), ("replies", "u64"), ("advertised", "u64"),
       ("kept", "u64"), ("pad", "pad"))
COUNT = tuple((name, "u64") for name in (
    "calls", "replies", "read_calls", "long_calls", "write_calls", "reply_calls", "read_replies",
    "read_segments", "write_segments", "reply_segments", "call_bytes", "reply_bytes",
    "call_copied", "reply_copied", "errors", "bad_replies", "resent", "waits", "registered",
    "invalidated", "recycled", "callbacks")) + (("pad", "pad"),)
HISTORY = (("connects", "u64"), ("failures", "u64"), ("error", "s32"), ("lost", "u64"),
           ("reason", LOST), ("since", "u32"), ("pad", "pad"), ("down", "u32"), ("tries", "u32"))
ENDED = (("number", "u64"), ("reason", LOST), ("detail", DETAIL), ("status", "s32"),
         ("times", "u32"), ("since", "u32"), ("lasted", "u32"), ("calls", "u64"),
         ("count", "u64"), ("pad", "pad"))
CONN = (("id", "u32"), ("state", STATE), ("peer", {"set": ADDR}), ("local", {"set": ADDR}),
        ("device", "string"), ("rpcrdma_version", "u32"), ("version_reason", REASON),
        ("peer_hint", HINT), ("credits_max", "u32"), ("credits_granted", "u32"),
        ("credits_used", "u32"), ("inline_send", "u32"), ("inline_recv", "u32"),
        ("own_props", {"set": PROP}), ("peer_props", {"set": PROP}),
        ("remote_invalidation", "bool"), ("read_replies", "bool"), ("reads_max", "u32"),
        ("peer_reads_max", "u32"), ("sq_size", "u32"), ("sq_free", "s32"), ("receives", "u32"),
        ("slots", "u32"), ("registrations", {"set": REG}), ("memory", {"set": MEM}),
        ("counters", {"set": COUNT}), ("history", {"set": HISTORY}), ("callbacks", "bool"),
        ("age", "u32"), ("ended", {"set": ENDED}), ("call_age", "u32"), ("call_stage", STAGE),
        ("traffic_class", "u32"), ("path", {"set": PATH}))
CTRL = ((("family_id"), "u16"), (("family_name"), "string"))

NUMBERS = {"u16": "=H", "u32": "=I", "s32": "=i", "u64": "=Q"}


class Error(Exception):
    """Something that the operator is told in one line."""


def attributes(data):
    """Yield (type, payload) of each attribute in data."""
    at = 0
    while at + 4 <= len(data):
        length, kind = struct.unpack_from("=HH", data, at)
        if length < 4 or at + length > len(data):
            raise Error("the kernel has sent a malformed attribute")
        yield kind & NLA_TYPE_MASK, data[at + 4:at + length]
        at += (length + 3) & ~3


def value(kind, data):
    """The value of one attribute."""
    if isinstance(kind, dict):
        return decode(kind["set"], data)
    if isinstance(kind, tuple):
        number = struct.unpack("=I", data)[0]
        return kind[number] if number < len(kind) else "unknown-%d" % number
    if kind == "bool":
        return bool(data[0])
    if kind == "string":
        return data.rstrip(b"\0").decode("ascii", "replace")
    if kind == "ip":
        return str(ipaddress.ip_address(data))
    return struct.unpack(NUMBERS[kind], data)[0]


def decode(table, data):
    """A dictionary of the attributes in data that are in the table."""
    found = {}
    for kind, payload in attributes(data):
        if not 1 <= kind <= len(table) or table[kind - 1][1] == "pad":
            continue
        name, how = table[kind - 1]
        try:
            found[name] = value(how, payload)
        except (struct.error, ValueError, IndexError):
            raise Error("the kernel has sent %s in an unknown form" % name) from None
    return found


def attribute(kind, payload):
    """One attribute, encoded."""
    return struct.pack("=HH", 4 + len(payload), kind) + payload + b"\0" * (-len(payload) % 4)


def messages(data):
    """Yield (type, flags, payload) of each message in a datagram."""
    at = 0
    while at + 16 <= len(data):
        length, kind, flags = struct.unpack_from("=IHH", data, at)
        if length < 16 or at + length > len(data):
            raise Error("the kernel has sent a malformed message")
        yield kind, flags, data[at + 16:at + length]
        at += (length + 3) & ~3


class Genl:
    """A generic netlink socket."""

    def __init__(self, sock=None):
        self.sequence = 0
        self.sock = sock
        if sock is None:
            try:
                self.sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_GENERIC)
            except OSError as error:
                raise Error("no netlink socket: %s" % error.strerror) from None
            self.sock.settimeout(TIMEOUT)
            self.sock.bind((0, 0))

    def close(self):
        self.sock.close()

    def request(self, family, command, version, payload, flags):
        """Send a request; yield the payloads of its answers."""
        self.sequence += 1
        body = struct.pack("=BBH", command, version, 0) + payload
        self.sock.send(struct.pack("=IHHII", 16 + len(body), family, NLM_F_REQUEST | flags,
                                   self.sequence, 0) + body)
        while True:
            try:
                data = self.sock.recv(1 << 18)
            except socket.timeout:
                raise Error("the kernel does not answer") from None
            except OSError as error:
                raise Error("netlink: %s" % error.strerror) from None
            for kind, _, answer in messages(data):
                if kind == NLMSG_ERROR:
                    self.refused(answer)
                    return
                if kind == NLMSG_DONE:
                    self.refused(answer)
                    return
                yield answer[4:]
            if not flags & NLM_F_DUMP:
                return

    @staticmethod
    def refused(answer):
        number = struct.unpack_from("=i", answer)[0] if len(answer) >= 4 else 0
        if number:
            raise OSError(-number, os.strerror(-number))

    def family(self, name):
        """The number of a family; None if no module has registered it."""
        try:
            for answer in self.request(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1,
                                       attribute(CTRL_ATTR_FAMILY_NAME, name.encode() + b"\0"), 0):
                return decode(CTRL, answer).get("family_id")
        except FileNotFoundError:
            pass
        except OSError as error:
            raise Error("netlink: %s" % error.strerror) from None
        return None


def dump(genl, number, side, command):
    """The answers of a side's family, whose number may be None; None if its module is not there."""
    if number is None:
        return None
    try:
        return [dict(side=side, **decode(CONN, answer)) for answer in
                genl.request(number, command, FAMILY_VERSION, b"", NLM_F_DUMP)]
    except OSError as error:
        # The module has been unloaded since, or is being unloaded.
        if error.errno in (errno.ENOENT, errno.EPROTONOSUPPORT):
            return None
        if error.errno == errno.EOPNOTSUPP:
            raise Error("these modules do not keep what has ended: install their newest "
                        "version") from None
        raise Error("netlink: %s" % error.strerror) from None


def ended(sides=("client", "server"), genl=None):
    """What has ended on the given sides, the last one last; and {side: {reason: how many}}."""
    own = genl is None
    genl = genl or Genl()
    ends, totals = [], {}
    try:
        for side in sides:
            number = genl.family(FAMILIES[side])
            ends += dump(genl, number, side, CMD_ENDED_GET) or []
            found = dump(genl, number, side, CMD_ENDED_TOTAL_GET)
            if found is not None:
                totals[side] = {total["ended"]["reason"]: total["ended"]["count"]
                                for total in found}
    finally:
        if own:
            genl.close()
    return sorted(ends, key=lambda end: -end["ended"].get("since", 0)), totals


def connections(sides=("client", "server"), genl=None):
    """All connections of the given sides, and the sides whose module is there."""
    own = genl is None
    genl = genl or Genl()
    found, present = [], []
    try:
        for side in sides:
            conns = dump(genl, genl.family(FAMILIES[side]), side, CMD_CONN_GET)
            if conns is not None:
                present.append(side)
                found += conns
    finally:
        if own:
            genl.close()
    return found, present
