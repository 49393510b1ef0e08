# SPDX-License-Identifier: GPL-2.0-only
"""Mutants of the transports against their KUnit suites, in User Mode Linux.

Each worker has a copy of what scripts/build has built, and repeats the compiler's command of a
suite. Guests run a batch of mutants each, one module after another; one that the guest does not
survive, or that does not end, is killed, and another guest goes on with the next. After a killed
mutant the suite itself has to pass in the same guest.
"""
import filecmp
import glob
import os
import re
import shlex
import shutil
import signal
import subprocess
import threading
import time

# Seconds without progress: a suite takes one or two.
LIMIT = 40
# The number of a suite without a mutant.
BASE = -1
RUNNING, LOCK = set(), threading.Lock()
# Files of both sides, each with the side whose suites contain more of its uses.
SHARED = {"svcrdma": ("core/verbs/rw.c", "core/exchange/exchange.c", "core/exchange/receive.c",
                      "core/exchange/tuning.c", "include/rpcrdma/netlink_put.h"),
          "xprtrdma": ("core/verbs/cm.c", "core/verbs/deferred_id.c")}


def files(top, part):
    """The files of a transport, relative to the top folder."""
    return sorted(glob.glob(part + "/**/*.[ch]", root_dir=top, recursive=True)) + \
        list(SHARED[part])


def stop_guests():
    """End those that still run; no other one begins."""
    LOCK.acquire()    # pylint: disable=consider-using-with
    for guest in list(RUNNING):
        stop(guest)


def stop(guest):
    """End a guest: after 5 s, scripts/vm/run's timeout kills one that does not end by itself."""
    end = time.monotonic() + 8
    try:
        os.killpg(guest.pid, signal.SIGTERM)
        while time.monotonic() < end:
            guest.poll()
            os.killpg(guest.pid, 0)
            time.sleep(0.1)
        os.killpg(guest.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    guest.wait()
    RUNNING.discard(guest)


class Worker:
    """Runs a batch of mutants at a time."""
    batch = 16

    def __init__(self, top, work):
        self.top, self.work = top, work
        self.built = os.path.join(os.environ.get("BUILD") or os.path.join(top, "build"), "uml")
        self.source, self.tree = os.path.join(self.built, "tree"), os.path.join(work, "tree")
        self.suites, self.folder = {}, self.tree
        # Suites that have passed without a mutant
        self.sound = set()

    def prepare(self):
        """Copy the tree and read the commands of its suites: an error text, or None."""
        tree = self.source
        if not os.path.isdir(os.path.join(tree, "kunit")):
            return "nothing is built; run scripts/build uml"
        for folder in ("include", "core", "xprtrdma", "svcrdma", "kunit"):
            shutil.copytree(os.path.join(tree, folder), os.path.join(self.work, "tree", folder),
                            ignore=shutil.ignore_patterns("*.ko", "*.d"))
        shutil.copy(os.path.join(tree, ".module-common.o"), self.tree)
        for path in glob.glob(os.path.join(tree, "kunit", ".*_kunit.ko.cmd")):
            suite = os.path.basename(path)[1:-len(".ko.cmd")]
            obj = os.path.join(tree, "kunit", f".{suite}.o.cmd")
            if not suite.startswith(("svc_", "xprt_", "core_")) or not os.path.exists(obj):
                continue
            self.suites[suite] = self.commands(tree, obj, path)
        return None

    def commands(self, tree, obj, ko):
        """(compile, link, files it contains) of a suite, in the copy of the tree."""
        found = []
        for path in (obj, ko):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            found.append(re.search(r"^savedcmd_.* := (.*)$", text, re.M)[1].replace(
                tree, self.tree).replace("ccache ", ""))
            if path == obj:
                deps = set(re.findall(rf"\s(?:{re.escape(tree)}/|\./)*((?:include|core|xprtrdma|svcrdma|"
                                      r"kunit)/\S+)", text))
            # Up to Linux 6.12, kbuild runs its commands in the folder of the kernel's build.
            if text.startswith("savedcmd_/"):
                self.folder = subprocess.run(
                    [". scripts/common.sh; kernel_dir uml"], shell=True, executable="/bin/bash",
                    cwd=self.top, check=True, capture_output=True, text=True).stdout.strip()
        names = {os.path.normpath(os.path.relpath(os.path.realpath(os.path.join(tree, n)),
                                                  os.path.realpath(self.top))) for n in deps}
        return (*found, names)

    def of(self, name):
        """The suites that contain a file: those that are about it first."""
        stem = os.path.splitext(os.path.basename(name))[0]
        return sorted((s for s, c in self.suites.items() if name in c[2]),
                      key=lambda s: (f"_{stem}_" not in s, s))

    def command(self, text):
        """Run a command of kbuild: whether it succeeded."""
        args = [a for a in shlex.split(text) if not a.startswith("-Werror")]
        if args[0] == "gcc":
            # The same names of files in the object: those of what was built.
            args += ["-w", f"-fmacro-prefix-map={self.tree}={self.source}"]
        return subprocess.run(args, cwd=self.folder, check=False,
                              capture_output=True).returncode == 0

    def module(self, suite, name):
        """Compile and link a suite as it is now: its path, "" if it is the same as before, or None."""
        compile_cmd, link, _ = self.suites[suite]
        obj = os.path.join("kunit", suite + ".o")
        path = os.path.join(self.work, name + ".ko")
        if not self.command(compile_cmd):
            return None
        if filecmp.cmp(os.path.join(self.tree, obj), os.path.join(self.source, obj), shallow=False):
            return ""
        # kbuild names the module relative to the folder, or by its whole path.
        link = re.sub(r" -o \S+\.ko ", f" -o {path} ", link)
        return path if self.command(link) and os.path.exists(path) else None

    def original(self, suite):
        """The suite's module without a mutant, as it was built."""
        return os.path.join(self.source, "kunit", suite + ".ko")

    def build(self, mutant, text, suites, number):
        """The modules of a mutant: [(number, suite, module)], or None if it does not compile."""
        path = os.path.join(self.tree, mutant.file)
        os.unlink(path)
        with open(path, "w", encoding="utf-8") as file:
            file.write(mutant.apply(text))
        found = []
        try:
            for suite in suites:
                path = self.module(suite, f"{number}.{suite}")
                if path is None:
                    return None
                if path:
                    found.append((number, suite, path))
        finally:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return found

    def run(self, batch, texts):
        """Yield (mutant, state) of each mutant: first the suite that is about its file,
        then the others that contain it."""
        waiting, tested = dict(enumerate(batch)), set()
        for part in (slice(0, 1), slice(1, None)):
            jobs = []
            for number, mutant in list(waiting.items()):
                made = self.build(mutant, texts[mutant.file], self.of(mutant.file)[part], number)
                if made is None:
                    yield waiting.pop(number), "broken"
                elif made:
                    tested.add(number)
                    jobs += made
            for number in self.boot(jobs):
                yield waiting.pop(number), "killed"
        for number, mutant in waiting.items():
            # Of the others, the compiler makes the same code.
            same = number not in tested and self.of(mutant.file)
            yield mutant, "equivalent" if same else "survived"
        for path in glob.glob(os.path.join(self.work, "[0-9]*.ko")):
            os.unlink(path)

    def boot(self, jobs):
        """Run them in as many guests as it takes: yield those that were killed."""
        while jobs:
            new = sorted({suite for _, suite, _ in jobs} - self.sound)
            killed, done = self.guest([(BASE, s, self.original(s)) for s in new] + jobs)
            if BASE in killed:
                raise RuntimeError("a suite fails without a mutant: " + " ".join(new))
            if not done and not killed:
                raise RuntimeError("the guest does not come up")
            self.sound.update(suite for number, suite in done if number == BASE)
            yield from killed
            jobs = [j for j in jobs if j[0] not in killed and (j[0], j[1]) not in done]

    def guest(self, jobs):
        """Boot once: (numbers of those that were killed, {(number, suite) that passed})."""
        out = os.path.join(self.work, "out")
        shutil.rmtree(out, ignore_errors=True)
        os.mkdir(out)
        with open(os.path.join(out, "jobs"), "w", encoding="utf-8") as file:
            for number, suite, path in jobs:
                file.write(f"{number} {suite} {path} {self.original(suite)} {self.seed(suite)}\n")
        with LOCK:
            guest = subprocess.Popen(
                [os.path.join(self.top, "scripts/vm/run"), "--kernel", "uml", "--timeout", "3600",
                 "--mem", "512M", "--out", out, "--",
                 os.path.join(self.top, "scripts/mutants/guest")],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                start_new_session=True)
            RUNNING.add(guest)
        progress, last, size = os.path.join(out, "progress"), time.time(), 0
        while guest.poll() is None:
            time.sleep(0.1)
            now = os.path.getsize(progress) if os.path.exists(progress) else 0
            if now != size:
                last, size = time.time(), now
            elif time.time() - last > LIMIT:
                stop(guest)
        RUNNING.discard(guest)
        return self.results(progress)

    def seed(self, suite):
        """The module's parameter that makes a suite's random tests repeatable, if it has one."""
        with open(os.path.join(self.tree, "kunit", suite + ".c"), encoding="utf-8") as file:
            return "seed=1" if "module_param(seed" in file.read() else ""

    @staticmethod
    def results(progress):
        """What the guest wrote down: "start", then "passed", "failed" or nothing."""
        killed, done, current = set(), set(), None
        if os.path.exists(progress):
            with open(progress, encoding="utf-8", errors="replace") as file:
                for line in file:
                    word, number, suite = (line.split() + ["", "", ""])[:3]
                    if word == "start":
                        current = (int(number), suite)
                    elif word == "passed":
                        done.add(current)
                        current = None
                    elif word == "failed":
                        killed.add(current[0])
                        current = None
        if current:
            killed.add(current[0])
        return killed, done
