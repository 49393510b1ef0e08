# SPDX-License-Identifier: GPL-2.0-only
"""mountstats.py FOLDER < /proc/self/mountstats: what a monitoring agent makes of a mount.

The rules are those of prometheus/procfs, the library of node_exporter: numbers are unsigned
and of 64 bits; "xprt: rdma" has 20 to 28 of them, "bytes" 8, "events" 27, and each operation
at least 8; per-op statistics end with an empty line. One number that breaks a rule, of any
mount, and the agent reports nothing at all. Prints NAME=VALUE, or fails and says why.
"""
import re
import sys

XPRT = ["port", "bind", "connect", "connect_idle_time", "idle_time_seconds", "sends",
        "receives", "bad_transaction_ids", "cumulative_active_requests",
        "cumulative_backlog", "read_chunks", "write_chunks", "reply_chunks",
        "total_rdma_request", "total_rdma_reply", "pullup", "fixup", "hardway",
        "failed_marshal", "bad_reply", "nomsg_call", "mrs_recycled", "mrs_orphaned",
        "mrs_allocated", "local_inv_needed", "empty_sendctx_q", "reply_waits_for_send"]
COUNTS = {"bytes:": (8, 8), "events:": (27, 27), "rdma": (20, 28), "tcp": (13, 13),
          "udp": (10, 10)}


def numbers(what, texts, least, most):
    """Unsigned numbers of 64 bits, not fewer and not more than that."""
    if not least <= len(texts) <= most:
        sys.exit(f"{what}: {len(texts)} numbers, {least} to {most} are understood")
    for text in texts:
        if not re.fullmatch("[0-9]+", text) or int(text) >= 1 << 64:
            sys.exit(f"{what}: {text} is no unsigned number of 64 bits")
    return [int(text) for text in texts]


def xprt(words):
    """A transport's line; only RDMA's numbers are named."""
    if words[0] not in ("rdma", "tcp", "udp"):
        sys.exit(f"xprt: protocol {words[0]} is not known")
    got = numbers("xprt: " + words[0], words[1:], *COUNTS[words[0]])
    return dict(zip(XPRT, got)) if words[0] == "rdma" else {}


def operations(lines):
    """Up to the empty line: the requests of each operation."""
    found = {}
    for line in lines:
        words = line.split()
        if not words:
            return found
        found["ops_" + words[0].rstrip(":")] = numbers(words[0], words[1:], 8, 99)[0]
    sys.exit("the per-op statistics do not end with an empty line")


def mounts(lines):
    """Of each NFS mount: its folder, and its numbers."""
    lines = iter(lines)
    folder = None
    for line in lines:
        words = line.split()
        if words[:1] == ["device"]:
            folder, found = words[4], {}
            if len(words) < 8 or words[6] != "fstype" and words[5] != "with":
                sys.exit(f"device: {line}")
        elif words[:1] == ["xprt:"]:
            found.update(xprt(words[1:]))
        elif words[:1] and words[0] in ("bytes:", "events:"):
            found[words[0][:-1]] = len(numbers(words[0], words[1:], *COUNTS[words[0]]))
        elif words[:2] == ["per-op", "statistics"]:
            found.update(operations(lines))
            yield folder, found


def main():
    """Print what is found of one mount."""
    for folder, found in mounts(sys.stdin.read().split("\n")):
        if folder == sys.argv[1]:
            for name, value in found.items():
                print(f"{name}={value}")
            return
    sys.exit(f"no mount on {sys.argv[1]}")


main()
