# SPDX-License-Identifier: GPL-2.0-only
"""Switch all mounts and listeners that use RDMA to the kernel's own transport, or back.

Only one of the two transports can be loaded, so all mounts and listeners change together. Mounts
over TCP are not touched. nfsd is restarted if it listens for RDMA; its other clients notice the
restart. If a step fails, everything is mounted and started again with the previous transport.
"""

import os
import shutil
import subprocess
import time

from mounts import unescape
from netlink import Error
from tunables import read

# Modules to remove, in this order, and modules to load
TRANSPORTS = {"in-tree": (("rpcrdma",), ("rpcrdma",)),
              "ours": (("svcrdma", "xprtrdma", "rpcrdma_core"), ("xprtrdma", "svcrdma"))}
OTHER = {"in-tree": "ours", "ours": "in-tree"}
# The kernel and mount.nfs set these options.
FOUND_OUT = ("addr=", "clientaddr=", "mountaddr=")
UNUSED_SECONDS = 15


def command(*words):
    """Run a program. If it fails, the error has its last line of output."""
    path = os.environ.get("PATH", "") + ":/sbin:/usr/sbin"
    program = shutil.which(words[0], path=path)
    if not program:
        raise Error("there is no %s" % words[0])
    done = subprocess.run([program, *words[1:]], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, env={**os.environ, "PATH": path})
    if done.returncode:
        said = done.stdout.decode("utf-8", "replace").strip().splitlines()
        raise Error("%s: %s" % (" ".join(words), said[-1] if said else "failed"))
    return done.stdout.decode("utf-8", "replace")


def mounts(roots):
    """NFS mounts over RDMA in this namespace: (type, source, folder, options)."""
    found = []
    for line in (read(os.path.join(roots.proc, "self/mountinfo")) or "").splitlines():
        before, _, after = line.partition(" - ")
        kind, source, options = after.split(" ")[:3]
        words = options.split(",")
        if kind in ("nfs", "nfs4") and ("proto=rdma" in words or "proto=rdma6" in words):
            here = before.split(" ")[5].split(",")
            kept = [word for word in words if not word.startswith(FOUND_OUT) and
                    word not in ("rw", "ro")]
            found.append((kind, unescape(source), unescape(before.split(" ")[4]),
                          ",".join(here + kept)))
    return found


def listeners(roots):
    """nfsd's RDMA listeners, in the format of portlist."""
    text = read(os.path.join(roots.proc, "fs/nfsd/portlist")) or ""
    return sorted({line for line in text.splitlines() if line.startswith("rdma")})


def loaded(roots, name):
    return os.path.isdir(os.path.join(roots.sys, "module", name))


class Switch:
    """One switch to the other transport, and the way back"""

    def __init__(self, target, roots, run=command):
        self.target, self.roots, self.run = target, roots, run
        self.mounts, self.listeners = mounts(roots), listeners(roots)
        self.threads = read(os.path.join(roots.proc, "fs/nfsd/threads")) or "0"
        self.unmounted, self.stopped, self.steps = [], None, []

    def present(self, which):
        """Modules of a transport that are loaded"""
        return [name for name in TRANSPORTS[which][0] if loaded(self.roots, name)]

    def plan(self):
        """The mounts and listeners that will be interrupted."""
        return (["mount %s (%s)" % (folder, source) for _, source, folder, _ in self.mounts] +
                ["listener %s: nfsd restarts, and its TCP clients wait" % line
                 for line in self.listeners])

    def wanted(self):
        """Modules to load, without the server's on a host that is only a client."""
        return [name for name in TRANSPORTS[self.target][1] if name != "svcrdma" or self.listeners]

    def installed(self):
        """Check that the kernel has these modules."""
        for name in self.wanted():
            out = self.run("modprobe", "--show-depends", "--ignore-install", name)
            if "/%s.ko" % name not in out.strip().splitlines()[-1]:
                raise Error("this kernel has no module %s of %s" % (name, self.target))

    def step(self, *words):
        self.run(*words)
        self.steps.append(" ".join(words))

    def unload(self, which):
        """Unload a transport. Its modules remain in use for a moment after the last user is gone."""
        for name in self.present(which):
            end = time.monotonic() + UNUSED_SECONDS
            while True:
                try:
                    self.step("rmmod", name)
                    break
                except Error:
                    if time.monotonic() > end:
                        raise
                    time.sleep(0.3)

    def load(self, names):
        for name in names:
            self.step("modprobe", "--ignore-install", name)

    def release(self):
        """Unmount, innermost first, and stop nfsd."""
        for mount in reversed(self.mounts):
            self.step("umount", mount[2])
            self.unmounted.append(mount)
        if self.listeners:
            try:
                self.run("systemctl", "is-active", "nfs-server")
                self.stopped = ("systemctl", "start", "nfs-server")
                self.step("systemctl", "stop", "nfs-server")
            except Error:
                self.stopped = ("rpc.nfsd", self.threads)
                self.step("rpc.nfsd", "0")

    def restore(self):
        """Start nfsd and mount everything again; then report all errors."""
        errors = []

        def attempt(function, *words):
            try:
                function(*words)
            except (Error, OSError) as error:
                errors.append(str(error))

        if self.stopped:
            attempt(self.step, *self.stopped)
            for line in sorted(set(self.listeners) - set(listeners(self.roots))):
                attempt(self.listen, line)
        for kind, source, folder, options in reversed(self.unmounted):
            attempt(self.step, "mount", "-t", kind, "-o", options, source, folder)
        if errors:
            raise Error("; ".join(errors))

    def listen(self, line):
        with open(os.path.join(self.roots.proc, "fs/nfsd/portlist"), "w", encoding="ascii") as file:
            file.write(line + "\n")
        self.steps.append("listen: " + line)

    def go(self):
        """Switch, and return the steps."""
        source = OTHER[self.target]
        before = self.present(source)
        if self.present(self.target) and not before:
            return ["%s is in use already" % self.target]
        self.installed()
        failure = None
        try:
            self.release()
            self.unload(source)
            self.load(self.wanted())
        except Error as error:
            failure = "%s; %s" % (error, self.back(source, before))
        self.restore()
        if failure:
            raise Error(failure)
        return self.steps

    def back(self, source, before):
        """Load the previous transport for the mounts. Return a message."""
        try:
            self.unload(self.target)
            self.load([name for name in reversed(before) if not loaded(self.roots, name)])
        except Error as error:
            return "switching back failed, too: %s" % error
        return "%s is in use as before" % source
