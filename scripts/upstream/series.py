# SPDX-License-Identifier: GPL-2.0-only
"""From the table and this repository's files to the kernel's files after each patch."""
import os
import re
import subprocess
import textwrap
import tomllib

COMPAT = re.compile(r"^\s*#\s*define\s+(rpcrdma_\w+|RPCRDMA_\w+)", re.M)
OPTION = re.compile(r"^\s*(?:menu)?config\s+(\w+)", re.M)
USED_OPTION = re.compile(r"\bCONFIG_([A-Z0-9_]+?)(?:_MODULE)?\b")
READING = re.compile(r"(?<![\w./-])(?!scripts/)[\w./-]*\w\.(?:rst|md)\b")
DOCUMENT = re.compile(r"\bDocumentation/[\w./-]+\.(?:rst|yaml)\b")


class Error(Exception):
    """Something that the table does not fit to the tree."""


def matcher(pattern):
    """A regular expression for a pattern of file names."""
    out, at = "", 0
    while at < len(pattern):
        if pattern.startswith("**", at):
            out, at = out + ".*", at + 2
        elif pattern[at] == "*":
            out, at = out + "[^/]*", at + 1
        else:
            out, at = out + re.escape(pattern[at]), at + 1
    return re.compile(out + r"\Z")


def kernel_only(text):
    """The text without what is for userspace: conditionals on __KERNEL__ are resolved."""
    out, stack = [], []
    for line in text.splitlines(keepends=True):
        word = re.match(r"\s*#\s*(if|ifdef|ifndef|else|elif|endif)\b\s*(\w*)", line)
        kind, name = word.groups() if word else (None, None)
        if kind in ("if", "ifdef", "ifndef"):
            known = name == "__KERNEL__"
            stack.append([known, not known or kind == "ifdef"])
            if known:
                continue
        elif kind and stack[-1][0]:
            if kind == "endif":
                stack.pop()
            else:
                stack[-1][1] = not stack[-1][1]
            continue
        elif kind == "endif":
            stack.pop()
        if all(keep for _, keep in stack):
            out.append(line)
    return re.sub(r"\n{3,}", "\n\n", "".join(out))


class Table:
    """The table, and which file of the tree is where in it."""

    def __init__(self, name):
        with open(name, "rb") as file:
            data = tomllib.load(file)
        self.cover = data["cover"]
        self.places = [(p["from"], p["to"]) for p in data["place"]]
        self.makefiles = {m["file"]: m["options"] for m in data.get("makefile", [])}
        self.rewrites = data.get("rewrite", [])
        self.left_out = data.get("left_out", [])
        self.checkpatch = data.get("checkpatch", [])
        self.patches = data["patch"]

    def place(self, name):
        """Where a file of this repository goes."""
        if name in self.makefiles:
            name = os.path.join(os.path.dirname(name), "Makefile")
        for start, to in self.places:
            if name.startswith(start):
                return to + name[len(start):]
        raise Error(f"{name}: no place for it")

    def assign(self, files):
        """For each patch, its files; stop if one is in none, or in two, or a pattern is stale."""
        where, stale, found = {}, [], [[] for _ in self.patches]
        claims = [(f"patch {n}: {p['subject']}", p["files"], [], found[n - 1])
                  for n, p in enumerate(self.patches, 1)]
        claims += [("left out: " + p["reason"], p["files"], p.get("but", []), None)
                   for p in self.left_out]
        claims.append(("makefiles", list(self.makefiles), [], None))
        for who, patterns, but, into in claims:
            for pattern in patterns:
                names = [f for f in files if matcher(pattern).match(f)
                         and not any(matcher(b).match(f) for b in but)]
                if not names:
                    stale.append(f"{who}: no file is called {pattern}")
                for name in names:
                    where.setdefault(name, set()).add(who)
                    if into is not None and name not in into:
                        into.append(name)
        for name in files:
            claimed = sorted(where.get(name, ()))
            if not claimed:
                stale.append(f"{name}: in no patch, and not left out")
            elif len(claimed) > 1:
                stale.append(f"{name}: in more than one place: {'; '.join(claimed)}")
        if stale:
            raise Error("\n".join(stale))
        return found


class Makefile:
    """A Kbuild of ours as a Makefile of the kernel's."""

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
        """Its lines, as (comment, variable, operator, words)."""
        out = []
        # The kernel's modules have all extensions.
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
        """Whether the sources of an object, or some of them, are in the series already."""
        return any(os.path.join(self.dir, o[:-1] + "c") in files
                   for o in self.members.get(word, [word]))

    def assignments(self, var, operator, words):
        """What one assignment becomes."""
        if var != "obj-m":
            return [fill(f"{var} {operator} ", words)]
        options = {}
        for word in words:
            options.setdefault(self.option(word), []).append(word)
        return [fill(f"obj-$(CONFIG_{option}) += ", some) for option, some in options.items()]

    def text(self, files):
        """Its text when these files are there; nothing while it has no object."""
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
    """A line of a Makefile, continued where it would be too long."""
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
        self.options = set()
        self.documents = {name: table.place(name) for names in self.found for name in names
                          if name.startswith("Documentation/")}
        self.makefiles = [(table.place(name), Makefile(name, self.source(name), options))
                          for name, options in table.makefiles.items()]

    def names_of_compat(self):
        """What the headers for other kernels define: none of it may be left."""
        names = {"rpcrdma_probes", "RPCRDMA_GCOV", "MODULE_VERSION"}
        for name in self.files:
            if name.startswith("include/compat/") and name.endswith(".h"):
                with open(os.path.join(self.top, name), encoding="utf-8") as file:
                    names |= set(COMPAT.findall(file.read()))
        return re.compile(r"\b(" + "|".join(sorted(map(re.escape, names))) + r")\b")

    def source(self, name):
        """A file of ours with the rewrites of the table."""
        with open(os.path.join(self.top, name), encoding="utf-8") as file:
            text = file.read()
        if name.endswith((".c", ".h")):
            text = kernel_only(text)
        for number, rewrite in enumerate(self.table.rewrites):
            if matcher(rewrite["files"]).match(name):
                text, count = re.subn(rewrite["pattern"], rewrite["by"], text, flags=re.S)
                if count:
                    self.used.add(number)
        for old, new in self.documents.items():
            text = re.sub(re.escape(old) + r"\b", new, text)
        left = self.compat.search(text)
        if left:
            raise Error(f"{name}: {left[1]} is for other kernels; the table does not rewrite it")
        return text

    def known_options(self, tree):
        """The options of the kernel, and of the series as far as it is."""
        if not self.options:
            for folder, _, names in os.walk(self.kernel):
                for name in (n for n in names if n.startswith("Kconfig")):
                    with open(os.path.join(folder, name), encoding="utf-8") as file:
                        self.options.update(OPTION.findall(file.read()))
        return self.options.union(*(OPTION.findall(text) for file, text in tree.items()
                                    if os.path.basename(file).startswith("Kconfig")))

    def check_options(self, tree, changed):
        """No file that a patch creates or changes uses an option that comes later or never."""
        known = self.known_options(tree)
        for file, text in changed.items():
            if file.endswith((".c", ".h", "/Makefile")):
                for name in sorted(set(USED_OPTION.findall(text)) - known):
                    raise Error(f"{file}: no Kconfig file has {name}")

    def edit(self, tree, patch):
        """What a patch does to files of the kernel's, and of ours that have no source."""
        for text in patch.get("text", []):
            file = text["file"]
            old = self.old(tree, file)
            tree[file] = insert(file, old, text.get("before"), text.get("after"),
                                text["text"].replace("@SUBMITTER@", self.submitter))
        for change in patch.get("replace", []):
            file = change["file"]
            old = self.old(tree, file)
            if old.count(change["old"]) != change["count"]:
                raise Error(f"{file}: {change['old'].strip()} is not there {change['count']} times")
            tree[file] = old.replace(change["old"], change["by"])

    def old(self, tree, file):
        """A file as it is now: in the series, or in the kernel, or empty."""
        if file in tree:
            return tree[file]
        name = os.path.join(self.kernel, file)
        if not os.path.exists(name):
            return ""
        with open(name, encoding="utf-8") as handle:
            return handle.read()

    def steps(self):
        """For each patch: the files that it creates or changes, with their texts, and the
        objects that it adds."""
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
            changed = {f: t for f, t in tree.items() if before.get(f) != t}
            self.check_options(tree, changed)
            steps.append((changed,
                          [self.table.place(n)[:-1] + "o" for n in sorted(names)
                           if n.endswith(".c")]))
        self.complete(tree, there)
        return steps

    def complete(self, tree, there):
        """Nothing is left over: rewrites, objects without a source or sources without an
        object, documents that are mentioned and not there."""
        for number, rewrite in enumerate(self.table.rewrites):
            if number not in self.used:
                raise Error(f"nothing to rewrite: {rewrite['pattern']} in {rewrite['files']}")
        for place, makefile in self.makefiles:
            objects = [o for p in makefile.paragraphs for i in p if i[1] for o in i[3]]
            for word in objects:
                if not makefile.there(word, there):
                    raise Error(f"{place}: no source of {word}")
        self.check_documents(tree)

    def check_documents(self, tree):
        """A reader who is sent to a document finds it."""
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
    """The old text with something behind its end, or at a mark."""
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
