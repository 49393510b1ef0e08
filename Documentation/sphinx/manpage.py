# SPDX-License-Identifier: GPL-2.0-only
"""The directive ``.. manpage:: FILE``: a manual page, with the few macros that ours use."""
import os
import re
import shlex

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList
from sphinx.util.nodes import nested_parse_with_titles

MARKS = {"B": "**", "I": "*", "R": ""}


def plain(text):
    """Text without escapes of roff, and with those of reStructuredText."""
    text = text.replace(r"\-", "-").replace(r"\&", "").replace(r"\e", "\\").replace(r"\(aq", "'")
    return re.sub(r"([\\*`|_])", r"\\\1", text)


def marked(font, text):
    """In a font; blanks stay outside of the marks."""
    core = text.strip()
    mark = MARKS[font] if core else ""
    if not mark:
        return plain(text)
    return text.replace(core, "\\ " + mark + plain(core) + mark + "\\ ", 1)


def inline(line):
    r"""A line of text with \fB, \fI, and \fP or \fR"""
    parts = re.split(r"\\f([BIRP])", line)
    return plain(parts[0]) + "".join(marked(font.replace("P", "R"), text)
                                     for font, text in zip(parts[1::2], parts[2::2]))


def macro(name, rest):
    """One of .B .I .BR .IR ...: fonts in turn for its arguments; two for one font are a phrase."""
    words = shlex.split(rest.replace("\\", "\\\\").replace("'", "\\'"))
    if len(name) == 1:
        return marked(name, " ".join(words))
    fonts = [name[i % 2] for i in range(len(words))]
    return "".join(inline(word) if "\\f" in word else marked(font, word)
                   for font, word in zip(fonts, words))


class Page:
    """Lines of reStructuredText from lines of roff."""

    def __init__(self):
        self.out, self.term, self.literal = [], False, False
        # Of paragraphs, and of the text now
        self.base = self.indent = ""

    def put(self, line):
        line = re.sub(r"(^(\\ )+|(\\ )+$)", "", line)
        self.out.append((self.indent + line).rstrip())

    def request(self, name, rest):
        """A line that begins with a dot."""
        if name in ("TH", '\\"'):
            return
        if name == "SH":
            self.base = self.indent = ""
            title = rest.strip('"').capitalize()
            self.out += ["", title, "=" * len(title), ""]
        elif name == "TP":
            self.indent, self.term = self.base, True
            self.out.append("")
        elif name in ("PP", "IP", "br"):
            # A break is a paragraph here.
            self.indent = self.base if name == "PP" else self.indent
            self.out.append("")
        elif name in ("RS", "RE"):
            self.base = self.indent if name == "RS" else self.base[4:]
            self.indent = self.base
            self.out.append("")
        elif name in ("nf", "EX"):
            self.out += ["", self.indent + "::", ""]
            self.literal = True
        elif name in ("fi", "EE"):
            self.out.append("")
            self.literal = False
        elif set(name) <= set(MARKS):
            self.text(macro(name, rest))
        else:
            raise ValueError(f"manpage.py does not know .{name}")

    def text(self, line):
        self.put(line)
        if self.term:
            self.term, self.indent = False, self.base + "    "

    def read(self, line):
        if line.startswith("."):
            name, _, rest = line[1:].partition(" ")
            self.request(name, rest.strip())
        elif self.literal:
            self.put("    " + line.replace(r"\-", "-").replace(r"\e", "\\"))
        else:
            self.text(inline(line))


class ManPage(Directive):
    """The directive"""

    required_arguments = 1

    def run(self):
        env = self.state.document.settings.env
        path = os.path.join(env.srcdir, self.arguments[0])
        env.note_dependency(path)
        page = Page()
        with open(path, encoding="ascii") as file:
            for line in file:
                page.read(line.rstrip("\n"))
        node = nodes.section()
        node.document = self.state.document
        nested_parse_with_titles(self.state, StringList(page.out, source=path), node)
        return node.children


def setup(app):
    """Called by Sphinx."""
    app.add_directive("manpage", ManPage)
    return {"parallel_read_safe": True}
