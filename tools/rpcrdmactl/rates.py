# SPDX-License-Identifier: GPL-2.0-only
"""Rates: what has been counted between two looks."""

import json
import sys
import time


def between(before, after, elapsed):
    """Each connection of @after with its rates; those that are new have been counted from 0."""
    known = {(conn["side"], conn["id"]): conn.get("counters", {}) for conn in before}
    lines = []
    for conn in after:
        old = known.get((conn["side"], conn["id"]), {})
        rates = {kind: max(number - old.get(kind, 0), 0) / elapsed
                 for kind, number in conn.get("counters", {}).items()}
        lines.append(dict(conn, rates=rates))
    return lines


def by_client(lines):
    """Sums over the connections of each client, the busiest first."""
    clients = {}
    for line in lines:
        ip = line.get("peer", {}).get("ip", "?")
        entry = clients.setdefault(ip, {"client": ip, "connections": 0, "memory": 0, "rates": {}})
        entry["connections"] += 1
        entry["memory"] += sum(line.get("memory", {}).values())
        for kind, rate in line["rates"].items():
            entry["rates"][kind] = entry["rates"].get(kind, 0) + rate
    return sorted(clients.values(), key=lambda entry: (-entry["rates"].get("calls", 0),
                                                       entry["client"]))


def loop(gather, args, view, summarize=lambda lines: lines):
    """Print rates once per interval; with --json, one line of JSON each."""
    before, began, left = gather(), time.monotonic(), args.count
    while left is None or left > 0:
        time.sleep(args.interval)
        after, now = gather(), time.monotonic()
        lines = summarize(between(before, after, now - began))
        if args.json:
            print(json.dumps(lines), flush=True)
        else:
            print(view(lines) + "\n", flush=True)
        sys.stdout.flush()
        before, began = after, now
        if left is not None:
            left -= 1
