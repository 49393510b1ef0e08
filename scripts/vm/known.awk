# SPDX-License-Identifier: GPL-2.0-only
#
# Drops the reports of two bugs of soft-RoCE, described in Documentation/testing.rst, from
# kernel messages. A report is dropped, as a whole, if it names one of a bug's functions and
# was raised on its one known path.

BEGIN {
	head = "WARNING: (.* at )?drivers/infiniband/sw/rxe/rxe_task\\.c:[0-9]+ (at )?(rxe_sched_task|__reserve_if_idle)\\+"
	uaf = "BUG: KASAN: slab-use-after-free in "
	path = " rxe_(resp|comp)_queue_pkt\\+"
	lookup_head = uaf "(__refcount_add_not_zero(\\.constprop\\.0)?|rxe_pool_get_index)\\+"
	lookup_path = " rxe_pool_get_index\\+.* rxe_rcv\\+.* ib_destroy_qp_user\\+"
	bar = "===================="
}

{ sub(/\r$/, "") }

!held && /cut here/ { begin("---\\[ end trace") }
!held && index($0, bar) { begin(bar) }
held {
	text = text $0 "\n"
	lines++
	if (lines == 2 && !choose())
		give()
	else if (lines > 2 && $0 ~ last)
		finish()
	next
}
{ print }

END {
	if (held)
		give()
	if (dropped)
		print "# soft-RoCE warned " dropped " times of a Queue Pair that was gone" >"/dev/stderr"
}

function begin(pattern)
{
	held = 1
	last = pattern
	text = ""
	lines = 0
}

# The path on which a report with this head is a known one
function choose()
{
	wanted = ""
	if ($0 ~ head)
		wanted = path
	else if ($0 ~ lookup_head)
		wanted = lookup_path
	return wanted
}

function give()
{
	printf "%s", text
	held = 0
}

function finish()
{
	if (text !~ wanted) {
		give()
		return
	}
	dropped++
	held = 0
}
