# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Common to the fuzzers in a guest: network, our modules, an NFS server, an honest
# client, and the leak check at the end. Sourced.

export PATH=/usr/sbin:/usr/bin:/sbin:/bin
ADDR=10.9.0.1 EXPORT=/srv/peer MNT=/run/nfs
# Threads of nfsd: each of them must survive.
THREADS=4
# Multiplies deadlines.
case ${RPCRDMA_KERNEL:-uml} in *debug*) SLOW=5 ;; x86) SLOW=4 ;; *) SLOW=1 ;; esac

die()
{
	echo "guest: $*" >&2
	exit 1
}

link_up()
{
	modprobe dummy
	ip link add d0 type dummy || die "no dummy device"
	ip addr add $ADDR/24 dev d0
	ip link set d0 mtu 9000 up
	modprobe -a ib_uverbs rdma_ucm || die "no verbs in userspace"
	if [ "${FUZZ_PROVIDER:-rxe}" = siw ]; then modprobe siw; else modprobe rdma_rxe; fi
	rdma link add "${FUZZ_PROVIDER:-rxe}0" type "${FUZZ_PROVIDER:-rxe}" netdev d0 || die "no device"
}

# modules_up MODULE...: load them, in this order
modules_up()
{
	MODULES=("$@")
	modprobe -a sunrpc rdma_cm
	for m in "${MODULES[@]}"; do
		insmod "$MODDIR/$m.ko" || die "cannot load $m"
	done
}

# server_up VERSION...: nfsd on RDMA port 20049 and TCP port 2049
server_up()
{
	local versions=() v

	for v; do versions+=(-V "$v"); done
	mkdir -p /var/lib/nfs/{sm,rpc_pipefs,v4recovery,nfsdcltrack} $EXPORT $MNT
	touch /var/lib/nfs/{etab,rmtab,state}
	mount -t tmpfs tmpfs $EXPORT
	# Peers and clients check the data: each byte depends on its offset in the file.
	python3 -c 'import sys; sys.stdout.buffer.write(bytes(i * 7 % 251 for i in range(65536)))' >$EXPORT/data
	head -c 65536 /dev/zero >$EXPORT/scratch
	cp $EXPORT/data /run/data
	modprobe nfsd
	mountpoint -q /proc/fs/nfsd || mount -t nfsd nfsd /proc/fs/nfsd
	echo "$EXPORT *(rw,async,no_root_squash,insecure,fsid=0,no_subtree_check)" >/etc/exports
	exportfs -ra
	pidof rpcbind >/dev/null || rpcbind -w
	pidof rpc.mountd >/dev/null || rpc.mountd -p 20048
	# A peer may have to start it again.
	export SERVER_START="rpc.nfsd -N 3 ${versions[*]} --rdma=20049 $THREADS && echo Y >/proc/fs/nfsd/v4_end_grace" SLOW
	sh -c "$SERVER_START" || die "rpc.nfsd"
}

# within SECONDS COMMAND...: fails if it does not end in time, even if it cannot be killed.
within()
{
	local end=$((SECONDS + $1 * SLOW)) pid

	shift
	"$@" &
	pid=$!
	while kill -0 $pid 2>/dev/null; do
		if [ $SECONDS -ge $end ]; then
			kill -9 $pid
			return 124
		fi
		sleep 0.05
	done
	wait $pid
}

# well_mounted: a client reads and writes through the kernel's NFS client.
well_mounted()
{
	local file

	file=$MNT/well-$RANDOM
	mount -t nfs -o "vers=4.2,proto=rdma,port=20049,retry=0" $ADDR:/ $MNT || return 1
	dd if=/run/data of="$file" bs=16k oflag=direct status=none &&
		dd if="$file" of=/run/copy bs=32k iflag=direct status=none &&
		cmp /run/data /run/copy && cmp $EXPORT/data $MNT/data && rm "$file" &&
		umount $MNT
}

threads_alive()
{
	[ "$(pgrep -cx nfsd)" -eq $THREADS ]
}

# responder_up OPTION...: start $responder, and wait until it listens on $PORT; sets $pid
responder_up()
{
	local i

	# The one before it has listened, too.
	rm -f /run/responder
	"$responder" "$@" "$ADDR" "$PORT" >/run/responder 2>&1 &
	pid=$!
	for ((i = 0; i < 100; i++)); do
		grep -qs listening /run/responder && return 0
		sleep 0.1
	done
	return 1
}

# client_version N: the highest version that our client offers from now on
client_version()
{
	echo "$1" >/sys/module/xprtrdma/parameters/max_version
}

# all_well: the server serves an honest client within a few seconds, and has all its threads
all_well()
{
	within 15 well_mounted || { echo "# the kernel's client is not served: $?"; return 1; }
	threads_alive || { echo "# $(pgrep -cx nfsd) threads of $THREADS are left"; return 1; }
}

# balance MODULE: prints what was created and not destroyed; fails if there is any
balance()
{
	awk '/_created / { sub(/_created$/, "", $1); c[$1] = $2 }
	     /_destroyed / { sub(/_destroyed$/, "", $1); d[$1] = $2 }
	     END {
		for (k in c) {
			n++
			if (c[k] != d[k]) { print "# " k, c[k], "created,", d[k], "destroyed"; bad = 1 }
		}
		exit bad || !n
	     }' "/sys/kernel/debug/$1/stats"
}

# accounts: checks that everything is freed, the modules unload, and the device has no users
accounts()
{
	local m i

	rpc.nfsd 0
	for m in "${MODULES[@]}"; do
		[ -e "/sys/kernel/debug/$m/stats" ] || continue
		for ((i = 0; i < 100 * SLOW; i++)); do
			balance "$m" >/dev/null && break
			sleep 0.1
		done
		grep -v ' 0$' "/sys/kernel/debug/$m/stats" | sed "s/^/# $m /"
		balance "$m" || return 1
	done
	for ((i = ${#MODULES[@]} - 1; i >= 0; i--)); do
		within 20 rmmod "${MODULES[i]}" || { echo "# ${MODULES[i]} does not unload"; return 1; }
	done
}

# batches FIRST COUNT SECONDS: run the function batch for each, until one fails; prints KTAP
batches()
{
	local b end=$((SECONDS + $3))

	for ((b = $1; b < $1 + $2 && SECONDS < end; b++)); do
		if batch "$b"; then
			echo "ok $((b - $1 + 1)) batch $b"
		else
			echo "not ok $((b - $1 + 1)) batch $b"
			return 1
		fi
	done
}
