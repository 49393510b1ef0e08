# SPDX-License-Identifier: GPL-2.0-only
"""Tests of the benchmark's own programs, without a guest."""
import io
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from contextlib import redirect_stdout

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import chart      # noqa: E402, pylint: disable=wrong-import-position
import hosts      # noqa: E402, pylint: disable=wrong-import-position
import results    # noqa: E402, pylint: disable=wrong-import-position
from testing import program    # noqa: E402, pylint: disable=wrong-import-position



judge, report, profile, waits, adapters = [
    program("scripts/bench/" + name) for name in ("judge", "report", "profile", "waits", "adapters")]

KALLSYMS = """ffffffff81000000 T __pfx_clear_page_erms
ffffffff81000010 T clear_page_erms
ffffffff81000100 T __schedule
ffffffff81000200 t process_one_work
ffffffff81000300 D a_variable
ffffffffa0000000 t rxe_post_send\t[rdma_rxe]
ffffffffa0000100 t do_complete.isra.0\t[rdma_rxe]
"""
COUNTS = """ffffffff81000010 1000 10
ffffffff81000020 500 5
ffffffff81000200 80 20
ffffffffa0000000 40 40
ffffffffa0000100 30 30
0 700 1
"""
OUTPUT = """noise
FLOOR 128 86.36
PREPARE
OP read-8k 1 10 900
MOUNT 1
OP getattr 1 10 235
OP read-8k 1 10 800
MOUNT 4
OP getattr 16 10 100
"""
STACKS = """# event histogram

{ common_stacktrace:
         __traceiter_contention_begin+0x40/0x60
         native_queued_spin_lock_slowpath+0x2b5/0x2d0
         _raw_spin_lock+0x29/0x30
         rpc_wake_up_queued_task+0x21/0x60
         xprt_complete_rqst+0x81/0xc0
} hitcount:         12
{ common_stacktrace:
         __traceiter_contention_begin+0x40/0x60
         __mutex_lock.constprop.0+0x1/0x2
         rpc_wake_up_queued_task+0x99/0x60
         xprt_complete_rqst+0x81/0xc0
} hitcount:          3

Totals:
    Hits: 15
"""
NAMES = """{ next_comm: kworker/u9:3     } hitcount:      5
{ next_comm: kworker/u9:10    } hitcount:      6
{ next_comm: kworker/0:1H     } hitcount:      2
{ next_comm: nfsd             } hitcount:      7
"""
WORK = """{ function: [ffffffffc0481230] do_work [rdma_rxe]      } hitcount:      9
"""
FIO = """fio: a warning
{"jobs": [{"jobname": "j", "error": 0,
  "read": {"total_ios": 300, "iops": 30.0, "bw_bytes": 1228800,
           "clat_ns": {"mean": 20000.0, "percentile": {"99.000000": 50000}}},
  "write": {"total_ios": 100, "iops": 10.0, "bw_bytes": 409600,
            "clat_ns": {"mean": 40000.0, "percentile": {"99.000000": 70000}}}}]}
"""
STAT = """cpu  100 1 50 1000 20 3 4 2 0 0
cpu0 100 1 50 1000 20 3 4 2 0 0
intr 5000 1 2 3
ctxt 9000
softirq 700 1 2
"""
MOUNTSTATS = """device proc mounted on /proc with fstype proc
device s:/srv mounted on /mnt/a with fstype nfs4 statvers=1.1
\topts:\trw,vers=4.2
\txprt:\trdma 0 0 1 0 5 70 69 0 80 0 3 4 0 400 500 0 0 1 0 0 0 0 0 8 0 0 0
\txprt:\trdma 0 0 1 0 5 30 31 0 80 0 3 4 0 400 500 0 0 1 0 0 0 0 0 8 0 0 0
\tper-op statistics
\t        NULL: 1 1 0 44 24 0 0 0 0
\t        READ: 50 50 0 9000 9000 2 30 40 0
device s:/b mounted on /mnt/b with fstype nfs4 statvers=1.1
\t        READ: 999 50 0 9000 9000 2 30 40 0
"""


def folder_of(output, **files):
    """A temporary folder with what a guest leaves."""
    folder = tempfile.TemporaryDirectory()
    for name, text in {"output": output, **files}.items():
        with open(os.path.join(folder.name, name.replace("_", ".")), "w", encoding="ascii") as f:
            f.write(text)
    return folder


def judged(baseline, ours, intree):
    """(exit status, text) of a comparison."""
    with redirect_stdout(io.StringIO()) as text:
        status = judge.compare(baseline, ours, intree)
    return status, text.getvalue()


class Faults(unittest.TestCase):
    """A guest that fails when it has been measured."""

    def run_guest(self, name, output):
        """Run in_log for a guest that prints this and fails: its exit status, and OUT/fault."""
        with folder_of(output) as folder:
            done = subprocess.run(
                ["bash", "-c", '. scripts/common.sh; . scripts/bench/lib.sh; '
                 'hangs() { echo "vm: no end after 900 s"; return 124; }; '
                 'in_log "$1/log" "$2" "$1" hangs', "_", folder, name],
                cwd=os.path.dirname(os.path.dirname(HERE)), capture_output=True, check=False)
            path = os.path.join(folder, "fault")
            text = ""
            if os.path.exists(path):
                with open(path, encoding="ascii") as file:
                    text = file.read().strip()
            return done.returncode, text

    def test_of_others(self):
        """One without our modules has lost nothing; the report says what it did."""
        self.assertEqual(self.run_guest("in-tree", OUTPUT + "MEASURED\n"),
                         (0, "vm: no end after 900 s"))
        with folder_of(OUTPUT, fault="vm: no end\n") as folder, \
             redirect_stdout(io.StringIO()) as text:
            report.Report([("in-tree", folder)]).print_all()
        self.assertIn("the guest with in-tree failed: vm: no end", text.getvalue())

    def test_too_early(self):
        """It has not been measured."""
        self.assertEqual(self.run_guest("in-tree", OUTPUT), (1, ""))

    def test_of_ours(self):
        """One with our modules must not fail."""
        for name in ("ours-v2", "our-client", "our-server", "ours"):
            self.assertEqual(self.run_guest(name, OUTPUT + "MEASURED\n"), (1, ""))


class Judge(unittest.TestCase):
    """bench-quick fails if, and only if, something has become worse."""

    def test_as_before(self):
        """The same ratios pass."""
        status, text = judged({"read-1m": 0.8}, {"read-1m": 800_000}, {"read-1m": 1_000_000})
        self.assertEqual(status, 0)
        self.assertTrue(text.endswith("1 passed, 0 failed, 0 skipped\n"))

    def test_large_worse(self):
        """A large operation may be 2% worse, and not 3%."""
        base, intree = {"read-1m": 0.800}, {"read-1m": 1_000_000}
        self.assertEqual(judged(base, {"read-1m": 815_000}, intree)[0], 0)
        status, text = judged(base, {"read-1m": 817_000}, intree)
        self.assertEqual(status, 1)
        self.assertIn("not ok 1 read-1m", text)
        self.assertTrue(text.endswith("0 passed, 1 failed, 0 skipped\n"))

    def test_small_worse(self):
        """A small operation may be 3% worse, and not 4%."""
        base, intree = {"getattr": 0.900}, {"getattr": 100_000}
        self.assertEqual(judged(base, {"getattr": 92_600}, intree)[0], 0)
        self.assertEqual(judged(base, {"getattr": 93_000}, intree)[0], 1)

    def test_better(self):
        """What is better passes, and is mentioned."""
        status, text = judged({"getattr": 0.9}, {"getattr": 80_000}, {"getattr": 100_000})
        self.assertEqual(status, 0)
        self.assertIn("--update", text)

    def test_missing(self):
        """What was not measured fails; what has no baseline is skipped."""
        self.assertEqual(judged({"getattr": 0.9}, {}, {"getattr": 1})[0], 1)
        status, text = judged({}, {"getattr": 1}, {"getattr": 1})
        self.assertEqual((status, "0 passed, 0 failed, 1 skipped" in text), (0, True))

    def test_program(self):
        """The program itself: update, pass, and fail with a baseline that is lower."""
        with folder_of("MOUNT 1\nOP getattr 1 9 90000\n") as ours, \
             folder_of("MOUNT 1\nOP getattr 1 9 100000\n") as intree, \
             tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "baseline")

            def call(*options):
                return subprocess.run([os.path.join(HERE, "judge"), *options, path, ours, intree],
                                      capture_output=True, check=False).returncode

            self.assertEqual(call("--update"), 0)
            self.assertEqual(call(), 0)
            with open(path, "w", encoding="ascii") as file:
                file.write('{"getattr": 0.87}')
            self.assertEqual(call(), 1)


class Reading(unittest.TestCase):
    """What guests leave is read."""

    def test_output(self):
        """Preparation is not measured; mounts and medians are."""
        with folder_of(OUTPUT) as folder:
            found, floor = results.read_boot(folder)
        self.assertEqual([(m.op, m.nconnect, m.depth, m.insns) for m in found],
                         [("getattr", 1, 1, 235), ("read-8k", 1, 1, 800),
                          ("getattr", 4, 16, 100)])
        self.assertEqual(floor, {128: 86360})
        self.assertEqual(results.medians(found), {"getattr": 168, "read-8k": 800})

    def test_counts(self):
        """Instructions are those of functions; calls begin at a function's address."""
        with folder_of("PREPARE\nOP a 1 1 1\nMOUNT 1\nOP getattr 1 10 235\n", kallsyms=KALLSYMS,
                       count_0="0 1 1\n", count_1=COUNTS) as folder:
            found = results.read_boot(folder)[0]
        m = found[0]
        self.assertEqual(m.insns, 235)
        self.assertEqual(m.modules(), {"vmlinux": 158, "rdma_rxe": 7, "user": 70})
        self.assertEqual(m.counters()["cleared"], 1)
        self.assertEqual(m.counters()["work items"], 2)
        self.assertEqual(m.counters()["doorbells"], 4)
        self.assertEqual(m.counters()["send WRs"], 3)
        self.assertEqual(profile.purposes(m)["copy, clear, CRC"], 150)

    def test_two_guests(self):
        """The instructions of a pair are added."""
        with folder_of("MOUNT 1\nOP getattr 1 10 1\n", kallsyms=KALLSYMS, count_0=COUNTS) as one, \
             folder_of("", kallsyms=KALLSYMS, count_0=COUNTS) as two:
            self.assertEqual(results.read_boot(one, two)[0][0].insns, 470)

    def test_operations(self):
        """Tables know every operation that ops.c has."""
        with open(os.path.join(HERE, "ops.c"), encoding="ascii") as file:
            text = file.read()
        for op in results.OPS:
            self.assertIn(f'{{ "{op}", ', text)


class Output(unittest.TestCase):
    """Tables and the chart."""

    def test_report(self):
        """Ratios are of the right columns."""
        with folder_of("MOUNT 1\nOP getattr 1 9 90000\n") as ours, \
             folder_of("MOUNT 1\nOP getattr 1 9 100000\n") as intree:
            made = report.Report([("in-tree", intree), ("ours v2", ours)])
        with redirect_stdout(io.StringIO()) as text:
            made.print_insns((1, 1))
        self.assertRegex(text.getvalue(), r"getattr +100,000 +90,000 +0\.900\n")

    def test_rounds(self):
        """Of several rounds of an operation the median is reported."""
        with folder_of("".join(f"MOUNT 1\nOP getattr 1 9 {n}\n" for n in (9, 5, 1))) as guest:
            made = report.Report([("in-tree", guest)])
        self.assertEqual(made.insns((1, 1)), [("getattr", {"in-tree": 5})])

    def test_chart(self):
        """The chart is XML, and has a bar for each value that is there."""
        svg = chart.draw([("read-4k", {"in-tree": 200_000, "ours v2": 100_000, "tcp": 90_000}),
                          ("null", {"in-tree": 100, "ours v2": 80}), ("lost", {"tcp": 1})])
        tree = xml.etree.ElementTree.fromstring(svg)
        bars = [e for e in tree.iter() if e.tag.endswith("rect")]
        self.assertEqual(len(bars), 3 + 3 + 2)
        self.assertIn("50%", svg)
        self.assertIn("100k of 200k", svg)


class Waits(unittest.TestCase):
    """Histograms of the kernel's are read."""

    def test_stacks(self):
        """Stacks count together that differ only inside of the lock."""
        self.assertEqual(waits.parse_stacks(STACKS),
                         {"rpc_wake_up_queued_task < xprt_complete_rqst": 15})

    def test_names(self):
        """Workers of one pool count together."""
        self.assertEqual(waits.parse_names(NAMES),
                         {"kworker/u9:*": 11, "kworker/0:*H": 2, "nfsd": 7})
        self.assertEqual(waits.parse_names(WORK), {"do_work": 9})

    def test_operations(self):
        """The warm-up counts, preparations do not."""
        with folder_of("PREPARE\nOP a 1 9 1\nMOUNT 4\nOP getattr 1 208 1\n"
                       "OP read-4k 16 208 1\n") as folder:
            self.assertEqual(waits.operations(folder),
                             {(4, 1, "getattr"): 236, (4, 16, "read-4k"): 256})


class Adapters(unittest.TestCase):
    """What two hosts say."""

    def test_fio(self):
        """Reads and writes are added, latencies averaged."""
        got = hosts.parse_fio(FIO)
        self.assertEqual((got["ops"], got["iops"], got["mean_us"], got["p99_us"]),
                         (400, 40, 25, 70))
        with self.assertRaises(ValueError):
            hosts.parse_fio(FIO.replace('"error": 0', '"error": 5'))

    def test_ops(self):
        """The same of ops."""
        got = hosts.parse_ops("OP getattr 1 2000 25000\n")
        self.assertEqual((got["ops"], got["iops"], got["mean_us"]), (2000, 40000, 25))
        with self.assertRaises(ValueError):
            hosts.parse_ops("ops: statx: Stale file handle\n")

    def test_stat(self):
        """Idle time does not count."""
        self.assertEqual(hosts.parse_stat(STAT),
                         {"ticks": 160, "intr": 5000, "ctxt": 9000, "softirq": 700})

    def test_mountstats(self):
        """Only that mount, all its connections."""
        got = hosts.parse_mountstats(MOUNTSTATS, "/mnt/a")
        self.assertEqual(got["ops"], {"NULL": (1, 0, 0), "READ": (50, 30, 40)})
        self.assertEqual((got["xprt"]["sends"], got["xprt"]["reply_waits"]), (100, 0))
        none = {"ops": {}, "xprt": {}}
        diff = hosts.mount_difference(none, got)
        self.assertEqual((diff["rpcs"], round(diff["rtt_us"])), (51, 588))

    def test_row(self):
        """Everything is per operation."""
        before = {"ticks": 100, "ctxt": 1000, "intr": 50}
        after = {"ticks": 140, "ctxt": 1800, "intr": 450}
        got = hosts.row(hosts.parse_fio(FIO), (before, after), (before, before),
                        {"rpcs": 400, "rtt_us": 9, "exec_us": 10, "xprt": {}})
        self.assertEqual((got["client_cpu_us"], got["client_switches"], got["server_switches"]),
                         (1000, 2, 0))
        self.assertRegex(hosts.table([("read-4k", "in-tree", got)]), r"read-4k +in-tree +40 ")

    def test_dry_run(self):
        """Both hosts' commands, in order, and nothing is run."""
        args = adapters.parse_args("--server nowhere --export /srv --dry-run --ssh /bin/false"
                                   " --cases in-tree,ours-v1 --jobs getattr,read-4k".split())
        with redirect_stdout(io.StringIO()) as text:
            adapters.Bench(args).run()
        lines = text.getvalue().splitlines()
        mounts = [n for n, line in enumerate(lines) if "mount -t nfs" in line]
        loads = [n for n, line in enumerate(lines) if "max_version=1" in line]
        self.assertEqual(len(mounts), 2)
        self.assertTrue(mounts[0] < loads[0] < mounts[1])
        self.assertEqual(sum("--rw=randread" in line for line in lines), 2)
