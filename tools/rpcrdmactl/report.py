# SPDX-License-Identifier: GPL-2.0-only
"""One text for support: doctor's output, then all data that can explain it.

The report contains no exports, keys or command lines, and only those lines of the kernel log that
are about RDMA or NFS.
"""

import ipaddress
import os
import re
import socket

import doctor
import ended
import mounts
import netlink
import tunables
import views

LOG = re.compile(r"rdma|rxe|siw|mlx|bnxt|qed|ib_|infiniband|iwarp|nfs|rpc|link (is|becomes)", re.I)
LOG_LINES = 500
SECRET = re.compile(r"pass|cred|secret|key|user", re.I)
FILES = ("net/rpc/nfs", "net/rpc/nfsd", "fs/nfsd/threads", "fs/nfsd/versions", "fs/nfsd/portlist",
         "fs/nfsd/pool_stats", "fs/nfsd/max_block_size", "loadavg", "uptime")
PROGRAMS = ("uname -srvm", "modinfo xprtrdma", "modinfo svcrdma", "dkms status", "mount.nfs -V",
            "ip -V", "rdma dev", "rdma link", "rdma statistic", "ibv_devinfo", "ip -s link",
            "ip -br addr", "ip route", "ip -6 route")


class Mask:
    """Replaces each address and host name with a fixed alias."""

    COLONS = re.compile(r"(?<![\w:.])(?:[0-9a-f]{0,4}:){2,}[0-9a-f]{0,4}(?:(?:\.\d+){3})?(?!\w)",
                        re.I)
    DOTS = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?!\.?\w)")
    HARDWARE = re.compile(r"[0-9a-f]{2}(:[0-9a-f]{2}){5,}|[0-9a-f]{4}(:[0-9a-f]{4}){3}", re.I)

    def __init__(self, names):
        self.masks = {}
        names = {name for name in names if name and not name.startswith(("localhost", "ip6-"))}
        # Other names in the same domains are hosts, too.
        domains = {name.partition(".")[2] for name in names} - {""}
        words = ["[\\w.-]+\\." + re.escape(domain) for domain in domains] + [
            re.escape(name) for name in sorted(names, key=len, reverse=True)]
        self.names = words and re.compile(r"(?<![\w.-])(?:%s)(?![\w-])" % "|".join(words), re.I)

    def instead(self, kind, what):
        """The alias for a value"""
        same = [mask for mask in self.masks.values() if mask.startswith(kind)]
        return self.masks.setdefault(what, "%s-%d" % (kind, len(same) + 1))

    def address(self, found):
        """Replace an address, unless it is a loopback or unspecified address."""
        text = found.group()
        tail = ":" if text.endswith(":") and not text.endswith("::") else ""
        text = text[:len(text) - len(tail)]
        if self.HARDWARE.fullmatch(text):
            return self.instead("hardware", text.lower()) + tail
        try:
            addr = ipaddress.ip_address(text)
        except ValueError:
            return text + tail
        addr = getattr(addr, "ipv4_mapped", None) or addr
        if addr.is_loopback or addr.is_unspecified:
            return text + tail
        return self.instead("ipv%d" % addr.version, str(addr)) + tail

    def __call__(self, text):
        if self.names:
            text = self.names.sub(lambda found: self.instead("host", found.group().lower()), text)
        return self.DOTS.sub(self.address, self.COLONS.sub(self.address, text))


def known_hosts(roots, log):
    """Host names that a report can contain"""
    names = {socket.gethostname(), socket.gethostname().split(".")[0]}
    names.update(mount["device"].rpartition(":/")[0] for mount in mounts.mounted(roots).values()
                 if mount["type"].startswith("nfs"))
    names.update(re.findall(r"server (\S+) (?:not responding|OK|is not)", log))
    for line in (tunables.read("/etc/hosts") or "").splitlines():
        names.update(line.split("#")[0].split()[1:])
    for line in (tunables.read("/etc/resolv.conf") or "").splitlines():
        if line.startswith(("search", "domain")):
            names.update("." + domain.strip(".") for domain in line.split()[1:])
    return {name for name in names if not re.fullmatch(r"[\d.]+|\[?[\da-fA-F:.%]*:.*", name)}


def kernel_log():
    """The lines about RDMA and NFS; None if only root can read the log"""
    lines = doctor.command("dmesg", "-T") or doctor.command("journalctl", "-k", "-q", "--no-pager")
    if lines is None:
        return None
    return "\n".join([line for line in lines.splitlines() if LOG.search(line)][-LOG_LINES:])


def mountstats(roots):
    """The mountstats of mounts over RDMA, without secret options"""
    points = {mount["mount"] for mount in mounts.rdma(roots)}
    lines, mine = [], False
    for line in (tunables.read(os.path.join(roots.proc, "self/mountstats")) or "").splitlines():
        if line.startswith("device "):
            head = line.partition(" with fstype ")[0]
            mine = mounts.unescape(head.partition(" mounted on ")[2]) in points
        if mine:
            opts = line.startswith("\topts:")
            lines.append(",".join(option for option in line.split(",")
                                  if not SECRET.search(option)) if opts else line)
    return "\n".join(lines)


def debug(module, roots):
    """The nonzero counters of a module"""
    text = tunables.read(os.path.join(roots.sys, "kernel/debug", module, "stats"))
    return text and "\n".join(line for line in text.splitlines() if not line.endswith(" 0"))


def sections(version, roots, log):
    """Yield (title, function that returns the text, or "" or None if there is none)."""
    yield "doctor", lambda: doctor.text(doctor.examine(roots))
    yield "versions", lambda: version
    yield "system", lambda: tunables.read("/etc/os-release")
    yield "tunables", lambda: views.tunables(tunables.show(tunables.SIDES, roots))
    yield "connections", lambda: views.table(netlink.connections()[0], mounts.rdma(roots))
    yield "details", lambda: "\n\n".join(map(views.details, netlink.connections()[0]))
    yield "ended", lambda: ended.text(*netlink.ended())
    yield "mounts", lambda: mountstats(roots)
    for module in tunables.SIDES.values():
        yield "counters of %s" % module, lambda module=module: debug(module, roots)
    for path in FILES:
        yield "/proc/" + path, lambda path=path: tunables.read(os.path.join(roots.proc, path))
    for program in PROGRAMS:
        yield program, lambda program=program: doctor.command(*program.split())
    yield "kernel log", lambda: log


def attempt(function):
    """Get a section's text. An error becomes the text, and does not stop the report."""
    try:
        return (function() or "").rstrip()
    except netlink.Error as error:
        return str(error)


def gather(version, roots, mask):
    """{title: text} of all sections"""
    log = kernel_log()
    hide = Mask(known_hosts(roots, log or "")) if mask else str
    found = {title: hide(attempt(function)) for title, function in sections(version, roots, log)}
    return dict({title: text for title, text in found.items() if text},
                missing=", ".join(title for title, text in found.items() if not text)
                + ("" if os.geteuid() == 0 else "; root can read more"))


def text(found):
    return "\n\n".join("==== %s\n%s" % section for section in found.items())
