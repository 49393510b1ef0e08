# SPDX-License-Identifier: GPL-2.0-only
"""Do the firewall rules let software RDMA through?

Query firewalld or ufw if one is active; otherwise read the rules of nftables and legacy iptables.
Rules can permit an address, an interface or a set, so a port that no rule names is never reported
as closed. Unreadable rules are reported.
"""

import os
import re

from tunables import read

# soft-RoCE and RoCE use UDP, iWARP uses TCP.
ROCE, IWARP = ("udp", 4791), ("tcp", 20049)
NAMES = {20049: "nfsrdma"}
DROPS = re.compile(r"\b(drop|reject)\b", re.I)
# A number or a range that is not part of an address
NUMBER = re.compile(r"(?<![\d.:/-])(\d+)(?:[-:](\d+))?(?![\d./])")
AS_ROOT = "run rpcrdmactl doctor as root"


def needed(roots):
    """The ports that this host's devices need; those of both kinds if there is no device"""
    folder = os.path.join(roots.sys, "class/infiniband")
    kinds = [read(os.path.join(folder, name, "node_type")) or ""
             for name in (sorted(os.listdir(folder)) if os.path.isdir(folder) else [])]
    found = {IWARP if kind.endswith("RNIC") else ROCE for kind in kinds}
    return sorted(found or {ROCE, IWARP})


def words(ports):
    return ", ".join("%s %d" % (proto.upper(), port) for proto, port in ports)


def has(text, port):
    """Does a text with port numbers and ranges contain a port?"""
    return NAMES.get(port, "-") in text or any(
        int(first) <= port <= int(last or first) for first, last in NUMBER.findall(text))


def names(line, proto, port):
    """Does a line of rules name a port, as a destination and for this protocol?"""
    where = re.search(r"--dports?|\bdport\b|\belements\b", line)
    if not where:
        return False
    other = "tcp" if proto == "udp" else "udp"
    if re.search(r"\b%s\b" % other, line) and not re.search(r"\b%s\b" % proto, line):
        return False
    return has(re.sub(r"packets \d+ bytes \d+", "", line[where.end():]), port)


def judge(what, text, ports):
    """A result for rules that have been read"""
    if not DROPS.search(text):
        return "ok", "%s: no rule drops anything" % what, ""
    lines = text.splitlines()
    named = {port: [line for line in lines if names(line, *port)] for port in ports}
    shut = [port for port in ports if named[port] and all(map(DROPS.search, named[port]))]
    silent = [port for port in ports if not named[port]]
    if shut:
        return "note", "%s: a rule drops %s" % (what, words(shut)), "permit " + words(shut)
    if silent:
        return ("note", "%s: some rules drop packets, and none names %s" % (what, words(silent)),
                "permit it, unless a rule for an address, an interface or a set does")
    return "ok", "%s: rules name %s" % (what, words(ports)), ""


def unread(what):
    return "note", "%s: its rules could not be read" % what, AS_ROOT


def service_ports(run, service):
    """Ports of a service of firewalld; None if they cannot be read"""
    info = run("firewall-cmd", "--info-service=" + service)
    found = re.search(r"^\s*ports:(.*)$", info or "", re.M)
    return found.group(1) if found else None


def zone_permits(run, zone, port):
    """Does a zone of firewalld permit a port? True, False, or None if this is not known."""
    def field(name):
        found = re.search(r"^\s*%s:[ \t]*(.*)$" % name, zone, re.M)
        return found.group(1) if found else ""
    if field("target") == "ACCEPT":
        return True
    offers = [field("ports")] + [service_ports(run, name) for name in field("services").split()]
    for offer in offers:
        for item in (offer or "").split():
            numbers, _, proto = item.partition("/")
            if proto == port[0] and has(numbers, port[1]):
                return True
    rich = re.search(r"rich rules:[ \t]*\n?[ \t]*\S", zone)
    return None if rich or None in offers else False


def firewalld(run, ports):
    """The results for firewalld's active zones; None if firewalld is not running"""
    if (run("firewall-cmd", "--state") or "").strip() != "running":
        return None
    active = run("firewall-cmd", "--get-active-zones")
    zones = [line.split()[0] for line in (active or "").splitlines() if re.match(r"\S", line)]
    texts = [(name, run("firewall-cmd", "--zone=" + name, "--list-all")) for name in zones]
    if not texts or any(text is None for _, text in texts):
        return [unread("firewalld")]
    lines = []
    for name, text in texts:
        said = [(port, zone_permits(run, text, port)) for port in ports]
        what = "firewalld, zone " + name
        shut = [port for port, permitted in said if permitted is False]
        unsure = [port for port, permitted in said if permitted is None]
        if shut:
            lines.append(("note", "%s: does not permit %s" % (what, words(shut)), "; ".join(
                "firewall-cmd --permanent --zone=%s --add-port=%d/%s" % (name, number, proto)
                for proto, number in shut) + "; firewall-cmd --reload"))
        elif unsure:
            lines.append(("note", "%s: rich rules, or a service that could not be read, decide "
                                  "about %s" % (what, words(unsure)), "check them"))
        else:
            lines.append(("ok", "%s: permits %s" % (what, words(ports)), ""))
    return lines


def ufw(run, ports, conf):
    """The results for ufw; None if ufw is not enabled"""
    status = run("ufw", "status", "verbose")
    if status is None:
        enabled = re.search(r"^ENABLED=[\"']?yes", read(conf) or "", re.M | re.I)
        return [unread("ufw")] if enabled else None
    if not re.search(r"^Status: active", status, re.M):
        return None
    if re.search(r"^Default: allow \(incoming\)", status, re.M):
        return [("ok", "ufw: permits all ports that it does not deny", "")]
    rules = [line for line in status.splitlines() if re.search(r"\b(ALLOW|LIMIT)\b", line)]
    silent, wide = [], False
    for proto, number in ports:
        offers = [line.split()[0].partition("/") for line in rules]
        if not any(kind in ("", proto) and has(numbers.replace(",", " "), number)
                   for numbers, _, kind in offers):
            silent.append((proto, number))
    # "Anywhere ALLOW IN 10.0.0.0/8", or an application's name instead of a port
    wide = any(not line[:1].isdigit() for line in rules)
    if silent and wide:
        return [("note", "ufw: no rule names %s" % words(silent),
                 "permit it, unless a rule for an address or an application does")]
    if silent:
        return [("note", "ufw: does not permit %s" % words(silent), "; ".join(
            "ufw allow %d/%s" % (number, proto) for proto, number in silent))]
    return [("ok", "ufw: permits %s" % words(ports), "")]


def legacy(run, roots, tool, names_file):
    """Yield (what, rules) of legacy iptables, if used; rules is None if they cannot be read."""
    path = os.path.join(roots.proc, "net", names_file)
    if not os.path.exists(path):
        return
    tables = read(path)
    if tables is None:
        yield tool, None
    elif "filter" in tables.split():
        # Listing a missing table would create it, but this table exists.
        text = run(tool + "-legacy", "-S") or run(tool, "-S")
        # Rules for forwarded and outgoing packets do not matter.
        yield tool, text and re.sub(r"(?m)^-[AP] (FORWARD|OUTPUT) .*$", "", text)


def rules_of(run, roots):
    """Yield (what, rules) of nftables and of existing legacy tables."""
    yield "nftables", run("nft", "list", "ruleset")
    yield from legacy(run, roots, "iptables", "ip_tables_names")
    yield from legacy(run, roots, "ip6tables", "ip6_tables_names")


def check(run, roots, is_root=None, conf="/etc/ufw/ufw.conf"):
    """Lines for rpcrdmactl doctor; run(program, ...) returns its output, None if it fails"""
    ports = needed(roots)
    for asked in (firewalld(run, ports), ufw(run, ports, conf)):
        if asked is not None:
            return asked
    if is_root is None:
        is_root = os.geteuid() == 0
    lines = []
    for what, text in rules_of(run, roots):
        if text is not None:
            lines.append(judge(what, text, ports))
        elif what != "nftables" or not is_root:
            lines.append(unread(what))
    return lines or [("note", "nftables: nft is not installed",
                      "check whether another firewall drops " + words(ports))]
