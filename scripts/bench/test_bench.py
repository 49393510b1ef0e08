# SPDX-License-Identifier: GPL-2.0-only
"""Tests of the benchmark's computations, without a guest."""
import subprocess
import xml.etree.ElementTree

import pytest
from testing import TOP, program
import results

judge, report = [program("scripts/bench/" + name) for name in ("judge", "report")]

KALLSYMS = """ffffffff81000000 T __pfx_clear_page_erms
ffffffff81000010 T clear_page_erms
ffffffff81000100 T __schedule
ffffffff81000200 t process_one_work
ffffffff81000300 D a_variable
ffffffffa0000000 t rxe_post_send\t[rdma_rxe]
ffffffffa0000100 t do_complete.isra.0\t[rdma_rxe]
ffffffffa0010000 t svc_rdma_send_done\t[svcrdma]
"""
COUNTS = """ffffffff81000010 1000 10
ffffffff81000020 500 5
ffffffff81000200 80 20
ffffffffa0000000 40 40
ffffffffa0000100 30 30
0 700 1
"""
OUTPUT = """noise
PREPARE
OP read-8k 1 10 900
MOUNT 1
OP getattr 1 10 235
OP read-8k 1 10 800
MOUNT 4
OP getattr 16 10 100
"""


@pytest.fixture(name="guest")
def _guest(tmp_path):
    """Makes a folder with the output of a guest."""
    def make(name, output, **files):
        folder = tmp_path / name
        folder.mkdir()
        for file, text in {"output": output, **files}.items():
            (folder / file.replace("_", ".")).write_text(text)
        return str(folder)
    return make


@pytest.mark.parametrize("name, output, status", [
    ("in-tree", OUTPUT + "MEASURED\n", 0), ("in-tree", OUTPUT, 1), ("ours-v2", OUTPUT + "MEASURED\n", 1)])
def test_guest_fails(guest, name, output, status):
    """A guest that fails stops the benchmark, unless it has none of our modules and all figures."""
    folder = guest("a", output)
    done = subprocess.run(
        ["bash", "-c", ". scripts/common.sh; . scripts/bench/lib.sh; "
         'in_log "$1/log" "$2" "$1" false', "_", folder, name], cwd=TOP, check=False)
    assert done.returncode == status


@pytest.mark.parametrize("baseline, ours, intree, status", [
    (0.8, 800_000, 1_000_000, 0), (0.8, 815_000, 1_000_000, 0), (0.8, 817_000, 1_000_000, 1),
    (0.9, 80_000, 100_000, 0)],
    ids=["the same", "2% worse", "3% worse", "better"])
def test_judge(capsys, baseline, ours, intree, status):
    """bench-quick fails if and only if a ratio has become worse."""
    assert judge.compare({"op": baseline}, {"op": ours}, {"op": intree}) == status
    text = capsys.readouterr().out
    assert ("not ok 1 op" in text) == bool(status)
    assert text.endswith(f"{1 - status} passed, {status} failed, 0 skipped\n")
    assert judge.compare({"op": baseline}, {}, {"op": intree}) == 1, "not measured"


def test_output(guest):
    """Operations after PREPARE are ignored; those of each mount are read, with means."""
    found = results.read_boot(guest("a", OUTPUT))
    assert [(m.op, m.nconnect, m.depth, m.insns) for m in found] == \
        [("getattr", 1, 1, 235), ("read-8k", 1, 1, 800), ("getattr", 4, 16, 100)]
    assert results.means(found) == {"getattr": 168, "read-8k": 800}


def test_counts(guest):
    """Instructions are assigned to functions; a block at a function's address counts calls."""
    m = report.load(guest("a", "PREPARE\nOP a 1 1 1\nMOUNT 1\nOP getattr 1 10 235\n",
                          kallsyms=KALLSYMS, count_0="0 1 1\n", count_1=COUNTS), "getattr")
    assert m.insns == 235
    assert m.modules() == {"vmlinux": 158, "rdma_rxe": 7, "user": 70}
    counters = m.counters()
    assert [counters[k] for k in ("cleared", "work items", "doorbells", "send WRs")] == [1, 2, 4, 3]


def test_lines(guest):
    """A cache line belongs to a transport if one of its functions writes it."""
    m = results.read_boot(guest(
        "a", "MOUNT 1\nOP getattr 16 10 1\n", kallsyms=KALLSYMS, count_0=COUNTS,
        count_0_lines="ffff888000000000 20 ffffffff81000204 ffffffffa0010008\n"
                      "ffff888000000040 30 ffffffff81000204\n"))[0]
    assert m.own_lines() == [(2, ["svcrdma:svc_rdma_send_done", "vmlinux:process_one_work"])]
    assert [m.counters()[k] for k in ("lines moved", "transport's", "busiest")] == [5, 2, 2]


def test_report(guest, capsys):
    """Ratios use the right columns, and medians."""
    ours = guest("ours", "".join(f"MOUNT 1\nOP getattr 1 9 {n}\n" for n in (99999, 90000, 1)))
    intree = guest("intree", "MOUNT 1\nOP getattr 1 9 100000\n")
    report.Report([("in-tree", intree), ("ours v2", ours)]).print_insns((1, 1))
    assert capsys.readouterr().out.split("\n")[-3].split() == \
        ["getattr", "100,000", "90,000", "0.900"]


def test_chart():
    """The chart is XML, and has a bar for each existing value."""
    text = report.draw([("read-4k", {"in-tree": 200_000, "ours v2": 100_000, "tcp": 90_000}),
                       ("null", {"in-tree": 100, "ours v2": 80}), ("lost", {"tcp": 1})])
    bars = [e for e in xml.etree.ElementTree.fromstring(text).iter() if e.tag.endswith("rect")]
    assert len(bars) == 3 + 3 + 2
    assert "50%" in text and "100k of 200k" in text
