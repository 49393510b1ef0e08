# SPDX-License-Identifier: GPL-2.0-only
"""Draws instructions per operation, relative to the in-tree transport, as an SVG."""
import os
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "show"))

import svg    # noqa: E402, pylint: disable=wrong-import-position

WIDTH, LEFT, RIGHT, TOP = 780, 120, 150, 64
BAR, GAP = 9, 9
SERIES = [("in-tree", "in-tree", svg.INTREE), ("ours v2", "this project", svg.OURS),
          ("tcp", "TCP", svg.TCP)]


def number(insns):
    """117,621 as 118k, 6,150,000 as 6.15M."""
    return f"{insns / 1e6:.2f}M" if insns >= 1e6 else f"{insns / 1e3:.0f}k"


def group(op, values, y, scale):
    """The bars of one operation, and the numbers next to them."""
    parts = [svg.text(LEFT - 10, y + 1.9 * BAR, op, "", "end")]
    base = values["in-tree"]
    for i, (name, _, colour) in enumerate(SERIES):
        if name in values:
            parts.append(svg.bar(LEFT, y + i * BAR, scale * values[name] / base, BAR, colour))
    label = f"{number(values['ours v2'])} of {number(base)}"
    share = f"{100 * values['ours v2'] / base:.0f}%"
    parts.append(svg.text(WIDTH - RIGHT + 12, y + 1.9 * BAR, share))
    parts.append(svg.text(WIDTH - RIGHT + 52, y + 1.9 * BAR, label, "small"))
    return parts


def draw(rows):
    """The SVG of rows: [(operation, {transport: instructions})]."""
    rows = [r for r in rows if "in-tree" in r[1] and "ours v2" in r[1]]
    longest = max((v[s[0]] / v["in-tree"] for _, v in rows for s in SERIES if s[0] in v),
                  default=1)
    scale = (WIDTH - LEFT - RIGHT) / longest
    height = TOP + len(rows) * (3 * BAR + GAP) + 24
    parts = [svg.text(10, 20, "Instructions per NFS operation, client and server together, "
                      "relative to the in-tree transport", "title"),
             *svg.legend([s[1:] for s in SERIES], LEFT, 45)]
    bottom = height - 22
    for share in (0.25, 0.5, 0.75, 1):
        x = LEFT + scale * share
        parts.append(svg.line(x, TOP - 6, bottom))
        parts.append(svg.text(x, bottom + 14, f"{100 * share:.0f}%", "small", "middle"))
    for i, (op, values) in enumerate(rows):
        parts += group(op, values, TOP + i * (3 * BAR + GAP), scale)
    return svg.document("Instructions per NFS operation, relative to in-tree", WIDTH, height,
                        parts)
