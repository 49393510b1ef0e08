# SPDX-License-Identifier: GPL-2.0-only
"""Links where a document names another: "tuning.rst", "decisions/04", "tuning.rst, *Many clients*".

The sources stay as they read in an editor, as the kernel's own documents do. A name without a
document, and a section that a document does not have, is a warning of Sphinx.
"""
import posixpath
import re

from docutils import nodes
from sphinx import addnodes

NAMES = re.compile(r"(?<![\w./-])(?:((?:\w[\w-]*/)*\w[\w-]*)\.rst|(decisions/\d\d))\b")
PLAIN = (nodes.literal, nodes.literal_block, nodes.reference, addnodes.pending_xref, nodes.title)


def document(env, match):
    """The document that was named, from the one that names it, or from the top."""
    if match[2]:
        found = [name for name in env.found_docs if name.startswith(match[2] + "-")]
        return found[0] if found else match[0]
    near = posixpath.join(posixpath.dirname(env.docname), match[1])
    return near if near in env.found_docs else match[1]


def reference(env, kind, target, content):
    """What Sphinx resolves when it has read all documents."""
    return addnodes.pending_xref("", content, refdomain="std", reftype=kind, reftarget=target,
                                 refexplicit=False, refwarn=True, refdoc=env.docname)


def section(env, name, text):
    """Make a link of the section's title that follows a document's name."""
    parent = text.parent
    after = parent[parent.index(text) + 1:][:1]
    if after and isinstance(after[0], nodes.emphasis):
        title = " ".join(after[0].astext().split())
        parent.replace(after[0], reference(env, "ref", f"{name}:{title}".lower(),
                                           nodes.inline("", title)))


def linked(env, text):
    """The parts of a text."""
    at, string = 0, text.astext()
    for match in NAMES.finditer(string):
        name = document(env, match)
        yield nodes.Text(string[at:match.start()])
        yield reference(env, "doc", "/" + name, nodes.inline("", match[0]))
        at = match.end()
        if re.fullmatch(r",\s+", string[at:]):
            section(env, name, text)
    yield nodes.Text(string[at:])


def link(app, doctree):
    """In one document that has been read."""
    for text in list(doctree.findall(nodes.Text)):
        if NAMES.search(text) and not isinstance(text.parent, PLAIN):
            parts = [part for part in linked(app.env, text) if part.astext()]
            text.parent.replace(text, parts)


def setup(app):
    """Called by Sphinx."""
    app.connect("doctree-read", link)
    return {"parallel_read_safe": True}
