# SPDX-License-Identifier: GPL-2.0-only
"""Tests of rpcrdmactl switch with fake files of /proc and /sys, and recorded commands."""
import os

import pytest
import switch
import tunables
from netlink import Error

MOUNTINFO = r"""22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
40 22 0:40 / /mnt ro,noatime shared:7 - nfs4 server:/srv\040a ro,vers=4.2,proto=rdma,nconnect=2,port=20049,clientaddr=10.0.0.2,addr=10.0.0.1
41 40 0:41 / /mnt/in\040ner rw,relatime - nfs server:/b rw,vers=3,proto=rdma6,mountaddr=fd00::1,mountport=20048,addr=fd00::1
42 22 0:42 / /tcp rw,relatime - nfs4 server:/ rw,vers=4.2,proto=tcp,addr=10.0.0.1
"""
OUTER = "mount -t nfs4 -o ro,noatime,vers=4.2,proto=rdma,nconnect=2,port=20049 server:/srv a /mnt"
INNER = "mount -t nfs -o rw,relatime,vers=3,proto=rdma6,mountport=20048 server:/b /mnt/in ner"


class Host:
    """A fake host, whose commands change the loaded modules; commands in @fails fail."""

    def __init__(self, root, loaded, fails=(), nfsd=""):
        self.root, self.fails, self.ran = root, fails, []
        for folder in "proc/self", "proc/fs/nfsd", "sys/module":
            (root / folder).mkdir(parents=True)
        (root / "proc/self/mountinfo").write_text(MOUNTINFO)
        (root / "proc/fs/nfsd/portlist").write_text(nfsd)
        (root / "proc/fs/nfsd/threads").write_text("8\n")
        for name in loaded:
            (root / "sys/module" / name).mkdir()
        self.roots = tunables.Roots(str(root / "sys"), str(root / "proc"))

    def run(self, *words):
        """Record and simulate a command of Switch."""
        text = " ".join(words)
        if text.startswith("modprobe --show-depends"):
            return "insmod /lib/a.ko\ninsmod /lib/%s.ko.xz\n" % words[-1]
        self.ran.append(text)
        if text in self.fails:
            raise Error(text + ": no")
        if words[0] == "rmmod":
            (self.root / "sys/module" / words[1]).rmdir()
        if words[0] == "modprobe":
            (self.root / "sys/module" / words[-1]).mkdir()
        if text == "rpc.nfsd 0":
            (self.root / "proc/fs/nfsd/portlist").write_text("tcp 2049\n")
        return ""

    def switch(self, target):
        """A Switch that does not wait"""
        return switch.Switch(target, self.roots, self.run)


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    """Do not wait for a module that is in use."""
    monkeypatch.setattr(switch, "UNUSED_SECONDS", -1)


def test_there(tmp_path):
    """Mounts are unmounted innermost first, and mounted in order, with their options; TCP stays."""
    host = Host(tmp_path, ["rpcrdma_core", "xprtrdma"])
    change = host.switch("in-tree")
    assert change.plan() == ["mount /mnt (server:/srv a)", "mount /mnt/in ner (server:/b)"]
    assert change.go() == host.ran
    assert host.ran == ["umount /mnt/in ner", "umount /mnt", "rmmod xprtrdma", "rmmod rpcrdma_core",
                        "modprobe --ignore-install rpcrdma", OUTER, INNER]


def test_server(tmp_path):
    """nfsd restarts with the same number of threads, and listens again."""
    host = Host(tmp_path, ["rpcrdma"], ["systemctl is-active nfs-server"], "rdma 20049\nrdma 20049\ntcp 2049\n")
    steps = host.switch("ours").go()
    assert steps[2:8] == ["rpc.nfsd 0", "rmmod rpcrdma", "modprobe --ignore-install xprtrdma",
                          "modprobe --ignore-install svcrdma", "rpc.nfsd 8", "listen: rdma 20049"]
    assert (tmp_path / "proc/fs/nfsd/portlist").read_text() == "rdma 20049\n"


def test_service(tmp_path):
    """If nfsd is a systemd service, the service restarts."""
    host = Host(tmp_path, ["rpcrdma"], nfsd="rdma 20049\n")
    steps = host.switch("ours").go()
    assert "systemctl stop nfs-server" in steps and "systemctl start nfs-server" in steps


@pytest.mark.parametrize("fails, mounted", [
    ("umount /mnt/in ner", []),
    ("rmmod xprtrdma", [OUTER, INNER]),
    ("modprobe --ignore-install rpcrdma", [OUTER, INNER])])
def test_back(tmp_path, fails, mounted):
    """After a failure, everything is as before."""
    host = Host(tmp_path, ["rpcrdma_core", "xprtrdma"], [fails])
    with pytest.raises(Error, match="ours is in use as before"):
        host.switch("in-tree").go()
    assert sorted(os.listdir(tmp_path / "sys/module")) == ["rpcrdma_core", "xprtrdma"]
    assert [line for line in host.ran if line.startswith("mount")] == mounted


def test_nothing(tmp_path):
    """Nothing changes if the transport is already in use, or if the kernel does not have it."""
    host = Host(tmp_path, ["rpcrdma"])
    assert host.switch("in-tree").go() == ["in-tree is in use already"]
    change = host.switch("ours")
    change.run = lambda *words: "insmod /lib/rpcrdma.ko\n"
    with pytest.raises(Error, match="no module xprtrdma"):
        change.go()
    assert not host.ran
