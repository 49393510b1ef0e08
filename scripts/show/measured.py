# SPDX-License-Identifier: GPL-2.0-only
"""What the guests of the demonstration have measured, as scripts/demo-measure writes it.

Two kinds of lines, separated by blanks, in any order:

	speed TRANSPORT VERSION write|read BYTES MILLISECONDS
	count TRANSPORT VERSION WORKLOAD NAME VALUE

"speed" is one piece of the file; VERSION is that of NFS; "count" is how much a counter of the
client's has grown during a workload.
"""
import statistics

TRANSPORTS = [("ours", "ours"), ("intree", "in-tree"), ("tcp", "TCP"),
              ("tcp-intree", "TCP in the other guest")]
VERSIONS = ["4.2", "4.1", "4.0", "3"]
DIRECTIONS = ["write", "read"]
WORKLOADS = ["file", "small"]
# How data travels that is not inline, and the counters of each: of segments, and of bytes.
KINDS = [("Read", "read_segments", "read_chunk_bytes"),
         ("Write", "write_segments", None),
         ("Reply", "reply_segments", "rdma_reply_bytes"),
         ("server's Read", "replies_read", "replies_read_bytes")]
COUNTERS = {"rpcs", "call_bytes", "reply_bytes"} | {
    name for kind in KINDS for name in kind[1:] if name}
MIB = 1 << 20


class Error(Exception):
    """What was measured cannot be read, or is not enough."""


class Counts(dict):
    """Counters of one workload: {name: value}; those that are missing are 0."""

    def __missing__(self, name):
        return 0

    def segments(self):
        """[(kind, segments)] of the memory that was advertised."""
        return [(kind, self[counter]) for kind, counter, _ in KINDS]

    def moved(self):
        """(bytes in transport messages, bytes in advertised memory); None if not all of these
        were counted."""
        if "read_chunk_bytes" not in self:
            return None
        registered = sum(self[counter] for _, _, counter in KINDS if counter)
        return max(self["call_bytes"] + self["reply_bytes"] - registered, 0), registered


class Measured:
    """All that was measured: pieces of the file, and counters."""

    def __init__(self):
        self.pieces, self.counts = {}, {}

    def add(self, line):
        """One line of a file; ValueError if it is none."""
        kind, transport, version, what, *rest = line.split()
        if transport not in dict(TRANSPORTS) or version not in VERSIONS:
            raise ValueError("no such transport or version")
        if kind == "speed" and what in DIRECTIONS:
            size, took = map(int, rest)
            if size <= 0 or took < 0:
                raise ValueError("no such size or time")
            # A clock of milliseconds may not have seen any pass.
            self.pieces.setdefault((transport, version, what), []).append(
                size / MIB / (max(took, 1) / 1000))
        elif kind == "count" and what in WORKLOADS:
            name, value = rest
            if name not in COUNTERS:
                raise ValueError("no such counter")
            self.counts.setdefault((transport, version, what), Counts())[name] = int(value)
        else:
            raise ValueError("no such measurement")

    def read(self, name):
        """All lines of a file."""
        try:
            with open(name, encoding="ascii") as file:
                for number, line in enumerate(file, 1):
                    try:
                        self.add(line)
                    except ValueError as error:
                        raise Error(f"{name}:{number}: {error}: {line.strip()}") from error
        except (OSError, UnicodeDecodeError) as error:
            raise Error(f"{name}: {error}") from error
        return self

    def speed(self, transport, version, direction):
        """MiB/s of the middle one of the pieces, or None."""
        pieces = self.pieces.get((transport, version, direction))
        return statistics.median(pieces) if pieces else None

    def speeds(self):
        """[(version, [(transport, {direction: MiB/s})])] of the transports side by side."""
        found = []
        for version in VERSIONS:
            row = [(name, {d: self.speed(name, version, d) for d in DIRECTIONS})
                   for name in ("ours", "intree", "tcp")]
            row = [(name, speed) for name, speed in row if None not in speed.values()]
            if row:
                found.append((version, row))
        return found

    def loads(self):
        """[(version, workload, [(transport, Counts)])] of the two RDMA transports."""
        found = []
        for workload in WORKLOADS:
            for version in VERSIONS:
                row = [(name, self.counts[(name, version, workload)])
                       for name in ("ours", "intree") if (name, version, workload) in self.counts]
                if row:
                    found.append((version, workload, row))
        return found

    def scatter(self):
        """How far the pieces of one copy are apart, in percent: the middle one of all copies."""
        apart = [100 * (max(p) - min(p)) / statistics.median(p) for p in self.pieces.values()]
        return statistics.median(apart) if apart else None

    def spread(self):
        """How far TCP in the other guest is from TCP in the first, in percent, or None."""
        apart = []
        for version in VERSIONS:
            for direction in DIRECTIONS:
                here, there = (self.speed(name, version, direction)
                               for name in ("tcp", "tcp-intree"))
                if here and there:
                    apart.append(100 * abs(there - here) / max(here, there))
        return max(apart) if apart else None
