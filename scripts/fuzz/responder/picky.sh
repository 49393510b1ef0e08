# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Common to the scripts that run in a guest and mount the responder. Sourced.

# shellcheck source=scripts/fuzz/guest.sh
. "$(dirname "$0")/../guest.sh"
PORT=20050 PICKY=/run/picky
n=0 failed=0

fail()
{
	echo "# $*"
	return 1
}

# stat_of NAME: print one of the client's counters
stat_of()
{
	sed -n "s/^$1 //p" /sys/kernel/debug/xprtrdma/stats
}

# picky_up WHAT [OPTION...]: start a server that refuses WHAT, or nothing
picky_up()
{
	responder_up ${1:+-r "$1"} "${@:2}" || fail "the responder does not come up: $(cat /run/responder)"
}

# picky_down: stop it; sets $refused to the number of refusals
picky_down()
{
	kill -TERM "$pid"
	wait "$pid" || fail "the responder: $(cat /run/responder)" || return
	refused=$(sed -n 's/^# refused \([0-9]*\) times/\1/p' /run/responder)
	[ "${refused:-0}" -gt 0 ] || fail "nothing was refused"
}

mount_picky()
{
	local o="vers=$1,proto=rdma,port=$PORT,retry=0,rsize=65536,wsize=65536"

	if [ "${1%%,*}" = 3 ]; then
		mount -t nfs -o "$o,nolock,mountproto=tcp,mountport=20048" "$ADDR:$EXPORT" "$PICKY"
	else
		mount -t nfs -o "$o" "$ADDR:/" "$PICKY"
	fi
}

# all_data: data arrives unchanged in every way. Nothing is read at the end of a file: the responder cannot tell a reply
# without data from one with a byte of it.
all_data()
{
	local n="$EXPORT/names"

	dd if=/run/data of="$PICKY/direct" bs=16k oflag=direct status=none || fail "direct write" || return
	cmp /run/data "$EXPORT/direct" || fail "what was written" || return
	dd if="$PICKY/direct" of=/run/copy bs=32k count=2 iflag=direct status=none || fail "direct read" || return
	cmp /run/data /run/copy || fail "what was read" || return
	dd if=/run/data of="$PICKY/odd" bs=3001 oflag=direct status=none || fail "odd write" || return
	cmp /run/data "$EXPORT/odd" || fail "what was written, odd" || return
	dd if="$PICKY/odd" of=/run/copy bs=20001 count=4 iflag=direct status=none || fail "odd read" || return
	cmp /run/data /run/copy || fail "what was read, odd" || return
	[ "$(ls "$PICKY/names")" = "$(ls "$n")" ] || fail "directory" || return
	cp "$PICKY/data" /run/copy || fail "copy" || return
	cmp /run/data /run/copy || fail "what was copied"
}

# falls_back WHAT VERSION: the client uses version 1 on the next connection, and remembers it
falls_back()
{
	local before

	before=$(stat_of fallbacks_remembered)
	picky_up "$1" || return
	within 30 mount_picky "$2" || fail "mount" || return
	grep -qx "version 1" /sys/kernel/debug/xprtrdma/xprt-* || fail "not version 1" || return
	within 30 all_data || return
	umount "$PICKY" || fail "umount" || return
	within 3 mount_picky "$2" || fail "second mount" || return
	umount "$PICKY" || fail "second umount" || return
	picky_down || return
	[ "$refused" -eq 1 ] || fail "offered $refused times" || return
	[ $(($(stat_of fallbacks_remembered) - before)) -eq 1 ] || fail "not remembered once" || return
	# The next server has another port, so version 2 is offered to it.
	PORT=$((PORT + 1))
}

# picky_begin RESPONDER: an NFS server, and what the tests of mounts find on it
picky_begin()
{
	local i

	responder=$1
	link_up
	modules_up rpcrdma_core svcrdma xprtrdma
	server_up 3 4.0 4.1 4.2
	mkdir -p "$PICKY" "$EXPORT/names"
	for i in {1..150}; do : >"$EXPORT/names/a-file-with-a-name-that-is-not-short-$i"; done
}

# one DESCRIPTION COMMAND...
one()
{
	local text=$1

	shift
	n=$((n + 1))
	if "$@" && all_well; then
		echo "ok $n $text"
	else
		echo "not ok $n $text"
		grep -E "resent|errors_received|offers|fallbacks|connects" /sys/kernel/debug/xprtrdma/stats | sed 's/^/# /'
		sed 's/^/# responder: /' /run/responder
		failed=1
		umount -f "$PICKY" 2>/dev/null
		kill -9 "$pid" 2>/dev/null
	fi
}

# picky_end: check that nothing is left; the script's exit status
picky_end()
{
	accounts || failed=1
	exit $failed
}
