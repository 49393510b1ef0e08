# SPDX-License-Identifier: GPL-2.0-only
"""Generic netlink: the family rpcrdma.

The tables below have the numbers of include/rpcrdma/netlink.h; the tests compare them. Attributes
that are not in a table, from newer modules, are ignored.
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

FAMILY, FAMILY_VERSION = "rpcrdma", 1
CMD_CONN_GET, CMD_ENDED_GET = 1, 2
# By side
MODULES = {"client": "xprtrdma", "server": "svcrdma"}

SIDE = tuple(MODULES)
STATE = ("none", "connecting", "negotiating", "connected", "closing")
HINT = ("none", "v1", "v2", "v2-other")
REASON = ("none", "hint", "offer", "refused", "unanswered", "tunable", "peer")
LOST = ("none", "closed", "peer", "device", "address", "vanished", "stalled", "timeout", "work",
        "protocol", "other", "shutdown", "memory", "refused")
DETAIL = ("none", "connect", "probe", "receive", "send", "read", "write", "region", "queue-pair",
          "flushed", "short", "overlong", "invalidation", "properties", "call", "reply", "backlog",
          "no-reads", "resources")
STAGE = ("none", "connection", "credit", "memory", "network", "server")

# The attribute types from 1 on, as (name, encoding of the value)
PROP = (("recv_size", "number"), ("reverse", "number"), ("remote_inv", "bool"),
        ("read_replies", "bool"), ("htypes", "number"))
CONN = (("side", SIDE), ("id", "number"), ("state", STATE), ("peer", "address"),
        ("local", "address"), ("device", "string"), ("age", "number"),
        ("rpcrdma_version", "number"), ("version_reason", REASON), ("peer_hint", HINT),
        ("credits_max", "number"), ("credits_granted", "number"), ("credits_used", "number"),
        ("inline_send", "number"), ("inline_recv", "number"), ("own_props", {"set": PROP}),
        ("peer_props", {"set": PROP}), ("remote_invalidation", "bool"), ("read_replies", "bool"),
        ("reads_max", "number"), ("peer_reads_max", "number"), ("sq_size", "number"),
        ("sq_free", "number"), ("traffic_class", "number"), ("call_age", "number"),
        ("call_stage", STAGE), ("path_mtu", "number"), ("path_ack_timeout", "number"),
        ("path_retries", "number"), ("path_rnr_retries", "number"), ("reg_count", "number"),
        ("reg_busy", "number"), ("reg_max", "number"), ("reg_pages", "number"),
        ("mem_receives", "number"), ("mem_calls", "number"), ("mem_replies", "number"),
        ("mem_advertised", "number"), ("mem_kept", "number"), ("count_calls", "number"),
        ("count_read_calls", "number"), ("count_long_calls", "number"),
        ("count_write_calls", "number"), ("count_reply_calls", "number"),
        ("count_read_replies", "number"), ("count_call_bytes", "number"),
        ("count_reply_bytes", "number"), ("count_errors", "number"),
        ("history_connects", "number"), ("history_failures", "number"),
        ("history_error", "number"), ("history_lost", "number"), ("history_reason", LOST),
        ("history_since", "number"), ("history_down", "number"), ("history_tries", "number"),
        ("ended_reason", LOST), ("ended_detail", DETAIL), ("ended_status", "number"),
        ("ended_times", "number"), ("ended_since", "number"), ("ended_lasted", "number"),
        ("ended_calls", "number"), ("ended_count", "number"))
# Attributes with these prefixes are grouped under these names.
GROUPS = {"path": "path", "reg": "registrations", "mem": "memory", "count": "counters",
          "history": "history", "ended": "ended"}
CTRL = (("family_id", "u16"),)


class Error(Exception):
    """An error that is shown to the operator in one line."""


def attributes(data):
    """Yield (type, payload) of each attribute in data."""
    at = 0
    while at + 4 <= len(data):
        length, kind = struct.unpack_from("=HH", data, at)
        if length < 4 or at + length > len(data):
            raise Error("the kernel sent a malformed attribute")
        yield kind & NLA_TYPE_MASK, data[at + 4:at + length]
        at += (length + 3) & ~3


def address(data):
    """A struct sockaddr_in or sockaddr_in6"""
    family, = struct.unpack_from("=H", data)
    port, = struct.unpack_from(">H", data, 2)
    ip = data[4:8] if family == socket.AF_INET else data[8:24]
    found = {"ip": str(ipaddress.ip_address(ip))}
    if port:
        found["port"] = port
    if family == socket.AF_INET6 and any(data[24:28]):
        found["scope"], = struct.unpack_from("=I", data, 24)
    return found


def value(kind, data):
    """The value of one attribute."""
    if isinstance(kind, dict):
        return decode(kind["set"], data)
    if kind == "string":
        return data.rstrip(b"\0").decode("ascii", "replace")
    if kind == "address":
        return address(data)
    number, = struct.unpack("=H" if kind == "u16" else "=q", data)
    if isinstance(kind, tuple):
        return kind[number] if 0 <= number < len(kind) else "unknown-%d" % number
    return bool(number) if kind == "bool" else number


def place(name):
    """(group of an attribute or None, its name in the group)"""
    group, _, inner = name.partition("_")
    return (GROUPS[group], inner) if group in GROUPS else (None, name)


def decode(table, data):
    """A dictionary of the attributes in data that are in the table."""
    found = {}
    for kind, payload in attributes(data):
        if not 1 <= kind <= len(table):
            continue
        name, how = table[kind - 1]
        group, inner = place(name)
        where = found if group is None else found.setdefault(group, {})
        try:
            where[inner] = value(how, payload)
        except (struct.error, ValueError):
            raise Error("the kernel sent %s in an unknown format" % name) from None
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
            raise Error("the kernel sent a malformed message")
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


def loaded(side):
    """Is the module of a side loaded?"""
    return os.path.isdir("/sys/module/" + MODULES[side])


def dump(command, sides, genl=None):
    """The answers of these sides, and the sides whose module is loaded."""
    own = genl is None
    genl = genl or Genl()
    found, present = [], []
    try:
        number = genl.family(FAMILY)
        if number is not None:
            present = [side for side in sides if loaded(side)]
            found = [decode(CONN, answer) for answer in
                     genl.request(number, command, FAMILY_VERSION, b"", NLM_F_DUMP)]
    except OSError as error:
        # The modules were unloaded in the meantime, or are being unloaded.
        if error.errno not in (errno.ENOENT, errno.EPROTONOSUPPORT):
            raise Error("netlink: %s" % error.strerror) from None
        present = []
    finally:
        if own:
            genl.close()
    return sorted((one for one in found if one["side"] in sides),
                  key=lambda one: one["side"]), present


def ended(sides=SIDE, genl=None):
    """The ended connections of these sides, the latest last; and {side: {reason: number}}."""
    ends, present = dump(CMD_ENDED_GET, sides, genl)
    totals = {side: {end["ended"]["reason"]: end["ended"].get("count", 0)
                     for end in ends if end["side"] == side} for side in present}
    return sorted(ends, key=lambda end: -end["ended"].get("since", 0)), totals


def connections(sides=SIDE, genl=None):
    """All connections of these sides, and the sides whose module is loaded."""
    return dump(CMD_CONN_GET, sides, genl)
