# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# Hostile peers in userspace (scripts/fuzz/), next to a correct client and server.

BAD=/run/bad BAD_PORT=20050
# Number of nfsd threads, all of which must survive
THREADS=4

# peers_up: make the device available in userspace, and start nfsd. Peers and clients check the
# data: each byte depends on its offset in the file.
peers_up() {
	limit 20 modprobe -a ib_uverbs rdma_ucm || fail "no verbs in userspace"
	nfsd_start $THREADS
	mkdir -p $MNT $BAD
	python3 -c "open('/run/data', 'wb').write(bytes(i * 7 % 251 for i in range(65536)))"
	cp /run/data $EXPORT/data
	head -c 65536 /dev/zero >$EXPORT/scratch
	mkdir $EXPORT/names
	for i in {1..150}; do : >"$EXPORT/names/a-file-with-a-name-that-is-not-short-$i"; done
	ln -s data $EXPORT/link
}

# peer NAME: print the path of a program.
peer() { echo "${IOTOOL%/*}/$1"; }

# in_time SECONDS COMMAND...: run it; fail if it does not end in time, even if it cannot be killed.
in_time() {
	local pid
	"${@:2}" &
	pid=$!
	if ! wait_for "$1" gone $pid; then
		kill -9 $pid 2>/dev/null || :
		return 124
	fi
	wait $pid
}

# gone PID...: succeed if none of these processes exists.
gone() {
	local p
	for p; do [ ! -d "/proc/$p" ] || return 1; done
}

# well_mounted: check that the kernel's NFS client reads and writes.
well_mounted() {
	local file=$MNT/well-$RANDOM
	mount -t nfs -o "$(mount_opts 4.2)" "$(mount_source 4.2)" $MNT || return 1
	dd if=/run/data of="$file" bs=16k oflag=direct status=none &&
		dd if="$file" of=/run/copy bs=32k iflag=direct status=none &&
		cmp /run/data /run/copy && cmp $EXPORT/data $MNT/data && rm "$file" &&
		umount $MNT
}

# all_well: check that the server serves a correct client within seconds, and has all its threads.
all_well() {
	in_time 15 well_mounted || { log "the kernel's client is not served: $?"; return 1; }
	[ "$(pgrep -cx nfsd)" -eq $THREADS ] || { log "$(pgrep -cx nfsd) threads of $THREADS"; return 1; }
}

# batches FUNCTION NUMBER: run it for each batch. Meanwhile, Receives grow as soon as possible, and
# replies expire while the peer uses them.
batches() {
	local b first=${FUZZ_FIRST:-0} end=$((SECONDS + ${FUZZ_SECONDS:-1000000})) count=$2
	[ -z "${FUZZ_SECONDS:-}" ] || count=1000000
	count=${FUZZ_BATCHES:-$count}
	echo 2 >/sys/module/svcrdma/parameters/read_reply_timeout
	tuning_interval 100
	for ((b = first; b < first + count && SECONDS < end; b++)); do
		"$1" $b && all_well || fail "batch $b of seed ${FUZZ_SEED:-1}"
	done
	log "$((b - first)) batches of seed ${FUZZ_SEED:-1}"
}

# responder_up OPTION...: start the responder, and wait until it listens. Sets $pid.
responder_up() {
	# An earlier responder has left its output.
	rm -f /run/responder
	"$(peer responder)" "$@" $ADDR4 $BAD_PORT >/run/responder 2>&1 &
	pid=$!
	wait_for 10 grep -qs listening /run/responder
}

# mount_bad VERSION[,OPTION...] [COMMAND...]: mount from the responder, with COMMAND before "mount".
mount_bad() {
	local version=${1%%,*} opts
	opts=$(PORT=$BAD_PORT mount_opts "$version" "rsize=65536,wsize=65536${1#"$version"}")
	"${@:2}" mount -t nfs -o "$opts" "$(mount_source "$version")" $BAD
}

# peers_down: clean up after a failed test. A program that accesses $BAD now, such as mountpoint,
# would wait for the server.
peers_down() {
	pkill -9 -x caller || true
	pkill -9 -x responder || true
	! grep -q " $BAD nfs" /proc/mounts || umount -f $BAD || umount $BAD
}
