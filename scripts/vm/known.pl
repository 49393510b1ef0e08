#!/usr/bin/perl -0777 -p
# SPDX-License-Identifier: GPL-2.0-only
#
# Drops the reports of two soft-RoCE bugs (Documentation/testing.rst) from kernel messages. A report
# is dropped completely if it names one of the bug's functions and comes from the known call path.

my ($warning, $uaf, $lookup, $bar, $dropped);
BEGIN {
	$warning = qr/WARNING: (?:.* at )?drivers\/infiniband\/sw\/rxe\/rxe_task\.c:\d+ (?:at )?(?:rxe_sched_task|__reserve_if_idle)\+/;
	$uaf = qr/BUG: KASAN: slab-use-after-free in /;
	$lookup = qr/(?:__refcount_add_not_zero(?:\.constprop\.0)?|rxe_pool_get_index)\+/;
	$bar = qr/^.*={20}.*\n/m;
}
sub drop {
	my ($report, $path) = @_;
	return $report unless $report =~ $path;
	$dropped++;
	return "";
}
s/\r$//mg;
s{^.*cut here.*\n.*$warning(?:.*\n)*?.*---\[ end trace.*\n}{drop($&, qr/ rxe_(?:resp|comp)_queue_pkt\+/)}gem;
s{$bar.*$uaf$lookup(?:.*\n)*?$bar}{drop($&, qr/ rxe_pool_get_index\+.* rxe_rcv\+.* ib_destroy_qp_user\+/s)}gem;
END { print STDERR "# soft-RoCE warned $dropped times of a Queue Pair that was gone\n" if $dropped }
