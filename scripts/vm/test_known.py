# SPDX-License-Identifier: GPL-2.0-only
"""Tests that known.pl drops only known reports, and which test or run is blamed for the others."""
import os
import subprocess

import pytest
from testing import TOP

WARNING = "WARNING: CPU: 0 PID: 1 at drivers/infiniband/sw/rxe/rxe_task.c"
NEWER = "WARNING: drivers/infiniband/sw/rxe/rxe_task.c:249 at "
CUT = "------------[ cut here ]------------"
BAR = "=" * 66
KASAN = "BUG: KASAN: slab-use-after-free in "
SCHED = "rxe_sched_task+0xb9/0x11d [rdma_rxe]"
QUEUE = " rxe_resp_queue_pkt+0x2f/0x33"


def warning(place, caller):
    """A warning with one line of its call trace."""
    return [CUT, f"{WARNING}:{place}", " " + caller, "---[ end trace 0000000000000000 ]---"]


KNOWN = warning("267 " + SCHED, QUEUE.strip())
LOOKUP = [KASAN + "__refcount_add_not_zero.constprop.0+0x71/0x11d [rdma_rxe]",
          " rxe_pool_get_index+0x10e/0x1ef [rdma_rxe]", " rxe_rcv+0x73d/0x12e0 [rdma_rxe]",
          "Freed by task 120:"]


def known(lines):
    """The lines of a console that known.pl keeps."""
    return subprocess.run(["perl", "-0777", "-p", f"{TOP}/scripts/vm/known.pl"], text=True, check=False,
                          input="".join(line + "\r\n" for line in lines),
                          capture_output=True).stdout.splitlines()


@pytest.mark.parametrize("left, lines", [
    (3, ["one", *KNOWN, "two", *KNOWN, "three"]),
    (0, warning("38 __reserve_if_idle+0x1/0x2 [rdma_rxe]", "rxe_comp_queue_pkt+0x2f/0x33")),
    (0, [CUT, NEWER + SCHED + ", CPU#0: kworker/u4:6/167", QUEUE, "---[ end trace 0 ]---"]),
    (4, warning("267 " + SCHED, "rxe_post_send+0x2f/0x33")),
    (4, warning("99 rxe_run_task+0xb9/0x11d [rdma_rxe]", QUEUE.strip())),
    (3, KNOWN[:3]),
    (5, [BAR, KASAN + "svc_rdma_recv_put+0x36/0x11d", QUEUE, BAR, "after"]),
    (1, [BAR, *LOOKUP, " ib_destroy_qp_user+0x437/0x451", BAR, "after"]),
    (8, [BAR, *LOOKUP, " svc_rdma_recv_put+0x437/0x451", BAR, "after"]),
    (4, [BAR, KASAN + "rxe_pool_get_index+0x71/0x11d [rdma_rxe]", QUEUE, BAR]),
    (3, [BAR, "WARNING: possible circular locking dependency", *KNOWN, "after"]),
], ids=["twice", "the other function", "as Linux 7.3 says it",
        "another path", "another function", "not complete", "KASAN elsewhere", "the lookup",
        "the lookup of what others free", "the lookup on the other path",
        "lockdep before it"])
def test_known(left, lines):
    """known.pl keeps this number of lines."""
    assert len(known(lines)) == left


@pytest.mark.parametrize("blamed, lines, allow", [
    ("BUG: in b", ["WARNING: in a", "a has passed", "BUG: in b", "a mark"], ""),
    ("BUG: at boot", ["BUG: at boot", "a mark"], ""),
    ("", ["WARNING: x.c:12 at f+0x1", "Call Trace:"], "x.c:[0-9]+ at f"),
], ids=["of another test", "the first test", "tolerated"])
def test_blamed(blamed, lines, allow):
    """A test is blamed for all kernel messages since the last test that passed."""
    assert blamed == subprocess.run(
        ["bash", "-c", '. scripts/tests/lib/common.sh; dmesg() { echo "$LOG"; }; dmesg_bad'],
        env=dict(os.environ, RPCRDMA_TOP=TOP, ALLOW=allow, LOG="\n".join(lines)), cwd=TOP,
        text=True, check=False, stdout=subprocess.PIPE).stdout.strip()


@pytest.mark.parametrize("status, said, leaker", [
    (0, "kmemleak: 1 new suspected memory leaks (see /sys/kernel/debug/kmemleak)", "swapper/0"),
    (126, "kmemleak: 1 new suspected memory leaks (see /sys/kernel/debug/kmemleak)", "modprobe"),
    (126, "WARNING: in a", None),
    (0, "loaded", None),
], ids=["a leak of the boot", "a leak", "a warning", "nothing"])
def test_verdict(tmp_path, status, said, leaker):
    """A run fails for leaks that kmemleak reports, except those of the boot."""
    (tmp_path / "console").write_text(said + "\n")
    (tmp_path / "rc").write_text("0\n")
    if leaker:
        (tmp_path / "kmemleak").write_text(
            f'unreferenced object 0x63c2d5c0 (size 8):\n  comm "{leaker}", pid 0, jiffies 7\n')
    assert status == subprocess.run(
        ["bash", "-c", ". scripts/vm/verdict.sh; verdict 0"], cwd=TOP, check=False, capture_output=True,
        env=dict(os.environ, here="scripts/vm", VM_OUT=str(tmp_path))).returncode
