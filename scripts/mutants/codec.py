# SPDX-License-Identifier: GPL-2.0-only
"""Mutants of the codec against its suites, as a program in userspace, under sanitizers.

Each worker has a copy of the sources, with the objects compiled; a mutant costs the objects that
contain its file. It is equivalent if these are the same without sanitizers.
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
    """The files whose mutants count, relative to the top folder."""
    names = sorted(glob.glob("core/codec/*.[ch]", root_dir=top))
    return names + ["include/rpcrdma/" + n + ".h" for n in ("cursor", "encode", "props", "wire")]


def failed(text):
    """The cases that failed, in the output of suites (KTAP); "no result" if they did not end."""
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
    """Runs one mutant at a time, in a copy of its own."""

    def __init__(self, top, work):
        self.work, self.killers = work, []
        for folder in ("core", "include", "kunit"):
            shutil.copytree(os.path.join(top, folder), os.path.join(work, folder))
        self.sources = ["kunit/userspace/runner.c", "kunit/codec_vectors.c",
                        "kunit/codec_helpers.c", "kunit/private_kunit.c"]
        self.sources += sorted(glob.glob("kunit/codec_*_kunit.c", root_dir=work))
        self.sources += sorted(glob.glob("core/codec/*.c", root_dir=work))

    def read(self, name):
        """A file of the copy."""
        with open(os.path.join(self.work, name), "rb") as file:
            return file.read()

    def gcc(self, kind, *args):
        """A compiler's run: whether it succeeded."""
        return subprocess.run([*GCC, *FLAGS[kind], *args], cwd=self.work, check=False,
                              capture_output=True).returncode == 0

    def compile(self, kind, names, mutant=""):
        """The objects of these sources."""
        return all(self.gcc(kind, "-MMD", "-c", n, "-o", f"{n}.{kind}{mutant}.o") for n in names)

    def passes(self, changed, rounds):
        """Whether the suites pass without a complaint, with the mutant's objects of these sources."""
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
        """Compile and run what is not mutated: an error text, or None."""
        if not all(self.compile(kind, self.sources) for kind in FLAGS):
            return "the suites do not compile"
        return None if self.passes((), 2000) else "the suites fail without a mutant"

    def judge(self, name):
        """The state of the mutant that this file is."""
        changed = [n for n in self.sources if name.encode() in self.read(n + ".plain.d").split()]
        if not self.compile("plain", changed, "-mutant"):
            return "broken"
        if all(self.read(n + ".plain.o") == self.read(n + ".plain-mutant.o") for n in changed):
            return "equivalent"
        self.compile("sane", changed, "-mutant")
        return "survived" if self.passes(changed, 20000) else "killed"

    def run(self, mutant, text):
        """The state of a mutant of a file with this text."""
        path = os.path.join(self.work, mutant.file)
        with open(path, "w", encoding="utf-8") as file:
            file.write(mutant.apply(text))
        try:
            return self.judge(mutant.file)
        finally:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
