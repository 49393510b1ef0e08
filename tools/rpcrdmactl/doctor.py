# SPDX-License-Identifier: GPL-2.0-only
"""What keeps NFS over RDMA from working, or from being fast: one line each, with what to do.

A check yields (status, what, advice). Status: "ok"; "note", worth a look; "bad".
"""

import glob
import os
import shutil
import subprocess

import firewall as rules
from netlink import Error, connections
from tunables import read
import views

MTU_ROCE = 4200
PORT = 20049


def command(*words):
    """Output of a program; None if it is missing or fails."""
    path = shutil.which(words[0], path=os.environ.get("PATH", "") + ":/sbin:/usr/sbin")
    if not path:
        return None
    try:
        done = subprocess.run([path, *words[1:]], stdout=subprocess.PIPE, check=True, timeout=10,
                              stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace")


def modules(roots):
    """Are our modules loaded, or the kernel's own?"""
    if os.path.isdir(os.path.join(roots.sys, "module/rpcrdma")):
        yield ("bad", "the kernel's own transport is loaded",
               "unmount NFS/RDMA, stop nfsd, rmmod rpcrdma, and mount again")
    for name, alias, side in (("xprtrdma", "rpcrdma", "client"), ("svcrdma", "svcrdma", "server")):
        if os.path.isdir(os.path.join(roots.sys, "module", name)):
            yield "ok", "%s is loaded (%s)" % (name, side), ""
        else:
            yield ("note", "%s is not loaded (%s)" % (name, side),
                   "modprobe %s, if this host is a %s" % (alias, side))


def modprobe(_):
    """Which module would a mount load?"""
    depends = command("modprobe", "--show-depends", "rpcrdma")
    if not depends:
        yield "note", "modprobe finds no rpcrdma", "install the modules for this kernel"
        return
    # What it needs is loaded first; without our module, "xprtrdma" is an alias.
    last = depends.strip().splitlines()[-1]
    file = command("modinfo", "-F", "filename", "xprtrdma") or ""
    if "xprtrdma" in last and "/net/sunrpc/" not in last and "/xprtrdma.ko" in file:
        yield "ok", "modprobe prefers these modules", ""
    else:
        yield ("note", "modprobe prefers the kernel's own transport",
               "install the modules for this kernel, and run depmod")


def locked(roots):
    """Does the kernel refuse modules without a signature that it can verify?"""
    lockdown = read(os.path.join(roots.sys, "kernel/security/lockdown")) or "[none]"
    enforced = read(os.path.join(roots.sys, "module/module/parameters/sig_enforce"))
    return "[none]" not in lockdown or enforced == "Y"


def signatures(roots):
    """Secure Boot: has our module a signature, with a key that the kernel knows?"""
    if (not locked(roots) or
            "/xprtrdma.ko" not in (command("modinfo", "-F", "filename", "xprtrdma") or "")):
        return
    signer = (command("modinfo", "-F", "signer", "xprtrdma") or "").strip()
    keys = read(os.path.join(roots.proc, "keys")) or ""
    if not signer:
        yield ("bad", "this kernel loads signed modules only, and xprtrdma is not signed",
               "install it with a key: make install SIGN_KEY=KEY SIGN_CERT=CERTIFICATE; DKMS "
               "signs if it has openssl")
    elif os.path.isdir(os.path.join(roots.sys, "module/xprtrdma")):
        yield "ok", "this kernel loads signed modules only, and trusts '%s'" % signer, ""
    elif ": X509" not in keys:
        yield ("note", "this kernel loads signed modules only; '%s' has signed xprtrdma" % signer,
               "as root, this can tell whether the kernel knows that key")
    elif "asymmetri %s: " % signer in keys:
        yield "ok", "this kernel loads signed modules only, and knows the key '%s'" % signer, ""
    else:
        yield ("bad", "this kernel loads signed modules only, and does not know the key '%s' of "
               "xprtrdma" % signer,
               "mokutil --import its certificate, with DKMS /var/lib/dkms/mok.pub; reboot, and "
               "confirm it on the console")


def ports(roots):
    """Yield (device, folder) of each port of an RDMA device."""
    for folder in sorted(glob.glob(os.path.join(roots.sys, "class/infiniband/*/ports/*"))):
        yield folder.split(os.sep)[-3], folder


def devices(roots):
    """Is there an RDMA device, with a port that is up?"""
    found = list(ports(roots))
    if not found:
        yield ("bad", "there is no RDMA device",
               "load the adapter's driver, or for soft-RoCE: rdma link add rxe0 type rxe netdev "
               "eth0")
    for device, folder in found:
        state = read(os.path.join(folder, "state")) or "?"
        if "ACTIVE" in state:
            yield "ok", "%s: port %s is active" % (device, os.path.basename(folder)), ""
        else:
            yield ("bad", "%s: port %s is %s" % (device, os.path.basename(folder),
                                                 state.split(":")[-1].strip().lower()),
                   "check the cable, and: ip link set up of its network device")


def netdevs(folder):
    """Network devices of a port"""
    return sorted({name for name in map(read, glob.glob(folder + "/gid_attrs/ndevs/*")) if name})


def gids(roots):
    """Has each port an address?"""
    for device, folder in ports(roots):
        found = [gid for gid in map(read, sorted(glob.glob(folder + "/gids/*")))
                 if gid and gid.strip("0:") and gid != "fe80:0000:0000:0000:0000:0000:0000:0000"]
        if found:
            yield "ok", "%s: %d GIDs" % (device, len(found)), ""
        else:
            yield ("bad", "%s: no GID" % device,
                   "give its network device an IP address: ip addr add")


def mtu(roots):
    """RoCE's packets of 4096 bytes need more than the usual MTU."""
    for device, folder in ports(roots):
        if (read(folder + "/link_layer") or "") != "Ethernet":
            continue
        for name in netdevs(folder):
            number = int(read(os.path.join(roots.sys, "class/net", name, "mtu")) or 0)
            if number >= MTU_ROCE:
                yield "ok", "%s: MTU of %s is %d" % (device, name, number), ""
            else:
                yield ("note", "%s: MTU of %s is %d" % (device, name, number),
                       "with %d or more, on the whole path, RoCE sends 4096 bytes per packet: ip "
                       "link set %s mtu 9000" % (MTU_ROCE, name))


def pfc(roots):
    """RoCE on an adapter needs a network that loses nothing, or almost nothing."""
    for device, folder in ports(roots):
        hardware = os.path.exists(os.path.join(roots.sys, "class/infiniband", device, "device"))
        if not hardware or (read(folder + "/link_layer") or "") != "Ethernet":
            continue
        for name in netdevs(folder):
            yield ("note", "%s: flow control of %s is set on adapter and switch" % (device, name),
                   "see: dcb pfc show dev %s; or use ECN on both" % name)


def firewall(roots):
    """Software RDMA goes through the firewall; rpcbind and mounts do anyway."""
    yield from rules.check(command, roots)


def server(roots):
    """Does nfsd listen for RDMA, and export something?"""
    folder = os.path.join(roots.proc, "fs/nfsd")
    threads = read(folder + "/threads")
    if not threads or threads == "0":
        yield "note", "nfsd does not run", "systemctl start nfs-server, if this host is a server"
        return
    listeners = [line for line in (read(folder + "/portlist") or "").splitlines()
                 if line.startswith("rdma")]
    if listeners:
        yield "ok", "nfsd listens: %s" % ", ".join(listeners), ""
    else:
        yield ("bad", "nfsd does not listen for RDMA",
               "echo rdma %d >/proc/fs/nfsd/portlist; for each start, rdma=y in nfs.conf" % PORT)
    exports = [line for line in (read(os.path.join(roots.proc, "fs/nfs/exports")) or
                                 read(folder + "/exports") or "").splitlines()
               if line and not line.startswith("#")]
    if exports:
        yield "ok", "%d exports in use" % len(exports), ""
    else:
        yield "note", "no export is in use", "see exportfs -v, and /etc/exports"


def links(_):
    """What the connections themselves say"""
    try:
        found, _present = connections()
    except Error as error:
        yield "bad", str(error), "see the kernel log"
        return
    for conn in found:
        peer = views.address(conn.get("peer"))
        past = conn.get("history", {})
        if conn["state"] == "connected" and not past.get("lost"):
            yield "ok", "%s: connected to %s" % (views.name(conn), peer), ""
        elif past.get("lost"):
            yield ("note", "%s: %d connections to %s lost" % (views.name(conn), past["lost"], peer),
                   "the last: " + views.ENDS.get(past.get("reason"), "?"))
        elif past.get("failures"):
            yield ("bad", "%s: %s cannot be reached: %s" % (
                views.name(conn), peer, views.errno_text(past.get("error", 0))),
                "does it listen? on the server: rpcrdmactl doctor")


CHECKS = (modules, modprobe, signatures, devices, gids, mtu, pfc, firewall, server, links)


def examine(roots):
    """All that the checks have found."""
    return [{"check": check.__name__, "status": status, "what": what, "advice": advice}
            for check in CHECKS for status, what, advice in check(roots)]


def text(report):
    return "\n".join("%-4s  %s%s" % (line["status"], line["what"],
                                     ": " + line["advice"] if line["advice"] else "")
                     for line in report)
