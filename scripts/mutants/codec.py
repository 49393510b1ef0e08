# SPDX-License-Identifier: GPL-2.0-only
"""Runs the codec's suites on mutants of the codec, in userspace, with sanitizers.

Each worker has a copy of the sources and of the objects, and recompiles only the objects that
contain the mutant's file. A mutant is equivalent if these objects, without sanitizers, do not
change.
"""
import glob
import os
import re
import shutil
import subprocess

GCC = ["gcc", "-std=gnu11", "-w", "-Ikunit/userspace", "-Iinclude", "-O1",
       "-ftrivial-auto-var-init=pattern"]
FLAGS = {"plain": [], "sane": ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]}
LIMIT = 30


def files(top):
    """The files to mutate, relative to the top folder."""
    names = sorted(glob.glob("core/codec/*.[ch]", root_dir=top))
    return names + ["include/rpcrdma/" + n + ".h" for n in ("cursor", "encode", "props", "wire")]


def failed(text):
    """The failed cases in the KTAP output of suites; "no result" if the suites did not finish."""
    found, cases = [], []
    for indent, bad, name in re.findall(r"^( {4})?(not )?ok \d+ (?:- )?([^#\n]*\S)", text, re.M):
        if indent:
            cases += [name] * bool(bad)
            continue
        if bad:
            found += [f"{name}: {case}" for case in cases] or [name]
        cases = []
    return found + cases or ["no result"]


class Worker:
    """Runs one mutant at a time, in a private copy."""

    def __init__(self, top, work):
        self.work, self.killers = work, []
        for folder in ("core", "include", "kunit"):
            shutil.copytree(os.path.join(top, folder), os.path.join(work, folder))
        self.sources = ["kunit/userspace/runner.c", "kunit/codec_vectors.c",
                        "kunit/codec_helpers.c", "kunit/private_kunit.c"]
        self.sources += sorted(glob.glob("kunit/codec_*_kunit.c", root_dir=work))
        self.sources += sorted(glob.glob("core/codec/*.c", root_dir=work))

    def read(self, name):
        """The contents of a file of the copy."""
        with open(os.path.join(self.work, name), "rb") as file:
            return file.read()

    def gcc(self, kind, *args):
        """Run the compiler; True if it succeeded."""
        return subprocess.run([*GCC, *FLAGS[kind], *args], cwd=self.work, check=False,
                              capture_output=True).returncode == 0

    def compile(self, kind, names, mutant=""):
        """Compile these sources; True if it succeeded."""
        return all(self.gcc(kind, "-MMD", "-c", n, "-o", f"{n}.{kind}{mutant}.o") for n in names)

    def passes(self, changed, rounds):
        """Run the suites with the mutant's objects of these sources; True if they pass without a
        complaint."""
        self.killers = ["no result"]
        if not self.gcc("sane", "-o", "suites", *(
                f"{n}.sane{'-mutant' if n in changed else ''}.o" for n in self.sources)):
            return False
        try:
            done = subprocess.run(["./suites"], cwd=self.work, check=False, capture_output=True,
                                  env=dict(os.environ, seed="5666", rounds=str(rounds)), timeout=LIMIT)
        except subprocess.TimeoutExpired:
            return False
        self.killers = failed(done.stdout.decode(errors="replace"))
        return done.returncode == 0 and not done.stderr

    def prepare(self):
        """Compile and run the unmodified sources; return an error text, or None."""
        if not all(self.compile(kind, self.sources) for kind in FLAGS):
            return "the suites do not compile"
        return None if self.passes((), 2000) else "the suites fail without a mutant"

    def judge(self, name):
        """The state of the mutant in this file."""
        changed = [n for n in self.sources if name.encode() in self.read(n + ".plain.d").split()]
        if not self.compile("plain", changed, "-mutant"):
            return "broken"
        if all(self.read(n + ".plain.o") == self.read(n + ".plain-mutant.o") for n in changed):
            return "equivalent"
        self.compile("sane", changed, "-mutant")
        return "survived" if self.passes(changed, 20000) else "killed"

    def run(self, mutant, text):
        """Run a mutant of a file with this text; return its state."""
        path = os.path.join(self.work, mutant.file)
        with open(path, "w", encoding="utf-8") as file:
            file.write(mutant.apply(text))
        try:
            return self.judge(mutant.file)
        finally:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
