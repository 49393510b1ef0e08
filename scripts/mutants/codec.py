# SPDX-License-Identifier: GPL-2.0-only
"""Mutants of the codec against its suites, as a program in userspace.

Each worker has a copy of the sources, with the objects compiled; a mutant costs the objects that
contain its file. What survives the plain program has to survive the sanitizers, too.
"""
import glob
import os
import shutil
import subprocess

FOLDERS = ("core", "include", "kunit")
BASE = ["-std=gnu11", "-w", "-Ikunit/userspace", "-Iinclude",
        "-ftrivial-auto-var-init=pattern"]
PLAIN = ["-O1"]
SANE = ["-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
LIMIT = 30


def files(top):
    """The files whose mutants count, relative to the top folder."""
    names = sorted(glob.glob("core/codec/*.[ch]", root_dir=top))
    return names + ["include/rpcrdma/" + n + ".h" for n in ("cursor", "encode", "props", "wire")]


class Worker:
    """Runs one mutant at a time, in a copy of its own."""
    batch = 1

    def __init__(self, top, work):
        self.top, self.work = top, work
        for folder in FOLDERS:
            shutil.copytree(os.path.join(top, folder), os.path.join(work, folder))
        self.sources = ["kunit/userspace/runner.c", "kunit/codec_vectors.c",
                        "kunit/codec_helpers.c", "kunit/private_kunit.c"]
        self.sources += sorted(glob.glob("kunit/codec_*_kunit.c", root_dir=work))
        self.sources += sorted(glob.glob("core/codec/*.c", root_dir=work))
        self.deps, self.has_sane = {}, False

    def command(self, args):
        """A compiler's run: whether it succeeded."""
        return subprocess.run(["gcc", *BASE, *args], cwd=self.work, check=False,
                              capture_output=True).returncode == 0

    def compile(self, kind, flags, names):
        """The objects of these sources."""
        return all(self.command([*flags, "-MMD", "-c", name, "-o", self.obj(kind, name)])
                   for name in names)

    @staticmethod
    def obj(kind, name):
        """The object of a source."""
        return f"{name}.{kind}.o"

    def link(self, kind, flags, changed=()):
        """The program; objects of changed sources are called kind + "m"."""
        return self.command([*flags, "-o", kind, *[
            self.obj(kind + "m" if n in changed else kind, n) for n in self.sources]])

    def program(self, kind, rounds):
        """Run it: None if all passed, else what happened."""
        env = dict(os.environ, seed="5666", rounds=str(rounds))
        try:
            done = subprocess.run(["./" + kind], cwd=self.work, env=env, check=False,
                                  capture_output=True, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            return "hangs"
        if done.returncode == 0 and not done.stderr:
            return None
        return "fails"

    def baseline(self, kind, flags):
        """All objects and the program, without a mutant: an error text, or None."""
        if not self.compile(kind, flags, self.sources) or not self.link(kind, flags):
            return "the suites do not compile"
        return "the suites fail without a mutant" if self.program(kind, 2000) else None

    def sane(self, mutant, text, changed):
        """Run a mutant with the sanitizers: None if all passed, else what happened."""
        path = os.path.join(self.work, mutant.file)
        if not self.has_sane:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            error = self.baseline("sane", SANE)
            if error:
                raise RuntimeError(error)
            self.has_sane = True
            with open(path, "w", encoding="utf-8") as file:
                file.write(mutant.apply(text))
        self.compile("sanem", SANE, changed)
        self.link("sane", SANE, changed)
        return self.program("sane", 20000)

    def prepare(self):
        """Compile and run what is not mutated: an error text, or None."""
        error = self.baseline("plain", PLAIN)
        if error:
            return error
        for name in self.sources:
            with open(os.path.join(self.work, name + ".plain.d"), encoding="utf-8") as file:
                self.deps[name] = set(file.read().replace("\\\n", " ").split())
        return None

    def same(self, changed):
        """Whether the compiler made the same objects of the mutant."""
        def read(name):
            with open(os.path.join(self.work, name), "rb") as file:
                return file.read()
        return all(read(self.obj("plain", n)) == read(self.obj("plainm", n)) for n in changed)

    def judge(self, mutant, text):
        """the state of one mutant."""
        path = os.path.join(self.work, mutant.file)
        changed = [n for n in self.sources if mutant.file in self.deps[n]]
        with open(path, "w", encoding="utf-8") as file:
            file.write(mutant.apply(text))
        try:
            if not self.compile("plainm", PLAIN, changed):
                return "broken"
            if self.same(changed):
                return "equivalent"
            self.link("plain", PLAIN, changed)
            killed = self.program("plain", 20000) or self.sane(mutant, text, changed)
            return "killed" if killed else "survived"
        finally:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)

    def run(self, batch, texts):
        """Yield (mutant, state) of each mutant."""
        for mutant in batch:
            yield mutant, self.judge(mutant, texts[mutant.file])
