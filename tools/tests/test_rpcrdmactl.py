# SPDX-License-Identifier: GPL-2.0-only
"""Tests of rpcrdmactl without a kernel: they create messages, files and connections."""

import argparse
import contextlib
import errno
import io
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import tempfile
import unittest

from testing import TOP, needs, program
import doctor
import ended
import explain
import firewall
import metrics
import mounts
import netlink
import rates
import report
import tunables
import views

rpcrdmactl = program("tools/rpcrdmactl/rpcrdmactl")


def number_of(kind, number):
    return netlink.attribute(kind, struct.pack("=q", number))


def message(kind, payload, flags=2):
    return struct.pack("=IHHII", 16 + len(payload), kind, flags, 1, 0) + payload


def connection(**more):
    """A connection as netlink.connections() returns it"""
    conn = {"side": "client", "id": 1, "state": "connected", "peer": {"ip": "192.0.2.1",
            "port": 20049}, "device": "rxe0", "rpcrdma_version": 2, "version_reason": "hint",
            "peer_hint": "v2", "credits_max": 128, "credits_granted": 32, "credits_used": 3,
            "inline_send": 4096, "inline_recv": 5120, "remote_invalidation": True,
            "read_replies": True, "reads_max": 16, "peer_reads_max": 16, "sq_size": 300,
            "sq_free": 290, "registrations": {"count": 5, "busy": 1, "max": 400,
            "pages": 256}, "memory": {"receives": 204800}, "counters": {"calls": 100,
            "read_calls": 7, "write_calls": 8}, "history": {"connects": 2, "lost": 1,
            "failures": 0, "error": 0, "reason": "peer", "since": 5}, "age": 9}
    conn.update(more)
    return conn


class FakeSocket:
    """A fake kernel, which answers each request with the next datagrams in a list."""

    def __init__(self, answers):
        self.answers, self.sent = list(answers), []

    def send(self, data):
        self.sent.append(data)

    def recv(self, _):
        return self.answers.pop(0)

    def close(self):
        pass


class Header(unittest.TestCase):
    """The tool and the specifications have the same numbers as the kernel."""

    def setUp(self):
        with open(os.path.join(TOP, "include/rpcrdma/netlink.h"), encoding="ascii") as file:
            self.text = file.read()

    def names(self, enum, prefix):
        body = re.search(r"enum rpcrdma_nl_%s \{(.*?)\};" % enum, self.text, re.S).group(1)
        return [name[len(prefix):].lower() for name in re.findall(r"(\w+),", body)]

    def test_attributes(self):
        for enum, prefix, table in (("attr", "RPCRDMA_NL_", netlink.CONN),
                                    ("prop", "RPCRDMA_NL_PROP_", netlink.PROP)):
            self.assertEqual(self.names(enum, prefix)[1:-1], [name for name, _ in table], enum)

    def test_values(self):
        for enum, prefix, table in (
                ("side", "RPCRDMA_NL_SIDE_", netlink.SIDE),
                ("state", "RPCRDMA_NL_STATE_", netlink.STATE),
                ("hint", "RPCRDMA_NL_HINT_", netlink.HINT),
                ("reason", "RPCRDMA_NL_REASON_", netlink.REASON),
                ("lost", "RPCRDMA_NL_LOST_", netlink.LOST),
                ("detail", "RPCRDMA_NL_DETAIL_", netlink.DETAIL),
                ("stage", "RPCRDMA_NL_STAGE_", netlink.STAGE)):
            self.assertEqual([name for name in self.names(enum, prefix) if name not in ("nr", "")],
                             [name.replace("-", "_") for name in table])

    def test_commands(self):
        self.assertEqual(self.names("cmd", "RPCRDMA_NL_CMD_")[1:-1], ["conn_get", "ended_get"])
        self.assertEqual((netlink.CMD_CONN_GET, netlink.CMD_ENDED_GET), (1, 2))
        self.assertIn('RPCRDMA_NL_FAMILY\t"%s"' % netlink.FAMILY, self.text)

    def test_every_value_is_explained(self):
        self.assertEqual(sorted(views.REASONS), sorted(netlink.REASON))
        self.assertEqual(sorted(views.ENDS), sorted(netlink.LOST))
        self.assertEqual(sorted(ended.REASONS), sorted(netlink.LOST))
        self.assertEqual(sorted(ended.DETAILS), sorted(netlink.DETAIL))
        self.assertEqual(sorted(views.STAGES), sorted(netlink.STAGE))
        self.assertEqual(sorted(doctor.WAITS), sorted(netlink.STAGE[1:]))

    def test_specification(self):
        with open(os.path.join(TOP, "Documentation/netlink/rpcrdma.yaml"), encoding="ascii") as file:
            text = file.read()
        self.assertIn("name: %s\n" % netlink.FAMILY, text)
        found = re.findall(r"name: ([a-z0-9-]+)\n        value: (\d+)\n", text)
        want = [(name.replace("_", "-"), str(number)) for table in (netlink.PROP, netlink.CONN)
                for number, (name, _) in enumerate((("pad", "pad"),) + table)]
        self.assertEqual(found, want)
        for name, table in (("side", netlink.SIDE), ("lost", netlink.LOST),
                            ("detail", netlink.DETAIL), ("stage", netlink.STAGE)):
            entries = re.search(r"name: %s\n    type: enum\n(?: .*\n)*?    entries: "
                                r"\[([^]]*)\]" % name, text)
            self.assertEqual(re.findall(r"[a-z-]+", entries.group(1)), list(table))


class Netlink(unittest.TestCase):
    DONE = message(netlink.NLMSG_DONE, struct.pack("=i", 0))

    def setUp(self):
        self.addCleanup(setattr, netlink, "loaded", netlink.loaded)
        netlink.loaded = lambda side: side == "client"

    def family(self, number):
        return message(16, struct.pack("=BBH", 1, 2, 0)
                       + netlink.attribute(1, struct.pack("=H", number))
                       + netlink.attribute(2, b"rpcrdma\0"))

    def test_dump(self):
        def conn(side):
            return message(33, struct.pack("=BBH", 1, 1, 0) + number_of(1, side) + number_of(2, 7)
                           + number_of(3, 3) + netlink.attribute(4, struct.pack(
                               "=H", 2) + struct.pack(">H", 20049) + bytes([192, 0, 2, 9]) + bytes(8))
                           + number_of(24, -1) + number_of(40, 5) + number_of(250, 1))
        sock = FakeSocket([self.family(33), conn(1) + conn(0), self.DONE])
        found, present = netlink.connections(["client"], netlink.Genl(sock))
        self.assertEqual(present, ["client"])
        self.assertEqual(found, [{"side": "client", "id": 7, "state": "connected",
                                  "peer": {"ip": "192.0.2.9", "port": 20049}, "traffic_class": -1,
                                  "counters": {"calls": 5}}])
        kind, flags = struct.unpack_from("=HH", sock.sent[1], 4)
        self.assertEqual((kind, flags), (33, 0x301))

    def test_addresses(self):
        link_local = struct.pack("=HHI", 10, 0, 0) + bytes([0xfe, 0x80] + 13 * [0] + [1])
        for scope, want in ((0, {"ip": "fe80::1"}), (3, {"ip": "fe80::1", "scope": 3})):
            self.assertEqual(netlink.address(link_local + struct.pack("=I", scope)), want)
        self.assertEqual(netlink.address(struct.pack("=HH", 2, 0) + bytes([192, 0, 2, 9])),
                         {"ip": "192.0.2.9"})

    def test_no_module(self):
        error = message(netlink.NLMSG_ERROR, struct.pack("=i", -2))
        for ask in netlink.connections, netlink.ended:
            self.assertFalse(any(ask(genl=netlink.Genl(FakeSocket([error])))))

    def test_module_goes(self):
        for error in errno.ENOENT, errno.EPROTONOSUPPORT:
            sock = FakeSocket([self.family(33),
                               message(netlink.NLMSG_ERROR, struct.pack("=i", -error))])
            self.assertEqual(netlink.connections(["client"], netlink.Genl(sock)), ([], []))

    def test_refused(self):
        sock = FakeSocket([self.family(33), message(netlink.NLMSG_ERROR, struct.pack("=i", -1))])
        with self.assertRaises(netlink.Error):
            netlink.connections(["client"], netlink.Genl(sock))

    def test_ended(self):
        def end(*attrs):
            return message(33, struct.pack("=BBH", 2, 1, 0) + number_of(1, 0)
                           + b"".join(number_of(57 + kind, number) for kind, number in attrs))
        sock = FakeSocket([self.family(33), end((0, 8), (1, 5), (2, 10), (4, 9), (7, 7))
                           + end((0, 2), (2, -12), (4, 10), (7, 1)), self.DONE])
        self.assertEqual(netlink.ended(genl=netlink.Genl(sock)), (
            [{"side": "client", "ended": {"reason": "peer", "status": -12, "since": 10, "count": 1}},
             {"side": "client", "ended": {"reason": "work", "detail": "read", "status": 10,
                                          "since": 9, "count": 7}}],
            {"client": {"work": 7, "peer": 1}}))
        self.assertEqual(sock.sent[1][16], 2)

    def test_newer_kernel(self):
        self.assertEqual(netlink.decode(netlink.CONN, number_of(3, 99)), {"state": "unknown-99"})
        self.assertEqual(netlink.decode(netlink.CONN, number_of(200, 1)), {})

    def test_malformed(self):
        for data in (b"\x02\x00\x01\x00", b"\xff\x00\x01\x00", netlink.attribute(2, b"\0"),
                     netlink.attribute(4, b"\2\0\0\0\0\0"), netlink.attribute(4, b"\2\0"),
                     netlink.attribute(18, b"")):
            with self.assertRaises(netlink.Error, msg=repr(data)):
                netlink.decode(netlink.CONN, data)
        with self.assertRaises(netlink.Error):
            list(netlink.messages(b"\0" * 20))


class Views(unittest.TestCase):
    def test_addresses(self):
        for addr, want in (({"ip": "192.0.2.1"}, "192.0.2.1"), ({}, "?"), (None, "?"),
                           ({"ip": "fe80::1", "scope": 3, "port": 1}, "[fe80::1%3]:1"),
                           ({"ip": "192.0.2.1", "port": 20049}, "192.0.2.1:20049")):
            self.assertEqual(views.address(addr), want)

    def test_list(self):
        server = connection(side="server", id=12, peer={"ip": "192.0.2.9"})
        del server["history"]
        lines = views.table([connection(call_age=35, call_stage="server"), server]).splitlines()
        self.assertEqual(len(lines), 3)
        self.assertRegex(lines[1], r"^client:1 +- +192.0.2.1:20049 +up +9 s +35 s, server +- +"
                                   r"peer, 5 s ago +rxe0 +2 +3/32 +100$")
        self.assertRegex(lines[2], r"^server:12 +- +192.0.2.9 +up +9 s +- +- +- +rxe0 +2 +3/32 ")
        self.assertEqual(views.table([]), "no connections")

    def test_states(self):
        """A connection is down if it is needed and an attempt has failed."""
        past = {"reason": "closed", "since": 400, "tries": 0, "error": -111}
        for state, history, want in (
                ("connected", past, ("up", 9, "-")), ("none", past, ("idle", 400, "-")),
                ("none", {"reason": "none", "tries": 0}, ("idle", None, "-")),
                ("none", dict(past, down=3), ("connecting", 3, "connection refused")),
                ("none", dict(past, down=86, tries=6), ("down", 86, "connection refused")),
                ("negotiating", dict(past, down=86, tries=6), ("down", 86, "connection refused")),
                ("closing", past, ("closing", None, "-"))):
            conn = connection(state=state, history=history)
            self.assertEqual((views.state(conn), views.since(conn), views.last_error(conn)), want)

    def test_place(self):
        """Transports of one mount are numbered; mounts that share a transport are counted."""
        def mount(point, ip):
            return {"mount": point, "ip": ip, "options": {"port": "20049"}}
        found = [connection(id=4), connection(id=2), connection(id=3, peer={"ip": "192.0.2.8",
                                                                            "port": 20049})]
        points = [mount("/a", "192.0.2.1"), mount("/b", "192.0.2.1"), mount("/c", "192.0.2.8")]
        self.assertEqual([views.place(conn, found, points) for conn in found],
                         ["/a +1 2/2", "/a +1 1/2", "/c"])
        self.assertEqual(views.place(found[0], found, []), "-")

    def test_show(self):
        text = views.details(connection())
        for part in ("announced by the peer", "3 in use, 32 granted", "1 of 5 in use",
                     "the server closed it", "read calls         7"):
            self.assertIn(part, text)

    def test_packets(self):
        path = {"mtu": 4096, "ack_timeout": 17, "retries": 6, "rnr_retries": 7}
        self.assertIn("4096 bytes each; not acknowledged: repeated after 537 ms, 6 times; no Receive: "
                      "repeated without limit", views.details(connection(path=path)))
        self.assertIn("repeated never, ", views.packets(dict(path, ack_timeout=0)))
        self.assertNotIn("packets", views.details(connection()))

    def test_show_without_connection(self):
        text = views.details({"side": "client", "id": 3, "state": "none", "peer": {},
                              "history": {"reason": "none", "error": -111, "failures": 2}})
        self.assertIn("connection refused", text)

    def test_ended(self):
        end = {"reason": "work", "detail": "read", "status": 10, "since": 7200, "lasted": 61,
               "calls": 5, "times": 3}
        refused = {"reason": "refused", "detail": "resources", "status": -12, "since": 9}
        lines = ended.text([{"side": "server", "peer": {"ip": "192.0.2.3"}, "rpcrdma_version": 2,
                             "ended": end},
                            {"side": "client", "peer": {"ip": "192.0.2.4"}, "ended": refused}],
                           {"server": {"work": 4, "refused": 9}, "client": {}}).splitlines()
        self.assertRegex(lines[1], r"^client +192.0.2.4 .* 9 s .*- .*the server refused .*; "
                                   r".*; Cannot allocate memory$")
        self.assertRegex(lines[2], r"^server +192.0.2.3 .* 2 h +61 s +2 +5 +3 +the adapter failed "
                                   r".*; RDMA Read of a call; remote access error$")
        self.assertEqual(lines[3:], ["server, since the modules were loaded: refused 9, work 4"])
        self.assertEqual(ended.text([], {}), "no connection has ended")
        self.assertEqual(ended.why({"reason": "work", "detail": "queue-pair", "status": 3}),
                         "the adapter failed a Work Request; event of the Queue Pair; access error")
        self.assertEqual(ended.why({"reason": "unknown-90", "status": 60}), "unknown-90; status 60")

    def test_names(self):
        self.assertTrue(views.matches(connection(), "client:1"))
        self.assertTrue(views.matches(connection(), "192.0.2.1"))
        self.assertTrue(views.matches(connection(), "192.0.2.1:20049"))
        self.assertFalse(views.matches(connection(), "192.0.2.11"))


class Files(unittest.TestCase):
    """Tests with the files of a simulated host"""

    def setUp(self):
        # Removed after the test
        folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(folder.cleanup)
        self.roots = tunables.Roots(folder.name + "/sys", folder.name + "/proc")

    def write(self, path, text, mode=0o644):
        path = os.path.join(os.path.dirname(self.roots.sys), path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        os.chmod(path, mode)
        return path


class Tunables(Files):
    def setUp(self):
        super().setUp()
        self.path = self.write("sys/module/svcrdma/parameters/read_replies", "Y\n")
        self.write("sys/module/svcrdma/parameters/receive_buffer_size", "5120\n", 0o444)
        self.write("proc/sys/sunrpc/svc_rdma/keepalive", "10\n")

    def test_show(self):
        found = tunables.show(["client", "server"], self.roots)
        self.assertEqual([(t["name"], t["value"], t["kind"], t["writable"]) for t in found],
                         [("read_replies", "Y", "parameter", True),
                          ("receive_buffer_size", "5120", "parameter", False),
                          ("keepalive", "10", "sysctl", True)])
        self.assertIn("server.keepalive", views.tunables(found))

    def test_set(self):
        self.assertEqual(tunables.put("server.read_replies=N", self.roots)["value"], "N")
        self.assertEqual(tunables.read(self.path), "N")

    def test_refusals(self):
        for text, why in (("server.nothing=1", "no tunable"), ("read_replies=1", "client.NAME"),
                          ("server.read_replies", "=VALUE"), ("client.tuning=0", "not loaded"),
                          ("server.receive_buffer_size=1", "when the module is loaded")):
            with self.assertRaisesRegex(netlink.Error, why):
                tunables.put(text, self.roots)

    def test_names_are_those_of_the_modules(self):
        for side, module in tunables.SIDES.items():
            text = ""
            for path in (pathlib.Path(TOP) / module).glob("*/*.[ch]"):
                if path.parent.name in ("control", "ext"):
                    text += path.read_text(encoding="ascii")
            for name in tunables.SYSCTLS[side][1]:
                self.assertRegex(text, r'(TUNABLE\(|procname\s*= )"%s"' % name)


class Explain(Files):
    MOUNTS = ("srv:/ /mnt/a\\040b nfs4 rw,vers=4.2,proto=rdma,addr=192.0.2.1 0 0\n"
              "srv:/ /tcp nfs4 rw,vers=4.2,proto=tcp,addr=192.0.2.1 0 0\n")
    STATS = ("device srv:/ mounted on /tcp with fstype nfs4 statvers=1.1\n"
             "\t       GETATTR: 99 99 0 100 200 0 1 1 0\n"
             "device srv:/ mounted on /mnt/a b with fstype nfs4 statvers=1.1\n"
             "\txprt:\trdma 0 0 1 1 1 99 99 0 0 0\n"
             "\t       READ: 10 10 0 2000 1051000 0 1 1 0\n"
             "\t       WRITE: 2 2 0 40000 400 0 1 1 0\n"
             "\t       GETATTR: 50 50 0 10000 12000 0 1 1 0\n"
             "\t       NULL: 0 0 0 0 0 0 0 0 0\n")

    def setUp(self):
        super().setUp()
        self.write("proc/self/mounts", self.MOUNTS)
        self.write("proc/self/mountstats", self.STATS)
        self.conn = connection()
        explain.connections = lambda sides: ([self.conn], ["client"])

    def tearDown(self):
        explain.connections = netlink.connections

    def report(self):
        return {op["name"]: op for op in explain.mount("/mnt/a b", self.roots)["operations"]}

    def test_operations(self):
        report = self.report()
        self.assertEqual(sorted(report), ["GETATTR", "READ", "WRITE"])
        self.assertEqual(report["READ"]["reply"], "Write chunk")
        self.assertEqual(report["READ"]["registrations"], 1)
        self.assertEqual(report["READ"]["advice"], [])
        self.assertEqual((report["WRITE"]["call"], report["WRITE"]["reply"]),
                         ("Read chunk", "inline"))
        self.assertEqual(report["WRITE"]["advice"], [])
        self.assertEqual((report["GETATTR"]["count"], report["GETATTR"]["registrations"]), (50, 0))

    def test_advice(self):
        """Larger inline messages are advised only if a copy is cheaper than a chunk."""
        for version, written, want in ((1, 8000, "rdma_max_inline_write >= 8056"),
                                       (2, 8000, "receive_buffer_max >= 8072 on both sides"),
                                       (2, 40000, None)):
            self.conn["rpcrdma_version"] = version
            found = explain.estimate("WRITE", (1, written, 100), self.conn)["advice"]
            self.assertEqual([want in line for line in found], [True] if want else [], version)

    def test_readdir(self):
        """A Reply chunk is reported if the transport has offered one."""
        for chunks, pulled, length, want in (
                (0, False, 900, "inline"), (0, True, 9000, "inline, or read by the client if long"),
                (3, True, 900, "inline, or read by the client if long"),
                (3, True, 9000, "Reply chunk"), (3, False, 900, "Reply chunk")):
            self.conn["counters"]["reply_calls"] = chunks
            self.conn["read_replies"] = pulled
            found = explain.estimate("READDIR", (1, 200, length), self.conn)
            self.assertEqual(found["reply"], want, (chunks, pulled, length))
            self.assertEqual(found["advice"], [
                "client.read_replies=1 and the server's read_replies=1"] if chunks and not pulled
                else [])

    def test_nconnect(self):
        other = connection(id=2, counters={"reply_calls": 4})
        explain.connections = lambda sides: ([self.conn, other], ["client"])
        conn = explain.mount("/mnt/a b", self.roots)["connection"]
        self.assertEqual((conn["id"], conn["counters"]["reply_calls"]), (1, 4))

    def test_text(self):
        self.conn["inline_send"] = 256
        self.write("proc/self/mountstats", self.STATS.replace("40000", "4000"))
        self.assertIn("WRITE without chunks:",
                      explain.text(explain.mount("/mnt/a b", self.roots)))

    def test_refusals(self):
        for point, why in (("/tcp", "not NFS over RDMA"), ("/nothing", "nothing is mounted")):
            with self.assertRaisesRegex(netlink.Error, why):
                explain.mount(point, self.roots)
        self.conn["state"] = "none"
        with self.assertRaisesRegex(netlink.Error, "no connection"):
            explain.mount("/mnt/a b", self.roots)
        self.conn["peer"] = {"ip": "192.0.2.7"}
        with self.assertRaisesRegex(netlink.Error, "no transport"):
            explain.mount("/mnt/a b", self.roots)


class Rates(Files):
    """A mount that only writes, in two samples"""

    MOUNTS = "srv:/ /mnt nfs4 rw,vers=4.2,proto=rdma,port=20049,addr=192.0.2.1 0 0\n"
    STATS = ("device srv:/ mounted on /mnt with fstype nfs4 statvers=1.1\n"
             "\tbytes:\t0 9 0 %(bytes)d 0 %(bytes)d 0 5\n"
             "\t       NULL: 1 1 0 44 24 0 0 0 0\n"
             "\t       WRITE: %(ops)d %(sent)d 0 9 9 1 7 %(ms)d 0\n")
    NFSD = ("rc 0 0 1\nio 100 %(bytes)d\nrpc %(ops)d 0 0 0 0\n"
            "proc3 22 1 2 3 4 5 6 7 %(ops)d 9 0 0 0 0 0 0 0 0 0 0 0 0 0\n")

    def look(self, **numbers):
        self.write("proc/self/mounts", self.MOUNTS)
        self.write("proc/self/mountstats", self.STATS % numbers)
        self.write("proc/net/rpc/nfsd", self.NFSD % numbers)

    def args(self, **more):
        return argparse.Namespace(**dict(side=None, mount=None, server=None, device=None, count=1,
                                         interval=0.1, json=True, **more))

    def frame(self, args, before, after):
        """The rates between the first and the second sample"""
        self.look(bytes=0, ops=10, sent=10, ms=0)

        def meanwhile(gather, interval):
            self.look(bytes=8000000, ops=30, sent=31, ms=40)
            looks.reverse()
            return rates.pause(gather, interval)

        looks = [before, after]
        found = list(rates.frames(lambda: looks[0], args, self.roots, meanwhile))
        self.assertEqual(len(found), 1)
        return found[0]

    def test_a_write_load_is_writes(self):
        frame = self.frame(self.args(), [connection()], [connection()])
        mount, nfsd = frame["nfs"]
        for line in mount, nfsd:
            self.assertEqual(line["rates"]["reads"], 0, line)
            self.assertEqual(line["rates"]["writes"], line["rates"]["operations"], line)
            self.assertAlmostEqual(line["rates"]["write_bytes"] / line["rates"]["writes"], 4e5)
        self.assertAlmostEqual(mount["rates"]["writes"] / mount["rates"]["resent"], 20)
        self.assertEqual((mount["latency_ms"], nfsd["latency_ms"]), (2, None))
        self.assertRegex(frame["time"], r"^\d{4}-\d\d-\d\dT[0-9:]{8}\+00:00$")
        self.assertRegex(rates.watch(frame), r"(?s)OPS/s.*/mnt +srv .* 2.00 .*nfsd .* - .*"
                                             r"READ-CHUNKS/s.*client:1 +192\S+ +up ")

    def test_nothing_is_there(self):
        frame = {"nfs": [], "connections": []}
        self.assertEqual(rates.watch(frame), "no connections")
        self.assertIsNone(rates.of_nfsd(self.roots))
        self.write("proc/net/rpc/nfsd", "io\nrpc 1\n")
        self.assertIsNone(rates.of_nfsd(self.roots))

    def test_filters(self):
        other = connection(id=2, peer={"ip": "192.0.2.2"}, device="siw0")
        served = connection(side="server", peer={"ip": "192.0.2.1"})
        self.look(bytes=0, ops=1, sent=1, ms=0)
        for more, want in (({"mount": "/mnt/"}, [1]), ({"server": "srv"}, [1]),
                           ({"server": "192.0.2.2"}, [2]), ({"server": "nobody"}, []),
                           ({"device": "siw0"}, [2]), ({}, [1, 2, 1])):
            args = self.args()
            vars(args).update(more)
            found = mounts.select([connection(), other, served], args, self.roots)
            self.assertEqual([conn["id"] for conn in found], want, more)
            lines = [line["id"] for line in rates.nfs(found, args, self.roots)]
            self.assertEqual(lines, {(1,): ["/mnt"], (1, 2, 1): ["/mnt", "nfsd"]}.get(
                tuple(want), []), more)
        for point in ("/", "/elsewhere"):
            args.mount = point
            with self.assertRaises(netlink.Error):
                mounts.select([], args, self.roots)

    def test_between(self):
        after = connection(counters={"calls": 150, "read_calls": 7})
        new = connection(id=2, counters={"calls": 10})
        lines = rates.between([connection()], [after, new], 2.0)
        self.assertEqual([line["rates"]["calls"] for line in lines], [25, 5])
        self.assertEqual(lines[0]["rates"]["read_calls"], 0)

    def test_top(self):
        """Clients and their total; a client that only writes has only WRITE/s."""
        conns = [dict(connection(side="server", peer={"ip": ip}), seen=seen,
                      rates={"calls": rate, "read_calls": rate, "call_bytes": 1e6})
                 for ip, rate, seen in (("192.0.2.1", 1, 4), ("192.0.2.2", 9, 45),
                                        ("192.0.2.1", 2, 5))]
        frame = rates.by_client({"connections": conns, "looks": 50, "nfs": []})
        self.assertEqual([(line["client"], line["connections"], line["rates"]["writes"],
                           line["rates"]["reads"], line["latency_ms"])
                          for line in frame["clients"] + [frame["total"]]],
                         [("192.0.2.2", 1, 9, 0, 100), ("192.0.2.1", 2, 3, 0, None),
                          ("total", 3, 12, 0, 90)])
        self.assertRegex(rates.top(frame).splitlines()[3], r"^total +3 +12 +0 +0.0 +12 +3.0 +90.00 ")

    def test_calls_in_progress(self):
        conn = connection(side="server", credits_used=4)
        looks, seen = rates.look_often(lambda: [conn, connection(credits_used=0)], 0.1)
        self.assertGreaterEqual(looks, 1)
        self.assertEqual(seen, {("server", 1): 4 * looks, ("client", 1): 0})

    def test_in_place(self):
        class Terminal(io.StringIO):
            def isatty(self):
                return True

        with contextlib.redirect_stdout(Terminal()) as out:
            args = self.args()
            args.json = False
            rates.show([{"time": "T", "n": "x" * 500}] * 2, args, lambda frame: frame["n"])
        text = out.getvalue()
        self.assertEqual(text.count("\x1b[HT\x1b[K\n"), 2)
        self.assertLess(len(text), 500)
        self.assertTrue(text.endswith("\x1b[J"))


class OpenMetrics:
    """A parser for OpenMetrics 1.0, which asserts the rules of the format."""

    NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
    LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
    SAMPLE = re.compile(r"(%s)(?:\{(%s(?:,%s)*)?\})? (-?[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?)"
                        % (NAME, LABEL, LABEL))
    DESCRIPTION = re.compile(r"# (TYPE|UNIT|HELP) (%s) (.*)" % NAME)

    def __init__(self, test, text):
        self.families, self.samples = {}, {}
        lines = text.split("\n")
        test.assertEqual(lines.pop(), "# EOF")
        current = None
        for line in lines:
            about = self.DESCRIPTION.fullmatch(line)
            if about:
                kind, name, what = about.groups()
                if name != current:
                    test.assertNotIn(name, self.families, "not in one piece")
                    current = name
                test.assertNotIn(kind, self.families.setdefault(name, {}), line)
                self.families[name][kind] = what
                continue
            sample = self.SAMPLE.fullmatch(line)
            test.assertTrue(sample, line)
            counts = self.families[current]["TYPE"] == "counter"
            test.assertEqual(sample.group(1), current + "_total" * counts)
            test.assertNotIn(sample.groups()[:2], self.samples)
            self.samples[sample.groups()[:2]] = float(sample.group(3))
            test.assertTrue(not counts or not sample.group(3).startswith("-"), line)
        for name, family in self.families.items():
            test.assertIn(family["TYPE"], ("counter", "gauge"), name)
            test.assertTrue(family["HELP"], name)
            test.assertTrue(name.endswith("_" + family["UNIT"]) if "UNIT" in family else
                            not name.endswith(("_bytes", "_seconds")), name)
            test.assertNotRegex(name, "_(total|count|sum|bucket|created|info)$" if family[
                "TYPE"] == "counter" else "_(total|count|sum|bucket|created)$")


class Metrics(Files):
    COUNTERS = [inner for group, inner in (netlink.place(name) for name, _ in netlink.CONN)
                if group == "counters"]

    def found(self):
        conns = [connection(call_age=35), connection(id=2, state="connecting", peer={
            "ip": "192.0.2.2"}, history={"down": 86, "tries": 6, "lost": 1}),
                 connection(side="server", id=1, counters=dict.fromkeys(self.COUNTERS, 5))]
        mount = {"mount": '/mnt/"a\\b', "server": "srv", "read_bytes": 7, "write_bytes": 8,
                 "operations": {"WRITE": dict(zip(mounts.OPERATION, (3, 4, 0, 0, 0, 0, 0, 1500)))}}
        return [*metrics.of_connections(conns, ["client", "server"]),
                *metrics.of_ended({"server": {"peer": 4}, "client": {"refused": 6}}), *metrics.of_mounts([mount])]

    def test_grammar_and_names(self):
        samples = OpenMetrics(self, metrics.text(metrics.families(self.found()))).samples
        for name, labels, want in (
                ("client_connections", 'state="connected"', 1),
                ("client_connections", 'state="none"', 0),
                ("client_calls_total", 'connection="1",peer="192.0.2.1"', 100),
                ("client_history_lost_total", 'connection="2",peer="192.0.2.2"', 1),
                ("client_history_since_seconds", 'connection="1",peer="192.0.2.1"', 5),
                ("client_inline_send_bytes", 'connection="1",peer="192.0.2.1"', 4096),
                ("client_registrations", 'connection="1",peer="192.0.2.1"', 5),
                ("client_registrations_busy", 'connection="1",peer="192.0.2.1"', 1),
                ("server_call_bytes_total", 'connection="1",peer="192.0.2.1"', 5),
                ("server_memory_bytes", 'connection="1",peer="192.0.2.1",kind="receives"', 204800),
                ("server_ended_total", 'reason="peer"', 4),
                ("client_ended_total", 'reason="refused"', 6),
                ("client_history_down_seconds", 'connection="2",peer="192.0.2.2"', 86),
                ("client_call_age_seconds", 'connection="1",peer="192.0.2.1"', 35),
                ("module_loaded", 'module="svcrdma"', 1),
                ("mount_write_bytes_total", 'mount="/mnt/\\"a\\\\b",server="srv"', 8),
                ("mount_operation_seconds_total",
                 'mount="/mnt/\\"a\\\\b",server="srv",operation="WRITE"', 1.5)):
            self.assertEqual(samples.get(("rpcrdma_" + name, labels)), want, name)

    def test_every_counter_is_a_metric(self):
        names = metrics.families(self.found())
        for kind in self.COUNTERS:
            self.assertEqual(names["rpcrdma_server_" + kind]["type"], "counter")

    def test_seconds_and_bytes_have_their_unit(self):
        with open(os.path.join(TOP, "include/rpcrdma/netlink.h"), encoding="ascii") as file:
            text = re.sub(r"\n \*\t", " ", file.read())
        for unit, words in (("seconds", "seconds? since"), ("bytes", "bytes; |bytes of calls|bytes of replies")):
            for name in re.findall(r"@RPCRDMA_NL_(?:COUNT_|HISTORY_)?([A-Z_]+): [^@]*?(?:%s)" % words,
                                   text):
                if not name.startswith(("MEM_", "PROP_", "PATH_", "ENDED_")):
                    name = name.lower()
                    self.assertTrue(name.endswith("_" + unit) or metrics.UNITS.get(name) == unit,
                                    name)

    def test_textfile(self):
        """A file for node_exporter has the older format, and is complete at any time."""
        path = self.write("rpcrdma.prom", "old")
        metrics.put(path, metrics.text(metrics.families(self.found()), openmetrics=False), 0o644)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("# TYPE rpcrdma_client_calls_total counter\n# HELP", text)
        self.assertTrue(text.endswith("\n") and "EOF" not in text and "UNIT" not in text)
        self.assertEqual((os.listdir(os.path.dirname(path)), os.stat(path).st_mode & 0o777),
                         (["rpcrdma.prom"], 0o644))
        with self.assertRaisesRegex(netlink.Error, "cannot be written"):
            metrics.put("/proc/nothing/file", "", 0o644)
        if shutil.which("promtool"):
            done = subprocess.run(["promtool", "check", "metrics"], input=text, text=True,
                                  capture_output=True, check=False)
            self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))

    def test_rules_and_dashboard_know_the_names(self):
        known = set()
        for name, family in metrics.families(self.found()).items():
            known.add(name + "_total" * (family["type"] == "counter"))
        folder = os.path.join(TOP, "packaging/prometheus")
        for file in ("rpcrdma-rules.yml", "rpcrdma-dashboard.json"):
            with open(os.path.join(folder, file), encoding="ascii") as opened:
                text = opened.read()
            used = set(re.findall(r"\brpcrdma_\w+", text))
            self.assertTrue(used and used <= known, (file, used - known))
        self.assertTrue(json.loads(text)["panels"])


class Report(Files):
    TEXT = """link/ether 52:54:00:12:34:56 brd ff:ff:ff:ff:ff:ff
inet 192.0.2.1/24 peer [2001:db8::5]:20049, fe80::5054:ff:fe12:3456%eth0: it was lost
GID 0000:0000:0000:0000:0000:ffff:c000:0201 node_guid 5254:00ff:fe12:3456
nfs: server Storage.example.com not responding; storage, storage2 at 12:34:56
krb5: nfs@other.lab.example.com, example.com
127.0.0.1 ::1 0.0.0.0:2049 ::
version 6.12.94 firmware 22.31.1014"""

    def test_mask(self):
        mask = report.Mask({"storage", "storage.example.com", "localhost", ""})
        text = mask(self.TEXT)
        self.assertEqual(text, """link/ether hardware-1 brd hardware-2
inet ipv4-1/24 peer [ipv6-1]:20049, ipv6-2%eth0: it was lost
GID ipv4-1 node_guid hardware-3
nfs: server host-1 not responding; host-2, storage2 at 12:34:56
krb5: nfs@host-3, example.com
127.0.0.1 ::1 0.0.0.0:2049 ::
version 6.12.94 firmware 22.31.1014""")
        self.assertEqual(mask("192.0.2.1: closed."), "ipv4-1: closed.")
        self.assertEqual(mask("192.0.2.10."), "ipv4-2.")
        self.assertEqual(report.Mask(set())("storage"), "storage")

    def gather(self, mask, log):
        self.addCleanup(setattr, doctor, "command", doctor.command)
        doctor.command = lambda *words: log if words[0] == "dmesg" else None
        self.write("proc/self/mounts", Rates.MOUNTS + "other:/x /y nfs rw,proto=tcp 0 0\n")
        self.write("proc/self/mountstats", "device srv:/ mounted on /mnt with fstype nfs4 x\n"
                   "\topts:\trw,password=hidden,proto=rdma\n\txprt:\trdma 1\n"
                   "device other:/x mounted on /y with fstype nfs x\n\txprt:\ttcp 9\n")
        return report.gather("rpcrdmactl 1", self.roots, mask)

    def test_sections(self):
        found = self.gather(False, "rpcrdma: lost 192.0.2.1\nusb 1-1: of a keyboard\n")
        self.assertEqual(list(found)[:2], ["doctor", "versions"])
        self.assertEqual(found["kernel log"], "rpcrdma: lost 192.0.2.1")
        self.assertEqual(found["mounts"], "device srv:/ mounted on /mnt with fstype nfs4 x\n"
                                          "\topts:\trw,proto=rdma\n\txprt:\trdma 1")
        self.assertIn("ip -s link", found["missing"])
        self.assertTrue(report.text(found).startswith("==== doctor\n"))

    def test_masked(self):
        text = report.text(self.gather(True, "nfs: server gone not responding, 192.0.2.1\n"))
        self.assertRegex(text, "nfs: server host-[0-9] not responding, ipv4-1")
        self.assertNotRegex(text, r"192\.0\.2|\bsrv\b|\bgone\b")


class Doctor(Files):
    def found(self, check):
        return list(check(self.roots))

    def test_empty_host(self):
        self.assertEqual(self.found(doctor.devices)[0][0], "bad")
        self.assertEqual([line[0] for line in self.found(doctor.modules)], ["note", "note"])
        self.assertEqual(self.found(doctor.server)[0][0], "note")

    def test_modules(self):
        self.write("sys/module/rpcrdma/refcnt", "1\n")
        self.write("sys/module/svcrdma/refcnt", "1\n")
        self.assertEqual([line[0] for line in self.found(doctor.modules)], ["bad", "note", "ok"])

    def programs(self, outputs):
        """Outputs of programs, by their third word; None means not installed."""
        self.addCleanup(setattr, doctor, "attempt", doctor.attempt)
        doctor.attempt = lambda *words: (outputs[words[2]], "it is not installed")

    def test_modprobe(self):
        needs = "insmod /lib/modules/6.12/kernel/net/sunrpc/sunrpc.ko\n"
        ours = needs + "install /sbin/modprobe --ignore-install xprtrdma $CMDLINE_OPTS\n"
        own = needs + "insmod /lib/modules/6.12/kernel/net/sunrpc/xprtrdma/rpcrdma.ko\n"
        for depends, file, want in ((ours, "/lib/modules/6.12/updates/dkms/xprtrdma.ko.xz\n", "ok"),
                                    (ours, own[len(needs):], "note"), (own, "", "note"),
                                    (None, None, "note")):
            self.programs({"rpcrdma": depends, "filename": file})
            self.assertEqual([line[0] for line in self.found(doctor.modprobe)], [want], depends)
        self.assertIn("would load: modprobe: it is not installed",
                      self.found(doctor.modprobe)[0][1])

    def test_attempt(self):
        self.assertEqual(doctor.attempt("echo", "x"), ("x\n", None))
        self.assertEqual(doctor.attempt("sh", "-c", "echo a >&2; echo b >&2; exit 3"), (None, "b"))
        self.assertEqual(doctor.attempt("sh", "-c", "exit 3"), (None, "it has failed"))
        self.assertEqual(doctor.attempt("no-such-program"), (None, "it is not installed"))

    def signed(self, signer):
        """The result of the check if modinfo names this signer"""
        self.programs({"filename": "/lib/xprtrdma.ko\n", "signer": signer})
        return [(status, what + advice) for status, what, advice in self.found(doctor.signatures)]

    def test_signatures(self):
        self.write("sys/kernel/security/lockdown", "[none] integrity confidentiality\n")
        self.assertEqual(self.signed(""), [])
        self.write("sys/kernel/security/lockdown", "none [integrity] confidentiality\n")
        self.assertIn("not signed", self.signed("\n")[0][1])
        self.assertEqual(self.signed("my key\n")[0][0], "note")
        self.write("proc/keys", "2b1c I-- 1 perm 1f030000 0 0 asymmetri your key: 6c: X509.rsa 6c []")
        self.assertEqual(self.signed("my key\n")[0][0], "bad")
        self.assertIn("mokutil --import", self.signed("my key\n")[0][1])
        self.assertEqual(self.signed("your key\n")[0][0], "ok")
        self.write("sys/module/xprtrdma/refcnt", "1\n")
        self.assertEqual(self.signed("my key\n")[0][0], "ok")

    def test_signatures_enforced(self):
        self.write("sys/module/module/parameters/sig_enforce", "N\n")
        self.assertEqual(self.signed(""), [])
        self.write("sys/module/module/parameters/sig_enforce", "Y\n")
        self.assertEqual(self.signed("")[0][0], "bad")

    def port(self, state, mtu, gid):
        port = "sys/class/infiniband/rxe0/ports/1"
        self.write(port + "/state", state + "\n")
        self.write(port + "/link_layer", "Ethernet\n")
        self.write(port + "/gids/0", gid + "\n")
        self.write(port + "/gid_attrs/ndevs/0", "eth0\n")
        self.write("sys/class/net/eth0/mtu", "%d\n" % mtu)

    def test_port(self):
        self.port("4: ACTIVE", 9000, "0000:0000:0000:0000:0000:ffff:c000:0201")
        for check in (doctor.devices, doctor.gids, doctor.mtu):
            self.assertEqual([line[0] for line in self.found(check)], ["ok"], check)
        self.assertEqual(self.found(doctor.pfc), [])
        self.write("sys/class/infiniband/rxe0/device/vendor", "0x15b3\n")
        for said, status, what in ((None, "note", "is not known: dcb: it is not installed"),
                                   ('{"prio-pfc": {"0": false, "3": true}}', "ok", "priority 3"),
                                   ('{"prio-pfc": {"0": false}}', "note", "no priority flow")):
            self.programs({"pfc": said})
            found = self.found(doctor.pfc)
            self.assertEqual([line[0] for line in found], [status])
            self.assertIn(what, found[0][1])

    def test_mtu(self):
        """A usual MTU is not a fault; the rest of the path is not checked."""
        for mtu, size in ((1500, 1024), (2200, 2048), (4191, 2048), (4200, 4096), (9000, 4096)):
            self.port("4: ACTIVE", mtu, "1")
            self.assertEqual(self.found(doctor.mtu), [
                ("ok", "rxe0: MTU of eth0 is %d, so RoCE packets carry up to %d bytes" % (
                    mtu, size), "")])

    def test_paths(self):
        """A path MTU that differs from this host's is reported; a usual path MTU is not."""
        self.addCleanup(setattr, doctor, "connections", doctor.connections)
        for sizes, want in (((4096, 4096), []), ((1024, 4096), ["note"]), ((8192,), ["bad"]),
                            ((1024, 1024), ["note"]), ((), [])):
            self.port("4: ACTIVE", 4200, "1")
            doctor.connections = lambda sizes=sizes: ([
                {"side": "server", "id": 1 + number, "device": "rxe0", "path": {"mtu": size}}
                for number, size in enumerate(sizes)] + [
                    {"side": "client", "id": 9, "device": "siw0"}, {"side": "client", "id": 10}],
                ["client", "server"])
            found = self.found(doctor.paths)
            self.assertEqual([line[0] for line in found], want)
        doctor.connections = lambda: ([{"side": "client", "id": number, "device": "rxe0",
                                        "path": {"mtu": 2048}} for number in (1, 2, 3)], ["client"])
        self.port("4: ACTIVE", 1500, "1")
        self.assertEqual(self.found(doctor.paths)[0][1], "client:1 and 2 others: packets of 2048 "
                         "bytes, but the MTU of eth0 permits 1024")

    def test_bad_port(self):
        self.port("1: DOWN", 1500, "0000:0000:0000:0000:0000:0000:0000:0000")
        self.assertEqual([self.found(check)[0][0]
                          for check in (doctor.devices, doctor.gids, doctor.mtu)],
                         ["bad", "bad", "ok"])

    def test_server(self):
        self.assertIn("is not running", self.found(doctor.server)[0][1])
        self.write("sys/module/nfsd/refcnt", "1\n")
        self.assertIn("was not checked", self.found(doctor.server)[0][1])
        self.write("proc/fs/nfsd/threads", "8\n")
        self.write("proc/fs/nfsd/portlist", "tcp 2049\n")
        self.assertEqual([line[0] for line in self.found(doctor.server)], ["bad", "note"])
        self.write("proc/fs/nfsd/portlist", "rdma 20049\ntcp 2049\n")
        self.write("proc/fs/nfs/exports", "# Version 1.1\n/srv *(rw)\n")
        self.assertEqual([line[0] for line in self.found(doctor.server)], ["ok", "ok"])

    def test_links(self):
        self.addCleanup(setattr, doctor, "connections", doctor.connections)
        down = {"down": 86, "tries": 6, "error": -111}
        for conn, want in (
                (connection(), ["ok", "note"]), (connection(history={}), ["ok"]),
                (connection(history={}, call_age=4, call_stage="server"), ["ok"]),
                (connection(history={}, call_age=35, call_stage="server"), ["bad"]),
                (connection(state="none", history=down), ["bad"]),
                (connection(state="connecting", history={"down": 4, "tries": 0}), ["note"]),
                (connection(state="connecting", history={"down": 5, "tries": 0}), ["bad"]),
                (connection(state="none", history={"since": 9, "reason": "closed"}), ["ok"]),
                (connection(side="server"), ["ok"])):
            doctor.connections = lambda conn=conn: ([conn], ["client"])
            self.assertEqual([line[0] for line in self.found(doctor.links)], want, conn)

    def test_trouble(self):
        """The first line about a transport names the fault and the next step."""
        self.addCleanup(setattr, doctor, "connections", doctor.connections)
        for conn, want in (
                (connection(state="none", history={"down": 86, "tries": 6, "error": -111}),
                 "client:1, - to 192.0.2.1:20049: down for 86 s, 6 attempts failed, the last: "
                 "connection refused: nothing listens there"),
                (connection(state="none", history={"down": 7, "tries": 1, "error": -101}),
                 "1 attempt failed, the last: network is unreachable: there is no route"),
                (connection(state="none", history={"down": 7, "tries": 1, "error": -113}),
                 "no disk blocks nfsd"),
                (connection(call_age=35, call_stage="credit"),
                 "oldest call 35 s, waits for a credit: other calls use all credits")):
            doctor.connections = lambda conn=conn: ([conn], ["client"])
            line = self.found(doctor.links)[0]
            self.assertIn(want, "%s: %s" % line[1:])
        self.assertIs(doctor.CHECKS[0], doctor.links)

    def test_text(self):
        self.assertEqual(doctor.text([{"status": "bad", "what": "a", "advice": "b"},
                                      {"status": "ok", "what": "c", "advice": ""}]),
                         "bad   a: b\nok    c")


class Firewall(Files):
    """Tests with outputs of programs, without the programs"""

    def setUp(self):
        super().setUp()
        self.outputs, self.asked = {}, []
        self.conf = os.path.join(os.path.dirname(self.roots.sys), "ufw.conf")

    def run_program(self, *words):
        self.asked.append(words)
        return self.outputs.get(" ".join(words))

    def found(self, is_root=True):
        return firewall.check(self.run_program, self.roots, is_root, self.conf)

    def status(self, want, part, **more):
        lines = self.found(**more)
        self.assertEqual([line[0] for line in lines], want if isinstance(want, list) else [want],
                         lines)
        self.assertIn(part, " ".join(lines[-1]))

    def device(self, name, kind):
        self.write("sys/class/infiniband/%s/node_type" % name, kind + "\n")

    def test_ports_of_devices(self):
        self.assertEqual(firewall.needed(self.roots), [("tcp", 20049), ("udp", 4791)])
        self.device("rxe0", "1: CA")
        self.assertEqual(firewall.needed(self.roots), [("udp", 4791)])
        self.device("siw0", "4: RNIC")
        self.assertEqual(firewall.needed(self.roots), [("tcp", 20049), ("udp", 4791)])

    def test_nftables(self):
        self.device("rxe0", "1: CA")
        for rules, want, part in (
                ("", "ok", "no rule drops"), ("policy drop;", "note", "none names UDP 4791"),
                ("policy drop;\n udp dport 4791 accept", "ok", "name UDP 4791"),
                ("policy drop;\n udp dport { 53, 4000-5000 } accept", "ok", "name"),
                ("policy drop;\n tcp dport 4791 accept", "note", "none names"),
                ("policy drop;\n udp dport 53 counter packets 4791 bytes 9 accept", "note", "none"),
                ("policy drop;\n ip saddr 47.91.4.4791 accept", "note", "an address"),
                ("udp dport 4791 drop", "note", "a rule drops UDP 4791"),
                ("reject\n elements = { 4791 }", "ok", "name")):
            self.outputs = {"nft list ruleset": rules}
            self.status(want, part)

    def test_service_by_its_name(self):
        self.device("siw0", "4: RNIC")
        self.outputs = {"nft list ruleset": "policy drop;\n tcp dport nfsrdma accept"}
        self.status("ok", "name TCP 20049")

    def test_nothing_to_ask(self):
        self.status("note", "could not be read", is_root=False)
        self.status("note", "nft is not installed", is_root=True)

    def test_older_tables(self):
        self.device("siw0", "4: RNIC")
        nft = {"nft list ruleset": ""}
        self.write("proc/net/ip_tables_names", "nat\n")
        self.outputs = dict(nft, **{"iptables -S": "-P INPUT DROP"})
        self.status("ok", "nftables")
        self.assertNotIn(("iptables", "-S"), self.asked)
        self.write("proc/net/ip_tables_names", "filter\n")
        for program, family in (("iptables-legacy -S", "ip"), ("iptables -S", "ip"),
                                ("ip6tables-legacy -S", "ip6"), ("ip6tables -S", "ip6")):
            if family == "ip6":
                self.write("proc/net/ip_tables_names", "")
                self.write("proc/net/ip6_tables_names", "filter\n")
            for rules, want, part in (
                    ("-P INPUT ACCEPT\n-P FORWARD DROP", "ok", "no rule drops"),
                    ("-P INPUT DROP\n-A INPUT -p tcp --dport 22 -j ACCEPT", "note", "none names"),
                    ("-P INPUT DROP\n-A INPUT -p tcp -m multiport --dports 22,20000:21000 -j ACCEPT",
                     "ok", "name TCP 20049"),
                    ("-A INPUT -p tcp -m tcp --dport 20049 -j REJECT", "note", "a rule drops")):
                self.outputs = dict(nft, **{program: rules})
                self.status(["ok", want], part)
        self.outputs = nft
        self.status(["ok", "note"], "could not be read")

    ZONE = "home (active)\n  target: %s\n  services: ssh %s\n  ports: %s\n  rich rules: %s\n"

    def zone(self, target="default", services="", ports="", rich="", info="  ports: 22/tcp"):
        self.device("rxe0", "1: CA")
        self.outputs = {
            "firewall-cmd --state": "running\n",
            "firewall-cmd --get-active-zones": "home (default)\n  interfaces: eth0\n",
            "firewall-cmd --zone=home --list-all": self.ZONE % (target, services, ports, rich),
            "firewall-cmd --info-service=ssh": "ssh\n  ports: 22/tcp\n",
            "firewall-cmd --info-service=rdma": "rdma\n" + info + "\n",
            "nft list ruleset": "reject"}

    def test_firewalld(self):
        for more, want, part in (
                ({}, "note", "--zone=home --add-port=4791/udp"),
                ({"ports": "4791/udp"}, "ok", "permits UDP 4791"),
                ({"ports": "4000-5000/udp"}, "ok", "permits"),
                ({"ports": "4791/tcp"}, "note", "does not permit"),
                ({"target": "ACCEPT"}, "ok", "permits"),
                ({"services": "rdma", "info": "  ports: 4791/udp"}, "ok", "permits"),
                ({"services": "other"}, "note", "could not be read, decide"),
                ({"rich": "\n\trule family=ipv4 accept"}, "note", "rich rules")):
            self.zone(**more)
            self.status(want, part)
        del self.outputs["firewall-cmd --zone=home --list-all"]
        self.status("note", "could not be read")
        self.outputs["firewall-cmd --state"] = "not running\n"
        self.status("note", "nftables")

    def test_ufw(self):
        self.device("rxe0", "1: CA")
        head = "Status: active\nDefault: deny (incoming), allow (outgoing)\n\nTo Action From\n"
        for text, want, part in (
                (head, "note", "ufw allow 4791/udp"),
                (head + "4791/udp ALLOW IN Anywhere\n", "ok", "permits UDP 4791"),
                (head + "4791 ALLOW IN 10.0.0.0/8\n", "ok", "permits"),
                (head + "4000:5000/udp ALLOW IN Anywhere\n", "ok", "permits"),
                (head + "4791/tcp ALLOW IN Anywhere\n", "note", "does not permit"),
                (head + "4791/udp DENY IN Anywhere\n", "note", "does not permit"),
                (head + "Anywhere ALLOW IN 10.0.0.0/8\n", "note", "unless a rule for an address"),
                ("Status: active\nDefault: allow (incoming)\n", "ok", "does not deny")):
            self.outputs = {"ufw status verbose": text, "nft list ruleset": "drop"}
            self.status(want, part)
        self.outputs = {"ufw status verbose": "Status: inactive\n", "nft list ruleset": ""}
        self.status("ok", "nftables")
        self.outputs = {"nft list ruleset": ""}
        self.write("ufw.conf", "LOGLEVEL=low\nENABLED=yes\n")
        self.status("note", "ufw: its rules could not be read")
        self.write("ufw.conf", "ENABLED=no\n")
        self.status("ok", "nftables")


class CommandLine(unittest.TestCase):
    def run_tool(self, *words, found=None, present=("client",)):
        rpcrdmactl.connections = lambda sides: (found or [], list(present))
        self.addCleanup(setattr, rpcrdmactl, "connections", netlink.connections)
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                status = rpcrdmactl.run(list(words))
            except SystemExit as end:
                status = end.code
        return status, out.getvalue(), err.getvalue()

    def test_json_everywhere(self):
        found = [connection()]
        for words in (["list", "-j"], ["-j", "show"], ["--json", "watch", "-n", "1", "-i", "0.1"],
                      ["top", "-n", "1", "-i", "0.1", "--json"]):
            status, out, _ = self.run_tool(*words, found=found)
            self.assertEqual(status, 0, words)
            answer = json.loads(out)
            self.assertEqual(len(answer if isinstance(answer, list) else
                                 answer.get("clients", answer.get("connections"))), 1, words)
        status, out, _ = self.run_tool("doctor", "--json")
        self.assertTrue(json.loads(out))

    def test_text(self):
        self.assertIn("client:1", self.run_tool("list", found=[connection()])[1])
        self.assertIn("CALLS/s", self.run_tool("watch", "-n1", "-i0.1", found=[connection()])[1])
        self.assertEqual(self.run_tool("list"), (0, "no connections\n", ""))

    def test_version(self):
        with open(os.path.join(TOP, "VERSION"), encoding="ascii") as file:
            want = "rpcrdmactl " + file.read().strip()
        for words in (["-V"], ["list", "--version"]):
            status, out, _ = self.run_tool(*words)
            self.assertEqual((status, out[:len(want)]), (0, want), words)

    def test_errors_are_one_line(self):
        for words in (["show", "nobody"], ["explain", "/"]):
            status, out, err = self.run_tool(*words, found=[connection()])
            self.assertEqual((status, out, err.count("\n")), (1, "", 1), words)
        self.assertIn("modprobe", self.run_tool("list", present=())[2])

    def test_bad_usage(self):
        for words in ([], ["watch", "-i", "0"], ["watch", "-n", "0"], ["list", "--side", "both"],
                      ["show", "--ended"]):
            self.assertEqual(self.run_tool(*words)[0], 2, words)

    def test_manual_and_completion_have_every_command(self):
        for path in ("Documentation/man/rpcrdmactl.8", "tools/rpcrdmactl/completion.bash"):
            with open(os.path.join(TOP, path), encoding="ascii") as file:
                text = file.read()
            for name in ("list", "show", "tunables", "watch", "top", "explain", "doctor", "json",
                         "ended", "report", "metrics", "mask", "textfile", "mount", "device"):
                self.assertIn(name, text, path)


class Installation(unittest.TestCase):
    """rpcrdmactl runs after installation, completes words, and leaves no files after removal."""

    def install(self, root, action):
        subprocess.run([os.path.join(TOP, "scripts/install/tools"), action], check=True,
                       stdout=subprocess.DEVNULL, env={**os.environ, "DESTDIR": root, "PREFIX": ""})

    def test_installed(self):
        needs("groff", "groff-base")
        with tempfile.TemporaryDirectory() as root:
            self.install(root, "install")
            usage = subprocess.run([root + "/usr/sbin/rpcrdmactl", "--help"], check=True,
                                   capture_output=True, text=True).stdout
            self.assertIn("doctor", usage)
            completed = subprocess.run(
                ["bash", "-c", '. "$1"; COMP_WORDS=(rpcrdmactl do) COMP_CWORD=1; _rpcrdmactl; '
                 'echo "${COMPREPLY[*]}"', "_",
                 root + "/usr/share/bash-completion/completions/rpcrdmactl"],
                check=True, capture_output=True, text=True).stdout
            self.assertEqual(completed, "doctor\n")
            manual = root + "/usr/share/man/man8/rpcrdmactl.8"
            with open(manual, encoding="ascii") as file:
                self.assertRegex(file.read(), r"(?m)^\.TH RPCRDMACTL 8")
            groff = subprocess.run(["groff", "-man", "-Tutf8", "-ww", manual], check=True,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            self.assertEqual(groff.stderr, "")
            self.install(root, "uninstall")
            self.assertEqual([name for _, _, names in os.walk(root) for name in names], [])
