# SPDX-License-Identifier: GPL-2.0-only
"""Find faults that stop or slow down NFS over RDMA: one line each, with advice.

A check yields (status, what, advice). The status is "ok", "note" (worth a look) or "bad". A check
reports only facts that it has verified, and names missing programs and files that it cannot read.
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
NO_ANSWER = "check that the server and the path to it are up, and that no disk blocks nfsd there"
# By errno of the last attempt
UNREACHED = {
    errno.ECONNREFUSED: "nothing listens there: run rpcrdmactl doctor on the server",
    errno.ECONNRESET: "nothing listens there: run rpcrdmactl doctor on the server",
    errno.EHOSTUNREACH: NO_ANSWER,
    errno.ECONNABORTED: NO_ANSWER,
    errno.ENETUNREACH: "there is no route to it: see ip route get ADDRESS",
    errno.ENODEV: "the route to it has no RDMA device: see ip route get ADDRESS, rdma link",
    errno.EADDRNOTAVAIL: "the route to it has no RDMA device: see ip route get ADDRESS, rdma link",
    errno.ENETDOWN: "the port of the RDMA device is down: see rdma link",
    errno.ENOMEM: "this host lacks memory",
    errno.ENOBUFS: "this host lacks memory",
}
WAITS = {
    "connection": NO_ANSWER,
    "credit": "other calls use all credits: give the server more threads, or raise max_requests",
    "memory": "this host lacks memory, memory regions, or Send Queue entries: see free, dmesg",
    "network": "nothing is acknowledged: see rdma statistic, ethtool -S, and check the path",
    "server": "its adapter answers, but nfsd does not: look for a slow disk and busy threads on "
              "the server",
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
               "run rpcrdmactl switch ours; --dry-run names the mounts and listeners to interrupt")
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
        yield ("note", "cannot tell which module a mount would load: modprobe: %s" % why,
               "install the modules for this kernel" if "not found in" in str(why) else
"run rpcrdmactl doctor as root")
        return
    # The module itself is last, after its dependencies; "xprtrdma" can be an alias of rpcrdma.
    last = depends.strip().splitlines()[-1]
    file = command("modinfo", "-F", "filename", "xprtrdma") or ""
    if "xprtrdma" in last and "/net/sunrpc/" not in last and "/xprtrdma.ko" in file:
        yield "ok", "modprobe prefers these modules", ""
    else:
        yield ("note", "modprobe prefers the kernel's own transport",
               "install the modules for this kernel, and run depmod")


def locked(roots):
    """Does the kernel require signed modules?"""
    lockdown = read(os.path.join(roots.sys, "kernel/security/lockdown")) or "[none]"
    enforced = read(os.path.join(roots.sys, "module/module/parameters/sig_enforce"))
    return "[none]" not in lockdown or enforced == "Y"


def signatures(roots):
    """Secure Boot: is our module signed with a key that the kernel trusts?"""
    if (not locked(roots) or
            "/xprtrdma.ko" not in (command("modinfo", "-F", "filename", "xprtrdma") or "")):
        return
    signer = (command("modinfo", "-F", "signer", "xprtrdma") or "").strip()
    keys = read(os.path.join(roots.proc, "keys")) or ""
    if not signer:
        yield ("bad", "this kernel loads only signed modules, and xprtrdma is not signed",
               "install it with a key: make install SIGN_KEY=KEY SIGN_CERT=CERTIFICATE; DKMS "
               "signs modules if openssl is installed")
    elif os.path.isdir(os.path.join(roots.sys, "module/xprtrdma")):
        yield "ok", "this kernel loads only signed modules, and trusts '%s'" % signer, ""
    elif ": X509" not in keys:
        yield ("note", "this kernel loads only signed modules; xprtrdma is signed by '%s'" % signer,
               "run rpcrdmactl doctor as root to see whether the kernel trusts that key")
    elif "asymmetri %s: " % signer in keys:
        yield "ok", "this kernel loads only signed modules, and trusts the key '%s'" % signer, ""
    else:
        yield ("bad", "this kernel loads only signed modules, and does not trust the key '%s' of "
               "xprtrdma" % signer,
               "mokutil --import its certificate (with DKMS: /var/lib/dkms/mok.pub), reboot, and "
               "confirm on the console")


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
                   "check the cable, and run ip link set DEV up for its network device")


def netdevs(folder):
    """Network devices of a port"""
    return sorted({name for name in map(read, glob.glob(folder + "/gid_attrs/ndevs/*")) if name})


def gids(roots):
    """Does each port have an address?"""
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
    """Bytes that RoCE sends in a packet"""
    for device, name, number in ethernet(roots):
        yield ("ok", "%s: MTU of %s is %d, so RoCE packets carry up to %d bytes" % (
            device, name, number, packet(number)), "")


def paths(roots):
    """
    Do the connections use that packet size? Both directions of a connection have the MTU that the
    client's network device had when it connected. Only connections on RoCE report an MTU.
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
                "if the other host and the switches permit larger packets, mount again")


def priorities(name):
    """(priorities with flow control as text, None), or (None, why they are unknown)."""
    said, why = attempt("dcb", "-j", "pfc", "show", "dev", name)
    try:
        enabled = json.loads(said or "{}")["prio-pfc"]
        return ", ".join(sorted(prio for prio, on in enabled.items() if on)), None
    except (ValueError, KeyError, AttributeError):
        return None, why or "dcb does not report it"


def pfc(roots):
    """RoCE on an adapter needs a network that loses almost no packets."""
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
                       "RoCE needs flow control or ECN on adapter and switch")
            else:
                yield ("note", "%s: %s has no priority flow control" % (device, name),
                       "RoCE needs flow control or ECN on adapter and switch")


def firewall(roots):
    """Does the firewall let software RDMA through?"""
    yield from rules.check(command, roots)


def server(roots):
    """Does nfsd listen for RDMA, and export something?"""
    folder = os.path.join(roots.proc, "fs/nfsd")
    threads = read(folder + "/threads")
    if threads is None and os.path.isdir(os.path.join(roots.sys, "module/nfsd")):
        yield ("note", "the NFS server was not checked: %s/threads cannot be read" % folder,
               "run rpcrdmactl doctor as root, with the nfsd file system mounted there")
        return
    if not threads or threads == "0":
        yield "note", "nfsd is not running", "systemctl start nfs-server, if this host is a server"
        return
    listeners = [line for line in (read(folder + "/portlist") or "").splitlines()
                 if line.startswith("rdma")]
    if listeners:
        yield "ok", "nfsd listens: %s" % ", ".join(listeners), ""
    else:
        yield ("bad", "nfsd does not listen for RDMA",
               "echo rdma %d >/proc/fs/nfsd/portlist; to make it permanent, set rdma=y in "
               "nfs.conf" % PORT)
    exports = [line for line in (read(os.path.join(roots.proc, "fs/nfs/exports")) or
                                 read(folder + "/exports") or "").splitlines()
               if line and not line.startswith("#")]
    if exports:
        yield "ok", "%d exports in use" % len(exports), ""
    else:
        yield "note", "no export is in use", "see exportfs -v, and /etc/exports"


def troubled(conn, who):
    """Yield the current faults of a client transport."""
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
    """Are the connections up, and are calls answered?"""
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
        yield "ok", "%d client connections" % clients, ""


# Current faults come first.
CHECKS = (links, modules, modprobe, signatures, devices, gids, mtu, paths, pfc, firewall, server)


def examine(roots):
    """The results of all checks."""
    return [{"check": check.__name__, "status": status, "what": what, "advice": advice}
            for check in CHECKS for status, what, advice in check(roots)]


def text(report):
    return "\n".join("%-4s  %s%s" % (line["status"], line["what"],
                                     ": " + line["advice"] if line["advice"] else "")
                     for line in report)
