# SPDX-License-Identifier: GPL-2.0-only
"""Draws what the guests of the demonstration have measured as an SVG: three panels."""
import svg
from measured import DIRECTIONS, KINDS, MIB

WIDTH, LEFT, RIGHT = 780, 150, 20
BAR, GAP, LINE = 11, 10, 16
NAMES = {"ours": "this project", "intree": "in-tree", "tcp": "TCP"}
COLOURS = {"ours": svg.OURS, "intree": svg.INTREE, "tcp": svg.TCP}
KIND_COLOURS = [svg.OURS, svg.TCP, "#bf4b8a", "#3fb950"]
INLINE_COLOURS = ["#3fb950", svg.TCP]
LOAD = {"file": "large file", "small": "small files"}


class Page:
    """Grows from top to bottom."""

    def __init__(self):
        self.parts, self.y = [], 6

    def title(self, words, items):
        """Begin a panel: its title, and what the colours of items mean."""
        self.y += 20
        self.parts.append(svg.text(10, self.y, words, "title"))
        self.y += 20
        self.parts += svg.legend(items, LEFT, self.y)
        self.y += 12

    def text(self, words):
        """A line of small text."""
        self.y += LINE
        self.parts.append(svg.text(10, self.y, words, "small"))

    def row(self, label, bars, words):
        """Bars one behind the other at their own x: [(x, width, colour)], then text."""
        if label:
            self.parts.append(svg.text(LEFT - 10, self.y + 0.85 * BAR, label, "", "end"))
        for x, width, colour in bars:
            self.parts.append(svg.bar(x, self.y, width, BAR, colour))
        for x, word in words:
            self.parts.append(svg.text(x, self.y + 0.85 * BAR, word, "small"))
        self.y += BAR

    def gap(self):
        """Room between groups."""
        self.y += GAP


def speeds(page, measured):
    """The first panel: to the server on the left, back on the right."""
    rows = measured.speeds()
    page.title("Throughput of a large file, MiB/s",
               [(NAMES[name], colour) for name, colour in COLOURS.items()])
    half = (WIDTH - LEFT - RIGHT) / 2
    starts = dict(zip(DIRECTIONS, (LEFT, LEFT + half)))
    for direction, words in zip(DIRECTIONS, ("to the server", "back")):
        page.parts.append(svg.text(starts[direction], page.y + LINE - 6, words, "small"))
    page.y += LINE
    longest = max(speed[d] for _, row in rows for _, speed in row for d in DIRECTIONS)
    for version, row in rows:
        for number, (name, speed) in enumerate(row):
            width = {d: (half - 50) * speed[d] / longest for d in DIRECTIONS}
            page.row(f"NFSv{version}" if number == 0 else "",
                     [(starts[d], width[d], COLOURS[name]) for d in DIRECTIONS],
                     [(starts[d] + width[d] + 5, f"{speed[d]:.0f}") for d in DIRECTIONS])
        page.gap()


def parts(values, scale, colours):
    """[(x, width, colour)] of the parts of one bar that are not empty."""
    shown, x = [], LEFT
    for value, colour in zip(values, colours):
        if value:
            shown.append((x, value * scale, colour))
        x += value * scale
    return shown, x


def groups(page, rows, values, colours, words, longest=None):
    """One bar of parts for each transport of each row."""
    room = WIDTH - LEFT - RIGHT - 240
    for version, workload, row in rows:
        page.parts.append(svg.text(LEFT, page.y + 10, f"NFSv{version}, {LOAD[workload]}", "small"))
        page.y += LINE
        for name, counts in row:
            found = values(counts)
            if found is None:
                page.row(NAMES[name], [], [(LEFT, "not counted by this kernel")])
                continue
            whole = longest or sum(found)
            bars, end = parts(found, room / whole if whole else 0, colours)
            page.row(NAMES[name], bars, [(end + 6, words(counts))])
        page.gap()


def kinds(counts):
    """The numbers next to a bar of the second panel."""
    named = [f"{kind} {n:,}" for kind, n in counts.segments() if n]
    return (", ".join(named) or "none") + f"; {counts['rpcs']:,} RPCs"


def shares(counts):
    """The numbers next to a bar of the third panel."""
    inline, registered = counts.moved()
    return f"{inline / MIB:.2f} MiB inline, {registered / MIB:.2f} MiB registered"


def draw(measured, machine):
    """The drawing as text."""
    page = Page()
    speeds(page, measured)
    rows = measured.loads()
    if rows:
        page.title("Chunks: segments of memory that were advertised, by kind",
                   [(kind, colour) for (kind, _, _), colour in zip(KINDS, KIND_COLOURS)])
        longest = max(sum(n for _, n in counts.segments())
                      for _, _, row in rows for _, counts in row)
        groups(page, rows, lambda counts: [n for _, n in counts.segments()], KIND_COLOURS, kinds,
               longest)
        page.title("Bytes of RPCs: inline, or in registered memory",
                   list(zip(("inline", "registered"), INLINE_COLOURS)))
        groups(page, rows, lambda counts: counts.moved(), INLINE_COLOURS, shares)
    page.text(f"Measured in {machine}, over soft-RoCE and the loopback device: compare bars, "
              "not numbers.")
    return svg.document("Throughput, chunks and inline bytes of the demonstration", WIDTH,
                        page.y + 12, page.parts)
