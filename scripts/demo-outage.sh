# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What the demonstration breaks: the server vanishes under load, set-ups that rpcrdmactl doctor has
# to name, and a kernel for which the modules were not built. Sourced by scripts/demo-guest.

# NOTE is for scripts/demo-guest.
# shellcheck disable=SC2034

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
