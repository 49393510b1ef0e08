# SPDX-License-Identifier: GPL-2.0-only
"""Computes the kernel's files after each patch, from the table and this repository's files."""
import os
import re
import subprocess
import textwrap
import tomllib

COMPAT = re.compile(r"^\s*#\s*define\s+(rpcrdma_\w+|RPCRDMA_\w+)", re.M)
READING = re.compile(r"(?<![\w./-])(?!scripts/)[\w./-]*\w\.(?:rst|md)\b")
DOCUMENT = re.compile(r"\bDocumentation/[\w./-]+\.(?:rst|yaml)\b")
FUNCTION = r"(?:/\*(?:(?!\*/).)*\*/\n)?[^\n]*\bNAME\([^;{]*\n{\n.*?\n}\n\n"
# What {WORD NAME} is in the table
WORDS = {"function": [FUNCTION], "case": [FUNCTION, r"\tKUNIT_CASE\(NAME\),\n"],
         "member": [r"\t[\w *]*\bNAME;[^\n]*\n"], "doc": [r" \* @NAME: .*?\n(?= \* @| \*/)"]}
# A comment, or a paragraph of one, about other kernels
OTHERS = re.compile(r"/\*\n \* On some kernels,(?:(?!\*/).)*\*/\n|"
                    r" \*\n \* On some kernels,.*?(?= \*\n| \*/\n)", re.S)
# A parenthesis and a sentence that name one of the documents NAMES
PART = r"(?:(?!\*/|\n\n|\n \*\n|\n\* )(?:[^.]|\.(?=\w)))*?"
NAMED = [r"\s\([^()]*NAMES[^()]*\)", r"(?<=\.)\s+" + PART + "NAMES" + PART + r"\.(?=\s)"]


class Error(Exception):
    """The table does not match the tree."""


def matcher(pattern):
    """A regular expression for a pattern of file names."""
    return re.compile(re.sub(r"\\\*(\\\*)?", lambda star: ".*" if star[1] else "[^/]*",
                             re.escape(pattern)) + r"\Z")


class Table:
    """The table, which maps the files of the tree to patches and to the kernel's folders."""

    def __init__(self, name):
        with open(name, "rb") as file:
            data = tomllib.load(file)
        self.cover = data["cover"]
        self.places = [(p["from"], p["to"]) for p in data["place"]]
        self.makefiles = data.get("makefile", {})
        self.rewrites = [r for row in data.get("rewrite", []) for r in self.rows(*row)]
        self.left_out = data.get("left_out", [])
        self.patches = data["patch"]

    @staticmethod
    def rows(files, patterns, by):
        """The rewrites of a row: (pattern of file names, regular expression, replacement)."""
        for pattern in [patterns] if isinstance(patterns, str) else patterns:
            word = re.fullmatch(r"\{(\w+) (\w+)\}", pattern)
            for text in WORDS[word[1]] if word else [pattern]:
                yield files, text.replace("NAME", word[2]) if word else text, by

    def place(self, name):
        """The path of a file of this repository in the kernel."""
        if name in self.makefiles:
            name = os.path.join(os.path.dirname(name), "Makefile")
        for start, to in self.places:
            if name.startswith(start):
                return to + name[len(start):]
        raise Error(f"{name}: no place for it")

    def assign(self, files):
        """The files of each patch: each file belongs to the first patch with a matching pattern.
        Fails if a file is neither in a patch nor left out, or if a pattern matches nothing."""
        left, stale, found = list(files), [], []
        claims = [(f"patch {n}: {p['subject']}", p["files"]) for n, p in enumerate(self.patches, 1)]
        claims.append(("makefiles", list(self.makefiles)))
        claims += [("left out: " + reason, files) for files, reason in self.left_out]
        for who, patterns in claims:
            found.append([])
            for pattern in patterns:
                names = [f for f in left if matcher(pattern).match(f)]
                if not names:
                    stale.append(f"{who}: no other file is called {pattern}")
                found[-1] += names
                left = [f for f in left if f not in names]
        stale += [f"{name}: in no patch, and not left out" for name in left]
        if stale:
            raise Error("\n".join(stale))
        return found[:len(self.patches)]


class Makefile:
    """A Kbuild file of ours as a Makefile of the kernel."""

    def __init__(self, name, text, options):
        self.dir = os.path.dirname(name)
        self.options = [(matcher(pattern), option) for pattern, option in options.items()]
        self.paragraphs = [self.lines(p) for p in re.split(r"\n{2,}", text.strip())]
        self.members = {}
        for _, var, _, words in (i for p in self.paragraphs for i in p if i[1]):
            if var.endswith("-y"):
                self.members.setdefault(var[:-2] + ".o", []).extend(words)

    @staticmethod
    def lines(paragraph):
        """The lines, as (comment, variable, operator, words)."""
        out = []
        # In the kernel, the modules have all extensions.
        paragraph = re.sub(r"\$\(RPCRDMA_EXT_\w+?(?::y=(m))?\)", lambda found: found[1] or "y",
                           paragraph)
        for line in paragraph.replace("\\\n", " ").split("\n"):
            found = re.match(r"([\w-]+)\s*(\+?:?=)\s*(.*)", line)
            if line.startswith(("#", "ccflags-y")):
                out.append((line, None, None, None))
            elif found:
                out.append((None, found[1], found[2], found[3].split()))
            else:
                raise Error(f"Kbuild: what is this? {line}")
        return out

    def option(self, module):
        """The option that builds this module."""
        for pattern, option in self.options:
            if pattern.match(module):
                return option
        raise Error(f"{self.dir}: no option for {module}")

    def there(self, word, files):
        """True if any source of an object is already in the series."""
        return any(os.path.join(self.dir, o[:-1] + "c") in files
                   for o in self.members.get(word, [word]))

    def assignments(self, var, operator, words):
        """Convert one assignment."""
        if var != "obj-m":
            return [fill(f"{var} {operator} ", words)]
        options = {}
        for word in words:
            options.setdefault(self.option(word), []).append(word)
        return [fill(f"obj-$(CONFIG_{option}) += ", some) for option, some in options.items()]

    def text(self, files):
        """The Makefile's text when these files exist; empty while it has no objects."""
        out, objects = [], 0
        for paragraph in self.paragraphs:
            comments, lines = [], []
            for comment, var, operator, words in paragraph:
                if comment:
                    (lines if lines else comments).append(comment)
                    continue
                words = [w for w in words if self.there(w, files)]
                if words:
                    objects += len(words)
                    lines += self.assignments(var, operator, words)
            if lines or not out:
                out.append("\n".join(comments + lines))
        return "\n\n".join(out) + "\n" if objects else None


def fill(start, words):
    """A line of a Makefile, wrapped if it is too long."""
    return (" \\\n\t").join(textwrap.wrap(
        start + " ".join(words), 72, break_long_words=False, break_on_hyphens=False))


class Series:
    """The kernel's files after each patch."""

    def __init__(self, top, table, kernel, submitter):
        self.top, self.table, self.kernel, self.submitter = top, table, kernel, submitter
        self.files = tracked(top)
        self.found = table.assign(self.files)
        self.used = set()
        self.compat = self.names_of_compat()
        self.documents = {name: table.place(name) for names in self.found for name in names
                          if name.startswith("Documentation/")}
        self.named = self.documents_left_out()
        self.makefiles = [(table.place(name), Makefile(name, self.source(name), options))
                          for name, options in table.makefiles.items()]

    def names_of_compat(self):
        """Names that the compatibility headers define; the series must not contain them."""
        names = {"rpcrdma_probes", "RPCRDMA_GCOV", "MODULE_VERSION"}
        for name in self.files:
            if name.startswith("include/compat/") and name.endswith(".h"):
                with open(os.path.join(self.top, name), encoding="utf-8") as file:
                    names |= set(COMPAT.findall(file.read()))
        return re.compile(r"\b(" + "|".join(sorted(map(re.escape, names))) + r")\b")

    def documents_left_out(self):
        """Regular expressions for text that names a document which is not in the series."""
        known = {os.path.basename(name) for names in self.found for name in names}
        names = {os.path.basename(name) for name in self.files if name.endswith((".rst", ".md"))}
        names = r"(?<![\w./-])(?:%s)\b" % "|".join(map(re.escape, sorted(names - known) or "-"))
        return [re.compile(pattern.replace("NAMES", names), re.S) for pattern in NAMED]

    def source(self, name):
        """The text of a file of ours, with the rewrites of the table applied."""
        with open(os.path.join(self.top, name), encoding="utf-8") as file:
            text = file.read()
        for number, (files, pattern, by) in enumerate(self.table.rewrites):
            if matcher(files).match(name):
                text, count = re.subn(pattern, by, text, flags=re.S)
                if count:
                    self.used.add(number)
        for removed in (OTHERS, *self.named):
            text = removed.sub("", text)
        for old, new in self.documents.items():
            text = re.sub(re.escape(old) + r"\b", new, text)
        left = self.compat.search(text)
        if left:
            raise Error(f"{name}: {left[1]} is for other kernels; the table does not rewrite it")
        return text

    def edit(self, tree, patch):
        """Apply a patch's changes to files of the kernel, and to files that only the series has."""
        for text in patch.get("text", []):
            file = text["file"]
            old = self.old(tree, file)
            tree[file] = insert(file, old, text.get("before"), text.get("after"),
                                text["text"].replace("@SUBMITTER@", self.submitter))
        for file, count, what, by in patch.get("replace", []):
            old = self.old(tree, file)
            if old.count(what) != count:
                raise Error(f"{file}: {what.strip()} is not there {count} times")
            tree[file] = old.replace(what, by)

    def old(self, tree, file):
        """The present text of a file: from the series, else from the kernel, else empty."""
        if file in tree:
            return tree[file]
        name = os.path.join(self.kernel, file)
        if not os.path.exists(name):
            return ""
        with open(name, encoding="utf-8") as handle:
            return handle.read()

    def steps(self):
        """For each patch: the files that it creates or changes, with their texts."""
        tree, there, steps = {}, set(), []
        for patch, names in zip(self.table.patches, self.found):
            before = dict(tree)
            for name in names:
                place = self.table.place(name)
                if place in tree or os.path.exists(os.path.join(self.kernel, place)):
                    raise Error(f"{name}: the kernel has a file {place}")
                tree[place] = self.source(name)
            there |= set(names)
            for place, makefile in self.makefiles:
                text = makefile.text(there)
                if text:
                    tree[place] = text
            self.edit(tree, patch)
            steps.append({f: t for f, t in tree.items() if before.get(f) != t})
        self.complete(tree, there)
        return steps

    def complete(self, tree, there):
        """Check that there are no unused rewrites, no objects without a source, no sources without
        an object, and no mentioned documents that do not exist."""
        for number, (files, pattern, _) in enumerate(self.table.rewrites):
            if number not in self.used:
                raise Error(f"nothing to rewrite: {pattern} in {files}")
        for place, makefile in self.makefiles:
            objects = [o for p in makefile.paragraphs for i in p if i[1] for o in i[3]]
            for word in objects:
                if not makefile.there(word, there):
                    raise Error(f"{place}: no source of {word}")
        self.check_documents(tree)

    def check_documents(self, tree):
        """Check that every document that the series mentions is in it or in the kernel."""
        ours = {self.table.place(name) for names in self.found for name in names}
        known = {os.path.basename(file) for file in tree}
        for file, text in tree.items():
            missing = [n for n in DOCUMENT.findall(text) if n not in tree]
            if file in ours:
                missing += [n for n in READING.findall(text) if os.path.basename(n) not in known]
            for name in missing:
                if not os.path.exists(os.path.join(self.kernel, name)):
                    raise Error(f"{file}: there is no {name}")


def insert(file, old, before, after, text):
    """The old text with an insertion at its end, or at a mark."""
    mark = before or after
    if not mark:
        return old + text
    if old.count(mark) != 1:
        raise Error(f"{file}: {mark.strip()} is there {old.count(mark)} times, not once")
    return old.replace(mark, text + mark if before else mark + text)


def tracked(top):
    """The files of this repository: tracked ones, and new ones that are not ignored."""
    out = subprocess.run(["git", "-C", top, "ls-files", "--cached", "--others",
                          "--exclude-standard"], capture_output=True, text=True, check=True)
    return sorted({f for f in out.stdout.split("\n")
                   if f and os.path.lexists(os.path.join(top, f))})
