# SPDX-License-Identifier: GPL-2.0-only
#
# Exit status 0 if a kernel has died of the first of soft-RoCE's bugs in
# Documentation/testing.rst, without any report before: a packet's task is woken after its
# Queue Pair has been freed, and the memory used for something else.

{ sub(/\r$/, "") }

/^RIP: [0-9a-f]+:rxe_sched_task\+.* \[rdma_rxe\]$/ { died = NR }
died && /^Call Trace:$/ { trace = NR }
# The function that called it; what has a question mark only lay on the stack.
trace && / \? / { trace++; next }
trace && NR == trace + 1 { known = / rxe_(resp|comp)_queue_pkt\+/ }

END { exit !known }
