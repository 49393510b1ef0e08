# SPDX-License-Identifier: GPL-2.0-only
"""What keeps NFS over RDMA from working, or from being fast: one line each, with what to do.

A check yields (status, what, advice). Status: "ok"; "note", worth a look; "bad". It claims nothing
that it has not looked at: what may not be read, or is not installed, is named.
"""

import errno
import glob
import json
import os
import shutil
import subprocess

import firewall as rules
from netlink import Error, connections
from tunables import read
import mounts
import views

# Bytes of the longest headers of a RoCE packet, as the kernel counts them
ROCE_HEADERS = 96
PORT = 20049
# Seconds after which a call without a reply, or an attempt to connect, is a fault
OLD = 5
NO_ANSWER = "is the server up, and the path to it? is nfsd there blocked, for instance by its disk?"
# By errno of the last attempt
UNREACHED = {
    errno.ECONNREFUSED: "nothing listens there: on the server, rpcrdmactl doctor",
    errno.ECONNRESET: "nothing listens there: on the server, rpcrdmactl doctor",
    errno.EHOSTUNREACH: NO_ANSWER,
    errno.ECONNABORTED: NO_ANSWER,
    errno.ENETUNREACH: "there is no route to it: ip route get ADDRESS",
    errno.ENODEV: "the route to it has no RDMA device: ip route get ADDRESS, rdma link",
    errno.EADDRNOTAVAIL: "the route to it has no RDMA device: ip route get ADDRESS, rdma link",
    errno.ENETDOWN: "the port of its RDMA device is down: rdma link",
    errno.ENOMEM: "this host lacks memory",
    errno.ENOBUFS: "this host lacks memory",
}
WAITS = {
    "connection": NO_ANSWER,
    "credit": "other calls have all credits: on the server, more threads or max_requests",
    "memory": "this host lacks memory, memory regions, or entries of the Send Queue: free, dmesg",
    "network": "nothing is acknowledged: rdma statistic, ethtool -S, and the path",
    "server": "its adapter answers, nfsd does not: on the server, look for a slow disk and busy "
              "threads",
}


def attempt(*words):
    """(output of a program, None), or (None, why there is none)."""
    path = shutil.which(words[0], path=os.environ.get("PATH", "") + ":/sbin:/usr/sbin")
    if not path:
        return None, "it is not installed"
    try:
        done = subprocess.run([path, *words[1:]], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, timeout=10, check=False)
    except (OSError, subprocess.SubprocessError) as error:
        return None, str(error)
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        return None, said[-1] if said else "it has failed"
    return done.stdout.decode("utf-8", "replace"), None


def command(*words):
    """Output of a program; None if it is missing or fails."""
    return attempt(*words)[0]


def modules(roots):
    """Are our modules loaded, or the kernel's own?"""
    if os.path.isdir(os.path.join(roots.sys, "module/rpcrdma")):
        yield ("bad", "the kernel's own transport is loaded",
               "rpcrdmactl switch ours; with --dry-run, it names what that interrupts")
    for name, alias, side in (("xprtrdma", "rpcrdma", "client"), ("svcrdma", "svcrdma", "server")):
        if os.path.isdir(os.path.join(roots.sys, "module", name)):
            yield "ok", "%s is loaded (%s)" % (name, side), ""
        else:
            yield ("note", "%s is not loaded (%s)" % (name, side),
                   "modprobe %s, if this host is a %s" % (alias, side))


def modprobe(_):
    """Which module would a mount load?"""
    depends, why = attempt("modprobe", "--show-depends", "rpcrdma")
    if not depends:
        yield ("note", "which module a mount would load is not known: modprobe: %s" % why,
               "install the modules for this kernel" if "not found in" in str(why) else
               "ask as root")
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


def packet(number):
    """Bytes that RoCE sends in a packet if this is the MTU of the network device"""
    return max(size for size in (256, 512, 1024, 2048, 4096)
               if size + ROCE_HEADERS <= max(number, 512))


def ethernet(roots):
    """Yield (RDMA device, network device, its MTU) of each port on Ethernet."""
    for device, folder in ports(roots):
        if (read(folder + "/link_layer") or "") != "Ethernet":
            continue
        for name in netdevs(folder):
            yield device, name, int(read(os.path.join(roots.sys, "class/net", name, "mtu")) or 0)


def mtu(roots):
    """How much RoCE sends in a packet"""
    for device, name, number in ethernet(roots):
        yield ("ok", "%s: MTU of %s is %d, so RoCE packets carry up to %d bytes" % (
            device, name, number, packet(number)), "")


def paths(roots):
    """
    Do the connections use that? Both directions of one have the MTU that the client's network
    device had when it was made. Without an MTU of its own, it is not on RoCE.
    """
    try:
        found, _present = connections()
    except Error:
        return
    seen = {}
    for conn in found:
        if "path" in conn:
            seen.setdefault((conn["device"], conn["path"]["mtu"]), []).append(views.name(conn))
    for (device, size), names in sorted(seen.items()):
        could = {name: packet(number) for rdma, name, number in ethernet(roots) if rdma == device}
        who = "%s%s" % (names[0], " and %d others" % (len(names) - 1) if names[1:] else "")
        if could and size > max(could.values()):
            yield ("bad", "%s: packets of %d bytes, but the MTU of %s permits %d" % (
                who, size, ", ".join(could), max(could.values())),
                "large reads or writes are lost: give both hosts the same MTU, and mount again")
        elif could and size < min(could.values()):
            yield ("note", "%s: packets of %d bytes, although the MTU of %s permits %d" % (
                who, size, ", ".join(could), min(could.values())),
                "if the MTU of the other host and of the switches permits them, mount again")


def priorities(name):
    """Priorities of a network device with flow control, as text; None, and why: not known."""
    said, why = attempt("dcb", "-j", "pfc", "show", "dev", name)
    try:
        enabled = json.loads(said or "{}")["prio-pfc"]
        return ", ".join(sorted(prio for prio, on in enabled.items() if on)), None
    except (ValueError, KeyError, AttributeError):
        return None, why or "dcb has not named them"


def pfc(roots):
    """RoCE on an adapter needs a network that loses nothing, or almost nothing."""
    for device, folder in ports(roots):
        hardware = os.path.exists(os.path.join(roots.sys, "class/infiniband", device, "device"))
        if not hardware or (read(folder + "/link_layer") or "") != "Ethernet":
            continue
        for name in netdevs(folder):
            found, why = priorities(name)
            if found:
                yield ("ok", "%s: %s has flow control for priority %s" % (device, name, found), "")
            elif found is None:
                yield ("note", "%s: flow control of %s is not known: dcb: %s" % (device, name, why),
                       "RoCE needs it, or ECN, on adapter and switch")
            else:
                yield ("note", "%s: %s has no priority flow control" % (device, name),
                       "RoCE needs it, or ECN, on adapter and switch")


def firewall(roots):
    """Software RDMA goes through the firewall; rpcbind and mounts do anyway."""
    yield from rules.check(command, roots)


def server(roots):
    """Does nfsd listen for RDMA, and export something?"""
    folder = os.path.join(roots.proc, "fs/nfsd")
    threads = read(folder + "/threads")
    if threads is None and os.path.isdir(os.path.join(roots.sys, "module/nfsd")):
        yield ("note", "the NFS server has not been looked at: %s/threads cannot be read" % folder,
               "ask as root, with the filesystem nfsd mounted there")
        return
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


def troubled(conn, who):
    """What is wrong with a transport of the client now; nothing if it is well."""
    state, history, call = views.state(conn), conn.get("history", {}), conn.get("call_age", 0)
    if state == "down":
        error = history.get("error", 0)
        yield ("bad", "%s: down for %s, %s failed, the last: %s" % (
            who, views.duration(history["down"]), views.attempts(history["tries"]),
            views.errno_text(error)),
            UNREACHED.get(-error, "see the kernel log"))
    elif state == "connecting":
        yield ("bad" if history["down"] >= OLD else "note", "%s: connecting for %s" % (
            who, views.duration(history["down"])), NO_ANSWER)
    elif state == "up" and call >= OLD:
        stage = conn.get("call_stage", "none")
        yield ("bad", "%s: oldest call %s, waits for %s" % (
            who, views.duration(call), views.STAGES.get(stage, stage)),
            WAITS.get(stage, "see the kernel log"))


def links(roots):
    """What the connections themselves say"""
    try:
        found, _present = connections()
    except Error as error:
        yield "bad", str(error), "see the kernel log"
        return
    points = mounts.rdma(roots)
    for conn in found:
        if conn["side"] != "client":
            continue
        who = "%s, %s to %s" % (views.name(conn), views.place(conn, found, points),
                                views.address(conn.get("peer")))
        wrong = list(troubled(conn, who))
        yield from wrong
        seconds = views.since(conn)
        if not wrong:
            yield "ok", "%s: %s%s" % (who, views.state(conn), "" if seconds is None else
                                      " for " + views.duration(seconds)), ""
        past = conn.get("history", {})
        if past.get("lost"):
            yield ("note", "%s: connections lost: %d, the last one %s ago" % (
                who, past["lost"], views.duration(past.get("since", 0))),
                views.ENDS.get(past.get("reason"), "?"))
    clients = sum(conn["side"] == "server" for conn in found)
    if clients:
        yield "ok", "%d connections of clients" % clients, ""


# What is wrong now comes first.
CHECKS = (links, modules, modprobe, signatures, devices, gids, mtu, paths, pfc, firewall, server)


def examine(roots):
    """All that the checks have found."""
    return [{"check": check.__name__, "status": status, "what": what, "advice": advice}
            for check in CHECKS for status, what, advice in check(roots)]


def text(report):
    return "\n".join("%-4s  %s%s" % (line["status"], line["what"],
                                     ": " + line["advice"] if line["advice"] else "")
                     for line in report)
