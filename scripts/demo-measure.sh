# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What the demonstration measures: sourced by scripts/demo-guest, read by scripts/show/charts.
# scripts/show/charts describes the lines of $MEASURED.

MEASURED=/run/out/measured
PIECES=4 PIECE_MIB=16	# the file of 64 MiB
SMALL=200		# files of the source tree

# measured_speed DIRECTION DD-OPTIONS...: copy the file in pieces, by the time that dd takes
# for each; leave the speed of all of them in NOTE.
measured_speed()
{
	local direction=$1 i ms total=0

	shift
	for ((i = 0; i < PIECES; i++)); do
		LC_ALL=C dd bs=1M count=$PIECE_MIB skip=$((i * PIECE_MIB)) \
			seek=$((i * PIECE_MIB)) "$@" 2>/run/dd || { cat /run/dd; return 1; }
		ms=$(awk -F'copied, ' 'NF == 2 { printf "%.0f", 1000 * $2 }' /run/dd)
		[ -n "$ms" ] || { cat /run/dd; return 1; }
		echo "speed $OVER $VERSION $direction $((PIECE_MIB << 20)) $ms" >>$MEASURED
		total=$((total + ms))
	done
	NOTE="$((PIECES * PIECE_MIB * 1000 / (total + 1))) MiB/s"
}

# client_counters: what the mount and the client have counted, as "name value" lines.
client_counters()
{
	awk -v m="$MNT" '
	/^device/ { on = $5 == m }
	!on { next }
	$1 == "xprt:" && $2 == "rdma" {
		n["read_segments"] += $13
		n["write_segments"] += $14
		n["reply_segments"] += $15
		n["rdma_reply_bytes"] += $17
	}
	$1 ~ /^[A-Z][A-Z_0-9]*:$/ {
		n["rpcs"] += $2
		n["call_bytes"] += $5
		n["reply_bytes"] += $6
	}
	END { for (name in n) print name, n[name] }' /proc/self/mountstats
	read_chunk_bytes
	[ ! -r /sys/kernel/debug/xprtrdma/stats ] ||
		awk '$1 == "replies_read" { print }
		     $1 == "read_bytes" { print "replies_read_bytes", $2 }' \
			/sys/kernel/debug/xprtrdma/stats
}

# The kernel's own transport counts the bytes of Read chunks only by a trace point: that of the
# server, for the client's shows calls that are not sent as well.
READ_EVENT=/sys/kernel/tracing/events/rpcrdma/svcrdma_decode_rseg

# count_read_chunks: begin to count them, where the kernel can add up in a trace point.
count_read_chunks()
{
	[ ! -e $READ_EVENT/hist ] ||
		echo 'hist:keys=segno:vals=length' >$READ_EVENT/trigger
}

# read_chunk_bytes: what the server was offered in Read chunks.
read_chunk_bytes()
{
	if [ -r /sys/kernel/debug/svcrdma/stats ]; then
		awk '$1 == "read_bytes" { print "read_chunk_bytes", $2 }' \
			/sys/kernel/debug/svcrdma/stats
	elif [ -e $READ_EVENT/hist ]; then
		awk '{ for (i = 1; i < NF; i++) if ($i == "length:") sum += $(i + 1) }
			END { print "read_chunk_bytes", sum + 0 }' $READ_EVENT/hist
	fi
}

# counted_begin, counted_end WORKLOAD: how much the counters grow in between, for RDMA, and for
# one version 4 of NFS, since they have the same calls.
counted_begin()
{
	client_counters >/run/counted
}

counted_end()
{
	case $OVER,$VERSION in
	tcp*,* | *,4.[01]) return 0 ;;
	esac
	client_counters | awk -v what="$OVER $VERSION $1" '
		NR == FNR { before[$1] = $2; next }
		{ print "count", what, $1, $2 - before[$1]; found = 1 }
		END { exit !found }' /run/counted - >>$MEASURED
}

# small_both: files of the source tree there and back, compared and counted.
small_both()
{
	local list

	list=$(cd "$SRC"/tree && find . -maxdepth 1 -type f | LC_ALL=C sort | head -n $SMALL)
	[ "$(wc -l <<<"$list")" -eq $SMALL ] || return 1
	mkdir -p "$MNT"/small "$SRC"/back/small || return 1
	counted_begin
	(cd "$SRC"/tree && xargs cp -t "$MNT"/small <<<"$list") || return 1
	sync -f "$MNT" || return 1
	drop_caches
	cp "$MNT"/small/* "$SRC"/back/small || return 1
	counted_end small || return 1
	(cd "$SRC"/tree && xargs sha1sum <<<"$list") >/run/small.sums || return 1
	(cd "$SRC"/back/small && sha1sum --quiet -c /run/small.sums) || return 1
	rm -rf "$MNT"/small "$SRC"/back/small
	NOTE="$SMALL files"
}

# file_both: the file there and back over what is mounted, compared.
file_both()
{
	local there

	file_there || return 1
	there=$NOTE
	file_back || return 1
	cmp "$SRC"/file "$SRC"/back/file || return 1
	rm -f "$SRC"/back/file "$MNT"/file
	NOTE="$there, back $NOTE"
}

# over_tcp TRANSPORT VERSION: mount by TCP, copy the file, unmount.
over_tcp()
{
	OVER=$1 VERSION=$2
	mounted "$2" tcp || return 1
	file_both || return 1
	nfs_umount
}

# measure_only: what the chart needs of the transport that is loaded, and TCP once, to see how
# far two guests can be compared.
measure_only()
{
	OVER=intree
	for VERSION in 4.2 4.1 4.0 3; do
		step "NFSv$VERSION: mount with proto=rdma" mounted $VERSION
		step "NFSv$VERSION: 64 MiB file there and back" file_both
		case $VERSION in
		4.2 | 3) step "NFSv$VERSION: $SMALL files there and back" small_both ;;
		esac
		step "NFSv$VERSION: unmount" nfs_umount
	done
	step "NFSv4.2 over TCP: 64 MiB file there and back" over_tcp tcp-intree 4.2
	step "a cable between two soft-RoCE devices" capture_link
	OVER=intree
	outage_step
}
