# SPDX-License-Identifier: GPL-2.0-only
"""Reads what scripts/bench/adapters collects on two hosts: fio's JSON, /proc/stat, mountstats."""
import json
import re

# The fields after "xprt: rdma", in their order.
XPRT = """port binds connects connect_time idle_time sends receives bad_xids req_util bklog_util
read_segments write_segments reply_segments read_bytes write_bytes pullup_bytes fixup_bytes hardway
failed_marshals bad_replies nomsg_calls mrs_recycled mrs_orphaned mrs_allocated local_inv
empty_sendctx reply_waits""".split()


def parse_fio(text):
    """Totals of a job: operations, IOPS, MB/s, and latencies in microseconds."""
    # fio may print warnings before its JSON.
    jobs = json.loads(text[text.index("{"):])["jobs"]
    total = {"ops": 0, "iops": 0.0, "mbs": 0.0}
    latency, p99 = 0.0, 0.0
    for job in jobs:
        if job.get("error"):
            raise ValueError(f"fio: job {job.get('jobname')} ended with error {job['error']}")
        for side in (job["read"], job["write"]):
            total["ops"] += side["total_ios"]
            total["iops"] += side["iops"]
            total["mbs"] += side["bw_bytes"] / 1e6
            times = side["clat_ns"]
            latency += times["mean"] * side["total_ios"]
            p99 = max(p99, times.get("percentile", {}).get("99.000000", 0))
    total["mean_us"] = latency / max(total["ops"], 1) / 1e3
    total["p99_us"] = p99 / 1e3
    return total


def parse_ops(text):
    """The same of the program ops, which prints "OP NAME DEPTH COUNT NANOSECONDS"."""
    m = re.search(r"^OP \S+ \d+ (\d+) (\d+)$", text, re.M)
    if not m:
        raise ValueError("ops: nothing was measured")
    mean = int(m[2]) / 1e3
    return {"ops": int(m[1]), "iops": 1e6 / mean, "mbs": 0.0, "mean_us": mean, "p99_us": 0.0}


def parse_stat(text):
    """Busy time in ticks, context switches and interrupts, from /proc/stat."""
    values = {}
    for line in text.splitlines():
        name, *rest = line.split()
        if name == "cpu":
            numbers = [int(v) for v in rest]
            # All but idle and iowait; guest time is contained in user time.
            values["ticks"] = sum(numbers[:8]) - numbers[3] - numbers[4]
        elif name in ("ctxt", "intr", "softirq"):
            values[name] = int(rest[0])
    return values


def parse_mountstats(text, folder):
    """{"xprt": sums over all connections, "ops": {NAME: (count, rtt ms, execution ms)}} of the
    NFS mount on that folder."""
    found = {"xprt": {}, "ops": {}}
    inside = False
    for line in text.splitlines():
        if line.startswith("device "):
            inside = f" mounted on {folder} with fstype nfs" in line
        elif inside and (m := re.match(r"\s*xprt:\s*rdma (.*)", line)):
            for name, value in zip(XPRT, m[1].split()):
                found["xprt"][name] = found["xprt"].get(name, 0) + int(value)
        elif inside and (m := re.match(r"\s*([A-Z_0-9]+): (\d+(?: \d+){7,})$", line)):
            part = [int(v) for v in m[2].split()]
            found["ops"][m[1]] = (part[0], part[6], part[7])
    return found


def mount_difference(before, after):
    """What happened between two samples: RPCs, mean times in microseconds, counters."""
    count = rtt = execution = 0
    for name, values in after["ops"].items():
        old = before["ops"].get(name, (0, 0, 0))
        count += values[0] - old[0]
        rtt += values[1] - old[1]
        execution += values[2] - old[2]
    xprt = {k: v - before["xprt"].get(k, 0) for k, v in after["xprt"].items()}
    return {"rpcs": count, "rtt_us": 1000 * rtt / max(count, 1),
            "exec_us": 1000 * execution / max(count, 1),
            "xprt": {k: v for k, v in xprt.items() if v and k != "port"}}


def row(fio, client, server, mount, ticks_per_second=100):
    """One result. client and server are pairs of parse_stat(), before and after."""
    ops = max(fio["ops"], 1)
    result = dict(fio)
    for side, (before, after) in (("client", client), ("server", server)):
        tick_us = 1e6 / ticks_per_second
        result[f"{side}_cpu_us"] = (after["ticks"] - before["ticks"]) * tick_us / ops
        result[f"{side}_switches"] = (after["ctxt"] - before["ctxt"]) / ops
        result[f"{side}_interrupts"] = (after["intr"] - before["intr"]) / ops
    result |= {"rpcs_per_op": mount["rpcs"] / ops, "rtt_us": mount["rtt_us"],
               "exec_us": mount["exec_us"], "xprt": mount["xprt"]}
    return result


COLUMNS = [("iops", "IOPS", 0), ("mbs", "MB/s", 1), ("mean_us", "mean us", 1),
           ("p99_us", "p99 us", 1), ("rtt_us", "RPC rtt us", 0),
           ("client_cpu_us", "client CPU us", 2), ("server_cpu_us", "server CPU us", 2),
           ("client_switches", "switches", 2), ("server_switches", "server sw.", 2),
           ("client_interrupts", "interrupts", 2), ("server_interrupts", "server int.", 2)]


def table(results):
    """Text: for each job a line per transport. results: [(job, transport, row)]."""
    lines = [["job", "transport"] + [head for _, head, _ in COLUMNS]]
    for job, transport, values in results:
        lines.append([job, transport] + [f"{values[k]:,.{digits}f}" for k, _, digits in COLUMNS])
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join("  ".join([c.ljust(w) if i < 2 else c.rjust(w)
                                for i, (c, w) in enumerate(zip(line, widths))]).rstrip()
                     for line in lines) + "\n"
