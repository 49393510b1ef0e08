# SPDX-License-Identifier: GPL-2.0-only
"""Bars for a terminal: UTF-8 if the locale has it, else ASCII; colours only on a terminal."""
EIGHTHS = " ▏▎▍▌▋▊▉"
# What the parts of a bar are made of, so that they differ without colours, too.
UTF8, ASCII = "█▓▒░", "#=+."
# Blue, grey, yellow, magenta
COLOURS = (34, 90, 33, 35)


def environment():
    """The environment that this program was started with. Python changes LC_CTYPE in its own if
    the locale is C."""
    with open("/proc/self/environ", encoding="utf-8", errors="replace") as file:
        pairs = [entry.partition("=") for entry in file.read().split("\0")]
    return {name: value for name, _, value in pairs if name}


def has_utf8(environ):
    """Whether the locale is a UTF-8 one; the first of these variables that is set counts."""
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        if environ.get(name):
            return environ[name].lower().replace("-", "").partition("@")[0].endswith("utf8")
    return False


def has_colours(stream, environ):
    """Whether the stream is a terminal that has colours, and they are wanted."""
    return stream.isatty() and "NO_COLOR" not in environ and \
        environ.get("TERM", "dumb") != "dumb"


class Bars:
    """How bars are drawn."""

    def __init__(self, utf8, colours):
        self.colours = colours
        self.fill = UTF8 if utf8 else ASCII
        self.eighths = utf8

    @classmethod
    def of(cls, stream):
        """As the stream and the environment want them."""
        environ = environment()
        return cls(has_utf8(environ), has_colours(stream, environ))

    def paint(self, words, colour):
        """In the colour with that number, 0 to 3."""
        if not self.colours or not words:
            return words
        return f"\x1b[{COLOURS[colour]}m{words}\x1b[0m"

    def one(self, value, longest, width, colour=0):
        """A bar for the value; longest fills width. One that is not 0 is seen."""
        cells = width * value / longest if longest else 0
        if self.eighths:
            eighths = max(round(8 * cells), 1 if value else 0)
            shown = self.fill[0] * (eighths // 8) + EIGHTHS[eighths % 8].strip()
        else:
            shown = self.fill[0] * max(round(cells), 1 if value else 0)
        return self.paint(shown, colour) + " " * (width - len(shown))

    def parts(self, values, longest, width):
        """One bar of several parts, one after the other."""
        shown, end, total = "", 0, 0
        for number, value in enumerate(values):
            total += value
            begin, end = end, round(width * total / longest) if longest else 0
            shown += self.paint(self.fill[number] * (end - begin), number)
        return shown + " " * (width - end)

    def key(self, labels):
        """What the parts of a bar mean."""
        return "   ".join(self.paint(self.fill[i], i) + " " + label
                          for i, label in enumerate(labels))
