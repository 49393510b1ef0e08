# SPDX-License-Identifier: GPL-2.0-only
"""Tests of what the demonstration shows, without a guest."""
import io
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "wireshark")]

import capture    # noqa: E402, pylint: disable=wrong-import-position
import bars       # noqa: E402, pylint: disable=wrong-import-position
import drawing    # noqa: E402, pylint: disable=wrong-import-position
import measured   # noqa: E402, pylint: disable=wrong-import-position
import svg        # noqa: E402, pylint: disable=wrong-import-position
from testing import needs, program    # noqa: E402, pylint: disable=wrong-import-position

MIB = 1 << 20
OURS = f"""speed ours 4.2 write {16 * MIB} 400
speed ours 4.2 write {16 * MIB} 800
speed ours 4.2 write {16 * MIB} 200
speed ours 4.2 read {16 * MIB} 160
speed ours 3 write {16 * MIB} 1600
speed ours 3 read {16 * MIB} 800
speed ours 4.1 write {16 * MIB} 400
speed tcp 4.2 write {16 * MIB} 100
speed tcp 4.2 read {16 * MIB} 80
count ours 4.2 file rpcs 260
count ours 4.2 file read_segments 64
count ours 4.2 file write_segments 128
count ours 4.2 file reply_segments 1
count ours 4.2 file replies_read 7
count ours 4.2 file call_bytes 1000
count ours 4.2 file reply_bytes 4000
count ours 4.2 file read_chunk_bytes 600
count ours 4.2 file rdma_reply_bytes 300
count ours 4.2 file replies_read_bytes 100
count ours 3 small rpcs 12345
"""
INTREE = f"""speed intree 4.2 write {16 * MIB} 500
speed intree 4.2 read {16 * MIB} 320
speed tcp-intree 4.2 write {16 * MIB} 125
speed tcp-intree 4.2 read {16 * MIB} 81
count intree 4.2 file rpcs 300
count intree 4.2 file read_segments 400
count intree 3 small rpcs 12345
count intree 3 small read_segments 100
"""


negotiation = program("scripts/show/negotiation")


def measurements(*texts):
    """What these lines say."""
    found = measured.Measured()
    for line in "".join(texts).splitlines():
        found.add(line)
    return found


def run(*words, env=(), files=(OURS, INTREE), wanted=0):
    """The output of scripts/show/charts, and the drawing if there is one."""
    with tempfile.TemporaryDirectory() as folder:
        names = []
        for number, text in enumerate(files):
            names.append(os.path.join(folder, str(number)))
            with open(names[-1], "w", encoding="ascii") as file:
                file.write(text)
        drawn = os.path.join(folder, "svg")
        done = subprocess.run(
            [sys.executable, os.path.join(HERE, "charts"), *words, "--svg", drawn, *names],
            env={"PATH": os.environ["PATH"], **dict(env)}, check=False, capture_output=True)
        if done.returncode != wanted:
            raise AssertionError(f"status {done.returncode}: {done.stderr.decode()}")
        try:
            with open(drawn, encoding="utf-8") as file:
                return done.stdout, done.stderr.decode(), file.read()
        except OSError:
            return done.stdout, done.stderr.decode(), None


class Reading(unittest.TestCase):
    """What the guests have written."""

    def test_middle_piece(self):
        """MiB/s of the middle one; a piece that took no time is no division by zero."""
        found = measurements(OURS)
        self.assertEqual(found.speed("ours", "4.2", "write"), 40)
        self.assertEqual(found.speed("ours", "4.2", "read"), 100)
        self.assertEqual(found.speed("ours", "3", "read"), 20)
        self.assertEqual(measurements(f"speed tcp 3 read {MIB} 0").speed("tcp", "3", "read"), 1000)
        self.assertIsNone(found.speed("intree", "4.2", "read"))

    def test_side_by_side(self):
        """Newest version first; transports in one order; none of which a direction is missing."""
        rows = measurements(INTREE, OURS).speeds()
        self.assertEqual([(v, [name for name, _ in row]) for v, row in rows],
                         [("4.2", ["ours", "intree", "tcp"]), ("3", ["ours"])])
        self.assertEqual(rows[0][1][1], ("intree", {"write": 32, "read": 50}))

    def test_bytes(self):
        """What was not in registered memory was inline; nothing is negative."""
        counts = measurements(OURS).counts[("ours", "4.2", "file")]
        self.assertEqual(counts.moved(), (4000, 1000))
        self.assertEqual([n for _, n in counts.segments()], [64, 128, 1, 7])
        self.assertEqual(measured.Counts(call_bytes=5, read_chunk_bytes=9).moved(), (0, 9))
        self.assertIsNone(measured.Counts(call_bytes=5, rdma_reply_bytes=9).moved())

    def test_scatter(self):
        """The middle one of the distances between the slowest and the fastest piece."""
        self.assertEqual(measurements(OURS).scatter(), 0)
        lines = OURS.splitlines(keepends=True)
        self.assertEqual(measurements(*lines[:3]).scatter(), 150)

    def test_loads(self):
        """The large file first; both transports beside each other."""
        rows = measurements(INTREE, OURS).loads()
        self.assertEqual([row[:2] for row in rows], [("4.2", "file"), ("3", "small")])
        self.assertEqual([name for name, _ in rows[0][2]], ["ours", "intree"])

    def test_spread(self):
        """The larger difference of TCP's between the guests counts; none without both."""
        self.assertAlmostEqual(measurements(OURS, INTREE).spread(), 20)
        self.assertIsNone(measurements(OURS).spread())

    def test_bad_lines(self):
        """Nothing that is not understood is passed over."""
        for line in ("", "speed ours 4.2 write 1", "speed ours 4.2 both 1 1",
                     "speed theirs 4.2 write 1 1", "speed ours 5 write 1 1",
                     "speed ours 4.2 write 0 1", "speed ours 4.2 write 1 -1",
                     "count ours 4.2 file rpcs x", "count ours 4.2 file sheep 1",
                     "count ours 4.2 none rpcs 1", "size ours 4.2 file 1 1"):
            with self.assertRaises(ValueError, msg=line):
                measurements().add(line)

    def test_names_file_and_line(self):
        """An error says where it is, in one line, and there is no drawing."""
        out, error, drawn = run(files=(OURS, INTREE + "nonsense\n"), wanted=1)
        self.assertEqual((out, drawn), (b"", None))
        self.assertRegex(error, r"^charts: \S+/1:9: .*nonsense\n$")

    def test_nothing_measured(self):
        """Counters alone are not enough."""
        self.assertIn("nothing was measured", run(files=("count ours 3 small rpcs 1\n",),
                                                  wanted=1)[1])


class InTerminal(unittest.TestCase):
    """Bars of text."""

    def test_lengths(self):
        """In proportion, always of the same width, and not empty if there is something."""
        plain = bars.Bars(False, False)
        self.assertEqual(plain.one(50, 100, 10), "#####     ")
        self.assertEqual(plain.one(100, 100, 10), "##########")
        self.assertEqual(plain.one(1, 1000, 10), "#         ")
        self.assertEqual(plain.one(0, 1000, 4), "    ")
        self.assertEqual(plain.one(0, 0, 4), "    ")

    def test_eighths(self):
        """UTF-8 shows eighths of a character."""
        fine = bars.Bars(True, False)
        self.assertEqual(fine.one(25, 100, 10), "██▌       ")
        self.assertEqual(fine.one(100, 100, 3), "███")
        self.assertEqual(fine.one(1, 10000, 3), "▏  ")

    def test_parts(self):
        """Rounding does not make the whole longer."""
        plain = bars.Bars(False, False)
        self.assertEqual(plain.parts([1, 1, 2], 8, 16), "##==++++        ")
        self.assertEqual(plain.parts([1, 1, 1], 3, 10), "###====+++")
        self.assertEqual(plain.parts([0, 0], 0, 4), "    ")
        self.assertEqual(bars.Bars(True, False).parts([1, 1], 2, 4), "██▓▓")
        self.assertEqual(plain.key(["a", "b"]), "# a   = b")

    def test_colours(self):
        """Only around what is drawn."""
        colour = bars.Bars(False, True)
        self.assertEqual(colour.one(1, 2, 4, 2), "\x1b[33m##\x1b[0m  ")
        self.assertEqual(colour.parts([0, 1], 1, 2), "\x1b[90m==\x1b[0m")

    def test_locale(self):
        """The first variable that is set decides; an empty one is not set."""
        for environ, want in (({}, False), ({"LANG": "C"}, False), ({"LANG": "de_DE.UTF-8"}, True),
                              ({"LANG": "C.utf8"}, True), ({"LANG": "de_DE.utf8@euro"}, True),
                              ({"LC_ALL": "C", "LANG": "C.UTF-8"}, False),
                              ({"LC_ALL": "", "LC_CTYPE": "C.UTF-8", "LANG": "C"}, True)):
            self.assertEqual(bars.has_utf8(environ), want, environ)

    def test_terminal(self):
        """Colours are for a terminal that has them."""
        class Terminal(io.StringIO):
            """Claims to be one."""
            def isatty(self):
                return True
        self.assertTrue(bars.has_colours(Terminal(), {"TERM": "xterm"}))
        self.assertFalse(bars.has_colours(Terminal(), {"TERM": "dumb"}))
        self.assertFalse(bars.has_colours(Terminal(), {}))
        self.assertFalse(bars.has_colours(Terminal(), {"TERM": "xterm", "NO_COLOR": ""}))
        self.assertFalse(bars.has_colours(io.StringIO(), {"TERM": "xterm"}))


class Charts(unittest.TestCase):
    """The program."""

    def test_ascii(self):
        """Without a UTF-8 locale, and in a pipe: ASCII, no colours, not wider than 100."""
        out, error, _ = run()
        text = out.decode("ascii")
        self.assertEqual(error, "")
        self.assertNotIn("\x1b", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 100)
        self.assertNotIn("\n\n\n", text)

    def test_values(self):
        """Each transport in its row, with its numbers."""
        text = run()[0].decode()
        self.assertRegex(text, r"(?m)^  NFSv4\.2 ours +#+ +40 +#+ +100$")
        self.assertRegex(text, r"(?m)^ +in-tree +#+ +32 +#+ +50$")
        self.assertRegex(text, r"(?m)^ +TCP +#+ +160 +#+ +200$")
        self.assertIn("the middle one of 3 pieces", text)
        self.assertIn("Read 64, Write 128, Reply 1, server's Read 7; 260 RPCs", text)
        self.assertIn("none; 12,345 RPCs", text)
        self.assertEqual(len(re.findall(r"(?m)^  NFSv4\.2, large file\n    ours ", text)), 2)
        self.assertEqual(text.count("large file\n"), 2)
        self.assertIn(" 80% inline: 3.9 KiB; registered: 1000 bytes", text)
        self.assertIn("(this kernel does not count the bytes of its Read chunks)", text)
        self.assertIn("differed by 20%", text)

    def test_utf8(self):
        """With one: other characters, the same numbers."""
        text = run(env={"LC_ALL": "C.UTF-8"})[0].decode("utf-8")
        self.assertIn("█", text)
        self.assertNotIn("#", text)
        self.assertRegex(text, r"(?m)^ +in-tree +█\S* +32 ")

    def test_longest(self):
        """The highest value fills its column, and half of it half the column."""
        rows = [f"speed {name} 3 {way} {MIB} {ms}\n" for name, ms in (("ours", 20), ("tcp", 10))
                for way in ("write", "read")]
        text = run(files=rows)[0].decode()
        self.assertIn("TCP      " + "#" * 22 + "   100  " + "#" * 22 + "   100\n", text)
        self.assertIn("ours     " + "#" * 11 + " " * 11 + "    50", text)

    def test_machine(self):
        """What was measured on is said, in both."""
        out, _, drawn = run("--machine", "a <small> guest")
        self.assertIn(b"a <small> guest", out)
        self.assertIn("a &lt;small&gt; guest", drawn)


class Drawing(unittest.TestCase):
    """The SVG."""

    @staticmethod
    def elements(text, kind):
        """The attributes of all elements of a kind."""
        tree = xml.etree.ElementTree.fromstring(text)
        return [e for e in tree.iter() if e.tag == "{http://www.w3.org/2000/svg}" + kind]

    def draw(self, *texts):
        """The drawing of these lines."""
        return drawing.draw(measurements(*texts), "a guest")

    def test_bars(self):
        """One for each value that is not 0, and one for each entry of a legend."""
        text = self.draw(OURS, INTREE)
        # Throughput: four transports of two versions, both ways. Chunks: 4 + 1 + 0 + 1 kinds.
        # Bytes: two parts of one bar; the others have none.
        self.assertEqual(len(self.elements(text, "rect")), (3 + 8) + (4 + 6) + (2 + 2))

    def test_panels(self):
        """All three, or only the first."""
        titles = [[e.text for e in self.elements(self.draw(*texts), "text")
                   if e.get("class") == "title"] for texts in ((OURS,), (OURS.split("count")[0],))]
        self.assertEqual([len(t) for t in titles], [3, 1])
        self.assertEqual(titles[1], titles[0][:1])

    def test_proportion(self):
        """Bars of the first panel are as long as their values say; all are within the page."""
        text = self.draw(OURS, INTREE)
        root = self.elements(text, "svg")[0]
        width, height = int(root.get("width")), int(root.get("height"))
        rects = [{k: float(e.get(k)) for k in ("x", "y", "width", "height")} | {"c": e.get("fill")}
                 for e in self.elements(text, "rect")]
        for rect in rects:
            self.assertGreater(rect["width"], 0)
            self.assertIn(rect["height"], (drawing.BAR - 1, 10))
            self.assertGreaterEqual(rect["x"], drawing.LEFT)
            self.assertLessEqual(rect["x"] + rect["width"], width)
            self.assertLessEqual(rect["y"] + rect["height"], height)
        lines = [float(e.get("y")) for e in self.elements(text, "text")]
        for rect in rects:
            self.assertTrue(any(0 < y - rect["y"] <= drawing.BAR for y in lines), rect)
        ours, intree = [[r["width"] for r in rects[3:] if r["c"] == colour][0]
                        for colour in (svg.OURS, svg.INTREE)]
        self.assertAlmostEqual(ours / intree, 40 / 32, places=1)

    def test_numbers(self):
        """The numbers beside the bars."""
        words = [e.text for e in self.elements(self.draw(OURS, INTREE), "text")]
        for want in ("40", "160", "NFSv4.2, large file", "Read 400; 300 RPCs",
                     "0.00 MiB inline, 0.00 MiB registered"):
            self.assertIn(want, words)

    def test_escaped(self):
        """The label of a document may have any character."""
        root = self.elements(svg.document('a "b" & <c>', 1, 1, []), "svg")[0]
        self.assertEqual(root.get("aria-label"), 'a "b" & <c>')


class Negotiation(unittest.TestCase):
    """Rows of a capture as lines."""

    CM = {"infiniband.mad.attributeid": "0x0010", "rpcrdma2.private.send_size": "4096",
          "rpcrdma2.private.recv_size": "8192", "rpcrdma2.hint.highest": "2",
          "rpcrdma2.hint.document": "cel-09"}

    @staticmethod
    def row(reply, psn, **fields):
        """A row; fields are named without their protocol."""
        row = dict.fromkeys(negotiation.FIELDS, "")
        row.update({"ip.src": "S" if reply else "C", "ip.dst": "C" if reply else "S",
                    "infiniband.bth.psn": str(psn), "rpcrdma2.xid": "0x1"})
        for name, value in fields.items():
            name = "rpcrdma2." + name.replace("__", ".")
            assert name in row, name
            row[name] = value
        return row

    def rows(self):
        """A connect request, both sets of properties, then what is given."""
        request = dict(self.row(False, 0), **self.CM)
        return [request,
                self.row(False, 1, htype="5", credit="64", prop__rbsiz="5120", prop__brs="2",
                         prop__remote_inv="1"),
                self.row(True, 1, htype="5", credit="1", prop__htype="3,9",
                         prop__read_replies="0", prop__nochange__id="0x00000002,0xffffff01")]

    def lines(self, *more):
        """The lines about these rows, without the first."""
        return list(negotiation.decode(self.rows() + list(more)))[1:]

    def test_properties(self):
        """Each with its value and its meaning, under the message of the right side."""
        self.assertEqual(list(negotiation.decode(self.rows()))[0], "client C, server S")
        lines = [" ".join(line.split()) for line in self.lines()]
        self.assertEqual(lines, [
            "client -> server CM request sends 4096, receives 8192 bytes",
            "for version 1; then the hint: up to version 2, as in cel-09",
            "client -> server RDMA2_CONNPROP 64 credits asked for",
            "the client's properties, alone in flight until the server answers",
            "Receive Buffer Size: 5120 bytes what is longer, to this side, needs a chunk",
            "Reverse Request Support: general callbacks, and chunks in them",
            "Requester Remote Invalidation: yes a reply may invalidate a handle of this side",
            "server -> client RDMA2_CONNPROP 1 credit granted",
            "the server's properties: both sides have version 2 from here on",
            "Responder-Provided Read Chunks: no long replies need a Reply chunk",
            "OPTIONAL Header Types: DONE, UPDPROP understood beside the required ones",
            "Will Not Change: all but Receive Buffer Size, Responder-Provided Read Chunks, OPTIONAL "
            "Header Types which RDMA2_UPDPROP may change"])

    def test_calls(self):
        """The first call and its reply are shown, the others counted where they are."""
        call = [self.row(n % 2 == 1, 2 + n // 2, htype="0", credit="8", reads_count="2",
                         writes_count="0", reply_count="1") for n in range(5)]
        text = "\n".join(self.lines(*call[:4], self.row(False, 9, htype="9", credit="8",
                                                       prop__rbsiz="9216"), call[4]))
        self.assertEqual(text.count("RDMA2_MSG"), 2)
        self.assertIn("2 Read segments, 1 Reply chunk", text)
        self.assertRegex(text, r"(?s)\(2 messages .*RDMA2_UPDPROP.*9216 bytes.*\(1 message with")

    def test_empty(self):
        """One request without a property and its answer are shown, the others counted, until a
        message has one."""
        empty = [self.row(n % 2 == 1, 3 + n // 2, htype="87"[n % 2 == 0], credit="8")
                 for n in range(6)]
        update = self.row(True, 40, htype="9", credit="8", prop__rbsiz="9216")
        lines = [" ".join(line.split()) for line in self.lines(
            self.row(False, 2, htype="7", credit="8", prop__rbsiz="9216"), *empty, update,
            self.row(False, 50, htype="7", credit="8"))]
        self.assertEqual(lines[12:], [
            "client -> server RDMA2_REQPROP 8 credits asked for", "please change this",
            "Receive Buffer Size: 9216 bytes of the other side's",
            "client -> server RDMA2_REQPROP 8 credits asked for", negotiation.EMPTY["7"],
            "server -> client RDMA2_RESPROP 8 credits granted", negotiation.EMPTY["8"],
            "(4 more messages without a property)",
            "server -> client RDMA2_UPDPROP 8 credits granted", negotiation.CONTROL["9"],
            "Receive Buffer Size: 9216 bytes what is longer, to this side, needs a chunk",
            "client -> server RDMA2_REQPROP 8 credits asked for", negotiation.EMPTY["7"]])

    def test_sent_again(self):
        """What the adapter or the CM has sent again is one message."""
        self.assertEqual(self.lines(*self.rows()), self.lines())

    def test_other_connections(self):
        """Other hosts, what was before, and packets of RDMA Reads do not count."""
        other = dict(self.row(False, 7, htype="5", credit="9"), **{"ip.src": "X"})
        before = self.row(True, 8, htype="0", credit="9")
        read = self.row(True, 9)
        self.assertEqual(list(negotiation.decode([before] + self.rows() + [other, read])),
                         list(negotiation.decode(self.rows())))

    def test_errors(self):
        """Codes have names, and versions a range."""
        text = "\n".join(self.lines(self.row(True, 5, htype="4", credit="1", err="1", vers_low="1",
                                             vers_high="2")))
        self.assertIn("RDMA2_ERR_VERS, has versions 1 to 2", text)

    def test_not_agreed(self):
        """A capture without both sets of properties is an error that says which is missing."""
        for rows, want in (([], "no connection begins"), (self.rows()[:1], "of the client"),
                           (self.rows()[:2], "of the server")):
            with self.assertRaisesRegex(negotiation.Error, want):
                list(negotiation.decode(rows))

    def test_capture(self):
        """A whole capture, by tshark and the dissector."""
        needs("tshark", "tshark")
        props = capture.propset(capture.prop(1, capture.words(4096)))
        lists = capture.lists(writes=capture.write_list(capture.chunk(capture.segment(1, 2, 3))))
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "pcap")
            capture.save(name, [
                capture.connection(capture.CM_REQ, capture.private(
                    hint=capture.version_hint())),
                capture.packet(capture.prefix(capture.CONNPROP) + props, psn=1),
                capture.packet(capture.prefix(capture.CONNPROP) + props, psn=1),
                capture.packet(capture.prefix(capture.CONNPROP, 1, 5) + props, reply=True, psn=1),
                capture.packet(capture.prefix(capture.MSG) + lists + capture.RPC_CALL, psn=2)])
            done = subprocess.run([os.path.join(HERE, "negotiation"), name], check=False,
                                  capture_output=True, encoding="utf-8",
                                  env={"PATH": os.environ["PATH"], "LC_ALL": "C"})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.count("RDMA2_CONNPROP "), 2)
        for want in ("client 10.0.0.2, server 10.0.0.1", "as in cel-09", "sends 4096",
                     "5 credits granted", "Receive Buffer Size: 4096 bytes",
                     "V3 NULL Call: 1 Write chunk"):
            self.assertIn(want, done.stdout)
        self.assertTrue(done.stdout.isascii())
