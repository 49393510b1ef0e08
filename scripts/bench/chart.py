# SPDX-License-Identifier: GPL-2.0-only
"""Draws instructions per operation, relative to the in-tree transport, as an SVG."""
from xml.sax.saxutils import escape, quoteattr

WIDTH, LEFT, RIGHT, TOP = 780, 120, 150, 64
BAR, GAP = 9, 9
SERIES = [("in-tree", "in-tree", "#8b949e"), ("ours v2", "this project", "#2f81f7"),
          ("tcp", "TCP", "#d29922")]
CAPTION = "counted in one emulated guest with soft-RoCE; runs differ by 1%, a few by 3%"
# It can be read on a light and on a dark page.
STYLE = """
	text { font: 12px system-ui, sans-serif; fill: #1f2328 }
	.small { font-size: 11px; fill: #59636e }
	.title { font-size: 14px; font-weight: 600 }
	.grid { stroke: #59636e; stroke-opacity: .3 }
	@media (prefers-color-scheme: dark) {
		text { fill: #f0f6fc }
		.small { fill: #9198a1 }
		.grid { stroke: #9198a1 }
	}
"""


def text(x, y, words, css="", anchor="start"):
    """A line of text."""
    return (f'<text x="{x:.0f}" y="{y:.0f}" class="{css}" text-anchor="{anchor}">'
            f"{escape(words)}</text>")


def bar(x, y, width, height, colour):
    """A bar; the one below or behind it begins one pixel further on."""
    return (f'<rect x="{x:.0f}" y="{y}" width="{width:.1f}" height="{height - 1}" '
            f'rx="1" fill="{colour}"/>')


def line(x, top, bottom):
    """A vertical line behind the bars."""
    return f'<line x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{bottom}" class="grid"/>'


def legend(items, x, y):
    """What the colours of [(label, colour)] mean, in a line of text at y."""
    parts = []
    for label, colour in items:
        parts.append(f'<rect x="{x}" y="{y - 9}" width="10" height="10" fill="{colour}"/>')
        parts.append(text(x + 15, y, label, "small"))
        x += 30 + 7 * len(label)
    return parts


def document(label, width, height, parts):
    """A drawing of that size; label is for those who cannot see it."""
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-label={quoteattr(label)}>',
        f"<style>{STYLE}</style>", *parts, "</svg>", ""])


def number(insns):
    """117,621 as 118k, 6,150,000 as 6.15M."""
    return f"{insns / 1e6:.2f}M" if insns >= 1e6 else f"{insns / 1e3:.0f}k"


def group(op, values, y, scale):
    """The bars of one operation, and the numbers next to them."""
    parts = [text(LEFT - 10, y + 1.9 * BAR, op, "", "end")]
    base = values["in-tree"]
    for i, (name, _, colour) in enumerate(SERIES):
        if name in values:
            parts.append(bar(LEFT, y + i * BAR, scale * values[name] / base, BAR, colour))
    label = f"{number(values['ours v2'])} of {number(base)}"
    share = f"{100 * values['ours v2'] / base:.0f}%"
    parts.append(text(WIDTH - RIGHT + 12, y + 1.9 * BAR, share))
    parts.append(text(WIDTH - RIGHT + 52, y + 1.9 * BAR, label, "small"))
    return parts


def draw(rows):
    """The SVG of rows: [(operation, {transport: instructions})]."""
    rows = [r for r in rows if "in-tree" in r[1] and "ours v2" in r[1]]
    longest = max((v[s[0]] / v["in-tree"] for _, v in rows for s in SERIES if s[0] in v),
                  default=1)
    scale = (WIDTH - LEFT - RIGHT) / longest
    height = TOP + len(rows) * (3 * BAR + GAP) + 24
    parts = [text(10, 20, "Instructions per NFS operation, client and server together, "
                  "relative to the in-tree transport", "title"),
             *legend([s[1:] for s in SERIES], LEFT, 45),
             text(WIDTH - 10, 45, CAPTION, "small", "end")]
    bottom = height - 22
    for share in (0.25, 0.5, 0.75, 1):
        x = LEFT + scale * share
        parts.append(line(x, TOP - 6, bottom))
        parts.append(text(x, bottom + 14, f"{100 * share:.0f}%", "small", "middle"))
    for i, (op, values) in enumerate(rows):
        parts += group(op, values, TOP + i * (3 * BAR + GAP), scale)
    return document("Instructions per NFS operation, relative to in-tree", WIDTH, height, parts)
