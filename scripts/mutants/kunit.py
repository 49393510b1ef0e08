# SPDX-License-Identifier: GPL-2.0-only
"""Runs the KUnit suites on mutants of the transports, in User Mode Linux.

Each worker has a copy of the build, and repeats the compiler commands of the suites. One guest runs
all suites of a mutant. A suite must first pass without a mutant.
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

import codec

RUNNING, LOCK = set(), threading.Lock()
# Shared files, under the side whose suites use them more
SHARED = {"svcrdma": ("core/verbs/rw.c", "core/exchange/exchange.c", "core/exchange/receive.c",
                      "core/exchange/tuning.c", "include/rpcrdma/netlink_put.h"),
          "xprtrdma": ("core/verbs/cm.c", "core/verbs/deferred_id.c", "core/verbs/layout.c")}


def files(top, part):
    """The files of a transport, relative to the top folder."""
    return sorted(glob.glob(part + "/**/*.[ch]", root_dir=top, recursive=True)) + \
        list(SHARED[part])


def stop_guests():
    """Kill all running guests; no new guest can start."""
    LOCK.acquire()    # pylint: disable=consider-using-with
    for guest in list(RUNNING):
        stop(guest)


def stop(guest):
    """Stop a guest. If it does not stop within 5 s, scripts/vm/run's timeout kills it."""
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


class Worker(codec.Worker):
    """Runs one mutant at a time, in a private copy."""

    def __init__(self, top, work):    # pylint: disable=super-init-not-called
        self.top, self.work, self.base = top, os.path.join(work, "tree"), work
        self.built = os.path.join(os.environ.get("BUILD") or os.path.join(top, "build"), "uml")
        self.source, self.modules = os.path.join(self.built, "tree"), os.path.join(work, "uml")
        self.suites, self.folder, self.sound, self.killers = {}, self.work, {}, []

    def prepare(self):
        """Copy the tree and read the commands of its suites; return an error text, or None."""
        tree = self.source
        if not os.path.isdir(os.path.join(tree, "kunit")):
            return "nothing is built; run scripts/build uml"
        for folder in ("include", "core", "xprtrdma", "svcrdma", "kunit"):
            shutil.copytree(os.path.join(tree, folder), os.path.join(self.work, folder),
                            ignore=shutil.ignore_patterns("*.ko", "*.d"))
        shutil.copy(os.path.join(tree, ".module-common.o"), self.work)
        os.mkdir(self.modules)
        shutil.copy(os.path.join(self.built, "rpcrdma_core.ko"), self.modules)
        for path in glob.glob(os.path.join(tree, "kunit", ".*_kunit.ko.cmd")):
            suite = os.path.basename(path)[1:-len(".ko.cmd")]
            obj = os.path.join(tree, "kunit", f".{suite}.o.cmd")
            if not suite.startswith(("svc_", "xprt_", "core_")) or not os.path.exists(obj):
                continue
            self.suites[suite] = self.commands(tree, obj, path)
        return None

    def commands(self, tree, obj, ko):
        """(compile command, link command, included files) of a suite, in the copy of the tree."""
        found = []
        for path in (obj, ko):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            found.append(re.search(r"^savedcmd_.* := (.*)$", text, re.M)[1].replace(
                tree, self.work).replace("ccache ", ""))
            if path == obj:
                deps = set(re.findall(rf"\s(?:{re.escape(tree)}/|\./)*((?:include|core|xprtrdma|svcrdma|"
                                      r"kunit)/\S+)", text))
            # Up to Linux 6.12, kbuild runs its commands in the kernel's build folder.
            if text.startswith("savedcmd_/"):
                self.folder = subprocess.run(
                    [". scripts/common.sh; kernel_dir uml"], shell=True, executable="/bin/bash",
                    cwd=self.top, check=True, capture_output=True, text=True).stdout.strip()
        names = {os.path.normpath(os.path.relpath(os.path.realpath(os.path.join(tree, n)),
                                                  os.path.realpath(self.top))) for n in deps}
        return (*found, names)

    def command(self, text):
        """Run a command of kbuild; True if it succeeded."""
        args = [a for a in shlex.split(text) if not a.startswith("-Werror")]
        if args[0] == "gcc":
            # Keep the file names of the original build in the object.
            args += ["-w", f"-fmacro-prefix-map={self.work}={self.source}"]
        return subprocess.run(args, cwd=self.folder, check=False,
                              capture_output=True).returncode == 0

    def module(self, suite):
        """Compile and link a suite; True if the result differs from before, None after an error."""
        compile_cmd, link, _ = self.suites[suite]
        obj = os.path.join("kunit", suite + ".o")
        path = os.path.join(self.modules, suite + ".ko")
        if not self.command(compile_cmd):
            return None
        if filecmp.cmp(os.path.join(self.work, obj), os.path.join(self.source, obj), shallow=False):
            return False
        # kbuild names the module by its relative or its absolute path.
        link = re.sub(r" -o \S+\.ko ", f" -o {path} ", link)
        return True if self.command(link) else None

    def passes(self, suites, limit):
        """Run these modules in a guest; True if they pass within this many seconds, without a
        kernel warning."""
        out = os.path.join(self.base, "out")
        shutil.rmtree(out, ignore_errors=True)
        self.killers = ["no result"]
        with LOCK:
            guest = subprocess.Popen(
                [os.path.join(self.top, "scripts/vm/run"), "--kernel", "uml", "--out", out, "--",
                 os.path.join(self.top, "scripts/check/kunit-guest"), "1",
                 *(suite.removesuffix("_kunit") for suite in suites)],
                env=dict(os.environ, BUILD=self.base), stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
            RUNNING.add(guest)
        try:
            good = guest.wait(limit) == 0
        except subprocess.TimeoutExpired:
            stop(guest)
            return False
        RUNNING.discard(guest)
        with open(os.path.join(out, "kunit.ktap"), "a+", encoding="utf-8", errors="replace") as file:
            file.seek(0)
            text = file.read()
        self.killers = codec.failed(text)
        return good and "not ok" not in text

    def judge(self, name):
        """The state of the mutant in this file."""
        suites = [s for s, (_, _, contained) in self.suites.items() if name in contained]
        new = [s for s in suites if s not in self.sound]
        for suite in new:
            shutil.copy(os.path.join(self.built, suite + ".ko"), self.modules)
        begun = time.monotonic()
        if new and not self.passes(new, 60 + 10 * len(new)):
            raise RuntimeError("a suite fails without a mutant: " + " ".join(new))
        self.sound.update(dict.fromkeys(new, time.monotonic() - begun))
        made = {suite: self.module(suite) for suite in suites}
        if None in made.values():
            return "broken"
        changed = [suite for suite in suites if made[suite]]
        if not changed:
            return "equivalent" if suites else "survived"
        # Each time is that of a whole guest. The limit allows for other load on this machine.
        limit = 20 + 3 * sum({self.sound[suite] for suite in changed})
        return "survived" if self.passes(changed, limit) else "killed"
