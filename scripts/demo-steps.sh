# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What the demonstration measures, captures and breaks: sourced by scripts/demo-guest, for which NOTE
# is. scripts/show/charts reads the lines of $MEASURED and describes them; scripts/show/negotiation
# decodes the capture.
# shellcheck disable=SC2034

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

# A capture of one connection, within one guest

CAPTURE=/run/out/negotiation.pcap
CAPTURE_CLIENT=10.2.0.1 CAPTURE_SERVER=10.2.0.2

# capture_link: soft-RoCE on both ends of a virtual cable, v0 the client's and v1 the server's.
# What the kernel sends from one of its own addresses to another never reaches a cable, so rules
# in front of those for local addresses send it there; what comes out is local, as usual.
capture_link()
{
	local dev

	ip link add v0 type veth peer name v1 || return 1
	ip addr add $CAPTURE_CLIENT/24 dev v0 || return 1
	ip addr add $CAPTURE_SERVER/24 dev v1 || return 1
	for dev in v0 v1; do
		echo 1 >/proc/sys/net/ipv4/conf/$dev/accept_local
		ip link set $dev mtu 4400 up || return 1
	done
	echo 0 | tee /proc/sys/net/ipv4/conf/{all,v0,v1}/rp_filter
	ip route add $CAPTURE_SERVER dev v0 src $CAPTURE_CLIENT table 101 || return 1
	ip route add $CAPTURE_CLIENT dev v1 src $CAPTURE_SERVER table 102 || return 1
	ip rule add pref 1 iif v1 to $CAPTURE_SERVER lookup local || return 1
	ip rule add pref 2 iif v0 to $CAPTURE_CLIENT lookup local || return 1
	ip rule add pref 3 to $CAPTURE_SERVER lookup 101 || return 1
	ip rule add pref 4 to $CAPTURE_CLIENT lookup 102 || return 1
	ip rule add pref 5 lookup local && ip rule del pref 0 || return 1
	rdma link add rxe1 type rxe netdev v0 || return 1
	rdma link add rxe2 type rxe netdev v1 || return 1
	NOTE="rxe1 on v0, rxe2 on v1"
}

# capture_traffic: a mount, and enough of 8 KiB for both sides to ask for larger Receives.
capture_traffic()
{
	SERVER=$CAPTURE_SERVER nfs_mount 4.2 || return 1
	dd if="$SRC"/file of="$MNT"/captured bs=8k count=50 oflag=direct || return 1
	dd if="$MNT"/captured of=/dev/null bs=8k iflag=direct || return 1
	rm "$MNT"/captured
	nfs_umount
}

# capture_connection: all of this while dumpcap writes what goes over the cable.
capture_connection()
{
	local pid status

	dumpcap -q -i v0 -s 0 -f "udp port 4791" -w "$CAPTURE" 2>/run/dumpcap &
	pid=$!
	await "the capture runs" 10 grep -q '^File:' /run/dumpcap
	capture_traffic
	status=$?
	# Packets are written in blocks, after a second at most.
	sleep 2
	kill -INT $pid
	wait $pid
	cat /run/dumpcap
	NOTE="$(stat -c %s "$CAPTURE") bytes"
	[ -s "$CAPTURE" ] && return "$status"
}

capture_remove()
{
	rdma link del rxe1 && rdma link del rxe2 && ip link del v0
}

capture_steps()
{
	step "a cable between two soft-RoCE devices" capture_link
	step "NFSv4.2: one connection captured" capture_connection
	OVER=ours
	outage_step
	step "the cable is removed" capture_remove
}

# The server vanishes under load, set-ups that rpcrdmactl doctor has to name, and a kernel for which
# the modules were not built

OUTAGE=10		# seconds
OUTAGE_LIMIT=60		# seconds after that, until the demonstration gives up

# cable on|off: nothing that arrives at either end of capture_link's cable is received, as if the
# other host had lost its power.
cable()
{
	local dev action=add

	[ "$1" = off ] || action=del
	for dev in v0 v1; do
		ip rule $action pref 0 iif $dev blackhole || return 1
	done
}

# outage_load: one write after the other, until the file /run/load is removed.
outage_load()
{
	while [ -e /run/load ]; do
		dd if=/dev/zero of="$MNT"/load bs=64k count=1 oflag=direct conv=notrunc status=none || return
		now_ms >/run/written.new
		mv /run/written.new /run/written
	done
}

written_since()
{
	[ "$(cat /run/written)" -gt "$1" ]
}

# outage: how long the load stands still after the server is back.
outage()
{
	local load begin waited

	SERVER=$CAPTURE_SERVER nfs_mount 3 || return 1
	touch /run/load
	outage_load &
	load=$!
	await "the load runs" 10 [ -s /run/written ]
	sleep 1
	cable off || return 1
	sleep $OUTAGE
	begin=$(now_ms)
	cable on || return 1
	if poll_for $OUTAGE_LIMIT written_since "$begin"; then
		waited=$(($(cat /run/written) - begin))
		NOTE="I/O goes on after $((waited / 1000)).$((waited % 1000 / 100)) s"
	else
		waited=$((OUTAGE_LIMIT * 1000))
		NOTE="I/O still stands after $OUTAGE_LIMIT s"
	fi
	echo "stall $OVER 3 outage $OUTAGE $waited" >>"$MEASURED"
	rm /run/load
	[ "$waited" -lt $((OUTAGE_LIMIT * 1000)) ] || { kill -9 $load; return 0; }
	wait $load && nfs_umount
}

# doctor good|bad: what it says of the set-up by its status; the first bad line is the note.
doctor()
{
	local status=0

	timeout 60 "$here/../tools/rpcrdmactl/rpcrdmactl" doctor >/run/doctor || status=$?
	cat /run/doctor
	NOTE=$(sed -n 's/^bad *//p' /run/doctor | head -n 1 | cut -c1-90)
	case $1 in
	good) NOTE="nothing bad"; [ $status -eq 0 ] ;;
	bad) [ $status -eq 1 ] && [ -n "$NOTE" ] ;;
	esac
}

no_listener()
{
	nfsd_stop && nfsd_start_tcp && doctor bad
}

no_device()
{
	rdma_down && doctor bad && rdma_up
}

port_down()
{
	local status=0

	ip link set "$RDMA_NETDEV" down && sleep 1 && doctor bad || status=1
	ip link set "$RDMA_NETDEV" up && return $status
}

# fallback: this kernel's folder of modules has none of ours.
fallback()
{
	install -m 644 "$here/../packaging/modprobe.d/rpcrdma.conf" /etc/modprobe.d/ || return 1
	modprobe rpcrdma && modprobe svcrdma && module_loaded rpcrdma || return 1
	NOTE="log: $(dmesg | sed -n 's/.*\(rpcrdma: no [xs].*used\).*/\1/p' | tail -n 1)"
	[ "$NOTE" != "log: " ]
}

outage_step()
{
	step "server without power for $OUTAGE s, under load" outage
}

doctor_steps()
{
	step "doctor: all is well" doctor good
	step "doctor: nfsd does not listen for RDMA" no_listener
	step "doctor: the RDMA device is gone" no_device
	step "doctor: its port is down" port_down
}

# fallback_steps: when our modules have been unloaded
fallback_steps()
{
	step "a kernel update without our modules" fallback
	step "doctor: another transport is loaded" doctor bad
	step "unload that" rmmod rpcrdma
}
