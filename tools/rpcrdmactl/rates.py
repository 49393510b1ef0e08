# SPDX-License-Identifier: GPL-2.0-only
"""Rates: the growth of counters between two samples.

NFS counts operations and bytes of mounts, nfsd those of the server. The modules count calls and
chunks of connections: a READ has a Write chunk, and a WRITE a Read chunk, unless the data fits
inline.
"""

import datetime
import json
import os
import shutil
import sys
import time

import mounts
from tunables import read
from views import address, columns, name, oldest, size, state

# Seconds between samples of the calls in progress; calls in all samples that are enough for a mean
STEP, ENOUGH = 0.02, 10
# In /proc/net/rpc/nfsd: the indexes of READ and WRITE, after the number of values
NFSD = {"proc3": (6, 7), "proc4ops": (25, 38)}


def of_mount(mount):
    """NFS's counters of a mount"""
    ops = mount["operations"]

    def total(kind, *names):
        return sum(op[kind] for name, op in ops.items() if not names or name in names)

    return {"operations": total("count"), "reads": total("count", "READ", "READ_PLUS"),
            "writes": total("count", "WRITE"), "read_bytes": mount["read_bytes"],
            "write_bytes": mount["write_bytes"], "seconds": total("ms") / 1000,
            "resent": sum(max(op["sent"] - op["count"], 0) for op in ops.values())}


def of_nfsd(roots):
    """nfsd's counters, for all transports; None if nfsd has not run."""
    lines = {name: list(map(int, fields)) for name, *fields in map(str.split, (
        read(os.path.join(roots.proc, "net/rpc/nfsd")) or "").splitlines())
        if name in ("io", "rpc", *NFSD)}
    if not lines.get("rpc") or len(lines.get("io", ())) < 2:
        return None
    reads, writes = (sum(lines[kind][1 + numbers[i]] for kind, numbers in NFSD.items()
                         if len(lines.get(kind, ())) > 1 + numbers[i]) for i in (0, 1))
    return {"operations": lines["rpc"][0], "reads": reads, "writes": writes,
            "read_bytes": lines["io"][0], "write_bytes": lines["io"][1]}


def nfs(found, args, roots):
    """NFS's counters of the selected mounts, and nfsd's counters"""
    lines, narrow = [], args.mount or args.server or args.device
    if args.side != "server":
        lines = [{"side": "client", "id": mount["mount"], "server": mount["server"],
                  "counters": of_mount(mount)} for mount in mounts.chosen(args, roots)
                 if not args.device or any(mounts.uses(mount, conn) for conn in found)]
    counted = of_nfsd(roots) if args.side != "client" and not narrow else None
    return lines + ([{"side": "server", "id": "nfsd", "counters": counted}] if counted else [])


def between(before, after, elapsed):
    """Each line of @after with its rates; new lines are counted from 0."""
    known = {(line["side"], line["id"]): line.get("counters", {}) for line in before}
    lines = []
    for line in after:
        old = known.get((line["side"], line["id"]), {})
        rates = {kind: max(number - old.get(kind, 0), 0) / elapsed
                 for kind, number in line.get("counters", {}).items()}
        lines.append(dict(line, rates=rates))
    return lines


def pause(_, interval):
    """Wait for the end of the interval."""
    time.sleep(interval)
    return 0, {}


def look_often(gather, interval):
    """Sample the calls in progress until the end of the interval. Return the number of samples, and
    {connection: sum of calls in progress}."""
    seen, looks, end = {}, 0, time.monotonic() + interval
    while time.monotonic() < end:
        began = time.monotonic()
        for conn in gather():
            key = conn["side"], conn["id"]
            seen[key] = seen.get(key, 0) + conn.get("credits_used", 0)
        looks += 1
        # Sampling takes at most a tenth of the time.
        step = max(STEP, 10 * (time.monotonic() - began))
        time.sleep(max(0, min(began + step, end) - time.monotonic()))
    return looks, seen


def latency(busy, calls):
    """Milliseconds per call: the mean number in progress, divided by the number per second"""
    return round(1000 * busy / calls, 3) if busy and calls else None


def frames(gather, args, roots, wait=pause):
    """Yield the rates of each interval."""
    def look():
        found = gather()
        return time.monotonic(), found, nfs(found, args, roots)

    before, left = look(), args.count
    while left is None or left > 0:
        looks, seen = wait(gather, args.interval)
        after = look()
        elapsed = after[0] - before[0]
        found, lines = (between(before[i], after[i], elapsed) for i in (1, 2))
        for line in lines:
            line["latency_ms"] = latency(line["rates"].pop("seconds", None),
                                         line["rates"]["operations"])
        for conn in found if looks else ():
            conn["seen"] = seen.get((conn["side"], conn["id"]), 0)
        now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
        yield {"time": now, "seconds": round(elapsed, 3), "looks": looks, "nfs": lines,
               "connections": found}
        before, left = after, left and left - 1


def summary(who, conns, looks):
    """The sum of connections as one line. Calls have Read chunks for data; replies have Write
    chunks, or, with krb5i and krb5p, Reply chunks."""
    counted = {}
    for conn in conns:
        for kind, rate in conn["rates"].items():
            counted[kind] = counted.get(kind, 0) + rate
    seen = sum(conn.get("seen", 0) for conn in conns)
    rates = {ours: sum(counted.get(kind, 0) for kind in theirs) for ours, theirs in (
        ("operations", ["calls"]), ("reads", ["write_calls", "reply_calls"]),
        ("read_bytes", ["reply_bytes"]), ("writes", ["read_calls"]),
        ("write_bytes", ["call_bytes"]))}
    return {"client": who, "connections": len(conns), "rates": rates,
            "latency_ms": latency(seen >= ENOUGH and seen / looks, rates["operations"]),
            "credits_used": sum(conn.get("credits_used", 0) for conn in conns),
            "memory": sum(sum(conn.get("memory", {}).values()) for conn in conns)}


def by_client(frame):
    """The clients of a frame, the busiest first, and their total"""
    clients, found, looks = {}, frame.pop("connections"), frame.pop("looks")
    for conn in found:
        clients.setdefault(conn.get("peer", {}).get("ip", "?"), []).append(conn)
    lines = [summary(ip, conns, looks) for ip, conns in clients.items()]
    frame.update(total=summary("total", found, looks), clients=sorted(
        lines, key=lambda line: (-line["rates"]["operations"], line["client"])))
    del frame["nfs"]
    return frame


def cells(line):
    """Rates as columns of text"""
    rate, time_of = line["rates"], line["latency_ms"]
    return ("%.0f" % rate["operations"],
            "%.0f" % rate["reads"], "%.1f" % (rate["read_bytes"] / 1e6),
            "%.0f" % rate["writes"], "%.1f" % (rate["write_bytes"] / 1e6),
            "-" if time_of is None else "%.2f" % time_of)


CELLS = ("OPS/s", "READ/s", "MB/s", "WRITE/s", "MB/s", "LATENCY")


CHUNKS = {"CALLS/s": "calls", "READ-CHUNKS/s": "read_calls", "WRITE-CHUNKS/s": "write_calls",
          "REPLY-CHUNKS/s": "reply_calls", "ERRORS/s": "errors"}


def watch(frame):
    """Mounts and nfsd, then connections"""
    rows = [("MOUNT", "SERVER", *CELLS, "RESENT/s")]
    for line in frame["nfs"]:
        resent = line["rates"].get("resent")
        rows.append((line["id"], line.get("server", "-"), *cells(line),
                     "-" if resent is None else "%.0f" % resent))
    links = [("NAME", "PEER", "STATE", *CHUNKS, "CREDITS", "OLDEST CALL")]
    for conn in frame["connections"]:
        links.append((name(conn), address(conn.get("peer")), state(conn),
                      *("%.0f" % conn["rates"].get(kind, 0) for kind in CHUNKS.values()),
                      "%d/%s" % (conn.get("credits_used", 0), conn.get("credits_granted", "-")),
                      oldest(conn)))
    return "\n\n".join(columns(part) for part in (rows, links) if len(part) > 1) or "no connections"


def top(frame):
    """Clients, the busiest first"""
    return columns([("CLIENT", "CONNECTIONS", *CELLS, "BUSY", "MEMORY")] + [
        (line["client"], str(line["connections"]), *cells(line), str(line["credits_used"]),
         size(line["memory"])) for line in frame["clients"] + [frame["total"]]])


def show(found, args, view):
    """Print frames as lines of JSON, in place on a terminal, or one after the other."""
    for frame in found:
        text = json.dumps(frame) if args.json else "%s\n%s\n" % (frame["time"], view(frame))
        if not args.json and sys.stdout.isatty():
            width, height = shutil.get_terminal_size()
            lines = [line[:width] for line in text.splitlines()[:height - 1]]
            # Cursor home; clear to the end of each line, and below the last one
            text = "\x1b[H" + "".join(line + "\x1b[K\n" for line in lines) + "\x1b[J"
            print(text, end="", flush=True)
        else:
            print(text, flush=True)
