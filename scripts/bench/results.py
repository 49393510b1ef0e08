# SPDX-License-Identifier: GPL-2.0-only
"""Reads the benchmark's results: the output of ops, and the counts of the plugin count.c between
two marks, with the guest's symbols."""
import bisect
import os
import re
from statistics import mean

KERNEL_TEXT = 0xffffffff80000000
OWN = ["rpcrdma_core", "xprtrdma", "svcrdma", "rpcrdma"]

# Calls of these functions are counted. soft-RoCE calls do_complete() once for each Work Request of
# a Send Queue, and post_one_recv() once for each Work Request of a Receive Queue.
COUNTERS = {
    "rpcs": ["sunrpc:call_start"],
    "switches": ["vmlinux:__switch_to"],
    "wakeups": ["vmlinux:try_to_wake_up"],
    "lock waits": ["vmlinux:native_queued_spin_lock_slowpath"],
    "work items": ["vmlinux:process_one_work"],
    "send WRs": ["rdma_rxe:do_complete"],
    "recv WRs": ["rdma_rxe:post_one_recv"],
    "doorbells": ["rdma_rxe:rxe_post_send", "rdma_rxe:rxe_post_recv",
                  "rdma_rxe:rxe_post_srq_recv"],
    "completions": ["rdma_rxe:rxe_cq_post"],
    "packets": ["rdma_rxe:rxe_xmit_packet", "vmlinux:loopback_xmit"],
    "regions": ["rdma_rxe:rxe_map_mr_sg"],
    "cleared": ["vmlinux:clear_page_erms", "vmlinux:clear_page_rep",
                "vmlinux:clear_page_orig", "vmlinux:clear_highpages_kasan_tagged"],
}


def read_symbols(path):
    """{address: (module, function)}, in order, from a copy of /proc/kallsyms."""
    names = {}
    with open(path, encoding="ascii", errors="replace") as file:
        for address, kind, name, *module in map(str.split, file):
            address = int(address, 16)
            old = names.get(address, ("", "__pfx_"))
            if kind in "tTwW" and address >= KERNEL_TEXT and old[1].startswith(("__pfx_", "__cfi")):
                names[address] = (module[0][1:-1] if module else "vmlinux", name)
    return dict(sorted(names.items()))


def function_at(symbols, starts, address):
    """((module, function) at an address, whether the function begins there). @starts: the sorted
    addresses of @symbols"""
    start = starts[max(bisect.bisect_right(starts, address) - 1, 0)]
    key = symbols[start] if address >= start else ("other" if address else "user",) * 2
    return key, address == start


def read_counts(path, symbols, operations):
    """{(module, function): [instructions, calls]} for one operation."""
    functions, starts = {}, list(symbols)
    with open(path, encoding="ascii") as file:
        for line in file:
            address, insns, executed = line.split()
            key, begins = function_at(symbols, starts, int(address, 16))
            entry = functions.setdefault(key, [0, 0])
            entry[0] += int(insns) / operations
            if begins:
                entry[1] += int(executed) / operations
    return functions


def read_lines(path, symbols, operations):
    """[(moves per operation, ["MODULE:FUNCTION" that wrote the line])] of cache lines. A line moves
    when a processor writes it that was not the last to write it."""
    lines, starts = [], list(symbols)
    with open(path, encoding="ascii") as file:
        for line in file:
            _, moves, *writers = line.split()
            names = {":".join(function_at(symbols, starts, int(w, 16))[0]) for w in writers}
            lines.append((int(moves) / operations, sorted(names)))
    return lines


class Measurement:
    """One operation of one guest. functions is None without the plugin, lines with one processor."""

    def __init__(self, fields, nconnect, functions, lines=None):
        self.op, self.depth, self.operations = fields[0], int(fields[1]), int(fields[2])
        self.nconnect = nconnect
        self.functions = functions
        self.lines = lines
        self.insns = int(fields[3])
        if functions:
            self.insns = round(sum(v[0] for v in functions.values()))

    def modules(self):
        """Instructions by module."""
        total = {}
        for (module, _), (insns, _) in self.functions.items():
            total[module] = total.get(module, 0) + insns
        return total

    def calls(self, name):
        """Calls of MODULE:FUNCTION, including clones that the compiler made."""
        module, function = name.split(":")
        return sum(v[1] for (m, f), v in self.functions.items()
                   if m == module and (f == function or f.startswith(function + ".")))

    def own_lines(self):
        """The cache lines that a transport writes."""
        return [line for line in self.lines if any(n.split(":")[0] in OWN for n in line[1])]

    def counters(self):
        """The values of COUNTERS, and the moves of cache lines: of all lines, of those that the
        transport writes, and of the busiest of these."""
        found = {k: sum(self.calls(f) for f in names) for k, names in COUNTERS.items()}
        if self.lines is not None:
            found["lines moved"] = sum(n for n, _ in self.lines)
            found["transport's"] = sum(n for n, _ in self.own_lines())
            found["busiest"] = max([n for n, _ in self.own_lines()], default=0)
        return found


def read_boot(folder):
    """A guest's measurements."""
    path = os.path.join(folder, "kallsyms")
    symbols = read_symbols(path) if os.path.exists(path) else None
    found, nconnect, marked = [], 0, 0
    with open(os.path.join(folder, "output"), encoding="utf-8", errors="replace") as file:
        for line in file:
            if m := re.match(r"MOUNT (\d+)|PREPARE", line):
                nconnect = int(m[1] or 0)
            elif m := re.match(r"OP (\S+) (\d+) (\d+) (\d+)", line):
                if nconnect:
                    path, operations = os.path.join(folder, f"count.{marked}"), int(m[3])
                    functions = symbols and read_counts(path, symbols, operations)
                    lines = os.path.exists(path + ".lines") and \
                        read_lines(path + ".lines", symbols, operations)
                    found.append(Measurement(m.groups(), nconnect, functions, lines or None))
                marked += 1
    return found


def means(measurements):
    """{operation: instructions}, the mean of all rounds."""
    values = {}
    for m in measurements:
        values.setdefault(m.op, []).append(m.insns)
    return {op: round(mean(v)) for op, v in values.items()}
