# SPDX-License-Identifier: GPL-2.0-only
"""The parts that drawings as SVG are made of: they can be read on a light and on a dark page."""
from xml.sax.saxutils import escape, quoteattr

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
# The same transport has the same colour everywhere.
OURS, INTREE, TCP = "#2f81f7", "#8b949e", "#d29922"


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
